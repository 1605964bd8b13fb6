/* approx.h - the approximate units of sm_90, bit for bit: rcp, rsqrt, sqrt, ex2, lg2, sin, cos, tanh
 * and the divisions made of them.
 *
 * Each unit is a quadratic interpolator in fixed point.  The operand's fraction is cut into an
 * index, which picks the coefficients C0, C1, C2, and an offset xl; the unit forms
 * C0 +- C1*xl +- C2*square(xl) with a squarer that lacks its low columns, and cuts the sum down to
 * a float.  Around that stand the scalings for subnormals that ptxas emits as extra instructions.
 * docs/fidelity-approx.md tells how structure and tables were found; approx.c holds the tables.
 *
 * Every function maps bits to bits, has no branch and no state, and uses 32-bit integer lanes, so
 * that a loop over it is vectorised.  The few floating-point operations (integer to float and back,
 * products in double) neither take nor give a subnormal, so FTZ and DAZ change nothing; rounding
 * must be to nearest.  `ftz` is meant to be a constant at the call.
 *
 * The px_exact_ functions give the correctly rounded results instead (approx_exact.c).
 */
#ifndef PX_APPROX_H
#define PX_APPROX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* C0 per interval, and C1 (17 bits) | C2 << 17 (15 bits). */
extern const uint32_t px_approx_rcp_c0[128], px_approx_rcp_c12[128];
extern const uint32_t px_approx_rsqrt_c0[128], px_approx_rsqrt_c12[128];
extern const uint32_t px_approx_sqrt_c0[128], px_approx_sqrt_c12[128];
extern const uint32_t px_approx_ex2_c0[64], px_approx_ex2_c12[64];
extern const uint32_t px_approx_lg2_c0[64], px_approx_lg2_c12[64];
extern const uint32_t px_approx_sin_c0[64], px_approx_sin_c12[64];
extern const uint32_t px_approx_tanh_c0[51], px_approx_tanh_c12[51];
extern const uint32_t px_approx_tanh_binades[16];

#define PX_APPROX_NAN 0x7FFFFFFFu
#define PX_APPROX_INF 0x7F800000u
#define PX_APPROX_ONE 0x3F800000u
#define PX_APPROX_MIN 0x00800000u      /* the least normal float */
#define PX_APPROX_SIGN 0x80000000u

/* ---- helpers ---- */

static inline float px_approx_as_float(uint32_t x)
{
    float f;
    memcpy(&f, &x, sizeof f);
    return f;
}

static inline uint32_t px_approx_as_bits(float f)
{
    uint32_t x;
    memcpy(&x, &f, sizeof x);
    return x;
}

static inline uint32_t px_approx_c1(uint32_t c12) { return c12 & 0x1FFFFu; }
static inline uint32_t px_approx_c2(uint32_t c12) { return c12 >> 17; }

/* The squarer: of the product array of x*x, 17 bits, the columns from 19 up.  With x = h*2^9 + l,
 * h*h gives one summand (its lowest diagonal bit lies in column 18 and is lost), h*l a triangle. */
static inline uint32_t px_approx_square(uint32_t x)
{
    uint32_t h = x >> 9, s = (h * h) >> 1;
    s += x & 0x100u ? h >> 1 : 0;
    s += x & 0x080u ? h >> 2 : 0;
    s += x & 0x040u ? h >> 3 : 0;
    s += x & 0x020u ? h >> 4 : 0;
    s += x & 0x010u ? h >> 5 : 0;
    s += x & 0x008u ? h >> 6 : 0;
    s += x & 0x004u ? h >> 7 : 0;
    return s;
}

/* |x| with a subnormal scaled by 2^24; zero gives nonsense. */
static inline uint32_t px_approx_normalize(uint32_t ax)
{
    uint32_t scaled = px_approx_as_bits((float)(int32_t)(ax & 0x7FFFFFu)) - (125u << 23);
    return ax < PX_APPROX_MIN ? scaled : ax;
}

/* The float that v's leading 24 bits make, v * 2^0, v < 0x7F800000. */
static inline uint32_t px_approx_cut(uint32_t v)
{
    float f = (float)(int32_t)v;
    uint32_t over = (int32_t)f > (int32_t)v;
    return px_approx_as_bits(f) - over;
}

/* ---- rcp ---- */

