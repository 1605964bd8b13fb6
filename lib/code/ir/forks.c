/*
 * forks.c - short branches whose ways meet at once: lanes that disagree run both, one after the other, under
 * masks (vm/run/forks.c), and no entry is made.
 *
 * A fork is a block that ends in a branch, one block that only it leads to, or two, and behind them in the
 * order of the code the block where all lanes are together again.
 */
#include "code/ir/forks.h"
#include <stdlib.h>

enum { WAY_MOST = 64 }; /* instructions */

const struct px_ir_inst *px_ir_last_of(const struct px_irfn *f, uint32_t node)
{
    if (node >= f->graph.nblocks) return NULL;
    const struct px_flow_block b = f->graph.blocks[node];
    return b.n ? &f->insts.at[b.first + b.n - 1] : NULL;
}

bool px_ir_is_straight(const struct px_ir_inst *in)
{
    switch (px_ir_kind_of(in->op)) {
    case PX_IR_STATEMENT:
    case PX_IR_FIXED: return true;
    case PX_IR_OWN:
        return in->op == PX_IR_NOTHING || in->op == PX_IR_COPY || in->op == PX_IR_CANON ||
               in->op == PX_IR_SREG || in->op == PX_IR_UNIT;
    default: return px_ir_flags(in->op) & PX_OPERATION_straight;
    }
}

bool px_ir_computes(const struct px_ir_inst *in)
{
    return px_ir_is_straight(in) && px_ir_kind_of(in->op) != PX_IR_TABLE && in->op != PX_IR_SREG &&
           in->guard == PX_NONE32;
}

/* The block behind `node` in its way through a fork; PX_NONE32 when it is no such way. */
static uint32_t way_out(const struct px_irfn *f, uint32_t node, uint32_t from)
{
    const struct px_flow_block b = f->graph.blocks[node];
    const struct px_flow_lists *pred = &f->graph.pred;
    if (pred->first[node + 1] - pred->first[node] != 1 || pred->to[pred->first[node]] != from)
        return PX_NONE32;
    if (!b.n || b.n > WAY_MOST) return PX_NONE32;
    for (uint32_t i = b.first; i + 1 < b.first + b.n; i++)
        if (!px_ir_is_straight(&f->insts.at[i])) return PX_NONE32;
    const struct px_ir_inst *last = px_ir_last_of(f, node);
    if (last->op == PX_IR_JUMP) return last->guard == PX_NONE32 ? px_ir_node_at(f, last->target) : PX_NONE32;
    return px_ir_is_straight(last) && node + 1 < f->graph.nblocks ? node + 1 : PX_NONE32;
}

/* Where the ways behind `node` meet; PX_NONE32: they are no fork. */
static uint32_t meeting_of(const struct px_irfn *f, uint32_t node)
{
    const struct px_ir_inst *last = px_ir_last_of(f, node);
    if (!last || last->op != PX_IR_BRANCH || last->guard != PX_NONE32) return PX_NONE32;
    const uint32_t taken = px_ir_node_at(f, last->target), other = node + 1;
    if (taken == other || other >= f->graph.nblocks || taken >= f->graph.nblocks) return PX_NONE32;
    const uint32_t after = way_out(f, other, node), behind = way_out(f, taken, node);
    if (after == taken) return taken;
    if (behind == other) return other;
    return after == behind ? after : PX_NONE32;
}

void px_ir_forks(struct px_irfn *f)
{
    const uint32_t *place = f->loops.place;
    for (uint32_t p = 0; p < f->loops.n; p++) {
        const uint32_t node = f->loops.order[p], join = meeting_of(f, node);
        if (join >= f->graph.nblocks) continue;
        const uint32_t other = node + 1, taken = px_ir_node_at(f, px_ir_last_of(f, node)->target);
        if (place[join] < place[other] || place[join] < place[taken]) continue;
        px_vec_push(f->coder->pass, &f->forks, ((struct px_ir_fork){.node = node, .join = join}));
    }
    px_vec_move(f->coder->scratch, f->coder->pass, &f->forks);
}

/* ---- who asks ---- */

/* The fork whose branch ends the block, NULL: none. */
static const struct px_ir_fork *fork_of(const struct px_irfn *f, uint32_t node)
{
    const uint32_t *place = f->loops.place;
    uint32_t low = 0, high = f->forks.n;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (place[f->forks.at[middle].node] < place[node])
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->forks.n && f->forks.at[low].node == node ? &f->forks.at[low] : NULL;
}

const struct px_ir_fork *px_ir_way_inside(const struct px_irfn *f, uint32_t node)
{
    const struct px_flow_lists *pred = &f->graph.pred;
    if (pred->first[node + 1] - pred->first[node] != 1) return NULL;
    const struct px_ir_fork *fork = fork_of(f, pred->to[pred->first[node]]);
    return fork && fork->inside && fork->join != node ? fork : NULL;
}

bool *px_ir_bases(const struct px_irfn *f, struct px_arena *arena)
{
    bool *is_base = PX_NEW_N(arena, bool, f->regs.n + 1);
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (f->regs.at[r].keep == PX_IR_OFFSET) is_base[f->regs.at[r].base] = true;
    return is_base;
}

uint32_t *px_ir_placed(const struct px_irfn *f, struct px_arena *arena)
{
    uint32_t *placed = PX_NEW_N(arena, uint32_t, f->loops.n + 1), n = 0;
    for (uint32_t p = 0; p < f->loops.n; p++) {
        placed[p] = n;
        if (f->loops.order[p] < f->graph.nblocks) n += f->graph.blocks[f->loops.order[p]].n;
    }
    placed[f->loops.n] = n;
    return placed;
}

bool px_ir_is_local(const struct px_irfn *f, const bool *is_base, const struct px_ir_inst *in, uint32_t first,
                    uint32_t end)
{
    const struct px_ir_opd *d = px_ir_opds(f, in);
    if (in->ndst != 1 || d->kind != PX_IR_REG || is_base[d->at]) return false;
    const struct px_ir_reg *r = &f->regs.at[d->at];
    return !r->temp && r->first >= first * PX_IR_STEP && r->last < end * PX_IR_STEP;
}
