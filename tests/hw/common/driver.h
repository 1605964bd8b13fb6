/* driver.h - the driver's answers, told; for the recorders, which run where a chip is. */
#ifndef HW_COMMON_DRIVER_H
#define HW_COMMON_DRIVER_H

#include <cuda.h>
#include <stdio.h>
#include <unistd.h>

/* 0 when all went well; else 1, and a line says what did not. */
static inline int failed(CUresult r, const char *what)
{
    const char *name = "?";
    if (r == CUDA_SUCCESS) return 0;
    cuGetErrorName(r, &name);
    fprintf(stderr, "%s: %s\n", what, name);
    return 1;
}

/* Ends the process, which may be the child that a case runs in: what the parent has not written yet stays its
 * own. */
static inline void must(CUresult r, const char *what)
{
    if (failed(r, what)) _exit(3);
}

/* The first device, with its primary context current. */
static inline void open_device(void)
{
    CUdevice device;
    CUcontext context;
    must(cuInit(0), "init");
    must(cuDeviceGet(&device, 0), "device");
    must(cuDevicePrimaryCtxRetain(&context, device), "context");
    must(cuCtxSetCurrent(context), "context");
}

#endif
