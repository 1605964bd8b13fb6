/*
 * gen_exact.c - sums and products of small whole numbers as floats, for programs that are run with
 * contraction.
 *
 * No operation rounds, whatever becomes of it: so the reference, which does what is written, must agree with
 * an engine that makes one fma of a product and a sum, moves signs, or drops copies. Such programs have no
 * other arithmetic on floats. How large each register's number may be is kept here, so that all of them stay
 * exact.
 */
#include "random/gen.h"
#include <stdio.h>
#include <string.h>

enum { REGISTERS = 10, FIRST = 7 /* numbers begin between -7 and 8 */ };

static const struct kind {
    const char *type, *ftz, *from, *to;
    unsigned bits;
    double most; /* whole numbers up to it are exact */
} kinds[] = {{"f32", ".ftz", "cvt.rn.f32.s32", "cvt.rzi.s32.f32", 32, 16777216.0},
             {"f32", "", "cvt.rn.f32.s32", "cvt.rzi.s32.f32", 32, 16777216.0},
             {"f64", "", "cvt.rn.f64.s32", "cvt.rzi.s32.f64", 64, 2147483647.0},
             {"f16", "", "cvt.rn.f16.s32", "cvt.rzi.s32.f16", 16, 2048.0}};

struct numbers {
    const struct kind *kind;
    double most[REGISTERS];
};

static unsigned pick(struct gen *g)
{
    return gen_below(g, REGISTERS);
}

/* A constant as a source: its size; the register x with its own, mostly. */
static double source(struct gen *g, const struct numbers *n, unsigned x, char *text, size_t size)
{
    static const uint32_t floats[] = {0x3f800000, 0x40000000, 0xc0400000, 0x00000000, 0xbf800000};
    static const uint64_t doubles[] = {0x3ff0000000000000, 0x4000000000000000, 0xc008000000000000, 0,
                                       0xbff0000000000000};
    static const double sizes[] = {1, 2, 3, 0, 1};
    const unsigned k = gen_below(g, 5);
    const bool constant = n->kind->bits != 16 && gen_chance(g, 18);
    if (constant && n->kind->bits == 32)
        snprintf(text, size, "0f%08X", floats[k]);
    else if (constant)
        snprintf(text, size, "0d%016llX", (unsigned long long)doubles[k]);
    else
        snprintf(text, size, "%%xf%u", x);
    return constant ? sizes[k] : n->most[x];
}

/* Into register d something whose size is `most`, where that is exact; guarded ones may leave what was there.
 */
static bool settle(struct numbers *n, unsigned d, double most, bool guarded)
{
    if (most > n->kind->most) return false;
    n->most[d] = guarded && n->most[d] > most ? n->most[d] : most;
    return true;
}

/* The greater or the smaller one by a comparison, signs in front. */
static void chosen(struct gen *g, const struct kind *k, unsigned d, unsigned x, unsigned y)
{
    static const char *const orders[] = {"lt", "gt", "le", "ge"};
    gen_line(g, "  setp.%s%s.%s %%xp, %%xf%u, %%xf%u;", orders[gen_below(g, 4)], k->ftz, k->type, x, y);
    gen_line(g, "  %s%s.%s %%xs, %%xf%u;  selp.%c%u %%xf%u, %%xs, %%xf%u, %%xp;",
             gen_chance(g, 50) ? "neg" : "abs", k->ftz, k->type, x,
             k->bits > 16 && gen_chance(g, 50) ? 'f' : 'b', k->bits, d, y);
}

/* A number with another sign in a wider type, to a register of the pools. */
static void widened(struct gen *g, const struct kind *k, unsigned x)
{
    if (k->bits == 64) return;
    gen_line(g, "  %s%s.%s %%xs, %%xf%u;  cvt.%s.%s %%xw, %%xs;  cvt.rzi.s32.%s %%xi, %%xw;",
             gen_chance(g, 50) ? "neg" : "abs", k->ftz, k->type, x, k->bits == 32 ? "f64" : "f32", k->type,
             k->bits == 32 ? "f64" : "f32");
    gen_line(g, "  mov.b32 %s, %%xi;", gen_register(g, PX_T_B32, 0, true).text);
}

/* Reciprocals of powers of two, which are exact: of a reciprocal, of an exponential, and divisions by them.
 */
