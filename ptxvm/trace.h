/* trace.h - --trace: what kernels do to memory, as lines of text. */
#ifndef PTXVM_TRACE_H
#define PTXVM_TRACE_H

#include "ptx_trace.h"

struct trace;

/* Lines go to `file`, "-" is standard output; gives up when it cannot be written. NULL: no file, nobody asks.
 */
struct trace *trace_open(const char *file);
/* ptx_device_config.trace and .trace_event; `user` is the trace. */
void trace_access(void *user, const ptx_trace_access *access);
void trace_event(void *user, const ptx_trace_event *event);
/* All lines are in the file, or it gives up. */
void trace_close(struct trace *trace);

#endif
