/*
 * parser.h - what the lexer, the grammar and its actions share.
 *
 * One struct px_parser lives for one call of px_parse. Lists grow on scratch
 * stacks: a rule pushes its elements, counts them in its semantic value, and
 * the rule that closes the list moves that many from the top of the stack into
 * an exact array of the module's arena. Scratch memory dies with the parse.
 */
#ifndef PX_FRONT_PARSER_H
#define PX_FRONT_PARSER_H

#include "base/vec.h"
#include "front/ast.h"
#include "front/constant.h"
#include "front/parse.h"

enum { PX_NO_POS = UINT32_MAX };

/* Semantic value of every symbol: a span of the text and what it means. */
struct px_sem {
    px_pos pos;
    uint32_t len;
    uint32_t n;   /* elements of a list on its stack; of .const[3]: 4 */
    uint8_t kind; /* enum px_const_kind of a constant; a directive's or space's number */
    bool paren;   /* a constant in parentheses */
    px_word word; /* of a dotted word */
    union {
        struct px_name *name;
        uint64_t i;
        struct px_expr *expr;
        struct px_block *block;
        struct px_pragma *pragma;
        const char *text;
    } u;
};

/* What is being read: its first token, and what had been read in front of it. */
struct px_begun {
    px_pos pos; /* PX_NO_POS: not known */
    uint32_t stmts, items, open;
};

struct px_parser {
    struct px_arena *arena;
    struct px_arena scratch;
    struct px_arena *bodies;      /* of statements and operands: `arena`, or `dropped` */
    struct px_arena dropped;      /* bodies that nobody needs after the watcher */
    const struct px_watch *watch; /* NULL: nobody looks */
    struct px_names *names;
    struct px_source *source;
    struct px_diags *diags;
    struct px_tree *tree;
    const char *cursor;  /* where the next token begins */
    struct px_sem token; /* the last token read */
    bool at_statement;   /* the next token begins a statement, if it is not the closing brace */
    bool failed;         /* the syntax error was already described */
    bool saw_version, saw_target;
    bool in_source;      /* .source_begin opens a text in another language */
    bool recovers;       /* after a syntax error the parser goes on */
    bool hopeless;       /* but not after this one */
    bool broken;         /* there was one */
    uint32_t closing;    /* braces that are taken to stand at the cursor */
    const char *retried; /* the token in front of which it went on after the last error; NULL: behind it */
    struct px_begun begun;

    PX_VEC(struct px_operand) opds;
    PX_VEC(struct px_modifier) mods;
    PX_VEC(struct px_stmt *) stmts;
    PX_VEC(struct px_item) items;
    PX_VEC(struct px_var) vars;
    PX_VEC(struct px_expr *) exprs;
    PX_VEC(struct px_attribute) attrs;
    PX_VEC(struct px_directive) dirs;
    PX_VEC(const char *) strings;
    PX_VEC(struct px_value) values; /* of directives that take strings and numbers */
    PX_VEC(struct px_code_block) code_blocks;
    PX_VEC(struct px_sem) words; /* names with positions: .target, aliases */
    PX_VEC(uint64_t) dims;
    PX_VEC(struct px_section_line) lines;
    PX_VEC(struct px_block) open; /* blocks not yet closed: pos, and n as the height of stmts */

    struct px_var decl;   /* template of the declarators being read */
    uint32_t decl_attrs;  /* height of attrs where the declaration began */
    bool unsized;         /* the declarator has [] */
    struct px_func *head; /* the function header being read */
    uint32_t func_attrs;  /* height of attrs where it began */
    struct px_func *func; /* the function whose body is being read */
};

#include "gen/ptx_parser.h"

/* ---- lexer (grammar/ptx.re and lex.c) ---- */

int px_lex(struct px_sem *sem, struct px_parser *parser);
int px_lex_plain(struct px_parser *, struct px_sem *, const unsigned char *start, const unsigned char *end,
                 int token);
int px_lex_ident(struct px_parser *, struct px_sem *, const unsigned char *start, const unsigned char *end);
int px_lex_word(struct px_parser *, struct px_sem *, const unsigned char *start, const unsigned char *end);
int px_lex_bank(struct px_parser *, struct px_sem *, const unsigned char *start, const unsigned char *end);
int px_lex_digit_word(struct px_parser *, struct px_sem *, const unsigned char *start,
                      const unsigned char *end);
int px_lex_version(struct px_parser *, struct px_sem *, const unsigned char *start, const unsigned char *end);
int px_lex_int(struct px_parser *, struct px_sem *, const unsigned char *start, const unsigned char *end,
               int base);
int px_lex_bits(struct px_parser *, struct px_sem *, const unsigned char *start, const unsigned char *end,
                int token);
int px_lex_float(struct px_parser *, struct px_sem *, const unsigned char *start, const unsigned char *end);
int px_lex_string(struct px_parser *, struct px_sem *, const unsigned char *start, const unsigned char *end);
const unsigned char *px_lex_comment(struct px_parser *,
                                    const unsigned char *p); /* past it; NULL when it never ends */
