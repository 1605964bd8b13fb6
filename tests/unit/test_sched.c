/*
 * test_sched.c - the scheduler alone, with CTAs that are scripts.
 *
 * The scheduler's sources are part of this program; the CTA interface below is
 * a fake whose CTAs spin, wait, launch, trap or end as their grid's script
 * says. What is expected follows from the contract in vm/sched/sched.h and gang/cta.h.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../../lib/vm/sched/sched.c"
#include "../../lib/vm/sched/workers.c"
#include "../../lib/vm/sched/run.c"
#include "suite.h"

enum act { ACT_END, ACT_SPIN_FOR, ACT_SPIN, ACT_LAUNCH_AND_WAIT, ACT_WAIT, ACT_STUCK, ACT_TRAP, ACT_SLICES };

struct script {
    enum act act;
    uint64_t other;          /* SPIN_FOR: the CTA that CTA 0 spins for; SLICES: how many */
    atomic_uint ran[4096];   /* how often each CTA ended */
    atomic_uint live[4096];  /* slots in use */
    atomic_bool shared_slot; /* two live CTAs had one slot */
    struct script *child;
    atomic_uint children_done;
    uint64_t cannot_make; /* CTA number + 1 whose creation fails */
};

struct px_cta {
    struct px_grid *grid;
    uint64_t number;
    uint32_t slot, step;
    struct px_trap trap;
};

static ptx_allocator libc;
static struct ptx_device fake_device;

const ptx_allocator *px_device_allocator(const struct ptx_device *device)
{
    (void)device;
    return &libc;
}

void px_grid_free(struct px_grid *grid)
{
    free(grid);
}

void px_grid_retire(struct px_grid *grid)
{
    px_grid_free(grid);
}

/* None is kept. */
void px_grid_free_spare(struct px_sched *sched)
{
    assert_null(sched->spare_grids);
}

/* No program is a guest of these runs. */
void px_run_drop_guests(struct px_run *run)
{
    (void)run;
}

/* No launches are recorded. */
void px_launches_adopt(struct px_grid *grid)
{
    (void)grid;
}

static struct script *script_of(const struct px_grid *grid)
{
    return (struct script *)(uintptr_t)grid->program;
}

static struct px_grid *make_grid(struct script *script, uint64_t ctas)
{
    struct px_grid *g = calloc(1, sizeof *g);
    g->program = (struct ptx_program *)(void *)script;
    g->device = &fake_device;
    g->ctas = g->units = ctas;
    g->cluster_blocks = 1;
    g->resident = 64;
    atomic_init(&g->units_left, ctas);
    return g;
}

/* ---- the fake ---- */

struct px_cta *px_cta_create(struct px_worker *worker, struct px_grid *grid, uint64_t number, uint32_t slot)
{
    (void)worker;
    struct script *s = script_of(grid);
    if (s->cannot_make == number + 1) return NULL;
    struct px_cta *cta = calloc(1, sizeof *cta);
    cta->grid = grid;
    cta->number = number;
    cta->slot = slot;
    if (atomic_fetch_add(&s->live[slot], 1)) atomic_store(&s->shared_slot, true);
    return cta;
}

bool px_cta_again(struct px_cta *cta, uint64_t number)
{
    cta->number = number;
    cta->step = 0;
    return script_of(cta->grid)->cannot_make != number + 1;
}

void px_cta_destroy(struct px_worker *worker, struct px_cta *cta)
{
    (void)worker;
    atomic_fetch_sub(&script_of(cta->grid)->live[cta->slot], 1);
    free(cta);
}

void px_cta_drop_spare(struct px_worker *worker)
{
    (void)worker;
}

static enum px_cta_status launch_and_wait(struct px_cta *cta, struct px_worker *worker)
{
    struct script *s = script_of(cta->grid);
    struct px_sched *sched = (struct px_sched *)(void *)worker->device;
    px_sched_lock(sched);
    if (!cta->step++) {
        struct px_grid *child = make_grid(s->child, 3);
        child->launcher = cta->number;
        px_sched_adopt(cta->grid->run, cta->grid, child);
        px_sched_count(child);
        px_sched_enqueue(child);
    }
    bool waiting = false;
    for (struct px_grid *g = cta->grid->run->grids; g; g = g->older)
        if (g->parent == cta->grid && g->launcher == cta->number) waiting = true;
    px_sched_unlock(sched);
    return waiting ? PX_CTA_BLOCKED : PX_CTA_DONE;
}

static enum px_cta_status spin(struct px_worker *worker, uint64_t slice)
{
    worker->warp_instructions += slice;
    return atomic_load(worker->stop) ? PX_CTA_STOPPED : PX_CTA_SLICE;
}

