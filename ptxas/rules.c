/* rules.c - options that contradict one another.
 *
 * Build systems are written against ptxas's verdict on a command line, so it is given here too, in its order
 * and words, although no option about code generation does anything: each function below judges one subject.
 * Warnings are dropped by -w and raised by -Werror like those about modules; errors let ptxas read the files
 * before it ends. */
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "messages.h"
#include "options.h"

struct judge {
    const struct options *options;
    enum option_verdict verdict;
};

static bool given(const struct judge *judge, enum option_id id)
{
    return option_given(judge->options, id);
}

static const char *text_of(const struct judge *judge, enum option_id id)
{
    return judge->options->values[id].text;
}

static void error(struct judge *judge, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fatal(struct judge *judge, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warning(struct judge *judge, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct judge *judge, ptx_severity severity, const char *format, va_list arguments)
{
    const enum option_verdict verdict = severity == PTX_FATAL   ? OPTIONS_STOP
                                        : severity == PTX_ERROR ? OPTIONS_FAILED
                                                                : OPTIONS_FINE;
    if (judge->verdict == OPTIONS_STOP) return;
    message_plain_list(severity, format, arguments);
    if (verdict > judge->verdict) judge->verdict = verdict;
}

static void error(struct judge *judge, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(judge, PTX_ERROR, format, arguments);
    va_end(arguments);
}

/* Nothing is judged after it. */
static void fatal(struct judge *judge, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(judge, PTX_FATAL, format, arguments);
    va_end(arguments);
}

/* The layouts that are one document have no place for advice about options. */
static void warning(struct judge *judge, const char *format, ...)
{
    const struct options *options = judge->options;
    va_list arguments;
    if (options->no_warnings || (options->layout >= LAYOUT_JSON && !options->warnings_are_errors)) return;
    va_start(arguments, format);
    say(judge, options->warnings_are_errors ? PTX_ERROR : PTX_WARNING, format, arguments);
    va_end(arguments);
}

/* ---- speed of compilation ---- */

static void judge_register_usage(struct judge *judge)
{
    const long level = judge->options->values[OPTION_REGISTER_USAGE_LEVEL].number;
    if (given(judge, OPTION_REGISTER_USAGE_LEVEL) && (level < 0 || level > 10))
        warning(judge, "Value of RegUsageLevel (%ld) is out of valid range {0..10}, option will be ignored",
                level);
}

/* Each fast level stands for one optimisation level. */
static void judge_fast_compile(struct judge *judge)
{
    static const struct {
        const char *name, *others;
        long level;
    } fast[] = {{"0", NULL, 0}, {"min", "0,2,3", 1}, {"mid", "0,2,3", 1}, {"max", "1,2,3", 0}};
    const char *name = text_of(judge, OPTION_OFAST_COMPILE);
    size_t i = 0;
    while (name && i < 4 && strcmp(fast[i].name, name) != 0) i++;
    if (i == 4)
        fatal(judge, "Invalid value for --Ofast-compile/-Ofc (%s), is not 'max', 'mid', 'min', or '0'", name);
    const long threads = judge->options->values[OPTION_SPLIT_COMPILE].number;
    if (threads < 0) fatal(judge, "Invalid value '%ld' for option '--split-compile'", threads);
    if (i < 4 && fast[i].others && given(judge, OPTION_OPT_LEVEL) &&
        judge->options->values[OPTION_OPT_LEVEL].number != fast[i].level)
        fatal(judge, "Conflicting options -opt-level=<%s> and --Ofast-compile=%s specified", fast[i].others,
              name);
}

/* ---- what is made ---- */

static void judge_kind(struct judge *judge)
{
    if (given(judge, OPTION_COMPILE_ONLY) && given(judge, OPTION_EXTENSIBLE_WHOLE_PROGRAM))
        warning(judge,
                "Conflicting options '--compile-only' and '--extensible-whole-program' specified, ignoring "
                "'--extensible-whole-program' option");
    if (given(judge, OPTION_DEVICE_DEBUG) && given(judge, OPTION_GENERATE_LINE_INFO))
        warning(judge, "Conflicting options --device-debug and --generate-line-info specified, ignoring "
                       "--generate-line-info option");
    if (given(judge, OPTION_COMPILE_ONLY) && given(judge, OPTION_COMPILE_AS_TOOLS_PATCH))
        fatal(judge, "Conflicting options '--compile-only' and --compile-as-tools-patch specified");
    if (given(judge, OPTION_EXTENSIBLE_WHOLE_PROGRAM) && given(judge, OPTION_COMPILE_AS_TOOLS_PATCH))
        fatal(judge,
              "Conflicting options '--extensible-whole-program' and --compile-as-tools-patch specified");
}

static void judge_debug(struct judge *judge)
{
    const char *fast = text_of(judge, OPTION_OFAST_COMPILE);
    const bool debug = given(judge, OPTION_DEVICE_DEBUG), level = given(judge, OPTION_REGISTER_USAGE_LEVEL);
    const bool optimized = judge->options->values[OPTION_OPT_LEVEL].number != 0;
    if (debug && optimized) fatal(judge, "Optimized debugging not supported");
    if (level && given(judge, OPTION_OPT_LEVEL) && !optimized)
        warning(judge, "Conflicting options '-O0' and '--register-usage-level' specified, ignoring "
                       "'--register-usage-level' option");
    if (debug && level)
        warning(judge,
                "Conflicting options '--device-debug' and '--register-usage-level' specified, ignoring "
                "'--register-usage-level' option");
    if (debug && fast && strcmp(fast, "0") != 0)
        warning(judge, "Conflicting options '--device-debug' and '--Ofast-compile=<min,mid,max>' specified, "
                       "ignoring '--Ofast-compile=<min,mid,max>' option");
    if (given(judge, OPTION_SANITIZE) && given(judge, OPTION_COMPILE_AS_TOOLS_PATCH))
        warning(judge, "Conflicting options '--sanitize' and '--compile-as-tools-patch' specified, ignoring "
                       "'--sanitize' option");
}

/* ---- caches ---- */

static void judge_modifier(struct judge *judge, enum option_id id, const char *access, const char *words)
{
    const char *value = text_of(judge, id), *at = value ? strstr(words, value) : NULL;
    if (value && !(at && strlen(value) == 2 && (at - words) % 3 == 0))
        error(judge, "Invalid default cache modifier on %s specified: %s", access, value);
}

static void judge_caches(struct judge *judge)
{
    static const char loads[] = "ca cg cs lu cv", stores[] = "wb cg cs wt";
    judge_modifier(judge, OPTION_DEF_LOAD_CACHE, "load", loads);
    judge_modifier(judge, OPTION_DEF_STORE_CACHE, "store", stores);
    judge_modifier(judge, OPTION_FORCE_LOAD_CACHE, "load", loads);
    judge_modifier(judge, OPTION_FORCE_STORE_CACHE, "store", stores);
    if (given(judge, OPTION_FORCE_LOAD_CACHE) && given(judge, OPTION_DEF_LOAD_CACHE))
        warning(judge, "Conflicting options force-load-cache and def-load-cache specified, ignoring "
                       "def-load-cache option");
    if (given(judge, OPTION_FORCE_STORE_CACHE) && given(judge, OPTION_DEF_STORE_CACHE))
        warning(judge, "Conflicting options force-store-cache and def-store-cache specified, ignoring "
                       "def-store-cache option");
}

/* ---- registers and threads ---- */

enum { ABI_REGISTERS = 24, MOST_REGISTERS = 255 };

/* "archmax", "archmin", or a number that is cut to 32 bits. False: it is none of these. */
static bool read_registers(struct judge *judge, enum option_id id, unsigned *registers)
{
    const char *text = text_of(judge, id);
    char *end;
    if (strcmp(text, "archmax") == 0 || strcmp(text, "archmin") == 0) {
        *registers = text[5] == 'a' ? MOST_REGISTERS : 32;
        return true;
    }
    *registers = (unsigned)strtol(text, &end, 0);
    if (*end) fatal(judge, "Invalid value '%s' for option '%s'", text, option_row(id)->name);
    return !*end;
}

/* A virtual architecture has no registers. */
static void judge_registers(struct judge *judge, unsigned registers)
{
    const char *arch = text_of(judge, OPTION_GPU_NAME);
    const unsigned least = arch && arch[0] == 'l' ? 16 : ABI_REGISTERS;
    if (registers > (judge->options->check_only ? 0 : MOST_REGISTERS))
        warning(judge, "Too big maxrregcount value specified %d, will be ignored", (int)registers);
    else if (registers < least)
        warning(judge, "For profile %s adjusting per thread register count of %u to lower bound of %u",
                arch ? arch : "sm_75", registers, least);
}

static void judge_maxrregcount(struct judge *judge)
{
    unsigned registers;
    if (!given(judge, OPTION_MAXRREGCOUNT) || !read_registers(judge, OPTION_MAXRREGCOUNT, &registers)) return;
    if (given(judge, OPTION_COMPILE_AS_TOOLS_PATCH) && registers > ABI_REGISTERS)
        error(judge, "Invalid value '%d' of 'maxrregcount' with option '--compile-as-tools-patch'",
              (int)registers);
    else
        judge_registers(judge, registers);
}

static void judge_function_registers(struct judge *judge)
{
    unsigned registers;
    if (!given(judge, OPTION_DEVICE_FUNCTION_MAXRREGCOUNT)) return;
    if (!given(judge, OPTION_COMPILE_ONLY))
        warning(judge, "Command line option 'device-function-maxrregcount' not supported for 'whole program "
                       "compilation', will be ignored");
    else if (read_registers(judge, OPTION_DEVICE_FUNCTION_MAXRREGCOUNT, &registers))
        judge_registers(judge, registers);
}

static void judge_threads(struct judge *judge)
{
    const bool capped = given(judge, OPTION_MAXRREGCOUNT) || given(judge, OPTION_COMPILE_AS_TOOLS_PATCH);
    if (capped && given(judge, OPTION_MINNCTAPERSM))
        warning(judge,
                "Conflicting options -maxrregcount and -minnctapersm specified, ignoring -minnctapersm "
                "option");
    if (capped && given(judge, OPTION_MAXNTID))
        warning(judge, "Conflicting options -maxrregcount and -maxntid specified, ignoring -maxntid option");
    else if (judge->options->values[OPTION_MAXNTID].list.n > 3)
        warning(judge, "Too many values specified for option '-maxntid', option will be ignored");
}

static void judge_relocations(struct judge *judge)
{
    const char *arch = text_of(judge, OPTION_GPU_NAME);
    if (given(judge, OPTION_PRESERVE_RELOCS) && arch && arch[0] != 'l' && atoi(strchr(arch, '_') + 1) >= 90)
        warning(judge,
                "'--preserve-relocs' option is not fully implemented for '%s' and may not work as expected",
                arch);
}

/* Link-time code is of an architecture or a family. */
static void judge_arch(struct judge *judge)
{
    const char *arch = judge->options->asked_arch;
    if (arch && arch[0] == 'l' && arch[strlen(arch) - 1] == 'a')
        fatal(judge, "Unsupported gpu architecture '%s'", arch);
}

enum option_verdict options_judge(const struct options *options)
{
    struct judge judge = {options, OPTIONS_FINE};
    judge_arch(&judge);
    judge_register_usage(&judge);
    judge_fast_compile(&judge);
    judge_kind(&judge);
    judge_debug(&judge);
    judge_caches(&judge);
    judge_maxrregcount(&judge);
    judge_function_registers(&judge);
    judge_threads(&judge);
    judge_relocations(&judge);
    return judge.verdict;
}

/* ---- options and what was read ---- */

#define LEGACY_BAR "'--legacy-bar-warp-wide-behavior'"

static void judge_legacy_bar(struct judge *judge, const char *newest)
{
    if (!given(judge, OPTION_LEGACY_BAR_WARP_WIDE_BEHAVIOR)) return;
    warning(judge, LEGACY_BAR " is a deprecated option, It will be removed in future release and is not "
                              "recommended");
    if (atoi(newest + strcspn(newest, "0123456789")) >= 70)
        warning(judge,
                "Command line option " LEGACY_BAR " not supported for '.target sm_70', will be ignored");
    if (given(judge, OPTION_COMPILE_ONLY))
        warning(judge,
                "Option " LEGACY_BAR " may not work as expected in separate compilation unless all modules "
                "participating in linking have this option specified.");
}

bool options_fit(const struct options *options, const char *newest, bool has_entry)
{
    struct judge judge = {options, OPTIONS_FINE};
    if (option_given(options, OPTION_POSITION_INDEPENDENT_CODE) && !options->compile_only &&
        option_given(options, OPTION_EXTENSIBLE_WHOLE_PROGRAM))
        warning(&judge, "Conflicting options '--position-independent-code' and '--extensible-whole-program' "
                        "specified, ignoring '--position-independent-code' option");
    if (option_given(options, OPTION_SUPPRESS_DEBUG_INFO) && !option_given(options, OPTION_DEVICE_DEBUG) &&
        !option_given(options, OPTION_GENERATE_LINE_INFO))
        warning(&judge,
                "Option suppress-debug-info requires option device-debug or lineinfo; ignoring since latter "
                "is not specified");
    if (option_given(options, OPTION_COMPILE_AS_TOOLS_PATCH) && has_entry)
        error(&judge, "Entry function is not allowed when command line option '--compile-as-tools-patch' is "
                      "specified ");
    judge_legacy_bar(&judge, newest);
    return judge.verdict == OPTIONS_FINE;
}
