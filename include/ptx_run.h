/*
 * ptx_run.h - one function that runs a kernel: for programs that want no objects to hold.
 *
 * It behaves like a foreign interface: it reads the environment, prints what went wrong, and keeps what it
 * has loaded. Who wants none of that uses ptxvm.h.
 */
#ifndef PTX_RUN_H
#define PTX_RUN_H

#include "ptx.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Runs the first kernel of the text `ptx`. `args[i]` is the 64-bit value of
 * parameter i itself; host pointers serve as device pointers. A failure prints one
 * message on standard error and is kept, per thread, for ptx_run_status.
 * Safe to call from many threads at once. The environment is read at each call:
 *
 *   PTXVM_THREADS      workers; one a CPU when it is not set
 *   PTXVM_APPROX       exact: .approx results correctly rounded; chip (the default): as an H100 gives them
 *   PTXVM_UB           fault (the default) or chip: what PTX leaves undefined is as on an H200 (ptx_ub)
 *   PTXVM_FMAD         true or false: whether products and sums are contracted (ptx_fmad)
 *   PTXVM_ASYNC        late (the default), early or random:SEED: when asynchronous copies happen (ptx_async)
 *   PTXVM_SCHEDULE     random:SEED: what may run does so in any order (ptx_schedule)
 *   PTXVM_CACHE_BYTES  texts stay assembled and loaded while everything kept takes no more than this (digits,
 * and perhaps K, M or G; 256M); then those longest out of use are forgotten. 0 keeps none
 */
PTX_API void ptx_run(const char *ptx, int n_args, void *args[], int block_x, int block_y, int block_z,
                     int grid_x, int grid_y, int grid_z, int shared);

/*
 * Status of this thread's last ptx_run: 0 when it was fine, else a ptx_status.
 * Copies the message (at most n-1 bytes and a NUL) to `buf` unless that is NULL.
 */
PTX_API int ptx_run_status(char *buf, size_t n);

#ifdef __cplusplus
}
#endif
#endif
