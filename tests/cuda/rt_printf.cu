// printf in kernels: every conversion, widths, strings, what it returns, many arguments, the order of one thread.
#include "say.h"

__device__ const char *names[] = {"zero", "one", "two"};

__global__ void kernel(int k)
{
    int n = printf("%d %5d|%-5d|%05d %+d %x %#X %o %u %c %%\n", k, k, k, k, k, k + 255, k + 255, k + 8, -k, 'A' + k);
    printf("%lld %llx %lu %hd %zu\n", -1234567890123ll, 0xdeadbeefcafeull, 77ul, (short)-3, sizeof(int));
    printf("%f %.3f %10.2f| %e %.2E %g %G %a\n", 3.14159, 2.5f, -1.005, 12345.678, 0.00012, 1e-10, 1e20, 0.75);
    printf("%s %10s|%-10s|%.2s\n", names[k % 3], "right", "left", "cut");
    printf("%*d|%-*d|\n", 6, 42, 6, 42);
    printf("%p %d\n", (void *)0x1234abcd, n);
    printf("nothing\n");
    printf("%d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    printf("%f %f %f\n", 1.0 / 0.0 * k, -1.0 / 0.0, 0.5f);
}

__global__ void each()
{
    printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}

int main()
{
    setvbuf(stdout, nullptr, _IONBF, 0);
    printf("before\n");
    kernel<<<1, 1>>>(1);
    RT(cudaDeviceSynchronize());
    kernel<<<1, 1>>>(2);
    cudaStream_t s;
    RT(cudaStreamCreate(&s));
    RT(cudaStreamSynchronize(0));
    each<<<1, 32, 0, s>>>();
    RT(cudaStreamSynchronize(s));
    each<<<1, 3, 0, s>>>();
    RT(cudaDeviceReset());
    printf("after\n");
    return 0;
}
