/*
 * ptx_trace.h - what kernels do to memory, access by access.
 *
 * For those who check what a kernel does to memory (races, bounds of their own, what was never written) or
 * want to see where it goes. A device tells of accesses when it was made with ptx_device_config.trace; its
 * code is decoded for that, and runs slower; code of other devices has nothing of it.
 */
#ifndef PTX_TRACE_H
#define PTX_TRACE_H

#include "ptx_counts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an access does, or-ed. */
enum {
    PTX_TRACE_READ = 1,
    PTX_TRACE_WRITE = 2,
    PTX_TRACE_ATOMIC = 4, /* atom, red, mbarrier operations, ld and st with .relaxed, .acquire, .release,
                              .volatile and .mmio: what the memory model calls strong */
    PTX_TRACE_ASYNC = 8   /* cp.async: it happens later, at the latest when it is waited for */
};

/* One thread's part. Addresses are those of the state space, as the instruction has them: of .shared from 0
 * on, of .local and .param each thread's own. */
typedef struct ptx_trace_lane {
    ptx_address address;
    unsigned thread; /* number in the block, x fastest */
    unsigned bytes;
} ptx_trace_lane;

/*
 * An instruction about to touch memory, for threads of one block that execute it together: all whose guards
 * hold. It may still fault. Strings live as long as the kernel.
 *
 * ptx_trace_fn (ptxvm.h) is called by any worker, by several at once, before the access is made; what it
 * takes counts for the launch's time. It must not use the device.
 *
 * Told are ld, st, atom, red, mbarrier operations, cp.async (the read, then the write; what it writes after
 * the bytes that it reads is zeros), ldmatrix and stmatrix (rows of 16 bytes, of the threads whose addresses
 * they are), and wmma.load and wmma.store, of which PTX does not say which thread reaches what: row (or
 * column) i of the matrix is told of the i-th thread of the warp. Not told: kernel parameters, which are
 * constants, and parameters of functions that are no arrays; what the hardware reaches by textures, surfaces
 * and descriptors (wgmma); what functions of the host do (printf, cudaMemcpyAsync, malloc).
 */
typedef struct ptx_trace_access {
    size_t struct_size;
    unsigned how;            /* PTX_TRACE_ */
    ptx_count_space space;   /* as written, PTX_COUNT_GENERIC without one */
    const char *kernel;      /* that was launched */
    const char *function;    /* that the instruction stands in, */
    const char *instruction; /* how it is written, */
    const char *file;        /* where in the PTX: */
    unsigned line, column;   /* from 1 */
    uint64_t grid;           /* number of the grid, of all that the device has launched */
    unsigned cta[3];
    unsigned nlanes;
    const ptx_trace_lane *lanes; /* by thread; until the function returns */
} ptx_trace_access;

#ifdef __cplusplus
}
#endif
#endif
