/* lsp_features.c - what the language server answers about a file: diagnostics, hover, places of names,
 * symbols, layout. */
#define _GNU_SOURCE /* memrchr */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "format.h"
#include "lsp_file.h"
#include "ptx_tools.h"

/* ---- diagnostics ---- */

static json_t *diagnostic(const struct lsp_file *file, const ptx_diagnostic *d)
{
    static const int severities[] = {3, 2, 1, 1};
    uint32_t from = 0, to = 0;
    if (d->line && d->line <= file->nlines) {
        from = file->lines[d->line - 1] + d->column - 1;
        to = from + d->length;
        if (from > file->text.n) from = (uint32_t)file->text.n;
        if (to > file->text.n) to = (uint32_t)file->text.n;
    }
    json_t *message = json_sprintf("%s%s%s", d->message, d->note ? "\n" : "", d->note ? d->note : "");
    if (!message) message = json_string("(not UTF-8)");
    return json_pack("{s:o,s:i,s:s,s:s,s:o}", "range", lsp_range(file, from, to), "severity",
                     severities[d->severity], "code", d->code, "source", "ptxas", "message", message);
}

/* The first byte of a place, and the one behind it. */
static json_t *place_range(const struct lsp_file *file, unsigned line, unsigned column, unsigned length)
{
    if (line > file->nlines) return lsp_range(file, 0, 0);
    const uint32_t from = file->lines[line - 1] + column - 1;
    return lsp_range(file, from, from + length);
}

/* What a name in .file is to an editor: a path as it stands there. */
static json_t *origin_uri(const char *name)
{
    return json_sprintf(*name == '/' ? "file://%s" : "%s", name);
}

static void add_origins(const struct lsp_file *file, size_t i, json_t *list)
{
    const char *function;
    ptx_origin o;
    for (size_t k = 0; ptx_module_origin(file->document.module, i, k, &o, &function) == PTX_OK; k++) {
        const int line = o.line ? (int)o.line - 1 : 0, column = o.column ? (int)o.column - 1 : 0;
        json_t *range = json_pack("{s:{s:i,s:i},s:{s:i,s:i}}", "start", "line", line, "character", column,
                                  "end", "line", line, "character", column);
        json_array_append_new(list,
                              json_pack("{s:{s:o,s:o},s:s}", "location", "uri", origin_uri(o.file), "range",
                                        range, "message", k ? "inlined here" : "the source of this"));
    }
}

/* The other places of the i-th diagnostic, those in the source among them. */
static json_t *related_of(const struct lsp_file *file, size_t i)
{
    json_t *list = json_array();
    ptx_related r;
    for (size_t k = 0; ptx_module_related(file->document.module, i, k, &r) == PTX_OK; k++)
        json_array_append_new(list,
                              json_pack("{s:{s:s,s:o},s:s}", "location", "uri", file->uri, "range",
                                        place_range(file, r.line, r.column, r.length), "message", r.message));
    add_origins(file, i, list);
    return list;
}

json_t *lsp_diagnostic(const struct lsp_file *file, size_t i, const ptx_diagnostic *d)
{
    json_t *told = diagnostic(file, d), *related = related_of(file, i);
    if (json_array_size(related))
        json_object_set_new(told, "relatedInformation", related);
    else
        json_decref(related);
    return told;
}

json_t *lsp_diagnostics(const struct lsp_file *file)
{
    json_t *list = json_array();
    const ptx_module *module = file->document.module;
    for (size_t i = 0; i < ptx_module_diagnostic_count(module); i++) {
        ptx_diagnostic d = {sizeof d};
        if (ptx_module_diagnostic(module, i, &d) == PTX_OK && !d.follows)
            json_array_append_new(list, lsp_diagnostic(file, i, &d));
    }
    return list;
}

/* ---- names ---- */

static const ptx_use *use_at(const struct lsp_file *file, uint32_t offset)
{
    const struct document *document = &file->document;
    const uint32_t token = lsp_token_at(file, offset);
    size_t low = 0, high = document->nuses;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (document->uses[middle].token < token)
            low = middle + 1;
        else
            high = middle;
    }
    return low < document->nuses && document->uses[low].token == token ? &document->uses[low] : NULL;
}

static json_t *location(const struct lsp_file *file, uint32_t token)
{
    return json_pack("{s:s,s:o}", "uri", file->uri, "range", lsp_token_range(file, token));
}

json_t *lsp_definition(const struct lsp_file *file, uint32_t offset)
{
    const ptx_use *use = use_at(file, offset);
    const uint32_t token = use ? file->document.symbols[use->symbol].token : PTX_NOTHING;
    return token == PTX_NOTHING ? json_null() : location(file, token);
}

