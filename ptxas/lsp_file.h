/* lsp_file.h - an open file of the language server, and what was asked about it. */
#ifndef PTXAS_LSP_FILE_H
#define PTXAS_LSP_FILE_H

#include <jansson.h>
#include "document.h"

struct lsp_file {
    char *uri, *name; /* owned; name: the path, as messages call it */
    struct text text; /* as the editor has it */
    json_int_t version;
    struct document document; /* of `text` when it is not stale */
    bool stale;               /* the text changed since */
    uint32_t *lines;          /* owned: where they begin */
    size_t nlines;
    bool utf8; /* columns count bytes, not UTF-16 code units */
};

/* Takes a copy of the text. */
void lsp_file_set(struct lsp_file *file, const char *text, size_t n);
/* One of textDocument/didChange's contentChanges; false when it is malformed. */
bool lsp_file_change(struct lsp_file *file, const json_t *change);
void lsp_file_free(struct lsp_file *file);

/* Reads the text again if it changed; false when there is no memory. */
bool lsp_file_read(struct lsp_file *file, const struct options *options);

/* Between {"line", "character"} and bytes; places beyond a line's end are its end. */
bool lsp_offset(const struct lsp_file *file, const json_t *position, uint32_t *offset);
json_t *lsp_position(const struct lsp_file *file, uint32_t offset);
json_t *lsp_range(const struct lsp_file *file, uint32_t from, uint32_t to);
json_t *lsp_token_range(const struct lsp_file *file, uint32_t token);

/* lsp_features.c: the answers, or null. The file was read. */
json_t *lsp_diagnostics(const struct lsp_file *file);
json_t *lsp_diagnostic(const struct lsp_file *file, size_t i, const ptx_diagnostic *d); /* the i-th */
json_t *lsp_hover(const struct lsp_file *file, uint32_t offset, const struct options *options);
json_t *lsp_definition(const struct lsp_file *file, uint32_t offset);
json_t *lsp_references(const struct lsp_file *file, uint32_t offset, bool declaration);
json_t *lsp_symbols(const struct lsp_file *file);
json_t *lsp_formatting(const struct lsp_file *file);

/* lsp_actions.c: edits that mend what the bytes from `from` to `to` hold; `context` is the request's. */
json_t *lsp_actions(const struct lsp_file *file, uint32_t from, uint32_t to, const json_t *context);

/* lsp_complete.c: by the text alone, since what is being written is seldom legal. */
json_t *lsp_completion(const struct lsp_file *file, uint32_t offset, const struct options *options);

/* Of n things of `size` bytes in ascending order of the uint32_t at offset `key` in each: how many have one
 * of at most `limit`. */
size_t lsp_count_to(const void *things, size_t size, size_t key, size_t n, uint32_t limit);
/* The token that covers or ends at a byte; PTX_NOTHING when there is none. */
uint32_t lsp_token_at(const struct lsp_file *file, uint32_t offset);

#endif
