// The cooperative groups of older compilers: calls of the device runtime instead of words in %envreg1.

// nvcc: -rdc=true -lcudadevrt
#include "say.h"
#include <cuda_device_runtime_api.h>

enum { BLOCKS = 8, THREADS = 64, N = BLOCKS * THREADS };

// Each thread adds what its neighbour a stride further had before the step.
__global__ void steps(unsigned *a, unsigned *b, int n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    for (int k = 1; k < n; k *= 2) {
        b[i] = a[i] + a[(i + k) % n];
        cudaCGSynchronize(grid, 0);
        a[i] = b[i] * 3 + k;
        cudaCGSynchronizeGrid(grid, 0);
    }
}

// One lane of a warp is late, and only lane 0 of each block writes.
__global__ void diverged(unsigned *a)
{
    const unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    if (threadIdx.x % 32 == 5)
        for (unsigned i = 0; i < 100 + blockIdx.x; i++) atomicAdd(&a[blockIdx.x], i);
    __syncwarp();
    cudaCGSynchronize(grid, 0);
    if (threadIdx.x == 0) a[BLOCKS + blockIdx.x] = a[(blockIdx.x + 1) % BLOCKS];
}

enum { SAID = 13 };

// What a thread is answered; all threads of the grid are in step.
__global__ void ask(long long *said)
{
    const unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    unsigned threads = 77, grids = 77, thread = 77, rank = 77;
    long long size = cudaCGGetSize(&threads, &grids, grid), ranked = cudaCGGetRank(&thread, &rank, grid);
    long long sync = cudaCGSynchronize(grid, 0), whole = cudaCGSynchronizeGrid(grid, 0);
    const long long all[SAID] = {grid != 0,
                                 size,
                                 threads,
                                 grids,
                                 ranked,
                                 thread,
                                 rank,
                                 sync,
                                 whole,
                                 cudaCGGetIntrinsicHandle(cudaCGScopeInvalid) != 0,
                                 cudaCGGetIntrinsicHandle(cudaCGScopeReserved) != 0,
                                 cudaCGGetSize(0, 0, grid),
                                 cudaCGGetRank(0, 0, grid)};
    const unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y +
                       threadIdx.y * blockDim.x + threadIdx.x;
    for (unsigned k = 0; k < SAID; k++) said[i * SAID + k] = all[k];
}

static void tell(const char *what, const long long *said)
{
    printf("%s: handle %lld, size %lld %lld %lld, rank %lld %lld %lld, sync %lld %lld, other scopes %lld "
           "%lld, nowhere %lld %lld\n",
           what, said[0], said[1], said[2], said[3], said[4], said[5], said[6], said[7], said[8], said[9],
           said[10], said[11], said[12]);
}

int main()
{
    static unsigned host[N];
    unsigned *a, *b, sum = 0;
    int n = N;
    RT(cudaMallocManaged(&a, sizeof host));
    RT(cudaMallocManaged(&b, sizeof host));
    for (int i = 0; i < N; i++) a[i] = i;
    void *args[] = {&a, &b, &n};
    RT(cudaLaunchCooperativeKernel(steps, BLOCKS, THREADS, args, 0, 0));
    RT(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) sum = sum * 31 + a[i];
    printf("%u %u %u\n", a[0], a[N - 1], sum);
    RT(cudaMemset(a, 0, sizeof host));
    RT(cudaLaunchCooperativeKernel(diverged, BLOCKS, THREADS, args, 0, 0));
    RT(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCKS; i++) printf("%u ", a[BLOCKS + i]);
    printf("\n");
    long long *said;
    RT(cudaMallocManaged(&said, 256 * SAID * sizeof *said));
    void *to[] = {&said};
    memset(said, 0, 256 * SAID * sizeof *said);
    RT(cudaLaunchCooperativeKernel(ask, dim3(3, 2), dim3(16, 2), to, 0, 0));
    SAY(cudaDeviceSynchronize());
    tell("thread 0", said);
    tell("thread 17 of block 0", said + 17 * SAID);
    tell("the last", said + 191 * SAID);
    memset(said, 0, 256 * SAID * sizeof *said);
    ask<<<1, 1>>>(said);
    SAY(cudaGetLastError());
    SAY(cudaDeviceSynchronize());
    tell("not cooperative", said);
    SAY(cudaGetLastError());
    return 0;
}
