/*
 * bulk.c - bulk copies (PTX ISA 9.7.9.25.4): cp.async.bulk and its groups; what pending ones wait for.
 *
 * Addresses, sizes and alignment are looked at when a copy is issued, so that a fault names the copy. What an
 * H100 did with them is in tests/hw/async/bulk.txt; where it goes on with a size that is no multiple of 16,
 * or with an address outside the block's shared memory, the VM stops.
 */
#include "ops/bulk.h"
#include "base/alloc.h"
#include "base/queue.h"
#include "gang/cluster.h"
#include "ops/async.h"
#include "ops/mem.h"
#include "ops/private.h"
#include "ops/row.h"
#include "ops/tensor.h"
#include "ops/trace.h"

enum { BULK = 16 }; /* sizes and places are multiples of it */

/* ---- copies happen ---- */

PX_RACY void px_bulk_get(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
    uint64_t i = 0;
    for (; i + 8 <= bytes && !((uintptr_t)from & 7); i += 8) {
        const uint64_t word = __atomic_load_n((const uint64_t *)(const void *)(from + i), __ATOMIC_RELAXED);
        memcpy(to + i, &word, 8);
    }
    for (; i < bytes; i++) to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
}

PX_RACY void px_bulk_put(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
    uint64_t i = 0;
    for (; i + 8 <= bytes && !((uintptr_t)to & 7); i += 8) {
        uint64_t word;
        memcpy(&word, from + i, 8);
        __atomic_store_n((uint64_t *)(void *)(to + i), word, __ATOMIC_RELAXED);
    }
    for (; i < bytes; i++) __atomic_store_n(to + i, from[i], __ATOMIC_RELAXED);
}

/* To the side in shared memory: in one block, and its barrier. */
static void happen_in(const struct px_bulk *b, struct px_cta *shared, struct px_cta *bar)
{
    b->move(b, shared->shared + b->shared.at);
    if (!b->grouped) px_mbarrier_completed(bar, b->bar.at, b->bytes);
}

static void happen(struct px_gang *g, const struct px_bulk *b)
{
    px_private_flush(g->worker);
    if (!b->blocks) happen_in(b, b->shared.cta, b->bar.cta);
    for (uint32_t i = 0; i < px_unit_n(g->cta); i++) {
        struct px_cta *cta = px_unit_at(g->cta, i);
        if (b->blocks >> i & 1) happen_in(b, cta, cta);
    }
}

static void drop(struct px_gang *g, struct px_bulk *b)
{
    px_tensor_free(g->cta->alloc, b->tensor);
    px_free(g->cta->alloc, b, sizeof *b);
}

/* Which of the pending copies? */
typedef bool chosen(const struct px_bulk *b, const void *by);

/* The chosen ones happen, in order of issue. */
static uint32_t happen_if(struct px_gang *g, chosen *is_chosen, const void *by, uint32_t most)
{
    struct px_bulks *list = &g->async->bulk;
    struct px_bulk **link = &list->first, *b;
    uint32_t n = 0;
    list->last = NULL;
    while ((b = *link)) {
        if (n < most && is_chosen(b, by)) {
            n++;
            *link = b->next;
            happen(g, b);
            drop(g, b);
        } else {
            list->last = b;
            link = &b->next;
        }
    }
    return n;
}

static bool is_any(const struct px_bulk *b, const void *by)
{
    (void)b, (void)by;
    return true;
}

static bool completes_at(const struct px_bulk *b, const void *by)
{
    const struct px_mbar_place *bar = by;
    if (b->grouped || b->bar.at != bar->at) return false;
    return b->blocks ? b->blocks >> bar->cta->rank & 1 : b->bar.cta == bar->cta;
}

bool px_bulk_arrive_one(struct px_cta *cta, uint32_t at)
{
    const struct px_mbar_place bar = {cta, at};
    for (uint32_t k = 0; k < px_unit_n(cta); k++) {
        struct px_cta *from = px_unit_at(cta, k);
        for (uint32_t i = 0; i < from->ngangs; i++)
            if (from->gangs[i].async && happen_if(&from->gangs[i], completes_at, &bar, 1)) return true;
    }
    return false;
}

void px_bulk_finish(struct px_gang *g)
{
    happen_if(g, is_any, NULL, UINT32_MAX);
}

static bool is_due(const struct px_bulk *b, const void *by)
{
    (void)by;
    return !((struct px_bulk *)(uintptr_t)b)->left--;
}

void px_bulk_tick(struct px_gang *g)
{
    happen_if(g, is_due, NULL, UINT32_MAX);
}

void px_bulk_reset(struct px_gang *g)
{
    struct px_bulks *list = &g->async->bulk;
    for (struct px_bulk *b = list->first, *next; b; b = next) {
        next = b->next;
        drop(g, b);
    }
    memset(list, 0, sizeof *list);
}

