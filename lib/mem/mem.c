/*
 * mem.c - device memory: one reserved host range, given out first fit.
 *
 * With host pointers as device pointers nothing is reserved: each block is a
 * mapping of its own. Otherwise the range is reserved without access and made
 * usable in large steps as the highest allocation grows. Blocks are placed at the lowest gap that holds
 * them plus a guard gap, so two runs that allocate alike see the same
 * addresses. A released block gives its pages back and reads as zero again.
 */
#include "mem/mem_map.h"
#include "mem/share.h"
#include "mem/heap.h"
#include "mem/virtual.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

enum {
    GUARD = 256,
    COMMIT_STEP = 16 << 20,
    KEEP_PAGES_BELOW = 1 << 16,
    NEAR_NULL = 1 << 20,
    LARGE_PAGE = 2 << 20,
    EXTRA = 4
};

#define HOST_LOW 0x10000ull /* 64 KiB: below it nothing is ever mapped */
#define HOST_LEN (1ull << 47)

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) & ~(to - 1);
}

static uint8_t *host_of(const struct px_mem *mem, uint64_t va)
{
    return mem->range + (va - mem->base);
}

static bool reserve(struct px_mem *mem, uint64_t at)
{
#ifdef MAP_FIXED_NOREPLACE
    const int exactly = at ? MAP_FIXED_NOREPLACE : 0;
#else
    const int exactly = 0;
#endif
    void *want = (void *)(uintptr_t)at;
    mem->range = mmap(want, mem->bytes + mem->extra, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | exactly, -1, 0);
    if (mem->range == MAP_FAILED) return false;
    if (!at || mem->range == want) return true;
    munmap(mem->range, mem->bytes + mem->extra);
    return false;
}

/* With addresses for reserved ranges when they can be had. */
static bool reserve_all(struct px_mem *mem, uint64_t at, uint64_t room)
{
    mem->extra = 0;
    if (mem->bytes <= room / (1 + EXTRA)) mem->extra = mem->bytes * EXTRA;
    if (mem->extra && reserve(mem, at)) return true;
    mem->extra = 0;
    return reserve(mem, at);
}

static bool init(struct px_mem *mem, const ptx_allocator *alloc, uint64_t bytes, bool host_mode, uint64_t at,
                 uint64_t room)
{
    *mem = (struct px_mem){.alloc = alloc, .host_mode = host_mode};
    mem->bytes = round_up(bytes, COMMIT_STEP);
    if (mem->bytes < bytes) return false;
    mem->map = px_zalloc(alloc, sizeof *mem->map);
    if (!mem->map) return false;
    mem->map->alloc = *alloc;
    if (host_mode) {
        mem->lo = HOST_LOW;
        mem->len = HOST_LEN - HOST_LOW;
        return true;
    }
    if (!reserve_all(mem, at, room)) {
        px_free(alloc, mem->map, sizeof *mem->map);
        *mem = (struct px_mem){0};
        return false;
    }
    mem->unified = at != 0;
    mem->base = at ? at : PX_VA_DEVICE;
    mem->lo = at ? HOST_LOW : mem->base; /* memory of the host may be registered, too */
    mem->len = at ? HOST_LEN - HOST_LOW : mem->bytes + mem->extra;
    mem->delta = (int64_t)((uint64_t)(uintptr_t)mem->range - mem->base);
    return true;
}

bool px_mem_init(struct px_mem *mem, const ptx_allocator *alloc, uint64_t bytes, bool host_mode)
{
    return init(mem, alloc, bytes, host_mode, 0, HOST_LEN / 16);
}

bool px_mem_init_at(struct px_mem *mem, const ptx_allocator *alloc, uint64_t bytes, uint64_t at,
                    uint64_t room)
{
    return init(mem, alloc, bytes, false, at, room);
}

static uint64_t end_of(const struct px_mem_slot *r)
{
    return r->lo + r->len;
}

