/*
 * gen_index.c - what compilers make of thread indices: places computed from them, bounds, tiles, loops.
 *
 * A statement reads the input plane, which nobody writes, anywhere, and writes an output plane of its own, in
 * which every thread has places that no other thread names, whatever the index looks like: one after the
 * other, reversed, down the columns, a stride apart, beyond a bias that wraps around 32 bits. Reductions and
 * plain accesses take turns on such a place, tiles go through shared memory, loops count for all threads, or
 * from the thread's index, or as long as a value says. Values go to and come from registers of the pools.
 *
 * Only in the kernel; registers are declared in a block of the statement's own.
 */
#include "random/gen.h"
#include <stdio.h>
#include <string.h>

enum { LEAST_WIDE_BIAS = 64 };

uint32_t gen_threads_of(const struct gen *g)
{
    return g->cta_threads * g->ctas;
}

/* Places of planes count from the buffer's begin; the input comes first. */
uint64_t gen_input_at(const struct gen *g)
{
    return g->planes_at;
}

/* The next output plane's place; 0: all are taken. */
uint64_t gen_take_output(struct gen *g)
{
    if (g->planes == INDEX_PLANES) return 0;
    return g->planes_at + gen_input_bytes(gen_threads_of(g)) +
           g->planes++ * (uint64_t)gen_plane_bytes(gen_threads_of(g));
}

size_t gen_input_bytes(uint32_t threads)
{
    return (size_t)INDEX_INPUT * threads + 1024;
}

size_t gen_plane_bytes(uint32_t threads)
{
    return (size_t)INDEX_OUTPUT * threads + 64;
}

/* ---- indices ---- */

/* Registers that nothing else writes: what has several definitions is often nothing special to the engine. */
struct operand gen_word(struct gen *g)
{
    struct operand o;
    snprintf(o.text, sizeof o.text, "%%iw%u", g->words++ % INDEX_REGISTERS);
    return o;
}

struct operand gen_wide(struct gen *g)
{
    struct operand o;
    snprintf(o.text, sizeof o.text, "%%id%u", g->wides++ % INDEX_REGISTERS);
    return o;
}

/* b * c + d, in one of the ways in which it is written. */
static struct operand product_and_sum(struct gen *g, const char *b, const char *c, const char *d)
{
    const struct operand t = gen_word(g), a = gen_word(g);
    switch (gen_below(g, 4)) {
    case 0:
        gen_line(g, "  mul.lo.u32 %s, %s, %s;  add.u32 %s, %s, %s;", t.text, b, c, a.text, d, t.text);
        break;
    case 1:
        gen_line(g, "  mul.lo.s32 %s, %s, %s;  add.s32 %s, %s, %s;", t.text, c, b, a.text, t.text, d);
        break;
    case 2: gen_line(g, "  mad.lo.u32 %s, %s, %s, %s;", a.text, c, b, d); break;
    default: gen_line(g, "  mad.lo.s32 %s, %s, %s, %s;", a.text, b, c, d); break;
    }
    return a;
}

/* A number below the threads of the CTA that no other of its threads has. */
static struct operand own_of_block(struct gen *g)
{
    struct operand t, a = gen_word(g);
    switch (gen_below(g, 5)) {
    case 0: return product_and_sum(g, "%itx", "%iny", "%ity"); /* down the columns */
    case 1:                                                    /* reversed */
        t = product_and_sum(g, "%ity", "%inx", "%itx");
        gen_line(g, "  sub.u32 %s, %u, %s;", a.text, g->cta_threads - 1, t.text);
        return a;
    case 2: /* with columns reversed */
        gen_line(g, "  sub.s32 %s, %u, %%itx;", a.text, g->block[0] - 1);
        return product_and_sum(g, "%ity", "%inx", a.text);
    default: return product_and_sum(g, "%ity", "%inx", "%itx");
    }
}

/* Into %ix: a number below those of all threads. */
void gen_own_of_grid(struct gen *g)
{
    const struct operand own = own_of_block(g);
    gen_line(g, "  mov.u32 %%iy, %%ctaid.y;  mov.u32 %%iw, %%ctaid.x;");
    if (g->ctas > 1 && gen_chance(g, 50))
        gen_line(g, "  mov.u32 %%iu, %%nctaid.x;  mad.lo.s32 %%iz, %%iy, %%iu, %%iw;");
    else
        gen_line(g, "  add.u32 %%iz, %%iy, %%iw;"); /* one of the two is always 0 */
    if (gen_chance(g, 50))
        gen_line(g, "  mul.lo.u32 %%in, %%inx, %%iny;");
    else
        gen_line(g, "  mov.u32 %%in, %u;", g->cta_threads);
    gen_line(g, "  mov.b32 %%ix, %s;", product_and_sum(g, "%iz", "%in", own.text).text);
}

void gen_declare_indices(struct gen *g)
{
    g->words = g->wides = 0;
    gen_line(
        g,
        "{\n  .reg .b32 %%ix, %%iy, %%iz, %%iw, %%iu, %%in, %%itx, %%ity, %%inx, %%iny, %%iv, %%ic, %%ib;  "
        ".reg .pred %%it, %%is;");
    gen_line(g, "  .reg .b32 %%iw<%u>;  .reg .b64 %%id<%u>;", INDEX_REGISTERS, INDEX_REGISTERS);
    gen_line(g,
             "  mov.u32 %%itx, %%tid.x;  mov.u32 %%ity, %%tid.y;  mov.u32 %%inx, %%ntid.x;  mov.u32 %%iny, "
             "%%ntid.y;");
}

