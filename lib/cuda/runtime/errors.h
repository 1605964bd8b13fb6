/* errors.h - the functions on errors that return no error themselves. */
#ifndef PX_CUDA_RUNTIME_ERRORS_H
#define PX_CUDA_RUNTIME_ERRORS_H

#include "cuda/runtime/rt.h"

RT_PUBLIC cudaError_t cudaGetLastError(void);
RT_PUBLIC cudaError_t cudaPeekAtLastError(void);
RT_PUBLIC const char *cudaGetErrorName(cudaError_t number);
RT_PUBLIC const char *cudaGetErrorString(cudaError_t number);

#endif
