/*
 * cluster.h - the blocks of a cluster, which are run together (docs/clusters.md).
 *
 * The object of the block of rank 0 stands for the cluster: it is what the scheduler holds. All blocks belong
 * to one worker at a time, so nothing here needs a lock.
 */
#ifndef PX_GANG_CLUSTER_H
#define PX_GANG_CLUSTER_H

#include "gang/gang.h"

enum {
    PX_CLUSTER_MOST = 16,
    PX_RANK_SHIFT = 24 /* where an address of shared memory has the block's rank */
};

struct px_cluster {
    uint32_t n;
    uint32_t turn;                       /* block to run first when the cluster goes on */
    uint32_t over;                       /* bit i: the block of rank i has ended */
    uint32_t trapped;                    /* rank of the block whose trap is set */
    uint64_t openings;                   /* how often its barrier has opened */
    struct px_cta *cta[PX_CLUSTER_MOST]; /* by rank */
};

/* The blocks that are run as one: those of a cluster, or the block alone. */
static inline uint32_t px_unit_n(const struct px_cta *cta)
{
    return cta->cluster ? cta->cluster->n : 1;
}
static inline struct px_cta *px_unit_at(struct px_cta *cta, uint32_t i)
{
    return cta->cluster ? cta->cluster->cta[i] : cta;
}

/* The block of the unit in whose shared memory this place of the host lies; NULL: in none. */
struct px_cta *px_unit_of_shared(struct px_cta *cta, const uint8_t *host);

#endif
