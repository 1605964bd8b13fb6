/* debug.cu - three of the workloads as a debug build makes them: nvcc -G -ptx (debug.ptx). */
extern "C" __global__ void fma_loop_debug(float *out, int n, float m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x[8];
    for (int k = 0; k < 8; k++) x[k] = (float)(i + k);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < 8; j++) x[j] = __fmaf_rn(x[j], m, 1.0f);
    float sum = x[0] + x[1];
    for (int k = 2; k < 8; k++) sum += x[k];
    out[i] = sum;
}

extern "C" __global__ void sgemm_naive_debug(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) sum = __fmaf_rn(a[row * n + k], b[k * n + col], sum);
    c[row * n + col] = sum;
}

static __device__ unsigned mix(unsigned h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

extern "C" __global__ void hashrounds_debug(unsigned *out, int rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h = i * 2654435761u;
    for (int k = 0; k < rounds; k++) {
        h = mix(h) + k;
        h = h << 7 | h >> 25;
    }
    out[i] = h;
}
