/*
 * rows.c - which registers live where, and the rows that they get.
 *
 * PTX has as many registers as a compiler likes; rows are few, so that a gang's
 * rows stay in the first-level cache. A live range is an interval over the
 * layout (lib/flow says between which blocks, the instructions where exactly);
 * a linear scan hands out rows. Rows of different element sizes are never
 * shared (ops/row.h relies on it), and sharing is sound under divergence because
 * every write to a shared row is masked by the lanes for which the range is
 * live. Temporaries are written for all lanes, so they have rows of their own,
 * used again by the next instruction of the text; but those of an instruction
 * in which lanes may sleep while others go on are registers like any other.
 */
#include "code/ir/shape.h"
#include "flow/live.h"
#include <stdlib.h>

struct range {
    uint32_t first, last;
};

struct scan {
    struct px_irfn *f;
    struct range *ranges; /* by register; first > last: never named */
    uint32_t *from; /* by place in the layout: position of its first instruction; one more behind the last */
};

/* ---- live ranges ---- */

static void extend(struct range *r, uint32_t position)
{
    if (position < r->first) r->first = position;
    if (position > r->last) r->last = position;
}

static void tell(const struct scan *s, struct px_flow_live *live, uint32_t node, const struct px_ir_inst *in,
                 uint32_t position)
{
    const struct px_irfn *f = s->f;
    const struct px_ir_opd *o = px_ir_opds(f, in);
    uint32_t late = px_ir_in_place(in) ? 0 : 2;
    if (in->guard != PX_NONE32 && !f->regs.at[in->guard].temp) {
        px_flow_live_read(live, node, in->guard);
        extend(&s->ranges[in->guard], position + 2); /* a record of several steps may look at it again */
    }
    for (uint32_t k = in->ndst; k < in->nopds; k++) {
        uint32_t reg = px_ir_register(&o[k]);
        if (reg == PX_NONE32 || f->regs.at[reg].temp) continue;
        px_flow_live_read(live, node, reg);
        extend(&s->ranges[reg], position + late);
    }
    for (uint32_t k = 0; k < in->ndst; k++) {
        uint32_t reg = px_ir_register(&o[k]);
        if (reg == PX_NONE32 || f->regs.at[reg].temp) continue;
        if (in->guard == PX_NONE32)
            px_flow_live_write(live, node, reg);
        else
            px_flow_live_name(live, node, reg);
        extend(&s->ranges[reg], position + 1);
    }
}

static void find_ranges(struct scan *s, struct px_flow_live *live)
{
    const struct px_irfn *f = s->f;
    uint32_t position = 0;
    px_flow_live_begin(live, f->coder->pass, &f->graph, f->loops.order, f->loops.n, f->regs.n);
    px_flow_live_use_tree(live, &f->loops, &f->dominators, false);
    for (uint32_t p = 0; p < f->loops.n; p++) {
        uint32_t node = f->loops.order[p];
        s->from[p] = position;
        if (node >= f->graph.nblocks) continue;
        const struct px_flow_block b = f->graph.blocks[node];
        for (uint32_t i = b.first; i < b.first + b.n; i++, position += PX_IR_STEP)
            tell(s, live, node, &f->insts.at[i], position);
    }
    s->from[f->loops.n] = position;
    px_flow_live(live);
    for (uint32_t r = 0; r < f->regs.n; r++) {
        if (s->ranges[r].first > s->ranges[r].last) continue;
        if (live->at_start[r]) extend(&s->ranges[r], 0);
        if (live->last_behind[r] != PX_FLOW_NONE) extend(&s->ranges[r], s->from[live->last_behind[r] + 1]);
    }
}

/* ---- rows ---- */

enum { SIZES = 4 };
static const uint8_t sizes[SIZES] = {16, 8, 4, 2};

static uint32_t size_class(uint32_t elem)
{
    return elem == 16 ? 0 : elem == 8 ? 1 : elem == 4 ? 2 : 3;
}

