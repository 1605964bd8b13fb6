/*
 * advice.c - prefetches of managed memory and advice for it. Nothing ever moves, but programs may ask
 * for what they said: a context keeps it by pages, in one list of intervals that do not overlap.
 */
#include <stdlib.h>
#include "cuda/driver/memory.h"

enum { PAGE = 4096, CPU = PX_CU_DEVICES /* its bit in `accessed` */ };

static const CUmemLocation nowhere = {CU_MEM_LOCATION_TYPE_INVALID, 0};

/* What holds for an interval. */
struct said {
    bool mostly;
    CUmemLocation preferred, prefetched;
    uint64_t accessed; /* a bit a device, and the CPU's */
};

struct px_cu_advice {
    struct px_cu_advice *next;
    uint64_t lo, hi;
    struct said said;
};

/* ---- the list; the context's lock is held ---- */

static struct px_cu_advice *insert(struct px_cu_advice **at, uint64_t lo, uint64_t hi,
                                   const struct said *said)
{
    struct px_cu_advice *made = malloc(sizeof *made);
    if (!made) return NULL;
    *made = (struct px_cu_advice){*at, lo, hi, *said};
    *at = made;
    return made;
}

/* An interval that reaches across `border` becomes two. */
static bool split(struct px_cu_advice **list, uint64_t border)
{
    struct px_cu_advice *a = *list;
    while (a && a->hi <= border) a = a->next;
    if (!a || a->lo >= border) return true;
    if (!insert(&a->next, border, a->hi, &a->said)) return false;
    a->hi = border;
    return true;
}

/* Calls `fn` with what is said of each part of [lo, hi); where nothing is, that becomes something. */
static bool change(struct px_cu_advice **list, uint64_t lo, uint64_t hi,
                   void (*fn)(struct said *said, CUmemLocation where), CUmemLocation where)
{
    const struct said nothing = {.preferred = nowhere, .prefetched = nowhere};
    if (!split(list, lo) || !split(list, hi)) return false;
    while (*list && (*list)->hi <= lo) list = &(*list)->next;
    while (lo < hi) {
        struct px_cu_advice *a = *list;
        if (!a || a->lo > lo) a = insert(list, lo, a && a->lo < hi ? a->lo : hi, &nothing);
        if (!a) return false;
        fn(&a->said, where);
        lo = a->hi;
        list = &a->next;
    }
    return true;
}

static bool is_same(CUmemLocation a, CUmemLocation b)
{
    return a.type == b.type && a.id == b.id;
}

/* What holds for all of [lo, hi). */
static struct said ask(const struct px_cu_advice *a, uint64_t lo, uint64_t hi)
{
    struct said all = {.preferred = nowhere, .prefetched = nowhere};
    while (a && a->hi <= lo) a = a->next;
    if (!a || a->lo > lo) return all;
    all = a->said;
    for (lo = a->hi; lo < hi; lo = a->hi) {
        a = a->next;
        if (!a || a->lo > lo) return (struct said){.preferred = nowhere, .prefetched = nowhere};
        all.mostly &= a->said.mostly;
        all.accessed &= a->said.accessed;
        if (!is_same(all.preferred, a->said.preferred)) all.preferred = nowhere;
        if (!is_same(all.prefetched, a->said.prefetched)) all.prefetched = nowhere;
    }
    return all;
}

void px_cu_advice_forget(struct px_cu_context *c, CUdeviceptr address, size_t size)
{
    const uint64_t lo = address / PAGE * PAGE, hi = size ? address + size : UINT64_MAX;
    pthread_mutex_lock(&c->lock);
    for (struct px_cu_advice **at = &c->advice, *a; (a = *at);) {
        if (a->lo < lo || a->lo >= hi) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        free(a);
    }
    pthread_mutex_unlock(&c->lock);
}

/* ---- what may be said ---- */

static uint64_t bit_of(CUmemLocation where)
{
    return 1ull << (where.type == CU_MEM_LOCATION_TYPE_DEVICE ? where.id : CPU);
}

static void set_mostly(struct said *s, CUmemLocation where)
{
    (void)where;
    s->mostly = true;
}

static void unset_mostly(struct said *s, CUmemLocation where)
{
    (void)where;
    s->mostly = false;
}

static void set_preferred(struct said *s, CUmemLocation where)
{
    s->preferred = where;
}

static void unset_preferred(struct said *s, CUmemLocation where)
{
    (void)where;
    s->preferred = nowhere;
}

static void set_accessed(struct said *s, CUmemLocation where)
{
    s->accessed |= bit_of(where);
}

static void unset_accessed(struct said *s, CUmemLocation where)
{
    s->accessed &= ~bit_of(where);
}

static void set_prefetched(struct said *s, CUmemLocation where)
{
    s->prefetched = where;
}

