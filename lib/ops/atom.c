/*
 * atom.c - atom and red (PTX ISA 9.7.13.5, 9.7.13.7).
 *
 * Lanes of one record act in lane order. Global memory is shared with other
 * workers: integer operations are the host's locked instructions, the rest are
 * compare-and-swap loops. Shared memory belongs to one CTA, which runs on one
 * worker at a time, so there plain loads and stores do. Rows whose lanes name one place, or places side by
 * side in shared memory, are done at once (atom_rows.c). Every order is sequentially
 * consistent, which is at least what any .sem asks.
 *
 * Record: a = address row (imm is added), b, c = operand rows, d = result row or
 * 0, bytes = alignment, half = which operation on halves, flags: PX_INSN_FTZ for add.f32 and .f64 where the
 * address may be global: there subnormal f32 operands and results are flushed (PTX ISA 9.7.13.5).
 */
#include "ops/atom.h"
#include "ops/atom_ops.h"
#include "gang/cluster.h"
#include "ops/mem.h"
#include "ops/private.h"

static inline void *place_at(uint8_t *base, uint64_t offset)
{
    return (void *)((uintptr_t)base + offset);
}

static __attribute__((noinline)) uint8_t *resolved(struct px_gang *g, const struct px_insn *in, uint32_t lane,
                                                   uint32_t size)
{
    struct px_place_of p = px_gang_resolve(g, in, lane, size);
    if (p.host && p.stride != 4) {
        px_gang_trap(g, in, lane, PX_CUDA_INVALID_ADDRESS_SPACE, px_address(g, in, lane),
                     "atomic operation on local memory");
        return NULL;
    }
    if (p.host) g->seg[in->extent] = p.seg;
    px_tell_past(g, in, lane, size, &p);
    return p.host;
}

/* The lane's place; NULL after a trap. */
static inline uint8_t *place_of(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint32_t size)
{
    const struct px_seg *seg = &g->seg[in->extent];
    uint64_t va = px_address(g, in, lane), x = va - seg->lo;
    const bool known = seg->len >= size && x <= seg->len - size && !(va & (in->bytes - 1u));
    return known ? seg->host + x : resolved(g, in, lane, size);
}

static inline bool is_whole(const struct px_gang *g, const struct px_insn *in)
{
    return g->full && !in->m;
}

/*
 * Where base + its address is the place of each active lane: `known`, all of them in the known segment and
 * aligned. Then they may lie side by side in the order of lanes, all of which are there (`line`), or be one
 * place (`one`). base is NULL where host and device have one address; span is of the addresses without imm.
 */
struct places {
    struct px_span span;
    uint8_t *base;
    bool known, line, one;
};

/* Not known: they are not known to be so, or it is not worth asking for few lanes. */
static struct places places_of(struct px_gang *g, const struct px_insn *in, const struct px_lanes *lanes,
                               uint32_t size)
{
    enum { FEW = 16 };
    struct places p = {.known = false};
    const struct px_seg *seg = &g->seg[in->extent];
    const uint64_t *a = PX_ROW(g, uint64_t, in->a), step = a[1] - a[0];
    const bool whole = is_whole(g, in);
    if (in->flags & PX_INSN_SCALAR_A || seg->len < size || g->nactive < FEW || px_lanes_empty(lanes))
        return p;
    const bool line = whole && (step == size || !step) && g->level->is_line(a, g->n);
    p.span = line ? (struct px_span){a[0], a[g->n - 1], a[0] | step}
                  : g->level->span(a, whole ? NULL : PX_ROW(g, uint32_t, in->m), px_lanes_first(lanes), g->n);
    const uint64_t x = p.span.least + in->imm - seg->lo, room = seg->len - size,
                   spread = p.span.most - p.span.least;
    if (spread > room || x > room - spread || (p.span.low | in->imm) & (in->bytes - 1u)) return p;
    p.base = (uint8_t *)((uintptr_t)seg->host + in->imm - seg->lo);
    p.known = true;
    p.line = line && step;
    p.one = !spread;
    return p;
}

/* A float is added by memory itself, not by the multiprocessor: a generic address may lead to either. */
static inline bool by_memory(const struct px_gang *g, const struct px_insn *in, const void *p)
{
    return in->flags & PX_INSN_FTZ && !px_unit_of_shared(g->cta, p);
}

/* ---- the operations (atom_ops.h), lane by lane ---- */

