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
    if (g->narrow) { /* at most half of the row: two words */
        const struct px_lanes *stand = g->worker->narrow.warps;
        for (uint32_t i = 0; i < 8; i++)
            warps |= (uint32_t)(((stand[i].w[0] & lanes->w[0]) | (stand[i].w[1] & lanes->w[1])) != 0) << i;
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

void px_tally_range(struct px_gang *g, uint32_t from, uint32_t to)
{
    struct px_tally *first = counter(g, from), *behind = first + (to - from);
    const uint32_t n = g->nactive;
    const uint32_t warps = g->full && !g->narrow ? n / 32 : number(warps_of(g, &g->active));
    first->threads += n;
    first->warps += warps;
    behind->threads -= n;
    behind->warps -= warps;
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

void px_tally_narrowed(struct px_narrow *narrow, uint32_t n)
{
    memset(narrow->warps, 0, sizeof narrow->warps);
    for (uint32_t i = 0; i < n; i++) px_lanes_set(&narrow->warps[narrow->lane[i] / 32], i);
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
