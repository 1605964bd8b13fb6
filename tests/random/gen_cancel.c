/*
 * gen_cancel.c - sums of thread indices in which terms cancel: an index less itself, twice an index less it,
 * products of differences, in 32 and 64 bits, in one block, across blocks, in loops.
 *
 * A number is x * tid.x + y * tid.y + c, modulo 2^32 or 2^64; x, y and c are known here, whatever way it was
 * made. The last step takes away what it has too much, so that it becomes what a use wants: the thread's own
 * number, or the same small number for all threads. Uses are addresses of every space, operands, comparisons.
 *
 * Only in the kernel; registers are those of gen_declare_indices.
 */
#include "random/gen.h"
#include <stdio.h>
#include <string.h>

enum { NUMBERS_MOST = 20, SMALL = 1 << 12 };

struct number {
    char text[48];
    bool wide;
    int64_t x, y, c; /* modulo the width, with a sign */
};

struct numbers {
    struct gen *g;
    struct number at[NUMBERS_MOST];
    unsigned n;
};

/* ---- one number ---- */

static unsigned bits_of(const struct number *a)
{
    return a->wide ? 64 : 32;
}

static char sign_of(struct gen *g)
{
    return gen_chance(g, 50) ? 's' : 'u';
}

static int64_t modulo(uint64_t value, bool wide)
{
    return wide ? (int64_t)value : (int32_t)(uint32_t)value;
}

/* a + by * b, in a new register that nobody has written yet. */
static struct number combined(struct gen *g, const struct number *a, const struct number *b, int64_t by)
{
    struct number d = {.wide = a->wide};
    const struct operand o = d.wide ? gen_wide(g) : gen_word(g);
    memcpy(d.text, o.text, sizeof d.text);
    d.x = modulo((uint64_t)a->x + (uint64_t)by * (uint64_t)b->x, d.wide);
    d.y = modulo((uint64_t)a->y + (uint64_t)by * (uint64_t)b->y, d.wide);
    d.c = modulo((uint64_t)a->c + (uint64_t)by * (uint64_t)b->c, d.wide);
    return d;
}

static struct number constant(int64_t c, bool wide)
{
    struct number d = {.wide = wide, .c = modulo((uint64_t)c, wide)};
    snprintf(d.text, sizeof d.text, "%lld", (long long)d.c);
    return d;
}

static const struct number *pick(struct numbers *s, bool wide)
{
    const unsigned first = gen_below(s->g, s->n);
    for (unsigned i = 0; i < s->n; i++)
        if (s->at[(first + i) % s->n].wide == wide) return &s->at[(first + i) % s->n];
    return NULL;
}

static void add(struct numbers *s, struct number d)
{
    if (s->n < NUMBERS_MOST) s->at[s->n++] = d;
}

/* ---- steps ---- */

static struct number sum(struct gen *g, const struct number *a, const struct number *b)
{
    const struct number d = combined(g, a, b, 1);
    gen_line(g, "  add.%c%u %s, %s, %s;", sign_of(g), bits_of(a), d.text, a->text, b->text);
    return d;
}

static struct number difference(struct gen *g, const struct number *a, const struct number *b)
{
    const struct number d = combined(g, a, b, -1);
    gen_line(g, "  sub.%c%u %s, %s, %s;", sign_of(g), bits_of(a), d.text, a->text, b->text);
    return d;
}

static struct number multiple(struct gen *g, const struct number *a, int64_t by)
{
    const struct number zero = constant(0, a->wide), d = combined(g, &zero, a, by);
    const uint64_t power = (uint64_t)by;
    if (by > 0 && !(power & (power - 1)) && gen_chance(g, 50))
        gen_line(g, "  shl.b%u %s, %s, %u;", bits_of(a), d.text, a->text, (unsigned)__builtin_ctzll(power));
    else if (by == -1 && gen_chance(g, 60))
        gen_line(g, gen_chance(g, 50) ? "  neg.s%u %s, %s;" : "  sub.s%u %s, 0, %s;", bits_of(a), d.text,
                 a->text);
    else if (gen_chance(g, 30))
        gen_line(g, "  mul.lo.%c%u %s, %lld, %s;", sign_of(g), bits_of(a), d.text,
                 (long long)modulo(power, a->wide), a->text);
    else
        gen_line(g, "  mul.lo.%c%u %s, %s, %lld;", sign_of(g), bits_of(a), d.text, a->text,
                 (long long)modulo(power, a->wide));
    return d;
}

