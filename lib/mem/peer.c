/*
 * peer.c - what unified devices see of each other's memory.
 *
 * A device has a list of peers, each with the kinds of memory that it sees; what a block was opened for
 * (px_mem_see) is seen beside that. Workers read the list and the peers' maps without a lock.
 */
#include "mem/heap.h"
#include "mem/mem_map.h"
#include "ptx_memory.h"
#include <inttypes.h>
#include <stdio.h>

enum { GROUPS_SHIFT = 32 };               /* px_mem_range.kind */
static const uint64_t TAKEN = 1ull << 32; /* px_mem_peer.what: once more */

/* ---- blocks ---- */

void px_mem_see(struct px_mem *mem, uint64_t va, uint32_t groups)
{
    struct px_mem_range r;
    if (px_map_look(mem->map, va, &r) && r.lo == va)
        px_map_mark(mem->map, va, (uint32_t)r.kind | (uint64_t)groups << GROUPS_SHIFT);
}

uint32_t px_mem_seen(const struct px_mem *mem, uint64_t va)
{
    struct px_mem_range r;
    return px_map_look(mem->map, va, &r) && va - r.lo < r.len ? (uint32_t)(r.kind >> GROUPS_SHIFT) : 0;
}

void px_mem_see_tagged(struct px_mem *mem, enum px_mem_kind kind, uint32_t tag, uint32_t groups)
{
    const struct px_mem_slot *at = mem->map->at;
    for (uint32_t i = 0; i < mem->map->n; i++) {
        struct px_extent block;
        enum px_mem_kind its;
        uint32_t number;
        if (px_mem_tag_of(mem, at[i].lo, &block, &its, &number) && its == kind && number == tag)
            px_mem_see(mem, at[i].lo, groups);
    }
}

/* ---- the list ---- */

static struct px_mem_peer *place_of(const struct px_mem *mem, const struct px_mem *peer)
{
    for (int i = 0; i < PX_MEM_PEERS; i++)
        if (atomic_load(&mem->peer[i].mem) == peer) return (struct px_mem_peer *)&mem->peer[i];
    return NULL;
}

bool px_mem_peer_see(struct px_mem *mem, const struct px_mem *peer, unsigned what)
{
    struct px_mem_peer *p = place_of(mem, peer);
    if (!p && !what) return true;
    const bool anew = !p;
    if (anew && !(p = place_of(mem, NULL))) return false;
    const uint64_t times = (atomic_load(&p->what) & ~(uint64_t)UINT32_MAX) + (anew ? TAKEN : 0);
    if (anew) {
        atomic_store(&p->what, times); /* nothing, whoever is there */
        atomic_store(&p->mem, peer);
    }
    atomic_store(&p->what, times + what);
    if (!what) atomic_store(&p->mem, NULL);
    const unsigned taken = (unsigned)(p - mem->peer) + 1;
    if (atomic_load(&mem->npeers) < taken) atomic_store(&mem->npeers, taken);
    atomic_fetch_add(&mem->peers_changes, 1);
    return true;
}

unsigned px_mem_peer_seen(const struct px_mem *mem, const struct px_mem *peer)
{
    const struct px_mem_peer *p = place_of(mem, peer);
    return p ? (unsigned)atomic_load(&p->what) : 0;
}

/* ---- for kernels ---- */

/* enum ptx_peer_sight: which of them shows a block of this kind; 0: none does. */
static unsigned sight_of(const struct px_mem_range *r)
{
    switch ((enum px_mem_kind)(r->kind & PX_MEM_KIND_MASK)) {
    case PX_MEM_PINNED:
    case PX_MEM_MANAGED:
    case PX_MEM_REGISTERED: return PTX_SEE_HOST;
    case PX_MEM_DEVICE: return px_mem_range_tag(r) == PX_MEM_VARIABLE ? PTX_SEE_VARIABLES : PTX_SEE_DEVICE;
    case PX_MEM_OPENED: return PTX_SEE_DEVICE;
    case PX_MEM_POOL:
    case PX_MEM_MAPPED:
    case PX_MEM_GRAPH: return PTX_SEE_ORDERED;
    case PX_MEM_DORMANT: break;
    }
    return 0;
}

/* The memory at a place, and what is seen of it: of one moment. */
static const struct px_mem *look_at(const struct px_mem_peer *p, unsigned *what)
{
    for (;;) {
        const uint64_t before = atomic_load_explicit(&p->what, memory_order_acquire);
        const struct px_mem *peer = atomic_load_explicit(&p->mem, memory_order_acquire);
        if (atomic_load_explicit(&p->what, memory_order_relaxed) != before) continue;
        *what = (unsigned)before;
        return peer;
    }
}

static bool has(const struct px_mem *peer, uint64_t va, struct px_mem_range *r)
{
    return peer && px_map_look(peer->map, va, r) && va - r->lo < r->len;
}

bool px_mem_of_peer(const struct px_mem *mem, uint64_t va, struct px_extent *extent)
{
    struct px_mem_range r;
    const unsigned n = atomic_load_explicit(&mem->npeers, memory_order_acquire);
    for (unsigned i = 0; i < n; i++) {
        unsigned what;
        const struct px_mem *peer = look_at(&mem->peer[i], &what);
        if (!has(peer, va, &r)) continue;
        const unsigned sight = sight_of(&r);
        if (!(what & sight) && !(sight && r.kind >> GROUPS_SHIFT >> mem->group & 1)) continue;
        const struct px_heap *heap = px_mem_heap_of(peer, va);
        if (heap) return px_heap_extent(heap, va, extent);
        *extent = (struct px_extent){r.lo, r.len};
        return true;
    }
    return false;
}

uint64_t px_mem_peers_stamp(const struct px_mem *mem, uint64_t own)
{
    const uint64_t odd = 0x9E3779B97F4A7C15ull; /* 2^64 by the golden ratio: mixes well */
    uint64_t stamp = own;
    const unsigned n = atomic_load_explicit(&mem->npeers, memory_order_acquire);
    if (n) stamp = stamp * odd + atomic_load(&mem->peers_changes);
    for (unsigned i = 0; i < n; i++) {
        const struct px_mem *peer = atomic_load_explicit(&mem->peer[i].mem, memory_order_acquire);
        if (!peer) continue;
        stamp = stamp * odd + atomic_load_explicit(&peer->map->changes, memory_order_acquire);
        for (int k = 0; k < 2; k++)
            if (peer->heaps[k]) stamp = stamp * odd + atomic_load(&peer->heaps[k]->releases);
    }
    return stamp;
}

bool px_mem_describe_hidden(const struct px_mem *mem, uint64_t va, char *buf, size_t size)
{
    struct px_mem_range r;
    for (unsigned i = 0; i < atomic_load(&mem->npeers); i++) {
        if (!has(atomic_load(&mem->peer[i].mem), va, &r)) continue;
        snprintf(buf, size,
                 "byte %" PRIu64 " of a %" PRIu64 "-byte allocation at 0x%" PRIx64
                 " of another device, which this one may not use (peer access)",
                 va - r.lo, r.len, r.lo);
        return true;
    }
    return false;
}
