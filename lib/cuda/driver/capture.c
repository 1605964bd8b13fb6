/*
 * capture.c - streams whose work becomes a graph.
 */
#include <stdlib.h>
#include "cuda/driver/graph.h"

#define GRAPH(name, handle) PX_CU_TAKE(px_cu_graph, name, PX_CU_GRAPH, handle, CUDA_ERROR_INVALID_VALUE)

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
    PX_CU_WAY(way, stream);
    if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    if (way.stream <= PTX_STREAM_LEGACY) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    const ptx_status status = ptx_capture_begin(way.vm, way.stream);
    return status == PTX_ERROR_CAPTURE ? CUDA_ERROR_ILLEGAL_STATE : px_cu_result(way.context, status, NULL);
}

/* Whether a graph has parts; one that a failed capture made is gone. */
static bool is_there(const struct px_cu_graph *g)
{
    size_t count = 0;
    return ptx_graph_nodes(g->vm, g->number, NULL, &count) == PTX_OK;
}

/* `graph` may be NULL: a capture into a graph of the program's needs none, and what another made goes. */
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    ptx_graph number;
    ptx_capture_info info = {sizeof info};
    PX_CU_WAY(way, stream);
    if (graph) *graph = NULL;
    ptx_capture_info_get(way.vm, way.stream, &info, NULL, NULL);
    if (!info.active) return CUDA_ERROR_ILLEGAL_STATE;
    if (!info.first) { /* which breaks the capture */
        ptx_capture_end(way.vm, way.stream, &number);
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    /* Its handle, if somebody asked for it, is the one that is given. */
    PX_CU_HOLD(px_cu_graph, g) = px_cu_graph_at(way.context, way.vm, info.graph);
    if (!g) return CUDA_ERROR_OUT_OF_MEMORY;
    const ptx_status status = ptx_capture_end(way.vm, way.stream, &number);
    const bool given = g->given;
    g->captured = g->given = false;
    if (!is_there(g) || (status == PTX_OK && !graph && !given)) px_cu_graph_end(px_cu_handle(g));
    if (status == PTX_OK && graph) *graph = px_cu_handle(g);
    if (status != PTX_ERROR_CAPTURE) return px_cu_result(way.context, status, NULL);
    return info.broken ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}

void px_cu_capture_leave(CUstream stream)
{
    ptx_capture_info info = {sizeof info};
    PX_CU_HOLD(px_cu_stream, s) = px_cu_take(stream, PX_CU_STREAM);
    ptx_device *vm = s ? atomic_load(&s->head.context->vm) : NULL;
    if (!s || ptx_capture_info_get(vm, s->number, &info, NULL, NULL) != PTX_OK || !info.first) return;
    PX_CU_HOLD(px_cu_graph, g) = px_cu_graph_at(s->head.context, vm, info.graph);
    if (!g) return;
    if (!g->given) px_cu_graph_end(px_cu_handle(g));
    g->captured = g->given = false;
}

/* The graph that is being made, and the nodes that the next one comes after. */
static CUresult tell_graph(const struct px_cu_way *way, const ptx_capture_info *info, CUgraph *graph,
                           const CUgraphNode **nodes, size_t *count)
{
    size_t n = 0;
    ptx_capture_info again = {sizeof again};
    PX_CU_HOLD(px_cu_graph, g) = px_cu_graph_at(way->context, way->vm, info->graph);
    if (!g) return CUDA_ERROR_OUT_OF_MEMORY;
    g->captured = true;
    if (graph) *graph = px_cu_handle(g);
    ptx_capture_info_get(way->vm, way->stream, &again, NULL, &n);
    ptx_node *numbers = malloc((n + 1) * sizeof *numbers);
    CUgraphNode *told = malloc((n + 1) * sizeof *told);
    size_t room = n;
    CUresult result = numbers && told ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS) ptx_capture_info_get(way->vm, way->stream, &again, numbers, &n);
    if (n > room) n = room;
    pthread_mutex_lock(&g->lock);
    for (size_t i = 0; result == CUDA_SUCCESS && i < n; i++)
        result = px_cu_node_of(g, numbers[i], 0, &told[i]);
    if (result == CUDA_SUCCESS) {
        free(g->told);
        g->told = told;
        told = NULL;
        if (nodes) *nodes = g->told;
        if (count) *count = n;
    }
    pthread_mutex_unlock(&g->lock);
    free(told);
    free(numbers);
    return result;
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph, const CUgraphNode **nodes, const CUgraphEdgeData **edges,
                                   size_t *count)
{
    ptx_capture_info info = {sizeof info};
    PX_CU_WAY(way, stream);
    if (!status) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_result(way.context, ptx_capture_info_get(way.vm, way.stream, &info, NULL, NULL), NULL));
    *status = !info.active  ? CU_STREAM_CAPTURE_STATUS_NONE
              : info.broken ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                            : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
    if (id) *id = info.id;
    if (edges) *edges = NULL; /* all are plain */
    return graph || nodes || count ? tell_graph(&way, &info, graph, nodes, count) : CUDA_SUCCESS;
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *after,
                                     const CUgraphEdgeData *data, size_t count, CUstreamCaptureMode mode)
{
    (void)data;
    PX_CU_WAY(way, stream);
    GRAPH(g, graph);
    if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED || (count && !after) || count > 1 << 24)
        return CUDA_ERROR_INVALID_VALUE;
    if (way.stream <= PTX_STREAM_LEGACY) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (g->head.context != way.context) return CUDA_ERROR_INVALID_VALUE;
    ptx_node *numbers = px_cu_numbers_of(g, after, count);
    if (!numbers) return CUDA_ERROR_INVALID_VALUE;
    const ptx_status status = ptx_capture_begin_to(way.vm, way.stream, g->number, numbers, count);
    free(numbers);
    if (status == PTX_OK) g->captured = g->given = true;
    return status == PTX_ERROR_CAPTURE ? CUDA_ERROR_ILLEGAL_STATE : px_cu_result(way.context, status, NULL);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *nodes,
                                              const CUgraphEdgeData *data, size_t count, unsigned flags)
{
    ptx_capture_info info = {sizeof info};
    (void)data;
    PX_CU_WAY(way, stream);
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (count && !nodes) || count > 1 << 24)
        return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_result(way.context, ptx_capture_info_get(way.vm, way.stream, &info, NULL, NULL), NULL));
    if (!info.active) return CUDA_ERROR_ILLEGAL_STATE;
    PX_CU_HOLD(px_cu_graph, g) = px_cu_graph_at(way.context, way.vm, info.graph);
    if (!g) return CUDA_ERROR_OUT_OF_MEMORY;
    g->captured = true;
    ptx_node *numbers = px_cu_numbers_of(g, nodes, count);
    if (!numbers) return CUDA_ERROR_INVALID_VALUE;
    const int add = flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES;
    const ptx_status status = ptx_capture_after(way.vm, way.stream, numbers, count, add);
    free(numbers);
    return status == PTX_ERROR_CAPTURE ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                                       : px_cu_result(way.context, status, NULL);
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    return cuStreamGetCaptureInfo_v3(stream, status, NULL, NULL, NULL, NULL, NULL);
}

/* Nothing that another thread does can break a capture here, so the mode only is kept. */
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    static _Thread_local CUstreamCaptureMode kept = CU_STREAM_CAPTURE_MODE_GLOBAL;
    PX_CU_TRY(px_cu_ready());
    if (!mode || (unsigned)*mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    const CUstreamCaptureMode before_now = kept;
    kept = *mode;
    *mode = before_now;
    return CUDA_SUCCESS;
}
