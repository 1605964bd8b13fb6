/*
 * gen_struct.c - functions as compilers call them: structures by value and as results, pointers to local,
 * shared and global memory, vectors of registers, no result at all; called directly, in loops, under guards,
 * or through a table in memory that differs from lane to lane.
 */
#include "random/gen.h"
#include <stdio.h>

enum { TABLED = 3 };

/* Each takes a structure of 24 bytes and a generic address of 16 bytes, and gives a structure of 16. */
static void define_tabled(struct gen *g, unsigned k)
{
    const unsigned l = g->labels++;
    gen_line(g,
             ".func (.param .align 8 .b8 out[16]) fs%u(.param .align 8 .b8 s[24], .param .b64 where)\n{\n"
             "  .reg .b32 %%r<6>;  .reg .b64 %%d<4>;  .reg .pred %%p;  .reg .f32 %%f<3>;",
             k);
    if (k == 1) { /* a structure that is copied to local memory, and read there by a computed place */
        gen_line(g, "  .local .align 8 .b8 copy[24];  .reg .b64 %%l<3>;  mov.u64 %%l0, copy;  cvta.local.u64 "
                    "%%l1, %%l0;");
        gen_line(g, "  ld.param.b64 %%d1, [s];  st.local.b64 [copy], %%d1;  ld.param.b64 %%d2, [s+8];  "
                    "st.local.b64 [copy+8], "
                    "%%d2;");
    }
    gen_line(g, "  ld.param.b32 %%r0, [s+%u];  ld.param.b64 %%d0, [s+16];  ld.param.b64 %%d3, [where];",
             4 * gen_below(g, 4));
    gen_line(g, "  ld.b32 %%r1, [%%d3+%u];  mad.lo.u32 %%r2, %%r0, %u, %%r1;", 4 * gen_below(g, 4),
             3 + 2 * k);
    if (k == 1) {
        gen_line(g, "  and.b32 %%r3, %%r2, 12;  cvt.u64.u32 %%l2, %%r3;  add.s64 %%l2, %%l1, %%l2;  ld.b32 "
                    "%%r4, [%%l2];");
        gen_line(g, "  xor.b32 %%r2, %%r2, %%r4;");
    }
    gen_line(
        g,
        "  and.b32 %%r5, %%r2, 1;  setp.eq.u32 %%p, %%r5, 0;  @%%p bra X%u;  st.b32 [%%d3+%u], %%r2;\nX%u:",
        l, 4 * gen_below(g, 4), l);
    if (gen_chance(g, 50)) { /* two ways back */
        gen_line(g, "  setp.gt.s32 %%p, %%r2, %d;  @%%p bra Y%u;", (int)gen_below(g, 1000), l);
        gen_line(g, "  st.param.v2.b32 [out], {%%r0, %%r2};  st.param.b64 [out+8], %%d3;  ret;\nY%u:", l);
        gen_line(g, "  mov.b64 %%d3, %%d0;");
    }
    gen_line(
        g, "  st.param.b32 [out], %%r2;  st.param.b32 [out+4], %%r1;  st.param.b64 [out+8], %%d0;  ret;\n}");
}

static void define_plain(struct gen *g)
{
    gen_line(g, ".func fv(.param .b64 where, .param .b32 x)\n{\n  .reg .b32 %%r<3>;  .reg .b64 %%d;  .reg "
                ".pred %%p;");
    gen_line(g, "  ld.param.b64 %%d, [where];  ld.param.b32 %%r0, [x];  ld.b32 %%r1, [%%d];  setp.lt.s32 "
                "%%p, %%r0, %%r1;");
    gen_line(g, "  %sst.b32 [%%d], %%r0;  @%%p st.b32 [%%d+4], %%r1;\n}",
             gen_chance(g, 50) ? "@!%p ret;  " : "");
    gen_line(g, ".func (.reg .b64 %%o, .reg .b32 %%q) fr(.reg .b32 %%a, .reg .b64 %%b, .reg .f32 %%c)\n{\n  "
                ".reg .b32 %%t;");
    gen_line(g,
             "  mov.b32 %%t, %%c;  xor.b32 %%q, %%t, %%a;  mul.wide.u32 %%o, %%q, %u;  add.s64 %%o, %%o, "
             "%%b;  ret;\n}",
             1 + gen_below(g, 99));
    gen_line(
        g,
        ".func (.reg .v2 .b32 %%o) fw(.reg .v4 .b32 %%a, .reg .b32 %%k)\n{\n  add.u32 %%o.x, %%a.x, %%a.w;");
    gen_line(g, "  mad.lo.u32 %%o.y, %%a.y, %%k, %%a.z;  ret;\n}");
}

