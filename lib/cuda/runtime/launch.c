/*
 * launch.c - launches in all their forms, attributes of kernels, occupancy.
 *
 * `kernel<<<grid, block>>>(...)` pushes its configuration, and the stub that is called then pops it: a stack
 * a thread, for the arguments may launch, too.
 */
#include "cuda/runtime/launch.h"

enum { CONFIGURATIONS = 64 };

static _Thread_local struct {
    dim3 grid, block;
    size_t shared;
    CUstream stream;
} configurations[CONFIGURATIONS];
static _Thread_local unsigned depth;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream stream)
{
    if (depth == CONFIGURATIONS) return 1;
    configurations[depth].grid = grid;
    configurations[depth].block = block;
    configurations[depth].shared = shared;
    configurations[depth++].stream = stream;
    return 0;
}

cudaError_t px_rt_config_pop(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (!depth) return cudaErrorMissingConfiguration;
    depth--;
    *grid = configurations[depth].grid;
    *block = configurations[depth].block;
    *shared = configurations[depth].shared;
    *(CUstream *)stream = configurations[depth].stream;
    return cudaSuccess;
}

/* A launch that is not possible: release 13 calls all of these an invalid value, as measured on an H100;
 * before it a shape was an invalid configuration. */
static cudaError_t shape_error(CUresult result, dim3 grid, dim3 block)
{
    int most[7] = {0}, device = 0;
    if (RT_RELEASE >= 13 && result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) return cudaErrorInvalidValue;
    if (RT_RELEASE >= 13 || result != CUDA_ERROR_INVALID_VALUE || cuCtxGetDevice(&device) != 0)
        return (cudaError_t)result;
    for (int i = 0; i < 7; i++) cuDeviceGetAttribute(&most[i], i + 1, device); /* threads, block, grid */
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    const unsigned sizes[] = {block.x, block.y, block.z, grid.x, grid.y, grid.z};
    bool fits = threads > 0 && threads <= (uint64_t)most[0];
    for (int i = 0; i < 6; i++) fits = fits && sizes[i] > 0 && sizes[i] <= (unsigned)most[i + 1];
    return fits ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
}

cudaError_t px_rt_launch(CUfunction function, dim3 grid, dim3 block, void **args, size_t shared,
                         CUstream stream)
{
    if (shared > UINT32_MAX) return cudaErrorInvalidValue;
    px_rt_calling("cudaLaunchKernel");
    const CUresult result = cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                           (unsigned)shared, stream, args, NULL);
    px_rt_calling(NULL);
    return shape_error(result, grid, block);
}

cudaError_t px_rt_launch_by_name(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                 CUstream stream)
{
    CUkernel kernel;
    RT_TRY(px_rt_kernel(function, &kernel));
    return px_rt_launch((CUfunction)kernel, grid, block, args, shared, stream);
}

cudaError_t px_rt_launch_cooperative(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                     CUstream stream)
{
    CUkernel kernel;
    if (shared > UINT32_MAX) return cudaErrorInvalidValue;
    RT_TRY(px_rt_kernel(function, &kernel));
    px_rt_calling("cudaLaunchCooperativeKernel");
    const CUresult result = cuLaunchCooperativeKernel((CUfunction)kernel, grid.x, grid.y, grid.z, block.x,
                                                      block.y, block.z, (unsigned)shared, stream, args);
    px_rt_calling(NULL);
    return shape_error(result, grid, block);
}

static CUlaunchConfig driver_config(const struct cudaLaunchConfig *config, CUstream own)
{
    return (CUlaunchConfig){config->gridDim.x,
                            config->gridDim.y,
                            config->gridDim.z,
                            config->blockDim.x,
                            config->blockDim.y,
                            config->blockDim.z,
                            (unsigned)config->dynamicSmemBytes,
                            config->stream ? config->stream : own,
                            config->attrs,
                            config->numAttrs};
}

cudaError_t px_rt_launch_config(const struct cudaLaunchConfig *config, const void *function, void **args,
                                CUstream own)
{
    CUkernel kernel;
    if (!config || config->dynamicSmemBytes > UINT32_MAX) return cudaErrorInvalidValue;
    RT_TRY(px_rt_kernel(function, &kernel));
    const CUlaunchConfig driver = driver_config(config, own);
    px_rt_calling("cudaLaunchKernelExC");
    const CUresult result = cuLaunchKernelEx(&driver, (CUfunction)kernel, args, NULL);
    px_rt_calling(NULL);
    return shape_error(result, config->gridDim, config->blockDim);
}

