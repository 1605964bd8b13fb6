/*
 * forms.h - from a line of a .forms file to a PTX kernel.
 *
 * A line is "operands TAB results TAB code": operands are sets of inputs.h, loaded to
 * %a %b %c %d; results are the types of %x and %y ("cell": the code itself left the
 * result in the 8 bytes at [%g]). The code may also use the temporaries declared below,
 * the global cell at %g, the shared cell at %s and %lane. A kernel takes the addresses
 * of its vectors (four 8-byte slots each) and results (two slots each) and their number.
 */
#ifndef HW_ALU_FORMS_H
#define HW_ALU_FORMS_H

#include <stdio.h>

#include "inputs.h"

enum { OUT_MAX = 2, BLOCK_THREADS = 128, FORM_PTX = 8192 };

typedef struct Form {
    char line[1024]; /* the line with NULs for tabs */
    const char *ins, *outs, *code;
    const Set *in[IN_MAX];
    Reg out[OUT_MAX];
    unsigned n_in, n_out;
    uint64_t seed, id; /* of the inputs (shared by like forms), of the whole line */
} Form;

typedef struct Text {
    char *text;
    size_t size, room;
} Text;

static const char *const reg_type[] = {"pred", "b8", "b16", "b32", "b64", "b64"};
static const unsigned reg_bytes[] = {1, 1, 2, 4, 8, 8};

