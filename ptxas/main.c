/* main.c - ptxas: checks PTX files as NVIDIA's ptxas does. Exit code 0, or 255 after any error.
 *
 * All inputs are read before any is checked, as ptxas does; each becomes a module of its own, and modules
 * without errors are linked to find what two of them define. Nothing is written after an error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "messages.h"
#include "output.h"
#include "program.h"

enum { EXIT_BAD = 255 };

/* A text as it was read, and the modules made of it: one, or those of an object file. */
struct source {
    const char *name; /* as shown */
    char *text;       /* owned */
    size_t size;
};

struct inputs {
    struct source *sources;
    size_t nsources;
    struct input *at; /* modules */
    size_t n;
};

static void inputs_free(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++) ptx_module_destroy(inputs->at[i].module);
    for (size_t i = 0; i < inputs->nsources; i++) free(inputs->sources[i].text);
    free(inputs->at);
    free(inputs->sources);
}

/* ---- reading ---- */

/* All of a file; NULL when it cannot be opened. A folder reads as empty, as it does for ptxas. */
static char *read_file(const char *name, size_t *size)
{
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    size_t room = 1 << 16, got;
    if (!file) return NULL;
    char *text = must_grow(NULL, room);
    for (*size = 0; (got = fread(text + *size, 1, room - *size, file)) > 0;) {
        *size += got;
        if (*size == room) text = must_grow(text, room *= 2);
    }
    if (file != stdin) fclose(file);
    return text;
}

/* False when a file cannot be opened; all such files are named. */
static bool read_inputs(struct inputs *inputs, const struct options *options)
{
    bool all = true;
    inputs->sources = must_grow(NULL, (options->files.n + options->texts.n) * sizeof *inputs->sources);
    for (size_t i = 0; i < options->files.n; i++) {
        const char *name = options->files.at[i];
        struct source source = {.name = strcmp(name, "-") == 0 ? "<stdin>" : name};
        source.text = read_file(name, &source.size);
        inputs->sources[inputs->nsources++] = source;
        if (source.text) continue;
        message_plain(PTX_FATAL, "Input file '%s' could not be opened", name);
        all = false;
    }
    for (size_t i = 0; i < options->texts.n; i++) {
        struct source source = {.name = "application ptx input", .size = strlen(options->texts.at[i])};
        source.text = must_copy(options->texts.at[i], source.size);
        inputs->sources[inputs->nsources++] = source;
    }
    return all;
}

/* ---- checking ---- */

/* Is the verdict all that is asked? Then one function at a time is in memory. */
static bool is_check_only(const struct inputs *inputs, const struct options *options)
{
    return inputs->nsources == 1 && !options->print && !options->output && !options->verbose;
}

/* Makes the modules of one source; false after a message when that is not possible. */
static bool make_modules(struct inputs *inputs, const struct source *source, const struct options *options)
{
    const size_t inner = ptx_object_module_count(source->text, source->size), n = inner ? inner : 1;
    const ptx_module_options wanted = {.file_name = source->name,
                                       .arch = options->arch,
                                       .profile = options->profile,
                                       .lint = options->lint,
                                       .check_only = n == 1 && is_check_only(inputs, options)};
    inputs->at = must_grow(inputs->at, (inputs->n + n) * sizeof *inputs->at);
    for (size_t i = 0; i < n; i++) {
        struct input *input = &inputs->at[inputs->n];
        *input = (struct input){.name = source->name};
        const ptx_status status =
            inner ? ptx_object_module(&wanted, source->text, source->size, i, &input->module)
                  : ptx_module_create(&wanted, source->text, source->size, &input->module);
        if (status != PTX_OK && status != PTX_ERROR_ASSEMBLY) {
            message_plain(PTX_FATAL, "%s: %s", source->name, ptx_status_name(status));
            return false;
        }
        inputs->n++;
    }
    return true;
}

static bool check_inputs(struct inputs *inputs, const struct options *options)
{
    for (size_t i = 0; i < inputs->nsources; i++)
        if (!make_modules(inputs, &inputs->sources[i], options)) return false;
    return messages_print(inputs->at, inputs->n, options) == 0;
}

static bool has_diagnostic(const ptx_module *module, const char *code)
{
    ptx_diagnostic d;
    for (size_t i = 0; i < ptx_module_diagnostic_count(module); i++)
        if (ptx_module_diagnostic(module, i, &d) == PTX_OK && strcmp(d.code, code) == 0) return true;
    return false;
}

/*
 * -c refuses what came before separate compilation, and functions that give up the ABI (W0401). Up to PTX 1.3
 * ptxas forgets the rule where a double-precision division or root is in the module; here it starts at 1.4.
 */
static bool can_compile_apart(const struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++) {
        const unsigned version = ptx_module_isa_version(inputs->at[i].module);
        const char *missing = version > 13 && version < 31                    ? "PTX ISA .version 3.1 or later"
                              : has_diagnostic(inputs->at[i].module, "W0401") ? "ABI"
                                                                              : NULL;
        if (!missing) continue;
        message_plain(PTX_FATAL, "'Compile only(-c)' requires %s", missing);
        return false;
    }
    return true;
}

/* Entry functions asked for by -e. */
static bool has_entries(const struct inputs *inputs, const struct options *options)
{
    bool all = true;
    for (size_t e = 0; e < options->entries.n; e++) {
        bool found = false;
        for (size_t i = 0; i < inputs->n; i++)
            found |= program_has_entry(inputs->at[i].module, options->entries.at[e]);
        if (!found) message_plain(PTX_FATAL, "Unknown function %s", options->entries.at[e]);
        all &= found;
    }
    return all;
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

static int explain(const char *code)
{
    const char *text = ptx_explain(code);
    if (!text) {
        message_plain(PTX_FATAL, "Value '%s' is not defined for option 'explain'", code);
        return EXIT_BAD;
    }
    printf("%s: %s\n", code, text);
    return 0;
}

/* ---- all ---- */

static bool assemble(struct inputs *inputs, const struct options *options)
{
    if (!read_inputs(inputs, options) || !check_inputs(inputs, options) ||
        (inputs->n > 1 && !program_links(inputs->at, inputs->n))) {
        /* The machine-readable layouts are complete without the closing line. */
        if (options->layout == LAYOUT_PTXAS) message_plain(PTX_FATAL, "Ptx assembly aborted due to errors");
        return false;
    }
    if (options->compile_only && !can_compile_apart(inputs)) return false;
    if (!has_entries(inputs, options)) return false;
    if (options->verbose)
        for (size_t i = 0; i < inputs->n; i++) program_report(inputs->at[i].module, options->arch);
    if (options->print && !print_modules(inputs, stdout)) return false;
    return !options->output || output_write(inputs->at, inputs->n, options->output);
}

static int run(const struct options *options)
{
    struct inputs inputs = {0};
    if (options->version)
        print_version();
    else if (options->list_versions)
        print_isa_versions(options->profile);
    else if (options->explain)
        return explain(options->explain);
    else if (options->help || options->files.n + options->texts.n == 0)
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
    int code = options_parse(&options, argc, argv) ? run(&options) : EXIT_BAD;
    options_free(&options);
    if (fflush(stdout) != 0) code = EXIT_BAD;
    return code;
}
