/* cpp.c - --cpp: the preprocessor that the PTX manual allows.
 *
 * The manual gives PTX the directives of C (#include, #define, #if, #ifdef, #else, #endif, #line) and #file;
 * no PTX assembler in use runs them. The system's C preprocessor does, as a child process without a shell, in
 * the mode for assembly text, with no macros and no include folders of its own. Its output and its messages
 * go through unnamed files, so neither side waits for the other. Line markers stay in the text, freed of what
 * only a C compiler reads, and tell the front end where each line came from. */
#include "cpp.h"

#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "messages.h"

static const char program[] = "cpp";
extern char **environ;

struct buffer {
    char *at; /* owned */
    size_t n, room;
};

static void append(struct buffer *buffer, const char *text, size_t n)
{
    if (buffer->n + n > buffer->room) {
        buffer->room = (buffer->n + n) * 2;
        buffer->at = must_grow(buffer->at, buffer->room);
    }
    memcpy(buffer->at + buffer->n, text, n);
    buffer->n += n;
}

/* ---- running it ---- */

/* posix_spawn takes words that it could write to, and does not. */
static char *word(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* The words of the command; their strings belong to others, but for the last. */
static char **make_words(const char *name, bool is_file, const struct options *options)
{
    static const char *const fixed[] = {program, "-undef", "-nostdinc", "-x", "assembler-with-cpp"};
    enum { FIXED = sizeof fixed / sizeof fixed[0] };
    const size_t more = 2 * (options->include_folders.n + options->macros.n);
    char **words = must_grow(NULL, (FIXED + more + 2) * sizeof *words);
    size_t n = 0;
    while (n < FIXED) {
        words[n] = word(fixed[n]);
        n++;
    }
    for (size_t i = 0; i < options->include_folders.n; i++) {
        words[n++] = word("-I");
        words[n++] = options->include_folders.at[i];
    }
    for (size_t i = 0; i < options->macros.n; i++) {
        words[n++] = word("-D");
        words[n++] = options->macros.at[i];
    }
    const size_t length = strlen(name);
    char *file = must_grow(NULL, length + sizeof "./");
    snprintf(file, length + sizeof "./", "%s%s", is_file && *name == '-' ? "./" : "", is_file ? name : "-");
    words[n++] = file;
    words[n] = NULL;
    return words;
}

static void free_words(char **words)
{
    size_t n = 0;
    while (words[n]) n++;
    free(words[n - 1]);
    free(words);
}

/* The environment, with messages in English. */
static char **make_environment(void)
{
    size_t n = 0, to = 0;
    while (environ[n]) n++;
    char **copy = must_grow(NULL, (n + 2) * sizeof *copy);
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "LC_", 3) != 0 && strncmp(environ[i], "LANG", 4) != 0)
            copy[to++] = environ[i];
    copy[to++] = word("LC_ALL=C");
    copy[to] = NULL;
    return copy;
}

/* What the child ended with; -1 after a message when it could not be started. */
static int run_child(char **words, FILE *in, FILE *out, FILE *err)
{
    posix_spawn_file_actions_t files;
    char **environment = make_environment();
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, fileno(in), 0);
    posix_spawn_file_actions_adddup2(&files, fileno(out), 1);
    posix_spawn_file_actions_adddup2(&files, fileno(err), 2);
    const int failure = posix_spawnp(&child, program, &files, NULL, words, environment);
    posix_spawn_file_actions_destroy(&files);
    free(environment);
    if (failure) {
        message_plain(PTX_FATAL, "--cpp: the preprocessor '%s' could not be run: %s", program,
                      strerror(failure));
        return -1;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static void read_all(FILE *file, struct buffer *buffer)
{
    char piece[1 << 14];
    rewind(file);
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;) append(buffer, piece, n);
    append(buffer, "", 1); /* NUL */
    buffer->n--;
}

/* ---- its messages: FILE:LINE:COLUMN: error: TEXT ---- */

/* "12:" at *at; the number, with *at behind the colon; 0 when there is none. */
static unsigned read_number(char **at)
{
    char *end;
    const unsigned long number = strtoul(*at, &end, 10);
    if (end == *at || *end != ':') return 0;
    *at = end + 1;
    return (unsigned)number;
}

