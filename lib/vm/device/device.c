/*
 * device.c - one virtual GPU: its configuration, memory and workers.
 *
 * What a configuration leaves at zero is filled in here once; the rest of the
 * VM reads device->config without asking for defaults again.
 */
#include "base/random.h"
#include "vm/device/device.h"
#include "vm/queue/pool.h"
#include "vm/device/report.h"
#include "vm/queue/stream.h"
#include "vm/run/tally.h"
#include "ops/trace.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFER_BYTES = 32 << 20, MAX_WORKERS = 1024, MAX_UNIFIED = 64 };

/* The ranges that unified devices keep: a tebibyte each, where programs and their libraries have nothing. */
#define UNIFIED_FIRST 0x0000200000000000ull
#define UNIFIED_BYTES (1ull << 40)

/* ---- architectures ---- */

const struct px_arch *px_arch_find(const char *name)
{
    static const struct px_arch archs[] = {
        {50, 16, 32, 2048, 64 << 10, 48 << 10},    {52, 24, 32, 2048, 96 << 10, 48 << 10},
        {53, 2, 32, 2048, 64 << 10, 48 << 10},     {60, 56, 32, 2048, 64 << 10, 48 << 10},
        {61, 28, 32, 2048, 96 << 10, 48 << 10},    {62, 2, 32, 2048, 64 << 10, 48 << 10},
        {70, 80, 32, 2048, 96 << 10, 96 << 10},    {72, 8, 32, 2048, 96 << 10, 96 << 10},
        {75, 40, 16, 1024, 64 << 10, 64 << 10},    {80, 108, 32, 2048, 164 << 10, 163 << 10},
        {86, 84, 16, 1536, 100 << 10, 99 << 10},   {87, 16, 16, 1536, 164 << 10, 163 << 10},
        {88, 16, 16, 1536, 100 << 10, 99 << 10},   {89, 128, 24, 1536, 100 << 10, 99 << 10},
        {90, 132, 32, 2048, 228 << 10, 227 << 10}, {100, 148, 32, 2048, 228 << 10, 227 << 10},
        {101, 20, 24, 1536, 228 << 10, 227 << 10}, {103, 148, 32, 2048, 228 << 10, 227 << 10},
        {110, 20, 24, 1536, 228 << 10, 227 << 10}, {120, 170, 24, 1536, 100 << 10, 99 << 10},
        {121, 48, 24, 1536, 100 << 10, 99 << 10},
    };
    char *end;
    if (strncmp(name, "sm_", 3) != 0) return NULL;
    unsigned long sm = strtoul(name + 3, &end, 10);
    if (end == name + 3 || (*end && end[1])) return NULL; /* one suffix letter: sm_90a */
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        if (archs[i].sm == sm) return &archs[i];
    return NULL;
}

/* ---- what others ask ---- */

const ptx_allocator *px_device_allocator(const struct ptx_device *device)
{
    return &device->alloc;
}

uint32_t px_device_sm_count(const struct ptx_device *device)
{
    return device->arch.sm_count;
}

void px_device_output(const struct px_grid *grid, const char *text, size_t size)
{
    struct ptx_device *device = grid->device;
    if (!device->config.output || !size) return;
    pthread_mutex_lock(&device->output_lock);
    const bool room = size <= device->config.max_output - grid->run->printed;
    grid->run->printed = room ? grid->run->printed + size : device->config.max_output;
    if (room) device->config.output(device->config.output_user, text, size);
    pthread_mutex_unlock(&device->output_lock);
    if (!room) px_run_stop(grid->run, PX_STOP_OUTPUT);
}

void px_device_say(struct ptx_device *device, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pthread_mutex_lock(&device->lock);
    vsnprintf(device->message, sizeof device->message, format, args);
    pthread_mutex_unlock(&device->lock);
    va_end(args);
}

void px_device_hush(struct ptx_device *device)
{
    pthread_mutex_lock(&device->lock);
    device->message[0] = 0;
    pthread_mutex_unlock(&device->lock);
}

ptx_status px_device_refuse(struct ptx_device *device, const char *why)
{
    px_device_say(device, "%s", why);
    return PTX_ERROR_INVALID_ARGUMENT;
}

ptx_status px_device_no_memory(struct ptx_device *device)
{
    px_device_say(device, "out of memory");
    return PTX_ERROR_OUT_OF_MEMORY;
}

/* Of an address in a window. */
static uint32_t owner_of(uint64_t va)
{
    return (uint32_t)(va >> 32) & ((1u << (PX_WINDOW_SHIFT - 32)) - 1);
}

