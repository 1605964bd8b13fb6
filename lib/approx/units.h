/* approx/units.h - the arithmetic inside the approximate units; approx.h is the face.
 *
 * A unit on f32 is three steps.  `reduce` takes the operand to a word whose bits 17 and up are the
 * interval's index (7 or 6 bits; what lies above is ignored by the fetch) and whose bits 0..16 are
 * the offset xl.  `fetch` (in approx.h) gets the interval's coefficients and forms C2*square(xl).
 * `finish` makes the sum, cuts it to a float, and puts in the special values.  All three work on one
 * lane, without a branch.  Where floating-point operations are involved, a choice is made by
 * px_approx_blend: behind ?: the compiler would make them conditional and give up on the loop.
 *
 * Where most operands are ordinary, `plain` recognises them and `quick` finishes them without the
 * special cases; a row of nothing else takes that way.
 */
#ifndef PX_APPROX_APPROX_UNITS_H
#define PX_APPROX_APPROX_UNITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/bits.h"

/* The row loops must see through every call, or they are not vectorised. */
#define PX_APPROX_FN static inline __attribute__((always_inline))

/* What fetch gives to finish: C0, C1 and C2 * square(xl) of the operand's interval. */
typedef struct px_approx_terms {
    uint32_t c0, c1, c2sq;
} px_approx_terms;

#define PX_APPROX_NAN 0x7FFFFFFFu
#define PX_APPROX_INF 0x7F800000u
#define PX_APPROX_ONE 0x3F800000u
#define PX_APPROX_MIN 0x00800000u /* the least normal float */
#define PX_APPROX_SIGN 0x80000000u
#define PX_APPROX_XL 0x1FFFFu

/* ---- helpers ---- */

PX_APPROX_FN uint32_t px_approx_pick(bool c, uint32_t yes, uint32_t no)
{
    return c ? yes : no;
}

/* The same for words that come out of floating-point operations. */
PX_APPROX_FN uint32_t px_approx_blend(bool c, uint32_t yes, uint32_t no)
{
    uint32_t mask = 0u - (uint32_t)c;
    return (yes & mask) | (no & ~mask);
}

/* The squarer: of the product array of x*x, x of 17 bits, the columns from 19 up.  With x =
 * h*2^9 + l, h*h gives one summand (its lowest diagonal bit lies in column 18 and is lost), h*l a
 * triangle of partial products; l*l lies below. */
PX_APPROX_FN uint16_t px_approx_square(uint16_t h, uint16_t l)
{
    uint16_t s = (uint16_t)((uint16_t)(h * h) >> 1);
    s = (uint16_t)(s + (l & 0x100 ? h >> 1 : 0));
    s = (uint16_t)(s + (l & 0x080 ? h >> 2 : 0));
    s = (uint16_t)(s + (l & 0x040 ? h >> 3 : 0));
    s = (uint16_t)(s + (l & 0x020 ? h >> 4 : 0));
    s = (uint16_t)(s + (l & 0x010 ? h >> 5 : 0));
    s = (uint16_t)(s + (l & 0x008 ? h >> 6 : 0));
    s = (uint16_t)(s + (l & 0x004 ? h >> 7 : 0));
    return s;
}

/* |x| with a subnormal scaled by 2^24; zero gives nonsense. */
PX_APPROX_FN uint32_t px_approx_normalize(uint32_t ax)
{
    uint32_t scaled = px_bits_f32((float)(int32_t)(ax & 0x7FFFFFu)) - (125u << 23);
    return px_approx_blend(ax < PX_APPROX_MIN, scaled, ax);
}

/* v as a float cut to 24 bits, v < 0x7F800000. */
PX_APPROX_FN uint32_t px_approx_cut(uint32_t v)
{
    float f = (float)(int32_t)v;
    return px_bits_f32(f) - (uint32_t)((int32_t)f > (int32_t)v);
}

/* d * 2^k as a multiple of 2^-149, to nearest even, for results up to 2^-125; k < 24. */
PX_APPROX_FN uint32_t px_approx_round_tiny(double d, int32_t k)
{
    uint32_t scale = px_approx_blend(k < -100, 27u << 23, (uint32_t)(k + 127) << 23);
    double sum = d * (double)px_float_b32(scale) + 0x1.8p52; /* the integer is in the low bits */
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return (uint32_t)bits;
}

