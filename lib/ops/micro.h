/*
 * micro.h - conversions to and from the formats of later targets: e2m1, e2m3, e3m2, ue8m0, s2f6, stochastic
 * rounding (PTX ISA 9.7.9.22 and 5.2.3). Everything is bits; results are those of the manual.
 */
#ifndef PX_OPS_MICRO_H
#define PX_OPS_MICRO_H

#include "ops/narrow.h"

/* A small format: bits of the fraction, least normal exponent, bits of the magnitude, the first magnitude
 * that is no finite value, and what a NaN becomes. */
struct px_small {
    int32_t fraction, least;
    uint32_t width, end, nan;
};
#define PX_SMALL_e4m3 ((struct px_small){3, -6, 7, 0x7f, 0x7f})
#define PX_SMALL_e5m2 ((struct px_small){2, -14, 7, 0x7c, 0x7f})
#define PX_SMALL_e2m3 ((struct px_small){3, 0, 5, 0x20, 0x1f})
#define PX_SMALL_e3m2 ((struct px_small){2, -2, 5, 0x20, 0x1f})
#define PX_SMALL_e2m1 ((struct px_small){1, 0, 3, 8, 7})

/* ue8m0 is a power of two, 2^(code - 127), or a NaN. */
static inline double px_ue8m0_value(uint32_t code)
{
    return code == 0xff ? __builtin_nan("") : px_float_b64((uint64_t)(code + 1023 - 127) << 52);
}

/* .satfinite: what is too large is the largest; .relu: what is negative is 0; .pzo: a zero is +0. */
static inline uint32_t px_small_limit(struct px_small f, uint32_t sign, uint32_t magnitude, int relu, int pzo)
{
    uint32_t m = magnitude >= f.end ? f.end - 1 : magnitude;
    return (relu && sign) || (pzo && !m) ? 0 : sign << f.width | m;
}
static inline uint32_t px_small_of(float a, struct px_small f, int mode, int relu, int pzo)
{
    const uint32_t r = px_narrow_f32(a, f.fraction, f.least, f.end, mode), m = r & 0x7fffu;
    return a != a ? f.nan : px_small_limit(f, r >> 15, m, relu, pzo);
}
/* a / 2^(scale - 127) */
static inline uint32_t px_small_scaled(float a, uint32_t scale, struct px_small f, int mode, int relu,
                                       int pzo)
{
    const double x = (double)a / px_ue8m0_value(scale);
    const uint32_t r = px_narrow_f64(x, f.fraction, f.least, f.end, mode), m = r & 0x7fffu;
    return x != x ? f.nan : px_small_limit(f, r >> 15, m, relu, pzo);
}

/* The value, exactly; a NaN is no value of these. */
static inline float px_small_value(uint32_t code, struct px_small f)
{
    const uint32_t m = code & ((1u << f.width) - 1), e = m >> f.fraction;
    const uint32_t significand = (m & ((1u << f.fraction) - 1)) | (e ? 1u << f.fraction : 0);
    const uint32_t unit = (uint32_t)(127 + f.least - f.fraction) + (e ? e - 1 : 0);
    const float x = (float)(int32_t)significand * px_float_b32(unit << 23);
    return px_float_b32(px_bits_f32(x) | (code >> f.width & 1) << 31);
}

/* ---- two of a kind ---- */

