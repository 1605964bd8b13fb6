/*
 * capture.c - what streams are given becomes a graph.
 *
 * A captured stream has a front: the nodes that its next one comes after. An
 * event recorded there keeps the front; a stream that waits for it joins the
 * capture, and has the event's nodes in its front too. At the end every node
 * must lead to the front of the first stream.
 */
#include "vm/queue/capture.h"
#include "vm/device/device.h"
#include <string.h>

/* ---- fronts ---- */

static void set_front(struct ptx_device *device, struct px_node ***front, uint32_t *n, struct px_node **to,
                      uint32_t nto)
{
    px_free(&device->alloc, *front, *n * sizeof **front);
    *front = to;
    *n = nto;
}

static struct px_node **copy_front(struct ptx_device *device, struct px_node *const *front, uint32_t n)
{
    struct px_node **copy = px_alloc(&device->alloc, n * sizeof *copy);
    if (copy && n) memcpy(copy, front, n * sizeof *copy);
    return copy;
}

static bool is_in(struct px_node *const *front, uint32_t n, const struct px_node *node)
{
    uint32_t i = 0;
    while (i < n && front[i] != node) i++;
    return i < n;
}

/* The front becomes both; false: no memory. */
static bool join_front(struct px_stream *s, struct px_node *const *more, uint32_t n)
{
    struct ptx_device *device = s->device;
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < n; i++) fresh += !is_in(s->front, s->nfront, more[i]);
    struct px_node **both = px_alloc(&device->alloc, (s->nfront + fresh) * sizeof *both);
    if (!both) return false;
    uint32_t at = s->nfront;
    if (at) memcpy(both, s->front, at * sizeof *both);
    for (uint32_t i = 0; i < n; i++)
        if (!is_in(s->front, s->nfront, more[i])) both[at++] = more[i];
    set_front(device, &s->front, &s->nfront, both, at);
    return true;
}

/* ---- joining and leaving ---- */

static void leave(struct ptx_device *device, struct px_capture **at, struct px_node ***front, uint32_t *n)
{
    struct px_capture *c = *at;
    if (!c) return;
    *at = NULL;
    set_front(device, front, n, NULL, 0);
    if (--c->refs == 0) px_free(&device->alloc, c, sizeof *c);
}

/* The graph is nothing of the capture's any more. */
static struct px_graph *take_graph(struct px_capture *c)
{
    struct px_graph *graph = c->graph;
    if (graph) graph->capture = NULL;
    c->graph = NULL;
    return graph;
}

/* Streams leave; events may still name the capture, and find it over. The graph, unless it is the embedder's
 * or gone, is for the caller. */
static struct px_graph *end(struct ptx_device *device, struct px_capture *c)
{
    struct px_graph *graph = take_graph(c);
    c->over = true;
    c->refs++; /* until here */
    for (struct px_stream *s = device->streams; s; s = s->next)
        if (s->capture == c) leave(device, &s->capture, &s->front, &s->nfront);
    const bool given = c->given;
    struct px_node **none = NULL;
    uint32_t n = 0;
    leave(device, &c, &none, &n);
    return given ? NULL : graph;
}

void px_capture_lose(struct ptx_device *device, struct px_capture *c)
{
    (void)take_graph(c);
    c->broken = true;
    for (struct px_stream *s = device->streams; s; s = s->next)
        if (s->capture == c) set_front(device, &s->front, &s->nfront, NULL, 0);
}

void px_event_leave_capture(struct ptx_device *device, struct px_event *e)
{
    leave(device, &e->capture, &e->front, &e->nfront);
}

/* `given`: the graph is somebody's. Else it goes when this fails. */
static ptx_status begin(struct ptx_device *device, struct px_stream *s, struct px_graph *graph, bool given)
{
    ptx_status status = !s ? PTX_ERROR_INVALID_ARGUMENT : PTX_OK;
    if (s && (s->capture || s == device->legacy)) status = PTX_ERROR_CAPTURE;
    struct px_capture *c = status == PTX_OK && graph ? px_zalloc(&device->alloc, sizeof *c) : NULL;
    if (status == PTX_OK && !c) status = PTX_ERROR_OUT_OF_MEMORY;
    if (status != PTX_OK) {
        if (!given) px_graph_free(device, graph);
        return status;
    }
    *c =
        (struct px_capture){.graph = graph, .origin = s, .id = ++device->captures, .refs = 1, .given = given};
    graph->capture = c;
    for (uint32_t i = 0; i < graph->n; i++) graph->nodes[i]->captured = false;
    s->capture = c;
    return PTX_OK;
}

