/* api/check.c - the public functions of ptx_check.h, and how a device comes to its checks. */
#include "api/check.h"
#include "base/alloc.h"
#include "san/san.h"
#include "vm/device/device.h"

ptx_status px_check_begin(ptx_device_config *config, struct px_san **san)
{
    *san = NULL;
    if (!config->check) return PTX_OK;
    if (config->check & ~(unsigned)PTX_CHECK_ALL) return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_allocator alloc = px_alloc_or_default(&config->allocator);
    const struct px_san_next next = {config->trace, config->trace_event, config->trace_user};
    *san = px_san_new(&alloc, config->check, &next);
    if (!*san) return PTX_ERROR_OUT_OF_MEMORY;
    config->trace = px_san_access;
    config->trace_event = px_san_event;
    config->trace_user = *san;
    config->workers = 1;
    return PTX_OK;
}

PTX_API ptx_status ptx_device_findings(ptx_device *device, ptx_check_fn tell, void *user)
{
    if (!tell || !px_device_usable(device) || !device->san) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    const bool busy = device->tasks.pending;
    px_sched_unlock(&device->sched);
    return busy ? PTX_ERROR_NOT_READY : px_san_tell(device->san, tell, user);
}