#define PX_TO_SMALL2(type, shift)                                                                            \
    static inline uint32_t px_cvt_##type##x2_f32(float high, float low, int mode, int relu, int pzo)         \
    {                                                                                                        \
        return px_small_of(high, PX_SMALL_##type, mode, relu, pzo) << shift |                                \
               px_small_of(low, PX_SMALL_##type, mode, relu, pzo);                                           \
    }                                                                                                        \
    static inline uint32_t px_cvt_##type##x2_f16x2(uint32_t a, int mode, int relu, int pzo)                  \
    {                                                                                                        \
        return px_cvt_##type##x2_f32(px_hi_f16x2(a, 0), px_lo_f16x2(a, 0), mode, relu, pzo);                 \
    }                                                                                                        \
    static inline uint32_t px_cvt_##type##x2_bf16x2(uint32_t a, int mode, int relu, int pzo)                 \
    {                                                                                                        \
        return px_cvt_##type##x2_f32(px_hi_bf16x2(a), px_lo_bf16x2(a), mode, relu, pzo);                     \
    }
#define PX_SCALED_SMALL2(type, shift)                                                                        \
    static inline uint32_t px_scaled_##type##x2_f32(float high, float low, uint32_t scale, int mode,         \
                                                    int relu, int pzo)                                       \
    {                                                                                                        \
        return px_small_scaled(high, scale, PX_SMALL_##type, mode, relu, pzo) << shift |                     \
               px_small_scaled(low, scale, PX_SMALL_##type, mode, relu, pzo);                                \
    }                                                                                                        \
    static inline uint32_t px_scaled_##type##x2_f16x2(uint32_t a, uint32_t scale, int mode, int relu,        \
                                                      int pzo)                                               \
    {                                                                                                        \
        return px_scaled_##type##x2_f32(px_hi_f16x2(a, 0), px_lo_f16x2(a, 0), scale, mode, relu, pzo);       \
    }                                                                                                        \
    static inline uint32_t px_scaled_##type##x2_bf16x2(uint32_t a, uint32_t scale, int mode, int relu,       \
                                                       int pzo)                                              \
    {                                                                                                        \
        return px_scaled_##type##x2_f32(px_hi_bf16x2(a), px_lo_bf16x2(a), scale, mode, relu, pzo);           \
    }
PX_SCALED_SMALL2(e4m3, 8)
PX_SCALED_SMALL2(e5m2, 8)
PX_SCALED_SMALL2(e2m3, 8)
PX_SCALED_SMALL2(e3m2, 8)
PX_SCALED_SMALL2(e2m1, 4)
PX_TO_SMALL2(e4m3, 8)
PX_TO_SMALL2(e5m2, 8)
PX_TO_SMALL2(e2m3, 8)
PX_TO_SMALL2(e3m2, 8)
PX_TO_SMALL2(e2m1, 4)

#define PX_OF_SMALL2(type, shift, mask)                                                                      \
    static inline uint16_t px_f16_of_##type(uint32_t code, int relu)                                         \
    {                                                                                                        \
        const uint16_t r = px_f16_of_float(px_small_value(code & mask, PX_SMALL_##type), PX_RN);             \
        return relu ? px_relu_16(r) : r;                                                                     \
    }                                                                                                        \
    static inline uint32_t px_cvt_f16x2_##type##x2(uint32_t a, int relu)                                     \
    {                                                                                                        \
        return px_f16_of_##type(a, relu) | (uint32_t)px_f16_of_##type(a >> shift, relu) << 16;               \
    }
PX_OF_SMALL2(e2m3, 8, 0x3f)
PX_OF_SMALL2(e3m2, 8, 0x3f)
PX_OF_SMALL2(e2m1, 4, 0xf)

/* ---- ue8m0 ---- */

/* The exponent of the magnitude, rounded up with `up`. What is less than the least power is the least. */
static inline uint32_t px_ue8m0_of(uint32_t a, int up, int finite)
{
    const uint32_t m = a & 0x7fffffffu, least = 0x400000u;
    const uint32_t more = up && m > least && m < 0x7f800000u && (m & 0x7fffffu);
    const uint32_t code = (m >> 23) + more;
    return m > 0x7f800000u ? 0xff : finite && code == 0xff ? 0xfe : code;
}
static inline uint16_t px_cvt_ue8m0x2_f32(uint32_t high, uint32_t low, int up, int finite)
{
    return (uint16_t)(px_ue8m0_of(high, up, finite) << 8 | px_ue8m0_of(low, up, finite));
}
static inline uint16_t px_cvt_ue8m0x2_bf16x2(uint32_t a, int up, int finite)
{
    return px_cvt_ue8m0x2_f32(a & 0xffff0000u, a << 16, up, finite);
}
static inline uint32_t px_bf16_of_ue8m0(uint32_t code)
{
    return code == 0xff ? PX_NAN16 : code ? code << 7 : 0x40;
}
static inline uint32_t px_cvt_bf16x2_ue8m0x2(uint32_t a)
{
    return px_bf16_of_ue8m0(a & 0xff) | px_bf16_of_ue8m0(a >> 8 & 0xff) << 16;
}

/* ---- stochastic rounding: the magnitude in units of the result, and what is behind it with random bits ----
 */

/* `n` random bits beside the first n bits that are left out: a carry rounds away from zero. */
static inline uint32_t px_magnitude_rs(uint32_t a, struct px_small f, uint32_t random, uint32_t n)
{
    const uint32_t m = a & 0x7fffffffu, e = m >> 23 ? m >> 23 : 1;
    const int32_t exponent = (int32_t)e - 127, under = exponent < f.least ? f.least - exponent : 0;
    const uint32_t down = (uint32_t)(23 - f.fraction + under), cut = down > 44 ? 44 : down;
    const uint64_t whole = (m & 0x7fffffu) | (m >> 23 ? 0x800000u : 0);
    const uint64_t sum = whole + ((uint64_t)random << (cut - n)); /* behind 2^-20 nothing carries */
    const uint64_t up = (uint64_t)(under ? 0 : exponent - f.least) << f.fraction;
    const uint64_t r = up + (sum >> cut);
    return r > f.end ? f.end : (uint32_t)r;
}
static inline uint32_t px_small_rs(uint32_t a, struct px_small f, uint32_t random, uint32_t n, int relu)
{
    const uint32_t m = px_magnitude_rs(a, f, random, n);
    return px_is_nan32(a) ? f.nan : px_small_limit(f, a >> 31, m, relu, 0);
}
static inline uint32_t px_half_rs(uint32_t a, struct px_small f, uint32_t random, uint32_t n, int relu,
                                  int finite)
{
    const uint32_t m = px_magnitude_rs(a, f, random, n), r = finite && m == f.end ? m - 1 : m;
    return px_is_nan32(a) ? PX_NAN16 : relu && a >> 31 ? 0 : r | (a >> 31) << 15;
}
#define PX_SMALL_f16 ((struct px_small){10, -14, 15, 0x7c00, PX_NAN16})
#define PX_SMALL_bf16 ((struct px_small){7, -126, 15, 0x7f80, PX_NAN16})
static inline uint32_t px_rs_f16x2(uint32_t a, uint32_t b, uint32_t random, int relu, int finite)
{
    return px_half_rs(a, PX_SMALL_f16, random >> 16 & 0x1fff, 13, relu, finite) << 16 |
           px_half_rs(b, PX_SMALL_f16, random & 0x1fff, 13, relu, finite);
}
static inline uint32_t px_rs_bf16x2(uint32_t a, uint32_t b, uint32_t random, int relu, int finite)
{
    return px_half_rs(a, PX_SMALL_bf16, random >> 16, 16, relu, finite) << 16 |
           px_half_rs(b, PX_SMALL_bf16, random & 0xffff, 16, relu, finite);
}

/* ---- s2f6: a whole number of 64ths from -128 to 127 ---- */

/* a / 2^(scale - 127), to nearest even or toward zero. */
static inline uint32_t px_s2f6_of(float a, uint32_t scale, int nearest, int relu)
{
    const double x = (double)a / px_ue8m0_value(scale) * 64;
    const double whole = nearest ? __builtin_rint(x) : __builtin_trunc(x);
    const double most = whole > 127 ? 127 : whole < -128 ? -128 : whole;
    if (x != x) return 0x7f;
    return relu && most < 0 ? 0 : (uint32_t)(int32_t)most & 0xff;
}
static inline uint16_t px_cvt_s2f6x2_f32(float high, float low, uint32_t scales, int nearest, int relu)
{
    return (uint16_t)(px_s2f6_of(high, scales >> 8 & 0xff, nearest, relu) << 8 |
                      px_s2f6_of(low, scales & 0xff, nearest, relu));
}
static inline uint16_t px_cvt_s2f6x2_bf16x2(uint32_t a, uint32_t scales, int nearest, int relu)
{
    return px_cvt_s2f6x2_f32(px_hi_bf16x2(a), px_lo_bf16x2(a), scales, nearest, relu);
}

/* ---- up to bf16, times 2^(scale - 127) ---- */

static inline uint32_t px_bf16_scaled(double value, int nan, uint32_t scale, int relu, int finite)
{
    const double x = value * px_ue8m0_value(scale);
    const uint16_t r = px_limit_16(px_bf16_of_double(x, PX_RN), 0x7f80, relu, finite);
    return nan || scale == 0xff ? PX_NAN16 : r;
}
#define PX_SCALED(type, shift, mask, value, is_nan)                                                          \
    static inline uint32_t px_scaled_##type(uint32_t code, uint32_t scale, int relu, int finite)             \
    {                                                                                                        \
        return px_bf16_scaled(value, is_nan, scale & 0xff, relu, finite);                                    \
    }                                                                                                        \
    static inline uint32_t px_cvt_bf16x2_##type##x2(uint32_t a, uint32_t scales, int relu, int finite)       \
    {                                                                                                        \
        return px_scaled_##type(a & mask, scales, relu, finite) |                                            \
               px_scaled_##type(a >> shift & mask, scales >> 8, relu, finite) << 16;                         \
    }
#define PX_VALUE(type) (double)px_small_value(code, PX_SMALL_##type)
PX_SCALED(e4m3, 8, 0xff, PX_VALUE(e4m3), (code & 0x7f) == 0x7f)
PX_SCALED(e5m2, 8, 0xff,
          (code & 0x7f) == 0x7c ? (code >> 7 ? -__builtin_inf() : __builtin_inf()) : PX_VALUE(e5m2),
          (code & 0x7f) > 0x7c)
PX_SCALED(e2m3, 8, 0x3f, PX_VALUE(e2m3), 0)
PX_SCALED(e3m2, 8, 0x3f, PX_VALUE(e3m2), 0)
PX_SCALED(e2m1, 4, 0xf, PX_VALUE(e2m1), 0)
PX_SCALED(s2f6, 8, 0xff, (double)(int32_t)(int8_t)code * 0x1p-6, 0)

/* ---- .pzo: a zero is +0 ---- */

static inline uint16_t px_pzo_16(uint16_t a)
{
    return (uint16_t)(a & 0x7fffu ? a : 0);
}
static inline uint32_t px_pzo_16x2(uint32_t a)
{
    return px_pzo_16((uint16_t)a) | (uint32_t)px_pzo_16((uint16_t)(a >> 16)) << 16;
}
static inline uint32_t px_pzo_32(uint32_t a)
{
    return a & 0x7fffffffu ? a : 0;
}

/* ---- packed arithmetic of two formats (PTX ISA 9.7.5) ---- */

static inline uint64_t px_f32x2_of_f16x2(uint32_t a)
{
    return px_join_f32x2(px_lo_f16x2(a, 0), px_hi_f16x2(a, 0));
}
static inline uint64_t px_f32x2_of_bf16x2(uint32_t a)
{
    return px_join_f32x2(px_lo_bf16x2(a), px_hi_bf16x2(a));
}
/* What was cut to f32 is cut again; .ftz, which f16 has with it, leaves no subnormals. */
static inline uint32_t px_f16x2_of_f32x2(uint64_t a)
{
    return px_flush_f16(px_f16_of_float(PX_LOW32(a), PX_RZ), 1) |
           (uint32_t)px_flush_f16(px_f16_of_float(PX_HIGH32(a), PX_RZ), 1) << 16;
}
static inline uint32_t px_bf16x2_of_f32x2(uint64_t a)
{
    return px_bf16_of_float(PX_LOW32(a), PX_RZ) | (uint32_t)px_bf16_of_float(PX_HIGH32(a), PX_RZ) << 16;
}
/* A product of two halves has at most 19 bits. */
static inline uint32_t px_mul_bf16x2_f16x2(uint32_t a, uint32_t b)
{
    const double low = (double)px_lo_bf16x2(a) * (double)px_lo_f16x2(b, 0);
    const double high = (double)px_hi_bf16x2(a) * (double)px_hi_f16x2(b, 0);
    return px_bf16_of_double(low, PX_RN) | (uint32_t)px_bf16_of_double(high, PX_RN) << 16;
}
static inline uint32_t px_mul_f16x2_bf16x2(uint32_t a, uint32_t b)
{
    const double low = (double)px_lo_f16x2(a, 0) * (double)px_lo_bf16x2(b);
    const double high = (double)px_hi_f16x2(a, 0) * (double)px_hi_bf16x2(b);
    return px_f16_of_double(low, PX_RN) | (uint32_t)px_f16_of_double(high, PX_RN) << 16;
}

#endif
