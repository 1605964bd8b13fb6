/* reduce.c - --reduce CMD: the smallest module for which a command succeeds.
 *
 * A candidate is the best text so far without some units (reduce_units.c): first all of a pass, then halves,
 * quarters and so on down to single ones. It must be legal, unless --reduce-any was given, and the command
 * must succeed on it; then it is the best. The passes are repeated until none of them gets any further.
 *
 * With -o the best text is written whenever it was found, so that nothing is lost however the program ends;
 * without, it is printed at the end and after SIGINT, SIGTERM or SIGHUP. The command is a process group of
 * its own, with no input, and what it prints is thrown away. */
#include "reduce.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "format.h"
#include "messages.h"

extern char **environ;

static volatile sig_atomic_t interrupted;

static void note_signal(int signal)
{
    (void)signal;
    interrupted = 1;
}

struct reduction {
    const struct options *options;
    const char *name; /* of the input, as shown */
    char *folder;     /* owned: where candidates are written */
    char *candidate;  /* owned: their file */
    char *command;    /* owned: for the shell */
    struct text best;
    unsigned long runs; /* of the command */
};

/* ---- the command ---- */

/* Each {} in the command is the file; without one, the file is its last argument. */
static char *command_for(const char *command, const char *file)
{
    struct text text = {0};
    const char *at;
    bool named = false;
    for (; (at = strstr(command, "{}")); command = at + 2) {
        text_add(&text, command, (size_t)(at - command));
        text_print(&text, "'%s'", file);
        named = true;
    }
    text_put(&text, command);
    if (!named) text_print(&text, " '%s'", file);
    text_add(&text, "", 1);
    return text.at;
}

static bool spawn(char *command, pid_t *child)
{
    char shell[] = "/bin/sh", flag[] = "-c";
    char *arguments[] = {shell, flag, command, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    const int error = posix_spawn(child, shell, &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error) message_plain(PTX_FATAL, "%s: %s", shell, strerror(error));
    return error == 0;
}

static bool succeeds(struct reduction *r)
{
    pid_t child;
    int status = 0;
    if (!spawn(r->command, &child)) {
        interrupted = 1; /* it will not work the next time either */
        return false;
    }
    r->runs++;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        if (interrupted) kill(-child, SIGKILL);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && !interrupted;
}

/* ---- candidates ---- */

/* The verdict of `ptxas FILE` with the same options; NULL when there is no memory. */
static ptx_module *check(const struct reduction *r, const struct text *text, ptx_status *status)
{
    const struct options *options = r->options;
    const bool open = option_given(options, OPTION_EXTENSIBLE_WHOLE_PROGRAM);
    const ptx_module_options wanted = {.struct_size = sizeof wanted,
                                       .file_name = r->name,
                                       .arch = options->asked_arch,
                                       .profile = options->profile,
                                       .compilation = options->compile_only ? PTX_COMPILE_SEPARATE
                                                      : open                ? PTX_COMPILE_ANY
                                                                            : PTX_COMPILE_WHOLE,
                                       .check_only = 1};
    ptx_module *module = NULL;
    *status = ptx_module_create(&wanted, text->at, text->n, &module);
    return module;
}

static bool is_legal(const struct reduction *r, const struct text *text)
{
    ptx_status status;
    ptx_module_destroy(check(r, text, &status));
    return status == PTX_OK;
}

/* Takes the text over as the best one if the command says so; otherwise frees it. */
static bool try(struct reduction *r, struct text *text)
{
    const bool any = option_given(r->options, OPTION_REDUCE_ANY);
    const bool fine = !interrupted && text->n && (any || is_legal(r, text)) &&
                      text_write_file(r->candidate, text->at, text->n) && succeeds(r);
    if (!fine) {
        text_free(text);
        return false;
    }
    text_free(&r->best);
    r->best = *text;
    if (r->options->output && !text_write_file(r->options->output, r->best.at, r->best.n)) interrupted = 1;
    return true;
}

static void apply(const struct edit *edit, const struct document *document, uint32_t *at, struct text *out)
{
    if (!edit->length || edit->offset < *at) return; /* inside what is gone already */
    text_add(out, document->text + *at, edit->offset - *at);
    if (edit->number) text_print(out, "%lu", edit->number);
    if (edit->text) text_put(out, edit->text);
    *at = edit->offset + edit->length;
}

static int by_offset(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset ? 1 : x->length > y->length ? -1 : 1;
}

/* The document without the units that were taken away and those of from..to. */
static struct text without(const struct document *document, const struct units *units, const bool *taken,
                           size_t from, size_t to)
{
    struct edit *edits = must_grow(NULL, 2 * units->n * sizeof *edits);
    struct text out = {0};
    uint32_t at = 0;
    size_t n = 0;
    for (size_t i = 0; i < units->n; i++)
        for (int e = 0; e < 2 && (taken[i] || (i >= from && i < to)); e++) edits[n++] = units->at[i].edits[e];
    qsort(edits, n, sizeof *edits, by_offset);
    for (size_t i = 0; i < n; i++) apply(&edits[i], document, &at, &out);
    text_add(&out, document->text + at, document->size - at);
    free(edits);
    return out;
}

/* ---- passes ---- */

static void report(const struct reduction *r, const char *what)
{
    fprintf(stderr, "ptxas reduce: %zu bytes after %lu runs (%s)\n", r->best.n, r->runs, what);
    fflush(stderr);
}

static bool all_taken(const bool *taken, size_t from, size_t to)
{
    while (from < to && taken[from]) from++;
    return from == to;
}

/* One size of pieces; was something taken away? */
static bool take_pieces(struct reduction *r, const struct document *document, const struct units *units,
                        bool *taken, size_t piece, const char *what)
{
    bool progress = false;
    for (size_t to = units->n; to > 0 && !interrupted;) { /* uses stand behind what they use */
        const size_t from = to > piece ? to - piece : 0;
        struct text text = {0};
        if (!all_taken(taken, from, to)) {
            text = without(document, units, taken, from, to);
            if (text.n < r->best.n && try(r, &text)) {
                for (size_t i = from; i < to; i++) taken[i] = true;
                progress = true;
                report(r, what);
            } else {
                text_free(&text);
            }
        }
        to = from;
    }
    return progress;
}

static bool run_pass(struct reduction *r, const struct document *document, const struct units *units,
                     const char *what)
{
    bool *taken = must_grow(NULL, units->n), progress = false;
    memset(taken, 0, units->n);
    for (size_t piece = units->n; piece && !interrupted; piece = piece == 1 ? 0 : (piece + 1) / 2)
        progress |= take_pieces(r, document, units, taken, piece, what);
    free(taken);
    return progress;
}

static bool run_passes(struct reduction *r)
{
    struct units units = {0};
    bool progress = false, more = true;
    for (unsigned pass = 0; more && !interrupted; pass++) {
        struct document document;
        const char *what;
        if (!document_open(&document, r->name, r->best.at, r->best.n, r->options)) break;
        more = reduce_units(pass, &document, &units, &what);
        if (more) progress |= run_pass(r, &document, &units, what);
        document_close(&document);
    }
    free(units.at);
    return progress;
}

/* At last the layout of --format, if the command takes it. */
static void tidy(struct reduction *r)
{
    struct document document;
    struct text text = {0};
    if (interrupted || !document_open(&document, r->name, r->best.at, r->best.n, r->options)) return;
    if (ptx_syntax_complete(document.syntax)) {
        format_document(&document, &text);
        try(r, &text);
    }
    document_close(&document);
}

/* ---- the tool ---- */

static bool make_folder(struct reduction *r)
{
    const char *temporary = getenv("TMPDIR"), *base = strrchr(r->name, '/');
    struct text folder = {0}, file = {0};
    text_print(&folder, "%s/ptxas-reduce.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    text_add(&folder, "", 1);
    r->folder = folder.at;
    if (!mkdtemp(r->folder)) {
        message_plain(PTX_FATAL, "%s: %s", r->folder, strerror(errno));
        return false;
    }
    base = base ? base + 1 : r->name;
    text_print(&file, "%s/%s", r->folder, *base == '<' || strchr(base, '\'') ? "input.ptx" : base);
    text_add(&file, "", 1);
    r->candidate = file.at;
    r->command = command_for(r->options->values[OPTION_REDUCE].text, r->candidate);
    return true;
}

static void clean_up(struct reduction *r)
{
    if (r->candidate) {
        unlink(r->candidate);
        rmdir(r->folder);
    }
    free(r->candidate);
    free(r->command);
    free(r->folder);
    text_free(&r->best);
}

static void catch_signals(void)
{
    const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note_signal};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 3; i++) sigaction(signals[i], &action, NULL);
}

