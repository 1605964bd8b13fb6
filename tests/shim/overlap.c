/*
 * overlap.c - attributes of a launch that a program notices: a kernel that polls a flag which only the one
 * behind it sets ends when that one may begin meanwhile (programmatic stream serialization, launched and
 * captured); the node's priority; a cooperative launch that is too large. Says "fine".
 */
#include "program.h"

static const char source[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry first(.param .u64 p) { .reg .u64 %p; .reg .u32 %x; .reg .pred %t; ld.param.u64 %p, "
    "[p];\n"
    " griddepcontrol.launch_dependents;\n"
    "$poll: ld.acquire.gpu.u32 %x, [%p]; setp.eq.u32 %t, %x, 0; @%t bra $poll; st.global.u32 [%p+4], 42; "
    "ret; }\n"
    ".visible .entry second(.param .u64 p) { .reg .u64 %p; .reg .u32 %x; ld.param.u64 %p, [p];\n"
    " st.release.gpu.u32 [%p], 1; griddepcontrol.wait; ld.global.u32 %x, [%p+4]; st.global.u32 [%p+8], %x; "
    "ret; }\n";

static CUmodule module;
static CUdeviceptr words;
static CUstream stream;

static CUresult launch(const char *name, unsigned blocks, unsigned threads, CUlaunchAttribute *list,
                       unsigned n)
{
    CUfunction f;
    void *params[] = {&words};
    const CUlaunchConfig config = {.gridDimX = blocks,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = threads,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .hStream = stream,
                                   .attrs = list,
                                   .numAttrs = n};
    MUST(cuModuleGetFunction(&f, module, name));
    return cuLaunchKernelEx(&config, f, params, NULL);
}

static void both(void)
{
    CUlaunchAttribute list[2] = {{.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION},
                                 {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY}};
    list[0].value.programmaticStreamSerializationAllowed = 1;
    list[1].value.priority = -1;
    MUST(launch("first", 2, 32, NULL, 0));
    MUST(launch("second", 2, 32, list, 2));
}

static void check(const char *what)
{
    unsigned got[3];
    MUST(cuStreamSynchronize(stream));
    MUST(cuMemcpyDtoH(got, words, sizeof got));
    if (got[2] != 42) {
        fprintf(stderr, "%s: the second found %u\n", what, got[2]);
        exit(1);
    }
    MUST(cuMemsetD32(words, 0, 3));
}

int main(void)
{
    CUgraph graph;
    CUgraphExec instance;
    MUST(cuInit(0));
    begin();
    MUST(cuModuleLoadData(&module, source));
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    MUST(cuMemAlloc(&words, 12));
    MUST(cuMemsetD32(words, 0, 3));
    both();
    check("launched");
    MUST(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    both();
    MUST(cuStreamEndCapture(stream, &graph));
    MUST(cuGraphInstantiateWithFlags(&instance, graph, 0));
    for (int i = 0; i < 3; i++) {
        MUST(cuGraphLaunch(instance, stream));
        check("captured");
    }
    CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE};
    cooperative.value.cooperative = 1;
    if (launch("second", 1000000, 1024, &cooperative, 1) != CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE) return 1;
    MUST(cuGraphExecDestroy(instance));
    MUST(cuGraphDestroy(graph));
    puts("fine");
    return 0;
}
