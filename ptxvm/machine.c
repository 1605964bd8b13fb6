/* machine.c - see machine.h. */
#include "machine.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "fail.h"
#include "hot.h"
#include "launches.h"
#include "trace.h"

/* ---- host functions ---- */

void libraries_open(struct libraries *libraries, const struct words *names)
{
    libraries->n = names->n;
    libraries->at = must_alloc(names->n * sizeof *libraries->at);
    for (unsigned i = 0; i < names->n; i++) {
        /* dlopen searches the system's folders for a name without a slash; a file of this folder is meant. */
        char *path = must_print(strchr(names->at[i], '/') ? "%s" : "./%s", names->at[i]);
        libraries->at[i] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        free(path);
        if (!libraries->at[i]) fail(EXIT_USAGE, "--host-lib: %s", dlerror());
    }
}

void libraries_close(struct libraries *libraries)
{
    for (unsigned i = 0; i < libraries->n; i++) dlclose(libraries->at[i]);
    free(libraries->at);
}

static ptx_host_fn find_host_function(void *user, const char *name)
{
    const struct libraries *libraries = user;
    for (unsigned i = 0; i < libraries->n; i++) {
        void *symbol = dlsym(libraries->at[i], name);
        ptx_host_fn function;
        memcpy(&function, &symbol, sizeof function); /* C has no cast from an object pointer */
        if (symbol) return function;
    }
    return NULL;
}

/* ---- the device ---- */

static int write_output(void *user, const char *text, size_t size)
{
    struct output *output = user;
    output->any |= size > 0;
    if (output->kept) fwrite(text, 1, size, output->kept);
    return fwrite(text, 1, size, output->file) == size ? 0 : -1;
}

/* Of kernels as they are launched: beside what they print. */
static int write_dump(void *user, const char *text, size_t size)
{
    (void)user;
    return fwrite(text, 1, size, stderr) == size ? 0 : -1;
}

ptx_device *machine_device(const struct options *options, struct output *output)
{
    char error[300] = "";
    const ptx_device_config config = {
        .struct_size = sizeof config,
        .workers = options->threads,
        .deterministic = options->deterministic,
        .memory_bytes = options->memory_bytes,
        .arch = options->arch,
        .max_steps = options->max_steps,
        .timeout_ms = options->timeout_ms,
        .heap_bytes = options->heap_bytes,
        .pending_launches = options->pending_launches,
        .launch_depth = options->launch_depth,
        .approx_exact = options->approx_exact,
        .ub = options->ub_chip ? PTX_UB_CHIP : PTX_UB_FAULT,
        .async = options->async,
        .async_seed = options->async_seed,
        .engine = options->engine,
        .counts = options->counts || options->hot,
        .schedule = options->schedule,
        .schedule_seed = options->schedule_seed,
        .output = write_output,
        .output_user = output,
        .max_output = options->max_output,
        .max_host = options->max_host,
        .trace = output->hot     ? hot_access
                 : output->trace ? trace_access
                                 : NULL,
        .trace_rows = output->hot ? hot_rows : NULL,
        .trace_event = output->trace ? trace_event : NULL,
        .trace_user = output->hot ? (void *)output->hot : output->trace,
        .launches = launches_bytes(options),
        .notice = notice,
        .notice_user = &output->notices,
        .check = options->check,
        .poison = options->poison,
        .dump_ir = options->dump ? NULL : options->dump_ir,
        .dump = write_dump,
        .error = error,
        .error_bytes = sizeof error,
    };
    ptx_device *device;
    const ptx_status status = ptx_device_create(&config, &device);
    if (status != PTX_OK)
        fail(status == PTX_ERROR_INVALID_ARGUMENT ? EXIT_USAGE : EXIT_STOPPED,
             "the device cannot be made: %s", error);
    return device;
}

ptx_program *machine_program(ptx_device *device, const struct modules *modules, struct libraries *libraries,
                             ptx_fmad fmad)
{
    const ptx_program_options wanted = {
        .resolve = find_host_function, .resolve_user = libraries, .fmad = fmad};
    ptx_program *program;
    const ptx_status status =
        ptx_program_create(device, (const ptx_module *const *)modules->at, modules->n, &wanted, &program);
    if (status == PTX_ERROR_LINK) {
        modules_show_link(modules, &wanted);
        fail(EXIT_ASSEMBLY, "the program does not link");
    }
    const char *message = ptx_device_message(device);
    if (status != PTX_OK)
        fail(status == PTX_ERROR_OUT_OF_MEMORY ? EXIT_STOPPED : EXIT_ASSEMBLY, "%s",
             *message ? message : ptx_status_name(status));
    return program;
}

/* ---- how it ended ---- */

int machine_exit_code(ptx_status status, const ptx_fault *fault)
{
    enum { NOT_SUPPORTED = 801 };
    switch (status) {
    case PTX_OK: return EXIT_FINE;
    case PTX_ERROR_FAULT: return fault->cuda_error == NOT_SUPPORTED ? EXIT_ASSEMBLY : EXIT_FAULT;
    case PTX_ERROR_ASSEMBLY:
    case PTX_ERROR_LINK:
    case PTX_ERROR_UNSUPPORTED: return EXIT_ASSEMBLY;
    case PTX_ERROR_INVALID_ARGUMENT:
    case PTX_ERROR_NOT_FOUND:
    case PTX_ERROR_LAUNCH: return EXIT_USAGE;
    default: return EXIT_STOPPED;
    }
}

void machine_tell_failure(const struct outcome *outcome, const struct modules *modules,
                          const struct arguments *arguments)
{
    switch (outcome->status) {
    case PTX_OK: break;
    case PTX_ERROR_FAULT:
    case PTX_ERROR_DEADLOCK:
    case PTX_ERROR_LIMIT:
    case PTX_ERROR_INTERRUPTED: report_fault(outcome, modules, arguments); break;
    case PTX_ERROR_UNSUPPORTED: report_refusal(outcome, modules); break;
    default:
        fflush(stdout);
        fprintf(stderr, "ptxvm: %s%s%s\n", ptx_status_name(outcome->status), *outcome->message ? ": " : "",
                outcome->message);
    }
}
