/* assigned.h - what has happened on some path, and on every path, from the start to a node. */
#ifndef PX_FLOW_ASSIGNED_H
#define PX_FLOW_ASSIGNED_H

#include "flow/graph.h"

/* 64 facts, a bit each: done by the node; true at its beginning; true behind it. */
struct px_flow_facts {
    uint64_t done, before, behind;
};

/*
 * Fills in `before` and `behind`: in `some`, a fact that is done on some path from node 0; in
 * `all`, on every path. `order` is px_flow_order's; other nodes count for nothing.
 */
void px_flow_assigned(const struct px_flow_graph *graph, const struct px_flow_order *order,
                      struct px_flow_facts *some, struct px_flow_facts *all);

#endif
