/*
 * streams.c - order among the launches of a grid (device-runtime.md, sections 4 and 5).
 *
 * A stream is a queue of items: grids, event records, waits for events. Its
 * first grid is with the scheduler; when that completes the stream advances.
 * Tail launches wait in a queue of their own until the grid and all its other
 * children are complete. Everything here runs under the scheduler's lock.
 */
#include "base/queue.h"
#include "cdp/state.h"
#include "gang/gang.h"

static struct px_sched *sched_of(const struct px_grid *grid)
{
    return &grid->device->sched;
}

/* ---- finding streams ---- */

static struct cdp_stream *find_stream(const struct cdp_grid *cg, uint64_t handle, uint64_t cta,
                                      uint64_t thread)
{
    struct cdp_stream *s = cg->streams;
    while (s && (s->handle != handle || s->cta != cta || s->thread != thread)) s = s->next;
    return s;
}

static struct cdp_stream *add_stream(struct px_grid *grid, uint64_t handle, uint64_t cta, uint64_t thread)
{
    struct cdp_grid *cg = cdp_of_grid(grid);
    struct cdp_stream *s = cg ? px_zalloc(&grid->device->alloc, sizeof *s) : NULL;
    if (!s) return NULL;
    *s = (struct cdp_stream){.next = cg->streams, .handle = handle, .cta = cta, .thread = thread};
    return cg->streams = s;
}

/* The NULL stream is the grid's, in the first generation the block's; 2 is the thread's own. */
static struct cdp_stream *stream_for(struct px_call *call, uint64_t handle)
{
    struct cdp_grid *cg = cdp_of_grid(call->grid);
    uint64_t cta = 0, thread = 0;
    if (!cg) return NULL;
    if (handle == CDP_STREAM_LEGACY) handle = CDP_STREAM_NULL;
    if (handle == CDP_STREAM_PER_THREAD) thread = call->thread + 1;
    if (handle == CDP_STREAM_PER_THREAD || (handle == CDP_STREAM_NULL && !cdp_is_second(call)))
        cta = call->cta->number + 1;
    struct cdp_stream *s = find_stream(cg, handle, cta, thread);
    return s || handle > CDP_STREAM_PER_THREAD ? s : add_stream(call->grid, handle, cta, thread);
}

uint64_t cdp_stream_of(const struct px_call *call, unsigned offset, bool per_thread)
{
    const uint64_t handle = cdp_arg64(call, offset);
    return per_thread && handle == CDP_STREAM_NULL ? CDP_STREAM_PER_THREAD : handle;
}

bool cdp_stream_ok(const struct px_call *call, uint64_t stream)
{
    if (stream <= CDP_STREAM_PER_THREAD) return true;
    const struct cdp_grid *cg = call->grid->cdp;
    return cg && find_stream(cg, stream, 0, 0);
}

/* ---- items; the lock is held ---- */

static struct cdp_item *item_new(struct ptx_device *device)
{
    struct cdp_device *cd = cdp_of_device(device);
    struct cdp_item *item = cd ? cd->spare : NULL;
    if (!item) return cd ? px_zalloc(&device->alloc, sizeof *item) : NULL;
    cd->spare = item->next;
    *item = (struct cdp_item){0};
    return item;
}

static void item_free(struct ptx_device *device, struct cdp_item *item)
{
    struct cdp_device *cd = device->cdp;
    item->next = cd->spare;
    cd->spare = item;
}

/* ---- queues ---- */

static void drop_first(const struct px_grid *grid, struct cdp_stream *s)
{
    struct cdp_item *item;
    px_queue_pop(s, item);
    if (item) item_free(grid->device, item);
}

/* Starts the next grid of the stream, doing records and passing waits on the way. True: an event was reached.
 */
static bool advance(struct px_grid *owner, struct cdp_stream *s)
{
    bool reached = false;
    for (struct cdp_item *item; (item = s->first);) {
        if (item->kind == CDP_ITEM_GRID) {
            px_sched_enqueue(item->grid);
            return reached;
        }
        if (item->kind == CDP_ITEM_WAIT && item->event->reached < item->number) return reached;
        if (item->kind == CDP_ITEM_RECORD) {
            item->event->reached = item->number;
            reached = true;
        }
        drop_first(owner, s);
    }
    return reached;
}

/* After an event was reached: streams that begin with a wait may go on, and reach others. */
static void advance_waiting(struct px_grid *owner)
{
    struct cdp_grid *cg = owner->cdp;
    for (bool again = true; again;) {
        again = false;
        for (struct cdp_stream *s = cg->streams; s; s = s->next)
            if (s->first && s->first->kind == CDP_ITEM_WAIT) again |= advance(owner, s);
    }
}

