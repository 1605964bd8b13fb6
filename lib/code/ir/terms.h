/* terms.h - registers that are a scalar plus a term of the lane's place in its block (px_lane_term). */
#ifndef PX_CODE_IR_TERMS_H
#define PX_CODE_IR_TERMS_H

#include "code/ir/fn.h"

/* What values.c knows of the registers of a function: instructions that write and read each, and blocks that
 * read it before they write it. */
struct px_ir_uses {
    const struct px_flow_lists *defs, *uses, *exposed;
};

/* Registers all of whose definitions have one term become PX_IR_LANES, as far as this alone can tell: when
 * what they are made of turns out to be rows, so do they. */
void px_terms_find(struct px_irfn *f, const struct px_ir_uses *uses);

/* Is the instruction done for scalars alone where all its other sources are scalars: does it define a
 * PX_IR_LANES, or is it a comparison of one that ends in branches? */
bool px_terms_alone(const struct px_irfn *f, const struct px_ir_inst *in);

/* Finds the predicates that branches alone read. */
void px_terms_branches(struct px_irfn *f, const struct px_ir_uses *uses);

/* The last word: those that lead to no address, branch or other such register are rows; those that are read
 * as rows, too, get theirs where they are written. */
void px_terms_prune(struct px_irfn *f, const struct px_ir_uses *uses);

/* How convergent code takes for granted what may be otherwise: a record before the instruction's, or in its
 * place. What it tests is in the names. */
enum px_terms_guard { PX_TERMS_NONE, PX_TERMS_FITS_S32, PX_TERMS_FITS_U32, PX_TERMS_COMPARE };
enum px_terms_guard px_terms_guard(const struct px_irfn *f, const struct px_ir_inst *in);

/* Of PX_TERMS_COMPARE: which source is the PX_IR_LANES, and the comparison with it on the left. */
struct px_terms_compare {
    uint8_t lanes, other; /* operands */
    uint8_t what;         /* px_assume_compare takes it */
};
bool px_terms_compare(const struct px_irfn *f, const struct px_ir_inst *in, struct px_terms_compare *c);

#endif
