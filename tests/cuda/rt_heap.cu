// malloc and new in kernels: kept between kernels, freed by another thread, the limit, what is refused.
#include "say.h"

struct node { int value; node *next; };
__device__ node *lists[32];

__global__ void make()
{
    int t = threadIdx.x;
    for (int i = 0; i <= t; i++) {
        node *n = new node;
        n->value = i * t;
        n->next = lists[t];
        lists[t] = n;
    }
}

__global__ void sum(int *out)
{
    int t = threadIdx.x, s = 0;
    for (node *n = lists[31 - t]; n;) {
        node *next = n->next;
        s = s * 3 + n->value;
        delete n;
        n = next;
    }
    lists[31 - t] = nullptr;
    out[t] = s;
}

__global__ void big(int *out)
{
    char *p = (char *)malloc(1000), *q = (char *)malloc((size_t)1 << 40);
    memset(p, threadIdx.x, 1000);
    char *r = (char *)malloc(500);
    memcpy(r, p + 200, 500);
    out[threadIdx.x] = (q == nullptr) * 1000 + r[499] + (((size_t)p & 15) == 0) * 10000;
    free(p);
    free(q);
    free(r);
    free(nullptr);
}

int main()
{
    int host[32], *device;
    size_t size;
    RT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    RT(cudaDeviceGetLimit(&size, cudaLimitMallocHeapSize));
    printf("heap %d\n", size >= 16 << 20);
    RT(cudaMalloc(&device, sizeof host));
    make<<<1, 32>>>();
    sum<<<1, 32>>>(device);
    RT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int x : host)
        printf("%d ", x);
    big<<<1, 32>>>(device);
    RT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("\n%d %d %d\n", host[0], host[5], host[31]);
    SAY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    return 0;
}
