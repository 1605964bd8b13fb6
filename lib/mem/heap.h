/*
 * heap.h - memory that kernels allocate: device-side malloc and the parameter
 * buffers of device-side launches.
 *
 * A heap is one allocation of device memory cut into granules of 16 bytes.
 * Tables outside the memory that kernels can reach say of each granule whether
 * it is free and which block it belongs to: that gives exact bounds to any
 * reader without a lock.
 */
#ifndef PX_MEM_HEAP_H
#define PX_MEM_HEAP_H

#include <pthread.h>
#include "mem/mem.h"

enum { PX_GRANULE = 16, PX_HEAP_BINS = 512 };

struct px_heap_link {
    _Atomic uint32_t a, b;
}; /* see heap.c */

typedef _Atomic unsigned char *px_granule_map;

struct px_heap {
    struct px_mem *mem;
    uint64_t base, bytes;
    uint8_t *host;               /* where `base` lies */
    _Atomic(px_granule_map) map; /* a byte for each granule, see heap.c; NULL until the first allocation */
    struct px_heap_link *link;   /* two words for each granule */
    uint32_t granules, top;      /* granules from `top` on were never used, or are free again */
    uint32_t bins[PX_HEAP_BINS]; /* free blocks by size: the first of each list */
    uint64_t filled[PX_HEAP_BINS / 64]; /* a bit for each bin that has blocks */
    atomic_uint releases;               /* blocks freed so far */
    bool rests;                         /* what is freed is given out again as late as can be: */
    uint32_t resting, oldest, newest;   /* granules that rest; the first and the last of a list of blocks */
    pthread_mutex_t lock;
};

bool px_heap_init(struct px_heap *heap, struct px_mem *mem, uint64_t bytes);
void px_heap_free_all(struct px_heap *heap);
/* 0 when there is no room. Any thread. Contents are not cleared. */
uint64_t px_heap_alloc(struct px_heap *heap, uint64_t size, uint64_t align);
bool px_heap_release(struct px_heap *heap, uint64_t va); /* false: no block begins there */
bool px_heap_owns(const struct px_heap *heap, uint64_t va);
/* Host memory of a block that was allocated here. */
static inline uint8_t *px_heap_host(const struct px_heap *heap, uint64_t va)
{
    return heap->host + (va - heap->base);
}
/* Calls `fn` for each block that is in use. Nobody else uses the heap. */
void px_heap_each(const struct px_heap *heap, void (*fn)(void *user, const struct px_extent *block),
                  void *user);
/* The block that holds va; false when it is free. Any thread, without a lock. */
bool px_heap_extent(const struct px_heap *heap, uint64_t va, struct px_extent *extent);

#endif