/* ---- places ---- */

/* Buffer + at + index * size, the index with its sign or without. */
struct operand gen_place(struct gen *g, const char *index, uint64_t at, uint32_t size, char sign)
{
    const struct operand buffer = gen_wide(g), moved = gen_wide(g), d = gen_wide(g), e = gen_wide(g),
                         to = gen_wide(g), last = gen_wide(g);
    const char *from = buffer.text;
    gen_line(g, "  ld.param.u64 %s, [buf];", from);
    if (gen_chance(g, 70)) {
        gen_line(g, "  add.u64 %s, %s, %lld;", moved.text, from, (long long)at);
        from = moved.text, at = 0;
    }
    switch (gen_below(g, 4)) {
    case 0:
        gen_line(g, "  mul.wide.%c32 %s, %s, %u;  add.s64 %s, %s, %s;", sign, d.text, index, size, to.text,
                 from, d.text);
        break;
    case 1: gen_line(g, "  mad.wide.%c32 %s, %s, %u, %s;", sign, to.text, index, size, from); break;
    case 2:
        gen_line(g, "  cvt.%c64.%c32 %s, %s;  mad.lo.s64 %s, %s, %u, %s;", sign, sign, d.text, index, to.text,
                 d.text, size, from);
        break;
    default:
        gen_line(g, "  cvt.%c64.%c32 %s, %s;", sign, sign, d.text, index);
        if (size & (size - 1))
            gen_line(g, "  mul.lo.s64 %s, %s, %u;", e.text, d.text, size);
        else
            gen_line(g, "  shl.b64 %s, %s, %u;", e.text, d.text, (unsigned)__builtin_ctz(size));
        gen_line(g, "  add.s64 %s, %s, %s;", to.text, e.text, from);
        break;
    }
    if (!at) return to;
    gen_line(g, "  add.u64 %s, %s, %lld;", last.text, to.text, (long long)at);
    return last;
}

/*
 * The same by an index that is so much greater, modulo 2^32. Threads for which that wraps, so that the place
 * would not be theirs, go to the label.
 */
static struct operand biased_place(struct gen *g, const char *index, uint64_t at, uint32_t size,
                                   unsigned label)
{
    const uint32_t n = gen_threads_of(g), some = gen_below(g, n + 1);
    const bool sign = gen_chance(g, 50);
    const struct operand b = gen_word(g);
    uint32_t bias;
    switch (gen_below(g, 5)) {
    case 0: bias = gen_below(g, 1000); break;
    case 1: bias = 0u - some - (sign ? 0 : n); break;      /* below 0; close under 2^32 */
    case 2: bias = (sign ? 0x80000000u : 0) - n; break;    /* fits just so */
    case 3: bias = (sign ? 0x80000000u : 0) - some; break; /* some do not */
    default: bias = LEAST_WIDE_BIAS + (uint32_t)random_next(&g->rng) % 0x7fff0000u; break;
    }
    gen_line(g, "  add.%c32 %s, %s, %d;", sign ? 's' : 'u', b.text, index, (int32_t)bias);
    if (sign)
        gen_line(g, "  setp.lt.s32 %%it, %s, %d;  @%%it bra I%u;", b.text, (int32_t)bias, label);
    else
        gen_line(g, "  setp.lt.u32 %%it, %s, %u;  @%%it bra I%u;", b.text, bias, label);
    const int64_t moved = sign ? (int64_t)(int32_t)bias : (int64_t)bias;
    return gen_place(g, b.text, at - (uint64_t)(moved * (int64_t)size), size, sign ? 's' : 'u');
}

/* Threads beyond a bound near an edge go to the label. */
static void bound(struct gen *g, const char *index, uint32_t most, unsigned label)
{
    static const char *const orders[] = {"ge", "gt", "lt", "le", "eq", "ne"};
    const uint32_t edges[] = {0,  1,   most - 1, most, most + 5, g->cta_threads, g->cta_threads - 1,
                              32, 100, 256};
    const struct operand one = gen_word(g), most_of = gen_word(g);
    uint32_t n = gen_chance(g, 30) ? gen_below(g, most + 2) : edges[gen_below(g, 10)];
    const char *order = orders[gen_below(g, gen_chance(g, 80) ? 2 : 6)], type = gen_chance(g, 50) ? 's' : 'u';
    if (gen_chance(g, 10)) n = 0u - 1 - gen_below(g, 2);
    if (gen_chance(g, 50)) {
        gen_line(g, "  ld.param.u32 %%iu, [par+%u];", 4 * gen_below(g, PARAM_BYTES / 4));
        gen_line(g, "  and.b32 %s, %%iu, 1;  add.u32 %s, %s, %d;", one.text, most_of.text, one.text,
                 (int32_t)n);
    } else
        gen_line(g, "  mov.u32 %s, %d;", most_of.text, (int32_t)n);
    if (gen_chance(g, 20)) {
        const struct operand x = gen_wide(g), y = gen_wide(g);
        gen_line(g, "  cvt.%c64.%c32 %s, %s;  cvt.%c64.%c32 %s, %s;", type, type, x.text, most_of.text, type,
                 type, y.text, index);
        gen_line(g, "  setp.%s.%c64 %%it, %s, %s;", order, type, y.text, x.text);
    } else if (gen_chance(g, 25))
        gen_line(g, "  setp.%s.%c32 %%it, %s, %s;", order, type, most_of.text, index);
    else
        gen_line(g, "  setp.%s.%c32 %%it, %s, %s;", order, type, index, most_of.text);
    gen_line(g, "  @%%it bra I%u;", label);
}

