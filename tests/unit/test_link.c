/*
 * test_link.c - several modules as one program: what binds to what, where
 * shared variables lie, what builtins must look like. Expectations come from
 * link/program.h and the PTX manual's linkage rules (5.4, 11.6).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "link/program.h"
#include "suite.h"

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"
enum { MODULES = 4 };

static struct px_linked linked;
static ptx_module *modules[MODULES];
static uint32_t nmodules;

static const struct px_builtin builtins[] = {{"vprintf", NULL, 4, 16, false},
                                             {"cudaMalloc", NULL, 4, 16, true}};

static const struct px_builtin *find(const char *name)
{
    for (size_t i = 0; i < 2; i++)
        if (!strcmp(builtins[i].name, name)) return &builtins[i];
    return NULL;
}

static void native(void) {}

static ptx_host_fn resolve(void *user, const char *name)
{
    (void)user;
    return !strcmp(name, "native") ? native : NULL;
}

static ptx_status link_texts(const char *const *texts, uint32_t n)
{
    const ptx_program_options options = {.resolve = resolve};
    nmodules = n;
    for (uint32_t i = 0; i < n; i++) {
        const ptx_module_options named = {.file_name = i ? "b.ptx" : "a.ptx"};
        ptx_diagnostic d = {.struct_size = sizeof d, .message = ""};
        if (ptx_module_create(&named, texts[i], strlen(texts[i]), &modules[i]) == PTX_OK) continue;
        ptx_module_diagnostic(modules[i], 0, &d);
        fail_msg("text %u, line %u: %s", i, d.line, d.message);
    }
    return px_link(&linked, &modules[0]->alloc, modules, n, find, &options);
}

static void unlink_all(void)
{
    px_link_free(&linked);
    for (uint32_t i = 0; i < nmodules; i++) ptx_module_destroy(modules[i]);
}

static const struct px_lfunc *func(uint32_t module, const char *name)
{
    for (uint32_t i = 0; i < modules[module]->symbols.n; i++)
        if (!strcmp(modules[module]->symbols.at[i]->name->text, name))
            return px_link_func(&linked, modules[module]->symbols.at[i]);
    return NULL;
}

static const struct px_lvar *var(uint32_t module, const char *name)
{
    for (uint32_t i = 0; i < modules[module]->symbols.n; i++)
        if (!strcmp(modules[module]->symbols.at[i]->name->text, name))
            return px_link_var(&linked, modules[module]->symbols.at[i]);
    return NULL;
}

/* Of the first diagnostic. */
static void assert_error(const char *code, const char *message, const char *note)
{
    assert_true(linked.diags.list.n > 0);
    const struct px_diag *d = &linked.diags.list.at[0];
    assert_string_equal(px_diag_code(d->id), code);
    assert_string_equal(d->message, message);
    if (note) assert_string_equal(d->note, note);
}

static void assert_no_link(const char *text, const char *code, const char *message, const char *note)
{
    assert_int_equal(link_texts(&text, 1), PTX_ERROR_LINK);
    assert_error(code, message, note);
    unlink_all();
}

/* ---- functions ---- */

TEST(functions_without_linkage_stay_at_home)
{
    static const char *const texts[] = {HEAD ".func f() { ret; }\n.visible .entry a() { call f, (); ret; }",
                                        HEAD ".func f() { ret; }\n.visible .entry b() { call f, (); ret; }"};
    assert_int_equal(link_texts(texts, 2), PTX_OK);
    assert_ptr_not_equal(func(0, "f"), func(1, "f"));
    assert_ptr_equal(func(0, "f")->module, modules[0]);
    assert_ptr_equal(func(1, "f")->module, modules[1]);
    assert_int_equal(func(0, "a")->kind, PX_FUNCTION_CODE);
    assert_true(func(1, "b")->is_entry);
    unlink_all();
}

