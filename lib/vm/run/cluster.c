/* cluster.c - where a block is in its cluster, and lanes that wait at the cluster's barrier. */
#include "vm/run/cluster.h"
#include "ops/cluster.h"
#include "vm/run/tally.h"
#include <stdio.h>

static void set(uint32_t to[4], uint32_t x, uint32_t y, uint32_t z)
{
    to[0] = x, to[1] = y, to[2] = z, to[3] = 0;
}

void px_cluster_uniform(struct px_cta *cta, const struct px_grid *grid)
{
    struct px_uniform *u = &cta->uniform;
    const struct px_shape c = grid->cluster;
    const uint32_t rank = cta->rank;
    u->explicit_cluster = 0u - (uint32_t)grid->explicit_cluster;
    if (!cta->cluster) return;
    u->shared_first = (uint64_t)rank << PX_RANK_SHIFT;
    u->shared_place = u->shared_window + u->shared_first;
    set(u->nclusterid, grid->grid.x / c.x, grid->grid.y / c.y, grid->grid.z / c.z);
    set(u->cluster_nctaid, c.x, c.y, c.z);
    set(u->cluster_ctaid, rank % c.x, rank / c.x % c.y, rank / c.x / c.y);
    u->cluster_rank = rank;
    u->cluster_size = cta->cluster->n;
}

void px_cluster_number(struct px_cta *cta)
{
    const struct px_shape c = cta->grid->cluster;
    const uint32_t *at = cta->ctaid;
    set(cta->uniform.clusterid, at[0] / c.x, at[1] / c.y, at[2] / c.z);
}

void px_cluster_wait(struct px_gang *g, struct px_entry *e, const struct px_insn *in)
{
    const struct px_lanes go = px_lanes_minus(e->mask, g->came);
    if (!px_lanes_empty(&go)) px_entry_go(&g->entries, go, e->frame, e->pc + 1, false);
    px_tally_wait(g, in->ord, &e->mask);
    px_entry_wait(&g->entries, PX_ENTRY_CLUSTER, 0);
}

void px_cluster_text(const struct px_cluster *cluster, char *buf, size_t size)
{
    uint32_t here = 0;
    for (uint32_t i = 0; i < cluster->n; i++) here += px_cluster_is_there(cluster->cta[i]);
    snprintf(buf, size, "wait at the cluster's barrier, where %u of %u blocks are", here, cluster->n);
}
