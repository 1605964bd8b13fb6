/*
 * graph.c - graphs as wholes: made, cloned, walked, instantiated, launched.
 *
 * The library has the nodes and the edges. A handle is made for a node when somebody asks for it, so that a
 * captured stream costs nothing here.
 */
#include "cuda/driver/graph.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAPH(name, handle) PX_CU_TAKE(px_cu_graph, name, PX_CU_GRAPH, handle, CUDA_ERROR_INVALID_VALUE)
#define NODE(name, handle) PX_CU_TAKE(px_cu_node, name, PX_CU_NODE, handle, CUDA_ERROR_INVALID_VALUE)
#define EXEC(name, handle) PX_CU_TAKE(px_cu_exec, name, PX_CU_EXEC, handle, CUDA_ERROR_INVALID_VALUE)

/* ---- graphs ---- */

static void destroy_graph(void *object)
{
    struct px_cu_graph *g = object;
    if (g->number) ptx_graph_destroy(g->vm, g->number);
    px_cu_user_give_all(g->held);
    free(g->nodes);
    free(g->told);
    pthread_mutex_destroy(&g->lock);
}

CUresult px_cu_graph_make(struct px_cu_context *context, ptx_device *vm, ptx_graph number, CUgraph *graph)
{
    struct px_cu_graph *g = px_cu_new(PX_CU_GRAPH, sizeof *g, context, destroy_graph);
    if (!g) return ptx_graph_destroy(vm, number), CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&g->lock, NULL);
    g->vm = vm;
    g->number = number;
    *graph = px_cu_handle(g);
    return CUDA_SUCCESS;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned flags)
{
    ptx_device *vm;
    ptx_graph number;
    PX_CU_CURRENT(c);
    if (!graph || flags) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_vm(c, &vm));
    PX_CU_TRY(px_cu_result(c, ptx_graph_create(vm, &number), NULL));
    return px_cu_graph_make(c, vm, number, graph);
}

struct graph_search {
    ptx_graph number;
    struct px_cu_graph *found;
};

static void match_graph(void *object, void *user)
{
    struct px_cu_graph *g = object;
    struct graph_search *s = user;
    if (g->number == s->number && !s->found) s->found = px_cu_again(g);
}

struct px_cu_graph *px_cu_graph_at(struct px_cu_context *context, ptx_device *vm, ptx_graph number)
{
    CUgraph made;
    struct graph_search s = {.number = number};
    px_cu_each(PX_CU_GRAPH, context, match_graph, &s);
    if (s.found || px_cu_graph_make(context, vm, number, &made) != CUDA_SUCCESS) return s.found;
    return px_cu_take(made, PX_CU_GRAPH);
}

CUresult cuGraphDestroy(CUgraph graph)
{
    GRAPH(g, graph);
    if (g->captured) return CUDA_ERROR_ILLEGAL_STATE;
    if (g->body) return CUDA_ERROR_INVALID_VALUE;
    px_cu_graph_end(graph);
    return CUDA_SUCCESS;
}

void px_cu_graph_end(CUgraph graph)
{
    PX_CU_HOLD(px_cu_graph, g) = px_cu_take(graph, PX_CU_GRAPH);
    if (!g) return;
    pthread_mutex_lock(&g->lock);
    struct px_cu_node **nodes = g->nodes;
    const size_t count = g->count;
    g->nodes = NULL;
    g->count = 0;
    pthread_mutex_unlock(&g->lock);
    for (size_t i = 0; i < count; i++)
        if (nodes[i]) px_cu_drop(px_cu_handle(nodes[i]), PX_CU_NODE);
    free(nodes);
    px_cu_drop(graph, PX_CU_GRAPH);
}

CUresult cuGraphClone(CUgraph *clone, CUgraph graph)
{
    ptx_graph number;
    GRAPH(g, graph);
    if (!clone) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_result(g->head.context, ptx_graph_clone(g->vm, g->number, &number), NULL));
    PX_CU_TRY(px_cu_graph_make(g->head.context, g->vm, number, clone));
    GRAPH(made, *clone);
    made->origin = graph;
    return CUDA_SUCCESS;
}

