/*
 * source.h - one source text and its lines.
 *
 * A place is a byte offset (px_pos) into the text; line and column are found
 * by binary search in a table of line starts built on first use. The text is
 * NUL-terminated beyond `size`, so the lexer needs no bounds check.
 */
#ifndef PX_BASE_SOURCE_H
#define PX_BASE_SOURCE_H

#include <string.h>
#include "base/vec.h"

typedef uint32_t px_pos;

/* A line marker: the line at `pos` is line `line` of `file`. */
struct px_marker {
    px_pos pos;
    uint32_t line;
    const char *file;
};

struct px_source {
    const char *file; /* as shown in messages */
    const char *text;
    size_t size;
    uint32_t *line_starts; /* NULL until asked */
    uint32_t lines;
    PX_VEC(struct px_marker) markers; /* in text order */
    struct px_arena *arena;
};

struct px_place {
    unsigned line, column;
}; /* from 1 */

/* Builds the table of line starts; after it the functions below allocate nothing and may run on any thread.
 */
void px_source_index(struct px_source *source);
struct px_place px_source_place(struct px_source *source, px_pos pos);
void px_source_mark(struct px_source *source, px_pos pos, uint32_t line, const char *file);
/* Line and file of `pos` as the line markers before it count them. */
unsigned px_source_marked(struct px_source *source, px_pos pos, const char **file);
/* The first place from `pos` on that is no blank and no comment; the end of the text without one. */
px_pos px_source_behind(const struct px_source *source, px_pos pos);
/* Start and length (without newline or carriage return) of `line`, from 1; NULL when there is none. */
const char *px_source_line(struct px_source *source, unsigned line, size_t *length);

/* What stands between a file and a line: a file's "x.ptx:12", but "PTX of x.cu, line 12". */
static inline const char *px_source_mark_line(const char *file)
{
    return strchr(file, ' ') ? ", line " : ":";
}

#endif
