/*
 * async.c - cp.async (PTX ISA 9.7.9.25.3): batches of copies and arrivals, and when they happen.
 *
 * Addresses, sizes and alignment are looked at when a copy is issued, so that a fault names the copy. A
 * lane's arrival happens once none of its copies before it is left; `settle` sees to that whenever copies
 * have happened.
 */
#include "isa/isa.h"
#include "ops/async.h"
#include "ops/bulk.h"
#include "ops/mbarrier.h"
#include "ops/mem.h"
#include "ops/operands.h"
#include "base/alloc.h"
#include "base/queue.h"
#include "ptxvm.h"

/* ---- batches happen ---- */

/* A whole copy reads its 4, 8 or 16 bytes as one access. */
static __attribute__((no_sanitize("thread"))) void copy_whole(struct px_wide *locks, uint8_t *to,
                                                              const uint8_t *from, uint32_t size)
{
    switch (size) {
    case 4:
        *(uint32_t *)(void *)to = __atomic_load_n((const uint32_t *)(const void *)from, __ATOMIC_RELAXED);
        break;
    case 8:
        *(uint64_t *)(void *)to = __atomic_load_n((const uint64_t *)(const void *)from, __ATOMIC_RELAXED);
        break;
    default: px_quad_put(to, px_wide_get(locks, from)); break;
    }
}

static void copy_lane(const struct px_cta *cta, const struct px_batch *b, uint32_t lane)
{
    uint8_t *to = cta->shared + b->to[lane];
    if (b->n[lane] == b->size) {
        copy_whole(cta->locks, to, b->from[lane], b->size);
        return;
    }
    if (b->n[lane]) memcpy(to, b->from[lane], b->n[lane]);
    memset(to + b->n[lane], 0, b->size - b->n[lane]);
}

static void happen(struct px_cta *cta, struct px_batch *b, struct px_lanes lanes)
{
    uint32_t lane;
    lanes = px_lanes_and(lanes, b->lanes);
    b->lanes = px_lanes_minus(b->lanes, lanes);
    if (b->arrival)
        PX_FOR_LANES(lane, lanes) px_mbarrier_arrived(cta, b->to[lane], 1);
    else
        PX_FOR_LANES(lane, lanes) copy_lane(cta, b, lane);
}

/* Arrivals of which no copy is left happen, and batches without lanes go. */
static void settle(struct px_cta *cta, struct px_async *a)
{
    struct px_lanes busy = {{0}};
    struct px_batch **link = &a->first;
    a->last = NULL;
    while (*link) {
        struct px_batch *b = *link;
        if (b->arrival)
            happen(cta, b, px_lanes_minus(b->lanes, busy));
        else
            busy = px_lanes_or(busy, b->lanes);
        if (!px_lanes_empty(&b->lanes)) {
            a->last = b;
            link = &b->next;
            continue;
        }
        *link = b->next;
        b->next = a->spare;
        a->spare = b;
    }
}

/* The copies of `lanes` that were issued before `end` (NULL: all). */
static void finish_copies(struct px_cta *cta, struct px_async *a, struct px_lanes lanes,
                          const struct px_batch *end)
{
    for (struct px_batch *b = a->first; b != end; b = b->next)
        if (!b->arrival) happen(cta, b, lanes);
}

static bool arrive_of_copies(struct px_cta *cta, uint32_t at)
{
    uint32_t lane;
    for (uint32_t i = 0; i < cta->ngangs; i++) {
        struct px_async *a = cta->gangs[i].async;
        for (struct px_batch *b = a ? a->first : NULL; b; b = b->next) {
            struct px_lanes there = {{0}};
            if (!b->arrival) continue;
            PX_FOR_LANES(lane, b->lanes) if (b->to[lane] == at) px_lanes_set(&there, lane);
            if (px_lanes_empty(&there)) continue;
            finish_copies(cta, a, there, b);
            settle(cta, a);
            return true;
        }
    }
    return false;
}

bool px_async_arrive_one(struct px_cta *cta, uint32_t at)
{
    return arrive_of_copies(cta, at) || px_bulk_arrive_one(cta, at);
}

bool px_async_pending(const struct px_gang *g)
{
    return g->async && (g->async->first || g->async->bulk.first);
}

bool px_async_finish(struct px_cta *cta)
{
    bool any = false;
    for (uint32_t i = 0; i < cta->ngangs; i++) {
        struct px_async *a = cta->gangs[i].async;
        if (!px_async_pending(&cta->gangs[i])) continue;
        any = true;
        finish_copies(cta, a, px_lanes_below(PX_LANES_MAX), NULL);
        settle(cta, a);
        px_bulk_finish(&cta->gangs[i]);
    }
    return any;
}

