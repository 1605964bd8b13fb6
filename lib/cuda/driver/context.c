/*
 * context.c - contexts: a virtual device each, with its own memory, programs and faults.
 *
 * A fault ends its context as on a chip: every later call answers it until the context is destroyed. The
 * virtual device is made when something first needs it, so that limits can be set before. Every context has
 * one of the library's ranges of host addresses, so that an address tells whose it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "cuda/driver/memory.h"
#include "cuda/driver/module.h"
#include "cuda/driver/peer.h"

enum { STACK = 64, RANGES = 64, OUTPUT_MOST = 1 << 20 };

static _Thread_local struct {
    CUcontext at[STACK];
    unsigned n;
} stack; /* the last is current */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t ranges_used; /* guarded by lock */
static atomic_ullong next_id;

/* PTXVM_DUMP_IR: the engine's view of kernels, on standard error. */
static int dump(void *user, const char *text, size_t size)
{
    (void)user;
    return fwrite(text, 1, size, stderr) == size ? 0 : -1;
}

/* ---- what kernels print ---- */

void px_cu_flush(struct px_cu_context *context)
{
    if (!context->output_size) return; /* a look without the lock: who wrote before the wait is seen */
    pthread_mutex_lock(&context->output_lock);
    if (context->output_size) {
        fwrite(context->output, 1, context->output_size, stdout);
        fflush(stdout);
        context->output_size = 0;
    }
    pthread_mutex_unlock(&context->output_lock);
}

/* Text is kept until somebody waits, as a chip's is; where there is much, or no memory, it goes out at once.
 */
static int print(void *user, const char *text, size_t size)
{
    struct px_cu_context *c = user;
    pthread_mutex_lock(&c->output_lock);
    if (c->output_size + size > c->output_room) {
        const size_t room = (c->output_size + size) * 2;
        char *grown = room <= OUTPUT_MOST ? realloc(c->output, room) : NULL;
        if (grown) {
            c->output = grown;
            c->output_room = room;
        } else {
            fwrite(c->output, 1, c->output_size, stdout);
            c->output_size = 0;
        }
    }
    if (c->output_size + size <= c->output_room) {
        memcpy(c->output + c->output_size, text, size);
        c->output_size += size;
    } else {
        fwrite(text, 1, size, stdout);
    }
    pthread_mutex_unlock(&c->output_lock);
    return 0;
}

/* ---- the virtual device ---- */

static unsigned range_take(void)
{
    px_cu_peers_tidy();
    pthread_mutex_lock(&lock);
    unsigned range = 0;
    for (unsigned i = 0; i < RANGES && !range; i++)
        if (!(ranges_used >> i & 1)) {
            ranges_used |= 1ull << i;
            range = i + 1;
        }
    pthread_mutex_unlock(&lock);
    return range;
}

static void ranges_give(uint64_t ranges)
{
    pthread_mutex_lock(&lock);
    ranges_used &= ~ranges;
    pthread_mutex_unlock(&lock);
}

enum { LAUNCHES_BYTES = 256 << 20 }; /* of PTXVM_LAUNCHES */

