/*
 * tally.c - counting while gangs run: see gang/tally.h.
 */
#include "vm/tally.h"
#include "vm/device.h"

static struct px_tally *counter(const struct px_gang *g, uint32_t index)
{
    return &g->worker->tally[g->running->code->tally_at + index];
}

/* Warps are bits at the last lane that they have in a word. Where lanes are as in the gang, these are: */
#define WHOLE_WARPS 0x8000000080000000u
static const struct px_warp_ends whole = {{{WHOLE_WARPS, WHOLE_WARPS, WHOLE_WARPS, WHOLE_WARPS}}, {{0}}};

/*
 * The warps of which a lane is in word w of a set. The lanes of a warp stand side by side, so adding ones to
 * all but the last of them carries into that one's bit when any is set. *cut: a warp of the word before that
 * goes on.
 */
static inline uint64_t warps_in(const struct px_warp_ends *ends, uint32_t w, uint64_t in, uint64_t *cut)
{
    const uint64_t last = ends->last.w[w];
    const uint64_t goes = w + 1 < PX_MASK_WORDS && ends->again.w[w + 1] ? 1ull << 63 : 0;
    const uint64_t warps = ((((in & ~last) + ~last) | in) & last) | (ends->again.w[w] & (0 - *cut));
    *cut = (warps & goes) >> 63;
    return warps & ~goes;
}

static const struct px_warp_ends *ends_of(const struct px_gang *g)
{
    return g->narrow ? &g->worker->narrow.ends : &whole;
}

static struct px_lanes warps_of(const struct px_gang *g, const struct px_lanes *lanes)
{
    const struct px_warp_ends *ends = ends_of(g);
    struct px_lanes warps = {{0}};
    uint64_t cut = 0;
    for (uint32_t w = 0; w * 64 < g->n; w++) warps.w[w] = warps_in(ends, w, lanes->w[w], &cut);
    return warps;
}

/* How many: each byte has a few at most. */
static uint32_t number(const struct px_gang *g, const struct px_lanes *warps)
{
    uint64_t sum = 0;
    for (uint32_t w = 0; w * 64 < g->n; w++) sum += px_lanes_bytes(warps->w[w]);
    return (uint32_t)(sum * 0x0101010101010101u >> 56);
}

static uint32_t warps_among(const struct px_gang *g, const struct px_lanes *lanes)
{
    const struct px_lanes warps = warps_of(g, lanes);
    return number(g, &warps);
}

/* Warps of which lanes are in both sets. */
static uint32_t warps_between(const struct px_gang *g, const struct px_lanes *a, const struct px_lanes *b)
{
    const struct px_lanes warps = px_lanes_and(warps_of(g, a), warps_of(g, b));
    return number(g, &warps);
}

static void add(struct px_gang *g, uint32_t from, uint32_t n, uint64_t threads, uint64_t warps)
{
    struct px_tally *first = counter(g, from), *behind = first + n;
    first->threads += threads;
    first->warps += warps;
    behind->threads -= threads;
    behind->warps -= warps;
}

static void add_range(struct px_gang *g, uint32_t from, uint32_t to, uint64_t times)
{
    const uint32_t warps = g->full && !g->narrow ? g->nactive / 32 : warps_among(g, &g->active);
    add(g, from, to - from, g->nactive * times, warps * times);
}

void px_tally_range(struct px_gang *g, uint32_t from, uint32_t to)
{
    add_range(g, from, to, 1);
}

static void add_laps(struct px_gang *g, struct px_laps *laps)
{
    for (uint32_t i = 0; i < laps->n; i++)
        add_range(g, laps->done[i].from, laps->done[i].to, laps->done[i].times);
    laps->n = 0;
}

static void finish_lap(struct px_gang *g, struct px_laps *laps)
{
    if (laps->from == laps->to) return;
    for (uint32_t i = 0; i < laps->n; i++) {
        struct px_lap *lap = &laps->done[i];
        if (lap->from != laps->from || lap->to != laps->to) continue;
        lap->times++;
        return;
    }
    if (laps->n == PX_LAPS_MOST) add_laps(g, laps);
    laps->done[laps->n++] = (struct px_lap){laps->from, laps->to, 1};
}

void px_tally_laps(struct px_gang *g, struct px_laps *laps, uint32_t from, uint32_t to)
{
    if (from != laps->to) {
        finish_lap(g, laps);
        laps->from = from;
    }
    laps->to = to;
}

static uint32_t before_way(const struct px_gang *g, const struct px_way *way)
{
    return g->running->code->div[way->first - 1].ord;
}

