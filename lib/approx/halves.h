/* approx/halves.h - rows of ex2 and tanh on f16 and bf16 in AVX-512 (F, BW, DQ), thirty-two at a time.
 *
 * Here the halves do not go through the f32 units.  Of a result 11 bits (bf16: 8) are kept, so
 * polynomials in float arithmetic do, if their coefficients are chosen such that the cut gives the
 * chip's half for each of the 65,536 inputs; tests/hw/approx/fit_halves.c finds them
 * (approx/halves.def), tests/unit/test_approx.c and tests/hw/approx_check try all inputs.  The float
 * operations neither take nor give a subnormal that matters, so FTZ and DAZ change nothing.
 *
 * Vectors of ordinary operands take the short way; `wild` puts in the special results.
 */
#ifndef PX_APPROX_HALVES_H
#define PX_APPROX_HALVES_H

#include "approx/halves.def"
#include "approx/vector.h"

typedef uint16_t px_v32 __attribute__((vector_size(64)));

#define PX_V32(x) ((px_v32)(x))
#define px_v_halves(x) PX_V32(px_v_all((x)*0x10001u))

#define PX_V_EX2_ENTRY(bits) bits,
static const uint32_t px_v_ex2_scale[32]
    __attribute__((aligned(64))) = {PX_APPROX_HALVES_ex2(PX_V_EX2_ENTRY)};
#define PX_V_TANH_A(a, b, c) a,
#define PX_V_TANH_B(a, b, c) b,
#define PX_V_TANH_C(a, b, c) c,
#define PX_V_TANH(name, size)                                                                                \
    static const float px_v_tanh_##name##_a[size]                                                            \
        __attribute__((aligned(64))) = {PX_APPROX_HALVES_tanh_##name(PX_V_TANH_A)};                          \
    static const float px_v_tanh_##name##_b[size]                                                            \
        __attribute__((aligned(64))) = {PX_APPROX_HALVES_tanh_##name(PX_V_TANH_B)};                          \
    static const float px_v_tanh_##name##_c[size]                                                            \
        __attribute__((aligned(64))) = {PX_APPROX_HALVES_tanh_##name(PX_V_TANH_C)};
PX_V_TANH(f16, 64)
PX_V_TANH(bf16, 32)

/* ---- in floats ---- */

PX_APPROX_FN __m512 px_v_fetch32(const void *t, px_v16 index)
{
    const __m512i *half = t;
    return (__m512)_mm512_permutex2var_epi32(_mm512_load_si512(half), PX_M(index),
                                             _mm512_load_si512(half + 1));
}

/* With x = n + i/32 + r, |r| <= 1/64, it is T * (1 + q(r)), T = 2^n * 2^(i/32).  The sum t has 32 * n + i in
 * its low bits; moved up by 18, n is added to the exponent of entry i (and i, which the entry lacks, to its
 * fraction). */
PX_APPROX_FN __m512 px_v_ex2_float(__m512 x)
{
    __m512 shift = px_v_float(0x1.8p18f), t = x + shift, r = x - (t - shift);
    __m512 scale = (__m512)(PX_V(px_v_fetch32(px_v_ex2_scale, PX_V(t))) + (PX_V(t) << 18));
    __m512 q = _mm512_fmadd_ps(r, px_v_float(PX_APPROX_HALVES_EX2_C2), px_v_float(PX_APPROX_HALVES_EX2_C1));
    q = _mm512_fmadd_ps(r, q, px_v_float(PX_APPROX_HALVES_EX2_MORE));
    return _mm512_fmadd_round_ps(scale, q, scale, PX_V_TO_ZERO);
}

/* a + x * (b + x * c), 0 <= x < 7.5; the interval is in the leading bits of x + 1/2. */
PX_APPROX_FN __m512 px_v_parabola(__m512 x, __m512 a, __m512 b, __m512 c)
{
    return _mm512_fmadd_round_ps(x, _mm512_fmadd_ps(x, c, b), a, PX_V_TO_ZERO);
}

PX_APPROX_FN __m512 px_v_tanh_float64(__m512 x)
{
    px_v16 place = PX_V(x + px_v_float(0.5f)), index = place >> 19;
    __mmask16 k5 = px_v_test(place, 32u << 19), not_k5 = px_v_testn(place, 32u << 19);
    return px_v_parabola(x, (__m512)px_v_fetch64(px_v_tanh_f16_a, index, k5, not_k5),
                         (__m512)px_v_fetch64(px_v_tanh_f16_b, index, k5, not_k5),
                         (__m512)px_v_fetch64(px_v_tanh_f16_c, index, k5, not_k5));
}

PX_APPROX_FN __m512 px_v_tanh_float32(__m512 x)
{
    px_v16 index = PX_V(x + px_v_float(0.5f)) >> 20;
    return px_v_parabola(x, px_v_fetch32(px_v_tanh_bf16_a, index), px_v_fetch32(px_v_tanh_bf16_b, index),
                         px_v_fetch32(px_v_tanh_bf16_c, index));
}

/* ---- halves to and from floats ---- */

/* f16: the conversions know subnormals, whatever the mode, and cut. */
PX_APPROX_FN __m512 px_v_from_f16(const uint16_t *a)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)a));
}

