/* clock.c - vector clocks, shared and copied on write. */
#include "san/clock.h"
#include <string.h>
#include "base/alloc.h"

/* ---- of one block ---- */

static size_t near_bytes(uint32_t n)
{
    return sizeof(struct px_near) + n * sizeof(uint32_t);
}

struct px_near *px_near_share(struct px_near *near)
{
    if (near) near->refs++;
    return near;
}

void px_near_drop(struct px_clocks *c, struct px_near *near)
{
    if (near && !--near->refs) px_free(c->alloc, near, near_bytes(near->n));
}

/* Nobody else holds *near afterwards. */
static bool own_near(struct px_clocks *c, struct px_near **near)
{
    struct px_near *old = *near;
    if (old->refs == 1) return true;
    struct px_near *copy = px_alloc(c->alloc, near_bytes(old->n));
    if (!copy) return c->lost = true, false;
    memcpy(copy, old, near_bytes(old->n));
    copy->refs = 1;
    old->refs--;
    *near = copy;
    return true;
}

void px_near_join(struct px_clocks *c, struct px_near **to, struct px_near *from)
{
    if (!from || *to == from) return;
    if (!*to) {
        *to = px_near_share(from);
        return;
    }
    if (!own_near(c, to)) return;
    for (uint32_t i = 0; i < from->n; i++)
        if (from->clock[i] > (*to)->clock[i]) (*to)->clock[i] = from->clock[i];
}

void px_near_raise(struct px_clocks *c, struct px_near **to, uint32_t n, uint32_t thread, uint32_t clock)
{
    if (!*to) {
        *to = px_zalloc(c->alloc, near_bytes(n));
        if (!*to) {
            c->lost = true;
            return;
        }
        (*to)->refs = 1;
        (*to)->n = n;
    }
    if ((*to)->clock[thread] >= clock || !own_near(c, to)) return;
    (*to)->clock[thread] = clock;
}

/* ---- of other blocks ---- */

static size_t far_bytes(uint32_t cap)
{
    return sizeof(struct px_far) + cap * sizeof(struct px_knowledge);
}

struct px_far *px_far_share(struct px_far *far)
{
    if (far) far->refs++;
    return far;
}

void px_far_drop(struct px_clocks *c, struct px_far *far)
{
    if (!far || --far->refs) return;
    for (uint32_t i = 0; i < far->n; i++) px_near_drop(c, far->at[i].near);
    px_free(c->alloc, far, far_bytes(far->cap));
}

/* Nobody else holds *far afterwards, and there is room for one more. */
static bool own_far(struct px_clocks *c, struct px_far **far)
{
    struct px_far *old = *far;
    const uint32_t n = old ? old->n : 0;
    if (old && old->refs == 1 && n < old->cap) return true;
    const uint32_t cap = n < 4 ? 8 : 2 * n;
    struct px_far *copy = px_alloc(c->alloc, far_bytes(cap));
    if (!copy) return c->lost = true, false;
    copy->refs = 1;
    copy->n = n;
    copy->cap = cap;
    copy->sum = old ? old->sum : 0;
    for (uint32_t i = 0; i < n; i++) {
        copy->at[i] = old->at[i];
        px_near_share(copy->at[i].near);
    }
    px_far_drop(c, old);
    *far = copy;
    return true;
}

