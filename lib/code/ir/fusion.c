/*
 * fusion.c - instructions that one handler does together.
 *
 * Statements, each of which is the only reader of what the one before it computes, become one loop (`fuse`
 * lines of the table). Two loads and the fma that multiplies what they find become one pass over memory. A
 * load from a scalar plus a row of numbers times its size, where nobody else wants the product or the sum,
 * takes the numbers themselves. What makes NaNs the chip's before a store does so while it stores
 * (gang/fused.def). Each but the last is marked; emission makes the records.
 *
 * What is fused is one record each, one behind the other in a block, in one floating-point mode.
 */
#include "code/ir/fusion.h"
#include "code/ir/facts.h"
#include "code/ir/forks.h"
#include "gang/fpmode.h"
#include "gen/isa_ops.h"

/* An instruction that makes records. */
struct maker {
    struct px_ir_inst *in; /* NULL: none */
    enum px_ir_size size;  /* PX_IR_NO_RECORD until somebody asks (size_of) */
    bool adjacent;         /* nothing at all stands between it and the one behind it */
    bool done;             /* one before it does its work, too */
};

struct fuser {
    struct px_irfn *f;
    const bool *is_base;
    struct px_ir_inst *in;                  /* the one that is looked at, */
    struct maker now;                       /* the same, */
    uint32_t place;                         /* and its place in the order */
    struct maker before[2];                 /* those before it in the block, the last one first */
    struct px_ir_chain together, loop, way; /* each ends with before[0] */
    bool in_loop, in_way;
    uint32_t first, end; /* places of the block */
};

static enum px_ir_size size_of(const struct fuser *s, struct maker *m)
{
    if (m->size == PX_IR_NO_RECORD) m->size = px_ir_size_of(s->f, m->in);
    return m->size;
}

/* ---- the list of handlers ---- */

const struct px_fused *px_ir_chain_row(const struct px_level *level, const struct px_ir_chain *chain)
{
    const uint32_t n = chain->n;
    if (n < 2) return NULL;
    for (const struct px_fused *x = level->fused; x->fn; x++)
        if (x->n == n && memcmp(x->op, chain->op, n * sizeof *x->op) == 0 &&
            memcmp(x->shape, chain->shape, n) == 0 && memcmp(x->at + 1, chain->at + 1, n - 1) == 0)
            return x;
    return NULL;
}

void px_ir_chain_add(const struct px_irfn *f, struct px_ir_chain *chain, const struct px_ir_inst *in,
                     uint32_t reg, enum px_ir_version version)
{
    const struct px_ir_opd *s = px_ir_opds(f, in) + in->ndst;
    const struct px_ir_shape shape = px_ir_shape_of(in, version);
    const unsigned n = reg == PX_NONE32 ? 0 : px_ir_sources(f, in);
    unsigned i = 0;
    if (chain->n == PX_FUSED_MOST) return;
    while (i < n && px_ir_register(&s[i]) != reg) i++;
    chain->op[chain->n] = in->op;
    chain->shape[chain->n] = shape.bits;
    chain->at[chain->n++] = (uint8_t)px_ir_shape_place(shape, i);
}

/* An operation of such a list: `op`, or a statement by its result and types. */
struct kind {
    px_irop op;
    uint8_t result, to, from;
};
#define RESULT(what, to, from)                                                                               \
    {                                                                                                        \
        PX_IR_STATEMENT, PX_RESULT_##what, PX_T_##to, PX_T_##from                                            \
    }
#define OWN(name)                                                                                            \
    {                                                                                                        \
        .op = PX_IR_##name                                                                                   \
    }
#define TABLE(name)                                                                                          \
    {                                                                                                        \
        .op = PX_IR_TABLE | PX_OP_##name                                                                     \
    }
static const struct fixed {
    enum px_fixed handler;
    uint32_t bytes;
    struct kind kind[3];
} fixed[] = {
#define PX_FUSED(handler, bytes, ...) {PX_FIX_##handler, bytes, {__VA_ARGS__}},
#include "gang/fused.def"
};

