/*
 * main.c - random sequences of calls of the library, each held against a model of what must happen (model.h).
 *
 * A case has a seed, from which follow its threads, its device and its steps. Cases run in processes of their
 * own, many in one, so that a crash or a hang is one case's. A case that fails is run again with fewer and
 * fewer steps, and the fewest that fail are told, call by call. README.md explains the options.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "sequences/model.h"

enum { THREADS_MOST = 4, STEPS_MOST = 400, CASES_A_PROCESS = 16, TRIES = 3 };

struct step {
    uint32_t what, pick[PICKS];
};

struct list {
    unsigned n;
    struct step at[STEPS_MOST];
};

struct sequence {
    uint64_t seed;
    unsigned threads, workers;
    bool shuffled, deterministic;
    struct list lists[THREADS_MOST];
};

/* What a process tells the one that made it; in memory that both see. */
struct told {
    atomic_uint_fast64_t calls;
    atomic_uint done; /* cases */
    char why[500];
};

static struct {
    uint64_t seed, calls;
    unsigned seconds, threads;
    bool trace;
} options = {.seed = 1, .calls = 20000, .seconds = 120};

static struct told *told;

/* ---- cases ---- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t next(uint64_t *state)
{
    return (uint32_t)(mix(*state += 0x9e3779b97f4a7c15u) >> 32);
}

static void make(struct sequence *s, uint64_t seed)
{
    uint64_t state = mix(seed);
    memset(s, 0, sizeof *s);
    s->seed = seed;
    s->threads = next(&state) % 2 ? 1 : 2 + next(&state) % (THREADS_MOST - 1);
    if (options.threads) s->threads = options.threads;
    s->workers = 1 + next(&state) % 3;
    s->shuffled = next(&state) % 4 == 0;
    s->deterministic = s->threads == 1 && next(&state) % 8 == 0;
    for (unsigned t = 0; t < s->threads; t++) {
        struct list *l = &s->lists[t];
        l->n = 100 + next(&state) % (STEPS_MOST - 100);
        for (unsigned i = 0; i < l->n; i++) {
            l->at[i].what = next(&state) % step_kinds();
            for (int k = 0; k < PICKS; k++) l->at[i].pick[k] = next(&state);
        }
    }
}

/* ---- one case, in this process ---- */

static atomic_long live; /* blocks of the library */

static void *counted(void *user, void *ptr, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    void *result = size ? realloc(ptr, size) : (free(ptr), NULL);
    atomic_fetch_add(&live, (result && !ptr) - (!size && ptr));
    return result;
}

struct thread {
    pthread_t thread;
    struct model model;
    const struct list *list;
};

static void *run_list(void *user)
{
    struct thread *t = user;
    struct model *m = &t->model;
    for (unsigned i = 0; i < t->list->n && !m->failed; i++) {
        step_run(m, t->list->at[i].what, t->list->at[i].pick);
        atomic_fetch_add(&told->calls, m->calls);
        m->calls = 0;
    }
    if (!m->failed) model_end(m);
    atomic_fetch_add(&told->calls, m->calls);
    return NULL;
}

static void *begin_and_run(void *user)
{
    struct thread *t = user;
    ptx_device *device = t->model.device, *other = t->model.other;
    const bool alone = t->model.alone;
    return model_begin(&t->model, device, other, alone) ? run_list(t) : NULL;
}

/* What is wrong; NULL: nothing is. */
static const char *run_here(const struct sequence *s)
{
    static struct thread threads[THREADS_MOST];
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .allocator = {.realloc = counted},
                                      .workers = s->workers,
                                      .deterministic = s->deterministic,
                                      .memory_bytes = 16 << 20,
                                      .timeout_ms = 60000,
                                      .schedule = s->shuffled ? PTX_SCHEDULE_RANDOM : PTX_SCHEDULE_USUAL,
                                      .schedule_seed = s->seed},
                            plain = {.struct_size = sizeof plain, .workers = 1, .memory_bytes = 1 << 20};
    ptx_device *device, *other;
    const char *why = NULL;
    if (ptx_device_create(&config, &device) != PTX_OK || ptx_device_create(&plain, &other) != PTX_OK)
        return "no device can be made";
    memset(threads, 0, sizeof threads);
    for (unsigned t = 0; t < s->threads; t++) {
        threads[t].list = &s->lists[t];
        threads[t].model = (struct model){
            .device = device, .other = other, .thread = t, .alone = s->threads == 1, .trace = options.trace};
        if (pthread_create(&threads[t].thread, NULL, begin_and_run, &threads[t]) != 0) return "no thread";
    }
    for (unsigned t = 0; t < s->threads; t++) pthread_join(threads[t].thread, NULL);
    for (unsigned t = 0; t < s->threads && !why; t++)
        if (threads[t].model.failed) why = threads[t].model.why;
    ptx_device_destroy(device);
    ptx_device_destroy(other);
    if (!why && atomic_load(&live)) why = "the library kept memory";
    return why;
}

