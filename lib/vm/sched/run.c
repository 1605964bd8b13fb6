/*
 * run.c - what the host launched, from its first CTA to its last.
 *
 * A run's memory is kept when it is over, so that whoever stops runs from a
 * signal handler finds it valid, and a queue of launches allocates none.
 */
#include "vm/device/device.h"
#include "vm/sched/sched_list.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { REPORTED_CTAS = 1000 };

/* ---- places ---- */

struct px_run *px_run_take(struct px_sched *s)
{
    for (int i = 0; i < PX_RUNS; i++) {
        struct px_run *run = atomic_load(&s->runs[i]);
        if (!run) {
            run = px_zalloc(&s->alloc, sizeof *run);
            if (!run) return NULL;
            run->sched = s;
            atomic_store(&s->runs[i], run);
        }
        if (run->used) continue;
        run->used = true;
        run->priority = 0;
        run->max_steps = run->timeout_ns = 0;
        run->user = NULL;
        return run;
    }
    return NULL;
}

void px_run_give(struct px_run *run)
{
    run->used = false;
}

void px_run_append(struct px_run *run)
{
    struct px_sched *s = run->sched;
    struct px_run *before = s->last;
    while (before && before->priority < run->priority) before = before->before;
    run->before = before;
    run->behind = before ? before->behind : s->active;
    *(run->behind ? &run->behind->before : &s->last) = run;
    *(before ? &before->behind : &s->active) = run;
    s->nactive++;
}

void px_run_remove(struct px_run *run)
{
    struct px_sched *s = run->sched;
    *(run->before ? &run->before->behind : &s->active) = run->behind;
    *(run->behind ? &run->behind->before : &s->last) = run->before;
    s->nactive--;
}

static void count_from_zero(struct px_sched *s)
{
    atomic_fetch_add_explicit(&s->earlier_threads, atomic_load(&s->total_threads), memory_order_relaxed);
    atomic_store_explicit(&s->ctas_done, 0, memory_order_relaxed);
    atomic_store_explicit(&s->ctas_total, 0, memory_order_relaxed);
    atomic_store_explicit(&s->grids_done, 0, memory_order_relaxed);
    atomic_store_explicit(&s->grids_total, 0, memory_order_relaxed);
    atomic_store_explicit(&s->total_threads, 0, memory_order_relaxed);
    atomic_store_explicit(&s->max_depth, 0, memory_order_relaxed);
}

void px_run_begin(struct px_run *run, struct px_grid *root)
{
    struct px_sched *s = run->sched;
    if (!s->nactive) {
        int left = PX_HELP_LEFT;
        count_from_zero(s);
        atomic_compare_exchange_strong(&s->help, &left, PX_HELP_ASKED);
    }
    if (s->lookout == PX_LOOKOUT_HELPERS) s->lookout = PX_LOOKOUT_NOBODY;
    run->root_done = false;
    run->busy = 0;
    run->round = 1;
    run->may_start = 0;
    run->chunk = 1;
    run->vast = false;
    run->printed = 0;
    run->pending = run->events = run->buffers = 0;
    run->drain = PX_DRAIN_NONE;
    atomic_store_explicit(&run->warps, 0, memory_order_relaxed);
    atomic_store(&run->stop, PX_STOP_NONE);
    run->started_ns = run->timeout_ns ? px_now_ns() : 0;
    atomic_store_explicit(&run->called, false, memory_order_relaxed);
    run->root = root;
    px_run_append(run);
    px_sched_adopt(run, NULL, root);
    px_sched_enqueue(root);
}

/* ---- when it is over ---- */

/* Of many CTAs the first are enough: the rest are told with empty lines, which cost nothing. */
static void report_list(const struct px_parked_list *list, uint32_t *left, bool (*say)(void *, const char *),
                        void *user)
{
    for (const struct px_parked *p = list->first; p; p = p->next) {
        if (*left) {
            --*left;
            px_cta_describe(p->cta, say, user);
        } else {
            say(user, "");
        }
    }
}

static void report_grid(const struct px_grid *grid, bool (*say)(void *, const char *), void *user)
{
    char line[200];
    if (grid->native) return;
    snprintf(line, sizeof line,
             "grid %" PRIu64 " '%s': %" PRIu64 " of %" PRIu64 " blocks not ended, %" PRIu64 " not begun",
             grid->id, grid->kernel ? grid->kernel->name : "?",
             (uint64_t)atomic_load(&grid->units_left) * grid->cluster_blocks, grid->ctas,
             (grid->units - grid->next_unit) * grid->cluster_blocks);
    say(user, line);
}

void px_run_report(struct px_run *run, bool (*say)(void *user, const char *line), void *user)
{
    const struct px_grid *grid = run->grids;
    while (grid && grid->older) grid = grid->older;
    for (; grid; grid = grid->newer) report_grid(grid, say, user);
    uint32_t left = REPORTED_CTAS;
    report_list(&run->kept, &left, say, user);
    report_list(&run->blocked, &left, say, user);
    report_list(&run->ready, &left, say, user);
}

/* A worker with nothing kept takes the CTA object; any will do, all are this device's. */
static void clean_list(struct px_sched *s, struct px_parked_list *list)
{
    struct px_worker nobody = {0};
    for (;;) {
        struct px_parked *p;
        px_queue_pop(list, p);
        if (!p) break;
        s->free_slots[s->nfree_slots++] = px_cta_slot(p->cta);
        px_cta_destroy(&nobody, p->cta);
        px_parked_free(s, p);
    }
    px_cta_drop_spare(&nobody);
}

void px_run_clean(struct px_run *run)
{
    struct px_sched *s = run->sched;
    clean_list(s, &run->kept);
    clean_list(s, &run->blocked);
    clean_list(s, &run->ready);
    run->nready = 0;
    while (run->grids) {
        struct px_grid *grid = run->grids;
        run->grids = grid->older;
        if (s->watch) s->watch(grid, true);
        if (s->runtime && s->runtime->discard) s->runtime->discard(grid);
        px_grid_free(grid);
    }
    px_run_drop_guests(run);
    if (run->levels) memset(run->queue, 0, sizeof run->queue);
    run->levels = 0;
    run->root = NULL;
}
