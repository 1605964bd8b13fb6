// fastmath.cu - intrinsics: the approximate units, directed rounding, saturation. nvcc: --use_fast_math
extern "C" __global__ void fastmath(const float *in, float *out)
{
    float x = in[threadIdx.x], y = in[threadIdx.x + 32];
    out[0] =
        __sinf(x) + __cosf(y) + __tanf(x) + __expf(x) + __exp10f(y) + __logf(x) + __log2f(y) + __powf(x, y);
    out[1] = __fdividef(x, y) + x / y + sqrtf(x) + rsqrtf(y) + 1.0f / x + tanhf(x);
    out[2] = __fadd_rz(x, y) + __fsub_ru(x, y) + __fmul_rd(x, y) + __fmaf_rz(x, y, x) + __frcp_rn(x);
    out[3] = __fsqrt_rz(x) + __fdiv_ru(x, y) + __frsqrt_rn(y) + __saturatef(x + y) + __saturatef(x * y);
    out[4] = (float)(__float2int_rd(x) + __float2uint_ru(y) + __float2ll_rz(x)) +
             __ull2float_rz(__float2ull_rn(y));
    out[5] = fmaxf(fmaxf(x, y), 0.0f) + fminf(x, fminf(y, 1.0f)) + fabsf(x - y);
}
