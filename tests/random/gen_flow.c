/*
 * gen_flow.c - branches, loops, tables of targets, and threads that end or return early.
 *
 * Where lanes of a warp part, the mask of those that go on together is the ballot taken just before; where
 * they part in a way that no ballot describes (a break), the mask is not known and nothing that needs it is
 * made.
 */
#include "random/gen.h"
#include <stdio.h>

enum { DEPTH_MAX = 4 };

static unsigned label(struct gen *g)
{
    return g->labels++;
}

static void block(struct gen *g, struct scope scope, unsigned statements)
{
    struct node *before = gen_open(g, true);
    scope.depth++;
    gen_body(g, &scope, statements);
    gen_close(g, before);
}

static unsigned few(struct gen *g)
{
    return 1 + gen_below(g, 4);
}

/* The scope of the lanes for which `predicate` holds (or not): writes the ballot, where the mask is known. */
static struct scope parted(struct gen *g, const char *predicate, bool negated)
{
    struct scope s = *g->scope;
    s.uniform = s.full = false;
    s.mask = s.mask ? gen_mask_name(g) : NULL;
    if (s.mask)
        gen_line(g, "  vote.sync.ballot.b32 %s, %s%s, %s;", s.mask, negated ? "!" : "", predicate,
                 g->scope->mask);
    return s;
}

/* A predicate that nothing else writes, with the value of a random one: a ballot and a branch must see the
 * same. */
static const char *frozen(struct gen *g)
{
    gen_line(g, "  and.pred %%zp0, %s, %s;", gen_predicate(g, false).text, gen_predicate(g, false).text);
    return "%zp0";
}

static void if_else(struct gen *g)
{
    bool other = gen_chance(g, 50), turn = gen_chance(g, 50);
    unsigned l = label(g);
    const char *p = frozen(g);
    struct scope then = parted(g, p, turn);
    struct scope not_then = other ? parted(g, p, !turn) : then;
    gen_line(g, "  @%s%s bra L%u;", turn ? "" : "!", p, l);
    block(g, then, few(g));
    if (other) {
        gen_line(g, "  bra E%u;", l);
        gen_line(g, "L%u:", l);
        block(g, not_then, few(g));
        gen_line(g, "E%u:", l);
    } else
        gen_line(g, "L%u:", l);
}

static void if_uniform(struct gen *g)
{
    unsigned l = label(g);
    bool other = gen_chance(g, 40), uni = gen_chance(g, 30);
    gen_line(g, "  @%s%%e%u bra%s L%u;", gen_chance(g, 50) ? "!" : "", gen_below(g, 2), uni ? ".uni" : "", l);
    block(g, *g->scope, few(g));
    if (other) {
        gen_line(g, "  bra.uni E%u;", l);
        gen_line(g, "L%u:", l);
        block(g, *g->scope, few(g));
        gen_line(g, "E%u:", l);
    } else
        gen_line(g, "L%u:", l);
}

/* As often for all lanes. */
static void loop_counted(struct gen *g)
{
    unsigned l = label(g), n = g->scope->loops;
    struct scope in = *g->scope;
    in.loops++;
    gen_line(g, "  mov.u32 %%n%u, 0;", n);
    gen_line(g, "L%u:", l);
    block(g, in, few(g));
    gen_line(g, "  add.u32 %%n%u, %%n%u, 1;  setp.lt.u32 %%zp1, %%n%u, %u;", n, n, n, 2 + gen_below(g, 3));
    gen_line(g, "  @%%zp1 bra L%u;", l);
}

/* Inside a loop that lanes leave apart; mask: the name of who is in it, or NULL when nobody knows. */
static struct scope parted_loop(const struct gen *g, const char *mask)
{
    struct scope in = *g->scope;
    in.loops++;
    in.uniform = in.full = false;
    in.mask = mask;
    return in;
}

/* As often as each lane wants; the ballot at its head knows who stays. */
static void loop_divergent(struct gen *g)
{
    unsigned l = label(g), n = g->scope->loops;
    const char *entered = g->scope->mask ? gen_mask_name(g) : NULL;
    struct scope in = parted_loop(g, entered);
    if (entered) gen_line(g, "  mov.b32 %s, %s;", entered, g->scope->mask);
    gen_line(g, "  and.b32 %%n%u, %s, 3;", n, gen_register(g, PX_T_B32, 0, false).text);
    gen_line(g, "L%u:", l);
    gen_line(g, "  setp.ne.u32 %%zp1, %%n%u, 0;", n);
    if (entered) gen_line(g, "  vote.sync.ballot.b32 %s, %%zp1, %s;", entered, entered);
    gen_line(g, "  @!%%zp1 bra E%u;", l);
    block(g, in, few(g));
    gen_line(g, "  sub.u32 %%n%u, %%n%u, 1;", n, n);
    gen_line(g, "  bra L%u;", l);
    gen_line(g, "E%u:", l);
}

