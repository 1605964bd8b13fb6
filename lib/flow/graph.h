/*
 * graph.h - the control-flow graph of a body, whatever its instructions are.
 *
 * Instructions are numbers; the caller lists those behind which control may go
 * elsewhere. Nodes are blocks in text order, then the end of the code, then, only
 * where branches go through very large tables, a node for each table. Node 0 is
 * where control begins.
 */
#ifndef PX_FLOW_GRAPH_H
#define PX_FLOW_GRAPH_H

#include <stdbool.h>
#include "base/vec.h"

enum { PX_FLOW_NONE = UINT32_MAX };

/* Lists of neighbours: those of node k are to[first[k]] ... to[first[k + 1] - 1]. */
struct px_flow_lists {
    uint32_t *first, *to;
};

/* Lists are made in two walks: begin, count the members of each, place, add them in the same number; each
 * list keeps the order in which they are added. */
struct px_flow_lists px_flow_lists_begin(struct px_arena *arena, uint32_t nodes);
void px_flow_lists_place(struct px_flow_lists *lists, struct px_arena *arena, uint32_t nodes);
static inline void px_flow_lists_count(struct px_flow_lists *lists, uint32_t node)
{
    lists->first[node + 2]++;
}
static inline void px_flow_lists_add(struct px_flow_lists *lists, uint32_t node, uint32_t to)
{
    lists->to[lists->first[node + 1]++] = to;
}

/* The same of n pairs, by their first member. */
struct px_flow_pair {
    uint32_t from, to;
};
struct px_flow_lists px_flow_lists(struct px_arena *arena, uint32_t nodes, const struct px_flow_pair *pairs,
                                   uint32_t n);

/* An instruction that ends its block. */
struct px_flow_end {
    uint32_t at;
    uint32_t target; /* instruction that it may jump to, n for the end of the code; PX_FLOW_NONE */
    uint32_t table;  /* number of the table through which it may jump; PX_FLOW_NONE */
    bool falls;      /* it may go on to the next instruction */
    bool leaves;     /* it may leave the function: an edge to the end */
};
typedef PX_VEC(struct px_flow_end) px_flow_ends;

struct px_flow_table {
    const uint32_t *targets;
    uint32_t n;
}; /* instructions */
typedef PX_VEC(struct px_flow_table) px_flow_tables;

struct px_flow_code {
    uint32_t n;            /* instructions */
    px_flow_ends ends;     /* in the order of the text */
    px_flow_tables tables; /* those that no end names: empty */
    bool close_loops;      /* every endless loop gets an edge to the end, so that all nodes reach it */
};

struct px_flow_block {
    uint32_t first, n;
}; /* instructions */

struct px_flow_graph {
    uint32_t ninsts, nblocks, end, n; /* end: a node; n: nodes */
    struct px_flow_block *blocks;     /* by node; those that are no blocks have no instructions */
    uint32_t *node_of;                /* by instruction, and of n: the end */
    struct px_flow_lists succ, pred;
};

/* Builds the graph in `arena`; what `code` points to is not needed afterwards. */
void px_flow_graph(struct px_flow_graph *graph, struct px_arena *arena, const struct px_flow_code *code);

/* Are the tables nodes, because edges from every branch to every target would be far more than the code? */
static inline bool px_flow_has_tables(const struct px_flow_graph *graph)
{
    return graph->n > graph->end + 1;
}

/* Would `edges` through tables be too many for a body of n instructions? */
static inline bool px_flow_too_many(uint64_t edges, uint32_t n)
{
    enum { FEW = 1 << 20, FOR_AN_INSTRUCTION = 16 };
    return edges > FEW + (uint64_t)FOR_AN_INSTRUCTION * n;
}

/* Nodes that node 0 reaches, each before its successors where no loop forbids it (reverse post-order). */
struct px_flow_order {
    uint32_t *nodes, n;
};
struct px_flow_order px_flow_order(struct px_arena *arena, const struct px_flow_graph *graph);

#endif
