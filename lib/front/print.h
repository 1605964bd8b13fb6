/* print.h - from tree to canonical text (modifiers in the manual's order). */
#ifndef PX_FRONT_PRINT_H
#define PX_FRONT_PRINT_H

#include "front/ast.h"
#include "ptx.h"

/*
 * Puts the modifiers of `inst` into the manual's order: fills out[] with their
 * indices in inst->mods and returns true, or returns false to have them as
 * written. The instruction table knows the order; lib/check binds it to this.
 */
typedef bool (*px_order_fn)(const struct px_inst *inst, uint8_t out[]);

/* Prints a checked tree; `order` may be NULL. Returns the first nonzero result of `write`, else 0. */
int px_print(const struct px_tree *tree, px_order_fn order, ptx_write_fn write, void *user);

/* One instruction as text, without newline, into buf (cut to fit, always terminated). */
void px_print_inst(const struct px_inst *inst, char *buf, size_t size);

#endif
