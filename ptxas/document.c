/* document.c - a text with its module and its syntax. */
#include "document.h"

#include <stdlib.h>
#include <string.h>
#include "messages.h"

bool document_open(struct document *document, const char *name, const char *text, size_t size,
                   const struct options *options)
{
    const ptx_module_options wanted = {.struct_size = sizeof wanted,
                                       .file_name = name,
                                       .arch = options->asked_arch,
                                       .profile = options->profile,
                                       .lint = options->lint,
                                       .recover = options->layout != LAYOUT_PTXAS ||
                                                  option_given(options, OPTION_LSP)};
    *document = (struct document){.name = name};
    ptx_status status = ptx_module_create(&wanted, text, size, &document->module);
    if (status == PTX_ERROR_ASSEMBLY) status = PTX_OK;
    if (status == PTX_OK) status = ptx_syntax_create(document->module, &document->syntax);
    if (status != PTX_OK) {
        message_plain(PTX_FATAL, "%s: %s", name, ptx_status_name(status));
        document_close(document);
        return false;
    }
    document->text = ptx_syntax_text(document->syntax, &document->size);
    document->ntokens = ptx_syntax_tokens(document->syntax, &document->tokens);
    document->nparts = ptx_syntax_parts(document->syntax, &document->parts);
    document->nsymbols = ptx_syntax_symbols(document->syntax, &document->symbols);
    document->nuses = ptx_syntax_uses(document->syntax, &document->uses);
    return true;
}

bool document_open_file(struct document *document, const char *name, const struct options *options)
{
    size_t size;
    char *text = text_read_file(name, &size);
    *document = (struct document){0};
    if (!text) message_plain(PTX_FATAL, "Input file '%s' could not be opened", name);
    const bool fine =
        text && document_open(document, strcmp(name, "-") == 0 ? "<stdin>" : name, text, size, options);
    free(text);
    return fine;
}

void document_close(struct document *document)
{
    ptx_syntax_destroy(document->syntax);
    ptx_module_destroy(document->module);
    document->syntax = NULL;
    document->module = NULL;
}

bool document_refused(const struct document *document, const struct options *options)
{
    const struct input input = {.name = document->name, .module = document->module};
    struct options alone = *options;
    alone.no_warnings = true;
    alone.verbose = false;
    return messages_print(&input, 1, &alone, NULL, 0) > 0;
}

bool document_unreadable(const struct document *document, const struct options *options)
{
    return !ptx_syntax_complete(document->syntax) && document_refused(document, options);
}

bool document_is_comment(const struct document *document, size_t token)
{
    const ptx_token_kind kind = document->tokens[token].kind;
    return kind == PTX_TOKEN_COMMENT || kind == PTX_TOKEN_LINE_MARK;
}

bool document_is(const struct document *document, size_t token, const char *text)
{
    if (token >= document->ntokens) return false;
    const ptx_token *t = &document->tokens[token];
    return strlen(text) == t->length && memcmp(document->text + t->offset, text, t->length) == 0;
}

bool document_is_kernel(const struct document *document, const ptx_part *part)
{
    if (part->kind != PTX_PART_FUNCTION) return false;
    for (uint32_t i = part->first; i < part->name; i++)
        if (document_is(document, i, ".entry")) return true;
    return false;
}

/* ---- comparing ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f';
}

/* The bytes of a token one after another, without blanks before the end of a line; a blank of `.version  8.0`
 * counts once. -1 at the end. */
static int next_byte(const char **at, const char *end)
{
    const char *p = *at;
    while (p < end && is_blank(*p)) p++;
    if (p == end) return -1;
    if (p > *at && *p != '\n') {
        *at = p;
        return ' ';
    }
    *at = p + 1;
    return (unsigned char)*p;
}

static bool same_token(const struct document *a, size_t i, const struct document *b, size_t k)
{
    const char *p = a->text + a->tokens[i].offset, *q = b->text + b->tokens[k].offset;
    const char *p_end = p + a->tokens[i].length, *q_end = q + b->tokens[k].length;
    if (a->tokens[i].kind != b->tokens[k].kind) return false;
    for (;;) {
        const int byte = next_byte(&p, p_end);
        if (byte != next_byte(&q, q_end)) return false;
        if (byte < 0) return true;
    }
}

bool document_same_tokens(const struct document *a, const struct document *b, bool comments)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (!comments && i < a->ntokens && document_is_comment(a, i)) i++;
        while (!comments && k < b->ntokens && document_is_comment(b, k)) k++;
        if (i == a->ntokens || k == b->ntokens) return i == a->ntokens && k == b->ntokens;
        if (!same_token(a, i, b, k)) return false;
    }
}