static enum px_cta_status act(struct px_cta *cta, struct px_worker *worker, uint64_t slice)
{
    struct script *s = script_of(cta->grid);
    switch (s->act) {
    case ACT_SPIN_FOR:
        if (cta->number != s->other && !atomic_load(&s->ran[s->other])) return spin(worker, slice);
        return PX_CTA_DONE;
    case ACT_SPIN: return spin(worker, slice);
    case ACT_LAUNCH_AND_WAIT: return launch_and_wait(cta, worker);
    case ACT_WAIT: return PX_CTA_BLOCKED;
    case ACT_STUCK: return cta->number == s->other ? PX_CTA_STUCK : PX_CTA_DONE;
    case ACT_SLICES: return cta->step++ < s->other ? spin(worker, slice) : PX_CTA_DONE;
    case ACT_TRAP:
        if (cta->number != s->other) return PX_CTA_DONE;
        cta->trap.error = PX_CUDA_ILLEGAL_ADDRESS;
        return PX_CTA_TRAPPED;
    default: return PX_CTA_DONE;
    }
}

enum px_cta_status px_cta_run(struct px_cta *cta, struct px_worker *worker, uint64_t slice)
{
    worker->thread_instructions += 32;
    worker->warp_instructions++;
    const enum px_cta_status status = act(cta, worker, slice);
    if (status == PX_CTA_DONE) atomic_fetch_add(&script_of(cta->grid)->ran[cta->number], 1);
    return status;
}

uint32_t px_cta_untold(struct px_cta *cta)
{
    (void)cta;
    return 1;
}

uint32_t px_cta_slot(const struct px_cta *cta)
{
    return cta->slot;
}

const struct px_trap *px_cta_trap(struct px_cta *cta)
{
    return &cta->trap;
}

void px_cta_describe(struct px_cta *cta, bool (*say)(void *user, const char *line), void *user)
{
    char line[64];
    snprintf(line, sizeof line, "cta %llu", (unsigned long long)cta->number);
    say(user, line);
}

static void completed(struct px_grid *grid)
{
    if (!grid->parent) return;
    atomic_fetch_add(&script_of(grid->parent)->children_done, 1);
    px_sched_wake(grid->run, grid->parent, grid->launcher);
}

static const struct px_runtime runtime = {.completed = completed};

/* ---- helpers of the tests ---- */

static struct px_sched sched;
static struct px_run *last; /* the run that ended last, not cleaned */
static uint64_t max_steps, timeout_ns;

static void over(struct px_run *run)
{
    last = run;
    *(bool *)run->user = true;
    px_sched_news(run->sched);
}

static bool is_over(const void *user)
{
    return *(const bool *)user;
}

static void clean(void)
{
    if (!last) return;
    px_sched_lock(&sched);
    px_run_clean(last);
    px_run_give(last);
    px_sched_unlock(&sched);
    last = NULL;
}

static void begin(unsigned workers)
{
    libc = px_alloc_or_default(NULL);
    assert_true(px_sched_init(&sched, (struct ptx_device *)(void *)&sched, workers));
    sched.runtime = &runtime;
    sched.over = over;
    last = NULL;
    max_steps = timeout_ns = 0;
}

static struct script *new_script(enum act what, uint64_t other)
{
    struct script *s = calloc(1, sizeof *s);
    s->act = what;
    s->other = other;
    return s;
}

static struct script *begin_script(enum act what, uint64_t other, unsigned workers)
{
    begin(workers);
    return new_script(what, other);
}

static enum px_stop run(struct script *s, uint64_t ctas)
{
    bool ended = false;
    px_sched_lock(&sched);
    struct px_run *r = px_run_take(&sched);
    r->max_steps = max_steps;
    r->timeout_ns = timeout_ns;
    r->user = &ended;
    px_run_begin(r, make_grid(s, ctas));
    px_sched_until(&sched, is_over, &ended);
    assert_ptr_equal(last, r);
    assert_int_equal(r->busy, 0);
    assert_null(sched.active);
    px_sched_unlock(&sched);
    return (enum px_stop)r->stop;
}

static void end(struct script *s)
{
    clean();
    for (int i = 0; i < 4096; i++) assert_int_equal(s->live[i], 0);
    assert_false(s->shared_slot);
    px_sched_free(&sched);
    free(s->child);
    free(s);
}

static void assert_each_ran_once(const struct script *s, uint64_t ctas)
{
    for (uint64_t i = 0; i < ctas; i++) assert_int_equal(s->ran[i], 1);
}

static const unsigned worker_counts[] = {1, 2, 8};

/* ---- tests ---- */

TEST(every_cta_runs_once)
{
    for (size_t i = 0; i < 3; i++) {
        struct script *s = begin_script(ACT_SLICES, i ? 3 : 0, worker_counts[i]);
        for (int launch = 1; launch <= 3; launch++) {
            memset((void *)s->ran, 0, sizeof s->ran);
            assert_int_equal(run(s, 4000), PX_STOP_NONE);
            assert_each_ran_once(s, 4000);
            assert_int_equal(sched.ctas_done, 4000);
            assert_int_equal(sched.grids_done, 1);
            assert_true(sched.total_threads >= 4000 * 32);
            clean();
        }
        end(s);
    }
}

