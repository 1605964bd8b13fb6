/*
 * alloc.c - the configured allocator.
 *
 * Everything the library allocates comes through here, so an embedder (or a
 * test that makes the n-th allocation fail) sees every byte. A size of zero is
 * asked as one byte, so that NULL always means failure.
 */
#include "base/alloc.h"
#include <stdlib.h>
#include <string.h>

static void *libc_realloc(void *user, void *ptr, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    if (size) return realloc(ptr, size);
    free(ptr);
    return NULL;
}

ptx_allocator px_alloc_or_default(const ptx_allocator *a)
{
    if (a && a->realloc) return *a;
    return (ptx_allocator){.realloc = libc_realloc};
}

void *px_alloc(const ptx_allocator *a, size_t size)
{
    return a->realloc(a->user, NULL, 0, size ? size : 1);
}

void *px_zalloc(const ptx_allocator *a, size_t size)
{
    void *p = px_alloc(a, size);
    if (p) memset(p, 0, size);
    return p;
}

void *px_realloc(const ptx_allocator *a, void *p, size_t old_size, size_t size)
{
    return a->realloc(a->user, p, p && !old_size ? 1 : old_size, size ? size : 1);
}

void px_free(const ptx_allocator *a, void *p, size_t size)
{
    if (p) a->realloc(a->user, p, size ? size : 1, 0);
}
