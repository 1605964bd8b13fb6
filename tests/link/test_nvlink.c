/*
 * test_nvlink.c - links as nvlink 13.0 does: its verdicts and messages, frozen by freeze.py, against ours.
 *
 * Every program that nvlink takes must link, and of one that it refuses its first message must be among ours.
 * It is not asked about where it crashes. Where ours is meant to differ, known.txt says why; a difference
 * that is gone fails, too.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptxvm.h"
#include "suite.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
enum { LINES = 600, MODULES = 4, KINDS = 64 };

static const char *const file_names[MODULES] = {"a.o", "b.o", "c.o", "d.o"};

/* ---- files ---- */

struct text {
    char *bytes, *lines[LINES];
    unsigned n;
};

static void read_text(struct text *text, const char *name)
{
    char path[100];
    snprintf(path, sizeof path, "tests/link/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text->bytes = calloc(1, 1 << 20);
    assert_true(fread(text->bytes, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    text->n = 0;
    for (char *line = strtok(text->bytes, "\n"); line && text->n < LINES; line = strtok(NULL, "\n"))
        text->lines[text->n++] = line;
    assert_true(text->n < LINES);
}

/* What stands behind a first word; NULL when the line begins with another. */
static const char *after(const char *line, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

/* ---- modules ---- */

/* Declarations, and behind a bar what the module's kernel does, as freeze.py has it. */
static ptx_module *make_module(const char *kind, unsigned letter, unsigned name)
{
    char text[4096];
    const char *bar = strchr(kind, '|');
    int n = snprintf(text, sizeof text, HEAD "%.*s\n", (int)(bar ? bar - kind : (long)strlen(kind)), kind);
    if (bar)
        snprintf(text + n, sizeof text - (size_t)n,
                 ".visible .entry k%c(.param .u64 p) { .reg .pred %%q; .reg .b32 %%r<3>; .reg .b64 %%rd<3>;"
                 " ld.param.u64 %%rd1, [p]; %s ret; }\n",
                 'a' + letter, bar + 1);
    const ptx_module_options options = {
        .struct_size = sizeof options, .file_name = file_names[name], .compilation = PTX_COMPILE_SEPARATE};
    ptx_module *module;
    ptx_diagnostic d = {.struct_size = sizeof d, .message = ""};
    if (ptx_module_create(&options, text, strlen(text), &module) == PTX_OK) return module;
    ptx_module_diagnostic(module, 0, &d);
    fail_msg("%s, line %u: %s", kind, d.line, d.message);
    return NULL;
}

/* ---- verdicts ---- */

/* nvlink cannot name the first place of some; where it is no other module, only the rest is compared. */
static size_t compared_length(const char *said)
{
    const char *first = strstr(said, ", first "), *in = first ? strstr(first, " in '") : NULL;
    const bool other = in && in[5] >= 'a' && in[5] <= 'd' && strncmp(strstr(said, " in '"), in, 6) != 0;
    return first && !other ? (size_t)(first - said) : strlen(said);
}

/* NULL, or how the link differs from what nvlink said. */
static const char *difference(const ptx_module *const *modules, size_t n, const char *said)
{
    static char text[600];
    ptx_link *link;
    ptx_link_diagnostic d = {.struct_size = sizeof d, .message = "ok"};
    if (!strcmp(said, "crash") || !strncmp(said, "Internal error", 14)) return NULL;
    const ptx_status status = ptx_link_create(modules, n, NULL, &link);
    bool same = !strcmp(said, "ok") && status == PTX_OK;
    for (size_t i = 0; i < ptx_link_diagnostic_count(link); i++) {
        assert_int_equal(ptx_link_diagnostic_get(link, i, &d), PTX_OK);
        same |= !strncmp(d.message, said, compared_length(said));
    }
    snprintf(text, sizeof text, "nvlink says '%s', ours '%s'", said, d.message);
    ptx_link_destroy(link);
    return same ? NULL : text;
}

struct known {
    struct text text;
    bool met[LINES];
};

static struct known known;

/* Does the rest of a line begin with "KIND with KIND:"? Each KIND begins what it stands for, and "*" is any.
 */
static bool fits(const char *rest, const char *kind, const char *end)
{
    const size_t length = (size_t)(strstr(rest, end) - rest);
    return (length == 1 && *rest == '*') || !strncmp(rest, kind, length);
}

/* known.txt holds lines "TABLE: WHAT: REASON", WHAT a case or two kinds; is this one of them? */
static bool is_known(const char *table, const char *first, const char *second)
{
    for (unsigned i = 0; i < known.text.n; i++) {
        const char *line = known.text.lines[i] + strlen(table) + 2;
        if (strncmp(known.text.lines[i], table, strlen(table)) != 0) continue;
        const char *with = second ? strstr(line, " with ") : NULL;
        if (!fits(line, first, with ? " with " : ": ") ||
            (second && (!with || !fits(with + 6, second, ": "))))
            continue;
        return known.met[i] = true;
    }
    return false;
}

static unsigned check(const char *table, const char *first, const char *second, const char *wrong)
{
    if (!wrong || is_known(table, first, second)) return 0;
    print_error("%s: %s%s%s: %s\n", table, first, second ? " with " : "", second ? second : "", wrong);
    return 1;
}
/* Each known difference of a table was met. */
static unsigned check_known(const char *table)
{
    unsigned bad = 0;
    for (unsigned i = 0; i < known.text.n; i++) {
        if (strncmp(known.text.lines[i], table, strlen(table)) != 0 || known.met[i]) continue;
        print_error("no difference any more: %s\n", known.text.lines[i]);
        bad++;
    }
    return bad;
}

/* ---- the tables ---- */

static void check_table(const char *name)
{
    struct text text;
    const char *said[128] = {0}, *rows[KINDS], *kinds[KINDS], *line;
    ptx_module *modules[KINDS][2];
    unsigned n = 0, nrows = 0, bad = 0;
    read_text(&text, name);
    for (unsigned i = 0; i < text.n; i++) {
        if ((line = after(text.lines[i], "said"))) said[(unsigned char)*line] = line + 2;
        if ((line = after(text.lines[i], "row"))) rows[nrows++] = line;
        if (!(line = after(text.lines[i], "module"))) continue;
        assert_true(n < KINDS);
        kinds[n] = line;
        modules[n][0] = make_module(line, 0, 0);
        modules[n][1] = make_module(line, 1, 1);
        n++;
    }
    assert_int_equal(n, nrows);
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = 0; b < n; b++) {
            const ptx_module *const pair[] = {modules[a][0], modules[b][1]};
            const char *wrong = difference(pair, 2, said[(unsigned char)rows[a][b]]);
            bad += check(name, kinds[a], kinds[b], wrong);
        }
    for (unsigned i = 0; i < n; i++) {
        ptx_module_destroy(modules[i][0]);
        ptx_module_destroy(modules[i][1]);
    }
    free(text.bytes);
    assert_int_equal(bad + check_known(name), 0);
}

TEST(variables)
{
    check_table("variables.txt");
}

TEST(functions)
{
    check_table("functions.txt");
}

TEST(cases)
{
    struct text text;
    const char *title = "", *line;
    ptx_module *modules[MODULES];
    unsigned n = 0, bad = 0, count = 0;
    read_text(&text, "cases.txt");
    for (unsigned i = 0; i < text.n; i++) {
        if ((line = after(text.lines[i], "case"))) title = line;
        if ((line = after(text.lines[i], "module"))) {
            const bool twice = !strncmp(title, "one module twice", 16);
            modules[n] = make_module(line, twice ? 0 : n, n);
            n++;
        }
        if (!(line = after(text.lines[i], "said"))) continue;
        bad += check("cases.txt", title, NULL, difference((const ptx_module *const *)modules, n, line));
        while (n) ptx_module_destroy(modules[--n]);
        count++;
    }
    free(text.bytes);
    assert_true(count > 70);
    assert_int_equal(bad + check_known("cases.txt"), 0);
}

int main(void)
{
    read_text(&known.text, "known.txt");
    const int failed = run_suite();
    free(known.text.bytes);
    return failed;
}
