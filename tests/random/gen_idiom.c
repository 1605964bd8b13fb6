/*
 * gen_idiom.c - what compilers make of ordinary code, beside loops: choices, predicates, switches, halves of
 * wide numbers, small integers, local arrays, pointers that come from memory, registers that nobody has
 * written.
 *
 * Registers are those of the statement's own block; values come from and go to registers of the pools.
 */
#include "random/gen.h"
#include <stdio.h>
#include <string.h>

static const char *any(struct gen *g, enum px_type type, struct operand *o)
{
    *o = gen_register(g, type, 0, false);
    return o->text;
}

static const char *result(struct gen *g, enum px_type type, struct operand *o)
{
    *o = gen_register(g, type, 0, true);
    return o->text;
}

/* ---- choices ---- */

/* The least, the greatest, or one of several, by a comparison each. */
static void chosen(struct gen *g)
{
    static const char *const types[] = {"s32", "u32", "s32"}, *const orders[] = {"lt", "ge", "gt", "eq"};
    struct operand a, b;
    const char *type = types[gen_below(g, 3)], *order = orders[gen_below(g, 4)];
    gen_line(g, "  .reg .b32 %%xa<8>;  .reg .pred %%xp<8>;  mov.b32 %%xa0, %s;", any(g, PX_T_B32, &a));
    const unsigned n = 3 + gen_below(g, 4);
    for (unsigned k = 0; k < n; k++)
        gen_line(g, "  setp.%s.%s %%xp%u, %s, %s;  selp.b32 %%xa%u, %s, %%xa%u, %%xp%u;", order, type, k,
                 any(g, PX_T_U32, &a), gen_chance(g, 50) ? "%xa0" : gen_source(g, PX_T_U32).text, k + 1,
                 any(g, PX_T_B32, &b), k, k);
    gen_line(g, "  mov.b32 %s, %%xa%u;", result(g, PX_T_B32, &a), n);
}

/* Conditions joined by operations on predicates, read by branches, stores and choices, also in later blocks.
 */
static void conditions(struct gen *g)
{
    static const char *const ops[] = {"and", "or", "xor"};
    struct operand a, b;
    const unsigned l = g->labels++;
    gen_line(g, "  .reg .b32 %%xa<3>;  .reg .pred %%xp<6>;");
    gen_line(g, "  setp.lt.s32 %%xp0, %s, %s;  setp.ne.b64 %%xp1, %s, 0;", any(g, PX_T_S32, &a),
             any(g, PX_T_S32, &b), gen_register(g, PX_T_B64, 0, false).text);
    gen_line(g, "  %s.pred %%xp2, %%xp0, %%xp1;  not.pred %%xp3, %%xp2;  %s.pred %%xp4, %%xp3, %s;",
             ops[gen_below(g, 3)], ops[gen_below(g, 3)], gen_predicate(g, false).text);
    gen_line(g, "  setp.gt.%s.u32 %%xp5, %s, 7, %s%%xp4;", ops[gen_below(g, 3)], any(g, PX_T_U32, &a),
             gen_chance(g, 40) ? "!" : "");
    gen_line(g, "  mov.u32 %%xa0, 1;  @%s%%xp%u bra X%u;", gen_chance(g, 50) ? "!" : "", gen_below(g, 6), l);
    gen_line(g, "  add.s32 %%xa0, %s, 3;", any(g, PX_T_S32, &a));
    if (gen_chance(g, 50)) gen_line(g, "  @%%xp%u bra X%u;  xor.b32 %%xa0, %%xa0, 255;", gen_below(g, 6), l);
    gen_line(g, "X%u:  @%%xp%u st.global.b32 [%%slot+%u], %%xa0;", l, gen_below(g, 6), 4 * gen_below(g, 32));
    gen_line(g, "  selp.b32 %%xa1, %%xa0, %s, %%xp%u;  mov.b32 %s, %%xa1;", any(g, PX_T_B32, &a),
             gen_below(g, 6), result(g, PX_T_B32, &b));
}

