/*
 * memory.c - memory of all kinds, and what is known of an address.
 *
 * Contexts have ranges of host addresses of their own, so the owner of an address is found by asking each.
 */
#include "cuda/driver/memory.h"
#include "ptx_check.h"
#include "cuda/driver/ipc.h"
#include <stdlib.h>
#include <string.h>

/* ---- whose ---- */

struct search {
    CUdeviceptr address;
    ptx_memory_info *info;
    struct px_cu_context *found;
};

static bool has(struct px_cu_context *c, CUdeviceptr address, ptx_memory_info *info)
{
    ptx_device *vm = atomic_load(&c->vm);
    *info = (ptx_memory_info){sizeof *info};
    return vm && ptx_memory_info_get(vm, address, info) == PTX_OK;
}

static void look(void *object, void *user)
{
    struct search *s = user;
    if (!s->found && has(object, s->address, s->info)) s->found = px_cu_again(object);
}

struct px_cu_context *px_cu_owner(CUdeviceptr address, struct px_cu_context *preferred, ptx_memory_info *info)
{
    struct search s = {.address = address, .info = info};
    if (preferred && has(preferred, address, info)) return px_cu_again(preferred);
    px_cu_each(PX_CU_CONTEXT, NULL, look, &s);
    return s.found;
}

bool px_cu_reaches(const struct px_cu_context *c, CUdeviceptr address)
{
    ptx_device *vm = atomic_load(&c->vm);
    if (!c->range) return true; /* addresses are not the host's: nobody can tell */
    return vm && ptx_memory_reach(vm, address) == PTX_OK;
}

/* ---- device memory ---- */

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size)
{
    ptx_device *vm;
    ptx_address at;
    PX_CU_CURRENT(c);
    if (!address || !size) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_vm(c, &vm));
    PX_CU_TRY(px_cu_result(c, ptx_memory_alloc(vm, size, &at), NULL));
    *address = at;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                            unsigned element)
{
    ptx_device *vm;
    ptx_address at;
    uint64_t row;
    PX_CU_CURRENT(c);
    if (!address || !pitch || !width || !height) return CUDA_ERROR_INVALID_VALUE;
    if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_vm(c, &vm));
    PX_CU_TRY(px_cu_result(c, ptx_memory_alloc_pitch(vm, width, height, 1, &at, &row), NULL));
    *address = at;
    *pitch = row;
    return CUDA_SUCCESS;
}

/* PTXVM_CHECK: an address is freed that is none of an allocation. */
void px_cu_bad_free(CUdeviceptr address)
{
    PX_CU_HOLD(px_cu_context, c) = NULL;
    if (px_cu_current(&c) == CUDA_SUCCESS && atomic_load(&c->vm))
        ptx_check_free_refused(atomic_load(&c->vm), address);
}

/* Work that is under way may use what is about to be freed. */
CUresult px_cu_settle(struct px_cu_context *c)
{
    ptx_fault fault = {sizeof fault};
    ptx_device *vm = atomic_load(&c->vm);
    if (!vm || ptx_device_query(vm) == PTX_OK) return CUDA_SUCCESS;
    const ptx_status status = ptx_device_wait(vm, &fault);
    px_cu_flush(c);
    return px_cu_result(c, status, &fault);
}

/* Whose memory is freed. The thread needs no current context for that: numba, for one, pops them all and
 * frees then, and its tests pass on chips. */
