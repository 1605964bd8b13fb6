/*
 * api/stream.c - the public functions of ptx_stream.h: check the arguments, take the lock, call inward.
 */
#include "base/sized.h"
#include "vm/device/device.h"
#include "vm/queue/pool.h"
#include "vm/queue/work.h"
#include "vm/device/report.h"
#include "vm/queue/stream.h"
#include "api/take.h"

enum { FIRST_STREAM = PX_FIRST(ptx_stream_config, priority) };

/* The call with the scheduler's lock held. */
#define LOCKED(device, call)                                                                                 \
    do {                                                                                                     \
        px_sched_lock(&(device)->sched);                                                                     \
        const ptx_status status_ = (call);                                                                   \
        px_sched_unlock(&(device)->sched);                                                                   \
        return status_;                                                                                      \
    } while (0)

/* ---- streams ---- */

PTX_API ptx_status ptx_stream_create(ptx_device *device, const ptx_stream_config *config, ptx_stream *stream)
{
    ptx_stream_config own;
    if (!px_device_usable(device) || !stream || !px_take(&own, sizeof own, FIRST_STREAM, config))
        return PTX_ERROR_INVALID_ARGUMENT;
    LOCKED(device, px_stream_create(device, &own, stream));
}

PTX_API ptx_status ptx_stream_destroy(ptx_device *device, ptx_stream stream)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    LOCKED(device, px_stream_destroy(device, stream));
}

PTX_API ptx_status ptx_stream_config_get(ptx_device *device, ptx_stream stream, ptx_stream_config *config)
{
    if (!px_device_usable(device) || !px_can_give(config, FIRST_STREAM)) return PTX_ERROR_INVALID_ARGUMENT;
    ptx_stream_config told = {0};
    px_sched_lock(&device->sched);
    const struct px_stream *s = px_stream_find(device, stream);
    if (s) told = (ptx_stream_config){0, s->nonblocking ? PTX_STREAM_NONBLOCKING : 0, s->priority};
    px_sched_unlock(&device->sched);
    if (!s) return PTX_ERROR_INVALID_ARGUMENT;
    px_give(config, &told, sizeof told, FIRST_STREAM);
    return PTX_OK;
}

PTX_API ptx_status ptx_stream_query(ptx_device *device, ptx_stream stream)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    LOCKED(device, px_stream_query(device, stream));
}

PTX_API ptx_status ptx_stream_wait(ptx_device *device, ptx_stream stream, ptx_fault *fault)
{
    ptx_fault told = {0};
    if (!px_device_usable(device) || !px_fault_ok(fault)) return PTX_ERROR_INVALID_ARGUMENT;
    px_watch_wait(device, stream);
    px_sched_lock(&device->sched);
    const ptx_status status = px_stream_wait(device, stream, fault ? &told : NULL);
    px_sched_unlock(&device->sched);
    px_fault_give(fault, &told);
    px_device_reap(device);
    px_pools_settle(device);
    return status;
}

PTX_API ptx_status ptx_device_wait(ptx_device *device, ptx_fault *fault)
{
    ptx_fault told = {0};
    if (!px_device_usable(device) || !px_fault_ok(fault)) return PTX_ERROR_INVALID_ARGUMENT;
    px_watch_wait(device, 0);
    px_sched_lock(&device->sched);
    const ptx_status status = px_device_wait(device, fault ? &told : NULL);
    px_sched_unlock(&device->sched);
    px_fault_give(fault, &told);
    px_device_reap(device);
    px_pools_settle(device);
    return status;
}

PTX_API ptx_status ptx_device_settle(ptx_device *device)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    const bool inside = px_sched_is_worker(&device->sched), over = !inside && px_tasks_settle(device);
    px_sched_unlock(&device->sched);
    return inside ? PTX_ERROR_INVALID_ARGUMENT : over ? PTX_OK : PTX_ERROR_NOT_READY;
}

