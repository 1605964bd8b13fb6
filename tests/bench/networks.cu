/*
 * networks.cu - kernels of the kind that neural networks are made of, for networks.c; networks.ptx is what
 * nvcc -ptx -arch=sm_90 makes of it.
 *
 * All have one signature: float inputs a and b, an index, and an output of 32-bit words, of rows of `cols`
 * elements. Blocks have 256 threads.
 */
#include <cuda_fp16.h>
#include <mma.h>

#define KERNEL(name)                                                                                                 \
    extern "C" __global__ void name(const float *__restrict__ a, const float *__restrict__ b,                        \
                                    const int *__restrict__ index, void *__restrict__ out, int rows, int cols)
#define OUT ((float *)out)
#define INTS ((int *)out)

enum { THREADS = 256, WARPS = THREADS / 32 };

template <typename T, typename F> __device__ T block_reduce(T x, T none, F f)
{
    __shared__ T part[WARPS];
    for (int d = 16; d; d >>= 1) x = f(x, __shfl_xor_sync(~0u, x, d));
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    x = none;
    for (int i = 0; i < WARPS; i++) x = f(x, part[i]);
    return x;
}
struct Sum {
    template <typename T> __device__ T operator()(T x, T y) const { return x + y; }
};
struct Max {
    template <typename T> __device__ T operator()(T x, T y) const { return x > y ? x : y; }
};

/* Of a row: the largest element, and the sum of all exponentials relative to it. */
__device__ void softmax_of(const float *__restrict__ x, int cols, float &most, float &sum)
{
    most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < cols; i += THREADS) most = fmaxf(most, x[i]);
    most = block_reduce(most, -INFINITY, Max());
    for (int i = threadIdx.x; i < cols; i += THREADS) sum += __expf(x[i] - most);
    sum = block_reduce(sum, 0.0f, Sum());
}

KERNEL(softmax)
{
    const float *x = a + blockIdx.x * cols;
    float most, sum;
    softmax_of(x, cols, most, sum);
    for (int i = threadIdx.x; i < cols; i += THREADS) OUT[blockIdx.x * cols + i] = __expf(x[i] - most) / sum;
}

KERNEL(layernorm)
{
    const float *x = a + blockIdx.x * cols;
    float sum = 0, square = 0;
    for (int i = threadIdx.x; i < cols; i += THREADS) sum += x[i];
    const float mean = block_reduce(sum, 0.0f, Sum()) / cols;
    for (int i = threadIdx.x; i < cols; i += THREADS) square += (x[i] - mean) * (x[i] - mean);
    const float scale = rsqrtf(block_reduce(square, 0.0f, Sum()) / cols + 1e-5f);
    for (int i = threadIdx.x; i < cols; i += THREADS)
        OUT[blockIdx.x * cols + i] = (x[i] - mean) * scale * b[i] + b[cols + i];
}

KERNEL(rmsnorm)
{
    const float *x = a + blockIdx.x * cols;
    float square = 0;
    for (int i = threadIdx.x; i < cols; i += THREADS) square += x[i] * x[i];
    const float scale = rsqrtf(block_reduce(square, 0.0f, Sum()) / cols + 1e-6f);
    for (int i = threadIdx.x; i < cols; i += THREADS) OUT[blockIdx.x * cols + i] = x[i] * scale * b[i];
}

KERNEL(gelu)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float x = a[i] * 4, t = 0.7978845608f * (x + 0.044715f * x * x * x);
    OUT[i] = 0.5f * x * (1 + tanhf(t));
}

KERNEL(swiglu)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float x = a[i] * 4;
    OUT[i] = x / (1 + __expf(-x)) * b[i];
}

/* Pairs (i, i + cols / 2) of a row are rotated by row * 10000^(-2i / cols). */
KERNEL(rope)
{
    const int i = threadIdx.x, half = cols / 2, at = blockIdx.x * cols;
    for (int k = i; k < half; k += THREADS) {
        const float angle = blockIdx.x % 64 * exp2f(-13.28771238f * k / half);
        float s, c;
        __sincosf(angle, &s, &c);
        const float x = a[at + k], y = a[at + half + k];
        OUT[at + k] = x * c - y * s;
        OUT[at + half + k] = x * s + y * c;
    }
}

KERNEL(cross_entropy)
{
    const float *x = a + blockIdx.x * cols;
    float most, sum;
    softmax_of(x, cols, most, sum);
    if (threadIdx.x == 0) OUT[blockIdx.x] = most + __logf(sum) - x[index[blockIdx.x] % cols];
}

