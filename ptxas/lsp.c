/* lsp.c - --lsp: a language server for editors (Language Server Protocol 3.17).
 *
 * JSON-RPC on standard input and output, one message at a time and in order. Open files are kept as the
 * editor sends them; a file is read again when something is asked about it, or when no further message waits,
 * and its diagnostics are published then: whoever types fast does not wait for the texts in between.
 *
 * Broken JSON and unknown requests get an error and the next message is read. A header without a length
 * leaves no way to find the next message: that ends the server. */
#define _GNU_SOURCE /* strcasestr, memmem */
#include "lsp.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lsp_file.h"
#include "messages.h"

enum {
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    NO_METHOD = -32601,
    BAD_PARAMS = -32602,
    NOT_READY = -32002
};

struct server {
    const struct options *options;
    struct lsp_file *files; /* owned */
    size_t nfiles;
    bool ready, shut_down, ended, utf8;
    struct text input; /* read, and not yet used */
    size_t used;
};

/* ---- messages in and out ---- */

static bool read_more(struct server *server)
{
    char bytes[1 << 16];
    const ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n <= 0) return false;
    if (server->used == server->input.n) server->used = server->input.n = 0;
    text_add(&server->input, bytes, (size_t)n);
    return true;
}

static bool is_waiting(const struct server *server)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return server->used < server->input.n || poll(&input, 1, 0) > 0;
}

/* The end of the header that begins at `used`: behind its empty line; NULL while it is not there. */
static const char *header_end(const struct server *server)
{
    const char *at = server->input.at ? server->input.at + server->used : NULL;
    const size_t n = server->input.n - server->used;
    const char *end = at ? memmem(at, n, "\r\n\r\n", 4) : NULL;
    return end ? end + 4 : NULL;
}

/* The length of the next body; false when the input ends or has no header. */
static bool read_header(struct server *server, size_t *length)
{
    enum { LONGEST_HEADER = 4096, LONGEST_BODY = 1 << 30 };
    static const char key[] = "content-length:";
    const char *end;
    while (!(end = header_end(server))) {
        if (server->input.n - server->used > LONGEST_HEADER) return false;
        if (!read_more(server)) return false;
    }
    char *header =
        must_copy(server->input.at + server->used, (size_t)(end - server->input.at) - server->used);
    const char *found = strcasestr(header, key);
    const unsigned long long value = found ? strtoull(found + strlen(key), NULL, 10) : 0;
    server->used = (size_t)(end - server->input.at);
    free(header);
    *length = (size_t)value;
    return value > 0 && value <= LONGEST_BODY;
}

/* The next message; NULL after a reply when it is no JSON. */
static json_t *read_message(struct server *server, size_t length)
{
    while (server->input.n - server->used < length)
        if (!read_more(server)) {
            server->ended = true;
            return NULL;
        }
    json_t *message = json_loadb(server->input.at + server->used, length, 0, NULL);
    server->used += length;
    return message;
}

static void send(json_t *message)
{
    char *body = json_dumps(message, JSON_COMPACT);
    if (body) {
        printf("Content-Length: %zu\r\n\r\n%s", strlen(body), body);
        fflush(stdout);
    }
    free(body);
    json_decref(message);
}

static void reply_error(const json_t *id, int code, const char *words)
{
    json_t *answered = id ? json_deep_copy(id) : json_null();
    send(json_pack("{s:s,s:o,s:{s:i,s:s}}", "jsonrpc", "2.0", "id", answered, "error", "code", code,
                   "message", words));
}

/* ---- files ---- */

static struct lsp_file *find_file(const struct server *server, const json_t *params)
{
    const char *uri = json_string_value(json_object_get(json_object_get(params, "textDocument"), "uri"));
    for (size_t i = 0; uri && i < server->nfiles; i++)
        if (strcmp(server->files[i].uri, uri) == 0) return &server->files[i];
    return NULL;
}

/* file:///a%20b.ptx is /a b.ptx */
static char *name_of(const char *uri)
{
    static const char scheme[] = "file://";
    if (strncmp(uri, scheme, strlen(scheme)) == 0) uri += strlen(scheme);
    char *name = must_copy(uri, strlen(uri)), *to = name;
    for (const char *at = name; *at; at++) {
        char digits[3] = {0};
        if (*at == '%' && at[1] && at[2]) memcpy(digits, at + 1, 2);
        char *end = digits;
        const long byte = strtol(digits, &end, 16);
        const bool escaped = end == digits + 2 && byte > 0;
        *to++ = escaped ? (char)byte : *at;
        at += escaped ? 2 : 0;
    }
    *to = '\0';
    return name;
}

