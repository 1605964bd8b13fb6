/* features.cu - the runtime by its features, a line each; features.txt is what an H100 printed. */
#include <cstdio>
#include <cstring>
#include <vector>
#define CK(x)                                                                                                \
    do {                                                                                                     \
        cudaError_t e_ = (x);                                                                                \
        if (e_) printf("line %d: %s: %s\n", __LINE__, #x, cudaGetErrorName(e_));                             \
    } while (0)
template <class T> __global__ void fill(T *p, T v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = v;
}
__global__ void inc(int *p)
{
    atomicAdd(p, 1);
}
__global__ void dyn(int *out)
{
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (!threadIdx.x) {
        int t = 0;
        for (int i = 0; i < blockDim.x; i++) t += s[i];
        *out = t;
    }
}
__device__ int table[4] = {1, 2, 3, 4};
__managed__ int counters[3];
void hostfn(void *u)
{
    ++*(int *)u;
}
void cb(cudaStream_t, cudaError_t s, void *u)
{
    *(int *)u += 10 + s;
}
int main()
{
    int *d, *e;
    CK(cudaMalloc(&d, 4096));
    CK(cudaMalloc(&e, 4096));
    CK(cudaMemset(d, 0, 4096));
    cudaStream_t s, t;
    CK(cudaStreamCreate(&s));
    CK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    cudaEvent_t a, b;
    CK(cudaEventCreate(&a));
    CK(cudaEventCreateWithFlags(&b, cudaEventDisableTiming));
    CK(cudaEventRecord(a, s));
    inc<<<4, 64, 0, s>>>(d);
    CK(cudaEventRecord(b, s));
    CK(cudaStreamWaitEvent(t, b, 0));
    inc<<<1, 1, 0, t>>>(d);
    int hosts = 0;
    CK(cudaLaunchHostFunc(t, hostfn, &hosts));
    CK(cudaStreamAddCallback(t, cb, &hosts, 0));
    CK(cudaStreamSynchronize(t));
    int h = 0;
    CK(cudaMemcpyAsync(&h, d, 4, cudaMemcpyDeviceToHost, s));
    CK(cudaStreamSynchronize(s));
    printf("streams %d %d\n", h, hosts);
    cudaEvent_t z;
    CK(cudaEventCreate(&z));
    CK(cudaEventRecord(z, s));
    CK(cudaEventSynchronize(z));
    float ms = -1;
    CK(cudaEventElapsedTime(&ms, a, z));
    printf("elapsed %d\n", ms >= 0);
    fill<double><<<1, 32>>>((double *)d, 2.5, 8);
    double dd[8];
    CK(cudaMemcpy(dd, d, 64, cudaMemcpyDefault));
    printf("template %g\n", dd[7]);
    CK(cudaMemset(d, 0, 4096));
    CK(cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    dyn<<<1, 1024, 90000>>>(e);
    CK(cudaGetLastError());
    CK(cudaMemcpy(&h, e, 4, cudaMemcpyDeviceToHost));
    printf("dyn %d\n", h);
    cudaLaunchConfig_t c = {};
    c.gridDim = 2;
    c.blockDim = 32;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    at[0].val.programmaticStreamSerializationAllowed = 1;
    c.attrs = at;
    c.numAttrs = 1;
    CK(cudaMemset(d, 0, 4));
    CK(cudaLaunchKernelEx(&c, inc, d));
    CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    printf("ex %d\n", h);
    int tb[4], *ta;
    CK(cudaMemcpyFromSymbol(tb, table, 16));
    size_t sz;
    CK(cudaGetSymbolSize(&sz, table));
    CK(cudaGetSymbolAddress((void **)&ta, table));
    inc<<<1, 5>>>(ta + 2);
    CK(cudaMemcpyFromSymbol(tb, table, 8, 8));
    printf("symbol %d %d %zu\n", tb[0], tb[1], sz);
    inc<<<1, 7>>>(counters + 1);
    CK(cudaDeviceSynchronize());
    counters[1]++;
    printf("managed %d\n", counters[1]);
    int *m;
    CK(cudaMallocManaged(&m, 400));
    m[3] = 1;
    inc<<<1, 2>>>(m + 3);
    CK(cudaDeviceSynchronize());
    printf("managed %d\n", m[3]);
    CK(cudaMemPrefetchAsync(m, 400, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, 0));
    CK(cudaFree(m));
    char *pp;
    size_t pitch;
    CK(cudaMallocPitch(&pp, &pitch, 100, 10));
    CK(cudaMemset2D(pp, pitch, 7, 100, 10));
    char rows[10][100];
    CK(cudaMemcpy2D(rows, 100, pp, pitch, 100, 10, cudaMemcpyDeviceToHost));
    printf("pitch %zu %d\n", pitch, rows[9][99]);
    cudaPitchedPtr q;
    CK(cudaMalloc3D(&q, make_cudaExtent(40, 5, 3)));
    CK(cudaMemset3D(q, 9, make_cudaExtent(40, 5, 3)));
    char vol[3][5][40] = {};
    cudaMemcpy3DParms p3 = {};
    p3.srcPtr = q;
    p3.dstPtr = make_cudaPitchedPtr(vol, 40, 40, 5);
    p3.extent = make_cudaExtent(40, 5, 3);
    p3.kind = cudaMemcpyDeviceToHost;
    CK(cudaMemcpy3D(&p3));
    printf("3d %d\n", vol[2][4][39]);
    int *hp, *dp;
    CK(cudaHostAlloc(&hp, 64, cudaHostAllocMapped));
    *hp = 5;
    CK(cudaHostGetDevicePointer(&dp, hp, 0));
    inc<<<1, 1>>>(dp);
    CK(cudaDeviceSynchronize());
    printf("mapped %d\n", *hp);
    std::vector<int> hr(4096);
    CK(cudaHostRegister(hr.data(), 4096 * 4, cudaHostRegisterDefault));
    CK(cudaHostGetDevicePointer(&dp, hr.data(), 0));
    inc<<<1, 3>>>(dp);
    CK(cudaDeviceSynchronize());
    printf("registered %d\n", hr[0]);
    CK(cudaHostUnregister(hr.data()));
    cudaPointerAttributes pa;
    CK(cudaPointerGetAttributes(&pa, d));
    printf("pointer %d %d %d\n", pa.type, pa.device, pa.devicePointer == d);
    CK(cudaPointerGetAttributes(&pa, hp));
    printf("pointer %d\n", pa.type);
    CK(cudaPointerGetAttributes(&pa, &h));
    printf("pointer %d %d %d\n", pa.type, pa.device, pa.hostPointer == &h);
    int *as;
    CK(cudaMallocAsync(&as, 256, s));
    CK(cudaMemsetAsync(as, 0, 256, s));
    inc<<<3, 3, 0, s>>>(as);
    CK(cudaMemcpyAsync(&h, as, 4, cudaMemcpyDeviceToHost, s));
    CK(cudaFreeAsync(as, s));
    CK(cudaStreamSynchronize(s));
    printf("async %d\n", h);
    int nb;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, inc, 256, 0));
    int gs, bs;
    CK(cudaOccupancyMaxPotentialBlockSize(&gs, &bs, inc));
    cudaFuncAttributes fa;
    CK(cudaFuncGetAttributes(&fa, dyn));
    printf("occupancy %d %d %d; %d %d\n", nb, gs, bs, fa.maxThreadsPerBlock, fa.maxDynamicSharedSizeBytes);
    inc<<<1, 2048>>>(d);
    printf("bad %s\n", cudaGetErrorName(cudaGetLastError()));
    inc<<<0, 1>>>(d);
    printf("bad %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    printf("bad %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("after %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("free %s, set %s\n", cudaGetErrorName(cudaFree((void *)12345)),
           cudaGetErrorName(cudaSetDevice(7)));
    cudaGetLastError();
    int v;
    CK(cudaDriverGetVersion(&v));
    printf("%d ", v);
    CK(cudaRuntimeGetVersion(&v));
    printf("%d\n", v);
    CK(cudaDeviceReset());
    return 0;
}
