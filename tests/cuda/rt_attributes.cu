// Attributes: of the device (those of its architecture), of functions, changes of them and what they allow.
#include "say.h"

__constant__ int table[100];
__global__ void __launch_bounds__(128) kernel(int *p)
{
    extern __shared__ int s[];
    __shared__ int fixed[50];
    fixed[threadIdx.x % 50] = table[threadIdx.x % 100];
    s[threadIdx.x] = fixed[3];
    __syncthreads();
    p[threadIdx.x] = s[127 - threadIdx.x] + 1;
}

int main()
{
    cudaDeviceProp prop;
    RT(cudaGetDeviceProperties(&prop, 0));
    printf("%d.%d warp %d threads %d block %d x %d x %d grid %d x %d x %d\n", prop.major, prop.minor, prop.warpSize,
           prop.maxThreadsPerBlock, prop.maxThreadsDim[0], prop.maxThreadsDim[1], prop.maxThreadsDim[2],
           prop.maxGridSize[0], prop.maxGridSize[1], prop.maxGridSize[2]);
    printf("shared %zu %zu %zu %zu registers %d %d constant %zu\n", prop.sharedMemPerBlock, prop.sharedMemPerBlockOptin,
           prop.sharedMemPerMultiprocessor, prop.reservedSharedMemPerBlock, prop.regsPerBlock, prop.regsPerMultiprocessor,
           prop.totalConstMem);
    printf("managed %d unified %d cooperative %d pools %d threads per sm %d blocks per sm %d\n", prop.managedMemory,
           prop.unifiedAddressing, prop.cooperativeLaunch, prop.memoryPoolsSupported, prop.maxThreadsPerMultiProcessor,
           prop.maxBlocksPerMultiProcessor);
    static const cudaDeviceAttr asked[] = {
        cudaDevAttrMaxThreadsPerBlock, cudaDevAttrMaxSharedMemoryPerBlock, cudaDevAttrTotalConstantMemory,
        cudaDevAttrWarpSize, cudaDevAttrMaxPitch, cudaDevAttrMaxRegistersPerBlock, cudaDevAttrTextureAlignment,
        cudaDevAttrConcurrentKernels, cudaDevAttrUnifiedAddressing, cudaDevAttrMaxThreadsPerMultiProcessor,
        cudaDevAttrStreamPrioritiesSupported, cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor,
        cudaDevAttrManagedMemory, cudaDevAttrConcurrentManagedAccess, cudaDevAttrCooperativeLaunch,
        cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrMaxBlocksPerMultiprocessor, cudaDevAttrMemoryPoolsSupported,
        cudaDevAttrMaxTexture1DWidth, cudaDevAttrMaxTexture2DWidth, cudaDevAttrClusterLaunch};
    for (cudaDeviceAttr a : asked) {
        int v = -1;
        cudaError_t e = cudaDeviceGetAttribute(&v, a, 0);
        printf("%d=%d/%d ", a, v, e);
    }
    printf("\n");
    cudaFuncAttributes f;
    RT(cudaFuncGetAttributes(&f, kernel));
    printf("shared %zu threads %d dynamic %d carveout %d ptx %d\n", f.sharedSizeBytes, f.maxThreadsPerBlock,
           f.maxDynamicSharedSizeBytes, f.preferredShmemCarveout, f.ptxVersion);
    int *p, x;
    RT(cudaMalloc(&p, 512));
    kernel<<<1, 128, 60000>>>(p);
    SAY(cudaGetLastError());
    SAY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    SAY(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    kernel<<<1, 128, 60000>>>(p);
    SAY(cudaGetLastError());
    RT(cudaMemcpy(&x, p, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", x);
    RT(cudaFuncGetAttributes(&f, kernel));
    printf("dynamic %d carveout %d\n", f.maxDynamicSharedSizeBytes, f.preferredShmemCarveout);
    SAY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000));
    kernel<<<1, 256>>>(p);
    SAY(cudaGetLastError());
    SAY(cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferShared));
    const char *name;
    RT(cudaFuncGetName(&name, (const void *)kernel));
    printf("%s\n", name);
    size_t offset, size;
    RT(cudaFuncGetParamInfo((const void *)kernel, 0, &offset, &size));
    printf("%zu %zu\n", offset, size);
    SAY(cudaDeviceGetAttribute(&x, (cudaDeviceAttr)9999, 0));
    SAY(cudaDeviceGetAttribute(&x, cudaDevAttrWarpSize, 77));
    return 0;
}
