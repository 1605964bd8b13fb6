/*
 * cuda_pool.c - memory in stream order, and the pools that it is said to come from.
 *
 * All of it comes from the context's device memory; a pool counts what was taken in its name and keeps the
 * attributes that it was given. What is freed is free at once, so reserved and used memory are the same.
 */
#include <stdlib.h>
#include <string.h>
#include "shim/cuda_memory.h"

enum { BUCKETS = 1024, ATTRIBUTES = CU_MEMPOOL_ATTR_USED_MEM_HIGH + 1 };

struct pool {
    struct px_cu_object head;
    struct px_cu_device *device;
    bool is_default;
    pthread_mutex_t lock; /* of what follows */
    uint64_t values[ATTRIBUTES];
    CUmemAccess_flags access[PX_CU_DEVICES];
};

/* An allocation and whose it is. */
struct note {
    struct note *next;
    CUdeviceptr address;
    uint64_t size;
    CUmemoryPool pool;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct note *notes[BUCKETS]; /* guarded by lock */

static struct note **bucket_of(CUdeviceptr address)
{
    return &notes[(address >> 8) % BUCKETS];
}

/* ---- counting ---- */

static void count(CUmemoryPool handle, int64_t bytes)
{
    struct pool *p = px_cu_take(handle, PX_CU_POOL);
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    for (int i = CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT; i <= CU_MEMPOOL_ATTR_USED_MEM_CURRENT; i += 2) {
        p->values[i] += (uint64_t)bytes;
        if (p->values[i] > p->values[i + 1]) p->values[i + 1] = p->values[i];
    }
    pthread_mutex_unlock(&p->lock);
    px_cu_give(p);
}

static bool note(CUdeviceptr address, uint64_t size, CUmemoryPool pool)
{
    struct note *n = malloc(sizeof *n);
    if (!n) return false;
    pthread_mutex_lock(&lock);
    *n = (struct note){*bucket_of(address), address, size, pool};
    *bucket_of(address) = n;
    pthread_mutex_unlock(&lock);
    count(pool, (int64_t)size);
    return true;
}

void px_cu_pool_forget(CUdeviceptr address)
{
    pthread_mutex_lock(&lock);
    struct note **at = bucket_of(address), *n;
    while ((n = *at) && n->address != address) at = &n->next;
    if (n) *at = n->next;
    pthread_mutex_unlock(&lock);
    if (n) count(n->pool, -(int64_t)n->size);
    free(n);
}

CUmemoryPool px_cu_pool_of(CUdeviceptr address)
{
    CUmemoryPool pool = NULL;
    pthread_mutex_lock(&lock);
    for (const struct note *n = *bucket_of(address); n; n = n->next)
        if (n->address == address) pool = n->pool;
    pthread_mutex_unlock(&lock);
    return pool;
}

/* ---- pools ---- */

static void destroy_pool(void *object)
{
    pthread_mutex_destroy(&((struct pool *)object)->lock);
}

static CUresult make_pool(struct px_cu_device *device, bool is_default, CUmemoryPool *handle)
{
    struct pool *p = px_cu_new(PX_CU_POOL, sizeof *p, NULL, destroy_pool);
    if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&p->lock, NULL);
    p->device = device;
    p->is_default = is_default;
    for (int i = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES; i < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD; i++)
        p->values[i] = 1;
    *handle = px_cu_handle(p);
    return CUDA_SUCCESS;
}

/* The device's pools; made when first asked for. */
static CUresult pools_of(CUdevice device, CUmemoryPool *standard, CUmemoryPool *current)
{
    PX_CU_TRY(px_cu_ready());
    struct px_cu_device *d = px_cu_device(device);
    CUresult result = CUDA_SUCCESS;
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&d->lock);
    if (!d->default_pool) result = make_pool(d, true, &d->default_pool);
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
    if (props->handleTypes != CU_MEM_HANDLE_TYPE_NONE) return px_cu_unsupported("pools for other processes");
    if (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return px_cu_unsupported("pools of host memory");
    struct px_cu_device *d = px_cu_device(props->location.id);
    return d ? make_pool(d, false, pool) : CUDA_ERROR_INVALID_DEVICE;
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
    (void)keep; /* nothing is kept beyond what is used */
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    POOL(p, pool);
    if (!value || attribute < CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES || (int)attribute >= ATTRIBUTES)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&p->lock);
    if (attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
        *(int *)value = (int)p->values[attribute];
    else
        *(cuuint64_t *)value = p->values[attribute];
    pthread_mutex_unlock(&p->lock);
    return CUDA_SUCCESS;
}

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
        p->values[attribute] = *(const int *)value != 0;
        break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: p->values[attribute] = *(const cuuint64_t *)value; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        if (*(const cuuint64_t *)value)
            result = CUDA_ERROR_INVALID_VALUE; /* it can only be put back */
        else
            p->values[attribute] = p->values[attribute - 1];
        break;
    default: result = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&p->lock);
    return result;
}

/* Kept so that it can be asked for; what may be reached from another device is decided by peer access. */
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t n)
{
    POOL(p, pool);
    if (n && !list) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < n; i++) {
        struct px_cu_device *d = px_cu_device(list[i].location.id);
        if (list[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || !d) return CUDA_ERROR_INVALID_DEVICE;
        if (d == p->device && list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_INVALID_VALUE;
        pthread_mutex_lock(&p->lock);
        p->access[d->ordinal] = list[i].flags;
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
    if (!address) return CUDA_ERROR_INVALID_VALUE;
    *address = 0;
    if (!size) return CUDA_SUCCESS;
    const bool captured = px_cu_way_captured(way); /* then it is a graph's, and no pool's */
    PX_CU_TRY(px_cu_result(way->context, ptx_stream_alloc(way->vm, size, way->stream, &at), NULL));
    if (!captured && !note(at, size, pool)) {
        ptx_stream_free(way->vm, at, way->stream);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
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
    if (!owner || info.base != address) return CUDA_ERROR_INVALID_VALUE;
    if (owner !=
        way.context) { /* another device's order is not this stream's: what is before it is waited for */
        PX_CU_TRY(px_cu_way_wait(&way));
        px_cu_pool_forget(address);
        return px_cu_result(owner, ptx_stream_free(atomic_load(&owner->vm), address, PTX_STREAM_LEGACY),
                            NULL);
    }
    const ptx_status status = ptx_stream_free(way.vm, address, way.stream);
    if (status == PTX_OK) px_cu_pool_forget(address);
    return px_cu_result(owner, status, NULL);
}
