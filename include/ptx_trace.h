/*
 * ptx_trace.h - what kernels do to memory, what orders it, and which memory there is, event by event.
 *
 * For checkers of memory (races, bounds, uninitialised reads) and for pictures of memory traffic. A device
 * reports when it was made with ptx_device_config.trace or .trace_event: its code is decoded for that, and
 * runs slower. Code of other devices holds nothing of it. ptx_device_config.trace_memory changes no code. The
 * library's own checks (ptx_check.h) hear the same events.
 *
 * The first two functions are called by the worker that runs the block, without a lock: by several workers at
 * once, never at once for one block. Events of one block arrive in the order in which the VM executes the
 * block. The functions must not use the device. What they take counts for the launch's time.
 */
#ifndef PTX_TRACE_H
#define PTX_TRACE_H

#include "ptx_counts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An instruction of a kernel. It lives as long as the kernel's program: its address identifies it. */
typedef struct ptx_trace_place {
    const char *kernel;      /* that was launched */
    const char *function;    /* that the instruction stands in */
    const char *instruction; /* how it is written */
    const char *file;        /* where in the PTX */
    unsigned line, column;   /* from 1 */
    const char *source;      /* "x.cu:12 (inlined at y.cu:40)" from .loc; "" when unknown */
} ptx_trace_place;

/* Of accesses and fences: the ordering of the memory model (PTX ISA, "Memory Consistency Model"). .volatile
 * and .mmio count as RELAXED with scope SYS. Each lists what the one before it gives and more. */
typedef enum ptx_trace_order {
    PTX_TRACE_WEAK = 0,
    PTX_TRACE_RELAXED = 1,
    PTX_TRACE_ACQUIRE = 2,
    PTX_TRACE_RELEASE = 3,
    PTX_TRACE_ACQ_REL = 4,
    PTX_TRACE_SC = 5
} ptx_trace_order;

typedef enum ptx_trace_scope {
    PTX_TRACE_THREAD = 0, /* of weak accesses */
    PTX_TRACE_CTA = 1,
    PTX_TRACE_CLUSTER = 2,
    PTX_TRACE_GPU = 3,
    PTX_TRACE_SYS = 4
} ptx_trace_scope;

/* ---- accesses ---- */

/* What an access does, or-ed. */
enum {
    PTX_TRACE_READ = 1,
    PTX_TRACE_WRITE = 2,
    PTX_TRACE_ATOMIC = 4, /* atom, red, mbarrier operations, ld and st with .relaxed, .acquire, .release,
                              .volatile and .mmio: what the memory model calls strong */
    PTX_TRACE_ASYNC = 8,  /* cp.async: it happens later, at the latest when it is waited for */
    /* Of an mbarrier: with WRITE an operation on it, with ASYNC also one that happens after the thread's
     * copies (cp.async.mbarrier.arrive). Without WRITE a wait for a phase, reported once the phase has ended,
     * for the threads that go on. */
    PTX_TRACE_MBARRIER = 16,
    PTX_TRACE_PRODUCT = 32, /* with READ and ASYNC: what wgmma reads of shared memory, told of the first
                               thread of its warpgroup; it happens until that waits for the product */
    PTX_TRACE_REMOTE = 64   /* of another block's shared memory in the cluster, told as an access of the block
                               whose   memory it is by its thread 0; with ASYNC: by a bulk copy */
};

/* One thread's part. */
typedef struct ptx_trace_lane {
    ptx_address address; /* in the space that is reached: of .shared from 0 on, of .local and .param each
                            thread's own */
    unsigned thread;     /* number in the block, x fastest */
    unsigned bytes;
} ptx_trace_lane;

/*
 * An instruction about to touch memory, for threads of one block that execute it together: all whose guards
 * hold. It may still fault. Threads that reach several spaces by one generic instruction are several calls.
 *
 * Reported are ld, st, atom, red, mbarrier operations, cp.async (the read, then the write; what it writes
 * behind the bytes that it reads is zeros), ldmatrix and stmatrix (rows of 16 bytes, of the threads whose
 * addresses they are), and wmma.load and wmma.store. PTX does not say which thread of the warp reaches which
 * part of such a matrix: row (or column) i is reported for the i-th thread. Not reported: kernel parameters,
 * which are constants, and parameters of functions that are no arrays; what the hardware reaches by textures,
 * surfaces and descriptors but wgmma's; what functions of the host do (printf, cudaMemcpyAsync, malloc).
 */
