/*
 * workers.c - the threads of a device, and what the scheduler keeps lists of.
 *
 * A place (px_helper) is what a thread needs to run CTAs; there are as many as
 * the device has workers. A thread of the host that waits for its launch takes
 * a place while it waits. Helper threads are made when a run turns out to be
 * worth it, or was submitted without waiting, and sleep at the door when there
 * is nothing to do. They, and threads that wait for what helpers run, look out
 * for more for a moment first, because a wake-up costs more than a launch. Who
 * comes in wakes a few more of those invited, so that nobody has to wake them all.
 */
#include "vm/device/device.h"
#include "ops/private.h"
#include "vm/sched/sched_list.h"
#include <string.h>
#include <time.h>

enum {
    SPIN_NS = 50000,  /* a helper looks out for more for so long, and who waits for what helpers run */
    CALLER_NS = 5000, /* one that waits for what others will run */
    ROUSED = 4,       /* helpers whom each wakes */
    SPINS_A_LOOK = 64,
    NAP_FIRST_NS = 20000, /* sleeps between looks at memory that a stream waits for */
    NAP_LONGEST_NS = 1000000
};

/* ---- parked CTAs ---- */

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
    if (s->next_slot == PX_OWNERS - 1) return false;
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

/* ---- places ---- */

static uintptr_t self(void)
{
    return (uintptr_t)pthread_self();
}

static struct px_helper *place_of(struct px_sched *s)
{
    const uintptr_t me = self();
    for (uint32_t i = 0; i < s->nhelpers; i++)
        if (atomic_load_explicit(&s->helpers[i].thread, memory_order_relaxed) == me) return &s->helpers[i];
    return NULL;
}

struct px_run *px_sched_mine(struct px_sched *s)
{
    struct px_helper *h = place_of(s);
    return h ? h->run : NULL;
}

bool px_sched_is_worker(struct px_sched *s)
{
    return place_of(s) != NULL;
}

struct px_helper *px_sched_enter(struct px_sched *s, enum px_where where)
{
    struct px_helper *h = s->helpers;
    while (h < s->helpers + s->nhelpers && atomic_load_explicit(&h->thread, memory_order_relaxed)) h++;
    if (h == s->helpers + s->nhelpers) return NULL;
    atomic_store_explicit(&h->thread, self(), memory_order_relaxed);
    if (h->forgot != s->forget) px_cta_drop_spare(&h->worker);
    h->forgot = s->forget;
    h->told_threads = h->worker.thread_instructions;
    h->told_regions = h->worker.regions_entered;
    h->told_warps = h->worker.warp_instructions;
    h->where = where;
    s->at[where]++;
    return h;
}

void px_sched_leave(struct px_helper *h)
{
    struct px_sched *s = h->sched;
    atomic_store_explicit(&h->thread, 0, memory_order_relaxed);
    s->at[h->where]--;
    if (s->at[PX_CALLER_RESTS]) pthread_cond_broadcast(&s->rest);
}

/* Memory that somebody waits for changes without news: then only for a while. */
static void nap(struct px_sched *s)
{
    s->nap_ns = !s->nap_ns ? NAP_FIRST_NS : s->nap_ns * 2 < NAP_LONGEST_NS ? s->nap_ns * 2 : NAP_LONGEST_NS;
    const struct timespec until = px_deadline(s->nap_ns);
    pthread_cond_timedwait(&s->wake, &s->lock, &until);
}

static void move(struct px_helper *h, enum px_where where)
{
    h->sched->at[h->where]--;
    h->where = where;
    h->sched->at[where]++;
}

static void sleep_until_news(struct px_helper *h)
{
    struct px_sched *s = h->sched;
    const enum px_where works = h->where;
    move(h, works == PX_HELPER_WORKS ? PX_HELPER_SLEEPS : PX_CALLER_SLEEPS);
    if (s->parked)
        nap(s);
    else
        pthread_cond_wait(&s->wake, &s->lock);
    move(h, works);
}

static void wait_for_place(struct px_sched *s)
{
    s->at[PX_CALLER_RESTS]++;
    pthread_cond_wait(&s->rest, &s->lock);
    s->at[PX_CALLER_RESTS]--;
}

static bool step(struct px_helper *h)
{
    if (h->forgot != h->sched->forget) px_cta_drop_spare(&h->worker);
    h->forgot = h->sched->forget;
    return px_sched_step(h);
}

