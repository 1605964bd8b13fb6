/*
 * ptx_memory.h - memory of every kind: pinned, mapped, managed, pitched, stream-ordered, of other devices.
 *
 * Everything is an allocation of a device, so that every access is checked. A
 * device that was made `unified` has one address for it on both sides; of others
 * ptx_memory_info tells where the host finds an allocation. Any thread may call.
 */
#ifndef PTX_MEMORY_H
#define PTX_MEMORY_H

#include "ptx_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ptx_memory_kind {
    PTX_MEMORY_DEVICE = 0,     /* ptx_memory_alloc, and variables of programs */
    PTX_MEMORY_PINNED = 1,     /* ptx_host_alloc */
    PTX_MEMORY_MANAGED = 2,    /* ptx_managed_alloc, and .managed variables of a unified device */
    PTX_MEMORY_REGISTERED = 3, /* ptx_host_register */
    PTX_MEMORY_STREAM = 4,     /* ptx_stream_alloc, and memory of graphs */
    PTX_MEMORY_MAPPED = 5,     /* ptx_range_map */
    PTX_MEMORY_OPENED = 6      /* ptx_memory_open */
} ptx_memory_kind;

typedef struct ptx_memory_info {
    size_t struct_size;
    ptx_memory_kind kind;
    ptx_address base; /* of the allocation, or variable, that holds the address */
    uint64_t size;    /* its bytes */
    void *host;    /* where the host finds the address that was asked for; it may be read and written there */
    uint64_t pool; /* of PTX_MEMORY_STREAM: the ptx_pool that it came from; PTX_POOL_GRAPHS */
    int variable;  /* a program's variable, of PTX_MEMORY_DEVICE or PTX_MEMORY_MANAGED */
} ptx_memory_info;

/* What is known of an address of global memory; PTX_ERROR_NOT_FOUND when it lies in no allocation of the
 * device. With host_memory only what ptx_memory_alloc and others gave is known. */
PTX_API ptx_status ptx_memory_info_get(ptx_device *device, ptx_address address, ptx_memory_info *info);
/* Bytes of device memory in all, and not allocated. Either pointer may be NULL. */
PTX_API ptx_status ptx_memory_room(ptx_device *device, uint64_t *total, uint64_t *free);

/* ---- memory that host and device use -------------------------------- */

/* Zeroed memory with an address for each side: one and the same on a unified device. `address` may be NULL.
 */
PTX_API ptx_status ptx_host_alloc(ptx_device *device, uint64_t size, void **host, ptx_address *address);
PTX_API ptx_status ptx_host_free(ptx_device *device, void *host);
/*
 * Memory that the caller has, from now on an allocation of the device at the same address.
 * PTX_ERROR_UNSUPPORTED when the device is not unified; PTX_ERROR_INVALID_ARGUMENT when a part of it is an
 * allocation already. It must stay until ptx_host_unregister, and until no launch uses it.
 */
PTX_API ptx_status ptx_host_register(ptx_device *device, void *host, uint64_t size);
PTX_API ptx_status ptx_host_unregister(ptx_device *device, void *host);
/* Memory with one address on both sides; PTX_ERROR_UNSUPPORTED when the device is not unified.
 * ptx_memory_free frees it. Host and device may use it at the same time. */
PTX_API ptx_status ptx_managed_alloc(ptx_device *device, uint64_t size, ptx_address *address);
/* Accepted for managed memory, and without effect: nothing ever moves. `advice` is CUDA's cudaMemoryAdvise, 1
 * to 6. */
PTX_API ptx_status ptx_managed_prefetch(ptx_device *device, ptx_address address, uint64_t size,
                                        ptx_stream stream);
PTX_API ptx_status ptx_managed_advise(ptx_device *device, ptx_address address, uint64_t size, int advice);

/* ---- shapes --------------------------------------------------------- */

/* Rows of `width` bytes at distances of *pitch bytes, a multiple of 512; width and height at least 1. */
PTX_API ptx_status ptx_memory_alloc_pitch(ptx_device *device, uint64_t width, uint64_t height, uint64_t depth,
                                          ptx_address *address, uint64_t *pitch);

/* ---- in stream order ------------------------------------------------ */

/*
 * Memory that the stream's work may use from here on; its contents are zero. The address is known at once,
 * and what is given out is free at once, so two allocations never share memory that is not yet freed. While
 * the stream is captured it becomes an ALLOC node (ptx_graph.h).
 */
PTX_API ptx_status ptx_stream_alloc(ptx_device *device, uint64_t size, ptx_stream stream,
                                    ptx_address *address);
/* Frees it, or memory of ptx_memory_alloc, when all that is in the stream now is done. While the stream is
 * captured: memory of ALLOC nodes only. */
