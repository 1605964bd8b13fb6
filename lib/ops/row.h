/*
 * row.h - the loops that handlers are made of (handlers_fixed.c and what isagen writes).
 *
 * A handler is a loop over the lanes of rows. Rows never overlap partially: a
 * destination either is a source row or shares no byte with it, because
 * rows.c keeps rows of different element sizes apart. That is what lets
 * every loop carry `ivdep`. Masked loops blend (d = m ? new : d) instead of
 * branching: that is the form compilers turn into vector code.
 */
#ifndef PX_OPS_ROW_H
#define PX_OPS_ROW_H

#include "gang/gang.h"

__extension__ typedef unsigned __int128 px_b128;

#define PX_PASTE_(a, b) a##b
#define PX_PASTE(a, b) PX_PASTE_(a, b)

/* A name that each SIMD level has for itself: px_<name>_<level>. */
#define PX_AT_LEVEL(name) PX_PASTE(px_##name##_, PX_LEVEL)

#define PX_LOOP _Pragma("GCC ivdep") for (uint32_t i = 0; i < n; i++)
#define PX_INLINE static inline __attribute__((always_inline))

/* Kernel memory is shared with other workers: races there are the kernel's, one element is never torn. */
#define PX_RACY __attribute__((no_sanitize("thread")))

#endif
