/*
 * mem_map.c - a sorted array of disjoint address ranges.
 *
 * Lookups are what matters: workers bisect without a lock while kernels run,
 * and look again when something changed meanwhile. Insertion at the end, the
 * usual case, moves nothing, so nobody has to look again then.
 */
#include "mem/mem_map.h"

/* Relaxed: px_map_look checks `changes` around them. */
static uint64_t get(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static void set(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

static void put(struct px_mem_slot *to, const struct px_mem_range *range)
{
    set(&to->lo, range->lo);
    set(&to->len, range->len);
    set(&to->owner, range->owner);
    set(&to->kind, range->kind);
}

static void move(struct px_mem_slot *to, const struct px_mem_slot *from)
{
    put(to, &(struct px_mem_range){get(&from->lo), get(&from->len), get(&from->owner), get(&from->kind)});
}

static uint32_t find(const struct px_mem_slot *at, uint32_t n, uint64_t va)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (get(&at[middle].lo) <= va)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : n;
}

uint32_t px_map_find(const struct px_mem_map *map, uint64_t va)
{
    return find(atomic_load(&map->at), atomic_load(&map->n), va);
}

bool px_map_look(const struct px_mem_map *map, uint64_t va, struct px_mem_range *range)
{
    for (;;) {
        const unsigned before = atomic_load_explicit(&map->changes, memory_order_acquire);
        const uint32_t n =
            atomic_load_explicit(&map->n, memory_order_acquire); /* before `at`: it has as many */
        const struct px_mem_slot *at = atomic_load_explicit(&map->at, memory_order_acquire);
        const uint32_t i = find(at, n, va);
        const bool found = i < n;
        if (found)
            *range =
                (struct px_mem_range){get(&at[i].lo), get(&at[i].len), get(&at[i].owner), get(&at[i].kind)};
        atomic_thread_fence(memory_order_acquire);
        if (!(before & 1) && before == atomic_load_explicit(&map->changes, memory_order_relaxed))
            return found;
    }
}

static void begin_change(struct px_mem_map *map)
{
    atomic_fetch_add(&map->changes, 1);
    atomic_thread_fence(memory_order_release);
}

static void end_change(struct px_mem_map *map)
{
    atomic_fetch_add_explicit(&map->changes, 1, memory_order_release);
}

static uint32_t log2_of(uint32_t n)
{
    return 31 - (uint32_t)__builtin_clz(n);
}

static bool make_room(struct px_mem_map *map)
{
    struct px_mem_slot *had = atomic_load(&map->at);
    const uint32_t n = atomic_load(&map->n);
    if (n < map->cap) return true;
    const uint32_t cap = map->cap ? map->cap * 2 : 16;
    struct px_mem_slot *at = cap ? px_alloc(&map->alloc, cap * sizeof *at) : NULL;
    if (!at) return false;
    for (uint32_t i = 0; i < n; i++) move(&at[i], &had[i]);
    if (map->cap) map->old[log2_of(map->cap)] = had;
    atomic_store_explicit(&map->at, at, memory_order_release);
    map->cap = cap;
    return true;
}

bool px_map_insert(struct px_mem_map *map, struct px_mem_range range)
{
    if (!make_room(map)) return false;
    struct px_mem_slot *at = atomic_load(&map->at);
    const uint32_t n = atomic_load(&map->n), before = px_map_find(map, range.lo);
    const uint32_t i = before == n ? 0 : before + 1;
    if (i < n) begin_change(map);
    for (uint32_t k = n; k > i; k--) move(&at[k], &at[k - 1]);
    put(&at[i], &range);
    atomic_store_explicit(&map->n, n + 1, memory_order_release);
    if (i < n) end_change(map);
    return true;
}

void px_map_resize(struct px_mem_map *map, uint64_t lo, uint64_t len)
{
    struct px_mem_slot *at = atomic_load(&map->at);
    begin_change(map);
    set(&at[px_map_find(map, lo)].len, len);
    end_change(map);
}

void px_map_mark(struct px_mem_map *map, uint64_t lo, uint64_t kind)
{
    struct px_mem_slot *at = atomic_load(&map->at);
    begin_change(map);
    set(&at[px_map_find(map, lo)].kind, kind);
    end_change(map);
}

void px_map_remove(struct px_mem_map *map, uint64_t owner)
{
    struct px_mem_slot *at = atomic_load(&map->at);
    const uint32_t n = atomic_load(&map->n);
    uint32_t i = px_map_find(map, owner), gone = 0;
    if (i == n) return;
    while (i > 0 && get(&at[i - 1].owner) == owner) i--;
    while (i < n && get(&at[i].owner) != owner) i++;
    while (i + gone < n && get(&at[i + gone].owner) == owner) gone++;
    begin_change(map);
    for (uint32_t k = i; k + gone < n; k++) move(&at[k], &at[k + gone]);
    atomic_store_explicit(&map->n, n - gone, memory_order_release);
    end_change(map);
}

void px_map_free(struct px_mem_map *map)
{
    for (uint32_t i = 0; i < PX_MAP_OLD; i++)
        px_free(&map->alloc, map->old[i], ((size_t)1 << i) * sizeof *map->old[i]);
    px_free(&map->alloc, atomic_load(&map->at), map->cap * sizeof(struct px_mem_slot));
}