/* Rows of one size: those in use, as a heap by the end of their range, and those that are free. */
struct used {
    uint32_t until, row;
};
struct pool {
    PX_VEC(struct used) used;
    PX_VEC(uint32_t) free;
};

static void sift_up(struct pool *p, uint32_t i)
{
    struct used *used = p->used.at;
    for (; i && used[i].until < used[(i - 1) / 2].until; i = (i - 1) / 2) {
        struct used t = used[i];
        used[i] = used[(i - 1) / 2];
        used[(i - 1) / 2] = t;
    }
}

static void sift_down(struct pool *p)
{
    struct used *used = p->used.at;
    for (uint32_t i = 0;;) {
        uint32_t least = i;
        for (uint32_t k = 2 * i + 1; k <= 2 * i + 2; k++)
            if (k < p->used.n && used[k].until < used[least].until) least = k;
        if (least == i) return;
        struct used t = used[i];
        used[i] = used[least];
        used[least] = t;
        i = least;
    }
}

static void take(struct px_irfn *f, struct pool *p, uint32_t row, uint32_t until)
{
    const struct used used = {until, row};
    px_vec_push(f->coder->pass, &p->used, used);
    sift_up(p, p->used.n - 1);
}

/* A row whose last range has ended, else a new one. */
static uint32_t row_for(struct px_irfn *f, struct pool *p, struct range r, uint32_t elem)
{
    while (p->used.n && p->used.at[0].until < r.first) {
        px_vec_push(f->coder->pass, &p->free, p->used.at[0].row);
        p->used.at[0] = p->used.at[--p->used.n];
        sift_down(p);
    }
    uint32_t row = f->row_bytes;
    if (p->free.n)
        row = p->free.at[--p->free.n];
    else
        f->row_bytes += elem;
    take(f, p, row, r.last);
    return row;
}

struct order {
    uint32_t first, reg;
};

static int by_first(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

/* Rows that must be zero at entry come first and are never shared with anything that precedes them. */
static void zeroed_rows(struct scan *s, const struct px_flow_live *live, struct pool *pools)
{
    struct px_irfn *f = s->f;
    PX_VEC(uint32_t) zeroed = {0};
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (live->at_start[r] && !f->regs.at[r].temp) px_vec_push(f->coder->pass, &zeroed, r);
    for (uint32_t k = 0; k < SIZES; k++)
        for (uint32_t i = 0; i < zeroed.n; i++) {
            struct px_ir_reg *reg = &f->regs.at[zeroed.at[i]];
            if (reg->elem != sizes[k]) continue;
            reg->row = f->row_bytes;
            f->row_bytes += sizes[k];
            take(f, &pools[k], reg->row, s->ranges[zeroed.at[i]].last);
        }
    f->zero_to = f->row_bytes;
}

/* Registers whose rows convergent code does not touch have rows of their own: they do not count for the
 * width. */
static bool lies_aside(const struct px_irfn *f, uint32_t reg)
{
    const struct px_ir_reg *r = &f->regs.at[reg];
    return r->keep == PX_IR_SCALAR || (r->keep == PX_IR_OFFSET && r->base != reg) ||
           (r->keep == PX_IR_LANES && !r->spread);
}

static void shared_rows(struct scan *s, struct pool *pools, bool aside)
{
    struct px_irfn *f = s->f;
    PX_VEC(struct order) order = {0};
    bool sorted = true; /* registers are mostly numbered in the order in which they are written */
    for (uint32_t r = 0; r < f->regs.n; r++) {
        const struct order next = {s->ranges[r].first, r};
        if (s->ranges[r].first > s->ranges[r].last || f->regs.at[r].row != PX_NONE32 ||
            lies_aside(f, r) != aside)
            continue;
        sorted &= !order.n || order.at[order.n - 1].first <= next.first;
        px_vec_push(f->coder->pass, &order, next);
    }
    if (!sorted) qsort(order.at, order.n, sizeof *order.at, by_first);
    for (uint32_t i = 0; i < order.n; i++) {
        struct px_ir_reg *reg = &f->regs.at[order.at[i].reg];
        reg->row = row_for(f, &pools[size_class(reg->elem)], s->ranges[order.at[i].reg], reg->elem);
    }
}

/* Temporaries of an instruction of the text: the first of a size has the first row of that size, and so on.
 */
static void temp_rows(struct px_irfn *f)
{
    PX_VEC(uint32_t) rows[SIZES] = {{0}};
    uint32_t used[SIZES] = {0};
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        if (in->flags & PX_IR_INST_FIRST) memset(used, 0, sizeof used);
        for (uint32_t k = 0; k < in->ndst; k++) {
            if (o[k].kind != PX_IR_REG || !f->regs.at[o[k].at].temp || f->regs.at[o[k].at].row != PX_NONE32)
                continue;
            uint32_t c = size_class(f->regs.at[o[k].at].elem);
            if (used[c] == rows[c].n) {
                px_vec_push(f->coder->pass, &rows[c], f->row_bytes);
                f->row_bytes += sizes[c];
            }
            f->regs.at[o[k].at].row = rows[c].at[used[c]++];
        }
    }
}

