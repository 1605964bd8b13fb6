/*
 * main.c - random PTX programs, run by the engine in every configuration and by the reference: all must say
 * the same.
 *
 * Jobs are processes that take seeds in turn; README.md says how to read what they print.
 */
#include "random/run.h"
#include "random/shrink.h"
#include <errno.h>
#include <getopt.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "usage: random [options]\n"
    "Makes random PTX programs, runs each on the engine in every configuration and in the reference, and "
    "compares the\n"
    "buffers. A program that fails is written to the folder of --keep, made small, written and printed.\n"
    "  --seed N        the first seed (1)\n"
    "  --count N       so many programs (300)\n"
    "  --time SECONDS  start none after that\n"
    "  --size N        statements of a kernel, about (24)\n"
    "  --features LIST of memory, flow, calls, warp, barriers, atomics, exits, nans, carry, locks, async, "
    "matrices, indices, idioms (all but locks)\n"
    "  --levels LIST   of portable, avx2, avx512 (those of this machine)\n"
    "  --workers LIST  of 1, 2, 8 (all)\n"
    "  --spread        each program with one number of workers a level and four pairs of optimisations off, "
    "taking turns\n"
    "  --jobs N        processes (1)\n"
    "  --keep DIR      where failing programs go (random-found)\n"
    "  --stop N        end after so many failures (5)\n"
    "  --shrink SECONDS  to make one failure small (120); 0: do not\n"
    "  --no-reference  compare configurations of the engine only\n"
    "  --emit          print the program of --seed and end\n"
    "  --check FILE    print the verdict on the text in FILE, with the input of --seed and the shape of its "
    "first line\n"
    "Exit code: 0 all the same, 1 a failure, 2 wrong usage.\n";

struct settings {
    uint64_t seed, count;
    unsigned seconds, jobs, stop, shrink;
    struct random_options options;
    const char *levels, *workers, *keep, *check;
    bool reference, emit, spread;
};

/* What the jobs share. */
struct tally {
    _Atomic uint64_t programs, lines;
    _Atomic unsigned found;
};

/* ---- one program ---- */

static void write_text(const struct settings *s, uint64_t seed, const char *ending, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%llu%s.ptx", s->keep, (unsigned long long)seed, ending);
    if (mkdir(s->keep, 0777) && errno != EEXIST) return;
    FILE *f = fopen(path, "w");
    if (!f) return;
    fputs(text, f);
    fclose(f);
}

static void print_verdict(const struct settings *s, uint64_t seed, const struct configs *configs,
                          const struct verdict *v)
{
    char name[160], first[64];
    run_config_name(&configs->at[v->config], name, sizeof name);
    run_config_name(&configs->at[0], first, sizeof first);
    printf("FOUND seed %llu, size %u, features %u: %s: %s", (unsigned long long)seed, s->options.size,
           s->options.features, name, run_outcome_name(v->outcome));
    if (v->outcome == OUTCOME_DIFFERENT)
        printf(" from %s at byte %zu: 0x%08x, not 0x%08x", first, v->at, v->found, v->expected);
    printf("%s%s\n", *v->message ? ": " : "", v->message);
}

static void report(const struct settings *s, struct random_program *p, uint64_t seed,
                   const struct configs *configs, const struct verdict *v)
{
    char *text = tree_text(p->tree);
    print_verdict(s, seed, configs, v);
    write_text(s, seed, "", text);
    free(text);
    if (s->shrink) {
        shrink_program(p, seed, configs, v, s->shrink);
        text = tree_text(p->tree);
        struct verdict small = run_program(text, p, seed, configs);
        print_verdict(s, seed, configs, &small);
        write_text(s, seed, "-small", text);
        printf("small, %zu lines:\n%s", tree_lines(p->tree), text);
        free(text);
    }
    fflush(stdout);
}

enum { PAIRS_A_PROGRAM = 4 };

/* Of the configurations of the engine every third, another one for each seed; of the pairs of optimisations a
 * few. */
