/*
 * copy.c - rows of bytes from one place to another.
 *
 * A place is looked up as one block when it is, else row by row. What is
 * submitted is looked up twice, when it is asked for and when its turn comes,
 * because memory may go meanwhile.
 */
#include "vm/queue/copy.h"
#include "vm/device/device.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PART = 64 << 20 /* bytes between two looks at the limits */, ROWS_A_LOOK = 4096 };

/* One end while it is being worked on. */
struct end {
    ptx_place place;
    uint8_t *base;              /* of the whole, when it is one block */
    uint64_t failed;            /* the address of the row that is in no memory */
    struct px_array *array;     /* held while it is used; NULL */
    struct ptx_program *holder; /* likewise: of a const window */
    bool missing;               /* the array is not there, or smaller */
};

/* Bytes from the first to behind the last; 0 when that is beyond all addresses. */
static uint64_t span(const ptx_place *p, const struct px_copy *c)
{
    uint64_t rows, slices, bytes;
    if (__builtin_mul_overflow(p->pitch, c->height - 1, &rows)) return 0;
    if (__builtin_mul_overflow(p->slice, c->depth - 1, &slices)) return 0;
    if (__builtin_add_overflow(rows, slices, &bytes)) return 0;
    return __builtin_add_overflow(bytes, c->width, &bytes) ? 0 : bytes;
}

/* Are `n` from `at` on within `size`? */
static bool within(uint64_t at, uint64_t n, uint64_t size)
{
    return at <= size && n <= size - at;
}

/* The array's texels as a place of the host; what is missing is the caller's to say. */
static struct end open_array(const struct px_copy_array *a, const struct px_copy *c)
{
    struct end e = {.missing = true};
    const struct px_image *image = px_array_hold(a->device, a->number, &e.array);
    const struct px_image_level *l = image ? &image->level[0] : NULL;
    if (!l || !within(a->x, c->width, (uint64_t)l->width * px_image_texel(image)) ||
        !within(a->y, c->height, l->height) || !within(a->z, c->depth, (uint64_t)l->depth * image->layers))
        return e;
    e.place.pitch = l->pitch;
    e.place.slice = l->slice;
    e.base = image->data + l->offset + a->z * l->slice + a->y * l->pitch + a->x;
    e.missing = false;
    return e;
}

static struct end open_end(const ptx_place *p, const struct px_copy_array *array, const struct px_copy *c)
{
    struct end e = {.place = *p};
    if (array->number)
        e = open_array(array, c);
    else if (p->host)
        e.base = p->host;
    else
        e.base = px_device_host(p->device, p->address, span(p, c), &e.holder);
    return e;
}

/* Memory of a graph that is none before its node: whether it is then is seen in its turn. */
static bool sleeps(const ptx_place *p, const struct px_copy_array *array)
{
    struct px_extent block;
    enum px_mem_kind kind;
    return !array->number && !p->host && px_mem_block(&p->device->mem, p->address, &block, &kind) &&
           kind == PX_MEM_DORMANT;
}

/* Both ends of a copy while it is being worked on. */
struct ends {
    struct end to, from;
};

/* Devices whose memory is copied, the one with the lower address first; NULL: the end is none. */
static void gates(const struct px_copy *c, struct px_gate *gate[2])
{
    struct ptx_device *to = c->to_array.number || c->to.host ? NULL : c->to.device;
    struct ptx_device *from = c->fill || c->from_array.number || c->from.host ? NULL : c->from.device;
    const bool swap = (uintptr_t)from < (uintptr_t)to;
    if (from == to) from = NULL;
    gate[swap] = to ? &to->copies : NULL;
    gate[!swap] = from ? &from->copies : NULL;
}

static struct ends open_ends(const struct px_copy *c)
{
    struct px_gate *gate[2];
    gates(c, gate);
    for (int i = 0; i < 2; i++)
        if (gate[i]) px_gate_enter(gate[i]);
    struct ends e = {.to = open_end(&c->to, &c->to_array, c)};
    if (!c->fill) e.from = open_end(&c->from, &c->from_array, c);
    return e;
}

static void close_ends(const struct px_copy *c, struct ends *e)
{
    px_array_release(c->to_array.device, e->to.array);
    px_array_release(c->from_array.device, e->from.array);
    px_program_release(e->to.holder);
    px_program_release(e->from.holder);
    struct px_gate *gate[2];
    gates(c, gate);
    for (int i = 0; i < 2; i++)
        if (gate[i]) px_gate_leave(gate[i]);
}

