/*
 * watch.h - events for tools: told where they happen, when somebody watches.
 */
#ifndef PX_VM_DEVICE_WATCH_H
#define PX_VM_DEVICE_WATCH_H

#include <pthread.h>
#include "gang/grid.h"
#include "ptx_watch.h"

struct px_watch {
    ptx_watch_fn fn; /* NULL: nobody watches. Changes only while nothing is under way */
    void *user;
    pthread_mutex_t lock;    /* one event at a time; no other lock is taken inside */
    atomic_uintptr_t teller; /* the thread that is in `fn`; 0: none */
};

/* May the calling thread use the device: it is one, of this process and not of its parent, and the thread is
 * not in the function that watches it. */
bool px_device_usable(const struct ptx_device *device);
/* px_sched.watch: a grid may run now, or has ended. */
void px_watch_grid(struct px_grid *grid, bool end);
/* Sets px_sched.watch when somebody watches, or launches are recorded. */
void px_watch_grids(struct ptx_device *device);
void px_watch_copy(struct ptx_device *device, uint64_t to, uint64_t bytes);
void px_watch_wait(struct ptx_device *device, ptx_stream stream);
ptx_watch_event px_watch_of_grid(const struct px_grid *grid, ptx_watch_kind kind);
void px_watch_tell(struct ptx_device *device, const ptx_watch_event *event);
/* Calls `fn` (NULL: nobody) with it, one event of the device at a time. */
void px_watch_call(struct ptx_device *device, ptx_watch_fn fn, void *user, const ptx_watch_event *event);
void px_watch_leaks(struct ptx_device *device);
ptx_status px_device_watch(struct ptx_device *device, ptx_watch_fn fn, void *user);

#endif
