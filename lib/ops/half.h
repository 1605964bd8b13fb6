/*
 * half.h - f16 and bf16 as bits: conversions and arithmetic of one lane.
 *
 * Sums and products of halves are exact, or rounded innocuously, in the wider
 * format (Figueroa: p' >= 2p + 2), so one operation there and one rounding here
 * give the correctly rounded result. A fused multiply-add is formed in double;
 * where that is inexact its last bit is made sticky (round to odd), which makes
 * the final rounding correct. NaN results are canonical: 0x7fff.
 */
#ifndef PX_OPS_HALF_H
#define PX_OPS_HALF_H

#include "ops/float.h"

enum { PX_RN, PX_RZ, PX_RM, PX_RP };
#define PX_NAN16 0x7fffu

/*
 * A value of `ftype` (F fraction bits, least normal exponent -bias + 1; U and I are the integers of its size)
 * rounded to a format with `p` fraction bits and least normal exponent `emin`: bits as in the format, with
 * `inf` for infinity's magnitude.
 */
#define PX_NARROW(name, ftype, U, I, bits, F, bias)                                                          \
    static inline uint16_t name(ftype x, int p, I emin, U inf, int mode)                                     \
    {                                                                                                        \
        const U one = 1, infinite = (U)(2 * bias + 1) << F, most = sizeof(U) * 8 - 2;                        \
        U u = bits(x), sign = u >> (sizeof(U) * 8 - 1), mag = u & ~(one << (sizeof(U) * 8 - 1));             \
        I e = (mag >> F ? (I)(mag >> F) : 1) - bias, under = e < emin ? emin - e : 0;                        \
        U m = (mag & ((one << F) - 1)) | (mag >> F ? one << F : 0);                                          \
        U s = (U)(F - p + under);                                                                            \
        s = s > most ? most : s;                                                                             \
        U q = m >> s, rem = m & ((one << s) - 1), half = one << (s - 1);                                     \
        U up = mode == PX_RN   ? (rem > half) | ((rem == half) & (q & 1))                                    \
               : mode == PX_RZ ? 0                                                                           \
               : mode == PX_RM ? sign & (rem != 0)                                                           \
                               : !sign & (rem != 0);                                                         \
        U r = (under ? 0 : (U)(e - emin) << p) + q + up;                                                     \
        U away = mode == PX_RN || (mode == PX_RM && sign) || (mode == PX_RP && !sign);                       \
        r = r >= inf ? (away || mag == infinite ? inf : inf - 1) : r;                                        \
        r = mag >= infinite ? inf : r;                                                                       \
        return (uint16_t)(mag > infinite ? PX_NAN16 : r | sign << 15);                                       \
    }
PX_NARROW(px_narrow_f64, double, uint64_t, int64_t, px_bits_f64, 52, 1023)
PX_NARROW(px_narrow_f32, float, uint32_t, int32_t, px_bits_f32, 23, 127)

/* For .ftz: a sum or product that rounds to less than 2^-14 when the exponent is not bounded is flushed. */
static inline uint16_t px_f16_flushed_f64(double x, int ftz)
{
    uint16_t r = px_narrow_f64(x, 10, -14, 0x7c00, PX_RN);
    return (uint16_t)(ftz && __builtin_fabs(x) < 0x1.ffep-15 ? r & 0x8000u : r);
}
static inline uint16_t px_f16_flushed_f32(float x, int ftz)
{
    uint16_t r = px_narrow_f32(x, 10, -14, 0x7c00, PX_RN);
    return (uint16_t)(ftz && __builtin_fabsf(x) < 0x1.ffep-15f ? r & 0x8000u : r);
}
/* The NaN of a format with p fraction bits that a NaN of f64 becomes: quiet, with its sign and upper payload.
 */
