/* notice.h - what kernels did that a person should know (ptx_device_config.notice). */
#ifndef PTXVM_NOTICE_H
#define PTXVM_NOTICE_H

#include <ptx_watch.h>
#include <stdbool.h>

/* The first of its kind at a place; strings are its own. */
struct notice {
    struct notice *next;
    char *key, *kernel, *parent, *call, *reason, *file, *source, *allocation;
    ptx_watch_kind kind;
    unsigned line, column, depth, block[3], thread[3];
    int error;
    uint64_t stream, address, count;
};

struct notices {
    struct notice *first; /* the last comes first */
    bool quiet;           /* kept, and not printed */
};

/* A ptx_watch_fn whose `user` is a struct notices. */
void notice(void *user, const ptx_watch_event *event);
/* How often, of those that came more than once. */
void notices_end(const struct notices *list);
bool notices_refused(const struct notices *list);
void notices_free(struct notices *list);

#endif
