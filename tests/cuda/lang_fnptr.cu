// Function pointers: a table in device memory, a pointer taken on the device and read back by symbol, passed to a kernel.
#include "say.h"

typedef int (*op)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int least(int a, int b) { return a < b ? a : b; }
__device__ op table[4] = {add, sub, mul, least};
__device__ op chosen = mul;

__global__ void by_table(int *out)
{
    int t = threadIdx.x;
    out[t] = table[t % 4](t, 10);
}

__global__ void by_pointer(int *out, op f) { out[threadIdx.x] = f(threadIdx.x, 3); }

template <op F> __global__ void by_value(int *out) { out[threadIdx.x] = F(100, threadIdx.x); }

static void show(const char *what, int *device)
{
    int host[32];
    RT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("%s:", what);
    for (int x : host)
        printf(" %d", x);
    printf("\n");
}

int main()
{
    int *device;
    op f;
    RT(cudaMalloc(&device, 32 * sizeof(int)));
    by_table<<<1, 32>>>(device);
    show("table", device);
    RT(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
    by_pointer<<<1, 32>>>(device, f);
    show("pointer", device);
    by_value<sub><<<1, 32>>>(device);
    show("value", device);
    return 0;
}
