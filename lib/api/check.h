/* api/check.h - the checks of a device (ptx_check.h): given to it as its trace functions. */
#ifndef PX_API_CHECK_H
#define PX_API_CHECK_H

#include "ptx_check.h"

struct px_san;

/* Where the config asks for checks: makes them, and changes it so that they hear of everything on one worker.
 * *san is NULL without. */
ptx_status px_check_begin(ptx_device_config *config, struct px_san **san);

#endif
