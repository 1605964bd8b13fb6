/*
 * tokens.c - the text as tokens, comments included.
 *
 * The parser's lexer skips what lies between two tokens; what it skipped is blanks, comments and line
 * markers, and is taken apart here. Names that the lexer interns go to a table of their own, because the
 * module's may be read by others meanwhile.
 */
#include <string.h>
#include "front/parser.h"
#include "syntax/syntax.h"

static void add(struct ptx_syntax *syntax, ptx_token_kind kind, const char *from, const char *to)
{
    const char *text = syntax->module->source.text;
    const ptx_token token = {(uint32_t)(from - text), (uint32_t)(to - from), kind};
    px_vec_push(&syntax->arena, &syntax->tokens, token);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A comment or a line marker without the blanks at its end. */
static void add_line(struct ptx_syntax *syntax, ptx_token_kind kind, const char *from, const char *to)
{
    while (to > from && is_blank(to[-1])) to--;
    add(syntax, kind, from, to);
}

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

/* What stands between two tokens. */
static void add_gap(struct ptx_syntax *syntax, const char *at, const char *end)
{
    while (at < end) {
        const char *to = at + 1;
        if (*at == '/' && to < end && *to == '*') {
            const unsigned char *stop = NULL;
            for (to++; !stop && (to = memchr(to, '*', (size_t)(end - to))); to++)
                if (to[1] == '/') stop = (const unsigned char *)to + 2;
            to = stop ? (const char *)stop : end;
            add(syntax, PTX_TOKEN_COMMENT, at, to);
        } else if (*at == '/' || *at == '#') {
            to = line_end(at, end);
            add_line(syntax, *at == '/' ? PTX_TOKEN_COMMENT : PTX_TOKEN_LINE_MARK, at, to);
        }
        at = to;
    }
}

static ptx_token_kind kind_of(int token, const char *at)
{
    switch (token) {
    case T_IDENT:
    case '_': return PTX_TOKEN_NAME;
    case T_INT:
    case T_F32:
    case T_F64:
    case T_WARPSZ: return PTX_TOKEN_NUMBER;
    case T_STRING: return PTX_TOKEN_STRING;
    case T_SOURCE:
    case T_DWARF: return PTX_TOKEN_FOREIGN;
    case T_STRAY: return *at == '.' ? PTX_TOKEN_WORD : PTX_TOKEN_FAULTY; /* .sreg */
    default: return *at == '.' ? PTX_TOKEN_WORD : PTX_TOKEN_MARK;
    }
}

void px_syntax_tokens(struct ptx_syntax *syntax)
{
    struct px_source source = syntax->module->source;
    struct px_arena *arena = &syntax->arena;
    struct px_names names;
    struct px_diags diags = {.arena = arena};
    struct px_tree tree = {0};
    px_names_init(&names, arena, syntax->module->names.word_of);
    memset(&source.markers, 0, sizeof source.markers);
    source.arena = arena;
    struct px_parser parser = {
        .arena = arena, .names = &names, .source = &source, .diags = &diags, .tree = &tree};
    parser.cursor = source.text;
    parser.failed = true; /* a comment that does not end draws no message here */
    for (;;) {
        struct px_sem sem;
        const char *from = parser.cursor;
        const int token = px_lex(&sem, &parser);
        const char *at = source.text + sem.pos;
        add_gap(syntax, from, at);
        if (token == T_END) return;
        add(syntax, kind_of(token, at), at, parser.cursor);
    }
}

/* ---- asking ---- */

static bool is_comment(const struct ptx_syntax *syntax, uint32_t token)
{
    const ptx_token_kind kind = syntax->tokens.at[token].kind;
    return kind == PTX_TOKEN_COMMENT || kind == PTX_TOKEN_LINE_MARK;
}

uint32_t px_syntax_at(const struct ptx_syntax *syntax, px_pos pos)
{
    uint32_t low = 0, high = syntax->tokens.n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (syntax->tokens.at[middle].offset < pos)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < syntax->tokens.n && is_comment(syntax, low)) low++;
    return low < syntax->tokens.n ? low : PTX_NOTHING;
}

uint32_t px_syntax_before(const struct ptx_syntax *syntax, uint32_t token)
{
    while (token-- > 0)
        if (!is_comment(syntax, token)) return token;
    return PTX_NOTHING;
}

uint32_t px_syntax_after(const struct ptx_syntax *syntax, uint32_t token)
{
    while (++token < syntax->tokens.n)
        if (!is_comment(syntax, token)) return token;
    return PTX_NOTHING;
}

bool px_syntax_is(const struct ptx_syntax *syntax, uint32_t token, const char *text)
{
    if (token == PTX_NOTHING) return false;
    const ptx_token *t = &syntax->tokens.at[token];
    return strlen(text) == t->length && !memcmp(syntax->module->source.text + t->offset, text, t->length);
}