/* ---- rcp: 7 index bits; xl has 16 bits and stands one place higher ---- */

PX_APPROX_FN uint32_t px_approx_rcp_reduce(uint32_t x, bool ftz)
{
    uint32_t ax = x & 0x7FFFFFFFu;
    return (ftz ? ax : px_approx_normalize(ax)) << 1;
}

/* 1/1.f as float bits, in (0.5, 1]. */
PX_APPROX_FN uint32_t px_approx_rcp_core(uint32_t r, px_approx_terms t)
{
    uint32_t s = t.c1 * ((r & PX_APPROX_XL) >> 1) - t.c2sq + ((~t.c0 & 3u) << 13) + 0x1818u;
    return 0x3E800000u + (t.c0 >> 2) - (s >> 15);
}

/* 1/n for the reduced normal n = r >> 1; less than the least normal float becomes 0. */
PX_APPROX_FN uint32_t px_approx_rcp_normal(uint32_t r, px_approx_terms t)
{
    uint32_t y = px_approx_rcp_core(r, t) + (127u << 23) - ((r >> 1) & 0x7F800000u);
    return px_approx_pick((int32_t)y < (int32_t)PX_APPROX_MIN, 0, y);
}

/* The subnormal result for 2^126 < ax: the 24-bit result c halved once or twice, to nearest even. */
PX_APPROX_FN uint32_t px_approx_rcp_tiny(uint32_t c, uint32_t ax)
{
    uint32_t s = ((c & 0x7FFFFFu) | 0x800000u) << (c == PX_APPROX_ONE);
    uint32_t once = (s + ((s >> 1) & 1u)) >> 1, twice = (s + 1u + ((s >> 2) & 1u)) >> 2;
    return px_approx_pick(ax >= 0x7F000000u, twice, once);
}

PX_APPROX_FN uint32_t px_approx_rcp_full_range(uint32_t ax, uint32_t r, px_approx_terms t)
{
    uint32_t c = px_approx_rcp_core(r, t), y = c + (127u << 23) - ((r >> 1) & 0x7F800000u);
    uint32_t big = y + (24u << 23);
    big = px_approx_pick(big > PX_APPROX_INF, PX_APPROX_INF, big);
    y = px_approx_pick((int32_t)y < (int32_t)PX_APPROX_MIN, px_approx_rcp_tiny(c, ax), y);
    return px_approx_pick(ax < PX_APPROX_MIN, big, y);
}

PX_APPROX_FN uint32_t px_approx_rcp_finish(uint32_t x, uint32_t r, px_approx_terms t, bool ftz)
{
    uint32_t ax = x & 0x7FFFFFFFu;
    uint32_t y = ftz ? px_approx_rcp_normal(r, t) : px_approx_rcp_full_range(ax, r, t);
    y = px_approx_pick(ftz ? ax < PX_APPROX_MIN : ax == 0, PX_APPROX_INF, y);
    y = px_approx_pick(ax == PX_APPROX_INF, 0, y);
    return px_approx_pick(ax > PX_APPROX_INF, PX_APPROX_NAN, y | (x & PX_APPROX_SIGN));
}

PX_APPROX_FN bool px_approx_rcp_plain(uint32_t x)
{
    return (x & 0x7FFFFFFFu) - PX_APPROX_MIN <= 0x7E800000u - PX_APPROX_MIN;
}

PX_APPROX_FN uint32_t px_approx_rcp_quick(uint32_t x, uint32_t r, px_approx_terms t)
{
    return (px_approx_rcp_core(r, t) + (127u << 23) - (x & 0x7F800000u)) | (x & PX_APPROX_SIGN);
}

/* ---- rsqrt, sqrt: 6 index bits under the lowest exponent bit; set, it marks an even exponent ---- */

PX_APPROX_FN uint32_t px_approx_rsqrt_reduce(uint32_t x, bool ftz)
{
    return ftz ? x : px_approx_normalize(x & 0x7FFFFFFFu);
}

