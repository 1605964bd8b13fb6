/* testmode.c - running files whose first lines say "// PTXVM: OPTIONS", and run files.
 *
 * Each such line is one run. "// PTXVM: run OPTIONS" runs the statements of a run file (script.h) that stand
 * behind "//>" in the lines below it, with the file as the module. A file that ends in .run is run as
 * "# PTXVM: OPTIONS" says, or once without options. A run is a child process, so that a crash, a hang or an
 * exit is just a verdict; what it prints is kept and shown only when the verdict is bad. The words that say
 * what must come out are taken off the line here, the others are the command line of the run. In a word, %dir
 * is the folder of the test file and %bin the folder of ptxvm. */
#include "testmode.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "array.h"
#include "child.h"
#include "explore.h"
#include "fail.h"
#include "run.h"
#include "script.h"

struct totals {
    unsigned passed, failed, skipped;
};

struct test {
    const char *program, *file;
    unsigned number;      /* of the run in its file, from 1 */
    struct words command; /* of the run; owned words */
    int exit_code;        /* wanted; -1: as the other expectations imply */
    char *fault, *error;  /* wanted, or NULL; owned */
    char *script;         /* text of a run file; NULL: the command runs a kernel; owned */
    bool is_module;       /* ... of which the file is the module */
    struct words output;  /* wanted parts of the output; owned words */
};

/* ---- reading a line ---- */

/* Appends `c`, or what %dir and %bin at `*at` stand for. */
static char *append(char *word, const char **at, const struct test *test)
{
    const bool dir = strncmp(*at, "%dir", 4) == 0, bin = strncmp(*at, "%bin", 4) == 0;
    const char *path = dir ? test->file : test->program, *slash = strrchr(path, '/');
    char *longer;
    if (!dir && !bin) {
        longer = must_print("%s%c", word, **at);
    } else {
        longer = slash ? must_print("%s%.*s", word, (int)(slash - path), path) : must_print("%s.", word);
        *at += 3;
    }
    ++*at;
    free(word);
    return longer;
}

/* The next word as a shell splits it ('...', "...", and \n \t \\ \" in double quotes); NULL at the end. */
static char *next_word(const char **at, const struct test *test)
{
    char *word, quote = 0;
    *at += strspn(*at, " \t\r");
    if (!**at) return NULL;
    for (word = must_copy("", 0); **at && (quote || !strchr(" \t\r", **at));) {
        if (**at == quote || (!quote && (**at == '\'' || **at == '"'))) {
            quote = quote ? 0 : **at;
            ++*at;
        } else if (**at == '\\' && quote == '"' && (*at)[1]) {
            const char escaped[] = {(*at)[1] == 'n' ? '\n' : (*at)[1] == 't' ? '\t' : (*at)[1], 0};
            char *longer = must_print("%s%s", word, escaped);
            free(word);
            word = longer;
            *at += 2;
        } else {
            word = append(word, at, test);
        }
    }
    return word;
}

/* "--name value" or "--name=value", where `word` is the first: the value, owned by the caller; else NULL. */
static char *value_of(const char *name, const char *word, const char **at, const struct test *test)
{
    const size_t length = strlen(name);
    if (strncmp(word, name, length) != 0 || (word[length] && word[length] != '=')) return NULL;
    char *value =
        word[length] ? must_copy(word + length + 1, strlen(word + length + 1)) : next_word(at, test);
    return value ? value : must_copy("", 0);
}

/* Stores an expectation; false when the word is none. */
static bool parse_expectation(struct test *test, const char *word, const char **at)
{
    char *value;
    if ((value = value_of("--expect-exit", word, at, test))) {
        test->exit_code = atoi(value);
        free(value);
    } else if ((value = value_of("--expect-fault", word, at, test))) {
        free(test->fault);
        test->fault = value;
    } else if ((value = value_of("--expect-error", word, at, test))) {
        free(test->error);
        test->error = value;
    } else if ((value = value_of("--expect-output", word, at, test))) {
        words_add(&test->output, value);
    } else {
        return false;
    }
    return true;
}

static void parse_line(struct test *test, const char *line)
{
    char *word;
    test->exit_code = -1;
    words_add(&test->command, must_copy(test->program, strlen(test->program)));
    while ((word = next_word(&line, test)) != NULL) {
        if (test->script && test->is_module && test->command.n == 1 && strcmp(word, "run") == 0)
            free(word);
        else if (parse_expectation(test, word, &line))
            free(word);
        else
            words_add(&test->command, word);
    }
    words_add(&test->command, must_copy(test->file, strlen(test->file)));
}