static void reciprocal(struct gen *g, struct numbers *n)
{
    const struct kind *k = n->kind;
    const unsigned d = pick(g), y = pick(g);
    const bool divides = gen_chance(g, 50), exponential = gen_chance(g, 50);
    if (k->bits != 32 || !settle(n, d, divides ? n->most[y] * 8 : 8, false)) return;
    gen_line(g, "  { .reg .f32 %%xa, %%xb;  .reg .b32 %%xj;  and.b32 %%xj, %s, 3;",
             gen_register(g, PX_T_B32, 0, false).text);
    if (!exponential) gen_line(g, "  shl.b32 %%xj, 1, %%xj;");
    gen_line(g, "  cvt.rn.f32.u32 %%xa, %%xj;");
    if (exponential) gen_line(g, "  neg.ftz.f32 %%xa, %%xa;");
    gen_line(g, "  %s.approx.ftz.f32 %%xb, %%xa;", exponential ? "ex2" : "rcp");
    if (gen_chance(g, 25)) gen_line(g, "  mov.f32 %%xa, 0f40000000;");
    gen_line(g, divides ? "  div.approx.ftz.f32 %%xf%u, %%xf%u, %%xb;" : "  rcp.approx.ftz.f32 %%xf%u, %%xb;",
             d, y);
    if (gen_chance(g, 20)) gen_line(g, "  mul.f32 %%xb, %%xb, 0f41000000;  cvt.rzi.s32.f32 %%xi, %%xb;");
    gen_line(g, "  }");
}

static void operation(struct gen *g, struct numbers *n)
{
    static const char *const sums[] = {"add", "sub", "add", "sub"};
    const struct kind *k = n->kind;
    const unsigned d = pick(g), x = pick(g), y = pick(g), z = pick(g), what = gen_below(g, 19);
    const char *guard = gen_chance(g, 15) ? gen_guard(g) : "";
    const double old = n->most[d];
    char sx[24], b[24];
    const double mb = source(g, n, y, b, sizeof b), mx = n->most[x];
    const bool swap = gen_chance(g, 50);
    snprintf(sx, sizeof sx, "%%xf%u", x); /* one source at least is a register */
    if (what < 5 && settle(n, d, mx * mb, *guard))
        gen_line(g, "  %smul%s.%s %%xf%u, %s, %s;", guard, k->ftz, k->type, d, sx, b);
    else if (what < 10 && settle(n, d, mx + mb, *guard))
        gen_line(g, "  %s%s%s.%s %%xf%u, %s, %s;", guard, sums[gen_below(g, 4)], k->ftz, k->type, d,
                 swap ? b : sx, swap ? sx : b);
    else if (what == 10 && settle(n, d, mx, *guard))
        gen_line(g, "  %s%s%s.%s %%xf%u, %%xf%u;", guard, gen_chance(g, 60) ? "neg" : "abs", k->ftz, k->type,
                 d, x);
    else if (what == 11 && settle(n, d, mx, *guard))
        gen_line(g, "  %smov.b%u %%xf%u, %%xf%u;", guard, k->bits, d, x);
    else if (what == 12 && settle(n, d, mx > n->most[y] ? mx : n->most[y], *guard))
        gen_line(g, "  %sselp.b%u %%xf%u, %%xf%u, %%xf%u, %s;", guard, k->bits, d, x, y,
                 gen_predicate(g, false).text);
    else if (what == 13 && settle(n, d, mx * n->most[y] + n->most[z], *guard))
        gen_line(g, "  %sfma.rn%s.%s %%xf%u, %%xf%u, %%xf%u, %%xf%u;", guard, k->ftz, k->type, d, x, y, z);
    else if (what == 14 && settle(n, d, mx > n->most[y] ? mx : n->most[y], *guard))
        gen_line(g, "  %s%s%s.%s %%xf%u, %%xf%u, %%xf%u;", guard, gen_chance(g, 50) ? "min" : "max", k->ftz,
                 k->type, d, x, y);
    else if (what == 15 && settle(n, d, mx > n->most[y] ? mx : n->most[y], *guard))
        chosen(g, k, d, x, y);
    else if (what == 16)
        widened(g, k, x);
    else if (what == 17)
        reciprocal(g, n);
    else if (what == 18 && k->bits == 32 && settle(n, d, mx > n->most[y] ? mx : n->most[y], *guard))
        gen_line(g, "  %sslct.f32.s32 %%xf%u, %%xf%u, %%xf%u, %%xi;", guard, d, x, y);
    else
        n->most[d] = old;
}