/* ---- what is done there ---- */

/* A place of the input, by some index. Stays inside for at most INDEX_INPUT bytes a thread. */
static struct operand input_place(struct gen *g, uint32_t size)
{
    const uint32_t n = gen_threads_of(g), most = INDEX_INPUT / size;
    const struct operand i = gen_word(g), k = gen_word(g);
    switch (gen_below(g, 7)) {
    case 0: /* all threads, or those of a line, the same */
        return gen_place(g, gen_chance(g, 50) ? "%ity" : "%iz", gen_input_at(g) + gen_below(g, 8) * size,
                         size, 'u');
    case 1: /* across: lines of 16 or more */
        gen_line(g, "  mul.lo.s32 %s, %%itx, %u;  add.s32 %s, %s, %%ity;", i.text,
                 g->cta_threads <= 256 ? 16u : 4u, k.text, i.text);
        return gen_place(g, k.text, gen_input_at(g), 4, 's');
    case 2: /* a stride apart */
        return gen_place(g, "%ix", gen_input_at(g), size * (1 + gen_below(g, most)), 's');
    case 3: /* backwards */
        gen_line(g, "  neg.s32 %s, %%ix;", i.text);
        return gen_place(g, i.text, gen_input_at(g) + (uint64_t)n * size, size, 's');
    case 4: /* also backwards */
        gen_line(g, "  sub.s32 %s, %u, %%ix;", i.text, n);
        return gen_place(g, i.text, gen_input_at(g), size, 'u');
    case 5: /* a neighbour */
        gen_line(g, "  add.s32 %s, %%ix, %u;", i.text, gen_below(g, 20));
        return gen_place(g, i.text, gen_input_at(g), size, 's');
    default: return gen_place(g, "%ix", gen_input_at(g) + gen_below(g, 8) * size, size, 'u');
    }
}

/* Loads of one place, and neighbours of it that lie aligned, into %iv and registers of the pools. */
static void load_some(struct gen *g)
{
    const struct operand from = input_place(g, 4), a = gen_word(g), b = gen_word(g), c = gen_word(g),
                         next = gen_wide(g);
    gen_line(g, "  ld.global%s.b32 %s, [%s];", gen_chance(g, 20) ? ".nc" : "", a.text, from.text);
    for (unsigned n = gen_below(g, 3); n--;)
        gen_line(g, "  ld.global.b32 %s, [%s+%u];", gen_register(g, PX_T_B32, 0, true).text, from.text,
                 4 * gen_below(g, 8));
    gen_line(g, "  add.u64 %s, %s, 4;  ld.global.b32 %s, [%s];  xor.b32 %s, %s, %s;", next.text, from.text,
             b.text, next.text, c.text, a.text, b.text);
    gen_line(g, "  add.u32 %%iv, %s, %s;", c.text, gen_register(g, PX_T_U32, 0, false).text);
}

static void access_plane(struct gen *g)
{
    static const uint32_t sizes[] = {4, 4, 4, 1, 2, 8, 16};
    const uint32_t size = sizes[gen_below(g, 7)];
    const unsigned l = g->labels++, n = gen_below(g, 3);
    const uint64_t at = gen_take_output(g);
    gen_own_of_grid(g);
    if (gen_chance(g, 60)) bound(g, "%ix", gen_threads_of(g), l);
    load_some(g);
    const uint32_t step = size * (gen_chance(g, 60) ? 1 : 1 + gen_below(g, INDEX_OUTPUT / size));
    const struct operand to = gen_chance(g, 50)
                                  ? biased_place(g, "%ix", at, step, l)
                                  : gen_place(g, "%ix", at, step, gen_chance(g, 50) ? 's' : 'u');
    switch (size) {
    case 1: gen_line(g, "  st.global.b8 [%s], %%iv;", to.text); break;
    case 2: gen_line(g, "  cvt.u16.u32 %%h0, %%iv;  st.global.b16 [%s], %%h0;", to.text); break;
    case 4: gen_line(g, "  st.global.b32 [%s], %%iv;", to.text); break;
    case 8: gen_line(g, "  st.global.v2.b32 [%s], {%%iv, %%ix};", to.text); break;
    default: gen_line(g, "  st.global.v4.b32 [%s], {%%iv, %%ix, %%itx, %%iv};", to.text); break;
    }
    if (size == 4 && n)
        gen_line(g, "  ld.global.b32 %s, [%s];", gen_register(g, PX_T_B32, 0, true).text, to.text);
    gen_line(g, "I%u:", l);
}