/* Whole large pages of a block: a kernel that goes from page to page would look each one up. */
static void ask_large_pages(uint8_t *at, uint64_t size)
{
#ifdef MADV_HUGEPAGE
    uint8_t *from = (uint8_t *)(uintptr_t)round_up((uintptr_t)at, LARGE_PAGE);
    uint8_t *to = (uint8_t *)((uintptr_t)(at + size) & ~(uintptr_t)(LARGE_PAGE - 1));
    if (to > from) madvise(from, (size_t)(to - from), MADV_HUGEPAGE); /* no more than a wish */
#else
    (void)at, (void)size;
#endif
}

/* A block of host-pointer mode: `committed` counts the pages of all. */
static uint64_t map_block(struct px_mem *mem, uint64_t size)
{
    const uint64_t whole = round_up(size, (uint64_t)sysconf(_SC_PAGESIZE));
    if (whole < size || whole > mem->bytes - mem->committed) return 0;
    void *at = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return 0;
    mem->committed += whole;
    ask_large_pages(at, whole);
    return (uint64_t)(uintptr_t)at;
}

static void unmap_block(struct px_mem *mem, uint64_t va, uint64_t size)
{
    const uint64_t whole = round_up(size, (uint64_t)sysconf(_SC_PAGESIZE));
    munmap((void *)(uintptr_t)va, whole);
    mem->committed -= whole;
}

/* Index of the last range of the block that begins with range i. */
static uint32_t last_of(const struct px_mem_map *map, uint32_t i)
{
    const struct px_mem_slot *at = map->at;
    while (i + 1 < map->n && at[i + 1].owner == at[i].owner) i++;
    return i;
}

void px_mem_free_all(struct px_mem *mem)
{
    if (!mem->map) return;
    for (uint32_t i = 0; mem->host_mode && i < mem->map->n; i++) {
        const uint64_t va = mem->map->at[i].lo;
        i = last_of(mem->map, i);
        unmap_block(mem, va, end_of(&mem->map->at[i]) - va);
    }
    px_virtual_free_all(mem);
    px_share_free(mem);
    if (mem->range) munmap(mem->range, mem->bytes + mem->extra);
    px_map_free(mem->map);
    px_free(mem->alloc, mem->map, sizeof *mem->map);
    mem->map = NULL;
}

/* Makes the first `bytes` of the range usable. */
static bool commit(struct px_mem *mem, uint64_t bytes)
{
    if (bytes <= mem->committed) return true;
    uint64_t to = round_up(bytes, COMMIT_STEP);
    if (mprotect(mem->range + mem->committed, to - mem->committed, PROT_READ | PROT_WRITE) != 0) return false;
    mem->committed = to;
    return true;
}

/* Lowest address with room for `size` bytes and a gap on both sides; 0 when there is none. */
static uint64_t first_fit(const struct px_mem *mem, uint64_t size, uint64_t align)
{
    const struct px_mem_map *map = mem->map;
    const uint64_t end = mem->base + mem->bytes;
    uint64_t at = round_up(mem->base + GUARD, align);
    const bool search = mem->gaps || !map->n;
    for (uint32_t i = search ? 0 : map->n - 1; i < map->n; i++) {
        if (map->at[i].lo - mem->base >= mem->bytes) continue; /* registered, or mapped */
        if (search && at + size + GUARD <= map->at[i].lo) return at;
        at = round_up(end_of(&map->at[i]) + GUARD, align);
    }
    return size + GUARD <= end - at && at < end ? at : 0;
}

/* The same from `from` on, with such gaps. */
static uint64_t fit_from(const struct px_mem *mem, uint64_t from, uint64_t size, uint64_t align, uint64_t gap)
{
    const struct px_mem_map *map = mem->map;
    const uint64_t end = mem->base + mem->bytes;
    uint64_t at = round_up(from + gap, align);
    for (uint32_t i = 0; i < map->n; i++) {
        if (map->at[i].lo - mem->base >= mem->bytes || end_of(&map->at[i]) + gap <= at) continue;
        if (at + size + gap <= map->at[i].lo) return at;
        at = round_up(end_of(&map->at[i]) + gap, align);
    }
    return at < end && size + gap <= end - at ? at : 0;
}

