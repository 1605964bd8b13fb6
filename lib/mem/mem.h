/*
 * mem.h - the address space of a device, and the only way to touch kernel memory.
 *
 * Device memory is one reserved host range; a device address differs from its
 * host address by a constant (`delta`), so the fast check is one unsigned
 * compare: va - lo < len. In host-pointer mode lo is 64 KiB, len 2^47, delta 0.
 * Exact bounds come from the allocation map; a gang keeps the last allocation
 * that it hit, so that most accesses cost two compares for all lanes.
 *
 * Everything else is a window above 2^57, where no user pointer can be:
 *
 *   bits 63..57  tag      (enum px_window)
 *   shared:  56..32 CTA slot,                31..24 rank in the cluster, 23..0 offset
 *   local:   56..30 CTA slot, 29..20 thread, 19..0 offset
 *   const:   56..32 program,                 31..0 offset
 *   param:   56..32 CTA slot,                31..0 offset (kernel parameters)
 *   func:    56..32 program,                 31..4 number, low 4 bits zero
 *   opaque:  56..27 generation, 26..3 place  (textures, samplers, surfaces: tex/opaque.h); no memory
 *
 * so a pointer into another CTA's memory is recognised and reported. A state
 * space address (.shared, .local, .const, .param) is the offset alone; cvta
 * adds and removes the rest.
 */
#ifndef PX_MEM_MEM_H
#define PX_MEM_MEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "isa/isa.h"

#define PX_VA_DEVICE 0x0000100000000000ull /* first device address */
#define PX_WINDOW_SHIFT 57
#define PX_LOCAL_MAX (1ull << 20) /* bytes of local memory of a thread: what its window holds */

enum px_window {
    PX_WIN_NONE,
    PX_WIN_SHARED,
    PX_WIN_LOCAL,
    PX_WIN_CONST,
    PX_WIN_PARAM,
    PX_WIN_FUNC,
    PX_WIN_OPAQUE
};

static inline enum px_window px_window_of(uint64_t va)
{
    return (enum px_window)(va >> PX_WINDOW_SHIFT);
}
static inline uint64_t px_window_base(enum px_window window, uint32_t owner)
{
    return (uint64_t)window << PX_WINDOW_SHIFT | (uint64_t)owner << 32;
}
/* Owners of local memory are blocks: the number of what is run as one, and above it the rank in a cluster. */
enum { PX_OWNER_RANK = 23, PX_OWNERS = 1 << PX_OWNER_RANK };
static inline uint64_t px_local_base(uint32_t owner, uint32_t thread)
{
    return (uint64_t)PX_WIN_LOCAL << PX_WINDOW_SHIFT | (uint64_t)owner << 30 | (uint64_t)thread << 20;
}

/* What an allocation was made as; for those who ask. */
enum px_mem_kind {
    PX_MEM_DEVICE,
    PX_MEM_PINNED,
    PX_MEM_MANAGED,
    PX_MEM_REGISTERED,
    PX_MEM_POOL,
    PX_MEM_MAPPED,
    PX_MEM_OPENED, /* another process's */
    PX_MEM_GRAPH,  /* of a graph's node, */
    PX_MEM_DORMANT /* between its launches: addresses that nobody may use */
};

/* px_mem_tag of device and managed memory: the embedder allocated it; it is a program's variable; it is the
 * device's own. */
enum { PX_MEM_ALLOCATED, PX_MEM_VARIABLE, PX_MEM_OWN };

enum { PX_MEM_PEERS = 64, PX_MEM_GROUPS = 32 };

/* Whose memory a unified device sees beside its own, and which (ptx_peer_see). Workers read both without a
 * lock: `what` is the same before and behind `mem` when they belong together, as its upper bits count. */
struct px_mem_peer {
    _Atomic(const struct px_mem *) mem; /* NULL: a free place */
    _Atomic uint64_t what; /* enum ptx_peer_sight; from bit 32 on: how often the place was taken */
};

/* Addresses of these spaces have 32 bits: a chip drops what is above them, in sums and in registers. */
static inline bool px_space_is_narrow(uint8_t space)
{
    return space == PX_SPACE_SHARED || space == PX_SPACE_LOCAL || space == PX_SPACE_CONST ||
           space == PX_SPACE_PARAM || space == PX_SPACE_CLUSTER;
}
static inline uint64_t px_space_address(uint8_t space, uint64_t va)
{
    return px_space_is_narrow(space) ? (uint32_t)va : va;
}

struct px_extent {
    uint64_t lo, len;
}; /* [lo, lo+len) of one allocation */

struct ptx_allocator;
struct px_heap;
struct px_mem_map;
struct px_virtual;
struct px_share;

