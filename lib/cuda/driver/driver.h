/*
 * driver.h - what the files of libcuda.so.1 share: objects and their handles, devices, contexts, the log.
 *
 * A handle that a program holds (CUstream, CUmodule, ...) is a number: kind, generation and place in one
 * table of the process (handle.c). A call takes the object for as long as it works with it; an object
 * that is destroyed meanwhile goes when its last call is over. So a handle that was freed, or never was one,
 * is an error and never an access to memory. Every object keeps its context, and a context keeps its virtual
 * device.
 */
#ifndef PX_CUDA_DRIVER_DRIVER_H
#define PX_CUDA_DRIVER_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#define PX_CU_INSIDE
#include "cuda/driver/api.h"
#include "ptx_counts.h"
#include "ptx_graph.h"
#include "ptx_info.h"
#include "ptx_memory.h"
#include "ptx_watch.h"

/* ---- handles (handle.c) ---- */

enum px_cu_kind {
    PX_CU_CONTEXT = 1,
    PX_CU_MODULE,
    PX_CU_FUNCTION,
    PX_CU_LIBRARY,
    PX_CU_KERNEL,
    PX_CU_STREAM,
    PX_CU_EVENT,
    PX_CU_GRAPH,
    PX_CU_NODE,
    PX_CU_EXEC,
    PX_CU_POOL,
    PX_CU_ALLOCATION,
    PX_CU_NOTIFICATION,
    PX_CU_ARRAY,
    PX_CU_MIPMAP,
    PX_CU_TEXTURE,
    PX_CU_SURFACE,
    PX_CU_TEXREF,
    PX_CU_SURFREF,
    PX_CU_LINK,
    PX_CU_OPENED,
    PX_CU_EXTERNAL,
    PX_CU_USER_OBJECT
};

/* The beginning of every object. */
struct px_cu_object {
    enum px_cu_kind kind;
    uint32_t place;                /* in the table */
    struct px_cu_context *context; /* whose it is, taken; NULL: nobody's */
    void (*destroy)(void *object); /* what it holds; the object itself is freed behind it */
};

/*
 * An object of `size` bytes, zeroed but for its head, with one handle; `context` (NULL: none) is taken.
 * Nobody else knows the handle yet. NULL: out of memory.
 */
void *px_cu_new(enum px_cu_kind kind, size_t size, struct px_cu_context *context, void (*destroy)(void *));
/* The handle of an object; any handle type is made of it by a cast. */
void *px_cu_handle(const void *object);
/* The object of a handle, to be given back; NULL: there is none of this kind. */
void *px_cu_take(const void *handle, enum px_cu_kind kind);
/* Once more, for somebody else. */
void *px_cu_again(void *object);
void px_cu_give(void *object); /* NULL is allowed */
/* The handle is no longer one. False: it was not. */
bool px_cu_drop(const void *handle, enum px_cu_kind kind);
/* Which kind a number says that it is; 0: no handle. */
enum px_cu_kind px_cu_kind_of(const void *handle);
/* Calls `fn` with every live object of a kind (0: any) that a context has (NULL: all), taken meanwhile. */
void px_cu_each(enum px_cu_kind kind, const struct px_cu_context *context,
                void (*fn)(void *object, void *user), void *user);

static inline void px_cu_clean(void *variable)
{
    px_cu_give(*(void **)variable);
}

/* A variable whose object is given back at the end of its block. */
#define PX_CU_HOLD(type, name) __attribute__((cleanup(px_cu_clean))) struct type *name

/* ... with the object of a handle; the function returns `error` when it has none. */
#define PX_CU_TAKE(type, name, kind, handle, error)                                                          \
    PX_CU_HOLD(type, name) = px_cu_take((handle), (kind));                                                   \
    if (!name) return px_cu_ready() ? px_cu_ready() : (error)

/* Takes every object of a list out of use, and does `then` with `each`. */
#define PX_CU_DROP_LIST(type, first, then)                                                                   \
    for (struct type *each = (first), *next_; each; each = next_) {                                          \
        next_ = each->next;                                                                                  \
        px_cu_drop(px_cu_handle(each), each->head.kind);                                                     \
        then;                                                                                                \
    }

/* Returns from the function with what a call answers, unless that is success. */
#define PX_CU_TRY(call)                                                                                      \
    do {                                                                                                     \
        const CUresult result_ = (call);                                                                     \
        if (result_ != CUDA_SUCCESS) return result_;                                                         \
    } while (0)

/* What a function returns that answers with one value: where to is NULL, an error. */
#define PX_CU_ANSWER(to, ...) ((to) ? (*(to) = (__VA_ARGS__), CUDA_SUCCESS) : CUDA_ERROR_INVALID_VALUE)

