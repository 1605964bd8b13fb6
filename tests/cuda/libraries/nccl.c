/* nccl.c - NCCL in one process on one device: what its collectives give is what they were given. */
#include <cuda_runtime.h>
#include <nccl.h>
#include "verdict.h"

enum { N = 1000 };

int main(void)
{
    ncclComm_t comm;
    int device = 0, got[N], want[N], *from = NULL, *to = NULL;
    double distance = 0;
    int status = ncclCommInitAll(&comm, 1, &device);
    say("ncclCommInitAll", status, 0, 0);
    if (status) return 0;
    for (unsigned i = 0; i < N; i++) want[i] = small(i);
    cudaMalloc((void **)&from, sizeof want);
    cudaMalloc((void **)&to, sizeof want);
    cudaMemcpy(from, want, sizeof want, cudaMemcpyHostToDevice);
    status = ncclAllReduce(from, to, N, ncclInt, ncclSum, comm, NULL);
    if (!status) status = cudaDeviceSynchronize();
    cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < N; i++) distance += got[i] != want[i];
    say("ncclAllReduce", status, distance, 0);
    return 0;
}
