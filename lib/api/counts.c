/* api/counts.c - the public functions of ptx_counts.h: check the arguments, call inward. */
#include "vm/device/device.h"
#include "vm/run/tally.h"

static ptx_status ask(ptx_device *device)
{
    if (!px_device_usable(device) || !device->config.counts) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    const bool busy = device->tasks.pending;
    px_sched_unlock(&device->sched);
    return busy ? PTX_ERROR_NOT_READY : PTX_OK;
}

PTX_API ptx_status ptx_device_counts(ptx_device *device, ptx_count_by by, ptx_count_fn tell, void *user)
{
    if (!tell || (unsigned)by > PTX_COUNT_BY_INSTRUCTION) return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_status status = ask(device);
    return status == PTX_OK ? px_tally_tell(device, by, tell, user) : status;
}

PTX_API ptx_status ptx_device_counts_clear(ptx_device *device)
{
    const ptx_status status = ask(device);
    return status == PTX_OK ? px_tally_clear(device) : status;
}