int px_lex_open_comment(struct px_parser *, struct px_sem *, const unsigned char *start);
int px_lex_end(struct px_parser *, struct px_sem *, const unsigned char *start);
void px_lex_marker(struct px_parser *, const unsigned char *start, const unsigned char *end);

/* quick.c: the next token, or T_PLAIN after statements that were read without the grammar. */
int px_token(struct px_sem *sem, struct px_parser *parser);

/* ---- actions of the grammar: parse.c, parse_operand.c, parse_stmt.c, parse_decl.c, parse_module.c ---- */

/* A syntax error; `what` completes "Parsing error near 'token': ". It ends the parse unless that recovers. */
void px_parser_error(struct px_parser *parser, const char *what);
void px_parser_error_near(struct px_parser *parser, const struct px_sem *token, const char *what);
const char *px_parser_skip(const char *at); /* behind the comment, string or character that begins there */
/* Passes over the statement or item with the error; false: the parse ends. */
bool px_parser_recover(struct px_parser *parser);
void px_parser_begin(struct px_parser *parser, px_pos before); /* a token was read, behind that of `before` */
/* `n` as the field of a node whose largest value is `max`; more than that is an error, as nesting is. */
uint32_t px_parser_count(struct px_parser *parser, uint32_t n, uint32_t max);
bool px_parser_show(struct px_parser *parser); /* the watcher looks at the items; false: it has seen enough */
/* From the first token of `a` to the last of `b`. */
struct px_sem px_sem_span(const struct px_sem *a, const struct px_sem *b);

/* header */
void px_parse_version(struct px_parser *, const struct px_sem *version);
void px_parse_missing_version(struct px_parser *);
void px_push_word(struct px_parser *, const struct px_sem *word);
void px_parse_target(struct px_parser *, const struct px_sem *names);
void px_parse_target_stmt(struct px_parser *, const struct px_sem *start, const struct px_sem *names);
void px_parse_address_size(struct px_parser *, const struct px_sem *directive, const struct px_sem *size);

/* constants; `out` may be an operand of the action */
void px_parse_paren(struct px_sem *out, const struct px_sem *inner);
void px_parse_unary(struct px_parser *, struct px_sem *out, const struct px_sem *op, int code,
                    const struct px_sem *a);
void px_parse_binary(struct px_parser *, struct px_sem *out, const struct px_sem *a, int code,
                     const struct px_sem *b);
void px_parse_ternary(struct px_parser *parser, struct px_sem *out, const struct px_sem *a,
                      const struct px_sem *b, const struct px_sem *c);
bool px_parse_cast(struct px_parser *, struct px_sem *out, const struct px_sem *type, const struct px_sem *a);

/* operands: pushed on parser->opds; the others change the one on top */
void px_push_name(struct px_parser *, const struct px_sem *name);
void px_push_sink(struct px_parser *, const struct px_sem *token);
void px_push_const(struct px_parser *, const struct px_sem *value);
void px_operand_select(struct px_parser *, const struct px_sem *word);
void px_operand_sign(struct px_parser *, const struct px_sem *sign);
void px_operand_offset(struct px_parser *, const struct px_sem *offset);
bool px_operand_suffix(struct px_parser *,
                       const struct px_sem *word); /* [a].unified; false: no such suffix */
void px_operand_group(struct px_parser *, enum px_operand_kind kind, uint32_t n, const struct px_sem *span);
void px_operand_index(struct px_parser *, const struct px_sem *base, const struct px_sem *span);

/* statements: pushed on parser->stmts */
struct px_stmt *px_stmt_new(struct px_parser *, enum px_stmt_kind kind, px_pos pos, size_t size);
void px_push_modifier(struct px_parser *, const struct px_sem *word);
bool px_is_call(const struct px_sem *opcode);
void px_parse_inst(struct px_parser *, const struct px_sem *guard, const struct px_sem *opcode,
                   const struct px_sem *mods, const struct px_sem *opds, const struct px_sem *end);
void px_parse_label(struct px_parser *, const struct px_sem *name);
void px_parse_targets(struct px_parser *, enum px_stmt_kind kind, const struct px_sem *label,
                      const struct px_sem *list);
void px_parse_loc(struct px_parser *, const struct px_sem *loc, const struct px_sem *file,
                  const struct px_sem *line, const struct px_sem *column);
void px_parse_loc_intermediate(struct px_parser *, const struct px_sem *directive, const struct px_sem *file,
                               const struct px_sem *line, const struct px_sem *column);
bool px_parse_loc_inlined(struct px_parser *, const struct px_sem *key, const struct px_sem *label,
                          const struct px_sem *offset, const struct px_sem *key2, const struct px_sem *file);
void px_parse_loc_place(struct px_parser *, const struct px_sem *line, const struct px_sem *column);
void px_parse_open_block(struct px_parser *, const struct px_sem *brace);
struct px_block px_parse_close_block(struct px_parser *, px_pos end);
void px_parse_block(struct px_parser *, const struct px_sem *end);
void px_push_string(struct px_parser *, const struct px_sem *string);
void px_parse_pragma(struct px_parser *, struct px_sem *out, const struct px_sem *word,
                     const struct px_sem *strings);
