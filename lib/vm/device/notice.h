/*
 * notice.h - what a person should know and no status tells (ptx_device_config.notice).
 */
#ifndef PX_VM_DEVICE_NOTICE_H
#define PX_VM_DEVICE_NOTICE_H

#include <pthread.h>
#include <stdbool.h>
#include "ptx_watch.h"

struct px_gang;
struct px_inst;
struct px_insn;
struct px_lfunc;
struct ptx_device;

enum { PX_PAST_TOLD = 64 };

/* Instructions whose writes past an allocation were told of. */
struct px_past {
    pthread_mutex_t lock;
    unsigned n;
    const struct px_inst *told[PX_PAST_TOLD];
};

/* Does anybody hear of them? */
bool px_notice_heard(const struct ptx_device *device);
/* Tells of `event`, which gets the place of the instruction (NULL: unknown). */
void px_notice(struct ptx_device *device, ptx_watch_event *event, const struct px_lfunc *func,
               const struct px_inst *inst);
/* px_worker.past: a lane writes [va, va+size). */
void px_notice_past(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t va, uint32_t size);
/* Instructions go with their program: all may be told of again. */
void px_notice_forget(struct ptx_device *device);

#endif