/* Loads under a predicate over zeros, and stores under another, as Triton masks them. */
static void masked(struct gen *g)
{
    static const char *const forms[] = {"b32", "v2.b32", "v4.b32", "v2.b64", "b64", "b16", "b8"};
    static const uint8_t elements[] = {1, 2, 4, 2, 1, 1, 1}, bytes[] = {4, 8, 16, 16, 8, 2, 1};
    const unsigned k = gen_below(g, 7), bits = strchr(forms[k], '6') ? k == 5 ? 16 : 64 : k == 6 ? 16 : 32;
    struct operand a;
    char list[64] = "";
    int n = 0;
    gen_line(g, "  .reg .b%u %%xa<4>;  .reg .b64 %%xd;  .reg .pred %%xp, %%xq;", bits);
    gen_line(g, "  setp.lt.s32 %%xp, %%tidl, %u;  setp.gt.s32 %%xq, %s, 0;", gen_below(g, g->cta_threads + 2),
             any(g, PX_T_S32, &a));
    for (unsigned i = 0; i < elements[k]; i++) {
        gen_line(g, "  mov.b%u %%xa%u, 0;", bits, i);
        n += snprintf(list + n, sizeof list - (size_t)n, "%s%%xa%u", i ? ", " : "", i);
    }
    const char *open = elements[k] > 1 ? "{" : "", *close = elements[k] > 1 ? "}" : "";
    gen_line(g, "  add.s64 %%xd, %%slot, %u;", bytes[k] * gen_below(g, SLOT_SCRATCH / 2 / bytes[k]));
    gen_line(g, "  @%%xp ld%s.%s %s%s%s, [%%xd];", gen_chance(g, 70) ? ".global" : "", forms[k], open, list,
             close);
    gen_line(g, "  @%s%%xq st.global.%s [%%xd+%u], %s%s%s;", gen_chance(g, 30) ? "!" : "", forms[k],
             bytes[k] * gen_below(g, 4), open, list, close);
    if (bits == 32) gen_line(g, "  mov.b32 %s, %%xa0;", result(g, PX_T_B32, &a));
    if (bits == 64) gen_line(g, "  mov.b64 %s, %%xa0;", result(g, PX_T_B64, &a));
}

/* A pointer that is one of two. */
static void one_of_two(struct gen *g)
{
    struct operand a;
    gen_line(g, "  .reg .b64 %%xd<4>;  .reg .b32 %%xa<2>;");
    gen_line(g, "  add.s64 %%xd0, %%slot, %u;  mov.b64 %%xd1, %s;", 4 * gen_below(g, 32),
             gen_chance(g, 40) ? "%shg" : "%slot");
    gen_line(g, "  selp.b64 %%xd2, %%xd0, %%xd1, %s;",
             gen_chance(g, 30) ? "%e0" : gen_predicate(g, false).text);
    gen_line(g, "  ld.b32 %%xa0, [%%xd2+%u];  st.b32 [%%xd2], %s;", 4 * gen_below(g, 8),
             any(g, PX_T_B32, &a));
    gen_line(g, "  add.s64 %%xd3, %%xd2, 4;  st.b32 [%%xd3], %%xa0;  mov.b32 %s, %%xa0;",
             result(g, PX_T_B32, &a));
}

