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

static struct px_mem_range taken(const struct px_mem_slot *s)
{
    return (struct px_mem_range){get(&s->lo), get(&s->len), get(&s->owner), get(&s->kind)};
}

static void move(struct px_mem_slot *to, const struct px_mem_slot *from)
{
    const struct px_mem_range range = taken(from);
    put(to, &range);
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

/* What a reader without a lock has in hand. */
struct look {
    const struct px_mem_slot *at;
    uint32_t n;
    unsigned changes;
};

static struct look begin_look(const struct px_mem_map *map)
{
    struct look l;
    l.changes = atomic_load_explicit(&map->changes, memory_order_acquire);
    l.n = atomic_load_explicit(&map->n, memory_order_acquire); /* before `at`: it has as many */
    l.at = atomic_load_explicit(&map->at, memory_order_acquire);
    return l;
}

/* False: ranges moved meanwhile, look again. */
static bool end_look(const struct px_mem_map *map, const struct look *l)
{
    atomic_thread_fence(memory_order_acquire);
    return !(l->changes & 1) && l->changes == atomic_load_explicit(&map->changes, memory_order_relaxed);
}

bool px_map_look(const struct px_mem_map *map, uint64_t va, struct px_mem_range *range)
{
    for (;;) {
        const struct look l = begin_look(map);
        const uint32_t i = find(l.at, l.n, va);
        const bool found = i < l.n;
        if (found) *range = taken(&l.at[i]);
        if (end_look(map, &l)) return found;
    }
}

unsigned px_map_around(const struct px_mem_map *map, uint64_t va, struct px_mem_range *below,
                       struct px_mem_range *above)
{
    for (;;) {
        const struct look l = begin_look(map);
        const uint32_t i = find(l.at, l.n, va), next = i == l.n ? 0 : i + 1;
        if (i < l.n) *below = taken(&l.at[i]);
        if (next < l.n) *above = taken(&l.at[next]);
        if (end_look(map, &l)) return (i < l.n ? PX_MAP_BELOW : 0u) | (next < l.n ? PX_MAP_ABOVE : 0u);
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
