/*
 * memory.c - allocation in all its forms, what is known of a pointer, and sets.
 *
 * Nothing can be asked for as 0 bytes of the driver; of the runtime it can, and is NULL.
 */
#include <string.h>
#include "cuda/runtime/rt.h"

cudaError_t px_rt_malloc(void **pointer, size_t bytes)
{
    if (!pointer) return cudaErrorInvalidValue;
    *pointer = NULL;
    return bytes ? (cudaError_t)cuMemAlloc_v2((CUdeviceptr *)pointer, bytes) : cudaSuccess;
}

cudaError_t px_rt_free(void *pointer)
{
    size_t free, total;
    return (cudaError_t)(pointer ? cuMemFree_v2((CUdeviceptr)pointer) : cuMemGetInfo_v2(&free, &total));
}

cudaError_t px_rt_malloc_pitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    enum { ELEMENT = 4 }; /* the smallest that the driver knows */
    if (!pointer || !pitch) return cudaErrorInvalidValue;
    *pointer = NULL;
    *pitch = 0;
    if (!width || !height) return cudaSuccess;
    return (cudaError_t)cuMemAllocPitch_v2((CUdeviceptr *)pointer, pitch, width, height, ELEMENT);
}

cudaError_t px_rt_malloc_3d(struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
    size_t rows;
    if (!pointer || __builtin_mul_overflow(extent.height, extent.depth, &rows)) return cudaErrorInvalidValue;
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    return px_rt_malloc_pitch(&pointer->ptr, &pointer->pitch, extent.width, rows);
}

cudaError_t px_rt_malloc_async(void **pointer, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    if (!pointer) return cudaErrorInvalidValue;
    *pointer = NULL;
    if (!bytes) return cudaSuccess;
    return (cudaError_t)(pool ? cuMemAllocFromPoolAsync((CUdeviceptr *)pointer, bytes, pool, stream)
                              : cuMemAllocAsync((CUdeviceptr *)pointer, bytes, stream));
}

cudaError_t px_rt_host_alloc(void **pointer, size_t bytes, unsigned flags)
{
    if (!pointer) return cudaErrorInvalidValue;
    *pointer = NULL;
    return bytes ? (cudaError_t)cuMemHostAlloc(pointer, bytes, flags) : cudaSuccess;
}

cudaError_t px_rt_managed_alloc(void **pointer, size_t bytes, unsigned flags)
{
    if (!pointer) return cudaErrorInvalidValue;
    *pointer = NULL;
    return bytes ? (cudaError_t)cuMemAllocManaged((CUdeviceptr *)pointer, bytes, flags) : cudaSuccess;
}

cudaError_t px_rt_pointer(struct cudaPointerAttributes *attributes, const void *pointer)
{
    enum { INVALID_DEVICE = -2, N = 5 };
    CUpointer_attribute asked[N] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                    CU_POINTER_ATTRIBUTE_HOST_POINTER, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    unsigned type = 0, managed = 0;
    CUdeviceptr device = 0;
    void *host = NULL;
    int ordinal = INVALID_DEVICE;
    void *answers[N] = {&type, &device, &host, &managed, &ordinal};
    if (!attributes) return cudaErrorInvalidValue;
    RT_TRY(cuPointerGetAttributes(N, asked, answers, (CUdeviceptr)pointer));
    *attributes = (struct cudaPointerAttributes){0};
    attributes->type = managed                        ? cudaMemoryTypeManaged
                       : type == CU_MEMORYTYPE_HOST   ? cudaMemoryTypeHost
                       : type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                                                      : cudaMemoryTypeUnregistered;
    const bool known = attributes->type != cudaMemoryTypeUnregistered;
    attributes->device = known ? ordinal : INVALID_DEVICE;
    attributes->devicePointer = known ? (void *)device : NULL;
    attributes->hostPointer = known ? host : (void *)pointer;
    return cudaSuccess;
}

/* ---- sets ---- */

cudaError_t px_rt_set(void *to, int value, size_t bytes, CUstream stream, bool async)
{
    const CUdeviceptr at = (CUdeviceptr)to;
    const unsigned char byte = (unsigned char)value;
    if (!bytes) return cudaSuccess;
    if (async) return (cudaError_t)cuMemsetD8Async(at, byte, bytes, stream);
    return (cudaError_t)(stream ? cuMemsetD8_v2_ptds(at, byte, bytes) : cuMemsetD8_v2(at, byte, bytes));
}

cudaError_t px_rt_set_2d(void *to, size_t pitch, int value, size_t width, size_t height, CUstream stream,
                         bool async)
{
    const CUdeviceptr at = (CUdeviceptr)to;
    const unsigned char byte = (unsigned char)value;
    if (!width || !height) return cudaSuccess;
    if (async) return (cudaError_t)cuMemsetD2D8Async(at, pitch, byte, width, height, stream);
    return (cudaError_t)(stream ? cuMemsetD2D8_v2_ptds(at, pitch, byte, width, height)
                                : cuMemsetD2D8_v2(at, pitch, byte, width, height));
}

/* Slices lie ysize rows apart: one set where the extent has all their rows, else one a slice. */
cudaError_t px_rt_set_3d(struct cudaPitchedPtr to, int value, struct cudaExtent extent, CUstream stream,
                         bool async)
{
    if (extent.depth <= 1 || extent.height == to.ysize) {
        size_t rows;
        if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return cudaErrorInvalidValue;
        return px_rt_set_2d(to.ptr, to.pitch, value, extent.width, rows, stream, async);
    }
    size_t slice, last;
    if (__builtin_mul_overflow(to.pitch, to.ysize, &slice) ||
        __builtin_mul_overflow(slice, extent.depth - 1, &last))
        return cudaErrorInvalidValue;
    for (size_t z = 0; z < extent.depth; z++)
        RT_TRY(px_rt_set_2d((char *)to.ptr + z * slice, to.pitch, value, extent.width, extent.height, stream,
                            async));
    return cudaSuccess;
}
