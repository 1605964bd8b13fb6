/*
 * gen_loop.c - loops as compilers make them of grid-stride, unrolled, nested and reducing ones.
 *
 * Arguments come from the kernel's structure parameter `args`: a length, pointers into the buffer, factors.
 * An index of 32 or 64 bits is a term of the lane's place, or a value that a load hides, so that it is a row.
 * Places are one offset that steps and several bases (clang), addresses that step (nvcc), or products made
 * anew in each turn. Turns are counted by quotients that two ways compute, chosen by the high halves. Every
 * thread writes places of its own in an output plane; what is read beside them is the input plane.
 */
#include "random/gen.h"
#include <stdio.h>
#include <string.h>

/* ---- numbers ---- */

/* q = a / b, r = a % b: by 32 bits where both fit, else by 64. */
static void quotient(struct gen *g, const char *a, const char *b, const char *q, const char *r)
{
    const struct operand t = gen_wide(g), x = gen_word(g), y = gen_word(g), z = gen_word(g), m = gen_wide(g);
    const char sign = gen_chance(g, 50) ? 's' : 'u';
    const unsigned l = g->labels++;
    gen_line(g, "  or.b64 %s, %s, %s;", t.text, a, b);
    if (gen_chance(g, 75))
        gen_line(g, "  and.b64 %s, %s, -4294967296;  setp.ne.s64 %%it, %s, 0;", m.text, t.text, m.text);
    else
        gen_line(g, "  shr.u64 %s, %s, 32;  setp.ne.u64 %%it, %s, 0;", m.text, t.text, m.text);
    gen_line(g, "  @%%it bra D%u;", l);
    gen_line(g, "  cvt.u32.u64 %s, %s;  cvt.u32.u64 %s, %s;", x.text, b, y.text, a);
    if (q) gen_line(g, "  div.u32 %s, %s, %s;  cvt.u64.u32 %s, %s;", z.text, y.text, x.text, q, z.text);
    if (r && q && gen_chance(g, 50))
        gen_line(g, "  mul.lo.s32 %s, %s, %s;  sub.s32 %s, %s, %s;  cvt.u64.u32 %s, %s;", z.text, z.text,
                 x.text, z.text, y.text, z.text, r, z.text);
    else if (r)
        gen_line(g, "  rem.u32 %s, %s, %s;  cvt.u64.u32 %s, %s;", z.text, y.text, x.text, r, z.text);
    gen_line(g, "  bra.uni Q%u;\nD%u:", l, l);
    if (q) gen_line(g, "  div.%c64 %s, %s, %s;", sign, q, a, b);
    if (r) gen_line(g, "  rem.%c64 %s, %s, %s;", sign, r, a, b);
    gen_line(g, "Q%u:", l);
}

/* Quotients of any numbers: those of the pools, of the structure, with high halves that are zero for some. */
static void divide(struct gen *g)
{
    static const char *const masks[] = {"4294967295", "-1", "9223372036854775807", "1152921504606846975"};
    const struct operand a = gen_wide(g), b = gen_wide(g), q = gen_wide(g), r = gen_wide(g);
    if (gen_chance(g, 60))
        gen_line(g, "  and.b64 %s, %s, %s;", a.text, gen_register(g, PX_T_B64, 0, false).text,
                 masks[gen_below(g, 4)]);
    else
        gen_line(g, "  ld.param.u64 %s, [args+%u];", a.text, 32 + 8 * gen_below(g, 3));
    if (gen_chance(g, 60))
        gen_line(g, "  and.b64 %s, %s, %s;  or.b64 %s, %s, 1;", b.text,
                 gen_register(g, PX_T_B64, 0, false).text, masks[gen_below(g, 4)], b.text, b.text);
    else
        gen_line(g, "  ld.param.u64 %s, [args+40];  or.b64 %s, %s, 1;", b.text, b.text, b.text);
    const bool rest = gen_chance(g, 50);
    quotient(g, a.text, b.text, q.text, rest ? r.text : NULL);
    gen_line(g, "  mov.b64 %s, %s;", gen_register(g, PX_T_B64, 0, true).text, q.text);
    if (rest) gen_line(g, "  mov.b64 %s, %s;", gen_register(g, PX_T_B64, 0, true).text, r.text);
}

