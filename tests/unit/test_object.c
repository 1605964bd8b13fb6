/*
 * test_object.c - object files: what goes in comes out, and nothing else does.
 *
 * A damaged object must be refused or give the very same module: every length of a cut-off file and every
 * value of every byte is tried.
 */
#define _GNU_SOURCE /* memmem */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptx.h"
#include "suite.h"

static const char text_a[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry a(.param .u64 p) { .reg .u64 %d; ld.param.u64 %d, [p]; ret; }\n";
static const char text_b[] = ".version 7.8\n.target sm_75\n.visible .func b() { ret; }\n";

struct bytes {
    char *at;
    size_t n, most; /* `write` stops behind so many; 0: never */
};

static int collect(void *user, const char *at, size_t n)
{
    struct bytes *bytes = user;
    if (bytes->most && bytes->n + n > bytes->most) return -1;
    bytes->at = realloc(bytes->at, bytes->n + n);
    memcpy(bytes->at + bytes->n, at, n);
    bytes->n += n;
    return 0;
}

static ptx_module *module_of(const char *text, const char *file, const char *arch)
{
    const ptx_module_options options = {.file_name = file, .arch = arch};
    ptx_module *module;
    assert_int_equal(ptx_module_create(&options, text, strlen(text), &module), PTX_OK);
    return module;
}

static struct bytes object_of(ptx_module *const *modules, size_t n)
{
    struct bytes bytes = {0};
    assert_int_equal(ptx_object_write((const ptx_module *const *)modules, n, collect, &bytes), PTX_OK);
    return bytes;
}

static struct bytes object_a(void)
{
    ptx_module *module = module_of(text_a, "a.ptx", "sm_90");
    struct bytes bytes = object_of(&module, 1);
    ptx_module_destroy(module);
    return bytes;
}

static struct bytes printed(const ptx_module *module)
{
    struct bytes bytes = {0};
    assert_int_equal(ptx_module_print(module, collect, &bytes), PTX_OK);
    return bytes;
}

static void assert_same(const ptx_module *module, const char *text)
{
    ptx_module *direct = module_of(text, "x", NULL);
    struct bytes a = printed(module), b = printed(direct);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.at, b.at, a.n);
    free(a.at);
    free(b.at);
    ptx_module_destroy(direct);
}

TEST(round_trip)
{
    struct bytes object = object_a();
    ptx_module *module;
    assert_int_equal(ptx_object_module_count(object.at, object.n), 1);
    assert_int_equal(ptx_module_create(NULL, object.at, object.n, &module), PTX_OK);
    assert_string_equal(ptx_module_file_name(module), "a.ptx");
    assert_string_equal(ptx_module_target(module), "sm_80");
    assert_same(module, text_a);
    struct bytes again = object_of(&module, 1);
    assert_int_equal(again.n, object.n);
    assert_memory_equal(again.at, object.at, object.n);
    ptx_module_destroy(module);
    free(object.at);
    free(again.at);
}

TEST(several_modules)
{
    ptx_module *modules[] = {module_of(text_a, "a.ptx", NULL), module_of(text_b, "b.ptx", NULL)}, *module;
    struct bytes object = object_of(modules, 2);
    ptx_diagnostic diagnostic = {sizeof diagnostic};
    assert_int_equal(ptx_object_module_count(object.at, object.n), 2);
    assert_int_equal(ptx_object_module(NULL, object.at, object.n, 1, &module), PTX_OK);
    assert_string_equal(ptx_module_file_name(module), "b.ptx");
    assert_same(module, text_b);
    ptx_module_destroy(module);
    assert_int_equal(ptx_object_module(NULL, object.at, object.n, 2, &module), PTX_ERROR_NOT_FOUND);
    assert_int_equal(ptx_module_create(NULL, object.at, object.n, &module), PTX_ERROR_ASSEMBLY);
    assert_int_equal(ptx_module_diagnostic(module, 0, &diagnostic), PTX_OK);
    assert_string_equal(diagnostic.code, "E0606");
    ptx_module_destroy(module);
    ptx_module_destroy(modules[0]);
    ptx_module_destroy(modules[1]);
    free(object.at);
}

