/*
 * copy.c - copies of one row, of two and three dimensions, of symbols, arrays and other devices' memory.
 *
 * A row goes by the driver's function for its direction; all else becomes a CUDA_MEMCPY3D. A copy that is
 * waited for goes through the driver's waiting form, in the legacy default stream or the thread's own.
 */
#include <string.h>
#include "cuda/runtime/rt.h"

/* ---- one row ---- */

cudaError_t px_rt_copy(void *to, const void *from, size_t bytes, int kind, CUstream own)
{
    const CUdeviceptr d = (CUdeviceptr)to, s = (CUdeviceptr)from;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (!bytes) return cudaSuccess;
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return (cudaError_t)(own ? cuMemcpyHtoD_v2_ptds(d, from, bytes) : cuMemcpyHtoD_v2(d, from, bytes));
    case cudaMemcpyDeviceToHost:
        return (cudaError_t)(own ? cuMemcpyDtoH_v2_ptds(to, s, bytes) : cuMemcpyDtoH_v2(to, s, bytes));
    case cudaMemcpyDeviceToDevice:
        return (cudaError_t)(own ? cuMemcpyDtoD_v2_ptds(d, s, bytes) : cuMemcpyDtoD_v2(d, s, bytes));
    default: return (cudaError_t)(own ? cuMemcpy_ptds(d, s, bytes) : cuMemcpy(d, s, bytes));
    }
}

cudaError_t px_rt_copy_async(void *to, const void *from, size_t bytes, int kind, CUstream stream)
{
    const CUdeviceptr d = (CUdeviceptr)to, s = (CUdeviceptr)from;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (!bytes) return cudaSuccess;
    switch (kind) {
    case cudaMemcpyHostToDevice: return (cudaError_t)cuMemcpyHtoDAsync_v2(d, from, bytes, stream);
    case cudaMemcpyDeviceToHost: return (cudaError_t)cuMemcpyDtoHAsync_v2(to, s, bytes, stream);
    case cudaMemcpyDeviceToDevice: return (cudaError_t)cuMemcpyDtoDAsync_v2(d, s, bytes, stream);
    default: return (cudaError_t)cuMemcpyAsync(d, s, bytes, stream);
    }
}

static cudaError_t copy_row(void *to, const void *from, size_t bytes, int kind, CUstream stream, bool async)
{
    return async ? px_rt_copy_async(to, from, bytes, kind, stream)
                 : px_rt_copy(to, from, bytes, kind, stream);
}

cudaError_t px_rt_copy_to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                                 CUstream stream, bool async)
{
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    RT_TRY(px_rt_symbol_range(&symbol, offset, bytes));
    return copy_row((void *)symbol, from, bytes, kind, stream, async);
}

cudaError_t px_rt_copy_from_symbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                                   CUstream stream, bool async)
{
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    RT_TRY(px_rt_symbol_range(&symbol, offset, bytes));
    return copy_row(to, symbol, bytes, kind, stream, async);
}

cudaError_t px_rt_copy_peer(void *to, int to_device, const void *from, int from_device, size_t bytes,
                            CUstream stream, bool async)
{
    CUcontext to_context, from_context;
    RT_TRY(px_rt_primary(to_device, &to_context));
    RT_TRY(px_rt_primary(from_device, &from_context));
    if (!bytes) return cudaSuccess;
    if (async)
        return (cudaError_t)cuMemcpyPeerAsync((CUdeviceptr)to, to_context, (CUdeviceptr)from, from_context,
                                              bytes, stream);
    return (cudaError_t)cuMemcpyPeer((CUdeviceptr)to, to_context, (CUdeviceptr)from, from_context, bytes);
}

/* ---- shapes ---- */

/* Which memory a pointer of each kind of copy is in. */
static const struct {
    CUmemorytype from, to;
} memory_of[] = {
    [cudaMemcpyHostToHost] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST},
    [cudaMemcpyHostToDevice] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE},
    [cudaMemcpyDeviceToHost] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST},
    [cudaMemcpyDeviceToDevice] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE},
    [cudaMemcpyDefault] = {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED},
};

/* Positions and extents count elements of the array where one takes part, else bytes; positions in pointers
 * count bytes. */
