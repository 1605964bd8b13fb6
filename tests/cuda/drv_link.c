// Linking: two texts that need each other, the image loaded, and what is missing named.
#include "driver.h"

static char one[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".extern .func (.param .b32 r) twice(.param .b32 a);\n.extern .global .align 4 .u32 bias;\n"
    ".visible .entry run(.param .u64 out)\n{\n.reg .b32 %r<5>; .reg .b64 %d<2>;\n"
    "mov.u32 %r1, %tid.x;\n{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1;\n"
    "call (r), twice, (a); ld.param.b32 %r2, [r]; }\n"
    "ld.global.u32 %r3, [bias]; add.u32 %r2, %r2, %r3;\n"
    "ld.param.u64 %d1, [out]; mad.wide.u32 %d1, %r1, 4, %d1; st.global.u32 [%d1], %r2; ret;\n}\n";
static char two[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n.visible .global .align 4 .u32 bias = 1000;\n"
    ".visible .func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %r<3>;\n"
    "ld.param.b32 %r1, [a]; shl.b32 %r2, %r1, 1; st.param.b32 [r], %r2; ret;\n}\n";

int main(void)
{
    CUlinkState link;
    CUmodule module;
    CUdeviceptr p;
    void *image;
    size_t size;
    unsigned host[32];
    char log[4096] = "";
    start();
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    DO(cuLinkCreate_v2(2, options, values, &link));
    DO(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, one, sizeof one, "one", 0, NULL, NULL));
    DO(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, two, sizeof two, "two", 0, NULL, NULL));
    DO(cuLinkComplete(link, &image, &size));
    printf("some %d\n", size > 0);
    DO(cuModuleLoadData(&module, image));
    DO(cuLinkDestroy(link));
    DO(cuMemAlloc_v2(&p, sizeof host));
    void *params[] = {&p};
    DO(cuLaunchKernel(get(module, "run"), 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    DO(cuMemcpyDtoH_v2(host, p, sizeof host));
    printf("%u %u\n", host[0], host[31]);
    DO(cuLinkCreate_v2(2, options, values, &link));
    DO(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, one, sizeof one, "one", 0, NULL, NULL));
    printf("missing %d\n", cuLinkComplete(link, &image, &size) != CUDA_SUCCESS);
    printf("told %d\n", strstr(log, "twice") != NULL);
    DO(cuLinkDestroy(link));
    DO(cuLinkCreate_v2(0, NULL, NULL, &link));
    SAY(cuLinkAddFile_v2(link, CU_JIT_INPUT_PTX, "/nonexistent.ptx", 0, NULL, NULL));
    SAY(cuLinkDestroy(link));
    return 0;
}
