/*
 * cta.h - one CTA as a heap object that can be run, parked and run again.
 *
 * Everything a CTA is (gangs, register rows, scalars, divergence entries,
 * frames, shared and local memory, barrier arrivals) hangs off struct px_cta;
 * no host stack holds any of it. px_cta_run executes until the CTA ends, nothing
 * of it can go on, or its slice is spent.
 */
#ifndef PX_GANG_CTA_H
#define PX_GANG_CTA_H

#include "gang/grid.h"
#include "gang/lanes.h"
#include "ptxvm.h"

struct px_cta;

/* Where a narrowed loop runs (vm/run/forks.h), which lanes its lanes are elsewhere, and where those stand
 * that have left it. */
enum { PX_NARROW_LEFT = 4 };
struct px_left {
    uint32_t pc;
    struct px_lanes lanes;
};
/* Where the lanes of each warp end, which stand in their order, and where those begin again that a word of
 * bits cuts in two. */
struct px_warp_ends {
    struct px_lanes last,
        again, /* a bit at its last lane in a word; at the last one of a part that goes on */
        goes;  /* bit 63, of a part that goes on in the next word */
    uint16_t first[PX_LANES_MAX / 32 + 1]; /* where each warp of the gang begins; how many lanes there are */
};
struct px_narrow {
    uint8_t *room;
    size_t bytes;
    uint8_t lane[256];
    uint32_t nleft;
    struct px_left left[PX_NARROW_LEFT];
    struct px_warp_ends ends; /* while instructions are counted */
};

/* What a worker thread owns. One per thread, reused for CTA after CTA. */
struct px_worker {
    struct ptx_device *device;
    uint32_t index;
    struct px_cta *spare;         /* a finished CTA object to reuse, or NULL */
    uint64_t thread_instructions; /* executed on this worker since the launch began */
    uint64_t warp_instructions;
    uint32_t fp_mode;         /* MXCSR state now in force (ops/float.h) */
    atomic_int *stop;         /* nonzero: leave at the next branch */
    struct px_private *pages; /* reductions not yet performed (ops/private.h); NULL until there are some */
    struct px_narrow narrow;
    struct px_tally *tally;         /* counters of the code that runs (gang/tally.h); NULL: nobody counts */
    uint64_t regions_entered;       /* loops that were run as machine code (gang/region.h) */
    uint64_t look_at;               /* px_worker_look is due when warp_instructions are as many */
    ptx_trace_fn trace;             /* hear of accesses to memory, and of what orders them, */
    ptx_trace_event_fn trace_event; /* as ptx_device_config says; both or none are set */
    void *trace_user;
    ptx_trace_rows_fn trace_rows; /* NULL: nobody */
    /* hears of writes past an allocation, which PTX_UB_CHIP lets pass; NULL: nobody does */
    void (*past)(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t va, uint32_t size);
    /* Hears of an access that has set the block's trap. True: it is none, and leads to `nowhere`. NULL:
     * nobody does. */
    bool (*faulty)(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint32_t size);
    uint8_t nowhere[64 + 31]; /* from its first multiple of 32 on: allocators align to 16 */
};

/* sched.c: tells the launch what was executed, and stops it when a limit is reached. Costs a look at the
 * clock. */
void px_worker_look(struct px_worker *worker);

enum px_cta_status {
    PX_CTA_DONE,    /* every thread has exited */
    PX_CTA_SLICE,   /* slice spent; can go on at once */
    PX_CTA_BLOCKED, /* every live entry waits for something outside the unit (a call, the grid) */
    PX_CTA_STUCK,   /* every live entry waits for another of the same unit: deadlock */
    PX_CTA_TRAPPED, /* cta's trap is set */
    PX_CTA_STOPPED  /* *stop was set */
};

/*
 * These functions take a unit: a CTA, or the object of a cluster's first one, which stands for all of them.
 *
 * Makes unit number `number` (x fastest) of `grid`, ready to run. `slot` is the
 * owner number of its windows (mem.h), unique among live units of the device.
 * NULL when out of memory, or when the launch is to stop.
 */
struct px_cta *px_cta_create(struct px_worker *worker, struct px_grid *grid, uint64_t number, uint32_t slot);
/* Makes of a unit that has ended unit `number` of the same grid, with its slot. False: out of memory, or the
 * launch is to stop; then it is to be destroyed. */
bool px_cta_again(struct px_cta *cta, uint64_t number);
/* The host's floating-point mode is PX_FP_HOME (fpmode.h), as worker->fp_mode says. */
enum px_cta_status px_cta_run(struct px_cta *cta, struct px_worker *worker, uint64_t slice);
void px_cta_destroy(struct px_worker *worker, struct px_cta *cta);
void px_cta_drop_spare(struct px_worker *worker); /* its code is about to go */

uint32_t px_cta_slot(const struct px_cta *cta);
/* CTAs of the unit that have not executed griddepcontrol.launch_dependents. */
uint32_t px_cta_untold(struct px_cta *cta);
const struct px_trap *px_cta_trap(struct px_cta *cta);
/*
 * Says where every live entry stands: "  block (1,0,0) threads 0-31: wait at barrier 0, k x.ptx:17 (x.cu:5)".
 * Asks with NULL before each line; false: it is not wanted.
 */
void px_cta_describe(struct px_cta *cta, bool (*say)(void *user, const char *line), void *user);

#endif
