// Bodies that attract each other: doubles, shared tiles, rounding as the compiler orders it.
#include "say.h"

struct body { double x, y, z, m, u, v, w; };

__global__ void move(const body *in, body *out, int n, double dt)
{
    __shared__ body tile[64];
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    body me = in[i];
    double ax = 0, ay = 0, az = 0;
    for (int k = 0; k < n; k += 64) {
        tile[threadIdx.x] = in[k + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 64; j++) {
            double dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            double r = rsqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, 0.01))));
            double f = tile[j].m * r * r * r;
            ax = fma(f, dx, ax);
            ay = fma(f, dy, ay);
            az = fma(f, dz, az);
        }
        __syncthreads();
    }
    me.u = fma(ax, dt, me.u);
    me.v = fma(ay, dt, me.v);
    me.w = fma(az, dt, me.w);
    me.x = fma(me.u, dt, me.x);
    me.y = fma(me.v, dt, me.y);
    me.z = fma(me.w, dt, me.z);
    out[i] = me;
}

int main()
{
    const int n = 128;
    static body host[n];
    body *a, *b;
    for (int i = 0; i < n; i++)
        host[i] = {i % 5 * 0.5, i % 7 * 0.25, i % 11 * 0.125, 1.0 + i % 3, 0, 0, 0};
    RT(cudaMalloc(&a, sizeof host));
    RT(cudaMalloc(&b, sizeof host));
    RT(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    for (int k = 0; k < 6; k++) {
        move<<<n / 64, 64>>>(a, b, n, 0.001);
        body *c = a;
        a = b;
        b = c;
    }
    RT(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i += 25)
        printf("%a %a %a\n", host[i].x, host[i].v, host[i].w);
    return 0;
}
