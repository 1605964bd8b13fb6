/*
 * vector.h - statements of the instruction table over vectors of lanes: AVX2 with F16C, and AVX-512.
 *
 * Rows marked [vec] call functions px_NAME of half.h, cvt.h and narrow.h that compilers make poor vectors
 * of. px_v_NAME does the same here for PX_VECTOR lanes at once, with the same bits (tests/unit/test_vector.c
 * holds each against the other): halves and conversions here, whole numbers in vector_int.h. Operations on
 * pairs of halves go element by element, so a pair's vector is cut in the middle rather than into lower and
 * upper halves. docs/engine.md says why each rounding is right.
 */
#ifndef PX_OPS_VECTOR_H
#define PX_OPS_VECTOR_H

#include "ops/vector_int.h"
#include "ops/vector_lanes.h"

#ifdef PX_VECTOR

/* ---- vectors of 16-bit elements: px_v_u16 (V = one) and px_v_pairs (V = two) ---- */

#define PX_VECTOR_HALVES(V, T, S)                                                                            \
    PX_INLINE T px_v_select_##V(S where, T yes, T no)                                                        \
    {                                                                                                        \
        return ((T)where & yes) | (~(T)where & no);                                                          \
    }                                                                                                        \
    PX_INLINE S px_v_is_nan_##V(T x, int inf)                                                                \
    {                                                                                                        \
        return (S)((S)(x & 0x7fff) > (int16_t)inf);                                                          \
    }                                                                                                        \
    PX_INLINE T px_v_flush_##V(T x, int inf, int ftz)                                                        \
    {                                                                                                        \
        return ftz ? x & ~((T)((x & (uint16_t)inf) == 0) & 0x7fff) : x;                                      \
    }                                                                                                        \
    PX_INLINE T px_v_relu_##V(T x)                                                                           \
    {                                                                                                        \
        return x & ~(T)((S)x >> 15);                                                                         \
    }                                                                                                        \
    /* The chip's NaN; .sat (of f16) and .relu. */                                                           \
    PX_INLINE T px_v_finish_##V(T x, int inf, int sat, int relu)                                             \
    {                                                                                                        \
        const S nan = px_v_is_nan_##V(x, inf), most = (S){0} + 0x3c00;                                       \
        x = px_v_select_##V(nan, (T){0} + (uint16_t)(sat ? 0 : PX_NAN16), x);                                \
        x = sat || relu ? px_v_relu_##V(x) : x;                                                              \
        return sat ? px_v_select_##V((S)((S)x > most), (T)most, x) : x;                                      \
    }                                                                                                        \
    PX_INLINE T px_v_limit_##V(T x, int inf, int relu, int finite)                                           \
    {                                                                                                        \
        x = px_v_finish_##V(x, inf, 0, relu);                                                                \
        return finite ? x - ((T)((x & 0x7fff) == (uint16_t)inf) & 1) : x;                                    \
    }                                                                                                        \
    PX_INLINE T px_v_neg_##V(T x, int inf, int ftz, int sign)                                                \
    {                                                                                                        \
        const T r = px_v_flush_##V(x, inf, ftz);                                                             \
        return px_v_select_##V(px_v_is_nan_##V(x, inf), (T){0} + PX_NAN16, sign ? r ^ 0x8000 : r & 0x7fff);  \
    }                                                                                                        \
    PX_INLINE S px_v_order_##V(T x)                                                                          \
    {                                                                                                        \
        return (S)(x ^ ((T)((S)x >> 15) & 0x7fff));                                                          \
    }                                                                                                        \
    PX_INLINE T px_v_minmax_##V(T a, T b, int inf, int max, int ftz, int nan, int xorsign)                   \
    {                                                                                                        \
        T x = px_v_flush_##V(a, inf, ftz), y = px_v_flush_##V(b, inf, ftz), sign = (T){0};                   \
        const S xn = px_v_is_nan_##V(a, inf), yn = px_v_is_nan_##V(b, inf);                                  \
        if (xorsign) sign = (x ^ y) & 0x8000, x &= 0x7fff, y &= 0x7fff;                                      \
        const S less = (S)(px_v_order_##V(x) < px_v_order_##V(y));                                           \
        T r = px_v_select_##V(max ? ~less : less, x, y);                                                     \
        r = px_v_select_##V(xn, y, px_v_select_##V(yn, x, r)) | sign;                                        \
        return px_v_select_##V(nan ? xn | yn : xn & yn, (T){0} + PX_NAN16, r);                               \
    }
PX_VECTOR_HALVES(one, px_v_u16, px_v_s16)
PX_VECTOR_HALVES(two, px_v_pairs, px_v_spairs)

#define PX_INF_f16 0x7c00
#define PX_INF_bf16 0x7f80
#define PX_VECTOR_SIGNS(type)                                                                                \
    PX_INLINE px_v_u16 px_v_neg_##type(px_v_u16 a, int ftz)                                                  \
    {                                                                                                        \
        return px_v_neg_one(a, PX_INF_##type, ftz, 1);                                                       \
    }                                                                                                        \
    PX_INLINE px_v_u16 px_v_abs_##type(px_v_u16 a, int ftz)                                                  \
    {                                                                                                        \
        return px_v_neg_one(a, PX_INF_##type, ftz, 0);                                                       \
    }                                                                                                        \
    PX_INLINE px_v_u32 px_v_neg_##type##x2(px_v_u32 a, int ftz)                                              \
    {                                                                                                        \
        return (px_v_u32)px_v_neg_two((px_v_pairs)a, PX_INF_##type, ftz, 1);                                 \
    }                                                                                                        \
    PX_INLINE px_v_u32 px_v_abs_##type##x2(px_v_u32 a, int ftz)                                              \
    {                                                                                                        \
        return (px_v_u32)px_v_neg_two((px_v_pairs)a, PX_INF_##type, ftz, 0);                                 \
    }
#define PX_VECTOR_MINMAX(name, max, type)                                                                    \
    PX_INLINE px_v_u16 px_v_##name##_##type(px_v_u16 a, px_v_u16 b, int ftz, int nan, int xorsign)           \
    {                                                                                                        \
        return px_v_minmax_one(a, b, PX_INF_##type, max, ftz, nan, xorsign);                                 \
    }                                                                                                        \
    PX_INLINE px_v_u32 px_v_##name##_##type##x2(px_v_u32 a, px_v_u32 b, int ftz, int nan, int xorsign)       \
    {                                                                                                        \
        return (px_v_u32)px_v_minmax_two((px_v_pairs)a, (px_v_pairs)b, PX_INF_##type, max, ftz, nan,         \
                                         xorsign);                                                           \
    }
PX_VECTOR_SIGNS(f16)
PX_VECTOR_SIGNS(bf16)
PX_VECTOR_MINMAX(min, 0, f16)
PX_VECTOR_MINMAX(max, 1, f16)
PX_VECTOR_MINMAX(min, 0, bf16)
PX_VECTOR_MINMAX(max, 1, bf16)

/* ---- f32 ---- */

PX_INLINE px_v_f32 px_v_select_f32(px_v_s32 where, px_v_f32 yes, px_v_f32 no)
{
    return (px_v_f32)(((px_v_u32)where & (px_v_u32)yes) | (~(px_v_u32)where & (px_v_u32)no));
}
PX_INLINE px_v_f32 px_v_magnitude(px_v_f32 x)
{
    return (px_v_f32)((px_v_u32)x & 0x7fffffffu);
}
/* A zero with its sign where the magnitude is less than `least`. */
PX_INLINE px_v_f32 px_v_flush_below(px_v_f32 x, float least, int ftz)
{
    if (!ftz) return x;
#if defined(__AVX512BW__)
    const __mmask16 tiny = _mm512_cmp_ps_mask(PX_V_F(px_v_magnitude(x)), _mm512_set1_ps(least), _CMP_LT_OQ);
    return (px_v_f32)_mm512_mask_and_ps(PX_V_F(x), tiny, PX_V_F(x), _mm512_set1_ps(-0.0f));
#else
    const px_v_u32 tiny = (px_v_u32)(px_v_magnitude(x) < px_v_all_f32(least));
    return (px_v_f32)((px_v_u32)x & ~(tiny & 0x7fffffffu));
#endif
}
/* r, but `value` where x is no number. */
PX_INLINE px_v_u32 px_v_put_nan(px_v_f32 x, px_v_u32 r, uint32_t value)
{
#if defined(__AVX512BW__)
    const __mmask16 nan = _mm512_cmp_ps_mask(PX_V_F(x), PX_V_F(x), _CMP_UNORD_Q);
    return (px_v_u32)_mm512_mask_mov_epi32(PX_V_I(r), nan, PX_V_I(px_v_all_u32(value)));
#else
    const px_v_u32 nan = (px_v_u32)(x != x);
    return (nan & value) | (~nan & r);
#endif
}
PX_INLINE px_v_f32 px_v_flushed_f32(px_v_f32 x, int ftz)
{
    const px_v_u32 u = (px_v_u32)x, tiny = (px_v_u32)((u & 0x7f800000u) == 0);
    return ftz ? (px_v_f32)(u & ~(tiny & 0x7fffffffu)) : x;
}
PX_INLINE px_v_f32 px_v_sat_f32(px_v_f32 x)
{
    x = px_v_select_f32(x > 0.0f, x, (px_v_f32){0});
    return px_v_select_f32(x < 1.0f, x, px_v_all_f32(1.0f));
}

/* ---- f16: sums and products in f32, which has 24 >= 2 * 11 + 2 bits ---- */

PX_INLINE px_v_u16 px_v_f16_result(px_v_f32 x, int ftz)
{
    return px_v_narrow_ph(px_v_flush_below(x, 0x1.ffep-15f, ftz), _MM_FROUND_TO_NEAREST_INT);
}
PX_INLINE px_v_u16 px_v_f16_flush(px_v_u16 a, int ftz)
{
    return px_v_flush_one(a, 0x7c00, ftz);
}
PX_INLINE px_v_u32 px_v_f16x2_flush(px_v_u32 a, int ftz)
{
    return (px_v_u32)px_v_flush_two((px_v_pairs)a, 0x7c00, ftz);
}
#define PX_VECTOR_F16(name, op)                                                                              \
    PX_INLINE px_v_u16 px_v_raw_##name##_f16(px_v_u16 a, px_v_u16 b, int ftz)                                \
    {                                                                                                        \
        return px_v_f16_result(px_v_wide_ph(a) op px_v_wide_ph(b), ftz);                                     \
    }                                                                                                        \
    PX_INLINE px_v_u16 px_v_##name##_f16(px_v_u16 a, px_v_u16 b, int ftz, int sat)                           \
    {                                                                                                        \
        a = px_v_f16_flush(a, ftz), b = px_v_f16_flush(b, ftz);                                              \
        return px_v_finish_one(px_v_raw_##name##_f16(a, b, ftz), 0x7c00, sat, 0);                            \
    }                                                                                                        \
    PX_INLINE px_v_u32 px_v_##name##_f16x2(px_v_u32 a, px_v_u32 b, int ftz, int sat)                         \
    {                                                                                                        \
        a = px_v_f16x2_flush(a, ftz), b = px_v_f16x2_flush(b, ftz);                                          \
        const px_v_u32 r = px_v_join(px_v_raw_##name##_f16(px_v_low(a), px_v_low(b), ftz),                   \
                                     px_v_raw_##name##_f16(px_v_high(a), px_v_high(b), ftz));                \
        return (px_v_u32)px_v_finish_two((px_v_pairs)r, 0x7c00, sat, 0);                                     \
    }
PX_VECTOR_F16(add, +)
PX_VECTOR_F16(sub, -)
PX_VECTOR_F16(mul, *)

PX_INLINE px_v_u16 px_v_raw_fma_f16(px_v_u16 a, px_v_u16 b, px_v_u16 c, int ftz)
{
    return px_v_f16_result(px_v_fma_odd(px_v_wide_ph(a), px_v_wide_ph(b), px_v_wide_ph(c)), ftz);
}
PX_INLINE px_v_u16 px_v_fma_f16(px_v_u16 a, px_v_u16 b, px_v_u16 c, int ftz, int sat, int relu)
{
    a = px_v_f16_flush(a, ftz), b = px_v_f16_flush(b, ftz), c = px_v_f16_flush(c, ftz);
    return px_v_finish_one(px_v_raw_fma_f16(a, b, c, ftz), 0x7c00, sat, relu);
}
PX_INLINE px_v_u32 px_v_fma_f16x2(px_v_u32 a, px_v_u32 b, px_v_u32 c, int ftz, int sat, int relu)
{
    a = px_v_f16x2_flush(a, ftz), b = px_v_f16x2_flush(b, ftz), c = px_v_f16x2_flush(c, ftz);
    const px_v_u32 r = px_v_join(px_v_raw_fma_f16(px_v_low(a), px_v_low(b), px_v_low(c), ftz),
                                 px_v_raw_fma_f16(px_v_high(a), px_v_high(b), px_v_high(c), ftz));
    return (px_v_u32)px_v_finish_two((px_v_pairs)r, 0x7c00, sat, relu);
}

/* ---- bf16: the upper half of an f32 ---- */

PX_INLINE px_v_f32 px_v_f32_of_bf16(px_v_u16 a)
{
    return (px_v_f32)(px_v_wide(a) << 16);
}
PX_INLINE px_v_f32 px_v_lo_bf16x2(px_v_u32 a)
{
    return (px_v_f32)(a << 16);
}
PX_INLINE px_v_f32 px_v_hi_bf16x2(px_v_u32 a)
{
    return (px_v_f32)(a & 0xffff0000u);
}
/* x rounded to bf16 in the upper half of the word, the chip's NaN; anything in the lower half. */
PX_INLINE px_v_u32 px_v_top(px_v_f32 x, int mode, int relu)
{
    const px_v_u32 u = (px_v_u32)x, minus = (px_v_u32)((px_v_s32)u >> 31);
    const px_v_u32 up = mode == PX_RN   ? (u >> 16 & 1) + 0x7fff
                        : mode == PX_RM ? minus & 0xffff
                        : mode == PX_RP ? ~minus & 0xffff
                                        : (px_v_u32){0};
    const px_v_u32 r = px_v_put_nan(x, u + up, (uint32_t)PX_NAN16 << 16);
    return relu ? r & ~(px_v_u32)((px_v_s32)r >> 31) : r;
}
PX_INLINE px_v_u32 px_v_join_tops(px_v_u32 high, px_v_u32 low)
{
    return (high & 0xffff0000u) | low >> 16;
}
#define PX_VECTOR_BF16(name, op)                                                                             \
    PX_INLINE px_v_u16 px_v_##name##_bf16(px_v_u16 a, px_v_u16 b)                                            \
    {                                                                                                        \
        return px_v_narrow(px_v_top(px_v_f32_of_bf16(a) op px_v_f32_of_bf16(b), PX_RN, 0) >> 16);            \
    }                                                                                                        \
    PX_INLINE px_v_u32 px_v_##name##_bf16x2(px_v_u32 a, px_v_u32 b)                                          \
    {                                                                                                        \
        return px_v_join_tops(px_v_top(px_v_hi_bf16x2(a) op px_v_hi_bf16x2(b), PX_RN, 0),                    \
                              px_v_top(px_v_lo_bf16x2(a) op px_v_lo_bf16x2(b), PX_RN, 0));                   \
    }
PX_VECTOR_BF16(add, +)
PX_VECTOR_BF16(sub, -)
PX_VECTOR_BF16(mul, *)

#if defined(__AVX512BW__)
PX_INLINE px_v_u32 px_v_fma_top(px_v_f32 a, px_v_f32 b, px_v_f32 c, int relu)
{
    return px_v_top(px_v_fma_odd(a, b, c), PX_RN, relu);
}
#else
/* Products that f32 cannot hold, too small or too large, are done one by one. */
static __attribute__((noinline)) void px_v_fma_alone(const px_v_f32 *a, const px_v_f32 *b, const px_v_f32 *c,
                                                     px_v_u32 *d)
{
    for (int i = 0; i < PX_VECTOR; i++)
        (*d)[i] = (uint32_t)px_fma_bf16((uint16_t)(px_bits_f32((*a)[i]) >> 16),
                                        (uint16_t)(px_bits_f32((*b)[i]) >> 16),
                                        (uint16_t)(px_bits_f32((*c)[i]) >> 16), 0)
                  << 16;
}
PX_INLINE px_v_u32 px_v_fma_top(px_v_f32 a, px_v_f32 b, px_v_f32 c, int relu)
{
    const px_v_f32 p = px_v_magnitude(a * b), inf = px_v_all_f32(__builtin_inff());
    const px_v_s32 small = (p < 0x1p-133f) & (a != 0.0f) & (b != 0.0f);
    const px_v_s32 large = (p == inf) & (px_v_magnitude(a) < inf) & (px_v_magnitude(b) < inf);
    px_v_u32 r;
    if (!_mm256_testz_si256(PX_V_I(small | large), PX_V_I(small | large))) {
        px_v_fma_alone(&a, &b, &c, &r);
        return relu ? r & ~(px_v_u32)((px_v_s32)r >> 31) : r;
    }
    return px_v_top(px_v_fma_odd(a, b, c), PX_RN, relu);
}
#endif
PX_INLINE px_v_u16 px_v_fma_bf16(px_v_u16 a, px_v_u16 b, px_v_u16 c, int relu)
{
    return px_v_narrow(px_v_fma_top(px_v_f32_of_bf16(a), px_v_f32_of_bf16(b), px_v_f32_of_bf16(c), relu) >>
                       16);
}
PX_INLINE px_v_u32 px_v_fma_bf16x2(px_v_u32 a, px_v_u32 b, px_v_u32 c, int relu)
{
    return px_v_join_tops(px_v_fma_top(px_v_hi_bf16x2(a), px_v_hi_bf16x2(b), px_v_hi_bf16x2(c), relu),
                          px_v_fma_top(px_v_lo_bf16x2(a), px_v_lo_bf16x2(b), px_v_lo_bf16x2(c), relu));
}

/* .oob: 0 where a factor is 0x7ff7 of either sign. */
#define PX_VECTOR_OOB(type, call)                                                                            \
    PX_INLINE px_v_u16 px_v_fma_oob_##type(px_v_u16 a, px_v_u16 b, px_v_u16 c, int relu)                     \
    {                                                                                                        \
        return call & ~(px_v_u16)(((a & 0x7fff) == 0x7ff7) | ((b & 0x7fff) == 0x7ff7));                      \
    }
#define PX_VECTOR_OOB2(type, call)                                                                           \
    PX_INLINE px_v_u32 px_v_fma_oob_##type(px_v_u32 a, px_v_u32 b, px_v_u32 c, int relu)                     \
    {                                                                                                        \
        const px_v_pairs x = (px_v_pairs)a & 0x7fff, y = (px_v_pairs)b & 0x7fff;                             \
        return call & ~(px_v_u32)((x == 0x7ff7) | (y == 0x7ff7));                                            \
    }
PX_VECTOR_OOB(f16, px_v_fma_f16(a, b, c, 0, 0, relu))
PX_VECTOR_OOB(sat_f16, px_v_fma_f16(a, b, c, 0, 1, relu))
PX_VECTOR_OOB(bf16, px_v_fma_bf16(a, b, c, relu))
PX_VECTOR_OOB2(f16x2, px_v_fma_f16x2(a, b, c, 0, 0, relu))
PX_VECTOR_OOB2(sat_f16x2, px_v_fma_f16x2(a, b, c, 0, 1, relu))
PX_VECTOR_OOB2(bf16x2, px_v_fma_bf16x2(a, b, c, relu))

/* ---- conversions between f32, f16 and bf16 ---- */

PX_INLINE px_v_f32 px_v_f32_of_f16(px_v_u16 a)
{
    const px_v_f32 x = px_v_wide_ph(a);
    return (px_v_f32)px_v_put_nan(x, (px_v_u32)x, PX_NAN32);
}
/* (for a conversion, to which a NaN is as good as another) */
PX_INLINE px_v_f32 px_v_lo_f16x2(px_v_u32 a, int ftz)
{
    return px_v_wide_ph(px_v_f16_flush(px_v_narrow(a & 0xffff), ftz));
}
PX_INLINE px_v_f32 px_v_hi_f16x2(px_v_u32 a, int ftz)
{
    return px_v_wide_ph(px_v_f16_flush(px_v_narrow(a >> 16), ftz));
}
/* Up and down the mode's DAZ must not make a zero of a subnormal number: the least normal one rounds alike.
 */
PX_INLINE px_v_u16 px_v_raw_f16(px_v_f32 x, int mode)
{
    const px_v_u32 u = (px_v_u32)x, mag = u & 0x7fffffffu;
    const px_v_u32 tiny = (px_v_u32)(mag - 1 < px_v_all_u32(0x007fffff));
    const px_v_f32 normal = (px_v_f32)(u | (tiny & 0x00800000u));
    switch (mode) {
    case PX_RN: return px_v_narrow_ph(x, _MM_FROUND_TO_NEAREST_INT);
    case PX_RZ: return px_v_narrow_ph(x, _MM_FROUND_TO_ZERO);
    case PX_RM: return px_v_narrow_ph(normal, _MM_FROUND_TO_NEG_INF);
    default: return px_v_narrow_ph(normal, _MM_FROUND_TO_POS_INF);
    }
}
PX_INLINE px_v_u16 px_v_f16_of_float(px_v_f32 x, int mode)
{
    return px_v_finish_one(px_v_raw_f16(x, mode), 0x7c00, 0, 0);
}
PX_INLINE px_v_u16 px_v_bf16_of_float(px_v_f32 x, int mode)
{
    return px_v_narrow(px_v_top(x, mode, 0) >> 16);
}
PX_INLINE px_v_u16 px_v_cvt_bf16_f16(px_v_u16 a, int mode)
{
    return px_v_bf16_of_float(px_v_wide_ph(a), mode);
}
PX_INLINE px_v_u16 px_v_cvt_f16_bf16(px_v_u16 a, int mode)
{
    return px_v_f16_of_float(px_v_f32_of_bf16(a), mode);
}
PX_INLINE px_v_u16 px_v_cvt_limit_f16(px_v_f32 a, int mode, int relu, int finite)
{
    return px_v_limit_one(px_v_raw_f16(a, mode), 0x7c00, relu, finite);
}
PX_INLINE px_v_u16 px_v_cvt_limit_bf16(px_v_f32 a, int mode, int relu, int finite)
{
    return px_v_limit_one(px_v_bf16_of_float(a, mode), 0x7f80, relu, finite);
}
PX_INLINE px_v_u32 px_v_pack_limit_f16x2(px_v_f32 a, px_v_f32 b, int mode, int relu, int finite)
{
    const px_v_u32 r = px_v_wide(px_v_raw_f16(b, mode)) | px_v_wide(px_v_raw_f16(a, mode)) << 16;
    return (px_v_u32)px_v_limit_two((px_v_pairs)r, 0x7c00, relu, finite);
}
PX_INLINE px_v_u32 px_v_pack_limit_bf16x2(px_v_f32 a, px_v_f32 b, int mode, int relu, int finite)
{
    const px_v_u32 r = px_v_join_tops(px_v_top(a, mode, relu), px_v_top(b, mode, relu));
    return finite ? (px_v_u32)px_v_limit_two((px_v_pairs)r, 0x7f80, relu, finite) : r;
}
#define PX_VECTOR_TO_HALF(name, mode)                                                                        \
    PX_INLINE px_v_u16 px_v_cvt_##name##_f16_f32(px_v_f32 a, int sat)                                        \
    {                                                                                                        \
        return px_v_finish_one(px_v_raw_f16(a, mode), 0x7c00, sat, 0);                                       \
    }                                                                                                        \
    PX_INLINE px_v_u16 px_v_cvt_bf16_f32_##name(px_v_f32 a, int relu)                                        \
    {                                                                                                        \
        return px_v_narrow(px_v_top(a, mode, relu) >> 16);                                                   \
    }
PX_VECTOR_TO_HALF(rn, PX_RN)
PX_VECTOR_TO_HALF(rz, PX_RZ)
PX_VECTOR_TO_HALF(rm, PX_RM)
PX_VECTOR_TO_HALF(rp, PX_RP)

PX_INLINE px_v_u16 px_v_cvt_finish_f16(px_v_u16 r, int sat)
{
    return sat ? px_v_finish_one(r, 0x7c00, 1, 0) : r;
}
#define PX_VECTOR_ROUND(name, rounding)                                                                      \
    PX_INLINE px_v_u16 px_v_round_##name##_f16(px_v_u16 a)                                                   \
    {                                                                                                        \
        return px_v_f16_of_float(px_v_round(px_v_wide_ph(a), (rounding) | _MM_FROUND_NO_EXC), PX_RN);        \
    }                                                                                                        \
    PX_INLINE px_v_u16 px_v_round_##name##_bf16(px_v_u16 a)                                                  \
    {                                                                                                        \
        return px_v_bf16_of_float(px_v_round(px_v_f32_of_bf16(a), (rounding) | _MM_FROUND_NO_EXC), PX_RN);   \
    }
PX_VECTOR_ROUND(rni, _MM_FROUND_TO_NEAREST_INT)
PX_VECTOR_ROUND(rzi, _MM_FROUND_TO_ZERO)
PX_VECTOR_ROUND(rmi, _MM_FROUND_TO_NEG_INF)
PX_VECTOR_ROUND(rpi, _MM_FROUND_TO_POS_INF)
PX_INLINE px_v_u16 px_v_round_none_f16(px_v_u16 a)
{
    return px_v_finish_one(a, 0x7c00, 0, 0);
}
PX_INLINE px_v_u16 px_v_round_none_bf16(px_v_u16 a)
{
    return px_v_finish_one(a, 0x7f80, 0, 0);
}

/* ---- f64 to halves: to f32 by rounding to odd, then to the half ---- */

PX_INLINE bool px_v_has_nan(px_v_f64 a)
{
#if defined(__AVX512BW__)
    return _mm512_cmp_pd_mask((__m512d)a.part[0], (__m512d)a.part[1], _CMP_UNORD_Q);
#else
    return !_mm256_testz_pd(_mm256_cmp_pd((__m256d)a.part[0], (__m256d)a.part[1], _CMP_UNORD_Q),
                            _mm256_castsi256_pd(_mm256_set1_epi64x(-1)));
#endif
}
#if defined(__AVX512BW__)
PX_INLINE px_v_f32 px_v_odd(px_v_f64 a)
{
    enum { DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC, UP = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC };
    const __m512d x = (__m512d)a.part[0], y = (__m512d)a.part[1];
    const px_v_u32 down =
        px_v_join((px_v_u16)_mm512_cvt_roundpd_ps(x, DOWN), (px_v_u16)_mm512_cvt_roundpd_ps(y, DOWN));
    const px_v_u32 up =
        px_v_join((px_v_u16)_mm512_cvt_roundpd_ps(x, UP), (px_v_u16)_mm512_cvt_roundpd_ps(y, UP));
    const __mmask16 odd = _mm512_test_epi32_mask(PX_V_I(down), _mm512_set1_epi32(1));
    return (px_v_f32)_mm512_mask_mov_epi32(PX_V_I(up), odd, PX_V_I(down));
}
#else
/* Whatever the mode rounds to is one of the neighbours: where it is even and not the number, the other is
 * odd. */
PX_INLINE __m128i px_v_odd_half(__m256d x)
{
    const __m256d magnitude = _mm256_castsi256_pd(_mm256_set1_epi64x(INT64_MAX));
    const __m128 y = _mm256_cvtpd_ps(x);
    const __m256d back = _mm256_cvtps_pd(y), m = _mm256_and_pd(x, magnitude),
                  n = _mm256_and_pd(back, magnitude);
    const __m256i words = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    const __m256i less = (__m256i)_mm256_cmp_pd(n, m, _CMP_LT_OQ),
                  more = (__m256i)_mm256_cmp_pd(n, m, _CMP_GT_OQ);
    const __m128i up = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(less, words));
    const __m128i down = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(more, words));
    const __m128i even = _mm_cmpeq_epi32(_mm_and_si128((__m128i)y, _mm_set1_epi32(1)), _mm_setzero_si128());
    return _mm_add_epi32((__m128i)y, _mm_and_si128(even, _mm_sub_epi32(down, up)));
}
PX_INLINE px_v_f32 px_v_odd(px_v_f64 a)
{
    return (px_v_f32)px_v_join((px_v_u16)px_v_odd_half((__m256d)a.part[0]),
                               (px_v_u16)px_v_odd_half((__m256d)a.part[1]));
}
#endif
/* A NaN keeps its sign and upper payload: one by one. */
#define PX_VECTOR_NARROW(name, result, scalar)                                                               \
    PX_INLINE px_v_u16 name                                                                                  \
    {                                                                                                        \
        if (px_v_has_nan(a)) {                                                                               \
            double x[PX_VECTOR];                                                                             \
            uint16_t r[PX_VECTOR];                                                                           \
            memcpy(x, &a, sizeof x);                                                                         \
            for (int i = 0; i < PX_VECTOR; i++) r[i] = scalar;                                               \
            return px_v_load_u16(r);                                                                         \
        }                                                                                                    \
        return result;                                                                                       \
    }
#define PX_VECTOR_NARROWS(name, mode)                                                                        \
    PX_VECTOR_NARROW(px_v_cvt_##name##_f16_f64(px_v_f64 a, int sat),                                         \
                     px_v_finish_one(px_v_raw_f16(px_v_odd(a), mode), 0x7c00, sat, 0),                       \
                     px_cvt_##name##_f16_f64(x[i], sat))                                                     \
    PX_VECTOR_NARROW(px_v_cvt_bf16_f64_##name(px_v_f64 a), px_v_bf16_of_float(px_v_odd(a), mode),            \
                     px_cvt_bf16_f64_##name(x[i]))
PX_VECTOR_NARROWS(rn, PX_RN)
PX_VECTOR_NARROWS(rz, PX_RZ)
PX_VECTOR_NARROWS(rm, PX_RM)
PX_VECTOR_NARROWS(rp, PX_RP)

/* ---- 8-bit floats ---- */

PX_INLINE px_v_u32 px_v_less(px_v_u32 x, uint32_t limit, px_v_u32 yes, px_v_u32 no)
{
#if defined(__AVX512BW__)
    const __mmask16 less = _mm512_cmplt_epi32_mask(PX_V_I(x), _mm512_set1_epi32((int)limit));
    return (px_v_u32)_mm512_mask_mov_epi32(PX_V_I(no), less, PX_V_I(yes));
#else
    const px_v_u32 less = (px_v_u32)((px_v_s32)x < (int32_t)limit);
    return (less & yes) | (~less & no);
#endif
}
PX_INLINE px_v_u32 px_v_at_most(px_v_u32 x, uint32_t most)
{
#if defined(__AVX512BW__)
    return (px_v_u32)_mm512_min_epi32(PX_V_I(x), _mm512_set1_epi32((int)most));
#else
    return (px_v_u32)_mm256_min_epi32(PX_V_I(x), _mm256_set1_epi32((int)most));
#endif
}
/* As px_f8. Subnormal results are what is left of a sum with the number whose last bit is their unit. */
PX_INLINE px_v_u32 px_v_f8(px_v_f32 x, int p, int emin, int inf, int relu)
{
    const float unit = px_float_b32((uint32_t)(emin - p + 23 + 127) << 23);
    const px_v_u32 u = (px_v_u32)x, mag = u & 0x7fffffffu;
    const px_v_u32 nearest = mag + (mag >> (23 - p) & 1) + ((1u << (22 - p)) - 1);
    const px_v_u32 normal = (nearest >> (23 - p)) - ((uint32_t)(emin + 126) << p);
    const px_v_u32 tiny = (px_v_u32)(px_v_magnitude(x) + unit) - px_bits_f32(unit);
    px_v_u32 r = px_v_less(mag, (uint32_t)(emin + 127) << 23, tiny, normal);
    r = px_v_at_most(r, (uint32_t)inf - 1);
    r = relu ? r & ~(px_v_u32)((px_v_s32)u >> 31) : r | (u >> 24 & 0x80);
    return px_v_put_nan(x, r, 0x7f);
}
PX_INLINE px_v_u16 px_v_cvt_e4m3x2(px_v_f32 high, px_v_f32 low, int relu)
{
    return px_v_narrow(px_v_f8(high, 3, -6, 0x7f, relu) << 8 | px_v_f8(low, 3, -6, 0x7f, relu));
}
PX_INLINE px_v_u16 px_v_cvt_e5m2x2(px_v_f32 high, px_v_f32 low, int relu)
{
    return px_v_narrow(px_v_f8(high, 2, -14, 0x7c, relu) << 8 | px_v_f8(low, 2, -14, 0x7c, relu));
}
/* The bytes in the upper halves of two 16-bit parts. */
PX_INLINE px_v_u32 px_v_bytes_up(px_v_u16 a)
{
    const px_v_u32 w = px_v_wide(a);
    return (w & 0xff00) << 16 | (w & 0xff) << 8;
}
/* A magnitude whose exponent is moved into place is 2^-8 of the value; a product with 2^8 is exact. */
PX_INLINE px_v_u32 px_v_cvt_f16x2_e4m3x2(px_v_u16 a, int relu)
{
    const px_v_pairs w = (px_v_pairs)px_v_bytes_up(a), mag = w & 0x7f00;
    const px_v_u32 small = (px_v_u32)(mag >> 1);
    const px_v_u32 r =
        px_v_join(px_v_narrow_ph(px_v_wide_ph(px_v_low(small)) * 256.0f, _MM_FROUND_TO_NEAREST_INT),
                  px_v_narrow_ph(px_v_wide_ph(px_v_high(small)) * 256.0f, _MM_FROUND_TO_NEAREST_INT));
    const px_v_pairs x = px_v_select_two((px_v_spairs)(mag == 0x7f00), (px_v_pairs){0} + PX_NAN16,
                                         (px_v_pairs)r | (w & 0x8000));
    return (px_v_u32)(relu ? px_v_relu_two(x) : x);
}
PX_INLINE px_v_u32 px_v_cvt_f16x2_e5m2x2(px_v_u16 a, int relu)
{
    return (px_v_u32)px_v_finish_two((px_v_pairs)px_v_bytes_up(a), 0x7c00, 0, relu);
}

#endif
#endif
