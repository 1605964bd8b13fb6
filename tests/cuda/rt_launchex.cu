// Launches by configuration: cudaLaunchKernelEx with attributes, cudaLaunchKernel, programmatic order, a cooperative one.
#include "say.h"
#include <cooperative_groups.h>

__global__ void add(int *p, int a, float b) { p[blockIdx.x * blockDim.x + threadIdx.x] += a + (int)b + blockIdx.y; }

__global__ void first(int *p)
{
    p[threadIdx.x] = threadIdx.x * 2;
    cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void second(int *p)
{
    cudaGridDependencySynchronize();
    p[threadIdx.x] += p[(threadIdx.x + 1) % 32];
}
__global__ void together(int *p)
{
    cooperative_groups::grid_group g = cooperative_groups::this_grid();
    p[g.thread_rank()] = g.thread_rank();
    g.sync();
    int x = p[g.size() - 1 - g.thread_rank()];
    g.sync();
    p[g.thread_rank()] = x + 1;
}

static int *p, host[64];
static void show(const char *what)
{
    RT(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    printf("%s: %d %d %d %d\n", what, host[0], host[1], host[31], host[63]);
}

int main()
{
    cudaStream_t s;
    RT(cudaStreamCreate(&s));
    RT(cudaMalloc(&p, sizeof host));
    RT(cudaMemset(p, 0, sizeof host));
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(2);
    c.blockDim = dim3(32);
    c.stream = s;
    RT(cudaLaunchKernelEx(&c, add, p, 5, 2.5f));
    RT(cudaStreamSynchronize(s));
    show("ex");
    int a = 100;
    float b = 1;
    void *args[] = {&p, &a, &b};
    RT(cudaLaunchKernel((const void *)add, dim3(1, 3), dim3(64), args, 0, s));
    RT(cudaStreamSynchronize(s));
    cudaLaunchAttribute at[2] = {};
    at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    at[0].val.programmaticStreamSerializationAllowed = 1;
    at[1].id = cudaLaunchAttributePriority;
    at[1].val.priority = 0;
    first<<<1, 32, 0, s>>>(p);
    c.gridDim = dim3(1);
    c.attrs = at;
    c.numAttrs = 2;
    RT(cudaLaunchKernelEx(&c, second, p));
    RT(cudaStreamSynchronize(s));
    printf("serial done\n");
    void *one[] = {&p};
    RT(cudaLaunchCooperativeKernel((const void *)together, dim3(4), dim3(16), one, 0, s));
    RT(cudaStreamSynchronize(s));
    show("cooperative");
    at[0].id = cudaLaunchAttributeCooperative;
    at[0].val.cooperative = 1;
    c.gridDim = dim3(2);
    c.numAttrs = 1;
    RT(cudaLaunchKernelEx(&c, together, p));
    RT(cudaStreamSynchronize(s));
    show("cooperative attribute");
    SAY(cudaLaunchCooperativeKernel((const void *)together, dim3(1000000), dim3(1024), one, 0, s));
    SAY(cudaGetLastError());
    c.blockDim = dim3(4096);
    SAY(cudaLaunchKernelEx(&c, together, p));
    SAY(cudaGetLastError());
    return 0;
}
