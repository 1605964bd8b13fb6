/* test_decode.c - what decoding promises: order of blocks, rows for live registers only, scalars without
 * records, widths by register pressure, and errors that name the instruction and its line. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "suite.h"
#include "vm/device/device.h"

struct loaded {
    ptx_device *device;
    ptx_program *program;
    ptx_module *module;
};

static const char HEAD[] = ".version 8.0\n.target sm_80\n.address_size 64\n";

static struct loaded load_with(const ptx_device_config *config, const char *head, const char *body)
{
    struct loaded l;
    size_t n = strlen(head) + strlen(body) + 1;
    char *text = malloc(n);
    snprintf(text, n, "%s%s", head, body);
    assert_int_equal(ptx_module_create(NULL, text, n - 1, &l.module), PTX_OK);
    assert_int_equal(ptx_device_create(config, &l.device), PTX_OK);
    const ptx_module *modules[] = {l.module};
    assert_int_equal(ptx_program_create(l.device, modules, 1, NULL, &l.program), PTX_OK);
    free(text);
    return l;
}

static struct loaded load_for(const char *head, const char *body)
{
    return load_with(&(ptx_device_config){.workers = 1}, head, body);
}

static struct loaded load(const char *body)
{
    return load_for(HEAD, body);
}

static void unload(struct loaded *l)
{
    ptx_program_destroy(l->program);
    ptx_device_destroy(l->device);
    ptx_module_destroy(l->module);
}

static const struct px_code *code_of(struct loaded *l, uint32_t threads, struct px_refusal *why)
{
    for (uint32_t i = 0; i < l->program->linked.nfuncs; i++)
        if (l->program->linked.funcs[i].is_entry)
            return px_code_get(l->program, &l->program->linked.funcs[i], threads, false, why);
    return NULL;
}

static unsigned line_of(const struct px_fcode *c, uint32_t pc, const ptx_module *m)
{
    unsigned line = 1;
    const struct px_inst *inst = c->src[c->conv[pc].src].inst;
    for (px_pos i = 0; i < inst->pos; i++) line += m->source.text[i] == '\n';
    return line;
}

/* A loop whose exit block stands before its body in the text: the body must come first in the code. */
TEST(loops_before_exits)
{
    struct px_refusal why;
    struct loaded l =
        load(".entry k(.param .u64 out)\n{\n.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd;\n"
             "mov.u32 %r1, %tid.x;\nld.param.u64 %rd, [out];\nbra BODY;\n"
             "EXIT:\nst.global.u32 [%rd], %r1;\nret;\n"
             "BODY:\nadd.u32 %r1, %r1, -1;\nsetp.gt.s32 %p, %r1, 0;\n@%p bra BODY;\nbra EXIT;\n}\n");
    const struct px_code *code = code_of(&l, 32, &why);
    assert_non_null(code);
    uint32_t body = 0, store = 0;
    for (uint32_t pc = 0; pc < code->entry->n; pc++) {
        unsigned line = line_of(code->entry, pc, l.module);
        if (line == 14) body = pc;
        if (line == 11) store = pc;
    }
    assert_true(body > 0 && store > body);
    unload(&l);
}

/* The beginning of a kernel of `registers` registers; how long it is. */
static int begin(char *body, size_t size, int registers, const char *first)
{
    return snprintf(body, size,
                    ".entry k(.param .u64 out)\n{\n.reg .b32 %%r<%d>; .reg .b64 %%rd<3>;\n"
                    "ld.param.u64 %%rd1, [out];\n%s",
                    registers, first);
}

/* 200 registers that never live together share few rows; parameters and constants take none. */
TEST(rows_are_shared)
{
    struct px_refusal why;
    char body[20000];
    int at = begin(body, sizeof body, 202, "mov.u32 %r1, %tid.x;\n");
    for (int i = 1; i < 200; i++)
        at += snprintf(body + at, sizeof body - (size_t)at, "add.u32 %%r%d, %%r%d, 7;\n", i + 1, i);
    snprintf(body + at, sizeof body - (size_t)at, "st.global.u32 [%%rd1], %%r200;\nret;\n}\n");
    struct loaded l = load(body);
    const struct px_code *code = code_of(&l, 256, &why);
    assert_non_null(code);
    assert_int_equal(code->width, 256);
    assert_true(code->entry->frame_bytes - code->entry->rows < 8 * 256 * 4);
    assert_true(code->entry->n < 210);
    unload(&l);
}

