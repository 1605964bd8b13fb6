/*
 * round_trip.h - a module that is accepted, printed in canonical form and read back is the same module.
 *
 * The same means: accepted again, an equal tree, the same form for every instruction (the lists of forms are
 * compared in order), and printing it once more gives the same text.
 */
#ifndef ROUND_TRIP_H
#define ROUND_TRIP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "front/module.h"
#include "unit/tree_equal.h"

struct printed {
    char *s;
    size_t n, cap;
};

static int append_printed(void *user, const char *s, size_t n)
{
    struct printed *text = user;
    if (text->n + n + 1 > text->cap) {
        text->cap = (text->n + n + 1) * 2;
        text->s = realloc(text->s, text->cap);
        if (!text->s) abort();
    }
    memcpy(text->s + text->n, s, n);
    text->n += n;
    text->s[text->n] = 0;
    return 0;
}

static bool same_forms(const struct px_block *a, const struct px_block *b)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const struct px_stmt *x = a->list[i], *y = b->list[i];
        if (x->kind == PX_S_INST && x->u.inst.form != y->u.inst.form) return false;
        if (x->kind == PX_S_BLOCK && !same_forms(&x->u.block, &y->u.block)) return false;
    }
    return true;
}

static bool all_forms(const struct px_tree *a, const struct px_tree *b)
{
    for (uint32_t i = 0; i < a->nitems; i++)
        if (a->items[i].kind == PX_I_FUNC && a->items[i].u.func->body &&
            !same_forms(a->items[i].u.func->body, b->items[i].u.func->body))
            return false;
    return true;
}

/* Says on stderr what is wrong with the second module. */
static bool compare_modules(const char *name, const ptx_module *first, const ptx_module *second,
                            const struct printed *text)
{
    struct printed again = {0};
    bool good = false;
    ptx_module_print(second, append_printed, &again);
    const long item = tree_difference(&first->tree, &second->tree);
    if (item != -1)
        fprintf(stderr, "%s: item %ld changed\n", name, item);
    else if (!all_forms(&first->tree, &second->tree))
        fprintf(stderr, "%s: an instruction has another form\n", name);
    else if (again.n != text->n || memcmp(again.s, text->s, text->n) != 0)
        fprintf(stderr, "%s: printing twice gives another text\n", name);
    else
        good = true;
    free(again.s);
    return good;
}

/* 1: survives; 0: does not, and stderr says why; -1: the module is not accepted, so nothing is asked. */
static int round_trip_checked(const char *name, const char *arch, const char *text, size_t size)
{
    const ptx_module_options options = {.file_name = name, .arch = arch};
    ptx_module *first = NULL, *second = NULL;
    struct printed printed = {0};
    int verdict = -1;
    if (ptx_module_create(&options, text, size, &first) == PTX_OK) {
        verdict = 0;
        ptx_diagnostic d = {.struct_size = sizeof d, .message = "not printed"};
        if (ptx_module_print(first, append_printed, &printed) == PTX_OK &&
            ptx_module_create(&options, printed.s, printed.n, &second) == PTX_OK)
            verdict = compare_modules(name, first, second, &printed);
        else {
            if (second) ptx_module_diagnostic(second, 0, &d);
            fprintf(stderr, "%s: the printed text is refused, line %u: %s\n", name, d.line, d.message);
        }
    }
    ptx_module_destroy(first);
    ptx_module_destroy(second);
    free(printed.s);
    return verdict;
}

#endif
