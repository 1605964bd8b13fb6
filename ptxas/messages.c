/* messages.c - diagnostics as text.
 *
 * The default layout is ptxas's line, so that tools which match it go on working, with what ptxas leaves out
 * below it and indented: source line, caret, note. The gcc and github layouts are one line a message, as
 * editors and CI services read them. */
#define _GNU_SOURCE /* vasprintf */
#include "messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "excerpt.h"
#include "ptx_tools.h"

/* ---- ptxas's layout ---- */

static const char *padded_severity(ptx_severity severity)
{
    static const char *const names[] = {"info    ", "warning ", "error   ", "fatal   "};
    return names[severity];
}

/* What lines of ptxas's layout begin with (--tool-name); of the one command line that there is. */
static const char *tool = "ptxas";

void messages_name(const char *name)
{
    tool = name;
}

const char *message_tool(void)
{
    return tool;
}

void message_plain_list(ptx_severity severity, const char *format, va_list arguments)
{
    fprintf(stderr, "%s %s: ", tool, padded_severity(severity));
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void message_plain(ptx_severity severity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message_plain_list(severity, format, arguments);
    va_end(arguments);
}

static void print_excerpt(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    const char *line;
    size_t length;
    if (!d->line || ptx_module_source_line(message->module, message->text_line, &line, &length) != PTX_OK)
        return;
    const struct excerpt_margins margins = excerpt_margins(d->line);
    excerpt_print(stderr, margins.line, margins.caret, line, length, d->column, d->length);
}

static void print_place(const struct related *place)
{
    const char *line;
    size_t length;
    if (!place->line || ptx_module_source_line(place->module, place->text_line, &line, &length) != PTX_OK)
        return;
    const struct excerpt_margins margins = excerpt_margins(place->line);
    excerpt_print(stderr, margins.line, margins.caret, line, length, place->column, place->length);
}

/* nvlink names files only; the lines are ours, and indented. */
static void print_nvlink(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    const struct related *other = &message->related;
    fprintf(stderr, "nvlink %s: %s\n", padded_severity(d->severity), d->message);
    if (d->line)
        fprintf(stderr, "    %s, line %u%s%s:\n", d->file, d->line, d->note ? ", " : "",
                d->note ? d->note : "");
    print_excerpt(message);
    if (other->file) fprintf(stderr, "    declared in %s, line %u:\n", other->file, other->line);
    print_place(other);
}

/* The line of the source, where the PTX says. */
static void print_origin(const struct message *message)
{
    char *text = message_origin_text(message);
    if (text) fprintf(stderr, "        %s\n", text);
    free(text);
}

static void print_ptxas(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    if (message->is_link) {
        print_nvlink(message);
        return;
    }
    if (message->told_line)
        fprintf(stderr, "%s %s, line %u; %s: %s\n", tool, message->told_file, message->told_line,
                padded_severity(d->severity), d->message);
    else
        message_plain(d->severity, "%s", d->message);
    print_excerpt(message);
    if (d->note) fprintf(stderr, "        note: %s\n", d->note);
    print_origin(message);
}

/* ---- gcc, caret, github ---- */

static const char *gcc_severity(ptx_severity severity)
{
    static const char *const names[] = {"note", "warning", "error", "fatal error"};
    return names[severity];
}

static void print_related_line(const struct related *place)
{
    fprintf(stderr, "%s:%u:%u: note: %s\n", place->file, place->line, place->column, place->what);
}

/* "x.cu:3:5: note: the source of this, in kernel<float>", and where that was inlined. */
static void print_origin_lines(const struct message *message)
{
    ptx_origin origin;
    for (size_t i = 0; message_origin(message, i, &origin); i++) {
        char *function = i ? NULL : message_function(message);
        fprintf(stderr, "%s:%u:%u: note: %s%s\n", origin.file, origin.line, origin.column,
                i ? "inlined here" : "the source of this, in ", function ? function : "");
        free(function);
    }
}

static void print_quoted(const char *text)
{
    for (; *text; text++) {
        if (strchr("\"\\", *text)) fputc('\\', stderr);
        if (*text == '\n')
            fputs("\\n", stderr);
        else
            fputc(*text, stderr);
    }
}

/* What -fdiagnostics-parseable-fixits prints. Of several edits it is the first, and the others are notes, for
 * clients apply all of one message. */
static void print_fix_its(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    ptx_fix fix;
    for (size_t i = 0; message_fix(message, i, &fix); i++) {
        if (i) {
            fprintf(stderr, "%s:%u:%u: note: or %s\n", d->file, fix.line, fix.column, fix.title);
            continue;
        }
        fputs("fix-it:\"", stderr);
        print_quoted(d->file);
        fprintf(stderr, "\":{%u:%u-%u:%u}:\"", fix.line, fix.column, fix.line,
                fix.column + (unsigned)fix.length);
        print_quoted(fix.text);
        fputs("\"\n", stderr);
    }
}

static void print_gcc(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    const unsigned line = d->line ? d->line : 1, column = d->line ? d->column : 1;
    fprintf(stderr, "%s:%u:%u: %s: %s [%s]\n", d->file, line, column, gcc_severity(d->severity), d->message,
            d->code);
    struct related place;
    if (d->note) fprintf(stderr, "%s:%u:%u: note: %s\n", d->file, line, column, d->note);
    for (size_t i = 0; message_related(message, i, &place); i++) print_related_line(&place);
    print_origin_lines(message);
    print_fix_its(message);
}

/* Colours where a person reads, unless NO_COLOR is set (no-color.org). */
static bool has_colours(void)
{
    const char *unwanted = getenv("NO_COLOR");
    return isatty(STDERR_FILENO) && !(unwanted && *unwanted);
}

static void print_severity(ptx_severity severity)
{
    static const char *const colours[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m", "\033[1;31m"};
    if (has_colours())
        fprintf(stderr, "%s%s:\033[0m ", colours[severity], gcc_severity(severity));
    else
        fprintf(stderr, "%s: ", gcc_severity(severity));
}

static void print_caret(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    struct related place;
    ptx_fix fix;
    if (d->line)
        fprintf(stderr, "%s:%u:%u: ", d->file, d->line, d->column);
    else
        fprintf(stderr, "%s: ", d->file);
    print_severity(d->severity);
    fprintf(stderr, "%s [%s]\n", d->message, d->code);
    print_excerpt(message);
    if (d->note) fprintf(stderr, "        note: %s\n", d->note);
    print_origin(message);
    for (size_t i = 0; message_fix(message, i, &fix); i++)
        fprintf(stderr, "        fix: %s%s\n", fix.title, fix.certain ? " (--fix does it)" : "");
    for (size_t i = 0; message_related(message, i, &place); i++) {
        print_related_line(&place);
        print_place(&place);
    }
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

/* One more line of a workflow command's text. */
__attribute__((format(printf, 1, 2))) static void print_github_line(const char *format, ...)
{
    va_list arguments;
    char *line = NULL;
    va_start(arguments, format);
    const int n = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (n < 0) return;
    fputs("%0A", stderr);
    print_escaped(line, false);
    free(line);
}

static void print_github_more(const struct message *message)
{
    struct related place;
    ptx_fix fix;
    char *origin = message_origin_text(message);
    if (message->diagnostic.note) print_github_line("%s", message->diagnostic.note);
    for (size_t i = 0; message_related(message, i, &place); i++)
        print_github_line("%s, line %u: %s", place.file, place.line, place.what);
    if (origin) print_github_line("%s", origin);
    for (size_t i = 0; message_fix(message, i, &fix); i++) print_github_line("fix: %s", fix.title);
    free(origin);
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
    print_github_more(message);
    fputc('\n', stderr);
}

/* ---- all ---- */

/*
 * When ptxas asks: while it reads the text, about the module as a whole, or at last about the program (names
 * that stay open, targets, memory). A stage with errors is the last one; after the first two a line closes
 * the list.
 */
enum stage { STAGE_TEXT, STAGE_MODULE, STAGE_PROGRAM, STAGES };

static enum stage stage_of(const char *code)
{
    static const char *const module[] = {"W0201", "W0401"};
    static const char *const program[] = {"E0110", "E0111", "E0112", "E0113", "E0114", "E0116", "E0411",
                                          "E0418", "W0402", "E0412", "E0414", "E0520", "E0525", "E0530",
                                          "E0531", "E0532", "W0101", "W0102", "W0510"};
    for (size_t i = 0; i < sizeof module / sizeof *module; i++)
        if (strcmp(module[i], code) == 0) return STAGE_MODULE;
    for (size_t i = 0; i < sizeof program / sizeof *program; i++)
        if (strcmp(program[i], code) == 0) return STAGE_PROGRAM;
    return STAGE_TEXT;
}

/* Makes a message of the module's d-th diagnostic; false when it is not to be shown. */
static bool make_message(struct message *message, size_t d, const struct options *options)
{
    ptx_diagnostic *diagnostic = &message->diagnostic;
    diagnostic->struct_size = sizeof *diagnostic;
    if (ptx_module_diagnostic(message->module, d, diagnostic) != PTX_OK) return false;
    if (diagnostic->severity == PTX_WARNING && options->no_warnings) return false;
    if (diagnostic->severity == PTX_INFO && !options->verbose && options->layout == LAYOUT_PTXAS)
        return false;
    if (diagnostic->follows && options->layout != LAYOUT_PTXAS) return false;
    if (diagnostic->severity == PTX_WARNING && options->warnings_are_errors) diagnostic->severity = PTX_ERROR;
    message->told_line = ptx_module_told_line(message->module, d, &message->told_file);
    message->text_line = diagnostic->line;
    message->index = d;
    message->marked = options->cpp;
    if (options->cpp && diagnostic->line)
        diagnostic->line = ptx_module_marked_line(message->module, diagnostic->line, &diagnostic->file);
    return true;
}

static struct message fault_message(const struct input *input)
{
    const ptx_diagnostic fault = {
        .severity = PTX_FATAL, .code = "E0702", .message = input->fault, .file = input->name};
    return (struct message){.diagnostic = fault};
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
        const size_t most = inputs[i].module ? ptx_module_diagnostic_count(inputs[i].module) : 0;
        messages = must_grow(messages, (*count + most + 1) * sizeof *messages);
        if (!inputs[i].module) messages[(*count)++] = fault_message(&inputs[i]);
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
    case LAYOUT_CARET: print_caret(message); break;
    case LAYOUT_GCC: print_gcc(message); break;
    case LAYOUT_GITHUB: print_github(message); break;
    default: print_ptxas(message); break;
    }
}

/* Of the preprocessor, waiting for what the modules draw: a document holds them all. */
static struct message *waiting;
static size_t waiting_count;

void messages_keep(const struct message *messages, size_t n, enum layout layout)
{
    if (layout != LAYOUT_JSON && layout != LAYOUT_SARIF) {
        messages_show(messages, n, layout);
        return;
    }
    waiting = must_grow(waiting, (waiting_count + n) * sizeof *waiting);
    for (size_t i = 0; i < n; i++) {
        struct message *kept = &waiting[waiting_count++];
        ptx_diagnostic *d = &kept->diagnostic;
        *kept = messages[i];
        d->file = kept->told_file = must_copy(d->file, strlen(d->file));
        d->message = must_copy(d->message, strlen(d->message));
    }
}

/* The waiting ones and these, as one document. */
static void show_document(const struct message *messages, size_t n, enum layout layout)
{
    const size_t all = waiting_count + n;
    waiting = must_grow(waiting, (all ? all : 1) * sizeof *waiting);
    for (size_t i = 0; i < n; i++) waiting[waiting_count + i] = messages[i];
    if (layout == LAYOUT_JSON)
        messages_json(waiting, all);
    else
        messages_sarif(waiting, all);
    for (size_t i = 0; i < waiting_count; i++) {
        free((char *)waiting[i].diagnostic.file);
        free((char *)waiting[i].diagnostic.message);
    }
    free(waiting);
    waiting = NULL;
    waiting_count = 0;
}

void messages_show(const struct message *messages, size_t n, enum layout layout)
{
    if (layout == LAYOUT_JSON || layout == LAYOUT_SARIF)
        show_document(messages, n, layout);
    else
        for (size_t i = 0; i < n; i++) print_one(&messages[i], layout);
}

/* Errors by stage. */
static void count_errors(const struct input *inputs, size_t n, const struct options *options,
                         size_t errors[STAGES])
{
    size_t count;
    struct message *messages = collect(inputs, n, options, &count);
    memset(errors, 0, STAGES * sizeof *errors);
    for (size_t i = 0; i < count; i++)
        if (messages[i].diagnostic.severity >= PTX_ERROR) errors[stage_of(messages[i].diagnostic.code)]++;
    free(messages);
}

bool messages_have_early(const struct input *inputs, size_t n, const struct options *options)
{
    size_t errors[STAGES];
    count_errors(inputs, n, options, errors);
    return errors[STAGE_TEXT] > 0;
}

bool messages_are_late(const struct input *inputs, size_t n, const struct options *options)
{
    size_t errors[STAGES];
    count_errors(inputs, n, options, errors);
    return !errors[STAGE_TEXT] && !errors[STAGE_MODULE] && errors[STAGE_PROGRAM];
}

/* Leaves the first errors that --max-errors allows, and what stands between them. Their number stays known.
 */
static size_t limit_errors(struct message *messages, size_t n, const struct options *options)
{
    const long most = options->values[OPTION_MAX_ERRORS].number;
    long errors = 0;
    for (size_t i = 0; i < n; i++) {
        errors += messages[i].diagnostic.severity >= PTX_ERROR;
        if (most > 0 && errors > most) return i;
    }
    return n;
}

static void print_count(size_t n, const char *what)
{
    fprintf(stderr, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

/* "3 errors, 1 warning", and how many of the errors are not shown. */
static void print_summary(const struct message *messages, size_t n, size_t shown)
{
    size_t errors = 0, warnings = 0, hidden = 0;
    for (size_t i = 0; i < n; i++) {
        errors += messages[i].diagnostic.severity >= PTX_ERROR;
        warnings += messages[i].diagnostic.severity == PTX_WARNING;
        hidden += i >= shown && messages[i].diagnostic.severity >= PTX_ERROR;
    }
    if (!errors && !warnings) return;
    if (errors) print_count(errors, "error");
    if (errors && warnings) fputs(", ", stderr);
    if (warnings) print_count(warnings, "warning");
    if (hidden) fprintf(stderr, " (%zu not shown)", hidden);
    fputc('\n', stderr);
}

size_t messages_print(const struct input *inputs, size_t n, const struct options *options,
                      const struct message *more, size_t nmore)
{
    size_t count, kept = 0, errors[STAGES];
    struct message *messages = collect(inputs, n, options, &count);
    count_errors(inputs, n, options, errors);
    const bool drop = errors[STAGE_TEXT] && options->layout == LAYOUT_PTXAS;
    for (size_t i = 0; i < count; i++)
        if (!drop || stage_of(messages[i].diagnostic.code) == STAGE_TEXT) messages[kept++] = messages[i];
    messages = must_grow(messages, (kept + nmore) * sizeof *messages);
    for (size_t i = 0; i < nmore; i++) messages[kept++] = more[i];
    const size_t shown = limit_errors(messages, kept, options);
    messages_show(messages, shown, options->layout);
    if (options->layout == LAYOUT_CARET) print_summary(messages, kept, shown);
    free(messages);
    return errors[STAGE_TEXT] + errors[STAGE_MODULE] + errors[STAGE_PROGRAM];
}
