/* cluster.h - blocks of clusters: where they are, and their barrier (ops/cluster.h has what arrives). */
#ifndef PX_VM_RUN_CLUSTER_H
#define PX_VM_RUN_CLUSTER_H

#include "gang/cluster.h"

/* What special registers of clusters are, of all blocks of the grid that have this rank, */
void px_cluster_uniform(struct px_cta *cta, const struct px_grid *grid);
/* and of this block, which has its number. */
void px_cluster_number(struct px_cta *cta);

/* The running entry stands at barrier.cluster.wait: lanes whose barrier has not opened sleep. */
void px_cluster_wait(struct px_gang *g, struct px_entry *e, const struct px_insn *in);
/* "wait at the cluster's barrier, where 2 of 4 blocks are" */
void px_cluster_text(const struct px_cluster *cluster, char *buf, size_t size);

#endif
