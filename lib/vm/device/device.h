/*
 * device.h - one virtual GPU and the programs loaded on it.
 *
 * A device owns its memory, its scheduler and its programs; nothing of it is
 * shared with another device. The device runtime (lib/cdp) stands to the right
 * of this folder, so it is reached through a table of functions.
 */
#ifndef PX_VM_DEVICE_DEVICE_H
#define PX_VM_DEVICE_DEVICE_H

#include "code/code.h"
#include "code/dump.h"
#include <pthread.h>
#include "link/program.h"
#include "gang/engine.h"
#include "gang/record.h"
#include "gang/wide.h"
#include "mem/heap.h"
#include "vm/device/gate.h"
#include "vm/device/quota.h"
#include "vm/device/handle.h"
#include "vm/sched/sched.h"
#include "vm/queue/task.h"
#include "vm/device/texture.h"
#include "vm/device/launches.h"
#include "vm/device/notice.h"
#include "vm/device/traced.h"
#include "vm/device/watch.h"

/* What the VM asks of the device runtime. All but `find` are called under the scheduler's lock. */
struct px_runtime {
    px_builtin_find find;
    bool (*drained)(struct px_grid *grid); /* grid and children are complete; true: a tail was started */
    void (*completed)(
        struct px_grid *grid);             /* grid and its tails are complete; its parent has not heard yet */
    void (*discard)(struct px_grid *grid); /* frees grid->cdp and grid->item */
    bool (*stalled)(
        struct px_run *run); /* nothing of it can run: true when parked lanes shall be asked again */
    void (*launch_over)(struct ptx_device *device, struct px_run *run); /* it has ended, well or not */
    void (*destroy)(struct ptx_device *device);                         /* frees device->cdp; no lock */
};

/* Facts of an architecture (CUDA C++ Programming Guide, table of compute capabilities). */
struct px_arch {
    uint16_t sm; /* 90 */
    uint16_t sm_count;
    uint16_t ctas_per_sm, threads_per_sm;
    uint32_t shared_per_sm, shared_per_cta; /* bytes; the latter is the opt-in maximum */
};

struct px_mistakes;
struct px_san;

struct ptx_device {
    ptx_allocator alloc; /* counts in `quota` */
    atomic_uint *ours;   /* a page with 1, and 0 in a process that was forked; NULL: none could be had */
    struct px_quota quota;
    ptx_device_config config; /* zeros replaced by what they mean; `arch` is not kept */
    struct px_arch arch;
    struct px_mem mem;
    struct px_heap heap;    /* device-side malloc */
    struct px_heap buffers; /* parameter buffers of device-side launches */
    const struct px_runtime *runtime;
    const struct px_level *level;
    uint32_t engine;    /* enum px_engine: optimisations that are on */
    bool hears_events;  /* ptx_device_config.trace_event is set */
    struct px_san *san; /* the checks that its trace functions feed; api/check.c made them. NULL: none */
    struct px_mistakes *mistakes;                          /* the check of launches (lib/cdp); NULL: none */
    char *suppress;                                        /* rules of ptx_check_suppress; NULL: none */
    void (*mistakes_forget)(struct px_mistakes *mistakes); /* when a program goes, whose places it has */
    bool locked; /* accesses of 16 bytes take locks, on levels that can */
    struct px_wide locks;
    struct px_dump dump; /* of kernels that are decoded for a launch; write NULL: nobody looks */
    struct px_sched sched;
    struct px_tasks tasks;
    struct px_handles handles; /* of streams, events, launches, graphs; under the scheduler's lock */
    struct px_textures textures;
    struct px_stream *streams;       /* those that are not destroyed; under the scheduler's lock */
    uint64_t captures;               /* how many were begun; the same */
    struct px_condition *conditions; /* of graphs; the same */
    struct px_stream *legacy;        /* its default stream */
    pthread_mutex_t output_lock;
    pthread_mutex_t mem_lock;           /* allocations of `mem`; readers need none */
    struct px_gate copies;              /* of the host to and from `mem` (px_memory_share moves pages) */
    pthread_mutex_t lock;               /* what follows; never held while another lock is taken */
    struct ptx_program *programs;       /* newest first */
    _Atomic(struct ptx_program *) dead; /* nobody uses them any more; to be freed by px_device_reap */
    struct px_pool *pool;               /* the device's own */
    struct px_pool *graphs;             /* counts memory of graphs; none of the pools */
    struct px_pool **pools;             /* all by place; under mem_lock. NULL: a place that is free */
    uint32_t npools;
    atomic_bool pools_used;
    struct px_told *told;
    struct px_watch watch;
    struct px_past past;          /* (notice.c) */
    struct px_launches *launches; /* NULL: none is recorded; under the scheduler's lock */
    atomic_bool any_told;
    uint32_t next_program;
    uint32_t depth_limit[2]; /* of launch nesting for CDP1, CDP2 */
    struct px_gone *gone;    /* counts of programs that went (counts.c); */
    bool counts_lost;        /* there was no memory for some */
    void *cdp;               /* lib/cdp's state of the device; under the scheduler's lock */
    char message[512];
};

