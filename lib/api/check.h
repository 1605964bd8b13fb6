/* api/check.h - the checks of a device (ptx_check.h): given to it as its trace functions. */
#ifndef PX_API_CHECK_H
#define PX_API_CHECK_H

#include <stdbool.h>
#include "ptx_check.h"

struct px_mistakes;
struct px_san;

struct px_checks {
    struct px_san *san;           /* of races; NULL */
    struct px_mistakes *mistakes; /* of launches by kernels; NULL */
};

/* Where the config asks for checks: makes them, and changes it so that they hear of everything on one worker.
 */
ptx_status px_check_begin(ptx_device_config *config, struct px_checks *checks);
void px_check_end(struct px_checks *checks);

/* suppress.c */
struct ptx_device;
bool px_check_suppressed(const struct ptx_device *device, const ptx_check_finding *finding);
void px_check_unsuppress(struct ptx_device *device);

#endif
