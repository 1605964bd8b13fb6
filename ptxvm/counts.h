/* counts.h - --counts: what was executed, as tables and as JSON. */
#ifndef PTXVM_COUNTS_H
#define PTXVM_COUNTS_H

#include <jansson.h>
#include "options.h"

/* Tables on standard output; the JSON file where one is asked for. */
void counts_print(ptx_device *device, const struct options *options);
void counts_write(ptx_device *device, const char *file);
/* A list of kernels; docs/ptxvm.md describes its members. */
json_t *counts_json(ptx_device *device);

#endif