static struct number multiple_and_sum(struct gen *g, const struct number *a, int64_t by,
                                      const struct number *b)
{
    const struct number d = combined(g, b, a, by);
    gen_line(g, "  mad.lo.%c%u %s, %s, %lld, %s;", sign_of(g), bits_of(a), d.text, a->text,
             (long long)modulo((uint64_t)by, a->wide), b->text);
    return d;
}

static struct number copy(struct gen *g, const struct number *a)
{
    const struct number zero = constant(0, a->wide), d = combined(g, a, &zero, 0);
    gen_line(g, "  mov.b%u %s, %s;", bits_of(a), d.text, a->text);
    return d;
}

/* The product of a number and one that is the same for all threads, though not plainly. */
static bool product(struct numbers *s, bool wide)
{
    const struct number *a = pick(s, wide), *b = pick(s, wide), zero = constant(0, wide);
    if (!a || !b || b->x || b->y) return false;
    const struct number d = combined(s->g, &zero, a, b->c);
    gen_line(s->g, "  mul.lo.%c%u %s, %s, %s;", sign_of(s->g), bits_of(a), d.text, a->text, b->text);
    add(s, d);
    return true;
}

/* Is the sum, of whole numbers, at least `least` and below 2^31 for all threads? */
static bool fits(const struct gen *g, const struct number *a, int64_t least)
{
    if (a->wide) return false;
    const int64_t ends[] = {a->x * (g->block[0] - 1), a->y * (g->block[1] - 1)};
    int64_t low = a->c, high = a->c;
    for (unsigned i = 0; i < 2; i++) {
        low += ends[i] < 0 ? ends[i] : 0;
        high += ends[i] < 0 ? 0 : ends[i];
    }
    return low >= least && high <= INT32_MAX;
}

static struct number widened(struct gen *g, const struct number *a, int64_t by)
{
    const char sign = fits(g, a, 0) && gen_chance(g, 50) ? 'u' : 's';
    struct number zero = constant(0, true), d = combined(g, &zero, a, by);
    if (by == 1 && gen_chance(g, 50))
        gen_line(g, "  cvt.%c64.%c32 %s, %s;", sign, sign, d.text, a->text);
    else
        gen_line(g, "  mul.wide.%c32 %s, %s, %lld;", sign, d.text, a->text, (long long)by);
    return d;
}

static bool extension(struct numbers *s)
{
    const struct number *a = pick(s, false);
    if (!a || !fits(s->g, a, INT32_MIN)) return false;
    add(s, widened(s->g, a, gen_chance(s->g, 50) ? 1 : 1 + gen_below(s->g, 12)));
    return true;
}

static bool low_half(struct numbers *s)
{
    const struct number *a = pick(s, true), zero = constant(0, false);
    if (!a) return false;
    const struct number d = combined(s->g, &zero, a, 1);
    gen_line(s->g, "  cvt.u32.u64 %s, %s;", d.text, a->text);
    add(s, d);
    return true;
}

/* ---- across blocks ---- */

/* The block ends here; some lanes, all or none go around an instruction that nothing else is made of. */
static void split(struct gen *g)
{
    const unsigned l = g->labels++;
    const struct operand v = gen_register(g, PX_T_U32, 0, true);
    gen_line(g, "  @%s%s bra I%u;  add.u32 %s, %s, 3;\nI%u:", gen_chance(g, 30) ? "!" : "",
             gen_chance(g, 50) ? "%e1" : gen_predicate(g, false).text, l, v.text, v.text, l);
}

