// math32.cu - libdevice functions of float: slow paths, tables, calls that stay calls.
extern "C" __global__ void math32(const float *in, float *out)
{
    float x = in[threadIdx.x], y = in[threadIdx.x + 32];
    int e;
    float s, c;
    sincosf(x, &s, &c);
    out[0] = s * c + sinf(y) + cosf(y) + tanf(x);
    out[1] = expf(x) + exp2f(x) + exp10f(y) + expm1f(x);
    out[2] = logf(x) + log2f(x) + log10f(y) + log1pf(x);
    out[3] = powf(x, y) + cbrtf(x) + rcbrtf(y) + hypotf(x, y);
    out[4] = asinf(x) + acosf(x) + atanf(x) + atan2f(x, y);
    out[5] = sinhf(x) + coshf(x) + tanhf(x) + asinhf(x) + acoshf(x) + atanhf(x);
    out[6] = erff(x) + erfcf(x) + erfinvf(x) + normcdff(x);
    out[7] = tgammaf(x) + lgammaf(x) + j0f(x) + y1f(y);
    out[8] = fmodf(x, y) + remainderf(x, y) + fdimf(x, y) + frexpf(x, &e) + ldexpf(y, e);
    out[9] = floorf(x) + ceilf(x) + truncf(x) + roundf(x) + rintf(x) + nearbyintf(y);
    out[10] = fmaxf(x, y) + fminf(x, y) + copysignf(x, y) + nextafterf(x, y) + fabsf(x);
    out[11] = (float)(isnan(x) + isinf(x) + isfinite(y) + signbit(y) + ilogbf(x) + lroundf(x) + llrintf(y));
}
