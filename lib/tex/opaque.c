/* opaque.c - the table of handles: chunks that never move, each twice as large as all before it. */
#include "tex/opaque.h"
#include "base/alloc.h"
#include "mem/mem.h"

enum { PLACE_BITS = 24, SHIFT = 3, GENERATION_SHIFT = PLACE_BITS + SHIFT };
#define GENERATIONS (1u << (PX_WINDOW_SHIFT - GENERATION_SHIFT))
#define PLACES (1u << PLACE_BITS)

static uint32_t chunk_of(uint32_t place)
{
    return 31u - (uint32_t)__builtin_clz(place / PX_OPAQUE_FIRST + 1);
}

static uint32_t chunk_first(uint32_t chunk)
{
    return ((1u << chunk) - 1) * PX_OPAQUE_FIRST;
}

static size_t chunk_bytes(uint32_t chunk)
{
    return ((size_t)PX_OPAQUE_FIRST << chunk) * sizeof(struct px_opaque_place);
}

static struct px_opaque_place *place_at(const struct px_opaques *t, uint32_t place)
{
    const uint32_t chunk = chunk_of(place);
    return atomic_load_explicit(&t->chunk[chunk], memory_order_acquire) + (place - chunk_first(chunk));
}

void px_opaques_init(struct px_opaques *t, const struct ptx_allocator *alloc)
{
    t->alloc = alloc;
}

void px_opaques_free(struct px_opaques *t)
{
    for (uint32_t i = 0; i < PX_OPAQUE_CHUNKS; i++) px_free(t->alloc, t->chunk[i], chunk_bytes(i));
}

/* Chunks for places below `end`. */
static bool make_room(struct px_opaques *t, uint32_t end)
{
    for (uint32_t i = 0; i < PX_OPAQUE_CHUNKS && chunk_first(i) < end; i++) {
        if (t->chunk[i]) continue;
        struct px_opaque_place *places = px_zalloc(t->alloc, chunk_bytes(i));
        if (!places) return false;
        atomic_store_explicit(&t->chunk[i], places, memory_order_release);
    }
    return true;
}

static uint64_t handle_of(const struct px_opaques *t, uint32_t place)
{
    return (uint64_t)PX_WIN_OPAQUE << PX_WINDOW_SHIFT | (uint64_t)t->generation << GENERATION_SHIFT |
           (uint64_t)place << SHIFT;
}

static void next_generation(struct px_opaques *t)
{
    t->generation = (t->generation + 1) % GENERATIONS;
}

uint64_t px_opaque_add(struct px_opaques *t, enum px_opaque_kind kind, const struct px_opaque_bound *bound)
{
    uint32_t place = t->free - 1;
    if (!t->free) {
        place = t->n;
        if (place == PLACES || !make_room(t, place + 1)) return 0;
        atomic_store_explicit(&t->n, place + 1, memory_order_release);
    } else {
        t->free = place_at(t, place)->next_free;
    }
    struct px_opaque_place *p = place_at(t, place);
    next_generation(t);
    p->kind = (uint8_t)kind;
    p->variable = false;
    atomic_store(&p->bound, bound);
    atomic_store_explicit(&p->handle, handle_of(t, place), memory_order_release);
    return p->handle;
}

uint64_t px_opaque_reserve(struct px_opaques *t, uint32_t count)
{
    const uint32_t first = t->n;
    if (count > PLACES - first || !make_room(t, first + count)) return 0;
    atomic_store_explicit(&t->n, first + count, memory_order_release);
    next_generation(t);
    for (uint32_t i = 0; i < count; i++) {
        struct px_opaque_place *p = place_at(t, first + i);
        p->variable = true;
        atomic_store_explicit(&p->handle, handle_of(t, first + i), memory_order_release);
    }
    return handle_of(t, first);
}

struct px_opaque_place *px_opaque_at(const struct px_opaques *t, uint64_t handle)
{
    const uint32_t place = (uint32_t)(handle >> SHIFT) & (PLACES - 1);
    if (px_window_of(handle) != PX_WIN_OPAQUE || place >= atomic_load_explicit(&t->n, memory_order_acquire))
        return NULL;
    struct px_opaque_place *p = place_at(t, place);
    return atomic_load_explicit(&p->handle, memory_order_acquire) == handle ? p : NULL;
}

const struct px_opaque_bound *px_opaque_drop(struct px_opaques *t, uint64_t handle)
{
    struct px_opaque_place *p = px_opaque_at(t, handle);
    if (!p) return NULL;
    const struct px_opaque_bound *bound = p->bound;
    atomic_store(&p->handle, 0);
    atomic_store(&p->bound, NULL);
    p->next_free = t->free;
    t->free = ((uint32_t)(handle >> SHIFT) & (PLACES - 1)) + 1;
    return bound;
}

const struct px_opaque_bound *px_opaque_taken(struct px_opaques *t, uint32_t place)
{
    return atomic_exchange(&place_at(t, place)->bound, NULL);
}

const struct px_opaque_bound *px_opaque_find(const struct px_opaques *t, uint64_t handle,
                                             enum px_opaque_kind kind, const char **why, bool *empty)
{
    static const char *const none[] = {"", "is no handle of a texture, or of one that was destroyed",
                                       "is no handle of a sampler, or of one that was destroyed",
                                       "is no handle of a surface, or of one that was destroyed"};
    static const char *const other[] = {"", "is the handle of a texture", "is the handle of a sampler",
                                        "is the handle of a surface"};
    struct px_opaque_place *p = px_opaque_at(t, handle);
    *empty = false;
    if (!p) return *why = none[kind], NULL;
    if (p->kind != kind && !(kind == PX_OPAQUE_SAMPLER && p->kind == PX_OPAQUE_TEXTURE))
        return *why = other[p->kind], NULL;
    const struct px_opaque_bound *bound = atomic_load_explicit(&p->bound, memory_order_acquire);
    if (!bound) return *empty = true, *why = "is a variable to which nothing is bound", NULL;
    if (bound->gone && atomic_load_explicit(bound->gone, memory_order_relaxed))
        return *why = "is bound to an array that was destroyed", NULL;
    return bound;
}
