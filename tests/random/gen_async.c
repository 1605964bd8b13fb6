/*
 * gen_async.c - asynchronous copies and mbarriers, each of one thread alone.
 *
 * A thread copies from its own slot of the buffer to its own bytes of shared memory, and waits before it does
 * anything else: by groups, or at an mbarrier of its own, at which the copies arrive. Other mbarriers count
 * its own arrivals. What a barrier's word holds is overwritten, since a chip may show an older one; of states
 * it sees the upper half.
 */
#include "gen.h"
#include <stdio.h>

enum { PIECES = SHARED_SLOT / 16, BARRIER = 16 * (PIECES - 1) /* the last piece is the barrier's */ };

/* One copy into piece `to`: whole, in part, or nothing. */
static void copy(struct gen *g, unsigned to)
{
    static const char *const operators[] = {"ca", "ca", "ca", "cg"};
    const unsigned kind = gen_below(g, 4), size = kind == 3 ? 16 : 4u << kind;
    const unsigned from = size * gen_below(g, SLOT_SCRATCH / size);
    const unsigned at = 16 * to + size * gen_below(g, 16 / size);
    char end[64] = "";
    if (gen_chance(g, 25))
        snprintf(end, sizeof end, ", %u", gen_below(g, size + 1));
    else if (gen_chance(g, 20))
        snprintf(end, sizeof end, ", %s", gen_predicate(g, false).text);
    gen_line(g, "  cp.async.%s.shared.global [%%shs+%u], [%%slot+%u], %u%s;", operators[kind], at, from, size,
             end);
}

static void by_groups(struct gen *g)
{
    const unsigned n = 1 + gen_below(g, 3);
    for (unsigned i = 0; i < n; i++) {
        copy(g, i);
        if (gen_chance(g, 60)) gen_line(g, "  cp.async.commit_group;");
    }
    gen_line(g,
             gen_chance(g, 50) ? "  cp.async.wait_all;" : "  cp.async.commit_group;  cp.async.wait_group 0;");
}

static void by_barrier(struct gen *g)
{
    const bool noinc = gen_chance(g, 50);
    gen_line(g, "  { .reg .pred %%done;  .reg .b64 %%state;");
    gen_line(g, "  mbarrier.init.shared.b64 [%%shs+%u], %u;", BARRIER, noinc ? 2 : 1);
    copy(g, gen_below(g, PIECES - 1));
    gen_line(g, "  cp.async.mbarrier.arrive%s.shared.b64 [%%shs+%u];", noinc ? ".noinc" : "", BARRIER);
    gen_line(g, "  mbarrier.arrive.shared.b64 %%state, [%%shs+%u];", BARRIER);
    gen_line(g, "$again: mbarrier.%s.shared.b64 %%done, [%%shs+%u], %s;",
             gen_chance(g, 50) ? "try_wait.parity" : "test_wait.parity", BARRIER, "0");
    gen_line(g, "  @!%%done bra $again;");
    gen_line(g, "  mbarrier.inval.shared.b64 [%%shs+%u];  st.shared.b64 [%%shs+%u], 0; }", BARRIER, BARRIER);
}

/* Arrivals up to the end of a phase and a bit beyond. */
static void counted(struct gen *g)
{
    const unsigned n = 1 + gen_below(g, 4);
    gen_line(g, "  { .reg .pred %%done;  .reg .b64 %%state;  .reg .b32 %%left;");
    gen_line(g, "  mbarrier.init.shared.b64 [%%shs+%u], %u;", BARRIER, n);
    const bool bytes = gen_chance(g, 40); /* that never come: the phase does not end */
    if (bytes) gen_line(g, "  mbarrier.expect_tx.relaxed.cta.shared.b64 [%%shs+%u], %u;", BARRIER, 16);
    for (unsigned i = gen_below(g, bytes ? n + 1 : n + 2); i; i--) {
        gen_line(g, "  mbarrier.arrive.shared.b64 %%state, [%%shs+%u];", BARRIER);
        gen_line(g, "  mbarrier.pending_count.b64 %%left, %%state;  mov.b32 %s, %%left;",
                 gen_register(g, PX_T_B32, 0, true).text);
    }
    gen_line(g, "  mbarrier.test_wait.parity.shared.b64 %%done, [%%shs+%u], %u;", BARRIER, gen_below(g, 2));
    gen_line(g, "  selp.b32 %s, 1, 0, %%done;", gen_register(g, PX_T_B32, 0, true).text);
    gen_line(g, "  mbarrier.inval.shared.b64 [%%shs+%u];  st.shared.b64 [%%shs+%u], 0; }", BARRIER, BARRIER);
}

