/* reduce.h - --reduce CMD: the smallest module for which a command succeeds. */
#ifndef PTXAS_REDUCE_H
#define PTXAS_REDUCE_H

#include "document.h"

/* --reduce. The exit code: 0, or 255 after an error or an interruption. */
int reduce_run(const struct options *options);

/* A replacement of `length` bytes at `offset`. */
struct edit {
    uint32_t offset, length;
    const char *text;     /* of static storage, or NULL: nothing */
    unsigned long number; /* stands there instead when it is not 0 */
};

/* Edits that are tried together. */
struct unit {
    struct edit edits[2]; /* the second may have length 0 */
};

struct units {
    struct unit *at; /* owned; in the order of their first edits */
    size_t n, room;
};

/* The passes, from coarse to fine; false past the last one. Adds what the pass may take away from a document,
 * and says what that is. */
bool reduce_units(unsigned pass, const struct document *document, struct units *units, const char **what);

#endif
