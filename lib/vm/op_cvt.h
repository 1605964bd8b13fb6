/*
 * op_cvt.h - conversions of one lane (PTX ISA 9.7.9.22).
 *
 * Float to integer: rounded as named, clamped to the type. A NaN gives 0, but
 * 1 << (bits - 1) when the source is f64 or the destination has 64 bits.
 */
#ifndef PX_VM_OP_CVT_H
#define PX_VM_OP_CVT_H

#include "vm/op_half.h"

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
static inline double px_round_rni_f64(double a)
{
    return __builtin_rint(a);
}
static inline double px_round_rzi_f64(double a)
{
    return __builtin_trunc(a);
}
static inline double px_round_rmi_f64(double a)
{
    return __builtin_floor(a);
}
static inline double px_round_rpi_f64(double a)
{
    return __builtin_ceil(a);
}
static inline uint16_t px_round_rni_f16(uint16_t a)
{
    return px_f16_of_double(px_round_rni_f32(px_f32_of_f16(a)), PX_RN);
}
static inline uint16_t px_round_rzi_f16(uint16_t a)
{
    return px_f16_of_double(px_round_rzi_f32(px_f32_of_f16(a)), PX_RN);
}
static inline uint16_t px_round_rmi_f16(uint16_t a)
{
    return px_f16_of_double(px_round_rmi_f32(px_f32_of_f16(a)), PX_RN);
}
static inline uint16_t px_round_rpi_f16(uint16_t a)
{
    return px_f16_of_double(px_round_rpi_f32(px_f32_of_f16(a)), PX_RN);
}

/* ---- to integers ---- */

/* low: least value; over: first value that is too large, a power of two. Out of range lanes convert 0 instead. */
#define PX_TO_INT(round, I, type, low, over, least, most, nan, F, ftype)                                    \
    static inline type px_cvt_##round##_##I##_##F(ftype a)                                                  \
    {                                                                                                       \
        ftype x = px_round_##round##_##F(a);                                                                \
        int small = x < (ftype)(low), big = x >= (ftype)(over), bad = a != a;                               \
        type v = (type)(small | big | bad ? (ftype)0 : x);                                                  \
        return bad ? (type)(nan) : small ? (type)(least) : big ? (type)(most) : v;                          \
    }
#define PX_TO_INTS(round, F, ftype, nan)                                                                    \
    PX_TO_INT(round, u8, uint8_t, 0, 256, 0, UINT8_MAX, nan ? 0x80 : 0, F, ftype)                           \
    PX_TO_INT(round, u16, uint16_t, 0, 65536, 0, UINT16_MAX, nan ? 0x8000 : 0, F, ftype)                    \
    PX_TO_INT(round, u32, uint32_t, 0, 4294967296.0, 0, UINT32_MAX, nan ? 0x80000000u : 0, F, ftype)        \
    PX_TO_INT(round, u64, uint64_t, 0, 18446744073709551616.0, 0, UINT64_MAX, 0x8000000000000000u, F, ftype) \
    PX_TO_INT(round, s8, int8_t, -128, 128, INT8_MIN, INT8_MAX, nan ? INT8_MIN : 0, F, ftype)               \
    PX_TO_INT(round, s16, int16_t, -32768, 32768, INT16_MIN, INT16_MAX, nan ? INT16_MIN : 0, F, ftype)      \
    PX_TO_INT(round, s32, int32_t, -2147483648.0, 2147483648.0, INT32_MIN, INT32_MAX, nan ? INT32_MIN : 0, F, ftype) \
    PX_TO_INT(round, s64, int64_t, -9223372036854775808.0, 9223372036854775808.0, INT64_MIN, INT64_MAX, INT64_MIN, F, ftype)
#define PX_HALF_TO_INT(round, I, type)                                                                      \
    static inline type px_cvt_##round##_##I##_f16(uint16_t a)                                               \
    {                                                                                                       \
        return px_cvt_##round##_##I##_f32(px_f32_of_f16(a));                                                \
    }
#define PX_ROUNDINGS(round)                                                                                 \
    PX_TO_INTS(round, f32, float, 0)                                                                        \
    PX_TO_INTS(round, f64, double, 1)                                                                       \
    PX_HALF_TO_INT(round, u8, uint8_t)                                                                      \
    PX_HALF_TO_INT(round, u16, uint16_t)                                                                    \
    PX_HALF_TO_INT(round, u32, uint32_t)                                                                    \
    PX_HALF_TO_INT(round, u64, uint64_t)                                                                    \
    PX_HALF_TO_INT(round, s8, int8_t)                                                                       \
    PX_HALF_TO_INT(round, s16, int16_t)                                                                     \
    PX_HALF_TO_INT(round, s32, int32_t)                                                                     \
    PX_HALF_TO_INT(round, s64, int64_t)
