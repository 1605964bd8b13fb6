/*
 * registry.h - what host code that nvcc makes calls before main.
 *
 * The handle of __cudaRegisterFatBinary belongs to __cudaUnregisterFatBinary. Names and shadows must live as
 * long as it. Any thread.
 */
#ifndef PX_CUDA_RUNTIME_REGISTRY_H
#define PX_CUDA_RUNTIME_REGISTRY_H

#include "cuda/runtime/rt.h"

RT_PUBLIC void **__cudaRegisterFatBinary(void *wrapper);
RT_PUBLIC void __cudaRegisterFatBinaryEnd(void **handle);
RT_PUBLIC void __cudaUnregisterFatBinary(void **handle);
RT_PUBLIC void __cudaRegisterFunction(void **handle, const char *shadow, char *device_name, const char *name,
                                      int thread_limit, void *tid, void *bid, void *block, void *grid,
                                      int *warp);
RT_PUBLIC void __cudaRegisterVar(void **handle, char *shadow, char *device_name, const char *name,
                                 int external, size_t size, int constant, int global);
RT_PUBLIC void __cudaRegisterManagedVar(void **handle, void **host, char *device_name, const char *name,
                                        int external, size_t size, int constant, int global);
RT_PUBLIC void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
#if RT_RELEASE == 11
RT_PUBLIC void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
                                     int shape, int normalized, int external);
RT_PUBLIC void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
                                     int shape, int external);
#else
RT_PUBLIC void __cudaRegisterUnifiedTable(void *table);
#endif
RT_PUBLIC char __cudaInitModule(void **handle);

#endif
