/*
 * handle.h - numbers that stand for streams, events, launches and graphs.
 *
 * The embedder holds numbers, not pointers, so one that was destroyed, or is of
 * another kind, is found out. A place is used again under another number.
 */
#ifndef PX_VM_DEVICE_HANDLE_H
#define PX_VM_DEVICE_HANDLE_H

#include <stdint.h>
#include "base/alloc.h"

enum px_handle_kind {
    PX_HANDLE_NONE,
    PX_HANDLE_STREAM,
    PX_HANDLE_EVENT,
    PX_HANDLE_LAUNCH,
    PX_HANDLE_GRAPH,
    PX_HANDLE_NODE,
    PX_HANDLE_EXEC,
    PX_HANDLE_POOL,
    PX_HANDLE_PHYSICAL,
    PX_HANDLE_ARRAY
};

struct px_handles {
    struct px_handle {
        void *object; /* of a free place: NULL */
        uint32_t generation, next_free;
        uint8_t kind; /* enum px_handle_kind */
    } * at;
    uint32_t n, cap, free; /* free: number of a free place + 1 */
};

/* 0: no memory. */
uint64_t px_handle_add(struct px_handles *handles, const ptx_allocator *alloc, enum px_handle_kind kind,
                       void *object);
/* NULL when there is none of this kind and number. */
void *px_handle_get(const struct px_handles *handles, enum px_handle_kind kind, uint64_t number);
/* The same; the number is no longer valid. */
void *px_handle_drop(struct px_handles *handles, enum px_handle_kind kind, uint64_t number);
void px_handles_free(struct px_handles *handles, const ptx_allocator *alloc);

#endif
