/* test_approx.c - the approximate units' two faces agree, special values, and the correctly rounded
 * functions against MPFR.
 *
 * That the units equal the chip is tests/hw/approx_check.c's business; here stand a few recorded
 * results as anchors.  A correctly rounded result y must have the exact value between the middles
 * that y makes with its neighbours; the exact value comes from MPFR with 200 bits.  MPFR is loaded
 * at run time; without its header or library that test is skipped with a word.
 */
#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "approx/approx.h"
#include "gang/record.h"
#include "approx/levels.h"
#include "suite.h"

#if defined(__has_include)
#if __has_include(<mpfr.h>)
#define WITH_MPFR 1
#include <mpfr.h>
#endif
#endif

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static const uint32_t specials[] = {
    0x00000000, 0x00000001, 0x007FFFFF, 0x00800000, 0x00800001, 0x3F7FFFFF, 0x3F800000,
    0x3F800001, 0x40000000, 0x42FC0000, 0x43000000, 0x7E800000, 0x7E800001, 0x7F000000,
    0x7F000001, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF,
};
enum { SPECIALS = sizeof specials / sizeof *specials };

/* Specials of both signs, then noise. */
static void fill(uint32_t *x, int n, uint64_t seed)
{
    for (int i = 0; i < n; i++) {
        uint64_t r = next_random(&seed);
        x[i] =
            r & 1 ? (uint32_t)(r >> 32) : specials[(r >> 8) % SPECIALS] ^ ((uint32_t)(r >> 40) & 0x80000000u);
    }
}

/* ---- rows and single values ---- */

enum { MOST = 600 };

