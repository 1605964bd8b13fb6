/*
 * gen_alike.c - situations that a pass of the engine has to tell from others that look much like them.
 *
 * A register written whole and then in part; a predicate that guards what writes it; a rounding mode in front
 * of a label; local memory named alike by all lanes but not holding the same; addresses that change where
 * lanes part, or in the turn of a loop after the one in which others were made of them, or that come from two
 * rows; one value for a whole vector. Registers are those of the statement's own block, so that each has the
 * definitions that it is about and no others.
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

/* Lives of registers: written, in part written again under a guard, with short lives in between. */
static void blend(struct gen *g)
{
    struct operand a, b, c, d;
    gen_line(g, "  .reg .b32 %%xa, %%xb, %%xc, %%xd;");
    gen_line(g, "  add.u32 %%xa, %s, %s;", any(g, PX_T_U32, &a), any(g, PX_T_U32, &b));
    gen_line(g, "  mul.lo.u32 %%xb, %s, 5;  xor.b32 %%xc, %%xb, %s;", any(g, PX_T_U32, &c),
             any(g, PX_T_B32, &d));
    gen_line(g, "  add.u32 %%xd, %%xc, %%xb;  sub.u32 %%xb, %%xd, 7;");
    gen_line(g, "  @%s%s mov.b32 %%xa, %%xb;", gen_chance(g, 50) ? "!" : "", gen_predicate(g, false).text);
    gen_line(g, "  mul.lo.u32 %%xc, %%xb, %%xd;  @%s add.u32 %%xd, %%xc, %%xa;",
             gen_predicate(g, false).text);
    gen_line(g, "  xor.b32 %s, %%xa, %%xd;", result(g, PX_T_B32, &a));
}

/* A comparison with two results, one of which guards it. */
static void own_guard(struct gen *g)
{
    static const char *const ops[] = {"and", "or", "xor"};
    struct operand a, b, p = gen_predicate(g, true);
    const struct operand q = gen_predicate(g, true), c = gen_predicate(g, false);
    const bool swapped = gen_chance(g, 40);
    if (!strcmp(p.text, q.text)) p = (struct operand){"%zp2"}, gen_line(g, "  not.pred %%zp2, %s;", c.text);
    gen_line(g, "  @%s%s setp.lt.%s.s32 %s|%s, %s, %s, %s;", gen_chance(g, 30) ? "!" : "", p.text,
             ops[gen_below(g, 3)], swapped ? q.text : p.text, swapped ? p.text : q.text, any(g, PX_T_S32, &a),
             any(g, PX_T_S32, &b), c.text);
    gen_line(g, "  @%s add.u32 %s, %s, 1;", p.text, result(g, PX_T_U32, &a), any(g, PX_T_U32, &b));
}

/* The mode of a rounding as the last one of a block that does not end in a branch. */
static void mode_before_label(struct gen *g)
{
    static const char *const modes[] = {"rz", "rm", "rp", "rz.ftz"};
    const unsigned l = g->labels++;
    gen_line(g, "  .reg .f32 %%xf<4>;  .reg .f64 %%xg<3>;  .reg .b32 %%xa;");
    gen_line(g,
             "  and.b32 %%xa, %%tidl, 15;  cvt.rn.f32.u32 %%xf0, %%xa;  add.f32 %%xf0, %%xf0, 0f3f800000;");
    gen_line(g, "  mov.f32 %%xf1, 0f3dcccccd;  mov.f32 %%xf2, %%xf0;");
    gen_line(g, "  @%s bra X%u;", gen_chance(g, 50) ? "%e0" : gen_predicate(g, false).text, l);
    gen_line(g, "  div.%s.f32 %%xf2, %%xf0, 0f40400000;", gen_chance(g, 30) ? "rn" : "rz");
    gen_line(g, "  add.%s.f32 %%xf1, %%xf2, %%xf1;", modes[gen_below(g, 4)]);
    gen_line(g, "X%u:", l);
    gen_line(
        g, "  mul.rn.f32 %%xf3, %%xf1, %%xf2;  fma.rn.f32 %%xf3, %%xf3, %%xf1, %%xf0;  mov.b32 %%xa, %%xf3;");
    struct operand a, b;
    gen_line(g, "  xor.b32 %s, %%xa, %s;", result(g, PX_T_B32, &a), any(g, PX_T_B32, &b));
}

