/*
 * graph_more.c - nodes that came to graphs later: memory, values in memory, conditions; and what is
 * asked about them and about child graphs.
 */
#include <stdlib.h>
#include <string.h>
#include "cuda/driver/graph.h"
#include "cuda/driver/value.h"

enum { VALUES_MOST = 256 };

#define NODE(name, handle) PX_CU_TAKE(px_cu_node, name, PX_CU_NODE, handle, CUDA_ERROR_INVALID_VALUE)
#define GRAPH(name, handle) PX_CU_TAKE(px_cu_graph, name, PX_CU_GRAPH, handle, CUDA_ERROR_INVALID_VALUE)

/* ---- memory ---- */

static CUresult check_memory(const struct px_cu_target *t, const CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    if (!t->made || !p || !p->bytesize || (p->accessDescCount && !p->accessDescs))
        return CUDA_ERROR_INVALID_VALUE;
    if (p->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        p->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        p->poolProps.handleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < p->accessDescCount; i++)
        if (p->accessDescs[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
            !px_cu_device(p->accessDescs[i].location.id))
            return CUDA_ERROR_INVALID_VALUE;
    struct px_cu_device *d = px_cu_device(p->poolProps.location.id);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    return d == t->context->device ? CUDA_SUCCESS : px_cu_unsupported("memory nodes of another device");
}

CUresult px_cu_put_alloc(const struct px_cu_target *t, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    ptx_address at = 0;
    PX_CU_TRY(check_memory(t, p));
    const size_t n = p->accessDescCount;
    CUmemAccessDesc *access = malloc((n + 1) * sizeof *access);
    if (!access) return CUDA_ERROR_OUT_OF_MEMORY;
    if (n) memcpy(access, p->accessDescs, n * sizeof *access);
    const ptx_node_config config = {
        .struct_size = sizeof config, .kind = PTX_NODE_ALLOC, .bytes = p->bytesize, .allocated = &at};
    const CUresult result = px_cu_put(t, &config);
    struct px_cu_node *made = result == CUDA_SUCCESS ? px_cu_take(*t->made, PX_CU_NODE) : NULL;
    if (made) {
        made->access = access;
        made->naccess = n;
        access = NULL;
        p->dptr = at;
    }
    px_cu_give(made);
    free(access);
    return result;
}

CUresult px_cu_put_free(const struct px_cu_target *t, CUdeviceptr address)
{
    if (!t->made) return CUDA_ERROR_INVALID_VALUE;
    const ptx_node_config config = {.struct_size = sizeof config, .kind = PTX_NODE_FREE, .address = address};
    return px_cu_put(t, &config);
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    PX_CU_ASK(n, info, node, PTX_NODE_ALLOC, params);
    *params = (CUDA_MEM_ALLOC_NODE_PARAMS){
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, n->head.context->device->ordinal}},
        .accessDescs = n->naccess ? n->access : NULL,
        .accessDescCount = n->naccess,
        .bytesize = info.bytes,
        .dptr = info.address};
    return CUDA_SUCCESS;
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address)
{
    PX_CU_ASK(n, info, node, PTX_NODE_FREE, address);
    *address = info.address;
    return CUDA_SUCCESS;
}

/* The device's memory of graphs; *vm NULL: no context is in use there, so there is none. */
static CUresult graphs_of(CUdevice device, struct px_cu_context **context, ptx_device **vm)
{
    PX_CU_TRY(px_cu_ready());
    *vm = NULL;
    const CUresult result = px_cu_context_on(device, context);
    if (result == CUDA_SUCCESS) return px_cu_vm(*context, vm);
    return result == CUDA_ERROR_INVALID_CONTEXT ? CUDA_SUCCESS : result;
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
    ptx_device *vm;
    ptx_pool_info info = {sizeof info};
    PX_CU_HOLD(px_cu_context, c) = NULL;
    PX_CU_TRY(graphs_of(device, &c, &vm));
    if (!value || (unsigned)attribute > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH) return CUDA_ERROR_INVALID_VALUE;
    if (vm) PX_CU_TRY(px_cu_result(c, ptx_pool_info_get(vm, PTX_POOL_GRAPHS, &info), NULL));
    *(cuuint64_t *)value = attribute == CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT       ? info.used
                           : attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH        ? info.used_high
                           : attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT ? info.reserved
                                                                                 : info.reserved_high;
    return CUDA_SUCCESS;
}

/* Both marks are put back at once. */
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
    ptx_device *vm;
    PX_CU_HOLD(px_cu_context, c) = NULL;
    PX_CU_TRY(graphs_of(device, &c, &vm));
    const bool high =
        attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH || attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
    if (!value || !high || *(const cuuint64_t *)value) return CUDA_ERROR_INVALID_VALUE;
    return vm ? px_cu_result(c, ptx_pool_high_reset(vm, PTX_POOL_GRAPHS), NULL) : CUDA_SUCCESS;
}

CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    ptx_device *vm;
    PX_CU_HOLD(px_cu_context, c) = NULL;
    PX_CU_TRY(graphs_of(device, &c, &vm));
    return vm ? px_cu_result(c, ptx_pool_trim(vm, PTX_POOL_GRAPHS, 0), NULL) : CUDA_SUCCESS;
}

/* ---- values ---- */

