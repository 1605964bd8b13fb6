/*
 * forks.c - short branches whose ways meet at once, and innermost loops without anything that depends on
 * where a lane stands: what vm/forks.c runs without dividing entries.
 *
 * Both are found in the layout. A fork is a block that ends in a branch, followed by one block that only it
 * leads to, or two, and then by the block where all lanes are together again. A loop is an innermost one of
 * blocks that compute, load and store, and nothing else.
 */
#include "code/forks.h"
#include <stdlib.h>

enum { ARM_MOST = 64, ROWS_MOST = 48 };

static const struct px_ir_inst *last_of(const struct px_irfn *f, uint32_t node)
{
    const struct px_flow_block b = f->graph.blocks[node];
    return b.n ? &f->insts.at[b.first + b.n - 1] : NULL;
}

static bool is_branch(const struct px_ir_inst *in)
{
    return in->op == PX_IR_BRANCH || in->op == PX_IR_JUMP;
}

static uint32_t node_at(const struct px_irfn *f, uint32_t label)
{
    return f->graph.node_of[f->labels.at[label]];
}

/* Do its records do no more than go on to the next one, or trap? */
static bool is_straight(const struct px_ir_inst *in)
{
    switch (px_ir_kind_of(in->op)) {
    case PX_IR_STATEMENT:
    case PX_IR_FIXED: return true;
    case PX_IR_OWN:
        return in->op == PX_IR_NOTHING || in->op == PX_IR_COPY || in->op == PX_IR_CANON ||
               in->op == PX_IR_SREG || in->op == PX_IR_UNIT;
    default:
        return px_ir_is(in, PX_OP_ld) || px_ir_is(in, PX_OP_st) || px_ir_is(in, PX_OP_atom) ||
               px_ir_is(in, PX_OP_red);
    }
}

/* The same, and it does not matter which lanes run it, nor whether it is tried again after it could not be
 * done. */
static bool is_placeless(const struct px_irfn *f, const struct px_ir_inst *in)
{
    if (!is_straight(in) || in->op == PX_IR_SREG || px_ir_is(in, PX_OP_atom) || px_ir_is(in, PX_OP_red))
        return false;
    const bool load = px_ir_is(in, PX_OP_ld), store = px_ir_is(in, PX_OP_st);
    if (!load && !store) return true;
    return in->nopds == 2 && px_ir_opds(f, in)[load].type != PX_SPACE_LOCAL;
}

/* ---- forks ---- */

/* The block behind `node` in its way through a fork; PX_NONE32 when it is no such way. */
static uint32_t way_out(const struct px_irfn *f, uint32_t node, uint32_t from)
{
    const struct px_flow_block b = f->graph.blocks[node];
    const struct px_flow_lists *pred = &f->graph.pred;
    if (pred->first[node + 1] - pred->first[node] != 1 || pred->to[pred->first[node]] != from)
        return PX_NONE32;
    if (!b.n || b.n > ARM_MOST) return PX_NONE32;
    for (uint32_t i = b.first; i + 1 < b.first + b.n; i++)
        if (!is_straight(&f->insts.at[i])) return PX_NONE32;
    const struct px_ir_inst *last = last_of(f, node);
    if (last->op == PX_IR_JUMP) return last->guard == PX_NONE32 ? node_at(f, last->target) : PX_NONE32;
    return is_straight(last) && node + 1 < f->graph.nblocks ? node + 1 : PX_NONE32;
}

/* The records of a block without the jump, or the look for others, at their end. */
static struct px_way way_of(const struct px_emitter *e, uint32_t node, const uint32_t *end_of)
{
    const struct px_insn *code = e->f->code->div;
    uint32_t first = e->pc_of[node], end = end_of[node];
    const uint32_t before = first ? code[first - 1].ord : 0, insts = code[end - 1].ord - before;
    while (end > first && px_emit_goes(&code[end - 1])) end--;
    return (struct px_way){first, end, insts};
}

static bool find_fork(const struct px_emitter *e, uint32_t p, const uint32_t *end_of, struct px_fork *fork)
{
    const struct px_irfn *f = e->f;
    const uint32_t node = f->loops.order[p], *place = f->loops.place;
    if (node >= f->graph.nblocks) return false;
    const struct px_ir_inst *last = last_of(f, node);
    if (!last || last->op != PX_IR_BRANCH || last->guard != PX_NONE32) return false;
    const uint32_t taken = node_at(f, last->target), other = node + 1;
    if (taken == other || other >= f->graph.nblocks || taken >= f->graph.nblocks) return false;
    const uint32_t after = way_out(f, other, node), behind = way_out(f, taken, node);
    uint32_t join;
    if (after == taken && after != PX_NONE32)
        join = taken;
    else if (behind == other && behind != PX_NONE32)
        join = other;
    else if (after != PX_NONE32 && after == behind)
        join = after;
    else
        return false;
    if (join >= f->graph.nblocks || place[join] <= p) return false;
    fork->join = e->pc_of[join];
    if (join != other) fork->other = way_of(e, other, end_of);
    if (join != taken) fork->taken = way_of(e, taken, end_of);
    return fork->join >= fork->other.end && fork->join >= fork->taken.end;
}