/* The same number, but no term of the lane's place any more: a row to the engine. */
static struct operand hidden(struct gen *g, const char *index)
{
    const struct operand low = gen_word(g), high = gen_word(g), i = gen_word(g);
    switch (gen_below(g, 3)) {
    case 0:
        gen_line(g, "  and.b32 %s, %s, 31;  and.b32 %s, %s, -32;  or.b32 %s, %s, %s;", low.text, index,
                 high.text, index, i.text, low.text, high.text);
        break;
    case 1: gen_line(g, "  st.global.b32 [%%slot], %s;  ld.global.b32 %s, [%%slot];", index, i.text); break;
    default:
        gen_line(g, "  selp.b32 %s, %s, 0, %%e0;  selp.b32 %s, 0, %s, %%e0;  add.s32 %s, %s, %s;", low.text,
                 index, high.text, index, i.text, low.text, high.text);
        break;
    }
    return i;
}

/* ---- strides ---- */

struct walk {
    struct operand i, step, n;       /* index, what it grows by, where it ends: 64 bits */
    struct operand in, more, out;    /* bases of two inputs and the output */
    uint64_t in_at, more_at, out_at; /* what is added to them as a displacement */
    struct operand offset, ostep;    /* of all arrays, where one serves them */
    struct operand to[3];            /* of each array, where each has its own */
    unsigned size, how;
    char sign;
};
enum { BY_OFFSET, BY_ADDRESSES, ANEW };

/* A base: the pointer of the structure as it is, what lies behind it as a displacement; or the sum. */
static struct operand base(struct gen *g, uint64_t at, uint64_t *left)
{
    static const unsigned pointers[] = {8, 24, 56};
    const struct operand b = gen_wide(g), global = gen_wide(g), sum = gen_wide(g);
    const char *from = b.text;
    if (gen_chance(g, 60))
        gen_line(g, "  ld.param.u64 %s, [args+%u];", b.text, pointers[gen_below(g, 3)]);
    else
        gen_line(g, "  ld.param.u64 %s, [buf];", b.text);
    if (gen_chance(g, 50)) gen_line(g, "  cvta.to.global.u64 %s, %s;", global.text, from), from = global.text;
    *left = at;
    if (gen_chance(g, 60)) return from == b.text ? b : global;
    gen_line(g, "  add.s64 %s, %s, %llu;", sum.text, from, (unsigned long long)at);
    *left = 0;
    return sum;
}

/* The length, no more than the planes hold. */
static void length(struct gen *g, struct walk *w)
{
    const uint64_t most = gen_threads_of(g) * (uint64_t)(INDEX_OUTPUT / w->size);
    const struct operand n = gen_wide(g);
    if (gen_chance(g, 70))
        gen_line(g, "  ld.param.u64 %s, [args];", n.text);
    else
        gen_line(g, "  mov.u64 %s, %u;", n.text, gen_below(g, (uint32_t)most + 1));
    gen_line(g, "  min.u64 %s, %s, %llu;", w->n.text, n.text, (unsigned long long)most);
}

static struct walk begin_walk(struct gen *g)
{
    struct walk w = {.i = gen_wide(g),
                     .step = gen_wide(g),
                     .n = gen_wide(g),
                     .offset = gen_wide(g),
                     .ostep = gen_wide(g),
                     .to = {gen_wide(g), gen_wide(g), gen_wide(g)},
                     .size = gen_chance(g, 70) ? 4 : 8,
                     .how = gen_below(g, 3),
                     .sign = gen_chance(g, 60) ? 's' : 'u'};
    const uint64_t out = gen_take_output(g);
    const struct operand grid = gen_word(g);
    gen_own_of_grid(g);
    const struct operand i = gen_chance(g, 50) ? hidden(g, "%ix") : (struct operand){"%ix"};
    gen_line(g, "  cvt.%c64.%c32 %s, %s;", w.sign, w.sign, w.i.text, i.text);
    gen_line(g, "  mov.u32 %%iu, %%nctaid.x;  mov.u32 %%iw, %%nctaid.y;  mul.lo.s32 %s, %%iu, %%iw;",
             grid.text);
    gen_line(g, "  mul.wide.u32 %s, %s, %u;", w.step.text, grid.text, g->cta_threads);
    length(g, &w);
    w.in = base(g, gen_input_at(g), &w.in_at);
    w.more = base(g, gen_input_at(g) + 8 * gen_below(g, 16), &w.more_at);
    w.out = base(g, out, &w.out_at);
    return w;
}

static unsigned shift_of(const struct walk *w)
{
    return w->size == 8 ? 3 : 2;
}