/* ---- the process (init.c) ---- */

enum { PX_CU_DEVICES = 32, PX_CU_VERSION = 13000 };

struct px_cu_settings {
    unsigned devices;           /* visible */
    int ordinal[PX_CU_DEVICES]; /* of the visible, among all */
    char arch[PX_CU_DEVICES][16];
    bool arch_auto, arch_given;
    uint64_t memory; /* bytes of a device */
    unsigned threads;
    int approx_exact, ub_chip;
    ptx_fmad fmad;
    ptx_profile profile; /* of texts that programs load */
    ptx_async async;
    uint64_t async_seed, max_steps, timeout_ms, max_host, max_output; /* 0: the library's */
    bool deterministic;
    bool counts;
    const char *launches; /* PTXVM_LAUNCHES; NULL: no list is kept */
    unsigned check;       /* PTXVM_CHECK: PTX_CHECK_ */
    uint64_t check_limit; /* findings of a context that are told */
    int poison;           /* PTXVM_POISON: 256 + the byte; 0: none */
    const char *dump_ir;  /* NULL: nobody looks */
    const char *save_ptx; /* PTXVM_SAVE_PTX: a folder for the PTX that is loaded; NULL: none */
    ptx_schedule schedule;
    uint64_t schedule_seed;
    bool blocking; /* CUDA_LAUNCH_BLOCKING */
    bool eager;    /* CUDA_MODULE_LOADING */
};

/* CUDA_SUCCESS, or why no call can be served: not initialised, another process after fork, shutting down. */
CUresult px_cu_ready(void);
/* The process ends by a signal (signals.c). From begin on, which is false when it ends already, whoever calls
 * the driver stays there; tell writes what was asked for. */
bool px_cu_end_begin(void);
void px_cu_end_tell(void);
void px_cu_end_wait(void);
void px_cu_signals_watch(void);
/* ptx_device_config.host_call: in functions that streams call, the driver answers CUDA_ERROR_NOT_PERMITTED.
 */
void px_cu_host_call(void (*fn)(void *user), void *user);
/* Whether calls of this thread are refused for that from now on, and whether they were: queries are not. */
bool px_cu_permit(bool refused);
const struct px_cu_settings *px_cu_settings(void);

/* ---- the log (log.c) ---- */

/* What a person needs to know when something fails; to standard error unless PTXVM_LOG says otherwise. */
__attribute__((format(printf, 1, 2))) void px_cu_say(const char *format, ...);
/* Details; only with PTXVM_LOG. */
__attribute__((format(printf, 1, 2))) void px_cu_note(const char *format, ...);
/* CUDA_ERROR_NOT_SUPPORTED; logged the first time. */
CUresult px_cu_unsupported(const char *name);
bool px_cu_log_open(const char *where, const char *report);
void px_cu_log_launch(const char *kernel);
/* What stands between a file and a line: a file's "x.ptx:12", but "PTX of x.cu, line 12". */
const char *px_cu_mark_line(const char *file);
/* ptx_device_config.notice. */
void px_cu_log_notice(void *unused, const ptx_watch_event *event);
void px_cu_log_fault(ptx_status status, const ptx_fault *fault);
/* What a device that goes has executed. */
void px_cu_log_instructions(uint64_t more);
/* Of one opcode of one kernel; for PTXVM_REPORT, where PTXVM_COUNTS asks for it. */
void px_cu_log_count(void *unused, const ptx_count *count);
/* findings.c: what the kernels of a device that goes did wrong. */
void px_cu_findings(ptx_device *vm);
void px_cu_log_found(uint64_t errors, uint64_t warnings); /* for the report */
/* The list of launches of a device that goes, where PTXVM_LAUNCHES asks for it. False: the word is none. */
bool px_cu_log_launches_known(const char *where);
void px_cu_log_launches(ptx_device *vm);
void px_cu_log_end(void);
/* A line for a program that reads the driver's log (logs.c). */
void px_cu_logs_add(CUlogLevel level, const char *text);

/* ---- devices (device.c) ---- */

struct px_cu_device {
    int ordinal; /* among the visible ones */
    pthread_mutex_t lock;
    ptx_device *info; /* answers questions, runs nothing; made when it is first asked */
    CUcontext primary;
    unsigned retained, primary_flags;
    CUmemoryPool default_pool, pool;
    CUcontext home; /* of memory by pages that was made when no context was there; NULL: none was */
};

/* NULL: out of range. */
struct px_cu_device *px_cu_device(CUdevice ordinal);
CUresult px_cu_device_value(struct px_cu_device *device, int attribute, int *value);
const char *px_cu_device_arch(const struct px_cu_device *device);
CUresult px_cu_devices_start(void);

