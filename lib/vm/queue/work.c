/*
 * work.c - descriptions of work become grids and tasks.
 */
#include "vm/queue/work.h"
#include "vm/queue/branch.h"
#include "vm/queue/capture.h"
#include "vm/device/device.h"
#include "vm/queue/pool.h"
#include <string.h>

struct call {
    void (*fn)(void *user);
    void *user;
};

static bool run_host(struct px_grid *grid, struct px_trap *trap)
{
    struct call c;
    (void)trap;
    memcpy(&c, grid->params, sizeof c);
    px_task_known(grid->run->user); /* the function may tell the host by any means */
    if (grid->device->config.host_call)
        grid->device->config.host_call(c.fn, c.user);
    else
        c.fn(c.user);
    return true;
}

static bool bad_address(struct px_trap *trap, ptx_address va, const char *text)
{
    trap->error = PX_CUDA_INVALID_VALUE;
    trap->address = va;
    strcpy(trap->text, text);
    return false;
}

static bool run_free(struct px_grid *grid, struct px_trap *trap)
{
    ptx_address va;
    memcpy(&va, grid->params, sizeof va);
    if (px_device_free(grid->device, va)) return true;
    px_traced_memory(grid->device, PTX_TRACE_BAD_FREE, PTX_TRACE_STREAM, va, 0);
    return bad_address(trap, va, "free in stream order: not an allocation (freed twice?)");
}

static bool run_alloc(struct px_grid *grid, struct px_trap *trap)
{
    ptx_address va;
    memcpy(&va, grid->params, sizeof va);
    if (px_graph_memory_wake(grid->device, va)) return true;
    return bad_address(trap, va, "a graph allocates memory that its launch before has not freed");
}

ptx_status px_work_check(struct ptx_device *device, const struct px_work *op)
{
    if (op->kind == PX_WORK_HOST && !op->fn) return PTX_ERROR_INVALID_ARGUMENT;
    if (op->kind != PX_WORK_KERNEL) return PTX_OK;
    const struct px_lfunc *func = op->kernel->func;
    const size_t need = func->fn->param_bytes, given = op->config.params ? op->config.param_bytes : 0;
    if (given >= need) return PTX_OK;
    px_device_say(device, "%s takes %zu bytes of parameters, %zu were given", func->name, need, given);
    return PTX_ERROR_INVALID_ARGUMENT;
}

ptx_status px_work_grid(struct ptx_device *device, const struct px_work *op, struct px_grid **grid)
{
    const struct call call = {op->fn, op->user};
    *grid = NULL;
    switch (op->kind) {
    case PX_WORK_KERNEL: return px_launch_grid(op->kernel, &op->config, op->config.refused, grid);
    case PX_WORK_COPY: *grid = px_copy_grid(device, &op->copy); break;
    case PX_WORK_HOST: *grid = px_grid_create_native(device, run_host, &call, sizeof call); break;
    case PX_WORK_FREE:
        *grid = px_grid_create_native(device, run_free, &op->address, sizeof op->address);
        break;
    case PX_WORK_ALLOC:
        *grid = px_grid_create_native(device, run_alloc, &op->memory->va, sizeof op->memory->va);
        break;
    case PX_WORK_VALUES: *grid = px_values_grid(device, op->values, op->nvalues); break;
    default: return PTX_OK;
    }
    if (*grid) return PTX_OK;
    return px_device_no_memory(device);
}

static bool keep_values(struct ptx_device *device, struct px_work *to, const struct px_work *from)
{
    ptx_value *values = px_alloc(&device->alloc, from->nvalues * sizeof *values);
    if (values) memcpy(values, from->values, from->nvalues * sizeof *values);
    to->values = values;
    return values != NULL;
}

bool px_work_keep(struct ptx_device *device, struct px_work *to, const struct px_work *from)
{
    *to = *from;
    if (from->kind == PX_WORK_ALLOC) from->memory->refs++;
    if (from->kind == PX_WORK_BRANCH) from->branch->refs++;
    if (from->kind == PX_WORK_CHILD) {
        to->child = px_graph_clone(device, from->child);
        if (to->child) to->child->child = true;
        return to->child != NULL;
    }
    if (from->kind == PX_WORK_VALUES) return keep_values(device, to, from);
    if (from->kind != PX_WORK_KERNEL) return true;
    to->config.refused = NULL;
    to->config.param_bytes = from->kernel->func->fn->param_bytes;
    void *params = px_alloc(&device->alloc, to->config.param_bytes);
    to->config.params = params;
    if (!params) return false;
    if (to->config.param_bytes) memcpy(params, from->config.params, to->config.param_bytes);
    atomic_fetch_add(&to->kernel->program->refs, 1);
    return true;
}

void px_work_drop(struct ptx_device *device, struct px_work *op)
{
    if (op->kind == PX_WORK_CHILD) px_graph_free(device, op->child);
    if (op->kind == PX_WORK_ALLOC) px_graph_memory_release(device, op->memory);
    if (op->kind == PX_WORK_BRANCH) px_branch_release(device, op->branch);
    if (op->kind == PX_WORK_VALUES)
        px_free(&device->alloc, (void *)(uintptr_t)op->values, op->nvalues * sizeof *op->values);
    if (op->kind != PX_WORK_KERNEL) return;
    px_free(&device->alloc, (void *)(uintptr_t)op->config.params, op->config.param_bytes);
    px_program_release(op->kernel->program);
}

/* The lock is held. The grid is given away. */
static ptx_status put(struct ptx_device *device, const struct px_work *op, struct px_grid *grid,
                      ptx_stream number, struct px_task **task)
{
    px_task_room(device);
    struct px_stream *s = px_stream_find(device, number);
    ptx_status status = !s ? PTX_ERROR_INVALID_ARGUMENT : device->tasks.lost;
    if (status == PTX_OK && s->capture) status = task ? PTX_ERROR_CAPTURE : px_capture_op(s, op);
    if (status != PTX_OK || s->capture) {
        if (grid) px_grid_free(grid);
        return status;
    }
    const bool kernel = op->kind == PX_WORK_KERNEL;
    struct px_task *t = px_stream_put(s, grid, NULL, kernel && op->config.flags & PTX_LAUNCH_PROGRAMMATIC);
    if (!t) return PTX_ERROR_OUT_OF_MEMORY;
    const bool brief = kernel && grid->ctas <= PX_BRIEF_CTAS &&
                       atomic_load_explicit(&op->kernel->brief, memory_order_relaxed);
    if (kernel) px_task_configure(t, &op->config);
    if (kernel) t->from = op->kernel;
    px_task_submit(t);
    px_stream_go(device, brief);
    if (task)
        *task = t;
    else
        px_task_release(t);
    return PTX_OK;
}

ptx_status px_work_submit(struct ptx_device *device, const struct px_work *op, ptx_stream stream,
                          struct px_task **task)
{
    struct px_grid *grid;
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    ptx_status status = px_work_check(device, op);
    if (status == PTX_OK) status = px_work_grid(device, op, &grid);
    if (status != PTX_OK) return status;
    px_sched_lock(&device->sched);
    status = put(device, op, grid, stream, task);
    px_sched_unlock(&device->sched);
    px_device_reap(device);
    return status;
}
