/*
 * test_print.c - printing a module and reading the text back gives the same tree.
 *
 * Runs over everything accepted that is at hand: the PTX files of the tree and,
 * where it is present, the folder of accepted snippets beside the project. The
 * parser alone is asked, so the test does not depend on the instruction table.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "front/print.h"
#include "unit/parsed.h"
#include "unit/tree_equal.h"

struct text {
    char *s;
    size_t n, cap;
};

static int append(void *user, const char *s, size_t n)
{
    struct text *text = user;
    if (text->n + n + 1 > text->cap) {
        text->cap = (text->n + n + 1) * 2;
        text->s = realloc(text->s, text->cap);
    }
    memcpy(text->s + text->n, s, n);
    text->n += n;
    text->s[text->n] = 0;
    return 0;
}

/* 0 when the text survives printing; else says on stderr what does not. */
static int round_trip(const char *name, const char *text, size_t size)
{
    static struct parsed first, second;
    struct text printed = {0};
    int bad = 1;
    parse(&first, text, size);
    if (!first.tree.complete) {
        fprintf(stderr, "%s: %s\n", name, first.diags.list.at[0].message);
        px_arena_free(&first.arena);
        return 1;
    }
    px_print(&first.tree, NULL, append, &printed);
    parse(&second, printed.s, printed.n);
    if (!second.tree.complete)
        fprintf(stderr, "%s: the printed text does not parse: %s\n", name, second.diags.list.at[0].message);
    else if (tree_difference(&first.tree, &second.tree) != -1)
        fprintf(stderr, "%s: item %ld changed\n", name, tree_difference(&first.tree, &second.tree));
    else
        bad = 0;
    px_arena_free(&first.arena);
    px_arena_free(&second.arena);
    free(printed.s);
    return bad;
}

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(1, *size + 1);
    *size = fread(text, 1, *size, f);
    fclose(f);
    return text;
}

/* Round-trips every .ptx file of a folder; returns how many failed, counts them in *files. */
static int round_trip_folder(const char *folder, int *files)
{
    DIR *dir = opendir(folder);
    int bad = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[1024];
        size_t size = 0, n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 4, ".ptx") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        char *text = read_file(path, &size);
        assert_non_null(text);
        bad += round_trip(path, text, size);
        ++*files;
        free(text);
    }
    if (dir) closedir(dir);
    return bad;
}

static void test_committed_files(void **state)
{
    int files = 0;
    (void)state;
    assert_int_equal(round_trip_folder("samples", &files), 0);
    assert_int_equal(round_trip_folder("tests/bench", &files), 0);
    assert_int_equal(round_trip_folder("tests/print", &files), 0);
    assert_true(files >= 12);
}

/* PTX_FOLDER names a folder of further modules, all legal. */
static void test_given_folder(void **state)
{
    int files = 0;
    const char *folder = getenv("PTX_FOLDER");
    (void)state;
    int bad = folder ? round_trip_folder(folder, &files) : 0;
    if (!files) skip();
    assert_int_equal(bad, 0);
}

/* px_print_inst cuts to the buffer and always terminates. */
static void test_instruction_text(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.entry k() { @!%p ld.global.v2.u32 {a, _}, [b+-8]; }\n";
    static struct parsed p;
    char buf[64], small[8];
    (void)state;
    parse(&p, text, sizeof text - 1);
    assert_true(p.tree.complete);
    const struct px_inst *inst = &p.tree.items[0].u.func->body->list[0]->u.inst;
    px_print_inst(inst, buf, sizeof buf);
    assert_string_equal(buf, "@!%p ld.global.v2.u32 {a, _}, [b+-8];");
    px_print_inst(inst, small, sizeof small);
    assert_string_equal(small, "@!%p ld");
    px_arena_free(&p.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_committed_files),
        cmocka_unit_test(test_given_folder),
        cmocka_unit_test(test_instruction_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