/* ---- batches begin ---- */

struct px_async *px_async_of(struct px_gang *g)
{
    if (!g->async) g->async = px_zalloc(g->cta->alloc, sizeof *g->async);
    return g->async;
}

void px_async_reset(struct px_gang *g)
{
    struct px_async *a = g->async;
    g->expired = (struct px_lanes){{0}};
    if (!a) return;
    for (struct px_batch *b = a->first, *next; b; b = next) {
        next = b->next;
        b->next = a->spare;
        a->spare = b;
    }
    a->first = a->last = NULL;
    a->issued = 0;
    memset(a->committed, 0, sizeof a->committed);
    px_bulk_reset(g);
}

void px_async_free(struct px_gang *g)
{
    if (!g->async) return;
    const struct ptx_allocator *alloc = g->cta->alloc;
    px_async_reset(g);
    for (struct px_batch *b = g->async->spare, *next; b; b = next) {
        next = b->next;
        px_free(alloc, b, sizeof *b);
    }
    px_free(alloc, g->async, sizeof *g->async);
    g->async = NULL;
}

/* A batch for the lanes; NULL when the host has no memory left, which stops the launch. */
static struct px_batch *new_batch(struct px_gang *g, struct px_lanes lanes)
{
    struct px_async *a = px_async_of(g);
    struct px_batch *b = a ? a->spare : NULL;
    if (b)
        a->spare = b->next;
    else if (a)
        b = px_alloc(g->cta->alloc, sizeof *b);
    if (!b) return NULL;
    b->lanes = lanes;
    b->arrival = false;
    return b;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint8_t px_async_draw(struct px_gang *g)
{
    const uint64_t number = (uint64_t)g->first << 40 | g->async->issued++;
    return (uint8_t)(mix(g->cta->when.seed + number * 0x9e3779b97f4a7c15u) & 7);
}

void px_async_tick(struct px_gang *g)
{
    struct px_async *a = g->async;
    if (g->cta->when.mode != PTX_ASYNC_RANDOM || !a) return;
    for (struct px_batch *b = a->first; b; b = b->next)
        if (!b->arrival && !b->left--) happen(g->cta, b, b->lanes);
    settle(g->cta, a);
    px_bulk_tick(g);
}

static void issue(struct px_gang *g, struct px_batch *b)
{
    struct px_async *a = g->async;
    b->left = px_async_draw(g);
    px_queue_push(a, b);
    if (g->cta->when.mode == PTX_ASYNC_EARLY) {
        if (!b->arrival) happen(g->cta, b, b->lanes);
        settle(g->cta, a);
    }
    px_async_tick(g);
}

/* ---- records ---- */

/* A fault of what is read: the record's space is that of what is written. */
static bool refuse_source(struct px_gang *g)
{
    g->cta->trap.space = PX_SPACE_GLOBAL;
    return false;
}

/* Where the lane's copy reads from; false: the trap is set. */
static bool source(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint32_t n,
                   const uint8_t **from)
{
    const uint64_t va = PX_ROW(g, uint64_t, in->b)[lane] + (uint64_t)(int64_t)(int32_t)in->distance;
    struct px_seg *seg = &g->seg[in->extent];
    if (px_gang_misaligned(g, PX_SPACE_GLOBAL, lane, va, in->bytes)) {
        px_gang_trap(g, in, lane, PX_CUDA_MISALIGNED_ADDRESS, va,
                     "cp.async from 0x%llx, which is not aligned to %u bytes", (unsigned long long)va,
                     in->bytes);
        return refuse_source(g);
    }
    if (seg->len < n || va - seg->lo > seg->len - n) {
        struct px_place_of p = px_gang_find(g, PX_SPACE_GLOBAL, lane, va, n);
        if (!p.host) {
            px_gang_trap(g, in, lane, PX_CUDA_ILLEGAL_ADDRESS, va, "cp.async of %u bytes from 0x%llx: %s%s",
                         n, (unsigned long long)va, p.why, px_may_go_on(g, PX_SPACE_GLOBAL, va, n));
            return refuse_source(g);
        }
        if (!p.seg.len) return *from = p.host, true;
        *seg = p.seg;
    }
    *from = seg->host + (va - seg->lo);
    return true;
}

static bool destination(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint32_t *to)
{
    const uint64_t va = px_address(g, in, lane);
    struct px_place_of p = px_gang_find(g, PX_SPACE_SHARED, lane, va, in->bytes);
    if (px_gang_misaligned(g, PX_SPACE_SHARED, lane, va, in->bytes)) {
        px_gang_trap(g, in, lane, PX_CUDA_MISALIGNED_ADDRESS, va,
                     "cp.async to 0x%llx, which is not aligned to %u bytes", (unsigned long long)va,
                     in->bytes);
        return false;
    }
    if (!p.host) {
        px_gang_trap(g, in, lane, p.error ? p.error : PX_CUDA_ILLEGAL_ADDRESS, va,
                     "cp.async of %u bytes to 0x%llx: %s", in->bytes, (unsigned long long)va, p.why);
        return false;
    }
    *to = (uint32_t)(p.host - g->cta->shared);
    return true;
}

/* Fills in one lane of a copy; false: the trap is set. */
static bool fill(struct px_gang *g, const struct px_insn *in, uint32_t lane, struct px_batch *b)
{
    const uint32_t n = PX_ROW(g, uint32_t, in->c)[lane];
    if (n > in->bytes) {
        px_gang_trap(g, in, lane, PX_CUDA_MISALIGNED_ADDRESS, px_address(g, in, lane),
                     "cp.async reads %u bytes to write %u", n, in->bytes);
        return false;
    }
    b->n[lane] = (uint8_t)n;
    b->group[lane] = g->async->committed[lane];
    b->from[lane] = NULL;
    return destination(g, in, lane, &b->to[lane]) && (!n || source(g, in, lane, n, &b->from[lane]));
}

int px_async_no_memory(struct px_gang *g, const struct px_insn *in)
{
    return px_gang_trap(g, in, px_lanes_first(&g->active), PX_CUDA_OUT_OF_MEMORY, 0,
                        "the host has no memory left for pending copies");
}

int px_async_copy(struct px_gang *g, const struct px_insn *in)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    if (px_lanes_empty(&lanes)) return PX_STEP_NEXT;
    struct px_batch *b = new_batch(g, lanes);
    if (!b) return px_async_no_memory(g, in);
    b->size = in->bytes;
    bool ok = true;
    PX_FOR_LANES(lane, lanes) if (ok) ok = fill(g, in, lane, b);
    if (!ok) b->lanes = (struct px_lanes){{0}};
    issue(g, b);
    return ok ? PX_STEP_NEXT : PX_STEP_TRAP;
}