static bool same_spelling(const struct document *document, uint32_t a, uint32_t b)
{
    const ptx_token *x = &document->tokens[a], *y = &document->tokens[b];
    return x->length == y->length &&
           !memcmp(document->text + x->offset, document->text + y->offset, x->length);
}

/* Of a register in a range, the places of that register; of the range's declaration, all of its members. */
json_t *lsp_references(const struct lsp_file *file, uint32_t offset, bool declaration)
{
    const struct document *document = &file->document;
    const ptx_use *asked = use_at(file, offset);
    json_t *list = json_array();
    if (!asked) return list;
    const ptx_symbol *symbol = &document->symbols[asked->symbol];
    const bool one = symbol->is_range && asked->token != symbol->token;
    for (size_t i = 0; i < document->nuses; i++) {
        const ptx_use *use = &document->uses[i];
        if (use->symbol != asked->symbol || (use->token == symbol->token && !declaration)) continue;
        if (one && use->token != symbol->token && !same_spelling(document, use->token, asked->token))
            continue;
        json_array_append_new(list, location(file, use->token));
    }
    return list;
}

/* ---- hover ---- */

static int put_word(void *user, const char *name)
{
    text_print(user, " `.%s`", name);
    return 0;
}

static void put_since(const ptx_form_info *info, struct text *out)
{
    text_print(out, "%s; since PTX %u.%u", info->section, info->version / 10, info->version % 10);
    if (*info->target) text_print(out, ", %s", info->target);
    text_put(out, info->executed ? "\n" : "; ptxvm checks it, but does not run it\n");
}

/* A row of the table: what stands in the manual, and the words of its places. */
static void put_form(unsigned form, bool words, struct text *out)
{
    ptx_form_info info;
    const char *name;
    if (ptx_form_about(form, &info) != PTX_OK) return;
    text_print(out, "```ptx\n%s\n```\n", info.syntax);
    put_since(&info, out);
    for (unsigned slot = 0; words && (name = ptx_form_words(form, slot, NULL, NULL)); slot++) {
        struct text list = {0};
        ptx_form_words(form, slot, put_word, &list);
        if (memchr(list.at, ' ', list.n) !=
            memrchr(list.at, ' ', list.n)) { /* else a word that stands for itself */
            text_print(out, "- `.%s`:", name);
            text_add(out, list.at, list.n);
            text_put(out, "\n");
        }
        text_free(&list);
    }
}

static void put_opcode(const struct document *document, const ptx_part *part, const struct options *options,
                       struct text *out)
{
    enum { MOST_FORMS = 8 };
    const ptx_token *opcode = &document->tokens[part->name];
    if (part->form) {
        put_form(part->form, true, out);
        return;
    }
    for (size_t i = 0; i < MOST_FORMS; i++) {
        const unsigned form =
            ptx_opcode_form(options->profile, document->text + opcode->offset, opcode->length, i);
        if (form) put_form(form, false, out);
    }
}

/* A declaration as written; of a function its head. */
static void put_declaration(const struct document *document, const ptx_symbol *symbol, struct text *out)
{
    if (symbol->part == PTX_NOTHING) return;
    const ptx_part *part = &document->parts[symbol->part];
    const uint32_t last = part->open != PTX_NOTHING ? part->open - 1 : part->last;
    const ptx_token *from = &document->tokens[part->first], *to = &document->tokens[last];
    text_put(out, "```ptx\n");
    text_add(out, document->text + from->offset, to->offset + to->length - from->offset);
    text_put(out, "\n```\n");
}

static void put_special(const struct document *document, uint32_t token, struct text *out)
{
    const ptx_token *t = &document->tokens[token];
    const char *type;
    unsigned components, version;
    if (!ptx_special_register(document->text + t->offset, t->length, &type, &components, &version)) return;
    text_print(out, "special register `%.*s`: `.%s`%s; since PTX %u.%u\n", (int)t->length,
               document->text + t->offset, type, components > 1 ? " with .x .y .z .w" : "", version / 10,
               version % 10);
}

/* What a constant in hexadecimal is. */
static void put_number(const struct document *document, uint32_t token, struct text *out)
{
    char digits[24] = "";
    const ptx_token *t = &document->tokens[token];
    const char *at = document->text + t->offset;
    if (t->length < 3 || t->length >= sizeof digits || *at != '0') return;
    memcpy(digits, at + 2, t->length - 2);
    const uint64_t bits = strtoull(digits, NULL, 16);
    if ((at[1] == 'f' || at[1] == 'F') && t->length == 10) {
        const uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof value);
        text_print(out, "`.f32` %.9g\n", (double)value);
    } else if ((at[1] == 'd' || at[1] == 'D') && t->length == 18) {
        double value;
        memcpy(&value, &bits, sizeof value);
        text_print(out, "`.f64` %.17g\n", value);
    } else if (at[1] == 'x' || at[1] == 'X') {
        text_print(out, "%llu\n", (unsigned long long)bits);
    }
}