struct ptx_kernel {
    struct ptx_program *program;
    const struct px_lfunc *func;
    struct ptx_kernel *next;        /* in its program; made on first use */
    atomic_bool brief;              /* its last launch was: who submits the next one may run it */
    atomic_uint_fast64_t steps;     /* warp-instructions of a block of its last launch */
    bool dynamic_set, carveout_set; /* attributes that were set: dynamic shared memory, carve-out */
    bool open;                      /* to clusters of more blocks than every chip has: an attribute, too */
    int dynamic_bytes, carveout, cluster_policy;
    unsigned cluster[3]; /* an attribute: clusters of launches that give none; all 0: not set */
};

struct ptx_program {
    struct ptx_device *device;
    struct ptx_program *next, *dead; /* among all that are complete, and among those to be freed */
    atomic_uint refs;                /* the embedder's, and one a grid */
    uint32_t number;                 /* owner number of its const and func windows */
    struct px_linked linked;
    ptx_address global_base; /* 0 without .global variables */
    uint64_t opaque_base;    /* handle of the first texture, sampler or surface variable; 0: there are none */
    ptx_fmad fmad;           /* ptx_program_options.fmad */
    bool retained;           /* its modules know of it */
    uint8_t *const_image;    /* what the const window shows: linked.const_bytes */
    struct ptx_kernel *kernels;
    void **host_calls;         /* host.c: prepared signatures by px_lfunc.id */
    pthread_mutex_t code_lock; /* guards what follows; decoded.c */
    struct px_arena code_arena;
    _Atomic(struct px_code *) code; /* decoded kernels, newest first; read without the lock, too */
    pthread_mutex_t div_lock;       /* guards px_fcode.div of their functions; read without the lock, too */
};

/* What the engine asks. */
const ptx_allocator *px_device_allocator(const struct ptx_device *device);
uint32_t px_device_sm_count(const struct ptx_device *device);

/* Host memory of [va, va+size) in device memory or in a const window; NULL when it is not one block. *holder:
 * the program whose memory it is, which stays until px_program_release; NULL: none. */
void *px_device_host(struct ptx_device *device, uint64_t va, uint64_t size, struct ptx_program **holder);

/* "'tile' + 12": the variable that a global address, or one of shared memory, lies in; "" for none. */
void px_variable_text(const struct px_grid *grid, bool shared, uint64_t address, char *buf, size_t size);

/* Frees what the host allocated; false for anything else (a program's variables, the heaps). */
bool px_device_free(struct ptx_device *device, uint64_t va);
/* Device memory for the device's own use, zeroed, which the host cannot free. False: there is none. */
bool px_device_alloc(struct ptx_device *device, uint64_t size, uint64_t align, uint64_t *va);
void px_device_drop(struct ptx_device *device, uint64_t va);

/* A whole call's text to the embedder; one at a time. Beyond max_output nothing goes out and the launch
 * stops. */
void px_device_output(const struct px_grid *grid, const char *text, size_t size);
/* Sets device->message. */
void px_device_say(struct ptx_device *device, const char *format, ...) __attribute__((format(printf, 2, 3)));
void px_device_hush(struct ptx_device *device); /* to nothing */
/* Sets device->message and returns PTX_ERROR_INVALID_ARGUMENT, PTX_ERROR_OUT_OF_MEMORY. */
ptx_status px_device_refuse(struct ptx_device *device, const char *why);
ptx_status px_device_no_memory(struct ptx_device *device);
const struct px_arch *px_arch_find(const char *name); /* NULL when unknown */

/* The function of the grid's program that `va` is the address of; NULL when there is none. */
const struct px_lfunc *px_grid_function(const struct px_grid *grid, uint64_t va);
/* The same of any program, which stays as long as the grid's run; NULL as well: there is no memory. */
const struct px_lfunc *px_any_function(const struct px_grid *grid, uint64_t va, struct ptx_program **program);

ptx_status px_device_create(const ptx_device_config *config, const struct px_runtime *runtime,
                            ptx_device **device);
/* Is the calling thread one that runs the device's blocks? */
bool px_device_is_inside(struct ptx_device *device);
void px_device_destroy(ptx_device *device);
/* Frees programs that nobody uses any more. No lock is held. */
void px_device_reap(ptx_device *device);
/* PTX_OK, or what a lost device answers. */
ptx_status px_device_state(ptx_device *device);
/* Another size of the heap for malloc; nothing runs. */
ptx_status px_device_heap_set(ptx_device *device, uint64_t bytes);

/* program.c */
ptx_status px_program_create(ptx_device *device, const ptx_module *const *modules, size_t count,
                             const ptx_program_options *options, ptx_program **program);
