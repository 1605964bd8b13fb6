/* report.h - what a run tells people (report.c, fault.c) and programs (json.c). */
#ifndef PTXVM_REPORT_H
#define PTXVM_REPORT_H

#include "args.h"

/* All that is known after a launch. */
struct outcome {
    ptx_status status;
    ptx_fault fault;     /* when status says that there is one */
    const char *message; /* of the device, for other failures */
    const struct notices *notices;
    bool printed;   /* the kernels printed something */
    double seconds; /* the launch took */
    ptx_progress progress;
};

struct statistics {
    size_t nans;
    bool any;                     /* there is an element that is no NaN */
    unsigned char min[8], max[8]; /* elements */
    uint64_t hash;                /* FNV-1a over the bytes */
};
struct statistics array_statistics(const struct array *array);

/* The word of --print: its name's length, and how many elements it asks for. */
size_t print_word(const char *word, size_t *count);

/* The first `count` elements in full. */
void report_array(const char *name, const struct array *array, size_t count);
void report_buffers(const struct outcome *outcome, const struct arguments *arguments,
                    const struct kernel *kernel, const struct options *options);
void report_counts(const struct outcome *outcome, const struct kernel *kernel, const struct options *options);

/* Everything that is known about a launch that stopped, on standard error. */
void report_fault(const struct outcome *outcome, const struct modules *modules,
                  const struct arguments *arguments);

/* Which buffer of the command line the address is in, or near, on standard error; nothing when it is in none.
 */
void report_buffer(ptx_address address, const struct arguments *arguments);

/* What of the kernel cannot be run yet, on standard error. */
void report_refusal(const struct outcome *outcome, const struct modules *modules);

/* One JSON object on standard output. The exit code: `exit_code`, unless a check found something. */
int report_json(ptx_device *device, const struct outcome *outcome, int exit_code,
                const struct arguments *arguments, const struct kernel *kernel,
                const struct options *options);

#endif
