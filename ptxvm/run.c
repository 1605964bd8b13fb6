/* run.c - one run: load, choose a kernel, make arguments, launch, tell.
 *
 * The order is such that everything the user can have wrong is found before the device is made: files,
 * kernel, arguments, host libraries. After the launch the buffers are read back whatever happened, because
 * what a kernel wrote before a fault helps to find it. */
#include "run.h"

#include <dlfcn.h>
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
#include "counts.h"
#include "ptx_info.h"
#include "report.h"
#include "trace.h"
#include "watch.h"

/* ---- host functions ---- */

struct libraries {
    void **at;
    unsigned n;
};

static void libraries_open(struct libraries *libraries, const struct words *names)
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

static void libraries_close(struct libraries *libraries)
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

/* Where the text of the kernels goes, and whether there was any. */
struct output {
    FILE *file;
    bool any;
    struct trace *trace; /* NULL */
    struct hot *hot;     /* the same */
    struct notices notices;
};

static int write_output(void *user, const char *text, size_t size)
{
    struct output *output = user;
    output->any |= size > 0;
    return fwrite(text, 1, size, output->file) == size ? 0 : -1;
}

/* Of kernels as they are launched: beside what they print. */
static int write_dump(void *user, const char *text, size_t size)
{
    (void)user;
    return fwrite(text, 1, size, stderr) == size ? 0 : -1;
}

static ptx_device *make_device(const struct options *options, struct output *output)
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

static ptx_program *make_program(ptx_device *device, const struct modules *modules,
                                 struct libraries *libraries, ptx_fmad fmad)
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

/* An instruction that this VM cannot run is no fault of the program. */
static int exit_code_of(ptx_status status, const ptx_fault *fault)
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

static void tell_failure(const struct outcome *outcome, const struct modules *modules,
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
    int code = exit_code_of(outcome->status, &outcome->fault);
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
    tell_failure(outcome, modules, arguments);
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
    ptx_device *device = make_device(options, &output);
    check_prepare(device, options);
    ptx_program *program = make_program(device, modules, &libraries, options->fmad);
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
    ptx_device *device = make_device(options, &output);
    ptx_program *program = make_program(device, modules, &libraries, options->fmad);
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
    ptx_device *device = make_device(options, &output);
    ptx_program *program = make_program(device, modules, &libraries, options->fmad);
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
