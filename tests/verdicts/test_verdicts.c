/*
 * test_verdicts.c - the checker against the frozen verdicts of NVIDIA's ptxas.
 *
 * Every module of tests/verdicts/NAME.txt is read and checked in this process; its
 * verdict and the line of its first error must be the recorded ones. One test
 * function a file. known.tsv names the cases where we are known to differ and why;
 * a row of it that agrees fails the last test, so the list stays true. frozen.py describes the
 * format. With --disagreements the program prints all differences as rows for
 * known.tsv instead; with --texts those of the message texts. What is accepted is printed and read back
 * too (unit/round_trip.h).
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "ptx_tools.h"
#include "unit/round_trip.h"

enum { MAX_FILES = 32, MAX_KNOWN = 4096 };

struct span {
    const char *start;
    size_t size;
};

struct expected {
    char id[16], arch[16];
    bool accept;
    unsigned line;
    struct span message;
};

struct found {
    bool accept;
    unsigned line;
    char message[512];
};

struct known {
    char id[16], what[16];
    bool used, agrees;
};

static struct known known[MAX_KNOWN];
static size_t known_count;

struct tally {
    unsigned cases, verdict, line, text, known_bad, print;
};

static enum { TESTING, LIST_DIFFERENCES, LIST_TEXTS } mode;

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    const long n = ftell(f);
    rewind(f);
    char *text = malloc((size_t)n + 1);
    if (!text || fread(text, 1, (size_t)n, f) != (size_t)n) abort();
    text[n] = 0;
    *size = (size_t)n;
    fclose(f);
    return text;
}

static void read_known(const char *path)
{
    size_t size;
    char *text = read_file(path, &size);
    if (!text) return;
    for (char *line = text; *line; line = strchr(line, '\n') + 1) {
        struct known *k = &known[known_count];
        if (*line != '#' && sscanf(line, "%15[^\t]\t%15[^\t\n]", k->id, k->what) == 2 &&
            ++known_count == MAX_KNOWN)
            abort();
        if (!strchr(line, '\n')) break;
    }
    free(text);
}

static struct known *find_known(const char *id)
{
    for (size_t i = 0; i < known_count; i++)
        if (strcmp(known[i].id, id) == 0) return &known[i];
    return NULL;
}

static struct found check(const struct expected *e, const char *text, size_t size)
{
    const ptx_module_options options = {
        .file_name = "case", .arch = e->arch, .compilation = PTX_COMPILE_SEPARATE};
    struct found found = {0};
    ptx_module *module = NULL;
    const ptx_status status = ptx_module_create(&options, text, size, &module);
    found.accept = status == PTX_OK;
    if (status != PTX_OK && status != PTX_ERROR_ASSEMBLY)
        snprintf(found.message, sizeof found.message, "status %s", ptx_status_name(status));
    for (size_t i = 0; module && i < ptx_module_diagnostic_count(module); i++) {
        ptx_diagnostic d = {sizeof d};
        if (ptx_module_diagnostic(module, i, &d) != PTX_OK || d.severity < PTX_ERROR) continue;
        found.line = ptx_module_told_line(module, i, &d.file);
        snprintf(found.message, sizeof found.message, "%s", d.message);
        break;
    }
    ptx_module_destroy(module);
    return found;
}

static void complain(const struct expected *e, const struct found *f, const char *what)
{
    if (mode != TESTING) {
        printf("%s\t%s\tptxas: %s line %u %.*s; here: %s line %u %s\n", e->id, what,
               e->accept ? "accepts" : "refuses", e->line, (int)e->message.size, e->message.start,
               f->accept ? "accepts" : "refuses", f->line, f->message);
        return;
    }
    print_error("%s (-arch=%s): wrong %s: ptxas %s line %u %.*s; here %s line %u %s\n", e->id, e->arch, what,
                e->accept ? "accepts" : "refuses", e->line, (int)e->message.size, e->message.start,
                f->accept ? "accepts" : "refuses", f->line, f->message);
}

static void judge(const struct expected *e, const struct found *f, struct tally *tally)
{
    const bool same_text =
        strlen(f->message) == e->message.size && !memcmp(f->message, e->message.start, e->message.size);
    const char *wrong = f->accept != e->accept ? "verdict" : !e->accept && f->line != e->line ? "line" : NULL;
    struct known *k = find_known(e->id);
    tally->cases++;
    if (k) k->used = true;
    if (!wrong && !e->accept && !same_text) {
        tally->text++;
        if (mode == LIST_TEXTS) complain(e, f, "text");
    }
    if (!wrong && k && mode == TESTING) {
        k->agrees = true;
    } else if (wrong && k && strcmp(k->what, wrong) == 0 && mode == TESTING) {
        tally->known_bad++;
    } else if (wrong) {
        tally->verdict += *wrong == 'v';
        tally->line += *wrong == 'l';
        if (mode != LIST_TEXTS) complain(e, f, wrong);
    }
}

static bool is_mark(const char *line)
{
    return !strncmp(line, "---- ", 5) || !strncmp(line, "==== ", 5);
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

/* The lines up to the next mark. */
static struct span section(const char **at)
{
    struct span s = {*at, 0};
    while (**at && !is_mark(*at)) *at = next_line(*at);
    s.size = (size_t)(*at - s.start);
    return s;
}