/* A float and its place in one number that orders them: larger first, of equal ones the first. */
__device__ unsigned long long ranked(float x, int i)
{
    const unsigned bits = __float_as_uint(x);
    return (unsigned long long)(bits >> 31 ? ~bits : bits | 0x80000000u) << 32 | ~(unsigned)i;
}

KERNEL(argmax)
{
    unsigned long long best = 0;
    for (int i = threadIdx.x; i < cols; i += THREADS) best = Max()(best, ranked(a[blockIdx.x * cols + i], i));
    best = block_reduce(best, 0ull, Max());
    if (threadIdx.x == 0) INTS[blockIdx.x] = (int)~(unsigned)best;
}

KERNEL(topk)
{
    unsigned long long last = ~0ull;
    for (int k = 0; k < 4; k++) {
        unsigned long long best = 0;
        for (int i = threadIdx.x; i < cols; i += THREADS) {
            const unsigned long long x = ranked(a[blockIdx.x * cols + i], i);
            if (x < last) best = Max()(best, x);
        }
        last = block_reduce(best, 0ull, Max());
        if (threadIdx.x == 0) INTS[blockIdx.x * 4 + k] = (int)~(unsigned)last;
    }
}

KERNEL(histogram_shared)
{
    __shared__ int bins[THREADS];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += THREADS) atomicAdd(&bins[index[blockIdx.x * cols + i] & 255], 1);
    __syncthreads();
    INTS[blockIdx.x * THREADS + threadIdx.x] = bins[threadIdx.x];
}

