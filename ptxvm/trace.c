/*
 * trace.c - see trace.h. A line is one instruction for threads of one block:
 *
 *     sum.ptx:21 k block 0,0,0 read global 4: 0-31@0x100000000+4 40@0x100000100
 *
 * or what orders accesses:
 *
 *     sum.ptx:30 k block 0,0,0 arrive at barrier 0: 0-63
 *
 * Threads that follow one another and whose addresses are equally far apart are one item,
 * FIRST-LAST@ADDRESS+STEP.
 */
#include "trace.h"
#include <inttypes.h>
#include <stdbool.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fail.h"

struct trace {
    FILE *file;
    const char *name;
    pthread_mutex_t lock;
};

struct trace *trace_open(const char *file)
{
    if (!file) return NULL;
    struct trace *trace = calloc(1, sizeof *trace);
    if (!trace) fail(EXIT_STOPPED, "out of memory");
    trace->name = file;
    trace->file = strcmp(file, "-") == 0 ? stdout : fopen(file, "w");
    if (!trace->file) fail(EXIT_USAGE, "--trace: '%s' cannot be written", file);
    pthread_mutex_init(&trace->lock, NULL);
    return trace;
}

void trace_close(struct trace *trace)
{
    if (!trace) return;
    const bool ok = !fflush(trace->file) && !ferror(trace->file);
    if (trace->file != stdout) fclose(trace->file);
    if (!ok) fail(EXIT_STOPPED, "--trace: '%s' cannot be written", trace->name);
    pthread_mutex_destroy(&trace->lock);
    free(trace);
}

static const char *how_text(unsigned how)
{
    if ((how & PTX_TRACE_READ) && (how & PTX_TRACE_WRITE)) return "atomic";
    return how & PTX_TRACE_READ ? "read" : "write";
}

/* " acquire.gpu"; nothing of what is weak. */
static void print_order(FILE *file, ptx_trace_order order, ptx_trace_scope scope)
{
    static const char *const orders[] = {"", "relaxed", "acquire", "release", "acq_rel", "sc"};
    static const char *const scopes[] = {"", ".cta", ".cluster", ".gpu", ".sys"};
    if (order) fprintf(file, " %s%s", orders[order], scopes[scope]);
}

static const char *space_text(ptx_count_space space)
{
    static const char *const names[] = {
        [PTX_COUNT_GENERIC] = "generic", [PTX_COUNT_GLOBAL] = "global", [PTX_COUNT_SHARED] = "shared",
        [PTX_COUNT_LOCAL] = "local",     [PTX_COUNT_CONST] = "const",   [PTX_COUNT_PARAM] = "param"};
    return (unsigned)space < sizeof names / sizeof *names ? names[space] : "?";
}

/* How many lanes from i on are one item; all have so many bytes. */
static unsigned run_of(const ptx_trace_access *a, unsigned i)
{
    const ptx_trace_lane *l = a->lanes;
    unsigned n = 1;
    while (i + n < a->nlanes && l[i + n].thread == l[i].thread + n && l[i + n].bytes == l[i].bytes &&
           l[i + n].address - l[i + n - 1].address == l[i + 1].address - l[i].address)
        n++;
    return n;
}

static void print_lanes(FILE *file, const ptx_trace_access *a)
{
    for (unsigned i = 0, n; i < a->nlanes; i += n) {
        const ptx_trace_lane *l = &a->lanes[i];
        n = run_of(a, i);
        if (l->bytes != a->lanes[0].bytes) fprintf(file, " %u bytes:", l->bytes);
        if (n == 1)
            fprintf(file, " %u@0x%" PRIx64, l->thread, l->address);
        else
            fprintf(file, " %u-%u@0x%" PRIx64 "%+" PRId64, l->thread, l->thread + n - 1, l->address,
                    (int64_t)(l[1].address - l->address));
    }
}

void trace_access(void *user, const ptx_trace_access *a)
{
    struct trace *trace = user;
    pthread_mutex_lock(&trace->lock);
    fprintf(trace->file, "%s:%u %s block %u,%u,%u %s", a->at->file, a->at->line, a->at->kernel, a->cta[0],
            a->cta[1], a->cta[2], how_text(a->how));
    print_order(trace->file, a->order, a->scope);
    fprintf(trace->file, "%s %s %u:", a->how & PTX_TRACE_ASYNC ? " async" : "", space_text(a->space),
            a->lanes[0].bytes);
    print_lanes(trace->file, a);
    fputc('\n', trace->file);
    pthread_mutex_unlock(&trace->lock);
}

/* ---- what orders them ---- */

static void print_grid(FILE *file, const ptx_trace_event *e)
{
    fprintf(file, "grid %" PRIu64 " %s %s", e->grid, e->kernel,
            e->kind == PTX_TRACE_GRID_BEGIN ? "begins" : "ends");
    if (e->parent) fprintf(file, ", launched by grid %" PRIu64, e->parent);
}

static void print_kind(FILE *file, const ptx_trace_event *e)
{
    switch (e->kind) {
    case PTX_TRACE_BLOCK_BEGIN: fprintf(file, " begins"); break;
    case PTX_TRACE_BLOCK_END: fprintf(file, " ends"); break;
    case PTX_TRACE_BARRIER_ARRIVE: fprintf(file, " arrive at barrier %" PRIu64, e->number); break;
    case PTX_TRACE_BARRIER_LEAVE: fprintf(file, " leave barrier %" PRIu64, e->number); break;
    case PTX_TRACE_WARP_ARRIVE: fprintf(file, " arrive at warp barrier 0x%" PRIx64, e->number); break;
    case PTX_TRACE_WARP_LEAVE: fprintf(file, " leave warp barrier 0x%" PRIx64, e->number); break;
    case PTX_TRACE_FENCE: fprintf(file, " fence"); break;
    case PTX_TRACE_GRID_ARRIVE: fprintf(file, " arrive at the grid's barrier"); break;
    case PTX_TRACE_GRID_LEAVE: fprintf(file, " leave the grid's barrier"); break;
    case PTX_TRACE_COMMIT: fprintf(file, " commit"); break;
    default: fprintf(file, e->count ? " wait for all copies" : " wait for groups but %" PRIu64, e->number);
    }
    if (e->kind == PTX_TRACE_BARRIER_ARRIVE && e->count) fprintf(file, " for %u", e->count);
    print_order(file, e->order, e->scope);
}

static void print_threads(FILE *file, const ptx_trace_event *e)
{
    for (unsigned i = 0, n; i < e->nthreads; i += n) {
        const unsigned *t = &e->threads[i];
        for (n = 1; i + n < e->nthreads && t[n] == t[0] + n;) n++;
        fprintf(file, n > 1 ? "%s%u-%u" : "%s%u", i ? "," : ": ", t[0], t[0] + n - 1);
    }
}

void trace_event(void *user, const ptx_trace_event *e)
{
    struct trace *trace = user;
    pthread_mutex_lock(&trace->lock);
    if (e->kind == PTX_TRACE_GRID_BEGIN || e->kind == PTX_TRACE_GRID_END) {
        print_grid(trace->file, e);
    } else {
        if (e->at) fprintf(trace->file, "%s:%u %s ", e->at->file, e->at->line, e->at->kernel);
        fprintf(trace->file, "block %u,%u,%u", e->cta[0], e->cta[1], e->cta[2]);
        print_kind(trace->file, e);
        if (e->threads) print_threads(trace->file, e);
    }
    fputc('\n', trace->file);
    pthread_mutex_unlock(&trace->lock);
}
