/*
 * test_scope.c - which symbol an operand denotes, and the layout of parameters.
 *
 * Verdicts about names are those of ptxas 13.0; offsets follow PTX ISA 5.1.6.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "front/module.h"
#include "suite.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

static ptx_module *module;

static ptx_status create(const char *text)
{
    ptx_status status = ptx_module_create(NULL, text, strlen(text), &module);
    assert_non_null(module);
    return status;
}

static const struct px_function *function(const char *body)
{
    char text[4096];
    snprintf(text, sizeof text, HEAD ".global .b32 g;\n.entry k(.param .u64 p) { %s }\n", body);
    if (create(text) != PTX_OK) fail_msg("%s: %s", body, module->diags.list.at[0].message);
    return module->functions.at[0];
}

static const struct px_inst *inst(const struct px_block *block, unsigned n)
{
    for (uint32_t i = 0; i < block->n; i++) {
        if (block->list[i]->kind == PX_S_INST && n-- == 0) return &block->list[i]->u.inst;
    }
    fail_msg("no such instruction");
    return NULL;
}

static const struct px_symbol *symbol(const struct px_block *block, unsigned n, unsigned operand)
{
    return inst(block, n)->opds[operand].symbol;
}

TEST(test_blocks_hide)
{
    const struct px_function *f;
    f = function(".reg .b32 a; mov.b32 a, 1; { .reg .f32 a; mov.f32 a, 1.0; } mov.b32 a, 2;");
    const struct px_block *body = f->func->body;
    const struct px_symbol *outer = symbol(body, 0, 0), *again = symbol(body, 1, 0);
    const struct px_symbol *inner = symbol(&body->list[2]->u.block, 0, 0);
    assert_ptr_equal(outer, again);
    assert_ptr_not_equal(outer, inner);
    assert_int_equal(inner->type, PX_T_F32);
    assert_int_equal(f->regs.n, 2);
    ptx_module_destroy(module);
}

/* A member of a range is one register however deep its first use stands. */
TEST(test_ranges)
{
    const struct px_function *f;
    f = function(".reg .b32 r<8>; { { mov.b32 r5, 1; } } mov.b32 r5, r05; mov.b32 r7, 2;");
    const struct px_block *body = f->func->body;
    const struct px_block *deep = &body->list[1]->u.block.list[0]->u.block;
    assert_ptr_equal(symbol(deep, 0, 0), symbol(body, 0, 0));
    assert_ptr_equal(symbol(body, 0, 0), symbol(body, 0, 1)); /* r05 is r5 */
    assert_int_equal(f->regs.n, 2);
    assert_int_equal(symbol(body, 0, 0)->index, 0);
    assert_int_equal(symbol(body, 1, 0)->index, 1);
    ptx_module_destroy(module);
    f = function(".reg .b32 q1; { .reg .f32 q<2>; mov.f32 q1, 1.0; } mov.b32 q1, 1;");
    assert_int_equal(symbol(&f->func->body->list[1]->u.block, 0, 0)->type, PX_T_F32);
    assert_int_equal(symbol(f->func->body, 0, 0)->type, PX_T_B32);
    ptx_module_destroy(module);
}

TEST(test_labels_ahead)
{
    const struct px_function *f;
    f = function("bra L; { bra L; bra M; M: } L:");
    const struct px_block *body = f->func->body;
    const struct px_symbol *label = symbol(body, 0, 0);
    assert_int_equal(label->kind, PX_SYM_LABEL);
    assert_ptr_equal(label, symbol(&body->list[1]->u.block, 0, 0));
    assert_ptr_not_equal(label, symbol(&body->list[1]->u.block, 1, 0));
    assert_int_equal(f->nlabels, 2);
    ptx_module_destroy(module);
}

TEST(test_special_registers)
{
    const struct px_function *f;
    f = function(".reg .b32 tid; mov.u32 tid, %tid.x;");
    assert_non_null(symbol(f->func->body, 0, 0));
    assert_null(symbol(f->func->body, 0, 1));
    assert_non_null(px_sreg_of_word(inst(f->func->body, 0)->opds[1].u.name->word));
    ptx_module_destroy(module);
}

struct verdict {
    const char *body, *message;
    unsigned line;
};

