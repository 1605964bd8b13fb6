/*
 * api/memory.c - the public functions of ptx_memory.h, and those of ptxvm.h that allocate and copy.
 */
#include "base/sized.h"
#include "vm/device/device.h"
#include "mem/virtual.h"
#include "vm/queue/pool.h"
#include "vm/queue/stream.h"
#include "vm/queue/work.h"
#include "ptx_memory.h"
#include <string.h>

enum { FIRST_INFO = PX_FIRST(ptx_memory_info, host), ALIGN = 512 /* of textures */, PITCH = 512 };

/* ---- plain memory ---- */

static ptx_trace_owner owner_of(enum px_mem_kind kind)
{
    return kind == PX_MEM_PINNED    ? PTX_TRACE_PINNED
           : kind == PX_MEM_MANAGED ? PTX_TRACE_MANAGED
                                    : PTX_TRACE_DEVICE;
}

/* The address is none that may be freed. */
static ptx_status refuse_free(ptx_device *device, ptx_trace_owner owner, ptx_address address)
{
    px_traced_memory(device, PTX_TRACE_BAD_FREE, owner, address, 0);
    return PTX_ERROR_INVALID_ARGUMENT;
}

static ptx_status allocate(ptx_device *device, uint64_t size, enum px_mem_kind kind, ptx_address *address)
{
    ptx_address va;
    const ptx_status status = px_device_state(device);
    if (status != PTX_OK) return status;
    pthread_mutex_lock(&device->mem_lock);
    const bool ok = px_mem_alloc(&device->mem, size, ALIGN, &va);
    if (ok) px_mem_mark(&device->mem, va, kind);
    if (ok) px_poison(device, va, size);
    if (ok) px_traced_memory(device, PTX_TRACE_ALLOC, owner_of(kind), va, size);
    pthread_mutex_unlock(&device->mem_lock);
    if (ok) *address = va;
    return ok ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

PTX_API ptx_status ptx_memory_alloc(ptx_device *device, uint64_t size, ptx_address *address)
{
    if (!px_device_usable(device) || !address || !size) return PTX_ERROR_INVALID_ARGUMENT;
    return allocate(device, size, PX_MEM_DEVICE, address);
}

PTX_API ptx_status ptx_memory_free(ptx_device *device, ptx_address address)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    if (!address) return PTX_OK;
    return px_device_free(device, address) ? PTX_OK : refuse_free(device, PTX_TRACE_DEVICE, address);
}

/* Where the host finds it, until leave(); NULL: not all in one allocation, or the device is lost. */
static void *enter(ptx_device *device, ptx_address va, uint64_t size, struct ptx_program **holder,
                   ptx_status *status)
{
    *status = px_device_usable(device) ? px_device_state(device) : PTX_ERROR_INVALID_ARGUMENT;
    if (*status != PTX_OK || !size) return NULL;
    px_gate_enter(&device->copies);
    void *host = px_device_host(device, va, size, holder);
    if (host) return host;
    px_gate_leave(&device->copies);
    *status = PTX_ERROR_INVALID_ARGUMENT;
    return NULL;
}

static void leave(ptx_device *device, struct ptx_program *holder)
{
    px_gate_leave(&device->copies);
    px_program_release(holder);
}

/* Words are moved at once, because a kernel may be waiting for one. */
#define MOVE_WORD(type, to, from)                                                                            \
    __atomic_store_n((type *)(to), __atomic_load_n((const type *)(from), __ATOMIC_ACQUIRE), __ATOMIC_RELEASE)

static void move(void *to, const void *from, uint64_t size)
{
    const bool aligned = size <= 8 && ((uintptr_t)to | (uintptr_t)from) % size == 0;
    if (aligned && size == 1)
        MOVE_WORD(uint8_t, to, from);
    else if (aligned && size == 2)
        MOVE_WORD(uint16_t, to, from);
    else if (aligned && size == 4)
        MOVE_WORD(uint32_t, to, from);
    else if (aligned && size == 8)
        MOVE_WORD(uint64_t, to, from);
    else
        memcpy(to, from, size);
}

