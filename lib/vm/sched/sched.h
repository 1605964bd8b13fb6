/*
 * sched.h - CTAs to workers.
 *
 * A device has one scheduler. What the host launches is a run: a root grid and
 * every grid that it launches in turn, with limits, a reason to stop and a trap
 * of its own. Several runs may be under way; workers take turns among them.
 * A worker is a place for a thread: one that waits for its launch, or a helper
 * of the device, which exists once a launch turns out to be worth a wake-up or
 * was submitted without waiting. Workers take CTA numbers from a run's deepest
 * queued grid in chunks, run each CTA until it ends, and put aside those that
 * wait or have spent their slice. Everything but the CTA numbers themselves is
 * done under one lock, which also orders memory between a launch and what it
 * launched.
 */
#ifndef PX_VM_SCHED_SCHED_H
#define PX_VM_SCHED_SCHED_H

#include <pthread.h>
#include "base/alloc.h"
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
    PX_STOP_HOST,
    PX_STOP_LOST /* another run has marked the device */
};

enum { PX_SCHED_LEVELS = 64 }; /* nesting depths told apart in the queue; deeper ones share the last */

/* A unit (a CTA, or a cluster, gang/cluster.h) that is not running: it waits, it spent its slice, or it is
 * kept for the report of a failure. */
struct px_parked {
    struct px_parked *next;
    struct px_cta *cta;
    struct px_grid *grid;
    uint64_t number; /* of the unit */
    uint64_t round;  /* of the scheduler when it was put aside */
    const char *why; /* for the report; NULL when its entries tell */
};

struct px_parked_list {
    struct px_parked *first, *last;
};

struct px_grid_list {
    struct px_grid *first, *last;
};

/* Where a thread is that has come to the scheduler: at a place, where it runs CTAs, or waiting for one. */
enum px_where {
    PX_HELPER_WORKS,  /* a helper at a place */
    PX_HELPER_SLEEPS, /* it found nothing to do: at px_sched.wake */
    PX_CALLER_WORKS,  /* a thread of the host at a place */
    PX_CALLER_SLEEPS, /* at px_sched.wake */
    PX_CALLER_RESTS,  /* every place is taken: at px_sched.rest */
    PX_WHERE_COUNT
};

/* How helpers come. */
enum px_help {
    PX_HELP_ASKED, /* some may have been invited */
    PX_HELP_ALL,   /* all have */
    PX_HELP_LEFT,  /* one has left while something was under way, and none was invited since: news invite all
                    */
    PX_HELP_NEVER, /* none ever comes (deterministic) */
    PX_HELP_OVER   /* the device is going away: they end */
};

/* Who looks out for news for a moment before he sleeps. */
enum px_lookout {
    PX_LOOKOUT_NOBODY,
    PX_LOOKOUT_HELPERS, /* the run begun last is worth all of them */
    PX_LOOKOUT_ALL /* work that is not brief is submitted without waiting: those who wait for its end, too */
};

/* Lanes that wait until fewer launches are pending (lib/cdp). */
enum px_drain {
    PX_DRAIN_NONE,    /* no lane waits */
    PX_DRAIN_AWAITED, /* some do */
    PX_DRAIN_STUCK    /* nothing else could run: one of them gets an error */
};

/* A worker and what the scheduler knows of it. */
struct px_helper {
    struct px_worker worker; /* first: px_worker_look finds the helper by it */
    struct px_sched *sched;
    atomic_uintptr_t thread; /* who works here; 0: nobody */
    enum px_where where;     /* where he is */
    uint64_t forgot;         /* px_sched.forget when its spare was last looked at */
    uint32_t slot;           /* owner number for its next CTA; 0: none taken */
    struct px_run *run;      /* what it works on now */
    struct px_grid *grid;    /* its chunk: units [next, end) of grid */
    uint64_t next, end;
    uint64_t ended;                    /* units of grid that ended and were not reported yet, */
    uint64_t quiet;                    /* and CTAs of them that never let dependents begin */
    uint64_t told_threads, told_warps; /* instructions already added to the totals */
    uint64_t told_regions;             /* and loops entered as machine code */
    bool hasty;                        /* leaves what lasts longer than the first slice to others */
    char apart[PX_APART];              /* from the next place, another thread's */
};

/* A program that a kernel of another one found by the address of a function. */
struct px_guest {
    struct px_guest *next;
    struct ptx_program *program; /* counted */
};

