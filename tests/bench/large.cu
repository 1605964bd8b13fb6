// large.cu - a large module in nvcc's own words, for the checker's benchmark: many instances of a few kernels, each
// unrolled to another length, with the mix of loads, arithmetic, branches, calls and conversions of real programs.
#include <cuda_fp16.h>
#include <math.h>

template <int N> __global__ void polynomial(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], s = 0.25f;
#pragma unroll
    for (int k = 0; k < 40 + N; k++) s = fmaf(s, v, x[(i + k * (N + 1)) % n]);
    y[i] = s;
}

template <int N> __global__ void rounds(unsigned *data, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h = i * 2654435761u;
#pragma unroll
    for (int k = 0; k < 30 + N; k++) {
        h ^= h >> (13 + k % 5);
        h *= 0x85ebca6bu + 2 * k;
        h = (h << 7) | (h >> 25);
        if (h & (1u << (k % 31))) data[(h + k) % n] += h;
    }
    data[i % n] = h;
}

template <int N> __global__ void tile(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[16][16], right[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum[4] = {};
    for (int m = 0; m < n; m += 16) {
        left[ty][tx] = a[row * n + m + tx];
        right[ty][tx] = b[(m + ty) * n + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16 + N % 32; k++) sum[k % 4] += left[ty][k % 16] * right[k % 16][(tx + k / 16) % 16];
        __syncthreads();
    }
    c[row * n + column] = sum[0] + sum[1] + sum[2] + sum[3];
}

template <int N> __global__ void mathematics(const double *x, float4 *y, __half2 *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
    float4 f = y[i];
    __half2 h = z[i];
#pragma unroll
    for (int k = 0; k < 2 + N % 4; k++) {
        f.x += sinf(f.y * k + N);
        f.z = expf(f.w) / (1.0f + f.x * f.x);
        v = v * 1.5 + pow(v, 1.0 / (k + 2));
        h = __hfma2(h, h, __float2half2_rn(f.z));
    }
    f.w = (float)v;
    y[i] = f;
    z[i] = h;
}

template <int N> struct series {
    static void make()
    {
        polynomial<N><<<1, 1>>>(nullptr, nullptr, 0);
        rounds<N><<<1, 1>>>(nullptr, 0);
        tile<N><<<1, 1>>>(nullptr, nullptr, nullptr, 0);
        mathematics<N><<<1, 1>>>(nullptr, nullptr, nullptr, 0);
        series<N - 1>::make();
    }
};
template <> struct series<0> { static void make() {} };

void all() { series<LARGE>::make(); }
