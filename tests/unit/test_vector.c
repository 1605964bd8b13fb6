/*
 * test_vector.c - statements over vectors of lanes (lib/ops/vector.h): the bits of the statement for one
 * value, and of exact arithmetic.
 *
 *   test_vector [--all]
 *
 * All 65536 halves, and all upper halves of words, are first sources, with chosen and random others; with
 * --all sums, differences, products, minima and maxima of all 2^32 pairs of halves (minutes a statement).
 * Sums, products and fused ones of halves are held against a calculation in 113 bits whose error is known,
 * quotients of 64 bits against those of 128, in each rounding mode.
 */
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gang/gang.h"
#include "suite.h"

enum {
    LANES = 256,
    ROW = PX_LANES_MAX * 16,
    A = PX_FRAME_HEAD,
    B = A + ROW,
    C = B + ROW,
    D = C + ROW,
    ONE = D + ROW,
    FRAME = ONE + 4 * 64
};

__extension__ typedef __float128 wide;

static const char *const levels[] = {"avx2", "avx512", "portable"};
enum { LEVELS = sizeof levels / sizeof *levels };

static uint8_t *frame;
static bool all_pairs;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11 ^ *state << 17;
}

static struct px_gang gang_of(const struct px_level *level)
{
    if (!frame) frame = aligned_alloc(64, FRAME);
    memset(frame, 0, FRAME);
    return (struct px_gang){.n = LANES, .level = level, .frame = frame};
}

static void put(uint32_t row, uint32_t lane, unsigned bytes, uint32_t value)
{
    memcpy(frame + row + lane * bytes, &value, bytes);
}
static uint32_t got(uint32_t row, uint32_t lane, unsigned bytes)
{
    uint32_t value = 0;
    memcpy(&value, frame + row + lane * bytes, bytes);
    return value;
}

/* ---- rows and single values ---- */

static bool has_word(const char *name, const char *word)
{
    const char *at = strstr(name, word);
    return at && (at == name || at[-1] == '_') && (!at[strlen(word)] || at[strlen(word)] == '_');
}

/* Statements of later targets: tests/forms/test_exact.py holds their rows, the sources of many differ in
 * size. */
static bool is_later(const char *name)
{
    static const char *const words[] = {"f32x2",  "scaled", "pzo",    "rs",     "e2m1x2",
                                        "e2m3x2", "e3m2x2", "s2f6x2", "ue8m0x2"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(name, words[i])) return true;
    return !strncmp(name, "cvt", 3) && has_word(name, "bf16x2") &&
           (has_word(name, "e4m3x2") || has_word(name, "e5m2x2"));
}

/* Bytes of the sources of a statement that is looked at here, 0: it is none of these. */
static unsigned source_bytes(const char *name)
{
    static const char *const ones[] = {"f16", "bf16"}, *const twos[] = {"f16x2", "bf16x2"};
    const size_t n = strlen(name);
    if (!strncmp(name, "set", 3) || !strncmp(name, "atom", 4)) return 0;
    if (is_later(name)) return 0;
    if (!strncmp(name, "cvt", 3)) {
        for (const char *c = name; *c; c++)
            if (c[0] == '_' && (c[1] == 'u' || c[1] == 's') && c[2] >= '0' && c[2] <= '9') return 0;
        if (n > 4 && !strcmp(name + n - 4, "_f32")) return strstr(name, "f16") || strstr(name, "x2") ? 4 : 0;
        if (n > 6 && !strcmp(name + n - 6, "_f16x2")) return 4;
        return strstr(name, "e4m3x2") || strstr(name, "e5m2x2") ||
                       (n > 4 && !strcmp(name + n - 4, "_f16") && !strstr(name, "_f64_")) ||
                       (n > 5 && !strcmp(name + n - 5, "_bf16") && !strstr(name, "_f64_"))
                   ? 2
                   : 0;
    }
    for (int i = 0; i < 2; i++) {
        if (has_word(name, "f32")) return 0;
        if (has_word(name, ones[i])) return 2;
        if (has_word(name, twos[i])) return 4;
    }
    return 0;
}