/* ---- contexts (context.c) ---- */

struct px_cu_context {
    struct px_cu_object head;
    struct px_cu_device *device;
    bool primary;
    unsigned flags, api_version;
    uint64_t id;
    pthread_mutex_t lock;     /* of what follows */
    _Atomic(ptx_device *) vm; /* made when it is first needed */
    unsigned range;           /* of the host's addresses; 0: none was to be had */
    atomic_int lost;          /* what a fault left behind: every call answers it */
    size_t limits[8];
    CUfunc_cache cache;
    struct px_cu_peer *peers;    /* whose memory its kernels see (peer.c) */
    bool parted;                 /* it has ended, and meets nobody any more; under peer.c's lock */
    struct px_cu_advice *advice; /* for managed memory, by address (advice.c) */
    uint64_t *gone; /* texture and surface objects that were destroyed while work went on (texture.c) */
    size_t gone_count, gone_room;
    pthread_mutex_t output_lock;
    char *output; /* what kernels printed and nobody has waited for yet */
    size_t output_size, output_room;
};

/* The calling thread's, taken. */
CUresult px_cu_current(struct px_cu_context **context);
#define PX_CU_CURRENT(name)                                                                                  \
    PX_CU_HOLD(px_cu_context, name) = NULL;                                                                  \
    PX_CU_TRY(px_cu_current(&name))

/* Its virtual device. */
CUresult px_cu_vm(struct px_cu_context *context, ptx_device **vm);
/* Prints what its kernels have printed. */
void px_cu_flush(struct px_cu_context *context);
/* A status of the library as CUDA tells it. `fault` may be NULL. */
CUresult px_cu_result(struct px_cu_context *context, ptx_status status, const ptx_fault *fault);
CUresult px_cu_context_make(struct px_cu_device *device, unsigned flags, struct px_cu_context **context);
/* Tells the report what a context has executed; for px_cu_each. */
void px_cu_context_count(void *context, void *user);
/* What is left of a context: its modules, streams and so on go. The handle is no longer one. */
void px_cu_context_end(CUcontext handle);
/* The context of the device that is in use, taken: the current one if it is that device's. */
CUresult px_cu_context_on(CUdevice device, struct px_cu_context **context);
/* The same for memory that belongs to the device: one that programs do not see where none is in use. From
 * then on it is that one. */
CUresult px_cu_home_on(CUdevice device, struct px_cu_context **context);

/* ---- modules and what is in them (module.c, library.c) ---- */

struct px_cu_param {
    size_t offset, size;
};

struct px_cu_function {
    struct px_cu_object head;
    struct px_cu_module *module; /* taken */
    char *name;
    ptx_kernel *kernel;
    size_t param_bytes, param_count;
    struct px_cu_param *params;
    struct px_cu_function *next; /* of its module */
    int block[3];                /* what cuFuncSetBlockShape and its like keep for cuLaunch */
    unsigned shared_bytes;
    size_t old_bytes;
    unsigned char *old_params;
};

/* The function of a CUfunction or CUkernel, taken; of the latter in the current context. */
CUresult px_cu_function_of(const void *handle, struct px_cu_function **function);

/* ---- streams (stream.c) ---- */

struct px_cu_stream {
    struct px_cu_object head;
    ptx_stream number;
    uint64_t id;
    unsigned flags;
    int priority;
    CUlaunchAttributeValue window;
};

/* Where work goes. */
struct px_cu_way {
    struct px_cu_context *context; /* taken */
    struct px_cu_stream *object;   /* taken; NULL: a default stream */
    ptx_device *vm;
    ptx_stream stream;
};

/* A stream of a program; the default ones are those of `context` (NULL: of the current one). */
CUresult px_cu_way_of(CUstream stream, struct px_cu_context *context, struct px_cu_way *way);
void px_cu_way_clean(struct px_cu_way *way);
#define PX_CU_WAY(name, stream)                                                                              \
    __attribute__((cleanup(px_cu_way_clean))) struct px_cu_way name = {0};                                   \
    PX_CU_TRY(px_cu_way_of((stream), NULL, &name))

/* Waits for the stream: what its work ended with. */
CUresult px_cu_way_wait(const struct px_cu_way *way);
/* The library's number of an event of the context. */
CUresult px_cu_event_number(CUevent event, const struct px_cu_context *context, ptx_event *number);
/* The event of a number; NULL: it is gone. */
CUevent px_cu_event_at(const struct px_cu_context *context, ptx_event number);
bool px_cu_way_captured(const struct px_cu_way *way);

#endif
