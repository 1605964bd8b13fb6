/*
 * approx/rows.c - the approximate units over rows, for one SIMD level.
 *
 * Compiled once a level (-DPX_LEVEL=portable|avx2|avx512|avx512vbmi and the
 * matching machine flags); each object exports one table, px_units_<level>.
 * The arithmetic is approx.h's; all levels give the same bits.
 */
#include "approx/levels.h"
#include "approx/approx.h"
#include "approx/factors.h"

#define ONE(name, function, ...)                                                                             \
    static void row_##name(void *d, const void *a, const void *b, uint32_t n)                                \
    {                                                                                                        \
        (void)b;                                                                                             \
        px_approx_##function##_row(d, a, (int)n __VA_OPT__(, ) __VA_ARGS__);                                 \
    }
#define TWO(name, function, ftz)                                                                             \
    static void row_##name(void *d, const void *a, const void *b, uint32_t n)                                \
    {                                                                                                        \
        px_approx_##function##_row(d, a, b, (int)n, ftz);                                                    \
    }
/* A row of packed pairs is a row of twice as many halves. */
#define PAIR(name, half)                                                                                     \
    static void row_##name(void *d, const void *a, const void *b, uint32_t n)                                \
    {                                                                                                        \
        row_##half(d, a, b, 2 * n);                                                                          \
    }

ONE(rcp_f32, rcp_f32, false)
ONE(rcp_ftz_f32, rcp_f32, true)
ONE(rsqrt_f32, rsqrt_f32, false)
ONE(rsqrt_ftz_f32, rsqrt_f32, true)
ONE(sqrt_f32, sqrt_f32, false)
ONE(sqrt_ftz_f32, sqrt_f32, true)
ONE(ex2_f32, ex2_f32, false)
ONE(ex2_ftz_f32, ex2_f32, true)
ONE(lg2_f32, lg2_f32, false)
ONE(lg2_ftz_f32, lg2_f32, true)
ONE(sin_f32, sin_f32, false)
ONE(sin_ftz_f32, sin_f32, true)
ONE(cos_f32, cos_f32, false)
ONE(cos_ftz_f32, cos_f32, true)
ONE(tanh_f32, tanh_f32, false)
TWO(div_f32, div_f32, false)
TWO(div_ftz_f32, div_f32, true)
TWO(divfull_f32, divfull_f32, false)
TWO(divfull_ftz_f32, divfull_f32, true)
ONE(rcp_ftz_f64, rcp_ftz_f64)
ONE(rsqrt_f64, rsqrt_f64, false)
ONE(rsqrt_ftz_f64, rsqrt_f64, true)
ONE(ex2_f16, ex2_f16)
PAIR(ex2_f16x2, ex2_f16)
ONE(ex2_ftz_bf16, ex2_bf16)
PAIR(ex2_ftz_bf16x2, ex2_ftz_bf16)
ONE(tanh_f16, tanh_f16)
PAIR(tanh_f16x2, tanh_f16)
ONE(tanh_bf16, tanh_bf16)
PAIR(tanh_bf16x2, tanh_bf16)
PX_ALL_FACTORS

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

const struct px_units PASTE(px_units_, PX_LEVEL) = {{
#define PX_UNIT(name, result, flushes) [PX_UNIT_##name] = row_##name,
#include "approx/row_units.def"
}};