/* ---- nodes ---- */

static void destroy_node(void *object)
{
    struct px_cu_node *n = object;
    for (unsigned i = 0; i < n->nbodies; i++) px_cu_graph_end(n->bodies[i]);
    free(n->params);
    free(n->bodies);
    free(n->access);
    free(n->values);
    px_cu_give(n->graph);
}

CUresult px_cu_node_of(struct px_cu_graph *g, ptx_node number, size_t hint, CUgraphNode *node)
{
    size_t i = 0;
    if (hint < g->count && g->nodes[hint] && g->nodes[hint]->number == number)
        i = hint;
    else
        while (i < g->count && (!g->nodes[i] || g->nodes[i]->number != number)) i++;
    if (i < g->count) return *node = px_cu_handle(g->nodes[i]), CUDA_SUCCESS;
    const size_t at = hint >= g->count ? hint : g->count; /* in the library's order, where that is known */
    if (g->count <= at) {
        struct px_cu_node **grown = realloc(g->nodes, (at + 1) * 2 * sizeof *grown);
        if (!grown) return CUDA_ERROR_OUT_OF_MEMORY;
        for (size_t k = g->count; k <= at; k++) grown[k] = NULL;
        g->nodes = grown;
        g->count = at + 1;
    }
    struct px_cu_node *n = px_cu_new(PX_CU_NODE, sizeof *n, g->head.context, destroy_node);
    if (!n) return CUDA_ERROR_OUT_OF_MEMORY;
    n->graph = px_cu_again(g);
    n->number = number;
    g->nodes[at] = n;
    *node = px_cu_handle(n);
    return CUDA_SUCCESS;
}

ptx_node *px_cu_numbers_of(const struct px_cu_graph *g, const CUgraphNode *nodes, size_t count)
{
    ptx_node *numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; numbers && i < count; i++) {
        struct px_cu_node *n = px_cu_take(nodes[i], PX_CU_NODE);
        const bool own = n && n->graph == g;
        if (own) numbers[i] = n->number;
        px_cu_give(n);
        if (own) continue;
        free(numbers);
        numbers = NULL;
    }
    return numbers;
}

CUresult px_cu_node_add(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                        const ptx_node_config *config)
{
    ptx_node number;
    size_t nodes = 0;
    GRAPH(g, graph);
    if (!node || (count && !after) || count > 1 << 24) return CUDA_ERROR_INVALID_VALUE;
    ptx_node *before = px_cu_numbers_of(g, after, count);
    if (!before) return CUDA_ERROR_INVALID_VALUE;
    CUresult result =
        px_cu_result(g->head.context, ptx_graph_add(g->vm, g->number, before, count, config, &number), NULL);
    free(before);
    if (result != CUDA_SUCCESS) return result;
    pthread_mutex_lock(&g->lock);
    ptx_graph_nodes(g->vm, g->number, NULL, &nodes);
    result = px_cu_node_of(g, number, nodes - 1, node);
    pthread_mutex_unlock(&g->lock);
    return result;
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
    NODE(n, node);
    PX_CU_TRY(px_cu_result(n->head.context, ptx_node_destroy(n->graph->vm, n->number), NULL));
    pthread_mutex_lock(&n->graph->lock);
    for (size_t i = 0; i < n->graph->count; i++)
        if (n->graph->nodes[i] == n) n->graph->nodes[i] = NULL;
    pthread_mutex_unlock(&n->graph->lock);
    px_cu_drop(node, PX_CU_NODE);
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeFindInClone(CUgraphNode *found, CUgraphNode node, CUgraph clone)
{
    size_t count = 0;
    NODE(n, node);
    GRAPH(g, clone);
    if (!found || g->origin != px_cu_handle(n->graph)) return CUDA_ERROR_INVALID_VALUE;
    ptx_graph_nodes(g->vm, n->graph->number, NULL, &count);
    ptx_node *old = malloc((count + 1) * sizeof *old), *new = malloc((count + 1) * sizeof *new);
    CUresult result = old && new ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
    size_t new_count = count;
    if (old && new &&ptx_graph_nodes(g->vm, n->graph->number, old, &count) == PTX_OK &&
        ptx_graph_nodes(g->vm, g->number, new, &new_count) == PTX_OK)
        for (size_t i = 0; i < count && i < new_count; i++)
            if (old[i] == n->number) {
                pthread_mutex_lock(&g->lock);
                result = px_cu_node_of(g, new[i], i, found);
                pthread_mutex_unlock(&g->lock);
            }
    free(old);
    free(new);
    return result;
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
#define TYPE(ours, cuda) [PTX_NODE_##ours] = CU_GRAPH_NODE_TYPE_##cuda
    static const CUgraphNodeType types[] = {
        /* clang-format off */
        TYPE(EMPTY, EMPTY), TYPE(KERNEL, KERNEL), TYPE(COPY, MEMCPY), TYPE(FILL, MEMSET), TYPE(HOST, HOST),
        TYPE(RECORD, EVENT_RECORD), TYPE(WAIT, WAIT_EVENT), TYPE(CHILD, GRAPH), TYPE(ALLOC, MEM_ALLOC),
        TYPE(FREE, MEM_FREE), TYPE(VALUES, BATCH_MEM_OP), TYPE(BRANCH, CONDITIONAL),
        /* clang-format on */
    };
    ptx_node_kind kind;
    NODE(n, node);
    if (!type) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_result(n->head.context, ptx_node_kind_get(n->graph->vm, n->number, &kind), NULL));
    if ((size_t)kind >= sizeof types / sizeof *types) return CUDA_ERROR_UNKNOWN;
    *type = types[kind];
    return CUDA_SUCCESS;
}

