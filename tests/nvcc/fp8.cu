// fp8.cu - eight, six and four bit floats: conversions both ways.
#include <cuda_fp8.h>
#include <cuda_fp6.h>
#include <cuda_fp4.h>

extern "C" __global__ void small_floats(const float *in, float *out, __nv_fp8_e4m3 *e4, __nv_fp8x2_e5m2 *e5)
{
    float x = in[threadIdx.x];
    __nv_fp8_e4m3 a(x);
    __nv_fp8x2_e5m2 b(make_float2(x, -x));
    e4[threadIdx.x] = a;
    e5[threadIdx.x] = b;
    float2 back = (float2)b;
    __half_raw h = __nv_cvt_fp8_to_halfraw(a.__x, __NV_E4M3);
    out[0] = (float)a + back.x + back.y + __half2float(h);
    out[1] = (float)__nv_fp6_e2m3(x) + (float)__nv_fp6_e3m2(x) + (float)__nv_fp4_e2m1(x);
    out[2] = (float)__nv_fp8_e8m0(x);
}
