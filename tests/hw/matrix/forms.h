/*
 * forms.h - the matrix products that are held against the chip: every type and shape of mma that sm_90
 * executes, dense and sparse, and wmma.mma. A form says what the instruction is called, how many registers
 * each operand has, and what their elements are; form_emit writes a kernel in which each warp does one tile.
 */
#ifndef HW_MATRIX_FORMS_H
#define HW_MATRIX_FORMS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef enum Elem {
    E_F16,
    E_BF16,
    E_TF32,
    E_E4M3,
    E_E5M2,
    E_F32,
    E_F64,
    E_S8,
    E_U8,
    E_S4,
    E_U4,
    E_B1,
    E_S32,
    E_META
} Elem;

static const char *const elem_name[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "f32", "f64",
                                        "s8",  "u8",   "s4",   "u4",   "b1",   "s32", "meta"};
static const unsigned elem_bits[] = {16, 16, 32, 8, 8, 32, 64, 8, 8, 4, 4, 1, 32, 32};

typedef struct Form {
    char name[128]; /* the instruction */
    char sel[8];    /* ", 0x1" of a sparse one */
    unsigned m, n, k;
    Elem a, b, c, d;
    unsigned na, nb, nc, nd, ne; /* registers of a lane, of 32 bits (f64: 64) */
    unsigned wide;               /* registers have 64 bits */
    unsigned sparse, selector, sat, xor, rnd, wmma, arow, brow;
} Form;

enum { FORMS_MAX = 512, REGS_MAX = 40 };

typedef struct Forms {
    Form f[FORMS_MAX];
    unsigned n;
} Forms;

static unsigned regs_of(unsigned elements, Elem e)
{
    return e == E_F64 ? elements / 32 : elements * elem_bits[e] / 1024;
}

static Form *form_add(Forms *s, unsigned m, unsigned n, unsigned k, Elem a, Elem b, Elem c, Elem d)
{
    Form *f = &s->f[s->n++];
    memset(f, 0, sizeof *f);
    f->m = m, f->n = n, f->k = k, f->a = a, f->b = b, f->c = c, f->d = d;
    f->wide = a == E_F64;
    f->na = regs_of(m * k, a), f->nb = regs_of(k * n, b), f->nc = regs_of(m * n, c),
    f->nd = regs_of(m * n, d);
    f->brow = 0, f->arow = 1;
    return f;
}

static void add_mma(Forms *s, unsigned m, unsigned k, Elem a, Elem b, Elem c, Elem d, const char *mid,
                    const char *end)
{
    Form *f = form_add(s, m, 8, k, a, b, c, d);
    f->sat = strstr(mid, "sat") != NULL, f->xor = strstr(end, "xor") != NULL;
    f->rnd = strstr(mid, "rz") ? 1 : strstr(mid, "rm") ? 2 : strstr(mid, "rp") ? 3 : 0;
    snprintf(f->name, sizeof f->name, "mma.sync.aligned.m%un8k%u.row.col%s.%s.%s.%s.%s%s", m, k, mid,
             elem_name[d], elem_name[a], elem_name[b], elem_name[c], end);
}

static void add_quad(Forms *s, unsigned arow, unsigned brow, Elem c, Elem d)
{
    Form *f = form_add(s, 8, 8, 4, E_F16, E_F16, c, d);
    f->na = f->nb = 2, f->nc = c == E_F16 ? 4 : 8, f->nd = d == E_F16 ? 4 : 8;
    f->arow = arow, f->brow = brow;
    snprintf(f->name, sizeof f->name, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s", arow ? "row" : "col",
             brow ? "row" : "col", elem_name[d], elem_name[c]);
}

static void add_sparse(Forms *s, unsigned k, Elem a, Elem b, Elem c, Elem d, const char *mid,
                       unsigned selectors, const char *sp)
{
    for (unsigned sel = 0; sel < selectors; sel++) {
        Form *f = form_add(s, 16, 8, k, a, b, c, d);
        f->na /= 2, f->ne = 1, f->sparse = strstr(sp, "ordered") ? 2 : 1, f->selector = sel,
                    f->sat = strstr(mid, "sat") != NULL;
        snprintf(f->sel, sizeof f->sel, ", 0x%x", sel);
        snprintf(f->name, sizeof f->name, "mma.%s.sync.aligned.m16n8k%u.row.col%s.%s.%s.%s.%s", sp, k, mid,
                 elem_name[d], elem_name[a], elem_name[b], elem_name[c]);
    }
}

