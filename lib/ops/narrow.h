/*
 * narrow.h - conversions to and from the formats that only conversions and matrices know: bf16 beyond f32,
 * tf32, 8-bit floats, packed small integers (PTX ISA 9.7.9.22). Everything is bits; results are those of an
 * sm_90 chip.
 */
#ifndef PX_OPS_NARROW_H
#define PX_OPS_NARROW_H

#include "ops/cvt.h"

/* ---- halves of one kind ---- */

static inline uint16_t px_round_none_f16(uint16_t a)
{
    return (uint16_t)(px_is_nan_f16(a) ? PX_NAN16 : a);
}
static inline uint16_t px_round_none_bf16(uint16_t a)
{
    return (uint16_t)(px_is_nan_bf16(a) ? PX_NAN16 : a);
}
#define PX_ROUND_BF16(round)                                                                                 \
    static inline uint16_t px_round_##round##_bf16(uint16_t a)                                               \
    {                                                                                                        \
        return px_bf16_of_float(px_round_##round##_f32(px_f32_of_bf16(a)), PX_RN);                           \
    }
PX_ROUND_BF16(rni)
PX_ROUND_BF16(rzi)
PX_ROUND_BF16(rmi)
PX_ROUND_BF16(rpi)

/* ---- bf16 and the other formats ---- */

/* An integer as a double whose last bit is sticky: enough for any rounding to 16 bits, in any mode. */
static inline double px_sticky_u64(uint64_t a)
{
    uint64_t low = a & 0xfff, kept = a >> 12 << 12 | (low ? 0x800u : 0);
    return a >> 53 ? (double)(int64_t)(kept >> 11) * 2048.0 : (double)(int64_t)a;
}
static inline double px_sticky_s64(int64_t a)
{
    double x = px_sticky_u64(a < 0 ? 0 - (uint64_t)a : (uint64_t)a);
    return a < 0 ? -x : x;
}

static inline uint16_t px_cvt_bf16_f16(uint16_t a, int mode)
{
    return px_bf16_of_float(px_f32_of_f16(a), mode);
}
static inline uint16_t px_cvt_f16_bf16(uint16_t a, int mode)
{
    return px_f16_of_float(px_f32_of_bf16(a), mode);
}
static inline double px_cvt_f64_bf16(uint16_t a, int mode)
{
    (void)mode;
    return px_float_b64(px_cvt_f64_f32((uint32_t)a << 16, 0, 0));
}

/* .relu and .satfinite: negative to +0; beyond the largest value, and infinity, to the largest; NaN stays. */
static inline uint16_t px_limit_16(uint16_t r, uint32_t inf, int relu, int finite)
{
    uint32_t mag = r & 0x7fffu;
    uint16_t x = (uint16_t)(finite && mag == inf ? (r & 0x8000u) | (inf - 1) : r);
    return relu ? px_relu_16(x) : x;
}
static inline uint16_t px_cvt_limit_f16(float a, int mode, int relu, int finite)
{
    return px_limit_16(px_f16_of_float(a, mode), 0x7c00, relu, finite);
}
static inline uint16_t px_cvt_limit_bf16(float a, int mode, int relu, int finite)
{
    return px_limit_16(px_bf16_of_float(a, mode), 0x7f80, relu, finite);
}

/* a to the upper half, b to the lower. */
#define PX_PACK(type)                                                                                        \
    static inline uint32_t px_pack_limit_##type##x2(float a, float b, int mode, int relu, int finite)        \
    {                                                                                                        \
        return px_cvt_limit_##type(b, mode, relu, finite) |                                                  \
               (uint32_t)px_cvt_limit_##type(a, mode, relu, finite) << 16;                                   \
    }
PX_PACK(f16)
PX_PACK(bf16)

/* ---- tf32: f32 with 10 fraction bits ---- */

/* Halves away from zero. A NaN is cut, not rounded; .satfinite steps back from infinity, and from NaNs too.
 */
static inline uint32_t px_cvt_tf32_rna(uint32_t a, int finite)
{
    uint32_t mag = a & 0x7fffffffu, r = (mag > 0x7f800000u ? mag : mag + 0x1000u) & ~0x1fffu;
    r = finite && r >= 0x7f800000u ? r - 0x2000u : r;
    return r | (a & 0x80000000u);
}
static inline uint32_t px_cvt_tf32(uint32_t a, int nearest, int relu)
{
    uint32_t mag = a & 0x7fffffffu, up = nearest ? 0xfffu + (mag >> 13 & 1) : 0, r = (mag + up) & ~0x1fffu;
    if (mag > 0x7f800000u) return 0x7fffe000u;
    return relu && a >> 31 ? 0 : r | (a & 0x80000000u);
}
/* .satfinite: beyond the largest number it is the largest. */
static inline uint32_t px_cvt_tf32_finite(uint32_t a, int nearest, int relu)
{
    const uint32_t r = px_cvt_tf32(a, nearest, relu);
    return (r & 0x7fffffffu) == 0x7f800000u ? r - 0x2000u : r;
}

/* ---- 8-bit floats, two to 16 bits ---- */

/* Always .satfinite; NaN is 0x7f. `inf` is the first code that is no finite value. */
static inline uint16_t px_f8(float a, int p, int32_t emin, uint32_t inf, int relu)
{
    uint32_t r = px_narrow_f32(a, p, emin, inf, PX_RN), mag = r & 0x7fu;
    uint32_t code = (r >> 15) << 7 | (mag >= inf ? inf - 1 : mag);
    return (uint16_t)(a != a ? 0x7fu : relu && code >> 7 ? 0 : code);
}
static inline uint16_t px_cvt_e4m3x2(float high, float low, int relu)
{
    return (uint16_t)(px_f8(high, 3, -6, 0x7f, relu) << 8 | px_f8(low, 3, -6, 0x7f, relu));
}
static inline uint16_t px_cvt_e5m2x2(float high, float low, int relu)
{
    return (uint16_t)(px_f8(high, 2, -14, 0x7c, relu) << 8 | px_f8(low, 2, -14, 0x7c, relu));
}
static inline uint16_t px_f16_of_e4m3(uint32_t a, int relu)
{
    uint32_t mag = a & 0x7fu, e = mag >> 3, m = mag & 7;
    float x = e ? (float)(int32_t)(8 + m) * px_float_b32((e + 117) << 23) : (float)(int32_t)m * 0x1p-9f;
    uint32_t r = mag == 0x7f ? PX_NAN16 : px_f16_of_float(x, PX_RN) | (a & 0x80u) << 8;
    return (uint16_t)(relu ? px_relu_16((uint16_t)r) : r);
}
static inline uint16_t px_f16_of_e5m2(uint32_t a, int relu)
{
    uint32_t r = (a & 0x7fu) > 0x7cu ? PX_NAN16 : (a & 0xffu) << 8;
    return (uint16_t)(relu ? px_relu_16((uint16_t)r) : r);
}
static inline uint32_t px_cvt_f16x2_e4m3x2(uint16_t a, int relu)
{
    return px_f16_of_e4m3(a, relu) | (uint32_t)px_f16_of_e4m3(a >> 8, relu) << 16;
}
static inline uint32_t px_cvt_f16x2_e5m2x2(uint16_t a, int relu)
{
    return px_f16_of_e5m2(a, relu) | (uint32_t)px_f16_of_e5m2(a >> 8, relu) << 16;
}

/* ---- cvt.pack: two clamped integers of `bits` bits below what c shifted up leaves ---- */

static inline uint32_t px_cvt_pack(int32_t a, int32_t b, uint32_t c, unsigned bits, int sign)
{
    int32_t least = sign ? -(1 << (bits - 1)) : 0, most = (1 << (sign ? bits - 1 : bits)) - 1;
    uint32_t mask = (1u << bits) - 1;
    a = a < least ? least : a > most ? most : a;
    b = b < least ? least : b > most ? most : b;
    return (bits < 16 ? c << (2 * bits & 31) : 0) | ((uint32_t)a & mask) << bits | ((uint32_t)b & mask);
}

#endif