TEST(declarations_meet_definitions)
{
    static const char *const texts[] = {
        HEAD ".extern .func f();\n.extern .entry kid(.param .u64 p);\n.visible .entry a() {\n .reg .b64 "
             "%r;\n call f, ();\n"
             " mov.u64 %r, kid;\n ret; }",
        HEAD ".visible .func f() { ret; }\n.visible .entry kid(.param .u64 p) { ret; }"};
    assert_int_equal(link_texts(texts, 2), PTX_OK);
    assert_ptr_equal(func(0, "f"), func(1, "f"));
    assert_ptr_equal(func(0, "kid"), func(1, "kid"));
    assert_int_equal(func(0, "f")->kind, PX_FUNCTION_CODE);
    px_link_place(&linked, 0x100000, 0x600000000000000ull, 0xa00000000000000ull, 0xc00000000000000ull);
    assert_int_equal(func(0, "kid")->address, 0xa00000000000000ull + 16 * func(0, "kid")->id);
    unlink_all();
}

TEST(undefined_names_by_use)
{
    static const char *const texts[] = {
        HEAD ".extern .func native();\n.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
             ".extern .func nobody();\n.visible .entry a() {\n .param .b32 r; .param .b64 x; .param .b64 y;\n"
             " call native, ();\n call (r), vprintf, (x, y);\n ret; }"};
    assert_int_equal(link_texts(texts, 1), PTX_OK);
    assert_int_equal(func(0, "native")->kind, PX_FUNCTION_HOST);
    assert_ptr_equal(func(0, "native")->host, native);
    assert_int_equal(func(0, "vprintf")->kind, PX_FUNCTION_BUILTIN);
    assert_int_equal(func(0, "nobody")->kind, PX_FUNCTION_UNDEFINED);
    unlink_all();
    assert_no_link(HEAD ".extern .entry nobody();\n.visible .entry a() {\n .reg .b64 %r;\n"
                        " mov.u64 %r, nobody;\n ret; }",
                   "E0809", "Undefined reference to 'nobody' in 'a.ptx'", "used in 'a'");
}

/* libcudadevrt's definitions give way to the builtin; a program's own vprintf does not. */
TEST(builtins_over_definitions)
{
    static const char *const texts[] = {
        HEAD ".visible .func (.param .b32 r) cudaMalloc(.param .b64 a, .param .b64 b) { ret; }\n"
             ".visible .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b) { ret; }\n"
             ".visible .entry a() {\n .param .b32 r; .param .b64 x; .param .b64 y;\n call (r), cudaMalloc, "
             "(x, y);\n"
             " call (r), vprintf, (x, y);\n ret; }"};
    assert_int_equal(link_texts(texts, 1), PTX_OK);
    assert_int_equal(func(0, "cudaMalloc")->kind, PX_FUNCTION_BUILTIN);
    assert_int_equal(func(0, "vprintf")->kind, PX_FUNCTION_CODE);
    unlink_all();
    assert_no_link(HEAD ".extern .func cudaMalloc(.param .b64 a);\n.visible .entry a() {\n"
                        " .param .b64 x;\n call cudaMalloc, (x);\n ret; }",
                   "E0812",
                   "'cudaMalloc' is declared with 8 bytes of parameters and 0 of results; the device "
                   "runtime's has 16 and 4",
                   NULL);
}

/* ---- variables ---- */

TEST(common_and_weak_variables)
{
    static const char *const texts[] = {
        HEAD ".common .global .align 4 .b8 c[8];\n.weak .global .u32 w = 1;\n.visible .entry a() { ret; }",
        HEAD ".common .global .align 16 .b8 c[24];\n.visible .global .u32 w = 2;\n"
             ".visible .entry b() { ret; }"};
    assert_int_equal(link_texts(texts, 2), PTX_OK);
    assert_ptr_equal(var(0, "c"), var(1, "c"));
    assert_int_equal(var(0, "c")->size, 24);
    assert_int_equal(var(0, "c")->address % 16, 0);
    assert_ptr_equal(var(0, "w"), var(1, "w"));
    assert_ptr_equal(var(0, "w")->module, modules[1]);
    unlink_all();
    static const char *const spaces[] = {HEAD ".visible .global .u32 v;", HEAD ".extern .const .u32 v;"};
    assert_int_equal(link_texts(spaces, 2), PTX_ERROR_LINK);
    assert_error("E0803", "Memory space doesn't match for 'v' in 'b.ptx', first specified in 'a.ptx'", NULL);
    unlink_all();
}

