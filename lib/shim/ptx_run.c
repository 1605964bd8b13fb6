/*
 * ptx_run.c - a whole emulator behind one function.
 *
 * This is a foreign interface, so it does what the library proper never does:
 * it keeps state for the process, reads the environment and prints. A call
 * borrows a runner (a device that takes host pointers as device pointers) and
 * gives it back; as many runners exist as calls were ever made at once. Texts
 * are assembled once for the process and loaded once for each runner.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptxvm.h"

enum { SOURCE_BUCKETS = 256, LOADED_BUCKETS = 64, MESSAGE_MAX = 1024 };

/* A text and what it assembled to; never freed. */
struct source {
    struct source *next;
    uint64_t key;
    size_t size;
    char *text;
    ptx_module *module;
};

struct param {
    size_t offset, size;
};

/* A source on a runner's device. */
struct loaded {
    struct loaded *next;
    const struct source *source;
    ptx_program *program;
    ptx_kernel *kernel;
    ptx_kernel_info info;
    struct param *params;
    unsigned char *buffer; /* info.param_bytes */
};

struct runner {
    struct runner *next;
    ptx_device *device;
    struct loaded *loaded[LOADED_BUCKETS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct source *sources[SOURCE_BUCKETS]; /* guarded by lock; entries never change */
static struct runner *idle;                    /* guarded by lock */

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

static struct source *find_source(uint64_t key, const char *text, size_t size)
{
    pthread_mutex_lock(&lock);
    struct source *s = sources[key % SOURCE_BUCKETS];
    while (s && (s->key != key || s->size != size || memcmp(s->text, text, size) != 0)) s = s->next;
    pthread_mutex_unlock(&lock);
    return s;
}

static ptx_status fail_assembly(const ptx_module *module)
{
    ptx_diagnostic d;
    for (size_t i = 0; i < ptx_module_diagnostic_count(module); i++)
        if (ptx_module_diagnostic(module, i, &d) == PTX_OK && d.severity >= PTX_ERROR)
            return fail(PTX_ERROR_ASSEMBLY, "line %u, column %u: %s", d.line, d.column, d.message);
    return fail(PTX_ERROR_ASSEMBLY, "the text does not assemble");
}

static void source_free(struct source *s)
{
    ptx_module_destroy(s->module);
    free(s->text);
    free(s);
}

static ptx_status assemble(struct source *s, const char *text)
{
    s->text = malloc(s->size + 1);
    if (!s->text) return fail(PTX_ERROR_OUT_OF_MEMORY, "out of memory");
    memcpy(s->text, text, s->size + 1);
    ptx_status status = ptx_module_create(NULL, s->text, s->size, &s->module);
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
    pthread_mutex_lock(&lock);
    s->next = sources[key % SOURCE_BUCKETS];
    sources[key % SOURCE_BUCKETS] = *out = s;
    pthread_mutex_unlock(&lock);
    return PTX_OK;
}

/* ---- runners ---- */

static int print(void *user, const char *text, size_t size)
{
    (void)user;
    fwrite(text, 1, size, stdout);
    fflush(stdout);
    return 0;
}

/* PTXVM_THREADS; 0 (one a CPU) when it is not set or no number. */
static unsigned threads_wanted(void)
{
    const char *text = getenv("PTXVM_THREADS");
    char *end;
    if (!text || *text < '0' || *text > '9') return 0;
    unsigned long n = strtoul(text, &end, 10);
    return *end || n > 4096 ? 0 : (unsigned)n;
}

/* PTXVM_FMAD: true or false, as ptxas takes them; anything else is the default. */
static ptx_fmad fmad_wanted(void)
{
    const char *text = getenv("PTXVM_FMAD");
    if (!text) return PTX_FMAD_DEFAULT;
    return strcmp(text, "false") == 0 ? PTX_FMAD_OFF : strcmp(text, "true") == 0 ? PTX_FMAD_ON : PTX_FMAD_DEFAULT;
}

static struct runner *runner_new(void)
{
    const ptx_device_config config = {.workers = threads_wanted(), .host_memory = 1, .output = print};
    struct runner *r = calloc(1, sizeof *r);
    if (r && ptx_device_create(&config, &r->device) == PTX_OK) return r;
    free(r);
    return NULL;
}

static struct runner *runner_take(void)
{
    pthread_mutex_lock(&lock);
    struct runner *r = idle;
    if (r) idle = r->next;
    pthread_mutex_unlock(&lock);
    return r ? r : runner_new();
}

static void runner_give(struct runner *r)
{
    pthread_mutex_lock(&lock);
    r->next = idle;
    idle = r;
    pthread_mutex_unlock(&lock);
}

/* ---- programs ---- */

static void loaded_free(struct loaded *l)
{
    ptx_program_destroy(l->program);
    free(l->params);
    free(l->buffer);
    free(l);
}

static ptx_status read_params(struct loaded *l)
{
    const size_t n = l->info.param_count;
    l->params = calloc(n + 1, sizeof *l->params);
    l->buffer = calloc(1, l->info.param_bytes + 1);
    if (!l->params || !l->buffer) return fail(PTX_ERROR_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++) {
        ptx_param_info p;
        ptx_status status = ptx_module_kernel_param(l->source->module, 0, i, &p);
        if (status != PTX_OK) return fail(status, "%s", ptx_status_name(status));
        if (p.size > sizeof(uint64_t))
            return fail(PTX_ERROR_UNSUPPORTED, "parameter '%s' has %zu bytes; ptx_run passes 64-bit values",
                        p.name, p.size);
        l->params[i] = (struct param){p.offset, p.size};
    }
    return PTX_OK;
}

static ptx_status load_into(struct loaded *l, struct runner *r)
{
    const ptx_module *module = l->source->module;
    ptx_status status = ptx_module_kernel(module, 0, &l->info);
    if (status != PTX_OK) return fail(PTX_ERROR_NOT_FOUND, "the text holds no kernel (.entry)");
    const ptx_program_options options = {.fmad = fmad_wanted()};
    status = ptx_program_create(r->device, &module, 1, &options, &l->program);
    if (status != PTX_OK) return fail(status, "%s", ptx_device_message(r->device));
    status = ptx_program_kernel(l->program, l->info.name, &l->kernel);
    if (status != PTX_OK) return fail(status, "%s: %s", l->info.name, ptx_status_name(status));
    return read_params(l);
}

static ptx_status get_loaded(struct runner *r, const struct source *s, struct loaded **out)
{
    struct loaded **bucket = &r->loaded[s->key % LOADED_BUCKETS], *l = *bucket;
    while (l && l->source != s) l = l->next;
    if (l) return *out = l, PTX_OK;
    l = calloc(1, sizeof *l);
    if (!l) return fail(PTX_ERROR_OUT_OF_MEMORY, "out of memory");
    l->source = s;
    ptx_status status = load_into(l, r);
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
    return fail(status, "%s: %s (%d): %s, line %u: %s in block (%u,%u,%u), thread (%u,%u,%u)", f->kernel,
                f->name, f->cuda_error, f->message, f->line, f->instruction, f->cta[0], f->cta[1], f->cta[2],
                f->thread[0], f->thread[1], f->thread[2]);
}

static ptx_status run(struct runner *r, const char *text, int n_args, void *const args[],
                      ptx_launch_config *config)
{
    struct source *source;
    struct loaded *l = NULL;
    ptx_fault fault;
    ptx_status status = get_source(text, &source);
    if (status == PTX_OK) status = get_loaded(r, source, &l);
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
    struct runner *r = NULL;
    if (!ptx || shared < 0 || !set_shape(config.block, block_x, block_y, block_z) ||
        !set_shape(config.grid, grid_x, grid_y, grid_z))
        fail(PTX_ERROR_INVALID_ARGUMENT, "a shape of zero or less, or no text");
    else if (!(r = runner_take()))
        fail(PTX_ERROR_OUT_OF_MEMORY, "no device could be made");
    else
        run(r, ptx, n_args, args, &config);
    if (r) runner_give(r);
    if (last.status != PTX_OK) fprintf(stderr, "ptx_run: %s\n", last.message);
}

PTX_API int ptx_run_status(char *buf, size_t n)
{
    if (buf && n) snprintf(buf, n, "%s", last.message);
    return last.status;
}
