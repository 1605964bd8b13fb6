/* approx.h - the approximate units of sm_90, bit for bit: rcp, rsqrt, sqrt, ex2, lg2, sin, cos, tanh
 * and the divisions made of them.
 *
 * Each unit is a quadratic interpolator in fixed point.  The operand's fraction is cut into an
 * index, which picks the coefficients C0, C1, C2, and an offset xl; the unit forms
 * C0 +- C1*xl +- C2*square(xl) with a squarer that lacks its low columns, and cuts the sum down to
 * a float.  Around that stand the scalings for subnormals that ptxas emits as extra instructions.
 * docs/fidelity-approx.md tells how structure and tables were found; approx_tables.def holds the tables,
 * approx_units.h the arithmetic, approx_fetch.h the way to the coefficients.
 *
 * Every function maps bits to bits without branch or state.  px_approx_<unit>_f32 does one value;
 * px_approx_<unit>_f32_row does d[i] = f(a[i]) for i < n, faster, because it gets the coefficients of
 * a whole row at once; d may be a.  Rows of other types are multiples of 32.  `ftz` is meant to be a constant at the call.  The few
 * floating-point operations neither take nor give a subnormal, so FTZ and DAZ change nothing;
 * rounding must be to nearest.
 *
 * The px_exact_ functions (approx_exact.c) give the correctly rounded results instead.
 */
#ifndef PX_APPROX_H
#define PX_APPROX_H

#include "vm/approx_fetch.h"
#include "vm/approx_units.h"
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
#define PX_APPROX_HALVES_VECTOR 1
#include "vm/approx_halves.h"
#endif
#if defined(__AVX512VBMI__) && defined(__AVX512VNNI__) && defined(__AVX512DQ__)
#define PX_APPROX_VECTOR 1
#include "vm/approx_avx512.h"
#endif

/* C0 per interval, and C1 (17 bits) | C2 << 17 (15 bits). */
extern const uint32_t px_approx_rcp_c0[128], px_approx_rcp_c12[128];
extern const uint32_t px_approx_rsqrt_c0[128], px_approx_rsqrt_c12[128];
extern const uint32_t px_approx_sqrt_c0[128], px_approx_sqrt_c12[128];
extern const uint32_t px_approx_ex2_c0[64], px_approx_ex2_c12[64];
extern const uint32_t px_approx_lg2_c0[64], px_approx_lg2_c12[64];
extern const uint32_t px_approx_sin_c0[64], px_approx_sin_c12[64];
extern const uint32_t px_approx_tanh_c0[64], px_approx_tanh_c12[64];

/* ---- the f32 units ---- */

/* px_approx_<unit>_f32_any does a row of any operands; px_approx_<unit>_f32_row is the same, or on
 * machines that can the vectors of approx_avx512.h, which leave special operands to it. */
#ifndef PX_APPROX_VECTOR
#define PX_V_ROW(name) \
    PX_APPROX_FN void px_approx_##name##_f32_row(uint32_t *d, const uint32_t *a, int n, bool ftz) \
    { \
        px_approx_##name##_f32_any(d, a, n, ftz); \
    }
#define PX_V_DIVISION(name) \
    PX_APPROX_FN void px_approx_##name##_f32_row(uint32_t *d, const uint32_t *a, const uint32_t *b, int n, bool ftz) \
    { \
        px_approx_##name##_f32_any(d, a, b, n, ftz); \
    }
#endif

