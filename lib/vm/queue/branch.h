/*
 * branch.h - nodes of graphs that choose what to run: conditions, and the bodies that depend on them.
 *
 * A condition is a word of device memory; its number is its address, which kernels are given and set
 * (cudaGraphSetConditional). The node of a graph has graphs for bodies, which the embedder fills; an instance
 * has instances of them. All of it is guarded by the scheduler's lock.
 */
#ifndef PX_VM_QUEUE_BRANCH_H
#define PX_VM_QUEUE_BRANCH_H

#include "ptx_graph.h"
#include "vm/device/device.h"

struct px_graph;
struct px_exec;

struct px_condition {
    struct px_condition *next, *more; /* of the graph's; of all of the device */
    uint64_t va;
    uint32_t refs; /* the graph's, and one a branch or instance that reads it */
    uint32_t value;
    bool reset; /* to that value, when an instance is launched */
};

struct px_branch {
    uint32_t refs;
    ptx_branch_kind kind;
    struct px_condition *condition;
    struct px_graph **graphs; /* of a node; NULL in an instance, which has */
    struct px_exec **execs;
    uint32_t n;
};

struct px_condition *px_condition_new(struct ptx_device *device, uint32_t value,
                                      bool reset); /* NULL: no memory */
void px_condition_release(struct ptx_device *device, struct px_condition *condition);
/* NULL: that is none. */
struct px_condition *px_condition_find(const struct ptx_device *device, uint64_t va);

/* With `n` empty graphs, which get numbers. NULL: no memory. */
struct px_branch *px_branch_new(struct ptx_device *device, ptx_branch_kind kind,
                                struct px_condition *condition, uint32_t n);
ptx_status px_branch_instance(struct ptx_device *device, const struct px_branch *branch,
                              struct px_branch **made);
void px_branch_release(struct ptx_device *device, struct px_branch *branch); /* NULL is allowed */
/* What px_task.branch is for: runs bodies, then ends the task. */
void px_branch_run(struct px_task *task);

#endif