static bool is_kind(const struct px_ir_inst *in, const struct kind *kind)
{
    if (!in || (!kind->op && !kind->result)) return !in && !kind->op && !kind->result; /* the list's end */
    if (!kind->result) return in->op == kind->op;
    if (px_ir_result(in) != (enum px_result)kind->result) return false;
    const struct px_statement *s = px_statement(in->op);
    return s->types[0] == kind->to && s->types[1] == kind->from && !px_statement_has(s, PX_W_sat) &&
           !px_statement_has(s, PX_W_cc);
}

enum px_fixed px_ir_fused_fixed(const struct px_ir_inst *first, const struct px_ir_inst *second,
                                const struct px_ir_inst *third, uint32_t bytes)
{
    const struct px_ir_inst *in[3] = {first ? first : second, first ? second : third, first ? third : NULL};
    for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        const struct kind *kind = fixed[i].kind;
        if (fixed[i].bytes == bytes && is_kind(in[0], &kind[0]) && is_kind(in[1], &kind[1]) &&
            is_kind(in[2], &kind[2]))
            return fixed[i].handler;
    }
    return PX_FIX_COUNT;
}

/* ---- who reads ---- */

static bool reads_once(const struct px_irfn *f, const struct px_ir_inst *in, uint32_t reg)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    uint32_t reads = 0;
    for (uint32_t k = in->ndst; k < in->nopds; k++) reads += px_ir_register(&o[k]) == reg;
    return reads == 1;
}

/* Does the register end with the instruction at this place, which reads it once? */
static bool ends(const struct px_irfn *f, const struct px_ir_opd *d, const struct px_ir_inst *in,
                 uint32_t place)
{
    const uint32_t late = px_ir_in_place(in) ? 0 : 2; /* rows.c, too */
    return d->kind == PX_IR_REG && !f->regs.at[d->at].temp &&
           f->regs.at[d->at].last == place * PX_IR_STEP + late && reads_once(f, in, d->at);
}

/* Does the register, which is a row in convergent code, end with the instruction at this place of the order,
 * which reads it once? */
static bool dies(const struct px_irfn *f, const struct px_ir_opd *d, const struct px_ir_inst *in,
                 uint32_t place)
{
    return ends(f, d, in, place) && f->regs.at[d->at].keep == PX_IR_ROW && !f->regs.at[d->at].survey;
}

/* ---- statements ---- */

static bool is_statement(const struct px_ir_inst *in)
{
    return px_ir_kind_of(in->op) == PX_IR_STATEMENT;
}

/* The chain goes on with the statement, or it begins with it. */
static void go_on(struct fuser *s, struct px_ir_chain *chain, bool may, enum px_ir_version version,
                  uint8_t fuse, bool masked)
{
    struct px_ir_chain longer = *chain;
    const struct px_fused *row = NULL;
    if (may && chain->n && chain->n < PX_FUSED_MOST) {
        px_ir_chain_add(s->f, &longer, s->in, px_ir_opds(s->f, s->before[0].in)->at, version);
        row = px_ir_chain_row(s->f->coder->level, &longer);
    }
    if (row && (!masked || row->masked)) {
        s->before[0].in->fuse |= fuse;
        s->now.done |= fuse == PX_IR_FUSE_TOGETHER;
        *chain = longer;
    } else {
        chain->n = 0;
        px_ir_chain_add(s->f, chain, s->in, PX_NONE32, version);
    }
}

/* In convergent code; the result is a row, and what was computed is nobody else's. */
static void fuse_together(struct fuser *s)
{
    const struct px_irfn *f = s->f;
    struct maker *x = &s->before[0];
    if (px_ir_is_alone(f, s->in) || px_ir_is_step(f, s->in)) {
        s->together.n = 0;
        return;
    }
    const bool may = s->together.n && dies(f, px_ir_opds(f, x->in), s->in, s->place) &&
                     size_of(s, x) == PX_IR_ONE && size_of(s, &s->now) != PX_IR_MORE;
    go_on(s, &s->together, may, PX_IR_CONVERGENT, PX_IR_FUSE_TOGETHER, false);
}