/* 2^24 / sqrt(v) for v = 1.f (even exponent) or 2 * 1.f, v > 1. */
PX_APPROX_FN uint32_t px_approx_rsqrt_core(uint32_t r, px_approx_terms t)
{
    uint32_t xl = r & PX_APPROX_XL;
    uint32_t half = t.c1 * (xl >> 1) + ((0u - (xl & 1u)) & (t.c1 >> 1));
    uint32_t s = half - 2u * t.c2sq + ((~t.c0 & 3u) << 13);
    return (t.c0 >> 2) - (s >> 15);
}

PX_APPROX_FN uint32_t px_approx_rsqrt_normal(uint32_t n, px_approx_terms t)
{
    uint32_t y = 0x3E800000u + px_approx_rsqrt_core(n, t);
    y = px_approx_pick((n & 0xFFFFFFu) == 0x800000u, PX_APPROX_ONE, y);
    return y + (64u << 23) - (((n + 0x800000u) >> 1) & 0x7F800000u);
}

PX_APPROX_FN uint32_t px_approx_rsqrt_finish(uint32_t x, uint32_t r, px_approx_terms t, bool ftz)
{
    uint32_t ax = x & 0x7FFFFFFFu, y = px_approx_rsqrt_normal(r, t);
    if (!ftz) y += px_approx_pick(ax < PX_APPROX_MIN, 12u << 23, 0);
    y = px_approx_pick(x == PX_APPROX_INF, 0, y);
    y = px_approx_pick(x > PX_APPROX_INF, PX_APPROX_NAN, y);
    return px_approx_pick(ftz ? ax < PX_APPROX_MIN : ax == 0, PX_APPROX_INF | (x & PX_APPROX_SIGN), y);
}

PX_APPROX_FN bool px_approx_rsqrt_plain(uint32_t x)
{
    return x - PX_APPROX_MIN < PX_APPROX_INF - PX_APPROX_MIN;
}

PX_APPROX_FN uint32_t px_approx_rsqrt_quick(uint32_t x, uint32_t r, px_approx_terms t)
{
    (void)r;
    return px_approx_rsqrt_normal(x, t);
}

PX_APPROX_FN uint32_t px_approx_sqrt_reduce(uint32_t x, bool ftz)
{
    return px_approx_rsqrt_reduce(x, ftz);
}

PX_APPROX_FN uint32_t px_approx_sqrt_normal(uint32_t n, px_approx_terms t)
{
    uint32_t xl = n & PX_APPROX_XL;
    uint32_t rest = t.c1 * (xl & 3u) - 2u * t.c2sq + 0x7FFFu + ((t.c0 & 3u) << 15);
    uint32_t s = t.c1 * (xl >> 2) + (uint32_t)((int32_t)rest >> 2);
    return (t.c0 >> 2) + (s >> 15) + 0x1F000000u + (((n + 0x800000u) >> 1) & 0x7F800000u);
}

PX_APPROX_FN uint32_t px_approx_sqrt_finish(uint32_t x, uint32_t r, px_approx_terms t, bool ftz)
{
    uint32_t ax = x & 0x7FFFFFFFu, y = px_approx_sqrt_normal(r, t);
    if (!ftz) y -= px_approx_pick(ax < PX_APPROX_MIN, 12u << 23, 0);
    y = px_approx_pick(x == PX_APPROX_INF, PX_APPROX_INF, y);
    y = px_approx_pick(x > PX_APPROX_INF, PX_APPROX_NAN, y);
    return px_approx_pick(ftz ? ax < PX_APPROX_MIN : ax == 0, x & PX_APPROX_SIGN, y);
}

PX_APPROX_FN bool px_approx_sqrt_plain(uint32_t x)
{
    return px_approx_rsqrt_plain(x);
}

PX_APPROX_FN uint32_t px_approx_sqrt_quick(uint32_t x, uint32_t r, px_approx_terms t)
{
    (void)r;
    return px_approx_sqrt_normal(x, t);
}

/* ---- ex2: the word is x in fixed point with 23 fraction bits, modulo 2^9 ---- */

/* Below -126 the root is computed, and squared. */
PX_APPROX_FN bool px_approx_ex2_low(uint32_t x, bool ftz)
{
    return (!ftz) & (x > 0xC2FC0000u);
}

