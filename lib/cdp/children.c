/*
 * children.c - parameter buffers, launches, and waiting for them
 * (device-runtime.md, sections 2 to 5).
 *
 * A buffer is memory that the kernel fills; what it is for is remembered
 * outside the kernel's reach, in a table by address. A launch copies the buffer
 * into the new grid's parameters and forgets it, so launching it twice is an
 * error rather than a surprise.
 */
#include "cdp/mistakes.h"
#include "gang/gang.h"
#include "vm/sched/clustering.h"
#include <stdarg.h>
#include <stdio.h>

enum { BUFFER_ALIGN = 16 };

static struct px_sched *sched_of(const struct px_call *call)
{
    return &call->grid->device->sched;
}

/* ---- buffers ---- */

static struct cdp_buffer **bucket_of(struct cdp_device *cd, uint64_t va)
{
    return &cd->buffers[va / BUFFER_ALIGN % CDP_BUCKETS];
}

static void put(struct cdp_device *cd, struct cdp_buffer *b)
{
    struct cdp_buffer **bucket = bucket_of(cd, b->va);
    b->next = *bucket;
    *bucket = b;
    b->run->buffers++;
}

static struct cdp_buffer *new_record(struct ptx_device *device)
{
    struct cdp_device *cd = cdp_of_device(device);
    struct cdp_buffer *b = cd ? cd->spare_buffers : NULL;
    if (!b) return cd ? px_alloc(&device->alloc, sizeof *b) : NULL;
    cd->spare_buffers = b->next;
    cd->nspare_buffers--;
    return b;
}

void cdp_buffer_free(struct ptx_device *device, struct cdp_buffer *b)
{
    struct cdp_device *cd = device->cdp;
    if (cd->nspare_buffers == CDP_SPARE_BUFFERS) {
        px_free(&device->alloc, b, sizeof *b);
        return;
    }
    b->next = cd->spare_buffers;
    cd->spare_buffers = b;
    cd->nspare_buffers++;
}

/* Memory, zeroed, and its record in the table; 0 when there is none. */
static uint64_t buffer_new(const struct px_call *call, const struct cdp_buffer *what)
{
    struct ptx_device *device = call->grid->device;
    const uint64_t size = what->size ? what->size : 1,
                   va = px_heap_alloc(&device->buffers, size, BUFFER_ALIGN);
    if (!va) return 0;
    memset(px_heap_host(&device->buffers, va), 0, size);
    px_sched_lock(&device->sched);
    struct cdp_buffer *b = new_record(device);
    if (b) {
        *b = *what;
        b->va = va;
        b->run = call->grid->run;
        put(device->cdp, b);
    }
    px_sched_unlock(&device->sched);
    if (b) return va;
    px_heap_release(&device->buffers, va);
    return 0;
}

/* Takes the run's buffer out of the table; NULL when there is none at va. The lock is held. */
static struct cdp_buffer *take(struct cdp_device *cd, struct px_run *run, uint64_t va)
{
    struct cdp_buffer **at = bucket_of(cd, va);
    while (*at && ((*at)->va != va || (*at)->run != run)) at = &(*at)->next;
    struct cdp_buffer *b = *at;
    if (!b) return NULL;
    *at = b->next;
    run->buffers--;
    return b;
}

/* ---- what can be launched ---- */

static struct px_shape shape_at(const struct px_call *call, unsigned offset)
{
    return (struct px_shape){cdp_arg32(call, offset), cdp_arg32(call, offset + 4),
                             cdp_arg32(call, offset + 8)};
}

static bool find_kernel(const struct px_call *call, uint64_t function, struct cdp_buffer *what)
{
    what->kernel = px_any_function(call->grid, function, &what->program);
    return what->kernel && what->kernel->is_entry && what->kernel->kind == PX_FUNCTION_CODE;
}

