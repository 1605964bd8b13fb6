/*
 * gang.h - a CTA while it lives: gangs of lanes, their frames and their
 * divergence entries.
 *
 * A gang is up to 256 threads of one CTA that are run together. Where its lanes
 * are is a set of entries {frame, pc, mask} (entries.h).
 *
 * A frame is one activation of a function for the lanes that called it
 * together; it owns the register rows. Nothing here points into a host stack,
 * so a CTA can be left at any step and resumed by any worker, while the
 * registers of its lanes stay where they are.
 */
#ifndef PX_GANG_GANG_H
#define PX_GANG_GANG_H

#include <string.h>
#include "gang/record.h"
#include "gang/async.h"
#include "gang/cta.h"
#include "gang/entries.h"
#include "gang/wide.h"
#include "mem/mem.h"

enum { PX_BARRIERS = 16, PX_WARPS_MAX = 32 };

/*
 * Which of the gang's segments an access may remember: addresses of different spaces overlap. Device memory,
 * or what may be in it, comes before the others. A segment may be emptied between any two records
 * (ops/private.h): nothing keeps what one says.
 */
enum {
    PX_SLOT_GLOBAL = 0,  /* seven */
    PX_SLOT_GENERIC = 7, /* five */
    PX_SLOT_SHARED = 12,
    PX_SLOT_CLUSTER,
    PX_SLOT_CONST,
    PX_SLOT_PARAM,
    PX_SLOT_LOCAL,   /* never filled: local memory has no flat extent */
    PX_SLOT_PRIVATE, /* two, of reductions that may be pending */
    PX_EXTENTS = PX_SLOT_PRIVATE + 2
};

/* One activation. `live` are lanes that entered and have neither returned nor exited. */
struct px_frame {
    struct px_frame *parent; /* NULL for the kernel; next in a free list */
    const struct px_fcode *code;
    const struct px_call_site *site; /* in the parent's code */
    uint32_t ret_pc;                 /* in the parent */
    uint32_t depth;                  /* 0 for the kernel */
    uint64_t rank;                   /* deeper frames come first, then older ones; see PX_FRAME_RANK */
    uint64_t local_top;              /* first byte of local memory behind this frame's variables */
    uint64_t grid;                   /* px_grid.id of which it holds the terms; 0: of none */
    bool rows;       /* registers that convergent code keeps as scalars lie in their rows now */
    bool whole_mask; /* the mask row is that of all lanes of the gang */
    struct px_lanes live;
    uint8_t *base; /* 64-byte aligned, code->frame_bytes */
    size_t bytes;  /* of the allocation that holds this struct */
};

/* A range of addresses that the gang touched before: va in [lo, lo+len) is host + (va - lo). The
 * last load of it that had PX_LOAD_ONCE read from `last` on (of the host). */
struct px_seg {
    uint64_t lo, len;
    uint8_t *host;
    uint64_t last;
};

/* Operands and results of a .sync operation that waits for lanes elsewhere, one set a lane. */
struct px_sync {
    uint64_t a, d;
    uint32_t b, c, member, key;
    uint32_t p;
    uint32_t waiting;
};

/* One lane inside an extern function. */
struct px_ext_state {
    uint64_t state;
    bool done;
};

/* What a bar.red of the gang found, kept until its lanes have read it. */
struct px_red {
    uint32_t popc;
    bool all, any;
};

enum px_bar_kind { PX_BAR_SYNC, PX_BAR_ARRIVE, PX_BAR_POPC, PX_BAR_AND, PX_BAR_OR };

struct px_gang {
    uint8_t *frame;         /* base of the running frame */
    uint32_t n;             /* lanes that handlers run, a multiple of 32; */
    uint32_t width;         /* lanes of a row: the same but while a loop runs narrowed (vm/run/forks.h) */
    bool shortens;          /* n may be less than width where the last lanes are elsewhere */
    bool tiles;             /* surveys look for tiles */
    bool prefetch;          /* see px_survey.stride */
    bool unbounded;         /* segments of global memory do not end where allocations do (px_mem.host_mode) */
    bool forked;            /* both ways of a fork run, one after the other */
    bool narrow;            /* a loop runs narrowed: lanes are not where they are elsewhere */
    uint32_t nactive;       /* lanes of `active` */
    struct px_lanes active; /* lanes of the running entry; equal to the mask row */
    bool full;              /* every lane of the row is active */
    bool resume;            /* see px_entry.resume */
    uint32_t merge_pc;      /* lowest pc at which another entry of the running frame waits */
    struct px_lanes taken;  /* PX_STEP_SPLIT: lanes that branch */
    struct px_seg seg[PX_EXTENTS];
    struct px_cta *cta;
    struct px_worker *worker;
    const struct px_level *level;
    struct px_frame *running;  /* whose base is `frame` */
    uint32_t first;            /* linear number of lane 0's thread */
    struct px_lanes all;       /* lanes that exist, */
    uint32_t count, span;      /* how many, and `n` while all of them run, */
    struct px_lanes live;      /* and those that have not exited */
    struct px_frame *root;     /* the kernel's frame while no lane is in it; NULL: there is none yet */
    struct px_entries entries; /* where the lanes are */
    uint64_t frames;           /* that were ever pushed */
    uint8_t *local;            /* word-interleaved: word w of lane i at (w*n + i)*4 */
    uint64_t local_bytes;      /* a lane */
    uint32_t *tid[3];          /* a row each */
    struct px_red red[PX_BARRIERS];
    struct px_sync *sync;     /* n of them; NULL until needed */
    struct px_ext_state *ext; /* n of them; NULL until needed */
    struct px_async *async;   /* asynchronous copies; NULL until there are some */
    struct px_lanes expired;  /* lanes whose try_wait has waited as long as it may */
    struct px_lanes came;     /* to the cluster's barrier, which has not opened since */
};

