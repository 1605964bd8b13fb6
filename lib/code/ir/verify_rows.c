/*
 * verify_rows.c - do live ranges hold every life, and do registers that live together have rows of their own?
 *
 * Which registers live at the borders of blocks is found by sets of bits, the plainest way there is; where
 * the sets would be large, nothing is found and nothing is said.
 */
#include "code/ir/shape.h"
#include "code/ir/verify_own.h"
#include <stdlib.h>

enum { MOST_WORDS = 1 << 22 }; /* of sets */

struct sets {
    struct px_verify *v;
    uint32_t words; /* of a set */
    uint64_t *reads, *writes, *in, *out;
    uint32_t *from; /* by place in the order: position of its first instruction; one more behind the last */
};

static uint64_t *set_of(const struct sets *s, uint64_t *sets, uint32_t node)
{
    return sets + (size_t)node * s->words;
}

static bool has(const uint64_t *set, uint32_t reg)
{
    return set[reg / 64] >> reg % 64 & 1;
}

static void add(uint64_t *set, uint32_t reg)
{
    set[reg / 64] |= 1ull << reg % 64;
}

static const char *name_of(const struct sets *s, uint32_t reg)
{
    return px_ir_reg_name(s->v->f, reg, px_arena_alloc(s->v->arena, 24));
}

/* ---- lives ---- */

static void look_at_place(const struct sets *s, const struct px_ir_inst *in, uint32_t reg, uint32_t position)
{
    const struct px_ir_reg *r = &s->v->f->regs.at[reg];
    if (!r->temp && (position < r->first || position > r->last))
        px_verify_wrong(s->v, in, "%s is named outside its live range", name_of(s, reg));
}

static void read(const struct sets *s, uint32_t node, const struct px_ir_inst *in, uint32_t reg,
                 uint32_t position)
{
    if (reg == PX_NONE32) return;
    look_at_place(s, in, reg, position);
    if (!has(set_of(s, s->writes, node), reg)) add(set_of(s, s->reads, node), reg);
}

static void name_inst(const struct sets *s, uint32_t node, const struct px_ir_inst *in, uint32_t position)
{
    const struct px_ir_opd *o = px_ir_opds(s->v->f, in);
    read(s, node, in, in->guard, position);
    for (uint32_t k = in->ndst; k < in->nopds; k++) read(s, node, in, px_ir_register(&o[k]), position);
    for (uint32_t k = 0; k < in->ndst; k++) {
        const uint32_t reg = px_ir_register(&o[k]);
        if (reg == PX_NONE32) continue;
        look_at_place(s, in, reg, position + 1);
        /* (what reads a temporary has the guard of what wrote it) */
        if (in->guard == PX_NONE32 || s->v->f->regs.at[reg].temp) add(set_of(s, s->writes, node), reg);
    }
}

static void name_all(const struct sets *s)
{
    const struct px_irfn *f = s->v->f;
    uint32_t position = 0;
    for (uint32_t p = 0; p < f->loops.n; p++) {
        const uint32_t node = f->loops.order[p];
        s->from[p] = position;
        if (node >= f->graph.nblocks) continue;
        const struct px_flow_block b = f->graph.blocks[node];
        for (uint32_t i = b.first; i < b.first + b.n; i++, position += PX_IR_STEP)
            name_inst(s, node, &f->insts.at[i], position);
    }
    s->from[f->loops.n] = position;
}

/* Says whether something changed. */
static bool flow_into(const struct sets *s, uint32_t node)
{
    const struct px_flow_lists *succ = &s->v->f->graph.succ;
    uint64_t *out = set_of(s, s->out, node), *in = set_of(s, s->in, node);
    bool changed = false;
    for (uint32_t k = succ->first[node]; k < succ->first[node + 1]; k++)
        for (uint32_t w = 0; w < s->words; w++) out[w] |= set_of(s, s->in, succ->to[k])[w];
    for (uint32_t w = 0; w < s->words; w++) {
        const uint64_t live = set_of(s, s->reads, node)[w] | (out[w] & ~set_of(s, s->writes, node)[w]);
        changed |= live != in[w];
        in[w] = live;
    }
    return changed;
}

static void look_at_borders(const struct sets *s)
{
    const struct px_irfn *f = s->v->f;
    for (uint32_t p = 0; p < f->loops.n; p++)
        for (uint32_t reg = 0; reg < f->regs.n; reg++) {
            const struct px_ir_reg *r = &f->regs.at[reg];
            const uint32_t node = f->loops.order[p];
            const bool in = has(set_of(s, s->in, node), reg), out = has(set_of(s, s->out, node), reg);
            if (r->temp && (in || out))
                px_verify_wrong(s->v, NULL, "the temporary %s lives across blocks", name_of(s, reg));
            else if (!r->temp && ((in && (r->first > s->from[p] || r->last < s->from[p])) ||
                                  (out && r->last < s->from[p + 1])))
                px_verify_wrong(s->v, NULL, "%s lives at a border of block %u, outside its live range",
                                name_of(s, reg), node);
            if (in && p == 0 && !r->temp && (r->row == PX_NONE32 || r->row >= f->zero_to))
                px_verify_wrong(s->v, NULL, "%s may be read before it is written, and its row is not zeroed",
                                name_of(s, reg));
        }
}

