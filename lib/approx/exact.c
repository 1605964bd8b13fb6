/* approx/exact.c - correctly rounded results for the approximate instructions (--approx=exact).
 *
 * The 16- and 32-bit functions are computed in long double (64 or more significant bits, and on
 * x86 the x87 unit, which MXCSR does not touch) and rounded once, to nearest even, by `encode`.
 * That is the correctly rounded result unless the true value lies within about 2^-62, relative, of
 * a middle between two results, which tests/hw/exact_check.c rules out for all f32 inputs.
 * The f64 functions are done in integers and are exact by construction.
 *
 * Special values are as on the chip: NaN is 0x7FFFFFFF (f32) or 0x7FFF; with ftz a subnormal
 * operand counts as a zero of its sign and a subnormal result becomes one.
 */
#include "approx/approx.h"
#include "approx/factors.h"
#include "approx/levels.h"

#include <math.h>

__extension__ typedef unsigned __int128 u128;

typedef long double real;

/* A binary format: fraction bits, exponent bits, the one NaN that results have. */
typedef struct format {
    int fraction, exponent;
    uint32_t nan;
} format;

static const format f32 = {23, 8, 0x7FFFFFFFu};
static const format f16 = {10, 5, 0x7FFFu};
static const format bf16 = {7, 8, 0x7FFFu};

static int bias(format f)
{
    return (1 << (f.exponent - 1)) - 1;
}

static uint32_t infinity(format f)
{
    return ((1u << f.exponent) - 1) << f.fraction;
}

static real decode(uint32_t x, format f, bool ftz)
{
    uint32_t magnitude = x & ((1u << (f.fraction + f.exponent)) - 1), field = magnitude >> f.fraction;
    real sign = x >> (f.fraction + f.exponent) ? -1.0L : 1.0L;
    uint32_t fraction = magnitude & ((1u << f.fraction) - 1);
    if (magnitude == infinity(f)) return sign * (real)INFINITY;
    if (magnitude > infinity(f)) return (real)NAN;
    if (field == 0) return ftz ? sign * 0.0L : sign * ldexpl((real)fraction, 1 - bias(f) - f.fraction);
    return sign * ldexpl((real)(fraction | 1u << f.fraction), (int)field - bias(f) - f.fraction);
}

static uint32_t encode(real y, format f, bool ftz)
{
    if (isnan(y)) return f.nan;
    uint32_t sign = signbit(y) ? 1u << (f.fraction + f.exponent) : 0;
    if (isinf(y)) return sign | infinity(f);
    if (y == 0) return sign;
    int e;
    frexpl(y, &e);
    int field = e - 1 + bias(f) < 1 ? 1 : e - 1 + bias(f);
    if (field > bias(f) * 2 + 1) return sign | infinity(f);
    uint32_t units = (uint32_t)rintl(ldexpl(fabsl(y), f.fraction + bias(f) - field));
    uint32_t bits = units + ((uint32_t)(field - 1) << f.fraction); /* a carry moves into the exponent */
    if (ftz && bits >> f.fraction == 0) return sign;
    return sign | (bits > infinity(f) ? infinity(f) : bits);
}

static real rcp(real x)
{
    return 1.0L / x;
}

static real rsqrt(real x)
{
    return x == 0 ? 1.0L / x : 1.0L / sqrtl(x);
}

/* Beyond these the result has long been 0 or infinite; exp2l need not see it. */
static real ex2(real x)
{
    return x < -400 ? 0 : x > 400 ? (real)INFINITY : exp2l(x);
}

static real lg2(real x)
{
    return x == 0 ? -(real)INFINITY : x < 0 ? (real)NAN : log2l(x);
}

static real sine(real x)
{
    return isinf(x) ? (real)NAN : sinl(x);
}

static real cosine(real x)
{
    return isinf(x) ? (real)NAN : cosl(x);
}

static uint32_t apply(real (*function)(real), uint32_t x, format f, bool ftz)
{
    return encode(function(decode(x, f, ftz)), f, ftz);
}

#define EXACT_F32(name, function)                                                                            \
    uint32_t px_exact_##name##_f32(uint32_t x, bool ftz)                                                     \
    {                                                                                                        \
        return apply(function, x, f32, ftz);                                                                 \
    }
EXACT_F32(rcp, rcp)
EXACT_F32(rsqrt, rsqrt)
EXACT_F32(sqrt, sqrtl)
EXACT_F32(ex2, ex2)
EXACT_F32(lg2, lg2)
EXACT_F32(sin, sine)
EXACT_F32(cos, cosine)
EXACT_F32(tanh, tanhl)

uint32_t px_exact_div_f32(uint32_t a, uint32_t b, bool ftz)
{
    return encode(decode(a, f32, ftz) / decode(b, f32, ftz), f32, ftz);
}

uint16_t px_exact_ex2_f16(uint16_t x)
{
    return (uint16_t)apply(ex2, x, f16, false);
}
uint16_t px_exact_tanh_f16(uint16_t x)
{
    return (uint16_t)apply(tanhl, x, f16, false);
}
uint16_t px_exact_ex2_bf16(uint16_t x)
{
    return (uint16_t)apply(ex2, x, bf16, true);
}
uint16_t px_exact_tanh_bf16(uint16_t x)
{
    return (uint16_t)apply(tanhl, x, bf16, false);
}

/* ---- f64, in integers ---- */

#define FRACTION64 0x000FFFFFFFFFFFFFull
#define INF64 0x7FF0000000000000ull
#define NAN64 0x7FFFFFFF00000000ull /* as MUFU gives it */
#define SIGN64 0x8000000000000000ull

