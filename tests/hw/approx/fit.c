/* fit.c - finds the coefficient tables of the approximate units from recorded values.
 *
 *   fit UNIT DUMP... >table.c        (the dumps of run.sh, unpacked)
 *
 * Model: the operand's fraction is cut into an index (its upper bits) and xl (17 bits; rcp 16).
 *
 *   sum = K[index] + s1 * C1[index] * xl * 2^c1_shift + s2 * C2[index] * square(xl) * 2^c2_shift
 *
 * in fixed point with `weight` fraction bits, and the result is the sum cut down to a float.
 * square() is the product array of xl left-aligned to 17 bits without the columns below 19.  Every
 * recorded result bounds the sum: lo <= sum <= hi.  For one interval these are linear inequalities
 * in the integers (K, C1, C2).  All solutions near a least-squares fit are tried; a right structure
 * leaves exactly one (C1, C2) and a short range of K, a wrong one leaves none.  K = C0 << c0_shift
 * + bias, with one bias for the whole table: the ranges are intersected modulo 2^c0_shift.
 *
 * tanh has its intervals spread over eleven binades, each with its own scale (`binades`).
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t i64;
typedef struct {
    i64 lo, hi;
    int32_t xl;
    int32_t sq;
} point;
typedef struct {
    point *p;
    size_t n, cap;
    int c1_shift, c2_shift;
} interval;
typedef struct {
    i64 kmin, kmax;
    int c1, c2;
    size_t count;
} solution;

typedef struct model {
    const char *name;
    int index_bits; /* of the 23-bit fraction */
    int weight;     /* fraction bits of the sum */
    int c0_shift, c1_shift, c2_shift;
    int s1, s2;
    int floor_bits; /* the result keeps no bits of the sum below this one */
    int tables;     /* intervals in all */
} model;

static const model models[] = {
    {"rcp", 7, 56, 30, 17, 17, -1, +1, 0, 128},  {"rsqrt", 6, 57, 31, 17, 19, -1, +1, 0, 128},
    {"sqrt", 6, 58, 33, 18, 19, +1, -1, 0, 128}, {"ex2", 6, 57, 32, 19, 19, +1, +1, 0, 64},
    {"lg2", 6, 56, 30, 18, 19, +1, -1, 20, 64},  {"sin", 6, 56, 31, 19, 19, +1, -1, 0, 64},
    {"tanh", 6, 56, 32, 0, 0, +1, -1, 0, 64},
};

/* Of tanh, from 2^-8 up: the binade's first interval, its index bits, the shift of C1 and C2. */
static const struct {
    int base, bits, shift;
} binades[11] = {
    {0, 0, 23},  {4, 0, 23},  {8, 0, 23},  {12, 1, 21}, {16, 1, 21}, {20, 2, 20},
    {24, 2, 20}, {28, 2, 20}, {32, 3, 19}, {48, 4, 17}, {40, 3, 18},
};

static int32_t square(uint32_t x)
{
    i64 s = 0;
    for (int i = 0; i < 17; i++) {
        if (!(x >> i & 1)) continue;
        if (2 * i >= 19) s += (i64)1 << 2 * i;
        for (int j = i + 1; j < 17; j++)
            if ((x >> j & 1) && i + j + 1 >= 19) s += (i64)1 << (i + j + 1);
    }
    return (int32_t)(s >> 19);
}

static uint64_t *read_dump(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    uint64_t *v = malloc((size_t)8 << 23), last = 0;
    *n = 0;
    for (int c; (c = getc(f)) != EOF;) {
        uint64_t z = 0;
        int shift = 0;
        for (; c & 128; c = getc(f), shift += 7) z |= (uint64_t)(c & 127) << shift;
        z |= (uint64_t)c << shift;
        last += (z >> 1) ^ -(z & 1);
        v[(*n)++] = last;
    }
    fclose(f);
    return v;
}

/* One inequality, from the result y whose value counts as y * 2^-scale. */
static void add(const model *m, interval *t, uint32_t xl, uint32_t y, int scale)
{
    if (t->n == t->cap) t->p = realloc(t->p, (t->cap = t->cap ? t->cap * 2 : 1024) * sizeof *t->p);
    point *p = &t->p[t->n++];
    int shift = m->weight - 23 + (int)(y >> 23 & 255) - 127 - scale;
    i64 significand = (y & 0x7fffff) | 0x800000;
    p->xl = (int32_t)xl;
    p->sq = square(m->index_bits == 7 ? xl << 1 : xl);
    p->lo = shift >= 0 ? significand << shift : significand >> -shift;
    p->hi = p->lo + ((i64)1 << (shift > m->floor_bits ? shift : m->floor_bits)) - 1;
}

