// Runtime and driver in one program: the primary context is shared, handles pass between them, entry points by name.
// nvcc: -lcuda
#include "say.h"
#include <cuda.h>

__global__ void kernel(int *p, int k) { p[threadIdx.x] = threadIdx.x * k; }
__device__ int value = 12;

int main()
{
    CUcontext context = nullptr, primary;
    CUdevice device;
    CUdeviceptr q;
    int *p, host[32], k = 3;
    RT(cudaFree(nullptr));
    printf("%d", cuCtxGetCurrent(&context));
    printf(" %d", context != nullptr);
    printf(" %d", cuCtxGetDevice(&device));
    printf(" %d", device);
    printf(" %d", cuDevicePrimaryCtxRetain(&primary, device));
    printf(" %d\n", primary == context);
    cudaFunction_t f;
    RT(cudaGetFuncBySymbol(&f, (const void *)kernel));
    printf("%d\n", cuMemAlloc(&q, 128));
    p = (int *)q;
    void *args[] = {&p, &k};
    printf("%d\n", cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr));
    RT(cudaMemcpy(host, p, 128, cudaMemcpyDeviceToHost));
    printf("%d %d\n", host[1], host[31]);
    cudaStream_t s;
    RT(cudaStreamCreate(&s));
    kernel<<<1, 32, 0, s>>>(p, 5);
    printf("%d", cuStreamSynchronize(s));
    printf(" %d", cuMemcpyDtoH(host, q, 128));
    printf(" %d\n", host[31]);
    const char *name;
    printf("%d", cuFuncGetName(&name, f));
    printf(" %s\n", name);
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    RT(cudaGetDriverEntryPointByVersion("cuMemAlloc", &entry, 12000, cudaEnableDefault, &found));
    printf("%d %d\n", entry != nullptr, found);
    RT(cudaGetDriverEntryPointByVersion("cuNothing", &entry, 12000, cudaEnableDefault, &found));
    printf("%d %d\n", entry != nullptr, found);
    void *address;
    size_t size;
    RT(cudaGetSymbolAddress(&address, value));
    CUdeviceptr base;
    printf("%d", cuMemGetAddressRange(&base, &size, q + 17));
    printf(" %d %zu\n", base == q, size);
    printf("%d\n", cuMemFree(q));
    SAY(cudaFree(p));
    return 0;
}