static uint8_t *row_of(struct end *e, const struct px_copy *c, uint64_t y, uint64_t z)
{
    const uint64_t offset = z * e->place.slice + y * e->place.pitch;
    if (e->base) return e->base + offset;
    if (e->missing) return NULL;
    struct ptx_program *holder;
    uint8_t *row = px_device_host(e->place.device, e->place.address + offset, c->width, &holder);
    px_program_release(e->holder);
    e->holder = holder;
    if (!row) e->failed = e->place.address + offset;
    return row;
}

static void fill_row(uint8_t *to, const struct px_copy *c)
{
    if (c->fill == 1) {
        memset(to, (int)(c->value & 0xff), c->width);
        return;
    }
    for (uint64_t at = 0; at < c->width; at += c->fill) memcpy(to + at, &c->value, c->fill);
}

/* In parts, upwards or downwards, so that overlapping memory moves right. False: the run is to stop. */
static bool copy_row(uint8_t *to, const uint8_t *from, uint64_t width, struct px_run *run)
{
    const bool down = from < to;
    for (uint64_t done = 0, n; done < width; done += n) {
        n = width - done < PART ? width - done : PART;
        const uint64_t at = down ? width - done - n : done;
        memmove(to + at, from + at, n);
        if (run && n == PART && px_sched_due(run)) return false;
    }
    return true;
}

enum outcome { DONE, STOPPED, OUTSIDE };

static bool is_memory(const ptx_place *p, const struct px_copy_array *array)
{
    return !array->number && !p->host;
}

/* What the row does to memory of devices. */
static void trace_row(const struct px_copy *c, uint64_t y, uint64_t z)
{
    const bool writes = is_memory(&c->to, &c->to_array),
               reads = !c->fill && is_memory(&c->from, &c->from_array);
    const uint64_t to = c->to.address + z * c->to.slice + y * c->to.pitch,
                   from = c->from.address + z * c->from.slice + y * c->from.pitch;
    if (writes && reads && c->to.device == c->from.device) {
        px_traced_copy(c->to.device, PTX_TRACE_COPY, to, from, c->width);
        return;
    }
    if (writes) px_traced_copy(c->to.device, PTX_TRACE_HOST_WRITE, to, 0, c->width);
    if (reads) px_traced_copy(c->from.device, PTX_TRACE_HOST_READ, from, 0, c->width);
}

static enum outcome one_row(const struct px_copy *c, struct end *to, struct end *from, uint64_t y, uint64_t z,
                            struct px_run *run)
{
    uint8_t *target = row_of(to, c, y, z);
    const uint8_t *source = c->fill ? target : row_of(from, c, y, z);
    if (!target || !source) return OUTSIDE;
    trace_row(c, y, z);
    if (c->fill)
        fill_row(target, c);
    else if (!copy_row(target, source, c->width, run))
        return STOPPED;
    return run && y % ROWS_A_LOOK == ROWS_A_LOOK - 1 && px_sched_due(run) ? STOPPED : DONE;
}

static enum outcome all_rows(const struct px_copy *c, struct ends *e, struct px_run *run)
{
    enum outcome outcome = DONE;
    if (c->width)
        for (uint64_t z = 0; z < c->depth; z++)
            for (uint64_t y = 0; y < c->height; y++)
                if ((outcome = one_row(c, &e->to, &e->from, y, z, run)) != DONE) return outcome;
    return outcome;
}

static void say_outside(const struct px_copy *c, const struct ends *e, char *buf, size_t size)
{
    const struct end *to = &e->to, *from = &e->from;
    if (to->missing || from->missing)
        snprintf(buf, size, "copy: the array %s does not have what is copied, or was destroyed",
                 to->missing ? "that is written" : "that is read");
    else
        snprintf(buf, size, "%s: %" PRIu64 " bytes at 0x%" PRIx64 " are not inside one allocation",
                 c->fill ? "fill" : "copy", c->width, to->failed ? to->failed : from->failed);
}

/* ---- asked for ---- */

static bool take_place(struct ptx_device *device, ptx_place *p, const struct px_copy *c)
{
    if (!p->host && !p->device) p->device = device;
    if (c->height > 1 && !p->pitch) p->pitch = c->width;
    if (c->depth > 1 && !p->slice) p->slice = p->pitch ? p->pitch * c->height : c->width * c->height;
    if (!c->width) return true;
    return span(p, c) && (c->height == 1 || p->pitch >= c->width) &&
           (c->depth == 1 || p->slice >= p->pitch * (c->height - 1) + c->width);
}