#define CHECK_UNIT(name, ftz)                                                                                \
    do {                                                                                                     \
        px_approx_##name##_f32_row(d, a, n, ftz);                                                            \
        for (int i = 0; i < n; i++) assert_int_equal(d[i], px_approx_##name##_f32(a[i], ftz));               \
        assert_int_equal(d[n], 0xABCD);                                                                      \
        memcpy(d, a, (size_t)n * sizeof *d);                                                                 \
        px_approx_##name##_f32_row(d, d, n, ftz);                                                            \
        for (int i = 0; i < n; i++) assert_int_equal(d[i], px_approx_##name##_f32(a[i], ftz));               \
    } while (0)
#define CHECK_DIVISION(name, ftz)                                                                            \
    do {                                                                                                     \
        px_approx_##name##_f32_row(d, a, b, n, ftz);                                                         \
        for (int i = 0; i < n; i++) assert_int_equal(d[i], px_approx_##name##_f32(a[i], b[i], ftz));         \
        assert_int_equal(d[n], 0xABCD);                                                                      \
    } while (0)
#define BOTH(check, name)                                                                                    \
    do {                                                                                                     \
        check(name, false);                                                                                  \
        check(name, true);                                                                                   \
    } while (0)

/* Ordinary operands take a way of their own: `kind` 0 special ones, 1 all magnitudes, 2 those near 1. */
static void fill_kind(uint32_t *x, int n, uint64_t seed, int kind)
{
    fill(x, n, seed);
    for (int i = 0; i < n && kind; i++) {
        uint64_t r = next_random(&seed);
        uint32_t sign = kind == 2 ? (uint32_t)r & 0x80000000u : 0;
        uint32_t first = kind == 2 ? 0x22000000u : 0x00800000u, last = kind == 2 ? 0x5A000000u : 0x7E800000u;
        x[i] = sign | (first + (uint32_t)((r >> 32) % (last - first + 1u)));
    }
}

static void check_rows(int n, uint64_t seed, int kind)
{
    static uint32_t a[MOST], b[MOST], d[MOST + 1];
    fill_kind(a, n, seed, kind);
    fill_kind(b, n, seed + 1, kind);
    d[n] = 0xABCD;
    BOTH(CHECK_UNIT, rcp);
    BOTH(CHECK_UNIT, rsqrt);
    BOTH(CHECK_UNIT, sqrt);
    BOTH(CHECK_UNIT, ex2);
    BOTH(CHECK_UNIT, lg2);
    BOTH(CHECK_UNIT, sin);
    BOTH(CHECK_UNIT, cos);
    BOTH(CHECK_UNIT, tanh);
    BOTH(CHECK_DIVISION, div);
    BOTH(CHECK_DIVISION, divfull);
}

TEST(rows_equal_single_values)
{
    for (int kind = 0; kind < 3; kind++) {
        for (int n = 1; n <= 40; n++) check_rows(n, (uint64_t)n, kind);
        for (uint64_t seed = 100; seed < 300; seed++) check_rows(256, seed, kind);
        check_rows(MOST, 78, kind);
    }
}

/* ---- what kernels run, at every SIMD level of this machine ---- */

typedef struct single {
    enum px_unit unit;
    uint32_t (*one)(uint32_t, bool);
    uint32_t (*two)(uint32_t, uint32_t, bool);
    bool ftz;
} single;

#define ONE(name)                                                                                            \
    {PX_UNIT_##name##_f32, px_approx_##name##_f32, NULL, false},                                             \
    {                                                                                                        \
        PX_UNIT_##name##_ftz_f32, px_approx_##name##_f32, NULL, true                                         \
    }
#define TWO(name)                                                                                            \
    {PX_UNIT_##name##_f32, NULL, px_approx_##name##_f32, false},                                             \
    {                                                                                                        \
        PX_UNIT_##name##_ftz_f32, NULL, px_approx_##name##_f32, true                                         \
    }
static const single singles[] = {
    ONE(rcp), ONE(rsqrt), ONE(sqrt), ONE(ex2),     ONE(lg2),
    ONE(sin), ONE(cos),   TWO(div),  TWO(divfull), {PX_UNIT_tanh_f32, px_approx_tanh_f32, NULL, false},
};

/* The row function, writing elsewhere or over an operand; n is a multiple of 32. */
static void check_single(const struct px_units *units, const single *s, const uint32_t *a, const uint32_t *b,
                         int n)
{
    static uint32_t d[256], e[256];
    memcpy(e, b, (size_t)n * sizeof *e);
    units->row[s->unit](d, a, b, (uint32_t)n);
    units->row[s->unit](e, s->one ? b : a, e, (uint32_t)n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(d[i], s->one ? s->one(a[i], s->ftz) : s->two(a[i], b[i], s->ftz));
        assert_int_equal(e[i], s->one ? s->one(b[i], s->ftz) : s->two(a[i], b[i], s->ftz));
    }
}

/* Kinds as above; one lane in 50 is of kind 0 where `mixed` says so. */
static void check_level(const struct px_units *units, uint64_t seed, int kind, bool mixed)
{
    static uint32_t a[256], b[256], c[256];
    fill_kind(a, 256, seed, kind);
    fill_kind(b, 256, seed + 1, kind);
    fill(c, 256, seed + 2);
    for (int i = 0; i < 256 && mixed; i++)
        if (next_random(&seed) % 50 == 0) a[i] = c[i], b[255 - i] = c[255 - i];
    for (size_t k = 0; k < sizeof singles / sizeof *singles; k++) check_single(units, &singles[k], a, b, 256);
}

/* The sets of functions that this machine runs; returns how many. */
static int runnable(const struct px_units **to)
{
    int n = 0;
    to[n++] = &px_units_portable;
#ifdef __x86_64__
    const struct px_level *avx512 = px_level_named("avx512");
    if (px_level_named("avx2")) to[n++] = &px_units_avx2;
    if (avx512) to[n++] = &px_units_avx512;
    if (avx512 && px_level_units(avx512) != &px_units_avx512) to[n++] = px_level_units(avx512);
#endif
    return n;
}

TEST(levels_equal_single_values)
{
    const struct px_units *sets[4];
    int n = runnable(sets);
    for (int l = 0; l < n; l++)
        for (uint64_t seed = 500; seed < 600; seed++)
            for (int kind = 0; kind < 3; kind++) check_level(sets[l], seed, kind, seed & 1);
}

/* ---- f64 (all upper words are approx_check's business) ---- */

static const uint64_t specials64[] = {
    0,
    1,
    0x00000000FFFFFFFF,
    0x0000000100000000,
    0x000FFFFFFFFFFFFF,
    0x0010000000000000,
    0x0010000000000001,
    0x07AFFFFFFFFFFFFF,
    0x07B0000000000000,
    0x3FEFFFFFFFFFFFFF,
    0x3FF0000000000000,
    0x3FF0000000000001,
    0x4000000000000000,
    0x4010000000000000,
    0x4010000012345678,
    0x783FFFFFFFFFFFFF,
    0x7840000000000000,
    0x7FCFFFFFFFFFFFFF,
    0x7FD0000000000000,
    0x7FD0000000000001,
    0x7FD0000100000000,
    0x7FE0000000000000,
    0x7FEFFFFFFFFFFFFF,
    0x7FF0000000000000,
    0x7FF0000000000001,
    0x7FF8000000000000,
    0x7FFFFFFFFFFFFFFF,
};

/* kind 0: specials and any bits, 1: positive normals, 2: near 1, powers of two among them. */
static uint64_t operand64(uint64_t *seed, int kind)
{
    uint64_t r = next_random(seed), s = next_random(seed);
    if (kind == 0)
        return r & 1 ? s : specials64[s % (sizeof specials64 / sizeof *specials64)] ^ (r & (1ull << 63));
    if (kind == 1) return 0x0010000000000000 + s % 0x7FE0000000000000;
    return 0x3F00000000000000 + (s >> 10 & (r & 1 ? 0x01FFFFFFFFFFFFFF : 0x01F0000000000000));
}

static void check_f64_row(px_unit_row *row, uint64_t (*one)(uint64_t), const uint64_t *a)
{
    static uint64_t d[256], over[256];
    memcpy(over, a, sizeof over);
    row(d, a, a, 256);
    row(over, over, over, 256);
    for (int i = 0; i < 256; i++) {
        if (d[i] != one(a[i])) fail_msg("%016lx: %016lx", (unsigned long)a[i], (unsigned long)d[i]);
        assert_int_equal(over[i], d[i]);
    }
}

static uint64_t rsqrt_f64(uint64_t x)
{
    return px_approx_rsqrt_f64(x, false);
}
static uint64_t rsqrt_ftz_f64(uint64_t x)
{
    return px_approx_rsqrt_f64(x, true);
}

TEST(f64_equals_single_values)
{
    static uint64_t a[256];
    const struct px_units *sets[4];
    int n = runnable(sets);
    for (uint64_t seed = 1; seed < 400; seed++) {
        uint64_t r = seed;
        int kind = (int)(seed % 3), rare = seed & 8 ? 50 : 1000000;
        for (int i = 0; i < 256; i++) a[i] = operand64(&r, next_random(&r) % (uint64_t)rare ? kind : 0);
        for (int l = 0; l < n; l++) {
            check_f64_row(sets[l]->row[PX_UNIT_rcp_ftz_f64], px_approx_rcp_ftz_f64, a);
            check_f64_row(sets[l]->row[PX_UNIT_rsqrt_ftz_f64], rsqrt_ftz_f64, a);
            check_f64_row(sets[l]->row[PX_UNIT_rsqrt_f64], rsqrt_f64, a);
        }
    }
}

/* ---- halves: all inputs, at every place of a vector, among their neighbours and among any others ---- */

typedef struct half {
    enum px_unit unit, packed;
    uint16_t (*one)(uint16_t);
} half;

static const half halves[] = {
    {PX_UNIT_ex2_f16, PX_UNIT_ex2_f16x2, px_approx_ex2_f16},
    {PX_UNIT_tanh_f16, PX_UNIT_tanh_f16x2, px_approx_tanh_f16},
    {PX_UNIT_ex2_ftz_bf16, PX_UNIT_ex2_ftz_bf16x2, px_approx_ex2_bf16},
    {PX_UNIT_tanh_bf16, PX_UNIT_tanh_bf16x2, px_approx_tanh_bf16},
};

/* All inputs, `first` before the others and then every stride-th (odd), in rows of 256; results over operands
 * if `over`. */
static void check_halves(px_unit_row *row, bool packed, const uint16_t *want, uint16_t first, uint16_t stride,
                         bool over)
{
    static uint16_t a[256], d[256], x[256];
    for (uint32_t k = 0; k < 65536; k += 256) {
        for (uint32_t i = 0; i < 256; i++) x[i] = a[i] = (uint16_t)(first + (k + i) * stride);
        row(over ? a : d, a, a, packed ? 128 : 256);
        for (uint32_t i = 0; i < 256; i++)
            if ((over ? a : d)[i] != want[x[i]])
                fail_msg("%04x: %04x, not %04x", x[i], (over ? a : d)[i], want[x[i]]);
    }
}

TEST(halves_equal_single_values)
{
    const struct px_units *sets[4];
    int n = runnable(sets);
    static uint16_t want[65536];
    for (size_t h = 0; h < sizeof halves / sizeof *halves; h++) {
        for (uint32_t x = 0; x < 65536; x++) want[x] = halves[h].one((uint16_t)x);
        for (int l = 0; l < n; l++) {
            px_unit_row *row = sets[l]->row[halves[h].unit], *packed = sets[l]->row[halves[h].packed];
            int places = l < 2 ? 2 : 32; /* AVX-512 has vectors written by hand */
            for (uint16_t first = 0; first < places; first++)
                check_halves(row, false, want, first, 1, first & 1);
            for (uint16_t stride = 1; stride < 60000; stride += 19996) {
                check_halves(row, false, want, 0, stride, false);
                check_halves(packed, true, want, 0, stride, false);
                check_halves(packed, true, want, 1, stride, true);
            }
        }
    }
}

/* ---- anchors: results recorded on an H200 ---- */

TEST(recorded_values)
{
    assert_int_equal(px_approx_rsqrt_f32(0x3F800000, false), 0x3F800000);
    assert_int_equal(px_approx_lg2_f32(0x3F000000, true), 0xBF7FFFFE); /* lg2(0.5) is not -1 */
    assert_int_equal(px_approx_lg2_f32(0x3E800000, true), 0xBFFFFFFF);
    assert_int_equal(px_approx_lg2_f32(0x3F800001, true), 0x3495F600);
    assert_int_equal(px_approx_sin_f32(0x39800000, true), 0x397FDA92);
    assert_int_equal(px_approx_cos_f32(0x39800000, true), 0x3F7FFFFF);
    assert_int_equal(px_approx_tanh_f32(0x3B7FFFFF, false), 0x3B7FFFFF);
    assert_int_equal(px_approx_tanh_f32(0x3F000000, false), 0x3EEC9A50);
    assert_int_equal(px_approx_tanh_f16(0x3C00), 0x3A17);
    assert_int_equal(px_approx_ex2_f16(0x3C00), 0x4000);
    assert_int_equal(px_approx_tanh_bf16(0x3F00), 0x3EEC);
    assert_int_equal(px_approx_ex2_bf16(0x3F83), 0x4002);
}

struct unit_case {
    uint32_t (*unit)(uint32_t x, bool ftz);
    uint32_t x;
    bool ftz;
    uint32_t y;
};

#define UNIT(name, x, y)                                                                                     \
    {                                                                                                        \
        px_##name##_f32, x, false, y                                                                         \
    }
#define FTZ(name, x, y)                                                                                      \
    {                                                                                                        \
        px_##name##_f32, x, true, y                                                                          \
    }

TEST(special_values)
{
    static const struct unit_case cases[] = {
        /* clang-format off */
        UNIT(approx_rcp, 0x80000000, 0xFF800000), UNIT(approx_rcp, 0x7F800000, 0),
        UNIT(approx_rcp, 0x7F800001, 0x7FFFFFFF), UNIT(approx_rcp, 0x00000001, 0x7F800000),
        UNIT(approx_rcp, 0x7F000000, 0x00400000), FTZ(approx_rcp, 0x7F000000, 0),
        UNIT(approx_rsqrt, 0x80000000, 0xFF800000), UNIT(approx_rsqrt, 0x80000001, 0x7FFFFFFF),
        FTZ(approx_rsqrt, 0x80000001, 0xFF800000), UNIT(approx_ex2, 0xFF800000, 0),
        UNIT(approx_lg2, 0x00000000, 0xFF800000), UNIT(approx_sin, 0x7F800000, 0x7FFFFFFF),
        UNIT(approx_sin, 0x80000000, 0x80000000),
        UNIT(exact_rcp, 0x80000000, 0xFF800000), FTZ(exact_rcp, 0x00400000, 0x7F800000),
        FTZ(exact_rcp, 0x7F000000, 0), UNIT(exact_rsqrt, 0x80000000, 0xFF800000),
        UNIT(exact_lg2, 0x3F000000, 0xBF800000), UNIT(exact_lg2, 0xBF800000, 0x7FFFFFFF),
        UNIT(exact_ex2, 0x43000000, 0x7F800000), UNIT(exact_ex2, 0xFF7FFFFF, 0),
        UNIT(exact_sin, 0x7F800000, 0x7FFFFFFF), UNIT(exact_tanh, 0xFF800000, 0xBF800000),
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(cases[i].unit(cases[i].x, cases[i].ftz), cases[i].y);
    assert_int_equal(px_approx_div_f32(0x3F800000, 0x00000000, false), 0x7F800000);
    assert_int_equal(px_approx_div_f32(0x3F800000, 0x7F000000, false), 0); /* the flushed reciprocal */
    assert_int_equal(px_approx_divfull_f32(0x3F800000, 0x7F000000, false), 0x00400000);
}

/* ---- correct rounding ---- */

TEST(exact_special_values_of_other_shapes)
{
    assert_int_equal(px_exact_div_f32(0x00000000, 0x00000000, false), 0x7FFFFFFF);
    assert_int_equal(px_exact_ex2_f16(0x4C00), 0x7C00);
    assert_true(px_exact_rcp_ftz_f64(0x4008000000000000) == 0x3FD5555555555555);
    assert_true(px_exact_rcp_ftz_f64(0x3FF0000000000000) == 0x3FF0000000000000);
    assert_true(px_exact_rsqrt_f64(0x4010000000000000, false) == 0x3FE0000000000000);
    assert_true(px_exact_rsqrt_f64(0x0000000000000001, false) == 0x6180000000000000);
}

#ifdef WITH_MPFR

/* The functions of MPFR that are used, from the library loaded at run time. */
/* clang-format off */
#define MPFR_LIST(X) \
    X(init2) X(clear) X(set_d) X(cmp3) X(add) X(div) X(div_2ui) X(ui_div) X(exp2) X(log2) X(sin) X(cos) \
    X(tanh) X(rec_sqrt) X(sqrt)
/* clang-format on */

typedef struct library {
#define MEMBER(name) __typeof__(mpfr_##name) *name;
    MPFR_LIST(MEMBER)
    mpfr_t x, y, exact, low, high;
} library;

static bool load(library *m)
{
    void *handle = dlopen("libmpfr.so.6", RTLD_NOW);
    if (!handle) return false;
#define LOAD(name)                                                                                           \
    if (!(*(void **)&m->name = dlsym(handle, "mpfr_" #name))) return false;
    MPFR_LIST(LOAD)
    mpfr_ptr all[] = {m->x, m->y, m->exact, m->low, m->high};
    for (int i = 0; i < 5; i++) m->init2(all[i], 200);
    return true;
}

static void unload(library *m)
{
    mpfr_ptr all[] = {m->x, m->y, m->exact, m->low, m->high};
    for (int i = 0; i < 5; i++) m->clear(all[i]);
}

static float as_float(uint32_t x)
{
    return px_float_b32(x);
}
static double as_double(uint64_t x)
{
    return px_float_b64(x);
}

/* Is m->exact between the middles of y with its neighbours below and above? */
static bool between(library *m, double below, double y, double above)
{
    m->set_d(m->x, y, MPFR_RNDN);
    m->set_d(m->low, below, MPFR_RNDN);
    m->set_d(m->high, above, MPFR_RNDN);
    m->add(m->low, m->low, m->x, MPFR_RNDN);
    m->add(m->high, m->high, m->x, MPFR_RNDN);
    m->div_2ui(m->low, m->low, 1, MPFR_RNDN);
    m->div_2ui(m->high, m->high, 1, MPFR_RNDN);
    return m->cmp3(m->low, m->exact, 1) <= 0 && m->cmp3(m->exact, m->high, 1) <= 0;
}

/* y and its neighbours as values of a 16- or 32-bit format. */
static double value(uint32_t y, int fraction, int exponent)
{
    uint32_t magnitude = y & ((1u << (fraction + exponent)) - 1), field = magnitude >> fraction;
    uint32_t f = magnitude & ((1u << fraction) - 1);
    double v = ldexp(field ? f | 1u << fraction : f,
                     (int)(field ? field : 1) - ((1 << (exponent - 1)) - 1) - fraction);
    return y >> (fraction + exponent) ? -v : v;
}

static bool rounds_to(library *m, uint32_t y, int fraction, int exponent)
{
    uint32_t sign = 1u << (fraction + exponent), magnitude = y & (sign - 1);
    uint32_t infinity = ((1u << exponent) - 1) << fraction;
    if (magnitude > infinity) return false;
    double here = fabs(value(magnitude, fraction, exponent));
    double above = magnitude == infinity ? INFINITY : value(magnitude + 1, fraction, exponent);
    double below = magnitude ? value(magnitude - 1, fraction, exponent) : -value(1, fraction, exponent);
    if (magnitude == infinity) here = ldexp(1.0, 1 << (exponent - 1));
    return y & sign ? between(m, -above, -here, -below) : between(m, below, here, above);
}

typedef struct subject {
    const char *name;
    uint32_t (*ours)(uint32_t, bool);
    uint32_t first, last; /* magnitudes tried */
    bool both_signs;
} subject;

static const subject subjects[] = {
    {"rcp", px_exact_rcp_f32, 0x00000001, 0x7F7FFFFF, true},
    {"rsqrt", px_exact_rsqrt_f32, 0x00000001, 0x7F7FFFFF, false},
    {"sqrt", px_exact_sqrt_f32, 0x00000001, 0x7F7FFFFF, false},
    {"ex2", px_exact_ex2_f32, 0x20000000, 0x43170000, true},
    {"lg2", px_exact_lg2_f32, 0x00000001, 0x7F7FFFFF, false},
    {"sin", px_exact_sin_f32, 0x00800000, 0x7F7FFFFF, true},
    {"cos", px_exact_cos_f32, 0x30000000, 0x7F7FFFFF, true},
    {"tanh", px_exact_tanh_f32, 0x00800000, 0x41200000, true},
};

static void exactly(library *m, int which, double x)
{
    m->set_d(m->x, x, MPFR_RNDN);
    switch (which) {
    case 0: m->ui_div(m->exact, 1, m->x, MPFR_RNDN); break;
    case 1: m->rec_sqrt(m->exact, m->x, MPFR_RNDN); break;
    case 2: m->sqrt(m->exact, m->x, MPFR_RNDN); break;
    case 3: m->exp2(m->exact, m->x, MPFR_RNDN); break;
    case 4: m->log2(m->exact, m->x, MPFR_RNDN); break;
    case 5: m->sin(m->exact, m->x, MPFR_RNDN); break;
    case 6: m->cos(m->exact, m->x, MPFR_RNDN); break;
    default: m->tanh(m->exact, m->x, MPFR_RNDN); break;
    }
}

static void check_f32(library *m, int which, int count)
{
    const subject *s = &subjects[which];
    uint64_t seed = 1000u + (uint64_t)which;
    for (int i = 0; i < count; i++) {
        uint64_t r = next_random(&seed);
        uint32_t x = s->first + (uint32_t)((r >> 16) % (s->last - s->first + 1u));
        if (i < 2) x = i ? s->last : s->first;
        if (s->both_signs && (r & 1)) x |= 0x80000000u;
        exactly(m, which, as_float(x));
        uint32_t y = s->ours(x, false);
        if (!rounds_to(m, y, 23, 8)) fail_msg("%s(%08x) = %08x is not correctly rounded", s->name, x, y);
    }
}

static void check_div(library *m, int count)
{
    uint64_t seed = 5;
    for (int i = 0; i < count; i++) {
        uint64_t r = next_random(&seed);
        uint32_t a = (uint32_t)r, b = (uint32_t)(r >> 32);
        if (!isfinite(as_float(a)) || !isfinite(as_float(b)) || as_float(b) == 0) continue;
        m->set_d(m->x, as_float(a), MPFR_RNDN);
        m->set_d(m->y, as_float(b), MPFR_RNDN);
        m->div(m->exact, m->x, m->y, MPFR_RNDN);
        uint32_t y = px_exact_div_f32(a, b, false);
        if (!rounds_to(m, y, 23, 8)) fail_msg("%08x / %08x = %08x is not correctly rounded", a, b, y);
    }
}

static void check_half(library *m, uint16_t (*ours)(uint16_t), int which, int fraction, int exponent,
                       bool ftz)
{
    uint32_t infinity = ((1u << exponent) - 1) << fraction, normal = 1u << fraction;
    for (uint32_t x = 0; x < 65536; x++) {
        if ((x & 0x7FFFu) >= infinity || (ftz && (x & 0x7FFFu) < normal)) continue;
        uint16_t y = ours((uint16_t)x);
        exactly(m, which, value(x, fraction, exponent));
        if (ftz && (y & 0x7FFFu) == 0) {
            m->set_d(m->low, value(normal, fraction, exponent), MPFR_RNDN);
            assert_true(m->cmp3(m->exact, m->low, 1) < 0);
        } else if (!rounds_to(m, y, fraction, exponent)) {
            fail_msg("%d(%04x) = %04x is not correctly rounded", which, x, y);
        }
    }
}

static void check_f64(library *m, int count)
{
    uint64_t seed = 9;
    for (int i = 0; i < count; i++) {
        uint64_t r = next_random(&seed), ax = r & 0x7FFFFFFFFFFFFFFFu;
        if (ax >> 52 == 2047) continue;
        if (i & 1) ax &= 0x000FFFFFFFFFFFFFu >> (i & 31); /* subnormals, short ones too */
        double x = as_double(ax), y = as_double(px_exact_rsqrt_f64(ax, false));
        exactly(m, 1, x);
        if (ax && !between(m, nextafter(y, 0), y, nextafter(y, INFINITY)))
            fail_msg("rsqrt.f64 %a = %a", x, y);
        if (ax < 0x0010000000000000u || ax > 0x7FD0000000000000u) continue;
        y = as_double(px_exact_rcp_ftz_f64(ax));
        exactly(m, 0, x);
        if (!between(m, nextafter(y, 0), y, nextafter(y, INFINITY))) fail_msg("rcp.f64 %a = %a", x, y);
    }
}

TEST(exact_against_mpfr)
{
    library m;
    if (!load(&m)) {
        print_message("libmpfr.so.6 is not installed: correct rounding not compared\n");
        skip();
    }
    for (int i = 0; i < (int)(sizeof subjects / sizeof *subjects); i++) check_f32(&m, i, 40000);
    check_div(&m, 100000);
    check_f64(&m, 100000);
    check_half(&m, px_exact_ex2_f16, 3, 10, 5, false);
    check_half(&m, px_exact_tanh_f16, 7, 10, 5, false);
    check_half(&m, px_exact_ex2_bf16, 3, 7, 8, true);
    check_half(&m, px_exact_tanh_bf16, 7, 7, 8, false);
    unload(&m);
}

#else

TEST(exact_against_mpfr)
{
    print_message("mpfr.h is not installed: correct rounding not compared\n");
    skip();
}

#endif

int main(void)
{
    return run_suite();
}
