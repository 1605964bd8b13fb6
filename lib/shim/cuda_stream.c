/*
 * cuda_stream.c - streams and events.
 *
 * The handles 0, 1 and 2 are a context's default streams, as in the library. An event of another context is
 * waited for by the caller: two virtual devices have no order in common.
 */
#include <stdlib.h>
#include <string.h>
#include "shim/driver.h"

struct px_cu_event {
    struct px_cu_object head;
    ptx_event number;
    unsigned flags;
};

static atomic_ullong next_id = 16; /* below are the default streams */

/* ---- where work goes ---- */

void px_cu_way_clean(struct px_cu_way *way)
{
    px_cu_give(way->object);
    px_cu_give(way->context);
}

CUresult px_cu_way_of(CUstream stream, struct px_cu_context *context, struct px_cu_way *way)
{
    const uintptr_t number = (uintptr_t)stream;
    if (number > PTX_STREAM_PER_THREAD) {
        way->object = px_cu_take(stream, PX_CU_STREAM);
        if (!way->object) return px_cu_ready() ? px_cu_ready() : CUDA_ERROR_INVALID_HANDLE;
        way->context = px_cu_again(way->object->head.context);
        way->stream = way->object->number;
        const int lost = atomic_load_explicit(&way->context->lost, memory_order_relaxed);
        return lost ? (CUresult)lost : px_cu_vm(way->context, &way->vm);
    }
    if (context) {
        way->context = px_cu_again(context);
        const int lost = atomic_load_explicit(&context->lost, memory_order_relaxed);
        if (lost) return (CUresult)lost;
    } else {
        PX_CU_TRY(px_cu_current(&way->context));
    }
    way->stream = number;
    return px_cu_vm(way->context, &way->vm);
}

CUresult px_cu_way_wait(const struct px_cu_way *way)
{
    ptx_fault fault = {sizeof fault};
    const ptx_status status = ptx_stream_wait(way->vm, way->stream, &fault);
    px_cu_flush(way->context);
    return px_cu_result(way->context, status, &fault);
}

bool px_cu_way_captured(const struct px_cu_way *way)
{
    int active = 0;
    return ptx_capture_query(way->vm, way->stream, &active) == PTX_OK && active;
}

/* ---- streams ---- */

static void destroy_stream(void *object)
{
    struct px_cu_stream *s = object;
    ptx_stream_destroy(atomic_load(&s->head.context->vm), s->number);
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    ptx_device *vm;
    PX_CU_CURRENT(c);
    if (!stream || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_vm(c, &vm));
    const ptx_stream_config config = {.struct_size = sizeof config, .flags = flags, .priority = priority};
    struct px_cu_stream *s = px_cu_new(PX_CU_STREAM, sizeof *s, c, NULL);
    if (!s) return CUDA_ERROR_OUT_OF_MEMORY;
    const ptx_status status = ptx_stream_create(vm, &config, &s->number);
    if (status != PTX_OK) {
        px_cu_drop(px_cu_handle(s), PX_CU_STREAM);
        return px_cu_result(c, status, NULL);
    }
    s->head.destroy = destroy_stream;
    s->flags = flags;
    s->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    s->id = atomic_fetch_add(&next_id, 1);
    *stream = px_cu_handle(s);
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    PX_CU_TRY(px_cu_ready());
    return px_cu_drop(stream, PX_CU_STREAM) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    PX_CU_WAY(way, stream);
    return px_cu_way_wait(&way);
}

CUresult cuStreamQuery(CUstream stream)
{
    PX_CU_WAY(way, stream);
    const ptx_status status = ptx_stream_query(way.vm, way.stream);
    /* What it ended with is told by a wait, which returns at once. */
    return status == PTX_OK ? px_cu_way_wait(&way) : px_cu_result(way.context, status, NULL);
}

CUresult cuStreamGetFlags(CUstream stream, unsigned *flags)
{
    PX_CU_WAY(way, stream);
    return PX_CU_ANSWER(flags, way.object ? way.object->flags : 0);
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    PX_CU_WAY(way, stream);
    return PX_CU_ANSWER(priority, way.object ? way.object->priority : 0);
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    PX_CU_WAY(way, stream);
    return PX_CU_ANSWER(id, way.object ? way.object->id : way.stream ? way.stream : 1);
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    PX_CU_WAY(way, stream);
    return PX_CU_ANSWER(context, px_cu_handle(way.context));
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green)
{
    PX_CU_TRY(cuStreamGetCtx(stream, context));
    if (green) *green = NULL;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    PX_CU_WAY(way, stream);
    return PX_CU_ANSWER(device, way.context->device->ordinal);
}

/* ---- host functions ---- */

