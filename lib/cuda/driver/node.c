/*
 * node.c - what nodes of graphs do: described, asked for, changed; in graphs and in instances.
 */
#include <stdlib.h>
#include <string.h>
#include "cuda/driver/array.h"
#include "cuda/driver/copy.h"
#include "cuda/driver/graph.h"

#define NODE(name, handle) PX_CU_TAKE(px_cu_node, name, PX_CU_NODE, handle, CUDA_ERROR_INVALID_VALUE)
#define GRAPH(name, handle) PX_CU_TAKE(px_cu_graph, name, PX_CU_GRAPH, handle, CUDA_ERROR_INVALID_VALUE)

CUresult px_cu_put(const struct px_cu_target *t, const ptx_node_config *config)
{
    if (t->made) return px_cu_node_add(t->made, t->graph, t->after, t->count, config);
    const ptx_status status = t->exec
                                  ? ptx_instance_set(t->exec->vm, t->exec->number, t->node->number, config)
                                  : ptx_node_set(t->node->graph->vm, t->node->number, config);
    return px_cu_result(t->context, status, NULL);
}

/* ---- descriptions ---- */

static CUresult put_kernel(const struct px_cu_target *t, const CUDA_KERNEL_NODE_PARAMS *p)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    __attribute__((cleanup(px_cu_args_clean))) struct px_cu_args args;
    args.large = NULL;
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_function_of(p->func ? (const void *)p->func : (const void *)p->kern, &f));
    if (f->head.context != t->context) return CUDA_ERROR_INVALID_VALUE;
    ptx_launch_config launch = {.struct_size = sizeof launch,
                                .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                .shared_bytes = p->sharedMemBytes};
    PX_CU_TRY(px_cu_shape(f, &launch));
    /* A node's buffer is looked at only where there are parameters. */
    const CUresult given = px_cu_params(f, p->kernelParams, f->param_count ? p->extra : NULL, &args);
    if (given == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(given);
    launch.params = args.bytes;
    launch.param_bytes = f->param_bytes;
    const ptx_node_config config = {
        .struct_size = sizeof config, .kind = PTX_NODE_KERNEL, .kernel = f->kernel, .launch = &launch};
    return px_cu_put(t, &config);
}

static CUresult put_copy(const struct px_cu_target *t, const CUDA_MEMCPY3D *p)
{
    ptx_array_copy copy;
    struct px_cu_way way = {.context = t->context, .vm = atomic_load(&t->context->vm)};
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D_PEER peer = px_cu_copy_of_3d(p);
    PX_CU_TRY(px_cu_copy_describe(&way, &peer, &copy));
    const ptx_node_config config = {.struct_size = sizeof config, .kind = PTX_NODE_COPY, .array_copy = &copy};
    return px_cu_put(t, &config);
}

static CUresult put_fill(const struct px_cu_target *t, const CUDA_MEMSET_NODE_PARAMS *p)
{
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return CUDA_ERROR_INVALID_VALUE;
    if (!p->width || !p->height) return CUDA_ERROR_INVALID_VALUE;
    const ptx_fill fill = {.struct_size = sizeof fill,
                           .to = p->dst,
                           .pitch = p->height > 1 ? p->pitch : 0,
                           .width = p->width,
                           .height = p->height,
                           .value = p->value,
                           .element = p->elementSize};
    const ptx_node_config config = {.struct_size = sizeof config, .kind = PTX_NODE_FILL, .fill = &fill};
    return px_cu_put(t, &config);
}

static CUresult put_host(const struct px_cu_target *t, const CUDA_HOST_NODE_PARAMS *p)
{
    if (!p || !p->fn) return CUDA_ERROR_INVALID_VALUE;
    const ptx_node_config config = {
        .struct_size = sizeof config, .kind = PTX_NODE_HOST, .host = p->fn, .user = p->userData};
    return px_cu_put(t, &config);
}

static CUresult put_event(const struct px_cu_target *t, CUevent event, ptx_node_kind kind)
{
    ptx_node_config config = {.struct_size = sizeof config, .kind = kind};
    PX_CU_TRY(px_cu_event_number(event, t->context, &config.event));
    return px_cu_put(t, &config);
}

static CUresult put_child(const struct px_cu_target *t, CUgraph graph)
{
    GRAPH(g, graph);
    if (g->head.context != t->context) return CUDA_ERROR_INVALID_VALUE;
    const ptx_node_config config = {.struct_size = sizeof config, .kind = PTX_NODE_CHILD, .child = g->number};
    return px_cu_put(t, &config);
}