PTX_API ptx_status ptx_memory_write(ptx_device *device, ptx_address to, const void *from, uint64_t size)
{
    ptx_status status;
    struct ptx_program *holder;
    void *host = enter(device, to, size, &holder, &status);
    if (!host) return status;
    if (from) {
        px_watch_copy(device, to, size);
        px_traced_copy(device, PTX_TRACE_HOST_WRITE, to, 0, size);
        move(host, from, size);
    }
    leave(device, holder);
    return from ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_memory_read(ptx_device *device, void *to, ptx_address from, uint64_t size)
{
    ptx_status status;
    struct ptx_program *holder;
    const void *host = enter(device, from, size, &holder, &status);
    if (!host) return status;
    if (to) {
        px_watch_copy(device, 0, size);
        px_traced_copy(device, PTX_TRACE_HOST_READ, from, 0, size);
        move(to, host, size);
    }
    leave(device, holder);
    return to ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_memory_fill(ptx_device *device, ptx_address to, int value, uint64_t size)
{
    ptx_status status;
    struct ptx_program *holder;
    void *host = enter(device, to, size, &holder, &status);
    if (!host) return status;
    px_watch_copy(device, to, size);
    px_traced_copy(device, PTX_TRACE_HOST_WRITE, to, 0, size);
    memset(host, value, size);
    leave(device, holder);
    return PTX_OK;
}

/* ---- what is known ---- */

/* Where memory in stream order came from. */
static uint64_t pool_of(ptx_device *device, ptx_address address)
{
    struct px_extent block;
    enum px_mem_kind kind;
    uint32_t place;
    pthread_mutex_lock(&device->mem_lock);
    const bool known = px_mem_tag_of(&device->mem, address, &block, &kind, &place) && kind == PX_MEM_POOL;
    const uint64_t number = known ? device->pools[place]->number : PTX_POOL_GRAPHS;
    pthread_mutex_unlock(&device->mem_lock);
    return number;
}

PTX_API ptx_status ptx_memory_info_get(ptx_device *device, ptx_address address, ptx_memory_info *info)
{
    struct px_extent block;
    enum px_mem_kind kind;
    uint32_t tag;
    if (!px_device_usable(device) || !px_can_give(info, FIRST_INFO)) return PTX_ERROR_INVALID_ARGUMENT;
    if (!px_mem_tag_of(&device->mem, address, &block, &kind, &tag) || kind == PX_MEM_DORMANT)
        return PTX_ERROR_NOT_FOUND;
    const bool has_tag = kind == PX_MEM_DEVICE || kind == PX_MEM_MANAGED;
    if (kind == PX_MEM_GRAPH) kind = PX_MEM_POOL;
    const ptx_memory_info told = {.pool = kind == PX_MEM_POOL ? pool_of(device, address) : 0,
                                  .kind = (ptx_memory_kind)kind,
                                  .base = block.lo,
                                  .size = block.len,
                                  .variable = has_tag && tag == PX_MEM_VARIABLE,
                                  .host = (void *)(uintptr_t)(address + (uint64_t)device->mem.delta)};
    px_give(info, &told, sizeof told, FIRST_INFO);
    return PTX_OK;
}

PTX_API ptx_status ptx_memory_room(ptx_device *device, uint64_t *total, uint64_t *free)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mem_lock);
    const uint64_t all = device->config.memory_bytes,
                   used = px_mem_used(&device->mem) + px_virtual_used(&device->mem) + px_pools_idle(device);
    pthread_mutex_unlock(&device->mem_lock);
    const uint64_t own = device->heap.bytes + device->buffers.bytes, taken = used > own ? used - own : 0;
    if (total) *total = all;
    if (free) *free = all > taken ? all - taken : 0;
    return PTX_OK;
}

/* ---- host and device ---- */

static bool one_address(const ptx_device *device)
{
    return device->mem.unified || device->mem.host_mode;
}

PTX_API ptx_status ptx_host_alloc(ptx_device *device, uint64_t size, void **host, ptx_address *address)
{
    ptx_address va;
    if (!px_device_usable(device) || !host || !size) return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_status status = allocate(device, size, PX_MEM_PINNED, &va);
    if (status != PTX_OK) return status;
    *host = (void *)(uintptr_t)(va + (uint64_t)device->mem.delta);
    if (address) *address = va;
    return PTX_OK;
}

PTX_API ptx_status ptx_host_free(ptx_device *device, void *host)
{
    struct px_extent block;
    enum px_mem_kind kind;
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    if (!host) return PTX_OK;
    const ptx_address va = (uint64_t)(uintptr_t)host - (uint64_t)device->mem.delta;
    const bool pinned = px_mem_block(&device->mem, va, &block, &kind) && kind == PX_MEM_PINNED;
    return pinned && px_device_free(device, va) ? PTX_OK : refuse_free(device, PTX_TRACE_PINNED, va);
}