static uint32_t mul_rz(uint32_t x, uint32_t y) /* normal, positive */
{
    uint64_t p = (uint64_t)((x & 0x7fffff) | 0x800000) * ((y & 0x7fffff) | 0x800000);
    uint32_t e = (x >> 23) + (y >> 23) - 127 + (uint32_t)(p >> 47);
    return (e << 23) | ((p >> (23 + (p >> 47))) & 0x7fffff);
}

/* sin works on the quarter turn: turns = x / 2pi, 25 fraction bits, the upper two the quadrant. */
static void add_sin(const model *m, interval *t, uint32_t x, uint32_t y)
{
    uint32_t turns = mul_rz(x, 0x3e22f983);
    int shift = (int)(turns >> 23) - 127 + 2;
    uint64_t significand = (turns & 0x7fffff) | 0x800000;
    uint64_t fixed = shift >= 0 ? significand << shift : shift > -64 ? significand >> -shift : 0;
    uint32_t r = (fixed ^ (fixed >> 23 & 1 ? 0x7fffff : 0)) & 0x7fffff;
    if (y & 0x7fffffff) add(m, &t[r >> 17], r & 0x1ffff, y & 0x7fffffff, 0);
}

static void add_tanh(const model *m, interval *t, uint32_t x, uint32_t y)
{
    int e = (int)(x >> 23) - 127, bits = binades[e + 8].bits;
    interval *s = &t[binades[e + 8].base + (int)((x & 0x7fffff) >> (23 - bits))];
    s->c1_shift = s->c2_shift = binades[e + 8].shift;
    add(m, s, x >> (6 - bits) & 0x1ffff, y, e < 0 ? e + 1 : 0);
}

static void add_any(const model *m, interval *t, uint32_t x, uint32_t y)
{
    int low_bits = 23 - m->index_bits, even = !(x >> 23 & 1);
    uint32_t index = (x & 0x7fffff) >> low_bits, xl = x & ((1u << low_bits) - 1);
    if (x == 0x3f800000 && m->name[0] != 'e') return; /* 1 is exact in rsqrt and lg2 */
    if (m->tables == 128 && m->index_bits == 6 && !even) index += 64;
    add(m, &t[index], xl, y, m->name[0] == 'e');
}

static void load(const model *m, interval *t, const char *path)
{
    size_t n;
    uint64_t *v = read_dump(path, &n);
    uint32_t first = (uint32_t)strtoul(strrchr(path, '-') + 1, 0, 16);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t x = first + k, y = (uint32_t)v[k];
        if (!strcmp(m->name, "sin"))
            add_sin(m, t, x, y);
        else if (!strcmp(m->name, "tanh"))
            add_tanh(m, t, x, y);
        else
            add_any(m, t, x, y);
    }
    free(v);
}

/* Least squares for the middle of the bounds = a + b x + c x^2, x in [0,1): estimates of C1, C2. */
static void estimate(const model *m, const interval *t, double *c1, double *c2)
{
    double s[5] = {0}, r[3] = {0}, scale = pow(2, m->index_bits - 23);
    for (size_t k = 0; k < t->n; k++) {
        const point *p = &t->p[k];
        double x = p->xl * scale, q = 1;
        double y = (double)(p->lo - t->p[0].lo) + (double)(p->hi - p->lo) / 2;
        for (int i = 0; i < 5; i++, q *= x) {
            s[i] += q;
            if (i < 3) r[i] += q * y;
        }
    }
    double a[3][4] = {{s[0], s[1], s[2], r[0]}, {s[1], s[2], s[3], r[1]}, {s[2], s[3], s[4], r[2]}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double f = a[j][i] / a[i][i];
            for (int k = 0; k < 4 && j != i; k++) a[j][k] -= f * a[i][k];
        }
    *c1 = a[1][3] / a[1][1] * scale * m->s1 * pow(2, -t->c1_shift);
    double square_scale = m->index_bits == 7 ? 4 : 1;
    *c2 = a[2][3] / a[2][2] * scale * scale * m->s2 * pow(2, 19 - t->c2_shift) / square_scale;
}

