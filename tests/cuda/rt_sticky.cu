// A kernel that writes where nothing is: every later call answers it, what needs no device does not, a reset ends it.
#include "say.h"

__global__ void wild(int *p) { p[threadIdx.x] = 1; }
__global__ void good(int *p) { *p = 7; }

int main()
{
    int *p, *q, x = 0;
    cudaStream_t s;
    RT(cudaMalloc(&p, 4));
    RT(cudaStreamCreate(&s));
    wild<<<1, 32>>>((int *)64);
    SAY(cudaDeviceSynchronize());
    SAY(cudaDeviceSynchronize());
    SAY(cudaPeekAtLastError());
    SAY(cudaGetLastError());
    SAY(cudaGetLastError());
    SAY(cudaMalloc(&q, 4));
    SAY(cudaMemcpy(&x, p, 4, cudaMemcpyDeviceToHost));
    good<<<1, 1>>>(p);
    SAY(cudaGetLastError());
    SAY(cudaStreamQuery(s));
    SAY(cudaFree(p));
    SAY(cudaMallocHost(&q, 16));
    SAY(cudaSetDevice(0));
    printf("%s\n", cudaGetErrorString(cudaErrorIllegalAddress));
    return 0;
}
