// shared.cu - dynamic shared memory of several types, volatile and bank-conscious tiles.
extern __shared__ __align__(16) unsigned char pool[];

template <typename T> __device__ T *slice(int offset)
{
    return reinterpret_cast<T *>(pool + offset);
}

extern "C" __global__ void shared(const float4 *in, float *out, volatile int *flag)
{
    __shared__ float tile[32][33];
    float4 *quads = slice<float4>(0);
    double *doubles = slice<double>(1024);
    unsigned char *bytes = slice<unsigned char>(2048);
    int t = threadIdx.x;
    quads[t] = in[t];
    doubles[t] = in[t].x;
    bytes[t] = (unsigned char)t;
    tile[t % 32][t / 32] = in[t].y;
    volatile float *again = &tile[0][0];
    *flag = 1;
    while (*flag != 1) {
    }
    __syncthreads();
    out[t] = quads[63 - t].w + (float)doubles[63 - t] + bytes[63 - t] + tile[t / 32][t % 32] + again[t] +
             __cvta_generic_to_shared(bytes);
}
