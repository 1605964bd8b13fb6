/*
 * warp_rows.h - shuffles, votes, sums, matches and elections of warps on rows, 32 lanes at a time.
 *
 * Serves the usual case: the active lanes of each warp name one group, all of which is here. Everything else
 * (lanes that wait for others, that collect what they waited for, that name different groups; faults) is for
 * px_warp_sync, which looks at each lane, and gives the same bits. Part of handlers_fixed.c, once a SIMD
 * level.
 */
#ifndef PX_OPS_WARP_ROWS_H
#define PX_OPS_WARP_ROWS_H

#include "ops/row.h"
#include "ops/warp.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { WARP = 32 };
#define PX_WARP_LOOP _Pragma("GCC ivdep") for (uint32_t i = 0; i < WARP; i++)

/* Is each warp's group complete, and one? Then it is the warp's active lanes. */
PX_INLINE bool groups_are_here(const struct px_gang *g, const struct px_insn *in)
{
    const bool scalar = in->flags & PX_SYNC_SCALAR_M;
    const uint32_t *members = PX_ROW(g, uint32_t, in->members), *m = PX_ROW(g, uint32_t, 0);
    if (g->resume) return false;
    if (in->imm & PX_SYNC_ACTIVE) return true;
    if (scalar && g->full && *members == ~0u) return true;
    for (uint32_t w = 0; w < g->n / WARP; w++) {
        const uint32_t here = px_lanes_warp(&g->active, w), *row = members + w * WARP;
        uint32_t differ = 0;
        if (!here) continue;
        if (in->imm & PX_SYNC_CHIP && here != ~0u) return false; /* lanes that have exited give 0 */
        const uint32_t member = scalar ? *members : row[__builtin_ctz(here)];
        if (!scalar) PX_WARP_LOOP differ |= (row[i] ^ member) & m[w * WARP + i];
        if (differ || here & ~member || member & px_lanes_warp(&g->live, w) & ~here) return false;
    }
    return true;
}

/* Elements of one warp into a row, for the lanes that are active. */
PX_INLINE void put_warp(uint32_t *d, const uint32_t *v, const uint32_t *m, uint32_t here)
{
    if (here == ~0u)
        PX_WARP_LOOP d[i] = v[i];
    else
        PX_WARP_LOOP d[i] = m[i] ? v[i] : d[i];
}

/* One value for all of them. */
PX_INLINE void put_same(uint32_t *d, uint32_t v, const uint32_t *m, uint32_t here)
{
    if (here == ~0u)
        PX_WARP_LOOP d[i] = v;
    else
        PX_WARP_LOOP d[i] = m[i] ? v : d[i];
}

/* ---- shfl ---- */

/* Which lane each one reads, and whether it lies inside its segment (0 or ~0). */
struct route {
    uint32_t from[WARP], inside[WARP];
};

PX_INLINE void routed(struct route *r, uint32_t mode, const uint32_t *b, const uint32_t *c)
{
    PX_WARP_LOOP
    {
        const uint32_t by = b[i] & 31, segment = c[i] >> 8 & 31, low = i & segment;
        const int32_t high = (int32_t)(low | (c[i] & 31 & ~segment));
        const int32_t j = (int32_t)(mode == PX_SHFL_UP     ? i - by
                                    : mode == PX_SHFL_DOWN ? i + by
                                    : mode == PX_SHFL_BFLY ? (i ^ by)
                                                           : (low | (by & ~segment)));
        const bool inside = mode == PX_SHFL_UP ? j >= high : j <= high;
        r->from[i] = inside ? (uint32_t)j : i;
        r->inside[i] = 0u - (uint32_t)inside;
    }
}

static __attribute__((noinline)) void find_route(struct route *r, uint32_t mode, const uint32_t *b,
                                                 const uint32_t *c)
{
    switch (mode) {
    case PX_SHFL_UP: routed(r, PX_SHFL_UP, b, c); break;
    case PX_SHFL_DOWN: routed(r, PX_SHFL_DOWN, b, c); break;
    case PX_SHFL_BFLY: routed(r, PX_SHFL_BFLY, b, c); break;
    default: routed(r, PX_SHFL_IDX, b, c); break;
    }
}

/* The 32 operands of a warp: of its row, or the scalar. */
PX_INLINE const uint32_t *operands(const uint32_t *row, bool scalar, uint32_t at, uint32_t all[WARP])
{
    if (!scalar) return row + at;
    PX_WARP_LOOP all[i] = *row;
    return all;
}

