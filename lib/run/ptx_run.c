/*
 * ptx_run.c - a whole emulator behind one function.
 *
 * This is a foreign interface, so it does what the library proper never does:
 * it keeps state for the process, reads the environment and prints. A call
 * borrows a runner (a device that takes host pointers as device pointers) and
 * gives it back; as many runners exist as calls were ever made at once. Texts
 * are assembled once for the process and loaded once for each runner.
 *
 * What all that holds is counted, and while it is more than PTXVM_CACHE_BYTES
 * the text whose last call is longest ago is forgotten, with what idle runners
 * loaded of it; a runner at work drops that when it is given back.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptx_run.h"
#include "ptx_check.h"
#include "ptxvm.h"

enum { SOURCE_BUCKETS = 256, LOADED_BUCKETS = 64, MESSAGE_MAX = 2048 };
#define CACHE_DEFAULT (256ull << 20)

/* A text and what it assembled to. */
struct source {
    struct source *next;          /* of its bucket */
    struct source *newer, *older; /* by last use; guarded by lock */
    uint64_t key, id;             /* id: never used again */
    size_t size;
    unsigned users; /* calls at work with it; guarded by lock */
    char *text;
    ptx_module *module;
};

struct param {
    size_t offset, size;
};

/* A source on a runner's device. */
struct loaded {
    struct loaded *next;
    uint64_t key, id; /* of its source */
    ptx_program *program;
    ptx_kernel *kernel;
    ptx_kernel_info info;
    struct param *params;
    unsigned char *buffer; /* info.param_bytes */
};

/* What the environment says. Values that would change results or memory are not silently ignored when wrong.
 */
struct settings {
    unsigned threads; /* 0: one a CPU, also when it is no number */
    int approx_exact, ub_chip;
    ptx_async async;
    uint64_t async_seed;
    uint64_t schedule; /* seed + 1 of a random schedule; 0: the usual one */
    ptx_fmad fmad;
    uint64_t cache_bytes;
    unsigned check; /* PTX_CHECK_ */
};

struct runner {
    struct settings made; /* for which it was made */
    struct runner *next;
    uint64_t forgotten; /* the value of `forgotten` when it was looked through last */
    ptx_device *device;
    struct loaded *loaded[LOADED_BUCKETS];
    uint64_t told, newest; /* grids whose findings were told, and the newest of them */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct source *sources[SOURCE_BUCKETS]; /* this and what follows: guarded by lock */
static struct source *newest, *oldest;
static uint64_t next_id, forgotten; /* forgotten: how many sources were */
static struct runner *idle;
static atomic_size_t held; /* bytes of all texts, modules and devices */

static _Thread_local struct {
    int status;
    char message[MESSAGE_MAX];
} last;

__attribute__((format(printf, 2, 3))) static ptx_status fail(ptx_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last.message, sizeof last.message, format, args);
    va_end(args);
    last.status = (int)status;
    return status;
}

/* ---- memory ---- */

static void *count_realloc(void *user, void *ptr, size_t old_size, size_t size)
{
    (void)user;
    void *p = size ? realloc(ptr, size) : NULL;
    if (!size) free(ptr);
    if (size && !p) return NULL;
    atomic_fetch_add_explicit(&held, size - old_size, memory_order_relaxed);
    return p;
}

static const ptx_allocator counted = {.realloc = count_realloc};

/* ---- the environment ---- */

/* A number of bytes: digits, and perhaps K, M or G. False when the text is none. */
static int parse_bytes(const char *text, uint64_t *bytes)
{
    static const char suffixes[] = "KMG";
    char *end;
    *bytes = strtoull(text, &end, 10);
    const char *suffix = *end ? strchr(suffixes, *end & ~32) : NULL;
    const unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    if (*text < '0' || *text > '9' || (*end && (!suffix || end[1])) || *bytes > UINT64_MAX >> shift) return 0;
    *bytes <<= shift;
    return 1;
}

/* False when the text is not late, early or random:SEED. */
static int parse_async(const char *text, struct settings *settings)
{
    char *end;
    if (strcmp(text, "late") == 0) return settings->async = PTX_ASYNC_LATE, 1;
    if (strcmp(text, "early") == 0) return settings->async = PTX_ASYNC_EARLY, 1;
    if (strncmp(text, "random:", 7) != 0 || text[7] < '0' || text[7] > '9') return 0;
    settings->async = PTX_ASYNC_RANDOM;
    settings->async_seed = strtoull(text + 7, &end, 0);
    return !*end && settings->async_seed <= UINT32_MAX;
}