TEST(what_is_not_written)
{
    ptx_module *bad, *fine = module_of(text_a, "a.ptx", NULL);
    struct bytes some = {.most = 100};
    assert_int_equal(ptx_module_create(NULL, "x", 1, &bad), PTX_ERROR_ASSEMBLY);
    const ptx_module *const list[] = {fine, bad}, *const many[1025] = {fine};
    assert_int_equal(ptx_object_write(list, 2, collect, &some), PTX_ERROR_ASSEMBLY);
    assert_int_equal(ptx_object_write(list, 0, collect, &some), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_object_write(many, 1025, collect, &some), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(some.n, 0);
    assert_int_equal(ptx_object_write(list, 1, collect, &some), PTX_ERROR_INTERRUPTED);
    ptx_module_destroy(bad);
    ptx_module_destroy(fine);
    free(some.at);
}

/* The code of the first diagnostic of a file that must give no module. */
static void assert_refused(const void *data, size_t size, const char *code)
{
    ptx_module *module;
    ptx_diagnostic diagnostic = {sizeof diagnostic};
    assert_int_equal(ptx_module_create(NULL, data, size, &module), PTX_ERROR_ASSEMBLY);
    assert_int_equal(ptx_module_diagnostic(module, 0, &diagnostic), PTX_OK);
    assert_string_equal(diagnostic.code, code);
    assert_int_equal(ptx_module_kernel_count(module), 0);
    ptx_module_destroy(module);
}

/* A file is copied to memory of its own size, so that a sanitizer sees a read behind it. */
TEST(every_length)
{
    struct bytes object = object_a();
    for (size_t n = 1; n < object.n; n++) {
        char *cut = malloc(n);
        memcpy(cut, object.at, n);
        assert_int_equal(ptx_object_module_count(cut, n), 0);
        if (n >= 4) assert_refused(cut, n, "E0605");
        free(cut);
    }
    free(object.at);
}

TEST(every_byte)
{
    struct bytes object = object_a();
    unsigned same = 0, refused = 0;
    for (size_t at = 0; at < object.n; at++) {
        const char old = object.at[at];
        for (unsigned flip = 1; flip < 256; flip++) {
            ptx_module *module;
            object.at[at] = (char)((unsigned char)old ^ flip);
            const ptx_status status = ptx_module_create(NULL, object.at, object.n, &module);
            if (status == PTX_OK && flip % 16 == 1) assert_same(module, text_a);
            if (status == PTX_OK) assert_string_equal(ptx_module_file_name(module), "a.ptx");
            same += status == PTX_OK;
            refused += status == PTX_ERROR_ASSEMBLY;
            ptx_module_destroy(module);
        }
        object.at[at] = old;
    }
    assert_int_equal(same + refused, object.n * 255);
    assert_true(refused > sizeof text_a * 255); /* no byte of the text may change unseen */
    free(object.at);
}

/* What a header says: machine in byte 18, format and number of modules behind the note's head. */
TEST(foreign_files)
{
    static const unsigned char fatbin[16] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
    unsigned char elf[128] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    elf[18] = 62;
    elf[58] = 64;
    assert_refused(elf, sizeof elf, "E0602");
    elf[18] = 190; /* CUDA, one section (the names), no note: a cubin */
    elf[40] = 64;
    elf[60] = 1;
    assert_refused(elf, sizeof elf, "E0601");
    elf[60] = 2;
    assert_refused(elf, sizeof elf, "E0605");
    assert_refused(fatbin, sizeof fatbin, "E0603");
    struct bytes object = object_a();
    char *format = memmem(object.at, object.n, "ptxvm\0\0\0\1\0\0\0", 12);
    assert_non_null(format);
    format[8] = 2;
    assert_refused(object.at, object.n, "E0604");
    free(object.at);
}

int main(void)
{
    return run_suite();
}
