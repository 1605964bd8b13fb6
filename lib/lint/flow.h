/*
 * flow.h - the body of one function as the analyses see it.
 *
 * Instructions (items) in text order, the registers they read and write
 * (references), the blocks they form and the graph of the blocks. A register
 * here is one component of a .reg: vectors count by component. The graph has one
 * node more than there are blocks: the end, to which everything that leaves the
 * function goes.
 */
#ifndef PX_LINT_FLOW_H
#define PX_LINT_FLOW_H

#include "check/check.h"
#include "lint/lint.h"

enum { PX_LINT_NONE = UINT32_MAX };

struct px_lint_ref {
    const struct px_operand *operand;
    uint32_t reg;
    uint32_t item;
    bool is_def;
};

struct px_lint_item {
    const struct px_inst *inst;
    uint32_t block;
    uint32_t first; /* of its references: reads, then writes; they end where those of the next item begin */
    uint8_t op;     /* enum px_op */
    bool ends;      /* leaves the block */
};

/* Lists of neighbours: those of node k are to[first[k]] ... to[first[k + 1] - 1]. */
struct px_lint_lists {
    uint32_t *first, *to;
};

struct px_lint_graph {
    uint32_t n; /* nodes */
    struct px_lint_lists succ, pred;
};

/* A tree of (post)dominators: `up` is the parent; a node's subtree has the numbers start ... start + size - 1. */
struct px_lint_tree {
    uint32_t *up, *start, *size; /* size 0: the node is not in the tree */
};

struct px_lint_block {
    uint32_t first, n; /* items */
    bool reached;
};

struct px_lint_flow {
    struct ptx_module *module;
    const struct px_function *function;
    struct px_arena *arena; /* scratch */
    px_lint_find *find;

    struct px_lint_item *items; /* nitems + 1: the last one only ends the references */
    uint32_t nitems;
    struct px_lint_ref *refs;
    uint32_t nrefs;
    uint32_t *reg_base; /* by number of the .reg: its first component */
    uint32_t nregs;     /* components */
    struct px_lint_lists defs; /* of a register: numbers of the references that write it, in text order */

    struct px_lint_block *blocks;
    uint32_t nblocks;
    struct px_lint_graph graph;  /* node nblocks is the end */
    uint32_t *order, norder;     /* reached nodes, each before its successors where no loop forbids it */
    struct px_lint_tree dominators, post;
};

/*
 * Fills `flow` for a function that has a body. False, and only items and references are there, when branches through
 * large tables make a graph that is far larger than the code.
 */
bool px_lint_flow(struct px_lint_flow *flow, struct ptx_module *module, const struct px_function *function,
                  struct px_arena *scratch, px_lint_find *find);

/* dominators.c: the tree over `succ` from `root`; nodes that it does not reach have size 0. */
struct px_lint_tree px_lint_dominators(struct px_arena *arena, uint32_t n, const struct px_lint_lists *succ,
                                       const struct px_lint_lists *pred, uint32_t root);
static inline bool px_lint_dominates(const struct px_lint_tree *tree, uint32_t a, uint32_t b)
{
    return tree->size[b] && tree->start[b] - tree->start[a] < tree->size[a];
}

/* Sorts n pairs into lists by their first member: a counting sort, so lists keep the pairs' order. */
struct px_lint_pair { uint32_t from, to; };
struct px_lint_lists px_lint_lists(struct px_arena *arena, uint32_t nodes, const struct px_lint_pair *pairs, uint32_t n);

/* Line of a place, for notes. */
unsigned px_lint_line(const struct px_lint_flow *flow, px_pos pos);
static inline unsigned px_lint_item_line(const struct px_lint_flow *flow, uint32_t item)
{
    return px_lint_line(flow, flow->items[item].inst->pos);
}

/* What a name of an operand stands for, when it is a register of this function; else NULL. */
const struct px_symbol *px_lint_register(const struct px_operand *operand);
/* The register that guards an item; PX_LINT_NONE without a guard. */
uint32_t px_lint_guard(const struct px_lint_flow *flow, uint32_t item);
/* The function that a call names; NULL for an indirect one. */
const struct px_symbol *px_lint_callee(const struct px_inst *inst);

/* Appends a warning about an operand or an instruction. */
#define px_lint_say(flow, id, pos, length, ...)                                                             \
    px_diag_add(&(flow)->module->diags, PX_D_##id, (pos), (length), ##__VA_ARGS__)

/* The analyses. */
void px_lint_registers(struct px_lint_flow *flow); /* registers.c: declared or written for nothing */
void px_lint_assigned(struct px_lint_flow *flow);  /* assigned.c: read before they are written */
void px_lint_reached(struct px_lint_flow *flow);   /* reached.c */
void px_lint_barriers(struct px_lint_flow *flow);  /* barriers.c */
void px_lint_spaces(struct px_lint_flow *flow);    /* spaces.c: generic accesses, pointers passed to child kernels */
void px_lint_prototypes(struct ptx_module *module, px_lint_find *find); /* prototypes.c */

#endif
