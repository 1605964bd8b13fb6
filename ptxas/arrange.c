/* arrange.c - which tokens begin a line, and what stands between the others.
 *
 * Statements, declarations and braces come first, from the parts of the syntax; then comments, whose place
 * follows from the token behind them; then empty lines. */
#include "arrange.h"

#include <stdlib.h>
#include <string.h>

static bool is(const struct arrangement *layout, size_t token, const char *text)
{
    return document_is(layout->document, token, text);
}

static void start(struct arrangement *layout, uint32_t token, unsigned indent)
{
    layout->starts[token].starts = true;
    layout->starts[token].indent = (uint16_t)indent;
}

/* ---- parts ---- */

static uint16_t depth_of(const struct arrangement *layout, const ptx_part *part)
{
    const uint16_t outer = part->parent == PTX_NOTHING ? 0 : layout->depths[part->parent];
    return part->parent == PTX_NOTHING ? 0 : outer == UINT16_MAX ? outer : (uint16_t)(outer + 1);
}

/* The innermost part of every token. */
static void find_parts(struct arrangement *layout)
{
    const struct document *document = layout->document;
    uint32_t next = 0, current = PTX_NOTHING;
    for (uint32_t i = 0; i < document->ntokens; i++) {
        while (current != PTX_NOTHING && i > document->parts[current].last)
            current = document->parts[current].parent;
        while (next < document->nparts && document->parts[next].first == i) current = next++;
        layout->parts[i] = current;
    }
}

/* The token behind `from` that closes the bracket there. */
static uint32_t closing(const struct arrangement *layout, uint32_t from, uint32_t end)
{
    unsigned depth = 0;
    for (uint32_t i = from; i < end; i++) {
        depth += is(layout, i, "(");
        if (is(layout, i, ")") && --depth == 0) return i;
    }
    return end;
}

/* A list of several parameters has a line for each. */
static void start_parameters(struct arrangement *layout, uint32_t open, uint32_t close, unsigned indent)
{
    bool many = false, first = true;
    for (uint32_t i = open; i < close; i++) many |= is(layout, i, ",");
    if (!many) return;
    for (uint32_t i = open + 1; i < close; i++) {
        if (document_is_comment(layout->document, i)) continue;
        if (first) start(layout, i, indent + 1);
        first = is(layout, i, ",");
    }
    start(layout, close, indent);
}

/* Comments take no part in the question what stands before a token. */
static uint32_t skip_comments(const struct arrangement *layout, uint32_t i, uint32_t end)
{
    while (i < end && document_is_comment(layout->document, i)) i++;
    return i;
}

static void start_function(struct arrangement *layout, const ptx_part *part, unsigned indent)
{
    const uint32_t end = part->open != PTX_NOTHING ? part->open : part->last + 1;
    uint32_t i = skip_comments(layout, part->name + 1, end);
    if (i < end && is(layout, i, "(")) {
        const uint32_t close = closing(layout, i, end);
        if (close < end) start_parameters(layout, i, close, indent);
        i = close;
    }
    for (; i < end; i++)
        if (layout->document->tokens[i].kind == PTX_TOKEN_WORD) start(layout, i, indent);
}

static void start_part(struct arrangement *layout, uint32_t number)
{
    const ptx_part *part = &layout->document->parts[number];
    const unsigned depth = layout->depths[number] = depth_of(layout, part);
    start(layout, part->first, part->kind == PTX_PART_LABEL && depth ? depth - 1 : depth);
    if (part->kind == PTX_PART_FUNCTION) start_function(layout, part, depth);
    if (part->open == PTX_NOTHING) return;
    start(layout, part->open, depth);
    start(layout, part->close, depth);
}

/* ---- comments ---- */

/* Newlines between a token and the one before it. */
static unsigned newlines_before(const struct document *document, size_t token)
{
    const ptx_token *tokens = document->tokens;
    size_t at = token ? tokens[token - 1].offset + tokens[token - 1].length : 0;
    unsigned n = 0;
    for (; at < tokens[token].offset; at++) n += document->text[at] == '\n';
    return n;
}