static cudaError_t scale_of(CUarray from, CUarray to, size_t *scale)
{
    size_t other;
    *scale = 1;
    if (from) RT_TRY(px_rt_array_element(from, scale));
    if (!to) return cudaSuccess;
    RT_TRY(px_rt_array_element(to, &other));
    if (from && other != *scale) return cudaErrorInvalidValue;
    *scale = other;
    return cudaSuccess;
}

/* The members of CUDA_MEMCPY3D for one side of a copy of the runtime's, src or dst. */
/* clang-format off */
#define SIDE_TO_DRIVER(side, copy, scale, memory)                                                            \
    .side##XInBytes = (copy)->side##Pos.x * ((copy)->side##Array ? (scale) : 1),                             \
    .side##Y = (copy)->side##Pos.y, .side##Z = (copy)->side##Pos.z,                                          \
    .side##MemoryType = (copy)->side##Array ? CU_MEMORYTYPE_ARRAY : (memory),                                \
    .side##Host = (copy)->side##Ptr.ptr, .side##Device = (CUdeviceptr)(copy)->side##Ptr.ptr,                 \
    .side##Array = (copy)->side##Array, .side##Pitch = (copy)->side##Ptr.pitch,                              \
    .side##Height = (copy)->side##Ptr.ysize
/* clang-format on */

/* Whether the rows of a box lie behind one another, as a chip's runtime checks it: a pitch is asked for only
 * where there is a second row, a height where there is a second slice, and the width counts elements where
 * an array takes part. What is left the driver checks. */
static bool fits(const struct cudaPitchedPtr *at, const struct cudaExtent *extent)
{
    if (!extent->width || !extent->height || !extent->depth) return true;
    if (extent->depth > 1 && at->ysize < extent->height) return false;
    return (extent->height == 1 && extent->depth == 1) || extent->width <= at->pitch;
}

/* Are their bytes numbers, too? */
static bool scalable(const struct cudaPos *at, const struct cudaExtent *extent, size_t scale)
{
    return at->x <= SIZE_MAX / scale && extent->width <= SIZE_MAX / scale;
}

