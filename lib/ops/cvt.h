/*
 * cvt.h - conversions of one lane (PTX ISA 9.7.9.22).
 *
 * Float to integer: rounded as named, clamped to the type. A NaN gives 0, but
 * 1 << (bits - 1) when the source is f64 or the destination has 64 bits.
 */
#ifndef PX_OPS_CVT_H
#define PX_OPS_CVT_H

#include "ops/half.h"

/* ---- to an integral value ---- */

static inline float px_round_rni_f32(float a)
{
    return __builtin_rintf(a); /* the mode of .rni records is to nearest */
}
static inline float px_round_rzi_f32(float a)
{
    return __builtin_truncf(a);
}
static inline float px_round_rmi_f32(float a)
{
    return __builtin_floorf(a);
}
static inline float px_round_rpi_f32(float a)
{
    return __builtin_ceilf(a);
}
/* C leaves open what becomes of a signalling NaN. */
static inline double px_round_quiet(double a)
{
    uint64_t u = px_bits_f64(a);
    return px_is_nan64(u) ? px_float_b64(px_quiet64(u)) : a;
}
static inline double px_round_rni_f64(double a)
{
    return px_round_quiet(__builtin_rint(a));
}
static inline double px_round_rzi_f64(double a)
{
    return px_round_quiet(__builtin_trunc(a));
}
static inline double px_round_rmi_f64(double a)
{
    return px_round_quiet(__builtin_floor(a));
}
static inline double px_round_rpi_f64(double a)
{
    return px_round_quiet(__builtin_ceil(a));
}
static inline uint16_t px_round_rni_f16(uint16_t a)
{
    return px_f16_of_float(px_round_rni_f32(px_f32_of_f16(a)), PX_RN);
}
static inline uint16_t px_round_rzi_f16(uint16_t a)
{
    return px_f16_of_float(px_round_rzi_f32(px_f32_of_f16(a)), PX_RN);
}
static inline uint16_t px_round_rmi_f16(uint16_t a)
{
    return px_f16_of_float(px_round_rmi_f32(px_f32_of_f16(a)), PX_RN);
}
static inline uint16_t px_round_rpi_f16(uint16_t a)
{
    return px_f16_of_float(px_round_rpi_f32(px_f32_of_f16(a)), PX_RN);
}

/* ---- to integers ---- */

/* low: least value; over: first value that is too large, a power of two. Out of range lanes convert 0
 * instead. */
#define PX_TO_INT(round, I, type, low, over, least, most, nan, F, ftype)                                     \
    static inline type px_cvt_##round##_##I##_##F(ftype a)                                                   \
    {                                                                                                        \
        ftype x = px_round_##round##_##F(a);                                                                 \
        int small = x < (ftype)(low), big = x >= (ftype)(over), bad = a != a;                                \
        type v = (type)(small | big | bad ? (ftype)0 : x);                                                   \
        return bad ? (type)(nan) : small ? (type)(least) : big ? (type)(most) : v;                           \
    }
/* Where the float has all values of the type: clamped before it is converted, by way of `word`. */
#define PX_TO_LESS(round, I, type, word, least, most, nan, F, ftype)                                         \
    static inline type px_cvt_##round##_##I##_##F(ftype a)                                                   \
    {                                                                                                        \
        ftype x = px_round_##round##_##F(a);                                                                 \
        x = x > (ftype)(least) ? x : (ftype)(least);                                                         \
        x = x < (ftype)(most) ? x : (ftype)(most);                                                           \
        return (type)(word)(a != a ? (ftype)(nan) : x);                                                      \
    }
#define PX_TO_INTS(round, F, ftype, nan)                                                                     \
    PX_TO_LESS(round, u8, uint8_t, int32_t, 0, UINT8_MAX, nan ? 0x80 : 0, F, ftype)                          \
    PX_TO_LESS(round, u16, uint16_t, int32_t, 0, UINT16_MAX, nan ? 0x8000 : 0, F, ftype)                     \
    PX_TO_INT(round, u64, uint64_t, 0, 18446744073709551616.0, 0, UINT64_MAX, 0x8000000000000000u, F, ftype) \
    PX_TO_LESS(round, s8, int8_t, int32_t, INT8_MIN, INT8_MAX, nan ? INT8_MIN : 0, F, ftype)                 \
    PX_TO_LESS(round, s16, int16_t, int32_t, INT16_MIN, INT16_MAX, nan ? INT16_MIN : 0, F, ftype)            \
    PX_TO_INT(round, s64, int64_t, -9223372036854775808.0, 9223372036854775808.0, INT64_MIN, INT64_MAX,      \
              INT64_MIN, F, ftype)
