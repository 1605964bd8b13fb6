/*
 * record.c - records what a GPU says about a block's shared memory: record >shared_sizes.tsv
 *
 * For each size of static and dynamic shared memory a kernel of that many bytes is launched, which
 * stores the special registers below; one line of the output a launch. Needs an sm_90 GPU and its driver.
 */
#include "../common/driver.h"
#include <stdlib.h>

#include "kernel.h"

static const unsigned statics[] = {0, 1, 100, 128, 129, 1000, 1024, 4100, 49152};
static const unsigned dynamics[] = {0, 1, 100, 128, 1000, 1024, 50000};
static void record(unsigned fixed, unsigned dynamic, CUdeviceptr out)
{
    char text[8192];
    unsigned word[REGISTERS + 1];
    void *args[] = {&out};
    CUmodule module;
    CUfunction fn;
    write_kernel(text, sizeof text, fixed);
    must(cuModuleLoadData(&module, text), "load");
    must(cuModuleGetFunction(&fn, module, "k"), "kernel");
    if (dynamic > 48 * 1024 - fixed)
        must(cuFuncSetAttribute(fn, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)dynamic),
             "attribute");
    must(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, dynamic, NULL, args, NULL), "launch");
    must(cuCtxSynchronize(), "run");
    must(cuMemcpyDtoH(word, out, sizeof word), "read");
    printf("%u\t%u", fixed, dynamic);
    for (unsigned i = 0; i <= REGISTERS; i++) printf("\t%u", word[i]);
    printf("\n");
    cuModuleUnload(module);
}

int main(void)
{
    CUdeviceptr out;
    open_device();
    must(cuMemAlloc(&out, 4096), "memory");
    printf("# static\tdynamic");
    for (unsigned i = 0; i < REGISTERS; i++) printf("\t%%%s", registers[i]);
    printf("\taddress of the dynamic part\n");
    for (size_t i = 0; i < sizeof statics / sizeof *statics; i++)
        for (size_t k = 0; k < sizeof dynamics / sizeof *dynamics; k++) record(statics[i], dynamics[k], out);
    return 0;
}