/* out[i] = a[from[i]]; out may be a. */
#if defined(__AVX512F__)
typedef uint32_t px_half_warp __attribute__((vector_size(64), aligned(4), may_alias));
PX_INLINE void permute(uint32_t *out, const uint32_t *a, const uint32_t *from)
{
    const px_half_warp *v = (const px_half_warp *)(const void *)a,
                       *f = (const px_half_warp *)(const void *)from;
    px_half_warp *o = (px_half_warp *)(void *)out;
    const px_half_warp low = __builtin_shuffle(v[0], v[1], f[0]), high = __builtin_shuffle(v[0], v[1], f[1]);
    o[0] = low;
    o[1] = high;
}
#else
PX_INLINE void permute(uint32_t *out, const uint32_t *a, const uint32_t *from)
{
    uint32_t v[WARP];
    memcpy(v, a, sizeof v);
    for (uint32_t i = 0; i < WARP; i++) out[i] = v[from[i] & 31];
}
#endif

/* Lanes that are not of the group give nothing: who would read one keeps its own. */
PX_INLINE void among(uint32_t *to, const uint32_t *from, uint32_t here)
{
    PX_WARP_LOOP to[i] = here >> from[i] & 1 ? from[i] : i;
}

static int f0_shuffle(struct px_gang *g, const struct px_insn *in)
{
    const bool one_b = in->flags & PX_SYNC_SCALAR_B, one_c = in->flags & PX_SYNC_SCALAR_C;
    const uint32_t *a = PX_ROW(g, uint32_t, in->a), *b = PX_ROW(g, uint32_t, in->b),
                   *c = PX_ROW(g, uint32_t, in->c), *m = PX_ROW(g, uint32_t, 0), n = g->n;
    const uint32_t mode = PX_SYNC_MODE(in->imm);
    struct route r;
    uint32_t all_b[WARP], all_c[WARP], v[WARP], from[WARP];
    if (!groups_are_here(g, in)) return px_warp_sync(g, in);
    if (one_b && one_c) find_route(&r, mode, operands(b, true, 0, all_b), operands(c, true, 0, all_c));
    for (uint32_t at = 0; at < n; at += WARP) {
        const uint32_t here = px_lanes_warp(&g->active, at / WARP);
        if (!here) continue;
        if (!one_b || !one_c)
            find_route(&r, mode, operands(b, one_b, at, all_b), operands(c, one_c, at, all_c));
        if (here == ~0u && in->d) {
            uint32_t *d = PX_ROW(g, uint32_t, in->d) + at;
            permute(d, a + at, r.from);
        } else if (in->d) {
            among(from, r.from, here);
            permute(v, a + at, from);
            put_warp(PX_ROW(g, uint32_t, in->d) + at, v, m + at, here);
        }
        if (in->e) put_warp(PX_ROW(g, uint32_t, in->e) + at, r.inside, m + at, here);
    }
    return PX_STEP_NEXT;
}

/* ---- vote ---- */

PX_INLINE bool holds(uint32_t mode, uint32_t bits, uint32_t here)
{
    return mode == PX_VOTE_ALL ? bits == here : mode == PX_VOTE_ANY ? bits != 0 : !bits || bits == here;
}

static int f0_vote(struct px_gang *g, const struct px_insn *in)
{
    const uint32_t mode = PX_SYNC_MODE(in->imm), *m = PX_ROW(g, uint32_t, 0), n = g->n;
    const uint32_t to = mode == PX_VOTE_BALLOT ? in->d : in->e;
    struct px_lanes p = {{0}};
    if (!groups_are_here(g, in)) return px_warp_sync(g, in);
    g->level->to_bits(PX_ROW(g, uint32_t, in->a), n, p.w);
    p = in->flags & PX_INSN_NEGATE ? px_lanes_minus(g->active, p) : px_lanes_and(g->active, p);
    for (uint32_t at = 0; at < n && to; at += WARP) {
        const uint32_t here = px_lanes_warp(&g->active, at / WARP), bits = px_lanes_warp(&p, at / WARP);
        const uint32_t v = mode == PX_VOTE_BALLOT ? bits : 0u - (uint32_t)holds(mode, bits, here);
        put_same(PX_ROW(g, uint32_t, to) + at, v, m + at, here);
    }
    return PX_STEP_NEXT;
}

/* ---- redux of integers ---- */

/* What changes nothing. */
PX_INLINE uint32_t fold_none(uint32_t op)
{
    return op == PX_REDUX_UMIN || op == PX_REDUX_AND ? ~0u
           : op == PX_REDUX_SMIN                     ? 0x7fffffffu
           : op == PX_REDUX_SMAX                     ? 0x80000000u
                                                     : 0;
}

