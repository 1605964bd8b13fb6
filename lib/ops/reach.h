/*
 * reach.h - how the loads and stores of handlers_fixed.c find their lanes' places.
 *
 * A probe looks at all addresses of one access. A survey (px_survey) is kept for a row of addresses, and
 * serves every access from it in convergent code. What neither finds is for ops/mem.h, lane by lane, but for
 * local memory at one place in all lanes, which is rows. Part of handlers_fixed.c, once a SIMD level.
 */
#ifndef PX_OPS_REACH_H
#define PX_OPS_REACH_H

#include "isa/isa.h"
#include "gang/gang.h"
#include "mem/mem.h"
#include "ops/mem.h"
#include "ops/row.h"
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

/*
 * What the addresses of a load or store look like. All active lanes lie in one
 * known segment and are aligned: `ok`. Then either they are one element after
 * the other (`packed`: the whole row lies in the segment), or all the same
 * (`same`), or scattered. base[i] + at[i] is lane i's place.
 */
struct probe {
    bool ok, packed, same;
    uint8_t *base;
    uint8_t *first;
    uint32_t lane;
};

/* A place in a segment. It may be computed before the range check, so it wraps like the address does. */
PX_INLINE uint8_t *place_at(uint8_t *host, uint64_t offset)
{
    return (uint8_t *)((uintptr_t)host + offset);
}

/* Whether what lies in the record's segment may not be there: host pointers are device pointers. */
PX_INLINE bool is_open(const struct px_gang *g, const struct px_insn *in)
{
    return g->unbounded && in->extent < PX_SLOT_SHARED;
}

PX_INLINE struct probe probe_lanes(struct px_gang *g, const struct px_insn *in, const uint32_t size)
{
    struct probe p = {0};
    const struct px_seg *seg = &g->seg[in->extent];
    const uint64_t *a = PX_ROW(g, uint64_t, in->a), shift = in->imm - seg->lo, align = in->bytes - 1u;
    const uint32_t n = g->n;
    uint64_t top = 0, low = 0, gap = 0, differ = 0;
    if (seg->len < size) return p;
    if (g->full && !in->m) {
        const uint64_t first = a[0] + shift;
        for (uint32_t i = 0; i < n; i++) {
            uint64_t x = a[i] + shift;
            top = x > top ? x : top;
            low |= x;
            differ |= x ^ first;
            gap |= x ^ (first + i * (uint64_t)size);
        }
        p.first = place_at(seg->host, first);
    } else {
        const struct px_lanes lanes = px_gang_lanes(g, in);
        if (px_lanes_empty(&lanes)) return p;
        const uint32_t *m = PX_ROW(g, uint32_t, in->m);
        p.lane = px_lanes_first(&lanes);
        const uint64_t one = a[p.lane] + shift, first = one - p.lane * (uint64_t)size;
        for (uint32_t i = 0; i < n; i++) {
            uint64_t on = (uint64_t)(int64_t)(int32_t)m[i], x = ((a[i] + shift) & on) | (one & ~on);
            top = x > top ? x : top;
            low |= x;
            differ |= x ^ one;
            gap |= (x ^ (first + i * (uint64_t)size)) & on;
        }
        /* Idle lanes are read too when a row is loaded whole: only where the segment's end is known to lie
         * behind them. */
        if (is_open(g, in) || first > seg->len || seg->len - first < (uint64_t)n * size) gap = 1;
        p.first = place_at(seg->host, first);
    }
    p.ok = top <= seg->len - size && !(low & align);
    p.packed = !gap;
    p.same = !differ;
    p.base = place_at(seg->host, shift);
    return p;
}

/* One copy for each element size: in every load and store it would double the time to compile this file. */
#define PX_PROBE(size)                                                                                       \
    static __attribute__((noinline)) struct probe probe_##size(struct px_gang *g, const struct px_insn *in)  \
    {                                                                                                        \
        return probe_lanes(g, in, size);                                                                     \
    }
