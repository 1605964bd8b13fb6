/*
 * record.c - what a GPU says of cooperative launches: record >cooperative.tsv
 *
 * A line for each question and its answer: the environment registers of a launch that is cooperative and of
 * one that is not, the words of the workspace that %envreg1 and %envreg2 lead to, before, between and after
 * barriers, error codes of launches that are refused, %current_graph_exec inside a graph. Needs an sm_90 GPU and its driver.
 */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = ".version 8.6\n.target sm_90\n.address_size 64\n";

static void must(CUresult r, const char *what)
{
    const char *name = "?";
    if (r == CUDA_SUCCESS) return;
    cuGetErrorName(r, &name);
    fprintf(stderr, "%s: %s\n", what, name);
    exit(3);
}

/* env: thread 0 stores all environment registers. words: block 0 stores both words of the workspace at the
 * start, once all have arrived, and after a second barrier. graph: %current_graph_exec. */
static char *text(void)
{
    static char t[1 << 16];
    strcpy(t, head);
    strcat(t, ".visible .entry env(.param .u64 p) {\n .reg .u64 %a; .reg .b32 %r; ld.param.u64 %a, [p];\n");
    for (int i = 0; i < 32; i++)
        sprintf(t + strlen(t), " mov.b32 %%r, %%envreg%d; st.global.u32 [%%a+%d], %%r;\n", i, 4 * i);
    strcat(t, " ret; }\n"
              ".visible .entry words(.param .u64 p) {\n .reg .u64 %a, %w; .reg .b32 %h, %l, %x, %n, %old, %now;"
              " .reg .pred %first, %again;\n ld.param.u64 %a, [p]; mov.u32 %h, %envreg1; mov.u32 %l, %envreg2;\n"
              " mov.b64 %w, {%l, %h}; mov.u32 %n, %nctaid.x; mov.u32 %x, %ctaid.x; setp.eq.u32 %first, %x, 0;\n"
              " sub.u32 %n, 0x80000001, %n; selp.u32 %n, %n, 1, %first;\n");
    for (int i = 0; i < 3; i++) {
        sprintf(t + strlen(t),
                " ld.volatile.global.u32 %%x, [%%w]; @%%first st.global.u32 [%%a+%d], %%x;\n"
                " ld.volatile.global.u32 %%x, [%%w+4]; and.b32 %%x, %%x, 0x80000000; @%%first st.global.u32 [%%a+%d], %%x;\n",
                8 * i, 8 * i + 4);
        if (i == 2) break;
        sprintf(t + strlen(t),
                " atom.add.release.gpu.u32 %%old, [%%w+4], %%n;\n"
                "$l%d: ld.acquire.gpu.u32 %%now, [%%w+4]; xor.b32 %%now, %%now, %%old; setp.gt.s32 %%again, %%now, -1;\n"
                " @%%again bra $l%d;\n", i, i);
    }
    strcat(t, " ret; }\n"
              ".visible .entry graph(.param .u64 p) {\n .reg .u64 %a, %g; ld.param.u64 %a, [p];\n"
              " mov.u64 %g, %current_graph_exec; st.global.u64 [%a], %g; ret; }\n"
              ".visible .entry ids(.param .u64 p) {\n .reg .u64 %a, %g; .reg .b32 %r; .reg .pred %q;\n ld.param.u64 %a, [p];\n"
              " mov.u64 %g, %gridid; st.global.u64 [%a], %g;\n mov.u32 %r, %nsmid; st.global.u32 [%a+8], %r;\n"
              " mov.u32 %r, %nwarpid; st.global.u32 [%a+12], %r;\n ret; }\n");
    return t;
}

static CUmodule module;
static CUdeviceptr out;

static CUfunction named(const char *name)
{
    CUfunction fn;
    must(cuModuleGetFunction(&fn, module, name), name);
    return fn;
}

