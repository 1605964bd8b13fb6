/*
 * test_atom_rows.c - atomic operations on rows (lib/ops/atom_rows.c): what they are lane after lane.
 *
 * Each operation has its meaning here once more, on 64 bits, from the manual and what a chip answered. Every
 * level's line and chain must give its bits: of whole rows and odd numbers of lanes, with and without old
 * values, which may go where an operand was.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gang/gang.h"
#include "ops/atom_ops.h"
#include "suite.h"

enum { LANES = 256, TURNS = 40 };

static const char *const levels[] = {"avx2", "avx512", "portable"};
enum { LEVELS = sizeof levels / sizeof *levels };

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11 ^ *state << 17;
}

/* ---- the meaning ---- */

static uint32_t sum_f32(uint32_t o, uint32_t b, bool ftz)
{
    float x, y;
    if (ftz && (o & 0x7fffffff) < 0x800000) o &= 0x80000000;
    if (ftz && (b & 0x7fffffff) < 0x800000) b &= 0x80000000;
    memcpy(&x, &o, 4);
    memcpy(&y, &b, 4);
    const float sum = (float)((double)x + (double)y);
    memcpy(&o, &sum, 4);
    if ((o & 0x7fffffff) > 0x7f800000) return 0x7fffffff;
    return ftz && (o & 0x7fffffff) < 0x800000 ? o & 0x80000000 : o;
}

static bool is_nan(uint64_t x)
{
    return (x & INT64_MAX) > 0x7ff0000000000000;
}

/* Of infinities of both signs the host's NaN comes out, as ever. */
static uint64_t sum_f64(uint64_t o, uint64_t b, bool ftz)
{
    double x, y;
    if (ftz && (is_nan(o) || is_nan(b))) return is_nan(b) ? b : o;
    if (is_nan(o) || is_nan(b)) return (is_nan(o) ? o : b) | 1ull << 51;
    memcpy(&x, &o, 8);
    memcpy(&y, &b, 8);
    x += y;
    memcpy(&o, &x, 8);
    return o;
}

static uint64_t on_half(int op, bool bf16, uint64_t o, uint64_t b)
{
    const uint16_t x = (uint16_t)o, y = (uint16_t)b;
    if (bf16)
        return op == 0   ? px_add_bf16(x, y)
               : op == 1 ? px_min_bf16(x, y, 0, 0, 0)
                         : px_max_bf16(x, y, 0, 0, 0);
    return op == 0 ? px_add_f16(x, y, 0, 0) : op == 1 ? px_min_f16(x, y, 0, 0, 0) : px_max_f16(x, y, 0, 0, 0);
}

struct operation {
    const char *name;
    unsigned bytes;
    char what; /* + & | ^ < > (s, l: signed), x: exchange, c: cas, i: inc, d: dec, f: float; h: half number
                  `half` */
    int half;
};

static const struct operation operations[PX_ROWS_COUNT] = {[PX_ROWS_add32] = {"add32", 4, '+', 0},
                                                           [PX_ROWS_add64] = {"add64", 8, '+', 0},
                                                           [PX_ROWS_exch32] = {"exch32", 4, 'x', 0},
                                                           [PX_ROWS_exch64] = {"exch64", 8, 'x', 0},
                                                           [PX_ROWS_and32] = {"and32", 4, '&', 0},
                                                           [PX_ROWS_and64] = {"and64", 8, '&', 0},
                                                           [PX_ROWS_or32] = {"or32", 4, '|', 0},
                                                           [PX_ROWS_or64] = {"or64", 8, '|', 0},
                                                           [PX_ROWS_xor32] = {"xor32", 4, '^', 0},
                                                           [PX_ROWS_xor64] = {"xor64", 8, '^', 0},
                                                           [PX_ROWS_cas16] = {"cas16", 2, 'c', 0},
                                                           [PX_ROWS_cas32] = {"cas32", 4, 'c', 0},
                                                           [PX_ROWS_cas64] = {"cas64", 8, 'c', 0},
                                                           [PX_ROWS_minu32] = {"minu32", 4, '<', 0},
                                                           [PX_ROWS_mins32] = {"mins32", 4, 's', 0},
                                                           [PX_ROWS_minu64] = {"minu64", 8, '<', 0},
                                                           [PX_ROWS_mins64] = {"mins64", 8, 's', 0},
                                                           [PX_ROWS_maxu32] = {"maxu32", 4, '>', 0},
                                                           [PX_ROWS_maxs32] = {"maxs32", 4, 'l', 0},
                                                           [PX_ROWS_maxu64] = {"maxu64", 8, '>', 0},
                                                           [PX_ROWS_maxs64] = {"maxs64", 8, 'l', 0},
                                                           [PX_ROWS_inc32] = {"inc32", 4, 'i', 0},
                                                           [PX_ROWS_dec32] = {"dec32", 4, 'd', 0},
                                                           [PX_ROWS_addf32] = {"addf32", 4, 'f', 0},
                                                           [PX_ROWS_addf64] = {"addf64", 8, 'f', 0},
                                                           [PX_ROWS_half] = {"add.f16", 2, 'h', 0},
                                                           {"add.bf16", 2, 'h', 1},
                                                           {"min.f16", 2, 'h', 2},
                                                           {"max.f16", 2, 'h', 4},
                                                           {"min.bf16", 2, 'h', 3},
                                                           {"max.bf16", 2, 'h', 5},
                                                           [PX_ROWS_pair] = {"add.f16x2", 4, 'h', 0},
                                                           {"add.bf16x2", 4, 'h', 1},
                                                           {"min.f16x2", 4, 'h', 2},
                                                           {"max.f16x2", 4, 'h', 4},
                                                           {"min.bf16x2", 4, 'h', 3},
                                                           {"max.bf16x2", 4, 'h', 5}};

