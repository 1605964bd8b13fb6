/*
 * timeline.c - the list of launches as a trace of events, for chrome://tracing and Perfetto.
 *
 * The form is the "Trace Event Format": what the host launched is a complete event ("X") in a row of its
 * stream; what kernels launched, which may overlap in any way, is a pair of nestable asynchronous events
 * ("b", "e") whose id is the number of the grid. Times are microseconds.
 */
#include <inttypes.h>
#include <string.h>
#include "launches/launches.h"

enum { HOST = 1, KERNELS = 2 /* processes of the trace */ };

/* A row of the host's process. */
struct row {
    struct row *next;
    const char *stream;
    unsigned number;
};

static void put_string(struct px_out *out, const char *text)
{
    px_out_text(out, "\"");
    for (; *text; text++) {
        const char one[2] = {*text, 0};
        if ((unsigned char)*text < 32 || *text == '"' || *text == '\\')
            px_out(out, "\\u%04x", (unsigned char)*text);
        else
            px_out_text(out, one);
    }
    px_out_text(out, "\"");
}

static void put_name(struct px_out *out, const char *what, unsigned process, unsigned row, const char *name)
{
    px_out(out, "{\"ph\": \"M\", \"name\": \"%s\", \"pid\": %u, \"tid\": %u, \"args\": {\"name\": ", what,
           process, row);
    put_string(out, name);
    px_out_text(out, "}},\n");
}

/* The row of a stream; a new one gets its name first. */
static unsigned row_of(struct px_arena *arena, struct row **rows, const char *stream, struct px_out *out)
{
    for (const struct row *r = *rows; r; r = r->next)
        if (strcmp(r->stream, stream) == 0) return r->number;
    struct row *made = PX_NEW(arena, struct row);
    *made = (struct row){*rows, stream, *rows ? (*rows)->number + 1 : 1};
    *rows = made;
    put_name(out, "thread_name", HOST, made->number, *stream ? stream : "no stream");
    return made->number;
}

static void put_time(struct px_out *out, const char *name, uint64_t ns)
{
    px_out(out, ", \"%s\": %" PRIu64 ".%03u", name, ns / 1000, (unsigned)(ns % 1000));
}

static void put_args(struct px_arena *arena, const struct px_launch *r, struct px_out *out)
{
    px_out(out, ", \"args\": {\"grid\": %" PRIu64, r->number);
    if (r->parent) px_out(out, ", \"parent\": %" PRIu64, r->parent->number);
    px_out_text(out, ", \"shape\": ");
    put_string(out, px_launch_shape(arena, r));
    px_out(out, ", \"blocks\": %" PRIu64 ", \"instructions\": %" PRIu64, px_launch_blocks(r),
           (uint64_t)atomic_load_explicit(&r->instructions, memory_order_relaxed));
    px_out_text(out, ", \"stream\": ");
    put_string(out, px_launch_stream(arena, r));
    px_out_text(out, ", \"at\": ");
    put_string(out, r->place ? px_launch_place_text(arena, r) : r->api ? r->api : "");
    px_out_text(out, "}");
}

static void put_of_host(struct px_arena *arena, const struct px_launch *r, struct row **rows,
                        struct px_out *out)
{
    const unsigned row = row_of(arena, rows, px_launch_stream(arena, r), out);
    px_out_text(out, "{\"name\": ");
    put_string(out, px_launch_kernel_name(arena, r));
    px_out(out, ", \"cat\": \"grid\", \"ph\": \"X\", \"pid\": %u, \"tid\": %u", HOST, row);
    put_time(out, "ts", r->begin_ns);
    put_time(out, "dur", r->end_ns - r->begin_ns);
    put_args(arena, r, out);
    px_out_text(out, "},\n");
}

static void put_half(struct px_arena *arena, const struct px_launch *r, bool end, struct px_out *out)
{
    px_out_text(out, "{\"name\": ");
    put_string(out, px_launch_kernel_name(arena, r));
    px_out(out,
           ", \"cat\": \"grid of a kernel\", \"ph\": \"%c\", \"id\": \"%" PRIu64
           "\", \"pid\": %u, \"tid\": %u",
           end ? 'e' : 'b', r->number, KERNELS, r->depth);
    put_time(out, "ts", end ? r->end_ns : r->begin_ns);
    if (!end) put_args(arena, r, out);
    px_out_text(out, "},\n");
}

void px_launches_timeline(struct px_arena *arena, const struct px_launches *l, struct px_out *out)
{
    struct row *rows = NULL;
    px_out_text(out, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    put_name(out, "process_name", KERNELS, 0, "grids launched by kernels");
    for (const struct px_launch *r = l->first; r && !out->stopped; r = r->next) {
        if (r->error || !r->begun || r->end_ns < r->begin_ns) continue;
        if (r->parent) {
            put_half(arena, r, false, out);
            put_half(arena, r, true, out);
        } else {
            put_of_host(arena, r, &rows, out);
        }
    }
    px_out(
        out,
        "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %u, \"tid\": 0, \"args\": {\"name\": \"grids "
        "launched by the host\"}}\n]}\n",
        HOST);
}
