/*
 * access.h - loads and stores over the lanes, where reach.h has found their places.
 *
 * What a lane accesses at once is a unit of 1, 2, 4, 8 or 16 bytes: an element, or a vector of 2 or 4, whose
 * elements belong to as many rows. A unit is loaded or stored whole, then taken apart or joined in
 * registers, so that no other worker sees half of one (docs/engine.md, "One access"). Up to 8 bytes
 * a unit is an integer; those of 16 are moved one by one, and turned into rows in blocks. All is for constant
 * forms, once a form and SIMD level: part of handlers_fixed.c.
 */
#ifndef PX_OPS_ACCESS_H
#define PX_OPS_ACCESS_H

#include "ops/reach.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* A short loop, unrolled. */
#define PX_FEW(count) _Pragma("GCC unroll 8") for (uint32_t k = 0; k < (count); k++)

/* The rows of a vector's elements. */
struct rows {
    uint8_t *at[4];
};

PX_INLINE struct rows loaded_rows(struct px_gang *g, const struct px_insn *in)
{
    return (struct rows){{g->frame + in->d, g->frame + in->e, g->frame + in->b, g->frame + in->c}};
}

PX_INLINE struct rows stored_rows(struct px_gang *g, const struct px_insn *in)
{
    return (struct rows){{g->frame + in->b, g->frame + in->c, g->frame + in->d, g->frame + in->e}};
}

/* ---- units of up to 8 bytes ---- */

/* One access. */
PX_INLINE PX_RACY uint64_t get_unit(const void *p, const uint32_t unit)
{
    switch (unit) {
    case 1: return __atomic_load_n((const uint8_t *)p, __ATOMIC_RELAXED);
    case 2: return __atomic_load_n((const uint16_t *)p, __ATOMIC_RELAXED);
    case 4: return __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED);
    default: return __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);
    }
}

PX_INLINE PX_RACY void put_unit(void *p, uint64_t v, const uint32_t unit)
{
    switch (unit) {
    case 1: __atomic_store_n((uint8_t *)p, (uint8_t)v, __ATOMIC_RELAXED); break;
    case 2: __atomic_store_n((uint16_t *)p, (uint16_t)v, __ATOMIC_RELAXED); break;
    case 4: __atomic_store_n((uint32_t *)p, (uint32_t)v, __ATOMIC_RELAXED); break;
    default: __atomic_store_n((uint64_t *)p, v, __ATOMIC_RELAXED); break;
    }
}

/* Element i of those of `size` bytes side by side: a row, or units in memory that loops take as vectors. */
PX_INLINE PX_RACY uint64_t get_at(const void *p, uint32_t i, const uint32_t size)
{
    switch (size) {
    case 1: return ((const uint8_t *)p)[i];
    case 2: return ((const uint16_t *)p)[i];
    case 4: return ((const uint32_t *)p)[i];
    default: return ((const uint64_t *)p)[i];
    }
}

PX_INLINE PX_RACY void put_at(void *p, uint32_t i, uint64_t v, const uint32_t size)
{
    switch (size) {
    case 1: ((uint8_t *)p)[i] = (uint8_t)v; break;
    case 2: ((uint16_t *)p)[i] = (uint16_t)v; break;
    case 4: ((uint32_t *)p)[i] = (uint32_t)v; break;
    default: ((uint64_t *)p)[i] = v; break;
    }
}

/* Element k of unit u, as wide as a row's. */
PX_INLINE uint64_t part_of(uint64_t u, const struct px_form f, const uint32_t k)
{
    const uint32_t size = f.unit / f.parts, shift = 8 * size * k;
    const uint64_t v = f.unit <= 4 ? (uint32_t)u >> shift : u >> shift;
    switch (size) {
    case 1: return f.sign ? (uint64_t)(int8_t)v : (uint8_t)v;
    case 2: return f.sign ? (uint64_t)(int16_t)v : (uint16_t)v;
    case 4: return f.sign ? (uint64_t)(int32_t)v : (uint32_t)v;
    default: return v;
    }
}

PX_INLINE void spread(const struct rows *r, uint32_t i, uint64_t u, const struct px_form f)
{
    put_at(r->at[0], i, part_of(u, f, 0), f.wide);
    if (f.parts > 1) put_at(r->at[1], i, part_of(u, f, 1), f.wide);
    if (f.parts > 2) put_at(r->at[2], i, part_of(u, f, 2), f.wide);
    if (f.parts > 2) put_at(r->at[3], i, part_of(u, f, 3), f.wide);
}

