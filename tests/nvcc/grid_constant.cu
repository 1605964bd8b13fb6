// grid_constant.cu - kernel parameters that stay in place, restricted and aligned pointers, assumptions.
struct table { float coefficient[64]; int n; const float *more; };

__device__ __noinline__ float sum(const table *t, int i) { return t->coefficient[i & 63] + t->more[i]; }

extern "C" __global__ void constant(const __grid_constant__ table t, float *__restrict__ out, const float *__restrict__ in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 *wide = (const float4 *)__builtin_assume_aligned(in, 16);
    __builtin_assume(t.n > 0);
    float4 v = wide[i];
    out[i] = sum(&t, i) + v.x * t.coefficient[i % t.n] + __ldg(in + i);
}

extern "C" __global__ void by_value(table t, float *out) { out[threadIdx.x] = t.coefficient[threadIdx.x] + t.n; }

template <int N> struct pack { int v[N]; };
template <int N> __global__ void packs(pack<N> p, int *out) { out[threadIdx.x] = p.v[threadIdx.x % N]; }
template __global__ void packs<1>(pack<1>, int *);
template __global__ void packs<300>(pack<300>, int *);
