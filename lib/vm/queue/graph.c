/*
 * graph.c - graphs as they are described: nodes and what each comes after.
 */
#include "vm/queue/branch.h"
#include "vm/queue/capture.h"
#include "vm/device/device.h"
#include "vm/queue/pool.h"
#include <string.h>

struct px_graph *px_graph_new(struct ptx_device *device)
{
    return px_zalloc(&device->alloc, sizeof(struct px_graph));
}

static bool more_nodes(struct ptx_device *device, struct px_graph *graph)
{
    if (graph->n < graph->cap) return true;
    const uint32_t cap = graph->cap ? graph->cap * 2 : 8;
    struct px_node **nodes =
        px_realloc(&device->alloc, graph->nodes, graph->cap * sizeof *nodes, cap * sizeof *nodes);
    if (!nodes) return false;
    graph->nodes = nodes;
    graph->cap = cap;
    return true;
}

/* What is left of a node that could not be made, or is not wanted. */
static void drop_node(struct ptx_device *device, struct px_node *node)
{
    if (node->number) px_handle_drop(&device->handles, PX_HANDLE_NODE, node->number);
    px_work_drop(device, &node->op);
    px_free(&device->alloc, node->after, node->nafter * sizeof(struct px_node *));
    px_free(&device->alloc, node, sizeof *node);
}

struct px_node *px_graph_add(struct ptx_device *device, struct px_graph *graph, struct px_node *const *after,
                             uint32_t nafter, const struct px_work *op, bool named)
{
    struct px_node *node = more_nodes(device, graph) ? px_zalloc(&device->alloc, sizeof *node) : NULL;
    if (!node) return NULL;
    node->graph = graph;
    bool ok = px_work_keep(device, &node->op, op);
    if (!ok) node->op.kind = PX_WORK_EMPTY;
    node->after = ok ? px_alloc(&device->alloc, nafter * sizeof *after) : NULL;
    node->nafter = node->after ? nafter : 0;
    ok = node->after != NULL;
    if (ok && nafter) memcpy(node->after, after, nafter * sizeof *after);
    if (ok && named)
        ok = (node->number = px_handle_add(&device->handles, &device->alloc, PX_HANDLE_NODE, node)) != 0;
    if (!ok) {
        drop_node(device, node);
        return NULL;
    }
    node->place = graph->n;
    return graph->nodes[graph->n++] = node;
}

static void remove_edge(struct px_node *to, const struct px_node *from)
{
    for (uint32_t i = 0; i < to->nafter; i++)
        if (to->after[i] == from) {
            to->after[i] = to->after[to->nafter - 1];
            to->after[to->nafter - 1] = (struct px_node *)(uintptr_t)from;
            return;
        }
}

/* Its edges go with it. (A shorter list keeps its allocation's size: a copy of it is made.) */
static bool without(struct ptx_device *device, struct px_node *node, const struct px_node *from)
{
    uint32_t i = 0;
    while (i < node->nafter && node->after[i] != from) i++;
    if (i == node->nafter) return true;
    struct px_node **after = px_alloc(&device->alloc, (node->nafter - 1) * sizeof *after);
    if (!after) return false;
    remove_edge(node, from);
    memcpy(after, node->after, (node->nafter - 1) * sizeof *after);
    px_free(&device->alloc, node->after, node->nafter * sizeof *after);
    node->after = after;
    node->nafter--;
    return true;
}

static bool with(struct ptx_device *device, struct px_node *node, struct px_node *from)
{
    struct px_node **after = px_realloc(&device->alloc, node->after, node->nafter * sizeof *after,
                                        (node->nafter + 1) * sizeof *after);
    if (!after) return false;
    node->after = after;
    node->after[node->nafter++] = from;
    return true;
}

