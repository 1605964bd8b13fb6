/*
 * faults.c - what a chip says to instructions that are used wrongly: faults >FAMILY_faults.tsv
 *
 * Compiled in a family's folder (-I), whose faults.h has the cases, FAULT_THREADS, FAULT_FILL (32 bits that
 * the buffer is full of) and FAULT_SECONDS. Each case runs in a process of its own, because an error ends the
 * context. A line: case, CUDA's error, and a hash of what the kernel wrote when there was none.
 */
#include "child.h"
#include "driver.h"
#include "faults.h"
#include "../matrix/golden.h"

static void run(unsigned i)
{
    static char text[4096], result[FAULT_BYTES];
    CUmodule module;
    CUfunction fn;
    CUdeviceptr buffer;
    const char *name = "?";
    fault_emit(&faults[i], text);
    open_device();
    must(cuMemAlloc(&buffer, FAULT_BYTES), "memory");
    must(cuMemsetD32(buffer, FAULT_FILL, FAULT_BYTES / 4), "memory");
    CUresult r = cuModuleLoadData(&module, text);
    void *args[] = {&buffer};
    if (!r) r = cuModuleGetFunction(&fn, module, "k");
    if (!r) r = cuLaunchKernel(fn, 1, 1, 1, FAULT_THREADS, 1, 1, 0, NULL, args, NULL);
    if (!r) r = cuCtxSynchronize();
    if (!r) r = cuMemcpyDtoH(result, buffer, FAULT_BYTES);
    cuGetErrorName(r, &name);
    printf("%s\t%d\t%s\t%016llx\n", faults[i].name, (int)r, name,
           r ? 0ull : (unsigned long long)golden_hash(result, FAULT_BYTES));
}

static void hangs(unsigned i)
{
    printf("%s\t-1\thangs\t0\n", faults[i].name);
}

int main(int argc, char **argv)
{
    const unsigned n = sizeof faults / sizeof *faults;
    return record_cases(argc, argv, &(struct cases){n, 1, FAULT_SECONDS, run, hangs});
}
