/* fault.cu - a store past the end, in a function that is inlined; test_exec.py wants its line shown. */
#include <cstdio>
__device__ void put(int *p, int i)
{
    p[i] = 7; // the store
}
__global__ void kernel(int *p)
{
    put(p, threadIdx.x * 1000);
}
int main()
{
    int *p;
    cudaMalloc(&p, 4000);
    kernel<<<1, 8>>>(p);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 1;
}
