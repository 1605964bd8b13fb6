/*
 * cta.c - CTAs: made, run, parked, reused, described.
 *
 * A CTA object is one heap object with its gangs. A worker keeps its last one
 * (`spare`) and uses it again for the next CTA of the same code and shape: then
 * starting a CTA writes a few scalars, the first entry of each gang, and clears
 * shared and local memory. px_cta_run goes round the gangs; each runs until it
 * waits or its turn is over, so a gang that spins on another one's store sees it.
 * The blocks of a cluster take turns in the same way: what the scheduler holds is
 * a unit, one block or the first one of a cluster (gang/cluster.h).
 */
#include "vm/run/exec.h"
#include "vm/run/cluster.h"
#include "vm/sched/cooperative.h"
#include "vm/run/poll.h"
#include "gang/cluster.h"
#include "ops/async.h"
#include "ops/mbarrier.h"
#include "ops/private.h"
#include "ops/trace.h"
#include "vm/device/device.h"
#include "vm/run/tally.h"
#include "base/alloc.h"
#include "base/random.h"
#include <stdio.h>

enum { PX_TURN = 4096 /* backward branches, calls and returns of a gang before the next one runs */ };

/* ---- making ---- */

static void free_gang(struct px_cta *cta, struct px_gang *g)
{
    const ptx_allocator *a = cta->alloc;
    px_entries_free(&g->entries, a);
    if (g->root) px_free(a, g->root, g->root->bytes);
    px_free(a, g->local, g->local_bytes * g->width);
    px_free(a, g->tid[0], 3 * g->width * sizeof(uint32_t));
    px_free(a, g->sync, g->width * sizeof *g->sync);
    px_free(a, g->ext, g->width * sizeof *g->ext);
    px_async_free(g);
}

static void free_frames(struct px_cta *cta)
{
    for (struct px_frame *f = cta->spare, *next; f; f = next) {
        next = f->parent;
        px_free(cta->alloc, f, f->bytes);
    }
}

/* Frames that are still in use (after a trap) may be used again. */
static void collect_frames(struct px_gang *g)
{
    uint32_t i;
    if (px_lanes_empty(&g->entries.used)) return; /* all lanes have exited */
    PX_FOR_LANES(i, g->entries.used)
    for (struct px_frame *f = g->entries.all[i].frame, *p; f; f = p) {
        p = f->parent;
        if (px_lanes_empty(&f->live)) break; /* collected from another entry */
        f->live = (struct px_lanes){{0}};
        px_frame_pop(g, f);
    }
    px_entries_clear(&g->entries);
}

static void free_cta(struct px_cta *cta)
{
    if (!cta) return;
    for (uint32_t i = 0; i < cta->ngangs; i++) {
        collect_frames(&cta->gangs[i]);
        free_gang(cta, &cta->gangs[i]);
    }
    free_frames(cta);
    const ptx_allocator *a = cta->alloc;
    px_free(a, cta->gangs, cta->ngangs * sizeof *cta->gangs);
    px_free(a, cta->shared, cta->shared_cap);
    px_free(a, cta->last_error, cta->threads * sizeof *cta->last_error);
    px_free(a, cta, sizeof *cta);
}

static void free_unit(struct px_cta *cta)
{
    struct px_cluster *cluster = cta ? cta->cluster : NULL;
    if (!cluster) {
        free_cta(cta);
        return;
    }
    const ptx_allocator *a = cta->alloc;
    for (uint32_t i = 0; i < cluster->n; i++) free_cta(cluster->cta[i]);
    px_free(a, cluster, sizeof *cluster);
}