/* What the first turn needs, where there is one. */
static void first_places(struct gen *g, const struct walk *w)
{
    const struct operand *const bases[3] = {&w->in, &w->more, &w->out};
    gen_line(g, "  shl.b64 %s, %s, %u;  shl.b64 %s, %s, %u;", w->offset.text, w->i.text, shift_of(w),
             w->ostep.text, w->step.text, shift_of(w));
    for (unsigned k = 0; k < 3 && w->how == BY_ADDRESSES; k++)
        gen_line(g, "  add.s64 %s, %s, %s;", w->to[k].text, bases[k]->text, w->offset.text);
}

/* Into r[0..2] the addresses of this turn. */
static void places(struct gen *g, const struct walk *w, struct operand r[3])
{
    const struct operand *const bases[3] = {&w->in, &w->more, &w->out};
    const struct operand anew = gen_wide(g);
    const bool mad = gen_chance(g, 30);
    if (w->how == ANEW && !mad) gen_line(g, "  shl.b64 %s, %s, %u;", anew.text, w->i.text, shift_of(w));
    for (unsigned k = 0; k < 3; k++) {
        r[k] = w->how == BY_ADDRESSES ? w->to[k] : gen_wide(g);
        if (w->how == BY_OFFSET)
            gen_line(g, "  add.s64 %s, %s, %s;", r[k].text, bases[k]->text, w->offset.text);
        else if (w->how == ANEW && mad)
            gen_line(g, "  mad.lo.s64 %s, %s, %u, %s;", r[k].text, w->i.text, w->size, bases[k]->text);
        else if (w->how == ANEW)
            gen_line(g, "  add.s64 %s, %s, %s;", r[k].text, bases[k]->text, anew.text);
    }
}

static void step_places(struct gen *g, const struct walk *w)
{
    if (w->how == BY_OFFSET)
        gen_line(g, "  add.s64 %s, %s, %s;", w->offset.text, w->offset.text, w->ostep.text);
    for (unsigned k = 0; k < 3 && w->how == BY_ADDRESSES; k++)
        gen_line(g, "  add.s64 %s, %s, %s;", w->to[k].text, w->to[k].text, w->ostep.text);
}

/* One turn: out[i] = something of in[i], more[i] and, perhaps, of out[i]; then the next i. */
static void turn(struct gen *g, const struct walk *w)
{
    struct operand at[3];
    const char *space = gen_chance(g, 80) ? ".global" : "";
    const bool wide = w->size == 8, early = gen_chance(g, 30);
    const struct operand x = wide ? gen_wide(g) : gen_word(g), y = wide ? gen_wide(g) : gen_word(g),
                         z = wide ? gen_wide(g) : gen_word(g);
    const unsigned bits = 8 * w->size,
                   other = gen_chance(g, 60) ? 1 : 2; /* the second input, or the output */
    places(g, w, at);
    gen_line(g, "  ld%s.b%u %s, [%s+%llu];", space, bits, x.text, at[0].text, (unsigned long long)w->in_at);
    gen_line(g, "  ld%s.b%u %s, [%s+%llu];", space, bits, y.text, at[other].text,
             (unsigned long long)(other == 1 ? w->more_at : w->out_at));
    gen_line(g, "  mad.lo.s%u %s, %s, 3, %s;", bits, z.text, x.text, y.text);
    if (early) { /* the index first: the address was made of what it was before */
        gen_line(g, "  add.s64 %s, %s, %s;", w->i.text, w->i.text, w->step.text);
        if (w->how == BY_OFFSET) step_places(g, w);
    }
    gen_line(g, "  st%s.b%u [%s+%llu], %s;", space, bits, at[2].text, (unsigned long long)w->out_at, z.text);
    if (!early) gen_line(g, "  add.s64 %s, %s, %s;", w->i.text, w->i.text, w->step.text);
    if (!early || w->how != BY_OFFSET) step_places(g, w);
}

/* `turns` turns at a time until i is n; at least one. */
static void turns(struct gen *g, const struct walk *w, unsigned n)
{
    const unsigned l = g->labels++;
    gen_line(g, "L%u:", l);
    while (n--) turn(g, w);
    gen_line(g, "  setp.lt.%c64 %%is, %s, %s;  @%%is bra L%u;", w->sign, w->i.text, w->n.text, l);
}