/* ---- operands ---- */

/* The trap is set; of the space that the address is of. */
static bool refused(const struct px_bulk_lane *l, uint8_t space)
{
    l->g->cta->trap.space = space;
    return false;
}

bool px_bulk_find(const struct px_bulk_lane *l, uint8_t space, uint64_t va, uint64_t bytes, uint32_t align,
                  uint8_t **host)
{
    struct px_place_of p = px_gang_find(l->g, space, l->lane, va, bytes);
    if (va & (align - 1))
        px_gang_trap(l->g, l->in, l->lane, PX_CUDA_MISALIGNED_ADDRESS, va,
                     "%s at 0x%llx, which is not aligned to %u bytes", l->what, (unsigned long long)va,
                     align);
    else if (!p.host)
        px_gang_trap(l->g, l->in, l->lane, p.error ? p.error : PX_CUDA_ILLEGAL_ADDRESS, va,
                     "%s of %llu bytes at 0x%llx: %s%s", l->what, (unsigned long long)bytes,
                     (unsigned long long)va, p.why, px_may_go_on(l->g, space, va, bytes));
    else
        return *host = p.host, true;
    return refused(l, space);
}

/* In a grid without clusters .shared::cluster is the block's own memory, and other blocks are illegal. */
static bool is_of_cluster(const struct px_bulk_lane *l, uint64_t va)
{
    const uint64_t rank = va >> PX_RANK_SHIFT & 0xff;
    if (l->g->cta->cluster || !rank) return true;
    px_gang_trap(l->g, l->in, l->lane, PX_CUDA_ILLEGAL_INSTRUCTION, va,
                 "%s at 0x%llx: it is of block %u of a cluster, which has one block", l->what,
                 (unsigned long long)va, (unsigned)rank);
    return refused(l, PX_SPACE_SHARED);
}

static uint8_t space_of(const struct px_bulk_lane *l, bool cluster)
{
    return cluster && l->g->cta->cluster ? PX_SPACE_CLUSTER : PX_SPACE_SHARED;
}

bool px_bulk_shared(const struct px_bulk_lane *l, uint32_t operand, bool cluster, uint32_t align,
                    struct px_bulk *b)
{
    const uint8_t space = space_of(l, cluster);
    const uint64_t va = px_space_address(PX_SPACE_SHARED, px_bulk_word(l, operand));
    uint8_t *host;
    if (!is_of_cluster(l, va) || !px_bulk_find(l, space, va, b->bytes, align, &host)) return false;
    b->shared.cta = px_unit_of_shared(l->g->cta, host);
    b->shared.at = (uint32_t)(host - b->shared.cta->shared);
    return true;
}

bool px_bulk_barrier(const struct px_bulk_lane *l, uint32_t operand, bool cluster, struct px_bulk *b)
{
    const uint64_t va = px_space_address(PX_SPACE_SHARED, px_bulk_word(l, operand));
    if (!is_of_cluster(l, va)) return false;
    return px_mbarrier_at(l->g, l->in, l->lane, space_of(l, cluster), va, false, &b->bar) ||
           refused(l, PX_SPACE_SHARED);
}

/* The chip's error for a block that the cluster has not, or that has ended. */
bool px_bulk_blocks(const struct px_bulk_lane *l, uint32_t operand, struct px_bulk *b)
{
    if (!px_match_has(l->match, PX_W_multicast__cluster)) return true;
    const struct px_cluster *cluster = l->g->cta->cluster;
    const uint32_t all = (1u << px_unit_n(l->g->cta)) - 1, mask = px_bulk_half(l, operand);
    b->blocks = (uint16_t)mask;
    if (mask & ~all || (cluster && mask & cluster->over)) {
        px_gang_trap(l->g, l->in, l->lane, cluster ? PX_CUDA_LAUNCH_FAILED : PX_CUDA_ILLEGAL_INSTRUCTION, 0,
                     "multicast to the blocks of 0x%x in a cluster of %u%s", mask, px_unit_n(l->g->cta),
                     mask & ~all ? "" : ", of which some have ended");
        return false;
    }
    if (!mask) b->bytes = 0;
    return true;
}

/* Operand `operand` says how many bytes; none are none. */
static bool take_size(const struct px_bulk_lane *l, uint32_t operand, struct px_bulk *b)
{
    b->bytes = px_bulk_size(l, operand);
    if (!(b->bytes % BULK)) return true;
    px_gang_trap(l->g, l->in, l->lane, PX_CUDA_MISALIGNED_ADDRESS, 0,
                 "bulk copy of %u bytes, which is no multiple of 16", b->bytes);
    return false;
}

/* ---- the copies of the table ---- */

static void load(const struct px_bulk *b, uint8_t *shared)
{
    px_bulk_get(shared, b->other, b->bytes);
}

