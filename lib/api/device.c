/*
 * api/device.c - the public functions of ptxvm.h: check the
 * arguments, call inward.
 */
#include "api/check.h"
#include "api/take.h"
#include "base/sized.h"
#include "cdp/cdp.h"
#include "cdp/mistakes.h"
#include "vm/device/device.h"
#include <string.h>

/* The sizes of the first versions. */
enum {
    FIRST_DEVICE = PX_FIRST(ptx_device_config, error_bytes),
    FIRST_PROGRESS = PX_FIRST(ptx_progress, max_depth),
    FIRST_PROGRAM = PX_FIRST(ptx_program_options, fmad),
    FIRST_KERNEL = PX_FIRST(ptx_kernel_info, maxntid)
};

PTX_API ptx_status ptx_device_create(const ptx_device_config *config, ptx_device **device)
{
    ptx_device_config own;
    if (!device || !px_take(&own, sizeof own, FIRST_DEVICE, config)) return PTX_ERROR_INVALID_ARGUMENT;
    struct px_checks checks;
    ptx_status status = px_check_begin(&own, &checks);
    if (status == PTX_OK) status = px_device_create(&own, px_cdp_runtime(), device);
    if (status != PTX_OK) {
        px_check_end(&checks);
        return status;
    }
    (*device)->san = checks.san;
    (*device)->mistakes = checks.mistakes;
    (*device)->mistakes_forget = px_mistakes_forget;
    return PTX_OK;
}

PTX_API void ptx_device_destroy(ptx_device *device)
{
    if (!px_device_usable(device) || px_device_is_inside(device)) return;
    px_check_unsuppress(device);
    struct px_checks checks = {device->san, device->mistakes};
    px_device_destroy(device);
    px_check_end(&checks);
}

PTX_API void ptx_device_interrupt(ptx_device *device)
{
    if (!device) return;
    atomic_fetch_add(&device->tasks.interrupts, 1);
    px_sched_stop(&device->sched, PX_STOP_INTERRUPT);
}

PTX_API ptx_status ptx_device_limits(ptx_device *device, uint64_t heap_bytes, unsigned pending_launches)
{
    if (!device) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    ptx_status set = device->tasks.pending ? PTX_ERROR_NOT_READY : device->tasks.lost;
    if (set == PTX_OK && heap_bytes) set = px_device_heap_set(device, heap_bytes);
    if (set == PTX_OK && pending_launches) device->config.pending_launches = pending_launches;
    px_sched_unlock(&device->sched);
    return set;
}

PTX_API void ptx_device_progress(const ptx_device *device, ptx_progress *progress)
{
    if (!device || !px_can_give(progress, FIRST_PROGRESS)) return;
    const struct px_sched *s = &device->sched;
    const ptx_progress told = {.ctas_done = atomic_load(&s->ctas_done),
                               .ctas_total = atomic_load(&s->ctas_total),
                               .grids_done = atomic_load(&s->grids_done),
                               .grids_total = atomic_load(&s->grids_total),
                               .thread_instructions = atomic_load(&s->total_threads),
                               .max_depth = atomic_load(&s->max_depth),
                               .thread_instructions_ever =
                                   atomic_load(&s->earlier_threads) + atomic_load(&s->total_threads),
                               .regions_made = atomic_load(&s->regions_made),
                               .regions_entered = atomic_load(&s->regions_entered),
                               .regions_refused = atomic_load(&s->regions_refused)};
    px_give(progress, &told, sizeof told, FIRST_PROGRESS);
}

PTX_API const char *ptx_device_message(const ptx_device *device)
{
    return device ? device->message : "";
}

/* ---- programs ---- */

PTX_API ptx_status ptx_program_create(ptx_device *device, const ptx_module *const *modules, size_t count,
                                      const ptx_program_options *options, ptx_program **program)
{
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    bool given = modules && count && count <= UINT32_MAX && program;
    for (size_t i = 0; given && i < count; i++) given = modules[i] != NULL;
    if (!given) {
        px_device_say(device, "ptx_program_create: no module, or no place for the program, was given");
        return PTX_ERROR_INVALID_ARGUMENT;
    }
    ptx_program_options own;
    if (!px_take(&own, sizeof own, FIRST_PROGRAM, options))
        return px_version_refused(device, "ptx_program_create: options");
    return px_program_create(device, modules, count, &own, program);
}

