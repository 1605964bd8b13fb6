/*
 * test_quick.c - statements read without the grammar are those that the grammar reads.
 *
 * Every module is parsed twice: as it is, and with each line's indentation
 * replaced by an empty comment of the same length, which leaves every statement to
 * the grammar. Trees, places and messages must be the same.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "parsed.h"
#include "suite.h"
#include "tree_equal.h"

static bool same_operand_place(const struct px_operand *a, const struct px_operand *b)
{
    if (a->pos != b->pos || a->length != b->length || a->has_selector != b->has_selector ||
        a->bad_offset != b->bad_offset || a->paren != b->paren)
        return false;
    bool list = a->kind == PX_O_VEC || a->kind == PX_O_ADDR || a->kind == PX_O_LIST || a->kind == PX_O_PAIR ||
                a->kind == PX_O_INDEX;
    for (unsigned i = 0; list && i < a->n; i++)
        if (!same_operand_place(&a->u.list[i], &b->u.list[i])) return false;
    return true;
}

static bool same_inst_place(const struct px_inst *a, const struct px_inst *b)
{
    if (a->pos != b->pos || a->end != b->end || a->guard_negated != b->guard_negated || a->nmods != b->nmods)
        return false;
    for (unsigned i = 0; i < a->nmods; i++)
        if (a->mods[i].pos != b->mods[i].pos || a->mods[i].bank != b->mods[i].bank ||
            !same_name(a->mods[i].name, b->mods[i].name))
            return false;
    for (unsigned i = 0; i < a->nopds; i++)
        if (!same_operand_place(&a->opds[i], &b->opds[i])) return false;
    return !a->guard || same_operand_place(a->guard, b->guard);
}

static bool same_places(const struct px_block *a, const struct px_block *b)
{
    if (a->n != b->n || a->pos != b->pos || a->end != b->end) return false;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct px_stmt *x = a->list[i], *y = b->list[i];
        if (x->pos != y->pos) return false;
        if (x->kind == PX_S_INST && !same_inst_place(&x->u.inst, &y->u.inst)) return false;
        if (x->kind == PX_S_BLOCK && !same_places(&x->u.block, &y->u.block)) return false;
    }
    return true;
}

static bool same_diagnostics(const struct px_diags *a, const struct px_diags *b)
{
    if (a->list.n != b->list.n) return false;
    for (uint32_t i = 0; i < a->list.n; i++)
        if (a->list.at[i].id != b->list.at[i].id || a->list.at[i].pos != b->list.at[i].pos ||
            strcmp(a->list.at[i].message, b->list.at[i].message) != 0)
            return false;
    return true;
}

static bool same_module(const struct parsed *a, const struct parsed *b)
{
    if (a->tree.complete != b->tree.complete || tree_difference(&a->tree, &b->tree) != -1 ||
        !same_diagnostics(&a->diags, &b->diags))
        return false;
    for (uint32_t i = 0; i < a->tree.nitems; i++) {
        const struct px_item *x = &a->tree.items[i], *y = &b->tree.items[i];
        if (x->kind == PX_I_FUNC && x->u.func->body && !same_places(x->u.func->body, y->u.func->body))
            return false;
    }
    return true;
}

/* Four spaces at the start of a line become a comment. */
static void by_grammar(char *text)
{
    for (char *at = text; (at = strstr(at, "\n    ")); at += 5) memcpy(at + 1, "/**/", 4);
}

static void compare(const char *name, const char *text)
{
    static struct parsed quick, slow;
    char *copy = strdup(text);
    by_grammar(copy);
    parse(&quick, text, strlen(text));
    parse(&slow, copy, strlen(copy));
    if (!same_module(&quick, &slow)) fail_msg("read differently: %s", name);
    px_arena_free(&quick.arena);
    px_arena_free(&slow.arena);
    free(copy);
}

/* One statement in a body, with one before and one behind it. */
static void compare_statement(const char *statement)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_80\n.entry k()\n{\n    .reg .b32 %%r<9>;\n    ret;\n    %s\n    exit;\n}\n",
        statement);
    compare(statement, text);
}

