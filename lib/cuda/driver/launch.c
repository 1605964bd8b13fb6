/*
 * launch.c - kernel launches in all the forms that the driver has had.
 */
#include "cuda/driver/launch.h"
#include "cuda/driver/failed.h"
#include <stdlib.h>
#include <string.h>

enum { SMALL = 4096, EXTRA_MOST = 8 };

/* ---- parameters ---- */

/* The buffer that `extra` names. False: it cannot be read. */
static bool read_extra(void **extra, const void **buffer, size_t *size)
{
    *buffer = NULL;
    *size = 0;
    for (unsigned i = 0; i < EXTRA_MOST; i++, extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_END) return *buffer || !*size;
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            *buffer = extra[1];
        else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
            *size = *(const size_t *)extra[1];
        else
            return false;
    }
    return false;
}

/* The kernel's parameters in `to`, which has room for all of them. */
static CUresult gather(const struct px_cu_function *f, void **params, void **extra, unsigned char *to)
{
    const void *buffer;
    size_t size;
    if (params && extra) return CUDA_ERROR_INVALID_VALUE;
    if (extra) {
        if (!read_extra(extra, &buffer, &size)) return CUDA_ERROR_INVALID_VALUE;
        if (size > f->param_bytes) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
        if (!size) return f->param_count ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
        memcpy(to, buffer, size); /* a chip takes a part, too; the rest is zero here */
        return CUDA_SUCCESS;
    }
    if (!f->param_count) return CUDA_SUCCESS;
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < f->param_count; i++) {
        if (!params[i]) return CUDA_ERROR_INVALID_VALUE;
        memcpy(to + f->params[i].offset, params[i], f->params[i].size);
    }
    return CUDA_SUCCESS;
}

CUresult px_cu_params(const struct px_cu_function *f, void **params, void **extra, struct px_cu_args *args)
{
    args->large = f->param_bytes > sizeof args->small ? malloc(f->param_bytes) : NULL;
    args->bytes = args->large ? args->large : args->small;
    if (f->param_bytes > sizeof args->small && !args->large) return CUDA_ERROR_OUT_OF_MEMORY;
    memset(args->bytes, 0, f->param_bytes);
    return gather(f, params, extra, args->bytes);
}

void px_cu_args_clean(struct px_cu_args *args)
{
    free(args->large);
}

/* ---- shapes ---- */

CUresult px_cu_shape(struct px_cu_function *f, const ptx_launch_config *l)
{
    int dynamic = 0;
    for (int i = 0; i < 3; i++)
        if (!l->grid[i] || !l->block[i]) {
            px_cu_failed_why("a grid and a block have at least one of each dimension");
            return CUDA_ERROR_INVALID_VALUE;
        }
    if (l->shared_bytes == 0) return CUDA_SUCCESS;
    PX_CU_TRY(px_cu_function_value(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &dynamic));
    if (l->shared_bytes <= (unsigned)dynamic) return CUDA_SUCCESS;
    char words[120];
    snprintf(words, sizeof words, "%u bytes of dynamic shared memory, at most %d (the kernel's attribute)",
             l->shared_bytes, dynamic);
    px_cu_failed_why(words);
    return CUDA_ERROR_INVALID_VALUE;
}

/* ---- the launch ---- */

static _Thread_local const char *calling; /* a function of the runtime; NULL: the driver's own */

void px_cu_calling(const char *function)
{
    calling = function;
}

CUresult px_cu_submit(struct px_cu_function *f, ptx_launch_config *l, void **params, void **extra,
                      CUstream stream)
{
    __attribute__((cleanup(px_cu_way_clean))) struct px_cu_way way = {0};
    __attribute__((cleanup(px_cu_args_clean))) struct px_cu_args args;
    args.large = NULL;
    PX_CU_TRY(px_cu_way_of(stream, f->head.context, &way));
    if (way.context != f->head.context) return CUDA_ERROR_INVALID_HANDLE;
    PX_CU_TRY(px_cu_shape(f, l));
    PX_CU_TRY(px_cu_params(f, params, extra, &args));
    l->params = args.bytes;
    l->param_bytes = f->param_bytes;
    ptx_fault fault = {.struct_size = sizeof fault};
    l->refused = &fault;
    if (calling) l->api = calling;
    const ptx_status status = ptx_kernel_submit(f->kernel, l, way.stream, NULL);
    l->refused = NULL;
    if (status == PTX_ERROR_LAUNCH)
        px_cu_failed_why(fault.message && *fault.message ? fault.message : ptx_device_message(way.vm));
    if (status == PTX_ERROR_LAUNCH)
        return fault.cuda_error ? (CUresult)fault.cuda_error : CUDA_ERROR_INVALID_VALUE;
    if (status != PTX_OK) {
        if (status == PTX_ERROR_UNSUPPORTED) px_cu_say("%s: %s", f->name, ptx_device_message(way.vm));
        return px_cu_result(way.context, status, NULL);
    }
    px_cu_log_launch(f->name);
    if (px_cu_settings()->blocking && !px_cu_way_captured(&way)) return px_cu_way_wait(&way);
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **params, void **extra)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    ptx_launch_config l = {.struct_size = sizeof l,
                           .grid = {grid_x, grid_y, grid_z},
                           .block = {block_x, block_y, block_z},
                           .api = "cuLaunchKernel",
                           .shared_bytes = shared_bytes};
    return px_cu_submit(f, &l, params, extra, stream);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z,
                                   unsigned shared_bytes, CUstream stream, void **params)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    ptx_launch_config l = {.struct_size = sizeof l,
                           .grid = {grid_x, grid_y, grid_z},
                           .block = {block_x, block_y, block_z},
                           .api = "cuLaunchCooperativeKernel",
                           .shared_bytes = shared_bytes,
                           .cooperative = 1};
    return px_cu_submit(f, &l, params, NULL, stream);
}

CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *list, unsigned count, unsigned flags)
{
    PX_CU_TRY(px_cu_ready());
    if (!list || !count || flags > 3) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++)
        PX_CU_TRY(cuLaunchCooperativeKernel(list[i].function, list[i].gridDimX, list[i].gridDimY,
                                            list[i].gridDimZ, list[i].blockDimX, list[i].blockDimY,
                                            list[i].blockDimZ, list[i].sharedMemBytes, list[i].hStream,
                                            list[i].kernelParams));
    return CUDA_SUCCESS;
}

/* ---- attributes of a launch ---- */

CUresult px_cu_launch_attribute(ptx_launch_config *l, CUlaunchAttributeID id, const CUlaunchAttributeValue *v)
{
    switch (id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: l->cooperative = v->cooperative != 0; return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        l->cluster[0] = v->clusterDim.x, l->cluster[1] = v->clusterDim.y, l->cluster[2] = v->clusterDim.z;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
        return px_cu_unsupported("CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT");
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        return px_cu_unsupported("CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT");
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
        if (!v->deviceUpdatableKernelNode.deviceUpdatable) return CUDA_SUCCESS;
        return px_cu_unsupported("CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE");
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        if (v->programmaticStreamSerializationAllowed) l->flags |= PTX_LAUNCH_PROGRAMMATIC;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        l->flags |= PTX_LAUNCH_PRIORITY;
        l->priority = v->priority;
        return CUDA_SUCCESS;
    /* Hints. */
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING: return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **extra)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    if (!config || (config->numAttrs && !config->attrs)) return CUDA_ERROR_INVALID_VALUE;
    ptx_launch_config l = {.struct_size = sizeof l,
                           .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                           .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                           .api = "cuLaunchKernelEx",
                           .shared_bytes = config->sharedMemBytes};
    for (unsigned i = 0; i < config->numAttrs; i++)
        PX_CU_TRY(px_cu_launch_attribute(&l, config->attrs[i].id, &config->attrs[i].value));
    return px_cu_submit(f, &l, params, extra, config->hStream);
}

/* ---- as it was before CUDA 4: the function keeps its shape and parameters ---- */

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    if (x <= 0 || y <= 0 || z <= 0) return CUDA_ERROR_INVALID_VALUE;
    f->block[0] = x;
    f->block[1] = y;
    f->block[2] = z;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    f->shared_bytes = bytes;
    return CUDA_SUCCESS;
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    unsigned char *grown = bytes <= 1 << 16 ? realloc(f->old_params, bytes + 1) : NULL;
    if (!grown) return bytes <= 1 << 16 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
    if (bytes > f->old_bytes) memset(grown + f->old_bytes, 0, bytes - f->old_bytes);
    f->old_params = grown;
    f->old_bytes = bytes;
    return CUDA_SUCCESS;
}

CUresult cuParamSetv(CUfunction function, int offset, void *value, unsigned bytes)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    if (!value || offset < 0 || bytes > 1 << 16) return CUDA_ERROR_INVALID_VALUE;
    if ((size_t)offset + bytes > f->old_bytes) PX_CU_TRY(cuParamSetSize(function, (unsigned)offset + bytes));
    memcpy(f->old_params + offset, value, bytes);
    return CUDA_SUCCESS;
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction function, int offset, float value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    if (width <= 0 || height <= 0 || !f->block[0]) return CUDA_ERROR_INVALID_VALUE;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, f->old_params, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &f->old_bytes, CU_LAUNCH_PARAM_END};
    ptx_launch_config l = {.struct_size = sizeof l,
                           .grid = {(unsigned)width, (unsigned)height, 1},
                           .block = {(unsigned)f->block[0], (unsigned)f->block[1], (unsigned)f->block[2]},
                           .api = "cuLaunchGridAsync",
                           .shared_bytes = f->shared_bytes};
    return px_cu_submit(f, &l, NULL, extra, stream);
}

CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
    return cuLaunchGridAsync(function, width, height, NULL);
}

CUresult cuLaunch(CUfunction function)
{
    return cuLaunchGridAsync(function, 1, 1, NULL);
}
