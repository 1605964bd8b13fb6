/* options.c - the command line of ptxas.
 *
 * Options are rows of options.def, spelled as NVIDIA's ptxas spells them: a long name after two dashes, a
 * short one after one, a value after a blank or '='; -O and -m take it glued on. Words are read from left to
 * right, and each value is checked when it is met, as far as its kind tells; what options mean together is
 * asked afterwards (rules.c). The messages keep ptxas's words, which tools compare. */
#include "options.h"
#include "ptx_tools.h"
#include "suggest.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row rows[] = {
#define OPTION(id, name, letter, value, kind, words, help) {name, letter, value, KIND_##kind, words, help},
#include "options.def"
#undef OPTION
};

const struct option_row *option_row(size_t i)
{
    return i < OPTIONS ? &rows[i] : NULL;
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

ptx_compilation options_compilation(const struct options *options)
{
    if (options->compile_only || options->link) return PTX_COMPILE_SEPARATE;
    return option_given(options, OPTION_EXTENSIBLE_WHOLE_PROGRAM) ? PTX_COMPILE_ANY : PTX_COMPILE_WHOLE;
}

void options_free(struct options *options)
{
    strings_free(&options->files);
    for (size_t i = 0; i < OPTIONS; i++) {
        strings_free(&options->values[i].list);
        free(options->values[i].text);
    }
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

/* Words with a blank before and behind each. */
static void offer_words(struct suggestion *suggestion, const char *words)
{
    for (const char *at = words; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        suggest_offer(suggestion, at, strcspn(at, " "));
    }
}

static bool complain_value(const struct options *options, const struct option_row *row, const char *text)
{
    struct suggestion suggestion = {.written = text, .length = strlen(text)};
    const char *arch;
    complain("Value '%s' is not defined for option '%s'", text, row->name);
    if (row->words) offer_words(&suggestion, row->words);
    for (size_t i = 0; row->kind == KIND_ARCH && (arch = ptx_known_arch(options->profile, i)); i++)
        suggest_offer(&suggestion, arch, strlen(arch));
    suggest_print(&suggestion, "");
    return false;
}

/* `name` with the second dash of a long option. */
static bool complain_option(const char *name, size_t length, bool is_long)
{
    struct suggestion suggestion = {.written = name + is_long, .length = length - is_long};
    complain("Unknown option '%.*s'", (int)length, name);
    for (size_t i = 0; i < OPTIONS; i++) {
        const char *known = is_long ? rows[i].name : rows[i].letter;
        if (known) suggest_offer(&suggestion, known, strlen(known));
    }
    suggest_print(&suggestion, is_long ? "--" : "-");
    return false;
}

static bool is_among(const char *words, const char *value)
{
    const size_t length = strlen(value);
    for (const char *at = words; length && (at = strstr(at, value)); at++)
        if (at[-1] == ' ' && at[length] == ' ') return true;
    return false;
}

/* "sm_90", or the virtual names "compute_90" and "lto_90"; the name of the real one, or NULL. */
static const char *real_arch(ptx_profile profile, const char *value)
{
    const char *number = strchr(value, '_'), *name;
    char prefix[sizeof "compute"] = "";
    if (!number || (size_t)(number - value) >= sizeof prefix) return NULL;
    memcpy(prefix, value, (size_t)(number - value));
    if (!is_among(" sm compute lto ", prefix)) return NULL;
    for (size_t i = 0; (name = ptx_known_arch(profile, i)); i++)
        if (strcmp(name + strlen("sm"), number) == 0) return name;
    return NULL;
}

static bool read_number(const char *text, long *number)
{
    char *end;
    errno = 0;
    *number = strtol(text, &end, 0);
    if (*end) return complain("'%s': expected a number", text);
    if (errno || *number < INT_MIN || *number > INT_MAX)
        return complain("32-bit integer value (%s) out of range", text);
    return true;
}

/* Is the value one that the option takes? Its number is kept. */
static bool check_value(const struct options *options, const struct option_row *row, const char *text,
                        long *number)
{
    if (row->kind == KIND_BOOL && strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return complain("'%s': expected true or false", text);
    if (row->kind == KIND_NUMBER && !read_number(text, number)) return false;
    if (row->kind == KIND_ARCH ? real_arch(options->profile, text) != NULL
                               : !row->words || is_among(row->words, text) ||
                                     (row->kind == KIND_NUMBER && strtol(row->words, NULL, 10) == *number))
        return true;
    return complain_value(options, row, text);
}

/* Keeps the value of an option that counts once; a different second value draws ptxas's warning. */
static bool keep(struct options *options, enum option_id id, const char *text)
{
    struct option_value *value = &options->values[id];
    long number = 0;
    if (!check_value(options, &rows[id], text, &number)) return false;
    if (value->times &&
        (rows[id].kind == KIND_NUMBER ? value->number != number : strcmp(value->text, text) != 0))
        fprintf(stderr,
                "ptxas warning : incompatible redefinition for option '%s', the last value of this option "
                "was used\n",
                rows[id].name);
    free(value->text);
    value->text = must_copy(text, strlen(text));
    value->number = number;
    return true;
}

/* Parts of a list: apart by commas, without the blanks around them; "..." holds commas. */
static bool split_list(struct strings *list, const char *text)
{
    char *part = must_copy(text, strlen(text));
    bool quoted = false;
    do {
        size_t n = 0;
        text += strspn(text, " \t\r\n");
        for (; *text && (quoted || *text != ','); text++) {
            if (*text == '"')
                quoted = !quoted;
            else
                part[n++] = *text;
        }
        while (n && strchr(" \t\r\n", part[n - 1])) n--;
        if (n) strings_add(list, part, n);
    } while (*text++);
    free(part);
    return !quoted || complain("Stray '\"' character");
}

static bool read_options_file(struct options *options, FILE *file, const char *name);

static bool read_options_files(struct options *options, const char *text)
{
    struct strings names = {0};
    bool fine = split_list(&names, text);
    for (size_t i = 0; fine && i < names.n; i++) {
        FILE *file = fopen(names.at[i], "rb");
        fine = file ? read_options_file(options, file, names.at[i])
                    : complain("Could not open options file '%s'", names.at[i]);
    }
    strings_free(&names);
    return fine;
}

static bool store(struct options *options, enum option_id id, const char *text)
{
    struct option_value *value = &options->values[id];
    bool fine = true;
    if (rows[id].kind <= KIND_ARCH)
        fine = rows[id].kind == KIND_SWITCH || (rows[id].kind == KIND_LEVEL && !*text) ||
               keep(options, id, text);
    else if (rows[id].kind == KIND_LIST)
        fine = split_list(&value->list, text);
    else if (rows[id].kind == KIND_TEXTS)
        strings_add(&value->list, text, strlen(text));
    else
        fine = read_options_files(options, text);
    value->times++;
    return fine;
}

/* ---- words ---- */

/* OPTIONS when there is none. */
static enum option_id find_option(const char *name, size_t length, bool is_long)
{
    enum option_id id;
    for (id = 0; id < OPTIONS; id++) {
        const char *candidate = is_long ? rows[id].name : rows[id].letter;
        if (candidate && strlen(candidate) == length && strncmp(candidate, name, length) == 0) break;
    }
    return id;
}

/* One option at words[*i], which begins with a dash; *i moves past a value that is a word of its own. */
static bool parse_option(struct options *options, char **words, size_t n, size_t *i)
{
    const char *word = words[*i];
    const bool is_long = word[1] == '-';
    const char *name = word + 1 + is_long;
    const size_t length = strcspn(name, "=");
    const enum option_id id = find_option(name, length, is_long);
    if (id == OPTIONS && !is_long && (*name == 'O' || *name == 'm'))
        return store(options, *name == 'O' ? OPTION_OPT_LEVEL : OPTION_MACHINE, name + 1);
    if (id == OPTIONS) return complain_option(word + 1, length + is_long, is_long);
    if (!rows[id].value && name[length])
        return complain("no argument expected after '%.*s'", (int)strcspn(word, "="), word);
    if (!rows[id].value) return store(options, id, "");
    if (rows[id].kind == KIND_LEVEL && name[length] && !name[length + 1])
        return complain("Value '' is not defined for option '%s'", rows[id].name);
    if (rows[id].kind == KIND_LEVEL && !name[length]) return store(options, id, "");
    if (rows[id].kind == KIND_QUERY && !name[length] && *i + 1 == n) return store(options, id, "");
    if (name[length]) return store(options, id, name + length + 1);
    if (id == OPTION_OPT_LEVEL && !is_long) return store(options, id, ""); /* its level would be glued on */
    if (*i + 1 == n) return complain("argument expected after '%s'", word);
    return store(options, id, words[++*i]);
}

/* Which architectures there are depends on --profile, wherever it stands. */
static void find_profile(struct options *options, char **words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i], "--profile=all") == 0 ||
            (i > 0 && strcmp(words[i - 1], "--profile") == 0 && strcmp(words[i], "all") == 0))
            options->profile = PTX_PROFILE_ALL;
}

