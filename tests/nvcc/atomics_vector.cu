// atomics_vector.cu - atomics on pairs of halves, on 128 bits and on vectors of floats. from: 90
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void vectors(float2 *f2, float4 *f4, __half2 *h2, __nv_bfloat162 *b2, __half *h)
{
    const float x = threadIdx.x;
    float2 old2 = atomicAdd(f2, make_float2(x, -x));
    float4 old4 = atomicAdd(f4, make_float4(x, old2.x, old2.y, 1));
    __half2 oldh = atomicAdd(h2, __floats2half2_rn(old4.x, old4.w));
    __nv_bfloat162 oldb = atomicAdd(b2, __floats2bfloat162_rn(x, x));
    atomicAdd(h, __low2half(oldh));
    f2[threadIdx.x] = make_float2(__low2float(oldh), __high2float(oldb));
}

struct alignas(16) wide { long long a, b; };

extern "C" __global__ void exchange(wide *p, wide *q)
{
    wide expected = q[0], desired = {threadIdx.x, blockIdx.x};
    q[threadIdx.x] = atomicCAS(p, expected, desired);
    q[threadIdx.x + 1] = atomicExch(p, desired);
}