/* In the records of loops and of ways: those of divergent code. Of a way only what is masked may be last. */
static void fuse_aside(struct fuser *s)
{
    const struct px_irfn *f = s->f;
    struct maker *x = &s->before[0];
    if (!s->in_loop) return;
    const struct px_ir_opd *d = s->loop.n ? px_ir_opds(f, x->in) : NULL;
    const bool may = d && d->kind == PX_IR_REG && !s->is_base[d->at] && ends(f, d, s->in, s->place) &&
                     size_of(s, x) == PX_IR_ONE && size_of(s, &s->now) == PX_IR_ONE;
    go_on(s, &s->loop, may, PX_IR_LOOP, PX_IR_FUSE_LOOP, false);
    if (!s->in_way) return;
    const bool before = may && px_ir_is_local(f, s->is_base, x->in, s->first, s->end);
    const bool local = px_ir_is_local(f, s->is_base, s->in, s->first, s->end);
    go_on(s, &s->way, before, PX_IR_WAY, PX_IR_FUSE_WAY, !local);
}

/* ---- memory ---- */

/* The last n before the one that is looked at, and that one. */
static void fuse(struct fuser *s, unsigned n)
{
    for (unsigned i = 0; i < n; i++) s->before[i].in->fuse |= PX_IR_FUSE_TOGETHER;
    s->now.done = true;
}

static uint32_t bytes_of(const struct px_irfn *f, const struct px_ir_inst *access)
{
    return px_ir_opds(f, access)[access->ndst].elem;
}

/* d = a * b + c where both factors were loaded for this. */
static void fuse_loads(struct fuser *s)
{
    const struct px_irfn *f = s->f;
    const struct px_ir_inst *y = s->before[0].in, *x = s->before[1].in;
    if (!x || s->before[0].done || s->before[1].done || !px_ir_loads(x) || !px_ir_loads(y) ||
        px_ir_shape_of(s->in, PX_IR_CONVERGENT).bits || size_of(s, &s->before[0]) != PX_IR_ONE ||
        size_of(s, &s->before[1]) != PX_IR_ONE || size_of(s, &s->now) == PX_IR_MORE)
        return;
    const enum px_fixed handler = px_ir_fused_fixed(x, y, s->in, bytes_of(f, y));
    const struct px_ir_opd *a = px_ir_opds(f, x), *b = px_ir_opds(f, y), *o = px_ir_opds(f, s->in);
    if (handler == PX_FIX_COUNT || bytes_of(f, x) != bytes_of(f, y) || px_ir_is_alone(f, s->in) ||
        !dies(f, a, s->in, s->place) || !dies(f, b, s->in, s->place))
        return;
    if ((o[1].at == a->at && o[2].at == b->at) || (o[2].at == a->at && o[1].at == b->at)) fuse(s, 2);
}

/* Floats that are stored: what the row holds need not be the chip's NaNs when nobody reads it any more. */
static void fuse_store(struct fuser *s)
{
    const struct px_ir_inst *canon = s->before[0].in;
    const struct px_ir_opd *o = px_ir_opds(s->f, s->in);
    if (!canon || canon->op != PX_IR_CANON || size_of(s, &s->before[0]) != PX_IR_ONE ||
        size_of(s, &s->now) != PX_IR_ONE ||
        px_ir_fused_fixed(NULL, canon, s->in, bytes_of(s->f, s->in)) == PX_FIX_COUNT)
        return;
    if (px_ir_opds(s->f, canon)->at == o[1].at && dies(s->f, &o[1], s->in, s->place)) fuse(s, 1);
}

/* Does the product, made of a row of numbers and the size of what is loaded, end with the load? */
static bool is_number(const struct fuser *s, const struct px_ir_inst *mul)
{
    const struct px_irfn *f = s->f;
    const struct px_ir_opd *o = px_ir_opds(f, mul);
    const struct px_ir_reg *p = &f->regs.at[o->at];
    const uint32_t end = s->place * PX_IR_STEP;
    const struct px_ir_shape shape = px_ir_shape_of(mul, PX_IR_CONVERGENT);
    return o[2].kind == PX_IR_IMM && *px_ir_value(f, mul, &o[2]) == bytes_of(f, s->in) && shape.bits == 2 &&
           !shape.swapped && p->keep == PX_IR_ROW && p->last <= end + 2 && p->first >= end - 2 * PX_IR_STEP;
}

/*
 * mul.wide p, n, size; add q, p, scalar; ld d, [q]: the load looks at n, and the product, whose row and
 * survey nobody wants, is made only where that is not enough. Nothing between the three can leave convergent
 * code.
 */
