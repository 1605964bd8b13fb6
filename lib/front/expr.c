/* expr.c - what stands in a constant expression. */
#include "front/ast.h"

/* How many of a, b and c an expression of the kind has. */
static unsigned parts_of(enum px_expr_kind kind)
{
    switch (kind) {
    case PX_E_MASK:
    case PX_E_UNARY:
    case PX_E_CAST: return 1;
    case PX_E_BINARY: return 2;
    case PX_E_TERNARY: return 3;
    default: return 0;
    }
}

void px_expr_names(const struct px_expr *e, void (*visit)(void *user, const struct px_expr *name), void *user)
{
    if (!e) return;
    const enum px_expr_kind kind = (enum px_expr_kind)e->kind;
    const unsigned n = parts_of(kind);
    if (kind == PX_E_NAME || kind == PX_E_GENERIC) visit(user, e);
    for (uint32_t i = 0; kind == PX_E_LIST && i < e->n; i++) px_expr_names(e->u.list[i], visit, user);
    if (n > 0) px_expr_names(e->u.a, visit, user);
    if (n > 1) px_expr_names(e->u.b, visit, user);
    if (n > 2) px_expr_names(e->u.c, visit, user);
}
