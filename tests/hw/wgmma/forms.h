/*
 * forms.h - the products of warpgroups that are held against the chip: every type of wgmma.mma_async, dense
 * and sparse, A in registers and in memory, every n, and every layout of memory. form_emit writes a kernel in
 * which each CTA of 128 threads does one tile.
 */
#ifndef HW_WGMMA_FORMS_H
#define HW_WGMMA_FORMS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../matrix/tiles.h"

/* Where the factors lie: one after the other without swizzling; anywhere, with pieces in place; with the
 * start anywhere; with a base offset. */
typedef enum Lie { LIE_PACKED, LIE_ALIGNED, LIE_START, LIE_BASE } Lie;

typedef struct Wform {
    char name[160]; /* the instruction */
    unsigned n, k;
    Elem a, b, d;
    unsigned memory, sparse, selector, sat, minus_a, minus_b, across_a, across_b;
    unsigned nd; /* registers of the accumulator, a lane */
    Lie lie;
    unsigned wide; /* of many: few tiles will do */
} Wform;

enum { WFORMS_MAX = 512 };

typedef struct Wforms {
    Wform f[WFORMS_MAX];
    unsigned n;
} Wforms;

/* What a CTA reads: 128 values each of desc a, desc b (64 bits), scale-d, metadata, four registers of A, d.
 */
static size_t wform_in(const Wform *f)
{
    return 128 * (8 + 8 + 4 + 4 + 4 * 4 + 4 * f->nd);
}
static size_t wform_out(const Wform *f)
{
    return 128 * 4 * f->nd;
}
static int wform_bits_integers(const Wform *f)
{
    return f->d == E_S32;
}

static Wform *wform_add(Wforms *s, Wform f)
{
    unsigned bytes = f.sparse ? 64 : 32;
    f.k = bytes * 8 / elem_bits[f.a];
    f.nd = f.d == E_F16 ? f.n / 4 : f.n / 2;
    snprintf(f.name, sizeof f.name, "wgmma.mma_async%s.sync.aligned.m64n%uk%u%s.%s.%s.%s%s",
             f.sparse ? ".sp" : "", f.n, f.k, f.sat ? ".satfinite" : "", elem_name[f.d], elem_name[f.a],
             elem_name[f.b], f.a == E_B1 ? ".and.popc" : "");
    s->f[s->n] = f;
    return &s->f[s->n++];
}

/* A product in registers and memory, with and without signs. */
static void add_types(Wforms *s, Elem a, Elem b, Elem d, unsigned selectors)
{
    for (unsigned memory = 0; memory < 2; memory++)
        wform_add(
            s, (Wform){.n = 64, .a = a, .b = b, .d = d, .memory = memory, .minus_a = memory && d != E_S32});
    if (d == E_S32 && a != E_B1)
        wform_add(s, (Wform){.n = 64, .a = a, .b = b, .d = d, .sat = 1, .memory = 1});
    if (d != E_S32)
        wform_add(s, (Wform){.n = 64, .a = a, .b = b, .d = d, .minus_a = 1, .minus_b = 1, .wide = 1});
    if (a == E_B1) return;
    for (unsigned sel = 0; sel < selectors; sel++)
        for (unsigned memory = 0; memory < 2; memory++)
            wform_add(s, (Wform){.n = 64,
                                 .a = a,
                                 .b = b,
                                 .d = d,
                                 .sparse = 1,
                                 .selector = sel,
                                 .memory = memory,
                                 .minus_b = memory && d != E_S32});
}

static void add_sizes(Wforms *s, Elem a, Elem d, unsigned sparse)
{
    static const unsigned some[] = {8, 16, 24, 48, 80, 128, 192, 256};
    for (unsigned i = 0; i < 8; i++)
        wform_add(
            s, (Wform){.n = some[i], .a = a, .b = a, .d = d, .sparse = sparse, .memory = i & 1, .wide = 1});
}

static void add_lies(Wforms *s, Elem a, unsigned sparse, unsigned transposed)
{
    Elem d = a == E_S8 ? E_S32 : E_F32;
    for (unsigned t = 0; t < (transposed ? 8 : 2); t++)
        for (unsigned lie = LIE_ALIGNED; lie <= LIE_BASE; lie++) {
            if (t & 2 && !(t & 1)) continue;
            wform_add(s, (Wform){.n = 40 + 8 * (a == E_S8),
                                 .a = a,
                                 .b = a,
                                 .d = d,
                                 .sparse = sparse,
                                 .memory = t & 1,
                                 .across_a = t >> 1 & 1,
                                 .across_b = t >> 2 & 1,
                                 .lie = (Lie)lie,
                                 .wide = 1});
        }
}

static void wforms_all(Wforms *s)
{
    static const Elem fp8[2] = {E_E4M3, E_E5M2}, bytes[2] = {E_S8, E_U8};
    memset(s, 0, sizeof *s);
    add_types(s, E_F16, E_F16, E_F32, 2), add_types(s, E_F16, E_F16, E_F16, 2);
    add_types(s, E_BF16, E_BF16, E_F32, 2), add_types(s, E_TF32, E_TF32, E_F32, 2);
    for (unsigned i = 0; i < 4; i++) {
        add_types(s, fp8[i >> 1], fp8[i & 1], E_F32, 1), add_types(s, fp8[i >> 1], fp8[i & 1], E_F16, 1);
        add_types(s, bytes[i >> 1], bytes[i & 1], E_S32, 1);
    }
    add_types(s, E_B1, E_B1, E_S32, 0);
    for (unsigned n = 8; n <= 256; n += 8)
        wform_add(s, (Wform){.n = n, .a = E_F16, .b = E_F16, .d = E_F32, .memory = 1, .wide = 1});
    add_sizes(s, E_F16, E_F16, 0), add_sizes(s, E_BF16, E_F32, 1), add_sizes(s, E_TF32, E_F32, 0);
    add_sizes(s, E_E4M3, E_F32, 0), add_sizes(s, E_E5M2, E_F16, 1), add_sizes(s, E_S8, E_S32, 0);
    add_sizes(s, E_U8, E_S32, 1), add_sizes(s, E_B1, E_S32, 0);
    add_lies(s, E_F16, 0, 1), add_lies(s, E_F16, 1, 1), add_lies(s, E_TF32, 0, 0), add_lies(s, E_TF32, 1, 0);
    add_lies(s, E_S8, 0, 0), add_lies(s, E_S8, 1, 0);
}

