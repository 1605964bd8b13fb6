/*
 * stream.h - streams and events: which task comes after which.
 *
 * A stream remembers its last task; what is submitted next comes after it. The
 * legacy default stream waits for the blocking streams, and they for it. An
 * event is the mark that it was last recorded as. All of it is guarded by the
 * scheduler's lock.
 */
#ifndef PX_VM_QUEUE_STREAM_H
#define PX_VM_QUEUE_STREAM_H

#include <pthread.h>
#include "vm/queue/task.h"
#include "ptx_stream.h"

struct px_capture;
struct px_node;

struct px_stream {
    struct ptx_device *device;
    struct px_stream *next; /* of the device's that are not destroyed */
    uint64_t number;        /* its handle */
    uint32_t refs;
    bool nonblocking, per_thread;
    bool closed;      /* it was destroyed: nobody can ask for failures */
    pthread_t thread; /* whose, with per_thread */
    int priority;
    struct px_task *tail;       /* the last that was submitted */
    struct px_task *failed;     /* the first that failed and nobody has heard of */
    struct px_capture *capture; /* NULL: it is not captured */
    struct px_node **front;     /* nodes that its next one comes after */
    uint32_t nfront;
};

struct px_event {
    struct px_task *task; /* NULL: never recorded */
    bool timed;
    struct px_capture *capture; /* it was last recorded in a capture, */
    struct px_node **front;     /* behind these nodes */
    uint32_t nfront;
};

bool px_streams_init(struct ptx_device *device);
void px_streams_free(struct ptx_device *device);
/* NULL: there is none of this number, or no memory for the thread's own. */
struct px_stream *px_stream_find(struct ptx_device *device, ptx_stream number);
void px_stream_release(struct px_stream *stream); /* NULL is allowed */
void px_stream_failed(struct px_stream *stream, struct px_task *task);

/*
 * Puts a grid (NULL: a mark) behind what is in the stream, and behind `also` (NULL: nothing). The grid is the
 * stream's in any case. `overlap`: it may begin before the kernel that is last in the stream ends
 * (px_task_overlap). The task, with a reference of the caller's; NULL: no memory.
 */
struct px_task *px_stream_put(struct px_stream *stream, struct px_grid *grid, struct px_task *also,
                              bool overlap);
/* What is wanted, brought into the range that there is. */
int px_stream_priority(int wanted);
/* The device has more to do that nobody waits for. `brief`: no more than the caller may do at once. */
void px_stream_go(struct ptx_device *device, bool brief);

ptx_status px_stream_create(struct ptx_device *device, const ptx_stream_config *config, ptx_stream *number);
ptx_status px_stream_destroy(struct ptx_device *device, ptx_stream number);
ptx_status px_stream_query(struct ptx_device *device, ptx_stream number);
ptx_status px_stream_wait(struct ptx_device *device, ptx_stream number, ptx_fault *fault);
ptx_status px_device_wait(struct ptx_device *device, ptx_fault *fault);
ptx_status px_event_create(struct ptx_device *device, unsigned flags, ptx_event *number);
ptx_status px_event_destroy(struct ptx_device *device, ptx_event number);
ptx_status px_event_record(struct ptx_device *device, ptx_event number, ptx_stream stream);
ptx_status px_event_query(struct ptx_device *device, ptx_event number);
ptx_status px_event_wait(struct ptx_device *device, ptx_event number);
ptx_status px_event_elapsed(struct ptx_device *device, ptx_event from, ptx_event to, double *ms);
ptx_status px_stream_wait_event(struct ptx_device *device, ptx_stream stream, ptx_event number);

#endif
