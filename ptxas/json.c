/* json.c - diagnostics as one JSON array, or as a SARIF 2.1.0 log.
 *
 * Lines and columns count from 1; columns and lengths are in bytes. Text that is no UTF-8 is replaced, since
 * JSON cannot hold it. */
#include "messages.h"

#include <jansson.h>
#include <string.h>

static json_t *text(const char *value)
{
    json_t *string = json_string(value);
    return string ? string : json_string("(not UTF-8)");
}

static void dump(json_t *document, size_t flags)
{
    json_dumpf(document, stderr, flags);
    fputc('\n', stderr);
    json_decref(document);
}

/* ---- json ---- */

static json_t *json_of(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    const struct related *other = &message->related;
    static const char *const severities[] = {"info", "warning", "error", "fatal"};
    json_t *object = json_object();
    json_object_set_new(object, "file", text(d->file));
    json_object_set_new(object, "line", json_integer(d->line));
    json_object_set_new(object, "column", json_integer(d->column));
    json_object_set_new(object, "length", json_integer(d->length));
    json_object_set_new(object, "severity", text(severities[d->severity]));
    json_object_set_new(object, "code", text(d->code));
    json_object_set_new(object, "message", text(d->message));
    if (d->note) json_object_set_new(object, "note", text(d->note));
    if (!other->file) return object;
    json_t *related = json_object();
    json_object_set_new(related, "file", text(other->file));
    json_object_set_new(related, "line", json_integer(other->line));
    json_object_set_new(related, "column", json_integer(other->column));
    json_object_set_new(related, "length", json_integer(other->length));
    json_object_set_new(object, "related", related);
    return object;
}

void messages_json(const struct message *messages, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_of(&messages[i]));
    dump(list, JSON_INDENT(1));
}

/* ---- SARIF ---- */

static json_t *sarif_region(unsigned line, unsigned column, unsigned length)
{
    json_t *region = json_object();
    json_object_set_new(region, "startLine", json_integer(line));
    json_object_set_new(region, "startColumn", json_integer(column));
    json_object_set_new(region, "endColumn", json_integer(column + (length ? length : 1)));
    return region;
}

static json_t *sarif_location(const char *file, unsigned line, unsigned column, unsigned length)
{
    json_t *physical = json_object(), *artifact = json_object(), *location = json_object();
    json_object_set_new(artifact, "uri", text(file));
    json_object_set_new(physical, "artifactLocation", artifact);
    if (line) json_object_set_new(physical, "region", sarif_region(line, column, length));
    json_object_set_new(location, "physicalLocation", physical);
    return location;
}

static json_t *sarif_message(const ptx_diagnostic *d)
{
    json_t *message = json_object();
    char both[2048];
    snprintf(both, sizeof both, "%s%s%s", d->message, d->note ? "\n" : "", d->note ? d->note : "");
    json_object_set_new(message, "text", text(both));
    return message;
}

static json_t *sarif_result(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    const struct related *other = &message->related;
    static const char *const levels[] = {"note", "warning", "error", "error"};
    json_t *result = json_object(), *locations = json_array();
    json_array_append_new(locations, sarif_location(d->file, d->line, d->column, d->length));
    json_object_set_new(result, "ruleId", text(d->code));
    json_object_set_new(result, "level", text(levels[d->severity]));
    json_object_set_new(result, "message", sarif_message(d));
    json_object_set_new(result, "locations", locations);
    if (other->file) {
        json_t *related = json_array();
        json_array_append_new(related,
                              sarif_location(other->file, other->line, other->column, other->length));
        json_object_set_new(result, "relatedLocations", related);
    }
    return result;
}

static json_t *sarif_tool(void)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d", PTX_VERSION_MAJOR, PTX_VERSION_MINOR);
    return json_pack("{s:{s:s,s:s}}", "driver", "name", "ptxvm ptxas", "version", version);
}

void messages_sarif(const struct message *messages, size_t n)
{
    json_t *log = json_object(), *runs = json_array(), *run = json_object(), *results = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(results, sarif_result(&messages[i]));
    json_object_set_new(run, "tool", sarif_tool());
    json_object_set_new(run, "columnKind", text("utf16CodeUnits"));
    json_object_set_new(run, "results", results);
    json_array_append_new(runs, run);
    json_object_set_new(log, "version", text("2.1.0"));
    json_object_set_new(log, "$schema", text("https://json.schemastore.org/sarif-2.1.0.json"));
    json_object_set_new(log, "runs", runs);
    dump(log, JSON_INDENT(1));
}
