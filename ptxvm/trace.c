/*
 * trace.c - see trace.h. A line is one instruction for threads of one block:
 *
 *     sum.ptx:21 k block 0,0,0 read global 4: 0-31@0x100000000+4 40@0x100000100
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
    if (how & PTX_TRACE_ASYNC) return how & PTX_TRACE_READ ? "read async" : "write async";
    if ((how & PTX_TRACE_READ) && (how & PTX_TRACE_WRITE)) return "atomic";
    if (how & PTX_TRACE_ATOMIC) return how & PTX_TRACE_READ ? "read strong" : "write strong";
    return how & PTX_TRACE_READ ? "read" : "write";
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
    fprintf(trace->file, "%s:%u %s block %u,%u,%u %s %s %u:", a->file, a->line, a->kernel, a->cta[0],
            a->cta[1], a->cta[2], how_text(a->how), space_text(a->space), a->lanes[0].bytes);
    print_lanes(trace->file, a);
    fputc('\n', trace->file);
    pthread_mutex_unlock(&trace->lock);
}
