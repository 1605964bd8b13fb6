/*
 * atom.c - atom and red, lane by lane (PTX ISA 9.7.13.5, 9.7.13.7).
 *
 * Lanes of one record act in lane order. Global memory is shared with other
 * workers: integer operations are the host's locked instructions, the rest are
 * compare-and-swap loops. Shared memory belongs to one CTA, which runs on one
 * worker at a time, so there plain loads and stores do. Every order is sequentially
 * consistent, which is at least what any .sem asks.
 *
 * Record: a = address row (imm is added), b, c = operand rows, d = result row or
 * 0, bytes = alignment, half = which operation on halves, flags: PX_INSN_FTZ for add.f32 and .f64 where the
 * address may be global: there subnormal f32 operands and results are flushed (PTX ISA 9.7.13.5).
 */
#include "ops/atom.h"
#include "ops/mem.h"
#include "ops/private.h"
#include "ops/row.h"
#include "ops/half.h"

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
 * *base + its address is the place of each active lane, all of them in the known segment and aligned; it is
 * NULL where host and device have one address. False: not known to be so, or not worth asking for few lanes.
 * *span is of their addresses without imm.
 */
static bool places_of(struct px_gang *g, const struct px_insn *in, const struct px_lanes *lanes,
                      uint32_t size, struct px_span *span, uint8_t **base)
{
    enum { FEW = 16 };
    const struct px_seg *seg = &g->seg[in->extent];
    const bool whole = is_whole(g, in);
    if (in->flags & PX_INSN_SCALAR_A || seg->len < size || g->nactive < FEW || px_lanes_empty(lanes))
        return false;
    *span = g->level->span(PX_ROW(g, uint64_t, in->a), whole ? NULL : PX_ROW(g, uint32_t, in->m),
                           px_lanes_first(lanes), g->n);
    const uint64_t x = span->least + in->imm - seg->lo, room = seg->len - size,
                   spread = span->most - span->least;
    if (spread > room || x > room - spread || (span->low | in->imm) & (in->bytes - 1u)) return false;
    *base = (uint8_t *)((uintptr_t)seg->host + in->imm - seg->lo);
    return true;
}

/* A float is added by memory itself, not by the multiprocessor: a generic address may lead to either. */
static inline bool by_memory(const struct px_gang *g, const struct px_insn *in, const void *p)
{
    uintptr_t offset = (uintptr_t)p - (uintptr_t)g->cta->shared;
    return in->flags & PX_INSN_FTZ && offset >= g->cta->shared_bytes;
}

/* ---- the operations, over the bits of the old value `o` and the operands `b`, `c` ---- */

static inline uint32_t flush(uint32_t x, bool ftz)
{
    return ftz && !(x & 0x7f800000u) ? x & 0x80000000u : x;
}

static inline uint32_t add_f32(uint32_t o, uint32_t b, bool ftz)
{
    float x, y;
    o = flush(o, ftz), b = flush(b, ftz);
    memcpy(&x, &o, 4);
    memcpy(&y, &b, 4);
    x += y;
    memcpy(&o, &x, 4);
    return x != x ? 0x7fffffffu : flush(o, ftz);
}

/*
 * With a NaN global memory gives the operand's bits if that is the NaN, else memory's, and does not quiet it;
 * shared memory computes on the multiprocessor, which prefers memory's and quiets it. Seen on an H200.
 */
static inline uint64_t add_f64(uint64_t o, uint64_t b, bool shared)
{
    double x, y;
    memcpy(&x, &o, 8);
    memcpy(&y, &b, 8);
    if (x != x || y != y) return shared ? px_quiet64(x != x ? o : b) : y != y ? b : o;
    x += y;
    memcpy(&o, &x, 8);
    return o;
}

#define OP_ADD(T) (T)(o + b)
#define OP_EXCH(T) b
#define OP_AND(T) (T)(o & b)
#define OP_OR(T) (T)(o | b)
#define OP_XOR(T) (T)(o ^ b)
#define OP_MIN(T) (o < b ? o : b)
#define OP_MAX(T) (o > b ? o : b)
#define OP_INC(T) (o >= b ? 0 : o + 1)
#define OP_DEC(T) (o == 0 || o > b ? b : o - 1)
#define OP_CAS(T) (o == b ? c : o)
#define OP_ADDF32(T) add_f32(o, b, by_memory(g, in, p))
#define OP_ADDF64(T) add_f64(o, b, !by_memory(g, in, p))

