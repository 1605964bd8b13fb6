// Variables and functions of another file (relocatable device code); the other half is lang_files.part.cu.
// nvcc: -rdc=true lang_files.part.cu
#include "say.h"

extern __device__ int counter;
extern __constant__ float factor;
extern __device__ int step(int x);
struct thing {
    int a, b;
    __device__ int both() const;
};
void from_part(int *out);

__global__ void use(int *out)
{
    int t = threadIdx.x;
    thing x = {t, 3};
    out[t] = step(t) + x.both() + (int)(factor * 4);
    atomicAdd(&counter, t);
}

int main()
{
    int host[32], *device, total;
    float f = 2.5f;
    RT(cudaMalloc(&device, sizeof host));
    RT(cudaMemcpyToSymbol(factor, &f, sizeof f));
    use<<<1, 32>>>(device);
    RT(cudaMemcpyFromSymbol(&total, counter, sizeof total));
    RT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("counter %d, %d %d %d\n", total, host[0], host[5], host[31]);
    from_part(device);
    RT(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    RT(cudaMemcpyFromSymbol(&total, counter, sizeof total));
    printf("counter %d, %d %d %d\n", total, host[0], host[5], host[31]);
    return 0;
}
