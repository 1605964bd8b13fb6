/* api/take.h - structs of callers that several files of the interface read and fill. */
#ifndef PX_API_TAKE_H
#define PX_API_TAKE_H

#include "vm/queue/copy.h"

/* False: a version that this library does not know. */
bool px_launch_take(ptx_launch_config *own, const ptx_launch_config *given);
/* Says so in the device's message: `what` is "FUNCTION: a struct". PTX_ERROR_INVALID_ARGUMENT. */
ptx_status px_version_refused(ptx_device *device, const char *what);
/* Sets the device's message. The device may be NULL. */
ptx_status px_take_copy(ptx_device *device, const ptx_copy *given, struct px_copy *copy);
ptx_status px_take_array_copy(ptx_device *device, const ptx_array_copy *given, struct px_copy *copy);
ptx_status px_take_fill(ptx_device *device, const ptx_fill *given, struct px_copy *copy);
bool px_fault_ok(const ptx_fault *fault); /* NULL is */
void px_fault_give(ptx_fault *fault,
                   const ptx_fault *told); /* what nobody was told of, and NULL, is left alone */

#endif
