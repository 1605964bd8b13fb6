/*
 * tensor.c - what one element of a matrix product is (docs/fidelity.md, "Matrices" and "Products of
 * warpgroups").
 *
 * Everything is exact in double. What a chip does with floating-point sums is no part of the manual: in a
 * step, products and the sum so far are cut to some bits behind the largest exponent, added, and rounded
 * once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "matrix.h"

/* Bits behind the largest exponent; of wgmma's fp8 units, whose f32 results have as many of fraction. */
enum { KEPT = 25, KEPT_FP8 = 13, F32_FRACTION = 23 };

/* ---- numbers ---- */

unsigned ref_element_bits(const char *type)
{
    if (!strcmp(type, "e4m3") || !strcmp(type, "e5m2")) return 8;
    if (!strcmp(type, "bf16")) return 16;
    if (!strcmp(type, "tf32")) return 32;
    return (unsigned)atoi(type + 1);
}

static double float_of(uint64_t bits, int width, int fraction)
{
    int top = (1 << width) - 1, bias = top / 2, e = (int)(bits >> fraction) & top;
    uint64_t m = bits & ((1ull << fraction) - 1);
    double sign = bits >> (width + fraction) & 1 ? -1 : 1;
    if (e == top) return m ? NAN : sign * INFINITY;
    return sign * (e ? ldexp((double)(m | 1ull << fraction), e - bias - fraction)
                     : ldexp((double)m, 1 - bias - fraction));
}

static double number_of(const char *type, uint64_t bits)
{
    if (!strcmp(type, "f16")) return float_of(bits, 5, 10);
    if (!strcmp(type, "bf16")) return float_of(bits, 8, 7);
    if (!strcmp(type, "tf32")) return float_of(bits >> 13 << 13, 8, 23);
    if (!strcmp(type, "e5m2")) return float_of(bits, 5, 2);
    if (!strcmp(type, "f32")) return float_of(bits, 8, 23);
    if ((bits & 0x7f) == 0x7f) return NAN; /* e4m3: the highest exponent has numbers */
    return (bits & 0x80 ? -1 : 1) * (bits & 0x78 ? ldexp((double)((bits & 7) | 8), (int)(bits >> 3 & 15) - 10)
                                                 : ldexp((double)(bits & 7), -9));
}

/* Exponent of a number as an element of the type: subnormal ones have the least normal one, but fp8 becomes
 * f16 first where the units know none. */
static int exponent_of(const struct ref_matrix *x, const char *type, double v)
{
    const bool narrow = !strcmp(type, "f16") || !strcmp(type, "e5m2") || !strcmp(type, "e4m3");
    int least = !strcmp(type, "e4m3") && x->group ? -6 : narrow ? -14 : -126, e = ilogb(v);
    return e < least ? least : e;
}

static uint64_t f32_toward_zero(double x)
{
    float f = (float)x;
    uint32_t bits;
    if (isfinite(x) && fabs((double)f) > fabs(x)) f = nextafterf(f, 0.0f);
    if (fabs(x) >= 0x1p128) f = x < 0 ? -INFINITY : INFINITY;
    memcpy(&bits, &f, 4);
    return x != x ? 0x7fffffff : f == 0 ? 0 : bits;
}

static uint64_t f16_to_nearest(double x)
{
    if (x != x) return 0x7fff;
    uint64_t sign = signbit(x) ? 0x8000 : 0;
    if (x == 0) return 0;
    if (fabs(x) >= 65520) return sign | 0x7c00;
    int e = ilogb(x) < -14 ? -14 : ilogb(x);
    uint64_t m = (uint64_t)rint(ldexp(fabs(x), 10 - e));
    return m ? sign | (((uint64_t)(e + 14) << 10) + m) : 0;
}

static float f32_of(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float f;
    memcpy(&f, &word, 4);
    return f;
}

static uint64_t bits_of_f32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return f != f ? 0x7fffffff : bits;
}

/* ---- floats ---- */

/* How an instruction's sum is made: in so many steps, of these bits. */
struct steps {
    unsigned n;
    bool fp8_by_f16;  /* mma of fp8: each step takes two of every four k, and c comes last */
    int kept, lowest; /* no step's exponent is below `lowest` */
    const char *type; /* of the sum between steps */
};

static struct steps steps_of(const struct ref_matrix *x)
{
    const bool fp8 = ref_element_bits(x->a) == 8, tf32 = !strcmp(x->a, "tf32");
    struct steps s = {.n = 1, .kept = KEPT, .lowest = INT32_MIN, .type = strcmp(x->c, x->d) ? "f32" : x->d};
    s.fp8_by_f16 = fp8 && !x->group;
    if (s.fp8_by_f16 || (tf32 && x->wmma)) s.n = 2;
    if (fp8 && x->group) s.kept = KEPT_FP8;
    if (x->group && !strcmp(x->d, "f16")) s.lowest = -46 + KEPT;
    return s;
}

struct addends {
    double of[REF_K_MAX + 1];
    unsigned n;
    int top; /* the largest exponent */
    double special;
};

static void add(struct addends *s, double v, int exponent)
{
    if (!isfinite(v))
        s->special += v;
    else if (v != 0) {
        s->of[s->n++] = v;
        if (exponent > s->top) s->top = exponent;
    }
}

static double sum_of(const struct addends *s, int kept)
{
    double sum = 0;
    if (s->special != 0) return s->special;
    for (unsigned i = 0; i < s->n; i++) sum += trunc(ldexp(s->of[i], kept - s->top));
    return s->n ? ldexp(sum, s->top - kept) : 0;
}

