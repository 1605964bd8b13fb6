/* sized.c - copies between a caller's version of a struct and the library's. */
#include "base/sized.h"
#include <string.h>

/* No struct of the interface will ever be as large. */
enum { SIZE_LIMIT = 4096 };

/* The size of the caller's version; 0 when there is no such version. */
static size_t size_of(const void *given, size_t first)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    if (!size) return first;
    return size >= first && size <= SIZE_LIMIT ? size : 0;
}

bool px_take(void *own, size_t size, size_t first, const void *given)
{
    memset(own, 0, size);
    const size_t theirs = given ? size_of(given, first) : first;
    if (!theirs) return false;
    for (size_t i = size; i < theirs; i++)
        if (((const char *)given)[i]) return false;
    if (given) memcpy(own, given, theirs < size ? theirs : size);
    memcpy(own, &size, sizeof size);
    return true;
}

bool px_can_give(const void *given, size_t first)
{
    return given && size_of(given, first);
}

void px_give(void *given, const void *own, size_t size, size_t first)
{
    const size_t theirs = size_of(given, first), head = sizeof(size_t);
    memset((char *)given + head, 0, theirs - head);
    memcpy((char *)given + head, (const char *)own + head, (theirs < size ? theirs : size) - head);
}
