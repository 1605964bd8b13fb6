/*
 * map.c - virtual memory management: reserved addresses, memory without addresses, and mappings.
 *
 * The library has all three (ptx_memory.h); here are the handles. A handle counts how often the program holds
 * it (cuMemRetainAllocationHandle) and remembers its mappings, because the program may ask for it by an
 * address after it released it. Addresses are those of one context's device, so memory is mapped where its
 * own device reserved.
 */
#include <stdlib.h>
#include <string.h>
#include "cuda/driver/memory.h"

struct mapping {
    struct mapping *next;
    CUdeviceptr address;
    size_t size;
    CUmemAccess_flags access;
    uint32_t opened; /* a bit for each other device that may use it */
};

struct allocation {
    struct px_cu_object head;
    ptx_device *vm;
    ptx_physical number;
    size_t size;
    CUmemAllocationProp properties;
    pthread_mutex_t lock; /* of what follows */
    unsigned held;        /* by the program; 0: only mapped */
    struct mapping *mappings;
};

static void destroy_allocation(void *object)
{
    struct allocation *a = object;
    ptx_physical_release(a->vm, a->number);
    for (struct mapping *m = a->mappings, *next; m; m = next) {
        next = m->next;
        free(m);
    }
    pthread_mutex_destroy(&a->lock);
}

/* The object of a handle that the program holds, taken. */
static struct allocation *take(CUmemGenericAllocationHandle handle)
{
    struct allocation *a = px_cu_take((const void *)(uintptr_t)handle, PX_CU_ALLOCATION);
    if (!a) return NULL;
    pthread_mutex_lock(&a->lock);
    const bool held = a->held != 0;
    pthread_mutex_unlock(&a->lock);
    if (held) return a;
    px_cu_give(a);
    return NULL;
}

#define ALLOCATION(name, handle)                                                                             \
    PX_CU_HOLD(allocation, name) = take(handle);                                                             \
    if (!name) return px_cu_ready() ? px_cu_ready() : CUDA_ERROR_INVALID_VALUE

/* ---- memory ---- */