static bool read_head(const char *line, struct expected *e)
{
    char verdict[8], severity[8];
    int used = 0;
    if (sscanf(line, "==== %15s %15s %*s %7s%n", e->id, e->arch, verdict, &used) < 3) return false;
    e->accept = strcmp(verdict, "accept") == 0;
    e->line = 0;
    e->message = (struct span){line + used, 0};
    if (e->accept) return true;
    const char *rest = line + used;
    if (sscanf(rest, " %u %7s%n", &e->line, severity, &used) < 2) return false;
    e->message.start = rest + used + 1;
    e->message.size = (size_t)(next_line(line) - 1 - e->message.start);
    return true;
}

static void add(char *text, size_t *size, struct span part)
{
    memcpy(text + *size, part.start, part.size);
    *size += part.size;
}

/* Checks every case of one file. */
static struct tally run_file(const char *path)
{
    struct tally tally = {0};
    size_t size;
    char *all = read_file(path, &size), *text = malloc(size + 1);
    struct span prefix = {"", 0}, suffix = {"", 0};
    const char *at = all;
    assert_non_null(all);
    assert_non_null(text);
    section(&at);
    while (*at) {
        const char *mark = at;
        struct expected e;
        at = next_line(at);
        const struct span body = section(&at);
        if (!strncmp(mark, "---- prefix", 11)) {
            prefix = body;
            suffix.size = 0;
        } else if (!strncmp(mark, "---- suffix", 11)) {
            suffix = body;
        } else if (read_head(mark, &e)) {
            size_t n = 0;
            add(text, &n, prefix);
            add(text, &n, body);
            add(text, &n, suffix);
            text[n] = 0;
            const struct found found = check(&e, text, n);
            judge(&e, &found, &tally);
            if (mode == TESTING && found.accept) tally.print += !round_trip_checked(e.id, e.arch, text, n);
        } else {
            fail_msg("%s: bad head: %.60s", path, mark);
        }
    }
    free(text);
    free(all);
    return tally;
}

static void test_file(void **state)
{
    const struct tally t = run_file(*state);
    print_message("%s: %u cases, %u known to differ, %u with another text\n", (const char *)*state, t.cases,
                  t.known_bad, t.text);
    assert_true(t.cases > 0);
    if (t.print) fail_msg("%u accepted modules do not survive printing", t.print);
    if (t.verdict + t.line) fail_msg("%u wrong verdicts, %u wrong lines", t.verdict, t.line);
}

/* Runs last: every row of known.tsv must name a case, and one that still differs. */
static void test_known_rows(void **state)
{
    unsigned bad = 0;
    (void)state;
    for (size_t i = 0; i < known_count; i++) {
        if (known[i].used && !known[i].agrees) continue;
        print_error("%s: %s\n", known[i].id, known[i].used ? "agrees now" : "is no case");
        bad++;
    }
    if (bad)
        fail_msg("%u rows of known.tsv to take out: tests/verdicts/known.py build/tests/test_verdicts", bad);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Paths of the verdict files; the caller frees each. */
static size_t find_files(const char *folder, char *paths[MAX_FILES])
{
    size_t n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d)) && n < MAX_FILES;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".txt") != 0) continue;
        const size_t size = strlen(folder) + strlen(entry->d_name) + 2;
        paths[n] = malloc(size);
        if (!paths[n]) abort();
        snprintf(paths[n++], size, "%s/%s", folder, entry->d_name);
    }
    if (d) closedir(d);
    qsort(paths, n, sizeof *paths, by_name);
    return n;
}

static void free_paths(char *paths[], size_t n)
{
    for (size_t i = 0; i < n; i++) free(paths[i]);
}

static int list(char *const paths[], size_t n)
{
    unsigned cases = 0, verdict = 0, line = 0, text = 0;
    for (size_t i = 0; i < n; i++) {
        const struct tally t = run_file(paths[i]);
        cases += t.cases;
        verdict += t.verdict;
        line += t.line;
        text += t.text;
    }
    fprintf(stderr, "%u cases: %u wrong verdicts, %u wrong lines, %u other texts\n", cases, verdict, line,
            text);
    return 0;
}

int main(int argc, char **argv)
{
    char *paths[MAX_FILES];
    const size_t n = find_files("tests/verdicts", paths);
    if (argc > 1) mode = strcmp(argv[1], "--texts") == 0 ? LIST_TEXTS : LIST_DIFFERENCES;
    if (mode != TESTING) {
        const int code = list(paths, n);
        free_paths(paths, n);
        return code;
    }
    read_known("tests/verdicts/known.tsv");
    struct CMUnitTest tests[MAX_FILES + 1];
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){strrchr(paths[i], '/') + 1, test_file, NULL, NULL, paths[i]};
    tests[n] = (struct CMUnitTest){"known_rows", test_known_rows, NULL, NULL, NULL};
    const int failed = _cmocka_run_group_tests("verdicts", tests, n + 1, NULL, NULL);
    free_paths(paths, n);
    return failed;
}