/* Cut towards zero; a negative fraction is complemented, which makes it one unit too low. */
PX_APPROX_FN uint32_t px_approx_ex2_reduce(uint32_t x, bool ftz)
{
    if (!ftz) x -= px_approx_pick(px_approx_ex2_low(x, ftz), 0x800000u, 0);
    uint32_t shift = 134u - ((x >> 23) & 255u);
    shift = px_approx_pick(shift > 31u, 31u, shift);
    uint32_t v = (((x & 0x7FFFFFu) | 0x800000u) << 7) >> shift;
    uint32_t negative = 0u - (x >> 31);
    return (v ^ negative) + ((uint32_t)((v & 0x7FFFFFu) == 0) & negative);
}

PX_APPROX_FN bool px_approx_ex2_plain(uint32_t x)
{
    return (x & 0x7FFFFFFFu) <= 0x42FC0000u; /* |x| <= 126 */
}

PX_APPROX_FN uint32_t px_approx_ex2_quick(uint32_t x, uint32_t v, px_approx_terms t)
{
    (void)x;
    uint32_t xl = v & PX_APPROX_XL;
    uint32_t rest = t.c2sq + ((t.c0 & 3u) << 13) + 0x17E2u + ((0u - (xl & 1u)) & t.c1);
    uint32_t s = t.c1 * (xl >> 1) + (rest >> 1);
    return 0x3F000000u + (t.c0 >> 2) + (s >> 14) + (v & 0xFF800000u);
}

/* The unit's result for 2^-126 <= |x|; a result below the least normal is 0. */
PX_APPROX_FN uint32_t px_approx_ex2_normal(uint32_t x, uint32_t v, px_approx_terms t)
{
    uint32_t y = px_approx_ex2_quick(x, v, t);
    bool far = (x & 0x7FFFFFFFu) >= 0x43800000u;
    y = px_approx_blend(((int32_t)v < -126 * (1 << 23)) | far, 0, y);
    return px_approx_blend(((int32_t)v >= 128 << 23) | (far & !(x >> 31)), PX_APPROX_INF, y);
}

PX_APPROX_FN uint32_t px_approx_ex2_finish(uint32_t x, uint32_t v, px_approx_terms t, bool ftz)
{
    bool low = px_approx_ex2_low(x, ftz);
    uint32_t ax = x & 0x7FFFFFFFu;
    uint32_t y = px_approx_ex2_normal(ftz ? x : x - px_approx_blend(low, 0x800000u, 0), v, t);
    if (!ftz) {
        double r = (double)(int32_t)((y & 0x7FFFFFu) | 0x800000u);
        uint32_t tiny = px_approx_round_tiny(r * r, 2 * ((int32_t)(y >> 23) - 127) + 103);
        y = px_approx_blend(low, px_approx_blend(y == 0, 0, tiny), y);
    }
    y = px_approx_blend(ax < PX_APPROX_MIN, PX_APPROX_ONE, y);
    return px_approx_blend(ax > PX_APPROX_INF, PX_APPROX_NAN, y);
}

/* ---- lg2 ---- */

PX_APPROX_FN uint32_t px_approx_lg2_reduce(uint32_t x, bool ftz)
{
    return px_approx_rsqrt_reduce(x, ftz);
}

/* |log2| of a positive normal other than 1.  The sum has 38 fraction bits, of which the result
 * keeps 36; for n < 1 exponent + sum is negative and its complement is taken. */
PX_APPROX_FN uint32_t px_approx_lg2_normal(uint32_t n, px_approx_terms t)
{
    uint32_t xl = n & PX_APPROX_XL;
    uint32_t rest = ((0u - (xl & 1u)) & t.c1) - 2u * t.c2sq + 0x345u + ((t.c0 & 3u) << 12);
    uint32_t q = t.c1 * (xl >> 1) + (uint32_t)((int32_t)rest >> 1);
    uint32_t below = 0u - (uint32_t)(n < PX_APPROX_ONE);
    uint32_t hi = ((t.c0 >> 2) + (q >> 13)) ^ (below & 0xFFFFFFu);          /* 24 bits */
    uint32_t lo = (((q & 0x1FFFu) << 1) | (rest & 1u)) ^ (below & 0x3FFFu); /* 14 bits */
    uint32_t whole = ((n >> 23) - 127u) ^ below;
    bool wide = hi >= 0x40000u, over = whole != 0;
    uint32_t v = px_approx_blend(wide, (hi << 6) | (lo >> 8), (hi << 12) | (lo >> 2));
    uint32_t scale = px_approx_blend(wide, 30u << 23, 36u << 23);
    v = px_approx_blend(over, (whole << 23) + (hi >> 1), v);
    scale = px_approx_blend(over, 23u << 23, scale);
    return px_approx_cut(v) - scale;
}

