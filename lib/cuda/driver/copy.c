/*
 * copy.c - copies and sets.
 *
 * A call that waits puts its copy into the default stream and waits for that; where the device is idle it is
 * done in the caller. A copy that does not wait, from memory that is not pinned, reads that memory before it
 * returns, as a chip's driver does: programs free or change it at once. One to such memory waits.
 */
#include "cuda/driver/copy.h"
#include <stdlib.h>
#include <string.h>
#include "cuda/driver/array.h"
#include "cuda/driver/memory.h"

/* ---- the ends ---- */

/* The virtual device of an address: the way's own, unless another context has an allocation there. */
static ptx_device *device_of(const struct px_cu_way *way, CUdeviceptr address)
{
    ptx_memory_info info = {sizeof info};
    if (ptx_memory_info_get(way->vm, address, &info) == PTX_OK) return way->vm;
    struct px_cu_context *owner = px_cu_owner(address, NULL, &info);
    ptx_device *vm = owner ? atomic_load(&owner->vm) : way->vm;
    px_cu_give(owner);
    return vm;
}

/* An address of either side. */
static ptx_place place_of(const struct px_cu_way *way, CUdeviceptr address)
{
    ptx_memory_info info;
    struct px_cu_context *owner = px_cu_owner(address, way->context, &info);
    const ptx_place place = owner ? (ptx_place){.device = atomic_load(&owner->vm), .address = address}
                                  : (ptx_place){.host = (void *)(uintptr_t)address};
    px_cu_give(owner);
    return place;
}

/* A chip copies no memory of pools, and no mapped memory, of another device that this one may not use. */
static bool is_hidden(const struct px_cu_way *way, const ptx_place *place)
{
    ptx_memory_info info = {sizeof info};
    if (!place->address || place->device == way->vm) return false;
    return ptx_memory_info_get(place->device, place->address, &info) == PTX_OK &&
           (info.kind == PTX_MEMORY_STREAM || info.kind == PTX_MEMORY_MAPPED) &&
           !px_cu_reaches(way->context, place->address);
}

static bool is_pinned(const struct px_cu_way *way, const void *host)
{
    ptx_memory_info info;
    struct px_cu_context *owner = px_cu_owner((uintptr_t)host, way->context, &info);
    px_cu_give(owner);
    return owner != NULL;
}

/* ---- copying ---- */

static CUresult submit(const struct px_cu_way *way, const ptx_array_copy *copy, bool waits)
{
    PX_CU_TRY(px_cu_result(way->context, ptx_stream_copy_array(way->vm, copy, way->stream), NULL));
    return waits ? px_cu_way_wait(way) : CUDA_SUCCESS;
}

/* Reads the host's memory now, row by row without what is between rows, and copies that when its turn comes.
 */
static CUresult stage(const struct px_cu_way *way, const ptx_array_copy *copy)
{
    const ptx_place *from = &copy->from.place;
    const uint64_t height = copy->height ? copy->height : 1, depth = copy->depth ? copy->depth : 1;
    uint64_t size;
    const bool fits =
        !__builtin_mul_overflow(copy->width, height, &size) && !__builtin_mul_overflow(size, depth, &size);
    unsigned char *bytes = fits ? malloc(size) : NULL;
    if (!bytes) return submit(way, copy, true);
    for (uint64_t z = 0; z < depth; z++)
        for (uint64_t y = 0; y < height; y++)
            memcpy(bytes + (z * height + y) * copy->width,
                   (const char *)from->host + z * from->slice + y * from->pitch, copy->width);
    ptx_array_copy staged = *copy;
    staged.from.place = (ptx_place){.host = bytes, .pitch = copy->width, .slice = copy->width * height};
    const ptx_status status = ptx_stream_copy_array(way->vm, &staged, way->stream);
    if (status != PTX_OK)
        free(bytes);
    else if (ptx_stream_host(way->vm, way->stream, free, bytes) != PTX_OK)
        return px_cu_way_wait(way); /* what is staged is lost, which is better than used too soon */
    return px_cu_result(way->context, status, NULL);
}

CUresult px_cu_copy(const struct px_cu_way *way, const ptx_array_copy *copy, bool waits)
{
    const void *to = copy->to.place.host, *from = copy->from.place.host;
    if (!copy->width) return CUDA_SUCCESS;
    if (px_cu_way_captured(way)) return submit(way, copy, false);
    const bool idle = (waits || to || from) && ptx_device_query(way->vm) == PTX_OK;
    if (idle) {
        px_cu_flush(way->context);
        return px_cu_result(way->context, ptx_array_copy_now(way->vm, copy), NULL);
    }
    if (waits) return submit(way, copy, true);
    if (from && !is_pinned(way, from)) return stage(way, copy);
    return submit(way, copy, to && !is_pinned(way, to));
}

