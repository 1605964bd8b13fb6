/* strip.h - --strip: what does not run goes. */
#ifndef PTXAS_STRIP_H
#define PTXAS_STRIP_H

#include "document.h"

/*
 * Adds the document, which has no errors, without comments, line markers and debug data, and with short names
 * for what only its function knows (registers, labels, variables, parameters), in the layout of --format. The
 * result is read again: false, after a message, when it is not the same program.
 */
bool strip_document(const struct document *document, struct text *out, const struct options *options);

#endif