/* Behind what came last, if that is possible, and with a wide gap: what misses an allocation by little shall
 * not hit another. */
static uint64_t next_fit(const struct px_mem *mem, uint64_t size, uint64_t align)
{
    const uint64_t wide = 64 << 10;
    uint64_t at = mem->fresh ? fit_from(mem, mem->fresh, size, align, wide) : 0;
    if (!at) at = fit_from(mem, mem->base, size, align, wide);
    return at ? at : fit_from(mem, mem->base, size, align, GUARD);
}

bool px_mem_alloc(struct px_mem *mem, uint64_t size, uint64_t align, uint64_t *va)
{
    if (!size || size > mem->bytes) return false;
    if (mem->virtual && px_mem_used(mem) + px_virtual_used(mem) > mem->bytes - size) return false;
    if (align < 16) align = 16;
    uint64_t at = mem->host_mode ? map_block(mem, size)
                  : mem->rests   ? next_fit(mem, size, align)
                                 : first_fit(mem, size, align);
    if (!at || (!mem->host_mode && !commit(mem, at + size - mem->base))) return false;
    if (!px_map_insert(mem->map, (struct px_mem_range){at, size, at, PX_MEM_DEVICE})) {
        if (mem->host_mode) unmap_block(mem, at, size);
        return false;
    }
    if (!mem->host_mode) ask_large_pages(host_of(mem, at), size);
    mem->fresh = at + size;
    *va = at;
    return true;
}