/* One register that two ways write, each in its own way, with one number. */
static void two_ways(struct numbers *s, const struct number *a)
{
    struct gen *g = s->g;
    const unsigned l = g->labels++;
    const struct number zero = constant(0, a->wide), d = combined(g, a, &zero, 0), *b = pick(s, a->wide);
    const struct number more = sum(g, a, b);
    gen_line(g, "  @%s bra I%u;", gen_chance(g, 50) ? "%e0" : gen_predicate(g, false).text, l);
    gen_line(g, "  sub.s%u %s, %s, %s;  bra.uni J%u;", bits_of(a), d.text, more.text, b->text, l);
    gen_line(g, "I%u:  mov.b%u %s, %s;\nJ%u:", l, bits_of(a), d.text, a->text, l);
    add(s, d);
}

/* A loop that adds one number and takes away another one: what is left each turn may be nothing. */
static void turns(struct numbers *s, const struct number *a)
{
    struct gen *g = s->g;
    const unsigned l = g->labels++, n = 1 + gen_below(g, 4);
    const struct number *more = pick(s, a->wide), *less = gen_chance(g, 60) ? more : pick(s, a->wide);
    const struct operand count = gen_word(g);
    struct number d = copy(g, a);
    gen_line(g, "  mov.u32 %s, 0;\nI%u:  add.u%u %s, %s, %s;", count.text, l, bits_of(a), d.text, d.text,
             more->text);
    if (gen_chance(g, 40))
        gen_line(g, "  ld.global.b32 %s, [%%slot];", gen_register(g, PX_T_B32, 0, true).text);
    gen_line(g, "  sub.s%u %s, %s, %s;  add.u32 %s, %s, 1;  setp.lt.u32 %%it, %s, %u;  @%%it bra I%u;",
             bits_of(a), d.text, d.text, less->text, count.text, count.text, count.text, n, l);
    d.x = modulo((uint64_t)d.x + n * ((uint64_t)more->x - (uint64_t)less->x), d.wide);
    d.y = modulo((uint64_t)d.y + n * ((uint64_t)more->y - (uint64_t)less->y), d.wide);
    d.c = modulo((uint64_t)d.c + n * ((uint64_t)more->c - (uint64_t)less->c), d.wide);
    add(s, d);
}

/* ---- all of them ---- */

static void step(struct numbers *s)
{
    struct gen *g = s->g;
    const bool wide = gen_chance(g, 40) && pick(s, true);
    const struct number *a = pick(s, wide), *b = gen_chance(g, 25) ? a : pick(s, wide);
    const int64_t by = (int64_t)gen_below(g, 20) - 8;
    switch (gen_below(g, 16)) {
    case 0:
    case 1: add(s, sum(g, a, b)); break;
    case 2:
    case 3:
    case 4: add(s, difference(g, a, b)); break;
    case 5: add(s, multiple(g, a, by)); break;
    case 6: add(s, multiple_and_sum(g, a, by, b)); break;
    case 7: add(s, copy(g, a)); break;
    case 8:
    case 9: product(s, wide); break;
    case 10:
    case 11: extension(s); break;
    case 12: low_half(s); break;
    case 13: two_ways(s, a); break;
    case 14: turns(s, a); break;
    default: split(g); break;
    }
}

/* A thread's index in as many bits. */
static struct number index_of(struct gen *g, bool y, bool wide)
{
    struct number d = {.x = !y, .y = y};
    snprintf(d.text, sizeof d.text, "%s", y ? "%ity" : "%itx");
    return wide ? widened(g, &d, 1) : d;
}