struct px_barrier {
    uint32_t waiting[PX_WARPS_MAX]; /* lanes of each warp that have come */
    uint32_t arrived;               /* warps that have come */
    uint32_t expected;              /* threads; 0: all warps of the CTA */
    uint32_t popc;                  /* of .red, over the lanes that came */
    bool all, any;
    uint32_t comers; /* entries that came to a .red */
};

/* What the segments of a CTA's gangs depend on. */
struct px_known {
    uint64_t grid, stamp; /* px_grid.id; px_mem_stamp */
    uint32_t slot;
};

/* Threads of a CTA that come to the grid's barrier by a call (vm/sched/cooperative.h). */
struct px_meeting {
    uint32_t came;  /* and wait for the rest of the CTA */
    uint32_t word;  /* the barrier's, before the CTA came there last */
    uint64_t times; /* that it came */
};

struct px_cta {
    struct px_grid *grid;
    const struct px_code *code;
    struct px_cluster *cluster; /* gang/cluster.h; NULL: it is run alone */
    uint32_t rank;              /* in its cluster */
    uint64_t number, unit;      /* in the grid; of what the scheduler hands out */
    uint32_t slot;
    uint32_t local_owner; /* owner number of its local memory's window */
    uint32_t ctaid[3];
    uint32_t threads, ngangs;
    struct px_gang *gangs;
    uint32_t turn; /* gang to run first when the CTA goes on */
    struct px_known known;
    bool shortens, tiles, prefetch, unbounded; /* as its gangs say */
    bool keeps;                                /* segments are kept from block to block */
    struct px_uniform uniform;
    uint8_t *shared;
    uint32_t shared_bytes, shared_cap;
    struct px_barrier barrier[PX_BARRIERS]; /* all zero where nobody waits */
    uint32_t barriers_used;                 /* a bit each */
    struct px_meeting meeting;
    struct px_trap trap;
    int *last_error;                   /* of each thread; */
    bool errors;                       /* some may not be 0 */
    bool told;                         /* it has let dependents of the grid begin */
    bool traced;                       /* who hears of what orders accesses has heard of it */
    struct px_frame *spare;            /* of functions, to use again */
    uint64_t frame_bytes;              /* held by frames, spare ones included */
    struct px_async_when when;         /* asynchronous copies finish */
    uint64_t random;                   /* state of a random schedule; 0: the usual one */
    bool counted;                      /* clocks count what was executed (deterministic) */
    uint64_t clock;                    /* what %clock counts: instructions of this CTA */
    const struct ptx_allocator *alloc; /* the device's */
    struct px_wide *locks;             /* of accesses of 16 bytes; NULL: a move is one access */
};

/* ---- operands ---- */

#define PX_ROW(g, type, offset) ((type *)(void *)((g)->frame + (offset)))

static inline uint64_t px_address(const struct px_gang *g, const struct px_insn *in, uint32_t lane)
{
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    return px_space_address(in->space, a[in->flags & PX_INSN_SCALAR_A ? 0 : lane] + in->imm);
}
static inline uint32_t px_element(const struct px_gang *g, uint32_t offset, bool scalar, uint32_t lane)
{
    return PX_ROW(g, uint32_t, offset)[scalar ? 0 : lane];
}

/* Lanes of the running entry whose guard holds. */
static inline struct px_lanes px_gang_lanes(const struct px_gang *g, const struct px_insn *in)
{
    if (!in->m) return g->active;
    struct px_lanes m = {{0}};
    g->level->to_bits(PX_ROW(g, uint32_t, in->m), g->n, m.w);
    return px_lanes_and(m, g->active);
}

/*
 * For an instruction that aligned groups of `group` lanes (32 or 128, at most the gang's width) execute
 * together: may it run for all active lanes now? If not, its handler changes nothing and returns
 * PX_STEP_MEET; it is called again once groups are complete. Lanes that have exited are not waited for; their
 * place in a group stays empty.
 */
bool px_gang_met(struct px_gang *g, uint32_t group);

/* The divergent version, where lanes have parted before; else NULL. */
static inline const struct px_insn *px_fcode_div(const struct px_fcode *code)
{
    return atomic_load_explicit(&code->div, memory_order_acquire);
}

/* Sets the trap for `lane` and returns PX_STEP_TRAP. */
int px_gang_trap(struct px_gang *g, const struct px_insn *in, uint32_t lane, int error, uint64_t address,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
