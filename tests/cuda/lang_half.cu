// Half and bfloat16: conversions, arithmetic, comparisons, pairs, functions.
#include "words.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void test(word *out)
{
    int t = threadIdx.x;
    __half a = __float2half(t * 0.37f - 5), b = __float2half_rz(3.1f / (t + 1));
    __nv_bfloat16 c = __float2bfloat16(t * 1.7f - 20), d = __double2bfloat16(0.3 * t);
    word h = 0;
    h = mix(h, __half_as_ushort(__hadd(a, b)));
    h = mix(h, __half_as_ushort(__hmul(a, b)));
    h = mix(h, __half_as_ushort(__hfma(a, b, a)));
    h = mix(h, __half_as_ushort(__hdiv(a, b)));
    h = mix(h, __half_as_ushort(hsqrt(__habs(a))));
    h = mix(h, __half_as_ushort(__hmax(a, b)) + __hlt(a, b) * 7 + __hgeu(a, b));
    h = mix(h, __half2int_rn(a) * 100 + __half2int_rd(b));
    h = mix(h, __half_as_ushort(hfloor(a)) * 3 + __half_as_ushort(hrint(a)));
    out[t * 4] = h;
    __half2 p = __halves2half2(a, b), q = __floats2half2_rn(2.5f, -t);
    __half2 r = __hfma2(p, q, __hneg2(p));
    h = mix(*(unsigned *)&r, __half_as_ushort(__low2half(__hmul2_sat(p, q))));
    h = mix(h, __half_as_ushort(__hadd_sat(a, b)) + __hbgt2(p, q));
    __half2 s = __hmin2(p, q), u = __lowhigh2highlow(p);
    out[t * 4 + 1] = mix(h, *(unsigned *)&s + ((word) * (unsigned *)&u << 32));
    h = __bfloat16_as_ushort(__hadd(c, d));
    h = mix(h, __bfloat16_as_ushort(__hmul(c, d)));
    h = mix(h, __bfloat16_as_ushort(__hfma(c, d, c)));
    h = mix(h, __bfloat16_as_ushort(__hmax(c, d)) + __hgt(c, d));
    h = mix(h, __float_as_uint(__bfloat162float(c)));
    __nv_bfloat162 v = __halves2bfloat162(c, d), w = __hfma2_relu(v, v, __hneg2(v));
    out[t * 4 + 2] = mix(h, *(unsigned *)&w);
    __half x = hexp2(__float2half((t % 11) * 0.5f)), y = hrcp(__float2half(t + 1.0f));
    out[t * 4 + 3] = __half_as_ushort(x) + ((word)__half_as_ushort(y) << 16);
}

WORDS_MAIN(1, 64, 0, 256)
