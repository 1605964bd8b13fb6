/* approx/f64.h - the approximate units on f64: rcp.approx.ftz, rsqrt.approx.ftz, rsqrt.approx.
 *
 * They take the upper word through the f32 tables (20 fraction bits, followed by zeros) and give an
 * upper word; the lower word of the result is 0.  rsqrt without ftz goes on from there with one Newton
 * step in f64.  px_approx_<unit>_f64 does one value, px_approx_<unit>_f64_row a row of a multiple of 32.
 *
 * With VBMI and VNNI sixteen upper words are picked out of two vectors, go through the arithmetic
 * of approx/avx512.h, and are spread again.
 */
#ifndef PX_APPROX_F64_H
#define PX_APPROX_F64_H

#include "approx/fetch.h"
#ifdef PX_APPROX_VECTOR
#include "approx/avx512.h"
#endif

/* px_approx_blend for f64. */
PX_APPROX_FN uint64_t px_approx_blend64(bool c, uint64_t yes, uint64_t no)
{
    uint64_t mask = 0u - (uint64_t)c;
    return (yes & mask) | (no & ~mask);
}

PX_APPROX_FN uint32_t px_approx_upper(uint64_t x)
{
    return (uint32_t)(x >> 32);
}

/* ---- rcp ---- */

PX_APPROX_FN uint32_t px_approx_rcp64_reduce(uint32_t hi)
{
    return (hi & 0xFFFFFu) << 4;
}

PX_APPROX_FN uint32_t px_approx_rcp64_finish(uint32_t hi, uint32_t r, px_approx_terms t)
{
    uint32_t ax = hi & 0x7FFFFFFFu, sign = hi & PX_APPROX_SIGN;
    uint32_t y = px_approx_rcp_core(r, t); /* a float in (0.5, 1] */
    y = (y >> 3) + (896u << 20) + (1023u << 20) - (ax & 0x7FF00000u);
    y = px_approx_pick((int32_t)y < 0x100000, 0, y);
    y = px_approx_pick(ax < 0x100000u, 0x7FF00000u, y);
    y = px_approx_pick(ax == 0x7FF00000u, 0, y);
    return px_approx_pick(ax > 0x7FF00000u, 0x7FFFFFFFu, y | sign);
}

PX_APPROX_FN uint64_t px_approx_rcp_ftz_f64(uint64_t x)
{
    uint32_t r = px_approx_rcp64_reduce(px_approx_upper(x));
    px_approx_terms t = px_approx_fetch_one(px_approx_rcp_c0, px_approx_rcp_c12, (r >> 17) & 127u, r);
    return (uint64_t)px_approx_rcp64_finish(px_approx_upper(x), r, t) << 32;
}

/* ---- rsqrt: `MUFU.RSQ64H`, upper word to upper word ---- */

/* Fraction, and the lowest exponent bit above it. */
PX_APPROX_FN uint32_t px_approx_rsqrt64_reduce(uint32_t hi)
{
    return (hi << 3) & 0xFFFFFFu;
}

PX_APPROX_FN uint32_t px_approx_rsqrt64_finish(uint32_t hi, px_approx_terms t)
{
    uint32_t n = px_approx_rsqrt64_reduce(hi), r = 0x3E800000u + px_approx_rsqrt_core(n, t);
    r = px_approx_pick(n == 0x800000u, PX_APPROX_ONE, r);
    uint32_t y = (r >> 3) + (896u << 20) + (512u << 20) - (((hi + 0x100000u) >> 1) & 0x7FF00000u);
    y = px_approx_pick(hi == 0x7FF00000u, 0, y);
    y = px_approx_pick(hi > 0x7FF00000u, 0x7FFFFFFFu, y);
    return px_approx_pick((hi & 0x7FFFFFFFu) < 0x100000u, 0x7FF00000u | (hi & PX_APPROX_SIGN), y);
}

/* |x|, a subnormal times 2^54.  (Zero gives nonsense.) */
PX_APPROX_FN uint64_t px_approx_rsqrt64_normal(uint64_t x)
{
    uint64_t ax = x & 0x7FFFFFFFFFFFFFFFull, fraction = x & 0xFFFFFFFFFFFFFull;
    double m = px_float_b64(fraction | 0x4330000000000000ull) - 0x1p52; /* a subnormal, times 2^1074 */
    return px_approx_blend64(ax < 1ull << 52, px_bits_f64(m) - (1020ull << 52), ax);
}