/* False when the text is not random:SEED. */
static int parse_schedule(const char *text, struct settings *settings)
{
    char *end;
    if (strncmp(text, "random:", 7) != 0 || text[7] < '0' || text[7] > '9') return 0;
    const uint64_t seed = strtoull(text + 7, &end, 0);
    settings->schedule = seed + 1;
    return !*end && seed <= UINT32_MAX;
}

static ptx_status read_settings(struct settings *settings)
{
    const char *threads = getenv("PTXVM_THREADS"), *approx = getenv("PTXVM_APPROX");
    const char *fmad = getenv("PTXVM_FMAD"), *cache = getenv("PTXVM_CACHE_BYTES");
    const char *ub = getenv("PTXVM_UB"), *async = getenv("PTXVM_ASYNC"), *schedule = getenv("PTXVM_SCHEDULE");
    const char *check = getenv("PTXVM_CHECK");
    char *end;
    *settings = (struct settings){.cache_bytes = CACHE_DEFAULT};
    if (threads && *threads >= '0' && *threads <= '9') {
        const unsigned long n = strtoul(threads, &end, 10);
        settings->threads = *end || n > 4096 ? 0 : (unsigned)n;
    }
    settings->approx_exact = approx && strcmp(approx, "exact") == 0;
    if (approx && *approx && !settings->approx_exact && strcmp(approx, "chip") != 0)
        return fail(PTX_ERROR_INVALID_ARGUMENT, "PTXVM_APPROX is exact or chip, not '%.40s'", approx);
    settings->ub_chip = ub && strcmp(ub, "chip") == 0;
    if (ub && *ub && !settings->ub_chip && strcmp(ub, "fault") != 0)
        return fail(PTX_ERROR_INVALID_ARGUMENT, "PTXVM_UB is fault or chip, not '%.40s'", ub);
    if (fmad && *fmad) settings->fmad = strcmp(fmad, "false") == 0 ? PTX_FMAD_OFF : PTX_FMAD_ON;
    if (settings->fmad == PTX_FMAD_ON && strcmp(fmad, "true") != 0)
        return fail(PTX_ERROR_INVALID_ARGUMENT, "PTXVM_FMAD is true or false, not '%.40s'", fmad);
    if (async && *async && !parse_async(async, settings))
        return fail(PTX_ERROR_INVALID_ARGUMENT, "PTXVM_ASYNC is late, early or random:SEED, not '%.40s'",
                    async);
    if (schedule && *schedule && !parse_schedule(schedule, settings))
        return fail(PTX_ERROR_INVALID_ARGUMENT, "PTXVM_SCHEDULE is random:SEED, not '%.40s'", schedule);
    if (check && *check && ptx_check_parse(check, &settings->check) != PTX_OK)
        return fail(PTX_ERROR_INVALID_ARGUMENT, "PTXVM_CHECK is words of --check, not '%.40s'", check);
    if (cache && *cache && !parse_bytes(cache, &settings->cache_bytes))
        return fail(PTX_ERROR_INVALID_ARGUMENT, "PTXVM_CACHE_BYTES is a number of bytes (512M), not '%.40s'",
                    cache);
    return PTX_OK;
}

/* ---- sources ---- */

/* Tells most texts apart at little cost; equality is settled by memcmp. */
static uint64_t key_of(const char *text, size_t size)
{
    uint64_t key = size, word;
    const size_t step = size / 16 + 1;
    for (size_t at = 0; at + sizeof word <= size; at += step) {
        memcpy(&word, text + at, sizeof word);
        key = (key ^ word) * 0x9e3779b97f4a7c15ull;
        key ^= key >> 29;
    }
    return key;
}

static struct source **place_of(uint64_t key, uint64_t id)
{
    struct source **at = &sources[key % SOURCE_BUCKETS];
    while (*at && (*at)->id != id) at = &(*at)->next;
    return at;
}

static void unlink_use(struct source *s)
{
    *(s->newer ? &s->newer->older : &newest) = s->older;
    *(s->older ? &s->older->newer : &oldest) = s->newer;
}

static void link_newest(struct source *s)
{
    s->newer = NULL;
    s->older = newest;
    *(newest ? &newest->newer : &oldest) = s;
    newest = s;
}

