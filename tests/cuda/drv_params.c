// Kernel parameters in one buffer: shorter and longer than the kernel wants, in every form of launch.
#include "driver.h"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* launches as they were before CUDA 4 */
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

static const char text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry none()\n{\nret;\n}\n"
    ".visible .entry two(.param .u64 out, .param .u32 v)\n{\n.reg .u64 %d; .reg .u32 %r;\n"
    "ld.param.u64 %d, [out]; ld.param.u32 %r, [v]; st.global.u32 [%d], %r; ret;\n}\n"
    ".visible .entry tail(.param .u64 out, .param .u8 v)\n{\n.reg .u64 %d; .reg .u32 %r;\n"
    "ld.param.u64 %d, [out]; ld.param.u8 %r, [v]; st.global.u32 [%d], %r; ret;\n}\n"
    ".visible .entry wide(.param .u64 out, .param .align 16 .b8 v[48])\n{\n.reg .u64 %d; .reg .u32 %r;\n"
    "ld.param.u64 %d, [out]; ld.param.u32 %r, [v+44]; st.global.u32 [%d], %r; ret;\n}\n"
    ".visible .entry unread(.param .u64 out, .param .u64 more)\n{\n.reg .u64 %d;\n"
    "ld.param.u64 %d, [out]; st.global.u32 [%d], 9; ret;\n}\n";

static unsigned char packed[4352];
static CUdeviceptr to;
static CUmodule module;

/* What the kernel saw of its last parameter; only what was given is told. */
static void stored(CUresult e, int given)
{
    unsigned v = 0;
    printf(" %d", e);
    if (e) return;
    DO(cuCtxSynchronize());
    DO(cuMemcpyDtoH_v2(&v, to, 4));
    if (given) printf(":%x", v);
}

static void fresh(void)
{
    DO(cuMemsetD8_v2(to, 0, 4));
    memset(packed, 0x5a, sizeof packed);
    memcpy(packed, &to, sizeof to);
}

static CUresult ex(CUfunction f, void **extra)
{
    CUlaunchConfig config = {
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1};
    return cuLaunchKernelEx(&config, f, NULL, extra);
}

static CUresult node(CUfunction f, void **extra)
{
    CUgraph graph;
    CUgraphNode added;
    CUgraphExec exec;
    CUDA_KERNEL_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    p.func = f;
    p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
    p.extra = extra;
    DO(cuGraphCreate(&graph, 0));
    CUresult e = cuGraphAddKernelNode_v2(&added, graph, NULL, 0, &p);
    if (!e) e = cuGraphInstantiateWithFlags(&exec, graph, 0);
    if (!e) e = cuGraphLaunch(exec, NULL);
    if (!e) e = cuCtxSynchronize();
    cuGraphDestroy(graph);
    return e;
}

/* As it was before CUDA 4. */
static CUresult old(CUfunction f, size_t size)
{
    CUresult e = cuFuncSetBlockShape(f, 1, 1, 1);
    if (!e) e = cuParamSetSize(f, (unsigned)size);
    if (!e && size) e = cuParamSetv(f, 0, packed, (unsigned)size);
    if (!e) e = cuParamSetSize(f, (unsigned)size);
    return e ? e : cuLaunchGrid(f, 1, 1);
}

/* With at least eight bytes, so that the kernel has an address to write to. */
static void sizes(const char *name, size_t whole, const size_t *list, size_t count)
{
    CUfunction f = get(module, name);
    for (size_t i = 0; i < count; i++) {
        size_t size = list[i];
        void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                         CU_LAUNCH_PARAM_END};
        printf("%s %zu of %zu:", name, size, whole);
        fresh(), stored(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), size >= whole);
        fresh(), stored(ex(f, extra), size >= whole);
        fresh(), stored(node(f, extra), size >= whole);
        fresh(), stored(old(f, size), size >= whole);
        printf("\n");
    }
}

/* Words of `extra` that are missing or twice. */
static void words(const char *name)
{
    CUfunction f = get(module, name);
    size_t size = 12, none = 0;
    void *const pointer = CU_LAUNCH_PARAM_BUFFER_POINTER, *const bytes = CU_LAUNCH_PARAM_BUFFER_SIZE;
    void *lists[][7] = {
        {CU_LAUNCH_PARAM_END},
        {pointer, packed, CU_LAUNCH_PARAM_END},
        {bytes, &size, CU_LAUNCH_PARAM_END},
        {bytes, &size, pointer, packed, CU_LAUNCH_PARAM_END},
        {pointer, packed, bytes, &none, CU_LAUNCH_PARAM_END},
        {pointer, NULL, bytes, &none, CU_LAUNCH_PARAM_END},
        {pointer, NULL, bytes, &size, CU_LAUNCH_PARAM_END},
        {pointer, packed, bytes, &none, bytes, &size, CU_LAUNCH_PARAM_END},
        {pointer, packed, (void *)(uintptr_t)77, &size, CU_LAUNCH_PARAM_END},
    };
    printf("%s words:", name);
    /* a kernel with parameters would write to an address that it was not given */
    const int empty = strcmp(name, "none") == 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        fresh();
        if (!empty && (i == 0 || i == 1 || i == 4 || i == 5)) {
            printf(" -");
            continue;
        }
        stored(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, lists[i]), 0);
    }
    printf("\n");
}

/* Lists without enough for an address, to kernels that need one: refused, or a fault, so the last. */
static void nothing(int which)
{
    CUfunction f = get(module, "two");
    size_t size = which == 3 ? 4 : 0;
    void *lists[][5] = {
        {CU_LAUNCH_PARAM_END},
        {CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_END},
        {CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END},
        {CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END},
    };
    fresh();
    const CUresult e = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, lists[which]);
    printf("nothing %d: %d\n", which, e);
    fflush(stdout);
}

static void begin(void)
{
    start();
    DO(cuModuleLoadData(&module, text));
    DO(cuMemAlloc_v2(&to, 4));
}

int main(void)
{
    static const size_t none[] = {0, 1, 8}, two[] = {8, 9, 11, 12, 13, 16, 24}, tail[] = {8, 9, 10, 12, 16},
                        wide[] = {8, 16, 17, 32, 60, 63, 64, 65, 80}, unread[] = {8, 12, 15, 16, 17, 4096};
    for (int which = 0; which < 4; which++) {
        const pid_t child = fork();
        if (!child) {
            begin();
            nothing(which);
            return 0;
        }
        waitpid(child, NULL, 0);
    }
    begin();
    sizes("none", 0, none, 3);
    sizes("two", 12, two, 7);
    sizes("tail", 9, tail, 5);
    sizes("wide", 64, wide, 9);
    sizes("unread", 16, unread, 6);
    words("none");
    words("two");
    return 0;
}
