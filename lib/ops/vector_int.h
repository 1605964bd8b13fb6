/*
 * vector_int.h - whole numbers over vectors of lanes (ops/vector.h): bits, bytes, dot products, quotients.
 */
#ifndef PX_OPS_VECTOR_INT_H
#define PX_OPS_VECTOR_INT_H

#include "ops/vector_lanes.h"

#ifdef PX_VECTOR

/* ---- bits ---- */

PX_INLINE px_v_u32 px_v_choose(px_v_u32 where, px_v_u32 yes, px_v_u32 no)
{
    return (where & yes) | (~where & no);
}
#if defined(__AVX512CD__)
PX_INLINE px_v_u32 px_v_clz_b32(px_v_u32 a)
{
    return (px_v_u32)_mm512_lzcnt_epi32(PX_V_I(a));
}
/* Of both parts, as words. */
PX_INLINE px_v_u32 px_v_clz_b64(px_v_u64 a)
{
    const __m256i low = _mm512_cvtepi64_epi32(_mm512_lzcnt_epi64((__m512i)a.part[0]));
    const __m256i high = _mm512_cvtepi64_epi32(_mm512_lzcnt_epi64((__m512i)a.part[1]));
    return px_v_join((px_v_u16)low, (px_v_u16)high);
}
#else
/* The exponent of the float that has the same top bit, the bit behind it cleared so that nothing rounds up.
 */
PX_INLINE px_v_u32 px_v_clz_b32(px_v_u32 a)
{
    const px_v_u32 top = a & ~(a >> 1), bits = (px_v_u32) __builtin_convertvector((px_v_s32)top, px_v_f32);
    const px_v_u32 n = px_v_choose((px_v_u32)(a == 0), px_v_all_u32(32), 158 - (bits >> 23));
    return n & ~(px_v_u32)((px_v_s32)a >> 31);
}
PX_INLINE px_v_u32 px_v_clz_b64(px_v_u64 a)
{
    uint64_t x[PX_VECTOR];
    px_v_u32 high, low;
    memcpy(x, &a, sizeof x);
    for (int i = 0; i < PX_VECTOR; i++) high[i] = (uint32_t)(x[i] >> 32), low[i] = (uint32_t)x[i];
    return px_v_choose((px_v_u32)(high == 0), px_v_clz_b32(low) + 32, px_v_clz_b32(high));
}
#endif
PX_INLINE px_v_u32 px_v_popc_b32(px_v_u32 a)
{
    a -= a >> 1 & 0x55555555u;
    a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
    a = (a + (a >> 4)) & 0x0f0f0f0fu;
    a += a >> 8;
    return (a + (a >> 16)) & 0x3f;
}
PX_INLINE px_v_u32 px_v_shf_l_wrap(px_v_u32 a, px_v_u32 b, px_v_u32 c)
{
    return b << (c & 31) | a >> 1 >> (~c & 31);
}
PX_INLINE px_v_u32 px_v_shf_r_wrap(px_v_u32 a, px_v_u32 b, px_v_u32 c)
{
    return a >> (c & 31) | b << 1 << (~c & 31);
}
PX_INLINE px_v_u32 px_v_shf_l_clamp(px_v_u32 a, px_v_u32 b, px_v_u32 c)
{
    return px_v_choose((px_v_u32)(c > 31), a, px_v_shf_l_wrap(a, b, c));
}
PX_INLINE px_v_u32 px_v_shf_r_clamp(px_v_u32 a, px_v_u32 b, px_v_u32 c)
{
    return px_v_choose((px_v_u32)(c > 31), b, px_v_shf_r_wrap(a, b, c));
}
/* 32 or 64 zeros mean that there is no bit. */
PX_INLINE px_v_u32 px_v_found(px_v_u32 zeros, uint32_t bits, int shiftamt)
{
    return (shiftamt ? zeros : bits - 1 - zeros) | (px_v_u32)(zeros == bits);
}
PX_INLINE px_v_u32 px_v_bfind_u32(px_v_u32 a, int shiftamt)
{
    return px_v_found(px_v_clz_b32(a), 32, shiftamt);
}
PX_INLINE px_v_u32 px_v_bfind_s32(px_v_s32 a, int shiftamt)
{
    return px_v_bfind_u32((px_v_u32)(a ^ a >> 31), shiftamt);
}
PX_INLINE px_v_u32 px_v_bfind_u64(px_v_u64 a, int shiftamt)
{
    return px_v_found(px_v_clz_b64(a), 64, shiftamt);
}
PX_INLINE px_v_u32 px_v_bfind_s64(px_v_s64 a, int shiftamt)
{
    for (int i = 0; i < 2; i++) a.part[i] ^= 0 - (a.part[i] >> 63);
    return px_v_bfind_u64(a, shiftamt);
}