/* The record of a block's branch: a jump to the next block may stand behind it. */
static uint32_t branch_at(const struct px_emitter *e, uint32_t node, const uint32_t *end_of)
{
    const uint32_t pc = end_of[node] - 1;
    return px_emit_goes(&e->f->code->div[pc]) && pc > e->pc_of[node] ? pc - 1 : pc;
}

/* ---- loops ---- */

static int by_offset(const void *a, const void *b)
{
    const struct px_loop_row *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static bool add_row(struct px_loop *loop, struct px_loop_row *rows, const struct px_ir_reg *reg, bool written)
{
    uint32_t i = 0;
    if (reg->temp || reg->row == PX_NONE32) return true;
    while (i < loop->nrows && rows[i].at != reg->row) i++;
    if (i == ROWS_MOST) return false;
    if (i == loop->nrows) rows[loop->nrows++] = (struct px_loop_row){reg->row, reg->elem, false};
    rows[i].written |= written;
    return true;
}

static bool add_rows(struct px_loop *loop, struct px_loop_row *rows, const struct px_irfn *f,
                     const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    bool ok = in->guard == PX_NONE32 || add_row(loop, rows, &f->regs.at[in->guard], false);
    for (uint32_t k = 0; k < in->nopds && ok; k++) {
        const uint32_t reg = px_ir_register(&o[k]);
        if (reg != PX_NONE32)
            ok = add_row(loop, rows, &f->regs.at[reg], k < in->ndst && o[k].kind == PX_IR_REG);
    }
    return ok;
}

/* Is the loop at place p one that can be run by fewer lanes than the gang has? */
static bool find_loop(const struct px_emitter *e, uint32_t p, const uint32_t *end_of, struct px_loop *loop)
{
    const struct px_irfn *f = e->f;
    const uint32_t n = f->loops.size[f->loops.order[p]];
    struct px_loop_row rows[ROWS_MOST];
    if (n < 2) { /* a block that branches to itself is one, too */
        const struct px_ir_inst *last = last_of(f, f->loops.order[p]);
        if (!last || !is_branch(last) || node_at(f, last->target) != f->loops.order[p]) return false;
    }
    *loop = (struct px_loop){.head = e->pc_of[f->loops.order[p]]};
    for (uint32_t k = p; k < p + n; k++) {
        const uint32_t node = f->loops.order[k];
        if (node >= f->graph.nblocks || (k > p && f->loops.size[node] > 1)) return false;
        const struct px_flow_block b = f->graph.blocks[node];
        for (uint32_t i = b.first; i < b.first + b.n; i++) {
            const struct px_ir_inst *in = &f->insts.at[i];
            if (!is_branch(in) && !is_placeless(f, in)) return false;
            if (!add_rows(loop, rows, f, in)) return false;
        }
        loop->end = end_of[node];
    }
    qsort(rows, loop->nrows, sizeof *rows, by_offset);
    loop->rows = PX_NEW_N(f->coder->keep, struct px_loop_row, loop->nrows + 1);
    for (uint32_t i = 0; i < loop->nrows; i++) loop->rows[i] = rows[i];
    return true;
}

void px_forks_find(struct px_emitter *e, const uint32_t *end_of)
{
    struct px_irfn *f = e->f;
    struct px_fcode *code = f->code;
    PX_VEC(struct px_fork) forks = {0};
    PX_VEC(struct px_loop) loops = {0};
    for (uint32_t p = 0; p < f->loops.n; p++) {
        struct px_fork fork = {0};
        struct px_loop loop;
        const uint32_t node = f->loops.order[p];
        if (node >= f->graph.nblocks || end_of[node] == e->pc_of[node]) continue;
        if (f->coder->engine & PX_ENGINE_forks && find_fork(e, p, end_of, &fork)) {
            fork.at = branch_at(e, node, end_of);
            px_vec_push(f->coder->scratch, &forks, fork);
        }
        if (f->coder->engine & PX_ENGINE_narrow && find_loop(e, p, end_of, &loop))
            px_vec_push(f->coder->scratch, &loops, loop);
    }
    code->nforks = forks.n;
    code->nloops = loops.n;
    code->forks = PX_NEW_N(f->coder->keep, struct px_fork, forks.n + 1);
    code->loops = PX_NEW_N(f->coder->keep, struct px_loop, loops.n + 1);
    for (uint32_t i = 0; i < forks.n; i++) code->forks[i] = forks.at[i];
    for (uint32_t i = 0; i < loops.n; i++) code->loops[i] = loops.at[i];
}
