/*
 * memory.c - which memory there is and was: faults, what was freed and is used, bad frees, leaks.
 *
 * Allocations that live are a list by address. Those that were freed are remembered, newest last, until there
 * are many: an access to one is told of with the places where it was made and freed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "san/state.h"

/* ---- allocations ---- */

/* Number of the first that begins behind the address. */
static uint32_t behind(const struct px_memories *m, uint64_t address)
{
    uint32_t low = 0, high = m->n;
    if (high && m->at[high - 1]->address <= address) return high;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (m->at[middle]->address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct px_memory *px_memory_at(struct px_san *san, uint64_t address)
{
    struct px_memories *m = &san->memory;
    if (m->last && address - m->last->address < m->last->bytes) return m->last;
    const uint32_t i = behind(m, address);
    struct px_memory *a = i ? m->at[i - 1] : NULL;
    if (!a || address - a->address >= a->bytes) return NULL;
    return m->last = a;
}

static void free_memory(struct px_san *san, struct px_memory *a)
{
    px_bits_free(san, &a->written);
    px_free(san->clocks.alloc, a, sizeof *a);
}

static struct px_maker maker_of(struct px_san *san, const ptx_trace_memory *e)
{
    if (!e->at) return (struct px_maker){.stack = px_stack_here(san)};
    return (struct px_maker){.place = px_san_place_new(san, e->at) + 1};
}

static void add(struct px_san *san, const ptx_trace_memory *e)
{
    struct px_memories *m = &san->memory;
    if (!px_san_room(san, &m->at, m->n, &m->cap, sizeof *m->at)) return;
    struct px_memory *a = px_zalloc(san->clocks.alloc, sizeof *a);
    if (!a) {
        san->clocks.lost = true;
        return;
    }
    *a = (struct px_memory){.address = e->address,
                            .bytes = e->bytes,
                            .owner = e->owner,
                            .made = maker_of(san, e),
                            .work = e->work};
    m->in_order |= e->work != 0;
    const uint32_t i = behind(m, e->address);
    memmove(&m->at[i + 1], &m->at[i], (m->n++ - i) * sizeof *m->at);
    m->at[i] = a;
}

/* Remembers it as freed; the oldest of those makes room. */
static void bury(struct px_san *san, struct px_memory *a)
{
    struct px_memories *m = &san->memory;
    px_bits_free(san, &a->written);
    struct px_memory **at = &m->gone[m->ngone++ % PX_GONE_MOST];
    if (*at) free_memory(san, *at);
    *at = a;
}

static struct px_memory *begins_at(struct px_san *san, uint64_t address)
{
    struct px_memory *a = px_memory_at(san, address);
    return a && a->address == address ? a : NULL;
}

static void end(struct px_san *san, const ptx_trace_memory *e)
{
    struct px_memories *m = &san->memory;
    struct px_memory *a = begins_at(san, e->address);
    if (!a) return;
    if (!a->asked) a->freed = maker_of(san, e);
    const uint32_t i = behind(m, e->address) - 1;
    memmove(&m->at[i], &m->at[i + 1], (--m->n - i) * sizeof *m->at);
    m->last = NULL;
    bury(san, a);
}

/* The host asks now; who performs it later is a worker. */
static void ask(struct px_san *san, const ptx_trace_memory *e)
{
    struct px_memory *a = begins_at(san, e->address);
    if (!a) return;
    a->asked = true;
    a->freed = maker_of(san, e);
}

/* The newest that was freed and held the address. */
static const struct px_memory *freed_at(const struct px_san *san, uint64_t address)
{
    const struct px_memories *m = &san->memory;
    const uint64_t first = m->ngone > PX_GONE_MOST ? m->ngone - PX_GONE_MOST : 0;
    for (uint64_t i = m->ngone; i-- > first;) {
        const struct px_memory *a = m->gone[i % PX_GONE_MOST];
        if (address - a->address < a->bytes) return a;
    }
    return NULL;
}

/* The one that is nearest to an address in none; NULL: none is near. */
static const struct px_memory *near(const struct px_san *san, uint64_t address)
{
    enum { FAR = 64 << 20 };
    const struct px_memories *m = &san->memory;
    const uint32_t i = behind(m, address);
    const struct px_memory *below = i ? m->at[i - 1] : NULL, *above = i < m->n ? m->at[i] : NULL;
    const uint64_t past = below ? address - below->address - below->bytes : UINT64_MAX,
                   before = above ? above->address - address : UINT64_MAX;
    if (past > FAR && before > FAR) return NULL;
    return past <= before ? below : above;
}

/* ---- findings ---- */

static void about(struct px_found *f, const struct px_memory *a)
{
    if (!a) return;
    f->base = a->address;
    f->size = a->bytes;
    f->owner = a->owner;
    f->made = a->made;
    f->freed = a->freed;
}

static struct px_found found_by(const ptx_trace_memory *e, ptx_check_kind kind)
{
    struct px_found f = {
        .kind = kind,
        .count = 1,
        .address = e->address,
        .place = {PX_NO_PLACE, PX_NO_PLACE},
        .side[0] = {.how = (uint8_t)e->how, .bytes = (uint8_t)(e->bytes < 255 ? e->bytes : 255)},
        .block[0] = {.grid = e->grid},
        .place_in = {e->thread[0], e->thread[1], e->thread[2]}};
    memcpy(f.block[0].cta, e->cta, sizeof f.block[0].cta);
    return f;
}

static bool is_global(const ptx_trace_memory *e)
{
    return (e->space == PTX_COUNT_GLOBAL || e->space == PTX_COUNT_GENERIC) && e->address >> 57 == 0;
}

static void fault(struct px_san *san, const ptx_trace_memory *e)
{
    enum { MISALIGNED = 716 };
    const struct px_memory *gone = is_global(e) && e->error != MISALIGNED ? freed_at(san, e->address) : NULL;
    struct px_found f = found_by(e, gone                     ? PTX_FOUND_FREED
                                    : e->error == MISALIGNED ? PTX_FOUND_MISALIGNED
                                                             : PTX_FOUND_OUTSIDE);
    f.place[0] = f.place[1] = px_san_place_new(san, e->at);
    f.shared = e->space == PTX_COUNT_SHARED;
    f.global = is_global(e);
    strncpy(f.text, e->message, sizeof f.text - 1);
    if (is_global(e)) about(&f, gone ? gone : near(san, e->address));
    px_found_add(san, &f);
}

static void bad_free(struct px_san *san, const ptx_trace_memory *e)
{
    const struct px_memory *gone = freed_at(san, e->address), *inside = px_memory_at(san, e->address);
    struct px_found f = found_by(e, gone && !inside && gone->address == e->address ? PTX_FOUND_FREED_TWICE
                                                                                   : PTX_FOUND_BAD_FREE);
    f.here = maker_of(san, e);
    f.global = true;
    f.owner = e->owner;
    if (e->at) f.place[0] = f.place[1] = f.here.place - 1;
    about(&f, inside ? inside : f.kind == PTX_FOUND_FREED_TWICE ? gone : NULL);
    px_found_add(san, &f);
}

/* ---- in stream order ---- */

static struct px_found found_in(struct px_san *san, const struct px_blk *b, const ptx_trace_access *a,
                                const ptx_trace_lane *l, ptx_check_kind kind)
{
    struct px_found f = {.kind = kind,
                         .shared = a->reached == PTX_COUNT_SHARED,
                         .global = a->reached == PTX_COUNT_GLOBAL,
                         .address = l->address,
                         .count = 1,
                         .thread = {l->thread},
                         .block = {san->block[b->id]}};
    f.place[0] = f.place[1] = px_san_place_of(san, a->at);
    f.side[0] = (struct px_side){
        .block = b->id, .how = (uint8_t)a->how, .bytes = (uint8_t)(l->bytes < 255 ? l->bytes : 255)};
    return f;
}

static void early(struct px_san *san, const struct px_blk *b, const ptx_trace_access *a,
                  const ptx_trace_lane *l, const struct px_memory *memory)
{
    const struct px_grd *g = px_san_grid(san, b->grid);
    if (!g || !g->work || px_works_order(san, memory->work, g->work) != PX_WORKS_APART) return;
    struct px_found f = found_in(san, b, a, l, PTX_FOUND_EARLY);
    px_found_where(san, px_found_add(san, &f), a);
}

/* The lane leaves the variable that its address is computed from. */
static void beside(struct px_san *san, const struct px_blk *b, const ptx_trace_access *a,
                   const ptx_trace_lane *l)
{
    struct px_found f = found_in(san, b, a, l, PTX_FOUND_BESIDE);
    snprintf(f.text, sizeof f.text, "%s", a->variable_name);
    px_found_where(san, px_found_add(san, &f), a);
}

static void look_beside(struct px_san *san, const struct px_blk *b, const ptx_trace_access *a)
{
    for (unsigned i = 0; a->variable_bytes && i < a->nlanes; i++) {
        const uint64_t offset = a->lanes[i].address - a->variable;
        if (offset > a->variable_bytes || a->lanes[i].bytes > a->variable_bytes - offset)
            beside(san, b, a, &a->lanes[i]);
    }
}

void px_memory_access(struct px_san *san, const struct px_blk *b, const ptx_trace_access *a)
{
    look_beside(san, b, a);
    if (!san->memory.in_order || a->reached != PTX_COUNT_GLOBAL) return;
    for (unsigned i = 0; i < a->nlanes; i++) {
        struct px_memory *memory = px_memory_at(san, a->lanes[i].address);
        if (!memory || !memory->work || memory->used_by == a->grid) continue;
        memory->used_by = a->grid;
        early(san, b, a, &a->lanes[i], memory);
    }
}

/* ---- events ---- */

static bool checks_memory(const struct px_san *san)
{
    return san->checks & PTX_CHECK_MEMORY;
}

static int hear(struct px_san *san, const ptx_trace_memory *e)
{
    switch (e->kind) {
    case PTX_TRACE_ALLOC: add(san, e); break;
    case PTX_TRACE_FREE: end(san, e); break;
    case PTX_TRACE_FREE_ASKED: ask(san, e); break;
    case PTX_TRACE_AFTER: px_work_event(san, e); break;
    case PTX_TRACE_HOST_WAITED:
        px_work_event(san, e);
        px_san_tidy(san);
        break;
    case PTX_TRACE_BAD_FREE:
        if (checks_memory(san)) bad_free(san, e);
        break;
    case PTX_TRACE_FAULT:
        if (checks_memory(san)) fault(san, e);
        return checks_memory(san);
    default: px_init_copy(san, e);
    }
    return 0;
}

int px_san_memory(void *user, const ptx_trace_memory *e)
{
    struct px_san *san = user;
    pthread_mutex_lock(&san->lock);
    int answer = san->clocks.lost ? 0 : hear(san, e);
    pthread_mutex_unlock(&san->lock);
    if (san->next.memory) answer |= san->next.memory(san->next.user, e);
    return answer;
}

/* ---- leaks ---- */

static bool same_maker(const struct px_maker *a, const struct px_maker *b)
{
    return a->stack == b->stack && a->place == b->place;
}

/* Adds it to the finding of those that were made in the same place. */
static void count_leak(const struct px_memory *a, struct px_found *leaks, uint32_t *n)
{
    uint32_t i = 0;
    while (i < *n && (leaks[i].owner != a->owner || !same_maker(&leaks[i].made, &a->made))) i++;
    struct px_found *f = &leaks[i];
    if (i == *n) {
        *f = (struct px_found){.kind = PTX_FOUND_LEAK,
                               .place = {PX_NO_PLACE, PX_NO_PLACE},
                               .global = true,
                               .address = a->address};
        about(f, a);
        f->size = 0;
        ++*n;
    }
    f->count++;
    f->size += a->bytes;
}

struct px_found *px_leaks(struct px_san *san, uint32_t *n)
{
    const struct px_memories *m = &san->memory;
    *n = 0;
    if (!(san->checks & PTX_CHECK_LEAK) || !m->n) return NULL;
    struct px_found *leaks = px_alloc(san->clocks.alloc, m->n * sizeof *leaks);
    for (uint32_t i = 0; leaks && i < m->n; i++) count_leak(m->at[i], leaks, n);
    return leaks;
}

void px_memory_end(struct px_san *san)
{
    struct px_memories *m = &san->memory;
    for (uint32_t i = 0; i < m->n; i++) free_memory(san, m->at[i]);
    for (uint32_t i = 0; i < PX_GONE_MOST; i++)
        if (m->gone[i]) free_memory(san, m->gone[i]);
    px_free(san->clocks.alloc, m->at, m->cap * sizeof *m->at);
    px_free(san->clocks.alloc, san->stack, san->stacks_cap * sizeof *san->stack);
}
