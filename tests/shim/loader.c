/* loader.c - loader FILE: the kernel k(int *) of a file, as a module and as a library; what it stores, or why
 * it cannot be loaded. */
#include "program.h"

static void run(CUfunction f)
{
    CUdeviceptr p;
    int value = 0;
    MUST(cuMemAlloc(&p, 4));
    void *params[] = {&p};
    MUST(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    MUST(cuMemcpyDtoH(&value, p, 4));
    printf("%d\n", value);
    MUST(cuMemFree(p));
}

int main(int n, char **args)
{
    CUmodule m;
    CUlibrary l;
    CUfunction f;
    CUkernel k;
    if (n != 2) return 2;
    CUcontext c = begin();
    CUresult result = cuModuleLoad(&m, args[1]);
    if (result == CUDA_SUCCESS) result = cuModuleGetFunction(&f, m, "k");
    say("module", result);
    if (result == CUDA_SUCCESS) run(f);
    result = cuLibraryLoadFromFile(&l, args[1], NULL, NULL, 0, NULL, NULL, 0);
    if (result == CUDA_SUCCESS) result = cuLibraryGetKernel(&k, l, "k");
    say("library", result);
    if (result == CUDA_SUCCESS) run((CUfunction)k);
    return end(c);
}
