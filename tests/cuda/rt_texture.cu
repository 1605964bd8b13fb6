// Textures and surfaces: objects over arrays and linear memory, filters, borders, layers.
#include "say.h"

__global__ void read(cudaTextureObject_t t, cudaTextureObject_t line, float *out)
{
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    out[threadIdx.x] = tex2D<float>(t, x + 0.75f, y * 0.5f) + tex1Dfetch<int>(line, threadIdx.x);
}
__global__ void write(cudaSurfaceObject_t s)
{
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    surf2Dwrite<float>(x * 10 + y, s, x * 4, y);
}

int main()
{
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    float in[4][8], *out, host[32];
    int *linear, list[32];
    for (int i = 0; i < 32; i++) {
        in[i / 8][i % 8] = i * 0.5f;
        list[i] = i * 100;
    }
    RT(cudaMallocArray(&a, &d, 8, 4, cudaArraySurfaceLoadStore));
    RT(cudaMemcpy2DToArray(a, 0, 0, in, 32, 32, 4, cudaMemcpyHostToDevice));
    RT(cudaMalloc(&linear, 128));
    RT(cudaMalloc(&out, 128));
    RT(cudaMemcpy(linear, list, 128, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc t = {};
    t.addressMode[0] = cudaAddressModeClamp;
    t.addressMode[1] = cudaAddressModeClamp;
    t.filterMode = cudaFilterModeLinear;
    t.readMode = cudaReadModeElementType;
    cudaTextureObject_t image, line;
    cudaSurfaceObject_t s;
    RT(cudaCreateTextureObject(&image, &r, &t, nullptr));
    RT(cudaCreateSurfaceObject(&s, &r));
    cudaResourceDesc l = {};
    l.resType = cudaResourceTypeLinear;
    l.res.linear.devPtr = linear;
    l.res.linear.desc = cudaCreateChannelDesc<int>();
    l.res.linear.sizeInBytes = 128;
    cudaTextureDesc plain = {};
    RT(cudaCreateTextureObject(&line, &l, &plain, nullptr));
    for (int k = 0; k < 2; k++) {
        read<<<1, 32>>>(image, line, out);
        RT(cudaMemcpy(host, out, 128, cudaMemcpyDeviceToHost));
        for (float x : host)
            printf("%g ", x);
        printf("\n");
        write<<<1, 32>>>(s);
    }
    RT(cudaDestroyTextureObject(image));
    RT(cudaDestroySurfaceObject(s));
    RT(cudaFreeArray(a));
    return 0;
}
