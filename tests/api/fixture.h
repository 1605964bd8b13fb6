/*
 * fixture.h - a test's device, and one program on it.
 */
#ifndef API_FIXTURE_H
#define API_FIXTURE_H

#include "api/device.h"
#include <string.h>

static ptx_program *program;

static inline void open_program(const ptx_device_config *config, const char *text)
{
    const ptx_module_options options = {.file_name = "test.ptx"};
    ptx_module *module;
    ptx_diagnostic d = {.struct_size = sizeof d, .message = "?"};
    if (ptx_module_create(&options, text, strlen(text), &module) != PTX_OK) {
        ptx_module_diagnostic(module, 0, &d);
        fail_msg("line %u: %s", d.line, d.message);
    }
    assert_int_equal(ptx_device_create(config, &device), PTX_OK);
    assert_int_equal(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program),
                     PTX_OK);
    ptx_module_destroy(module);
}

static inline ptx_kernel *kernel_named(const char *name)
{
    ptx_kernel *kernel;
    assert_int_equal(ptx_program_kernel(program, name, &kernel), PTX_OK);
    return kernel;
}

#endif