static void publish(struct server *server, struct lsp_file *file)
{
    if (!file->stale || !lsp_file_read(file, server->options)) return;
    send(json_pack("{s:s,s:s,s:{s:s,s:I,s:o}}", "jsonrpc", "2.0", "method", "textDocument/publishDiagnostics",
                   "params", "uri", file->uri, "version", file->version, "diagnostics",
                   lsp_diagnostics(file)));
}

static void publish_all(struct server *server)
{
    for (size_t i = 0; i < server->nfiles; i++) publish(server, &server->files[i]);
}

/* ---- notifications ---- */

static void did_close(struct server *server, const json_t *params)
{
    struct lsp_file *file = find_file(server, params);
    if (!file) return;
    send(json_pack("{s:s,s:s,s:{s:s,s:[]}}", "jsonrpc", "2.0", "method", "textDocument/publishDiagnostics",
                   "params", "uri", file->uri, "diagnostics"));
    lsp_file_free(file);
    *file = server->files[--server->nfiles];
}

static void did_open(struct server *server, const json_t *params)
{
    const json_t *item = json_object_get(params, "textDocument"), *text = json_object_get(item, "text");
    const char *uri = json_string_value(json_object_get(item, "uri"));
    if (!uri || !json_is_string(text)) return;
    struct lsp_file *file = find_file(server, params);
    if (!file) {
        server->files = must_grow(server->files, (server->nfiles + 1) * sizeof *server->files);
        file = &server->files[server->nfiles++];
        *file =
            (struct lsp_file){.uri = must_copy(uri, strlen(uri)), .name = name_of(uri), .utf8 = server->utf8};
    }
    file->version = json_integer_value(json_object_get(item, "version"));
    lsp_file_set(file, json_string_value(text), json_string_length(text));
}

static void did_change(struct server *server, const json_t *params)
{
    const json_t *changes = json_object_get(params, "contentChanges"), *change;
    struct lsp_file *file = find_file(server, params);
    size_t i;
    if (!file) return;
    file->version = json_integer_value(json_object_get(json_object_get(params, "textDocument"), "version"));
    json_array_foreach(changes, i, change)
    {
        if (!lsp_file_change(file, change)) message_plain(PTX_WARNING, "%s: a malformed change", file->name);
    }
}

static void do_exit(struct server *server, const json_t *params)
{
    (void)params;
    server->ended = true;
}

/* ---- requests: the result, or NULL when the parameters are wrong ---- */

static bool wants_utf8(const json_t *params)
{
    const json_t *general = json_object_get(json_object_get(params, "capabilities"), "general");
    const json_t *list = json_object_get(general, "positionEncodings"), *encoding;
    size_t i;
    json_array_foreach(list, i, encoding)
    {
        if (json_is_string(encoding) && strcmp(json_string_value(encoding), "utf-8") == 0) return true;
    }
    return false;
}

static json_t *initialize(struct server *server, const json_t *params)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d", PTX_VERSION_MAJOR, PTX_VERSION_MINOR);
    server->ready = true;
    server->utf8 = wants_utf8(params);
    json_t *capabilities = json_pack(
        "{s:s,s:{s:b,s:i},s:b,s:b,s:b,s:b,s:b,s:{s:[ss]},s:{s:[s]}}", "positionEncoding",
        server->utf8 ? "utf-8" : "utf-16", "textDocumentSync", "openClose", 1, "change", 2, "hoverProvider",
        1, "definitionProvider", 1, "referencesProvider", 1, "documentSymbolProvider", 1,
        "documentFormattingProvider", 1, "codeActionProvider", "codeActionKinds", "quickfix", "source.fixAll",
        "completionProvider", "triggerCharacters", ".");
    return json_pack("{s:o,s:{s:s,s:s}}", "capabilities", capabilities, "serverInfo", "name", "ptxas",
                     "version", version);
}

static json_t *do_shutdown(struct server *server, const json_t *params)
{
    (void)params;
    server->shut_down = true;
    return json_null();
}

/* The file and the place that a request is about. */
static struct lsp_file *find_place(struct server *server, const json_t *params, uint32_t *offset)
{
    struct lsp_file *file = find_file(server, params);
    if (!file || !lsp_offset(file, json_object_get(params, "position"), offset)) return NULL;
    publish(server, file);
    return lsp_file_read(file, server->options) ? file : NULL;
}

static json_t *hover(struct server *server, const json_t *params)
{
    uint32_t offset;
    const struct lsp_file *file = find_place(server, params, &offset);
    return file ? lsp_hover(file, offset, server->options) : NULL;
}

static json_t *definition(struct server *server, const json_t *params)
{
    uint32_t offset;
    const struct lsp_file *file = find_place(server, params, &offset);
    return file ? lsp_definition(file, offset) : NULL;
}

