/*
 * async.h - asynchronous copies that were issued and have not happened (docs/async.md).
 *
 * What one record issues for its lanes is a batch: copies, or arrivals at
 * mbarriers that come after the copies of their lanes. A gang's batches are a
 * list in order of issue; a batch goes when none of its lanes is left.
 */
#ifndef PX_GANG_ASYNC_H
#define PX_GANG_ASYNC_H

#include "gang/lanes.h"

/* When copies finish: ptx_async of ptxvm.h, and what is drawn from for PTX_ASYNC_RANDOM. */
struct px_async_when {
    uint32_t mode;
    uint64_t seed; /* of this CTA */
};

struct px_batch {
    struct px_batch *next;
    struct px_lanes lanes; /* not done yet */
    bool arrival;          /* `to` are mbarriers; otherwise copies of `size` bytes */
    uint8_t size;
    uint8_t left;                 /* PTX_ASYNC_RANDOM: asynchronous instructions until it happens by itself */
    uint8_t n[PX_LANES_MAX];      /* bytes that are read; the rest of `size` is zero */
    uint32_t to[PX_LANES_MAX];    /* place in shared memory */
    uint32_t group[PX_LANES_MAX]; /* number of the lane's group, from 0 on */
    const uint8_t *from[PX_LANES_MAX]; /* host place of global memory */
};

struct px_bulk; /* ops/bulk.h */

struct px_async {
    struct px_batch *first, *last, *spare;
    uint64_t issued;                  /* batches so far */
    uint32_t committed[PX_LANES_MAX]; /* groups of each lane */
    struct px_bulks {
        struct px_bulk *first, *last;
        uint32_t committed[PX_LANES_MAX]; /* bulk groups of each lane */
    } bulk;
};

#endif
