/*
 * test_versions.c - programs and libraries of different versions: structs that begin with their size.
 *
 * A newer caller is played by structs with bytes behind the library's, an older library by sizes that end
 * there; an older caller by guard bytes behind the first version, which must stay. What must happen is in
 * ptx.h.
 */
#include <stddef.h>
#include <stdint.h>
#include "ptxvm.h"
#include "suite.h"
#include <stdio.h>
#include <string.h>

static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) { .reg .u64 %r; mov.u64 %r, 0; ld.global.u32 %x, [%r];\n}\n";
static const char trap[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { trap; }\n";

enum { EXTRA = 16, GUARD = 0x5a };

TEST(an_older_caller_keeps_what_lies_behind)
{
    struct {
        ptx_diagnostic told;
        unsigned char behind[EXTRA];
    } given;
    ptx_module *module;
    assert_int_equal(ptx_module_create(NULL, text, sizeof text - 1, &module), PTX_ERROR_ASSEMBLY);
    for (int named = 0; named < 2; named++) {
        memset(&given, GUARD, sizeof given);
        given.told.struct_size = named ? sizeof given.told : 0;
        assert_int_equal(ptx_module_diagnostic(module, 0, &given.told), PTX_OK);
        assert_int_equal(given.told.struct_size, named ? sizeof given.told : 0);
        assert_int_equal(given.told.line, 4);
        for (size_t i = 0; i < EXTRA; i++) assert_int_equal(given.behind[i], GUARD);
    }
    ptx_module_destroy(module);
}

TEST(a_newer_caller_is_told_zeros)
{
    struct {
        ptx_diagnostic told;
        unsigned char newer[EXTRA], behind[EXTRA];
    } given;
    ptx_module *module;
    assert_int_equal(ptx_module_create(NULL, text, sizeof text - 1, &module), PTX_ERROR_ASSEMBLY);
    memset(&given, GUARD, sizeof given);
    given.told.struct_size = sizeof given - EXTRA;
    assert_int_equal(ptx_module_diagnostic(module, 0, &given.told), PTX_OK);
    for (size_t i = 0; i < EXTRA; i++) {
        assert_int_equal(given.newer[i], 0);
        assert_int_equal(given.behind[i], GUARD);
    }
    ptx_module_destroy(module);
}

TEST(what_a_newer_caller_asks_is_refused_unless_it_is_nothing)
{
    struct {
        ptx_device_config config;
        unsigned char newer[EXTRA];
    } given = {.config = {.struct_size = sizeof given, .workers = 1}};
    ptx_device *device = NULL;
    assert_int_equal(ptx_device_create(&given.config, &device), PTX_OK);
    ptx_device_destroy(device);
    given.newer[EXTRA - 1] = 1;
    assert_int_equal(ptx_device_create(&given.config, &device), PTX_ERROR_INVALID_ARGUMENT);
}

TEST(sizes_that_never_were_are_refused)
{
    static const size_t wrong[] = {1, sizeof(size_t), 24, 1 << 20, SIZE_MAX};
    ptx_device *device;
    ptx_program *program;
    ptx_kernel *kernel;
    ptx_module *module, *none = NULL;
    assert_int_equal(ptx_module_create(NULL, trap, sizeof trap - 1, &module), PTX_OK);
    assert_int_equal(ptx_device_create(NULL, &device), PTX_OK);
    assert_int_equal(ptx_program_create(device, (const ptx_module *const[]){module}, 1, NULL, &program),
                     PTX_OK);
    assert_int_equal(ptx_program_kernel(program, "k", &kernel), PTX_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const ptx_module_options options = {.struct_size = wrong[i]};
        const ptx_launch_config fine = {sizeof fine, {1}, {1}, 0, NULL, 0},
                                bad = {wrong[i], {1}, {1}, 0, NULL, 0};
        ptx_kernel_info info = {wrong[i]};
        ptx_fault fault = {wrong[i]};
        assert_int_equal(ptx_module_create(&options, trap, sizeof trap - 1, &none),
                         PTX_ERROR_INVALID_ARGUMENT);
        assert_null(none);
        assert_int_equal(ptx_module_kernel(module, 0, &info), PTX_ERROR_INVALID_ARGUMENT);
        assert_int_equal(ptx_kernel_info_get(kernel, &info), PTX_ERROR_INVALID_ARGUMENT);
        assert_int_equal(ptx_kernel_launch(kernel, &bad, NULL), PTX_ERROR_INVALID_ARGUMENT);
        assert_int_equal(ptx_kernel_launch(kernel, &fine, &fault), PTX_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(ptx_device_message(device), "version"));
    }
    ptx_fault fault = {sizeof fault};
    const ptx_launch_config fine = {sizeof fine, {1}, {1}, 0, NULL, 0};
    assert_int_equal(ptx_kernel_launch(kernel, &fine, &fault), PTX_ERROR_FAULT);
    assert_int_equal(fault.struct_size, sizeof fault);
    assert_string_equal(fault.kernel, "k");
    ptx_module_destroy(module);
    ptx_device_destroy(device);
}

TEST(members_of_a_newer_caller_are_apart)
{
    static const char two[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u32 p, .param .u64 q) { .reg .u32 %a; .reg .u64 %b;\n"
        "ld.param.u32 %a, [p]; ld.param.u64 %b, [q]; st.global.u32 [%b], %a; ret; }\n";
    struct {
        ptx_param_member member;
        unsigned char newer[EXTRA];
    } list[4];
    ptx_module *module;
    memset(list, GUARD, sizeof list);
    ptx_kernel_needs needs = {sizeof needs, .member_size = sizeof *list, .members = &list[0].member,
                              .member_room = 4};
    assert_int_equal(ptx_module_create(NULL, two, sizeof two - 1, &module), PTX_OK);
    assert_int_equal(ptx_module_kernel_needs(module, 0, &needs), PTX_OK);
    assert_int_equal(needs.member_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(list[i].newer[0], 0);
        assert_string_equal(list[i].member.type, list[i].member.param ? "u64" : "u32");
    }
    assert_int_equal(list[2].newer[0], GUARD);
    needs.member_size = 8;
    assert_int_equal(ptx_module_kernel_needs(module, 0, &needs), PTX_ERROR_INVALID_ARGUMENT);
    ptx_module_destroy(module);
}

/* What a kernel needs is asked of a graph with more blocks than the kernel has registers. */
TEST(needs_of_many_labels)
{
    enum { LABELS = 300 };
    char many[LABELS * 40 + 200];
    ptx_kernel_needs needs = {sizeof needs};
    ptx_module *module;
    int n =
        snprintf(many, sizeof many,
                 ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k()\n{ .reg .pred %%p;\n");
    for (int i = 0; i < LABELS; i++)
        n += snprintf(many + n, sizeof many - (size_t)n, "@%%p bra A%d;\nA%d:\n", i, i);
    n += snprintf(many + n, sizeof many - (size_t)n, "ret; }\n");
    assert_int_equal(ptx_module_create(NULL, many, (size_t)n, &module), PTX_OK);
    assert_int_equal(ptx_module_kernel_needs(module, 0, &needs), PTX_OK);
    assert_int_equal(needs.member_count, 0);
    ptx_module_destroy(module);
}

TEST(the_version_is_the_headers)
{
    assert_int_equal(ptx_version(), PTX_VERSION);
}

int main(void)
{
    return run_suite();
}
