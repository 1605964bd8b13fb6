/*
 * gen_warp.c - operations of a warp, barriers of the CTA, and exchange of values under their protection.
 *
 * A lane never reads from one that does not take part: with all 32 lanes there every mode of shfl is fine;
 * otherwise the source is a lane picked out of the mask.
 */
#include "random/gen.h"
#include <stdio.h>

enum { MEETING = SHARED_SLOT - 16 /* the last piece of a thread's shared memory, as in gen_async.c */ };

/* ---- warps ---- */

/* A lane of the mask in %z0: the lowest, the highest, or the next one upwards, itself when there is none. */
static void some_lane(struct gen *g, const char *mask)
{
    switch (gen_below(g, 3)) {
    case 0: gen_line(g, "  brev.b32 %%z0, %s;  clz.b32 %%z0, %%z0;", mask); break;
    case 1: gen_line(g, "  bfind.u32 %%z0, %s;", mask); break;
    default:
        gen_line(g, "  fns.b32 %%z0, %s, %%lane, 2;  setp.gt.u32 %%zp1, %%z0, 31;", mask);
        gen_line(g, "  selp.b32 %%z0, %%lane, %%z0, %%zp1;");
        break;
    }
}

static void shuffle(struct gen *g, const char *mask, const char *guard)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"}, *const segments[] = {"0x1f",   "0x181f",
                                                                                           "0x1c03", "0x0",
                                                                                           "0x1e1f", "31"};
    struct operand from = gen_source(g, PX_T_B32), to = gen_register(g, PX_T_B32, 0, true),
                   p = gen_predicate(g, true);
    bool pair = gen_chance(g, 40);
    if (g->scope->full && !*guard) {
        struct operand by = gen_source(g, PX_T_B32);
        if (gen_chance(g, 60)) snprintf(by.text, sizeof by.text, "%u", gen_below(g, 33));
        gen_line(g, "  shfl.sync.%s.b32 %s%s%s, %s, %s, %s, %s;", modes[gen_below(g, 4)], to.text,
                 pair ? "|" : "", pair ? p.text : "", from.text, by.text,
                 gen_chance(g, 70) ? segments[gen_below(g, 6)] : gen_source(g, PX_T_B32).text,
                 gen_chance(g, 50) ? "0xffffffff" : mask);
        return;
    }
    some_lane(g, mask);
    gen_line(g, "  %sshfl.sync.idx.b32 %s%s%s, %s, %%z0, 0x1f, %s;", guard, to.text, pair ? "|" : "",
             pair ? p.text : "", from.text, mask);
}

static void vote(struct gen *g, const char *mask, const char *guard)
{
    static const char *const modes[] = {"all", "any", "uni"};
    const char *negated = gen_chance(g, 40) ? "!" : "";
    if (gen_chance(g, 50))
        gen_line(g, "  %svote.sync.ballot.b32 %s, %s%s, %s;", guard, gen_register(g, PX_T_B32, 0, true).text,
                 negated, gen_predicate(g, false).text, mask);
    else
        gen_line(g, "  %svote.sync.%s.pred %s, %s%s, %s;", guard, modes[gen_below(g, 3)],
                 gen_predicate(g, true).text, negated, gen_predicate(g, false).text, mask);
}

/* Few different values, so that some agree. */
static void match(struct gen *g, const char *mask, const char *guard)
{
    bool wide = gen_chance(g, 40), all = gen_chance(g, 40), pair = all && gen_chance(g, 50);
    struct operand to = gen_register(g, PX_T_U32, 0, true);
    gen_line(g, "  and.b32 %%z1, %s, %u;  cvt.u64.u32 %%zd0, %%z1;", gen_register(g, PX_T_B32, 0, false).text,
             gen_below(g, 4));
    gen_line(g, "  %smatch.%s.sync.b%u %s%s%s, %s, %s;", guard, all ? "all" : "any", wide ? 64u : 32u,
             to.text, pair ? "|" : "", pair ? gen_predicate(g, true).text : "", wide ? "%zd0" : "%z1", mask);
}

static void reduce(struct gen *g, const char *mask, const char *guard)
{
    static const char *const ops[] = {"add.u32", "min.u32", "max.u32", "add.s32", "min.s32",
                                      "max.s32", "and.b32", "or.b32",  "xor.b32"};
    gen_line(g, "  %sredux.sync.%s %s, %s, %s;", guard, ops[gen_below(g, 9)],
             gen_register(g, PX_T_U32, 0, true).text, gen_register(g, PX_T_U32, 0, false).text, mask);
}

