/*
 * state.h - what the files of lib/san share: grids, blocks and threads while they live, sides and findings.
 *
 * Nothing outlives the moment in which no grid is under way but the places and findings: whatever comes later
 * is ordered behind all that was before.
 */
#ifndef PX_SAN_STATE_H
#define PX_SAN_STATE_H

#include <pthread.h>
#include "san/clock.h"
#include "san/san.h"
#include "san/shadow.h"

enum { PX_SAN_BARRIERS = PTX_TRACE_CLUSTER_BARRIER + 1, PX_SAN_WARP = 32, PX_WARPS_MOST = 32 };

/* A bit for each byte: it was written. */
struct px_bits {
    uint64_t **page; /* of 4 KiB each; NULL: nothing of it was */
    uint32_t npages;
};

/* Where memory was made or freed. */
struct px_maker {
    uint32_t stack; /* of the host: number in px_san.stack, from 1; 0: unknown */
    uint32_t place; /* by a kernel: of px_san.place, plus 1; 0: the host did it */
};

enum { PX_STACK_DEPTH = 24, PX_STACKS_MOST = 10000, PX_GONE_MOST = 16384, PX_NO_PLACE = -1 };

struct px_stack {
    uint32_t n;
    void *at[PX_STACK_DEPTH]; /* return addresses, innermost first */
};

/* An allocation that lives, or did. */
struct px_memory {
    uint64_t address, bytes;
    ptx_trace_owner owner;
    bool asked;       /* the host has asked to free it in stream order */
    uint64_t work;    /* of the host that allocates it; 0: it is at once */
    uint64_t used_by; /* the grid that was looked at last */
    struct px_maker made, freed;
    struct px_bits written;
};
struct px_memories {
    struct px_memory **at; /* by address */
    uint32_t n, cap;
    struct px_memory *last; /* found last; NULL */
    struct px_memory *gone[PX_GONE_MOST];
    uint64_t ngone; /* that were freed so far */
    bool in_order;  /* some were allocated in stream order */
};

/*
 * What fence.sc operations order. Two of them that include each other's scope are ordered, and where an
 * access behind the one (in causality order, so barriers may stand between) was observed by an access before
 * the other, by this. Read only while several hold it.
 */
struct px_fenced {
    uint32_t refs;
    /* [0] at fences of scope .cta or more, [1] of .gpu or .sys; threads 0: nothing. */
    struct px_knowledge made[2]; /* known at the fences behind which the holder is; */
    struct px_knowledge seen[2]; /* what the holder's next fence will order it behind */
    /* Known at relaxed writes that the holder is behind, had those and their reads been releases and
     * acquires. Orders nothing. */
    struct px_knowledge told;
};

/* Threads that meet: at a barrier of the block, or at a bar.warp.sync. Who leaves it first closes it. */
struct px_phase {
    uint32_t refs;
    bool closed;
    bool whole;              /* of the whole block: `floor` is all that its threads learn of one another */
    uint32_t arrived, count; /* threads; count 0: all of the block */
    uint64_t mask;           /* of a bar.warp.sync: warp and member mask; */
    struct px_phase *next;   /* then of the block, open ones */
    struct px_far *joined;   /* what came last; not held */
    struct px_knowledge proxied; /* threads 0: nobody who came had a proxy fence behind it */
    struct px_fenced *fenced;
    struct px_knowledge knows;
};

/* A strong read that acquires once a fence follows: the first n releases of a list. */
struct px_pending {
    struct px_released *list;
    uint32_t n;
    bool wide;
};

/* When the groups of copies before `groups` were complete for their thread, by its clock. */
struct px_waited {
    uint32_t groups, clock;
};

struct px_thread {
    struct px_knowledge knows; /* its own clock is the one that runs */
    struct px_knowledge
        fence[2]; /* at its last fence: of scope .cta or more; of scope .gpu or .sys. threads 0: none */
    struct px_fenced *fenced;    /* what it has behind it now, */
    struct px_fenced *before[2]; /* and had at its last fences; NULL: nothing */
    struct px_fenced *looked;    /* what the last address that it read had of that */
    struct px_phase *phase;      /* that it waits in; NULL: none */
    struct px_pending *pending;
    uint32_t npending, pending_cap;
    struct px_groups {
        uint32_t n; /* committed */
        struct px_waited *waited;
        uint32_t nwaited, waited_cap;
    } groups[2];                 /* of copies; of products (wgmma) */
    struct px_knowledge proxied; /* what wgmma may read: known at its last proxy fence. threads 0: none */
    struct px_released *seen;    /* the list of the last acquire, */
    uint32_t seen_n;             /* and how much of it was learned, */
    bool seen_wide;              /* in which scope */
    struct px_bits written;      /* of its local memory */
};