/* A switch: everything beyond the table goes one way; also in a loop, on what the last turn made. */
static void switched(struct gen *g)
{
    const unsigned l = g->labels++, n = 3 + gen_below(g, 5);
    const bool loop = gen_chance(g, 40);
    struct operand a;
    char targets[160];
    int at = 0;
    gen_line(g, "  .reg .b32 %%xa, %%xk, %%xn;  .reg .pred %%xp;");
    gen_line(g, "  and.b32 %%xk, %s, 15;  mov.u32 %%xa, %%xk;  mov.u32 %%xn, 0;\nB%u:", any(g, PX_T_B32, &a),
             l);
    for (unsigned k = 0; k < n; k++)
        at += snprintf(targets + at, sizeof targets - (size_t)at, "%sC%u_%u", k ? ", " : "", gen_below(g, n),
                       l);
    if (gen_chance(g, 25)) gen_line(g, "  ld.param.u32 %%xk, [args+20];"); /* the same for all threads */
    gen_line(g, "  setp.gt.u32 %%xp, %%xk, %u;  @%%xp bra D%u;", n - 1, l);
    gen_line(g, "T%u: .branchtargets %s;\n  brx.idx %%xk, T%u;", l, targets, l);
    for (unsigned k = 0; k < n; k++) {
        gen_line(g, "C%u_%u:  mad.lo.u32 %%xa, %%xa, %u, %s;", k, l, 2 * k + 1, any(g, PX_T_U32, &a));
        if (k % 3 != 2) gen_line(g, "  bra.uni E%u;", l); /* or falls into the next */
    }
    gen_line(g, "D%u:  xor.b32 %%xa, %%xa, 21;\nE%u:", l, l);
    if (loop)
        gen_line(
            g, "  and.b32 %%xk, %%xa, 7;  add.u32 %%xn, %%xn, 1;  setp.lt.u32 %%xp, %%xn, 3;  @%%xp bra B%u;",
            l);
    gen_line(g, "  mov.b32 %s, %%xa;", result(g, PX_T_B32, &a));
}

/* ---- numbers ---- */

/* Wide numbers taken apart and put together. */
static void halves(struct gen *g)
{
    struct operand a, b;
    gen_line(g, "  .reg .b32 %%xl, %%xh, %%xc;  .reg .b64 %%xd<6>;  .reg .b16 %%xs<4>;  .reg .pred %%xp;");
    gen_line(g, "  mov.b64 {%%xl, %%xh}, %s;  mov.b64 {_, %%xc}, %s;", any(g, PX_T_B64, &a),
             any(g, PX_T_B64, &b));
    switch (gen_below(g, 4)) {
    case 0: gen_line(g, "  mov.b64 %%xd0, {%%xh, %%xl};  and.b64 %%xd1, %%xd0, -4294967296;"); break;
    case 1:
        gen_line(g, "  mov.b64 %%xd5, %s;  shr.u64 %%xd1, %%xd5, 32;  cvt.u32.u64 %%xc, %%xd1;", a.text);
        break;
    case 2:
        gen_line(
            g,
            "  cvt.u64.u32 %%xd0, %%xl;  shl.b64 %%xd2, %%xd0, 32;  cvt.u64.u32 %%xd3, %%xh;  or.b64 %%xd1, "
            "%%xd2, %%xd3;");
        break;
    default:
        gen_line(g, "  mov.b32 {%%xs0, %%xs1}, %%xl;  mov.b32 {%%xs2, _}, %%xh;  mov.b64 %%xd1, {%%xs1, "
                    "%%xs0, %%xs2, "
                    "%%xs0};");
        break;
    }
    gen_line(g, "  mov.b64 %%xd4, %s;  setp.lt.u64 %%xp, %%xd1, %%xd4;  selp.b64 %s, %%xd1, %%xd4, %%xp;",
             b.text, result(g, PX_T_B64, &a));
    gen_line(g, "  mov.b32 %s, %%xc;", result(g, PX_T_B32, &b));
}

/* Bytes and halves: loaded with their sign or without, computed in 16 bits, stored again. */
static void small_numbers(struct gen *g)
{
    static const char *const loads[] = {"s8", "u8", "s16", "u16"}, *const ops[] = {"mul.lo.s16", "add.s16",
                                                                                   "sub.s16",    "min.s16",
                                                                                   "max.u16",    "and.b16"};
    const unsigned k = gen_below(g, 4), size = k < 2 ? 1 : 2, at = size * gen_below(g, 64);
    struct operand a;
    gen_line(g, "  .reg .b16 %%xs<8>;  .reg .b32 %%xa<3>;");
    gen_line(g, "  ld.global.%s %%xs0, [%%slot+%u];  ld.global.%s %%xs1, [%%slot+%u];", loads[k], at,
             loads[gen_below(g, 4)], 2 * gen_below(g, 64));
    gen_line(g, "  %s %%xs2, %%xs0, %%xs1;  shr.%s %%xs3, %%xs2, %u;", ops[gen_below(g, 6)],
             k & 1 ? "u16" : "s16", gen_below(g, 9));
    gen_line(
        g,
        "  cvt.s16.s8 %%xs4, %%xs3;  cvt.u16.u8 %%xs5, %%xs2;  cvt.u32.u16 %%xa0, %%xs5;  cvt.s32.s16 %%xa1, "
        "%%xs4;  cvt.s32.s8 %%xa2, %%xa1;");
    gen_line(g, "  st.global.%s [%%slot+%u], %%xs3;  mad.lo.s32 %s, %%xa0, %%xa1, %%xa2;",
             size == 1 ? "u8" : "u16", at, result(g, PX_T_U32, &a));
}

