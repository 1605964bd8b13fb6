/*
 * assigned.c - two forward problems over 64 facts, in sweeps over the depth-first order.
 *
 * Nodes out of reach keep an empty `some` and a full `all`, the neutral elements, so
 * that they need no test on the way.
 */
#include "flow/assigned.h"

/* True when what holds behind the node has changed. The first node is entered from outside too. */
static bool flow_node(const struct px_flow_graph *graph, uint32_t node, struct px_flow_facts *some,
                      struct px_flow_facts *all)
{
    const struct px_flow_facts old[] = {some[node], all[node]};
    uint64_t any = 0, every = node ? UINT64_MAX : 0;
    for (uint32_t i = graph->pred.first[node]; i < graph->pred.first[node + 1]; i++) {
        any |= some[graph->pred.to[i]].behind;
        every &= all[graph->pred.to[i]].behind;
    }
    some[node] = (struct px_flow_facts){old[0].done, any, any | old[0].done};
    all[node] = (struct px_flow_facts){old[1].done, every, every | old[1].done};
    return some[node].behind != old[0].behind || all[node].behind != old[1].behind;
}

void px_flow_assigned(const struct px_flow_graph *graph, const struct px_flow_order *order,
                      struct px_flow_facts *some, struct px_flow_facts *all)
{
    for (uint32_t k = 0; k < graph->n; k++) {
        some[k].before = some[k].behind = 0;
        all[k].before = all[k].behind = UINT64_MAX;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < order->n; i++) changed |= flow_node(graph, order->nodes[i], some, all);
    }
}