/* A source that is found is in use until source_give. */
static struct source *find_source(uint64_t key, const char *text, size_t size)
{
    pthread_mutex_lock(&lock);
    struct source *s = sources[key % SOURCE_BUCKETS];
    while (s && (s->key != key || s->size != size || memcmp(s->text, text, size) != 0)) s = s->next;
    if (s) {
        s->users++;
        unlink_use(s);
        link_newest(s);
    }
    pthread_mutex_unlock(&lock);
    return s;
}

static ptx_status fail_assembly(const ptx_module *module)
{
    ptx_diagnostic d = {sizeof d};
    for (size_t i = 0; i < ptx_module_diagnostic_count(module); i++)
        if (ptx_module_diagnostic(module, i, &d) == PTX_OK && d.severity >= PTX_ERROR)
            return fail(PTX_ERROR_ASSEMBLY, "line %u, column %u: %s", d.line, d.column, d.message);
    return fail(PTX_ERROR_ASSEMBLY, "the text does not assemble");
}

static void source_free(struct source *s)
{
    ptx_module_destroy(s->module);
    if (s->text) atomic_fetch_sub(&held, s->size);
    free(s->text);
    free(s);
}

static ptx_status assemble(struct source *s, const char *text)
{
    s->text = malloc(s->size + 1);
    if (!s->text) return fail(PTX_ERROR_OUT_OF_MEMORY, "out of memory");
    memcpy(s->text, text, s->size + 1);
    atomic_fetch_add(&held, s->size);
    const ptx_module_options options = {.allocator = counted};
    ptx_status status = ptx_module_create(&options, s->text, s->size, &s->module);
    if (status == PTX_ERROR_ASSEMBLY) return fail_assembly(s->module);
    return status == PTX_OK ? status : fail(status, "%s", ptx_status_name(status));
}

/* Another thread may have added the same text meanwhile; then there are two, which does no harm. */
static ptx_status get_source(const char *text, struct source **out)
{
    const size_t size = strlen(text);
    const uint64_t key = key_of(text, size);
    if ((*out = find_source(key, text, size))) return PTX_OK;
    struct source *s = calloc(1, sizeof *s);
    if (!s) return fail(PTX_ERROR_OUT_OF_MEMORY, "out of memory");
    s->key = key;
    s->size = size;
    ptx_status status = assemble(s, text);
    if (status != PTX_OK) {
        source_free(s);
        return status;
    }
    s->users = 1;
    pthread_mutex_lock(&lock);
    s->id = ++next_id;
    s->next = sources[key % SOURCE_BUCKETS];
    sources[key % SOURCE_BUCKETS] = *out = s;
    link_newest(s);
    pthread_mutex_unlock(&lock);
    return PTX_OK;
}

static void source_give(struct source *s)
{
    pthread_mutex_lock(&lock);
    s->users--;
    pthread_mutex_unlock(&lock);
}

/* ---- runners ---- */

static int print(void *user, const char *text, size_t size)
{
    (void)user;
    fwrite(text, 1, size, stdout);
    fflush(stdout);
    return 0;
}

static struct runner *runner_new(const struct settings *settings)
{
    char error[300] = "out of memory";
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .allocator = counted,
                                      .workers = settings->threads,
                                      .host_memory = 1,
                                      .approx_exact = settings->approx_exact,
                                      .ub = settings->ub_chip ? PTX_UB_CHIP : PTX_UB_FAULT,
                                      .async = settings->async,
                                      .async_seed = settings->async_seed,
                                      .schedule =
                                          settings->schedule ? PTX_SCHEDULE_RANDOM : PTX_SCHEDULE_USUAL,
                                      .schedule_seed = settings->schedule - (settings->schedule != 0),
                                      .check = settings->check,
                                      .output = print,
                                      .error = error,
                                      .error_bytes = sizeof error};
    struct runner *r = calloc(1, sizeof *r);
    if (r && ptx_device_create(&config, &r->device) == PTX_OK) {
        r->made = *settings;
        return r;
    }
    fail(PTX_ERROR_OUT_OF_MEMORY, "no device could be made: %s", error);
    free(r);
    return NULL;
}

static struct runner *runner_take(const struct settings *settings)
{
    pthread_mutex_lock(&lock);
    struct runner **at = &idle, *r;
    while ((r = *at) &&
           (r->made.threads != settings->threads || r->made.check != settings->check ||
            r->made.approx_exact != settings->approx_exact || r->made.ub_chip != settings->ub_chip ||
            r->made.fmad != settings->fmad || r->made.async != settings->async ||
            r->made.async_seed != settings->async_seed || r->made.schedule != settings->schedule))
        at = &r->next;
    if (r) *at = r->next;
    pthread_mutex_unlock(&lock);
    return r ? r : runner_new(settings);
}

