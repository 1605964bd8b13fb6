/*
 * ptxvm.h - devices, memory, programs, launches, host functions.
 *
 * A device is one virtual GPU: memory, workers, limits. A program is modules
 * linked and decoded for a device. A launch runs one grid and every grid that
 * it launches in turn, and returns when all of them are complete.
 *
 * Threads: any number of threads may use one device, its programs and memory;
 * only making and destroying a device, and reading ptx_device_message, are for
 * one thread at a time. ptx_device_interrupt may be called from a signal
 * handler, too. Different devices are independent.
 */
#ifndef PTXVM_H
#define PTXVM_H

#include "ptx.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ptx_device ptx_device;
typedef struct ptx_program ptx_program;
typedef struct ptx_kernel ptx_kernel;

/* A device address. Addresses are fixed numbers of the device: two runs that allocate alike see the same. */
typedef uint64_t ptx_address;

/* ---- devices -------------------------------------------------------- */

/*
 * When what cp.async issues happens (docs/async.md). LATE: when a wait, or somebody who polls the mbarrier
 * that it arrives at, needs it, or nothing else in the block can run, so that a missing wait shows. EARLY: at
 * once. RANDOM: somewhere between, as drawn from `async_seed`. Results differ only for kernels that do not
 * wait.
 */
typedef enum ptx_async { PTX_ASYNC_LATE, PTX_ASYNC_EARLY, PTX_ASYNC_RANDOM } ptx_async;

/*
 * What runs first of all that may. RANDOM: blocks begin in any order and take turns at any time, and so do
 * the warps and lanes of a block, of which any number may go ahead of the others before an access to memory;
 * grids that may run do so in any order, and asynchronous copies are as PTX_ASYNC_RANDOM. All of it is drawn
 * from `schedule_seed`: with one worker the same seed gives the same run. Results differ only for programs
 * that count on an order that nothing promises them.
 */
typedef enum ptx_schedule { PTX_SCHEDULE_USUAL, PTX_SCHEDULE_RANDOM } ptx_schedule;

/* Hears of an access to memory that is about to be made, and of what orders accesses (ptx_trace.h). */
struct ptx_trace_access;
struct ptx_trace_event;
struct ptx_trace_memory;
typedef void (*ptx_trace_fn)(void *user, const struct ptx_trace_access *access);
typedef void (*ptx_trace_event_fn)(void *user, const struct ptx_trace_event *event);
typedef int (*ptx_trace_memory_fn)(void *user, const struct ptx_trace_memory *event);

/*
 * What a device makes of programs that do what PTX leaves undefined: member masks that do not name their own
 * lane, or nobody; device memory past an allocation. FAULT: it is a fault. CHIP: what an H200 does
 * (docs/fidelity.md, "Undefined behaviour").
 */
typedef enum ptx_ub { PTX_UB_FAULT = 0, PTX_UB_CHIP = 1 } ptx_ub;

struct ptx_watch_event;
struct ptx_trace_rows;
typedef void (*ptx_trace_rows_fn)(void *user, const struct ptx_trace_rows *rows);