/* Sums from the left of each row of 256. */
KERNEL(scan)
{
    __shared__ int part[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, at = blockIdx.x * THREADS + threadIdx.x;
    int x = index[at] & 1023;
    for (int d = 1; d < 32; d <<= 1) {
        const int y = __shfl_up_sync(~0u, x, d);
        if (lane >= d) x += y;
    }
    if (lane == 31) part[warp] = x;
    __syncthreads();
    for (int i = 0; i < warp; i++) x += part[i];
    INTS[at] = x;
}

/* Of `rows` columns; 32x8 threads and tiles of 32x32. */
KERNEL(transpose_tiled)
{
    __shared__ float tile[32][33];
    const int x = threadIdx.x % 32, y = threadIdx.x / 32, across = cols / 32;
    const int column = blockIdx.x % across * 32, row = blockIdx.x / across * 32;
    for (int i = 0; i < 32; i += 8) tile[y + i][x] = a[(row + y + i) * cols + column + x];
    __syncthreads();
    for (int i = 0; i < 32; i += 8) OUT[(column + y + i) * rows + row + x] = tile[x][y + i];
}

KERNEL(conv1d)
{
    __shared__ float line[THREADS + 4];
    const int first = blockIdx.x * THREADS, n = rows * cols;
    for (int i = threadIdx.x; i < THREADS + 4; i += THREADS) {
        const int at = first + i - 2;
        line[i] = at >= 0 && at < n ? a[at] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 5; k++) sum += line[threadIdx.x + k] * b[k];
    OUT[first + threadIdx.x] = sum;
}

/* Channels of 32x32, each with its own 3x3 weights, and a rectifier. */
KERNEL(depthwise)
{
    const int at = blockIdx.x * THREADS + threadIdx.x, x = at % 32, y = at / 32 % 32, channel = at / 1024;
    float sum = 0;
    for (int i = -1; i <= 1; i++)
        for (int k = -1; k <= 1; k++)
            if (x + k >= 0 && x + k < 32 && y + i >= 0 && y + i < 32)
                sum += a[at + i * 32 + k] * b[channel % 64 * 9 + (i + 1) * 3 + k + 1];
    OUT[at] = fmaxf(sum, 0);
}

KERNEL(embedding)
{
    const int from = index[blockIdx.x] % rows;
    for (int i = threadIdx.x; i < cols; i += THREADS) OUT[blockIdx.x * cols + i] = a[from * cols + i];
}

/* A row to bytes, by its largest magnitude; the scale stands behind all rows. */
KERNEL(quantise)
{
    const float *x = a + blockIdx.x * cols;
    float most = 0;
    for (int i = threadIdx.x; i < cols; i += THREADS) most = fmaxf(most, fabsf(x[i]));
    most = block_reduce(most, 0.0f, Max());
    signed char *to = (signed char *)out + blockIdx.x * cols;
    for (int i = threadIdx.x; i < cols; i += THREADS) to[i] = (signed char)__float2int_rn(x[i] * (127 / most));
    if (threadIdx.x == 0) OUT[rows * cols / 4 + blockIdx.x] = most / 127;
}

KERNEL(dequantise)
{
    const int at = blockIdx.x * THREADS + threadIdx.x;
    const int word = index[at / 4];
    OUT[at] = (float)(signed char)(word >> at % 4 * 8) * b[at / cols];
}

/* 64x64 of a product of 128 columns; halves, sums in floats; 8 warps of 16x32 each. */
KERNEL(matmul)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) half x[64][48], y[32][80];
    const int warp = threadIdx.x / 32, row = blockIdx.x / (cols / 64) * 64, column = blockIdx.x % (cols / 64) * 64;
    fragment<accumulator, 16, 16, 16, float> sum[2];
    fill_fragment(sum[0], 0.0f);
    fill_fragment(sum[1], 0.0f);
    for (int k = 0; k < cols; k += 32) {
        for (int i = threadIdx.x; i < 64 * 32; i += THREADS)
            x[i / 32][i % 32] = __float2half_rn(a[(row + i / 32) * cols + k + i % 32]);
        for (int i = threadIdx.x; i < 32 * 64; i += THREADS)
            y[i / 64][i % 64] = __float2half_rn(b[(k + i / 64) * cols + column + i % 64]);
        __syncthreads();
        for (int j = 0; j < 32; j += 16) {
            fragment<matrix_a, 16, 16, 16, half, row_major> fa;
            load_matrix_sync(fa, &x[warp / 2 * 16][j], 48);
            for (int i = 0; i < 2; i++) {
                fragment<matrix_b, 16, 16, 16, half, row_major> fb;
                load_matrix_sync(fb, &y[j][warp % 2 * 32 + i * 16], 80);
                mma_sync(sum[i], fa, fb, sum[i]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        store_matrix_sync(OUT + (row + warp / 2 * 16) * cols + column + warp % 2 * 32 + i * 16, sum[i], cols,
                          mem_row_major);
}

/* One query (a row of a) against the first 256 rows of b as keys and as values; rows of 64. */
KERNEL(attention_step)
{
    __shared__ float query[64], weight[THREADS];
    if (threadIdx.x < 64) query[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    float dot = 0;
    for (int k = 0; k < 64; k++) dot += query[k] * b[threadIdx.x * 64 + k];
    dot *= 0.125f;
    const float most = block_reduce(dot, -INFINITY, Max()), e = __expf(dot - most);
    const float sum = block_reduce(e, 0.0f, Sum());
    weight[threadIdx.x] = e / sum;
    __syncthreads();
    if (threadIdx.x >= 64) return;
    float x = 0;
    for (int k = 0; k < THREADS; k++) x += weight[k] * b[k * 64 + threadIdx.x];
    OUT[blockIdx.x * 64 + threadIdx.x] = x;
}

/* The first step: both moments begin at zero. */
KERNEL(adam)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float g = b[i] + 0.01f * a[i], m = 0.1f * g, v = 0.001f * g * g;
    OUT[i] = a[i] - 1e-3f * (m / 0.1f) / (sqrtf(v / 0.001f) + 1e-8f);
}

__device__ unsigned philox(unsigned counter, unsigned key)
{
    unsigned c[4] = {counter, 0, 0, 0}, k[2] = {key, 0};
    for (int i = 0; i < 10; i++) {
        const unsigned high0 = __umulhi(0xD2511F53u, c[0]), low0 = 0xD2511F53u * c[0];
        const unsigned high1 = __umulhi(0xCD9E8D57u, c[2]), low1 = 0xCD9E8D57u * c[2];
        c[0] = high1 ^ c[1] ^ k[0];
        c[1] = low1;
        c[2] = high0 ^ c[3] ^ k[1];
        c[3] = low0;
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    return c[0];
}

KERNEL(dropout)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    OUT[i] = philox(i, 42) >> 8 < (1 << 24) * 3 / 4 ? a[i] * (4.0f / 3) : 0;
}

/* Rows of 512, smallest first. */
KERNEL(bitonic_sort)
{
    __shared__ int s[512];
    for (int i = threadIdx.x; i < 512; i += THREADS) s[i] = index[blockIdx.x * 512 + i];
    for (int size = 2; size <= 512; size *= 2)
        for (int d = size / 2; d; d /= 2) {
            __syncthreads();
            const int i = 2 * threadIdx.x - (threadIdx.x & (d - 1)), x = s[i], y = s[i + d];
            if ((x > y) == !(i & size)) s[i] = y, s[i + d] = x;
        }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += THREADS) INTS[blockIdx.x * 512 + i] = s[i];
}
