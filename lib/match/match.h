/* match.h - an instruction against the forms of the table (docs/isa-table.md). */
#ifndef PX_MATCH_MATCH_H
#define PX_MATCH_MATCH_H

#include "front/module.h"

/* inst.c: one instruction against its form. Operands already carry their symbols; `memo` knows what fitted
 * before. */
struct px_memo;
void px_check_inst(struct ptx_module *module, struct px_memo *memo, struct px_inst *inst);

/*
 * Binds a checked instruction to its form again (cheap; nothing is diagnosed).
 * False when the instruction has no form, which a module without errors never has.
 */
bool px_match_inst(const struct px_inst *inst, struct px_match *match);
/* Do only its operands tell which of its form's optional ones are written? */
bool px_inst_is_ambiguous(const struct px_inst *inst);
bool px_inst_pair_written(const struct px_inst *inst); /* d|p */

/*
 * sets.c: is the instruction, with the modifiers as written, one that a `quirk` or `set` line names? Is its
 * i-th operand? The first operand that is; NULL: none.
 */
bool px_inst_quirk(const struct px_inst *inst, enum px_quirk quirk);
bool px_inst_in(const struct px_inst *inst, enum px_set set);
bool px_operand_in(const struct px_inst *inst, unsigned i, enum px_set set);
const struct px_operand *px_operand_of(const struct px_inst *inst, enum px_set set);

/* order.c: modifiers in the manual's order, as indices into inst->mods; false when the instruction has no
 * form. */
bool px_modifier_order(const struct px_inst *inst, uint8_t out[]);

#endif
