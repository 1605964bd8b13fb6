/*
 * old.h - functions as programs from before CUDA 3.2 call them, with addresses and sizes of 32 bits, and
 * as later versions had them.
 */
#ifndef PX_CUDA_DRIVER_OLD_H
#define PX_CUDA_DRIVER_OLD_H

#include "cuda/driver/driver.h"

CUresult px_cu_old_alloc(CUdeviceptr_v1 *address, unsigned size);
CUresult px_cu_old_alloc_pitch(CUdeviceptr_v1 *address, unsigned *pitch, unsigned width, unsigned height,
                               unsigned element);
CUresult px_cu_old_info(unsigned *room, unsigned *total);
CUresult px_cu_old_range(CUdeviceptr_v1 *base, unsigned *size, CUdeviceptr_v1 address);
CUresult px_cu_old_pointer(CUdeviceptr_v1 *address, void *host, unsigned flags);
CUresult px_cu_old_global(CUdeviceptr_v1 *address, unsigned *size, CUmodule module, const char *name);
CUresult px_cu_launch_own(const CUlaunchConfig *config, CUfunction function, void **params, void **extra);

#endif
