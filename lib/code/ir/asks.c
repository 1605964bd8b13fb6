/* asks.c - loops that only ask again. */
#include "code/ir/asks.h"

enum { LOOP_MAX = 64 /* instructions; longer ones do something else */ };

/* The head of the innermost loop that the node is in; PX_FLOW_NONE. */
static uint32_t loop_of(const struct px_irfn *f, uint32_t node)
{
    if (f->loops.size[node] > 1) return node;
    const struct px_flow_lists *pred = &f->graph.pred;
    for (uint32_t i = pred->first[node]; i < pred->first[node + 1]; i++)
        if (pred->to[i] == node) return node;
    return f->loops.head[node];
}

/* What may stand in such a loop besides what asks: moves and arithmetic, branches, a fence, a pause. */
static bool harmless(const struct px_ir_inst *in)
{
    switch (px_ir_kind_of(in->op)) {
    case PX_IR_STATEMENT:
    case PX_IR_FIXED: return true;
    case PX_IR_TABLE: return px_ir_flags(in->op) & PX_OPERATION_pauses;
    default:
        return in->op == PX_IR_NOTHING || in->op == PX_IR_COPY || in->op == PX_IR_CANON ||
               in->op == PX_IR_JUMP || in->op == PX_IR_BRANCH || in->op == PX_IR_ACQUIRE;
    }
}

struct loop {
    const struct px_ir_inst *in[LOOP_MAX];
    uint32_t node[LOOP_MAX]; /* its block; the first is the head's */
    uint32_t n;
    const struct px_ir_inst *asks;
};

/* Before any of them is looked at: most loops are longer. */
static bool is_short(const struct px_irfn *f, uint32_t head)
{
    const uint32_t first = f->loops.place[head], end = first + f->loops.size[head];
    uint32_t n = 0;
    for (uint32_t p = first; p < end && n <= LOOP_MAX; p++) n += f->graph.blocks[f->loops.order[p]].n;
    return n <= LOOP_MAX;
}

/* op: of what asks; PX_OP_NONE: any load. */
static bool collect(const struct px_irfn *f, uint32_t head, px_op op, struct loop *l)
{
    const uint32_t first = f->loops.place[head];
    l->n = 0;
    l->asks = NULL;
    if (!is_short(f, head)) return false;
    for (uint32_t p = first; p < first + f->loops.size[head]; p++) {
        const struct px_flow_block b = f->graph.blocks[f->loops.order[p]];
        for (uint32_t i = b.first; i < b.first + b.n; i++) {
            const struct px_ir_inst *in = &f->insts.at[i];
            const bool asks = op ? px_ir_is(in, op) : px_ir_loads(in);
            if ((asks && l->asks) || (!asks && !harmless(in))) return false;
            if (asks) l->asks = in;
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

uint32_t px_loop_head(const struct px_irfn *f, uint32_t node)
{
    return loop_of(f, node);
}

const struct px_ir_inst *px_loop_asks(const struct px_irfn *f, uint32_t node, px_op op)
{
    struct loop l;
    const uint32_t head = loop_of(f, node);
    return head != PX_FLOW_NONE && collect(f, head, op, &l) && only_asks(f, &l) ? l.asks : NULL;
}

const struct px_ir_inst *px_loop_loads(const struct px_irfn *f, uint32_t node)
{
    struct loop l;
    const uint32_t head = loop_of(f, node);
    if (head == PX_FLOW_NONE || !collect(f, head, PX_OP_NONE, &l) || !l.asks || !only_asks(f, &l))
        return NULL;
    const struct px_ir_opd *address = &px_ir_opds(f, l.asks)[l.asks->ndst];
    for (uint32_t i = 0; address->base == PX_IR_REG && i < l.n; i++)
        if (writes(f, l.in[i], address->at)) return NULL;
    return l.asks;
}
