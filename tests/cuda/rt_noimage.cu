// Kernels of which the fat binary holds nothing for the device: every call says so, and nothing else is hurt.
// nvcc: -gencode arch=compute_120,code=compute_120
#include "say.h"

__device__ int variable;

__global__ void kernel(int *p)
{
    *p = 1;
}

static void say(const char *what, cudaError_t error)
{
    printf("%s: %s, last %s\n", what, cudaGetErrorName(error), cudaGetErrorName(cudaGetLastError()));
}

int main()
{
    int *p = nullptr, n;
    void *args[] = {&p}, *address;
    size_t bytes;
    cudaFuncAttributes attributes;
    cudaFunction_t function;
    cudaKernel_t handle;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = 1;
    RT(cudaMalloc(&p, 64));
    kernel<<<1, 1>>>(p);
    say("launch", cudaPeekAtLastError());
    say("wait", cudaDeviceSynchronize());
    kernel<<<1, 1>>>(p);
    say("launch again", cudaGetLastError());
    say("cudaLaunchKernel", cudaLaunchKernel((void *)kernel, 1, 1, args, 0, 0));
    say("cudaLaunchCooperativeKernel", cudaLaunchCooperativeKernel((void *)kernel, 1, 1, args, 0, 0));
    say("cudaLaunchKernelEx", cudaLaunchKernelEx(&config, kernel, p));
    say("cudaFuncGetAttributes", cudaFuncGetAttributes(&attributes, kernel));
    say("cudaFuncSetAttribute",
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    say("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, 32, 0));
    say("cudaGetFuncBySymbol", cudaGetFuncBySymbol(&function, (void *)kernel));
    say("cudaGetKernel", cudaGetKernel(&handle, (void *)kernel));
    say("cudaMemcpyToSymbol", cudaMemcpyToSymbol(variable, &n, 4));
    say("cudaGetSymbolAddress", cudaGetSymbolAddress(&address, variable));
    say("cudaGetSymbolSize", cudaGetSymbolSize(&bytes, variable));
    say("no kernel", cudaLaunchKernel((void *)main, 1, 1, nullptr, 0, 0));
    say("its attributes", cudaFuncGetAttributes(&attributes, (void *)main));
    say("null", cudaLaunchKernel(nullptr, 1, 1, nullptr, 0, 0));
    RT(cudaStreamCreate(&s));
    RT(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    kernel<<<1, 1, 0, s>>>(p);
    say("captured", cudaPeekAtLastError());
    say("end of the capture", cudaStreamEndCapture(s, &graph));
    RT(cudaFree(p));
    return 0;
}