static void fuse_gather(struct fuser *s)
{
    const struct px_irfn *f = s->f;
    const struct px_ir_inst *add = s->before[0].in, *mul = s->before[1].in;
    if (!mul || !s->before[0].adjacent || !s->before[1].adjacent || f->coder->wishes.shuffles) return;
    const struct px_ir_opd *o = px_ir_opds(f, s->in), *sum = px_ir_opds(f, add),
                           *product = px_ir_opds(f, mul);
    if (sum->kind != PX_IR_REG || px_ir_register(&o[1]) != sum->at ||
        px_ir_fused_fixed(mul, add, s->in, bytes_of(f, s->in)) == PX_FIX_COUNT ||
        size_of(s, &s->before[0]) != PX_IR_ONE || size_of(s, &s->before[1]) != PX_IR_ONE_AND_MORE ||
        size_of(s, &s->now) == PX_IR_MORE)
        return;
    if (px_ir_stepped(f, add) != product->at || s->before[1].done) return;
    const struct px_ir_reg *q = &f->regs.at[o[1].at];
    const uint32_t end = s->place * PX_IR_STEP;
    if (q->keep == PX_IR_OFFSET && q->base == product->at && q->last <= end + 2 &&
        q->first >= end - PX_IR_STEP && is_number(s, mul))
        fuse(s, 2);
}

/* ---- all ---- */

/* Lanes may part before it, or its mode is another one: no record before it is done with it. */
static bool is_apart(const struct fuser *s, bool other_mode)
{
    const struct px_irfn *f = s->f;
    const bool parts = f->coder->wishes.shuffles && s->in->flags & PX_IR_INST_FIRST &&
                       px_ir_begins(f, s->in, PX_OPERATION_memory | PX_OPERATION_waits);
    return parts || other_mode;
}

static void forget(struct fuser *s)
{
    s->before[0].in = s->before[1].in = NULL;
    s->together.n = s->loop.n = s->way.n = 0;
}

/* What nothing goes on with is forgotten, with what is before it. */
static void look_at_inst(struct fuser *s)
{
    if (is_statement(s->in)) {
        fuse_together(s);
        fuse_aside(s);
        fuse_loads(s);
    } else if (px_ir_loads(s->in) || s->in->op == PX_IR_CANON) {
        if (s->in->op != PX_IR_CANON) fuse_gather(s);
        s->together.n = s->loop.n = s->way.n = 0;
    } else {
        fuse_store(s);
        forget(s);
        return;
    }
    s->before[1] = s->before[0];
    s->before[0] = s->now;
}

static void look_at_block(struct fuser *s, uint32_t node)
{
    const struct px_flow_block b = s->f->graph.blocks[node];
    uint32_t mode = PX_FP_HOME;
    forget(s);
    for (uint32_t i = b.first; i < b.first + b.n; i++, s->place++) {
        s->in = &s->f->insts.at[i];
        const uint32_t before = mode;
        mode = px_ir_mode(mode, s->in);
        const bool apart = is_apart(s, mode != before);
        if (px_ir_makes_none(s->in) && !apart) {
            s->before[0].adjacent = false;
            continue;
        }
        if (apart) forget(s);
        s->now = (struct maker){.in = s->in, .size = apart ? PX_IR_MORE : PX_IR_NO_RECORD, .adjacent = true};
        look_at_inst(s);
    }
}

void px_ir_fusion(struct px_irfn *f)
{
    struct px_arena *pass = f->coder->pass;
    const uint32_t *placed = px_ir_placed(f, pass);
    struct fuser s = {.f = f, .is_base = px_ir_bases(f, pass)};
    uint32_t until = 0, next = 0; /* blocks up to this place are of a loop that runs aside */
    for (uint32_t p = 0; p < f->loops.n; p++) {
        const uint32_t node = f->loops.order[p];
        if (next < f->aside.n && f->aside.at[next].node == node) {
            const uint32_t end = p + px_ir_loop_blocks(f, p);
            until = end > until ? end : until;
            next++;
        }
        if (node >= f->graph.nblocks) continue;
        s.in_loop = p < until && f->coder->wishes.engine & PX_ENGINE_loops;
        s.in_way = s.in_loop && px_ir_way_inside(f, node);
        s.first = placed[p];
        s.end = placed[p + 1];
        s.place = placed[p];
        look_at_block(&s, node);
    }
}
