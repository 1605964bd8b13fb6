/*
 * sched.h - CTAs to workers.
 *
 * A device has one scheduler. A launch puts its grid in the queue and the
 * calling thread becomes worker 0; helper threads join when the work turns out
 * to be worth a wake-up. Workers take CTA numbers from the deepest queued grid
 * in chunks, run each CTA until it ends, and put aside those that wait or have
 * spent their slice. Everything but the CTA numbers themselves is done under
 * one lock, which also orders memory between a launch and what it launched.
 */
#ifndef PX_VM_SCHED_H
#define PX_VM_SCHED_H

#include <pthread.h>
#include "gang/cta.h"

/* Why a launch has to stop; the value of px_sched.stop. */
enum px_stop {
    PX_STOP_NONE,
    PX_STOP_FAULT,
    PX_STOP_DEADLOCK,
    PX_STOP_STEPS,
    PX_STOP_TIMEOUT,
    PX_STOP_INTERRUPT,
    PX_STOP_MEMORY,
    PX_STOP_OUTPUT,
    PX_STOP_HOST
};

enum { PX_SCHED_LEVELS = 64 }; /* nesting depths told apart in the queue; deeper ones share the last */

/* A CTA that is not running: it waits, it spent its slice, or it is kept for the report of a failure. */
struct px_parked {
    struct px_parked *next;
    struct px_cta *cta;
    struct px_grid *grid;
    uint64_t number; /* of the CTA */
    uint64_t round;  /* of the scheduler when it was put aside */
    const char *why; /* for the report; NULL when its entries tell */
};

struct px_parked_list {
    struct px_parked *first, *last;
};

struct px_grid_list {
    struct px_grid *first, *last;
};

/* A worker and what the scheduler knows of it. */
struct px_helper {
    struct px_worker worker; /* first: px_worker_look finds the helper by it */
    struct px_sched *sched;
    pthread_t thread;
    uint64_t epoch;       /* the launch it joined last */
    uint32_t slot;        /* owner number for its next CTA; 0: none taken */
    struct px_grid *grid; /* its chunk: CTAs [next, end) of grid */
    uint64_t next, end;
    uint64_t ended;                    /* CTAs of grid that ended and were not reported yet */
    uint64_t told_threads, told_warps; /* instructions already added to the totals */
};

struct px_sched {
    ptx_allocator alloc;
    const struct px_runtime *runtime; /* vm/device.h */
    pthread_mutex_t lock;
    pthread_cond_t door; /* helpers outside a launch wait here */
    pthread_cond_t wake; /* there is something to do, or the launch is over */
    pthread_cond_t rest; /* the caller waits here for the last helper to leave */
    atomic_int stop;     /* enum px_stop; workers leave at their next branch */
    atomic_uint wakes;   /* calls of px_sched_wake: one may come between a CTA's last look and its parking */

    struct px_helper *helpers; /* [0] is the calling thread */
    uint32_t nhelpers;         /* configured */
    uint32_t nthreads;         /* that exist, without the caller */
    uint32_t inside, idle;     /* workers in the launch; those of them that wait for work */
    atomic_bool open;          /* helpers may join */
    bool quit;                 /* the device is going away */
    uint64_t epoch;            /* number of the launch */

    struct px_grid_list queue[PX_SCHED_LEVELS]; /* grids with CTAs to hand out, by depth */
    uint64_t levels;                            /* bit i: queue[i] is not empty */
    struct px_parked_list ready, blocked, kept;
    struct px_parked *spare;
    uint32_t nready;
    uint64_t round, may_start; /* rotation of CTAs that spend their slices; see pick() */
    uint32_t chunk;            /* CTAs to hand out at once */
    struct px_grid *grids;     /* all of the launch, newest first */
    struct px_grid *root;
    bool root_done;
    uint64_t next_grid_id;
    uint32_t next_slot, *free_slots, nfree_slots, cap_slots;

    struct px_trap trap; /* the first; valid when stop is PX_STOP_FAULT */
    uint64_t max_steps, timeout_ns, started_ns;
    atomic_uint_fast64_t ctas_done, ctas_total, grids_done, grids_total, threads, warps;
    atomic_uint max_depth;
};

bool px_sched_init(struct px_sched *sched, struct ptx_device *device, uint32_t workers);
void px_sched_free(struct px_sched *sched);

/* Runs `root` and all that it launches. The calling thread is worker 0. `root` is freed by px_sched_clean. */
enum px_stop px_sched_run(struct px_sched *sched, struct px_grid *root);
/* Asks the launch to stop; the first reason counts. Any thread. */
void px_sched_stop(struct px_sched *sched, enum px_stop why);
/* For work that takes long inside one call: is the launch to stop? Costs a look at the clock. Any thread. */
bool px_sched_due(struct px_sched *sched);
/* Frees what workers keep of the last launch (code is about to go). */
void px_sched_forget(struct px_sched *sched);
/* After px_sched_run: a line for each place where a live CTA stands (`say` as in px_cta_describe). */
void px_sched_report(struct px_sched *sched, bool (*say)(void *user, const char *line), void *user);
void px_sched_clean(struct px_sched *sched);

/* ---- for the device runtime; the lock is held ---- */

void px_sched_lock(struct px_sched *sched);
void px_sched_unlock(struct px_sched *sched);
/* Makes a grid known to the launch; `parent` is NULL for the root. */
void px_sched_adopt(struct px_sched *sched, struct px_grid *parent, struct px_grid *grid);
/* From now on the parent is not complete before `grid` is. */
void px_sched_count(struct px_grid *grid);
/* Its CTAs may run now. */
void px_sched_enqueue(struct px_sched *sched, struct px_grid *grid);
/* CTAs of `grid` numbered `number` that wait may be asked again; a NULL grid means every one. */
void px_sched_wake(struct px_sched *sched, const struct px_grid *grid, uint64_t number);
/* Something that `grid` waited for is over; completes it, and its ancestors, when that was the last. */
void px_sched_finish(struct px_sched *sched, struct px_grid *grid);

#endif