#define USE(name) " st.shared.u32 [" name "], %r;\n"
#define KERNEL(name, body) ".visible .entry " name "() {\n .reg .b32 %r;\n mov.u32 %r, 1;\n" body " ret; }\n"

static bool overlap(const struct px_lvar *a, const struct px_lvar *b)
{
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

TEST(shared_variables_overlay_by_kernel)
{
    static const char *const texts[] = {
        HEAD ".shared .align 4 .b8 x[100];\n.shared .align 4 .b8 y[50];\n.shared .align 16 .b8 both[32];\n"
             ".extern .shared .align 8 .b8 dyn[];\n"
             ".func deep() {\n .reg .b32 %r;\n mov.u32 %r, 1;\n" USE("both")
                 USE("dyn") " ret; }\n" KERNEL("a", USE("x") " call deep, ();\n")
                     KERNEL("b", USE("y") " call deep, ();\n") KERNEL("c", USE("y")) KERNEL("d", "")};
    assert_int_equal(link_texts(texts, 1), PTX_OK);
    assert_false(overlap(var(0, "x"), var(0, "both")));
    assert_false(overlap(var(0, "y"), var(0, "both")));
    assert_true(overlap(var(0, "x"), var(0, "y"))); /* no kernel uses both */
    assert_int_equal(var(0, "both")->address % 16, 0);
    const uint64_t dynamic = var(0, "dyn")->address;
    assert_int_equal(dynamic % 16, 0);
    assert_true(dynamic >= var(0, "both")->address + 32);
    assert_int_equal(func(0, "a")->static_shared, dynamic);
    assert_int_equal(func(0, "b")->static_shared, dynamic);
    assert_int_equal(func(0, "c")->static_shared, 50);
    assert_int_equal(func(0, "d")->static_shared, 0);
    unlink_all();
}

/* An indirect call may reach every function whose address is taken. */
TEST(indirect_calls_reach_shared_variables)
{
    static const char *const texts[] = {
        HEAD ".shared .align 4 .b8 x[64];\n.func far() {\n .reg .b32 %r;\n mov.u32 %r, 1;\n" USE(
            "x") " ret; }\n"
                 ".visible .entry a() {\n .reg .b64 %f;\n mov.u64 %f, far;\n P: .callprototype _ ();\n call "
                 "%f, (), P;\n ret; }\n"
                 ".visible .entry b() {\n .reg .b64 %f;\n mov.u64 %f, far;\n ret; }"};
    assert_int_equal(link_texts(texts, 1), PTX_OK);
    assert_int_equal(func(0, "a")->static_shared, 64);
    assert_int_equal(func(0, "b")->static_shared, 0);
    unlink_all();
}

TEST(recursion_is_walked_once)
{
    static const char *const texts[] = {
        HEAD ".shared .align 4 .b8 x[12];\n.func g();\n.func f() {\n call g, ();\n ret; }\n"
             ".func g() {\n .reg .b32 %r;\n mov.u32 %r, 1;\n" USE(
                 "x") " call f, ();\n ret; }\n"
                      ".visible .entry a() {\n call f, ();\n ret; }"};
    assert_int_equal(link_texts(texts, 1), PTX_OK);
    assert_int_equal(func(0, "a")->static_shared, 12);
    unlink_all();
}

int main(void)
{
    return run_suite();
}
