/*
 * api.h - the functions of libcuda.so.1, declared from the one list of them.
 */
#ifndef PX_CUDA_DRIVER_API_H
#define PX_CUDA_DRIVER_API_H

#include <stdbool.h>
#include "cuda/driver/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The driver's own files (driver.h) mean what is inside by these names; what programs call is made by
 * calls.c.
 */
#ifdef PX_CU_INSIDE
#define PX_CU_SYMBOL(symbol) __asm__("px_in_" #symbol)
#else
#define PX_CU_SYMBOL(symbol)
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#define CU(name, since, symbol, parameters) CUresult symbol parameters PX_CU_SYMBOL(symbol);
#define VIA(name, since, symbol, parameters, call) CUresult symbol parameters PX_CU_SYMBOL(symbol);
#define NO(name, since, symbol)
#include "cuda/driver/cuda.def"
#undef CU
#undef VIA
#undef NO
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

/* cuGetExportTable gives these to our own libcudart and tools, under PX_CU_TOOLS_ID. */
#define PX_CU_TOOLS_ID                                                                                       \
    {                                                                                                        \
        {                                                                                                    \
            'p', 't', 'x', 'v', 'm', ' ', 't', 'o', 'o', 'l', 's', ' ', '0', '0', '0', '1'                   \
        }                                                                                                    \
    }
struct px_cu_linker;
/* A call that answered an error. */
struct px_cu_failure {
    const char *function; /* texts that live as long as the process, this and name */
    int code;
    const char *name;      /* of the error; NULL: the driver's */
    const char *arguments; /* "to=NULL, bytes=16" */
    const char *reason;    /* in words; NULL: what was said before the answer, if anything */
    const void *from;      /* where the call returns to */
    const char *kernel;    /* what was to be launched, by its mangled name; NULL: nothing */
};
struct px_cu_tools {
    size_t size;                               /* of this table */
    CUresult (*unsupported)(const char *name); /* logs and counts a call that is not served; its answer */
    /* An image that the process will load: what PTXVM_ARCH=auto chooses by, when told before cuInit. */
    void (*image)(const void *data);
    /* The linker, for who has no context (linker.h). */
    struct px_cu_linker *(*linker_new)(const char *arch, int contract);
    CUresult (*linker_add)(struct px_cu_linker *linker, const void *data, size_t size, const char *name);
    CUresult (*linker_image)(struct px_cu_linker *linker, const void **image, size_t *size);
    const char *(*linker_log)(const struct px_cu_linker *linker);
    void (*linker_free)(struct px_cu_linker *linker);
    bool (*linker_lto)(const void *data, size_t size);
    void (*calling)(const char *function); /* px_cu_calling (launch.h) */
    /* Somebody at this address asked the runtime for a table of NVIDIA's driver, which is none of ours. */
    void (*asked)(const void *caller);
    /* failed.h; of the first what the second takes. */
    void *(*failed)(const struct px_cu_failure *failure);
    void (*failed_asked)(void *failed);
};

#ifdef __cplusplus
}
#endif
#endif
