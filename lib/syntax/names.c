/*
 * names.c - which symbol stands behind each name of the text.
 *
 * The checker has resolved the operands; here its symbols get numbers. The tree knows one thing by several
 * nodes: registers by copies in each function, members of a range by a symbol each, a variable by all its
 * declarations. Each is counted once, by a key: the declaration of what is declared by one, the statement of
 * a label, the symbol of a function.
 */
#include <stdlib.h>
#include <string.h>
#include "check/scope.h"
#include "syntax/syntax.h"

/* ---- keys ---- */

static const void *key_of(const struct px_symbol *symbol)
{
    switch (symbol->kind) {
    case PX_SYM_FUNC:
    case PX_SYM_ENTRY:
    case PX_SYM_SECTION_LABEL: return symbol;
    case PX_SYM_LABEL:
    case PX_SYM_BRANCH_TARGETS:
    case PX_SYM_CALL_TARGETS: return symbol->u.stmt;
    case PX_SYM_PROTO: return symbol->u.proto;
    default: return symbol->u.var;
    }
}

static uint32_t slot_of(const struct ptx_syntax *syntax, const void *key)
{
    uint32_t i = (uint32_t)(((uintptr_t)key >> 3) * UINT64_C(0x9E3779B97F4A7C15) >> 32);
    while (syntax->slots[i & (syntax->nslots - 1)].key && syntax->slots[i & (syntax->nslots - 1)].key != key)
        i++;
    return i & (syntax->nslots - 1);
}

static void grow(struct ptx_syntax *syntax)
{
    const struct px_symbol_slot *old = syntax->slots;
    const uint32_t n = syntax->nslots;
    syntax->nslots = n ? 2 * n : 64;
    syntax->slots = PX_NEW_N(&syntax->arena, struct px_symbol_slot, syntax->nslots);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].key) syntax->slots[slot_of(syntax, old[i].key)] = old[i];
}

static uint32_t symbol_of(struct ptx_syntax *syntax, const void *key)
{
    if (syntax->symbols.n * 2 >= syntax->nslots) grow(syntax);
    struct px_symbol_slot *slot = &syntax->slots[slot_of(syntax, key)];
    if (!slot->key) {
        const ptx_symbol fresh = {
            .part = PTX_NOTHING, .token = PTX_NOTHING, .function = PTX_NOTHING, .type = ""};
        *slot = (struct px_symbol_slot){key, syntax->symbols.n};
        px_vec_push(&syntax->arena, &syntax->symbols, fresh);
    }
    return slot->symbol;
}

/* ---- tokens ---- */

/* The token that spells the name, near a place; an operand may begin with a sign, or with "generic(". */
static uint32_t token_of(const struct ptx_syntax *syntax, const struct px_name *name, px_pos pos)
{
    enum { NEAR = 4 };
    uint32_t token = px_syntax_at(syntax, pos);
    for (unsigned i = 0; i < NEAR && token != PTX_NOTHING; i++) {
        if (px_syntax_is(syntax, token, name->text)) return token;
        token = px_syntax_after(syntax, token);
    }
    return PTX_NOTHING;
}

static void add_use(struct ptx_syntax *syntax, uint32_t token, uint32_t symbol)
{
    if (token == PTX_NOTHING) return;
    const ptx_use use = {token, symbol};
    px_vec_push(&syntax->arena, &syntax->uses, use);
}

/* The last declaration with an initial value, a body or a size counts; as a start the first one does. */
static void declare(struct ptx_syntax *syntax, const void *key, ptx_symbol symbol)
{
    const uint32_t i = symbol_of(syntax, key);
    ptx_symbol *known = &syntax->symbols.at[i];
    add_use(syntax, symbol.token, i);
    if (known->token == PTX_NOTHING || syntax->parts.at[symbol.part].open != PTX_NOTHING) *known = symbol;
}

static void use(struct ptx_syntax *syntax, const struct px_symbol *symbol, const struct px_name *name,
                px_pos pos)
{
    const void *key = symbol ? key_of(symbol) : NULL;
    if (key) add_use(syntax, token_of(syntax, name, pos), symbol_of(syntax, key));
}

/* ---- declarations ---- */

/* Fields of opaque variables are no symbols. */
static void use_name(void *user, const struct px_expr *name)
{
    use(user, name->symbol, name->u.name, name->pos);
}

