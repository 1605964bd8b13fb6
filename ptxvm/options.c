/* options.c - the command line, as a table of long options over getopt_long.
 *
 * Each option is a case of one switch that stores one value. A value is checked here as far as it can be
 * without the module; names of kernels and parameters are resolved later (kernel.c, args.c). */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "check.h"
#include "fail.h"
#include "ptxvm.h"
#include "ptx_tools.h"

enum { CHECK_LIMIT = 100 };

/* ---- values ---- */

void words_add(struct words *words, const char *word)
{
    words->at = must_grow(words->at, (words->n + 1) * sizeof *words->at);
    words->at[words->n++] = word;
}

static uint64_t number(const char *option, const char *text, uint64_t most)
{
    char *end;
    errno = 0;
    const uint64_t value = strtoull(text, &end, 0);
    if (end == text || *end || errno || *text == '-' || value > most)
        fail(EXIT_USAGE, "%s: '%s' is no number from 0 to %llu", option, text, (unsigned long long)most);
    return value;
}

static uint64_t bytes(const char *option, const char *text, uint64_t most)
{
    static const char suffixes[] = "KMG";
    char *end;
    const uint64_t value = strtoull(text, &end, 0);
    const char *suffix = *end ? strchr(suffixes, *end & ~32) : NULL;
    const unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    if (end == text || *text == '-' || (*end && (!suffix || end[1])) || value > most >> shift)
        fail(EXIT_USAGE, "%s: '%s' is no number of bytes", option, text);
    return value << shift;
}

static double real(const char *option, const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0)) fail(EXIT_USAGE, "%s: '%s' is no number >= 0", option, text);
    return value;
}

/* "X", "X,Y" or "X,Y,Z". */
static void shape(const char *option, const char *text, unsigned extent[3])
{
    const char *at = text;
    extent[1] = extent[2] = 1;
    for (int i = 0; i < 3; i++) {
        char *end;
        const unsigned long value = strtoul(at, &end, 0);
        if (end == at || *at == '-' || value == 0 || value > 0xffffffffu) break;
        extent[i] = (unsigned)value;
        if (!*end) return;
        if (*end != ',') break;
        at = end + 1;
    }
    fail(EXIT_USAGE, "%s: '%s' is not X, X,Y or X,Y,Z with numbers from 1", option, text);
}

static uint64_t milliseconds(const char *text)
{
    const double seconds = real("--timeout", text);
    if (seconds > 1e12) fail(EXIT_USAGE, "--timeout: '%s' is too long", text);
    return seconds > 0 && seconds < 0.001 ? 1 : (uint64_t)(seconds * 1000);
}

/* Is it the first of the two words that it can be? */
static bool is_first(const char *option, const char *text, const char *first, const char *second)
{
    if (strcmp(text, first) == 0) return true;
    if (strcmp(text, second) != 0) fail(EXIT_USAGE, "%s is %s or %s, not '%s'", option, first, second, text);
    return false;
}

/* late, early, random:SEED. */
static void async(struct options *options, const char *text)
{
    if (strcmp(text, "late") == 0)
        options->async = PTX_ASYNC_LATE;
    else if (strcmp(text, "early") == 0)
        options->async = PTX_ASYNC_EARLY;
    else if (strncmp(text, "random:", 7) == 0) {
        options->async = PTX_ASYNC_RANDOM;
        options->async_seed = number("--async random", text + 7, UINT32_MAX);
    } else
        fail(EXIT_USAGE, "--async is late, early or random:SEED, not '%s'", text);
}

static void schedule(struct options *options, const char *text)
{
    if (strncmp(text, "random:", 7) != 0) fail(EXIT_USAGE, "--schedule is random:SEED, not '%s'", text);
    options->schedule = PTX_SCHEDULE_RANDOM;
    options->schedule_seed = number("--schedule random", text + 7, UINT32_MAX);
}

/* N or N,SEED. */
static void exploration(struct options *options, const char *text)
{
    char *end;
    options->explore = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || !options->explore || (*end && *end != ','))
        fail(EXIT_USAGE, "--explore: '%s' is not N or N,SEED", text);
    options->explore_seed = *end ? number("--explore", end + 1, UINT32_MAX) : 1;
}

static void counts(struct options *options, const char *text)
{
    options->counts = true;
    if (!text) return;
    if (strcmp(text, "lines") == 0)
        options->counts_lines = true;
    else if (strncmp(text, "json:", 5) == 0 && text[5])
        options->counts_file = text + 5;
    else
        fail(EXIT_USAGE, "--counts takes nothing, =lines or =json:FILE, not '=%s'", text);
}