PX_ROUNDINGS(rni)
PX_ROUNDINGS(rzi)
PX_ROUNDINGS(rmi)
PX_ROUNDINGS(rpi)

/* ---- to halves ---- */

static inline uint16_t px_cvt_finish_f16(uint16_t r, int sat)
{
    return sat ? px_sat_f16(r) : r;
}
/* Integers beyond 2^53 are far beyond the largest half, so that double is exact where it matters. */
#define PX_INT_TO_HALF(name, mode, I, type)                                                                 \
    static inline uint16_t px_cvt_##name##_f16_##I(type a, int sat)                                         \
    {                                                                                                       \
        return px_cvt_finish_f16(px_f16_of_double((double)a, mode), sat);                                   \
    }
#define PX_TO_HALF(name, mode)                                                                              \
    static inline uint16_t px_cvt_##name##_f16_f32(float a, int ftz, int sat)                               \
    {                                                                                                       \
        float x = px_float_b32(px_flush32(px_bits_f32(a), ftz));                                            \
        return px_cvt_finish_f16(px_f16_of_double((double)x, mode), sat);                                   \
    }                                                                                                       \
    static inline uint16_t px_cvt_##name##_f16_f64(double a, int sat)                                       \
    {                                                                                                       \
        return px_cvt_finish_f16(px_f16_of_double(a, mode), sat);                                           \
    }                                                                                                       \
    PX_INT_TO_HALF(name, mode, u8, uint8_t)                                                                 \
    PX_INT_TO_HALF(name, mode, u16, uint16_t)                                                               \
    PX_INT_TO_HALF(name, mode, u32, uint32_t)                                                               \
    PX_INT_TO_HALF(name, mode, u64, uint64_t)                                                               \
    PX_INT_TO_HALF(name, mode, s8, int8_t)                                                                  \
    PX_INT_TO_HALF(name, mode, s16, int16_t)                                                                \
    PX_INT_TO_HALF(name, mode, s32, int32_t)                                                                \
    PX_INT_TO_HALF(name, mode, s64, int64_t)                                                                \
    static inline uint16_t px_cvt_bf16_f32_##name(float a, int relu)                                        \
    {                                                                                                       \
        uint16_t r = px_bf16_of_double((double)a, mode);                                                    \
        return relu ? px_relu_16(r) : r;                                                                    \
    }
PX_TO_HALF(rn, PX_RN)
PX_TO_HALF(rz, PX_RZ)
PX_TO_HALF(rm, PX_RM)
PX_TO_HALF(rp, PX_RP)

static inline double px_cvt_f64_f16(uint16_t a)
{
    return (double)px_f32_of_f16(a);
}

/* a to the upper half, b to the lower. */
#define PX_PACK(name, mode)                                                                                 \
    static inline uint32_t px_pack_f16x2_##name(float a, float b, int relu)                                 \
    {                                                                                                       \
        uint16_t high = px_f16_of_double((double)a, mode), low = px_f16_of_double((double)b, mode);         \
        high = relu ? px_relu_16(high) : high;                                                              \
        low = relu ? px_relu_16(low) : low;                                                                 \
        return low | (uint32_t)high << 16;                                                                  \
    }                                                                                                       \
    static inline uint32_t px_pack_bf16x2_##name(float a, float b, int relu)                                \
    {                                                                                                       \
        return px_cvt_bf16_f32_##name(b, relu) | (uint32_t)px_cvt_bf16_f32_##name(a, relu) << 16;           \
    }
PX_PACK(rn, PX_RN)
PX_PACK(rz, PX_RZ)

static inline uint32_t px_tanh_f16x2(uint32_t a)
{
    return px_approx_tanh_f16((uint16_t)a) | (uint32_t)px_approx_tanh_f16((uint16_t)(a >> 16)) << 16;
}
static inline uint32_t px_ex2_f16x2(uint32_t a)
{
    return px_approx_ex2_f16((uint16_t)a) | (uint32_t)px_approx_ex2_f16((uint16_t)(a >> 16)) << 16;
}
static inline uint32_t px_tanh_bf16x2(uint32_t a)
{
    return px_approx_tanh_bf16((uint16_t)a) | (uint32_t)px_approx_tanh_bf16((uint16_t)(a >> 16)) << 16;
}
static inline uint32_t px_ex2_bf16x2(uint32_t a)
{
    return px_approx_ex2_bf16((uint16_t)a) | (uint32_t)px_approx_ex2_bf16((uint16_t)(a >> 16)) << 16;
}

#endif
