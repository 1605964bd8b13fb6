// The game of life: two boards in managed memory, swapped on the host.
#include "say.h"

__global__ void live(const unsigned char *a, unsigned char *b, int n)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y, s = 0;
    if (x >= n || y >= n)
        return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                s += a[(y + dy + n) % n * n + (x + dx + n) % n];
    b[y * n + x] = s == 3 || (s == 2 && a[y * n + x]);
}

int main()
{
    const int n = 30;
    unsigned char *a, *b;
    RT(cudaMallocManaged(&a, n * n));
    RT(cudaMallocManaged(&b, n * n));
    for (int i = 0; i < n * n; i++)
        a[i] = i * i % 7 == 2 || i % 11 == 3;
    for (int k = 0; k < 40; k++) {
        live<<<dim3(4, 4), dim3(8, 8)>>>(a, b, n);
        unsigned char *c = a;
        a = b;
        b = c;
    }
    RT(cudaDeviceSynchronize());
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++)
            putchar(a[y * n + x] ? '#' : '.');
        putchar('\n');
    }
    return 0;
}
