/* json.c - the outcome of a run as one JSON object, for programs. docs/ptxvm.md describes its fields.
 *
 * Numbers that JSON cannot hold exactly (64-bit integers, hashes, addresses, NaN) are strings. */
#include "notice.h"
#include "report.h"
#include "check.h"
#include "counts.h"
#include "json.h"
#include "launches.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include "fail.h"

static json_t *three(const unsigned extent[3])
{
    return json_pack("[I,I,I]", (json_int_t)extent[0], (json_int_t)extent[1], (json_int_t)extent[2]);
}

/* As the summaries of buffers show it. */
static json_t *hash(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)value);
    return json_string(text);
}

static json_t *hexadecimal(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
    return json_string(text);
}

json_t *json_text(const char *value)
{
    json_t *string = json_string(value ? value : "");
    return string ? string : json_string("(not UTF-8)");
}

static json_t *element(const struct array *array, const void *from)
{
    char printed[40];
    const double value = element_double(array->type, from);
    element_print(array->type, from, printed);
    if (array->type->kind == KIND_BITS || !isfinite(value)) return json_string(printed);
    if (array->type->kind == KIND_FLOAT) return json_real(value);
    if (fabs(value) >= 9007199254740992.0) return json_string(printed);
    return json_integer((json_int_t)value);
}

static json_t *elements(const struct array *array, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count && i < array->count; i++)
        json_array_append_new(list, element(array, array_at(array, i)));
    return list;
}

static json_t *shape(const struct array *array)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < array->dimensions; i++)
        json_array_append_new(list, json_integer((json_int_t)array->shape[i]));
    return list;
}

/* How many elements --print wants of a buffer; the summary's 8 when it is not asked for. */
static size_t wanted_elements(const struct buffer *buffer, const struct arguments *arguments,
                              const struct kernel *kernel, const struct options *options)
{
    for (unsigned i = 0; i < options->prints.n; i++) {
        size_t count;
        const size_t length = print_word(options->prints.at[i], &count);
        if (arguments_find(arguments, kernel, options->prints.at[i], length) == buffer) return count;
    }
    return 8;
}

static json_t *buffer_object(const struct buffer *buffer, size_t values)
{
    const struct array *array = &buffer->after;
    const struct statistics s = array_statistics(array);
    json_t *object = json_object();
    json_object_set_new(object, "name", json_text(buffer->name));
    json_object_set_new(object, "type", json_text(array->type->name));
    json_object_set_new(object, "shape", shape(array));
    json_object_set_new(object, "changed", json_boolean(buffer_changed(buffer)));
    json_object_set_new(object, "values", elements(array, values));
    if (s.any) {
        json_object_set_new(object, "min", element(array, s.min));
        json_object_set_new(object, "max", element(array, s.max));
    }
    json_object_set_new(object, "nans", json_integer((json_int_t)s.nans));
    json_object_set_new(object, "hash", hash(s.hash));
    return object;
}

static json_t *fault_object(const ptx_fault *fault)
{
    json_t *object = json_object();
    json_object_set_new(object, "cuda_error", json_integer(fault->cuda_error));
    json_object_set_new(object, "name", json_text(fault->name));
    json_object_set_new(object, "message", json_text(fault->message));
    json_object_set_new(object, "instruction", json_text(fault->instruction));
    json_object_set_new(object, "file", json_text(fault->file));
    json_object_set_new(object, "line", json_integer(fault->line));
    json_object_set_new(object, "column", json_integer(fault->column));
    json_object_set_new(object, "function", json_text(fault->function));
    json_object_set_new(object, "calls", json_text(fault->calls));
    json_object_set_new(object, "source", json_text(fault->source));
    json_object_set_new(object, "kernel", json_text(fault->kernel));
    json_object_set_new(object, "launched_by", json_text(fault->launched_by));
    json_object_set_new(object, "block", three(fault->cta));
    json_object_set_new(object, "thread", three(fault->thread));
    json_object_set_new(object, "address", hexadecimal(fault->address));
    json_object_set_new(object, "allocation", json_text(fault->allocation));
    json_object_set_new(object, "state", json_text(fault->state));
    return object;
}