/* Those of halves take dozens of instructions: handlers call them, by number (the record's `half`). */
#define HALF_FUNCTION(op, kind, T, scalar, vector)                                                           \
    static T op##_##kind(T o, T b)                                                                           \
    {                                                                                                        \
        return (T)(scalar);                                                                                  \
    }
PX_ATOM_HALVES(HALF_FUNCTION)
PX_ATOM_PAIRS(HALF_FUNCTION)

#define HALF_NAME(op, kind, ...) op##_##kind,
static uint16_t (*const on_halves[])(uint16_t o, uint16_t b) = {PX_ATOM_HALVES(HALF_NAME)};
static uint32_t (*const on_pairs[])(uint32_t o, uint32_t b) = {PX_ATOM_PAIRS(HALF_NAME)};

#define OP_HALF(T) on_halves[in->half](o, b)
/*
 * In another block's shared memory the chip adds two packed halves as one whole number, whatever the manual
 * says.
 */
static inline uint32_t pair(const struct px_gang *g, const struct px_insn *in, const void *p, uint32_t o,
                            uint32_t b)
{
    const bool adds = on_pairs[in->half] == add_F16X2 || on_pairs[in->half] == add_BF16X2;
    if (g->cta->cluster && adds) {
        const struct px_cta *owner = px_unit_of_shared(g->cta, p);
        if (owner && owner != g->cta) return o + b;
    }
    return on_pairs[in->half](o, b);
}
#define OP_PAIR(T) pair(g, in, p, o, b)

#define LOCKED(T, p, OP)                                                                                     \
    T o = __atomic_load_n(p, __ATOMIC_RELAXED);                                                              \
    while (!__atomic_compare_exchange_n(p, &o, (T)(OP(T)), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {      \
    }
#define LOCKED_ADD(T, p, OP) T o = __atomic_fetch_add(p, b, __ATOMIC_SEQ_CST);
#define LOCKED_AND(T, p, OP) T o = __atomic_fetch_and(p, b, __ATOMIC_SEQ_CST);
#define LOCKED_OR(T, p, OP) T o = __atomic_fetch_or(p, b, __ATOMIC_SEQ_CST);
#define LOCKED_XOR(T, p, OP) T o = __atomic_fetch_xor(p, b, __ATOMIC_SEQ_CST);
#define LOCKED_EXCH(T, p, OP) T o = __atomic_exchange_n(p, b, __ATOMIC_SEQ_CST);
#define LOCKED_CAS(T, p, OP)                                                                                 \
    T o = b;                                                                                                 \
    __atomic_compare_exchange_n(p, &o, c, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
/* Others may wait at the barrier word of a cooperative grid. */
static __attribute__((noinline)) int to_workspace(const struct px_gang *g, const struct px_insn *in)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    PX_FOR_LANES(lane, lanes)
    if (px_address(g, in, lane) - g->cta->grid->workspace < PX_WORKSPACE_BYTES) return PX_STEP_ARRIVED;
    return PX_STEP_NEXT;
}

#define PLAIN(T, p, OP)                                                                                      \
    T o = *p;                                                                                                \
    *p = (T)(OP(T));

/* ---- whole rows at once (atom_rows.c) ---- */

static const struct px_atom_row_set *rows_of(const struct px_gang *g, const struct px_insn *in,
                                             enum px_atom_rows_op op)
{
    return &g->level->atoms[op + in->half];
}

/* The word's bits begin at *v. */
static PX_RACY void load_word(void *v, const void *p, uint32_t size)
{
    switch (size) {
    case 2: *(uint16_t *)v = __atomic_load_n((const uint16_t *)p, __ATOMIC_RELAXED); break;
    case 4: *(uint32_t *)v = __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED); break;
    default: *(uint64_t *)v = __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED); break;
    }
}

#define REPLACE(T)                                                                                           \
    T old = *(const T *)before;                                                                              \
    if (locked)                                                                                              \
        return __atomic_compare_exchange_n((T *)p, &old, *(const T *)after, false, __ATOMIC_SEQ_CST,         \
                                           __ATOMIC_RELAXED);                                                \
    if (*(T *)p != old) return false;                                                                        \
    *(T *)p = *(const T *)after;                                                                             \
    return true