static bool new_gang(struct px_cta *cta, struct px_gang *g, uint32_t first)
{
    const ptx_allocator *a = cta->alloc;
    g->cta = cta;
    g->level = cta->code->level;
    g->n = g->width = cta->code->width;
    g->first = first;
    const uint32_t left = cta->threads - first;
    g->count = left < g->width ? left : g->width;
    g->all = px_lanes_below(g->count);
    g->shortens = cta->shortens;
    g->span = g->shortens ? (g->count + 31) & ~31u : g->width;
    g->tiles = cta->tiles;
    g->prefetch = cta->prefetch;
    g->unbounded = cta->unbounded;
    if (!px_entries_init(&g->entries, a, g->width)) return false;
    g->tid[0] = px_alloc(a, 3 * g->width * sizeof(uint32_t));
    if (!g->tid[0]) return false;
    g->tid[1] = g->tid[0] + g->width;
    g->tid[2] = g->tid[1] + g->width;
    return true;
}

static struct px_cta *new_cta(struct px_grid *grid)
{
    const struct px_code *code = grid->code;
    const ptx_allocator *a = px_device_allocator(grid->device);
    struct px_cta *cta = px_zalloc(a, sizeof *cta);
    if (!cta) return NULL;
    cta->alloc = a;
    cta->shortens = grid->device->engine & PX_ENGINE_narrow;
    cta->tiles = grid->device->engine & PX_ENGINE_tiles;
    cta->prefetch = grid->device->engine & PX_ENGINE_prefetch;
    cta->unbounded = grid->mem->host_mode;
    cta->keeps = grid->device->engine & PX_ENGINE_segments;
    cta->locks = code->level->locks && grid->device->locked ? &grid->device->locks : NULL;
    cta->code = code;
    cta->threads = code->threads;
    uint32_t ngangs = (code->threads + code->width - 1) / code->width;
    cta->gangs = px_zalloc(a, ngangs * sizeof *cta->gangs);
    cta->last_error = px_zalloc(a, cta->threads * sizeof *cta->last_error);
    cta->ngangs = cta->gangs ? ngangs : 0;
    bool ok = cta->gangs && cta->last_error;
    for (uint32_t i = 0; ok && i < ngangs; i++) ok = new_gang(cta, &cta->gangs[i], i * code->width);
    if (ok) return cta;
    free_cta(cta);
    return NULL;
}

/* The blocks of a cluster, each with its rank. */
static struct px_cta *new_cluster(struct px_grid *grid)
{
    const ptx_allocator *a = px_device_allocator(grid->device);
    struct px_cluster *cluster = px_zalloc(a, sizeof *cluster);
    if (!cluster) return NULL;
    while (cluster->n < grid->cluster_blocks) {
        struct px_cta *cta = new_cta(grid);
        if (!cta) break;
        cta->cluster = cluster;
        cta->rank = cluster->n;
        cluster->cta[cluster->n++] = cta;
    }
    if (cluster->n == grid->cluster_blocks) return cluster->cta[0];
    for (uint32_t i = 0; i < cluster->n; i++) free_cta(cluster->cta[i]);
    px_free(a, cluster, sizeof *cluster);
    return NULL;
}

static struct px_cta *new_unit(struct px_grid *grid)
{
    return grid->cluster_blocks > 1 ? new_cluster(grid) : new_cta(grid);
}

static bool make_shared(struct px_cta *cta, uint32_t bytes)
{
    cta->shared_bytes = bytes;
    if (bytes > cta->shared_cap) {
        px_free(cta->alloc, cta->shared, cta->shared_cap);
        cta->shared = px_alloc(cta->alloc, bytes);
        cta->shared_cap = cta->shared ? bytes : 0;
        if (!cta->shared) return false;
    }
    return true;
}

static void fill_tids(struct px_gang *g, struct px_shape block)
{
    for (uint32_t i = 0; i < g->width; i++) {
        uint32_t t = g->first + i;
        g->tid[0][i] = t % block.x;
        g->tid[1][i] = t / block.x % block.y;
        g->tid[2][i] = t / block.x / block.y;
    }
}

/* What differs between the CTAs of a grid. */
static void number_cta(struct px_cta *cta, const struct px_grid *grid, uint64_t number)
{
    struct px_uniform *u = &cta->uniform;
    const uint64_t rows = number / grid->grid.x;
    cta->number = number;
    u->ctaid[0] = cta->ctaid[0] = (uint32_t)(number % grid->grid.x);
    u->ctaid[1] = cta->ctaid[1] = (uint32_t)(rows % grid->grid.y);
    u->ctaid[2] = cta->ctaid[2] = (uint32_t)(rows / grid->grid.y);
    u->smid = (uint32_t)(number % u->nsmid);
}

