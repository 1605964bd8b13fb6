/*
 * barriers.c - barriers for all threads of a block that only some threads may reach.
 *
 * Divergent is what differs between the threads of a block: their numbers, clocks, results of atomics, what
 * is loaded from a divergent address, and what is computed from any of these. Values loaded from an address
 * that is the same for all threads, parameters and results of calls count as uniform: silence is no proof.
 */
#include "lint/divergence.h"
#include "gen/isa_sregs.h"
#include "lint/words.h"

static bool differs(const struct px_function *function, const struct px_sreg *sreg, unsigned axis)
{
    const bool is_number = sreg->op == PX_SR_tid && axis <= 2;
    if (is_number && (function->reqntid[axis] == 1 || function->maxntid[axis] == 1)) return false;
    return sreg->differs != PX_DIFFERS_nowhere;
}

static bool is_source(const struct px_lint_flow *flow, const struct px_lint_item *item)
{
    if (px_lint_flags(item) & PX_OPERATION_varies) return true;
    if (px_lint_flags(item) & PX_OPERATION_agrees) return false;
    for (unsigned i = 0; i < item->inst->nopds; i++)
        if (px_lint_names(&item->inst->opds[i], differs, flow->function)) return true;
    return false;
}

static bool hands_on(const struct px_lint_divergence *d, uint32_t ref)
{
    const struct px_lint_item *item = &d->flow->items[d->flow->refs[ref].item];
    return !(px_lint_flags(item) & (PX_OPERATION_calls | PX_OPERATION_agrees));
}

/* Early returns count as branches. */
static bool parts(const struct px_lint_flow *flow, uint32_t node)
{
    (void)flow;
    (void)node;
    return true;
}

/* A barrier that waits for every thread of the block (or cluster), with all threads of a warp together. */
static bool is_for_all(const struct px_lint_item *item)
{
    if (!px_lint_is_aligned(item->inst)) return false;
    if (px_lint_flags(item) & PX_OPERATION_barrier) return !px_operand_of(item->inst, PX_SET_thread_count);
    return px_inst_in(item->inst, PX_SET_cluster_barrier);
}

static bool has_barrier(const struct px_lint_flow *flow)
{
    for (uint32_t i = 0; i < flow->nitems; i++)
        if (is_for_all(&flow->items[i])) return true;
    return false;
}

void px_lint_barriers(struct px_lint_flow *flow, const struct px_lint_numbers *numbers)
{
    static const struct px_lint_parting rule = {is_source, hands_on, parts};
    struct px_lint_divergence d;
    struct px_lint_cause cause;
    if (!has_barrier(flow)) return;
    px_lint_divergence(&d, flow, numbers, &rule);
    for (uint32_t i = 0; i < flow->nitems; i++) {
        const struct px_inst *inst = flow->items[i].inst;
        if (!flow->reached[flow->graph.node_of[i]] || !is_for_all(&flow->items[i])) continue;
        if (!flow->lanes_part[i] && px_lint_is_parted(&d, i, &cause))
            px_lint_note_cause(flow, px_lint_say(flow, LINT_BARRIER, inst->pos, inst->opcode->len), cause);
    }
}
