/*
 * task.c - pieces of submitted work, and what comes after what.
 */
#include "base/queue.h"
#include "vm/queue/task.h"
#include "vm/queue/branch.h"
#include "vm/queue/capture.h"
#include "vm/device/device.h"
#include "vm/device/report.h"
#include "vm/sched/sched_list.h"
#include "vm/queue/stream.h"
#include "vm/queue/value.h"
#include <time.h>

enum { BRIEF_WAIT_NS = 2000000 };

/* ---- making ---- */

struct px_task *px_task_new(struct ptx_device *device, struct px_grid *grid)
{
    struct px_tasks *tasks = &device->tasks;
    struct px_task *task = tasks->spare;
    if (task)
        tasks->spare = task->next;
    else if (!(task = px_alloc(&device->alloc, sizeof *task)))
        return NULL;
    *task = (struct px_task){.device = device, .grid = grid, .refs = 1, .waits = 1};
    task->kernel = grid && !grid->native;
    task->mark = !grid;
    if (device->config.trace_memory) task->number = ++tasks->numbered;
    if (task->number) px_traced_work(device, PTX_TRACE_AFTER, task->number, 0, false);
    task->interrupts = atomic_load_explicit(&tasks->interrupts, memory_order_relaxed);
    return task;
}

static void free_list(struct ptx_device *device, struct px_after *list)
{
    for (struct px_after *a = list, *next; a; a = next) {
        next = a->next;
        px_free(&device->alloc, a, sizeof *a);
    }
}

void px_task_release(struct px_task *task)
{
    if (!task || --task->refs) return;
    struct ptx_device *device = task->device;
    if (task->grid) px_grid_free(task->grid); /* never submitted */
    free_list(device, task->more);
    free_list(device, task->early);
    px_branch_release(device, task->branch);
    px_report_release(device, task->report);
    px_stream_release(task->stream);
    task->next = device->tasks.spare;
    device->tasks.spare = task;
}

/* Who hears of memory hears of edges, too, of those that are closed already as well. */
static void trace_edge(const struct px_task *task, const struct px_task *before, bool overlaps)
{
    if (before && before->number)
        px_traced_work(task->device, PTX_TRACE_AFTER, task->number, before->number, overlaps);
}

bool px_task_follow(struct px_task *task, struct px_task *before)
{
    trace_edge(task, before, false);
    if (!before || before->state == PX_TASK_DONE) return true;
    if (!before->after) {
        before->after = task;
    } else {
        struct px_after *a = px_alloc(&task->device->alloc, sizeof *a);
        if (!a) return false;
        *a = (struct px_after){before->more, task};
        before->more = a;
    }
    task->waits++;
    task->refs++;
    return true;
}

bool px_task_overlap(struct px_task *task, struct px_task *before)
{
    if (!before || before->state == PX_TASK_DONE || !before->kernel || !task->kernel)
        return px_task_follow(task, before);
    trace_edge(task, before, true);
    struct px_after *a = px_alloc(&task->device->alloc, sizeof *a);
    if (!a) return false;
    *a = (struct px_after){before->early, task};
    before->early = a;
    task->refs++;
    task->priors++;
    if (!before->triggered) task->waits++;
    return true;
}

/* Streams hold lower numbers for those that go first. */
void px_task_configure(struct px_task *task, const ptx_launch_config *config)
{
    if (config->max_steps) task->max_steps = config->max_steps;
    if (config->timeout_ms) task->timeout_ns = 1000000 * config->timeout_ms;
    if (config->flags & PTX_LAUNCH_PRIORITY) task->priority = -px_stream_priority(config->priority);
}

/* ---- running ---- */

static void push_ready(struct px_tasks *tasks, struct px_task *task)
{
    task->state = PX_TASK_READY;
    px_queue_push(&tasks->ready, task);
}

static void edge_closed(struct px_task *task)
{
    if (--task->waits == 0) push_ready(&task->device->tasks, task);
}

/* Its dependents may begin, each that waits for nothing else. */
static void trigger(struct px_task *task)
{
    if (task->triggered) return;
    task->triggered = true;
    for (const struct px_after *a = task->early; a; a = a->next) edge_closed(a->task);
}

static void done(struct px_task *task, ptx_status status);

