// graph.cu - graphs launched from kernels, conditional nodes, programmatic dependent launch. nvcc: -rdc=true
#include <cuda_runtime.h>

extern "C" __global__ void launch(cudaGraphExec_t graph, cudaGraphConditionalHandle handle, int *p)
{
    if (threadIdx.x == 0) {
        cudaGraphSetConditional(handle, p[0] > 0);
        cudaGraphLaunch(graph, cudaStreamGraphTailLaunch);
        cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphFireAndForget);
    }
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}
