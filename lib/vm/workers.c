/*
 * workers.c - the threads of a device, and what the scheduler keeps lists of.
 *
 * Helper threads are made when a launch first wants them and sleep at the door
 * between launches. A launch is over for its caller when the last of them has
 * left, so nothing of it runs afterwards.
 */
#include "vm/device.h"
#include "vm/sched_list.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { REPORTED_CTAS = 1000 };

/* ---- lists ---- */

void px_grids_append(struct px_grid_list *list, struct px_grid *grid)
{
    grid->next = NULL;
    if (list->last)
        list->last->next = grid;
    else
        list->first = grid;
    list->last = grid;
}

struct px_grid *px_grids_pop(struct px_grid_list *list)
{
    struct px_grid *grid = list->first;
    if (grid && !(list->first = grid->next)) list->last = NULL;
    return grid;
}

void px_parked_append(struct px_parked_list *list, struct px_parked *p)
{
    p->next = NULL;
    if (list->last)
        list->last->next = p;
    else
        list->first = p;
    list->last = p;
}

struct px_parked *px_parked_pop(struct px_parked_list *list)
{
    struct px_parked *p = list->first;
    if (p && !(list->first = p->next)) list->last = NULL;
    return p;
}

struct px_parked *px_parked_new(struct px_sched *s)
{
    struct px_parked *p = s->spare;
    if (!p) return px_alloc(&s->alloc, sizeof *p);
    s->spare = p->next;
    return p;
}

void px_parked_free(struct px_sched *s, struct px_parked *p)
{
    p->next = s->spare;
    s->spare = p;
}

/* ---- slots ---- */

static bool more_slots(struct px_sched *s)
{
    if (s->next_slot < s->cap_slots) return true;
    uint32_t cap = s->cap_slots ? s->cap_slots * 2 : 64;
    uint32_t *free_slots =
        px_realloc(&s->alloc, s->free_slots, s->cap_slots * sizeof *free_slots, cap * sizeof *free_slots);
    if (!free_slots) return false;
    s->free_slots = free_slots;
    s->cap_slots = cap;
    return true;
}

uint32_t px_slot_take(struct px_helper *h)
{
    struct px_sched *s = h->sched;
    uint32_t slot = h->slot;
    h->slot = 0;
    if (slot) return slot;
    pthread_mutex_lock(&s->lock);
    if (s->nfree_slots)
        slot = s->free_slots[--s->nfree_slots];
    else if (more_slots(s))
        slot = ++s->next_slot;
    pthread_mutex_unlock(&s->lock);
    return slot;
}