cudaError_t px_rt_copy_to_driver(const struct cudaMemcpy3DParms *copy, CUDA_MEMCPY3D *driver)
{
    size_t scale;
    if (!copy || (copy->srcArray && copy->srcPtr.ptr) || (copy->dstArray && copy->dstPtr.ptr))
        return cudaErrorInvalidValue;
    if (copy->kind < cudaMemcpyHostToHost || copy->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    RT_TRY(scale_of(copy->srcArray, copy->dstArray, &scale));
    if (!(copy->srcArray || fits(&copy->srcPtr, &copy->extent)) ||
        !(copy->dstArray || fits(&copy->dstPtr, &copy->extent)))
        return cudaErrorInvalidPitchValue;
    if (!scalable(&copy->srcPos, &copy->extent, scale) || !scalable(&copy->dstPos, &copy->extent, scale))
        return cudaErrorInvalidValue;
    *driver = (CUDA_MEMCPY3D){
        SIDE_TO_DRIVER(src, copy, scale, memory_of[copy->kind].from),
        SIDE_TO_DRIVER(dst, copy, scale, memory_of[copy->kind].to),
        .WidthInBytes = copy->extent.width * scale,
        .Height = copy->extent.height,
        .Depth = copy->extent.depth,
    };
    return cudaSuccess;
}

void px_rt_copy_to_runtime(const CUDA_MEMCPY3D *driver, struct cudaMemcpy3DParms *copy)
{
    size_t scale = 1;
    const bool from_host = driver->srcMemoryType == CU_MEMORYTYPE_HOST;
    const bool to_host = driver->dstMemoryType == CU_MEMORYTYPE_HOST;
    const bool any = driver->srcMemoryType == CU_MEMORYTYPE_UNIFIED;
    if (scale_of(driver->srcArray, driver->dstArray, &scale) != cudaSuccess) scale = 1;
    *copy = (struct cudaMemcpy3DParms){
        .srcArray = driver->srcArray,
        .srcPos = {driver->srcXInBytes / (driver->srcArray ? scale : 1), driver->srcY, driver->srcZ},
        .srcPtr = {from_host ? (void *)driver->srcHost : (void *)driver->srcDevice, driver->srcPitch,
                   driver->srcPitch, driver->srcHeight},
        .dstArray = driver->dstArray,
        .dstPos = {driver->dstXInBytes / (driver->dstArray ? scale : 1), driver->dstY, driver->dstZ},
        .dstPtr = {to_host ? driver->dstHost : (void *)driver->dstDevice, driver->dstPitch, driver->dstPitch,
                   driver->dstHeight},
        .extent = {driver->WidthInBytes / scale, driver->Height, driver->Depth},
        .kind = any         ? cudaMemcpyDefault
                : from_host ? (to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
                : to_host   ? cudaMemcpyDeviceToHost
                            : cudaMemcpyDeviceToDevice,
    };
}

static cudaError_t copy_shape(const CUDA_MEMCPY3D *copy, CUstream stream, bool async)
{
    if (!copy->WidthInBytes || !copy->Height || !copy->Depth) return cudaSuccess;
    if (async) return (cudaError_t)cuMemcpy3DAsync_v2(copy, stream);
    return (cudaError_t)(stream ? cuMemcpy3D_v2_ptds(copy) : cuMemcpy3D_v2(copy));
}

cudaError_t px_rt_copy_3d(const struct cudaMemcpy3DParms *copy, CUstream stream, bool async)
{
    CUDA_MEMCPY3D driver;
    RT_TRY(px_rt_copy_to_driver(copy, &driver));
    return copy_shape(&driver, stream, async);
}

cudaError_t px_rt_copy_3d_peer(const struct cudaMemcpy3DPeerParms *copy, CUstream stream, bool async)
{
    CUDA_MEMCPY3D one;
    CUDA_MEMCPY3D_PEER peer;
    if (!copy) return cudaErrorInvalidValue;
    const struct cudaMemcpy3DParms plain = {
        copy->srcArray, copy->srcPos, copy->srcPtr, copy->dstArray,
        copy->dstPos,   copy->dstPtr, copy->extent, cudaMemcpyDeviceToDevice};
    RT_TRY(px_rt_copy_to_driver(&plain, &one));
    _Static_assert(sizeof one == sizeof peer, "CUDA_MEMCPY3D has reserved words where _PEER has contexts");
    memcpy(&peer, &one, sizeof peer);
    RT_TRY(px_rt_primary(copy->srcDevice, &peer.srcContext));
    RT_TRY(px_rt_primary(copy->dstDevice, &peer.dstContext));
    if (!peer.WidthInBytes || !peer.Height || !peer.Depth) return cudaSuccess;
    if (async) return (cudaError_t)cuMemcpy3DPeerAsync(&peer, stream);
    return (cudaError_t)(stream ? cuMemcpy3DPeer_ptds(&peer) : cuMemcpy3DPeer(&peer));
}

/* The driver's description of a copy of rows, of a kind that has been checked. */
static CUDA_MEMCPY3D rows(size_t width, size_t height, int kind)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = memory_of[kind].from,
                           .dstMemoryType = memory_of[kind].to,
                           .WidthInBytes = width,
                           .Height = height,
                           .Depth = 1};
}

/* Where one side of a copy lies, src or dst. */
#define IN_MEMORY(copy, side, at, pitch)                                                                     \
    ((copy).side##Host = (at), (copy).side##Device = (CUdeviceptr)(at), (copy).side##Pitch = (pitch))
#define IN_ARRAY(copy, side, array, x, y)                                                                    \
    ((copy).side##MemoryType = CU_MEMORYTYPE_ARRAY, (copy).side##Array = (array),                            \
     (copy).side##XInBytes = (x), (copy).side##Y = (y))

cudaError_t px_rt_copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                          size_t height, int kind, CUstream stream, bool async)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (!width || !height) return cudaSuccess;
    if (height > 1 && (width > to_pitch || width > from_pitch)) return cudaErrorInvalidPitchValue;
    CUDA_MEMCPY3D copy = rows(width, height, kind);
    IN_MEMORY(copy, src, from, from_pitch);
    IN_MEMORY(copy, dst, to, to_pitch);
    return copy_shape(&copy, stream, async);
}

/* ---- arrays; x and width in bytes ---- */

cudaError_t px_rt_copy_to_array(CUarray to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, int kind, CUstream stream, bool async)
{
    if (!width || !height) return cudaSuccess;
    if (height > 1 && width > pitch) return cudaErrorInvalidPitchValue;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    CUDA_MEMCPY3D copy = rows(width, height, kind);
    IN_MEMORY(copy, src, from, pitch);
    IN_ARRAY(copy, dst, to, x, y);
    return copy_shape(&copy, stream, async);
}

