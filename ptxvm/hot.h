/* hot.h - --hot: where time and traffic go, by kernel and by source line. */
#ifndef PTXVM_HOT_H
#define PTXVM_HOT_H

#include "kernel.h"
#include "ptx_trace.h"

struct hot;

/* NULL: nobody asks. */
struct hot *hot_open(const struct options *options);
void hot_close(struct hot *hot);
/* ptx_device_config.trace and .trace_rows */
void hot_access(void *user, const ptx_trace_access *access);
void hot_rows(void *user, const ptx_trace_rows *rows);

/* Tables on standard output, or the file that --hot=json:FILE names. The program is still there. */
void hot_report(struct hot *hot, ptx_device *device, ptx_program *program, const struct modules *modules,
                const struct options *options);
#endif