PX_PROBE(1)
PX_PROBE(2)
PX_PROBE(4)
PX_PROBE(8)
PX_PROBE(16)

PX_INLINE struct probe probe_row(struct px_gang *g, const struct px_insn *in, const uint32_t size)
{
    return size == 1   ? probe_1(g, in)
           : size == 2 ? probe_2(g, in)
           : size == 4 ? probe_4(g, in)
           : size == 8 ? probe_8(g, in)
                       : probe_16(g, in);
}

PX_INLINE struct probe probe_scalar(struct px_gang *g, const struct px_insn *in, uint32_t size)
{
    struct probe p = {.same = true};
    const struct px_seg *seg = &g->seg[in->extent];
    uint64_t x = *PX_ROW(g, uint64_t, in->a) + in->imm - seg->lo;
    p.ok = seg->len >= size && x <= seg->len - size && !(x & (in->bytes - 1u));
    if (in->m) {
        struct px_lanes lanes = px_gang_lanes(g, in);
        p.ok = p.ok && !px_lanes_empty(&lanes);
    }
    p.first = place_at(seg->host, x);
    return p;
}

/* ---- local memory at one place in all lanes ---- */

enum { LOCAL_STEP = 1 << 20 }; /* between the generic addresses of neighbouring lanes' local memory */

/* Its words, row by row, when all active lanes name one place of their own; NULL otherwise. */
static __attribute__((noinline)) uint8_t *local_rows(struct px_gang *g, const struct px_insn *in,
                                                     uint32_t size)
{
    const bool generic = in->space == PX_SPACE_NONE, scalar = in->flags & PX_INSN_SCALAR_A;
    if (g->narrow || !(in->flags & PX_INSN_ROWS) || (generic ? scalar : in->space != PX_SPACE_LOCAL))
        return NULL;
    const struct px_lanes lanes = px_gang_lanes(g, in);
    if (px_lanes_empty(&lanes)) return NULL;
    const uint64_t *a = PX_ROW(g, uint64_t, in->a), step = generic ? LOCAL_STEP : 0;
    const uint32_t lane = px_lanes_first(&lanes), *m = PX_ROW(g, uint32_t, in->m), n = g->n & ~31u;
    const uint64_t first = a[scalar ? 0 : lane] - (scalar ? 0 : lane * step);
    uint64_t differ = 0;
    for (uint32_t j = 0; j < n && !scalar && !differ; j += 32) {
        const uint64_t *x = a + j, expected = first + j * step;
        const uint32_t *on = m + j;
        for (uint32_t i = 0; i < 32; i++)
            differ |= (x[i] ^ (expected + i * step)) & (uint64_t)(int64_t)(int32_t)on[i];
    }
    if (differ) return NULL;
    return px_local_rows(g, in, lane, first + lane * step + in->imm, size);
}

/* ---- local memory at a place of each lane's own (local.c) ---- */

PX_INLINE bool find_local(uint32_t *at, const uint64_t *a, const uint32_t *m, const uint8_t *home, uint32_t n,
                          const struct px_local_shape s)
{
    uint64_t wrong = 0;
    PX_LOOP
    {
        const uint64_t offset = ((a[i] + s.add) & s.mask) - s.less - i * s.step;
        const uint64_t bad = (0ull - (uint64_t)(offset > s.room)) | (offset & s.low);
        const uint32_t word = (uint32_t)(offset >> 2) * s.width + (home ? home[i] : i);
        wrong |= bad & (uint64_t)(int64_t)(int32_t)m[i];
        at[i] = word * 4 + ((uint32_t)offset & 3);
    }
    return !wrong;
}

static bool local_places(uint32_t *at, const uint64_t *a, const uint32_t *m, const uint8_t *home, uint32_t n,
                         const struct px_local_shape *s)
{
    return home ? find_local(at, a, m, home, n, *s) : find_local(at, a, m, NULL, n, *s);
}

/* ---- surveys: what an address row looks like, once for all accesses from it ---- */

