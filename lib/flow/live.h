/*
 * live.h - which registers are live where, without a set for every block.
 *
 * The caller tells what each block reads and writes, in the order of its
 * instructions, one block after the other; px_flow_live then finds, for every
 * register, between which places of an order of the nodes it is live, and for every
 * block how many are live behind it. docs/flow.md tells how and at what cost.
 */
#ifndef PX_FLOW_LIVE_H
#define PX_FLOW_LIVE_H

#include "flow/graph.h"

enum px_flow_use {
    PX_FLOW_READ = 1,    /* before any write of it in its block */
    PX_FLOW_WRITTEN = 2, /* nothing of what it was before stays */
    PX_FLOW_KEPT = 4,    /* somebody reads it behind the block, outside the graph */
    PX_FLOW_BEHIND = 8   /* result: live behind the block */
};

/* A register in a block that names it. */
struct px_flow_place {
    uint32_t reg;
    uint32_t older; /* the place of the register told of before, plus 1; 0: none */
    uint32_t node : 28, uses : 4;
};

struct px_flow_live {
    struct px_arena *arena;
    const struct px_flow_graph *graph;
    const uint32_t *order; /* nodes that take part */
    uint32_t norder, nregs;
    const uint8_t *classes; /* by register; NULL: all are of class 0 */
    uint32_t nclasses;

    PX_VEC(struct px_flow_place) places; /* in the order in which they were told */
    uint32_t *newest;                    /* by register: its last place, plus 1 */
    bool *exposed;                       /* by register: some block reads it before it writes it */

    /* Results. Places in the order; PX_FLOW_NONE: live there for no node. */
    uint32_t *first_in;    /* by register: the first node at whose beginning it is live */
    uint32_t *last_behind; /* by register: the last node behind which it is live */
    bool *at_start;        /* by register: live at the beginning of node 0 */
    uint32_t *counts;      /* by node and class: how many are live behind it; only if nclasses was given */
};

/*
 * `order`: norder nodes; others are ignored. The more edges lead forward in it, the fewer sweeps.
 * `classes` and nclasses: what to count for every node; NULL, 0: nothing. Pointers are to stay until
 * px_flow_live has returned.
 */
void px_flow_live_begin(struct px_flow_live *live, struct px_arena *arena, const struct px_flow_graph *graph,
                        const uint32_t *order, uint32_t norder, uint32_t nregs, const uint8_t *classes,
                        uint32_t nclasses);
/* What the node does next. A write is one that leaves nothing of the register (no guard, not a part). */
void px_flow_live_read(struct px_flow_live *live, uint32_t node, uint32_t reg);
void px_flow_live_write(struct px_flow_live *live, uint32_t node, uint32_t reg);
void px_flow_live_keep(struct px_flow_live *live, uint32_t node, uint32_t reg);
/* Names a register, without reading or replacing it, for its place to tell whether it is live behind. */
void px_flow_live_name(struct px_flow_live *live, uint32_t node, uint32_t reg);
void px_flow_live(struct px_flow_live *live);
/* Gives back what is large of it. */
void px_flow_live_end(struct px_flow_live *live);

#endif