/* What the task overlapped with is done: those who wait for that go on, or the task is done as well. */
static void priors_over(struct px_task *task)
{
    if (task->state == PX_TASK_HELD) {
        done(task, task->status);
    } else if (task->run) {
        atomic_store(&task->run->root->prior, false);
        px_sched_wake(task->run, NULL, 0);
    }
}

static void close_early(struct px_task *task)
{
    struct px_after *list = task->early;
    task->early = NULL;
    for (const struct px_after *a = list; a; a = a->next) {
        if (--a->task->priors == 0) priors_over(a->task);
        px_task_release(a->task);
    }
    free_list(task->device, list);
}

static void done(struct px_task *task, ptx_status status)
{
    struct ptx_device *device = task->device;
    task->state = PX_TASK_DONE;
    task->status = status;
    if (task->mark) task->done_ns = px_now_ns();
    if (task->grid) { /* it was not run */
        px_grid_free(task->grid);
        task->grid = NULL;
    }
    trigger(task);
    if (task->after) {
        edge_closed(task->after);
        px_task_release(task->after);
    }
    for (struct px_after *a = task->more, *next; a; a = next) {
        next = a->next;
        edge_closed(a->task);
        px_task_release(a->task);
        px_free(&device->alloc, a, sizeof *a);
    }
    task->after = NULL;
    task->more = NULL;
    if (--device->tasks.pending == PX_TASKS_PENDING / 2 || !device->tasks.pending)
        pthread_cond_broadcast(&device->sched.roomy);
    struct px_stream *stream = task->stream;
    if (stream && status != PTX_OK) px_stream_failed(stream, task);
    task->stream = NULL;
    px_stream_release(stream);
    px_plan_release(device, task->plan);
    task->plan = NULL;
    if (task->finished) task->finished(task, task->user);
    close_early(task);
    px_task_release(task); /* the queue's reference */
}

/* It is over, and done unless what it overlapped with is not: whoever comes after it relies on that, too. */
static void finish(struct px_task *task, ptx_status status)
{
    if (!task->priors) {
        done(task, status);
        return;
    }
    task->state = PX_TASK_HELD;
    task->status = status;
}

ptx_status px_task_refused(const struct px_task *task)
{
    const struct px_tasks *tasks = &task->device->tasks;
    if (tasks->lost != PTX_OK) return tasks->lost;
    const bool interrupted =
        task->interrupts != atomic_load_explicit(&tasks->interrupts, memory_order_relaxed);
    return task->cancelled || (interrupted && (task->grid || task->branch)) ? PTX_ERROR_INTERRUPTED : PTX_OK;
}

/* It waits for a value; somebody has to look again now and then. */
static void park(struct px_task *task)
{
    struct px_sched *s = &task->device->sched;
    task->state = PX_TASK_PARKED;
    task->parked_ns = px_now_ns();
    px_queue_push(&task->device->tasks.parked, task);
    s->parked++;
    s->nap_ns = 0;
    if (!px_sched_is_alone(s) && !px_sched_is_worker(s)) px_sched_invite(s);
    px_sched_news(s);
}

/* False: there is no run for it now. */
static bool start(struct px_task *task)
{
    struct px_sched *s = &task->device->sched;
    const ptx_status status = px_task_refused(task);
    if (status == PTX_OK && task->branch) {
        task->state = PX_TASK_RUNS;
        return px_branch_run(task), true;
    }
    if (status != PTX_OK || !task->grid) return finish(task, status), true;
    if (!px_values_open(task->grid)) return park(task), true;
    struct px_run *run = px_run_take(s);
    if (!run && s->nactive) return false;
    if (!run) return finish(task, px_device_no_memory(task->device)), true;
    atomic_store(&task->grid->prior, task->priors != 0);
    run->priority = task->priority;
    run->max_steps = task->max_steps;
    run->timeout_ns = task->timeout_ns;
    run->user = task;
    task->run = run;
    task->state = PX_TASK_RUNS;
    px_run_begin(run, task->grid);
    if (task->from) px_run_expect(run, atomic_load_explicit(&task->from->steps, memory_order_relaxed));
    task->grid = NULL;
    return true;
}