PTX_API ptx_status ptx_stream_free(ptx_device *device, ptx_address address, ptx_stream stream);

/*
 * A pool is where memory in stream order comes from, and what counts it; a pool is a number of a device (see
 * ptx_stream.h). It holds memory in steps of 32 MiB. When a stream or the device has been waited for, it
 * gives back what it holds beyond its threshold (0 at first) and what is in use; what it holds beside that is
 * not free in ptx_memory_room, but other allocations get it when they need it. CUDA's programming guide,
 * "Stream Ordered Memory Allocator", describes the model.
 */
typedef uint64_t ptx_pool;

/* The pool of ptx_stream_alloc, which every device has. */
#define PTX_POOL_DEFAULT ((ptx_pool)0)
/* What counts memory of graphs' ALLOC nodes; it holds what was in use at most, until it is trimmed. Nothing
 * is allocated from it. */
#define PTX_POOL_GRAPHS ((ptx_pool)1)

typedef struct ptx_pool_info {
    size_t struct_size;
    uint64_t threshold;               /* bytes to hold */
    uint64_t reserved, reserved_high; /* bytes held, and the most since it was reset */
    uint64_t used, used_high;         /* bytes allocated, likewise */
} ptx_pool_info;

/* At most `max_bytes` are in use at once; 0: as many as there are. */
PTX_API ptx_status ptx_pool_create(ptx_device *device, uint64_t max_bytes, ptx_pool *pool);
/* Its allocations stay until they are freed. The default pool cannot be destroyed. */
PTX_API ptx_status ptx_pool_destroy(ptx_device *device, ptx_pool pool);
/* As ptx_stream_alloc, from this pool. PTX_ERROR_OUT_OF_MEMORY as well: more than max_bytes. */
PTX_API ptx_status ptx_pool_alloc(ptx_device *device, ptx_pool pool, uint64_t size, ptx_stream stream,
                                  ptx_address *address);
PTX_API ptx_status ptx_pool_info_get(ptx_device *device, ptx_pool pool, ptx_pool_info *info);
PTX_API ptx_status ptx_pool_threshold_set(ptx_device *device, ptx_pool pool, uint64_t bytes);
/* Gives back what it holds beyond `keep` bytes and what is in use, at once. */
PTX_API ptx_status ptx_pool_trim(ptx_device *device, ptx_pool pool, uint64_t keep);
/* The most is from now on what is. */
PTX_API ptx_status ptx_pool_high_reset(ptx_device *device, ptx_pool pool);

/* ---- reserve and map ------------------------------------------------ */

/*
 * Addresses and memory apart (CUDA's virtual memory management, cuMem...): a range of addresses is reserved,
 * physical memory is created, and parts of the one are mapped to parts of the other, the same memory at
 * several addresses if wanted. Sizes, addresses and offsets are multiples of PTX_MAP_GRAIN, else
 * PTX_ERROR_INVALID_ARGUMENT. A device has addresses for ranges of four times its memory; where the host did
 * not give it those (ulimit -v), PTX_ERROR_OUT_OF_MEMORY. With host_memory, or where the system has no files
 * in memory, PTX_ERROR_UNSUPPORTED.
 */
#define PTX_MAP_GRAIN ((uint64_t)2 << 20)

typedef uint64_t ptx_physical;

typedef enum ptx_access { PTX_ACCESS_NONE = 0, PTX_ACCESS_READ = 1, PTX_ACCESS_READ_WRITE = 3 } ptx_access;

/* `align`: a power of two; less than PTX_MAP_GRAIN counts as that. */
PTX_API ptx_status ptx_range_reserve(ptx_device *device, uint64_t size, uint64_t align, ptx_address *address);
/* The whole of a reserved range; PTX_ERROR_INVALID_ARGUMENT while something is mapped in it. */
PTX_API ptx_status ptx_range_release(ptx_device *device, ptx_address address, uint64_t size);
/* Zeroed, and a part of the device's memory. */
PTX_API ptx_status ptx_physical_create(ptx_device *device, uint64_t size, ptx_physical *physical);
/* The number is no longer used; the memory goes with its last mapping. */
PTX_API ptx_status ptx_physical_release(ptx_device *device, ptx_physical physical);
/* Nothing may be mapped there yet. Kernels and copies may use it after ptx_range_access. */
PTX_API ptx_status ptx_range_map(ptx_device *device, ptx_address address, uint64_t size,
                                 ptx_physical physical, uint64_t offset);
/* Whole mappings, one or more side by side. */
PTX_API ptx_status ptx_range_unmap(ptx_device *device, ptx_address address, uint64_t size);
/* Likewise. Mappings of one range that lie side by side are one block for who uses them. PTX_ACCESS_READ
 * alone is PTX_ERROR_UNSUPPORTED. */