static void elect(struct gen *g, const char *mask, const char *guard)
{
    const bool number = gen_chance(g, 60);
    const struct operand p = gen_predicate(g, true);
    gen_line(g, "  %select.sync %s|%s, %s;", guard, number ? gen_register(g, PX_T_U32, 0, true).text : "_",
             p.text, mask);
}

/* Through shared memory, between bar.warp.sync. */
static void warp_exchange(struct gen *g, const char *mask)
{
    some_lane(g, mask);
    gen_line(g, "  st.shared.b32 [%%shx], %s;  bar.warp.sync %s;", gen_register(g, PX_T_B32, 0, false).text,
             mask);
    gen_line(g, "  sub.u32 %%z0, %%z0, %%lane;  cvt.s64.s32 %%zd0, %%z0;  shl.b64 %%zd0, %%zd0, 2;  add.u64 "
                "%%zd0, %%zd0, %%shx;");
    gen_line(g, "  ld.shared.b32 %s, [%%zd0];  bar.warp.sync %s;", gen_register(g, PX_T_B32, 0, true).text,
             mask);
}

/* The one bit of activemask that is certain. */
static void active(struct gen *g)
{
    gen_line(g, "  activemask.b32 %%z0;  shr.u32 %%z0, %%z0, %%lane;  and.b32 %s, %%z0, 1;",
             gen_register(g, PX_T_B32, 0, true).text);
}

void gen_warp(struct gen *g)
{
    const char *mask = g->scope->mask, *guard = "";
    if (!mask) return;
    struct node *before = gen_open(g, false);
    unsigned what = gen_below(g, 13);
    if (gen_chance(g, 20) && what != 10 &&
        what != 11) { /* some of the lanes only: those for which the guard holds */
        gen_line(g, "  and.pred %%zp0, %s, %s;", gen_predicate(g, false).text, gen_predicate(g, false).text);
        gen_line(g, "  vote.sync.ballot.b32 %%z4, %%zp0, %s;", mask);
        mask = "%z4";
        guard = "@%zp0 ";
    }
    switch (what) {
    case 0:
    case 1:
    case 2:
    case 3: shuffle(g, mask, guard); break;
    case 4:
    case 5: vote(g, mask, guard); break;
    case 6:
    case 7: match(g, mask, guard); break;
    case 8:
    case 9: reduce(g, mask, guard); break;
    case 12: elect(g, mask, guard); break;
    case 10: warp_exchange(g, mask); break;
    default: active(g); break;
    }
    gen_close(g, before);
}

/* ---- barriers ---- */

/* Threads of the CTA in whole warps, as barriers count. */
static unsigned all_threads(const struct gen *g)
{
    return (g->cta_threads + 31) / 32 * 32;
}

static void sync(struct gen *g)
{
    static const char *const names[] = {"bar.sync", "barrier.sync", "bar.cta.sync",
                                        "barrier.cta.sync.aligned"};
    bool counted = !g->ended && !g->inside && gen_chance(g, 30);
    const char *name = names[gen_below(g, 4)];
    unsigned id = gen_chance(g, 70) ? 0 : gen_below(g, 16);
    if (counted)
        gen_line(g, "  %s %u, %u;", name, id, all_threads(g));
    else
        gen_line(g, "  %s %u;", name, id);
}

static void vote_of_all(struct gen *g)
{
    const char *negated = gen_chance(g, 40) ? "!" : "";
    struct operand p = gen_predicate(g, false);
    if (gen_chance(g, 60)) { /* one thread is of another opinion */
        gen_line(g, "  setp.%s.u32 %%zp0, %%tidl, %u;", *negated ? "eq" : "ne", gen_below(g, g->cta_threads));
        p = (struct operand){"%zp0"};
    }
    switch (gen_below(g, 3)) {
    case 0:
        gen_line(g, "  bar.red.popc.u32 %s, %u, %s%s;", gen_register(g, PX_T_U32, 0, true).text,
                 gen_below(g, 16), negated, p.text);
        break;
    case 1:
        gen_line(g, "  bar.red.and.pred %s, 0, %s%s;", gen_predicate(g, true).text, negated, p.text);
        break;
    default:
        gen_line(g, "  barrier.red.or.pred %s, 1, %s%s;", gen_predicate(g, true).text, negated, p.text);
        break;
    }
}