typedef struct ptx_device_config {
    size_t struct_size;
    ptx_allocator allocator;
    unsigned workers;  /* threads that run CTAs, the caller among them; 0: one a CPU */
    int deterministic; /* CTAs in order on one worker; what is submitted runs when it is waited or asked for
                        */
    int host_memory; /* host pointers are device addresses (no bounds check; wild ones are the caller's risk)
                      */
    uint64_t memory_bytes; /* device memory: allocations and variables; 0: 16 GiB of address space, committed
                              as it is used. With host_memory nothing is reserved, and it limits variables and
                              heap. What a launch takes from the host besides: max_host */
    const char *arch;      /* what %special registers and limits report; NULL: "sm_90" */
    uint64_t max_steps;    /* warp-instructions a launch may execute; 0: no limit */
    uint64_t timeout_ms;   /* wall time a launch may take; 0: no limit */
    uint64_t heap_bytes;   /* device-side malloc heap; 0: 8 MiB */
    unsigned pending_launches; /* device-side launches not yet complete; 0: 2048 */
    unsigned launch_depth;     /* nesting of device-side launches; 0: 24 for CDP1, 64 for CDP2 */
    int approx_exact;          /* .approx results correctly rounded instead of the chip's */
    ptx_write_fn output;       /* receives device printf and assertion text, one whole call at a time,
                                  from any worker, never two at once; NULL: discarded */
    void *output_user;
    uint64_t max_output; /* bytes of text that a launch may give to `output`; 0: 64 MiB, UINT64_MAX: no limit.
                            The call of printf that would exceed it writes nothing and ends the launch */
    uint64_t max_host;   /* bytes of the host's memory, beside device memory, that the device may hold while a
                            launch runs: register frames, local and shared memory of the blocks that exist,
                            blocks that wait, pending launches, tables, the programs. Stacks of worker threads
                            are not counted. 0: half of the host's memory, UINT64_MAX: no limit */
    char *error;         /* NULL, or where ptx_device_create says in a line why it failed; */
    size_t error_bytes;  /* room there, the NUL included (200 is plenty) */
    ptx_async async;     /* when asynchronous copies happen */
    uint64_t async_seed; /* of PTX_ASYNC_RANDOM; 32 bits count */
    int sticky; /* a fault, a deadlock or a limit marks the device, as a CUDA context: what runs is stopped,
                   what waits does not begin, and all that is asked of it from then on is PTX_ERROR_FAULT,
                   PTX_ERROR_DEADLOCK or PTX_ERROR_LIMIT. 0: it ends its launch and nothing else */
    /* i > 0: device memory has one address on both sides, in the i-th range of the host's addresses that is
     * kept for this; PTX_ERROR_UNSUPPORTED where that is not free. Two devices of a process want different
     * ranges. 0: device addresses mean nothing to the host. */
    unsigned unified;
    const char *engine; /* optimisations to do without, for measuring and for comparing bits: words separated
                           by commas, no-NAME (docs/engine.md has the names), or plain: without any. NULL: all
                           are on. Results do not depend on them. Not kept */
    int counts;         /* how often instructions are executed is counted (ptx_counts.h) */
    ptx_schedule schedule;  /* in which order what may run does */
    uint64_t schedule_seed; /* of PTX_SCHEDULE_RANDOM; 32 bits count */
    ptx_trace_fn trace; /* called for each access of a kernel to memory (ptx_trace.h); NULL: nobody asks */
    void *trace_user;
    /* makes the calls of ptx_stream_host, on the thread where they are made: who embeds the library may mark
     * it meanwhile. Must call fn(user). NULL: nothing else happens */
    void (*host_call)(void (*fn)(void *user), void *user);
    /* what the engine makes of each kernel is shown as text when it is launched first (docs/ir.md):
     * "PASS,...:FUNCTION" as ptx_program_show_ir takes it; it lives until the device is destroyed. NULL:
     * nothing is shown */
    const char *dump_ir;
    ptx_write_fn dump; /* receives that text, one function after one pass a call, from any thread; of two
                          programs two calls may come at once. What it answers does not matter */
    void *dump_user;
    ptx_ub ub;
    unsigned check; /* PTX_CHECK_ of ptx_check.h, or-ed: blocks run on one worker, and what they do wrong is
                       found. 0: nothing is checked */
    ptx_trace_event_fn trace_event; /* called with trace_user for what orders accesses; NULL: nobody asks */
    unsigned group;    /* 0 to 31: other unified devices may open memory for a group (ptx_memory.h) */
    uint64_t launches; /* bytes of the host's memory for records of launches (ptx_launches.h); what does not
                          fit is counted. 0: none are kept */
    /* hears of REFUSED and PAST alone (ptx_watch.h), in the way of ptx_watch_fn: what a person should know
     * and nothing else tells. NULL: nobody asks */
    void (*notice)(void *user, const struct ptx_watch_event *event);
    void *notice_user;
    ptx_trace_memory_fn
        trace_memory; /* called with trace_user for what becomes memory and what no longer is
                         (ptx_trace.h), and for accesses that would fault; NULL: nobody asks */
    int rest;         /* addresses that were freed are given out again as late as possible */
    /* with `trace` and without `check`: hears of simple accesses in its place (ptx_trace.h); NULL: nobody */
    ptx_trace_rows_fn trace_rows;
    int poison; /* not 0: 256 + a byte that memory holds until it is written: what is allocated (also by
                   kernels), shared memory when a block begins. 0: they hold zeros (docs/checks.md) */
} ptx_device_config;

/*
 * Makes a device. PTX_ERROR_OUT_OF_MEMORY: the allocator failed, or the address space of `memory_bytes`
 * cannot be reserved (ulimit -v, containers): ask for less. PTX_ERROR_INVALID_ARGUMENT: an unknown `arch` or
 * word of `engine`, or a size beyond all memory. `config` may be NULL.
 */
