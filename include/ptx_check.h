/*
 * ptx_check.h - what the library's own checks found (docs/checks.md).
 *
 * A device checks when it was made with ptx_device_config.check. For most checks it then runs all blocks on
 * one worker, and slower; other devices pay nothing. What was found is asked for when the device has nothing
 * to do.
 */
#ifndef PTX_CHECK_H
#define PTX_CHECK_H

#include "ptxvm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ptx_device_config.check, or-ed. */
enum {
    PTX_CHECK_RACE = 1,        /* two threads reach one byte, one of them writes, and nothing orders them */
    PTX_CHECK_RACE_VALUES = 2, /* with RACE: also those in which both write the same value */
    PTX_CHECK_INIT = 4,        /* a read of memory that nobody has written, by a kernel or for the host */
    PTX_CHECK_SYNC = 8,        /* a barrier that the threads of a warp do not reach together */
    PTX_CHECK_LAUNCH = 16,     /* mistakes of launches by kernels (docs/launches.md) */
    /* Accesses outside allocations, to memory that was freed, or misaligned: they are findings, and no
     * faults; they read zeros and write nothing. What is freed twice, or was no allocation. Blocks may run on
     * all workers for this check and the next. */
    PTX_CHECK_MEMORY = 32,
    /* All but the next: many right programs end without freeing what they allocated. */
    PTX_CHECK_ALL = PTX_CHECK_RACE | PTX_CHECK_RACE_VALUES | PTX_CHECK_INIT | PTX_CHECK_SYNC |
                    PTX_CHECK_LAUNCH | PTX_CHECK_MEMORY,
    PTX_CHECK_LEAK = 64 /* allocations that are not freed when the findings are asked for */
};

/*
 * The checks that words of --check and PTXVM_CHECK ask for: memory, race, init, sync, launch, leak, all,
 * separated by commas; no-race-values leaves PTX_CHECK_RACE_VALUES out. PTX_ERROR_INVALID_ARGUMENT: another
 * word, or no check.
 */
PTX_API ptx_status ptx_check_parse(const char *words, unsigned *checks);

typedef enum ptx_check_kind {
    PTX_FOUND_WRITE_WRITE = 1,  /* a race of two writes; */
    PTX_FOUND_READ_WRITE = 2,   /* of a read and a later write; */
    PTX_FOUND_WRITE_READ = 3,   /* of a write and a later read */
    PTX_FOUND_UNWRITTEN = 4,    /* a read of what nobody wrote */
    PTX_FOUND_BARRIERS = 5,     /* threads of one warp stand at two barrier instructions */
    PTX_FOUND_MISSING = 6,      /* threads of a warp do not come to its barrier */
    PTX_FOUND_OUTSIDE = 7,      /* an access outside all memory; */
    PTX_FOUND_FREED = 8,        /* to memory that was freed; */
    PTX_FOUND_MISALIGNED = 9,   /* that is misaligned */
    PTX_FOUND_BAD_FREE = 10,    /* something is freed that is no allocation, */
    PTX_FOUND_FREED_TWICE = 11, /* or is none any more */
    PTX_FOUND_LEAK = 12,        /* allocations of one place that are not freed: `count` */
    PTX_FOUND_HOST_READ = 13,   /* the host gets what nobody wrote */
    PTX_FOUND_EARLY = 14,       /* a use of memory that stream order does not put behind its allocation */
    PTX_FOUND_PROXY = 15,       /* a write that wgmma reads without a proxy fence between */
    PTX_FOUND_LAUNCH = 16,      /* of a launch by a kernel; `code` tells which */
    PTX_FOUND_BESIDE = 17       /* an access leaves the variable that its address is computed from */
} ptx_check_kind;

/* One of the accesses that a finding is about. */
typedef struct ptx_check_side {
    const char *access; /* "write of 4 bytes", "atomic (relaxed.cta) of 4 bytes", "cp.async write" */
    const char *kernel, *function, *instruction, *file, *source; /* as in ptx_trace_place */
    unsigned line, column;
    uint64_t grid;
    unsigned cta[3], thread[3];
} ptx_check_side;

typedef struct ptx_check_finding {
    size_t struct_size;
    ptx_check_kind kind;
    /* PTX_WARNING: both wrote the same value each time, nobody reads what they wrote to shared memory, or
     * relaxed accesses put a read before a write; who is missing has ended */
    ptx_severity severity;
    const char *code;       /* "race-write-write" */
    const char *message;    /* one line: what happened */
    const char *help;       /* one line: what would be right; "" */
    unsigned nsides;        /* 1 or 2; 0: what the host does */
    ptx_check_side side[2]; /* the earlier access first, of the first time that it was found; of a launch
                               where it goes wrong first */
    int shared;             /* the address is one of the block's shared memory */
    ptx_address address;
    uint64_t count; /* how often */
    /* "" where nothing is known: */
    const char *variable; /* of the program that holds the address: "'tile' + 12" */
    const char *memory; /* the allocation: "16 bytes past the end of 4096 bytes of device memory at 0x..." */
    const char *made, *freed; /* who made and freed that: functions of the host, "f+0x12 (prog) <- main+0x30
                                 (prog)"; or a place in a kernel */
    const char *caller;       /* of what the host does: its functions, likewise */
} ptx_check_finding;

/*
 * Calls `tell` for each finding, errors first, then by count; strings live until the device is destroyed, or
 * asked again. PTX_ERROR_INVALID_ARGUMENT: the device does not check; PTX_ERROR_NOT_READY: something is under
 * way; PTX_ERROR_OUT_OF_MEMORY: the check ran out of memory and stopped, what it found before is told.
 */
typedef void (*ptx_check_fn)(void *user, const ptx_check_finding *finding);
PTX_API ptx_status ptx_device_findings(ptx_device *device, ptx_check_fn tell, void *user);

/*
 * Findings that are not to be told from now on: a line for each rule, CODE [KERNEL [FILE [LINE]]], separated
 * by blanks. A * stands for any part of a word; FILE is that of the PTX, without folders; one side of a
 * finding has to match. Lines that begin with # say nothing. PTX_ERROR_OUT_OF_MEMORY: nothing changed.
 */
PTX_API ptx_status ptx_check_suppress(ptx_device *device, const char *rules);

/* Somebody asked who embeds the library to free an address, and was refused: the check of memory finds that,
 * as it does what ptx_memory_free and its like refuse. */
PTX_API void ptx_check_free_refused(ptx_device *device, ptx_address address);

#ifdef __cplusplus
}
#endif
#endif
