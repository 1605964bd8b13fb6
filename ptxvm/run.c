/* run.c - one run: load, choose a kernel, make arguments, launch, tell.
 *
 * The order is such that everything the user can have wrong is found before the device is made: files,
 * kernel, arguments, host libraries. After the launch the buffers are read back whatever happened, because
 * what a kernel wrote before a fault helps to find it. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "expect.h"
#include "fail.h"
#include "hot.h"
#include "launches.h"
#include "notice.h"
#include "list.h"
#include "check.h"
#include "machine.h"
#include "counts.h"
#include "ptx_info.h"
#include "report.h"
#include "trace.h"
#include "watch.h"

/* ---- the launch ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

enum { NON_PORTABLE_CLUSTERS = 14 /* the driver's number: clusters of 16 blocks, too */ };

static struct outcome launch(ptx_device *device, ptx_kernel *kernel, const struct arguments *arguments,
                             const struct options *options)
{
    struct outcome outcome = {.fault = {.struct_size = sizeof outcome.fault},
                              .progress = {.struct_size = sizeof outcome.progress}};
    const ptx_launch_config config = {
        .struct_size = sizeof config,
        .grid = {options->grid[0], options->grid[1], options->grid[2]},
        .block = {options->block[0], options->block[1], options->block[2]},
        .cluster = {options->cluster[0], options->cluster[1], options->cluster[2]},
        .shared_bytes = options->shared_bytes,
        .cooperative = options->cooperative,
        .params = arguments->params,
        .param_bytes = arguments->param_bytes,
    };
    ptx_kernel_attribute_set(kernel, NON_PORTABLE_CLUSTERS, 1);
    struct watch *watch = watch_start(device);
    const double start = now();
    outcome.status = ptx_kernel_launch(kernel, &config, &outcome.fault);
    outcome.seconds = now() - start;
    watch_stop(watch);
    ptx_device_progress(device, &outcome.progress);
    outcome.message = ptx_device_message(device);
    return outcome;
}

static void write_outs(const struct arguments *arguments, const struct kernel *kernel,
                       const struct options *options)
{
    for (unsigned i = 0; i < options->outs.n; i++) {
        const char *equals = strchr(options->outs.at[i], '=');
        const size_t length = (size_t)(equals - options->outs.at[i]);
        array_write(&arguments_find(arguments, kernel, options->outs.at[i], length)->after, equals + 1);
    }
}

/* Names in --out, --print and --expect are checked before the launch, which may take long. */
static void check_names(const struct arguments *arguments, const struct kernel *kernel,
                        const struct options *options)
{
    size_t count;
    for (unsigned i = 0; i < options->outs.n; i++)
        arguments_find(arguments, kernel, options->outs.at[i], strcspn(options->outs.at[i], "="));
    for (unsigned i = 0; i < options->expects.n; i++)
        arguments_find(arguments, kernel, options->expects.at[i], strcspn(options->expects.at[i], "="));
    for (unsigned i = 0; i < options->prints.n; i++)
        arguments_find(arguments, kernel, options->prints.at[i], print_word(options->prints.at[i], &count));
}

static int tell(ptx_device *device, const struct outcome *outcome, const struct modules *modules,
                const struct arguments *arguments, const struct kernel *kernel, const struct options *options)
{
    int code = machine_exit_code(outcome->status, &outcome->fault);
    fflush(stdout);
    if (code == EXIT_FINE) {
        write_outs(arguments, kernel, options);
        if (!expectations_hold(arguments, kernel, options)) code = EXIT_EXPECTATION;
    }
    if (!launches_hold(device, options) && code == EXIT_FINE) code = EXIT_EXPECTATION;
    launches_write(device, options);
    if (options->counts_file) counts_write(device, options->counts_file);
    if (options->json) {
        if (options->strict && code == EXIT_FINE && notices_refused(outcome->notices)) code = EXIT_FAULT;
        return report_json(device, outcome, code, arguments, kernel, options);
    }
    if (code != EXIT_USAGE && code != EXIT_ASSEMBLY) report_buffers(outcome, arguments, kernel, options);
    if (options->counts && !options->counts_file) {
        report_counts(outcome, kernel, options);
        counts_print(device, options);
    }
    launches_print(device, options);
    machine_tell_failure(outcome, modules, arguments);
    if (options->strict && code == EXIT_FINE && notices_refused(outcome->notices)) code = EXIT_FAULT;
    return options->check ? check_report(device, code, modules, arguments, options) : code;
}