/* The number less what it has more than x * tid.x + y * tid.y + c, one after the other. */
static struct number brought_to(struct gen *g, struct number a, int64_t x, int64_t y, int64_t c)
{
    const unsigned first = gen_below(g, 3);
    for (unsigned i = 0; i < 3; i++) {
        const unsigned which = (first + i) % 3;
        const int64_t more = modulo((uint64_t)(which == 0   ? a.x
                                               : which == 1 ? a.y
                                                            : a.c) -
                                        (uint64_t)(which == 0   ? x
                                                   : which == 1 ? y
                                                                : c),
                                    a.wide);
        if (!more) continue;
        struct number too_much = constant(more, a.wide);
        if (which < 2) too_much = index_of(g, which, a.wide);
        if (which < 2 && more != 1) too_much = multiple(g, &too_much, more);
        a = difference(g, &a, &too_much);
    }
    return a;
}

/* ---- uses ---- */

/* base + a, as 64 bits; the number fits. */
static struct operand address(struct gen *g, const char *base, const struct number *a)
{
    const struct operand to = gen_wide(g);
    const struct number w = a->wide ? *a : widened(g, a, 1);
    gen_line(g, gen_chance(g, 50) ? "  add.s64 %s, %s, %s;" : "  add.u64 %s, %s, %s;", to.text, base, w.text);
    return to;
}

/* A place of a table, of parameters, or of the thread's local memory: the same for all threads. */
static void one_place(struct gen *g, const struct number *a)
{
    static const char *const names[] = {"gtab", "ctab", "par", "loc"};
    static const char *const spaces[] = {"global", "const", "param", "local"};
    static const unsigned bytes[] = {TABLE_BYTES, TABLE_BYTES, PARAM_BYTES, LOCAL_BYTES};
    const unsigned k = gen_below(g, 4), at = 4 * gen_below(g, bytes[k] / 4);
    const struct operand base = gen_wide(g);
    const struct number n = brought_to(g, *a, 0, 0, at);
    gen_line(g, "  mov.u64 %s, %s;", base.text, names[k]);
    const struct operand to = address(g, base.text, &n);
    if (k == 3 && gen_chance(g, 50))
        gen_line(g, "  st.local.b32 [%s], %s;", to.text, gen_register(g, PX_T_B32, 0, false).text);
    gen_line(g, "  ld.%s.b32 %s, [%s];", spaces[k], gen_register(g, PX_T_B32, 0, true).text, to.text);
}

/* A cell that all threads add to. */
static void one_cell(struct gen *g, const struct number *a)
{
    const struct operand base = gen_wide(g), one = gen_register(g, PX_T_U32, 0, false);
    const struct number n = brought_to(g, *a, 0, 0, 0);
    gen_line(g, "  ld.param.u64 %s, [buf];", base.text);
    gen_line(g, "  red.global.add.u32 [%s], %s;", address(g, base.text, &n).text, one.text);
}

/* The thread's own shared memory. */
static void own_shared(struct gen *g, const struct number *a)
{
    const unsigned at = 4 * gen_below(g, SHARED_SLOT / 4);
    const struct operand base = gen_wide(g);
    const struct number n = brought_to(g, *a, SHARED_SLOT, (int64_t)SHARED_SLOT * g->block[0], at);
    gen_line(g, "  mov.u64 %s, own;", base.text);
    const struct operand to = address(g, base.text, &n);
    gen_line(g, "  ld.shared.b32 %s, [%s];  st.shared.b32 [%s], %s;", gen_register(g, PX_T_B32, 0, true).text,
             to.text, to.text, gen_register(g, PX_T_B32, 0, false).text);
}

/* The input by some small multiples of the indices; bytes or words. */
static void input(struct gen *g, const struct number *a)
{
    const unsigned size = gen_chance(g, 50) ? 4 : 1;
    const struct operand base = gen_wide(g), from = gen_wide(g);
    const struct number n = brought_to(g, *a, size * gen_below(g, 4), size * gen_below(g, 4) * g->block[0],
                                       size * gen_below(g, 64));
    gen_line(g, "  ld.param.u64 %s, [buf];  add.u64 %s, %s, %llu;", base.text, from.text, base.text,
             (unsigned long long)gen_input_at(g));
    gen_line(g, "  ld.global.%s %s, [%s];", size == 1 ? "u8" : "b32", gen_register(g, PX_T_U32, 0, true).text,
             address(g, from.text, &n).text);
}

