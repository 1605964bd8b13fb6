// Copies that run by themselves: cp.async through pipelines, memcpy_async with a group, with a barrier in shared memory.
#include "words.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

__device__ int source[64 * 8];

extern "C" __global__ void test(word *out)
{
    __shared__ __align__(16) int stage[2][64];
    __shared__ __align__(16) int all[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    cg::thread_block block = cg::this_thread_block();
    int t = threadIdx.x;
    for (int i = t; i < 64 * 8; i += 64)
        source[i] = i * 13 % 251;
    if (t == 0)
        init(&bar, 64);
    __syncthreads();
    __pipeline_memcpy_async(&stage[0][t], &source[t], 4);
    __pipeline_commit();
    word h = 0;
    for (int k = 0; k < 8; k++) {
        if (k < 7)
            __pipeline_memcpy_async(&stage[(k + 1) & 1][t], &source[(k + 1) * 64 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        h = mix(h, stage[k & 1][63 - t]);
        __syncthreads();
    }
    out[t * 3] = h;
    cg::memcpy_async(block, all, source + 64, sizeof all);
    cg::wait(block);
    out[t * 3 + 1] = all[(t * 5) % 64];
    __syncthreads();
    cuda::memcpy_async(&all[t], source + 128 + t, 4, bar);
    bar.arrive_and_wait();
    out[t * 3 + 2] = all[(t * 3) % 64];
}

WORDS_MAIN(1, 64, 0, 192)
