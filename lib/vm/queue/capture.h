/*
 * capture.h - graphs of work: made node by node, or of what streams are given while they are captured, and
 * launched as often as wanted.
 *
 * All of it is guarded by the scheduler's lock.
 */
#ifndef PX_VM_QUEUE_CAPTURE_H
#define PX_VM_QUEUE_CAPTURE_H

#include "ptx_graph.h"
#include "vm/queue/work.h"

struct px_node {
    struct px_graph *graph;
    uint64_t number; /* its handle; 0 in a copy that nobody can name */
    struct px_work op;
    struct px_node **after; /* what it comes after */
    uint32_t nafter, place; /* place: in graph->nodes */
    bool captured;          /* a stream was given it */
};

struct px_graph {
    uint64_t number; /* 0: owned by a node, an instance or a capture */
    struct px_node **nodes;
    uint32_t n, cap;
    struct px_condition *conditions;
    bool lent;  /* it has a number, and is a node's or a capture's: it cannot be destroyed by it */
    bool child; /* it is a node's: it holds nothing that there can be once only */
    struct px_capture *capture; /* streams are captured into it; NULL: none is */
};

/* One node of an instance, in an order in which each comes behind what it comes after. */
struct px_stage {
    struct px_work op;
    uint64_t origin; /* number of the node it was made of; of a child's node: 0 */
    uint32_t *after, nafter;
    bool last;            /* no other comes after it */
    bool off;             /* not enabled */
    struct px_task *task; /* while it is being launched */
};

/* What an instance runs. A launch counts it until it is done, whatever becomes of the instance: memory and
 * conditions of the steps stay as long. */
struct px_plan {
    uint32_t refs;
    struct px_stage *steps;
    uint32_t n, room;                 /* steps; how many were allocated */
    struct px_condition **conditions; /* that it resets */
    uint32_t nconditions;
};

struct px_exec {
    struct px_plan *plan; /* counted */
    struct px_task *last; /* of its last launch: launches come one after the other */
    uint64_t number;      /* its handle; 0: it is a node's body */
};

/* What streams are given goes here. Streams join by waiting for an event recorded in it. */
struct px_capture {
    struct px_graph *graph;   /* NULL: it is over, or its graph was freed and it is broken */
    struct px_stream *origin; /* NULL: it was destroyed */
    uint64_t id;
    uint32_t refs;     /* streams, and events recorded in it */
    bool broken, over; /* no memory, or something that cannot be captured; it has ended */
    bool given;        /* the graph is the embedder's */
};

struct px_graph *px_graph_new(struct ptx_device *device);
struct px_graph *px_graph_clone(struct ptx_device *device, const struct px_graph *graph);
void px_graph_free(struct ptx_device *device, struct px_graph *graph); /* NULL is allowed */
/* NULL: no memory. Takes a copy of the op. */
struct px_node *px_graph_add(struct ptx_device *device, struct px_graph *graph, struct px_node *const *after,
                             uint32_t nafter, const struct px_work *op, bool named);
/* Is there something in it that there can be once only: memory, conditions? */
bool px_graph_is_single(const struct px_graph *graph);
/* May such a node be added? A child holds nothing that there can be once only. */
bool px_graph_takes(const struct px_graph *graph, enum px_work_kind kind);
/* It gets a number, and so do its nodes, but stays whose it is. False: no memory. */
bool px_graph_lend(struct ptx_device *device, struct px_graph *graph);
void px_node_free(struct ptx_device *device, struct px_node *node);

ptx_status px_exec_make(struct ptx_device *device, const struct px_graph *graph, struct px_exec **exec);
void px_exec_free(struct ptx_device *device, struct px_exec *exec);
void px_plan_release(struct ptx_device *device, struct px_plan *plan); /* NULL is allowed */
ptx_status px_exec_launch(struct ptx_device *device, struct px_exec *exec, ptx_stream stream);
/* Runs it in no stream; failures are told to `stream`. finished(task, user) when all of it is done, also when
 * this fails later on; not when it returns a failure. */
ptx_status px_exec_begin(struct ptx_device *device, struct px_exec *exec, struct px_stream *stream,
                         void (*finished)(struct px_task *task, void *user), void *user);
