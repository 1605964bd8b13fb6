// structs.cu - structures by value: as kernel parameters, device function arguments and results.
struct small {
    char c;
    double d;
    short s[3];
};
struct large {
    int rows[40];
    float4 edge;
    small inner;
};
struct __align__(16) aligned
{
    unsigned char bytes[20];
};

__device__ __noinline__ small changed(small s, int by)
{
    s.c += by;
    s.d *= by;
    s.s[by % 3] ^= 1;
    return s;
}

__device__ __noinline__ aligned reversed(const aligned a)
{
    aligned r;
    for (int i = 0; i < 20; i++) r.bytes[i] = a.bytes[19 - i];
    return r;
}

extern "C" __global__ void structs(large l, aligned a, small *out, aligned *back, char last)
{
    small s = changed(l.inner, l.rows[threadIdx.x]);
    s.d += l.edge.y;
    out[threadIdx.x] = changed(s, last);
    back[threadIdx.x] = reversed(a);
}

#if __CUDA_ARCH__ >= 700
extern "C" __global__ void constant_param(const __grid_constant__ large l, int *out)
{
    const int *p = &l.rows[threadIdx.x];
    *out = *p;
}
#endif