ptx_status px_capture_begin(struct ptx_device *device, ptx_stream number)
{
    return begin(device, px_stream_find(device, number), px_graph_new(device), false);
}

/* Nodes of the graph by their numbers; NULL with *status set. To be freed: `n` of them. */
static struct px_node **nodes_of(struct ptx_device *device, const struct px_graph *graph,
                                 const ptx_node *nodes, size_t n, ptx_status *status)
{
    struct px_node **list = n <= graph->n ? px_alloc(&device->alloc, n * sizeof *list) : NULL;
    *status = n > graph->n ? PTX_ERROR_INVALID_ARGUMENT : !list ? PTX_ERROR_OUT_OF_MEMORY : PTX_OK;
    for (size_t i = 0; *status == PTX_OK && i < n; i++) {
        list[i] = px_handle_get(&device->handles, PX_HANDLE_NODE, nodes[i]);
        if (!list[i] || list[i]->graph != graph || is_in(list, (uint32_t)i, list[i]))
            *status = PTX_ERROR_INVALID_ARGUMENT;
    }
    if (*status == PTX_OK) return list;
    px_free(&device->alloc, list, n * sizeof *list);
    return NULL;
}

ptx_status px_capture_begin_to(struct ptx_device *device, ptx_stream number, ptx_graph graph_number,
                               const ptx_node *after, size_t count)
{
    struct px_stream *s = px_stream_find(device, number);
    struct px_graph *graph = px_handle_get(&device->handles, PX_HANDLE_GRAPH, graph_number);
    ptx_status status;
    if (!s || !graph || graph->capture) return PTX_ERROR_INVALID_ARGUMENT;
    struct px_node **front = nodes_of(device, graph, after, count, &status);
    if (!front) return status;
    status = begin(device, s, graph, true);
    if (status == PTX_OK)
        set_front(device, &s->front, &s->nfront, front, (uint32_t)count);
    else
        px_free(&device->alloc, front, count * sizeof *front);
    return status;
}

ptx_status px_capture_after(struct ptx_device *device, ptx_stream number, const ptx_node *nodes, size_t count,
                            bool add)
{
    struct px_stream *s = px_stream_find(device, number);
    ptx_status status;
    if (!s) return PTX_ERROR_INVALID_ARGUMENT;
    if (!s->capture || s->capture->broken) return PTX_ERROR_CAPTURE;
    struct px_node **front = nodes_of(device, s->capture->graph, nodes, count, &status);
    if (!front) return status;
    if (!add) {
        for (uint32_t i = 0; i < s->nfront; i++) s->front[i]->captured = false; /* they need not be joined */
        for (size_t i = 0; i < count; i++) front[i]->captured = true;
        set_front(device, &s->front, &s->nfront, front, (uint32_t)count);
        return PTX_OK;
    }
    const bool ok = join_front(s, front, (uint32_t)count);
    px_free(&device->alloc, front, count * sizeof *front);
    return ok ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

/* Every node of the capture that nothing comes after is in the front of the first stream. */
static ptx_status joined(const struct px_stream *s)
{
    const struct px_graph *graph = s->capture->graph;
    bool ok = true, *followed = px_zalloc(&s->device->alloc, graph->n * sizeof *followed);
    if (!followed) return PTX_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < graph->n; i++)
        for (uint32_t k = 0; k < graph->nodes[i]->nafter; k++)
            followed[graph->nodes[i]->after[k]->place] = true;
    for (uint32_t i = 0; ok && i < graph->n; i++)
        ok = !graph->nodes[i]->captured || followed[i] || is_in(s->front, s->nfront, graph->nodes[i]);
    px_free(&s->device->alloc, followed, graph->n * sizeof *followed);
    return ok ? PTX_OK : PTX_ERROR_CAPTURE;
}