/* If the word is still *before it becomes *after. */
PX_INLINE bool replace(void *p, const void *before, const void *after, const uint32_t size, const bool locked)
{
    if (size == 2) {
        REPLACE(uint16_t);
    } else if (size == 4) {
        REPLACE(uint32_t);
    }
    REPLACE(uint64_t);
}

/* Row `to` of active lanes gets what lies in `from`, for each of them one after the other. */
static void give_packed(uint8_t *to, const uint8_t *from, const struct px_lanes *lanes, uint32_t size)
{
    uint32_t lane;
    PX_FOR_LANES(lane, *lanes)
    {
        memcpy(to + (size_t)lane * size, from, size);
        from += size;
    }
}

/*
 * All active lanes' operations on one place, back to back: of a locked one memory sees only the last value.
 * False: others were faster, each time; nothing has been done.
 */
static __attribute__((noinline)) bool at_one_place(struct px_gang *g, const struct px_insn *in,
                                                   const struct px_lanes *lanes, void *p, uint32_t size,
                                                   const struct px_atom_row_set *rows, bool locked)
{
    enum { TRIES = 2 };
    uint64_t b[PX_LANES_MAX], c[PX_LANES_MAX], d[PX_LANES_MAX], before, after;
    const void *pb = PX_ROW(g, uint8_t, in->b), *pc = in->c ? PX_ROW(g, uint8_t, in->c) : NULL;
    const bool whole = is_whole(g, in), ftz = by_memory(g, in, p);
    const uint32_t n = whole ? g->n : px_lanes_count(lanes);
    if (!whole) {
        g->level->pack(b, pb, lanes->w, g->n, size);
        if (pc) g->level->pack(c, pc, lanes->w, g->n, size);
        pb = b, pc = pc ? c : NULL;
    }
    for (uint32_t i = 0; i < TRIES; i++) {
        load_word(&before, p, size);
        after = before;
        rows->chain(&after, pb, pc, in->d ? d : NULL, n, ftz);
        if (!(size == 2   ? replace(p, &before, &after, 2, locked)
              : size == 4 ? replace(p, &before, &after, 4, locked)
                          : replace(p, &before, &after, 8, locked)))
            continue;
        if (in->d && whole)
            memcpy(PX_ROW(g, uint8_t, in->d), d, (size_t)n * size);
        else if (in->d)
            give_packed(PX_ROW(g, uint8_t, in->d), (const uint8_t *)d, lanes, size);
        return true;
    }
    return false;
}

/* The old and new values of operations that are computed before each lane's word is replaced, if it is still
 * the old one. */
struct foreseen {
    uint64_t before[PX_LANES_MAX], after[PX_LANES_MAX];
};

/* Unrolled: few instructions a lane. */
#define EACH_LANE _Pragma("GCC unroll 4") for (lane = 0; lane < n; lane++)

#define LOAD_WORDS(T)                                                                                        \
    {                                                                                                        \
        T *to = (T *)f->after;                                                                               \
        EACH_LANE to[lane] = __atomic_load_n((const T *)place_at(base, a[lane]), __ATOMIC_RELAXED);          \
        if (!n) PX_FOR_LANES(lane, *lanes)                                                                   \
        to[lane] = __atomic_load_n((const T *)place_at(base, a[lane]), __ATOMIC_RELAXED);                    \
    }

static __attribute__((noinline)) PX_RACY void foresee(struct px_gang *g, const struct px_insn *in,
                                                      const struct px_lanes *lanes, uint8_t *base,
                                                      uint32_t size, const struct px_atom_row_set *rows,
                                                      struct foreseen *f)
{
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    const uint32_t n = is_whole(g, in) ? g->n : 0;
    uint32_t lane;
    if (!n) memset(f->after, 0, sizeof f->after);
    if (size == 2)
        LOAD_WORDS(uint16_t)
    else if (size == 4)
        LOAD_WORDS(uint32_t)
    else
        LOAD_WORDS(uint64_t)
    rows->line(f->after, PX_ROW(g, uint8_t, in->b), NULL, f->before, g->n,
               by_memory(g, in, place_at(base, a[px_lanes_first(lanes)])));
}

/*
 * What can be done for all active lanes at once: operations on one place, and on places side by side where
 * nobody else looks. A step, or NOT_ONCE: nothing has been done, and *at says what is known of the places.
 */
enum { NOT_ONCE = -1 };

