/*
 * test_links.c - ptx_link and programs of several modules: diagnostics with both places, bad arguments, many
 * modules, and memory that runs out. What draws which verdict is tests/link.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ptxvm.h"
#include "suite.h"
#include "unit/budget.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
enum { MANY = 1000 };

static ptx_module *make(const char *file, const char *text)
{
    const ptx_module_options options = {.struct_size = sizeof options, .file_name = file};
    ptx_diagnostic d = {.struct_size = sizeof d, .message = ""};
    ptx_module *module;
    if (ptx_module_create(&options, text, strlen(text), &module) == PTX_OK) return module;
    ptx_module_diagnostic(module, 0, &d);
    fail_msg("%s, line %u: %s", file, d.line, d.message);
    return NULL;
}

static ptx_link_diagnostic diagnostic(const ptx_link *link, size_t i)
{
    ptx_link_diagnostic d = {.struct_size = sizeof d};
    assert_int_equal(ptx_link_diagnostic_get(link, i, &d), PTX_OK);
    return d;
}

/* ---- diagnostics ---- */

TEST(both_places_are_told)
{
    ptx_module *modules[2] = {
        make("a.ptx", HEAD ".visible .global .u32 x;\n.extern .func f();\n"
                           ".visible .entry k() {\n    call f, ();\n    ret;\n}\n"),
        make("b.ptx", HEAD "\n  .visible .global .align 4 .u32 x;\n"),
    };
    ptx_link *link;
    assert_int_equal(ptx_link_create((const ptx_module *const *)modules, 2, NULL, &link), PTX_ERROR_LINK);
    ptx_module_destroy(modules[0]); /* the link keeps what it needs */
    ptx_module_destroy(modules[1]);
    assert_int_equal(ptx_link_diagnostic_count(link), 2);
    ptx_link_diagnostic d = diagnostic(link, 0);
    assert_string_equal(d.code, "E0801");
    assert_int_equal(d.severity, PTX_ERROR);
    assert_string_equal(d.message, "Multiple definition of 'x' in 'b.ptx', first defined in 'a.ptx'");
    assert_null(d.note);
    assert_string_equal(d.file, "b.ptx");
    assert_int_equal(d.line, 5);
    assert_int_equal(d.column, 34);
    assert_int_equal(d.length, 1);
    assert_string_equal(d.first_file, "a.ptx");
    assert_int_equal(d.first_line, 4);
    assert_int_equal(d.first_column, 23);
    const char *line;
    size_t length;
    assert_int_equal(ptx_module_source_line(d.first_module, d.first_line, &line, &length), PTX_OK);
    assert_memory_equal(line, ".visible .global .u32 x;", length);
    d = diagnostic(link, 1);
    assert_string_equal(d.code, "E0809");
    assert_string_equal(d.message, "Undefined reference to 'f' in 'a.ptx'");
    assert_string_equal(d.note, "used in 'k'");
    assert_int_equal(d.line, 7);
    assert_int_equal(d.column, 5);
    assert_int_equal(d.first_line, 5); /* the declaration */
    ptx_link_destroy(link);
}

/* A program as a whole has no place; ptx_program_create tells the first of several. */
TEST(the_message_of_a_device_tells_the_first)
{
    ptx_module *modules[2] = {make("a.ptx", HEAD ".visible .const .b8 x[40000];\n.visible .global .b8 y;\n"),
                              make("b.ptx", HEAD ".visible .const .b8 z[40000];\n")};
    ptx_device_config config = {.struct_size = sizeof config, .memory_bytes = 1 << 20, .workers = 1};
    ptx_device *device;
    ptx_program *program;
    ptx_link *link;
    assert_int_equal(ptx_link_create((const ptx_module *const *)modules, 2, NULL, &link), PTX_ERROR_LINK);
    ptx_link_diagnostic d = diagnostic(link, 0);
    assert_string_equal(d.code, "E0810");
    assert_null(d.module);
    assert_null(d.file);
    assert_int_equal(d.line, 0);
    ptx_link_destroy(link);
    assert_int_equal(ptx_device_create(&config, &device), PTX_OK);
    assert_int_equal(ptx_program_create(device, (const ptx_module *const *)modules, 2, NULL, &program),
                     PTX_ERROR_LINK);
    assert_string_equal(ptx_device_message(device),
                        "File uses too much global constant data (0x13880 bytes, 0x10000 max)");
    ptx_module_destroy(modules[1]);
    modules[1] = make("b.ptx", HEAD ".visible .global .b8 x;\n.visible .global .b8 y;\n");
    assert_int_equal(ptx_program_create(device, (const ptx_module *const *)modules, 2, NULL, &program),
                     PTX_ERROR_LINK);
    assert_string_equal(ptx_device_message(device),
                        "b.ptx:4: Memory space doesn't match for 'x' in 'b.ptx', first specified in 'a.ptx' "
                        "(declared at a.ptx:4), and 1 more");
    ptx_device_destroy(device);
    ptx_module_destroy(modules[0]);
    ptx_module_destroy(modules[1]);
}