/* What debug builds do: each value is stored, and loaded again where it is needed. */
static void locals(struct gen *g)
{
    struct operand a, b;
    const unsigned at = 8 * gen_below(g, 8), l = g->labels++;
    const bool generic = gen_chance(g, 40), guarded = gen_chance(g, 40), parts = gen_chance(g, 50);
    char base[24], space[8];
    snprintf(space, sizeof space, "%s", generic ? "" : ".local");
    snprintf(base, sizeof base, generic ? "%%xl+%u" : "loc+%u", at);
    gen_line(g, "  .reg .b32 %%xa<6>;  .reg .b64 %%xl, %%xw<3>;  mov.b64 %%xl, %%lcg;");
    gen_line(g, "  st%s.b32 [%s], %s;", space, base, any(g, PX_T_B32, &a));
    gen_line(g, "  %sst%s.b32 [%s], %s;", guarded ? gen_guard(g) : "", space, base, any(g, PX_T_B32, &b));
    gen_line(g, "  ld%s.b32 %%xa0, [%s];", space, base);
    if (parts) gen_line(g, "  @%s bra X%u;", gen_predicate(g, false).text, l);
    gen_line(g, "  add.u32 %%xa1, %%xa0, 3;  st%s.b32 [%s+4], %%xa1;", space, base);
    if (parts) gen_line(g, "X%u:", l);
    gen_line(g, "  ld%s.b32 %%xa2, [%s+4];  ld%s.b32 %%xa3, [%s];", space, base, space, base);
    gen_line(g, "  ld%s.b64 %%xw0, [%s];  st%s.b64 [%s], %%xw0;  ld%s.u8 %%xa4, [%s+1];", space, base, space,
             base, space, base);
    gen_line(g, "  mad.lo.u32 %%xa5, %%xa2, 3, %%xa3;  add.u32 %s, %%xa5, %%xa4;", result(g, PX_T_U32, &a));
    gen_line(g, "  st%s.b32 [%s], %%xa5;", space, base);
}

/*
 * Into `to` an address of the thread's own memory that no index tells, by way of `by`: in its slot, or among
 * the rows of words that lie thread by thread, in the first of them or, for some threads, in the second.
 */
static unsigned somewhere(struct gen *g, const char *to, const char *by)
{
    struct operand a;
    const bool slot = gen_chance(g, 30);
    const unsigned row = 4 * g->cta_threads * g->ctas, mask = slot ? SLOT_SCRATCH / 2 - 4 : 1;
    gen_line(g, "  and.b32 %%xa, %s, %u;", any(g, PX_T_B32, &a), gen_chance(g, 60) ? 0u : mask);
    gen_line(g, "  mul.wide.u32 %s, %%xa, %u;  add.u64 %s, %s, %s;", by, slot ? 1u : row, to, by,
             slot ? "%slot" : "%row4");
    return slot ? 4 : row;
}

static void address_written_again(struct gen *g)
{
    struct operand a;
    gen_line(g, "  .reg .b32 %%xa, %%xb, %%xc;  .reg .b64 %%xp, %%xo<2>;");
    somewhere(g, "%xp", "%xo0");
    gen_line(g, "  ld.global.b32 %%xb, [%%xp];");
    somewhere(g, "%xp", "%xo1");
    gen_line(g, "  ld.global.b32 %%xc, [%%xp];  xor.b32 %s, %%xb, %%xc;", result(g, PX_T_B32, &a));
}

static void address_where_lanes_part(struct gen *g)
{
    struct operand a, b;
    const unsigned l = g->labels++;
    gen_line(g, "  .reg .b32 %%xa, %%xb, %%xc;  .reg .b64 %%xp, %%xo;  .reg .pred %%xs;");
    gen_line(g, "  setp.eq.u32 %%xs, %%tidl, 3;");
    const unsigned step = somewhere(g, "%xp", "%xo");
    gen_line(g, "  ld.global.b32 %%xb, [%%xp];  add.u32 %%xb, %%xb, %s;", any(g, PX_T_U32, &a));
    gen_line(g, "  @%s bra X%u;", gen_predicate(g, false).text, l);
    gen_line(g, "  add.u64 %%xp, %%xp, %u;", step);
    if (gen_chance(g, 50)) gen_line(g, "  @%%xs bra X%u;", l); /* no fork then */
    gen_line(g, "X%u:  ld.global.b32 %%xc, [%%xp];", l);
    gen_line(g, "  xor.b32 %s, %%xb, %%xc;", result(g, PX_T_B32, &b));
}