PTX_API void ptx_program_destroy(ptx_program *program)
{
    if (program && px_device_usable(program->device)) px_program_destroy(program);
}

PTX_API ptx_status ptx_program_kernel(ptx_program *program, const char *name, ptx_kernel **kernel)
{
    if (!program || !name || !kernel) return PTX_ERROR_INVALID_ARGUMENT;
    return px_program_kernel(program, PX_ANY_MODULE, name, kernel);
}

PTX_API ptx_status ptx_program_module_kernel(ptx_program *program, size_t module, const char *name,
                                             ptx_kernel **kernel)
{
    if (!program || module >= program->linked.nmodules || !name || !kernel) return PTX_ERROR_INVALID_ARGUMENT;
    return px_program_kernel(program, module, name, kernel);
}

PTX_API ptx_status ptx_program_gaps(ptx_program *program, void (*tell)(void *user, const ptx_gap *gap),
                                    void *user, uint64_t *instructions)
{
    if (!program || !tell) return PTX_ERROR_INVALID_ARGUMENT;
    return px_program_gaps(program, tell, user, instructions);
}

PTX_API ptx_status ptx_program_show_ir(ptx_program *program, const char *what, unsigned threads,
                                       ptx_write_fn write, void *user)
{
    if (!program || !write) return PTX_ERROR_INVALID_ARGUMENT;
    return px_program_show_ir(program, what ? what : "", threads, write, user);
}

PTX_API ptx_status ptx_program_variable(ptx_program *program, const char *name, ptx_address *address,
                                        uint64_t *size)
{
    uint64_t ignored;
    if (!program || !name || !address) return PTX_ERROR_INVALID_ARGUMENT;
    return px_program_variable(program, PX_ANY_MODULE, name, address, size ? size : &ignored);
}

PTX_API ptx_status ptx_program_module_variable(ptx_program *program, size_t module, const char *name,
                                               ptx_address *address, uint64_t *size)
{
    uint64_t ignored;
    if (!program || module >= program->linked.nmodules || !name || !address)
        return PTX_ERROR_INVALID_ARGUMENT;
    return px_program_variable(program, module, name, address, size ? size : &ignored);
}

/* ---- launches ---- */

PTX_API ptx_status ptx_kernel_launch(ptx_kernel *kernel, const ptx_launch_config *config, ptx_fault *fault)
{
    ptx_launch_config own;
    ptx_fault told = {0};
    if (!kernel || !config) return PTX_ERROR_INVALID_ARGUMENT;
    ptx_device *device = kernel->program->device;
    if (!px_device_usable(device)) return PTX_ERROR_INVALID_ARGUMENT;
    if (px_sched_is_worker(&device->sched)) {
        px_device_say(device, "ptx_kernel_launch waits: a function that the device calls cannot use it");
        return PTX_ERROR_INVALID_ARGUMENT;
    }
    if (!px_launch_take(&own, config) || !px_fault_ok(fault))
        return px_version_refused(device, "ptx_kernel_launch: a struct");
    const size_t need = kernel->func->fn->param_bytes;
    if (need && (!own.params || own.param_bytes < need)) {
        px_device_say(device, "%s takes %zu bytes of parameters, %zu were given", kernel->func->name, need,
                      own.params ? own.param_bytes : 0);
        return PTX_ERROR_INVALID_ARGUMENT;
    }
    ptx_status status = px_device_state(device);
    if (status != PTX_OK) {
        px_device_say(device,
                      "the device is lost by an earlier fault, deadlock or limit (ptx_device_config.sticky)");
        return status;
    }
    status = px_launch(kernel, &own, fault ? &told : NULL);
    px_fault_give(fault, &told);
    return status;
}

PTX_API ptx_status ptx_kernel_info_get(const ptx_kernel *kernel, ptx_kernel_info *info)
{
    ptx_kernel_info told;
    if (!kernel || !px_can_give(info, FIRST_KERNEL)) return PTX_ERROR_INVALID_ARGUMENT;
    px_kernel_info(kernel, &told);
    px_give(info, &told, sizeof told, FIRST_KERNEL);
    return PTX_OK;
}
