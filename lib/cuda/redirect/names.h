/*
 * names.h - the functions of the runtime, of all releases, numbered as the redirection knows them.
 *
 * A name that several rows have is in the list several times; the first counts.
 */
#ifndef PX_CUDA_REDIRECT_NAMES_H
#define PX_CUDA_REDIRECT_NAMES_H

#define NAME(name) +1
enum {
    PX_NAMES = 0
#include "cuda/redirect/rows.h"
};
#undef NAME

#define NAME(name) #name,
static const char *const px_names[] = {
#include "cuda/redirect/rows.h"
};
#undef NAME
_Static_assert(sizeof px_names / sizeof *px_names == PX_NAMES, "one list");

/* Thunk `release * PX_NAMES + name`, of so many bytes each, goes to that function of libcudart.so of a
 * release: 11, 12 and 13 are releases 0, 1 and 2. */
enum { PX_RELEASES = 3, PX_THUNK_BYTES = 16 };

/* An entry that no jump was written over, in words for the report; "": none. The audit library writes it
 * into px_redirect_left of the program's half before anything runs. */
enum { PX_LEFT_BYTES = 200 };

#endif
