// Symbols: addresses, sizes, copies with offsets in all directions, templates, a static member, a bad one.
#include "say.h"

__device__ int numbers[10] = {1, 2, 3};
__device__ double one = 1.5;
static __device__ short hidden[3] = {7, 8, 9};
template <typename T> __device__ T generic = T(3);
namespace inner { __device__ unsigned char deep = 200; }
__device__ int *pointer = &numbers[2];
__device__ const char text[] = "on the device";

__global__ void touch()
{
    int t = threadIdx.x;
    numbers[t] += t + hidden[t % 3] + (int)generic<float> + inner::deep + *pointer * (t == 4);
    if (t == 0)
        one *= generic<int>;
}

int main()
{
    int host[10];
    double d;
    void *address;
    size_t size;
    char s[20] = "";
    RT(cudaGetSymbolAddress(&address, numbers));
    RT(cudaMemset((int *)address + 9, 0, 4));
    RT(cudaGetSymbolSize(&size, numbers));
    printf("%zu\n", size);
    int two[2] = {50, 60};
    RT(cudaMemcpyToSymbol(numbers, two, sizeof two, 4 * sizeof(int)));
    float f = 11;
    RT(cudaMemcpyToSymbol(generic<float>, &f, 4));
    touch<<<1, 10>>>();
    RT(cudaMemcpyFromSymbol(host, numbers, sizeof host));
    RT(cudaMemcpyFromSymbol(&d, one, sizeof d));
    for (int x : host)
        printf("%d ", x);
    printf("%g\n", d);
    RT(cudaMemcpyFromSymbolAsync(host, numbers, 4, 8, cudaMemcpyDeviceToHost, 0));
    RT(cudaMemcpyToSymbolAsync(numbers, address, 8, 32, cudaMemcpyDeviceToDevice, 0));
    RT(cudaDeviceSynchronize());
    RT(cudaMemcpyFromSymbol(host + 8, numbers, 8, 32));
    printf("%d %d %d\n", host[0], host[8], host[9]);
    RT(cudaMemcpyFromSymbol(s, text, sizeof text));
    printf("%s\n", s);
    SAY(cudaMemcpyFromSymbol(host, numbers, 44));
    int not_one;
    SAY(cudaGetSymbolSize(&size, (const void *)&not_one));
    SAY(cudaGetSymbolAddress(&address, (const void *)&not_one));
    return 0;
}
