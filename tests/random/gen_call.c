/*
 * gen_call.c - functions, with their parameters in the .param space or in registers, and calls: direct,
 * through a pointer that differs between lanes, guarded, recursive.
 *
 * Every function takes (depth, mask, slot, tid, x, y, z) and gives 32 bits: what it needs to find its
 * thread's memory, a bound for recursion, the lanes that call together, and three values.
 */
#include "random/gen.h"
#include <stdio.h>

static const char prototype[] = "(.param .b32 _) _ (.param .b32 _, .param .b32 _, .param .b64 _, .param .b32 "
                                "_, .param .b32 _, .param .b64 _, "
                                ".param .align 16 .b8 _[16])";

/* A chain of functions that call each other twice, each recursive, runs thousands of bodies a thread. */
enum { BODIES_MOST = 20000, TURNS = 4, DEPTH = 3 };

/* May what is being written run so many more? */
static bool affords(struct gen *g, unsigned bodies)
{
    const unsigned threads = g->ctas * g->cta_threads, most = BODIES_MOST / threads + 6;
    for (unsigned i = g->scope->loops; i--;) bodies *= TURNS;
    if (g->bodies + bodies > (g->inside ? most / 2 : most)) return false;
    g->bodies += bodies;
    return true;
}

/* ---- definitions ---- */

static void header(struct gen *g, const struct function *f)
{
    if (f->registers) {
        gen_line(g,
                 ".func (.reg .b32 %%result) %s(.reg .b32 %%depth, .reg .b32 %%pm, .reg .b64 %%slot, .reg "
                 ".b32 %%tidl, .reg .b32 %%px, "
                 ".reg .b64 %%py, .reg .f32 %%pz)\n{",
                 f->name);
        return;
    }
    gen_line(g,
             ".func (.param .b32 result) %s(.param .b32 depth, .param .b32 mask, .param .b64 pslot, .param "
             ".b32 tid, .param .b32 x, "
             ".param .b64 y, .param .align 16 .b8 z[16])\n{",
             f->name);
    gen_line(g, "  .reg .b32 %%depth, %%tidl, %%px, %%result;  .reg .b64 %%slot, %%py;  .reg .f32 %%pz;");
}

static void prologue(struct gen *g, const struct function *f)
{
    gen_pools(g);
    gen_declare_registers(g);
    gen_alone(g, "  .local .align 16 .b8 loc[%u];", LOCAL_BYTES);
    if (!f->registers) {
        gen_alone(g, "  ld.param.b32 %%depth, [depth];  ld.param.b32 %%m0, [mask];  ld.param.b64 %%slot, "
                     "[pslot];  ld.param.b32 %%tidl, [tid];");
        gen_alone(g, "  ld.param.b32 %%px, [x];  ld.param.b64 %%py, [y];  ld.param.f32 %%pz, [z+4];");
    }
    if (f->registers) gen_alone(g, "  mov.b32 %%m0, %%pm;");
    gen_addresses(g);
    gen_load_registers(g, "%slot");
    gen_alone(g, "  mov.b32 %%a0, %%px;  mov.b64 %%w0, %%py;  mov.f32 %%f0, %%pz;");
    for (unsigned i = 0; i < LOCAL_BYTES / 8; i++)
        gen_alone(g, "  st.local.b64 [loc+%u], %%w%u;", 8 * i, i % g->pool[4]);
}

static void epilogue(struct gen *g, const struct function *f)
{
    gen_line(
        g, "  add.u32 %%a0, %%a0, %%a1;  st.global.b32 [%%slot+%u], %%a2;  st.global.b64 [%%slot+%u], %%w1;",
        4 * gen_below(g, 16), 64 + 8 * gen_below(g, 16));
    gen_line(g, f->registers ? "  mov.b32 %%result, %%a0;" : "  st.param.b32 [result], %%a0;");
    gen_line(g, "  ret;\n}");
}

static void call_direct(struct gen *g, const struct function *f, const char *depth, const char *mask,
                        const char *guard);

/* A call of the function itself, as long as `depth` lasts. */
static void recurse(struct gen *g, const struct function *f)
{
    struct node *before = gen_open(g, false);
    unsigned l = g->labels++;
    gen_line(g, "  setp.ne.u32 %%zp2, %%depth, 0;");
    if (f->warp) gen_line(g, "  vote.sync.ballot.b32 %%m1, %%zp2, %s;", g->scope->mask);
    gen_line(g, "  sub.u32 %%depth, %%depth, 1;");
    gen_line(g, "  @!%%zp2 bra L%u;", l);
    call_direct(g, f, "%depth", f->warp ? "%m1" : "0", "");
    gen_line(g, "L%u:", l);
    gen_close(g, before);
}

static void define(struct gen *g, struct function *f)
{
    struct node *before = gen_open(g, false);
    struct scope scope = {.mask = f->warp ? "%m0" : NULL, .uniform = f->uniform, .full = f->full};
    g->inside = f;
    g->bodies = 0;
    g->masks = 2;
    header(g, f);
    prologue(g, f);
    gen_body(g, &scope, 2 + gen_below(g, 6));
    g->scope = &scope;
    if (f->recursive) recurse(g, f);
    g->scope = NULL;
    gen_body(g, &scope, 1 + gen_below(g, 4));
    epilogue(g, f);
    f->bodies = (1 + g->bodies) * (f->recursive ? DEPTH : 1);
    g->bodies = 0;
    g->inside = NULL;
    gen_close(g, before);
}

