/*
 * sched.c - what a worker does next.
 *
 * Runs take turns, those of higher priority first, every fourth turn whatever
 * their priority. Order of choice within a run: CTAs that may go on, then new
 * CTAs of the deepest queued grid (children before their parent's remaining
 * CTAs: that bounds what is pending). A CTA that spends its slice goes to the
 * end of `ready`. When every ready CTA has had a slice and none has ended, they
 * may be waiting for one that has not begun: as many new ones as are alive may
 * then start, up to the residency that the grid's shape allows.
 *
 * A run ends when its root grid completes, or when its `stop` is set. No CTA
 * of it running, none ready, none to start and the root incomplete is a deadlock.
 */
#include "base/random.h"
#include "vm/sched/cooperative.h"
#include "gang/fpmode.h"
#include "vm/device/device.h"
#include "ops/private.h"
#include "vm/sched/sched_list.h"
#include <time.h>

enum {
    SLICE = 16384,         /* backward branches of a CTA before another one runs */
    FIRST_SLICE = 256,     /* the same while the calling thread is alone: it looks at the clock then */
    CHUNK_MAX = 256,       /* CTAs handed out at once */
    CHUNK_STEPS = 8192,    /* fewer warp-instructions of a chunk: the next one may be larger */
    OPEN_AFTER_NS = 20000, /* a launch that lasts longer is worth waking helpers */
    LOOK_AFTER = 32768     /* warp-instructions of a worker between two looks at the limits */
};

uint64_t px_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct timespec px_deadline(uint64_t ns)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    ns += (uint64_t)t.tv_nsec;
    t.tv_sec += (time_t)(ns / 1000000000u);
    t.tv_nsec = (long)(ns % 1000000000u);
    return t;
}

void px_sched_lock(struct px_sched *s)
{
    pthread_mutex_lock(&s->lock);
}

void px_sched_unlock(struct px_sched *s)
{
    pthread_mutex_unlock(&s->lock);
}

void px_run_stop(struct px_run *run, enum px_stop why)
{
    int none = PX_STOP_NONE;
    atomic_compare_exchange_strong(&run->stop, &none, (int)why);
}

void px_sched_stop(struct px_sched *s, enum px_stop why)
{
    for (int i = 0; i < PX_RUNS; i++) {
        struct px_run *run = atomic_load(&s->runs[i]);
        if (!run) return;
        px_run_stop(run, why);
    }
}

static bool stopped(struct px_run *run)
{
    return atomic_load_explicit(&run->stop, memory_order_relaxed) != PX_STOP_NONE;
}

bool px_sched_due(struct px_run *run)
{
    if (run->timeout_ns && px_now_ns() - run->started_ns > run->timeout_ns) px_run_stop(run, PX_STOP_TIMEOUT);
    return stopped(run);
}

/* ---- grids ---- */