/* What was released to an address, oldest first. Only grows; a plain release begins another list. */
struct px_release {
    struct px_knowledge knows;
    struct px_fenced *fenced;
    bool wide; /* scope .gpu or .sys: for other blocks, too */
    bool many; /* what several threads knew: the thread and clock do not stand for all of it */
};
struct px_released {
    uint32_t refs, n, cap;
    struct px_release *at;
};

/* An address to which somebody released. */
struct px_sync_at {
    struct px_sync_at *next;
    uint64_t address;
    struct px_released *list; /* NULL: nothing that counts */
    struct px_fenced *fenced; /* of who wrote it; NULL: nothing */
};
enum { PX_SYNC_BUCKETS = 256 };
struct px_syncs {
    struct px_sync_at *bucket[PX_SYNC_BUCKETS];
};

/* Lanes of one warp that stand at one barrier, and which missing ones have done something since. */
struct px_warp_at {
    uint32_t place, first, here, alive; /* place and thread of who came first */
};

/* Shared memory that two threads wrote at once. */
struct px_raced {
    uint64_t address;
    struct px_found *found;
};
struct px_raced_list {
    struct px_raced *at;
    uint32_t n, cap;
};

/* What the threads of a warp know of their block, as of a number of changes. */
struct px_warp_now {
    uint64_t changes;
    uint32_t clock, floor;
    bool alike; /* all of them know that */
};

struct px_blk {
    struct px_blk *next; /* in a bucket of live ones */
    uint64_t changes;    /* of what its threads know, from 1 */
    struct px_warp_now now[PX_WARPS_MOST];
    uint32_t id; /* index of px_san.block */
    uint64_t grid;
    uint32_t cta[3];
    uint32_t nthreads;
    uint32_t clock; /* the greatest of its threads */
    struct px_thread *thread;
    struct px_phase *barrier[PX_SAN_BARRIERS]; /* open ones */
    struct px_phase *warps;                    /* open ones of bar.warp.sync */
    struct px_warp_at *at;                     /* by barrier and warp; NULL: nobody has come to one */
    bool acquired;    /* somebody learned of others by an acquire: then proxies are not checked */
    uint32_t waiting; /* warps some of whose threads stand at one, a bit each */
    struct px_shadow shared;
    struct px_bits written; /* of its shared memory */
    struct px_syncs syncs;
    struct px_raced_list raced; /* and nobody has read it since */
};

/* A block for messages, and the grid that it is of. */
struct px_blk_name {
    uint64_t grid;
    uint32_t cta[3], shape[3]; /* shape: of the block */
};

/* How much of each chain of works comes before. */
struct px_known_works {
    uint32_t *seq, n, cap;
};
struct px_work {
    uint32_t chain, seq; /* seq 0: in none yet */
    bool overlaps;       /* it may begin before the end of what it follows */
    struct px_known_works knows;
};
struct px_works {
    struct px_work *at; /* of the numbers from `first` on */
    uint64_t first;
    uint32_t n, cap;
    uint32_t *tail, nchains, chains_cap; /* the last of each chain */
    struct px_known_works host;
};
enum px_works_order { PX_WORKS_BEFORE, PX_WORKS_SAME, PX_WORKS_APART, PX_WORKS_UNKNOWN };

/* A grid under way. An `era` ends when a grid begins that one of its kernels launched. */
struct px_grd {
    uint64_t id, parent;
    uint64_t work; /* that it is part of; 0: unknown */
    uint32_t next; /* in its bucket, plus 1; 0: none */
    uint32_t block[3];
    bool ended;
    struct px_phase *phase;   /* of its barrier, by calls; NULL: none */
    uint32_t era, parent_era; /* its own; that of its parent when it began */
};

/* An access of a warp in one epoch. */
struct px_side {
    uint32_t place, block, clock, era;
    uint32_t group; /* of an asynchronous copy */
    uint16_t warp;
    uint8_t how;   /* PTX_TRACE_ */
    uint8_t bytes; /* 255: more */
    uint8_t order, scope;
};
/* The side number times 32, and the lane. */
typedef uint32_t px_side_id;

enum { PX_PLACE_SIDES = 32 };
struct px_san_place {
    uint32_t next;      /* of the same bucket, plus 1; 0: none */
    ptx_trace_place is; /* strings are the place's own, */
    char *text;         /* in this */
    size_t text_bytes;
    px_side_id last[PX_PLACE_SIDES]; /* sides made last, by warp; 0: none */
};
/* Which place an object of the engine's is. */
struct px_place_key {
    const ptx_trace_place *at;
    uint32_t place; /* plus 1; 0: empty */
};

