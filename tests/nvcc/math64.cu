// math64.cu - libdevice functions of double.
extern "C" __global__ void math64(const double *in, double *out)
{
    double x = in[threadIdx.x], y = in[threadIdx.x + 32], s, c;
    sincos(x, &s, &c);
    out[0] = s * c + tan(y);
    out[1] = exp(x) + log(y) + pow(x, y) + cbrt(x);
    out[2] = sqrt(x) + rsqrt(y) + x / y + 1.0 / x;
    out[3] = atan2(x, y) + asin(x) + sinh(y) + erf(x);
    out[4] = fma(x, y, s) + floor(x) + trunc(y) + rint(x) + fmod(x, y);
    out[5] = __dadd_rz(x, y) + __dmul_ru(x, y) + __fma_rd(x, y, s) + __ddiv_rn(x, y) + __dsqrt_ru(x);
    out[6] = __longlong_as_double(__double_as_longlong(x) ^ 1) + __hiloint2double(__double2hiint(y), 7);
    out[7] = (double)(long long)x + (double)(unsigned)y + (double)(float)x;
}