static void find_lives(const struct sets *s)
{
    const struct px_irfn *f = s->v->f;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = f->loops.n; p-- > 0;) changed |= flow_into(s, f->loops.order[p]);
    }
    look_at_borders(s);
}

/* ---- rows ---- */

/* Who has a byte of the rows last, in the order in which lives begin. */
struct life {
    uint32_t first, reg;
};

static int by_first(const void *a, const void *b)
{
    const struct life *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : x->reg < y->reg ? -1 : x->reg > y->reg;
}

static bool is_live(const struct px_ir_reg *r)
{
    return !r->temp && r->first <= r->last;
}

/* Bases live as long as what is added to them. */
static uint32_t *ends_of(const struct px_verify *v)
{
    const struct px_irfn *f = v->f;
    uint32_t *end = px_arena_alloc(v->arena, (f->regs.n + 1) * sizeof *end);
    for (uint32_t r = 0; r < f->regs.n; r++) end[r] = f->regs.at[r].last;
    for (uint32_t r = 0; r < f->regs.n; r++) {
        const struct px_ir_reg *reg = &f->regs.at[r];
        if (reg->keep == PX_IR_OFFSET && is_live(reg) && end[reg->base] < reg->last)
            end[reg->base] = reg->last;
    }
    return end;
}

static void take_row(const struct sets *s, uint32_t reg, uint32_t *owner, const uint32_t *end)
{
    const struct px_irfn *f = s->v->f;
    const struct px_ir_reg *r = &f->regs.at[reg];
    if (r->row == PX_NONE32 || r->row + r->elem > f->row_bytes) {
        px_verify_wrong(s->v, NULL, "%s has no row among those of the frame", name_of(s, reg));
        return;
    }
    for (uint32_t at = r->row; at < r->row + r->elem; at++) {
        const uint32_t other = owner[at] - 1;
        if (owner[at] && f->regs.at[other].elem != r->elem)
            px_verify_wrong(s->v, NULL, "%s and %s have elements of different sizes, and rows that overlap",
                            name_of(s, other), name_of(s, reg));
        if (owner[at] && end[other] >= r->first)
            px_verify_wrong(s->v, NULL, "%s and %s live together, and share a row", name_of(s, other),
                            name_of(s, reg));
        owner[at] = reg + 1;
    }
}

/* Temporaries' rows are nobody else's but other temporaries'. */
static void look_at_temps(const struct sets *s, const uint32_t *owner)
{
    const struct px_irfn *f = s->v->f;
    for (uint32_t reg = 0; reg < f->regs.n; reg++) {
        const struct px_ir_reg *r = &f->regs.at[reg];
        for (uint32_t at = r->row; r->temp && r->row != PX_NONE32 && at < r->row + r->elem; at++)
            if (at >= f->row_bytes || owner[at])
                px_verify_wrong(s->v, NULL, "the temporary %s does not own its row", name_of(s, reg));
    }
}

static void look_at_rows(const struct sets *s)
{
    const struct px_irfn *f = s->v->f;
    const uint32_t *end = ends_of(s->v);
    uint32_t *owner = PX_NEW_N(s->v->arena, uint32_t, f->row_bytes + 1), n = 0;
    struct life *lives = PX_NEW_N(s->v->arena, struct life, f->regs.n + 1);
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (is_live(&f->regs.at[r])) lives[n++] = (struct life){f->regs.at[r].first, r};
    qsort(lives, n, sizeof *lives, by_first);
    for (uint32_t i = 0; i < n; i++) take_row(s, lives[i].reg, owner, end);
    look_at_temps(s, owner);
}

/* Nothing has changed that they follow from. */
static void look_at_shapes(struct px_verify *v)
{
    for (uint32_t i = 0; i < v->f->insts.n && !v->why; i++) {
        const struct px_ir_inst *in = &v->f->insts.at[i];
        if (px_ir_kind_of(in->op) == PX_IR_STATEMENT && in->shapes != px_ir_shapes_of(v->f, in))
            px_verify_wrong(v, in, "its handlers take other scalars than it has");
    }
}

void px_verify_rows(struct px_verify *v)
{
    const struct px_irfn *f = v->f;
    look_at_shapes(v);
    struct sets s = {.v = v, .words = (f->regs.n + 63) / 64};
    const size_t n = (size_t)f->graph.n * s.words;
    if (n <= MOST_WORDS) {
        s.reads = PX_NEW_N(v->arena, uint64_t, n);
        s.writes = PX_NEW_N(v->arena, uint64_t, n);
        s.in = PX_NEW_N(v->arena, uint64_t, n);
        s.out = PX_NEW_N(v->arena, uint64_t, n);
        s.from = PX_NEW_N(v->arena, uint32_t, f->loops.n + 1);
        name_all(&s);
        find_lives(&s);
    }
    look_at_rows(&s);
}
