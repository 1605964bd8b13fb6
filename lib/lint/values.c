/*
 * values.c - connects reads with writes; values.h says how closely.
 */
#include "lint/values.h"

struct walk {
    struct px_lint_values *values;
    const struct px_lint_flow *flow;
    uint32_t *write; /* by register: the write that a read would see now, */
    uint32_t *block; /* if this is the block that is being walked + 1 */
};

static void see(struct walk *w, uint32_t i, uint32_t block)
{
    const struct px_lint_ref *ref = &w->flow->refs[i];
    const bool here = w->block[ref->reg] == block + 1;
    const bool replaces = ref->is_def && !w->flow->items[ref->item].inst->guard;
    w->values->source[i] = replaces ? PX_FLOW_NONE
                           : here   ? w->write[ref->reg]
                                    : px_lint_node(w->flow, ref->reg);
    if (!ref->is_def) return;
    if (here) w->values->last[w->write[ref->reg]] = false;
    w->values->feeds[ref->reg] += !here;
    w->values->last[i] = true;
    w->write[ref->reg] = i;
    w->block[ref->reg] = block + 1;
}

void px_lint_values(struct px_lint_values *values, const struct px_lint_flow *flow)
{
    struct px_arena *arena = flow->arena;
    struct walk w = {values, flow, PX_NEW_N(arena, uint32_t, flow->nregs + 1),
                     PX_NEW_N(arena, uint32_t, flow->nregs + 1)};
    struct px_flow_pair *pairs = PX_NEW_N(arena, struct px_flow_pair, flow->nrefs + 1);
    uint32_t n = 0;
    values->nnodes = flow->nrefs + flow->nregs;
    values->source = PX_NEW_N(arena, uint32_t, flow->nrefs + 1);
    values->last = PX_NEW_N(arena, bool, flow->nrefs + 1);
    values->feeds = PX_NEW_N(arena, uint32_t, flow->nregs + 1);
    for (uint32_t i = 0; i < flow->nrefs; i++) {
        see(&w, i, flow->graph.node_of[flow->refs[i].item]);
        if (values->source[i] != PX_FLOW_NONE) pairs[n++] = (struct px_flow_pair){values->source[i], i};
    }
    values->readers = px_flow_lists(arena, values->nnodes, pairs, n);
}