static CUresult put_empty(const struct px_cu_target *t)
{
    const ptx_node_config config = {.struct_size = sizeof config, .kind = PTX_NODE_EMPTY};
    return px_cu_put(t, &config);
}

static CUresult put_any(const struct px_cu_target *t, CUgraphNodeParams *p)
{
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return put_kernel(t, &p->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return put_copy(t, &p->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        const CUDA_MEMSET_NODE_PARAMS plain = {p->memset.dst,         p->memset.pitch, p->memset.value,
                                               p->memset.elementSize, p->memset.width, p->memset.height};
        return put_fill(t, &plain);
    }
    case CU_GRAPH_NODE_TYPE_HOST: return put_host(t, &p->host);
    case CU_GRAPH_NODE_TYPE_GRAPH: return put_child(t, p->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY: return put_empty(t);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return put_event(t, p->eventWait.event, PTX_NODE_WAIT);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return put_event(t, p->eventRecord.event, PTX_NODE_RECORD);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return px_cu_put_alloc(t, &p->alloc);
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return px_cu_put_free(t, p->free.dptr);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: return px_cu_put_values(t, &p->memOp);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL: return px_cu_put_branch(t, &p->conditional);
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* ---- new nodes ---- */

/* The call of one of the functions above for a new node. */
#define ADD(node, graph, after, count, call)                                                                 \
    do {                                                                                                     \
        GRAPH(g_, graph);                                                                                    \
        if (!(node)) return CUDA_ERROR_INVALID_VALUE;                                                        \
        const struct px_cu_target target = {.context = g_->head.context,                                     \
                                            .made = (node),                                                  \
                                            .graph = (graph),                                                \
                                            .after = (after),                                                \
                                            .count = (count)};                                               \
        return call;                                                                                         \
    } while (0)

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS *params)
{
    ADD(node, graph, after, count, put_kernel(&target, params));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                              const CUDA_MEMCPY3D *params, CUcontext context)
{
    (void)context;
    ADD(node, graph, after, count, put_copy(&target, params));
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    (void)context;
    ADD(node, graph, after, count, put_fill(&target, params));
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                            const CUDA_HOST_NODE_PARAMS *params)
{
    ADD(node, graph, after, count, put_host(&target, params));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                  CUgraph child)
{
    ADD(node, graph, after, count, put_child(&target, child));
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count)
{
    ADD(node, graph, after, count, put_empty(&target));
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                   CUevent event)
{
    ADD(node, graph, after, count, put_event(&target, event, PTX_NODE_RECORD));
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                 CUevent event)
{
    ADD(node, graph, after, count, put_event(&target, event, PTX_NODE_WAIT));
}

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                           const CUgraphEdgeData *data, size_t count, CUgraphNodeParams *params)
{
    (void)data;
    ADD(node, graph, after, count, put_any(&target, params));
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    ADD(node, graph, after, count, px_cu_put_alloc(&target, params));
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                               CUdeviceptr address)
{
    ADD(node, graph, after, count, px_cu_put_free(&target, address));
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    ADD(node, graph, after, count, px_cu_put_values(&target, params));
}

/* ---- changes ---- */

/* The same for a node that there is, in its graph or (`exec` not NULL) in an instance. */
#define SET(node_handle, exec_handle, call)                                                                  \
    do {                                                                                                     \
        NODE(n_, node_handle);                                                                               \
        PX_CU_HOLD(px_cu_exec, e_) = (exec_handle) ? px_cu_take((exec_handle), PX_CU_EXEC) : NULL;           \
        if ((exec_handle) && !e_) return CUDA_ERROR_INVALID_VALUE;                                           \
        const struct px_cu_target target = {.context = n_->head.context, .node = n_, .exec = e_};            \
        return call;                                                                                         \
    } while (0)
/* ... where the instance must be one. */
#define SET_EXEC(node_handle, exec_handle, call)                                                             \
    do {                                                                                                     \
        if (!(exec_handle)) return CUDA_ERROR_INVALID_VALUE;                                                 \
        SET(node_handle, exec_handle, call);                                                                 \
    } while (0)

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    SET(node, NULL, put_kernel(&target, params));
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *params)
{
    SET_EXEC(node, exec, put_kernel(&target, params));
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params)
{
    SET(node, NULL, put_copy(&target, params));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *params,
                                        CUcontext context)
{
    (void)context;
    SET_EXEC(node, exec, put_copy(&target, params));
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params)
{
    SET(node, NULL, put_fill(&target, params));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    (void)context;
    SET_EXEC(node, exec, put_fill(&target, params));
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)
{
    SET(node, NULL, put_host(&target, params));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)
{
    SET_EXEC(node, exec, put_host(&target, params));
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
    SET(node, NULL, put_event(&target, event, PTX_NODE_RECORD));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    SET_EXEC(node, exec, put_event(&target, event, PTX_NODE_RECORD));
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event)
{
    SET(node, NULL, put_event(&target, event, PTX_NODE_WAIT));
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    SET_EXEC(node, exec, put_event(&target, event, PTX_NODE_WAIT));
}