static struct configs share(const struct configs *all, uint64_t seed)
{
    struct configs some = {0};
    const uint64_t pairs = all->at[all->n - 1].pair + !all->at[all->n - 1].pair;
    for (size_t i = 0, engine = 0; i < all->n; i++) {
        const struct config *c = &all->at[i];
        bool turn = c->pair ? (c->pair + seed * PAIRS_A_PROGRAM) % pairs < PAIRS_A_PROGRAM
                            : (engine / 2 + engine / 6 + seed) % 3 == 0;
        if (c->reference || turn) some.at[some.n++] = *c;
        engine += !c->reference && !c->pair;
    }
    return some;
}

static void one(const struct settings *s, uint64_t seed, const struct configs *all, struct tally *tally)
{
    struct configs some = s->spread ? share(all, seed) : *all, *configs = &some;
    struct random_program p = random_program(seed, &s->options);
    char *text = tree_text(p.tree);
    struct verdict v = run_program(text, &p, seed, configs);
    free(text);
    tally->lines += tree_lines(p.tree);
    tally->programs++;
    if (v.outcome) {
        tally->found++;
        report(s, &p, seed, configs, &v);
    }
    tree_free(p.tree);
}

/* ---- all of them ---- */

static void job(const struct settings *s, unsigned number, const struct configs *configs, struct tally *tally,
                time_t start)
{
    for (uint64_t i = number; i < s->count; i += s->jobs) {
        if (s->seconds && time(NULL) - start >= (time_t)s->seconds) return;
        if (tally->found >= s->stop) return;
        one(s, s->seed + i, configs, tally);
    }
}

static int run_jobs(const struct settings *s)
{
    struct configs configs = run_configs(s->levels, s->workers, s->reference);
    struct tally *tally =
        mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    time_t start = time(NULL);
    int status, bad = 0;
    if (tally == MAP_FAILED || configs.n < 2) {
        fputs("random: nothing to compare\n", stderr);
        return 2;
    }
    for (unsigned i = 0; i < s->jobs; i++) {
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) {
            job(s, i, &configs, tally, start);
            fflush(stdout);
            _exit(0);
        }
        bad |= pid < 0;
    }
    while (wait(&status) > 0) bad |= status != 0;
    printf("%llu programs, %llu lines, %zu configurations%s, %ld s: %u failed\n",
           (unsigned long long)tally->programs, (unsigned long long)tally->lines, configs.n,
           configs.at[0].reference ? " with the reference" : "", (long)(time(NULL) - start), tally->found);
    return bad || tally->found || !tally->programs;
}

static int emit(const struct settings *s)
{
    struct random_program p = random_program(s->seed, &s->options);
    char *text = tree_text(p.tree);
    fputs(text, stdout);
    free(text);
    tree_free(p.tree);
    return 0;
}

/* The shape that the first line of a program tells, whatever generator made it. */
static void shape_told(const char *text, struct random_program *p)
{
    struct random_program told = *p;
    const char *grid = strstr(text, ": grid "), *end = strchr(text, '\n');
    if (!grid || !end || grid > end) return;
    if (sscanf(grid, ": grid %u,%u,%u block %u,%u,%u, a buffer of %zu bytes", &told.grid[0], &told.grid[1],
               &told.grid[2], &told.block[0], &told.block[1], &told.block[2], &told.buffer_bytes) == 7)
        *p = told;
}