#define PX_ROUNDINGS(round)                                                                                  \
    PX_TO_INTS(round, f32, float, 0)                                                                         \
    PX_TO_INT(round, u32, uint32_t, 0, 4294967296.0, 0, UINT32_MAX, 0, f32, float)                           \
    PX_TO_INT(round, s32, int32_t, -2147483648.0, 2147483648.0, INT32_MIN, INT32_MAX, 0, f32, float)         \
    PX_TO_INTS(round, f64, double, 1)                                                                        \
    PX_TO_LESS(round, u32, uint32_t, uint32_t, 0, UINT32_MAX, 0x80000000u, f64, double)                      \
    PX_TO_LESS(round, s32, int32_t, int32_t, INT32_MIN, INT32_MAX, INT32_MIN, f64, double)
PX_ROUNDINGS(rni)
PX_ROUNDINGS(rzi)
PX_ROUNDINGS(rmi)
PX_ROUNDINGS(rpi)

/* ---- between floats ---- */

/* The value of float bits, whatever the mode: subnormals by an exact integer conversion. NaNs keep their
 * payload. */
static inline double px_double_b32(uint32_t u)
{
    uint64_t sign = (uint64_t)(u >> 31) << 63, mag = u & 0x7fffffffu;
    uint64_t small = px_bits_f64((double)(int32_t)mag * 0x1p-149);
    uint64_t normal = (mag << 29) + (mag < 0x7f800000u ? (uint64_t)896 << 52 : (uint64_t)1792 << 52);
    return px_float_b64((mag < 0x00800000u ? small : normal) | sign);
}

/* f32 to f64: .ftz makes a NaN canonical on its way, without it the payload stays. */
static inline uint64_t px_cvt_f64_f32(uint32_t a, int ftz, int sat)
{
    a = px_flush32(a, ftz);
    uint64_t r = px_bits_f64(px_double_b32(ftz && px_is_nan32(a) ? PX_NAN32 : a));
    r = px_is_nan64(r) ? px_quiet64(r) : r;
    return sat ? px_bits_f64(px_sat_f64(px_float_b64(r))) : r;
}

/* f32 to f32 without rounding: a move, but .ftz and .sat compute. */
static inline uint32_t px_cvt_f32_f32(uint32_t a, int ftz, int sat)
{
    if (!ftz && !sat) return a;
    a = px_is_nan32(a) ? PX_NAN32 : px_flush32(a, ftz);
    return sat ? px_bits_f32(px_sat_f32(px_float_b32(a))) : a;
}

/* bf16 to f32: the upper half, NaNs and all; .ftz computes. */
static inline uint32_t px_cvt_f32_bf16(uint16_t a, int ftz)
{
    uint32_t u = (uint32_t)a << 16;
    return ftz ? px_cvt_f32_f32(u, 1, 0) : u;
}

/* f64 to f32 under the mode: a NaN keeps sign and upper payload, and becomes quiet. */
static inline uint32_t px_cvt_f32_f64(uint64_t a, int sat)
{
    uint32_t nan = (uint32_t)(a >> 63) << 31 | 0x7fc00000u | (uint32_t)(a >> 29 & 0x3fffffu);
    float x = (float)px_float_b64(a);
    uint32_t r = px_is_nan64(a) ? nan : px_bits_f32(x);
    return sat ? px_bits_f32(px_sat_f32(px_float_b32(r))) : r;
}

/* ---- to halves ---- */

static inline uint16_t px_cvt_finish_f16(uint16_t r, int sat)
{
    return sat ? px_sat_f16(r) : r;
}
#define PX_TO_HALF(name, mode)                                                                               \
    static inline uint16_t px_cvt_##name##_f16_f32(float a, int sat)                                         \
    {                                                                                                        \
        return px_cvt_finish_f16(px_f16_of_float(a, mode), sat);                                             \
    }                                                                                                        \
    static inline uint16_t px_cvt_##name##_f16_f64(double a, int sat)                                        \
    {                                                                                                        \
        uint64_t u = px_bits_f64(a);                                                                         \
        uint16_t r = px_is_nan64(u) ? px_half_nan(u, 10, 0x7c00) : px_f16_of_double(a, mode);                \
        return px_cvt_finish_f16(r, sat);                                                                    \
    }                                                                                                        \
    static inline uint16_t px_cvt_bf16_f64_##name(double a)                                                  \
    {                                                                                                        \
        uint64_t u = px_bits_f64(a);                                                                         \
        return px_is_nan64(u) ? px_half_nan(u, 7, 0x7f80) : px_bf16_of_double(a, mode);                      \
    }                                                                                                        \
    static inline uint16_t px_cvt_bf16_f32_##name(float a, int relu)                                         \
    {                                                                                                        \
        uint16_t r = px_bf16_of_float(a, mode);                                                              \
        return relu ? px_relu_16(r) : r;                                                                     \
    }
PX_TO_HALF(rn, PX_RN)
PX_TO_HALF(rz, PX_RZ)
PX_TO_HALF(rm, PX_RM)
PX_TO_HALF(rp, PX_RP)

static inline double px_cvt_f64_f16(uint16_t a)
{
    uint64_t nan = (uint64_t)(a >> 15) << 63 | 0x7ff8000000000000u | (uint64_t)(a & 0x1ffu) << 42;
    return px_is_nan_f16(a) ? px_float_b64(nan) : (double)px_f32_of_f16(a);
}

#endif
