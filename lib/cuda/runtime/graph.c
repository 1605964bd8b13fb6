/*
 * graph.c - nodes of graphs whose descriptions differ between runtime and driver: kernels and copies.
 */
#include "cuda/runtime/rt.h"

/* ---- kernels ---- */

static cudaError_t kernel_to_driver(const struct cudaKernelNodeParams *from, CUDA_KERNEL_NODE_PARAMS *to)
{
    if (!from) return cudaErrorInvalidValue;
    *to = (CUDA_KERNEL_NODE_PARAMS){
        .gridDimX = from->gridDim.x,
        .gridDimY = from->gridDim.y,
        .gridDimZ = from->gridDim.z,
        .blockDimX = from->blockDim.x,
        .blockDimY = from->blockDim.y,
        .blockDimZ = from->blockDim.z,
        .sharedMemBytes = from->sharedMemBytes,
        .kernelParams = from->kernelParams,
        .extra = from->extra,
    };
    return px_rt_function(from->func, &to->func);
}

cudaError_t px_rt_graph_add_kernel(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                   const struct cudaKernelNodeParams *params)
{
    CUDA_KERNEL_NODE_PARAMS driver;
    RT_TRY(kernel_to_driver(params, &driver));
    return (cudaError_t)cuGraphAddKernelNode_v2(node, graph, after, count, &driver);
}

cudaError_t px_rt_graph_get_kernel(CUgraphNode node, struct cudaKernelNodeParams *params)
{
    CUDA_KERNEL_NODE_PARAMS driver;
    if (!params) return cudaErrorInvalidValue;
    RT_TRY(cuGraphKernelNodeGetParams_v2(node, &driver));
    *params = (struct cudaKernelNodeParams){
        .func = px_rt_host_function(driver.func),
        .gridDim = {driver.gridDimX, driver.gridDimY, driver.gridDimZ},
        .blockDim = {driver.blockDimX, driver.blockDimY, driver.blockDimZ},
        .sharedMemBytes = driver.sharedMemBytes,
        .kernelParams = driver.kernelParams,
        .extra = driver.extra,
    };
    return cudaSuccess;
}

cudaError_t px_rt_graph_set_kernel(CUgraphExec exec, CUgraphNode node,
                                   const struct cudaKernelNodeParams *params)
{
    CUDA_KERNEL_NODE_PARAMS driver;
    RT_TRY(kernel_to_driver(params, &driver));
    return (cudaError_t)(exec ? cuGraphExecKernelNodeSetParams_v2(exec, node, &driver)
                              : cuGraphKernelNodeSetParams_v2(node, &driver));
}

/* ---- copies ---- */

cudaError_t px_rt_graph_add_copy(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                 const struct cudaMemcpy3DParms *copy)
{
    CUDA_MEMCPY3D driver;
    RT_TRY(px_rt_copy_to_driver(copy, &driver));
    return (cudaError_t)cuGraphAddMemcpyNode(node, graph, after, count, &driver, px_rt_context());
}

cudaError_t px_rt_graph_get_copy(CUgraphNode node, struct cudaMemcpy3DParms *copy)
{
    CUDA_MEMCPY3D driver;
    if (!copy) return cudaErrorInvalidValue;
    RT_TRY(cuGraphMemcpyNodeGetParams(node, &driver));
    px_rt_copy_to_runtime(&driver, copy);
    return cudaSuccess;
}

cudaError_t px_rt_graph_set_copy(CUgraphExec exec, CUgraphNode node, const struct cudaMemcpy3DParms *copy)
{
    CUDA_MEMCPY3D driver;
    RT_TRY(px_rt_copy_to_driver(copy, &driver));
    return (cudaError_t)(exec ? cuGraphExecMemcpyNodeSetParams(exec, node, &driver, px_rt_context())
                              : cuGraphMemcpyNodeSetParams(node, &driver));
}

/* ---- nodes of any kind ---- */

/* What the two unions do not share is converted, the rest is copied. */
static cudaError_t node_to_driver(const struct cudaGraphNodeParams *from, CUgraphNodeParams *to)
{
    if (!from) return cudaErrorInvalidValue;
    *to = (CUgraphNodeParams){.type = (CUgraphNodeType)from->type, .reserved2 = from->reserved2};
    switch (from->type) {
    case cudaGraphNodeTypeKernel: return kernel_to_driver(&from->u.kernel, &to->kernel);
    case cudaGraphNodeTypeMemcpy:
        to->memcpy.flags = from->u.memcpy.flags;
        to->memcpy.copyCtx = px_rt_context();
        return px_rt_copy_to_driver(&from->u.memcpy.copyParams, &to->memcpy.copyParams);
    default: break;
    }
    for (size_t i = 0; i < sizeof to->reserved1 / sizeof *to->reserved1; i++)
        to->reserved1[i] = from->u.reserved1[i];
    if (from->type == CU_GRAPH_NODE_TYPE_MEMSET) to->memset.ctx = px_rt_context();
    return cudaSuccess;
}

cudaError_t px_rt_graph_add(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, const void *edges,
                            size_t count, struct cudaGraphNodeParams *params)
{
    CUgraphNodeParams driver;
    RT_TRY(node_to_driver(params, &driver));
    RT_TRY(cuGraphAddNode_v2(node, graph, after, edges, count, &driver));
    if (params->type == cudaGraphNodeTypeKernel || params->type == cudaGraphNodeTypeMemcpy)
        return cudaSuccess;
    for (size_t i = 0; i < sizeof driver.reserved1 / sizeof *driver.reserved1; i++)
        params->u.reserved1[i] = driver.reserved1[i]; /* what the driver filled in: an address, graphs */
    return cudaSuccess;
}

cudaError_t px_rt_graph_set(CUgraphExec exec, CUgraphNode node, struct cudaGraphNodeParams *params)
{
    CUgraphNodeParams driver;
    RT_TRY(node_to_driver(params, &driver));
    return (cudaError_t)(exec ? cuGraphExecNodeSetParams(exec, node, &driver)
                              : cuGraphNodeSetParams(node, &driver));
}
