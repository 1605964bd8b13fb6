/* main.c - ptxas: checks PTX files as NVIDIA's ptxas does. Exit code 0, or 255 after any error.
 *
 * All inputs are read before any is checked; each becomes a module of its own, which knows the modules before
 * it, for they are one program. Nothing is written after an error. */
#define _GNU_SOURCE /* strverscmp */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpp.h"
#include "link.h"
#include "messages.h"
#include "output.h"
#include "program.h"
#include "suggest.h"
#include "title.h"
#include "ptx_tools.h"
#include "text.h"
#include "tools.h"

enum { EXIT_BAD = 255 };

/* A text as it was read, and the modules made of it: one, or those of an object file. */
struct source {
    const char *name; /* as shown */
    bool is_file;
    char *text; /* owned; NULL: the file could not be opened */
    size_t size;
};

struct inputs {
    struct source *sources;
    size_t nsources;
    struct input *at; /* modules */
    size_t n;
    bool options_failed; /* and no fault of a module was shown */
    bool only_link_failed;
};

static void inputs_free(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++) {
        ptx_module_destroy(inputs->at[i].module);
        free(inputs->at[i].fault);
    }
    for (size_t i = 0; i < inputs->nsources; i++) free(inputs->sources[i].text);
    free(inputs->at);
    free(inputs->sources);
}

/* ---- reading ---- */

static void read_inputs(struct inputs *inputs, const struct options *options)
{
    inputs->sources = must_grow(NULL, (options->files.n + options->texts.n) * sizeof *inputs->sources);
    for (size_t i = 0; i < options->files.n; i++) {
        const char *name = options->files.at[i];
        const bool is_stdin = strcmp(name, "-") == 0;
        struct source source = {.name = is_stdin ? "<stdin>" : name, .is_file = !is_stdin};
        source.text = text_read_file(name, &source.size);
        inputs->sources[inputs->nsources++] = source;
    }
    for (size_t i = 0; i < options->texts.n; i++) {
        struct source source = {.name = "application ptx input", .size = strlen(options->texts.at[i])};
        source.text = must_copy(options->texts.at[i], source.size);
        inputs->sources[inputs->nsources++] = source;
    }
}

/* --cpp, for what is text. */
static bool preprocess_inputs(struct inputs *inputs, const struct options *options)
{
    bool fine = true;
    for (size_t i = 0; options->cpp && i < inputs->nsources; i++) {
        struct source *source = &inputs->sources[i];
        if (source->text && ptx_object_module_count(source->text, source->size) == 0)
            fine &= cpp_run(source->name, source->is_file, &source->text, &source->size, options);
    }
    return fine;
}

/* ---- checking ---- */

/* Is the verdict all that is asked? Then one function at a time is in memory. */
static bool is_check_only(const struct inputs *inputs, const struct options *options)
{
    return inputs->nsources == 1 && !options->print && !options->output && !options->verbose &&
           !options->link;
}

/* The modules made so far, for one more of the same program; owned by the caller. What is linked is checked
 * alone. */
static const ptx_module **earlier_modules(const struct inputs *inputs, const struct options *options,
                                          size_t *count)
{
    const ptx_module **modules = must_grow(NULL, inputs->n * sizeof *modules);
    *count = 0;
    for (size_t i = 0; i < inputs->n && !options->link; i++)
        if (inputs->at[i].module) modules[(*count)++] = inputs->at[i].module;
    return modules;
}

/* Nothing is optimised with -O0 and -g, so nothing is contracted either. */
static ptx_fmad fmad_of(const struct options *options)
{
    const struct option_value *fmad = &options->values[OPTION_FMAD];
    const struct option_value *level = &options->values[OPTION_OPT_LEVEL];
    if (option_given(options, OPTION_DEVICE_DEBUG)) return PTX_FMAD_OFF;
    if (level->times && level->number == 0) return PTX_FMAD_OFF;
    if (!fmad->times) return PTX_FMAD_DEFAULT;
    return strcmp(fmad->text, "false") == 0 ? PTX_FMAD_OFF : PTX_FMAD_ON;
}

/* -g asks for what a module asks for by .target debug. */
static ptx_stacks stacks_of(const struct options *options)
{
    if (option_given(options, OPTION_SUPPRESS_STACK_SIZE_WARNING)) return PTX_STACKS_SILENT;
    return option_given(options, OPTION_DEVICE_DEBUG) ? PTX_STACKS_WARN : PTX_STACKS_DEFAULT;
}

