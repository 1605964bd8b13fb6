// Bytes that are floats (e4m3, e5m2): conversions both ways, pairs, saturation.
#include "words.h"
#include <cuda_fp8.h>

extern "C" __global__ void test(word *out)
{
    int t = threadIdx.x;
    float x = (t - 100) * (t % 7 + 1) * 0.9f;
    __nv_fp8_e4m3 a(x);
    __nv_fp8_e5m2 b(x * 40);
    __nv_fp8x2_e4m3 c(make_float2(x * 0.01f, -x));
    __nv_fp8x4_e5m2 d(make_float4(x, x * x, 1 / (x + 0.3f), -x * 1e3f));
    word h = a.__x | b.__x << 8 | (word)c.__x << 16 | (word)d.__x << 32;
    out[t * 2] = h;
    float2 e = (float2)c;
    h = mix(__float_as_uint((float)a), __float_as_uint((float)b));
    h = mix(h, __float_as_uint(e.x) + ((word)__float_as_uint(e.y) << 32));
    out[t * 2 + 1] = mix(h, __nv_cvt_float_to_fp8(x * 1000, __NV_NOSAT, __NV_E4M3) + __half_as_ushort((__half)b));
}

WORDS_MAIN(1, 256, 0, 512)