PTX_API ptx_status ptx_device_create(const ptx_device_config *config, ptx_device **device);

/* Destroys the device, its memory and its programs. What runs is stopped, what waits does not begin. NULL is
 * allowed. From a function that the device itself calls it does nothing. */
PTX_API void ptx_device_destroy(ptx_device *device);

/* Asks all launches that were made so far to stop; they end with PTX_ERROR_INTERRUPTED soon. Any thread or
 * signal handler. */
PTX_API void ptx_device_interrupt(ptx_device *device);

/*
 * Another heap, and another number of pending launches, than the device was made with; 0 leaves one as it is.
 * PTX_ERROR_NOT_READY while something is under way; PTX_ERROR_INVALID_ARGUMENT once a kernel has allocated
 * from the heap; PTX_ERROR_OUT_OF_MEMORY, and nothing changed.
 */
PTX_API ptx_status ptx_device_limits(ptx_device *device, uint64_t heap_bytes, unsigned pending_launches);

typedef struct ptx_progress {
    size_t struct_size;
    uint64_t ctas_done, ctas_total; /* of all grids launched so far */
    uint64_t grids_done, grids_total;
    uint64_t thread_instructions;      /* executed so far, an estimate while running */
    unsigned max_depth;                /* deepest nesting of grids seen: 0 without device-side launches */
    uint64_t thread_instructions_ever; /* of all launches of the device's life, likewise */
    /* Loops that became machine code, how often such a loop was entered, and kernels for which the host
     * refused memory that can be run: of the device's life. */
    uint64_t regions_made, regions_entered, regions_refused;
} ptx_progress;

/* Counters of all launches since the device was last idle. Any thread. */
PTX_API void ptx_device_progress(const ptx_device *device, ptx_progress *progress);

/* ---- memory --------------------------------------------------------- */

/* Allocates `size` bytes (at least 1), aligned to 512, zeroed. */
PTX_API ptx_status ptx_memory_alloc(ptx_device *device, uint64_t size, ptx_address *address);
/* Frees what ptx_memory_alloc gave; 0 is allowed. PTX_ERROR_INVALID_ARGUMENT for anything else. */
PTX_API ptx_status ptx_memory_free(ptx_device *device, ptx_address address);
/* Copies between host and device, at once and behind nothing; PTX_ERROR_INVALID_ARGUMENT when the range
 * leaves its allocation. An aligned word of 1, 2, 4 or 8 bytes is read and written as one: a kernel may wait
 * for it. */
PTX_API ptx_status ptx_memory_write(ptx_device *device, ptx_address to, const void *from, uint64_t size);
PTX_API ptx_status ptx_memory_read(ptx_device *device, void *to, ptx_address from, uint64_t size);
PTX_API ptx_status ptx_memory_fill(ptx_device *device, ptx_address to, int value, uint64_t size);

/* ---- programs ------------------------------------------------------- */

/* A native C function of any signature; the VM calls it by the types of the module's .extern .func. */
typedef void (*ptx_host_fn)(void);

/* Finds the native function for an undefined .extern .func; NULL when there is none. */
typedef ptx_host_fn (*ptx_host_resolver)(void *user, const char *name);

typedef struct ptx_program_options {
    size_t struct_size;
    ptx_host_resolver resolve; /* NULL: no host functions */
    void *resolve_user;
    ptx_fmad fmad; /* default: as each module says */
} ptx_program_options;

/*
 * A link: `count` checked modules held against one another as ptx_program_create does it, without a device,
 * so that everything that is wrong can be told at once, with both places. The rules are nvlink's
 * (docs/linking.md). PTX_OK, or PTX_ERROR_LINK: `*link` is set and the caller owns it; PTX_ERROR_ASSEMBLY: a
 * module has errors, or was only checked; PTX_ERROR_INVALID_ARGUMENT: no module, or NULL among them.
 * `options` may be NULL; of it `resolve` is asked. The modules may be destroyed afterwards. One module object
 * stands in a list once (a text that is to be linked twice is created twice); messages call modules by their
 * ptx_module_options.file_name.
 */
typedef struct ptx_link ptx_link;
PTX_API ptx_status ptx_link_create(const ptx_module *const *modules, size_t count,
                                   const ptx_program_options *options, ptx_link **link);
/* NULL is allowed. */
PTX_API void ptx_link_destroy(ptx_link *link);