PX_INLINE void blend_at(uint8_t *row, uint32_t i, uint64_t v, const uint32_t *m, const uint32_t size)
{
    put_at(row, i, m[i] ? v : get_at(row, i, size), size);
}

/* The same where the mask row is set. */
PX_INLINE void blend(const struct rows *r, uint32_t i, uint64_t u, const uint32_t *m, const struct px_form f)
{
    blend_at(r->at[0], i, part_of(u, f, 0), m, f.wide);
    if (f.parts > 1) blend_at(r->at[1], i, part_of(u, f, 1), m, f.wide);
    if (f.parts > 2) blend_at(r->at[2], i, part_of(u, f, 2), m, f.wide);
    if (f.parts > 2) blend_at(r->at[3], i, part_of(u, f, 3), m, f.wide);
}

PX_INLINE uint64_t part_at(const struct rows *r, uint32_t i, const struct px_form f, const uint32_t k)
{
    const uint64_t v = get_at(r->at[k], i, f.wide);
    switch (f.unit / f.parts) {
    case 1: return (uint64_t)(uint8_t)v << 8 * k;
    case 2: return (uint64_t)(uint16_t)v << 16 * k;
    case 4: return (uint64_t)(uint32_t)v << (32 * k & 63);
    default: return v;
    }
}

/* The unit of lane i. */
PX_INLINE uint64_t joined(const struct rows *r, uint32_t i, const struct px_form f)
{
    uint64_t u = part_at(r, i, f, 0);
    if (f.parts > 1) u |= part_at(r, i, f, 1);
    if (f.parts > 2) u |= part_at(r, i, f, 2) | part_at(r, i, f, 3);
    return u;
}

/* ---- units of 16 bytes ---- */

/* One access. */
PX_INLINE px_quad get_quad(struct px_wide *locks, const void *p)
{
#if defined(__AVX__)
    (void)locks;
    return px_quad_get(p);
#else
    return px_wide_get(locks, p);
#endif
}
PX_INLINE void put_quad(struct px_wide *locks, void *p, px_quad v)
{
#if defined(__AVX__)
    (void)locks;
    px_quad_put(p, v);
#else
    px_wide_put(locks, p, v);
#endif
}

typedef uint64_t px_halves __attribute__((vector_size(16), may_alias));

PX_INLINE void spread_quad(const struct rows *r, uint32_t i, px_quad v, const struct px_form f)
{
    if (f.parts == 1) {
        ((px_quad *)(void *)r->at[0])[i] = v;
    } else if (f.parts == 2) {
        PX_FEW(2) put_at(r->at[k], i, ((px_halves)v)[k], 8);
    } else {
        PX_FEW(4) put_at(r->at[k], i, v[k], 4);
    }
}

PX_INLINE px_quad joined_quad(const struct rows *r, uint32_t i, const struct px_form f)
{
    if (f.parts == 1) return ((const px_quad *)(const void *)r->at[0])[i];
    if (f.parts == 2)
        return (px_quad)(px_halves){((const uint64_t *)(const void *)r->at[0])[i],
                                    ((const uint64_t *)(const void *)r->at[1])[i]};
    px_quad v = {0};
    PX_FEW(4) v[k] = ((const uint32_t *)(const void *)r->at[k])[i];
    return v;
}

/*
 * Blocks of lanes whose quads become rows, and back, in registers. A wide vector holds the quads of two lanes
 * where there is AVX2, else of one.
 */
#if defined(__AVX2__)
typedef __m256i wide;
enum { BLOCK = 8 };
#define LOW(bits, a, b) _mm256_unpacklo_epi##bits(a, b)
#define HIGH(bits, a, b) _mm256_unpackhi_epi##bits(a, b)

