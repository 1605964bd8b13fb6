/* fit_halves.c - finds the tables of lib/approx/halves.def: ex2 and tanh on f16 and bf16 in floats.
 *
 *   gcc -O2 -march=native -frounding-math -Ilib tests/hw/approx/fit_halves.c lib/approx/approx.c -lm -o
 * fit_halves
 *   ./fit_halves >lib/approx/halves.def
 *
 * The results wanted are those of the one-value functions of approx/approx.h, which equal the chip for all
 * inputs.  Of a half's result only 8 or 11 bits are kept, so any float between the wanted half y and the
 * next one, lo <= p < hi, will do, and a polynomial in float arithmetic has room.
 *
 *  - tanh: a parabola p = a + x * (b + x * c) for each interval of x.  How wide the range is that
 *    the inequalities of an interval leave to `a` is a concave function of b and c: two nested ternary
 *    searches find its maximum, and `a` the middle.
 *  - ex2: p = T[i] * (1 + q(r)) with x = n + i/32 + r, the same for f16 and bf16; the range of T[i] is found
 *    by trying the floats around 2^(i/32), for one parabola q after the other until every T[i] has a range.
 *
 * Every ordinary input is tried with the float operations of approx/halves.h (of tanh, which is odd, the
 * positive ones); the program fails if one result is wrong.
 */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "approx/approx.h"

/* A half format; cut gives the half below a positive float. */
typedef struct format {
    int fraction;
    float (*widen)(uint16_t);
    uint16_t (*cut)(float);
} format;

static float widen_f16(uint16_t h)
{
    return px_float_b32(px_approx_f16_to_f32(h));
}
static float widen_bf16(uint16_t h)
{
    return px_float_b32(px_approx_bf16_to_f32(h));
}
static uint16_t cut_f16(float f)
{
    return px_approx_f32_to_f16_cut(px_bits_f32(f));
}
static uint16_t cut_bf16(float f)
{
    return px_approx_f32_to_bf16_cut(px_bits_f32(f));
}

static const format f16 = {10, widen_f16, cut_f16}, bf16 = {7, widen_bf16, cut_bf16};

/* a + b * c, rounded towards zero or to nearest. */
static __attribute__((noinline)) float fma_zero(float b, float c, float a)
{
    volatile float x = b, y = c, z = a, result;
    fesetround(FE_TOWARDZERO);
    result = fmaf(x, y, z);
    fesetround(FE_TONEAREST);
    return result;
}

static float fma_near(float b, float c, float a)
{
    return fmaf(b, c, a);
}

/* ---- tanh ---- */

enum { MOST = 16384 };

/* The inputs of one interval and what their results must lie between. */
typedef struct interval {
    int n;
    uint16_t h[MOST];
    double x[MOST], lo[MOST], hi[MOST];
} interval;

/* The range left to `a`; negative if there is none. */
static double room(const interval *v, double b, double c, double *middle)
{
    double low = -INFINITY, high = INFINITY;
    for (int i = 0; i < v->n; i++) {
        double rest = v->x[i] * (b + v->x[i] * c);
        if (v->lo[i] - rest > low) low = v->lo[i] - rest;
        if (v->hi[i] - rest < high) high = v->hi[i] - rest;
    }
    if (middle) *middle = (low + high) / 2;
    return high - low;
}

/* The greatest room for this c, and where. */
static double best_b(const interval *v, double c, double *b)
{
    double left = -4, right = 4;
    for (int k = 0; k < 90; k++) {
        double l = left + (right - left) / 3, r = right - (right - left) / 3;
        if (room(v, l, c, NULL) < room(v, r, c, NULL))
            left = l;
        else
            right = r;
    }
    *b = (left + right) / 2;
    return room(v, *b, c, NULL);
}

static double best_c(const interval *v, double *a, double *b, double *c)
{
    double left = -2, right = 2;
    for (int k = 0; k < 90; k++) {
        double l = left + (right - left) / 3, r = right - (right - left) / 3;
        if (best_b(v, l, b) < best_b(v, r, b))
            left = l;
        else
            right = r;
    }
    *c = (left + right) / 2;
    best_b(v, *c, b);
    if (fabs(*c) < 0x1p-30) *c = 0; /* a flat or straight piece */
    if (fabs(*b) < 0x1p-30) *b = 0;
    return room(v, *b, *c, a);
}

typedef struct parabola {
    float a, b, c;
} parabola;

static float tanh_float(parabola p, float x)
{
    return fma_zero(x, fma_near(x, p.c, p.b), p.a);
}

static int count_wrong(const interval *v, const format *f, uint16_t (*unit)(uint16_t), parabola p)
{
    int wrong = 0;
    for (int i = 0; i < v->n; i++) wrong += f->cut(tanh_float(p, (float)v->x[i])) != unit(v->h[i]);
    return wrong;
}

/* Where x's parabola stands: `bits` fraction bits of x + 1/2, whose binades from 1/2 to 4 come in the order
 * of the lowest exponent bits: 2, 3, 0, 1. */
static uint32_t tanh_index(float x, int bits)
{
    return px_bits_f32(x + 0.5f) >> (23 - bits) & ((4u << bits) - 1);
}

/* The inputs of entry `at` from `first` up to 7.5. */
static void collect(interval *v, const format *f, uint16_t (*unit)(uint16_t), uint16_t first, int bits,
                    uint32_t at)
{
    v->n = 0;
    for (uint16_t h = first; f->widen(h) < 7.5f; h++) {
        float x = f->widen(h);
        if (tanh_index(x, bits) != at) continue;
        uint16_t y = unit(h);
        if (v->n == MOST) abort();
        v->h[v->n] = h;
        v->x[v->n] = x;
        v->lo[v->n] = f->widen(y);
        v->hi[v->n++] = f->widen((uint16_t)(y + 1));
    }
}

