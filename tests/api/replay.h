/* replay.h - what tests share that run recorded kernels on the VM. */
#ifndef TESTS_API_REPLAY_H
#define TESTS_API_REPLAY_H

#include <stdio.h>
#include <string.h>

#include "ptxvm.h"
#include "ptx_run.h"

/* Opens a recording of tests/hw/golden, read only; NULL (told): it is not there. */
static inline FILE *replay_open(const char *name)
{
    char path[512];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, sizeof path, "%.*s/../hw/golden/%s", slash ? (int)(slash - __FILE__) : 1,
             slash ? __FILE__ : ".", name);
    FILE *f = fopen(path, "rb");
    if (!f) printf("cannot open %s\n", path);
    return f;
}

/* Runs kernel k of the text; NULL, or what went wrong (valid until the next call). */
static inline const char *replay_launch(ptx_device *device, const char *text, const ptx_launch_config *config,
                                        ptx_fault *fault)
{
    static char said[512];
    ptx_module *module = NULL;
    ptx_program *program = NULL;
    ptx_kernel *kernel;
    ptx_status status = ptx_module_create(NULL, text, strlen(text), &module);
    if (status == PTX_OK)
        status = ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program);
    if (status == PTX_OK) status = ptx_program_kernel(program, "k", &kernel);
    if (status == PTX_OK) status = ptx_kernel_launch(kernel, config, fault);
    snprintf(said, sizeof said, "%s: %s %s", ptx_status_name(status), ptx_device_message(device),
             fault && fault->message ? fault->message : "");
    ptx_program_destroy(program);
    ptx_module_destroy(module);
    return status == PTX_OK ? NULL : said;
}

#endif