/* The last two steps for a row of m reduced words. */
#define PX_APPROX_ROW_END(table, size, finish) \
    do { \
        px_approx_fetch(&w, m, px_approx_##table##_c0, px_approx_##table##_c12, size == 128); \
        PX_APPROX_LOOP \
        for (int i = 0; i < m; i++) d[i] = (finish); \
    } while (0)

/* One value; and a row, piece by piece, a piece of ordinary operands the quick way. */
#define PX_APPROX_UNIT(name, table, size) \
    PX_APPROX_FN uint32_t px_approx_##name##_f32(uint32_t x, bool ftz) \
    { \
        uint32_t r = px_approx_##name##_reduce(x, ftz), index = (r >> 17) & (size - 1u); \
        px_approx_terms t = px_approx_fetch_one(px_approx_##table##_c0, px_approx_##table##_c12, index, r); \
        return px_approx_##name##_finish(x, r, t, ftz); \
    } \
    PX_APPROX_FN void px_approx_##name##_f32_any(uint32_t *d, const uint32_t *a, int n, bool ftz) \
    { \
        px_approx_rows w; \
        for (int m; n > 0; n -= m, a += m, d += m) { \
            m = n < PX_APPROX_ROW ? n : PX_APPROX_ROW; \
            uint32_t special = 0; \
            PX_APPROX_LOOP \
            for (int i = 0; i < m; i++) { \
                special |= !px_approx_##name##_plain(a[i]); \
                w.r[i] = px_approx_##name##_reduce(a[i], true); \
            } \
            if (!special) { \
                PX_APPROX_ROW_END(table, size, px_approx_##name##_quick(a[i], w.r[i], px_approx_fetched(&w, i))); \
                continue; \
            } \
            if (!ftz) { \
                PX_APPROX_LOOP \
                for (int i = 0; i < m; i++) w.r[i] = px_approx_##name##_reduce(a[i], false); \
            } \
            PX_APPROX_ROW_END(table, size, px_approx_##name##_finish(a[i], w.r[i], px_approx_fetched(&w, i), ftz)); \
        } \
    } \
    PX_V_ROW(name)

/* div (full = false) and divfull: a / b. */
#define PX_APPROX_DIVISION(name, full) \
    PX_APPROX_FN uint32_t px_approx_##name##_f32(uint32_t a, uint32_t b, bool ftz) \
    { \
        uint32_t r = px_approx_div_reduce(b, full, ftz); \
        px_approx_terms t = px_approx_fetch_one(px_approx_rcp_c0, px_approx_rcp_c12, (r >> 17) & 127u, r); \
        return px_approx_div_finish(a, b, r, t, full, ftz); \
    } \
    PX_APPROX_FN void px_approx_##name##_f32_any(uint32_t *d, const uint32_t *a, const uint32_t *b, int n, bool ftz) \
    { \
        px_approx_rows w; \
        for (int m; n > 0; n -= m, a += m, b += m, d += m) { \
            m = n < PX_APPROX_ROW ? n : PX_APPROX_ROW; \
            uint32_t special = 0; \
            PX_APPROX_LOOP \
            for (int i = 0; i < m; i++) { \
                special |= !px_approx_div_plain(a[i], b[i]); \
                w.r[i] = px_approx_rcp_reduce(b[i], true); \
            } \
            if (!special) { \
                PX_APPROX_ROW_END(rcp, 128, px_approx_div_quick(a[i], b[i], w.r[i], px_approx_fetched(&w, i))); \
                continue; \
            } \
            PX_APPROX_LOOP \
            for (int i = 0; i < m; i++) w.r[i] = px_approx_div_reduce(b[i], full, ftz); \
            PX_APPROX_ROW_END(rcp, 128, px_approx_div_finish(a[i], b[i], w.r[i], px_approx_fetched(&w, i), full, ftz)); \
        } \
    } \
    PX_V_DIVISION(name)

PX_APPROX_UNIT(rcp, rcp, 128)
PX_APPROX_UNIT(rsqrt, rsqrt, 128)
PX_APPROX_UNIT(sqrt, sqrt, 128)
PX_APPROX_UNIT(ex2, ex2, 64)
PX_APPROX_UNIT(lg2, lg2, 64)
PX_APPROX_UNIT(sin, sin, 64)
PX_APPROX_UNIT(cos, sin, 64)
PX_APPROX_UNIT(tanh, tanh, 64)              /* has no ftz form; the flag changes nothing */
PX_APPROX_DIVISION(div, false)
PX_APPROX_DIVISION(divfull, true)

/* ---- f16, bf16: the f32 unit, its result cut ---- */

PX_APPROX_FN uint32_t px_approx_f16_to_f32(uint16_t h)
{
    uint32_t ax = h & 0x7FFFu, sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t sub = px_approx_as_bits((float)(int32_t)ax) - (24u << 23);
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
#define PX_APPROX_HALVES(name, unit, widen, cut) \
    PX_APPROX_FN void px_approx_##name##_row(uint16_t *d, const uint16_t *a, int n) \
    { \
        uint32_t w[PX_APPROX_ROW]; \
        for (int m; n > 0; n -= m, a += m, d += m) { \
            m = n < PX_APPROX_ROW ? n : PX_APPROX_ROW; \
            PX_APPROX_LOOP \
            for (int i = 0; i < m; i++) w[i] = widen(a[i]); \
            px_approx_##unit##_f32_row(w, w, m, true); \
            PX_APPROX_LOOP \
            for (int i = 0; i < m; i++) d[i] = cut(w[i]); \
        } \
    }

PX_APPROX_HALVES(ex2_f16, ex2, px_approx_f16_to_f32, px_approx_f32_to_f16_cut)
PX_APPROX_HALVES(tanh_f16, tanh, px_approx_f16_to_f32, px_approx_f32_to_f16_cut)
PX_APPROX_HALVES(ex2_bf16, ex2, px_approx_bf16_to_f32, px_approx_f32_to_bf16_cut)
PX_APPROX_HALVES(tanh_bf16, tanh, px_approx_bf16_to_f32, px_approx_f32_to_bf16_cut)
#endif

/* ---- f64: the f32 tables on the upper word; the lower word of the result is 0 ---- */

PX_APPROX_FN uint32_t px_approx_rcp64_core(uint32_t hi)
{
    uint32_t r = (hi & 0xFFFFFu) << 4;
    return px_approx_rcp_core(r, px_approx_fetch_one(px_approx_rcp_c0, px_approx_rcp_c12, (r >> 17) & 127u, r));
}

PX_APPROX_FN uint64_t px_approx_rcp_ftz_f64(uint64_t x)
{
    uint32_t hi = (uint32_t)(x >> 32), ax = hi & 0x7FFFFFFFu, sign = hi & PX_APPROX_SIGN;
    uint32_t r = px_approx_rcp64_core(ax);                              /* a float in (0.5, 1] */
    uint32_t y = (r >> 3) + (896u << 20) + (1023u << 20) - (ax & 0x7FF00000u);
    y = px_approx_pick((int32_t)y < 0x100000, 0, y);
    y = px_approx_pick(ax < 0x100000u, 0x7FF00000u, y);
    y = px_approx_pick(ax == 0x7FF00000u, 0, y);
    y = px_approx_pick(ax > 0x7FF00000u, 0x7FFFFFFFu, y | sign);
    return (uint64_t)y << 32;
}

/* `MUFU.RSQ64H`, upper word to upper word. */
PX_APPROX_FN uint32_t px_approx_rsq64h(uint32_t hi)
{
    uint32_t n = ((hi & 0xFFFFFu) << 3) | ((hi << 3) & 0x800000u);      /* fraction, lowest exponent bit */
    px_approx_terms t = px_approx_fetch_one(px_approx_rsqrt_c0, px_approx_rsqrt_c12, (n >> 17) & 127u, n);
    uint32_t r = 0x3E800000u + px_approx_rsqrt_core(n, t);
    r = px_approx_pick(n == 0x800000u, PX_APPROX_ONE, r);
    uint32_t y = (r >> 3) + (896u << 20) + (512u << 20) - (((hi + 0x100000u) >> 1) & 0x7FF00000u);
    y = px_approx_pick(hi == 0x7FF00000u, 0, y);
    y = px_approx_pick(hi > 0x7FF00000u, 0x7FFFFFFFu, y);
    return px_approx_pick((hi & 0x7FFFFFFFu) < 0x100000u, 0x7FF00000u | (hi & PX_APPROX_SIGN), y);
}

PX_APPROX_FN double px_approx_as_double(uint64_t x)
{
    double d;
    memcpy(&d, &x, sizeof d);
    return d;
}

/* One Newton step from the unit's value, as ptxas emits it; 1 <= x < 4. */
PX_APPROX_FN uint64_t px_approx_rsqrt_f64_step(uint64_t x)
{
    double d = px_approx_as_double(x), y = px_approx_as_double((uint64_t)px_approx_rsq64h((uint32_t)(x >> 32)) << 32);
    double e = __builtin_fma(d, -(y * y), 1.0);
    y = __builtin_fma(__builtin_fma(e, 0.375, 0.5), y * e, y);
    uint64_t bits;
    memcpy(&bits, &y, sizeof bits);
    return bits;
}

/* The same for any positive x but zero: x is brought to [1, 4), where FTZ and DAZ cannot act. */
PX_APPROX_FN uint64_t px_approx_rsqrt_f64_positive(uint64_t x)
{
    double m = (double)(int64_t)(x & 0xFFFFFFFFFFFFFull);               /* a subnormal, times 2^1074 */
    uint64_t scaled, sub = x < 1ull << 52;
    memcpy(&scaled, &m, sizeof scaled);
    x = sub ? scaled - (1020ull << 52) : x;                             /* times 2^54 */
    uint64_t lift = ((x >> 52) + 1) >> 1;
    uint64_t y = px_approx_rsqrt_f64_step((x & 0xFFFFFFFFFFFFFull) | ((1024ull - (x >> 52 & 1)) << 52));
    return y + ((512 + (sub ? 27ull : 0) - lift) << 52);
}

PX_APPROX_FN uint64_t px_approx_rsqrt_f64(uint64_t x, bool ftz)
{
    uint64_t ax = x & 0x7FFFFFFFFFFFFFFFull, sign = x & 0x8000000000000000ull;
    if (ftz) return (uint64_t)px_approx_rsq64h((uint32_t)(x >> 32)) << 32;
    uint64_t y = px_approx_rsqrt_f64_positive(ax);
    y = ax == 0x7FF0000000000000ull ? 0 : y;
    y = sign ? 0xFFF8000000000000ull : y;
    y = ax > 0x7FF0000000000000ull ? x | 0x0008000000000000ull : y;
    return ax == 0 ? sign | 0x7FF0000000000000ull : y;
}

/* Rows. */
PX_APPROX_FN void px_approx_rcp_ftz_f64_row(uint64_t *d, const uint64_t *a, int n)
{
    PX_APPROX_LOOP
    for (int i = 0; i < n; i++) d[i] = px_approx_rcp_ftz_f64(a[i]);
}

PX_APPROX_FN void px_approx_rsqrt_f64_row(uint64_t *d, const uint64_t *a, int n, bool ftz)
{
    PX_APPROX_LOOP
    for (int i = 0; i < n; i++) d[i] = px_approx_rsqrt_f64(a[i], ftz);
}

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