/* Does each row lie in memory now? */
static ptx_status probe(struct ptx_device *device, const struct px_copy *c)
{
    char why[200];
    struct ends e = open_ends(c);
    bool ok = !c->width || (e.to.base && (c->fill || e.from.base)) || sleeps(&c->to, &c->to_array) ||
              (!c->fill && sleeps(&c->from, &c->from_array));
    if (!ok) {
        ok = true;
        for (uint64_t z = 0; ok && z < c->depth; z++)
            for (uint64_t y = 0; ok && y < c->height; y++)
                ok = row_of(&e.to, c, y, z) && (c->fill || row_of(&e.from, c, y, z));
    }
    if (!ok) say_outside(c, &e, why, sizeof why);
    close_ends(c, &e);
    return ok ? PTX_OK : px_device_refuse(device, why);
}

ptx_status px_copy_take(struct ptx_device *device, const ptx_copy *copy, struct px_copy *c)
{
    *c = (struct px_copy){.to = copy->to,
                          .from = copy->from,
                          .width = copy->width,
                          .height = copy->height ? copy->height : 1,
                          .depth = copy->depth ? copy->depth : 1};
    if (!take_place(device, &c->to, c) || !take_place(device, &c->from, c))
        return px_device_refuse(
            device, "copy: rows or slices lie closer together than they are long, or beyond all addresses");
    return probe(device, c);
}

static struct px_copy_array take_array(struct ptx_device *device, const ptx_array_place *p)
{
    return (struct px_copy_array){p->place.device ? p->place.device : device, p->array, p->x, p->y, p->z};
}

ptx_status px_array_copy_take(struct ptx_device *device, const ptx_array_copy *copy, struct px_copy *c)
{
    *c = (struct px_copy){.to = copy->to.place,
                          .from = copy->from.place,
                          .to_array = take_array(device, &copy->to),
                          .from_array = take_array(device, &copy->from),
                          .width = copy->width,
                          .height = copy->height ? copy->height : 1,
                          .depth = copy->depth ? copy->depth : 1};
    if ((!copy->to.array && !take_place(device, &c->to, c)) ||
        (!copy->from.array && !take_place(device, &c->from, c)))
        return px_device_refuse(
            device, "copy: rows or slices lie closer together than they are long, or beyond all addresses");
    return probe(device, c);
}

ptx_status px_fill_take(struct ptx_device *device, const ptx_fill *fill, struct px_copy *c)
{
    const unsigned element = fill->element ? fill->element : 1;
    if (element != 1 && element != 2 && element != 4)
        return px_device_refuse(device, "fill: elements have 1, 2 or 4 bytes");
    *c = (struct px_copy){.to = {.address = fill->to, .pitch = fill->pitch, .slice = fill->slice},
                          .height = fill->height ? fill->height : 1,
                          .depth = fill->depth ? fill->depth : 1,
                          .value = fill->value,
                          .fill = (uint8_t)element};
    if (__builtin_mul_overflow(fill->width, (uint64_t)element, &c->width) || fill->to % element ||
        !take_place(device, &c->to, c))
        return px_device_refuse(
            device, "fill: the address is misaligned, rows lie closer together than they are long, or "
                    "beyond all addresses");
    return probe(device, c);
}

ptx_status px_copy_now(struct ptx_device *device, const struct px_copy *c)
{
    char why[200];
    struct ends e = open_ends(c);
    px_watch_copy(device, c->to.address, px_copy_bytes(c));
    const bool done = all_rows(c, &e, NULL) == DONE;
    if (!done) say_outside(c, &e, why, sizeof why);
    close_ends(c, &e);
    return done ? PTX_OK : px_device_refuse(device, why);
}

uint64_t px_copy_bytes(const struct px_copy *c)
{
    return c->width * c->height * c->depth;
}

/* ---- in its turn ---- */

static bool run_copy(struct px_grid *grid, struct px_trap *trap)
{
    struct px_copy c;
    memcpy(&c, grid->params, sizeof c);
    struct ends e = open_ends(&c);
    const enum outcome outcome = all_rows(&c, &e, grid->run);
    if (outcome == OUTSIDE) {
        trap->error = PX_CUDA_ILLEGAL_ADDRESS;
        trap->address = e.to.failed ? e.to.failed : e.from.failed;
        say_outside(&c, &e, trap->text, sizeof trap->text);
    }
    close_ends(&c, &e);
    return outcome == DONE;
}

struct px_grid *px_copy_grid(struct ptx_device *device, const struct px_copy *copy)
{
    struct px_grid *grid = px_grid_create_native(device, run_copy, copy, sizeof *copy);
    if (!grid) return NULL;
    grid->copy_to = copy->to.address;
    grid->copy_bytes = px_copy_bytes(copy);
    return grid;
}
