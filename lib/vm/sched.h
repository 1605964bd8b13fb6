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
#include "vm/cta.h"

/* Why a launch has to stop; the value of px_sched.stop. */
enum px_stop {
    PX_STOP_NONE,
    PX_STOP_FAULT,
    PX_STOP_DEADLOCK,
    PX_STOP_STEPS,
    PX_STOP_TIMEOUT,
    PX_STOP_INTERRUPT,
    PX_STOP_MEMORY
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

struct px_parked_list { struct px_parked *first, *last; };

struct px_grid_list { struct px_grid *first, *last; };

/* A worker and what the scheduler knows of it. */
struct px_helper {
    struct px_worker worker;
    struct px_sched *sched;
    pthread_t thread;
    uint32_t slot;           /* owner number for the next CTA; 0: none taken */
    uint64_t told_threads, told_warps; /* instructions already added to the totals */
};

struct px_sched {
    ptx_allocator alloc;
    const struct px_runtime *runtime; /* vm/device.h */
    struct ptx_device *device;
    pthread_mutex_t lock;
    pthread_cond_t wake;     /* helpers and waiting workers */
    pthread_cond_t rest;     /* the caller, when the last helper leaves */
    atomic_int stop;         /* enum px_stop; workers leave at their next branch */
    atomic_bool busy;        /* something is queued or ready: workers look before they sleep */

    struct px_helper *helpers; /* [0] is the calling thread */
    uint32_t nhelpers;         /* configured */
    uint32_t nthreads;         /* threads that exist, without the caller */
    uint32_t inside;           /* workers in the launch */
    uint32_t running;          /* workers that hold a CTA or look for one */
    bool open;                 /* helpers may join */
    bool quit;                 /* device is going away */
    uint64_t epoch;            /* of the launch; a helper joins each once */

    struct px_grid_list queue[PX_SCHED_LEVELS]; /* grids with CTAs to hand out */
    uint64_t levels;                            /* bit i: queue[i] is not empty */
    struct px_parked_list ready, blocked, kept;
    uint32_t nready, nblocked;
    uint64_t round, may_start; /* rotation of CTAs that spend their slices; see sched.c */
    uint32_t live, residency;  /* CTAs that exist, and how many may */
    struct px_grid *grids;     /* all of the launch, newest first */
    struct px_grid *root;
    bool root_done;
    uint64_t next_grid_id;
    struct px_parked *spare;
    uint32_t next_slot, *free_slots, nfree_slots, cap_slots;

    struct px_trap trap;       /* the first; valid when stop is PX_STOP_FAULT */
    uint64_t max_steps, deadline_ns, started_ns;
    atomic_uint_fast64_t ctas_done, ctas_total, grids_done, grids_total, threads, warps;
    atomic_uint max_depth;
};

bool px_sched_init(struct px_sched *sched, const ptx_allocator *alloc, uint32_t workers);
void px_sched_free(struct px_sched *sched);

/* Runs `root` and all that it launches. The calling thread is worker 0. */
enum px_stop px_sched_run(struct px_sched *sched, struct px_grid *root);
/* After px_sched_run: a line for each place where a live CTA stands, then frees what the launch left. */
void px_sched_report(struct px_sched *sched, void (*say)(void *user, const char *line), void *user);
void px_sched_clean(struct px_sched *sched);

/* ---- for the device runtime; the lock is held ---- */

void px_sched_lock(struct px_sched *sched);
void px_sched_unlock(struct px_sched *sched);
/* Makes a grid known to the launch as a child of `parent` (whose completion it delays when `counts`). */
void px_sched_adopt(struct px_sched *sched, struct px_grid *parent, struct px_grid *grid, bool counts);
/* Its CTAs may run now. */
void px_sched_enqueue(struct px_sched *sched, struct px_grid *grid);
/* CTAs of `grid` numbered `number` that wait may be asked again; a NULL grid means every one. */
void px_sched_wake(struct px_sched *sched, const struct px_grid *grid, uint64_t number);
/* One unit of what `grid` waits for is over; completes it, and its ancestors, when that was the last. */
void px_sched_finish(struct px_sched *sched, struct px_grid *grid);

#endif
