/* format.c - --format: the same tokens and comments in a stable layout.
 *
 * Two passes over the tokens. The first decides which tokens begin a line and how far it is indented: parts
 * (statements, declarations), the braces around them, parameters and directives of functions, and comments
 * that stood on a line of their own. The second writes them, with one blank or none between two tokens of a
 * line, and breaks lines that grow too long behind a comma.
 *
 * The layout depends on nothing but the tokens, on whether a comment had a line of its own, and on where
 * there were empty lines; the result has the same answers to these questions, so formatting it again changes
 * nothing. */
#define _GNU_SOURCE /* memrchr */
#include "format.h"

#include <stdlib.h>
#include <string.h>
#include "arrange.h"
#include "messages.h"
#include "strip.h"

enum { WIDTH = 100, INDENT = 4, DEEPEST = 20 };

/* ---- writing ---- */

struct writer {
    const struct arrangement *layout;
    const struct document *document;
    struct text *out;
    size_t column;
    unsigned indent; /* of the line being written, in steps */
};

static const char *token_text(const struct writer *w, size_t i)
{
    return w->document->text + w->document->tokens[i].offset;
}

static void put(struct writer *w, const char *bytes, size_t n)
{
    const char *newline = n ? memrchr(bytes, '\n', n) : NULL;
    text_add(w->out, bytes, n);
    w->column = newline ? (size_t)(bytes + n - newline) - 1 : w->column + n;
}

static void start_line(struct writer *w, unsigned indent, bool is_first)
{
    static const char blanks[INDENT * DEEPEST + 1] =
        "                                                                                ";
    if (!is_first) put(w, "\n", 1);
    put(w, blanks, INDENT * (indent < DEEPEST ? indent : DEEPEST)); /* or the margin would outgrow the text */
}

/* ".version   8.0" has the only blanks inside a token that are not kept. */
static void put_version(struct writer *w, const char *at, size_t n)
{
    const size_t word = strcspn(at, " \t\r\f"), blanks = strspn(at + word, " \t\r\f");
    put(w, at, word);
    put(w, " ", 1);
    put(w, at + word + blanks, n - word - blanks);
}

/* Blanks at the ends of a comment's lines go. */
static void put_comment(struct writer *w, const char *at, size_t n)
{
    for (const char *end = at + n; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        const char *last = stop;
        while (last > at && strchr(" \t\r\f", last[-1])) last--;
        put(w, at, (size_t)(last - at));
        if (newline) put(w, "\n", 1);
        at = newline ? newline + 1 : end;
    }
}

static void put_token(struct writer *w, size_t i)
{
    const ptx_token *token = &w->document->tokens[i];
    const char *at = token_text(w, i);
    if (token->kind == PTX_TOKEN_COMMENT)
        put_comment(w, at, token->length);
    else if (token->kind == PTX_TOKEN_WORD && token->length > 8 && strncmp(at, ".version", 8) == 0 &&
             strchr(" \t\r\f", at[8]))
        put_version(w, at, token->length);
    else
        put(w, at, token->length);
}

/* Does what stands up to the next comma or the end of the line fit behind the column? */
static bool fits(const struct writer *w, size_t i)
{
    size_t column = w->column + 1;
    for (; i < w->document->ntokens && !arrange_starts_line(w->layout, i); i++) {
        if (w->document->tokens[i].kind == PTX_TOKEN_COMMENT) break;
        column += w->document->tokens[i].length;
        if (column > WIDTH) return false;
        if (document_is(w->document, i, ",")) break;
    }
    return column <= WIDTH;
}

static void write_one(struct writer *w, size_t i)
{
    const struct line_start *start = &w->layout->starts[i];
    const size_t before = i - 1;
    if (arrange_starts_line(w->layout, i)) {
        if (start->blank && i) put(w, "\n", 1);
        if (!start->continues) w->indent = start->indent;
        start_line(w, w->indent + start->continues, i == 0);
        if (w->document->tokens[i].kind == PTX_TOKEN_LINE_MARK) {
            w->out->n -= w->column; /* a line marker stands in the first column */
            w->column = 0;
        }
    } else if (document_is(w->document, before, ",") && !fits(w, i)) {
        start_line(w, w->indent + 1, false);
    } else if (arrange_has_blank(w->layout, i)) {
        put(w, " ", 1);
    }
    put_token(w, i);
}

void format_document(const struct document *document, struct text *out)
{
    struct arrangement layout;
    struct writer w = {&layout, document, out, 0, 0};
    arrange_make(&layout, document);
    for (size_t i = 0; i < document->ntokens; i++) write_one(&w, i);
    if (document->ntokens) put(&w, "\n", 1);
    arrange_free(&layout);
}

bool format_checked(const struct document *document, struct text *out, const struct options *options)
{
    struct document again;
    const size_t from = out->n;
    format_document(document, out);
    if (!document_open(&again, document->name, out->at + from, out->n - from, options)) return false;
    const bool same = document_same_tokens(document, &again, true);
    if (!same) message_plain(PTX_FATAL, "%s: cannot be formatted without changing it", document->name);
    document_close(&again);
    return same;
}

/* ---- the command ---- */

static bool add_file(const struct options *options, const char *name, struct text *out)
{
    const bool strip = option_given(options, OPTION_STRIP);
    struct document document;
    if (!document_open_file(&document, name, options)) return false;
    const bool refused =
        strip ? document_refused(&document, options) : document_unreadable(&document, options);
    const bool fine = !refused && (strip ? strip_document(&document, out, options)
                                         : format_checked(&document, out, options));
    document_close(&document);
    return fine;
}

int format_run(const struct options *options)
{
    struct text out = {0};
    bool fine = true;
    for (size_t i = 0; i < options->files.n; i++) fine &= add_file(options, options->files.at[i], &out);
    fine = fine && text_write_file(options->output, out.at, out.n);
    text_free(&out);
    return fine ? 0 : 255;
}
