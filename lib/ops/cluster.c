/*
 * cluster.c - the barrier of a cluster.
 *
 * A lane that has arrived is in its gang's set `came`. When the sets hold all lanes of the cluster that have
 * not exited, the barrier opens: the sets are emptied, and lanes that sleep at barrier.cluster.wait go on. So
 * a lane waits as long as it is in the set.
 */
#include "ops/cluster.h"
#include "ops/private.h"

bool px_cluster_is_there(const struct px_cta *cta)
{
    for (uint32_t i = 0; i < cta->ngangs; i++) {
        const struct px_lanes missing = px_lanes_minus(cta->gangs[i].live, cta->gangs[i].came);
        if (!px_lanes_empty(&missing)) return false;
    }
    return true;
}

static void open_barrier(struct px_cluster *cluster)
{
    cluster->openings++;
    for (uint32_t k = 0; k < cluster->n; k++)
        for (uint32_t i = 0; i < cluster->cta[k]->ngangs; i++) {
            struct px_gang *g = &cluster->cta[k]->gangs[i];
            g->came = (struct px_lanes){{0}};
            if (g->entries.asleep.n) px_entries_wake(&g->entries, PX_ENTRY_CLUSTER, 0);
        }
}

static bool anybody_came(const struct px_cluster *cluster)
{
    for (uint32_t k = 0; k < cluster->n; k++)
        for (uint32_t i = 0; i < cluster->cta[k]->ngangs; i++)
            if (!px_lanes_empty(&cluster->cta[k]->gangs[i].came)) return true;
    return false;
}

static bool complete(const struct px_cluster *cluster)
{
    for (uint32_t k = 0; k < cluster->n; k++)
        if (!px_cluster_is_there(cluster->cta[k])) return false;
    return anybody_came(cluster);
}

void px_cluster_exited(struct px_cluster *cluster)
{
    if (complete(cluster)) open_barrier(cluster);
}

int px_cluster_arrive(struct px_gang *g, const struct px_insn *in)
{
    struct px_cluster *cluster = g->cta->cluster;
    const struct px_lanes lanes = px_gang_lanes(g, in);
    px_private_flush(g->worker);
    g->came = px_lanes_or(g->came, lanes);
    if (!complete(cluster)) return PX_STEP_NEXT;
    open_barrier(cluster);
    g->merge_pc = px_entries_next_pc(&g->entries, g->running); /* those who woke may stand in this frame */
    return PX_STEP_NEXT;
}

int px_cluster_ask(struct px_gang *g, const struct px_insn *in)
{
    const struct px_lanes wait = px_lanes_and(px_gang_lanes(g, in), g->came);
    px_private_flush(g->worker);
    return px_lanes_empty(&wait) ? PX_STEP_NEXT : PX_STEP_CLUSTER;
}