static void tell_refused(const struct px_call *call, const struct cdp_buffer *what, int error,
                         const char *reason)
{
    ptx_watch_event e = {.struct_size = sizeof e,
                         .kind = PTX_WATCH_REFUSED,
                         .grid = call->grid->id,
                         .kernel = what->kernel ? what->kernel->name : "",
                         .parent_kernel = call->grid->kernel->name,
                         .shape = {what->grid.x, what->grid.y, what->grid.z},
                         .block = {what->block.x, what->block.y, what->block.z},
                         .shared_bytes = what->shared,
                         .depth = call->grid->depth + 1,
                         .cuda_error = error,
                         .reason = reason,
                         .call = call->callee->name,
                         .device_stream = what->stream};
    px_call_place(call, e.cta, e.thread);
    px_notice(call->grid->device, &e, px_call_caller(call), px_call_inst(call));
}

/* Tells who listens, and the list of launches, why a launch is refused; gives the error. */
static int refuse(const struct px_call *call, const struct cdp_buffer *what, int error, const char *format,
                  ...)
{
    struct ptx_device *device = call->grid->device;
    char reason[200];
    va_list args;
    if (!px_notice_heard(device) && !device->launches) return error;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    px_launches_refused(
        call, &(struct px_launch_wish){what->kernel, what->grid, what->block, what->shared, what->stream},
        error, reason);
    if (px_notice_heard(device)) tell_refused(call, what, error, reason);
    return error;
}

/* Kernels launch with the clusters of .reqnctapercluster alone. */
static int clusters_of(const struct cdp_buffer *what, struct px_clustering *clusters)
{
    static const unsigned none[3];
    return px_clustering_of(what->kernel, none, false, what->grid, clusters);
}

/* The error of a launch of this shape from this grid; 0 when it may go on. */
static int check_launch(const struct px_call *call, const struct cdp_buffer *what)
{
    const struct ptx_device *device = call->grid->device;
    const uint32_t depth = call->grid->depth + 1, most = device->depth_limit[cdp_is_second(call)];
    char why[160];
    const enum px_shape_error wrong =
        px_launch_check(device, what->kernel, what->grid, what->block, what->shared);
    px_launch_why(device, what->kernel, wrong, what->grid, what->block, what->shared, why, sizeof why);
    if (wrong != PX_SHAPE_OK) return refuse(call, what, CDP_INVALID_CONFIGURATION, "%s", why);
    struct px_clustering clusters;
    const int error = clusters_of(what, &clusters);
    if (error) return refuse(call, what, error, "%s", clusters.why);
    if (depth <= most) return PX_CUDA_OK;
    return refuse(call, what, CDP_TOO_DEEP, "depth %u, at most %u (launch_depth)", depth, most);
}

static int no_kernel(const struct px_call *call, struct cdp_buffer *what)
{
    what->kernel = NULL;
    return refuse(call, what, PX_CUDA_INVALID_VALUE, "not a kernel");
}

static enum px_ext give_buffer(struct px_call *call, const struct cdp_buffer *what, uint64_t alignment,
                               int error)
{
    const uint64_t va = error ? 0 : buffer_new(call, what);
    cdp_mistake_prototype(call);
    cdp_mistake_buffer(call, va, what, alignment);
    if (!va) *call->last_error = error ? error : PX_CUDA_OUT_OF_MEMORY;
    cdp_return64(call, va);
    return PX_EXT_DONE;
}

enum px_ext cdp_get_parameter_buffer(struct px_call *call)
{
    const struct cdp_buffer what = {.size = cdp_arg64(call, 8)};
    return give_buffer(call, &what, cdp_arg64(call, 0),
                       what.size > UINT32_MAX ? PX_CUDA_INVALID_VALUE : PX_CUDA_OK);
}

enum px_ext cdp_get_parameter_buffer_v2(struct px_call *call)
{
    struct cdp_buffer what = {
        .grid = shape_at(call, 8), .block = shape_at(call, 20), .shared = cdp_arg32(call, 32)};
    if (!find_kernel(call, cdp_arg64(call, 0), &what))
        return give_buffer(call, &what, 0, no_kernel(call, &what));
    what.size = what.kernel->fn->param_bytes;
    return give_buffer(call, &what, 0, check_launch(call, &what));
}

