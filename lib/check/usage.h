/* usage.h - what the code of a kernel needs. */
#ifndef PX_CHECK_USAGE_H
#define PX_CHECK_USAGE_H

#include "check/check.h"

/* Of a function with a body, in a module without errors. */
void px_usage(struct px_arena *arena, const struct px_function *function, ptx_usage *result);

#endif