PX_APPROX_FN uint32_t px_approx_lg2_finish(uint32_t x, uint32_t n, px_approx_terms t, bool ftz)
{
    uint32_t ax = x & 0x7FFFFFFFu, y = px_approx_lg2_normal(n, t);
    if (!ftz) { /* y - 24, in units of 2^-17 */
        int32_t v = (int32_t)((y & 0x7FFFFFu) | 0x800000u) + (24 << 17);
        y = px_approx_blend(ax < PX_APPROX_MIN, px_bits_f32((float)v) - (17u << 23), y);
    }
    y |= px_approx_blend(n < PX_APPROX_ONE, PX_APPROX_SIGN, 0);
    y = px_approx_blend(x == PX_APPROX_ONE, 0, y);
    y = px_approx_blend(x == PX_APPROX_INF, PX_APPROX_INF, y);
    y = px_approx_blend(x > PX_APPROX_INF, PX_APPROX_NAN, y);
    return px_approx_blend(ftz ? ax < PX_APPROX_MIN : ax == 0, 0xFF800000u, y);
}

PX_APPROX_FN bool px_approx_lg2_plain(uint32_t x)
{
    return px_approx_rsqrt_plain(x);
}

PX_APPROX_FN uint32_t px_approx_lg2_quick(uint32_t x, uint32_t r, px_approx_terms t)
{
    (void)r;
    uint32_t y = px_approx_lg2_normal(x, t) | px_approx_blend(x < PX_APPROX_ONE, PX_APPROX_SIGN, 0);
    return px_approx_blend(x == PX_APPROX_ONE, 0, y);
}

/* ---- sin, cos: turns = x * (1/2pi) cut to 24 bits; the word is the place in the quarter turn
 * (23 bits, run backwards where the function falls) and above it the result's sign ---- */

/* |x| / 2pi in fixed point: bits 0..22 within the quarter, 23 and 24 the quarter. */
PX_APPROX_FN uint32_t px_approx_turns(uint32_t ax)
{
    uint32_t m = (ax & 0x7FFFFFu) | 0x800000u, high = m >> 12, low = m & 0xFFFu;
    uint32_t product = m * 0xA2u + ((high * 0xF983u + ((low * 0xF983u) >> 12)) >> 4); /* m * 0xA2F983 >> 16 */
    uint32_t top = product >> 31, significand = product >> (7u + top);
    int32_t shift = (int32_t)((ax >> 23) + top) - 128;
    int32_t left = shift < 0 ? 0 : shift, right = shift > 0 ? 0 : -shift;
    left = left > 31 ? 31 : left;
    right = right > 31 ? 31 : right;
    return (significand << left) >> right;
}

PX_APPROX_FN uint32_t px_approx_sin_reduce(uint32_t x, bool ftz)
{
    (void)ftz;
    uint32_t turns = px_approx_turns(x & 0x7FFFFFFFu);
    uint32_t back = 0u - ((turns >> 23) & 1u);
    return ((turns ^ back) & 0x7FFFFFu) | ((x ^ (turns << 7)) & PX_APPROX_SIGN);
}

PX_APPROX_FN uint32_t px_approx_cos_reduce(uint32_t x, bool ftz)
{
    (void)ftz;
    uint32_t turns = px_approx_turns(x & 0x7FFFFFFFu);
    uint32_t back = ((turns >> 23) & 1u) - 1u;
    return ((turns ^ back) & 0x7FFFFFu) | (((turns + 0x800000u) << 7) & PX_APPROX_SIGN);
}

PX_APPROX_FN uint32_t px_approx_sin_quick(uint32_t x, uint32_t r, px_approx_terms t)
{
    (void)x;
    uint32_t s = t.c1 * (r & PX_APPROX_XL) - t.c2sq;
    uint32_t hi = t.c0 + (s >> 12), lo = s & 0xFFFu; /* 25 + 12 fraction bits */
    bool wide = hi >= 0x80000u;
    uint32_t v = px_approx_blend(wide, (hi << 5) | (lo >> 7), (hi << 12) | lo);
    uint32_t y = px_approx_cut(v) - px_approx_blend(wide, 30u << 23, 37u << 23);
    return px_approx_blend(v == 0, 0, y) | (r & PX_APPROX_SIGN);
}

