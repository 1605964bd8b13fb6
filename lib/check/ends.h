/*
 * ends.h - where the branches of a checked body go, in the numbers that lib/flow wants.
 *
 * px_ends_body goes through a body, whose instructions have numbers in text order;
 * once all labels are known, the user tells the instructions that end a block.
 * px_ends.code is then what px_flow_graph takes.
 */
#ifndef PX_CHECK_ENDS_H
#define PX_CHECK_ENDS_H

#include "front/module.h"
#include "flow/graph.h"

struct px_ends {
    struct px_arena *arena;
    bool any_label; /* the caller's: a target in a table that is no label (a range) may be any label; else,
                       the end */
    PX_VEC(struct px_label_at {
        px_pos pos;
        uint32_t item;
    })
    labels; /* item: the first behind it; in text order */
    PX_VEC(const struct px_stmt *) tables;
    uint32_t n; /* instructions so far */
    struct px_flow_code code;
    uint64_t listed;              /* targets in tables, with any_label */
    bool too_many;                /* so many that they were left out, with any_label */
    const struct px_inst *astray; /* the first with a target that is no label; NULL */
};

/* Gives every instruction of the body to `add`, in text order, and notes labels and tables on the way. */
void px_ends_body(struct px_ends *ends, const struct px_block *body,
                  void (*add)(void *user, const struct px_inst *inst), void *user);

/* All n instructions are numbered. */
void px_ends_begin(struct px_ends *ends, uint32_t n);

/* Instruction `item` ends its block; `leaves`: with an edge to the end, if it is no branch. In text order. */
void px_ends_add(struct px_ends *ends, const struct px_inst *inst, uint32_t item, bool leaves);

#endif