static void append_and_go(struct px_grid *owner, struct cdp_stream *s, struct cdp_item *item)
{
    const bool was_empty = !s->first;
    px_queue_push(s, item);
    if (was_empty && advance(owner, s)) advance_waiting(owner);
}

/* ---- children of a block ---- */

enum { PAGE = 1024 /* CTAs whose counters lie together */ };

static uint64_t page_count(const struct px_grid *grid)
{
    return (grid->ctas + PAGE - 1) / PAGE;
}

uint32_t *cdp_children_of(const struct px_grid *grid, uint64_t cta)
{
    const struct cdp_grid *cg = grid->cdp;
    uint32_t *page = cg && cg->children ? cg->children[cta / PAGE] : NULL;
    return page ? &page[cta % PAGE] : NULL;
}

/* One more; false when out of memory. */
static bool count_child(struct px_grid *grid, uint64_t cta)
{
    const ptx_allocator *alloc = &grid->device->alloc;
    struct cdp_grid *cg = cdp_of_grid(grid);
    if (cg && !cg->children) cg->children = px_zalloc(alloc, page_count(grid) * sizeof *cg->children);
    if (!cg || !cg->children) return false;
    uint32_t **page = &cg->children[cta / PAGE];
    if (!*page) *page = px_zalloc(alloc, PAGE * sizeof **page);
    if (*page) (*page)[cta % PAGE]++;
    return *page != NULL;
}

static void free_children(struct px_grid *grid, struct cdp_grid *cg)
{
    const ptx_allocator *alloc = &grid->device->alloc;
    for (uint64_t i = 0; cg->children && i < page_count(grid); i++)
        px_free(alloc, cg->children[i], PAGE * sizeof *cg->children[i]);
    px_free(alloc, cg->children, page_count(grid) * sizeof *cg->children);
}

/* ---- launches ---- */

static int submit_tail(struct px_call *call, struct cdp_item *item)
{
    struct cdp_grid *cg = cdp_of_grid(call->grid);
    if (!cg) return PX_CUDA_OUT_OF_MEMORY;
    if (call->grid->run->pending + 2 >= call->grid->device->config.pending_launches)
        return CDP_TOO_MANY_PENDING;
    px_sched_adopt(call->grid->run, call->grid, item->grid);
    if (cg->last_tail)
        cg->last_tail->next = item;
    else
        cg->tails = item;
    cg->last_tail = item;
    return PX_CUDA_OK;
}

static int submit_child(struct px_call *call, struct cdp_item *item, uint64_t handle)
{
    struct cdp_stream *s = handle == CDP_STREAM_FIRE_AND_FORGET ? NULL : stream_for(call, handle);
    if (!s && handle != CDP_STREAM_FIRE_AND_FORGET) return PX_CUDA_INVALID_VALUE;
    if (!count_child(call->grid, item->grid->launcher)) return PX_CUDA_OUT_OF_MEMORY;
    item->stream = s;
    item->counted = true;
    px_sched_adopt(call->grid->run, call->grid, item->grid);
    px_sched_count(item->grid);
    if (s)
        append_and_go(call->grid, s, item);
    else
        px_sched_enqueue(item->grid);
    return PX_CUDA_OK;
}

/* At the limit of pending launches a lane waits, unless that cannot help. */
static bool must_wait(struct px_call *call, uint64_t stream, int *error)
{
    struct px_run *run = call->grid->run;
    if (stream == CDP_STREAM_TAIL || run->pending < call->grid->device->config.pending_launches) return false;
    const bool stuck = run->drain == PX_DRAIN_STUCK;
    run->drain = stuck ? PX_DRAIN_NONE : PX_DRAIN_AWAITED;
    if (stuck) *error = CDP_TOO_MANY_PENDING;
    return !stuck;
}

int cdp_may_submit(struct px_call *call, uint64_t stream, bool *park)
{
    struct cdp_device *cd = cdp_of_device(call->grid->device);
    const bool special = stream == CDP_STREAM_TAIL || stream == CDP_STREAM_FIRE_AND_FORGET;
    int error = PX_CUDA_OK;
    *park = false;
    if (!cd) return PX_CUDA_OUT_OF_MEMORY;
    if (special && !cdp_is_second(call)) return PX_CUDA_INVALID_VALUE;
    if (!special && !cdp_stream_ok(call, stream)) return PX_CUDA_INVALID_VALUE;
    *park = must_wait(call, stream, &error);
    return error;
}

int cdp_submit(struct px_call *call, struct px_grid *grid, uint64_t stream)
{
    struct ptx_device *device = call->grid->device;
    struct cdp_item *item = item_new(device);
    if (!item) return PX_CUDA_OUT_OF_MEMORY;
    item->grid = grid;
    grid->item = item;
    grid->launcher = call->cta->number;
    grid->launcher_unit = call->cta->unit;
    const int error = stream == CDP_STREAM_TAIL ? submit_tail(call, item) : submit_child(call, item, stream);
    if (error) {
        grid->item = NULL;
        item_free(device, item);
    } else {
        grid->run->pending++;
    }
    return error;
}