/* 1/1.f as float bits, in (0.5, 1]; f is the 23-bit fraction. */
static inline uint32_t px_approx_rcp_core(uint32_t f)
{
    uint32_t c0 = px_approx_rcp_c0[f >> 16], c12 = px_approx_rcp_c12[f >> 16], xl = f & 0xFFFFu;
    uint32_t t = px_approx_c1(c12) * xl - px_approx_c2(c12) * px_approx_square(xl << 1);
    t += ((~c0 & 3u) << 13) + 0x1818u;
    return 0x3E800000u + (c0 >> 2) - (t >> 15);
}

/* What `MUFU.RCP` gives for a normal magnitude; less than the least normal float becomes 0. */
static inline uint32_t px_approx_rcp_normal(uint32_t ax)
{
    uint32_t y = px_approx_rcp_core(ax & 0x7FFFFFu) + (127u << 23) - (ax & 0x7F800000u);
    return (int32_t)y < (int32_t)PX_APPROX_MIN ? 0 : y;
}

/* The subnormal result for 2^126 <= ax: the 24-bit result halved once or twice, to nearest even. */
static inline uint32_t px_approx_rcp_tiny(uint32_t r, uint32_t ax)
{
    uint32_t s = (r & 0x7FFFFFu) | 0x800000u;
    s = r == PX_APPROX_ONE ? 0x1000000u : s;
    uint32_t once = (s + ((s >> 1) & 1u)) >> 1, twice = (s + 1u + ((s >> 2) & 1u)) >> 2;
    return ax >= 0x7F000000u ? twice : once;
}

static inline uint32_t px_approx_rcp_f32(uint32_t x, bool ftz)
{
    uint32_t ax = x & 0x7FFFFFFFu, sign = x & PX_APPROX_SIGN, y;
    if (ftz) {
        y = px_approx_rcp_normal(ax);
        y = ax < PX_APPROX_MIN ? PX_APPROX_INF : y;
    } else {
        uint32_t n = px_approx_normalize(ax), r = px_approx_rcp_core(n & 0x7FFFFFu);
        y = r + (127u << 23) - (n & 0x7F800000u);
        uint32_t big = y + (24u << 23);
        big = big > PX_APPROX_INF ? PX_APPROX_INF : big;
        uint32_t tiny = px_approx_rcp_tiny(r, ax);
        y = (int32_t)y < (int32_t)PX_APPROX_MIN ? tiny : y;
        y = ax < PX_APPROX_MIN ? big : y;
        y = ax == 0 ? PX_APPROX_INF : y;
    }
    y = ax == PX_APPROX_INF ? 0 : y;
    return ax > PX_APPROX_INF ? PX_APPROX_NAN : y | sign;
}

/* ---- rsqrt, sqrt: two sets of intervals, for an even and an odd exponent ---- */

/* 2^24 / sqrt(v) for v = 1.f (field odd) or 2 * 1.f (field even), v > 1. */
static inline uint32_t px_approx_rsqrt_core(uint32_t n)
{
    uint32_t i = ((n >> 17) & 127u) ^ 64u, xl = n & 0x1FFFFu;
    uint32_t c0 = px_approx_rsqrt_c0[i], c12 = px_approx_rsqrt_c12[i], c1 = px_approx_c1(c12);
    uint32_t half = c1 * (xl >> 1) + (xl & 1u ? c1 >> 1 : 0);
    uint32_t t = half - 2u * px_approx_c2(c12) * px_approx_square(xl) + ((~c0 & 3u) << 13);
    return (c0 >> 2) - (t >> 15);
}

/* 1/sqrt of a positive normal. */
static inline uint32_t px_approx_rsqrt_normal(uint32_t n)
{
    uint32_t r = 0x3E800000u + px_approx_rsqrt_core(n);
    r = (n & 0xFFFFFFu) == 0x800000u ? PX_APPROX_ONE : r;
    return r + (64u << 23) - (((n + 0x800000u) >> 1) & 0x7F800000u);
}

static inline uint32_t px_approx_rsqrt_f32(uint32_t x, bool ftz)
{
    uint32_t ax = x & 0x7FFFFFFFu, y;
    uint32_t zero = ftz ? ax < PX_APPROX_MIN : ax == 0;
    if (ftz) {
        y = px_approx_rsqrt_normal(x);
    } else {
        y = px_approx_rsqrt_normal(px_approx_normalize(ax));
        y += ax < PX_APPROX_MIN ? 12u << 23 : 0;
    }
    y = x == PX_APPROX_INF ? 0 : y;
    y = x > PX_APPROX_INF ? PX_APPROX_NAN : y;
    return zero ? PX_APPROX_INF | (x & PX_APPROX_SIGN) : y;
}

