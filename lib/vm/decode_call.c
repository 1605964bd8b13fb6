/*
 * decode_call.c - call sites, parameters of functions, .local variables.
 */
#include "vm/decode.h"

static int call(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_CALL;
}

/* ---- variables ---- */

static void add_variable(struct px_fn_dec *d, const struct px_symbol *symbol, bool formal)
{
    struct px_pvar v = {.symbol = symbol,
                        .bytes = (uint32_t)symbol->size,
                        .row = PX_NONE32,
                        .first = PX_NONE32,
                        .formal = formal};
    px_vec_push(d->dec->arena, &d->pvars, v);
}

static void place_local(struct px_fn_dec *d, struct px_pvar *v)
{
    uint32_t align = v->symbol->align > 4 ? v->symbol->align : 4;
    d->local_bytes = (d->local_bytes + align - 1) & ~(uint64_t)(align - 1);
    v->local = true;
    v->row = (uint32_t)d->local_bytes;
    d->local_bytes += (v->symbol->size + 3) & ~3ull;
}

/* A parameter whose address is taken must lie in memory. */
static void find_taken(struct px_fn_dec *d)
{
    for (uint32_t i = 0; i < d->items.n; i++) {
        const struct px_dinst *item = &d->items.at[i];
        if (item->op == PX_OP_call) continue;
        for (uint32_t k = 0; k < item->inst->nopds; k++) {
            const struct px_operand *o = &item->inst->opds[k];
            if (o->kind != PX_O_NAME || !o->symbol || o->symbol->space != PX_SPACE_PARAM) continue;
            struct px_pvar *v = px_dec_pvar(d, o->symbol);
            if (v && !v->local) place_local(d, v);
        }
    }
}

void px_dec_variables(struct px_fn_dec *d)
{
    const struct px_function *fn = d->fn;
    for (uint32_t i = 0; i < fn->func->nparams && !d->func->is_entry; i++)
        if (fn->params[i]->space == PX_SPACE_PARAM) add_variable(d, fn->params[i], true);
    for (uint32_t i = 0; i < fn->func->nrets; i++)
        if (fn->rets[i]->space == PX_SPACE_PARAM) add_variable(d, fn->rets[i], true);
    for (uint32_t i = 0; i < fn->vars.n; i++) {
        const struct px_symbol *s = fn->vars.at[i];
        if ((s->space != PX_SPACE_PARAM && s->space != PX_SPACE_LOCAL) || s->is_entry_param) continue;
        if (px_dec_pvar(d, s)) continue;
        add_variable(d, s, false);
        if (s->space == PX_SPACE_LOCAL) place_local(d, &d->pvars.at[d->pvars.n - 1]);
    }
    find_taken(d);
}

static struct px_slot slot_of(struct px_fn_dec *d, const struct px_symbol *s)
{
    struct px_slot slot = {.bytes = (uint32_t)s->size, .offset = (uint32_t)s->offset};
    if (s->space == PX_SPACE_REG || s->kind == PX_SYM_REG) {
        const struct px_vreg *v = &d->vregs[d->reg_base[s->index]];
        slot.reg = v->elem;
        slot.bytes = v->elem;
        slot.row = v->row;
        return slot;
    }
    const struct px_pvar *v = px_dec_pvar(d, s);
    slot.row = v ? v->row : PX_NONE32;
    slot.local = v && v->local;
    return slot;
}

void px_dec_formals(struct px_fn_dec *d)
{
    const struct px_function *fn = d->fn;
    struct px_fcode *code = d->code;
    if (d->func->is_entry) return;
    code->nargs = fn->func->nparams;
    code->nrets = fn->func->nrets;
    code->args = PX_NEW_N(d->dec->arena, struct px_slot, code->nargs + 1);
    code->rets = PX_NEW_N(d->dec->arena, struct px_slot, code->nrets + 1);
    for (uint32_t i = 0; i < code->nargs; i++) code->args[i] = slot_of(d, fn->params[i]);
    for (uint32_t i = 0; i < code->nrets; i++) code->rets[i] = slot_of(d, fn->rets[i]);
}

