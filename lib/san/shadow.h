/*
 * shadow.h - for each granule of memory, which accesses were the last (docs/checks.md).
 *
 * A cell names an access by its side and the lane in 32 bits; 0 is none. A page covers 1 KiB in granules of 4
 * bytes; once an access reaches part of a granule the page is split into bytes.
 */
#ifndef PX_SAN_SHADOW_H
#define PX_SAN_SHADOW_H

#include <stdbool.h>
#include <stdint.h>
#include "ptx.h"

enum { PX_PAGE_SHIFT = 10, PX_PAGE_BYTES = 1 << PX_PAGE_SHIFT, PX_RECENT = 64 };

/* Two readers are kept: of different threads, if there were such. */
struct px_cell {
    uint32_t write, read[2];
};

struct px_page {
    struct px_page *next; /* in a bucket, or spare */
    uint64_t number;      /* address >> PX_PAGE_SHIFT */
    uint8_t shift;        /* a granule is 1 << shift bytes: 2 or 0 */
    bool syncs;           /* somebody released to an address in it */
    bool raced;           /* px_blk.raced has an address of it */
    struct px_cell *cell;
};

struct px_shadow {
    const ptx_allocator *alloc;
    struct px_page **bucket;
    uint32_t nbuckets, npages;
    struct px_page *recent[PX_RECENT]; /* found last, by the low bits of their numbers */
};

void px_shadow_init(struct px_shadow *s, const ptx_allocator *alloc);
/* Forgets everything. */
void px_shadow_clear(struct px_shadow *s);
struct px_page *px_shadow_find(struct px_shadow *s, uint64_t number);
/* The page that holds the address; NULL: there is no memory. */
static inline struct px_page *px_shadow_page(struct px_shadow *s, uint64_t address)
{
    const uint64_t number = address >> PX_PAGE_SHIFT;
    struct px_page *page = s->recent[number % PX_RECENT];
    return page && page->number == number ? page : px_shadow_find(s, number);
}
/* Makes granules of bytes. False: there is no memory. */
bool px_page_split(struct px_shadow *s, struct px_page *page);

#endif