/* A loop that steps addresses, as often for all. */
static void stepped_loop(struct gen *g, const char *to)
{
    const unsigned l = g->labels++;
    const struct operand from = gen_place(g, "%ix", gen_input_at(g), 4, 's'), v = gen_word(g);
    gen_line(g, "  mov.u32 %%ic, 0;\nI%u:", l);
    gen_line(g, "  ld.global.b32 %s, [%s];  mad.lo.u32 %%iv, %%iv, 3, %s;", v.text, from.text, v.text);
    if (gen_chance(g, 50))
        gen_line(g, "  st.global.b32 [%s], %%iv;  add.s64 %s, %s, %u;", to, to, to, 4 * gen_threads_of(g));
    gen_line(g, "  add.s64 %s, %s, %u;  add.s32 %%ic, %%ic, 1;  setp.ne.s32 %%it, %%ic, %u;  @%%it bra I%u;",
             from.text, from.text, 4 * gen_below(g, 9), 1 + gen_below(g, 4), l);
}

/* From the thread's index on as far as a bound, by as many as there are threads. */
static void strided_loop(struct gen *g, const char *to)
{
    const uint32_t n = gen_threads_of(g),
                   most = gen_chance(g, 50) ? gen_below(g, 5) * n : gen_below(g, 4 * n + 1);
    const unsigned l = g->labels++;
    const struct operand v = gen_word(g);
    gen_line(g, "  setp.ge.s32 %%it, %%ix, %u;  @%%it bra E%u;\nI%u:", most, l, l);
    const struct operand from = gen_place(g, "%ix", gen_input_at(g), 4, 's');
    gen_line(g, "  ld.global.b32 %s, [%s];  xor.b32 %%iv, %%iv, %s;", v.text, from.text, v.text);
    if (gen_chance(g, 60)) gen_line(g, "  st.global.b32 [%s], %%iv;  add.s64 %s, %s, %u;", to, to, to, 4 * n);
    gen_line(g, "  add.s32 %%ix, %%ix, %u;  setp.lt.s32 %%it, %%ix, %u;  @%%it bra I%u;\nE%u:", n, most, l,
             l);
}

static void affine_loop(struct gen *g)
{
    const uint64_t at = gen_take_output(g);
    gen_own_of_grid(g);
    gen_line(g, "  mov.u32 %%iv, %%ix;");
    const struct operand to = gen_place(g, "%ix", at, 4, 's');
    gen_chance(g, 50) ? stepped_loop(g, to.text) : strided_loop(g, to.text);
    gen_line(g, "  mov.b32 %s, %%iv;", gen_register(g, PX_T_B32, 0, true).text);
}

/* Some lanes do something else in a turn. */
static void fork_in_loop(struct gen *g, unsigned l)
{
    gen_line(g, "  and.b32 %%iu, %%iv, %u;  setp.eq.u32 %%is, %%iu, 0;  @%%is bra J%u;",
             8u << gen_below(g, 6), l);
    gen_line(g, "  shr.u32 %%iv, %%iv, 1;  add.u32 %%ib, %%ib, 1;");
    if (gen_chance(g, 40)) {
        const struct operand t = gen_word(g);
        gen_line(g, "  mad.lo.u32 %s, %%iv, 3, %%ib;  xor.b32 %%ib, %%ib, %s;", t.text, t.text);
    }
    const bool rewrites = gen_chance(g, 40); /* the predicate that divided them, for later */
    if (rewrites) gen_line(g, "  setp.gt.u32 %%is, %%iv, %%ib;  add.u32 %%ib, %%ib, %%iv;");
    if (gen_chance(g, 50))
        gen_line(g, "  bra K%u;\nJ%u:  xor.b32 %%ib, %%ib, %%iv;\nK%u:", l, l, l);
    else
        gen_line(g, "J%u:", l);
    if (rewrites) gen_line(g, "  selp.u32 %%iu, 3, 9, %%is;  add.u32 %%ib, %%ib, %%iu;");
}

