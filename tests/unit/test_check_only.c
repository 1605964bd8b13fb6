/*
 * test_check_only.c - a module of which only the verdict is wanted: the same
 * messages and the same answers as for any other, no bodies, and less memory.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptxvm.h"
#include "suite.h"

static const char head[] = ".version 8.0\n.target sm_80\n.address_size 64\n";

struct memory {
    size_t now, most;
};

static void *counting(void *user, void *ptr, size_t old_size, size_t size)
{
    struct memory *memory = user;
    memory->now += size - old_size;
    if (memory->now > memory->most) memory->most = memory->now;
    if (size) return realloc(ptr, size);
    free(ptr);
    return NULL;
}

static ptx_module *check(const char *text, int check_only, struct memory *memory)
{
    const ptx_module_options options = {.allocator = {counting, memory}, .check_only = check_only};
    ptx_module *module = NULL;
    ptx_module_create(&options, text, strlen(text), &module);
    assert_non_null(module);
    return module;
}

static void same_diagnostics(const ptx_module *a, const ptx_module *b)
{
    assert_int_equal(ptx_module_diagnostic_count(a), ptx_module_diagnostic_count(b));
    for (size_t i = 0; i < ptx_module_diagnostic_count(a); i++) {
        ptx_diagnostic x = {sizeof x}, y = {sizeof y};
        ptx_module_diagnostic(a, i, &x);
        ptx_module_diagnostic(b, i, &y);
        assert_string_equal(x.message, y.message);
        assert_int_equal(x.line, y.line);
        assert_int_equal(x.column, y.column);
    }
}

static void compare(const char *body)
{
    struct memory first = {0}, second = {0};
    char text[4096];
    snprintf(text, sizeof text, "%s%s", head, body);
    ptx_module *whole = check(text, 0, &first), *only = check(text, 1, &second);
    same_diagnostics(whole, only);
    assert_int_equal(ptx_module_kernel_count(whole), ptx_module_kernel_count(only));
    ptx_kernel_info a = {sizeof a}, b = {sizeof b};
    for (size_t i = 0; ptx_module_kernel(whole, i, &a) == PTX_OK; i++) {
        assert_int_equal(ptx_module_kernel(only, i, &b), PTX_OK);
        assert_string_equal(a.name, b.name);
        a.name = b.name;
        assert_memory_equal(&a, &b, offsetof(ptx_kernel_info, is_shared));
    }
    ptx_module_destroy(whole);
    ptx_module_destroy(only);
    assert_int_equal(first.now, 0);
    assert_int_equal(second.now, 0);
}

TEST(test_same_answers)
{
    compare(".entry k(.param .u64 p) { .shared .b32 s[4]; .reg .b32 %r<3>; mov.u32 %r1, 2; L: bra L; }\n");
    compare(".entry a() { .reg .b32 %r<3>; add.f64 %r1, %r2, %r1; }\n.entry b() { bra nowhere; }\n.global "
            ".b32 a;\n");
    compare(".func f() { .func g(); call g; }\n.entry k() { call f; call g; { .reg .b32 a; } }\n.func g() { "
            "ret; }\n");
    compare(".entry k() { .reg .b32 %r<3>; mov.u32 %r1, x; mov.u32 %r2 }\n.entry l() { ret; }\n");
    compare(".entry k() { .reg .b32 %r<3>; { L: bra M; mov.u32 %r9, 1; \n");
    compare(
        ".entry k() { .reg .pred p; T: .branchtargets A, B; A: B: brx.idx p, T; }\n.entry l() { bra A; }\n");
    compare(".entry k()\n.reg .b32 x;\n");
    compare(
        ".reg .b32 r<4>;\n.entry k() { mov.u32 r1, r2; }\n.entry l() { mov.u32 r1, r2; mov.u32 r4, 1; }\n");
}

static int nowhere(void *user, const char *text, size_t size)
{
    (void)user;
    (void)text;
    (void)size;
    return 0;
}

TEST(test_refusals)
{
    struct memory memory = {0};
    ptx_device *device = NULL;
    ptx_program *program = NULL;
    ptx_module *module = check(".version 8.0\n.target sm_80\n.entry k() { ret; }\n", 1, &memory);
    assert_int_equal(ptx_module_print(module, nowhere, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_create(NULL, &device), PTX_OK);
    assert_int_not_equal(ptx_program_create(device, (const ptx_module *const[]){module}, 1, NULL, &program),
                         PTX_OK);
    assert_non_null(strstr(ptx_device_message(device), "only checked"));
    ptx_device_destroy(device);
    ptx_module_destroy(module);
}

/* A hundred kernels of two hundred instructions: their bodies are never in memory together. */
TEST(test_memory)
{
    enum { KERNELS = 100, LINES = 200 };
    struct memory whole = {0}, only = {0};
    size_t room = KERNELS * (LINES * 32 + 100), n;
    char *text = malloc(room);
    n = (size_t)sprintf(text, "%s", head);
    for (int k = 0; k < KERNELS; k++) {
        n += (size_t)sprintf(text + n, ".entry k%d()\n{\n.reg .b32 %%r<300>;\n", k);
        for (int i = 0; i < LINES; i++)
            n += (size_t)sprintf(text + n, "add.u32 %%r%d, %%r%d, 1;\n", i, i + 1);
        n += (size_t)sprintf(text + n, "}\n");
    }
    ptx_module_destroy(check(text, 0, &whole));
    ptx_module_destroy(check(text, 1, &only));
    assert_true(only.most < 3 * n + (1 << 17));
    assert_true(only.most * 2 < whole.most);
    free(text);
}

int main(void)
{
    return run_suite();
}
