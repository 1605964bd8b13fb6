/* need.h - what the programs of the bench share: the process's time, and an end when something fails. */
#ifndef TESTS_BENCH_NEED_H
#define TESTS_BENCH_NEED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ptxvm.h"

/* Seconds of processor time that this process has used, all threads together. */
static inline double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The text of a file, its path from the source that names it in `here`; to be freed. */
static inline char *text_beside(const char *here, const char *name)
{
    enum { MOST = 1 << 20 };
    char path[1024];
    const char *slash = strrchr(here, '/');
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - here), here, name);
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, MOST);
    if (!f || !text || !fread(text, 1, MOST - 1, f)) {
        perror(path);
        exit(2);
    }
    fclose(f);
    return text;
}

static inline void need(ptx_status status, const char *what)
{
    if (status == PTX_OK) return;
    fprintf(stderr, "bench: %s: %s\n", what, ptx_status_name(status));
    exit(2);
}

#endif
