/*
 * sched.c - what a worker does next.
 *
 * Order of choice: CTAs that may go on, then new CTAs of the deepest queued
 * grid (children before their parent's remaining CTAs: that bounds what is
 * pending), else wait. A CTA that spends its slice goes to the end of `ready`.
 * When every ready CTA has had a slice and none has ended, they may be waiting
 * for one that has not begun: as many new ones as are alive may then start, up
 * to the residency that the grid's shape allows.
 *
 * The launch ends when the root grid completes, or when `stop` is set. No CTA
 * running, none ready, none to start and the root incomplete is a deadlock.
 */
#include "vm/device.h"
#include "vm/sched_list.h"
#include <time.h>

enum {
    SLICE = 16384,         /* backward branches of a CTA before another one runs */
    FIRST_SLICE = 256,     /* the same while the calling thread is alone: it looks at the clock then */
    CHUNK_MAX = 32,        /* CTAs handed out at once */
    OPEN_AFTER_NS = 20000, /* a launch that lasts longer is worth waking helpers */
    LOOK_AFTER = 32768     /* warp-instructions of a worker between two looks at the limits */
};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void px_sched_lock(struct px_sched *s)
{
    pthread_mutex_lock(&s->lock);
}

void px_sched_unlock(struct px_sched *s)
{
    pthread_mutex_unlock(&s->lock);
}

void px_sched_stop(struct px_sched *s, enum px_stop why)
{
    int none = PX_STOP_NONE;
    atomic_compare_exchange_strong(&s->stop, &none, (int)why);
}

static bool stopped(struct px_sched *s)
{
    return atomic_load_explicit(&s->stop, memory_order_relaxed) != PX_STOP_NONE;
}

bool px_sched_due(struct px_sched *s)
{
    if (s->timeout_ns && now_ns() - s->started_ns > s->timeout_ns) px_sched_stop(s, PX_STOP_TIMEOUT);
    return stopped(s);
}

static void wake_idle(struct px_sched *s)
{
    if (s->idle) pthread_cond_broadcast(&s->wake);
}

/* ---- grids ---- */

static uint32_t level_of(const struct px_grid *grid)
{
    return grid->depth < PX_SCHED_LEVELS ? grid->depth : PX_SCHED_LEVELS - 1;
}

