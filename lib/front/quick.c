/*
 * quick.c - the common statements of a body, read without the grammar.
 *
 * Nine statements of ten are instructions of the plainest kind or labels. These
 * are recognised here, straight from the text, and go through the same actions
 * as the grammar's; px_token hands the parser one token for a whole run of
 * them. What is not plain (comments inside, calls, expressions, words with
 * digits first, faults of any kind) is left to lexer and grammar from its first
 * byte on, so the grammar alone says what is legal. Only where the grammar
 * expects a statement is anything read here (parser->at_statement).
 */
#include <string.h>
#include "front/parser.h"

enum { LETTER = 1, MARK = 2, DIGIT = 4, DOLLAR = 8, SPACE = 16, HEX = 32 };
enum {
    FOLLOW = LETTER | DIGIT | DOLLAR,
    WORD = LETTER | DIGIT
}; /* `_` counts as a letter where it follows */

__extension__ static const uint8_t kinds[256] = {['a' ... 'f'] = LETTER | HEX,
                                                 ['g' ... 'z'] = LETTER,
                                                 ['A' ... 'F'] = LETTER | HEX,
                                                 ['G' ... 'Z'] = LETTER,
                                                 ['0' ... '9'] = DIGIT | HEX,
                                                 ['_'] = LETTER | MARK,
                                                 ['$'] = DOLLAR | MARK,
                                                 ['%'] = MARK,
                                                 [' '] = SPACE,
                                                 ['\t' ... '\n'] = SPACE,
                                                 ['\f' ... '\r'] = SPACE};

struct quick {
    struct px_parser *parser;
    const unsigned char *p;
};

static inline bool is(const unsigned char *p, unsigned mask)
{
    return kinds[*p] & mask;
}

static inline void skip_space(struct quick *q)
{
    while (is(q->p, SPACE)) q->p++;
}

static inline struct px_sem span(const struct quick *q, const unsigned char *start, const unsigned char *end)
{
    px_pos pos = (px_pos)((const char *)start - q->parser->source->text);
    return (struct px_sem){.pos = pos, .len = (uint32_t)(end - start)};
}

/* One character after space. */
static inline bool take(struct quick *q, char c, struct px_sem *sem)
{
    skip_space(q);
    if (*q->p != c) return false;
    *sem = span(q, q->p, q->p + 1);
    q->p++;
    return true;
}

/* ---- names and words ---- */

static bool read_name(struct quick *q, struct px_sem *sem)
{
    static const char warp_size[] = "WARP_SZ";
    skip_space(q);
    const unsigned char *start = q->p, *p = start;
    if (!is(p, LETTER | MARK) || (is(p, MARK) && !is(p + 1, FOLLOW))) return false;
    for (p++; is(p, FOLLOW);) p++;
    size_t n = (size_t)(p - start);
    if (n == sizeof warp_size - 1 && !memcmp(start, warp_size, n)) return false;
    q->p = p;
    *sem = span(q, start, p);
    sem->u.name = px_names_intern(q->parser->names, (const char *)start, n);
    return true;
}

/* A dotted word that begins here; returns its token, 0 when it is left to the lexer. */
static int read_word(struct quick *q, struct px_sem *sem)
{
    const unsigned char *start = q->p, *p = start + 1;
    if (!is(p, LETTER)) return 0;
    while (is(p, WORD)) p++;
    while (p[0] == ':' && p[1] == ':' && is(p + 2, WORD))
        for (p += 2; is(p, WORD);) p++;
    if (*p == '[') return 0;
    q->p = p;
    *sem = (struct px_sem){0};
    return px_lex_word(q->parser, sem, start, p);
}

static bool is_modifier(int token)
{
    switch (token) {
    case T_WORD:
    case T_TYPE:
    case T_OTHERTYPE:
    case T_VEC:
    case T_SPACE:
    case T_CONSTSPACE:
    case T_WEAK:
    case T_ALIAS: return true;
    default: return false;
    }
}

static bool read_modifiers(struct quick *q, struct px_sem *list)
{
    struct px_sem word;
    for (skip_space(q); *q->p == '.'; skip_space(q)) {
        if (!is_modifier(read_word(q, &word))) return false;
        px_push_modifier(q->parser, &word);
        list->n++;
    }
    return true;
}