static void test_free(struct test *test)
{
    for (unsigned i = 0; i < test->command.n; i++) free((char *)test->command.at[i]);
    for (unsigned i = 0; i < test->output.n; i++) free((char *)test->output.at[i]);
    free(test->command.at);
    free(test->output.at);
    free(test->fault);
    free(test->error);
    free(test->script);
}

/* ---- one run ---- */

static int run_words(const void *user)
{
    const struct test *test = user;
    const struct words *command = &test->command;
    struct options options;
    options_parse(&options, (int)command->n, (char **)command->at);
    if (options.timeout_ms == 0) options.timeout_ms = 60000;
    const int code = test->script
                         ? script_run(test->file, test->script, test->is_module ? test->file : NULL, &options)
                     : options.explore ? explore(&options, (int)command->n, (char **)command->at)
                                       : run(&options);
    options_free(&options);
    return code;
}

/* What is wrong, or NULL. Owned by the caller. */
static char *judge(const struct test *test, int status, const char *output)
{
    const bool refused = test->error || (test->fault && strcmp(test->fault, "801") == 0);
    const int implied = refused ? EXIT_ASSEMBLY : test->fault ? EXIT_FAULT : EXIT_FINE;
    const int wanted = test->exit_code >= 0 ? test->exit_code : implied;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (WIFSIGNALED(status))
        return must_print("killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (code != wanted) return must_print("exit code %d, expected %d", code, wanted);
    if (test->fault) {
        char *number = must_print("(%s)", test->fault);
        const bool found = strstr(output, number) != NULL;
        free(number);
        if (!found) return must_print("no fault %s", test->fault);
    }
    if (test->error && !strstr(output, test->error)) return must_print("no message '%s'", test->error);
    for (unsigned i = 0; i < test->output.n; i++)
        if (!strstr(output, test->output.at[i]))
            return must_print("the output lacks '%s'", test->output.at[i]);
    return NULL;
}

static void print_indented(const char *text)
{
    enum { MOST_LINES = 40 };
    for (int line = 0; *text && line < MOST_LINES; line++) {
        const size_t length = strcspn(text, "\n");
        printf("    %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void run_test(const struct test *test, struct totals *totals)
{
    char *output, *wrong;
    char *name =
        test->number > 1 ? must_print("%s (%u)", test->file, test->number) : must_print("%s", test->file);
    const int status = child_run(run_words, test, &output);
    wrong = judge(test, status, output);
    printf("%s %s%s%s\n", wrong ? "FAIL" : "PASS", name, wrong ? ": " : "", wrong ? wrong : "");
    if (wrong) {
        print_indented(output);
        totals->failed++;
    } else {
        totals->passed++;
    }
    free(name);
    free(output);
    free(wrong);
}

/* ---- files and folders ---- */

/* Appends the options that --test was given beside its files. */
static void add_common(struct test *test, const struct words *common)
{
    for (unsigned i = 1; i < common->n; i++)
        words_add(&test->command, must_copy(common->at[i], strlen(common->at[i])));
}

/* The statements behind "//>" at `at` and below, as a text whose lines and columns are those of the file. */
static char *statements(const char *text, const char *at)
{
    char *script = must_copy(text, strlen(text));
    for (char *c = script; *c; c++)
        if (*c != '\n') *c = ' ';
    for (const char *line = at; strncmp(line, "//", 2) == 0 && strncmp(line, "// PTXVM:", 9) != 0;) {
        const size_t length = strcspn(line, "\n");
        if (strncmp(line, "//>", 3) == 0) memcpy(script + (line - text) + 3, line + 3, length - 3);
        line += length + (line[length] == '\n');
    }
    return script;
}

static bool begins_with_run(const char *options)
{
    options += strspn(options, " \t");
    return strncmp(options, "run", 3) == 0 && strchr(" \t\r\n", options[3]);
}

/* Runs a run file once for each "# PTXVM:" in its first lines, or once. */
static void run_script(const char *file, const char *text, const struct words *common, struct totals *totals)
{
    static const char mark[] = "# PTXVM:";
    unsigned number = 0;
    for (const char *line = text; *line == '#' || number == 0;) {
        const size_t length = strcspn(line, "\n");
        const bool marked = strncmp(line, mark, sizeof mark - 1) == 0;
        const char *next = line + length + (line[length] == '\n');
        if (marked || *line != '#') {
            const size_t skipped = marked ? sizeof mark - 1 : 0;
            number++;
            struct test test = {.program = common->at[0], .file = file, .number = number};
            char *options = must_copy(line + skipped, marked ? length - skipped : 0);
            test.script = must_copy(text, strlen(text));
            parse_line(&test, options);
            add_common(&test, common);
            run_test(&test, totals);
            test_free(&test);
            free(options);
        }
        if (*line != '#') break;
        line = next;
    }
}

/* Runs each "// PTXVM:" among the comment lines that open the file; how many there were. */
static unsigned run_lines(const char *file, char *text, const struct words *common, struct totals *totals)
{
    static const char mark[] = "// PTXVM:";
    unsigned number = 0;
    char *whole = must_copy(text, strlen(text)), *begin = text;
    for (char *line; (line = strsep(&text, "\n")) != NULL;) {
        if (*line && *line != '\r' && strncmp(line, "//", 2) != 0) break;
        if (strncmp(line, mark, sizeof mark - 1) != 0) continue;
        number++;
        struct test test = {.program = common->at[0], .file = file, .number = number};
        if (begins_with_run(line + sizeof mark - 1) && text) {
            test.script = statements(whole, whole + (text - begin));
            test.is_module = true;
        }
        parse_line(&test, line + sizeof mark - 1);
        add_common(&test, common);
        run_test(&test, totals);
        test_free(&test);
    }
    free(whole);
    return number;
}

static bool is_run_file(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".run") == 0;
}

static void run_file(const char *file, bool asked_for, const struct words *common, struct totals *totals)
{
    size_t size;
    char *text = file_text(file, &size);
    if (!text) {
        printf("FAIL %s: %s\n", file, strerror(errno));
        totals->failed++;
        return;
    }
    if (is_run_file(file)) {
        run_script(file, text, common, totals);
    } else if (run_lines(file, text, common, totals) == 0 && asked_for) {
        printf("SKIP %s: no line says // PTXVM:\n", file);
        totals->skipped++;
    }
    free(text);
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void run_path(const char *path, bool asked_for, const struct words *common, struct totals *totals)
{
    struct stat facts;
    struct dirent **entries;
    const size_t length = strlen(path);
    if (stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode)) {
        if (asked_for || (length > 4 && strcmp(path + length - 4, ".ptx") == 0) || is_run_file(path))
            run_file(path, asked_for, common, totals);
        return;
    }
    const int n = scandir(path, &entries, visible, alphasort);
    for (int i = 0; i < n; i++) {
        char *inside = must_print("%s/%s", path, entries[i]->d_name);
        run_path(inside, false, common, totals);
        free(inside);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
}

/* A folder that was asked for and holds no test is a mistake: nothing was tested. */
static void run_asked(const char *path, const struct words *common, struct totals *totals)
{
    const unsigned before = totals->passed + totals->failed + totals->skipped;
    run_path(path, true, common, totals);
    if (totals->passed + totals->failed + totals->skipped != before) return;
    printf("FAIL %s: no .ptx in it has a line // PTXVM: among its first comments, and no .run\n", path);
    totals->failed++;
}

/* argv without --test and the files. */
static struct words common_words(const struct options *options, int argc, char **argv)
{
    struct words common = {0};
    for (int i = 0; i < argc; i++) {
        bool is_file = strcmp(argv[i], "--test") == 0;
        for (unsigned f = 0; f < options->files.n; f++) is_file |= options->files.at[f] == argv[i];
        if (!is_file) words_add(&common, argv[i]);
    }
    return common;
}

int tests_run(const struct options *options, int argc, char **argv)
{
    struct totals totals = {0};
    struct words common = common_words(options, argc, argv);
    for (unsigned i = 0; i < options->files.n; i++) run_asked(options->files.at[i], &common, &totals);
    printf("%u passed, %u failed, %u skipped\n", totals.passed, totals.failed, totals.skipped);
    free(common.at);
    return totals.failed ? EXIT_EXPECTATION : EXIT_FINE;
}