/* The third dimension, WARP_SZ, and indices that are constants to the engine. */
static void terms(struct gen *g)
{
    struct operand a, b;
    const unsigned l = g->labels++;
    gen_line(g,
             "  .reg .b32 %%xa<7>;  .reg .b64 %%xd<4>;  .reg .pred %%xp;  mov.u32 %%xa0, %%tid.x;  mov.u32 "
             "%%xa1, %%tid.z;");
    gen_line(
        g,
        "  mad.lo.s32 %%xa2, %%xa1, 77, %%xa0;  sub.s32 %%xa3, %%xa%u, %%xa%u;  add.s32 %%xa4, %%xa1, %%xa3;",
        2 * gen_below(g, 2), 0);
    gen_line(g, "  mul.wide.s32 %%xd0, %%xa4, 4;  mov.u64 %%xd1, gtab+%u;  add.s64 %%xd2, %%xd1, %%xd0;",
             4 * gen_below(g, 64));
    gen_line(g, "  ld.global.b32 %%xa5, [%%xd2];  mov.u64 %%xd3, ctab;  ld.const.b32 %%xa6, [%%xd3+%u];",
             4 * gen_below(g, 64));
    gen_line(
        g, "  setp.lt.u32 %%xp, %%xa0, WARP_SZ;  @%%xp bra X%u;  sub.u32 %%xa5, %%xa5, WARP_SZ;\nX%u:", l, l);
    gen_line(g, "  add.u32 %s, %%xa5, %%xa6;  mad.lo.u32 %s, %%xa4, 5, %%xa1;", result(g, PX_T_U32, &a),
             result(g, PX_T_U32, &b));
}

/* Vector registers, whole and by component; what is cut into parts; elements that nobody takes. */
static void vectors(struct gen *g)
{
    struct operand a, b;
    const unsigned at = 16 * gen_below(g, 8);
    gen_line(g, "  .reg .v4 .b32 %%xv;  .reg .v2 .b32 %%xw;  .reg .v2 .b64 %%xd;  .reg .v4 .b16 %%xs;  .reg "
                ".b32 %%xa<3>;");
    gen_line(g, "  ld.global.v4.b32 %%xv, [%%slot+%u];  ld.global.v2.b64 %%xd, [%%slot+%u];", at,
             16 * gen_below(g, 8));
    gen_line(g, "  mov.v2.b32 %%xw, {%%xv.%c, %s};  add.u32 %%xv.%c, %%xw.x, %%xw.y;",
             "xyzw"[gen_below(g, 4)], any(g, PX_T_B32, &a), "xyzw"[gen_below(g, 4)]);
    gen_line(g, "  mov.b64 %%xs, %%xd.%c;  mov.b64 %%xd.y, %%xw;", "xy"[gen_below(g, 2)]);
    gen_line(
        g, "  ld.global.v4.b32 {_, %%xa0, _, %%xa1}, [%%slot+%u];  ld.global.v2.b32 {%%xa2, _}, [%%slot+%u];",
        16 * gen_below(g, 8), 8 * gen_below(g, 16));
    gen_line(g, "  %sst.global.v4.b32 [%%slot+%u], %%xv;  st.global.v2.b64 [%%slot+%u], {%%xd.y, %%xd.x};",
             gen_guard(g), at, 16 * gen_below(g, 8));
    gen_line(g, "  cvt.u32.u16 %%xw.x, %%xs.%c;  xor.b32 %%xa0, %%xa0, %%xw.x;", "xyzw"[gen_below(g, 4)]);
    gen_line(g, "  mad.lo.u32 %s, %%xa0, %%xa1, %%xa2;  mov.b32 %s, %%xv.%c;", result(g, PX_T_U32, &a),
             result(g, PX_T_B32, &b), "xyzw"[gen_below(g, 4)]);
}