/* The embedder has done with it: it goes with the last grid that uses it. */
void px_program_destroy(ptx_program *program);
void px_program_release(ptx_program *program); /* of a grid; NULL is allowed */
void px_program_free(ptx_program *program);
/* As module number `module` calls it; PX_ANY_MODULE: as modules share it, else the first module's own. */
#define PX_ANY_MODULE SIZE_MAX
ptx_status px_program_kernel(ptx_program *program, size_t module, const char *name, ptx_kernel **kernel);
ptx_status px_program_variable(ptx_program *program, size_t module, const char *name, ptx_address *address,
                               uint64_t *size);
/* device.c: what the words ask to see; false: one is none, and the device's message says which there are. */
bool px_device_dump(struct ptx_device *device, const char *words, struct px_dump *dump);
/* decoded.c: how its kernels are decoded. */
struct px_code_wishes px_program_wishes(const struct ptx_program *program);
ptx_status px_program_show_ir(ptx_program *program, const char *what, unsigned threads, ptx_write_fn write,
                              void *user);
ptx_status px_program_gaps(ptx_program *program, void (*tell)(void *user, const ptx_gap *gap), void *user,
                           uint64_t *instructions);
/* The kernel that a function is; PTX_ERROR_OUT_OF_MEMORY. */
ptx_status px_program_kernel_of(ptx_program *program, const struct px_lfunc *func, ptx_kernel **kernel);
void px_kernel_info(const ptx_kernel *kernel, ptx_kernel_info *info);

/* launch.c */
enum px_shape_error { PX_SHAPE_OK, PX_SHAPE_GRID, PX_SHAPE_BLOCK, PX_SHAPE_SHARED, PX_SHAPE_REQNTID };
/* Are grid, block and dynamic shared memory in bounds for the device and the kernel? */
enum px_shape_error px_launch_check(const struct ptx_device *device, const struct px_lfunc *kernel,
                                    struct px_shape grid, struct px_shape block, uint32_t shared);
/* Why not, with value and limit; "" when they are. */
void px_launch_why(const struct ptx_device *device, const struct px_lfunc *kernel, enum px_shape_error error,
                   struct px_shape grid, struct px_shape block, uint32_t shared, char *buf, size_t size);
/* CTAs of this shape that a multiprocessor holds at once; registers are not counted. */
uint32_t px_occupancy(const struct ptx_device *device, uint32_t threads, uint32_t shared);
/* Clusters of so many blocks that the device holds at once; one at least. */
uint32_t px_occupancy_clusters(const struct ptx_device *device, uint32_t threads, uint32_t shared,
                               uint32_t blocks);
struct px_clustering; /* vm/sched/clustering.h */
/* A grid with its parameters zeroed; NULL when out of memory (why->text NULL) or when the kernel cannot be
 * decoded. `room`: what px_grid_spare gave, which is used up in any case, or NULL. */
struct px_grid *px_grid_create(struct ptx_program *program, const struct px_lfunc *kernel,
                               struct px_shape grid, struct px_shape block,
                               const struct px_clustering *clusters, uint32_t shared, struct px_grid *room,
                               struct px_refusal *why);
struct px_grid *px_grid_create_native(struct ptx_device *device, px_native_fn native, const void *operands,
                                      size_t size);
void px_grid_free(struct px_grid *grid);
/* Memory of a grid that is complete, for one of this kernel; NULL: there is none. Frees a grid, or keeps its
 * memory for that. The lock is held. */
struct px_grid *px_grid_spare(struct px_sched *sched, const struct px_lfunc *kernel);
void px_grid_retire(struct px_grid *grid);
void px_grid_free_spare(struct px_sched *sched); /* nothing runs */
/* A grid with its parameters, as the host wants it. On failure the device's message is set, and the calling
 * thread's fault. */
ptx_status px_launch_grid(ptx_kernel *kernel, const ptx_launch_config *config, ptx_fault *fault,
                          struct px_grid **grid);
/* Runs a kernel and all that it launches, in no stream. */
ptx_status px_launch(ptx_kernel *kernel, const ptx_launch_config *config, ptx_fault *fault);

/* host.c; false with *error set, or NULL when there is no memory */
bool px_host_prepare(struct ptx_program *program, const char **error);
void px_host_free(struct ptx_program *program);

/* address.c: which memory the address of a trap means. */
void px_address_text(const struct ptx_device *device, const struct px_trap *trap, char *buf, size_t size);

/* decoded.c: code of a kernel for `threads`, in clusters of several blocks or not, cached in the program.
 * NULL with *why set. */
const struct px_code *px_code_get(struct ptx_program *program, const struct px_lfunc *kernel,
                                  uint32_t threads, bool clustered, struct px_refusal *why);
/* The divergent version of a function of the grid's code; the first who asks makes it. NULL: there is no
 * memory. Any worker. */
const struct px_insn *px_code_div(const struct px_grid *grid, const struct px_fcode *code);

#endif
