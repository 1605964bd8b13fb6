/* alloc.h - the configured allocator, with the C library as default. */
#ifndef PX_BASE_ALLOC_H
#define PX_BASE_ALLOC_H

#include <stddef.h>
#include "ptx.h"

/* A copy of `a` whose realloc is never NULL. */
ptx_allocator px_alloc_or_default(const ptx_allocator *a);

void *px_alloc(const ptx_allocator *a, size_t size);  /* not zeroed; NULL on failure */
void *px_zalloc(const ptx_allocator *a, size_t size); /* zeroed; NULL on failure */
void *px_realloc(const ptx_allocator *a, void *p, size_t old_size, size_t size);
void px_free(const ptx_allocator *a, void *p, size_t size); /* NULL is allowed */

#endif