/* What the host launched, while it runs. Guarded by the lock, but for the atomics. */
struct px_run {
    struct px_sched *sched;
    atomic_int stop;      /* enum px_stop; its workers leave at their next branch */
    atomic_bool called;   /* it has called an extern function */
    atomic_uint wakes;    /* calls of px_sched_wake: one may come between a CTA's last look and its parking */
    char apart[PX_APART]; /* all workers look at what stands before, all the time */
    bool used, root_done; /* not free; the root is complete */
    int priority;         /* higher ones go first */
    uint32_t busy;        /* workers that run something of it */
    struct px_grid *root, *grids;               /* all its grids, newest first */
    struct px_grid_list queue[PX_SCHED_LEVELS]; /* grids with CTAs to hand out, by depth */
    uint64_t levels;                            /* bit i: queue[i] is not empty */
    struct px_parked_list ready, blocked, kept;
    uint32_t nready;
    uint64_t round, may_start; /* rotation of CTAs that spend their slices; see pick_new */
    uint32_t chunk;            /* CTAs to hand out at once */
    bool vast;                 /* expected to be worth all helpers; nobody has told them yet */
    struct px_guest *guests;   /* under the device's lock while it runs */
    struct px_trap trap;       /* the first; valid when stop is PX_STOP_FAULT */
    uint64_t max_steps, timeout_ns;
    uint64_t started_ns;            /* with a time limit; else when it was first asked for, or 0 */
    atomic_uint_fast64_t warps;     /* instructions executed */
    uint64_t printed;               /* bytes of output; under the device's output_lock */
    uint32_t pending, events;       /* lib/cdp: launches not complete, events not destroyed, */
    uint32_t buffers;               /* parameter buffers not launched, */
    enum px_drain drain;            /* do lanes wait for `pending` to fall? */
    void *user;                     /* of who began it */
    struct px_run *before, *behind; /* in px_sched.active */
};

enum { PX_RUNS = 128 /* under way at once */ };
/* Launches of at most so many CTAs and warp-instructions are brief. */
enum { PX_BRIEF_CTAS = 4, PX_BRIEF_STEPS = 256 };
/* Launches of which so many warp-instructions are expected are worth waking all helpers at once. */
enum { PX_VAST_STEPS = 65536 };

struct px_sched {
    ptx_allocator alloc;
    const struct px_runtime *runtime; /* vm/device/device.h */
    pthread_mutex_t lock;
    pthread_cond_t door;  /* helpers that may not come in wait here */
    pthread_cond_t wake;  /* there is something to do, or something is over: workers wait here, */
    pthread_cond_t rest;  /* and here those who found every place taken */
    pthread_cond_t roomy; /* who submits waits here for room in the queue (task.c) */
    char apart[PX_APART];
    atomic_uint news; /* counts what may end a wait: many look at it again and again */
    char more[PX_APART];

    struct px_helper *helpers;   /* places */
    pthread_t *threads;          /* of helpers */
    uint32_t nhelpers;           /* configured */
    uint32_t nthreads;           /* that exist */
    uint32_t at[PX_WHERE_COUNT]; /* threads, by enum px_where */
    uint32_t invited;            /* helpers that may be at places */
    atomic_int help;             /* enum px_help */
    enum px_lookout lookout;
    uint64_t forget; /* counts programs that went */

    _Atomic(struct px_run *) runs[PX_RUNS]; /* made when first needed, and kept */
    struct px_run *active, *last;           /* those under way, by priority and turn */
    uint32_t nactive;
    uint32_t picks;  /* see choose */
    uint64_t random; /* state of a random schedule; 0: the usual one */
    bool shuffled;   /* there is one; never changes */
    struct px_parked *spare;
    struct px_grid *spare_grids; /* of children, to use again: launch.c */
    uint32_t nspare_grids;
    uint64_t next_grid_id;
    uint32_t next_slot, *free_slots, nfree_slots, cap_slots;

    /* Called when a run is over: no worker is at it, nothing of it waits. The lock is held. */
    void (*over)(struct px_run *run);
    /* Called now and then while `parked` is not 0, with the lock held. True: there is more to do now. */
    bool (*look)(struct px_sched *sched);
    uint32_t parked; /* what waits for values in memory, which nobody tells of */
    uint64_t nap_ns; /* between two looks of a thread that has nothing else to do: longer each time */
    /* Called when each CTA of its root has ended or let dependents begin. The lock is held. */
    void (*triggered)(struct px_run *run);
    void (*watch)(struct px_grid *grid, bool end); /* a grid may run now, or has ended; NULL: nobody asks */
    /* since the device was last idle */
    atomic_uint_fast64_t ctas_done, ctas_total, grids_done, grids_total, total_threads;
    atomic_uint max_depth;
    atomic_uint_fast64_t earlier_threads; /* total_threads of all times before */
    atomic_uint_fast64_t regions_made, regions_entered, regions_refused; /* see ptx_progress */
};

