/*
 * faults.c - what a chip says to instructions that are used wrongly: faults >FAMILY_faults.tsv
 *
 * Compiled in a family's folder (-I), whose faults.h has the cases, FAULT_THREADS, FAULT_FILL (32 bits that
 * the buffer is full of) and FAULT_SECONDS. Each case runs in a process of its own, because an error ends the
 * context. A line: case, CUDA's error, and a hash of what the kernel wrote when there was none.
 */
#include <cuda.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"
#include "../matrix/golden.h"

static void run(const Fault *f)
{
    static char text[4096], result[FAULT_BYTES];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction fn;
    CUdeviceptr buffer;
    const char *name = "?";
    fault_emit(f, text);
    cuInit(0), cuDeviceGet(&device, 0), cuDevicePrimaryCtxRetain(&context, device), cuCtxSetCurrent(context);
    cuMemAlloc(&buffer, FAULT_BYTES), cuMemsetD32(buffer, FAULT_FILL, FAULT_BYTES / 4);
    CUresult r = cuModuleLoadData(&module, text);
    void *args[] = {&buffer};
    if (!r) r = cuModuleGetFunction(&fn, module, "k");
    if (!r) r = cuLaunchKernel(fn, 1, 1, 1, FAULT_THREADS, 1, 1, 0, NULL, args, NULL);
    if (!r) r = cuCtxSynchronize();
    if (!r) r = cuMemcpyDtoH(result, buffer, FAULT_BYTES);
    cuGetErrorName(r, &name);
    printf("%s\t%d\t%s\t%016llx\n", f->name, (int)r, name,
           r ? 0ull : (unsigned long long)golden_hash(result, FAULT_BYTES));
    fflush(stdout);
}

int main(void)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            alarm(FAULT_SECONDS);
            run(&faults[i]);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) printf("%s\t-1\thangs\t0\n", faults[i].name);
    }
    return 0;
}