/* 2^23 * sqrt(v), v as above. */
static inline uint32_t px_approx_sqrt_core(uint32_t n)
{
    uint32_t i = ((n >> 17) & 127u) ^ 64u, xl = n & 0x1FFFFu;
    uint32_t c0 = px_approx_sqrt_c0[i], c12 = px_approx_sqrt_c12[i], c1 = px_approx_c1(c12);
    uint32_t rest = c1 * (xl & 3u) - 2u * px_approx_c2(c12) * px_approx_square(xl) + 0x7FFFu + ((c0 & 3u) << 15);
    uint32_t t = c1 * (xl >> 2) + (uint32_t)((int32_t)rest >> 2);
    return (c0 >> 2) + (t >> 15);
}

static inline uint32_t px_approx_sqrt_normal(uint32_t n)
{
    return px_approx_sqrt_core(n) + 0x1F000000u + (((n + 0x800000u) >> 1) & 0x7F800000u);
}

static inline uint32_t px_approx_sqrt_f32(uint32_t x, bool ftz)
{
    uint32_t ax = x & 0x7FFFFFFFu, y;
    uint32_t zero = ftz ? ax < PX_APPROX_MIN : ax == 0;
    if (ftz) {
        y = px_approx_sqrt_normal(x);
    } else {
        y = px_approx_sqrt_normal(px_approx_normalize(ax));
        y -= ax < PX_APPROX_MIN ? 12u << 23 : 0;
    }
    y = x == PX_APPROX_INF ? PX_APPROX_INF : y;
    y = x > PX_APPROX_INF ? PX_APPROX_NAN : y;
    return zero ? x & PX_APPROX_SIGN : y;
}

/* ---- ex2 ---- */

/* 2^23 * 2^0.f */
static inline uint32_t px_approx_ex2_core(uint32_t f)
{
    uint32_t c0 = px_approx_ex2_c0[f >> 17], c12 = px_approx_ex2_c12[f >> 17], c1 = px_approx_c1(c12);
    uint32_t xl = f & 0x1FFFFu;
    uint32_t rest = px_approx_c2(c12) * px_approx_square(xl) + ((c0 & 3u) << 13) + 0x17E2u + (xl & 1u ? c1 : 0);
    uint32_t t = c1 * (xl >> 1) + (rest >> 1);
    return (c0 >> 2) + (t >> 14);
}

/* x in fixed point with 23 fraction bits, cut towards zero; a negative fraction is complemented,
 * which makes it one unit too low.  |x| < 256. */
static inline uint32_t px_approx_ex2_fixed(uint32_t x)
{
    uint32_t shift = 134u - ((x >> 23) & 255u);
    uint32_t v = (((x & 0x7FFFFFu) | 0x800000u) << 7) >> (shift > 31u ? 31u : shift);
    uint32_t negative = 0u - (x >> 31);
    return (v ^ negative) + ((v & 0x7FFFFFu) == 0 ? negative & 1u : 0);
}

/* `MUFU.EX2` but for NaN; a result below the least normal is 0. */
static inline uint32_t px_approx_ex2_unit(uint32_t x)
{
    uint32_t ax = x & 0x7FFFFFFFu, far = x >> 31 ? 0 : PX_APPROX_INF;
    uint32_t v = px_approx_ex2_fixed(x);
    uint32_t y = 0x3F000000u + px_approx_ex2_core(v & 0x7FFFFFu) + (v & 0xFF800000u);
    y = (int32_t)v >= 128 << 23 ? PX_APPROX_INF : y;
    y = (int32_t)v < -126 * (1 << 23) ? 0 : y;
    y = ax >= 0x43800000u ? far : y;
    return ax < PX_APPROX_MIN ? PX_APPROX_ONE : y;
}

/* d * 2^k as a multiple of 2^-149, to nearest even, for results up to 2^-125; -160 < k < 24. */
static inline uint32_t px_approx_round_tiny(double d, int32_t k)
{
    k = k < -100 ? -100 : k;
    double scale = (double)px_approx_as_float((uint32_t)(k + 127) << 23), magic = 0x1.8p52;
    return (uint32_t)(int32_t)(d * scale + magic - magic);
}

