/*
 * record.c - what a GPU says of cooperative launches: record >cooperative.tsv
 *
 * A line for each question and its answer: the environment registers of a launch that is cooperative and of
 * one that is not, the words of the workspace that %envreg1 and %envreg2 lead to, before, between and after
 * barriers, error codes of launches that are refused, %current_graph_exec inside a graph. Needs an sm_90 GPU
 * and its driver.
 */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../common/driver.h"
#include "kernel.h"

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
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode node;
    CUstream stream;
    void *args[] = {&out};
    uint32_t w[32];
    open_device();
    must(cuMemAlloc(&out, 4096), "memory");
    must(cuModuleLoadData(&module, cooperative_text()), "module");
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
    printf("too_large\t%d\n",
           cuLaunchCooperativeKernel(named("words"), 1 << 20, 1, 1, 1, 1, 1, 0, NULL, args));
    printf("too_large_by_threads\t%d\n",
           cuLaunchCooperativeKernel(named("words"), 265, 1, 1, 1024, 1, 1, 0, NULL, args));
    must(cuLaunchKernel(named("graph"), 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), "graph");
    read_words(w, 2);
    tell("graph_outside", w, 2);
    CUDA_KERNEL_NODE_PARAMS_v2 node_params;
    memset(&node_params, 0, sizeof node_params);
    node_params.func = named("graph");
    node_params.gridDimX = node_params.gridDimY = node_params.gridDimZ = 1;
    node_params.blockDimX = node_params.blockDimY = node_params.blockDimZ = 1;
    node_params.kernelParams = args;
    must(cuGraphCreate(&graph, 0), "graph");
    must(cuGraphAddKernelNode(&node, graph, NULL, 0, &node_params), "node");
    must(cuGraphInstantiateWithFlags(&exec, graph, 0), "instantiate");
    must(cuGraphLaunch(exec, stream), "launch");
    read_words(w, 2);
    printf("graph_inside\t%x\n", (w[0] | w[1]) != 0);
    return 0;
}