static void address_of_the_last_turn(struct gen *g)
{
    struct operand a;
    const unsigned l = g->labels++;
    gen_line(g, "  .reg .b32 %%xa, %%xb, %%xc, %%xk;  .reg .b64 %%xp, %%xq, %%xo;  .reg .pred %%xt;");
    gen_line(g, "  mov.u32 %%xk, 0;  mov.u32 %%xb, 1;\nX%u:", l);
    gen_line(
        g,
        "  mad.lo.u32 %%xa, %%xk, 12, %%lane;  and.b32 %%xa, %%xa, %u;  cvt.u64.u32 %%xo, %%xa;  add.u64 "
        "%%xq, %%xo, %%slot;",
        SLOT_SCRATCH / 2 - 4);
    gen_line(g, "  setp.eq.u32 %%xt, %%xk, 0;  @%%xt bra Y%u;", l);
    gen_line(g, "  ld.global.b32 %%xc, [%%xp];  mad.lo.u32 %%xb, %%xb, 3, %%xc;\nY%u:", l);
    gen_line(g, "  add.u64 %%xp, %%xq, %u;  ld.global.b32 %%xc, [%%xp+4];  add.u32 %%xb, %%xb, %%xc;",
             8 * gen_below(g, 4));
    gen_line(g, "  add.u32 %%xk, %%xk, 1;  setp.lt.u32 %%xt, %%xk, %u;  @%%xt bra X%u;", 2 + gen_below(g, 3),
             l);
    gen_line(g, "  mov.b32 %s, %%xb;", result(g, PX_T_B32, &a));
}

static void address_of_two_rows(struct gen *g)
{
    struct operand a;
    const unsigned l = g->labels++;
    gen_line(g, "  .reg .b32 %%xa, %%xb, %%xc;  .reg .b64 %%xp, %%xq, %%xr, %%xo<2>;");
    const unsigned one = somewhere(g, "%xq", "%xo0"), two = somewhere(g, "%xr", "%xo1");
    gen_line(g, "  @%s bra X%u;", gen_chance(g, 70) ? "%e1" : "%e0", l);
    gen_line(g, "  add.u64 %%xp, %%xq, %u;  ld.global.b32 %%xc, [%%xq];  bra.uni Y%u;",
             gen_chance(g, 50) ? one : 0, l);
    gen_line(g, "X%u:  add.u64 %%xp, %%xr, %u;  ld.global.b32 %%xc, [%%xr];", l, two);
    gen_line(g, "Y%u:  ld.global.b32 %%xb, [%%xp];  add.u32 %s, %%xb, %%xc;", l, result(g, PX_T_U32, &a));
}

/* Zero where nobody wrote it: only some blocks do, or none. */
static void address_of_one_way(struct gen *g)
{
    struct operand a, b;
    const unsigned l = g->labels++;
    gen_line(g, "  .reg .b32 %%xa, %%xb, %%xc;  .reg .b64 %%xp, %%xq, %%xo;  .reg .pred %%xs, %%xt;");
    const unsigned step = somewhere(g, "%xq", "%xo");
    gen_line(g, "  ld.global.b32 %%xb, [%%xq];  mov.u32 %%xc, %%ctaid.x;  setp.ge.u32 %%xs, %%xc, %u;",
             gen_below(g, 3));
    gen_line(g, "  @%%xs bra X%u;  add.u64 %%xp, %%xq, %u;", l, gen_chance(g, 50) ? step : 0);
    gen_line(g, "  ld.global.b32 %%xa, [%%xp];  add.u32 %%xb, %%xb, %%xa;\nX%u:", l);
    gen_line(g, "  @%%xs bra Y%u;  ld.global.b32 %%xa, [%%xp];  xor.b32 %%xb, %%xb, %%xa;\nY%u:", l, l);
    gen_line(g, "  setp.eq.u64 %%xt, %%xp, 0;  selp.b32 %s, %%xb, 7, %%xt;  mov.b32 %s, %%xb;",
             result(g, PX_T_B32, &a), result(g, PX_T_B32, &b));
}

