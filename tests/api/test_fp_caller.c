/*
 * test_fp_caller.c - a caller's floating-point mode neither reaches a kernel
 * nor is changed by one: MXCSR with flush-to-zero, denormals-are-zero and
 * rounding towards zero is set, a kernel computes with subnormals and inexact
 * sums, and MXCSR is the same afterwards.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "ptxvm.h"
#include "suite.h"
#if defined(__SSE2__)
#include <xmmintrin.h>

/* 2^-149 + 2^-149 = 2^-148 (bits 2); 1 + 3*2^-25 is 1 + 2^-23 rounded to nearest, and 1 towards zero. */
static const char text[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                           ".visible .entry k(.param .u64 out) {\n"
                           "  .reg .b64 %d;\n  .reg .f32 %f<5>;\n"
                           "  ld.param.u64 %d, [out];\n"
                           "  mov.f32 %f1, 0f00000001;\n  add.f32 %f2, %f1, %f1;\n"
                           "  mov.f32 %f3, 0f33C00000;\n  add.f32 %f4, %f3, 0f3F800000;\n"
                           "  st.global.f32 [%d], %f2;\n  st.global.f32 [%d+4], %f4;\n"
                           "  ret;\n}\n";

static void run(unsigned workers, uint32_t result[2])
{
    const ptx_device_config config = {.workers = workers};
    ptx_device *device;
    ptx_module *module;
    ptx_program *program;
    ptx_kernel *kernel;
    ptx_address out;
    assert_int_equal(ptx_device_create(&config, &device), PTX_OK);
    assert_int_equal(ptx_module_create(NULL, text, strlen(text), &module), PTX_OK);
    const ptx_module *modules[] = {module};
    assert_int_equal(ptx_program_create(device, modules, 1, NULL, &program), PTX_OK);
    assert_int_equal(ptx_program_kernel(program, "k", &kernel), PTX_OK);
    assert_int_equal(ptx_memory_alloc(device, 8, &out), PTX_OK);
    const ptx_launch_config launch = {sizeof launch, {1, 1, 1}, {1, 1, 1}, 0, &out, sizeof out};
    assert_int_equal(ptx_kernel_launch(kernel, &launch, NULL), PTX_OK);
    assert_int_equal(ptx_memory_read(device, result, out, 8), PTX_OK);
    ptx_program_destroy(program);
    ptx_module_destroy(module);
    ptx_device_destroy(device);
}

TEST(mode_stays_outside)
{
    const uint32_t mode = 0x1f80u | 0x8040u | 3u << 13;
    for (unsigned workers = 1; workers <= 2; workers++) {
        uint32_t result[2] = {0};
        const uint32_t before = _mm_getcsr();
        _mm_setcsr(mode);
        run(workers, result);
        const uint32_t after = _mm_getcsr();
        _mm_setcsr(before);
        assert_int_equal(after & ~0x3fu, mode & ~0x3fu);
        assert_int_equal(result[0], 2);
        assert_int_equal(result[1], 0x3f800001);
    }
}
#else
TEST(mode_stays_outside)
{
    skip();
}
#endif

int main(void)
{
    return run_suite();
}
