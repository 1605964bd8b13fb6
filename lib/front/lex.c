/*
 * lex.c - what the lexer does with a token once its end is known.
 *
 * Every function fills `sem` (position, length, value), moves the cursor past
 * the token and returns the token's number. The kind of a dotted word is read
 * from the table of PTX words: directives and declarable types have tokens of
 * their own, every other word, known or not, is a WORD. Malformed input never
 * stops here: it becomes a STRAY token, at which the grammar fails.
 */
#include <stdlib.h>
#include <string.h>
#include "front/parser.h"

static int finish(struct px_parser *parser, struct px_sem *sem, const unsigned char *start,
                  const unsigned char *end, int token)
{
    sem->pos = (px_pos)((const char *)start - parser->source->text);
    sem->len = (uint32_t)(end - start);
    parser->cursor = (const char *)end;
    parser->token = *sem;
    return token;
}

int px_lex_plain(struct px_parser *parser, struct px_sem *sem, const unsigned char *start,
                 const unsigned char *end, int token)
{
    return finish(parser, sem, start, end, token);
}

int px_lex_ident(struct px_parser *parser, struct px_sem *sem, const unsigned char *start,
                 const unsigned char *end)
{
    sem->u.name = px_names_intern(parser->names, (const char *)start, (size_t)(end - start));
    return finish(parser, sem, start, end, T_IDENT);
}

