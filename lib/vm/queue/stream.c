/*
 * stream.c - streams: a chain of tasks each.
 */
#include "vm/queue/stream.h"
#include "vm/queue/capture.h"
#include "vm/device/device.h"
#include "vm/device/report.h"

enum { LOWEST_PRIORITY = 0, HIGHEST_PRIORITY = -5 };

/* ---- making ---- */

static struct px_stream *new_stream(struct ptx_device *device)
{
    struct px_stream *s = px_zalloc(&device->alloc, sizeof *s);
    if (!s) return NULL;
    s->device = device;
    s->refs = 1;
    s->number = px_handle_add(&device->handles, &device->alloc, PX_HANDLE_STREAM, s);
    if (!s->number) {
        px_free(&device->alloc, s, sizeof *s);
        return NULL;
    }
    s->next = device->streams;
    return device->streams = s;
}

void px_stream_release(struct px_stream *s)
{
    if (s && --s->refs == 0) px_free(&s->device->alloc, s, sizeof *s);
}

static void close_stream(struct px_stream *s)
{
    struct ptx_device *device = s->device;
    struct px_stream **at = &device->streams;
    while (*at != s) at = &(*at)->next;
    *at = s->next;
    px_handle_drop(&device->handles, PX_HANDLE_STREAM, s->number);
    px_capture_abandon(s);
    px_task_release(s->tail);
    px_task_release(s->failed);
    s->tail = s->failed = NULL;
    s->closed = true;
    px_stream_release(s);
}

bool px_streams_init(struct ptx_device *device)
{
    return (device->legacy = new_stream(device)) != NULL;
}

/* What still has a number goes with the device. */
void px_streams_free(struct ptx_device *device)
{
    while (device->streams) close_stream(device->streams);
    px_handles_clear(device);
}

/* A thread that ends leaves its stream to one that gets its name. */
static struct px_stream *own_stream(struct ptx_device *device)
{
    struct px_stream *s = device->streams;
    while (s && !(s->per_thread && pthread_equal(s->thread, pthread_self()))) s = s->next;
    if (s || !(s = new_stream(device))) return s;
    s->per_thread = true;
    s->thread = pthread_self();
    return s;
}

struct px_stream *px_stream_find(struct ptx_device *device, ptx_stream number)
{
    if (number <= PTX_STREAM_LEGACY) return device->legacy;
    if (number == PTX_STREAM_PER_THREAD) return own_stream(device);
    return px_handle_get(&device->handles, PX_HANDLE_STREAM, number);
}

/* ---- order ---- */

void px_stream_failed(struct px_stream *s, struct px_task *task)
{
    if (s->failed || s->closed) return;
    s->failed = task;
    task->refs++;
}

static bool follow_blocking(struct px_task *task, struct ptx_device *device)
{
    bool ok = true;
    for (struct px_stream *s = device->streams; ok && s; s = s->next)
        if (!s->nonblocking && s != device->legacy) ok = px_task_follow(task, s->tail);
    return ok;
}

static bool follow(struct px_task *task, struct px_stream *s, struct px_task *also, bool overlap)
{
    struct ptx_device *device = s->device;
    if (!(overlap ? px_task_overlap : px_task_follow)(task, s->tail)) return false;
    if (!px_task_follow(task, also)) return false;
    if (s == device->legacy) return follow_blocking(task, device);
    return s->nonblocking || px_task_follow(task, device->legacy->tail);
}

struct px_task *px_stream_put(struct px_stream *s, struct px_grid *grid, struct px_task *also, bool overlap)
{
    struct px_task *task = px_task_new(s->device, grid);
    if (!task) {
        if (grid) px_grid_free(grid);
        return NULL;
    }
    const bool ok = follow(task, s, also, overlap);
    task->cancelled = !ok; /* it goes through the queue all the same, because others have edges to it */
    task->priority = -s->priority;
    task->max_steps = s->device->config.max_steps;
    task->timeout_ns = 1000000 * s->device->config.timeout_ms;
    if (ok) {
        task->stream = s;
        s->refs++;
        px_task_release(s->tail);
        s->tail = task;
        task->refs++;
    }
    if (ok) return task;
    px_task_submit(task);
    px_task_release(task);
    return NULL;
}

/* Waking a thread, or handing it what this one has in its cache, costs more than a brief launch. */
void px_stream_go(struct ptx_device *device, bool brief)
{
    struct px_sched *s = &device->sched;
    if (!brief)
        s->lookout = PX_LOOKOUT_ALL;
    else if (s->lookout == PX_LOOKOUT_ALL)
        s->lookout = PX_LOOKOUT_NOBODY;
    if ((!s->active && !s->parked) || px_sched_is_alone(s)) return;
    if (brief && s->nactive == 1 && !px_sched_is_worker(s)) px_sched_hasten(s);
    if (!s->active && !s->parked) return;
    if (!px_sched_helpers(s) && !px_sched_is_worker(s)) px_sched_invite(s);
    px_sched_pump(s);
}

