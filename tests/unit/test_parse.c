/*
 * test_parse.c - the lexer's edges, the shape of operands, syntax errors and their lines.
 *
 * Where a case says how a number or a word is split, ptxas 13.0 was asked.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include "suite.h"
#include "unit/parsed.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

static struct parsed p;

static void parse_text(const char *text)
{
    parse(&p, text, strlen(text));
}

/* Parses one statement inside a kernel; NULL when it does not parse. */
static const struct px_stmt *statement(const char *text)
{
    char module[4096];
    snprintf(module, sizeof module, HEAD ".entry k() { %s }\n", text);
    static char kept[4096];
    memcpy(kept, module, sizeof kept);
    parse_text(kept);
    if (!p.tree.complete) return NULL;
    return p.tree.items[0].u.func->body->list[0];
}

static const struct px_operand *operand(const char *text)
{
    char inst[1024];
    snprintf(inst, sizeof inst, "mov.b64 d, %s;", text);
    const struct px_stmt *stmt = statement(inst);
    return stmt ? &stmt->u.inst.opds[1] : NULL;
}

struct integer {
    const char *text;
    uint64_t value;
    bool is_unsigned;
};

static void check_int(const struct integer *c)
{
    const struct px_operand *o = operand(c->text);
    if (!o || o->kind != PX_O_INT || o->u.i != c->value || o->is_unsigned != c->is_unsigned)
        fail_msg("%s is not %llu", c->text, (unsigned long long)c->value);
    px_arena_free(&p.arena);
}