/* Lines, columns and lengths as in ptx_diagnostic. Everything it points to lives as long as the link. */
typedef struct ptx_link_diagnostic {
    size_t struct_size;
    ptx_severity severity;
    const char *code;         /* "E0801" */
    const char *message;      /* one line, in nvlink's wording */
    const char *note;         /* "used in 'k'"; NULL if none */
    const ptx_module *module; /* what draws it; NULL: the program as a whole */
    const char *file;
    unsigned line, column, length;
    const ptx_module *first_module; /* the declaration that it does not go with; NULL: none */
    const char *first_file;
    unsigned first_line, first_column, first_length;
} ptx_link_diagnostic;

/* Number of diagnostics, and the i-th: in the order of modules and of their texts, undefined names last. */
PTX_API size_t ptx_link_diagnostic_count(const ptx_link *link);
PTX_API ptx_status ptx_link_diagnostic_get(const ptx_link *link, size_t index,
                                           ptx_link_diagnostic *diagnostic);

/*
 * Links `count` checked modules and prepares them for `device`. The modules may
 * be destroyed afterwards. Device-runtime names (abi: cudaLaunchDevice, vprintf,
 * malloc, ...) are resolved first, then names of the modules, then `resolve`.
 * On failure ptx_device_message says what was missing; of several faults of a link it tells the first, and
 * ptx_link_create tells all. The caller owns the program.
 */
PTX_API ptx_status ptx_program_create(ptx_device *device, const ptx_module *const *modules, size_t count,
                                      const ptx_program_options *options, ptx_program **program);
/* Its kernels are no longer to be used. Launches that were submitted still run, and its memory goes after
 * them. */
PTX_API void ptx_program_destroy(ptx_program *program);

/*
 * Text of the last ptx_program_create or ptx_kernel_launch of this device when that failed ("undefined
 * function 'f'
 * ..."), else "". A failure always has one.
 */
PTX_API const char *ptx_device_message(const ptx_device *device);

/*
 * A kernel by its exact name; it lives as long as its program. Address and size of a module-scope .global or
 * .const variable. The name is the one that modules share (.visible, .weak, .common); without any, the first
 * module's own of this name.
 */
PTX_API ptx_status ptx_program_kernel(ptx_program *program, const char *name, ptx_kernel **kernel);
PTX_API ptx_status ptx_program_variable(ptx_program *program, const char *name, ptx_address *address,
                                        uint64_t *size);
/* The same as module number `module` of the program's list (from 0) calls it: what is its own, or shared. */
PTX_API ptx_status ptx_program_module_kernel(ptx_program *program, size_t module, const char *name,
                                             ptx_kernel **kernel);
PTX_API ptx_status ptx_program_module_variable(ptx_program *program, size_t module, const char *name,
                                               ptx_address *address, uint64_t *size);

/*
 * An instruction of a program that the VM cannot run: a fault (CUDA error 801) of the thread that reaches it.
 * Strings live until the callback returns.
 */
typedef struct ptx_gap {
    const char *function;
    const char *file;
    unsigned line, column;
    const char *instruction; /* the statement; "" when the function as a whole cannot be run */
    const char *why;         /* "cannot be run by this VM yet; ..." */
} ptx_gap;

/*
 * Calls `tell` for each gap, in the order of functions and text, and counts the instructions of all functions
 * in *instructions (may be NULL). `tell` must not use the program. PTX_ERROR_OUT_OF_MEMORY, else PTX_OK.
 */
PTX_API ptx_status ptx_program_gaps(ptx_program *program, void (*tell)(void *user, const ptx_gap *gap),
                                    void *user, uint64_t *instructions);

/*
 * Shows what the engine makes of all kernels of a program, for blocks of `threads` threads (0: 256), without
 * running any: `what` is "PASS,...:FUNCTION", each part of which may be missing. docs/ir.md has the passes,
 * the form of the text, and the words `all` and `dot`. A kernel that cannot be run is a line with the reason.
 * PTX_ERROR_INVALID_ARGUMENT: a word is none of these, and ptx_device_message tells which there are;
 * PTX_ERROR_OUT_OF_MEMORY. `write` must not use the program.
 */
PTX_API ptx_status ptx_program_show_ir(ptx_program *program, const char *what, unsigned threads,
                                       ptx_write_fn write, void *user);

/* ---- launches ------------------------------------------------------- */

