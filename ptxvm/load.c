/* load.c - reading files, checking them, and showing what is wrong with them.
 *
 * Every file becomes a module (an object file several), also those with errors, so that one run shows the
 * diagnostics of all files.
 */
#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../ptxas/excerpt.h"
#include "array.h"
#include "fail.h"

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), n = strlen(ending);
    return length >= n && strcmp(text + length - n, ending) == 0;
}

/* How messages call a file; lines of a .cu are lines of the PTX made from it. */
static char *shown_name(const char *file_name)
{
    if (strcmp(file_name, "-") == 0) return must_print("<stdin>");
    return must_print(ends_with(file_name, ".cu") ? "%s (as PTX)" : "%s", file_name);
}

/* The text of a file or the bytes of an object; owned by the caller. */
static char *contents(const char *file_name, const char *arch, size_t *size)
{
    char *text =
        ends_with(file_name, ".cu") ? cuda_compile(file_name, arch, size) : file_text(file_name, size);
    if (!text) fail(EXIT_USAGE, "%s: %s", file_name, strerror(errno));
    return text;
}

static void add_module(struct modules *modules, ptx_module *module)
{
    modules->at = must_grow(modules->at, (modules->n + 1) * sizeof *modules->at);
    modules->at[modules->n++] = module;
}

/* A PTX file is one module, an object as many as were written to it. */
static void load(struct modules *modules, const char *file_name, const struct options *options)
{
    char *shown = shown_name(file_name);
    const ptx_module_options wanted = {
        .struct_size = sizeof wanted, .file_name = shown, .profile = options->profile, .recover = 1};
    ptx_module *module;
    size_t size;
    char *text = contents(file_name, options->arch, &size);
    const size_t inner = ptx_object_module_count(text, size);
    for (size_t i = 0; i < (inner ? inner : 1); i++) {
        const ptx_status status = inner ? ptx_object_module(&wanted, text, size, i, &module)
                                        : ptx_module_create(&wanted, text, size, &module);
        if (status != PTX_OK && status != PTX_ERROR_ASSEMBLY)
            fail(status == PTX_ERROR_OUT_OF_MEMORY ? EXIT_STOPPED : EXIT_ASSEMBLY, "%s: %s", file_name,
                 ptx_status_name(status));
        add_module(modules, module);
    }
    free(text);
    free(shown);
}

/* ---- diagnostics ---- */

static void show_excerpt(const ptx_module *module, unsigned line, unsigned column, unsigned length)
{
    const struct excerpt_margins margins = excerpt_margins(line);
    const char *text;
    size_t size;
    if (line && ptx_module_source_line(module, line, &text, &size) == PTX_OK)
        excerpt_print(stderr, margins.line, margins.caret, text, size, column, length);
}

static void show_diagnostic(const ptx_module *module, const ptx_diagnostic *d)
{
    static const char *const severities[] = {"info", "warning", "error", "fatal error"};
    if (d->line)
        fprintf(stderr, "%s:%u:%u: %s: %s [%s]\n", d->file, d->line, d->column, severities[d->severity],
                d->message, d->code);
    else
        fprintf(stderr, "%s: %s: %s [%s]\n", d->file, severities[d->severity], d->message, d->code);
    show_excerpt(module, d->line, d->column, d->length);
    if (d->note) fprintf(stderr, "        note: %s\n", d->note);
}

/* True when one of them is an error. */
static bool show_diagnostics(const ptx_module *module)
{
    bool bad = false;
    ptx_diagnostic d = {sizeof d};
    for (size_t i = 0; i < ptx_module_diagnostic_count(module); i++) {
        if (ptx_module_diagnostic(module, i, &d) != PTX_OK) continue;
        if (!d.follows) show_diagnostic(module, &d);
        bad |= d.severity >= PTX_ERROR;
    }
    return bad;
}

static void show_link_diagnostic(const ptx_link_diagnostic *d)
{
    const ptx_diagnostic shown = {.severity = d->severity,
                                  .code = d->code,
                                  .message = d->message,
                                  .note = d->note,
                                  .file = d->file ? d->file : "program",
                                  .line = d->line,
                                  .column = d->column,
                                  .length = d->length};
    show_diagnostic(d->module, &shown);
    if (!d->first_file) return;
    fprintf(stderr, "%s:%u:%u: note: declared here\n", d->first_file, d->first_line, d->first_column);
    show_excerpt(d->first_module, d->first_line, d->first_column, d->first_length);
}

void modules_show_link(const struct modules *modules, const ptx_program_options *wanted)
{
    ptx_link *link;
    ptx_link_diagnostic d = {sizeof d};
    ptx_link_create((const ptx_module *const *)modules->at, modules->n, wanted, &link);
    for (size_t i = 0; i < ptx_link_diagnostic_count(link); i++)
        if (ptx_link_diagnostic_get(link, i, &d) == PTX_OK) show_link_diagnostic(&d);
    ptx_link_destroy(link);
}

void modules_load(struct modules *modules, const struct options *options)
{
    bool bad = false;
    *modules = (struct modules){0};
    for (size_t i = 0; i < options->files.n; i++) load(modules, options->files.at[i], options);
    for (unsigned i = 0; i < modules->n; i++) bad |= show_diagnostics(modules->at[i]);
    if (bad) {
        modules_free(modules);
        exit(EXIT_ASSEMBLY);
    }
}

void modules_free(struct modules *modules)
{
    for (unsigned i = 0; i < modules->n; i++) ptx_module_destroy(modules->at[i]);
    free(modules->at);
    *modules = (struct modules){0};
}

long modules_find(const struct modules *modules, const char *word, const char **name)
{
    for (unsigned i = 0; i < modules->n; i++) {
        const char *file = ptx_module_file_name(modules->at[i]), *slash = strrchr(file, '/');
        const size_t length = strlen(file), base = slash ? strlen(slash + 1) : length;
        const bool whole = strncmp(word, file, length) == 0 && word[length] == ':';
        if (!whole && (strncmp(word, file + length - base, base) != 0 || word[base] != ':')) continue;
        *name = word + (whole ? length : base) + 1;
        return i;
    }
    return -1;
}

static const ptx_module *module_called(const struct modules *modules, const char *file)
{
    for (unsigned i = 0; i < modules->n; i++)
        if (strcmp(ptx_module_file_name(modules->at[i]), file) == 0) return modules->at[i];
    return NULL;
}

/* One line; the underline leaves out blanks at its ends. */
static void show_line(const ptx_module *module, unsigned line, struct stretch s)
{
    const struct excerpt_margins margins = excerpt_margins(line);
    const char *text;
    size_t length;
    if (ptx_module_source_line(module, line, &text, &length) != PTX_OK) return;
    size_t from = line == s.line ? s.column - 1 : 0, to = line == s.last_line ? s.last_column : length;
    if (to > length) to = length;
    while (from < to && strchr(" \t", text[from])) from++;
    while (to > from && strchr(" \t", text[to - 1])) to--;
    if (to > from)
        excerpt_print(stderr, margins.line, margins.caret, text, length, (unsigned)from + 1,
                      (unsigned)(to - from));
}

void modules_show(const struct modules *modules, const char *file, struct stretch stretch)
{
    enum { MOST_LINES = 12 }; /* of a statement; calls with many arguments have a line each */
    const ptx_module *module = module_called(modules, file);
    for (unsigned line = stretch.line; module && line <= stretch.last_line; line++) {
        if (line - stretch.line == MOST_LINES) {
            fprintf(stderr, "      ... %u more lines\n", stretch.last_line - line + 1);
            return;
        }
        show_line(module, line, stretch);
    }
}