/* A group is two vectors, and every place of one has sums of its own. */
typedef uint64_t px_places __attribute__((vector_size(64), aligned(8), may_alias));
enum { PLACES = sizeof(px_places) / 8 };

struct sums {
    px_places least, most, low, wrong;
};

PX_INLINE void add_places(struct sums *s, px_places x, px_places expected)
{
#if defined(__AVX512F__)
    s->least = (px_places)_mm512_min_epu64((__m512i)x, (__m512i)s->least);
    s->most = (px_places)_mm512_max_epu64((__m512i)x, (__m512i)s->most);
#else
    const px_places less = (px_places)(x < s->least), more = (px_places)(x > s->most);
    s->least = (x & less) | (s->least & ~less);
    s->most = (x & more) | (s->most & ~more);
#endif
    s->low |= x;
    s->wrong |= x ^ expected;
}

static __attribute__((noinline)) void take_survey(struct px_survey *survey, const uint64_t *a, uint32_t n,
                                                  bool tiles)
{
    enum { N = PX_SURVEY_GROUP };
    const uint64_t step = a[1] - a[0];
    const px_places *row = (const px_places *)(const void *)a,
                    ramp = {0, step, step * 2, step * 3, step * 4, step * 5, step * 6, step * 7};
    struct sums s = {row[0], row[0], row[0], row[0] ^ row[0]};
    uint64_t line = 0;
    for (uint32_t g = 0; g < n; g += N) {
        const px_places first = a[g] + ramp;
        line |= a[g] ^ (a[0] + g * step);
        add_places(&s, row[g / PLACES], first);
        add_places(&s, row[g / PLACES + 1], first + step * PLACES);
    }
    for (uint32_t i = 1; i < PLACES; i++) {
        s.least[0] = s.least[i] < s.least[0] ? s.least[i] : s.least[0];
        s.most[0] = s.most[i] > s.most[0] ? s.most[i] : s.most[0];
        s.low[0] |= s.low[i];
        s.wrong[0] |= s.wrong[i];
    }
    uint64_t down = tiles && n == N * N ? a[N] - a[0] : 0;
    for (uint32_t g = N; g < n; g += N) down = a[g] - a[g - N] == down ? down : 0;
    const bool local = step == LOCAL_STEP && px_window_of(a[0]) == PX_WIN_LOCAL;
    *survey = (struct px_survey){.kind = s.wrong[0] ? PX_SURVEY_SCATTER
                                         : line     ? PX_SURVEY_GROUPS
                                         : local    ? PX_SURVEY_LOCAL
                                                    : PX_SURVEY_LINE,
                                 .low = (uint32_t)s.low[0],
                                 .least = s.least[0],
                                 .spread = s.most[0] - s.least[0],
                                 .step = step,
                                 .down = down};
}

PX_INLINE void add_to_span(struct px_span *s, uint64_t x)
{
    s->least = x < s->least ? x : s->least;
    s->most = x > s->most ? x : s->most;
    s->low |= x;
}

static __attribute__((noinline)) struct px_span masked_span(const uint64_t *a, const uint32_t *m,
                                                            uint64_t one, uint32_t n)
{
    struct px_span s = {one, one, one};
    PX_LOOP add_to_span(&s, m[i] ? a[i] : one);
    return s;
}

/* Two halves, because results wait for each other. */
static struct px_span span(const uint64_t *a, const uint32_t *m, uint32_t first, uint32_t n)
{
    if (m) return masked_span(a, m, a[first], n);
    struct px_span s = {a[0], a[0], a[0]}, t = s;
    const uint64_t *upper = a + n / 2;
    for (uint32_t i = 0; i < n / 2; i++) {
        add_to_span(&s, a[i]);
        add_to_span(&t, upper[i]);
    }
    add_to_span(&s, t.least);
    add_to_span(&s, t.most);
    s.low |= t.low;
    return s;
}

