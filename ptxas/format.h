/* format.h - --format: the same tokens and comments in a stable layout. */
#ifndef PTXAS_FORMAT_H
#define PTXAS_FORMAT_H

#include "document.h"

/* Adds the document in the layout of docs/ptxas-tools.md. It must have been read to its end. */
void format_document(const struct document *document, struct text *out);

/* The same, and reads the result again: false when it is not the same program (which would be a fault of
 * ours), after a message. */
bool format_checked(const struct document *document, struct text *out, const struct options *options);

/* --format and --strip of every input. The exit code. */
int format_run(const struct options *options);

#endif