static void add_fault(struct inputs *inputs, const char *name)
{
    static const char format[] = "Input file '%s' could not be opened";
    struct input *input = &inputs->at[inputs->n++];
    const size_t room = sizeof format + strlen(name);
    *input = (struct input){.name = name, .fault = must_grow(NULL, room)};
    snprintf(input->fault, room, format, name);
}

/* Makes one module of a source: the only one, or the index-th of an object. */
static bool make_module(struct inputs *inputs, const struct source *source, bool is_object, size_t index,
                        const struct options *options)
{
    ptx_module_options wanted = {.struct_size = sizeof wanted,
                                 .file_name = source->name,
                                 .arch = options->asked_arch,
                                 .profile = options->profile,
                                 .compilation = options_compilation(options),
                                 .fmad = fmad_of(options),
                                 .stacks = stacks_of(options),
                                 .recover = options->layout != LAYOUT_PTXAS,
                                 .check_only = !is_object && is_check_only(inputs, options),
                                 .lint = options->lint};
    const ptx_module **earlier = earlier_modules(inputs, options, &wanted.earlier_count);
    struct input *input = &inputs->at[inputs->n];
    *input = (struct input){.name = source->name};
    wanted.earlier = earlier;
    const ptx_status status =
        is_object ? ptx_object_module(&wanted, source->text, source->size, index, &input->module)
                  : ptx_module_create(&wanted, source->text, source->size, &input->module);
    free(earlier);
    const bool made = status == PTX_OK || status == PTX_ERROR_ASSEMBLY;
    if (!made) message_plain(PTX_FATAL, "%s: %s", source->name, ptx_status_name(status));
    inputs->n += made;
    return made;
}

/* Makes the modules of one source; false after a message when that is not possible. */
static bool make_modules(struct inputs *inputs, const struct source *source, const struct options *options)
{
    const size_t inner = source->text ? ptx_object_module_count(source->text, source->size) : 0;
    const size_t n = inner ? inner : 1;
    bool fine = true;
    inputs->at = must_grow(inputs->at, (inputs->n + n) * sizeof *inputs->at);
    if (!source->text)
        add_fault(inputs, source->name);
    else
        for (size_t i = 0; fine && i < n; i++) fine = make_module(inputs, source, inner > 0, i, options);
    return fine;
}

static const char *newest_target(const struct inputs *inputs)
{
    const char *newest = "";
    for (size_t i = 0; i < inputs->n; i++) {
        const char *target = ptx_module_target(inputs->at[i].module);
        if (target && strverscmp(target, newest) > 0) newest = target;
    }
    return newest;
}

static bool has_kernels(const struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++)
        if (ptx_module_kernel_count(inputs->at[i].module)) return true;
    return false;
}

/* As ptxas: faults of the text, then options that do not fit it, then what is asked of whole modules. */
static bool check_inputs(struct inputs *inputs, const struct options *options, bool options_failed)
{
    for (size_t i = 0; i < inputs->nsources; i++)
        if (!make_modules(inputs, &inputs->sources[i], options)) return false;
    if (!messages_have_early(inputs->at, inputs->n, options) &&
        (options_failed || !options_fit(options, newest_target(inputs), has_kernels(inputs)))) {
        inputs->options_failed = true;
        return false;
    }
    struct linked linked = {0};
    if (options->link) linked = link_inputs(inputs->at, inputs->n);
    const size_t errors = messages_print(inputs->at, inputs->n, options, linked.messages, linked.n);
    const bool link_failed = linked.failed;
    linked_free(&linked);
    inputs->only_link_failed = link_failed && errors == 0;
    return errors == 0 && !link_failed && !options_failed;
}

static void suggest_entry(const struct inputs *inputs, const char *name)
{
    struct suggestion suggestion = {.written = name, .length = strlen(name)};
    ptx_kernel_info info = {sizeof info};
    for (size_t i = 0; i < inputs->n; i++)
        for (size_t k = 0; ptx_module_kernel(inputs->at[i].module, k, &info) == PTX_OK; k++)
            suggest_offer(&suggestion, info.name, strlen(info.name));
    suggest_print(&suggestion, "");
}

/* Entry functions asked for by -e; ptxas names the first that is missing. A virtual architecture has no
 * entries. */