static bool is_line(const uint64_t *a, uint32_t n)
{
    const uint64_t step = a[1] - a[0];
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < n; i++) wrong |= a[i] ^ (a[0] + i * step);
    return !wrong;
}

/* Where base + a[i] is the place of each lane's `size` bytes. NULL: not all of them are known to be there. A
 * base may be NULL by itself, where lanes hold whole host addresses (ptx_run): those take the slow way, which
 * is right. */
PX_INLINE uint8_t *known_places(const struct px_survey *s, const struct px_seg *seg, uint64_t add,
                                uint32_t size)
{
    const uint64_t x = s->least + add - seg->lo, room = seg->len - size;
    if (seg->len < size || s->spread > room || x > room - s->spread) return NULL;
    return place_at(seg->host, add - seg->lo);
}

/* The same where there is no survey yet, or the segment is new. */
static __attribute__((noinline)) uint8_t *survey_first(struct px_gang *g, const struct px_insn *in,
                                                       uint32_t size)
{
    struct px_survey *s = PX_ROW(g, struct px_survey, in->survey);
    const uint64_t add = *PX_ROW(g, uint64_t, in->offset) + in->imm;
    if (!g->full) return NULL;
    if (s->kind == PX_SURVEY_NONE) take_survey(s, PX_ROW(g, uint64_t, in->a), g->n, g->tiles);
    if (s->kind == PX_SURVEY_LOCAL || (s->low | (uint32_t)add) & (in->bytes - 1u)) return NULL;
    uint8_t *base = known_places(s, &g->seg[in->extent], add, size);
    if (base || !px_learn_segment(g, in, *PX_ROW(g, uint64_t, in->a) + add, size)) return base;
    return known_places(s, &g->seg[in->extent], add, size);
}

/* All lanes are there, aligned, inside one segment, and the row has a survey: base, else NULL. */
PX_INLINE uint8_t *surveyed(struct px_gang *g, const struct px_insn *in, const struct px_survey **survey,
                            const uint32_t size)
{
    const struct px_survey *s = *survey = PX_ROW(g, struct px_survey, in->survey);
    const uint64_t add = *PX_ROW(g, uint64_t, in->offset) + in->imm;
    if (__builtin_expect(g->full && s->kind - 1u < PX_SURVEY_LOCAL - 1u &&
                             !((s->low | (uint32_t)add) & (in->bytes - 1u)),
                         1)) {
        uint8_t *base = known_places(s, &g->seg[in->extent], add, size);
        if (__builtin_expect(base != NULL, 1)) return base;
    }
    return survey_first(g, in, size);
}

/* Words of local memory that the lanes, all of which are there, name by generic addresses. */
static __attribute__((noinline)) uint8_t *surveyed_rows(struct px_gang *g, const struct px_insn *in,
                                                        uint32_t size)
{
    const struct px_survey *s = PX_ROW(g, struct px_survey, in->survey);
    if (!g->full || s->kind != PX_SURVEY_LOCAL || in->space != PX_SPACE_NONE || !(in->flags & PX_INSN_ROWS))
        return NULL;
    return px_local_rows(g, in, 0, *PX_ROW(g, uint64_t, in->a) + *PX_ROW(g, uint64_t, in->offset) + in->imm,
                         size);
}

/* Row d = row a + what lies at `offset`. */
static int f0_offset_row(struct px_gang *g, const struct px_insn *in)
{
    const uint64_t add = *PX_ROW(g, uint64_t, in->offset), *a = PX_ROW(g, uint64_t, in->a);
    uint64_t *d = PX_ROW(g, uint64_t, in->d);
    const uint32_t n = g->n & ~31u;
    PX_LOOP d[i] = a[i] + add;
    return PX_STEP_NEXT;
}

/* The same for words: row d = the lower halves of row a + the word at `offset`. */
static int f0_offset_row4(struct px_gang *g, const struct px_insn *in)
{
    const uint32_t add = *PX_ROW(g, uint32_t, in->offset);
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    uint32_t *d = PX_ROW(g, uint32_t, in->d);
    const uint32_t n = g->n & ~31u;
    PX_LOOP d[i] = (uint32_t)a[i] + add;
    return PX_STEP_NEXT;
}