static uint32_t chosen(uint64_t *state)
{
    static const uint16_t border[] = {0,      1,      0x03ff, 0x0400, 0x3c00, 0x3bff, 0x7bff,
                                      0x7c00, 0x7c01, 0x7fff, 0x7ff7, 0x007f, 0x0080, 0x3f80,
                                      0x7f7f, 0x7f80, 0x7f81, 0x1400, 0x0001, 0x5800, 0x2001};
    const uint64_t r = next_random(state);
    const uint16_t low = border[(r >> 8) % 21], high = border[(r >> 16) % 21];
    return r % 4 ? (uint32_t)(r >> 20)
                 : (uint32_t)(low ^ (r >> 32 & 0x8000)) | (uint32_t)(high ^ (r >> 40 & 0x8000)) << 16;
}

/* The row's result of each lane is that of the statement for one value. */
static void expect_alone(struct px_gang *g, const struct px_handler_set *set, unsigned bytes, uint32_t shape)
{
    const struct px_insn row = {.a = A, .b = B, .c = C, .d = D};
    const struct px_insn one = {.a = ONE, .b = ONE + 64, .c = ONE + 128, .d = ONE + 192};
    set->fn[0][shape](g, &row);
    for (uint32_t i = 0; i < LANES; i++) {
        for (uint32_t s = 0; s < 3; s++)
            put(ONE + s * 64, 0, bytes, got(A + s * ROW, shape >> s & 1 ? 0 : i, bytes));
        set->alone(g, &one);
        if (got(D, i, set->elem) == got(ONE + 192, 0, set->elem)) continue;
        fail_msg("%s.%s of %x %x %x: %x, alone %x", g->level->name, set->name, got(ONE, 0, bytes),
                 got(ONE + 64, 0, bytes), got(ONE + 128, 0, bytes), got(D, i, set->elem),
                 got(ONE + 192, 0, set->elem));
    }
}

static void expect_statement(struct px_gang *g, const struct px_handler_set *set, unsigned bytes,
                             uint32_t shape)
{
    uint64_t state = 5 + shape;
    for (unsigned turn = 0; turn < (bytes == 4 ? 3 : 2); turn++)
        for (uint32_t first = all_pairs ? 0 : turn * LANES; first < 0x10000;
             first += all_pairs ? LANES : 7 * LANES) {
            for (uint32_t i = 0; i < LANES; i++) {
                const uint32_t low = chosen(&state) & (turn == 1 ? 0xffff : 0), a = first + i;
                put(A, i, bytes, bytes == 2 ? a : turn == 2 ? a | chosen(&state) << 16 : a << 16 | low);
                put(B, i, bytes, chosen(&state));
                put(C, i, bytes, chosen(&state));
            }
            expect_alone(g, set, bytes, shape);
        }
}

TEST(a_row_is_what_one_value_is)
{
    unsigned looked = 0;
    for (int l = 0; l < LEVELS; l++) {
        const struct px_level *level = px_level_named(levels[l]);
        if (!level) continue;
        struct px_gang g = gang_of(level);
        for (uint32_t h = 0; h < *level->nsets; h++) {
            const struct px_handler_set *set = &level->sets[h];
            const unsigned bytes = source_bytes(set->name);
            for (uint32_t shape = 0; bytes && set->alone && shape < PX_SHAPES; shape++)
                if (set->fn[0][shape]) expect_statement(&g, set, bytes, shape), looked++;
        }
    }
    assert_true(looked > 150);
}

/* ---- exact arithmetic ---- */

struct format {
    const char *name;
    int p, emin; /* fraction bits, least normal exponent */
    uint16_t inf;
};
static const struct format formats[] = {{"f16", 10, -14, 0x7c00}, {"bf16", 7, -126, 0x7f80}};

static wide power(int e)
{
    return __builtin_ldexp(1.0, e);
}

static wide value_of(uint16_t h, const struct format *f)
{
    const int e = (h & 0x7fff) >> f->p, m = h & ((1 << f->p) - 1);
    const wide x = e ? ((1 << f->p) + m) * power(e - 1 + f->emin - f->p) : m * power(f->emin - f->p);
    return h >> 15 ? -x : x;
}

