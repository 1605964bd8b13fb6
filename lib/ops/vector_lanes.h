/*
 * vector_lanes.h - vectors with an element a lane, and what the SIMD levels do differently with them.
 *
 * PX_VECTOR, the number of lanes, is defined where the level has AVX-512 or AVX2 with F16C; PX_VECTOR_64
 * where statements with results of 64 bits are vectors, too.
 */
#ifndef PX_OPS_VECTOR_LANES_H
#define PX_OPS_VECTOR_LANES_H

#if (defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)) ||                             \
    (defined(__AVX2__) && defined(__F16C__))

#include <immintrin.h>
#include "ops/lane.h"
#include "ops/row.h"

#if defined(__AVX512BW__)
#define PX_VECTOR 16
#define PX_VECTOR_64
#else
#define PX_VECTOR 8
#endif

#define PX_VECTOR_TYPE(name, T, bytes) typedef T name __attribute__((vector_size(bytes)))
PX_VECTOR_TYPE(px_v_u16, uint16_t, PX_VECTOR * 2);
PX_VECTOR_TYPE(px_v_s16, int16_t, PX_VECTOR * 2);
PX_VECTOR_TYPE(px_v_u32, uint32_t, PX_VECTOR * 4);
PX_VECTOR_TYPE(px_v_s32, int32_t, PX_VECTOR * 4);
PX_VECTOR_TYPE(px_v_f32, float, PX_VECTOR * 4);
/* 64 bits a lane: two vectors. */
PX_VECTOR_TYPE(px_v_half_u64, uint64_t, PX_VECTOR * 4);
PX_VECTOR_TYPE(px_v_half_f64, double, PX_VECTOR * 4);
typedef struct px_v_u64 {
    px_v_half_u64 part[2];
} px_v_u64;
typedef struct px_v_f64 {
    px_v_half_f64 part[2];
} px_v_f64;
typedef px_v_u64 px_v_s64;                           /* bits */
PX_VECTOR_TYPE(px_v_pairs, uint16_t, PX_VECTOR * 4); /* the halves of a px_v_u32 */
PX_VECTOR_TYPE(px_v_spairs, int16_t, PX_VECTOR * 4);