/* ---- what nobody has written ---- */

/* Sums, flags and addresses that begin with nothing; what a loop adds is there in the next turn. */
static void unwritten(struct gen *g)
{
    const unsigned l = g->labels++;
    struct operand a, b;
    gen_line(g, "  .reg .b32 %%xa, %%xk, %%xt;  .reg .b64 %%xd<4>;  .reg .pred %%xf, %%xp;  .reg .f32 %%xr;  "
                ".reg .b16 "
                "%%xs;  .reg .f64 %%xg;");
    gen_line(g, "L%u:  @%%xf bra M%u;  add.u32 %%xa, %%xa, %s;", l, l, any(g, PX_T_U32, &a));
    gen_line(g,
             "M%u:  mad.lo.u32 %%xa, %%xa, 3, %%xk;  shl.b64 %%xd1, %%xd0, 2;  add.s64 %%xd2, %%slot, %%xd1;",
             l);
    gen_line(g, "  ld.global.b32 %%xt, [%%xd2+%u];  add.u32 %%xa, %%xa, %%xt;  add.s64 %%xd1, %%xd1, %u;",
             4 * gen_below(g, 8), 4 * gen_below(g, 3));
    gen_line(g, "  add.s64 %%xd3, %%slot, %%xd1;  ld.global.b32 %%xt, [%%xd3];  xor.b32 %%xa, %%xa, %%xt;");
    if (gen_chance(g, 40))
        gen_line(g, "  add.f32 %%xr, %%xr, 0f3F800000;  mov.b32 %%xt, %%xr;  add.u32 %%xa, %%xa, %%xt;");
    if (gen_chance(g, 30))
        gen_line(g, "  add.s16 %%xs, %%xs, 7;  cvt.u32.u16 %%xt, %%xs;  add.u32 %%xa, %%xa, %%xt;");
    if (gen_chance(g, 30))
        gen_line(g, "  add.f64 %%xg, %%xg, 0d3FF0000000000000;  mov.b64 {_, %%xt}, %%xg;  xor.b32 %%xa, "
                    "%%xa, %%xt;");
    gen_line(g, "  setp.ne.u32 %%xf, %%xa, 0;  add.u32 %%xk, %%xk, 1;  add.s64 %%xd0, %%xd0, %u;",
             gen_below(g, 4));
    gen_line(g, "  setp.lt.u32 %%xp, %%xk, %u;  @%%xp bra L%u;  mov.b32 %s, %%xa;", 1 + gen_below(g, 4), l,
             result(g, PX_T_B32, &b));
}

/* An offset that nobody has written, or that a load has, on a pointer that is a parameter; it is changed
 * after. */
