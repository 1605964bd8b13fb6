// Memory in stream order: the device's pool, a pool of our own, attributes, reuse, export refused.
#include "say.h"

__global__ void set(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }

int main()
{
    cudaMemPool_t pool, own;
    cudaStream_t stream;
    int *p, *q, host[64], device = 0;
    unsigned long long value;
    RT(cudaStreamCreate(&stream));
    RT(cudaDeviceGetDefaultMemPool(&pool, device));
    RT(cudaDeviceGetMemPool(&own, device));
    printf("default is current %d\n", pool == own);
    RT(cudaMallocAsync(&p, 256, stream));
    set<<<1, 64, 0, stream>>>(p, 7);
    RT(cudaMemcpyAsync(host, p, 256, cudaMemcpyDeviceToHost, stream));
    RT(cudaFreeAsync(p, stream));
    RT(cudaStreamSynchronize(stream));
    printf("%d %d\n", host[0], host[63]);
    RT(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
    printf("used %llu\n", value);
    RT(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
    printf("high %d\n", value >= 256);
    RT(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    printf("threshold %llu\n", value);
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = device;
    RT(cudaMemPoolCreate(&own, &props));
    value = ~0ull;
    RT(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &value));
    RT(cudaMallocFromPoolAsync((void **)&p, 1000, own, stream));
    RT(cudaMallocAsync((void **)&q, 2000, own, stream));
    RT(cudaMemsetAsync(q, 0, 2000, stream));
    set<<<1, 64, 0, stream>>>(q, 100);
    RT(cudaMemcpyAsync(p, q, 256, cudaMemcpyDeviceToDevice, stream));
    RT(cudaMemcpyAsync(host, p, 256, cudaMemcpyDeviceToHost, stream));
    RT(cudaStreamSynchronize(stream));
    printf("%d %d\n", host[0], host[63]);
    int flag = 5;
    RT(cudaMemPoolGetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &flag));
    printf("opportunistic %d\n", flag);
    RT(cudaFreeAsync(p, stream));
    RT(cudaFreeAsync(q, stream));
    RT(cudaStreamSynchronize(stream));
    RT(cudaMemPoolTrimTo(own, 0));
    RT(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &value));
    printf("used %llu\n", value);
    RT(cudaDeviceSetMemPool(device, own));
    RT(cudaDeviceGetMemPool(&pool, device));
    printf("current is own %d\n", pool == own);
    SAY(cudaMemPoolDestroy(own));
    SAY(cudaFreeAsync(nullptr, stream));
    SAY(cudaMallocAsync((void **)nullptr, 4, stream));
    SAY(cudaMallocAsync((void **)&p, 0, stream));
    return 0;
}
