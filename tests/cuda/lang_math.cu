// Functions of the mathematical library, float and double, exact and fast ones: all bits.
#include "words.h"

extern "C" __global__ void test(word *out)
{
    int t = threadIdx.x;
    float x = 0.37f * t - 7.3f, p = 0.11f * t + 0.01f;
    double y = 0.37 * t - 7.3, q = 0.11 * t + 0.01;
    word h = 0;
#define F(e) h = mix(h, __float_as_uint(e))
#define D(e) h = mix(h, __double_as_longlong(e))
    F(sinf(x)); F(cosf(x)); F(tanf(x)); F(expf(x)); F(exp2f(x)); F(logf(p)); F(log2f(p)); F(log10f(p));
    out[t * 8] = h;
    F(powf(p, x)); F(sqrtf(p)); F(rsqrtf(p)); F(cbrtf(x)); F(atan2f(x, p)); F(asinf(x / 20)); F(acosf(x / 20));
    out[t * 8 + 1] = h;
    F(erff(x)); F(lgammaf(p)); F(tgammaf(p)); F(sinhf(x)); F(tanhf(x)); F(asinhf(x)); F(hypotf(x, p)); F(fmodf(x, p));
    out[t * 8 + 2] = h;
    F(__sinf(x)); F(__cosf(x)); F(__expf(x)); F(__logf(p)); F(__powf(p, x)); F(__fdividef(x, p)); F(__tanf(x));
    out[t * 8 + 3] = h;
    D(sin(y)); D(cos(y)); D(exp(y)); D(log(q)); D(pow(q, y)); D(sqrt(q)); D(cbrt(y)); D(rsqrt(q));
    out[t * 8 + 4] = h;
    D(atan(y)); D(asin(y / 20)); D(sinh(y)); D(tanh(y)); D(erf(y)); D(tgamma(q)); D(lgamma(q)); D(fmod(y, q));
    out[t * 8 + 5] = h;
    F(x / p); F(__fdiv_rz(x, p)); F(__frcp_rn(p)); F(__fsqrt_ru(p)); D(y / q); D(__drcp_rd(q)); D(__fma_rn(y, q, y));
    F(roundf(x)); F(rintf(x)); F(truncf(x)); F(ldexpf(x, t % 20)); F(nextafterf(x, 0)); F(remainderf(x, p));
    out[t * 8 + 6] = h;
    float s, c;
    sincosf(x * 1000, &s, &c);
    F(s); F(c); F(sinf(x * 1e10f)); F(j0f(p)); F(y1f(p)); F(normcdff(x)); F(erfcinvf(p / 10)); D(sinpi(y)); D(norm3d(y, q, 1));
    out[t * 8 + 7] = h;
}

WORDS_MAIN(1, 48, 0, 384)
