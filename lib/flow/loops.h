/*
 * loops.h - the weak topological order of a graph, and with it the nesting of its loops.
 *
 * After Bourdoncle (1993): the nodes of a loop are contiguous and begin with its
 * head, and every edge leads forward except those to the head of a loop that both
 * of its ends are in. A loop is a strongly connected part; its head is the node
 * through which a depth-first search from node 0, taking edges in order, first
 * comes in; the loops inside are those of the part without its head.
 */
#ifndef PX_FLOW_LOOPS_H
#define PX_FLOW_LOOPS_H

#include "flow/graph.h"

struct px_flow_loops {
    uint32_t *order, n; /* the nodes that node 0 reaches */
    uint32_t *place;    /* by node: where it is in `order`; PX_FLOW_NONE: not reached */
    uint32_t *head;     /* by node: head of the loop around it (of a head: around its loop); PX_FLOW_NONE */
    uint32_t *size;     /* by node: nodes of the loop that it heads, itself included; 1 for others */
};

/* The result lies in `arena`; `pass` is for what is needed meanwhile. */
void px_flow_loops(struct px_flow_loops *loops, struct px_arena *arena, struct px_arena *pass,
                   const struct px_flow_graph *graph);

#endif
