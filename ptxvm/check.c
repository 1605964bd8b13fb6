/* check.c - see check.h.
 *
 * A finding is a message, both accesses with the PTX that makes them, and what would order them. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fail.h"
#include "json.h"
#include "ptx_check.h"

/* ---- the option ---- */

unsigned check_words(const char *words)
{
    unsigned checks;
    if (ptx_check_parse(words, &checks) != PTX_OK)
        fail(EXIT_USAGE,
             "--check: '%s' is not words of memory, race, init, sync, launch, leak, all, no-race-values",
             words);
    return checks;
}

void check_prepare(ptx_device *device, const struct options *options)
{
    if (!options->suppress) return;
    size_t size;
    char *rules = file_text(options->suppress, &size);
    if (!rules) fail(EXIT_USAGE, "--check-suppress: '%s' cannot be read", options->suppress);
    if (ptx_check_suppress(device, rules) != PTX_OK) fail(EXIT_STOPPED, "--check-suppress: out of memory");
    free(rules);
}

/* ---- text ---- */

struct report {
    const struct modules *modules;
    const struct arguments *arguments;
    const struct options *options;
    json_t *list;    /* NULL: text */
    json_t *results; /* of SARIF; NULL: nobody asks */
    unsigned errors, warnings, shown;
};

static void show_side(const struct report *r, const ptx_check_side *s)
{
    fprintf(stderr, "  %s by thread (%u,%u,%u) of block (%u,%u,%u), %s\n", s->access, s->thread[0],
            s->thread[1], s->thread[2], s->cta[0], s->cta[1], s->cta[2], s->kernel);
    fprintf(stderr, "  %-12s %s:%u", "at", s->file, s->line);
    fprintf(stderr, *s->source ? " (%s)\n" : "\n", s->source);
    const unsigned last = s->column + (unsigned)strlen(s->instruction);
    if (s->line) modules_show(r->modules, s->file, (struct stretch){s->line, s->column, s->line, last});
}

static void show_line(const char *word, const char *text)
{
    if (*text) fprintf(stderr, "  %-12s %s\n", word, text);
}

/* What the address is of. */
static void show_memory(const struct report *r, const ptx_check_finding *f)
{
    show_line("variable", f->variable);
    show_line("memory", f->memory);
    const bool own = !strstr(f->memory, "device heap") && f->kind != PTX_FOUND_LEAK;
    if (own && !f->shared) report_buffer(f->address, r->arguments);
    if (own) return; /* the buffers are ptxvm's own */
    show_line("made by", f->made);
    show_line("freed by", f->freed);
}

static void show_finding(struct report *r, const ptx_check_finding *f)
{
    fprintf(stderr, "ptxvm: %s: %s [%s]\n", f->severity >= PTX_ERROR ? "error" : "warning", f->message,
            f->code);
    for (unsigned i = 0; i < f->nsides; i++) show_side(r, &f->side[i]);
    show_memory(r, f);
    show_line("help", f->help);
    if (f->count > 1) fprintf(stderr, "  %-12s %llu times\n", "found", (unsigned long long)f->count);
}

/* ---- JSON ---- */

static json_t *side_object(const ptx_check_side *s)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:I,s:I,s:o,s:[I,I,I],s:[I,I,I]}", "access", json_text(s->access),
                     "kernel", json_text(s->kernel), "function", json_text(s->function), "instruction",
                     json_text(s->instruction), "file", json_text(s->file), "line", (json_int_t)s->line,
                     "column", (json_int_t)s->column, "source", json_text(s->source), "block",
                     (json_int_t)s->cta[0], (json_int_t)s->cta[1], (json_int_t)s->cta[2], "thread",
                     (json_int_t)s->thread[0], (json_int_t)s->thread[1], (json_int_t)s->thread[2]);
}