/* ---- processes ---- */

/* Runs cases from `first` on, or the one that is given; false: told->why says what is wrong. */
static bool run_apart(const struct sequence *given, uint64_t first, unsigned n)
{
    static struct sequence s;
    int status;
    fflush(stdout);
    *told->why = 0;
    atomic_store(&told->done, 0);
    const pid_t child = fork();
    if (!child) {
        for (unsigned i = 0; i < n; i++) {
            alarm(options.seconds);
            if (!given) make(&s, first + i);
            const char *why = run_here(given ? given : &s);
            if (why) {
                snprintf(told->why, sizeof told->why, "%s", why);
                _exit(1);
            }
            atomic_fetch_add(&told->done, 1);
        }
        exit(0); /* sanitizers look at what is left */
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    if (!*told->why && WIFSIGNALED(status))
        snprintf(told->why, sizeof told->why, "ended by signal %d%s", WTERMSIG(status),
                 WTERMSIG(status) == SIGALRM ? " (it hangs)" : "");
    if (!*told->why) snprintf(told->why, sizeof told->why, "exit code %d", WEXITSTATUS(status));
    return false;
}

static bool fails(const struct sequence *s)
{
    for (int i = 0; i < (s->threads > 1 || s->workers > 1 ? TRIES : 1); i++)
        if (!run_apart(s, 0, 1)) return true;
    return false;
}

/* ---- shrinking ---- */

static unsigned total(const struct sequence *s)
{
    unsigned n = 0;
    for (unsigned t = 0; t < s->threads; t++) n += s->lists[t].n;
    return n;
}

/* Without the steps [from, from + n) of a list, if it fails like that, too. */
static bool without(struct sequence *s, unsigned t, unsigned from, unsigned n)
{
    static struct sequence less;
    less = *s;
    struct list *l = &less.lists[t];
    memmove(&l->at[from], &l->at[from + n], (l->n - from - n) * sizeof *l->at);
    l->n -= n;
    if (!fails(&less)) return false;
    *s = less;
    return true;
}

static void shrink(struct sequence *s)
{
    const time_t until = time(NULL) + 60;
    for (unsigned part = STEPS_MOST / 2; part; part /= 2)
        for (unsigned t = 0; t < s->threads; t++)
            for (unsigned from = 0; from + part <= s->lists[t].n && time(NULL) < until;)
                if (!without(s, t, from, part)) from += part;
}

static void tell(struct sequence *s)
{
    char why[sizeof told->why];
    snprintf(why, sizeof why, "%s", told->why);
    printf("FAILED case %llu: %s\n", (unsigned long long)s->seed, why);
    if (options.trace) return;
    const unsigned before = total(s);
    shrink(s);
    printf("the same with %u of %u steps, %u threads, %u workers%s%s:\n", total(s), before, s->threads,
           s->workers, s->shuffled ? ", random schedule" : "", s->deterministic ? ", deterministic" : "");
    options.trace = true;
    for (int i = 0; i < TRIES && run_apart(s, 0, 1); i++) printf("(it passed)\n");
    options.trace = false;
    printf("%s\n", told->why);
}

/* ---- options ---- */

static void parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "0";
        if (!strcmp(argv[i], "--trace"))
            options.trace = true;
        else if (!strcmp(argv[i], "--seed"))
            options.seed = strtoull(value, NULL, 0), i++;
        else if (!strcmp(argv[i], "--calls"))
            options.calls = strtoull(value, NULL, 0), i++;
        else if (!strcmp(argv[i], "--seconds"))
            options.seconds = (unsigned)strtoul(value, NULL, 0), i++;
        else if (!strcmp(argv[i], "--threads"))
            options.threads = (unsigned)strtoul(value, NULL, 0) % (THREADS_MOST + 1), i++;
        else {
            printf("sequences [--calls N] [--seed S] [--threads T] [--seconds S] [--trace]\n");
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    static struct sequence s;
    uint64_t at;
    parse(argc, argv);
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED) return 2;
    at = options.seed;
    while (atomic_load(&told->calls) < options.calls) {
        const unsigned n = options.trace ? 1 : CASES_A_PROCESS;
        if (run_apart(NULL, at, n)) {
            at += n;
            continue;
        }
        make(&s, at + atomic_load(&told->done));
        tell(&s);
        return 1;
    }
    printf("ok: %llu calls in %llu cases\n", (unsigned long long)atomic_load(&told->calls),
           (unsigned long long)(at - options.seed));
    return 0;
}