#define PX_VECTOR_ROW(type, T)                                                                               \
    PX_INLINE px_v_##type px_v_load_##type(const T *p)                                                       \
    {                                                                                                        \
        px_v_##type x;                                                                                       \
        memcpy(&x, p, sizeof x);                                                                             \
        return x;                                                                                            \
    }                                                                                                        \
    PX_INLINE void px_v_store_##type(T *p, px_v_##type x)                                                    \
    {                                                                                                        \
        memcpy(p, &x, sizeof x);                                                                             \
    }                                                                                                        \
    PX_INLINE px_v_##type px_v_all_##type(T x)                                                               \
    {                                                                                                        \
        return x - (px_v_##type){0};                                                                         \
    }
PX_VECTOR_ROW(u16, uint16_t)
PX_VECTOR_ROW(s16, int16_t)
PX_VECTOR_ROW(u32, uint32_t)
PX_VECTOR_ROW(s32, int32_t)
PX_VECTOR_ROW(f32, float)
#define PX_VECTOR_ROW64(type, T)                                                                             \
    PX_INLINE px_v_##type px_v_load_##type(const T *p)                                                       \
    {                                                                                                        \
        px_v_##type x;                                                                                       \
        memcpy(&x, p, sizeof x);                                                                             \
        return x;                                                                                            \
    }                                                                                                        \
    PX_INLINE void px_v_store_##type(T *p, px_v_##type x)                                                    \
    {                                                                                                        \
        memcpy(p, &x, sizeof x);                                                                             \
    }                                                                                                        \
    PX_INLINE px_v_##type px_v_all_##type(T x)                                                               \
    {                                                                                                        \
        T all[PX_VECTOR];                                                                                    \
        for (int i = 0; i < PX_VECTOR; i++) all[i] = x;                                                      \
        return px_v_load_##type(all);                                                                        \
    }
PX_VECTOR_ROW64(u64, uint64_t)
PX_VECTOR_ROW64(s64, int64_t)
PX_VECTOR_ROW64(f64, double)

/* ---- what the levels do differently ---- */

#if defined(__AVX512BW__)
#define PX_V_F(x) ((__m512)(x))
#define PX_V_I(x) ((__m512i)(x))
#define PX_V_H(x) ((__m256i)(x))
#define px_v_narrow_ph(x, rounding) ((px_v_u16)_mm512_cvtps_ph(PX_V_F(x), (rounding) | _MM_FROUND_NO_EXC))
#define px_v_round(x, rounding) ((px_v_f32)_mm512_roundscale_ps(PX_V_F(x), rounding))

PX_INLINE px_v_f32 px_v_wide_ph(px_v_u16 h)
{
    return (px_v_f32)_mm512_cvtph_ps(PX_V_H(h));
}
PX_INLINE px_v_u32 px_v_wide(px_v_u16 x)
{
    return (px_v_u32)_mm512_cvtepu16_epi32(PX_V_H(x));
}
PX_INLINE px_v_u16 px_v_narrow(px_v_u32 x)
{
    return (px_v_u16)_mm512_cvtepi32_epi16(PX_V_I(x));
}
PX_INLINE px_v_u16 px_v_low(px_v_u32 x)
{
    return (px_v_u16)_mm512_castsi512_si256(PX_V_I(x));
}
PX_INLINE px_v_u16 px_v_high(px_v_u32 x)
{
    return (px_v_u16)_mm512_extracti64x4_epi64(PX_V_I(x), 1);
}
PX_INLINE px_v_u32 px_v_join(px_v_u16 low, px_v_u16 high)
{
    return (px_v_u32)_mm512_inserti64x4(_mm512_castsi256_si512(PX_V_H(low)), PX_V_H(high), 1);
}
/* a*b + c to 24 bits by rounding to odd: of the two neighbours the odd one. */
PX_INLINE px_v_f32 px_v_fma_odd(px_v_f32 a, px_v_f32 b, px_v_f32 c)
{
    const __m512 down =
        _mm512_fmadd_round_ps(PX_V_F(a), PX_V_F(b), PX_V_F(c), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    const __m512 up =
        _mm512_fmadd_round_ps(PX_V_F(a), PX_V_F(b), PX_V_F(c), _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    const __mmask16 odd = _mm512_test_epi32_mask(PX_V_I(down), _mm512_set1_epi32(1));
    return (px_v_f32)_mm512_mask_mov_ps(up, odd, down);
}
#else
#define PX_V_F(x) ((__m256)(x))
#define PX_V_I(x) ((__m256i)(x))
#define PX_V_H(x) ((__m128i)(x))
#define px_v_narrow_ph(x, rounding) ((px_v_u16)_mm256_cvtps_ph(PX_V_F(x), rounding))
#define px_v_round(x, rounding) ((px_v_f32)_mm256_round_ps(PX_V_F(x), rounding))

PX_INLINE px_v_f32 px_v_wide_ph(px_v_u16 h)
{
    return (px_v_f32)_mm256_cvtph_ps(PX_V_H(h));
}
PX_INLINE px_v_u32 px_v_wide(px_v_u16 x)
{
    return (px_v_u32)_mm256_cvtepu16_epi32(PX_V_H(x));
}
PX_INLINE px_v_u16 px_v_low(px_v_u32 x)
{
    return (px_v_u16)_mm256_castsi256_si128(PX_V_I(x));
}
PX_INLINE px_v_u16 px_v_high(px_v_u32 x)
{
    return (px_v_u16)_mm256_extracti128_si256(PX_V_I(x), 1);
}
PX_INLINE px_v_u16 px_v_narrow(px_v_u32 x) /* elements below 2^16 */
{
    return (px_v_u16)_mm_packus_epi32((__m128i)px_v_low(x), (__m128i)px_v_high(x));
}
PX_INLINE px_v_u32 px_v_join(px_v_u16 low, px_v_u16 high)
{
    return (px_v_u32)_mm256_set_m128i(PX_V_H(high), PX_V_H(low));
}
/* a*b + c to 24 bits by rounding to odd, where a*b is exact: the error of the sum says which neighbour. */
PX_INLINE px_v_f32 px_v_fma_odd(px_v_f32 a, px_v_f32 b, px_v_f32 c)
{
    const px_v_f32 p = a * b, s = p + c, back = s - p, err = (p - (s - back)) + (c - back);
    const px_v_u32 bits = (px_v_u32)s, one = px_v_all_u32(1);
    const px_v_u32 away =
        (px_v_u32)((px_v_s32)((px_v_u32)err ^ bits) >> 31) | one; /* 1, or -1: toward zero */
    const px_v_u32 inexact = (px_v_u32)_mm256_cmp_ps(PX_V_F(err), _mm256_setzero_ps(), _CMP_NEQ_OQ);
    return (px_v_f32)(bits + (away & inexact & ((bits & one) - one)));
}
#endif

#endif
#endif
