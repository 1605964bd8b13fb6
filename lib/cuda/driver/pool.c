/*
 * pool.c - memory in stream order, and the pools that it comes from.
 *
 * A pool of CUDA belongs to a device, one of the library to a virtual device, that is, to a context. So a
 * pool here has one of the library's in each context that it was used in, and what it tells is their sum.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda/driver/ipc.h"
#include "cuda/driver/memory.h"

enum { ATTRIBUTES = CU_MEMPOOL_ATTR_USED_MEM_HIGH + 1 };

/* Its pool in a context. */
struct home {
    struct home *next;
    CUcontext context;
    ptx_pool number;
};

struct pool {
    struct px_cu_object head;
    struct px_cu_device *device;
    bool is_default;
    uint64_t most;        /* bytes; 0: no limit */
    int token;            /* the file that other processes know it by; -1: it is not for them */
    bool imported;        /* it is another process's: nothing is allocated from it */
    pthread_mutex_t lock; /* of what follows */
    struct home *homes;
    uint64_t threshold;
    int reuse[CU_MEMPOOL_ATTR_RELEASE_THRESHOLD];
    CUmemAccess_flags access[PX_CU_DEVICES];
};

/* ---- in contexts ---- */

/* Which devices may use it, in a context where it is new. The lock is held. */
static ptx_status open_to_peers(const struct pool *p, ptx_device *vm, ptx_pool number)
{
    ptx_status status = PTX_OK;
    for (unsigned d = 0; d < PX_CU_DEVICES && status == PTX_OK; d++)
        if (p->access[d]) status = ptx_pool_open(vm, number, d, 1);
    return status;
}

/* The library's pool in a context, made when it is first used there. */
static CUresult home_of(struct pool *p, const struct px_cu_way *way, ptx_pool *number)
{
    const CUcontext handle = px_cu_handle(way->context);
    ptx_status status = PTX_OK;
    pthread_mutex_lock(&p->lock);
    struct home *h = p->homes;
    while (h && h->context != handle) h = h->next;
    if (!h && (h = malloc(sizeof *h))) {
        *h = (struct home){p->homes, handle, PTX_POOL_DEFAULT};
        if (!p->is_default) status = ptx_pool_create(way->vm, p->most, &h->number);
        if (status == PTX_OK) status = ptx_pool_threshold_set(way->vm, h->number, p->threshold);
        if (status == PTX_OK) status = open_to_peers(p, way->vm, h->number);
        if (status == PTX_OK) {
            p->homes = h;
        } else {
            free(h);
            h = NULL;
        }
    }
    if (h) *number = h->number;
    pthread_mutex_unlock(&p->lock);
    if (h) return CUDA_SUCCESS;
    return status == PTX_OK ? CUDA_ERROR_OUT_OF_MEMORY : px_cu_result(way->context, status, NULL);
}

/* Calls `fn` for each; those of contexts that have ended are forgotten. The lock is held. */
static void each_home(struct pool *p, void (*fn)(ptx_device *vm, ptx_pool number, void *user), void *user)
{
    for (struct home **at = &p->homes, *h; (h = *at);) {
        struct px_cu_context *c = px_cu_take(h->context, PX_CU_CONTEXT);
        if (c) {
            fn(atomic_load(&c->vm), h->number, user);
            at = &h->next;
        } else {
            *at = h->next;
            free(h);
        }
        px_cu_give(c);
    }
}

static void add_info(ptx_device *vm, ptx_pool number, void *user)
{
    ptx_pool_info *sum = user, info = {sizeof info};
    if (ptx_pool_info_get(vm, number, &info) != PTX_OK) return;
    sum->reserved += info.reserved;
    sum->reserved_high += info.reserved_high;
    sum->used += info.used;
    sum->used_high += info.used_high;
}

static void set_threshold(ptx_device *vm, ptx_pool number, void *bytes)
{
    ptx_pool_threshold_set(vm, number, *(uint64_t *)bytes);
}

static void trim(ptx_device *vm, ptx_pool number, void *bytes)
{
    ptx_pool_trim(vm, number, *(size_t *)bytes);
}

static void reset_high(ptx_device *vm, ptx_pool number, void *unused)
{
    (void)unused;
    ptx_pool_high_reset(vm, number);
}