/* False: nobody has a reference any more. */
static bool hold(struct ptx_program *program)
{
    unsigned refs = atomic_load(&program->refs);
    while (refs && !atomic_compare_exchange_weak(&program->refs, &refs, refs + 1)) {
    }
    return refs != 0;
}

/* The program whose func or const window `va` lies in, counted; NULL when there is none. */
static struct ptx_program *hold_program(struct ptx_device *device, uint64_t va)
{
    const uint32_t owner = owner_of(va);
    pthread_mutex_lock(&device->lock);
    struct ptx_program *program = device->programs;
    while (program && program->number != owner) program = program->next;
    if (program && !hold(program)) program = NULL;
    pthread_mutex_unlock(&device->lock);
    return program;
}

static const struct px_lfunc *function_at(const struct ptx_program *p, uint64_t va)
{
    const uint32_t number = (uint32_t)va >> 4;
    return va % 16 || number >= p->linked.nfuncs ? NULL : &p->linked.funcs[number];
}

const struct px_lfunc *px_grid_function(const struct px_grid *grid, uint64_t va)
{
    const bool own = px_window_of(va) == PX_WIN_FUNC && owner_of(va) == grid->owner;
    return own ? function_at(grid->program, va) : NULL;
}

/* The run has the reference from now on. False: there is no memory. */
static bool keep_guest(struct px_run *run, struct ptx_program *program)
{
    struct ptx_device *device = program->device;
    struct px_guest *made = px_alloc(&device->alloc, sizeof *made);
    pthread_mutex_lock(&device->lock);
    const struct px_guest *g = run->guests;
    while (g && g->program != program) g = g->next;
    const bool known = g != NULL, kept = !known && made;
    if (kept) {
        *made = (struct px_guest){run->guests, program};
        run->guests = made;
    }
    pthread_mutex_unlock(&device->lock);
    if (kept) return true;
    px_free(&device->alloc, made, sizeof *made);
    px_program_release(program);
    return known;
}

void px_run_drop_guests(struct px_run *run)
{
    for (struct px_guest *g = run->guests, *next; g; g = next) {
        const ptx_allocator *alloc = &g->program->device->alloc;
        next = g->next;
        px_program_release(g->program);
        px_free(alloc, g, sizeof *g);
    }
    run->guests = NULL;
}

const struct px_lfunc *px_any_function(const struct px_grid *grid, uint64_t va, struct ptx_program **program)
{
    const struct px_lfunc *f = px_grid_function(grid, va);
    *program = grid->program;
    if (f || px_window_of(va) != PX_WIN_FUNC || owner_of(va) == grid->owner) return f;
    struct ptx_program *other = hold_program(grid->device, va);
    f = other ? function_at(other, va) : NULL;
    *program = other;
    if (f && keep_guest(grid->run, other)) return f;
    if (other && !f) px_program_release(other);
    return NULL;
}

void *px_device_host(struct ptx_device *device, uint64_t va, uint64_t size, struct ptx_program **holder)
{
    *holder = NULL;
    if (px_window_of(va) != PX_WIN_CONST) return px_mem_host(&device->mem, va, size);
    struct ptx_program *p = hold_program(device, va);
    const uint64_t offset = va & 0xffffffffu;
    if (p && offset <= p->linked.const_bytes && size <= p->linked.const_bytes - offset) {
        *holder = p;
        return p->const_image + offset;
    }
    px_program_release(p);
    return NULL;
}

static ptx_trace_owner trace_owner(enum px_mem_kind kind)
{
    switch (kind) {
    case PX_MEM_PINNED: return PTX_TRACE_PINNED;
    case PX_MEM_MANAGED: return PTX_TRACE_MANAGED;
    case PX_MEM_POOL: return PTX_TRACE_STREAM;
    case PX_MEM_GRAPH: return PTX_TRACE_GRAPH;
    default: return PTX_TRACE_DEVICE;
    }
}

/* Memory of a graph stays the graph's. */
static bool release(struct ptx_device *device, uint64_t va)
{
    struct px_extent block;
    enum px_mem_kind kind;
    uint32_t tag;
    const bool known = px_mem_tag_of(&device->mem, va, &block, &kind, &tag) && block.lo == va;
    if (!known || kind == PX_MEM_DORMANT) return false;
    if ((kind == PX_MEM_DEVICE || kind == PX_MEM_MANAGED) && tag != PX_MEM_ALLOCATED) return false;
    px_traced_memory(device, PTX_TRACE_FREE, trace_owner(kind), va, block.len);
    if (kind == PX_MEM_GRAPH) {
        px_mem_sleep(&device->mem, va);
        px_graph_memory_count(device, block.len, false);
    } else {
        px_pool_forget(device, va);
    }
    return kind == PX_MEM_GRAPH || px_mem_release(&device->mem, va);
}

