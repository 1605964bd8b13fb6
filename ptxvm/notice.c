/* notice.c - launches by kernels that were refused, and writes past allocations: told once a place. */
#include "notice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fail.h"

static void add_key(char *key, size_t size, const ptx_watch_event *e)
{
    snprintf(key, size, "%d %s:%u:%u %s %s %d", (int)e->kind, e->file, e->line, e->column, e->kernel, e->call,
             e->cuda_error);
}

void notice(void *user, const ptx_watch_event *event)
{
    struct notices *list = user;
    char key[1200], words[2400];
    add_key(key, sizeof key, event);
    struct notice *n = list->first;
    while (n && strcmp(n->key, key) != 0) n = n->next;
    if (n) {
        n->count++;
        return;
    }
    ptx_watch_words(event, words, sizeof words);
    n = must_alloc(sizeof *n);
    *n = (struct notice){
        .next = list->first,
        .key = must_copy(key, strlen(key)),
        .kind = event->kind,
        .kernel = must_copy(event->kernel, strlen(event->kernel)),
        .parent = must_copy(event->parent_kernel, strlen(event->parent_kernel)),
        .call = must_copy(event->call, strlen(event->call)),
        .reason = must_copy(event->reason ? event->reason : "", strlen(event->reason ? event->reason : "")),
        .file = must_copy(event->file, strlen(event->file)),
        .source = must_copy(event->source, strlen(event->source)),
        .allocation = must_copy(event->allocation, strlen(event->allocation)),
        .line = event->line,
        .column = event->column,
        .depth = event->depth,
        .error = event->cuda_error,
        .stream = event->device_stream,
        .address = event->address,
        .count = 1};
    memcpy(n->block, event->cta, sizeof n->block);
    memcpy(n->thread, event->thread, sizeof n->thread);
    list->first = n;
    if (!list->quiet) fprintf(stderr, "ptxvm: %s", words);
}

void notices_end(const struct notices *list)
{
    for (const struct notice *n = list->first; n && !list->quiet; n = n->next)
        if (n->count > 1)
            fprintf(stderr, "ptxvm: refused %llu times: %s:%u: %s: %s\n", (unsigned long long)n->count,
                    n->file, n->line, n->call, n->reason);
}

bool notices_refused(const struct notices *list)
{
    bool any = false;
    for (const struct notice *n = list->first; n; n = n->next) any |= n->kind == PTX_WATCH_REFUSED;
    return any;
}

void notices_free(struct notices *list)
{
    for (struct notice *n = list->first, *next; n; n = next) {
        next = n->next;
        char *const texts[] = {n->key,    n->kernel, n->parent, n->call,
                               n->reason, n->file,   n->source, n->allocation};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
        free(n);
    }
    list->first = NULL;
}