static int check(const struct settings *s)
{
    static char text[1 << 22];
    struct configs configs = run_configs(s->levels, s->workers, s->reference);
    struct random_program p = random_program(s->seed, &s->options);
    FILE *f = fopen(s->check, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    if (!n) {
        fprintf(stderr, "random: cannot read %s\n", s->check);
        return 2;
    }
    shape_told(text, &p);
    struct verdict v = run_program(text, &p, s->seed, &configs);
    if (v.outcome)
        print_verdict(s, s->seed, &configs, &v);
    else
        puts("same");
    tree_free(p.tree);
    return v.outcome != OUTCOME_SAME;
}

/* ---- options ---- */

static bool features(const char *list, uint32_t *to)
{
    static const char *const names[] = {"memory", "flow",  "calls", "warp",  "barriers", "atomics", "exits",
                                        "nans",   "carry", "locks", "async", "matrices", "indices", "idioms"};
    enum { NAMES = sizeof names / sizeof *names };
    *to = 0;
    while (*list) {
        size_t n = strcspn(list, ","), i = 0;
        while (i < NAMES && (strlen(names[i]) != n || strncmp(names[i], list, n))) i++;
        if (i == NAMES && n) return false;
        *to |= n ? 1u << i : 0;
        list += n + (list[n] == ',');
    }
    return true;
}

enum {
    O_SEED = 1,
    O_COUNT,
    O_TIME,
    O_SIZE,
    O_FEATURES,
    O_LEVELS,
    O_WORKERS,
    O_JOBS,
    O_KEEP,
    O_STOP,
    O_SHRINK,
    O_NO_REFERENCE,
    O_EMIT,
    O_CHECK,
    O_SPREAD,
    O_HELP
};

static const struct option long_options[] = {{"seed", 1, NULL, O_SEED},
                                             {"count", 1, NULL, O_COUNT},
                                             {"time", 1, NULL, O_TIME},
                                             {"size", 1, NULL, O_SIZE},
                                             {"features", 1, NULL, O_FEATURES},
                                             {"levels", 1, NULL, O_LEVELS},
                                             {"workers", 1, NULL, O_WORKERS},
                                             {"spread", 0, NULL, O_SPREAD},
                                             {"jobs", 1, NULL, O_JOBS},
                                             {"keep", 1, NULL, O_KEEP},
                                             {"stop", 1, NULL, O_STOP},
                                             {"shrink", 1, NULL, O_SHRINK},
                                             {"no-reference", 0, NULL, O_NO_REFERENCE},
                                             {"emit", 0, NULL, O_EMIT},
                                             {"check", 1, NULL, O_CHECK},
                                             {"help", 0, NULL, O_HELP},
                                             {NULL, 0, NULL, 0}};

static bool take(struct settings *s, int option, const char *value)
{
    unsigned long long number = value ? strtoull(value, NULL, 0) : 0;
    switch (option) {
    case O_SEED: s->seed = number; return true;
    case O_COUNT: s->count = number; return true;
    case O_TIME: s->seconds = (unsigned)number; return true;
    case O_SIZE: s->options.size = (unsigned)number; return true;
    case O_FEATURES: return features(value, &s->options.features);
    case O_LEVELS: s->levels = value; return true;
    case O_WORKERS: s->workers = value; return true;
    case O_JOBS: s->jobs = number ? (unsigned)number : 1; return true;
    case O_KEEP: s->keep = value; return true;
    case O_STOP: s->stop = (unsigned)number; return true;
    case O_SHRINK: s->shrink = (unsigned)number; return true;
    case O_NO_REFERENCE: s->reference = false; return true;
    case O_SPREAD: s->spread = true; return true;
    case O_EMIT: s->emit = true; return true;
    case O_CHECK: s->check = value; return true;
    case O_HELP: fputs(help, stdout); exit(0);
    default: return false;
    }
}

int main(int argc, char **argv)
{
    struct settings s = {.seed = 1,
                         .count = 300,
                         .jobs = 1,
                         .stop = 5,
                         .shrink = 120,
                         .keep = "random-found",
                         .reference = true,
                         .options = {.size = 24, .features = RANDOM_DEFAULT}};
    int option;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
        if (!take(&s, option, optarg)) return fputs(help, stderr), 2;
    if (optind < argc) return fputs(help, stderr), 2;
    return s.emit ? emit(&s) : s.check ? check(&s) : run_jobs(&s);
}