/* Kept by some lanes from turn to turn, while values with short lives come and go. */
static void kept_in_loop(struct gen *g)
{
    struct operand a, b;
    const unsigned l = g->labels++;
    gen_line(g, "  .reg .b32 %%xa, %%xb, %%xc, %%xd, %%xe, %%xk;  .reg .pred %%xs, %%xt;");
    gen_line(g, "  and.b32 %%xb, %s, 1;  setp.eq.u32 %%xs, %%xb, 0;", any(g, PX_T_B32, &a));
    gen_line(g, "  add.u32 %%xa, %s, %%tidl;  mov.u32 %%xk, 0;  mov.u32 %%xe, 1;\nX%u:", any(g, PX_T_U32, &b),
             l);
    gen_line(g, "  @%%xs mul.lo.u32 %%xa, %%xe, 3;  xor.b32 %%xe, %%xe, %%xa;");
    gen_line(g, "  mul.lo.u32 %%xb, %%xe, %%tidl;  xor.b32 %%xc, %%xb, %%xe;  mul.hi.u32 %%xd, %%xc, %%xb;");
    gen_line(g, "  mad.lo.u32 %%xe, %%xd, %%xc, %%xb;");
    gen_line(g, "  add.u32 %%xk, %%xk, 1;  setp.lt.u32 %%xt, %%xk, %u;  @%%xt bra X%u;", 2 + gen_below(g, 3),
             l);
    gen_line(g, "  mov.b32 %s, %%xe;", result(g, PX_T_B32, &a));
}

/* A pair of instructions, the second of which reads what the first computes: once, twice, not for the last
 * time, or what somebody else computes who comes by another way. */
static void pair(struct gen *g)
{
    static const char *const firsts[] = {"mul.rn.f32", "mul.rn.f32", "shl.b32", "and.b32", "mul.lo.u32"};
    static const char *const seconds[] = {"add.rn.f32", "mul.rn.f32", "add.u32", "add.u32", "add.u32"};
    const unsigned k = gen_below(g, 5), how = gen_below(g, 3), l = g->labels++;
    const bool f = k < 2, two_ways = gen_chance(g, 35);
    struct operand a, b;
    gen_line(g, "  .reg .f32 %%xf<4>;  .reg .b32 %%xr<4>;");
    gen_line(g, "  cvt.rn.f32.u32 %%xf0, %%tidl;  mov.b32 %%xr0, %s;  mov.b32 %%xr2, %s;",
             any(g, PX_T_B32, &a), any(g, PX_T_B32, &b));
    gen_line(g, "  add.rn.f32 %%xf2, %%xf0, 0f3f000000;");
    const char *t = f ? "%xf1" : "%xr1", *x = f ? "%xf0" : "%xr0", *y = f ? "%xf2" : "%xr2";
    if (two_ways) gen_line(g, "  mov.b32 %s, %s;  @%%e%u bra X%u;", t, y, gen_below(g, 2), l);
    gen_line(g, "  %s %s, %s, %s;", firsts[k], t, x, k < 2 && gen_chance(g, 50) ? y : f ? "0f40400000" : "5");
    if (two_ways) gen_line(g, "X%u:", l);
    gen_line(g, "  %s %s, %s, %s;", seconds[k], f ? "%xf3" : "%xr3", how == 2 ? y : t,
             how == 1   ? t
             : how == 2 ? t
                        : y);
    if (f) gen_line(g, "  mov.b32 %%xr3, %%xf3;");
    gen_line(g, "  mov.b32 %s, %%xr3;", result(g, PX_T_B32, &a));
    if (gen_chance(g, 25)) gen_line(g, "  mov.b32 %s, %s;", result(g, PX_T_B32, &b), f ? "%xf1" : "%xr1");
}