/* ---- constants ---- */

/* Numbers with nothing unusual about them: 12, 0x1f, 0f3F800000, 0d...; the lexer alone tells of those too
 * great. */
static bool read_number(struct quick *q, struct px_sem *sem)
{
    enum { LONGEST = 18 };
    const unsigned char *start = q->p, *p = start;
    unsigned char letter = start[0] == '0' ? start[1] | 0x20 : 0;
    *sem = (struct px_sem){0};
    if (letter == 'x' || letter == 'f' || letter == 'd') {
        for (p += 2; is(p, HEX);) p++;
    } else if (*p == '0') {
        p++;
    } else {
        while (is(p, DIGIT)) p++;
    }
    if (is(p, FOLLOW) || *p == '.' || p - start > LONGEST) return false;
    long digits = p - start - 2;
    q->p = p;
    switch (letter) {
    case 'x': return digits > 0 && px_lex_int(q->parser, sem, start, p, 16);
    case 'f': return digits == 8 && px_lex_bits(q->parser, sem, start, p, T_F32);
    case 'd': return digits == 16 && px_lex_bits(q->parser, sem, start, p, T_F64);
    default: return px_lex_int(q->parser, sem, start, p, 10);
    }
}

static bool read_constant(struct quick *q, struct px_sem *sem)
{
    struct px_sem minus, number;
    if (!take(q, '-', &minus)) return is(q->p, DIGIT) && read_number(q, sem);
    skip_space(q);
    if (!is(q->p, DIGIT) || !read_number(q, &number) || number.kind == PX_CONST_F32) return false;
    px_parse_unary(q->parser, sem, &minus, '-', &number);
    return true;
}

/* ---- operands ---- */

static bool read_selector(struct quick *q)
{
    struct px_sem word;
    int token = read_word(q, &word);
    if (token != T_WORD && token != T_TYPE) return false;
    px_operand_select(q->parser, &word);
    return true;
}

static bool read_named(struct quick *q)
{
    struct px_sem name;
    if (!read_name(q, &name)) return false;
    px_push_name(q->parser, &name);
    skip_space(q);
    return *q->p != '.' || read_selector(q);
}

static bool read_sink(struct quick *q)
{
    struct px_sem sink;
    if (is(q->p + 1, FOLLOW) || !take(q, '_', &sink)) return false;
    px_push_sink(q->parser, &sink);
    return true;
}

static bool read_plain_constant(struct quick *q)
{
    struct px_sem value;
    if (!read_constant(q, &value)) return false;
    px_push_const(q->parser, &value);
    return true;
}

/* [name], [name+4], [16] */
static bool read_address(struct quick *q)
{
    struct px_sem open, name, plus, offset, close, whole;
    take(q, '[', &open);
    skip_space(q);
    if (is(q->p, DIGIT)) {
        if (!read_plain_constant(q)) return false;
    } else {
        if (!read_name(q, &name)) return false;
        px_push_name(q->parser, &name);
        if (take(q, '+', &plus)) {
            if (!read_constant(q, &offset)) return false;
            px_operand_offset(q->parser, &offset);
        }
    }
    if (!take(q, ']', &close)) return false;
    whole = px_sem_span(&open, &close);
    px_operand_group(q->parser, PX_O_ADDR, 1, &whole);
    return true;
}

static bool read_element(struct quick *q)
{
    skip_space(q);
    if (is(q->p, DIGIT) || *q->p == '-') return read_plain_constant(q);
    return *q->p == '_' && !is(q->p + 1, FOLLOW) ? read_sink(q) : read_named(q);
}

/* {a, b, _, 1} */
static bool read_vector(struct quick *q)
{
    struct px_sem open, mark, whole;
    uint32_t n = 0;
    take(q, '{', &open);
    do {
        if (!read_element(q)) return false;
        n++;
    } while (take(q, ',', &mark));
    if (!take(q, '}', &mark)) return false;
    whole = px_sem_span(&open, &mark);
    px_operand_group(q->parser, PX_O_VEC, n, &whole);
    return true;
}