static inline uint16_t px_half_nan(uint64_t u, int p, uint32_t inf)
{
    return (uint16_t)((u >> 63) << 15 | inf | (u >> (52 - p) & ((1u << p) - 1)) | 1u << (p - 1));
}
static inline uint16_t px_f16_of_double(double x, int mode)
{
    return px_narrow_f64(x, 10, -14, 0x7c00, mode);
}
static inline uint16_t px_bf16_of_double(double x, int mode)
{
    return px_narrow_f64(x, 7, -126, 0x7f80, mode);
}
static inline uint16_t px_f16_of_float(float x, int mode)
{
    return px_narrow_f32(x, 10, -14, 0x7c00, mode);
}
static inline uint16_t px_bf16_of_float(float x, int mode)
{
    return px_narrow_f32(x, 7, -126, 0x7f80, mode);
}

/* f16 to f32 by shifting into place; subnormals through an exact integer conversion. */
static inline float px_f32_of_f16(uint16_t h)
{
    uint32_t x = h & 0x7fffu, sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t sub = px_bits_f32((float)(int32_t)x * 0x1p-24f);
    uint32_t normal = (x << 13) + (112u << 23);
    uint32_t r = x < 0x400u ? sub : x >= 0x7c00u ? normal + (112u << 23) : normal;
    r = x > 0x7c00u ? PX_NAN32 : r | sign;
    return px_float_b32(r);
}
/* Compares as the f16 does: the magnitude as a whole number. Half the work of its value. */
static inline float px_rank_f16(uint16_t h)
{
    uint32_t x = h & 0x7fffu, r = px_bits_f32((float)(int32_t)x);
    return px_float_b32((x > 0x7c00u ? PX_NAN32 : r) | (uint32_t)(h & 0x8000u) << 16);
}
static inline float px_f32_of_bf16(uint16_t h)
{
    return px_float_b32((uint32_t)h << 16);
}
static inline float px_lo_bf16x2(uint32_t a)
{
    return px_f32_of_bf16((uint16_t)a);
}
static inline float px_hi_bf16x2(uint32_t a)
{
    return px_f32_of_bf16((uint16_t)(a >> 16));
}

static inline uint32_t px_is_nan_f16(uint16_t a)
{
    return (a & 0x7fffu) > 0x7c00u;
}
static inline uint32_t px_is_nan_bf16(uint16_t a)
{
    return (a & 0x7fffu) > 0x7f80u;
}
static inline uint16_t px_flush_f16(uint16_t a, int ftz)
{
    return (uint16_t)(ftz && !(a & 0x7c00u) ? a & 0x8000u : a);
}
static inline uint16_t px_flush_bf16(uint16_t a, int ftz)
{
    return (uint16_t)(ftz && !(a & 0x7f80u) ? a & 0x8000u : a);
}
static inline float px_lo_f16x2(uint32_t a, int ftz)
{
    return px_f32_of_f16(px_flush_f16((uint16_t)a, ftz));
}
static inline float px_lo_rank(uint32_t a, int ftz)
{
    return px_rank_f16(px_flush_f16((uint16_t)a, ftz));
}
static inline float px_hi_rank(uint32_t a, int ftz)
{
    return px_rank_f16(px_flush_f16((uint16_t)(a >> 16), ftz));
}
static inline float px_hi_f16x2(uint32_t a, int ftz)
{
    return px_f32_of_f16(px_flush_f16((uint16_t)(a >> 16), ftz));
}
/* .sat: [0, 1], NaN to 0; .relu: negative to 0, NaN stays. */
static inline uint16_t px_sat_f16(uint16_t a)
{
    return (uint16_t)(px_is_nan_f16(a) || a >> 15 ? 0 : a > 0x3c00u ? 0x3c00u : a);
}
static inline uint16_t px_relu_16(uint16_t a)
{
    return (uint16_t)(a >> 15 ? 0 : a); /* the canonical NaN is positive */
}

/* x = a*b + c in double, sticky. a*b is exact: at most 22 bits. */
static inline double px_fma_sticky(float a, float b, float c)
{
    double p = (double)a * (double)b, s = p + (double)c;
    double back = s - p, err = (p - (s - back)) + ((double)c - back);
    uint64_t u = px_bits_f64(s), even = !(u & 1);
    uint64_t toward = ((err > 0) == (s > 0)) ? u + 1 : u - 1;
    uint64_t inexact = (err != 0) & ((u & 0x7ff0000000000000u) != 0x7ff0000000000000u) & (s != 0);
    return px_float_b64(inexact & even ? toward : u);
}

