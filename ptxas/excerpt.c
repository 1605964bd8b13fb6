/* excerpt.c - a source line with a caret below.
 *
 * Bytes are shown one column each, but for UTF-8 continuation bytes, which take none; tabs and unprintable
 * bytes become blanks and question marks, so that the caret always stands below its byte whatever the file
 * holds. */
#include "excerpt.h"

#include <string.h>

enum { WINDOW = 120, BEFORE = 60 };

static int is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static void print_source(FILE *file, const char *from, const char *to)
{
    for (; from < to; from++) {
        const unsigned char c = (unsigned char)*from;
        fputc(c == '\t' ? ' ' : c < 32 || c == 127 ? '?' : c, file);
    }
    fputc('\n', file);
}

static void print_caret(FILE *file, const char *from, const char *at, const char *end, const char *limit)
{
    for (; from < at; from++)
        if (!is_continuation(*from)) fputc(' ', file);
    fputc('^', file);
    for (at++; at < end && at < limit; at++)
        if (!is_continuation(*at)) fputc('~', file);
    fputc('\n', file);
}

void excerpt_print(FILE *file, const char *margin, const char *caret_margin, const char *line,
                   size_t line_length, unsigned column, unsigned length)
{
    const size_t offset = column > line_length ? line_length : column ? column - 1 : 0;
    const char *at = line + offset, *end = line + line_length;
    const char *from = offset > BEFORE && line_length > WINDOW ? at - BEFORE : line;
    const char *to = (size_t)(end - from) > WINDOW ? from + WINDOW : end;
    while (from < at && is_continuation(*from)) from++;
    while (to < end && is_continuation(*to)) to++;
    fputs(margin, file);
    print_source(file, from, to);
    fputs(caret_margin, file);
    print_caret(file, from, at, length > line_length ? end : at + length, to);
}

struct excerpt_margins excerpt_margins(unsigned line)
{
    struct excerpt_margins margins;
    const int width = snprintf(margins.line, sizeof margins.line, "%5u | ", line);
    snprintf(margins.caret, sizeof margins.caret, "%*s", width, "| ");
    return margins;
}
