// Host memory that the device sees: pinned, mapped, registered; flags and addresses.
#include "say.h"
#include <cstdlib>

__global__ void bump(int *p, int n)
{
    int i = threadIdx.x;
    if (i < n)
        p[i] += 1000 + i;
}

int main()
{
    int *a, *b, *da, *db, *c;
    unsigned flags;
    RT(cudaMallocHost(&a, 400));
    RT(cudaHostAlloc(&b, 400, cudaHostAllocMapped | cudaHostAllocPortable));
    for (int i = 0; i < 100; i++)
        a[i] = b[i] = i;
    RT(cudaHostGetDevicePointer(&db, b, 0));
    RT(cudaHostGetDevicePointer(&da, a, 0));
    printf("same %d %d\n", da == a, db == b);
    bump<<<1, 128>>>(db, 100);
    bump<<<1, 128>>>(a, 50);
    RT(cudaDeviceSynchronize());
    printf("%d %d %d %d\n", a[49], a[50], b[0], b[99]);
    RT(cudaHostGetFlags(&flags, b));
    printf("flags %u\n", flags);
    RT(cudaHostGetFlags(&flags, a));
    printf("flags %u\n", flags);
    c = (int *)aligned_alloc(4096, 8192);
    memset(c, 0, 8192);
    RT(cudaHostRegister(c, 8192, cudaHostRegisterMapped));
    int *dc;
    RT(cudaHostGetDevicePointer(&dc, c, 0));
    bump<<<1, 128>>>(dc + 1000, 100);
    RT(cudaDeviceSynchronize());
    printf("%d %d %d\n", c[999], c[1000], c[1099]);
    cudaPointerAttributes at;
    RT(cudaPointerGetAttributes(&at, c + 3));
    printf("type %d, host %d, device %d\n", at.type, at.hostPointer == c + 3, at.devicePointer == dc + 3);
    SAY(cudaHostRegister(c, 8192, 0));
    SAY(cudaHostUnregister(c));
    SAY(cudaHostUnregister(c));
    SAY(cudaHostGetDevicePointer(&dc, &flags, 0));
    SAY(cudaHostGetFlags(&flags, c));
    SAY(cudaFreeHost(a));
    SAY(cudaFreeHost(b));
    SAY(cudaFreeHost(nullptr));
    SAY(cudaFreeHost(c));
    SAY(cudaGetLastError());
    SAY(cudaGetLastError());
    return 0;
}
