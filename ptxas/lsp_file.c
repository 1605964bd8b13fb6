/* lsp_file.c - an open file of the language server: its text, its lines, and places in it.
 *
 * Editors count columns in UTF-16 code units unless they agree to bytes; the checker counts bytes. PTX is
 * ASCII, but a text that is being written may hold anything. */
#include "lsp_file.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void find_lines(struct lsp_file *file)
{
    size_t room = 0;
    free(file->lines);
    file->lines = NULL;
    file->nlines = 0;
    for (size_t at = 0, more = 1; more;) {
        if (file->nlines == room)
            file->lines = must_grow(file->lines, (room = 2 * room + 64) * sizeof *file->lines);
        file->lines[file->nlines++] = (uint32_t)at;
        const char *newline = at < file->text.n ? memchr(file->text.at + at, '\n', file->text.n - at) : NULL;
        more = newline != NULL;
        if (newline) at = (size_t)(newline - file->text.at) + 1;
    }
}

void lsp_file_set(struct lsp_file *file, const char *text, size_t n)
{
    file->text.n = 0;
    text_add(&file->text, text, n);
    file->stale = true;
    find_lines(file);
}

void lsp_file_free(struct lsp_file *file)
{
    document_close(&file->document);
    text_free(&file->text);
    free(file->lines);
    free(file->uri);
    free(file->name);
}

bool lsp_file_read(struct lsp_file *file, const struct options *options)
{
    if (!file->stale) return file->document.syntax != NULL;
    document_close(&file->document);
    file->stale = false;
    return document_open(&file->document, file->name, file->text.at ? file->text.at : "", file->text.n,
                         options);
}

/* ---- places ---- */

/* UTF-16 code units of the character that begins here; bytes that continue one have none. */
static unsigned units(const struct lsp_file *file, unsigned char byte)
{
    if (file->utf8) return 1;
    return (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
}

static uint32_t line_end(const struct lsp_file *file, size_t line)
{
    if (line + 1 == file->nlines) return (uint32_t)file->text.n;
    uint32_t end = file->lines[line + 1] - 1;
    if (end > file->lines[line] && file->text.at[end - 1] == '\r') end--;
    return end;
}

bool lsp_offset(const struct lsp_file *file, const json_t *position, uint32_t *offset)
{
    const json_t *line = json_object_get(position, "line"), *column = json_object_get(position, "character");
    if (!json_is_integer(line) || !json_is_integer(column)) return false;
    json_int_t n = json_integer_value(line), left = json_integer_value(column);
    if (n < 0 || left < 0) return false;
    if ((size_t)n >= file->nlines) {
        *offset = (uint32_t)file->text.n;
        return true;
    }
    const uint32_t end = line_end(file, (size_t)n);
    for (*offset = file->lines[n]; *offset < end && left > 0; ++*offset) {
        left -= units(file, (unsigned char)file->text.at[*offset]);
        while (*offset + 1 < end && units(file, (unsigned char)file->text.at[*offset + 1]) == 0) ++*offset;
    }
    return true;
}

json_t *lsp_position(const struct lsp_file *file, uint32_t offset)
{
    size_t low = 0, high = file->nlines;
    json_int_t column = 0;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (file->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    for (uint32_t at = file->lines[low]; at < offset && at < file->text.n; at++)
        column += units(file, (unsigned char)file->text.at[at]);
    return json_pack("{s:I,s:I}", "line", (json_int_t)low, "character", column);
}

json_t *lsp_range(const struct lsp_file *file, uint32_t from, uint32_t to)
{
    return json_pack("{s:o,s:o}", "start", lsp_position(file, from), "end", lsp_position(file, to));
}

json_t *lsp_token_range(const struct lsp_file *file, uint32_t token)
{
    const ptx_token *t = &file->document.tokens[token];
    return lsp_range(file, t->offset, t->offset + t->length);
}

size_t lsp_count_to(const void *things, size_t size, size_t key, size_t n, uint32_t limit)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (*(const uint32_t *)((const char *)things + middle * size + key) <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t lsp_token_at(const struct lsp_file *file, uint32_t offset)
{
    const ptx_token *all = file->document.tokens;
    const size_t n =
        lsp_count_to(all, sizeof *all, offsetof(ptx_token, offset), file->document.ntokens, offset);
    if (!n) return PTX_NOTHING;
    const ptx_token *token = &all[n - 1];
    const bool touches = n > 1 && token[-1].offset + token[-1].length == offset && token->offset == offset;
    if (touches && token->kind == PTX_TOKEN_MARK) return (uint32_t)n - 2; /* the name before a comma */
    return offset <= token->offset + token->length ? (uint32_t)n - 1 : PTX_NOTHING;
}

/* ---- changes ---- */

bool lsp_file_change(struct lsp_file *file, const json_t *change)
{
    const json_t *text = json_object_get(change, "text"), *range = json_object_get(change, "range");
    uint32_t from = 0, to = (uint32_t)file->text.n;
    struct text changed = {0};
    if (!json_is_string(text)) return false;
    if (range && (!lsp_offset(file, json_object_get(range, "start"), &from) ||
                  !lsp_offset(file, json_object_get(range, "end"), &to) || from > to))
        return false;
    text_add(&changed, file->text.at, from);
    text_add(&changed, json_string_value(text), json_string_length(text));
    text_add(&changed, file->text.at + to, file->text.n - to);
    lsp_file_set(file, changed.at ? changed.at : "", changed.n);
    text_free(&changed);
    return true;
}
