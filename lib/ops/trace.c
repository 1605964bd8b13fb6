/* trace.c - tells of accesses to memory. */
#include "ops/trace.h"

enum { WARP = 32 };

/* Where line `line` of a matrix begins, from its first one. */
static uint64_t line_at(const struct px_gang *g, const struct px_insn *in, const struct px_traced *t,
                        uint32_t lane, uint32_t line)
{
    if (t->apart) return (uint64_t)line * t->apart;
    return (uint64_t)line * px_element(g, in->b, in->flags & PX_IF_NEGATE, lane) * t->bits / 8;
}

static bool takes_part(const struct px_traced *t, uint32_t of_warp)
{
    return t->lines ? of_warp < t->lines : !t->first || of_warp < t->first;
}

static void tell(struct px_gang *g, const struct px_traced *t, const ptx_trace_lane *lanes, uint32_t n)
{
    ptx_trace_access access = t->is;
    const struct px_cta *cta = g->cta;
    access.grid = cta->grid->id;
    memcpy(access.cta, cta->ctaid, sizeof access.cta);
    access.lanes = lanes;
    access.nlanes = n;
    g->worker->trace(g->worker->trace_user, &access);
}

int px_trace_access(struct px_gang *g, const struct px_insn *in)
{
    const struct px_traced *t = in->aux;
    const struct px_lanes who = px_gang_lanes(g, in);
    const uint64_t *address = PX_ROW(g, uint64_t, in->a);
    ptx_trace_lane lanes[PX_LANES_MAX];
    uint32_t lane, n = 0;
    PX_FOR_LANES(lane, who)
    {
        const uint32_t of_warp = lane % WARP, bytes = t->bytes ? t->bytes : PX_ROW(g, uint32_t, in->b)[lane];
        uint64_t at = address[in->flags & PX_IF_SCALAR_A ? 0 : lane] + t->offset;
        if (!bytes || !takes_part(t, of_warp)) continue;
        if (t->lines) at += line_at(g, in, t, lane, of_warp);
        lanes[n++] = (ptx_trace_lane){px_space_address(in->space, at), g->first + lane, bytes};
    }
    if (n) tell(g, t, lanes, n);
    return PX_STEP_NEXT;
}