PTX_API ptx_status ptx_host_register(ptx_device *device, void *host, uint64_t size)
{
    if (!px_device_usable(device) || !host || !size) return PTX_ERROR_INVALID_ARGUMENT;
    if (!device->mem.unified) return device->mem.host_mode ? PTX_OK : PTX_ERROR_UNSUPPORTED;
    pthread_mutex_lock(&device->mem_lock);
    const bool ok = px_mem_register(&device->mem, (uint64_t)(uintptr_t)host, size);
    pthread_mutex_unlock(&device->mem_lock);
    return ok ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_host_unregister(ptx_device *device, void *host)
{
    if (!px_device_usable(device) || !host) return PTX_ERROR_INVALID_ARGUMENT;
    if (!device->mem.unified) return device->mem.host_mode ? PTX_OK : PTX_ERROR_UNSUPPORTED;
    pthread_mutex_lock(&device->mem_lock);
    const bool ok = px_mem_unregister(&device->mem, (uint64_t)(uintptr_t)host);
    pthread_mutex_unlock(&device->mem_lock);
    return ok ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_managed_alloc(ptx_device *device, uint64_t size, ptx_address *address)
{
    if (!px_device_usable(device) || !address || !size) return PTX_ERROR_INVALID_ARGUMENT;
    return one_address(device) ? allocate(device, size, PX_MEM_MANAGED, address) : PTX_ERROR_UNSUPPORTED;
}

static bool is_managed(ptx_device *device, ptx_address va, uint64_t size)
{
    struct px_extent block;
    enum px_mem_kind kind;
    return px_device_usable(device) && size && px_mem_block(&device->mem, va, &block, &kind) &&
           kind == PX_MEM_MANAGED && size <= block.len - (va - block.lo);
}

PTX_API ptx_status ptx_managed_prefetch(ptx_device *device, ptx_address address, uint64_t size,
                                        ptx_stream stream)
{
    const struct px_work nothing = {.kind = PX_WORK_EMPTY};
    if (!is_managed(device, address, size)) return PTX_ERROR_INVALID_ARGUMENT;
    return px_work_submit(device, &nothing, stream, NULL);
}

PTX_API ptx_status ptx_managed_advise(ptx_device *device, ptx_address address, uint64_t size, int advice)
{
    return is_managed(device, address, size) && advice >= 1 && advice <= 6 ? PTX_OK
                                                                           : PTX_ERROR_INVALID_ARGUMENT;
}

/* ---- shapes ---- */

PTX_API ptx_status ptx_memory_alloc_pitch(ptx_device *device, uint64_t width, uint64_t height, uint64_t depth,
                                          ptx_address *address, uint64_t *pitch)
{
    uint64_t row, bytes;
    if (!px_device_usable(device) || !address || !pitch || !width || !height)
        return PTX_ERROR_INVALID_ARGUMENT;
    if (__builtin_add_overflow(width, PITCH - 1, &row)) return PTX_ERROR_OUT_OF_MEMORY;
    row = row / PITCH * PITCH;
    if (__builtin_mul_overflow(row, height, &bytes)) return PTX_ERROR_OUT_OF_MEMORY;
    if (__builtin_mul_overflow(bytes, depth ? depth : 1, &bytes)) return PTX_ERROR_OUT_OF_MEMORY;
    const ptx_status status = allocate(device, bytes, PX_MEM_DEVICE, address);
    if (status == PTX_OK) *pitch = row;
    return status;
}

/* ---- other devices ---- */

static bool can(const ptx_device *device, const ptx_device *peer)
{
    return device != peer && device->mem.unified && peer->mem.unified;
}

PTX_API ptx_status ptx_peer_query(ptx_device *device, ptx_device *peer, int *able)
{
    if (!px_device_usable(device) || !px_device_usable(peer) || !able) return PTX_ERROR_INVALID_ARGUMENT;
    *able = can(device, peer);
    return PTX_OK;
}

PTX_API ptx_status ptx_peer_see(ptx_device *device, ptx_device *peer, unsigned what)
{
    if (!px_device_usable(device) || !peer || what & ~(unsigned)PTX_SEE_ALL)
        return PTX_ERROR_INVALID_ARGUMENT;
    if (!can(device, peer)) return PTX_ERROR_UNSUPPORTED;
    pthread_mutex_lock(&device->mem_lock);
    const bool ok = px_mem_peer_see(&device->mem, &peer->mem, what);
    pthread_mutex_unlock(&device->mem_lock);
    return ok ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_memory_reach(ptx_device *device, ptx_address address)
{
    struct px_extent block;
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    return px_mem_extent(&device->mem, address, &block) ? PTX_OK : PTX_ERROR_NOT_FOUND;
}

PTX_API ptx_status ptx_peer_enable(ptx_device *device, ptx_device *peer)
{
    if (!px_device_usable(device) || !peer) return PTX_ERROR_INVALID_ARGUMENT;
    if (!can(device, peer)) return PTX_ERROR_UNSUPPORTED;
    pthread_mutex_lock(&device->mem_lock);
    const bool ok = px_mem_peer_seen(&device->mem, &peer->mem) != PTX_SEE_ALL &&
                    px_mem_peer_see(&device->mem, &peer->mem, PTX_SEE_ALL);
    pthread_mutex_unlock(&device->mem_lock);
    return ok ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_peer_disable(ptx_device *device, ptx_device *peer)
{
    if (!px_device_usable(device) || !peer) return PTX_ERROR_INVALID_ARGUMENT;
    if (!px_mem_peer_seen(&device->mem, &peer->mem)) return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_status status = ptx_device_wait(device, NULL);
    if (status == PTX_ERROR_INVALID_ARGUMENT) return status; /* from a worker */
    return ptx_peer_see(device, peer, 0);
}
