/* forks.c - see forks.h. Both run the divergent version of the code, which knows nothing of lanes but their
 * mask. */
#include "vm/run/forks.h"
#include "base/alloc.h"
#include "ops/row.h"
#include "vm/sched/cooperative.h"
#include "vm/device/device.h"
#include <stdlib.h>
#include "vm/run/tally.h"

void px_gang_activate(struct px_gang *g, struct px_lanes lanes)
{
    g->active = lanes;
    g->nactive = px_lanes_count(&lanes);
    g->full = g->nactive == g->n;
    g->level->to_row(lanes.w, g->n, PX_ROW(g, uint32_t, 0));
}

/* ---- finding ---- */

static int from_fork(const void *pc, const void *fork)
{
    const uint32_t a = *(const uint32_t *)pc, b = ((const struct px_fork *)fork)->at;
    return (a > b) - (a < b);
}

const struct px_fork *px_fork_at(const struct px_fcode *code, uint32_t pc)
{
    return code->nforks ? bsearch(&pc, code->forks, code->nforks, sizeof *code->forks, from_fork) : NULL;
}

static int from_loop(const void *pc, const void *loop)
{
    const uint32_t a = *(const uint32_t *)pc, b = ((const struct px_loop *)loop)->head;
    return (a > b) - (a < b);
}

const struct px_loop *px_loop_at(const struct px_fcode *code, uint32_t pc)
{
    return code->nloops ? bsearch(&pc, code->loops, code->nloops, sizeof *code->loops, from_loop) : NULL;
}

/* ---- forks ---- */

static void activate_way(struct px_gang *g, struct px_lanes lanes, uint32_t n)
{
    g->active = lanes;
    g->nactive = n;
    g->full = n == g->n;
    g->level->to_row(lanes.w, g->n, PX_ROW(g, uint32_t, 0));
}

static int run_way(struct px_gang *g, const struct px_way *way, struct px_fork_stop *stop)
{
    const struct px_insn *code = px_fcode_div(g->running->code), *in = code + way->first,
                         *end = code + way->end;
    int step = PX_STEP_NEXT;
    const uint32_t before = code[way->first - 1].ord;
    for (; in < end; in++) {
        step = in->fn(g, in);
        if (step == PX_STEP_ARRIVED) px_cooperative_arrived(g->cta->grid), step = PX_STEP_NEXT;
        if (step != PX_STEP_NEXT) break;
    }
    px_tally_run(g, before, step == PX_STEP_NEXT ? before + way->insts : in[-1].ord);
    stop->lanes = g->active;
    stop->pc = (uint32_t)(in - code);
    return step;
}

int px_fork_run(struct px_gang *g, const struct px_fork *fork, struct px_fork_stop *stop)
{
    const struct px_lanes all = g->active, taken = g->taken;
    const uint32_t n = g->nactive, ntaken = px_lanes_count(&taken);
    int step = PX_STEP_NEXT;
    stop->rest = fork->taken.insts ? fork->taken.first : fork->join;
    g->forked = true;
    if (fork->other.insts) {
        activate_way(g, px_lanes_minus(all, taken), n - ntaken);
        step = run_way(g, &fork->other, stop);
    }
    if (step == PX_STEP_NEXT && fork->taken.insts) {
        stop->rest = fork->join;
        activate_way(g, taken, ntaken);
        step = run_way(g, &fork->taken, stop);
    }
    g->forked = false;
    activate_way(g, all, n);
    return step;
}

static void run_inside(struct px_gang *g, const struct px_insn *div, const struct px_way *way)
{
    const struct px_insn *in = div + way->code;
    int step;
    if (!way->insts) return;
    while ((step = in->fn(g, in)) <= PX_STEP_NEXT) in += 1 - step;
}

void px_fork_inside(struct px_gang *g, const struct px_fork *fork, const struct px_loop *loop,
                    struct px_laps *laps)
{
    struct px_lanes others;
    uint64_t taken = 0;
    uint32_t *mask = PX_ROW(g, uint32_t, 0);
    for (uint32_t w = 0; w * 64 < g->n; w++) { /* word by word, as the branch has just written them */
        others.w[w] = g->active.w[w] & ~g->taken.w[w];
        taken += px_lanes_bytes(g->taken.w[w]) * 0x0101010101010101u >> 56;
    }
    px_tally_fork(g, laps, fork, (uint32_t)taken);
    if (fork->by_taken ? fork->taken.insts : fork->other.insts)
        g->level->to_row(fork->by_taken ? g->taken.w : others.w, g->n, mask);
    const struct px_insn *div = px_fcode_div(g->running->code);
    /* In the order of the code: a way may write whole rows of values that nothing behind it in that order
     * reads, though the other way does. */
    const bool first = fork->other.first < fork->taken.first;
    run_inside(g, div, first ? &fork->other : &fork->taken);
    run_inside(g, div, first ? &fork->taken : &fork->other);
    if (loop->masked) g->level->to_row(g->active.w, g->n, mask);
}

/* ---- narrowed loops ---- */