static void add_wmma(Forms *s, unsigned m, unsigned n, unsigned k, Elem a, Elem b, Elem c, Elem d,
                     const char *what, const char *end, unsigned layouts)
{
    for (unsigned l = 0; l < 4; l++) {
        if (!(layouts >> l & 1)) continue;
        Form *f = form_add(s, m, n, k, a, b, c, d);
        f->wmma = 1, f->arow = !(l & 2), f->brow = !(l & 1);
        if (a == E_F16) f->na = f->nb = 8;
        if (f->a == E_F64) f->wide = 1;
        f->sat = strstr(end, "sat") != NULL, f->xor = strstr(what, "xor") != NULL;
        f->rnd = strstr(what, "rz") ? 1 : strstr(what, "rm") ? 2 : strstr(what, "rp") ? 3 : 0;
        if (a == E_F16)
            snprintf(f->name, sizeof f->name, "wmma.mma.sync.aligned.%s.%s.m%un%uk%u.%s.%s%s",
                     f->arow ? "row" : "col", f->brow ? "row" : "col", m, n, k, elem_name[d], elem_name[c],
                     end);
        else
            snprintf(f->name, sizeof f->name, "wmma.mma%s.sync.aligned.%s.%s.m%un%uk%u%s.%s.%s.%s.%s%s",
                     a == E_B1 ? what : "", f->arow ? "row" : "col", f->brow ? "row" : "col", m, n, k,
                     a == E_F64 ? what : "", elem_name[d], elem_name[a], elem_name[b], elem_name[c], end);
    }
}

static void forms_dense(Forms *s)
{
    static const Elem fp8[2] = {E_E4M3, E_E5M2}, s8[2] = {E_S8, E_U8}, s4[2] = {E_S4, E_U4};
    static const char *const rnd[] = {"", ".rz", ".rm", ".rp"}, *const sat[] = {"", ".satfinite"};
    for (unsigned k = 8; k <= 16; k += 8) {
        add_mma(s, 16, k, E_F16, E_F16, E_F32, E_F32, "", "");
        add_mma(s, 16, k, E_F16, E_F16, E_F16, E_F16, "", "");
        add_mma(s, 16, k, E_BF16, E_BF16, E_F32, E_F32, "", "");
        add_mma(s, 16, k / 2, E_TF32, E_TF32, E_F32, E_F32, "", "");
    }
    for (unsigned i = 0; i < 4; i++) {
        add_quad(s, !(i & 2), !(i & 1), E_F32, E_F32);
        add_quad(s, !(i & 2), !(i & 1), E_F16, E_F32);
        add_quad(s, !(i & 2), !(i & 1), E_F16, E_F16);
    }
    for (unsigned k = 16; k <= 32; k += 16)
        for (unsigned i = 0; i < 4; i++) {
            add_mma(s, 16, k, fp8[i >> 1], fp8[i & 1], E_F32, E_F32, "", "");
            add_mma(s, 16, k, fp8[i >> 1], fp8[i & 1], E_F16, E_F16, "", "");
        }
    for (unsigned r = 0; r < 4; r++) {
        add_mma(s, 8, 4, E_F64, E_F64, E_F64, E_F64, rnd[r], "");
        for (unsigned k = 4; k <= 16; k *= 2) add_mma(s, 16, k, E_F64, E_F64, E_F64, E_F64, rnd[r], "");
    }
    for (unsigned i = 0; i < 8; i++) {
        Elem a8 = s8[i & 1], b8 = s8[i >> 1 & 1], a4 = s4[i & 1], b4 = s4[i >> 1 & 1];
        add_mma(s, 8, 16, a8, b8, E_S32, E_S32, sat[i >> 2], "");
        add_mma(s, 16, 16, a8, b8, E_S32, E_S32, sat[i >> 2], "");
        add_mma(s, 16, 32, a8, b8, E_S32, E_S32, sat[i >> 2], "");
        add_mma(s, 8, 32, a4, b4, E_S32, E_S32, sat[i >> 2], "");
        add_mma(s, 16, 32, a4, b4, E_S32, E_S32, sat[i >> 2], "");
        add_mma(s, 16, 64, a4, b4, E_S32, E_S32, sat[i >> 2], "");
    }
    for (unsigned i = 0; i < 2; i++) {
        const char *op = i ? ".and.popc" : ".xor.popc";
        add_mma(s, 8, 128, E_B1, E_B1, E_S32, E_S32, "", op);
        add_mma(s, 16, 128, E_B1, E_B1, E_S32, E_S32, "", op);
        add_mma(s, 16, 256, E_B1, E_B1, E_S32, E_S32, "", op);
    }
}