void px_sched_adopt(struct px_sched *s, struct px_grid *parent, struct px_grid *grid)
{
    grid->id = s->next_grid_id++;
    grid->parent = parent;
    grid->depth = parent ? parent->depth + !grid->native : 0;
    grid->unfinished = 1;
    grid->older = s->grids;
    grid->newer = NULL;
    if (s->grids) s->grids->newer = grid;
    s->grids = grid;
    if (grid->native) return;
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

void px_sched_enqueue(struct px_sched *s, struct px_grid *grid)
{
    const uint32_t level = level_of(grid);
    px_grids_append(&s->queue[level], grid);
    s->levels |= 1ull << level;
    wake_idle(s);
}

static struct px_grid *deepest(const struct px_sched *s)
{
    return s->levels ? s->queue[63 - __builtin_clzll(s->levels)].first : NULL;
}

static void unlink_grid(struct px_sched *s, struct px_grid *grid)
{
    if (grid->newer)
        grid->newer->older = grid->older;
    else
        s->grids = grid->older;
    if (grid->older) grid->older->newer = grid->newer;
}

static void complete(struct px_sched *s, struct px_grid *grid)
{
    if (!grid->native) atomic_fetch_add_explicit(&s->grids_done, 1, memory_order_relaxed);
    if (s->runtime && s->runtime->completed) s->runtime->completed(grid);
    if (grid == s->root) { /* the report may ask for it: it goes with the launch */
        s->root_done = true;
        wake_idle(s);
        return;
    }
    unlink_grid(s, grid);
    px_grid_free(grid);
}

void px_sched_finish(struct px_sched *s, struct px_grid *grid)
{
    while (grid && --grid->unfinished == 0) {
        if (s->runtime && s->runtime->drained && s->runtime->drained(grid)) return;
        struct px_grid *parent = grid->counts ? grid->parent : NULL;
        complete(s, grid);
        grid = parent;
    }
}

/* ---- CTAs that do not run ---- */

void px_sched_wake(struct px_sched *s, const struct px_grid *grid, uint64_t number)
{
    struct px_parked_list all = s->blocked;
    s->blocked = (struct px_parked_list){0};
    atomic_fetch_add(&s->wakes, 1);
    for (struct px_parked *p = all.first, *next; p; p = next) {
        next = p->next;
        const bool this = !grid || (p->grid == grid && p->number == number);
        px_parked_append(this ? &s->ready : &s->blocked, p);
        if (!this) continue;
        p->round = 0;
        s->nready++;
    }
    wake_idle(s);
}

/* Puts a CTA aside. The lock is held. */
static void park(struct px_helper *h, struct px_parked_list *list, struct px_cta *cta, struct px_grid *grid,
                 uint64_t number)
{
    struct px_sched *s = h->sched;
    struct px_parked *p = px_parked_new(s);
    if (!p) { /* without room to remember it the CTA cannot be kept */
        px_cta_destroy(&h->worker, cta);
        px_sched_stop(s, PX_STOP_MEMORY);
        return;
    }
    *p = (struct px_parked){.cta = cta, .grid = grid, .number = number, .round = s->round};
    px_parked_append(list, p);
    if (list == &s->ready) s->nready++;
}

/* ---- running one CTA ---- */

/* Adds the worker's counts to the launch's, and looks at the limits. */
static void tell(struct px_helper *h)
{
    struct px_sched *s = h->sched;
    const struct px_worker *w = &h->worker;
    atomic_fetch_add_explicit(&s->threads, w->thread_instructions - h->told_threads, memory_order_relaxed);
    uint64_t steps = w->warp_instructions - h->told_warps;
    steps += atomic_fetch_add_explicit(&s->warps, steps, memory_order_relaxed);
    h->told_threads = w->thread_instructions;
    h->told_warps = w->warp_instructions;
    if (s->max_steps && steps > s->max_steps) px_sched_stop(s, PX_STOP_STEPS);
    px_sched_due(s);
    const uint64_t left = s->max_steps ? s->max_steps - steps : LOOK_AFTER;
    h->worker.look_at = w->warp_instructions + (left < LOOK_AFTER ? left + 1 : LOOK_AFTER);
}

void px_worker_look(struct px_worker *worker)
{
    tell((struct px_helper *)(void *)worker); /* its first member */
}

/* Lets helpers in when the launch has lasted a while and there is more than one thing to do. */
static void consider_helpers(struct px_helper *h)
{
    struct px_sched *s = h->sched;
    if (s->nhelpers < 2 || atomic_load_explicit(&s->open, memory_order_relaxed)) return;
    if (now_ns() - s->started_ns < OPEN_AFTER_NS) return;
    pthread_mutex_lock(&s->lock);
    if (s->levels || s->nready || h->next < h->end) px_sched_open(s);
    pthread_mutex_unlock(&s->lock);
}

static enum px_cta_status run_slices(struct px_helper *h, struct px_cta *cta)
{
    uint64_t left = SLICE,
             slice = atomic_load_explicit(&h->sched->open, memory_order_relaxed) ? SLICE : FIRST_SLICE;
    for (;;) {
        enum px_cta_status status = px_cta_run(cta, &h->worker, slice);
        if (status != PX_CTA_SLICE) return status;
        tell(h);
        if (stopped(h->sched)) return PX_CTA_STOPPED;
        consider_helpers(h);
        left -= slice;
        if (!left) return PX_CTA_SLICE;
        slice = left < 2 * slice ? left : 2 * slice;
    }
}

static void set_trap(struct px_sched *s, const struct px_trap *trap, struct px_grid *grid)
{
    if (atomic_load(&s->stop) == PX_STOP_FAULT) return;
    s->trap = *trap;
    s->trap.grid = grid;
    px_sched_stop(s, PX_STOP_FAULT);
}

/* A CTA came back without having ended: where does it go? */
static void put_aside(struct px_helper *h, struct px_cta *cta, struct px_grid *grid, uint64_t number,
                      enum px_cta_status status, unsigned wakes)
{
    struct px_sched *s = h->sched;
    struct px_parked_list *list = &s->kept;
    pthread_mutex_lock(&s->lock);
    if (status == PX_CTA_SLICE || (status == PX_CTA_BLOCKED && atomic_load(&s->wakes) != wakes))
        list = &s->ready;
    else if (status == PX_CTA_BLOCKED)
        list = &s->blocked;
    else if (status == PX_CTA_TRAPPED)
        set_trap(s, px_cta_trap(cta), grid);
    else if (status == PX_CTA_STUCK)
        px_sched_stop(s, PX_STOP_DEADLOCK);
    if (status == PX_CTA_SLICE) s->chunk = 1;
    park(h, list, cta, grid, number);
    wake_idle(s);
    pthread_mutex_unlock(&s->lock);
}

/* Reports CTAs of h->grid that have ended, and forgets the chunk when it is used up. The lock is held. */
static void report_ended(struct px_helper *h)
{
    struct px_grid *grid = h->grid;
    const uint64_t n = h->ended;
    h->ended = 0;
    if (h->next == h->end) h->grid = NULL;
    if (!n) return;
    atomic_fetch_add_explicit(&h->sched->ctas_done, grid->native ? 0 : n, memory_order_relaxed);
    if (atomic_fetch_sub_explicit(&grid->ctas_left, n, memory_order_acq_rel) == n)
        px_sched_finish(h->sched, grid);
}

/* True when the CTA ended. */
static bool run_cta(struct px_helper *h, struct px_cta *cta, struct px_grid *grid, uint64_t number)
{
    const unsigned wakes = atomic_load(&h->sched->wakes);
    const enum px_cta_status status = run_slices(h, cta);
    if (status != PX_CTA_DONE) {
        put_aside(h, cta, grid, number, status, wakes);
        return false;
    }
    const uint32_t slot = px_cta_slot(cta);
    px_cta_destroy(&h->worker, cta);
    px_slot_give(h, slot);
    return true;
}

/* Runs new CTAs of the chunk until it is empty or one of them does not end. */
static void run_chunk(struct px_helper *h)
{
    struct px_grid *grid = h->grid;
    while (h->next < h->end && !stopped(h->sched)) {
        const uint64_t number = h->next++;
        const uint32_t slot = px_slot_take(h);
        struct px_cta *cta = slot ? px_cta_create(&h->worker, grid, number, slot) : NULL;
        if (!cta) {
            h->slot = slot;
            px_sched_stop(h->sched, PX_STOP_MEMORY);
            return;
        }
        if (!run_cta(h, cta, grid, number)) return;
        h->ended++;
    }
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
    set_trap(h->sched, &trap, h->grid);
    pthread_mutex_unlock(&h->sched->lock);
}

/* ---- choosing ---- */

static struct px_parked *take_ready(struct px_sched *s)
{
    struct px_parked *p = px_parked_pop(&s->ready);
    if (p) s->nready--;
    return p;
}

/*
 * May the worker start a CTA of its chunk, or of a queued grid? Always when nothing is ready, so that a
 * worker without work holds no chunk.
 */
static bool startable(const struct px_sched *s, const struct px_helper *h)
{
    const struct px_grid *grid = h->grid ? h->grid : deepest(s);
    return grid && s->nready < grid->resident;
}

static void take_chunk(struct px_sched *s, struct px_helper *h)
{
    if (h->grid) return;
    struct px_grid *grid = deepest(s);
    uint64_t left = grid->ctas - grid->next_cta, fair = left / (4 * s->nhelpers) + 1;
    uint64_t n = fair < s->chunk ? fair : s->chunk;
    h->grid = grid;
    h->next = grid->next_cta;
    h->end = grid->next_cta += n;
    s->chunk = s->chunk < CHUNK_MAX ? s->chunk * 2 : CHUNK_MAX;
    if (n < left) return;
    const uint32_t level = level_of(grid);
    px_grids_pop(&s->queue[level]);
    if (!s->queue[level].first) s->levels &= ~(1ull << level);
}

/* True when a new CTA is to be started rather than a ready one resumed. */
static bool pick_new(struct px_sched *s, const struct px_helper *h)
{
    if (!startable(s, h)) return false;
    if (!s->ready.first) return true;
    if (s->ready.first->round < s->round) return false;
    if (!s->may_start) { /* all had a slice since the last start */
        s->round++;
        s->may_start = s->nready;
    }
    s->may_start--;
    return true;
}

static void resume(struct px_helper *h, struct px_parked *p)
{
    struct px_sched *s = h->sched;
    struct px_cta *cta = p->cta;
    struct px_grid *grid = p->grid;
    const uint64_t number = p->number;
    px_parked_free(s, p);
    pthread_mutex_unlock(&s->lock);
    const bool ended = run_cta(h, cta, grid, number);
    tell(h);
    consider_helpers(h);
    pthread_mutex_lock(&s->lock);
    if (!ended) return;
    s->may_start = 0;
    atomic_fetch_add_explicit(&s->ctas_done, 1, memory_order_relaxed);
    if (atomic_fetch_sub_explicit(&grid->ctas_left, 1, memory_order_acq_rel) == 1) px_sched_finish(s, grid);
}

static void start(struct px_helper *h)
{
    struct px_sched *s = h->sched;
    take_chunk(s, h);
    pthread_mutex_unlock(&s->lock);
    if (h->grid->native)
        run_native(h);
    else
        run_chunk(h);
    tell(h);
    consider_helpers(h);
    pthread_mutex_lock(&s->lock);
    report_ended(h);
}

/* Nothing to do for this worker. */
static void wait_for_work(struct px_sched *s)
{
    if (s->idle + 1 < s->inside) {
        s->idle++;
        pthread_cond_wait(&s->wake, &s->lock);
        s->idle--;
    } else if (!s->runtime || !s->runtime->stalled || !s->runtime->stalled(s)) {
        px_sched_stop(s, PX_STOP_DEADLOCK);
    }
}

/* Works until the launch is over. The lock is held. */
void px_sched_work(struct px_helper *h)
{
    struct px_sched *s = h->sched;
    while (!s->root_done && !stopped(s)) {
        if (pick_new(s, h)) {
            start(h);
            continue;
        }
        struct px_parked *p = take_ready(s);
        if (p)
            resume(h, p);
        else
            wait_for_work(s);
    }
    wake_idle(s);
}

enum px_stop px_sched_run(struct px_sched *s, struct px_grid *root)
{
    struct px_helper *self = &s->helpers[0];
    pthread_mutex_lock(&s->lock);
    px_sched_begin(s);
    s->started_ns = now_ns();
    s->root = root;
    px_sched_adopt(s, NULL, root);
    px_sched_enqueue(s, root);
    px_sched_join(self);
    px_sched_work(self);
    px_sched_leave(self);
    atomic_store(&s->open, false);
    while (s->inside) pthread_cond_wait(&s->rest, &s->lock);
    pthread_mutex_unlock(&s->lock);
    return (enum px_stop)atomic_load(&s->stop);
}
