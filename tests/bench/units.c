/*
 * units.c - how fast the approximate units run inside kernels.
 *
 * For each unit a kernel is written here: a loop whose body applies it to eight
 * registers of ordinary values, twice. Prints Gti/s (10^9 PTX thread-instructions
 * a second of processor time, loop overhead of 3 in 19 included) on one worker, the best of seven launches.
 * Results are not judged here: tests/hw/approx_check does that for all inputs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "need.h"
#include "ptxvm.h"

enum { REGISTERS = 8, ROUNDS = 2, TURNS = 400, LAUNCHES = 7 };

struct unit {
    const char *op, *type;
    int sources;
};

static const struct unit units[] = {
    {"rcp.approx.ftz.f32", "f32", 1},    {"rcp.approx.f32", "f32", 1},      {"rsqrt.approx.f32", "f32", 1},
    {"sqrt.approx.f32", "f32", 1},       {"ex2.approx.f32", "f32", 1},      {"lg2.approx.f32", "f32", 1},
    {"sin.approx.f32", "f32", 1},        {"cos.approx.f32", "f32", 1},      {"tanh.approx.f32", "f32", 1},
    {"div.approx.f32", "f32", 2},        {"div.full.f32", "f32", 2},        {"rcp.approx.ftz.f64", "f64", 1},
    {"rsqrt.approx.ftz.f64", "f64", 1},  {"rsqrt.approx.f64", "f64", 1},    {"ex2.approx.f16x2", "b32", 1},
    {"ex2.approx.ftz.bf16x2", "b32", 1}, {"tanh.approx.f16x2", "b32", 1},   {"tanh.approx.bf16x2", "b32", 1},
    {"ex2.approx.f16", "b16", 1},        {"ex2.approx.ftz.bf16", "b16", 1}, {"tanh.approx.f16", "b16", 1},
    {"tanh.approx.bf16", "b16", 1},
};

/* Register i: a sixteenth of a small whole number, from 1/16 to 60; halves between 1/2 and 1, in both places.
 */
static int write_operand(const struct unit *u, int i, char *text, size_t size)
{
    int n = snprintf(text, size, "  add.u32 %%r2, %%r0, %d;\n", i * 100),
        bfloat = strstr(u->op, "bf16") != NULL;
    if (u->type[0] == 'b')
        return n + snprintf(text + n, size - (size_t)n,
                            "  and.b32 %%r2, %%r2, %d;\n  mad.lo.u32 %%r2, %%r2, 65537, %d;\n  cvt.u%s.u32 "
                            "%%x%d, %%r2;\n"
                            "  mov.%s %%y%d, %%x%d;\n",
                            bfloat ? 127 : 1023, bfloat ? 0x3F003F00 : 0x38003800, u->type + 1, i, u->type, i,
                            i);
    return n +
           snprintf(text + n, size - (size_t)n,
                    "  cvt.rn.%s.u32 %%x%d, %%r2;\n  mul.rn.%s %%x%d, %%x%d, %s;\n  mov.%s %%y%d, %%x%d;\n",
                    u->type, i, u->type, i, i, !strcmp(u->type, "f64") ? "0d3FB0000000000000" : "0f3D800000",
                    u->type, i, i);
}

/* The kernel `k(out)` that applies `u` over and over. */
static void write_kernel(const struct unit *u, char *text, size_t size)
{
    int n =
        snprintf(text, size,
                 ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                 "  .reg .%s %%x<%d>, %%y<%d>;\n  .reg .b32 %%r<4>;\n  .reg .b64 %%d<4>;\n  .reg .pred %%p;\n"
                 "  mov.u32 %%r0, %%tid.x;\n  add.u32 %%r0, %%r0, 1;\n  mov.u32 %%r1, 0;\n",
                 u->type, REGISTERS, REGISTERS);
    for (int i = 0; i < REGISTERS; i++) n += write_operand(u, i, text + n, size - (size_t)n);
    n += snprintf(text + n, size - (size_t)n, "L:\n");
    for (int i = 0; i < REGISTERS * ROUNDS; i++) {
        int k = i % REGISTERS;
        n += snprintf(text + n, size - (size_t)n, "  %s %%y%d, %%x%d", u->op, k, k);
        if (u->sources == 2) n += snprintf(text + n, size - (size_t)n, ", %%x%d", (k + 3) % REGISTERS);
        n += snprintf(text + n, size - (size_t)n, ";\n");
    }
    n += snprintf(text + n, size - (size_t)n,
                  "  add.u32 %%r1, %%r1, 1;\n  setp.lt.u32 %%p, %%r1, %d;\n  @%%p bra L;\n"
                  "  ld.param.u64 %%d1, [out];\n  mul.wide.u32 %%d2, %%r0, 8;\n  add.u64 %%d1, %%d1, %%d2;\n",
                  TURNS);
    for (int i = 0; i < REGISTERS; i++)
        n += snprintf(text + n, size - (size_t)n, "  st.global.b%s [%%d1], %%y%d;\n", u->type + 1, i);
    snprintf(text + n, size - (size_t)n, "  ret;\n}\n");
}

static double speed(ptx_device *device, ptx_kernel *kernel)
{
    ptx_address out;
    double best = 0;
    need(ptx_memory_alloc(device, 1 << 16, &out), "memory");
    ptx_launch_config launch = {.grid = {64}, .block = {256}, .params = &out, .param_bytes = sizeof out};
    for (int i = 0; i < LAUNCHES; i++) {
        ptx_progress progress = {sizeof progress};
        double start = cpu_now();
        need(ptx_kernel_launch(kernel, &launch, NULL), "launch");
        double seconds = cpu_now() - start;
        ptx_device_progress(device, &progress);
        double rate = (double)progress.thread_instructions / seconds / 1e9;
        if (rate > best) best = rate;
    }
    need(ptx_memory_free(device, out), "free");
    return best;
}

static void measure(const struct unit *u)
{
    char text[8192];
    ptx_device_config config = {.workers = 1};
    ptx_device *device;
    ptx_module *module;
    ptx_program *program;
    ptx_kernel *kernel;
    write_kernel(u, text, sizeof text);
    need(ptx_device_create(&config, &device), "device");
    need(ptx_module_create(NULL, text, strlen(text), &module), u->op);
    const ptx_module *modules[] = {module};
    need(ptx_program_create(device, modules, 1, NULL, &program), u->op);
    need(ptx_program_kernel(program, "k", &kernel), u->op);
    printf("%-22s %6.2f\n", u->op, speed(device, kernel));
    ptx_program_destroy(program);
    ptx_module_destroy(module);
    ptx_device_destroy(device);
}

int main(void)
{
    printf("\napproximate unit       Gti/s of processor time\n");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) measure(&units[i]);
    return 0;
}
