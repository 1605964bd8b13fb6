/*
 * watch.c - events for tools.
 */
#include "vm/device/watch.h"
#include "vm/device/device.h"
#include "vm/queue/stream.h"
#include "ptx_trace.h"

void px_watch_call(struct ptx_device *device, ptx_watch_fn fn, void *user, const ptx_watch_event *event)
{
    struct px_watch *w = &device->watch;
    if (!fn) return;
    pthread_mutex_lock(&w->lock);
    atomic_store_explicit(&w->teller, (uintptr_t)pthread_self(), memory_order_relaxed);
    fn(user, event);
    atomic_store_explicit(&w->teller, 0, memory_order_relaxed);
    pthread_mutex_unlock(&w->lock);
}

/* An event whose strings are "" where they say nothing. */
void px_watch_tell(struct ptx_device *device, const ptx_watch_event *event)
{
    ptx_watch_event e = *event;
    const char **const texts[] = {&e.call, &e.instruction, &e.function, &e.file, &e.source, &e.allocation};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!*texts[i]) *texts[i] = "";
    px_watch_call(device, device->watch.fn, device->watch.user, &e);
}

bool px_device_usable(const struct ptx_device *device)
{
    if (!device) return false;
    if (device->ours && !atomic_load_explicit(device->ours, memory_order_relaxed)) return false;
    const uintptr_t teller = atomic_load_explicit(&device->watch.teller, memory_order_relaxed);
    return !teller || teller != (uintptr_t)pthread_self();
}

static ptx_stream stream_of(const struct px_grid *grid)
{
    const struct px_task *task = grid->parent ? NULL : grid->run->user;
    return task && task->stream ? task->stream->number : 0;
}

ptx_watch_event px_watch_of_grid(const struct px_grid *grid, ptx_watch_kind kind)
{
    const struct px_grid *parent = grid->parent;
    return (ptx_watch_event){.struct_size = sizeof(ptx_watch_event),
                             .kind = kind,
                             .grid = grid->id,
                             .parent = parent ? parent->id : 0,
                             .kernel = grid->kernel ? grid->kernel->name : "",
                             .parent_kernel = parent && parent->kernel ? parent->kernel->name : "",
                             .shape = {grid->grid.x, grid->grid.y, grid->grid.z},
                             .block = {grid->block.x, grid->block.y, grid->block.z},
                             .shared_bytes = grid->dynamic_shared,
                             .depth = grid->depth,
                             .params = grid->params,
                             .param_bytes = grid->param_bytes,
                             .stream = stream_of(grid)};
}

static ptx_watch_event of_copy(uint64_t to, uint64_t bytes)
{
    return (ptx_watch_event){.struct_size = sizeof(ptx_watch_event),
                             .kind = PTX_WATCH_COPY,
                             .kernel = "",
                             .parent_kernel = "",
                             .address = to,
                             .bytes = bytes};
}

static void tell_copy(const struct px_grid *grid)
{
    ptx_watch_event e = of_copy(grid->copy_to, grid->copy_bytes);
    e.stream = stream_of(grid);
    e.parent = grid->parent ? grid->parent->id : 0;
    px_watch_tell(grid->device, &e);
}

static void trace_grid(const struct px_grid *grid, ptx_trace_kind kind)
{
    const ptx_device_config *config = &grid->device->config;
    const struct px_task *task = grid->parent || kind == PTX_TRACE_GRID_END ? NULL : grid->run->user;
    const ptx_trace_event e = {.struct_size = sizeof e,
                               .kind = kind,
                               .number = task ? task->number : 0,
                               .grid = grid->id,
                               .parent = grid->parent ? grid->parent->id : 0,
                               .kernel = grid->kernel ? grid->kernel->name : "",
                               .shape = {grid->grid.x, grid->grid.y, grid->grid.z},
                               .block = {grid->block.x, grid->block.y, grid->block.z}};
    config->trace_event(config->trace_user, &e);
}

void px_watch_grid(struct px_grid *grid, bool end)
{
    if (end ? !grid->begun || grid->ended : grid->begun) return;
    grid->begun = true;
    grid->ended = end;
    px_launches_moment(grid, end);
    if (grid->native) {
        if (!end && grid->copy_bytes) tell_copy(grid);
        return;
    }
    if (grid->device->config.trace_event) trace_grid(grid, end ? PTX_TRACE_GRID_END : PTX_TRACE_GRID_BEGIN);
    if (!grid->device->watch.fn) return;
    const ptx_watch_event e = px_watch_of_grid(grid, end ? PTX_WATCH_GRID_END : PTX_WATCH_GRID_BEGIN);
    px_watch_tell(grid->device, &e);
}

void px_watch_copy(struct ptx_device *device, uint64_t to, uint64_t bytes)
{
    if (!device->watch.fn || !bytes) return;
    const ptx_watch_event e = of_copy(to, bytes);
    px_watch_tell(device, &e);
}

void px_watch_wait(struct ptx_device *device, ptx_stream stream)
{
    if (!device->watch.fn) return;
    const ptx_watch_event e = {
        .struct_size = sizeof e, .kind = PTX_WATCH_WAIT, .kernel = "", .parent_kernel = "", .stream = stream};
    px_watch_tell(device, &e);
}

static void leak(void *user, const struct px_extent *block)
{
    const ptx_watch_event e = {.struct_size = sizeof e,
                               .kind = PTX_WATCH_LEAK,
                               .kernel = "",
                               .parent_kernel = "",
                               .address = block->lo,
                               .bytes = block->len};
    px_watch_tell(user, &e);
}

void px_watch_leaks(struct ptx_device *device)
{
    if (device->watch.fn) px_heap_each(&device->heap, leak, device);
}

void px_watch_grids(struct ptx_device *device)
{
    const bool any = device->watch.fn || device->launches || device->config.trace_event;
    device->sched.watch = any ? px_watch_grid : NULL;
}

ptx_status px_device_watch(struct ptx_device *device, ptx_watch_fn fn, void *user)
{
    if (device->tasks.pending) return PTX_ERROR_NOT_READY;
    device->watch.fn = fn;
    device->watch.user = user;
    px_watch_grids(device);
    return PTX_OK;
}
