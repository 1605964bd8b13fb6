/* messages.c - diagnostics as text.
 *
 * The default layout is ptxas's line, so that tools which match it go on working, with what ptxas leaves out
 * below it and indented: source line, caret, note. The gcc and github layouts are one line a message, as
 * editors and CI services read them. */
#include "messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "excerpt.h"

/* ---- ptxas's layout ---- */

static const char *padded_severity(ptx_severity severity)
{
    static const char *const names[] = {"info    ", "warning ", "error   ", "fatal   "};
    return names[severity];
}

void message_plain(ptx_severity severity, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "ptxas %s: ", padded_severity(severity));
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static void print_excerpt(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    const char *line;
    size_t length;
    if (!d->line || ptx_module_source_line(message->module, d->line, &line, &length) != PTX_OK) return;
    const struct excerpt_margins margins = excerpt_margins(d->line);
    excerpt_print(stderr, margins.line, margins.caret, line, length, d->column, d->length);
}

static void print_ptxas(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    if (d->line)
        fprintf(stderr, "ptxas %s, line %u; %s: %s\n", d->file, d->line, padded_severity(d->severity),
                d->message);
    else
        message_plain(d->severity, "%s", d->message);
    print_excerpt(message);
    if (d->note) fprintf(stderr, "        note: %s\n", d->note);
}

/* ---- gcc, caret, github ---- */

static const char *gcc_severity(ptx_severity severity)
{
    static const char *const names[] = {"note", "warning", "error", "fatal error"};
    return names[severity];
}

static void print_gcc(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    const unsigned line = d->line ? d->line : 1, column = d->line ? d->column : 1;
    fprintf(stderr, "%s:%u:%u: %s: %s [%s]\n", d->file, line, column, gcc_severity(d->severity), d->message,
            d->code);
    if (d->note) fprintf(stderr, "%s:%u:%u: note: %s\n", d->file, line, column, d->note);
}

static void print_caret(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    if (d->line)
        fprintf(stderr, "%s:%u:%u: ", d->file, d->line, d->column);
    else
        fprintf(stderr, "%s: ", d->file);
    fprintf(stderr, "%s: %s [%s]\n", gcc_severity(d->severity), d->message, d->code);
    print_excerpt(message);
    if (d->note) fprintf(stderr, "        note: %s\n", d->note);
}

/* Text of a workflow command: %, CR and LF are escaped, and in properties also ':' and ','. */
static void print_escaped(const char *text, bool is_property)
{
    for (; *text; text++) {
        if (strchr("%\r\n", *text) || (is_property && strchr(":,", *text)))
            fprintf(stderr, "%%%02X", (unsigned char)*text);
        else
            fputc(*text, stderr);
    }
}

static void print_github(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    fprintf(stderr, "::%s file=",
            d->severity >= PTX_ERROR     ? "error"
            : d->severity == PTX_WARNING ? "warning"
                                         : "notice");
    print_escaped(d->file, true);
    if (d->line)
        fprintf(stderr, ",line=%u,col=%u,endColumn=%u", d->line, d->column,
                d->column + (d->length ? d->length : 1));
    fprintf(stderr, ",title=%s::", d->code);
    print_escaped(d->message, false);
    if (d->note) {
        fputs("%0A", stderr);
        print_escaped(d->note, false);
    }
    fputc('\n', stderr);
}

/* ---- all ---- */

static int by_line(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

/*
 * Takes out, from message `first` on, what only follows from an unknown name on the same line: operands of an
 * instruction that do not fit it, a call without prototype. ptxas prints both, and so does its layout.
 */
static size_t drop_followers(struct message *messages, size_t first, size_t count)
{
    static const char *const followers[] = {"E1101", "E1107", "E1145", "E0438"};
    unsigned *lines = must_grow(NULL, (count - first + 1) * sizeof *lines);
    size_t unknown = 0, kept = first;
    for (size_t i = first; i < count; i++)
        if (!strcmp(messages[i].diagnostic.code, "E0301")) lines[unknown++] = messages[i].diagnostic.line;
    qsort(lines, unknown, sizeof *lines, by_line);
    for (size_t i = first; i < count; i++) {
        bool follows = false;
        for (size_t k = 0; unknown && k < sizeof followers / sizeof *followers; k++)
            follows |= !strcmp(messages[i].diagnostic.code, followers[k]);
        if (!follows || !bsearch(&messages[i].diagnostic.line, lines, unknown, sizeof *lines, by_line))
            messages[kept++] = messages[i];
    }
    free(lines);
    return kept;
}

/* The diagnostics that are to be shown, with their final severities; owned by the caller. */
static struct message *collect(const struct input *inputs, size_t n, const struct options *options,
                               size_t *count)
{
    struct message *messages = NULL;
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t most = ptx_module_diagnostic_count(inputs[i].module), first = *count;
        messages = must_grow(messages, (*count + most) * sizeof *messages);
        for (size_t d = 0; d < most; d++) {
            struct message message = {.module = inputs[i].module};
            if (ptx_module_diagnostic(message.module, d, &message.diagnostic) != PTX_OK) continue;
            if (message.diagnostic.severity == PTX_WARNING && options->no_warnings) continue;
            if (message.diagnostic.severity == PTX_INFO && !options->verbose && options->layout == LAYOUT_PTXAS)
                continue;
            if (message.diagnostic.severity == PTX_WARNING && options->warnings_are_errors)
                message.diagnostic.severity = PTX_ERROR;
            messages[(*count)++] = message;
        }
        if (options->layout != LAYOUT_PTXAS) *count = drop_followers(messages, first, *count);
    }
    return messages;
}

static void print_one(const struct message *message, enum layout layout)
{
    switch (layout) {
    case LAYOUT_CARET:
        print_caret(message);
        break;
    case LAYOUT_GCC:
        print_gcc(message);
        break;
    case LAYOUT_GITHUB:
        print_github(message);
        break;
    default:
        print_ptxas(message);
        break;
    }
}

size_t messages_print(const struct input *inputs, size_t n, const struct options *options)
{
    size_t count, errors = 0;
    struct message *messages = collect(inputs, n, options, &count);
    for (size_t i = 0; i < count; i++) errors += messages[i].diagnostic.severity >= PTX_ERROR;
    if (options->layout == LAYOUT_JSON)
        messages_json(messages, count);
    else if (options->layout == LAYOUT_SARIF)
        messages_sarif(messages, count);
    else
        for (size_t i = 0; i < count; i++) print_one(&messages[i], options->layout);
    free(messages);
    return errors;
}