static int feasible(const model *m, const interval *t, size_t step, solution *s)
{
    i64 a = m->s1 * s->c1 * ((i64)1 << t->c1_shift), b = m->s2 * s->c2 * ((i64)1 << t->c2_shift);
    i64 lo = INT64_MIN, hi = INT64_MAX;
    for (size_t k = 0; k < t->n; k += step) {
        i64 v = a * t->p[k].xl + b * t->p[k].sq;
        i64 l = t->p[k].lo - v, h = t->p[k].hi - v;
        lo = l > lo ? l : lo;
        hi = h < hi ? h : hi;
    }
    s->kmin = lo;
    s->kmax = hi;
    return lo <= hi;
}

/* Tries the (C1, C2) around the estimate; a C2 off by d tilts C1. */
static solution solve(const model *m, const interval *t)
{
    double e1, e2;
    solution found = {0};
    estimate(m, t, &e1, &e2);
    double tilt = pow(2, 17 + t->c2_shift - t->c1_shift - 19) * m->s1 * m->s2 * (m->index_bits == 7 ? 2 : 1);
    for (int d2 = -24; d2 <= 24; d2++)
        for (int d1 = -24; d1 <= 24; d1++) {
            solution s = {.c2 = (int)lrint(e2) + d2};
            s.c1 = (int)lrint(e1 + tilt * (e2 - s.c2)) + d1;
            if (!feasible(m, t, 97, &s) || !feasible(m, t, 1, &s)) continue;
            s.count = found.count + 1;
            found = s;
        }
    return found;
}

/* The biases that suit all intervals: an interval of [0, 2^c0_shift). */
static int common_bias(const model *m, const solution *s, i64 *lo, i64 *hi)
{
    i64 period = (i64)1 << m->c0_shift, base = s[0].kmin;
    *lo = 0;
    *hi = s[0].kmax - base;
    for (int i = 1; i < m->tables; i++) {
        i64 d = ((s[i].kmin - base) % period + period) % period;
        if (d > period / 2) d -= period;
        i64 e = d + s[i].kmax - s[i].kmin;
        if (d > *lo) *lo = d;
        if (e < *hi) *hi = e;
    }
    int good = *lo <= *hi;
    *lo = (base + *lo) & (period - 1);
    *hi = (base + *hi) & (period - 1);
    return good;
}

static void print_tables(const model *m, const solution *s, i64 bias)
{
    printf("#define PX_APPROX_TABLE_%s(X)", m->name);
    for (int i = 0; i < m->tables; i++)
        printf("%s X(0x%07llx, 0x%05x, 0x%04x)", i % 4 ? "" : " \\\n   ",
               (unsigned long long)((s[i].kmax - bias) >> m->c0_shift), (unsigned)s[i].c1, (unsigned)s[i].c2);
    printf("\n\n");
}

int main(int argc, char **argv)
{
    const model *m = models;
    if (argc < 3) {
        fprintf(stderr, "use: fit UNIT DUMP...\n");
        return 2;
    }
    while (m < models + sizeof models / sizeof *models - 1 && strcmp(m->name, argv[1])) m++;
    interval t[128] = {0};
    solution s[128] = {0};
    for (int i = 0; i < m->tables; i++) {
        t[i].c1_shift = m->c1_shift;
        t[i].c2_shift = m->c2_shift;
    }
    for (int i = 2; i < argc; i++) load(m, t, argv[i]);
    for (int i = 0; i < m->tables; i++) {
        if (!t[i].n) {
            s[i] = s[0];
            continue;
        } /* tanh leaves gaps */
        s[i] = solve(m, &t[i]);
        if (s[i].count != 1) fprintf(stderr, "interval %d: %zu solutions\n", i, s[i].count);
    }
    i64 lo, hi;
    int good = common_bias(m, s, &lo, &hi);
    int max1 = 0, max2 = 0;
    for (int i = 0; i < m->tables; i++) {
        if (s[i].c1 > max1) max1 = s[i].c1;
        if (s[i].c2 > max2) max2 = s[i].c2;
    }
    printf("/* %s: bias %#llx..%#llx, greatest C1 %#x, C2 %#x%s */\n", m->name, (unsigned long long)lo,
           (unsigned long long)hi, max1, max2, good ? "" : ", NO COMMON BIAS");
    print_tables(m, s, hi);
    return 0;
}
