/* dominators.h - which nodes lie on every way from a root to a node. */
#ifndef PX_FLOW_DOMINATORS_H
#define PX_FLOW_DOMINATORS_H

#include "flow/graph.h"

/* A tree of (post)dominators: `up` is the parent; a node's subtree has numbers start ... start + size - 1. */
struct px_flow_tree {
    uint32_t *up, *start, *size; /* size 0: the node is not in the tree */
};

/* The tree of n nodes over `succ` from `root`; nodes that it does not reach have size 0. With the two lists
 * exchanged, and the end as the root: post-dominators. It lies in `arena`; `pass` is for what is needed
 * meanwhile. */
struct px_flow_tree px_flow_dominators(struct px_arena *arena, struct px_arena *pass, uint32_t n,
                                       const struct px_flow_lists *succ, const struct px_flow_lists *pred,
                                       uint32_t root);

static inline bool px_flow_dominates(const struct px_flow_tree *tree, uint32_t a, uint32_t b)
{
    return tree->size[b] && tree->start[b] - tree->start[a] < tree->size[a];
}

#endif