/* ---- arithmetic ---- */

#define PX_F16_OP(name, op)                                                                                  \
    static inline uint16_t px_##name##_f16(uint16_t a, uint16_t b, int ftz, int sat)                         \
    {                                                                                                        \
        float x = px_f32_of_f16(px_flush_f16(a, ftz)), y = px_f32_of_f16(px_flush_f16(b, ftz));              \
        uint16_t r = px_f16_flushed_f32(x op y, ftz);                                                        \
        return sat ? px_sat_f16(r) : r;                                                                      \
    }                                                                                                        \
    static inline uint32_t px_##name##_f16x2(uint32_t a, uint32_t b, int ftz, int sat)                       \
    {                                                                                                        \
        return px_##name##_f16((uint16_t)a, (uint16_t)b, ftz, sat) |                                         \
               (uint32_t)px_##name##_f16((uint16_t)(a >> 16), (uint16_t)(b >> 16), ftz, sat) << 16;          \
    }                                                                                                        \
    static inline uint16_t px_##name##_bf16(uint16_t a, uint16_t b)                                          \
    {                                                                                                        \
        return px_bf16_of_double((double)px_f32_of_bf16(a) op(double) px_f32_of_bf16(b), PX_RN);             \
    }                                                                                                        \
    static inline uint32_t px_##name##_bf16x2(uint32_t a, uint32_t b)                                        \
    {                                                                                                        \
        return px_##name##_bf16((uint16_t)a, (uint16_t)b) |                                                  \
               (uint32_t)px_##name##_bf16((uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16;                   \
    }
PX_F16_OP(add, +)
PX_F16_OP(sub, -)
PX_F16_OP(mul, *)

static inline uint16_t px_fma_f16(uint16_t a, uint16_t b, uint16_t c, int ftz, int sat, int relu)
{
    float x = px_f32_of_f16(px_flush_f16(a, ftz)), y = px_f32_of_f16(px_flush_f16(b, ftz));
    float z = px_f32_of_f16(px_flush_f16(c, ftz));
    uint16_t r = px_f16_flushed_f64(px_fma_sticky(x, y, z), ftz);
    return sat ? px_sat_f16(r) : relu ? px_relu_16(r) : r;
}
static inline uint32_t px_fma_f16x2(uint32_t a, uint32_t b, uint32_t c, int ftz, int sat, int relu)
{
    return px_fma_f16((uint16_t)a, (uint16_t)b, (uint16_t)c, ftz, sat, relu) |
           (uint32_t)px_fma_f16((uint16_t)(a >> 16), (uint16_t)(b >> 16), (uint16_t)(c >> 16), ftz, sat, relu)
               << 16;
}
static inline uint16_t px_fma_bf16(uint16_t a, uint16_t b, uint16_t c, int relu)
{
    double s = px_fma_sticky(px_f32_of_bf16(a), px_f32_of_bf16(b), px_f32_of_bf16(c));
    uint16_t r = px_bf16_of_double(s, PX_RN);
    return relu ? px_relu_16(r) : r;
}
static inline uint32_t px_fma_bf16x2(uint32_t a, uint32_t b, uint32_t c, int relu)
{
    return px_fma_bf16((uint16_t)a, (uint16_t)b, (uint16_t)c, relu) |
           (uint32_t)px_fma_bf16((uint16_t)(a >> 16), (uint16_t)(b >> 16), (uint16_t)(c >> 16), relu) << 16;
}

/* .oob: a result is 0 when a factor is the out-of-bounds NaN, 0x7ff7 of either sign in both formats (found on
 * a chip). */