/* ---- bad arguments ---- */

TEST(bad_arguments)
{
    ptx_module *module = make("a.ptx", HEAD ".visible .entry k() { ret; }\n");
    const ptx_module *const list[] = {module, NULL};
    ptx_link *link = (ptx_link *)list;
    assert_int_equal(ptx_link_create(NULL, 1, NULL, &link), PTX_ERROR_INVALID_ARGUMENT);
    assert_null(link);
    assert_int_equal(ptx_link_create(list, 0, NULL, &link), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_link_create(list, 2, NULL, &link), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_link_create(list, SIZE_MAX, NULL, &link), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_link_create(list, 1, NULL, NULL), PTX_ERROR_INVALID_ARGUMENT);
    const ptx_program_options odd = {.struct_size = 3};
    assert_int_equal(ptx_link_create(list, 1, &odd, &link), PTX_ERROR_INVALID_ARGUMENT);
    ptx_link_destroy(NULL);
    assert_int_equal(ptx_link_diagnostic_count(NULL), 0);
    assert_int_equal(ptx_link_create(list, 1, NULL, &link), PTX_OK);
    ptx_link_diagnostic d = {.struct_size = sizeof d};
    assert_int_equal(ptx_link_diagnostic_count(link), 0);
    assert_int_equal(ptx_link_diagnostic_get(link, 0, &d), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_link_diagnostic_get(link, 0, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_link_diagnostic_get(NULL, 0, &d), PTX_ERROR_INVALID_ARGUMENT);
    ptx_link_destroy(link);
    ptx_module_destroy(module);
}

TEST(modules_that_cannot_be_linked)
{
    const ptx_module_options options = {.struct_size = sizeof options, .check_only = 1};
    ptx_module *bad, *checked;
    ptx_link *link;
    assert_int_equal(ptx_module_create(NULL, "nonsense", 8, &bad), PTX_ERROR_ASSEMBLY);
    assert_int_equal(ptx_module_create(&options, HEAD, sizeof HEAD - 1, &checked), PTX_OK);
    assert_int_equal(ptx_link_create((const ptx_module *const[]){bad}, 1, NULL, &link), PTX_ERROR_ASSEMBLY);
    assert_int_equal(ptx_link_create((const ptx_module *const[]){checked}, 1, NULL, &link),
                     PTX_ERROR_ASSEMBLY);
    ptx_module_destroy(bad);
    ptx_module_destroy(checked);
}

TEST(a_module_given_twice)
{
    ptx_module *module = make("a.ptx", HEAD ".entry k() { ret; }\n"), *other = make("b.ptx", HEAD);
    ptx_link *link;
    assert_int_equal(ptx_link_create((const ptx_module *const[]){module, other, module}, 3, NULL, &link),
                     PTX_ERROR_LINK);
    assert_int_equal(ptx_link_diagnostic_count(link), 1);
    const ptx_link_diagnostic d = diagnostic(link, 0);
    assert_string_equal(d.code, "E0813");
    assert_string_equal(d.message, "Module 'a.ptx' is given twice");
    assert_string_equal(d.file, "a.ptx");
    assert_int_equal(d.line, 0);
    ptx_link_destroy(link);
    ptx_module_destroy(module);
    ptx_module_destroy(other);
}

/* ---- host functions ---- */

static void native(void) {}

static ptx_host_fn only_native(void *user, const char *name)
{
    ++*(int *)user;
    return strcmp(name, "native") ? NULL : native;
}

TEST(host_functions_are_asked_for)
{
    int asked = 0;
    const ptx_program_options options = {
        .struct_size = sizeof options, .resolve = only_native, .resolve_user = &asked};
    ptx_module *module = make("a.ptx", HEAD ".extern .func native();\n.extern .func idle();\n"
                                            ".visible .func never() { call idle, (); ret; }\n"
                                            ".visible .entry k() { call native, (); ret; }\n");
    ptx_link *link;
    assert_int_equal(ptx_link_create((const ptx_module *const[]){module}, 1, &options, &link), PTX_OK);
    assert_int_equal(asked, 1); /* nothing comes to the call of idle */
    ptx_link_destroy(link);
    assert_int_equal(ptx_link_create((const ptx_module *const[]){module}, 1, NULL, &link), PTX_ERROR_LINK);
    ptx_link_destroy(link);
    ptx_module_destroy(module);
}

/* ---- names that are a module's own ---- */

TEST(a_module_of_a_program)
{
    ptx_module *modules[2] = {
        make("a.ptx", HEAD ".global .u32 x = 1;\n.weak .global .u32 w = 3;\n.entry k() { ret; }\n"),
        make("b.ptx",
             HEAD ".global .u32 x = 2;\n.extern .global .u32 w;\n.entry k() { ret; }\n"
                  ".visible .entry only() { ret; }\n.visible .func f() { ret; }\n.shared .u32 s;\n")};
    ptx_device_config config = {.struct_size = sizeof config, .memory_bytes = 1 << 20, .workers = 1};
    ptx_device *device;
    ptx_program *program;
    ptx_kernel *first, *second, *any;
    assert_int_equal(ptx_device_create(&config, &device), PTX_OK);
    assert_int_equal(ptx_program_create(device, (const ptx_module *const *)modules, 2, NULL, &program),
                     PTX_OK);
    assert_int_equal(ptx_program_module_kernel(program, 0, "k", &first), PTX_OK);
    assert_int_equal(ptx_program_module_kernel(program, 1, "k", &second), PTX_OK);
    assert_int_equal(ptx_program_kernel(program, "k", &any), PTX_OK);
    assert_ptr_not_equal(first, second);
    assert_ptr_equal(any, first);
    ptx_kernel_info info = {sizeof info};
    assert_int_equal(ptx_kernel_info_get(second, &info), PTX_OK);
    assert_false(info.is_shared);
    assert_int_equal(ptx_module_kernel(modules[1], 1, &info), PTX_OK);
    assert_string_equal(info.name, "only");
    assert_true(info.is_shared);
    for (uint32_t m = 0; m < 2; m++) {
        ptx_address own, shared, named;
        uint64_t size;
        uint32_t value = 0;
        assert_int_equal(ptx_program_module_variable(program, m, "x", &own, &size), PTX_OK);
        assert_int_equal(ptx_memory_read(device, &value, own, 4), PTX_OK);
        assert_int_equal(value, m + 1);
        assert_int_equal(ptx_program_module_variable(program, m, "w", &shared, NULL), PTX_OK);
        assert_int_equal(ptx_program_variable(program, "w", &named, NULL), PTX_OK);
        assert_int_equal(shared, named);
    }
    ptx_address at;
    assert_int_equal(ptx_program_module_kernel(program, 0, "only", &any), PTX_ERROR_NOT_FOUND);
    assert_int_equal(ptx_program_module_kernel(program, 1, "f", &any), PTX_ERROR_NOT_FOUND);
    assert_int_equal(ptx_program_module_kernel(program, 1, "x", &any), PTX_ERROR_NOT_FOUND);
    assert_int_equal(ptx_program_module_variable(program, 1, "k", &at, NULL), PTX_ERROR_NOT_FOUND);
    assert_int_equal(ptx_program_module_variable(program, 1, "s", &at, NULL), PTX_ERROR_NOT_FOUND);
    assert_int_equal(ptx_program_module_kernel(program, 2, "k", &any), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_program_module_kernel(NULL, 0, "k", &any), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_program_module_kernel(program, 0, NULL, &any), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_program_module_variable(program, 2, "x", &at, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_program_module_variable(program, 0, "x", NULL, NULL), PTX_ERROR_INVALID_ARGUMENT);
    ptx_device_destroy(device);
    ptx_module_destroy(modules[0]);
    ptx_module_destroy(modules[1]);
}

/* ---- many modules ---- */

/* Each calls the next, takes an address and calls by address, and has a name of its own and one that all
 * share. */
static ptx_module *make_link_of_chain(unsigned i, unsigned n)
{
    char file[32], text[1400];
    const unsigned next = (i + 1) % n;
    snprintf(file, sizeof file, "m%u.ptx", i);
    snprintf(text, sizeof text,
             HEAD ".global .u32 mine;\n.weak .global .u32 ours;\n"
                  ".extern .global .u32 v%u;\n.visible .global .u32 v%u = %u;\n"
                  ".extern .func f%u();\n.global .u64 table[2] = {v%u, f%u};\n.func own() { ret; }\n"
                  ".visible .func f%u() { .reg .b64 %%r; mov.u64 %%r, own;"
                  " P: .callprototype _ (); call %%r, (), P; ret; }\n"
                  ".visible .entry k%u() { call f%u, (); ret; }\n",
             next, i, i, next, next, next, i, i, i);
    return make(file, text);
}

static double seconds_to_link(ptx_module *const *modules, unsigned n)
{
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        struct timespec from, to;
        ptx_link *link;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        assert_int_equal(ptx_link_create((const ptx_module *const *)modules, n, NULL, &link), PTX_OK);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        ptx_link_destroy(link);
        const double took = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
        if (took < best) best = took;
    }
    return best;
}

TEST(a_thousand_modules)
{
    static ptx_module *few[MANY / 4], *many[MANY];
    for (unsigned i = 0; i < MANY / 4; i++) few[i] = make_link_of_chain(i, MANY / 4);
    for (unsigned i = 0; i < MANY; i++) many[i] = make_link_of_chain(i, MANY);
    const double small = seconds_to_link(few, MANY / 4), large = seconds_to_link(many, MANY);
    if (large > 10 * small + 0.01)
        fail_msg("%u modules take %g s, %u take %g s", MANY / 4, small, MANY, large);
    ptx_device_config config = {.struct_size = sizeof config, .memory_bytes = 16 << 20, .workers = 1};
    ptx_device *device;
    ptx_program *program;
    assert_int_equal(ptx_device_create(&config, &device), PTX_OK);
    assert_int_equal(ptx_program_create(device, (const ptx_module *const *)many, MANY, NULL, &program),
                     PTX_OK);
    for (unsigned i = 0; i < MANY; i += 37) {
        char name[20];
        ptx_address at;
        ptx_kernel *kernel;
        uint32_t value = 0;
        snprintf(name, sizeof name, "v%u", i);
        assert_int_equal(ptx_program_variable(program, name, &at, NULL), PTX_OK);
        assert_int_equal(ptx_memory_read(device, &value, at, 4), PTX_OK);
        assert_int_equal(value, i);
        snprintf(name, sizeof name, "k%u", i);
        assert_int_equal(ptx_program_kernel(program, name, &kernel), PTX_OK);
    }
    ptx_device_destroy(device);
    for (unsigned i = 0; i < MANY / 4; i++) ptx_module_destroy(few[i]);
    for (unsigned i = 0; i < MANY; i++) ptx_module_destroy(many[i]);
}

/* ---- memory that runs out ---- */

/* The n-th allocation of a link fails, for every n: a status each time, and nothing is left. */
static void starve(const char *const *texts, size_t count, ptx_status wanted)
{
    ptx_status status = PTX_ERROR_OUT_OF_MEMORY;
    size_t n = 0;
    for (; status == PTX_ERROR_OUT_OF_MEMORY; n++) {
        struct budget budget = {.left = SIZE_MAX};
        const ptx_module_options options = {.struct_size = sizeof options,
                                            .allocator = {failing_realloc, &budget}};
        ptx_module *modules[2];
        ptx_link *link;
        for (size_t i = 0; i < count; i++)
            assert_int_equal(ptx_module_create(&options, texts[i], strlen(texts[i]), &modules[i]), PTX_OK);
        budget.left = n;
        status = ptx_link_create((const ptx_module *const *)modules, count, NULL, &link);
        assert_true(status != PTX_ERROR_OUT_OF_MEMORY || !link);
        ptx_link_destroy(link);
        for (size_t i = 0; i < count; i++) ptx_module_destroy(modules[i]);
        assert_int_equal(budget.bytes, 0);
    }
    assert_int_equal(status, wanted);
    assert_true(n > 2);
}

TEST(every_allocation_of_a_link)
{
    static const char *const fine[] = {
        HEAD ".extern .global .u32 x;\n.extern .func f();\n.visible .entry k() { call f, (); ret; }\n",
        HEAD ".visible .global .u32 x;\n.visible .func f() { .shared .b32 s; st.shared.b32 [s], 1; ret; }\n"};
    static const char *const wrong[] = {
        HEAD ".visible .global .u32 x;\n.extern .func f();\n.visible .entry k() { call f, (); ret; }\n",
        HEAD ".visible .global .u64 x;\n.extern .global .u32 y;\n"};
    starve(fine, 2, PTX_OK);
    starve(wrong, 2, PTX_ERROR_LINK);
}

int main(void)
{
    return run_suite();
}
