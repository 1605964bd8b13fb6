/*
 * api/graph.c - the public functions of ptx_graph.h: check the arguments, take the lock, call inward.
 */
#include "api/take.h"
#include "base/sized.h"
#include "vm/queue/branch.h"
#include "vm/queue/capture.h"
#include "vm/device/device.h"
#include "vm/queue/pool.h"

enum {
    FIRST_NODE = PX_FIRST(ptx_node_config, child),
    FIRST_NODE_INFO = PX_FIRST(ptx_node_info, event),
    FIRST_CAPTURE_INFO = PX_FIRST(ptx_capture_info, id)
};

/* The call with the scheduler's lock held. */
#define LOCKED(device, call)                                                                                 \
    do {                                                                                                     \
        if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;                                    \
        px_sched_lock(&(device)->sched);                                                                     \
        const ptx_status status_ = (call);                                                                   \
        px_sched_unlock(&(device)->sched);                                                                   \
        return status_;                                                                                      \
    } while (0)

/* ---- what nodes do ---- */

static ptx_status kernel_op(ptx_device *device, const ptx_node_config *c, struct px_work *op)
{
    if (!c->kernel || !c->launch || c->kernel->program->device != device) return PTX_ERROR_INVALID_ARGUMENT;
    *op = (struct px_work){.kind = PX_WORK_KERNEL, .kernel = c->kernel};
    if (!px_launch_take(&op->config, c->launch)) return PTX_ERROR_INVALID_ARGUMENT;
    return px_work_check(device, op);
}