PX_APPROX_FN void px_v_to_f16(uint16_t *d, __m512 y)
{
    _mm256_storeu_si256((__m256i *)d, _mm512_cvtps_ph(y, PX_V_TO_ZERO));
}

/* bf16: those in even places, and in odd ones. */
PX_APPROX_FN __m512 px_v_even(px_v32 x)
{
    return (__m512)(PX_V(x) << 16);
}

PX_APPROX_FN __m512 px_v_odd(px_v32 x)
{
    return (__m512)(PX_V(x) & px_v_all(0xFFFF0000));
}

PX_APPROX_FN px_v32 px_v_merge(__m512 even, __m512 odd)
{
    return PX_V32(PX_V_SELECT(px_v_all(0xFFFF0000), odd, PX_V(even) >> 16));
}

PX_APPROX_FN px_v32 px_v_load32(const uint16_t *a)
{
    return PX_V32(_mm512_loadu_si512(a));
}

PX_APPROX_FN px_v32 px_v_magnitude(px_v32 x)
{
    return x & px_v_halves(0x7FFFu);
}

PX_APPROX_FN px_v32 px_v_put_half(px_v32 y, __mmask32 lanes, px_v32 value)
{
    return PX_V32(_mm512_mask_mov_epi16(PX_M(y), lanes, PX_M(value)));
}

/* The result for NaNs; infinity is the format's. */
PX_APPROX_FN px_v32 px_v_put_half_nans(px_v32 y, px_v32 x, px_v32 infinity)
{
    return px_v_put_half(y, _mm512_cmpgt_epu16_mask(PX_M(px_v_magnitude(x)), PX_M(infinity)),
                         px_v_halves(0x7FFFu));
}

/* Is every magnitude less than this one? */
#define px_v_all_below(x, limit) (!_mm512_cmpge_epu16_mask(PX_M((x) + (x)), PX_M(px_v_halves(2u * (limit)))))

/* ---- the units: thirty-two results to d; ordinary operands, and what is done with others ---- */

PX_APPROX_FN bool px_v_ex2_f16_plain(px_v32 x)
{
    return px_v_all_below(x, 0x4C00u); /* 16 */
}

PX_APPROX_FN void px_v_ex2_f16(uint16_t *d, const uint16_t *a, bool wild)
{
    px_v32 x = px_v_load32(a);
    __m512 low = px_v_from_f16(a), high = px_v_from_f16(a + 16);
    if (wild) low = _mm512_max_ps(low, px_v_float(-26)), high = _mm512_max_ps(high, px_v_float(-26));
    px_v_to_f16(d, px_v_ex2_float(low));
    px_v_to_f16(d + 16, px_v_ex2_float(high));
    if (!wild) return;
    px_v32 y = px_v_load32(d);
    y = px_v_put_half(y, _mm512_cmpge_epi16_mask(PX_M(x), PX_M(px_v_halves(0x4C00u))), px_v_halves(0x7C00u));
    _mm512_storeu_si512(d, PX_M(px_v_put_half_nans(y, x, px_v_halves(0x7C00u))));
}

PX_APPROX_FN bool px_v_ex2_bf16_plain(px_v32 x)
{
    return px_v_all_below(x, 0x42FCu); /* 126 */
}

PX_APPROX_FN void px_v_ex2_bf16(uint16_t *d, const uint16_t *a, bool wild)
{
    px_v32 x = px_v_load32(a), y = px_v_merge(px_v_ex2_float(px_v_even(x)), px_v_ex2_float(px_v_odd(x)));
    if (wild) {
        y = px_v_put_half(y, _mm512_cmpge_epi16_mask(PX_M(x), PX_M(px_v_halves(0x4300u))),
                          px_v_halves(0x7F80u)); /* 128 */
        y = px_v_put_half(y, _mm512_cmpgt_epu16_mask(PX_M(x), PX_M(px_v_halves(0xC2FCu))),
                          px_v_halves(0u)); /* -126 */
        y = px_v_put_half_nans(y, x, px_v_halves(0x7F80u));
    }
    _mm512_storeu_si512(d, PX_M(y));
}

