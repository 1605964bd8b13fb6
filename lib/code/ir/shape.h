/* shape.h - how a version of the code takes the sources of a statement, and which instructions are one
 * record.
 */
#ifndef PX_CODE_IR_SHAPE_H
#define PX_CODE_IR_SHAPE_H

#include "code/ir/fn.h"

/*
 * What code is made for: lanes that may be elsewhere, lanes that are all together, which have scalars where
 * the others have rows (px_ir_keep); those of a loop that runs aside, and of the way of a fork there.
 */
enum px_ir_version { PX_IR_DIVERGENT, PX_IR_CONVERGENT, PX_IR_LOOP, PX_IR_WAY, PX_IR_VERSIONS };

/* Bit i of `bits`: the handler's place i takes a scalar; scalars without such a place are spread into rows.
 * Where they are `swapped`, the first two sources have changed places. */
struct px_ir_shape {
    uint8_t bits;
    bool swapped;
};
/* The handler with the most scalars that each statement has in each version: once it is known what convergent
 * code keeps. */
void px_ir_shapes(struct px_irfn *f);
static inline struct px_ir_shape px_ir_shape_of(const struct px_ir_inst *in, enum px_ir_version version)
{
    const unsigned both = in->shapes >> (version == PX_IR_CONVERGENT ? 4 : 0);
    return (struct px_ir_shape){both & 7, both >> 3 & 1};
}
/* What it is now, for the verifier. */
uint8_t px_ir_shapes_of(const struct px_irfn *f, const struct px_ir_inst *in);

/* The place of the handler that source i goes to. */
static inline unsigned px_ir_shape_place(struct px_ir_shape s, unsigned i)
{
    return s.swapped && i < 2 ? 1 - i : i;
}

/* How many sources a statement has. */
unsigned px_ir_sources(const struct px_irfn *f, const struct px_ir_inst *in);

/* Does convergent code hold the result of this statement, copy or move as a scalar, which it computes alone?
 */
bool px_ir_is_alone(const struct px_irfn *f, const struct px_ir_inst *in);

/* Does convergent code change the scalar of an offset, and leave the row of its base alone? */
bool px_ir_is_step(const struct px_irfn *f, const struct px_ir_inst *in);

/* Does convergent code access memory by a row whose survey it knows? */
bool px_ir_is_surveyed(const struct px_irfn *f, const struct px_ir_inst *in, const struct px_ir_opd *address);

/* Is anything that has one of the flags made of the instruction of the text that begins here? */
bool px_ir_begins(const struct px_irfn *f, const struct px_ir_inst *in, unsigned flags);

/* The floating-point mode behind the instruction, when it is `mode` before it. */
uint32_t px_ir_mode_asked(uint32_t mode, const struct px_ir_inst *in);
static inline uint32_t px_ir_mode(uint32_t mode, const struct px_ir_inst *in)
{
    return in->fp == PX_IR_FP_ANY ? mode : px_ir_mode_asked(mode, in);
}

/*
 * Is the instruction one record in both versions, when its mode is in force? PX_IR_ONE_AND_MORE: records that
 * tell what its result changes stand behind it. Only statements, canon, loads and stores are looked at: all
 * others are PX_IR_MORE, or PX_IR_NO_RECORD.
 */
static inline bool px_ir_makes_none(const struct px_ir_inst *in)
{
    return in->op == PX_IR_NOTHING || in->op == PX_IR_ARGUMENTS;
}
enum px_ir_size { PX_IR_NO_RECORD, PX_IR_ONE, PX_IR_ONE_AND_MORE, PX_IR_MORE };
enum px_ir_size px_ir_size_of(const struct px_irfn *f, const struct px_ir_inst *in);

#endif
