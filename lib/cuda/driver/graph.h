/*
 * graph.h - graphs, their nodes and instances, as the files about them share them.
 */
#ifndef PX_CUDA_DRIVER_GRAPH_H
#define PX_CUDA_DRIVER_GRAPH_H

#include "cuda/driver/launch.h"

struct px_cu_graph {
    struct px_cu_object head;
    ptx_device *vm;
    ptx_graph number;
    pthread_mutex_t lock;      /* of what follows */
    struct px_cu_node **nodes; /* those that anybody asked for, in the library's order of them */
    size_t count;
    CUgraph origin; /* what it was cloned of */
    struct px_cu_user_hold *held;
    bool body, captured; /* a node's; being made: the program cannot destroy it */
    bool given;          /* a capture goes into it that did not make it */
    CUgraphNode *told;   /* where cuStreamGetCaptureInfo points */
};

struct px_cu_node {
    struct px_cu_object head;
    struct px_cu_graph *graph; /* taken; of an instance's node: whose it was */
    ptx_node number;
    void **params; /* where cuGraphKernelNodeGetParams points */
    CUlaunchAttributeValue attributes[CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT + 1];
    CUgraph *bodies; /* of a conditional node, or the one of a child node that was asked for */
    unsigned nbodies;
    CUgraphConditionalHandle condition; /* of a conditional node */
    CUmemAccessDesc *access;            /* what a node that allocates was made with */
    size_t naccess;
    CUstreamBatchMemOpParams *values; /* where cuGraphBatchMemOpNodeGetParams points */
};

/* Where a description goes: into a graph as a new node, to a node, or to a node of an instance. */
struct px_cu_target {
    struct px_cu_context *context; /* not taken */
    CUgraphNode *made;
    CUgraph graph;
    const CUgraphNode *after;
    size_t count;
    struct px_cu_node *node;
    struct px_cu_exec *exec;
};

CUresult px_cu_put(const struct px_cu_target *target, const ptx_node_config *config);
/* What nodes of graph_more.c do. */
CUresult px_cu_put_alloc(const struct px_cu_target *target, CUDA_MEM_ALLOC_NODE_PARAMS *params);
CUresult px_cu_put_free(const struct px_cu_target *target, CUdeviceptr address);
CUresult px_cu_put_values(const struct px_cu_target *target, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUresult px_cu_put_branch(const struct px_cu_target *target, CUDA_CONDITIONAL_NODE_PARAMS *params);
/* What a node of this kind does. */
CUresult px_cu_node_ask(struct px_cu_node *node, ptx_node_kind kind, ptx_node_info *info);
/* The node of a handle, and what it is; the function returns where it is of another kind, or where its caller
 * gave no place for the answer. */
#define PX_CU_ASK(name, info, handle, kind, given)                                                           \
    ptx_node_info info;                                                                                      \
    PX_CU_TAKE(px_cu_node, name, PX_CU_NODE, handle, CUDA_ERROR_INVALID_VALUE);                              \
    if (!(given)) return CUDA_ERROR_INVALID_VALUE;                                                           \
    PX_CU_TRY(px_cu_node_ask(name, kind, &info))

struct px_cu_exec {
    struct px_cu_object head;
    ptx_device *vm;
    ptx_instance number;
    unsigned long long flags;
};

/* A graph of the library's number in a context. The number is dropped when this fails. */
CUresult px_cu_graph_make(struct px_cu_context *context, ptx_device *vm, ptx_graph number, CUgraph *graph);
/* The handle of a graph that a node or a capture has, taken: the one that there is, or a new one. NULL: no
 * memory. */
struct px_cu_graph *px_cu_graph_at(struct px_cu_context *context, ptx_device *vm, ptx_graph number);
/* The stream is about to go: the graph of a capture that begins with it is one no longer, or nobody's. */
void px_cu_capture_leave(CUstream stream);
/* Its nodes' handles, and its own, are none any more. */
void px_cu_graph_end(CUgraph graph);
/* The handle of a node. The graph's lock is held. `hint`: about where in the graph it is. */
CUresult px_cu_node_of(struct px_cu_graph *graph, ptx_node number, size_t hint, CUgraphNode *node);
/* A node is added behind others. */
CUresult px_cu_node_add(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                        const ptx_node_config *config);
/* The function of a kernel, taken; NULL: it is gone. */
struct px_cu_function *px_cu_function_at(struct px_cu_context *context, const ptx_kernel *kernel);

/* The handles of nodes of a graph, to be freed; NULL: no memory, or one is none. */
ptx_node *px_cu_numbers_of(const struct px_cu_graph *graph, const CUgraphNode *nodes, size_t count);

CUresult px_cu_old_instantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *failed, char *log, size_t room);
CUresult px_cu_old_update(CUgraphExec exec, CUgraph graph, CUgraphNode *failed,
                          CUgraphExecUpdateResult *result);
CUresult px_cu_old_kernel_add(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *params);
CUresult px_cu_old_kernel_get(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *params);
CUresult px_cu_old_kernel_set(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params);
CUresult px_cu_old_exec_kernel_set(CUgraphExec exec, CUgraphNode node,
                                   const CUDA_KERNEL_NODE_PARAMS_v1 *params);

/* User objects of a graph (user.c): given back when it goes. */
void px_cu_user_give_all(struct px_cu_user_hold *list);

#endif