static void from_shared(const struct px_bulk *b, uint8_t *shared)
{
    memmove(shared, b->other, b->bytes);
}

static void store(const struct px_bulk *b, uint8_t *shared)
{
    px_bulk_put(b->other, shared, b->bytes);
}

static void store_masked(const struct px_bulk *b, uint8_t *shared)
{
    for (uint32_t i = 0; i < b->bytes; i++)
        if (b->mask >> i % BULK & 1) px_bulk_put(b->other + i, shared + i, 1);
}

static void reduce_there(const struct px_bulk *b, uint8_t *shared)
{
    px_bulk_reduce(&b->reduction, shared, b->other, b->bytes, true);
}

static void reduce(const struct px_bulk *b, uint8_t *shared)
{
    px_bulk_reduce(&b->reduction, b->other, shared, b->bytes, false);
}

/* [d], [a], size, [mbar] and a mask of blocks. */
static bool fill_load(const struct px_bulk_lane *l, struct px_bulk *b)
{
    const bool cluster = px_match_has(l->match, PX_W_shared__cluster);
    const uint64_t va = px_bulk_word(l, 1);
    b->move = load;
    if (!take_size(l, 2, b)) return false;
    if (!b->bytes) return true;
    if (!px_bulk_shared(l, 0, cluster, BULK, b) || !px_bulk_barrier(l, 3, cluster, b)) return false;
    if (!px_bulk_find(l, PX_SPACE_GLOBAL, va, b->bytes, BULK, &b->other)) return false;
    if (!px_bulk_blocks(l, 4, b)) return false;
    px_bulk_tell(l, l->g->cta, PTX_COUNT_GLOBAL, va, b->bytes, PTX_TRACE_READ);
    return true;
}

/* From the block's own shared memory to another's; only clusters have that. */
bool px_bulk_in_cluster(const struct px_bulk_lane *l)
{
    if (l->g->cta->cluster || l->g->cta->uniform.explicit_cluster) return true;
    px_gang_trap(l->g, l->in, l->lane, PX_CUDA_ILLEGAL_INSTRUCTION, 0,
                 "%s to a cluster in a grid that was launched without clusters", l->what);
    return false;
}

static bool fill_copy(const struct px_bulk_lane *l, struct px_bulk *b)
{
    const uint64_t va = px_space_address(PX_SPACE_SHARED, px_bulk_word(l, 1));
    b->move = from_shared;
    if (!px_bulk_in_cluster(l) || !take_size(l, 2, b)) return false;
    if (!b->bytes) return true;
    if (!px_bulk_find(l, PX_SPACE_SHARED, va, b->bytes, BULK, &b->other)) return false;
    if (!px_bulk_shared(l, 0, true, BULK, b) || !px_bulk_barrier(l, 3, true, b)) return false;
    px_bulk_tell(l, l->g->cta, PTX_COUNT_SHARED, (uint64_t)(b->other - l->g->cta->shared), b->bytes,
                 PTX_TRACE_READ);
    return true;
}

static bool fill_reduce_there(const struct px_bulk_lane *l, struct px_bulk *b)
{
    const px_word op = px_match_slot(l->match, PX_W_op);
    const enum px_type type = px_type_of_word(px_match_slot(l->match, PX_W_type));
    return fill_copy(l, b) &&
           (b->move = reduce_there, px_bulk_reduction(l->g, op, type, false, &b->reduction));
}

/* [d], [a], size, and (.cp_mask) a mask of bytes behind the policy. */
static bool fill_store(const struct px_bulk_lane *l, struct px_bulk *b)
{
    const uint64_t va = px_bulk_word(l, 0);
    const bool masked = px_match_has(l->match, PX_W_cp_mask);
    b->grouped = b->reads_shared = true;
    b->move = masked ? store_masked : store;
    if (masked) b->mask = px_bulk_half(l, px_operands(l->g, l->in)->n - 1);
    if (!take_size(l, 2, b)) return false;
    if (!b->bytes) return true;
    if (!px_bulk_shared(l, 1, false, BULK, b)) return false;
    if (!px_bulk_find(l, PX_SPACE_GLOBAL, va, b->bytes, BULK, &b->other)) return false;
    px_bulk_tell(l, l->g->cta, PTX_COUNT_GLOBAL, va, b->bytes, PTX_TRACE_WRITE);
    return true;
}

static bool fill_reduce(const struct px_bulk_lane *l, struct px_bulk *b)
{
    const px_word op = px_match_slot(l->match, PX_W_op);
    const enum px_type type = px_type_of_word(px_match_slot(l->match, PX_W_type));
    return fill_store(l, b) &&
           (b->move = reduce, px_bulk_reduction(l->g, op ? op : PX_W_add, type, true, &b->reduction));
}

/* ---- issue ---- */