/* Values of a vector, and each half of it, quarter, ... turned with its neighbour. */
#if defined(__AVX2__)
enum { FOLD = 8 };
#define PX_FOLD_TURNS(X) X(4, 5, 6, 7, 0, 1, 2, 3) X(2, 3, 0, 1, 6, 7, 4, 5) X(1, 0, 3, 2, 5, 4, 7, 6)
#else
enum { FOLD = 4 };
#define PX_FOLD_TURNS(X) X(2, 3, 0, 1) X(1, 0, 3, 2)
#endif
typedef uint32_t fold __attribute__((vector_size(FOLD * 4), aligned(4), may_alias));
typedef int32_t signed_fold __attribute__((vector_size(FOLD * 4)));

PX_INLINE fold fold_choose(signed_fold where, fold x, fold y)
{
    return (x & (fold)where) | (y & ~(fold)where);
}

/* px_redux_pair of vectors. */
PX_INLINE fold fold_pair(uint32_t op, fold x, fold y)
{
    switch (op) {
    case PX_REDUX_ADD: return x + y;
    case PX_REDUX_UMIN: return fold_choose((signed_fold)(x < y), x, y);
    case PX_REDUX_UMAX: return fold_choose((signed_fold)(x > y), x, y);
    case PX_REDUX_SMIN: return fold_choose((signed_fold)x < (signed_fold)y, x, y);
    case PX_REDUX_SMAX: return fold_choose((signed_fold)x > (signed_fold)y, x, y);
    case PX_REDUX_AND: return x & y;
    case PX_REDUX_OR: return x | y;
    default: return x ^ y;
    }
}

/* All of a warp's values folded, in each element of a vector. */
PX_INLINE fold fold_warp(uint32_t op, const uint32_t *a, const uint32_t *m, uint32_t here)
{
    fold all = (fold){0} + fold_none(op);
    _Pragma("GCC unroll 8") for (uint32_t i = 0; i < WARP; i += FOLD)
    {
        fold v = *(const fold *)(const void *)(a + i);
        if (here != ~0u) {
            const fold on = *(const fold *)(const void *)(m + i);
            v = (v & on) | (fold_none(op) & ~on);
        }
        all = fold_pair(op, all, v);
    }
#define PX_FOLD_TURN(...) all = fold_pair(op, all, __builtin_shuffle(all, (fold){__VA_ARGS__}));
    PX_FOLD_TURNS(PX_FOLD_TURN)
    return all;
}

PX_INLINE int fold_rows(struct px_gang *g, const struct px_insn *in, const uint32_t op)
{
    const uint32_t *a = PX_ROW(g, uint32_t, in->a), *m = PX_ROW(g, uint32_t, 0), warps = g->n / WARP;
    uint32_t *d = PX_ROW(g, uint32_t, in->d);
    if (!in->d) return PX_STEP_NEXT;
    for (uint32_t w = 0; w < warps; w++, a += WARP, d += WARP, m += WARP) {
        const uint32_t here = px_lanes_warp(&g->active, w);
        if (!here) continue;
        const fold all = fold_warp(op, a, m, here);
        if (here == ~0u)
            _Pragma("GCC unroll 8") for (uint32_t i = 0; i < WARP; i += FOLD) * (fold *)(void *)(d + i) = all;
        else
            put_same(d, all[0], m, here);
    }
    return PX_STEP_NEXT;
}

static int f0_redux(struct px_gang *g, const struct px_insn *in)
{
    if (!groups_are_here(g, in)) return px_warp_sync(g, in);
    switch (PX_SYNC_MODE(in->imm)) {
    case PX_REDUX_ADD: return fold_rows(g, in, PX_REDUX_ADD);
    case PX_REDUX_UMIN: return fold_rows(g, in, PX_REDUX_UMIN);
    case PX_REDUX_UMAX: return fold_rows(g, in, PX_REDUX_UMAX);
    case PX_REDUX_SMIN: return fold_rows(g, in, PX_REDUX_SMIN);
    case PX_REDUX_SMAX: return fold_rows(g, in, PX_REDUX_SMAX);
    case PX_REDUX_AND: return fold_rows(g, in, PX_REDUX_AND);
    case PX_REDUX_OR: return fold_rows(g, in, PX_REDUX_OR);
    case PX_REDUX_XOR: return fold_rows(g, in, PX_REDUX_XOR);
    default: return px_warp_sync(g, in);
    }
}

/* ---- match ---- */

static uint32_t bits_of_warp(const uint32_t *row); /* handlers_fixed.c */

