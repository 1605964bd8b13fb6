/* parse.h - from text to tree. */
#ifndef PX_FRONT_PARSE_H
#define PX_FRONT_PARSE_H

#include "base/diag.h"
#include "front/ast.h"

/*
 * Someone who looks at a module while it is read: told of all items so far
 * after every function and at the end; false ends the parse. What `bodies`
 * holds (the statements of functions, and what the watcher puts there) lives as
 * long as the tree, or with `drop_bodies` until the watcher has seen the function.
 */
struct px_watch {
    bool (*items)(void *user, const struct px_item *items, uint32_t n, struct px_arena *bodies);
    void *user;
    bool drop_bodies; /* leaves empty bodies in the tree */
    bool recovers;    /* the parser goes on behind a statement with a syntax error */
};

/*
 * Parses the whole source into `tree` (structure only). Syntax errors go to
 * `diags`; the parser stops at the first, as ptxas does, unless the watcher asks
 * for more; what it read stays in the tree. Unwinds through the arena when memory runs out.
 * `watch` may be NULL.
 */
void px_parse(struct px_arena *arena, struct px_names *names, struct px_source *source,
              struct px_diags *diags, struct px_tree *tree, const struct px_watch *watch);

#endif
