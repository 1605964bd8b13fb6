/*
 * ptx_counts.h - what the kernels of a device have executed.
 *
 * For those who look for what a kernel spends its time on, or compare two versions of one. A device counts
 * when it was made with ptx_device_config.counts; others are not slower for it. An instruction is counted as
 * it stands in the PTX, for each thread that comes to it, its guard true or not. These numbers and those of
 * bytes are exact, whatever the workers and the engine's optimisations; those of warps belong to the schedule
 * that there was. (A mul and an add that are contracted are the fma that ptxas would make of them.)
 */
#ifndef PTX_COUNTS_H
#define PTX_COUNTS_H

#include "ptxvm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* State spaces whose bytes are counted; generic addresses are a space of their own, wherever they lead. */
typedef enum ptx_count_space {
    PTX_COUNT_GENERIC,
    PTX_COUNT_GLOBAL,
    PTX_COUNT_SHARED,
    PTX_COUNT_LOCAL,
    PTX_COUNT_CONST,
    PTX_COUNT_PARAM,
    PTX_COUNT_SPACES /* how many there are */
} ptx_count_space;

/* What one row is the sum of. */
typedef enum ptx_count_by {
    PTX_COUNT_BY_KERNEL,
    PTX_COUNT_BY_OPCODE,     /* of a kernel: an opcode with its modifiers; most executed ones first */
    PTX_COUNT_BY_LINE,       /* of a kernel: a line of the source, by .loc; without one, of the PTX */
    PTX_COUNT_BY_INSTRUCTION /* of a kernel: an instruction of the text, in the order of lines */
} ptx_count_by;

/* A row. Strings live until the callback returns; those that do not belong to what was asked for are "". */
typedef struct ptx_count {
    size_t struct_size;
    const char *kernel;   /* that was launched */
    const char *function; /* BY_INSTRUCTION: the function that it stands in */
    const char *opcode;   /* BY_OPCODE, BY_INSTRUCTION: "ld.global.f32" */
    const char *file;     /* BY_LINE: of the source, or the PTX; BY_INSTRUCTION: the PTX */
    unsigned line;        /* in `file`, from 1 */
    const char *source;   /* BY_INSTRUCTION: the file of the source, "" without .loc, */
    unsigned source_line; /* and the line there */
    uint64_t threads;     /* thread-instructions */
    uint64_t warps;       /* warp-instructions: one for each warp of which some thread takes part */
    uint64_t divided;     /* warps whose threads went different ways at a branch */
    uint64_t waits;       /* warps that were put aside at a barrier, or another instruction that waits; those
                             that complete it are not (docs/ptxvm.md) */
    /* Bytes that threads read and wrote, by ptx_count_space: of ld, st, atom, red (which do both), cp.async,
     * ldmatrix and stmatrix, where their guards held. */
    uint64_t read[PTX_COUNT_SPACES], written[PTX_COUNT_SPACES];
} ptx_count;

typedef void (*ptx_count_fn)(void *user, const ptx_count *count);

/*
 * Calls `tell` for each row of what was executed since the device was made, or cleared: kernels by name, each
 * with those that it calls; nothing for what never ran. Programs that were destroyed still count. `tell` must
 * not use the device. PTX_ERROR_INVALID_ARGUMENT: the device does not count; PTX_ERROR_NOT_READY: something
 * is under way; PTX_ERROR_OUT_OF_MEMORY.
 */
PTX_API ptx_status ptx_device_counts(ptx_device *device, ptx_count_by by, ptx_count_fn tell, void *user);
/* All counters are zero again. The same statuses. */
PTX_API ptx_status ptx_device_counts_clear(ptx_device *device);

#ifdef __cplusplus
}
#endif
#endif
