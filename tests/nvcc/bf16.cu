// bf16.cu - bfloat16: scalars, pairs, conversions, comparisons, functions. from: 80
#include <cuda_bf16.h>

extern "C" __global__ void bfloats(const __nv_bfloat16 *a, const __nv_bfloat162 *b, __nv_bfloat16 *out,
                                   __nv_bfloat162 *pairs)
{
    __nv_bfloat16 x = a[threadIdx.x], y = a[threadIdx.x + 32];
    __nv_bfloat162 u = b[0], v = b[1];
    out[0] = x + y * x - y / x;
    out[1] = __hfma(x, y, x) + __hfma_relu(x, y, x) + __hneg(x) + __habs(y) + __hmax(x, y);
    out[2] = hsqrt(x) + hexp2(x) + hlog(y) + htanh(x) + hceil(y);
    out[3] = __float2bfloat16_rz(1.1f) + __int2bfloat16_rn(7) + __double2bfloat16(2.2);
    out[4] = __float2bfloat16((float)__bfloat162int_rz(x) + __bfloat162float(y) + (x <= y));
    pairs[0] = __hfma2(u, v, u) + __hmul2(u, v) + h2exp(u);
    pairs[1] = __hmin2(u, v) + __floats2bfloat162_rn(1.0f, 2.0f);
    atomicAdd(&pairs[2], u);
}
