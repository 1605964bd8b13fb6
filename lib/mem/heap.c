/*
 * heap.c - memory that kernels allocate.
 *
 * Free blocks are kept joined and sorted into bins by size, so that taking,
 * giving back and finding that there is nothing left cost the same however full
 * the heap is (kernels allocate from exhausted heaps in loops). Two words a
 * granule, `link`, serve whom it belongs to:
 *
 *   free block   first: next and previous of the bin; second .a, last .b: its granules
 *   used block   first: its granules, and the bytes used of its last one
 *
 *   resting      first: its granules, and the next block that rests
 *
 * A granule's byte in `map` is 0 when it is free, RESTS when it was freed and rests, START | USED at the
 * first of a block, else USED and the logarithm of its distance from that: a reader finds the first in a few
 * steps. Readers need no lock: a block that is alive for them does not change.
 */
#include "base/alloc.h"
#include "mem/heap.h"

enum {
    START = 0x80,
    USED = 0x40,
    RESTS = 0x20,
    LOG = 0x1f,
    NONE = 0xffffffffu >> 1,
    EXACT = 64,
    LOOKED_AT = 256
};

bool px_heap_init(struct px_heap *heap, struct px_mem *mem, uint64_t bytes)
{
    *heap = (struct px_heap){.mem = mem};
    bytes = (bytes + PX_GRANULE - 1) / PX_GRANULE * PX_GRANULE;
    if (bytes / PX_GRANULE >= NONE) return false;
    if (!px_mem_alloc(mem, bytes, 4096, &heap->base)) return false;
    px_mem_tag(mem, heap->base, PX_MEM_DEVICE, PX_MEM_OWN);
    heap->bytes = bytes;
    heap->host = px_mem_host(mem, heap->base, bytes);
    heap->granules = (uint32_t)(bytes / PX_GRANULE);
    for (int i = 0; i < PX_HEAP_BINS; i++) heap->bins[i] = NONE;
    return pthread_mutex_init(&heap->lock, NULL) == 0;
}

void px_heap_free_all(struct px_heap *heap)
{
    if (!heap->bytes) return;
    px_granule_map map = atomic_load(&heap->map);
    px_free(heap->mem->alloc, (void *)map, heap->granules);
    px_free(heap->mem->alloc, heap->link, heap->granules * sizeof *heap->link);
    pthread_mutex_destroy(&heap->lock);
    heap->bytes = 0;
}

bool px_heap_owns(const struct px_heap *heap, uint64_t va)
{
    return va - heap->base < heap->bytes;
}

static unsigned peek(px_granule_map map, uint32_t i)
{
    return atomic_load_explicit(&map[i], memory_order_relaxed);
}

static void poke(px_granule_map map, uint32_t i, unsigned value)
{
    atomic_store_explicit(&map[i], (unsigned char)value, memory_order_relaxed);
}

/* ---- free blocks ---- */