static bool read_signed(struct quick *q)
{
    struct px_sem sign;
    const unsigned char *start = q->p;
    take(q, (char)*start, &sign);
    skip_space(q);
    if (*start == '-' && is(q->p, DIGIT)) {
        q->p = start;
        return read_plain_constant(q);
    }
    if (!read_named(q) || (*start == '!' && q->parser->opds.at[q->parser->opds.n - 1].has_selector))
        return false;
    px_operand_sign(q->parser, &sign);
    return true;
}

static bool read_operand(struct quick *q, bool first)
{
    skip_space(q);
    switch (*q->p) {
    case '[': return read_address(q);
    case '{': return read_vector(q);
    case '-':
    case '!': return read_signed(q);
    case '_': return first && !is(q->p + 1, FOLLOW) ? read_sink(q) : read_named(q);
    default: return is(q->p, DIGIT) ? read_plain_constant(q) : read_named(q);
    }
}

static bool read_operands(struct quick *q, struct px_sem *list, struct px_sem *end)
{
    struct px_sem comma;
    if (take(q, ';', end)) return true;
    do {
        if (!read_operand(q, list->n == 0)) return false;
        list->n++;
    } while (take(q, ',', &comma));
    return take(q, ';', end);
}

/* ---- statements ---- */

static void done(struct quick *q, const struct px_sem *last)
{
    q->parser->token = *last;
    q->parser->cursor = (const char *)q->p;
}

/* A label, unless a dotted word follows that might make it a table. */
static bool read_label(struct quick *q, const struct px_sem *name)
{
    struct px_sem colon;
    take(q, ':', &colon);
    const unsigned char *end = q->p;
    skip_space(q);
    if (*q->p == '.' || *q->p == '/') return false;
    q->p = end;
    px_parse_label(q->parser, name);
    done(q, &colon);
    return true;
}

static bool read_statement(struct quick *q)
{
    struct px_sem at, bang, guard, opcode, mods = {0}, opds = {0}, end;
    bool guarded = take(q, '@', &at), negated = guarded && take(q, '!', &bang);
    if ((guarded && !read_name(q, &guard)) || !read_name(q, &opcode)) return false;
    skip_space(q);
    if (*q->p == ':' && !guarded) return read_label(q, &opcode);
    if (!read_modifiers(q, &mods) || !read_operands(q, &opds, &end)) return false;
    if (guarded) guard.paren = negated;
    done(q, &end);
    px_parse_inst(q->parser, guarded ? &guard : NULL, &opcode, &mods, &opds, &end);
    return true;
}

/* As many statements as are plain; the next one is left untouched. False when there was none. */
static bool read_run(struct px_parser *parser)
{
    bool any = false;
    for (;;) {
        struct quick q = {parser, (const unsigned char *)parser->cursor};
        const char *cursor = parser->cursor;
        struct px_sem token = parser->token;
        uint32_t nopds = parser->opds.n, nmods = parser->mods.n;
        if (read_statement(&q)) {
            any = true;
            continue;
        }
        parser->cursor = cursor;
        parser->token = token;
        parser->opds.n = nopds;
        parser->mods.n = nmods;
        return any;
    }
}

/* ptxas's parser keeps six entries of its stack of 10,000 for a block, ours three; ptxas looks behind a name.
 */
static int read_too_deep(struct px_sem *sem, struct px_parser *parser)
{
    if (px_lex(sem, parser) == T_IDENT) px_lex(sem, parser);
    parser->hopeless = true;
    px_parser_error(parser, "memory exhausted");
    return T_STRAY;
}

/* A brace that the text lacks. */
static int close_brace(struct px_sem *sem, struct px_parser *parser)
{
    parser->closing--;
    *sem = (struct px_sem){.pos = (px_pos)(parser->cursor - parser->source->text)};
    parser->token = *sem;
    return '}';
}

int px_token(struct px_sem *sem, struct px_parser *parser)
{
    enum { DEEPEST = 1663 + 1 }; /* blocks in the block of a function */
    bool at_statement = parser->at_statement;
    parser->at_statement = false;
    if (parser->closing) return close_brace(sem, parser);
    if (parser->open.n > DEEPEST) return read_too_deep(sem, parser);
    if (at_statement && read_run(parser)) return T_PLAIN;
    const px_pos before = parser->token.pos;
    const int token = px_lex(sem, parser);
    px_parser_begin(parser, before);
    return token;
}
