/* excerpt.h - a source line with a caret below the place that a message means. Both tools print it. */
#ifndef PTXAS_EXCERPT_H
#define PTXAS_EXCERPT_H

#include <stddef.h>
#include <stdio.h>

/*
 * Prints two lines, each after `margin`: the text of a source line, and a caret at `column` (from 1, in
 * bytes) with tildes below the rest of `length` bytes. A long line is cut to the surroundings of the caret.
 */
void excerpt_print(FILE *file, const char *margin, const char *caret_margin, const char *line,
                   size_t line_length, unsigned column, unsigned length);

/* "12 | " and "   | " for a line number, as margins. */
struct excerpt_margins {
    char line[32], caret[32];
};
struct excerpt_margins excerpt_margins(unsigned line);

#endif
