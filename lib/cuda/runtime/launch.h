/* launch.h - the configuration between <<<>>> and the stub that launches. */
#ifndef PX_CUDA_RUNTIME_LAUNCH_H
#define PX_CUDA_RUNTIME_LAUNCH_H

#include "cuda/runtime/rt.h"

/* 0: kept for the stub's __cudaPopCallConfiguration; else the launch is not to be made. */
RT_PUBLIC unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream stream);

#endif
