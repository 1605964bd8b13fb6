/*
 * record.c - records what a GPU answers to the cases of cases.txt: record CASES [PART PARTS] >async.tsv
 *
 * A line a case: its name, the CUresult of the launch, and every result of every thread in order (none after
 * an error). Each case runs in a process of its own, since an error ends the context; a case that is still
 * running after eight seconds is recorded as "hangs". Needs an sm_90 GPU and its driver.
 */
#include "../common/child.h"
#include "../common/driver.h"
#include "kernel.h"

enum { SECONDS = 8 };

static CUresult launch(CUfunction fn, const Case *c, void **args)
{
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                 .value.clusterDim = {c->cluster, 1, 1}};
    const CUlaunchConfig config = {.gridDimX = c->blocks,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = c->threads,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .attrs = &cluster,
                                   .numAttrs = c->cluster != 0};
    if (c->cluster > 8)
        must(cuFuncSetAttribute(fn, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1), "16 blocks");
    return cuLaunchKernelEx(&config, fn, args, NULL);
}

static void run(const Case *c)
{
    static uint64_t host[THREADS_MAX * RESULTS];
    static uint8_t input[IN_BYTES];
    static char log[4096];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule module;
    CUfunction fn;
    CUdeviceptr out, in;
    void *args[] = {&out, &in};
    open_device();
    must(cuMemAlloc(&out, sizeof host), "memory");
    must(cuMemAlloc(&in, IN_BYTES), "memory");
    for (unsigned i = 0; i < THREADS_MAX * RESULTS; i++) host[i] = OUT_SENTINEL;
    fill_input(input);
    must(cuMemcpyHtoD(out, host, sizeof host), "write");
    must(cuMemcpyHtoD(in, input, sizeof input), "write");
    CUresult r = cuModuleLoadDataEx(&module, c->text, 2, options, values);
    if (r) fprintf(stderr, "%s: %s\n", c->name, log), _exit(3);
    must(cuModuleGetFunction(&fn, module, "k"), "kernel");
    r = launch(fn, c, args);
    if (!r) r = cuCtxSynchronize();
    printf("%s\t%d", c->name, (int)r);
    if (!r) must(cuMemcpyDtoH(host, out, sizeof host), "read");
    for (unsigned t = 0; !r && t < c->threads * c->blocks; t++)
        for (unsigned i = 0; i < c->results; i++) printf("\t%llx", (unsigned long long)host[t * RESULTS + i]);
    printf("\n");
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv)
{
    static Case c;
    char held[600] = "";
    unsigned part, parts;
    FILE *f = share_of(argc, argv, 2, &part, &parts) ? fopen(argv[1], "r") : NULL;
    if (!f) return fprintf(stderr, "usage: record CASES [PART PARTS]\n"), 2;
    for (unsigned i = 0; case_next(f, &c, held); i++) {
        if (i % parts != part) continue;
        fflush(stdout);
        pid_t child = fork();
        if (!child) run(&c);
        int status;
        if (!ends(child, SECONDS, &status)) printf("%s\thangs\n", c.name);
    }
    return 0;
}