static void loaded_free(struct loaded *l)
{
    ptx_program_destroy(l->program);
    free(l->params);
    free(l->buffer);
    free(l);
}

/* Drops what the runner loaded of sources that are forgotten. The lock is held. */
static void runner_drop(struct runner *r)
{
    for (unsigned i = 0; r->forgotten != forgotten && i < LOADED_BUCKETS; i++)
        for (struct loaded **at = &r->loaded[i], *l; (l = *at);) {
            if (*place_of(l->key, l->id)) {
                at = &l->next;
                continue;
            }
            *at = l->next;
            loaded_free(l);
        }
    r->forgotten = forgotten;
}

/* Forgets the texts longest out of use until what is held is within `cap`. The lock is held. */
static void trim(uint64_t cap)
{
    for (struct source *s = oldest, *newer; s && atomic_load(&held) > cap; s = newer) {
        newer = s->newer;
        if (s->users) continue;
        struct source **at = place_of(s->key, s->id);
        *at = s->next;
        unlink_use(s);
        source_free(s);
        forgotten++;
        for (struct runner *r = idle; r; r = r->next) runner_drop(r);
    }
}

static void runner_give(struct runner *r, uint64_t cap)
{
    pthread_mutex_lock(&lock);
    r->next = idle;
    idle = r;
    runner_drop(r);
    trim(cap);
    pthread_mutex_unlock(&lock);
}

/* ---- programs ---- */

static ptx_status read_params(struct loaded *l, const ptx_module *module)
{
    const size_t n = l->info.param_count;
    l->params = calloc(n + 1, sizeof *l->params);
    l->buffer = calloc(1, l->info.param_bytes + 1);
    if (!l->params || !l->buffer) return fail(PTX_ERROR_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++) {
        ptx_param_info p = {sizeof p};
        ptx_status status = ptx_module_kernel_param(module, 0, i, &p);
        if (status != PTX_OK) return fail(status, "%s", ptx_status_name(status));
        if (p.size > sizeof(uint64_t))
            return fail(PTX_ERROR_UNSUPPORTED, "parameter '%s' has %zu bytes; ptx_run passes 64-bit values",
                        p.name, p.size);
        l->params[i] = (struct param){p.offset, p.size};
    }
    return PTX_OK;
}

static ptx_status load_into(struct loaded *l, const ptx_module *module, struct runner *r)
{
    ptx_status status = ptx_module_kernel(module, 0, &l->info);
    if (status != PTX_OK) return fail(PTX_ERROR_NOT_FOUND, "the text holds no kernel (.entry)");
    const ptx_program_options options = {.fmad = r->made.fmad};
    status = ptx_program_create(r->device, &module, 1, &options, &l->program);
    if (status != PTX_OK) return fail(status, "%s", ptx_device_message(r->device));
    status = ptx_program_kernel(l->program, l->info.name, &l->kernel);
    if (status != PTX_OK) return fail(status, "%s: %s", l->info.name, ptx_status_name(status));
    return read_params(l, module);
}

static ptx_status get_loaded(struct runner *r, const struct source *s, struct loaded **out)
{
    struct loaded **bucket = &r->loaded[s->key % LOADED_BUCKETS], *l = *bucket;
    while (l && l->id != s->id) l = l->next;
    if (l) return *out = l, PTX_OK;
    l = calloc(1, sizeof *l);
    if (!l) return fail(PTX_ERROR_OUT_OF_MEMORY, "out of memory");
    l->key = s->key;
    l->id = s->id;
    ptx_status status = load_into(l, s->module, r);
    if (status != PTX_OK) {
        loaded_free(l);
        return status;
    }
    l->next = *bucket;
    *bucket = *out = l;
    return PTX_OK;
}

/* ---- the call ---- */

