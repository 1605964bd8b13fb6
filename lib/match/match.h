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

/* order.c: modifiers in the manual's order, as indices into inst->mods; false when the instruction has no
 * form. */
bool px_modifier_order(const struct px_inst *inst, uint8_t out[]);

#endif
