/*
 * origin.h - where the source of a place in a module is: .loc and inlined_at, for diagnostics.
 *
 * Found in the text, because a module that was only checked has no bodies left, and one with a syntax error
 * may have lost them.
 */
#ifndef PX_FRONT_ORIGIN_H
#define PX_FRONT_ORIGIN_H

#include "front/module.h"

struct px_loc_place {
    const char *file;
    unsigned line, column;
};

/* Collects the .file and .loc directives of the text; NULL: it has no .loc. */
struct px_origins *px_origins_find(struct px_arena *arena, const struct px_source *source);
/* The i-th place that `pos` comes from, within the function that begins at `start`; false past the last. */
bool px_origin_at(const struct px_origins *origins, px_pos start, px_pos pos, unsigned i,
                  struct px_loc_place *origin);

#endif
