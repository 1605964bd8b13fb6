/*
 * init.c - initialisers: constants, addresses, nested lists, opaque fields.
 */
#include "check/checker.h"

static void resolve(struct px_checker *checker, struct px_expr *expr)
{
    switch (expr->kind) {
    case PX_E_NAME: case PX_E_GENERIC: expr->symbol = px_resolve(checker, expr->u.name, expr->pos); break;
    case PX_E_MASK: case PX_E_UNARY: resolve(checker, expr->u.a); break;
    case PX_E_BINARY: resolve(checker, expr->u.a); resolve(checker, expr->u.b); break;
    case PX_E_FIELD: break;
    case PX_E_LIST:
        for (uint32_t i = 0; i < expr->n; i++)
            resolve(checker, expr->u.list[i]);
        break;
    default: break;
    }
}

void px_check_init(struct px_checker *checker, struct px_var *var, struct px_symbol *symbol)
{
    if (!var->init)
        return;
    if (px_type_info((enum px_type)var->type)->klass != PX_TC_OPAQUE)
        resolve(checker, var->init);
    if (var->unsized && var->init->kind == PX_E_LIST) {
        var->dims[0] = var->init->n;
        symbol->size = symbol->align * px_var_elements(var);
    }
}