/* ---- what the scheduler tells ---- */

bool cdp_drained(struct px_grid *grid)
{
    struct cdp_grid *cg = grid->cdp;
    if (!cg || !cg->tails) return false;
    struct cdp_item *item = cg->tails;
    cg->tails = item->next;
    if (!cg->tails) cg->last_tail = NULL;
    item->next = NULL;
    px_sched_count(item->grid);
    px_sched_enqueue(item->grid);
    return true;
}

static void free_grid_state(struct px_grid *grid)
{
    const ptx_allocator *alloc = &grid->device->alloc;
    struct cdp_grid *cg = grid->cdp;
    if (!cg) return;
    for (struct cdp_stream *s = cg->streams, *next; s; s = next) {
        next = s->next;
        while (s->first) drop_first(grid, s);
        px_free(alloc, s, sizeof *s);
    }
    for (struct cdp_event *e = cg->events, *next; e; e = next) {
        next = e->next;
        px_free(alloc, e, sizeof *e);
    }
    free_children(grid, cg);
    px_free(alloc, cg, sizeof *cg);
    grid->cdp = NULL;
}

static uint32_t live_events(const struct cdp_grid *cg)
{
    uint32_t n = 0;
    for (const struct cdp_event *e = cg ? cg->events : NULL; e; e = e->next) n += !e->destroyed;
    return n;
}

/* A child has completed: its stream goes on, and lanes that waited for it may look again. */
static void leave_stream(struct px_grid *grid, struct cdp_item *item)
{
    struct cdp_stream *s = item->stream;
    if (!s) {
        item_free(grid->device, item);
        return;
    }
    drop_first(grid, s);
    if (advance(grid->parent, s)) advance_waiting(grid->parent);
}

/* Was it the last child of its block, and does a lane of that wait for this? */
static bool family_complete(const struct px_grid *grid, bool counted)
{
    const struct cdp_grid *parent = grid->parent->cdp;
    return counted && --*cdp_children_of(grid->parent, grid->launcher) == 0 && parent->lanes_sync;
}

void cdp_completed(struct px_grid *grid)
{
    struct ptx_device *device = grid->device;
    struct px_run *run = grid->run;
    struct cdp_item *item = grid->item;
    run->events -= live_events(grid->cdp);
    free_grid_state(grid);
    if (!item) return;
    grid->item = NULL;
    run->pending--;
    const bool counted = item->counted;
    leave_stream(grid, item);
    if (family_complete(grid, counted)) px_sched_wake(run, grid->parent, grid->launcher_unit);
    if (run->drain == PX_DRAIN_AWAITED && run->pending <= device->config.pending_launches / 2) {
        run->drain = PX_DRAIN_NONE; /* all of them ask again: worth it when many can have their way */
        px_sched_wake(run, NULL, 0);
    }
}

/* The launch has failed: everything goes, children first. An item in a stream goes with the stream. */
void cdp_discard(struct px_grid *grid)
{
    struct cdp_item *item = grid->item;
    if (item && !item->stream) item_free(grid->device, item);
    grid->item = NULL;
    free_grid_state(grid);
}

bool cdp_stalled(struct px_run *run)
{
    if (run->drain != PX_DRAIN_AWAITED || !run->blocked.first) return false;
    const bool full = run->pending >= run->root->device->config.pending_launches;
    run->drain = full ? PX_DRAIN_STUCK : PX_DRAIN_NONE;
    px_sched_wake(run, NULL, 0);
    return true;
}

/* ---- calls ---- */

static enum px_ext give_handle(struct px_call *call, uint64_t to, uint64_t handle)
{
    return px_call_write(call, to, &handle, sizeof handle) ? cdp_answer(call, PX_CUDA_OK)
                                                           : cdp_answer(call, PX_CUDA_INVALID_VALUE);
}

/* An H200 takes 0 (cudaStreamDefault) too, against the manual. */
enum px_ext cdp_stream_create(struct px_call *call)
{
    const uint64_t to = cdp_arg64(call, 0);
    struct px_sched *sched = sched_of(call->grid);
    if (!to || cdp_arg32(call, 8) > 1) return cdp_answer(call, PX_CUDA_INVALID_VALUE);
    px_sched_lock(sched);
    struct cdp_device *cd = cdp_of_device(call->grid->device);
    struct cdp_stream *s = cd ? add_stream(call->grid, cd->next_handle, 0, 0) : NULL;
    if (s) cd->next_handle += 16;
    const uint64_t handle = s ? s->handle : 0;
    px_sched_unlock(sched);
    return s ? give_handle(call, to, handle) : cdp_answer(call, PX_CUDA_OUT_OF_MEMORY);
}

