/*
 * entries.h - where an object has the entries of a runtime that is linked into it.
 *
 * An object that is not stripped names them (audit.c). In a stripped one they are found by comparing its code
 * with the user's own archive of that runtime (archive.c), and kept in a file by the object's build id
 * (cache.c).
 */
#ifndef PX_CUDA_REDIRECT_ENTRIES_H
#define PX_CUDA_REDIRECT_ENTRIES_H

#include "cuda/redirect/elf.h"

struct px_redirect_entry {
    int number;       /* of its name (names.h) */
    uint64_t address; /* in the object */
    uint64_t size;
};

struct px_redirect_entries {
    struct px_redirect_entry *at;
    size_t count, room;
    unsigned release; /* 0, 1, 2: 11, 12, 13 */
    unsigned left;    /* entries that have more than one place, and so none */
    int left_name;    /* of one of them */
};

/* The number of a name of the runtime, or -1. */
int px_redirect_name_number(const char *name);
/* False: out of memory. */
bool px_redirect_entry_add(struct px_redirect_entries *entries, int number, uint64_t address, uint64_t size);
void px_redirect_entries_free(struct px_redirect_entries *entries);
/* Which release a list of functions is of, by names that only some have. */
unsigned px_redirect_release_of(const struct px_symbols *symbols);

/* Whether an object holds a runtime, as texts in it say. */
bool px_redirect_holds_runtime(const struct px_elf *file);
/* The entries of a stripped object, of an archive that is its runtime's. False: `archive` cannot be read, or
 * is another release's. */
bool px_redirect_archive(const char *archive, const struct px_elf *file, struct px_redirect_entries *entries);

/* What was found before; false: nothing. */
bool px_redirect_cache_read(const struct px_elf *file, struct px_redirect_entries *entries);
void px_redirect_cache_write(const struct px_elf *file, const struct px_redirect_entries *entries);

#endif
