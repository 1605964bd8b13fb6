/*
 * record.c - runs the programs of programs.h on a GPU and writes the hashes of their results.
 *
 *   record FOLDER OUT.bin     FOLDER/NUMBER.cubin are the modules; OUT.bin: {ordinary, wild} of each program
 */
#include "programs.h"
#include "../common/driver.h"
#include <stdlib.h>

enum { IN_BYTES = INPUTS * LANES * 8, OUT_BYTES = 20000 };

static Hashes run(CUmodule module, unsigned i, CUdeviceptr in, CUdeviceptr out)
{
    static unsigned char host[OUT_BYTES];
    static char text[8000];
    char name[16];
    unsigned outputs;
    CUfunction kernel;
    void *args[] = {&in, &out};
    program_text(text, i, &outputs);
    snprintf(name, sizeof name, "p%u", i);
    must(cuModuleGetFunction(&kernel, module, name), name);
    must(cuMemcpyHtoD(in, host, program_inputs(host, i)), "copy");
    must(cuLaunchKernel(kernel, 1, 1, 1, LANES, 1, 1, 0, 0, args, NULL), name);
    must(cuCtxSynchronize(), name);
    must(cuMemcpyDtoH(host, out, OUT_BYTES), "copy back");
    return program_hashes(host, i, outputs);
}

int main(int argc, char **argv)
{
    CUdeviceptr in, out;
    FILE *file = argc == 3 ? fopen(argv[2], "wb") : NULL;
    if (!file) return fprintf(stderr, "usage: record FOLDER OUT.bin\n"), 2;
    open_device();
    must(cuMemAlloc(&in, IN_BYTES), "memory");
    must(cuMemAlloc(&out, OUT_BYTES), "memory");
    for (unsigned m = 0; m < MODULES; m++) {
        char path[512];
        CUmodule module;
        snprintf(path, sizeof path, "%s/%u.cubin", argv[1], m);
        must(cuModuleLoad(&module, path), path);
        for (unsigned k = 0; k < PER_MODULE; k++) {
            Hashes h = run(module, m * PER_MODULE + k, in, out);
            if (fwrite(&h, sizeof h, 1, file) != 1) return 1;
        }
        must(cuModuleUnload(module), path);
    }
    return fclose(file) != 0;
}