/* As long as a value says, far apart for different lanes. */
static void counted_by_value(struct gen *g)
{
    const unsigned l = g->labels++;
    const bool breaks = gen_chance(g, 35), elsewhere = breaks && gen_chance(g, 50);
    const uint64_t at = gen_chance(g, 60) ? gen_take_output(g) : 0;
    const struct operand value = gen_register(g, PX_T_U32, 0, true), v = gen_word(g), t = gen_word(g),
                         offset = gen_wide(g), sum = gen_wide(g);
    gen_own_of_grid(g);
    const struct operand to =
        at ? gen_place(g, "%ix", at, 4 + 12 * gen_below(g, 2), 's') : (struct operand){""};
    const struct operand from = gen_place(g, gen_chance(g, 50) ? "%ix" : "%itx", gen_input_at(g), 4, 'u');
    gen_line(g, "  and.b32 %%ic, %s, %u;", gen_register(g, PX_T_B32, 0, false).text,
             gen_chance(g, 60) ? 31 : 9);
    gen_line(g, "  mov.b32 %%iv, %s;  mov.u32 %%ib, %%ic;", gen_register(g, PX_T_B32, 0, false).text);
    gen_line(g, "  setp.eq.u32 %%is, %%ic, 0;  @%%is bra E%u;\nI%u:", l, l);
    gen_line(g, "  mad.lo.u32 %%iv, %%iv, 1664525, %%ib;");
    if (l % 2) gen_line(g, "  shl.b32 %s, %%iv, 3;  add.u32 %%ib, %%ib, %s;", t.text, t.text);
    if (l % 4 == 1) gen_line(g, "  xor.b32 %%ib, %%ib, %s;", t.text);
    if (gen_chance(g, 50)) fork_in_loop(g, l);
    if (gen_chance(g, 40))
        gen_line(
            g,
            "  and.b32 %%iu, %%iv, 28;  cvt.u64.u32 %s, %%iu;  add.u64 %s, %s, %s;  ld.global.b32 %s, [%s];  "
            "add.u32 %%ib, %%ib, %s;",
            offset.text, sum.text, offset.text, from.text, v.text, sum.text, v.text);
    if (at && gen_chance(g, 60)) gen_line(g, "  st.global.b32 [%s], %%iv;", to.text);
    if (gen_chance(g, 15)) gen_line(g, "  mov.u32 %%iu, %%tid.x;  add.u32 %%ib, %%ib, %%iu;");
    if (gen_chance(g, 20)) {
        const bool generic = gen_chance(g, 50);
        const char *space = generic ? "" : ".local", *local = generic ? "%lcg" : "loc";
        gen_line(g, "  ld%s.b32 %%iu, [%s+4];  add.u32 %%ib, %%ib, %%iu;  st%s.b32 [%s+4], %%ib;", space,
                 local, space, local);
    }
    if (gen_chance(g, 25)) gen_line(g, "  @%s add.u32 %%ib, %%ib, 5;", gen_predicate(g, false).text);
    if (breaks)
        gen_line(g, "  and.b32 %%iu, %%iv, %u;  setp.eq.u32 %%is, %%iu, 0;  @%%is bra %c%u;",
                 256u * (1 + gen_below(g, 15)), elsewhere ? 'F' : 'E', l);
    gen_line(g, "  sub.u32 %%ic, %%ic, 1;  setp.ne.u32 %%is, %%ic, 0;  @%%is bra I%u;", l);
    if (elsewhere) gen_line(g, "  bra.uni E%u;\nF%u:  mad.lo.u32 %%ib, %%ib, 5, %%iv;", l, l);
    gen_line(g, "E%u:", l);
    gen_line(g, "  add.u32 %s, %%iv, %%ib;", value.text);
    if (at) gen_line(g, "  st.global.b32 [%s], %%ib;", to.text);
}

/* ---- reductions and plain accesses of one place ---- */

static void reduce_place(struct gen *g)
{
    static const char *const ops[] = {"add.u32", "min.u32", "max.s32", "and.b32",
                                      "or.b32",  "xor.b32", "max.u32"};
    const char *op = ops[gen_below(g, 7)];
    const uint64_t at = gen_take_output(g);
    gen_own_of_grid(g);
    const struct operand to = gen_place(g, "%ix", at, 4 + 12 * gen_below(g, 2), 'u');
    for (unsigned n = 3 + gen_below(g, 5); n--;) {
        const char *guard = gen_guard(g);
        const struct operand value = gen_source(g, PX_T_U32), read = gen_register(g, PX_T_B32, 0, true);
        if (gen_chance(g, 30)) op = ops[gen_below(g, 7)];
        switch (gen_below(g, 7)) {
        case 0: gen_line(g, "  %sld.global.b32 %s, [%s];", guard, read.text, to.text); break;
        case 1: gen_line(g, "  %sst.global.b32 [%s], %s;", guard, to.text, value.text); break;
        case 2: gen_line(g, "  %satom.global.%s %%iv, [%s], %s;", guard, op, to.text, value.text); break;
        default: gen_line(g, "  %sred.global.%s [%s], %s;", guard, op, to.text, value.text); break;
        }
    }
    if (gen_chance(g, 50))
        gen_line(g, "  ld.global.b32 %s, [%s];", gen_register(g, PX_T_B32, 0, true).text, to.text);
}

/* ---- tiles ---- */

/* A square block, so that each place of the tile is somebody's. */
static bool has_tiles(const struct gen *g)
{
    return g->scope->uniform && g->block[0] == g->block[1] && !g->ended;
}

/* Words into shared memory line by line, from there down the columns, or the other way round. */
static void tile(struct gen *g)
{
    const uint64_t at = gen_take_output(g);
    const bool across = gen_chance(g, 50);
    const struct operand base = gen_wide(g), a = gen_wide(g), b = gen_wide(g), v = gen_word(g),
                         line = gen_word(g);
    gen_own_of_grid(g);
    load_some(g);
    gen_line(g, "  add.u32 %s, %%inx, %u;", line.text,
             gen_below(g, 2)); /* perhaps a word more than is used */
    const struct operand own = product_and_sum(g, "%ity", line.text, "%itx"),
                         other = product_and_sum(g, "%itx", line.text, "%ity");
    gen_line(g, "  mov.u64 %s, plane;  mad.wide.u32 %s, %s, 4, %s;  mad.wide.u32 %s, %s, 4, %s;", base.text,
             a.text, own.text, base.text, b.text, other.text, base.text);
    gen_line(g, "  bar.sync 0;  st.shared.b32 [%s], %%iv;", across ? b.text : a.text);
    gen_line(g, "  bar.sync 0;  ld.shared.b32 %s, [%s];", v.text, across ? a.text : b.text);
    const struct operand to = gen_place(g, "%ix", at, 4, 's');
    gen_line(g, "  st.global.b32 [%s], %s;  mov.b32 %s, %s;", to.text, v.text,
             gen_register(g, PX_T_B32, 0, true).text, v.text);
}