/* Operations of halves take dozens of instructions: handlers call them, by number (the record's `half`). */
#define HALVES(X)                                                                                            \
    X(add, F16, uint16_t, px_add_f16(o, b, 0, 0))                                                            \
    X(add, BF16, uint16_t, px_add_bf16(o, b))                                                                \
    X(min, F16, uint16_t, px_min_f16(o, b, 0, 0, 0))                                                         \
    X(max, F16, uint16_t, px_max_f16(o, b, 0, 0, 0))                                                         \
    X(min, BF16, uint16_t, px_min_bf16(o, b, 0, 0, 0))                                                       \
    X(max, BF16, uint16_t, px_max_bf16(o, b, 0, 0, 0))
#define PAIRS(X)                                                                                             \
    X(add, F16X2, uint32_t, px_add_f16x2(o, b, 0, 0))                                                        \
    X(add, BF16X2, uint32_t, px_add_bf16x2(o, b))                                                            \
    X(min, F16X2, uint32_t, px_min_f16x2(o, b, 0, 0, 0))                                                     \
    X(max, F16X2, uint32_t, px_max_f16x2(o, b, 0, 0, 0))                                                     \
    X(min, BF16X2, uint32_t, px_min_bf16x2(o, b, 0, 0, 0))                                                   \
    X(max, BF16X2, uint32_t, px_max_bf16x2(o, b, 0, 0, 0))

#define HALF_FUNCTION(op, kind, T, ...)                                                                      \
    static T op##_##kind(T o, T b)                                                                           \
    {                                                                                                        \
        return (T)(__VA_ARGS__);                                                                             \
    }
HALVES(HALF_FUNCTION)
PAIRS(HALF_FUNCTION)

#define HALF_NAME(op, kind, T, ...) op##_##kind,
static uint16_t (*const on_halves[])(uint16_t o, uint16_t b) = {HALVES(HALF_NAME)};
static uint32_t (*const on_pairs[])(uint32_t o, uint32_t b) = {PAIRS(HALF_NAME)};

#define OP_HALF(T) on_halves[in->half](o, b)
#define OP_PAIR(T) on_pairs[in->half](o, b)

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

/* Unrolled: four instructions a lane. */
#define EACH_LANE _Pragma("GCC unroll 4") for (lane = 0; lane < n; lane++)

#define ATOM(name, T, OP, HOW, ONE)                                                                          \
    PX_INLINE void one_##name(struct px_gang *g, const struct px_insn *in, T *p, T b, T c, T *d)             \
    {                                                                                                        \
        (void)g, (void)in, (void)c;                                                                          \
        HOW(T, p, OP)                                                                                        \
        if (d) *d = o;                                                                                       \
    }                                                                                                        \
    static int name(struct px_gang *g, const struct px_insn *in)                                             \
    {                                                                                                        \
        const T *pb = PX_ROW(g, T, in->b), *pc = PX_ROW(g, T, in->c);                                        \
        const uint64_t *a = PX_ROW(g, uint64_t, in->a);                                                      \
        T *d = in->d ? PX_ROW(g, T, in->d) : NULL;                                                           \
        const struct px_lanes lanes = px_gang_lanes(g, in);                                                  \
        struct px_span span;                                                                                 \
        uint8_t *base = NULL;                                                                                \
        const bool known = places_of(g, in, &lanes, sizeof(T), &span, &base);                                \
        if (known && span.least == span.most && ONE(g, in, &lanes, (T *)place_at(base, span.least)))         \
            return PX_STEP_NEXT;                                                                             \
        const uint32_t n = known && is_whole(g, in) ? g->n : 0;                                              \
        uint32_t lane;                                                                                       \
        if (n && !d) {                                                                                       \
            EACH_LANE one_##name(g, in, (T *)place_at(base, a[lane]), pb[lane], pc[lane], NULL);             \
        } else if (n) {                                                                                      \
            EACH_LANE one_##name(g, in, (T *)place_at(base, a[lane]), pb[lane], pc[lane], d + lane);         \
        } else {                                                                                             \
            PX_FOR_LANES(lane, lanes)                                                                        \
            {                                                                                                \
                T *p = (T *)(known ? place_at(base, a[lane]) : place_of(g, in, lane, sizeof(T)));            \
                if (!p) return PX_STEP_TRAP;                                                                 \
                one_##name(g, in, p, pb[lane], pc[lane], d ? d + lane : NULL);                               \
            }                                                                                                \
        }                                                                                                    \
        return g->cta->grid->workspace ? to_workspace(g, in) : PX_STEP_NEXT;                                 \
    }

