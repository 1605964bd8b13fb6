// templates.cu - class and function templates, variadic packs, fold expressions, constexpr if.
template <int N, typename T> struct vec {
    T v[N];
    __device__ T dot(const vec &o) const
    {
        T s = 0;
#pragma unroll
        for (int i = 0; i < N; i++) s += v[i] * o.v[i];
        return s;
    }
};

template <typename... T> __device__ auto sum_of(T... parts)
{
    return (parts + ...);
}

template <typename T> __device__ T halved(T x)
{
    if constexpr (T(1) / T(2) == T(0))
        return x >> 1;
    else
        return x * T(0.5);
}

template <int N, typename T> __global__ void dots(const vec<N, T> *a, const vec<N, T> *b, T *out)
{
    int i = threadIdx.x;
    out[i] = halved(sum_of(a[i].dot(b[i]), T(i), T(N)));
}

template __global__ void dots<3, float>(const vec<3, float> *, const vec<3, float> *, float *);
template __global__ void dots<4, double>(const vec<4, double> *, const vec<4, double> *, double *);
template __global__ void dots<7, unsigned long long>(const vec<7, unsigned long long> *,
                                                     const vec<7, unsigned long long> *,
                                                     unsigned long long *);
template __global__ void dots<2, short>(const vec<2, short> *, const vec<2, short> *, short *);