/* From one end to the other in a line; an end with neither is an address of either side. */
static CUresult line(CUstream stream, ptx_place to, ptx_place from, size_t size, bool waits)
{
    PX_CU_WAY(way, stream);
    ptx_array_copy copy = {.struct_size = sizeof copy, .to.place = to, .from.place = from, .width = size};
    if (!size) return CUDA_SUCCESS;
    if (!(to.host || to.address) || !(from.host || from.address)) return CUDA_ERROR_INVALID_VALUE;
    if (to.address && !to.device) copy.to.place.device = device_of(&way, to.address);
    if (from.address && !from.device) copy.from.place.device = device_of(&way, from.address);
    const bool peers = to.device && from.device; /* which copy in any case */
    if (!peers && (is_hidden(&way, &copy.to.place) || is_hidden(&way, &copy.from.place)))
        return CUDA_ERROR_INVALID_VALUE;
    return px_cu_copy(&way, &copy, waits);
}

CUresult px_cu_copy_up(CUdeviceptr to, const void *from, size_t size, CUstream stream, bool waits)
{
    return line(stream, (ptx_place){.address = to}, (ptx_place){.host = (void *)(uintptr_t)from}, size,
                waits);
}

CUresult px_cu_copy_down(void *to, CUdeviceptr from, size_t size, CUstream stream, bool waits)
{
    return line(stream, (ptx_place){.host = to}, (ptx_place){.address = from}, size, waits);
}

/* On the device: a call that need not wait for anything the host could see. */
CUresult px_cu_copy_across(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
    return line(stream, (ptx_place){.address = to}, (ptx_place){.address = from}, size, false);
}

CUresult px_cu_copy_any(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream, bool waits)
{
    PX_CU_WAY(way, stream);
    if (!size) return CUDA_SUCCESS;
    if (!to || !from) return CUDA_ERROR_INVALID_VALUE;
    const ptx_array_copy copy = {.struct_size = sizeof copy,
                                 .to.place = place_of(&way, to),
                                 .from.place = place_of(&way, from),
                                 .width = size};
    if (is_hidden(&way, &copy.to.place) || is_hidden(&way, &copy.from.place)) return CUDA_ERROR_INVALID_VALUE;
    return px_cu_copy(&way, &copy, waits);
}

CUresult px_cu_copy_peer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                         size_t size, CUstream stream, bool waits)
{
    ptx_device *to_vm, *from_vm;
    PX_CU_TAKE(px_cu_context, t, PX_CU_CONTEXT, to_context, CUDA_ERROR_INVALID_CONTEXT);
    PX_CU_TAKE(px_cu_context, f, PX_CU_CONTEXT, from_context, CUDA_ERROR_INVALID_CONTEXT);
    PX_CU_TRY(px_cu_vm(t, &to_vm));
    PX_CU_TRY(px_cu_vm(f, &from_vm));
    return line(stream, (ptx_place){.device = to_vm, .address = to},
                (ptx_place){.device = from_vm, .address = from}, size, waits);
}

/* ---- in two and three dimensions ---- */

struct end {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, height;
};

static CUresult array_end(const struct end *e, const CUDA_MEMCPY3D_PEER *c, ptx_array_place *place)
{
    PX_CU_TAKE(px_cu_array, a, PX_CU_ARRAY, e->array, CUDA_ERROR_INVALID_HANDLE);
    const unsigned texel = px_cu_texel(a->made.Format, a->made.NumChannels);
    if (e->x % texel || c->WidthInBytes % texel) return CUDA_ERROR_INVALID_VALUE;
    *place = (ptx_array_place){.array = a->number, .x = e->x, .y = e->y, .z = e->z, .place.device = a->vm};
    return CUDA_SUCCESS;
}

/* Where the end's first byte lies behind its address, and the bytes of a slice; false: beyond all addresses.
 */
static bool measure(const struct end *e, size_t pitch, size_t height, uint64_t *offset, uint64_t *slice)
{
    uint64_t rows, last;
    return !__builtin_mul_overflow(pitch, height, slice) && !__builtin_mul_overflow(e->z, height, &rows) &&
           !__builtin_add_overflow(rows, e->y, &rows) && !__builtin_mul_overflow(rows, pitch, offset) &&
           !__builtin_add_overflow(*offset, e->x, offset) &&
           !__builtin_add_overflow(*offset, e->host ? (uintptr_t)e->host : e->device, &last);
}

