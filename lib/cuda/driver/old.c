/*
 * old.c - functions with 32-bit addresses (before CUDA 3.2).
 *
 * Addresses of devices here lie above 4 GiB, as a chip's do, so what would have to give one out fails as it
 * does there: no memory that such a program can name is left.
 */
#include "cuda/driver/old.h"

/* False: it has more than 32 bits. */
static bool narrow(unsigned *to, uint64_t value)
{
    if (value > UINT32_MAX) return false;
    if (to) *to = (unsigned)value;
    return true;
}

CUresult px_cu_old_alloc(CUdeviceptr_v1 *address, unsigned size)
{
    CUdeviceptr wide;
    if (!address) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(cuMemAlloc_v2(&wide, size));
    if (narrow(address, wide)) return CUDA_SUCCESS;
    cuMemFree_v2(wide);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult px_cu_old_alloc_pitch(CUdeviceptr_v1 *address, unsigned *pitch, unsigned width, unsigned height,
                               unsigned element)
{
    CUdeviceptr wide;
    size_t row;
    if (!address || !pitch) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(cuMemAllocPitch_v2(&wide, &row, width, height, element));
    if (narrow(address, wide) && narrow(pitch, row)) return CUDA_SUCCESS;
    cuMemFree_v2(wide);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

/* Sizes beyond 32 bits are told as the largest. */
CUresult px_cu_old_info(unsigned *room, unsigned *total)
{
    size_t wide_room, wide_total;
    PX_CU_TRY(cuMemGetInfo_v2(&wide_room, &wide_total));
    if (!narrow(room, wide_room) && room) *room = UINT32_MAX;
    if (!narrow(total, wide_total) && total) *total = UINT32_MAX;
    return CUDA_SUCCESS;
}

CUresult px_cu_old_range(CUdeviceptr_v1 *base, unsigned *size, CUdeviceptr_v1 address)
{
    CUdeviceptr wide;
    size_t bytes;
    PX_CU_TRY(cuMemGetAddressRange_v2(&wide, &bytes, address));
    return narrow(base, wide) && narrow(size, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult px_cu_old_pointer(CUdeviceptr_v1 *address, void *host, unsigned flags)
{
    CUdeviceptr wide;
    if (!address) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(cuMemHostGetDevicePointer_v2(&wide, host, flags));
    return narrow(address, wide) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult px_cu_old_global(CUdeviceptr_v1 *address, unsigned *size, CUmodule module, const char *name)
{
    CUdeviceptr wide;
    size_t bytes;
    PX_CU_TRY(cuModuleGetGlobal_v2(&wide, &bytes, module, name));
    return narrow(address, wide) && narrow(size, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult px_cu_launch_own(const CUlaunchConfig *config, CUfunction function, void **params, void **extra)
{
    if (!config || config->hStream) return cuLaunchKernelEx(config, function, params, extra);
    CUlaunchConfig own = *config;
    own.hStream = CU_STREAM_PER_THREAD;
    return cuLaunchKernelEx(&own, function, params, extra);
}
