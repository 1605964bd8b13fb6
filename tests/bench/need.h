/* need.h - what the programs of the bench share: the process's time, and an end when something fails. */
#ifndef TESTS_BENCH_NEED_H
#define TESTS_BENCH_NEED_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ptxvm.h"

/* Seconds of processor time that this process has used, all threads together. */
static inline double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline void need(ptx_status status, const char *what)
{
    if (status == PTX_OK) return;
    fprintf(stderr, "bench: %s: %s\n", what, ptx_status_name(status));
    exit(2);
}

#endif