static bool ends_line(const struct document *document, size_t token)
{
    const ptx_token *t = &document->tokens[token];
    return t->kind == PTX_TOKEN_LINE_MARK ||
           (t->kind == PTX_TOKEN_COMMENT && document->text[t->offset + 1] == '/');
}

static bool is_brace(const struct arrangement *layout, size_t token, bool closes)
{
    const uint32_t part = layout->parts[token];
    if (part == PTX_NOTHING) return false;
    const ptx_part *p = &layout->document->parts[part];
    return closes ? p->close == token : p->open == token;
}

/* How a comment before `next` is indented. */
static unsigned comment_indent(const struct arrangement *layout, size_t next)
{
    if (next == layout->document->ntokens) return 0;
    const uint32_t part = layout->parts[next];
    const bool inside =
        is_brace(layout, next, true) ||
        (part != PTX_NOTHING && layout->document->parts[part].kind == PTX_PART_LABEL && layout->depths[part]);
    return layout->starts[next].indent + (inside ? 1u : 0u);
}

/* The first of the comments that stand before `next` on its line, if nothing else does; else `next`. */
static size_t leading(const struct arrangement *layout, size_t first, size_t next)
{
    const struct document *document = layout->document;
    size_t from = next;
    while (from > first && !newlines_before(document, from) && !ends_line(document, from - 1)) from--;
    return from == 0 || newlines_before(document, from) || (from > first && ends_line(document, from - 1))
               ? from
               : next;
}

/*
 * Comments up to `next`, the token of the program behind them. One that had a line of its own keeps it; one
 * that stood before a statement on the same line stays before it.
 */
static void place_comments(struct arrangement *layout, size_t first, size_t next)
{
    const struct document *document = layout->document;
    const bool end = next == document->ntokens, starts = end || layout->starts[next].starts;
    const bool brace = !end && (is_brace(layout, next, true) || is_brace(layout, next, false));
    const size_t leader = end || !starts || brace ? next : leading(layout, first, next);
    for (size_t i = first; i < next; i++) {
        struct line_start *line = &layout->starts[i];
        line->starts = i == 0 || newlines_before(document, i) > 0 ||
                       document->tokens[i].kind == PTX_TOKEN_LINE_MARK || ends_line(document, i - 1);
        line->continues = line->starts && !starts;
        line->indent = (uint16_t)(i == leader ? layout->starts[next].indent : comment_indent(layout, next));
    }
    if (leader < next)
        layout->starts[next].starts = false;
    else if (!starts && ends_line(document, next - 1))
        layout->starts[next] = (struct line_start){.starts = true, .continues = true};
}

static void start_comments(struct arrangement *layout)
{
    const size_t n = layout->document->ntokens;
    for (size_t i = 0; i < n; i++) {
        size_t next = i;
        while (next < n && document_is_comment(layout->document, next)) next++;
        if (next > i) place_comments(layout, i, next);
        i = next;
    }
}

/* ---- empty lines ---- */

/* The comments right above a token belong to it. */
static size_t with_comments(const struct arrangement *layout, size_t token)
{
    while (token > 0 && document_is_comment(layout->document, token - 1) &&
           layout->starts[token - 1].starts && newlines_before(layout->document, token) < 2)
        token--;
    return token;
}

/* Functions with bodies have empty lines around them. */
static void separate(struct arrangement *layout, const ptx_part *part)
{
    if (part->kind != PTX_PART_FUNCTION || part->open == PTX_NOTHING) return;
    layout->starts[with_comments(layout, part->first)].blank = true;
    for (size_t i = part->close + 1; i < layout->document->ntokens; i++)
        if (layout->starts[i].starts) {
            layout->starts[i].blank = true;
            return;
        }
}

