/* cdp.h - the device runtime as the rest of the library sees it: one table of functions, and their
 * prototypes. */
#ifndef PX_CDP_CDP_H
#define PX_CDP_CDP_H

#include "lint/lint.h"
#include "vm/device/device.h"

const struct px_runtime *px_cdp_runtime(void);
/* The prototype of a function of builtins.def; false when there is none of this name. */
bool px_cdp_describe(const char *name, struct px_lint_runtime *out);

#endif
