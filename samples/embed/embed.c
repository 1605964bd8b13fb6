/* embed.c - libptxvm in a program: check PTX, run it, read the result, and see what a mistake looks like. */
#include <ptxvm.h>
#include <stdio.h>
#include <string.h>

static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry square(.param .u64 numbers)\n{\n"
                           "    .reg .b32 %r<3>;\n    .reg .b64 %rd<4>;\n"
                           "    ld.param.u64 %rd1, [numbers];\n    mov.u32 %r1, %tid.x;\n"
                           "    mul.wide.u32 %rd2, %r1, 4;\n    add.s64 %rd3, %rd1, %rd2;\n"
                           "    mul.lo.u32 %r2, %r1, %r1;\n    st.global.u32 [%rd3], %r2;\n    ret;\n}\n";

/* A module with mistakes is still a module: its diagnostics tell what is wrong. */
static void show_a_diagnostic(void)
{
    const char *wrong = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ad.u32 1, 2, 3; }\n";
    ptx_module *module;
    ptx_diagnostic d = {sizeof d};
    ptx_status status = ptx_module_create(NULL, wrong, strlen(wrong), &module);
    if (status == PTX_ERROR_ASSEMBLY && ptx_module_diagnostic(module, 0, &d) == PTX_OK)
        printf("line %u, column %u: %s\n", d.line, d.column, d.message);
    ptx_module_destroy(module);
}

int main(void)
{
    ptx_module *module;
    ptx_device *device;
    ptx_program *program;
    ptx_kernel *kernel;
    ptx_address numbers;
    ptx_fault fault = {sizeof fault};
    unsigned result[8];
    show_a_diagnostic();
    if (ptx_module_create(NULL, text, strlen(text), &module) != PTX_OK) return 1;
    if (ptx_device_create(&(ptx_device_config){0}, &device) != PTX_OK) return 1;
    if (ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program) != PTX_OK) return 1;
    ptx_module_destroy(module); /* the program keeps what it needs */
    if (ptx_program_kernel(program, "square", &kernel) != PTX_OK) return 1;
    if (ptx_memory_alloc(device, sizeof result, &numbers) != PTX_OK) return 1;

    ptx_launch_config launch = {.grid = {1}, .block = {8}, .params = &numbers, .param_bytes = sizeof numbers};
    if (ptx_kernel_launch(kernel, &launch, &fault) != PTX_OK) return 1;
    if (ptx_memory_read(device, result, numbers, sizeof result) != PTX_OK) return 1;
    for (int i = 0; i < 8; i++) printf("%u ", result[i]);
    putchar('\n');

    launch.block[0] = 9; /* one thread more than there are numbers */
    if (ptx_kernel_launch(kernel, &launch, &fault) == PTX_ERROR_FAULT)
        printf("%s: %s (thread %u, %s)\n", fault.name, fault.message, fault.thread[0], fault.instruction);
    ptx_program_destroy(program);
    ptx_device_destroy(device);
    return 0;
}
