/*
 * work.h - a piece of work as it is described, before it becomes a task: what a stream is given, and what a
 * node of a graph holds.
 */
#ifndef PX_VM_QUEUE_WORK_H
#define PX_VM_QUEUE_WORK_H

#include "vm/queue/copy.h"
#include "vm/queue/stream.h"
#include "vm/queue/value.h"

struct px_graph;

enum px_work_kind {
    PX_WORK_EMPTY,
    PX_WORK_KERNEL,
    PX_WORK_COPY, /* and fills */
    PX_WORK_HOST,
    PX_WORK_RECORD,
    PX_WORK_WAIT,
    PX_WORK_CHILD,
    PX_WORK_FREE,
    PX_WORK_ALLOC, /* of a graph */
    PX_WORK_VALUES,
    PX_WORK_BRANCH
};

struct px_work {
    enum px_work_kind kind;
    ptx_kernel *kernel;
    ptx_launch_config config; /* its params are the describer's, or with px_work_keep the op's */
    struct px_copy copy;
    void (*fn)(void *user);
    void *user;
    ptx_event event;
    struct px_graph *child;         /* kept: a copy of its own */
    ptx_address address;            /* FREE */
    struct px_graph_memory *memory; /* ALLOC; NULL otherwise. Kept: counted */
    const ptx_value *values;        /* VALUES; the describer's, or with px_work_keep the op's */
    uint32_t nvalues;
    struct px_branch *branch; /* BRANCH; NULL otherwise. Kept: counted */
};

/* The grid that does it; NULL for what needs none. The scheduler's lock is not wanted. */
ptx_status px_work_grid(struct ptx_device *device, const struct px_work *op, struct px_grid **grid);
/* Copies what the op refers to, so that it can stay. False: no memory. */
bool px_work_keep(struct ptx_device *device, struct px_work *to, const struct px_work *from);
void px_work_drop(struct ptx_device *device, struct px_work *op);
/* Are arguments those that a submission takes? Sets the device's message. */
ptx_status px_work_check(struct ptx_device *device, const struct px_work *op);
/* Puts it into a stream; the task, with a reference of the caller's, where `task` is not NULL. Takes the
 * lock. */
ptx_status px_work_submit(struct ptx_device *device, const struct px_work *op, ptx_stream stream,
                          struct px_task **task);

/* launches with a number */
ptx_status px_launch_number(struct ptx_device *device, struct px_task *task, ptx_launch *number);

#endif