static int64_t extended(uint64_t v, unsigned bytes)
{
    return bytes == 4 ? (int32_t)v : (int64_t)v;
}

static uint64_t after(const struct operation *op, uint64_t o, uint64_t b, uint64_t c, bool ftz)
{
    switch (op->what) {
    case '+': return o + b;
    case '&': return o & b;
    case '|': return o | b;
    case '^': return o ^ b;
    case '<': return o < b ? o : b;
    case '>': return o > b ? o : b;
    case 's': return extended(o, op->bytes) < extended(b, op->bytes) ? o : b;
    case 'l': return extended(o, op->bytes) > extended(b, op->bytes) ? o : b;
    case 'x': return b;
    case 'c': return o == b ? c : o;
    case 'i': return o >= b ? 0 : o + 1;
    case 'd': return o == 0 || o > b ? b : o - 1;
    case 'f': return op->bytes == 4 ? sum_f32((uint32_t)o, (uint32_t)b, ftz) : sum_f64(o, b, ftz);
    default: break;
    }
    const uint64_t low = on_half(op->half / 2, op->half % 2, o, b);
    return op->bytes == 2 ? low : low | on_half(op->half / 2, op->half % 2, o >> 16, b >> 16) << 16;
}

/* ---- rows ---- */

static uint64_t get(const void *row, unsigned i, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, (const uint8_t *)row + i * bytes, bytes);
    return v;
}
static void put(void *row, unsigned i, unsigned bytes, uint64_t v)
{
    memcpy((uint8_t *)row + i * bytes, &v, bytes);
}

/* Borders of formats, small numbers, any bits. `tame`: numbers that sum up to no NaN. */
static uint64_t value(uint64_t *state, const struct operation *op, bool tame)
{
    static const uint64_t border[] = {
        0,          1,          0x80000000,         0x7f800000,         0xff800000,
        0x7fc00001, 0x00000fff, 0x807fffff,         0x00800000,         0x7f7fffff,
        0x7c007c00, 0xfc00fc00, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001,
        0x03ff8001, UINT64_MAX, 0x3f803f80,         0x3ff0000000000000, 0x8000000000000000};
    const uint64_t r = next_random(state);
    if (tame && op->what == 'f')
        return op->bytes == 4 ? (r & 0x80ffffff) | 0x3e000000 : (r & ~(7ull << 60)) | 3ull << 60;
    if (tame) return r & 3;
    return r % 3 == 0   ? border[(r >> 8) % (sizeof border / sizeof *border)]
           : r % 3 == 1 ? r >> 40 & 7
                        : r >> 8 ^ r << 40;
}

struct data {
    uint64_t word[LANES], b[LANES], c[LANES], d[LANES];
};

/* The rows of a level, and lane by lane in *expected; d's row is b's when `over`. */
static void expect_rows(const struct px_level *level, unsigned which, uint64_t seed, unsigned n, bool line)
{
    static struct data got, expected;
    const struct operation *op = &operations[which];
    const bool tame = seed % 2, ftz = seed / 2 % 2, over = seed / 4 % 2, old = seed / 8 % 2;
    uint64_t state = seed;
    for (unsigned i = 0; i < LANES; i++) {
        put(got.word, i, op->bytes, value(&state, op, tame));
        put(got.b, i, op->bytes, value(&state, op, tame));
        put(got.c, i, op->bytes, value(&state, op, tame));
    }
    memset(got.d, 0xa5, sizeof got.d);
    expected = got;
    for (unsigned i = 0; i < n; i++) {
        const unsigned at = line ? i : 0;
        const uint64_t o = get(expected.word, at, op->bytes);
        put(expected.word, at, op->bytes,
            after(op, o, get(got.b, i, op->bytes), get(got.c, i, op->bytes), ftz));
        if (old) put(over ? expected.b : expected.d, i, op->bytes, o);
    }
    (line ? level->atoms[which].line : level->atoms[which].chain)(got.word, got.b, got.c,
                                                                  !old   ? NULL
                                                                  : over ? got.b
                                                                         : got.d,
                                                                  n, ftz);
    if (memcmp(&got, &expected, sizeof got) == 0) return;
    for (unsigned i = 0; i < n; i++)
        if (get(got.word, i, op->bytes) != get(expected.word, i, op->bytes))
            fail_msg("%s %s %s, seed %llu, lane %u: word %llx, not %llx", level->name, op->name,
                     line ? "line" : "chain", (unsigned long long)seed, i,
                     (unsigned long long)get(got.word, i, op->bytes),
                     (unsigned long long)get(expected.word, i, op->bytes));
    fail_msg("%s %s %s, seed %llu: other old values", level->name, op->name, line ? "line" : "chain",
             (unsigned long long)seed);
}

TEST(rows_are_what_lanes_one_after_the_other_are)
{
    for (unsigned l = 0; l < LEVELS; l++) {
        const struct px_level *level = px_level_named(levels[l]);
        for (unsigned which = 0; level && which < PX_ROWS_COUNT; which++)
            for (uint64_t seed = 0; seed < TURNS; seed++) {
                expect_rows(level, which, seed, LANES, true);
                expect_rows(level, which, seed, 32 * (1 + seed % 8), true);
                expect_rows(level, which, seed, LANES, false);
                expect_rows(level, which, seed, 1 + (unsigned)seed * 5 % LANES, false);
            }
    }
}

int main(void)
{
    return run_suite();
}
