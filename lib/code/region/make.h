/* make.h - from a plan to machine code. */
#ifndef PX_CODE_REGION_MAKE_H
#define PX_CODE_REGION_MAKE_H

#include "code/region/plan.h"

/* Appends the code to `x` and fills in of the region what follows from it: lanes, rest, constants. False: its
 * registers do not suffice; nothing is appended. `counted`: px_region_call.count is to be filled in. */
bool px_region_make(const struct px_plan *p, struct px_x86 *x, struct px_region *region, bool counted);

#endif
