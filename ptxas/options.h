/* options.h - what the command line of ptxas says. */
#ifndef PTXAS_OPTIONS_H
#define PTXAS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "ptx.h"

enum layout { LAYOUT_PTXAS, LAYOUT_CARET, LAYOUT_GCC, LAYOUT_GITHUB, LAYOUT_JSON, LAYOUT_SARIF };

struct strings {
    char **at; /* owned */
    size_t n;
};

struct options {
    struct strings files;   /* names; "-" is standard input */
    struct strings texts;   /* modules given as arguments (-ias) */
    struct strings entries; /* -e */
    char *arch;             /* "sm_90"; NULL: each file's own target. compute_90 and lto_90 become sm_90 */
    char *arch_given;       /* as typed */
    char *output;           /* -o; NULL: none */
    char *explain;          /* --explain CODE */
    enum layout layout;
    ptx_profile profile;
    bool verbose, no_warnings, warnings_are_errors, compile_only, print, lint;
    bool help, version, list_versions;
};

/*
 * Reads a command line and the option files it names. False after a message on standard error, in ptxas's
 * words.
 */
bool options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

/* help.c: the texts of --help, --version and --list-version, on standard output. */
void print_help(ptx_profile profile);
void print_version(void);
void print_isa_versions(ptx_profile profile);

/* options.c, for help.c: one row of the table, in order; NULL at the end. */
struct option_row {
    const char *name, *letter; /* "--name", "-letter"; letter NULL: none */
    const char *value;         /* what --help calls the value; NULL: the option is a switch */
    int kind;                  /* enum option_kind of options.c */
    const char *help;
};
const struct option_row *option_row(size_t i);

/* Memory that is never NULL: exits with 255 when there is none. */
void *must_grow(void *old, size_t size);
char *must_copy(const char *text, size_t length);

#endif
