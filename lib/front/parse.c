/*
 * parse.c - runs the parser, and the actions of the header lines.
 *
 * px_parse guards its temporary arenas: when memory runs out it frees them and
 * passes the failure on to the caller's arena. After a syntax error the
 * blocks and the function that were open are closed where the error stands, so
 * the checker sees everything that was read before it.
 */
#include "front/parse.h"
#include <ctype.h>
#include <string.h>
#include "front/parser.h"

struct px_sem px_sem_span(const struct px_sem *a, const struct px_sem *b)
{
    return (struct px_sem){.pos = a->pos, .len = b->pos + b->len - a->pos};
}

void *px_parser_take(struct px_arena *arena, const void *stack, uint32_t *height, uint32_t n, size_t size)
{
    if (!n) return NULL;
    *height -= n;
    void *taken = px_arena_node(arena, n * size);
    return memcpy(taken, (const char *)stack + *height * size, n * size);
}

static void add(struct px_parser *parser, enum px_diag_id id, const char *argument)
{
    px_diag_add(parser->diags, id, parser->token.pos, parser->token.len, argument);
}

/* Of a constant such as 0f3F8, whose digits are too few or too many, the part from the letter on is what is
 * found. */
static bool note_float(struct px_parser *parser, struct px_diag *diag)
{
    const char *text = parser->source->text, *at = text + diag->pos;
    if (!diag->pos || !at[0] || at[-1] != '0' || !strchr("fFdD", at[0])) return false;
    if (diag->pos > 1 && strchr("_$%", at[-2])) return false;
    const size_t digits = strspn(at + 1, "0123456789abcdefABCDEF");
    const unsigned wanted = at[0] == 'f' || at[0] == 'F' ? 8 : 16;
    if (digits == wanted) return false;
    diag->pos--;
    diag->length = (uint32_t)digits + 2;
    px_diag_note(parser->diags, diag, "0%c takes %u hexadecimal digits; %u are given", at[0], wanted,
                 (unsigned)digits);
    return true;
}

/* The fault is mended by `text` at `at`. */
static void insert(struct px_parser *parser, struct px_diag *diag, const char *at, const char *text,
                   bool certain)
{
    const px_pos pos = (px_pos)(at - parser->source->text);
    const char *title = px_arena_printf(parser->arena, "insert '%s'", text);
    px_diag_fix(parser->diags, diag, &(struct px_diag_fix){NULL, pos, 0, title, text, certain});
}

/* Behind the last character in front of `at` that is neither blank nor part of a line's comment. */
static const char *end_before(const char *text, const char *at, bool *newline)
{
    for (*newline = false; at > text;) {
        while (at > text && strchr(" \t\r\n", at[-1])) *newline |= *--at == '\n';
        const char *line = at;
        while (line > text && line[-1] != '\n') line--;
        while (line < at && (line[0] != '/' || line[1] != '/')) line = px_parser_skip(line);
        if (line >= at) break;
        at = line;
    }
    return at;
}

/* Does what ends at `end` begin its line with a directive that no semicolon ends? */
static bool is_line_directive(const char *text, const char *end)
{
    static const char *const ended[] = {".reg",   ".local", ".shared", ".param",   ".global",
                                        ".const", ".tex",   ".pragma", ".visible", ".extern"};
    const char *line = end;
    while (line > text && line[-1] != '\n') line--;
    line += strspn(line, " \t");
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
        if (strncmp(line, ended[i], strlen(ended[i])) == 0) return end[-1] == ')';
    return *line == '.';
}

/* The parenthesis that is open at the end of a statement; NULL: none is. */
static const char *open_parenthesis(const char *text, const char *end)
{
    unsigned closed = 0;
    for (; end > text && !strchr(";{}", end[-1]); end--) {
        if (end[-1] == '(' && !closed) return end - 1;
        closed += end[-1] == ')';
        closed -= end[-1] == '(';
    }
    return NULL;
}

static void note_parenthesis(struct px_parser *parser, struct px_diag *diag, const char *open,
                             const char *end)
{
    const px_pos pos = (px_pos)(open - parser->source->text);
    px_diag_note(parser->diags, diag, "is a ')' missing at the end of line %u?",
                 px_source_place(parser->source, (px_pos)(end - parser->source->text - 1)).line);
    px_diag_relate(parser->diags, diag, pos, 1, "the '(' that is not closed");
    insert(parser, diag, end, ")", true);
}

