/*
 * pages.h - what tests of mapped memory share: devices that can add to a word.
 */
#ifndef API_PAGES_H
#define API_PAGES_H

#include "ptx_memory.h"
#include "suite.h"

#define G PTX_MAP_GRAIN
#define OK(call) assert_int_equal((call), PTX_OK)
#define INVALID(call) assert_int_equal((call), PTX_ERROR_INVALID_ARGUMENT)

/* Parameters of kernel add: n is added to the word at p. */
struct adder {
    ptx_address p;
    uint32_t n;
};

/* A device, and its kernel add. */
static inline ptx_kernel *open_adder(const ptx_device_config *config, ptx_device **device)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry add(.param .u64 p, .param .u32 n) { .reg .u64 %a; .reg .u32 %x, %n;\n"
        " ld.param.u64 %a, [p]; ld.param.u32 %n, [n]; ld.global.u32 %x, [%a];\n"
        " add.u32 %x, %x, %n; st.global.u32 [%a], %x; ret; }\n";
    ptx_module *module;
    ptx_program *program;
    ptx_kernel *kernel;
    *device = NULL;
    OK(ptx_module_create(NULL, text, sizeof text - 1, &module));
    OK(ptx_device_create(config, device));
    OK(ptx_program_create(*device, (const ptx_module *const *)&module, 1, NULL, &program));
    ptx_module_destroy(module);
    OK(ptx_program_kernel(program, "add", &kernel));
    return kernel;
}

#endif
