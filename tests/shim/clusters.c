/*
 * clusters.c - clusters by whichever way they are asked for, and what is refused, with an H100's errors
 * (tests/hw/cluster). Instructions that cannot be run are faults where they are reached.
 */
#include "program.h"

/* Each stores the blocks of its cluster; `late` reaches what cannot be run where its parameter says so. */
static const char text[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
#define BODY                                                                                                 \
    "{\n .reg .b32 %r;\n .reg .b64 %d;\n ld.param.u64 %d, [p];\n mov.u32 %r, %cluster_nctarank;\n"           \
    " st.global.u32 [%d], %r;\n ret;\n}\n"
    ".visible .entry plain(.param .u64 p)\n" BODY
    ".visible .entry two(.param .u64 p) .explicitcluster .reqnctapercluster 2, 1, 1\n" BODY
    ".visible .entry one(.param .u64 p) .explicitcluster .reqnctapercluster 1, 1, 1\n" BODY
    ".visible .entry open(.param .u64 p) .explicitcluster\n" BODY
    ".visible .entry late(.param .u64 p, .param .u32 n)\n"
    "{\n .reg .b32 %r<3>;\n .reg .b64 %d;\n .reg .pred %q;\n ld.param.u64 %d, [p];\n ld.param.u32 %r1, [n];\n"
    " st.global.u32 [%d], 7;\n setp.ne.u32 %q, %r1, 0;\n"
    " @%q multimem.red.relaxed.gpu.global.add.u32 [%d], %r1;\n ret;\n}\n";

static CUmodule module;
static CUdeviceptr out;

static CUresult launch_with(const char *name, unsigned x, unsigned given, unsigned *stored)
{
    CUfunction f;
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    CUlaunchConfig config = {2, 1, 1, 32, 1, 1, 0, NULL, &attribute, given};
    void *params[] = {&out};
    attribute.value.clusterDim.x = x;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    MUST(cuModuleGetFunction(&f, module, name));
    MUST(cuMemsetD32(out, 99, 1));
    const CUresult result = cuLaunchKernelEx(&config, f, params, NULL);
    MUST(cuCtxSynchronize());
    MUST(cuMemcpyDtoH(stored, out, 4));
    return result;
}

#define RUNS(name, x, given, blocks)                                                                         \
    do {                                                                                                     \
        unsigned stored;                                                                                     \
        CHECK(launch_with(name, x, given, &stored) == CUDA_SUCCESS);                                         \
        CHECK(stored == (blocks));                                                                           \
    } while (0)
#define REFUSED(name, x, given, error)                                                                       \
    do {                                                                                                     \
        unsigned stored;                                                                                     \
        CHECK(launch_with(name, x, given, &stored) == (error));                                              \
        CHECK(stored == 99);                                                                                 \
    } while (0)

static void launches(void)
{
    RUNS("plain", 1, 0, 1);
    RUNS("plain", 1, 1, 1);
    RUNS("plain", 2, 1, 2);
    REFUSED("plain", 4, 1, CUDA_ERROR_INVALID_CLUSTER_SIZE);
    RUNS("two", 1, 0, 2);
    REFUSED("two", 1, 1, CUDA_ERROR_INVALID_CLUSTER_SIZE);
    RUNS("two", 2, 1, 2);
    RUNS("one", 1, 0, 1);
    RUNS("one", 1, 1, 1);
    RUNS("open", 1, 1, 1);
    REFUSED("open", 1, 0, CUDA_ERROR_INVALID_CLUSTER_SIZE);
    RUNS("open", 2, 1, 2);
}

static int attribute_of(const char *name, CUfunction_attribute attribute)
{
    CUfunction f;
    int value;
    MUST(cuModuleGetFunction(&f, module, name));
    MUST(cuFuncGetAttribute(&value, attribute, f));
    return value;
}

static void attributes(void)
{
    CUfunction f;
    CHECK(attribute_of("two", CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET) == 1);
    CHECK(attribute_of("plain", CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET) == 0);
    CHECK(attribute_of("two", CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH) == 2);
    CHECK(attribute_of("two", CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH) == 1);
    CHECK(attribute_of("plain", CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH) == 0);
    MUST(cuModuleGetFunction(&f, module, "plain"));
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 3) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 2) == CUDA_SUCCESS);
    CHECK(attribute_of("plain", CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE) == 2);
    MUST(cuModuleGetFunction(&f, module, "two"));
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2) == CUDA_SUCCESS);
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 4) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 0) == CUDA_ERROR_INVALID_VALUE);
}