/* The innermost part around a token. */
static const ptx_part *part_of(const struct document *document, uint32_t token)
{
    const size_t n =
        lsp_count_to(document->parts, sizeof(ptx_part), offsetof(ptx_part, first), document->nparts, token);
    const ptx_part *found = n ? &document->parts[n - 1] : NULL;
    while (found && found->last < token)
        found = found->parent == PTX_NOTHING ? NULL : &document->parts[found->parent];
    return found;
}

json_t *lsp_hover(const struct lsp_file *file, uint32_t offset, const struct options *options)
{
    const struct document *document = &file->document;
    const uint32_t token = lsp_token_at(file, offset);
    struct text out = {0};
    json_t *hover = NULL;
    if (token == PTX_NOTHING) return json_null();
    const ptx_part *part = part_of(document, token);
    const ptx_use *use = use_at(file, offset);
    const ptx_token_kind kind = document->tokens[token].kind;
    if (use)
        put_declaration(document, &document->symbols[use->symbol], &out);
    else if (part && part->kind == PTX_PART_INSTRUCTION && (token == part->name || kind == PTX_TOKEN_WORD))
        put_opcode(document, part, options, &out);
    else if (kind == PTX_TOKEN_NAME)
        put_special(document, token, &out);
    else if (kind == PTX_TOKEN_NUMBER)
        put_number(document, token, &out);
    if (out.n)
        hover = json_pack("{s:{s:s,s:s%},s:o}", "contents", "kind", "markdown", "value", out.at, out.n,
                          "range", lsp_token_range(file, token));
    text_free(&out);
    return hover ? hover : json_null();
}

/* ---- symbols ---- */

static json_t *symbol(const struct lsp_file *file, const ptx_part *part, int kind, const char *detail)
{
    const struct document *document = &file->document;
    const ptx_token *name = &document->tokens[part->name];
    const uint32_t from = document->tokens[part->first].offset;
    const ptx_token *last = &document->tokens[part->last];
    return json_pack("{s:s%,s:s,s:i,s:o,s:o,s:[]}", "name", document->text + name->offset,
                     (size_t)name->length, "detail", detail, "kind", kind, "range",
                     lsp_range(file, from, last->offset + last->length), "selectionRange",
                     lsp_token_range(file, part->name), "children");
}

/* Functions with their labels and variables, and the variables of the module; registers are too many. */
json_t *lsp_symbols(const struct lsp_file *file)
{
    enum { FUNCTION = 12, VARIABLE = 13, KEY = 20 };
    const struct document *document = &file->document;
    json_t *list = json_array(), *inner = list;
    for (size_t i = 0; i < document->nparts; i++) {
        const ptx_part *part = &document->parts[i];
        bool is_register = false;
        if (part->name == PTX_NOTHING) continue;
        const bool outside = part->parent == PTX_NOTHING;
        if (outside) inner = list;
        for (uint32_t t = part->first; t < part->name; t++) is_register |= document_is(document, t, ".reg");
        if (part->kind == PTX_PART_FUNCTION) {
            json_t *function =
                symbol(file, part, FUNCTION, document_is_kernel(document, part) ? ".entry" : ".func");
            json_array_append_new(inner, function);
            if (outside) inner = json_object_get(function, "children");
        } else if (part->kind == PTX_PART_VARIABLE && !is_register) {
            json_array_append_new(inner, symbol(file, part, VARIABLE, ""));
        } else if (part->kind == PTX_PART_LABEL || part->kind == PTX_PART_TABLE) {
            json_array_append_new(inner, symbol(file, part, KEY, ""));
        }
    }
    return list;
}

/* ---- layout ---- */

/* One edit for the whole text; none when it has the layout, null when it cannot be read to its end. */
json_t *lsp_formatting(const struct lsp_file *file)
{
    struct text out = {0};
    json_t *edits = json_array();
    if (!ptx_syntax_complete(file->document.syntax)) {
        json_decref(edits);
        return json_null();
    }
    format_document(&file->document, &out);
    if (out.n != file->text.n || (out.n && memcmp(out.at, file->text.at, out.n) != 0))
        json_array_append_new(edits,
                              json_pack("{s:o,s:s%}", "range", lsp_range(file, 0, (uint32_t)file->text.n),
                                        "newText", out.at ? out.at : "", out.n));
    text_free(&out);
    return edits;
}