static void read_words(uint32_t *words, size_t n)
{
    must(cuCtxSynchronize(), "kernel");
    must(cuMemcpyDtoH(words, out, 4 * n), "read");
}

static void tell(const char *name, const uint32_t *words, size_t n)
{
    printf("%s", name);
    for (size_t i = 0; i < n; i++) printf("\t%x", words[i]);
    printf("\n");
}

int main(void)
{
    CUdevice device;
    CUcontext context;
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode node;
    CUstream stream;
    void *args[] = {&out};
    uint32_t w[32];
    must(cuInit(0), "init");
    must(cuDeviceGet(&device, 0), "device");
    must(cuDevicePrimaryCtxRetain(&context, device), "context");
    must(cuCtxSetCurrent(context), "context");
    must(cuMemAlloc(&out, 4096), "memory");
    must(cuModuleLoadData(&module, text()), "module");
    must(cuStreamCreate(&stream, 0), "stream");
    must(cuLaunchKernel(named("env"), 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), "env");
    read_words(w, 32);
    tell("env", w, 32);
    for (int i = 0; i < 2; i++) {
        must(cuLaunchCooperativeKernel(named("env"), 1, 1, 1, 1, 1, 1, 0, i ? stream : NULL, args), "env");
        read_words(w, 32);
        fprintf(stderr, "workspace %08x%08x\n", w[1], w[2]);
        printf("env_cooperative_place\t%x\t%x\n", (w[1] | w[2]) != 0, w[2] & 0xf);
        w[1] = w[2] = 0;
        tell("env_cooperative", w, 32);
    }
    for (unsigned blocks = 1; blocks <= 64; blocks *= 8) {
        must(cuLaunchCooperativeKernel(named("words"), blocks, 1, 1, 1, 1, 1, 0, NULL, args), "words");
        read_words(w, 6);
        printf("words_%u", blocks);
        tell("", w, 6);
    }
    printf("too_large\t%d\n", cuLaunchCooperativeKernel(named("words"), 1 << 20, 1, 1, 1, 1, 1, 0, NULL, args));
    printf("too_large_by_threads\t%d\n", cuLaunchCooperativeKernel(named("words"), 265, 1, 1, 1024, 1, 1, 0, NULL, args));
    must(cuLaunchKernel(named("graph"), 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), "graph");
    read_words(w, 2);
    tell("graph_outside", w, 2);
    CUDA_KERNEL_NODE_PARAMS_v2 node_params;
    memset(&node_params, 0, sizeof node_params);
    node_params.func = named("graph");
    node_params.gridDimX = node_params.gridDimY = node_params.gridDimZ = 1;
    node_params.blockDimX = node_params.blockDimY = node_params.blockDimZ = 1;
    node_params.kernelParams = args;
    for (int flags = 0; flags <= 2; flags += 2) {
        must(cuGraphCreate(&graph, 0), "graph");
        must(cuGraphAddKernelNode(&node, graph, NULL, 0, &node_params), "node");
        must(cuGraphInstantiateWithFlags(&exec, graph, (unsigned long long)flags), "instantiate");
        if (flags) must(cuGraphUpload(exec, stream), "upload");
        must(cuGraphLaunch(exec, stream), "launch");
        read_words(w, 2);
        fprintf(stderr, "graph exec %08x%08x, host %p\n", w[1], w[0], (void *)exec);
        printf("graph_inside_%d\t%x\n", flags, (w[0] | w[1]) != 0);
    }
    uint64_t before = 0;
    for (int i = 0; i < 3; i++) {
        must(cuLaunchKernel(named("ids"), 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), "ids");
        read_words(w, 4);
        const uint64_t id = w[0] | (uint64_t)w[1] << 32;
        fprintf(stderr, "grid %llx\n", (unsigned long long)id);
        printf("ids\t%d\t%x\t%x\n", i && id == before + 1, w[2], w[3]);
        before = id;
    }
    return 0;
}
