/*
 * report.h - why a launch stopped, in words (fault.c).
 *
 * A report is counted: the launch that it is of, its stream, and the thread that was told of it hold it.
 */
#ifndef PX_VM_DEVICE_REPORT_H
#define PX_VM_DEVICE_REPORT_H

#include <pthread.h>
#include "base/arena.h"
#include "vm/sched/sched.h"
#include "ptxvm.h"

struct px_report {
    atomic_uint refs;
    struct px_arena arena; /* of the strings */
    ptx_fault fault;
};

/* That a thread was told: its strings live until it is told again. */
struct px_told {
    struct px_told *next; /* in ptx_device.told */
    pthread_t thread;
    struct px_report *report;
};

struct px_lfunc;
struct px_refusal;

/* Of a run that is over. NULL when there is no memory, or it is not wanted; the device's message is set all
 * the same. */
struct px_report *px_report_stop(struct ptx_device *device, struct px_run *run, enum px_stop stop,
                                 bool quiet);
/* Of a kernel that cannot be decoded. */
/* A fault of an error, 0 for none: empty strings rather than NULL everywhere. */
ptx_fault px_fault_empty(int error);
struct px_report *px_report_refusal(struct ptx_device *device, const struct px_lfunc *kernel,
                                    const struct px_refusal *why, bool quiet);
/* Of what did not run; `words` are a constant. */
struct px_report *px_report_words(struct ptx_device *device, const char *words);
void px_report_release(struct ptx_device *device, struct px_report *report); /* NULL is allowed */
/* Fills *fault (NULL is allowed) for the calling thread. Its strings live until this thread is told again.
 * Without a report there was no memory for one, or it never ran: the error's number is all that is told, and
 * nothing at all when the status is PTX_OK. */
void px_report_tell(struct ptx_device *device, struct px_report *report, ptx_status status, int error,
                    ptx_fault *fault);
/* Forgets what the calling thread was told; all threads with `all`. */
void px_report_forget(struct ptx_device *device, bool all);

#endif