/* Across device memory: lines of the plane are as long as the block, or as 16. */
static void tile_in_memory(struct gen *g)
{
    const uint64_t at = gen_take_output(g);
    const struct operand a = gen_word(g), b = gen_word(g), k = gen_word(g), v = gen_word(g),
                         first = gen_word(g);
    gen_own_of_grid(g);
    const struct operand in = input_place(g, 4);
    gen_line(g, "  ld.global.b32 %s, [%s];", a.text, in.text);
    const struct operand down = product_and_sum(g, "%itx", "%iny", "%ity");
    gen_line(g, "  mul.lo.u32 %s, %%iz, %u;  add.u32 %s, %s, %s;", first.text, g->cta_threads, k.text,
             down.text, first.text);
    const struct operand from = gen_place(g, k.text, gen_input_at(g), gen_chance(g, 50) ? 4 : 8, 's');
    gen_line(g, "  ld.global.b32 %s, [%s];  xor.b32 %s, %s, %s;", b.text, from.text, v.text, a.text, b.text);
    const struct operand to = gen_place(g, k.text, at, 4u << (gen_chance(g, 60) ? 0 : gen_below(g, 3)), 's');
    if (gen_chance(g, 30))
        gen_line(g, "  cvt.u16.u32 %%h0, %s;  st.global.b16 [%s], %%h0;", v.text, to.text);
    else
        gen_line(g, "  st.global.b32 [%s], %s;", to.text, v.text);
    gen_line(g, "  mov.b32 %s, %s;", gen_register(g, PX_T_B32, 0, true).text, v.text);
}

/*
 * What the engine takes for tiles, and what looks like them at its begin: lines across memory, elements of
 * any size, columns in order, or in pairs that change places.
 */
static void tile_of_any(struct gen *g)
{
    static const char *const types[] = {"b8", "b16", "b32", "v2.b32", "v4.b32"};
    const unsigned k = gen_chance(g, 40) ? 2 : gen_below(g, 5), size = 1u << k;
    const uint64_t at = gen_take_output(g);
    const struct operand column = gen_word(g), half = gen_word(g), odd = gen_word(g), own = gen_word(g),
                         first = gen_word(g), line = gen_word(g), v = gen_word(g);
    char values[40];
    gen_own_of_grid(g);
    if (gen_chance(g, 40))
        gen_line(g, "  shr.u32 %s, %%ity, 1;  and.b32 %s, %s, 1;  xor.b32 %s, %%ity, %s;", half.text,
                 odd.text, half.text, column.text, odd.text);
    else
        gen_line(g, "  mov.b32 %s, %%ity;", column.text);
    gen_line(g, "  mul.lo.u32 %s, %%iz, %u;  mad.lo.u32 %s, %%itx, 16, %s;  add.u32 %s, %s, %s;", first.text,
             g->cta_threads, line.text, column.text, own.text, line.text, first.text);
    const struct operand from = gen_place(g, own.text, gen_input_at(g), size, 's'),
                         to = gen_place(g, own.text, at, size, 's');
    if (k < 2)
        gen_line(g, "  ld.global.u%u %s, [%s];  st.global.%s [%s], %s;", 8 * size, v.text, from.text,
                 types[k], to.text, v.text);
    else {
        const char *const forms[] = {"%s", "{%s, %%ix}", "{%s, %%ix, %%itx, %s}"};
        snprintf(values, sizeof values, forms[k - 2], v.text, v.text);
        gen_line(g, "  ld.global.b32 %s, [%s];  st.global.%s [%s], %s;", v.text, from.text, types[k], to.text,
                 values);
    }
    gen_line(g, "  mov.b32 %s, %s;", gen_register(g, PX_T_B32, 0, true).text, v.text);
}

/* ---- what a term must not be taken for ---- */

/* What an index says about a number of 64 bits, to the thread's place of a plane. */
static void say(struct gen *g, const char *number, const char *other, char type, uint64_t at)
{
    const unsigned l = g->labels++;
    const struct operand to = gen_place(g, "%ix", at, 4, 's'), v = gen_word(g);
    gen_line(g, "  mov.u32 %s, 1;  setp.lt.%c64 %%it, %s, %s;  @%%it bra I%u;  mov.u32 %s, 2;\nI%u:", v.text,
             type, number, other, l, v.text, l);
    gen_line(g, "  st.global.b32 [%s], %s;", to.text, v.text);
}

