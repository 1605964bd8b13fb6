/* found.c - places and findings: one for each pair of places. */
#include <string.h>
#include "base/alloc.h"
#include "san/state.h"

/* ---- places ---- */

static bool same_place(const ptx_trace_place *a, const ptx_trace_place *b)
{
    return a->line == b->line && a->column == b->column && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->function, b->function) == 0 && strcmp(a->file, b->file) == 0 &&
           strcmp(a->instruction, b->instruction) == 0;
}

static const char *put(char **to, const char *text)
{
    const char *at = *to;
    const size_t n = strlen(text) + 1;
    memcpy(*to, text, n);
    *to += n;
    return at;
}

static bool copy_place(struct px_san *san, const ptx_trace_place *at, struct px_san_place *p)
{
    p->text_bytes = strlen(at->kernel) + strlen(at->function) + strlen(at->instruction) + strlen(at->file) +
                    strlen(at->source) + 5;
    char *to = p->text = px_alloc(san->clocks.alloc, p->text_bytes);
    if (!to) return san->clocks.lost = true, false;
    p->is = *at;
    p->is.kernel = put(&to, at->kernel);
    p->is.function = put(&to, at->function);
    p->is.instruction = put(&to, at->instruction);
    p->is.file = put(&to, at->file);
    p->is.source = put(&to, at->source);
    return true;
}

static uint32_t add_place(struct px_san *san, const ptx_trace_place *at)
{
    uint32_t *bucket = &san->bucket[(at->line * 31 + at->column) % PX_PLACE_KEYS];
    for (uint32_t i = *bucket; i; i = san->place[i - 1].next)
        if (same_place(&san->place[i - 1].is, at)) return i - 1;
    struct px_san_place fresh = {.next = *bucket};
    if (!px_san_room(san, &san->place, san->nplaces, &san->places_cap, sizeof fresh)) return 0;
    if (!copy_place(san, at, &fresh)) return 0;
    san->place[san->nplaces] = fresh;
    *bucket = san->nplaces + 1;
    return san->nplaces++;
}

uint32_t px_san_place_new(struct px_san *san, const ptx_trace_place *at)
{
    return add_place(san, at);
}

/* Keys are forgotten when nothing is under way: the engine may use an address again afterwards. */
uint32_t px_san_place_of(struct px_san *san, const ptx_trace_place *at)
{
    struct px_place_key *key = &san->key[((uintptr_t)at >> 4) * 0x9e3779b1u >> 8 & (PX_PLACE_KEYS - 1)];
    if (key->at != at || !key->place) *key = (struct px_place_key){at, add_place(san, at) + 1};
    return key->place - 1;
}

/* ---- findings ---- */

static bool same_finding(const struct px_found *a, const struct px_found *b)
{
    return a->kind == b->kind && memcmp(a->place, b->place, sizeof a->place) == 0 && a->shared == b->shared &&
           a->here.stack == b->here.stack && (a->kind != PTX_FOUND_FREED || a->base == b->base);
}

static struct px_found *add_found(struct px_san *san, struct px_found **to, const struct px_found *found)
{
    struct px_found *f = px_alloc(san->clocks.alloc, sizeof *f);
    if (!f) {
        san->clocks.lost = true;
        return NULL;
    }
    *f = *found;
    f->next = *to;
    san->nfound++;
    return *to = f;
}

static struct px_found **bucket_of(struct px_san *san, const struct px_found *found)
{
    const uint32_t hash = found->place[0] * 31u + found->place[1] * 7u + (uint32_t)found->kind;
    return &san->found[hash % PX_FOUND_BUCKETS];
}

struct px_found *px_found_known(struct px_san *san, const struct px_found *found)
{
    struct px_found *f = *bucket_of(san, found);
    while (f && !same_finding(f, found)) f = f->next;
    return f;
}

struct px_found *px_found_add(struct px_san *san, const struct px_found *found)
{
    struct px_found *f = px_found_known(san, found);
    if (!f) return add_found(san, bucket_of(san, found), found);
    const uint64_t count = f->count + 1;
    const bool worse = f->mild && !found->mild;
    if (worse) {
        struct px_found *next = f->next;
        *f = *found; /* the worse one is the example */
        f->next = next;
    }
    f->count = count;
    return worse ? f : NULL;
}

void px_found_memory(struct px_san *san, struct px_found *f)
{
    const struct px_memory *a = f ? px_memory_at(san, f->address) : NULL;
    if (!a) return;
    f->base = a->address;
    f->size = a->bytes;
    f->owner = a->owner;
    f->made = a->made;
}

void px_found_where(struct px_san *san, struct px_found *f, const ptx_trace_access *a)
{
    if (!f) return;
    if (san->where) san->where(a, f->address, f->where, sizeof f->where);
    if (f->global) px_found_memory(san, f);
}

void px_found_free(struct px_san *san)
{
    const ptx_allocator *a = san->clocks.alloc;
    for (uint32_t i = 0; i < PX_FOUND_BUCKETS; i++)
        for (struct px_found *f = san->found[i], *next; f; f = next) {
            next = f->next;
            px_free(a, f, sizeof *f);
        }
    for (uint32_t i = 0; i < san->nplaces; i++) px_free(a, san->place[i].text, san->place[i].text_bytes);
    px_free(a, san->place, san->places_cap * sizeof *san->place);
    px_free(a, san->text, san->text_bytes);
}