/* Two stages: what was asked for before is used while the next one is on its way. */
static void pipelined(struct gen *g)
{
    const unsigned n = 2 + gen_below(g, 3), l = g->labels++;
    const bool loop = gen_chance(g, 50);
    gen_line(g, "  { .reg .b32 %%sum, %%x, %%k;  .reg .pred %%more;  mov.u32 %%sum, 0;  mov.u32 %%k, 0;");
    gen_line(g, "  cp.async.ca.shared.global [%%shs], [%%slot+%u], 16;  cp.async.commit_group;",
             16 * gen_below(g, 8));
    if (loop) gen_line(g, "L%u:", l);
    for (unsigned i = 1; i < n; i++) {
        gen_line(g, "  cp.async.%s.shared.global [%%shs+%u], [%%slot+%u], 16;  cp.async.commit_group;",
                 gen_chance(g, 50) ? "ca" : "cg", 16 * (i & 1), 16 * gen_below(g, 8));
        gen_line(g,
                 "  cp.async.wait_group 1;  ld.shared.b32 %%x, [%%shs+%u];  mad.lo.u32 %%sum, %%sum, 3, %%x;",
                 16 * (~i & 1) + 4 * gen_below(g, 4));
    }
    if (loop) /* begins with the stage that the last turn ended with */
        gen_line(
            g,
            "  cp.async.wait_group 0;  add.u32 %%k, %%k, 1;  setp.lt.u32 %%more, %%k, 2;  @%%more bra L%u;",
            l);
    gen_line(g, "  cp.async.wait_all;  mov.b32 %s, %%sum;  }", gen_register(g, PX_T_B32, 0, true).text);
}

/* Bytes that are expected and come by themselves, arrivals that will not come again: in the next phase fewer
 * do. */
static void of_bytes(struct gen *g)
{
    static const char *const forms[] = {"arrive.shared.b64 %%state, [%%shs+%u]",
                                        "arrive_drop.shared.b64 %%state, [%%shs+%u]",
                                        "arrive_drop.expect_tx.shared.b64 %%state, [%%shs+%u], 0"};
    const unsigned n = 2 + gen_below(g, 3), bytes = 16 * (1 + gen_below(g, 4));
    unsigned left = bytes;
    char text[80];
    gen_line(g, "  { .reg .pred %%done;  .reg .b64 %%state;  .reg .b32 %%left;");
    gen_line(g, "  mbarrier.init.shared.b64 [%%shs+%u], %u;", BARRIER, n);
    gen_line(g, "  mbarrier.arrive.expect_tx.shared.b64 %%state, [%%shs+%u], %u;", BARRIER, bytes);
    for (unsigned i = 1; i < n; i++) {
        snprintf(text, sizeof text, "  mbarrier.%s;", forms[gen_below(g, 3)]);
        gen_line(g, text, BARRIER);
    }
    gen_line(g, "  mbarrier.pending_count.b64 %%left, %%state;  mov.b32 %s, %%left;",
             gen_register(g, PX_T_B32, 0, true).text);
    for (; left && !gen_chance(g, 10); left -= 16)
        gen_line(g, "  mbarrier.complete_tx.relaxed.cta.shared.b64 [%%shs+%u], 16;", BARRIER);
    gen_line(g, "  mbarrier.test_wait.parity.shared.b64 %%done, [%%shs+%u], 0;", BARRIER);
    gen_line(g, "  selp.b32 %s, 1, 0, %%done;", gen_register(g, PX_T_B32, 0, true).text);
    if (!left) /* one arrival at least is still expected: the first one did not drop out */
        gen_line(
            g,
            "  mbarrier.arrive.shared.b64 %%state, [%%shs+%u];  mbarrier.pending_count.b64 %%left, %%state;  "
            "mov.b32 %s, %%left;",
            BARRIER, gen_register(g, PX_T_B32, 0, true).text);
    gen_line(g, "  mbarrier.inval.shared.b64 [%%shs+%u];  st.shared.b64 [%%shs+%u], 0; }", BARRIER, BARRIER);
}

void gen_async(struct gen *g)
{
    struct node *before = gen_open(g, false);
    switch (gen_below(g, 6)) {
    case 3:
    case 4: pipelined(g); break;
    case 5: of_bytes(g); break;
    case 0: by_groups(g); break;
    case 1: by_barrier(g); break;
    default: counted(g); break;
    }
    gen_close(g, before);
}
