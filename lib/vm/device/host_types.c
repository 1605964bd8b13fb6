/*
 * host_types.c - which bytes of a host function's arguments are floats.
 *
 * Compilers declare float parameters as .b32 and structures as .b8 arrays, so
 * the declaration alone does not tell how the native ABI passes them. The
 * callers do: they fill the argument with st.param.f32 and read the result with
 * ld.param.f32. Every body is searched for calls of the function, then for
 * loads and stores of the variables that it is called with.
 */
#include "vm/device/device.h"
#include "vm/device/host_types.h"
#include "match/match.h"

struct search {
    struct px_arena *arena;
    const struct px_linked *linked;
    const struct px_lfunc *callee;
    uint8_t **marks;
    const struct px_symbol **symbols; /* of one body: variable and formal, in turn */
    uint32_t *formals;
    uint32_t n, cap;
};

static uint32_t formal_count(const struct px_lfunc *f)
{
    return (uint32_t)f->fn->func->nparams + f->fn->func->nrets;
}

static const struct px_symbol *formal(const struct px_lfunc *f, uint32_t i)
{
    const uint32_t nparams = f->fn->func->nparams;
    return i < nparams ? f->fn->params[i] : f->fn->rets[i - nparams];
}

static void remember(struct search *s, const struct px_operand *list, uint32_t first, uint32_t limit)
{
    for (uint32_t i = 0; i < list->n && first + i < limit; i++) {
        if (s->n == s->cap || !list->u.list[i].symbol) continue;
        s->symbols[s->n] = list->u.list[i].symbol;
        s->formals[s->n++] = first + i;
    }
}

/* call (results), callee, (arguments); either list may be missing. */
static void look_at_call(struct search *s, const struct px_inst *inst)
{
    const uint32_t nparams = s->callee->fn->func->nparams;
    uint32_t at = 0;
    while (at < inst->nopds && (inst->opds[at].kind != PX_O_NAME || !inst->opds[at].symbol)) at++;
    if (at == inst->nopds || inst->opds[at].symbol->kind != PX_SYM_FUNC) return;
    if (px_link_func(s->linked, inst->opds[at].symbol) != s->callee) return;
    if (at > 0 && inst->opds[at - 1].kind == PX_O_LIST)
        remember(s, &inst->opds[at - 1], nparams, formal_count(s->callee));
    if (at + 1 < inst->nopds && inst->opds[at + 1].kind == PX_O_LIST)
        remember(s, &inst->opds[at + 1], 0, nparams);
}

static void mark(struct search *s, uint32_t which, int64_t offset, uint32_t size)
{
    if (offset >= 0 && (uint64_t)offset + size <= formal(s->callee, which)->size)
        s->marks[which][offset] = (uint8_t)size;
}

/* ld and st: the operand in brackets, and how many elements the other one has. */
static void look_at_access(struct search *s, const struct px_inst *inst)
{
    struct px_match match;
    if (inst->nopds < 2 || !px_match_inst(inst, &match)) return;
    const int address = inst->opds[0].kind == PX_O_ADDR ? 0 : 1;
    const enum px_type type = match.type[1 - address];
    if (type != PX_T_F32 && type != PX_T_F64) return;
    const struct px_operand *a = &inst->opds[address], *v = &inst->opds[1 - address];
    if (a->kind != PX_O_ADDR || !a->n || !a->u.list[0].symbol) return;
    const uint32_t size = type == PX_T_F32 ? 4 : 8, n = v->kind == PX_O_VEC ? v->n : 1;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; s->symbols[i] == a->u.list[0].symbol && k < n; k++)
            mark(s, s->formals[i], a->u.list[0].offset + (int64_t)k * size, size);
}

static void walk(struct search *s, const struct px_block *block, bool calls)
{
    for (uint32_t i = 0; i < block->n; i++) {
        const struct px_stmt *st = block->list[i];
        if (st->kind == PX_S_BLOCK) walk(s, &st->u.block, calls);
        if (st->kind != PX_S_INST) continue;
        const px_word opcode = st->u.inst.opcode->word;
        if (calls && opcode == PX_W_call) look_at_call(s, &st->u.inst);
        if (!calls && px_opcode_in(opcode, PX_SET_param_access)) look_at_access(s, &st->u.inst);
    }
}

uint8_t **px_host_marks(struct px_arena *arena, const struct px_linked *linked, const struct px_lfunc *callee)
{
    enum { CAP = 4096 };
    const uint32_t n = formal_count(callee);
    struct search s = {.arena = arena, .linked = linked, .callee = callee, .cap = CAP};
    s.marks = PX_NEW_N(arena, uint8_t *, n + 1);
    for (uint32_t i = 0; i < n; i++) s.marks[i] = PX_NEW_N(arena, uint8_t, formal(callee, i)->size + 1);
    s.symbols = PX_NEW_N(arena, const struct px_symbol *, CAP);
    s.formals = PX_NEW_N(arena, uint32_t, CAP);
    for (uint32_t i = 0; i < linked->nfuncs; i++) {
        if (linked->funcs[i].kind != PX_FUNCTION_CODE) continue;
        s.n = 0;
        walk(&s, linked->funcs[i].fn->func->body, true);
        if (s.n) walk(&s, linked->funcs[i].fn->func->body, false);
    }
    return s.marks;
}