static bool make_room(struct px_gang *g, size_t bytes)
{
    struct px_narrow *w = &g->worker->narrow;
    if (bytes <= w->bytes) return true;
    const ptx_allocator *a = &g->cta->grid->device->sched.alloc;
    uint8_t *room = px_realloc(a, w->room, w->bytes, bytes);
    if (!room) return false;
    w->room = room;
    w->bytes = bytes;
    return true;
}

#define MOVE_LANES(T)                                                                                        \
    for (uint32_t i = 0; i < n; i++) ((T *)(void *)to)[at[i]] = ((const T *)(const void *)from)[by[i]]

/* Element by[i] of one row becomes element at[i] of another. */
static void move_lanes(uint8_t *to, const uint8_t *at, const uint8_t *from, const uint8_t *by, uint32_t n,
                       uint32_t elem)
{
    switch (elem) {
    case 2: MOVE_LANES(uint16_t); break;
    case 4: MOVE_LANES(uint32_t); break;
    case 8: MOVE_LANES(uint64_t); break;
    default: MOVE_LANES(px_b128); break;
    }
}

static uint32_t list_lanes(uint8_t *list, struct px_lanes lanes)
{
    uint32_t n = 0, lane;
    PX_FOR_LANES(lane, lanes) list[n++] = (uint8_t)lane;
    return n;
}

/* Lanes of the spare frame that are to be run when so many are active. */
static uint32_t lanes_for(uint32_t nactive)
{
    return (nactive + 31) & ~31u;
}

bool px_narrow_pays(const struct px_gang *g, const struct px_loop *loop)
{
    const uint32_t n = lanes_for(g->nactive);
    return loop->whole ? n * 4 <= g->n * 3 : g->nactive * 2 <= g->n;
}

static void stand(struct px_gang *g, uint32_t n, struct px_lanes lanes)
{
    g->n = n;
    px_gang_activate(g, lanes);
}

/* The active lanes' elements of the loop's rows in one frame move together in another, or stay where they
 * are. */
static void move_rows(struct px_gang *g, const struct px_loop *loop, uint8_t *to, const uint8_t *from,
                      bool pack)
{
    for (uint32_t i = 0; i < loop->nrows; i++) {
        const struct px_loop_row *r = &loop->rows[i];
        if (pack)
            g->level->pack(to + r->at, from + r->at, g->active.w, g->n, r->elem);
        else
            memcpy(to + r->at, from + r->at, (size_t)g->n * r->elem);
    }
}

bool px_narrow_begin(struct px_gang *g, const struct px_loop *loop)
{
    const struct px_fcode *code = g->running->code;
    struct px_narrow *w = &g->worker->narrow;
    const bool pack = px_narrow_pays(g, loop);
    if ((!pack && !loop->whole) || !make_room(g, code->frame_bytes + 64)) return false;
    uint8_t *base = (uint8_t *)(((uintptr_t)w->room + 63) & ~(uintptr_t)63), *from = g->frame;
    memcpy(base + code->uniform, from + code->uniform, code->rows - code->uniform);
    memcpy(base + code->pool, from + code->pool, code->pool_bytes);
    move_rows(g, loop, base, from, pack);
    g->frame = base;
    g->narrow = true;
    w->nleft = 0;
    if (g->worker->tally) px_tally_aside(g);
    if (pack) {
        if (g->worker->tally) px_tally_packed(g, &g->active);
        list_lanes(w->lane, g->active);
        stand(g, lanes_for(g->nactive), px_lanes_below(g->nactive));
    } else {
        for (uint32_t i = 0; i < g->n; i++) w->lane[i] = (uint8_t)i;
        stand(g, g->n, g->active);
    }
    return true;
}

void px_narrow_again(struct px_gang *g, const struct px_loop *loop)
{
    struct px_narrow *w = &g->worker->narrow;
    uint8_t list[PX_LANES_MAX];
    const uint32_t n = list_lanes(list, g->active);
    move_rows(g, loop, g->frame, g->frame, true);
    for (uint32_t i = 0; i < n; i++) w->lane[i] = w->lane[list[i]];
    if (g->worker->tally) px_tally_packed(g, &g->active);
    stand(g, lanes_for(n), px_lanes_below(n));
}

struct px_lanes px_narrow_leave(struct px_gang *g, const struct px_loop *loop, struct px_lanes lanes,
                                uint32_t pc)
{
    const struct px_narrow *w = &g->worker->narrow;
    uint8_t list[PX_LANES_MAX], home[PX_LANES_MAX], *to = g->running->base;
    struct px_lanes out = {{0}};
    const uint32_t n = list_lanes(list, lanes);
    for (uint32_t i = 0; i < n; i++) {
        home[i] = w->lane[list[i]];
        px_lanes_set(&out, home[i]);
    }
    for (uint32_t i = 0; i < loop->nrows; i++) {
        const struct px_loop_row *r = &loop->rows[i];
        if (r->written && r->first_pc <= pc && pc <= r->last_pc)
            move_lanes(to + r->at, home, g->frame + r->at, list, n, r->elem);
    }
    px_gang_activate(g, px_lanes_minus(g->active, lanes));
    return out;
}

void px_narrow_end(struct px_gang *g)
{
    g->narrow = false;
    g->n = g->width;
}
