// Threads of the host, each with its own default stream (per-thread), its own last error and its own work.
// nvcc: --default-stream per-thread -Xcompiler -pthread
#include "say.h"
#include <thread>
#include <vector>

__global__ void work(int *p, int k)
{
    int x = k;
    for (int i = 0; i < 2000; i++)
        x = x * 1664525 + 1013904223;
    p[threadIdx.x] = x + threadIdx.x;
}

static int results[8][32];
static cudaError_t errors[8];

static void run(int k)
{
    int *p;
    RT(cudaSetDevice(0));
    RT(cudaMalloc(&p, 128));
    for (int i = 0; i < 20; i++)
        work<<<1, 32>>>(p, k + i);
    if (k % 2)
        work<<<1, 5000>>>(p, k);
    errors[k] = cudaGetLastError();
    RT(cudaMemcpyAsync(results[k], p, 128, cudaMemcpyDeviceToHost, 0));
    RT(cudaStreamSynchronize(0));
    RT(cudaFree(p));
}

int main()
{
    std::vector<std::thread> all;
    for (int k = 0; k < 8; k++)
        all.emplace_back(run, k);
    for (auto &t : all)
        t.join();
    for (int k = 0; k < 8; k++)
        printf("%d %d %s\n", results[k][0], results[k][31], cudaGetErrorName(errors[k]));
    SAY(cudaGetLastError());
    return 0;
}