static void leave(ptx_device *vm, ptx_pool number, void *unused)
{
    (void)unused;
    if (number != PTX_POOL_DEFAULT) ptx_pool_destroy(vm, number);
}

struct search {
    CUcontext context;
    ptx_pool number;
    CUmemoryPool found;
};

static void match(void *object, void *user)
{
    struct pool *p = object;
    struct search *s = user;
    pthread_mutex_lock(&p->lock);
    for (const struct home *h = p->homes; h && !s->found; h = h->next)
        if (h->context == s->context && h->number == s->number) s->found = px_cu_handle(p);
    pthread_mutex_unlock(&p->lock);
}

CUmemoryPool px_cu_pool_of(const struct px_cu_context *context, const ptx_memory_info *info)
{
    struct search s = {.context = px_cu_handle(context), .number = info->pool};
    px_cu_each(PX_CU_POOL, NULL, match, &s);
    return s.found;
}

/* ---- pools ---- */

static void destroy_pool(void *object)
{
    struct pool *p = object;
    each_home(p, leave, NULL);
    for (struct home *h = p->homes, *next; h; h = next) {
        next = h->next;
        free(h);
    }
    if (p->token >= 0) close(p->token);
    pthread_mutex_destroy(&p->lock);
}

static CUresult make_pool(struct px_cu_device *device, bool is_default, uint64_t most, CUmemoryPool *handle)
{
    struct pool *p = px_cu_new(PX_CU_POOL, sizeof *p, NULL, destroy_pool);
    if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&p->lock, NULL);
    p->device = device;
    p->is_default = is_default;
    p->most = most;
    p->token = -1;
    for (int i = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES; i < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD; i++)
        p->reuse[i] = 1;
    *handle = px_cu_handle(p);
    return CUDA_SUCCESS;
}

/* The pool takes its file; without one it goes. */
static CUresult give_token(CUmemoryPool handle, int token, bool imported)
{
    PX_CU_HOLD(pool, p) = px_cu_take(handle, PX_CU_POOL);
    p->token = token;
    p->imported = imported;
    if (token >= 0) return CUDA_SUCCESS;
    px_cu_drop(handle, PX_CU_POOL);
    return CUDA_ERROR_OPERATING_SYSTEM;
}

/* The device's pools; made when first asked for. */
static CUresult pools_of(CUdevice device, CUmemoryPool *standard, CUmemoryPool *current)
{
    PX_CU_TRY(px_cu_ready());
    struct px_cu_device *d = px_cu_device(device);
    CUresult result = CUDA_SUCCESS;
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&d->lock);
    if (!d->default_pool) result = make_pool(d, true, 0, &d->default_pool);
    struct pool *p = px_cu_take(d->pool, PX_CU_POOL);
    if (!p) d->pool = d->default_pool; /* none was set, or it is gone */
    px_cu_give(p);
    *standard = d->default_pool;
    *current = d->pool;
    pthread_mutex_unlock(&d->lock);
    return result;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    CUmemoryPool current;
    return pool ? pools_of(device, pool, &current) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    CUmemoryPool standard;
    return pool ? pools_of(device, &standard, pool) : CUDA_ERROR_INVALID_VALUE;
}

#define POOL(name, handle) PX_CU_TAKE(pool, name, PX_CU_POOL, handle, CUDA_ERROR_INVALID_VALUE)

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    POOL(p, pool);
    struct px_cu_device *d = px_cu_device(device);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    if (p->device != d) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&d->lock);
    d->pool = pool;
    pthread_mutex_unlock(&d->lock);
    return CUDA_SUCCESS;
}

/* ---- by location ---- */