/* Dimensions that are set count where the launch gives none; a part of them is refused. */
static void required(void)
{
    CUfunction f;
    MUST(cuModuleGetFunction(&f, module, "plain"));
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, -1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2) == CUDA_SUCCESS);
    CHECK(attribute_of("plain", CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH) == 2);
    REFUSED("plain", 1, 0, CUDA_ERROR_INVALID_CLUSTER_SIZE);
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 1) == CUDA_SUCCESS);
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 1) == CUDA_SUCCESS);
    RUNS("plain", 1, 0, 2);
    for (int i = CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH; i <= CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH; i++)
        CHECK(cuFuncSetAttribute(f, (CUfunction_attribute)i, 0) == CUDA_SUCCESS);
    RUNS("plain", 1, 0, 1);
}

/* What cuOccupancyMaxActiveClusters (or, `most`, MaxPotentialClusterSize) tells; -1: INVALID_CLUSTER_SIZE. */
static int occupancy(const char *name, unsigned grid, unsigned threads, unsigned cluster, int most)
{
    CUfunction f;
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    CUlaunchConfig config = {grid, 1, 1, threads, 1, 1, 0, NULL, &attribute, cluster != 0};
    int n = -2;
    attribute.value.clusterDim.x = cluster;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    MUST(cuModuleGetFunction(&f, module, name));
    const CUresult result = most ? cuOccupancyMaxPotentialClusterSize(&n, f, &config)
                                 : cuOccupancyMaxActiveClusters(&n, f, &config);
    if (result == CUDA_ERROR_INVALID_CLUSTER_SIZE) return -1;
    CHECK(result == (threads ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE));
    return n;
}

/* As an H100 told; the last one follows from it. */
static void occupancies(void)
{
    CUfunction f;
    CHECK(occupancy("plain", 1, 32, 0, 0) == 0);
    CHECK(occupancy("plain", 1, 32, 1, 0) == 1056);
    CHECK(occupancy("plain", 1, 128, 1, 0) == 1056);
    CHECK(occupancy("plain", 1, 256, 1, 0) == 1056);
    CHECK(occupancy("plain", 1, 1024, 1, 0) == 264);
    CHECK(occupancy("plain", 64, 32, 2, 0) == 528);
    CHECK(occupancy("plain", 1, 32, 2, 0) == -1);
    CHECK(occupancy("two", 1, 32, 0, 0) == -1);
    CHECK(occupancy("plain", 1, 32, 0, 1) == 8);
    CHECK(occupancy("plain", 1, 2000, 0, 1) == 0);
    CHECK(occupancy("plain", 1, 0, 0, 1) == -2);
    CHECK(occupancy("one", 1, 32, 0, 1) == 8);
    CHECK(occupancy("open", 1, 32, 0, 1) == -1);
    MUST(cuModuleGetFunction(&f, module, "plain"));
    CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 2) == CUDA_SUCCESS);
    CHECK(attribute_of("plain", CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) == 1);
    CHECK(occupancy("plain", 1, 1024, 0, 1) == 16);
    CHECK(occupancy("plain", 64, 32, 16, 0) == 66);
}

/* The last: its fault takes the context along. */
static void reached(void)
{
    CUfunction f;
    unsigned n = 0, stored;
    void *params[] = {&out, &n};
    MUST(cuModuleGetFunction(&f, module, "late"));
    MUST(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    MUST(cuCtxSynchronize());
    MUST(cuMemcpyDtoH(&stored, out, 4));
    CHECK(stored == 7);
    n = 1;
    MUST(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    CHECK(cuCtxSynchronize() == CUDA_ERROR_NOT_SUPPORTED);
    CHECK(cuMemcpyDtoH(&stored, out, 4) == CUDA_ERROR_NOT_SUPPORTED);
}

int main(void)
{
    CUcontext context = begin();
    MUST(cuModuleLoadData(&module, text));
    MUST(cuMemAlloc(&out, 4));
    launches();
    attributes();
    required();
    occupancies();
    reached();
    (void)context;
    puts("fine");
    return 0;
}
