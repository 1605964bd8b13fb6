// half.cu - half precision: scalars, pairs, conversions, comparisons, intrinsics, functions.
#include <cuda_fp16.h>

extern "C" __global__ void halves(const __half *a, const __half2 *b, __half *out, __half2 *pairs)
{
    __half x = a[threadIdx.x], y = a[threadIdx.x + 32];
    __half2 u = b[0], v = b[1];
    out[0] = x + y * x - y / x;
    out[1] = __hfma(x, y, x) + __hadd_sat(x, y) + __hmul_sat(x, y) + __hneg(x) + __habs(y);
    out[2] = hsqrt(x) + hrsqrt(y) + hexp2(x) + hlog2(y) + hsin(x) + hcos(y) + hrcp(x) + hfloor(y) + hrint(x);
    out[3] =
        __float2half_rz(1.1f) + __int2half_rn(7) + __ushort2half_ru(9) + __double2half(2.2) + __ll2half_rd(5);
    out[4] = __hmax(x, y) + __hmin_nan(x, y) + (x < y ? x : y) + (__hgtu(x, y) ? x : y);
    out[5] = __float2half((float)__half2int_rz(x) + (float)__half2ull_rn(y) + __half2float(x));
    pairs[0] = u * v + __hfma2(u, v, u) + __hfma2_sat(u, v, v) + h2exp(u) + h2sqrt(v);
    pairs[1] = __hmax2(u, v) + __heq2(u, v) + __lowhigh2highlow(u) + __floats2half2_rn(1.0f, 2.0f);
    pairs[2] = __hbgt2(u, v) ? __hsub2(u, v) : __h2div(u, v);
    atomicAdd(&pairs[3], u);
    atomicAdd(&out[6], x);
}