static void offset_and_bases(struct gen *g)
{
    struct operand a;
    const bool written = gen_chance(g, 50);
    const unsigned l = g->labels++;
    gen_line(g, "  .reg .b64 %%xb<3>, %%xo, %%xn, %%xd<3>;  .reg .b32 %%xa<3>;  .reg .pred %%xp;");
    gen_line(g, "  ld.param.u64 %%xb0, [args+8];  ld.param.u64 %%xb1, [%s];",
             gen_chance(g, 30)   ? "args+24"
             : gen_chance(g, 50) ? "args+56"
                                 : "buf");
    if (written) gen_line(g, "  and.b32 %%xa0, %s, 31;  cvt.u64.u32 %%xn, %%xa0;", any(g, PX_T_B32, &a));
    gen_line(g, "  shl.b64 %%xo, %%xn, 2;");
    if (gen_chance(g, 50))
        gen_line(g, "  @%s bra X%u;", gen_chance(g, 50) ? "%e1" : gen_predicate(g, false).text, l);
    gen_line(g, "  add.s64 %%xd0, %%xb0, %%xo;  ld.global.b32 %%xa1, [%%xd0+%llu];",
             (unsigned long long)gen_input_at(g));
    if (gen_chance(g, 60))
        gen_line(g,
                 "  add.s64 %%xd1, %%xb1, %%xo;  ld.b32 %%xa2, [%%xd1+%llu];  add.u32 %%xa1, %%xa1, %%xa2;",
                 (unsigned long long)gen_input_at(g) + 8);
    gen_line(g, "  add.s64 %%xo, %%xo, %u;", 4 * gen_below(g, 3));
    if (gen_chance(g, 60))
        gen_line(
            g,
            "  add.s64 %%xd2, %%xb0, %%xo;  ld.global.b32 %%xa2, [%%xd2+%llu];  xor.b32 %%xa1, %%xa1, %%xa2;",
            (unsigned long long)gen_input_at(g));
    gen_line(g, "X%u:  mov.b32 %s, %%xa1;", l, result(g, PX_T_B32, &a));
}

/* ---- memory ---- */

/* An array of local memory by computed places: filled, sorted, looked up; named through generic addresses and
 * back. */
static void local_array(struct gen *g)
{
    const unsigned l = g->labels++, n = 4u << gen_below(g, 3);
    const bool generic = gen_chance(g, 40);
    const char *space = generic ? "" : ".local";
    struct operand a, b;
    gen_line(g,
             "  .reg .b64 %%xl, %%xg, %%xb, %%xd<3>;  .reg .b32 %%xi, %%xj, %%xv, %%xw;  .reg .pred %%xp;");
    gen_line(g,
             "  mov.u64 %%xl, loc;  cvta.local.u64 %%xg, %%xl;  add.u64 %%xg, %%xg, 0;  %s.u64 %%xb, %%xg;",
             generic ? "mov" : "cvta.to.local");
    gen_line(g, "  mov.u32 %%xi, 0;  mov.b32 %%xv, %s;\nL%u:", any(g, PX_T_B32, &a), l);
    gen_line(g,
             "  mad.lo.u32 %%xv, %%xv, 1103515245, 12345;  mad.wide.u32 %%xd0, %%xi, 4, %%xb;  st%s.b32 "
             "[%%xd0], %%xv;",
             space);
    gen_line(g, "  add.u32 %%xi, %%xi, 1;  setp.lt.u32 %%xp, %%xi, %u;  @%%xp bra L%u;", n, l);
    if (gen_chance(g, 60)) { /* sorts by insertion: each lane goes as far as its values say */
        gen_line(g,
                 "  mov.u32 %%xi, 1;\nA%u:  mad.wide.u32 %%xd0, %%xi, 4, %%xb;  ld%s.b32 %%xv, [%%xd0];  "
                 "mov.u32 %%xj, "
                 "%%xi;\nB%u:",
                 l, space, l);
        gen_line(g,
                 "  mad.wide.u32 %%xd1, %%xj, 4, %%xb;  ld%s.b32 %%xw, [%%xd1+-4];  setp.le.s32 %%xp, %%xw, "
                 "%%xv;  @%%xp "
                 "bra C%u;",
                 space, l);
        gen_line(g,
                 "  st%s.b32 [%%xd1], %%xw;  add.s32 %%xj, %%xj, -1;  setp.ne.s32 %%xp, %%xj, 0;  @%%xp bra "
                 "B%u;\nC%u:",
                 space, l, l);
        gen_line(g,
                 "  mad.wide.u32 %%xd2, %%xj, 4, %%xb;  st%s.b32 [%%xd2], %%xv;  add.u32 %%xi, %%xi, 1;  "
                 "setp.lt.u32 "
                 "%%xp, %%xi, %u;  @%%xp bra A%u;",
                 space, n, l);
    }
    gen_line(g, "  and.b32 %%xi, %s, %u;  mad.wide.u32 %%xd0, %%xi, 4, %%xb;  ld%s.b32 %s, [%%xd0];",
             any(g, PX_T_B32, &b), n - 1, space, result(g, PX_T_B32, &a));
}