PX_APPROX_FN uint32_t px_approx_sin_finish(uint32_t x, uint32_t r, px_approx_terms t, bool ftz)
{
    (void)ftz;
    return px_approx_blend((x & 0x7FFFFFFFu) >= PX_APPROX_INF, PX_APPROX_NAN, px_approx_sin_quick(x, r, t));
}

PX_APPROX_FN bool px_approx_sin_plain(uint32_t x)
{
    return (x & 0x7FFFFFFFu) < PX_APPROX_INF;
}

PX_APPROX_FN uint32_t px_approx_cos_quick(uint32_t x, uint32_t r, px_approx_terms t)
{
    return px_approx_sin_quick(x, r, t);
}

PX_APPROX_FN bool px_approx_cos_plain(uint32_t x)
{
    return px_approx_sin_plain(x);
}

PX_APPROX_FN uint32_t px_approx_cos_finish(uint32_t x, uint32_t r, px_approx_terms t, bool ftz)
{
    return px_approx_sin_finish(x, r, t, ftz);
}

/* ---- tanh: the identity below 2^-8, 51 intervals up to 8, then 1.  A binade has up to 16 intervals
 * in a table of four entries a binade, except that 4 has eight, and 2 has sixteen at the end ---- */

/* The digit of the operand's binade in eleven hexadecimal digits; 2^-8 has the lowest. */
PX_APPROX_FN uint32_t px_approx_tanh_digit(uint32_t e, uint32_t low, uint32_t high)
{
    return (px_approx_pick(e & 8u, high, low) >> (4u * (e & 7u))) & 15u;
}

PX_APPROX_FN uint32_t px_approx_tanh_reduce(uint32_t x, bool ftz)
{
    (void)ftz;
    uint32_t f = x & 0x7FFFFFu, e = ((x >> 23) & 255u) - 119u;
    uint32_t bits = px_approx_tanh_digit(e, 0x22211000u, 0x343u);
    uint32_t base = px_approx_pick(e == 9, 48u, 4u * e);
    return ((base + (f >> (23u - bits))) << 17) | ((f << bits >> 6) & PX_APPROX_XL);
}

PX_APPROX_FN uint32_t px_approx_tanh_quick(uint32_t x, uint32_t r, px_approx_terms t)
{
    uint32_t ax = x & 0x7FFFFFFFu, exponent = ax >> 23, e = exponent - 119u, xl = r & PX_APPROX_XL;
    uint32_t drop = px_approx_tanh_digit(e, 0xAAA99777u, 0xCDBu);
    uint32_t rest = ((0u - (xl & 1u)) & t.c1) - t.c2sq;
    uint32_t q = t.c1 * (xl >> 1) + (uint32_t)((int32_t)rest >> 1);
    uint32_t v = 2u * t.c0 + (q >> drop); /* 25 fraction bits */
    uint32_t half = (v >> 24) & 1u;
    uint32_t y = ((125u + half) << 23) + ((v >> half) & 0x7FFFFFu);
    y -= px_approx_pick(exponent < 127u, (126u - exponent) << 23, 0);
    y = px_approx_pick(exponent < 119u, ax, y);
    return px_approx_pick(exponent > 129u, PX_APPROX_ONE, y) | (x & PX_APPROX_SIGN);
}

PX_APPROX_FN uint32_t px_approx_tanh_finish(uint32_t x, uint32_t r, px_approx_terms t, bool ftz)
{
    (void)ftz;
    return px_approx_pick((x & 0x7FFFFFFFu) > PX_APPROX_INF, PX_APPROX_NAN, px_approx_tanh_quick(x, r, t));
}

PX_APPROX_FN bool px_approx_tanh_plain(uint32_t x)
{
    return (x & 0x7FFFFFFFu) <= PX_APPROX_INF;
}

/* ---- division: a * rcp(b), rounded to nearest ---- */