struct callback {
    CUstreamCallback fn;
    CUstream stream;
    void *user;
    struct px_cu_context *context; /* taken */
};

static void call_back(void *user)
{
    struct callback *c = user;
    px_cu_flush(c->context);
    c->fn(c->stream, (CUresult)atomic_load(&c->context->lost), c->user);
    px_cu_give(c->context);
    free(c);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback fn, void *user, unsigned flags)
{
    PX_CU_WAY(way, stream);
    if (!fn || flags) return CUDA_ERROR_INVALID_VALUE;
    if (px_cu_way_captured(&way)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    struct callback *c = malloc(sizeof *c);
    if (!c) return CUDA_ERROR_OUT_OF_MEMORY;
    *c = (struct callback){fn, stream, user, px_cu_again(way.context)};
    const ptx_status status = ptx_stream_host(way.vm, way.stream, call_back, c);
    if (status != PTX_OK) {
        px_cu_give(c->context);
        free(c);
    }
    return px_cu_result(way.context, status, NULL);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *user)
{
    PX_CU_WAY(way, stream);
    if (!fn) return CUDA_ERROR_INVALID_VALUE;
    return px_cu_result(way.context, ptx_stream_host(way.vm, way.stream, fn, user), NULL);
}

/* Managed memory is one for all streams here. */
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t size, unsigned flags)
{
    ptx_memory_info info = {sizeof info};
    PX_CU_WAY(way, stream);
    (void)size;
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE)
        return CUDA_ERROR_INVALID_VALUE;
    if (ptx_memory_info_get(way.vm, address, &info) != PTX_OK || info.kind != PTX_MEMORY_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* ---- attributes ---- */

CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID id, CUstreamAttrValue *value)
{
    PX_CU_WAY(way, stream);
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    memset(value, 0, sizeof *value);
    switch (id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        if (way.object) *value = way.object->window;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        value->syncPolicy = CU_SYNC_POLICY_AUTO;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        value->priority = way.object ? way.object->priority : 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: value->memSyncDomainMap.remote = 1; return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Hints; the window of caching is kept because programs ask for it again. */
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID id, const CUstreamAttrValue *value)
{
    PX_CU_WAY(way, stream);
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    switch (id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        if (way.object) way.object->window = *value;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
    PX_CU_WAY(source, from);
    PX_CU_WAY(target, to);
    if (source.object && target.object) target.object->window = source.object->window;
    return CUDA_SUCCESS;
}

/* ---- events ---- */

static void destroy_event(void *object)
{
    struct px_cu_event *e = object;
    ptx_event_destroy(atomic_load(&e->head.context->vm), e->number);
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    ptx_device *vm;
    PX_CU_CURRENT(c);
    if (!event ||
        flags & ~(unsigned)(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS))
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & CU_EVENT_INTERPROCESS)
        return flags & CU_EVENT_DISABLE_TIMING ? px_cu_unsupported("CU_EVENT_INTERPROCESS")
                                               : CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_vm(c, &vm));
    struct px_cu_event *e = px_cu_new(PX_CU_EVENT, sizeof *e, c, NULL);
    if (!e) return CUDA_ERROR_OUT_OF_MEMORY;
    const ptx_status status =
        ptx_event_create(vm, flags & CU_EVENT_DISABLE_TIMING ? PTX_EVENT_NO_TIMING : 0, &e->number);
    if (status != PTX_OK) {
        px_cu_drop(px_cu_handle(e), PX_CU_EVENT);
        return px_cu_result(c, status, NULL);
    }
    e->head.destroy = destroy_event;
    e->flags = flags;
    *event = px_cu_handle(e);
    return CUDA_SUCCESS;
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

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    EVENT(e, event);
    PX_CU_WAY(way, stream);
    if (flags > CU_EVENT_RECORD_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    if (way.context != e->head.context) return CUDA_ERROR_INVALID_HANDLE;
    return px_cu_result(way.context, ptx_event_record(e_vm, e->number, way.stream), NULL);
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return cuEventRecordWithFlags(event, stream, 0);
}

CUresult cuEventQuery(CUevent event)
{
    EVENT(e, event);
    const int lost = atomic_load(&e->head.context->lost);
    if (lost) return (CUresult)lost;
    return px_cu_result(e->head.context, ptx_event_query(e_vm, e->number), NULL);
}

CUresult cuEventSynchronize(CUevent event)
{
    EVENT(e, event);
    const int lost = atomic_load(&e->head.context->lost);
    if (lost) return (CUresult)lost;
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
    if (a_vm != b_vm) return CUDA_ERROR_INVALID_HANDLE;
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
    if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
    if (way.context != e->head.context) return cuEventSynchronize(event);
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
