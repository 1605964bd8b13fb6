/*
 * mem_map.h - a sorted array of disjoint address ranges.
 *
 * Each range belongs to a block of the allocator (`owner`, its first address);
 * usually it is the whole block, but a block can be cut into several ranges.
 * One thread at a time may change it; any number may look meanwhile (px_map_look),
 * without a lock.
 */
#ifndef PX_MEM_MEM_MAP_H
#define PX_MEM_MEM_MAP_H

#include "base/alloc.h"
#include "mem/mem.h"

struct px_mem_range {
    uint64_t lo, len, owner;
    uint64_t kind; /* enum px_mem_kind; from bit 8 px_mem_tag's number, from bit 32 px_mem_see's groups */
};

enum { PX_MEM_KIND_MASK = 255, PX_MEM_TAG_SHIFT = 8, PX_MEM_TAG_MASK = (1 << 24) - 1 };

static inline uint32_t px_mem_range_tag(const struct px_mem_range *range)
{
    return (uint32_t)(range->kind >> PX_MEM_TAG_SHIFT) & PX_MEM_TAG_MASK;
}

/* The same where others may be looking. */
struct px_mem_slot {
    _Atomic uint64_t lo, len, owner, kind;
};

enum { PX_MAP_OLD = 32, PX_MAP_BELOW = 1, PX_MAP_ABOVE = 2 };

struct px_mem_map {
    ptx_allocator alloc;
    _Atomic(struct px_mem_slot *) at; /* by lo */
    atomic_uint n;
    uint32_t cap;
    atomic_uint changes; /* odd while ranges move */
    /* Arrays that were outgrown: somebody may still look at them. Each is half of the next, so they cost as
     * much as `at`. */
    struct px_mem_slot *old[PX_MAP_OLD];
};

/* Index of the last range with lo <= va; n when there is none. For who changes it, or when nobody does. */
uint32_t px_map_find(const struct px_mem_map *map, uint64_t va);
/* The last range with lo <= va, of a moment of the call. False: there is none. Any thread. */
bool px_map_look(const struct px_mem_map *map, uint64_t va, struct px_mem_range *range);
/* The same with the first range above va, both of one moment: PX_MAP_BELOW and PX_MAP_ABOVE say which exist.
 */
unsigned px_map_around(const struct px_mem_map *map, uint64_t va, struct px_mem_range *below,
                       struct px_mem_range *above);
bool px_map_insert(struct px_mem_map *map, struct px_mem_range range);
/* The range that begins at `lo` gets another length. */
void px_map_resize(struct px_mem_map *map, uint64_t lo, uint64_t len);
/* And another kind. */
void px_map_mark(struct px_mem_map *map, uint64_t lo, uint64_t kind);
/* Removes every range of `owner`. */
void px_map_remove(struct px_mem_map *map, uint64_t owner);
void px_map_free(struct px_mem_map *map);

/* ---- peers (peer.c) ---- */

/* The block of a peer that holds va, when this device may see it. */
bool px_mem_of_peer(const struct px_mem *mem, uint64_t va, struct px_extent *extent);
/* px_mem_stamp of the device's own memory and its peers'. */
uint64_t px_mem_peers_stamp(const struct px_mem *mem, uint64_t own);
/* In words: what of a peer lies at va, and is not seen. False: nothing does. */
bool px_mem_describe_hidden(const struct px_mem *mem, uint64_t va, char *buf, size_t size);
/* The heap that va lies in; NULL: none. */
const struct px_heap *px_mem_heap_of(const struct px_mem *mem, uint64_t va);

#endif
