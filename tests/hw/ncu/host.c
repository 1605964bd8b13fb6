/*
 * host.c - launches each pattern of patterns.ptx once, in the order of the lines of standard input:
 * KERNEL FROM STEP TURN. For record.py, under ncu on a chip; `ptxvm --exec` runs it as well.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void must(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS) return;
    fprintf(stderr, "%s: error %d\n", what, (int)result);
    exit(1);
}

int main(int count, char **words)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUdeviceptr memory, out;
    char name[32];
    unsigned from, step, turn;
    must(cuInit(0), "cuInit");
    must(cuDeviceGet(&device, 0), "cuDeviceGet");
    must(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    must(cuModuleLoad(&module, count > 1 ? words[1] : "patterns.ptx"), "cuModuleLoad");
    must(cuMemAlloc(&memory, 16384), "cuMemAlloc");
    must(cuMemAlloc(&out, 4), "cuMemAlloc");
    must(cuMemsetD8(memory, 0, 16384), "cuMemsetD8");
    while (scanf("%31s %u %u %u", name, &from, &step, &turn) == 4) {
        CUfunction kernel;
        void *arguments[] = {&memory, &from, &step, &turn, &out};
        must(cuModuleGetFunction(&kernel, module, name), name);
        must(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL), name);
        must(cuCtxSynchronize(), name);
    }
    return 0;
}