static int digit_value(unsigned char c)
{
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Tokens of the words that the grammar knows; 0 for the others. */
static int token_of_directive(px_word word)
{
    switch (word) {
    case PX_W_target: return T_TARGET;
    case PX_W_address_size: return T_ADDRESS_SIZE;
    case PX_W_entry: return T_ENTRY;
    case PX_W_func: return T_FUNC;
    case PX_W_align: return T_ALIGN;
    case PX_W_ptr: return T_PTR;
    case PX_W_attribute: return T_ATTRIBUTE;
    case PX_W_file: return T_FILEDIR;
    case PX_W_loc: return T_LOC;
    case PX_W_section: return T_SECTION;
    case PX_W_pragma: return T_PRAGMA;
    case PX_W_alias: return T_ALIAS;
    case PX_W_branchtargets: return T_BRANCHTARGETS;
    case PX_W_calltargets: return T_CALLTARGETS;
    case PX_W_callprototype: return T_CALLPROTOTYPE;
    case PX_W_v2:
    case PX_W_v4: return T_VEC;
    default: return 0;
    }
}

/* The directives of names.tbl have tokens by what follows them. */
static int token_of_shape(px_word word)
{
    static const int tokens[] = {
        [PX_DS_NONE] = T_PERF0,        [PX_DS_ONE] = T_PERF1,    [PX_DS_THREE] = T_PERF3,
        [PX_DS_LIST] = T_PERFLIST,     [PX_DS_ABI] = T_ABI,      [PX_DS_MAXNREG] = T_LOCAL_MAXNREG,
        [PX_DS_NORETURN] = T_NORETURN, [PX_DS_PLACE] = T_LOC_IR, [PX_DS_SOURCE] = T_SOURCE_SECTION,
    };
    const struct px_construct *directive = px_directive_of_word(word);
    return directive ? tokens[directive->kind] : 0;
}

/* Linkages and state spaces: the token, and which. */
static int token_of_kind(px_word word, uint8_t *kind)
{
    switch (word) {
    case PX_W_extern: *kind = PX_L_EXTERN; return T_EXTERN;
    case PX_W_visible: *kind = PX_L_VISIBLE; return T_VISIBLE;
    case PX_W_weak: *kind = PX_L_WEAK; return T_WEAK;
    case PX_W_common: *kind = PX_L_COMMON; return T_COMMON;
    case PX_W_reg: *kind = PX_SPACE_REG; return T_REG;
    case PX_W_sreg: *kind = PX_SPACE_SREG; return T_STRAY;
    case PX_W_const: *kind = PX_SPACE_CONST; return T_CONSTSPACE;
    case PX_W_global: *kind = PX_SPACE_GLOBAL; return T_SPACE;
    case PX_W_local: *kind = PX_SPACE_LOCAL; return T_SPACE;
    case PX_W_param: *kind = PX_SPACE_PARAM; return T_SPACE;
    case PX_W_shared: *kind = PX_SPACE_SHARED; return T_SPACE;
    case PX_W_tex: *kind = PX_SPACE_TEX; return T_SPACE;
    default: return 0;
    }
}

/* Types of instructions that ptxas's grammar takes in a declaration too, to refuse them by name. */
static bool is_packed(px_word word)
{
    switch (word) {
    case PX_W_e4m3:
    case PX_W_e5m2:
    case PX_W_e4m3x2:
    case PX_W_e5m2x2:
    case PX_W_e2m3x2:
    case PX_W_e3m2x2:
    case PX_W_ue8m0x2:
    case PX_W_e2m1x2:
    case PX_W_e2m1x4:
    case PX_W_e4m3x4:
    case PX_W_e5m2x4:
    case PX_W_e2m3x4:
    case PX_W_e3m2x4:
    case PX_W_u16x2:
    case PX_W_s16x2:
    case PX_W_f32x2: return true;
    default: return false;
    }
}

static int token_of_word(px_word word, uint8_t *kind)
{
    int token = 0;
    if (!word) return T_WORD;
    if ((token = token_of_directive(word)) || (token = token_of_shape(word)) ||
        (token = token_of_kind(word, kind)))
        return token;
    enum px_type type = px_type_of_word(word);
    *kind = (uint8_t)type;
    if (type != PX_T_NONE && px_type_info(type)->declarable) return T_TYPE;
    return is_packed(word) ? T_OTHERTYPE : T_WORD;
}

/* .source_begin ... .source_end: the text between them is in another language. */
static int lex_source(struct px_parser *parser, struct px_sem *sem, const unsigned char *start,
                      const unsigned char *end)
{
    static const char mark[] = ".source_end";
    const char *stop = strstr((const char *)end, mark);
    if (!stop) return finish(parser, sem, start, end, T_WORD);
    sem->u.text = px_arena_text(parser->arena, (const char *)end, (size_t)(stop - (const char *)end));
    return finish(parser, sem, start, (const unsigned char *)stop + sizeof mark - 1, T_SOURCE);
}

int px_lex_word(struct px_parser *parser, struct px_sem *sem, const unsigned char *start,
                const unsigned char *end)
{
    sem->u.name = px_names_intern(parser->names, (const char *)start + 1, (size_t)(end - start) - 1);
    sem->word = sem->u.name->word;
    sem->n = 0;
    if (sem->word == PX_W_source_begin && parser->in_source) return lex_source(parser, sem, start, end);
    const int token = token_of_word(sem->word, &sem->kind);
    parser->in_source |= token == T_SOURCE_SECTION;
    return finish(parser, sem, start, end, token);
}

/* ".const[3]": the space with a bank, of PTX before 2.2 */
int px_lex_bank(struct px_parser *parser, struct px_sem *sem, const unsigned char *start,
                const unsigned char *end)
{
    const unsigned char *bracket = memchr(start, '[', (size_t)(end - start));
    uint32_t bank = 0;
    for (const unsigned char *p = bracket + 1; *p != ']'; p++)
        bank = bank < 10000 ? bank * 10 + (uint32_t)digit_value(*p) : bank;
    px_lex_word(parser, sem, start, bracket);
    sem->n = bank + 1;
    return finish(parser, sem, start, end, T_CONSTSPACE);
}

/* ".2d" is a word and ".6d" is the number .6 and the identifier d: only known words begin with a digit. */
int px_lex_digit_word(struct px_parser *parser, struct px_sem *sem, const unsigned char *start,
                      const unsigned char *end)
{
    if (px_word_find((const char *)start + 1, (size_t)(end - start) - 1))
        return px_lex_word(parser, sem, start, end);
    const unsigned char *p = start + 1;
    while (*p >= '0' && *p <= '9') p++;
    return px_lex_float(parser, sem, start, p);
}

int px_lex_version(struct px_parser *parser, struct px_sem *sem, const unsigned char *start,
                   const unsigned char *end)
{
    const unsigned char *p = end;
    while (p[-1] >= '0' && p[-1] <= '9') p--;
    unsigned long minor = strtoul((const char *)p, NULL, 10);
    for (p--; p[-1] >= '0' && p[-1] <= '9';) p--;
    unsigned long major = strtoul((const char *)p, NULL, 10);
    sem->u.i = major < 1000 && minor < 1000 ? major * 10 + minor : UINT16_MAX; /* 8.10 is 9.0 to ptxas */
    sem->n = (uint32_t)(p - start); /* where the number begins in the token */
    return finish(parser, sem, start, end, T_VERSION);
}

/* Values wrap beyond 64 bits without a word, as ptxas's do; U or a value above 2^63-1 makes it unsigned. */
int px_lex_int(struct px_parser *parser, struct px_sem *sem, const unsigned char *start,
               const unsigned char *end, int base)
{
    const unsigned char *p = start + (base == 16 || base == 2 ? 2 : 0);
    bool is_unsigned = end[-1] == 'U';
    uint64_t value = 0, overflow = 0;
    for (const unsigned char *stop = end - is_unsigned; p < stop; p++) {
        overflow |= value >> 63; /* when ptxas notices: 2^64 itself passes as 0 */
        value = value * (uint64_t)base + (uint64_t)digit_value(*p);
    }
    sem->u.i = value;
    sem->paren = false;
    sem->kind = is_unsigned || value >> 63 ? PX_CONST_U64 : PX_CONST_S64;
    int token = finish(parser, sem, start, end, T_INT);
    if (overflow) px_diag_add(parser->diags, PX_D_OVERFLOW, sem->pos, sem->len);
    return token;
}

int px_lex_bits(struct px_parser *parser, struct px_sem *sem, const unsigned char *start,
                const unsigned char *end, int token)
{
    uint64_t bits = 0;
    for (const unsigned char *p = start + 2; p < end; p++) bits = bits << 4 | (uint64_t)digit_value(*p);
    sem->u.i = bits;
    sem->paren = false;
    sem->kind = token == T_F32 ? PX_CONST_F32 : PX_CONST_F64;
    return finish(parser, sem, start, end, token);
}

/* strtod reads the "C" locale's point only in that locale, so a copy with the right point is not enough: see
 * px_strtod. */
int px_lex_float(struct px_parser *parser, struct px_sem *sem, const unsigned char *start,
                 const unsigned char *end)
{
    double value = px_const_parse_float((const char *)start, (size_t)(end - start));
    memcpy(&sem->u.i, &value, sizeof value);
    sem->paren = false;
    sem->kind = PX_CONST_F64;
    return finish(parser, sem, start, end, T_F64);
}

int px_lex_string(struct px_parser *parser, struct px_sem *sem, const unsigned char *start,
                  const unsigned char *end)
{
    sem->u.text = px_arena_text(parser->arena, (const char *)start + 1, (size_t)(end - start) - 2);
    return finish(parser, sem, start, end, T_STRING);
}

const unsigned char *px_lex_comment(struct px_parser *parser, const unsigned char *p)
{
    const unsigned char *end = (const unsigned char *)parser->source->text + parser->source->size;
    while ((p = memchr(p, '*', (size_t)(end - p)))) {
        if (p[1] == '/') return p + 2;
        p++;
    }
    return NULL;
}

int px_lex_open_comment(struct px_parser *parser, struct px_sem *sem, const unsigned char *start)
{
    finish(parser, sem, start, start, T_STRAY);
    parser->cursor = parser->source->text + parser->source->size;
    if (!parser->failed) px_parser_error_near(parser, sem, "unexpected EOF while scanning");
    return T_STRAY;
}

/* The only NUL is the one behind the text: px_parse has looked. */
int px_lex_end(struct px_parser *parser, struct px_sem *sem, const unsigned char *start)
{
    sem->pos = (px_pos)((const char *)start - parser->source->text);
    sem->len = 0;
    parser->token = *sem;
    return T_END;
}

/* # 12 "file": the line that follows is line 12 of the file. Numbers wrap, as ptxas's do. */
void px_lex_marker(struct px_parser *parser, const unsigned char *start, const unsigned char *end)
{
    const unsigned char *digit = start + strcspn((const char *)start, "0123456789");
    const unsigned char *name = (const unsigned char *)memchr(start, '"', (size_t)(end - start)) + 1;
    uint32_t line = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++) line = line * 10 + (uint32_t)digit_value(*digit);
    size_t length = (size_t)((const unsigned char *)memchr(name, '"', (size_t)(end - name)) - name);
    px_source_mark(parser->source, (px_pos)((const char *)end - parser->source->text), line,
                   px_arena_text(parser->arena, (const char *)name, length));
}