/*
 * The row of a base lives as long as what is added to it. An offset that may be read before it is written is
 * zero there, not its base: it and all others of that base are rows after all.
 */
static void offsets_last(struct scan *s, const struct px_flow_live *live)
{
    struct px_irfn *f = s->f;
    bool *plain = PX_NEW_N(f->coder->pass, bool, f->regs.n + 1);
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (f->regs.at[r].keep == PX_IR_OFFSET && f->regs.at[r].base != r && live->at_start[r])
            plain[f->regs.at[r].base] = true;
    for (uint32_t r = 0; r < f->regs.n; r++) {
        struct px_ir_reg *reg = &f->regs.at[r];
        if (reg->keep == PX_IR_OFFSET && reg->base != r && plain[reg->base]) reg->keep = PX_IR_ROW;
        reg->first = s->ranges[r].first;
        reg->last = s->ranges[r].last;
        if (reg->keep != PX_IR_OFFSET || reg->base == r || reg->first > reg->last) continue;
        extend(&s->ranges[reg->base], reg->first);
        extend(&s->ranges[reg->base], reg->last);
    }
}

static void keep_temps(struct px_irfn *f, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    if (in->guard != PX_NONE32) f->regs.at[in->guard].temp = false;
    for (uint32_t k = 0; k < in->nopds; k++) {
        const uint32_t reg = px_ir_register(&o[k]);
        if (reg != PX_NONE32) f->regs.at[reg].temp = false;
    }
}

/* Temporaries of what is made of one instruction of the text, if lanes may sleep in it. */
static void keep_temps_of_sleepers(struct px_irfn *f)
{
    for (uint32_t i = 0, first = 0; i < f->insts.n; i++) {
        if (f->insts.at[i].flags & PX_IR_INST_FIRST) first = i;
        if (!(px_ir_flags(f->insts.at[i].op) & PX_OPERATION_waits)) continue;
        uint32_t end = i + 1;
        while (end < f->insts.n && !(f->insts.at[end].flags & PX_IR_INST_FIRST)) end++;
        for (uint32_t k = first; k < end; k++) keep_temps(f, &f->insts.at[k]);
        i = end - 1;
    }
}

void px_ir_rows(struct px_irfn *f)
{
    struct px_arena *a = f->coder->pass;
    struct scan s = {f, PX_NEW_N(a, struct range, f->regs.n + 1), PX_NEW_N(a, uint32_t, f->loops.n + 2)};
    struct px_flow_live live = {0};
    struct pool pools[SIZES] = {0}, aside[SIZES] = {0};
    for (uint32_t r = 0; r < f->regs.n; r++) s.ranges[r] = (struct range){UINT32_MAX, 0};
    keep_temps_of_sleepers(f);
    find_ranges(&s, &live);
    offsets_last(&s, &live);
    zeroed_rows(&s, &live, pools);
    shared_rows(&s, pools, false);
    f->live_bytes = f->row_bytes;
    shared_rows(&s, aside, true);
    temp_rows(f);
    px_ir_shapes(f);
}
