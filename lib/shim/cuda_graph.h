/*
 * cuda_graph.h - graphs, their nodes and instances, as the files about them share them.
 */
#ifndef PX_SHIM_CUDA_GRAPH_H
#define PX_SHIM_CUDA_GRAPH_H

#include "shim/cuda_launch.h"

struct px_cu_graph {
    struct px_cu_object head;
    ptx_device *vm;
    ptx_graph number;
    pthread_mutex_t lock;      /* of what follows */
    struct px_cu_node **nodes; /* those that anybody asked for, in the library's order of them */
    size_t count;
    CUgraph origin; /* what it was cloned of */
    struct px_cu_user_hold *held;
};

struct px_cu_node {
    struct px_cu_object head;
    struct px_cu_graph *graph; /* taken; of an instance's node: whose it was */
    ptx_node number;
    void **params; /* where cuGraphKernelNodeGetParams points */
    CUlaunchAttributeValue attributes[CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT + 1];
};

struct px_cu_exec {
    struct px_cu_object head;
    ptx_device *vm;
    ptx_instance number;
    unsigned long long flags;
};

/* A graph of the library's number in a context. The number is dropped when this fails. */
CUresult px_cu_graph_make(struct px_cu_context *context, ptx_device *vm, ptx_graph number, CUgraph *graph);
/* The handle of a node. The graph's lock is held. `hint`: about where in the graph it is. */
CUresult px_cu_node_of(struct px_cu_graph *graph, ptx_node number, size_t hint, CUgraphNode *node);
/* A node is added behind others. */
CUresult px_cu_node_add(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                        const ptx_node_config *config);
/* The function of a kernel, taken; NULL: it is gone. */
struct px_cu_function *px_cu_function_at(struct px_cu_context *context, const ptx_kernel *kernel);

CUresult px_cu_old_instantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *failed, char *log, size_t room);
CUresult px_cu_old_update(CUgraphExec exec, CUgraph graph, CUgraphNode *failed,
                          CUgraphExecUpdateResult *result);
CUresult px_cu_old_kernel_add(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *params);
CUresult px_cu_old_kernel_get(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *params);
CUresult px_cu_old_kernel_set(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params);
CUresult px_cu_old_exec_kernel_set(CUgraphExec exec, CUgraphNode node,
                                   const CUDA_KERNEL_NODE_PARAMS_v1 *params);

/* User objects of a graph (cuda_user.c): given back when it goes. */
void px_cu_user_give_all(struct px_cu_user_hold *list);

#endif
