/* sarif.c - diagnostics as a SARIF 2.1.0 log.
 *
 * One run; the rules are the codes that occur, with their explanations as help, and results name them by
 * index. Columns count code points, which of the two kinds of the standard is the one that editors of ASCII
 * text agree on. File names become URIs: absolute ones file:///..., others relative, every byte that a path
 * in a URI cannot have as %XX. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "messages.h"
#include "ptx_tools.h"
#include "title.h"

/* ---- places ---- */

static bool is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-._~/", c));
}

/* A name with a colon in its first part would read as a scheme; %3A does not. */
static json_t *uri_of(const char *file)
{
    static const char scheme[] = "file://";
    char *uri = must_grow(NULL, sizeof scheme + 3 * strlen(file));
    char *to = uri + sprintf(uri, "%s", *file == '/' ? scheme : "");
    for (; *file; file++) {
        if (is_plain((unsigned char)*file))
            *to++ = *file;
        else
            to += sprintf(to, "%%%02X", (unsigned char)*file);
    }
    *to = '\0';
    json_t *text = json_text(uri);
    free(uri);
    return text;
}

/* Code points among the first n bytes of the line; bytes past its end count as one each. */
static unsigned points(const char *line, size_t length, size_t n)
{
    unsigned count = 0;
    for (size_t i = 0; i < n; i++) count += i >= length || ((unsigned char)line[i] & 0xc0) != 0x80;
    return count;
}

/* A place in a module; `text_line` of its text is called `line`. */
struct place {
    const ptx_module *module;
    const char *file;
    unsigned text_line, line, column, length;
};

static json_t *region_of(const struct place *p)
{
    const char *line = "";
    size_t length = 0;
    const size_t first = p->column ? p->column - 1 : 0, end = first + (p->length ? p->length : 1);
    json_t *region = json_object();
    if (ptx_module_source_line(p->module, p->text_line, &line, &length) != PTX_OK) length = 0;
    json_object_set_new(region, "startLine", json_integer(p->line));
    json_object_set_new(region, "startColumn", json_integer(points(line, length, first) + 1));
    json_object_set_new(region, "endColumn", json_integer(points(line, length, end) + 1));
    return region;
}

static json_t *artifact_of(const char *file)
{
    json_t *artifact = json_object();
    json_object_set_new(artifact, "uri", uri_of(file));
    return artifact;
}

static json_t *location_of(const struct place *p)
{
    json_t *physical = json_object(), *location = json_object();
    json_object_set_new(physical, "artifactLocation", artifact_of(p->file));
    if (p->line) json_object_set_new(physical, "region", region_of(p));
    json_object_set_new(location, "physicalLocation", physical);
    return location;
}

/* ---- results ---- */

static json_t *text_object(const char *text)
{
    json_t *object = json_object();
    json_object_set_new(object, "text", json_text(text));
    return object;
}

static json_t *message_of(const ptx_diagnostic *d)
{
    const size_t room = strlen(d->message) + (d->note ? strlen(d->note) : 0) + 2;
    char *both = must_grow(NULL, room);
    snprintf(both, room, "%s%s%s", d->message, d->note ? "\n" : "", d->note ? d->note : "");
    json_t *object = text_object(both);
    free(both);
    return object;
}

static const char *level_of(ptx_severity severity)
{
    static const char *const levels[] = {"note", "warning", "error", "error"};
    return levels[severity];
}

/* ---- other places, and edits ---- */

static void add_place(json_t *list, const struct place *place, const char *what)
{
    json_t *location = location_of(place);
    json_object_set_new(location, "message", text_object(what));
    json_array_append_new(list, location);
}

/* Columns of the source are as .loc has them. */
static void add_origins(json_t *list, const struct message *message)
{
    ptx_origin origin;
    for (size_t i = 0; message_origin(message, i, &origin); i++) {
        const struct place place = {.file = origin.file, .line = origin.line, .column = origin.column};
        add_place(list, &place, i ? "inlined here" : "the source of this");
    }
}

static json_t *related_of(const struct message *message)
{
    json_t *list = json_array();
    struct related r;
    for (size_t i = 0; message_related(message, i, &r); i++) {
        const struct place place = {r.module, r.file, r.text_line, r.line, r.column, r.length};
        add_place(list, &place, r.what);
    }
    add_origins(list, message);
    return list;
}

/* The part of a line that an edit replaces, which may be empty. */
static json_t *deleted_region(const struct message *message, const ptx_fix *fix)
{
    const struct place place = {.module = message->module,
                                .text_line = fix->line,
                                .line = fix->line,
                                .column = fix->column,
                                .length = (unsigned)fix->length};
    json_t *region = region_of(&place);
    if (!fix->length) json_object_set(region, "endColumn", json_object_get(region, "startColumn"));
    return region;
}