/* The same for the CTA behind the last one, without divisions. */
static void number_next(struct px_cta *cta, const struct px_grid *grid)
{
    struct px_uniform *u = &cta->uniform;
    cta->number++;
    if (++u->smid == u->nsmid) u->smid = 0;
    if (++cta->ctaid[0] == grid->grid.x) {
        cta->ctaid[0] = 0;
        if (++cta->ctaid[1] == grid->grid.y) cta->ctaid[1] = 0, cta->ctaid[2]++;
    }
    for (int i = 0; i < 3; i++) u->ctaid[i] = cta->ctaid[i];
}

static void fill_uniform(struct px_cta *cta, struct px_grid *grid)
{
    struct px_uniform *u = &cta->uniform;
    uint32_t unit = grid->device->arch.sm < 80 ? 256 : 128; /* in which shared memory is handed out */
    bool reshape = u->ntid[0] != grid->block.x || u->ntid[1] != grid->block.y;
    *u = (struct px_uniform){.ntid = {grid->block.x, grid->block.y, grid->block.z},
                             .nctaid = {grid->grid.x, grid->grid.y, grid->grid.z}};
    px_cluster_uniform(cta, grid);
    u->gridid = grid->id;
    u->shared_window = px_window_base(PX_WIN_SHARED, cta->slot);
    u->param_window = px_window_base(PX_WIN_PARAM, cta->slot);
    u->nsmid = px_device_sm_count(grid->device);
    u->nwarpid = 64;
    u->dynamic_smem = grid->dynamic_shared;
    u->total_smem = (grid->shared_bytes + unit - 1) & ~(unit - 1);
    u->aggr_smem = PX_SMEM_RESERVED + grid->shared_bytes;
    u->workspace[0] = (uint32_t)(grid->workspace >> 32);
    u->workspace[1] = (uint32_t)grid->workspace;
    if (reshape)
        for (uint32_t i = 0; i < cta->ngangs; i++) fill_tids(&cta->gangs[i], grid->block);
}

static bool start_gang(struct px_gang *g)
{
    g->live = g->all;
    g->came = (struct px_lanes){{0}};
    px_async_reset(g);
    if (g->local_bytes && !px_local_clear(g, 0)) return false;
    struct px_frame *f = px_frame_push(g, NULL, g->cta->code->entry);
    if (!f) return false;
    f->live = g->all;
    px_entries_start(&g->entries, f, &g->all);
    return true;
}

static uint64_t random_of(const struct px_grid *grid, uint64_t number)
{
    const ptx_device_config *config = &grid->device->config;
    if (config->schedule != PTX_SCHEDULE_RANDOM) return 0;
    return px_random_mix(config->schedule_seed + px_random_mix(grid->id) + number) | 1;
}

/* It has its number, and what all of its grid have in common. */
static bool start_cta(struct px_cta *cta)
{
    const struct px_grid *grid = cta->grid;
    cta->trap.error = 0;
    cta->meeting = (struct px_meeting){0};
    cta->turn = 0;
    if (cta->errors) memset(cta->last_error, 0, cta->threads * sizeof *cta->last_error);
    cta->errors = cta->told = cta->traced = false;
    cta->clock = 0;
    cta->random = random_of(grid, cta->number);
    cta->when.seed = (grid->device->config.async_seed << 32) + cta->number;
    if (cta->shared_bytes) memset(cta->shared, grid->device->config.poison & 255, cta->shared_bytes);
    for (uint32_t i = 0; i < cta->ngangs; i++)
        if (!start_gang(&cta->gangs[i])) return false;
    return true;
}

