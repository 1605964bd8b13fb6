/* errors.h - the functions on errors that return no error themselves. */
#ifndef PX_RT_ERRORS_H
#define PX_RT_ERRORS_H

#include "shim/rt/rt.h"

RT_PUBLIC cudaError_t cudaGetLastError(void);
RT_PUBLIC cudaError_t cudaPeekAtLastError(void);
RT_PUBLIC const char *cudaGetErrorName(cudaError_t number);
RT_PUBLIC const char *cudaGetErrorString(cudaError_t number);

#endif