/* The first entry whose block is not below `block`. */
static uint32_t place_of(const struct px_far *far, uint32_t block)
{
    uint32_t low = 0, high = far ? far->n : 0;
    if (high && far->at[high - 1].block < block) return high; /* blocks often come in order */
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (far->at[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct px_knowledge *px_far_find(const struct px_far *far, uint32_t block)
{
    const uint32_t i = place_of(far, block);
    return far && i < far->n && far->at[i].block == block ? &far->at[i] : NULL;
}

static uint64_t hash_of(const struct px_knowledge *k)
{
    uint64_t h = (uint64_t)k->block << 32 | k->thread;
    h = (h ^ h >> 31) * 0x9e3779b97f4a7c15u + ((uint64_t)k->clock << 32 | k->floor);
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u + (uintptr_t)k->near;
    return (h ^ h >> 27) * 0x94d049bb133111ebu;
}

/* Two of one block become one. */
static void merge(struct px_clocks *c, struct px_knowledge *to, const struct px_knowledge *k)
{
    if (k->floor > to->floor) to->floor = k->floor;
    px_near_join(c, &to->near, k->near);
    if (to->thread == k->thread) {
        if (k->clock > to->clock) to->clock = k->clock;
    } else if (k->clock > to->floor) {
        px_near_raise(c, &to->near, to->threads, k->thread, k->clock);
    }
}

void px_far_put(struct px_clocks *c, struct px_far **to, const struct px_knowledge *k)
{
    const struct px_knowledge *old = px_far_find(*to, k->block);
    if (old && old->floor >= k->floor && old->near == k->near && px_known_clock(old, k->thread) >= k->clock)
        return;
    if (!own_far(c, to)) return;
    struct px_far *far = *to;
    const uint32_t i = place_of(far, k->block);
    if (old) {
        far->sum -= hash_of(&far->at[i]);
        merge(c, &far->at[i], k);
        far->sum += hash_of(&far->at[i]);
        return;
    }
    memmove(&far->at[i + 1], &far->at[i], (far->n++ - i) * sizeof far->at[0]);
    far->at[i] = *k;
    far->at[i].far = NULL;
    far->sum += hash_of(&far->at[i]);
    px_near_share(k->near);
}

void px_far_join(struct px_clocks *c, struct px_far **to, struct px_far *from)
{
    if (!from || *to == from) return;
    if (!*to) {
        *to = px_far_share(from);
        return;
    }
    if ((*to)->sum == from->sum && (*to)->n == from->n) return;
    for (uint32_t i = 0; i < from->n; i++) px_far_put(c, to, &from->at[i]);
}

/* ---- of a thread ---- */

struct px_knowledge px_known_share(const struct px_knowledge *k)
{
    px_near_share(k->near);
    px_far_share(k->far);
    return *k;
}

void px_known_drop(struct px_clocks *c, struct px_knowledge *k)
{
    px_near_drop(c, k->near);
    px_far_drop(c, k->far);
    k->near = NULL;
    k->far = NULL;
}

uint32_t px_known_clock(const struct px_knowledge *k, uint32_t thread)
{
    uint32_t clock = k->floor;
    if (k->near && k->near->clock[thread] > clock) clock = k->near->clock[thread];
    if (k->thread == thread && k->clock > clock) clock = k->clock;
    return clock;
}

/* Of one block: the own clock of `to` is another thing than what it knows of others. */
static void join_block(struct px_clocks *c, struct px_knowledge *to, const struct px_knowledge *from)
{
    if (from->floor > to->floor) to->floor = from->floor;
    px_near_join(c, &to->near, from->near);
    if (from->thread != to->thread && from->clock > to->floor)
        px_near_raise(c, &to->near, to->threads, from->thread, from->clock);
}

void px_known_join_own(struct px_clocks *c, struct px_knowledge *to, const struct px_far *far)
{
    const struct px_knowledge *own = px_far_find(far, to->block);
    if (own) join_block(c, to, own);
}

void px_known_join(struct px_clocks *c, struct px_knowledge *to, const struct px_knowledge *from)
{
    if (from->block == to->block)
        join_block(c, to, from);
    else
        px_far_put(c, &to->far, from);
    if (!from->far || from->far == to->far) return;
    px_known_join_own(c, to, from->far);
    px_far_join(c, &to->far, from->far);
}

void px_known_merge(struct px_clocks *c, struct px_knowledge *to, const struct px_knowledge *from)
{
    if (!from->threads) return;
    if (!to->threads) {
        *to = px_known_share(from);
        return;
    }
    if (from->block == to->block)
        merge(c, to, from);
    else
        px_far_put(c, &to->far, from);
    if (!from->far || from->far == to->far) return;
    const struct px_knowledge *own = px_far_find(from->far, to->block);
    if (own) merge(c, to, own);
    px_far_join(c, &to->far, from->far);
}