/* The text as it was given is the first candidate; it must be legal and pleasing itself. */
static bool begin(struct reduction *r, const char *given, size_t size)
{
    struct text copy = {0};
    text_add(&copy, given, size);
    if (!option_given(r->options, OPTION_REDUCE_ANY) && !is_legal(r, &copy)) {
        ptx_status status;
        const struct input input = {.name = r->name, .module = check(r, &copy, &status)};
        message_plain(PTX_FATAL, "%s is no legal PTX; --reduce-any reduces it all the same", r->name);
        messages_print(&input, input.module != NULL, r->options, NULL, 0);
        ptx_module_destroy(input.module);
        text_free(&copy);
        return false;
    }
    if (!try(r, &copy)) {
        message_plain(PTX_FATAL, "the command of --reduce does not succeed on %s itself", r->name);
        return false;
    }
    return true;
}

int reduce_run(const struct options *options)
{
    struct reduction r = {.options = options, .name = options->files.at[0]};
    size_t size = 0;
    if (options->files.n != 1) {
        message_plain(PTX_FATAL, "--reduce takes one file; %zu are given", options->files.n);
        return 255;
    }
    char *given = text_read_file(r.name, &size);
    if (!given) {
        message_plain(PTX_FATAL, "Input file '%s' could not be opened", r.name);
        return 255;
    }
    if (strcmp(r.name, "-") == 0) r.name = "<stdin>";
    catch_signals();
    bool fine = make_folder(&r) && begin(&r, given, size);
    if (fine) {
        while (run_passes(&r) && !interrupted) {
        }
        tidy(&r);
        report(&r, interrupted ? "interrupted" : "done");
        fine = text_write_file(options->output, r.best.at, r.best.n) && !interrupted;
    }
    clean_up(&r);
    free(given);
    return fine ? 0 : 255;
}