PX_INLINE wide two_quads(px_quad a, px_quad b)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)a), (__m128i)b, 1);
}
PX_INLINE px_quad first_quad(wide v)
{
    return (px_quad)_mm256_castsi256_si128(v);
}
PX_INLINE px_quad second_quad(wide v)
{
    return (px_quad)_mm256_extracti128_si256(v, 1);
}
PX_INLINE wide mask_of_halves(const uint32_t *m)
{
    return _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)(const void *)m));
}
#else
enum { BLOCK = 4 };
#if defined(__SSE2__)
typedef __m128i wide;
#define LOW(bits, a, b) _mm_unpacklo_epi##bits(a, b)
#define HIGH(bits, a, b) _mm_unpackhi_epi##bits(a, b)
#else
typedef px_quad wide;
#define LOW(bits, a, b) low_##bits(a, b)
#define HIGH(bits, a, b) high_##bits(a, b)
PX_INLINE wide low_32(wide a, wide b)
{
    return (wide){a[0], b[0], a[1], b[1]};
}
PX_INLINE wide high_32(wide a, wide b)
{
    return (wide){a[2], b[2], a[3], b[3]};
}
PX_INLINE wide low_64(wide a, wide b)
{
    return (wide){a[0], a[1], b[0], b[1]};
}
PX_INLINE wide high_64(wide a, wide b)
{
    return (wide){a[2], a[3], b[2], b[3]};
}
#endif
PX_INLINE wide two_quads(px_quad a, px_quad b)
{
    (void)b;
    return (wide)a;
}
PX_INLINE px_quad first_quad(wide v)
{
    return (px_quad)v;
}
#define second_quad(v) first_quad(v)
PX_INLINE wide mask_of_halves(const uint32_t *m)
{
    return (wide)(px_quad){m[0], m[0], m[1], m[1]};
}
#endif

/* How far apart the two lanes of a wide vector are, in fours and in pairs; 0: it is of one. */
enum { APART4 = BLOCK - 4, APART2 = APART4 / 2 };

/* Elements k of the quads of vectors 0 to 3 become vector k, in each 16 bytes by itself. */
PX_INLINE void turn_quads(wide v[4])
{
    const wide a = LOW(32, v[0], v[1]), b = LOW(32, v[2], v[3]), c = HIGH(32, v[0], v[1]),
               d = HIGH(32, v[2], v[3]);
    v[0] = LOW(64, a, b);
    v[1] = HIGH(64, a, b);
    v[2] = LOW(64, c, d);
    v[3] = HIGH(64, c, d);
}