/* Starts what is ready. What that completes at once may make more ready. */
static void advance(struct px_tasks *tasks)
{
    if (tasks->advancing) return;
    tasks->advancing = true;
    for (;;) {
        struct px_task *task;
        px_queue_pop(&tasks->ready, task);
        if (!task) break;
        if (start(task)) continue;
        px_queue_return(&tasks->ready, task);
        break;
    }
    tasks->advancing = false;
}

/* Work of a sticky device ended with a fault, a deadlock or a limit: nothing else runs. */
static void lose(struct ptx_device *device, ptx_status status)
{
    const bool heavy = status == PTX_ERROR_FAULT || status == PTX_ERROR_DEADLOCK || status == PTX_ERROR_LIMIT;
    if (!heavy || !device->config.sticky || device->tasks.lost != PTX_OK) return;
    device->tasks.lost = status;
    px_sched_stop(&device->sched, PX_STOP_LOST);
}

void px_task_end(struct px_task *task, ptx_status status)
{
    lose(task->device, status);
    done(task, status);
    advance(&task->device->tasks);
}

/* What a parked task ends with without having begun; PTX_ERROR_NOT_READY: it waits on. */
static ptx_status released(const struct px_task *task)
{
    const ptx_status status = px_task_refused(task);
    if (status != PTX_OK || px_values_open(task->grid)) return status;
    const bool late = task->timeout_ns && px_now_ns() - task->parked_ns > task->timeout_ns;
    return late ? PTX_ERROR_LIMIT : PTX_ERROR_NOT_READY;
}

bool px_tasks_look(struct px_sched *s)
{
    struct px_tasks *tasks = &s->helpers->worker.device->tasks;
    struct px_task *task, *list = tasks->parked.first;
    bool any = false;
    tasks->parked.first = tasks->parked.last = NULL;
    while ((task = list)) {
        list = task->next;
        const ptx_status status = released(task);
        if (status == PTX_ERROR_NOT_READY) {
            px_queue_push(&tasks->parked, task);
            continue;
        }
        any = true;
        s->parked--;
        if (status == PTX_ERROR_LIMIT && tasks->lost == PTX_OK)
            task->report =
                px_report_words(task->device, "a stream waited for a value in memory until its time was up");
        lose(task->device, status);
        if (status == PTX_OK)
            push_ready(tasks, task);
        else
            done(task, status);
    }
    if (!any) return false;
    advance(tasks);
    px_sched_news(s);
    return true;
}

void px_task_submit(struct px_task *task)
{
    struct px_tasks *tasks = &task->device->tasks;
    tasks->pending++;
    task->refs++;
    edge_closed(task);
    advance(tasks);
}

static ptx_status status_of(enum px_stop stop)
{
    switch (stop) {
    case PX_STOP_NONE: return PTX_OK;
    case PX_STOP_FAULT: return PTX_ERROR_FAULT;
    case PX_STOP_DEADLOCK: return PTX_ERROR_DEADLOCK;
    case PX_STOP_INTERRUPT: return PTX_ERROR_INTERRUPTED;
    case PX_STOP_MEMORY: return PTX_ERROR_OUT_OF_MEMORY;
    default: return PTX_ERROR_LIMIT;
    }
}

/* The words are made without the lock: they take long, and nobody else looks at the run any more. */
static void explain(struct px_task *task, struct px_run *run, enum px_stop stop)
{
    struct ptx_device *device = task->device;
    if (stop == PX_STOP_FAULT) task->error = run->trap.error;
    pthread_mutex_unlock(&device->sched.lock);
    task->report = px_report_stop(device, run, stop, task->quiet);
    pthread_mutex_lock(&device->sched.lock);
    if (stop != PX_STOP_LOST) lose(device, status_of(stop));
}

/* A launch that is over before a thread could have been woken for it, and that left the device in nobody's
 * hands. */
static bool is_brief(struct px_run *run)
{
    return atomic_load(&run->stop) == PX_STOP_NONE &&
           !atomic_load_explicit(&run->called, memory_order_relaxed) && run->root->ctas <= PX_BRIEF_CTAS &&
           atomic_load_explicit(&run->warps, memory_order_relaxed) <= PX_BRIEF_STEPS;
}