/* ---- what the embedder asks ---- */

int px_stream_priority(int wanted)
{
    if (wanted > LOWEST_PRIORITY) return LOWEST_PRIORITY;
    return wanted < HIGHEST_PRIORITY ? HIGHEST_PRIORITY : wanted;
}

ptx_status px_stream_create(struct ptx_device *device, const ptx_stream_config *config, ptx_stream *number)
{
    if (config->flags & ~(unsigned)PTX_STREAM_NONBLOCKING) return PTX_ERROR_INVALID_ARGUMENT;
    struct px_stream *s = new_stream(device);
    if (!s) return PTX_ERROR_OUT_OF_MEMORY;
    s->nonblocking = (config->flags & PTX_STREAM_NONBLOCKING) != 0;
    s->priority = px_stream_priority(config->priority);
    *number = s->number;
    return PTX_OK;
}

ptx_status px_stream_destroy(struct ptx_device *device, ptx_stream number)
{
    struct px_stream *s = px_handle_get(&device->handles, PX_HANDLE_STREAM, number);
    if (!s || s == device->legacy || s->per_thread) return PTX_ERROR_INVALID_ARGUMENT;
    close_stream(s);
    return PTX_OK;
}

static bool is_done(const struct px_task *task)
{
    return !task || task->state == PX_TASK_DONE;
}

ptx_status px_stream_query(struct ptx_device *device, ptx_stream number)
{
    struct px_stream *s = px_stream_find(device, number);
    if (!s) return PTX_ERROR_INVALID_ARGUMENT;
    if (s->capture) return px_capture_refuse(s->capture);
    px_sched_pump(&device->sched);
    s = px_stream_find(device, number); /* the lock was released on the way */
    if (!s) return PTX_ERROR_INVALID_ARGUMENT;
    bool done = is_done(s->tail);
    for (struct px_stream *o = s == device->legacy ? device->streams : NULL; done && o; o = o->next)
        done = o->nonblocking || is_done(o->tail);
    if (!done) return PTX_ERROR_NOT_READY;
    px_task_known(s->tail);
    for (struct px_stream *o = s == device->legacy ? device->streams : NULL; o; o = o->next)
        if (!o->nonblocking) px_task_known(o->tail);
    return device->tasks.lost;
}

/* What the first failure was; told once. */
static ptx_status hear(struct px_stream *s, ptx_fault *fault)
{
    struct px_task *task = s->failed;
    if (!task) return PTX_OK;
    const ptx_status status = task->status;
    px_report_tell(s->device, task->report, status, task->error, fault);
    s->failed = NULL;
    px_task_release(task);
    return status;
}

static ptx_status wait_for(struct px_stream *s, struct px_task *task, ptx_fault *fault)
{
    const struct ptx_device *device = s->device;
    s->refs++;
    if (task) {
        task->refs++;
        px_task_wait(task);
        px_task_release(task);
    }
    const ptx_status status = hear(s, fault);
    px_stream_release(s); /* it may have been destroyed meanwhile, and be gone now */
    return status != PTX_OK ? status : device->tasks.lost;
}

ptx_status px_stream_wait(struct ptx_device *device, ptx_stream number, ptx_fault *fault)
{
    struct px_stream *s = px_stream_find(device, number);
    if (!s || px_sched_is_worker(&device->sched)) return PTX_ERROR_INVALID_ARGUMENT;
    if (s->capture) return px_capture_refuse(s->capture);
    if (s != device->legacy) return wait_for(s, s->tail, fault);
    struct px_task *mark = px_stream_put(s, NULL, NULL, false); /* behind the blocking streams */
    if (!mark) return PTX_ERROR_OUT_OF_MEMORY;
    px_task_submit(mark);
    const ptx_status status = wait_for(s, mark, fault);
    px_task_release(mark);
    return status;
}

ptx_status px_device_wait(struct ptx_device *device, ptx_fault *fault)
{
    ptx_status status = PTX_OK;
    if (px_sched_is_worker(&device->sched)) return PTX_ERROR_INVALID_ARGUMENT;
    px_tasks_drain(device);
    for (struct px_stream *s = device->streams; s; s = s->next) {
        const ptx_status heard = hear(s, status == PTX_OK ? fault : NULL);
        if (status == PTX_OK) status = heard;
    }
    return status != PTX_OK ? status : device->tasks.lost;
}
