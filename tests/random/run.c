/* run.c - see run.h. The level is no part of the public interface, hence the look into the device. */
#include "random/run.h"
#include <ptxvm.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vm/device/device.h"
#include <ptx_counts.h>
#include "reference/reference.h"

enum {
    SECONDS = 40, /* of one configuration */
    CLOCK_SECONDS = 600,
    RUN_MS = 60000,
    DEVICE_BYTES = 16 << 20,
    LAUNCHED_TWICE = 8,
    SHARED_MORE = 5000
};

/* ---- configurations ---- */

static bool listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (!strncmp(p, word, n) && (p[n] == ',' || !p[n])) return true;
    return false;
}

/* What is there of the levels and numbers of workers. */
struct axes {
    const char *levels[3];
    unsigned workers[3], nlevels, nworkers;
};

static struct axes find_axes(const char *levels, const char *workers)
{
    static const char *const names[] = {"portable", "avx2", "avx512"};
    static const unsigned counts[] = {1, 2, 8};
    struct axes a = {.nlevels = 0};
    for (unsigned i = 0; i < 3; i++) {
        char count[4];
        snprintf(count, sizeof count, "%u", counts[i]);
        if (px_level_named(names[i]) && (!levels || listed(levels, names[i])))
            a.levels[a.nlevels++] = names[i];
        if (!workers || listed(workers, count)) a.workers[a.nworkers++] = counts[i];
    }
    return a;
}

/* Every pair of optimisations off, and each alone; levels, workers and schedules take turns. */
static void add_pairs(struct configs *c, const struct axes *a)
{
    for (unsigned i = 0, n = 0; i < PX_ENGINE_COUNT; i++)
        for (unsigned k = i; k < PX_ENGINE_COUNT && c->n < CONFIGS_MAX; k++, n++)
            c->at[c->n++] = (struct config){.level = a->levels[n % a->nlevels],
                                            .workers = a->workers[n / a->nlevels % a->nworkers],
                                            .off = 1u << i | 1u << k,
                                            .schedule = n / a->nlevels / a->nworkers & 1,
                                            .pair = n + 1};
}

struct configs run_configs(const char *levels, const char *workers, bool reference)
{
    const struct axes a = find_axes(levels, workers);
    struct configs c = {0};
    for (unsigned order = 1; order <= 2 && reference; order++)
        c.at[c.n++] = (struct config){.reference = order};
    for (unsigned l = 0; l < a.nlevels; l++)
        for (unsigned w = 0; w < a.nworkers; w++)
            for (unsigned off = 0; off <= PX_ENGINE_convergent; off += PX_ENGINE_convergent)
                c.at[c.n++] = (struct config){a.levels[l], a.workers[w], off, 0, 0, 0};
    for (unsigned l = 0; l < a.nlevels; l++)
        for (unsigned w = 0; w < a.nworkers; w++)
            c.at[c.n++] = (struct config){a.levels[l], a.workers[w], 0, 0, 0, 1};
    if (a.nlevels && a.nworkers) add_pairs(&c, &a);
    return c;
}

void run_config_name(const struct config *c, char *to, size_t size)
{
    static const char *const names[] = {
#define ENGINE(name, text) #name,
#include "gang/engine.def"
#undef ENGINE
    };
    if (c->reference) {
        snprintf(to, size, "the reference, order %u", c->reference);
        return;
    }
    int n =
        snprintf(to, size, "%s, %u workers%s", c->level, c->workers, c->schedule ? ", random schedule" : "");
    for (unsigned i = 0; i < PX_ENGINE_COUNT; i++)
        if (c->off >> i & 1 && (size_t)n < size) n += snprintf(to + n, size - (size_t)n, ", no-%s", names[i]);
}

const char *run_outcome_name(enum outcome outcome)
{
    static const char *const names[] = {"same", "miscounts", "differs", "refused", "stopped", "crashed"};
    return names[outcome];
}

