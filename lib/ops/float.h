/*
 * float.h - single and double precision operations of one lane.
 *
 * Plain arithmetic is C arithmetic under the mode that decode has set
 * (gang/fpmode.h). What C does not say (NaN operands of min and max, signed
 * zeros, flushing of operands that are only moved) is done on the bits.
 */
#ifndef PX_OPS_FLOAT_H
#define PX_OPS_FLOAT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/bits.h"

#define PX_NAN32 0x7fffffffu

static inline uint32_t px_is_nan32(uint32_t u)
{
    return (u & 0x7fffffffu) > 0x7f800000u;
}
static inline uint32_t px_flush32(uint32_t u, int ftz)
{
    return ftz && !(u & 0x7f800000u) ? u & 0x80000000u : u;
}

static inline float px_flushed_f32(float x, int ftz)
{
    return px_float_b32(px_flush32(px_bits_f32(x), ftz));
}

/* [0, 1]; NaN and -0 give +0. */
static inline float px_sat_f32(float x)
{
    x = x > 0.0f ? x : 0.0f;
    return x < 1.0f ? x : 1.0f;
}
static inline double px_sat_f64(double x)
{
    x = x > 0.0 ? x : 0.0;
    return x < 1.0 ? x : 1.0;
}

static inline uint32_t px_neg_f32(uint32_t a, int ftz)
{
    return px_is_nan32(a) ? PX_NAN32 : px_flush32(a, ftz) ^ 0x80000000u;
}
static inline uint32_t px_abs_f32(uint32_t a, int ftz)
{
    return px_is_nan32(a) ? PX_NAN32 : px_flush32(a, ftz) & 0x7fffffffu;
}
/* A NaN of f64 keeps sign and payload everywhere; it only becomes quiet. */
static inline uint64_t px_is_nan64(uint64_t u)
{
    return (u & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
}
static inline uint64_t px_quiet64(uint64_t u)
{
    return u | 0x0008000000000000u;
}
static inline uint64_t px_neg_f64(uint64_t a, int ftz)
{
    (void)ftz;
    return px_is_nan64(a) ? px_quiet64(a) : a ^ 0x8000000000000000u;
}
static inline uint64_t px_abs_f64(uint64_t a, int ftz)
{
    (void)ftz;
    return px_is_nan64(a) ? px_quiet64(a) : a & 0x7fffffffffffffffu;
}

/* Sign of a, magnitude of b. */
static inline uint32_t px_copysign_f32(uint32_t a, uint32_t b)
{
    return (a & 0x80000000u) | (b & 0x7fffffffu);
}
static inline uint64_t px_copysign_f64(uint64_t a, uint64_t b)
{
    return (a & 0x8000000000000000u) | (b & 0x7fffffffffffffffu);
}

/* a >= 0 as slct asks: -0 is not negative, NaN is. */
static inline bool px_nonneg_f32(uint32_t a, int ftz)
{
    a = px_flush32(a, ftz);
    return !px_is_nan32(a) && (!(a >> 31) || !(a << 1));
}

#define PX_TESTP(name, expression32, expression64)                                                           \
    static inline bool px_testp_##name##_f32(uint32_t a)                                                     \
    {                                                                                                        \
        const uint32_t x = a & 0x7fffffffu, inf = 0x7f800000u, least = 0x00800000u;                          \
        (void)inf, (void)least;                                                                              \
        return expression32;                                                                                 \
    }                                                                                                        \
    static inline bool px_testp_##name##_f64(uint64_t a)                                                     \
    {                                                                                                        \
        const uint64_t x = a & 0x7fffffffffffffffu, inf = 0x7ff0000000000000u, least = 0x0010000000000000u;  \
        (void)inf, (void)least;                                                                              \
        return expression64;                                                                                 \
    }
#define PX_TESTP_BOTH(name, expression) PX_TESTP(name, expression, expression)
PX_TESTP_BOTH(finite, x < inf)
PX_TESTP_BOTH(infinite, x == inf)
PX_TESTP_BOTH(number, x <= inf)
PX_TESTP_BOTH(notanumber, x > inf)
PX_TESTP_BOTH(normal, ((x >= least) | (x == 0)) & (x < inf)) /* zeros are normal numbers */
PX_TESTP_BOTH(subnormal, (x > 0) & (x < least))

/* ---- min and max (PTX ISA 9.7.3): a NaN loses, or wins with .NaN; -0 is less than +0 ---- */

static inline uint32_t px_choose32(uint32_t where, uint32_t yes, uint32_t no)
{
    return no ^ ((no ^ yes) & (0u - where));
}
/* Of equal numbers, which may be zeros, either or both bits. A NaN loses, or wins. */
static inline uint32_t px_select32(uint32_t x, uint32_t y, int max, int nan)
{
    const float p = px_float_b32(x), q = px_float_b32(y);
    const uint32_t xn = p != p, yn = q != q;
    uint32_t r = px_choose32(max ? p > q : p < q, x, y);
    r = px_choose32(p == q, max ? x & y : x | y, r);
    r = px_choose32(yn, x, r);
    return px_choose32(nan ? xn | yn : xn & yn, PX_NAN32, r);
}
static inline float px_minmax_f32(float a, float b, int max, int ftz, int nan, int xorsign)
{
    const uint32_t x = px_flush32(px_bits_f32(a), ftz), y = px_flush32(px_bits_f32(b), ftz);
    if (!xorsign) return px_float_b32(px_select32(x, y, max, nan));
    const uint32_t r = px_select32(x & 0x7fffffffu, y & 0x7fffffffu, max, nan);
    return px_float_b32(px_choose32(px_is_nan32(r), r, r | ((x ^ y) & 0x80000000u)));
}
static inline float px_min_f32(float a, float b, int ftz, int nan, int xorsign)
{
    return px_minmax_f32(a, b, 0, ftz, nan, xorsign);
}
static inline float px_max_f32(float a, float b, int ftz, int nan, int xorsign)
{
    return px_minmax_f32(a, b, 1, ftz, nan, xorsign);
}
static inline float px_minmax3_f32(float a, float b, float c, int max, int ftz, int nan, int abs)
{
    uint32_t clear = abs ? 0x7fffffffu : ~0u;
    uint32_t x = px_flush32(px_bits_f32(a), ftz) & clear, y = px_flush32(px_bits_f32(b), ftz) & clear;
    uint32_t z = px_flush32(px_bits_f32(c), ftz) & clear;
    return px_float_b32(px_select32(px_select32(x, y, max, nan), z, max, nan));
}
static inline float px_min3_f32(float a, float b, float c, int ftz, int nan, int abs)
{
    return px_minmax3_f32(a, b, c, 0, ftz, nan, abs);
}
static inline float px_max3_f32(float a, float b, float c, int ftz, int nan, int abs)
{
    return px_minmax3_f32(a, b, c, 1, ftz, nan, abs);
}

/*
 * Of two NaNs of f64 the chip's units keep the second operand's sign and payload, a fused multiply-add b's,
 * then c's; a division keeps the dividend's (docs/fidelity.md). What the host would keep depends on how the
 * compiler orders operands. `first`: the operand whose NaN comes before that of r, which is the host's
 * result.
 */
static inline double px_keep_nan(double first, double r)
{
    const double quiet = px_float_b64(px_quiet64(px_bits_f64(first)));
    return first == first ? r : quiet;
}
static inline double px_add_f64(double a, double b)
{
    return px_keep_nan(b, a + b);
}
static inline double px_sub_f64(double a, double b)
{
    return px_keep_nan(b, a - b);
}
static inline double px_mul_f64(double a, double b)
{
    return px_keep_nan(b, a * b);
}
static inline double px_fma_f64(double a, double b, double c)
{
    return px_keep_nan(b, px_keep_nan(c, __builtin_fma(a, b, c)));
}
static inline double px_div_f64(double a, double b)
{
    return px_keep_nan(a, a / b);
}

static inline double px_minmax_f64(double a, double b, int max)
{
    const uint64_t x = px_bits_f64(a), y = px_bits_f64(b);
    uint64_t r = (max ? a > b : a < b) ? x : y;
    r = a == b ? (max ? x & y : x | y) : r;
    r = b != b ? x : r;
    return px_float_b64((a != a) & (b != b) ? px_quiet64(y) : r);
}
static inline double px_min_f64(double a, double b)
{
    return px_minmax_f64(a, b, 0);
}
static inline double px_max_f64(double a, double b)
{
    return px_minmax_f64(a, b, 1);
}

/* ---- two floats in 64 bits ---- */

static inline uint64_t px_join_f32x2(float low, float high)
{
    return px_bits_f32(low) | (uint64_t)px_bits_f32(high) << 32;
}
#define PX_LOW32(x) px_float_b32((uint32_t)(x))
#define PX_HIGH32(x) px_float_b32((uint32_t)((x) >> 32))
static inline uint64_t px_canon_f32x2(uint64_t x)
{
    uint32_t low = (uint32_t)x, high = (uint32_t)(x >> 32);
    return (px_is_nan32(low) ? PX_NAN32 : low) | (uint64_t)(px_is_nan32(high) ? PX_NAN32 : high) << 32;
}
static inline uint64_t px_add_f32x2(uint64_t a, uint64_t b)
{
    return px_canon_f32x2(px_join_f32x2(PX_LOW32(a) + PX_LOW32(b), PX_HIGH32(a) + PX_HIGH32(b)));
}
static inline uint64_t px_sub_f32x2(uint64_t a, uint64_t b)
{
    return px_canon_f32x2(px_join_f32x2(PX_LOW32(a) - PX_LOW32(b), PX_HIGH32(a) - PX_HIGH32(b)));
}
static inline uint64_t px_mul_f32x2(uint64_t a, uint64_t b)
{
    return px_canon_f32x2(px_join_f32x2(PX_LOW32(a) * PX_LOW32(b), PX_HIGH32(a) * PX_HIGH32(b)));
}
static inline uint64_t px_fma_f32x2(uint64_t a, uint64_t b, uint64_t c)
{
    return px_canon_f32x2(px_join_f32x2(__builtin_fmaf(PX_LOW32(a), PX_LOW32(b), PX_LOW32(c)),
                                        __builtin_fmaf(PX_HIGH32(a), PX_HIGH32(b), PX_HIGH32(c))));
}

#endif
