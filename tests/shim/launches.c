/* launches.c - every form of a launch, and what is refused. */
#include "program.h"

static CUmodule module;
static CUdeviceptr to;

static CUfunction function(const char *name)
{
    CUfunction f;
    MUST(cuModuleGetFunction(&f, module, name));
    return f;
}

static int stored(void)
{
    int value = -1;
    MUST(cuMemcpyDtoH(&value, to, 4));
    MUST(cuMemsetD32(to, 0, 1));
    return value;
}

static void forms(void)
{
    CUfunction store = function("store");
    unsigned value = 11;
    void *params[] = {&to, &value};
    MUST(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    printf("kernelParams %d\n", stored());
    struct {
        CUdeviceptr to;
        unsigned value;
    } packed = {to, 12};
    size_t size = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    MUST(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    printf("extra %d\n", stored());
    size = 8;
    say("extra too short", cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    size = 16;
    say("extra too long", cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    size = 12;
    say("both", cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, params, extra));
    say("neither", cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    (void)stored();
    CUlaunchConfig config = {
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1};
    value = 13;
    MUST(cuLaunchKernelEx(&config, store, params, NULL));
    printf("Ex %d\n", stored());
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE};
    attribute.value.cooperative = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    MUST(cuLaunchKernelEx(&config, store, params, NULL));
    printf("cooperative attribute %d\n", stored());
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    MUST(cuLaunchKernelEx(&config, store, params, NULL));
    printf("programmatic %d\n", stored());
    attribute.id = (CUlaunchAttributeID)999;
    say("attribute 999", cuLaunchKernelEx(&config, store, params, NULL));
    config.attrs = NULL;
    say("attributes NULL", cuLaunchKernelEx(&config, store, params, NULL));
    say("config NULL", cuLaunchKernelEx(NULL, store, params, NULL));
    MUST(cuLaunchCooperativeKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, params));
    printf("cooperative %d\n", stored());
    MUST(cuLaunchKernel(function("count"), 5, 1, 1, 2, 1, 1, 0, NULL, NULL, NULL));
    CUdeviceptr counter;
    MUST(cuModuleGetGlobal(&counter, NULL, module, "counter"));
    unsigned n;
    MUST(cuMemcpyDtoH(&n, counter, 4));
    printf("counted %u\n", n);
}

static void shapes(void)
{
    CUfunction store = function("store");
    unsigned value = 1;
    void *params[] = {&to, &value};
    static const unsigned shape[][6] = {
        {0, 1, 1, 1, 1, 1},     {1, 0, 1, 1, 1, 1},    {1, 1, 1, 0, 1, 1},     {1, 1, 1, 1, 1, 0},
        {1, 1, 1, 1025, 1, 1},  {1, 1, 1, 32, 33, 1},  {1, 1, 1, 1, 1, 65},    {1, 65536, 1, 1, 1, 1},
        {1, 1, 65536, 1, 1, 1}, {1, 1, 1, 1024, 1, 1}, {1, 65535, 1, 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        char text[80];
        const unsigned *s = shape[i];
        snprintf(text, sizeof text, "%u,%u,%u x %u,%u,%u", s[0], s[1], s[2], s[3], s[4], s[5]);
        say(text, cuLaunchKernel(store, s[0], s[1], s[2], s[3], s[4], s[5], 0, NULL, params, NULL));
    }
    void *one[] = {&to};
    say("maxntid kept", cuLaunchKernel(function("bounded"), 1, 1, 1, 64, 1, 1, 0, NULL, one, NULL));
    say("maxntid broken", cuLaunchKernel(function("bounded"), 1, 1, 1, 65, 1, 1, 0, NULL, one, NULL));
    say("reqntid kept", cuLaunchKernel(function("exact"), 1, 1, 1, 32, 1, 1, 0, NULL, one, NULL));
    say("reqntid broken", cuLaunchKernel(function("exact"), 1, 1, 1, 16, 1, 1, 0, NULL, one, NULL));
    say("reqntid broken", cuLaunchKernel(function("exact"), 1, 1, 1, 64, 1, 1, 0, NULL, one, NULL));
    say("too many for all at once",
        cuLaunchCooperativeKernel(store, 1000000, 1, 1, 1024, 1, 1, 0, NULL, params));
    say("wait", cuCtxSynchronize());
}

static void shared(void)
{
    CUfunction f = function("shared");
    static const unsigned sizes[] = {
        4, 49152 - 64, 49152 - 60, 100000, 227 * 1024 - 64, 227 * 1024 - 60, 1u << 31};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            char text[40];
            unsigned bytes = sizes[i];
            void *params[] = {&to, &bytes};
            snprintf(text, sizeof text, "%u bytes", bytes);
            say(text, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, bytes, NULL, params, NULL));
            printf("%d\n", stored());
        }
        if (!pass)
            say("allow",
                cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024 - 64));
    }
}

static size_t shared_of(int threads)
{
    return (size_t)threads * 64;
}

static void occupancy(void)
{
    CUfunction f = function("store");
    int blocks, grid, block;
    static const int threads[] = {1, 32, 33, 128, 256, 1024};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        MUST(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, threads[i], 0));
        printf("%d threads: %d blocks\n", threads[i], blocks);
    }
    MUST(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 128, 40000));
    printf("40000 bytes: %d blocks\n", blocks);
    say("0 threads", cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 0, 0));
    say("2000 threads", cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 2000, 0));
    MUST(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
    printf("best block %d\n", block);
    MUST(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 300));
    printf("best block up to 300: %d\n", block);
    MUST(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, shared_of, 0, 0));
    printf("best block with memory: %d\n", block);
}

int main(void)
{
    CUcontext c = begin();
    MUST(cuModuleLoadData(&module, kernels));
    MUST(cuMemAlloc(&to, 256));
    MUST(cuMemsetD8(to, 0, 256));
    forms();
    shapes();
    shared();
    occupancy();
    return end(c);
}