static int run_kernel(const struct modules *modules, const struct kernel *chosen,
                      const struct options *options)
{
    struct arguments arguments;
    struct libraries libraries;
    ptx_kernel *kernel;
    arguments_make(&arguments, chosen, options);
    check_names(&arguments, chosen, options);
    kernel_warn_unset(chosen, options);
    libraries_open(&libraries, &options->host_libs);
    struct output output = {.file = options->json ? stderr
                                                  : stdout, /* --json keeps standard output for its object */
                            .trace = trace_open(options->trace_file),
                            .hot = hot_open(options),
                            .notices.quiet = options->quiet};
    ptx_device *device = machine_device(options, &output);
    check_prepare(device, options);
    ptx_program *program = machine_program(device, modules, &libraries, options->fmad);
    const ptx_status status = ptx_program_module_kernel(program, chosen->number, chosen->info.name, &kernel);
    if (status != PTX_OK) fail(EXIT_ASSEMBLY, "%s: %s", chosen->info.name, ptx_status_name(status));
    variables_set(device, program, modules, options);
    arguments_upload(&arguments, device);
    struct outcome outcome = launch(device, kernel, &arguments, options);
    outcome.printed = output.any;
    outcome.notices = &output.notices;
    notices_end(&output.notices);
    trace_close(output.trace);
    arguments_download(&arguments, device);
    if (options->check) arguments_release(&arguments, device); /* what is left then leaks */
    const int code = tell(device, &outcome, modules, &arguments, chosen, options);
    if (output.hot && code != EXIT_USAGE && code != EXIT_ASSEMBLY)
        hot_report(output.hot, device, program, modules, options);
    hot_close(output.hot);
    ptx_program_destroy(program);
    ptx_device_destroy(device);
    notices_free(&output.notices);
    libraries_close(&libraries);
    arguments_free(&arguments);
    return code;
}

/* Nothing says how to run these kernels: tell what there is. */
static bool must_list(const struct kernel *kernel, bool chosen, const struct options *options)
{
    return !chosen || (kernel->info.param_count && options->arguments.n == 0);
}

static void print_gap(void *user, const ptx_gap *gap)
{
    unsigned *gaps = user;
    ++*gaps;
    if (!*gap->instruction)
        printf("%s\n", gap->why);
    else
        printf("%s:%u:%u: '%s' %s (%s)\n", gap->file, gap->line, gap->column, gap->instruction, gap->why,
               gap->function);
}

/* --coverage: what of the program would not run. */
static int list_gaps(const struct modules *modules, const struct options *options)
{
    struct libraries libraries;
    struct output output = {.file = stdout};
    unsigned gaps = 0;
    uint64_t instructions;
    libraries_open(&libraries, &options->host_libs);
    ptx_device *device = machine_device(options, &output);
    ptx_program *program = machine_program(device, modules, &libraries, options->fmad);
    const ptx_status status = ptx_program_gaps(program, print_gap, &gaps, &instructions);
    if (status != PTX_OK) fail(EXIT_STOPPED, "%s", ptx_status_name(status));
    printf("%u places cannot be run, of %llu instructions%s\n", gaps, (unsigned long long)instructions,
           gaps ? "; docs/ptxvm.md says what does not run yet" : "");
    ptx_program_destroy(program);
    ptx_device_destroy(device);
    libraries_close(&libraries);
    return gaps ? EXIT_EXPECTATION : EXIT_FINE;
}

static int print_dump(void *user, const char *text, size_t size)
{
    (void)user;
    return fwrite(text, 1, size, stdout) == size ? 0 : -1;
}

/* --dump-ir: what the engine makes of the program's kernels. */
static int show_ir(const struct modules *modules, const struct options *options)
{
    struct libraries libraries;
    struct output output = {.file = stdout};
    libraries_open(&libraries, &options->host_libs);
    ptx_device *device = machine_device(options, &output);
    ptx_program *program = machine_program(device, modules, &libraries, options->fmad);
    const unsigned threads = options->block[0] * options->block[1] * options->block[2];
    const ptx_status status =
        ptx_program_show_ir(program, options->dump_ir, threads > 1 ? threads : 0, print_dump, NULL);
    if (status == PTX_ERROR_INVALID_ARGUMENT) fail(EXIT_USAGE, "--dump-ir: %s", ptx_device_message(device));
    if (status != PTX_OK) fail(EXIT_STOPPED, "%s", ptx_status_name(status));
    ptx_program_destroy(program);
    ptx_device_destroy(device);
    libraries_close(&libraries);
    return EXIT_FINE;
}

int run(const struct options *options)
{
    struct modules modules;
    struct kernel kernel;
    int code;
    modules_load(&modules, options);
    if (options->coverage) {
        code = list_gaps(&modules, options);
        modules_free(&modules);
        return code;
    }
    if (options->dump) {
        code = show_ir(&modules, options);
        modules_free(&modules);
        return code;
    }
    const bool chosen = !options->list && kernel_choose(&kernel, &modules, options);
    if (options->list) {
        kernels_list(&modules, options);
        code = EXIT_FINE;
    } else if (must_list(&kernel, chosen, options)) {
        kernels_list(&modules, options);
        fflush(stdout);
        fprintf(stderr,
                chosen ? "ptxvm: %s takes arguments (-a)\n" : "ptxvm: several kernels; choose one with -k\n",
                kernel.info.name);
        code = EXIT_USAGE;
    } else {
        code = run_kernel(&modules, &kernel, options);
    }
    modules_free(&modules);
    return code;
}