/* What is left over goes first, turn by turn; then four, or two, at a time. */
static void unrolled(struct gen *g, const struct walk *w, unsigned end)
{
    const unsigned by = gen_chance(g, 60) ? 4 : 2, l = g->labels++;
    const struct operand d = gen_wide(g), q = gen_wide(g), count = gen_wide(g), left = gen_wide(g);
    gen_line(g, "  add.s64 %s, %s, %s;  max.%c64 %s, %s, %s;", d.text, w->i.text, w->step.text, w->sign,
             q.text, d.text, w->n.text);
    gen_line(g, "  not.b64 %s, %s;  add.s64 %s, %s, %s;  add.s64 %s, %s, %s;", left.text, w->i.text, d.text,
             q.text, left.text, d.text, d.text, w->step.text);
    quotient(g, d.text, w->step.text, q.text, NULL);
    gen_line(g, "  mov.b64 %s, %s;  and.b64 %s, %s, %u;", count.text, q.text, left.text, count.text, by - 1);
    gen_line(g, "  setp.eq.s64 %%it, %s, 0;  @%%it bra P%u;\nR%u:", left.text, l, l);
    turn(g, w);
    gen_line(g, "  add.s64 %s, %s, -1;  setp.ne.s64 %%is, %s, 0;  @%%is bra R%u;\nP%u:", left.text, left.text,
             left.text, l, l);
    gen_line(g, "  setp.lt.u64 %%it, %s, %u;  @%%it bra W%u;", count.text, by, end);
    turns(g, w, by);
}

/* Perhaps all of it twice: what was stepped is written whole once more. */
static void grid_stride(struct gen *g)
{
    const unsigned end = g->labels++, again = g->labels++;
    const bool twice = gen_chance(g, 35);
    const struct walk w = begin_walk(g);
    const struct operand first = gen_wide(g), k = gen_word(g);
    gen_line(g, "  setp.ge.%c64 %%it, %s, %s;  @%%it bra W%u;", w.sign, w.i.text, w.n.text, end);
    if (twice)
        gen_line(g, "  mov.b64 %s, %s;  mov.u32 %s, 0;\nG%u:  mov.b64 %s, %s;", first.text, w.i.text, k.text,
                 again, w.i.text, first.text);
    first_places(g, &w);
    if (!twice && gen_chance(g, 40))
        unrolled(g, &w, end);
    else
        turns(g, &w, 1);
    if (twice)
        gen_line(g, "  add.u32 %s, %s, 1;  setp.lt.u32 %%iq3, %s, 2;  @%%iq3 bra G%u;", k.text, k.text,
                 k.text, again);
    gen_line(g, "W%u:", end);
}

/* Indices of 32 bits: the place is a product made in each turn, the bound a parameter. */
static void stride_of_words(struct gen *g)
{
    const unsigned l = g->labels++;
    const uint64_t out = gen_take_output(g);
    const struct operand n = gen_word(g), x = gen_word(g), step = gen_word(g), most = gen_word(g);
    gen_own_of_grid(g);
    const struct operand i = gen_word(g),
                         hide = gen_chance(g, 40) ? hidden(g, "%ix") : (struct operand){"%ix"};
    gen_line(g, "  mov.b32 %s, %s;  ld.param.u32 %s, [args];  min.u32 %s, %s, %u;", i.text, hide.text,
             most.text, n.text, most.text, gen_threads_of(g) * 4);
    gen_line(
        g,
        "  mov.u32 %%iu, %%nctaid.x;  mov.u32 %%iw, %%nctaid.y;  mul.lo.s32 %s, %%iu, %%iw;  mul.lo.s32 %s, "
        "%s, %u;",
        step.text, step.text, step.text, g->cta_threads);
    gen_line(g, "  setp.ge.s32 %%it, %s, %s;  @%%it bra W%u;\nL%u:", i.text, n.text, l, l);
    const struct operand from = gen_place(g, i.text, gen_input_at(g), 4, gen_chance(g, 70) ? 's' : 'u'),
                         to = gen_place(g, i.text, out, 4, 's');
    gen_line(g, "  ld.global.b32 %s, [%s];  xor.b32 %s, %s, %s;  st.global.b32 [%s], %s;", x.text, from.text,
             x.text, x.text, gen_source(g, PX_T_B32).text, to.text, x.text);
    gen_line(g, "  add.s32 %s, %s, %s;  setp.lt.s32 %%is, %s, %s;  @%%is bra L%u;\nW%u:", i.text, i.text,
             step.text, i.text, n.text, l, l);
}

