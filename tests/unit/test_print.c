/*
 * test_print.c - printing a module and reading the text back gives the same module.
 *
 * Over everything accepted that is at hand: the PTX files of the tree here, the
 * frozen verdicts in tests/verdicts/test_verdicts.c. A few folders also go through
 * the parser alone, so that one part does not depend on the instruction table.
 */
#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include "front/print.h"
#include "suite.h"
#include "unit/parsed.h"
#include "unit/round_trip.h"

/* 0 when the text survives printing; else says on stderr what does not. */
static int round_trip(const char *name, const char *text, size_t size)
{
    static struct parsed first, second;
    struct printed printed = {0};
    int bad = 1;
    parse(&first, text, size);
    if (!first.tree.complete) {
        fprintf(stderr, "%s: %s\n", name, first.diags.list.at[0].message);
        px_arena_free(&first.arena);
        return 1;
    }
    px_print(&first.tree, NULL, append_printed, &printed);
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

/* What is asked of each file: 0 when all is well, 1 when not, -1 when the file does not count. */
typedef int ask(const char *name, const char *text, size_t size);

static int ask_checked(const char *name, const char *text, size_t size)
{
    const int verdict = round_trip_checked(name, NULL, text, size);
    return verdict < 0 ? -1 : !verdict;
}

/* Asks about every .ptx file of a folder; returns how many failed, counts them in *files. */
static int each_file(const char *folder, ask *question, int *files)
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
        const int answer = question(path, text, size);
        bad += answer == 1;
        *files += answer >= 0;
        free(text);
    }
    if (dir) closedir(dir);
    return bad;
}

TEST(test_structure)
{
    static const char *const folders[] = {"samples", "tests/bench", "tests/print"};
    int files = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(each_file(folders[i], round_trip, &files), 0);
    assert_true(files >= 12);
}

TEST(test_checked)
{
    static const char *const folders[] = {"samples",        "tests/api/ptx",  "tests/asm",
                                          "tests/bench",    "tests/cli",      "tests/exec",
                                          "tests/exec/bad", "tests/nvcc/ptx", "tests/print"};
    int files = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(each_file(folders[i], ask_checked, &files), 0);
    print_message("%d accepted modules\n", files);
    assert_true(files >= 60);
}

/* PTX_FOLDER names a folder of further modules. */
TEST(test_given_folder)
{
    int files = 0;
    const char *folder = getenv("PTX_FOLDER");
    int bad = folder ? each_file(folder, ask_checked, &files) : 0;
    if (!files) skip();
    print_message("%d accepted modules\n", files);
    assert_int_equal(bad, 0);
}

/* px_print_inst cuts to the buffer and always terminates. */
TEST(test_instruction_text)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.entry k() { @!%p ld.global.v2.u32 {a, _}, [b+-8]; }\n";
    static struct parsed p;
    char buf[64], small[8];
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
    return run_suite();
}