bool px_device_free(struct ptx_device *device, uint64_t va)
{
    pthread_mutex_lock(&device->mem_lock);
    const bool ok = release(device, va);
    pthread_mutex_unlock(&device->mem_lock);
    return ok;
}

bool px_device_alloc(struct ptx_device *device, uint64_t size, uint64_t align, uint64_t *va)
{
    pthread_mutex_lock(&device->mem_lock);
    const bool ok = px_mem_alloc(&device->mem, size, align, va);
    if (ok) px_mem_tag(&device->mem, *va, PX_MEM_DEVICE, PX_MEM_OWN);
    pthread_mutex_unlock(&device->mem_lock);
    return ok;
}

void px_device_drop(struct ptx_device *device, uint64_t va)
{
    pthread_mutex_lock(&device->mem_lock);
    px_mem_release(&device->mem, va);
    pthread_mutex_unlock(&device->mem_lock);
}

ptx_status px_device_state(ptx_device *device)
{
    if (!device->config.sticky) return PTX_OK;
    px_sched_lock(&device->sched);
    const ptx_status status = device->tasks.lost;
    px_sched_unlock(&device->sched);
    return status;
}

/* ---- making ---- */

static unsigned count_cpus(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MAX_WORKERS ? MAX_WORKERS : (unsigned)n;
}

/* Half of what the host has; no limit where it does not tell. */
static uint64_t host_share(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : UINT64_MAX;
}

static bool take_engine(struct ptx_device *device, const char *words)
{
    char names[400];
    const char *at;
    size_t length;
    if (px_engine_parse(words, &device->engine, &at, &length)) return true;
    px_engine_names(names, sizeof names);
    px_device_say(device, "'%.*s' switches nothing of the engine off; there are %s", (int)length, at, names);
    return false;
}

bool px_device_dump(struct ptx_device *device, const char *words, struct px_dump *dump)
{
    char names[200];
    const char *at;
    size_t length;
    if (px_dump_parse(words, dump, &at, &length)) return true;
    px_dump_names(names, sizeof names);
    px_device_say(device, "'%.*s' is no pass whose IR can be shown; there are %s", (int)length, at, names);
    return false;
}

static void no_access(void *user, const struct ptx_trace_access *access)
{
    (void)user, (void)access;
}

static void no_event(void *user, const struct ptx_trace_event *event)
{
    (void)user, (void)event;
}

/* Records call both functions. */
static void trace(struct ptx_device *device)
{
    ptx_device_config *c = &device->config;
    device->engine &= ~(uint32_t)PX_ENGINE_UNTRACED;
    device->hears_events = c->trace_event != NULL;
    if (!c->trace) c->trace = no_access;
    if (!c->trace_event) c->trace_event = no_event;
}

static bool fill_config(struct ptx_device *device, const ptx_device_config *config)
{
    ptx_device_config *c = &device->config;
    if (config) *c = *config;
    const struct px_arch *arch = px_arch_find(c->arch ? c->arch : "sm_90");
    if (!arch) {
        px_device_say(device, "'%s' is no architecture known here", c->arch);
        return false;
    }
    if (!take_engine(device, c->engine)) return false;
    if (c->dump_ir && !px_device_dump(device, c->dump_ir, &device->dump)) return false;
    if (c->dump_ir) device->dump.write = c->dump, device->dump.user = c->dump_user;
    if (c->trace || c->trace_event) trace(device);
    device->arch = *arch;
    c->arch = c->engine = NULL;
    c->error = NULL; /* the caller's; read from its own struct */
    if (c->deterministic) c->workers = 1;
    if (c->schedule == PTX_SCHEDULE_RANDOM) {
        c->async = PTX_ASYNC_RANDOM;
        c->async_seed = c->schedule_seed;
    }
    if (!c->workers) c->workers = count_cpus();
    if (c->workers > MAX_WORKERS) c->workers = MAX_WORKERS;
    device->locked = c->workers > 1 && !(device->engine & PX_ENGINE_wide && px_wide_moves());
    if (!c->memory_bytes) c->memory_bytes = 16ull << 30;
    if (!c->heap_bytes) c->heap_bytes = 8 << 20;
    if (!c->pending_launches) c->pending_launches = 2048;
    if (!c->max_output) c->max_output = 64 << 20;
    if (!c->max_host) c->max_host = host_share();
    device->quota.limit = c->max_host;
    device->depth_limit[0] = c->launch_depth ? c->launch_depth : 24;
    device->depth_limit[1] = c->launch_depth ? c->launch_depth : 64;
    return true;
}

