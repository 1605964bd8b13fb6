/*
 * launch.c - a grid from its shape, and a launch from the host.
 */
#include "vm/sched/clustering.h"
#include "vm/sched/cooperative.h"
#include "vm/device/device.h"
#include "vm/device/report.h"
#include <stdio.h>
#include <string.h>

enum { COOPERATIVE_TOO_LARGE = 720 }; /* a CUDA error */

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

void px_launch_why(const struct ptx_device *device, const struct px_lfunc *kernel, enum px_shape_error error,
                   struct px_shape grid, struct px_shape block, uint32_t shared, char *buf, size_t size)
{
    const struct px_function *fn = kernel->fn;
    const uint32_t *word = fn->reqntid[0] ? fn->reqntid : fn->maxntid;
    *buf = 0;
    switch (error) {
    case PX_SHAPE_OK: break;
    case PX_SHAPE_GRID:
        snprintf(buf, size, "grid %ux%ux%u: each at least 1, at most 2147483647, 65535 and 65535", grid.x,
                 grid.y, grid.z);
        break;
    case PX_SHAPE_BLOCK:
        if (block.x && block.y && block.z && (uint64_t)block.x * block.y > 1024 / block.z)
            snprintf(buf, size, "block %ux%ux%u: %llu threads, at most 1024", block.x, block.y, block.z,
                     (unsigned long long)block.x * block.y * block.z);
        else
            snprintf(buf, size, "block %ux%ux%u: each at least 1, at most 1024, 1024 and 64", block.x,
                     block.y, block.z);
        break;
    case PX_SHAPE_SHARED:
        snprintf(buf, size, "%llu bytes of shared memory, static and dynamic, at most %u",
                 (unsigned long long)kernel->static_shared + shared, device->arch.shared_per_cta);
        break;
    case PX_SHAPE_REQNTID:
        snprintf(buf, size, "block %ux%ux%u: %s wants %u, %u, %u", block.x, block.y, block.z,
                 fn->reqntid[0] ? ".reqntid" : "at most as many threads as .maxntid", word[0],
                 word[1] ? word[1] : 1, word[2] ? word[2] : 1);
        break;
    }
}

uint32_t px_occupancy(const struct ptx_device *device, uint32_t threads, uint32_t shared)
{
    const struct px_arch *a = &device->arch;
    const uint32_t warps = (threads + 31) / 32;
    const uint32_t taken = (shared + 1024 + 127) & ~127u; /* the system's kilobyte, in units of 128 bytes */
    uint32_t n = a->threads_per_sm / (warps * 32), room = a->shared_per_sm / taken;
    if (room < n) n = room;
    return n < a->ctas_per_sm ? n : a->ctas_per_sm;
}

uint32_t px_occupancy_clusters(const struct ptx_device *device, uint32_t threads, uint32_t shared,
                               uint32_t blocks)
{
    const uint32_t each = px_occupancy(device, threads, shared);
    const uint32_t n = (each ? each : 1) * device->arch.sm_count / blocks;
    return n ? n : 1;
}

/* ---- memory of grids ---- */

/* Grids of few bytes of parameters are of one size; of those that children leave so many are kept. */
enum { FEW_BYTES = 128, SPARE_MOST = 1024 };

static size_t size_of(size_t param_bytes)
{
    return sizeof(struct px_grid) + (param_bytes > FEW_BYTES ? param_bytes : FEW_BYTES);
}

/* A grid and behind it what it is given; nothing is written. */
static struct px_grid *new_grid(struct ptx_device *device, size_t param_bytes)
{
    _Static_assert(sizeof(struct px_grid) % 16 == 0, "parameters lie as malloc would put them");
    return px_alloc(&device->alloc, size_of(param_bytes));
}

struct px_grid *px_grid_spare(struct px_sched *s, const struct px_lfunc *kernel)
{
    struct px_grid *g = kernel->fn->param_bytes <= FEW_BYTES ? s->spare_grids : NULL;
    if (!g) return NULL;
    s->spare_grids = g->next;
    s->nspare_grids--;
    return g;
}