void px_bulk_tell(const struct px_bulk_lane *l, const struct px_cta *cta, ptx_count_space space,
                  uint64_t address, uint64_t bytes, unsigned how)
{
    const ptx_trace_place *at = px_operands(l->g, l->in)->told;
    if (!at) return;
    const uint32_t thread = cta == l->g->cta ? l->g->first + l->lane : 0;
    enum { MOST = 1 << 30 };
    const ptx_trace_lane lane = {address, thread, bytes < MOST ? (unsigned)bytes : MOST};
    px_trace_bulk(l->g, l->in, cta, at, space, how | PTX_TRACE_ASYNC | PTX_TRACE_REMOTE, &lane);
}

/* What is read or written of shared memory. */
static void tell_shared(const struct px_bulk_lane *l, const struct px_bulk *b)
{
    const unsigned how = b->reads_shared ? PTX_TRACE_READ : PTX_TRACE_WRITE;
    if (!b->blocks) px_bulk_tell(l, b->shared.cta, PTX_COUNT_SHARED, b->shared.at, b->bytes, how);
    for (uint32_t i = 0; i < px_unit_n(l->g->cta); i++)
        if (b->blocks >> i & 1)
            px_bulk_tell(l, px_unit_at(l->g->cta, i), PTX_COUNT_SHARED, b->shared.at, b->bytes, how);
}

static int issue(const struct px_bulk_lane *l, px_bulk_fill *fill)
{
    struct px_gang *g = l->g;
    struct px_async *a = px_async_of(g);
    struct px_bulk *b = a ? px_zalloc(g->cta->alloc, sizeof *b) : NULL;
    if (!b) return px_async_no_memory(g, l->in);
    b->lane = l->lane;
    if (!fill(l, b)) {
        drop(g, b);
        return PX_STEP_TRAP;
    }
    if (!b->bytes) {
        drop(g, b);
        return PX_STEP_NEXT;
    }
    tell_shared(l, b);
    b->group = a->bulk.committed[l->lane];
    b->left = px_async_draw(g);
    px_queue_push(&a->bulk, b);
    if (g->cta->when.mode == PTX_ASYNC_EARLY) px_bulk_finish(g);
    return PX_STEP_NEXT;
}

/* Lanes that wait at a barrier may have woken, in this frame, too. */
static int issued(struct px_gang *g)
{
    px_async_tick(g);
    g->merge_pc = px_entries_next_pc(&g->entries, g->running);
    return PX_STEP_NEXT;
}

int px_bulk_issue(struct px_gang *g, const struct px_insn *in, const char *what, px_bulk_fill *fill)
{
    struct px_bulk_lane l = {g, in, px_operands(g, in)->match, what, 0};
    const struct px_lanes lanes = px_gang_lanes(g, in);
    PX_FOR_LANES(l.lane, lanes)
    {
        const int step = issue(&l, fill);
        if (step) return step;
    }
    return issued(g);
}

PX_NAMED_HANDLER_OF(bulk_load)
{
    return px_bulk_issue(g, in, "bulk copy", fill_load);
}

PX_NAMED_HANDLER_OF(bulk_copy)
{
    return px_bulk_issue(g, in, "bulk copy", fill_copy);
}

PX_NAMED_HANDLER_OF(bulk_store)
{
    return px_bulk_issue(g, in, "bulk copy", fill_store);
}

PX_NAMED_HANDLER_OF(bulk_reduce)
{
    return px_bulk_issue(g, in, "bulk copy", fill_reduce);
}

PX_NAMED_HANDLER_OF(bulk_reduce_there)
{
    return px_bulk_issue(g, in, "bulk copy", fill_reduce_there);
}

/* ---- groups ---- */

PX_NAMED_HANDLER_OF(bulk_commit)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    if (!g->async) return PX_STEP_NEXT; /* empty groups before the first copy are complete */
    PX_FOR_LANES(lane, lanes) g->async->bulk.committed[lane]++;
    return issued(g);
}

/* Who waits, and how many of his groups may be left. */
struct waiter {
    const struct px_gang *g;
    struct px_lanes lanes;
    uint32_t left;
};

static bool is_waited_for(const struct px_bulk *b, const void *by)
{
    const struct waiter *w = by;
    return b->grouped && px_lanes_has(&w->lanes, b->lane) &&
           b->group + (uint64_t)w->left < w->g->async->bulk.committed[b->lane];
}

/* .read asks for less, that the sources have been read; here the whole copy happens then. */
PX_NAMED_HANDLER_OF(bulk_wait)
{
    const struct waiter w = {g, px_gang_lanes(g, in), PX_ROW(g, uint32_t, px_operands(g, in)->row[0])[0]};
    if (!g->async) return PX_STEP_NEXT;
    happen_if(g, is_waited_for, &w, UINT32_MAX);
    return issued(g);
}
