// nested.cu - device-side launches: parameters of many types, streams, events, errors. nvcc: -rdc=true
struct point {
    char tag;
    double x, y;
};

__global__ void leaf(char c, short s, long long l, float f, double d, point p, int *out)
{
    out[threadIdx.x] = c + s + (int)(l + f + d + p.x);
}
template <typename T> __global__ void typed(T *p, T v)
{
    p[threadIdx.x] = v;
}

extern "C" __global__ void root(int *out, float *f)
{
    cudaStream_t s;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    leaf<<<1, 32, 0, s>>>('c', 2, 3, 4.0f, 5.0, point{'p', 1, 2}, out);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(0, e, 0);
    typed<<<dim3(2, 1, 1), dim3(8, 4, 1), 64>>>(f, 1.0f);
    typed<<<1, 1, 0, cudaStreamFireAndForget>>>(out, 7);
    cudaMemcpyAsync(out, out + 32, 64, cudaMemcpyDeviceToDevice, s);
    cudaMemsetAsync(f, 0, 64, s);
    if (cudaGetLastError() != cudaSuccess || cudaPeekAtLastError() != cudaSuccess) out[99] = -1;
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    int device, value;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, device);
    out[98] = value;
}
