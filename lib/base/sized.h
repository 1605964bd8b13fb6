/*
 * sized.h - structs of the public interface: they begin with their size, and grow at their end.
 *
 * A caller states the size that it was compiled with; 0 stands for the size of the first version. Whichever
 * of caller and library is newer, neither touches what the other does not have.
 */
#ifndef PX_BASE_SIZED_H
#define PX_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the first version of a struct, which `last` ended. Never to be
 * changed once released; and a new field never stands where the version before had padding. */
#define PX_FIRST(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/*
 * Fills `own` (of `size` bytes) from the caller's struct; `given` may be NULL. What the caller's version
 * lacks is zero. False: its size is none that there ever was, or it asks by a field that is not zero for what
 * this version of the library does not know.
 */
bool px_take(void *own, size_t size, size_t first, const void *given);

/* Can a caller's struct be filled? */
bool px_can_give(const void *given, size_t first);
/* Fills it as far as its version goes; what is newer than the library becomes zero. Its size stays. */
void px_give(void *given, const void *own, size_t size, size_t first);

#endif
