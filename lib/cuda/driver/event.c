/*
 * event.c - events: of streams, of whole contexts, of other processes (ipc.c has what those share).
 *
 * An event of another context is waited for by the caller: two virtual devices have no order in common.
 */
#include <unistd.h>
#include "cuda/driver/ipc.h"

struct px_cu_event {
    struct px_cu_object head;
    ptx_event number;
    unsigned flags;
    struct px_cu_ipc_event *shared; /* of CU_EVENT_INTERPROCESS; NULL otherwise */
};

static void destroy(void *object)
{
    struct px_cu_event *e = object;
    ptx_event_destroy(atomic_load(&e->head.context->vm), e->number);
    px_cu_ipc_event_free(e->head.context, e->shared);
}

/* An event; one for other processes takes the words of a file, or with -1 makes its own. */
static CUresult make(struct px_cu_context *c, unsigned flags, int file, CUevent *event)
{
    ptx_device *vm;
    PX_CU_TRY(px_cu_vm(c, &vm));
    struct px_cu_event *e = px_cu_new(PX_CU_EVENT, sizeof *e, c, NULL);
    if (!e) return CUDA_ERROR_OUT_OF_MEMORY;
    const ptx_status status =
        ptx_event_create(vm, flags & CU_EVENT_DISABLE_TIMING ? PTX_EVENT_NO_TIMING : 0, &e->number);
    CUresult result = px_cu_result(c, status, NULL);
    if (result == CUDA_SUCCESS) {
        e->head.destroy = destroy;
        e->flags = flags;
        if (flags & CU_EVENT_INTERPROCESS) result = px_cu_ipc_event_make(c, file, &e->shared);
    }
    if (result == CUDA_SUCCESS)
        *event = px_cu_handle(e);
    else
        px_cu_drop(px_cu_handle(e), PX_CU_EVENT);
    return result;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    PX_CU_CURRENT(c);
    if (!event ||
        flags & ~(unsigned)(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS))
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & CU_EVENT_INTERPROCESS && !(flags & CU_EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_VALUE;
    return make(c, flags, -1, event);
}

CUresult cuEventDestroy_v2(CUevent event)
{
    PX_CU_TRY(px_cu_ready());
    return px_cu_drop(event, PX_CU_EVENT) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* The event and its device; an event of a context that a fault has ended answers that. */
#define EVENT(name, event)                                                                                   \
    PX_CU_TAKE(px_cu_event, name, PX_CU_EVENT, event, CUDA_ERROR_INVALID_HANDLE);                            \
    ptx_device *name##_vm = atomic_load(&name->head.context->vm)

/* Recording and waiting that become nodes of the graph that is captured. */
static CUresult external(const struct px_cu_way *way, ptx_event event, ptx_node_kind kind)
{
    if (!px_cu_way_captured(way)) return CUDA_ERROR_ILLEGAL_STATE;
    return px_cu_result(way->context, ptx_capture_event(way->vm, way->stream, event, kind), NULL);
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    EVENT(e, event);
    PX_CU_WAY(way, stream);
    if (flags > CU_EVENT_RECORD_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    if (way.context != e->head.context) return CUDA_ERROR_INVALID_HANDLE;
    if (e->shared) return px_cu_ipc_event_record(e->shared, &way);
    if (flags == CU_EVENT_RECORD_EXTERNAL) return external(&way, e->number, PTX_NODE_RECORD);
    return px_cu_result(way.context, ptx_event_record(e_vm, e->number, way.stream), NULL);
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return cuEventRecordWithFlags(event, stream, 0);
}

static CUresult query(CUevent event)
{
    EVENT(e, event);
    const int lost = atomic_load(&e->head.context->lost);
    if (lost) return (CUresult)lost;
    if (e->shared) return px_cu_ipc_event_query(e->head.context, e->shared);
    return px_cu_result(e->head.context, ptx_event_query(e_vm, e->number), NULL);
}

CUresult cuEventQuery(CUevent event)
{
    const bool refused = px_cu_permit(false);
    const CUresult result = query(event);
    px_cu_permit(refused);
    return result;
}

CUresult cuEventSynchronize(CUevent event)
{
    EVENT(e, event);
    const int lost = atomic_load(&e->head.context->lost);
    if (lost) return (CUresult)lost;
    if (e->shared) return px_cu_ipc_event_wait(e->head.context, e->shared);
    const ptx_status status = ptx_event_wait(e_vm, e->number);
    px_cu_flush(e->head.context);
    return px_cu_result(e->head.context, status, NULL);
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to)
{
    double ms;
    EVENT(a, from);
    EVENT(b, to);
    if (!milliseconds) return CUDA_ERROR_INVALID_VALUE;
    if (a_vm != b_vm || a->shared || b->shared) return CUDA_ERROR_INVALID_HANDLE;
    const ptx_status status = ptx_event_elapsed(a_vm, a->number, b->number, &ms);
    if (status == PTX_ERROR_INVALID_ARGUMENT)
        return CUDA_ERROR_INVALID_HANDLE; /* not recorded, or not timed */
    if (status == PTX_OK) *milliseconds = (float)ms;
    return px_cu_result(a->head.context, status, NULL);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    PX_CU_TAKE(px_cu_event, e, PX_CU_EVENT, event, CUDA_ERROR_INVALID_HANDLE);
    PX_CU_WAY(way, stream);
    if (flags > CU_EVENT_WAIT_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    if (way.context != e->head.context) return cuEventSynchronize(event);
    if (e->shared) return px_cu_ipc_event_follow(e->shared, &way);
    if (flags == CU_EVENT_WAIT_EXTERNAL) return external(&way, e->number, PTX_NODE_WAIT);
    return px_cu_result(way.context, ptx_stream_wait_event(way.vm, way.stream, e->number), NULL);
}

/* Graph nodes name events by the library's numbers. */
CUresult px_cu_event_number(CUevent event, const struct px_cu_context *context, ptx_event *number)
{
    PX_CU_TAKE(px_cu_event, e, PX_CU_EVENT, event, CUDA_ERROR_INVALID_HANDLE);
    if (e->head.context != context) return CUDA_ERROR_INVALID_HANDLE;
    *number = e->number;
    return CUDA_SUCCESS;
}

struct event_search {
    ptx_event number;
    CUevent found;
};

static void match_event(void *object, void *user)
{
    struct event_search *s = user;
    const struct px_cu_event *e = object;
    if (e->number == s->number) s->found = px_cu_handle(e);
}

CUevent px_cu_event_at(const struct px_cu_context *context, ptx_event number)
{
    struct event_search s = {.number = number};
    px_cu_each(PX_CU_EVENT, context, match_event, &s);
    return s.found;
}

/* ---- of a whole context ---- */

/* What all streams of a context are asked to do. */
struct round {
    ptx_device *vm;
    ptx_status (*fn)(ptx_device *vm, ptx_stream stream, const struct round *round);
    ptx_stream stream;
    ptx_event event;
    ptx_status status; /* the first failure */
};

static void ask(void *object, void *user)
{
    const struct px_cu_stream *s = object;
    struct round *r = user;
    if (r->status == PTX_OK) r->status = r->fn(r->vm, s->number, r);
}

static ptx_status ask_all(const struct px_cu_context *c, struct round *r)
{
    r->status = r->fn(r->vm, PTX_STREAM_LEGACY, r);
    if (r->status == PTX_OK) r->status = r->fn(r->vm, PTX_STREAM_PER_THREAD, r);
    px_cu_each(PX_CU_STREAM, c, ask, r);
    return r->status;
}

/* A stream that is captured breaks its capture. */
static ptx_status refuse_captured(ptx_device *vm, ptx_stream stream, const struct round *r)
{
    int active = 0;
    (void)r;
    if (ptx_capture_query(vm, stream, &active) != PTX_OK || !active) return PTX_OK;
    return ptx_stream_query(vm, stream);
}

static ptx_status follow(ptx_device *vm, ptx_stream stream, const struct round *r)
{
    return ptx_stream_wait_event(vm, stream, r->event);
}

/* r->stream goes on behind what is in `stream`. */
static ptx_status gather(ptx_device *vm, ptx_stream stream, const struct round *r)
{
    ptx_event mark;
    ptx_status status = ptx_event_create(vm, PTX_EVENT_NO_TIMING, &mark);
    if (status != PTX_OK) return status;
    status = ptx_event_record(vm, mark, stream);
    if (status == PTX_OK) status = ptx_stream_wait_event(vm, r->stream, mark);
    ptx_event_destroy(vm, mark);
    return status;
}

static CUresult context_of(CUcontext handle, struct px_cu_context **context)
{
    PX_CU_TRY(px_cu_ready());
    *context = px_cu_take(handle, PX_CU_CONTEXT);
    if (!*context) return CUDA_ERROR_INVALID_CONTEXT;
    const int lost = atomic_load(&(*context)->lost);
    return (CUresult)lost;
}

CUresult cuCtxRecordEvent(CUcontext context, CUevent event)
{
    PX_CU_HOLD(px_cu_context, c) = NULL;
    PX_CU_TRY(context_of(context, &c));
    EVENT(e, event);
    if (e->head.context != c || e->shared) return CUDA_ERROR_INVALID_HANDLE;
    const ptx_stream_config config = {.struct_size = sizeof config, .flags = PTX_STREAM_NONBLOCKING};
    struct round r = {.vm = e_vm, .fn = refuse_captured};
    if (ask_all(c, &r) != PTX_OK) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    ptx_status status = ptx_stream_create(e_vm, &config, &r.stream);
    if (status != PTX_OK) return px_cu_result(c, status, NULL);
    r.fn = gather;
    status = ask_all(c, &r);
    if (status == PTX_OK) status = ptx_event_record(e_vm, e->number, r.stream);
    ptx_stream_destroy(e_vm, r.stream);
    return px_cu_result(c, status, NULL);
}

/* Streams that are made later do not wait: their first work is given behind this call anyway. */
CUresult cuCtxWaitEvent(CUcontext context, CUevent event)
{
    PX_CU_HOLD(px_cu_context, c) = NULL;
    PX_CU_TRY(context_of(context, &c));
    EVENT(e, event);
    if (e->head.context != c || e->shared) return cuEventSynchronize(event);
    struct round r = {.vm = e_vm, .fn = refuse_captured, .event = e->number};
    if (ask_all(c, &r) != PTX_OK) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    r.fn = follow;
    return px_cu_result(c, ask_all(c, &r), NULL);
}

/* ---- of other processes ---- */

CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
    PX_CU_TRY(px_cu_ready());
    if (!handle || !event) return CUDA_ERROR_INVALID_VALUE;
    EVENT(e, event);
    (void)e_vm;
    return e->shared ? px_cu_ipc_event_handle(e->shared, handle) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
    PX_CU_CURRENT(c);
    if (!event) return CUDA_ERROR_INVALID_VALUE;
    const int file = px_cu_ipc_event_file(&handle);
    return file >= 0 ? make(c, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS, file, event)
                     : CUDA_ERROR_MAP_FAILED;
}
