/*
 * registers.h - which registers an instruction reads, and which it writes.
 *
 * One rule for all analyses of checked code: results are what the form says, and the first list of a call;
 * everything inside brackets, and the guard, is read. An accumulator that one operand reads and writes is
 * both.
 */
#ifndef PX_MATCH_REGISTERS_H
#define PX_MATCH_REGISTERS_H

#include "front/module.h"

/* `operand` is a name whose symbol is a register. */
typedef void px_register_visitor(void *user, const struct px_operand *operand, bool is_result);

/* Visits the registers that `inst`, of the form in `match`, writes (results) or reads, in the order of the
 * text. */
void px_visit_registers(const struct px_inst *inst, const struct px_match *match, bool results,
                        px_register_visitor *visit, void *user);

/* Is operand i written? */
bool px_is_result(const struct px_inst *inst, const struct px_match *match, unsigned i);

#endif
