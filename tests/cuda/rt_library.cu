// Libraries at run time: PTX text loaded by the runtime, its kernels and variables by name, beside the program's own.
#include "say.h"

static const char ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                          ".visible .global .align 4 .u32 offset[2] = {5, 9};\n"
                          ".visible .entry shift(.param .u64 out)\n{\n"
                          ".reg .u32 %r<4>; .reg .u64 %d<3>;\n"
                          "mov.u32 %r1, %tid.x; ld.global.u32 %r2, [offset+4]; mad.lo.u32 %r1, %r1, 3, %r2;\n"
                          "mov.u32 %r3, %tid.x; ld.param.u64 %d1, [out]; mad.wide.u32 %d1, %r3, 4, %d1;\n"
                          "st.global.u32 [%d1], %r1; ret;\n}\n";

__global__ void own(int *p) { p[threadIdx.x] *= 2; }

int main()
{
    cudaLibrary_t library;
    cudaKernel_t kernel;
    int *p, host[32], nine = 90;
    void *address;
    size_t size;
    unsigned count;
    RT(cudaMalloc(&p, sizeof host));
    void *args[] = {&p};
    RT(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    RT(cudaLibraryGetKernelCount(&count, library));
    printf("kernels %u\n", count);
    RT(cudaLibraryGetKernel(&kernel, library, "shift"));
    RT(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), args, 0, 0));
    own<<<1, 32>>>(p);
    RT(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d\n", host[0], host[31]);
    RT(cudaLibraryGetGlobal(&address, &size, library, "offset"));
    printf("size %zu\n", size);
    RT(cudaMemcpy((char *)address + 4, &nine, 4, cudaMemcpyHostToDevice));
    RT(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), args, 0, 0));
    RT(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d\n", host[0], host[31]);
    cudaFuncAttributes at;
    RT(cudaFuncGetAttributes(&at, (const void *)kernel));
    printf("threads %d\n", at.maxThreadsPerBlock);
    SAY(cudaLibraryGetKernel(&kernel, library, "nothing"));
    SAY(cudaLibraryGetGlobal(&address, &size, library, "nothing"));
    SAY(cudaLibraryUnload(library));
    SAY(cudaLibraryLoadData(&library, ".version 7.8\n.target sm_80\nwrong\n", nullptr, nullptr, 0, nullptr, nullptr, 0));
    SAY(cudaLibraryLoadFromFile(&library, "/nonexistent", nullptr, nullptr, 0, nullptr, nullptr, 0));
    return 0;
}