/* `cta` is new, or has ended and is of this code. */
static bool adopt_one(struct px_cta *cta, struct px_grid *grid, uint64_t number, uint32_t slot)
{
    cta->grid = grid;
    cta->slot = slot;
    cta->local_owner = slot | cta->rank << PX_OWNER_RANK;
    cta->counted = grid->device->config.deterministic;
    cta->when.mode = grid->device->config.async;
    fill_uniform(cta, grid);
    number_cta(cta, grid, number);
    if (cta->cluster) px_cluster_number(cta);
    return make_shared(cta, grid->shared_bytes) && start_cta(cta);
}

/* The number in the grid of the block of a rank in cluster `unit`. */
static uint64_t number_in(const struct px_grid *grid, uint64_t unit, uint32_t rank)
{
    const struct px_shape c = grid->cluster, n = {grid->grid.x / c.x, grid->grid.y / c.y, 0};
    const uint64_t x = unit % n.x * c.x + rank % c.x, y = unit / n.x % n.y * c.y + rank / c.x % c.y,
                   z = unit / n.x / n.y * c.z + rank / c.x / c.y;
    return (z * grid->grid.y + y) * grid->grid.x + x;
}

static bool adopt_cluster(struct px_cluster *cluster, struct px_grid *grid, uint64_t unit, uint32_t slot)
{
    cluster->turn = cluster->over = cluster->trapped = 0;
    cluster->openings = 0;
    for (uint32_t i = 0; i < cluster->n; i++) {
        cluster->cta[i]->unit = unit;
        if (!adopt_one(cluster->cta[i], grid, number_in(grid, unit, i), slot)) return false;
    }
    return true;
}

static bool adopt(struct px_cta *cta, struct px_grid *grid, uint64_t number, uint32_t slot)
{
    if (cta->cluster) return adopt_cluster(cta->cluster, grid, number, slot);
    cta->unit = number;
    return adopt_one(cta, grid, number, slot);
}

struct px_cta *px_cta_create(struct px_worker *worker, struct px_grid *grid, uint64_t number, uint32_t slot)
{
    struct px_cta *cta = worker->spare;
    worker->spare = NULL;
    if (cta && (cta->code != grid->code || px_unit_n(cta) != grid->cluster_blocks)) {
        free_unit(cta);
        cta = NULL;
    }
    if (!cta) cta = new_unit(grid);
    if (!cta) return NULL;
    if (adopt(cta, grid, number, slot)) return cta;
    free_unit(cta);
    return NULL;
}

static void reset_barriers(struct px_cta *cta)
{
    if (cta->barriers_used) memset(cta->barrier, 0, sizeof cta->barrier);
    cta->barriers_used = 0;
}

bool px_cta_again(struct px_cta *cta, uint64_t number)
{
    for (uint32_t i = 0; i < px_unit_n(cta); i++) reset_barriers(px_unit_at(cta, i));
    if (cta->cluster) return adopt_cluster(cta->cluster, cta->grid, number, cta->slot);
    if (number == cta->number + 1)
        number_next(cta, cta->grid);
    else
        number_cta(cta, cta->grid, number);
    cta->unit = number;
    return start_cta(cta);
}

void px_cta_destroy(struct px_worker *worker, struct px_cta *unit)
{
    if (!unit) return;
    for (uint32_t k = 0; k < px_unit_n(unit); k++) {
        struct px_cta *cta = px_unit_at(unit, k);
        for (uint32_t i = 0; i < cta->ngangs; i++) collect_frames(&cta->gangs[i]);
        reset_barriers(cta);
    }
    if (worker->spare) free_unit(worker->spare);
    worker->spare = unit;
}

void px_cta_drop_spare(struct px_worker *worker)
{
    free_unit(worker->spare);
    worker->spare = NULL;
}

/* ---- running ---- */

struct turn {
    bool ran, alive, parked;
};

static enum px_cta_status after_round(const struct turn *t)
{
    if (!t->alive) return PX_CTA_DONE;
    return t->parked ? PX_CTA_BLOCKED : PX_CTA_STUCK;
}