CUresult px_cu_put_values(const struct px_cu_target *t, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
    ptx_value list[VALUES_MOST];
    size_t n;
    if (!p || p->flags) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_values(p->paramArray, p->count, list, &n));
    const ptx_node_config config = {
        .struct_size = sizeof config, .kind = PTX_NODE_VALUES, .values = list, .nvalues = n};
    return n ? px_cu_put(t, &config) : px_cu_unsupported("nodes of nothing but barriers");
}

/* As it would be described now: barriers are not kept. */
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    PX_CU_ASK(n, info, node, PTX_NODE_VALUES, params);
    CUstreamBatchMemOpParams *list = calloc(info.nvalues, sizeof *list);
    if (!list) return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < info.nvalues; i++) {
        const ptx_value *v = &info.values[i];
        const bool write = v->op == PTX_VALUE_WRITE;
        list[i].operation = v->bytes == 4
                                ? (write ? CU_STREAM_MEM_OP_WRITE_VALUE_32 : CU_STREAM_MEM_OP_WAIT_VALUE_32)
                                : (write ? CU_STREAM_MEM_OP_WRITE_VALUE_64 : CU_STREAM_MEM_OP_WAIT_VALUE_64);
        list[i].waitValue.address = v->address;
        list[i].waitValue.value64 = v->value;
        list[i].waitValue.flags = write ? 0 : (unsigned)v->op; /* numbered alike */
    }
    pthread_mutex_lock(&n->graph->lock);
    free(n->values);
    n->values = list;
    pthread_mutex_unlock(&n->graph->lock);
    *params = (CUDA_BATCH_MEM_OP_NODE_PARAMS){px_cu_handle(n->head.context), (unsigned)info.nvalues, list, 0};
    return CUDA_SUCCESS;
}
_Static_assert((int)CU_STREAM_WAIT_VALUE_NOR == PTX_VALUE_WAIT_NOR, "");

/* ---- conditions ---- */

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, CUcontext context,
                                        unsigned value, unsigned flags)
{
    uint64_t number;
    GRAPH(g, graph);
    if (!handle || flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != px_cu_handle(g->head.context)) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_result(g->head.context,
                           ptx_condition_create(g->vm, g->number, value, flags != 0, &number), NULL));
    *handle = number;
    return CUDA_SUCCESS;
}

/* Handles of the graphs of a node, kept with it. */
static CUresult keep_bodies(struct px_cu_node *n, unsigned count)
{
    ptx_graph number;
    CUgraph *bodies = calloc(count, sizeof *bodies);
    if (!bodies) return CUDA_ERROR_OUT_OF_MEMORY;
    n->bodies = bodies;
    for (; n->nbodies < count; n->nbodies++) {
        const ptx_status status = ptx_node_graph(n->graph->vm, n->number, n->nbodies, &number);
        PX_CU_TRY(px_cu_result(n->head.context, status, NULL));
        PX_CU_HOLD(px_cu_graph, g) = px_cu_graph_at(n->head.context, n->graph->vm, number);
        if (!g) return CUDA_ERROR_OUT_OF_MEMORY;
        g->body = true;
        bodies[n->nbodies] = px_cu_handle(g);
    }
    return CUDA_SUCCESS;
}

/* A condition is one node's. */
struct condition {
    CUgraphConditionalHandle handle;
    bool taken;
};

static void look(void *object, void *user)
{
    const struct px_cu_node *n = object;
    struct condition *c = user;
    c->taken |= n->nbodies && n->condition == c->handle;
}

CUresult px_cu_put_branch(const struct px_cu_target *t, CUDA_CONDITIONAL_NODE_PARAMS *p)
{
    static const ptx_branch_kind kinds[] = {[CU_GRAPH_COND_TYPE_IF] = PTX_BRANCH_IF,
                                            [CU_GRAPH_COND_TYPE_WHILE] = PTX_BRANCH_WHILE,
                                            [CU_GRAPH_COND_TYPE_SWITCH] = PTX_BRANCH_SWITCH};
    if (!t->made || !p || (unsigned)p->type >= sizeof kinds / sizeof *kinds) return CUDA_ERROR_INVALID_VALUE;
    if (p->ctx && p->ctx != px_cu_handle(t->context)) return CUDA_ERROR_INVALID_VALUE;
    if (!p->size || p->size > 1 << 16) return CUDA_ERROR_INVALID_VALUE;
    struct condition condition = {.handle = p->handle};
    px_cu_each(PX_CU_NODE, t->context, look, &condition);
    if (condition.taken) return CUDA_ERROR_INVALID_VALUE;
    ptx_graph *numbers = malloc(p->size * sizeof *numbers);
    if (!numbers) return CUDA_ERROR_OUT_OF_MEMORY;
    const ptx_node_config config = {.struct_size = sizeof config,
                                    .kind = PTX_NODE_BRANCH,
                                    .condition = p->handle,
                                    .branch = kinds[p->type],
                                    .nbodies = p->size,
                                    .bodies = numbers};
    const CUresult result = px_cu_put(t, &config);
    free(numbers);
    PX_CU_TRY(result);
    NODE(n, *t->made);
    n->condition = p->handle;
    PX_CU_TRY(keep_bodies(n, p->size));
    p->phGraph_out = n->bodies;
    return CUDA_SUCCESS;
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph)
{
    PX_CU_ASK(n, info, node, PTX_NODE_CHILD, graph);
    pthread_mutex_lock(&n->graph->lock);
    const CUresult result = n->bodies ? CUDA_SUCCESS : keep_bodies(n, 1);
    if (result == CUDA_SUCCESS) *graph = n->bodies[0];
    pthread_mutex_unlock(&n->graph->lock);
    return result;
}