PTX_API ptx_status ptx_device_query(ptx_device *device)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    px_sched_pump(&device->sched);
    const ptx_status status = device->tasks.pending ? PTX_ERROR_NOT_READY : device->tasks.lost;
    px_sched_unlock(&device->sched);
    return status;
}

PTX_API ptx_status ptx_device_watch(ptx_device *device, ptx_watch_fn fn, void *user)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    LOCKED(device, px_device_watch(device, fn, user));
}

/* ---- events ---- */

PTX_API ptx_status ptx_event_create(ptx_device *device, unsigned flags, ptx_event *event)
{
    if (!px_device_usable(device) || !event) return PTX_ERROR_INVALID_ARGUMENT;
    LOCKED(device, px_event_create(device, flags, event));
}

PTX_API ptx_status ptx_event_destroy(ptx_device *device, ptx_event event)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    LOCKED(device, px_event_destroy(device, event));
}

PTX_API ptx_status ptx_event_record(ptx_device *device, ptx_event event, ptx_stream stream)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    LOCKED(device, px_event_record(device, event, stream));
}

PTX_API ptx_status ptx_event_query(ptx_device *device, ptx_event event)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    LOCKED(device, px_event_query(device, event));
}

PTX_API ptx_status ptx_event_wait(ptx_device *device, ptx_event event)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    px_watch_wait(device, 0);
    px_sched_lock(&device->sched);
    const ptx_status status = px_event_wait(device, event);
    px_sched_unlock(&device->sched);
    px_pools_settle(device);
    return status;
}

PTX_API ptx_status ptx_event_elapsed(ptx_device *device, ptx_event from, ptx_event to, double *milliseconds)
{
    if (!px_device_usable(device) || !milliseconds) return PTX_ERROR_INVALID_ARGUMENT;
    LOCKED(device, px_event_elapsed(device, from, to, milliseconds));
}

PTX_API ptx_status ptx_stream_wait_event(ptx_device *device, ptx_stream stream, ptx_event event)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    LOCKED(device, px_stream_wait_event(device, stream, event));
}

/* ---- launches ---- */

/* The task gets a number, which keeps it. */
static ptx_status give_number(ptx_device *device, struct px_task *task, ptx_launch *launch)
{
    px_sched_lock(&device->sched);
    const uint64_t number = px_handle_add(&device->handles, &device->alloc, PX_HANDLE_LAUNCH, task);
    if (!number) {
        px_task_cancel(task); /* who cannot ask for it does not want it */
        px_task_release(task);
    }
    px_sched_unlock(&device->sched);
    *launch = number;
    return number ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

PTX_API ptx_status ptx_kernel_submit(ptx_kernel *kernel, const ptx_launch_config *config, ptx_stream stream,
                                     ptx_launch *launch)
{
    struct px_work op = {.kind = PX_WORK_KERNEL, .kernel = kernel};
    struct px_task *task;
    if (!kernel || !config) return PTX_ERROR_INVALID_ARGUMENT;
    ptx_device *device = kernel->program->device;
    if (!px_launch_take(&op.config, config) || !px_fault_ok(op.config.refused))
        return PTX_ERROR_INVALID_ARGUMENT;
    ptx_fault *refused = op.config.refused, told = {0};
    if (refused) op.config.refused = &told;
    const ptx_status status = px_work_submit(device, &op, stream, launch ? &task : NULL);
    px_fault_give(refused, &told);
    return status == PTX_OK && launch ? give_number(device, task, launch) : status;
}

static struct px_task *launch_at(ptx_device *device, ptx_launch launch)
{
    return px_handle_get(&device->handles, PX_HANDLE_LAUNCH, launch);
}

PTX_API ptx_status ptx_launch_query(ptx_device *device, ptx_launch launch)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    px_sched_pump(&device->sched);
    const struct px_task *task = launch_at(device, launch);
    if (task && task->state == PX_TASK_DONE) px_task_known(task);
    const ptx_status status = !task                         ? PTX_ERROR_INVALID_ARGUMENT
                              : task->state != PX_TASK_DONE ? PTX_ERROR_NOT_READY
                                                            : task->status;
    px_sched_unlock(&device->sched);
    return status;
}

