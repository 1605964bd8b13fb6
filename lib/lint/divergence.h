/*
 * divergence.h - where threads may part.
 *
 * A value is divergent when it derives from what differs between threads. A branch on such a value makes
 * everything between it and the place where its ways meet again (its post-dominator) divergent, and so are
 * registers that are written there and elsewhere too. What differs, and through which instructions that is
 * handed on, is the question of a rule: between the threads of a block, or between the lanes of a warp.
 */
#ifndef PX_LINT_DIVERGENCE_H
#define PX_LINT_DIVERGENCE_H

#include "lint/numbers.h"

struct px_lint_cause {
    uint32_t branch; /* item of the branch where the ways part */
    uint32_t source; /* item that made its condition divergent */
};

struct px_lint_divergence;
struct px_lint_parting {
    /* Does this item make a divergent value out of nothing? */
    bool (*is_source)(const struct px_lint_flow *flow, const struct px_lint_item *item);
    /* Does it make one out of the divergent value that its reference `ref` reads? */
    bool (*hands_on)(const struct px_lint_divergence *d, uint32_t ref);
    /* Do threads part at this node's branch, if its condition is divergent? */
    bool (*parts)(const struct px_lint_flow *flow, uint32_t node);
};

struct px_lint_divergence {
    const struct px_lint_flow *flow;
    const struct px_lint_values *values;
    const struct px_lint_numbers *numbers;
    const struct px_lint_parting *rule;
    uint32_t *source;            /* by node of values: the item that made it divergent + 1; 0 for uniform */
    uint32_t *queue, nqueue;     /* divergent nodes whose readers have not been told */
    struct px_lint_cause *cause; /* by block, where `under` */
    bool *under;                 /* by block: under divergent control */
    uint32_t *skip; /* by block: where to look for the next block up the tree that is not `under` yet */
    struct px_lint_branching {
        uint32_t block;
        struct px_lint_cause cause;
    } * branches; /* found divergent, not followed yet */
    uint32_t nbranches;
    bool *parted; /* by block: its branch is divergent */
};

void px_lint_divergence(struct px_lint_divergence *d, const struct px_lint_flow *flow,
                        const struct px_lint_numbers *numbers, const struct px_lint_parting *rule);

/* May only some threads execute the item? Then *cause tells why; the guard of the item counts as a branch. */
bool px_lint_is_parted(const struct px_lint_divergence *d, uint32_t item, struct px_lint_cause *cause);

/* The note that tells of the cause. */
struct px_diag;
void px_lint_note_cause(const struct px_lint_flow *flow, struct px_diag *diag, struct px_lint_cause cause);

/* The special register that an operand, or a part of it, names and that `differs` accepts. */
bool px_lint_names(const struct px_operand *operand,
                   bool (*differs)(const struct px_function *function, const struct px_sreg *sreg,
                                   unsigned axis),
                   const struct px_function *function);

#endif