/* Makes [p, p+size) read as zero; whole pages of large ranges go back to the system. */
static void clear(struct px_mem *mem, uint64_t va, uint64_t size)
{
    uint8_t *p = host_of(mem, va);
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint8_t *from = (uint8_t *)(uintptr_t)round_up((uintptr_t)p, page), *end = p + size;
    uint8_t *to = (uint8_t *)((uintptr_t)end & ~(uintptr_t)(page - 1));
    if (size < KEEP_PAGES_BELOW ||
        mmap(from, (size_t)(to - from), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
        memset(p, 0, size);
        return;
    }
    px_share_forget(mem, va + (uint64_t)(from - p), (uint64_t)(to - from));
    memset(p, 0, (size_t)(from - p));
    memset(to, 0, (size_t)(end - to));
}

/* Is memory of this kind none that px_mem_alloc gave? */
static bool elsewhere(uint64_t kind)
{
    kind &= PX_MEM_KIND_MASK;
    return kind == PX_MEM_REGISTERED || kind == PX_MEM_MAPPED || kind == PX_MEM_OPENED;
}

bool px_mem_release(struct px_mem *mem, uint64_t va)
{
    uint32_t i = px_map_find(mem->map, va);
    if (i == mem->map->n || mem->map->at[i].lo != va || mem->map->at[i].owner != va) return false;
    const uint64_t kind = mem->map->at[i].kind;
    if (elsewhere(kind)) return false;
    const uint64_t size = end_of(&mem->map->at[last_of(mem->map, i)]) - va;
    if (mem->host_mode)
        unmap_block(mem, va, size);
    else
        clear(mem, va, size);
    px_map_remove(mem->map, va);
    mem->gaps = true;
    return true;
}

bool px_mem_carve(struct px_mem *mem, uint64_t va, const struct px_extent *blocks, uint32_t n)
{
    struct px_mem_map *map = mem->map;
    uint32_t i = px_map_find(map, va);
    if (i == map->n || map->at[i].lo != va || !n || blocks[0].lo != va) return false;
    const struct px_mem_range whole = {map->at[i].lo, map->at[i].len, map->at[i].owner, map->at[i].kind};
    px_map_resize(map, va, blocks[0].len);
    for (uint32_t k = 1; k < n; k++) {
        if (!blocks[k].len) continue;
        if (px_map_insert(map, (struct px_mem_range){blocks[k].lo, blocks[k].len, va, whole.kind})) continue;
        px_map_remove(map, va);
        px_map_insert(map, whole); /* there is room: at least one range has just gone */
        return false;
    }
    return true;
}

void px_mem_mark(struct px_mem *mem, uint64_t va, enum px_mem_kind kind)
{
    px_map_mark(mem->map, va, kind);
}

void px_mem_tag(struct px_mem *mem, uint64_t va, enum px_mem_kind kind, uint32_t tag)
{
    px_map_mark(mem->map, va, (tag & PX_MEM_TAG_MASK) << PX_MEM_TAG_SHIFT | kind);
}

void px_mem_sleep(struct px_mem *mem, uint64_t va)
{
    const uint32_t i = px_map_find(mem->map, va);
    px_map_mark(mem->map, va, PX_MEM_DORMANT);
    if (!mem->host_mode) clear(mem, va, mem->map->at[i].len);
}

bool px_mem_register(struct px_mem *mem, uint64_t va, uint64_t size)
{
    const struct px_mem_map *map = mem->map;
    const uint32_t before = px_map_find(map, va), next = before == map->n ? 0 : before + 1;
    if (!mem->unified || va - mem->lo >= mem->len || size > mem->len - (va - mem->lo)) return false;
    if (va + size > mem->base && va < mem->base + mem->bytes + mem->extra) return false;
    if (before < map->n && va < end_of(&map->at[before])) return false;
    if (next < map->n && map->at[next].lo < va + size) return false;
    mem->gaps = true; /* the last range is not the last of the device's own */
    return px_map_insert(mem->map, (struct px_mem_range){va, size, va, PX_MEM_REGISTERED});
}

bool px_mem_unregister(struct px_mem *mem, uint64_t va)
{
    const uint32_t i = px_map_find(mem->map, va);
    if (i == mem->map->n || mem->map->at[i].lo != va ||
        (mem->map->at[i].kind & PX_MEM_KIND_MASK) != PX_MEM_REGISTERED)
        return false;
    px_map_remove(mem->map, va);
    return true;
}

bool px_mem_tag_of(const struct px_mem *mem, uint64_t va, struct px_extent *block, enum px_mem_kind *kind,
                   uint32_t *tag)
{
    struct px_mem_range r;
    if (!px_map_look(mem->map, va, &r) || va - r.lo >= r.len) return false;
    *block = (struct px_extent){r.lo, r.len};
    *kind = (enum px_mem_kind)(r.kind & PX_MEM_KIND_MASK);
    *tag = px_mem_range_tag(&r);
    return true;
}

bool px_mem_block(const struct px_mem *mem, uint64_t va, struct px_extent *block, enum px_mem_kind *kind)
{
    uint32_t tag;
    return px_mem_tag_of(mem, va, block, kind, &tag);
}

uint64_t px_mem_used(const struct px_mem *mem)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < mem->map->n; i++) {
        const uint64_t kind = mem->map->at[i].kind;
        if (!elsewhere(kind)) used += mem->map->at[i].len;
    }
    return used;
}

const struct px_heap *px_mem_heap_of(const struct px_mem *mem, uint64_t va)
{
    for (int i = 0; i < 2; i++)
        if (mem->heaps[i] && px_heap_owns(mem->heaps[i], va)) return mem->heaps[i];
    return NULL;
}

uint64_t px_mem_stamp(const struct px_mem *mem)
{
    uint64_t stamp = 1 + atomic_load_explicit(&mem->map->changes, memory_order_acquire);
    for (int i = 0; i < 2; i++)
        if (mem->heaps[i]) stamp += (uint64_t)atomic_load(&mem->heaps[i]->releases) << 32;
    return px_mem_peers_stamp(mem, stamp);
}

