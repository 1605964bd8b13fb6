/* launches.h - the list of launches: --launches, and what --expect-launch and its kin ask for. */
#ifndef PTXVM_LAUNCHES_H
#define PTXVM_LAUNCHES_H

#include <jansson.h>
#include "options.h"

/* Bytes of the list that the options need; 0: they need none. */
uint64_t launches_bytes(const struct options *options);
/* What --launches asks to be printed, */
void launches_print(ptx_device *device, const struct options *options);
/* and to be written to a file. */
void launches_write(ptx_device *device, const struct options *options);
/* For --json. */
json_t *launches_json(ptx_device *device);
/* False: an expectation failed, and was told. */
bool launches_hold(ptx_device *device, const struct options *options);

#endif