static inline uint32_t px_approx_ex2_f32(uint32_t x, bool ftz)
{
    uint32_t low = !ftz & (x > 0xC2FC0000u);                    /* below -126: root, then square */
    uint32_t y = px_approx_ex2_unit(x - (low ? 0x800000u : 0));
    if (!ftz) {
        double r = (double)(int32_t)((y & 0x7FFFFFu) | 0x800000u);
        uint32_t tiny = px_approx_round_tiny(r * r, 2 * ((int32_t)(y >> 23) - 127) + 103);
        tiny = y == 0 ? 0 : tiny;
        y = low ? tiny : y;
    }
    return (x & 0x7FFFFFFFu) > PX_APPROX_INF ? PX_APPROX_NAN : y;
}

/* ---- lg2 ---- */

/* |log2| of a positive normal other than 1. */
static inline uint32_t px_approx_lg2_normal(uint32_t n)
{
    uint32_t f = n & 0x7FFFFFu, xl = f & 0x1FFFFu;
    uint32_t c0 = px_approx_lg2_c0[f >> 17], c12 = px_approx_lg2_c12[f >> 17], c1 = px_approx_c1(c12);
    uint32_t rest = (xl & 1u ? c1 : 0) - 2u * px_approx_c2(c12) * px_approx_square(xl) + 0x345u + ((c0 & 3u) << 12);
    uint32_t q = c1 * (xl >> 1) + (uint32_t)((int32_t)rest >> 1);
    uint32_t hi = (c0 >> 2) + (q >> 13), lo = ((q & 0x1FFFu) << 1) | (rest & 1u);   /* 24 + 14 bits of fraction */
    uint32_t below = n < PX_APPROX_ONE, whole = (n >> 23) - 127u;
    whole = below ? ~whole : whole;                                     /* -(E + s), one unit low: complement */
    hi = below ? 0xFFFFFFu - hi : hi;
    lo = below ? 0x3FFFu - lo : lo;
    uint32_t v = (hi << 12) | (lo >> 2), scale = 36u << 23;            /* nothing below 2^-36 is kept */
    uint32_t wide = hi >= 0x40000u;
    v = wide ? (hi << 6) | (lo >> 8) : v;
    scale = wide ? 30u << 23 : scale;
    v = whole ? (whole << 24) + hi : v;
    scale = whole ? 24u << 23 : scale;
    return px_approx_cut(v) - scale;
}

static inline uint32_t px_approx_lg2_f32(uint32_t x, bool ftz)
{
    uint32_t ax = x & 0x7FFFFFFFu, n = ftz ? ax : px_approx_normalize(ax), y;
    uint32_t zero = ftz ? ax < PX_APPROX_MIN : ax == 0;
    y = px_approx_lg2_normal(n);
    if (!ftz) {                                                 /* y - 24, in units of 2^-17 */
        int32_t v = (int32_t)((y & 0x7FFFFFu) | 0x800000u) + (24 << 17);
        uint32_t moved = px_approx_as_bits((float)v) - (17u << 23);
        y = ax < PX_APPROX_MIN ? moved : y;
    }
    y |= n < PX_APPROX_ONE ? PX_APPROX_SIGN : 0;
    y = x == PX_APPROX_ONE ? 0 : y;
    y = x == PX_APPROX_INF ? PX_APPROX_INF : y;
    y = x > PX_APPROX_INF ? PX_APPROX_NAN : y;
    return zero ? 0xFF800000u : y;
}

/* ---- sin, cos: turns = x * (1/2pi) cut to 24 bits, then a quarter of a turn in 23 bits ---- */

static inline uint32_t px_approx_turns(uint32_t ax)
{
    uint32_t m = (ax & 0x7FFFFFu) | 0x800000u, high = m >> 12, low = m & 0xFFFu;
    uint32_t product = m * 0xA2u + ((high * 0xF983u + ((low * 0xF983u) >> 12)) >> 4);   /* m * 0xA2F983 >> 16 */
    uint32_t top = product >> 31, significand = product >> (7u + top);
    int32_t shift = (int32_t)((ax >> 23) + top) - 128;
    uint32_t left = (uint32_t)(shift > 31 ? 31 : shift < 0 ? 0 : shift);
    uint32_t right = (uint32_t)(shift < -31 ? 31 : shift > 0 ? 0 : -shift);
    return (significand << left) >> right;
}

