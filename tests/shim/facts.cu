/*
 * facts.cu - what the runtime answers to calls that are right, and to many that are wrong: a line each.
 *
 * facts.txt, facts_wild.txt and facts_trap.txt are what an H100 answered (CUDA 13.0, driver 580);
 * test_programs.py compares. A call that crashes there says so. argv[1]: how the context is lost.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <cuda_profiler_api.h>
#include <csetjmp>
#include <csignal>
#include <unistd.h>
static sigjmp_buf jb;
static int crashes;
static void crash(int)
{
    if (++crashes > 20) _exit(9);
    siglongjmp(jb, 1);
}
#define SAY(x)                                                                                               \
    do {                                                                                                     \
        if (sigsetjmp(jb, 1)) {                                                                              \
            printf("%s crashes\n", #x);                                                                      \
            break;                                                                                           \
        }                                                                                                    \
        cudaError_t e_ = (x);                                                                                \
        printf("%s = %d (last %d)\n", #x, e_, cudaPeekAtLastError());                                        \
        cudaGetLastError();                                                                                  \
    } while (0)
#define KEEP(x)                                                                                              \
    do {                                                                                                     \
        cudaError_t e_ = (x);                                                                                \
        printf("%s = %d (last %d)\n", #x, e_, cudaPeekAtLastError());                                        \
    } while (0)
__global__ void nop() {}
__global__ void inc(int *p)
{
    atomicAdd(p, 1);
}
__global__ void wild()
{
    *(volatile int *)8 = 1;
}
__global__ void trapped()
{
    asm volatile("trap;");
}
__global__ void late(long long n)
{
    long long t = clock64();
    while (clock64() - t < n) {
    }
}
__global__ void big(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    if (p) *p = s[0];
}
__global__ void __launch_bounds__(64) bounded(int *p)
{
    *p = 1;
}
__device__ int var[4];
__constant__ int con[2];
__managed__ int man;
static int plain;
static void lost(const char *what)
{
    if (!strcmp(what, "wild"))
        wild<<<1, 1>>>();
    else
        trapped<<<1, 1>>>();
    KEEP(cudaGetLastError());
    KEEP(cudaDeviceSynchronize());
    KEEP(cudaGetLastError());
    KEEP(cudaGetLastError());
    KEEP(cudaPeekAtLastError());
    void *p = (void *)1;
    KEEP(cudaMalloc(&p, 16));
    KEEP(cudaFree(0));
    int d;
    KEEP(cudaGetDevice(&d));
    KEEP(cudaGetDeviceCount(&d));
    KEEP(cudaSetDevice(0));
    size_t f, t;
    KEEP(cudaMemGetInfo(&f, &t));
    cudaEvent_t ev;
    KEEP(cudaEventCreate(&ev));
    cudaStream_t s;
    KEEP(cudaStreamCreate(&s));
    nop<<<1, 1>>>();
    KEEP(cudaPeekAtLastError());
    KEEP(cudaGetLastError());
    KEEP(cudaGetLastError());
    int v;
    KEEP(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 0));
    cudaFuncAttributes fa;
    KEEP(cudaFuncGetAttributes(&fa, nop));
    std::thread([] {
        printf("another thread: %d ", cudaGetLastError());
        void *q;
        int e = cudaMalloc(&q, 8);
        printf("%d\n", e);
    }).join();
    KEEP(cudaDeviceReset());
    KEEP(cudaGetLastError());
    KEEP(cudaMalloc(&p, 16));
    KEEP(cudaGetLastError());
}
int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1) {
        lost(argv[1]);
        return 0;
    }
    signal(SIGSEGV, crash);
    int d = -1, v;
    unsigned fl;
    SAY(cudaGetDevice(&d));
    SAY(cudaGetDeviceFlags(&fl));
    printf("flags %u\n", fl);
    cudaDeviceProp p;
    SAY(cudaGetDeviceProperties(&p, 0));
    SAY(cudaGetDeviceProperties(&p, 5));
    SAY(cudaGetDeviceProperties(NULL, 0));
    SAY(cudaSetDevice(-1));
    SAY(cudaSetDevice(99));
    SAY(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0));
    SAY(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    void *q = (void *)1;
    SAY(cudaMalloc(&q, 0));
    printf("%p\n", q);
    q = (void *)1;
    SAY(cudaMallocHost(&q, 0));
    printf("%p\n", q);
    q = (void *)1;
    SAY(cudaMallocManaged(&q, 0));
    printf("%p\n", q);
    SAY(cudaMalloc(NULL, 4));
    q = (void *)1;
    SAY(cudaMalloc(&q, 1ull << 50));
    printf("%p\n", q);
    SAY(cudaMallocManaged(&q, 16, 0));
    SAY(cudaMallocManaged(&q, 16, 7));
    size_t pitch = 1;
    q = (void *)1;
    SAY(cudaMallocPitch(&q, &pitch, 0, 4));
    printf("%p %zu\n", q, pitch);
    SAY(cudaMallocPitch(&q, &pitch, 513, 4));
    printf("%zu\n", pitch);
    q = (void *)1;
    SAY(cudaMallocAsync(&q, 0, 0));
    printf("%p\n", q);
    SAY(cudaHostAlloc(&q, 16, 64));
    SAY(cudaFree((void *)12345));
    SAY(cudaFree(&v));
    SAY(cudaFree(NULL));
    SAY(cudaFreeHost(&v));
    SAY(cudaFreeHost(NULL));
    SAY(cudaHostUnregister(&v));
    SAY(cudaHostGetDevicePointer(&q, &v, 0));
    SAY(cudaHostGetFlags(&fl, &v));
    int *a, *b;
    SAY(cudaMalloc(&a, 1024));
    SAY(cudaMalloc(&b, 1024));
    SAY(cudaFree(a + 1));
    int h[4] = {1, 2, 3, 4};
    SAY(cudaMemcpy(a, h, 16, (cudaMemcpyKind)9));
    SAY(cudaMemcpy(a, h, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(NULL, h, 16, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(a, NULL, 16, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(a, h, 16, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(h, a, 16, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(a, b, 16, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(a, h, 16, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy(h, h + 1, 4, cudaMemcpyHostToHost));
    SAY(cudaMemcpy(h, h + 1, 4, cudaMemcpyDefault));
    SAY(cudaMemcpy(a, h, 2048, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(a, b, 4, cudaMemcpyHostToHost));
    SAY(cudaMemset(a, 0, 2048));
    SAY(cudaMemset(NULL, 0, 4));
    SAY(cudaMemset(a, 0, 0));
    SAY(cudaMemset(h, 0, 4));
    SAY(cudaMemcpy2D(a, 8, h, 16, 16, 1, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(a, 16, h, 16, 16, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemset2D(a, 8, 0, 16, 2));
    SAY(cudaMemcpyToSymbol(plain, h, 4));
    SAY(cudaMemcpyToSymbol(var, h, 20));
    SAY(cudaMemcpyToSymbol(var, h, 4, 16));
    SAY(cudaMemcpyToSymbol(var, h, 4, 0, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpyFromSymbol(h, con, 8));
    SAY(cudaMemcpyFromSymbol(h, con, 8, 0, cudaMemcpyHostToDevice));
    size_t sz;
    SAY(cudaGetSymbolSize(&sz, plain));
    SAY(cudaGetSymbolSize(&sz, man));
    printf("%zu\n", sz);
    SAY(cudaGetSymbolAddress(&q, man));
    printf("%d\n", q == (void *)&man);
    nop<<<1, 2048>>>();
    SAY(cudaPeekAtLastError());
    nop<<<0, 1>>>();
    SAY(cudaPeekAtLastError());
    nop<<<1, 0>>>();
    SAY(cudaPeekAtLastError());
    nop<<<dim3(1, 70000), 1>>>();
    SAY(cudaPeekAtLastError());
    nop<<<1, dim3(1, 1, 65)>>>();
    SAY(cudaPeekAtLastError());
    big<<<1, 1, 300000>>>(NULL);
    SAY(cudaPeekAtLastError());
    big<<<1, 1, 60000>>>(NULL);
    SAY(cudaPeekAtLastError());
    bounded<<<1, 128>>>(a);
    SAY(cudaPeekAtLastError());
    nop<<<0x80000000u, 1>>>();
    SAY(cudaPeekAtLastError());
    SAY(cudaLaunchKernel((void *)main, dim3(1), dim3(1), NULL, 0, 0));
    SAY(cudaLaunchKernel((void *)NULL, dim3(1), dim3(1), NULL, 0, 0));
    cudaFuncAttributes fa;
    SAY(cudaFuncGetAttributes(&fa, main));
    SAY(cudaFuncGetAttributes(&fa, bounded));
    printf("%d %zu %zu %d %d\n", fa.maxThreadsPerBlock, fa.sharedSizeBytes, fa.constSizeBytes,
           fa.maxDynamicSharedSizeBytes, fa.preferredShmemCarveout);
    SAY(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000));
    SAY(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    SAY(cudaFuncSetAttribute(big, (cudaFuncAttribute)77, 1));
    void *args[] = {&a};
    SAY(cudaLaunchCooperativeKernel((void *)inc, dim3(100000), dim3(1024), args, 0, 0));
    dim3 g0, b0;
    size_t s0;
    cudaStream_t t0;
    int nb;
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, nop, 1024, 0));
    printf("%d\n", nb);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, nop, 0, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, nop, 2000, 0));
    printf("%d\n", nb);
    cudaStream_t s;
    cudaEvent_t e, f;
    SAY(cudaStreamCreateWithFlags(&s, 8));
    SAY(cudaStreamCreate(&s));
    SAY(cudaStreamDestroy(0));
    SAY(cudaStreamSynchronize((cudaStream_t)0x7777770));
    SAY(cudaEventCreateWithFlags(&e, 64));
    SAY(cudaEventCreate(&e));
    SAY(cudaEventCreateWithFlags(&f, 2));
    SAY(cudaEventQuery(e));
    SAY(cudaEventSynchronize(e));
    float ms;
    SAY(cudaEventElapsedTime(&ms, e, f));
    SAY(cudaEventRecord(e, s));
    SAY(cudaEventRecord(f, s));
    SAY(cudaEventSynchronize(e));
    SAY(cudaEventElapsedTime(&ms, e, f));
    SAY(cudaEventElapsedTime(&ms, e, e));
    SAY(cudaEventRecord(NULL, s));
    SAY(cudaEventDestroy(NULL));
    int lo, hi;
    SAY(cudaDeviceGetStreamPriorityRange(&lo, &hi));
    printf("%d %d\n", lo, hi);
    SAY(cudaStreamCreateWithPriority(&s, 1, -99));
    SAY(cudaStreamGetPriority(s, &lo));
    SAY(cudaStreamGetFlags(s, &fl));
    printf("%d %u\n", lo, fl);
    SAY(cudaStreamGetPriority(0, &lo));
    printf("%d\n", lo);
    SAY(cudaStreamQuery(0));
    cudaGraph_t g;
    cudaGraphExec_t x;
    SAY(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    inc<<<1, 1, 0, s>>>(a);
    cudaStreamCaptureStatus st;
    SAY(cudaStreamIsCapturing(s, &st));
    printf("%d\n", st);
    SAY(cudaMemcpy(h, a, 4, cudaMemcpyDeviceToHost));
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    inc<<<1, 1, 0, s>>>(a);
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    size_t n = 0;
    SAY(cudaGraphGetNodes(g, NULL, &n));
    printf("%zu\n", n);
    for (int i = 0; i < 8; i++) {
        size_t val = 0;
        cudaError_t er = cudaDeviceGetLimit(&val, (cudaLimit)i);
        printf("limit %d: %d %zu\n", i, er, val);
        cudaGetLastError();
    }
    cudaPointerAttributes pa;
    const void *pp[] = {a, a + 3, h, NULL, (void *)16, &man};
    void *hp;
    cudaMallocHost(&hp, 64);
    for (const void *w : pp) {
        memset(&pa, 1, sizeof pa);
        int er = cudaPointerGetAttributes(&pa, w);
        printf("pointer: %d type %d device %d dev %d host %d\n", er, pa.type, pa.device,
               pa.devicePointer == w ? 1
               : pa.devicePointer    ? 2
                                     : 0,
               pa.hostPointer == w ? 1
               : pa.hostPointer    ? 2
                                   : 0);
        cudaGetLastError();
    }
    cudaPointerGetAttributes(&pa, (char *)hp + 4);
    printf("pinned: %d %d %d %d\n", pa.type, pa.device, pa.devicePointer == (char *)hp + 4,
           pa.hostPointer == (char *)hp + 4);
    int can = -1;
    SAY(cudaDeviceCanAccessPeer(&can, 0, 0));
    printf("%d\n", can);
    SAY(cudaDeviceCanAccessPeer(&can, 0, 99));
    SAY(cudaDeviceEnablePeerAccess(0, 0));
    SAY(cudaSetValidDevices(NULL, 0));
    SAY(cudaSetDeviceFlags(1 << 20));
    SAY(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    SAY(cudaGetDeviceFlags(&fl));
    printf("%u\n", fl);
    cudaFuncCache fc;
    SAY(cudaDeviceGetCacheConfig(&fc));
    printf("%d\n", fc);
    cudaSharedMemConfig sc;
    SAY(cudaDeviceGetSharedMemConfig(&sc));
    printf("%d\n", sc);
    SAY(cudaFuncSetCacheConfig(nop, cudaFuncCachePreferL1));
    SAY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));
    late<<<1, 1, 0, s>>>(200000000);
    SAY(cudaStreamQuery(s));
    SAY(cudaEventRecord(e, s));
    KEEP(cudaEventQuery(e));
    KEEP(cudaGetLastError());
    SAY(cudaEventElapsedTime(&ms, e, e));
    SAY(cudaDeviceSynchronize());
    void *fn = (void *)1;
    cudaDriverEntryPointQueryResult qr;
    SAY(cudaGetDriverEntryPointByVersion("cuNone", &fn, 13000, 0, &qr));
    printf("%p %d\n", fn, qr);
    SAY(cudaGetDriverEntryPointByVersion("cuInit", &fn, 13000, 0, &qr));
    printf("%d %d\n", fn != NULL, qr);
    SAY(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &fn, 2000, 0, &qr));
    printf("%d %d\n", fn != NULL, qr);
    printf("%s|%s|%s|%s\n", cudaGetErrorName((cudaError_t)12345), cudaGetErrorString((cudaError_t)12345),
           cudaGetErrorName((cudaError_t)700), cudaGetErrorString((cudaError_t)700));
    const char *nm;
    SAY(cudaFuncGetName(&nm, (void *)inc));
    printf("%s\n", nm);
    size_t of, si;
    SAY(cudaFuncGetParamInfo((void *)inc, 0, &of, &si));
    printf("%zu %zu\n", of, si);
    SAY(cudaFuncGetParamInfo((void *)inc, 1, &of, &si));
    SAY(cudaProfilerStart());
    SAY(cudaProfilerStop());
    SAY(cudaDeviceReset());
    SAY(cudaFree(b));
    SAY(cudaEventRecord(e, 0));
    SAY(cudaStreamDestroy(s));
    return 0;
}
