/* approx/fetch.h - from reduced words to coefficients, for one operand or for a row of them.
 *
 * A word's bits 17 and up are an index into tables of 64 or 128 intervals, bits 0..16 the offset xl.
 * Fetched are C0, C1 and C2 * square(xl).  For rows the plain form loads table entries one by one
 * and squares in 16-bit lanes.  AVX-512 holds the tables in registers and permutes, since its
 * gathers are slow.
 */
#ifndef PX_APPROX_FETCH_H
#define PX_APPROX_FETCH_H

#include "approx/units.h"
#if defined(__AVX512F__) && defined(__AVX512BW__)
#define PX_APPROX_AVX512 1
#include <immintrin.h>
#endif

/* C0 per interval, and C1 (17 bits) | C2 << 17 (15 bits). */
extern const uint32_t px_approx_rcp_c0[128], px_approx_rcp_c12[128];
extern const uint32_t px_approx_rsqrt_c0[128], px_approx_rsqrt_c12[128];
extern const uint32_t px_approx_sqrt_c0[128], px_approx_sqrt_c12[128];
extern const uint32_t px_approx_ex2_c0[64], px_approx_ex2_c12[64];
extern const uint32_t px_approx_lg2_c0[64], px_approx_lg2_c12[64];
extern const uint32_t px_approx_sin_c0[64], px_approx_sin_c12[64];
extern const uint32_t px_approx_tanh_c0[64], px_approx_tanh_c12[64];

PX_APPROX_FN px_approx_terms px_approx_fetch_one(const uint32_t *c0, const uint32_t *c12, uint32_t index,
                                                 uint32_t r)
{
    uint16_t square = px_approx_square((uint16_t)((r >> 9) & 255u), (uint16_t)(r & 511u));
    return (px_approx_terms){c0[index], c12[index] & 0x1FFFFu, (c12[index] >> 17) * square};
}

enum { PX_APPROX_ROW = 256 }; /* a longer row is done in pieces */

/* One row's words and what was fetched for them; h and l are the parts of xl. */
typedef struct px_approx_rows {
    uint32_t r[PX_APPROX_ROW], c0[PX_APPROX_ROW], c12[PX_APPROX_ROW], c2sq[PX_APPROX_ROW];
    uint16_t h[PX_APPROX_ROW], l[PX_APPROX_ROW];
} px_approx_rows;

PX_APPROX_FN px_approx_terms px_approx_fetched(const px_approx_rows *w, int i)
{
    return (px_approx_terms){w->c0[i], w->c12[i] & 0x1FFFFu, w->c2sq[i]};
}

/* Before a loop over a row: the lanes are independent, and unrolling does not pay. */
#ifdef __clang__
#define PX_APPROX_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define PX_APPROX_LOOP _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif

#ifdef PX_APPROX_AVX512

/* Entry index & 63 or, when big, & 127 of a table held in registers. */
PX_APPROX_FN __m512i px_approx_permute(const __m512i *t, __m512i index, bool big)
{
    __mmask16 bit5 = _mm512_test_epi32_mask(index, _mm512_set1_epi32(32));
    __m512i low = _mm512_permutex2var_epi32(t[0], index, t[1]),
            high = _mm512_permutex2var_epi32(t[2], index, t[3]);
    __m512i y = _mm512_mask_mov_epi32(low, bit5, high);
    if (!big) return y;
    low = _mm512_permutex2var_epi32(t[4], index, t[5]);
    high = _mm512_permutex2var_epi32(t[6], index, t[7]);
    __mmask16 bit6 = _mm512_test_epi32_mask(index, _mm512_set1_epi32(64));
    return _mm512_mask_mov_epi32(y, bit6, _mm512_mask_mov_epi32(low, bit5, high));
}

/* In each half of a lane: hh shifted right where ll has the bit, else 0. */
PX_APPROX_FN __m512i px_approx_summands(__m512i hh, __m512i ll, int bits, int shifts)
{
    return _mm512_maskz_srlv_epi16(_mm512_test_epi16_mask(ll, _mm512_set1_epi32(bits)), hh,
                                   _mm512_set1_epi32(shifts));
}

/* px_approx_square of r's low 17 bits: two summands a step, one in each half of the lane. */
PX_APPROX_FN __m512i px_approx_square_vector(__m512i r)
{
    __m512i h = _mm512_and_si512(_mm512_srli_epi32(r, 9), _mm512_set1_epi32(255));
    __m512i hh = _mm512_or_si512(h, _mm512_slli_epi32(h, 16)), s;
    const __m512i halves =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13));
    __m512i ll = _mm512_shuffle_epi8(r, halves);
    s = px_approx_summands(hh, ll, 0x00800100, 0x00020001);
    s = _mm512_add_epi16(s, px_approx_summands(hh, ll, 0x00200040, 0x00040003));
    s = _mm512_add_epi16(s, px_approx_summands(hh, ll, 0x00080010, 0x00060005));
    s = _mm512_add_epi16(s, px_approx_summands(hh, ll, 0x00000004, 0x00000007));
    return _mm512_add_epi32(_mm512_srli_epi32(_mm512_madd_epi16(h, h), 1),
                            _mm512_madd_epi16(s, _mm512_set1_epi16(1)));
}

PX_APPROX_FN void px_approx_fetch(px_approx_rows *w, int n, const uint32_t *c0, const uint32_t *c12, bool big)
{
    __m512i t0[8], t12[8];
    for (int k = 0; k < (big ? 8 : 4); k++) {
        t0[k] = _mm512_loadu_si512(c0 + 16 * k);
        t12[k] = _mm512_loadu_si512(c12 + 16 * k);
    }
    for (int i = n; i & 15; i++) w->r[i] = 0; /* whole vectors are done */
    PX_APPROX_LOOP
    for (int i = 0; i < n; i += 16) {
        __m512i r = _mm512_loadu_si512(w->r + i), index = _mm512_srli_epi32(r, 17);
        __m512i y = px_approx_permute(t12, index, big);
        _mm512_storeu_si512(w->c0 + i, px_approx_permute(t0, index, big));
        _mm512_storeu_si512(w->c12 + i, y);
        _mm512_storeu_si512(w->c2sq + i,
                            _mm512_madd_epi16(_mm512_srli_epi32(y, 17), px_approx_square_vector(r)));
    }
}

#else

PX_APPROX_FN void px_approx_fetch(px_approx_rows *w, int n, const uint32_t *c0, const uint32_t *c12, bool big)
{
    for (int i = 0; i < n; i++) {
        uint32_t index = (w->r[i] >> 17) & (big ? 127u : 63u);
        w->c0[i] = c0[index];
        w->c12[i] = c12[index];
    }
    PX_APPROX_LOOP
    for (int i = 0; i < n; i++) {
        w->h[i] = (uint16_t)((w->r[i] >> 9) & 255u);
        w->l[i] = (uint16_t)(w->r[i] & 511u);
    }
    PX_APPROX_LOOP
    for (int i = 0; i < n; i++) w->c2sq[i] = (w->c12[i] >> 17) * px_approx_square(w->h[i], w->l[i]);
}

#endif

#endif
