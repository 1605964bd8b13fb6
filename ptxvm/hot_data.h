/* hot_data.h - what --hot has added up, for those who show it (hot_show.c, hot_html.c). */
#ifndef PTXVM_HOT_DATA_H
#define PTXVM_HOT_DATA_H

#include <stdio.h>
#include "hot.h"
#include "ptx_counts.h"

enum { HOT_WARP = 32 };

struct sums {
    uint64_t threads, warps, divided;                /* executed: by thread, by warp; branches that divided */
    uint64_t requests, sectors, sectors_ideal;       /* of global memory, by warp */
    uint64_t accesses, wavefronts, wavefronts_ideal; /* of shared memory, by warp */
    uint64_t atomics, collisions;     /* lanes; those whose address another lane of the warp has */
    uint64_t bytes[PTX_COUNT_SPACES]; /* read and written */
    uint64_t flops, tensor_flops;
};

/* Where the lanes of one warp lay, when an instruction was executed first. */
struct warp_access {
    unsigned n, bytes;
    ptx_count_space reached;
    uint64_t address[HOT_WARP];
    uint64_t cost; /* sectors or wavefronts of all accesses of the instruction */
};

struct line {
    char *kernel, *file; /* file: of the source by .loc, or the PTX */
    unsigned number;
    uint64_t kernel_warps; /* of all lines of the kernel */
    struct sums sums;
    struct warp_access access; /* of the costliest access of the line; n 0: there is none */
};

void hot_add(struct sums *to, const struct sums *more);
/* The lines of all kernels: those of a kernel stand together, the costliest first. */
const struct line *hot_lines(struct hot *hot, ptx_device *device, unsigned *n);

/* ---- what is made of them (hot_show.c) ---- */

struct occupancy {
    unsigned least,
        most;          /* blocks of a multiprocessor: with the most and the fewest registers there may be */
    unsigned threads;  /* of a block */
    int shared;        /* bytes of a block, static and dynamic */
    const char *limit; /* what allows no more than `most` */
    unsigned registers[2]; /* of a thread: the fewest and the most */
};

/* One kernel's lines, [from, to), and their sums. */
struct hot_kernel {
    const char *name;
    const struct line *lines;
    unsigned n;
    struct sums sums;
    struct occupancy occupancy;
    double percent; /* of the run's warp-instructions */
};

/* The text of a line, without the blanks before it; owned by the caller; NULL: it is not found. */
char *hot_text(const struct modules *modules, const char *file, unsigned line);
uint64_t hot_global_bytes(const struct sums *sums);
double hot_ratio(uint64_t a, uint64_t b);

/* A page for a browser (hot_html.c). */
void hot_html(FILE *file, const struct hot_kernel *kernels, unsigned n, ptx_device *device,
              const struct modules *modules);

#endif
