// Memory: plain, rows with a pitch, copies of rectangles in all directions, fills, wrong arguments.
#include "say.h"

__global__ void add(unsigned char *p, size_t pitch, int w, int h)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x < w && y < h)
        p[y * pitch + x] += x + y;
}

static unsigned sum(const unsigned char *p, size_t n)
{
    unsigned s = 0;
    for (size_t i = 0; i < n; i++)
        s = s * 31 + p[i];
    return s;
}

int main()
{
    enum { W = 100, H = 40 };
    static unsigned char a[W * H], b[W * H];
    unsigned char *p, *q;
    size_t pitch, free_bytes, total;
    for (int i = 0; i < W * H; i++)
        a[i] = i * 7;
    RT(cudaMallocPitch(&p, &pitch, W, H));
    printf("pitch %zu\n", pitch);
    RT(cudaMemcpy2D(p, pitch, a, W, W, H, cudaMemcpyHostToDevice));
    add<<<H, 128>>>(p, pitch, W, H);
    RT(cudaMemset2D(p + 5, pitch, 9, 10, 3));
    RT(cudaMemcpy2D(b, W, p, pitch, W, H, cudaMemcpyDeviceToHost));
    printf("%u\n", sum(b, sizeof b));
    RT(cudaMalloc(&q, W * H));
    RT(cudaMemset(q, 0x5a, W * H));
    RT(cudaMemcpy2D(q + 10, W, p + pitch, pitch, 50, 20, cudaMemcpyDeviceToDevice));
    RT(cudaMemset(q + 3000, 1, 77));
    RT(cudaMemcpy(b, q, sizeof b, cudaMemcpyDefault));
    printf("%u\n", sum(b, sizeof b));
    RT(cudaMemcpyAsync(q, a, sizeof a, cudaMemcpyHostToDevice, 0));
    RT(cudaMemset2DAsync(q, W, 3, 7, H, 0));
    RT(cudaMemcpyAsync(b, q, sizeof b, cudaMemcpyDeviceToHost, 0));
    RT(cudaDeviceSynchronize());
    printf("%u\n", sum(b, sizeof b));
    RT(cudaMemcpy(b, a, sizeof b, cudaMemcpyHostToHost));
    printf("%d\n", memcmp(a, b, sizeof a));
    RT(cudaMemGetInfo(&free_bytes, &total));
    printf("%d %d\n", free_bytes > 0, free_bytes < total);
    cudaPointerAttributes at;
    RT(cudaPointerGetAttributes(&at, q + 5));
    printf("type %d device %d same %d host %d\n", at.type, at.device, at.devicePointer == q + 5, at.hostPointer != nullptr);
    RT(cudaPointerGetAttributes(&at, a));
    printf("type %d device %d\n", at.type, at.device);
    SAY(cudaMemcpy2D(b, 10, p, pitch, W, H, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(b, q, 10, (cudaMemcpyKind)9));
    SAY(cudaMemcpy(nullptr, q, 10, cudaMemcpyDeviceToHost));
    SAY(cudaMalloc((void **)&q, (size_t)1 << 60));
    SAY(cudaGetLastError());
    SAY(cudaMalloc((void **)nullptr, 4));
    SAY(cudaMemset(nullptr, 0, 0));
    SAY(cudaFree(nullptr));
    SAY(cudaFree(p));
    SAY(cudaFree(p));
    SAY(cudaFree(a));
    SAY(cudaMalloc((void **)&p, 0));
    printf("%d\n", p == nullptr);
    return 0;
}