PTX_API ptx_status ptx_range_access(ptx_device *device, ptx_address address, uint64_t size,
                                    ptx_access access);

/* ---- other processes ------------------------------------------------ */

/*
 * Memory that devices of two processes see, through descriptors of files in memory (memfd_create(2)); how a
 * descriptor gets to the other process is the caller's business. Each process checks accesses by its own
 * bounds. Where the system has no such files, and with host_memory, PTX_ERROR_UNSUPPORTED.
 *
 * As ptx_physical_create, in a file of its own.
 */
PTX_API ptx_status ptx_physical_create_shared(ptx_device *device, uint64_t size, ptx_physical *physical);
/* A new descriptor of that file, for the caller to close. PTX_ERROR_INVALID_ARGUMENT: it has no file of its
 * own. */
PTX_API ptx_status ptx_physical_file(ptx_device *device, ptx_physical physical, int *file);
/* The memory behind such a descriptor, which stays the caller's, and its size (may be NULL).
 * PTX_ERROR_INVALID_ARGUMENT: it is another file. */
PTX_API ptx_status ptx_physical_import(ptx_device *device, int file, ptx_physical *physical, uint64_t *size);
/*
 * The allocation that begins at `address` (ptx_memory_alloc, or in stream order) can be opened by others from
 * now on, as [*offset, + its size) of *file, a descriptor that the device keeps and closes. The first time
 * this waits until the device has nothing under way, and answers what that answers; its kernels and the
 * copies that are asked of it wait meanwhile. What writes to those pages in other ways (the host by its
 * pointers, kernels of other devices) must not do so then. Where its bounds are no page's, others that map
 * the file can reach what lies beside it.
 */
PTX_API ptx_status ptx_memory_share(ptx_device *device, ptx_address address, int *file, uint64_t *offset);
/* Bytes [offset, offset+size) of such a file at an address of this device. The file stays the caller's. */
PTX_API ptx_status ptx_memory_open(ptx_device *device, int file, uint64_t offset, uint64_t size,
                                   ptx_address *address);
/* What ptx_memory_open gave; no launch uses it any more. */
PTX_API ptx_status ptx_memory_close(ptx_device *device, ptx_address address);

/* ---- other devices -------------------------------------------------- */

/* *can: 1 when both are unified, and not the same. */
PTX_API ptx_status ptx_peer_query(ptx_device *device, ptx_device *peer, int *can);
/* Kernels of `device` may use all memory of `peer`, which must outlive this or be disabled first.
 * PTX_ERROR_UNSUPPORTED when it cannot be; PTX_ERROR_INVALID_ARGUMENT when it is already. At most 64 peers.
 */
PTX_API ptx_status ptx_peer_enable(ptx_device *device, ptx_device *peer);
/* Waits until the device has nothing under way. */
PTX_API ptx_status ptx_peer_disable(ptx_device *device, ptx_device *peer);

/* Memory of another device by kinds. */
typedef enum ptx_peer_sight {
    PTX_SEE_HOST = 1,    /* pinned, registered and managed memory */
    PTX_SEE_DEVICE = 2,  /* ptx_memory_alloc, and what ptx_memory_open gave */
    PTX_SEE_ORDERED = 4, /* in stream order, and mapped to reserved ranges */
    PTX_SEE_VARIABLES = 8,
    PTX_SEE_ALL = 15
} ptx_peer_sight;
/*
 * Kernels of `device` may use memory of `peer` of these kinds and no others (0: none), and what was opened
 * for the group of `device`. Does not wait: launches that are under way may go on with what was seen before,
 * and `peer` must outlive them. The results are ptx_peer_enable's.
 */
PTX_API ptx_status ptx_peer_see(ptx_device *device, ptx_device *peer, unsigned what);
/* PTX_OK: kernels of the device may use the byte at `address`, its own or a peer's. PTX_ERROR_NOT_FOUND: they
 * may not. */
PTX_API ptx_status ptx_memory_reach(ptx_device *device, ptx_address address);
/* Memory of a pool, now and later, is open for the devices of a group (ptx_device_config.group), which see
 * something of this device; `on` 0: no more. */
PTX_API ptx_status ptx_pool_open(ptx_device *device, ptx_pool pool, unsigned group, int on);
/* Likewise whole mappings, which ptx_range_access has given access to, else PTX_ERROR_UNSUPPORTED. Those
 * that lie side by side and are open are one block, which is open for a group as long as one of them is. */
PTX_API ptx_status ptx_range_open(ptx_device *device, ptx_address address, uint64_t size, unsigned group,
                                  int on);

#ifdef __cplusplus
}
#endif
#endif