static json_t *fixes_of(const struct message *message)
{
    json_t *list = json_array();
    ptx_fix fix;
    for (size_t i = 0; message_fix(message, i, &fix); i++) {
        json_t *replacement = json_object(), *change = json_object(), *object = json_object();
        json_t *content = json_object();
        json_object_set_new(content, "text", json_text(fix.text));
        json_object_set_new(replacement, "deletedRegion", deleted_region(message, &fix));
        json_object_set_new(replacement, "insertedContent", content);
        json_object_set_new(change, "artifactLocation", artifact_of(message->diagnostic.file));
        json_object_set_new(change, "replacements", json_pack("[o]", replacement));
        json_object_set_new(object, "description", text_object(fix.title));
        json_object_set_new(object, "artifactChanges", json_pack("[o]", change));
        json_array_append_new(list, object);
    }
    return list;
}

/* The place, with the function around it where the PTX has line information. */
static json_t *locations_of(const struct message *message)
{
    const ptx_diagnostic *d = &message->diagnostic;
    const struct place place = {message->module, d->file, message->text_line, d->line, d->column, d->length};
    json_t *location = location_of(&place);
    char *function = message_function(message);
    if (function) {
        json_t *logical = json_object();
        json_object_set_new(logical, "fullyQualifiedName", json_text(function));
        json_object_set_new(logical, "kind", json_text("function"));
        json_object_set_new(location, "logicalLocations", json_pack("[o]", logical));
    }
    free(function);
    return json_pack("[o]", location);
}

static void set_list(json_t *object, const char *name, json_t *list)
{
    if (json_array_size(list))
        json_object_set_new(object, name, list);
    else
        json_decref(list);
}

static json_t *result_of(const struct message *message, size_t rule)
{
    const ptx_diagnostic *d = &message->diagnostic;
    json_t *result = json_object();
    json_object_set_new(result, "ruleId", json_text(d->code));
    json_object_set_new(result, "ruleIndex", json_integer((json_int_t)rule));
    json_object_set_new(result, "level", json_text(level_of(d->severity)));
    json_object_set_new(result, "message", message_of(d));
    json_object_set_new(result, "locations", locations_of(message));
    set_list(result, "relatedLocations", related_of(message));
    set_list(result, "fixes", fixes_of(message));
    return result;
}

/* ---- rules ---- */

/* The text of a code's messages with "..." for each argument. */
static json_t *title_of(const char *code)
{
    const char *known, *text = NULL;
    for (size_t i = 0; (known = ptx_known_code(i, &text)) && strcmp(known, code) != 0; i++) continue;
    if (!known) return text_object(code);
    char *title = message_title(text);
    json_t *object = text_object(title);
    free(title);
    return object;
}

static json_t *rule_of(const char *code)
{
    json_t *rule = json_object();
    const char *help = ptx_explain(code);
    json_object_set_new(rule, "id", json_text(code));
    json_object_set_new(rule, "shortDescription", title_of(code));
    json_object_set_new(rule, "fullDescription", text_object(help ? help : code));
    json_object_set_new(rule, "help", text_object(help ? help : code));
    return rule;
}

/* The index of a code's rule, which is added when it is new. */
static size_t rule_index(json_t *rules, const char *code)
{
    const size_t n = json_array_size(rules);
    for (size_t i = 0; i < n; i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(rules, i), "id")), code) == 0) return i;
    json_array_append_new(rules, rule_of(code));
    return n;
}

/* ---- the log ---- */

static json_t *tool_of(json_t *rules)
{
    char version[32];
    json_t *tool = json_object(), *driver = json_object();
    snprintf(version, sizeof version, "%d.%d", PTX_VERSION_MAJOR, PTX_VERSION_MINOR);
    json_object_set_new(driver, "name", json_text("ptxvm ptxas"));
    json_object_set_new(driver, "version", json_text(version));
    json_object_set_new(driver, "rules", rules);
    json_object_set_new(tool, "driver", driver);
    return tool;
}

void messages_sarif(const struct message *messages, size_t n)
{
    json_t *log = json_object(), *runs = json_array(), *run = json_object(), *results = json_array();
    json_t *rules = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(results,
                              result_of(&messages[i], rule_index(rules, messages[i].diagnostic.code)));
    json_object_set_new(run, "tool", tool_of(rules));
    json_object_set_new(run, "columnKind", json_text("unicodeCodePoints"));
    json_object_set_new(run, "results", results);
    json_array_append_new(runs, run);
    json_object_set_new(log, "$schema", json_text("https://json.schemastore.org/sarif-2.1.0.json"));
    json_object_set_new(log, "version", json_text("2.1.0"));
    json_object_set_new(log, "runs", runs);
    json_show(log);
}