/* Each thread reads what another one wrote. */
static void exchange(struct gen *g)
{
    gen_line(g, "  st.shared.b32 [%%shx], %s;", gen_register(g, PX_T_B32, 0, false).text);
    sync(g);
    gen_line(g, "  add.u32 %%z0, %%tidl, %u;  rem.u32 %%z0, %%z0, %u;", gen_below(g, g->cta_threads),
             g->cta_threads);
    gen_line(g, "  mov.u64 %%zd1, xch;  mad.wide.u32 %%zd0, %%z0, 4, %%zd1;");
    gen_line(g, "  ld.shared.b32 %s, [%%zd0];", gen_register(g, PX_T_B32, 0, true).text);
    sync(g);
}

/* What all threads reduced so far, before anybody goes on. */
static void read_cells(struct gen *g)
{
    sync(g);
    gen_line(g, "  ld.shared.b32 %s, [%%sc+%u];", gen_register(g, PX_T_B32, 0, true).text,
             8 * gen_below(g, 15));
    sync(g);
}

/* Warp 0 waits for what the others only announce. */
static void arrive(struct gen *g)
{
    unsigned id = 1 + gen_below(g, 15), others = g->cta_threads - 32;
    gen_line(g, "  st.shared.b32 [%%shx], %s;", gen_register(g, PX_T_B32, 0, false).text);
    gen_line(g, "  setp.lt.u32 %%zp0, %%tidl, 32;  mov.u64 %%zd1, xch;");
    gen_line(g, "  rem.u32 %%z0, %%tidl, %u;  mad.wide.u32 %%zd0, %%z0, 4, %%zd1;", others);
    gen_line(g, "  @!%%zp0 bar.arrive %u, %u;", id, all_threads(g));
    gen_line(g, "  @%%zp0 bar.sync %u, %u;", id, all_threads(g));
    gen_line(g, "  @%%zp0 ld.shared.b32 %s, [%%zd0+128];", gen_register(g, PX_T_B32, 0, true).text);
    gen_line(g, "  bar.sync 0;");
}

/* One thread says that its value is there, all others of the block ask until they see it. How often they ask
 * is the schedule's business. */
static void flag(struct gen *g)
{
    static const char *const asks[] = {"ld.acquire.gpu", "ld.volatile", "ld.relaxed.gpu", "ld.acquire.sys"};
    const unsigned l = g->labels++;
    const bool shared = gen_chance(g, 50);
    const char *space = shared ? "shared" : "global", *at = shared ? "%zd4" : "%zd5";
    g->spins = true;
    gen_line(g, "  bar.sync 0;  mov.u64 %%zd4, flag;  mov.u64 %%zd5, flags;  mov.u32 %%z0, %%ctaid.x;  "
                "mov.u32 %%z1, %%ctaid.y;  "
                "add.u32 %%z0, %%z0, %%z1;  mad.wide.u32 %%zd5, %%z0, 4, %%zd5;");
    gen_line(g, "  setp.ne.u32 %%zp0, %%tidl, %u;  mov.u64 %%zd1, xch;  @%%zp0 bra A%u;",
             gen_below(g, g->cta_threads), l);
    gen_line(g, "  st.volatile.shared.b32 [%%zd1], %s;  st.release.gpu.%s.b32 [%s], 1;  bra B%u;",
             gen_register(g, PX_T_B32, 0, false).text, space, at, l);
    gen_line(g, "A%u:  %s.%s.u32 %%z1, [%s];  setp.eq.u32 %%zp1, %%z1, 0;", l, asks[gen_below(g, 4)], space,
             at);
    if (gen_chance(g, 30)) gen_line(g, "  @%%zp1 nanosleep.u32 40;");
    gen_line(g, "  @%%zp1 bra A%u;  fence.acq_rel.gpu;\nB%u:  ld.volatile.shared.b32 %s, [%%zd1];", l, l,
             gen_register(g, PX_T_B32, 0, true).text);
    gen_line(g, "  bar.sync 0;  st.volatile.%s.b32 [%s], 0;  bar.sync 0;", space, at);
}

/* All threads meet at one mbarrier, some of those that run together later than others, and read what another
 * one wrote before. */
