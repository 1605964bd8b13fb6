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

enum px_unit {
#define PX_UNIT(name, result, flushes) PX_UNIT_##name,
#include "approx/row_units.def"
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