/* One instruction, whose lanes are all in one window of memory at a time, but not always in the same. */
static void address_of_two_spaces(struct gen *g)
{
    struct operand a;
    const unsigned l = g->labels++;
    const bool turned = gen_chance(g, 50);
    gen_line(g, "  .reg .b32 %%xa, %%xb, %%xk;  .reg .b64 %%xp, %%xq;  .reg .pred %%xt;");
    gen_line(g, "  mov.b64 %%xp, %s;  mov.b64 %%xq, %s;  mov.u32 %%xk, 0;  mov.u32 %%xa, 0;\nX%u:",
             turned ? "%shrg" : "%row4", turned ? "%row4" : "%shrg", l);
    gen_line(g, "  ld.b32 %%xb, [%%xp];  mad.lo.u32 %%xa, %%xa, 3, %%xb;");
    if (gen_chance(g, 50)) gen_line(g, "  st.b32 [%%xp], %%xa;");
    gen_line(g, "  mov.b64 %%xp, %%xq;  add.u32 %%xk, %%xk, 1;  setp.lt.u32 %%xt, %%xk, 2;  @%%xt bra X%u;",
             l);
    gen_line(g, "  mov.b32 %s, %%xa;", result(g, PX_T_B32, &a));
}

/* One value for a whole vector, whose elements get parts of it. */
static void cut(struct gen *g)
{
    static const struct {
        const char *type;
        enum px_type bits;
        unsigned n;
    } moves[] = {{"v2.b32", PX_T_B32, 2},
                 {"v4.b32", PX_T_B32, 4},
                 {"v2.b16", PX_T_B16, 2},
                 {"v4.b16", PX_T_B16, 4},
                 {"v2.b64", PX_T_B64, 2}};
    const unsigned k = gen_below(g, 5), bits = moves[k].bits == PX_T_B32   ? 32
                                               : moves[k].bits == PX_T_B16 ? 16
                                                                           : 64;
    const bool whole = gen_chance(g, 40), four = moves[k].n == 4;
    struct operand a, b;
    const char *guard = gen_chance(g, 30) ? gen_guard(g) : "";
    char constant[12];
    snprintf(constant, sizeof constant, "%u", gen_below(g, 9));
    gen_line(g, "  .reg .b%u %%xe<4>;  .reg .v%u .b%u %%xv;", bits, moves[k].n, bits);
    for (unsigned i = 0; i < moves[k].n; i++) gen_line(g, "  mov.b%u %%xe%u, %u;", bits, i, i);
    gen_line(g, four ? "  mov.%s %%xv, {%%xe0, %%xe1, %%xe2, %%xe3};" : "  mov.%s %%xv, {%%xe0, %%xe1};",
             moves[k].type);
    const char *from = gen_chance(g, 25) ? constant : any(g, moves[k].bits, &a);
    gen_line(g, "  %smov.%s %s, %s;", guard, moves[k].type,
             whole  ? "%xv"
             : four ? "{%xe0, %xe1, %xe2, %xe3}"
                    : "{%xe0, %xe1}",
             from);
    if (whole) gen_line(g, "  mov.b%u %%xe0, %%xv.x;  mov.b%u %%xe1, %%xv.y;", bits, bits);
    if (whole && four) gen_line(g, "  mov.b%u %%xe3, %%xv.w;", bits);
    gen_line(g, "  mov.b%u %s, %%xe%u;", bits, result(g, moves[k].bits, &b), gen_below(g, moves[k].n));
}

bool gen_alike(struct gen *g)
{
    if (g->inside) return false;
    struct node *before = gen_open(g, false);
    gen_line(g, "{");
    switch (gen_below(g, 22)) {
    case 20:
    case 21: cut(g); break;
    case 18:
    case 19: address_of_one_way(g); break;
    case 12:
    case 13: kept_in_loop(g); break;
    case 14:
    case 15: pair(g); break;
    case 16:
    case 17: address_of_two_spaces(g); break;
    case 10:
    case 11: address_written_again(g); break;
    case 0: blend(g); break;
    case 1: own_guard(g); break;
    case 2: mode_before_label(g); break;
    case 3:
    case 4:
    case 5: locals(g); break;
    case 6:
    case 7: address_where_lanes_part(g); break;
    case 8: address_of_the_last_turn(g); break;
    default: address_of_two_rows(g); break;
    }
    gen_line(g, "}");
    gen_close(g, before);
    return true;
}
