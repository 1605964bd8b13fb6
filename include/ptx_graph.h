/*
 * ptx_graph.h - graphs: work with its order, described once and launched often.
 *
 * A graph is made node by node, or of what a stream is given between
 * ptx_capture_begin and ptx_capture_end. An instance of it is launched into a
 * stream as one piece of work; launches of one instance come one after the
 * other. Graphs, nodes and instances are numbers of a device (see ptx_stream.h),
 * and any thread may use them; one graph belongs to one thread at a time.
 * CUDA's programming guide, "CUDA Graphs", describes the model.
 */
#ifndef PTX_GRAPH_H
#define PTX_GRAPH_H

#include "ptx_texture.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t ptx_graph, ptx_node, ptx_instance;

/*
 * Memory of ALLOC nodes (CUDA's "memory nodes"; a captured ptx_stream_alloc makes one): its address belongs
 * to the graph and its instances for as long as they are, but is memory only from the launch of the node
 * until it is freed, by a FREE node, ptx_stream_free or ptx_memory_free. A launch whose ALLOC finds its
 * memory not freed is a fault. A graph with such nodes, or with BRANCH nodes, is not cloned and no child
 * (PTX_ERROR_UNSUPPORTED), and none of these kinds can be set. A launch keeps the memory and the conditions
 * of its instance until it is done, whatever becomes of graph and instance.
 */

typedef enum ptx_node_kind {
    PTX_NODE_EMPTY = 0,
    PTX_NODE_KERNEL = 1,
    PTX_NODE_COPY = 2,
    PTX_NODE_FILL = 3,
    PTX_NODE_HOST = 4,
    PTX_NODE_RECORD = 5, /* of an event */
    PTX_NODE_WAIT = 6,   /* for an event, as it is recorded when the instance is launched */
    PTX_NODE_CHILD = 7,  /* a graph, copied into this one */
    PTX_NODE_ALLOC = 8,  /* memory, from here until it is freed; its address is known when the node is made */
    PTX_NODE_FREE = 9,   /* memory of such a node */
    PTX_NODE_VALUES = 10, /* values in memory, waited for and written (ptx_stream_values) */
    PTX_NODE_BRANCH = 11  /* runs other graphs, as a condition says */
} ptx_node_kind;

/*
 * A condition is a number that belongs to a graph. Kernels set its value (cudaGraphSetConditional), and
 * BRANCH nodes of the graph, and of its bodies, read it: IF runs the first body unless it is 0, else the
 * second, if there are two; WHILE runs its body again as long as it is not 0; SWITCH runs the body of that
 * number, if there is one.
 */
typedef enum ptx_branch_kind {
    PTX_BRANCH_IF = 0,
    PTX_BRANCH_WHILE = 1,
    PTX_BRANCH_SWITCH = 2
} ptx_branch_kind;

/* What a node does; only the fields of its kind are read, and all that they point to is copied. */
typedef struct ptx_node_config {
    size_t struct_size;
    ptx_node_kind kind;
    ptx_kernel *kernel;
    const ptx_launch_config *launch;
    const ptx_copy *copy;
    const ptx_fill *fill;
    void (*host)(void *user);
    void *user;
    ptx_event event;
    ptx_graph child;
    uint64_t bytes;          /* ALLOC, */
    ptx_address *allocated;  /* and where its address goes */
    ptx_address address;     /* FREE */
    const ptx_value *values; /* VALUES */
    size_t nvalues;
    uint64_t condition; /* BRANCH; */
    ptx_branch_kind branch;
    unsigned nbodies; /* IF: 1 or 2, WHILE: 1, SWITCH: at least 1 */
    ptx_graph
        *bodies; /* where their numbers go: empty graphs of the node's, to be filled before it is instantiated
                  */
    const ptx_array_copy *array_copy; /* COPY, when `copy` is NULL */
} ptx_node_config;

/* The value that it has when it is made and, with `reset`, at the begin of each launch of an instance. It
 * lives as long as the graph, its instances, and the nodes that read it. */
PTX_API ptx_status ptx_condition_create(ptx_device *device, ptx_graph graph, uint32_t value, int reset,
                                        uint64_t *condition);

PTX_API ptx_status ptx_graph_create(ptx_device *device, ptx_graph *graph);
/* With its nodes. Instances of it stay. PTX_ERROR_INVALID_ARGUMENT as well: a stream is captured into it, or
 * into a graph of one of its nodes. */
PTX_API ptx_status ptx_graph_destroy(ptx_device *device, ptx_graph graph);
/* A copy with nodes of its own, in the same order of ptx_graph_nodes. */
PTX_API ptx_status ptx_graph_clone(ptx_device *device, ptx_graph graph, ptx_graph *copy);

/* A node that comes after `count` others of the graph. */
PTX_API ptx_status ptx_graph_add(ptx_device *device, ptx_graph graph, const ptx_node *after, size_t count,
                                 const ptx_node_config *config, ptx_node *node);
/* Edges that would close a circle are found by ptx_graph_instantiate. */
PTX_API ptx_status ptx_graph_edge_add(ptx_device *device, ptx_node from, ptx_node to);
PTX_API ptx_status ptx_graph_edge_remove(ptx_device *device, ptx_node from, ptx_node to);
/* Nodes of the graph in the order they were added: at most *count into `nodes` (NULL: none); *count becomes
 * how many there are. */
PTX_API ptx_status ptx_graph_nodes(ptx_device *device, ptx_graph graph, ptx_node *nodes, size_t *count);
/* What the node comes after, likewise. */
PTX_API ptx_status ptx_node_after(ptx_device *device, ptx_node node, ptx_node *nodes, size_t *count);
PTX_API ptx_status ptx_node_kind_get(ptx_device *device, ptx_node node, ptx_node_kind *kind);
/* What a node does, by value; pointers in it are the node's and live until it is changed or destroyed. Fields
 * that are not of its kind are zero. */
