/*
 * fixture.h - a test's device, and one program on it.
 */
#ifndef API_FIXTURE_H
#define API_FIXTURE_H

#include "api/device.h"
#include <string.h>

static ptx_program *program;

static inline void load_program(const char *text)
{
    const ptx_module_options options = {.file_name = "test.ptx"};
    ptx_module *module;
    ptx_diagnostic d = {.struct_size = sizeof d, .message = "?"};
    if (ptx_module_create(&options, text, strlen(text), &module) != PTX_OK) {
        ptx_module_diagnostic(module, 0, &d);
        fail_msg("line %u: %s", d.line, d.message);
    }
    assert_int_equal(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program),
                     PTX_OK);
    ptx_module_destroy(module);
}

static inline void open_program(const ptx_device_config *config, const char *text)
{
    assert_int_equal(ptx_device_create(config, &device), PTX_OK);
    load_program(text);
}

/* As most do: three workers, a megabyte. */
static inline void open_usual(const char *text)
{
    const ptx_device_config config = {
        .struct_size = sizeof config, .workers = 3, .memory_bytes = 1 << 20, .timeout_ms = 60000};
    open_program(&config, text);
}

/* A cmocka teardown too. */
static inline int close_program(void **state)
{
    ptx_program_destroy(program);
    return close_device(state);
}

static inline ptx_kernel *kernel_named(const char *name)
{
    ptx_kernel *kernel;
    assert_int_equal(ptx_program_kernel(program, name, &kernel), PTX_OK);
    return kernel;
}

/* A row of blocks of a row of threads. */
static inline ptx_launch_config launch_shape(unsigned blocks, unsigned threads, const void *params,
                                             size_t bytes)
{
    return (ptx_launch_config){.struct_size = sizeof(ptx_launch_config),
                               .grid = {blocks},
                               .block = {threads},
                               .params = params,
                               .param_bytes = bytes};
}

#endif
