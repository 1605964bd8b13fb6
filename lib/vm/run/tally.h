/* tally.h - counting what is executed (gang/tally.h has the counters, and why they are ranges). */
#ifndef PX_VM_RUN_TALLY_H
#define PX_VM_RUN_TALLY_H

#include "gang/gang.h"
#include "gang/region.h"
#include "gang/tally.h"
#include "ptx_counts.h"
#include <stddef.h>

struct ptx_device;
struct ptx_program;

/* ---- while a gang runs; without counters they cost a comparison ---- */

void px_tally_range(struct px_gang *g, uint32_t from, uint32_t to);
void px_tally_divided(struct px_gang *g, uint32_t ord);
void px_tally_put_aside(struct px_gang *g, uint32_t ord, const struct px_lanes *lanes);

/* The active lanes executed k instructions: what limits and clocks go by. */
static inline void px_tally_add(struct px_gang *g, uint64_t k)
{
    struct px_worker *worker = g->worker;
    worker->thread_instructions += k * g->nactive;
    worker->warp_instructions += k * ((g->nactive + 31) / 32);
    g->cta->clock += k;
}

/* Instructions from + 1 to `to` of the running function were executed by the active lanes. */
static inline void px_tally_run(struct px_gang *g, uint32_t from, uint32_t to)
{
    px_tally_add(g, to - from);
    if (__builtin_expect(g->worker->tally != NULL, 0)) px_tally_range(g, from, to);
}

/*
 * What a loop runs again and again, with the same active lanes: ranges that follow one another are one,
 * through forks as if all lanes went both ways, and equal ones are counted together. px_tally_lapped tells of
 * them, and of who took which way, before the active lanes change.
 */
struct px_lap {
    uint32_t from, to, times;
};
enum { PX_LAPS_MOST = 4, PX_TURNS_MOST = 8 };
struct px_laps {
    uint32_t from, to;                       /* that runs now */
    uint32_t n, last;                        /* of `done`; the one that ran last */
    struct px_lap done[PX_LAPS_MOST];        /* that ran before, so often */
    const struct px_fork *fork;              /* its ways, and whom it divided */
    uint32_t join;                           /* the last number before they meet */
    uint64_t turns, threads, warps, divided; /* how often; lanes and warps that took it; warps divided */
    uint32_t nwaiting;                       /* turns that are not yet among them, but for the lanes */
    struct px_lanes taken[PX_TURNS_MOST];    /* lanes that took it in those */
};
/* Nothing is to be counted yet. */
static inline void px_tally_begin_laps(struct px_laps *laps)
{
    memset(laps, 0, offsetof(struct px_laps, taken));
}

void px_tally_new_lap(struct px_gang *g, struct px_laps *laps);
void px_tally_lapped(struct px_gang *g, struct px_laps *laps);

static inline void px_tally_lap(struct px_gang *g, struct px_laps *laps, uint32_t from, uint32_t to)
{
    px_tally_add(g, to - from);
    if (__builtin_expect(g->worker->tally == NULL, 1)) return;
    if (from != laps->to) {
        struct px_lap *last = &laps->done[laps->last];
        if (laps->from == last->from && laps->to == last->to)
            last->times++;
        else
            px_tally_new_lap(g, laps);
        laps->from = from;
    }
    laps->to = to;
}

void px_tally_turns(struct px_gang *g, struct px_laps *laps);
void px_tally_other_fork(struct px_gang *g, struct px_laps *laps, const struct px_fork *fork);

/* Lanes of g->taken, ntaken of them, run one way of the fork, the other active ones the other. */
static inline void px_tally_fork(struct px_gang *g, struct px_laps *laps, const struct px_fork *fork,
                                 uint32_t ntaken)
{
    const uint64_t a = fork->other.insts, b = fork->taken.insts, n = g->nactive - ntaken;
    struct px_worker *worker = g->worker;
    worker->thread_instructions += a * n + b * ntaken;
    worker->warp_instructions += a * ((n + 31) / 32) + b * ((ntaken + 31) / 32);
    g->cta->clock += a + b;
    if (__builtin_expect(worker->tally == NULL, 1)) return;
    if (laps->fork != fork) px_tally_other_fork(g, laps, fork);
    if (laps->nwaiting == PX_TURNS_MOST) px_tally_turns(g, laps);
    laps->to = laps->join;
    laps->threads += ntaken;
    uint64_t *taken = laps->taken[laps->nwaiting++].w;
    for (uint32_t w = 0; w < PX_MASK_WORDS; w++) taken[w] = g->taken.w[w];
}

/* Of the active lanes those of g->taken branch. */
static inline void px_tally_split(struct px_gang *g, uint32_t ord)
{
    if (__builtin_expect(g->worker->tally != NULL, 0)) px_tally_divided(g, ord);
}

/* `lanes` of the running function wait at the instruction. */
static inline void px_tally_wait(struct px_gang *g, uint32_t ord, const struct px_lanes *lanes)
{
    if (__builtin_expect(g->worker->tally != NULL, 0)) px_tally_put_aside(g, ord, lanes);
}

/* Of a region: `lanes` ran the block so often; what its code has counted. */
void px_tally_block(struct px_gang *g, const struct px_region_block *block, const struct px_lanes *lanes,
                    uint64_t times);
void px_tally_counted(struct px_gang *g, const struct px_region_block *block,
                      const struct px_region_count *count);

/* The active lanes go n ways. */
void px_tally_ways(struct px_gang *g, uint32_t ord, const struct px_lanes *ways, uint32_t n);
/* A loop begins to run in a frame of its own: lanes stand there as in the gang; then those of a set, only,
 * have moved together. */
void px_tally_aside(struct px_gang *g);
void px_tally_packed(struct px_gang *g, const struct px_lanes *lanes);

/* The worker's counters for the code, which it is about to run. False: there is no memory. */
bool px_tally_find(struct px_worker *worker, const struct px_code *code);
static inline bool px_tally_take(struct px_worker *worker, const struct px_code *code)
{
    worker->tally = NULL;
    return !code->tallies || px_tally_find(worker, code);
}

/* ---- asking ---- */

/* See ptx_device_counts. Nothing runs. */
ptx_status px_tally_tell(struct ptx_device *device, ptx_count_by by, ptx_count_fn tell, void *user);
ptx_status px_tally_clear(struct ptx_device *device);
/* The program is about to go: its counts stay. */
void px_tally_gone(struct ptx_program *program);
void px_tally_forget(struct ptx_device *device);

#endif
