/* options.h - what the command line of ptxvm says. */
#ifndef PTXVM_OPTIONS_H
#define PTXVM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include "ptxvm.h"

/* Words of a repeatable option, in order. The words belong to argv. */
struct words {
    const char **at;
    unsigned n;
};

struct options {
    struct words files;
    const char *kernel; /* -k; NULL: the only one */
    unsigned grid[3], block[3], cluster[3];
    unsigned shared_bytes;
    bool cooperative;
    struct words arguments, sets, outs, prints, expects, host_libs;
    double atol, rtol;
    uint64_t ulp;
    uint64_t seed;
    unsigned threads;
    uint64_t max_steps, timeout_ms;
    uint64_t memory_bytes, heap_bytes;
    uint64_t max_host, max_output; /* 0: the library's */
    unsigned launch_depth, pending_launches;
    const char *arch;
    ptx_profile profile;
    ptx_fmad fmad;
    bool counts, counts_lines, json, list, quiet, coverage;
    const char *counts_file; /* --counts=json:FILE; NULL */
    const char *trace_file;  /* --trace; NULL */
    bool hot;                /* --hot, */
    enum hot_form { HOT_JSON, HOT_HTML, HOT_FOLDED } hot_form;
    const char *hot_file;    /* of --hot=FORM:FILE; NULL: tables */
    unsigned registers;      /* --registers: of a thread; 0: as the PTX lets them be */
    bool keeps_launches;     /* a run file asks for launches */
    bool launches;           /* --launches, */
    char *timeline;          /* the same of --timeline; owned; NULL */
    const char *launches_to; /* and its value; NULL: as text */
    struct words
        launch_patterns;     /* --expect-launch and its kin, as patterns of ptx_launches.h; owned words */
    unsigned check;          /* --check: PTX_CHECK_; 0 without */
    const char *check_words; /* as given last */
    unsigned check_limit;    /* findings that are shown */
    const char *suppress;    /* --check-suppress: a file of rules; NULL */
    const char *sarif;       /* --check-sarif: the file that gets findings as SARIF; NULL */
    int poison;              /* --poison: 256 + the byte; 0 without */
    int check_exit;
    bool deterministic, approx_exact, ub_chip;
    ptx_async async;
    uint64_t async_seed;
    ptx_schedule schedule;
    uint64_t schedule_seed;
    uint64_t explore, explore_seed; /* --explore: schedules, 0 without; the first seed */
    const char *engine;             /* NULL: with all optimisations */
    bool dump;                      /* --dump-ir, */
    const char *dump_ir;  /* and which passes and function; "": the usual ones. Without --dump-ir what
                             PTXVM_DUMP_IR says, or NULL */
    bool test;            /* --test: the files are tests, or folders of tests */
    char **program;       /* --exec: a program and its arguments, ended by NULL; words of argv */
    unsigned devices;     /* --exec: 0: as the environment says */
    bool strict;          /* --exec */
    const char *report;   /* --exec: a file, or NULL */
    const char *save_ptx; /* a folder */
};

/* Reads a command line; gives up with a usage error. --help and --version print and exit. */
void options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

void words_add(struct words *words, const char *word);

/* help.c: parts of one text, ended by NULL */
extern const char *const help_text[];

#endif