PX_NAMED_HANDLER_OF(cp_async_commit)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    if (!g->async) return PX_STEP_NEXT; /* empty groups before the first copy are complete */
    PX_FOR_LANES(lane, lanes) g->async->committed[lane]++;
    px_async_tick(g);
    return PX_STEP_NEXT;
}

int px_async_wait(struct px_gang *g, const struct px_insn *in)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    struct px_async *a = g->async;
    uint32_t lane;
    for (struct px_batch *b = a ? a->first : NULL; b; b = b->next) {
        if (b->arrival) continue;
        struct px_lanes due = px_lanes_and(lanes, b->lanes);
        if (!(in->wait & PX_ASYNC_ALL)) PX_FOR_LANES(lane, lanes)
        if (px_lanes_has(&due, lane) && b->group[lane] + (uint64_t)in->imm >= a->committed[lane])
            due.w[lane >> 6] &= ~(1ull << (lane & 63));
        happen(g->cta, b, due);
    }
    if (a) settle(g->cta, a);
    px_async_tick(g);
    return PX_STEP_NEXT;
}

/* One more arrival is pending, so that the copy's does not end the phase by itself. */
static void expect_one(struct px_cta *cta, uint32_t at)
{
    uint64_t *word = (uint64_t *)(void *)(cta->shared + at);
    struct px_mbar m = px_mbar_unpack(*word);
    if (m.pending == PX_MBAR_MAX)
        *word |= PX_MBAR_BROKEN;
    else {
        m.pending++;
        *word = px_mbar_pack(m);
    }
}

PX_NAMED_HANDLER_OF(cp_async_arrive)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    if (px_lanes_empty(&lanes)) return PX_STEP_NEXT;
    struct px_batch *b = new_batch(g, lanes);
    if (!b) return px_async_no_memory(g, in);
    b->arrival = true;
    const bool counted = px_match_has(px_operands(g, in)->match, PX_W_noinc);
    bool ok = true;
    PX_FOR_LANES(lane, lanes)
    {
        if (ok) ok = px_mbarrier_own(g, in, lane, false, &b->to[lane]);
        if (ok && !counted) expect_one(g->cta, b->to[lane]);
    }
    if (!ok) b->lanes = (struct px_lanes){{0}};
    px_queue_push(g->async, b);
    settle(g->cta, g->async);
    px_async_tick(g);
    return ok ? PX_STEP_NEXT : PX_STEP_TRAP;
}