/* There is room for every slot that was ever taken. */
void px_slot_give(struct px_helper *h, uint32_t slot)
{
    struct px_sched *s = h->sched;
    if (!h->slot) {
        h->slot = slot;
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->free_slots[s->nfree_slots++] = slot;
    pthread_mutex_unlock(&s->lock);
}

/* ---- coming and going ---- */

static void *helper_main(void *argument)
{
    struct px_helper *h = argument;
    struct px_sched *s = h->sched;
    pthread_mutex_lock(&s->lock);
    while (!s->quit) {
        if (!atomic_load(&s->open) || h->epoch == s->epoch) {
            pthread_cond_wait(&s->door, &s->lock);
            continue;
        }
        px_sched_join(h);
        px_sched_work(h);
        px_sched_leave(h);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* A thread that cannot be made is done without. */
void px_sched_open(struct px_sched *s)
{
    atomic_store(&s->open, true);
    while (s->nthreads + 1 < s->nhelpers) {
        struct px_helper *h = &s->helpers[s->nthreads + 1];
        if (pthread_create(&h->thread, NULL, helper_main, h) != 0) break;
        s->nthreads++;
    }
    pthread_cond_broadcast(&s->door);
}

void px_sched_join(struct px_helper *h)
{
    h->epoch = h->sched->epoch;
    h->grid = NULL;
    h->next = h->end = h->ended = 0;
    h->told_threads = h->worker.thread_instructions;
    h->told_warps = h->worker.look_at = h->worker.warp_instructions;
    h->sched->inside++;
}

void px_sched_leave(struct px_helper *h)
{
    if (--h->sched->inside == 0) pthread_cond_signal(&h->sched->rest);
}

void px_sched_begin(struct px_sched *s)
{
    s->epoch++;
    s->round = 1;
    s->may_start = 0;
    s->chunk = 1;
    s->root_done = false;
    atomic_store(&s->stop, PX_STOP_NONE);
    atomic_store(&s->ctas_done, 0);
    atomic_store(&s->ctas_total, 0);
    atomic_store(&s->grids_done, 0);
    atomic_store(&s->grids_total, 0);
    atomic_store(&s->threads, 0);
    atomic_store(&s->warps, 0);
    atomic_store(&s->max_depth, 0);
}

/* ---- making and ending ---- */

bool px_sched_init(struct px_sched *s, struct ptx_device *device, uint32_t workers)
{
    *s = (struct px_sched){.alloc = *px_device_allocator(device), .nhelpers = workers, .next_grid_id = 1};
    s->helpers = px_zalloc(&s->alloc, workers * sizeof *s->helpers);
    if (!s->helpers) return false;
    for (uint32_t i = 0; i < workers; i++) {
        s->helpers[i].sched = s;
        s->helpers[i].worker = (struct px_worker){.device = device, .index = i, .stop = &s->stop};
    }
    bool ok = pthread_mutex_init(&s->lock, NULL) == 0;
    ok = ok && pthread_cond_init(&s->door, NULL) == 0;
    ok = ok && pthread_cond_init(&s->wake, NULL) == 0;
    return ok && pthread_cond_init(&s->rest, NULL) == 0;
}

void px_sched_forget(struct px_sched *s)
{
    for (uint32_t i = 0; i < s->nhelpers; i++) px_cta_drop_spare(&s->helpers[i].worker);
}

static void end_threads(struct px_sched *s)
{
    pthread_mutex_lock(&s->lock);
    s->quit = true;
    pthread_cond_broadcast(&s->door);
    pthread_mutex_unlock(&s->lock);
    for (uint32_t i = 0; i < s->nthreads; i++) pthread_join(s->helpers[i + 1].thread, NULL);
}

void px_sched_free(struct px_sched *s)
{
    if (!s->helpers) return;
    end_threads(s);
    px_sched_forget(s);
    for (struct px_parked *p = s->spare, *next; p; p = next) {
        next = p->next;
        px_free(&s->alloc, p, sizeof *p);
    }
    px_free(&s->alloc, s->free_slots, s->cap_slots * sizeof *s->free_slots);
    px_free(&s->alloc, s->helpers, s->nhelpers * sizeof *s->helpers);
    pthread_cond_destroy(&s->door);
    pthread_cond_destroy(&s->wake);
    pthread_cond_destroy(&s->rest);
    pthread_mutex_destroy(&s->lock);
    s->helpers = NULL;
}

/* ---- after a launch that did not complete ---- */

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
             grid->id, grid->kernel ? grid->kernel->name : "?", (uint64_t)atomic_load(&grid->ctas_left),
             grid->ctas, grid->ctas - grid->next_cta);
    say(user, line);
}

void px_sched_report(struct px_sched *s, bool (*say)(void *user, const char *line), void *user)
{
    const struct px_grid *grid = s->grids;
    while (grid && grid->older) grid = grid->older;
    for (; grid; grid = grid->newer) report_grid(grid, say, user);
    uint32_t left = REPORTED_CTAS;
    report_list(&s->kept, &left, say, user);
    report_list(&s->blocked, &left, say, user);
    report_list(&s->ready, &left, say, user);
}

static void clean_list(struct px_sched *s, struct px_parked_list *list)
{
    for (struct px_parked *p; (p = px_parked_pop(list));) {
        s->free_slots[s->nfree_slots++] = px_cta_slot(p->cta);
        px_cta_destroy(&s->helpers[0].worker, p->cta);
        px_parked_free(s, p);
    }
}

void px_sched_clean(struct px_sched *s)
{
    clean_list(s, &s->kept);
    clean_list(s, &s->blocked);
    clean_list(s, &s->ready);
    s->nready = 0;
    while (s->grids) {
        struct px_grid *grid = s->grids;
        s->grids = grid->older;
        if (s->runtime && s->runtime->discard) s->runtime->discard(grid);
        px_grid_free(grid);
    }
    memset(s->queue, 0, sizeof s->queue);
    s->levels = 0;
    s->root = NULL;
}
