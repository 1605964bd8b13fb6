// Devices: count, choice, flags, limits, names of the driver, peers, synchronising with nothing to do, reset.
#include "say.h"

__global__ void deep(int *p, int n)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i * n;
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[(i * 7 + s) & 63];
    *p = s;
}

int main()
{
    int count, device = -1, version;
    unsigned flags;
    size_t value;
    RT(cudaGetDeviceCount(&count));
    printf("some %d\n", count > 0);
    RT(cudaGetDevice(&device));
    printf("device %d\n", device);
    cudaDeviceProp want = {};
    want.major = 9;
    RT(cudaChooseDevice(&device, &want));
    printf("chosen %d\n", device);
    RT(cudaGetDeviceFlags(&flags));
    printf("flags %u\n", flags);
    SAY(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    RT(cudaGetDeviceFlags(&flags));
    printf("flags %u\n", flags);
    SAY(cudaSetDeviceFlags(0x4000));
    RT(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    printf("stack %zu\n", value);
    RT(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    RT(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    printf("stack %zu\n", value);
    SAY(cudaDeviceGetLimit(&value, (cudaLimit)99));
    RT(cudaDriverGetVersion(&version));
    printf("driver %d\n", version / 1000);
    int can = 7;
    SAY(cudaDeviceCanAccessPeer(&can, 0, 0));
    printf("can %d\n", can);
    SAY(cudaDeviceEnablePeerAccess(0, 0));
    SAY(cudaSetValidDevices(&device, 1));
    SAY(cudaInitDevice(0, 0, 0));
    cudaFuncCache cache;
    RT(cudaDeviceGetCacheConfig(&cache));
    printf("cache %d\n", cache);
    int *p, x;
    RT(cudaMalloc(&p, 4));
    deep<<<1, 1>>>(p, 1000);
    RT(cudaMemcpy(&x, p, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", x);
    SAY(cudaDeviceReset());
    SAY(cudaFree(p));
    SAY(cudaMalloc(&p, 4));
    SAY(cudaDeviceSynchronize());
    deep<<<1, 1>>>(p, 100);
    RT(cudaMemcpy(&x, p, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", x);
    return 0;
}