/* The number x + err, with a small err, to nearest; `zero`: what an exact zero is. */
static uint16_t rounded(wide x, wide err, const struct format *f, uint16_t zero)
{
    const uint16_t sign = x < 0 ? 0x8000 : 0;
    wide m = x < 0 ? -x : x, unit;
    int e = f->emin;
    if (x < 0) err = -err;
    if (x == 0) return zero;
    if (m >= power(e)) e = __builtin_ilogb((double)m);
    if (m < power(e) && e > f->emin) e--; /* the double is rounded */
    if (e > 1 - f->emin) return sign | f->inf;
    unit = power(e - f->p);
    uint32_t whole = (uint32_t)(m / unit);
    const wide rest = m - whole * unit, half = unit / 2;
    if (rest > half || (rest == half && (err > 0 || (err == 0 && whole & 1)))) whole++;
    const uint32_t r = whole + (uint32_t)((e - f->emin) << f->p);
    return (uint16_t)(sign | (r > f->inf ? f->inf : r));
}

/* a*b + c of numbers: products have 22 bits, and the error of the sum is known. */
static uint16_t exact(uint16_t a, uint16_t b, uint16_t c, const struct format *f)
{
    const wide p = value_of(a, f) * value_of(b, f), x = value_of(c, f), s = p + x, back = s - p;
    const wide err = (p - (s - back)) + (x - back);
    const bool minus = (a ^ b) >> 15, both = minus && c >> 15;
    return rounded(s, err, f, both && s == 0 && p == 0 ? 0x8000 : 0);
}

static uint16_t number(uint64_t *state, const struct format *f)
{
    for (;;) {
        const uint16_t x = (uint16_t)next_random(state);
        if ((x & 0x7fff) < f->inf) return x;
    }
}

/* An addend that brings the sum to half a unit, or beside it: what the product leaves of a number and a half.
 */
static uint16_t near_half(uint16_t a, uint16_t b, uint64_t *state, const struct format *f)
{
    const uint16_t p = rounded(value_of(a, f) * value_of(b, f), 0, f, 0),
                   near = (uint16_t)(p + (next_random(state) & 7) - 3);
    if ((p & 0x7fff) >= f->inf || (near & 0x7fff) >= f->inf) return number(state, f);
    const wide unit = power(((p & 0x7fff) >> f->p) - 1 + f->emin - f->p);
    const uint16_t c = rounded(value_of(near, f) + unit / 2 - value_of(a, f) * value_of(b, f), 0, f, 0);
    return (c & 0x7fff) < f->inf ? (uint16_t)(c + (next_random(state) & 1)) : number(state, f);
}

static const struct px_handler_set *set_named(const struct px_level *level, const char *format,
                                              const char *type)
{
    char name[64];
    snprintf(name, sizeof name, format, type);
    for (uint32_t h = 0; h < *level->nsets; h++)
        if (!strcmp(level->sets[h].name, name)) return &level->sets[h];
    fail_msg("no statement %s", name);
    return NULL;
}

/* sources: 3 a*b + c; 1 a + c (b is one), 0 a * b (c is a zero of the product's sign). */
static void expect_exact(struct px_gang *g, const char *name, const struct format *f, int kind)
{
    const struct px_handler_set *set = set_named(g->level, name, f->name);
    const uint16_t one = (uint16_t)(-f->emin + 1 + 0) << f->p;
    const struct px_insn in = {.a = A, .b = kind == 1 ? C : B, .c = C, .d = D};
    uint64_t state = 11;
    for (int turn = 0; turn < 400; turn++) {
        for (uint32_t i = 0; i < LANES; i++) {
            const uint16_t a = number(&state, f), b = kind == 1 ? one : number(&state, f);
            const uint16_t c = kind == 0  ? (a ^ b) & 0x8000
                               : turn & 1 ? near_half(a, b, &state, f)
                                          : number(&state, f);
            put(A, i, 2, a), put(B, i, 2, b), put(C, i, 2, c);
        }
        set->fn[0][0](g, &in);
        for (uint32_t i = 0; i < LANES; i++) {
            const uint16_t a = (uint16_t)got(A, i, 2), b = (uint16_t)got(B, i, 2), c = (uint16_t)got(C, i, 2);
            if (got(D, i, 2) != exact(a, b, c, f))
                fail_msg("%s.%s of %x %x %x: %x, exactly %x", g->level->name, set->name, a, b, c,
                         got(D, i, 2), exact(a, b, c, f));
        }
    }
}

TEST(halves_round_as_exact_arithmetic)
{
    for (int l = 0; l < LEVELS; l++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            const struct px_level *level = px_level_named(levels[l]);
            if (!level) continue;
            struct px_gang g = gang_of(level);
            expect_exact(&g, "fma_rn_%s", &formats[f], 3);
            expect_exact(&g, "add_%s", &formats[f], 1);
            expect_exact(&g, "mul_%s", &formats[f], 0);
        }
}

