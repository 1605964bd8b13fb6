/*
 * test_syntax.c - the tables of ptx_syntax.h: what stands where in a text, written down by hand; and that
 * every allocation behind them may fail.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptx_syntax.h"
#include "suite.h"
#include "unit/budget.h"

static const char text[] = "// head\n"
                           ".version 8.0 .target sm_90, debug\n"
                           "# 7 \"a.cu\"\n"
                           ".attribute(.managed) .align 8 .global .u32 x[2] = {1, 2}, y;\n"
                           ".func (.reg .b32 o) f(.reg .b32 i) { mov.b32 o, i; ret; }\n"
                           ".entry k(.param .u64 p)\n"
                           "{\n"
                           "    .reg .b32 %r<4>, one; /* why */\n"
                           "    .reg .pred q;\n"
                           "L:  @!q \\ add.u32 %r1, %r3, -1;\n"
                           "    { .local .align 4 .b8 %r1[4]; mov.b32 one, %r1; }\n"
                           "    .loc 1 2 3\n"
                           "    .align 4 .shared .b32 s;\n"
                           "    t: .branchtargets L;\n"
                           "    call (%r2), f, (%r1);\n"
                           "    @q bra L;\n"
                           "}\n"
                           ".section .debug_str { a: .b8 1, 2 .b64 a }\n";

struct tables {
    ptx_module *module;
    ptx_syntax *syntax;
    const ptx_token *tokens;
    const ptx_part *parts;
    const ptx_symbol *symbols;
    const ptx_use *uses;
    size_t ntokens, nparts, nsymbols, nuses;
};

static struct tables read_text(const char *source)
{
    struct tables t = {0};
    const ptx_status status = ptx_module_create(NULL, source, strlen(source), &t.module);
    assert_true(status == PTX_OK || status == PTX_ERROR_ASSEMBLY);
    assert_int_equal(ptx_syntax_create(t.module, &t.syntax), PTX_OK);
    t.ntokens = ptx_syntax_tokens(t.syntax, &t.tokens);
    t.nparts = ptx_syntax_parts(t.syntax, &t.parts);
    t.nsymbols = ptx_syntax_symbols(t.syntax, &t.symbols);
    t.nuses = ptx_syntax_uses(t.syntax, &t.uses);
    return t;
}

static void free_tables(struct tables *t)
{
    ptx_syntax_destroy(t->syntax);
    ptx_module_destroy(t->module);
}

/* "FIRST ... LAST" of a part. */
static const char *spelt(const struct tables *t, const ptx_part *part)
{
    static char shown[200];
    const ptx_token *a = &t->tokens[part->first], *b = &t->tokens[part->last];
    const char *source = ptx_syntax_text(t->syntax, NULL);
    snprintf(shown, sizeof shown, "%.*s %.*s", (int)a->length, source + a->offset, (int)b->length,
             source + b->offset);
    return shown;
}

TEST(test_tokens)
{
    struct tables t = read_text(text);
    uint32_t end = 0, comments = 0, marks = 0;
    for (size_t i = 0; i < t.ntokens; i++) {
        const ptx_token *token = &t.tokens[i];
        assert_true(token->length > 0 && token->offset >= end);
        for (uint32_t at = end; at < token->offset; at++) assert_non_null(strchr(" \n", text[at]));
        end = token->offset + token->length;
        comments += token->kind == PTX_TOKEN_COMMENT;
        marks += token->kind == PTX_TOKEN_LINE_MARK;
    }
    assert_int_equal(end, strlen(text) - 1);
    assert_int_equal(comments, 2);
    assert_int_equal(marks, 1);
    assert_int_equal(t.tokens[1].length, strlen(".version 8.0"));
    free_tables(&t);
}

/* Every part with its kind, its parent (by number) and its ends. */
TEST(test_parts)
{
    static const struct {
        ptx_part_kind kind;
        uint32_t parent;
        const char *ends;
    } wanted[] = {
        /* clang-format off */
        {PTX_PART_HEADER, PTX_NOTHING, ".version 8.0 .version 8.0"},
        {PTX_PART_HEADER, PTX_NOTHING, ".target debug"}, {PTX_PART_VARIABLE, PTX_NOTHING, ".attribute ;"},
        {PTX_PART_FUNCTION, PTX_NOTHING, ".func }"}, {PTX_PART_INSTRUCTION, 3, "mov ;"},
        {PTX_PART_INSTRUCTION, 3, "ret ;"}, {PTX_PART_FUNCTION, PTX_NOTHING, ".entry }"},
        {PTX_PART_VARIABLE, 6, ".reg ;"}, {PTX_PART_VARIABLE, 6, ".reg ;"}, {PTX_PART_LABEL, 6, "L :"},
        {PTX_PART_INSTRUCTION, 6, "@ ;"}, {PTX_PART_BLOCK, 6, "{ }"}, {PTX_PART_VARIABLE, 11, ".local ;"},
        {PTX_PART_INSTRUCTION, 11, "mov ;"}, {PTX_PART_DEBUG, 6, ".loc 3"},
        {PTX_PART_VARIABLE, 6, ".align ;"}, {PTX_PART_TABLE, 6, "t ;"}, {PTX_PART_INSTRUCTION, 6, "call ;"},
        {PTX_PART_INSTRUCTION, 6, "@ ;"}, {PTX_PART_DEBUG, PTX_NOTHING, ".section }"},
        {PTX_PART_DEBUG_LINE, 19, "a :"}, {PTX_PART_DEBUG_LINE, 19, ".b8 2"},
        {PTX_PART_DEBUG_LINE, 19, ".b64 a"},
        /* clang-format on */
    };
    struct tables t = read_text(text);
    assert_true(ptx_syntax_complete(t.syntax));
    assert_int_equal(t.nparts, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < t.nparts; i++) {
        assert_int_equal(t.parts[i].kind, wanted[i].kind);
        assert_int_equal(t.parts[i].parent, wanted[i].parent);
        assert_string_equal(spelt(&t, &t.parts[i]), wanted[i].ends);
    }
    free_tables(&t);
}

