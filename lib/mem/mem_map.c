/*
 * mem_map.c - a sorted array of disjoint address ranges.
 *
 * Lookups are what matters: workers bisect without a lock while kernels run,
 * and nothing changes then. Insertion at the end, the usual case, moves
 * nothing.
 */
#include "mem/mem_map.h"
#include <string.h>

uint32_t px_map_find(const struct px_mem_map *map, uint64_t va)
{
    uint32_t low = 0, high = map->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (map->at[middle].lo <= va)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : map->n;
}

static bool make_room(struct px_mem_map *map)
{
    if (map->n < map->cap) return true;
    uint32_t cap = map->cap ? map->cap * 2 : 16;
    struct px_mem_range *at = px_realloc(&map->alloc, map->at, map->cap * sizeof *at, cap * sizeof *at);
    if (!at) return false;
    map->at = at;
    map->cap = cap;
    return true;
}

bool px_map_insert(struct px_mem_map *map, struct px_mem_range range)
{
    if (!make_room(map)) return false;
    uint32_t before = px_map_find(map, range.lo);
    uint32_t i = before == map->n ? 0 : before + 1;
    memmove(map->at + i + 1, map->at + i, (map->n - i) * sizeof *map->at);
    map->at[i] = range;
    map->n++;
    return true;
}

void px_map_remove(struct px_mem_map *map, uint64_t owner)
{
    uint32_t i = px_map_find(map, owner), n = 0;
    if (i == map->n) return;
    while (i > 0 && map->at[i - 1].owner == owner) i--;
    while (i < map->n && map->at[i].owner != owner) i++;
    while (i + n < map->n && map->at[i + n].owner == owner) n++;
    memmove(map->at + i, map->at + i + n, (map->n - i - n) * sizeof *map->at);
    map->n -= n;
}
