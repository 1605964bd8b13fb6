/*
 * source.c - from byte offset to line and column.
 *
 * The table of line starts is built once, in one pass of memchr, and searched
 * by bisection. A line ends at '\n'; a '\r' before it does not belong to it.
 */
#include "base/source.h"
#include <string.h>

static uint32_t count_lines(const struct px_source *source)
{
    uint32_t n = 1;
    const char *p = source->text, *end = p + source->size;
    while ((p = memchr(p, '\n', (size_t)(end - p)))) {
        p++;
        n++;
    }
    return n;
}

void px_source_index(struct px_source *source)
{
    if (source->line_starts) return;
    uint32_t n = count_lines(source);
    uint32_t *starts = px_arena_alloc(source->arena, n * sizeof *starts);
    const char *p = source->text, *end = p + source->size;
    for (uint32_t i = 0; i < n; i++) {
        starts[i] = (uint32_t)(p - source->text);
        p = memchr(p, '\n', (size_t)(end - p));
        p = p ? p + 1 : end;
    }
    source->line_starts = starts;
    source->lines = n;
}

/* Number, from 0, of the line that holds `pos`. */
static uint32_t line_of(const struct px_source *source, px_pos pos)
{
    uint32_t low = 0, high = source->lines;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->line_starts[middle] <= pos)
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct px_place px_source_place(struct px_source *source, px_pos pos)
{
    px_source_index(source);
    uint32_t line = line_of(source, pos);
    return (struct px_place){.line = line + 1, .column = pos - source->line_starts[line] + 1};
}

const char *px_source_line(struct px_source *source, unsigned line, size_t *length)
{
    px_source_index(source);
    if (line == 0 || line > source->lines) return NULL;
    const char *start = source->text + source->line_starts[line - 1];
    const char *end =
        line < source->lines ? source->text + source->line_starts[line] - 1 : source->text + source->size;
    if (end > start && end[-1] == '\r') end--;
    *length = (size_t)(end - start);
    return start;
}