/* That brought to [1, 4), where FTZ and DAZ cannot act. */
PX_APPROX_FN uint64_t px_approx_rsqrt64_near_1(uint64_t n)
{
    return (n & 0xFFFFFFFFFFFFFull) | ((1024ull - (n >> 52 & 1)) << 52);
}

/* The result for x, n = px_approx_rsqrt64_normal(x): one Newton step from the unit's value, as ptxas emits
 * it. */
PX_APPROX_FN uint64_t px_approx_rsqrt64_step(uint64_t x, uint64_t n, px_approx_terms t)
{
    uint64_t ax = x & 0x7FFFFFFFFFFFFFFFull, sign = x & 0x8000000000000000ull,
             z = px_approx_rsqrt64_near_1(n);
    double d = px_float_b64(z);
    double y = px_float_b64((uint64_t)px_approx_rsqrt64_finish(px_approx_upper(z), t) << 32);
    double e = __builtin_fma(d, -(y * y), 1.0);
    y = __builtin_fma(__builtin_fma(e, 0.375, 0.5), y * e, y);
    uint64_t lift = ((n >> 52) + 1) >> 1, up = px_approx_blend64(ax < 1ull << 52, 512 + 27, 512);
    uint64_t r = px_bits_f64(y) + ((up - lift) << 52);
    r = px_approx_blend64(ax == 0x7FF0000000000000ull, 0, r);
    r = px_approx_blend64(sign != 0, 0xFFF8000000000000ull, r);
    r = px_approx_blend64(ax > 0x7FF0000000000000ull, x | 0x0008000000000000ull, r);
    return px_approx_blend64(ax == 0, sign | 0x7FF0000000000000ull, r);
}

PX_APPROX_FN px_approx_terms px_approx_rsqrt64_terms(uint32_t hi)
{
    uint32_t n = px_approx_rsqrt64_reduce(hi);
    return px_approx_fetch_one(px_approx_rsqrt_c0, px_approx_rsqrt_c12, (n >> 17) & 127u, n);
}

PX_APPROX_FN uint64_t px_approx_rsqrt_f64(uint64_t x, bool ftz)
{
    uint32_t hi = px_approx_upper(x);
    if (ftz) return (uint64_t)px_approx_rsqrt64_finish(hi, px_approx_rsqrt64_terms(hi)) << 32;
    uint64_t n = px_approx_rsqrt64_normal(x);
    return px_approx_rsqrt64_step(x, n,
                                  px_approx_rsqrt64_terms(px_approx_upper(px_approx_rsqrt64_near_1(n))));
}

#ifndef PX_APPROX_VECTOR

/* ---- rows, piece by piece ---- */

PX_APPROX_FN void px_approx_rcp_ftz_f64_row(uint64_t *d, const uint64_t *a, int n)
{
    px_approx_rows w;
    for (int m; n > 0; n -= m, a += m, d += m) {
        m = n < PX_APPROX_ROW ? n : PX_APPROX_ROW;
        PX_APPROX_LOOP
        for (int i = 0; i < m; i++) w.r[i] = px_approx_rcp64_reduce(px_approx_upper(a[i]));
        px_approx_fetch(&w, m, px_approx_rcp_c0, px_approx_rcp_c12, true);
        PX_APPROX_LOOP
        for (int i = 0; i < m; i++)
            d[i] = (uint64_t)px_approx_rcp64_finish(px_approx_upper(a[i]), w.r[i], px_approx_fetched(&w, i))
                   << 32;
    }
}

PX_APPROX_FN void px_approx_rsqrt_f64_row(uint64_t *d, const uint64_t *a, int n, bool ftz)
{
    px_approx_rows w;
    uint64_t x[PX_APPROX_ROW];
    for (int m; n > 0; n -= m, a += m, d += m) {
        m = n < PX_APPROX_ROW ? n : PX_APPROX_ROW;
        PX_APPROX_LOOP
        for (int i = 0; i < m; i++) {
            x[i] = ftz ? a[i] : px_approx_rsqrt64_normal(a[i]);
            w.r[i] = px_approx_rsqrt64_reduce(px_approx_upper(ftz ? x[i] : px_approx_rsqrt64_near_1(x[i])));
        }
        px_approx_fetch(&w, m, px_approx_rsqrt_c0, px_approx_rsqrt_c12, true);
        PX_APPROX_LOOP
        for (int i = 0; i < m; i++) {
            px_approx_terms t = px_approx_fetched(&w, i);
            d[i] = ftz ? (uint64_t)px_approx_rsqrt64_finish(px_approx_upper(x[i]), t) << 32
                       : px_approx_rsqrt64_step(a[i], x[i], t);
        }
    }
}