/* ---- in the child ---- */

struct session {
    const char *text;
    const struct random_program *shape;
    uint64_t seed;
    ptx_module *module;
    ptx_device *devices[9]; /* by workers */
    uint64_t *executed; /* what the first reference counted, by byte of the text; NULL: it was not asked */
    bool counts_vary; /* threads spin, what became one counts as one, or another order of the reference counts
                         otherwise: nobody is held to it */
    struct verdict *verdict;
};

static bool fail(struct session *s, enum outcome outcome, const char *message)
{
    s->verdict->outcome = outcome;
    snprintf(s->verdict->message, MESSAGE, "%s", message);
    return false;
}

static bool check(struct session *s)
{
    ptx_diagnostic d = {sizeof d};
    if (ptx_module_create(NULL, s->text, strlen(s->text), &s->module) == PTX_OK) return true;
    char message[MESSAGE] = "no diagnostic";
    for (size_t i = 0; i < ptx_module_diagnostic_count(s->module); i++) {
        ptx_module_diagnostic(s->module, i, &d);
        if (d.severity == PTX_WARNING) continue;
        const char *line = "";
        size_t n = 0;
        ptx_module_source_line(s->module, d.line, &line, &n);
        snprintf(message, sizeof message, "%s: %.*s", d.message, (int)(n < 300 ? n : 300), line);
        break;
    }
    return fail(s, OUTCOME_REFUSED, message);
}

static ptx_device *device_of(struct session *s, unsigned workers)
{
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .workers = workers,
                                      .memory_bytes = DEVICE_BYTES,
                                      .timeout_ms = RUN_MS,
                                      .counts = 1};
    if (!s->devices[workers] && ptx_device_create(&config, &s->devices[workers]) != PTX_OK) return NULL;
    return s->devices[workers];
}

/* ---- counts ---- */

/* Executions by line of the text. */
struct lines {
    uint64_t *at;
    size_t n;
};

static struct lines lines_of(const struct session *s, const uint64_t *executed)
{
    struct lines lines = {.n = 2};
    for (const char *p = s->text; *p; p++) lines.n += *p == '\n';
    lines.at = calloc(lines.n, sizeof *lines.at);
    for (size_t i = 0, line = 1; lines.at && executed && s->text[i]; line += s->text[i++] == '\n')
        lines.at[line] += executed[i];
    return lines;
}

static void count_line(void *user, const ptx_count *c)
{
    struct lines *lines = user;
    if (c->line < lines->n) lines->at[c->line] += c->threads;
}

static bool counts_agree(struct session *s, ptx_device *device)
{
    if (!s->executed || s->counts_vary) return true;
    struct lines expected = lines_of(s, s->executed), found = lines_of(s, NULL);
    bool good = expected.at && found.at &&
                ptx_device_counts(device, PTX_COUNT_BY_INSTRUCTION, count_line, &found) == PTX_OK;
    if (!good) fail(s, OUTCOME_CRASHED, "no counts");
    for (size_t i = 0; good && i < expected.n; i++) {
        char message[MESSAGE];
        if (found.at[i] == expected.at[i]) continue;
        snprintf(message, sizeof message, "line %zu: %llu executions, not %llu", i,
                 (unsigned long long)found.at[i], (unsigned long long)expected.at[i]);
        good = fail(s, OUTCOME_MISCOUNTED, message);
    }
    free(expected.at);
    free(found.at);
    return good;
}

/* Some programs are launched twice: what is kept from launch to launch must fit. */
static unsigned launches_of(const struct session *s)
{
    return s->seed % LAUNCHED_TWICE ? 1 : 2;
}

/* The second launch has the same buffer, parameters of its own, and more shared memory. */
static void params_of(const struct session *s, unsigned launch, uint64_t address,
                      uint8_t params[RANDOM_PARAM_BYTES])
{
    random_params(s->seed + (uint64_t)launch * 1000003, address, params);
}

