// Shared memory: static of several types, dynamic carved by offsets, with a barrier between writers and readers.
#include "words.h"

extern __shared__ unsigned char pool[];

extern "C" __global__ void test(word *out)
{
    __shared__ int counts[16];
    __shared__ struct { double d; short s; char c[5]; } mixed[8];
    int t = threadIdx.x;
    word *words = (word *)pool;
    unsigned short *halves = (unsigned short *)(pool + 128 * sizeof(word));
    if (t < 16)
        counts[t] = 0;
    if (t < 8) {
        mixed[t].d = t * 0.5;
        mixed[t].s = -t;
        for (int i = 0; i < 5; i++)
            mixed[t].c[i] = t + i;
    }
    words[t] = mix(t, blockIdx.x);
    halves[127 - t] = t * 3;
    __syncthreads();
    atomicAdd(&counts[t * 7 % 16], t);
    __syncthreads();
    word h = words[(t + 31) % 128] + halves[t] + counts[t % 16];
    h = mix(h, __double_as_longlong(mixed[t % 8].d));
    h = mix(h, mixed[(t + 1) % 8].s * 1000 + mixed[(t + 3) % 8].c[t % 5]);
    int any = __syncthreads_or(t == 77), all = __syncthreads_and(t < 127), n = __syncthreads_count(t % 3 == 0);
    out[blockIdx.x * 128 + t] = h + any + 2 * all + 4 * n;
}

WORDS_MAIN(3, 128, 128 * 10, 384)