/* ---- call sites ---- */

static struct px_actual actual(struct px_fn_dec *d, const struct px_operand *o, bool result)
{
    uint64_t value;
    if (o->kind == PX_O_SINK) return (struct px_actual){.kind = PX_ACT_NONE};
    if (o->kind == PX_O_NAME && o->symbol && o->symbol->kind == PX_SYM_REG) {
        const struct px_vreg *v = &d->vregs[px_dec_vreg(d, o, 0)];
        if (v->scalar != PX_NONE32) return (struct px_actual){v->scalar, v->elem, PX_ACT_SCALAR, v->elem};
        return (struct px_actual){v->row, v->elem, v->row == PX_NONE32 ? PX_ACT_NONE : PX_ACT_ROW, v->elem};
    }
    const struct px_pvar *v = o->kind == PX_O_NAME && o->symbol ? px_dec_pvar(d, o->symbol) : NULL;
    if (v && v->local) px_dec_fail(d, d->item->inst, "passes a .param variable whose address is taken");
    if (v) return (struct px_actual){v->row, v->bytes, v->row == PX_NONE32 ? PX_ACT_NONE : PX_ACT_WORDS, 4};
    if (!result && px_dec_value(d, o, PX_T_B64, &value))
        return (struct px_actual){px_dec_constant(d, value, NULL), 8, PX_ACT_SCALAR, 8};
    px_dec_fail(d, d->item->inst, "has a parameter that cannot be passed");
}

static struct px_actual *actuals(struct px_fn_dec *d, const struct px_operand *list, uint32_t *n, bool result)
{
    struct px_actual *a = PX_NEW_N(d->dec->arena, struct px_actual, (list ? list->n : 0) + 1);
    *n = list ? list->n : 0;
    for (uint32_t i = 0; i < *n; i++) a[i] = actual(d, &list->u.list[i], result);
    return a;
}

/* Operands of call: [(results),] callee [, (arguments)] [, prototype]. */
struct parts {
    const struct px_operand *rets, *callee, *args;
};

static struct parts parts_of(const struct px_inst *inst)
{
    struct parts p = {0};
    uint32_t i = 0;
    if (inst->opds[0].kind == PX_O_LIST) p.rets = &inst->opds[i++];
    p.callee = &inst->opds[i++];
    if (i < inst->nopds && inst->opds[i].kind == PX_O_LIST) p.args = &inst->opds[i];
    return p;
}

static const struct px_symbol *direct_callee(const struct px_operand *o)
{
    const struct px_symbol *s = o->kind == PX_O_NAME ? o->symbol : NULL;
    if (s && s->kind == PX_SYM_FUNC && s->alias_of) s = s->alias_of;
    return s && s->kind == PX_SYM_FUNC ? s : NULL;
}

void px_dec_call(struct px_fn_dec *d, const struct px_dinst *item)
{
    struct parts p = parts_of(item->inst);
    struct px_call_site *site = PX_NEW(d->dec->arena, struct px_call_site);
    const struct px_symbol *callee = direct_callee(p.callee);
    uint32_t around = px_dec_guard_begin(d, item);
    struct px_insn in = {.aux = site};
    if (callee) {
        site->callee = px_link_func(d->dec->linked, d->module, callee);
        if (!site->callee) px_dec_fail(d, item->inst, "calls '%s', which is not linked", callee->name->text);
        if (site->callee->kind == PX_LF_CODE) px_dec_function(d->dec, site->callee);
    } else {
        struct px_src s = px_dec_src(d, p.callee, PX_T_U64);
        in.a = s.at;
        if (s.scalar) in.flags |= PX_IF_SCALAR_A;
    }
    site->args = actuals(d, p.args, &site->nargs, false);
    site->rets = actuals(d, p.rets, &site->nrets, true);
    px_vec_push(d->dec->arena, &d->sites, site);
    px_dec_other(d, call, in);
    px_dec_guard_end(d, around);
}