static uint32_t level_of(const struct px_grid *grid)
{
    return grid->depth < PX_SCHED_LEVELS ? grid->depth : PX_SCHED_LEVELS - 1;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

enum { STRIDES = 1 << 16 };

/* Random schedule: every unit once, from any one on in steps of any width. More than can be run in a lifetime
 * stay in order. */
static void order_units(struct px_sched *s, struct px_grid *grid)
{
    if (grid->units > UINT64_MAX / (2 * STRIDES)) return;
    grid->unit_first = px_random_next(&s->random) % grid->units;
    do grid->unit_stride = 1 + px_random_next(&s->random) % STRIDES;
    while (common_divisor(grid->unit_stride, grid->units) != 1);
}

static uint64_t unit_at(const struct px_grid *grid, uint64_t place)
{
    if (!grid->unit_stride) return place;
    return (place * grid->unit_stride + grid->unit_first) % grid->units;
}

void px_sched_adopt(struct px_run *run, struct px_grid *parent, struct px_grid *grid)
{
    struct px_sched *s = run->sched;
    grid->run = run;
    grid->id = s->next_grid_id++;
    grid->parent = parent;
    grid->depth = parent ? parent->depth + !grid->native : 0;
    grid->unfinished = 1;
    grid->older = run->grids;
    grid->newer = NULL;
    if (run->grids) run->grids->newer = grid;
    run->grids = grid;
    if (grid->device->launches) px_launches_adopt(grid);
    if (grid->native) return;
    if (s->random) order_units(s, grid);
    atomic_fetch_add_explicit(&s->grids_total, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->ctas_total, grid->ctas, memory_order_relaxed);
    if (grid->depth > atomic_load_explicit(&s->max_depth, memory_order_relaxed))
        atomic_store_explicit(&s->max_depth, grid->depth, memory_order_relaxed);
}

void px_sched_count(struct px_grid *grid)
{
    grid->counts = true;
    grid->parent->unfinished++;
}

void px_sched_enqueue(struct px_grid *grid)
{
    const uint32_t level = level_of(grid);
    if (grid->run->sched->watch) grid->run->sched->watch(grid, false);
    px_queue_push(&grid->run->queue[level], grid);
    grid->run->levels |= 1ull << level;
    px_sched_news(grid->run->sched);
}

/* The deepest grid that may run; in a random schedule that of any depth. */
static struct px_grid *deepest(const struct px_run *run)
{
    uint64_t levels = run->levels;
    if (!levels) return NULL;
    if (run->sched->random)
        for (uint64_t n = (run->sched->random >> 32) % (unsigned)__builtin_popcountll(levels); n; n--)
            levels &= ~(1ull << (63 - __builtin_clzll(levels)));
    return run->queue[63 - __builtin_clzll(levels)].first;
}

static void unlink_grid(struct px_grid *grid)
{
    if (grid->newer)
        grid->newer->older = grid->older;
    else
        grid->run->grids = grid->older;
    if (grid->older) grid->older->newer = grid->newer;
}

static void complete(struct px_grid *grid)
{
    struct px_sched *s = grid->run->sched;
    if (!grid->native) atomic_fetch_add_explicit(&s->grids_done, 1, memory_order_relaxed);
    if (s->watch) s->watch(grid, true);
    if (s->runtime && s->runtime->completed) s->runtime->completed(grid);
    if (grid == grid->run->root) { /* the report may ask for it: it goes with the run */
        grid->run->root_done = true;
        return;
    }
    unlink_grid(grid);
    px_grid_retire(grid);
}

void px_sched_finish(struct px_grid *grid)
{
    while (grid && --grid->unfinished == 0) {
        const struct px_runtime *runtime = grid->run->sched->runtime;
        if (runtime && runtime->drained && runtime->drained(grid)) return;
        struct px_grid *parent = grid->counts ? grid->parent : NULL;
        complete(grid);
        grid = parent;
    }
}

/* ---- CTAs that do not run ---- */

void px_sched_wake(struct px_run *run, const struct px_grid *grid, uint64_t number)
{
    struct px_parked_list all = run->blocked;
    run->blocked = (struct px_parked_list){0};
    atomic_fetch_add(&run->wakes, 1);
    for (struct px_parked *p = all.first, *next; p; p = next) {
        next = p->next;
        const bool this = !grid || (p->grid == grid && p->number == number);
        struct px_parked_list *to = this ? &run->ready : &run->blocked;
        px_queue_push(to, p);
        if (!this) continue;
        p->round = 0;
        run->nready++;
    }
    px_sched_news(run->sched);
}

/* Puts a CTA aside. The lock is held. */
static void park(struct px_helper *h, struct px_parked_list *list, struct px_cta *cta, struct px_grid *grid,
                 uint64_t number)
{
    struct px_run *run = grid->run;
    struct px_parked *p = px_parked_new(h->sched);
    if (!p) { /* without room to remember it the CTA cannot be kept */
        px_cta_destroy(&h->worker, cta);
        px_run_stop(run, PX_STOP_MEMORY);
        return;
    }
    *p = (struct px_parked){.cta = cta, .grid = grid, .number = number, .round = run->round};
    px_queue_push(list, p);
    if (list == &run->ready) run->nready++;
}

/* ---- running one CTA ---- */

/* Adds the worker's counts to the run's, and looks at the limits. */
static void tell(struct px_helper *h)
{
    struct px_run *run = h->run;
    const struct px_worker *w = &h->worker;
    atomic_fetch_add_explicit(&h->sched->total_threads, w->thread_instructions - h->told_threads,
                              memory_order_relaxed);
    uint64_t steps = w->warp_instructions - h->told_warps;
    steps += atomic_fetch_add_explicit(&run->warps, steps, memory_order_relaxed);
    atomic_fetch_add_explicit(&h->sched->regions_entered, w->regions_entered - h->told_regions,
                              memory_order_relaxed);
    h->told_regions = w->regions_entered;
    h->told_threads = w->thread_instructions;
    h->told_warps = w->warp_instructions;
    if (run->max_steps && steps > run->max_steps) px_run_stop(run, PX_STOP_STEPS);
    px_sched_due(run);
    const uint64_t left = run->max_steps && steps <= run->max_steps ? run->max_steps - steps : LOOK_AFTER;
    h->worker.look_at = w->warp_instructions + (left < LOOK_AFTER ? left + 1 : LOOK_AFTER);
}

void px_worker_look(struct px_worker *worker)
{
    tell((struct px_helper *)(void *)worker); /* its first member */
}

/* Lets all helpers in when the run has lasted a while, or is expected to, and there is more than one thing to
 * do. The lock is held, but for a moment then. */
static void consider_helpers(struct px_helper *h)
{
    struct px_sched *s = h->sched;
    struct px_run *run = h->run;
    const int help = atomic_load_explicit(&s->help, memory_order_relaxed);
    if (s->nhelpers < 2 || help == PX_HELP_NEVER || help == PX_HELP_ALL) return;
    if (!run->levels && !run->nready && h->next >= h->end && s->nactive < 2) return;
    const bool vast = run->vast;
    const uint64_t now = px_now_ns();
    run->vast = false;
    if (!run->started_ns) run->started_ns = now;
    if (vast || now - run->started_ns >= OPEN_AFTER_NS) px_sched_invite_all(s);
}

static enum px_cta_status run_slice(struct px_helper *h, struct px_cta *cta, struct px_launch *launch,
                                    uint64_t slice)
{
    const uint64_t before = h->worker.thread_instructions;
    const enum px_cta_status status = px_cta_run(cta, &h->worker, slice);
    if (launch)
        atomic_fetch_add_explicit(&launch->instructions, h->worker.thread_instructions - before,
                                  memory_order_relaxed);
    return status;
}

static enum px_cta_status run_slices(struct px_helper *h, struct px_cta *cta, struct px_launch *launch)
{
    const bool all = atomic_load_explicit(&h->sched->help, memory_order_relaxed) == PX_HELP_ALL;
    uint64_t left = SLICE, slice = all ? SLICE : FIRST_SLICE;
    for (;;) {
        enum px_cta_status status = run_slice(h, cta, launch, slice);
        if (status != PX_CTA_SLICE) return status;
        tell(h);
        if (stopped(h->run)) return PX_CTA_STOPPED;
        if (!all) {
            pthread_mutex_lock(&h->sched->lock);
            consider_helpers(h);
            pthread_mutex_unlock(&h->sched->lock);
        }
        left -= slice;
        if (!left || h->hasty || h->sched->shuffled) return PX_CTA_SLICE;
        slice = left < 2 * slice ? left : 2 * slice;
    }
}

static void set_trap(struct px_run *run, const struct px_trap *trap, struct px_grid *grid)
{
    int none = PX_STOP_NONE; /* what stopped it before stands, and its trap is not to change */
    if (!atomic_compare_exchange_strong(&run->stop, &none, PX_STOP_FAULT)) return;
    run->trap = *trap;
    run->trap.grid = grid;
}

/* A CTA came back without having ended: where does it go? */
static void put_aside(struct px_helper *h, struct px_cta *cta, struct px_grid *grid, uint64_t number,
                      enum px_cta_status status, unsigned wakes)
{
    struct px_run *run = grid->run;
    struct px_parked_list *list = &run->kept;
    pthread_mutex_lock(&h->sched->lock);
    if (status == PX_CTA_SLICE || (status == PX_CTA_BLOCKED && atomic_load(&run->wakes) != wakes))
        list = &run->ready;
    else if (status == PX_CTA_BLOCKED)
        list = &run->blocked;
    else if (status == PX_CTA_TRAPPED)
        set_trap(run, px_cta_trap(cta), grid);
    else if (status == PX_CTA_STUCK)
        px_run_stop(run, PX_STOP_DEADLOCK);
    if (status == PX_CTA_SLICE) run->chunk = 1;
    park(h, list, cta, grid, number);
    px_sched_news(h->sched);
    pthread_mutex_unlock(&h->sched->lock);
}

/* What is left of the chunk goes back to its grid where it was the last that was handed out. */
static void give_back(struct px_helper *h)
{
    struct px_grid *grid = h->grid;
    if (h->end != grid->next_unit) return;
    const uint32_t level = level_of(grid);
    struct px_grid_list *list = &grid->run->queue[level];
    grid->next_unit = h->next;
    if (h->end == grid->units) { /* it had left the queue */
        grid->next = list->first;
        list->first = grid;
        if (!list->last) list->last = grid;
        grid->run->levels |= 1ull << level;
    }
    h->end = h->next;
}

void px_sched_triggered(struct px_grid *grid)
{
    struct px_sched *s = grid->run->sched;
    pthread_mutex_lock(&s->lock);
    s->triggered(grid->run);
    pthread_mutex_unlock(&s->lock);
}

/* `quiet` CTAs have ended without letting dependents begin. The lock is held. */
static void ended_quietly(struct px_grid *grid, uint64_t quiet)
{
    if (!quiet || grid->parent || grid->native) return;
    if (atomic_fetch_sub(&grid->untold, quiet) == quiet) grid->run->sched->triggered(grid->run);
}

/* Reports CTAs of h->grid that have ended, and forgets the chunk when it is used up. The lock is held. */
static void report_ended(struct px_helper *h)
{
    struct px_grid *grid = h->grid;
    const uint64_t n = h->ended, quiet = h->quiet;
    h->ended = h->quiet = 0;
    if (h->next < h->end) give_back(h);
    if (h->next == h->end) h->grid = NULL;
    if (!n) return;
    ended_quietly(grid, quiet);
    atomic_fetch_add_explicit(&h->sched->ctas_done, grid->native ? 0 : n * grid->cluster_blocks,
                              memory_order_relaxed);
    if (atomic_fetch_sub_explicit(&grid->units_left, n, memory_order_acq_rel) == n) px_sched_finish(grid);
}

/* True when the CTA ended. */
static bool run_cta(struct px_helper *h, struct px_cta *cta, struct px_grid *grid, uint64_t number)
{
    const unsigned wakes = atomic_load(&grid->run->wakes);
    const enum px_cta_status status = run_slices(h, cta, grid->launch);
    if (status == PX_CTA_DONE) {
        h->quiet += px_cta_untold(cta);
        return true;
    }
    put_aside(h, cta, grid, number, status, wakes);
    return false;
}

static void drop_cta(struct px_helper *h, struct px_cta *cta)
{
    const uint32_t slot = px_cta_slot(cta);
    px_cta_destroy(&h->worker, cta);
    px_slot_give(h, slot);
}

static struct px_cta *first_cta(struct px_helper *h, struct px_grid *grid, uint64_t number)
{
    const uint32_t slot = px_slot_take(h);
    struct px_cta *cta = slot ? px_cta_create(&h->worker, grid, number, slot) : NULL;
    if (!cta) h->slot = slot;
    return cta;
}

/* Runs new CTAs of the chunk, all in one object, until it is empty or one of them does not end. */
static void run_new(struct px_helper *h)
{
    struct px_grid *grid = h->grid;
    struct px_cta *cta = NULL;
    while (h->next < h->end && !stopped(grid->run)) {
        const uint64_t number = unit_at(grid, h->next++);
        const bool made = cta ? px_cta_again(cta, number) : (cta = first_cta(h, grid, number)) != NULL;
        if (!made) {
            px_run_stop(grid->run, PX_STOP_MEMORY);
            break;
        }
        if (!run_cta(h, cta, grid, number)) return;
        h->ended++;
    }
    if (cta) drop_cta(h, cta);
}

/* Whoever works here may have any floating-point mode, and finds it again. */
static uint64_t enter_home(struct px_helper *h)
{
    h->worker.fp_mode = PX_FP_HOME;
    return px_fp_enter();
}

static void run_chunk(struct px_helper *h)
{
    const uint64_t caller = enter_home(h);
    run_new(h);
    px_fp_leave(caller);
}

static void run_native(struct px_helper *h)
{
    struct px_trap trap = {0};
    h->next++;
    if (h->grid->native(h->grid, &trap)) {
        h->ended++;
        return;
    }
    if (!trap.error) return; /* stopped on the way */
    pthread_mutex_lock(&h->sched->lock);
    set_trap(h->run, &trap, h->grid);
    pthread_mutex_unlock(&h->sched->lock);
}

/* ---- choosing ---- */

static struct px_parked *take_ready(struct px_run *run)
{
    struct px_parked *p;
    if (run->sched->random) /* any of them: the others before it go behind */
        for (uint64_t n = px_random_next(&run->sched->random) % run->nready; n; n--) {
            px_queue_pop(&run->ready, p);
            if (p) px_queue_push(&run->ready, p);
        }
    px_queue_pop(&run->ready, p);
    if (p) run->nready--;
    return p;
}

/* The grid whose CTAs the worker may start; NULL: none of this run. */
static struct px_grid *source(const struct px_run *run, const struct px_helper *h)
{
    if (h->grid) return h->grid->run == run ? h->grid : NULL;
    return deepest(run);
}

/*
 * May the worker start a CTA of its chunk, or of a queued grid? Always when nothing is ready, so that a
 * worker without work holds no chunk.
 */
static bool startable(const struct px_run *run, const struct px_helper *h)
{
    const struct px_grid *grid = source(run, h);
    return grid && run->nready < grid->resident;
}

static void take_chunk(struct px_run *run, struct px_helper *h)
{
    if (h->grid) return;
    struct px_grid *grid = deepest(run);
    uint64_t left = grid->units - grid->next_unit, fair = left / (4 * h->sched->nhelpers) + 1;
    uint64_t n = fair < run->chunk ? fair : run->chunk;
    h->grid = grid;
    h->next = grid->next_unit;
    h->end = grid->next_unit += n;
    if (n < left) return;
    const uint32_t level = level_of(grid);
    px_queue_pop(&run->queue[level], grid);
    if (!run->queue[level].first) run->levels &= ~(1ull << level);
}

/* A chunk was run: the next ones are larger where it was short, so that workers come for one now and then. */
static void fit_chunk(struct px_run *run, uint64_t steps, uint64_t n)
{
    if (steps < CHUNK_STEPS && n >= run->chunk && run->chunk < CHUNK_MAX) run->chunk *= 2;
    if (steps > 4 * CHUNK_STEPS && run->chunk > 1) run->chunk /= 2;
}

void px_run_expect(struct px_run *run, uint64_t steps)
{
    const uint64_t units = run->root->units, chunk = steps ? CHUNK_STEPS / steps : 1;
    struct px_sched *s = run->sched;
    run->vast = units > 1 && steps > PX_VAST_STEPS / units;
    if (s->lookout != PX_LOOKOUT_ALL) s->lookout = run->vast ? PX_LOOKOUT_HELPERS : PX_LOOKOUT_NOBODY;
    run->chunk = chunk < 1 ? 1 : chunk < CHUNK_MAX ? (uint32_t)chunk : CHUNK_MAX;
}

/* True when a new CTA is to be started rather than a ready one resumed. */
static bool pick_new(struct px_run *run, const struct px_helper *h)
{
    if (!startable(run, h)) return false;
    if (run->sched->random && run->ready.first && !source(run, h)->workspace)
        return px_random_next(&run->sched->random) & 1;
    if (!run->ready.first || source(run, h)->workspace) return true; /* all of a cooperative grid are there */
    if (run->ready.first->round < run->round) return false;
    if (!run->may_start) { /* all had a slice since the last start */
        run->round++;
        run->may_start = run->nready;
    }
    run->may_start--;
    return true;
}

static void resume(struct px_helper *h, struct px_run *run)
{
    struct px_sched *s = h->sched;
    struct px_parked *p = take_ready(run);
    struct px_cta *cta = p->cta;
    struct px_grid *grid = p->grid;
    const uint64_t number = p->number, quiet = h->quiet; /* of its chunk, which may be another grid's */
    px_parked_free(s, p);
    pthread_mutex_unlock(&s->lock);
    const uint64_t caller = enter_home(h);
    const bool ended = run_cta(h, cta, grid, number);
    if (ended) drop_cta(h, cta);
    px_fp_leave(caller);
    px_private_flush(&h->worker);
    tell(h);
    pthread_mutex_lock(&s->lock);
    consider_helpers(h);
    if (!ended) return;
    run->may_start = 0;
    ended_quietly(grid, h->quiet - quiet);
    h->quiet = quiet;
    atomic_fetch_add_explicit(&s->ctas_done, grid->cluster_blocks, memory_order_relaxed);
    if (atomic_fetch_sub_explicit(&grid->units_left, 1, memory_order_acq_rel) == 1) px_sched_finish(grid);
}

static void start(struct px_helper *h, struct px_run *run)
{
    struct px_sched *s = h->sched;
    take_chunk(run, h);
    if (run->vast) consider_helpers(h);
    const uint64_t n = h->end - h->next, before = h->worker.warp_instructions;
    pthread_mutex_unlock(&s->lock);
    if (h->grid->native)
        run_native(h);
    else
        run_chunk(h);
    px_private_flush(&h->worker); /* before anybody hears that CTAs have ended */
    tell(h);
    pthread_mutex_lock(&s->lock);
    consider_helpers(h);
    fit_chunk(run, h->worker.warp_instructions - before, n);
    report_ended(h);
}

/* ---- runs ---- */

void px_run_settle(struct px_run *run)
{
    if (run->busy) return;
    const struct px_runtime *runtime = run->sched->runtime;
    if (!run->root_done && !stopped(run)) {
        if (run->ready.first || run->levels || atomic_load(&run->root->prior)) return;
        if (px_cooperative_moved(run)) return;
        if (runtime && runtime->stalled && runtime->stalled(run)) return;
        px_run_stop(run, PX_STOP_DEADLOCK);
    }
    px_run_remove(run);
    run->sched->over(run);
}

/* What to do in this run: 'n' a new CTA, 'r' a ready one, 0 nothing. */
static char work_in(struct px_run *run, const struct px_helper *h)
{
    if (stopped(run)) return 0;
    return pick_new(run, h) ? 'n' : run->ready.first ? 'r' : 0;
}

/* The run whose turn it is, and what to do there; NULL when there is nothing to do in any. */
static struct px_run *choose(struct px_sched *s, const struct px_helper *h, char *what)
{
    struct px_run *run = s->active;
    if (s->nactive > 1 && s->active->priority != s->last->priority && ++s->picks % 4 == 0)
        for (uint32_t skip = s->picks / 4 % s->nactive; skip; skip--) run = run->behind;
    if (s->random && s->nactive)
        for (uint64_t skip = px_random_next(&s->random) % s->nactive; skip && run->behind; skip--)
            run = run->behind;
    struct px_run *const first = run;
    for (; run; run = run->behind)
        if ((*what = work_in(run, h))) return run;
    for (run = s->active; run != first; run = run->behind)
        if ((*what = work_in(run, h))) return run;
    return NULL;
}

/* Runs that were stopped while nobody worked on them. True: there was one. */
static bool settle_stopped(struct px_sched *s)
{
    for (struct px_run *run = s->active; run; run = run->behind)
        if (stopped(run) && !run->busy) return px_run_settle(run), true;
    return false;
}

/* The worker's turn at a run is over; a chunk that it still holds keeps the run. */
static void turn_over(struct px_helper *h, struct px_run *run)
{
    h->run = NULL;
    if (h->grid) return;
    run->busy--;
    px_run_settle(run);
}

/* A chunk of a run that is to stop is dropped. True: there was one. */
static bool drop_chunk(struct px_helper *h)
{
    struct px_run *run = h->grid ? h->grid->run : NULL;
    if (!run || !stopped(run)) return false;
    h->grid = NULL;
    h->next = h->end = 0;
    turn_over(h, run);
    return true;
}

bool px_sched_step(struct px_helper *h)
{
    struct px_sched *s = h->sched;
    char what;
    if (drop_chunk(h) || (s->parked && s->look(s))) return true;
    struct px_run *run = choose(s, h, &what);
    if (!run) return settle_stopped(s);
    if (run->behind) { /* others are next */
        px_run_remove(run);
        px_run_append(run);
    }
    const bool held = h->grid && h->grid->run == run;
    run->busy += !held;
    h->run = run;
    h->worker.stop = &run->stop;
    h->worker.look_at = h->worker.warp_instructions;
    const struct px_grid *elsewhere = h->grid && !held ? h->grid : NULL;
    if (what == 'n')
        start(h, run);
    else
        resume(h, run);
    if (elsewhere) { /* the chunk is another run's: this one's turn is over all the same */
        h->run = NULL;
        run->busy--;
        px_run_settle(run);
    } else {
        turn_over(h, run);
    }
    return true;
}
