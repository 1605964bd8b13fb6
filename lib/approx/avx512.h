/* approx/avx512.h - rows of the f32 units in AVX-512 with VBMI and VNNI, sixteen operands at a time.
 *
 * Where this header is used (PX_APPROX_VECTOR), px_approx_<unit>_f32_row comes from here; the meaning
 * is that of the portable code in approx/units.h; tests/hw/approx_check and tests/unit/test_approx.c
 * compare the two.  px_v_<unit> does ordinary operands, px_v_<unit>_more also zeros, infinities and
 * NaNs, and the portable code the rest of a row with others.  What is done differently:
 *
 *  - A table of 64 entries lies in four registers; two permutes fetch from it, of which the second
 *    overwrites only the lanes that the first one left as indices.
 *  - C1 is stored less a constant K that makes it a signed 16-bit number, and with C2 in one word; then
 *    one instruction multiplies both, by the upper 16 bits of xl (less 2^15: signed, too) and by the
 *    square.  What that changes is a multiple of xl and of C1 * 2^15: the first goes into the sum with
 *    the exponent, the second into the stored C0.
 *  - Of the square, the summands of three bits each of h and l come from a table (px_v_triangle).
 *  - Sums are shifted right in two steps, the lower part first: floor((a + b/n)/m) is
 *    floor((a + floor(b/n))/m).
 *  - Results that are cut at a place that depends on their size are converted in two parts, rounding
 *    towards zero.
 */
#ifndef PX_APPROX_AVX512_H
#define PX_APPROX_AVX512_H

#include "approx/tables.def"
#include "approx/vector.h"

/* ---- tables: words of C1 and C2 as the sums below want them ---- */

