// A bitonic sort over blocks, a histogram and a scan of it, in streams, checked on the host.
#include "say.h"
#include <algorithm>
#include <vector>

__global__ void step(unsigned *a, int j, int k)
{
    unsigned i = threadIdx.x + blockIdx.x * blockDim.x, other = i ^ j;
    if (other > i && ((i & k) == 0) == (a[i] > a[other])) {
        unsigned x = a[i];
        a[i] = a[other];
        a[other] = x;
    }
}
__global__ void histogram(const unsigned *a, int *bins)
{
    __shared__ int mine[64];
    if (threadIdx.x < 64)
        mine[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&mine[a[threadIdx.x + blockIdx.x * blockDim.x] >> 26], 1);
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
__global__ void scan(int *bins)
{
    int t = threadIdx.x, x = bins[t];
    __shared__ int last;
    for (int d = 1; d < 32; d *= 2) {
        int y = __shfl_up_sync(~0u, x, d);
        if (t % 32 >= d)
            x += y;
    }
    if (t == 31)
        last = x;
    __syncthreads();
    bins[t] = t < 32 ? x : x + last;
}

int main()
{
    const int n = 2048;
    std::vector<unsigned> host(n), sorted(n);
    unsigned seed = 1, *a;
    int *bins, counts[64];
    for (unsigned &x : host)
        x = seed = seed * 1664525 + 1013904223;
    RT(cudaMalloc(&a, n * 4));
    RT(cudaMalloc(&bins, sizeof counts));
    RT(cudaMemset(bins, 0, sizeof counts));
    RT(cudaMemcpy(a, host.data(), n * 4, cudaMemcpyHostToDevice));
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j; j /= 2)
            step<<<n / 256, 256>>>(a, j, k);
    histogram<<<n / 256, 256>>>(a, bins);
    scan<<<1, 64>>>(bins);
    RT(cudaMemcpy(sorted.data(), a, n * 4, cudaMemcpyDeviceToHost));
    RT(cudaMemcpy(counts, bins, sizeof counts, cudaMemcpyDeviceToHost));
    std::sort(host.begin(), host.end());
    printf("sorted %d, bins %d %d %d\n", host == sorted, counts[0], counts[31], counts[63]);
    return 0;
}