void px_names_var(struct ptx_syntax *syntax, const struct px_var *var, ptx_symbol_kind kind, uint32_t part,
                  uint32_t function)
{
    if (!var->name) return;
    const struct px_symbol *symbol = var->symbol;
    const bool by_var =
        symbol && symbol->u.var && symbol->kind != PX_SYM_FUNC && symbol->kind != PX_SYM_ENTRY;
    declare(syntax, by_var ? (const void *)symbol->u.var : var,
            (ptx_symbol){.kind = kind,
                         .part = part,
                         .token = token_of(syntax, var->name, var->pos),
                         .function = function,
                         .type = px_type_info((enum px_type)var->type)->name,
                         .is_range = var->has_range});
    if (var->init) px_expr_names(var->init, use_name, syntax);
}

void px_names_func(struct ptx_syntax *syntax, const struct px_func *func, uint32_t part)
{
    if (func->symbol)
        declare(syntax, func->symbol,
                (ptx_symbol){.kind = func->is_entry ? PTX_SYMBOL_KERNEL : PTX_SYMBOL_FUNCTION,
                             .part = part,
                             .token = token_of(syntax, func->name, func->pos),
                             .function = PTX_NOTHING,
                             .type = ""});
    for (unsigned i = 0; i < func->nrets; i++)
        px_names_var(syntax, &func->rets[i], PTX_SYMBOL_PARAMETER, part, part);
    for (unsigned i = 0; i < func->nparams; i++)
        px_names_var(syntax, &func->params[i], PTX_SYMBOL_PARAMETER, part, part);
}

static void declare_label(struct ptx_syntax *syntax, const void *key, ptx_symbol_kind kind, uint32_t part,
                          uint32_t function)
{
    declare(syntax, key,
            (ptx_symbol){.kind = kind,
                         .part = part,
                         .token = syntax->parts.at[part].first,
                         .function = function,
                         .type = ""});
}

void px_names_label(struct ptx_syntax *syntax, const struct px_stmt *stmt, uint32_t part, uint32_t function)
{
    declare_label(syntax, stmt, stmt->kind == PX_S_LABEL ? PTX_SYMBOL_LABEL : PTX_SYMBOL_TABLE, part,
                  function);
}

void px_names_proto(struct ptx_syntax *syntax, const struct px_proto *proto, uint32_t part, uint32_t function)
{
    declare_label(syntax, proto, PTX_SYMBOL_TABLE, part, function);
    for (unsigned i = 0; i < proto->nrets; i++)
        px_names_var(syntax, &proto->rets[i], PTX_SYMBOL_PARAMETER, part, function);
    for (unsigned i = 0; i < proto->nparams; i++)
        px_names_var(syntax, &proto->params[i], PTX_SYMBOL_PARAMETER, part, function);
}

/* ---- uses ---- */

static void use_operand(struct ptx_syntax *syntax, const struct px_operand *operand)
{
    switch (operand->kind) {
    case PX_O_NAME: use(syntax, operand->symbol, operand->u.name, operand->pos); break;
    case PX_O_VEC:
    case PX_O_ADDR:
    case PX_O_LIST:
    case PX_O_PAIR:
    case PX_O_INDEX:
        for (unsigned i = 0; i < operand->n; i++) use_operand(syntax, &operand->u.list[i]);
        break;
    default: break;
    }
}

void px_names_inst(struct ptx_syntax *syntax, const struct px_inst *inst)
{
    if (inst->guard) use_operand(syntax, inst->guard);
    for (unsigned i = 0; i < inst->nopds; i++) use_operand(syntax, &inst->opds[i]);
}

void px_names_targets(struct ptx_syntax *syntax, const struct px_stmt *stmt)
{
    for (uint32_t i = 0; i < stmt->u.targets.n; i++) use_operand(syntax, &stmt->u.targets.list[i]);
}

void px_names_alias(struct ptx_syntax *syntax, const struct px_alias *alias)
{
    use(syntax, px_scope_module(alias->alias), alias->alias, alias->pos);
    use(syntax, px_scope_module(alias->target), alias->target, alias->target_pos);
}

static int by_token(const void *a, const void *b)
{
    const ptx_use *x = a, *y = b;
    return x->token < y->token ? -1 : x->token > y->token;
}

void px_names_sort(struct ptx_syntax *syntax)
{
    if (syntax->uses.n) qsort(syntax->uses.at, syntax->uses.n, sizeof *syntax->uses.at, by_token);
}
