/* test_handlers.c - every handler of the instruction table on every level that this machine runs: the same
 * bits on each level, masked forms that touch the active lanes only, scalars that do what rows of equal
 * values do, forms for one value, and handlers of two statements. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "gang/gang.h"
#include "suite.h"

enum {
    LANES = 64,
    ROW = PX_LANES_MAX * 16,
    A = PX_FRAME_HEAD,
    B = A + ROW,
    C = B + ROW,
    D = C + ROW,
    E = D + ROW,
    CARRY = E + ROW,
    MASK = CARRY + ROW,
    FRAME = MASK + ROW
};

struct bench {
    struct px_gang gang;
    uint8_t *frame;
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11 ^ *state << 17;
}

/* Values that find corners in every type: small integers, powers of two, floats of all sizes, half patterns.
 */
static uint64_t corner(uint64_t *state)
{
    static const uint64_t special[] = {0,
                                       1,
                                       2,
                                       31,
                                       32,
                                       33,
                                       63,
                                       64,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x7f800000,
                                       0x3f800000,
                                       0xbf800000,
                                       0x00000001,
                                       0x00400000,
                                       0x7fc00000,
                                       0x3c003c00,
                                       0x7c007bff,
                                       0x80008000,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       0x3ff0000000000000,
                                       0x7ff0000000000000,
                                       0x0000000100000001,
                                       0xffffffffffffffff};
    uint64_t r = next_random(state);
    return r % 3 ? next_random(state) : special[(r >> 8) % (sizeof special / sizeof *special)];
}

/* By name, so that a new row of the table changes nobody else's numbers (FNV-1a). */
static uint64_t seed_of(const struct px_handler_set *set, uint32_t shape, uint32_t masked)
{
    uint64_t h = 0xcbf29ce484222325 ^ (shape * 2 + masked);
    for (const char *c = set->name; *c; c++) h = (h ^ (uint8_t)*c) * 0x100000001b3;
    return h;
}

static void fill(struct bench *b, uint64_t seed)
{
    for (uint32_t i = A; i < FRAME; i += 8) {
        uint64_t v = corner(&seed);
        memcpy(b->frame + i, &v, 8);
    }
    for (uint32_t i = 0; i < LANES; i++) {
        ((uint32_t *)(void *)(b->frame + MASK))[i] = next_random(&seed) & 1 ? ~0u : 0;
        ((uint32_t *)(void *)(b->frame + CARRY))[i] = next_random(&seed) & 1;
    }
}

static struct bench make(const struct px_level *level)
{
    struct bench b = {.gang = {.n = LANES, .level = level}};
    b.frame = aligned_alloc(64, FRAME);
    memset(b.frame, 0, FRAME);
    b.gang.frame = b.frame;
    return b;
}

static struct px_insn record(void)
{
    return (struct px_insn){.a = A, .b = B, .c = C, .d = D, .e = E, .m = MASK, .carry = CARRY};
}

/* NaNs of f64 keep the payload of one operand; which one is not the level's promise. */
static bool same64(uint64_t x, uint64_t y)
{
    const uint64_t clear = 0x7fffffffffffffff, inf = 0x7ff0000000000000;
    return x == y || ((x & clear) > inf && (y & clear) > inf);
}
static bool same32(uint32_t x, uint32_t y)
{
    return x == y || ((x & 0x7fffffff) > 0x7f800000 && (y & 0x7fffffff) > 0x7f800000);
}

static bool same_rows(const uint8_t *x, const uint8_t *y, uint32_t offset, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i += 8) {
        uint64_t p, q;
        memcpy(&p, x + offset + i, 8);
        memcpy(&q, y + offset + i, 8);
        if (same64(p, q)) continue;
        if (!same32((uint32_t)p, (uint32_t)q) || !same32((uint32_t)(p >> 32), (uint32_t)(q >> 32)))
            return false;
    }
    return true;
}

/* Runs a handler of a set the way the decoder would: masked ones that are not compiled by themselves by way
 * of blend. */
static void run(struct bench *b, uint32_t number, uint32_t masked, uint32_t shape, uint64_t seed)
{
    const struct px_level *level = b->gang.level;
    const struct px_handler_set *set = &level->sets[number];
    struct px_insn in = record();
    px_handler fn = set->fn[masked][shape];
    if (!fn) {
        fn = level->fixed[PX_FIX_blend][1];
        in.inner = set->fn[0][shape];
        in.bytes = set->elem;
        in.flags = (uint8_t)((set->pair ? PX_INSN_PAIR : 0) | (set->carry ? PX_INSN_CARRY : 0));
    }
    fill(b, seed);
    assert_int_equal(fn(&b->gang, &in), PX_STEP_NEXT);
}