/* Sums that wrap, for some of the threads, before they are extended: nobody asked for that before. */
static void extended(struct gen *g)
{
    const bool sign = gen_chance(g, 60);
    const char c = sign ? 's' : 'u';
    const uint32_t n = gen_threads_of(g), some = gen_below(g, n < 64 ? n + 1 : 64);
    const uint64_t at = gen_take_output(g);
    const struct operand b = gen_word(g), d = gen_wide(g), e = gen_wide(g);
    gen_own_of_grid(g);
    gen_line(g, "  add.u32 %s, %%ix, %d;", b.text, (int32_t)((sign ? 0x80000000u : 0) - some));
    if (gen_chance(g, 50))
        gen_line(g, "  cvt.%c64.%c32 %s, %s;", c, c, d.text, b.text);
    else
        gen_line(g, "  mul.wide.%c32 %s, %s, 1;", c, d.text, b.text);
    gen_line(g, "  mov.u64 %s, %lld;", e.text, sign ? 0ll : 0x80000000ll);
    say(g, d.text, e.text, c, at);
}

/* Products by numbers whose first bit is set. */
static void by_great_numbers(struct gen *g)
{
    const uint64_t at = gen_take_output(g);
    const uint32_t factor = 0x80000000u + gen_below(g, 9) * 4;
    const struct operand d = gen_wide(g), e = gen_wide(g);
    gen_own_of_grid(g);
    gen_line(g, "  mul.wide.u32 %s, %s, %u;", d.text, gen_chance(g, 50) ? "%itx" : "%ix", factor);
    gen_line(g, "  mov.u64 %s, %llu;", e.text, 0x80000000ull * gen_below(g, 300));
    say(g, d.text, e.text, gen_chance(g, 50) ? 's' : 'u', at);
}

/* Into %it a condition that all threads of a block agree on: plainly a scalar, or a value that happens to be
 * the same. */
static void same_for_all(struct gen *g)
{
    switch (gen_below(g, 4)) {
    case 0:
        gen_line(g, "  ld.param.u32 %%iu, [par+%u];  and.b32 %%iu, %%iu, 1;  setp.eq.u32 %%it, %%iu, 0;",
                 4 * gen_below(g, PARAM_BYTES / 4));
        break;
    case 1: gen_line(g, "  mov.u32 %%iu, %%ctaid.x;  setp.lt.u32 %%it, %%iu, %u;", gen_below(g, 3)); break;
    default: gen_line(g, "  %s.pred %%it, %%e%u;", gen_chance(g, 50) ? "mov" : "not", gen_below(g, 2)); break;
    }
}

/* An index that comes in two ways, or is zero where nothing has written it. */
static void index_of_two_ways(struct gen *g)
{
    const unsigned l = g->labels++, size = 4u << gen_below(g, 3);
    const uint64_t at = gen_take_output(g);
    const struct operand i = gen_word(g), buffer = gen_wide(g), input = gen_wide(g), from = gen_wide(g),
                         d = gen_wide(g), v = gen_word(g);
    gen_own_of_grid(g);
    same_for_all(g);
    if (gen_chance(g, 50)) gen_line(g, "  mul.lo.u32 %s, %%itx, %u;", i.text, size);
    gen_line(g, "  @%%it bra I%u;  mul.lo.u32 %s, %%itx, %u;\nI%u:", l, i.text,
             size * (1 + gen_below(g, 2)) + 4, l);
    gen_line(g, "  ld.param.u64 %s, [buf];  add.u64 %s, %s, %llu;", buffer.text, input.text, buffer.text,
             (unsigned long long)gen_input_at(g));
    if (gen_chance(g, 70))
        gen_line(g, "  mul.wide.u32 %s, %s, 1;", d.text, i.text);
    else
        gen_line(g, "  cvt.u64.u32 %s, %s;", d.text, i.text);
    gen_line(g, "  add.u64 %s, %s, %s;  ld.global.b32 %s, [%s];", from.text, input.text, d.text, v.text,
             from.text);
    const struct operand to = gen_place(g, "%ix", at, 4, 's');
    gen_line(g, "  st.global.b32 [%s], %s;", to.text, v.text);
}

/* A multiple that is another one in the next block, or the next launch. */
static void by_number(struct gen *g)
{
    const uint64_t at = gen_take_output(g);
    const struct operand i = gen_word(g), k = gen_word(g), j = gen_word(g), v = gen_word(g);
    const bool param = gen_chance(g, 40);
    const unsigned l = g->labels++;
    gen_own_of_grid(g);
    if (param)
        gen_line(g, "  ld.param.u32 %s, [par+%u];", k.text, 4 * gen_below(g, PARAM_BYTES / 4));
    else
        gen_line(g, "  mov.u32 %s, %%ctaid.%c;", k.text, gen_chance(g, 80) ? 'x' : 'y');
    gen_line(g, "  mul.lo.u32 %s, %%itx, %s;", i.text, k.text);
    if (param) gen_line(g, "  and.b32 %s, %s, 31;", j.text, i.text);
    const struct operand from = gen_place(g, param ? j.text : i.text, gen_input_at(g), 4u << gen_below(g, 3),
                                          's'),
                         to = gen_place(g, "%ix", at, 4, 's');
    gen_line(g, "  ld.global.b32 %s, [%s];", v.text, from.text);
    if (param)
        gen_line(g, "  setp.lt.s32 %%it, %s, %u;  @%%it bra I%u;  add.u32 %s, %s, %s;\nI%u:", i.text,
                 gen_below(g, 64), l, v.text, v.text, i.text, l);
    gen_line(g, "  st.global.b32 [%s], %s;", to.text, v.text);
}

