/* bases.h - which variable the address of each access is computed from. */
#ifndef PX_LINT_BASES_H
#define PX_LINT_BASES_H

#include "front/module.h"

struct px_function;

/* Operand `operand` of the instruction is an address in the variable, or was meant to be. */
typedef void (*px_lint_base_fn)(void *user, const struct px_inst *inst, unsigned operand,
                                const struct px_symbol *symbol);

/* Calls `tell` for each, in text order; the arena is for what that takes. */
void px_lint_bases(struct ptx_module *module, const struct px_function *function, struct px_arena *arena,
                   px_lint_base_fn tell, void *user);

#endif
