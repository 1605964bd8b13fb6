// Atomics: every operation on every type that has it, in global and shared memory, at block, device and system scope.
#include "words.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void test(word *out)
{
    __shared__ unsigned s[8];
    __shared__ word l[4];
    unsigned t = threadIdx.x + blockIdx.x * blockDim.x;
    if (threadIdx.x < 8)
        s[threadIdx.x] = threadIdx.x == 4 ? ~0u : 0;
    if (threadIdx.x < 4)
        l[threadIdx.x] = 0;
    __syncthreads();
    int *i = (int *)(out + 8);
    unsigned *u = (unsigned *)(out + 16);
    float *f = (float *)(out + 24);
    double *d = (double *)(out + 32);
    atomicAdd(&i[0], t);
    atomicSub(&i[1], t);
    atomicMax(&i[2], (int)(t * 37 % 100));
    atomicMin(&i[3], -(int)(t * 37 % 100));
    atomicOr(&u[0], 1u << (t % 32));
    atomicXor(&u[1], t * t);
    atomicAnd(&u[2], ~t);
    atomicInc(&u[3], 20);
    atomicDec(&u[4], 30);
    atomicMax(&u[5], t * 1000);
    atomicAdd_system(&u[6], 2);
    atomicAdd(&f[0], 0.5f);
    atomicAdd(&f[1], (float)t);
    atomicAdd(&d[0], 0.25 * t);
    atomicAdd((__half2 *)&u[8], __floats2half2_rn(1, 2));
    atomicAdd((__nv_bfloat162 *)&u[9], __floats2bfloat162_rn(1, 0.5f));
    atomicAdd(&out[40], (word)t << 33);
    atomicMax(&out[41], (word)t * 12345678901ull);
    atomicMin((long long *)&out[42], -(long long)t);
    atomicXor(&out[43], mix(t, 1));
    atomicOr(&out[44], 1ull << (t % 64));
    for (bool done = false; !done;) {
        word old = out[45];
        done = atomicCAS(&out[45], old, old + t) == old;
    }
    unsigned short *h = (unsigned short *)&out[46];
    for (bool done = false; !done;) {
        unsigned short old = *(volatile unsigned short *)h;
        done = atomicCAS(h, old, (unsigned short)(old + 3)) == old;
    }
    atomicAdd_block(&s[0], t);
    atomicMax_block(&s[1], t);
    atomicInc(&s[2], 1000);
    atomicOr(&s[3], t);
    atomicAnd(&s[4], ~(t & 5));
    atomicAdd(&l[0], (word)t * t);
    atomicMax(&l[1], mix(t, 5));
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&out[threadIdx.x], (word)s[threadIdx.x]);
    if (threadIdx.x < 4)
        atomicXor(&out[50 + threadIdx.x], l[threadIdx.x]);
    if (threadIdx.x == 0 && blockIdx.x == 0)
        out[54] = atomicExch((unsigned *)&out[55], 7u);
}

WORDS_MAIN(4, 96, 0, 56)
