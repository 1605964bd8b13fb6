/*
 * state.h - what the device runtime remembers: of a device, of a grid that
 * launched something, of its streams and events. Counters of a launch stand in px_run. All of it is guarded
 * by the scheduler's lock.
 */
#ifndef PX_CDP_STATE_H
#define PX_CDP_STATE_H

#include <locale.h>
#include "cdp/cdp.h"
#include "vm/run/extern.h"

/* cudaError_t values that calls answer; PX_CUDA_* of gang/trap.h are among them. */
enum {
    CDP_INVALID_CONFIGURATION = 9,
    CDP_FILE_SCOPED_TEXTURE = 66,
    CDP_FILE_SCOPED_SURFACE = 67,
    CDP_INVALID_COPY_DIRECTION = 21,
    CDP_TOO_DEEP = 65,
    CDP_SYNC_TOO_DEEP = 68,
    CDP_TOO_MANY_PENDING = 69,
    CDP_INVALID_DEVICE = 101,
    CDP_UNSUPPORTED_LIMIT = 215,
    CDP_UNKNOWN = 999
};

/* Stream handles with a meaning of their own. */
enum {
    CDP_STREAM_NULL = 0,
    CDP_STREAM_LEGACY = 1,
    CDP_STREAM_PER_THREAD = 2,
    CDP_STREAM_TAIL = 3,
    CDP_STREAM_FIRE_AND_FORGET = 4,
    CDP_SYNC_DEPTH = 2 /* grids at this depth and below may not wait for children */
};

/* A parameter buffer between its allocation and its launch. */
struct cdp_buffer {
    struct cdp_buffer *next;
    uint64_t va, size;
    struct px_run *run;          /* whose it is */
    struct ptx_program *program; /* V2: what it is to launch; NULL for V1 */
    const struct px_lfunc *kernel;
    struct px_shape grid, block;
    uint32_t shared;
    uint64_t stream; /* that it is launched into, once that is asked for */
};

enum { CDP_BUCKETS = 16384, CDP_SPARE_BUFFERS = 1024, CDP_ERRORS = 64 };

struct cdp_device {
    struct cdp_buffer *buffers[CDP_BUCKETS];
    struct cdp_item *spare;           /* items to use again, */
    struct cdp_buffer *spare_buffers; /* and so many records of buffers */
    uint32_t nspare_buffers;
    uint64_t next_handle;
    locale_t c_locale; /* for printf */
    struct {
        const char *text;
        uint64_t va;
    } strings[2 * CDP_ERRORS]; /* given out by GetErrorString, GetErrorName */
};

enum cdp_item_kind { CDP_ITEM_GRID, CDP_ITEM_RECORD, CDP_ITEM_WAIT };

struct cdp_event {
    struct cdp_event *next;
    uint64_t handle;
    uint64_t recorded, reached; /* numbers of the last record asked for, and of the last one done */
    bool destroyed;
};

/* One element of a stream. */
struct cdp_item {
    struct cdp_item *next;
    uint8_t kind; /* enum cdp_item_kind */
    bool counted; /* GRID: among its block's children */
    struct px_grid *grid;
    struct cdp_stream *stream; /* NULL for fire and forget, and for tails */
    struct cdp_event *event;
    uint64_t number; /* of the record that is made or waited for */
};

struct cdp_stream {
    struct cdp_stream *next;
    uint64_t handle;      /* of a created stream; else CDP_STREAM_NULL or CDP_STREAM_PER_THREAD */
    uint64_t cta, thread; /* whose, for the streams that every block or thread has */
    struct cdp_item *first, *last;
};

/* Of a grid that uses the device runtime. */
struct cdp_grid {
    struct cdp_stream *streams;
    struct cdp_event *events;
    struct cdp_item *tails, *last_tail;
    uint32_t **children; /* by CTA: its launches not complete, in pages made when needed */
    bool lanes_sync;     /* a lane waits in cudaDeviceSynchronize */
};

/* Frees the record of a buffer, or keeps it for another. */
void cdp_buffer_free(struct ptx_device *device, struct cdp_buffer *b);
struct cdp_device *cdp_of_device(struct ptx_device *device); /* NULL when out of memory */
struct cdp_grid *cdp_of_grid(struct px_grid *grid);          /* the same */

/* True for the names of the second generation, __cudaCDP2*. */
bool cdp_is_second(const struct px_call *call);

/* Values of the call's arguments by their offset, and its result. */
uint32_t cdp_arg32(const struct px_call *call, unsigned offset);
uint64_t cdp_arg64(const struct px_call *call, unsigned offset);
void cdp_return64(struct px_call *call, uint64_t value);
enum px_ext cdp_answer(struct px_call *call,
                       int error); /* returns it; a failure becomes the thread's last error */
enum px_ext cdp_answer_only(struct px_call *call, int error); /* returns it */
enum px_ext cdp_trap(struct px_call *call, int error, uint64_t address, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- streams.c ---- */

/* Puts a grid, adopted or not, where `stream` says. The lock is held. Gives a cudaError_t. */
int cdp_submit(struct px_call *call, struct px_grid *grid, uint64_t stream);
/* The stream may be launched into; else a cudaError_t. *park: the limit of pending launches is reached, ask
 * again. */
int cdp_may_submit(struct px_call *call, uint64_t stream, bool *park);
/* Launches of the grid's CTA that are not complete; NULL when there never was one. */
uint32_t *cdp_children_of(const struct px_grid *grid, uint64_t cta);
/* The stream exists and is no special one that cannot take events. */
bool cdp_stream_ok(const struct px_call *call, uint64_t stream);
bool cdp_drained(struct px_grid *grid);
void cdp_completed(struct px_grid *grid);
void cdp_discard(struct px_grid *grid);
bool cdp_stalled(struct px_run *run);

/* 0 and the per-thread handle change places for the _ptsz entry points. */
uint64_t cdp_stream_of(const struct px_call *call, unsigned offset, bool per_thread);

/* Every function of builtins.def; some have two names. */
typedef enum px_ext cdp_function(struct px_call *call);
#define CDP_CALL(stem, prototype, ret, args, function) cdp_function function;
#define CDP_FIRST CDP_CALL
#define CDP_SYSTEM CDP_CALL
#include "cdp/builtins.def"
#undef CDP_CALL
#undef CDP_FIRST
#undef CDP_SYSTEM

#endif