static bool launch(struct session *s, ptx_device *device, ptx_program *program, ptx_address at,
                   uint8_t *buffer)
{
    uint8_t params[RANDOM_PARAM_BYTES];
    const struct random_program *p = s->shape;
    ptx_launch_config config = {.params = params, .param_bytes = sizeof params};
    ptx_kernel *kernel;
    ptx_fault fault = {sizeof fault};
    char message[MESSAGE];
    memcpy(config.grid, p->grid, sizeof config.grid);
    memcpy(config.block, p->block, sizeof config.block);
    if (ptx_program_kernel(program, "k", &kernel) != PTX_OK) return fail(s, OUTCOME_REFUSED, "no kernel k");
    ptx_memory_write(device, at, buffer, p->buffer_bytes);
    for (unsigned i = 0; i < launches_of(s); i++) {
        params_of(s, i, at, params);
        config.shared_bytes = i * SHARED_MORE;
        if (ptx_kernel_launch(kernel, &config, &fault) == PTX_OK) continue;
        bool kept = fault.message && *fault.message;
        snprintf(message, sizeof message, "%s: %s", kept ? fault.message : ptx_device_message(device),
                 kept ? fault.instruction : "");
        return fail(s, OUTCOME_STOPPED, message);
    }
    ptx_memory_read(device, buffer, at, p->buffer_bytes);
    return true;
}

static bool run_engine(struct session *s, const struct config *c, uint8_t *buffer)
{
    /* The reference does what is written. */
    const bool contracted = s->shape->contracts && s->verdict->config & 1;
    const ptx_program_options plain = {.fmad = contracted ? PTX_FMAD_ON : PTX_FMAD_OFF};
    ptx_device *device = device_of(s, c->workers);
    ptx_program *program = NULL;
    ptx_address at = 0;
    const ptx_module *modules[] = {s->module};
    if (!device) return fail(s, OUTCOME_CRASHED, "no device");
    device->level = px_level_named(c->level);
    device->engine = (PX_ENGINE_ALL & ~c->off) | PX_ENGINE_VERIFY;
    device->config.schedule = c->schedule ? PTX_SCHEDULE_RANDOM : PTX_SCHEDULE_USUAL;
    device->config.schedule_seed = s->seed;
    px_sched_lock(&device->sched); /* helpers of the run before may still look for work */
    device->sched.random = c->schedule ? s->seed | 1 : 0;
    px_sched_unlock(&device->sched);
    ptx_device_counts_clear(device);
    bool good = ptx_memory_alloc(device, s->shape->buffer_bytes, &at) == PTX_OK;
    if (good && ptx_program_create(device, modules, 1, &plain, &program) != PTX_OK)
        good = fail(s, OUTCOME_REFUSED, ptx_device_message(device));
    good = good && launch(s, device, program, at, buffer);
    if (good) good = counts_agree(s, device);
    ptx_program_destroy(program);
    ptx_memory_free(device, at);
    return good;
}

static bool run_reference(struct session *s, const struct config *c, uint8_t *buffer)
{
    uint8_t params[RANDOM_PARAM_BYTES];
    char message[MESSAGE];
    ptx_address at = 0;
    ptx_device *device = device_of(s, 1);
    if (!device || ptx_memory_alloc(device, s->shape->buffer_bytes, &at) != PTX_OK)
        return fail(s, OUTCOME_CRASHED, "no device");
    ptx_memory_free(device, at);
    const size_t bytes = strlen(s->text) * sizeof *s->executed;
    uint64_t *executed = calloc(1, bytes);
    if (!executed) return fail(s, OUTCOME_CRASHED, "no memory");
    struct ref_launch launch = {.kernel = "k",
                                .seed = s->seed * 2 + c->reference,
                                .max_steps = 1u << 30,
                                .buffer = buffer,
                                .buffer_bytes = s->shape->buffer_bytes,
                                .buffer_address = at,
                                .params = params,
                                .param_bytes = sizeof params,
                                .executed = executed};
    memcpy(launch.grid, s->shape->grid, sizeof launch.grid);
    memcpy(launch.block, s->shape->block, sizeof launch.block);
    bool good = true;
    for (unsigned i = 0; i < launches_of(s) && good; i++) {
        params_of(s, i, at, params);
        launch.dynamic_smem = i * SHARED_MORE;
        good = !ref_run(s->text, strlen(s->text), &launch, message, sizeof message);
    }
    if (!good) fail(s, OUTCOME_STOPPED, message);
    if (s->executed && memcmp(s->executed, executed, bytes) != 0) s->counts_vary = true;
    if (!s->executed)
        s->executed = executed;
    else
        free(executed);
    return good;
}