/* The first message of ptxas about each body; line 2 is the first of the body. */
TEST(test_refusals)
{
    static const struct verdict cases[] = {
        {".reg .b32 a;\n.reg .f32 a;", "Duplicate definition of variable 'a'", 3},
        {".reg .b32 p;", "Duplicate definition of variable 'p'", 2},
        {".reg .b32 q<4>, q2;", "Duplicate definition of variable 'q2'", 2},
        {".reg .b32 q2;\n.reg .b32 q<4>;", "Duplicate definition of variable 'q2'", 3},
        {".reg .b32 q<2>;\n.reg .b32 q<4>;", "Duplicate definition of variable 'q<'", 3},
        {"L: ret;\nL: ret;", "Duplicate definition of label 'L'", 3},
        {".reg .b32 L;\nL: ret;", "Duplicate definition of label 'L'", 3},
        {"bra L;\n{ L: ret; }", "Unknown symbol 'L'", 2},
        {"bra f;\nret;", "Unknown symbol 'f'", 2},
        {".shared .b32 s[];", "Non-external variable 's' has incomplete type", 2},
        {".local .pred x;", "Predicate variable 'x' must be in register state space", 2},
        {".reg .b32 x[2];", "Variable 'x' cannot be allocated into a register", 2},
        {".reg .v4 .b64 x;", "Vector type too large, exceeds 128 bit limit", 2},
        {".local .align 3 .b32 x;", "Alignment must be a power of two", 2},
        {".shared .b32 x = 1;", "No initial value is allowed for 'x' in this state space", 2},
        {"{ { { .bad } } }", "Parsing error near '.bad': syntax error", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        ptx_diagnostic d = {sizeof d};
        snprintf(text, sizeof text, ".version 9.0 .target sm_90 .entry k(.param .u64 p) {\n%s\nret; }\n",
                 cases[i].body);
        assert_int_equal(create(text), PTX_ERROR_ASSEMBLY);
        assert_int_equal(ptx_module_diagnostic(module, 0, &d), PTX_OK);
        assert_string_equal(d.message, cases[i].message);
        assert_int_equal(d.line, cases[i].line);
        ptx_module_destroy(module);
    }
}

/* A note names what was probably meant. */
TEST(test_nearest_name)
{
    assert_int_equal(
        create(HEAD ".entry k() { .reg .b32 %count; mov.b32 %coutn, 1; bra Lend; LEND: ret; }\n"),
        PTX_ERROR_ASSEMBLY);
    unsigned found = 0;
    for (size_t i = 0; i < ptx_module_diagnostic_count(module); i++) {
        ptx_diagnostic d = {sizeof d};
        ptx_module_diagnostic(module, i, &d);
        if (!d.note) continue;
        found += strcmp(d.note, "did you mean '%count'?") == 0 || strcmp(d.note, "did you mean 'LEND'?") == 0;
    }
    assert_int_equal(found, 2);
    ptx_module_destroy(module);
}

TEST(test_parameter_layout)
{
    ptx_kernel_info kernel = {sizeof kernel};
    ptx_param_info param = {sizeof param};
    assert_int_equal(create(HEAD
                            ".entry k(.param .b8 a, .param .u64 .ptr .global b, .param .align 4 .b8 c[5],"
                            " .param .f64 d) .reqntid 32, 2 { .shared .align 16 .b8 s[40]; .local .b32 l[3];"
                            " ret; }\n"),
                     PTX_OK);
    assert_int_equal(ptx_module_kernel_count(module), 1);
    assert_int_equal(ptx_module_kernel(module, 0, &kernel), PTX_OK);
    assert_int_equal(kernel.param_count, 4);
    assert_int_equal(kernel.param_bytes, 32);
    assert_int_equal(kernel.static_shared_bytes, 40);
    assert_int_equal(kernel.local_bytes, 12);
    assert_int_equal(kernel.reqntid[1], 2);
    assert_int_equal(kernel.reqntid[2], 1);
    ptx_module_kernel_param(module, 0, 1, &param);
    assert_int_equal(param.offset, 8);
    assert_true(param.is_pointer);
    ptx_module_kernel_param(module, 0, 2, &param);
    assert_int_equal(param.offset, 16);
    assert_int_equal(param.size, 5);
    assert_int_equal(param.count, 5);
    ptx_module_kernel_param(module, 0, 3, &param);
    assert_int_equal(param.offset, 24);
    assert_string_equal(param.type, "f64");
    assert_int_equal(ptx_module_kernel_param(module, 0, 4, &param), PTX_ERROR_INVALID_ARGUMENT);
    ptx_module_destroy(module);
}

/* Declarations and a definition are one function; .extern and .visible one variable. */
TEST(test_one_symbol_a_name)
{
    assert_int_equal(create(HEAD ".extern .global .b32 v[];\n.visible .global .b32 v[4];\n"
                                 ".visible .func (.param .b32 r) f(.param .b32 a);\n"
                                 ".func (.param .b32 r) f(.param .b32 b) { ret; }\n"),
                     PTX_OK);
    assert_int_equal(module->functions.n, 1);
    assert_int_equal(module->symbols.n, 2);
    assert_int_equal(module->symbols.at[0]->size, 16);
    assert_int_equal(module->symbols.at[1]->linkage, PX_L_VISIBLE);
    assert_non_null(module->functions.at[0]->func->body);
    ptx_module_destroy(module);
}

int main(void)
{
    return run_suite();
}