/* Bytes of a and of b by the low bits of the selectors, which come one to a byte; then one of both, or its
 * sign. */
PX_INLINE px_v_u32 px_v_prmt(px_v_u32 a, px_v_u32 b, px_v_u32 c)
{
    const px_v_u32 lane = (px_v_u32){0} + 0x03030303u;
    px_v_u32 s = c & 0xffff, r, sign;
    s = (s | s << 8) & 0x00ff00ffu;
    s = (s | s << 4) & 0x0f0f0f0fu;
#if defined(__AVX512BW__)
    const __m512i words = _mm512_broadcast_i32x4(_mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c));
    const __m512i at = _mm512_or_si512(PX_V_I(s & lane), words);
    const __mmask64 second = _mm512_test_epi8_mask(PX_V_I(s), _mm512_set1_epi8(4));
    const __m512i v = _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(PX_V_I(a), at), second, PX_V_I(b), at);
    const __mmask64 signs = _mm512_test_epi8_mask(PX_V_I(s), _mm512_set1_epi8(8));
    const __m512i minus = _mm512_movm_epi8(_mm512_movepi8_mask(v));
    (void)r, (void)sign;
    return (px_v_u32)_mm512_mask_mov_epi8(v, signs, minus);
#else
    const __m256i words =
        _mm256_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c, 0, 0x04040404, 0x08080808, 0x0c0c0c0c);
    const __m256i at = _mm256_or_si256(PX_V_I(s & lane), words);
    r = (px_v_u32)_mm256_blendv_epi8(_mm256_shuffle_epi8(PX_V_I(a), at), _mm256_shuffle_epi8(PX_V_I(b), at),
                                     PX_V_I(s << 5));
    sign = (px_v_u32)_mm256_cmpgt_epi8(_mm256_setzero_si256(), PX_V_I(r));
    return (px_v_u32)_mm256_blendv_epi8(PX_V_I(r), PX_V_I(sign), PX_V_I(s << 4));
#endif
}
PX_INLINE px_v_u32 px_v_prmt_b4e(px_v_u32 a, px_v_u32 b, px_v_u32 c)
{
    const px_v_u32 k = c & 3;
    return px_v_prmt(a, b, PX_PRMT_B4E(k));
}
PX_INLINE px_v_u32 px_v_prmt_ecl(px_v_u32 a, px_v_u32 b, px_v_u32 c)
{
    const px_v_u32 k = c & 3;
    (void)b;
    return px_v_prmt(a, a, PX_PRMT_ECL(k));
}
PX_INLINE px_v_u32 px_v_prmt_ecr(px_v_u32 a, px_v_u32 b, px_v_u32 c)
{
    const px_v_u32 k = c & 3;
    (void)b;
    return px_v_prmt(a, a, PX_PRMT_ECR(k));
}
PX_INLINE px_v_u32 px_v_prmt_f4e(px_v_u32 a, px_v_u32 b, px_v_u32 c)
{
    const px_v_u32 n = (c & 3) * 8;
    return a >> n | b << 1 << (31 - n);
}
PX_INLINE px_v_u32 px_v_prmt_rc8(px_v_u32 a, px_v_u32 b, px_v_u32 c)
{
    px_v_u32 r = a >> (c & 3) * 8 & 0xff;
    (void)b;
    r |= r << 8;
    return r | r << 16;
}
PX_INLINE px_v_u32 px_v_prmt_rc16(px_v_u32 a, px_v_u32 b, px_v_u32 c)
{
    const px_v_u32 r = a >> (c & 1) * 16 & 0xffff;
    (void)b;
    return r | r << 16;
}

