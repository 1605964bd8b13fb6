// Kernels that launch kernels, in two files of relocatable device code: a tree, a chain of tail launches, streams.
// nvcc: -rdc=true cdp_tree.part.cu -lcudadevrt
#include "say.h"

__device__ int visits;
__device__ int sums[32];
extern __global__ void leaf(int *p, int k);

__global__ void tree(int *p, int depth, int place)
{
    if (threadIdx.x == 0)
        atomicAdd(&visits, 1);
    if (depth == 0) {
        if (threadIdx.x == 0)
            leaf<<<1, 4, 0, cudaStreamFireAndForget>>>(p + place * 4, place);
        return;
    }
    if (threadIdx.x < 2)
        tree<<<1, 32>>>(p, depth - 1, place * 2 + threadIdx.x);
}

__global__ void chain(int *p, int n)
{
    *p = *p * 3 + n;
    if (n)
        chain<<<1, 1, 0, cudaStreamTailLaunch>>>(p, n - 1);
}

__global__ void with_streams(int *p)
{
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    leaf<<<1, 4, 0, s>>>(p + threadIdx.x * 4, threadIdx.x);
    leaf<<<1, 4, 0, s>>>(p + threadIdx.x * 4, threadIdx.x * 10);
    cudaStreamDestroy(s);
    sums[threadIdx.x] = cudaGetLastError();
}

int main()
{
    int *p, host[64], n;
    RT(cudaMalloc(&p, sizeof host));
    RT(cudaMemset(p, 0, sizeof host));
    tree<<<1, 32>>>(p, 4, 0);
    RT(cudaDeviceSynchronize());
    RT(cudaMemcpyFromSymbol(&n, visits, 4));
    RT(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    printf("visits %d:", n);
    for (int x : host)
        printf(" %d", x);
    printf("\n");
    RT(cudaMemset(p, 0, sizeof host));
    chain<<<1, 1>>>(p, 6);
    RT(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    printf("chain %d\n", host[0]);
    RT(cudaMemset(p, 0, sizeof host));
    with_streams<<<1, 8>>>(p);
    RT(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        printf("%d ", host[i]);
    printf("\n");
    return 0;
}