void px_graph_free(struct ptx_device *device, struct px_graph *graph)
{
    if (!graph) return;
    if (graph->capture) px_capture_lose(device, graph->capture);
    if (graph->lent) px_handle_drop(&device->handles, PX_HANDLE_GRAPH, graph->number);
    for (struct px_condition *c = graph->conditions, *next; c; c = next) {
        next = c->next;
        px_condition_release(device, c);
    }
    for (uint32_t i = 0; i < graph->n; i++) drop_node(device, graph->nodes[i]);
    px_free(&device->alloc, graph->nodes, graph->cap * sizeof *graph->nodes);
    px_free(&device->alloc, graph, sizeof *graph);
}

/* Copies have the places of what they are copies of, and may come before what they come after in the list: so
 * edges are set when all exist. */
static bool copy_nodes(struct ptx_device *device, const struct px_graph *from, struct px_graph *to,
                       bool named)
{
    for (uint32_t i = 0; i < from->n; i++) {
        const struct px_node *node = from->nodes[i];
        if (!px_graph_add(device, to, node->after, node->nafter, &node->op, named)) return false;
    }
    for (uint32_t i = 0; i < to->n; i++)
        for (uint32_t k = 0; k < to->nodes[i]->nafter; k++)
            to->nodes[i]->after[k] = to->nodes[to->nodes[i]->after[k]->place];
    return true;
}

static struct px_graph *clone(struct ptx_device *device, const struct px_graph *graph, bool named)
{
    struct px_graph *copy = px_graph_new(device);
    if (copy && copy_nodes(device, graph, copy, named)) return copy;
    px_graph_free(device, copy);
    return NULL;
}

struct px_graph *px_graph_clone(struct ptx_device *device, const struct px_graph *graph)
{
    return clone(device, graph, false);
}

/* Its addresses, its conditions, are this graph's alone. */
static bool is_single(enum px_work_kind kind)
{
    return kind == PX_WORK_ALLOC || kind == PX_WORK_BRANCH;
}

bool px_graph_is_single(const struct px_graph *graph)
{
    uint32_t i = 0;
    while (i < graph->n && !is_single(graph->nodes[i]->op.kind)) i++;
    return i < graph->n;
}

bool px_graph_takes(const struct px_graph *graph, enum px_work_kind kind)
{
    return !graph->child || !is_single(kind);
}

static bool holds_capture(const struct px_graph *graph);

static bool op_holds_capture(const struct px_work *op)
{
    if (op->kind == PX_WORK_CHILD) return holds_capture(op->child);
    for (uint32_t i = 0; op->kind == PX_WORK_BRANCH && i < op->branch->n; i++)
        if (holds_capture(op->branch->graphs[i])) return true;
    return false;
}

/* Is a stream captured into it, or into a graph of one of its nodes? */
static bool holds_capture(const struct px_graph *graph)
{
    bool holds = graph->capture != NULL;
    for (uint32_t i = 0; !holds && i < graph->n; i++) holds = op_holds_capture(&graph->nodes[i]->op);
    return holds;
}

bool px_graph_lend(struct ptx_device *device, struct px_graph *graph)
{
    if (graph->number) return true;
    for (uint32_t i = 0; i < graph->n; i++) {
        struct px_node *node = graph->nodes[i];
        if (!node->number)
            node->number = px_handle_add(&device->handles, &device->alloc, PX_HANDLE_NODE, node);
        if (!node->number) return false;
    }
    graph->number = px_handle_add(&device->handles, &device->alloc, PX_HANDLE_GRAPH, graph);
    graph->lent = graph->number != 0;
    return graph->lent;
}

/* ---- what the embedder asks; the lock is held ---- */

static struct px_graph *graph_at(struct ptx_device *device, ptx_graph number)
{
    return px_handle_get(&device->handles, PX_HANDLE_GRAPH, number);
}

static struct px_node *node_at(struct ptx_device *device, ptx_node number)
{
    return px_handle_get(&device->handles, PX_HANDLE_NODE, number);
}

