/* fault.h - the trap channel: why a running kernel stopped. */
#ifndef PX_VM_FAULT_H
#define PX_VM_FAULT_H

#include <stdint.h>

struct px_grid;
struct px_function;
struct ptx_module;
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
    PX_CUDA_LAUNCH_FAILED = 719
};
const char *px_cuda_error_name(int error); /* "CUDA_ERROR_ILLEGAL_ADDRESS" */

/* Where and why. Plain data; strings for people are made by api.c from it. */
struct px_trap {
    int error;                       /* enum px_cuda_error */
    uint64_t address;                /* memory faults; else 0 */
    const struct ptx_module *module; /* of the instruction; NULL when there is none */
    const struct px_function *fn;
    const struct px_inst *inst;
    uint32_t loc;                    /* index into the function's .loc list + 1; 0 unknown */
    struct px_grid *grid;
    uint32_t cta[3], thread[3];
    char text[240];                  /* one line */
};

#endif
