/* options.c - the command line of ptxas.
 *
 * One table of options, spelled as NVIDIA's ptxas spells them: a long name after two dashes, a short one
 * after one, a value after a blank or '='; -O takes its level glued on. Options that steer code generation
 * are in the table too, because build systems pass them: they are read and checked as far as they go, and
 * have no effect, since no machine code is made. The messages keep ptxas's words, which tools compare. */
#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptx.h"

enum option_kind {
    KIND_IGNORED_SWITCH,
    KIND_IGNORED_BOOL,
    KIND_IGNORED_NUMBER,
    KIND_IGNORED_COUNT,
    KIND_IGNORED_WORD,
    KIND_IGNORED_TEXT,
    KIND_LEVEL,
    KIND_SWITCH,
    KIND_ARCH,
    KIND_OUTPUT,
    KIND_ENTRY,
    KIND_MACHINE,
    KIND_TEXT_INPUT,
    KIND_OPTIONS_FILE,
    KIND_DIAGNOSTICS,
    KIND_PROFILE,
    KIND_EXPLAIN
};

static const struct option_row rows[] = {
    {"allow-expensive-optimizations", "allow-expensive-optimizations", "<true|false>", KIND_IGNORED_BOOL,
     NULL},
    {"compile-as-tools-patch", "astoolspatch", NULL, KIND_IGNORED_SWITCH, NULL},
    {"compile-only", "c", NULL, KIND_SWITCH, "Leave externs open: a part of a program is checked."},
    {"compiler-annotations", "annotate", NULL, KIND_IGNORED_SWITCH, NULL},
    {"def-load-cache", "dlcm", "<modifier>", KIND_IGNORED_WORD, NULL},
    {"def-store-cache", "dscm", "<modifier>", KIND_IGNORED_WORD, NULL},
    {"device-debug", "g", NULL, KIND_IGNORED_SWITCH, NULL},
    {"device-function-maxrregcount", "func-maxrregcount", "<archmax/archmin/N>", KIND_IGNORED_NUMBER, NULL},
    {"device-stack-protector", "device-stack-protector", "<true|false>", KIND_IGNORED_BOOL, NULL},
    {"diagnostics", NULL, "<layout>", KIND_DIAGNOSTICS,
     "How messages look: ptxas (default; source line and caret below), caret, gcc, github, json, sarif."},
    {"disable-optimizer-constants", "disable-optimizer-consts", NULL, KIND_IGNORED_SWITCH, NULL},
    {"disable-warnings", "w", NULL, KIND_SWITCH, "Do not print warnings."},
    {"dont-merge-basicblocks", "no-bb-merge", NULL, KIND_IGNORED_SWITCH, NULL},
    {"entry", "e", "<entry function>,...", KIND_ENTRY, "Entry functions that the module must have."},
    {"explain", NULL, "<code>", KIND_EXPLAIN, "Explain a message by its code, such as E0102, and stop."},
    {"extensible-whole-program", "ewp", NULL, KIND_IGNORED_SWITCH, NULL},
    {"fmad", "fmad", "<true|false>", KIND_IGNORED_BOOL, NULL},
    {"force-load-cache", "flcm", "<modifier>", KIND_IGNORED_WORD, NULL},
    {"force-store-cache", "fscm", "<modifier>", KIND_IGNORED_WORD, NULL},
    {"g-tensor-memory-access-check", "g-tmem-access-check", NULL, KIND_IGNORED_SWITCH, NULL},
    {"generate-line-info", "lineinfo", NULL, KIND_IGNORED_SWITCH, NULL},
    {"gno-tensor-memory-access-check", "gno-tmem-access-check", NULL, KIND_IGNORED_SWITCH, NULL},
    {"gpu-name", "arch", "<gpu name>", KIND_ARCH,
     "Architecture to check for. Without it, each file is checked for its own .target."},
    {"help", "h", NULL, KIND_SWITCH, "Print this text."},
    {"input-as-string", "ias", "<ptx string>,...", KIND_TEXT_INPUT, "Check a module given as an argument."},
    {"legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", NULL, KIND_IGNORED_SWITCH, NULL},
    {"lint", NULL, NULL, KIND_SWITCH, "Also warn of suspicious code: unused, unreachable, uninitialised and more."},
    {"list-version", "version-ls", NULL, KIND_SWITCH, "List the PTX versions that are accepted."},
    {"machine", "m", "<bits>", KIND_MACHINE, "Address size; only 64."},
    {"make-errors-visible-at-exit", "make-errors-visible-at-exit", NULL, KIND_IGNORED_SWITCH, NULL},
    {"maxntid", "maxntid", "<numbers>,...", KIND_IGNORED_TEXT, NULL},
    {"maxrregcount", "maxrregcount", "<archmax/archmin/N>", KIND_IGNORED_NUMBER, NULL},
    {"minnctapersm", "minnctapersm", "<N>", KIND_IGNORED_COUNT, NULL},
    {"Ofast-compile", "Ofc", "<0|min|mid|max>", KIND_IGNORED_WORD, NULL},
    {"opt-level", "O", "<N>", KIND_LEVEL, NULL},
    {"optimize-float-atomics", "opt-fp-atomics", NULL, KIND_IGNORED_SWITCH, NULL},
    {"options-file", "optf", "<file>,...", KIND_OPTIONS_FILE,
     "Read more of the command line from a file (also @file)."},
    {"output-file", "o", "<file>", KIND_OUTPUT,
     "Write the checked modules as an object file (docs/object.md). Without it nothing is written."},
    {"override-directive-values", "override-directive-values", NULL, KIND_IGNORED_SWITCH, NULL},
    {"position-independent-code", "pic", "<true|false>", KIND_IGNORED_BOOL, NULL},
    {"preserve-relocs", "preserve-relocs", NULL, KIND_IGNORED_SWITCH, NULL},
    {"print", NULL, NULL, KIND_SWITCH, "Print the module in canonical form on standard output."},
    {"profile", NULL, "<13.0|all>", KIND_PROFILE,
     "What is taken for PTX: what CUDA 13.0's ptxas takes (default), or every target and version known."},
    {"register-usage-level", "regUsageLevel", "<0..10>", KIND_IGNORED_COUNT, NULL},
    {"return-at-end", "ret-end", NULL, KIND_IGNORED_SWITCH, NULL},
    {"sanitize", "sanitize", "<tool>", KIND_IGNORED_WORD, NULL},
    {"sp-bounds-check", "sp-bounds-check", NULL, KIND_IGNORED_SWITCH, NULL},
    {"split-compile", "split-compile", "<N>", KIND_IGNORED_COUNT, NULL},
    {"suppress-async-bulk-multicast-advisory-warning", "suppress-async-bulk-multicast-advisory-warning", NULL,
     KIND_IGNORED_SWITCH, NULL},
    {"suppress-debug-info", "suppress-debug-info", NULL, KIND_IGNORED_SWITCH, NULL},
    {"suppress-double-demote-warning", "suppress-double-demote-warning", NULL, KIND_IGNORED_SWITCH, NULL},
    {"suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", NULL, KIND_IGNORED_SWITCH,
     NULL},
    {"suppress-stack-size-warning", "suppress-stack-size-warning", NULL, KIND_IGNORED_SWITCH, NULL},
    {"verbose", "v", NULL, KIND_SWITCH, "Print what is known of each entry function."},
    {"version", "V", NULL, KIND_SWITCH, "Print what this is."},
    {"warn-on-double-precision-use", "warn-double-usage", NULL, KIND_IGNORED_SWITCH, NULL},
    {"warn-on-local-memory-usage", "warn-lmem-usage", NULL, KIND_IGNORED_SWITCH, NULL},
    {"warn-on-spills", "warn-spills", NULL, KIND_IGNORED_SWITCH, NULL},
    {"warning-as-error", "Werror", NULL, KIND_SWITCH, "Make errors of warnings."},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

const struct option_row *option_row(size_t i)
{
    return i < ROWS ? &rows[i] : NULL;
}

/* ---- memory ---- */

void *must_grow(void *old, size_t size)
{
    void *memory = realloc(old, size ? size : 1);
    if (memory) return memory;
    fputs("ptxas fatal   : out of memory\n", stderr);
    exit(255);
}

char *must_copy(const char *text, size_t length)
{
    char *copy = must_grow(NULL, length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static void strings_add(struct strings *strings, const char *text, size_t length)
{
    strings->at = must_grow(strings->at, (strings->n + 1) * sizeof *strings->at);
    strings->at[strings->n++] = must_copy(text, length);
}

static void strings_free(struct strings *strings)
{
    for (size_t i = 0; i < strings->n; i++) free(strings->at[i]);
    free(strings->at);
}

void options_free(struct options *options)
{
    strings_free(&options->files);
    strings_free(&options->texts);
    strings_free(&options->entries);
    free(options->arch);
    free(options->arch_given);
    free(options->output);
    free(options->explain);
}

/* ---- values ---- */

__attribute__((format(printf, 1, 2))) static bool complain(const char *format, ...)
{
    va_list arguments;
    fputs("ptxas fatal   : ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* Keeps one value of an option that counts once; a different second value draws ptxas's warning. */
static bool keep(char **slot, const char *value, const char *name)
{
    if (*slot && strcmp(*slot, value) != 0)
        fprintf(stderr,
                "ptxas warning : incompatible redefinition for option '%s', the last value of this option "
                "was used\n",
                name);
    free(*slot);
    *slot = must_copy(value, strlen(value));
    return true;
}

/*
 * "sm_90", or the virtual names "compute_90" and "lto_90", which only check; so do all here. Which names exist
 * depends on --profile, which may stand behind: it is asked when all words were read.
 */
static bool settle_arch(struct options *options)
{
    const char *value = options->arch_given, *number = value ? strchr(value, '_') : NULL;
    const size_t prefix = number ? (size_t)(number - value) : 0;
    const char *name;
    char known[32];
    if (!value) return true;
    if ((prefix == 2 && strncmp(value, "sm", 2) == 0) || (prefix == 7 && strncmp(value, "compute", 7) == 0) ||
        (prefix == 3 && strncmp(value, "lto", 3) == 0)) {
        snprintf(known, sizeof known, "sm%s", number);
        for (size_t i = 0; (name = ptx_known_arch(options->profile, i)); i++)
            if (strcmp(name, known) == 0) return keep(&options->arch, known, "gpu-name");
    }
    return complain("Value '%s' is not defined for option '%s'", value, "gpu-name");
}

static bool store_profile(struct options *options, const char *value)
{
    const bool all = strcmp(value, "all") == 0;
    options->profile = all ? PTX_PROFILE_ALL : PTX_PROFILE_13_0;
    return all || strcmp(value, "13.0") == 0 ||
           complain("Value '%s' is not defined for option '%s'", value, "profile");
}

static bool store_layout(struct options *options, const char *value)
{
    static const char *const names[] = {"ptxas", "caret", "gcc", "github", "json", "sarif"};
    for (int i = LAYOUT_PTXAS; i <= LAYOUT_SARIF; i++) {
        if (strcmp(names[i], value) != 0) continue;
        options->layout = (enum layout)i;
        return true;
    }
    return complain("Value '%s' is not defined for option '%s'", value, "diagnostics");
}

static void store_list(struct strings *strings, const char *value)
{
    while (*value) {
        const size_t length = strcspn(value, ",");
        strings_add(strings, value, length);
        value += length + (value[length] == ',');
    }
}

static bool store_switch(struct options *options, const char *name)
{
    const struct {
        const char *name;
        bool *flag;
    } switches[] = {
        {"compile-only", &options->compile_only},
        {"disable-warnings", &options->no_warnings},
        {"help", &options->help},
        {"lint", &options->lint},
        {"list-version", &options->list_versions},
        {"print", &options->print},
        {"verbose", &options->verbose},
        {"version", &options->version},
        {"warning-as-error", &options->warnings_are_errors},
    };
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        if (strcmp(switches[i].name, name) == 0) *switches[i].flag = true;
    return true;
}

static bool read_options_file(struct options *options, const char *file_name);

/* Words that an option without effect takes. */
static const struct choice {
    const char *option, *words;
} choices[] = {
    {"def-load-cache", " ca cg cs lu cv "},   {"force-load-cache", " ca cg cs lu cv "},
    {"def-store-cache", " wb cg cs wt "},     {"force-store-cache", " wb cg cs wt "},
    {"sanitize", " memcheck threadsteer "},   {"Ofast-compile", " 0 min mid max "},
};

static bool is_among(const char *words, const char *value)
{
    const size_t length = strlen(value);
    for (const char *at = words; length && (at = strstr(at, value)); at++)
        if (at[-1] == ' ' && at[length] == ' ') return true;
    return false;
}

static bool check_word(const struct option_row *row, const char *value)
{
    const struct choice *choice = choices;
    while (strcmp(choice->option, row->name) != 0) choice++;
    if (is_among(choice->words, value)) return true;
    if (strcmp(row->name, "Ofast-compile") == 0)
        return complain("Invalid value for --Ofast-compile/-Ofc (%s), is not 'max', 'mid', 'min', or '0'", value);
    if (strcmp(row->name, "sanitize") == 0)
        return complain("Value '%s' is not defined for option '%s'", value, row->name);
    fprintf(stderr, "ptxas error   : Invalid default cache modifier on %s specified: %s\n",
            strstr(row->name, "load") ? "load" : "store", value);
    return complain("Ptx assembly aborted due to errors");
}

/* A number, which may be left out; past its range the option of register usage draws a warning. */
static bool check_count(const struct option_row *row, const char *value)
{
    char *end;
    const long count = strtol(value, &end, 10);
    if (*end) return complain("'%s': expected a number", value);
    if (strcmp(row->name, "split-compile") == 0 && count < 0)
        return complain("Invalid value '%s' for option '--split-compile'", value);
    if (strcmp(row->name, "register-usage-level") == 0 && (count < 0 || count > 10))
        fprintf(stderr, "ptxas warning : Value of RegUsageLevel (%ld) is out of valid range {0..10}, option will be ignored\n",
                count);
    return true;
}

/* Checks an option that has no effect here as ptxas does. */
static bool check_ignored(const struct option_row *row, const char *value)
{
    switch (row->kind) {
    case KIND_IGNORED_BOOL:
        if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0) return true;
        return complain("'%s': expected true or false", value);
    case KIND_IGNORED_NUMBER:
        if (is_number(value) || strcmp(value, "archmax") == 0 || strcmp(value, "archmin") == 0) return true;
        return complain("Invalid value '%s' for option '%s'", value, row->name);
    case KIND_IGNORED_COUNT:
        return check_count(row, value);
    case KIND_IGNORED_WORD:
        return check_word(row, value);
    case KIND_LEVEL:
        return is_number(value) || !*value ? true : complain("'%s': expected a number", value);
    case KIND_MACHINE:
        return strcmp(value, "64") == 0
                   ? true
                   : complain("Value '%s' is not defined for option '%s'", value, row->name);
    default:
        return true;
    }
}

static bool store(struct options *options, const struct option_row *row, const char *value)
{
    switch (row->kind) {
    case KIND_SWITCH:
        return store_switch(options, row->name);
    case KIND_ARCH:
        return keep(&options->arch_given, value, row->name);
    case KIND_OUTPUT:
        return keep(&options->output, value, row->name);
    case KIND_EXPLAIN:
        return keep(&options->explain, value, row->name);
    case KIND_ENTRY:
        store_list(&options->entries, value);
        return true;
    case KIND_TEXT_INPUT:
        strings_add(&options->texts, value, strlen(value));
        return true;
    case KIND_DIAGNOSTICS:
        return store_layout(options, value);
    case KIND_PROFILE:
        return store_profile(options, value);
    case KIND_OPTIONS_FILE:
        return read_options_file(options, value);
    default:
        return check_ignored(row, value);
    }
}

/* ---- words ---- */

static const struct option_row *find_row(const char *name, size_t length, bool is_long)
{
    for (size_t i = 0; i < ROWS; i++) {
        const char *candidate = is_long ? rows[i].name : rows[i].letter;
        if (candidate && strlen(candidate) == length && strncmp(candidate, name, length) == 0)
            return &rows[i];
    }
    return NULL;
}

/* One option at words[*i], which begins with a dash; *i moves past a value that is a word of its own. */
static bool parse_option(struct options *options, char **words, size_t n, size_t *i)
{
    const char *word = words[*i];
    const bool is_long = word[1] == '-';
    const char *name = word + 1 + is_long;
    const size_t length = strcspn(name, "=");
    const struct option_row *row = find_row(name, length, is_long);
    if (!row && !is_long && *name == 'O') return check_ignored(find_row("O", 1, false), name + 1);
    if (!row) return complain("Unknown option '%.*s'", (int)(length + is_long), word + 1);
    if (!row->value && name[length])
        return complain("no argument expected after '%s%s'", is_long ? "--" : "-",
                        is_long ? row->name : row->letter);
    if (!row->value) return store(options, row, "");
    if (name[length]) return store(options, row, name + length + 1);
    if (row->kind == KIND_LEVEL && !is_long) return true; /* -O alone; its level would be glued on */
    if (*i + 1 == n) return complain("argument expected after '%s'", word);
    return store(options, row, words[++*i]);
}

static bool parse_words(struct options *options, char **words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *word = words[i];
        if (*word == '@' && word[1]) {
            if (!read_options_file(options, word + 1)) return false;
        } else if (*word != '-' || !word[1]) {
            strings_add(&options->files, word, strlen(word));
        } else if (!parse_option(options, words, n, &i)) {
            return false;
        }
    }
    return true;
}

/* Words of an option file: apart by blanks; '...' and "..." hold blanks. */
static void split_words(struct strings *words, char *text)
{
    for (char *at = text; *(at += strspn(at, " \t\r\n"));) {
        char *to = at, *start = at, quote = 0;
        for (; *at && (quote || !strchr(" \t\r\n", *at)); at++) {
            if (*at == quote || (!quote && (*at == '\'' || *at == '"')))
                quote = quote ? 0 : *at;
            else
                *to++ = *at;
        }
        strings_add(words, start, (size_t)(to - start));
        if (*at) at++;
    }
}

/* Files that name one another in a circle end here, too. */
enum { MOST_OPTIONS = 1 << 16 };

static bool read_options_file(struct options *options, const char *file_name)
{
    FILE *file = fopen(file_name, "rb");
    struct strings words = {0};
    char *text = must_grow(NULL, MOST_OPTIONS + 1);
    const size_t size = file ? fread(text, 1, MOST_OPTIONS, file) : 0;
    bool fine = file != NULL;
    text[size] = '\0';
    if (file) fclose(file);
    split_words(&words, text);
    free(text);
    for (size_t i = 0; fine && i < words.n; i++) /* no file within a file */
        if (words.at[i][0] == '@' || strstr(words.at[i], "-optf") || strstr(words.at[i], "--options-file"))
            fine = false;
    fine = fine ? parse_words(options, words.at, words.n)
                : complain("Could not open options file '%s'", file_name);
    strings_free(&words);
    return fine;
}

bool options_parse(struct options *options, int argc, char **argv)
{
    *options = (struct options){0};
    return parse_words(options, argv + 1, (size_t)argc - 1) && settle_arch(options);
}
