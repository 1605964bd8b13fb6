// Libraries: loaded without a context, kernels of them by name and in order, launched as they are and as
// functions.
#include "driver.h"

int main(void)
{
    CUlibrary library;
    CUkernel kernel, all[8];
    CUfunction f;
    CUmodule module;
    CUdeviceptr p, counter;
    unsigned count, k = 4, host[32];
    size_t size;
    const char *name;
    DO(cuInit(0));
    DO(cuLibraryLoadData(&library, module_text, NULL, NULL, 0, NULL, NULL, 0));
    DO(cuLibraryGetKernelCount(&count, library));
    DO(cuLibraryGetKernel(&kernel, library, "fill"));
    DO(cuKernelGetName(&name, kernel));
    printf("%u %s\n", count, name);
    SAY(cuLibraryEnumerateKernels(all, 8, library));
    SAY(cuLibraryGetGlobal(&counter, &size, library, "counter"));
    start();
    DO(cuMemAlloc_v2(&p, sizeof host));
    void *params[] = {&p, &k};
    DO(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    DO(cuKernelGetFunction(&f, kernel));
    DO(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    DO(cuMemcpyDtoH_v2(host, p, sizeof host));
    DO(cuLibraryGetGlobal(&counter, &size, library, "counter"));
    DO(cuMemcpyDtoH_v2(&count, counter, 4));
    printf("%u, counter %u\n", host[31], count);
    DO(cuLibraryGetModule(&module, library));
    DO(cuModuleGetFunction(&f, module, "turn"));
    int threads;
    DO(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    DO(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    printf("threads %d\n", threads);
    SAY(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 70000, kernel, 0));
    DO(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 32, 1, 1, 70000, NULL, params, NULL));
    DO(cuCtxSynchronize());
    SAY(cuLibraryGetKernel(&kernel, library, "nothing"));
    SAY(cuLibraryGetGlobal(&counter, &size, library, "nothing"));
    SAY(cuLibraryLoadFromFile(&library, "/nonexistent", NULL, NULL, 0, NULL, NULL, 0));
    SAY(cuLibraryUnload(library));
    return 0;
}