static void hot(struct options *options, const char *text)
{
    options->hot = true;
    if (!text) return;
    static const char *const forms[] = {[HOT_JSON] = "json:", [HOT_HTML] = "html:", [HOT_FOLDED] = "folded:"};
    for (unsigned i = 0; i <= HOT_FOLDED; i++) {
        const size_t n = strlen(forms[i]);
        if (strncmp(text, forms[i], n) != 0 || !text[n]) continue;
        options->hot_form = (enum hot_form)i;
        options->hot_file = text + n;
        return;
    }
    fail(EXIT_USAGE, "--hot takes nothing or =json:FILE, =html:FILE, =folded:FILE, not '=%s'", text);
}

/* text, or a form with a file. */
static void launches(struct options *options, const char *text)
{
    const char *colon = text ? strchr(text, ':') : NULL;
    options->launches = true;
    options->launches_to = text;
    if (!text || strcmp(text, "text") == 0) return;
    const size_t n = colon ? (size_t)(colon - text) : 0;
    const bool known = n == 8   ? strncmp(text, "timeline", n) == 0
                       : n == 3 ? strncmp(text, "svg", n) == 0 || strncmp(text, "dot", n) == 0
                                : n == 4 && (strncmp(text, "json", n) == 0 || strncmp(text, "text", n) == 0);
    if (!known || !colon[1])
        fail(EXIT_USAGE,
             "--launches takes nothing, =text, =json:FILE, =svg:FILE, =dot:FILE or =timeline:FILE, not '=%s'",
             text);
}

static void expect_launch(struct options *options, const char *before, const char *pattern)
{
    words_add(&options->launch_patterns, must_print("%s%s", before, pattern));
}

static const char *known_arch(const char *text)
{
    for (size_t i = 0; ptx_known_arch(PTX_PROFILE_ALL, i); i++)
        if (strcmp(ptx_known_arch(PTX_PROFILE_ALL, i), text) == 0) return text;
    fail(EXIT_USAGE, "--arch: '%s' is no architecture known here", text);
}

/* NAME=FILE, with an ending that can be written. */
static const char *output_file(const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || file_format_of(equals + 1) == FORMAT_NONE)
        fail(EXIT_USAGE, "--out: '%s' is not NAME=FILE with .npy, .bin, .csv or .png", text);
    return text;
}

static const char *variable(const char *text)
{
    if (!strchr(text, '='))
        fail(EXIT_USAGE, "--set: '%s' is not NAME=TYPE:NUMBER or NAME=TYPE[N]=INIT", text);
    return text;
}

static const char *expectation(const char *text)
{
    if (!strchr(text, '=')) fail(EXIT_USAGE, "--expect: '%s' is not NAME=FILE or NAME=VALUE,...", text);
    return text;
}

/* ---- the options ---- */

enum {
    OPT_HELP = 256,
    OPT_VERSION,
    OPT_SET,
    OPT_OUT,
    OPT_PRINT,
    OPT_EXPECT,
    OPT_EXPECT_LAUNCH,
    OPT_EXPECT_NO_LAUNCH,
    OPT_EXPECT_DEPTH,
    OPT_ATOL,
    OPT_RTOL,
    OPT_ULP,
    OPT_SEED,
    OPT_THREADS,
    OPT_MAX_STEPS,
    OPT_TIMEOUT,
    OPT_MEMORY,
    OPT_MAX_HOST,
    OPT_MAX_OUTPUT,
    OPT_HEAP,
    OPT_DEPTH,
    OPT_PENDING,
    OPT_ARCH,
    OPT_COUNTS,
    OPT_TRACE,
    OPT_HOT,
    OPT_LAUNCHES,
    OPT_CHECK,
    OPT_EXPLORE,
    OPT_CHECK_EXIT,
    OPT_CHECK_LIMIT,
    OPT_POISON,
    OPT_SUPPRESS,
    OPT_SARIF,
    OPT_SCHEDULE,
    OPT_JSON,
    OPT_LIST,
    OPT_COVERAGE,
    OPT_QUIET,
    OPT_DETERMINISTIC,
    OPT_APPROX,
    OPT_UB,
    OPT_FMAD,
    OPT_ASYNC,
    OPT_ENGINE,
    OPT_DUMP_IR,
    OPT_PROFILE,
    OPT_HOST_LIB,
    OPT_CLUSTER,
    OPT_COOPERATIVE,
    OPT_TEST,
    OPT_EXEC,
    OPT_DEVICES,
    OPT_STRICT,
    OPT_REPORT,
    OPT_SAVE_PTX,
    OPT_REGISTERS,
    OPT_TIMELINE
};