/* What a label stands in front of. */
static bool is_table(const char *at)
{
    static const char *const tables[] = {".callprototype", ".calltargets", ".branchtargets"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strncmp(at, tables[i], strlen(tables[i])) == 0) return true;
    return false;
}

/* A line that begins where the one before has no end. */
static void note_semicolon(struct px_parser *parser, struct px_diag *diag)
{
    const char *text = parser->source->text;
    bool newline;
    const char *at = end_before(text, text + diag->pos, &newline);
    const char *open = newline ? open_parenthesis(text, at) : NULL;
    if (open && text[diag->pos] == '{') {
        note_parenthesis(parser, diag, open, at);
        return;
    }
    if (!newline || at == text || open || strchr(";{}:,(", at[-1]) || is_line_directive(text, at)) return;
    const char *mark = is_table(text + diag->pos) ? ":" : ";";
    px_diag_note(parser->diags, diag, "is a '%s' missing at the end of line %u?", mark,
                 px_source_place(parser->source, (px_pos)(at - text - 1)).line);
    insert(parser, diag, at, mark, true);
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_$%", c));
}

/* Does the text up to `at`, without its guard, hold an opcode and something behind it? */
static bool is_behind_operand(const char *text, const char *at)
{
    const char *begin = at;
    while (begin > text && !strchr(";{}\n", begin[-1])) begin--;
    begin += strspn(begin, " \t");
    if (*begin == '@') begin += strcspn(begin, " \t");
    begin += strspn(begin, " \t");
    const char *opcode = begin;
    while (in_name(*begin) || *begin == '.' || *begin == ':') begin++;
    return islower((unsigned char)*opcode) && begin < at;
}

/* Two operands of an instruction with nothing but blanks between them. The same word twice can also be one
 * too many. */
static void note_comma(struct px_parser *parser, struct px_diag *diag)
{
    const char *text = parser->source->text, *at = text + diag->pos, *before = at;
    while (before > text && (before[-1] == ' ' || before[-1] == '\t')) before--;
    const bool is_operand = in_name(at[0]) || (at[0] && strchr("{[", at[0]));
    const bool after_operand =
        before > text && before < at && (in_name(before[-1]) || strchr("}]", before[-1]));
    if (!is_operand || !after_operand || diag->note || !is_behind_operand(text, before)) return;
    const char *word = before;
    while (word > text && in_name(word[-1])) word--;
    const bool twice = (size_t)(before - word) == diag->length && memcmp(word, at, diag->length) == 0;
    px_diag_note(parser->diags, diag, "is a ',' missing before '%.*s'?", (int)diag->length, at);
    insert(parser, diag, before, ",", !twice);
}

const char *px_parser_skip(const char *at)
{
    if (at[0] == '/' && at[1] == '/') return at + strcspn(at, "\n");
    if (at[0] != '"' && (at[0] != '/' || at[1] != '*')) return at + 1;
    const char *end = at[0] == '"' ? strpbrk(at + 1, "\"\n") : strstr(at + 2, "*/");
    return end ? end + (at[0] == '"' ? 1 : 2) : at + strlen(at);
}

/* The brace that is open at a place; NULL: none is. */
static const char *open_brace(const struct px_parser *parser, px_pos pos)
{
    const char *text = parser->source->text, *end = text + pos, *innermost = NULL;
    PX_VEC(const char *) open = {0};
    for (const char *at = text; at < end; at = px_parser_skip(at)) {
        if (*at == '{') px_vec_push(parser->arena, &open, at);
        if (*at == '}' && open.n) open.n--;
    }
    if (open.n) innermost = open.at[open.n - 1];
    return innermost;
}

static bool note_braces(struct px_parser *parser, struct px_diag *diag)
{
    const char *at = parser->source->text + diag->pos;
    if (*at && *at != '}') return false;
    const char *open = open_brace(parser, diag->pos);
    if (!*at == !open) return false;
    if (*at) {
        px_diag_note(parser->diags, diag, "no '{' is open here");
        px_diag_fix(parser->diags, diag, &(struct px_diag_fix){NULL, diag->pos, 1, "remove '}'", "", false});
        return true;
    }
    const px_pos pos = (px_pos)(open - parser->source->text);
    px_diag_note(parser->diags, diag, "the '{' of line %u is not closed",
                 px_source_place(parser->source, pos).line);
    px_diag_relate(parser->diags, diag, pos, 1, "the '{' that is not closed");
    px_diag_fix(parser->diags, diag,
                &(struct px_diag_fix){NULL, diag->pos, 0, "insert '}' at the end", "}\n", false});
    return true;
}