/* Which values of a warp are that of `lane`. */
PX_INLINE uint32_t equal_bits(const void *a, uint32_t lane, bool is_wide)
{
    const uint32_t *x = a;
    const uint64_t *y = a;
#if defined(__AVX512F__)
    uint32_t bits = 0;
    if (!is_wide) {
        const __m512i v = _mm512_set1_epi32((int)x[lane]);
        return _mm512_cmpeq_epi32_mask(v, _mm512_loadu_si512(x)) |
               (uint32_t)_mm512_cmpeq_epi32_mask(v, _mm512_loadu_si512(x + 16)) << 16;
    }
    const __m512i v = _mm512_set1_epi64((long long)y[lane]);
    for (uint32_t i = 0; i < WARP; i += 8)
        bits |= (uint32_t)_mm512_cmpeq_epi64_mask(v, _mm512_loadu_si512(y + i)) << i;
    return bits;
#else
    uint32_t equal[WARP];
    if (is_wide)
        PX_WARP_LOOP equal[i] = 0u - (uint32_t)(y[i] == y[lane]);
    else
        PX_WARP_LOOP equal[i] = 0u - (uint32_t)(x[i] == x[lane]);
    return bits_of_warp(equal);
#endif
}

/* Lane by lane, whether others have its value or not: no turn waits for the one before. */
PX_INLINE void match_any(uint32_t *to, const void *a, uint32_t here, bool is_wide)
{
    for (uint32_t lane = 0; lane < WARP; lane++) to[lane] = equal_bits(a, lane, is_wide) & here;
}

PX_INLINE void match_warp(struct px_gang *g, const struct px_insn *in, uint32_t at, uint32_t here,
                          bool is_wide)
{
    const void *a =
        is_wide ? (const void *)(PX_ROW(g, uint64_t, in->a) + at) : PX_ROW(g, uint32_t, in->a) + at;
    const uint32_t *m = PX_ROW(g, uint32_t, 0) + at;
    uint32_t to[WARP];
    if (PX_SYNC_MODE(in->imm) == PX_MATCH_ANY) {
        match_any(to, a, here, is_wide);
    } else {
        const uint32_t same = here & ~equal_bits(a, (uint32_t)__builtin_ctz(here), is_wide) ? 0 : here;
        PX_WARP_LOOP to[i] = 0u - (uint32_t)(same != 0);
        if (in->e) put_warp(PX_ROW(g, uint32_t, in->e) + at, to, m, here);
        PX_WARP_LOOP to[i] = same;
    }
    if (in->d) put_warp(PX_ROW(g, uint32_t, in->d) + at, to, m, here);
}

static int f0_match(struct px_gang *g, const struct px_insn *in)
{
#if !defined(__AVX2__) /* the row of one value costs more than the values one by one */
    if (PX_SYNC_MODE(in->imm) == PX_MATCH_ANY) return px_warp_sync(g, in);
#endif
    if (!groups_are_here(g, in) || (in->bytes != 4 && in->bytes != 8)) return px_warp_sync(g, in);
    for (uint32_t at = 0; at < g->n; at += WARP) {
        const uint32_t here = px_lanes_warp(&g->active, at / WARP);
        if (here && in->bytes == 8)
            match_warp(g, in, at, here, true);
        else if (here)
            match_warp(g, in, at, here, false);
    }
    return PX_STEP_NEXT;
}

/* ---- elect, activemask, bar.warp.sync ---- */

static int f0_elect(struct px_gang *g, const struct px_insn *in)
{
    if (!groups_are_here(g, in)) return px_warp_sync(g, in);
    for (uint32_t at = 0; at < g->n; at += WARP) {
        const uint32_t here = px_lanes_warp(&g->active, at / WARP), *m = PX_ROW(g, uint32_t, 0) + at;
        if (!here) continue;
        const uint32_t first = (uint32_t)__builtin_ctz(here);
        uint32_t to[WARP];
        PX_WARP_LOOP to[i] = first;
        if (in->d) put_warp(PX_ROW(g, uint32_t, in->d) + at, to, m, here);
        PX_WARP_LOOP to[i] = 0u - (uint32_t)(i == first);
        if (in->e) put_warp(PX_ROW(g, uint32_t, in->e) + at, to, m, here);
    }
    return PX_STEP_NEXT;
}

static int f0_activemask(struct px_gang *g, const struct px_insn *in)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    const uint32_t *m = PX_ROW(g, uint32_t, in->m), warps = g->n / WARP;
    uint32_t *d = PX_ROW(g, uint32_t, in->d);
    for (uint32_t w = 0; w < warps; w++, d += WARP, m += WARP) {
        const uint32_t here = px_lanes_warp(&lanes, w);
        if (here) put_same(d, here, m, here);
    }
    return PX_STEP_NEXT;
}

static int f0_warpsync(struct px_gang *g, const struct px_insn *in)
{
    return groups_are_here(g, in) ? PX_STEP_NEXT : px_warp_sync(g, in);
}

#endif
