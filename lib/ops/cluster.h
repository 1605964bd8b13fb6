/* cluster.h - the barrier of a cluster (PTX ISA 9.7.13.3): arriving, and what opens it. */
#ifndef PX_OPS_CLUSTER_H
#define PX_OPS_CLUSTER_H

#include "gang/cluster.h"

/* barrier.cluster.arrive and .wait, in code for clusters of several blocks. */
int px_cluster_arrive(struct px_gang *g, const struct px_insn *in);
int px_cluster_ask(struct px_gang *g, const struct px_insn *in);

/* Lanes of the cluster have exited: the barrier may be complete now. */
void px_cluster_exited(struct px_cluster *cluster);
/* Have all threads of the block come that have not exited? */
bool px_cluster_is_there(const struct px_cta *cta);

#endif
