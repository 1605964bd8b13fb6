/* shadow.c - pages of cells, found by address. */
#include "san/shadow.h"
#include <string.h>
#include "base/alloc.h"

enum { FIRST_BUCKETS = 64 };

static size_t cell_bytes(const struct px_page *page)
{
    return (size_t)(PX_PAGE_BYTES >> page->shift) * sizeof(struct px_cell);
}

void px_shadow_init(struct px_shadow *s, const ptx_allocator *alloc)
{
    *s = (struct px_shadow){.alloc = alloc};
}

void px_shadow_clear(struct px_shadow *s)
{
    for (uint32_t i = 0; i < s->nbuckets; i++)
        for (struct px_page *page = s->bucket[i], *next; page; page = next) {
            next = page->next;
            px_free(s->alloc, page->cell, cell_bytes(page));
            px_free(s->alloc, page, sizeof *page);
        }
    px_free(s->alloc, s->bucket, s->nbuckets * sizeof *s->bucket);
    px_shadow_init(s, s->alloc);
}

static uint32_t bucket_of(const struct px_shadow *s, uint64_t number)
{
    return (uint32_t)(number * 0x9e3779b97f4a7c15u >> 32) & (s->nbuckets - 1);
}

static bool grow(struct px_shadow *s)
{
    const uint32_t n = s->nbuckets ? 2 * s->nbuckets : FIRST_BUCKETS;
    struct px_shadow fresh = *s;
    fresh.nbuckets = n;
    fresh.bucket = px_zalloc(s->alloc, n * sizeof *fresh.bucket);
    if (!fresh.bucket) return false;
    for (uint32_t i = 0; i < s->nbuckets; i++)
        for (struct px_page *page = s->bucket[i], *next; page; page = next) {
            struct px_page **to = &fresh.bucket[bucket_of(&fresh, page->number)];
            next = page->next;
            page->next = *to;
            *to = page;
        }
    px_free(s->alloc, s->bucket, s->nbuckets * sizeof *s->bucket);
    *s = fresh;
    return true;
}

static struct px_page *add(struct px_shadow *s, uint64_t number)
{
    if (s->npages >= s->nbuckets && !grow(s)) return NULL;
    struct px_page *page = px_zalloc(s->alloc, sizeof *page);
    if (!page) return NULL;
    page->number = number;
    page->shift = 2;
    page->cell = px_zalloc(s->alloc, cell_bytes(page));
    if (!page->cell) {
        px_free(s->alloc, page, sizeof *page);
        return NULL;
    }
    struct px_page **to = &s->bucket[bucket_of(s, number)];
    page->next = *to;
    s->npages++;
    return *to = page;
}

struct px_page *px_shadow_find(struct px_shadow *s, uint64_t number)
{
    struct px_page *page = s->nbuckets ? s->bucket[bucket_of(s, number)] : NULL;
    while (page && page->number != number) page = page->next;
    if (!page) page = add(s, number);
    return s->recent[number % PX_RECENT] = page;
}

bool px_page_split(struct px_shadow *s, struct px_page *page)
{
    if (!page->shift) return true;
    struct px_page bytes = *page;
    bytes.shift = 0;
    bytes.cell = px_alloc(s->alloc, cell_bytes(&bytes));
    if (!bytes.cell) return false;
    for (uint32_t i = 0; i < PX_PAGE_BYTES; i++) bytes.cell[i] = page->cell[i >> page->shift];
    px_free(s->alloc, page->cell, cell_bytes(page));
    *page = bytes;
    return true;
}
