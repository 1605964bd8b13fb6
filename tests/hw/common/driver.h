/* driver.h - the driver's answers, told; for the recorders, which run where a chip is. */
#ifndef HW_COMMON_DRIVER_H
#define HW_COMMON_DRIVER_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* The kernel k of a module whose text is head and body. 0, or 1 and a line that says what went wrong. */
static inline int load_kernel(const char *head, const char *body, CUmodule *module, CUfunction *fn,
                              const char *name)
{
    char *text = malloc(strlen(head) + strlen(body) + 1);
    sprintf(text, "%s%s", head, body);
    const int bad =
        failed(cuModuleLoadData(module, text), name) || failed(cuModuleGetFunction(fn, *module, "k"), name);
    free(text);
    return bad;
}

#endif