/* ---- walks ---- */

struct walk {
    struct px_cu_graph *graph;
    ptx_node *nodes; /* of the graph, in the library's order */
    size_t count;
};

static void walk_clean(struct walk *w)
{
    free(w->nodes);
}

/* All nodes of a graph. */
static CUresult walk_begin(struct walk *w, struct px_cu_graph *g)
{
    *w = (struct walk){.graph = g};
    ptx_graph_nodes(g->vm, g->number, NULL, &w->count);
    size_t room = w->count;
    w->nodes = malloc((room + 1) * sizeof *w->nodes);
    if (!w->nodes) return CUDA_ERROR_OUT_OF_MEMORY;
    PX_CU_TRY(px_cu_result(g->head.context, ptx_graph_nodes(g->vm, g->number, w->nodes, &w->count), NULL));
    if (w->count > room) w->count = room;
    return CUDA_SUCCESS;
}
#define WALK(name, graph)                                                                                    \
    __attribute__((cleanup(walk_clean))) struct walk name;                                                   \
    PX_CU_TRY(walk_begin(&name, (graph)))

/* What a node comes after; to be freed. */
static ptx_node *before(const struct px_cu_graph *g, ptx_node node, size_t *count)
{
    *count = 0;
    ptx_node_after(g->vm, node, NULL, count);
    ptx_node *list = malloc((*count + 1) * sizeof *list);
    size_t room = *count;
    if (list) ptx_node_after(g->vm, node, list, count);
    if (*count > room) *count = room;
    return list;
}

static CUresult handle_of(struct walk *w, ptx_node number, CUgraphNode *node)
{
    size_t hint = 0;
    while (hint < w->count && w->nodes[hint] != number) hint++;
    pthread_mutex_lock(&w->graph->lock);
    const CUresult result = px_cu_node_of(w->graph, number, hint, node);
    pthread_mutex_unlock(&w->graph->lock);
    return result;
}

/* Lists as CUDA gives them: with no room asked only how many there are. */
struct listing {
    size_t room, n;
    CUgraphNode *first, *second;
};

static CUresult list(struct listing *l, struct walk *w, ptx_node first, ptx_node second)
{
    if (l->first && l->n < l->room) {
        PX_CU_TRY(handle_of(w, first, &l->first[l->n]));
        if (l->second) PX_CU_TRY(handle_of(w, second, &l->second[l->n]));
    }
    l->n++;
    return CUDA_SUCCESS;
}

