// Bulk copies of sm_90: memcpy_async of aligned blocks with a barrier, there by expected bytes.
#include "words.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;

__device__ __align__(16) int source[256];

extern "C" __global__ void test(word *out)
{
    __shared__ __align__(16) int all[256];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    cg::thread_block block = cg::this_thread_block();
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 64)
        source[i] = i * 13 % 251;
    if (t == 0)
        init(&bar, 64);
    __threadfence();
    __syncthreads();
    cuda::memcpy_async(block, all, source, cuda::aligned_size_t<16>(sizeof all), bar);
    bar.arrive_and_wait();
    out[t] = all[t * 3];
    __syncthreads();
    if (t == 0)
        asm volatile("fence.proxy.async;");
    __syncthreads();
    cuda::memcpy_async(block, all, source + 128, cuda::aligned_size_t<16>(512), bar);
    bar.arrive_and_wait();
    out[64 + t] = all[(t * 5) % 256];
}

WORDS_MAIN(1, 64, 0, 128)