/* A product, something in between that may overwrite what it was made of, and its sum. */
static void product_and_sum(struct gen *g, struct numbers *n)
{
    const struct kind *k = n->kind;
    const unsigned d = pick(g), x = pick(g), y = pick(g), z = pick(g), t = pick(g);
    const double product = n->most[x] * n->most[y];
    if (product * 4 > k->most || !settle(n, t, product, false)) return;
    gen_line(g, "  mul%s.%s %%xf%u, %%xf%u, %%xf%u;", k->ftz, k->type, t, x, y);
    for (unsigned i = gen_below(g, 3); i--;) operation(g, n);
    const double sum = n->most[t] + n->most[z];
    if (!settle(n, d, sum, false)) return;
    if (gen_chance(g, 50))
        gen_line(g, "  %s%s.%s %%xf%u, %%xf%u, %%xf%u;", gen_chance(g, 60) ? "add" : "sub", k->ftz, k->type,
                 d, t, z);
    else
        gen_line(g, "  %s%s.%s %%xf%u, %%xf%u, %%xf%u;", gen_chance(g, 60) ? "add" : "sub", k->ftz, k->type,
                 d, z, t);
}

/* Some of it in a way of its own, or in a loop whose numbers begin anew in each turn. */
static void stretch(struct gen *g, struct numbers *n, unsigned count)
{
    while (count--) gen_chance(g, 40) ? product_and_sum(g, n) : operation(g, n);
}

static void branch(struct gen *g, struct numbers *n)
{
    struct numbers inside = *n;
    const unsigned l = g->labels++;
    gen_line(g, "  @%s%s bra X%u;", gen_chance(g, 50) ? "!" : "", gen_predicate(g, false).text, l);
    stretch(g, &inside, 1 + gen_below(g, 4));
    gen_line(g, "X%u:", l);
    for (unsigned i = 0; i < REGISTERS; i++)
        if (inside.most[i] > n->most[i]) n->most[i] = inside.most[i];
}

/* A sum of products, turn by turn. */
static void loop(struct gen *g, struct numbers *n)
{
    const struct kind *k = n->kind;
    const unsigned l = g->labels++, turns = 2 + gen_below(g, 3), s = pick(g), x = pick(g), y = pick(g),
                   t = pick(g);
    const double product = n->most[x] * n->most[y], sum = n->most[s] + turns * product;
    if (s == x || s == y || t == x || t == y || t == s || product * 2 > k->most || sum > k->most) return;
    n->most[t] = product;
    n->most[s] = sum;
    gen_line(g, "  mov.u32 %%xk, 0;\nL%u:  mul%s.%s %%xf%u, %%xf%u, %%xf%u;", l, k->ftz, k->type, t, x, y);
    const bool first = gen_chance(g, 50);
    gen_line(g, "  add%s.%s %%xf%u, %%xf%u, %%xf%u;  add.u32 %%xk, %%xk, 1;", k->ftz, k->type, s,
             first ? s : t, first ? t : s);
    gen_line(g, "  setp.lt.u32 %%xp, %%xk, %u;  @%%xp bra L%u;", turns, l);
}

void gen_exact(struct gen *g)
{
    struct numbers n = {.kind = &kinds[gen_below(g, sizeof kinds / sizeof *kinds)]};
    struct node *before = gen_open(g, false);
    const struct kind *k = n.kind;
    gen_line(g,
             "{  .reg .%s %%xf<%u>;  .reg .b32 %%xi, %%xk;  .reg .pred %%xp;  .reg .%s %%xs;  .reg .%s %%xw;",
             k->type, REGISTERS, k->type, k->bits == 32 ? "f64" : "f32");
    for (unsigned i = 0; i < REGISTERS; i++) {
        gen_line(g, "  and.b32 %%xi, %s, 15;  sub.s32 %%xi, %%xi, %u;  %s %%xf%u, %%xi;",
                 gen_register(g, PX_T_B32, 0, false).text, FIRST, k->from, i);
        n.most[i] = 1 + FIRST;
    }
    for (unsigned parts = 2 + gen_below(g, 3); parts--;) {
        stretch(g, &n, 2 + gen_below(g, 5));
        gen_chance(g, 50) ? branch(g, &n) : loop(g, &n);
    }
    for (unsigned i = 0; i < 3; i++)
        gen_line(g, "  %s %%xi, %%xf%u;  mov.b32 %s, %%xi;", k->to, pick(g),
                 gen_register(g, PX_T_B32, 0, true).text);
    gen_line(g, "}");
    gen_close(g, before);
}