typedef struct ptx_trace_access {
    size_t struct_size;
    unsigned how;            /* PTX_TRACE_READ ... */
    ptx_count_space space;   /* as written, PTX_COUNT_GENERIC without one */
    ptx_count_space reached; /* where the addresses lead; GENERIC: to no memory of the thread's */
    ptx_trace_order order;   /* WEAK unless PTX_TRACE_ATOMIC is set */
    ptx_trace_scope scope;
    const ptx_trace_place *at;
    uint64_t grid; /* number of the grid, of all that the device has launched */
    unsigned cta[3];
    unsigned worker; /* number of the worker, from 0 */
    unsigned nlanes;
    const ptx_trace_lane *lanes; /* by thread; until the function returns */
    const void *engine;          /* for ptx_trace_stored */
    /* The variable of `reached` that the address is computed from; variable_bytes 0: none is known. */
    ptx_address variable;
    uint64_t variable_bytes;
    const char *variable_name;
} ptx_trace_access;

/*
 * The same for who wants patterns of addresses and no more (ptx_device_config.trace_rows): an access whose
 * threads all reach one space, in the row of addresses that the engine has, at a small part of the cost.
 * Where it is set, what is no such access (matrices, clusters, asynchronous copies of several sizes, generic
 * addresses that leave global memory) goes to the other function.
 */
typedef struct ptx_trace_rows {
    size_t struct_size;
    unsigned how;
    ptx_count_space reached;
    const ptx_trace_place *at;
    unsigned worker;
    unsigned bytes;  /* of each lane */
    unsigned nlanes; /* lanes of the row; lane i belongs to warp i / 32 of those that go together */
    const ptx_address *address; /* of each lane, or of all where `same` is set, */
    int same;
    ptx_address offset;     /* to which this is added */
    const uint64_t *active; /* bits of the lanes whose guards hold */
} ptx_trace_rows;

/*
 * While a trace function hears of `access`: what lane number `lane` of it is about to store, and what lies
 * there now, each of the lane's bytes (at most 16). False, and nothing changes: it is no store of at most
 * four elements and 16 bytes, or its address leads nowhere.
 */
PTX_API int ptx_trace_stored(const ptx_trace_access *access, unsigned lane, void *value, void *memory);

/*
 * Likewise: the variable of the program that `address`, one of the access's, lies in, as "'tile' + 12"; ""
 * when it lies in none, or is not known.
 */
PTX_API void ptx_trace_where(const ptx_trace_access *access, ptx_address address, char *words, size_t size);

/* ---- what orders accesses ---- */

/* The number of the cluster's barrier, behind the block's own. */
enum { PTX_TRACE_CLUSTER_BARRIER = 16 };

typedef enum ptx_trace_kind {
    PTX_TRACE_GRID_BEGIN = 1,     /* its blocks may run from now on; `parent`, or `number`: the work of the
                                         host (ptx_trace_memory) that it is; from any thread */
    PTX_TRACE_GRID_END = 2,       /* it and its children are complete, or its launch was stopped */
    PTX_TRACE_BLOCK_BEGIN = 3,    /* before anything else of the block; `nthreads` is their number */
    PTX_TRACE_BLOCK_END = 4,      /* all threads have exited */
    PTX_TRACE_BARRIER_ARRIVE = 5, /* threads come to barrier `number` for `count` threads (0: all); of the
                                     cluster's barrier PTX_TRACE_CLUSTER_BARRIER */
    PTX_TRACE_BARRIER_LEAVE = 6,  /* threads that waited there (not those of bar.arrive) go on */
    PTX_TRACE_WARP_ARRIVE = 7,    /* bar.warp.sync: threads of one warp come; `number` is the member mask */
    PTX_TRACE_WARP_LEAVE = 8,     /* and go on */
    PTX_TRACE_FENCE = 9,          /* fence and membar: `order`, `scope` */
    PTX_TRACE_COMMIT = 10,        /* cp.async.commit_group */
    PTX_TRACE_WAIT = 11,          /* cp.async.wait_group: `number` groups may be left; `count` 1: wait_all */
    PTX_TRACE_GRID_ARRIVE =
        12,                    /* a thread comes to the barrier of a cooperative grid by a call (`at` NULL) */
    PTX_TRACE_GRID_LEAVE = 13, /* and goes on */
    PTX_TRACE_PRODUCT_COMMIT = 14, /* wgmma.commit_group */
    PTX_TRACE_PRODUCT_WAIT = 15,   /* wgmma.wait_group: `number` groups may be left */
    PTX_TRACE_PROXY_FENCE = 16     /* fence.proxy.async: between generic accesses and those of wgmma */
} ptx_trace_kind;

