/* tools.h - what ptxas does beside checking: --format, --strip, --diff, --reduce, --lsp. */
#ifndef PTXAS_TOOLS_H
#define PTXAS_TOOLS_H

#include "options.h"

/* Is one of them asked for? */
bool tools_asked(const struct options *options);
/* Runs it. The exit code. */
int tools_run(const struct options *options);

#endif