/* The row of a survey has changed; with a d, nothing is to be added to it any more. */
static int f0_forget(struct px_gang *g, const struct px_insn *in)
{
    PX_ROW(g, struct px_survey, in->survey)->kind = PX_SURVEY_NONE;
    if (in->d) *PX_ROW(g, uint64_t, in->d) = 0;
    return PX_STEP_NEXT;
}

/* What a survey does not allow, with addresses written out. */
static __attribute__((noinline)) int unsurveyed(struct px_gang *g, const struct px_insn *in,
                                                enum px_fixed fix)
{
    struct px_insn plain = *in;
    f0_offset_row(g, &(struct px_insn){.d = PX_SCRATCH_D, .a = in->a, .offset = in->offset});
    plain.fn = g->level->fixed[fix][0];
    plain.a = PX_SCRATCH_D;
    return plain.fn(g, &plain);
}

/* One unit for all lanes that the plain handler cannot get at once: through rows. */
static __attribute__((noinline)) int alone_slow(struct px_gang *g, const struct px_insn *in,
                                                enum px_fixed fix, const struct px_form f)
{
    const uint32_t to[4] = {in->d, in->e, in->b, in->c}, size = f.wide * PX_LANES_MAX;
    struct px_insn row = *in;
    row.fn = g->level->fixed[fix][0];
    row.d = PX_SCRATCH_D, row.e = PX_SCRATCH_D + size;
    row.b = PX_SCRATCH_D + 2 * size, row.c = PX_SCRATCH_D + 3 * size;
    const int step = row.fn(g, &row);
    if (step != PX_STEP_NEXT) return step;
    const uint32_t lane = px_lanes_first(&g->active);
    for (uint32_t k = 0; k < f.parts; k++)
        memcpy(g->frame + to[k], g->frame + PX_SCRATCH_D + k * size + lane * f.wide, f.wide);
    return PX_STEP_NEXT;
}
_Static_assert(PX_SCRATCH_E - PX_SCRATCH_D >= PX_LANES_MAX * 16, "a scratch row holds a unit of each lane");

/* Left to the vectoriser: gcc would unroll a loop of known length before. */
#define PX_GROUP_LOOP                                                                                        \
    _Pragma("GCC unroll 1") _Pragma("GCC ivdep") for (uint32_t i = 0; i < PX_SURVEY_GROUP; i++)

/* One access for each lane: unrolled, three instructions a lane. */
#define PX_EACH_LANE _Pragma("GCC unroll 8") for (uint32_t i = 0; i < n; i++)

/* ---- tiles ---- */

/*
 * The 256 lanes are a tile of 16 by 16 that lies across: neighbours of a group are in different lines of
 * memory, but the same lane of the 16 groups names one line. No two places overlap, so the order of lanes is
 * nobody's to see.
 */
PX_INLINE bool is_tile(const struct px_survey *s, uint64_t whole)
{
    return s->down == whole && s->kind == PX_SURVEY_GROUPS && (int64_t)s->step >= (int64_t)whole * 16;
}

#if defined(__AVX512F__)
/* Columns become rows: blocks of 1, 2, 4, 8 words beside the diagonal change places. */
typedef uint32_t px_words __attribute__((vector_size(64), aligned(4), may_alias));

PX_INLINE void turn_tile(px_words r[16])
{
    for (uint32_t size = 1; size < 16; size *= 2) {
        px_words low = {0}, high = {0};
        for (uint32_t i = 0; i < 16; i++) {
            low[i] = i & size ? i - size + 16 : i;
            high[i] = i & size ? i + 16 : i + size;
        }
        for (uint32_t i = 0; i < 16; i++) {
            if (i & size) continue;
            const px_words upper = r[i], lower = r[i + size];
            r[i] = __builtin_shuffle(upper, lower, low);
            r[i + size] = __builtin_shuffle(upper, lower, high);
        }
    }
}