/* @name is a file of options where there is such a file; otherwise it is an input, as always for ptxas. */
static bool parse_input(struct options *options, const char *word)
{
    FILE *file = *word == '@' ? fopen(word + 1, "rb") : NULL;
    if (file) return read_options_file(options, file, word + 1);
    strings_add(&options->files, word, strlen(word));
    return true;
}

static bool parse_words(struct options *options, char **words, size_t n)
{
    bool fine = true;
    find_profile(options, words, n);
    for (size_t i = 0; fine && i < n; i++)
        fine = words[i][0] == '-' && words[i][1] ? parse_option(options, words, n, &i)
                                                 : parse_input(options, words[i]);
    return fine;
}

/* Words of an option file: apart by blanks, which "..." and a backslash take along. */
static bool split_words(struct strings *words, char *text)
{
    for (char *at = text; *(at += strspn(at, " \t\r\n"));) {
        char *to = at, *start = at;
        bool quoted = false;
        for (; *at && (quoted || !strchr(" \t\r\n", *at)); at++) {
            if (*at == '"')
                quoted = !quoted;
            else if (*at != '\\')
                *to++ = *at;
            else if (!*++at)
                return complain("Stray '' character");
            else if (*at != '"') /* ptxas drops this one too */
                *to++ = *at;
        }
        if (quoted) return complain("Stray '\"' character");
        strings_add(words, start, (size_t)(to - start));
        if (*at) at++;
    }
    return true;
}

