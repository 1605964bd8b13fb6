/*
 * api/range.c - the public functions of ptx_memory.h for reserve and map, and for memory of other processes.
 */
#include <fcntl.h>
#include "mem/share.h"
#include "ptx_memory.h"
#include "vm/device/device.h"
#include "vm/device/handle.h"
#include "vm/queue/stream.h"

/* ---- reserve and map ---- */

static ptx_status status_of(ptx_device *device, enum px_virtual_status status)
{
    pthread_mutex_unlock(&device->mem_lock);
    switch (status) {
    case PX_VIRTUAL_OK: return PTX_OK;
    case PX_VIRTUAL_NO_MEMORY: return PTX_ERROR_OUT_OF_MEMORY;
    case PX_VIRTUAL_UNSUPPORTED: return PTX_ERROR_UNSUPPORTED;
    default: return PTX_ERROR_INVALID_ARGUMENT;
    }
}

PTX_API ptx_status ptx_range_reserve(ptx_device *device, uint64_t size, uint64_t align, ptx_address *address)
{
    if (!px_device_usable(device) || !address) return PTX_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mem_lock);
    return status_of(device, px_virtual_reserve(&device->mem, size, align, address));
}

PTX_API ptx_status ptx_range_release(ptx_device *device, ptx_address address, uint64_t size)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mem_lock);
    return status_of(device, px_virtual_free(&device->mem, address, size));
}

/* The number of memory that was just made. */
static ptx_status number_of(ptx_device *device, struct px_physical *p, ptx_physical *physical)
{
    px_sched_lock(&device->sched);
    const ptx_physical number = px_handle_add(&device->handles, &device->alloc, PX_HANDLE_PHYSICAL, p);
    px_sched_unlock(&device->sched);
    if (number) {
        *physical = number;
        return PTX_OK;
    }
    pthread_mutex_lock(&device->mem_lock);
    px_physical_release(&device->mem, p);
    pthread_mutex_unlock(&device->mem_lock);
    return PTX_ERROR_OUT_OF_MEMORY;
}

typedef enum px_virtual_status make_physical(struct px_mem *mem, uint64_t size, struct px_physical **made);

static ptx_status create_physical(ptx_device *device, uint64_t size, make_physical *make,
                                  ptx_physical *physical)
{
    struct px_physical *p = NULL;
    if (!px_device_usable(device) || !physical) return PTX_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mem_lock);
    const ptx_status status = status_of(device, make(&device->mem, size, &p));
    return status == PTX_OK ? number_of(device, p, physical) : status;
}

PTX_API ptx_status ptx_physical_create(ptx_device *device, uint64_t size, ptx_physical *physical)
{
    return create_physical(device, size, px_physical_new, physical);
}

PTX_API ptx_status ptx_physical_release(ptx_device *device, ptx_physical physical)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    pthread_mutex_lock(&device->mem_lock);
    struct px_physical *p = px_handle_drop(&device->handles, PX_HANDLE_PHYSICAL, physical);
    if (p) px_physical_release(&device->mem, p);
    pthread_mutex_unlock(&device->mem_lock);
    px_sched_unlock(&device->sched);
    return p ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_range_map(ptx_device *device, ptx_address address, uint64_t size,
                                 ptx_physical physical, uint64_t offset)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    pthread_mutex_lock(&device->mem_lock);
    struct px_physical *p = px_handle_get(&device->handles, PX_HANDLE_PHYSICAL, physical);
    const ptx_status status =
        status_of(device, p ? px_virtual_map(&device->mem, address, size, p, offset) : PX_VIRTUAL_INVALID);
    px_sched_unlock(&device->sched);
    return status;
}

PTX_API ptx_status ptx_range_unmap(ptx_device *device, ptx_address address, uint64_t size)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mem_lock);
    return status_of(device, px_virtual_unmap(&device->mem, address, size));
}

PTX_API ptx_status ptx_range_access(ptx_device *device, ptx_address address, uint64_t size, ptx_access access)
{
    if (!px_device_usable(device) ||
        (access != PTX_ACCESS_NONE && access != PTX_ACCESS_READ && access != PTX_ACCESS_READ_WRITE))
        return PTX_ERROR_INVALID_ARGUMENT;
    if (access == PTX_ACCESS_READ) return PTX_ERROR_UNSUPPORTED;
    pthread_mutex_lock(&device->mem_lock);
    return status_of(device, px_virtual_open(&device->mem, address, size, access == PTX_ACCESS_READ_WRITE));
}

