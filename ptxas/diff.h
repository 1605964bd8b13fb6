/* diff.h - --diff A B: two modules compared as structure. */
#ifndef PTXAS_DIFF_H
#define PTXAS_DIFF_H

#include "document.h"

enum diff_verdict { DIFF_SAME, DIFF_DIFFERENT, DIFF_TROUBLE }; /* exit codes, as those of diff */

/* Adds the differences of two documents without errors to `out`, which may be NULL. */
enum diff_verdict diff_documents(const struct document *a, const struct document *b, struct text *out);

/* --diff. The exit code. */
int diff_run(const struct options *options);

#endif
