/*
 * cooperative_call.cu - the barrier of a cooperative grid as calls of the device runtime, which older
 * compilers make.
 *
 * cooperative_call.ptx is nvcc -arch=sm_80 -rdc=true -ptx of it, with headers and lines of PTXVM: before it.
 */
#include <cuda_device_runtime_api.h>

/* Every thread takes its neighbour's value and one more: each round must see all of the round before. */
extern "C" __global__ void around(unsigned *p, unsigned rounds)
{
    const unsigned n = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x,
                   next = (me + 1) % n;
    const unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    for (unsigned i = 0; i < rounds; i++) {
        const unsigned x = p[next];
        cudaCGSynchronize(grid, 0);
        p[me] = x + 1;
        cudaCGSynchronizeGrid(grid, 0);
    }
}

/* Lanes of a warp come one after another, and some threads have gone before. */
extern "C" __global__ void late(unsigned *p)
{
    const unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    const unsigned lane = threadIdx.x % 32;
    if (threadIdx.x >= 40) {
        for (unsigned i = 0; i < 100 * (blockIdx.x + 1); i++) atomicAdd(p + 2, 1);
        return;
    }
    for (unsigned i = 0; i < lane * 3; i++) atomicAdd(p, 1);
    atomicAdd(p + 1, 1);
    cudaCGSynchronize(grid, 0);
    if (p[1] != gridDim.x * 40) atomicAdd(p + 3, 1);
    cudaCGSynchronize(grid, 0);
    if (threadIdx.x == 0) atomicAdd(p + 4, 1);
}

/* Block 1 does not come. */
extern "C" __global__ void absent(unsigned *p)
{
    const unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    p[blockIdx.x] = 7;
    if (blockIdx.x != 1) cudaCGSynchronize(grid, 0);
}

/* What a launch that is not cooperative is answered. */
extern "C" __global__ void alone(unsigned *p)
{
    const unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    p[0] = grid != 0;
    p[1] = cudaCGSynchronize(grid, 0);
}