/* The context's lock is held. A range that is taken by others (a sanitizer, another library) is left out. */
static ptx_status make_vm(struct px_cu_context *c, char *error, size_t room)
{
    const struct px_cu_settings *s = px_cu_settings();
    ptx_device_config config = {.struct_size = sizeof config,
                                .workers = s->threads,
                                .memory_bytes = s->memory,
                                .arch = px_cu_device_arch(c->device),
                                .max_steps = s->max_steps,
                                .timeout_ms = s->timeout_ms,
                                .max_host = s->max_host,
                                .deterministic = s->deterministic,
                                .heap_bytes = c->limits[CU_LIMIT_MALLOC_HEAP_SIZE],
                                .pending_launches =
                                    (unsigned)c->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT],
                                .approx_exact = s->approx_exact,
                                .ub = s->ub_chip ? PTX_UB_CHIP : PTX_UB_FAULT,
                                .output = print,
                                .output_user = c,
                                .max_output = s->max_output ? s->max_output : UINT64_MAX,
                                .error = error,
                                .error_bytes = room,
                                .async = s->async,
                                .async_seed = s->async_seed,
                                .counts = s->counts,
                                .launches = s->launches ? LAUNCHES_BYTES : 0,
                                .check = s->check,
                                .poison = s->poison,
                                .dump_ir = s->dump_ir,
                                .dump = dump,
                                .schedule = s->schedule,
                                .schedule_seed = s->schedule_seed,
                                .host_call = px_cu_host_call,
                                .notice = px_cu_log_notice,
                                .group = (unsigned)c->device->ordinal,
                                .sticky = 1};
    ptx_device *vm;
    uint64_t tried = 0; /* ranges */
    ptx_status status = PTX_ERROR_UNSUPPORTED;
    for (unsigned tries = 0; tries < RANGES && status == PTX_ERROR_UNSUPPORTED; tries++) {
#ifndef __SANITIZE_THREAD__ /* which lets nobody have those addresses: host and device have two then */
        config.unified = c->range = range_take();
        if (!config.unified) break;
        tried |= 1ull << (c->range - 1);
#endif
        status = ptx_device_create(&config, &vm);
    }
    if (status == PTX_OK)
        atomic_store(&c->vm, vm);
    else
        ranges_give(tried);
    return status == PTX_ERROR_UNSUPPORTED ? PTX_ERROR_OUT_OF_MEMORY : status; /* no range was to be had */
}

/* Once a process. Where addresses ran out it is a limit of the process, as a rule. */
static void explain(const char *error, ptx_status status)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    struct rlimit limit;
    if (atomic_flag_test_and_set(&told)) return;
    const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    if (status == PTX_ERROR_OUT_OF_MEMORY && limited)
        px_cu_say("no device can be made: its %llu MiB of memory need as many addresses, and the process may "
                  "have %llu MiB (ulimit -v); PTXVM_MEMORY (ptxvm --memory) asks for less",
                  (unsigned long long)px_cu_settings()->memory >> 20,
                  (unsigned long long)limit.rlim_cur >> 20);
    else if (status == PTX_ERROR_OUT_OF_MEMORY)
        px_cu_say("no device can be made: %s; PTXVM_MEMORY (ptxvm --memory) asks for less",
                  *error ? error : "out of memory");
    else
        px_cu_say("no device can be made: %s", *error ? error : ptx_status_name(status));
}

CUresult px_cu_vm(struct px_cu_context *context, ptx_device **vm)
{
    *vm = atomic_load_explicit(&context->vm, memory_order_acquire);
    if (*vm) return CUDA_SUCCESS;
    char error[300] = "";
    pthread_mutex_lock(&context->lock);
    const ptx_status status = atomic_load(&context->vm) ? PTX_OK : make_vm(context, error, sizeof error);
    *vm = atomic_load(&context->vm);
    pthread_mutex_unlock(&context->lock);
    if (status != PTX_OK) explain(error, status);
    if (status == PTX_OK) px_cu_peers_meet(context);
    return px_cu_result(context, status, NULL);
}

/* ---- results ---- */

static CUresult lose(struct px_cu_context *context, ptx_status status, const ptx_fault *fault)
{
    int none = 0;
    const int error = status == PTX_ERROR_FAULT && fault->cuda_error ? fault->cuda_error
                      : status == PTX_ERROR_FAULT || status == PTX_ERROR_INTERRUPTED
                          ? CUDA_ERROR_LAUNCH_FAILED
                          : CUDA_ERROR_LAUNCH_TIMEOUT;
    px_cu_flush(context);
    if (!atomic_compare_exchange_strong(&context->lost, &none, error)) return (CUresult)none;
    px_cu_log_fault(status, fault);
    return (CUresult)error;
}

static CUresult of_stop(struct px_cu_context *context, ptx_status status, const ptx_fault *fault)
{
    ptx_fault own = {sizeof own};
    px_cu_end_wait();
    const int lost = context ? atomic_load(&context->lost) : 0;
    if (lost) return (CUresult)lost;
    if (!context) return CUDA_ERROR_LAUNCH_FAILED;
    if (!fault || !fault->kernel || !*fault->kernel) {
        fault = &own;
        ptx_device *vm = atomic_load(&context->vm);
        if (vm) ptx_device_wait(vm, &own);
    }
    return lose(context, status, fault);
}