/* 2^64 wraps without a word, as in ptxas. */
TEST(test_integers)
{
    static const struct integer cases[] = {
        /* clang-format off */
        {"0", 0, false}, {"017", 15, false}, {"0x7F", 127, false}, {"0b101", 5, false}, {"5U", 5, true},
        {"0xFFFFFFFFFFFFFFFF", UINT64_MAX, true}, {"9223372036854775807", INT64_MAX, false},
        {"9223372036854775808", (uint64_t)1 << 63, true}, {"18446744073709551616", 0, false},
        {"WARP_SZ", 32, false},
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_int(&cases[i]);
}

/* PTX ISA 4.5: 64-bit integers; values worked out by hand. */
TEST(test_constant_expressions)
{
    static const struct integer cases[] = {
        /* clang-format off */
        {"1+2*3", 7, false}, {"(1+2)*3", 9, false}, {"-7/2", (uint64_t)-3, false},
        {"-7 % 2", (uint64_t)-1, false}, {"-1 >> 1", (uint64_t)-1, false},
        {"0xFFFFFFFFFFFFFFFF >> 63", 1, true}, {"1 << 64", 0, false}, {"~0", UINT64_MAX, true},
        {"!5", 0, false}, {"1U - 2", UINT64_MAX, true}, {"-1 < 0", 1, false}, {"-1 < 0U", 0, false},
        {"1.5 < 2.5", 1, false}, {"3 > 2 ? 5 : 6", 5, false}, {"1 || 0 && 0", 1, false},
        {"6 & 3 | 8 ^ 8", 2, false}, {"(.u64)-1", UINT64_MAX, true},
        {"(-9223372036854775807-1) / -1", (uint64_t)1 << 63, false},
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_int(&cases[i]);
}

struct number {
    const char *text;
    enum px_operand_kind kind;
    uint64_t bits;
};

static void check_float(const struct number *c)
{
    const struct px_operand *o = operand(c->text);
    if (!o || o->kind != c->kind || o->u.i != c->bits)
        fail_msg("%s is not %llx", c->text, (unsigned long long)c->bits);
    px_arena_free(&p.arena);
}

/* Bits of IEEE 754 doubles and singles, written down from the format. */
TEST(test_floats)
{
    static const struct number cases[] = {
        {"0f3F800000", PX_O_F32, 0x3F800000},      {"0D3FF0000000000000", PX_O_F64, 0x3FF0000000000000},
        {"1.0", PX_O_F64, 0x3FF0000000000000},     {".5", PX_O_F64, 0x3FE0000000000000},
        {"1.", PX_O_F64, 0x3FF0000000000000},      {"1e3", PX_O_F64, 0x408F400000000000},
        {"-2.5e-1", PX_O_F64, 0xBFD0000000000000}, {"08.5", PX_O_F64, 0x4021000000000000},
        {"1.5+1.5", PX_O_F64, 0x4008000000000000}, {"1e999", PX_O_F64, 0x7FF0000000000000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_float(&cases[i]);
}

/* A constant with an error stays a tree for the checker to report. */
TEST(test_faulty_constants)
{
    static const char *const texts[] = {"1/0", "1 % 0", "1+1.5", "1.5 << 1", "~1.5", "(.s64)2.75"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct px_operand *o = operand(texts[i]);
        assert_non_null(o);
        assert_int_equal(o->kind, PX_O_EXPR);
        px_arena_free(&p.arena);
    }
}

TEST(test_operands)
{
    const struct px_inst *inst;
    inst = &statement("vadd.u32.u32.u32 d.h1, a.b3, -b, {x, _, 3, v.y};")->u.inst;
    assert_int_equal(inst->nopds, 4);
    assert_string_equal(px_word_text(inst->opds[0].selector), "h1");
    assert_string_equal(px_word_text(inst->opds[1].selector), "b3");
    assert_true(inst->opds[2].minus);
    assert_int_equal(inst->opds[3].kind, PX_O_VEC);
    assert_int_equal(inst->opds[3].n, 4);
    assert_int_equal(inst->opds[3].u.list[1].kind, PX_O_SINK);
    assert_string_equal(px_word_text(inst->opds[3].u.list[3].selector), "y");
    px_arena_free(&p.arena);

    inst = &statement("@!q ld.global.u32 p|_, [a+-4].unified, [t, s, {x, y}], gv[4], !z;")->u.inst;
    assert_true(inst->guard_negated);
    assert_string_equal(inst->guard->u.name->text, "q");
    assert_int_equal(inst->opds[0].kind, PX_O_PAIR);
    assert_int_equal(inst->opds[1].u.list[0].offset, -4);
    assert_true(inst->opds[1].unified);
    assert_int_equal(inst->opds[2].n, 3);
    assert_int_equal(inst->opds[2].u.list[2].kind, PX_O_VEC);
    assert_int_equal(inst->opds[3].kind, PX_O_INDEX);
    assert_true(inst->opds[4].negated);
    px_arena_free(&p.arena);

    inst = &statement("call.uni (r), f, (1), P;")->u.inst;
    assert_int_equal(inst->opds[0].kind, PX_O_LIST);
    assert_int_equal(inst->opds[2].kind, PX_O_LIST);
    assert_int_equal(inst->opds[2].u.list[0].u.i, 1);
    px_arena_free(&p.arena);
}

/* Opcodes, modifiers and types are names, not keywords. */
TEST(test_words_are_names)
{
    static const char *const texts[] = {
        ".reg .u32 add;",
        "mov: add .s32 mov, ld, st;",
        "entry: target version, global;",
        "ret ;",
        "@ ! p ret;",
        "fence.proxy.alias;",
        "st.weak.global.u32 [a], b;",
        "mov.b32 a, b.b32;",
        "ld.const[3].u32 a, [b];",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!statement(texts[i])) fail_msg("%s does not parse", texts[i]);
        px_arena_free(&p.arena);
    }
}

struct bad {
    const char *text;
    unsigned line;
    const char *near;
};

/* The token and line that ptxas names; HEAD has three lines. */
TEST(test_syntax_errors)
{
    static const struct bad cases[] = {
        {HEAD ".global .b32 a b;\n", 4, "b"},
        {HEAD ".global .b32\n a[-1];\n", 5, "-"},
        {HEAD ".entry k() {\n mov.u32 r, 089;\n}\n", 5, "89"},
        {HEAD ".entry k() {\n mov.u32 r, 1%0;\n}\n", 5, "%0"},
        {HEAD ".entry k() {\n mov.f32 r, 0f3F8000000;\n}\n", 5, "0"},
        {HEAD ".entry k() {\n mov.f32 r, 1.0.0;\n}\n", 5, ".0"},
        {HEAD ".entry k() {\n tex.6d r, s;\n}\n", 5, "d"},
        {HEAD ".entry k() {\n mov.u32 r, 1\n mov.u32 r, 2;\n}\n", 6, "mov"},
        {HEAD ".entry k() {\n mov . u32 r, 1;\n}\n", 5, "."},
        {HEAD ".entry k() {\n @p L: ret;\n}\n", 5, ":"},
        {HEAD ".entry k() {\n ld.u32 r, [a-4];\n}\n", 5, "-"},
        {HEAD ".entry k() {\n setp.eq.s32 p|q|r, a, b;\n}\n", 5, "|"},
        {HEAD ".entry k() {\n mov.u32 r, _;\n}\n", 5, "_"},
        {HEAD ".entry k() {\n ret;\n", 6, ""},
        {HEAD ".version 8.0\n", 4, ".version 8.0"},
        {HEAD "#define A\n", 4, "#"},
        {HEAD ".file 1 \"a\n", 4, "\""},
        {HEAD ".func f() .maxntid 32 { ret; }\n", 4, ".maxntid"},
        {HEAD ".entry k()\n { ret; };\n", 5, ";"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char wanted[128];
        parse_text(cases[i].text);
        assert_false(p.tree.complete);
        assert_int_equal(p.diags.list.n, 1);
        snprintf(wanted, sizeof wanted, "Parsing error near '%s': syntax error", cases[i].near);
        assert_string_equal(p.diags.list.at[0].message, wanted);
        assert_int_equal(px_source_place(&p.source, p.diags.list.at[0].pos).line, cases[i].line);
        px_arena_free(&p.arena);
    }
}

/* What was read before a syntax error stays in the tree, the open function included. */
TEST(test_partial_tree)
{
    parse_text(HEAD ".global .b32 g;\n.entry k() { ret; { ret; ret; .bad }\n");
    assert_false(p.tree.complete);
    assert_int_equal(p.tree.nitems, 2);
    const struct px_block *body = p.tree.items[1].u.func->body;
    assert_int_equal(body->n, 2);
    assert_int_equal(body->list[1]->kind, PX_S_BLOCK);
    assert_int_equal(body->list[1]->u.block.n, 2);
    px_arena_free(&p.arena);
}

static char *repeat(const char *head, const char *unit, size_t n, const char *tail)
{
    size_t a = strlen(head), b = strlen(unit), c = strlen(tail);
    char *text = malloc(a + b * n + c + 1);
    memcpy(text, head, a);
    for (size_t i = 0; i < n; i++) memcpy(text + a + b * i, unit, b);
    memcpy(text + a + b * n, tail, c + 1);
    return text;
}

/* Deep nesting is an error, as in ptxas; length is not. */
TEST(test_extremes)
{
    char *deep = repeat(HEAD ".entry k() {", "{", 100000, "");
    parse_text(deep);
    assert_string_equal(p.diags.list.at[0].message, "Parsing error near '{': memory exhausted");
    px_arena_free(&p.arena);
    free(deep);
    char *parens = repeat(HEAD ".entry k() { mov.b32 a, ", "(", 100000, "1;");
    parse_text(parens);
    assert_string_equal(p.diags.list.at[0].message, "Parsing error near '(': memory exhausted");
    px_arena_free(&p.arena);
    free(parens);
    char *statements = repeat(HEAD ".entry k() { ", "add.s32 a,b,c;", 200000, "}");
    parse_text(statements);
    assert_true(p.tree.complete);
    assert_int_equal(p.tree.items[0].u.func->body->n, 200000);
    px_arena_free(&p.arena);
    free(statements);
    char *sum = repeat(HEAD ".global .b32 a = 0", "+1", 200000, ";");
    parse_text(sum);
    assert_true(p.tree.complete);
    assert_int_equal(p.tree.items[0].u.var->init->u.i, 200000);
    px_arena_free(&p.arena);
    free(sum);
}

/* A faulty constant stays one fault, however long the expression; counts that no node holds are refused. */
TEST(test_limits)
{
    char *sum = repeat(HEAD ".entry k() { mov.b32 a, 1/0", "+1", 300000, "; }");
    parse_text(sum);
    assert_true(p.tree.complete);
    const struct px_operand *o = &p.tree.items[0].u.func->body->list[0]->u.inst.opds[1];
    assert_int_equal(o->kind, PX_O_EXPR);
    assert_int_equal(o->u.expr->u.a->kind, PX_E_INT);
    px_arena_free(&p.arena);
    free(sum);
    char *params = repeat(HEAD ".func f(.param .b32 a", ", .param .b32 b", 70000, ");\n");
    parse_text(params);
    assert_false(p.tree.complete);
    px_arena_free(&p.arena);
    free(params);
    char *dims = repeat(HEAD ".global .b32 a", "[1]", 70000, ";\n");
    parse_text(dims);
    assert_false(p.tree.complete);
    px_arena_free(&p.arena);
    free(dims);
}

TEST(test_strange_bytes)
{
    static const char nul[] = HEAD ".global .b32 a;\0 .global .b32 b;\n";
    parse(&p, nul, sizeof nul - 1);
    assert_string_equal(p.diags.list.at[0].message, "Unexpected EOF encountered on line 4");
    px_arena_free(&p.arena);
    parse_text(HEAD "\n// caf\xc3\xa9\n");
    assert_string_equal(p.diags.list.at[0].message, "Unexpected non-ASCII character encountered on line 5");
    px_arena_free(&p.arena);
    parse_text(".version 9.0\r\n.target sm_90\r\n.address_size 64\r\n.entry k() { ret; }\r\n");
    assert_true(p.tree.complete);
    px_arena_free(&p.arena);
    parse_text("");
    assert_string_equal(p.diags.list.at[0].message, "Missing .version directive at start of file 'test'");
    px_arena_free(&p.arena);
}

int main(void)
{
    return run_suite();
}
