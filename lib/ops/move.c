/* move.c - addresses of a state space to generic ones and back, lane by lane. */
#include "ops/move.h"
#include "gang/cluster.h"
#include "isa/isa.h"

static uint64_t window_base(const struct px_gang *g, uint8_t space, uint32_t lane)
{
    const struct px_cta *cta = g->cta;
    switch (space) {
    case PX_SPACE_SHARED: return cta->uniform.shared_window;
    case PX_SPACE_LOCAL: return px_local_base(cta->local_owner, g->first + lane);
    case PX_SPACE_CONST: return px_window_base(PX_WIN_CONST, cta->grid->owner);
    case PX_SPACE_PARAM: return cta->uniform.param_window;
    default: return 0; /* global addresses are generic addresses */
    }
}

int px_move_cvta(struct px_gang *g, const struct px_insn *in)
{
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    uint64_t *d = PX_ROW(g, uint64_t, in->d);
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    PX_FOR_LANES(lane, lanes) d[lane] = a[lane] + window_base(g, in->space, lane);
    return PX_STEP_NEXT;
}

int px_move_cvta_to(struct px_gang *g, const struct px_insn *in)
{
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    uint64_t *d = PX_ROW(g, uint64_t, in->d);
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    PX_FOR_LANES(lane, lanes) d[lane] = a[lane] - window_base(g, in->space, lane);
    return PX_STEP_NEXT;
}

/* In a cluster of several blocks the others' shared memory is in .shared::cluster alone. */
static bool in_shared(const struct px_cta *cta, uint64_t va)
{
    return px_window_of(va) == PX_WIN_SHARED && (!cta->cluster || (uint32_t)va >> PX_RANK_SHIFT == cta->rank);
}

static bool in_space(const struct px_cta *cta, uint64_t va, uint8_t space)
{
    enum px_window w = px_window_of(va);
    switch (space) {
    case PX_SPACE_SHARED: return in_shared(cta, va);
    case PX_SPACE_CLUSTER: return w == PX_WIN_SHARED;
    case PX_SPACE_LOCAL: return w == PX_WIN_LOCAL;
    case PX_SPACE_CONST: return w == PX_WIN_CONST;
    case PX_SPACE_PARAM: return w == PX_WIN_PARAM;
    default: return w == PX_WIN_NONE || w == PX_WIN_PARAM; /* as on the chip: parameters lie there */
    }
}

int px_move_isspacep(struct px_gang *g, const struct px_insn *in)
{
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    uint32_t *d = PX_ROW(g, uint32_t, in->d), lane;
    const struct px_lanes lanes = px_gang_lanes(g, in);
    PX_FOR_LANES(lane, lanes) d[lane] = 0u - (uint32_t)in_space(g->cta, a[lane], in->space);
    return PX_STEP_NEXT;
}