CUresult px_cu_result(struct px_cu_context *context, ptx_status status, const ptx_fault *fault)
{
    switch (status) {
    case PTX_OK: return CUDA_SUCCESS;
    case PTX_ERROR_INVALID_ARGUMENT:
    case PTX_ERROR_LAUNCH: return CUDA_ERROR_INVALID_VALUE;
    case PTX_ERROR_OUT_OF_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
    case PTX_ERROR_ASSEMBLY:
    case PTX_ERROR_LINK: return CUDA_ERROR_INVALID_PTX;
    case PTX_ERROR_NOT_FOUND: return CUDA_ERROR_NOT_FOUND;
    case PTX_ERROR_NOT_READY: return CUDA_ERROR_NOT_READY;
    case PTX_ERROR_CAPTURE: return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    case PTX_ERROR_UNSUPPORTED:
        if (fault && fault->message && *fault->message) px_cu_log_fault(status, fault);
        return CUDA_ERROR_NOT_SUPPORTED;
    case PTX_ERROR_FAULT:
    case PTX_ERROR_DEADLOCK:
    case PTX_ERROR_LIMIT:
    case PTX_ERROR_INTERRUPTED: return of_stop(context, status, fault);
    }
    return CUDA_ERROR_UNKNOWN;
}

void px_cu_context_count(void *context, void *user)
{
    struct px_cu_context *c = context;
    ptx_progress progress = {sizeof progress};
    (void)user;
    ptx_device *vm = atomic_load(&c->vm);
    if (!vm) return;
    ptx_device_progress(vm, &progress);
    px_cu_log_instructions(progress.thread_instructions_ever);
    if (px_cu_settings()->counts) ptx_device_counts(vm, PTX_COUNT_BY_OPCODE, px_cu_log_count, NULL);
    if (px_cu_settings()->launches) px_cu_log_launches(vm);
    if (px_cu_settings()->check) px_cu_findings(vm);
}

/* ---- making and ending ---- */

static void destroy(void *object)
{
    struct px_cu_context *c = object;
    px_cu_context_count(c, NULL);
    ptx_device_destroy(atomic_load(&c->vm));
    px_cu_flush(c);
    if (c->vm && c->range) ranges_give(1ull << (c->range - 1));
    free(c->output);
    free(c->gone);
    px_cu_advice_forget(c, 0, 0);
    pthread_mutex_destroy(&c->output_lock);
    pthread_mutex_destroy(&c->lock);
}

CUresult px_cu_context_make(struct px_cu_device *device, unsigned flags, struct px_cu_context **context)
{
    struct px_cu_context *c = px_cu_new(PX_CU_CONTEXT, sizeof *c, NULL, destroy);
    if (!c) return CUDA_ERROR_OUT_OF_MEMORY;
    c->device = device;
    c->flags = flags;
    c->api_version = 3020;
    c->id = atomic_fetch_add(&next_id, 1) + 1;
    c->limits[CU_LIMIT_STACK_SIZE] = 1024;
    c->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 8650752; /* as an H100's driver says */
    c->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20;
    c->limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
    c->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
    c->limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->output_lock, NULL);
    px_cu_note("context %llu on device %d", (unsigned long long)c->id, device->ordinal);
    *context = c;
    return CUDA_SUCCESS;
}

static void drop_child(void *object, void *user)
{
    const struct px_cu_object *o = object;
    (void)user;
    if (o->kind == PX_CU_MODULE)
        px_cu_module_end(object);
    else if (o->kind == PX_CU_GRAPH)
        cuGraphDestroy(px_cu_handle(object));
    else if (o->kind != PX_CU_FUNCTION && o->kind != PX_CU_NODE) /* which go with their module or graph */
        px_cu_drop(px_cu_handle(object), o->kind);
}

void px_cu_context_end(CUcontext handle)
{
    struct px_cu_context *c = px_cu_take(handle, PX_CU_CONTEXT);
    if (!c || !px_cu_drop(handle, PX_CU_CONTEXT)) {
        px_cu_give(c);
        return;
    }
    ptx_device *vm = atomic_load(&c->vm);
    ptx_fault fault = {sizeof fault};
    if (vm && ptx_device_settle(vm) == PTX_ERROR_NOT_READY)
        ptx_device_interrupt(vm); /* a stream waits for a value that nobody can write any more */
    else if (vm)
        px_cu_result(c, ptx_device_wait(vm, &fault), &fault);
    px_cu_peers_part(c);
    px_cu_each(0, c, drop_child, NULL);
    px_cu_give(c);
}