static char *read_all(FILE *file)
{
    size_t size = 0, room = 1 << 12, got;
    char *text = must_grow(NULL, room);
    while ((got = fread(text + size, 1, room - 1 - size, file)) > 0) {
        size += got;
        if (size == room - 1) text = must_grow(text, room *= 2);
    }
    text[size] = '\0';
    return text;
}

/* Files that name one another in a circle end here, too. */
static bool read_options_file(struct options *options, FILE *file, const char *name)
{
    enum { DEEPEST = 15 };
    struct strings words = {0};
    char *text = read_all(file);
    fclose(file);
    bool fine = options->open_files < DEEPEST ? split_words(&words, text)
                                              : complain("Too many options file opened '%s'", name);
    options->open_files++;
    fine = fine && parse_words(options, words.at, words.n);
    options->open_files--;
    free(text);
    strings_free(&words);
    return fine;
}

/* ---- what the rest asks ---- */

static enum layout layout_of(const char *name)
{
    static const char *const names[] = {"ptxas", "caret", "gcc", "github", "json", "sarif"};
    int i = LAYOUT_PTXAS;
    while (name && i < LAYOUT_SARIF && strcmp(names[i], name) != 0) i++;
    return (enum layout)i;
}

static void derive(struct options *options)
{
    const struct option_value *values = options->values;
    const char *arch = values[OPTION_GPU_NAME].text, *profile = values[OPTION_PROFILE].text;
    options->profile = profile && strcmp(profile, "all") == 0 ? PTX_PROFILE_ALL : PTX_PROFILE_13_0;
    options->arch = arch ? real_arch(options->profile, arch) : NULL;
    options->asked_arch = options->arch ? arch : NULL;
    options->check_only = arch && arch[0] != 's';
    options->layout = layout_of(values[OPTION_DIAGNOSTICS].text);
    options->output = values[OPTION_OUTPUT_FILE].text;
    options->explain = values[OPTION_EXPLAIN].text;
    options->texts = values[OPTION_INPUT_AS_STRING].list;
    options->entries = values[OPTION_ENTRY].list;
    options->include_folders = values[OPTION_INCLUDE_PATH].list;
    options->macros = values[OPTION_DEFINE_MACRO].list;
    options->verbose = option_given(options, OPTION_VERBOSE);
    options->no_warnings = option_given(options, OPTION_DISABLE_WARNINGS);
    options->warnings_are_errors = option_given(options, OPTION_WARNING_AS_ERROR);
    options->compile_only = option_given(options, OPTION_COMPILE_ONLY);
    options->print = option_given(options, OPTION_PRINT);
    options->link = option_given(options, OPTION_LINK);
    if (option_given(options, OPTION_LINT))
        options->lint = values[OPTION_LINT].text ? PTX_LINT_ALL : PTX_LINT_ON;
    options->cpp = option_given(options, OPTION_CPP);
    options->help = option_given(options, OPTION_HELP);
    options->version = option_given(options, OPTION_VERSION);
    options->list_versions = option_given(options, OPTION_LIST_VERSION);
}

bool options_parse(struct options *options, int argc, char **argv)
{
    *options = (struct options){0};
    if (!parse_words(options, argv + 1, (size_t)argc - 1)) return false;
    derive(options);
    if (options->values[OPTION_GPU_NAME].text && !options->arch) /* --profile came twice */
        return complain_value(options, &rows[OPTION_GPU_NAME], options->values[OPTION_GPU_NAME].text);
    return true;
}