static uint32_t get(const _Atomic uint32_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static void set(_Atomic uint32_t *word, uint32_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

/* Small sizes have a bin each, larger ones share it with those that differ by less than a sixteenth. */
static uint32_t bin_of(uint32_t n)
{
    if (n < EXACT) return n;
    const uint32_t log = 31 - (uint32_t)__builtin_clz(n);
    return EXACT + (log - 6) * 16 + (n >> (log - 4) & 15);
}

static void insert(struct px_heap *heap, uint32_t at, uint32_t n)
{
    struct px_heap_link *link = heap->link;
    const uint32_t bin = bin_of(n), next = heap->bins[bin];
    set(&link[at].a, next);
    set(&link[at].b, NONE);
    if (next != NONE) set(&link[next].b, at);
    heap->bins[bin] = at;
    heap->filled[bin / 64] |= 1ull << bin % 64;
    if (n == 1) return;
    set(&link[at + 1].a, n);
    set(&link[at + n - 1].b, n);
}

static void take_out(struct px_heap *heap, uint32_t at, uint32_t n)
{
    struct px_heap_link *link = heap->link;
    const uint32_t bin = bin_of(n), next = get(&link[at].a), prev = get(&link[at].b);
    if (next != NONE) set(&link[next].b, prev);
    if (prev != NONE)
        set(&link[prev].a, next);
    else if ((heap->bins[bin] = next) == NONE)
        heap->filled[bin / 64] &= ~(1ull << bin % 64);
}

/* Free granules side by side are one block, so what lies beside one tells whether it is alone. */
static uint32_t size_from_first(const struct px_heap *heap, px_granule_map map, uint32_t at)
{
    return at + 1 < heap->top && !peek(map, at + 1) ? get(&heap->link[at + 1].a) : 1;
}

static uint32_t size_from_last(const struct px_heap *heap, px_granule_map map, uint32_t last)
{
    return last && !peek(map, last - 1) ? get(&heap->link[last].b) : 1;
}

/* Granules [at, at+n), free in the map, join their neighbours and go to a bin, or lower the top. */
static void give(struct px_heap *heap, px_granule_map map, uint32_t at, uint32_t n)
{
    if (at && !peek(map, at - 1)) {
        const uint32_t more = size_from_last(heap, map, at - 1);
        at -= more;
        n += more;
        take_out(heap, at, more);
    }
    if (at + n < heap->top && !peek(map, at + n)) {
        const uint32_t more = size_from_first(heap, map, at + n);
        take_out(heap, at + n, more);
        n += more;
    }
    if (at + n == heap->top)
        heap->top = at;
    else
        insert(heap, at, n);
}

/* First bin from `from` on that holds a block; NONE when there is none. */
static uint32_t filled_bin(const struct px_heap *heap, uint32_t from)
{
    for (uint32_t w = from / 64; w < PX_HEAP_BINS / 64; w++) {
        uint64_t bits = heap->filled[w];
        if (w == from / 64) bits &= ~0ull << from % 64;
        if (bits) return w * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return NONE;
}

/* A block of n or more: of its own bin when it is among the first there, else of a larger one. */
static uint32_t find(const struct px_heap *heap, px_granule_map map, uint32_t n)
{
    const uint32_t bin = bin_of(n);
    uint32_t at = heap->bins[bin];
    for (int i = 0; at != NONE && i < LOOKED_AT; i++, at = get(&heap->link[at].a))
        if (size_from_first(heap, map, at) >= n) return at;
    const uint32_t larger = filled_bin(heap, bin + 1);
    return larger == NONE ? NONE : heap->bins[larger];
}

static uint32_t take(struct px_heap *heap, px_granule_map map, uint32_t n)
{
    const uint32_t at = find(heap, map, n);
    if (at != NONE) {
        const uint32_t room = size_from_first(heap, map, at);
        take_out(heap, at, room);
        if (room > n) insert(heap, at + n, room - n);
        return at;
    }
    if (n > heap->granules - heap->top) return NONE;
    heap->top += n;
    return heap->top - n;
}

/* ---- blocks in use ---- */

static void mark(struct px_heap *heap, px_granule_map map, uint32_t at, uint32_t n, uint64_t size)
{
    set(&heap->link[at].a, n);
    set(&heap->link[at].b, (uint32_t)(size - (uint64_t)(n - 1) * PX_GRANULE));
    for (uint32_t i = 1, log = 0; i < n; log++)
        for (; i < n && i < 2u << log; i++) poke(map, at + i, USED | log);
    poke(map, at, START | USED);
}

/* Takes n granules for `size` bytes that begin at a multiple of `step` granules of the address. */
static uint32_t take_aligned(struct px_heap *heap, px_granule_map map, uint32_t n, uint32_t step,
                             uint64_t size)
{
    if (n > heap->granules || step - 1 > heap->granules - n) return NONE;
    const uint32_t at = take(heap, map, n + step - 1);
    if (at == NONE) return NONE;
    const uint32_t off = (uint32_t)(heap->base / PX_GRANULE + at) & (step - 1), head = off ? step - off : 0;
    mark(heap, map, at + head, n, size);
    if (head) give(heap, map, at, head);
    if (step - 1 - head) give(heap, map, at + head + n, step - 1 - head);
    return at + head;
}

static px_granule_map tables(struct px_heap *heap)
{
    px_granule_map map = atomic_load_explicit(&heap->map, memory_order_relaxed);
    if (map) return map;
    heap->link = px_alloc(heap->mem->alloc, heap->granules * sizeof *heap->link);
    map = heap->link ? px_zalloc(heap->mem->alloc, heap->granules) : NULL;
    if (map) {
        atomic_store_explicit(&heap->map, map, memory_order_release);
    } else {
        px_free(heap->mem->alloc, heap->link, heap->granules * sizeof *heap->link);
        heap->link = NULL;
    }
    return map;
}

/* ---- blocks that rest ---- */

static void wake_oldest(struct px_heap *heap, px_granule_map map)
{
    const uint32_t at = heap->oldest, n = get(&heap->link[at].a);
    heap->oldest = get(&heap->link[at].b);
    heap->resting -= n;
    for (uint32_t i = 0; i < n; i++) poke(map, at + i, 0);
    give(heap, map, at, n);
}

/* At most half of the heap rests. */
static void rest(struct px_heap *heap, px_granule_map map, uint32_t at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) poke(map, at + i, RESTS);
    if (heap->resting)
        set(&heap->link[heap->newest].b, at);
    else
        heap->oldest = at;
    heap->newest = at;
    heap->resting += n;
    while (heap->resting > heap->granules / 2) wake_oldest(heap, map);
}

/* ---- taking and giving back ---- */

uint64_t px_heap_alloc(struct px_heap *heap, uint64_t size, uint64_t align)
{
    if (!size || size > heap->bytes || align > heap->bytes) return 0;
    uint32_t n = (uint32_t)((size + PX_GRANULE - 1) / PX_GRANULE);
    uint32_t step = align > PX_GRANULE ? (uint32_t)(align / PX_GRANULE) : 1, at = NONE;
    pthread_mutex_lock(&heap->lock);
    px_granule_map map = tables(heap);
    if (map) at = take_aligned(heap, map, n, step, size);
    while (at == NONE && heap->resting) {
        wake_oldest(heap, map);
        at = take_aligned(heap, map, n, step, size);
    }
    pthread_mutex_unlock(&heap->lock);
    return at == NONE ? 0 : heap->base + (uint64_t)at * PX_GRANULE;
}

bool px_heap_release(struct px_heap *heap, uint64_t va)
{
    px_granule_map map = atomic_load_explicit(&heap->map, memory_order_acquire);
    if (!map || !px_heap_owns(heap, va) || va % PX_GRANULE) return false;
    const uint32_t at = (uint32_t)((va - heap->base) / PX_GRANULE);
    pthread_mutex_lock(&heap->lock);
    const bool ok = (peek(map, at) & START) != 0;
    if (ok) {
        const uint32_t n = get(&heap->link[at].a);
        if (heap->rests) {
            rest(heap, map, at, n);
        } else {
            for (uint32_t i = 0; i < n; i++) poke(map, at + i, 0);
            give(heap, map, at, n);
        }
        atomic_fetch_add(&heap->releases, 1);
    }
    pthread_mutex_unlock(&heap->lock);
    return ok;
}

/* A block that another thread frees meanwhile may give a wrong answer, but none outside the heap. */
bool px_heap_extent(const struct px_heap *heap, uint64_t va, struct px_extent *extent)
{
    px_granule_map map = atomic_load_explicit(&heap->map, memory_order_acquire);
    if (!map || !px_heap_owns(heap, va)) return false;
    uint32_t at = (uint32_t)((va - heap->base) / PX_GRANULE);
    unsigned byte;
    while (((byte = peek(map, at)) & (USED | START)) == USED) {
        const uint32_t back = 1u << (byte & LOG);
        if (back > at) return false;
        at -= back;
    }
    if (!(byte & START)) return false;
    uint32_t n = get(&heap->link[at].a), last = get(&heap->link[at].b);
    if (n > heap->granules - at) n = heap->granules - at;
    if (!n || last > PX_GRANULE) return false;
    extent->lo = heap->base + (uint64_t)at * PX_GRANULE;
    extent->len = (uint64_t)(n - 1) * PX_GRANULE + last;
    return va - extent->lo < extent->len;
}

void px_heap_each(const struct px_heap *heap, void (*fn)(void *user, const struct px_extent *block),
                  void *user)
{
    px_granule_map map = atomic_load(&heap->map);
    struct px_extent block;
    for (uint32_t i = 0; map && i < heap->top; i++)
        if ((peek(map, i) & START) && px_heap_extent(heap, heap->base + (uint64_t)i * PX_GRANULE, &block))
            fn(user, &block);
}
