/*
 * approx/factors.h - a division as the product that it ends in, for divisions that were contracted
 * (contract.c).
 *
 * div.full and div.approx scale both numbers where the unit would flush the divisor or its reciprocal; then
 * the reciprocal is multiplied with the dividend. The multiplications here see the mode in force.
 */
#ifndef PX_APPROX_FACTORS_H
#define PX_APPROX_FACTORS_H

#include <stdbool.h>
#include <stdint.h>

static inline float px_factor_scale(float b, bool full, bool ftz)
{
    float size = __builtin_fabsf(b);
    if (full && size > 0x1p126f) return 0.25f;
    return !ftz && size < 0x1p-126f ? 0x1p24f : 1.0f;
}

/* row_dividend_NAME and row_divisor_NAME; rcp_ftz_f32 is the unit. */
#define PX_FACTORS(name, full, ftz)                                                                          \
    static void row_dividend_##name(void *d, const void *a, const void *b, uint32_t n)                       \
    {                                                                                                        \
        for (uint32_t i = 0; i < n; i++)                                                                     \
            ((float *)d)[i] = ((const float *)a)[i] * px_factor_scale(((const float *)b)[i], full, ftz);     \
    }                                                                                                        \
    static void row_reciprocal_##name(void *d, const void *a, const void *b, uint32_t n)                     \
    {                                                                                                        \
        (void)a;                                                                                             \
        row_dividend_##name(d, b, b, n);                                                                     \
        row_rcp_ftz_f32(d, d, d, n);                                                                         \
    }
#define PX_ALL_FACTORS                                                                                       \
    PX_FACTORS(f32, false, false)                                                                            \
    PX_FACTORS(ftz_f32, false, true)                                                                         \
    PX_FACTORS(full_f32, true, false)                                                                        \
    PX_FACTORS(full_ftz_f32, true, true)

#endif