#define PX_FMA_OOB(type, call)                                                                               \
    static inline uint16_t px_fma_oob_##type(uint16_t a, uint16_t b, uint16_t c, int relu)                   \
    {                                                                                                        \
        return (uint16_t)((a & 0x7fffu) == 0x7ff7u || (b & 0x7fffu) == 0x7ff7u ? 0 : call);                  \
    }                                                                                                        \
    static inline uint32_t px_fma_oob_##type##x2(uint32_t a, uint32_t b, uint32_t c, int relu)               \
    {                                                                                                        \
        return px_fma_oob_##type((uint16_t)a, (uint16_t)b, (uint16_t)c, relu) |                              \
               (uint32_t)px_fma_oob_##type((uint16_t)(a >> 16), (uint16_t)(b >> 16), (uint16_t)(c >> 16),    \
                                           relu)                                                             \
                   << 16;                                                                                    \
    }
PX_FMA_OOB(f16, px_fma_f16(a, b, c, 0, 0, relu))
PX_FMA_OOB(bf16, px_fma_bf16(a, b, c, relu))
PX_FMA_OOB(sat_f16, px_fma_f16(a, b, c, 0, 1, relu))

/* ---- sign, min, max ---- */

#define PX_HALF_SIGN(type)                                                                                   \
    static inline uint16_t px_neg_##type(uint16_t a, int ftz)                                                \
    {                                                                                                        \
        return (uint16_t)(px_is_nan_##type(a) ? PX_NAN16 : px_flush_##type(a, ftz) ^ 0x8000u);               \
    }                                                                                                        \
    static inline uint16_t px_abs_##type(uint16_t a, int ftz)                                                \
    {                                                                                                        \
        return (uint16_t)(px_is_nan_##type(a) ? PX_NAN16 : px_flush_##type(a, ftz) & 0x7fffu);               \
    }                                                                                                        \
    static inline uint32_t px_neg_##type##x2(uint32_t a, int ftz)                                            \
    {                                                                                                        \
        return px_neg_##type((uint16_t)a, ftz) | (uint32_t)px_neg_##type((uint16_t)(a >> 16), ftz) << 16;    \
    }                                                                                                        \
    static inline uint32_t px_abs_##type##x2(uint32_t a, int ftz)                                            \
    {                                                                                                        \
        return px_abs_##type((uint16_t)a, ftz) | (uint32_t)px_abs_##type((uint16_t)(a >> 16), ftz) << 16;    \
    }
PX_HALF_SIGN(f16)
PX_HALF_SIGN(bf16)

static inline int32_t px_order16(uint32_t u)
{
    int32_t x = (int16_t)u;
    return x < 0 ? (int32_t)(x ^ 0x7fff) : x;
}
#define PX_HALF_MINMAX(type, name, max)                                                                      \
    static inline uint16_t px_##name##_##type(uint16_t a, uint16_t b, int ftz, int nan, int xorsign)         \
    {                                                                                                        \
        uint32_t x = px_flush_##type(a, ftz), y = px_flush_##type(b, ftz), sign = 0;                         \
        uint32_t xn = px_is_nan_##type(a), yn = px_is_nan_##type(b);                                         \
        if (xorsign) {                                                                                       \
            sign = (x ^ y) & 0x8000u;                                                                        \
            x &= 0x7fffu;                                                                                    \
            y &= 0x7fffu;                                                                                    \
        }                                                                                                    \
        uint32_t r = (px_order16(x) < px_order16(y)) != max ? x : y;                                         \
        r = xn ? y : yn ? x : r;                                                                             \
        return (uint16_t)((xn & yn) | (nan ? xn | yn : 0) ? PX_NAN16 : r | sign);                            \
    }                                                                                                        \
    static inline uint32_t px_##name##_##type##x2(uint32_t a, uint32_t b, int ftz, int nan, int xorsign)     \
    {                                                                                                        \
        return px_##name##_##type((uint16_t)a, (uint16_t)b, ftz, nan, xorsign) |                             \
               (uint32_t)px_##name##_##type((uint16_t)(a >> 16), (uint16_t)(b >> 16), ftz, nan, xorsign)     \
                   << 16;                                                                                    \
    }
PX_HALF_MINMAX(f16, min, 0)
PX_HALF_MINMAX(f16, max, 1)
PX_HALF_MINMAX(bf16, min, 0)
PX_HALF_MINMAX(bf16, max, 1)

#endif