TEST(spinning_for_a_later_cta_ends)
{
    for (size_t i = 0; i < 3; i++) {
        struct script *s = begin_script(ACT_SPIN_FOR, 40, worker_counts[i]);
        assert_int_equal(run(s, 60), PX_STOP_NONE);
        assert_each_ran_once(s, 60);
        end(s);
    }
}

TEST(beyond_residency_spinning_is_stopped_by_the_limit)
{
    struct script *s = begin_script(ACT_SPIN_FOR, 1000, 1); /* 64 are resident */
    max_steps = 100000000;
    assert_int_equal(run(s, 2000), PX_STOP_STEPS);
    assert_int_equal(s->ran[1000], 0);
    end(s);
}

TEST(parents_wait_for_children)
{
    for (size_t i = 0; i < 3; i++) {
        struct script *s = begin_script(ACT_LAUNCH_AND_WAIT, 0, worker_counts[i]);
        s->child = new_script(ACT_SLICES, 1);
        assert_int_equal(run(s, 200), PX_STOP_NONE);
        assert_each_ran_once(s, 200);
        assert_int_equal(s->children_done, 200);
        for (int k = 0; k < 3; k++) assert_int_equal(s->child->ran[k], 200);
        assert_int_equal(sched.grids_done, 201);
        assert_int_equal(sched.max_depth, 1);
        end(s);
    }
}

static bool count_lines(void *user, const char *line)
{
    *(int *)user += strncmp(line, "cta ", 4) == 0;
    return true;
}

TEST(waiting_for_nothing_is_a_deadlock)
{
    for (size_t i = 0; i < 3; i++) {
        struct script *s = begin_script(ACT_WAIT, 0, worker_counts[i]);
        int lines = 0;
        assert_int_equal(run(s, 20), PX_STOP_DEADLOCK);
        px_run_report(last, count_lines, &lines);
        assert_int_equal(lines, 20); /* all of them: blocked CTAs do not count against residency */
        end(s);
    }
}

TEST(a_stuck_cta_is_a_deadlock)
{
    struct script *s = begin_script(ACT_STUCK, 7, 1);
    int lines = 0;
    assert_int_equal(run(s, 20), PX_STOP_DEADLOCK);
    px_run_report(last, count_lines, &lines);
    assert_int_equal(lines, 1);
    assert_int_equal(s->ran[6], 1);
    end(s);
}

TEST(a_trap_stops_the_launch)
{
    for (size_t i = 0; i < 3; i++) {
        struct script *s = begin_script(ACT_TRAP, 5, worker_counts[i]);
        assert_int_equal(run(s, 4000), PX_STOP_FAULT);
        assert_int_equal(last->trap.error, PX_CUDA_ILLEGAL_ADDRESS);
        assert_ptr_equal(script_of(last->trap.grid), s);
        clean();
        s->act = ACT_END; /* the scheduler works again after a fault */
        memset((void *)s->ran, 0, sizeof s->ran);
        assert_int_equal(run(s, 100), PX_STOP_NONE);
        assert_each_ran_once(s, 100);
        end(s);
    }
}

TEST(limits_stop_endless_ctas)
{
    for (size_t i = 0; i < 3; i++) {
        struct script *s = begin_script(ACT_SPIN, 0, worker_counts[i]);
        max_steps = 1000000;
        assert_int_equal(run(s, 8), PX_STOP_STEPS);
        clean();
        max_steps = 0;
        timeout_ns = 20000000;
        assert_int_equal(run(s, 8), PX_STOP_TIMEOUT);
        end(s);
    }
}

static void *interrupt_soon(void *unused)
{
    (void)unused;
    usleep(20000);
    px_sched_stop(&sched, PX_STOP_INTERRUPT);
    return NULL;
}

TEST(interrupt_stops_endless_ctas)
{
    for (size_t i = 0; i < 3; i++) {
        struct script *s = begin_script(ACT_SPIN, 0, worker_counts[i]);
        pthread_t thread;
        pthread_create(&thread, NULL, interrupt_soon, NULL);
        assert_int_equal(run(s, 100), PX_STOP_INTERRUPT);
        pthread_join(thread, NULL);
        end(s);
    }
}

TEST(a_cta_that_cannot_be_made_ends_the_launch)
{
    struct script *s = begin_script(ACT_END, 0, 2);
    s->cannot_make = 31;
    assert_int_equal(run(s, 100), PX_STOP_MEMORY);
    assert_int_equal(s->ran[30], 0);
    end(s);
}

TEST(one_worker_keeps_cta_order)
{
    struct script *s = begin_script(ACT_TRAP, 50, 1); /* stops at CTA 50: exactly those before it have run */
    assert_int_equal(run(s, 100), PX_STOP_FAULT);
    for (int i = 0; i < 100; i++) assert_int_equal(s->ran[i], i < 50);
    end(s);
}

int main(void)
{
    return run_suite();
}