PTX_API ptx_status ptx_range_open(ptx_device *device, ptx_address address, uint64_t size, unsigned group,
                                  int on)
{
    if (!px_device_usable(device) || group >= PX_MEM_GROUPS) return PTX_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mem_lock);
    return status_of(device, px_virtual_see(&device->mem, address, size, group, on != 0));
}

/* ---- other processes ---- */

PTX_API ptx_status ptx_physical_create_shared(ptx_device *device, uint64_t size, ptx_physical *physical)
{
    return create_physical(device, size, px_physical_new_shared, physical);
}

PTX_API ptx_status ptx_physical_file(ptx_device *device, ptx_physical physical, int *file)
{
    if (!px_device_usable(device) || !file) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    const struct px_physical *p = px_handle_get(&device->handles, PX_HANDLE_PHYSICAL, physical);
    const bool has = p && p->file >= 0;
    const int copy = has ? fcntl(p->file, F_DUPFD_CLOEXEC, 0) : -1;
    px_sched_unlock(&device->sched);
    if (!has) return PTX_ERROR_INVALID_ARGUMENT;
    if (copy < 0) return PTX_ERROR_OUT_OF_MEMORY; /* no descriptor is left */
    *file = copy;
    return PTX_OK;
}

PTX_API ptx_status ptx_physical_import(ptx_device *device, int file, ptx_physical *physical, uint64_t *size)
{
    struct px_physical *p = NULL;
    if (!px_device_usable(device) || !physical) return PTX_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mem_lock);
    const ptx_status status = status_of(device, px_physical_import(&device->mem, file, &p));
    if (status != PTX_OK) return status;
    if (size) *size = p->size;
    return number_of(device, p, physical);
}

/* The allocation that begins there, of a kind that can be shared. The lock is held. */
static bool shareable(const ptx_device *device, ptx_address address, struct px_extent *block)
{
    enum px_mem_kind kind;
    uint32_t tag;
    return px_mem_tag_of(&device->mem, address, block, &kind, &tag) && block->lo == address &&
           (kind == PX_MEM_POOL || (kind == PX_MEM_DEVICE && tag == PX_MEM_ALLOCATED));
}

/* What is not there already moves into the file: nothing runs, and nobody copies. The scheduler's lock is
 * held. */
static ptx_status share(ptx_device *device, ptx_address address, int *file, uint64_t *offset)
{
    struct px_extent block;
    pthread_mutex_lock(&device->mem_lock);
    const enum px_virtual_status shared = shareable(device, address, &block)
                                              ? px_share_pages(&device->mem, block.lo, block.len)
                                              : PX_VIRTUAL_INVALID;
    if (shared == PX_VIRTUAL_OK) *file = px_share_place(&device->mem, address, offset);
    return status_of(device, shared);
}

static ptx_status share_idle(ptx_device *device, ptx_address address, int *file, uint64_t *offset)
{
    px_sched_lock(&device->sched);
    ptx_status status = px_device_wait(device, NULL);
    if (status == PTX_OK) {
        px_gate_close(&device->copies);
        status = share(device, address, file, offset);
        px_gate_open(&device->copies);
    }
    px_sched_unlock(&device->sched);
    return status;
}

PTX_API ptx_status ptx_memory_share(ptx_device *device, ptx_address address, int *file, uint64_t *offset)
{
    struct px_extent block;
    if (!px_device_usable(device) || !file || !offset) return PTX_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mem_lock);
    const bool known = shareable(device, address, &block);
    const bool already = known && px_share_has(&device->mem, block.lo, block.len);
    if (already) *file = px_share_place(&device->mem, address, offset);
    pthread_mutex_unlock(&device->mem_lock);
    if (!known) return PTX_ERROR_INVALID_ARGUMENT;
    return already ? PTX_OK : share_idle(device, address, file, offset);
}

PTX_API ptx_status ptx_memory_open(ptx_device *device, int file, uint64_t offset, uint64_t size,
                                   ptx_address *address)
{
    if (!px_device_usable(device) || !address) return PTX_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mem_lock);
    return status_of(device, px_virtual_attach(&device->mem, file, offset, size, address));
}

PTX_API ptx_status ptx_memory_close(ptx_device *device, ptx_address address)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mem_lock);
    return status_of(device, px_virtual_detach(&device->mem, address));
}