static bool note_comment(struct px_parser *parser, struct px_diag *diag)
{
    const char *at = parser->source->text + diag->pos;
    if (at[0] != '/' || at[1] != '*') return false;
    px_diag_note(parser->diags, diag, "the comment that begins here has no end");
    return true;
}

/* The last bracket in front of `at` that is open, on its line; NULL: none. */
static const char *open_bracket(const char *text, const char *at)
{
    while (at > text && !strchr("[];\n", at[-1])) at--;
    return at > text && at[-1] == '[' ? at - 1 : NULL;
}

/* [%a+%b], [%a-4], [%a*4] */
static bool note_address(struct px_parser *parser, struct px_diag *diag)
{
    const char *text = parser->source->text, *at = text + diag->pos, *before = at;
    while (before > text && strchr(" \t", before[-1])) before--;
    if (!open_bracket(text, at) || before == text) return false;
    if (*at == '-' && isdigit((unsigned char)at[1])) {
        px_diag_note(parser->diags, diag, "a negative offset is written +-%.*s",
                     (int)strspn(at + 1, "0123456789abcdefxABCDEFX"), at + 1);
        insert(parser, diag, at, "+", true);
    } else if (strchr("-*", *at) || (before[-1] == '+' && *at == '%'))
        px_diag_note(parser->diags, diag,
                     "an address is one register or variable, and a constant added to it: compute the sum in "
                     "front of this instruction");
    else
        return false;
    return true;
}

static void note_syntax(struct px_parser *parser, struct px_diag *diag)
{
    if (note_address(parser, diag)) return;
    if (note_float(parser, diag) || note_comment(parser, diag) || note_braces(parser, diag)) return;
    note_semicolon(parser, diag);
    note_comma(parser, diag);
}

void px_parser_error_near(struct px_parser *parser, const struct px_sem *token, const char *what)
{
    const char *near = px_arena_text(parser->arena, parser->source->text + token->pos, token->len);
    struct px_diag *diag = px_diag_add(parser->diags, PX_D_PARSE, token->pos, token->len, near, what);
    parser->failed = parser->broken = true;
    if (parser->recovers && !parser->hopeless) diag->severity = PTX_ERROR;
    note_syntax(parser, diag);
}

void px_parser_error(struct px_parser *parser, const char *what)
{
    if (parser->failed) return;
    parser->failed = parser->broken = true;
    if (parser->source->text + parser->token.pos == parser->retried) return; /* it was told */
    if (!parser->saw_version || !parser->saw_target) {
        parser->hopeless = true;
        add(parser, parser->saw_version ? PX_D_NO_TARGET : PX_D_NO_VERSION, parser->source->file);
        return;
    }
    px_parser_error_near(parser, &parser->token, what);
}

uint32_t px_parser_count(struct px_parser *parser, uint32_t n, uint32_t max)
{
    if (n <= max) return n;
    parser->hopeless = true;
    px_parser_error(parser, "memory exhausted");
    return max;
}

void px_parse_version(struct px_parser *parser, const struct px_sem *version)
{
    const char *number = parser->source->text + version->pos + version->n;
    parser->tree->version =
        version->u.i == 51 ? 60 : (unsigned)version->u.i; /* ptxas knows 6.0 by this name, too */
    parser->tree->version_pos = (px_pos)(number - parser->source->text);
    parser->tree->version_text = px_arena_text(parser->arena, number, version->len - version->n);
    parser->saw_version = true;
}

void px_parse_missing_version(struct px_parser *parser)
{
    px_parser_error(parser, "");
}

void px_push_word(struct px_parser *parser, const struct px_sem *word)
{
    px_vec_push(&parser->scratch, &parser->words, *word);
}

/* .target may be repeated right after itself: the lists add up, and the last sm counts. The words stay on
 * the stack until the end. */
void px_parse_target(struct px_parser *parser, const struct px_sem *names)
{
    parser->tree->target.n += names->n;
    parser->saw_target = true;
}

