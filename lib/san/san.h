/*
 * san.h - the library's own checks: a consumer of the events of ptx_trace.h.
 *
 * One lock guards all of it. Blocks run on one worker (ptx_device_config.check sees to that), so it is free
 * nearly always, and the order of events is the order of execution.
 */
#ifndef PX_SAN_SAN_H
#define PX_SAN_SAN_H

#include "ptx_check.h"
#include "ptx_trace.h"

struct px_san;

/* Who else hears of the events; each may be NULL. */
struct px_san_next {
    ptx_trace_fn trace;
    ptx_trace_event_fn event;
    ptx_trace_memory_fn memory;
    void *user;
};

/* ptx_trace_where */
typedef void (*px_san_where_fn)(const ptx_trace_access *access, ptx_address address, char *words,
                                size_t size);

/* NULL: out of memory. */
struct px_san *px_san_new(const ptx_allocator *alloc, unsigned checks, const struct px_san_next *next,
                          px_san_where_fn where);
void px_san_free(struct px_san *san); /* NULL is allowed */

/* ptx_device_config.trace, .trace_event and .trace_memory; `user` is the px_san. */
void px_san_access(void *user, const ptx_trace_access *access);
void px_san_event(void *user, const ptx_trace_event *event);
int px_san_memory(void *user, const ptx_trace_memory *event);

/* ptx_device_findings. */
ptx_status px_san_tell(struct px_san *san, ptx_check_fn tell, void *user);

#endif
