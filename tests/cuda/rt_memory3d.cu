// Boxes: cudaMalloc3D, cudaMemcpy3D with offsets, cudaMemset3D.
#include "say.h"

__global__ void fill(cudaPitchedPtr p, cudaExtent e)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    if (x * sizeof(int) < e.width && y < e.height)
        ((int *)((char *)p.ptr + z * p.pitch * e.height + y * p.pitch))[x] = x + 100 * y + 10000 * z;
}

int main()
{
    const int w = 12, h = 7, d = 5;
    static int host[d][h][w];
    cudaExtent e = make_cudaExtent(w * sizeof(int), h, d);
    cudaPitchedPtr p;
    RT(cudaMalloc3D(&p, e));
    printf("pitch %zu xsize %zu ysize %zu\n", p.pitch, p.xsize, p.ysize);
    RT(cudaMemset3D(p, 0xff, e));
    fill<<<d - 1, dim3(16, 8)>>>(p, e);
    cudaMemcpy3DParms c = {};
    c.srcPtr = p;
    c.dstPtr = make_cudaPitchedPtr(host, w * sizeof(int), w, h);
    c.extent = e;
    c.kind = cudaMemcpyDeviceToHost;
    RT(cudaMemcpy3D(&c));
    printf("%d %d %d %d\n", host[0][0][0], host[1][2][3], host[3][6][11], host[4][0][0]);
    cudaMemcpy3DParms s = {};
    int patch[2][2][3];
    for (int i = 0; i < 12; i++)
        patch[i / 6][i / 3 % 2][i % 3] = -i - 1;
    s.srcPtr = make_cudaPitchedPtr(patch, 3 * sizeof(int), 3, 2);
    s.dstPtr = p;
    s.dstPos = make_cudaPos(4 * sizeof(int), 3, 2);
    s.extent = make_cudaExtent(3 * sizeof(int), 2, 2);
    s.kind = cudaMemcpyHostToDevice;
    RT(cudaMemcpy3DAsync(&s));
    RT(cudaMemset3DAsync(make_cudaPitchedPtr(p.ptr, p.pitch, p.xsize, p.ysize), 0, make_cudaExtent(8, 2, 1)));
    RT(cudaMemcpy3D(&c));
    long long sum = 0;
    for (int i = 0; i < w * h * d; i++)
        sum = (sum * 31 + ((int *)host)[i]) % 1000000007;
    printf("%lld: %d %d %d\n", sum, host[2][3][4], host[3][4][6], host[0][1][1]);
    c.extent.width = p.pitch + 1;
    SAY(cudaMemcpy3D(&c));
    SAY(cudaFree(p.ptr));
    return 0;
}