static ptx_status make_unified(struct ptx_device *device, uint64_t bytes)
{
    const ptx_device_config *c = &device->config;
    if (c->host_memory || c->unified > MAX_UNIFIED || bytes > UNIFIED_BYTES || c->group >= PX_MEM_GROUPS) {
        px_device_say(device,
                      "a unified device has one of 64 ranges of 1 TiB, one of 32 groups, and is not a "
                      "host_memory device");
        return PTX_ERROR_INVALID_ARGUMENT;
    }
    if (px_mem_init_at(&device->mem, &device->alloc, bytes, UNIFIED_FIRST + (c->unified - 1) * UNIFIED_BYTES,
                       UNIFIED_BYTES)) {
        device->mem.group = (uint8_t)c->group;
        return c->ub != PTX_UB_CHIP || px_mem_open(&device->mem) ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
    }
    px_device_say(device,
                  "range %u of the host's addresses is not free, or cannot be had; choose another, or less "
                  "memory (ptx_device_config.unified, memory_bytes)",
                  c->unified);
    return PTX_ERROR_UNSUPPORTED;
}

static ptx_status make_memory(struct ptx_device *device)
{
    const ptx_device_config *c = &device->config;
    const uint64_t own = c->heap_bytes + BUFFER_BYTES + (1 << 20); /* wraps only when it is refused below */
    if (c->heap_bytes > UINT64_MAX / 2 || c->memory_bytes > UINT64_MAX / 2 - own) {
        px_device_say(device, "device memory and heap are larger than all addresses");
        return PTX_ERROR_INVALID_ARGUMENT;
    }
    if (c->unified) return make_unified(device, c->memory_bytes + own);
    if (!px_mem_init(&device->mem, &device->alloc, c->memory_bytes + own, c->host_memory != 0) ||
        (c->ub == PTX_UB_CHIP && !px_mem_open(&device->mem))) {
        px_device_say(device,
                      "the %" PRIu64
                      " MiB of address space for device memory cannot be reserved; ask for less "
                      "(--memory, ptx_device_config.memory_bytes)",
                      (c->memory_bytes + own) >> 20);
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    return PTX_OK;
}

static ptx_status make_heaps(struct ptx_device *device)
{
    const ptx_device_config *c = &device->config;
    if (!px_heap_init(&device->heap, &device->mem, c->heap_bytes) ||
        !px_heap_init(&device->buffers, &device->mem, BUFFER_BYTES)) {
        px_device_say(device,
                      "no memory for a device heap of %" PRIu64 " bytes; ask for less (--heap, "
                      "ptx_device_config.heap_bytes)",
                      c->heap_bytes);
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    device->mem.heaps[0] = &device->heap;
    device->mem.heaps[1] = &device->buffers;
    device->mem.rests = device->heap.rests = c->rest != 0;
    return PTX_OK;
}

static ptx_status make_parts(struct ptx_device *device)
{
    ptx_status status = make_memory(device);
    if (status == PTX_OK) status = make_heaps(device);
    if (status != PTX_OK) return status;
    if (!px_sched_init(&device->sched, device, device->config.workers)) return PTX_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; device->mem.open && i < device->config.workers; i++)
        device->sched.helpers[i].worker.past = px_notice_past;
    for (uint32_t i = 0; device->config.trace_memory && i < device->config.workers; i++)
        device->sched.helpers[i].worker.faulty = px_traced_fault;
    device->sched.runtime = device->runtime;
    device->sched.over = px_task_over;
    device->sched.look = px_tasks_look;
    device->sched.triggered = px_task_triggered;
    device->sched.shuffled = device->config.schedule == PTX_SCHEDULE_RANDOM;
    if (device->sched.shuffled) device->sched.random = px_random_mix(device->config.schedule_seed) | 1;
    if (device->config.deterministic) atomic_init(&device->sched.help, PX_HELP_NEVER);
    if (device->config.launches && !px_launches_init(device, device->config.launches))
        return PTX_ERROR_OUT_OF_MEMORY;
    px_watch_grids(device);
    device->quota.sched = &device->sched;
    if (!(device->pool = px_pool_new(device, 0))) return PTX_ERROR_OUT_OF_MEMORY;
    if (!(device->graphs = px_zalloc(&device->alloc, sizeof *device->graphs))) return PTX_ERROR_OUT_OF_MEMORY;
    return px_streams_init(device) ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

ptx_status px_device_heap_set(ptx_device *device, uint64_t bytes)
{
    struct px_heap fresh, old = device->heap;
    if (atomic_load(&old.map) || bytes > UINT64_MAX / 2) return PTX_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&device->mem_lock);
    const bool ok = px_heap_init(&fresh, &device->mem, bytes);
    if (ok) {
        px_heap_free_all(&old);
        px_mem_release(&device->mem, old.base);
        fresh.rests = old.rests;
        device->heap = fresh;
        device->config.heap_bytes = bytes;
    }
    pthread_mutex_unlock(&device->mem_lock);
    return ok ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

static void tell_error(const ptx_device_config *config, const char *text)
{
    if (config && config->error && config->error_bytes)
        snprintf(config->error, config->error_bytes, "%s", text);
}

/* A forked process has the memory of a device, but none of its threads, and locks that nobody opens. */
static void mark_ours(struct ptx_device *device)
{
#ifdef MADV_WIPEONFORK
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return;
    if (madvise(at, page, MADV_WIPEONFORK) == 0) {
        device->ours = at;
        atomic_store(device->ours, 1);
        return;
    }
    munmap(at, page);
#endif
}

ptx_status px_device_create(const ptx_device_config *config, const struct px_runtime *runtime,
                            ptx_device **out)
{
    const ptx_allocator alloc = px_alloc_or_default(config ? &config->allocator : NULL);
    struct ptx_device *device = px_zalloc(&alloc, sizeof *device);
    if (!device) {
        tell_error(config, "out of memory");
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    device->quota.inner = alloc;
    device->alloc = px_quota_allocator(&device->quota);
    mark_ours(device);
    device->runtime = runtime;
    device->level = px_level_best();
    pthread_mutex_init(&device->output_lock, NULL);
    pthread_mutex_init(&device->mem_lock, NULL);
    pthread_mutex_init(&device->lock, NULL);
    pthread_mutex_init(&device->watch.lock, NULL);
    pthread_mutex_init(&device->past.lock, NULL);
    px_gate_init(&device->copies);
    px_textures_init(device);
    ptx_status status = fill_config(device, config) ? make_parts(device) : PTX_ERROR_INVALID_ARGUMENT;
    if (status == PTX_OK) {
        *out = device;
        return status;
    }
    tell_error(config, *device->message ? device->message : "out of memory");
    px_device_destroy(device);
    return status;
}

/* What runs is stopped, what waits is not begun. */
static void end_work(struct ptx_device *device)
{
    px_sched_lock(&device->sched);
    atomic_fetch_add(&device->tasks.interrupts, 1);
    px_sched_stop(&device->sched, PX_STOP_INTERRUPT);
    px_tasks_drain(device);
    px_streams_free(device);
    px_sched_unlock(&device->sched);
}

bool px_device_is_inside(struct ptx_device *device)
{
    return device->sched.helpers && px_sched_is_worker(&device->sched);
}

void px_device_destroy(ptx_device *device)
{
    if (!device || px_device_is_inside(device)) return;
    if (device->sched.helpers) end_work(device);
    px_watch_leaks(device);
    while (device->programs) px_program_free(device->programs);
    device->quota.sched = NULL;
    px_tally_forget(device);
    px_sched_free(&device->sched);
    px_tasks_free(device);
    px_handles_free(&device->handles, &device->alloc);
    px_textures_free(device);
    if (device->runtime && device->runtime->destroy) device->runtime->destroy(device);
    px_report_forget(device, true);
    px_launches_free(device);
    px_pools_free(device);
    px_heap_free_all(&device->heap);
    px_heap_free_all(&device->buffers);
    px_mem_free_all(&device->mem);
    pthread_mutex_destroy(&device->output_lock);
    pthread_mutex_destroy(&device->mem_lock);
    pthread_mutex_destroy(&device->lock);
    pthread_mutex_destroy(&device->watch.lock);
    pthread_mutex_destroy(&device->past.lock);
    px_gate_free(&device->copies);
    if (device->ours) munmap(device->ours, (size_t)sysconf(_SC_PAGESIZE));
    const ptx_allocator alloc = device->quota.inner;
    px_free(&alloc, device, sizeof *device);
}