ptx_status px_graph_name(struct ptx_device *device, struct px_graph *graph, ptx_graph *number)
{
    if (graph && graph->lent) { /* whoever asked for it before has its number */
        graph->lent = false;
        *number = graph->number;
        return PTX_OK;
    }
    if (graph) graph->number = px_handle_add(&device->handles, &device->alloc, PX_HANDLE_GRAPH, graph);
    if (graph && graph->number) {
        *number = graph->number;
        return PTX_OK;
    }
    px_graph_free(device, graph);
    return PTX_ERROR_OUT_OF_MEMORY;
}

ptx_status px_graph_create(struct ptx_device *device, ptx_graph *number)
{
    return px_graph_name(device, px_graph_new(device), number);
}

ptx_status px_graph_destroy(struct ptx_device *device, ptx_graph number)
{
    struct px_graph *graph = graph_at(device, number);
    if (graph && (graph->lent || holds_capture(graph))) return PTX_ERROR_INVALID_ARGUMENT;
    px_handle_drop(&device->handles, PX_HANDLE_GRAPH, number);
    px_graph_free(device, graph);
    return graph ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

ptx_status px_graph_copy(struct ptx_device *device, ptx_graph number, ptx_graph *copy)
{
    const struct px_graph *graph = graph_at(device, number);
    if (!graph) return PTX_ERROR_INVALID_ARGUMENT;
    if (px_graph_is_single(graph)) return PTX_ERROR_UNSUPPORTED;
    return px_graph_name(device, clone(device, graph, true), copy);
}

ptx_status px_graph_add_node(struct ptx_device *device, ptx_graph number, const ptx_node *after, size_t count,
                             const struct px_work *op, ptx_node *out)
{
    struct px_graph *graph = graph_at(device, number);
    if (!graph || count > graph->n || op->child == graph) return PTX_ERROR_INVALID_ARGUMENT;
    if (!px_graph_takes(graph, op->kind)) return PTX_ERROR_UNSUPPORTED;
    struct px_node **list = px_alloc(&device->alloc, count * sizeof *list);
    if (!list) return PTX_ERROR_OUT_OF_MEMORY;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        list[i] = node_at(device, after[i]);
        ok = list[i] && list[i]->graph == graph;
        for (size_t k = 0; ok && k < i; k++) ok = list[k] != list[i];
    }
    struct px_node *node = ok ? px_graph_add(device, graph, list, (uint32_t)count, op, true) : NULL;
    px_free(&device->alloc, list, count * sizeof *list);
    if (node) *out = node->number;
    return node ? PTX_OK : ok ? PTX_ERROR_OUT_OF_MEMORY : PTX_ERROR_INVALID_ARGUMENT;
}

static bool has_edge(const struct px_node *from, const struct px_node *to)
{
    uint32_t i = 0;
    while (i < to->nafter && to->after[i] != from) i++;
    return i < to->nafter;
}

