/*
 * mem_map.h - a sorted array of disjoint address ranges.
 *
 * Each range belongs to a block of the allocator (`owner`, its first address);
 * usually it is the whole block, but a block can be cut into several ranges.
 */
#ifndef PX_MEM_MEM_MAP_H
#define PX_MEM_MEM_MAP_H

#include "base/alloc.h"
#include "mem/mem.h"

struct px_mem_range {
    uint64_t lo, len, owner;
};

struct px_mem_map {
    ptx_allocator alloc;
    struct px_mem_range *at; /* by lo */
    uint32_t n, cap;
};

/* Index of the last range with lo <= va; n when there is none. */
uint32_t px_map_find(const struct px_mem_map *map, uint64_t va);
bool px_map_insert(struct px_mem_map *map, struct px_mem_range range);
/* Removes every range of `owner`. */
void px_map_remove(struct px_mem_map *map, uint64_t owner);

#endif