static void pause_a_moment(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Looks out for news without the lock for a while. False: there were none. */
static bool look_out(struct px_sched *s, uint64_t ns)
{
    const unsigned before = atomic_load_explicit(&s->news, memory_order_relaxed);
    pthread_mutex_unlock(&s->lock);
    const uint64_t until = px_now_ns() + ns;
    bool news = false;
    for (uint32_t n = 0; !news && (n % SPINS_A_LOOK || px_now_ns() < until); n++) {
        pause_a_moment();
        news = atomic_load_explicit(&s->news, memory_order_relaxed) != before;
    }
    pthread_mutex_lock(&s->lock);
    return atomic_load_explicit(&s->news, memory_order_relaxed) != before;
}

/* The caller's work is done; what others still want is for a helper. */
static void go(struct px_helper *h)
{
    struct px_sched *s = h->sched;
    while (h->grid && step(h)) {
    }
    px_sched_leave(h);
    if (s->active || s->parked) px_sched_invite(s);
}

/* How long a thread of the host looks out for the end of what others run. */
static uint64_t patience(const struct px_sched *s)
{
    if (px_sched_helpers(s)) return SPIN_NS;
    return s->lookout == PX_LOOKOUT_ALL ? CALLER_NS : 0;
}

void px_sched_until(struct px_sched *s, bool (*done)(const void *user), const void *user)
{
    struct px_helper *h = NULL;
    while (!done(user)) {
        if (!h && !(h = px_sched_enter(s, PX_CALLER_WORKS))) {
            wait_for_place(s);
            continue;
        }
        if (step(h)) continue;
        const uint64_t ns = patience(s);
        if (ns && look_out(s, ns)) continue;
        if (!done(user)) sleep_until_news(h);
    }
    if (h) go(h);
}

void px_sched_hasten(struct px_sched *s)
{
    struct px_helper *h = px_sched_enter(s, PX_CALLER_WORKS);
    if (!h) return;
    h->hasty = true;
    for (int i = 0; i < PX_BRIEF_CTAS && s->active && step(h); i++) {
    }
    h->hasty = false;
    go(h);
}

void px_sched_pump(struct px_sched *s)
{
    const bool alone = px_sched_is_alone(s);
    struct px_helper *h = alone || !s->nthreads ? px_sched_enter(s, PX_CALLER_WORKS) : NULL;
    if (!h) return;
    while (step(h) && !alone) {
    }
    go(h);
}

void px_sched_forget(struct px_sched *s)
{
    pthread_mutex_lock(&s->lock);
    s->forget++;
    for (uint32_t i = 0; i < s->nhelpers; i++)
        if (!atomic_load_explicit(&s->helpers[i].thread, memory_order_relaxed))
            px_cta_drop_spare(&s->helpers[i].worker);
    pthread_mutex_unlock(&s->lock);
}

/* ---- helper threads ---- */

/* Somebody runs a CTA, and will look for more, and whom to call for it, when it has ended. */
static bool somebody_runs(const struct px_sched *s)
{
    for (const struct px_run *run = s->active; run; run = run->behind)
        if (run->busy) return true;
    return false;
}

static bool ends(const struct px_sched *s)
{
    return atomic_load(&s->help) == PX_HELP_OVER;
}

static void help(struct px_helper *h)
{
    struct px_sched *s = h->sched;
    while (!ends(s)) {
        if (step(h) || (s->lookout != PX_LOOKOUT_NOBODY && look_out(s, SPIN_NS))) continue;
        if ((!s->active && !s->parked) || somebody_runs(s)) break;
        sleep_until_news(h);
    }
    if (!ends(s)) atomic_store(&s->help, s->active ? PX_HELP_LEFT : PX_HELP_ASKED);
    px_sched_leave(h);
    s->invited = px_sched_helpers(s);
    pthread_cond_broadcast(&s->roomy);
}

static void rouse(struct px_sched *s)
{
    for (int i = 0; i < ROUSED; i++) pthread_cond_signal(&s->door);
}

static void *helper_main(void *argument)
{
    struct px_sched *s = argument;
    pthread_mutex_lock(&s->lock);
    while (!ends(s)) {
        struct px_helper *h = px_sched_helpers(s) < s->invited ? px_sched_enter(s, PX_HELPER_WORKS) : NULL;
        if (!h) {
            pthread_cond_wait(&s->door, &s->lock);
            continue;
        }
        if (px_sched_helpers(s) < s->invited) {
            pthread_mutex_unlock(&s->lock);
            rouse(s);
            pthread_mutex_lock(&s->lock);
        }
        help(h);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* True: there are helpers to rouse. A thread that cannot be made is done without. */
static bool invite(struct px_sched *s, bool all)
{
    const uint32_t callers = px_sched_callers(s);
    const uint32_t room = s->nhelpers > callers ? s->nhelpers - callers : 0, want = all || !room ? room : 1;
    const int help = atomic_load(&s->help);
    if (help == PX_HELP_NEVER || help == PX_HELP_OVER) return false;
    if (s->invited >= want) {
        if (all && help == PX_HELP_ASKED) atomic_store(&s->help, PX_HELP_ALL);
        return false;
    }
    s->invited = want;
    if (all || help == PX_HELP_LEFT) atomic_store(&s->help, all ? PX_HELP_ALL : PX_HELP_ASKED);
    while (s->nthreads < want) {
        if (pthread_create(&s->threads[s->nthreads], NULL, helper_main, s) != 0) break;
        s->nthreads++;
    }
    return true;
}

void px_sched_invite(struct px_sched *s)
{
    if (invite(s, false)) pthread_cond_signal(&s->door);
}

void px_sched_invite_all(struct px_sched *s)
{
    if (!invite(s, true)) return;
    pthread_mutex_unlock(&s->lock);
    rouse(s);
    pthread_mutex_lock(&s->lock);
}

void px_sched_news(struct px_sched *s)
{
    atomic_fetch_add_explicit(&s->news, 1, memory_order_relaxed);
    if (s->at[PX_HELPER_SLEEPS] + s->at[PX_CALLER_SLEEPS]) pthread_cond_broadcast(&s->wake);
    if (s->at[PX_CALLER_RESTS]) pthread_cond_broadcast(&s->rest);
    const bool left = atomic_load_explicit(&s->help, memory_order_relaxed) == PX_HELP_LEFT;
    if (left && s->active && invite(s, true)) rouse(s);
}

/* ---- making and ending ---- */

bool px_sched_init(struct px_sched *s, struct ptx_device *device, uint32_t workers)
{
    *s = (struct px_sched){.alloc = *px_device_allocator(device), .nhelpers = workers, .next_grid_id = 1};
    s->helpers = px_zalloc(&s->alloc, workers * sizeof *s->helpers);
    s->threads = s->helpers ? px_zalloc(&s->alloc, workers * sizeof *s->threads) : NULL;
    if (!s->threads) {
        px_free(&s->alloc, s->helpers, workers * sizeof *s->helpers);
        s->helpers = NULL;
        return false;
    }
    for (uint32_t i = 0; i < workers; i++) {
        s->helpers[i].sched = s;
        s->helpers[i].worker =
            (struct px_worker){.device = device,
                               .index = i,
                               .trace = device->config.trace,
                               .trace_event = device->config.trace_event,
                               .trace_user = device->config.trace_user,
                               .trace_rows = device->config.check ? NULL : device->config.trace_rows};
    }
    pthread_mutexattr_t adaptive; /* what it guards is short: looking again beats sleeping */
    bool ok = pthread_mutexattr_init(&adaptive) == 0;
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    ok = ok && pthread_mutexattr_settype(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP) == 0;
#endif
    ok = ok && pthread_mutex_init(&s->lock, &adaptive) == 0;
    ok = ok && pthread_cond_init(&s->door, NULL) == 0;
    ok = ok && pthread_cond_init(&s->wake, NULL) == 0;
    ok = ok && pthread_cond_init(&s->roomy, NULL) == 0;
    return ok && pthread_cond_init(&s->rest, NULL) == 0;
}

static void end_threads(struct px_sched *s)
{
    pthread_mutex_lock(&s->lock);
    atomic_store(&s->help, PX_HELP_OVER);
    px_sched_news(s);
    pthread_cond_broadcast(&s->door);
    pthread_mutex_unlock(&s->lock);
    for (uint32_t i = 0; i < s->nthreads; i++) pthread_join(s->threads[i], NULL);
}

static void free_worker(struct px_worker *worker, const ptx_allocator *a)
{
    px_private_free(worker, a);
    px_free(a, worker->narrow.room, worker->narrow.bytes);
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
    px_grid_free_spare(s);
    for (uint32_t i = 0; i < s->nhelpers; i++) free_worker(&s->helpers[i].worker, &s->alloc);
    for (int i = 0; i < PX_RUNS; i++) px_free(&s->alloc, atomic_load(&s->runs[i]), sizeof(struct px_run));
    px_free(&s->alloc, s->free_slots, s->cap_slots * sizeof *s->free_slots);
    px_free(&s->alloc, s->threads, s->nhelpers * sizeof *s->threads);
    px_free(&s->alloc, s->helpers, s->nhelpers * sizeof *s->helpers);
    pthread_cond_destroy(&s->door);
    pthread_cond_destroy(&s->wake);
    pthread_cond_destroy(&s->roomy);
    pthread_cond_destroy(&s->rest);
    pthread_mutex_destroy(&s->lock);
    s->helpers = NULL;
}