static inline uint32_t px_approx_sin_core(uint32_t r)
{
    uint32_t c0 = px_approx_sin_c0[r >> 17], c12 = px_approx_sin_c12[r >> 17], xl = r & 0x1FFFFu;
    uint32_t t = px_approx_c1(c12) * xl - px_approx_c2(c12) * px_approx_square(xl);
    uint32_t hi = c0 + (t >> 12), lo = t & 0xFFFu;                     /* 25 + 12 bits of fraction */
    uint32_t wide = hi >= 0x80000u;
    uint32_t v = wide ? (hi << 5) | (lo >> 7) : (hi << 12) | lo;
    uint32_t y = px_approx_cut(v) - (wide ? 30u << 23 : 37u << 23);
    return v == 0 ? 0 : y;
}

static inline uint32_t px_approx_sin_f32(uint32_t x, bool ftz)
{
    (void)ftz;
    uint32_t ax = x & 0x7FFFFFFFu, turns = px_approx_turns(ax);
    uint32_t r = (turns & 0x800000u ? ~turns : turns) & 0x7FFFFFu;
    uint32_t sign = (x ^ (turns << 7)) & PX_APPROX_SIGN;
    uint32_t y = px_approx_sin_core(r) | sign;
    return ax >= PX_APPROX_INF ? PX_APPROX_NAN : y;
}

static inline uint32_t px_approx_cos_f32(uint32_t x, bool ftz)
{
    (void)ftz;
    uint32_t ax = x & 0x7FFFFFFFu, turns = px_approx_turns(ax);
    uint32_t r = (turns & 0x800000u ? turns : ~turns) & 0x7FFFFFu;
    uint32_t sign = ((turns + 0x800000u) << 7) & PX_APPROX_SIGN;
    uint32_t y = px_approx_sin_core(r) | sign;
    return ax >= PX_APPROX_INF ? PX_APPROX_NAN : y;
}

/* ---- tanh: the identity below 2^-8, 51 intervals up to 8, then 1 ---- */

static inline uint32_t px_approx_tanh_f32(uint32_t x)
{
    uint32_t ax = x & 0x7FFFFFFFu, f = ax & 0x7FFFFFu, exponent = ax >> 23;
    uint32_t binade = px_approx_tanh_binades[(exponent - 119u) & 15u];  /* base, index bits, scale */
    uint32_t bits = (binade >> 8) & 15u, drop = binade >> 16;
    uint32_t i = ((binade & 63u) + (f >> (23u - bits))) & 63u, xl = (f >> (6u - bits)) & 0x1FFFFu;
    i = i > 50u ? 50u : i;
    uint32_t c0 = px_approx_tanh_c0[i], c12 = px_approx_tanh_c12[i], c1 = px_approx_c1(c12);
    uint32_t rest = (xl & 1u ? c1 : 0) - px_approx_c2(c12) * px_approx_square(xl);
    uint32_t q = c1 * (xl >> 1) + (uint32_t)((int32_t)rest >> 1);
    uint32_t r = 2u * c0 + (q >> (drop));                          /* 25 fraction bits */
    uint32_t y = r & 0x1000000u ? (126u << 23) + ((r >> 1) & 0x7FFFFFu) : (125u << 23) + (r & 0x7FFFFFu);
    y -= exponent < 127u ? (126u - exponent) << 23 : 0;
    y = exponent < 119u ? ax : y;
    y = exponent > 129u ? PX_APPROX_ONE : y;
    return ax > PX_APPROX_INF ? PX_APPROX_NAN : y | (x & PX_APPROX_SIGN);
}

/* ---- division: a * rcp(b), rounded to nearest ---- */

