// Arguments: a struct by value, one of 20000 bytes, __grid_constant__, alignment, many, and how an array decays.
#include "say.h"

struct small { char c; double d; short s[3]; };
struct alignas(32) wide { float f[8]; };
struct large { int v[5000]; };

__global__ void one(int *out, small a, char b, wide w, bool t, small c)
{
    int i = threadIdx.x;
    out[i] = a.c + (int)a.d + a.s[i % 3] + b + (int)w.f[i % 8] + t + c.s[2] * 1000;
}
__global__ void two(int *out, const __grid_constant__ large l)
{
    int i = threadIdx.x, s = 0;
    const int *p = &l.v[i];
    for (int k = 0; k < 5000 - 32; k += 32)
        s += p[k];
    out[i] = s;
}
__global__ void many(int *out, char a, short b, int c, long long d, float e, double f, const int *g, char h, int3 i, uchar4 j)
{
    out[threadIdx.x] = a + b + c + (int)d + (int)e + (int)f + g[3] + h + i.x * i.y * i.z + j.w;
}

static void show(int *device)
{
    int host[32];
    RT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int x : host)
        printf("%d ", x);
    printf("\n");
}

int main()
{
    static large l;
    int *device;
    RT(cudaMalloc(&device, 128));
    RT(cudaMemset(device, 1, 128));
    small a = {5, 100.75, {1, 2, 3}}, c = {0, 0, {7, 8, 9}};
    wide w = {{10, 20, 30, 40, 50, 60, 70, 80}};
    one<<<1, 32>>>(device, a, -3, w, true, c);
    show(device);
    for (int i = 0; i < 5000; i++)
        l.v[i] = i * i % 1000;
    two<<<1, 32>>>(device, l);
    show(device);
    int *g;
    RT(cudaMallocManaged(&g, 16));
    g[3] = 5000;
    many<<<1, 32>>>(device, 1, -2, 3, -4, 5.5f, 6.5, g, 8, make_int3(2, 3, 4), make_uchar4(0, 0, 0, 200));
    show(device);
    return 0;
}
