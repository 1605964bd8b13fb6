/*
 * api/notice.c - events of ptx_watch.h in words, for tools that tell people.
 */
#include "ptx_watch.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct words {
    char *at;
    size_t size, used; /* used: also what did not fit */
};

__attribute__((format(printf, 2, 3))) static void add(struct words *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const size_t room = w->used < w->size ? w->size - w->used : 0;
    const int n = vsnprintf(room ? w->at + w->used : NULL, room, format, args);
    va_end(args);
    if (n > 0) w->used += (size_t)n;
}

static void add_place(struct words *w, const ptx_watch_event *e)
{
    const char *before = *e->source ? " (" : "", *behind = *e->source ? ")" : "";
    if (e->line && strchr(e->file, ' '))
        add(w, "  at           %s, line %u%s%s%s\n", e->file, e->line, before, e->source, behind);
    else if (e->line)
        add(w, "  at           %s:%u:%u%s%s%s\n", e->file, e->line, e->column, before, e->source, behind);
    if (*e->instruction) add(w, "  instruction  %s\n", e->instruction);
}

static void add_thread(struct words *w, const ptx_watch_event *e)
{
    add(w, "  in           block (%u,%u,%u), thread (%u,%u,%u)\n", e->cta[0], e->cta[1], e->cta[2],
        e->thread[0], e->thread[1], e->thread[2]);
}

static void add_refused(struct words *w, const ptx_watch_event *e)
{
    add(w, "launch by a kernel refused: %s\n", e->reason);
    add(w, "  call         %s: error %d\n", e->call, e->cuda_error);
    if (*e->kernel)
        add(w, "  kernel       %s <<<(%u,%u,%u), (%u,%u,%u), %u>>>, depth %u, stream %llu\n", e->kernel,
            e->shape[0], e->shape[1], e->shape[2], e->block[0], e->block[1], e->block[2], e->shared_bytes,
            e->depth, (unsigned long long)e->device_stream);
    add(w, "  launched by  %s\n", e->parent_kernel);
    add_place(w, e);
    add_thread(w, e);
}

static void add_past(struct words *w, const ptx_watch_event *e)
{
    add(w, "write of %llu bytes at 0x%llx: past an allocation; a chip goes on (ub=chip)\n",
        (unsigned long long)e->bytes, (unsigned long long)e->address);
    add(w, "  kernel       %s\n", e->kernel);
    add_place(w, e);
    add_thread(w, e);
    add(w, "  allocation   %s\n", e->allocation);
}

PTX_API size_t ptx_watch_words(const ptx_watch_event *event, char *buf, size_t size)
{
    struct words w = {buf, size, 0};
    if (size) *buf = 0;
    if (event && event->kind == PTX_WATCH_REFUSED) add_refused(&w, event);
    if (event && event->kind == PTX_WATCH_PAST) add_past(&w, event);
    return w.used;
}
