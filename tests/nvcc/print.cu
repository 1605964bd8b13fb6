// print.cu - printf with many argument types.
#include <cstdio>

extern "C" __global__ void print(const char *name, float f, double d, long long l, unsigned char c, int *p)
{
    printf("plain\n");
    printf("%s %f %e %g\n", name, f, d, f + d);
    int n =
        printf("%d %u %x %c %hd %lld %p %5.2f%%\n", threadIdx.x, blockDim.x, c, 'a' + c, (short)c, l, p, d);
    if (n != 8) printf("%d arguments\n", n);
}