static void remember(ptx_kernel *kernel, struct px_run *run)
{
    const uint64_t steps = atomic_load_explicit(&run->warps, memory_order_relaxed);
    atomic_store_explicit(&kernel->brief, is_brief(run), memory_order_relaxed);
    atomic_store_explicit(&kernel->steps, steps / run->root->units, memory_order_relaxed);
}

void px_task_over(struct px_run *run)
{
    struct px_task *task = run->user;
    struct ptx_device *device = task->device;
    const enum px_stop stop = (enum px_stop)atomic_load(&run->stop);
    task->run = NULL;
    if (stop != PX_STOP_NONE) explain(task, run, stop);
    if (task->from) remember(task->from, run);
    px_run_clean(run);
    if (device->runtime && device->runtime->launch_over) device->runtime->launch_over(device, run);
    px_run_give(run);
    finish(task, stop == PX_STOP_LOST ? device->tasks.lost : status_of(stop));
    advance(&device->tasks);
    px_sched_news(&device->sched);
}

void px_task_triggered(struct px_run *run)
{
    struct px_task *task = run->user;
    trigger(task);
    if (task->early) advance(&task->device->tasks);
}

void px_task_cancel(struct px_task *task)
{
    task->cancelled = true;
    if (task->run) px_run_stop(task->run, PX_STOP_INTERRUPT);
    px_sched_news(&task->device->sched);
}

/* ---- waiting ---- */

static bool is_done(const void *user)
{
    return ((const struct px_task *)user)->state == PX_TASK_DONE;
}

void px_task_wait(struct px_task *task)
{
    px_sched_until(&task->device->sched, is_done, task);
    px_task_known(task);
}

void px_task_known(const struct px_task *task)
{
    if (task && task->number) px_traced_work(task->device, PTX_TRACE_HOST_WAITED, task->number, 0, false);
}

static void all_known(struct ptx_device *device)
{
    if (device->config.trace_memory && !device->tasks.pending)
        px_traced_work(device, PTX_TRACE_HOST_WAITED, 0, 0, false);
}

static bool has_room(const struct ptx_device *device)
{
    return device->tasks.pending <= PX_TASKS_PENDING / 2;
}

/* Enough is done, or there is no helper that would do it. */
static bool has_room_or_no_help(const void *user)
{
    const struct ptx_device *device = user;
    return has_room(device) || px_sched_helpers(&device->sched);
}

/* When nothing is left, who submits more brief launches runs them, and nobody passes them on. Something that
 * waits for the host must not keep it for ever. */
static void let_brief_ones_end(struct ptx_device *device)
{
    const struct timespec until = px_deadline(BRIEF_WAIT_NS);
    while (device->tasks.pending && px_sched_helpers(&device->sched))
        if (pthread_cond_timedwait(&device->sched.roomy, &device->sched.lock, &until)) return;
}

void px_task_room(struct ptx_device *device)
{
    if (device->tasks.pending < PX_TASKS_PENDING || px_sched_is_worker(&device->sched)) return;
    while (!has_room(device))
        if (px_sched_helpers(
                &device->sched)) /* being woken for each piece of work would cost more than the work */
            pthread_cond_wait(&device->sched.roomy, &device->sched.lock);
        else
            px_sched_until(&device->sched, has_room_or_no_help, device);
    if (device->sched.lookout != PX_LOOKOUT_ALL) let_brief_ones_end(device);
}

static bool is_empty(const void *user)
{
    return !((const struct px_tasks *)user)->pending;
}

void px_tasks_drain(struct ptx_device *device)
{
    px_sched_until(&device->sched, is_empty, &device->tasks);
    all_known(device);
}

static bool is_settled(const void *user)
{
    const struct ptx_device *device = user;
    const struct px_tasks *tasks = &device->tasks;
    return !tasks->pending || (tasks->parked.first && !tasks->ready.first && !device->sched.nactive);
}

bool px_tasks_settle(struct ptx_device *device)
{
    px_sched_until(&device->sched, is_settled, device);
    all_known(device);
    return !device->tasks.pending;
}

void px_tasks_free(struct ptx_device *device)
{
    for (struct px_task *task = device->tasks.spare, *next; task; task = next) {
        next = task->next;
        px_free(&device->alloc, task, sizeof *task);
    }
    device->tasks.spare = NULL;
}