static json_t *counts_object(const struct outcome *outcome)
{
    const ptx_progress *p = &outcome->progress;
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:i,s:f}", "grids", (json_int_t)p->grids_done, "blocks",
                     (json_int_t)p->ctas_done, "thread_instructions", (json_int_t)p->thread_instructions,
                     "regions", (json_int_t)p->regions_made, "regions_entered",
                     (json_int_t)p->regions_entered, "max_depth", (int)p->max_depth, "seconds",
                     outcome->seconds);
}

static json_t *notice_object(const struct notice *n)
{
    json_t *object = json_object();
    json_object_set_new(object, "kernel", json_text(n->kernel));
    json_object_set_new(object, "file", json_text(n->file));
    json_object_set_new(object, "line", json_integer(n->line));
    json_object_set_new(object, "column", json_integer(n->column));
    json_object_set_new(object, "source", json_text(n->source));
    json_object_set_new(object, "block", three(n->block));
    json_object_set_new(object, "thread", three(n->thread));
    json_object_set_new(object, "count", json_integer((json_int_t)n->count));
    if (n->kind == PTX_WATCH_PAST) {
        json_object_set_new(object, "address", hexadecimal(n->address));
        json_object_set_new(object, "allocation", json_text(n->allocation));
        return object;
    }
    json_object_set_new(object, "call", json_text(n->call));
    json_object_set_new(object, "reason", json_text(n->reason));
    json_object_set_new(object, "cuda_error", json_integer(n->error));
    json_object_set_new(object, "launched_by", json_text(n->parent));
    json_object_set_new(object, "depth", json_integer(n->depth));
    json_object_set_new(object, "stream", hexadecimal(n->stream));
    return object;
}

/* The first of each place. */
static json_t *notices_json(const struct notices *list, ptx_watch_kind kind)
{
    json_t *all = json_array();
    for (const struct notice *n = list->first; n; n = n->next)
        if (n->kind == kind) json_array_insert_new(all, 0, notice_object(n));
    return all;
}

static bool has_fault(ptx_status status)
{
    return status == PTX_ERROR_FAULT || status == PTX_ERROR_DEADLOCK || status == PTX_ERROR_LIMIT ||
           status == PTX_ERROR_INTERRUPTED || status == PTX_ERROR_UNSUPPORTED;
}

int report_json(ptx_device *device, const struct outcome *outcome, int exit_code,
                const struct arguments *arguments, const struct kernel *kernel, const struct options *options)
{
    json_t *object = json_object(), *buffers = json_array();
    json_object_set_new(object, "status", json_text(ptx_status_name(outcome->status)));
    json_t *findings = options->check ? json_array() : NULL;
    if (findings) exit_code = check_json(device, exit_code, options, findings);
    json_object_set_new(object, "exit_code", json_integer(exit_code));
    json_object_set_new(object, "kernel", json_text(kernel->info.name));
    json_object_set_new(object, "grid", three(options->grid));
    json_object_set_new(object, "block", three(options->block));
    json_object_set_new(object, "counts", counts_object(outcome));
    if (options->counts) json_object_set_new(object, "kernels", counts_json(device));
    if (options->launches && !options->launches_to)
        json_object_set_new(object, "launches", launches_json(device));
    for (unsigned i = 0; i < arguments->n; i++) {
        const struct buffer *buffer = &arguments->buffers[i];
        json_array_append_new(buffers,
                              buffer_object(buffer, wanted_elements(buffer, arguments, kernel, options)));
    }
    json_object_set_new(object, "buffers", buffers);
    json_object_set_new(object, "refused", notices_json(outcome->notices, PTX_WATCH_REFUSED));
    json_object_set_new(object, "past", notices_json(outcome->notices, PTX_WATCH_PAST));
    if (findings) json_object_set_new(object, "findings", findings);
    if (has_fault(outcome->status)) json_object_set_new(object, "fault", fault_object(&outcome->fault));
    if (outcome->message && *outcome->message)
        json_object_set_new(object, "message", json_text(outcome->message));
    if (json_dumpf(object, stdout, JSON_INDENT(0)) != 0)
        fail(EXIT_USAGE, "the JSON object cannot be written");
    putchar('\n');
    json_decref(object);
    return exit_code;
}
