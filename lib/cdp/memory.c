/*
 * memory.c - the device heap for kernels, and copies in stream order
 * (device-runtime.md, sections 7 and 8).
 *
 * A copy is a grid without a kernel: it waits in its stream like any launch
 * and is done by whichever worker takes it. Ranges are checked then; a bad one
 * is a fault, as it is of the kernel that the chip would run. Its size is the
 * kernel's choice, so it is done in parts with a look at the limits after each.
 */
#include "cdp/state.h"
#include "vm/device/traced.h"
#include <stdio.h>
#include <string.h>

/* ---- heap ---- */

static uint64_t take(struct px_call *call, uint64_t size, uint64_t align)
{
    const uint64_t va = px_heap_alloc(&call->grid->device->heap, size, align);
    if (va) px_poison(call->grid->device, va, size);
    if (va) px_traced_heap(call, PTX_TRACE_ALLOC, va, size);
    return va;
}

static enum px_ext give_heap(struct px_call *call, uint64_t size, uint64_t align)
{
    cdp_return64(call, take(call, size, align));
    return PX_EXT_DONE;
}

enum px_ext cdp_sys_malloc(struct px_call *call)
{
    return give_heap(call, cdp_arg64(call, 0), 16);
}

enum px_ext cdp_sys_aligned_malloc(struct px_call *call)
{
    const uint64_t align = cdp_arg64(call, 8);
    const bool power = align && !(align & (align - 1));
    return power ? give_heap(call, cdp_arg64(call, 0), align) : give_heap(call, 0, 16);
}

static enum px_ext release(struct px_call *call, uint64_t va)
{
    struct ptx_device *device = call->grid->device;
    if (!va) return PX_EXT_DONE;
    if (px_heap_release(&device->heap, va)) {
        px_traced_heap(call, PTX_TRACE_FREE, va, 0);
        return PX_EXT_DONE;
    }
    px_traced_heap(call, PTX_TRACE_BAD_FREE, va, 0);
    return cdp_trap(call, PX_CUDA_LAUNCH_FAILED, va,
                    px_heap_owns(&device->heap, va)
                        ? "free of 0x%llx: no block of the device heap begins there (freed twice?)"
                        : "free of 0x%llx: not memory of the device heap",
                    (unsigned long long)va);
}

enum px_ext cdp_sys_free(struct px_call *call)
{
    return release(call, cdp_arg64(call, 0));
}

enum px_ext cdp_malloc(struct px_call *call)
{
    const uint64_t to = cdp_arg64(call, 0), size = cdp_arg64(call, 8);
    if (!to || !size) return cdp_answer(call, PX_CUDA_INVALID_VALUE);
    const uint64_t va = take(call, size, 256);
    if (!px_call_write(call, to, &va, sizeof va)) return cdp_answer(call, PX_CUDA_INVALID_VALUE);
    return cdp_answer(call, va ? PX_CUDA_OK : PX_CUDA_OUT_OF_MEMORY);
}

enum px_ext cdp_free(struct px_call *call)
{
    enum px_ext r = release(call, cdp_arg64(call, 0));
    return r == PX_EXT_DONE ? cdp_answer_only(call, PX_CUDA_OK) : r;
}

/* ---- copies ---- */

/* `depth` slices of `height` rows of `width` bytes; a pitch is the distance of rows, a slice that of slices.
 */
struct copy {
    const char *name;
    uint64_t to, to_pitch, to_slice;
    uint64_t from, from_pitch, from_slice;
    uint64_t width, height, depth;
    bool fill;
    uint8_t value;
};

static bool bad_range(struct px_trap *trap, const struct copy *c, uint64_t va)
{
    trap->error = PX_CUDA_ILLEGAL_ADDRESS;
    trap->address = va;
    snprintf(trap->text, sizeof trap->text, "%s: %llu bytes at 0x%llx are not inside one allocation", c->name,
             (unsigned long long)c->width, (unsigned long long)va);
    return false;
}

enum {
    COPY_PART = 4 << 20 /* bytes between two looks at the limits */,
    ROW_COST = 64 /* bytes' worth of a row */
};

/* What is being done, and how much of it since the last look. */
struct copying {
    struct px_grid *grid;
    struct copy c;
    uint64_t work;
};

