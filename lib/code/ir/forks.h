/* forks.h - what is run by lanes that have parted without entries of their own, and what may stand in it. */
#ifndef PX_CODE_IR_FORKS_H
#define PX_CODE_IR_FORKS_H

#include "code/ir/fn.h"

static inline uint32_t px_ir_node_at(const struct px_irfn *f, uint32_t label)
{
    return f->graph.node_of[f->labels.at[label]];
}
static inline bool px_ir_branches(const struct px_ir_inst *in)
{
    return in->op == PX_IR_BRANCH || in->op == PX_IR_JUMP;
}
/* NULL: the node is the end, or a block of nothing. */
const struct px_ir_inst *px_ir_last_of(const struct px_irfn *f, uint32_t node);

/* Does the instruction no more than go on to the next one, or trap? */
bool px_ir_is_straight(const struct px_ir_inst *in);
/* The same, and it looks at no lanes, nor at memory. */
bool px_ir_computes(const struct px_ir_inst *in);

/* The loop that the block at this place of the order heads: its blocks; 0: it heads none. */
uint32_t px_ir_loop_blocks(const struct px_irfn *f, uint32_t place);

/* Rows that a loop names, at most. */
enum { PX_IR_LOOP_ROWS = 48 };
/* Does each lane name a place of its own by this address of local memory? Places of all lanes are rows, which
 * whole gangs reach at once, so loops that name those do not run aside. */
bool px_ir_is_indexed(const struct px_irfn *f, const struct px_ir_opd *address);

/* By place in the order: instructions before it; one more behind the last. */
uint32_t *px_ir_placed(const struct px_irfn *f, struct px_arena *arena);
/* By register: does convergent code add to its row? Then that may matter when the register does not. */
bool *px_ir_bases(const struct px_irfn *f, struct px_arena *arena);

/* The fork that the block is a way of, where such ways have records of their own; NULL: none. */
const struct px_ir_fork *px_ir_way_inside(const struct px_irfn *f, uint32_t node);

/* Has nobody but the lanes of these instructions, [first, end) in the order, anything in the row of the
 * result? */
bool px_ir_is_local(const struct px_irfn *f, const bool *is_base, const struct px_ir_inst *in, uint32_t first,
                    uint32_t end);

#endif
