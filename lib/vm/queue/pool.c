/*
 * pool.c - stream-ordered memory: pools, and memory of graphs' nodes.
 */
#include "vm/queue/pool.h"
#include "vm/device/traced.h"

enum { ALIGN = 512 /* of textures */, STEP = 32 << 20 /* a pool holds multiples of it */ };

static uint64_t steps(uint64_t bytes)
{
    return bytes > UINT64_MAX - STEP ? bytes : (bytes + STEP - 1) / STEP * STEP;
}

/* ---- counting ---- */

bool px_pool_take(struct ptx_device *device, struct px_pool *pool, uint64_t size, uint64_t *va)
{
    if (pool->most && (size > pool->most || pool->used > pool->most - size)) return false;
    if (!px_mem_alloc(&device->mem, size, ALIGN, va)) return false;
    px_mem_tag(&device->mem, *va, PX_MEM_POOL, pool->place);
    if (pool->groups) px_mem_see(&device->mem, *va, pool->groups);
    px_poison(device, *va, size);
    pool->used += size;
    if (pool->used > pool->used_high) pool->used_high = pool->used;
    if (pool->used > pool->reserved) pool->reserved = steps(pool->used);
    if (pool->reserved > pool->reserved_high) pool->reserved_high = pool->reserved;
    atomic_store_explicit(&device->pools_used, true, memory_order_relaxed);
    return true;
}

static void remove_pool(struct ptx_device *device, struct px_pool *pool)
{
    device->pools[pool->place] = NULL;
    px_free(&device->alloc, pool, sizeof *pool);
}

void px_pool_forget(struct ptx_device *device, uint64_t va)
{
    struct px_extent block;
    enum px_mem_kind kind;
    uint32_t place;
    if (!px_mem_tag_of(&device->mem, va, &block, &kind, &place) || kind != PX_MEM_POOL || block.lo != va)
        return;
    struct px_pool *pool = device->pools[place];
    pool->used -= block.len;
    if (pool->closed && !pool->used) remove_pool(device, pool);
}

void px_pool_trim(struct px_pool *pool, uint64_t keep)
{
    const uint64_t need = pool->used > keep ? pool->used : keep;
    if (steps(need) < pool->reserved) pool->reserved = steps(need);
}

void px_pools_settle(struct ptx_device *device)
{
    if (!atomic_load_explicit(&device->pools_used, memory_order_relaxed)) return;
    pthread_mutex_lock(&device->mem_lock);
    for (uint32_t i = 0; i < device->npools; i++)
        if (device->pools[i]) px_pool_trim(device->pools[i], device->pools[i]->threshold);
    pthread_mutex_unlock(&device->mem_lock);
}

uint64_t px_pools_idle(const struct ptx_device *device)
{
    uint64_t idle = 0;
    for (uint32_t i = 0; i < device->npools; i++)
        if (device->pools[i]) idle += device->pools[i]->reserved - device->pools[i]->used;
    return idle;
}

/* ---- making ---- */

static bool free_place(struct ptx_device *device, uint32_t *place)
{
    for (*place = 0; *place < device->npools; ++*place)
        if (!device->pools[*place]) return true;
    struct px_pool **pools = px_realloc(&device->alloc, device->pools, device->npools * sizeof *pools,
                                        (device->npools + 1) * sizeof *pools);
    if (!pools) return false;
    device->pools = pools;
    device->pools[device->npools++] = NULL;
    return true;
}

struct px_pool *px_pool_new(struct ptx_device *device, uint64_t most)
{
    uint32_t place;
    pthread_mutex_lock(&device->mem_lock);
    struct px_pool *pool = free_place(device, &place) ? px_zalloc(&device->alloc, sizeof *pool) : NULL;
    if (pool) {
        *pool = (struct px_pool){.most = most, .place = place};
        device->pools[place] = pool;
    }
    pthread_mutex_unlock(&device->mem_lock);
    return pool;
}

void px_pool_close(struct ptx_device *device, struct px_pool *pool)
{
    pthread_mutex_lock(&device->mem_lock);
    pool->closed = true;
    px_pool_trim(pool, 0);
    if (!pool->used) remove_pool(device, pool);
    pthread_mutex_unlock(&device->mem_lock);
}

void px_pools_free(struct ptx_device *device)
{
    px_free(&device->alloc, device->graphs, sizeof *device->graphs);
    device->graphs = NULL;
    for (uint32_t i = 0; i < device->npools; i++)
        px_free(&device->alloc, device->pools[i], sizeof *device->pools[i]);
    px_free(&device->alloc, device->pools, device->npools * sizeof *device->pools);
    device->pools = NULL;
    device->npools = 0;
}

/* ---- memory of graphs ---- */

struct px_graph_memory *px_graph_memory_new(struct ptx_device *device, uint64_t size)
{
    struct px_graph_memory *m = px_alloc(&device->alloc, sizeof *m);
    if (!m) return NULL;
    m->refs = 1;
    pthread_mutex_lock(&device->mem_lock);
    const bool ok = px_mem_alloc(&device->mem, size, ALIGN, &m->va);
    if (ok) px_mem_mark(&device->mem, m->va, PX_MEM_DORMANT);
    pthread_mutex_unlock(&device->mem_lock);
    if (ok) return m;
    px_free(&device->alloc, m, sizeof *m);
    return NULL;
}

void px_graph_memory_count(struct ptx_device *device, uint64_t bytes, bool more)
{
    struct px_pool *g = device->graphs;
    g->used = more ? g->used + bytes : g->used - bytes;
    if (g->used > g->used_high) g->used_high = g->used;
    if (g->used > g->reserved) g->reserved = steps(g->used);
    if (g->reserved > g->reserved_high) g->reserved_high = g->reserved;
}

/* What is in use then belongs to who uses it. */
static void let_go(struct ptx_device *device, uint64_t va)
{
    struct px_extent block;
    enum px_mem_kind kind;
    struct px_pool *pool = device->pool;
    if (!px_mem_block(&device->mem, va, &block, &kind)) return;
    if (kind == PX_MEM_DORMANT) {
        px_mem_release(&device->mem, va);
        return;
    }
    px_mem_tag(&device->mem, va, PX_MEM_POOL, pool->place);
    if (pool->groups) px_mem_see(&device->mem, va, pool->groups);
    px_graph_memory_count(device, block.len, false);
    pool->used += block.len;
    if (pool->used > pool->reserved) pool->reserved = steps(pool->used);
}

void px_graph_memory_release(struct ptx_device *device, struct px_graph_memory *m)
{
    if (!m || --m->refs) return;
    pthread_mutex_lock(&device->mem_lock);
    let_go(device, m->va);
    pthread_mutex_unlock(&device->mem_lock);
    px_free(&device->alloc, m, sizeof *m);
}

bool px_graph_memory_wake(struct ptx_device *device, uint64_t va)
{
    struct px_extent block;
    enum px_mem_kind kind;
    pthread_mutex_lock(&device->mem_lock);
    const bool ok = px_mem_block(&device->mem, va, &block, &kind) && kind == PX_MEM_DORMANT;
    if (ok) {
        px_mem_mark(&device->mem, va, PX_MEM_GRAPH);
        px_poison(device, va, block.len);
        px_traced_memory(device, PTX_TRACE_ALLOC, PTX_TRACE_GRAPH, va, block.len);
        px_graph_memory_count(device, block.len, true);
    }
    pthread_mutex_unlock(&device->mem_lock);
    return ok;
}