/* Gives every gang one turn, from cta->turn on. False when the CTA must stop at once, with *status set. */
static bool run_round(struct px_cta *cta, struct px_worker *worker, uint64_t *slice, struct turn *t,
                      enum px_cta_status *status)
{
    for (uint32_t i = 0; i < cta->ngangs; i++) {
        if (cta->random) cta->turn = (uint32_t)(px_random_next(&cta->random) % cta->ngangs);
        struct px_gang *g = &cta->gangs[cta->turn];
        cta->turn = cta->turn + 1 < cta->ngangs ? cta->turn + 1 : 0;
        if (!g->entries.ready.n) continue;
        uint64_t most = cta->random ? 1 + px_random_next(&cta->random) % 64 : PX_TURN;
        uint64_t turn = *slice < most ? *slice : most, left = turn;
        enum px_gang_status s = px_gang_run(g, worker, &left);
        *slice -= turn - left;
        if (cta->random && s == PX_GANG_BUDGET) *slice = 0;
        t->ran = true;
        if (s == PX_GANG_TRAP) return *status = PX_CTA_TRAPPED, false;
        if (s == PX_GANG_STOP) return *status = PX_CTA_STOPPED, false;
        if (!*slice) return *status = PX_CTA_SLICE, false;
    }
    return true;
}

/*
 * May the gangs go on with the segments that they know? Nothing that they lead to has gone since, and no
 * reductions are pending on this worker that an access would have to flush (ops/private.h).
 */
static bool keeps_segments(struct px_cta *cta, const struct px_worker *worker)
{
    if (!cta->keeps) return false;
    const struct px_known known = {cta->grid->id, px_mem_stamp(cta->grid->mem), cta->slot};
    const struct px_known last = cta->known;
    cta->known = known;
    return known.stamp && known.stamp == last.stamp && known.grid == last.grid && known.slot == last.slot &&
           !(worker->pages && worker->pages->used);
}

static void wake_gang(struct px_gang *g, bool keeps)
{
    for (uint32_t k = 0; !keeps && k < PX_EXTENTS; k++) g->seg[k].len = 0;
    if (!g->entries.asleep.n) return;
    px_entries_wake(&g->entries, PX_ENTRY_PARK, 0);
    px_entries_wake(&g->entries, PX_ENTRY_GRID, 0);
    px_entries_wake(&g->entries, PX_ENTRY_PRIOR, 0);
}

/* Nothing runs, nothing waits, and no copy is under way. */
static bool is_over(const struct px_cta *cta)
{
    for (uint32_t i = 0; i < cta->ngangs; i++) {
        const struct px_gang *g = &cta->gangs[i];
        if (g->entries.ready.n || g->entries.asleep.n || px_async_pending(g)) return false;
    }
    return true;
}

/* A block of a cluster has ended: nobody is to go on with what he knows of its shared memory. */
static void end_block(struct px_cta *cta, struct px_worker *worker)
{
    struct px_cluster *cluster = cta->cluster;
    cluster->over |= 1u << cta->rank;
    if (worker->trace_event) px_trace_block(cta, worker, PTX_TRACE_BLOCK_END);
    for (uint32_t k = 0; k < cluster->n; k++)
        for (uint32_t i = 0; i < cluster->cta[k]->ngangs; i++)
            for (uint32_t slot = 0; slot < PX_EXTENTS; slot++) cluster->cta[k]->gangs[i].seg[slot].len = 0;
}

/* Gives every block that has not ended a round. False: as run_round. */
static bool run_cluster(struct px_cluster *cluster, struct px_worker *worker, uint64_t *slice, struct turn *t,
                        enum px_cta_status *status)
{
    for (uint32_t i = 0; i < cluster->n; i++) {
        uint64_t *random = &cluster->cta[0]->random;
        if (*random) cluster->turn = (uint32_t)(px_random_next(random) % cluster->n);
        struct px_cta *cta = cluster->cta[cluster->turn];
        cluster->turn = cluster->turn + 1 < cluster->n ? cluster->turn + 1 : 0;
        if (cluster->over >> cta->rank & 1) continue;
        if (!run_round(cta, worker, slice, t, status)) {
            if (*status == PX_CTA_TRAPPED) cluster->trapped = cta->rank;
            return false;
        }
        if (is_over(cta)) end_block(cta, worker);
    }
    return true;
}