/* Does it run anything, or are all its steps marks? */
bool px_exec_works(const struct px_exec *exec);

/* capture.c */
ptx_status px_capture_begin(struct ptx_device *device, ptx_stream stream);
ptx_status px_capture_begin_to(struct ptx_device *device, ptx_stream stream, ptx_graph graph,
                               const ptx_node *after, size_t count);
ptx_status px_capture_after(struct ptx_device *device, ptx_stream stream, const ptx_node *nodes, size_t count,
                            bool add);
ptx_status px_capture_info(struct ptx_device *device, ptx_stream stream, ptx_capture_info *info,
                           ptx_node *nodes, size_t *count);
/* What does not go with a capture was asked of it: it is broken, and this is PTX_ERROR_CAPTURE. */
ptx_status px_capture_refuse(struct px_capture *capture);
ptx_status px_capture_end(struct ptx_device *device, ptx_stream stream, ptx_graph *graph);
ptx_status px_capture_op(struct px_stream *stream, const struct px_work *op);
ptx_status px_capture_record(struct px_stream *stream, struct px_event *event);
ptx_status px_capture_wait(struct px_stream *stream, const struct px_event *event);
void px_capture_abandon(struct px_stream *stream); /* it is destroyed */
/* Its graph is being freed. */
void px_capture_lose(struct ptx_device *device, struct px_capture *capture);
void px_event_leave_capture(struct ptx_device *device, struct px_event *event);

/* graph.c, for the embedder; the lock is held */
ptx_status px_graph_name(struct ptx_device *device, struct px_graph *graph, ptx_graph *number);
ptx_status px_graph_create(struct ptx_device *device, ptx_graph *number);
ptx_status px_graph_destroy(struct ptx_device *device, ptx_graph number);
ptx_status px_graph_copy(struct ptx_device *device, ptx_graph number, ptx_graph *copy);
ptx_status px_graph_add_node(struct ptx_device *device, ptx_graph number, const ptx_node *after, size_t count,
                             const struct px_work *op, ptx_node *node);
ptx_status px_graph_edge(struct ptx_device *device, ptx_node from, ptx_node to, bool wanted);
ptx_status px_graph_list(struct ptx_device *device, ptx_graph number, ptx_node *nodes, size_t *count);
ptx_status px_node_list(struct ptx_device *device, ptx_node number, ptx_node *nodes, size_t *count);
ptx_status px_node_kind(struct ptx_device *device, ptx_node number, ptx_node_kind *kind);
ptx_status px_node_info(struct ptx_device *device, ptx_node number, ptx_node_info *info);
ptx_status px_node_replace(struct ptx_device *device, ptx_node number, const struct px_work *op);
ptx_status px_node_destroy(struct ptx_device *device, ptx_node number);
ptx_status px_node_graph(struct ptx_device *device, ptx_node number, unsigned place, ptx_graph *graph);
ptx_status px_condition_create(struct ptx_device *device, ptx_graph graph, uint32_t value, bool reset,
                               uint64_t *condition);
ptx_status px_work_replace(struct ptx_device *device, struct px_work *at, const struct px_work *op);

/* instance.c, for the embedder; the lock is held */
ptx_status px_exec_create(struct ptx_device *device, ptx_graph graph, ptx_instance *instance);
ptx_status px_exec_run(struct ptx_device *device, ptx_instance instance, ptx_stream stream);
ptx_status px_exec_destroy(struct ptx_device *device, ptx_instance instance);
ptx_status px_exec_update(struct ptx_device *device, ptx_instance instance, ptx_graph graph);
ptx_status px_exec_set(struct ptx_device *device, ptx_instance instance, ptx_node node,
                       const struct px_work *op);
/* The step of a node that can be enabled; NULL: there is none. */
struct px_stage *px_exec_step(struct ptx_device *device, ptx_instance instance, ptx_node node);

/* event.c, and what is left of numbers when the device goes */
void px_event_free(struct ptx_device *device, struct px_event *event);
void px_handles_clear(struct ptx_device *device);

#endif
