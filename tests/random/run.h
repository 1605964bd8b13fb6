/*
 * run.h - one program on the engine in many configurations, and in the reference, each compared with the
 * first.
 *
 * A program runs in a process of its own, so that a crash or a hang is an outcome like any other.
 */
#ifndef RANDOM_RUN_H
#define RANDOM_RUN_H

#include "random/gen.h"

enum { CONFIGS_MAX = 160, MESSAGE = 600 };

struct config {
    const char *level;
    unsigned workers;
    uint32_t off;       /* enum px_engine: optimisations that are switched off */
    unsigned reference; /* order of the reference, from 1; 0: the engine */
    unsigned
        pair; /* number, from 1, among the pairs of optimisations that are switched off; 0: none of them */
    unsigned schedule; /* 1: random, seeded by the program's; 0: the usual one */
};

struct configs {
    struct config at[CONFIGS_MAX];
    size_t n;
};

enum outcome {
    OUTCOME_SAME,
    OUTCOME_MISCOUNTED, /* other numbers of executions than the reference counted */
    OUTCOME_DIFFERENT,  /* of configuration `config` from the first one */
    OUTCOME_REFUSED,    /* the checker, the linker or the decoder does not take the program */
    OUTCOME_STOPPED,    /* a fault, a deadlock, a limit: no program may */
    OUTCOME_CRASHED     /* the process died or did not end */
};

struct verdict {
    enum outcome outcome;
    size_t config;
    size_t at;                /* first byte that differs, a multiple of 4 */
    uint32_t expected, found; /* the words there */
    char message[MESSAGE];
};

/* All combinations; `levels` and `workers` are lists with commas, NULL for all and 1,2,8. */
struct configs run_configs(const char *levels, const char *workers, bool reference);
void run_config_name(const struct config *config, char *to, size_t size);
const char *run_outcome_name(enum outcome outcome);

/* Runs the text with the shape and the input of the seed's program. */
struct verdict run_program(const char *text, const struct random_program *shape, uint64_t seed,
                           const struct configs *configs);

#endif
