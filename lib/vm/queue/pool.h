/*
 * pool.h - stream-ordered memory: pools, which count what they hold, and memory of graphs' nodes.
 *
 * A pool owns no addresses of its own: its allocations lie where all others do, with the pool's place as a
 * tag. What it holds beyond them is a number, in steps as the chip's driver takes memory. All of it is
 * guarded by the device's mem_lock.
 */
#ifndef PX_VM_QUEUE_POOL_H
#define PX_VM_QUEUE_POOL_H

#include "ptx_memory.h"
#include "vm/device/device.h"

struct px_pool {
    uint64_t used, used_high;         /* allocated */
    uint64_t reserved, reserved_high; /* held: used rounded up, and what threshold keeps */
    uint64_t threshold, most;         /* most: limit of used; 0: none */
    uint64_t number;                  /* its handle; 0: the device's own */
    uint32_t place;                   /* in device->pools */
    uint32_t groups;                  /* of peers that see its memory: px_mem_see */
    bool closed;                      /* destroyed: it goes with its last allocation */
};

/* mem_lock is held: false when there is no memory, or the pool may not have as much. */
bool px_pool_take(struct ptx_device *device, struct px_pool *pool, uint64_t size, uint64_t *va);
/* mem_lock is held: the allocation at va, if a pool's, is about to go. */
void px_pool_forget(struct ptx_device *device, uint64_t va);
/* The stream, event or device was waited for: pools fall back to their thresholds. Takes mem_lock. */
void px_pools_settle(struct ptx_device *device);
/* Bytes held beyond what is allocated. mem_lock is held. */
uint64_t px_pools_idle(const struct ptx_device *device);
struct px_pool *px_pool_new(struct ptx_device *device, uint64_t most); /* NULL: no memory */
void px_pool_close(struct ptx_device *device, struct px_pool *pool);
void px_pool_trim(struct px_pool *pool, uint64_t keep);
void px_pools_free(struct ptx_device *device);

/* Memory of a graph's node: addresses that stay its own, and are memory from the node that allocates on until
 * it is freed. References are counted under the scheduler's lock. */
struct px_graph_memory {
    uint64_t va;
    uint32_t refs;
};
struct px_graph_memory *px_graph_memory_new(struct ptx_device *device, uint64_t size);
void px_graph_memory_release(struct ptx_device *device, struct px_graph_memory *memory);
/* False: it is in use already. */
bool px_graph_memory_wake(struct ptx_device *device, uint64_t va);

/* So many bytes of it are in use, or not any more. mem_lock is held. */
void px_graph_memory_count(struct ptx_device *device, uint64_t bytes, bool more);

#endif
