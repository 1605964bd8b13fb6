/*
 * ptx_stream.h - streams, events, and work that is submitted without waiting.
 *
 * Streams, events and launches are numbers of a device, not pointers: one that
 * was destroyed, or was never made, is PTX_ERROR_INVALID_ARGUMENT. Any number
 * of threads may use one device at once. A function that waits must not be
 * called from a function that a stream calls (ptx_stream_host), nor from a host
 * function of a kernel: it answers PTX_ERROR_INVALID_ARGUMENT there.
 *
 * What a stream is given runs in order; streams run at the same time. Who
 * submits more than 1024 pieces of work that are not done works, or waits,
 * until half of them are. A kernel whose last launch was over at once (a few blocks, a few hundred
 * instructions, no call of a function outside PTX) may be run by the thread that submits it.
 *
 * A failure of a piece of work (a fault, a limit) is told by the next
 * ptx_stream_wait of its stream, or ptx_device_wait, once; what is behind it in
 * the stream runs all the same, unless the device is `sticky`. CUDA's
 * programming guide, "Asynchronous Concurrent Execution", describes the model.
 */
#ifndef PTX_STREAM_H
#define PTX_STREAM_H

#include "ptxvm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t ptx_stream, ptx_event, ptx_launch;

/* Streams that every device has. The legacy one waits for all that is in streams made without
 * PTX_STREAM_NONBLOCKING, and what they are given next waits for it; each thread has one of its own that is
 * an ordinary blocking stream. */
#define PTX_STREAM_DEFAULT ((ptx_stream)0)
#define PTX_STREAM_LEGACY ((ptx_stream)1)
#define PTX_STREAM_PER_THREAD ((ptx_stream)2)

/* ---- streams -------------------------------------------------------- */

enum { PTX_STREAM_NONBLOCKING = 1 };

typedef struct ptx_stream_config {
    size_t struct_size;
    unsigned flags; /* PTX_STREAM_NONBLOCKING or 0 */
    int priority; /* of its kernels: lower numbers go first, from -5 to 0 (others are brought into this range)
                   */
} ptx_stream_config;

/* `config` may be NULL. */
PTX_API ptx_status ptx_stream_create(ptx_device *device, const ptx_stream_config *config, ptx_stream *stream);
/* What is in the stream still runs. */
PTX_API ptx_status ptx_stream_destroy(ptx_device *device, ptx_stream stream);
/* Flags and priority that it was made with. */
PTX_API ptx_status ptx_stream_config_get(ptx_device *device, ptx_stream stream, ptx_stream_config *config);
/* PTX_OK when all that it was given is done, else PTX_ERROR_NOT_READY. */
PTX_API ptx_status ptx_stream_query(ptx_device *device, ptx_stream stream);
/*
 * Waits until all that it was given is done. Gives the status of the first piece of work that failed since it
 * was last asked, and why in `*fault` (which may be NULL). The strings of a fault live until the calling
 * thread is told of another one of this device, or launches with ptx_kernel_launch.
 */
PTX_API ptx_status ptx_stream_wait(ptx_device *device, ptx_stream stream, ptx_fault *fault);
/* The same for all streams and launches. */
PTX_API ptx_status ptx_device_wait(ptx_device *device, ptx_fault *fault);
/* Waits until nothing runs. PTX_ERROR_NOT_READY: what is left waits for values in memory (ptx_stream_values).
 */
PTX_API ptx_status ptx_device_settle(ptx_device *device);
/* PTX_OK when nothing is under way, else PTX_ERROR_NOT_READY; of a lost device what marked it (see `sticky`).
 */
PTX_API ptx_status ptx_device_query(ptx_device *device);

/* ---- events --------------------------------------------------------- */

enum { PTX_EVENT_NO_TIMING = 2 };

PTX_API ptx_status ptx_event_create(ptx_device *device, unsigned flags, ptx_event *event);
PTX_API ptx_status ptx_event_destroy(ptx_device *device, ptx_event event);
/* The event happens when all that is in the stream now is done. A second record takes the place of the first.
 */
PTX_API ptx_status ptx_event_record(ptx_device *device, ptx_event event, ptx_stream stream);
/* PTX_OK when it has happened, or was never recorded; else PTX_ERROR_NOT_READY. */
PTX_API ptx_status ptx_event_query(ptx_device *device, ptx_event event);
PTX_API ptx_status ptx_event_wait(ptx_device *device, ptx_event event);
/* Milliseconds between two events. PTX_ERROR_NOT_READY until both have happened; PTX_ERROR_INVALID_ARGUMENT
 * when one was never recorded, or made with PTX_EVENT_NO_TIMING. */
