/*
 * heap.c - memory that kernels allocate.
 *
 * Blocks come from bins of their exact size, then from the untouched top; when
 * both fail, all free granules are joined into the longest runs and sorted
 * into the bins again. A granule's byte in `map` is 0 when it is free,
 * otherwise USED, plus START at the first of a block, plus the number of its
 * bytes that are used (16 but for the last). Readers walk these bytes without
 * the lock: a block that is alive for them does not change.
 */
#include "base/alloc.h"
#include "vm/heap.h"

enum { START = 0x80, USED = 0x40, BYTES = 0x1f, NONE = 0xffffffffu >> 1 };

bool px_heap_init(struct px_heap *heap, struct px_mem *mem, uint64_t bytes)
{
    *heap = (struct px_heap){.mem = mem};
    bytes = (bytes + PX_GRANULE - 1) / PX_GRANULE * PX_GRANULE;
    if (bytes / PX_GRANULE >= NONE) return false;
    if (!px_mem_alloc(mem, bytes, 4096, &heap->base)) return false;
    heap->bytes = bytes;
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

static void bin_push(struct px_heap *heap, uint32_t at, uint32_t n)
{
    uint32_t bin = n < PX_HEAP_BINS ? n : 0;
    heap->link[at] = heap->bins[bin];
    if (!bin) heap->link[at + 1] = n;
    heap->bins[bin] = at;
}

static uint32_t bin_pop(struct px_heap *heap, uint32_t bin)
{
    uint32_t at = heap->bins[bin];
    if (at != NONE) heap->bins[bin] = heap->link[at];
    return at;
}

/* First large block with room; the rest of it goes back to a bin. */
static uint32_t take_large(struct px_heap *heap, uint32_t n)
{
    for (uint32_t *at = &heap->bins[0]; *at != NONE; at = &heap->link[*at]) {
        uint32_t found = *at, room = heap->link[found + 1];
        if (room < n) continue;
        *at = heap->link[found];
        if (room > n) bin_push(heap, found + n, room - n);
        return found;
    }
    return NONE;
}

static uint32_t take_split(struct px_heap *heap, uint32_t n)
{
    for (uint32_t bin = n + 1; bin < PX_HEAP_BINS; bin++) {
        uint32_t at = bin_pop(heap, bin);
        if (at == NONE) continue;
        bin_push(heap, at + n, bin - n);
        return at;
    }
    return take_large(heap, n);
}

/* Sorts every run of free granules below the top into the bins; a run that reaches the top lowers it. */
static void join_free(struct px_heap *heap, px_granule_map map)
{
    for (int i = 0; i < PX_HEAP_BINS; i++) heap->bins[i] = NONE;
    uint32_t end = heap->top, i = 0;
    while (end && !peek(map, end - 1)) end--;
    heap->top = end;
    while (i < end) {
        uint32_t from = i;
        while (!peek(map, i)) i++;
        if (i > from) bin_push(heap, from, i - from);
        while (i < end && peek(map, i)) i++;
    }
}

static uint32_t take_top(struct px_heap *heap, uint32_t n)
{
    uint32_t at = heap->top;
    if (n > heap->granules - at) return NONE;
    heap->top += n;
    return at;
}

static uint32_t take(struct px_heap *heap, px_granule_map map, uint32_t n)
{
    uint32_t at = n < PX_HEAP_BINS ? bin_pop(heap, n) : take_large(heap, n);
    if (at == NONE) at = take_top(heap, n);
    if (at != NONE) return at;
    join_free(heap, map);
    if (n < PX_HEAP_BINS) at = bin_pop(heap, n);
    if (at == NONE) at = take_split(heap, n);
    return at != NONE ? at : take_top(heap, n);
}

/* ---- blocks in use ---- */

static void mark(px_granule_map map, uint32_t at, uint32_t n, uint64_t size)
{
    for (uint32_t i = 1; i + 1 < n; i++) poke(map, at + i, USED | PX_GRANULE);
    if (n > 1) poke(map, at + n - 1, USED | (unsigned)(size - (uint64_t)(n - 1) * PX_GRANULE));
    poke(map, at, START | USED | (n > 1 ? PX_GRANULE : (unsigned)size));
}

/* Takes n granules that begin at a multiple of `step` granules of the address. */
static uint32_t take_aligned(struct px_heap *heap, px_granule_map map, uint32_t n, uint32_t step)
{
    if (step == 1) return take(heap, map, n);
    uint32_t at = take(heap, map, n + step - 1);
    if (at == NONE) return NONE;
    uint32_t off = (uint32_t)(heap->base / PX_GRANULE + at) & (step - 1), head = off ? step - off : 0;
    if (head) bin_push(heap, at, head);
    if (step - 1 - head) bin_push(heap, at + head + n, step - 1 - head);
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

uint64_t px_heap_alloc(struct px_heap *heap, uint64_t size, uint64_t align)
{
    if (!size || size > heap->bytes || align > heap->bytes) return 0;
    uint32_t n = (uint32_t)((size + PX_GRANULE - 1) / PX_GRANULE);
    uint32_t step = align > PX_GRANULE ? (uint32_t)(align / PX_GRANULE) : 1, at = NONE;
    pthread_mutex_lock(&heap->lock);
    px_granule_map map = tables(heap);
    if (map) at = take_aligned(heap, map, n, step);
    if (at != NONE) mark(map, at, n, size);
    pthread_mutex_unlock(&heap->lock);
    return at == NONE ? 0 : heap->base + (uint64_t)at * PX_GRANULE;
}

bool px_heap_release(struct px_heap *heap, uint64_t va)
{
    px_granule_map map = atomic_load_explicit(&heap->map, memory_order_acquire);
    if (!map || !px_heap_owns(heap, va) || va % PX_GRANULE) return false;
    uint32_t at = (uint32_t)((va - heap->base) / PX_GRANULE), n = 0;
    pthread_mutex_lock(&heap->lock);
    bool ok = (peek(map, at) & START) != 0;
    while (ok && at + n < heap->granules && (peek(map, at + n) & USED) &&
           (!n || !(peek(map, at + n) & START)))
        poke(map, at + n++, 0);
    if (ok) bin_push(heap, at, n);
    pthread_mutex_unlock(&heap->lock);
    return ok;
}

bool px_heap_extent(const struct px_heap *heap, uint64_t va, struct px_extent *extent)
{
    px_granule_map map = atomic_load_explicit(&heap->map, memory_order_acquire);
    if (!map || !px_heap_owns(heap, va)) return false;
    uint32_t i = (uint32_t)((va - heap->base) / PX_GRANULE), from = i, last = i;
    if (!(peek(map, i) & USED)) return false;
    while (from && (peek(map, from) & START) == 0) from--;
    while (last + 1 < heap->granules && (peek(map, last + 1) & (USED | START)) == USED) last++;
    extent->lo = heap->base + (uint64_t)from * PX_GRANULE;
    extent->len = (uint64_t)(last - from) * PX_GRANULE + (peek(map, last) & BYTES);
    return va - extent->lo < extent->len;
}