/* ---- the thread's stack ---- */

static CUcontext top(void)
{
    return stack.n ? stack.at[stack.n - 1] : NULL;
}

static CUresult push(CUcontext context)
{
    if (stack.n == STACK) return CUDA_ERROR_OUT_OF_MEMORY;
    stack.at[stack.n++] = context;
    return CUDA_SUCCESS;
}

CUresult px_cu_current(struct px_cu_context **context)
{
    PX_CU_TRY(px_cu_ready());
    if (!stack.n) return CUDA_ERROR_INVALID_CONTEXT;
    *context = px_cu_take(top(), PX_CU_CONTEXT);
    if (!*context) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return (CUresult)atomic_load_explicit(&(*context)->lost, memory_order_relaxed);
}

CUresult px_cu_context_on(CUdevice device, struct px_cu_context **context)
{
    struct px_cu_device *d = px_cu_device(device);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    *context = px_cu_take(top(), PX_CU_CONTEXT);
    if (*context && (*context)->device == d) return CUDA_SUCCESS;
    px_cu_give(*context);
    pthread_mutex_lock(&d->lock);
    *context = px_cu_take(d->primary, PX_CU_CONTEXT);
    pthread_mutex_unlock(&d->lock);
    return *context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult px_cu_home_on(CUdevice device, struct px_cu_context **context)
{
    ptx_device *vm;
    struct px_cu_device *d = px_cu_device(device);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&d->lock);
    *context = px_cu_take(d->home, PX_CU_CONTEXT);
    pthread_mutex_unlock(&d->lock);
    if (*context) return CUDA_SUCCESS;
    if (px_cu_context_on(device, context) == CUDA_SUCCESS) return CUDA_SUCCESS;
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&d->lock);
    *context = px_cu_take(d->home, PX_CU_CONTEXT);
    if (!*context && (result = px_cu_context_make(d, 0, context)) == CUDA_SUCCESS) {
        struct px_cu_context *made = *context;
        *context = px_cu_again(made);
        if ((result = px_cu_vm(made, &vm)) == CUDA_SUCCESS)
            d->home = px_cu_handle(made);
        else
            px_cu_drop(px_cu_handle(made), PX_CU_CONTEXT);
    }
    pthread_mutex_unlock(&d->lock);
    return result;
}

/* ---- cuCtx ---- */

static CUresult create(CUcontext *context, unsigned flags, CUdevice device, unsigned version)
{
    struct px_cu_context *c;
    PX_CU_TRY(px_cu_ready());
    if (!context || flags & ~CU_CTX_FLAGS_MASK) return CUDA_ERROR_INVALID_VALUE;
    struct px_cu_device *d = px_cu_device(device);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    PX_CU_TRY(px_cu_context_make(d, flags, &c));
    c->api_version = version;
    const CUcontext handle = px_cu_handle(c);
    const CUresult pushed = push(handle);
    if (pushed != CUDA_SUCCESS)
        px_cu_drop(handle, PX_CU_CONTEXT);
    else
        *context = handle;
    return pushed;
}

CUresult cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device)
{
    return create(context, flags, device, 3010);
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    return create(context, flags, device, 3020);
}

/* A share of the multiprocessors is not a thing here. */
CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int count, unsigned flags,
                        CUdevice device)
{
    if (count < 0 || (count && !affinity)) return CUDA_ERROR_INVALID_VALUE;
    return count ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : create(context, flags, device, 3020);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned flags, CUdevice device)
{
    if (params && params->cigParams) return px_cu_unsupported("cuCtxCreate with graphics");
    return cuCtxCreate_v3(context, params ? params->execAffinityParams : NULL,
                          params ? params->numExecAffinityParams : 0, flags, device);
}