static void add_finding(json_t *list, const ptx_check_finding *f)
{
    char address[24], count[24];
    json_t *sides = json_array();
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)f->address);
    snprintf(count, sizeof count, "%llu", (unsigned long long)f->count);
    for (unsigned i = 0; i < f->nsides; i++) json_array_append_new(sides, side_object(&f->side[i]));
    json_t *o = json_pack("{s:s,s:s,s:o,s:s,s:s,s:s,s:s,s:o}", "code", f->code, "severity",
                          f->severity >= PTX_ERROR ? "error" : "warning", "message", json_text(f->message),
                          "help", f->help, "space", f->shared ? "shared" : "global", "address", address,
                          "count", count, "sides", sides);
    const char *const words[][2] = {{"variable", f->variable},
                                    {"memory", f->memory},
                                    {"made", f->made},
                                    {"freed", f->freed},
                                    {"caller", f->caller}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*words[i][1]) json_object_set_new(o, words[i][0], json_text(words[i][1]));
    json_array_append_new(list, o);
}

/* ---- SARIF 2.1.0 ---- */

static json_t *sarif_place(const ptx_check_side *s)
{
    return json_pack("{s:{s:{s:o},s:{s:I,s:I}},s:{s:o}}", "physicalLocation", "artifactLocation", "uri",
                     json_text(s->file), "region", "startLine", (json_int_t)s->line, "startColumn",
                     (json_int_t)s->column, "message", "text", json_text(s->access));
}

static void add_result(json_t *results, const ptx_check_finding *f)
{
    json_t *places = json_array(), *related = json_array();
    for (unsigned i = 0; i < f->nsides; i++)
        json_array_append_new(i ? related : places, sarif_place(&f->side[i]));
    json_array_append_new(results,
                          json_pack("{s:s,s:s,s:{s:o},s:o,s:o,s:I}", "ruleId", f->code, "level",
                                    f->severity >= PTX_ERROR ? "error" : "warning", "message", "text",
                                    json_text(f->message), "locations", places, "relatedLocations", related,
                                    "occurrenceCount", (json_int_t)f->count));
}

static void write_sarif(const char *name, json_t *results)
{
    json_t *all = json_pack("{s:s,s:s,s:[{s:{s:{s:s}},s:o}]}", "version", "2.1.0", "$schema",
                            "https://json.schemastore.org/sarif-2.1.0.json", "runs", "tool", "driver", "name",
                            "ptxvm", "results", results);
    if (json_dump_file(all, name, JSON_INDENT(2)) != 0)
        fail(EXIT_USAGE, "--check-sarif: '%s' cannot be written", name);
    json_decref(all);
}

/* ---- both ---- */

static void hear(void *user, const ptx_check_finding *f)
{
    struct report *r = user;
    if (f->kind == PTX_FOUND_HOST_READ) return; /* that was ptxvm, which shows all of a buffer */
    *(f->severity >= PTX_ERROR ? &r->errors : &r->warnings) += 1;
    if (r->results) add_result(r->results, f);
    if (r->shown >= r->options->check_limit) return;
    r->shown++;
    if (r->list)
        add_finding(r->list, f);
    else
        show_finding(r, f);
}

static void show_summary(const struct report *r)
{
    const unsigned all = r->errors + r->warnings;
    if (r->options->quiet && !all) return;
    fprintf(stderr, "ptxvm: check: %u error%s, %u warning%s", r->errors, r->errors == 1 ? "" : "s",
            r->warnings, r->warnings == 1 ? "" : "s");
    if (r->shown < all) fprintf(stderr, "; the first %u are shown (--check-limit)", r->shown);
    fputc('\n', stderr);
}

/* A fault or a failed expectation says more than a finding. */
static int tell(ptx_device *device, int code, struct report *r)
{
    if (r->options->sarif) r->results = json_array();
    const ptx_status status = ptx_device_findings(device, hear, r);
    if (r->results) write_sarif(r->options->sarif, r->results);
    if (status != PTX_OK) {
        fprintf(stderr, "ptxvm: the check stopped early: %s\n", ptx_status_name(status));
        return code == EXIT_FINE ? EXIT_STOPPED : code;
    }
    return code == EXIT_FINE && r->errors ? r->options->check_exit : code;
}

int check_report(ptx_device *device, int code, const struct modules *modules,
                 const struct arguments *arguments, const struct options *options)
{
    struct report r = {.modules = modules, .arguments = arguments, .options = options};
    code = tell(device, code, &r);
    show_summary(&r);
    return code;
}

int check_json(ptx_device *device, int code, const struct options *options, json_t *list)
{
    struct report r = {.options = options, .list = list};
    return tell(device, code, &r);
}