static CUresult place_end(const struct px_cu_way *way, const struct end *e, const CUDA_MEMCPY3D_PEER *c,
                          ptx_array_place *end)
{
    ptx_place *place = &end->place;
    *end = (ptx_array_place){0};
    if (e->type == CU_MEMORYTYPE_ARRAY) return array_end(e, c, end);
    size_t row, rows;
    if (__builtin_add_overflow(c->WidthInBytes, e->x, &row) ||
        __builtin_add_overflow(c->Height ? c->Height : 1, e->y, &rows))
        return CUDA_ERROR_INVALID_VALUE;
    const size_t pitch = e->pitch ? e->pitch : row, height = e->height ? e->height : rows;
    /* What is said has to be enough, also for one row; 0 says nothing. */
    if (pitch < row || height < rows) return CUDA_ERROR_INVALID_VALUE;
    uint64_t offset, slice;
    if (!measure(e, pitch, height, &offset, &slice)) return CUDA_ERROR_INVALID_VALUE;
    switch (e->type) {
    case CU_MEMORYTYPE_HOST:
        if (!e->host) return CUDA_ERROR_INVALID_VALUE;
        *place = (ptx_place){.host = (void *)((uintptr_t)e->host + offset)};
        break;
    case CU_MEMORYTYPE_DEVICE:
        if (!e->device) return CUDA_ERROR_INVALID_VALUE;
        *place = (ptx_place){.device = device_of(way, e->device + offset), .address = e->device + offset};
        break;
    case CU_MEMORYTYPE_UNIFIED:
        if (!e->device) return CUDA_ERROR_INVALID_VALUE;
        *place = place_of(way, e->device + offset);
        break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    place->pitch = pitch;
    place->slice = slice;
    return CUDA_SUCCESS;
}

CUresult px_cu_copy_describe(const struct px_cu_way *way, const CUDA_MEMCPY3D_PEER *c, ptx_array_copy *copy)
{
    const struct end from = {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcXInBytes,
                             c->srcY,          c->srcZ,    c->srcPitch,  c->srcHeight};
    const struct end to = {c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstXInBytes,
                           c->dstY,          c->dstZ,    c->dstPitch,  c->dstHeight};
    *copy = (ptx_array_copy){
        .struct_size = sizeof *copy, .width = c->WidthInBytes, .height = c->Height, .depth = c->Depth};
    if (c->WidthInBytes > 1ull << 40 || c->Height > 1ull << 40 || c->Depth > 1ull << 40)
        return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(place_end(way, &from, c, &copy->from));
    return place_end(way, &to, c, &copy->to);
}

CUresult px_cu_copy_peer_3d(const CUDA_MEMCPY3D_PEER *c, CUstream stream, bool waits)
{
    ptx_array_copy copy;
    PX_CU_WAY(way, stream);
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    if (!c->WidthInBytes || !c->Height || !c->Depth) return CUDA_SUCCESS;
    PX_CU_TRY(px_cu_copy_describe(&way, c, &copy));
    return px_cu_copy(&way, &copy, waits);
}

CUDA_MEMCPY3D_PEER px_cu_copy_of_3d(const CUDA_MEMCPY3D *c)
{
    return (CUDA_MEMCPY3D_PEER){
        c->srcXInBytes,   c->srcY,        c->srcZ,         c->srcLOD,   c->srcMemoryType,
        c->srcHost,       c->srcDevice,   c->srcArray,     NULL,        c->srcPitch,
        c->srcHeight,     c->dstXInBytes, c->dstY,         c->dstZ,     c->dstLOD,
        c->dstMemoryType, c->dstHost,     c->dstDevice,    c->dstArray, NULL,
        c->dstPitch,      c->dstHeight,   c->WidthInBytes, c->Height,   c->Depth};
}

CUresult px_cu_copy_3d(const CUDA_MEMCPY3D *c, CUstream stream, bool waits)
{
    PX_CU_TRY(px_cu_ready());
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D_PEER peer = px_cu_copy_of_3d(c);
    return px_cu_copy_peer_3d(&peer, stream, waits);
}

/* The members that say one side of a copy of rows, src or dst. */
/* clang-format off */
#define SIDE_2D(side, c)                                                                                     \
    .side##XInBytes = (c)->side##XInBytes, .side##Y = (c)->side##Y,                               \
    .side##MemoryType = (c)->side##MemoryType,                                                               \
    .side##Host = (c)->side##Host, .side##Device = (c)->side##Device, .side##Array = (c)->side##Array,       \
    .side##Pitch = (c)->side##Pitch
/* clang-format on */

CUresult px_cu_copy_2d(const CUDA_MEMCPY2D *c, CUstream stream, bool waits)
{
    PX_CU_TRY(px_cu_ready());
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D_PEER peer = {SIDE_2D(src, c), SIDE_2D(dst, c), .WidthInBytes = c->WidthInBytes,
                                     .Height = c->Height, .Depth = 1};
    return px_cu_copy_peer_3d(&peer, stream, waits);
}

/* As programs from before CUDA 3.2 describe it. */
CUresult px_cu_copy_2d_old(const CUDA_MEMCPY2D_v1 *c, CUstream stream, bool waits)
{
    if (!c) return px_cu_copy_2d(NULL, stream, waits);
    const CUDA_MEMCPY2D now = {c->srcXInBytes, c->srcY,          c->srcMemoryType, c->srcHost,
                               c->srcDevice,   c->srcArray,      c->srcPitch,      c->dstXInBytes,
                               c->dstY,        c->dstMemoryType, c->dstHost,       c->dstDevice,
                               c->dstArray,    c->dstPitch,      c->WidthInBytes,  c->Height};
    return px_cu_copy_2d(&now, stream, waits);
}

CUresult px_cu_copy_3d_old(const CUDA_MEMCPY3D_v1 *c, CUstream stream, bool waits)
{
    if (!c) return px_cu_copy_3d(NULL, stream, waits);
    const CUDA_MEMCPY3D now = {
        c->srcXInBytes,   c->srcY,        c->srcZ,         c->srcLOD,   c->srcMemoryType,
        c->srcHost,       c->srcDevice,   c->srcArray,     NULL,        c->srcPitch,
        c->srcHeight,     c->dstXInBytes, c->dstY,         c->dstZ,     c->dstLOD,
        c->dstMemoryType, c->dstHost,     c->dstDevice,    c->dstArray, NULL,
        c->dstPitch,      c->dstHeight,   c->WidthInBytes, c->Height,   c->Depth};
    return px_cu_copy_3d(&now, stream, waits);
}

/* ---- several at once ---- */

CUresult px_cu_copy_batch(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count, size_t *failed,
                          CUstream stream)
{
    PX_CU_TRY(px_cu_ready());
    if (failed) *failed = SIZE_MAX;
    if (!to || !from || !sizes || !count || !stream) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const CUresult result = px_cu_copy_any(to[i], from[i], sizes[i], stream, false);
        if (result == CUDA_SUCCESS) continue;
        if (failed) *failed = i;
        return result;
    }
    return CUDA_SUCCESS;
}