TEST(test_plain)
{
    static const char *const statements[] = {
        "add.s32 %r1, %r2, %r3;",
        "add .s32 %r1,%r2 , %r3 ;",
        "\tadd.s32\t%r1,\r\n\t%r2, %r3;",
        "ret;",
        "bar.sync 0;",
        "@%p bra L;",
        "@!%p bra.uni L;",
        "@ ! %p bra L;",
        "L:",
        "L :",
        "$L__BB0_1: ret;",
        "L: M: ret;",
        "ld.global.v4.f32 {%f1, %f2, _, %f4}, [%rd1+16];",
        "st.shared.u32 [%r1 + -4], 0x1F;",
        "ld.param.u64 %rd1, [k_param_0];",
        "ld.u32 %r1, [16];",
        "ld.u32 %r1, [ x ];",
        "ld.u32 %r1, [x+0xFFFFFFFFFFFFFFFF];",
        "mov.u32 %r1, %tid.x;",
        "mov.u32 %r1, %tid .x;",
        "mov.u32 %r1, %r2.b0;",
        "vadd.s32.s32.s32 %r1, %r2.b32, -%r3.h1, %r4;",
        "mov.f32 %f1, 0f3F800000;",
        "mov.f64 %fd1, 0d3FF0000000000000;",
        "mov.f64 %fd1, 0D3FF0000000000000;",
        "mov.u32 %r1, -5;",
        "mov.u32 %r1, - 5;",
        "mov.u32 %r1, -0x80000000;",
        "add.f32 %f1, %f2, -%f3;",
        "and.pred %p, !%q, %r;",
        "mov.u32 %r1, 18446744073709551615;",
        "mov.u32 %r1, 99999999999999999999;",
        "mov.u32 %r1, 0;",
        "fence.sc.cluster;",
        "cp.async.bulk.shared::cluster.global [%r1], [%rd1], 16;",
        "mov.b64 {%r1, %r2}, %rd1;",
        "mov.b64 %rd1, {%r1, 0};",
        "mov.b64 %rd1, {-1, 0};",
        "mov.u32 _, %r1;",
        "atom.add.u32 _, [%rd1], 1;",
        "prefetch.L1 [%rd1];",
        "trap;",
        "{ ret; }",
        "{ .reg .b32 %q; add.s32 %q, %q, 1; { L: bra L; } }",
        ".reg .b32 a, b; mov.b32 a, b;",
        "mov.u32 $x, %_y;",
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) compare_statement(statements[i]);
}

TEST(test_left_to_the_grammar)
{
    static const char *const statements[] = {
        "mov.u32 %r1, 010;",
        "mov.u32 %r1, 089;",
        "mov.u32 %r1, 0b101;",
        "mov.u32 %r1, 7U;",
        "mov.f64 %d, 1.5;",
        "mov.f64 %d, .5;",
        "mov.f64 %d, 1e9;",
        "mov.u32 %r1, 0f3F80000;",
        "mov.u32 %r1, 0f3F8000000;",
        "mov.u32 %r1, 0x;",
        "mov.u32 %r1, 1+2;",
        "mov.u32 %r1, x+4;",
        "mov.u32 %r1, x[4];",
        "mov.u32 %r1, (1);",
        "mov.u32 %r1, WARP_SZ;",
        "mov.u32 %r1, WARP_SZX;",
        "call.uni (r), f, (a, b);",
        "call f;",
        "setp.lt.s32 %p|%q, %r1, %r2;",
        "ld.global.u32 %r1, [x].unified;",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f5, %f6}];",
        "ld.const[3].u32 %r1, [c];",
        "add.s32 /* here */ %r1, 1, 2;",
        "add.s32 %r1, 1, 2; // there",
        "L: .branchtargets A, B;",
        "L: /* */ .calltargets f;",
        "P: .callprototype _ (.param .b32 a);",
        "cvt.rn.f32.s32 %f1, %r1;",
        ".pragma \"nounroll\";",
        ".loc 1 2 3",
        "tensormap.replace.tile.2d [x], 1;",
        "@%p { ret; }",
        "mov.u32 %r1, %r2, _;",
        "mov.u32 {}, %r1;",
        "mov.u32 {%r1,}, %r1;",
        "mov.u32 , %r1;",
        "mov.u32 %r1 %r2;",
        "mov.u32 %r1,;",
        "ret",
        "ret:;",
        ": ret;",
        "@ ret;",
        "@%p: ret;",
        "@%p L: ret;",
        "mov.u32 %r1, -;",
        "mov.u32 %r1, !5;",
        "and.pred %p, !%tid.x, %q;",
        "mov.u32 %r1, [;",
        "ld.u32 %r1, [];",
        "ld.u32 %r1, [%r1+];",
        "ld.u32 %r1, [%r1+x];",
        "ld.u32 %r1, [%r1-4];",
        "mov.u32 %r1, \x80;",
        "mov.u32 \"x\";",
        "mov.. %r1;",
        "mov.align %r1;",
        "mov.version 8.0;",
        ".mov;",
        "mov.u32 %, 1;",
        "% ret;",
        "_ ret;",
        "mov.a::b:c %r1;",
        "mov.a:: %r1;",
        "reg.weak.alias.v2.tex x;",
        "L: L: 5;",
        "}",
        "{",
        "mov.u32 %r1, 5 % 3;",
        "mov.u32 %r1, 5%3;",
        "mov.u32 %r1, 0x12g;",
        "mov.u32 %r1, 12abc;",
        "mov.u32 %r1, --5;",
        "add.3 %r1;",
        "mov.u32 %r1, -%tid.x;",
        "mov.u32 %r1, -0f3F800000;",
        "mov.u32 %r1, -0xFFFFFFFFFFFFFFFF;",
        "mov.u32 %r1, -9223372036854775808;",
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) compare_statement(statements[i]);
}

static void compare_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (!file || !text) fail_msg("%s cannot be read", path);
    for (int c, before = 0, n = 0; (c = getc(file)) != EOF && n < (1 << 20) - 8; before = c)
        n += sprintf(text + n, before == '\n' && c == '\t' ? "    " : "%c", c);
    fclose(file);
    compare(path, text);
    free(text);
}

TEST(test_files)
{
    compare_file("samples/quicksort.ptx");
    compare_file("samples/reduce.ptx");
    compare_file("tests/print/structure.ptx");
}

int main(void)
{
    return run_suite();
}
