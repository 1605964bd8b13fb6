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
    if (!d->line || ptx_module_source_line(message->module, message->text_line, &line, &length) != PTX_OK) return;
    const struct excerpt_margins margins = excerpt_margins(d->line);
    excerpt_print(stderr, margins.line, margins.caret, line, length, d->column, d->length);
}

static void print_ptxas(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    if (d->told_line)
        fprintf(stderr, "ptxas %s, line %u; %s: %s\n", d->told_file, d->told_line, padded_severity(d->severity),
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

/* Makes a message of the module's d-th diagnostic; false when it is not to be shown. */
static bool make_message(struct message *message, size_t d, const struct options *options)
{
    ptx_diagnostic *diagnostic = &message->diagnostic;
    if (ptx_module_diagnostic(message->module, d, diagnostic) != PTX_OK) return false;
    if (diagnostic->severity == PTX_WARNING && options->no_warnings) return false;
    if (diagnostic->severity == PTX_INFO && !options->verbose && options->layout == LAYOUT_PTXAS) return false;
    if (diagnostic->follows && options->layout != LAYOUT_PTXAS) return false;
    if (diagnostic->severity == PTX_WARNING && options->warnings_are_errors) diagnostic->severity = PTX_ERROR;
    message->text_line = diagnostic->line;
    if (options->cpp && diagnostic->line)
        diagnostic->line = ptx_module_marked_line(message->module, diagnostic->line, &diagnostic->file);
    return true;
}

/*
 * The diagnostics that are to be shown, with their final severities; owned by the caller. ptxas's layout
 * repeats what ptxas repeats; the others say a fault once.
 */
static struct message *collect(const struct input *inputs, size_t n, const struct options *options,
                               size_t *count)
{
    struct message *messages = NULL;
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t most = ptx_module_diagnostic_count(inputs[i].module);
        messages = must_grow(messages, (*count + most) * sizeof *messages);
        for (size_t d = 0; d < most; d++) {
            struct message message = {.module = inputs[i].module};
            if (make_message(&message, d, options)) messages[(*count)++] = message;
        }
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

void messages_show(const struct message *messages, size_t n, enum layout layout)
{
    if (layout == LAYOUT_JSON)
        messages_json(messages, n);
    else if (layout == LAYOUT_SARIF)
        messages_sarif(messages, n);
    else
        for (size_t i = 0; i < n; i++) print_one(&messages[i], layout);
}

size_t messages_print(const struct input *inputs, size_t n, const struct options *options)
{
    size_t count, errors = 0;
    struct message *messages = collect(inputs, n, options, &count);
    for (size_t i = 0; i < count; i++) errors += messages[i].diagnostic.severity >= PTX_ERROR;
    messages_show(messages, count, options->layout);
    free(messages);
    return errors;
}

/* Names that stay open, targets, memory: what a program as a whole is asked. */
static bool is_late(const char *code)
{
    static const char *const late[] = {"E0110", "E0111", "E0112", "E0113", "E0114", "E0116", "E0411",
                                       "E0412", "E0414", "E0520", "E0525", "E0530", "E0531"};
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        if (strcmp(late[i], code) == 0) return true;
    return false;
}

bool messages_are_late(const struct input *inputs, size_t n)
{
    size_t errors = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; d < ptx_module_diagnostic_count(inputs[i].module); d++) {
            ptx_diagnostic diagnostic;
            if (ptx_module_diagnostic(inputs[i].module, d, &diagnostic) != PTX_OK) continue;
            if (diagnostic.severity < PTX_ERROR) continue;
            errors++;
            if (!is_late(diagnostic.code)) return false;
        }
    return errors > 0;
}