/* With a break or a continue in its middle: who is where nobody knows until all are out. */
static void loop_broken(struct gen *g)
{
    unsigned l = label(g), n = g->scope->loops;
    struct scope in = parted_loop(g, NULL);
    gen_line(g, "  mov.u32 %%n%u, %u;", n, 2 + gen_below(g, 3));
    gen_line(g, "L%u:", l);
    block(g, in, few(g));
    gen_line(g, "  @%s bra %c%u;", gen_predicate(g, false).text, gen_chance(g, 60) ? 'E' : 'K', l);
    block(g, in, few(g));
    gen_line(g, "K%u:", l);
    gen_line(g, "  sub.u32 %%n%u, %%n%u, 1;  setp.ne.u32 %%zp1, %%n%u, 0;", n, n, n);
    gen_line(g, "  @%%zp1 bra L%u;", l);
    gen_line(g, "E%u:", l);
}

/* Two ways into the same loop: no loop header dominates it. */
static void loop_two_entries(struct gen *g)
{
    unsigned l = label(g), n = g->scope->loops;
    struct scope in = parted_loop(g, NULL);
    gen_line(g, "  mov.u32 %%n%u, 3;", n);
    gen_line(g, "  @%s bra M%u;", gen_predicate(g, false).text, l);
    gen_line(g, "L%u:", l);
    block(g, in, few(g));
    gen_line(g, "M%u:", l);
    block(g, in, few(g));
    gen_line(g, "  sub.u32 %%n%u, %%n%u, 1;  setp.ne.u32 %%zp1, %%n%u, 0;", n, n, n);
    gen_line(g, "  @%%zp1 bra L%u;", l);
}

static void table(struct gen *g)
{
    unsigned l = label(g), n = 2 + gen_below(g, 3);
    struct scope in = *g->scope;
    const char *guard = gen_chance(g, 20) ? "@%p0 " : "";
    in.uniform = in.full = false;
    in.mask = NULL;
    gen_line(g, "  and.b32 %%z0, %s, 3;  min.u32 %%z0, %%z0, %u;", gen_register(g, PX_T_B32, 0, false).text,
             n - 1);
    char targets[96];
    int at = 0;
    for (unsigned k = 0; k < n; k++)
        at += snprintf(targets + at, sizeof targets - (size_t)at, "%sCASE%u_%u", k ? ", " : "", k, l);
    gen_line(g, "T%u: .branchtargets %s;", l, targets);
    gen_line(g, "  %sbrx.idx %%z0, T%u;", guard, l);
    for (unsigned k = 0; k < n; k++) {
        gen_line(g, "CASE%u_%u:", k, l);
        block(g, in, few(g));
        if (gen_chance(g, 75)) gen_line(g, "  bra.uni Z%u;", l);
    }
    gen_line(g, "Z%u:", l);
}

void gen_flow(struct gen *g)
{
    const struct scope *s = g->scope;
    bool loops = s->loops < (g->inside ? 1u : 2u);
    if (s->depth >= DEPTH_MAX) return;
    struct node *before = gen_open(g, true);
    switch (gen_below(g, 10)) {
    case 0:
    case 1: if_uniform(g); break;
    case 2: loops ? loop_counted(g) : if_else(g); break;
    case 3:
    case 4: loops ? loop_divergent(g) : if_else(g); break;
    case 5: loops ? loop_broken(g) : table(g); break;
    case 6: loops &&gen_chance(g, 40) ? loop_two_entries(g) : table(g); break;
    default: if_else(g); break;
    }
    gen_close(g, before);
}

/* Behind a barrier those that have not ended are all that there are, so code for lanes together goes on: what
 * threads that have ended left in a guard must not count. */
static void access_alone(struct gen *g)
{
    gen_line(g, "  bar.sync 0;");
    for (unsigned n = 1 + gen_below(g, 3); n; n--) gen_memory_if(g, gen_chance(g, 50) ? "@%p0 " : "@%p1 ");
}

/* Some threads end, those of a function return. Only where all lanes of the mask are and no loop is around.
 */
void gen_leave(struct gen *g)
{
    struct scope *s = g->scope;
    if (s->depth || !s->mask) return;
    const char *mask = gen_mask_name(g);
    if (!mask) return;
    struct node *before = gen_open(g, false);
    gen_line(g, "  setp.eq.u32 %%zp0, %%lane, %u;", gen_below(g, 32));
    if (gen_chance(g, 40))
        gen_line(g, "  and.pred %%zp0, %s, %s;", gen_predicate(g, false).text, gen_predicate(g, false).text);
    if (!g->inside && g->cta_threads > 64 && gen_chance(g, 40)) /* a whole warp */
        gen_line(g, "  shr.u32 %%z0, %%tidl, 5;  setp.eq.u32 %%zp0, %%z0, %u;", gen_below(g, 3));
    gen_line(g, "  vote.sync.ballot.b32 %s, !%%zp0, %s;", mask, s->mask);
    if (!g->inside) {
        gen_line(g, "  @%%zp0 %s;", gen_chance(g, 50) ? "exit" : "ret");
        g->ended = true;
    } else {
        unsigned l = label(g);
        gen_line(g, "  @!%%zp0 bra L%u;", l);
        gen_line(g, "  %s  ret;",
                 g->inside->registers ? "mov.b32 %result, %a0;" : "st.param.b32 [result], %a0;");
        gen_line(g, "L%u:", l);
        s->uniform = false;
    }
    gen_close(g, before);
    s->mask = mask;
    s->full = false;
    if (!g->inside && s->uniform && gen_feature(g, RANDOM_BARRIERS) && gen_feature(g, RANDOM_MEMORY))
        access_alone(g);
}