/* 2^105 / m lies in (2^52, 2^53]; one more bit, then round: no quotient is a middle. */
uint64_t px_exact_rcp_ftz_f64(uint64_t x)
{
    uint64_t ax = x & ~SIGN64, sign = x & SIGN64, m = (x & FRACTION64) | 1ull << 52;
    if (ax > INF64) return NAN64;
    if (ax == INF64) return sign;
    if (ax < 1ull << 52) return sign | INF64;
    uint64_t q = (uint64_t)(((u128)1 << 106) / m); /* (2^53, 2^54] */
    q = (q + 1) >> 1;
    int64_t field = 2045 - (int64_t)(ax >> 52); /* of a quotient in [1/2, 1) */
    int64_t y = (field << 52) + (int64_t)(q - (1ull << 52));
    return y < (int64_t)1 << 52 ? sign : sign | (uint64_t)y;
}

/* Is r * r * m <= 2^k?  r < 2^54, m < 2^55, 128 < k < 192. */
static bool square_fits(uint64_t r, uint64_t m, int k)
{
    u128 s = (u128)r * r, low = (u128)(uint64_t)s * m, high = (u128)(uint64_t)(s >> 64) * m;
    high += low >> 64; /* the product >> 64 */
    uint64_t below = (uint64_t)low;
    u128 limit = (u128)1 << (k - 64);
    return high < limit || (high == limit && below == 0);
}

/* The greatest r with r * r * m <= 2^158, for 2^52 <= m < 2^54: 52 to 53 bits and one more. */
static uint64_t inverse_root(uint64_t m)
{
    uint64_t r = 0;
    for (int bit = 53; bit >= 0; bit--) {
        uint64_t next = r | 1ull << bit;
        if (square_fits(next, m, 158)) r = next;
    }
    return r;
}

static uint64_t rsqrt_positive(uint64_t ax)
{
    int e = (int)(ax >> 52) - 1075;
    uint64_t m = (ax & FRACTION64) | 1ull << 52;
    if (ax < 1ull << 52) {
        int shift = __builtin_clzll(ax) - 11;
        m = ax << shift;
        e = -1074 - shift;
    }
    if (e & 1) {
        m <<= 1;
        e--;
    }                             /* x = m * 2^e, e even */
    uint64_t r = inverse_root(m); /* 2^79/sqrt(m): (2^52, 2^53] */
    int scale = -79 - e / 2;      /* 1/sqrt(x) = r * 2^scale */
    int bits = 64 - __builtin_clzll(r);
    if (bits < 54) { /* one bit below the result's */
        uint64_t half = 2 * r;
        r = half | (uint64_t)square_fits(half + 1, m, 160);
        scale--;
        bits = 64 - __builtin_clzll(r);
    }
    uint64_t rounded = (r + 1) >> 1; /* middles do not occur */
    return ((uint64_t)(scale + 1 + 52 + 1023 - 1) << 52) + rounded;
}

uint64_t px_exact_rsqrt_f64(uint64_t x, bool ftz)
{
    uint64_t ax = x & ~SIGN64;
    if (ax > INF64) return NAN64;
    if (ax == 0 || (ftz && ax < 1ull << 52)) return (x & SIGN64) | INF64;
    if (x & SIGN64) return NAN64;
    return ax == INF64 ? 0 : rsqrt_positive(ax);
}

/* ---- over rows (levels.h); speed does not matter here ---- */

#define ROW(name, T, result)                                                                                 \
    static void row_##name(void *to, const void *from, const void *second, uint32_t n)                       \
    {                                                                                                        \
        T *d = to;                                                                                           \
        const T *a = from, *b = second;                                                                      \
        (void)b;                                                                                             \
        for (uint32_t i = 0; i < n; i++) d[i] = (T)(result);                                                 \
    }
#define BOTH(name)                                                                                           \
    ROW(name##_f32, uint32_t, px_exact_##name##_f32(a[i], false))                                            \
    ROW(name##_ftz_f32, uint32_t, px_exact_##name##_f32(a[i], true))
#define HALVES(name, function)                                                                               \
    ROW(name, uint16_t, function(a[i]))                                                                      \
    ROW(name##x2, uint32_t, function((uint16_t)a[i]) | (uint32_t)function((uint16_t)(a[i] >> 16)) << 16)

BOTH(rcp)
BOTH(rsqrt)
BOTH(sqrt)
BOTH(ex2)
BOTH(lg2)
BOTH(sin)
BOTH(cos)
ROW(tanh_f32, uint32_t, px_exact_tanh_f32(a[i], false))
ROW(div_f32, uint32_t, px_exact_div_f32(a[i], b[i], false))
ROW(div_ftz_f32, uint32_t, px_exact_div_f32(a[i], b[i], true))
ROW(divfull_f32, uint32_t, px_exact_div_f32(a[i], b[i], false))
ROW(divfull_ftz_f32, uint32_t, px_exact_div_f32(a[i], b[i], true))
ROW(rcp_ftz_f64, uint64_t, px_exact_rcp_ftz_f64(a[i]))
ROW(rsqrt_f64, uint64_t, px_exact_rsqrt_f64(a[i], false))
ROW(rsqrt_ftz_f64, uint64_t, px_exact_rsqrt_f64(a[i], true))
HALVES(ex2_f16, px_exact_ex2_f16)
HALVES(ex2_ftz_bf16, px_exact_ex2_bf16)
HALVES(tanh_f16, px_exact_tanh_f16)
HALVES(tanh_bf16, px_exact_tanh_bf16)
PX_ALL_FACTORS

const struct px_units px_units_exact = {{
#define PX_UNIT(name, result, flushes) [PX_UNIT_##name] = row_##name,
#include "approx/row_units.def"
}};
