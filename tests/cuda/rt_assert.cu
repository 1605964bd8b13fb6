// assert in a kernel: its text on standard error (sent to standard output here), the error, and that one thread suffices.
#include "say.h"
#include <cassert>
#include <unistd.h>

__device__ __noinline__ void check(int t) { assert(t != 5 && "five"); }

__global__ void kernel(int *p)
{
    check(threadIdx.x + 100 * blockIdx.x);
    p[threadIdx.x] = 1;
}

int main()
{
    int *p;
    setvbuf(stdout, nullptr, _IONBF, 0);
    dup2(1, 2);
    RT(cudaMalloc(&p, 400));
    kernel<<<1, 5>>>(p);
    SAY(cudaDeviceSynchronize());
    kernel<<<2, 8>>>(p);
    SAY(cudaDeviceSynchronize());
    SAY(cudaGetLastError());
    SAY(cudaMemset(p, 0, 4));
    return 0;
}
