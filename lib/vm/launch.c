/*
 * launch.c - a grid from its shape, and a launch from the host.
 */
#include "vm/device.h"
#include <string.h>

static uint32_t threads_of(struct px_shape s)
{
    return s.x * s.y * s.z; /* checked: at most 1024 */
}

enum px_shape_error px_launch_check(const struct ptx_device *device, const struct px_lfunc *kernel,
                                    struct px_shape grid, struct px_shape block, uint32_t shared)
{
    const struct px_function *fn = kernel->fn;
    if (!grid.x || !grid.y || !grid.z || grid.x > INT32_MAX || grid.y > UINT16_MAX || grid.z > UINT16_MAX)
        return PX_SHAPE_GRID;
    if (!block.x || !block.y || !block.z || block.x > 1024 || block.y > 1024 || block.z > 64)
        return PX_SHAPE_BLOCK;
    if ((uint64_t)block.x * block.y * block.z > 1024) return PX_SHAPE_BLOCK;
    if ((uint64_t)kernel->static_shared + shared > device->arch.shared_per_cta) return PX_SHAPE_SHARED;
    const uint32_t want[3] = {block.x, block.y, block.z};
    uint64_t most = 1;
    for (int i = 0; i < 3; i++) {
        if (fn->reqntid[0] && want[i] != (fn->reqntid[i] ? fn->reqntid[i] : 1)) return PX_SHAPE_REQNTID;
        most *= fn->maxntid[i] ? fn->maxntid[i] : 1;
    }
    return fn->maxntid[0] && threads_of(block) > most ? PX_SHAPE_REQNTID : PX_SHAPE_OK;
}

static const char *shape_error_text(enum px_shape_error error)
{
    switch (error) {
    case PX_SHAPE_GRID:
        return "the grid has more blocks in a dimension than 2147483647, 65535, 65535, or none in x";
    case PX_SHAPE_BLOCK:
        return "the block has more than 1024 threads, or more in a dimension than 1024, 1024, 64";
    case PX_SHAPE_SHARED: return "static and dynamic shared memory together exceed what a block may have";
    case PX_SHAPE_REQNTID: return "the block does not have the shape that .reqntid or .maxntid demands";
    default: return "";
    }
}

uint32_t px_occupancy(const struct ptx_device *device, uint32_t threads, uint32_t shared)
{
    const struct px_arch *a = &device->arch;
    const uint32_t warps = (threads + 31) / 32;
    uint32_t n = a->threads_per_sm / (warps * 32), room = shared ? a->shared_per_sm / (shared + 1024) : n;
    if (room < n) n = room;
    return n < a->ctas_per_sm ? n : a->ctas_per_sm;
}

struct px_grid *px_grid_create(struct ptx_program *program, const struct px_lfunc *kernel,
                               struct px_shape grid, struct px_shape block, uint32_t shared,
                               struct px_refusal *why)
{
    struct ptx_device *device = program->device;
    *why = (struct px_refusal){0};
    const struct px_code *code = px_code_get(program, kernel, threads_of(block), why);
    struct px_grid *g = code ? px_zalloc(&device->alloc, sizeof *g) : NULL;
    if (!g) return NULL;
    *g = (struct px_grid){.device = device,
                          .mem = &device->mem,
                          .program = program,
                          .const_image = program->const_image,
                          .const_bytes = program->linked.const_bytes,
                          .owner = program->number,
                          .kernel = kernel,
                          .code = code,
                          .grid = grid,
                          .block = block,
                          .dynamic_shared = shared,
                          .shared_bytes = kernel->static_shared + shared,
                          .param_bytes = (uint32_t)kernel->fn->param_bytes,
                          .ctas = (uint64_t)grid.x * grid.y * grid.z};
    atomic_init(&g->ctas_left, g->ctas);
    uint32_t resident = px_occupancy(device, threads_of(block), g->shared_bytes);
    g->resident = (resident ? resident : 1) * device->arch.sm_count;
    g->params = px_zalloc(&device->alloc, g->param_bytes);
    if (g->params) return g;
    px_grid_free(g);
    return NULL;
}

struct px_grid *px_grid_create_native(struct ptx_device *device, px_native_fn native, const void *operands,
                                      size_t size)
{
    struct px_grid *g = px_zalloc(&device->alloc, sizeof *g);
    if (!g) return NULL;
    *g = (struct px_grid){.device = device,
                          .mem = &device->mem,
                          .native = native,
                          .param_bytes = (uint32_t)size,
                          .ctas = 1,
                          .resident = 1};
    atomic_init(&g->ctas_left, 1);
    g->params = px_alloc(&device->alloc, size);
    if (g->params) {
        memcpy(g->params, operands, size);
        return g;
    }
    px_grid_free(g);
    return NULL;
}

void px_grid_free(struct px_grid *grid)
{
    const ptx_allocator *alloc = &grid->device->alloc;
    px_free(alloc, grid->params, grid->param_bytes);
    px_free(alloc, grid, sizeof *grid);
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

static struct px_shape shape_of(const unsigned v[3])
{
    return (struct px_shape){v[0], v[1] ? v[1] : 1, v[2] ? v[2] : 1};
}

ptx_status px_launch(ptx_kernel *kernel, const ptx_launch_config *config, ptx_fault *fault)
{
    struct ptx_program *program = kernel->program;
    struct ptx_device *device = program->device;
    const struct px_shape grid = shape_of(config->grid), block = shape_of(config->block);
    struct px_refusal why;
    device->message[0] = 0;
    enum px_shape_error wrong = px_launch_check(device, kernel->func, grid, block, config->shared_bytes);
    if (wrong != PX_SHAPE_OK) {
        px_device_say(device, "%s: %s", kernel->func->name, shape_error_text(wrong));
        return PTX_ERROR_LAUNCH;
    }
    struct px_grid *root = px_grid_create(program, kernel->func, grid, block, config->shared_bytes, &why);
    if (!root) {
        px_report_refusal(device, kernel->func, &why, fault);
        return why.text ? PTX_ERROR_UNSUPPORTED : PTX_ERROR_OUT_OF_MEMORY;
    }
    if (root->param_bytes) memcpy(root->params, config->params, root->param_bytes);
    device->printed = 0;
    device->quota.sched = &device->sched;
    const enum px_stop stop = px_sched_run(&device->sched, root);
    device->quota.sched = NULL;
    if (stop != PX_STOP_NONE) px_report_fault(device, stop, fault);
    px_sched_clean(&device->sched);
    if (device->runtime && device->runtime->launch_over) device->runtime->launch_over(device);
    return status_of(stop);
}
