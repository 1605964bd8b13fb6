/* alloca.c - memory of a function's activation, lane by lane. */
#include "ops/alloca.h"

/* Where the lane's memory begins; 0 in *end: it cannot end anywhere. */
static uint64_t place(const struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t *end)
{
    const uint64_t size = PX_ROW(g, uint64_t, in->b)[lane];
    const uint64_t at = (PX_ROW(g, uint64_t, in->stacks)[lane] + in->imm - 1) & ~(in->imm - 1);
    *end = size > UINT64_MAX / 2 ? UINT64_MAX : at + ((size + 7) & ~7ull);
    return at;
}

uint64_t px_alloca_need(const struct px_gang *g, const struct px_insn *in, uint32_t *lane)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint64_t need = 0, end;
    uint32_t i;
    *lane = 0;
    PX_FOR_LANES(i, lanes)
    {
        place(g, in, i, &end);
        if (end > need) need = end, *lane = i;
    }
    return need;
}

int px_alloca(struct px_gang *g, const struct px_insn *in)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint64_t end;
    uint32_t lane;
    g->resume = false;
    const uint64_t need = px_alloca_need(g, in, &lane);
    if (need > g->local_bytes) return PX_STEP_GROW;
    if (need > g->running->local_top) g->running->local_top = need;
    PX_FOR_LANES(lane, lanes)
    {
        PX_ROW(g, uint64_t, in->d)[lane] = place(g, in, lane, &end);
        PX_ROW(g, uint64_t, in->stacks)[lane] = end;
    }
    return PX_STEP_NEXT;
}