void px_parse_pragma_stmt(struct px_parser *, const struct px_sem *pragma);
void px_parse_proto(struct px_parser *, const struct px_sem *label, const struct px_sem *rets,
                    const struct px_sem *params, const struct px_sem *dirs);

/* declarations: parts in text order, closed by px_decl_var or px_decl_param */
void px_decl_start(struct px_parser *, const struct px_sem *linkage);
void px_decl_space(struct px_parser *, const struct px_sem *space);
void px_decl_align(struct px_parser *, const struct px_sem *align);
bool px_decl_attribute(struct px_parser *, const struct px_sem *word, const struct px_sem *a,
                       const struct px_sem *b);
void px_decl_type(struct px_parser *, const struct px_sem *vec, const struct px_sem *type);
bool px_decl_ptr(struct px_parser *, const struct px_sem *space); /* false: .ptr of no such space */
bool px_decl_ptr_type(struct px_parser *, const struct px_sem *ptr, const struct px_sem *type);
void px_decl_ptr_align(struct px_parser *, const struct px_sem *align); /* false: no such space */
void px_push_dim(struct px_parser *, const struct px_sem *size);
void px_decl_var(struct px_parser *, const struct px_sem *name, const struct px_sem *dims,
                 const struct px_sem *range, const struct px_sem *init);
void px_decl_param(struct px_parser *, const struct px_sem *name, const struct px_sem *dims);
void px_decl_nothing(struct px_parser *); /* no declarator follows the type: only the type is checked */

/* initialisers: an expression in out->u.expr */
void px_init_const(struct px_parser *, struct px_sem *out, const struct px_sem *value);
void px_init_name(struct px_parser *, struct px_sem *out, const struct px_sem *name,
                  const struct px_sem *offset);
bool px_init_generic(struct px_parser *, struct px_sem *out, const struct px_sem *key,
                     const struct px_sem *name, const struct px_sem *offset);
void px_init_mask(struct px_parser *, struct px_sem *out, const struct px_sem *mask,
                  const struct px_sem *value);
void px_init_field(struct px_parser *, struct px_sem *out, const struct px_sem *name,
                   const struct px_sem *value);
void px_init_list(struct px_parser *, struct px_sem *out, uint32_t n);
void px_push_expr(struct px_parser *, const struct px_sem *value);

/* functions and the rest of the module scope */
struct px_item *px_push_item(struct px_parser *, enum px_item_kind kind, px_pos pos);
void px_func_start(struct px_parser *);
void px_func_head(struct px_parser *, const struct px_sem *linkage, const struct px_sem *kind,
                  const struct px_sem *rets, const struct px_sem *name, const struct px_sem *params);
void px_func_directives(struct px_parser *, const struct px_sem *dirs);
void px_func_declare(struct px_parser *, const struct px_sem *end);
void px_func_body(struct px_parser *);
bool px_func_define(struct px_parser *, const struct px_sem *end); /* false: the watcher has seen enough */
void px_push_directive(struct px_parser *, const struct px_sem *word, uint32_t n);
void px_push_value(struct px_parser *, const struct px_sem *string,
                   const struct px_sem *number); /* one is NULL */
void px_push_list_directive(struct px_parser *, const struct px_sem *word, uint32_t n);
void px_push_pragma_directive(struct px_parser *, const struct px_sem *pragma);
void px_parse_file(struct px_parser *, const struct px_sem *start, const struct px_sem *index,
                   const struct px_sem *name, const struct px_sem *time, const struct px_sem *size);
bool px_push_code_block(struct px_parser *, const struct px_sem *block, const struct px_sem *keys,
                        const struct px_sem *name, const struct px_sem *file,
                        const struct px_sem *text); /* false: a key is another word */
void px_parse_source_section(struct px_parser *, const struct px_sem *start, uint32_t n);
void px_parse_section(struct px_parser *, const struct px_sem *start, const struct px_sem *name,
                      const struct px_sem *lines);
void px_section_label(struct px_parser *, const struct px_sem *name);
void px_section_data(struct px_parser *, const struct px_sem *type, const struct px_sem *values);
void px_section_difference(struct px_parser *, struct px_sem *out, const struct px_sem *a,
                           const struct px_sem *b);
void px_section_reference(struct px_parser *, struct px_sem *out, const struct px_sem *word);
void px_parse_alias(struct px_parser *, const struct px_sem *start, const struct px_sem *alias,
                    const struct px_sem *target);
void px_parse_module_pragma(struct px_parser *, const struct px_sem *pragma);
bool px_parse_dwarf(struct px_parser *, const struct px_sem *line); /* false: not in this PTX version */

/* Moves the top `n` elements of a scratch stack into the module's arena, or to the statements of the body. */
void *px_parser_take(struct px_arena *arena, const void *stack, uint32_t *height, uint32_t n, size_t size);
#define PX_TAKE(parser, v, count) px_parser_take((parser)->arena, (v)->at, &(v)->n, (count), sizeof *(v)->at)
#define PX_TAKE_BODY(parser, v, count)                                                                       \
    px_parser_take((parser)->bodies, (v)->at, &(v)->n, (count), sizeof *(v)->at)

#endif
