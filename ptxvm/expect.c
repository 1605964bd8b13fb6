/* expect.c - comparing what a kernel wrote with what it should have written.
 *
 * Without a tolerance an element is right when its bits are, except that any NaN matches any NaN (compare as
 * b32 to tell them apart). With --atol, --rtol or --ulp an element is right when any of the given ones allows
 * it. The expected values become an array of the buffer's type, so that all forms are compared alike. */
#include "expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fail.h"

struct wanted {
    struct array array; /* of the buffer's type and shape */
    size_t count;       /* elements that matter: all, or those before a last "..." */
};

/* ---- what is wanted ---- */

/* "1,2,3" or "1,2,..."; gives up when the number of values is wrong. */
static void parse_values(struct wanted *wanted, const char *text)
{
    const size_t length = strlen(text);
    const bool open = length >= 3 && strcmp(text + length - 3, "...") == 0;
    char *values = must_copy(text, open ? length - 3 : length);
    const long n = array_parse(&wanted->array, values);
    free(values);
    if (n < 0)
        fail(EXIT_USAGE, "--expect: '%s' holds something that is no %s", text, wanted->array.type->name);
    if ((size_t)n > wanted->array.count || (!open && (size_t)n != wanted->array.count))
        fail(EXIT_USAGE,
             "--expect: %ld values for a buffer of %zu; all:VALUE means all, a last ... leaves the rest open",
             n, wanted->array.count);
    wanted->count = (size_t)n;
}

static void make_wanted(struct wanted *wanted, const struct array *got, const char *what)
{
    wanted->array = array_copy(got);
    wanted->count = got->count;
    memset(wanted->array.data, 0, array_bytes(got));
    if (strncmp(what, "all:", 4) == 0) {
        if (!array_fill(&wanted->array, what + 4, 0))
            fail(EXIT_USAGE, "--expect: '%s' is no number", what + 4);
    } else if (file_format_of(what) != FORMAT_NONE || strcmp(what, "iota") == 0 ||
               strcmp(what, "zeros") == 0) {
        array_fill(&wanted->array, what, 0);
    } else {
        parse_values(wanted, what);
    }
}

/* ---- comparing ---- */

static bool is_right(const struct element_type *type, const void *got, const void *want,
                     const struct tolerance *allowed)
{
    if (memcmp(got, want, type->size) == 0) return true;
    if (element_is_nan(type, got) || element_is_nan(type, want))
        return element_is_nan(type, got) && element_is_nan(type, want);
    if (allowed->ulp && element_ulps(type, got, want) <= allowed->ulp) return true;
    if (allowed->atol == 0 && allowed->rtol == 0) return false;
    const double g = element_double(type, got), w = element_double(type, want);
    return g == w || fabs(g - w) <= allowed->atol + allowed->rtol * fabs(w);
}

/* "[3,17]" for element i. */
static void print_index(FILE *file, const struct array *array, size_t i)
{
    size_t below = array->count;
    fputc('[', file);
    for (unsigned d = 0; d < array->dimensions; d++) {
        below /= array->shape[d];
        fprintf(file, "%s%zu", d ? "," : "", i / below);
        i %= below;
    }
    fputc(']', file);
}

static void print_difference(const char *name, const struct array *got, const struct array *want, size_t i)
{
    char is[40], should[40];
    element_print(got->type, array_at(got, i), is);
    element_print(got->type, array_at(want, i), should);
    fprintf(stderr, "    %s", name);
    print_index(stderr, got, i);
    fprintf(stderr, " is %s, expected %s", is, should);
    if (got->type->kind == KIND_FLOAT &&
        element_ulps(got->type, array_at(got, i), array_at(want, i)) != UINT64_MAX)
        fprintf(stderr, " (%llu ulp)",
                (unsigned long long)element_ulps(got->type, array_at(got, i), array_at(want, i)));
    fputc('\n', stderr);
}

bool array_holds(const char *name, const struct array *got, const struct array *want, size_t from,
                 size_t count, const struct tolerance *allowed, const char *what)
{
    enum { SHOWN = 5 };
    size_t wrong = 0;
    for (size_t i = from; i < from + count; i++) {
        if (is_right(got->type, array_at(got, i), array_at(want, i), allowed)) continue;
        if (wrong == 0) fprintf(stderr, "ptxvm: %s is not as expected (%s)\n", name, what);
        if (wrong++ < SHOWN) print_difference(name, got, want, i);
    }
    if (wrong) fprintf(stderr, "    %zu of %zu elements differ\n", wrong, count);
    return wrong == 0;
}

bool expectations_hold(const struct arguments *arguments, const struct kernel *kernel,
                       const struct options *options)
{
    const struct tolerance allowed = {options->atol, options->rtol, options->ulp};
    bool all = true;
    for (unsigned i = 0; i < options->expects.n; i++) {
        const char *word = options->expects.at[i], *equals = strchr(word, '=');
        const struct buffer *buffer = arguments_find(arguments, kernel, word, (size_t)(equals - word));
        struct wanted wanted;
        make_wanted(&wanted, &buffer->after, equals + 1);
        all &=
            array_holds(buffer->name, &buffer->after, &wanted.array, 0, wanted.count, &allowed, equals + 1);
        array_free(&wanted.array);
    }
    return all;
}