static const char *const levels[] = {"portable", "avx2", "avx512"};
enum { LEVELS = sizeof levels / sizeof *levels };

TEST(levels_agree)
{
    const struct px_level *best = px_level_best();
    struct bench x = make(best);
    for (size_t k = 0; k < LEVELS; k++) {
        const struct px_level *other = px_level_named(levels[k]);
        if (!other || other == best) continue;
        struct bench y = make(other);
        for (uint32_t i = 0; i < *best->nsets * 2 * PX_SHAPES; i++) {
            uint32_t set = i / 16, masked = i / 8 % 2, shape = i % 8;
            assert_int_equal(best->sets[set].fn[masked][shape] != NULL,
                             other->sets[set].fn[masked][shape] != NULL);
            if (!best->sets[set].fn[0][shape]) continue;
            const uint64_t seed = seed_of(&best->sets[set], shape, masked);
            run(&x, set, masked, shape, seed);
            run(&y, set, masked, shape, seed);
            if (!same_rows(x.frame, y.frame, D, FRAME - D))
                fail_msg("handler %s, shape %u, masked %u: %s and %s differ", best->sets[set].name, shape,
                         masked, best->name, other->name);
        }
        free(y.frame);
    }
    free(x.frame);
}

/* Which of two NaNs a loop gives is the compiler's choice of operand order. */
static bool same_lane(const uint8_t *x, const uint8_t *y, uint32_t size)
{
    uint64_t p = 0, q = 0;
    if (size == 16 || !memcmp(x, y, size)) return !memcmp(x, y, size);
    memcpy(&p, x, size);
    memcpy(&q, y, size);
    return size == 8 ? same64(p, q) : size == 4 && same32((uint32_t)p, (uint32_t)q);
}

/* An inactive lane keeps its bytes; an active one gets what the unmasked form gives. Element sizes are found
   by trial: lane i lies at i * size, so each size must explain the row. */
static bool masked_explained(const struct bench *before, const struct bench *whole, const struct bench *part,
                             uint32_t size)
{
    const uint32_t *mask = (const uint32_t *)(const void *)(before->frame + MASK);
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t at = D + i * size;
        const bool kept = !mask[i] && !memcmp(part->frame + at, before->frame + at, size);
        if (!kept && !(mask[i] && same_lane(part->frame + at, whole->frame + at, size))) return false;
    }
    return true;
}

static void masks_hold_on(const struct px_level *level)
{
    struct bench before = make(level), whole = make(level), part = make(level);
    for (uint32_t i = 0; i < *level->nsets * PX_SHAPES; i++) {
        if (!level->sets[i / 8].fn[0][i % 8]) continue;
        const uint64_t seed = seed_of(&level->sets[i / 8], i % 8, 0);
        fill(&before, seed);
        run(&whole, i / 8, 0, i % 8, seed);
        run(&part, i / 8, 1, i % 8, seed);
        bool found = false;
        for (uint32_t size = 2; size <= 16 && !found; size *= 2)
            found = masked_explained(&before, &whole, &part, size);
        if (!found)
            fail_msg("%s, handler %s, shape %u: the masked form is not the blend of the unmasked one",
                     level->name, level->sets[i / 8].name, i % 8);
    }
    free(before.frame), free(whole.frame), free(part.frame);
}

TEST(masks_hold)
{
    for (size_t k = 0; k < LEVELS; k++)
        if (px_level_named(levels[k])) masks_hold_on(px_level_named(levels[k]));
}

static void bits_and_rows_on(const struct px_level *level)
{
    uint32_t row[PX_LANES_MAX];
    uint64_t bits[PX_MASK_WORDS] = {0x8000000000000001, 0x00ff00ff12345678, 0, ~0ull}, back[PX_MASK_WORDS];
    level->to_row(bits, PX_LANES_MAX, row);
    for (uint32_t i = 0; i < PX_LANES_MAX; i++)
        assert_int_equal(row[i], bits[i / 64] >> (i % 64) & 1 ? ~0u : 0);
    level->to_bits(row, PX_LANES_MAX, back);
    assert_memory_equal(bits, back, sizeof bits);
    level->to_bits(row, 64, back);
    assert_int_equal(back[0], bits[0]);
    assert_int_equal(back[1] | back[2] | back[3], 0);
}