#else

/* ---- vectors: sixteen upper words ---- */

typedef uint64_t px_v8 __attribute__((vector_size(64)));
#define PX_V8(x) ((px_v8)(x))
#define px_v_all8(x) PX_V8(px_v_all64(x))

/* The upper words of one vector, which stay in odd lanes, and of another below them. */
PX_APPROX_FN px_v16 px_v_uppers(__m512i high, __m512i low)
{
    return PX_V(_mm512_mask_shuffle_epi32(high, (__mmask16)px_v_mask(0x55555555), low, (_MM_PERM_ENUM)0xF5));
}

PX_APPROX_FN px_v16 px_v_upper_words(const uint64_t *a)
{
    return px_v_uppers(_mm512_loadu_si512(a), _mm512_loadu_si512(a + 8));
}

/* Back: those for d[0..7] (half 0) or d[8..15]; lower words are 0. */
PX_APPROX_FN __m512i px_v_spread_words(px_v16 y, int half)
{
    return half ? _mm512_slli_epi64(PX_M(y), 32) : PX_M(y & px_v_all64(0xFFFFFFFF00000000));
}

/* Of the float less 0x40000000, which is 128 binades, three bits are cut: (sum + 4 * rest) >> 5 with 4 * rest
 * = 32 * (2^13 - 1 - xl / 8) + 28.  The 28 stands in the sum; the other part comes with the exponent 0x7FF
 * less the operand's, and its sign.  Special: zeros, infinities, NaNs, and those whose result is not normal.
 */
PX_APPROX_FN px_v16 px_v_rcp64(px_v16 hi, bool *special)
{
    px_v16 above = hi + hi - px_v_all(2 * 0x100000);
    *special = _mm512_cmpgt_epu32_mask(PX_M(above), PX_M(px_v_all(2 * (0x7FD00000u - 0x100000u))));
    px_v16 rest = PX_V_BITS(hi, px_v_all(0x7FF01FFF), px_v_all(0xFFF01FFF), (PX_V_A ^ PX_V_B) & PX_V_C);
    return PX_V(px_v_rcp_sum(hi << 3, px_v_all(0x7E7 + (28 << 13))) >> 5) + rest;
}

PX_APPROX_FN px_v16 px_v_rcp64_more(px_v16 hi)
{
    bool special;
    px_v16 sign = px_v_all(PX_APPROX_SIGN), ax = hi & ~sign, inf = px_v_all(0x7FF00000),
           least = px_v_all(0x100000);
    px_v16 y = px_v_rcp64(ax, &special), zero = y ^ y;
    y = px_v_put_word(
        y, _mm512_cmplt_epi32_mask(PX_M(y), PX_M(least)) | _mm512_cmpeq_epi32_mask(PX_M(ax), PX_M(inf)),
        zero);
    y = px_v_put_word(y, _mm512_cmplt_epu32_mask(PX_M(ax), PX_M(least)), inf);
    y = PX_V_BITS(y, hi, sign, PX_V_A | (PX_V_B & PX_V_C));
    return px_v_put_word(y, _mm512_cmpgt_epu32_mask(PX_M(ax), PX_M(inf)), px_v_all(0x7FFFFFFF));
}

/* Three bits are cut here, too: (sum + 4 * rest) >> 5 with 4 * rest = 16 * (2^14 - 1 - xl / 8) + 12; before
 * the last of the five shifts comes, with E = 1408 + 125, 2 * E less the exponent, its lowest bit cleared.
 * Powers of four get one unit more before the cut; so do their doubles, where it is cut again.  Special: all
 * but positive normals. */
