/* options.h - what the command line of ptxas says. */
#ifndef PTXAS_OPTIONS_H
#define PTXAS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include "ptx.h"

enum layout { LAYOUT_PTXAS, LAYOUT_CARET, LAYOUT_GCC, LAYOUT_GITHUB, LAYOUT_JSON, LAYOUT_SARIF };

enum option_id {
#define OPTION(id, name, letter, value, kind, words, help) OPTION_##id,
#include "options.def"
#undef OPTION
    OPTIONS
};

/* How the value of an option is read. The kinds up to ARCH hold one value, and the last one given counts. */
enum option_kind {
    KIND_SWITCH, /* none */
    KIND_LEVEL,  /* none, or after '=' one of the row's words */
    KIND_BOOL,   /* true or false */
    KIND_NUMBER, /* 32 bits as strtol reads them in base 0; nothing is 0 */
    KIND_TEXT,
    KIND_WORD,  /* one of the row's words */
    KIND_QUERY, /* any; as the last word of the command line it may stand alone and means "" */
    KIND_ARCH,  /* one of the profile's architectures */
    KIND_LIST,  /* several, apart by commas */
    KIND_TEXTS, /* one each time it is given */
    KIND_FILES  /* a list of option files, which are read at once */
};

struct strings {
    char **at; /* owned */
    size_t n;
};

struct option_value {
    unsigned times;      /* given; 0: not at all */
    char *text;          /* of the last time */
    long number;         /* KIND_NUMBER */
    struct strings list; /* KIND_LIST, KIND_TEXTS */
};

/* The values as they were given, and what the rest of the program asks about, which points into them. */
struct options {
    struct option_value values[OPTIONS];
    struct strings files;                   /* names; "-" is standard input */
    struct strings texts;                   /* modules given as arguments (-ias) */
    struct strings entries;                 /* -e */
    struct strings include_folders, macros; /* -I and -D, of --cpp */
    const char *arch;    /* "sm_90"; NULL: each file's own target. compute_90 and lto_90 become sm_90 */
    const char *output;  /* -o; NULL: none */
    const char *explain; /* --explain CODE */
    enum layout layout;
    ptx_lint lint;
    ptx_profile profile;
    bool verbose, no_warnings, warnings_are_errors, compile_only, print, link, cpp;
    const char *asked_arch; /* as it was written: what modules are checked for */
    bool check_only;        /* -arch=compute_90 or lto_90 */
    bool help, version, list_versions;
    unsigned open_files; /* option files being read */
};

/* Reads a command line and the option files it names. False after a message on standard error, in ptxas's
 * words. */
bool options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

static inline bool option_given(const struct options *options, enum option_id id)
{
    return options->values[id].times > 0;
}

/* What modules become. An extensible program leaves its externs open. */
ptx_compilation options_compilation(const struct options *options);

/*
 * rules.c: what ptxas says of options that contradict one another, before it reads any file. STOP: nothing
 * may be read; FAILED: files are read, and then it ends.
 */
enum option_verdict { OPTIONS_FINE, OPTIONS_FAILED, OPTIONS_STOP };
enum option_verdict options_judge(const struct options *options);

/*
 * The same, of options that do not fit what was read: `newest` is the newest target among the modules
 * ("sm_90"), and `has_entry` whether one of them has a kernel. False after an error.
 */
bool options_fit(const struct options *options, const char *newest, bool has_entry);

/* help.c: the texts of --help, --version and --list-version, on standard output. */
void print_help(ptx_profile profile);
void print_version(void);
void print_isa_versions(ptx_profile profile);

/* The rows of options.def, by enum option_id; NULL past the end. */
struct option_row {
    const char *name, *letter; /* "--name", "-letter"; letter NULL: none */
    const char *value;         /* what --help calls the value; NULL: the option is a switch */
    enum option_kind kind;
    const char *words; /* " a b " */
    const char *help;
};
const struct option_row *option_row(size_t i);

/* Memory that is never NULL: exits with 255 when there is none. */
void *must_grow(void *old, size_t size);
char *must_copy(const char *text, size_t length);

#endif
