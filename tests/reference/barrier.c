/*
 * barrier.c - bar and barrier: sync, arrive, red (PTX ISA 9.7.13.1).
 *
 * Barriers match by number. A warp has arrived when all its lanes that have not
 * exited have come; the barrier is complete when as many threads as its count
 * says have arrived, 32 a warp, or without a count when every warp that still
 * lives has. A lane that only arrives waits no longer than for its own warp.
 */
#include "machine.h"
#include "gen/isa_ops.h"

enum what { SYNC, ARRIVE, POPC, AND, OR };

static bool waits_at(const struct ref_thread *t, uint32_t number)
{
    return t->state == REF_BARRIER && t->number == number;
}

/* ---- a complete barrier ---- */

/* Predicates of the lanes that came with one: how many hold, and how many there are. */
static void count(const struct ref_cta *cta, uint32_t number, uint32_t *yes, uint32_t *all)
{
    *yes = *all = 0;
    for (uint32_t i = 0; i < cta->nthreads; i++) {
        const struct ref_thread *t = &cta->threads[i];
        if (!waits_at(t, number) || t->at->what < POPC || !(cta->barrier[number].arrived >> i / REF_WARP & 1))
            continue;
        *yes += t->a != 0;
        ++*all;
    }
}

static void release(struct ref_cta *cta, uint32_t number)
{
    struct ref_barrier *b = &cta->barrier[number];
    uint32_t yes, all;
    count(cta, number, &yes, &all);
    for (uint32_t i = 0; i < cta->nthreads; i++) {
        struct ref_thread *t = &cta->threads[i];
        if (!waits_at(t, number) || !(b->arrived >> i / REF_WARP & 1)) continue;
        if (t->at->what == POPC) ref_put(t, &t->at->o[0], yes);
        if (t->at->what == AND) ref_put(t, &t->at->o[0], yes == all);
        if (t->at->what == OR) ref_put(t, &t->at->o[0], yes != 0);
        ref_make_ready(t);
    }
    *b = (struct ref_barrier){0};
}

static bool complete(const struct ref_cta *cta, const struct ref_barrier *b)
{
    uint32_t arrived = 0;
    if (!b->arrived) return false;
    for (uint32_t w = 0; w < cta->nwarps; w++) {
        bool here = b->arrived >> w & 1;
        if (!b->expected && cta->live[w] && !here) return false;
        arrived += here * REF_WARP;
    }
    return arrived >= b->expected;
}

/* ---- arriving ---- */

/* Has the warp arrived now? Then its count is the barrier's, and lanes that only arrive go on. */
static void look_at_warp(struct ref_cta *cta, uint32_t number, uint32_t warp)
{
    struct ref_thread *t = &cta->threads[warp * REF_WARP];
    const uint32_t live = cta->live[warp];
    for (uint32_t i = 0; i < REF_WARP; i++)
        if (live >> i & 1 && !waits_at(&t[i], number)) return;
    if (!live) return;
    cta->barrier[number].arrived |= 1u << warp;
    for (uint32_t i = 0; i < REF_WARP; i++) {
        if (!(live >> i & 1)) continue;
        if (t[i].count) cta->barrier[number].expected = t[i].count;
        if (t[i].at->what == ARRIVE) ref_make_ready(&t[i]);
    }
}

static enum ref_step run_barrier(struct ref_thread *t, const struct ref_inst *in)
{
    struct ref_cta *cta = t->cta;
    bool counted = in->o[2].kind != REF_SINK;
    t->at = in;
    t->number = (uint32_t)ref_get(t, &in->o[1]);
    t->count = counted ? (uint32_t)ref_get(t, &in->o[2]) : 0;
    t->a = (uint64_t)ref_get(t, &in->o[3]);
    if (t->number >= REF_BARRIERS) ref_fail(t->machine, "fault: barrier number %u", t->number);
    if (counted && (!t->count || t->count % REF_WARP))
        ref_fail(t->machine, "fault: barrier count %u", t->count);
    ref_stop(t, REF_BARRIER);
    look_at_warp(cta, t->number, t->index / REF_WARP);
    if (complete(cta, &cta->barrier[t->number])) release(cta, t->number);
    return REF_WAIT;
}

void ref_barrier_exited(struct ref_cta *cta, uint32_t warp)
{
    for (uint32_t number = 0; cta->in_state[REF_BARRIER] && number < REF_BARRIERS; number++) {
        if (!(cta->barrier[number].arrived >> warp & 1)) look_at_warp(cta, number, warp);
        if (complete(cta, &cta->barrier[number])) release(cta, number);
    }
}

/* o[0] result, o[1] number, o[2] count, o[3] predicate. */
bool ref_bind_barrier(const struct ref_context *x, struct ref_inst *in)
{
    const struct px_operand *o = in->inst->opds;
    if (in->op != PX_OP_bar_sync && in->op != PX_OP_bar_arrive && in->op != PX_OP_bar_red) return false;
    bool red = in->op == PX_OP_bar_red, popc = ref_has(in, PX_W_popc);
    in->what = !red                    ? in->op == PX_OP_bar_sync ? SYNC : ARRIVE
               : popc                  ? POPC
               : ref_has(in, PX_W_and) ? AND
                                       : OR;
    in->run = run_barrier;
    in->o[0] = in->o[2] = in->o[3] = (struct ref_operand){.kind = REF_SINK};
    in->o[1] = ref_resolve(x, in->inst, &o[red], PX_T_U32);
    if (in->n > 1 + 2u * red) in->o[2] = ref_resolve(x, in->inst, &o[red + 1], PX_T_U32);
    if (!red) return true;
    in->o[0] = ref_resolve(x, in->inst, &o[0], popc ? PX_T_U32 : PX_T_PRED);
    in->o[3] = ref_resolve(x, in->inst, &o[in->n - 1], PX_T_PRED);
    return true;
}