/* The lock is held. */
static ptx_status named_op(ptx_device *device, const ptx_node_config *c, struct px_work *op)
{
    if (c->kind == PTX_NODE_CHILD) {
        *op = (struct px_work){.kind = PX_WORK_CHILD,
                               .child = px_handle_get(&device->handles, PX_HANDLE_GRAPH, c->child)};
        if (op->child && px_graph_is_single(op->child)) return PTX_ERROR_UNSUPPORTED;
        return op->child ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
    }
    *op = (struct px_work){.kind = c->kind == PTX_NODE_RECORD ? PX_WORK_RECORD : PX_WORK_WAIT,
                           .event = c->event};
    return px_handle_get(&device->handles, PX_HANDLE_EVENT, c->event) ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

static bool of_graph(const ptx_device *device, ptx_address address)
{
    struct px_extent block;
    enum px_mem_kind kind;
    return px_mem_block(&device->mem, address, &block, &kind) && block.lo == address &&
           (kind == PX_MEM_GRAPH || kind == PX_MEM_DORMANT);
}

enum { BODIES_MOST = 1 << 16 };

static ptx_status check_branch(const ptx_device *device, const ptx_node_config *c)
{
    const unsigned most = c->branch == PTX_BRANCH_IF ? 2 : c->branch == PTX_BRANCH_WHILE ? 1 : BODIES_MOST;
    const bool ok = (unsigned)c->branch <= PTX_BRANCH_SWITCH && c->nbodies && c->nbodies <= most && c->bodies;
    return ok && px_condition_find(device, c->condition) ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

/* The lock is held. */
static ptx_status op_of(ptx_device *device, const ptx_node_config *given, struct px_work *op)
{
    ptx_node_config c;
    if (!given || !px_take(&c, sizeof c, FIRST_NODE, given)) return PTX_ERROR_INVALID_ARGUMENT;
    *op = (struct px_work){.kind = PX_WORK_EMPTY};
    switch (c.kind) {
    case PTX_NODE_EMPTY: return PTX_OK;
    case PTX_NODE_KERNEL: return kernel_op(device, &c, op);
    case PTX_NODE_COPY:
        op->kind = PX_WORK_COPY;
        return c.copy ? px_take_copy(device, c.copy, &op->copy)
                      : px_take_array_copy(device, c.array_copy, &op->copy);
    case PTX_NODE_FILL: op->kind = PX_WORK_COPY; return px_take_fill(device, c.fill, &op->copy);
    case PTX_NODE_HOST:
        *op = (struct px_work){.kind = PX_WORK_HOST, .fn = c.host, .user = c.user};
        return px_work_check(device, op);
    case PTX_NODE_ALLOC:
        op->kind = PX_WORK_ALLOC;
        return c.bytes && c.allocated ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
    case PTX_NODE_FREE:
        *op = (struct px_work){.kind = PX_WORK_FREE, .address = c.address};
        return of_graph(device, c.address) ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
    case PTX_NODE_VALUES:
        *op = (struct px_work){.kind = PX_WORK_VALUES, .values = c.values, .nvalues = (uint32_t)c.nvalues};
        return px_values_ok(device, c.values, c.nvalues) ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
    case PTX_NODE_BRANCH: op->kind = PX_WORK_BRANCH; return check_branch(device, &c);
    case PTX_NODE_RECORD:
    case PTX_NODE_WAIT:
    case PTX_NODE_CHILD: return named_op(device, &c, op);
    default: return PTX_ERROR_INVALID_ARGUMENT;
    }
}

/* ---- graphs ---- */

PTX_API ptx_status ptx_graph_create(ptx_device *device, ptx_graph *graph)
{
    LOCKED(device, graph ? px_graph_create(device, graph) : PTX_ERROR_INVALID_ARGUMENT);
}

PTX_API ptx_status ptx_graph_destroy(ptx_device *device, ptx_graph graph)
{
    LOCKED(device, px_graph_destroy(device, graph));
}

PTX_API ptx_status ptx_graph_clone(ptx_device *device, ptx_graph graph, ptx_graph *copy)
{
    LOCKED(device, copy ? px_graph_copy(device, graph, copy) : PTX_ERROR_INVALID_ARGUMENT);
}

static ptx_status add(ptx_device *device, ptx_graph graph, const ptx_node *after, size_t count,
                      const ptx_node_config *config, ptx_node *node)
{
    struct px_work op;
    if (!node || (count && !after)) return PTX_ERROR_INVALID_ARGUMENT;
    ptx_status status = op_of(device, config, &op);
    if (status != PTX_OK) return status;
    if (op.kind == PX_WORK_ALLOC && !(op.memory = px_graph_memory_new(device, config->bytes)))
        return PTX_ERROR_OUT_OF_MEMORY;
    if (op.kind == PX_WORK_BRANCH &&
        !(op.branch = px_branch_new(device, config->branch, px_condition_find(device, config->condition),
                                    config->nbodies)))
        return PTX_ERROR_OUT_OF_MEMORY;
    status = px_graph_add_node(device, graph, after, count, &op, node);
    if (status == PTX_OK && op.memory) *config->allocated = op.memory->va;
    for (unsigned i = 0; status == PTX_OK && op.branch && i < op.branch->n; i++)
        config->bodies[i] = op.branch->graphs[i]->number;
    px_graph_memory_release(device, op.memory); /* the node has its own reference */
    px_branch_release(device, op.branch);
    return status;
}

PTX_API ptx_status ptx_graph_add(ptx_device *device, ptx_graph graph, const ptx_node *after, size_t count,
                                 const ptx_node_config *config, ptx_node *node)
{
    LOCKED(device, add(device, graph, after, count, config, node));
}

PTX_API ptx_status ptx_graph_edge_add(ptx_device *device, ptx_node from, ptx_node to)
{
    LOCKED(device, px_graph_edge(device, from, to, true));
}

PTX_API ptx_status ptx_graph_edge_remove(ptx_device *device, ptx_node from, ptx_node to)
{
    LOCKED(device, px_graph_edge(device, from, to, false));
}

PTX_API ptx_status ptx_graph_nodes(ptx_device *device, ptx_graph graph, ptx_node *nodes, size_t *count)
{
    LOCKED(device, count ? px_graph_list(device, graph, nodes, count) : PTX_ERROR_INVALID_ARGUMENT);
}

PTX_API ptx_status ptx_node_after(ptx_device *device, ptx_node node, ptx_node *nodes, size_t *count)
{
    LOCKED(device, count ? px_node_list(device, node, nodes, count) : PTX_ERROR_INVALID_ARGUMENT);
}

PTX_API ptx_status ptx_node_kind_get(ptx_device *device, ptx_node node, ptx_node_kind *kind)
{
    LOCKED(device, kind ? px_node_kind(device, node, kind) : PTX_ERROR_INVALID_ARGUMENT);
}

PTX_API ptx_status ptx_node_info_get(ptx_device *device, ptx_node node, ptx_node_info *info)
{
    ptx_node_info told;
    if (!device || !px_can_give(info, FIRST_NODE_INFO)) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    const ptx_status status = px_node_info(device, node, &told);
    px_sched_unlock(&device->sched);
    if (status == PTX_OK) px_give(info, &told, sizeof told, FIRST_NODE_INFO);
    return status;
}

static ptx_status set(ptx_device *device, ptx_node node, const ptx_node_config *config)
{
    struct px_work op;
    const ptx_status status = op_of(device, config, &op);
    return status == PTX_OK ? px_node_replace(device, node, &op) : status;
}

PTX_API ptx_status ptx_node_set(ptx_device *device, ptx_node node, const ptx_node_config *config)
{
    LOCKED(device, set(device, node, config));
}

PTX_API ptx_status ptx_node_destroy(ptx_device *device, ptx_node node)
{
    LOCKED(device, px_node_destroy(device, node));
}

PTX_API ptx_status ptx_node_graph(ptx_device *device, ptx_node node, unsigned place, ptx_graph *graph)
{
    LOCKED(device, graph ? px_node_graph(device, node, place, graph) : PTX_ERROR_INVALID_ARGUMENT);
}

PTX_API ptx_status ptx_condition_create(ptx_device *device, ptx_graph graph, uint32_t value, int reset,
                                        uint64_t *condition)
{
    LOCKED(device, condition ? px_condition_create(device, graph, value, reset != 0, condition)
                             : PTX_ERROR_INVALID_ARGUMENT);
}

/* ---- instances ---- */

PTX_API ptx_status ptx_graph_instantiate(ptx_device *device, ptx_graph graph, ptx_instance *instance)
{
    LOCKED(device, instance ? px_exec_create(device, graph, instance) : PTX_ERROR_INVALID_ARGUMENT);
}

PTX_API ptx_status ptx_instance_update(ptx_device *device, ptx_instance instance, ptx_graph graph)
{
    LOCKED(device, px_exec_update(device, instance, graph));
}

static ptx_status set_step(ptx_device *device, ptx_instance instance, ptx_node node,
                           const ptx_node_config *config)
{
    struct px_work op;
    const ptx_status status = op_of(device, config, &op);
    return status == PTX_OK ? px_exec_set(device, instance, node, &op) : status;
}

PTX_API ptx_status ptx_instance_set(ptx_device *device, ptx_instance instance, ptx_node node,
                                    const ptx_node_config *config)
{
    LOCKED(device, set_step(device, instance, node, config));
}

static ptx_status enable(ptx_device *device, ptx_instance instance, ptx_node node, int enabled)
{
    struct px_stage *step = px_exec_step(device, instance, node);
    if (!step) return PTX_ERROR_INVALID_ARGUMENT;
    step->off = !enabled;
    return PTX_OK;
}

static ptx_status enabled_of(ptx_device *device, ptx_instance instance, ptx_node node, int *enabled)
{
    const struct px_stage *step = px_exec_step(device, instance, node);
    if (!step || !enabled) return PTX_ERROR_INVALID_ARGUMENT;
    *enabled = !step->off;
    return PTX_OK;
}

PTX_API ptx_status ptx_instance_enable(ptx_device *device, ptx_instance instance, ptx_node node, int enabled)
{
    LOCKED(device, enable(device, instance, node, enabled));
}

PTX_API ptx_status ptx_instance_enabled(ptx_device *device, ptx_instance instance, ptx_node node,
                                        int *enabled)
{
    LOCKED(device, enabled_of(device, instance, node, enabled));
}

PTX_API ptx_status ptx_instance_launch(ptx_device *device, ptx_instance instance, ptx_stream stream)
{
    LOCKED(device, px_exec_run(device, instance, stream));
}

PTX_API ptx_status ptx_instance_destroy(ptx_device *device, ptx_instance instance)
{
    LOCKED(device, px_exec_destroy(device, instance));
}

/* ---- capture ---- */

PTX_API ptx_status ptx_capture_begin(ptx_device *device, ptx_stream stream)
{
    LOCKED(device, px_capture_begin(device, stream));
}

PTX_API ptx_status ptx_capture_end(ptx_device *device, ptx_stream stream, ptx_graph *graph)
{
    LOCKED(device, graph ? px_capture_end(device, stream, graph) : PTX_ERROR_INVALID_ARGUMENT);
}

PTX_API ptx_status ptx_capture_begin_to(ptx_device *device, ptx_stream stream, ptx_graph graph,
                                        const ptx_node *after, size_t count)
{
    LOCKED(device, !count || after ? px_capture_begin_to(device, stream, graph, after, count)
                                   : PTX_ERROR_INVALID_ARGUMENT);
}

PTX_API ptx_status ptx_capture_after(ptx_device *device, ptx_stream stream, const ptx_node *nodes,
                                     size_t count, int add)
{
    LOCKED(device, !count || nodes ? px_capture_after(device, stream, nodes, count, add != 0)
                                   : PTX_ERROR_INVALID_ARGUMENT);
}

static ptx_status is_captured(ptx_device *device, ptx_stream stream, int *active)
{
    const struct px_stream *s = px_stream_find(device, stream);
    if (!s) return PTX_ERROR_INVALID_ARGUMENT;
    *active = s->capture != NULL;
    return PTX_OK;
}

PTX_API ptx_status ptx_capture_query(ptx_device *device, ptx_stream stream, int *active)
{
    LOCKED(device, active ? is_captured(device, stream, active) : PTX_ERROR_INVALID_ARGUMENT);
}

static ptx_status event_node(ptx_device *device, ptx_stream stream, ptx_event event, ptx_node_kind kind)
{
    struct px_stream *s = px_stream_find(device, stream);
    const struct px_work op = {.kind = kind == PTX_NODE_RECORD ? PX_WORK_RECORD : PX_WORK_WAIT,
                               .event = event};
    if (!s || !s->capture || (kind != PTX_NODE_RECORD && kind != PTX_NODE_WAIT))
        return PTX_ERROR_INVALID_ARGUMENT;
    if (!px_handle_get(&device->handles, PX_HANDLE_EVENT, event)) return PTX_ERROR_INVALID_ARGUMENT;
    return px_capture_op(s, &op);
}

PTX_API ptx_status ptx_capture_event(ptx_device *device, ptx_stream stream, ptx_event event,
                                     ptx_node_kind kind)
{
    LOCKED(device, event_node(device, stream, event, kind));
}

PTX_API ptx_status ptx_capture_info_get(ptx_device *device, ptx_stream stream, ptx_capture_info *info,
                                        ptx_node *nodes, size_t *count)
{
    ptx_capture_info told;
    if (!device || !px_can_give(info, FIRST_CAPTURE_INFO)) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    const ptx_status status = px_capture_info(device, stream, &told, nodes, count);
    px_sched_unlock(&device->sched);
    if (status == PTX_OK) px_give(info, &told, sizeof told, FIRST_CAPTURE_INFO);
    return status;
}