static bool run_unit(struct px_cta *unit, struct px_worker *worker, uint64_t *slice, struct turn *t,
                     enum px_cta_status *status)
{
    if (unit->cluster) return run_cluster(unit->cluster, worker, slice, t, status);
    return run_round(unit, worker, slice, t, status);
}

static bool unit_is_over(const struct px_cta *unit)
{
    return unit->cluster ? unit->cluster->over == (1u << unit->cluster->n) - 1 : is_over(unit);
}

/* Nothing of the unit runs: what only waited for that goes on. A block of a cluster may have ended by that.
 */
static bool unblock(struct px_cta *unit)
{
    bool any = false;
    for (uint32_t i = 0; i < px_unit_n(unit); i++) {
        struct px_cta *cta = px_unit_at(unit, i);
        any |= px_poll_unblock(cta);
        if (cta->cluster) any |= !(cta->cluster->over >> i & 1) && is_over(cta);
    }
    return any;
}

static void look_for_waiting(const struct px_cta *cta, struct turn *t)
{
    for (uint32_t i = 0; i < cta->ngangs; i++) {
        const struct px_entries *s = &cta->gangs[i].entries;
        if (s->asleep.n) t->alive = true;
        if (px_entries_any(s, PX_ENTRY_PARK) || px_entries_any(s, PX_ENTRY_GRID) ||
            px_entries_any(s, PX_ENTRY_PRIOR))
            t->parked = true;
    }
}

static void wake_gangs(struct px_cta *cta, const struct px_worker *worker)
{
    const bool keeps = keeps_segments(cta, worker);
    for (uint32_t i = 0; i < cta->ngangs; i++) wake_gang(&cta->gangs[i], keeps);
}

static enum px_cta_status run_rounds(struct px_cta *unit, struct px_worker *worker, uint64_t slice)
{
    enum px_cta_status status;
    for (uint32_t i = 0; i < px_unit_n(unit); i++) wake_gangs(px_unit_at(unit, i), worker);
    if (!slice) slice = 1;
    for (;;) {
        struct turn t = {0};
        if (!run_unit(unit, worker, &slice, &t, &status)) return status;
        if (unit_is_over(unit)) return PX_CTA_DONE;
        if (t.ran || unblock(unit)) continue;
        for (uint32_t i = 0; i < px_unit_n(unit); i++) look_for_waiting(px_unit_at(unit, i), &t);
        return after_round(&t);
    }
}

static void begin_block(struct px_cta *cta, struct px_worker *worker)
{
    if (worker->trace_event && !cta->traced) px_trace_block(cta, worker, PTX_TRACE_BLOCK_BEGIN);
    cta->traced = true;
}

enum px_cta_status px_cta_run(struct px_cta *cta, struct px_worker *worker, uint64_t slice)
{
    if (!px_tally_take(worker, cta->code)) {
        px_run_stop(cta->grid->run, PX_STOP_MEMORY);
        return PX_CTA_STOPPED;
    }
    for (uint32_t i = 0; i < px_unit_n(cta); i++) begin_block(px_unit_at(cta, i), worker);
    const enum px_cta_status status = run_rounds(cta, worker, slice);
    if (worker->trace_event && status == PX_CTA_DONE && !cta->cluster)
        px_trace_block(cta, worker, PTX_TRACE_BLOCK_END);
    if (status != PX_CTA_DONE) px_private_flush(worker); /* another worker may go on with it */
    return status;
}

/* ---- asking ---- */

uint32_t px_cta_slot(const struct px_cta *cta)
{
    return cta->slot;
}

uint32_t px_cta_untold(struct px_cta *cta)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < px_unit_n(cta); i++) n += !px_unit_at(cta, i)->told;
    return n;
}

