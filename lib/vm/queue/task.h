/*
 * task.h - what the host has submitted: each piece runs when those before it are done.
 *
 * A task is a grid of a kernel, a piece of work that the VM does by itself (a
 * copy, a call of a host function), or a mark, which does nothing but come
 * after others. Streams, events and graphs are nothing but edges between tasks.
 * A task without open edges gets a run of the scheduler. An edge between kernels
 * may be programmatic: the later one begins when each block of the earlier one
 * has allowed it (griddepcontrol.launch_dependents) or ended, and is done after
 * it. All of it is guarded by the scheduler's lock.
 */
#ifndef PX_VM_QUEUE_TASK_H
#define PX_VM_QUEUE_TASK_H

#include "vm/sched/sched.h"
#include "ptxvm.h"

struct px_branch;
struct px_plan;
struct px_report;
struct px_stream;

enum { PX_TASKS_PENDING = 1024 /* submitted and not done; who submits more works or waits meanwhile */ };
enum px_task_state {
    PX_TASK_WAITS,
    PX_TASK_READY,
    PX_TASK_PARKED, /* it waits for a value in memory */
    PX_TASK_RUNS,
    PX_TASK_HELD, /* over, but what it overlapped with is not done */
    PX_TASK_DONE
};

struct px_after {
    struct px_after *next;
    struct px_task *task;
};

struct px_task {
    struct ptx_device *device;
    struct px_task *next;     /* in a list of px_tasks */
    uint64_t number;          /* for who hears of memory (traced.h); 0: nobody does */
    struct px_grid *grid;     /* owned until it runs; NULL for a mark */
    struct px_run *run;       /* while it runs */
    struct px_stream *stream; /* counted; NULL for none, and once it is done */
    struct px_task *after;    /* who comes after it: one, */
    struct px_after *more;    /* and more */
    struct px_branch *branch; /* counted; NULL for other tasks (branch.h) */
    struct px_plan *plan;     /* of the last mark of an instance's launch: counted until it is done */
    uint32_t rounds;          /* bodies that it began */
    struct px_after *early;   /* who may begin once it has triggered, and is done after it */
    struct px_report *report; /* why it failed; NULL when it did not, or for want of memory */
    void (*finished)(struct px_task *task, void *user); /* when it is done; NULL: nobody asks */
    void *user;
    ptx_kernel *from;      /* whose launch is to be remembered as brief or not; NULL; while it runs */
    uint32_t refs, waits;  /* open edges, and one until it is submitted */
    uint32_t priors;       /* it overlaps with so many that are not done */
    bool kernel, mark;     /* its grid is one; it has none */
    bool triggered;        /* its dependents may begin */
    uint8_t state;         /* enum px_task_state */
    bool cancelled, quiet; /* quiet: nobody wants a report */
    int priority;
    ptx_status status;   /* once it is done; */
    int error;           /* of a fault: its number */
    uint32_t interrupts; /* of the device when it was submitted */
    uint64_t max_steps, timeout_ns, done_ns;
    uint64_t parked_ns; /* since when it waits for a value (value.h) */
};

/* Of a device. */
struct px_tasks {
    struct px_task *spare;
    struct {
        struct px_task *first, *last;
    } ready, parked;  /* no open edges; they wait for a run, or for a value in memory */
    uint32_t pending; /* submitted and not done */
    uint64_t numbered;
    bool advancing;
    ptx_status lost; /* a fault has marked the device: what everything answers from then on */
    atomic_uint interrupts;
};

/* One reference; nothing is done before px_task_submit. `grid` may be NULL; it is the task's from now on.
 * NULL: no memory, and the grid is still the caller's. */
struct px_task *px_task_new(struct ptx_device *device, struct px_grid *grid);
void px_task_release(struct px_task *task); /* NULL is allowed */
/* `task` comes after `before`. False: no memory. */
bool px_task_follow(struct px_task *task, struct px_task *before);
/* The same by a programmatic edge when both are kernels. */
bool px_task_overlap(struct px_task *task, struct px_task *before);
/* Limits and priority that the launch asks for. */
void px_task_configure(struct px_task *task, const ptx_launch_config *config);
/* It may run once those before it are done. The caller keeps its reference. */
void px_task_submit(struct px_task *task);
/* What it ends with although it did not run; PTX_OK: it is to be run. */
ptx_status px_task_refused(const struct px_task *task);
/* Of a branch: it is over. */
void px_task_end(struct px_task *task, ptx_status status);
/* Ends with PTX_ERROR_INTERRUPTED, soon when it runs, else in its turn. */
void px_task_cancel(struct px_task *task);
/* Waits for room in the queue, unless the caller is a worker. */
void px_task_room(struct ptx_device *device);
void px_task_wait(struct px_task *task);
/* The host has seen that it is done; NULL is allowed. */
void px_task_known(const struct px_task *task);
/* Waits until nothing is pending. */
void px_tasks_drain(struct ptx_device *device);
/* Waits until nothing is pending but what is parked and what is behind it. False: there is such. */
bool px_tasks_settle(struct ptx_device *device);
void px_tasks_free(struct ptx_device *device);
/* px_sched.over, px_sched.triggered */
void px_task_over(struct px_run *run);
/* px_sched.look: begins what is parked and need not wait any more. True: there was something. */
bool px_tasks_look(struct px_sched *sched);
void px_task_triggered(struct px_run *run);

#endif