/* Bytes and halves of parameters, one of 128 bits, parameters that are less than a word. */
static void define_parts(struct gen *g)
{
    static const char *const loads[] = {"u8", "s8", "b8", "u16", "s16", "u32", "s32"};
    static const uint8_t sizes[] = {1, 1, 1, 2, 2, 4, 4};
    gen_line(g, ".func (.param .b16 out) fb(.param .align 8 .b8 s[12], .param .b8 c, .param .b16 h, .param "
                ".align 16 .b128 "
                "q)\n{\n  .reg .b32 %%r<4>;  .reg .b16 %%h<6>;  .reg .b64 %%d<4>;  .reg .b128 %%q;");
    for (unsigned i = 0; i < 2; i++) {
        const unsigned k = gen_below(g, 5), j = gen_below(g, 7);
        gen_line(g, "  ld.param.%s %%h%u, [s+%u];  ld.param.%s %%r%u, [s+%u];", loads[k], i,
                 sizes[k] * gen_below(g, 12 / sizes[k]), loads[j], i, sizes[j] * gen_below(g, 12 / sizes[j]));
    }
    gen_line(g,
             "  ld.param.%s %%h2, [c];  ld.param.%s %%h3, [h];  ld.param.s32 %%d0, [s+4];  ld.param.b128 "
             "%%q, [q];",
             gen_chance(g, 50) ? "s8" : "u8", gen_chance(g, 50) ? "s16" : "b16");
    gen_line(g, "  mov.b128 {%%d1, %%d2}, %%q;  xor.b64 %%d1, %%d1, %%d2;  add.s64 %%d0, %%d0, %%d1;  "
                "cvt.u32.u64 %%r2, %%d0;");
    gen_line(g, "  add.s16 %%h4, %%h0, %%h1;  mad.lo.s16 %%h4, %%h2, %%h3, %%h4;  xor.b32 %%r0, %%r0, %%r1;  "
                "xor.b32 %%r0, "
                "%%r0, %%r2;  cvt.u16.u32 %%h5, %%r0;  xor.b16 %%h4, %%h4, %%h5;  st.param.b16 [out], %%h4;  "
                "ret;\n}");
}

/* A parameter whose address is taken, and an array of it that is read by a computed place. */
static void define_taken(struct gen *g)
{
    gen_line(g, ".func (.param .b32 out) fa(.param .align 8 .b8 s[32], .param .b32 k)\n{\n  .reg .b32 "
                "%%r<4>;  .reg .b64 %%d<4>;");
    gen_line(g, "  ld.param.b32 %%r0, [k];  and.b32 %%r0, %%r0, 7;  mul.wide.u32 %%d0, %%r0, 4;  mov.b64 "
                "%%d1, s;  add.s64 %%d2, "
                "%%d1, %%d0;");
    gen_line(g,
             "  ld.local.b32 %%r1, [%%d2];  ld.param.b32 %%r2, [s+%u];  cvta.local.u64 %%d3, %%d1;  ld.b32 "
             "%%r3, [%%d3+%u];",
             4 * gen_below(g, 8), 4 * gen_below(g, 8));
    gen_line(
        g,
        "  xor.b32 %%r1, %%r1, %%r2;  mad.lo.u32 %%r1, %%r1, 3, %%r3;  st.param.b32 [out], %%r1;  ret;\n}");
}