static void forms_sparse(Forms *s)
{
    static const Elem fp8[2] = {E_E4M3, E_E5M2}, s8[2] = {E_S8, E_U8}, s4[2] = {E_S4, E_U4};
    static const char *const sat[] = {"", ".satfinite"}, *const sp[] = {"sp", "sp::ordered_metadata"};
    for (unsigned o = 0; o < 2; o++) {
        add_sparse(s, 16, E_F16, E_F16, E_F32, E_F32, "", 4, sp[o]);
        add_sparse(s, 16, E_F16, E_F16, E_F16, E_F16, "", 4, sp[o]);
        add_sparse(s, 32, E_F16, E_F16, E_F32, E_F32, "", 2, sp[o]);
        add_sparse(s, 32, E_F16, E_F16, E_F16, E_F16, "", 2, sp[o]);
        add_sparse(s, 16, E_BF16, E_BF16, E_F32, E_F32, "", 4, sp[o]);
        add_sparse(s, 32, E_BF16, E_BF16, E_F32, E_F32, "", 2, sp[o]);
        add_sparse(s, 8, E_TF32, E_TF32, E_F32, E_F32, "", 4, sp[o]);
        add_sparse(s, 16, E_TF32, E_TF32, E_F32, E_F32, "", 2, sp[o]);
    }
    for (unsigned i = 0; i < 4; i++) {
        add_sparse(s, 64, fp8[i >> 1], fp8[i & 1], E_F32, E_F32, "", 1, sp[1]);
        for (unsigned t = 0; t < 2; t++) {
            add_sparse(s, 32, s8[i >> 1], s8[i & 1], E_S32, E_S32, sat[t], 2, sp[1]);
            add_sparse(s, 64, s8[i >> 1], s8[i & 1], E_S32, E_S32, sat[t], 1, sp[1]);
            add_sparse(s, 64, s4[i >> 1], s4[i & 1], E_S32, E_S32, sat[t], 2, sp[1]);
            add_sparse(s, 128, s4[i >> 1], s4[i & 1], E_S32, E_S32, sat[t], 1, sp[1]);
        }
    }
}

static void forms_wmma(Forms *s)
{
    static const unsigned shape[3][2] = {{16, 16}, {8, 32}, {32, 8}};
    static const char *const rnd[] = {"", ".rz", ".rm", ".rp"};
    for (unsigned i = 0; i < 3; i++) {
        unsigned m = shape[i][0], n = shape[i][1];
        for (unsigned t = 0; t < 4; t++)
            add_wmma(s, m, n, 16, E_F16, E_F16, t & 1 ? E_F16 : E_F32, t & 2 ? E_F16 : E_F32, "", "", 15);
        add_wmma(s, m, n, 16, E_BF16, E_BF16, E_F32, E_F32, "", "", 15);
        for (unsigned t = 0; t < 2; t++) {
            add_wmma(s, m, n, 16, E_S8, E_S8, E_S32, E_S32, "", t ? ".satfinite" : "", 15);
            add_wmma(s, m, n, 16, E_U8, E_U8, E_S32, E_S32, "", t ? ".satfinite" : "", 15);
        }
    }
    add_wmma(s, 16, 16, 8, E_TF32, E_TF32, E_F32, E_F32, "", "", 15);
    for (unsigned r = 0; r < 4; r++) add_wmma(s, 8, 8, 4, E_F64, E_F64, E_F64, E_F64, rnd[r], "", 15);
    for (unsigned t = 0; t < 2; t++) {
        add_wmma(s, 8, 8, 32, E_S4, E_S4, E_S32, E_S32, "", t ? ".satfinite" : "", 2);
        add_wmma(s, 8, 8, 32, E_U4, E_U4, E_S32, E_S32, "", t ? ".satfinite" : "", 2);
        add_wmma(s, 8, 8, 128, E_B1, E_B1, E_S32, E_S32, t ? ".xor.popc" : ".and.popc", "", 2);
    }
}

