/*
 * handle.c - numbers that stand for objects: 32 bits of generation, 4 of kind, 28 of place.
 */
#include "vm/device/handle.h"
#include <stdbool.h>

enum { PLACE_BITS = 28 };
#define PLACES (1u << PLACE_BITS)

static bool more(struct px_handles *t, const ptx_allocator *alloc)
{
    if (t->n < t->cap) return true;
    const uint32_t cap = t->cap ? t->cap * 2 : 32;
    if (cap >= PLACES) return false;
    struct px_handle *at = px_realloc(alloc, t->at, t->cap * sizeof *at, cap * sizeof *at);
    if (!at) return false;
    t->at = at;
    t->cap = cap;
    return true;
}

uint64_t px_handle_add(struct px_handles *t, const ptx_allocator *alloc, enum px_handle_kind kind,
                       void *object)
{
    uint32_t place = t->free - 1;
    if (t->free) {
        t->free = t->at[place].next_free;
    } else {
        if (!more(t, alloc)) return 0;
        place = t->n++;
        t->at[place] = (struct px_handle){.generation = 0};
    }
    struct px_handle *h = &t->at[place];
    h->generation++;
    h->object = object;
    h->kind = (uint8_t)kind;
    return (uint64_t)h->generation << 32 | (uint64_t)kind << PLACE_BITS | place;
}

static struct px_handle *find(const struct px_handles *t, enum px_handle_kind kind, uint64_t number)
{
    const uint32_t place = (uint32_t)number & (PLACES - 1);
    if (place >= t->n || ((uint32_t)number >> PLACE_BITS) != (uint32_t)kind) return NULL;
    struct px_handle *h = &t->at[place];
    return h->object && h->kind == kind && h->generation == number >> 32 ? h : NULL;
}

void *px_handle_get(const struct px_handles *t, enum px_handle_kind kind, uint64_t number)
{
    const struct px_handle *h = find(t, kind, number);
    return h ? h->object : NULL;
}

void *px_handle_drop(struct px_handles *t, enum px_handle_kind kind, uint64_t number)
{
    struct px_handle *h = find(t, kind, number);
    if (!h) return NULL;
    void *object = h->object;
    h->object = NULL;
    h->next_free = t->free;
    t->free = (uint32_t)(h - t->at) + 1;
    return object;
}

void px_handles_free(struct px_handles *t, const ptx_allocator *alloc)
{
    px_free(alloc, t->at, t->cap * sizeof *t->at);
    *t = (struct px_handles){0};
}