/* Pointers that memory holds. */
static void pointers(struct gen *g)
{
    const unsigned at = 8 * gen_below(g, 16), l = g->labels++;
    const bool loop = gen_chance(g, 40);
    struct operand a, b;
    gen_line(g, "  .reg .b64 %%xd<5>;  .reg .b32 %%xa<3>, %%xk;  .reg .pred %%xp;  mov.u32 %%xk, 0;");
    gen_line(g,
             "  add.s64 %%xd0, %%slot, %u;  cvta.to.global.u64 %%xd1, %%xd0;  cvta.global.u64 %%xd2, %%xd1;",
             at);
    gen_line(g, "  st.global.b64 [%%xd1], %%xd2;  mov.u32 %%xa0, 0;\nL%u:  ld.b64 %%xd3, [%%xd2];",
             l); /* it leads to itself */
    gen_line(g, "  ld.global.b32 %%xa1, [%%xd3+%u];  add.u32 %%xa0, %%xa0, %%xa1;  mov.b64 %%xd2, %%xd3;",
             8 + 4 * gen_below(g, 8));
    gen_line(g, "  st.b32 [%%xd3+%u], %%xa0;", 8 + 4 * gen_below(g, 8));
    if (loop)
        gen_line(g,
                 "  add.u32 %%xk, %%xk, 1;  and.b32 %%xa2, %%xa0, 3;  setp.lt.u32 %%xp, %%xk, %%xa2;  @%%xp "
                 "bra L%u;",
                 l);
    gen_line(g, "  st.global.b64 [%%xd1], %s;  mov.b32 %s, %%xa0;", any(g, PX_T_B64, &a),
             result(g, PX_T_B32, &b));
}

/* Windows: what is made generic and taken back, and which one it lies in. */
static void windows(struct gen *g)
{
    static const char *const spaces[] = {"shared", "local", "global", "const", "shared"};
    static const char *const places[] = {"%shg", "%lcg", "%gtg", "%ctg", "%shrg"};
    const unsigned k = gen_below(g, 5), other = gen_below(g, 5);
    struct operand a;
    gen_line(g, "  .reg .b64 %%xd<3>;  .reg .b32 %%xa<3>;  .reg .pred %%xp<3>;");
    gen_line(g, "  mov.b64 %%xd0, %s;  cvta.to.%s.u64 %%xd1, %%xd0;  ld.%s.b32 %%xa0, [%%xd1];", places[k],
             spaces[k], spaces[k]);
    gen_line(g, "  cvta.%s.u64 %%xd2, %%xd1;  setp.eq.u64 %%xp0, %%xd0, %%xd2;", spaces[k]);
    if (gen_chance(g, 40))
        gen_line(g, "  selp.b64 %%xd0, %%xd2, %s, %s;", places[other], gen_predicate(g, false).text);
    gen_line(g, "  isspacep.%s %%xp1, %%xd0;  isspacep.%s %%xp2, %%xd2;", spaces[gen_below(g, 5)],
             spaces[other]);
    gen_line(g, "  @!%%xp1 bra X%u;  ld.b32 %%xa1, [%%xd0];  add.u32 %%xa0, %%xa0, %%xa1;\nX%u:", g->labels,
             g->labels);
    g->labels++;
    gen_line(
        g,
        "  selp.b32 %%xa1, 1, 2, %%xp0;  selp.b32 %%xa2, %%xa1, 5, %%xp2;  mad.lo.u32 %s, %%xa2, 7, %%xa0;",
        result(g, PX_T_U32, &a));
}

