/*
 * api/pool.c - the public functions of ptx_memory.h for memory in stream order.
 */
#include "base/sized.h"
#include "vm/device/traced.h"
#include "vm/queue/capture.h"
#include "vm/queue/pool.h"
#include "vm/queue/work.h"

enum { FIRST_POOL = PX_FIRST(ptx_pool_info, used_high) };

/* ---- pools ---- */

/* NULL: there is none of this number. The scheduler's lock is held. */
static struct px_pool *pool_at(ptx_device *device, ptx_pool number)
{
    if (number == PTX_POOL_GRAPHS) return device->graphs;
    return number == PTX_POOL_DEFAULT ? device->pool
                                      : px_handle_get(&device->handles, PX_HANDLE_POOL, number);
}

PTX_API ptx_status ptx_pool_create(ptx_device *device, uint64_t max_bytes, ptx_pool *pool)
{
    if (!px_device_usable(device) || !pool) return PTX_ERROR_INVALID_ARGUMENT;
    struct px_pool *p = px_pool_new(device, max_bytes);
    if (!p) return PTX_ERROR_OUT_OF_MEMORY;
    px_sched_lock(&device->sched);
    pthread_mutex_lock(&device->mem_lock);
    const ptx_pool number = p->number = px_handle_add(&device->handles, &device->alloc, PX_HANDLE_POOL, p);
    pthread_mutex_unlock(&device->mem_lock);
    px_sched_unlock(&device->sched);
    if (number)
        *pool = number;
    else
        px_pool_close(device, p);
    return number ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

PTX_API ptx_status ptx_pool_destroy(ptx_device *device, ptx_pool pool)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    struct px_pool *p = px_handle_drop(&device->handles, PX_HANDLE_POOL, pool);
    if (p) px_pool_close(device, p);
    px_sched_unlock(&device->sched);
    return p ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_pool_info_get(ptx_device *device, ptx_pool pool, ptx_pool_info *info)
{
    if (!px_device_usable(device) || !px_can_give(info, FIRST_POOL)) return PTX_ERROR_INVALID_ARGUMENT;
    ptx_pool_info told = {0};
    px_sched_lock(&device->sched);
    pthread_mutex_lock(&device->mem_lock);
    const struct px_pool *p = pool_at(device, pool);
    if (p)
        told = (ptx_pool_info){.threshold = p->threshold,
                               .reserved = p->reserved,
                               .reserved_high = p->reserved_high,
                               .used = p->used,
                               .used_high = p->used_high};
    pthread_mutex_unlock(&device->mem_lock);
    px_sched_unlock(&device->sched);
    if (p) px_give(info, &told, sizeof told, FIRST_POOL);
    return p ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

enum change { THRESHOLD, TRIM, RESET_HIGH };

static ptx_status change(ptx_device *device, ptx_pool pool, enum change what, uint64_t bytes)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    pthread_mutex_lock(&device->mem_lock);
    struct px_pool *p = pool_at(device, pool);
    if (p && what == THRESHOLD) p->threshold = bytes;
    if (p && what == TRIM) px_pool_trim(p, bytes);
    if (p && what == RESET_HIGH) {
        p->used_high = p->used;
        p->reserved_high = p->reserved;
    }
    pthread_mutex_unlock(&device->mem_lock);
    px_sched_unlock(&device->sched);
    return p ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_pool_threshold_set(ptx_device *device, ptx_pool pool, uint64_t bytes)
{
    return change(device, pool, THRESHOLD, bytes);
}

PTX_API ptx_status ptx_pool_trim(ptx_device *device, ptx_pool pool, uint64_t keep)
{
    return change(device, pool, TRIM, keep);
}

PTX_API ptx_status ptx_pool_high_reset(ptx_device *device, ptx_pool pool)
{
    return change(device, pool, RESET_HIGH, 0);
}

PTX_API ptx_status ptx_pool_open(ptx_device *device, ptx_pool pool, unsigned group, int on)
{
    if (!px_device_usable(device) || group >= PX_MEM_GROUPS) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    pthread_mutex_lock(&device->mem_lock);
    struct px_pool *p = pool_at(device, pool);
    if (p) {
        p->groups = on ? p->groups | 1u << group : p->groups & ~(1u << group);
        px_mem_see_tagged(&device->mem, PX_MEM_POOL, p->place, p->groups);
    }
    pthread_mutex_unlock(&device->mem_lock);
    px_sched_unlock(&device->sched);
    return p ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

/* ---- in stream order ---- */

static ptx_status alloc_in_graph(struct px_stream *s, uint64_t size, ptx_address *address)
{
    struct ptx_device *device = s->device;
    const struct px_work op = {.kind = PX_WORK_ALLOC, .memory = px_graph_memory_new(device, size)};
    if (!op.memory) return PTX_ERROR_OUT_OF_MEMORY;
    const ptx_status status = px_capture_op(s, &op);
    if (status == PTX_OK) *address = op.memory->va;
    px_graph_memory_release(device, op.memory);
    return status;
}

/* For who hears of memory: a mark where the stream allocates, and its number; 0: nobody does. */
static uint64_t mark_place(struct px_stream *s)
{
    struct px_task *mark = s->device->config.trace_memory ? px_stream_put(s, NULL, NULL, false) : NULL;
    if (!mark) return 0;
    const uint64_t number = mark->number;
    px_task_submit(mark);
    px_task_release(mark);
    return number;
}

/* The scheduler's lock is held. */
static ptx_status alloc_in_order(ptx_device *device, ptx_pool pool, uint64_t size, ptx_stream stream,
                                 ptx_address *address)
{
    struct px_stream *s = px_stream_find(device, stream);
    struct px_pool *p = pool_at(device, pool);
    if (!s || !p || p == device->graphs) return PTX_ERROR_INVALID_ARGUMENT;
    if (device->tasks.lost != PTX_OK) return device->tasks.lost;
    if (s->capture) return alloc_in_graph(s, size, address);
    const uint64_t work = mark_place(s);
    pthread_mutex_lock(&device->mem_lock);
    const bool ok = px_pool_take(device, p, size, address);
    if (ok) px_traced_pool(device, *address, size, work);
    pthread_mutex_unlock(&device->mem_lock);
    return ok ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

PTX_API ptx_status ptx_pool_alloc(ptx_device *device, ptx_pool pool, uint64_t size, ptx_stream stream,
                                  ptx_address *address)
{
    ptx_address va;
    if (!px_device_usable(device) || !address || !size) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    const ptx_status status = alloc_in_order(device, pool, size, stream, &va);
    px_sched_unlock(&device->sched);
    if (status == PTX_OK) *address = va;
    return status;
}

PTX_API ptx_status ptx_stream_alloc(ptx_device *device, uint64_t size, ptx_stream stream,
                                    ptx_address *address)
{
    return ptx_pool_alloc(device, PTX_POOL_DEFAULT, size, stream, address);
}

/* May the stream free memory of this kind? While it is captured only that of graphs, and only then what
 * sleeps.
 */
static ptx_status may_free(ptx_device *device, enum px_mem_kind kind, ptx_stream stream)
{
    px_sched_lock(&device->sched);
    const struct px_stream *s = px_stream_find(device, stream);
    const bool graph = kind == PX_MEM_GRAPH || kind == PX_MEM_DORMANT, captured = s && s->capture;
    px_sched_unlock(&device->sched);
    if (!s) return PTX_ERROR_INVALID_ARGUMENT;
    if (captured) return graph ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
    return kind == PX_MEM_POOL || kind == PX_MEM_DEVICE || kind == PX_MEM_GRAPH ? PTX_OK
                                                                                : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_stream_free(ptx_device *device, ptx_address address, ptx_stream stream)
{
    struct px_extent block;
    enum px_mem_kind kind;
    uint32_t tag;
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    if (!px_mem_tag_of(&device->mem, address, &block, &kind, &tag) || block.lo != address ||
        (kind == PX_MEM_DEVICE && tag != PX_MEM_ALLOCATED)) {
        px_traced_memory(device, PTX_TRACE_BAD_FREE, PTX_TRACE_STREAM, address, 0);
        return PTX_ERROR_INVALID_ARGUMENT;
    }
    const ptx_status status = may_free(device, kind, stream);
    const struct px_work work = {.kind = PX_WORK_FREE, .address = address};
    if (status == PTX_OK)
        px_traced_memory(device, PTX_TRACE_FREE_ASKED, PTX_TRACE_STREAM, address, block.len);
    return status == PTX_OK ? px_work_submit(device, &work, stream, NULL) : status;
}
