/* output.h - the object file that -o writes. */
#ifndef PTXAS_OUTPUT_H
#define PTXAS_OUTPUT_H

#include <stdbool.h>
#include "messages.h"

/* Writes the modules to the file `name`, or prints why it cannot; an older file stays as it was then. */
bool output_write(const struct input *inputs, size_t n, const char *name);

#endif
