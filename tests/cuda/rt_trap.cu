// What ends a kernel: trap, a misaligned access, a jump out of shared memory; each in a process of its own (argument).
#include "say.h"
#include <unistd.h>
#include <sys/wait.h>

__global__ void trap(int *p)
{
    if (threadIdx.x == 3)
        __trap();
    p[threadIdx.x] = 1;
}
__global__ void misaligned(char *p) { *(int *)(p + 1 + threadIdx.x) = 1; }
__global__ void out_of_shared(int *p)
{
    extern __shared__ int s[];
    s[(1 << 20) + threadIdx.x] = 1;
    p[threadIdx.x] = s[threadIdx.x];
}
__global__ void by_null(int **p) { **p = 1; }

int main(int argc, char **argv)
{
    if (argc < 2) {
        for (const char *what : {"trap", "misaligned", "shared", "null"}) {
            fflush(stdout);
            if (fork() == 0) {
                execl("/proc/self/exe", argv[0], what, (char *)nullptr);
                _exit(9);
            }
            int status;
            wait(&status);
            printf("%s: %d\n", what, WEXITSTATUS(status));
        }
        return 0;
    }
    int *p;
    RT(cudaMalloc(&p, 4096));
    RT(cudaMemset(p, 0, 4096));
    if (argv[1][0] == 't')
        trap<<<1, 32>>>(p);
    else if (argv[1][0] == 'm')
        misaligned<<<1, 32>>>((char *)p);
    else if (argv[1][0] == 's')
        out_of_shared<<<1, 32, 128>>>(p);
    else
        by_null<<<1, 1>>>((int **)p);
    SAY(cudaGetLastError());
    SAY(cudaDeviceSynchronize());
    SAY(cudaFree(p));
    return cudaGetLastError() == cudaSuccess ? 0 : 4;
}