static struct px_target_list target_list(struct px_parser *parser, const struct px_sem *words, uint32_t n)
{
    struct px_target_list list = {.n = n};
    list.names = PX_NEW_N(parser->arena, struct px_name *, n);
    list.poses = PX_NEW_N(parser->arena, px_pos, n);
    for (uint32_t i = 0; i < n; i++) {
        list.names[i] = words[i].u.name;
        list.poses[i] = words[i].pos;
    }
    return list;
}

void px_parse_target_stmt(struct px_parser *parser, const struct px_sem *start, const struct px_sem *names)
{
    struct px_stmt *stmt = px_stmt_new(parser, PX_S_TARGET, start->pos, sizeof stmt->u.target);
    parser->words.n -= names->n;
    stmt->u.target = target_list(parser, parser->words.at + parser->words.n, names->n);
}

void px_parse_address_size(struct px_parser *parser, const struct px_sem *directive,
                           const struct px_sem *size)
{
    parser->tree->address_size = size->u.i && size->u.i < 1000 ? (unsigned)size->u.i : 999;
    parser->tree->address_size_pos = directive->pos;
}

bool px_parser_show(struct px_parser *parser)
{
    const struct px_watch *watch = parser->watch;
    struct px_target_list *header = &parser->tree->target;
    if (!header->names) *header = target_list(parser, parser->words.at, header->n);
    return !watch || watch->items(watch->user, parser->items.at, parser->items.n, parser->bodies);
}

/* What a syntax error cut short is kept as far as it was read: a header is declared, a body defined. */
static void close_open_function(struct px_parser *parser)
{
    struct px_sem end = {.pos = parser->token.pos};
    if (parser->head) px_func_declare(parser, &end);
    if (!parser->open.n) return;
    while (parser->open.n > 1) px_parse_block(parser, &end);
    parser->func->cut = true;
    px_func_define(parser, &end);
}

/* Bytes before the first that is NUL or no ASCII; eight are looked at together. */
static size_t ascii_prefix(const char *text, size_t size)
{
    const uint64_t ones = 0x0101010101010101, highs = ones << 7;
    size_t i = 0;
    for (uint64_t word; i + sizeof word <= size; i += sizeof word) {
        memcpy(&word, text + i, sizeof word);
        if (((word - ones) | word) & highs) break;
    }
    while (i < size && (signed char)text[i] > 0) i++;
    return i;
}

/* ptxas looks over the whole text before it reads any of it. */
static bool is_ascii(struct px_parser *parser)
{
    const char *text = parser->source->text;
    size_t size = parser->source->size, i = ascii_prefix(text, size);
    if (i == size) return true;
    px_diag_add(parser->diags, text[i] ? PX_D_NON_ASCII : PX_D_NUL_BYTE, (px_pos)i, 1,
                px_source_place(parser->source, (px_pos)i).line)
        ->told = PX_NO_PLACE;
    return false;
}

static void parse(struct px_parser *parser)
{
    parser->tree->source = parser->source;
    if (!is_ascii(parser)) return;
    const bool whole = px_yyparse(parser) == 0 && !parser->failed;
    parser->tree->ended = whole;
    parser->tree->complete = whole && !parser->broken;
    if (!whole) close_open_function(parser);
    px_parser_show(parser);
    parser->tree->nitems = parser->items.n;
    parser->tree->items = PX_TAKE(parser, &parser->items, parser->items.n);
}

static void free_temporary(struct px_parser *parser)
{
    px_arena_free(&parser->scratch);
    px_arena_free(&parser->dropped);
}

void px_parse(struct px_arena *arena, struct px_names *names, struct px_source *source,
              struct px_diags *diags, struct px_tree *tree, const struct px_watch *watch)
{
    jmp_buf failure;
    struct px_parser parser = {
        .arena = arena, .names = names, .source = source, .diags = diags, .tree = tree, .watch = watch};
    jmp_buf *outer = arena->on_failure;
    px_arena_init(&parser.scratch, &arena->alloc, &failure);
    px_arena_init(&parser.dropped, &arena->alloc, &failure);
    parser.bodies = watch && watch->drop_bodies ? &parser.dropped : arena;
    parser.recovers = watch && watch->recovers;
    parser.begun.pos = PX_NO_POS;
    parser.cursor = source->text;
    if (setjmp(failure)) {
        free_temporary(&parser);
        arena->on_failure = outer;
        longjmp(*outer, 1);
    }
    arena->on_failure = &failure;
    parse(&parser);
    arena->on_failure = outer;
    free_temporary(&parser);
}