static int form_outs(Form *f)
{
    static const char *const name[] = {"pred", "b8", "b16", "b32", "b64", "cell"};
    char buf[32], *save = NULL;
    snprintf(buf, sizeof buf, "%s", f->outs);
    for (char *w = strtok_r(buf, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
        unsigned r = 0;
        while (r <= REG_CELL && strcmp(name[r], w)) r++;
        if (r > REG_CELL || f->n_out == OUT_MAX) return 0;
        f->out[f->n_out++] = (Reg)r;
    }
    return f->n_out > 0;
}

/* Reads one line; returns 0 when it is malformed. */
static int form_parse(const Sets *sets, const char *line, Form *f)
{
    memset(f, 0, sizeof *f);
    snprintf(f->line, sizeof f->line, "%s", line);
    f->line[strcspn(f->line, "\n")] = 0;
    f->id = hash_text(f->line);
    char *t1 = strchr(f->line, '\t'), *t2 = t1 ? strchr(t1 + 1, '\t') : NULL;
    if (!t2) return 0;
    *t1 = *t2 = 0;
    f->ins = f->line, f->outs = t1 + 1, f->code = t2 + 1;
    f->seed = hash_text(f->ins);
    for (const char *p = f->ins; *p;) {
        size_t n = strcspn(p, ",");
        if (f->n_in == IN_MAX || !(f->in[f->n_in++] = inputs_find(sets, p, n))) return 0;
        p += n + (p[n] == ',');
    }
    return form_outs(f);
}

static void text_add(Text *t, const char *s)
{
    size_t n = strlen(s);
    if (t->size + n + 1 > t->room) {
        t->room = (t->room + n) * 2 + 4096;
        t->text = realloc(t->text, t->room);
        if (!t->text) abort();
    }
    memcpy(t->text + t->size, s, n + 1);
    t->size += n;
}

static void text_header(Text *t)
{
    text_add(t, ".version 8.6\n.target sm_90\n.address_size 64\n");
}

static void emit_load(Text *t, Reg reg, unsigned k)
{
    char buf[160];
    if (reg == REG_PRED)
        snprintf(buf, sizeof buf,
                 "    .reg .pred %%%c;\n    ld.global.b32 %%i9, [%%in+%u];\n    setp.ne.s32 %%%c, %%i9, 0;\n",
                 'a' + k, 8 * k, 'a' + k);
    else
        snprintf(buf, sizeof buf, "    .reg .%s %%%c;\n    ld.global.%s %%%c, [%%in+%u];\n", reg_type[reg],
                 'a' + k, reg_type[reg], 'a' + k, 8 * k);
    text_add(t, buf);
}

static void emit_store(Text *t, Reg reg, unsigned k)
{
    char buf[160];
    if (reg == REG_CELL) return;
    if (reg == REG_PRED)
        snprintf(buf, sizeof buf, "    selp.b32 %%i9, 1, 0, %%%c;\n    st.global.b32 [%%out+%u], %%i9;\n",
                 'x' + k, 8 * k);
    else
        snprintf(buf, sizeof buf, "    st.global.%s [%%out+%u], %%%c;\n", reg_type[reg], 8 * k, 'x' + k);
    text_add(t, buf);
}

/* The code, one instruction a line. */
static void emit_code(Text *t, const char *code)
{
    char buf[1100];
    while (*code) {
        size_t n = strcspn(code, ";");
        snprintf(buf, sizeof buf, "    %.*s;\n", (int)n, code);
        text_add(t, buf);
        code += n + (code[n] == ';');
        while (*code == ' ') code++;
    }
}

static void form_emit(Text *t, const Form *f, unsigned number)
{
    char buf[1400];
    snprintf(
        buf, sizeof buf,
        "\n.visible .entry k%u(.param .u64 k%u_in, .param .u64 k%u_out, .param .u32 k%u_n)\n{\n"
        "    .reg .pred %%done, %%q<4>;\n    .reg .b16 %%h<8>;\n    .reg .b32 %%i<10>, %%t<8>, %%s, %%lane;\n"
        "    .reg .b64 %%in, %%out, %%g, %%l<8>, %%p<6>;\n",
        number, number, number, number);
    text_add(t, buf);
    if (strstr(f->code, "%s")) {
        snprintf(buf, sizeof buf, "    .shared .align 16 .b8 k%u_cells[%u];\n", number, 16 * BLOCK_THREADS);
        text_add(t, buf);
    }
    snprintf(buf, sizeof buf,
             "    ld.param.u64 %%p0, [k%u_in];\n    ld.param.u64 %%p1, [k%u_out];\n    ld.param.u32 %%i0, "
             "[k%u_n];\n"
             "    mov.u32 %%i1, %%ctaid.x;\n    mov.u32 %%i2, %%ntid.x;\n    mov.u32 %%i3, %%tid.x;\n"
             "    mad.lo.s32 %%i4, %%i1, %%i2, %%i3;\n    setp.ge.u32 %%done, %%i4, %%i0;\n    @%%done bra "
             "END%u;\n"
             "    cvta.to.global.u64 %%p2, %%p0;\n    cvta.to.global.u64 %%p3, %%p1;\n"
             "    mul.wide.u32 %%p4, %%i4, 32;\n    add.s64 %%in, %%p2, %%p4;\n"
             "    mul.wide.u32 %%p5, %%i4, 16;\n    add.s64 %%out, %%p3, %%p5;\n    add.s64 %%g, %%out, 8;\n",
             number, number, number, number);
    text_add(t, buf);
    if (strstr(f->code, "%lane")) text_add(t, "    and.b32 %lane, %i3, 31;\n");
    if (strstr(f->code, "%s")) {
        snprintf(buf, sizeof buf, "    mov.u32 %%s, k%u_cells;\n    mad.lo.s32 %%s, %%i3, 16, %%s;\n",
                 number);
        text_add(t, buf);
    }
    for (unsigned k = 0; k < f->n_in; k++) emit_load(t, f->in[k]->reg, k);
    for (unsigned k = 0; k < f->n_out; k++)
        if (f->out[k] != REG_CELL) {
            snprintf(buf, sizeof buf, "    .reg .%s %%%c;\n", reg_type[f->out[k]], 'x' + k);
            text_add(t, buf);
        }
    emit_code(t, f->code);
    for (unsigned k = 0; k < f->n_out; k++) emit_store(t, f->out[k], k);
    snprintf(buf, sizeof buf, "END%u:\n    ret;\n}\n", number);
    text_add(t, buf);
}

/* ---- what is kept of the results ---- */

/* Hash of the results of vectors [from, to). */
static uint64_t results_hash(uint64_t (*out)[OUT_MAX], unsigned from, unsigned to)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (unsigned i = from; i < to; i++)
        for (unsigned k = 0; k < OUT_MAX; k++) {
            h = (h ^ out[i][k]) * 0x100000001b3u;
            h ^= h >> 32;
        }
    return h;
}

#endif