/* A capture ends with its first stream. What another one was given stays, and must have been joined. */
void px_capture_abandon(struct px_stream *s)
{
    struct px_capture *c = s->capture;
    if (c && c->origin == s) px_graph_free(s->device, end(s->device, c));
    leave(s->device, &s->capture, &s->front, &s->nfront); /* it is none of the device's any more */
}

ptx_status px_capture_refuse(struct px_capture *capture)
{
    capture->broken = true;
    return PTX_ERROR_CAPTURE;
}

ptx_status px_capture_end(struct ptx_device *device, ptx_stream number, ptx_graph *graph)
{
    struct px_stream *s = px_stream_find(device, number);
    if (!s) return PTX_ERROR_INVALID_ARGUMENT;
    struct px_capture *c = s->capture;
    if (!c) return PTX_ERROR_CAPTURE;
    if (c->origin != s) return px_capture_refuse(c);
    const ptx_status status = c->broken ? PTX_ERROR_CAPTURE : joined(s);
    if (status == PTX_OK && c->given) *graph = c->graph->number;
    struct px_graph *made = end(device, c);
    if (status == PTX_OK && made) return px_graph_name(device, made, graph); /* the number's, or gone */
    px_graph_free(device, made);
    return status;
}

ptx_status px_capture_info(struct ptx_device *device, ptx_stream number, ptx_capture_info *info,
                           ptx_node *nodes, size_t *count)
{
    const struct px_stream *s = px_stream_find(device, number);
    if (!s) return PTX_ERROR_INVALID_ARGUMENT;
    *info = (ptx_capture_info){0};
    const struct px_capture *c = s->capture;
    if (c && c->graph && !px_graph_lend(device, c->graph)) return PTX_ERROR_OUT_OF_MEMORY;
    if (c)
        *info = (ptx_capture_info){.active = 1,
                                   .broken = c->broken,
                                   .id = c->id,
                                   .graph = c->graph ? c->graph->number : 0,
                                   .first = c->origin == s};
    for (uint32_t i = 0; nodes && count && i < s->nfront && i < *count; i++) nodes[i] = s->front[i]->number;
    if (count) *count = s->nfront;
    return PTX_OK;
}

/* ---- what streams are given ---- */

ptx_status px_capture_op(struct px_stream *s, const struct px_work *op)
{
    struct px_capture *c = s->capture;
    if (c->broken) return PTX_ERROR_CAPTURE;
    if (!px_graph_takes(c->graph, op->kind)) return PTX_ERROR_UNSUPPORTED;
    struct px_node *node = px_graph_add(s->device, c->graph, s->front, s->nfront, op, true);
    struct px_node **front = node ? copy_front(s->device, &node, 1) : NULL;
    if (node) node->captured = true;
    if (!front) {
        c->broken = true;
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    set_front(s->device, &s->front, &s->nfront, front, 1);
    return PTX_OK;
}

ptx_status px_capture_record(struct px_stream *s, struct px_event *e)
{
    if (s->capture->broken) return PTX_ERROR_CAPTURE;
    struct px_node **front = copy_front(s->device, s->front, s->nfront);
    if (!front) return PTX_ERROR_OUT_OF_MEMORY;
    const uint32_t n = s->nfront;
    px_event_leave_capture(s->device, e);
    px_task_release(e->task);
    e->task = NULL;
    e->capture = s->capture;
    e->capture->refs++;
    set_front(s->device, &e->front, &e->nfront, front, n);
    return PTX_OK;
}

ptx_status px_capture_wait(struct px_stream *s, const struct px_event *e)
{
    struct px_capture *c = e->capture;
    if (!c || c->over || c->broken || s == s->device->legacy || (s->capture && s->capture != c))
        return PTX_ERROR_CAPTURE; /* an event from outside, or of another capture */
    if (!join_front(s, e->front, e->nfront)) {
        c->broken = true;
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    if (!s->capture) c->refs++;
    s->capture = c;
    return PTX_OK;
}