static void list_end(const struct listing *l, size_t *count)
{
    for (size_t i = l->n; l->first && i < l->room; i++) l->first[i] = NULL;
    *count = l->first && l->n > l->room ? l->room : l->n;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    GRAPH(g, graph);
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    WALK(w, g);
    struct listing l = {.room = *count, .first = nodes};
    for (size_t i = 0; i < w.count; i++) PX_CU_TRY(list(&l, &w, w.nodes[i], 0));
    list_end(&l, count);
    return CUDA_SUCCESS;
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    GRAPH(g, graph);
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    WALK(w, g);
    struct listing l = {.room = *count, .first = nodes};
    for (size_t i = 0; i < w.count; i++) {
        size_t n = 0;
        ptx_node_after(g->vm, w.nodes[i], NULL, &n);
        if (!n) PX_CU_TRY(list(&l, &w, w.nodes[i], 0));
    }
    list_end(&l, count);
    return CUDA_SUCCESS;
}

/* Edges that lead to `to` (0: any), and come from `from` (0: any). */
static CUresult list_edges(struct walk *w, struct listing *l, ptx_node from, ptx_node to, bool sources)
{
    for (size_t i = 0; i < w->count; i++) {
        size_t n;
        if (to && w->nodes[i] != to) continue;
        ptx_node *after = before(w->graph, w->nodes[i], &n);
        CUresult result = after ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
        for (size_t k = 0; result == CUDA_SUCCESS && k < n; k++)
            if (!from || after[k] == from)
                result = sources ? list(l, w, after[k], w->nodes[i]) : list(l, w, w->nodes[i], 0);
        free(after);
        PX_CU_TRY(result);
    }
    return CUDA_SUCCESS;
}

static void plain_edges(CUgraphEdgeData *data, size_t count)
{
    if (data) memset(data, 0, count * sizeof *data);
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
                            size_t *count)
{
    GRAPH(g, graph);
    if (!count || !from != !to) return CUDA_ERROR_INVALID_VALUE;
    WALK(w, g);
    struct listing l = {.room = *count, .first = from, .second = to};
    PX_CU_TRY(list_edges(&w, &l, 0, 0, true));
    list_end(&l, count);
    if (from) plain_edges(data, *count);
    return CUDA_SUCCESS;
}

/* What a node comes after (`sources`), or what comes after it. */
static CUresult neighbours(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count,
                           bool sources)
{
    NODE(n, node);
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    WALK(w, n->graph);
    struct listing l = {.room = *count, .first = nodes};
    PX_CU_TRY(list_edges(&w, &l, sources ? 0 : n->number, sources ? n->number : 0, sources));
    list_end(&l, count);
    if (nodes) plain_edges(data, *count);
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
                                       size_t *count)
{
    return neighbours(node, nodes, data, count, true);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
                                         size_t *count)
{
    return neighbours(node, nodes, data, count, false);
}

/* Edges of the programmatic kind promise less than plain ones, so plain ones will do. */
static CUresult change_edges(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count,
                             bool add)
{
    GRAPH(g, graph);
    if (count && (!from || !to)) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        NODE(a, from[i]);
        NODE(b, to[i]);
        if (a->graph != g || b->graph != g || a == b) return CUDA_ERROR_INVALID_VALUE;
        const ptx_status status = add ? ptx_graph_edge_add(g->vm, a->number, b->number)
                                      : ptx_graph_edge_remove(g->vm, a->number, b->number);
        PX_CU_TRY(px_cu_result(g->head.context, status, NULL));
    }
    return CUDA_SUCCESS;
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *data, size_t count)
{
    (void)data;
    return change_edges(graph, from, to, count, true);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *data, size_t count)
{
    (void)data;
    return change_edges(graph, from, to, count, false);
}

/* ---- instances ---- */

