/* report.c - buffers and counters, for people.
 *
 * A buffer that the run changed is told in one line unless something is printed in full. A run that leaves no
 * trace says so: the usual reason is an argument, or a guard that no thread passes. */
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include "fail.h"

enum { SUMMARY_ELEMENTS = 8 };

/* ---- statistics ---- */

static uint64_t fnv1a(const unsigned char *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

struct statistics array_statistics(const struct array *array)
{
    struct statistics s = {.hash = fnv1a(array->data, array_bytes(array))};
    for (size_t i = 0; i < array->count; i++) {
        const unsigned char *element = array_at(array, i);
        if (element_is_nan(array->type, element)) {
            s.nans++;
            continue;
        }
        if (!s.any || element_less(array->type, element, s.min)) memcpy(s.min, element, array->type->size);
        if (!s.any || element_less(array->type, s.max, element)) memcpy(s.max, element, array->type->size);
        s.any = true;
    }
    return s;
}

/* ---- one buffer ---- */

static void print_elements(const struct array *array, size_t from, size_t to, const char *between)
{
    char text[40];
    for (size_t i = from; i < to; i++) {
        element_print(array->type, array_at(array, i), text);
        printf("%s%s", i > from ? between : "", text);
    }
}

static void summarise(const struct buffer *buffer)
{
    const struct array *array = &buffer->after;
    const struct statistics s = array_statistics(array);
    const size_t shown = array->count < SUMMARY_ELEMENTS ? array->count : SUMMARY_ELEMENTS;
    char type[160], min[40] = "-", max[40] = "-";
    array_describe(array, type, sizeof type);
    if (s.any) {
        element_print(array->type, s.min, min);
        element_print(array->type, s.max, max);
    }
    printf("%s %s: ", buffer->name, type);
    print_elements(array, 0, shown, " ");
    printf("%s  min %s max %s", shown < array->count ? " ..." : "", min, max);
    if (array->type->kind == KIND_FLOAT) printf(" nan %zu", s.nans);
    printf(" hash %016llx\n", (unsigned long long)s.hash);
}

size_t print_word(const char *word, size_t *count)
{
    const char *colon = strrchr(word, ':');
    char *end;
    *count = SIZE_MAX;
    if (!colon) return strlen(word);
    *count = strtoull(colon + 1, &end, 10);
    if (end == colon + 1 || *end || colon[1] == '-')
        fail(EXIT_USAGE, "--print: '%s' is not NAME or NAME:N", word);
    return (size_t)(colon - word);
}

/* In full: a row of the last dimension a line. */
void report_array(const char *name, const struct array *array, size_t count)
{
    const size_t columns = array->dimensions && array->count ? array->shape[array->dimensions - 1] : 1;
    char type[160];
    if (count > array->count) count = array->count;
    array_describe(array, type, sizeof type);
    printf("%s %s%s", name, type, array->dimensions > 1 ? ":\n" : ": ");
    for (size_t i = 0; i < count; i += columns) {
        print_elements(array, i, i + columns < count ? i + columns : count, " ");
        putchar('\n');
    }
    if (count == 0) putchar('\n');
}

void report_buffers(const struct outcome *outcome, const struct arguments *arguments,
                    const struct kernel *kernel, const struct options *options)
{
    bool any = false;
    for (unsigned i = 0; i < options->prints.n; i++) {
        size_t count;
        const size_t length = print_word(options->prints.at[i], &count);
        const struct buffer *buffer = arguments_find(arguments, kernel, options->prints.at[i], length);
        report_array(buffer->name, &buffer->after, count);
    }
    if (options->prints.n || options->quiet) return;
    for (unsigned i = 0; i < arguments->n; i++) {
        if (!buffer_changed(&arguments->buffers[i])) continue;
        summarise(&arguments->buffers[i]);
        any = true;
    }
    if (any || outcome->status != PTX_OK) return;
    if (arguments->n)
        printf("%s ran and changed no buffer\n", kernel->info.name);
    else if (!outcome->printed)
        printf("%s ran; it has no buffers and printed nothing\n", kernel->info.name);
}

/* ---- counters ---- */

void report_counts(const struct outcome *outcome, const struct kernel *kernel, const struct options *options)
{
    const ptx_progress *p = &outcome->progress;
    printf("kernel %s, grid %u,%u,%u, block %u,%u,%u\n", kernel->info.name, options->grid[0],
           options->grid[1], options->grid[2], options->block[0], options->block[1], options->block[2]);
    printf("grids %llu, launched by kernels %llu, deepest nesting %u\n", (unsigned long long)p->grids_done,
           (unsigned long long)(p->grids_done ? p->grids_done - 1 : 0), p->max_depth);
    printf("blocks %llu\n", (unsigned long long)p->ctas_done);
    printf("thread-instructions %llu\n", (unsigned long long)p->thread_instructions);
    printf("regions %llu, entered %llu times%s\n", (unsigned long long)p->regions_made,
           (unsigned long long)p->regions_entered,
           p->regions_refused ? "; the host refuses memory that can be run" : "");
    printf("time %.6f s, %.3f Gti/s\n", outcome->seconds,
           outcome->seconds > 0 ? (double)p->thread_instructions / outcome->seconds / 1e9 : 0.0);
}