static void finish_fork(struct px_gang *g, struct px_laps *laps)
{
    const struct px_fork *fork = laps->fork;
    if (!fork) return;
    const struct px_way *ways[2] = {&fork->other, &fork->taken};
    for (int i = 0; i < 2; i++)
        if (ways[i]->insts) add(g, before_way(g, ways[i]), ways[i]->insts, laps->threads[i], laps->warps[i]);
    counter(g, g->running->code->div[fork->at].ord - 1)->divided += laps->divided;
    memset(laps->threads, 0, sizeof laps->threads);
    memset(laps->warps, 0, sizeof laps->warps);
    laps->divided = 0;
}

/* Once a turn of a loop of a few instructions, hence for processors with an instruction that counts bits. */
static inline __attribute__((always_inline)) void add_warps(const struct px_gang *g, struct px_laps *laps)
{
    const struct px_warp_ends *ends = ends_of(g);
    uint64_t cut[2] = {0, 0};
    for (uint32_t w = 0; w * 64 < g->n; w++) {
        const uint64_t taken = warps_in(ends, w, g->taken.w[w], &cut[0]);
        const uint64_t others = warps_in(ends, w, g->active.w[w] & ~g->taken.w[w], &cut[1]);
        laps->warps[0] += (uint32_t)__builtin_popcountll(others);
        laps->warps[1] += (uint32_t)__builtin_popcountll(taken);
        laps->divided += (uint32_t)__builtin_popcountll(others & taken);
    }
}

#ifdef __x86_64__
static __attribute__((target("popcnt"))) void add_warps_counting(const struct px_gang *g,
                                                                 struct px_laps *laps)
{
    add_warps(g, laps);
}
#endif

void px_tally_ways_inside(struct px_gang *g, struct px_laps *laps, const struct px_fork *fork,
                          uint32_t ntaken)
{
    if (laps->fork != fork) {
        finish_fork(g, laps);
        laps->fork = fork;
    }
    laps->threads[0] += g->nactive - ntaken;
    laps->threads[1] += ntaken;
#ifdef __x86_64__
    if (__builtin_cpu_supports("popcnt")) {
        add_warps_counting(g, laps);
        return;
    }
#endif
    add_warps(g, laps);
}

void px_tally_lapped(struct px_gang *g, struct px_laps *laps)
{
    finish_lap(g, laps);
    add_laps(g, laps);
    finish_fork(g, laps);
    *laps = (struct px_laps){0};
}

void px_tally_divided(struct px_gang *g, uint32_t ord)
{
    const struct px_lanes others = px_lanes_minus(g->active, g->taken);
    counter(g, ord - 1)->divided += warps_between(g, &g->taken, &others);
}

void px_tally_ways(struct px_gang *g, uint32_t ord, const struct px_lanes *ways, uint32_t n)
{
    struct px_lanes once = {{0}}, more = {{0}};
    for (uint32_t i = 0; i < n; i++) {
        const struct px_lanes warps = warps_of(g, &ways[i]);
        more = px_lanes_or(more, px_lanes_and(once, warps));
        once = px_lanes_or(once, warps);
    }
    counter(g, ord - 1)->divided += number(g, &more);
}

void px_tally_put_aside(struct px_gang *g, uint32_t ord, const struct px_lanes *lanes)
{
    counter(g, ord - 1)->waits += warps_among(g, lanes);
}

void px_tally_narrowed(struct px_gang *g)
{
    struct px_narrow *narrow = &g->worker->narrow;
    struct px_warp_ends *ends = &narrow->ends;
    uint32_t lane, before = UINT32_MAX;
    *ends = (struct px_warp_ends){0};
    PX_FOR_LANES(lane, px_lanes_below(g->n))
    {
        const bool behind = lane + 1 == g->n;
        const uint32_t warp = narrow->lane[lane] / 32,
                       next = behind ? PX_LANES_MAX : narrow->lane[lane + 1] / 32;
        if (lane % 64 == 0) before = lane ? narrow->lane[lane - 1] / 32 : PX_LANES_MAX;
        if (warp != next || lane % 64 == 63) {
            px_lanes_set(&ends->last, lane);
            if (before == warp) px_lanes_set(&ends->again, lane);
            before = PX_LANES_MAX;
        }
    }
}

bool px_tally_take(struct px_worker *worker, const struct px_code *code)
{
    worker->tally = NULL;
    if (!code->tallies) return true;
    struct px_tally **own = &code->tallies[worker->index];
    if (!*own) *own = px_zalloc(px_device_allocator(worker->device), code->ntallies * sizeof **own);
    worker->tally = *own;
    return *own;
}
