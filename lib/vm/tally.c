/*
 * tally.c - counting while gangs run: see gang/tally.h.
 */
#include "vm/tally.h"
#include "vm/device.h"

static struct px_tally *counter(const struct px_gang *g, uint32_t index)
{
    return &g->worker->tally[g->running->code->tally_at + index];
}

/* A bit for each warp of which a lane is among `lanes`. */
static uint32_t warps_of(const struct px_gang *g, const struct px_lanes *lanes)
{
    uint32_t warps = 0;
    if (g->narrow) {
        const struct px_lanes *stand = g->worker->narrow.warps;
        for (uint32_t i = 0; i < 8; i++) {
            uint64_t any = 0;
            for (uint32_t w = 0; w * 64 < g->n; w++) any |= stand[i].w[w] & lanes->w[w];
            warps |= (uint32_t)(any != 0) << i;
        }
        return warps;
    }
    for (uint32_t i = 0; i < PX_MASK_WORDS; i++) {
        const uint64_t w = lanes->w[i];
        warps |= ((uint32_t)((uint32_t)w != 0) | (uint32_t)(w >> 32 != 0) << 1) << 2 * i;
    }
    return warps;
}

/* Of eight bits how many are set; where the processor's own instruction may not be used, this is faster than
 * a call. */
static uint32_t number(uint32_t warps)
{
    warps -= warps >> 1 & 0x55;
    warps = (warps & 0x33) + (warps >> 2 & 0x33);
    return (warps + (warps >> 4)) & 15;
}

static void add_range(struct px_gang *g, uint32_t from, uint32_t to, uint64_t times)
{
    struct px_tally *first = counter(g, from), *behind = first + (to - from);
    const uint64_t n = g->nactive * times;
    const uint64_t warps =
        (g->full && !g->narrow ? g->nactive / 32 : number(warps_of(g, &g->active))) * times;
    first->threads += n;
    first->warps += warps;
    behind->threads -= n;
    behind->warps -= warps;
}

void px_tally_range(struct px_gang *g, uint32_t from, uint32_t to)
{
    add_range(g, from, to, 1);
}

static void finish_lap(struct px_gang *g, struct px_laps *laps)
{
    if (laps->from == laps->to) return;
    if (laps->from != laps->done_from || laps->to != laps->done_to) {
        if (laps->times) add_range(g, laps->done_from, laps->done_to, laps->times);
        laps->done_from = laps->from;
        laps->done_to = laps->to;
        laps->times = 0;
    }
    laps->times++;
}

void px_tally_laps(struct px_gang *g, struct px_laps *laps, uint32_t from, uint32_t to)
{
    if (from != laps->to) {
        finish_lap(g, laps);
        laps->from = from;
    }
    laps->to = to;
}

void px_tally_lapped(struct px_gang *g, struct px_laps *laps)
{
    finish_lap(g, laps);
    if (laps->times) add_range(g, laps->done_from, laps->done_to, laps->times);
    *laps = (struct px_laps){0};
}

void px_tally_divided(struct px_gang *g, uint32_t ord)
{
    const struct px_lanes others = px_lanes_minus(g->active, g->taken);
    counter(g, ord - 1)->divided += number(warps_of(g, &g->taken) & warps_of(g, &others));
}

void px_tally_ways(struct px_gang *g, uint32_t ord, const struct px_lanes *ways, uint32_t n)
{
    uint32_t once = 0, more = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t warps = warps_of(g, &ways[i]);
        more |= once & warps;
        once |= warps;
    }
    counter(g, ord - 1)->divided += number(more);
}

void px_tally_put_aside(struct px_gang *g, uint32_t ord, const struct px_lanes *lanes)
{
    counter(g, ord - 1)->waits += number(warps_of(g, lanes));
}

void px_tally_narrowed(struct px_gang *g)
{
    struct px_narrow *narrow = &g->worker->narrow;
    uint32_t lane;
    memset(narrow->warps, 0, sizeof narrow->warps);
    PX_FOR_LANES(lane, g->active) px_lanes_set(&narrow->warps[narrow->lane[lane] / 32], lane);
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
