/*
 * emit_async.c - records of cp.async and mbarrier.
 *
 * A wait in a loop that only asks again may sleep as long as it likes: nobody
 * can tell. Which loops these are is decided here (docs/async.md).
 */
#include "code/emit.h"
#include "ops/async.h"
#include "ops/mbarrier.h"

void px_emit_async_copy(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    px_emit_guard(e, true);
    struct px_insn r = px_emit_access(e, &o[0], o[0].elem);
    r.slot = (uint8_t)(e->slots++ % 7); /* of what it reads: global memory */
    r.b = px_emit_row(e, &o[1]);
    r.c = px_emit_row(e, &o[2]);
    r.m = e->guard;
    r.x[1] = in->aux;
    px_emit_both(e, px_async_copy, r);
}

void px_emit_cp_async_commit(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    (void)in, (void)o;
    px_emit_guard(e, true);
    px_emit_both(e, px_async_commit, (struct px_insn){.m = e->guard});
}

void px_emit_cp_async_wait(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    (void)o;
    px_emit_guard(e, true);
    px_emit_both(e, px_async_wait, (struct px_insn){.m = e->guard, .imm = in->aux, .x = {0, in->fact}});
}

void px_emit_cp_async_arrive(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    px_emit_guard(e, true);
    struct px_insn r = px_emit_access(e, &o[0], 8);
    r.m = e->guard;
    r.x[1] = in->fact;
    px_emit_both(e, px_async_arrive, r);
}

void px_emit_mbarrier(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    px_emit_guard(e, true);
    struct px_insn r = px_emit_access(e, &o[1], 8);
    r.d = px_emit_place(e, &o[0]);
    if (in->nopds > 2) r.b = px_emit_row(e, &o[2]);
    r.m = e->guard;
    r.x[1] = in->fact;
    px_emit_both(e, px_mbarrier, r);
}

/* ---- loops that only ask again ---- */

enum { LOOP_MAX = 64 /* instructions; longer ones do something else */ };

/* The head of the innermost loop that the node is in; PX_FLOW_NONE. */
static uint32_t loop_of(const struct px_irfn *f, uint32_t node)
{
    if (f->loops.size[node] > 1) return node;
    const struct px_flow_lists *succ = &f->graph.succ;
    for (uint32_t i = succ->first[node]; i < succ->first[node + 1]; i++)
        if (succ->to[i] == node) return node;
    return f->loops.head[node];
}

/* What may stand in such a loop besides the wait: moves and arithmetic, branches, a fence, a pause. */
static bool harmless(const struct px_ir_inst *in)
{
    switch (px_ir_kind_of(in->op)) {
    case PX_IR_STATEMENT:
    case PX_IR_FIXED: return true;
    case PX_IR_TABLE: return px_ir_is(in, PX_OP_nanosleep) || px_ir_is(in, PX_OP_fence);
    default:
        return in->op == PX_IR_NOTHING || in->op == PX_IR_COPY || in->op == PX_IR_CANON ||
               in->op == PX_IR_JUMP || in->op == PX_IR_BRANCH;
    }
}

struct loop {
    const struct px_ir_inst *in[LOOP_MAX];
    uint32_t node[LOOP_MAX]; /* its block; the first is the head's */
    uint32_t n;
};

static bool collect(const struct px_irfn *f, uint32_t head, struct loop *l)
{
    uint32_t waits = 0;
    const uint32_t first = f->loops.place[head];
    for (uint32_t p = first; p < first + f->loops.size[head]; p++) {
        const struct px_flow_block b = f->graph.blocks[f->loops.order[p]];
        for (uint32_t i = b.first; i < b.first + b.n; i++) {
            const struct px_ir_inst *in = &f->insts.at[i];
            waits += px_ir_is(in, PX_OP_mbarrier_wait);
            if (l->n == LOOP_MAX || waits > 1 || (!px_ir_is(in, PX_OP_mbarrier_wait) && !harmless(in)))
                return false;
            l->node[l->n] = f->loops.order[p];
            l->in[l->n++] = in;
        }
    }
    return true;
}

static bool writes(const struct px_irfn *f, const struct px_ir_inst *in, uint32_t reg)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    for (uint32_t k = 0; k < in->ndst; k++)
        if (px_ir_register(&o[k]) == reg) return true;
    return false;
}

/*
 * May the register, which instruction i of the loop reads, hold what a turn before wrote? Not when this turn
 * has written it: in the same block or in the head's, without a guard.
 */
static bool carried(const struct px_irfn *f, const struct loop *l, uint32_t i, uint32_t reg)
{
    bool written = false;
    for (uint32_t k = 0; reg != PX_NONE32 && k < l->n; k++) {
        if (!writes(f, l->in[k], reg)) continue;
        const bool always = l->node[k] == l->node[i] || l->node[k] == l->node[0];
        if (k < i && always && l->in[k]->guard == PX_NONE32) return false;
        written = true;
    }
    return written;
}

static bool only_asks(const struct px_irfn *f, const struct loop *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        const struct px_ir_opd *o = px_ir_opds(f, l->in[i]);
        if (carried(f, l, i, l->in[i]->guard)) return false;
        for (uint32_t k = l->in[i]->ndst; k < l->in[i]->nopds; k++)
            if (carried(f, l, i, px_ir_register(&o[k]))) return false;
    }
    return true;
}

static bool is_alone(const struct px_irfn *f, const struct px_ir_inst *in)
{
    struct loop l = {.n = 0};
    const uint32_t node = f->graph.node_of[in - f->insts.at];
    const uint32_t head = loop_of(f, node);
    return head != PX_FLOW_NONE && collect(f, head, &l) && only_asks(f, &l);
}

void px_emit_mbarrier_wait(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    struct px_insn r = px_emit_access(e, &o[1], 8);
    r.d = px_emit_place(e, &o[0]);
    r.b = px_emit_place(e, &o[2]);
    r.x[1] = in->fact | (px_emit_is_scalar(&o[2]) ? PX_WAIT_SCALAR : 0);
    if (is_alone(e->f, in)) r.flags |= PX_IF_ALONE;
    px_emit_both(e, px_mbarrier_wait, r);
}