static CUresult freed(CUdeviceptr address, struct px_cu_context **owner, ptx_memory_info *info)
{
    PX_CU_HOLD(px_cu_context, c) = NULL;
    const CUresult now = px_cu_current(&c);
    if (now != CUDA_SUCCESS && now != CUDA_ERROR_INVALID_CONTEXT) return now;
    *owner = address ? px_cu_owner(address, c, info) : NULL;
    return *owner ? CUDA_SUCCESS : now;
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
    ptx_memory_info info;
    PX_CU_HOLD(px_cu_context, owner) = NULL;
    PX_CU_TRY(freed(address, &owner, &info));
    if (!address) return CUDA_SUCCESS;
    if (!owner || info.base != address || info.kind == PTX_MEMORY_PINNED ||
        info.kind == PTX_MEMORY_REGISTERED) {
        px_cu_bad_free(address);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (info.kind == PTX_MEMORY_OPENED) return px_cu_close_freed(address);
    PX_CU_TRY(px_cu_settle(owner));
    px_cu_advice_forget(owner, address, info.size);
    return px_cu_result(owner, ptx_memory_free(atomic_load(&owner->vm), address), NULL);
}

CUresult cuMemGetInfo_v2(size_t *room, size_t *total)
{
    ptx_device *vm;
    uint64_t all, left;
    PX_CU_CURRENT(c);
    PX_CU_TRY(px_cu_vm(c, &vm));
    PX_CU_TRY(px_cu_result(c, ptx_memory_room(vm, &all, &left), NULL));
    if (room) *room = left;
    if (total) *total = all;
    return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
    ptx_memory_info info;
    PX_CU_CURRENT(c);
    PX_CU_HOLD(px_cu_context, owner) = px_cu_owner(address, c, &info);
    if (!owner) return CUDA_ERROR_NOT_FOUND;
    if (info.kind == PTX_MEMORY_MAPPED) px_cu_mapping_at(address, &info);
    if (base) *base = info.base;
    if (size) *size = info.size;
    return CUDA_SUCCESS;
}

/* ---- host memory ---- */

/* What memory of the host was asked for with. */
struct host_note {
    struct host_note *next;
    void *host;
    unsigned flags;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct host_note *host_notes; /* guarded by lock */

static bool note_host(void *host, unsigned flags)
{
    struct host_note *note = malloc(sizeof *note);
    if (!note) return false;
    pthread_mutex_lock(&lock);
    *note = (struct host_note){host_notes, host, flags};
    host_notes = note;
    pthread_mutex_unlock(&lock);
    return true;
}

static void forget_host(const void *host)
{
    pthread_mutex_lock(&lock);
    struct host_note **at = &host_notes, *note;
    while ((note = *at) && note->host != host) at = &note->next;
    if (note) *at = note->next;
    pthread_mutex_unlock(&lock);
    free(note);
}

CUresult cuMemHostAlloc(void **host, size_t size, unsigned flags)
{
    ptx_device *vm;
    PX_CU_CURRENT(c);
    if (!host || flags & ~7u) return CUDA_ERROR_INVALID_VALUE;
    if (!size) return *host = NULL, CUDA_SUCCESS;
    PX_CU_TRY(px_cu_vm(c, &vm));
    PX_CU_TRY(px_cu_result(c, ptx_host_alloc(vm, size, host, NULL), NULL));
    if (note_host(*host, flags | CU_MEMHOSTALLOC_DEVICEMAP)) return CUDA_SUCCESS;
    ptx_host_free(vm, *host);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemAllocHost_v2(void **host, size_t size)
{
    return cuMemHostAlloc(host, size, 0);
}

/* Host memory of that kind, to which its device has no more access afterwards; else `none`. */
static CUresult end_host(void *host, ptx_memory_kind kind, CUresult none,
                         ptx_status (*end)(ptx_device *vm, void *host))
{
    ptx_memory_info info;
    PX_CU_HOLD(px_cu_context, owner) = NULL;
    PX_CU_TRY(freed((uintptr_t)host, &owner, &info));
    if (!owner || info.kind != kind || info.base != (uintptr_t)host) {
        if (host && kind == PTX_MEMORY_PINNED) px_cu_bad_free((uintptr_t)host);
        return none;
    }
    PX_CU_TRY(px_cu_settle(owner));
    forget_host(host);
    return px_cu_result(owner, end(atomic_load(&owner->vm), host), NULL);
}

CUresult cuMemFreeHost(void *host)
{
    return end_host(host, PTX_MEMORY_PINNED, host ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS, ptx_host_free);
}

CUresult cuMemHostRegister_v2(void *host, size_t size, unsigned flags)
{
    ptx_device *vm;
    ptx_memory_info info;
    PX_CU_CURRENT(c);
    if (!host || !size || flags & ~15u) return CUDA_ERROR_INVALID_VALUE;
    if (flags & CU_MEMHOSTREGISTER_IOMEMORY) return px_cu_unsupported("CU_MEMHOSTREGISTER_IOMEMORY");
    PX_CU_TRY(px_cu_vm(c, &vm));
    PX_CU_HOLD(px_cu_context, owner) = px_cu_owner((uintptr_t)host, c, &info);
    if (owner) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    const ptx_status status = ptx_host_register(vm, host, size);
    if (status == PTX_ERROR_INVALID_ARGUMENT) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    PX_CU_TRY(px_cu_result(c, status, NULL));
    if (note_host(host, flags | CU_MEMHOSTREGISTER_DEVICEMAP)) return CUDA_SUCCESS;
    ptx_host_unregister(vm, host);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemHostUnregister(void *host)
{
    return end_host(host, PTX_MEMORY_REGISTERED,
                    host ? CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED : CUDA_ERROR_INVALID_VALUE,
                    ptx_host_unregister);
}

static bool is_host(const ptx_memory_info *info)
{
    return info->kind == PTX_MEMORY_PINNED || info->kind == PTX_MEMORY_REGISTERED;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *host, unsigned flags)
{
    ptx_memory_info info;
    PX_CU_CURRENT(c);
    if (!address || !host || flags) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_HOLD(px_cu_context, owner) = px_cu_owner((uintptr_t)host, c, &info);
    if (!owner || !is_host(&info)) return CUDA_ERROR_INVALID_VALUE; /* managed memory is refused on a chip */
    *address = (uintptr_t)host;
    return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned *flags, void *host)
{
    ptx_memory_info info;
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    PX_CU_CURRENT(c);
    if (!flags || !host) return result;
    PX_CU_HOLD(px_cu_context, owner) = px_cu_owner((uintptr_t)host, c, &info);
    if (!owner) return result;
    if (info.kind == PTX_MEMORY_MANAGED) return *flags = CU_MEMHOSTALLOC_DEVICEMAP, CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    for (const struct host_note *note = host_notes; note; note = note->next)
        if ((uintptr_t)note->host == info.base) {
            /* All of it is portable; a chip tells that to other devices alone. */
            *flags = note->flags & ~(owner->device == c->device ? (unsigned)CU_MEMHOSTALLOC_PORTABLE : 0);
            result = CUDA_SUCCESS;
        }
    pthread_mutex_unlock(&lock);
    return result;
}

/* ---- managed memory ---- */

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t size, unsigned flags)
{
    ptx_device *vm;
    ptx_address at;
    PX_CU_CURRENT(c);
    if (!address || !size || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_vm(c, &vm));
    PX_CU_TRY(px_cu_result(c, ptx_managed_alloc(vm, size, &at), NULL));
    *address = at;
    return CUDA_SUCCESS;
}

/* ---- pointers ---- */

/* Whether a chip says that memory is of a context: pools, mapped memory and managed variables are devices'.
 */
static bool of_context(const ptx_memory_info *info)
{
    const bool managed_variable = info->kind == PTX_MEMORY_MANAGED && info->variable;
    return info->kind != PTX_MEMORY_STREAM && info->kind != PTX_MEMORY_MAPPED && !managed_variable;
}

/* What the device of a context may do with memory. */
static unsigned access_flags(const struct px_cu_context *c, CUdeviceptr address, const ptx_memory_info *info)
{
    const CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = c->device->ordinal};
    unsigned long long flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (info->kind == PTX_MEMORY_MAPPED) cuMemGetAccess(&flags, &location, address);
    return (unsigned)flags;
}

/* `c`: whose context asks. */
static CUresult of_memory(void *data, CUpointer_attribute attribute, CUdeviceptr address,
                          const struct px_cu_context *c, struct px_cu_context *owner,
                          const ptx_memory_info *info)
{
    const bool host = is_host(info), managed = info->kind == PTX_MEMORY_MANAGED;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = of_context(info) ? px_cu_handle(owner) : NULL;
        break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        if (!px_cu_reaches(c, address)) return CUDA_ERROR_INVALID_VALUE;
        *(CUdeviceptr *)data = address;
        break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!host && !managed) return CUDA_ERROR_INVALID_VALUE;
        *(void **)data = (void *)(uintptr_t)address;
        break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *(bool *)data = managed; break;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: *(bool *)data = false; break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *(bool *)data = info->kind == PTX_MEMORY_DEVICE && !info->variable;
        break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: *(unsigned long long *)data = info->base; break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(bool *)data = managed; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = owner->device->ordinal; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: *(CUdeviceptr *)data = info->base; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: *(size_t *)data = info->size; break;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(bool *)data = true; break;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: *(unsigned long long *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: *(unsigned *)data = access_flags(c, address, info); break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(CUmemoryPool *)data = info->kind == PTX_MEMORY_STREAM ? px_cu_pool_of(owner, info) : NULL;
        break;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS: return px_cu_unsupported("CU_POINTER_ATTRIBUTE_P2P_TOKENS");
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* What cuPointerGetAttributes tells of memory that no device knows. */
static void of_nothing(void *data, CUpointer_attribute attribute)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(unsigned *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = CU_DEVICE_INVALID; break;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: *(unsigned *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: *(bool *)data = false; break;
    default: *(unsigned long long *)data = 0; break;
    }
}

static struct px_cu_context *preferred(void)
{
    CUcontext handle = NULL;
    cuCtxGetCurrent(&handle);
    return px_cu_take(handle, PX_CU_CONTEXT);
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
    ptx_memory_info info;
    PX_CU_TRY(px_cu_ready());
    if (!data) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_HOLD(px_cu_context, c) = preferred();
    PX_CU_HOLD(px_cu_context, owner) = px_cu_owner(address, c, &info);
    if (!owner) return CUDA_ERROR_INVALID_VALUE;
    return of_memory(data, attribute, address, c ? c : owner, owner, &info);
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data,
                                CUdeviceptr address)
{
    ptx_memory_info info;
    PX_CU_TRY(px_cu_ready());
    if (!count || !attributes || !data) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_HOLD(px_cu_context, c) = preferred();
    PX_CU_HOLD(px_cu_context, owner) = px_cu_owner(address, c, &info);
    for (unsigned i = 0; i < count; i++) {
        if (!data[i] || attributes[i] < CU_POINTER_ATTRIBUTE_CONTEXT ||
            attributes[i] > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE)
            return CUDA_ERROR_INVALID_VALUE;
        if (!owner || of_memory(data[i], attributes[i], address, c ? c : owner, owner, &info) != CUDA_SUCCESS)
            of_nothing(data[i], attributes[i]);
    }
    return CUDA_SUCCESS;
}

/* Copies of the host wait for what they copy in any case. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
    ptx_memory_info info;
    PX_CU_CURRENT(c);
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_HOLD(px_cu_context, owner) = px_cu_owner(address, c, &info);
    return owner ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