cudaError_t px_rt_copy_from_array(void *to, size_t pitch, CUarray from, size_t x, size_t y, size_t width,
                                  size_t height, int kind, CUstream stream, bool async)
{
    if (!width || !height) return cudaSuccess;
    if (height > 1 && width > pitch) return cudaErrorInvalidPitchValue;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    CUDA_MEMCPY3D copy = rows(width, height, kind);
    IN_ARRAY(copy, src, from, x, y);
    IN_MEMORY(copy, dst, to, pitch);
    return copy_shape(&copy, stream, async);
}

cudaError_t px_rt_copy_arrays(CUarray to, size_t to_x, size_t to_y, CUarray from, size_t x, size_t y,
                              size_t width, size_t height, int kind, CUstream stream)
{
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    CUDA_MEMCPY3D copy = rows(width, height, kind);
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = from;
    copy.srcXInBytes = x;
    copy.srcY = y;
    copy.dstArray = to;
    copy.dstXInBytes = to_x;
    copy.dstY = to_y;
    return copy_shape(&copy, stream, false);
}

/* ---- bytes in a line, which goes on in the next row of an array ---- */

struct side {
    CUarray array; /* NULL: at `pointer` */
    const char *pointer;
    size_t x, y, row; /* of an array: bytes, rows, bytes of a row */
};

static cudaError_t side_of(CUarray array, size_t x, size_t y, struct side *side)
{
    struct cudaExtent extent;
    size_t texel;
    RT_TRY(px_rt_array_info(NULL, &extent, NULL, array));
    RT_TRY(px_rt_array_element(array, &texel));
    *side = (struct side){.array = array, .x = x, .y = y, .row = extent.width * texel};
    return x < side->row ? cudaSuccess : cudaErrorInvalidValue;
}

static size_t left_in_row(const struct side *side, size_t bytes)
{
    return side->array && side->row - side->x < bytes ? side->row - side->x : bytes;
}

static void advance(struct side *side, size_t bytes)
{
    side->x += bytes;
    if (!side->array) {
        side->pointer += bytes;
    } else if (side->x == side->row) {
        side->x = 0;
        side->y++;
    }
}

static cudaError_t copy_line(struct side to, struct side from, size_t bytes, int kind, CUstream stream,
                             bool async)
{
    while (bytes) {
        const size_t n = left_in_row(&to, left_in_row(&from, bytes));
        CUDA_MEMCPY3D copy = rows(n, 1, kind);
        if (from.array) copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = from.array;
        copy.srcXInBytes = from.array ? from.x : 0;
        copy.srcY = from.y;
        copy.srcHost = from.pointer;
        copy.srcDevice = (CUdeviceptr)from.pointer;
        if (to.array) copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = to.array;
        copy.dstXInBytes = to.array ? to.x : 0;
        copy.dstY = to.y;
        copy.dstHost = (void *)to.pointer;
        copy.dstDevice = (CUdeviceptr)to.pointer;
        RT_TRY(copy_shape(&copy, stream, async));
        advance(&to, n);
        advance(&from, n);
        bytes -= n;
    }
    return cudaSuccess;
}

cudaError_t px_rt_copy_line_to_array(CUarray array, size_t x, size_t y, const void *pointer, size_t bytes,
                                     int kind, CUstream stream, bool async)
{
    struct side to;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    RT_TRY(side_of(array, x, y, &to));
    return copy_line(to, (struct side){.pointer = pointer}, bytes, kind, stream, async);
}

cudaError_t px_rt_copy_line_from_array(void *pointer, CUarray array, size_t x, size_t y, size_t bytes,
                                       int kind, CUstream stream, bool async)
{
    struct side from;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    RT_TRY(side_of(array, x, y, &from));
    return copy_line((struct side){.pointer = pointer}, from, bytes, kind, stream, async);
}

cudaError_t px_rt_copy_line_of_arrays(CUarray to_array, size_t to_x, size_t to_y, CUarray from_array,
                                      size_t x, size_t y, size_t bytes, int kind, CUstream stream)
{
    struct side to, from;
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    RT_TRY(side_of(to_array, to_x, to_y, &to));
    RT_TRY(side_of(from_array, x, y, &from));
    return copy_line(to, from, bytes, kind, stream, false);
}