bool px_mem_extent(const struct px_mem *mem, uint64_t va, struct px_extent *extent)
{
    if (va - mem->lo >= mem->len) return false;
    if (mem->host_mode) {
        *extent = (struct px_extent){mem->lo, mem->len};
        return true;
    }
    struct px_mem_range r;
    if (!px_map_look(mem->map, va, &r) || va - r.lo >= r.len) return px_mem_of_peer(mem, va, extent);
    const struct px_heap *heap = px_mem_heap_of(mem, va);
    if (heap) return px_heap_extent(heap, va, extent);
    *extent = (struct px_extent){r.lo, r.len};
    return r.kind != PX_MEM_DORMANT;
}

static uint64_t describe_heap(const struct px_heap *heap, uint64_t va, char *buf, size_t size)
{
    struct px_extent e;
    uint64_t back = va - heap->base < 4096 ? va - heap->base : 4096;
    for (uint64_t d = 1; d <= back; d++) {
        if (!px_heap_extent(heap, va - d, &e)) continue;
        snprintf(buf, size,
                 "%" PRIu64 " bytes past the end of a %" PRIu64
                 "-byte block of the device heap at 0x%" PRIx64,
                 va - (e.lo + e.len), e.len, e.lo);
        return e.lo;
    }
    snprintf(buf, size, "in free memory of the device heap");
    return 0;
}

/* va lies in no allocation: which one is nearest? */
static uint64_t describe_gap(const struct px_mem *mem, uint64_t va, char *buf, size_t size)
{
    struct px_mem_range below, above;
    const unsigned found = px_map_around(mem->map, va, &below, &above);
    const uint64_t past = found & PX_MAP_BELOW ? va - (below.lo + below.len) : UINT64_MAX;
    const uint64_t before = found & PX_MAP_ABOVE ? above.lo - va : UINT64_MAX;
    if (!found || (past > mem->bytes && before > mem->bytes)) {
        snprintf(buf, size,
                 !va              ? "a null pointer"
                 : va < NEAR_NULL ? "near the null pointer; or an offset in another state space"
                                  : "far from every allocation");
        return 0;
    }
    const struct px_mem_range *r = past <= before ? &below : &above;
    snprintf(buf, size, "%" PRIu64 " bytes %s a %" PRIu64 "-byte allocation at 0x%" PRIx64,
             past <= before ? past : before, past <= before ? "past the end of" : "before", r->len, r->lo);
    return r->lo;
}

uint64_t px_mem_describe(const struct px_mem *mem, uint64_t va, char *buf, size_t size)
{
    struct px_extent e;
    if (mem->host_mode) {
        snprintf(buf, size, !va ? "a null pointer" : va < HOST_LOW ? "near the null pointer" : "host memory");
        return 0;
    }
    if (px_mem_heap_of(mem, va) && !px_mem_extent(mem, va, &e))
        return describe_heap(px_mem_heap_of(mem, va), va, buf, size);
    if (!px_mem_extent(mem, va, &e))
        return px_mem_describe_hidden(mem, va, buf, size) ? 0 : describe_gap(mem, va, buf, size);
    snprintf(buf, size, "byte %" PRIu64 " of a %" PRIu64 "-byte allocation at 0x%" PRIx64, va - e.lo, e.len,
             e.lo);
    return e.lo;
}

bool px_mem_open(struct px_mem *mem)
{
    if (mem->host_mode) return true;
    mem->open = mprotect(mem->range, mem->bytes, PROT_READ | PROT_WRITE) == 0;
    return mem->open;
}

bool px_mem_is_past(const struct px_mem *mem, uint64_t va, uint64_t size)
{
    const uint64_t most = (uint64_t)64 << 20, at = va - mem->base;
    struct px_mem_range r;
    if (mem->host_mode || at >= mem->bytes || size > mem->bytes - at) return false;
    return px_map_look(mem->map, va, &r) && (va - r.lo < r.len || va - r.lo - r.len < most);
}

void *px_mem_host(const struct px_mem *mem, uint64_t va, uint64_t size)
{
    struct px_extent e;
    if (!px_mem_extent(mem, va, &e) || size > e.len - (va - e.lo)) return NULL;
    return (void *)(uintptr_t)(va + (uint64_t)mem->delta);
}