static __attribute__((noinline)) int at_once(struct px_gang *g, const struct px_insn *in,
                                             const struct px_lanes *lanes, struct places *at, uint32_t size,
                                             const struct px_atom_row_set *rows, bool locked)
{
    enum { FEW = 8 };
    *at = places_of(g, in, lanes, size);
    void *p = at->known ? place_at(at->base, at->span.least) : NULL;
    if (in->flags & PX_INSN_SCALAR_A && px_lanes_count(lanes) >= FEW) {
        at->one = true;
        p = place_of(g, in, px_lanes_first(lanes), size);
        if (!p) return PX_STEP_TRAP;
    }
    if (at->one) return at_one_place(g, in, lanes, p, size, rows, locked) ? PX_STEP_NEXT : NOT_ONCE;
    if (!at->line || locked) return NOT_ONCE;
    rows->line(p, PX_ROW(g, uint8_t, in->b), PX_ROW(g, uint8_t, in->c),
               in->d ? PX_ROW(g, uint8_t, in->d) : NULL, g->n, by_memory(g, in, p));
    return PX_STEP_NEXT;
}

/* ---- the handlers ---- */

#define ATOM_ONE(name, T, OP, HOW)                                                                           \
    PX_INLINE void one_##name(struct px_gang *g, const struct px_insn *in, T *p, T b, T c, T *d)             \
    {                                                                                                        \
        const bool ftz = by_memory(g, in, p);                                                                \
        (void)in, (void)c, (void)ftz;                                                                        \
        HOW(T, p, OP)                                                                                        \
        if (d) *d = o;                                                                                       \
    }