static inline void forms_all(Forms *s)
{
    s->n = 0;
    forms_dense(s);
    forms_sparse(s);
    forms_wmma(s);
}

/* ---- kernels ---- */

static unsigned form_in(const Form *f)
{
    return f->na + f->nb + f->nc + f->ne;
}

static int put_regs(char *to, int n, char letter, unsigned count)
{
    n += sprintf(to + n, "{");
    for (unsigned i = 0; i < count; i++) n += sprintf(to + n, "%s%%%c%u", i ? "," : "", letter, i);
    return n + sprintf(to + n, "}");
}

/* Name of the type of a register of the operand, as wmma and f32 accumulators want it. */
static const char *reg_type(const Form *f, Elem e)
{
    return f->wide ? "f64" : e == E_F32 ? "f32" : "b32";
}

/* The kernel k(in, out): in[tile][register][lane], out the same; a CTA of one warp is a tile. Returns its
 * length. */
static inline int form_emit(const Form *f, const char *kernel, char *to)
{
    unsigned bytes = f->wide ? 8 : 4, in = form_in(f);
    const char *ty = f->wide ? "b64" : "b32";
    int n = sprintf(
        to,
        ".visible .entry %s(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %%p<8>; .reg .b32 %%t<8>;\n"
        ".reg .%s %%a<16>, %%b<16>, %%e<2>; .reg .%s %%c<16>; .reg .%s %%d<16>;\n"
        "mov.u32 %%t0, %%ctaid.x; mov.u32 %%t1, %%tid.x;\n"
        "ld.param.u64 %%p0, [in]; ld.param.u64 %%p1, [out];\n"
        "mul.wide.u32 %%p2, %%t0, %u; add.u64 %%p0, %%p0, %%p2; mul.wide.u32 %%p3, %%t1, %u; add.u64 %%p0, "
        "%%p0, %%p3;\n"
        "mul.wide.u32 %%p2, %%t0, %u; add.u64 %%p1, %%p1, %%p2; add.u64 %%p1, %%p1, %%p3;\n",
        kernel, ty, reg_type(f, f->c), reg_type(f, f->d), in * 32 * bytes, bytes, f->nd * 32 * bytes);
    unsigned at = 0;
    const char letter[4] = {'a', 'b', 'c', 'e'};
    const unsigned count[4] = {f->na, f->nb, f->nc, f->ne};
    for (unsigned o = 0; o < 4; o++)
        for (unsigned i = 0; i < count[o]; i++, at++)
            n += sprintf(to + n, "ld.global.%s %%%c%u, [%%p0+%u];\n", o == 2 ? reg_type(f, f->c) : ty,
                         letter[o], i, at * 32 * bytes);
    n += sprintf(to + n, "%s ", f->name);
    n = put_regs(to, n, 'd', f->nd), n += sprintf(to + n, ", ");
    n = put_regs(to, n, 'a', f->na), n += sprintf(to + n, ", ");
    n = put_regs(to, n, 'b', f->nb), n += sprintf(to + n, ", ");
    n = put_regs(to, n, 'c', f->nc);
    if (f->ne) n += sprintf(to + n, ", %%e0%s", f->sel);
    n += sprintf(to + n, ";\n");
    for (unsigned i = 0; i < f->nd; i++)
        n += sprintf(to + n, "st.global.%s [%%p1+%u], %%d%u;\n", reg_type(f, f->d), i * 32 * bytes, i);
    return n + sprintf(to + n, "ret;\n}\n");
}

static const char ptx_head[] = ".version 8.7\n.target sm_90\n.address_size 64\n";

#endif
