/*
 * module.h - modules, as libraries and launches see them.
 */
#ifndef PX_CUDA_DRIVER_MODULE_H
#define PX_CUDA_DRIVER_MODULE_H

#include "cuda/driver/image.h"

struct px_cu_module {
    struct px_cu_object head;
    struct px_cu_image *image;
    ptx_program *program; /* NULL: the image is empty */
    pthread_mutex_t lock; /* of what follows */
    struct px_cu_function *functions;
    struct px_cu_reference *references; /* taken, each once more (texref.c) */
    bool library;                       /* it is one of a CUlibrary */
};

/* An image in a context. What it cannot be linked for is told to `jit`. */
CUresult px_cu_module_make(struct px_cu_context *context, struct px_cu_image *image, struct px_cu_jit *jit,
                           struct px_cu_module **module);
/* Its handle and those of its functions are no longer any. The caller has taken it. */
void px_cu_module_end(struct px_cu_module *module);
CUresult px_cu_module_function(struct px_cu_module *module, const char *name, CUfunction *function);
CUresult px_cu_module_global(struct px_cu_module *module, const char *name, CUdeviceptr *address,
                             size_t *size);
CUresult px_cu_function_value(struct px_cu_function *function, int attribute, int *value);
CUresult px_cu_function_set(struct px_cu_function *function, int attribute, int value);

#endif
