/*
 * mma_plain.c - one element of a floating-point product in integer arithmetic, for every operand there is.
 *
 * The vector code computes the usual element; what meets an infinity, a NaN or a result outside the normal
 * range comes here.
 */
#include "ops/mma.h"
#include "ops/mma_number.h"

enum kind { ZERO, FINITE, INFINITE, NOT_A_NUMBER };

/* significand * 2^(exponent - fraction) */
struct number {
    enum kind kind;
    uint32_t sign, significand, fraction;
    int32_t exponent;
};

struct sum {
    int32_t exponent; /* the largest; PX_MMA_NOTHING: all are zero */
    bool nan, inf[2]; /* inf: of either sign */
};

static struct number number_of(enum px_mma_type type, uint32_t v)
{
    v = px_mma_widened(&type, v);
    uint32_t fraction = px_mma_fraction(type), width = px_mma_exponent(type);
    uint32_t top = (1u << width) - 1, e = v >> fraction & top, m = v & ((1u << fraction) - 1);
    struct number n = {.sign = v >> (fraction + width) & 1, .significand = m, .fraction = fraction};
    int32_t bias = (int32_t)(top >> 1);
    n.kind = e == top ? m ? NOT_A_NUMBER : INFINITE : e | m ? FINITE : ZERO;
    n.exponent = (int32_t)(e ? e : 1) - bias;
    if (e) n.significand |= 1u << fraction;
    return n;
}

/* An element of a factor; native: a subnormal of e4m3 has the least normal exponent. */
static struct number factor_of(enum px_mma_type type, uint32_t v, bool native)
{
    struct number n = number_of(type, v);
    if (native && type == PX_MMA_E4M3 && n.kind == FINITE && n.exponent < PX_MMA_E4M3_LEAST)
        n.fraction += (uint32_t)(PX_MMA_E4M3_LEAST - n.exponent), n.exponent = PX_MMA_E4M3_LEAST;
    return n;
}

static void look(struct sum *s, const struct number *a, const struct number *b)
{
    if (a->kind == NOT_A_NUMBER || b->kind == NOT_A_NUMBER)
        s->nan = true;
    else if (a->kind == INFINITE || b->kind == INFINITE) {
        if (a->kind == ZERO || b->kind == ZERO)
            s->nan = true;
        else
            s->inf[a->sign ^ b->sign] = true;
    } else if (a->kind == FINITE && b->kind == FINITE && a->exponent + b->exponent > s->exponent)
        s->exponent = a->exponent + b->exponent;
}

/* The product in units of 2^(exponent - kept), cut. */
static int64_t cut(const struct number *a, const struct number *b, int32_t exponent, int32_t kept)
{
    if (a->kind != FINITE || b->kind != FINITE) return 0;
    int64_t p = (int64_t)a->significand * b->significand;
    int32_t down = exponent - a->exponent - b->exponent + (int32_t)(a->fraction + b->fraction) - kept;
    p = down <= 0 ? p << -down : down > 62 ? 0 : p >> down;
    return a->sign ^ b->sign ? -p : p;
}

/* magnitude * 2^unit, rounded: to f16 to nearest even, to f32 toward zero. */
static uint32_t rounded(enum px_mma_type type, uint32_t sign, uint64_t magnitude, int32_t unit)
{
    bool half = type == PX_MMA_F16;
    int32_t fraction = half ? 10 : 23, least = half ? -14 : -126, most = half ? 15 : 127;
    if (!magnitude) return 0;
    int32_t e = unit + 63 - __builtin_clzll(magnitude), down = (e < least ? least : e) - fraction - unit;
    uint64_t m = down <= 0 ? magnitude << -down : down > 63 ? 0 : magnitude >> down;
    if (half && down > 0 && down <= 63) {
        uint64_t rest = magnitude & ((1ull << down) - 1), tie = 1ull << (down - 1);
        m += rest > tie || (rest == tie && m & 1);
    }
    if (!m) return 0;
    if (e < least) e = least;
    uint64_t bits =
        ((uint64_t)(uint32_t)(e - least) << fraction) + m; /* a carry out of m goes into the exponent */
    uint64_t infinite = (uint64_t)(uint32_t)(most - least + 2) << fraction;
    return (uint32_t)(bits < infinite ? bits : infinite) | sign << (half ? 15 : 31);
}

