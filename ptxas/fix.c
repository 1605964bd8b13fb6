/* fix.c - --fix: applies the edits that mend faults for certain.
 *
 * A round applies the certain edits of all messages, reads the text again, and takes back those whose message
 * is still there. Mending one fault can show the next, so rounds follow until one changes nothing. No certain
 * edit adds or takes a line, hence the lines before and after correspond. */
#include "fix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "messages.h"
#include "text.h"

enum { ROUNDS = 100, CONTEXT = 3, EXIT_BAD = 255 };

/* An edit, with the message that it mends. */
struct edit {
    size_t offset, length;
    char *text, *message; /* owned */
    char code[8];
    unsigned line;            /* of the message */
    unsigned at_line, column; /* of the edit */
    bool refused;             /* it did not mend it */
};

struct edits {
    struct edit *at; /* owned */
    size_t n;
};

struct mending {
    const struct options *options;
    const char *name;
    struct text text;
    ptx_module *module; /* owned; of the text */
    struct edits all;   /* applied or refused, in the order of their rounds */
};

static void edits_free(struct edits *edits)
{
    for (size_t i = 0; i < edits->n; i++) {
        free(edits->at[i].text);
        free(edits->at[i].message);
    }
    free(edits->at);
    *edits = (struct edits){0};
}

static bool read_module(struct mending *m)
{
    const ptx_module_options wanted = {.struct_size = sizeof wanted,
                                       .file_name = m->name,
                                       .arch = m->options->asked_arch,
                                       .profile = m->options->profile,
                                       .compilation = options_compilation(m->options),
                                       .lint = m->options->lint,
                                       .recover = 1};
    ptx_module_destroy(m->module);
    m->module = NULL;
    const ptx_status status = ptx_module_create(&wanted, m->text.at ? m->text.at : "", m->text.n, &m->module);
    if (!m->module) message_plain(PTX_FATAL, "%s: %s", m->name, ptx_status_name(status));
    return m->module != NULL;
}

/* ---- one round ---- */

static bool same_fault(const struct edit *edit, const ptx_diagnostic *d)
{
    return edit->line == d->line && strcmp(edit->code, d->code) == 0 &&
           strcmp(edit->message, d->message) == 0;
}

static bool was_refused(const struct mending *m, const ptx_diagnostic *d)
{
    for (size_t i = 0; i < m->all.n; i++)
        if (m->all.at[i].refused && same_fault(&m->all.at[i], d)) return true;
    return false;
}

static void add_edit(struct edits *edits, const ptx_fix *fix, const ptx_diagnostic *d)
{
    edits->at = must_grow(edits->at, (edits->n + 1) * sizeof *edits->at);
    struct edit *edit = &edits->at[edits->n++];
    *edit = (struct edit){.offset = fix->offset,
                          .length = fix->length,
                          .text = must_copy(fix->text, strlen(fix->text)),
                          .message = must_copy(d->message, strlen(d->message)),
                          .line = d->line,
                          .at_line = fix->line,
                          .column = fix->column};
    snprintf(edit->code, sizeof edit->code, "%s", d->code);
}

static int by_offset(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Edits that touch one before them wait for the next round. */
static void drop_touching(struct edits *edits)
{
    size_t kept = 0;
    for (size_t i = 0; i < edits->n; i++) {
        const struct edit *last = kept ? &edits->at[kept - 1] : NULL;
        if (last && edits->at[i].offset <= last->offset + last->length) {
            free(edits->at[i].text);
            free(edits->at[i].message);
        } else {
            edits->at[kept++] = edits->at[i];
        }
    }
    edits->n = kept;
}

static struct edits find_edits(const struct mending *m)
{
    struct edits edits = {0};
    ptx_diagnostic d = {sizeof d};
    ptx_fix fix;
    for (size_t i = 0; i < ptx_module_diagnostic_count(m->module); i++)
        if (ptx_module_diagnostic(m->module, i, &d) == PTX_OK &&
            ptx_module_fix(m->module, i, 0, &fix) == PTX_OK && fix.certain && !was_refused(m, &d))
            add_edit(&edits, &fix, &d);
    if (edits.n) qsort(edits.at, edits.n, sizeof *edits.at, by_offset);
    drop_touching(&edits);
    return edits;
}

/* `from` with the edits that were not refused, as the text. */
static void apply(struct mending *m, const struct text *from, const struct edits *edits)
{
    size_t at = 0;
    m->text.n = 0;
    for (size_t i = 0; i < edits->n; i++) {
        const struct edit *edit = &edits->at[i];
        if (edit->refused) continue;
        text_add(&m->text, from->at + at, edit->offset - at);
        text_put(&m->text, edit->text);
        at = edit->offset + edit->length;
    }
    text_add(&m->text, from->at + at, from->n - at);
}

/* Marks the edits whose faults are still told of; how many there are. */
static size_t refuse(const struct mending *m, struct edits *edits)
{
    ptx_diagnostic d = {sizeof d};
    size_t refused = 0;
    for (size_t k = 0; k < ptx_module_diagnostic_count(m->module); k++) {
        if (ptx_module_diagnostic(m->module, k, &d) != PTX_OK) continue;
        for (size_t i = 0; i < edits->n; i++) {
            if (edits->at[i].refused || !same_fault(&edits->at[i], &d)) continue;
            edits->at[i].refused = true;
            refused++;
        }
    }
    return refused;
}

/* False when nothing was changed, or nothing could be read. */
static bool mend_once(struct mending *m)
{
    struct edits edits = find_edits(m);
    const struct text before = m->text;
    m->text = (struct text){0};
    apply(m, &before, &edits);
    bool fine = read_module(m);
    const size_t refused = fine ? refuse(m, &edits) : 0;
    if (refused) {
        apply(m, &before, &edits);
        fine = read_module(m);
    }
    free(before.at);
    m->all.at = must_grow(m->all.at, (m->all.n + edits.n + 1) * sizeof *m->all.at);
    for (size_t i = 0; i < edits.n; i++) m->all.at[m->all.n++] = edits.at[i];
    free(edits.at);
    return fine && edits.n > 0;
}

/* ---- what is told ---- */

static size_t applied(const struct mending *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->all.n; i++) n += !m->all.at[i].refused;
    return n;
}

