/*
 * event.c - events: marks in streams that others wait for.
 */
#include "vm/queue/capture.h"
#include "vm/device/device.h"
#include "vm/queue/stream.h"

static struct px_event *find(struct ptx_device *device, ptx_event number)
{
    return px_handle_get(&device->handles, PX_HANDLE_EVENT, number);
}

ptx_status px_event_create(struct ptx_device *device, unsigned flags, ptx_event *number)
{
    if (flags & ~(unsigned)PTX_EVENT_NO_TIMING) return PTX_ERROR_INVALID_ARGUMENT;
    struct px_event *e = px_zalloc(&device->alloc, sizeof *e);
    if (!e) return PTX_ERROR_OUT_OF_MEMORY;
    e->timed = !(flags & PTX_EVENT_NO_TIMING);
    *number = px_handle_add(&device->handles, &device->alloc, PX_HANDLE_EVENT, e);
    if (*number) return PTX_OK;
    px_free(&device->alloc, e, sizeof *e);
    return PTX_ERROR_OUT_OF_MEMORY;
}

void px_event_free(struct ptx_device *device, struct px_event *e)
{
    px_task_release(e->task);
    px_event_leave_capture(device, e);
    px_free(&device->alloc, e, sizeof *e);
}

ptx_status px_event_destroy(struct ptx_device *device, ptx_event number)
{
    struct px_event *e = px_handle_drop(&device->handles, PX_HANDLE_EVENT, number);
    if (!e) return PTX_ERROR_INVALID_ARGUMENT;
    px_event_free(device, e);
    return PTX_OK;
}

ptx_status px_event_record(struct ptx_device *device, ptx_event number, ptx_stream stream)
{
    struct px_event *e = find(device, number);
    struct px_stream *s = px_stream_find(device, stream);
    if (!e || !s) return PTX_ERROR_INVALID_ARGUMENT;
    if (s->capture) return px_capture_record(s, e);
    struct px_task *mark = px_stream_put(s, NULL, NULL, false);
    if (!mark) return PTX_ERROR_OUT_OF_MEMORY;
    px_task_submit(mark);
    px_event_leave_capture(device, e);
    px_task_release(e->task);
    e->task = mark;
    return PTX_OK;
}

static bool has_happened(const struct px_event *e)
{
    return !e->task || e->task->state == PX_TASK_DONE;
}

ptx_status px_event_query(struct ptx_device *device, ptx_event number)
{
    const struct px_event *e = find(device, number);
    if (!e) return PTX_ERROR_INVALID_ARGUMENT;
    if (e->capture) return px_capture_refuse(e->capture);
    px_sched_pump(&device->sched);
    e = find(device, number); /* the lock was released on the way */
    if (!e) return PTX_ERROR_INVALID_ARGUMENT;
    if (!has_happened(e)) return PTX_ERROR_NOT_READY;
    px_task_known(e->task);
    return device->tasks.lost;
}

ptx_status px_event_wait(struct ptx_device *device, ptx_event number)
{
    const struct px_event *e = find(device, number);
    if (!e || px_sched_is_worker(&device->sched)) return PTX_ERROR_INVALID_ARGUMENT;
    if (e->capture) return px_capture_refuse(e->capture);
    struct px_task *task = e->task;
    if (!task) return PTX_OK;
    task->refs++;
    px_task_wait(task);
    px_task_release(task);
    return device->tasks.lost;
}

ptx_status px_event_elapsed(struct ptx_device *device, ptx_event from, ptx_event to, double *ms)
{
    const struct px_event *a = find(device, from), *b = find(device, to);
    if (!a || !b || !a->timed || !b->timed || !a->task || !b->task) return PTX_ERROR_INVALID_ARGUMENT;
    if (!has_happened(a) || !has_happened(b)) return PTX_ERROR_NOT_READY;
    *ms = (double)(int64_t)(b->task->done_ns - a->task->done_ns) / 1e6;
    return PTX_OK;
}

ptx_status px_stream_wait_event(struct ptx_device *device, ptx_stream stream, ptx_event number)
{
    const struct px_event *e = find(device, number);
    struct px_stream *s = px_stream_find(device, stream);
    if (!e || !s) return PTX_ERROR_INVALID_ARGUMENT;
    if (e->capture || s->capture) return px_capture_wait(s, e);
    if (!e->task || (has_happened(e) && !e->task->number)) return PTX_OK;
    struct px_task *mark = px_stream_put(s, NULL, e->task, false);
    if (!mark) return PTX_ERROR_OUT_OF_MEMORY;
    px_task_submit(mark);
    px_task_release(mark);
    return PTX_OK;
}