static void compare(struct session *s, const uint8_t *expected, const uint8_t *found)
{
    size_t n = s->shape->buffer_bytes, at = 0;
    if (!memcmp(expected, found, n)) return;
    while (!memcmp(expected + at, found + at, 4)) at += 4;
    s->verdict->outcome = OUTCOME_DIFFERENT;
    s->verdict->at = at;
    memcpy(&s->verdict->expected, expected + at, 4);
    memcpy(&s->verdict->found, found + at, 4);
}

/* So many seconds more of the process's own time: others may use the machine, too. */
static void allow(rlim_t seconds)
{
    struct rusage used;
    struct rlimit limit;
    if (getrusage(RUSAGE_SELF, &used) || getrlimit(RLIMIT_CPU, &limit)) return;
    limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + seconds + 1;
    setrlimit(RLIMIT_CPU, &limit);
}

static void run_all(struct session *s, const struct configs *configs)
{
    uint8_t *expected = malloc(s->shape->buffer_bytes), *found = malloc(s->shape->buffer_bytes);
    if (!expected || !found || !check(s)) return;
    for (size_t i = 0; i < configs->n; i++) {
        const struct config *c = &configs->at[i];
        uint8_t *buffer = i ? found : expected;
        s->verdict->config = i;
        allow(SECONDS);
        alarm(CLOCK_SECONDS);
        random_fill(s->seed, buffer, s->shape->buffer_bytes);
        if (!(c->reference ? run_reference(s, c, buffer) : run_engine(s, c, buffer))) return;
        if (i) compare(s, expected, found);
        if (s->verdict->outcome) return;
    }
}

/* ---- in the parent ---- */

/* Of builds that count what is executed (reach.py): _exit does without. */
void __gcov_dump(void) __attribute__((weak));

static void child(const char *text, const struct random_program *shape, uint64_t seed,
                  const struct configs *configs, struct verdict *to)
{
    struct session session = {.text = text,
                              .shape = shape,
                              .seed = seed,
                              .verdict = to,
                              .counts_vary = shape->spins || shape->contracts};
    to->outcome = OUTCOME_SAME;
    to->message[0] = 0;
    run_all(&session, configs);
    fflush(NULL);
    if (__gcov_dump) __gcov_dump();
    _exit(0);
}

struct verdict run_program(const char *text, const struct random_program *shape, uint64_t seed,
                           const struct configs *configs)
{
    struct verdict verdict = {.outcome = OUTCOME_CRASHED};
    struct verdict *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    if (shared == MAP_FAILED) {
        snprintf(verdict.message, MESSAGE, "no memory");
        return verdict;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) child(text, shape, seed, configs, shared);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        snprintf(verdict.message, MESSAGE, "no process");
    else if (WIFEXITED(status) && !WEXITSTATUS(status))
        verdict = *shared;
    else {
        verdict.config = shared->config;
        snprintf(verdict.message, MESSAGE, WIFSIGNALED(status) ? "signal %d" : "exit code %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    munmap(shared, sizeof *shared);
    return verdict;
}