static ptx_status fail_launch(ptx_status status, const struct loaded *l, struct runner *r, const ptx_fault *f)
{
    const int stopped = status == PTX_ERROR_FAULT || status == PTX_ERROR_DEADLOCK ||
                        status == PTX_ERROR_LIMIT || status == PTX_ERROR_INTERRUPTED;
    if (!stopped) return fail(status, "%s: %s", l->info.name, ptx_device_message(r->device));
    if (status != PTX_ERROR_FAULT) return fail(status, "%s: %s\n%s", l->info.name, f->message, f->state);
    return fail(status,
                "%s: %s (%d): %s%s%s, line %u: %s in %s%s%s%s%s%s, block (%u,%u,%u), thread (%u,%u,%u)",
                f->kernel, f->name, f->cuda_error, f->message, *f->allocation ? ": " : "", f->allocation,
                f->line, f->instruction, f->function, *f->source ? " (" : "", f->source,
                *f->source ? ")" : "", *f->calls ? ", " : "", f->calls, f->cta[0], f->cta[1], f->cta[2],
                f->thread[0], f->thread[1], f->thread[2]);
}

static ptx_status launch(struct runner *r, const struct source *source, int n_args, void *const args[],
                         ptx_launch_config *config)
{
    struct loaded *l = NULL;
    ptx_fault fault = {sizeof fault};
    ptx_status status = get_loaded(r, source, &l);
    if (status != PTX_OK) return status;
    if (n_args < 0 || (size_t)n_args != l->info.param_count || (n_args && !args))
        return fail(PTX_ERROR_INVALID_ARGUMENT, "%s takes %zu parameters, %d were given", l->info.name,
                    l->info.param_count, n_args);
    for (int i = 0; i < n_args; i++) {
        const uint64_t value = (uint64_t)(uintptr_t)args[i];
        memcpy(l->buffer + l->params[i].offset, &value, l->params[i].size);
    }
    config->params = l->buffer;
    config->param_bytes = l->info.param_bytes;
    status = ptx_kernel_launch(l->kernel, config, &fault);
    return status == PTX_OK ? status : fail_launch(status, l, r, &fault);
}

/* Findings that this launch was the first to make. */
static void tell_found(void *user, const ptx_check_finding *f)
{
    struct runner *r = user;
    const uint64_t grid = f->nsides ? f->side[f->nsides - 1].grid : 0;
    if (grid <= r->told) return;
    if (grid > r->newest) r->newest = grid;
    fprintf(stderr, "ptx_run: %s: %s [%s]\n", f->severity >= PTX_ERROR ? "error" : "warning", f->message,
            f->code);
    for (unsigned i = 0; i < f->nsides; i++)
        fprintf(stderr, "  %s, block (%u,%u,%u), thread (%u,%u,%u), line %u: %s\n", f->side[i].access,
                f->side[i].cta[0], f->side[i].cta[1], f->side[i].cta[2], f->side[i].thread[0],
                f->side[i].thread[1], f->side[i].thread[2], f->side[i].line, f->side[i].instruction);
    if (*f->help) fprintf(stderr, "  help: %s\n", f->help);
}

static void run(const char *text, int n_args, void *const args[], ptx_launch_config *config)
{
    struct settings settings;
    struct source *source;
    if (read_settings(&settings) != PTX_OK) return;
    struct runner *r = runner_take(&settings);
    if (!r) return;
    if (get_source(text, &source) == PTX_OK) {
        launch(r, source, n_args, args, config);
        source_give(source);
        if (settings.check) ptx_device_findings(r->device, tell_found, r);
        r->told = r->newest;
    }
    runner_give(r, settings.cache_bytes);
}

static int set_shape(unsigned shape[3], int x, int y, int z)
{
    if (x < 1 || y < 1 || z < 1) return 0;
    shape[0] = (unsigned)x;
    shape[1] = (unsigned)y;
    shape[2] = (unsigned)z;
    return 1;
}

PTX_API void ptx_run(const char *ptx, int n_args, void *args[], int block_x, int block_y, int block_z,
                     int grid_x, int grid_y, int grid_z, int shared)
{
    ptx_launch_config config = {.shared_bytes = shared < 0 ? 0 : (unsigned)shared};
    last.status = PTX_OK;
    last.message[0] = 0;
    if (!ptx || shared < 0 || !set_shape(config.block, block_x, block_y, block_z) ||
        !set_shape(config.grid, grid_x, grid_y, grid_z))
        fail(PTX_ERROR_INVALID_ARGUMENT, "a shape of zero or less, or no text");
    else
        run(ptx, n_args, args, &config);
    if (last.status != PTX_OK) fprintf(stderr, "ptx_run: %s\n", last.message);
}

PTX_API int ptx_run_status(char *buf, size_t n)
{
    if (buf && n) snprintf(buf, n, "%s", last.message);
    return last.status;
}