/* Work in the stream still completes. Destroying twice is no error on the chip. */
enum px_ext cdp_stream_destroy(struct px_call *call)
{
    return cdp_answer(call,
                      cdp_arg64(call, 0) <= CDP_STREAM_FIRE_AND_FORGET ? PX_CUDA_INVALID_VALUE : PX_CUDA_OK);
}

static struct cdp_event *find_event(const struct px_call *call, uint64_t handle)
{
    const struct cdp_grid *cg = call->grid->cdp;
    struct cdp_event *e = cg ? cg->events : NULL;
    while (e && (e->handle != handle || e->destroyed)) e = e->next;
    return e;
}

static struct cdp_event *add_event(struct px_call *call)
{
    struct ptx_device *device = call->grid->device;
    struct cdp_device *cd = cdp_of_device(device);
    struct cdp_grid *cg =
        cd && call->grid->run->events < 2 * device->config.pending_launches ? cdp_of_grid(call->grid) : NULL;
    struct cdp_event *e = cg ? px_zalloc(&device->alloc, sizeof *e) : NULL;
    if (!e) return NULL;
    *e = (struct cdp_event){.next = cg->events, .handle = cd->next_handle};
    cd->next_handle += 16;
    call->grid->run->events++;
    return cg->events = e;
}

enum px_ext cdp_event_create(struct px_call *call)
{
    const uint64_t to = cdp_arg64(call, 0);
    struct px_sched *sched = sched_of(call->grid);
    if (!to || cdp_arg32(call, 8) != 2) return cdp_answer(call, PX_CUDA_INVALID_VALUE);
    px_sched_lock(sched);
    struct cdp_event *e = add_event(call);
    const uint64_t handle = e ? e->handle : 0;
    px_sched_unlock(sched);
    return e ? give_handle(call, to, handle) : cdp_answer(call, PX_CUDA_OUT_OF_MEMORY);
}

enum px_ext cdp_event_destroy(struct px_call *call)
{
    struct px_sched *sched = sched_of(call->grid);
    px_sched_lock(sched);
    struct cdp_event *e = find_event(call, cdp_arg64(call, 0));
    if (e) {
        e->destroyed = true; /* items may still refer to it */
        call->grid->run->events--;
    }
    px_sched_unlock(sched);
    return cdp_answer(call, e ? PX_CUDA_OK : PX_CUDA_INVALID_VALUE);
}

/* Puts a record of, or a wait for, an event into a stream. The lock is held. */
static int submit_event(struct px_call *call, enum cdp_item_kind kind, uint64_t stream, uint64_t event)
{
    struct cdp_event *e = find_event(call, event);
    if (!e || !cdp_stream_ok(call, stream)) return PX_CUDA_INVALID_VALUE;
    if (kind == CDP_ITEM_WAIT && e->reached >= e->recorded) return PX_CUDA_OK;
    struct cdp_stream *s = stream_for(call, stream);
    struct cdp_item *item = s ? item_new(call->grid->device) : NULL;
    if (!item) return PX_CUDA_OUT_OF_MEMORY;
    if (kind == CDP_ITEM_RECORD) e->recorded++;
    item->kind = (uint8_t)kind;
    item->event = e;
    item->number = e->recorded;
    append_and_go(call->grid, s, item);
    return PX_CUDA_OK;
}

static enum px_ext event_item(struct px_call *call, enum cdp_item_kind kind, uint64_t stream, uint64_t event)
{
    struct px_sched *sched = sched_of(call->grid);
    px_sched_lock(sched);
    const int error = submit_event(call, kind, stream, event);
    px_sched_unlock(sched);
    return cdp_answer(call, error);
}

enum px_ext cdp_event_record(struct px_call *call)
{
    return event_item(call, CDP_ITEM_RECORD, cdp_stream_of(call, 8, false), cdp_arg64(call, 0));
}

enum px_ext cdp_event_record_ptsz(struct px_call *call)
{
    return event_item(call, CDP_ITEM_RECORD, cdp_stream_of(call, 8, true), cdp_arg64(call, 0));
}

static enum px_ext wait_for_event(struct px_call *call, bool per_thread)
{
    if (cdp_arg32(call, 16)) return cdp_answer(call, PX_CUDA_INVALID_VALUE);
    return event_item(call, CDP_ITEM_WAIT, cdp_stream_of(call, 0, per_thread), cdp_arg64(call, 8));
}

enum px_ext cdp_stream_wait(struct px_call *call)
{
    return wait_for_event(call, false);
}

enum px_ext cdp_stream_wait_ptsz(struct px_call *call)
{
    return wait_for_event(call, true);
}