PTX_API ptx_status ptx_event_elapsed(ptx_device *device, ptx_event from, ptx_event to, double *milliseconds);
/* What the stream is given from now on waits for the event as it was last recorded. */
PTX_API ptx_status ptx_stream_wait_event(ptx_device *device, ptx_stream stream, ptx_event event);

/* ---- launches ------------------------------------------------------- */

/*
 * Puts a launch into the stream and returns. Statuses are those of ptx_kernel_launch as far as they are known
 * before it runs. With `launch` not NULL it gets a number by which the launch can be asked for, to be given
 * back with ptx_launch_release.
 */
PTX_API ptx_status ptx_kernel_submit(ptx_kernel *kernel, const ptx_launch_config *config, ptx_stream stream,
                                     ptx_launch *launch);
/* PTX_ERROR_NOT_READY until it is over; then what it ended with. */
PTX_API ptx_status ptx_launch_query(ptx_device *device, ptx_launch launch);
/* Waits until it is over; what it ended with, and why (`fault` may be NULL). Who heard it here is not told
 * again by the stream. */
PTX_API ptx_status ptx_launch_wait(ptx_device *device, ptx_launch launch, ptx_fault *fault);
/* It ends with PTX_ERROR_INTERRUPTED: soon when it runs, else in its turn without having begun. */
PTX_API ptx_status ptx_launch_cancel(ptx_device *device, ptx_launch launch);
/* The number is no longer used; the launch goes on. */
PTX_API ptx_status ptx_launch_release(ptx_device *device, ptx_launch launch);

/* ---- calls of the host's functions ---------------------------------- */

/* Calls fn(user) in stream order, from a worker thread. It may submit work, and must not wait for any. */
PTX_API ptx_status ptx_stream_host(ptx_device *device, ptx_stream stream, void (*fn)(void *user), void *user);

/* ---- copies and sets ------------------------------------------------ */

/*
 * One end of a copy. `host` not NULL: a pointer of the host. Else `address` of `device` (NULL: the device
 * that is asked). Rows lie `pitch` bytes apart, slices `slice` bytes; they may be 0 where there is one of
 * them.
 */
typedef struct ptx_place {
    void *host;
    ptx_device *device;
    ptx_address address;
    uint64_t pitch, slice;
} ptx_place;

typedef struct ptx_copy {
    size_t struct_size;
    ptx_place to, from; /* from.host is only read */
    uint64_t width, height,
        depth; /* bytes of a row, rows of a slice, slices; 0 in height or depth counts as 1 */
} ptx_copy;

typedef struct ptx_fill {
    size_t struct_size;
    ptx_address to;
    uint64_t pitch, slice;
    uint64_t width, height, depth; /* elements of a row; the others as above */
    uint32_t value;
    unsigned element; /* bytes: 1, 2 or 4; 0 counts as 1 */
} ptx_fill;

/*
 * In stream order. PTX_ERROR_INVALID_ARGUMENT when a row leaves its allocation now; one that has gone when it
 * is the copy's turn is a fault. Host memory must stay until the copy is done.
 */
PTX_API ptx_status ptx_stream_copy(ptx_device *device, const ptx_copy *copy, ptx_stream stream);
PTX_API ptx_status ptx_stream_fill(ptx_device *device, const ptx_fill *fill, ptx_stream stream);
/* At once, in the calling thread, and behind nothing. */
PTX_API ptx_status ptx_memory_copy(ptx_device *device, const ptx_copy *copy);
PTX_API ptx_status ptx_memory_set(ptx_device *device, const ptx_fill *fill);

/* ---- values in memory ------------------------------------------------ */

/* GEQ: memory minus value is not negative, cyclically. AND: they have a bit in common. NOR: a bit that
 * neither has. */
typedef enum ptx_value_op {
    PTX_VALUE_WAIT_GEQ = 0,
    PTX_VALUE_WAIT_EQ = 1,
    PTX_VALUE_WAIT_AND = 2,
    PTX_VALUE_WAIT_NOR = 3,
    PTX_VALUE_WRITE = 4
} ptx_value_op;

typedef struct ptx_value {
    ptx_value_op op;
    unsigned bytes;      /* 4 or 8 */
    ptx_address address; /* a multiple of that, of memory that the device can reach */
    uint64_t value;
} ptx_value;

/*
 * In stream order, one after the other: a wait keeps what is behind it from beginning until memory has the
 * value, whoever writes it (kernels, streams, other devices, the host where it finds the memory); no thread
 * is kept busy meanwhile. A wait ends as a launch does by ptx_device_interrupt, the device's timeout_ms and
 * ptx_device_destroy; memory that is freed before is a fault. CUDA's driver API, "Stream Memory Operations".
 */
PTX_API ptx_status ptx_stream_values(ptx_device *device, const ptx_value *values, size_t count,
                                     ptx_stream stream);

#ifdef __cplusplus
}
#endif
#endif
