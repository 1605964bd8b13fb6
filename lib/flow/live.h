/*
 * live.h - which registers are live where, without a set for every block.
 *
 * The caller tells what each block reads and writes, in the order of its
 * instructions, one block after the other; px_flow_live then finds, for every
 * register, until which place of an order of the nodes it is live, and on request
 * for every block how many are live behind it. docs/flow.md tells how and at what cost.
 */
#ifndef PX_FLOW_LIVE_H
#define PX_FLOW_LIVE_H

#include "flow/dominators.h"
#include "flow/loops.h"

enum px_flow_use {
    PX_FLOW_READ = 1,    /* before any write of it in its block */
    PX_FLOW_WRITTEN = 2, /* nothing of what it was before stays */
    PX_FLOW_NAMED = 4,   /* told of by px_flow_live_name */
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
    const uint8_t *classes;            /* by register; NULL: all are of class 0 */
    uint32_t nclasses;                 /* 0: nothing is counted */
    const struct px_flow_loops *loops; /* px_flow_live_use_tree; else NULL */
    const struct px_flow_tree *tree;
    bool behind;

    PX_VEC(struct px_flow_place) places; /* in the order in which they were told */
    uint32_t *newest;                    /* by register: its last place, plus 1 */
    bool *exposed; /* by register: some block reads it before it writes it, and it is not solved yet */

    /* Results. */
    uint32_t *last_behind; /* by register: place in the order of the last node behind which it is live;
                              PX_FLOW_NONE: none, or a node further on names it */
    bool *at_start;        /* by register: live at the beginning of node 0 */
    uint32_t *counts;      /* by node and class: how many are live behind it; px_flow_live_count */
};

/* `order`: norder nodes, the first of them node 0; others are ignored. The more edges lead forward in it, the
 * fewer sweeps. Pointers that are passed, here and below, are to stay until px_flow_live has returned. */
void px_flow_live_begin(struct px_flow_live *live, struct px_arena *arena, const struct px_flow_graph *graph,
                        const uint32_t *order, uint32_t norder, uint32_t nregs);
/* How many are live behind each node is to be counted, by class of register. */
void px_flow_live_count(struct px_flow_live *live, const uint8_t *classes, uint32_t nclasses);
/* Sets of bits are only for registers that dominance does not decide. `loops`: whose order was passed;
 * `tree`: dominators. PX_FLOW_BEHIND is found, for places that write or name their register, only if
 * `behind`. Not with counting. */
void px_flow_live_use_tree(struct px_flow_live *live, const struct px_flow_loops *loops,
                           const struct px_flow_tree *tree, bool behind);
/* What the node does next. A write is one that leaves nothing of the register (no guard, not a part). */
void px_flow_live_read(struct px_flow_live *live, uint32_t node, uint32_t reg);
void px_flow_live_write(struct px_flow_live *live, uint32_t node, uint32_t reg);
/* Names a register, without reading or replacing it, for its place to tell whether it is live behind. */
void px_flow_live_name(struct px_flow_live *live, uint32_t node, uint32_t reg);
void px_flow_live(struct px_flow_live *live);
/* Gives back what is large of it. */
void px_flow_live_end(struct px_flow_live *live);

/* live_tree.c: solves what dominance decides; those registers are `exposed` no longer. */
void px_flow_live_by_tree(struct px_flow_live *live);

#endif
