/* json.c - diagnostics as one JSON array.
 *
 * Lines and columns count from 1; columns and lengths are in bytes. */
#include "messages.h"

#include <stdlib.h>
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

/* Lists of nothing are left out. */
static void set_list(json_t *object, const char *name, json_t *list)
{
    if (json_array_size(list))
        json_object_set_new(object, name, list);
    else
        json_decref(list);
}

static json_t *related_of(const struct message *message)
{
    json_t *list = json_array();
    struct related place;
    for (size_t i = 0; message_related(message, i, &place); i++) {
        json_t *related = json_object();
        json_object_set_new(related, "file", json_text(place.file));
        json_object_set_new(related, "line", json_integer(place.line));
        json_object_set_new(related, "column", json_integer(place.column));
        json_object_set_new(related, "length", json_integer(place.length));
        json_object_set_new(related, "message", json_text(place.what));
        json_array_append_new(list, related);
    }
    return list;
}

static json_t *fixes_of(const struct message *message)
{
    json_t *list = json_array();
    ptx_fix fix;
    for (size_t i = 0; message_fix(message, i, &fix); i++) {
        json_t *object = json_object();
        json_object_set_new(object, "title", json_text(fix.title));
        json_object_set_new(object, "line", json_integer(fix.line));
        json_object_set_new(object, "column", json_integer(fix.column));
        json_object_set_new(object, "offset", json_integer((json_int_t)fix.offset));
        json_object_set_new(object, "length", json_integer((json_int_t)fix.length));
        json_object_set_new(object, "text", json_text(fix.text));
        json_object_set_new(object, "certain", json_boolean(fix.certain));
        json_array_append_new(list, object);
    }
    return list;
}

/* The line of the source, and the calls that were inlined there. */
static void add_origin(json_t *object, const struct message *message)
{
    json_t *list = json_array();
    ptx_origin origin;
    for (size_t i = 0; message_origin(message, i, &origin); i++) {
        json_t *place = json_object();
        json_object_set_new(place, "file", json_text(origin.file));
        json_object_set_new(place, "line", json_integer(origin.line));
        json_object_set_new(place, "column", json_integer(origin.column));
        json_array_append_new(list, place);
    }
    char *function = message_function(message);
    if (function) json_object_set_new(object, "function", json_text(function));
    free(function);
    set_list(object, "origin", list);
}

static json_t *json_of(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
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
    set_list(object, "related", related_of(message));
    set_list(object, "fixes", fixes_of(message));
    add_origin(object, message);
    return object;
}

void messages_json(const struct message *messages, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_of(&messages[i]));
    json_show(list);
}