static void forget_top(CUcontext context)
{
    if (top() == context) stack.n--;
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
    PX_CU_TAKE(px_cu_context, c, PX_CU_CONTEXT, context, CUDA_ERROR_INVALID_CONTEXT);
    if (c->primary) return CUDA_ERROR_INVALID_CONTEXT;
    forget_top(context);
    px_cu_context_end(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxAttach(CUcontext *context, unsigned flags)
{
    PX_CU_CURRENT(c);
    if (!context || flags) return CUDA_ERROR_INVALID_VALUE;
    *context = px_cu_handle(c);
    return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext context)
{
    return cuCtxDestroy_v2(context);
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    if (!context) return px_cu_ready() ? px_cu_ready() : CUDA_ERROR_INVALID_VALUE;
    PX_CU_TAKE(px_cu_context, c, PX_CU_CONTEXT, context, CUDA_ERROR_INVALID_CONTEXT);
    return push(context);
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    PX_CU_TRY(px_cu_ready());
    if (!stack.n) return CUDA_ERROR_INVALID_CONTEXT;
    if (context) *context = top();
    stack.n--;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    PX_CU_TRY(px_cu_ready());
    if (!context) {
        if (stack.n) stack.n--;
        return CUDA_SUCCESS;
    }
    PX_CU_TAKE(px_cu_context, c, PX_CU_CONTEXT, context, CUDA_ERROR_INVALID_CONTEXT);
    if (stack.n) stack.n--;
    return push(context);
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    PX_CU_TRY(px_cu_ready());
    return PX_CU_ANSWER(context, top());
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    PX_CU_CURRENT(c);
    return PX_CU_ANSWER(device, c->device->ordinal);
}

/* The context of a handle, or with NULL the current one. */
static CUresult named(CUcontext handle, struct px_cu_context **context)
{
    if (!handle) return px_cu_current(context);
    PX_CU_TRY(px_cu_ready());
    *context = px_cu_take(handle, PX_CU_CONTEXT);
    return *context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
#define NAMED(name, handle)                                                                                  \
    PX_CU_HOLD(px_cu_context, name) = NULL;                                                                  \
    PX_CU_TRY(named((handle), &name))

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context)
{
    NAMED(c, context);
    return PX_CU_ANSWER(device, c->device->ordinal);
}

CUresult cuCtxSynchronize_v2(CUcontext context)
{
    ptx_device *vm;
    ptx_fault fault = {sizeof fault};
    NAMED(c, context);
    const int lost = atomic_load(&c->lost);
    if (lost) return (CUresult)lost;
    PX_CU_TRY(px_cu_vm(c, &vm));
    const ptx_status status = ptx_device_wait(vm, &fault);
    px_cu_flush(c);
    return px_cu_result(c, status, &fault);
}

CUresult cuCtxSynchronize(void)
{
    return cuCtxSynchronize_v2(NULL);
}

CUresult cuCtxGetFlags(unsigned *flags)
{
    PX_CU_CURRENT(c);
    return PX_CU_ANSWER(flags, c->flags | CU_CTX_MAP_HOST);
}

CUresult cuCtxSetFlags(unsigned flags)
{
    PX_CU_CURRENT(c);
    if (flags & ~CU_CTX_FLAGS_MASK) return CUDA_ERROR_INVALID_VALUE;
    c->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    NAMED(c, context);
    return PX_CU_ANSWER(id, c->id);
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    NAMED(c, context);
    return PX_CU_ANSWER(version, c->api_version);
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    PX_CU_CURRENT(c);
    return PX_CU_ANSWER(config, c->cache);
}

/* A hint on a chip; kept, so that it can be asked for. */
CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    PX_CU_CURRENT(c);
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL) return CUDA_ERROR_INVALID_VALUE;
    c->cache = config;
    return CUDA_SUCCESS;
}

