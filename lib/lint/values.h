/*
 * values.h - where the value of a register comes from.
 *
 * A node is one write of a register, or a register as it comes into a block. A read
 * has as its source the write before it in its block; without one, the register's
 * own node, which stands for every write that is the last of its block. Within a
 * block this follows the order of instructions; across blocks it does not, which is
 * exact for code that gives each value a register of its own, as compilers do.
 *
 * The node of reference i (a write) is i; that of register r is nrefs + r.
 */
#ifndef PX_LINT_VALUES_H
#define PX_LINT_VALUES_H

#include "lint/flow.h"

struct px_lint_values {
    uint32_t nnodes;
    uint32_t
        *source;     /* by reference: what a read reads, what a guarded write may leave in place; else NONE */
    bool *last;      /* by reference: a write that feeds its register's node */
    uint32_t *feeds; /* by register: how many writes feed its node */
    struct px_flow_lists readers; /* of a node: references that have it as their source */
};

void px_lint_values(struct px_lint_values *values, const struct px_lint_flow *flow);
static inline uint32_t px_lint_node(const struct px_lint_flow *flow, uint32_t reg)
{
    return flow->nrefs + reg;
}

#endif
