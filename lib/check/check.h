/* check.h - resolves names and checks a parsed module. */
#ifndef PX_CHECK_CHECK_H
#define PX_CHECK_CHECK_H

#include "check/module.h"

/*
 * Checks module->tree: header, declarations, scopes, every instruction. Fills
 * the [check] fields of the tree, module->functions and ->symbols. Errors go to
 * module->diags; checking goes on after each.
 */
void px_check(struct ptx_module *module);

/* inst.c: one instruction against its form. Operands already carry their symbols; `memo` knows what fitted before. */
struct px_memo;
void px_check_inst(struct ptx_module *module, struct px_memo *memo, struct px_inst *inst);

/*
 * Binds a checked instruction to its form again (cheap; nothing is diagnosed).
 * False when the instruction has no form, which a module without errors never has.
 */
bool px_match_inst(const struct px_inst *inst, struct px_match *match);

/* order.c: modifiers in the manual's order, as indices into inst->mods; false when the instruction has no form. */
bool px_modifier_order(const struct px_inst *inst, uint8_t out[]);

#endif