static void tell(const struct mending *m)
{
    for (size_t i = 0; i < m->all.n; i++) {
        const struct edit *edit = &m->all.at[i];
        if (!edit->refused)
            fprintf(stderr, "%s:%u:%u: fixed: %s [%s]\n", m->name, edit->at_line, edit->column, edit->message,
                    edit->code);
    }
}

/* Lines with what ends them. */
struct line {
    const char *at;
    size_t n;
};

static struct line *split(const char *text, size_t size, size_t *n)
{
    struct line *lines = NULL;
    size_t room = 0;
    *n = 0;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - text) + 1 - at : size - at;
        if (*n == room) lines = must_grow(lines, (room = 2 * room + 64) * sizeof *lines);
        lines[(*n)++] = (struct line){text + at, length};
        at += length;
    }
    return lines;
}

static void print_line(char sign, struct line line)
{
    printf("%c%.*s", sign, (int)line.n, line.at);
    if (!line.n || line.at[line.n - 1] != '\n') puts("\n\\ No newline at end of file");
}

static bool same(const struct line *a, const struct line *b, size_t i)
{
    return a[i].n == b[i].n && memcmp(a[i].at, b[i].at, a[i].n) == 0;
}

/* Lines first to end - 1 as one hunk: stretches that differ, with what is the same around them. */
static void print_hunk(const struct line *old, const struct line *new, size_t first, size_t end)
{
    printf("@@ -%zu,%zu +%zu,%zu @@\n", first + 1, end - first, first + 1, end - first);
    for (size_t i = first; i < end;) {
        size_t to = i;
        while (to < end && !same(old, new, to)) to++;
        for (size_t k = i; k < to; k++) print_line('-', old[k]);
        for (size_t k = i; k < to; k++) print_line('+', new[k]);
        for (i = to; i < end && same(old, new, i); i++) print_line(' ', old[i]);
    }
}

static void print_difference(const char *name, const char *before, size_t size, const struct text *after)
{
    size_t n, m;
    struct line *old = split(before, size, &n), *new = split(after->at, after->n, &m);
    printf("--- %s\n+++ %s\n", name, name);
    for (size_t i = 0; i < n;) {
        while (i < n && same(old, new, i)) i++;
        if (i == n) break;
        const size_t first = i < CONTEXT ? 0 : i - CONTEXT;
        size_t last = i; /* that differs */
        for (i++; i < n && i <= last + 2 * CONTEXT; i++)
            if (!same(old, new, i)) last = i;
        i = last + CONTEXT + 1 < n ? last + CONTEXT + 1 : n;
        print_hunk(old, new, first, i);
    }
    free(old);
    free(new);
}

/* ---- the command ---- */

static bool write_result(const struct mending *m, const char *before, size_t size)
{
    const struct option_value *value = &m->options->values[OPTION_FIX];
    const bool is_stdin = strcmp(m->name, "-") == 0;
    if (value->text && strcmp(value->text, "dry") == 0) {
        if (applied(m)) print_difference(is_stdin ? "<stdin>" : m->name, before, size, &m->text);
        return fflush(stdout) == 0;
    }
    if (m->options->output) return text_write_file(m->options->output, m->text.at, m->text.n);
    if (is_stdin) return text_write_file(NULL, m->text.at, m->text.n);
    return !applied(m) || text_write_file(m->name, m->text.at, m->text.n);
}

static bool mend(const char *name, const struct options *options)
{
    struct mending m = {.options = options, .name = name};
    size_t size;
    char *before = text_read_file(name, &size);
    if (!before || ptx_object_module_count(before, size)) {
        message_plain(PTX_FATAL,
                      before ? "'%s' is an object file; --fix wants a text"
                             : "Input file '%s' could not be opened",
                      name);
        free(before);
        return false;
    }
    text_add(&m.text, before, size);
    bool fine = read_module(&m);
    for (int i = 0; fine && i < ROUNDS && mend_once(&m); i++) continue;
    fine = m.module && write_result(&m, before, size);
    tell(&m);
    const struct input input = {.name = name, .module = m.module};
    if (m.module) fine &= messages_print(&input, 1, options, NULL, 0) == 0;
    ptx_module_destroy(m.module);
    edits_free(&m.all);
    text_free(&m.text);
    free(before);
    return fine;
}

int fix_run(const struct options *options)
{
    bool fine = true;
    if (options->output && options->files.n > 1) {
        message_plain(PTX_FATAL, "--fix with -o mends one file; %zu are given", options->files.n);
        return EXIT_BAD;
    }
    for (size_t i = 0; i < options->files.n; i++) fine &= mend(options->files.at[i], options);
    return fine ? 0 : EXIT_BAD;
}