static ptx_status wait_for(ptx_device *device, struct px_task *task, ptx_fault *fault)
{
    if (!task || px_sched_is_worker(&device->sched)) return PTX_ERROR_INVALID_ARGUMENT;
    task->refs++;
    px_task_wait(task);
    const ptx_status status = task->status;
    px_report_tell(device, task->report, status, task->error, fault);
    for (struct px_stream *s = device->streams; s; s = s->next)
        if (s->failed == task) {
            s->failed = NULL;
            px_task_release(task);
        }
    px_task_release(task);
    return status;
}

PTX_API ptx_status ptx_launch_wait(ptx_device *device, ptx_launch launch, ptx_fault *fault)
{
    ptx_fault told = {0};
    if (!px_device_usable(device) || !px_fault_ok(fault)) return PTX_ERROR_INVALID_ARGUMENT;
    px_watch_wait(device, 0);
    px_sched_lock(&device->sched);
    const ptx_status status = wait_for(device, launch_at(device, launch), fault ? &told : NULL);
    px_sched_unlock(&device->sched);
    px_fault_give(fault, &told);
    return status;
}

PTX_API ptx_status ptx_launch_cancel(ptx_device *device, ptx_launch launch)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    struct px_task *task = launch_at(device, launch);
    if (task) px_task_cancel(task);
    px_sched_unlock(&device->sched);
    return task ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_launch_release(ptx_device *device, ptx_launch launch)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    struct px_task *task = px_handle_drop(&device->handles, PX_HANDLE_LAUNCH, launch);
    px_task_release(task);
    px_sched_unlock(&device->sched);
    return task ? PTX_OK : PTX_ERROR_INVALID_ARGUMENT;
}

/* ---- other work ---- */

PTX_API ptx_status ptx_stream_host(ptx_device *device, ptx_stream stream, void (*fn)(void *user), void *user)
{
    const struct px_work op = {.kind = PX_WORK_HOST, .fn = fn, .user = user};
    return device ? px_work_submit(device, &op, stream, NULL) : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_stream_copy(ptx_device *device, const ptx_copy *copy, ptx_stream stream)
{
    struct px_work op = {.kind = PX_WORK_COPY};
    const ptx_status status = px_take_copy(device, copy, &op.copy);
    return status == PTX_OK ? px_work_submit(device, &op, stream, NULL) : status;
}

PTX_API ptx_status ptx_stream_fill(ptx_device *device, const ptx_fill *fill, ptx_stream stream)
{
    struct px_work op = {.kind = PX_WORK_COPY};
    const ptx_status status = px_take_fill(device, fill, &op.copy);
    return status == PTX_OK ? px_work_submit(device, &op, stream, NULL) : status;
}

PTX_API ptx_status ptx_stream_values(ptx_device *device, const ptx_value *values, size_t count,
                                     ptx_stream stream)
{
    if (!px_device_usable(device) || !px_values_ok(device, values, count)) return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_work op = {.kind = PX_WORK_VALUES, .values = values, .nvalues = (uint32_t)count};
    return px_work_submit(device, &op, stream, NULL);
}

PTX_API ptx_status ptx_memory_copy(ptx_device *device, const ptx_copy *copy)
{
    struct px_copy c;
    ptx_status status = px_take_copy(device, copy, &c);
    if (status == PTX_OK) status = px_device_state(device);
    return status == PTX_OK ? px_copy_now(device, &c) : status;
}

PTX_API ptx_status ptx_memory_set(ptx_device *device, const ptx_fill *fill)
{
    struct px_copy c;
    ptx_status status = px_take_fill(device, fill, &c);
    if (status == PTX_OK) status = px_device_state(device);
    return status == PTX_OK ? px_copy_now(device, &c) : status;
}
