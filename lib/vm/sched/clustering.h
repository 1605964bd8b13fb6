/* clustering.h - which clusters a launch has. */
#ifndef PX_VM_SCHED_CLUSTERING_H
#define PX_VM_SCHED_CLUSTERING_H

#include "gang/grid.h"
#include "ptxvm.h"

struct px_clustering {
    struct px_shape shape; /* 1, 1, 1 without clusters */
    bool is_explicit;      /* the launch or a directive asks for them */
    char why[160];         /* not */
};

/* The clusters of a launch of `kernel` that gives `given` (all zero: it gives none); `open`: they may have
 * more blocks than every chip has. 0, or the number of a CUDA error, which `why` explains. */
int px_clustering_of(const struct px_lfunc *kernel, const unsigned given[3], bool open, struct px_shape grid,
                     struct px_clustering *c);
/* Those of a launch as the embedder describes it: by its members, or the kernel's attributes. */
int px_clustering_for(const struct ptx_kernel *kernel, const ptx_launch_config *config,
                      struct px_clustering *c);
/* As .reqnctapercluster says; false: there is none. */
bool px_clustering_required(const struct px_lfunc *kernel, struct px_shape *shape);

#endif