/* a * r * 2^e, a and r magnitudes: r normal, a not zero. */
static inline uint32_t px_approx_mul(uint32_t a, uint32_t r, int32_t e, bool ftz)
{
    uint32_t n = ftz ? a : px_approx_normalize(a);
    e += (int32_t)(n >> 23) + (int32_t)(r >> 23) - 254 - (ftz || a >= PX_APPROX_MIN ? 0 : 24);
    double p = (double)px_approx_as_float((n & 0x7FFFFFu) | PX_APPROX_ONE)
             * (double)px_approx_as_float((r & 0x7FFFFFu) | PX_APPROX_ONE);
    uint32_t y = px_approx_as_bits((float)p);
    int32_t exponent = (int32_t)(y >> 23) + e;
    uint32_t tiny = ftz ? 0 : px_approx_round_tiny(p, e + 149 > 23 ? 23 : e + 149);
    y += (uint32_t)e << 23;
    y = exponent > 254 ? PX_APPROX_INF : y;
    return exponent < 1 ? tiny : y;
}

/* a / b with the reciprocal r of b * 2^-e. */
static inline uint32_t px_approx_quotient(uint32_t a, uint32_t r, int32_t e, bool ftz)
{
    uint32_t ax = a & 0x7FFFFFFFu;
    uint32_t zero = ftz ? ax < PX_APPROX_MIN : ax == 0;
    uint32_t y = px_approx_mul(ax, r, e, ftz);
    y = zero | (r == 0) ? 0 : y;
    y = (ax == PX_APPROX_INF) | (r == PX_APPROX_INF) ? PX_APPROX_INF : y;
    uint32_t wrong = (zero & (r == PX_APPROX_INF)) | ((ax == PX_APPROX_INF) & (r == 0)) | (ax > PX_APPROX_INF);
    return wrong ? PX_APPROX_NAN : y;
}

static inline uint32_t px_approx_divide(uint32_t a, uint32_t b, bool full, bool ftz)
{
    uint32_t bx = b & 0x7FFFFFFFu, sub = bx < PX_APPROX_MIN;
    uint32_t big = full & (bx > 0x7E800000u) & (bx < PX_APPROX_INF);
    uint32_t n = ftz ? bx : px_approx_normalize(bx);
    uint32_t r = px_approx_rcp_normal(n - (big ? 2u << 23 : 0));
    r = (ftz ? sub : bx == 0) ? PX_APPROX_INF : r;
    r = bx == PX_APPROX_INF ? 0 : r;
    int32_t e = (big ? -2 : 0) + ((!ftz) & sub ? 24 : 0);
    uint32_t y = px_approx_quotient(a, r, e, ftz);
    uint32_t wrong = (y == PX_APPROX_NAN) | (bx > PX_APPROX_INF);
    return wrong ? PX_APPROX_NAN : y | ((a ^ b) & PX_APPROX_SIGN);
}

static inline uint32_t px_approx_div_f32(uint32_t a, uint32_t b, bool ftz)
{
    return px_approx_divide(a, b, false, ftz);
}

static inline uint32_t px_approx_divfull_f32(uint32_t a, uint32_t b, bool ftz)
{
    return px_approx_divide(a, b, true, ftz);
}

/* ---- f16, bf16: the f32 unit, its result cut ---- */

static inline uint32_t px_approx_f16_to_f32(uint16_t h)
{
    uint32_t ax = h & 0x7FFFu, sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t sub = px_approx_as_bits((float)(int32_t)ax) - (24u << 23);
    uint32_t y = (ax << 13) + (112u << 23);
    y = ax < 0x400u ? (ax ? sub : 0) : y;
    y = ax >= 0x7C00u ? (ax << 13) | PX_APPROX_INF : y;
    return y | sign;
}

/* Towards zero; below the least normal a shift. */
static inline uint16_t px_approx_f32_to_f16_cut(uint32_t x)
{
    uint32_t ax = x & 0x7FFFFFFFu, sign = (x >> 16) & 0x8000u;
    uint32_t shift = 126u - (ax >> 23);
    uint32_t sub = ((ax & 0x7FFFFFu) | 0x800000u) >> (shift > 31u ? 31u : shift);
    uint32_t y = (ax >> 13) - (112u << 10);
    y = ax < 0x38800000u ? sub : y;
    y = ax >= 0x47800000u ? 0x7C00u : y;
    return (uint16_t)(ax > PX_APPROX_INF ? 0x7FFFu : y | sign);
}

static inline uint16_t px_approx_f32_to_bf16_cut(uint32_t x)
{
    return (uint16_t)((x & 0x7FFFFFFFu) > PX_APPROX_INF ? 0x7FFFu : x >> 16);
}

static inline uint16_t px_approx_ex2_f16(uint16_t x)
{
    return px_approx_f32_to_f16_cut(px_approx_ex2_f32(px_approx_f16_to_f32(x), true));
}

