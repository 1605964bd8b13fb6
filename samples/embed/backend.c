/*
 * backend.c - a compiler's test of the code that it makes for launches by kernels, as backend.py, in C.
 *
 * emit() stands for the back end: PTX for child<<<blocks, threads>>>(data, n), in the first generation of the
 * interface. The test runs it and says what must have been launched; check=launch finds the planted mistake.
 */
#include <ptx_check.h>
#include <ptx_launches.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (condition) break;                                                                                \
        fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);                                      \
        exit(1);                                                                                             \
    } while (0)

static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".extern .func (.param .b64 b) cudaGetParameterBuffer(.param .b64 a, .param .b64 s);\n"
    ".extern .func (.param .b32 e) cudaLaunchDevice(.param .b64 k, .param .b64 b, .param .align 4 .b8 "
    "g[12],\n"
    "    .param .align 4 .b8 t[12], .param .b32 s, .param .b64 r);\n"
    ".visible .entry child(.param .u64 data, .param .u32 n) { ret; }\n"
    ".visible .entry parent(.param .u64 data)\n{\n"
    "    .param .b64 a; .param .b64 z; .param .b64 b; .param .b64 k; .param .align 4 .b8 g[12];\n"
    "    .param .align 4 .b8 t[12]; .param .b32 s; .param .b64 r; .param .b32 e;\n"
    "    .reg .b64 %k, %b, %d;\n"
    "    ld.param.u64 %d, [data];\n";

/* `size`: bytes of the buffer, 12 when the back end is right. */
static void emit(char *text, size_t room, unsigned blocks, unsigned threads, unsigned n, unsigned size)
{
    snprintf(text, room,
             "%s"
             "    st.param.b64 [a], 8; st.param.b64 [z], %u;\n"
             "    call (b), cudaGetParameterBuffer, (a, z);\n"
             "    ld.param.b64 %%b, [b];\n"
             "    st.u64 [%%b], %%d; st.u32 [%%b+8], %u;\n"
             "    mov.u64 %%k, child; st.param.b64 [k], %%k; st.param.b64 [b], %%b;\n"
             "    st.param.b32 [g], %u; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"
             "    st.param.b32 [t], %u; st.param.b32 [t+4], 1; st.param.b32 [t+8], 1;\n"
             "    st.param.b32 [s], 0; st.param.b64 [r], 0;\n"
             "    call (e), cudaLaunchDevice, (k, b, g, t, s, r);\n"
             "    ret;\n}\n",
             head, size, n, blocks, threads);
}

static void expect(ptx_device *device, const char *pattern)
{
    char why[500];
    if (ptx_device_expect_launch(device, pattern, why, sizeof why) == PTX_OK) return;
    fprintf(stderr, "%s\n", why);
    exit(1);
}

/* Runs parent<<<1, 1>>>(data) of a text on a device of its own. */
static ptx_device *run(const char *text)
{
    ptx_device_config config = {.launches = 1 << 20, .check = PTX_CHECK_LAUNCH};
    ptx_launch_config launch = {.grid = {1}, .block = {1}};
    ptx_module *module;
    ptx_device *device;
    ptx_program *program;
    ptx_kernel *kernel;
    ptx_address data;
    config.struct_size = sizeof config;
    launch.struct_size = sizeof launch;
    CHECK(ptx_module_create(NULL, text, strlen(text), &module) == PTX_OK);
    CHECK(ptx_device_create(&config, &device) == PTX_OK);
    CHECK(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program) == PTX_OK);
    CHECK(ptx_program_kernel(program, "parent", &kernel) == PTX_OK);
    CHECK(ptx_memory_alloc(device, 64, &data) == PTX_OK);
    launch.params = &data;
    launch.param_bytes = sizeof data;
    CHECK(ptx_kernel_launch(kernel, &launch, NULL) == PTX_OK);
    ptx_module_destroy(module);
    return device;
}

static void print(void *user, const ptx_check_finding *finding)
{
    ++*(unsigned *)user;
    printf("%s\n", finding->message);
}

static unsigned findings(ptx_device *device)
{
    unsigned n = 0;
    CHECK(ptx_device_findings(device, print, &n) == PTX_OK);
    return n;
}

int main(void)
{
    char text[4096];
    emit(text, sizeof text, 4, 32, 100, 12);
    ptx_device *device = run(text);
    expect(device, "1 x child<<<4,32>>>(data=+0, n=100) from parent");
    expect(device, "depth 1");
    CHECK(findings(device) == 0);
    ptx_device_destroy(device);

    emit(text, sizeof text, 4, 32, 100, 24);
    device = run(text);
    CHECK(findings(device) == 1);
    ptx_device_destroy(device);
    puts("all as expected");
    return 0;
}