/* Above 7.5 tanh is what it is at 7.25, from 8 on it is 1. */
PX_APPROX_FN px_v32 px_v_put_tanh(px_v32 y, px_v32 x, px_v32 eight, px_v32 one, px_v32 infinity)
{
    px_v32 signed_one = PX_V32(PX_V_SELECT(px_v_halves(0x8000u), x, one));
    y = px_v_put_half(y, _mm512_cmpge_epu16_mask(PX_M(px_v_magnitude(x)), PX_M(eight)), signed_one);
    return px_v_put_half_nans(y, x, infinity);
}

PX_APPROX_FN bool px_v_tanh_f16_plain(px_v32 x)
{
    return px_v_all_below(x, 0x4780u); /* 7.5 */
}

/* The float's sign is put back. */
PX_APPROX_FN __m512 px_v_tanh_signed(__m512 x, bool wild)
{
    px_v16 sign = px_v_all(PX_APPROX_SIGN);
    __m512 ax = (__m512)(PX_V(x) & ~sign);
    if (wild) ax = _mm512_min_ps(ax, px_v_float(7.25f));
    return (__m512)PX_V_SELECT(sign, x, px_v_tanh_float64(ax));
}

PX_APPROX_FN void px_v_tanh_f16(uint16_t *d, const uint16_t *a, bool wild)
{
    px_v32 x = px_v_load32(a);
    __m512 low = px_v_from_f16(a), high = px_v_from_f16(a + 16);
    px_v_to_f16(d, px_v_tanh_signed(low, wild));
    px_v_to_f16(d + 16, px_v_tanh_signed(high, wild));
    if (!wild) return;
    px_v32 y =
        px_v_put_tanh(px_v_load32(d), x, px_v_halves(0x4800u), px_v_halves(0x3C00u), px_v_halves(0x7C00u));
    _mm512_storeu_si512(d, PX_M(y));
}

PX_APPROX_FN bool px_v_tanh_bf16_plain(px_v32 x)
{
    return px_v_all_below(x, 0x40F0u); /* 7.5 */
}

/* Up to 2^-8 it is the operand, which may be too small for float arithmetic. */
PX_APPROX_FN void px_v_tanh_bf16(uint16_t *d, const uint16_t *a, bool wild)
{
    px_v32 x = px_v_load32(a), ax = px_v_magnitude(x), sign = px_v_halves(0x8000u);
    __mmask32 same = _mm512_cmplt_epu16_mask(PX_M(ax), PX_M(px_v_halves(0x3B80u)));
    if (wild) ax = PX_V32(_mm512_min_epu16(PX_M(ax), PX_M(px_v_halves(0x40E8u))));
    px_v32 y = px_v_merge(px_v_tanh_float32(px_v_even(ax)), px_v_tanh_float32(px_v_odd(ax)));
    y = px_v_put_half(PX_V32(PX_V_SELECT(sign, x, y)), same, x);
    if (wild) y = px_v_put_tanh(y, x, px_v_halves(0x4100u), px_v_halves(0x3F80u), px_v_halves(0x7F80u));
    _mm512_storeu_si512(d, PX_M(y));
}

/* ---- rows, of whole vectors; from the first one on that is not ordinary the second way is taken ---- */

#define PX_V_HALVES(name)                                                                                    \
    static __attribute__((noinline)) void px_v_##name##_rest(uint16_t *d, const uint16_t *a, int i, int n)   \
    {                                                                                                        \
        for (; i < n; i += 32) px_v_##name(d + i, a + i, true);                                              \
    }                                                                                                        \
    PX_APPROX_FN void px_approx_##name##_row(uint16_t *d, const uint16_t *a, int n)                          \
    {                                                                                                        \
        int i = 0;                                                                                           \
        for (; i < n && __builtin_expect(px_v_##name##_plain(px_v_load32(a + i)), 1); i += 32)               \
            px_v_##name(d + i, a + i, false);                                                                \
        if (i < n) px_v_##name##_rest(d, a, i, n);                                                           \
    }

PX_V_HALVES(ex2_f16)
PX_V_HALVES(tanh_f16)
PX_V_HALVES(ex2_bf16)
PX_V_HALVES(tanh_bf16)

#endif
