/* facts.h - what the table says of the operation of an instruction: passes match operations by these. */
#ifndef PX_CODE_IR_FACTS_H
#define PX_CODE_IR_FACTS_H

#include "code/ir/fn.h"

/* What the result is of the sources: of statements, copies and approximate units. */
enum px_result px_ir_result(const struct px_ir_inst *in);
/* Has the statement this modifier, as one that tells it from others? */
bool px_ir_has(const struct px_ir_inst *in, px_word word);
/* Bits of a statement's operand that is one whole number, or bits of no type: results come first. 0: it is
 * something else. */
unsigned px_ir_whole(const struct px_ir_inst *in, unsigned operand);
/* The same of its result where that is what px_ir_result says modulo its width: it is neither clamped, nor an
 * upper half, nor does it carry. */
unsigned px_ir_wraps(const struct px_ir_inst *in);
/* Is the operand signed? */
bool px_ir_signed(const struct px_ir_inst *in, unsigned operand);
/* Does it flush subnormal numbers? */
bool px_ir_flushes(const struct px_ir_inst *in);
/* Does nothing follow from it but its results? */
bool px_ir_is_pure(const struct px_ir_inst *in);

/* The two factors that a division ends in the product of (PX_IR_UNIT): units. */
struct px_ir_factors {
    uint16_t dividend, reciprocal;
};
struct px_ir_factors px_ir_factors(const struct px_ir_inst *in);
/* The unit with this result that flushes, or does not. */
uint16_t px_ir_unit_find(enum px_result result, bool flushes);

#endif
