/*
 * test_lint.c - the warnings as an embedder asks for them, every allocation of theirs failing, and the device
 * runtime's prototypes against the sizes that calls are made with.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cdp/cdp.h"
#include "lint/lint.h"
#include "ptx.h"
#include "suite.h"
#include "unit/budget.h"

static const char faulty[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".extern .func (.param .b32 r) cudaFree (.param .b32 p);\n"
    ".entry k(.param .u64 p)\n{\n"
    ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p; .reg .f32 spare; .shared .b8 s[8];\n"
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nsetp.eq.s32 %p, %r1, %r2;\n@%p bra L;\n"
    "mov.u32 %r3, 1;\nbar.sync 0;\nL: st.global.u32 [%rd1], %r3;\nmov.u64 %rd2, s;\n"
    "st.u32 [%rd2], 1;\ncvta.shared.u64 %rd3, %rd2;\nst.u32 [%rd3], 1;\nret;\n"
    "st.global.u32 [%rd1], %r3;\nret;\n}\n";

/* The codes of a module's diagnostics, in their order. */
static void codes_of(const ptx_module *module, char *codes)
{
    ptx_diagnostic d = {sizeof d};
    *codes = '\0';
    for (size_t i = 0; i < ptx_module_diagnostic_count(module); i++) {
        assert_int_equal(ptx_module_diagnostic(module, i, &d), PTX_OK);
        strcat(strcat(codes, d.code), " ");
    }
}

TEST(test_asked_for)
{
    static const char *const wanted[] = {
        [PTX_LINT_OFF] = "",
        [PTX_LINT_ON] = "W0650 W0601 W0620 W0641 W0644 W0640 W0644 W0610 ",
        [PTX_LINT_ALL] = "W0650 W0601 W0620 W0630 W0621 W0641 W0644 W0640 W0644 W0610 ",
    };
    char codes[256];
    for (int lint = PTX_LINT_OFF; lint <= PTX_LINT_ALL; lint++) {
        const ptx_module_options options = {.lint = lint};
        ptx_module *module = NULL;
        assert_int_equal(ptx_module_create(&options, faulty, sizeof faulty - 1, &module), PTX_OK);
        codes_of(module, codes);
        assert_string_equal(codes, wanted[lint]);
        ptx_module_destroy(module);
    }
}

/* A module with an error gets no advice: half of it would follow from the error. */
TEST(test_not_beside_errors)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.entry k() { .reg .f32 spare; ad.f32 spare, spare, spare; }\n";
    const ptx_module_options options = {.lint = 1};
    ptx_module *module = NULL;
    char codes[256];
    assert_int_equal(ptx_module_create(&options, text, sizeof text - 1, &module), PTX_ERROR_ASSEMBLY);
    codes_of(module, codes);
    assert_null(strstr(codes, "W06"));
    ptx_module_destroy(module);
}

TEST(test_memory_ends)
{
    ptx_status status = PTX_ERROR_OUT_OF_MEMORY;
    size_t n = 0;
    for (; status == PTX_ERROR_OUT_OF_MEMORY; n++) {
        struct budget budget = {.left = n};
        const ptx_module_options options = {.allocator = {failing_realloc, &budget}, .lint = PTX_LINT_ALL};
        ptx_module *module = NULL;
        status = ptx_module_create(&options, faulty, sizeof faulty - 1, &module);
        ptx_module_destroy(module);
        assert_int_equal(budget.bytes, 0);
    }
    assert_int_equal(status, PTX_OK);
    assert_true(n > 2);
}

/* ---- prototypes ---- */

static unsigned bytes_of(char letter, unsigned *align)
{
    *align = letter == 'w' || letter == '3' ? 4 : 8;
    switch (letter) {
    case '-': return 0;
    case 'w': return 4;
    case 'd': return 8;
    case '3': return 12;
    case 'E': return 24;
    case 'P': return 32;
    default: fail_msg("no such letter: %c", letter);
    }
    return 0;
}

static void check_bytes(const char *name, const char *prototype, unsigned ret_bytes, unsigned arg_bytes)
{
    unsigned align, offset = 0;
    struct px_lint_runtime found;
    assert_true(px_cdp_describe(name, &found));
    assert_string_equal(found.prototype, prototype);
    assert_int_equal(bytes_of(*prototype, &align), ret_bytes);
    for (const char *p = prototype + 1; *p; p++) {
        const unsigned bytes = bytes_of(*p, &align);
        offset = (offset + align - 1) / align * align + bytes;
    }
    if (offset != arg_bytes)
        fail_msg("%s: %u bytes by its prototype, %u by its row", name, offset, arg_bytes);
}

TEST(test_prototypes)
{
    struct px_lint_runtime found;
#define CDP_CALL(stem, prototype, ret, args, function)                                                       \
    check_bytes("cuda" #stem, prototype, ret, args);                                                         \
    check_bytes("__cudaCDP2" #stem, prototype, ret, args);
#define CDP_FIRST(name, prototype, ret, args, function) check_bytes(#name, prototype, ret, args);
#define CDP_SYSTEM(name, prototype, ret, args, function) check_bytes(#name, prototype, ret, args);
#include "cdp/builtins.def"
    assert_false(px_cdp_describe("cudaNothing", &found));
    assert_true(px_cdp_describe("__cudaCDP2GetParameterBufferV2", &found) && found.gives_buffer);
    assert_true(px_cdp_describe("cudaGetParameterBuffer", &found) && found.gives_buffer);
    assert_true(px_cdp_describe("cudaMalloc", &found) && !found.gives_buffer);
}

int main(void)
{
    return run_suite();
}
