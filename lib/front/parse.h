/* parse.h - from text to tree. */
#ifndef PX_FRONT_PARSE_H
#define PX_FRONT_PARSE_H

#include "base/diag.h"
#include "front/ast.h"

/*
 * Parses the whole source into `tree` (structure only). Syntax errors go to
 * `diags`; the parser stops at the first, as ptxas does, and what it read
 * before stays in the tree. Unwinds through the arena when memory runs out.
 */
void px_parse(struct px_arena *arena, struct px_names *names, struct px_source *source, struct px_diags *diags,
              struct px_tree *tree);

#endif