/* The device of a location that has pools: memory of the host, and managed memory, come from none here. */
static CUresult check_location(const CUmemLocation *location, CUmemAllocationType type)
{
    PX_CU_TRY(px_cu_ready());
    const bool managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
    if (!location || (type != CU_MEM_ALLOCATION_TYPE_PINNED && !managed)) return CUDA_ERROR_INVALID_VALUE;
    if (location->type > CU_MEM_LOCATION_TYPE_HOST_NUMA ||
        (location->type == CU_MEM_LOCATION_TYPE_NONE && !managed))
        return CUDA_ERROR_INVALID_VALUE;
    if (managed || location->type != CU_MEM_LOCATION_TYPE_DEVICE)
        return px_cu_unsupported("pools of host or managed memory");
    return CUDA_SUCCESS;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    PX_CU_TRY(check_location(location, type));
    return cuDeviceGetDefaultMemPool(pool, location->id);
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    PX_CU_TRY(check_location(location, type));
    return cuDeviceGetMemPool(pool, location->id);
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
    PX_CU_TRY(check_location(location, type));
    return cuDeviceSetMemPool(location->id, pool);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
    PX_CU_TRY(px_cu_ready());
    if (!pool || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
    if (props->handleTypes & ~(unsigned)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return px_cu_unsupported("pools for other processes by handles that are no file descriptors");
    if (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return px_cu_unsupported("pools of host memory");
    struct px_cu_device *d = px_cu_device(props->location.id);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    PX_CU_TRY(make_pool(d, false, props->maxSize, pool));
    return props->handleTypes ? give_token(*pool, px_cu_token_make(), false) : CUDA_SUCCESS;
}

/* ---- for other processes ---- */

CUresult cuMemPoolExportToShareableHandle(void *to, CUmemoryPool pool, CUmemAllocationHandleType type,
                                          unsigned long long flags)
{
    POOL(p, pool);
    if (!to || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || p->token < 0 || p->imported)
        return CUDA_ERROR_INVALID_VALUE;
    const int copy = fcntl(p->token, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return CUDA_ERROR_OPERATING_SYSTEM;
    *(int *)to = copy;
    return CUDA_SUCCESS;
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *shared, CUmemAllocationHandleType type,
                                            unsigned long long flags)
{
    PX_CU_CURRENT(c);
    if (!pool || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_INVALID_VALUE;
    if (!px_cu_token_is((int)(intptr_t)shared)) return CUDA_ERROR_UNKNOWN;
    PX_CU_TRY(make_pool(c->device, false, 0, pool));
    return give_token(*pool, fcntl((int)(intptr_t)shared, F_DUPFD_CLOEXEC, 0), true);
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr address)
{
    ptx_memory_info info;
    PX_CU_CURRENT(c);
    PX_CU_HOLD(px_cu_context, owner) = px_cu_owner(address, c, &info);
    if (!data || !owner || info.kind != PTX_MEMORY_STREAM || info.base != address)
        return CUDA_ERROR_INVALID_VALUE;
    POOL(p, px_cu_pool_of(owner, &info));
    return p->token < 0 ? CUDA_ERROR_INVALID_VALUE : px_cu_pointer_export(owner, &info, p->token, data);
}

CUresult cuMemPoolImportPointer(CUdeviceptr *address, CUmemoryPool pool, CUmemPoolPtrExportData *data)
{
    PX_CU_CURRENT(c);
    POOL(p, pool);
    if (!address || !data || !p->imported) return CUDA_ERROR_INVALID_VALUE;
    return px_cu_pointer_import(c, p->token, data, address);
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    POOL(p, pool);
    if (p->is_default) return CUDA_ERROR_INVALID_VALUE;
    px_cu_drop(pool, PX_CU_POOL);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
    POOL(p, pool);
    pthread_mutex_lock(&p->lock);
    each_home(p, trim, &keep);
    pthread_mutex_unlock(&p->lock);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    ptx_pool_info sum = {0};
    POOL(p, pool);
    if (!value || attribute < CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES || (int)attribute >= ATTRIBUTES)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&p->lock);
    if (attribute > CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) each_home(p, add_info, &sum);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: *(cuuint64_t *)value = p->threshold; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: *(cuuint64_t *)value = sum.reserved; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: *(cuuint64_t *)value = sum.reserved_high; break;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: *(cuuint64_t *)value = sum.used; break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: *(cuuint64_t *)value = sum.used_high; break;
    default: *(int *)value = p->reuse[attribute];
    }
    pthread_mutex_unlock(&p->lock);
    return CUDA_SUCCESS;
}

/* The most can only be put back; both are at once. */
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    POOL(p, pool);
    CUresult result = CUDA_SUCCESS;
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&p->lock);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        p->reuse[attribute] = *(const int *)value != 0;
        break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        p->threshold = *(const cuuint64_t *)value;
        each_home(p, set_threshold, &p->threshold);
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        if (*(const cuuint64_t *)value)
            result = CUDA_ERROR_INVALID_VALUE;
        else
            each_home(p, reset_high, NULL);
        break;
    default: result = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&p->lock);
    return result;
}

