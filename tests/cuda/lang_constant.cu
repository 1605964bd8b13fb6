// Constant memory: initialised, set from the host, indexed differently by each lane, a struct, a table of pointers.
#include "say.h"

__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ struct { float scale; int shift[3]; const int *list; } setup;
__constant__ double poly[5];

__global__ void use(double *out)
{
    int t = threadIdx.x;
    double x = t * 0.25, y = 0;
    for (int i = 4; i >= 0; i--)
        y = __dadd_rn(__dmul_rn(y, x), poly[i]);
    out[t] = y + primes[t % 8] + setup.scale * setup.shift[t % 3] + setup.list[(t + 1) % 8];
}

int main()
{
    struct { float scale; int shift[3]; const int *list; } mine = {0.5f, {10, 20, 30}, nullptr};
    double p[5] = {1, -2, 0.5, 0.25, -0.125}, host[32], *device;
    size_t size;
    RT(cudaGetSymbolAddress((void **)&mine.list, primes));
    RT(cudaMemcpyToSymbol(setup, &mine, sizeof mine));
    RT(cudaMemcpyToSymbol(poly, p, 3 * sizeof(double)));
    RT(cudaMemcpyToSymbol(poly, p + 3, 2 * sizeof(double), 3 * sizeof(double)));
    RT(cudaGetSymbolSize(&size, poly));
    printf("size %zu\n", size);
    RT(cudaMalloc(&device, sizeof host));
    use<<<1, 32>>>(device);
    RT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (double x : host)
        printf("%a\n", x);
    SAY(cudaMemcpyToSymbol(poly, p, sizeof p, 8));
    return 0;
}