bool px_sched_init(struct px_sched *sched, struct ptx_device *device, uint32_t workers);
void px_sched_free(struct px_sched *sched);

/* Asks a run to stop; the first reason counts. Any thread. */
void px_run_stop(struct px_run *run, enum px_stop why);
/* The same for all that are under way. Any thread or signal handler. */
void px_sched_stop(struct px_sched *sched, enum px_stop why);
/* For work that takes long inside one call: is the run to stop? Costs a look at the clock. Any thread. */
bool px_sched_due(struct px_run *run);
/* The run that the calling thread works on; NULL when it is no worker. Any thread. */
struct px_run *px_sched_mine(struct px_sched *sched);
/* Is the calling thread at a place of the scheduler? Any thread. */
bool px_sched_is_worker(struct px_sched *sched);
/* Workers drop what they keep of earlier launches before they run anything else (code is about to go). */
void px_sched_forget(struct px_sched *sched);
/* Of a run that is over: a line for each place where a live CTA stands (`say` as in px_cta_describe). */
void px_run_report(struct px_run *run, bool (*say)(void *user, const char *line), void *user);
/* The last CTA of a root grid has let dependents begin. Any worker of its run. */
void px_sched_triggered(struct px_grid *grid);
/* Frees what is left of a run that is over. The lock is held. */
void px_run_clean(struct px_run *run);
void px_run_drop_guests(struct px_run *run); /* device.c */

/* ---- the lock is held ---- */

void px_sched_lock(struct px_sched *sched);
void px_sched_unlock(struct px_sched *sched);

/* Helpers at places. */
static inline uint32_t px_sched_helpers(const struct px_sched *sched)
{
    return sched->at[PX_HELPER_WORKS] + sched->at[PX_HELPER_SLEEPS];
}
/* Threads of the host at places. */
static inline uint32_t px_sched_callers(const struct px_sched *sched)
{
    return sched->at[PX_CALLER_WORKS] + sched->at[PX_CALLER_SLEEPS];
}
/* Does no helper ever come? */
static inline bool px_sched_is_alone(const struct px_sched *sched)
{
    return atomic_load_explicit(&sched->help, memory_order_relaxed) == PX_HELP_NEVER;
}

/* Begins a run of `root` in a place taken with px_run_take; whoever works runs it from now on. */
struct px_run *px_run_take(struct px_sched *sched); /* NULL: all are in use, or there is no memory */
void px_run_begin(struct px_run *run, struct px_grid *root);
void px_run_give(struct px_run *run); /* it may be used again */
/* Of a run that has just begun: each unit of its root is expected to execute so many warp-instructions. */
void px_run_expect(struct px_run *run, uint64_t steps);

/* Works, or waits, until done(user). */
void px_sched_until(struct px_sched *sched, bool (*done)(const void *user), const void *user);
/* Works until there is nothing that can be done at once, when no helper thread could; without helpers ever,
 * one turn: who asks again and again gets on, whatever the work waits for. */
void px_sched_pump(struct px_sched *sched);
/* A few turns, when there is a place: what has just been submitted is done then, if it is brief. */
void px_sched_hasten(struct px_sched *sched);
/* A helper may come, or all may. Make their threads when there are none. The second leaves the lock for a
 * moment. */
void px_sched_invite(struct px_sched *sched);
void px_sched_invite_all(struct px_sched *sched);
/* Something is over, or there is more to do: those who wait look again. */
void px_sched_news(struct px_sched *sched);

/* ---- for the device runtime; the lock is held ---- */

/* Makes a grid known to its run; `parent` is NULL for the root. */
void px_sched_adopt(struct px_run *run, struct px_grid *parent, struct px_grid *grid);
/* From now on the parent is not complete before `grid` is. */
void px_sched_count(struct px_grid *grid);
/* Its CTAs may run now. */
void px_sched_enqueue(struct px_grid *grid);
/* The unit of `grid` numbered `number` that waits may be asked again; a NULL grid means every one of the run.
 */
void px_sched_wake(struct px_run *run, const struct px_grid *grid, uint64_t number);
/* Something that `grid` waited for is over; completes it, and its ancestors, when that was the last. */
void px_sched_finish(struct px_grid *grid);

#endif