/* ---- nested ---- */

/* Sums over lines of the input: the inner loop begins where the outer one is, ends at a bound of its own, and
 * leaves early. */
static void nested(struct gen *g)
{
    const unsigned l = g->labels++, deep = gen_below(g, 2);
    const struct operand i = gen_word(g), j = gen_word(g), k = gen_word(g), sum = gen_word(g),
                         at = gen_word(g), v = gen_word(g), n = gen_word(g);
    gen_own_of_grid(g);
    gen_line(g, "  and.b32 %s, %s, 3;  mov.u32 %s, 0;  mov.u32 %s, 0;", n.text,
             gen_chance(g, 50) ? "%ix" : gen_register(g, PX_T_B32, 0, false).text, i.text, sum.text);
    gen_line(g, "A%u:  mov.u32 %s, %s;\nB%u:  mov.u32 %s, 0;\nC%u:", l, j.text,
             gen_chance(g, 50) ? i.text : "0", l, k.text, l);
    gen_line(g, "  mad.lo.s32 %s, %s, 5, %s;  mad.lo.s32 %s, %s, 3, %s;", at.text, i.text, j.text, at.text,
             at.text, k.text);
    const struct operand from = gen_place(g, at.text, gen_input_at(g), 4, 's');
    gen_line(g, "  ld.global.b32 %s, [%s];  mad.lo.u32 %s, %s, 3, %s;", v.text, from.text, sum.text, sum.text,
             v.text);
    if (gen_chance(g, 50)) /* goes on with the next of the loop around */
        gen_line(g, "  and.b32 %s, %s, 7;  setp.eq.u32 %%iq0, %s, 5;  @%%iq0 bra N%u;", v.text, v.text,
                 v.text, l);
    if (gen_chance(g, 40)) /* leaves all of them */
        gen_line(g, "  setp.lt.s32 %%iq1, %s, -1500000000;  @%%iq1 bra W%u;", sum.text, l);
    if (deep)
        gen_line(g, "  add.u32 %s, %s, 1;  setp.lt.u32 %%is, %s, 2;  @%%is bra C%u;", k.text, k.text, k.text,
                 l);
    gen_line(g, "N%u:  add.u32 %s, %s, 1;  setp.le.u32 %%is, %s, %s;  @%%is bra B%u;", l, j.text, j.text,
             j.text, n.text, l);
    gen_line(g, "  add.u32 %s, %s, 1;  setp.lt.u32 %%is, %s, 3;  @%%is bra A%u;\nW%u:", i.text, i.text,
             i.text, l, l);
    gen_line(g, "  mov.b32 %s, %s;", gen_register(g, PX_T_B32, 0, true).text, sum.text);
}

/* As long as loaded numbers say, from one bound to the next: a line of a sparse matrix. */
static void line_of_matrix(struct gen *g)
{
    const unsigned l = g->labels++;
    const struct operand first = gen_word(g), last = gen_word(g), sum = gen_word(g), v = gen_word(g),
                         k = gen_wide(g), end = gen_wide(g), at = gen_wide(g), b = gen_wide(g),
                         x = gen_wide(g);
    gen_own_of_grid(g);
    const struct operand from = gen_place(g, "%ix", gen_input_at(g), 4, 's');
    gen_line(g, "  ld.global.b32 %s, [%s];  ld.global.b32 %s, [%s+4];", first.text, from.text, last.text,
             from.text);
    gen_line(g, "  and.b32 %s, %s, 15;  and.b32 %s, %s, 7;  add.u32 %s, %s, %s;", first.text, first.text,
             last.text, last.text, last.text, last.text, first.text);
    gen_line(g, "  cvt.s64.s32 %s, %s;  cvt.s64.s32 %s, %s;  mov.u32 %s, 1;", k.text, first.text, end.text,
             last.text, sum.text);
    gen_line(g, "  ld.param.u64 %s, [args+8];  setp.ge.s64 %%it, %s, %s;  @%%it bra W%u;", b.text, k.text,
             end.text, l);
    gen_line(g, "  shl.b64 %s, %s, 2;  add.s64 %s, %s, %s;\nL%u:", x.text, k.text, at.text, b.text, x.text,
             l);
    gen_line(g, "  ld.global.b32 %s, [%s+%llu];  mad.lo.s32 %s, %s, 5, %s;", v.text, at.text,
             (unsigned long long)gen_input_at(g), sum.text, sum.text, v.text);
    gen_line(g, "  add.s64 %s, %s, 4;  add.s64 %s, %s, 1;  setp.lt.s64 %%is, %s, %s;  @%%is bra L%u;\nW%u:",
             at.text, at.text, k.text, k.text, k.text, end.text, l, l);
    gen_line(g, "  mov.b32 %s, %s;", gen_register(g, PX_T_B32, 0, true).text, sum.text);
}