static const struct option long_options[] = {
    {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},
    {"kernel", required_argument, NULL, 'k'},
    {"grid", required_argument, NULL, 'g'},
    {"block", required_argument, NULL, 'b'},
    {"shared", required_argument, NULL, 's'},
    {"arg", required_argument, NULL, 'a'},
    {"set", required_argument, NULL, OPT_SET},
    {"out", required_argument, NULL, OPT_OUT},
    {"print", required_argument, NULL, OPT_PRINT},
    {"expect", required_argument, NULL, OPT_EXPECT},
    {"atol", required_argument, NULL, OPT_ATOL},
    {"rtol", required_argument, NULL, OPT_RTOL},
    {"ulp", required_argument, NULL, OPT_ULP},
    {"seed", required_argument, NULL, OPT_SEED},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"max-steps", required_argument, NULL, OPT_MAX_STEPS},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"memory", required_argument, NULL, OPT_MEMORY},
    {"max-host", required_argument, NULL, OPT_MAX_HOST},
    {"max-output", required_argument, NULL, OPT_MAX_OUTPUT},
    {"heap", required_argument, NULL, OPT_HEAP},
    {"launch-depth", required_argument, NULL, OPT_DEPTH},
    {"pending-launches", required_argument, NULL, OPT_PENDING},
    {"arch", required_argument, NULL, OPT_ARCH},
    {"counts", optional_argument, NULL, OPT_COUNTS},
    {"trace", required_argument, NULL, OPT_TRACE},
    {"hot", optional_argument, NULL, OPT_HOT},
    {"launches", optional_argument, NULL, OPT_LAUNCHES},
    {"expect-launch", required_argument, NULL, OPT_EXPECT_LAUNCH},
    {"expect-no-launch", required_argument, NULL, OPT_EXPECT_NO_LAUNCH},
    {"expect-depth", required_argument, NULL, OPT_EXPECT_DEPTH},
    {"check", required_argument, NULL, OPT_CHECK},
    {"explore", required_argument, NULL, OPT_EXPLORE},
    {"check-exit", required_argument, NULL, OPT_CHECK_EXIT},
    {"check-limit", required_argument, NULL, OPT_CHECK_LIMIT},
    {"poison", required_argument, NULL, OPT_POISON},
    {"check-suppress", required_argument, NULL, OPT_SUPPRESS},
    {"check-sarif", required_argument, NULL, OPT_SARIF},
    {"json", no_argument, NULL, OPT_JSON},
    {"list", no_argument, NULL, OPT_LIST},
    {"coverage", no_argument, NULL, OPT_COVERAGE},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"deterministic", no_argument, NULL, OPT_DETERMINISTIC},
    {"approx", required_argument, NULL, OPT_APPROX},
    {"ub", required_argument, NULL, OPT_UB},
    {"fmad", required_argument, NULL, OPT_FMAD},
    {"async", required_argument, NULL, OPT_ASYNC},
    {"engine", required_argument, NULL, OPT_ENGINE},
    {"dump-ir", optional_argument, NULL, OPT_DUMP_IR},
    {"schedule", required_argument, NULL, OPT_SCHEDULE},
    {"profile", required_argument, NULL, OPT_PROFILE},
    {"host-lib", required_argument, NULL, OPT_HOST_LIB},
    {"cluster", required_argument, NULL, OPT_CLUSTER},
    {"cooperative", no_argument, NULL, OPT_COOPERATIVE},
    {"test", no_argument, NULL, OPT_TEST},
    {"exec", required_argument, NULL, OPT_EXEC},
    {"devices", required_argument, NULL, OPT_DEVICES},
    {"strict", no_argument, NULL, OPT_STRICT},
    {"report", required_argument, NULL, OPT_REPORT},
    {"timeline", required_argument, NULL, OPT_TIMELINE},
    {"registers", required_argument, NULL, OPT_REGISTERS},
    {"save-ptx", required_argument, NULL, OPT_SAVE_PTX},
    {NULL, 0, NULL, 0}};

static void print_version(void)
{
    printf("ptxvm %d.%d, PTX ISA %d.%d\n", PTX_VERSION_MAJOR, PTX_VERSION_MINOR, PTX_ISA_VERSION / 10,
           PTX_ISA_VERSION % 10);
    exit(EXIT_FINE);
}

