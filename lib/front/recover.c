/*
 * recover.c - where the parser goes on after a syntax error.
 *
 * The grammar catches an error where a statement or an item of the module may
 * stand. What was read of it is forgotten, and its text is passed over: in a
 * body up to ';', to the brace that closes a block, or to a line that begins
 * like a statement; in the module up to ';' or behind a body, or to a line that
 * begins with a directive of the module. Names that it would have declared
 * become faulty, so that errors about them only follow. Each time the parser
 * goes on further down than before, so that it comes to an end.
 */
#include <string.h>
#include "front/parser.h"

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%';
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r");
}

static const char *skip_name(const char *at)
{
    while (is_name_char(*at)) at++;
    return at;
}

static bool is_word(const char *at, const char *const *words)
{
    const size_t n = (size_t)(skip_name(at + 1) - at);
    for (; *words; words++)
        if (strlen(*words) == n && memcmp(at, *words, n) == 0) return true;
    return false;
}

/* Words that begin what only a module has. */
static bool begins_function(const char *at)
{
    static const char *const words[] = {".visible", ".entry", ".weak", ".extern", ".func", NULL};
    return is_word(at, words);
}

static bool begins_item(const char *at)
{
    static const char *const words[] = {".global", ".const",  ".shared", ".local",   ".tex",
                                        ".common", ".file",   ".alias",  ".section", ".pragma",
                                        ".reg",    ".target", NULL};
    return begins_function(at) || is_word(at, words);
}

/* A brace with nothing behind it on its line opens a block; others hold vectors. */
static bool opens_block(const char *at)
{
    return *at == '{' && strchr("\n/", *skip_blanks(at + 1));
}

/* "add.u32 ...", "ret;", "call (...", "label:", but not an operand such as "%r1," or "a)". */
static bool begins_instruction(const char *at)
{
    const char *end = skip_name(at), *next = skip_blanks(end);
    if (end == at || (*at >= '0' && *at <= '9')) return false;
    if (*next == ':') return true;
    return *at >= 'a' && *at <= 'z' && (*end == '.' || !strchr(",)]}+=", *next));
}

static bool begins_statement(const char *at)
{
    return *at == '@' || *at == '}' || (*at == '.' && is_name_char(at[1])) || opens_block(at) ||
           begins_instruction(at);
}

static bool begins_line(const char *text, const char *at)
{
    while (at > text && strchr(" \t\r", at[-1])) at--;
    return at == text || at[-1] == '\n';
}

static const char *behind_statement(const char *text, const char *at)
{
    const char *const from = at;
    unsigned depth = 0;
    for (; *at; at = px_parser_skip(at)) {
        if (*at == ';') return at + 1;
        if (at > from && begins_line(text, at) && begins_statement(at)) return at;
        if (*at == '}' && !depth) return at;
        depth += *at == '{';
        depth -= *at == '}';
    }
    return at;
}

static const char *behind_item(const char *text, const char *at, bool is_directive)
{
    const char *const from = at;
    unsigned depth = 0;
    for (; *at; at = px_parser_skip(at)) {
        if (at > from && begins_line(text, at) && (depth ? begins_function(at) : begins_item(at))) return at;
        if (*at == ';' && !depth && is_directive) return at + 1;
        if (*at == '}' && depth && !--depth) return at + 1;
        depth += *at == '{';
    }
    return at;
}

/* ---- names that stay undeclared ---- */

/* Names in the text from `at` to `end`, but for dotted words and what stands in braces. */
static void mark_faulty(struct px_parser *parser, const char *at, const char *end)
{
    unsigned depth = 0;
    while (at < end) {
        const char *next = px_parser_skip(at);
        depth += *at == '{';
        depth -= *at == '}' && depth;
        if (*at == '.' || is_name_char(*at)) next = skip_name(at + 1);
        if (is_name_char(*at) && (*at < '0' || *at > '9') && !depth)
            px_names_intern(parser->names, at, (size_t)(next - at))->faulty = true;
        at = next;
    }
}

/* ---- what was read of the statement ---- */

/* Heads are declared, so that calls of them are held against their lists. */
static void forget(struct px_parser *parser)
{
    struct px_sem end = {.pos = parser->token.pos};
    if (parser->head) px_func_declare(parser, &end);
    if (parser->stmts.n > parser->begun.stmts && parser->stmts.at[parser->stmts.n - 1]->kind == PX_S_NOTHING)
        parser->stmts.n--;
    if (parser->items.n > parser->begun.items && parser->items.at[parser->items.n - 1].kind == PX_I_NOTHING)
        parser->items.n--;
    parser->opds.n = parser->mods.n = parser->vars.n = parser->exprs.n = parser->attrs.n = 0;
    parser->dirs.n = parser->strings.n = parser->values.n = parser->code_blocks.n = 0;
    parser->dims.n = parser->lines.n = 0;
    parser->words.n = parser->tree->target.n;
    parser->unsized = false;
    parser->in_source = false;
}

/* A statement or item begins behind one that was read, and behind one of these marks. */
void px_parser_begin(struct px_parser *parser, px_pos before)
{
    const struct px_begun *begun = &parser->begun;
    const bool more =
        begun->stmts != parser->stmts.n || begun->items != parser->items.n || begun->open != parser->open.n;
    if (begun->pos != PX_NO_POS && !(more && strchr(";{}:", parser->source->text[before]))) return;
    parser->begun = (struct px_begun){parser->token.pos, parser->stmts.n, parser->items.n, parser->open.n};
}

/* In a body a function begins: braces are missing. */
static bool lacks_braces(const struct px_parser *parser, const char *at)
{
    return parser->open.n && (begins_function(at) || (*at == '{' && parser->head));
}

/* The place from which the text is read again; `first` is the first token of what has the error. */
static const char *next_place(struct px_parser *parser, const char *first, const char *at)
{
    const char *text = parser->source->text;
    if (lacks_braces(parser, at)) {
        parser->closing = parser->open.n;
        return first;
    }
    const bool again = at == parser->retried; /* in vain */
    const bool begins = parser->open.n ? begins_statement(at) : begins_item(at);
    if (!again && begins && begins_line(text, at)) return at;
    if (again) at = px_parser_skip(at);
    return parser->open.n ? behind_statement(text, at) : behind_item(text, at, *first == '.');
}

bool px_parser_recover(struct px_parser *parser)
{
    const char *text = parser->source->text, *at = text + parser->token.pos;
    if (!parser->recovers || parser->hopeless) return false;
    const char *first = parser->begun.pos <= parser->token.pos ? text + parser->begun.pos : at;
    parser->cursor = next_place(parser, first, at);
    if (!*parser->cursor) parser->closing = parser->open.n;
    forget(parser);
    if (*first == '.' && parser->cursor > first) mark_faulty(parser, first, parser->cursor);
    parser->retried = parser->cursor == at ? at : NULL;
    parser->at_statement = parser->open.n > 0 && !parser->closing;
    parser->begun.pos = PX_NO_POS;
    parser->failed = false;
    return true;
}
