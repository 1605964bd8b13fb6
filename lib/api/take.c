/*
 * api/take.c - structs of callers that several files of the interface read and fill.
 */
#include "api/take.h"
#include "base/sized.h"
#include "vm/device/device.h"

enum {
    FIRST_LAUNCH = PX_FIRST(ptx_launch_config, param_bytes),
    FIRST_FAULT = PX_FIRST(ptx_fault, state),
    FIRST_COPY = PX_FIRST(ptx_copy, depth),
    FIRST_ARRAY_COPY = PX_FIRST(ptx_array_copy, depth),
    FIRST_FILL = PX_FIRST(ptx_fill, element)
};

bool px_launch_take(ptx_launch_config *own, const ptx_launch_config *given)
{
    const unsigned known = PTX_LAUNCH_PROGRAMMATIC | PTX_LAUNCH_PRIORITY;
    return px_take(own, sizeof *own, FIRST_LAUNCH, given) && !(own->flags & ~known);
}

ptx_status px_version_refused(ptx_device *device, const char *what)
{
    px_device_say(device, "%s of a version that this library does not know", what);
    return PTX_ERROR_INVALID_ARGUMENT;
}

bool px_fault_ok(const ptx_fault *fault)
{
    return !fault || px_can_give(fault, FIRST_FAULT);
}

void px_fault_give(ptx_fault *fault, const ptx_fault *told)
{
    if (fault && told->name) px_give(fault, told, sizeof *told, FIRST_FAULT);
}

static ptx_status take(ptx_device *device, void *own, size_t size, size_t first, const void *given,
                       const char *what)
{
    if (!px_device_usable(device) || !given) return PTX_ERROR_INVALID_ARGUMENT;
    return px_take(own, size, first, given) ? PTX_OK : px_version_refused(device, what);
}

ptx_status px_take_copy(ptx_device *device, const ptx_copy *given, struct px_copy *copy)
{
    ptx_copy own;
    const ptx_status status = take(device, &own, sizeof own, FIRST_COPY, given, "ptx_copy: a struct");
    return status == PTX_OK ? px_copy_take(device, &own, copy) : status;
}

ptx_status px_take_array_copy(ptx_device *device, const ptx_array_copy *given, struct px_copy *copy)
{
    ptx_array_copy own;
    if (!px_device_usable(device) || !given) return PTX_ERROR_INVALID_ARGUMENT;
    if (!px_take(&own, sizeof own, FIRST_ARRAY_COPY, given))
        return px_version_refused(device, "ptx_array_copy: a struct");
    return px_array_copy_take(device, &own, copy);
}

ptx_status px_take_fill(ptx_device *device, const ptx_fill *given, struct px_copy *copy)
{
    ptx_fill own;
    const ptx_status status = take(device, &own, sizeof own, FIRST_FILL, given, "ptx_fill: a struct");
    return status == PTX_OK ? px_fill_take(device, &own, copy) : status;
}