static void print_help(void)
{
    for (size_t i = 0; help_text[i]; i++) fputs(help_text[i], stdout);
    exit(EXIT_FINE);
}

static bool store_program_option(struct options *options, int option, const char *value)
{
    switch (option) {
    case OPT_DEVICES: options->devices = (unsigned)number("--devices", value, 32); return true;
    case OPT_REPORT: options->report = value; return true;
    case OPT_SAVE_PTX: options->save_ptx = value; return true;
    default: return false;
    }
}

/* What follows --exec PROGRAM is the program's. */
static void store_program(struct options *options, char *program, char **arguments, int n)
{
    options->program = must_alloc((unsigned long)(n + 2) * sizeof *options->program);
    options->program[0] = program;
    for (int i = 0; i < n; i++) options->program[i + 1] = arguments[i];
}

/* What runs and with which data; false when `option` is another kind. */
static bool store_kernel_option(struct options *options, int option, const char *value)
{
    switch (option) {
    case 'k':
        if (options->kernel)
            fail(EXIT_USAGE, "-k %s and -k %s: a run has one kernel", options->kernel, value);
        options->kernel = value;
        return true;
    case 'g': shape("-g", value, options->grid); return true;
    case 'b': shape("-b", value, options->block); return true;
    case 's': options->shared_bytes = (unsigned)bytes("-s", value, UINT32_MAX); return true;
    case 'a': words_add(&options->arguments, value); return true;
    case OPT_SET: words_add(&options->sets, variable(value)); return true;
    case OPT_CLUSTER: shape("--cluster", value, options->cluster); return true;
    case OPT_COOPERATIVE: options->cooperative = true; return true;
    case OPT_SEED: options->seed = number("--seed", value, UINT64_MAX); return true;
    case OPT_HOST_LIB: words_add(&options->host_libs, value); return true;
    case OPT_OUT: words_add(&options->outs, output_file(value)); return true;
    case OPT_PRINT: words_add(&options->prints, value); return true;
    default: return false;
    }
}

static bool store_expectation(struct options *options, int option, const char *value)
{
    switch (option) {
    case OPT_EXPECT: words_add(&options->expects, expectation(value)); return true;
    case OPT_EXPECT_LAUNCH: expect_launch(options, "", value); return true;
    case OPT_EXPECT_NO_LAUNCH: expect_launch(options, "0 x ", value); return true;
    case OPT_EXPECT_DEPTH: expect_launch(options, "depth ", value); return true;
    case OPT_ATOL: options->atol = real("--atol", value); return true;
    case OPT_RTOL: options->rtol = real("--rtol", value); return true;
    case OPT_ULP: options->ulp = number("--ulp", value, UINT64_MAX - 1); return true;
    default: return false;
    }
}

static bool store_device_option(struct options *options, int option, const char *value)
{
    switch (option) {
    case OPT_THREADS: options->threads = (unsigned)number("--threads", value, 4096); return true;
    case OPT_MAX_STEPS: options->max_steps = number("--max-steps", value, UINT64_MAX); return true;
    case OPT_TIMEOUT: options->timeout_ms = milliseconds(value); return true;
    case OPT_MEMORY: options->memory_bytes = bytes("--memory", value, UINT64_MAX); return true;
    case OPT_MAX_HOST: options->max_host = bytes("--max-host", value, UINT64_MAX); return true;
    case OPT_MAX_OUTPUT: options->max_output = bytes("--max-output", value, UINT64_MAX); return true;
    case OPT_HEAP: options->heap_bytes = bytes("--heap", value, UINT64_MAX); return true;
    case OPT_DEPTH: options->launch_depth = (unsigned)number("--launch-depth", value, 1 << 20); return true;
    case OPT_PENDING:
        options->pending_launches = (unsigned)number("--pending-launches", value, 1 << 30);
        return true;
    case OPT_ARCH: options->arch = known_arch(value); return true;
    case OPT_DETERMINISTIC: options->deterministic = true; return true;
    case OPT_APPROX: options->approx_exact = is_first("--approx", value, "exact", "chip"); return true;
    case OPT_UB: options->ub_chip = is_first("--ub", value, "chip", "fault"); return true;
    case OPT_FMAD:
        options->fmad = is_first("--fmad", value, "true", "false") ? PTX_FMAD_ON : PTX_FMAD_OFF;
        return true;
    case OPT_ASYNC: async(options, value); return true;
    case OPT_ENGINE: options->engine = value; return true;
    case OPT_DUMP_IR:
        options->dump = true;
        options->dump_ir = value ? value : "";
        return true;
    case OPT_PROFILE:
        options->profile = is_first("--profile", value, "all", "13.0") ? PTX_PROFILE_ALL : PTX_PROFILE_13_0;
        return true;
    case OPT_SCHEDULE: schedule(options, value); return true;
    case OPT_COUNTS: counts(options, value); return true;
    case OPT_TRACE: options->trace_file = value; return true;
    case OPT_HOT: hot(options, value); return true;
    case OPT_TIMELINE:
        options->timeline = must_print("timeline:%s", value);
        launches(options, options->timeline);
        return true;
    case OPT_REGISTERS: options->registers = (unsigned)number("--registers", value, 255); return true;
    case OPT_LAUNCHES: launches(options, value); return true;
    default: return false;
    }
}

