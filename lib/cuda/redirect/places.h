/*
 * places.h - the entries of a stripped object, of whatever archive on this machine is its runtime's.
 */
#ifndef PX_CUDA_REDIRECT_PLACES_H
#define PX_CUDA_REDIRECT_PLACES_H

#include "cuda/redirect/entries.h"

enum px_redirect_search {
    PX_SEARCH_FOUND,
    PX_SEARCH_NO_ARCHIVE,
    PX_SEARCH_OTHER /* there are archives, of other releases */
};

enum px_redirect_search px_redirect_search(const char *object, const struct px_elf *file,
                                           struct px_redirect_entries *entries);

#endif
