/* faults.c - what calls answer after a fault, of which there are three: faults 0, 1, 2. */
#include "program.h"

static CUfunction load(const char *name)
{
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .entry wild(.param .u64 to)\n"
                               "{ .reg .u64 p; ld.param.u64 p, [to]; st.global.u32 [p], 1; ret; }\n"
                               ".visible .entry trap() { trap; }\n"
                               ".visible .entry fine() { ret; }\n";
    CUmodule m;
    CUfunction f;
    MUST(cuModuleLoadData(&m, text));
    MUST(cuModuleGetFunction(&f, m, name));
    return f;
}

static void fault(const char *name, CUdeviceptr at)
{
    CUcontext c;
    CUdeviceptr p = 0;
    CUstream s;
    CUevent e;
    void *params[] = {&at};
    int word;
    MUST(cuCtxCreate(&c, NULL, 0, 0));
    CUfunction f = load(name), fine = load("fine");
    MUST(cuMemAlloc(&p, 64));
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    MUST(cuEventCreate(&e, 0));
    if (at == 1) at += p; /* misaligned, in memory that there is */
    say(name, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    say("synchronize", cuCtxSynchronize());
    say("synchronize", cuCtxSynchronize());
    say("launch", cuLaunchKernel(fine, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    say("allocate", cuMemAlloc(&p, 4));
    say("copy", cuMemcpyDtoH(&word, p, 4));
    say("stream", cuStreamSynchronize(s));
    say("query", cuStreamQuery(s));
    say("record", cuEventRecord(e, s));
    say("free", cuMemFree(p));
    cuCtxDestroy(c);
}

/* One a process: a chip's other contexts are lost, too. */
int main(int n, char **args)
{
    static const char *const names[] = {"wild", "wild", "trap"};
    static const CUdeviceptr at[] = {16, 1, 0};
    const int which = n > 1 ? atoi(args[1]) : 0;
    MUST(cuInit(0));
    fault(names[which % 3], at[which % 3]);
    return 0;
}