/* What it uses besides its memory. */
static void let_go(struct px_grid *grid)
{
    px_cooperative_end(grid);
    if (grid->program) px_program_release(grid->program);
}

void px_grid_retire(struct px_grid *grid)
{
    struct px_sched *s = &grid->device->sched;
    if (grid->param_bytes > FEW_BYTES || s->nspare_grids == SPARE_MOST) {
        px_grid_free(grid);
        return;
    }
    let_go(grid);
    grid->next = s->spare_grids;
    s->spare_grids = grid;
    s->nspare_grids++;
}

void px_grid_free(struct px_grid *grid)
{
    let_go(grid);
    px_free(&grid->device->alloc, grid, size_of(grid->param_bytes));
}

void px_grid_free_spare(struct px_sched *s)
{
    for (struct px_grid *g = s->spare_grids, *next; g; g = next) {
        next = g->next;
        px_free(&s->alloc, g, size_of(0));
    }
    s->spare_grids = NULL;
}

/* ---- grids ---- */

struct px_grid *px_grid_create(struct ptx_program *program, const struct px_lfunc *kernel,
                               struct px_shape grid, struct px_shape block,
                               const struct px_clustering *clusters, uint32_t shared, struct px_grid *room,
                               struct px_refusal *why)
{
    struct ptx_device *device = program->device;
    const size_t param_bytes = kernel->fn->param_bytes;
    *why = (struct px_refusal){0};
    const struct px_shape cluster = clusters->shape;
    const uint32_t blocks = cluster.x * cluster.y * cluster.z;
    const struct px_code *code = px_code_get(program, kernel, threads_of(block), blocks > 1, why);
    if (!code) {
        px_free(&device->alloc, room, size_of(0));
        return NULL;
    }
    struct px_grid *g = room ? room : new_grid(device, param_bytes);
    if (!g) return NULL;
    memset(g, 0, sizeof *g + param_bytes);
    g->device = device;
    g->mem = &device->mem;
    g->textures = &device->textures.table;
    g->program = program;
    g->const_image = program->const_image;
    g->const_bytes = program->linked.const_bytes;
    g->owner = program->number;
    g->kernel = kernel;
    g->code = code;
    g->grid = grid;
    g->block = block;
    g->dynamic_shared = shared;
    g->shared_bytes = kernel->static_shared + shared;
    g->params = (uint8_t *)(g + 1);
    g->param_bytes = (uint32_t)param_bytes;
    g->cluster = cluster;
    g->cluster_blocks = blocks;
    g->explicit_cluster = clusters->is_explicit;
    g->ctas = (uint64_t)grid.x * grid.y * grid.z;
    g->units = g->ctas / blocks;
    atomic_init(&g->units_left, g->units);
    atomic_init(&g->untold, g->ctas);
    g->resident = px_occupancy_clusters(device, threads_of(block), g->shared_bytes, blocks);
    atomic_fetch_add_explicit(&program->refs, 1, memory_order_relaxed);
    return g;
}

struct px_grid *px_grid_create_native(struct ptx_device *device, px_native_fn native, const void *operands,
                                      size_t size)
{
    struct px_grid *g = new_grid(device, size);
    if (!g) return NULL;
    memcpy(g + 1, operands, size);
    *g = (struct px_grid){.device = device,
                          .mem = &device->mem,
                          .native = native,
                          .params = (uint8_t *)(g + 1),
                          .param_bytes = (uint32_t)size,
                          .cluster = {1, 1, 1},
                          .cluster_blocks = 1,
                          .ctas = 1,
                          .units = 1,
                          .resident = 1};
    atomic_init(&g->units_left, 1);
    return g;
}

static struct px_shape shape_of(const unsigned v[3])
{
    return (struct px_shape){v[0], v[1] ? v[1] : 1, v[2] ? v[2] : 1};
}