TEST(bits_and_rows)
{
    for (size_t k = 0; k < LEVELS; k++)
        if (px_level_named(levels[k])) bits_and_rows_on(px_level_named(levels[k]));
}

/* The form for one value gives what the loop gives for lane 0, and touches no other byte. */
TEST(one_value)
{
    struct bench x = make(px_level_best()), y = make(px_level_best());
    for (uint32_t i = 0; i < *x.gang.level->nsets; i++) {
        const struct px_handler_set *set = &x.gang.level->sets[i];
        const struct px_insn in = record();
        if (set->carry) assert_null(set->alone);
        for (uint64_t seed = 0; seed < 20 && set->alone; seed++) {
            fill(&x, seed);
            fill(&y, seed);
            assert_int_equal(set->fn[0][0](&x.gang, &in), PX_STEP_NEXT);
            assert_int_equal(set->alone(&y.gang, &in), PX_STEP_NEXT);
            if (!same_lane(x.frame + D, y.frame + D, set->elem) ||
                (set->pair && memcmp(x.frame + E, y.frame + E, 4)))
                fail_msg("handler %s, seed %u: one value and a row of it differ", set->name, (unsigned)seed);
            fill(&x, seed);
            assert_memory_equal(x.frame + D + set->elem, y.frame + D + set->elem, ROW - set->elem);
        }
    }
    free(x.frame);
    free(y.frame);
}

/* The statements of a fused handler, one after the other, by way of the row E. */
static void run_apart(struct bench *x, const struct px_fused *f, const uint32_t rows[6])
{
    for (uint32_t k = 0; k < f->n; k++) {
        const px_handler fn = x->gang.level->sets[f->op[k]].fn[0][f->shape[k]];
        struct px_insn in = {.d = k + 1u == f->n ? D : E};
        uint32_t *to[3] = {&in.a, &in.b, &in.c};
        for (uint32_t i = 0; i < f->sources[k]; i++) *to[i] = k && i == f->at[k] ? E : *rows++;
        assert_non_null(fn);
        assert_int_equal(fn(&x->gang, &in), PX_STEP_NEXT);
    }
}

/* A fused handler gives what its statements give one after the other, and steps over the records of all but
 * the first; a masked one where the mask is set. */
static void fused_on(const struct px_level *level, const struct px_fused *f, uint64_t seed)
{
    static const uint32_t rows[6] = {A, B, C, CARRY, MASK, B};
    const struct px_insn in = {.a = rows[0],
                               .b = rows[1],
                               .c = rows[2],
                               .source4 = rows[3],
                               .source5 = rows[4],
                               .source6 = rows[5],
                               .d = D,
                               .m = MASK};
    struct bench x = make(level), y = make(level);
    fill(&x, seed);
    fill(&y, seed);
    run_apart(&x, f, rows);
    assert_int_equal(f->fn(&y.gang, &in), PX_STEP_NEXT + 1 - (int)f->n);
    if (!same_rows(x.frame, y.frame, D, ROW))
        fail_msg("line %u of level %s, seed %u", (unsigned)(f - level->fused), level->name, (unsigned)seed);
    if (f->masked) {
        const uint32_t elem = level->sets[f->op[f->n - 1]].elem;
        fill(&y, seed);
        assert_int_equal(f->masked(&y.gang, &in), PX_STEP_NEXT + 1 - (int)f->n);
        struct bench was = make(level);
        fill(&was, seed);
        for (uint32_t i = 0; i < LANES; i++) {
            const bool set = ((const uint32_t *)(const void *)(was.frame + MASK))[i];
            if (!same_lane(y.frame + D + i * elem, (set ? x.frame : was.frame) + D + i * elem, elem))
                fail_msg("masked, line %u of level %s, lane %u", (unsigned)(f - level->fused), level->name,
                         i);
        }
        free(was.frame);
    }
    free(x.frame);
    free(y.frame);
}

TEST(statements)
{
    for (size_t k = 0; k < LEVELS; k++) {
        const struct px_level *level = px_level_named(levels[k]);
        if (!level) continue;
        assert_non_null(level->fused->fn);
        for (const struct px_fused *f = level->fused; f->fn; f++)
            for (uint64_t seed = 0; seed < 20; seed++) fused_on(level, f, seed);
    }
}

int main(void)
{
    return run_suite();
}
