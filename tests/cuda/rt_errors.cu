// Errors: names and texts, the last one and peeking, bad launches, bad devices, handles that are none.
#include "say.h"

__global__ void kernel(int *p) { *p = threadIdx.x; }

int main()
{
    static const int known[] = {0, 1, 2, 3, 4, 9, 11, 17, 20, 21, 35, 46, 98, 100, 101, 200, 201, 209, 218, 222, 300,
                                400, 500, 600, 700, 701, 702, 709, 710, 715, 716, 717, 718, 719, 720, 801, 900, 999, 5};
    for (int e : known)
        printf("%d %s: %s\n", e, cudaGetErrorName((cudaError_t)e), cudaGetErrorString((cudaError_t)e));
    int *p, n;
    RT(cudaMalloc(&p, 4));
    kernel<<<1, 2000>>>(p);
    SAY(cudaPeekAtLastError());
    SAY(cudaGetLastError());
    SAY(cudaGetLastError());
    kernel<<<0, 1>>>(p);
    SAY(cudaGetLastError());
    kernel<<<1, 0>>>(p);
    SAY(cudaGetLastError());
    kernel<<<dim3(1, 70000), 1>>>(p);
    SAY(cudaGetLastError());
    kernel<<<1, dim3(1, 1, 65)>>>(p);
    SAY(cudaGetLastError());
    kernel<<<1, 1, 1 << 20>>>(p);
    SAY(cudaGetLastError());
    SAY(cudaLaunchKernel((const void *)&n, dim3(1), dim3(1), nullptr, 0, 0));
    SAY(cudaGetLastError());
    SAY(cudaSetDevice(99));
    SAY(cudaSetDevice(-1));
    SAY(cudaGetDeviceCount(nullptr));
    SAY(cudaGetDeviceProperties((cudaDeviceProp *)nullptr, 0));
    SAY(cudaPeekAtLastError());
    RT(cudaDeviceSynchronize());
    SAY(cudaGetLastError());
    kernel<<<1, 32>>>(p);
    SAY(cudaDeviceSynchronize());
    int version;
    RT(cudaRuntimeGetVersion(&version));
    printf("%d\n", version / 1000);
    return 0;
}