static ptx_status no_memory(struct ptx_device *device, struct px_grid *grid)
{
    px_grid_free(grid);
    return px_device_no_memory(device);
}

/* What a launch is refused for, with the number of a CUDA error. */
static ptx_status refuse(ptx_kernel *kernel, ptx_status status, int error, const char *why, ptx_fault *fault)
{
    struct ptx_device *device = kernel->program->device;
    px_device_say(device, "%s: %s", kernel->func->name, why);
    if (!fault) return status;
    *fault = px_fault_empty(error);
    fault->message = device->message;
    fault->kernel = kernel->func->name;
    return status;
}

ptx_status px_launch_grid(ptx_kernel *kernel, const ptx_launch_config *config, ptx_fault *fault,
                          struct px_grid **out)
{
    struct ptx_device *device = kernel->program->device;
    const struct px_shape grid = shape_of(config->grid), block = shape_of(config->block);
    struct px_refusal why;
    enum px_shape_error wrong = px_launch_check(device, kernel->func, grid, block, config->shared_bytes);
    if (wrong != PX_SHAPE_OK) {
        char text[160];
        px_launch_why(device, kernel->func, wrong, grid, block, config->shared_bytes, text, sizeof text);
        px_device_say(device, "%s: %s", kernel->func->name, text);
        return PTX_ERROR_LAUNCH;
    }
    struct px_clustering clusters;
    const int error = px_clustering_for(kernel, config, &clusters);
    if (error) return refuse(kernel, PTX_ERROR_LAUNCH, error, clusters.why, fault);
    struct px_grid *g = px_grid_create(kernel->program, kernel->func, grid, block, &clusters,
                                       config->shared_bytes, NULL, &why);
    if (!g) {
        struct px_report *r = px_report_refusal(device, kernel->func, &why, !fault);
        const ptx_status status = why.text ? PTX_ERROR_UNSUPPORTED : PTX_ERROR_OUT_OF_MEMORY;
        px_report_tell(device, r, status, why.text ? 0 : PX_CUDA_OUT_OF_MEMORY, fault);
        px_report_release(device, r);
        return status;
    }
    if (config->cooperative && g->units > g->resident) {
        char text[100];
        snprintf(text, sizeof text, "a cooperative launch of %llu blocks; the device holds %u at once",
                 (unsigned long long)g->ctas, g->resident * g->cluster_blocks);
        px_grid_free(g);
        return refuse(kernel, PTX_ERROR_LAUNCH, COOPERATIVE_TOO_LARGE, text, fault);
    }
    if (config->cooperative && !px_cooperative_begin(g)) return no_memory(device, g);
    g->api = config->api;
    if (g->param_bytes) memcpy(g->params, config->params, g->param_bytes);
    *out = g;
    return PTX_OK;
}

ptx_status px_launch(ptx_kernel *kernel, const ptx_launch_config *config, ptx_fault *fault)
{
    struct ptx_device *device = kernel->program->device;
    struct px_grid *grid;
    px_device_hush(device);
    px_report_forget(device, false);
    ptx_status status = px_launch_grid(kernel, config, fault, &grid);
    if (status != PTX_OK) return status;
    px_sched_lock(&device->sched);
    struct px_task *task = px_task_new(device, grid);
    if (!task) {
        px_sched_unlock(&device->sched);
        return no_memory(device, grid);
    }
    task->max_steps = device->config.max_steps;
    task->timeout_ns = 1000000 * device->config.timeout_ms;
    px_task_configure(task, config);
    task->quiet = !fault;
    task->from = kernel;
    px_task_submit(task);
    px_task_wait(task);
    status = task->status;
    struct px_report *r = task->report;
    const int error = task->error;
    task->report = NULL;
    px_task_release(task);
    px_sched_unlock(&device->sched);
    px_report_tell(device, r, status, error, fault);
    px_report_release(device, r);
    px_device_reap(device);
    return status;
}