/* One empty line where there were some; none inside a statement, and none at the edges of a block. */
static void keep_empty_lines(struct arrangement *layout)
{
    for (size_t i = 1; i < layout->document->ntokens; i++) {
        struct line_start *line = &layout->starts[i];
        if (!line->starts) continue;
        line->blank |= newlines_before(layout->document, i) > 1;
        if (line->continues || is_brace(layout, i, true) || is_brace(layout, i - 1, false))
            line->blank = false;
        const uint32_t part = layout->parts[i];
        if (part != PTX_NOTHING && !document_is_comment(layout->document, i) &&
            layout->document->parts[part].first != i && line->indent == layout->depths[part])
            line->blank = false; /* directives and the open brace of a function */
    }
}

void arrange_make(struct arrangement *layout, const struct document *document)
{
    *layout = (struct arrangement){.document = document};
    layout->starts = must_grow(NULL, document->ntokens * sizeof *layout->starts);
    layout->parts = must_grow(NULL, document->ntokens * sizeof *layout->parts);
    layout->depths = must_grow(NULL, document->nparts * sizeof *layout->depths);
    memset(layout->starts, 0, document->ntokens * sizeof *layout->starts);
    find_parts(layout);
    for (uint32_t i = 0; i < document->nparts; i++) start_part(layout, i);
    start_comments(layout);
    for (uint32_t i = 0; i < document->nparts; i++)
        if (document->parts[i].parent == PTX_NOTHING) separate(layout, &document->parts[i]);
    keep_empty_lines(layout);
}

void arrange_free(struct arrangement *layout)
{
    free(layout->starts);
    free(layout->parts);
    free(layout->depths);
}

/* ---- blanks ---- */

static char mark_of(const struct document *document, size_t token)
{
    const ptx_token *t = &document->tokens[token];
    return t->kind == PTX_TOKEN_MARK && t->length == 1 ? document->text[t->offset] : '\0';
}

/* Behind an operator or an opening bracket nothing stands, behind the others a blank. */
static bool blank_behind_mark(const struct document *document, size_t before, ptx_token_kind kind)
{
    const char mark = mark_of(document, before);
    if (mark == ')') return kind == PTX_TOKEN_NAME || kind == PTX_TOKEN_WORD; /* else a cast */
    return mark && strchr(",=:%?]};", mark);
}

static bool blank_before_mark(const struct arrangement *layout, size_t token, bool in_instruction,
                              bool is_opcode)
{
    const struct document *document = layout->document;
    const size_t before = token - 1;
    const ptx_token_kind kind = document->tokens[before].kind;
    const char mark = mark_of(document, token);
    if (mark && strchr(",;)]}>", mark)) return false;
    if (mark && strchr("=%?", mark)) return true;
    if (is_opcode) return true;
    if (kind == PTX_TOKEN_MARK)
        return mark_of(document, before) && strchr(",=:%?", mark_of(document, before));
    if (mark == ':') return kind == PTX_TOKEN_NUMBER;
    if (mark == '<' || kind == PTX_TOKEN_NUMBER) return false;
    if (kind == PTX_TOKEN_WORD) return !is(layout, before, ".attribute");
    if (mark == '\\' || mark == '{') return true;
    return mark == '(' && in_instruction;
}

bool arrange_has_blank(const struct arrangement *layout, size_t token)
{
    const struct document *document = layout->document;
    const ptx_token *at = &document->tokens[token];
    if (token == 0) return false;
    if (document_is_comment(document, token) || document_is_comment(document, token - 1)) return true;
    const uint32_t part = layout->parts[token];
    const ptx_part *p = part == PTX_NOTHING ? NULL : &document->parts[part];
    const bool in_instruction = p && p->kind == PTX_PART_INSTRUCTION;
    const bool is_opcode = in_instruction && p->name == token - 1;
    const ptx_token_kind before = at[-1].kind;
    if (at->kind == PTX_TOKEN_MARK) return blank_before_mark(layout, token, in_instruction, is_opcode);
    if (at->kind == PTX_TOKEN_WORD && in_instruction)
        return before == PTX_TOKEN_MARK && mark_of(document, token - 1) != ']' &&
               blank_behind_mark(document, token - 1, at->kind);
    if (before == PTX_TOKEN_MARK) return blank_behind_mark(document, token - 1, at->kind);
    return true;
}