struct px_found {
    struct px_found *next; /* of the same bucket */
    ptx_check_kind kind;
    uint32_t place[2];                                                    /* PX_NO_PLACE: the host's */
    bool mild;                                                            /* a warning */
    enum px_mild { PX_MILD_VALUES, PX_MILD_UNREAD, PX_MILD_RELAXED } why; /* of races */
    bool shared, global;                                                  /* what the address is of */
    uint64_t address, count;
    uint64_t base, size; /* of the allocation that it is about; size 0: none. Of leaks all bytes */
    ptx_trace_owner owner;
    struct px_maker made, freed, here; /* of it; here: who does it, where there is no side */
    uint64_t bytes;                    /* of HOST_READ */
    uint32_t place_in[3];              /* the thread, of faults and frees by kernels */
    char where[100];                   /* the variable: "'tile' + 12"; "" */
    char text[240];                    /* of a fault */
    struct px_side side[2];
    struct px_blk_name block[2];
    uint32_t thread[2];
    enum px_apart { PX_APART_SELF, PX_APART_WARP, PX_APART_BLOCK, PX_APART_GRID, PX_APART_GRIDS } apart;
    bool async, scopes; /* a copy that nobody waited for; both are strong, and out of scope */
};
enum { PX_FOUND_BUCKETS = 256, PX_PLACE_KEYS = 1024, PX_LIVE_BUCKETS = 64, PX_GRID_BUCKETS = 256 };

struct px_san {
    ptx_allocator alloc;
    struct px_san_next next;
    px_san_where_fn where;
    struct px_clocks clocks; /* with `alloc` */
    pthread_mutex_t lock;
    unsigned checks;
    struct px_blk *live[PX_LIVE_BUCKETS], *current;
    struct px_thread *spare; /* threads of a block that ended, */
    uint32_t nspare;         /* and how many */
    struct px_blk_name *block;
    uint32_t nblocks, blocks_cap;
    struct px_grd *grid;
    uint32_t ngrids, grids_cap, under_way;
    struct px_shadow global;
    struct px_syncs syncs;
    struct px_side *side;
    uint32_t nsides, sides_cap;
    struct px_san_place *place;
    uint32_t nplaces, places_cap;
    uint32_t bucket[PX_PLACE_KEYS]; /* of places by line and column: the first, plus 1 */
    struct px_place_key key[PX_PLACE_KEYS];
    struct px_found *found[PX_FOUND_BUCKETS];
    uint32_t nfound;
    uint32_t grids[PX_GRID_BUCKETS]; /* by number: the newest, plus 1 */
    struct px_works works;
    struct px_memories memory;
    struct px_stack *stack;
    uint32_t nstacks, stacks_cap;
    bool foreign; /* others may write to the device's memory, unheard */
    char *text;   /* of what was told last */
    size_t text_bytes;
};

/* Makes room for one more element. False: there is no memory. */
bool px_san_room(struct px_san *san, void *list, uint32_t n, uint32_t *cap, size_t bytes);

/* san.c: the block of an event; NULL: there is no memory. */
struct px_blk *px_san_block(struct px_san *san, uint64_t grid, const unsigned cta[3], unsigned nthreads);
/* Did all of grid `of` happen before what `block` does now? `era`: of `of`, when it did what is asked about.
 */
bool px_grid_before(struct px_san *san, uint64_t of, uint32_t era, uint64_t grid);
struct px_grd *px_san_grid(struct px_san *san, uint64_t id);

/* fenced.c */
struct px_fenced *px_fenced_share(struct px_fenced *f); /* NULL is allowed here and below */
void px_fenced_drop(struct px_clocks *c, struct px_fenced *f);
/* `to`, of a block, comes behind `from`. */
void px_fenced_join(struct px_clocks *c, struct px_fenced **to, struct px_fenced *from, uint32_t block);
/* `to` reads what was written behind `from`; wide: each in the scope of the other, from any block. */
void px_fenced_observe(struct px_clocks *c, struct px_fenced **to, const struct px_fenced *from,
                       uint32_t block, bool wide);
/* It was written for the own block alone. */
void px_fenced_narrow(struct px_clocks *c, struct px_fenced **f);
/* A thread that knows `knows` writes it by a relaxed write. */
void px_fenced_tell(struct px_clocks *c, struct px_fenced **f, const struct px_knowledge *knows);
/* A thread that knows `knows` executes a fence.sc. Whether it learned something. */
bool px_fenced_fence(struct px_clocks *c, struct px_fenced **f, struct px_knowledge *knows, bool wide);

