// Where pointers point: generic addresses of every space, vector loads, cache hints, isGlobal and its kin, unaligned structs.
#include "words.h"

__device__ int global_value[4] = {1, 2, 3, 4};
__constant__ int constant_value[4] = {10, 20, 30, 40};

__device__ __noinline__ int sum(const int *p)
{
    return p[0] + p[1] * 2 + p[2] * 3 + p[3] * 4 + 1000 * __isGlobal(p) + 2000 * __isShared(p) + 4000 * __isLocal(p)
           + 8000 * __isConstant(p);
}

struct __attribute__((packed)) odd { char a; int b; double c; };

extern "C" __global__ void test(word *out)
{
    __shared__ int shared_value[4];
    int t = threadIdx.x, local_value[4] = {t, t + 1, t * 2, t * t};
    if (t < 4)
        shared_value[t] = 100 << t;
    __syncthreads();
    const int *all[4] = {global_value, constant_value, shared_value, local_value};
    out[t * 3] = sum(all[t % 4]) + 100000 * sum(all[(t + 1) % 4]);
    ulonglong2 *pair = (ulonglong2 *)(out + 96) + t;
    *pair = make_ulonglong2(mix(t, 1), mix(t, 2));
    float4 f = __ldcg((float4 *)pair);
    int2 n = __ldg((int2 *)global_value + t % 2);
    __stcs(&out[t * 3 + 1], (word)__float_as_uint(f.z) + n.x * 3 + n.y);
    odd o[3];
    for (int i = 0; i < 3; i++)
        o[i] = {(char)(t + i), t * i, t / (i + 1.0)};
    odd copy = o[t % 3];
    out[t * 3 + 2] = copy.a + copy.b * 3 + __double_as_longlong(copy.c) + sizeof copy
                     + __cvta_generic_to_shared(&shared_value[2]) - __cvta_generic_to_shared(shared_value);
}

WORDS_MAIN(1, 32, 0, 160)