/* Banks have four bytes on every chip that is known here, whatever is asked for. */
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
    PX_CU_CURRENT(c);
    return PX_CU_ANSWER(config, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    PX_CU_CURRENT(c);
    return (unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE
                                                                        : CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    PX_CU_CURRENT(c);
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    PX_CU_CURRENT(c);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam *param, CUexecAffinityType type)
{
    PX_CU_CURRENT(c);
    (void)type;
    return param ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : CUDA_ERROR_INVALID_VALUE;
}

/* ---- limits ---- */

/* Limits that are only asked for: no context shares its device with graphics. */
static CUresult graphics_limit(struct px_cu_context *c, CUlimit limit, size_t *value)
{
    int shared = 0;
    if (limit == CU_LIMIT_SHMEM_SIZE)
        PX_CU_TRY(
            px_cu_device_value(c->device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &shared));
    *value = (size_t)shared;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    int major = 9;
    PX_CU_CURRENT(c);
    if (!value || (unsigned)limit > CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED) return CUDA_ERROR_INVALID_VALUE;
    if (limit >= CU_LIMIT_SHMEM_SIZE) return graphics_limit(c, limit, value);
    PX_CU_TRY(px_cu_device_value(c->device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major));
    if (limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH && major >= 9) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    pthread_mutex_lock(&c->lock);
    *value = c->limits[limit];
    pthread_mutex_unlock(&c->lock);
    return CUDA_SUCCESS;
}

/* The lock is held. What a device was made with it keeps. */
static CUresult set_limit(struct px_cu_context *c, CUlimit limit, size_t value)
{
    const bool of_device =
        limit == CU_LIMIT_MALLOC_HEAP_SIZE || limit == CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT;
    ptx_device *vm = atomic_load(&c->vm);
    if (of_device && vm && value != c->limits[limit]) {
        const bool heap = limit == CU_LIMIT_MALLOC_HEAP_SIZE;
        const ptx_status status = ptx_device_limits(vm, heap ? value : 0, heap ? 0 : (unsigned)value);
        if (status != PTX_OK) return px_cu_result(c, status, NULL);
    }
    c->limits[limit] = value;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    int major = 9;
    PX_CU_CURRENT(c);
    if ((unsigned)limit > CU_LIMIT_PERSISTING_L2_CACHE_SIZE) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    PX_CU_TRY(px_cu_device_value(c->device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major));
    if (limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH && major >= 9) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (limit == CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT && (!value || value > 1 << 24))
        return CUDA_ERROR_INVALID_VALUE;
    if (limit == CU_LIMIT_MALLOC_HEAP_SIZE && (!value || value > px_cu_settings()->memory))
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&c->lock);
    const CUresult result = set_limit(c, limit, value);
    pthread_mutex_unlock(&c->lock);
    return result;
}

/* ---- primary contexts ---- */

/* The device's primary context ends, when it has one. */
static void primary_end(struct px_cu_device *d)
{
    pthread_mutex_lock(&d->lock);
    const CUcontext handle = d->primary;
    d->primary = NULL;
    d->retained = 0;
    pthread_mutex_unlock(&d->lock);
    if (handle) px_cu_context_end(handle);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    PX_CU_TRY(px_cu_ready());
    struct px_cu_device *d = px_cu_device(device);
    struct px_cu_context *c;
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&d->lock);
    CUresult result = d->primary ? CUDA_SUCCESS : px_cu_context_make(d, d->primary_flags, &c);
    if (result == CUDA_SUCCESS && !d->primary) {
        c->primary = true;
        d->primary = px_cu_handle(c);
    }
    if (result == CUDA_SUCCESS) {
        d->retained++;
        *context = d->primary;
    }
    pthread_mutex_unlock(&d->lock);
    return result;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    PX_CU_TRY(px_cu_ready());
    struct px_cu_device *d = px_cu_device(device);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&d->lock);
    const unsigned had = d->retained;
    if (had) d->retained--;
    pthread_mutex_unlock(&d->lock);
    if (had == 1) primary_end(d);
    return had ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    PX_CU_TRY(px_cu_ready());
    struct px_cu_device *d = px_cu_device(device);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    primary_end(d);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    PX_CU_TRY(px_cu_ready());
    struct px_cu_device *d = px_cu_device(device);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&d->lock);
    *flags = d->primary_flags;
    *active = d->primary != NULL;
    pthread_mutex_unlock(&d->lock);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    PX_CU_TRY(px_cu_ready());
    struct px_cu_device *d = px_cu_device(device);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    if (flags & ~CU_CTX_FLAGS_MASK) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&d->lock);
    d->primary_flags = flags;
    pthread_mutex_unlock(&d->lock);
    return CUDA_SUCCESS;
}
