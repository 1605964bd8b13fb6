/* check.h - resolves names and checks a parsed module. */
#ifndef PX_CHECK_CHECK_H
#define PX_CHECK_CHECK_H

#include "check/module.h"

/*
 * Parses module->source into module->tree and checks it: header, declarations,
 * scopes, every instruction. Fills the [check] fields of the tree,
 * module->functions and ->symbols. Errors go to module->diags; checking goes on
 * after each. With module->check_only nothing of a body stays after its check:
 * the module tells what it declares, and cannot be printed or linked.
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

/* whole.c: bytes of the variables that the module defines in a state space (.global, .const), in functions too. */
uint64_t px_module_bytes(const struct ptx_module *module, enum px_space space);

/* order.c: modifiers in the manual's order, as indices into inst->mods; false when the instruction has no form. */
bool px_modifier_order(const struct px_inst *inst, uint8_t out[]);

#endif
