/*
 * name.h - interned identifiers.
 *
 * Every identifier of a module is interned once; two names are equal when
 * their pointers are. A name carries two things found once per distinct
 * spelling instead of once per use: `word`, its number in the table of PTX
 * words (lib/isa), and `bound`, the innermost symbol that it denotes right now
 * (lib/check keeps it, saving and restoring at scope borders).
 */
#ifndef PX_BASE_NAME_H
#define PX_BASE_NAME_H

#include <stdbool.h>
#include "base/arena.h"

struct px_name {
    struct px_name *next; /* in its hash bucket */
    void *bound;          /* struct px_symbol *, owned by the checker; NULL when unbound */
    uint32_t hash;
    uint32_t len;
    uint16_t word; /* px_word: 0 when the spelling is no PTX word */
    bool unknown;  /* [check] used in this function without a declaration */
    bool faulty;   /* [check] its declaration was refused: errors about it only follow */
    char text[];   /* NUL-terminated */
};

struct px_names {
    struct px_arena *arena;
    struct px_name **buckets;
    uint32_t n, mask;
    uint16_t (*word_of)(const char *s, size_t n); /* asked once per new spelling */
};

void px_names_init(struct px_names *names, struct px_arena *arena, uint16_t (*word_of)(const char *, size_t));
struct px_name *px_names_intern(struct px_names *names, const char *s, size_t n);
/* The name if it was interned before, else NULL. */
struct px_name *px_names_find(const struct px_names *names, const char *s, size_t n);

#endif