static CUresult set_child(CUgraphExec exec, CUgraphNode node, CUgraph child)
{
    SET_EXEC(node, exec, put_child(&target, child));
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child)
{
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    const CUresult result = set_child(exec, node, child);
    if (result != CUDA_ERROR_INVALID_VALUE) return result;
    /* A graph for a child node that does not fit has another shape. */
    PX_CU_HOLD(px_cu_graph, graph) = px_cu_take(child, PX_CU_GRAPH);
    const bool fits =
        graph && cuGraphNodeGetType(node, &type) == CUDA_SUCCESS && type == CU_GRAPH_NODE_TYPE_GRAPH;
    return fits ? CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE : result;
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    SET(node, NULL, px_cu_put_values(&target, params));
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    SET_EXEC(node, exec, px_cu_put_values(&target, params));
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params)
{
    SET(node, NULL, put_any(&target, params));
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params)
{
    SET_EXEC(node, exec, put_any(&target, params));
}

/* ---- questions ---- */

CUresult px_cu_node_ask(struct px_cu_node *n, ptx_node_kind kind, ptx_node_info *info)
{
    *info = (ptx_node_info){sizeof *info};
    PX_CU_TRY(px_cu_result(n->head.context, ptx_node_info_get(n->graph->vm, n->number, info), NULL));
    return info->kind == kind ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

struct kernel_search {
    const ptx_kernel *kernel;
    struct px_cu_function *found;
};

static void match_kernel(void *object, void *user)
{
    struct kernel_search *s = user;
    struct px_cu_function *f = object;
    if (!s->found && f->kernel == s->kernel) s->found = px_cu_again(f);
}

struct px_cu_function *px_cu_function_at(struct px_cu_context *context, const ptx_kernel *kernel)
{
    struct kernel_search s = {.kernel = kernel};
    px_cu_each(PX_CU_FUNCTION, context, match_kernel, &s);
    return s.found;
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    PX_CU_ASK(n, info, node, PTX_NODE_KERNEL, params);
    PX_CU_HOLD(px_cu_function, f) = px_cu_function_at(n->head.context, info.kernel);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    pthread_mutex_lock(&n->graph->lock);
    void **pointers = realloc(n->params, (f->param_count + 1) * sizeof *pointers);
    if (pointers) n->params = pointers;
    for (size_t i = 0; pointers && i < f->param_count; i++)
        pointers[i] = (unsigned char *)(uintptr_t)info.launch.params + f->params[i].offset;
    pthread_mutex_unlock(&n->graph->lock);
    if (!pointers) return CUDA_ERROR_OUT_OF_MEMORY;
    const ptx_launch_config *l = &info.launch;
    *params = (CUDA_KERNEL_NODE_PARAMS){
        px_cu_handle(f), l->grid[0],      l->grid[1], l->grid[2], l->block[0], l->block[1],
        l->block[2],     l->shared_bytes, pointers,   NULL,       NULL,        px_cu_handle(n->head.context)};
    return CUDA_SUCCESS;
}

static CUmemorytype type_of(const ptx_array_place *end)
{
    return end->array ? CU_MEMORYTYPE_ARRAY : end->place.host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

static CUarray array_of(const ptx_array_place *end)
{
    return end->array ? px_cu_array_at(end->place.device, end->array) : NULL;
}

static size_t rows_of(const ptx_array_place *end, size_t height)
{
    return end->place.pitch ? end->place.slice / end->place.pitch : end->array ? 0 : height;
}

/* The members of CUDA_MEMCPY3D that say where one side of a copy lies. */
/* clang-format off */
#define SIDE_3D(side, end, height)                                                                           \
    .side##XInBytes = (end)->x, .side##Y = (end)->y, .side##Z = (end)->z, .side##MemoryType = type_of(end),  \
    .side##Host = (end)->place.host, .side##Device = (end)->place.address, .side##Array = array_of(end),     \
    .side##Pitch = (end)->place.pitch, .side##Height = rows_of(end, height)
/* clang-format on */

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params)
{
    PX_CU_ASK(n, info, node, PTX_NODE_COPY, params);
    const ptx_array_copy *c = &info.array_copy;
    const size_t height = c->height ? c->height : 1;
    *params = (CUDA_MEMCPY3D){SIDE_3D(src, &c->from, height), SIDE_3D(dst, &c->to, height),
                              .WidthInBytes = c->width, .Height = height, .Depth = c->depth ? c->depth : 1};
    return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params)
{
    PX_CU_ASK(n, info, node, PTX_NODE_FILL, params);
    *params = (CUDA_MEMSET_NODE_PARAMS){info.fill.to,    info.fill.pitch,
                                        info.fill.value, info.fill.element,
                                        info.fill.width, info.fill.height ? info.fill.height : 1};
    return CUDA_SUCCESS;
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params)
{
    PX_CU_ASK(n, info, node, PTX_NODE_HOST, params);
    *params = (CUDA_HOST_NODE_PARAMS){info.host, info.user};
    return CUDA_SUCCESS;
}

static CUresult event_of(CUgraphNode node, ptx_node_kind kind, CUevent *event)
{
    PX_CU_ASK(n, info, node, kind, event);
    *event = px_cu_event_at(n->head.context, info.event);
    return *event ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event)
{
    return event_of(node, PTX_NODE_RECORD, event);
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event)
{
    return event_of(node, PTX_NODE_WAIT, event);
}

/* ---- attributes of kernel nodes: hints, kept ---- */

#define ATTRIBUTES (sizeof((struct px_cu_node *)0)->attributes / sizeof(CUlaunchAttributeValue))

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID id, CUkernelNodeAttrValue *value)
{
    ptx_node_info info;
    NODE(n, node);
    if (!value || (unsigned)id >= ATTRIBUTES) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_node_ask(n, PTX_NODE_KERNEL, &info));
    *value = n->attributes[id];
    if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) value->cooperative = info.launch.cooperative;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID id,
                                       const CUkernelNodeAttrValue *value)
{
    ptx_node_info info;
    NODE(n, node);
    if (!value || (unsigned)id >= ATTRIBUTES) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_node_ask(n, PTX_NODE_KERNEL, &info));
    PX_CU_TRY(px_cu_launch_attribute(&info.launch, id, value));
    const ptx_node_config config = {
        .struct_size = sizeof config, .kind = PTX_NODE_KERNEL, .kernel = info.kernel, .launch = &info.launch};
    if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE || id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        PX_CU_TRY(px_cu_result(n->head.context, ptx_node_set(n->graph->vm, n->number, &config), NULL));
    n->attributes[id] = *value;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
    NODE(a, to);
    NODE(b, from);
    memcpy(a->attributes, b->attributes, sizeof a->attributes);
    return CUDA_SUCCESS;
}

/* ---- kernels as CUDA 11 describes them ---- */

static CUDA_KERNEL_NODE_PARAMS widen(const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
    CUDA_KERNEL_NODE_PARAMS now = {0};
    memcpy(&now, p, sizeof *p); /* the newer begins with the older */
    return now;
}

CUresult px_cu_old_kernel_add(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS now = widen(params);
    return cuGraphAddKernelNode_v2(node, graph, after, count, &now);
}

CUresult px_cu_old_kernel_get(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    CUDA_KERNEL_NODE_PARAMS now;
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(cuGraphKernelNodeGetParams_v2(node, &now));
    memcpy(params, &now, sizeof *params);
    return CUDA_SUCCESS;
}

CUresult px_cu_old_kernel_set(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS now = widen(params);
    return cuGraphKernelNodeSetParams_v2(node, &now);
}

CUresult px_cu_old_exec_kernel_set(CUgraphExec exec, CUgraphNode node,
                                   const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS now = widen(params);
    return cuGraphExecKernelNodeSetParams_v2(exec, node, &now);
}