/* ---- a block's sums in shared memory ---- */

/* Half of the threads add what the other half has, then a quarter; or each adds what lies 1, 2, 4 ... before.
 */
static void reduce_block(struct gen *g)
{
    const unsigned l = g->labels++, n = g->cta_threads;
    const bool scan = gen_chance(g, 50);
    const struct operand k = gen_word(g), own = gen_wide(g), other = gen_wide(g), d = gen_wide(g),
                         x = gen_word(g), y = gen_word(g), t = gen_word(g);
    unsigned half = 1;
    while (half < n) half *= 2;
    gen_line(g, "  mov.u64 %s, plane;  mad.wide.u32 %s, %%tidl, 4, %s;", d.text, own.text, d.text);
    gen_line(g, "  bar.sync 0;  st.shared.b32 [%s], %s;  mov.u32 %s, %u;\nL%u:  bar.sync 0;", own.text,
             gen_register(g, PX_T_B32, 0, false).text, k.text, scan ? 1 : half / 2, l);
    if (scan) {
        gen_line(g,
                 "  mov.u32 %s, 0;  setp.lt.u32 %%iq0, %%tidl, %s;  @%%iq0 bra M%u;  sub.u32 %s, %%tidl, %s;",
                 x.text, k.text, l, t.text, k.text);
        gen_line(g, "  mad.wide.u32 %s, %s, 4, %s;  ld.shared.b32 %s, [%s];\nM%u:  bar.sync 0;", other.text,
                 t.text, d.text, x.text, other.text, l);
        gen_line(g, "  ld.shared.b32 %s, [%s];  add.s32 %s, %s, %s;  st.shared.b32 [%s], %s;", y.text,
                 own.text, y.text, y.text, x.text, own.text, y.text);
        gen_line(g, "  shl.b32 %s, %s, 1;  setp.lt.u32 %%is, %s, %u;  @%%is bra L%u;", k.text, k.text, k.text,
                 n, l);
    } else {
        gen_line(
            g,
            "  add.u32 %s, %%tidl, %s;  setp.ge.u32 %%iq0, %%tidl, %s;  setp.ge.or.u32 %%iq1, %s, %u, %%iq0;",
            t.text, k.text, k.text, t.text, n);
        gen_line(g, "  @%%iq1 bra M%u;  shl.b32 %s, %s, 2;  cvt.u64.u32 %s, %s;  add.s64 %s, %s, %s;", l,
                 t.text, k.text, other.text, t.text, other.text, other.text, own.text);
        gen_line(g,
                 "  ld.shared.b32 %s, [%s];  ld.shared.b32 %s, [%s];  add.s32 %s, %s, %s;  st.shared.b32 "
                 "[%s], %s;",
                 x.text, other.text, y.text, own.text, y.text, y.text, x.text, own.text, y.text);
        gen_line(g, "M%u:  shr.u32 %s, %s, 1;  setp.ne.u32 %%is, %s, 0;  @%%is bra L%u;", l, k.text, k.text,
                 k.text, l);
    }
    gen_line(g, "  bar.sync 0;  ld.shared.b32 %s, [%s];", gen_register(g, PX_T_B32, 0, true).text,
             scan ? own.text : "plane");
    gen_line(g, "  bar.sync 0;");
}

/* ---- one of them ---- */

bool gen_loop(struct gen *g)
{
    const unsigned k = gen_below(g, 12);
    if (g->inside || (k < 7 && g->planes + 1 >= INDEX_PLANES)) return false;
    struct node *before = gen_open(g, false);
    gen_declare_indices(g);
    gen_line(g, "  .reg .pred %%iq<4>;");
    switch (k) {
    default: grid_stride(g); break;
    case 5:
    case 6: stride_of_words(g); break;
    case 7: divide(g); break;
    case 8:
    case 9: nested(g); break;
    case 10: line_of_matrix(g); break;
    case 11: g->scope->uniform && !g->ended ? reduce_block(g) : divide(g); break;
    }
    gen_line(g, "}");
    gen_close(g, before);
    return true;
}