const struct px_trap *px_cta_trap(struct px_cta *cta)
{
    return cta->cluster ? &cta->cluster->cta[cta->cluster->trapped]->trap : &cta->trap;
}

/* "threads 0-31,40" from a lane set. */
static void say_threads(const struct px_gang *g, const struct px_lanes *set, char *buf, size_t size)
{
    size_t at = 0;
    buf[0] = 0;
    for (uint32_t i = 0; i < g->width && at + 24 < size; i++) {
        if (!px_lanes_has(set, i)) continue;
        uint32_t k = i;
        while (k + 1 < g->width && px_lanes_has(set, k + 1)) k++;
        at += (size_t)snprintf(buf + at, size - at, at ? ",%u" : "%u", g->first + i);
        if (k > i) at += (size_t)snprintf(buf + at, size - at, "-%u", g->first + k);
        i = k;
    }
}

static void say_state(const struct px_cta *cta, const struct px_entry *e, char *buf, size_t size)
{
    char text[100];
    switch (e->state) {
    case PX_ENTRY_BARRIER:
    case PX_ENTRY_ARRIVE: snprintf(buf, size, "wait at barrier %u", (unsigned)e->key); break;
    case PX_ENTRY_SYNC: snprintf(buf, size, "wait for other lanes of the warp"); break;
    case PX_ENTRY_MEET:
        snprintf(buf, size, "wait for other lanes of the %s", e->group == 32 ? "warp" : "warpgroup");
        break;
    case PX_ENTRY_MBARRIER:
        px_mbarrier_text(*(const uint64_t *)(const void *)(cta->shared + e->key), text, sizeof text);
        snprintf(buf, size, "wait at the mbarrier at 0x%x of shared memory (%s)", (unsigned)e->key, text);
        break;
    case PX_ENTRY_CLUSTER: px_cluster_text(cta->cluster, buf, size); break;
    case PX_ENTRY_GRID: px_cooperative_text(cta->grid, buf, size); break;
    case PX_ENTRY_PRIOR: snprintf(buf, size, "wait for the grid before to complete"); break;
    case PX_ENTRY_PARK: snprintf(buf, size, "wait in a call"); break;
    default: snprintf(buf, size, "can run"); break;
    }
}

static void say_entry(const struct px_gang *g, const struct px_entry *e, char *line, size_t size)
{
    const struct px_fcode *code = e->frame->code;
    uint32_t pc = e->pc < code->n ? e->pc : code->n - 1;
    const uint32_t *c = g->cta->ctaid;
    struct px_call_at calls[PX_CALLS_TOLD];
    char threads[120], state[200], place[300], chain[500], rank[40] = "";
    say_threads(g, &e->mask, threads, sizeof threads);
    say_state(g->cta, e, state, sizeof state);
    px_place_line(code->func, code->src[code->conv[pc].src].inst, place, sizeof place);
    px_place_chain(calls, px_place_calls(e->frame, calls), chain, sizeof chain);
    if (g->cta->cluster) snprintf(rank, sizeof rank, " (rank %u of its cluster)", g->cta->rank);
    snprintf(line, size, "  block (%u,%u,%u)%s threads %s: %s, %s %s%s%s", c[0], c[1], c[2], rank, threads,
             state, code->func->name, place, *chain ? ", " : "", chain);
}

static void describe(const struct px_cta *cta, bool (*say)(void *user, const char *line), void *user)
{
    char line[1200];
    uint32_t k;
    for (uint32_t i = 0; i < cta->ngangs; i++) PX_FOR_LANES(k, cta->gangs[i].entries.used)
        {
            if (!say(user, NULL)) continue;
            say_entry(&cta->gangs[i], &cta->gangs[i].entries.all[k], line, sizeof line);
            say(user, line);
        }
}

void px_cta_describe(struct px_cta *cta, bool (*say)(void *user, const char *line), void *user)
{
    for (uint32_t i = 0; i < px_unit_n(cta); i++) describe(px_unit_at(cta, i), say, user);
}