ptx_status px_graph_edge(struct ptx_device *device, ptx_node from, ptx_node to, bool wanted)
{
    struct px_node *a = node_at(device, from), *b = node_at(device, to);
    if (!a || !b || a->graph != b->graph || has_edge(a, b) == wanted) return PTX_ERROR_INVALID_ARGUMENT;
    return (wanted ? with(device, b, a) : without(device, b, a)) ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

static void give(struct px_node *const *list, uint32_t n, ptx_node *nodes, size_t *count)
{
    for (uint32_t i = 0; nodes && i < n && i < *count; i++) nodes[i] = list[i]->number;
    *count = n;
}

ptx_status px_graph_list(struct ptx_device *device, ptx_graph number, ptx_node *nodes, size_t *count)
{
    const struct px_graph *graph = graph_at(device, number);
    if (graph) give(graph->nodes, graph->n, nodes, count);
    return graph ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

ptx_status px_node_list(struct ptx_device *device, ptx_node number, ptx_node *nodes, size_t *count)
{
    const struct px_node *node = node_at(device, number);
    if (node) give(node->after, node->nafter, nodes, count);
    return node ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

static ptx_node_kind kind_of(const struct px_work *op)
{
    switch (op->kind) {
    case PX_WORK_KERNEL: return PTX_NODE_KERNEL;
    case PX_WORK_COPY: return op->copy.fill ? PTX_NODE_FILL : PTX_NODE_COPY;
    case PX_WORK_HOST: return PTX_NODE_HOST;
    case PX_WORK_RECORD: return PTX_NODE_RECORD;
    case PX_WORK_WAIT: return PTX_NODE_WAIT;
    case PX_WORK_CHILD: return PTX_NODE_CHILD;
    case PX_WORK_ALLOC: return PTX_NODE_ALLOC;
    case PX_WORK_FREE: return PTX_NODE_FREE;
    case PX_WORK_VALUES: return PTX_NODE_VALUES;
    case PX_WORK_BRANCH: return PTX_NODE_BRANCH;
    default: return PTX_NODE_EMPTY;
    }
}

ptx_status px_node_kind(struct ptx_device *device, ptx_node number, ptx_node_kind *kind)
{
    const struct px_node *node = node_at(device, number);
    if (node) *kind = kind_of(&node->op);
    return node ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

static ptx_copy told_copy(const struct px_copy *c)
{
    return (ptx_copy){.struct_size = sizeof(ptx_copy),
                      .to = c->to,
                      .from = c->from,
                      .width = c->width,
                      .height = c->height,
                      .depth = c->depth};
}

static ptx_array_place told_place(const ptx_place *place, const struct px_copy_array *a)
{
    ptx_array_place told = {.array = a->number, .x = a->x, .y = a->y, .z = a->z, .place = *place};
    if (a->number) told.place.device = a->device;
    return told;
}

static ptx_array_copy told_array_copy(const struct px_copy *c)
{
    return (ptx_array_copy){.struct_size = sizeof(ptx_array_copy),
                            .to = told_place(&c->to, &c->to_array),
                            .from = told_place(&c->from, &c->from_array),
                            .width = c->width,
                            .height = c->height,
                            .depth = c->depth};
}

static ptx_fill told_fill(const struct px_copy *c)
{
    return (ptx_fill){.struct_size = sizeof(ptx_fill),
                      .to = c->to.address,
                      .pitch = c->to.pitch,
                      .slice = c->to.slice,
                      .width = c->width / c->fill,
                      .height = c->height,
                      .depth = c->depth,
                      .value = c->value,
                      .element = c->fill};
}

static void tell_memory(const struct ptx_device *device, uint64_t va, ptx_node_info *info)
{
    struct px_extent block;
    enum px_mem_kind kind;
    info->address = va;
    if (px_mem_block(&device->mem, va, &block, &kind)) info->bytes = block.len;
}

ptx_status px_node_info(struct ptx_device *device, ptx_node number, ptx_node_info *info)
{
    const struct px_node *node = node_at(device, number);
    if (!node) return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_work *op = &node->op;
    *info = (ptx_node_info){.kind = kind_of(op), .host = op->fn, .user = op->user, .event = op->event};
    if (info->kind == PTX_NODE_COPY) {
        info->copy = told_copy(&op->copy);
        info->array_copy = told_array_copy(&op->copy);
    }
    if (info->kind == PTX_NODE_FILL) info->fill = told_fill(&op->copy);
    info->values = op->values;
    info->nvalues = op->nvalues;
    info->address = op->address;
    if (info->kind == PTX_NODE_ALLOC) tell_memory(device, op->memory->va, info);
    if (info->kind == PTX_NODE_BRANCH) {
        info->condition = op->branch->condition->va;
        info->branch = op->branch->kind;
        info->nbodies = op->branch->n;
    }
    if (info->kind != PTX_NODE_KERNEL) return PTX_OK;
    info->kernel = op->kernel;
    info->launch = op->config;
    info->launch.struct_size = sizeof info->launch;
    return PTX_OK;
}

/* One op in the place of another of its kind. */
ptx_status px_work_replace(struct ptx_device *device, struct px_work *at, const struct px_work *op)
{
    struct px_work kept;
    if (op->kind == PX_WORK_ALLOC || op->kind == PX_WORK_FREE || op->kind == PX_WORK_BRANCH)
        return PTX_ERROR_INVALID_ARGUMENT;
    if (at->kind != op->kind || at->copy.fill != op->copy.fill) return PTX_ERROR_INVALID_ARGUMENT;
    if (!px_work_keep(device, &kept, op)) return PTX_ERROR_OUT_OF_MEMORY;
    px_work_drop(device, at);
    *at = kept;
    return PTX_OK;
}

ptx_status px_node_replace(struct ptx_device *device, ptx_node number, const struct px_work *op)
{
    struct px_node *node = node_at(device, number);
    if (!node || op->child == node->graph) return PTX_ERROR_INVALID_ARGUMENT;
    if (op_holds_capture(&node->op)) return PTX_ERROR_CAPTURE;
    return px_work_replace(device, &node->op, op);
}

ptx_status px_node_destroy(struct ptx_device *device, ptx_node number)
{
    struct px_node *node = node_at(device, number);
    if (!node) return PTX_ERROR_INVALID_ARGUMENT;
    struct px_graph *graph = node->graph;
    if (graph->capture || op_holds_capture(&node->op))
        return PTX_ERROR_CAPTURE; /* a stream may stand there */
    for (uint32_t i = 0; i < graph->n; i++)
        if (!without(device, graph->nodes[i], node)) return PTX_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = node->place; i + 1 < graph->n; i++) {
        graph->nodes[i] = graph->nodes[i + 1];
        graph->nodes[i]->place = i;
    }
    graph->n--;
    drop_node(device, node);
    return PTX_OK;
}

/* ---- graphs in nodes, conditions ---- */

ptx_status px_node_graph(struct ptx_device *device, ptx_node number, unsigned place, ptx_graph *out)
{
    const struct px_node *node = node_at(device, number);
    struct px_graph *graph = NULL;
    if (node && node->op.kind == PX_WORK_CHILD && !place) graph = node->op.child;
    if (node && node->op.kind == PX_WORK_BRANCH && place < node->op.branch->n)
        graph = node->op.branch->graphs[place];
    if (!graph) return PTX_ERROR_INVALID_ARGUMENT;
    if (!px_graph_lend(device, graph)) return PTX_ERROR_OUT_OF_MEMORY;
    *out = graph->number;
    return PTX_OK;
}

ptx_status px_condition_create(struct ptx_device *device, ptx_graph number, uint32_t value, bool reset,
                               uint64_t *condition)
{
    struct px_graph *graph = graph_at(device, number);
    if (graph && graph->child) return PTX_ERROR_UNSUPPORTED; /* no node of it could read one */
    struct px_condition *c = graph ? px_condition_new(device, value, reset) : NULL;
    if (!c) return graph ? PTX_ERROR_OUT_OF_MEMORY : PTX_ERROR_INVALID_ARGUMENT;
    c->next = graph->conditions;
    graph->conditions = c;
    *condition = c->va;
    return PTX_OK;
}

/* ---- numbers that are left when the device goes ---- */

void px_handles_clear(struct ptx_device *device)
{
    static const enum px_handle_kind order[] = {PX_HANDLE_EVENT, PX_HANDLE_LAUNCH, PX_HANDLE_EXEC,
                                                PX_HANDLE_GRAPH};
    /* pools and physical memory go with the device's memory */
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (uint32_t i = 0; i < device->handles.n; i++) {
            struct px_handle *h = &device->handles.at[i];
            void *object = h->object;
            if (!object || h->kind != order[k]) continue;
            if (order[k] == PX_HANDLE_GRAPH && ((struct px_graph *)object)->lent) continue; /* a node's */
            h->object = NULL;
            switch (order[k]) {
            case PX_HANDLE_EVENT: px_event_free(device, object); break;
            case PX_HANDLE_LAUNCH: px_task_release(object); break;
            case PX_HANDLE_EXEC: px_exec_free(device, object); break;
            default: px_graph_free(device, object); break;
            }
        }
}
