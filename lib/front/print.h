/* print.h - from tree to canonical text (modifiers in the manual's order). */
#ifndef PX_FRONT_PRINT_H
#define PX_FRONT_PRINT_H

#include "front/ast.h"
#include "ptx.h"

/* Prints a checked tree; returns the first nonzero result of `write`, else 0. */
int px_print(const struct px_tree *tree, ptx_write_fn write, void *user);

/* One instruction as text, without newline, into buf (cut to fit, always terminated). */
void px_print_inst(const struct px_inst *inst, char *buf, size_t size);

#endif