static void not_a_term(struct gen *g)
{
    switch (gen_below(g, 6)) {
    case 0: extended(g); break;
    case 1: by_great_numbers(g); break;
    case 2:
    case 3:
    case 4: index_of_two_ways(g); break;
    default: by_number(g); break;
    }
}

/* ---- loads that are multiplied ---- */

static void products_of_loads(struct gen *g)
{
    const uint64_t at = gen_take_output(g);
    const struct operand d = gen_word(g), e = gen_word(g);
    gen_own_of_grid(g);
    const struct operand one = gen_place(g, "%ix", gen_input_at(g), 4, 's'),
                         two = gen_place(g, "%ix", gen_input_at(g) + 4 * gen_below(g, 8),
                                         4u << gen_below(g, 2), 's'),
                         to = gen_place(g, "%ix", at, 8, 's');
    gen_line(g, "  mov.f32 %%zf0, 0f3fc00000;  .reg .f32 %%if<4>;  cvt.rn.f32.u32 %%if3, %%itx;");
    gen_line(g, "  ld.global.f32 %%if0, [%s];  ld.global.f32 %%if1, [%s];", one.text, two.text);
    static const char *const fmas[] = {"%if0, %if1, %if3", "%if1, %if0, %if3", "%if0, %zf0, %if1",
                                       "%zf0, %if1, %if0", "%if0, %if1, %if3", "%if3, %if1, %if0",
                                       "%if0, %if3, %if1"};
    gen_line(g, "  fma.rn.f32 %%if2, %s;", fmas[gen_below(g, 7)]);
    gen_line(g, "  mov.b32 %s, %%if2;  mov.b32 %s, %s;", d.text, e.text,
             gen_chance(g, 40)   ? "%if1"
             : gen_chance(g, 50) ? "%if0"
                                 : "%if2");
    gen_line(g, "  st.global.v2.b32 [%s], {%s, %s};", to.text, d.text, e.text);
}

/* ---- elements that a row of numbers names ---- */

/* As the columns of a sparse matrix do: numbers that are loaded, with a sign or without; the product or the
 * place is perhaps read again. */
static void numbered(struct gen *g)
{
    const bool sign = gen_chance(g, 50);
    const uint32_t size = gen_chance(g, 70) ? 4 : 8, most = 1024 / size - 4;
    const uint64_t at = gen_take_output(g);
    const struct operand n = gen_word(g), number = gen_word(g), v = gen_word(g), w = gen_word(g),
                         base = gen_wide(g), from = gen_wide(g), p = gen_wide(g), q = gen_wide(g),
                         d = gen_wide(g);
    gen_own_of_grid(g);
    const struct operand in = gen_place(g, "%ix", gen_input_at(g), 4, 's'),
                         to = gen_place(g, "%ix", at, 4, 's');
    gen_line(g, "  ld.param.u64 %s, [buf];  add.u64 %s, %s, %llu;", base.text, from.text, base.text,
             (unsigned long long)gen_input_at(g) + (sign ? most / 2 * size : 0));
    gen_line(g, "  ld.global.b32 %s, [%s];  rem.u32 %s, %s, %u;", n.text, in.text, number.text, n.text, most);
    if (sign) gen_line(g, "  sub.s32 %s, %s, %u;", number.text, number.text, most / 2);
    gen_line(g, "  mul.wide.%c32 %s, %s, %u;", sign ? 's' : 'u', p.text, number.text, size);
    gen_line(g, "  add.s64 %s, %s, %s;", q.text, from.text, p.text);
    if (size == 4)
        gen_line(g, "  ld.global.b32 %s, [%s+%u];", v.text, q.text, 4 * gen_below(g, 2));
    else
        gen_line(g, "  ld.global.b64 %s, [%s];  cvt.u32.u64 %s, %s;", d.text, q.text, v.text, d.text);
    if (gen_chance(g, 30))
        gen_line(g, "  cvt.u32.u64 %s, %s;  xor.b32 %s, %s, %s;", w.text, p.text, v.text, v.text, w.text);
    if (gen_chance(g, 30))
        gen_line(g, "  ld.global.b32 %s, [%s+8];  add.u32 %s, %s, %s;", w.text, q.text, v.text, v.text,
                 w.text);
    gen_line(g, "  st.global.b32 [%s], %s;", to.text, v.text);
}

/* ---- one of them ---- */

bool gen_index(struct gen *g)
{
    if (g->inside || g->planes + 1 >= INDEX_PLANES) return false;
    struct node *before = gen_open(g, false);
    gen_declare_indices(g);
    switch (gen_below(g, 16)) {
    case 14:
    case 15: numbered(g); break;
    case 0:
    case 1: affine_loop(g); break;
    case 2: counted_by_value(g); break;
    case 3: reduce_place(g); break;
    case 4:
    case 5: g->block[0] == 16 && g->block[1] == 16 ? tile_of_any(g) : tile_in_memory(g); break;
    case 6: has_tiles(g) ? tile(g) : access_plane(g); break;
    case 7:
    case 8:
    case 9: not_a_term(g); break;
    case 10: products_of_loads(g); break;
    default: access_plane(g); break;
    }
    gen_line(g, "}");
    gen_close(g, before);
    return true;
}