/* ---- launches ---- */

/* What a launch takes at once, under the lock. */
struct held {
    struct cdp_buffer *buffer; /* out of the table, with the parameters; NULL: none */
    uint64_t size;             /* of the buffer that was found */
    bool serves;               /* it does for this launch; else it stays in the table */
    bool park;                 /* and when the launch has to wait */
    int error;
    struct px_grid *room; /* for the grid; NULL: none */
};

/* For a launch into `stream` with the buffer at va: of `kernel`, or with NULL of the one that the buffer is
 * for. */
static struct held hold(struct px_call *call, uint64_t va, const struct px_lfunc *kernel, uint64_t stream)
{
    struct px_sched *s = sched_of(call);
    struct held h = {0};
    px_sched_lock(s);
    struct cdp_device *cd = cdp_of_device(call->grid->device);
    struct cdp_buffer *b = cd && va ? take(cd, call->grid->run, va) : NULL;
    if (b) h.size = b->size;
    if (b && !kernel) kernel = b->kernel;
    h.serves = kernel && h.size >= kernel->fn->param_bytes;
    if (h.serves) h.error = cdp_may_submit(call, stream, &h.park);
    if (b && (!h.serves || h.park))
        put(cd, b);
    else
        h.buffer = b;
    if (h.serves && !h.park && !h.error) h.room = px_grid_spare(s, kernel);
    px_sched_unlock(s);
    return h;
}

/* A launch that a stream does not take. */
static int refuse_submit(const struct px_call *call, const struct cdp_buffer *what, int error,
                         uint64_t stream)
{
    if (error == CDP_TOO_MANY_PENDING)
        return refuse(call, what, error, "more than %u launches are pending (pending_launches)",
                      call->grid->device->config.pending_launches);
    if (error == PX_CUDA_OUT_OF_MEMORY) return refuse(call, what, error, "out of the host's memory");
    return refuse(call, what, error, "there is no stream 0x%llx", (unsigned long long)stream);
}

/* Makes the grid and puts it where the stream says; the buffer is used up. */
static enum px_ext launch_now(struct px_call *call, const struct cdp_buffer *what, const struct held *h,
                              uint64_t stream)
{
    struct ptx_device *device = call->grid->device;
    struct px_refusal why;
    int error = PX_CUDA_OUT_OF_MEMORY;
    struct px_clustering clusters;
    clusters_of(what, &clusters); /* check_launch has looked */
    struct px_grid *grid = px_grid_create(what->program, what->kernel, what->grid, what->block, &clusters,
                                          what->shared, h->room, &why);
    const unsigned refers = grid ? grid->code->references : 0;
    if (h->buffer) {
        if (grid) memcpy(grid->params, px_heap_host(&device->buffers, h->buffer->va), grid->param_bytes);
        cdp_buffer_release(device, h->buffer->va);
    }
    px_sched_lock(&device->sched);
    if (grid && !refers) error = cdp_submit(call, grid, stream);
    if (grid && !error) px_launches_from(grid, call, stream);
    if (h->buffer) cdp_buffer_free(device, h->buffer);
    px_sched_unlock(&device->sched);
    if (why.text) return cdp_trap(call, PX_CUDA_LAUNCH_FAILED, 0, "%s", why.text);
    if (refers) {
        const bool surface = !(refers & PX_REFERS_TEXTURE);
        error = refuse(call, what, surface ? CDP_FILE_SCOPED_SURFACE : CDP_FILE_SCOPED_TEXTURE,
                       "the kernel names a %s of its program", surface ? "surface" : "texture");
    } else if (error) {
        refuse_submit(call, what, error, stream);
    }
    if (grid && error) px_grid_free(grid);
    return cdp_answer(call, error);
}

