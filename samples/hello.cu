// hello.cu - a grid that launches a grid that prints, and a line that is always last.
//
// nvcc -arch=sm_75 -rdc=true -G -ptx hello.cu -o hello.ptx
// (-G: the unoptimised style of PTX, every variable in .local memory, with debug sections.)
//
// parent prints, launches child, and queues closing in the tail launch stream. The parent's own lines and the
// child's come in any order; the tail launch starts when the parent and all it launched have ended.

#include <cstdio>

__global__ void child(int parents_thread)
{
    printf("  child:  hello from thread %u, launched by thread %d\n", threadIdx.x, parents_thread);
}

__global__ void closing()
{
    printf("tail:     everybody has spoken\n");
}

extern "C" __global__ void parent()
{
    const int thread = threadIdx.x;
    printf("parent: hello from thread %d\n", thread);
    child<<<1, 2>>>(thread);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) printf("parent: launch failed: %s\n", cudaGetErrorString(error));
    if (thread == 0) closing<<<1, 1, 0, cudaStreamTailLaunch>>>();
}
