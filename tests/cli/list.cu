// Kernels whose arguments are hard to guess (nvcc -ptx -arch=sm_90 -o list.ptx list.cu; test_list.py runs what --list prints).
struct Mixed { float *x; int n; double *y; short s; char c; };
struct Numbers { float m[16]; };
struct Nested { int2 p; float4 *v; struct { unsigned char *bytes; bool on; } inner; };
struct Big { double weights[100]; int *at; };
struct Odd { char c[3]; };

__constant__ float table[8];
__device__ int seen;
__device__ int counter;

__global__ void mixed(Mixed s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.n) s.y[i] = s.x[i] * s.s + s.c;
}

__global__ void numbers(Numbers s, float *o) { o[threadIdx.x] = s.m[threadIdx.x & 15]; }

__global__ void nested(Nested s, size_t n, unsigned char *q)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) {
        q[i] = s.p.x;
        s.v[i].z = 1;
        if (s.inner.on) s.inner.bytes[i] = 2;
    }
}

__global__ void big(Big b) { b.at[threadIdx.x] = (int)b.weights[threadIdx.x % 100]; }

__global__ void odd(Odd a, Odd b, short *out) { out[threadIdx.x] = a.c[threadIdx.x % 3] + b.c[1]; }

__global__ void shared(double *o)
{
    extern __shared__ double sh[];
    sh[threadIdx.x] = table[threadIdx.x & 7];
    __syncthreads();
    o[threadIdx.x] = sh[threadIdx.x] + seen;
    atomicAdd(&counter, 1);
}

__global__ void __launch_bounds__(64) bounded(double *o) { o[threadIdx.x + 64 * blockIdx.x] = 1; }

__global__ void tiled(const float *a, float *o, int width, int height)
{
    __shared__ float tile[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = a[y * width + x];
    __syncthreads();
    if (x < width && y < height) o[y * width + x] = tile[threadIdx.y][threadIdx.x];
}

static __device__ __noinline__ void put(long long *p, int i, long long v) { p[i] = v; }
__global__ void called(long long *p, const unsigned short *h) { put(p, blockIdx.x * blockDim.x + threadIdx.x, h[threadIdx.x]); }

__global__ void vectors(const double2 *in, uint4 *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i].x = in[i].y > 1; }

__global__ void deep(float *data, int a, int b, int c) { int i = threadIdx.z * 64 + threadIdx.y * 8 + threadIdx.x; data[i] = a + b + c; }

__global__ void scalars(bool flag, char c, short s, unsigned long long u, float f, double d, double *o)
{
    o[threadIdx.x] = flag + c + s + u + f + d;
}
