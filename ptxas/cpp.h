/* cpp.h - --cpp: the preprocessor that the PTX manual allows. */
#ifndef PTXAS_CPP_H
#define PTXAS_CPP_H

#include <stdbool.h>
#include <stddef.h>
#include "options.h"

/*
 * Replaces *text (owned, *size bytes, of the file `name`, or of none where is_file is false) by what the
 * preprocessor makes of it, with line markers. False after messages on standard error.
 */
bool cpp_run(const char *name, bool is_file, char **text, size_t *size, const struct options *options);

#endif
