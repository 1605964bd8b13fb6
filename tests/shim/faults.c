/* faults.c - a fault ends its context and nothing else. */
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
    MUST(cuMemAlloc(&p, 4));
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    MUST(cuEventCreate(&e, 0));
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

int main(void)
{
    MUST(cuInit(0));
    fault("wild", 16);
    fault("wild", 1);
    fault("trap", 0);
    CUcontext c = begin();
    say("another context", cuLaunchKernel(load("fine"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    say("synchronize", cuCtxSynchronize());
    MUST(cuCtxDestroy(c));
    return 0;
}
