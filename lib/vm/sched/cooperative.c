/* cooperative.c - the workspace of a cooperative grid, and those who wait there. */
#include "vm/sched/cooperative.h"
#include "gang/gang.h"
#include "vm/device/device.h"
#include <stdio.h>

static const uint32_t highest = 0x80000000u;

static uint32_t *word_of(const struct px_grid *grid)
{
    uint32_t *workspace = px_mem_host(grid->mem, grid->workspace, PX_WORKSPACE_BYTES);
    return workspace + 1;
}

static uint32_t barrier_of(const struct px_grid *grid)
{
    return __atomic_load_n(word_of(grid), __ATOMIC_ACQUIRE);
}

bool px_cooperative_begin(struct px_grid *grid)
{
    grid->workspace = px_heap_alloc(&grid->device->buffers, PX_WORKSPACE_BYTES, PX_WORKSPACE_ALIGN);
    if (!grid->workspace) return false;
    word_of(grid)[-1] = PX_WORKSPACE_BYTES;
    word_of(grid)[0] = 0;
    return true;
}

void px_cooperative_end(struct px_grid *grid)
{
    if (grid->workspace) px_heap_release(&grid->device->buffers, grid->workspace);
    grid->workspace = 0;
}

void px_cooperative_arrived(struct px_grid *grid)
{
    const uint32_t now = barrier_of(grid);
    unsigned seen = atomic_load(&grid->barrier_seen);
    do {
        if (!((seen ^ now) & highest)) return;
    } while (!atomic_compare_exchange_weak(&grid->barrier_seen, &seen, now));
    px_sched_lock(&grid->device->sched);
    px_sched_wake(grid->run, NULL, 0);
    px_sched_unlock(&grid->device->sched);
}

bool px_cooperative_waits(const struct px_gang *g, const struct px_insn *in)
{
    const uint64_t workspace = g->cta->grid->workspace;
    const uint64_t *address = PX_ROW(g, uint64_t, in->b);
    uint32_t lane;
    if (!workspace) return false;
    PX_FOR_LANES(lane, g->active)
    if (address[in->one_address ? 0 : lane] + in->imm - workspace >= PX_WORKSPACE_BYTES) return false;
    return true;
}

/* The CTA comes when all its threads have that have not exited. */
static void consider_meeting(struct px_cta *cta)
{
    struct px_grid *grid = cta->grid;
    struct px_meeting *m = &cta->meeting;
    uint32_t live = 0;
    for (uint32_t i = 0; i < cta->ngangs; i++) live += px_lanes_count(&cta->gangs[i].live);
    if (!m->came || m->came < live) return;
    const bool first = !cta->ctaid[0] && !cta->ctaid[1] && !cta->ctaid[2];
    m->word =
        __atomic_fetch_add(word_of(grid), first ? highest - ((uint32_t)grid->ctas - 1) : 1, __ATOMIC_ACQ_REL);
    m->came = 0;
    m->times++;
    px_cooperative_arrived(grid);
}

bool px_cooperative_meet(struct px_cta *cta, uint64_t *token)
{
    struct px_meeting *m = &cta->meeting;
    if (!*token) {
        *token = m->times + 1;
        m->came++;
        atomic_fetch_add(&cta->grid->comers, 1);
    }
    consider_meeting(cta);
    return m->times >= *token && (m->word ^ barrier_of(cta->grid)) & highest;
}

bool px_cooperative_moved(struct px_run *run)
{
    bool any = false;
    for (struct px_grid *grid = run->grids; grid; grid = grid->older)
        if (grid->workspace) {
            const uint32_t now = barrier_of(grid);
            const unsigned comers = atomic_load(&grid->comers);
            any |= atomic_exchange(&grid->barrier_seen, now) != now;
            any |= atomic_exchange(&grid->comers_seen, comers) != comers;
        }
    if (any) px_sched_wake(run, NULL, 0);
    return any;
}

/* Block (0,0,0) adds 2^31 less the others, each of which adds one. */
void px_cooperative_text(const struct px_grid *grid, char *buf, size_t size)
{
    const uint32_t word = barrier_of(grid) & ~highest, others = (uint32_t)grid->ctas - 1;
    const bool first = others && word >= highest - others;
    snprintf(buf, size, "wait at the grid's barrier, where %u of %u blocks are",
             first ? word - (highest - others) + 1 : word, others + 1);
}