static CUresult check(const CUmemAllocationProp *p)
{
    if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
    if (p->requestedHandleTypes & ~(unsigned)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return px_cu_unsupported("memory for other processes by handles that are no file descriptors");
    if (p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return p->location.type == CU_MEM_LOCATION_TYPE_INVALID
                   ? CUDA_ERROR_INVALID_VALUE
                   : px_cu_unsupported("mapped memory of the host");
    return px_cu_device(p->location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags which)
{
    PX_CU_TRY(px_cu_ready());
    if (!granularity || (unsigned)which > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(check(properties));
    *granularity = PTX_MAP_GRAIN;
    return CUDA_SUCCESS;
}

/* A handle of memory that was just made. */
static CUresult hold(struct px_cu_context *c, ptx_device *vm, ptx_physical number, size_t size,
                     const CUmemAllocationProp *properties, CUmemGenericAllocationHandle *handle)
{
    struct allocation *a = px_cu_new(PX_CU_ALLOCATION, sizeof *a, c, destroy_allocation);
    if (!a) return ptx_physical_release(vm, number), CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&a->lock, NULL);
    a->vm = vm;
    a->number = number;
    a->size = size;
    a->properties = *properties;
    a->held = 1;
    *handle = (uintptr_t)px_cu_handle(a);
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *properties,
                     unsigned long long flags)
{
    ptx_device *vm;
    ptx_physical number;
    PX_CU_TRY(px_cu_ready());
    if (!handle || !size || size % PTX_MAP_GRAIN || flags) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(check(properties));
    PX_CU_HOLD(px_cu_context, c) = NULL;
    PX_CU_TRY(px_cu_home_on(properties->location.id, &c));
    PX_CU_TRY(px_cu_vm(c, &vm));
    PX_CU_TRY(px_cu_result(c,
                           properties->requestedHandleTypes ? ptx_physical_create_shared(vm, size, &number)
                                                            : ptx_physical_create(vm, size, &number),
                           NULL));
    return hold(c, vm, number, size, properties, handle);
}

/* A descriptor of the file that the memory is in, as a chip's driver has one. */
CUresult cuMemExportToShareableHandle(void *to, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags)
{
    ALLOCATION(a, handle);
    if (!to || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        !(a->properties.requestedHandleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
        return CUDA_ERROR_INVALID_VALUE;
    return px_cu_result(a->head.context, ptx_physical_file(a->vm, a->number, to), NULL);
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shared,
                                        CUmemAllocationHandleType type)
{
    ptx_device *vm;
    ptx_physical number;
    uint64_t size;
    CUdevice device = 0;
    PX_CU_TRY(px_cu_ready());
    if (!handle || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_INVALID_VALUE;
    if (cuCtxGetDevice(&device) != CUDA_SUCCESS) device = 0;
    PX_CU_HOLD(px_cu_context, c) = NULL;
    PX_CU_TRY(px_cu_home_on(device, &c));
    PX_CU_TRY(px_cu_vm(c, &vm));
    const ptx_status status = ptx_physical_import(vm, (int)(intptr_t)shared, &number, &size);
    if (status == PTX_ERROR_INVALID_ARGUMENT) return CUDA_ERROR_UNKNOWN; /* another file */
    PX_CU_TRY(px_cu_result(c, status, NULL));
    const CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = c->device->ordinal}};
    return hold(c, vm, number, size, &properties, handle);
}

/* Nobody holds it and it is mapped nowhere: it goes with the last who works with it. */
static void let_go(struct allocation *a)
{
    pthread_mutex_lock(&a->lock);
    const bool unused = !a->held && !a->mappings;
    pthread_mutex_unlock(&a->lock);
    if (unused) px_cu_drop(px_cu_handle(a), PX_CU_ALLOCATION);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    PX_CU_HOLD(allocation, a) = px_cu_take((const void *)(uintptr_t)handle, PX_CU_ALLOCATION);
    if (!a) return px_cu_ready() ? px_cu_ready() : CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&a->lock);
    const bool held = a->held != 0;
    a->held -= held;
    pthread_mutex_unlock(&a->lock);
    if (!held) return CUDA_ERROR_INVALID_VALUE;
    let_go(a);
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                CUmemGenericAllocationHandle handle)
{
    ALLOCATION(a, handle);
    return PX_CU_ANSWER(properties, a->properties);
}

/* ---- addresses ---- */

/* A request to the context that has a range of addresses. */
struct request {
    CUresult (*fn)(struct px_cu_context *context, ptx_device *vm, const struct request *request);
    CUdeviceptr address;
    size_t size;
    ptx_access access;
    CUresult result;
    unsigned device; /* another one than the memory's: whether it may use that */
};

static void ask(void *object, void *user)
{
    struct request *r = user;
    struct px_cu_context *c = object;
    ptx_device *vm = atomic_load(&c->vm);
    if (vm && r->result == CUDA_ERROR_INVALID_VALUE) r->result = r->fn(c, vm, r);
}

/* Contexts share no addresses, so all but one refuse. */
static CUresult ask_all(struct request r)
{
    PX_CU_TRY(px_cu_ready());
    r.result = CUDA_ERROR_INVALID_VALUE;
    px_cu_each(PX_CU_CONTEXT, NULL, ask, &r);
    return r.result;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags)
{
    ptx_device *vm;
    ptx_address at;
    CUdevice device = 0;
    (void)wanted; /* a hint, as in mmap(2) */
    PX_CU_TRY(px_cu_ready());
    if (!address || !size || size % PTX_MAP_GRAIN || (alignment & (alignment - 1)) || flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (cuCtxGetDevice(&device) != CUDA_SUCCESS) device = 0;
    PX_CU_HOLD(px_cu_context, c) = NULL;
    PX_CU_TRY(px_cu_home_on(device, &c));
    PX_CU_TRY(px_cu_vm(c, &vm));
    PX_CU_TRY(px_cu_result(c, ptx_range_reserve(vm, size, alignment, &at), NULL));
    *address = at;
    return CUDA_SUCCESS;
}

static CUresult release(struct px_cu_context *c, ptx_device *vm, const struct request *r)
{
    return px_cu_result(c, ptx_range_release(vm, r->address, r->size), NULL);
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size)
{
    return ask_all((struct request){release, address, size, PTX_ACCESS_NONE, CUDA_SUCCESS, 0});
}

/* ---- mappings ---- */

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    ALLOCATION(a, handle);
    if (flags || !size) return CUDA_ERROR_INVALID_VALUE;
    if (offset || size != a->size) return CUDA_ERROR_NOT_SUPPORTED; /* parts, as on a chip */
    struct mapping *m = malloc(sizeof *m);
    if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
    const ptx_status status = ptx_range_map(a->vm, address, size, a->number, offset);
    if (status != PTX_OK) {
        free(m);
        return px_cu_result(a->head.context, status, NULL);
    }
    pthread_mutex_lock(&a->lock);
    *m = (struct mapping){a->mappings, address, size, CU_MEM_ACCESS_FLAGS_PROT_NONE, 0};
    a->mappings = m;
    pthread_mutex_unlock(&a->lock);
    return CUDA_SUCCESS;
}

static void forget(void *object, void *user)
{
    struct allocation *a = object;
    const struct request *r = user;
    bool any = false;
    pthread_mutex_lock(&a->lock);
    for (struct mapping **at = &a->mappings, *m; (m = *at);)
        if (m->address - r->address < r->size) {
            *at = m->next;
            free(m);
            any = true;
        } else {
            at = &m->next;
        }
    pthread_mutex_unlock(&a->lock);
    if (any) let_go(a);
}

/* What is under way may use it: a chip would be told by a fault. */
static CUresult unmap(struct px_cu_context *c, ptx_device *vm, const struct request *r)
{
    if (ptx_range_access(vm, r->address, r->size, PTX_ACCESS_NONE) != PTX_OK) return CUDA_ERROR_INVALID_VALUE;
    return px_cu_result(c, ptx_range_unmap(vm, r->address, r->size), NULL);
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size)
{
    struct request r = {unmap, address, size, PTX_ACCESS_NONE, CUDA_SUCCESS, 0};
    PX_CU_TRY(ask_all(r));
    px_cu_each(PX_CU_ALLOCATION, NULL, forget, &r);
    return CUDA_SUCCESS;
}

static CUresult open_range(struct px_cu_context *c, ptx_device *vm, const struct request *r)
{
    return px_cu_result(c, ptx_range_access(vm, r->address, r->size, r->access), NULL);
}

/* What lies at an address. */
struct search {
    CUdeviceptr address;
    struct allocation *found; /* taken */
    CUmemAccess_flags access;
    uint32_t opened;
    CUdeviceptr base; /* of its mapping there, */
    size_t size;      /* and its bytes */
};

static void look(void *object, void *user)
{
    struct allocation *a = object;
    struct search *s = user;
    pthread_mutex_lock(&a->lock);
    for (const struct mapping *m = a->mappings; m && !s->found; m = m->next)
        if (s->address - m->address < m->size) {
            s->found = px_cu_again(a);
            s->access = m->access;
            s->opened = m->opened;
            s->base = m->address;
            s->size = m->size;
        }
    pthread_mutex_unlock(&a->lock);
}

bool px_cu_mapping_at(CUdeviceptr address, ptx_memory_info *info)
{
    struct search s = {.address = address};
    px_cu_each(PX_CU_ALLOCATION, NULL, look, &s);
    if (!s.found) return false;
    info->base = s.base;
    info->size = s.size;
    px_cu_give(s.found);
    return true;
}

static CUresult open_to_peer(struct px_cu_context *c, ptx_device *vm, const struct request *r)
{
    const bool on = r->access != PTX_ACCESS_NONE;
    return px_cu_result(c, ptx_range_open(vm, r->address, r->size, r->device, on), NULL);
}

static void note_access(void *object, void *user)
{
    struct allocation *a = object;
    const struct request *r = user;
    const bool on = r->access != PTX_ACCESS_NONE;
    pthread_mutex_lock(&a->lock);
    for (struct mapping *m = a->mappings; m; m = m->next) {
        if (m->address - r->address >= r->size) continue;
        if (r->fn == open_range)
            m->access = on ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
        else if (on)
            m->opened |= 1u << r->device;
        else
            m->opened &= ~(1u << r->device);
    }
    pthread_mutex_unlock(&a->lock);
}

/* What is wrong with one right of a list, before any of the list is done. */
static CUresult may_access(const CUmemAccessDesc *desc)
{
    if (desc->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return px_cu_unsupported("mapped memory that the host sees");
    if (!px_cu_device(desc->location.id)) return CUDA_ERROR_INVALID_DEVICE;
    return desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READ ? px_cu_unsupported("mapped memory to read alone")
                                                        : CUDA_SUCCESS;
}

/* What a list of rights changes in a range: the flags of the memory's own device, and a bit for each other
 * one. */
struct rights {
    CUdeviceptr address;
    size_t size;
    bool of_own;
    CUmemAccess_flags own;
    uint32_t on, off;
    bool apart; /* others would see a mapping that its own device does not */
};

static void add_right(struct rights *r, const struct px_cu_device *own, const CUmemAccessDesc *desc)
{
    const struct px_cu_device *d = px_cu_device(desc->location.id);
    const bool on = desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (d == own) {
        r->of_own = true;
        r->own = desc->flags;
        return;
    }
    const uint32_t bit = 1u << d->ordinal;
    r->on = on ? r->on | bit : r->on & ~bit;
    r->off = on ? r->off & ~bit : r->off | bit;
}

static void compare_rights(void *object, void *user)
{
    struct allocation *a = object;
    struct rights *r = user;
    pthread_mutex_lock(&a->lock);
    for (const struct mapping *m = a->mappings; m; m = m->next) {
        if (m->address - r->address >= r->size) continue;
        const CUmemAccess_flags own = r->of_own ? r->own : m->access;
        if ((m->opened | r->on) & ~r->off && own != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) r->apart = true;
    }
    pthread_mutex_unlock(&a->lock);
}

/* What others see is open to the memory's own device, in each mapping of the range: now, or by this list. */
static CUresult may_be_seen(CUdeviceptr address, size_t size, const struct px_cu_device *own,
                            const CUmemAccessDesc *list, size_t count)
{
    struct rights r = {.address = address, .size = size};
    for (size_t i = 0; i < count; i++) add_right(&r, own, &list[i]);
    px_cu_each(PX_CU_ALLOCATION, NULL, compare_rights, &r);
    return r.apart ? px_cu_unsupported("mapped memory for other devices alone") : CUDA_SUCCESS;
}

static CUresult set_access(CUdeviceptr address, size_t size, const struct px_cu_device *own,
                           const CUmemAccessDesc *desc)
{
    const struct px_cu_device *d = px_cu_device(desc->location.id);
    const bool on = desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    const struct request r = {
        d == own ? open_range : open_to_peer,         address,      size,
        on ? PTX_ACCESS_READ_WRITE : PTX_ACCESS_NONE, CUDA_SUCCESS, (unsigned)d->ordinal};
    PX_CU_TRY(ask_all(r));
    px_cu_each(PX_CU_ALLOCATION, NULL, note_access, (void *)&r);
    return CUDA_SUCCESS;
}

/* The list is taken whole, or not at all; the memory's own device comes first. */
CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *list, size_t count)
{
    struct search s = {.address = address};
    PX_CU_TRY(px_cu_ready());
    if (!list || !count || !size) return CUDA_ERROR_INVALID_VALUE;
    px_cu_each(PX_CU_ALLOCATION, NULL, look, &s);
    PX_CU_HOLD(allocation, a) = s.found;
    if (!a) return CUDA_ERROR_INVALID_VALUE;
    const struct px_cu_device *own = a->head.context->device;
    for (size_t i = 0; i < count; i++) PX_CU_TRY(may_access(&list[i]));
    PX_CU_TRY(may_be_seen(address, size, own, list, count));
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < count; i++)
            if ((px_cu_device(list[i].location.id) != own) == others)
                PX_CU_TRY(set_access(address, size, own, &list[i]));
    return CUDA_SUCCESS;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address)
{
    struct search s = {.address = address};
    PX_CU_TRY(px_cu_ready());
    if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    struct px_cu_device *d = px_cu_device(location->id);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    px_cu_each(PX_CU_ALLOCATION, NULL, look, &s);
    PX_CU_HOLD(allocation, a) = s.found;
    if (!a) return CUDA_ERROR_INVALID_VALUE;
    const bool opened = s.opened >> d->ordinal & 1;
    *flags = d == a->head.context->device ? s.access
             : opened                     ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                          : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
    struct search s = {.address = (uintptr_t)address};
    PX_CU_TRY(px_cu_ready());
    if (!handle || !address) return CUDA_ERROR_INVALID_VALUE;
    px_cu_each(PX_CU_ALLOCATION, NULL, look, &s);
    PX_CU_HOLD(allocation, a) = s.found;
    if (!a) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&a->lock);
    a->held++;
    pthread_mutex_unlock(&a->lock);
    *handle = (uintptr_t)px_cu_handle(a);
    return CUDA_SUCCESS;
}
