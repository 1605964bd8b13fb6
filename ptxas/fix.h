/* fix.h - --fix: applies the edits that mend faults for certain. */
#ifndef PTXAS_FIX_H
#define PTXAS_FIX_H

#include "options.h"

/* The exit code: 0 when no error is left, else 255. */
int fix_run(const struct options *options);

#endif