/* ---- attributes ---- */

/* An attribute of a function that is not told is 0. */
static int attribute(CUfunction function, int number)
{
    int value = 0;
    cuFuncGetAttribute(&value, number, function);
    return value;
}

cudaError_t px_rt_function_attributes(struct cudaFuncAttributes *attributes, const void *function)
{
    CUfunction f;
    int threads;
    if (!attributes) return cudaErrorInvalidValue;
    RT_TRY(px_rt_function(function, &f));
    RT_TRY(cuFuncGetAttribute(&threads, 0, f));
    *attributes = (struct cudaFuncAttributes)
    {
        .sharedSizeBytes = (size_t)attribute(f, 1), .constSizeBytes = (size_t)attribute(f, 2),
        .localSizeBytes = (size_t)attribute(f, 3), .maxThreadsPerBlock = threads, .numRegs = attribute(f, 4),
        .ptxVersion = attribute(f, 5), .binaryVersion = attribute(f, 6), .cacheModeCA = attribute(f, 7),
        .maxDynamicSharedSizeBytes = attribute(f, 8), .preferredShmemCarveout = attribute(f, 9),
#if RT_RELEASE >= 12
        .clusterDimMustBeSet = attribute(f, 10), .requiredClusterWidth = attribute(f, 11),
        .requiredClusterHeight = attribute(f, 12), .requiredClusterDepth = attribute(f, 13),
        .clusterSchedulingPolicyPreference = attribute(f, 15),
        .nonPortableClusterSizeAllowed = attribute(f, 14),
#endif
    };
    return cudaSuccess;
}

cudaError_t px_rt_function_set(const void *function, int number, int value)
{
    CUfunction f;
    RT_TRY(px_rt_function(function, &f));
    return (cudaError_t)cuFuncSetAttribute(f, number, value);
}

cudaError_t px_rt_function_cache(const void *function, int config)
{
    CUkernel kernel;
    int device;
    RT_TRY(px_rt_kernel(function, &kernel));
    RT_TRY(cuCtxGetDevice(&device));
    return (cudaError_t)cuKernelSetCacheConfig(kernel, config, device);
}

cudaError_t px_rt_function_banks(const void *function, int config)
{
    CUfunction f;
    RT_TRY(px_rt_function(function, &f));
    return (cudaError_t)cuFuncSetSharedMemConfig(f, config);
}

cudaError_t px_rt_function_name(const char **name, const void *function)
{
    CUkernel kernel;
    if (!name) return cudaErrorInvalidValue;
    RT_TRY(px_rt_kernel(function, &kernel));
    return (cudaError_t)cuKernelGetName(name, kernel);
}

cudaError_t px_rt_function_param(const void *function, size_t index, size_t *offset, size_t *size)
{
    CUkernel kernel;
    RT_TRY(px_rt_kernel(function, &kernel));
    return (cudaError_t)cuKernelGetParamInfo(kernel, index, offset, size);
}

/* ---- occupancy ---- */

cudaError_t px_rt_occupancy(int *blocks, const void *function, int threads, size_t shared, unsigned flags)
{
    CUfunction f;
    RT_TRY(px_rt_function(function, &f));
    return (cudaError_t)cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared,
                                                                             flags);
}

cudaError_t px_rt_occupancy_shared(size_t *bytes, const void *function, int blocks, int threads)
{
    CUfunction f;
    RT_TRY(px_rt_function(function, &f));
    return (cudaError_t)cuOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, threads);
}

static cudaError_t ask_of_clusters(CUresult (*ask)(int *n, CUfunction f, const CUlaunchConfig *config),
                                   int *n, const void *function, const struct cudaLaunchConfig *config)
{
    CUfunction f;
    if (!config) return cudaErrorInvalidValue;
    RT_TRY(px_rt_function(function, &f));
    const CUlaunchConfig driver = driver_config(config, NULL);
    return (cudaError_t)ask(n, f, &driver);
}

cudaError_t px_rt_occupancy_clusters(int *clusters, const void *function,
                                     const struct cudaLaunchConfig *config)
{
    return ask_of_clusters(cuOccupancyMaxActiveClusters, clusters, function, config);
}

cudaError_t px_rt_occupancy_cluster_size(int *size, const void *function,
                                         const struct cudaLaunchConfig *config)
{
    return ask_of_clusters(cuOccupancyMaxPotentialClusterSize, size, function, config);
}