struct px_mem {
    const struct ptx_allocator *alloc; /* outlives this */
    uint64_t lo, len;                  /* legal range of global addresses */
    int64_t delta;                     /* host address = va + delta */
    bool host_mode;
    uint8_t *range; /* of the host: reserved, `committed` bytes of it readable and writable */
    uint64_t bytes, committed, base; /* base: device address of `range` */
    uint64_t extra;                  /* addresses behind `bytes` for reserved ranges (virtual.h) */
    struct px_virtual *virtual;      /* NULL: there are none */
    struct px_share *share;          /* pages that other processes may map (share.h); NULL: there are none */
    bool gaps;                       /* something was released */
    bool rests;                      /* addresses that were released are given out again as late as can be; */
    uint64_t fresh;                  /* what comes next is looked for from here on */
    /* Allocations by address. One thread at a time changes it, others may look meanwhile; what kernels
     * allocate themselves lives in heaps. */
    struct px_mem_map *map;
    const struct px_heap *heaps[2]; /* finer bounds inside these; NULL when there is none */
    bool unified;                   /* device addresses are the host's */
    bool open;                      /* what lies near an allocation may be read and written (PTX_UB_CHIP) */
    uint8_t group;                  /* what is open to it is seen by kernels of this device (px_mem_see) */
    struct px_mem_peer peer[PX_MEM_PEERS];
    atomic_uint npeers;        /* places of `peer` that were ever taken */
    atomic_uint peers_changes; /* how often one was taken, changed or given up */
};

/* False: out of memory. The allocator must outlive `mem`. */
bool px_mem_init(struct px_mem *mem, const struct ptx_allocator *alloc, uint64_t bytes, bool host_mode);
/* With the host's addresses from `at` on, which are the device's too, at most `room` of them. False as well:
 * they are not free. */
bool px_mem_init_at(struct px_mem *mem, const struct ptx_allocator *alloc, uint64_t bytes, uint64_t at,
                    uint64_t room);
void px_mem_free_all(struct px_mem *mem);

/* Allocates zeroed memory aligned to `align` (a power of two, at least 16) with a guard gap behind it. False:
 * out of memory. */
bool px_mem_alloc(struct px_mem *mem, uint64_t size, uint64_t align, uint64_t *va);
/* False when `va` is no start of an allocation. */
bool px_mem_release(struct px_mem *mem, uint64_t va);

/* Cuts the allocation at `va` into blocks with bounds of their own (a program's variables), in rising order.
 */
bool px_mem_carve(struct px_mem *mem, uint64_t va, const struct px_extent *blocks, uint32_t n);

/* An allocation gets another kind. */
void px_mem_mark(struct px_mem *mem, uint64_t va, enum px_mem_kind kind);
/* With a number of the caller's, which px_mem_tag_of tells. */
void px_mem_tag(struct px_mem *mem, uint64_t va, enum px_mem_kind kind, uint32_t tag);
/* Kernels of peers of these groups see the block, whatever else they see; `groups` has a bit for each. */
void px_mem_see(struct px_mem *mem, uint64_t va, uint32_t groups);
uint32_t px_mem_seen(const struct px_mem *mem, uint64_t va);
/* The same for all that px_mem_tag marked so. */
void px_mem_see_tagged(struct px_mem *mem, enum px_mem_kind kind, uint32_t tag, uint32_t groups);
/* What of a peer is seen from now on: enum ptx_peer_sight; 0: nothing. False: there is no place for it. */
bool px_mem_peer_see(struct px_mem *mem, const struct px_mem *peer, unsigned what);
unsigned px_mem_peer_seen(const struct px_mem *mem, const struct px_mem *peer);
/* Memory of a graph goes back to sleep, cleared. */
void px_mem_sleep(struct px_mem *mem, uint64_t va);
/* The host's memory at [va, va+size) is an allocation, too, of a unified device. False: it is one already in
 * part, or there is no memory. */
bool px_mem_register(struct px_mem *mem, uint64_t va, uint64_t size);
bool px_mem_unregister(struct px_mem *mem, uint64_t va); /* false: none was registered there */
/* The block that holds va (of a device's own memory), and its kind; false when none does. Any thread. */
bool px_mem_block(const struct px_mem *mem, uint64_t va, struct px_extent *block, enum px_mem_kind *kind);
bool px_mem_tag_of(const struct px_mem *mem, uint64_t va, struct px_extent *block, enum px_mem_kind *kind,
                   uint32_t *tag);
/* Bytes that are allocated, physical memory of ranges not included. For who changes it, or when nobody does.
 */
uint64_t px_mem_used(const struct px_mem *mem);

/* The allocation that holds va; false when none does. Any thread. */
bool px_mem_extent(const struct px_mem *mem, uint64_t va, struct px_extent *extent);
/*
 * A number that is another one once an allocation that kernels may use has gone or shrunk, of this device or
 * of one whose memory it sees. Any thread.
 */
uint64_t px_mem_stamp(const struct px_mem *mem);
/*
 * Nearest allocation in words ("16 bytes past the end of ..."), for fault messages. Its first address, 0 when
 * none is near.
 */
uint64_t px_mem_describe(const struct px_mem *mem, uint64_t va, char *buf, size_t size);

/* Makes all of the range readable and writable. Before anything is allocated. False: the host refuses. */
bool px_mem_open(struct px_mem *mem);
/* Are these addresses of device memory past an allocation, at most 64 MiB from its end? There a chip has
 * pages that a program may use. */
bool px_mem_is_past(const struct px_mem *mem, uint64_t va, uint64_t size);
/* Host pointer of [va, va+size) in device memory, or NULL when it is not all inside one allocation. */
void *px_mem_host(const struct px_mem *mem, uint64_t va, uint64_t size);

#endif
