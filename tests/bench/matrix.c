/*
 * matrix.c - how fast products of small matrices run inside kernels.
 *
 * For each form a kernel is written here: a loop of four mma with accumulators of their own, in 8 warps of
 * each CTA, or of one wgmma in a warpgroup. Prints G multiply-adds a second of processor time on one worker,
 * the best of seven launches. Results are not judged here: tests/api/test_matrix.c does that.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "need.h"
#include "ptxvm.h"

enum { CHAINS = 4, TURNS = 100, LAUNCHES = 7, CTAS = 8, THREADS = 256 };

/* Registers of a, b and the accumulators; multiply-adds of one instruction; elements of a and b: bits & mask
 * | set. */
struct form {
    const char *name;
    int a, b, c, wide, macs;
    unsigned mask, set;
};

static const struct form forms[] = {
/* clang-format off */
#define WGMMA(form) "wgmma.mma_async.sync.aligned.m64n256" form, 0, 0, 128, 0
    {"m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, 0, 2048, 0x03ff03ff, 0x38003800},
    {"m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, 0, 2048, 0x03ff03ff, 0x30003000},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, 0, 2048, 0x007f007f, 0x3f003f00},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, 0, 1024, 0x007fffff, 0x3f000000},
    {"m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, 0, 4096, 0x07070707, 0x30303030},
    {"m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, 1, 2048, 0x000fffff, 0x3fe00000},
    {"m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, 0, 4096, 0x7f7f7f7f, 0},
    {"m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4, 0, 32768, 0xffffffff, 0},
    {WGMMA("k16.f32.f16.f16"), 262144, 0x03ff03ff, 0x38003800},
    {WGMMA("k8.f32.tf32.tf32"), 131072, 0x007fffff, 0x3f000000},
    {WGMMA("k32.f32.e4m3.e4m3"), 524288, 0x07070707, 0x30303030},
    {WGMMA("k32.s32.s8.s8"), 524288, 0x7f7f7f7f, 0},
    /* clang-format on */
};

static int registers(char *text, int n, char letter, int first, int count)
{
    for (int i = 0; i < count; i++) n += sprintf(text + n, "%s%%%c%d", i ? ", " : "{", letter, first + i);
    return n + sprintf(text + n, "}");
}

static void write_kernel(const struct form *f, char *text)
{
    const char *type = f->wide                      ? "f64"
                       : strstr(f->name, "col.f32") ? "f32"
                                                    : "b32",
               *bits = f->wide ? "b64" : "b32";
    int n = sprintf(text,
                    ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                    ".reg .%s %%a<16>, %%b<16>;\n.reg .%s %%c<32>;\n.reg .b32 %%r<8>;\n.reg .b64 %%d<4>;\n"
                    ".reg .pred %%p;\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, 0;\n",
                    bits, type);
    for (int i = 0; i < f->a + f->b; i++) {
        char letter = i < f->a ? 'a' : 'b';
        int k = i < f->a ? i : i - f->a;
        n += sprintf(text + n,
                     "mad.lo.u32 %%r2, %%r0, %u, %u;\nand.b32 %%r2, %%r2, %u;\nor.b32 %%r2, %%r2, %u;\n",
                     2654435761u, i * 40503u, f->mask, f->set);
        n += f->wide ? sprintf(text + n, "mov.b64 %%%c%d, {%%r0, %%r2};\n", letter, k)
                     : sprintf(text + n, "mov.b32 %%%c%d, %%r2;\n", letter, k);
    }
    for (int i = 0; i < CHAINS * f->c; i++)
        n += sprintf(text + n, "mov.%s %%c%d, %s;\n", type, i,
                     *type == 'f' ? f->wide ? "0d0000000000000000" : "0f00000000" : "0");
    n += sprintf(text + n, "L:\n");
    for (int i = 0; i < CHAINS; i++) {
        n += sprintf(text + n, "mma.sync.aligned.%s ", f->name);
        n = registers(text, n, 'c', i * f->c, f->c), n += sprintf(text + n, ", ");
        n = registers(text, n, 'a', 0, f->a), n += sprintf(text + n, ", ");
        n = registers(text, n, 'b', 0, f->b), n += sprintf(text + n, ", ");
        n = registers(text, n, 'c', i * f->c, f->c), n += sprintf(text + n, ";\n");
    }
    n +=
        sprintf(text + n,
                "add.u32 %%r1, %%r1, 1;\nsetp.lt.u32 %%p, %%r1, %d;\n@%%p bra L;\nld.param.u64 %%d1, [out];\n"
                "mul.wide.u32 %%d2, %%r0, 8;\nadd.u64 %%d1, %%d1, %%d2;\n",
                TURNS);
    for (int i = 0; i < CHAINS; i++) n += sprintf(text + n, "st.global.%s [%%d1], %%c%d;\n", type, i * f->c);
    sprintf(text + n, "ret;\n}\n");
}

/* Products of a warpgroup, one after the other on one accumulator, with both factors in shared memory. */
static void write_group_kernel(const struct form *f, char *text)
{
    const char *type = strstr(f->name, "s32.s8") ? "b32" : "f32";
    int n = sprintf(text,
                    ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                    ".shared .align 1024 .b8 tile[40960];\n.reg .%s %%c<%d>;\n.reg .b32 %%r<8>;\n"
                    ".reg .b64 %%d<4>;\n.reg .pred %%p;\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, 0;\n"
                    "mov.u32 %%r4, tile;\nF: shl.b32 %%r2, %%r1, 7;\nadd.u32 %%r2, %%r2, %%r0;\n"
                    "shl.b32 %%r3, %%r2, 2;\nadd.u32 %%r3, %%r3, %%r4;\nmul.lo.u32 %%r2, %%r2, %u;\n"
                    "and.b32 %%r2, %%r2, %u;\nor.b32 %%r2, %%r2, %u;\nst.shared.b32 [%%r3], %%r2;\n"
                    "add.u32 %%r1, %%r1, 1;\nsetp.lt.u32 %%p, %%r1, 80;\n@%%p bra F;\nfence.proxy.async;\n"
                    "bar.sync 0;\nshr.u32 %%r4, %%r4, 4;\ncvt.u64.u32 %%d0, %%r4;\n"
                    "or.b64 %%d0, %%d0, 0x4000004000010000;\nadd.u64 %%d3, %%d0, 0x200;\nmov.u32 %%r1, 0;\n",
                    type, f->c, 2654435761u, f->mask, f->set);
    for (int i = 0; i < f->c; i++)
        n += sprintf(text + n, "mov.%s %%c%d, %s;\n", type, i, *type == 'f' ? "0f00000000" : "0");
    n += sprintf(text + n, "L: wgmma.fence.sync.aligned;\n%s ", f->name);
    n = registers(text, n, 'c', 0, f->c);
    n += sprintf(
        text + n,
        ", %%d0, %%d3, 1%s;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
        "add.u32 %%r1, %%r1, 1;\nsetp.lt.u32 %%p, %%r1, %d;\n@%%p bra L;\nld.param.u64 %%d1, [out];\n"
        "mul.wide.u32 %%d2, %%r0, 8;\nadd.u64 %%d1, %%d1, %%d2;\nst.global.%s [%%d1], %%c0;\nret;\n}\n",
        f->mask == 0x03ff03ff ? ", 1, 1, 0, 0"
        : *type == 'f'        ? ", 1, 1"
                              : "",
        TURNS, type);
}

static double seconds_of(ptx_device *device, ptx_kernel *kernel, unsigned threads)
{
    ptx_address out;
    double best = 1e9;
    need(ptx_memory_alloc(device, 1 << 16, &out), "memory");
    ptx_launch_config launch = {.struct_size = sizeof launch,
                                .grid = {CTAS},
                                .block = {threads},
                                .params = &out,
                                .param_bytes = sizeof out};
    for (int i = 0; i < LAUNCHES; i++) {
        double start = cpu_now();
        need(ptx_kernel_launch(kernel, &launch, NULL), "launch");
        double seconds = cpu_now() - start;
        if (seconds < best) best = seconds;
    }
    need(ptx_memory_free(device, out), "free");
    return best;
}

static void measure(const struct form *f)
{
    char text[16384];
    ptx_device_config config = {.struct_size = sizeof config, .workers = 1};
    ptx_device *device;
    ptx_module *module;
    ptx_program *program;
    ptx_kernel *kernel;
    const bool group = f->name[0] == 'w';
    (group ? write_group_kernel : write_kernel)(f, text);
    need(ptx_device_create(&config, &device), "device");
    need(ptx_module_create(NULL, text, strlen(text), &module), f->name);
    const ptx_module *modules[] = {module};
    need(ptx_program_create(device, modules, 1, NULL, &program), f->name);
    need(ptx_program_kernel(program, "k", &kernel), f->name);
    double macs = (double)CTAS * TURNS * f->macs * (group ? 1 : THREADS / 32.0 * CHAINS);
    printf("%-60s %6.2f\n", f->name, macs / seconds_of(device, kernel, group ? 128 : THREADS) / 1e9);
    ptx_program_destroy(program);
    ptx_module_destroy(module);
    ptx_device_destroy(device);
}

int main(void)
{
    printf("\nmma, wgmma                                                   G multiply-adds a second of "
           "processor time\n");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) measure(&forms[i]);
    return 0;
}
