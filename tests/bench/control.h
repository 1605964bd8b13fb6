/* control.h - the same kernels as plain C loops over all threads: what a C compiler makes of them, to compare
 * with. */
#ifndef BENCH_CONTROL_H
#define BENCH_CONTROL_H

#include "reference.h"

/*
 * Runs the workload on its own buffers (outputs are written to `data`, which the caller has cleared), blocks
 * dealt to `threads` threads, the calling one among them. 0; -1: there is no such kernel.
 */
int control_run(const struct bench_workload *w, unsigned threads);

#endif
