/*
 * source.c - from byte offset to line and column.
 *
 * The table of line starts is built once, in one pass of memchr, and searched
 * by bisection. A line ends at '\n'; a '\r' before it does not belong to it.
 * Line markers are kept in text order and searched the same way.
 */
#include "base/source.h"
#include "base/vec.h"
#include <string.h>

void px_source_index(struct px_source *source)
{
    enum { BYTES_A_LINE = 24 }; /* a guess that is rarely exceeded */
    PX_VEC(uint32_t) starts = {.cap = (uint32_t)(source->size / BYTES_A_LINE) + 16};
    const char *p = source->text, *end = p + source->size;
    if (source->line_starts) return;
    starts.at = px_arena_alloc(source->arena, starts.cap * sizeof *starts.at);
    while (p) {
        px_vec_push(source->arena, &starts, (uint32_t)(p - source->text));
        p = memchr(p, '\n', (size_t)(end - p));
        if (p) p++;
    }
    source->line_starts = starts.at;
    source->lines = starts.n;
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

void px_source_mark(struct px_source *source, px_pos pos, uint32_t line, const char *file)
{
    struct px_marker marker = {.pos = pos, .line = line, .file = file};
    px_vec_push(source->arena, &source->markers, marker);
}

unsigned px_source_marked(struct px_source *source, px_pos pos, const char **file)
{
    unsigned line = px_source_place(source, pos).line;
    uint32_t low = 0, high = source->markers.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (source->markers.at[middle].pos <= pos)
            low = middle + 1;
        else
            high = middle;
    }
    *file = source->file;
    if (!low) return line;
    const struct px_marker *marker = &source->markers.at[low - 1];
    *file = marker->file;
    return marker->line + line - px_source_place(source, marker->pos).line;
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

px_pos px_source_behind(const struct px_source *source, px_pos pos)
{
    const char *p = source->text + pos, *end = source->text + source->size;
    while (p < end) {
        p += strspn(p, " \t\r\n\f");
        const char *close = p[0] == '/' && p[1] == '/' ? memchr(p, '\n', (size_t)(end - p)) : p;
        if (close == p && p[0] == '/' && p[1] == '*') close = strstr(p + 2, "*/");
        if (close == p) break;
        p = close ? close + 1 + (*close == '*') : end;
    }
    return (px_pos)(p - source->text);
}