static json_t *references(struct server *server, const json_t *params)
{
    uint32_t offset;
    const struct lsp_file *file = find_place(server, params, &offset);
    const json_t *context = json_object_get(params, "context");
    return file ? lsp_references(file, offset, json_is_true(json_object_get(context, "includeDeclaration")))
                : NULL;
}

/* The text is enough; a file of megabytes is not read again for every letter. */
static json_t *completion(struct server *server, const json_t *params)
{
    uint32_t offset;
    const struct lsp_file *file = find_file(server, params);
    if (!file || !lsp_offset(file, json_object_get(params, "position"), &offset)) return NULL;
    return lsp_completion(file, offset, server->options);
}

static struct lsp_file *find_read(struct server *server, const json_t *params)
{
    struct lsp_file *file = find_file(server, params);
    if (file) publish(server, file);
    return file && lsp_file_read(file, server->options) ? file : NULL;
}

static json_t *symbols(struct server *server, const json_t *params)
{
    const struct lsp_file *file = find_read(server, params);
    return file ? lsp_symbols(file) : NULL;
}

static json_t *formatting(struct server *server, const json_t *params)
{
    const struct lsp_file *file = find_read(server, params);
    return file ? lsp_formatting(file) : NULL;
}

static json_t *actions(struct server *server, const json_t *params)
{
    const struct lsp_file *file = find_read(server, params);
    const json_t *range = json_object_get(params, "range");
    uint32_t from, to;
    if (!file || !lsp_offset(file, json_object_get(range, "start"), &from) ||
        !lsp_offset(file, json_object_get(range, "end"), &to))
        return NULL;
    return lsp_actions(file, from, to, json_object_get(params, "context"));
}

/* ---- dispatch ---- */

static const struct request {
    const char *method;
    json_t *(*answer)(struct server *, const json_t *params);
} requests[] = {{"initialize", initialize},
                {"shutdown", do_shutdown},
                {"textDocument/hover", hover},
                {"textDocument/definition", definition},
                {"textDocument/references", references},
                {"textDocument/completion", completion},
                {"textDocument/documentSymbol", symbols},
                {"textDocument/codeAction", actions},
                {"textDocument/formatting", formatting}};

static const struct notification {
    const char *method;
    void (*act)(struct server *, const json_t *params);
} notifications[] = {{"exit", do_exit},
                     {"textDocument/didOpen", did_open},
                     {"textDocument/didChange", did_change},
                     {"textDocument/didClose", did_close}};

static void answer(struct server *server, const char *method, const json_t *id, const json_t *params)
{
    const size_t n = sizeof requests / sizeof *requests;
    size_t i = 0;
    while (i < n && strcmp(requests[i].method, method) != 0) i++;
    if (server->shut_down || (server->ready && i == 0)) {
        reply_error(id, INVALID_REQUEST,
                    server->shut_down ? "the server is shut down" : "initialized already");
    } else if (!server->ready && i != 0) {
        reply_error(id, NOT_READY, "not initialized");
    } else if (i == n) {
        reply_error(id, NO_METHOD, method);
    } else {
        json_t *result = requests[i].answer(server, params);
        if (result)
            send(json_pack("{s:s,s:o,s:o}", "jsonrpc", "2.0", "id", json_deep_copy(id), "result", result));
        else
            reply_error(id, BAD_PARAMS, "no such open file, or no place in it");
    }
}

static void handle(struct server *server, const json_t *message)
{
    const char *method = json_string_value(json_object_get(message, "method"));
    const json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
    const size_t n = sizeof notifications / sizeof *notifications;
    if (!method && (json_object_get(message, "result") || json_object_get(message, "error"))) return;
    if (!method || (id && !json_is_integer(id) && !json_is_string(id))) {
        reply_error(NULL, INVALID_REQUEST, "no request: it has no method, or an id of the wrong type");
        return;
    }
    if (id) {
        answer(server, method, id, params);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (strcmp(notifications[i].method, method) == 0 && (server->ready || i == 0))
            notifications[i].act(server, params);
}

int lsp_run(const struct options *options)
{
    struct server server = {.options = options};
    size_t length = 0;
    while (!server.ended) {
        if (!read_header(&server, &length)) {
            if (server.used < server.input.n || length)
                reply_error(NULL, PARSE_ERROR, "no header with a Content-Length");
            break;
        }
        json_t *message = read_message(&server, length);
        if (message)
            handle(&server, message);
        else if (!server.ended)
            reply_error(NULL, PARSE_ERROR, "no JSON");
        json_decref(message);
        if (!is_waiting(&server)) publish_all(&server);
    }
    for (size_t i = 0; i < server.nfiles; i++) lsp_file_free(&server.files[i]);
    free(server.files);
    text_free(&server.input);
    return server.ended && server.shut_down ? 0 : 1;
}