static void destroy_exec(void *object)
{
    struct px_cu_exec *e = object;
    ptx_instance_destroy(e->vm, e->number);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    ptx_instance number;
    GRAPH(g, graph);
    if (!exec || flags > 15) return CUDA_ERROR_INVALID_VALUE;
    if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
        return px_cu_unsupported("CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH");
    PX_CU_TRY(px_cu_result(g->head.context, ptx_graph_instantiate(g->vm, g->number, &number), NULL));
    struct px_cu_exec *e = px_cu_new(PX_CU_EXEC, sizeof *e, g->head.context, destroy_exec);
    if (!e) {
        ptx_instance_destroy(g->vm, number);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    e->vm = g->vm;
    e->number = number;
    e->flags = flags;
    *exec = px_cu_handle(e);
    return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    PX_CU_TRY(px_cu_ready());
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    params->hErrNode_out = NULL;
    const CUresult result = cuGraphInstantiateWithFlags(exec, graph, params->flags);
    params->result_out = result == CUDA_SUCCESS               ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                         : result == CUDA_ERROR_INVALID_VALUE ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE
                                                              : CUDA_GRAPH_INSTANTIATE_ERROR;
    return result;
}

CUresult px_cu_old_instantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *failed, char *log, size_t room)
{
    if (failed) *failed = NULL;
    const CUresult result = cuGraphInstantiateWithFlags(exec, graph, 0);
    if (log && room)
        snprintf(log, room, "%s", result == CUDA_SUCCESS ? "" : "the graph cannot be instantiated");
    return result;
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags)
{
    EXEC(e, exec);
    return PX_CU_ANSWER(flags, e->flags);
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    PX_CU_TRY(px_cu_ready());
    return px_cu_drop(exec, PX_CU_EXEC) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    EXEC(e, exec);
    GRAPH(g, graph);
    if (!info) return CUDA_ERROR_INVALID_VALUE;
    *info = (CUgraphExecUpdateResultInfo){CU_GRAPH_EXEC_UPDATE_SUCCESS, NULL, NULL};
    if (e->vm != g->vm) return CUDA_ERROR_INVALID_VALUE;
    const ptx_status status = ptx_instance_update(e->vm, e->number, g->number);
    if (status == PTX_OK) return CUDA_SUCCESS;
    info->result = status == PTX_ERROR_INVALID_ARGUMENT ? CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED
                                                        : CU_GRAPH_EXEC_UPDATE_ERROR;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

CUresult px_cu_old_update(CUgraphExec exec, CUgraph graph, CUgraphNode *failed,
                          CUgraphExecUpdateResult *result)
{
    CUgraphExecUpdateResultInfo info;
    const CUresult done = cuGraphExecUpdate_v2(exec, graph, &info);
    if (done != CUDA_SUCCESS && done != CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) return done;
    if (failed) *failed = NULL;
    if (result) *result = info.result;
    return done;
}

/* ---- single nodes of instances ---- */

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled)
{
    EXEC(e, exec);
    NODE(n, node);
    return px_cu_result(e->head.context, ptx_instance_enable(e->vm, e->number, n->number, enabled != 0),
                        NULL);
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned *enabled)
{
    int value = 0;
    EXEC(e, exec);
    NODE(n, node);
    if (!enabled) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_result(e->head.context, ptx_instance_enabled(e->vm, e->number, n->number, &value), NULL));
    *enabled = (unsigned)value;
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    EXEC(e, exec);
    __attribute__((cleanup(px_cu_way_clean))) struct px_cu_way way = {0};
    PX_CU_TRY(px_cu_way_of(stream, e->head.context, &way));
    if (way.context != e->head.context) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_result(way.context, ptx_instance_launch(e->vm, e->number, way.stream), NULL));
    return px_cu_settings()->blocking ? px_cu_way_wait(&way) : CUDA_SUCCESS;
}

/* There is nothing to upload. */
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
    EXEC(e, exec);
    __attribute__((cleanup(px_cu_way_clean))) struct px_cu_way way = {0};
    return px_cu_way_of(stream, e->head.context, &way);
}