static bool store_check_option(struct options *options, int option, const char *value)
{
    switch (option) {
    case OPT_CHECK:
        options->check = check_words(value);
        options->check_words = value;
        return true;
    case OPT_EXPLORE: exploration(options, value); return true;
    case OPT_CHECK_EXIT: options->check_exit = (int)number("--check-exit", value, 255); return true;
    case OPT_CHECK_LIMIT:
        options->check_limit = (unsigned)number("--check-limit", value, UINT32_MAX);
        return true;
    case OPT_SUPPRESS: options->suppress = value; return true;
    case OPT_SARIF: options->sarif = value; return true;
    case OPT_POISON: options->poison = 256 + (int)number("--poison", value, 255); return true;
    default: return false;
    }
}

static void store_mode(struct options *options, int option)
{
    switch (option) {
    case OPT_HELP: print_help(); break;
    case OPT_VERSION: print_version(); break;
    case OPT_JSON: options->json = true; break;
    case OPT_LIST: options->list = true; break;
    case OPT_COVERAGE: options->coverage = true; break;
    case OPT_QUIET: options->quiet = true; break;
    case OPT_TEST: options->test = true; break;
    case OPT_STRICT: options->strict = true; break;
    default: fail(EXIT_USAGE, "the options are not understood"); /* getopt_long has said which */
    }
}

void options_parse(struct options *options, int argc, char **argv)
{
    int option;
    *options = (struct options){.grid = {1, 1, 1},
                                .block = {1, 1, 1},
                                .dump_ir = getenv("PTXVM_DUMP_IR"),
                                .check_limit = CHECK_LIMIT,
                                .check_exit = EXIT_FOUND};
    optind = 0; /* start afresh: tests parse many command lines */
    while ((option = getopt_long(argc, argv, "k:g:b:s:a:hV", long_options, NULL)) != -1) {
        if (option == 'h') option = OPT_HELP;
        if (option == 'V') option = OPT_VERSION;
        if (option == OPT_EXEC) {
            if (options->explore) fail(EXIT_USAGE, "--explore does not go with --exec");
            if (options->trace_file) fail(EXIT_USAGE, "--trace does not go with --exec");
            if (options->hot) fail(EXIT_USAGE, "--hot does not go with --exec yet");
            if (options->launch_patterns.n)
                fail(EXIT_USAGE, "--expect-launch and its kin do not go with --exec");
            store_program(options, optarg, argv + optind, argc - optind);
            return;
        }
        if (!store_kernel_option(options, option, optarg) && !store_expectation(options, option, optarg) &&
            !store_device_option(options, option, optarg) && !store_check_option(options, option, optarg) &&
            !store_program_option(options, option, optarg))
            store_mode(options, option);
    }
    for (int i = optind; i < argc; i++) words_add(&options->files, argv[i]);
    if (options->hot && !options->hot_file && options->json)
        fail(EXIT_USAGE, "with --json the table goes to a file: --hot=json:FILE");
    if (options->hot && options->trace_file) fail(EXIT_USAGE, "--hot and --trace do not go together");
    if (options->report || options->devices || options->save_ptx)
        fail(EXIT_USAGE, "--report, --devices and --save-ptx go with --exec, and stand before it");
    if (options->files.n == 0) fail(EXIT_USAGE, "no file is given");
}

void options_free(struct options *options)
{
    struct words *const all[] = {&options->files,  &options->arguments, &options->sets,     &options->outs,
                                 &options->prints, &options->expects,   &options->host_libs};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]->at);
    for (unsigned i = 0; i < options->launch_patterns.n; i++) free((char *)options->launch_patterns.at[i]);
    free(options->launch_patterns.at);
    free(options->timeline);
    free(options->program);
}