typedef struct ptx_node_info {
    size_t struct_size;
    ptx_node_kind kind;
    ptx_kernel *kernel;
    ptx_launch_config launch;
    ptx_copy copy;
    ptx_fill fill;
    void (*host)(void *user);
    void *user;
    ptx_event event;
    uint64_t bytes;          /* ALLOC */
    ptx_address address;     /* ALLOC and FREE */
    const ptx_value *values; /* VALUES */
    size_t nvalues;
    uint64_t condition; /* BRANCH */
    ptx_branch_kind branch;
    unsigned nbodies;
    ptx_array_copy array_copy; /* of every COPY; `copy` says nothing of ends that are arrays */
} ptx_node_info;

PTX_API ptx_status ptx_node_info_get(ptx_device *device, ptx_node node, ptx_node_info *info);
/* The graph of a CHILD node, or body `place` of a BRANCH node. It is the node's: it can be changed, which
 * counts for instances that are made later, but not destroyed. */
PTX_API ptx_status ptx_node_graph(ptx_device *device, ptx_node node, unsigned place, ptx_graph *graph);
/* Another configuration of the same kind. PTX_ERROR_CAPTURE, of both: a stream is captured into a graph of
 * the node. */
PTX_API ptx_status ptx_node_set(ptx_device *device, ptx_node node, const ptx_node_config *config);
PTX_API ptx_status ptx_node_destroy(ptx_device *device, ptx_node node);

/* PTX_ERROR_INVALID_ARGUMENT: the graph has a circle. */
PTX_API ptx_status ptx_graph_instantiate(ptx_device *device, ptx_graph graph, ptx_instance *instance);
/* The configurations of a graph of the same shape (nodes, kinds, edges) from the next launch on;
 * PTX_ERROR_INVALID_ARGUMENT, and nothing changed, when the shape is another. */
PTX_API ptx_status ptx_instance_update(ptx_device *device, ptx_instance instance, ptx_graph graph);
/* The configuration of one node from the next launch on; `node` is of the graph that the instance was made
 * of. */
PTX_API ptx_status ptx_instance_set(ptx_device *device, ptx_instance instance, ptx_node node,
                                    const ptx_node_config *config);
/* Kernels, copies and sets only: one that is not enabled does nothing, from the next launch on. */
PTX_API ptx_status ptx_instance_enable(ptx_device *device, ptx_instance instance, ptx_node node, int enabled);
PTX_API ptx_status ptx_instance_enabled(ptx_device *device, ptx_instance instance, ptx_node node,
                                        int *enabled);
PTX_API ptx_status ptx_instance_launch(ptx_device *device, ptx_instance instance, ptx_stream stream);
/* Launches that are under way go on. */
PTX_API ptx_status ptx_instance_destroy(ptx_device *device, ptx_instance instance);

/*
 * From now on what the stream is given is not run but becomes nodes. Other streams join by waiting for an
 * event that was recorded in a captured one, and must have been waited for by it before the end. Waiting for
 * a captured stream or event, or querying it, is PTX_ERROR_CAPTURE and breaks the capture; asking for a
 * launch's number in it is that error, too. The legacy default stream cannot be captured. A capture ends
 * without a graph when the stream that it was begun with is destroyed; another of its streams may go.
 */
PTX_API ptx_status ptx_capture_begin(ptx_device *device, ptx_stream stream);
/* The same into a graph that there is, behind `count` nodes of it. Neither it nor the graph whose node it
 * belongs to can be destroyed until the end. */
PTX_API ptx_status ptx_capture_begin_to(ptx_device *device, ptx_stream stream, ptx_graph graph,
                                        const ptx_node *after, size_t count);
/* The graph of what it was given. PTX_ERROR_CAPTURE, and the capture is over: another stream has not been
 * joined back, or an earlier call failed. `stream` is not the one it was begun with: the same error, and the
 * capture is broken, but goes on until that one ends it. */
PTX_API ptx_status ptx_capture_end(ptx_device *device, ptx_stream stream, ptx_graph *graph);
/* *active: 1 while the stream is captured. */
PTX_API ptx_status ptx_capture_query(ptx_device *device, ptx_stream stream, int *active);

/* A node of kind PTX_NODE_RECORD or PTX_NODE_WAIT, in the place of what recording an event in a captured
 * stream or waiting for one means otherwise. PTX_ERROR_INVALID_ARGUMENT as well: the stream is not captured.
 */
PTX_API ptx_status ptx_capture_event(ptx_device *device, ptx_stream stream, ptx_event event,
                                     ptx_node_kind kind);

typedef struct ptx_capture_info {
    size_t struct_size;
    int active;      /* the stream is captured, */
    int broken;      /* and the capture will fail */
    uint64_t id;     /* one number for all streams of a capture, never used again on the device */
    ptx_graph graph; /* what is being made: it may be asked about and added to, and not be destroyed */
    int first;       /* the stream is the one that the capture was begun with */
} ptx_capture_info;

/* The capture of a stream, and the nodes that its next one comes after: at most *count into `nodes` (NULL:
 * none); *count becomes how many there are. `count` may be NULL. */
PTX_API ptx_status ptx_capture_info_get(ptx_device *device, ptx_stream stream, ptx_capture_info *info,
                                        ptx_node *nodes, size_t *count);
/* What the stream's next node comes after: these nodes of the graph as well (`add`), or them alone. */
PTX_API ptx_status ptx_capture_after(ptx_device *device, ptx_stream stream, const ptx_node *nodes,
                                     size_t count, int add);

#ifdef __cplusplus
}
#endif
#endif
