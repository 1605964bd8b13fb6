/* cdp.h - the device runtime as the rest of the library sees it: one table of functions. */
#ifndef PX_CDP_CDP_H
#define PX_CDP_CDP_H

#include "vm/device.h"

const struct px_runtime *px_cdp_runtime(void);

#endif
