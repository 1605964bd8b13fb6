/* program.c - entries, the -v report, and linking several modules.
 *
 * The report tells only what a checker knows: parameters, shared and local memory, block shapes. Registers
 * are counted by a code generator, and there is none here. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptxvm.h"

bool program_has_entry(const ptx_module *module, const char *name)
{
    ptx_kernel_info info;
    for (size_t i = 0; i < ptx_module_kernel_count(module); i++)
        if (ptx_module_kernel(module, i, &info) == PTX_OK && strcmp(info.name, name) == 0) return true;
    return false;
}

static void report_shape(const char *directive, const unsigned extent[3])
{
    if (extent[0]) fprintf(stderr, ", %s %u,%u,%u", directive, extent[0], extent[1], extent[2]);
}

void program_report(const ptx_module *module, const char *arch)
{
    ptx_kernel_info info;
    for (size_t i = 0; i < ptx_module_kernel_count(module); i++) {
        if (ptx_module_kernel(module, i, &info) != PTX_OK) continue;
        message_plain(PTX_INFO, "Checking entry function '%s' for '%s'", info.name,
                      arch ? arch : ptx_module_target(module));
        fprintf(
            stderr,
            "ptxas info    : Used %zu bytes smem, %zu bytes local memory a thread, %zu bytes of parameters",
            info.static_shared_bytes, info.local_bytes, info.param_bytes);
        report_shape(".reqntid", info.reqntid);
        report_shape(".maxntid", info.maxntid);
        fputc('\n', stderr);
    }
}

/* Any function that no module defines may come from elsewhere: only its name matters here. */
static void nothing(void) {}

static ptx_host_fn resolve(void *user, const char *name)
{
    (void)user;
    (void)name;
    return nothing;
}

bool program_links(const struct input *inputs, size_t n)
{
    const ptx_device_config config = {.workers = 1};
    const ptx_program_options wanted = {.resolve = resolve};
    const ptx_module **modules = must_grow(NULL, n * sizeof *modules);
    ptx_device *device = NULL;
    ptx_program *program = NULL;
    for (size_t i = 0; i < n; i++) modules[i] = inputs[i].module;
    ptx_status status = ptx_device_create(&config, &device);
    if (status == PTX_OK) status = ptx_program_create(device, modules, n, &wanted, &program);
    /* Not all that is legal can run. */
    const bool fine = status == PTX_OK || status == PTX_ERROR_UNSUPPORTED;
    if (!fine) {
        const char *message = device ? ptx_device_message(device) : "";
        message_plain(PTX_ERROR, "%s", *message ? message : ptx_status_name(status));
    }
    ptx_program_destroy(program);
    ptx_device_destroy(device);
    free(modules);
    return fine;
}
