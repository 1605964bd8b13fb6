/*
 * gen_machine.c - what a kernel says to the machine beside computing: stack memory, cache policies and hints,
 * clocks, sleep, registers of a warpgroup, dependent grids; and conversions of numbers that are the same for
 * all threads.
 *
 * What these give (clocks, policies, addresses of the stack) differs between machines, so no result shows it.
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

/* ---- the stack ---- */

/* Room of a size that each lane computes, behind other room, given back or not: as C's arrays of variable
 * length and alloca. */
static void stack(struct gen *g)
{
    struct operand a, b;
    const unsigned align = 8u << gen_below(g, 4);
    const bool narrow = gen_chance(g, 25);
    const char *guard = gen_chance(g, 25) ? gen_guard(g) : "";
    gen_line(g, "  .reg .b64 %%xs, %%xn, %%xd<5>;  .reg .b32 %%xa<4>;  stacksave.u64 %%xs;");
    gen_line(g, "  and.b32 %%xa0, %s, 124;  add.u32 %%xa0, %%xa0, 8;  cvt.u64.u32 %%xn, %%xa0;",
             any(g, PX_T_B32, &a));
    if (gen_chance(g, 40))
        gen_line(g, "  alloca.u64 %%xd0, %u;  st.local.b32 [%%xd0], %s;", 4 + gen_below(g, 60),
                 any(g, PX_T_B32, &a));
    if (narrow)
        gen_line(g, "  alloca.u32 %%xa3, %%xa0;  cvt.u64.u32 %%xd1, %%xa3;");
    else
        gen_line(g, gen_chance(g, 50) ? "  alloca.u64 %%xd1, %%xn, %u;" : "  alloca.u64 %%xd1, %%xn;", align);
    gen_line(g, "  mov.b32 %%xa1, %s;  mov.b32 %%xa2, %s;  st.local.v2.b32 [%%xd1], {%%xa1, %%xa2};",
             any(g, PX_T_B32, &a), any(g, PX_T_B32, &b));
    gen_line(g, "  cvta.local.u64 %%xd2, %%xd1;  ld.b32 %%xa1, [%%xd2+4];");
    gen_line(g, "  %sst.b32 [%%xd2], %%xa1;  sub.u64 %%xd3, %%xn, 4;  add.u64 %%xd4, %%xd1, %%xd3;", guard);
    gen_line(g, "  st.local.b32 [%%xd4], %s;  ld.local.b32 %%xa2, [%%xd1];", any(g, PX_T_B32, &a));
    if (gen_chance(g, 80) || g->inside || g->scope->loops) gen_line(g, "  stackrestore.u64 %%xs;");
    gen_line(g, "  add.u32 %s, %%xa1, %%xa2;", result(g, PX_T_U32, &a));
}

/* ---- caches ---- */

static void policy(struct gen *g)
{
    static const char *const first[] = {"evict_last", "evict_normal", "evict_first", "evict_unchanged"};
    const unsigned k = gen_below(g, 4);
    struct operand a;
    gen_line(g, "  .reg .b64 %%xp;  .reg .b32 %%xa;");
    switch (k) {
    case 0:
        gen_line(g, "  createpolicy.fractional.L2::%s.b64 %%xp, 0.%u;", first[gen_below(g, 4)],
                 1 + gen_below(g, 9));
        break;
    case 1:
        gen_line(g, "  createpolicy.fractional.L2::%s.L2::evict_unchanged.b64 %%xp;", first[gen_below(g, 3)]);
        break;
    case 2:
        gen_line(g, "  createpolicy.range.global.L2::%s.L2::evict_first.b64 %%xp, [%%slot], %s, %u;",
                 first[gen_below(g, 2)], gen_chance(g, 50) ? "4096" : any(g, PX_T_U32, &a), 0x10000);
        break;
    default: gen_line(g, "  createpolicy.cvt.L2.b64 %%xp, %s;", any(g, PX_T_B64, &a)); break;
    }
    const unsigned at = 4 * gen_below(g, SLOT_SCRATCH / 4);
    const char *guard = gen_guard(g);
    gen_line(g, "  %sld.global.L2::cache_hint.b32 %%xa, [%%slot+%u], %%xp;", guard, at);
    gen_line(g, "  %sst.global.L2::cache_hint.b32 [%%slot+%u], %s, %%xp;", gen_guard(g), at,
             any(g, PX_T_B32, &a));
    if (gen_feature(g, RANDOM_ATOMICS) && gen_chance(g, 50))
        gen_line(g, "  red.global.add.L2::cache_hint.u32 [%%slot+%u], %s, %%xp;", at, any(g, PX_T_U32, &a));
    gen_line(g, "  @%s mov.b32 %s, %%xa;", gen_predicate(g, false).text, result(g, PX_T_B32, &a));
}

static void hints(struct gen *g)
{
    static const char *const all[] = {"prefetch.global.L1 [%slot]",
                                      "prefetch.L2 [%slot+64]",
                                      "prefetch.global.L2::evict_last [%slot]",
                                      "prefetchu.L1 [%slot]",
                                      "prefetch.local.L1 [loc]",
                                      "applypriority.global.L2::evict_normal [%xd], 128",
                                      "pmevent 3",
                                      "pmevent.mask 5"};
    gen_line(g, "  .reg .b64 %%xd;  and.b64 %%xd, %%slot, -128;");
    for (unsigned n = 1 + gen_below(g, 3); n--;)
        gen_line(g, "  %s%s;", gen_guard(g), all[gen_below(g, g->inside ? 4 : 8)]);
}

/* ---- time ---- */