/* The structure through its address, and in vectors. */
static void parameters(struct gen *g)
{
    struct operand a, b;
    gen_line(g, "  .reg .b64 %%xd<4>;  .reg .b32 %%xa<5>;  .reg .f32 %%xf;");
    gen_line(g, "  mov.b64 %%xd0, args;  ld.param.u32 %%xa0, [%%xd0+%u];", 16 + 4 * gen_below(g, 2));
    gen_line(g,
             "  ld.param.s32 %%xd1, [par+%u];  ld.param.s8 %%xa4, [par+%u];  xor.b64 %s, %%xd1, 5;  add.u32 "
             "%s, %%xa4, 1;",
             4 * gen_below(g, 16), gen_below(g, 64), result(g, PX_T_B64, &a), result(g, PX_T_U32, &b));
    gen_line(g,
             "  ld.param.v2.u32 {%%xa1, %%xa2}, [par+%u];  ld.param.v4.u32 {_, %%xa3, %%xa4, _}, [par+%u];",
             8 * gen_below(g, 8), 16 * gen_below(g, 4));
    gen_line(g, "  ld.param.v2.b64 {%%xd1, %%xd2}, [par+%u];  ld.param.f32 %%xf, [args+16];",
             16 * gen_below(g, 4));
    if (gen_chance(g, 50)) { /* at a place that each lane computes */
        gen_line(
            g,
            "  and.b32 %%xa1, %s, 28;  cvt.u64.u32 %%xd3, %%xa1;  mov.b64 %%xd1, par;  add.s64 %%xd3, %%xd1, "
            "%%xd3;  ld.param.b32 %%xa1, [%%xd3];",
            any(g, PX_T_B32, &a));
    }
    if (gen_chance(g, 40))
        gen_line(g, "  cvta.param.u64 %%xd3, %%xd0;  ld.b32 %%xa0, [%%xd3+%u];  ld.u8 %%xa2, [%%xd3+%u];",
                 32 + 4 * gen_below(g, 4), 32 + gen_below(g, 8));
    gen_line(
        g,
        "  xor.b32 %%xa0, %%xa0, %%xa1;  add.u32 %%xa3, %%xa3, %%xa4;  mad.lo.u32 %s, %%xa0, %%xa2, %%xa3;",
        result(g, PX_T_U32, &a));
    gen_line(g, "  xor.b64 %s, %%xd1, %%xd2;  mov.b32 %s, %%xf;", result(g, PX_T_B64, &a),
             result(g, PX_T_B32, &b));
}

/* A loop that tries until nobody came between: on a thread's own word, so as often for all. */
static void compare_and_swap(struct gen *g)
{
    const bool shared = gen_chance(g, 50), wide = gen_chance(g, 30);
    const unsigned l = g->labels++, bits = wide ? 64 : 32;
    struct operand a;
    char place[32];
    snprintf(place, sizeof place, shared ? "%%shs+%u" : "%%slot+%u", 8 * gen_below(g, 8));
    const char *space = shared ? "shared" : "global";
    gen_line(g, "  .reg .b%u %%xa<4>;  .reg .pred %%xp;", bits);
    gen_line(g, "  ld.%s.b%u %%xa0, [%s];\nL%u:", space, bits, place, l);
    gen_line(g, "  mov.b%u %%xa1, %%xa0;  add.s%u %%xa2, %%xa1, %s;", bits, bits,
             wide ? any(g, PX_T_U64, &a) : any(g, PX_T_U32, &a));
    gen_line(g, "  atom%s.%s.cas.b%u %%xa0, [%s], %%xa1, %%xa2;", gen_chance(g, 30) ? ".acq_rel.gpu" : "",
             space, bits, place);
    gen_line(g, "  setp.ne.s%u %%xp, %%xa0, %%xa1;  @%%xp bra L%u;", bits, l);
    gen_line(g, "  mov.b%u %s, %%xa2;", bits, wide ? result(g, PX_T_B64, &a) : result(g, PX_T_B32, &a));
}

/* ---- one of them ---- */

bool gen_idiom(struct gen *g)
{
    static void (*const all[])(struct gen *) = {
        chosen,           conditions,       masked,           one_of_two, switched,   halves,
        windows,          small_numbers,    unwritten,        pointers,   parameters, local_array,
        compare_and_swap, offset_and_bases, offset_and_bases, terms,      vectors};
    if (g->inside) return false;
    struct node *before = gen_open(g, false);
    gen_line(g, "{");
    all[gen_below(g, sizeof all / sizeof *all)](g);
    gen_line(g, "}");
    gen_close(g, before);
    return true;
}
