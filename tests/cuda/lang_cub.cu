// CUB in a block and over the device: scan, reduce, radix sort, histogram.
#include "say.h"
#include <cub/cub.cuh>

__global__ void in_block(int *out)
{
    typedef cub::BlockScan<int, 128> scan;
    typedef cub::BlockReduce<int, 128> reduce;
    typedef cub::BlockRadixSort<int, 128, 2> sort;
    __shared__ union { scan::TempStorage a; reduce::TempStorage b; sort::TempStorage c; } store;
    int t = threadIdx.x, x = t * 7 % 31, s;
    scan(store.a).ExclusiveSum(x, s);
    __syncthreads();
    int most = reduce(store.b).Reduce(x + t, cuda::maximum<int>());
    __syncthreads();
    int v[2] = {t * 97 % 256, t * 61 % 256};
    sort(store.c).Sort(v);
    out[t * 4] = s;
    out[t * 4 + 1] = t ? 0 : most;
    out[t * 4 + 2] = v[0];
    out[t * 4 + 3] = v[1];
}

int main()
{
    static int host[512];
    int *a, *b;
    RT(cudaMalloc(&a, sizeof host));
    RT(cudaMalloc(&b, sizeof host));
    in_block<<<1, 128>>>(a);
    RT(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 512; i += 37)
        printf("%d ", host[i]);
    printf("\n");
    for (int i = 0; i < 512; i++)
        host[i] = i * 7919 % 512;
    RT(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    void *temp = nullptr;
    size_t size = 0;
    RT(cub::DeviceRadixSort::SortKeys(temp, size, a, b, 512));
    RT(cudaMalloc(&temp, size));
    RT(cub::DeviceRadixSort::SortKeys(temp, size, a, b, 512));
    RT(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 512; i++)
        wrong += host[i] != i;
    printf("wrong %d\n", wrong);
    return 0;
}