static CUresult say(struct px_cu_context *c, CUdeviceptr address, size_t size,
                    void (*fn)(struct said *, CUmemLocation), CUmemLocation where)
{
    const uint64_t lo = address / PAGE * PAGE, hi = (address + size + PAGE - 1) / PAGE * PAGE;
    pthread_mutex_lock(&c->lock);
    const bool ok = change(&c->advice, lo, hi, fn, where);
    pthread_mutex_unlock(&c->lock);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- the driver's functions ---- */

static bool is_place(CUmemLocation location)
{
    return location.type != CU_MEM_LOCATION_TYPE_DEVICE || px_cu_device(location.id);
}

static CUmemLocation location_of(CUdevice device)
{
    return device == CU_DEVICE_CPU ? (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST, 0}
                                   : (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, device};
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t size, CUmemLocation location, unsigned flags,
                               CUstream stream)
{
    ptx_memory_info info;
    PX_CU_WAY(way, stream);
    if (flags || !size) return CUDA_ERROR_INVALID_VALUE;
    if (!is_place(location)) return CUDA_ERROR_INVALID_DEVICE;
    PX_CU_HOLD(px_cu_context, owner) = px_cu_owner(address, way.context, &info);
    if (!owner) return CUDA_ERROR_INVALID_VALUE;
    if (owner == way.context)
        PX_CU_TRY(px_cu_result(owner, ptx_managed_prefetch(way.vm, address, size, way.stream), NULL));
    else if (info.kind != PTX_MEMORY_MANAGED) /* nothing moves, so there is nothing to put into the stream */
        return CUDA_ERROR_INVALID_VALUE;
    return say(owner, address, size, set_prefetched, location);
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t size, CUdevice device, CUstream stream)
{
    return cuMemPrefetchAsync_v2(address, size, location_of(device), 0, stream);
}

CUresult cuMemAdvise_v2(CUdeviceptr address, size_t size, CUmem_advise advice, CUmemLocation location)
{
    static void (*const changes[])(struct said *, CUmemLocation) = {
        [CU_MEM_ADVISE_SET_READ_MOSTLY] = set_mostly,
        [CU_MEM_ADVISE_UNSET_READ_MOSTLY] = unset_mostly,
        [CU_MEM_ADVISE_SET_PREFERRED_LOCATION] = set_preferred,
        [CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION] = unset_preferred,
        [CU_MEM_ADVISE_SET_ACCESSED_BY] = set_accessed,
        [CU_MEM_ADVISE_UNSET_ACCESSED_BY] = unset_accessed};
    ptx_memory_info info;
    PX_CU_CURRENT(c);
    const bool placed =
        advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION || advice >= CU_MEM_ADVISE_SET_ACCESSED_BY;
    if (placed && !is_place(location)) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_HOLD(px_cu_context, owner) = px_cu_owner(address, c, &info);
    if (!owner) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(
        px_cu_result(owner, ptx_managed_advise(atomic_load(&owner->vm), address, size, (int)advice), NULL));
    return say(owner, address, size, changes[advice], location);
}

CUresult cuMemAdvise(CUdeviceptr address, size_t size, CUmem_advise advice, CUdevice device)
{
    return cuMemAdvise_v2(address, size, advice, location_of(device));
}

static CUdevice device_of(CUmemLocation where)
{
    return where.type == CU_MEM_LOCATION_TYPE_INVALID  ? CU_DEVICE_INVALID
           : where.type == CU_MEM_LOCATION_TYPE_DEVICE ? where.id
                                                       : CU_DEVICE_CPU;
}

/* Devices in their order, then the CPU, then CU_DEVICE_INVALID. */
static void list_accessed(uint64_t accessed, int *to, size_t room)
{
    size_t n = 0;
    for (int i = 0; i <= CPU && n < room; i++)
        if (accessed >> i & 1) to[n++] = i == CPU ? CU_DEVICE_CPU : i;
    while (n < room) to[n++] = CU_DEVICE_INVALID;
}

CUresult cuMemRangeGetAttribute(void *data, size_t data_size, CUmem_range_attribute attribute,
                                CUdeviceptr address, size_t size)
{
    ptx_memory_info info;
    PX_CU_CURRENT(c);
    const bool list = attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
    if (!data || !size || !data_size || (list ? data_size % 4 != 0 : data_size != 4))
        return CUDA_ERROR_INVALID_VALUE;
    PX_CU_HOLD(px_cu_context, owner) = px_cu_owner(address, c, &info);
    if (!owner || info.kind != PTX_MEMORY_MANAGED) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&owner->lock);
    const struct said said = ask(owner->advice, address, address + size);
    pthread_mutex_unlock(&owner->lock);
    int *to = data;
    switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: *to = said.mostly; break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION: *to = device_of(said.preferred); break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE: *to = (int)said.preferred.type; break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID: *to = said.preferred.id; break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION: *to = device_of(said.prefetched); break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE: *to = (int)said.prefetched.type; break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID: *to = said.prefetched.id; break;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY: list_accessed(said.accessed, to, data_size / 4); break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuMemRangeGetAttributes(void **data, size_t *sizes, CUmem_range_attribute *attributes, size_t count,
                                 CUdeviceptr address, size_t size)
{
    PX_CU_TRY(px_cu_ready());
    if (!data || !sizes || !attributes || !count) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        PX_CU_TRY(cuMemRangeGetAttribute(data[i], sizes[i], attributes[i], address, size));
    return CUDA_SUCCESS;
}