static inline uint16_t px_approx_tanh_f16(uint16_t x)
{
    return px_approx_f32_to_f16_cut(px_approx_tanh_f32(px_approx_f16_to_f32(x)));
}

static inline uint16_t px_approx_ex2_bf16(uint16_t x)
{
    return px_approx_f32_to_bf16_cut(px_approx_ex2_f32((uint32_t)x << 16, true));
}

static inline uint16_t px_approx_tanh_bf16(uint16_t x)
{
    return px_approx_f32_to_bf16_cut(px_approx_tanh_f32((uint32_t)x << 16));
}

/* ---- f64: the f32 tables on the upper word; the lower word of the result is 0 ---- */

static inline uint64_t px_approx_rcp_ftz_f64(uint64_t x)
{
    uint32_t hi = (uint32_t)(x >> 32), ax = hi & 0x7FFFFFFFu, sign = hi & PX_APPROX_SIGN;
    uint32_t r = px_approx_rcp_core((ax & 0xFFFFFu) << 3);              /* a float in (0.5, 1] */
    uint32_t y = (r >> 3) + (896u << 20) + (1023u << 20) - (ax & 0x7FF00000u);
    y = (int32_t)y < 0x100000 ? 0 : y;
    y = ax < 0x100000u ? 0x7FF00000u : y;
    y = ax == 0x7FF00000u ? 0 : y;
    y = ax > 0x7FF00000u ? 0x7FFFFFFFu : y | sign;
    return (uint64_t)y << 32;
}

/* `MUFU.RSQ64H`, upper word to upper word. */
static inline uint32_t px_approx_rsq64h(uint32_t hi)
{
    uint32_t n = ((hi & 0xFFFFFu) << 3) | ((hi << 3) & 0x800000u);      /* fraction, lowest exponent bit */
    uint32_t r = 0x3E800000u + px_approx_rsqrt_core(n);
    r = n == 0x800000u ? PX_APPROX_ONE : r;
    uint32_t y = (r >> 3) + (896u << 20) + (512u << 20) - (((hi + 0x100000u) >> 1) & 0x7FF00000u);
    y = hi == 0x7FF00000u ? 0 : y;
    y = hi > 0x7FF00000u ? 0x7FFFFFFFu : y;
    return (hi & 0x7FFFFFFFu) < 0x100000u ? 0x7FF00000u | (hi & PX_APPROX_SIGN) : y;
}

static inline double px_approx_as_double(uint64_t x)
{
    double d;
    memcpy(&d, &x, sizeof d);
    return d;
}

/* One Newton step from the unit's value; x positive and normal. */
static inline uint64_t px_approx_rsqrt_f64_step(uint64_t x)
{
    double d = px_approx_as_double(x), y = px_approx_as_double((uint64_t)px_approx_rsq64h((uint32_t)(x >> 32)) << 32);
    double e = __builtin_fma(d, -(y * y), 1.0);
    y = __builtin_fma(__builtin_fma(e, 0.375, 0.5), y * e, y);
    uint64_t bits;
    memcpy(&bits, &y, sizeof bits);
    return bits;
}

static inline uint64_t px_approx_rsqrt_f64(uint64_t x, bool ftz)
{
    uint64_t ax = x & 0x7FFFFFFFFFFFFFFFull, sign = x & 0x8000000000000000ull;
    if (ftz) return (uint64_t)px_approx_rsq64h((uint32_t)(x >> 32)) << 32;
    double m = (double)(int64_t)(ax & 0xFFFFFFFFFFFFFull);              /* a subnormal, times 2^1074 */
    uint64_t scaled;
    memcpy(&scaled, &m, sizeof scaled);
    scaled -= 1020ull << 52;                                            /* times 2^54 */
    uint64_t sub = ax < 0x0010000000000000ull;
    uint64_t y = px_approx_rsqrt_f64_step(sub ? scaled : ax);
    y += sub ? 27ull << 52 : 0;
    y = ax == 0x7FF0000000000000ull ? 0 : y;
    y = sign ? 0xFFF8000000000000ull : y;
    y = ax > 0x7FF0000000000000ull ? x | 0x0008000000000000ull : y;
    return ax == 0 ? sign | 0x7FF0000000000000ull : y;
}

#endif