void gen_functions(struct gen *g)
{
    unsigned n = gen_feature(g, RANDOM_CALLS) ? gen_below(g, FUNCTIONS_MAX) : 0;
    for (unsigned i = 0; i < n; i++) {
        struct function *f = &g->functions[i];
        snprintf(f->name, sizeof f->name, "fn%u", i);
        f->registers = gen_chance(g, 40);
        f->warp = gen_feature(g, RANDOM_WARP) && gen_chance(g, 60);
        f->uniform = gen_feature(g, RANDOM_BARRIERS) && gen_chance(g, 20);
        f->recursive = !f->uniform && gen_chance(g, 40);
        f->full = f->warp && !f->recursive && gen_chance(g, 30);
        define(g, f);
        g->nfunctions = i + 1;
    }
}

/* ---- calls ---- */

static void put_params(struct gen *g, const char *depth, const char *mask)
{
    gen_line(g, "  { .param .b32 pr, p0, p1, p3, p4;  .param .b64 p2, p5;  .param .align 16 .b8 p6[16];");
    gen_line(g,
             "    st.param.b32 [p0], %s;  st.param.b32 [p1], %s;  st.param.b64 [p2], %%slot;  st.param.b32 "
             "[p3], %%tidl;",
             depth, mask);
    gen_line(g, "    st.param.b32 [p4], %s;  st.param.b64 [p5], %s;  st.param.v2.f32 [p6], {%s, %s};",
             gen_source(g, PX_T_B32).text, gen_source(g, PX_T_B64).text, gen_source(g, PX_T_F32).text,
             gen_register(g, PX_T_F32, 0, false).text);
}

static void call_direct(struct gen *g, const struct function *f, const char *depth, const char *mask,
                        const char *guard)
{
    struct operand to = gen_register(g, PX_T_B32, 0, true);
    if (f->registers) {
        gen_line(g, "  %scall (%s), %s, (%s, %s, %%slot, %%tidl, %s, %s, %s);", guard, to.text, f->name,
                 depth, mask, gen_source(g, PX_T_B32).text, gen_register(g, PX_T_B64, 0, false).text,
                 gen_register(g, PX_T_F32, 0, false).text);
        return;
    }
    unsigned l = g->labels++;
    if (*guard)
        gen_line(g, "  @%s%s bra L%u;", guard[1] == '!' ? "" : "!", guard + (guard[1] == '!' ? 2 : 1), l);
    put_params(g, depth, mask);
    gen_line(g, "    call (pr), %s, (p0, p1, p2, p3, p4, p5, p6);", f->name);
    gen_line(g, "    ld.param.b32 %s, [pr];", to.text);
    gen_line(g, "  }");
    if (*guard) gen_line(g, "L%u:", l);
}

/* The mask for callees whose lanes are those of %zp3, in %z3; "0" for those that need none. */
static const char *mask_of(struct gen *g, bool needed, bool negated)
{
    if (!needed) return "0";
    gen_line(g, "  vote.sync.ballot.b32 %%z3, %s%%zp3, %s;", negated ? "!" : "", g->scope->mask);
    return "%z3";
}

/* Lanes call one function or the other through a register. */
static void call_indirect(struct gen *g, const struct function *f, const struct function *h)
{
    struct operand to = gen_register(g, PX_T_B32, 0, true);
    bool warp = f->warp || h->warp;
    gen_line(g, "  and.pred %%zp3, %s, %s;", gen_predicate(g, false).text, gen_predicate(g, false).text);
    mask_of(g, warp, false);
    if (warp) gen_line(g, "  @!%%zp3 not.b32 %%z3, %%z3;  @!%%zp3 and.b32 %%z3, %%z3, %s;", g->scope->mask);
    gen_line(g, "  mov.u64 %%zd2, %s;  mov.u64 %%zd3, %s;  selp.b64 %%zd2, %%zd2, %%zd3, %%zp3;", f->name,
             h->name);
    put_params(g, "1", warp ? "%z3" : "0");
    gen_line(g, "    PT%u: .callprototype %s;", g->calls, prototype);
    gen_line(g, "    call (pr), %%zd2, (p0, p1, p2, p3, p4, p5, p6), PT%u;", g->calls++);
    gen_line(g, "    ld.param.b32 %s, [pr];", to.text);
    gen_line(g, "  }");
}

static bool callable(const struct gen *g, const struct function *f)
{
    return (!f->warp || g->scope->mask) && (!f->uniform || g->scope->uniform) &&
           (!f->full || g->scope->full) && g->scope->loops <= (g->inside ? 0u : 1u);
}

void gen_call(struct gen *g)
{
    const struct function *f = &g->functions[gen_below(g, g->nfunctions)],
                          *h = &g->functions[gen_below(g, g->nfunctions)];
    char depth[4];
    if (!g->nfunctions || !callable(g, f) || !affords(g, f->bodies > h->bodies ? f->bodies : h->bodies))
        return;
    struct node *before = gen_open(g, false);
    snprintf(depth, sizeof depth, "%u", gen_below(g, 3));
    if (callable(g, h) && !f->registers && !h->registers && !f->uniform && !h->uniform && !f->full &&
        !h->full && gen_chance(g, 60))
        call_indirect(g, f, h);
    else if (!f->uniform && !f->full && gen_chance(g, 30)) {
        gen_line(g, "  and.pred %%zp3, %s, %s;", gen_predicate(g, false).text, gen_predicate(g, false).text);
        bool negated = gen_chance(g, 50);
        const char *mask = mask_of(g, f->warp, negated);
        call_direct(g, f, depth, mask, negated ? "@!%zp3 " : "@%zp3 ");
    } else
        call_direct(g, f, depth, f->warp ? g->scope->mask : "0", "");
    gen_close(g, before);
}
