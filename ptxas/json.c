/* json.c - diagnostics as one JSON array.
 *
 * Lines and columns count from 1; columns and lengths are in bytes. */
#include "messages.h"

#include "json.h"

json_t *json_text(const char *value)
{
    json_t *string = json_string(value);
    return string ? string : json_string("(not UTF-8)");
}

void json_show(json_t *document)
{
    json_dumpf(document, stderr, JSON_INDENT(1));
    fputc('\n', stderr);
    json_decref(document);
}

static json_t *json_of(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    const struct related *other = &message->related;
    static const char *const severities[] = {"info", "warning", "error", "fatal"};
    json_t *object = json_object();
    json_object_set_new(object, "file", json_text(d->file));
    json_object_set_new(object, "line", json_integer(d->line));
    json_object_set_new(object, "column", json_integer(d->column));
    json_object_set_new(object, "length", json_integer(d->length));
    json_object_set_new(object, "severity", json_text(severities[d->severity]));
    json_object_set_new(object, "code", json_text(d->code));
    json_object_set_new(object, "message", json_text(d->message));
    if (d->note) json_object_set_new(object, "note", json_text(d->note));
    if (!other->file) return object;
    json_t *related = json_object();
    json_object_set_new(related, "file", json_text(other->file));
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
    json_show(list);
}