/* a * r * 2^e, a and r magnitudes: r normal, a not zero. */
PX_APPROX_FN uint32_t px_approx_mul(uint32_t a, uint32_t r, uint32_t e, bool ftz)
{
    uint32_t n = ftz ? a : px_approx_normalize(a);
    e += (n >> 23) + (r >> 23) - 254u - (ftz ? 0 : px_approx_blend(a >= PX_APPROX_MIN, 0, 24));
    double p = (double)px_float_b32((n & 0x7FFFFFu) | PX_APPROX_ONE) *
               (double)px_float_b32((r & 0x7FFFFFu) | PX_APPROX_ONE);
    uint32_t y = px_bits_f32((float)p);
    int32_t exponent = (int32_t)((y >> 23) + e), k = (int32_t)(e + 149u);
    uint32_t tiny = ftz ? 0 : px_approx_round_tiny(p, k > 23 ? 23 : k);
    y = px_approx_blend(exponent > 254, PX_APPROX_INF, y + (e << 23));
    return px_approx_blend(exponent < 1, tiny, y);
}

/* |a| / b with the reciprocal r of b * 2^e. */
PX_APPROX_FN uint32_t px_approx_quotient(uint32_t ax, uint32_t r, uint32_t e, bool ftz)
{
    bool zero = ftz ? ax < PX_APPROX_MIN : ax == 0, inf = ax == PX_APPROX_INF, over = r == PX_APPROX_INF;
    uint32_t y = px_approx_mul(ax, r, e, ftz);
    y = px_approx_blend(zero | (r == 0), 0, y);
    y = px_approx_blend(inf | over, PX_APPROX_INF, y);
    bool wrong = (zero & over) | (inf & (r == 0)) | (ax > PX_APPROX_INF);
    return px_approx_blend(wrong, PX_APPROX_NAN, y);
}

/* div.full scales a divisor above 2^126, whose reciprocal the unit would flush. */
PX_APPROX_FN bool px_approx_div_big(uint32_t bx, bool full)
{
    return full & (bx > 0x7E800000u) & (bx < PX_APPROX_INF);
}

PX_APPROX_FN uint32_t px_approx_div_reduce(uint32_t b, bool full, bool ftz)
{
    uint32_t bx = b & 0x7FFFFFFFu, n = ftz ? bx : px_approx_normalize(bx);
    return (full ? n - px_approx_blend(px_approx_div_big(bx, full), 2u << 23, 0) : n) << 1;
}

PX_APPROX_FN uint32_t px_approx_div_finish(uint32_t a, uint32_t b, uint32_t n, px_approx_terms t, bool full,
                                           bool ftz)
{
    uint32_t bx = b & 0x7FFFFFFFu, sub = bx < PX_APPROX_MIN;
    uint32_t r = px_approx_rcp_normal(n, t);
    r = px_approx_blend(ftz ? sub : bx == 0, PX_APPROX_INF, r);
    r = px_approx_blend(bx == PX_APPROX_INF, 0, r);
    uint32_t e = ftz ? 0 : px_approx_blend(sub, 24, 0);
    e -= px_approx_blend(px_approx_div_big(bx, full), 2, 0);
    uint32_t y = px_approx_quotient(a & 0x7FFFFFFFu, r, e, ftz);
    bool wrong = (y == PX_APPROX_NAN) | (bx > PX_APPROX_INF);
    return px_approx_blend(wrong, PX_APPROX_NAN, y | ((a ^ b) & PX_APPROX_SIGN));
}

/* Ordinary: nothing is scaled, and the quotient is a normal float or a zero. */
PX_APPROX_FN bool px_approx_div_plain(uint32_t a, uint32_t b)
{
    uint32_t ax = a & 0x7FFFFFFFu, bx = b & 0x7FFFFFFFu;
    bool near = (ax >> 23) - (bx >> 23) + 120u <= 240u;
    bool normal = ax - PX_APPROX_MIN < PX_APPROX_INF - PX_APPROX_MIN;
    return px_approx_rcp_plain(b) & ((near & normal) | (ax == 0));
}

PX_APPROX_FN uint32_t px_approx_div_quick(uint32_t a, uint32_t b, uint32_t r, px_approx_terms t)
{
    return px_bits_f32(px_float_b32(a) * px_float_b32(px_approx_rcp_quick(b, r, t)));
}

#endif
