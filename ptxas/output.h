/* output.h - the object file that -o writes. */
#ifndef PTXAS_OUTPUT_H
#define PTXAS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include "messages.h"

/* Writes the modules to the file `name`, or prints why it cannot; an older file stays as it was then. */
bool output_write(const struct input *inputs, size_t n, const char *name);

/*
 * A new file in the folder of `name`, with the rights of a file made by open(), to be renamed when it is
 * whole; *temporary is its name, the caller's.
 */
FILE *output_open_beside(const char *name, char **temporary);

#endif