static bool is_of_step(const struct ref_matrix *x, const struct steps *s, unsigned step, unsigned k)
{
    return s->n == 1 || (s->fp8_by_f16 ? k / 2 % 2 : k / (x->k / 2)) == step;
}

static double one_step(const struct ref_matrix *x, const struct steps *s, const struct ref_row_and_column *v,
                       unsigned step, double before)
{
    struct addends sum = {.top = s->lowest};
    const unsigned terms = x->sparse ? x->k / 2 : x->k;
    for (unsigned k = 0; k < terms; k++) {
        if (!is_of_step(x, s, step, k)) continue;
        const double a = number_of(x->a, v->a[k]) * (x->a_minus ? -1 : 1),
                     b = number_of(x->b, v->b[k]) * (x->b_minus ? -1 : 1);
        const bool plain = a != 0 && b != 0 && isfinite(a) && isfinite(b);
        add(&sum, a * b, plain ? exponent_of(x, x->a, a) + exponent_of(x, x->b, b) : 0);
    }
    add(&sum, before, before != 0 && isfinite(before) ? exponent_of(x, s->type, before) : 0);
    return sum_of(&sum, s->kept);
}

/* .satfinite clamps what the rounding would make infinite, and leaves infinities. */
static uint64_t narrowed(const struct ref_matrix *x, double v)
{
    const uint64_t bits = f16_to_nearest(v);
    if (bits == 0 && signbit(v)) return 0x8000;
    return x->saturate && isfinite(v) && (bits & 0x7fff) == 0x7c00 ? bits - 1 : bits;
}

static uint64_t c_on_top(const struct ref_matrix *x, double r, const struct ref_row_and_column *v)
{
    const double c = number_of(x->c, v->c);
    if (strcmp(x->d, "f16")) return bits_of_f32((float)c + (float)r);
    return c == 0 && r == 0 ? v->c & (signbit(r) ? 0x8000 : 0) : f16_to_nearest(c + r);
}

static uint64_t float_element(const struct ref_matrix *x, const struct ref_row_and_column *v)
{
    const struct steps s = steps_of(x);
    const bool half = !strcmp(s.type, "f16");
    double r = s.fp8_by_f16 ? 0 : number_of(x->c, v->c);
    uint64_t bits = 0;
    for (unsigned step = 0; step < s.n; step++) {
        r = one_step(x, &s, v, step, r);
        bits = half ? f16_to_nearest(r) : f32_toward_zero(r);
        r = number_of(s.type, bits);
    }
    if (s.fp8_by_f16) return c_on_top(x, r, v);
    if (!strcmp(x->d, "f16")) return half ? bits : narrowed(x, r);
    return s.kept == KEPT || r != r ? bits : bits >> (F32_FRACTION - KEPT_FP8) << (F32_FRACTION - KEPT_FP8);
}

/* ---- integers, doubles ---- */

static int64_t integer_of(const char *type, uint64_t v)
{
    unsigned bits = ref_element_bits(type);
    return type[0] == 's' && v >> (bits - 1) ? (int64_t)v - (1ll << bits) : (int64_t)v;
}

static uint64_t integer_element(const struct ref_matrix *x, const struct ref_row_and_column *v)
{
    const bool bit = !strcmp(x->a, "b1");
    int64_t sum = (int32_t)v->c;
    for (unsigned k = 0; k < (x->sparse ? x->k / 2 : x->k); k++)
        sum += bit ? (int64_t)(x->xor ? v->a[k] ^ v->b[k] : v->a[k] & v->b[k])
                   : integer_of(x->a, v->a[k]) * integer_of(x->b, v->b[k]);
    if (x->saturate) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

/* A chain in the order of k; of NaNs that of b comes before that of the sum so far and of a. */
static uint64_t double_element(const struct ref_matrix *x, const struct ref_row_and_column *v)
{
    uint64_t sum = v->c;
    for (unsigned k = 0; k < x->k; k++) {
        double a, b, c, r;
        memcpy(&a, &v->a[k], 8), memcpy(&b, &v->b[k], 8), memcpy(&c, &sum, 8);
        ref_fp_set(x->mode);
        r = fma(a, b, c);
        ref_fp_set(0);
        memcpy(&sum, &r, 8);
        if (r != r) sum = 0xfff8000000000000u;
        const double nan = b != b ? b : c != c ? c : a;
        if (nan != nan) memcpy(&sum, &nan, 8), sum |= 1ull << 51;
    }
    return sum;
}

uint64_t ref_element(const struct ref_matrix *x, const struct ref_row_and_column *v)
{
    if (!strcmp(x->a, "f64")) return double_element(x, v);
    return !strcmp(x->d, "s32") ? integer_element(x, v) : float_element(x, v);
}

/* m8n8k4 of f16: the scalar units' arithmetic (docs/fidelity.md). */
uint64_t ref_quad_element(const struct ref_matrix *x, const uint64_t a[4], const uint64_t b[4], uint64_t c)
{
    float p[4], q[4], sum = 0;
    const float c32 = !strcmp(x->c, "f16") ? (float)number_of("f16", c) : f32_of(c);
    for (unsigned k = 0; k < 4; k++)
        p[k] = (float)number_of("f16", a[k]), q[k] = (float)number_of("f16", b[k]);
    if (!strcmp(x->d, "f16")) {
        const float r = (c32 + fmaf(p[1], q[1], p[0] * q[0])) + fmaf(p[3], q[3], p[2] * q[2]);
        const uint64_t half = f16_to_nearest((double)r);
        return half ? half : signbit(r) ? 0x8000 : 0;
    }
    for (unsigned k = 0; k < 4; k++) sum = fmaf(p[k], q[k], sum);
    return bits_of_f32(sum + c32);
}
