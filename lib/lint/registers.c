/*
 * registers.c - registers that are declared, or computed, for nothing.
 *
 * Never named: told of each declaration, a range counting as one. Never read: told
 * only where every write is plain arithmetic with one result, since a result that
 * comes beside others, or from memory, a call or another thread, has to go somewhere.
 */
#include "match/match.h"
#include "lint/flow.h"
#include "front/print.h"
#include <stdlib.h>

struct uses {
    bool named, read, kept; /* kept: a write that is not plain arithmetic */
};

static bool has_word(const struct px_inst *inst, px_word word)
{
    for (unsigned i = 0; i < inst->nmods; i++)
        if (inst->mods[i].name->word == word) return true;
    return false;
}

/* One result, and no effect but that. */
static bool is_plain(const struct px_lint_flow *flow, uint32_t i)
{
    const struct px_lint_item *item = &flow->items[i];
    struct px_match match;
    uint32_t results = 0;
    if (!px_match_inst(item->inst, &match) || has_word(item->inst, PX_W_cc)) return false;
    for (uint32_t r = item->first; r < item[1].first; r++) results += flow->refs[r].is_def;
    if (results != 1) return false;
    return px_lint_flags(item) & PX_OPERATION_plain || px_match_handler(&match) >= 0;
}

static struct uses *count_uses(const struct px_lint_flow *flow)
{
    struct uses *uses = PX_NEW_N(flow->arena, struct uses, flow->nregs + 1);
    for (uint32_t i = 0; i < flow->nrefs; i++) {
        const struct px_lint_ref *ref = &flow->refs[i];
        struct uses *u = &uses[ref->reg];
        u->named = true;
        u->read |= !ref->is_def;
        if (ref->is_def && !u->read && !u->kept) u->kept = !is_plain(flow, ref->item);
    }
    return uses;
}

/* ---- declarations ---- */

struct declared {
    const struct px_var *var;
    bool named;
};
struct declarations {
    PX_VEC(struct declared) list;
};

static void collect(const struct px_lint_flow *flow, const struct px_block *block, struct declarations *d)
{
    for (uint32_t i = 0; i < block->n; i++) {
        const struct px_stmt *stmt = block->list[i];
        struct declared declared = {stmt->u.var, false};
        if (stmt->kind == PX_S_BLOCK) collect(flow, &stmt->u.block, d);
        if (stmt->kind == PX_S_VAR && stmt->u.var->space == PX_SPACE_REG)
            px_vec_push(flow->arena, &d->list, declared);
    }
}

static int by_place(const void *var, const void *at)
{
    const uint32_t pos = ((const struct px_var *)var)->pos, its = ((const struct declared *)at)->var->pos;
    return (pos > its) - (pos < its);
}

/* Declarations are in text order. NULL for a parameter. */
static struct declared *find(const struct declarations *d, const struct px_var *var)
{
    return d->list.n ? bsearch(var, d->list.at, d->list.n, sizeof *d->list.at, by_place) : NULL;
}

static void complain_unused(const struct px_lint_flow *flow, const struct px_var *var)
{
    const char *name = var->name->text;
    if (var->range) name = px_arena_printf(flow->arena, "%s<%llu>", name, (unsigned long long)var->range);
    px_lint_say(flow, LINT_UNUSED, var->pos, var->name->len, name);
}

/* ---- all ---- */

static bool is_formal(const struct px_lint_flow *flow, const struct px_symbol *symbol)
{
    const struct px_func *func = flow->function->func;
    for (unsigned i = 0; i < func->nrets; i++)
        if (flow->function->rets[i] == symbol) return true;
    for (unsigned i = 0; i < func->nparams; i++)
        if (flow->function->params[i] == symbol) return true;
    return false;
}

/* The first write of a register that is never read. */
static void complain_unread(const struct px_lint_flow *flow, uint32_t reg)
{
    const struct px_lint_ref *ref = &flow->refs[flow->defs.to[flow->defs.first[reg]]];
    const struct px_operand *operand = ref->operand;
    px_lint_say(flow, LINT_UNREAD, operand->pos, operand->length, operand->u.name->text);
}

void px_lint_registers(struct px_lint_flow *flow)
{
    struct declarations declarations = {0};
    struct uses *uses = count_uses(flow);
    collect(flow, flow->function->func->body, &declarations);
    for (uint32_t i = 0; i < flow->function->regs.n; i++) {
        const struct px_symbol *symbol = flow->function->regs.at[i].symbol;
        bool named = false, read = false, kept = is_formal(flow, symbol);
        for (uint32_t r = flow->reg_base[i]; r < flow->reg_base[i + 1]; r++) {
            named |= uses[r].named;
            read |= uses[r].read;
            kept |= uses[r].kept;
        }
        struct declared *declared = find(&declarations, symbol->u.var);
        if (declared) declared->named |= named;
        if (named && !read && !kept) complain_unread(flow, flow->reg_base[i]);
    }
    for (uint32_t i = 0; i < declarations.list.n; i++)
        if (!declarations.list.at[i].named) complain_unused(flow, declarations.list.at[i].var);
}
