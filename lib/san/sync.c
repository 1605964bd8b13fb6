/*
 * sync.c - barriers that the threads of a warp do not reach together.
 *
 * Whoever leaves a barrier first looks at each warp that came: all its threads must have, by one instruction.
 * That holds for what PTX calls aligned (bar, barrier.aligned). A thread that is missing and has done
 * something since others of its warp came is elsewhere; one that has not may have ended before, which a chip
 * tolerates.
 */
#include <string.h>
#include "base/alloc.h"
#include "san/state.h"

static bool is_aligned(const ptx_trace_place *at)
{
    if (strstr(at->instruction, "cluster")) return false;
    return strncmp(at->instruction, "bar.", 4) == 0 || strstr(at->instruction, ".aligned");
}

static uint32_t warps_of(const struct px_blk *b)
{
    return (b->nthreads + PX_SAN_WARP - 1) / PX_SAN_WARP;
}

static struct px_warp_at *warp_at(struct px_san *san, struct px_blk *b, uint64_t number, uint32_t warp)
{
    if (!b->at) b->at = px_zalloc(san->clocks.alloc, PX_SAN_BARRIERS * warps_of(b) * sizeof *b->at);
    if (!b->at) san->clocks.lost = true;
    return b->at ? &b->at[number * warps_of(b) + warp] : NULL;
}

void px_sync_end(struct px_san *san, struct px_blk *b)
{
    px_free(san->clocks.alloc, b->at, PX_SAN_BARRIERS * warps_of(b) * sizeof *b->at);
    b->at = NULL;
}

static struct px_found found_at(const struct px_san *san, const struct px_blk *b, ptx_check_kind kind,
                                const uint32_t place[2], const uint32_t thread[2])
{
    struct px_found f = {.kind = kind, .count = 1, .apart = PX_APART_WARP};
    for (int i = 0; i < 2; i++) {
        f.place[i] = place[i];
        f.thread[i] = thread[i];
        f.side[i] = (struct px_side){.place = place[i], .block = b->id};
        f.block[i] = san->block[b->id];
    }
    return f;
}

static void come(struct px_san *san, struct px_blk *b, uint64_t number, uint32_t place, uint32_t thread)
{
    struct px_warp_at *w = warp_at(san, b, number, thread / PX_SAN_WARP);
    if (!w) return;
    if (!w->here) {
        *w = (struct px_warp_at){.place = place, .first = thread};
        b->waiting |= 1u << thread / PX_SAN_WARP;
    } else if (w->place != place) {
        const struct px_found f = found_at(san, b, PTX_FOUND_BARRIERS, (uint32_t[]){w->place, place},
                                           (uint32_t[]){w->first, thread});
        px_found_add(san, &f);
    }
    w->here |= 1u << thread % PX_SAN_WARP;
}

/* Lanes of the warp that exist. */
static uint32_t lanes_of(const struct px_blk *b, uint32_t warp)
{
    const uint32_t left = b->nthreads - warp * PX_SAN_WARP;
    return left < PX_SAN_WARP ? (1u << left) - 1 : UINT32_MAX;
}

static void look(struct px_san *san, struct px_blk *b, uint64_t number)
{
    for (uint32_t i = 0; i < warps_of(b); i++) {
        struct px_warp_at *w = warp_at(san, b, number, i);
        const uint32_t missing = w && w->here ? lanes_of(b, i) & ~w->here : 0;
        if (missing) {
            const uint32_t shown = missing & w->alive ? missing & w->alive : missing;
            const uint32_t thread = i * PX_SAN_WARP + (uint32_t)__builtin_ctz(shown);
            struct px_found f = found_at(san, b, PTX_FOUND_MISSING, (uint32_t[]){w->place, w->place},
                                         (uint32_t[]){w->first, thread});
            f.mild = !(missing & w->alive);
            px_found_add(san, &f);
        }
        if (w) *w = (struct px_warp_at){0};
    }
    b->waiting = 0;
    for (uint32_t i = 0; b->at && i < PX_SAN_BARRIERS * warps_of(b); i++)
        if (b->at[i].here) b->waiting |= 1u << i % warps_of(b);
}

void px_sync_alive(struct px_blk *b, uint32_t thread)
{
    const uint32_t warp = thread / PX_SAN_WARP, bit = 1u << thread % PX_SAN_WARP;
    for (uint32_t k = 0; k < PX_SAN_BARRIERS; k++) {
        struct px_warp_at *w = &b->at[k * warps_of(b) + warp];
        if (w->here && !(w->here & bit)) w->alive |= bit;
    }
}

void px_sync_event(struct px_san *san, struct px_blk *b, const ptx_trace_event *e)
{
    if (e->kind == PTX_TRACE_BARRIER_ARRIVE && e->number < PX_SAN_BARRIERS && is_aligned(e->at)) {
        const uint32_t place = px_san_place_of(san, e->at);
        for (unsigned i = 0; i < e->nthreads; i++) come(san, b, e->number, place, e->threads[i]);
        return;
    }
    if (e->kind != PTX_TRACE_BARRIER_LEAVE || !b->at || e->number >= PX_SAN_BARRIERS) return;
    const struct px_phase *p = b->thread[e->threads[0]].phase;
    if (p && !p->closed) look(san, b, e->number);
}