PX_APPROX_FN px_v16 px_v_rsqrt64(px_v16 hi, bool *special)
{
    *special = _mm512_cmpge_epu32_mask(PX_M(hi - px_v_all(0x100000)), PX_M(px_v_all(0x7FF00000 - 0x100000)));
    __m512i y = PX_M(px_v_rsqrt_sum(hi << 3, px_v_all(0x1FFF + (12 << 13)), false));
    y = _mm512_mask_add_epi32(y, px_v_testn(hi, 0xFFFFF), y, PX_M(px_v_all(4)));
    return ((PX_V(y) >> 4) + ((px_v_all(0xBFAFFFFF) - hi) & px_v_all(0xFFE03FFF))) >> 1;
}

PX_APPROX_FN px_v16 px_v_rsqrt64_more(px_v16 hi)
{
    bool special;
    px_v16 inf = px_v_all(0x7FF00000), ax = hi & px_v_all(0x7FFFFFFF);
    px_v16 y = px_v_rsqrt64(hi, &special),
           infinite = PX_V_BITS(inf, hi, px_v_all(PX_APPROX_SIGN), PX_V_A | (PX_V_B & PX_V_C));
    y = px_v_put_word(y, _mm512_cmpeq_epi32_mask(PX_M(hi), PX_M(inf)), y ^ y);
    y = px_v_put_word(y, _mm512_cmpgt_epu32_mask(PX_M(hi), PX_M(inf)), px_v_all(0x7FFFFFFF));
    return px_v_put_word(y, _mm512_cmplt_epu32_mask(PX_M(ax), PX_M(px_v_all(0x100000))), infinite);
}

/* px_approx_rsqrt64_step without scaling.  Special: what is not between 2^-900 and 2^900; there f64 may be
 * too narrow. */
PX_APPROX_FN bool px_v_newton_special(px_v16 hi)
{
    return _mm512_cmpgt_epu32_mask(PX_M(hi - px_v_all((1023 - 900) << 20)), PX_M(px_v_all(1800 << 20)));
}

PX_APPROX_FN __m512d px_v_newton(__m512d x, __m512d y)
{
    __m512d e = _mm512_fnmadd_pd(x, y * y, px_v_double(1));
    return _mm512_fmadd_pd(_mm512_fmadd_pd(e, px_v_double(0.375), px_v_double(0.5)), y * e, y);
}

/* px_approx_rsqrt64_normal. */
PX_APPROX_FN px_v8 px_v_normal64(px_v8 x)
{
    px_v8 ax = x & px_v_all8(0x7FFFFFFFFFFFFFFF), two52 = px_v_all8(0x4330000000000000);
    __m512d m = (__m512d)((x & px_v_all8(0xFFFFFFFFFFFFF)) | two52) - (__m512d)two52;
    __mmask8 sub = _mm512_cmplt_epu64_mask(PX_M(ax), PX_M(px_v_all8(1ull << 52)));
    return PX_V8(_mm512_mask_sub_epi64(PX_M(ax), sub, PX_M(m), PX_M(px_v_all8(1020ull << 52))));
}

/* px_approx_rsqrt64_near_1. */
PX_APPROX_FN px_v8 px_v_near_1(px_v8 n)
{
    px_v8 odd = n & px_v_all8(1ull << 52);
    return (n & px_v_all8(0xFFFFFFFFFFFFF)) | (px_v_all8(1024ull << 52) - odd);
}

PX_APPROX_FN px_v8 px_v_put8(px_v8 y, __mmask8 lanes, px_v8 value)
{
    return PX_V8(_mm512_mask_mov_epi64(PX_M(y), lanes, PX_M(value)));
}

/* The result y of z = px_v_near_1(n) brought back, and the special ones, as in px_approx_rsqrt64_step. */
PX_APPROX_FN __m512i px_v_newton_back(px_v8 x, px_v8 n, px_v8 y)
{
    px_v8 sign = x & px_v_all8(1ull << 63), ax = x ^ sign, infinity = px_v_all8(0x7FF0000000000000),
          zero = x ^ x;
    px_v8 up =
        px_v_put8(px_v_all8(512ull << 52), _mm512_cmplt_epu64_mask(PX_M(ax), PX_M(px_v_all8(1ull << 52))),
                  px_v_all8(539ull << 52));
    y += up - (((n + px_v_all8(1ull << 52)) >> 1) & px_v_all8(0x7FF0000000000000));
    y = px_v_put8(y, _mm512_cmpeq_epi64_mask(PX_M(ax), PX_M(infinity)), zero);
    y = px_v_put8(y, _mm512_movepi64_mask(PX_M(x)), px_v_all8(0xFFF8000000000000));
    y = px_v_put8(y, _mm512_cmpgt_epu64_mask(PX_M(ax), PX_M(infinity)), x | px_v_all8(0x0008000000000000));
    return PX_M(px_v_put8(y, _mm512_testn_epi64_mask(PX_M(ax), PX_M(ax)), sign | infinity));
}

