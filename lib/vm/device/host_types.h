/* host_types.h - which bytes of a host function's arguments are floats; only host.c asks. */
#ifndef PX_VM_DEVICE_HOST_TYPES_H
#define PX_VM_DEVICE_HOST_TYPES_H

#include "link/program.h"

/*
 * For each parameter of `callee`, then for its result: a byte for each of its
 * bytes, 4 where callers store or load an f32, 8 where an f64 begins, else 0.
 */
uint8_t **px_host_marks(struct px_arena *arena, const struct px_linked *linked,
                        const struct px_lfunc *callee);

#endif
