// Lambdas: in kernels, by value and by reference, generic, and extended ones that the host hands to a kernel.
// nvcc: --extended-lambda
#include "say.h"

template <typename F> __global__ void each(int *out, int n, F f)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        out[i] = f(i);
}

template <typename F> __device__ int fold(int n, F f)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s = f(s, i);
    return s;
}

__global__ void inside(int *out)
{
    int t = threadIdx.x, count = 0;
    auto add = [&](auto x) { count += (int)x; return count; };
    add(t);
    add(2.75);
    out[t] = fold(t, [=](int s, int i) { return s * 3 + i * t; }) + count;
}

int main()
{
    int host[100], *device;
    RT(cudaMalloc(&device, sizeof host));
    int a = 5;
    double b = 1.5;
    each<<<4, 32>>>(device, 100, [=] __device__(int i) { return (int)(a * i * b); });
    RT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int i = 0; i < 100; i++)
        sum = sum * 31 + host[i];
    printf("%d %d %d, %lld\n", host[1], host[50], host[99], sum);
    auto both = [] __host__ __device__(int i) { return i * i - 7; };
    each<<<1, 64>>>(device, 64, both);
    RT(cudaMemcpy(host, device, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 64; i++)
        wrong += host[i] != both(i);
    printf("wrong %d\n", wrong);
    inside<<<1, 32>>>(device);
    RT(cudaMemcpy(host, device, 32 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        printf("%d ", host[i]);
    printf("\n");
    return 0;
}