/* Clocks only go forward. */
static void clocks(struct gen *g)
{
    static const char *const parts[] = {"%clock", "%clock_hi", "%globaltimer_lo", "%globaltimer_hi"};
    const char *clock = gen_chance(g, 50) ? "%clock64" : "%globaltimer";
    struct operand a, b;
    gen_line(g, "  .reg .b64 %%xd<2>;  .reg .b32 %%xa<2>;  .reg .pred %%xp;  mov.u64 %%xd0, %s;", clock);
    if (gen_chance(g, 50)) gen_line(g, "  nanosleep.u32 %u;", gen_below(g, 20));
    gen_line(g, "  mov.u32 %%xa0, %s;  and.b32 %%xa0, %%xa0, 0;  mov.u64 %%xd1, %s;", parts[gen_below(g, 4)],
             clock);
    gen_line(g, "  setp.ge.u64 %%xp, %%xd1, %%xd0;  selp.b32 %%xa1, %s, 9, %%xp;  add.u32 %s, %%xa1, %%xa0;",
             any(g, PX_T_B32, &a), result(g, PX_T_U32, &b));
}

/* What a kernel says to the one behind it, and to the one in front of it. */
static void dependents(struct gen *g)
{
    gen_line(g, "  griddepcontrol.%s;", gen_chance(g, 50) ? "launch_dependents" : "wait");
}

/* All warps of the warpgroups come here. */
static void registers(struct gen *g)
{
    gen_line(g, "  setmaxnreg.%s.sync.aligned.u32 %u;", gen_chance(g, 50) ? "inc" : "dec",
             24 + 8 * gen_below(g, 20));
}

/* ---- numbers that are the same for all, converted ---- */

static const struct kind {
    const char *name, *bits;
    enum px_type type;
    bool floats;
    unsigned size;
} kinds[] = {{"u8", "b16", PX_T_U16, false, 1},  {"s8", "b16", PX_T_U16, false, 1},
             {"u16", "b16", PX_T_U16, false, 2}, {"s16", "b16", PX_T_U16, false, 2},
             {"u32", "b32", PX_T_U32, false, 4}, {"s32", "b32", PX_T_U32, false, 4},
             {"u64", "b64", PX_T_U64, false, 8}, {"s64", "b64", PX_T_U64, false, 8},
             {"f16", "b16", PX_T_U16, true, 2},  {"bf16", "b16", PX_T_U16, true, 2},
             {"f32", "f32", PX_T_F32, true, 4},  {"f64", "f64", PX_T_F64, true, 8}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The words between cvt and the types: how it rounds where it must. */
static const char *rounding(const struct kind *to, const struct kind *from)
{
    if (!from->floats) return to->floats ? ".rn" : "";
    if (!to->floats) return ".rzi";
    return to->size < from->size || (to->size == 2 && to != from) ? ".rn" : "";
}

static bool converts(const struct kind *to, const struct kind *from)
{
    if (to == from || to->size == 1) return false;
    return !to->floats || !from->floats || to->size != 2 || from->size != 2;
}

/* A chain of conversions, of a parameter or of a lane's own number; each step is read by the next. */
static void conversions(struct gen *g)
{
    const struct kind *from = &kinds[4 + gen_below(g, 4)];
    struct operand a;
    const bool same = gen_chance(g, 60);
    gen_line(g, "  .reg .b16 %%xh<8>;  .reg .b32 %%xw<8>;  .reg .b64 %%xd<8>;  .reg .f32 %%xf<8>;  .reg .f64 "
                "%%xg<8>;");
    const char *names[] = {"", "%xh", "%xw", "", "%xd"};
    char last[12], next[12];
    snprintf(last, sizeof last, "%s0", names[from->size / 2]);
    if (same)
        gen_line(g, "  ld.param.%s %s, [args+%u];", from->bits, last, from->size == 8 ? 32 : 16);
    else
        gen_line(g, "  mov.%s %s, %s;", from->bits, last, any(g, from->size == 8 ? PX_T_B64 : PX_T_B32, &a));
    for (unsigned i = 1; i < 8; i++) {
        const struct kind *to = &kinds[gen_below(g, KINDS)];
        if (!converts(to, from)) continue;
        snprintf(next, sizeof next, "%s%u",
                 to->type == PX_T_F32   ? "%xf"
                 : to->type == PX_T_F64 ? "%xg"
                                        : names[to->size / 2],
                 i);
        gen_line(g, "  cvt%s.%s.%s %s, %s;", rounding(to, from), to->name, from->name, next, last);
        from = to;
        memcpy(last, next, sizeof last);
    }
    gen_line(g, "  mov.%s %s, %s;", from->bits,
             result(g,
                    from->type == PX_T_U16   ? PX_T_B16
                    : from->type == PX_T_U32 ? PX_T_B32
                    : from->type == PX_T_U64 ? PX_T_B64
                                             : from->type,
                    &a),
             last);
}

/* ---- one of them ---- */

void gen_machine(struct gen *g)
{
    struct node *before = gen_open(g, false);
    const bool group =
        g->scope->uniform && g->scope->full && g->cta_threads % 128 == 0 && !g->ended && !g->inside;
    gen_line(g, "{");
    switch (gen_below(g, 10)) {
    case 0:
    case 1: stack(g); break;
    case 2: policy(g); break;
    case 3: hints(g); break;
    case 4: clocks(g); break;
    case 5: dependents(g); break;
    case 6: group ? registers(g) : stack(g); break;
    default: g->inside || g->exact ? hints(g) : conversions(g); break;
    }
    gen_line(g, "}");
    gen_close(g, before);
}