/* What each handler begins with. `locked`: others may reach the memory meanwhile. */
#define ATOM_BEGIN(name, T, locked)                                                                          \
    const T *pb = PX_ROW(g, T, in->b), *pc = PX_ROW(g, T, in->c);                                            \
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);                                                          \
    T *d = in->d ? PX_ROW(g, T, in->d) : NULL;                                                               \
    const struct px_lanes lanes = px_gang_lanes(g, in);                                                      \
    const struct px_atom_row_set *rows = rows_of(g, in, PX_ROWS_##name);                                     \
    struct places at;                                                                                        \
    uint32_t lane;                                                                                           \
    const int step = at_once(g, in, &lanes, &at, sizeof(T), rows, locked)

#define ATOM_END(step) return (step) == PX_STEP_NEXT && g->cta->grid->workspace ? to_workspace(g, in) : (step)

#define ATOM(how, name, T, OP, HOW, locked)                                                                  \
    ATOM_ONE(how##_##name, T, OP, HOW)                                                                       \
    static int how##_##name(struct px_gang *g, const struct px_insn *in)                                     \
    {                                                                                                        \
        ATOM_BEGIN(name, T, locked);                                                                         \
        if (step != NOT_ONCE) ATOM_END(step);                                                                \
        const uint32_t n = at.known && is_whole(g, in) ? g->n : 0;                                           \
        if (n && !d) {                                                                                       \
            EACH_LANE one_##how##_##name(g, in, (T *)place_at(at.base, a[lane]), pb[lane], pc[lane], NULL);  \
        } else if (n) {                                                                                      \
            EACH_LANE one_##how##_##name(g, in, (T *)place_at(at.base, a[lane]), pb[lane], pc[lane],         \
                                         d + lane);                                                          \
        } else {                                                                                             \
            PX_FOR_LANES(lane, lanes)                                                                        \
            {                                                                                                \
                T *p = (T *)(at.known ? place_at(at.base, a[lane]) : place_of(g, in, lane, sizeof(T)));      \
                if (!p) return PX_STEP_TRAP;                                                                 \
                one_##how##_##name(g, in, p, pb[lane], pc[lane], d ? d + lane : NULL);                       \
            }                                                                                                \
        }                                                                                                    \
        ATOM_END(PX_STEP_NEXT);                                                                              \
    }

/* The same of halves, whose values vectors compute before memory is written. */
#define ATOM_FORESEEN(how, name, T, OP, HOW, locked)                                                         \
    ATOM_ONE(how##_##name, T, OP, HOW)                                                                       \
    static int how##_##name(struct px_gang *g, const struct px_insn *in)                                     \
    {                                                                                                        \
        struct foreseen f;                                                                                   \
        ATOM_BEGIN(name, T, locked);                                                                         \
        if (step != NOT_ONCE) ATOM_END(step);                                                                \
        const T *before = (const T *)f.before, *after = (const T *)f.after;                                  \
        const uint32_t n = at.known && is_whole(g, in) ? g->n : 0;                                           \
        if (at.known) foresee(g, in, &lanes, at.base, sizeof(T), rows, &f);                                  \
        EACH_LANE                                                                                            \
        {                                                                                                    \
            T *p = (T *)place_at(at.base, a[lane]);                                                          \
            if (!replace(p, before + lane, after + lane, sizeof(T), locked))                                 \
                one_##how##_##name(g, in, p, pb[lane], pc[lane], d ? d + lane : NULL);                       \
            else if (d)                                                                                      \
                d[lane] = before[lane];                                                                      \
        }                                                                                                    \
        if (!n) PX_FOR_LANES(lane, lanes)                                                                    \
            {                                                                                                \
                T *p = (T *)(at.known ? place_at(at.base, a[lane]) : place_of(g, in, lane, sizeof(T)));      \
                if (!p) return PX_STEP_TRAP;                                                                 \
                if (!at.known || !replace(p, before + lane, after + lane, sizeof(T), locked))                \
                    one_##how##_##name(g, in, p, pb[lane], pc[lane], d ? d + lane : NULL);                   \
                else if (d)                                                                                  \
                    d[lane] = before[lane];                                                                  \
            }                                                                                                \
        ATOM_END(PX_STEP_NEXT);                                                                              \
    }

/* Global memory; shared memory, where nobody else looks meanwhile. */
#define DEFINE(name, T, OP, HOW)                                                                             \
    ATOM(locked, name, T, OP, HOW, true)                                                                     \
    ATOM(plain, name, T, OP, PLAIN, false)
#define DEFINE_FORESEEN(name, T, OP, HOW)                                                                    \
    ATOM_FORESEEN(locked, name, T, OP, HOW, true)                                                            \
    ATOM_FORESEEN(plain, name, T, OP, PLAIN, false)
PX_ATOM_SUMS(DEFINE)
PX_ATOM_WHOLE(DEFINE)
PX_ATOM_FLOATS(DEFINE)
DEFINE_FORESEEN(half, uint16_t, OP_HALF, LOCKED)
DEFINE_FORESEEN(pair, uint32_t, OP_PAIR, LOCKED)

/* ---- reductions that may wait (private.h) ---- */

/*
 * Where the last lane's reduction went: addresses [va, va+span] have their words from `data` on. Most lanes
 * find theirs there with one comparison.
 */
struct near {
    uint64_t va, span;
    uint8_t *data; /* NULL: memory is to be written at once; */
    uint8_t *host; /* here, or after a trap nowhere */
};

/* What leads to no lane's word: nothing lies at 1 that could be reduced. */
#define NOT_NEAR ((struct near){.va = 1})

struct operation {
    void (*perform)(uint8_t *to, uint8_t *data), (*fill)(uint8_t *data);
};

/* What leads to the lane's word. */
static __attribute__((noinline)) struct near go_near(struct px_gang *g, const struct px_insn *in,
                                                     uint32_t lane, uint32_t size, struct operation op)
{
    struct px_private *pages = g->worker->pages;
    const uint64_t va = px_address(g, in, lane);
    pages->looks = true;
    uint8_t *host = place_of(g, in, lane, size);
    pages->looks = false;
    struct px_private_page *page = host ? px_private_at(g, va, host, op.perform, op.fill) : NULL;
    if (!page) {
        if (host) px_private_touch(g->worker, va, size);
        return (struct near){.va = 1, .host = host};
    }
    const struct px_seg *seg = &g->seg[in->extent];
    const uint64_t lo = seg->lo > page->lo ? seg->lo : page->lo, end = seg->lo + seg->len;
    return (struct near){lo, (end < page->hi ? end : page->hi) - lo - size, page->data + (lo - page->first),
                         host};
}

/*
 * What waits for the words of the active lanes, whose addresses without imm span is of, is at words +
 * ((address + add) & mask). words NULL: there are no pages for that.
 */
struct private_places {
    uint8_t *words;
    uint64_t add, mask;
};

static struct private_places private_places(struct px_gang *g, const struct px_insn *in,
                                            const struct px_span *span, uint32_t size, struct operation op)
{
    const uint64_t lo = span->least + in->imm, most = span->most + in->imm;
    uint8_t *data = px_private_row(g, &g->seg[in->extent], lo, most + size, op.perform, op.fill);
    if (!data || lo % PX_PRIVATE_WINDOW > most % PX_PRIVATE_WINDOW)
        return (struct private_places){data, in->imm, PX_PRIVATE_WINDOW - 1};
    return (struct private_places){place_at(data, lo % PX_PRIVATE_WINDOW - span->least), 0, UINT64_MAX};
}

/* *sum and what the active lanes add to it. */
static void sum_of(struct px_gang *g, const struct px_insn *in, const struct px_lanes *lanes, void *sum,
                   uint32_t size, enum px_atom_rows_op op)
{
    uint64_t packed[PX_LANES_MAX];
    const void *b = PX_ROW(g, uint8_t, in->b);
    const bool whole = is_whole(g, in);
    if (!whole) g->level->pack(packed, b, lanes->w, g->n, size);
    rows_of(g, in, op)->chain(sum, whole ? b : packed, NULL, NULL, whole ? g->n : px_lanes_count(lanes),
                              false);
}

#define PRIVATE(name, T, OP, IDENTITY, HOW)                                                                  \
    static void flush_##name(uint8_t *to, uint8_t *data)                                                     \
    {                                                                                                        \
        T *p = (T *)(void *)to, *w = (T *)(void *)data;                                                      \
        for (uint32_t i = 0; i < PX_PRIVATE_BYTES / sizeof(T); i++, p++) {                                   \
            const T b = w[i];                                                                                \
            if (b == (IDENTITY)) continue;                                                                   \
            w[i] = (IDENTITY);                                                                               \
            HOW(T, p, OP)                                                                                    \
            (void)o;                                                                                         \
        }                                                                                                    \
    }                                                                                                        \
    static void fill_##name(uint8_t *data)                                                                   \
    {                                                                                                        \
        T *w = (T *)(void *)data;                                                                            \
        for (uint32_t i = 0; i < PX_PRIVATE_BYTES / sizeof(T); i++) w[i] = (IDENTITY);                       \
    }                                                                                                        \
    PX_INLINE struct near lane_##name(struct px_gang *g, const struct px_insn *in, uint32_t lane,            \
                                      uint64_t va, T b, struct near near)                                    \
    {                                                                                                        \
        if (__builtin_expect(va - near.va > near.span || va & (sizeof(T) - 1), 0))                           \
            near = go_near(g, in, lane, sizeof(T), (struct operation){flush_##name, fill_##name});           \
        if (__builtin_expect(!near.data, 0)) {                                                               \
            T *p = (T *)(void *)near.host;                                                                   \
            if (!p) return near;                                                                             \
            HOW(T, p, OP)                                                                                    \
            (void)o;                                                                                         \
        } else {                                                                                             \
            T *w = (T *)(void *)(near.data + (va - near.va));                                                \
            const T o = *w;                                                                                  \
            *w = (T)(OP(T));                                                                                 \
        }                                                                                                    \
        return near;                                                                                         \
    }                                                                                                        \
    PX_INLINE void add_##name(void *word, T b)                                                               \
    {                                                                                                        \
        T *w = word;                                                                                         \
        const T o = *w;                                                                                      \
        *w = (T)(OP(T));                                                                                     \
    }                                                                                                        \
    static int private_##name(struct px_gang *g, const struct px_insn *in)                                   \
    {                                                                                                        \
        struct px_private *pages = px_private_of(g, in);                                                     \
        if (!pages) return locked_##name(g, in);                                                             \
        const T *pb = PX_ROW(g, T, in->b);                                                                   \
        const uint64_t *a = PX_ROW(g, uint64_t, in->a);                                                      \
        const struct px_lanes lanes = px_gang_lanes(g, in);                                                  \
        const uint32_t n = is_whole(g, in) ? g->n : 0;                                                       \
        struct near near = NOT_NEAR;                                                                         \
        uint32_t lane;                                                                                       \
        if (px_lanes_empty(&lanes)) return PX_STEP_NEXT;                                                     \
        pages->hits += g->nactive;                                                                           \
        const struct places p = places_of(g, in, &lanes, sizeof(T));                                         \
        if (in->flags & PX_INSN_SCALAR_A || p.one) {                                                         \
            T sum = (IDENTITY);                                                                              \
            sum_of(g, in, &lanes, &sum, sizeof(T), PX_ROWS_##name);                                          \
            lane = px_lanes_first(&lanes);                                                                   \
            near = lane_##name(g, in, lane, px_address(g, in, lane), sum, near);                             \
            return near.host ? PX_STEP_NEXT : PX_STEP_TRAP;                                                  \
        }                                                                                                    \
        struct private_places at = {0};                                                                      \
        if (p.known)                                                                                         \
            at = private_places(g, in, &p.span, sizeof(T), (struct operation){flush_##name, fill_##name});   \
        if (at.words && p.line && at.mask == UINT64_MAX) {                                                   \
            rows_of(g, in, PX_ROWS_##name)                                                                   \
                ->line(place_at(at.words, p.span.least), pb, NULL, NULL, n, false);                          \
        } else if (at.words && n && at.mask == UINT64_MAX) {                                                 \
            EACH_LANE add_##name(place_at(at.words, a[lane]), pb[lane]);                                     \
        } else if (at.words) {                                                                               \
            PX_FOR_LANES(lane, lanes)                                                                        \
            add_##name(place_at(at.words, (a[lane] + at.add) & at.mask), pb[lane]);                          \
        } else {                                                                                             \
            PX_FOR_LANES(lane, lanes)                                                                        \
            {                                                                                                \
                near = lane_##name(g, in, lane, px_address(g, in, lane), pb[lane], near);                    \
                if (!near.host) return PX_STEP_TRAP;                                                         \
            }                                                                                                \
        }                                                                                                    \
        return PX_STEP_NEXT;                                                                                 \
    }

/* name, element type, operation, what changes nothing, locked form */
#define PRIVATES(X)                                                                                          \
    X(add32, uint32_t, OP_ADD, 0, LOCKED_ADD)                                                                \
    X(add64, uint64_t, OP_ADD, 0, LOCKED_ADD)                                                                \
    X(and32, uint32_t, OP_AND, UINT32_MAX, LOCKED_AND)                                                       \
    X(and64, uint64_t, OP_AND, UINT64_MAX, LOCKED_AND)                                                       \
    X(or32, uint32_t, OP_OR, 0, LOCKED_OR)                                                                   \
    X(or64, uint64_t, OP_OR, 0, LOCKED_OR)                                                                   \
    X(xor32, uint32_t, OP_XOR, 0, LOCKED_XOR)                                                                \
    X(xor64, uint64_t, OP_XOR, 0, LOCKED_XOR)                                                                \
    X(minu32, uint32_t, OP_MIN, UINT32_MAX, LOCKED)                                                          \
    X(mins32, int32_t, OP_MIN, INT32_MAX, LOCKED)                                                            \
    X(minu64, uint64_t, OP_MIN, UINT64_MAX, LOCKED)                                                          \
    X(mins64, int64_t, OP_MIN, INT64_MAX, LOCKED)                                                            \
    X(maxu32, uint32_t, OP_MAX, 0, LOCKED)                                                                   \
    X(maxs32, int32_t, OP_MAX, INT32_MIN, LOCKED)                                                            \
    X(maxu64, uint64_t, OP_MAX, 0, LOCKED)                                                                   \
    X(maxs64, int64_t, OP_MAX, INT64_MIN, LOCKED)

PRIVATES(PRIVATE)

px_handler px_atom_private(px_handler locked)
{
    static const struct {
        px_handler locked, private;
    } pairs[] = {
#define PAIR(name, T, OP, IDENTITY, HOW) {locked_##name, private_##name},
        PRIVATES(PAIR)
#undef PAIR
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].locked == locked) return pairs[i].private;
    return NULL;
}

/* 128 bits. Every x86-64 processor that matters has cmpxchg16b; the compiler wants to be told. */
#if defined(__x86_64__)
__attribute__((target("cx16")))
#endif
static px_b128
cas_wide(px_b128 *p, px_b128 old, px_b128 new)
{
    return __sync_val_compare_and_swap(p, old, new);
}

/* Under the lock of those that load and store there, if they need one. */
static __attribute__((no_sanitize("thread"))) px_b128 locked_swap128(struct px_wide *locks, px_b128 *p,
                                                                     px_b128 b, px_b128 c, bool cas)
{
    atomic_flag *lock = px_wide_lock(locks, p);
    const px_b128 old = *p;
    if (!cas || old == b) *p = cas ? c : b;
    px_wide_unlock(lock);
    return old;
}

static px_b128 swap128(struct px_wide *locks, px_b128 *p, px_b128 b, px_b128 c, bool cas)
{
    if (locks) return locked_swap128(locks, p, b, c, cas);
    if (cas) return cas_wide(p, b, c);
    px_b128 seen, old = 0;
    while ((seen = cas_wide(p, old, b)) != old) old = seen;
    return old;
}

static int wide(struct px_gang *g, const struct px_insn *in, bool cas)
{
    const px_b128 *pb = PX_ROW(g, px_b128, in->b), *pc = PX_ROW(g, px_b128, in->c);
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    PX_FOR_LANES(lane, lanes)
    {
        px_b128 *p = (px_b128 *)(void *)place_of(g, in, lane, 16);
        if (!p) return PX_STEP_TRAP;
        px_b128 old = swap128(g->cta->locks, p, pb[lane], cas ? pc[lane] : 0, cas);
        if (in->d) PX_ROW(g, px_b128, in->d)[lane] = old;
    }
    return PX_STEP_NEXT;
}

static int cas128(struct px_gang *g, const struct px_insn *in)
{
    return wide(g, in, true);
}
static int exch128(struct px_gang *g, const struct px_insn *in)
{
    return wide(g, in, false);
}

struct half_row {
    px_word op;
    enum px_type type;
};

static bool is_among(const struct half_row *rows, size_t n, struct half_row row, uint32_t *at)
{
    for (*at = 0; *at < n; ++*at)
        if (rows[*at].op == row.op && rows[*at].type == row.type) return true;
    return false;
}

/* The handler of an operation on floating point; *half as px_atom_handler. */
static px_handler float_handler(px_word op, enum px_type type, bool shared, uint32_t *half)
{
#define HALF_ROW(op, kind, ...) {PX_W_##op, PX_T_##kind},
    static const struct half_row rows16[] = {PX_ATOM_HALVES(HALF_ROW)}, rows32[] = {PX_ATOM_PAIRS(HALF_ROW)};
    const struct half_row row = {op, type};
    if (type == PX_T_F32) return op != PX_W_add ? NULL : shared ? plain_addf32 : locked_addf32;
    if (type == PX_T_F64) return op != PX_W_add ? NULL : shared ? plain_addf64 : locked_addf64;
    if (is_among(rows16, sizeof rows16 / sizeof *rows16, row, half)) return shared ? plain_half : locked_half;
    if (is_among(rows32, sizeof rows32 / sizeof *rows32, row, half)) return shared ? plain_pair : locked_pair;
    return NULL;
}

px_handler px_atom_handler(px_word op, enum px_type type, bool shared, uint32_t *half)
{
#define PAIR(name) (shared ? plain_##name : locked_##name)
    const struct px_type_info *info = px_type_info(type);
    const int bits = info->bits;
    *half = 0;
    if (bits == 128) return op == PX_W_cas ? cas128 : op == PX_W_exch ? exch128 : NULL;
    if (info->klass == PX_TC_FLOAT) return float_handler(op, type, shared, half);
    if (op == PX_W_add) return bits == 32 ? PAIR(add32) : PAIR(add64);
    bool wide64 = bits == 64, sign = info->klass == PX_TC_SIGNED;
    if (op == PX_W_cas) return bits == 16 ? PAIR(cas16) : wide64 ? PAIR(cas64) : PAIR(cas32);
    if (op == PX_W_exch) return wide64 ? PAIR(exch64) : PAIR(exch32);
    if (op == PX_W_and) return wide64 ? PAIR(and64) : PAIR(and32);
    if (op == PX_W_or) return wide64 ? PAIR(or64) : PAIR(or32);
    if (op == PX_W_xor) return wide64 ? PAIR(xor64) : PAIR(xor32);
    if (op == PX_W_inc) return PAIR(inc32);
    if (op == PX_W_dec) return PAIR(dec32);
    if (op == PX_W_min)
        return wide64 ? sign ? PAIR(mins64) : PAIR(minu64) : sign ? PAIR(mins32) : PAIR(minu32);
    if (op == PX_W_max)
        return wide64 ? sign ? PAIR(maxs64) : PAIR(maxu64) : sign ? PAIR(maxs32) : PAIR(maxu32);
    return NULL;
#undef PAIR
}