/* Adds to the work; true when the launch is to stop. */
static bool too_late(struct copying *k, uint64_t work)
{
    k->work += work;
    if (k->work < COPY_PART) return false;
    k->work = 0;
    return px_sched_due(k->grid->run);
}

/* One row in parts; `source` is NULL for a fill. Parts go upwards or downwards, so that overlapping rows move
 * right. */
static bool move_row(struct copying *k, uint8_t *target, const uint8_t *source)
{
    const uint64_t width = k->c.width;
    const bool down = source && source < target;
    for (uint64_t done = 0, n; done < width; done += n) {
        n = width - done < COPY_PART ? width - done : COPY_PART;
        const uint64_t at = down ? width - done - n : done;
        if (source)
            memmove(target + at, source + at, n);
        else
            memset(target + at, k->c.value, n);
        if (too_late(k, n)) return false;
    }
    return !too_late(k, ROW_COST);
}

static bool copy_row(struct copying *k, uint64_t to, uint64_t from, struct px_trap *trap)
{
    const struct px_mem *mem = &k->grid->device->mem;
    uint8_t *target = px_mem_host(mem, to, k->c.width);
    if (!target) return bad_range(trap, &k->c, to);
    const uint8_t *source = k->c.fill ? NULL : px_mem_host(mem, from, k->c.width);
    if (!source && !k->c.fill) return bad_range(trap, &k->c, from);
    px_traced_copy(k->grid->device, source ? PTX_TRACE_COPY : PTX_TRACE_HOST_WRITE, to, from, k->c.width);
    return move_row(k, target, source);
}

static bool run_copy(struct px_grid *grid, struct px_trap *trap)
{
    struct copying k = {.grid = grid};
    const struct copy *c = &k.c;
    memcpy(&k.c, grid->params, sizeof k.c);
    for (uint64_t z = 0; z < c->depth; z++)
        for (uint64_t y = 0; y < c->height; y++)
            if (!copy_row(&k, c->to + z * c->to_slice + y * c->to_pitch,
                          c->from + z * c->from_slice + y * c->from_pitch, trap))
                return false;
    return true;
}

static bool is_global(uint64_t va)
{
    return va && px_window_of(va) == PX_WIN_NONE;
}

static int submit_now(struct px_call *call, const struct copy *c, uint64_t stream)
{
    struct ptx_device *device = call->grid->device;
    struct px_grid *grid = px_grid_create_native(device, run_copy, c, sizeof *c);
    if (!grid) return PX_CUDA_OUT_OF_MEMORY;
    grid->copy_to = c->to;
    grid->copy_bytes = c->width * c->height * c->depth;
    px_sched_lock(&device->sched);
    const int error = cdp_submit(call, grid, stream);
    px_sched_unlock(&device->sched);
    if (error) px_grid_free(grid);
    return error;
}

/* Checks in the chip's order, then puts the copy into its stream. */
static enum px_ext submit(struct px_call *call, const struct copy *c, uint32_t kind, uint64_t stream)
{
    struct ptx_device *device = call->grid->device;
    bool park;
    if (!c->width || !c->height || !c->depth) return cdp_answer_only(call, PX_CUDA_OK);
    if (!c->fill && kind != 3 && kind != 4) return cdp_answer(call, CDP_INVALID_COPY_DIRECTION);
    if (!is_global(c->to) || (!c->fill && !is_global(c->from)))
        return cdp_answer(call, PX_CUDA_INVALID_VALUE);
    px_sched_lock(&device->sched);
    int error = cdp_may_submit(call, stream, &park);
    px_sched_unlock(&device->sched);
    if (park) return PX_EXT_PARK;
    if (!error) error = submit_now(call, c, stream);
    if (!error) *call->last_error = 0;
    return cdp_answer(call, error);
}

static enum px_ext copy_1d(struct px_call *call, bool per_thread)
{
    const struct copy c = {.name = "cudaMemcpyAsync",
                           .to = cdp_arg64(call, 0),
                           .from = cdp_arg64(call, 8),
                           .width = cdp_arg64(call, 16),
                           .height = 1,
                           .depth = 1};
    return submit(call, &c, cdp_arg32(call, 24), cdp_stream_of(call, 32, per_thread));
}