void gen_structs(struct gen *g)
{
    struct node *before = gen_open(g, false);
    define_parts(g);
    define_taken(g);
    for (unsigned k = 0; k < TABLED; k++) define_tabled(g, k);
    define_plain(g);
    gen_line(g, ".global .align 8 .u64 ftab[4] = {fs0, fs1, fs2, fs0};");
    gen_close(g, before);
}

/* A generic address of 16 bytes that the thread alone has. */
static const char *own_place(struct gen *g)
{
    static const char *const places[] = {"%slot", "%shg", "%lcg"};
    return places[gen_below(g, 3)];
}

/* The call of one of the functions in the table, whose lanes may call different ones. */
static void call_tabled(struct gen *g)
{
    const unsigned how = gen_below(g, 3), l = g->labels++;
    gen_line(g, "  { .param .align 8 .b8 po[16];  .param .align 8 .b8 ps[24];  .param .b64 pw;");
    gen_line(g, "    add.s64 %%xd0, %s, %u;  st.param.b64 [pw], %%xd0;", own_place(g), 16 * gen_below(g, 3));
    if (gen_chance(g, 50))
        gen_line(g, "    st.param.v2.b32 [ps], {%%xa0, %%xa1};  st.param.v2.b32 [ps+8], {%%xa2, %%xa0};");
    else
        gen_line(g,
                 "    st.param.b32 [ps], %%xa0;  st.param.b32 [ps+4], %%xa1;  st.param.b64 [ps+8], %%xd1;");
    gen_line(g, "    st.param.b64 [ps+16], %%xd1;");
    if (how == 0) {
        gen_line(g,
                 "    and.b32 %%xa3, %s, 3;  mul.wide.u32 %%xd2, %%xa3, 8;  mov.u64 %%xd3, ftab;  add.s64 "
                 "%%xd2, %%xd3, "
                 "%%xd2;  ld.global.u64 %%xd3, [%%xd2];",
                 gen_register(g, PX_T_B32, 0, false).text);
        gen_line(g,
                 "    FP%u: .callprototype (.param .align 8 .b8 _[16]) _ (.param .align 8 .b8 _[24], .param "
                 ".b64 _);",
                 l);
        gen_line(g, "    call (po), %%xd3, (ps, pw), FP%u;", l);
    } else {
        gen_line(g, "    call%s (po), fs%u, (ps, pw);", how == 1 ? ".uni" : "", gen_below(g, TABLED));
    }
    gen_line(g, "    ld.param.v2.b32 {%%xa1, %%xa2}, [po];  ld.param.b64 %%xd4, [po+8];  }");
}

static void call_with_parts(struct gen *g)
{
    gen_line(g, "  { .param .b16 po;  .param .align 8 .b8 ps[12];  .param .b8 pc;  .param .b16 ph;  .param "
                ".align 16 .b128 pq;  "
                ".reg .b16 %%xh<3>;  .reg .b128 %%xq;");
    gen_line(g, "    cvt.u16.u32 %%xh0, %%xa0;  cvt.u16.u32 %%xh1, %%xa1;  mov.b128 %%xq, {%%xd1, %%xd1};");
    gen_line(g, "    st.param.b32 [ps], %%xa0;  st.param.b16 [ps+4], %%xh0;  st.param.b8 [ps+6], %%xh1;  "
                "st.param.b8 [ps+7], %%xh0;  "
                "st.param.v4.b8 [ps+8], {%%xh0, %%xh1, %%xh0, %%xh1};");
    if (gen_chance(g, 40))
        gen_line(g, "    st.param.b8 [ps+%u], %%xh1;  st.param.b16 [ps+%u], %%xh0;", gen_below(g, 12),
                 2 * gen_below(g, 6));
    gen_line(g, "    st.param.b8 [pc], %%xh0;  st.param.b16 [ph], %%xh1;  st.param.b128 [pq], %%xq;");
    gen_line(g,
             "    call (po), fb, (ps, pc, ph, pq);  ld.param.b16 %%xh2, [po];  cvt.u32.u16 %%xa1, %%xh2;  }");
}