PX_INLINE wide get_wide(const uint8_t *p)
{
    wide v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Of the bits that are set in the mask. */
PX_INLINE void put_wide(uint8_t *p, wide v, wide mask)
{
    v = (v & mask) | (get_wide(p) & ~mask);
    memcpy(p, &v, sizeof v);
}

/* The quads of lanes i to i + BLOCK - 1 into their rows where the mask row is set; m NULL: all. */
PX_INLINE void spread_block(const struct rows *r, uint32_t i, const px_quad q[BLOCK], const uint32_t *m,
                            const struct px_form f)
{
    const wide all = ~(wide){0};
    if (f.parts == 1) {
        px_quad *d = (px_quad *)(void *)r->at[0] + i;
        PX_FEW(BLOCK) d[k] = m && !m[i + k] ? d[k] : q[k];
    } else if (f.parts == 2) {
        PX_FEW(2)
        {
            const uint32_t at = k * BLOCK / 2;
            const wide a = two_quads(q[at], q[at + APART2]), b = two_quads(q[at + 1], q[at + 1 + APART2]);
            const wide mask = m ? mask_of_halves(m + i + at) : all;
            put_wide(r->at[0] + (i + at) * 8, LOW(64, a, b), mask);
            put_wide(r->at[1] + (i + at) * 8, HIGH(64, a, b), mask);
        }
    } else {
        wide v[4];
        PX_FEW(4) v[k] = two_quads(q[k], q[k + APART4]);
        turn_quads(v);
        const wide mask = m ? get_wide((const uint8_t *)(m + i)) : all;
        PX_FEW(4) put_wide(r->at[k] + i * 4, v[k], mask);
    }
}

PX_INLINE void joined_block(const struct rows *r, uint32_t i, px_quad q[BLOCK], const struct px_form f)
{
    if (f.parts == 1) {
        PX_FEW(BLOCK) q[k] = joined_quad(r, i + k, f);
    } else if (f.parts == 2) {
        PX_FEW(2)
        {
            const uint32_t at = k * BLOCK / 2;
            const wide a = get_wide(r->at[0] + (i + at) * 8), b = get_wide(r->at[1] + (i + at) * 8);
            const wide low = LOW(64, a, b), high = HIGH(64, a, b);
            q[at + APART2] = second_quad(low), q[at + 1 + APART2] = second_quad(high);
            q[at] = first_quad(low), q[at + 1] = first_quad(high);
        }
    } else {
        wide v[4];
        PX_FEW(4) v[k] = get_wide(r->at[k] + i * 4);
        turn_quads(v);
        PX_FEW(4) q[k + APART4] = second_quad(v[k]), q[k] = first_quad(v[k]);
    }
}

/* Lanes i to i + BLOCK - 1, whose units lie side by side from p on, where the mask row is set; m NULL: all.
 */
PX_INLINE void load_line(const struct rows *r, uint32_t i, const uint8_t *p, const uint32_t *m,
                         struct px_wide *locks, const struct px_form f)
{
    px_quad q[BLOCK];
    PX_FEW(BLOCK) q[k] = get_quad(locks, p + 16 * k);
    spread_block(r, i, q, m, f);
}

/* The same, at base + a[i] and on. */
PX_INLINE void load_block(const struct rows *r, uint32_t i, uint8_t *base, const uint64_t *a,
                          struct px_wide *locks, const struct px_form f)
{
    px_quad q[BLOCK];
    PX_FEW(BLOCK) q[k] = get_quad(locks, place_at(base, a[i + k]));
    spread_block(r, i, q, NULL, f);
}

/* In lane order. */
PX_INLINE void store_line(const struct rows *r, uint32_t i, uint8_t *p, struct px_wide *locks,
                          const struct px_form f)
{
    px_quad q[BLOCK];
    joined_block(r, i, q, f);
    PX_FEW(BLOCK) put_quad(locks, p + 16 * k, q[k]);
}

PX_INLINE void store_block(const struct rows *r, uint32_t i, uint8_t *base, const uint64_t *a,
                           struct px_wide *locks, const struct px_form f)
{
    px_quad q[BLOCK];
    joined_block(r, i, q, f);
    PX_FEW(BLOCK) put_quad(locks, place_at(base, a[i + k]), q[k]);
}

PX_INLINE void store_some(const struct rows *r, uint32_t i, uint8_t *base, const uint64_t *a, uint64_t some,
                          struct px_wide *locks, const struct px_form f)
{
    px_quad q[BLOCK];
    joined_block(r, i, q, f);
    PX_FEW(BLOCK) if (some >> k & 1) put_quad(locks, place_at(base, a[i + k]), q[k]);
}

/* Which of lanes i to i + BLOCK - 1 are in the set, as bits. */
enum { WHOLE_BLOCK = (1 << BLOCK) - 1 };
PX_INLINE uint64_t block_lanes(const struct px_lanes *lanes, uint32_t i)
{
    return lanes->w[i / 64] >> i % 64 & WHOLE_BLOCK;
}

/* From one block of lanes to the next that is done: those of a tile are done column by column, because those
 * below each other are neighbours in memory. */
PX_INLINE uint32_t blocks_turn(const struct px_survey *s, uint32_t n)
{
    return is_tile(s, 16) && n == 256 ? PX_SURVEY_GROUP : BLOCK;
}

/* ---- local memory at one place in all lanes ---- */

/* Where element k of the units is, whose first words lie at `words`. */
PX_INLINE uint8_t *local_part(const struct px_gang *g, uint8_t *words, const struct px_form f, uint32_t k)
{
    const size_t at = k * (f.unit / f.parts);
    return words + (at >> 2) * g->width * 4 + (at & 3);
}

/* Element i of such rows; one of 8 bytes is two words. */
PX_INLINE uint64_t local_get(const uint8_t *p, uint32_t i, uint32_t width, const struct px_form f)
{
    const uint32_t *words = (const uint32_t *)(const void *)p;
    const struct px_form one = {f.unit / f.parts, 1, f.wide, f.sign};
    if (one.unit == 8) return words[i] | (uint64_t)words[width + i] << 32;
    return part_of(get_at(p + (size_t)i * 4, 0, one.unit), one, 0);
}

PX_INLINE int load_local(struct px_gang *g, const struct px_insn *in, uint8_t *words, const struct px_form f)
{
    const struct rows r = loaded_rows(g, in);
    const uint32_t n = g->n & ~31u, *m = PX_ROW(g, uint32_t, in->m), width = g->width;
    for (uint32_t k = 0; k < f.parts; k++) {
        const uint8_t *p = local_part(g, words, f, k);
        uint8_t *d = r.at[k];
        PX_LOOP blend_at(d, i, local_get(p, i, width, f), m, f.wide);
    }
    return PX_STEP_NEXT;
}

PX_INLINE void local_put(uint8_t *p, uint32_t i, uint32_t width, uint64_t v, bool on, const struct px_form f)
{
    uint32_t *words = (uint32_t *)(void *)p;
    const uint32_t size = f.unit / f.parts;
    if (size == 8) {
        words[i] = on ? (uint32_t)v : words[i];
        words[width + i] = on ? (uint32_t)(v >> 32) : words[width + i];
    } else {
        put_at(p + (size_t)i * 4, 0, on ? v : get_at(p + (size_t)i * 4, 0, size), size);
    }
}

PX_INLINE int store_local(struct px_gang *g, const struct px_insn *in, uint8_t *words, const struct px_form f)
{
    const struct rows r = stored_rows(g, in);
    const uint32_t n = g->n & ~31u, *m = PX_ROW(g, uint32_t, in->m), width = g->width;
    for (uint32_t k = 0; k < f.parts; k++) {
        uint8_t *p = local_part(g, words, f, k);
        const uint8_t *b = r.at[k];
        PX_LOOP local_put(p, i, width, get_at(b, i, f.wide), m[i], f);
    }
    return PX_STEP_NEXT;
}

/* Elements of 16 bytes have no rows of words. */
PX_INLINE bool has_local_rows(const struct px_form f)
{
    return f.unit / f.parts <= 8;
}

/* The rows of local memory of one form, compiled once. */
typedef int local_rows_function(struct px_gang *g, const struct px_insn *in, uint8_t *words);

/* ---- loads ---- */

/* n lanes from `first` on get quad v where the mask row is set; m NULL: all. */
PX_INLINE void fill_quad(const struct rows *r, uint32_t first, uint32_t n, px_quad v, const uint32_t *m,
                         const struct px_form f)
{
    if (f.parts == 1) {
        for (uint32_t i = first; i < first + n; i++)
            if (!m || m[i]) spread_quad(r, i, v, f);
        return;
    }
    for (uint32_t k = 0; k < f.parts; k++) {
        uint8_t *d = r->at[k] + first * f.wide;
        const uint64_t x = f.parts == 2 ? ((px_halves)v)[k] : v[k];
        if (m) {
            PX_LOOP blend_at(d, i, x, m + first, f.wide);
        } else {
            PX_LOOP put_at(d, i, x, f.wide);
        }
    }
}

/* One unit for all lanes of the mask row. */
PX_INLINE void load_same(struct px_gang *g, const struct px_insn *in, const void *p, const struct px_form f)
{
    const struct rows r = loaded_rows(g, in);
    const uint32_t n = g->n, *m = PX_ROW(g, uint32_t, in->m);
    if (f.unit < 16) {
        const uint64_t u = get_unit(p, f.unit);
        PX_LOOP blend(&r, i, u, m, f);
    } else {
        fill_quad(&r, 0, n, get_quad(g->cta->locks, p), m, f);
    }
}

/* Units that lie anywhere, of these lanes. */
PX_INLINE PX_RACY void load_lanes(struct px_gang *g, const struct px_insn *in, uint8_t *base,
                                  const struct px_lanes *lanes, const struct px_form f)
{
    const struct rows r = loaded_rows(g, in);
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    uint32_t i;
    if (f.unit < 16) {
        PX_FOR_LANES(i, *lanes) spread(&r, i, get_unit(place_at(base, a[i]), f.unit), f);
        return;
    }
    for (i = 0; i < g->n; i += BLOCK) {
        uint64_t some = block_lanes(lanes, i);
        if (some == WHOLE_BLOCK) {
            load_block(&r, i, base, a, g->cta->locks, f);
            continue;
        }
        for (; some; some &= some - 1) {
            const uint32_t lane = i + (uint32_t)__builtin_ctzll(some);
            spread_quad(&r, lane, get_quad(g->cta->locks, place_at(base, a[lane])), f);
        }
    }
}

/* Where a probe found them. */
PX_INLINE PX_RACY void load_probed(struct px_gang *g, const struct px_insn *in, const struct probe p,
                                   const struct px_form f)
{
    const struct rows r = loaded_rows(g, in);
    const uint32_t n = g->n, *m = PX_ROW(g, uint32_t, in->m);
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    if (p.same) {
        load_same(g, in, p.first + p.lane * f.unit, f);
    } else if (f.unit < 16 && p.packed) {
        PX_LOOP blend(&r, i, get_at(p.first, i, f.unit), m, f);
    } else if (f.unit < 16 && g->full && !in->m) {
        PX_EACH_LANE spread(&r, i, get_unit(place_at(p.base, a[i]), f.unit), f);
    } else if (f.unit == 16 && p.packed) {
        for (uint32_t i = 0; i < n; i += BLOCK) load_line(&r, i, p.first + 16 * i, m, g->cta->locks, f);
    } else {
        const struct px_lanes lanes = px_gang_lanes(g, in);
        load_lanes(g, in, p.base, &lanes, f);
    }
}

/* Bytes and halves that are words apart are parts of aligned words, which are read whole. */
PX_INLINE PX_RACY void load_of_words(struct px_gang *g, const struct px_insn *in, uint8_t *first,
                                     const struct px_form f)
{
    const struct rows r = loaded_rows(g, in);
    const uintptr_t p = (uintptr_t)first;
    const uint32_t *words = (const uint32_t *)(p & ~(uintptr_t)3), shift = (p & 3) * 8, n = g->n & ~31u;
    look_ahead(g, in, words, n * 4);
    PX_LOOP spread(&r, i, words[i] >> shift, f);
}

/* Units of up to 8 bytes where a survey knows them. */
PX_INLINE PX_RACY void load_surveyed(struct px_gang *g, const struct px_insn *in, const struct px_survey *s,
                                     uint8_t *base, const struct px_form f)
{
    const struct rows r = loaded_rows(g, in);
    const uint32_t n = g->n & ~31u;
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    const bool line = s->kind == PX_SURVEY_LINE, regular = s->kind >= PX_SURVEY_GROUPS;
    if (line && s->step == f.unit) {
        const uint8_t *p = place_at(base, a[0]);
        look_ahead(g, in, p, n * f.unit);
        PX_LOOP spread(&r, i, get_at(p, i, f.unit), f);
    } else if (line && !s->step) {
        const uint64_t u = get_unit(place_at(base, a[0]), f.unit);
        PX_LOOP spread(&r, i, u, f);
    } else if (f.unit < 4 && line && s->step == 4 && ends_with_word(g, in, a)) {
        load_of_words(g, in, place_at(base, a[0]), f);
    } else if (regular && s->step == f.unit) {
        for (uint32_t j = 0; j < n; j += PX_SURVEY_GROUP) {
            const uint8_t *p = place_at(base, a[j]);
            PX_GROUP_LOOP spread(&r, j + i, get_at(p, i, f.unit), f);
        }
    } else if (regular && !s->step) {
        for (uint32_t j = 0; j < n; j += PX_SURVEY_GROUP) {
            const uint64_t u = get_unit(place_at(base, a[j]), f.unit);
            PX_GROUP_LOOP spread(&r, j + i, u, f);
        }
    } else if (is_tile(s, f.unit) && n == 256) {
        PX_LOAD_TILE(f, r.at[0])
        for (uint32_t j = 0; j < 16; j++) {
            const uint8_t *p = place_at(base, a[j]);
            PX_TILE_LOOP spread(&r, j + i * 16, get_at(p, i, f.unit), f);
        }
    } else {
        PX_EACH_LANE spread(&r, i, get_unit(place_at(base, a[i]), f.unit), f);
    }
}

/* The same of 16 bytes. */
PX_INLINE PX_RACY void load_surveyed_quads(struct px_gang *g, const struct px_insn *in,
                                           const struct px_survey *s, uint8_t *base, const struct px_form f)
{
    const struct rows r = loaded_rows(g, in);
    const uint32_t n = g->n & ~31u;
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    if (s->kind >= PX_SURVEY_GROUPS && s->step == 16) {
        if (s->kind == PX_SURVEY_LINE) look_ahead(g, in, place_at(base, a[0]), n * 16);
        for (uint32_t i = 0; i < n; i += BLOCK)
            load_line(&r, i, place_at(base, a[i]), NULL, g->cta->locks, f);
    } else if (s->kind >= PX_SURVEY_GROUPS && !s->step) {
        for (uint32_t j = 0; j < n; j += PX_SURVEY_GROUP)
            fill_quad(&r, j, PX_SURVEY_GROUP, get_quad(g->cta->locks, place_at(base, a[j])), NULL, f);
    } else {
        const uint32_t turn = blocks_turn(s, n);
        for (uint32_t j = 0; j < turn; j += BLOCK)
            for (uint32_t i = j; i < n; i += turn) load_block(&r, i, base, a, g->cta->locks, f);
    }
}

/* A load whose lanes' places are looked at, under a mask. */
PX_INLINE PX_RACY int load_masked(struct px_gang *g, const struct px_insn *in, const struct px_form f,
                                  local_rows_function *local)
{
    const bool scalar = in->flags & PX_INSN_SCALAR_A;
    const struct probe p = scalar ? probe_scalar(g, in, f.unit) : probe_row(g, in, f.unit);
    if (!p.ok) {
        uint8_t *words = has_local_rows(f) ? local_rows(g, in, f.unit) : NULL;
        return words ? local(g, in, words) : px_load_slow(g, in, f);
    }
    load_probed(g, in, p, f);
    return PX_STEP_NEXT;
}

/* Of one place, into scalars. */
PX_INLINE PX_RACY int load_alone(struct px_gang *g, const struct px_insn *in, enum px_fixed fix,
                                 const struct px_form f)
{
    const struct rows r = loaded_rows(g, in);
    const struct probe p = probe_scalar(g, in, f.unit);
    if (!p.ok) return alone_slow(g, in, fix, f);
    if (f.unit < 16)
        spread(&r, 0, get_unit(p.first, f.unit), f);
    else
        spread_quad(&r, 0, get_quad(g->cta->locks, p.first), f);
    return PX_STEP_NEXT;
}

/* A load or store that its survey does not allow. */
PX_INLINE int access_unknown(struct px_gang *g, const struct px_insn *in, enum px_fixed fix,
                             const struct px_form f, local_rows_function *local)
{
    uint8_t *words = has_local_rows(f) ? surveyed_rows(g, in, f.unit) : NULL;
    return words ? local(g, in, words) : unsurveyed(g, in, fix);
}

PX_INLINE PX_RACY int load_known(struct px_gang *g, const struct px_insn *in, const struct px_form f,
                                 px_handler unknown)
{
    const struct px_survey *s;
    uint8_t *base = surveyed(g, in, &s, f.unit);
    if (!base) return unknown(g, in);
    if (f.unit < 16)
        load_surveyed(g, in, s, base, f);
    else
        load_surveyed_quads(g, in, s, base, f);
    return PX_STEP_NEXT;
}

/* ---- stores ---- */

/* Lanes that store to one place do so in lane order: the highest wins. */
PX_INLINE PX_RACY void store_one(struct px_gang *g, const struct rows *r, uint32_t lane, void *p,
                                 const struct px_form f)
{
    if (f.unit < 16)
        put_unit(p, joined(r, lane, f), f.unit);
    else
        put_quad(g->cta->locks, p, joined_quad(r, lane, f));
}

/* Units that lie anywhere, of these lanes. */
PX_INLINE PX_RACY void store_lanes(struct px_gang *g, const struct px_insn *in, uint8_t *base,
                                   const struct px_lanes *lanes, const struct px_form f)
{
    const struct rows r = stored_rows(g, in);
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    uint32_t i;
    if (f.unit < 16) {
        PX_FOR_LANES(i, *lanes) store_one(g, &r, i, place_at(base, a[i]), f);
        return;
    }
    for (i = 0; i < g->n; i += BLOCK) {
        const uint64_t some = block_lanes(lanes, i);
        if (some == WHOLE_BLOCK)
            store_block(&r, i, base, a, g->cta->locks, f);
        else if (some)
            store_some(&r, i, base, a, some, g->cta->locks, f);
    }
}

/* Where a probe found them. */
PX_INLINE PX_RACY void store_probed(struct px_gang *g, const struct px_insn *in, const struct probe p,
                                    const struct px_form f)
{
    const struct rows r = stored_rows(g, in);
    const uint32_t n = g->n, *m = PX_ROW(g, uint32_t, in->m);
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    const struct px_lanes lanes = px_gang_lanes(g, in);
    const bool full = g->full && !in->m;
    if (p.same) {
        uint32_t i, last = 0;
        PX_FOR_LANES(i, lanes) last = i;
        store_one(g, &r, last, p.first + p.lane * f.unit, f);
    } else if (f.unit < 16 && p.packed && full) {
        PX_LOOP put_at(p.first, i, joined(&r, i, f), f.unit);
    } else if (f.unit < 16 && f.parts == 1 && p.packed) {
        PX_LOOP
        {
            if (m[i]) put_at(p.first, i, joined(&r, i, f), f.unit);
        }
    } else if (f.unit < 16 && full) {
        PX_EACH_LANE store_one(g, &r, i, place_at(p.base, a[i]), f);
    } else {
        store_lanes(g, in, p.base, &lanes, f);
    }
}

/* Units of up to 8 bytes where a survey knows them. */
PX_INLINE PX_RACY void store_surveyed(struct px_gang *g, const struct px_insn *in, const struct px_survey *s,
                                      uint8_t *base, const struct px_form f)
{
    const struct rows r = stored_rows(g, in);
    const uint32_t n = g->n & ~31u;
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    const bool line = s->kind == PX_SURVEY_LINE, regular = s->kind >= PX_SURVEY_GROUPS;
    if (line && s->step == f.unit) {
        uint8_t *p = place_at(base, a[0]);
        PX_LOOP put_at(p, i, joined(&r, i, f), f.unit);
    } else if (line && !s->step) {
        store_one(g, &r, n - 1, place_at(base, a[0]), f);
    } else if (regular && s->step == f.unit) {
        for (uint32_t j = 0; j < n; j += PX_SURVEY_GROUP) {
            uint8_t *p = place_at(base, a[j]);
            PX_GROUP_LOOP put_at(p, i, joined(&r, j + i, f), f.unit);
        }
    } else if (is_tile(s, f.unit) && n == 256) {
        PX_STORE_TILE(f, r.at[0])
        for (uint32_t j = 0; j < 16; j++) {
            uint8_t *p = place_at(base, a[j]);
            PX_TILE_LOOP put_at(p, i, joined(&r, j + i * 16, f), f.unit);
        }
    } else {
        PX_EACH_LANE store_one(g, &r, i, place_at(base, a[i]), f);
    }
}

PX_INLINE PX_RACY void store_surveyed_quads(struct px_gang *g, const struct px_insn *in,
                                            const struct px_survey *s, uint8_t *base, const struct px_form f)
{
    const struct rows r = stored_rows(g, in);
    const uint32_t n = g->n & ~31u;
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    if (s->kind >= PX_SURVEY_GROUPS && s->step == 16) {
        for (uint32_t i = 0; i < n; i += BLOCK) store_line(&r, i, place_at(base, a[i]), g->cta->locks, f);
    } else if (s->kind == PX_SURVEY_LINE && !s->step) {
        store_one(g, &r, n - 1, place_at(base, a[0]), f);
    } else {
        const uint32_t turn = blocks_turn(s, n);
        for (uint32_t j = 0; j < turn; j += BLOCK)
            for (uint32_t i = j; i < n; i += turn) store_block(&r, i, base, a, g->cta->locks, f);
    }
}

PX_INLINE PX_RACY int store_masked(struct px_gang *g, const struct px_insn *in, const struct px_form f,
                                   local_rows_function *local)
{
    const bool scalar = in->flags & PX_INSN_SCALAR_A;
    const struct probe p = scalar ? probe_scalar(g, in, f.unit) : probe_row(g, in, f.unit);
    if (!p.ok) {
        uint8_t *words = has_local_rows(f) ? local_rows(g, in, f.unit) : NULL;
        return words ? local(g, in, words) : px_store_slow(g, in, f);
    }
    store_probed(g, in, p, f);
    return PX_STEP_NEXT;
}

PX_INLINE PX_RACY int store_known(struct px_gang *g, const struct px_insn *in, const struct px_form f,
                                  px_handler unknown)
{
    const struct px_survey *s;
    uint8_t *base = surveyed(g, in, &s, f.unit);
    if (!base) return unknown(g, in);
    if (f.unit < 16)
        store_surveyed(g, in, s, base, f);
    else
        store_surveyed_quads(g, in, s, base, f);
    return PX_STEP_NEXT;
}

#endif
