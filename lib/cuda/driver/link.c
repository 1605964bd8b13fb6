/*
 * link.c - cuLink*: the linker behind a handle of a context.
 */
#include <stdlib.h>
#include "cuda/driver/host.h"
#include "cuda/driver/linker.h"

struct link {
    struct px_cu_object head;
    pthread_mutex_t lock; /* of what follows */
    struct px_cu_linker linker;
};

#define LINK(name, handle) PX_CU_TAKE(link, name, PX_CU_LINK, handle, CUDA_ERROR_INVALID_HANDLE)

static void destroy(void *object)
{
    struct link *l = object;
    px_cu_linker_end(&l->linker);
    pthread_mutex_destroy(&l->lock);
}

/* The buffers that options name are the caller's until the state is destroyed. */
CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state)
{
    struct px_cu_jit jit;
    PX_CU_CURRENT(c);
    if (!state) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_jit_read(&jit, count, options, values));
    struct link *l = px_cu_new(PX_CU_LINK, sizeof *l, c, destroy);
    if (!l) return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&l->lock, NULL);
    const CUlinkState handle = px_cu_handle(l);
    if (!px_cu_linker_begin(&l->linker, px_cu_device_arch(c->device), &jit)) {
        px_cu_drop(handle, PX_CU_LINK);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *state = handle;
    return CUDA_SUCCESS;
}

static CUresult check_type(CUjitInputType type, const void *data, size_t size)
{
    if (type != CU_JIT_INPUT_LIBRARY && px_host_is_archive(data, size)) return CUDA_ERROR_INVALID_IMAGE;
    if (type == CU_JIT_INPUT_NVVM) return px_cu_unsupported("CU_JIT_INPUT_NVVM");
    return (unsigned)type <= CU_JIT_INPUT_LIBRARY ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Options of an input are read for their errors; what they could change is the same for all inputs here. */
CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                          unsigned count, CUjit_option *options, void **values)
{
    struct px_cu_jit jit;
    LINK(l, state);
    if (!data || !size) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_jit_read(&jit, count, options, values));
    PX_CU_TRY(check_type(type, data, size));
    pthread_mutex_lock(&l->lock);
    const CUresult result = px_cu_linker_add(&l->linker, data, size, name);
    px_cu_jit_end(&l->linker.jit);
    pthread_mutex_unlock(&l->lock);
    return result;
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                          CUjit_option *options, void **values)
{
    char *data;
    size_t size;
    PX_CU_TRY(px_cu_ready());
    if (!path) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_file_read(path, &data, &size));
    const CUresult result = cuLinkAddData_v2(state, type, data, size, path, count, options, values);
    free(data);
    return result;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
    LINK(l, state);
    if (!image) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&l->lock);
    const CUresult result = px_cu_linker_complete(&l->linker);
    if (result == CUDA_SUCCESS) {
        *image = l->linker.bytes;
        if (size) *size = l->linker.size;
    }
    px_cu_jit_end(&l->linker.jit);
    pthread_mutex_unlock(&l->lock);
    return result;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    PX_CU_TRY(px_cu_ready());
    return px_cu_drop(state, PX_CU_LINK) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