/* ---- dot products: sums of products of two neighbours of 16 bits ---- */

#if defined(__AVX512BW__)
#define px_v_products(a, b) ((px_v_u32)_mm512_madd_epi16(PX_V_I(a), PX_V_I(b)))
#else
#define px_v_products(a, b) ((px_v_u32)_mm256_madd_epi16(PX_V_I(a), PX_V_I(b)))
#endif
/* Bytes in even, or odd, places as numbers of 16 bits. */
#define px_v_bytes_u32(a, odd) ((px_v_u32)((px_v_pairs)(a) << ((odd) ? 0 : 8) >> 8))
#define px_v_bytes_s32(a, odd) ((px_v_u32)((px_v_spairs)((px_v_pairs)(a) << ((odd) ? 0 : 8)) >> 8))
/* The lower, or upper, two bytes. */
PX_INLINE px_v_u32 px_v_spread_u32(px_v_u32 a, int upper)
{
    const px_v_u32 x = upper ? a >> 16 : a & 0xffff;
    return (x | x << 8) & 0x00ff00ffu;
}
PX_INLINE px_v_u32 px_v_spread_s32(px_v_u32 a, int upper)
{
    return (px_v_u32)((px_v_spairs)(px_v_spread_u32(a, upper) << 8) >> 8);
}
#define PX_VECTOR_DP4A(A, B, R)                                                                              \
    PX_INLINE R px_v_dp4a_##A##B(px_v_##A a, px_v_##B b, R c)                                                \
    {                                                                                                        \
        return (R)((px_v_u32)c + px_v_products(px_v_bytes_##A(a, 0), px_v_bytes_##B(b, 0)) +                 \
                   px_v_products(px_v_bytes_##A(a, 1), px_v_bytes_##B(b, 1)));                               \
    }
PX_VECTOR_DP4A(u32, u32, px_v_u32)
PX_VECTOR_DP4A(u32, s32, px_v_s32)
PX_VECTOR_DP4A(s32, u32, px_v_s32)
PX_VECTOR_DP4A(s32, s32, px_v_s32)
/* Halves without a sign are up to 65535, which 16 bits with one are not: the top bit's products are added
 * apart. */
#define PX_VECTOR_DP2A(mode, upper, A, B, R, unsigned_a)                                                     \
    PX_INLINE R px_v_dp2a_##mode##_##A##B(px_v_##A a, px_v_##B b, R c)                                       \
    {                                                                                                        \
        const px_v_u32 x = (px_v_u32)a, y = px_v_spread_##B((px_v_u32)b, upper);                             \
        px_v_u32 r = px_v_products(x, y);                                                                    \
        if (unsigned_a) {                                                                                    \
            const px_v_u32 tops = (px_v_u32)((px_v_spairs)x >> 15) & y;                                      \
            r += px_v_products(tops, (px_v_u32){0} + 0x00010001u) << 16;                                     \
        }                                                                                                    \
        return (R)((px_v_u32)c + r);                                                                         \
    }
#define PX_VECTOR_DP2A_BOTH(A, B, R, unsigned_a)                                                             \
    PX_VECTOR_DP2A(lo, 0, A, B, R, unsigned_a)                                                               \
    PX_VECTOR_DP2A(hi, 1, A, B, R, unsigned_a)
PX_VECTOR_DP2A_BOTH(u32, u32, px_v_u32, 1)
PX_VECTOR_DP2A_BOTH(u32, s32, px_v_s32, 1)
PX_VECTOR_DP2A_BOTH(s32, u32, px_v_s32, 0)
PX_VECTOR_DP2A_BOTH(s32, s32, px_v_s32, 0)

/* ---- quotients ---- */

/*
 * Quotients of whole numbers that a float holds exactly, cut: a/b is at least 1/b away from the next whole
 * number, which is more than any rounding of a quotient below 2^16 in f32, or 2^32 in f64. By zero: anything.
 */
PX_INLINE px_v_u32 px_v_ratio_16(px_v_u32 a, px_v_u32 b)
{
    const px_v_f32 x = __builtin_convertvector((px_v_s32)a, px_v_f32);
    const px_v_f32 q = x / __builtin_convertvector((px_v_s32)b, px_v_f32);
    return (px_v_u32) __builtin_convertvector(q, px_v_s32);
}
#if defined(__AVX512BW__)
PX_INLINE __m256i px_v_ratio_half(__m256i a, __m256i b)
{
    return _mm512_cvttpd_epu32(_mm512_div_pd(_mm512_cvtepu32_pd(a), _mm512_cvtepu32_pd(b)));
}
#else
/* By way of the number whose last bit is 1, for want of unsigned conversions. */
PX_INLINE __m256d px_v_double(__m128i a)
{
    const __m256d unit = _mm256_set1_pd(0x1p52);
    return _mm256_sub_pd((__m256d)_mm256_or_si256(_mm256_cvtepu32_epi64(a), (__m256i)unit), unit);
}
PX_INLINE __m128i px_v_ratio_half(__m128i a, __m128i b)
{
    const __m256d q = _mm256_round_pd(_mm256_div_pd(px_v_double(a), px_v_double(b)),
                                      _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m256i whole = (__m256i)_mm256_add_pd(q, _mm256_set1_pd(0x1p52));
    return _mm256_castsi256_si128(
        _mm256_permutevar8x32_epi32(whole, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
}
#endif
PX_INLINE px_v_u32 px_v_ratio_32(px_v_u32 a, px_v_u32 b)
{
    return px_v_join((px_v_u16)px_v_ratio_half(PX_V_H(px_v_low(a)), PX_V_H(px_v_low(b))),
                     (px_v_u16)px_v_ratio_half(PX_V_H(px_v_high(a)), PX_V_H(px_v_high(b))));
}
/* Quotient, or remainder, of numbers of `bits`; all ones where b is zero. */
PX_INLINE px_v_u32 px_v_divided(px_v_u32 a, px_v_u32 b, int bits, int is_signed, int rest)
{
    const px_v_u32 as = is_signed ? (px_v_u32)((px_v_s32)a >> 31) : (px_v_u32){0};
    const px_v_u32 bs = is_signed ? (px_v_u32)((px_v_s32)b >> 31) : (px_v_u32){0}, s = as ^ bs;
    const px_v_u32 x = (a ^ as) - as, y = (b ^ bs) - bs;
    px_v_u32 q = bits == 16 ? px_v_ratio_16(x, y) : px_v_ratio_32(x, y);
    q = (q ^ s) - s;
    return (rest ? a - q * b : q) | (px_v_u32)(b == 0);
}
#define PX_VECTOR_DIVISION(name, rest)                                                                       \
    PX_INLINE px_v_u32 px_v_##name##_u32(px_v_u32 a, px_v_u32 b)                                             \
    {                                                                                                        \
        return px_v_divided(a, b, 32, 0, rest);                                                              \
    }                                                                                                        \
    PX_INLINE px_v_s32 px_v_##name##_s32(px_v_s32 a, px_v_s32 b)                                             \
    {                                                                                                        \
        return (px_v_s32)px_v_divided((px_v_u32)a, (px_v_u32)b, 32, 1, rest);                                \
    }                                                                                                        \
    PX_INLINE px_v_u16 px_v_##name##_u16(px_v_u16 a, px_v_u16 b)                                             \
    {                                                                                                        \
        return px_v_narrow(px_v_divided(px_v_wide(a), px_v_wide(b), 16, 0, rest) & 0xffff);                  \
    }                                                                                                        \
    PX_INLINE px_v_s16 px_v_##name##_s16(px_v_s16 a, px_v_s16 b)                                             \
    {                                                                                                        \
        const px_v_u32 x = (px_v_u32)((px_v_s32)(px_v_wide((px_v_u16)a) << 16) >> 16);                       \
        const px_v_u32 y = (px_v_u32)((px_v_s32)(px_v_wide((px_v_u16)b) << 16) >> 16);                       \
        return (px_v_s16)px_v_narrow(px_v_divided(x, y, 16, 1, rest) & 0xffff);                              \
    }
PX_VECTOR_DIVISION(div, 0)
PX_VECTOR_DIVISION(rem, 1)

#ifdef PX_VECTOR_64
/*
 * Of 64 bits. The quotient of doubles is wrong by at most a/b * 2^-50 + 1, whatever the rounding, so with b
 * below 2^62 what is left of a fits 63 bits and a sign; the quotient of that is within 1/2 and a little, and
 * only too large a one is left to mend. With b from 2^62 on the quotient is at most 3.
 */
PX_INLINE __m512i px_v_divided_part(__m512i a, __m512i b, int rest)
{
    const __m512i one = _mm512_set1_epi64(1);
    const __m512d by = _mm512_div_pd(_mm512_set1_pd(1), _mm512_cvtepu64_pd(b));
    __m512i q = _mm512_cvttpd_epu64(_mm512_mul_pd(_mm512_cvtepu64_pd(a), by));
    __m512i r = _mm512_sub_epi64(a, _mm512_mullo_epi64(q, b));
    const __m512i more = _mm512_cvt_roundpd_epi64(_mm512_mul_pd(_mm512_cvtepi64_pd(r), by),
                                                  _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    q = _mm512_add_epi64(q, more);
    r = _mm512_sub_epi64(r, _mm512_mullo_epi64(more, b));
    const __mmask8 minus = _mm512_movepi64_mask(r);
    q = _mm512_mask_sub_epi64(q, minus, q, one);
    r = _mm512_mask_add_epi64(r, minus, r, b);
    const __mmask8 large = _mm512_cmpge_epu64_mask(b, _mm512_set1_epi64(1ll << 62));
    if (large) {
        __m512i left = a, n = _mm512_setzero_si512();
        for (int i = 0; i < 3; i++) {
            const __mmask8 fits = _mm512_cmpge_epu64_mask(left, b);
            left = _mm512_mask_sub_epi64(left, fits, left, b);
            n = _mm512_mask_add_epi64(n, fits, n, one);
        }
        q = _mm512_mask_mov_epi64(q, large, n);
        r = _mm512_mask_mov_epi64(r, large, left);
    }
    return rest ? r : q;
}
PX_INLINE px_v_u64 px_v_divided_64(px_v_u64 a, px_v_u64 b, int is_signed, int rest)
{
    px_v_u64 d;
    for (int i = 0; i < 2; i++) {
        const px_v_half_u64 none = {0}, x = a.part[i], y = b.part[i];
        const px_v_half_u64 xs = is_signed ? none - (x >> 63) : none,
                            ys = is_signed ? none - (y >> 63) : none;
        const px_v_half_u64 r =
            (px_v_half_u64)px_v_divided_part((__m512i)((x ^ xs) - xs), (__m512i)((y ^ ys) - ys), rest);
        const px_v_half_u64 s = rest ? xs : xs ^ ys;
        d.part[i] = ((r ^ s) - s) | (px_v_half_u64)(y == 0);
    }
    return d;
}
#define PX_VECTOR_DIVISION64(name, rest)                                                                     \
    PX_INLINE px_v_u64 px_v_##name##_u64(px_v_u64 a, px_v_u64 b)                                             \
    {                                                                                                        \
        return px_v_divided_64(a, b, 0, rest);                                                               \
    }                                                                                                        \
    PX_INLINE px_v_s64 px_v_##name##_s64(px_v_s64 a, px_v_s64 b)                                             \
    {                                                                                                        \
        return px_v_divided_64(a, b, 1, rest);                                                               \
    }
PX_VECTOR_DIVISION64(div, 0)
PX_VECTOR_DIVISION64(rem, 1)
#endif

#endif
#endif
