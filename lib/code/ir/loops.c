/*
 * loops.c - innermost loops in which nothing depends on where a lane stands, which lanes that have parted run
 * in a frame where they stand side by side (vm/run/forks.c).
 *
 * Their blocks compute, load and store, and nothing else, and name few rows. Where the loop has records of
 * its own, so have the ways of forks in it that only compute: they are masked by the row of the branch's
 * predicate, which nothing in the ways writes, or by the mask row.
 */
#include "code/ir/forks.h"

uint32_t px_ir_loop_blocks(const struct px_irfn *f, uint32_t place)
{
    const uint32_t node = f->loops.order[place], n = f->loops.size[node];
    if (n > 1) return n;
    const struct px_ir_inst *last = px_ir_last_of(f, node);
    return last && px_ir_branches(last) && px_ir_node_at(f, last->target) == node;
}

bool px_ir_is_indexed(const struct px_irfn *f, const struct px_ir_opd *address)
{
    const uint32_t base = px_ir_register(address);
    if (base == PX_NONE32) return false;
    return f->regs.at[base].keep == PX_IR_ROW || f->regs.at[base].keep == PX_IR_OFFSET;
}

/* It does not matter which lanes run it, nor whether it is tried again after it could not be done. */
static bool is_placeless(const struct px_irfn *f, const struct px_ir_inst *in)
{
    const bool load = px_ir_flags(in->op) & PX_OPERATION_reads,
               store = px_ir_flags(in->op) & PX_OPERATION_writes;
    if (!px_ir_is_straight(in) || in->op == PX_IR_SREG) return false;
    if (!load && !store) return true;
    /* a plain access of one element; atomic operations have more operands */
    const struct px_ir_opd *address = &px_ir_opds(f, in)[load];
    return in->nopds == 2 && (address->type != PX_SPACE_LOCAL || px_ir_is_indexed(f, address));
}

/* ---- rows ---- */

struct rows {
    uint32_t at[PX_IR_LOOP_ROWS], n;
};

static bool add_row(const struct px_irfn *f, struct rows *rows, uint32_t reg)
{
    const struct px_ir_reg *r = &f->regs.at[reg];
    uint32_t i = 0;
    if (r->temp || r->row == PX_NONE32) return true;
    while (i < rows->n && rows->at[i] != r->row) i++;
    if (i == PX_IR_LOOP_ROWS) return false;
    if (i == rows->n) rows->at[rows->n++] = r->row;
    return true;
}

static bool add_rows(const struct px_irfn *f, struct rows *rows, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    bool ok = in->guard == PX_NONE32 || add_row(f, rows, in->guard);
    for (uint32_t k = 0; k < in->nopds && ok; k++) {
        const uint32_t reg = px_ir_register(&o[k]);
        if (reg != PX_NONE32) ok = add_row(f, rows, reg);
    }
    return ok;
}

/* ---- loops ---- */

static bool look_at_block(const struct px_irfn *f, uint32_t node, struct rows *rows, struct px_ir_loop *loop)
{
    const struct px_flow_block b = f->graph.blocks[node];
    for (uint32_t i = b.first; i < b.first + b.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        if (!px_ir_branches(in) && !is_placeless(f, in)) return false;
        if (!add_rows(f, rows, in)) return false;
        loop->masked |= !px_ir_computes(in) && !px_ir_branches(in);
    }
    return true;
}

static bool find_loop(const struct px_irfn *f, uint32_t p, struct px_ir_loop *loop)
{
    const uint32_t n = px_ir_loop_blocks(f, p);
    if (!n) return false;
    struct rows rows = {.n = 0};
    *loop = (struct px_ir_loop){.node = f->loops.order[p]};
    for (uint32_t k = p; k < p + n; k++) {
        const uint32_t node = f->loops.order[k];
        if (node >= f->graph.nblocks || (k > p && px_ir_loop_blocks(f, k))) return false;
        if (!look_at_block(f, node, &rows, loop)) return false;
    }
    return true;
}

/* ---- ways inside ---- */

/* The way only computes, and leaves the row alone that says who goes it. */
static bool is_inside(const struct px_irfn *f, uint32_t node, uint32_t predicate)
{
    const struct px_flow_block b = f->graph.blocks[node];
    for (uint32_t i = b.first; i < b.first + b.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        if (!px_ir_computes(in) && in->op != PX_IR_JUMP) return false;
        for (uint32_t k = 0; k < in->ndst; k++)
            if (o[k].kind == PX_IR_REG && f->regs.at[o[k].at].row == predicate) return false;
    }
    return true;
}

static void look_at_ways(struct px_irfn *f, struct px_ir_fork *fork)
{
    const struct px_ir_inst *last = px_ir_last_of(f, fork->node);
    const struct px_ir_opd *o = px_ir_opds(f, last);
    const uint32_t taken = px_ir_node_at(f, last->target), other = fork->node + 1;
    if (o->kind != PX_IR_REG) return;
    const uint32_t predicate = f->regs.at[o->at].row;
    fork->inside = (taken == fork->join || is_inside(f, taken, predicate)) &&
                   (other == fork->join || is_inside(f, other, predicate));
}

void px_ir_loops(struct px_irfn *f)
{
    const bool whole = f->coder->wishes.engine & PX_ENGINE_loops;
    uint32_t next = 0;
    for (uint32_t p = 0; p < f->loops.n; p++) {
        struct px_ir_loop loop;
        if (!find_loop(f, p, &loop)) continue;
        loop.masked |= !whole;
        px_vec_push(f->coder->pass, &f->aside, loop);
        const uint32_t end = p + px_ir_loop_blocks(f, p);
        for (; next < f->forks.n && f->loops.place[f->forks.at[next].node] < end; next++)
            if (whole && f->loops.place[f->forks.at[next].node] >= p) look_at_ways(f, &f->forks.at[next]);
    }
    px_vec_move(f->coder->scratch, f->coder->pass, &f->aside);
}