#define PX_V_WORD(high, low) ((uint32_t)(high) << 16 | ((uint32_t)(low)&0xFFFFu))
#define PX_V_TABLE(name, size, c0, word)                                                                     \
    static const uint32_t px_v_##name##_c0[size]                                                             \
        __attribute__((aligned(64))) = {PX_APPROX_TABLE_##name(c0)};                                         \
    static const uint32_t px_v_##name##_c12[size]                                                            \
        __attribute__((aligned(64))) = {PX_APPROX_TABLE_##name(word)};

#define PX_V_RCP_C0(c0, c1, c2) (uint32_t)(c0 - 4 * c1 - 4 * 0x01807FFF),
#define PX_V_RCP_WORD(c0, c1, c2) PX_V_WORD(0x8000 - c1, c2),
PX_V_TABLE(rcp, 128, PX_V_RCP_C0, PX_V_RCP_WORD)
#define PX_V_RSQRT_C0(c0, c1, c2) (uint32_t)(c0 - 4 * c1 - 4 * 0x7FFF),
#define PX_V_RSQRT_WORD(c0, c1, c2) PX_V_WORD(0x8000 - c1, 2 * c2),
PX_V_TABLE(rsqrt, 128, PX_V_RSQRT_C0, PX_V_RSQRT_WORD)
#define PX_V_SQRT_C0(c0, c1, c2) (uint32_t)(c0 + 2 * c1 - 4 * 0x8000),
#define PX_V_SQRT_WORD(c0, c1, c2) PX_V_WORD(c1 - 0x10000, -c2),
PX_V_TABLE(sqrt, 128, PX_V_SQRT_C0, PX_V_SQRT_WORD)
#define PX_V_SAME_C0(c0, c1, c2) c0,
#define PX_V_EX2_C0(c0, c1, c2) (uint32_t)(c0) + (0x3F000000u << 2), /* with the exponent of 1/2 */
#define PX_V_EX2_WORD(c0, c1, c2) PX_V_WORD(c1 - 0x8000, c2),
PX_V_TABLE(ex2, 64, PX_V_EX2_C0, PX_V_EX2_WORD)
#define PX_V_LG2_WORD(c0, c1, c2) PX_V_WORD(c1 - 0x8000, -2 * c2),
PX_V_TABLE(lg2, 64, PX_V_SAME_C0, PX_V_LG2_WORD)
#define PX_V_SIN_C0(c0, c1, c2) (uint32_t)(c0 - (1 << 11)),
#define PX_V_SIN_WORD(c0, c1, c2) PX_V_WORD(c1, -c2),
PX_V_TABLE(sin, 64, PX_V_SIN_C0, PX_V_SIN_WORD)
#define PX_V_TANH_C0(c0, c1, c2) 2 * c0,
PX_V_TABLE(tanh, 64, PX_V_TANH_C0, PX_V_SIN_WORD)

typedef struct px_v_terms {
    px_v16 c0, c12;
} px_v_terms;

/* From tables of 64 entries; the index begins at bit `first` of x. */
#define px_v_terms64(name, x, first)                                                                         \
    px_v_get64(px_v_##name##_c0, px_v_##name##_c12, (x) >> (first), px_v_test(x, 32u << (first)),            \
               px_v_testn(x, 32u << (first)))
#define px_v_terms128(name, x, first)                                                                        \
    px_v_get128(px_v_##name##_c0, px_v_##name##_c12, (x) >> (first), px_v_test(x, 32u << (first)),           \
                px_v_testn(x, 32u << (first)), px_v_test(x, 64u << (first)))

PX_APPROX_FN px_v_terms px_v_get64(const uint32_t *c0, const uint32_t *c12, px_v16 index, __mmask16 k5,
                                   __mmask16 not_k5)
{
    return (px_v_terms){px_v_fetch64(c0, index, k5, not_k5), px_v_fetch64(c12, index, k5, not_k5)};
}

PX_APPROX_FN px_v_terms px_v_get128(const uint32_t *c0, const uint32_t *c12, px_v16 index, __mmask16 k5,
                                    __mmask16 not_k5, __mmask16 k6)
{
    px_v_terms low = px_v_get64(c0, c12, index, k5, not_k5),
               high = px_v_get64(c0 + 64, c12 + 64, index, k5, not_k5);
    return (px_v_terms){PX_V(_mm512_mask_mov_epi32(PX_M(low.c0), k6, PX_M(high.c0))),
                        PX_V(_mm512_mask_mov_epi32(PX_M(low.c12), k6, PX_M(high.c12)))};
}

/* ---- the squarer ---- */

/* Byte u * 8 + v: v's bits 2, 1, 0 add u, u >> 1, u >> 2. */
#define PX_V_TRIANGLE(u)                                                                                     \
    0, (u) >> 2, (u) >> 1, ((u) >> 1) + ((u) >> 2), (u), (u) + ((u) >> 2), (u) + ((u) >> 1),                 \
        (u) + ((u) >> 1) + ((u) >> 2)
static const uint8_t px_v_triangle[64] __attribute__((aligned(64))) = {
    PX_V_TRIANGLE(0), PX_V_TRIANGLE(1), PX_V_TRIANGLE(2), PX_V_TRIANGLE(3),
    PX_V_TRIANGLE(4), PX_V_TRIANGLE(5), PX_V_TRIANGLE(6), PX_V_TRIANGLE(7),
};

/* Bits from place p, q, r, s of each word on, a byte each. */
#define PX_V_PLACES(p, q, r, s)                                                                              \
    _mm512_set1_epi64((int64_t)((uint64_t)((s) + 32) << 56 | (uint64_t)((r) + 32) << 48 |                    \
                                (uint64_t)((q) + 32) << 40 | (uint64_t)((p) + 32) << 32 |                    \
                                (uint32_t)((s) << 24 | (r) << 16 | (q) << 8 | (p))))

/* Twice px_approx_square of xl, plus 0 or 1, below 2^16; xl's bit 0 is x's bit -up (`up` is 0, or 1 for
 * rcp, whose xl has no bit 0).  With hh the upper four bits of h and m the upper four of l it is
 * h*h + 2*hh*m + 2*T(h bits 3..1, l bits 8..6) + 2*T(h bits 7..5, l bits 4..2), T the triangle. */
PX_APPROX_FN px_v16 px_v_square2(px_v16 x, int up)
{
    px_v16 high = PX_V(_mm512_multishift_epi64_epi8(PX_V_PLACES(7 - up, 11 - up, 13 - up, 9 - up), PX_M(x)));
    px_v16 low = PX_V(_mm512_multishift_epi64_epi8(PX_V_PLACES(6 - up, 2 - up, 4 - up, 0), PX_M(x)));
    px_v16 index = PX_V_SELECT(px_v_all(0x0707), low, high);
    px_v16 hh = high & px_v_all(0xF0000);
    px_v16 factors = PX_V_BITS(low, px_v_all(0x1E0000), px_v_all(0x0202), (PX_V_A & PX_V_B) | PX_V_C);
    px_v16 terms = PX_V(_mm512_mask_permutexvar_epi8(PX_M(hh), px_v_mask(0x3333333333333333), PX_M(index),
                                                     _mm512_load_si512(px_v_triangle)));
    __m512i h = PX_M(high >> 24);
    return PX_V(
        _mm512_dpwssd_epi32(_mm512_dpbusd_epi32(_mm512_setzero_si512(), PX_M(terms), PX_M(factors)), h, h));
}

PX_APPROX_FN px_v16 px_v_square(px_v16 x)
{
    return px_v_square2(x, 0) >> 1;
}

/* The square in the lower half of each word, the upper half of `rest` in the upper. */
PX_APPROX_FN px_v16 px_v_square_with(px_v16 rest, px_v16 x, int up)
{
    return PX_V(
        _mm512_mask_srli_epi16(PX_M(rest), (__mmask32)px_v_mask(0x55555555), PX_M(px_v_square2(x, up)), 1));
}

/* start + the products of the two signed halves of a and b. */
PX_APPROX_FN px_v16 px_v_dot(px_v16 start, px_v16 a, px_v16 b)
{
    return PX_V(_mm512_dpwssd_epi32(PX_M(start), PX_M(a), PX_M(b)));
}

/* C1 (its signed upper half) times the whole word xl, plus the product of the lower halves. */
PX_APPROX_FN px_v16 px_v_sum(px_v16 start, px_v16 c12, px_v16 xl, px_v16 square)
{
    return PX_V(PX_VS(c12) >> 16) * xl + px_v_dot(start, c12, square);
}

/* ---- the units: results of ordinary operands, and which operands are not ---- */

/* (C0 * 2^13 - C1 * xl + C2 * square + start) >> 13, xl of 16 bits; K is 0x8000.  With a start of 0x7E7 and
 * `rest` = 2^16 - 1 - xl, (sum >> 2) + rest is the float less 0x40000000. */
PX_APPROX_FN px_v16s px_v_rcp_sum(px_v16 x, px_v16 start)
{
    px_v_terms t = px_v_terms128(rcp, x, 16);
    px_v16 sum = px_v_dot(start, t.c12, px_v_square_with((x << 16) ^ px_v_all(0x80000000), x, 1));
    return PX_VS(t.c0) + (PX_VS(sum) >> 13);
}

PX_APPROX_FN px_v16 px_v_reciprocal(px_v16 x)
{
    /* the exponent 0xFF less the operand's, `rest`, and the operand's sign */
    px_v16 rest = PX_V_BITS(x, px_v_all(0x7F80FFFF), px_v_all(0xFF80FFFF), (PX_V_A ^ PX_V_B) & PX_V_C);
    return PX_V(px_v_rcp_sum(x, px_v_all(0x7E7)) >> 2) + rest;
}

PX_APPROX_FN px_v16 px_v_rcp(px_v16 x, bool *special)
{
    px_v16 above = x + x - px_v_all(2 * PX_APPROX_MIN);
    *special = _mm512_cmpgt_epu32_mask(PX_M(above), PX_M(px_v_all(2 * (0x7E800000u - PX_APPROX_MIN))));
    return px_v_reciprocal(x);
}

PX_APPROX_FN bool px_v_no_positive(px_v16 x)
{
    return _mm512_cmpge_epu32_mask(PX_M(x - px_v_all(PX_APPROX_MIN)),
                                   PX_M(px_v_all(PX_APPROX_INF - PX_APPROX_MIN)));
}

/* (C0 * 2^14 - C1 * xl + 4 * C2 * square + 2 * start + 1) >> 14; first halved, with xl = 2 * xh + x0, x0
 * being 0 unless `odd`.  With a start of 0x1FFF and `rest` = 2^16 - 1 - xh, (sum >> 2) + rest is
 * px_approx_rsqrt_core. */
PX_APPROX_FN px_v16 px_v_rsqrt_sum(px_v16 x, px_v16 start, bool odd)
{
    px_v_terms t = px_v_terms128(rsqrt, x, 17);
    __m512i sum = PX_M(px_v_dot(start, t.c12, px_v_square_with((x << 15) ^ px_v_all(0x80000000), x, 0)));
    if (odd) {
        px_v16 half_c1 = (px_v_all(0x8000FFFF) - t.c12) >> 17;
        sum = _mm512_mask_sub_epi32(sum, px_v_test(x, 1), sum, PX_M(half_c1));
    }
    return t.c0 + PX_V(PX_VS(sum) >> 13);
}

PX_APPROX_FN px_v16 px_v_rsqrt(px_v16 x, bool *special)
{
    *special = px_v_no_positive(x);
    /* with E = 189 + 64: 2 * E less the exponent, halved, and `rest` */
    px_v16 rest = ((px_v_all(0xBD7FFFFF) - x) >> 1) & px_v_all(0x7F80FFFF);
    px_v16 y = (px_v_rsqrt_sum(x, px_v_all(0x1FFF), true) >> 2) + rest;
    __mmask16 power = _mm512_mask_testn_epi32_mask(px_v_test(x, 0x800000), PX_M(x), PX_M(px_v_all(0x7FFFFF)));
    return PX_V(_mm512_mask_add_epi32(PX_M(y), power, PX_M(y), PX_M(px_v_all(1))));
}

/* floor((C0 * 2^15 + C1 * xl - 2 * C2 * square + 0x7FFF) / 2^17); first halved. */
PX_APPROX_FN px_v16 px_v_sqrt(px_v16 x, bool *special)
{
    px_v_terms t = px_v_terms128(sqrt, x, 17);
    __mmask16 odd = px_v_test(x, 1);
    __m512i start = _mm512_mask_mov_epi32(PX_M(px_v_all(0x3FFF)), odd, PX_M(px_v_all(0x3FFF + 0x8000)));
    px_v16 right = px_v_square_with((x << 15) ^ px_v_all(0x80000000), x, 0);
    __m512i sum = _mm512_dpwssd_epi32(start, PX_M(t.c12), PX_M(right));
    sum = _mm512_mask_add_epi32(sum, odd, sum, PX_M(PX_VS(t.c12 + px_v_all(0x10000)) >> 17));
    *special = px_v_no_positive(x);
    return ((t.c0 + PX_V(PX_VS(sum) >> 14)) >> 2) +
           (((x + px_v_all(0x3E800000)) >> 1) & px_v_all(0x7F80FFFF));
}

/* floor((C0 * 2^13 + C1 * xl + C2 * square + 0x17E2) / 2^15) */
PX_APPROX_FN px_v16 px_v_power(px_v16 x)
{
    __m512i v = _mm512_cvttps_epi32(_mm512_mul_ps((__m512)x, px_v_float(0x1p23f)));
    __mmask16 low = _mm512_mask_test_epi32_mask(_mm512_movepi32_mask(PX_M(x)), v, PX_M(px_v_all(0x7FFFFF)));
    v = _mm512_mask_sub_epi32(v, low, v, PX_M(px_v_all(1)));
    px_v_terms t = px_v_terms64(ex2, PX_V(v), 17);
    px_v16 sum = px_v_sum(px_v_all(0x17E2), t.c12, PX_V(v) & px_v_all(PX_APPROX_XL), px_v_square(PX_V(v)));
    return ((t.c0 + PX_V(PX_VS(sum) >> 13)) >> 2) + (PX_V(v) & px_v_all(0xFF800000 | PX_APPROX_XL));
}

PX_APPROX_FN px_v16 px_v_ex2(px_v16 x, bool *special)
{
    *special = _mm512_cmpgt_epu32_mask(PX_M(x + x), PX_M(px_v_all(2 * 0x42FC0000u)));
    return px_v_power(x);
}

/* The float a + b * unit, cut; |a| < 2^31, b * unit less than 1 (or, where a < 2^24, any number). */
PX_APPROX_FN __m512 px_v_cut(px_v16 a, __m512 b, __m512 unit)
{
    return _mm512_fmadd_round_ps(b, unit, _mm512_cvt_roundepi32_ps(PX_M(a), PX_V_TO_ZERO), PX_V_TO_ZERO);
}

/* C0 * 2^12 + C1 * xl - 2 * C2 * square + 0x345 in units of 2^-38, to which the exponent is added; of
 * that 23 fraction bits go into `a`, 13 more into `b`. */
PX_APPROX_FN px_v16 px_v_lg2(px_v16 x, bool *special)
{
    px_v_terms t = px_v_terms64(lg2, x, 17);
    px_v16 xl = x & px_v_all(PX_APPROX_XL), base = t.c0 + (xl << 3);
    px_v16 sum = px_v_sum(px_v_all(0x345), t.c12, xl, px_v_square(x));
    px_v16 a =
        ((base + PX_V(PX_VS(sum) >> 12)) >> 3) + ((x & px_v_all(0xFF800000)) - px_v_all(PX_APPROX_ONE));
    px_v16 below = PX_V(PX_VS(a) >> 31), b = ((base << 12) + sum) >> 2;
    b = PX_V_BITS(b, below, px_v_all(0x1FFF), (PX_V_A ^ PX_V_B) & PX_V_C);
    __m512 y = px_v_cut(a ^ below, _mm512_cvtepi32_ps(PX_M(b)), px_v_float(0x1p-13f));
    __mmask16 not_one = _mm512_cmpneq_epi32_mask(PX_M(x), PX_M(px_v_all(PX_APPROX_ONE)));
    y = _mm512_maskz_mul_ps(not_one, y, px_v_float(0x1p-23f));
    *special = px_v_no_positive(x);
    return PX_V_BITS(y, below, px_v_all(PX_APPROX_SIGN), PX_V_A | (PX_V_B & PX_V_C));
}

/* |x| / 2pi cut to 24 bits, then to units of 2^-25; special from 64 turns on. */
PX_APPROX_FN px_v16 px_v_turns(px_v16 x, bool *special)
{
    px_v16 ax = x & px_v_all(0x7FFFFFFF);
    *special = _mm512_cmpge_epu32_mask(PX_M(ax), PX_M(px_v_all(0x43C90000)));
    return PX_V(_mm512_cvttps_epi32(
        _mm512_mul_round_ps((__m512)ax, (__m512)px_v_all(0x3E22F983 + (25u << 23)), PX_V_TO_ZERO)));
}

/* The same without whole turns, for all but infinities and NaNs. */
PX_APPROX_FN px_v16 px_v_turns_more(px_v16 x)
{
    px_v16 ax = x & px_v_all(0x7FFFFFFF);
    __m512 turns = _mm512_mul_round_ps((__m512)ax, (__m512)px_v_all(0x3E22F983), PX_V_TO_ZERO);
    return PX_V(
        _mm512_cvttps_epi32(_mm512_mul_ps(_mm512_reduce_ps(turns, PX_V_TO_ZERO), px_v_float(0x1p25f))));
}

/* The sine within a quarter turn; places in lanes of `back` count from its end.  The lower 12 bits of the
 * sum become a float by standing under the exponent of 2^23, which makes 2^11 too much. */
PX_APPROX_FN px_v16 px_v_quarter(px_v16 turns, __mmask16 back, px_v16 sign)
{
    px_v16 r = PX_V(_mm512_mask_xor_epi32(PX_M(turns), back, PX_M(turns), PX_M(px_v_all(0x7FFFFF))));
    px_v_terms t = px_v_terms64(sin, r, 17);
    px_v16 sum = (t.c12 >> 16) * (r & px_v_all(PX_APPROX_XL)) +
                 px_v_dot(PX_V(_mm512_setzero_si512()), t.c12, px_v_square(r));
    px_v16 low = PX_V_SELECT(px_v_all(0xFFF), sum, px_v_all(0x4B000000));
    __m512 y =
        _mm512_mul_ps(px_v_cut(t.c0 + (sum >> 12), (__m512)low, px_v_float(0x1p-12f)), px_v_float(0x1p-25f));
    return PX_V_BITS(y, sign, px_v_all(PX_APPROX_SIGN), PX_V_A | (PX_V_B & PX_V_C));
}

PX_APPROX_FN px_v16 px_v_sine(px_v16 x, px_v16 turns)
{
    return px_v_quarter(turns, px_v_test(turns, 0x800000), x ^ (turns << 7));
}

PX_APPROX_FN px_v16 px_v_cosine(px_v16 turns)
{
    return px_v_quarter(turns, px_v_testn(turns, 0x800000), (turns + px_v_all(0x800000)) << 7);
}

PX_APPROX_FN px_v16 px_v_sin(px_v16 x, bool *special)
{
    return px_v_sine(x, px_v_turns(x, special));
}

PX_APPROX_FN px_v16 px_v_cos(px_v16 x, bool *special)
{
    return px_v_cosine(px_v_turns(x, special));
}

/* By the lowest four bits of the exponent, from 2^-8 (place 7) through 2^0 (15) to 4 (1): where the
 * index begins in the fraction, the first entry, the shift of the sum, what leads from 2^23 units of
 * the sum to the result's exponent. */
static const uint32_t px_v_tanh_first[16] = {19, 20, 0, 0, 0, 0, 0, 23, 23, 23, 22, 22, 21, 21, 21, 20};
static const uint32_t px_v_tanh_base[16] = {48, 40, 0, 0, 0, 0, 0, 0, 4, 8, 12, 16, 20, 24, 28, 32};
static const uint32_t px_v_tanh_drop[16] = {13, 12, 0, 0, 0, 0, 0, 7, 7, 7, 9, 9, 10, 10, 10, 11};
static const uint32_t px_v_tanh_less[16] = {
    25u << 23, 25u << 23, 0,         0,         0,         0,         0,         32u << 23,
    31u << 23, 30u << 23, 29u << 23, 28u << 23, 27u << 23, 26u << 23, 25u << 23, 25u << 23,
};

PX_APPROX_FN px_v16 px_v_entry16(const uint32_t *t, px_v16 index)
{
    return PX_V(_mm512_permutexvar_epi32(PX_M(index), _mm512_loadu_si512(t)));
}

PX_APPROX_FN px_v16 px_v_tanh(px_v16 x, bool *special)
{
    px_v16 ax = x & px_v_all(0x7FFFFFFF), f = x & px_v_all(0x7FFFFF), place = x >> 23;
    px_v16 first = px_v_entry16(px_v_tanh_first, place);
    px_v16 index = px_v_entry16(px_v_tanh_base, place) + (f >> first);
    px_v16 xl = (f >> (first - px_v_all(17))) & px_v_all(PX_APPROX_XL);
    px_v_terms t = px_v_terms64(tanh, index, 0);
    px_v16 c1 = t.c12 >> 16, low = px_v_dot(PX_V(_mm512_setzero_si512()), t.c12, px_v_square(xl));
    low = PX_V(_mm512_mask_add_epi32(PX_M(low), px_v_test(xl, 1), PX_M(low), PX_M(c1)));
    px_v16 sum = c1 * (xl >> 1) + PX_V(PX_VS(low) >> 1);
    px_v16 v = t.c0 + (sum >> px_v_entry16(px_v_tanh_drop, place));
    __m512i y =
        PX_M(PX_V(_mm512_cvt_roundepi32_ps(PX_M(v), PX_V_TO_ZERO)) - px_v_entry16(px_v_tanh_less, place));
    y = _mm512_mask_mov_epi32(y, _mm512_cmplt_epu32_mask(PX_M(ax), PX_M(px_v_all(119u << 23))), PX_M(ax));
    y = _mm512_mask_mov_epi32(y, _mm512_cmpge_epu32_mask(PX_M(ax), PX_M(px_v_all(130u << 23))),
                              PX_M(px_v_all(PX_APPROX_ONE)));
    *special = _mm512_fpclass_ps_mask((__m512)x, 0x81); /* NaNs */
    return PX_V_BITS(x, px_v_all(PX_APPROX_SIGN), y, (PX_V_A & PX_V_B) | PX_V_C);
}

/* Ordinary: magnitudes from 2^-60 to 2^60, of the dividend also 0. */
PX_APPROX_FN px_v16 px_v_div(px_v16 a, px_v16 b, bool *special)
{
    px_v16 ax = a & px_v_all(0x7FFFFFFF), bx = b & px_v_all(0x7FFFFFFF), least = px_v_all(67u << 23),
           width = px_v_all(120u << 23);
    __mmask16 good = _mm512_cmple_epu32_mask(PX_M(bx - least), PX_M(width));
    __mmask16 both = _mm512_mask_cmple_epu32_mask(good, PX_M(ax - least), PX_M(width));
    *special = !_kortestc_mask16_u8(both, _mm512_mask_testn_epi32_mask(good, PX_M(ax), PX_M(ax)));
    return PX_V(_mm512_mul_ps((__m512)a, (__m512)px_v_reciprocal(b)));
}

/* ---- the same for zeros, infinities, NaNs, and with ftz subnormals; special are the others without ftz ----
 */

PX_APPROX_FN px_v16 px_v_sign(px_v16 x)
{
    return x & px_v_all(PX_APPROX_SIGN);
}

#define px_v_below(x, limit) _mm512_cmplt_epu32_mask(PX_M(x), PX_M(px_v_all(limit)))
#define px_v_above(x, limit) _mm512_cmpgt_epu32_mask(PX_M(x), PX_M(px_v_all(limit)))

/* Magnitudes that count as zero; those of subnormals that do not. */
PX_APPROX_FN __mmask16 px_v_zeros(px_v16 ax, bool ftz)
{
    return ftz ? px_v_below(ax, PX_APPROX_MIN) : _mm512_testn_epi32_mask(PX_M(ax), PX_M(ax));
}

PX_APPROX_FN __mmask16 px_v_subnormals(px_v16 ax, bool ftz)
{
    return ftz ? 0 : px_v_below(ax - px_v_all(1), PX_APPROX_MIN - 1);
}

PX_APPROX_FN px_v16 px_v_put_nans(px_v16 y, px_v16 x)
{
    return px_v_put_word(y, px_v_above(x & px_v_all(0x7FFFFFFF), PX_APPROX_INF), px_v_all(PX_APPROX_NAN));
}

PX_APPROX_FN px_v16 px_v_rcp_more(px_v16 x, bool ftz, bool *special)
{
    px_v16 ax = x & px_v_all(0x7FFFFFFF), sign = px_v_sign(x);
    __mmask16 small = px_v_above(ax, 0x7E800000); /* results that are not normal */
    *special = px_v_subnormals(ax, ftz) | (ftz ? 0 : small & px_v_below(ax, PX_APPROX_INF));
    px_v16 y = px_v_put_word(px_v_reciprocal(x), small, sign);
    y = px_v_put_word(y, px_v_zeros(ax, ftz), sign | px_v_all(PX_APPROX_INF));
    return px_v_put_nans(y, x);
}

/* Units for positive operands: y where x is positive and finite, NaN where it is negative. */
PX_APPROX_FN px_v16 px_v_positive(px_v16 y, px_v16 x, px_v16 at_infinity, px_v16 at_zero, bool ftz,
                                  bool *special)
{
    *special = px_v_subnormals(x, ftz);
    y = px_v_put_word(y, px_v_above(x, PX_APPROX_INF - 1), at_infinity);
    y = px_v_put_word(y, px_v_above(x, PX_APPROX_INF), px_v_all(PX_APPROX_NAN));
    return px_v_put_word(y, px_v_zeros(x & px_v_all(0x7FFFFFFF), ftz), at_zero);
}

PX_APPROX_FN px_v16 px_v_rsqrt_more(px_v16 x, bool ftz, bool *special)
{
    px_v16 infinity = px_v_all(PX_APPROX_INF);
    return px_v_positive(px_v_rsqrt(x, special), x, infinity ^ infinity, infinity | px_v_sign(x), ftz,
                         special);
}

PX_APPROX_FN px_v16 px_v_sqrt_more(px_v16 x, bool ftz, bool *special)
{
    return px_v_positive(px_v_sqrt(x, special), x, px_v_all(PX_APPROX_INF), px_v_sign(x), ftz, special);
}

PX_APPROX_FN px_v16 px_v_lg2_more(px_v16 x, bool ftz, bool *special)
{
    return px_v_positive(px_v_lg2(x, special), x, px_v_all(PX_APPROX_INF), px_v_all(0xFF800000), ftz,
                         special);
}

PX_APPROX_FN px_v16 px_v_ex2_more(px_v16 x, bool ftz, bool *special)
{
    __mmask16 large = _mm512_cmpge_epi32_mask(PX_M(x), PX_M(px_v_all(0x43000000))); /* 128 */
    __mmask16 small = _mm512_cmpge_epu32_mask(PX_M(x), PX_M(px_v_all(0xC3160000))); /* -150 */
    __mmask16 low = px_v_above(x, 0xC2FC0000);                                      /* -126 */
    *special = ftz ? 0 : low & ~small;
    px_v16 y = px_v_put_word(px_v_power(x), large, px_v_all(PX_APPROX_INF));
    return px_v_put_nans(px_v_put_word(y, ftz ? low : small, px_v_all(0)), x);
}

PX_APPROX_FN px_v16 px_v_wave_more(px_v16 y, px_v16 x, bool *special)
{
    *special = false;
    return px_v_put_word(y, px_v_above(x & px_v_all(0x7FFFFFFF), PX_APPROX_INF - 1), px_v_all(PX_APPROX_NAN));
}

PX_APPROX_FN px_v16 px_v_sin_more(px_v16 x, bool ftz, bool *special)
{
    (void)ftz;
    return px_v_wave_more(px_v_sine(x, px_v_turns_more(x)), x, special);
}

PX_APPROX_FN px_v16 px_v_cos_more(px_v16 x, bool ftz, bool *special)
{
    (void)ftz;
    return px_v_wave_more(px_v_cosine(px_v_turns_more(x)), x, special);
}

PX_APPROX_FN px_v16 px_v_tanh_more(px_v16 x, bool ftz, bool *special)
{
    (void)ftz;
    px_v16 y = px_v_put_nans(px_v_tanh(x, special), x);
    *special = false;
    return y;
}

/* The reciprocal is flushed whether ftz or not.  Special, too: quotients that are or may be subnormal (with
 * ftz those that are not known to be by the difference of exponents), and divisors above 2^126, which
 * div.full scales. */
PX_APPROX_FN px_v16 px_v_div_more(px_v16 a, px_v16 b, bool full, bool ftz, bool *special)
{
    px_v16 most = px_v_all(0x7FFFFFFF), ax = a & most, bx = b & most, r = px_v_rcp_more(b, true, special);
    __mmask16 other = px_v_subnormals(ax, ftz) | px_v_subnormals(bx, ftz);
    if (full) other |= px_v_above(bx, 0x7E800000) & px_v_below(bx, PX_APPROX_INF);
    __mmask16 no_zero =
        _mm512_test_epi32_mask(PX_M(ax), PX_M(ax)) & _mm512_test_epi32_mask(PX_M(r), PX_M(most));
    px_v16 gap = (ax >> 23) - (bx >> 23) + px_v_all(127); /* 0 to 2: perhaps a normal quotient */
    __mmask16 small = _mm512_cmplt_epi32_mask(PX_M(gap), PX_M(px_v_all(3)));
    other |= no_zero & (ftz ? px_v_below(gap, 3) : small);
    a = px_v_put_word(a, ftz ? small | px_v_zeros(ax, true) : small, px_v_sign(a));
    *special = other;
    px_v16 y = PX_V(_mm512_mul_ps((__m512)a, (__m512)r));
    return px_v_put_nans(y, y);
}

/* ---- rows: ordinary vectors; from the first other one on those of the second way; what they leave the
 * portable code does ---- */

#define PX_V_ROW_MODE(name, mode, ftz)                                                                       \
    static __attribute__((noinline)) void px_v_##name##_rest##mode(uint32_t *d, const uint32_t *a, int i,    \
                                                                   int n)                                    \
    {                                                                                                        \
        for (; i + 16 <= n; i += 16) {                                                                       \
            bool special;                                                                                    \
            px_v16 y = px_v_##name##_more(PX_V(_mm512_loadu_si512(a + i)), ftz, &special);                   \
            if (__builtin_expect(special, 0)) break;                                                         \
            _mm512_storeu_si512(d + i, PX_M(y));                                                             \
        }                                                                                                    \
        if (i < n) px_approx_##name##_f32_any(d + i, a + i, n - i, ftz);                                     \
    }

#define PX_V_ROW(name)                                                                                       \
    PX_V_ROW_MODE(name, , false)                                                                             \
    PX_V_ROW_MODE(name, _ftz, true)                                                                          \
    PX_APPROX_FN void px_approx_##name##_f32_row(uint32_t *d, const uint32_t *a, int n, bool ftz)            \
    {                                                                                                        \
        int i = 0;                                                                                           \
        for (; i + 16 <= n; i += 16) {                                                                       \
            bool special;                                                                                    \
            px_v16 y = px_v_##name(PX_V(_mm512_loadu_si512(a + i)), &special);                               \
            if (__builtin_expect(special, 0)) break;                                                         \
            _mm512_storeu_si512(d + i, PX_M(y));                                                             \
        }                                                                                                    \
        if (i < n) (ftz ? px_v_##name##_rest_ftz : px_v_##name##_rest)(d, a, i, n);                          \
    }

#define PX_V_DIVISION_MODE(name, mode, full, ftz)                                                            \
    static __attribute__((noinline)) void px_v_##name##_rest##mode(uint32_t *d, const uint32_t *a,           \
                                                                   const uint32_t *b, int i, int n)          \
    {                                                                                                        \
        for (; i + 16 <= n; i += 16) {                                                                       \
            bool special;                                                                                    \
            px_v16 y = px_v_div_more(PX_V(_mm512_loadu_si512(a + i)), PX_V(_mm512_loadu_si512(b + i)), full, \
                                     ftz, &special);                                                         \
            if (__builtin_expect(special, 0)) break;                                                         \
            _mm512_storeu_si512(d + i, PX_M(y));                                                             \
        }                                                                                                    \
        if (i < n) px_approx_##name##_f32_any(d + i, a + i, b + i, n - i, ftz);                              \
    }

#define PX_V_DIVISION(name, full)                                                                            \
    PX_V_DIVISION_MODE(name, , full, false)                                                                  \
    PX_V_DIVISION_MODE(name, _ftz, full, true)                                                               \
    PX_APPROX_FN void px_approx_##name##_f32_row(uint32_t *d, const uint32_t *a, const uint32_t *b, int n,   \
                                                 bool ftz)                                                   \
    {                                                                                                        \
        int i = 0;                                                                                           \
        for (; i + 16 <= n; i += 16) {                                                                       \
            bool special;                                                                                    \
            px_v16 y = px_v_div(PX_V(_mm512_loadu_si512(a + i)), PX_V(_mm512_loadu_si512(b + i)), &special); \
            if (__builtin_expect(special, 0)) break;                                                         \
            _mm512_storeu_si512(d + i, PX_M(y));                                                             \
        }                                                                                                    \
        if (i < n) (ftz ? px_v_##name##_rest_ftz : px_v_##name##_rest)(d, a, b, i, n);                       \
    }

#endif