/* Others may look between the operations of two lanes. */
static inline bool at_each(const struct px_gang *g, const struct px_insn *in, const struct px_lanes *lanes,
                           const void *p)
{
    (void)g, (void)in, (void)lanes, (void)p;
    return false;
}

/* In shared memory, where nobody else looks meanwhile; one place for all lanes is read and written once. */
#define ATOM_SHARED(name, T, OP)                                                                             \
    static __attribute__((noinline)) bool one_place_##name(struct px_gang *g, const struct px_insn *in,      \
                                                           const struct px_lanes *lanes, T *p)               \
    {                                                                                                        \
        const T *pb = PX_ROW(g, T, in->b), *pc = PX_ROW(g, T, in->c);                                        \
        T *d = in->d ? PX_ROW(g, T, in->d) : NULL, value = *p;                                               \
        const uint32_t n = is_whole(g, in) && !d ? g->n : 0;                                                 \
        uint32_t lane;                                                                                       \
        for (lane = 0; lane < n; lane++) {                                                                   \
            const T o = value, b = pb[lane], c = pc[lane];                                                   \
            (void)o, (void)c;                                                                                \
            value = (T)(OP(T));                                                                              \
        }                                                                                                    \
        if (!n) PX_FOR_LANES(lane, *lanes)                                                                   \
            {                                                                                                \
                const T o = value, b = pb[lane], c = pc[lane];                                               \
                (void)c;                                                                                     \
                value = (T)(OP(T));                                                                          \
                if (d) d[lane] = o;                                                                          \
            }                                                                                                \
        *p = value;                                                                                          \
        return true;                                                                                         \
    }                                                                                                        \
    ATOM(each_##name, T, OP, PLAIN, one_place_##name)                                                        \
    static int plain_##name(struct px_gang *g, const struct px_insn *in)                                     \
    {                                                                                                        \
        if (!(in->flags & PX_INSN_SCALAR_A)) return each_##name(g, in);                                      \
        const struct px_lanes lanes = px_gang_lanes(g, in);                                                  \
        if (px_lanes_empty(&lanes)) return PX_STEP_NEXT;                                                     \
        T *p = (T *)(void *)place_of(g, in, px_lanes_first(&lanes), sizeof(T));                              \
        if (!p) return PX_STEP_TRAP;                                                                         \
        one_place_##name(g, in, &lanes, p);                                                                  \
        return PX_STEP_NEXT;                                                                                 \
    }

/* name, word, element type, operation, locked form; PTX types that share it */
#define ATOMS(X)                                                                                             \
    X(add32, add, uint32_t, OP_ADD, LOCKED_ADD)                                                              \
    X(add64, add, uint64_t, OP_ADD, LOCKED_ADD)                                                              \
    X(exch32, exch, uint32_t, OP_EXCH, LOCKED_EXCH)                                                          \
    X(exch64, exch, uint64_t, OP_EXCH, LOCKED_EXCH)                                                          \
    X(and32, and, uint32_t, OP_AND, LOCKED_AND)                                                              \
    X(and64, and, uint64_t, OP_AND, LOCKED_AND)                                                              \
    X(or32, or, uint32_t, OP_OR, LOCKED_OR)                                                                  \
    X(or64, or, uint64_t, OP_OR, LOCKED_OR)                                                                  \
    X(xor32, xor, uint32_t, OP_XOR, LOCKED_XOR)                                                              \
    X(xor64, xor, uint64_t, OP_XOR, LOCKED_XOR)                                                              \
    X(cas16, cas, uint16_t, OP_CAS, LOCKED_CAS)                                                              \
    X(cas32, cas, uint32_t, OP_CAS, LOCKED_CAS)                                                              \
    X(cas64, cas, uint64_t, OP_CAS, LOCKED_CAS)                                                              \
    X(minu32, min, uint32_t, OP_MIN, LOCKED)                                                                 \
    X(mins32, min, int32_t, OP_MIN, LOCKED)                                                                  \
    X(minu64, min, uint64_t, OP_MIN, LOCKED)                                                                 \
    X(mins64, min, int64_t, OP_MIN, LOCKED)                                                                  \
    X(maxu32, max, uint32_t, OP_MAX, LOCKED)                                                                 \
    X(maxs32, max, int32_t, OP_MAX, LOCKED)                                                                  \
    X(maxu64, max, uint64_t, OP_MAX, LOCKED)                                                                 \
    X(maxs64, max, int64_t, OP_MAX, LOCKED)                                                                  \
    X(inc32, inc, uint32_t, OP_INC, LOCKED)                                                                  \
    X(dec32, dec, uint32_t, OP_DEC, LOCKED)                                                                  \
    X(addf32, add, uint32_t, OP_ADDF32, LOCKED)                                                              \
    X(addf64, add, uint64_t, OP_ADDF64, LOCKED)                                                              \
    X(half, half, uint16_t, OP_HALF, LOCKED)                                                                 \
    X(pair, pair, uint32_t, OP_PAIR, LOCKED)

#define DEFINE(name, word, T, OP, HOW) ATOM(locked_##name, T, OP, HOW, at_each) ATOM_SHARED(name, T, OP)
ATOMS(DEFINE)

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
    static T sum_##name(const T *pb, const struct px_lanes *lanes, uint32_t n)                               \
    {                                                                                                        \
        T o = (IDENTITY);                                                                                    \
        uint32_t lane;                                                                                       \
        for (lane = 0; lane < n; lane++) {                                                                   \
            const T b = pb[lane];                                                                            \
            o = (T)(OP(T));                                                                                  \
        }                                                                                                    \
        if (n) return o;                                                                                     \
        PX_FOR_LANES(lane, *lanes)                                                                           \
        {                                                                                                    \
            const T b = pb[lane];                                                                            \
            o = (T)(OP(T));                                                                                  \
        }                                                                                                    \
        return o;                                                                                            \
    }                                                                                                        \
    static int private_##name(struct px_gang *g, const struct px_insn *in)                                   \
    {                                                                                                        \
        struct px_private *pages = px_private_of(g, in);                                                     \
        if (!pages) return locked_##name(g, in);                                                             \
        const T *pb = PX_ROW(g, T, in->b);                                                                   \
        const uint64_t *a = PX_ROW(g, uint64_t, in->a);                                                      \
        const struct px_lanes lanes = px_gang_lanes(g, in);                                                  \
        const uint32_t n = is_whole(g, in) ? g->n : 0;                                                       \
        struct px_span span;                                                                                 \
        struct near near = NOT_NEAR;                                                                         \
        uint32_t lane;                                                                                       \
        if (px_lanes_empty(&lanes)) return PX_STEP_NEXT;                                                     \
        pages->hits += g->nactive;                                                                           \
        uint8_t *base; /* not asked for: pages are found by address */                                       \
        const bool known = places_of(g, in, &lanes, sizeof(T), &span, &base);                                \
        if (in->flags & PX_INSN_SCALAR_A || (known && span.least == span.most)) {                            \
            lane = px_lanes_first(&lanes);                                                                   \
            near = lane_##name(g, in, lane, px_address(g, in, lane), sum_##name(pb, &lanes, n), near);       \
            return near.host ? PX_STEP_NEXT : PX_STEP_TRAP;                                                  \
        }                                                                                                    \
        struct private_places at = {0};                                                                      \
        if (known)                                                                                           \
            at = private_places(g, in, &span, sizeof(T), (struct operation){flush_##name, fill_##name});     \
        if (at.words && n && at.mask == UINT64_MAX) {                                                        \
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
#define HALF_ROW(op, kind, T, ...) {PX_W_##op, PX_T_##kind},
    static const struct half_row rows16[] = {HALVES(HALF_ROW)}, rows32[] = {PAIRS(HALF_ROW)};
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
