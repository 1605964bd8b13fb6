// The shape of the programs that show one feature of the language: a kernel `test` fills an array of 64-bit
// words, main prints the launch and the words. Their PTX can be run by any host that reads the first line
// (kept.c does).
#pragma once
#include "say.h"

#ifndef STACK /* bytes a thread */
#define STACK 1024
#endif

typedef unsigned long long word;

#define WORDS_MAIN(grid, block, shared, count)                                                               \
    int main()                                                                                               \
    {                                                                                                        \
        static word host[count];                                                                             \
        word *device;                                                                                        \
        printf("test<<<%d, %d, %d>>> %d\n", grid, block, shared, count);                                     \
        RT(cudaDeviceSetLimit(cudaLimitStackSize, STACK));                                                   \
        RT(cudaMalloc(&device, sizeof host));                                                                \
        RT(cudaMemset(device, 0, sizeof host));                                                              \
        test<<<grid, block, shared>>>(device);                                                               \
        RT(cudaGetLastError());                                                                              \
        RT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));                                   \
        for (int i = 0; i < count; i++)                                                                      \
            printf("%016llx%c", host[i], i % 4 == 3 || i == count - 1 ? '\n' : ' ');                         \
        return 0;                                                                                            \
    }

static __device__ __host__ inline word mix(word a, word b)
{
    a = (a ^ b) * 0x9e3779b97f4a7c15ull;
    return a ^ (a >> 29);
}