/* One step: n products and c; `kept` bits stay behind the largest exponent, or `least`. */
static uint32_t step(const struct number *a, const struct number *b, uint32_t n, struct number c,
                     enum px_mma_type d, int32_t kept, int32_t least)
{
    static const struct number one = {FINITE, 0, 1, 0, 0};
    uint32_t half = d == PX_MMA_F16;
    struct sum s = {.exponent = PX_MMA_NOTHING};
    for (uint32_t i = 0; i < n; i++) look(&s, &a[i], &b[i]);
    look(&s, &c, &one);
    if (s.nan || (s.inf[0] && s.inf[1])) return half ? 0x7fff : 0x7fffffff;
    if (s.inf[0] || s.inf[1])
        return half ? 0x7c00u | (uint32_t)s.inf[1] << 15 : 0x7f800000u | (uint32_t)s.inf[1] << 31;
    if (s.exponent == PX_MMA_NOTHING) return 0;
    if (s.exponent < least) s.exponent = least;
    int64_t sum = cut(&c, &one, s.exponent, kept);
    for (uint32_t i = 0; i < n; i++) sum += cut(&a[i], &b[i], s.exponent, kept);
    uint32_t r = rounded(d, sum < 0, (uint64_t)(sum < 0 ? -sum : sum), s.exponent - kept);
    return half ? r : r & px_mma_mask(kept);
}

/* c + d, rounded to nearest. */
static uint32_t added(enum px_mma_type type, uint32_t c, uint32_t d)
{
    struct number a = number_of(type, c), b = number_of(type, d);
    if (type == PX_MMA_F16) { /* exact in a step, whose rounding is the one of add.f16 */
        static const struct number one = {FINITE, 0, 1, 0, 0};
        if (a.kind == ZERO && b.kind == ZERO) return (a.sign & b.sign) << 15;
        return step(&a, &one, 1, b, type, PX_MMA_KEPT, PX_MMA_NOTHING);
    }
    float x, y;
    memcpy(&x, &c, 4), memcpy(&y, &d, 4);
    x += y;
    memcpy(&d, &x, 4);
    return x != x ? 0x7fffffff : d;
}

uint32_t px_mma_dot(const struct px_mma *op, const struct px_mma_data *data, uint32_t row, uint32_t col)
{
    enum px_mma_type tx = (enum px_mma_type)op->x, ty = (enum px_mma_type)op->y,
                     acc = (enum px_mma_type)op->d;
    const uint32_t *x = (const uint32_t *)data->x + row * px_mma_words(tx, op->k);
    const uint32_t *y = (const uint32_t *)data->y + col * px_mma_words(ty, op->ky);
    bool halves = op->flags & PX_MMA_HALVES, native = op->flags & PX_MMA_NATIVE;
    int32_t kept = px_mma_kept(op);
    uint32_t at = row * op->cols + col, each = halves ? op->k / 2u : op->step ? op->step : op->k;
    uint32_t c = acc == PX_MMA_F16 ? ((const uint16_t *)data->c)[at] : ((const uint32_t *)data->c)[at];
    uint32_t r = halves ? 0 : c;
    struct number a[PX_MMA_STEP_MAX], b[PX_MMA_STEP_MAX];
    for (uint32_t done = 0; done < op->k; done += each) {
        for (uint32_t n = 0; n < each; n++) {
            uint32_t k = halves ? n / 2 * 4 + (n & 1) + (done ? 2 : 0) : done + n;
            uint32_t at_y = data->at ? data->at[row * op->k + k] : k;
            a[n] = factor_of(tx, px_mma_element(x, px_mma_bits(tx), k), native);
            b[n] = factor_of(ty, px_mma_element(y, px_mma_bits(ty), at_y), native);
        }
        r = step(a, b, each, number_of(acc, r), acc, kept, px_mma_least(op));
    }
    return halves ? added(acc, c, r) : r;
}