/* 300 registers that live together and differ by lane make the gang narrower; a small CTA never gets a wide
 * gang. */
TEST(width_follows_pressure)
{
    struct px_refusal why;
    char body[40000];
    int at = begin(body, sizeof body, 302,
                   "mov.u32 %r301, %tid.x;\nmul.wide.u32 %rd2, %r301, 4;\nadd.s64 %rd1, %rd1, %rd2;\n");
    for (int i = 1; i <= 300; i++)
        at += snprintf(body + at, sizeof body - (size_t)at, "ld.global.u32 %%r%d, [%%rd1+%d];\n", i, i * 4);
    for (int i = 1; i <= 300; i++)
        at += snprintf(body + at, sizeof body - (size_t)at, "st.global.u32 [%%rd1], %%r%d;\n", i);
    snprintf(body + at, sizeof body - (size_t)at, "ret;\n}\n");
    struct loaded l = load(body);
    assert_int_equal(code_of(&l, 256, &why)->width, 64);
    unload(&l);
    struct loaded s = load(".entry k()\n{\nret;\n}\n");
    assert_int_equal(code_of(&s, 40, &why)->width, 64);
    assert_int_equal(code_of(&s, 20, &why)->width, 32);
    unload(&s);
}

/* Bytes of the allocator, and the most that they were. */
struct held {
    size_t now, most;
};

static void *take(void *user, void *block, size_t old_size, size_t size)
{
    struct held *held = user;
    void *moved = size ? realloc(block, size) : NULL;
    if (!size) free(block);
    if (size && !moved) return NULL;
    held->now += size - (block ? old_size : 0);
    if (held->now > held->most) held->most = held->now;
    return moved;
}

/* What records point to beside themselves (48 bytes of a product of matrices) is filled in where the one
 * before was: decoding needs some 150 bytes an instruction more than what stays, not 200. */
TEST(nodes_are_made_in_one_place)
{
    enum { PRODUCTS = 20000, ROOM = PRODUCTS * 160 + 1000 };
    static const char product[] = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
                                  "{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f0, %f1, %f2, %f3};\n";
    struct held held = {0};
    struct px_refusal why;
    char *body = malloc(ROOM);
    int at = snprintf(body, ROOM,
                      ".entry k(.param .u64 p)\n{\n.reg .f32 %%f<4>; .reg .b32 %%r<7>; .reg .b64 %%a;\n"
                      "ld.param.u64 %%a, [p];\n");
    for (int i = 1; i <= 6; i++)
        at += snprintf(body + at, ROOM - (size_t)at, "ld.global.b32 %%r%d, [%%a+%d];\n", i, i * 4);
    for (int i = 0; i < 4; i++)
        at += snprintf(body + at, ROOM - (size_t)at, "mov.f32 %%f%d, 0f00000000;\n", i);
    for (int i = 0; i < PRODUCTS; i++, at += (int)sizeof product - 1)
        memcpy(body + at, product, sizeof product);
    snprintf(body + at, ROOM - (size_t)at, "st.global.f32 [%%a], %%f0;\nret;\n}\n");
    struct loaded l = load_with(&(ptx_device_config){.workers = 1, .allocator = {take, &held}}, HEAD, body);
    held.most = held.now;
    assert_non_null(code_of(&l, 32, &why));
    assert_in_range(held.most - held.now, PRODUCTS * 48, PRODUCTS * 180);
    unload(&l);
    free(body);
}

/* A variable's address is a constant, and in a cluster of several blocks one more addition. */
TEST(clusters_have_code_of_their_own)
{
    struct px_refusal why = {0};
    struct loaded l = load_for(".version 8.0\n.target sm_90\n.address_size 64\n",
                               ".shared .b32 x[4];\n.entry k()\n{\n.reg .b32 %r;\nmov.u32 %r, x;\n"
                               "st.shared.u32 [%r], %r;\nret;\n}\n");
    const struct px_lfunc *kernel = &l.program->linked.funcs[0];
    const struct px_code *alone = px_code_get(l.program, kernel, 32, false, &why),
                         *clustered = px_code_get(l.program, kernel, 32, true, &why);
    assert_non_null(alone);
    assert_non_null(clustered);
    assert_ptr_not_equal(alone, clustered);
    assert_ptr_equal(px_code_get(l.program, kernel, 32, true, &why), clustered);
    assert_true(alone->entry->n < clustered->entry->n);
    unload(&l);
}

int main(void)
{
    return run_suite();
}
