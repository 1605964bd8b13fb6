/*
 * levels.h - the approximate instructions as functions over whole rows.
 *
 * The instruction table names an operation (`@rcp_f32`); code/lower/approx.c makes
 * records of it that call one of these functions for all lanes of a gang. There
 * is one set of functions per SIMD level (approx/rows.c) with the chip's bits,
 * and one with correctly rounded results (approx/exact.c).
 */
#ifndef PX_APPROX_LEVELS_H
#define PX_APPROX_LEVELS_H

#include <stdint.h>

struct px_level;

/* d[i] = f(a[i]) or f(a[i], b[i]) for i < n, n a multiple of 32; d may be a or b. Rounding is to nearest. */
typedef void px_unit_row(void *d, const void *a, const void *b, uint32_t n);

/* X(unit) */
/* clang-format off */
#define PX_UNITS(X) \
    X(rcp_f32) X(rcp_ftz_f32) X(rsqrt_f32) X(rsqrt_ftz_f32) X(sqrt_f32) X(sqrt_ftz_f32) X(ex2_f32) \
    X(ex2_ftz_f32) X(lg2_f32) X(lg2_ftz_f32) X(sin_f32) X(sin_ftz_f32) X(cos_f32) X(cos_ftz_f32) \
    X(tanh_f32) X(div_f32) X(div_ftz_f32) X(divfull_f32) X(divfull_ftz_f32) X(rcp_ftz_f64) X(rsqrt_f64) \
    X(rsqrt_ftz_f64) X(ex2_f16) X(ex2_f16x2) X(ex2_ftz_bf16) X(ex2_ftz_bf16x2) X(tanh_f16) X(tanh_f16x2) \
    X(tanh_bf16) X(tanh_bf16x2) X(dividend_f32) X(dividend_ftz_f32) X(dividend_full_f32) \
    X(dividend_full_ftz_f32) X(reciprocal_f32) X(reciprocal_ftz_f32) X(reciprocal_full_f32) \
    X(reciprocal_full_ftz_f32)
/* clang-format on */

enum px_unit {
#define PX_UNIT_NAME(name) PX_UNIT_##name,
    PX_UNITS(PX_UNIT_NAME)
#undef PX_UNIT_NAME
        PX_UNIT_COUNT
};

struct px_units {
    px_unit_row *row[PX_UNIT_COUNT];
};

/* approx/rows.c, for each set of machine flags; avx512vbmi is avx512 with VBMI and VNNI. */
extern const struct px_units px_units_portable, px_units_avx2, px_units_avx512, px_units_avx512vbmi;
extern const struct px_units px_units_exact; /* approx/exact.c */

/* level.c: the fastest set that this machine runs at `level`. */
const struct px_units *px_level_units(const struct px_level *level);

#endif