enum {
    /* The kernel need not wait for the end of the one before it in its stream (or of those before its node in
     * a graph): it begins when each block of that one has executed griddepcontrol.launch_dependents or ended,
     * and its griddepcontrol.wait waits for that one's end. Behind anything but a kernel it changes nothing.
     */
    PTX_LAUNCH_PROGRAMMATIC = 1,
    PTX_LAUNCH_PRIORITY = 2 /* `priority` takes the place of the stream's */
};

typedef struct ptx_launch_config {
    size_t struct_size;
    unsigned grid[3];      /* CTAs; 0 in y or z counts as 1 */
    unsigned block[3];     /* threads; 0 in y or z counts as 1 */
    unsigned shared_bytes; /* dynamic shared memory a CTA */
    const void *params;    /* the parameter buffer, laid out as ptx_param_info says; copied */
    size_t param_bytes;    /* at least the kernel's param_bytes */
    uint64_t max_steps;    /* as ptx_device_config says, for this launch; 0: the device's */
    uint64_t timeout_ms;   /* the same */
    int cooperative;     /* all blocks run at once; PTX_ERROR_LAUNCH when the device does not hold as many */
    unsigned cluster[3]; /* blocks of a cluster, which divide the grid; all 0: as .reqnctapercluster says. At
                            most 8 blocks, 16 with the kernel's attribute 14 (ptx_kernel_attribute_set) */
    unsigned flags;      /* PTX_LAUNCH_... */
    int priority;        /* as in ptx_stream_config */
    struct ptx_fault *refused; /* ptx_kernel_submit fills it, where ptx_kernel_launch fills its fault, when it
                                  refuses the launch; NULL: nobody asks. Others do not look at it */
    const char *api; /* what the launch is called in lists of launches (ptx_launches.h): a name that lives as
                        long as the device. NULL: nothing */
} ptx_launch_config;

/*
 * Why a launch stopped. Strings belong to the device and live until the thread that was told launches again
 * with ptx_kernel_launch, or is told of another fault.
 */
typedef struct ptx_fault {
    size_t struct_size;
    int cuda_error;                  /* CUresult/cudaError number: 700, 716, 719, 710, ... */
    const char *name;                /* "CUDA_ERROR_ILLEGAL_ADDRESS" */
    const char *message;             /* one line: what happened */
    const char *instruction;         /* the PTX instruction as written; "" when there is none */
    const char *file;                /* PTX file */
    unsigned line, column;           /* where the instruction begins in it, from 1; 0 when unknown */
    unsigned last_line, last_column; /* where its semicolon stands */
    const char *source;              /* "x.cu:12 (inlined at y.cu:40)" from .loc; "" when unknown */
    const char *kernel;              /* kernel's name */
    const char *function;            /* the function that the instruction stands in; "" when unknown */
    const char *calls; /* "called from g at x.ptx:30 (x.cu:12), called from k at x.ptx:55"; "" in a kernel */
    const char *launched_by; /* "child <- parent <- host" */
    unsigned cta[3], thread[3];
    ptx_address address;    /* faulting address, 0 when not a memory fault */
    const char *allocation; /* "16 bytes past the end of a 4096-byte allocation at 0x...", "byte 64 of the
                               block's shared memory, which has 64 bytes; 'tile' is bytes 0 to 63"; "" */
    const char *state;      /* several lines: where every live CTA stands (deadlock, limit, interrupt) */
} ptx_fault;

/*
 * Runs a grid and everything it launches; returns when all are complete. It is in no stream (ptx_stream.h).
 * PTX_ERROR_FAULT, PTX_ERROR_DEADLOCK, PTX_ERROR_LIMIT and PTX_ERROR_INTERRUPTED
 * fill `*fault` (which may be NULL), and so does PTX_ERROR_UNSUPPORTED: message and place of what keeps the
 * kernel as a whole from running; an instruction that the VM cannot run is
 * PTX_ERROR_FAULT with cuda_error 801, where it is reached. PTX_ERROR_LAUNCH: the shape is out of bounds;
 * `*fault` is filled when it is a cooperative launch of more blocks than the device holds (cuda_error 720),
 * or one with clusters that the kernel or the device does not have (912). PTX_ERROR_LIMIT is one of
 * max_steps, timeout_ms, max_output and max_host: ptx_device_message says which.
 */
PTX_API ptx_status ptx_kernel_launch(ptx_kernel *kernel, const ptx_launch_config *config, ptx_fault *fault);

/* Shape of a kernel as the VM sees it. */
PTX_API ptx_status ptx_kernel_info_get(const ptx_kernel *kernel, ptx_kernel_info *info);

#ifdef __cplusplus
}
#endif
#endif
