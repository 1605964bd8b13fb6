/*
 * ptx_launches.h - a list of the grids that a device ran: which kernel launched which, where, with what.
 *
 * For tests of compilers that launch kernels from kernels, and for pictures of whole programs. A device keeps
 * the list when it was made with ptx_device_config.launches; docs/launches.md has the forms of text, JSON and
 * patterns. All functions answer PTX_ERROR_INVALID_ARGUMENT where the device keeps no list, and
 * PTX_ERROR_NOT_READY while something is under way.
 */
#ifndef PTX_LAUNCHES_H
#define PTX_LAUNCHES_H

#include "ptx_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- one launch ----------------------------------------------------- */

typedef struct ptx_launch_param {
    size_t struct_size;
    const char *name, *type; /* of the kernel's parameter: "n", "u32" */
    size_t size, count;      /* bytes; elements of an array, 1 for a scalar */
    const void *bytes;       /* its value */
    const char *text; /* the value in words: "7", "1.5", "table+16", "0x100000000000+512", "shared+8" */
    /* An address in device memory: the allocation that it leads to. 0 bytes: it is none. */
    ptx_address block;
    uint64_t block_bytes;
    const char *variable; /* the program's variable that the allocation is; "" */
} ptx_launch_param;

#define PTX_LAUNCHED_BY_HOST SIZE_MAX

/* Strings that do not belong to the launch are "". Everything it points to lives until the callback returns.
 */
typedef struct ptx_launch_record {
    size_t struct_size;
    size_t number;      /* from 0, in order of launch */
    size_t parent;      /* number of the grid that launched it, or PTX_LAUNCHED_BY_HOST */
    uint64_t grid;      /* as %gridid; 0 of a refused launch */
    const char *kernel; /* "" of a refused launch of what is no kernel */
    unsigned shape[3], block[3];
    unsigned shared_bytes; /* dynamic */
    unsigned depth;        /* 0 for a launch of the host */
    const ptx_launch_param *params;
    size_t param_count; /* 0 of a refused launch */
    const char *stream; /* in words: "NULL", "tail", "fire and forget", "per thread", "stream 7" */
    const char *api;    /* of the host: ptx_launch_config.api */
    uint64_t graph;     /* of the host: the instance whose launch it is of; 0 */
    /* Of a kernel: the call that launched it, and who made it. */
    const char *call;     /* "cudaLaunchDeviceV2" */
    const char *function; /* that the call stands in */
    const char *file;     /* of the PTX */
    unsigned line, column;
    const char *source; /* "x.cu:12 (inlined at y.cu:40)" by .loc */
    unsigned cta[3], thread[3];
    /* Places in the one order of all begins and ends, from 1; 0: it did not. Nanoseconds since the first. */
    uint64_t begun, ended, begin_ns, end_ns;
    uint64_t blocks, instructions; /* thread-instructions, those of its children not among them */
    int cuda_error;                /* of a refused launch: what the call answers; else 0 */
    const char *reason;            /* of a refused launch */
} ptx_launch_record;

/* Calls `tell` for each launch, in order. `tell` must not use the device. PTX_ERROR_OUT_OF_MEMORY. */
typedef void (*ptx_launch_fn)(void *user, const ptx_launch_record *launch);
PTX_API ptx_status ptx_device_launches(ptx_device *device, ptx_launch_fn tell, void *user);

typedef struct ptx_launch_totals {
    size_t struct_size;
    uint64_t grids, by_kernels; /* all of them; those that a kernel launched */
    uint64_t refused;           /* launches by kernels */
    uint64_t lost;              /* launches that had no room in the list */
    unsigned depth;             /* deepest nesting; 0: no kernel launched one */
} ptx_launch_totals;
PTX_API ptx_status ptx_device_launches_totals(ptx_device *device, ptx_launch_totals *totals);

/* Forgets all launches. */
PTX_API ptx_status ptx_device_launches_clear(ptx_device *device);

/* ---- the list as a text or a picture -------------------------------- */

typedef enum ptx_launches_form {
    PTX_LAUNCHES_TEXT = 0,    /* a tree; equal siblings and chains are folded */
    PTX_LAUNCHES_JSON = 1,    /* every launch in full */
    PTX_LAUNCHES_SVG = 2,     /* the folded tree as a picture */
    PTX_LAUNCHES_DOT = 3,     /* the same for graphviz */
    PTX_LAUNCHES_TIMELINE = 4 /* begin and end of each grid, for chrome://tracing and Perfetto */
} ptx_launches_form;

/* Writes the list in pieces. PTX_ERROR_OUT_OF_MEMORY; PTX_ERROR_INTERRUPTED when `write` asks to stop. */
PTX_API ptx_status ptx_device_launches_write(ptx_device *device, ptx_launches_form form, ptx_write_fn write,
                                             void *user);

/* ---- expectations --------------------------------------------------- */

/*
 * Does the list hold what the pattern says?
 *
 *   child                               at least one launch of child by a kernel
 *   3 x child<<<4,32>>>(n=7, ...)       three of this shape whose n is 7, whatever the other parameters are
 *   2..5 x child from parent            two to five, launched by parent; from host: by the host
 *   0 x child                           none
 *   refused child                       one that was refused
 *   depth 2                             the deepest nesting is 2
 *
 * docs/launches.md has all of it. PTX_OK: it does. PTX_ERROR_NOT_FOUND: it does not, and `why` (which may be
 * NULL) gets the reason, with the launches that come nearest. PTX_ERROR_INVALID_ARGUMENT: the pattern cannot
 * be read, and `why` says where. PTX_ERROR_OUT_OF_MEMORY.
 */
PTX_API ptx_status ptx_device_expect_launch(ptx_device *device, const char *pattern, char *why,
                                            size_t why_bytes);

#ifdef __cplusplus
}
#endif
#endif