/* Takes a line of the child's apart; false for an excerpt and other lines that belong to a message. */
static bool read_message(char *line, struct message *message)
{
    static const struct {
        const char *text;
        ptx_severity severity;
        const char *code;
    } kinds[] = {{" fatal error: ", PTX_FATAL, "E0701"},
                 {" error: ", PTX_ERROR, "E0701"},
                 {" warning: ", PTX_WARNING, "W0701"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char *at = strstr(line, kinds[i].text), *colon = line;
        if (!at || at == line || at[-1] != ':') continue;
        ptx_diagnostic *d = &message->diagnostic;
        *d = (ptx_diagnostic){.severity = kinds[i].severity, .code = kinds[i].code, .file = line};
        d->message = at + strlen(kinds[i].text);
        *at = '\0';
        while ((colon = strchr(colon, ':')) && !d->line) {
            char *number = colon + 1;
            d->line = read_number(&number);
            d->column = d->line ? read_number(&number) : 0;
            if (d->line) *colon = '\0';
            colon++;
        }
        d->length = d->line ? 1 : 0;
        message->told_file = d->file;
        message->told_line = d->line;
        return true;
    }
    return false;
}

/* False when one of them is an error. */
static bool show_messages(struct buffer *text, const char *name, const struct options *options)
{
    struct message *messages = NULL;
    size_t n = 0;
    bool fine = true;
    char *save = NULL;
    for (char *line = strtok_r(text->at, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        struct message message = {0};
        ptx_severity *severity = &message.diagnostic.severity;
        if (!read_message(line, &message)) continue;
        if (*severity == PTX_WARNING && options->no_warnings) continue;
        if (*severity == PTX_WARNING && options->warnings_are_errors) *severity = PTX_ERROR;
        fine &= *severity < PTX_ERROR;
        if (strcmp(message.diagnostic.file, "<stdin>") == 0)
            message.diagnostic.file = message.told_file = name;
        messages = must_grow(messages, (n + 1) * sizeof *messages);
        messages[n++] = message;
    }
    if (n && fine)
        messages_keep(messages, n, options->layout);
    else if (n)
        messages_show(messages, n, options->layout);
    free(messages);
    return fine;
}

/* ---- its output ---- */

/* A line marker: # NUMBER "FILE" FLAGS, or #file "FILE", which names the file and goes on counting. */
struct marker {
    bool counts;        /* has a number */
    unsigned long line; /* of the next line; 0 where the child names a file before its first line */
    const char *name;
    size_t length;
};

static bool read_marker(const char *line, const char *end, struct marker *marker)
{
    static const char word[] = "#file";
    const char *at = line;
    *marker = (struct marker){0};
    if (strncmp(line, word, sizeof word - 1) == 0) {
        at += sizeof word - 1;
    } else {
        char *behind;
        if (strncmp(line, "# ", 2) != 0) return false;
        marker->line = strtoul(line + 2, &behind, 10);
        if (behind == line + 2) return false;
        marker->counts = true;
        at = behind;
    }
    at += strspn(at, " \t");
    const char *close = *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
    if (!close) return false;
    marker->name = at + 1;
    marker->length = (size_t)(close - at - 1);
    return true;
}

static void write_marker(struct buffer *out, const struct marker *marker, const char *shown)
{
    char number[40];
    const bool is_input = marker->length == 7 && strncmp(marker->name, "<stdin>", 7) == 0;
    const int n = snprintf(number, sizeof number, "# %lu \"", marker->line);
    append(out, number, (size_t)n);
    append(out, is_input ? shown : marker->name, is_input ? strlen(shown) : marker->length);
    append(out, "\"\n", 2);
}

/* Copies the text; markers that name no line of a file (<built-in>) are left out. */
static void copy_lines(struct buffer *out, const char *text, const char *shown)
{
    unsigned long line = 1;
    for (const char *at = text, *end; *at; at = end) {
        struct marker marker;
        end = at + strcspn(at, "\n");
        const bool is_marker = *at == '#' && read_marker(at, end, &marker);
        end += *end == '\n';
        if (!is_marker) {
            append(out, at, (size_t)(end - at));
            line++;
            continue;
        }
        const bool is_file = *marker.name != '<' || strncmp(marker.name, "<stdin>", 7) == 0;
        line = marker.counts ? marker.line : line + 1;
        marker.line = line;
        if (line && is_file) write_marker(out, &marker, shown);
    }
}

bool cpp_run(const char *name, bool is_file, char **text, size_t *size, const struct options *options)
{
    FILE *files[3] = {tmpfile(), tmpfile(), tmpfile()};
    struct buffer made = {0}, said = {0}, out = {0};
    char **words = make_words(name, is_file, options);
    int code = -1;
    if (!files[0] || !files[1] || !files[2]) {
        message_plain(PTX_FATAL, "--cpp: no temporary file could be made: %s", strerror(errno));
    } else if (is_file || (fwrite(*text, 1, *size, files[0]) == *size && fflush(files[0]) == 0)) {
        rewind(files[0]);
        code = run_child(words, files[0], files[1], files[2]);
    }
    if (code >= 0) {
        read_all(files[1], &made);
        read_all(files[2], &said);
        if (!show_messages(&said, name, options) && code == 0) code = 255;
        copy_lines(&out, made.at, name);
        append(&out, "", 1);
    }
    for (int i = 0; i < 3; i++)
        if (files[i]) fclose(files[i]);
    if (code == 0) {
        free(*text);
        *text = out.at;
        *size = out.n - 1;
    } else {
        free(out.at);
    }
    free(made.at);
    free(said.at);
    free_words(words);
    return code == 0;
}
