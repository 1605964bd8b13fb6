/* approx.h - the approximate units of sm_90, bit for bit: rcp, rsqrt, sqrt, ex2, lg2, sin, cos, tanh
 * and the divisions made of them.
 *
 * Each unit is a quadratic interpolator in fixed point.  The operand's fraction is cut into an
 * index, which picks the coefficients C0, C1, C2, and an offset xl; the unit forms
 * C0 +- C1*xl +- C2*square(xl) with a squarer that lacks its low columns, and cuts the sum down to
 * a float.  Around that stand the scalings for subnormals that ptxas emits as extra instructions.
 * docs/fidelity-approx.md tells how structure and tables were found; approx/tables.def holds the tables,
 * approx/units.h the arithmetic, approx/fetch.h the way to the coefficients, approx/f64.h the units on f64.
 *
 * Every function maps bits to bits without branch or state.  px_approx_<unit>_f32 does one value;
 * px_approx_<unit>_f32_row does d[i] = f(a[i]) for i < n, faster, because it gets the coefficients of
 * a whole row at once; d may be a.  Rows of halves and of f64 have a multiple of 32.  `ftz` is meant to be
 * a constant at the call.  The few floating-point operations neither take nor give a subnormal, so FTZ
 * and DAZ change nothing; rounding must be to nearest.
 *
 * The px_exact_ functions (approx/exact.c) give the correctly rounded results instead.
 */
#ifndef PX_APPROX_APPROX_H
#define PX_APPROX_APPROX_H

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
#define PX_APPROX_HALVES_VECTOR 1
#include "approx/halves.h"
#if defined(__AVX512VBMI__) && defined(__AVX512VNNI__)
#define PX_APPROX_VECTOR 1
#include "approx/avx512.h"
#endif
#endif
#include "approx/f64.h"
#include "approx/fetch.h"
#include "approx/units.h"

/* ---- the f32 units ---- */

/* px_approx_<unit>_f32_any does a row of any operands, and is there once for both values of ftz, which only
 * special operands ask for; px_approx_<unit>_f32_row is the same, or on machines that can the vectors of
 * approx/avx512.h, which leave special operands to it. */
#ifdef __clang__
#define PX_APPROX_ONCE static __attribute__((noinline, unused))
#else
#define PX_APPROX_ONCE static __attribute__((noinline, noclone, unused))
#endif
#ifndef PX_APPROX_VECTOR
#define PX_V_ROW(name)                                                                                       \
    PX_APPROX_FN void px_approx_##name##_f32_row(uint32_t *d, const uint32_t *a, int n, bool ftz)            \
    {                                                                                                        \
        px_approx_##name##_f32_any(d, a, n, ftz);                                                            \
    }
#define PX_V_DIVISION(name, full)                                                                            \
    PX_APPROX_FN void px_approx_##name##_f32_row(uint32_t *d, const uint32_t *a, const uint32_t *b, int n,   \
                                                 bool ftz)                                                   \
    {                                                                                                        \
        px_approx_##name##_f32_any(d, a, b, n, ftz);                                                         \
    }
#endif

