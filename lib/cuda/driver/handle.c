/*
 * handle.c - the table of handles.
 *
 * A slot counts who works with its object, in one word together with its generation and whether the handle is
 * still good, so taking is one compare-and-swap and needs no lock. The handle itself counts as one user.
 * Slots are never given back to the system, only used again under another generation.
 */
#include <stdlib.h>
#include "cuda/driver/driver.h"

enum { CHUNK = 1024, CHUNKS = 8192, LIVE_BIT = 31, GENERATION_BITS = 16, KIND_SHIFT = 48 };
#define LIVE (1ull << LIVE_BIT)
#define REFS (LIVE - 1)

struct slot {
    _Atomic uint64_t state; /* generation << 32 | live << 31 | users */
    struct px_cu_object *object;
    uint32_t next_free; /* place + 1; guarded by lock */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct slot *) chunks[CHUNKS];
static _Atomic uint32_t used; /* slots that were ever given out */
static uint32_t first_free;   /* place + 1; guarded by lock */

static struct slot *slot_at(uint32_t place)
{
    struct slot *chunk = atomic_load_explicit(&chunks[place / CHUNK], memory_order_acquire);
    return chunk ? &chunk[place % CHUNK] : NULL;
}

/* A slot that nobody uses; NULL: no memory. */
static struct slot *slot_get(uint32_t *place)
{
    pthread_mutex_lock(&lock);
    struct slot *slot = NULL;
    if (first_free) {
        *place = first_free - 1;
        slot = slot_at(*place);
        first_free = slot->next_free;
    } else if ((*place = atomic_load(&used)) < CHUNK * CHUNKS) {
        if (*place % CHUNK == 0) atomic_store(&chunks[*place / CHUNK], calloc(CHUNK, sizeof *slot));
        slot = slot_at(*place);
        if (slot) atomic_store(&used, *place + 1);
    }
    pthread_mutex_unlock(&lock);
    return slot;
}

static void slot_free(struct slot *slot, uint32_t place)
{
    pthread_mutex_lock(&lock);
    slot->next_free = first_free;
    first_free = place + 1;
    pthread_mutex_unlock(&lock);
}

void *px_cu_new(enum px_cu_kind kind, size_t size, struct px_cu_context *context, void (*destroy)(void *))
{
    uint32_t place = 0;
    struct px_cu_object *object = calloc(1, size);
    struct slot *slot = object ? slot_get(&place) : NULL;
    if (!slot) {
        free(object);
        return NULL;
    }
    *object = (struct px_cu_object){kind, place, context ? px_cu_again(context) : NULL, destroy};
    slot->object = object;
    const uint64_t generation = (atomic_load(&slot->state) >> 32) + 1;
    atomic_store_explicit(&slot->state, generation << 32 | LIVE | 1, memory_order_release);
    return object;
}

void *px_cu_handle(const void *pointer)
{
    const struct px_cu_object *object = pointer;
    const uint64_t generation = atomic_load(&slot_at(object->place)->state) >> 32;
    return (void *)(uintptr_t)((uint64_t)object->kind << KIND_SHIFT |
                               (generation & ((1u << GENERATION_BITS) - 1)) << 32 | object->place | 1u << 31);
}

enum px_cu_kind px_cu_kind_of(const void *handle)
{
    const uint64_t kind = (uint64_t)(uintptr_t)handle >> KIND_SHIFT;
    return kind <= PX_CU_USER_OBJECT ? (enum px_cu_kind)kind : 0;
}

static struct slot *slot_of(const void *handle, enum px_cu_kind kind)
{
    const uint64_t number = (uint64_t)(uintptr_t)handle;
    const uint32_t place = (uint32_t)number & ~(1u << 31);
    if (number >> KIND_SHIFT != (uint64_t)kind || !(number & 1u << 31) || place >= atomic_load(&used))
        return NULL;
    return slot_at(place);
}

static bool is_of(uint64_t state, const void *handle)
{
    const uint64_t mask = (1u << GENERATION_BITS) - 1;
    return state & LIVE && (state >> 32 & mask) == ((uint64_t)(uintptr_t)handle >> 32 & mask);
}

void *px_cu_take(const void *handle, enum px_cu_kind kind)
{
    struct slot *slot = slot_of(handle, kind);
    uint64_t state = slot ? atomic_load_explicit(&slot->state, memory_order_relaxed) : 0;
    while (is_of(state, handle))
        if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return slot->object->kind == kind ? slot->object : (px_cu_give(slot->object), NULL);
    return NULL;
}

void *px_cu_again(void *pointer)
{
    const struct px_cu_object *object = pointer;
    atomic_fetch_add_explicit(&slot_at(object->place)->state, 1, memory_order_relaxed);
    return pointer;
}

static void end(struct slot *slot)
{
    struct px_cu_object *object = slot->object;
    struct px_cu_context *context = object->context;
    const uint32_t place = object->place;
    if (object->destroy) object->destroy(object);
    free(object);
    slot->object = NULL;
    slot_free(slot, place);
    px_cu_give(context);
}

void px_cu_give(void *pointer)
{
    const struct px_cu_object *object = pointer;
    if (!object) return;
    struct slot *slot = slot_at(object->place);
    const uint64_t before = atomic_fetch_sub_explicit(&slot->state, 1, memory_order_acq_rel);
    if ((before & REFS) == 1) end(slot);
}

bool px_cu_drop(const void *handle, enum px_cu_kind kind)
{
    struct slot *slot = slot_of(handle, kind);
    uint64_t state = slot ? atomic_load(&slot->state) : 0;
    while (is_of(state, handle))
        if (atomic_compare_exchange_weak(&slot->state, &state, (state & ~LIVE) - 1)) {
            if ((state & REFS) == 1) end(slot);
            return true;
        }
    return false;
}

void px_cu_each(enum px_cu_kind kind, const struct px_cu_context *context,
                void (*fn)(void *object, void *user), void *user)
{
    const uint32_t count = atomic_load(&used);
    for (uint32_t place = 0; place < count; place++) {
        struct slot *slot = slot_at(place);
        uint64_t state = atomic_load(&slot->state);
        while (state & LIVE && !atomic_compare_exchange_weak(&slot->state, &state, state + 1)) {
        }
        if (!(state & LIVE)) continue;
        struct px_cu_object *object = slot->object;
        if ((!kind || object->kind == kind) && (!context || object->context == context)) fn(object, user);
        px_cu_give(object);
    }
}
