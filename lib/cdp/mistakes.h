/*
 * mistakes.h - what code generators get wrong about launches by kernels, found while it happens
 * (PTX_CHECK_LAUNCH of ptx_check.h; docs/launches.md lists all of it).
 *
 * The device runtime tells of parameter buffers and launches, the trace of stores into buffers and of reads
 * and writes of memory. Buffers stay allocated for a while after their launch, so that one that is launched
 * again, or stored into, is recognised. One lock guards all of it.
 */
#ifndef PX_CDP_MISTAKES_H
#define PX_CDP_MISTAKES_H

#include "cdp/state.h"
#include "ptx_check.h"
#include "ptx_trace.h"

struct px_mistakes;

/* Who else hears of the events; each may be NULL. */
struct px_mistakes_next {
    ptx_trace_fn trace;
    ptx_trace_event_fn event;
    ptx_trace_memory_fn memory;
    void *user;
};

/* NULL: out of memory. */
struct px_mistakes *px_mistakes_new(const ptx_allocator *alloc, const struct px_mistakes_next *next);
void px_mistakes_free(struct px_mistakes *m); /* NULL is allowed */
/* ptx_device_config.trace, .trace_event and .trace_memory; `user` is the px_mistakes. */
void px_mistakes_access(void *user, const ptx_trace_access *access);
void px_mistakes_event(void *user, const ptx_trace_event *event);
int px_mistakes_memory(void *user, const ptx_trace_memory *event);
/* Launches were cleared, or a program goes: no place in either is remembered, but findings stay. */
void px_mistakes_forget(struct px_mistakes *m);
/* ptx_device_findings. */
ptx_status px_mistakes_tell(struct px_mistakes *m, ptx_check_fn tell, void *user);

/* ---- of the device runtime; nothing happens on a device that does not check launches ---- */

/* A buffer was given: of `what`, whose kernel is NULL in the first generation. */
void cdp_mistake_buffer(const struct px_call *call, uint64_t va, const struct cdp_buffer *what,
                        uint64_t alignment);
/* A grid is about to be launched with the buffer at va; `what` is the launch. */
void cdp_mistake_launch(const struct px_call *call, uint64_t va, const struct cdp_buffer *what,
                        const struct px_lfunc *made_for);
/* There is no such buffer. */
void cdp_mistake_no_buffer(const struct px_call *call, uint64_t va);
/* Every thread that its block launched for has waited. */
void cdp_mistake_waited(const struct px_call *call);
/* A run is over with this buffer not launched. */
void cdp_mistake_unused(struct ptx_device *device, uint64_t va);
/* Gives the memory of a buffer back, now or later. */
void cdp_buffer_release(struct ptx_device *device, uint64_t va);
/* A call of the device runtime. */
void cdp_mistake_prototype(const struct px_call *call);

#endif
