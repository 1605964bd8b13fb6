/*
 * sregs.c - special registers whose value the language fixes, and clocks, of which it says that they go
 * forward. What a particular chip would say (%smid, %nwarpid) is not among them.
 */
#include "machine.h"
#include "gen/isa_sregs.h"

bool ref_sreg_known(uint32_t id)
{
    switch (id) {
    case PX_SR_tid:
    case PX_SR_ntid:
    case PX_SR_ctaid:
    case PX_SR_nctaid:
    case PX_SR_laneid:
    case PX_SR_warpid:
    case PX_SR_dynamic_smem_size:
    case PX_SR_total_smem_size:
    case PX_SR_aggr_smem_size:
    case PX_SR_lanemask_eq:
    case PX_SR_lanemask_le:
    case PX_SR_lanemask_lt:
    case PX_SR_lanemask_ge:
    case PX_SR_lanemask_gt:
    case PX_SR_nclusterid:
    case PX_SR_cluster_nctaid:
    case PX_SR_cluster_nctarank:
    case PX_SR_clusterid:
    case PX_SR_cluster_ctaid:
    case PX_SR_cluster_ctarank:
    case PX_SR_is_explicit_cluster:
    case PX_SR_clock:
    case PX_SR_clock_hi:
    case PX_SR_clock64:
    case PX_SR_globaltimer:
    case PX_SR_globaltimer_lo:
    case PX_SR_globaltimer_hi: return true;
    default: return false;
    }
}

/* The fourth component of a vector: 0 of an index, 1 of an extent (but for a cluster's). */
static uint64_t component(const uint32_t v[3], uint32_t i, uint64_t fourth)
{
    return i < 3 ? v[i] : fourth;
}

uint64_t ref_sreg(const struct ref_thread *t, uint32_t id, uint32_t i)
{
    const struct ref_launch *launch = t->machine->launch;
    uint32_t bit = 1u << t->index % REF_WARP, below = bit - 1;
    switch (id) {
    case PX_SR_clock:
    case PX_SR_clock64:
    case PX_SR_globaltimer:
    case PX_SR_globaltimer_lo: return t->machine->steps;
    case PX_SR_clock_hi:
    case PX_SR_globaltimer_hi: return t->machine->steps >> 32;
    case PX_SR_tid: return component(t->tid, i, 0);
    case PX_SR_ntid: return component(launch->block, i, 1);
    case PX_SR_ctaid: return component(t->cta->id, i, 0);
    case PX_SR_nctaid: return component(launch->grid, i, 1);
    case PX_SR_laneid: return t->index % REF_WARP;
    case PX_SR_warpid: return t->index / REF_WARP;
    case PX_SR_dynamic_smem_size: return launch->dynamic_smem;
    case PX_SR_total_smem_size:
        return (t->machine->shared_bytes + 127u) & ~127u; /* an sm_90 chip, as the next */
    case PX_SR_aggr_smem_size: return 1024u + t->machine->shared_bytes;
    case PX_SR_lanemask_eq: return bit;
    case PX_SR_lanemask_le: return bit | below;
    case PX_SR_lanemask_lt: return below;
    case PX_SR_lanemask_ge: return ~below;
    case PX_SR_lanemask_gt: return ~(bit | below);
    case PX_SR_nclusterid: return component(launch->grid, i, 1);
    case PX_SR_clusterid: return component(t->cta->id, i, 0);
    case PX_SR_cluster_nctaid: return i < 3;
    case PX_SR_cluster_nctarank: return 1;
    default: return 0; /* no clusters: every other register of theirs */
    }
}
