// What releases 11 and 12 of the runtime lay out or call otherwise than 13: cudaDeviceProp, graphs and captures
// without edge data, devices by number in hints, cudaThread*, the errors of launches. Every line is exact
// arithmetic, or what the release's header and documentation say; nothing of it needs a recording.
#include "../say.h"

__global__ void triple(int *p, int k) { p[threadIdx.x] = p[threadIdx.x] * 3 + k; }
__global__ void __launch_bounds__(256) bounded(int *p)
{
    __shared__ int tile[100];
    tile[threadIdx.x % 100] = *p;
    __syncthreads();
    p[1] = tile[0];
}
__device__ int table[4] = {1, 2, 3, 4};
__constant__ int factor = 6;
__managed__ int managed = 40;

static int wrong;

// A field of cudaDeviceProp against the attribute of the same meaning.
static void field(const char *name, long long value, cudaDeviceAttr attribute)
{
    int other = -1;
    RT(cudaDeviceGetAttribute(&other, attribute, 0));
    if (value == other) return;
    wrong++;
    printf("%s is %lld, the attribute %d\n", name, value, other);
}

#define FIELD(name, attribute) field(#name, prop.name, cudaDevAttr##attribute)

static void properties()
{
    cudaDeviceProp prop;
    char fence[64];
    memset(&prop, 0x5a, sizeof prop);
    memset(fence, 0x5a, sizeof fence);
    RT(cudaGetDeviceProperties(&prop, 0));
    printf("%zu bytes, fence %d\n", sizeof prop, memchr(fence, 0, sizeof fence) != NULL);
    int device = -1;
    RT(cudaChooseDevice(&device, &prop));
    printf("device %d, a name %d, memory %d\n", device, prop.name[0] != 0, prop.totalGlobalMem > 0);
    FIELD(sharedMemPerBlock, MaxSharedMemoryPerBlock); FIELD(regsPerBlock, MaxRegistersPerBlock);
    FIELD(warpSize, WarpSize); FIELD(memPitch, MaxPitch); FIELD(maxThreadsPerBlock, MaxThreadsPerBlock);
    FIELD(maxThreadsDim[2], MaxBlockDimZ); FIELD(maxGridSize[0], MaxGridDimX); FIELD(clockRate, ClockRate);
    FIELD(totalConstMem, TotalConstantMemory); FIELD(major, ComputeCapabilityMajor);
    FIELD(textureAlignment, TextureAlignment); FIELD(deviceOverlap, GpuOverlap);
    FIELD(multiProcessorCount, MultiProcessorCount); FIELD(kernelExecTimeoutEnabled, KernelExecTimeout);
    FIELD(canMapHostMemory, CanMapHostMemory); FIELD(computeMode, ComputeMode);
    FIELD(maxTexture1D, MaxTexture1DWidth); FIELD(maxTexture2DLinear[2], MaxTexture2DLinearPitch);
    FIELD(maxTexture3DAlt[0], MaxTexture3DWidthAlt);
    FIELD(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers); FIELD(surfaceAlignment, SurfaceAlignment);
    FIELD(asyncEngineCount, AsyncEngineCount); FIELD(memoryClockRate, MemoryClockRate);
    FIELD(memoryBusWidth, GlobalMemoryBusWidth); FIELD(l2CacheSize, L2CacheSize);
    FIELD(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
    FIELD(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor); FIELD(managedMemory, ManagedMemory);
    FIELD(singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio);
    FIELD(cooperativeMultiDeviceLaunch, CooperativeMultiDeviceLaunch);
    FIELD(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
    FIELD(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor);
    FIELD(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize);
    FIELD(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock);
#if CUDART_VERSION >= 12000
    FIELD(memoryPoolsSupported, MemoryPoolsSupported); FIELD(clusterLaunch, ClusterLaunch);
    FIELD(hostRegisterSupported, HostRegisterSupported);
#endif
    printf("fields that differ: %d\n", wrong);
}

static void kernels(int *p)
{
    int host[32];
    cudaFuncAttributes f;
    RT(cudaMemset(p, 0, 128));
    triple<<<1, 32>>>(p, 5);
    RT(cudaGetLastError());
    void *args[] = {&p, host};
    host[0] = 7;
    RT(cudaLaunchKernel((const void *)triple, dim3(1), dim3(32), args, 0, 0));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    RT(cudaLaunchKernelEx(&config, triple, p, 1));
    RT(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    printf("(5 * 3 + 7) * 3 + 1 = %d %d\n", host[0], host[31]);
    RT(cudaFuncGetAttributes(&f, bounded));
    printf("bounded: shared %zu, threads %d\n", f.sharedSizeBytes, f.maxThreadsPerBlock);
    triple<<<1, 2048>>>(p, 1);
    SAY(cudaGetLastError());
    triple<<<0, 1>>>(p, 1);
    SAY(cudaGetLastError());
    triple<<<1, 1, 1 << 20>>>(p, 1);
    printf("too much shared memory: %d\n", cudaGetLastError() != cudaSuccess);
    SAY(cudaLaunchKernel((const void *)host, dim3(1), dim3(1), args, 0, 0));
    cudaGetLastError();
}

static void symbols()
{
    int list[4], six = 0;
    RT(cudaMemcpyFromSymbol(list, table, sizeof list));
    RT(cudaMemcpyFromSymbol(&six, factor, sizeof six));
    size_t size;
    RT(cudaGetSymbolSize(&size, table));
    printf("table %d..%d of %zu bytes, factor %d, managed %d\n", list[0], list[3], size, six, managed);
}

static void hints()
{
    int *p;
    RT(cudaMallocManaged(&p, 4096));
    p[0] = 2;
    RT(cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, 0));
    RT(cudaMemAdvise(p, 4096, cudaMemAdviseSetReadMostly, cudaCpuDeviceId));
    RT(cudaMemPrefetchAsync(p, 4096, 0, 0));
    RT(cudaMemPrefetchAsync(p, 4096, cudaCpuDeviceId, 0));
    triple<<<1, 1>>>(p, managed);
    RT(cudaThreadSynchronize());
    cudaPointerAttributes at;
    RT(cudaPointerGetAttributes(&at, p));
    printf("2 * 3 + 40 = %d, type %d of device %d\n", p[0], at.type, at.device);
    RT(cudaFree(p));
}

static void graphs(int *p)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t nodes[3], from[3], to[3];
    size_t edges = 3, n = 3;
    int host[32] = {0}, one = 1, two = 2;
    RT(cudaGraphCreate(&g, 0));
    cudaMemsetParams m = {p, 0, 10, 4, 32, 1}; // to, pitch, value, bytes of an element, width, height
    RT(cudaGraphAddMemsetNode(&nodes[0], g, NULL, 0, &m));
    void *args[] = {&p, &one}, *others[] = {&p, &two};
    cudaKernelNodeParams k = {};
    k.func = (void *)triple;
    k.gridDim = dim3(1);
    k.blockDim = dim3(32);
    k.kernelParams = args;
    RT(cudaGraphAddKernelNode(&nodes[1], g, NULL, 0, &k));
    RT(cudaGraphAddMemcpyNode1D(&nodes[2], g, NULL, 0, host, p, sizeof host, cudaMemcpyDeviceToHost));
    RT(cudaGraphAddDependencies(g, nodes, nodes + 1, 2));
    RT(cudaGraphGetEdges(g, from, to, &edges));
    RT(cudaGraphNodeGetDependencies(nodes[2], from, &n));
    printf("edges %zu, before the last %zu, the kernel %d\n", edges, n, from[0] == nodes[1]);
#if CUDART_VERSION < 12000
    char log[64] = "";
    RT(cudaGraphInstantiate(&x, g, from, log, sizeof log));
#else
    RT(cudaGraphInstantiate(&x, g, 0));
#endif
    RT(cudaGraphLaunch(x, 0));
    RT(cudaDeviceSynchronize());
    printf("10 * 3 + 1 = %d\n", host[31]);
    k.kernelParams = others;
    RT(cudaGraphKernelNodeSetParams(nodes[1], &k));
    cudaKernelNodeParams seen;
    RT(cudaGraphKernelNodeGetParams(nodes[1], &seen));
#if CUDART_VERSION < 12000
    cudaGraphExecUpdateResult result;
    RT(cudaGraphExecUpdate(x, g, from, &result));
#else
    cudaGraphExecUpdateResultInfo info;
    RT(cudaGraphExecUpdate(x, g, &info));
    cudaGraphExecUpdateResult result = info.result;
#endif
    RT(cudaGraphLaunch(x, 0));
    RT(cudaDeviceSynchronize());
    printf("result %d, the function %d, 10 * 3 + 2 = %d\n", result, seen.func == (void *)triple, host[31]);
    RT(cudaGraphExecDestroy(x));
    RT(cudaGraphDestroy(g));
}

static void capture(int *p)
{
    cudaStream_t s;
    cudaGraph_t made;
    cudaGraphExec_t x;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0, again = 0;
    int host[32];
    RT(cudaStreamCreate(&s));
    RT(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    RT(cudaMemsetAsync(p, 0, 128, s));
    RT(cudaStreamGetCaptureInfo(s, &status, &id));
#if CUDART_VERSION < 12000
    RT(cudaStreamGetCaptureInfo_v2(s, &status, &again));
#else
    RT(cudaStreamGetCaptureInfo_v3(s, &status, &again));
#endif
    printf("status %d, one id %d\n", status, id == again && id != 0);
    triple<<<1, 32, 0, s>>>(p, 4);
    RT(cudaStreamEndCapture(s, &made));
    RT(cudaGraphInstantiateWithFlags(&x, made, 0));
    RT(cudaGraphLaunch(x, s));
    RT(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, s));
    RT(cudaStreamSynchronize(s));
    printf("0 * 3 + 4 = %d\n", host[5]);
    RT(cudaGraphExecDestroy(x));
    RT(cudaGraphDestroy(made));
    RT(cudaStreamDestroy(s));
}

static void old_names()
{
    size_t bytes = 0;
    void *entry = NULL;
    RT(cudaThreadSetLimit(cudaLimitStackSize, 2048));
    RT(cudaThreadGetLimit(&bytes, cudaLimitStackSize));
    printf("stack %zu\n", bytes);
#if CUDART_VERSION < 12000
    RT(cudaGetDriverEntryPoint("cuInit", &entry, cudaEnableDefault));
#else
    cudaDriverEntryPointQueryResult found;
    RT(cudaGetDriverEntryPoint("cuInit", &entry, cudaEnableDefault, &found));
    printf("found %d\n", found);
    cudaKernel_t kernel;
    RT(cudaGetKernel(&kernel, (const void *)triple));
#endif
    printf("cuInit %d\n", ((int (*)(unsigned))entry)(0));
    RT(cudaThreadExit());
    int *p, host = 0;
    RT(cudaMalloc(&p, 128));
    RT(cudaMemset(p, 0, 128));
    triple<<<1, 1>>>(p, 8);
    RT(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
    printf("after cudaThreadExit: %d\n", host);
}

int main()
{
    int *p;
    RT(cudaMalloc(&p, 128));
    properties();
    kernels(p);
    symbols();
    hints();
    graphs(p);
    capture(p);
    RT(cudaFree(p));
    old_names();
    return 0;
}