/* ---- all pairs ---- */

TEST(all_pairs_of_halves)
{
    static const char *const statements[] = {"add_%s", "sub_%s", "mul_%s", "min_%s", "max_%s"};
    if (!all_pairs) skip();
    for (size_t s = 0; s < sizeof statements / sizeof *statements; s++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
            for (int l = 0; l < LEVELS - 1; l++) {
                const struct px_level *level = px_level_named(levels[l]);
                if (!level) continue;
                struct px_gang g = gang_of(level);
                const struct px_handler_set *set = set_named(level, statements[s], formats[f].name);
                for (uint32_t i = 0; i < LANES; i++) put(A, i, 2, 0);
                for (uint32_t b = 0; b < 0x10000; b++)
                    for (uint32_t a = 0; a < 0x10000; a += LANES) {
                        for (uint32_t i = 0; i < LANES; i++) put(A, i, 2, a + i), put(B, i, 2, b);
                        expect_alone(&g, set, 2, 0);
                    }
                print_message("%s.%s: 2^32 pairs\n", level->name, set->name);
            }
}

/* ---- quotients of 64 bits ---- */

__extension__ typedef __int128 whole;

/* Any bits, few bits, powers of two and their neighbours, of either sign. */
static uint64_t dividend(uint64_t *state)
{
    const uint64_t r = next_random(state), s = next_random(state), at = 1ull << (s >> 8) % 64;
    switch (s % 5) {
    case 0: return r ^ s << 32;
    case 1: return (r ^ s << 32) >> (s >> 20) % 64;
    case 2: return at + (r >> 9) % 3 - 1;
    case 3: return 0 - at + (r >> 9) % 3 - 1;
    default: return UINT64_MAX - (r & 3);
    }
}

/* By zero all bits are ones. */
static uint64_t quotient(uint64_t a, uint64_t b, bool is_signed, bool rest)
{
    const whole x = is_signed ? (whole)(int64_t)a : (whole)a, y = is_signed ? (whole)(int64_t)b : (whole)b;
    return b == 0 ? UINT64_MAX : (uint64_t)(rest ? x % y : x / y);
}

static void expect_quotients(const struct px_level *level, const char *name, bool is_signed, bool rest)
{
    struct px_gang g = gang_of(level);
    const struct px_insn row = {.a = A, .b = B, .c = C, .d = D};
    uint64_t state = 3, *a = (uint64_t *)(void *)(frame + A), *b = (uint64_t *)(void *)(frame + B),
             *d = (uint64_t *)(void *)(frame + D);
    const struct px_handler_set *set = level->sets;
    while (strcmp(set->name, name) != 0) set++;
    for (unsigned turn = 0; turn < 1000; turn++) {
        for (uint32_t i = 0; i < LANES; i++) {
            a[i] = dividend(&state), b[i] = dividend(&state);
            /* near a multiple of b */
            if (i % 3 == 0)
                a[i] = b[i] * (a[i] % (b[i] && UINT64_MAX / b[i] ? UINT64_MAX / b[i] : 1)) + i % 5 - 2;
        }
        set->fn[0][0](&g, &row);
        for (uint32_t i = 0; i < LANES; i++)
            if (d[i] != quotient(a[i], b[i], is_signed, rest))
                fail_msg("%s.%s of %llx %llx: %llx", level->name, name, (unsigned long long)a[i],
                         (unsigned long long)b[i], (unsigned long long)d[i]);
    }
}

TEST(quotients_of_64_bits_are_exact)
{
    static const char *const names[] = {"div_u64", "rem_u64", "div_s64", "rem_s64"};
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    for (int l = 0; l < LEVELS; l++) {
        const struct px_level *level = px_level_named(levels[l]);
        for (unsigned k = 0; level && k < 16; k++) {
            fesetround(modes[k / 4]);
            expect_quotients(level, names[k % 4], k / 2 % 2, k % 2);
        }
    }
    fesetround(FE_TONEAREST);
}

int main(int argc, char **argv)
{
    all_pairs = argc > 1 && !strcmp(argv[1], "--all");
    const int failed = run_suite();
    free(frame);
    return failed;
}