static PX_RACY __attribute__((noinline)) void load_tile(uint32_t *d, uint8_t *base, const uint64_t *a)
{
    px_words r[16];
    for (uint32_t i = 0; i < 16; i++) r[i] = *(const px_words *)(const void *)place_at(base, a[i]);
    turn_tile(r);
    for (uint32_t i = 0; i < 16; i++) ((px_words *)(void *)d)[i] = r[i];
}

static PX_RACY __attribute__((noinline)) void store_tile(const uint32_t *b, uint8_t *base, const uint64_t *a)
{
    px_words r[16];
    for (uint32_t i = 0; i < 16; i++) r[i] = ((const px_words *)(const void *)b)[i];
    turn_tile(r);
    for (uint32_t i = 0; i < 16; i++) *(px_words *)(void *)place_at(base, a[i]) = r[i];
}

#define PX_LOAD_TILE(form, d)                                                                                \
    if ((form).unit == 4 && (form).parts == 1 && (form).wide == 4) {                                         \
        load_tile((uint32_t *)(void *)(d), base, a);                                                         \
    } else
#define PX_STORE_TILE(form, b)                                                                               \
    if ((form).unit == 4 && (form).parts == 1 && (form).wide == 4) {                                         \
        store_tile((const uint32_t *)(const void *)(b), base, a);                                            \
    } else
#else
#define PX_LOAD_TILE(form, d)
#define PX_STORE_TILE(form, b)
#endif

#define PX_TILE_LOOP _Pragma("GCC unroll 1") for (uint32_t i = 0; i < 16; i++)

/* Into the second cache: the first has room for two dozen requests only, which the loads need themselves. */
PX_INLINE void ask_for(uint64_t at, uint32_t bytes)
{
    for (uint32_t k = 0; k < bytes; k += 64) __builtin_prefetch((const void *)(uintptr_t)(at + k), 0, 2);
}

/*
 * A loop that goes on by more than the processor looks ahead (its own prefetch ends with the page) would wait
 * for each line. Once it has gone as far twice in a row, what it will come to is asked for: also beyond the
 * end, which does no harm.
 */
enum { FAR = 2048, TURNS_AHEAD = 12 };

/*
 * Blocks of many instructions whose lines follow one another come so late that the processor has forgotten
 * the last one, and wait for theirs. Where the allocation is larger than a cache near the core, and the load
 * went on from the place of the block before (the gang's last one: blocks may have several), the next block's
 * are asked for.
 */
enum { NEAR_CACHE = 1 << 20, MOST_GANGS = 8 };

PX_INLINE void next_block(struct px_seg *seg, uint64_t at, uint32_t bytes)
{
    const uint64_t step = at - seg->last;
    if (step - bytes < MOST_GANGS * bytes && seg->len >= NEAR_CACHE) ask_for(at + step, bytes);
    seg->last = at;
}

PX_INLINE void look_ahead(struct px_gang *g, const struct px_insn *in, const void *place, uint32_t bytes)
{
    struct px_survey *s = PX_ROW(g, struct px_survey, in->survey);
    const uint64_t at = (uintptr_t)place, stride = at - s->last;
    if (stride == s->stride && stride + FAR > 2 * FAR && g->prefetch)
        ask_for(at + stride * TURNS_AHEAD, bytes);
    s->stride = stride;
    s->last = at;
    if (in->once == PX_LOAD_ONCE && g->prefetch) next_block(&g->seg[in->extent], at, bytes);
}

/* Does the aligned word in which the last lane's element lies belong to the segment? */
PX_INLINE bool ends_with_word(const struct px_gang *g, const struct px_insn *in, const uint64_t *a)
{
    const struct px_seg *seg = &g->seg[in->extent];
    const uint64_t last = a[g->n - 1] + *PX_ROW(g, uint64_t, in->offset) + in->imm;
    return (last & ~3ull) + 4 - seg->lo <= seg->len;
}

#endif
