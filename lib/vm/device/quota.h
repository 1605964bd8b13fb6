/*
 * quota.h - what a device takes from the host, counted and limited.
 *
 * Everything a device allocates but its device memory comes through one
 * allocator, which counts. While a launch runs, a request that would exceed the
 * limit is refused and stops the launch: frames, local and shared memory of
 * CTAs, parked CTAs, pending launches, texts that are being printed are all
 * covered, because none of them has another way to memory.
 */
#ifndef PX_VM_DEVICE_QUOTA_H
#define PX_VM_DEVICE_QUOTA_H

#include <stdatomic.h>
#include "base/alloc.h"

struct px_sched;

struct px_quota {
    ptx_allocator inner; /* the embedder's */
    uint64_t limit;      /* bytes */
    atomic_uint_fast64_t used;
    struct px_sched *sched; /* knows for which run a thread asks; what is asked for none is not refused */
};

/* An allocator that takes from `quota->inner` and counts. The quota must outlive it. */
ptx_allocator px_quota_allocator(struct px_quota *quota);

#endif