/* ---- the kernel ---- */

static const char wform_head[] =
    ".version 8.4\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 sm[];\n";

static int list(char *to, const char *name, unsigned n)
{
    int at = sprintf(to, "{");
    for (unsigned i = 0; i < n; i++) at += sprintf(to + at, "%s%%%s%u", i ? "," : "", name, i);
    return at + sprintf(to + at, "}");
}

/* between: what stands between the product and its end. */
static void wform_emit(const Wform *f, const char *name, char *to)
{
    int at = sprintf(
        to,
        ".visible .entry %s(.param .u64 pin, .param .u64 pout, .param .u64 pimage, .param .u32 pstride, "
        ".param .u32 "
        "pbytes)\n.maxntid 128\n{\n  .reg .b32 %%a<4>, %%d<%u>, %%t, %%c, %%v<4>, %%o, %%x, %%n, %%e, %%sd;\n"
        "  .reg .b64 %%in, %%out, %%im, %%w, %%da, %%db, %%b;\n  .reg .pred %%p, %%q;\n"
        "  ld.param.u64 %%in, [pin]; ld.param.u64 %%out, [pout]; ld.param.u64 %%im, [pimage];\n"
        "  ld.param.u32 %%x, [pstride]; ld.param.u32 %%n, [pbytes];\n"
        "  mov.u32 %%t, %%tid.x; mov.u32 %%c, %%ctaid.x;\n"
        "  mul.wide.u32 %%w, %%c, %%x; add.u64 %%im, %%im, %%w;\n"
        "  mul.wide.u32 %%w, %%c, %u; add.u64 %%in, %%in, %%w;\n"
        "  mul.wide.u32 %%w, %%c, %u; add.u64 %%out, %%out, %%w;\n"
        "  shl.b32 %%o, %%t, 4; cvt.u64.u32 %%w, %%o; add.u64 %%im, %%im, %%w;\n"
        "MORE: setp.ge.u32 %%q, %%o, %%n; @%%q bra DONE;\n"
        "  ld.global.v4.u32 {%%v0,%%v1,%%v2,%%v3}, [%%im];\n"
        "  mov.u32 %%x, sm; add.u32 %%x, %%x, %%o; st.shared.v4.u32 [%%x], {%%v0,%%v1,%%v2,%%v3};\n"
        "  add.u64 %%im, %%im, 2048; add.u32 %%o, %%o, 2048; bra MORE;\n"
        "DONE: fence.proxy.async; bar.sync 0;\n"
        "  mul.wide.u32 %%w, %%t, 8; add.u64 %%w, %%w, %%in;\n"
        "  ld.global.u64 %%da, [%%w]; ld.global.u64 %%db, [%%w+1024];\n"
        "  mov.u32 %%x, sm; shr.u32 %%x, %%x, 4; cvt.u64.u32 %%b, %%x; add.u64 %%da, %%da, %%b; add.u64 "
        "%%db, "
        "%%db, %%b;\n"
        "  mul.wide.u32 %%w, %%t, 4; add.u64 %%out, %%out, %%w; add.u64 %%w, %%w, %%in;\n"
        "  ld.global.u32 %%sd, [%%w+2048]; ld.global.u32 %%e, [%%w+2560]; setp.ne.u32 %%p, %%sd, 0;\n",
        name, f->nd, (unsigned)wform_in(f), (unsigned)wform_out(f));
    for (unsigned i = 0; i < 4 && !f->memory; i++)
        at += sprintf(to + at, "  ld.global.u32 %%a%u, [%%w+%u];\n", i, 3072 + i * 512);
    for (unsigned i = 0; i < f->nd; i++)
        at += sprintf(to + at, "  ld.global.u32 %%d%u, [%%w+%u];\n", i, 5120 + i * 512);
    at += sprintf(to + at, "  wgmma.fence.sync.aligned;\n  %s ", f->name);
    at += list(to + at, "d", f->nd);
    at += sprintf(to + at, ", ");
    at += f->memory ? sprintf(to + at, "%%da") : list(to + at, "a", 4);
    at += sprintf(to + at, ", %%db, ");
    if (f->sparse) at += sprintf(to + at, "%%e, %u, ", f->selector);
    at += sprintf(to + at, "%%p");
    if (!wform_bits_integers(f)) at += sprintf(to + at, ", %d, %d", f->minus_a ? -1 : 1, f->minus_b ? -1 : 1);
    if (elem_bits[f->a] == 16 && f->memory) at += sprintf(to + at, ", %u", f->across_a);
    if (elem_bits[f->a] == 16) at += sprintf(to + at, ", %u", f->across_b);
    at += sprintf(to + at, ";\n  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n");
    for (unsigned i = 0; i < f->nd; i++)
        at += sprintf(to + at, "  st.global.u32 [%%out+%u], %%d%u;\n", i * 512, i);
    sprintf(to + at, "  ret;\n}\n");
}

#endif
