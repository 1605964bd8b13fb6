/*
 * stream.c - streams.
 *
 * The handles 0, 1 and 2 are a context's default streams, as in the library.
 */
#include <stdlib.h>
#include <string.h>
#include "cuda/driver/driver.h"
#include "cuda/driver/graph.h"

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
    PX_CU_TRY(px_cu_ready());
    if (number > PTX_STREAM_PER_THREAD) {
        way->object = px_cu_take(stream, PX_CU_STREAM);
        if (!way->object) return CUDA_ERROR_INVALID_HANDLE;
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
    px_cu_capture_leave(stream);
    return px_cu_drop(stream, PX_CU_STREAM) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    PX_CU_WAY(way, stream);
    return px_cu_way_wait(&way);
}

static CUresult query(CUstream stream, bool in_host_call)
{
    PX_CU_WAY(way, stream);
    const ptx_status status = ptx_stream_query(way.vm, way.stream);
    if (status == PTX_OK && in_host_call) return CUDA_SUCCESS;
    /* What it ended with is told by a wait, which returns at once. */
    return status == PTX_OK ? px_cu_way_wait(&way) : px_cu_result(way.context, status, NULL);
}

CUresult cuStreamQuery(CUstream stream)
{
    const bool refused = px_cu_permit(false);
    const CUresult result = query(stream, refused);
    px_cu_permit(refused);
    return result;
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
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE)
        return CUDA_ERROR_INVALID_VALUE;
    if (ptx_memory_info_get(way.vm, address, &info) != PTX_OK || info.kind != PTX_MEMORY_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;
    return address == info.base && (!size || size == info.size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
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