/* order.c: what orders accesses. */
void px_order_event(struct px_san *san, struct px_blk *b, const ptx_trace_event *e);
/* A strong access (or a weak write) of a thread to an address where somebody may have released. */
void px_order_access(struct px_san *san, struct px_blk *b, const ptx_trace_access *a, const ptx_trace_lane *l,
                     struct px_page *page);
void px_order_grid_end(struct px_san *san, struct px_grd *g);
/* The thread's copies are complete for whoever learns of its epoch. */
void px_order_copies(struct px_san *san, struct px_blk *b, uint32_t thread);
/* Forgets the block's threads, phases and releases. */
void px_order_end(struct px_san *san, struct px_blk *b);
void px_syncs_clear(struct px_clocks *c, struct px_syncs *syncs);
/* Does the side, of lane `lane`, happen before what the thread does now? */
bool px_order_before(struct px_san *san, const struct px_blk *b, uint32_t thread, const struct px_side *side,
                     uint32_t lane);
/* It would, if relaxed writes of global memory and their reads ordered. */
bool px_order_relaxed(const struct px_blk *b, uint32_t thread, const struct px_side *side, uint32_t lane);
/* The side happens before what the thread's wgmma reads: has that a proxy fence between? What cp.async wrote
 * needs none: compilers put none behind their waits for it. */
bool px_order_proxied(const struct px_blk *b, uint32_t thread, const struct px_side *side, uint32_t lane);

/* sync.c */
void px_sync_event(struct px_san *san, struct px_blk *b, const ptx_trace_event *e); /* before order.c */
/* A thread of a warp that is waiting (px_blk.waiting) does something. */
void px_sync_alive(struct px_blk *b, uint32_t thread);
void px_sync_end(struct px_san *san, struct px_blk *b);

/* race.c */
void px_race_end(struct px_san *san, struct px_blk *b);
void px_race_access(struct px_san *san, struct px_blk *b, const ptx_trace_access *a);

/* memory.c: the allocation that holds the address; NULL: there is none. */
struct px_memory *px_memory_at(struct px_san *san, uint64_t address);
/* What was not freed, when that is checked: a list of *n of the caller's. NULL: nothing, or no memory. */
struct px_found *px_leaks(struct px_san *san, uint32_t *n);
void px_memory_end(struct px_san *san);

/* stack.c: who of the host calls; 0: unknown. */
uint32_t px_stack_here(struct px_san *san);
/* "f+0x12 (prog) <- main+0x30 (prog)"; "" for 0. */
void px_stack_text(const struct px_san *san, uint32_t number, char *buf, size_t size);

/* memory.c: does the grid use what is allocated in stream order before that? */
void px_memory_access(struct px_san *san, const struct px_blk *b, const ptx_trace_access *a);

/* work.c: AFTER, HOST_WAITED */
void px_work_event(struct px_san *san, const ptx_trace_memory *e);
/* Does the host know that all is over, or is it too much to remember? */
bool px_works_known(const struct px_san *san);
enum px_works_order px_works_order(struct px_san *san, uint64_t first, uint64_t second);
void px_works_forget(struct px_san *san);
void px_works_end(struct px_san *san);

/* san.c: forgets what is behind everything that comes, when that is all. */
void px_san_tidy(struct px_san *san);

/* init.c */
void px_init_access(struct px_san *san, struct px_blk *b, const ptx_trace_access *a);
void px_init_copy(struct px_san *san, const ptx_trace_memory *e);
void px_init_end(struct px_san *san, struct px_blk *b);
void px_bits_free(struct px_san *san, struct px_bits *bits);

/* found.c */
/* Of a place that lives no longer than the call. */
uint32_t px_san_place_new(struct px_san *san, const ptx_trace_place *at);
/* Fills in the variable and the allocation that its address lies in. NULL: nothing happens. */
void px_found_where(struct px_san *san, struct px_found *f, const ptx_trace_access *a);
/* The allocation alone. */
void px_found_memory(struct px_san *san, struct px_found *f);
uint32_t px_san_place_of(struct px_san *san, const ptx_trace_place *at);
/* The finding, where this one is its example now; NULL: it is one more of a known one, or there is no memory.
 */
struct px_found *px_found_add(struct px_san *san, const struct px_found *found);
/* The one that it is an example of; NULL: none. */
struct px_found *px_found_known(struct px_san *san, const struct px_found *found);
void px_found_free(struct px_san *san);

#endif