/* The buffer is used up unless the lane has to wait. */
static enum px_ext launch(struct px_call *call, const struct cdp_buffer *what, const struct held *h,
                          uint64_t stream)
{
    struct ptx_device *device = call->grid->device;
    if (h->park) return PX_EXT_PARK;
    if (h->buffer) cdp_mistake_launch(call, h->buffer->va, what, h->buffer->kernel);
    if (!h->error) return launch_now(call, what, h, stream);
    if (h->buffer) {
        cdp_buffer_release(device, h->buffer->va);
        px_sched_lock(&device->sched);
        cdp_buffer_free(device, h->buffer);
        px_sched_unlock(&device->sched);
    }
    return cdp_answer(call, refuse_submit(call, what, h->error, stream));
}

static enum px_ext launch_first(struct px_call *call, bool per_thread)
{
    cdp_mistake_prototype(call);
    const uint64_t stream = cdp_stream_of(call, 48, per_thread);
    struct cdp_buffer what = {
        .grid = shape_at(call, 16), .block = shape_at(call, 28), .shared = cdp_arg32(call, 40)};
    what.stream = stream;
    if (!find_kernel(call, cdp_arg64(call, 0), &what)) return cdp_answer(call, no_kernel(call, &what));
    const int error = check_launch(call, &what);
    if (error) return cdp_answer(call, error);
    const struct held h = hold(call, cdp_arg64(call, 8), what.kernel, stream);
    if (h.serves) return launch(call, &what, &h, stream);
    if (h.size)
        cdp_mistake_launch(call, cdp_arg64(call, 8), &what, NULL);
    else
        cdp_mistake_no_buffer(call, cdp_arg64(call, 8));
    return cdp_answer(
        call, refuse(call, &what, PX_CUDA_INVALID_VALUE, "buffer of %llu bytes for %llu bytes of parameters",
                     (unsigned long long)h.size, (unsigned long long)what.kernel->fn->param_bytes));
}

enum px_ext cdp_launch_device(struct px_call *call)
{
    return launch_first(call, false);
}

enum px_ext cdp_launch_device_ptsz(struct px_call *call)
{
    return launch_first(call, true);
}

static enum px_ext launch_second(struct px_call *call, bool per_thread)
{
    const uint64_t va = cdp_arg64(call, 0), stream = cdp_stream_of(call, 8, per_thread);
    cdp_mistake_prototype(call);
    const struct held h = hold(call, va, NULL, stream);
    struct cdp_buffer what = h.buffer ? *h.buffer : (struct cdp_buffer){0};
    what.stream = stream;
    if (h.serves) return launch(call, &what, &h, stream);
    cdp_mistake_no_buffer(call, va);
    return cdp_answer(call, refuse(call, &what, PX_CUDA_INVALID_VALUE,
                                   "0x%llx is no parameter buffer with a kernel, or was launched already",
                                   (unsigned long long)va));
}

enum px_ext cdp_launch_device_v2(struct px_call *call)
{
    return launch_second(call, false);
}

enum px_ext cdp_launch_device_v2_ptsz(struct px_call *call)
{
    return launch_second(call, true);
}

/* ---- waiting ---- */

/* First generation: the lane waits until everything that its block launched is complete. */
enum px_ext cdp_device_synchronize(struct px_call *call)
{
    if (call->grid->depth >= CDP_SYNC_DEPTH) return cdp_answer(call, CDP_SYNC_TOO_DEEP);
    px_sched_lock(sched_of(call));
    const uint32_t *children = cdp_children_of(call->grid, call->cta->number);
    const bool wait = children && *children;
    if (wait) ((struct cdp_grid *)call->grid->cdp)->lanes_sync = true;
    px_sched_unlock(sched_of(call));
    if (!wait) cdp_mistake_waited(call);
    return wait ? PX_EXT_PARK : cdp_answer(call, PX_CUDA_OK);
}

/* The second generation has the name and refuses. */
enum px_ext cdp_no_synchronize(struct px_call *call)
{
    return cdp_answer(call, CDP_SYNC_TOO_DEEP);
}
