// Managed memory: allocations and variables that both sides write, attributes, hints, attaching to a stream.
#include "say.h"

__managed__ int shared_count = 5;
__managed__ struct { int n; double *list; } table;

__global__ void work(int *p, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        p[i] = p[i] * 2 + 1;
        atomicAdd(&shared_count, 1);
        table.list[i] += i * 0.5;
    }
}

int main()
{
    int *p, n = 500, device;
    double *list;
    RT(cudaGetDevice(&device));
    RT(cudaMallocManaged(&p, n * sizeof(int)));
    RT(cudaMallocManaged(&list, n * sizeof(double), cudaMemAttachGlobal));
    for (int i = 0; i < n; i++) {
        p[i] = i;
        list[i] = 1;
    }
    table.n = n;
    table.list = list;
    cudaMemLocation here = {cudaMemLocationTypeDevice, device};
    RT(cudaMemAdvise(p, n * sizeof(int), cudaMemAdviseSetPreferredLocation, here));
    RT(cudaMemPrefetchAsync(p, n * sizeof(int), here, 0, 0));
    work<<<4, 128>>>(p, n);
    RT(cudaDeviceSynchronize());
    double s = 0;
    long long t = 0;
    for (int i = 0; i < n; i++) {
        s += list[i];
        t += p[i];
    }
    printf("count %d, %lld, %g\n", shared_count, t, s);
    shared_count = 100;
    work<<<1, 10>>>(p, n);
    int seen;
    RT(cudaMemcpyFromSymbol(&seen, shared_count, sizeof seen));
    printf("count %d, p[3] %d\n", seen, p[3]);
    cudaStream_t stream;
    RT(cudaStreamCreate(&stream));
    RT(cudaStreamAttachMemAsync(stream, list, 0, cudaMemAttachSingle));
    RT(cudaStreamSynchronize(stream));
    list[0] = 42;
    work<<<1, 1, 0, stream>>>(p, n);
    RT(cudaStreamSynchronize(stream));
    printf("list %g\n", list[0]);
    cudaPointerAttributes at;
    RT(cudaPointerGetAttributes(&at, p));
    printf("type %d, same %d\n", at.type, at.hostPointer == at.devicePointer);
    int where = 7;
    RT(cudaMemRangeGetAttribute(&where, sizeof where, cudaMemRangeAttributeReadMostly, p, 4));
    printf("read mostly %d\n", where);
    SAY(cudaMallocManaged(&p, 16, 77));
    SAY(cudaMallocManaged(&p, 0));
    return 0;
}