/* ---- sets ---- */

static bool host_sees(const struct px_cu_way *way, CUdeviceptr address)
{
    ptx_memory_info info = {sizeof info};
    return ptx_memory_info_get(way->vm, address, &info) == PTX_OK &&
           (info.kind == PTX_MEMORY_PINNED || info.kind == PTX_MEMORY_REGISTERED ||
            info.kind == PTX_MEMORY_MANAGED);
}

/* A chip sets no variable of another context; a managed one belongs to none. */
static bool is_variable(ptx_device *vm, CUdeviceptr address)
{
    ptx_memory_info info = {sizeof info};
    return ptx_memory_info_get(vm, address, &info) == PTX_OK && info.kind == PTX_MEMORY_DEVICE &&
           info.variable;
}

CUresult px_cu_fill(CUdeviceptr to, size_t pitch, uint32_t value, unsigned element, size_t width,
                    size_t height, CUstream stream, bool waits)
{
    PX_CU_WAY(way, stream);
    if (to % element) return CUDA_ERROR_INVALID_VALUE;
    if (!width || !height) return CUDA_SUCCESS;
    if (width > 1ull << 40 || (height > 1 && (pitch < width * element || pitch % element)))
        return CUDA_ERROR_INVALID_VALUE;
    const ptx_fill fill = {sizeof fill, to, pitch, 0, width, height, 0, value, element};
    ptx_device *vm = device_of(&way, to);
    if (vm != way.vm && (is_variable(vm, to) || !px_cu_reaches(way.context, to)))
        return CUDA_ERROR_INVALID_VALUE;
    if (vm != way.vm) return px_cu_result(way.context, ptx_memory_set(vm, &fill), NULL);
    PX_CU_TRY(px_cu_result(way.context, ptx_stream_fill(vm, &fill, way.stream), NULL));
    /* CUDA driver API, API synchronization behavior, Memset. */
    return waits && host_sees(&way, to) && !px_cu_way_captured(&way) ? px_cu_way_wait(&way) : CUDA_SUCCESS;
}
