// Blocks that tell each other: a fence and a counter (the last block sums up), a chain of flags, volatile, nanosleep.
#include "words.h"

__device__ unsigned arrived;
__device__ volatile int flag;

extern "C" __global__ void test(word *out)
{
    __shared__ bool last;
    int t = threadIdx.x, b = blockIdx.x;
    out[b * 32 + t] = mix(b, t);
    __threadfence();
    __syncthreads();
    if (t == 0)
        last = atomicAdd(&arrived, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        word s = 0;
        for (unsigned i = t; i < gridDim.x * 32; i += 32)
            s ^= ((volatile word *)out)[i];
        atomicXor(&out[gridDim.x * 32], s);
    }
    if (t == 0) {
        while (flag != b)
            __nanosleep(20);
        out[gridDim.x * 32 + 1] = mix(out[gridDim.x * 32 + 1], b);
        __threadfence();
        flag = b + 1;
    }
}

WORDS_MAIN(8, 32, 0, 258)