/* The thread's own place of an output plane, of its CTA's part. */
static void output(struct gen *g, const struct number *a)
{
    const uint64_t at = gen_take_output(g);
    const struct operand base = gen_wide(g), plane = gen_wide(g), part = gen_wide(g), own = gen_wide(g);
    const struct number n = brought_to(g, *a, 4, 4 * (int64_t)g->block[0], 0);
    gen_line(g, "  mov.u32 %%iy, %%ctaid.y;  mov.u32 %%iw, %%ctaid.x;  add.u32 %%iz, %%iy, %%iw;");
    gen_line(g, "  ld.param.u64 %s, [buf];  add.u64 %s, %s, %llu;  mul.wide.u32 %s, %%iz, %u;", base.text,
             plane.text, base.text, (unsigned long long)at, part.text, 4 * g->cta_threads);
    gen_line(g, "  add.s64 %s, %s, %s;", own.text, plane.text, part.text);
    gen_line(g, "  st.global.b32 [%s], %s;", address(g, own.text, &n).text,
             gen_register(g, PX_T_B32, 0, false).text);
}

/* Two numbers that differ by a constant, or are small: threads agree, or part. */
static void comparison(struct numbers *s, const struct number *a)
{
    static const char *const orders[] = {"lt", "ge", "eq", "ne", "gt"};
    struct gen *g = s->g;
    const unsigned l = g->labels++;
    const struct number b = *pick(s, a->wide),
                        d = gen_chance(g, 50) ? brought_to(g, b, a->x, a->y, gen_below(g, SMALL)) : b;
    const struct operand v = gen_word(g);
    gen_line(g, "  mov.u32 %s, 1;  setp.%s.%c%u %%it, %s, %s;  @%%it bra I%u;  mov.u32 %s, 2;\nI%u:", v.text,
             orders[gen_below(g, 5)], sign_of(g), bits_of(a), a->text, d.text, l, v.text, l);
    gen_line(g, "  mov.b32 %s, %s;", gen_register(g, PX_T_B32, 0, true).text, v.text);
}

static void use(struct numbers *s)
{
    struct gen *g = s->g;
    const struct number *last = &s->at[s->n - 1], *a = gen_chance(g, 70) ? last : pick(s, false);
    switch (gen_below(g, 9)) {
    case 0: comparison(s, a); break;
    case 1:
        gen_line(g, "  mov.b%u %s, %s;", bits_of(a),
                 gen_register(g, a->wide ? PX_T_B64 : PX_T_B32, 0, true).text, a->text);
        break;
    case 2: own_shared(g, a); break;
    case 3: g->planes < INDEX_PLANES ? output(g, a) : input(g, a); break;
    case 4: gen_feature(g, RANDOM_ATOMICS) ? one_cell(g, a) : one_place(g, a); break;
    case 5:
    case 6: input(g, a); break;
    default: one_place(g, a); break;
    }
}

bool gen_cancel(struct gen *g)
{
    if (g->inside) return false;
    struct node *before = gen_open(g, false);
    struct numbers s = {.g = g};
    gen_declare_indices(g);
    add(&s, index_of(g, false, false));
    const struct number small = constant(gen_below(g, SMALL), false);
    add(&s, gen_chance(g, 40) ? index_of(g, true, false) : copy(g, &small));
    if (gen_chance(g, 60)) add(&s, index_of(g, false, true));
    for (unsigned n = 2 + gen_below(g, 6); n--;) step(&s);
    for (unsigned n = 1 + gen_below(g, 2); n--;) use(&s);
    gen_line(g, "}");
    gen_close(g, before);
    return true;
}