/* The first parabola of f16 does it all below 1/32: x itself where the chip gives that (up to seven inputs
 * behind 2^-8), from there on a little less, of which the cut makes the input before x. */
static const parabola first_f16 = {0x1p-17f * 0x1.01ep-8f, 1 - 0x1p-17f, 0};

static int fit_tanh(const char *name, const format *f, uint16_t (*unit)(uint16_t), uint16_t first, int bits)
{
    static interval v;
    int bad = 0;
    printf("/* tanh.%s: a, b, c */\n#define PX_APPROX_HALVES_tanh_%s(X)", name, name);
    for (uint32_t at = 0; at < 4u << bits; at++) {
        double a, b, c;
        bool given = f == &f16 && at == tanh_index(0, bits);
        collect(&v, f, unit, given ? 0 : first, bits, at);
        double space = given ? 0 : best_c(&v, &a, &b, &c);
        parabola p = given ? first_f16 : (parabola){(float)a, (float)b, (float)c};
        int wrong = count_wrong(&v, f, unit, p);
        bad += wrong;
        printf("%s X(%af, %af, %af)", at % 2 ? "" : " \\\n   ", p.a, p.b, p.c);
        fprintf(stderr, "tanh.%s %2u: %4d inputs, room 2^%.1f, wrong %d\n", name, at, v.n, log2(space),
                wrong);
    }
    printf("\n\n");
    return bad;
}

/* ---- ex2 ---- */

/* 2^r - 1 = r * (c1 + r * c2) + more, |r| <= 1/64.  The chip takes operands above -2^-23 as 0, which `more`
 * does: it exceeds the loss of the last such bf16 and not that of -2^-23. */
#define LN2 0.693147180559945309
static const float ex2_c2 = (float)(LN2 * LN2 / 2), ex2_more = (float)((2 - 0x1p-8) * LN2 * 0x1p-24),
                   ex2_shift = 0x1.8p18f;

/* `entry` is the table's, of which i << 18 is taken away, since x's whole turns and i are added. */
static float ex2_float(uint32_t entry, float c1, float x)
{
    float t = x + ex2_shift, r = x - (t - ex2_shift);
    float scale = px_float_b32(entry + (px_bits_f32(t) << 18));
    return fma_zero(scale, fma_near(r, fma_near(r, ex2_c2, c1), ex2_more), scale);
}

/* Is entry i good for all inputs of the format below `limit` in magnitude? */
static bool ex2_good(uint32_t entry, float c1, uint32_t i, const format *f, uint16_t (*unit)(uint16_t),
                     float limit)
{
    for (uint32_t h = 0; h < 65536; h++) {
        float x = f->widen((uint16_t)h);
        if (!(fabsf(x) < limit) || ((px_bits_f32(x + ex2_shift) ^ i) & 31)) continue;
        if (f->cut(ex2_float(entry, c1, x)) != unit((uint16_t)h)) return false;
    }
    return true;
}

/* The middle of the good values of entry i, 0 if there is none. */
static uint32_t ex2_entry(float c1, uint32_t i)
{
    uint32_t near = px_bits_f32((float)exp2(i / 32.0)) - (i << 18), first = 0, last = 0;
    for (uint32_t e = near - 32; e <= near + 32; e++) {
        if (!ex2_good(e, c1, i, &f16, px_approx_ex2_f16, 16) ||
            !ex2_good(e, c1, i, &bf16, px_approx_ex2_bf16, 126))
            continue;
        first = first ? first : e;
        last = e;
    }
    fprintf(stderr, "ex2 c1 %a, %2u: %d values\n", c1, i, first ? (int)(last - first) + 1 : 0);
    return first + (last - first) / 2;
}

/* Takes the first c1 from ln 2 on with which every entry has a value. */
static int fit_ex2(void)
{
    uint32_t entries[32] = {0}, i = 0;
    float c1 = (float)LN2;
    for (int k = 0; k < 100 && i < 32; k++) {
        c1 = (float)(LN2 + k * 0x1p-20);
        for (i = 0; i < 32 && (entries[i] = ex2_entry(c1, i)) != 0; i++) {
        }
    }
    printf("/* ex2: c1, c2, what is added to r * (c1 + r * c2); the bits of 2^(i/32) less i << 18 */\n");
    printf("#define PX_APPROX_HALVES_EX2_C1 %af\n#define PX_APPROX_HALVES_EX2_C2 %af\n#define "
           "PX_APPROX_HALVES_EX2_MORE %af\n",
           c1, ex2_c2, ex2_more);
    printf("#define PX_APPROX_HALVES_ex2(X)");
    for (i = 0; i < 32; i++) printf("%s X(0x%08x)", i % 8 ? "" : " \\\n   ", entries[i]);
    printf("\n\n");
    return !entries[31];
}

int main(void)
{
    printf("/* approx/halves.def - tables for ex2 and tanh on f16 and bf16, written by "
           "tests/hw/approx/fit_halves.c. */\n\n");
    int bad = fit_ex2();
    bad += fit_tanh("f16", &f16, px_approx_tanh_f16, 0x2800, 4);
    bad += fit_tanh("bf16", &bf16, px_approx_tanh_bf16, 0x3B80, 3);
    if (bad) fprintf(stderr, "fit_halves: %d wrong\n", bad);
    return bad != 0;
}