/* The byte of a name's declaration that the use at `place` (a byte) leads to. */
static uint32_t leads_to(const struct tables *t, const char *place)
{
    for (size_t i = 0; i < t->nuses; i++)
        if (t->tokens[t->uses[i].token].offset == place - text)
            return t->tokens[t->symbols[t->uses[i].symbol].token].offset;
    return PTX_NOTHING;
}

TEST(test_names)
{
    static const char *const pairs[][2] = {
        {"%r3, -1", "%r<4>"},                    /* a member of a range */
        {"%r1;", "%r1[4]"},                      /* what hides it in a block */
        {"%r1);", "%r<4>"},                      /* and not behind the block */
        {"q \\", "q;"},         {"q bra", "q;"}, /* guards, before and behind the backslash */
        {"L;\n    call", "L:"},                  /* a label in a table */
        {"L;\n}", "L:"},        {"f, (", "f("},  /* a branch, a call */
        {"o, i", "o)"},         {"i; ret", "i)"},
    };
    struct tables t = read_text(text);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *use = strstr(text, pairs[i][0]), *declaration = strstr(text, pairs[i][1]);
        assert_int_equal(leads_to(&t, use), declaration - text);
    }
    for (size_t i = 1; i < t.nuses; i++) assert_true(t.uses[i].token > t.uses[i - 1].token);
    free_tables(&t);
}

/* After a syntax error there are tokens, but no parts; an unknown name is none. */
TEST(test_errors)
{
    struct tables t = read_text(".version 8.0\n.target sm_90\n.entry k() { ret; /* open");
    assert_false(ptx_syntax_complete(t.syntax));
    assert_int_equal(t.nparts, 0);
    assert_true(t.ntokens > 8);
    free_tables(&t);
    t = read_text(".version 8.0\n.target sm_90\n.entry k() { mov.b32 a, b; }");
    assert_true(ptx_syntax_complete(t.syntax));
    assert_int_equal(t.nuses, 1); /* k */
    free_tables(&t);
    ptx_syntax_destroy(NULL);
    assert_int_equal(ptx_syntax_create(NULL, &t.syntax), PTX_ERROR_INVALID_ARGUMENT);
}

static int count_name(void *user, const char *name)
{
    ++*(unsigned *)user;
    assert_non_null(name);
    return 0;
}

/* The manual, 9.7.1.3 (mul: .lo, .hi and .wide of six types) and 10.1 (%tid). */
TEST(test_table)
{
    ptx_form_info info;
    const char *type;
    unsigned n = 0, components, version;
    const unsigned form = ptx_opcode_form(PTX_PROFILE_13_0, "mul", 3, 0);
    assert_int_equal(ptx_form_about(form, &info), PTX_OK);
    assert_string_equal(info.syntax, "mul.lo.type d, a, b");
    assert_string_equal(info.section, "9.7.1 Integer arithmetic");
    assert_int_equal(info.version, 10);
    assert_int_equal(ptx_form_about(0, &info), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_form_about(999999, &info), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_opcode_form(PTX_PROFILE_13_0, "mull", 4, 0), 0);
    assert_int_equal(ptx_next_modifiers(PTX_PROFILE_13_0, "mul.wide", 8, count_name, &n), PTX_OK);
    assert_int_equal(n, 4); /* .u16 .u32 .s16 .s32 */
    assert_int_equal(ptx_next_modifiers(PTX_PROFILE_13_0, "mul.wide.u64", 12, count_name, &n),
                     PTX_ERROR_NOT_FOUND);
    assert_int_equal(ptx_next_modifiers(PTX_PROFILE_13_0, "", 0, count_name, &n), PTX_ERROR_NOT_FOUND);
    assert_true(ptx_special_register("%tid", 4, &type, &components, &version));
    assert_string_equal(type, "u32");
    assert_int_equal(components, 4);
    assert_false(ptx_special_register("%tidy", 5, NULL, NULL, NULL));
    assert_false(ptx_special_register("tid", 3, NULL, NULL, NULL));
}

/* The n-th allocation fails, for every n. */
TEST(test_memory)
{
    for (size_t n = 0;; n++) {
        struct budget budget = {.left = n};
        ptx_module_options options = {.allocator = {failing_realloc, &budget}};
        ptx_module *module = NULL;
        ptx_syntax *syntax = NULL;
        ptx_status status = ptx_module_create(&options, text, strlen(text), &module);
        if (module) status = ptx_syntax_create(module, &syntax);
        ptx_module_destroy(module); /* the syntax keeps it alive */
        if (syntax) assert_string_equal(ptx_syntax_text(syntax, NULL), text);
        ptx_syntax_destroy(syntax);
        assert_int_equal(budget.bytes, 0);
        if (status == PTX_OK) break;
        assert_int_equal(status, PTX_ERROR_OUT_OF_MEMORY);
        assert_true(n < 1000);
    }
}

int main(void)
{
    return run_suite();
}