struct access {
    unsigned device;
    int on;
};

static void open_pool(ptx_device *vm, ptx_pool number, void *user)
{
    const struct access *a = user;
    ptx_pool_open(vm, number, a->device, a->on);
}

/* What the chip answers; the list is taken whole, or not at all. */
static CUresult may_open(const struct pool *p, const CUmemAccessDesc *desc)
{
    const struct px_cu_device *d = px_cu_device(desc->location.id);
    if (desc->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !d) return CUDA_ERROR_INVALID_DEVICE;
    if (d == p->device && desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return CUDA_ERROR_INVALID_DEVICE;
    return desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READ ? px_cu_unsupported("pools to read alone")
                                                        : CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t n)
{
    POOL(p, pool);
    if (n && !list) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < n; i++) PX_CU_TRY(may_open(p, &list[i]));
    for (size_t i = 0; i < n; i++) {
        const struct px_cu_device *d = px_cu_device(list[i].location.id);
        struct access access = {(unsigned)d->ordinal, list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE};
        pthread_mutex_lock(&p->lock);
        p->access[d->ordinal] = list[i].flags;
        if (d != p->device) each_home(p, open_pool, &access);
        pthread_mutex_unlock(&p->lock);
    }
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)
{
    POOL(p, pool);
    if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    struct px_cu_device *d = px_cu_device(location->id);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&p->lock);
    *flags = d == p->device ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : p->access[d->ordinal];
    pthread_mutex_unlock(&p->lock);
    return CUDA_SUCCESS;
}

/* ---- allocation ---- */

static CUresult allocate(CUdeviceptr *address, size_t size, CUmemoryPool pool, const struct px_cu_way *way)
{
    ptx_address at;
    ptx_pool number = PTX_POOL_DEFAULT;
    POOL(p, pool);
    if (!address || p->imported) return CUDA_ERROR_INVALID_VALUE;
    *address = 0;
    if (!size) return CUDA_SUCCESS;
    PX_CU_TRY(home_of(p, way, &number));
    PX_CU_TRY(px_cu_result(way->context, ptx_pool_alloc(way->vm, number, size, way->stream, &at), NULL));
    *address = at;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream)
{
    CUmemoryPool pool, standard;
    PX_CU_WAY(way, stream);
    PX_CU_TRY(pools_of(way.context->device->ordinal, &standard, &pool));
    return allocate(address, size, pool, &way);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t size, CUmemoryPool pool, CUstream stream)
{
    PX_CU_WAY(way, stream);
    POOL(p, pool);
    if (p->device != way.context->device)
        return px_cu_unsupported("cuMemAllocFromPoolAsync on another device");
    return allocate(address, size, pool, &way);
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    ptx_memory_info info;
    PX_CU_WAY(way, stream);
    if (!address) return CUDA_SUCCESS;
    if (px_cu_way_captured(&way)) /* memory of graphs, which may sleep now */
        return px_cu_result(way.context, ptx_stream_free(way.vm, address, way.stream), NULL);
    PX_CU_HOLD(px_cu_context, owner) = px_cu_owner(address, way.context, &info);
    if (!owner || info.base != address) {
        px_cu_bad_free(address);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (info.kind == PTX_MEMORY_OPENED) { /* another process's: it is closed here */
        PX_CU_TRY(px_cu_way_wait(&way));
        return px_cu_close(address, PX_CU_FROM_POOL);
    }
    if (owner !=
        way.context) { /* another device's order is not this stream's: what is before it is waited for */
        PX_CU_TRY(px_cu_way_wait(&way));
        return px_cu_result(owner, ptx_stream_free(atomic_load(&owner->vm), address, PTX_STREAM_LEGACY),
                            NULL);
    }
    return px_cu_result(owner, ptx_stream_free(way.vm, address, way.stream), NULL);
}