/* Fields that do not belong to the kind are zero. `threads` are numbers in the block, rising; they and the
 * event live until the function returns. Threads that meet at one barrier may arrive by several events. */
typedef struct ptx_trace_event {
    size_t struct_size;
    ptx_trace_kind kind;
    const ptx_trace_place *at; /* NULL: of grids and blocks */
    uint64_t grid;
    unsigned cta[3];
    unsigned worker;
    uint64_t number;
    unsigned count;
    ptx_trace_order order;
    ptx_trace_scope scope;
    uint64_t parent;    /* GRID_BEGIN: number of the grid that launched it; 0: the host did */
    const char *kernel; /* of the grid: GRID_BEGIN, GRID_END */
    unsigned shape[3], block[3];
    unsigned nthreads;
    const unsigned *threads; /* NULL: of grids and blocks */
} ptx_trace_event;

/* ---- which memory there is ---- */

typedef enum ptx_trace_memory_kind {
    PTX_TRACE_ALLOC = 1,      /* [address, address+bytes) is memory from now on */
    PTX_TRACE_FREE = 2,       /* and no longer */
    PTX_TRACE_FREE_ASKED = 3, /* the host asks that it be freed in stream order; FREE follows */
    PTX_TRACE_BAD_FREE = 4,   /* somebody frees an address where no allocation begins */
    PTX_TRACE_HOST_WRITE = 5, /* a copy from the host, or a fill, writes it */
    PTX_TRACE_HOST_READ = 6,  /* a copy to the host reads it */
    PTX_TRACE_COPY = 7,       /* a copy from `from` to `address` */
    PTX_TRACE_FAULT = 8,      /* an access of a kernel is about to fault */
    /* What the host submits has numbers that rise from 1. Work `address` begins to exist (`from` 0), or comes
     * after work `from` (`bytes` 1: it may begin before the end of that: PTX_LAUNCH_PROGRAMMATIC). */
    PTX_TRACE_AFTER = 9,
    PTX_TRACE_HOST_WAITED = 10, /* the host knows that work `address` is done; 0: that all is */
    /* A function of the device runtime writes [address, address+bytes) for the thread that called it (a
     * handle, an attribute): `space` and address are as in ptx_trace_access; grid, cta, thread. */
    PTX_TRACE_CALL_WRITE = 11
} ptx_trace_memory_kind;

typedef enum ptx_trace_owner {
    PTX_TRACE_DEVICE = 0, /* ptx_memory_alloc */
    PTX_TRACE_PINNED = 1,
    PTX_TRACE_MANAGED = 2,
    PTX_TRACE_STREAM = 3, /* in stream order */
    PTX_TRACE_GRAPH = 4,  /* of a graph's node, while it is memory */
    PTX_TRACE_HEAP = 5    /* a kernel allocates or frees it */
} ptx_trace_owner;

/* Fields that do not belong to the kind are zero. Strings live until the function returns. */
typedef struct ptx_trace_memory {
    size_t struct_size;
    ptx_trace_memory_kind kind;
    ptx_trace_owner owner; /* of ALLOC, FREE, BAD_FREE */
    ptx_address address, from;
    uint64_t bytes;
    uint64_t work;             /* of ALLOC in stream order: that allocates */
    const ptx_trace_place *at; /* of what a kernel does; NULL: the host does it. It lives no longer, either */
    uint64_t grid;
    unsigned cta[3], thread[3];
    ptx_count_space space; /* of CALL_WRITE: that is reached; of FAULT: as written; */
    unsigned how;          /* PTX_TRACE_READ, PTX_TRACE_WRITE, or both; */
    int error;             /* the CUDA error that it would be: 700, 716; */
    const char *message;   /* "access of 4 bytes at 0x...: it runs past the end of its allocation" */
} ptx_trace_memory;

/*
 * ptx_device_config.trace_memory: called by any thread, for FAULT by the worker that runs the block, with
 * locks of the device held: it must not use the device. Not zero for FAULT: no fault; the access reads zeros
 * and writes nothing. What it answers to others does not matter. What the host does to pinned and managed
 * memory by its own pointers is not reported.
 */

#ifdef __cplusplus
}
#endif
#endif