static void call_with_taken(struct gen *g)
{
    gen_line(g, "  { .param .b32 po;  .param .align 8 .b8 ps[32];  .param .b32 pk;");
    gen_line(g,
             "    st.param.v2.b64 [ps], {%%xd1, %%xd1};  st.param.v2.b32 [ps+16], {%%xa0, %%xa1};  "
             "st.param.b64 [ps+24], %%xd1;  "
             "st.param.b32 [pk], %%xa%u;",
             gen_below(g, 3));
    gen_line(g, "    call (po), fa, (ps, pk);  ld.param.b32 %%xa1, [po];  }");
}

static void call_plain(struct gen *g)
{
    switch (gen_below(g, 6)) {
    case 2: call_with_parts(g); break;
    case 3: call_with_taken(g); break;
    case 4: /* constants for arguments, a result that nobody takes */
        gen_line(g, "  call (%s, %%xa2), fr, (%u, %%xd1, 0f%08X);", gen_chance(g, 50) ? "%xd1" : "_",
                 gen_below(g, 100), 0x3f800000u + gen_below(g, 1u << 20));
        break;
    case 0:
        gen_line(g,
                 "  { .param .b64 pw;  .param .b32 px;  add.s64 %%xd0, %s, %u;  st.param.b64 [pw], %%xd0;  "
                 "st.param.b32 [px], "
                 "%%xa0;  call fv, (pw, px);  }",
                 own_place(g), 8 * gen_below(g, 4));
        break;
    default: gen_line(g, "  mov.b32 %%xf0, %%xa1;  call (%%xd1, %%xa2), fr, (%%xa0, %%xd1, %%xf0);"); break;
    case 5:
        gen_line(g, "  { .reg .v4 .b32 %%xq;  .reg .v2 .b32 %%xo;  mov.b32 %%xq.x, %%xa0;  mov.b32 %%xq.y, "
                    "%%xa1;  mov.b32 "
                    "%%xq.z, %%xa2;  mov.b32 %%xq.w, %%xa0;");
        gen_line(g, "    call (%%xo), fw, (%%xq, %%xa1);  mov.b32 %%xa1, %%xo.x;  mov.b32 %%xa2, %%xo.y;  }");
        break;
    }
}

bool gen_struct_call(struct gen *g)
{
    const unsigned l = g->labels++;
    if (g->inside) return false;
    struct node *before = gen_open(g, false);
    const bool loop = gen_chance(g, 40), guarded = gen_chance(g, 40);
    gen_line(g, "{  .reg .b32 %%xa<4>, %%xk;  .reg .b64 %%xd<5>;  .reg .f32 %%xf0;  .reg .pred %%xp;");
    gen_line(g, "  mov.b32 %%xa0, %s;  mov.b32 %%xa1, %s;  mov.b64 %%xd1, %s;  mov.u32 %%xk, 0;\nL%u:",
             gen_register(g, PX_T_B32, 0, false).text, gen_register(g, PX_T_B32, 0, false).text,
             gen_register(g, PX_T_B64, 0, false).text, l);
    if (guarded)
        gen_line(g, "  @%s%s bra M%u;", gen_chance(g, 50) ? "!" : "", gen_predicate(g, false).text, l);
    gen_chance(g, 60) ? call_tabled(g) : call_plain(g);
    if (guarded) gen_line(g, "M%u:", l);
    if (loop) {
        gen_line(g, "  add.u32 %%xa0, %%xa0, %%xa2;  add.u32 %%xk, %%xk, 1;");
        gen_line(g, "  setp.lt.u32 %%xp, %%xk, %s;  @%%xp bra L%u;", gen_chance(g, 50) ? "3" : "%xa3", l);
        /* (nobody writes %xa3 but the call through the table: it is below 4) */
    }
    gen_line(g, "  mov.b32 %s, %%xa1;  xor.b32 %s, %%xa2, %%xa0;  mov.b64 %s, %%xd1;",
             gen_register(g, PX_T_B32, 0, true).text, gen_register(g, PX_T_B32, 0, true).text,
             gen_register(g, PX_T_B64, 0, true).text);
    gen_line(g, "}");
    gen_close(g, before);
    return true;
}
