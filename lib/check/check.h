/* check.h - resolves names and checks a parsed module. */
#ifndef PX_CHECK_CHECK_H
#define PX_CHECK_CHECK_H

#include "front/module.h"

/*
 * Parses module->source into module->tree and checks it: header, declarations,
 * scopes, every instruction. Fills the [check] fields of the tree,
 * module->functions and ->symbols. Errors go to module->diags; checking goes on
 * after each. With module->check_only nothing of a body stays after its check:
 * the module tells what it declares, and cannot be printed or linked.
 */
void px_check(struct ptx_module *module);

/* whole.c: bytes of the variables that the module defines in a state space (.global, .const), in functions
 * too. */
uint64_t px_module_bytes(const struct ptx_module *module, enum px_space space);

#endif
