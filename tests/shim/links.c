/* links.c - cuLink*: several texts to one image. */
#include "program.h"

static const char one[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) twice(.param .b32 a);\n"
    ".visible .entry k(.param .u64 to)\n{\n .reg .u64 p; .reg .u32 v;\n"
    " ld.param.u64 p, [to];\n {\n .param .b32 a; .param .b32 r;\n st.param.b32 [a], 21;\n"
    " call (r), twice, (a);\n ld.param.b32 v, [r];\n }\n st.u32 [p], v; ret;\n}\n";
static const char two[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .func (.param .b32 r) twice(.param .b32 a)\n{\n .reg .u32 v;\n"
                          " ld.param.b32 v, [a]; add.u32 v, v, v; st.param.b32 [r], v; ret;\n}\n";

static const char bad[] = ".version 7.0\n.target sm_70\nnonsense";

int main(void)
{
    CUcontext c = begin();
    CUlinkState state;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *image;
    size_t size;
    unsigned value;
    char log[2048] = "";
    CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(size_t)sizeof log};
    MUST(cuLinkCreate(0, NULL, NULL, &state));
    say("one", cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)one, sizeof one, "one.ptx", 0, NULL, NULL));
    say("two", cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)two, sizeof two, "two.ptx", 0, NULL, NULL));
    say("complete", cuLinkComplete(state, &image, &size));
    printf("has bytes: %d\n", size > 100);
    say("load", cuModuleLoadData(&m, image));
    MUST(cuLinkDestroy(state));
    MUST(cuModuleGetFunction(&f, m, "k"));
    MUST(cuMemAlloc(&p, 4));
    void *params[] = {&p};
    MUST(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    MUST(cuMemcpyDtoH(&value, p, 4));
    printf("%u\n", value);
    MUST(cuLinkCreate(2, names, values, &state));
    say("one", cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)one, sizeof one, "one.ptx", 0, NULL, NULL));
    printf("complete without two fails: %d\n", cuLinkComplete(state, &image, &size) != CUDA_SUCCESS);
    printf("the log names it: %d\n", strstr(log, "twice") != NULL);
    MUST(cuLinkDestroy(state));
    MUST(cuLinkCreate(0, NULL, NULL, &state));
    say("bad text",
        cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)bad, sizeof bad, "bad.ptx", 0, NULL, NULL));
    say("no data", cuLinkAddData(state, CU_JIT_INPUT_PTX, NULL, 4, "no.ptx", 0, NULL, NULL));
    say("no file", cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/nonexistent.ptx", 0, NULL, NULL));
    say("destroy", cuLinkDestroy(state));
    return end(c);
}