static enum px_ext copy_2d(struct px_call *call, bool per_thread)
{
    const struct copy c = {.name = "cudaMemcpy2DAsync",
                           .to = cdp_arg64(call, 0),
                           .to_pitch = cdp_arg64(call, 8),
                           .from = cdp_arg64(call, 16),
                           .from_pitch = cdp_arg64(call, 24),
                           .width = cdp_arg64(call, 32),
                           .height = cdp_arg64(call, 40),
                           .depth = 1};
    return submit(call, &c, cdp_arg32(call, 48), cdp_stream_of(call, 56, per_thread));
}

/* cudaMemcpy3DParms, without arrays: position, pointer, pitch, x and y size of each side, extent, kind. */
struct parms_3d {
    uint64_t from_array, from_pos[3], from, from_pitch, from_x, from_y;
    uint64_t to_array, to_pos[3], to, to_pitch, to_x, to_y;
    uint64_t extent[3];
    uint32_t kind;
};

static enum px_ext copy_3d(struct px_call *call, bool per_thread)
{
    struct parms_3d p;
    if (!px_call_read(call, &p, cdp_arg64(call, 0), sizeof p)) return cdp_answer(call, PX_CUDA_INVALID_VALUE);
    if (p.from_array || p.to_array) return cdp_answer(call, PX_CUDA_INVALID_VALUE);
    struct copy c = {.name = "cudaMemcpy3DAsync",
                     .to_pitch = p.to_pitch,
                     .from_pitch = p.from_pitch,
                     .to_slice = p.to_pitch * p.to_y,
                     .from_slice = p.from_pitch * p.from_y,
                     .width = p.extent[0],
                     .height = p.extent[1],
                     .depth = p.extent[2]};
    c.to = p.to ? p.to + p.to_pos[0] + p.to_pos[1] * c.to_pitch + p.to_pos[2] * c.to_slice : 0;
    c.from =
        p.from ? p.from + p.from_pos[0] + p.from_pos[1] * c.from_pitch + p.from_pos[2] * c.from_slice : 0;
    return submit(call, &c, p.kind, cdp_stream_of(call, 8, per_thread));
}

/* At byte `at` of the arguments stand the value, its one to three extents and the stream. */
static enum px_ext fill(struct px_call *call, struct copy c, uint32_t at, uint32_t extents, bool per_thread)
{
    c.fill = true;
    c.to = cdp_arg64(call, 0);
    c.value = (uint8_t)cdp_arg32(call, at);
    c.width = cdp_arg64(call, at + 8);
    c.height = extents > 1 ? cdp_arg64(call, at + 16) : 1;
    c.depth = extents > 2 ? cdp_arg64(call, at + 24) : 1;
    return submit(call, &c, 0, cdp_stream_of(call, at + 8 + 8 * extents, per_thread));
}

static enum px_ext fill_1d(struct px_call *call, bool per_thread)
{
    return fill(call, (struct copy){.name = "cudaMemsetAsync"}, 8, 1, per_thread);
}

static enum px_ext fill_2d(struct px_call *call, bool per_thread)
{
    const struct copy c = {.name = "cudaMemset2DAsync", .to_pitch = cdp_arg64(call, 8)};
    return fill(call, c, 16, 2, per_thread);
}

static enum px_ext fill_3d(struct px_call *call, bool per_thread)
{
    const uint64_t pitch = cdp_arg64(call, 8);
    const struct copy c = {
        .name = "cudaMemset3DAsync", .to_pitch = pitch, .to_slice = pitch * cdp_arg64(call, 24)};
    return fill(call, c, 32, 3, per_thread);
}

/* The two entry points of each: stream 0 is the NULL stream, or the thread's own. */
#define BOTH(name, function)                                                                                 \
    enum px_ext name(struct px_call *call)                                                                   \
    {                                                                                                        \
        return function(call, false);                                                                        \
    }                                                                                                        \
    enum px_ext name##_ptsz(struct px_call *call)                                                            \
    {                                                                                                        \
        return function(call, true);                                                                         \
    }
BOTH(cdp_memcpy, copy_1d)
BOTH(cdp_memcpy_2d, copy_2d)
BOTH(cdp_memcpy_3d, copy_3d)
BOTH(cdp_memset, fill_1d)
BOTH(cdp_memset_2d, fill_2d)
BOTH(cdp_memset_3d, fill_3d)