static bool has_entries(const struct inputs *inputs, const struct options *options)
{
    for (size_t e = 0; e < options->entries.n && !options->check_only; e++) {
        bool found = false;
        for (size_t i = 0; i < inputs->n; i++)
            found |= program_has_entry(inputs->at[i].module, options->entries.at[e]);
        if (found) continue;
        message_plain(PTX_FATAL, "Unknown function %s", options->entries.at[e]);
        suggest_entry(inputs, options->entries.at[e]);
        return false;
    }
    return true;
}

/* ---- output ---- */

static int write_text(void *user, const char *text, size_t size)
{
    return fwrite(text, 1, size, user) == size ? 0 : -1;
}

static bool print_modules(const struct inputs *inputs, FILE *file)
{
    bool fine = true;
    for (size_t i = 0; i < inputs->n; i++) {
        const ptx_status status = ptx_module_print(inputs->at[i].module, write_text, file);
        if (status != PTX_OK) message_plain(PTX_FATAL, "%s: %s", inputs->at[i].name, ptx_status_name(status));
        fine &= status == PTX_OK;
    }
    return fine && fflush(file) == 0;
}

static void print_indented(const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        printf("    %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_example(const char *code)
{
    const char *arguments, *wrong = ptx_explain_example(code, 0, &arguments);
    if (!wrong) return;
    printf(*arguments ? "\nWrong (ptxas %s):\n" : "\nWrong:\n", arguments);
    print_indented(wrong);
    puts("Right:");
    print_indented(ptx_explain_example(code, 1, NULL));
}

/* All codes, one a line, with the text of the message. */
static int explain_all(void)
{
    const char *code, *message;
    for (size_t i = 0; (code = ptx_known_code(i, &message)); i++) {
        char *title = message_title(message);
        printf("%s  %s\n", code, title);
        free(title);
    }
    return 0;
}

static int explain(const char *code)
{
    if (!*code) return explain_all();
    const char *text = ptx_explain(code);
    if (!text) {
        struct suggestion suggestion = {.written = code, .length = strlen(code)};
        const char *known;
        message_plain(PTX_FATAL, "Value '%s' is not defined for option 'explain'", code);
        for (size_t i = 0; (known = ptx_known_code(i, NULL)); i++)
            suggest_offer(&suggestion, known, strlen(known));
        suggest_print(&suggestion, "");
        return EXIT_BAD;
    }
    for (const char *c = code; *c; c++) putchar(toupper((unsigned char)*c));
    printf(": %s\n", text);
    print_example(code);
    return 0;
}

/* ---- all ---- */

/* The machine-readable layouts are complete without the closing line. */
static bool has_closing_line(const struct inputs *inputs, const struct options *options)
{
    return options->layout == LAYOUT_PTXAS && !inputs->only_link_failed &&
           (inputs->options_failed || !messages_are_late(inputs->at, inputs->n, options));
}

static bool assemble(struct inputs *inputs, const struct options *options)
{
    const enum option_verdict verdict = options_judge(options);
    if (verdict == OPTIONS_STOP) return false;
    read_inputs(inputs, options);
    if (!preprocess_inputs(inputs, options) || !check_inputs(inputs, options, verdict == OPTIONS_FAILED)) {
        if (has_closing_line(inputs, options)) message_plain(PTX_FATAL, "Ptx assembly aborted due to errors");
        return false;
    }
    if (!has_entries(inputs, options)) return false;
    if (options->verbose)
        for (size_t i = 0; i < inputs->n; i++) program_report(inputs->at[i].module, options->arch);
    if (options->print && !print_modules(inputs, stdout)) return false;
    return !options->output || options->check_only || output_write(inputs->at, inputs->n, options->output);
}

static int run(const struct options *options)
{
    struct inputs inputs = {0};
    if (option_given(options, OPTION_TOOL_NAME)) messages_name(options->values[OPTION_TOOL_NAME].text);
    if (options->help)
        print_help(options->profile);
    else if (options->version)
        print_version();
    else if (options->list_versions)
        print_isa_versions(options->profile);
    else if (options->explain)
        return explain(options->explain);
    else if (tools_asked(options))
        return tools_run(options);
    else if (options->files.n + options->texts.n == 0)
        print_help(options->profile);
    else {
        const bool fine = assemble(&inputs, options);
        inputs_free(&inputs);
        return fine ? 0 : EXIT_BAD;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct options options;
    setvbuf(stderr, NULL, _IOFBF, 1 << 16); /* or every character of an excerpt is a system call */
    int code = options_parse(&options, argc, argv) ? run(&options) : EXIT_BAD;
    options_free(&options);
    if (fflush(stdout) != 0) code = EXIT_BAD;
    return code;
}