/* The last two steps for a row of m reduced words. */
#define PX_APPROX_ROW_END(table, size, finish)                                                               \
    do {                                                                                                     \
        px_approx_fetch(&w, m, px_approx_##table##_c0, px_approx_##table##_c12, size == 128);                \
        PX_APPROX_LOOP                                                                                       \
        for (int i = 0; i < m; i++) d[i] = (finish);                                                         \
    } while (0)

/* One value; and a row, piece by piece, a piece of ordinary operands the quick way. */
#define PX_APPROX_UNIT(name, table, size)                                                                    \
    PX_APPROX_FN uint32_t px_approx_##name##_f32(uint32_t x, bool ftz)                                       \
    {                                                                                                        \
        uint32_t r = px_approx_##name##_reduce(x, ftz), index = (r >> 17) & (size - 1u);                     \
        px_approx_terms t = px_approx_fetch_one(px_approx_##table##_c0, px_approx_##table##_c12, index, r);  \
        return px_approx_##name##_finish(x, r, t, ftz);                                                      \
    }                                                                                                        \
    PX_APPROX_ONCE void px_approx_##name##_f32_any(uint32_t *d, const uint32_t *a, int n, bool ftz)          \
    {                                                                                                        \
        px_approx_rows w;                                                                                    \
        for (int m; n > 0; n -= m, a += m, d += m) {                                                         \
            m = n < PX_APPROX_ROW ? n : PX_APPROX_ROW;                                                       \
            uint32_t special = 0;                                                                            \
            PX_APPROX_LOOP                                                                                   \
            for (int i = 0; i < m; i++) {                                                                    \
                special |= !px_approx_##name##_plain(a[i]);                                                  \
                w.r[i] = px_approx_##name##_reduce(a[i], true);                                              \
            }                                                                                                \
            if (!special) {                                                                                  \
                PX_APPROX_ROW_END(table, size,                                                               \
                                  px_approx_##name##_quick(a[i], w.r[i], px_approx_fetched(&w, i)));         \
                continue;                                                                                    \
            }                                                                                                \
            if (!ftz) {                                                                                      \
                PX_APPROX_LOOP                                                                               \
                for (int i = 0; i < m; i++) w.r[i] = px_approx_##name##_reduce(a[i], false);                 \
            }                                                                                                \
            PX_APPROX_ROW_END(table, size,                                                                   \
                              px_approx_##name##_finish(a[i], w.r[i], px_approx_fetched(&w, i), ftz));       \
        }                                                                                                    \
    }                                                                                                        \
    PX_V_ROW(name)

/* div (full = false) and divfull: a / b. */
#define PX_APPROX_DIVISION(name, full)                                                                       \
    PX_APPROX_FN uint32_t px_approx_##name##_f32(uint32_t a, uint32_t b, bool ftz)                           \
    {                                                                                                        \
        uint32_t r = px_approx_div_reduce(b, full, ftz);                                                     \
        px_approx_terms t = px_approx_fetch_one(px_approx_rcp_c0, px_approx_rcp_c12, (r >> 17) & 127u, r);   \
        return px_approx_div_finish(a, b, r, t, full, ftz);                                                  \
    }                                                                                                        \
    PX_APPROX_ONCE void px_approx_##name##_f32_any(uint32_t *d, const uint32_t *a, const uint32_t *b, int n, \
                                                   bool ftz)                                                 \
    {                                                                                                        \
        px_approx_rows w;                                                                                    \
        for (int m; n > 0; n -= m, a += m, b += m, d += m) {                                                 \
            m = n < PX_APPROX_ROW ? n : PX_APPROX_ROW;                                                       \
            uint32_t special = 0;                                                                            \
            PX_APPROX_LOOP                                                                                   \
            for (int i = 0; i < m; i++) {                                                                    \
                special |= !px_approx_div_plain(a[i], b[i]);                                                 \
                w.r[i] = px_approx_rcp_reduce(b[i], true);                                                   \
            }                                                                                                \
            if (!special) {                                                                                  \
                PX_APPROX_ROW_END(rcp, 128,                                                                  \
                                  px_approx_div_quick(a[i], b[i], w.r[i], px_approx_fetched(&w, i)));        \
                continue;                                                                                    \
            }                                                                                                \
            PX_APPROX_LOOP                                                                                   \
            for (int i = 0; i < m; i++) w.r[i] = px_approx_div_reduce(b[i], full, ftz);                      \
            PX_APPROX_ROW_END(                                                                               \
                rcp, 128, px_approx_div_finish(a[i], b[i], w.r[i], px_approx_fetched(&w, i), full, ftz));    \
        }                                                                                                    \
    }                                                                                                        \
    PX_V_DIVISION(name, full)

PX_APPROX_UNIT(rcp, rcp, 128)
PX_APPROX_UNIT(rsqrt, rsqrt, 128)
PX_APPROX_UNIT(sqrt, sqrt, 128)
PX_APPROX_UNIT(ex2, ex2, 64)
PX_APPROX_UNIT(lg2, lg2, 64)
PX_APPROX_UNIT(sin, sin, 64)
PX_APPROX_UNIT(cos, sin, 64)
PX_APPROX_UNIT(tanh, tanh, 64) /* has no ftz form; the flag changes nothing */
PX_APPROX_DIVISION(div, false)
PX_APPROX_DIVISION(divfull, true)

/* ---- f16, bf16: the f32 unit, its result cut ---- */

PX_APPROX_FN uint32_t px_approx_f16_to_f32(uint16_t h)
{
    uint32_t ax = h & 0x7FFFu, sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t sub = px_bits_f32((float)(int32_t)ax) - (24u << 23);
    uint32_t y = (ax << 13) + (112u << 23);
    y = px_approx_blend(ax < 0x400u, px_approx_blend(ax == 0, 0, sub), y);
    y = px_approx_blend(ax >= 0x7C00u, (ax << 13) | PX_APPROX_INF, y);
    return y | sign;
}

PX_APPROX_FN uint32_t px_approx_bf16_to_f32(uint16_t h)
{
    return (uint32_t)h << 16;
}

/* Towards zero; below the least normal a shift. */
PX_APPROX_FN uint16_t px_approx_f32_to_f16_cut(uint32_t x)
{
    uint32_t ax = x & 0x7FFFFFFFu, sign = (x >> 16) & 0x8000u;
    uint32_t shift = 126u - (ax >> 23);
    uint32_t sub = ((ax & 0x7FFFFFu) | 0x800000u) >> px_approx_blend(shift > 31u, 31u, shift);
    uint32_t y = (ax >> 13) - (112u << 10);
    y = px_approx_blend(ax < 0x38800000u, sub, y);
    y = px_approx_blend(ax >= 0x47800000u, 0x7C00u, y);
    return (uint16_t)px_approx_blend(ax > PX_APPROX_INF, 0x7FFFu, y | sign);
}

PX_APPROX_FN uint16_t px_approx_f32_to_bf16_cut(uint32_t x)
{
    return (uint16_t)px_approx_blend((x & 0x7FFFFFFFu) > PX_APPROX_INF, 0x7FFFu, x >> 16);
}

PX_APPROX_FN uint16_t px_approx_ex2_f16(uint16_t x)
{
    return px_approx_f32_to_f16_cut(px_approx_ex2_f32(px_approx_f16_to_f32(x), true));
}

PX_APPROX_FN uint16_t px_approx_tanh_f16(uint16_t x)
{
    return px_approx_f32_to_f16_cut(px_approx_tanh_f32(px_approx_f16_to_f32(x), true));
}

PX_APPROX_FN uint16_t px_approx_ex2_bf16(uint16_t x)
{
    return px_approx_f32_to_bf16_cut(px_approx_ex2_f32(px_approx_bf16_to_f32(x), true));
}

PX_APPROX_FN uint16_t px_approx_tanh_bf16(uint16_t x)
{
    return px_approx_f32_to_bf16_cut(px_approx_tanh_f32(px_approx_bf16_to_f32(x), true));
}

/* Rows of halves, n a multiple of 32: here to floats, through the f32 unit's row function, and back. */
#ifndef PX_APPROX_HALVES_VECTOR
#define PX_APPROX_HALVES(name, unit, widen, cut)                                                             \
    PX_APPROX_FN void px_approx_##name##_row(uint16_t *d, const uint16_t *a, int n)                          \
    {                                                                                                        \
        uint32_t w[PX_APPROX_ROW];                                                                           \
        for (int m; n > 0; n -= m, a += m, d += m) {                                                         \
            m = n < PX_APPROX_ROW ? n : PX_APPROX_ROW;                                                       \
            PX_APPROX_LOOP                                                                                   \
            for (int i = 0; i < m; i++) w[i] = widen(a[i]);                                                  \
            px_approx_##unit##_f32_row(w, w, m, true);                                                       \
            PX_APPROX_LOOP                                                                                   \
            for (int i = 0; i < m; i++) d[i] = cut(w[i]);                                                    \
        }                                                                                                    \
    }

PX_APPROX_HALVES(ex2_f16, ex2, px_approx_f16_to_f32, px_approx_f32_to_f16_cut)
PX_APPROX_HALVES(tanh_f16, tanh, px_approx_f16_to_f32, px_approx_f32_to_f16_cut)
PX_APPROX_HALVES(ex2_bf16, ex2, px_approx_bf16_to_f32, px_approx_f32_to_bf16_cut)
PX_APPROX_HALVES(tanh_bf16, tanh, px_approx_bf16_to_f32, px_approx_f32_to_bf16_cut)
#endif

/* ---- correctly rounded instead, for --approx=exact ---- */

uint32_t px_exact_rcp_f32(uint32_t x, bool ftz);
uint32_t px_exact_rsqrt_f32(uint32_t x, bool ftz);
uint32_t px_exact_sqrt_f32(uint32_t x, bool ftz);
uint32_t px_exact_ex2_f32(uint32_t x, bool ftz);
uint32_t px_exact_lg2_f32(uint32_t x, bool ftz);
uint32_t px_exact_sin_f32(uint32_t x, bool ftz);
uint32_t px_exact_cos_f32(uint32_t x, bool ftz);
uint32_t px_exact_tanh_f32(uint32_t x, bool ftz);
uint32_t px_exact_div_f32(uint32_t a, uint32_t b, bool ftz);
uint64_t px_exact_rcp_ftz_f64(uint64_t x);
uint64_t px_exact_rsqrt_f64(uint64_t x, bool ftz);
uint16_t px_exact_ex2_f16(uint16_t x);
uint16_t px_exact_tanh_f16(uint16_t x);
uint16_t px_exact_ex2_bf16(uint16_t x);
uint16_t px_exact_tanh_bf16(uint16_t x);

#endif