PX_APPROX_FN void px_v_newton_more(uint64_t *d, const uint64_t *a)
{
    px_v8 x0 = PX_V8(_mm512_loadu_si512(a)), x1 = PX_V8(_mm512_loadu_si512(a + 8)), n0 = px_v_normal64(x0),
          n1 = px_v_normal64(x1);
    px_v8 z0 = px_v_near_1(n0), z1 = px_v_near_1(n1);
    bool special;
    px_v16 y = px_v_rsqrt64(px_v_uppers(PX_M(z0), PX_M(z1)), &special);
    __m512d y0 = px_v_newton((__m512d)z0, (__m512d)px_v_spread_words(y, 0));
    __m512d y1 = px_v_newton((__m512d)z1, (__m512d)px_v_spread_words(y, 1));
    _mm512_storeu_si512(d, px_v_newton_back(x0, n0, PX_V8(y0)));
    _mm512_storeu_si512(d + 8, px_v_newton_back(x1, n1, PX_V8(y1)));
}

/* ---- rows of vectors; from the first one on that is not ordinary the second way is taken ---- */

PX_APPROX_FN void px_v_store_spread(uint64_t *d, px_v16 y)
{
    _mm512_storeu_si512(d, px_v_spread_words(y, 0));
    _mm512_storeu_si512(d + 8, px_v_spread_words(y, 1));
}

#define PX_V_F64(name)                                                                                       \
    static __attribute__((noinline)) void px_v_##name##_rest(uint64_t *d, const uint64_t *a, int i, int n)   \
    {                                                                                                        \
        for (; i < n; i += 16) px_v_store_spread(d + i, px_v_##name##_more(px_v_upper_words(a + i)));        \
    }                                                                                                        \
    PX_APPROX_FN void px_v_##name##_row(uint64_t *d, const uint64_t *a, int n)                               \
    {                                                                                                        \
        int i = 0;                                                                                           \
        for (; i < n; i += 16) {                                                                             \
            bool special;                                                                                    \
            px_v16 y = px_v_##name(px_v_upper_words(a + i), &special);                                       \
            if (__builtin_expect(special, 0)) break;                                                         \
            px_v_store_spread(d + i, y);                                                                     \
        }                                                                                                    \
        if (i < n) px_v_##name##_rest(d, a, i, n);                                                           \
    }

PX_V_F64(rcp64)
PX_V_F64(rsqrt64)

static __attribute__((noinline)) void px_v_newton_rest(uint64_t *d, const uint64_t *a, int i, int n)
{
    for (; i < n; i += 16) px_v_newton_more(d + i, a + i);
}

PX_APPROX_FN void px_v_newton_row(uint64_t *d, const uint64_t *a, int n)
{
    int i = 0;
    for (; i < n; i += 16) {
        bool special;
        px_v16 hi = px_v_upper_words(a + i), y = px_v_rsqrt64(hi, &special);
        if (__builtin_expect(px_v_newton_special(hi), 0)) break;
        __m512d low = px_v_newton(_mm512_loadu_pd(a + i), (__m512d)px_v_spread_words(y, 0));
        __m512d high = px_v_newton(_mm512_loadu_pd(a + i + 8), (__m512d)px_v_spread_words(y, 1));
        _mm512_storeu_pd(d + i, low);
        _mm512_storeu_pd(d + i + 8, high);
    }
    if (i < n) px_v_newton_rest(d, a, i, n);
}

PX_APPROX_FN void px_approx_rcp_ftz_f64_row(uint64_t *d, const uint64_t *a, int n)
{
    px_v_rcp64_row(d, a, n);
}

PX_APPROX_FN void px_approx_rsqrt_f64_row(uint64_t *d, const uint64_t *a, int n, bool ftz)
{
    if (ftz)
        px_v_rsqrt64_row(d, a, n);
    else
        px_v_newton_row(d, a, n);
}

#endif

#endif