static void meet(struct gen *g)
{
    const unsigned l = g->labels++, at = MEETING;
    const bool parity = gen_chance(g, 50);
    const char *of = parity ? ".parity" : "", *phase = parity ? "0" : "%zd5";
    const char *hint = gen_chance(g, 30) ? ", 1000" : "";
    g->spins = true;
    gen_line(g, "  mov.u64 %%zd4, own;  setp.eq.u32 %%zp0, %%tidl, 0;");
    gen_line(g, "  @%%zp0 mbarrier.init.shared.b64 [%%zd4+%u], %u;  bar.sync 0;", at, g->cta_threads);
    gen_line(g, "  st.shared.b32 [%%shx], %s;  setp.lt.u32 %%zp1, %%tidl, %u;  @%%zp1 bra A%u;",
             gen_register(g, PX_T_B32, 0, false).text, gen_below(g, g->cta_threads), l);
    gen_line(g, "  mbarrier.arrive.shared.b64 %%zd5, [%%zd4+%u];", at);
    gen_line(g, "C%u:  mbarrier.try_wait%s.shared.b64 %%zp2, [%%zd4+%u], %s%s;  @!%%zp2 bra C%u;  bra B%u;",
             l, of, at, phase, hint, l, l);
    gen_line(g, "A%u:  mbarrier.arrive.shared.b64 %%zd5, [%%zd4+%u];", l, at);
    gen_line(g, "D%u:  mbarrier.%s_wait%s.shared.b64 %%zp2, [%%zd4+%u], %s;  @!%%zp2 bra D%u;", l,
             gen_chance(g, 70) ? "try" : "test", of, at, phase, l);
    gen_line(g, "B%u:  add.u32 %%z0, %%tidl, %u;  rem.u32 %%z0, %%z0, %u;", l, gen_below(g, g->cta_threads),
             g->cta_threads);
    gen_line(g, "  mov.u64 %%zd1, xch;  mad.wide.u32 %%zd0, %%z0, 4, %%zd1;  ld.shared.b32 %s, [%%zd0];",
             gen_register(g, PX_T_B32, 0, true).text);
    gen_line(g, "  bar.sync 0;  @%%zp0 mbarrier.inval.shared.b64 [%%zd4+%u];", at);
    gen_line(g, "  @%%zp0 st.shared.b64 [%%zd4+%u], 0;  bar.sync 0;", at);
}

void gen_barrier(struct gen *g)
{
    if (!g->scope->uniform) return;
    struct node *before = gen_open(g, false);
    if (!g->inside && !g->ended && gen_chance(g, 14)) {
        gen_chance(g, 50) ? flag(g) : meet(g);
        gen_close(g, before);
        return;
    }
    switch (gen_below(g, 6)) {
    case 0: sync(g); break;
    case 1: vote_of_all(g); break;
    case 2: gen_feature(g, RANDOM_ATOMICS) ? read_cells(g) : sync(g); break;
    case 3: g->cta_threads > 64 && !g->ended && !g->inside ? arrive(g) : exchange(g); break;
    default: exchange(g); break;
    }
    gen_close(g, before);
}

/* ---- locks: threads that wait for one another by themselves; every lane must get its turn ---- */

void gen_lock(struct gen *g)
{
    struct node *before = gen_open(g, false);
    unsigned l = g->labels++;
    const char *space = gen_chance(g, 50) ? "shared" : "global", *at = *space == 's' ? "%sc" : "%cells";
    gen_line(g, "  mov.u32 %%z5, 0;");
    gen_line(g, "L%u:", l);
    gen_line(g, "  atom.acquire.gpu.%s.cas.b32 %%z0, [%s+128], 0, 1;  setp.ne.u32 %%zp2, %%z0, 0;", space,
             at);
    gen_line(g, "  @%%zp2 bra E%u;", l);
    gen_line(
        g,
        "  ld.volatile.%s.u32 %%z1, [%s+132];  add.u32 %%z1, %%z1, %%px;  st.volatile.%s.u32 [%s+132], %%z1;",
        space, at, space, at);
    gen_line(g, "  mov.u32 %%z5, 1;  fence.acq_rel.gpu;  st.release.gpu.%s.b32 [%s+128], 0;", space, at);
    gen_line(g, "E%u:", l);
    gen_line(g, "  setp.eq.u32 %%zp2, %%z5, 0;  @%%zp2 bra L%u;", l);
    gen_close(g, before);
}
