/* trap.h - the trap channel: why a running kernel stopped. */
#ifndef PX_GANG_TRAP_H
#define PX_GANG_TRAP_H

#include <stdint.h>
#include "gang/place.h"

struct px_grid;
struct px_inst;

/* CUDA driver API numbers (abi/error-codes) that the VM raises. */
enum px_cuda_error {
    PX_CUDA_OK = 0,
    PX_CUDA_INVALID_VALUE = 1,
    PX_CUDA_OUT_OF_MEMORY = 2,
    PX_CUDA_ILLEGAL_ADDRESS = 700,
    PX_CUDA_LAUNCH_TIMEOUT = 702,
    PX_CUDA_ASSERT = 710,
    PX_CUDA_HARDWARE_STACK_ERROR = 714,
    PX_CUDA_ILLEGAL_INSTRUCTION = 715,
    PX_CUDA_MISALIGNED_ADDRESS = 716,
    PX_CUDA_INVALID_ADDRESS_SPACE = 717,
    PX_CUDA_INVALID_PC = 718,
    PX_CUDA_LAUNCH_FAILED = 719,
    PX_CUDA_NOT_SUPPORTED = 801 /* an instruction that this VM cannot run */
};
const char *px_cuda_error_name(int error); /* "CUDA_ERROR_ILLEGAL_ADDRESS" */

/* Where and why. Plain data; strings for people are made by api.c from it. */
struct px_trap {
    int error;                   /* enum px_cuda_error */
    uint64_t address;            /* memory faults; else 0 */
    const struct px_lfunc *func; /* of the instruction; NULL when there is none */
    const struct px_inst *inst;
    struct px_call_at calls[PX_CALLS_TOLD]; /* that led to func, */
    uint32_t depth;                         /* and how many there are */
    uint8_t space;                          /* enum px_space of the address */
    uint64_t local_from, local_to;          /* local memory of func's activation, of one thread */
    struct px_grid *grid;
    uint32_t cta[3], thread[3];
    uint32_t slot, linear; /* owner number of the CTA's windows; the thread's number in the CTA */
    uint32_t local_owner;  /* of its local memory */
    char text[240];        /* one line */
};

#endif
