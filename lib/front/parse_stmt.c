/*
 * parse_stmt.c - actions for the statements of a body other than instructions.
 *
 * Statements go on parser->stmts. An open block remembers in parser->open where
 * its statements begin; closing it takes them off.
 */
#include "front/parser.h"

void px_parse_label(struct px_parser *parser, const struct px_sem *name)
{
    px_stmt_new(parser, PX_S_LABEL, name->pos, sizeof(struct px_name *))->u.label = name->u.name;
}

void px_parse_targets(struct px_parser *parser, enum px_stmt_kind kind, const struct px_sem *label,
                      const struct px_sem *list)
{
    struct px_stmt *stmt = px_stmt_new(parser, kind, label->pos, sizeof stmt->u.targets);
    stmt->u.targets.label = label->u.name;
    stmt->u.targets.n = list->n;
    stmt->u.targets.list = PX_TAKE_BODY(parser, &parser->opds, list->n);
}

static uint32_t small(const struct px_sem *number)
{
    return number->u.i < UINT32_MAX ? (uint32_t)number->u.i : UINT32_MAX;
}

static struct px_loc *last_loc(struct px_parser *parser)
{
    return &parser->stmts.at[parser->stmts.n - 1]->u.loc;
}

void px_parse_loc(struct px_parser *parser, const struct px_sem *loc, const struct px_sem *file,
                  const struct px_sem *line, const struct px_sem *column)
{
    struct px_stmt *stmt = px_stmt_new(parser, PX_S_LOC, loc->pos, sizeof(struct px_loc));
    stmt->u.loc = (struct px_loc){.file = small(file), .line = small(line), .column = small(column)};
}

void px_parse_loc_intermediate(struct px_parser *parser, const struct px_sem *directive,
                               const struct px_sem *file, const struct px_sem *line,
                               const struct px_sem *column)
{
    px_parse_loc(parser, directive, file, line, column);
    last_loc(parser)->intermediate = true;
}

bool px_parse_loc_inlined(struct px_parser *parser, const struct px_sem *key, const struct px_sem *label,
                          const struct px_sem *offset, const struct px_sem *key2, const struct px_sem *file)
{
    struct px_loc *loc = last_loc(parser);
    bool keys = key->u.name->word == PX_W_function_name && key2->u.name->word == PX_W_inlined_at;
    if (!keys) parser->token = key->u.name->word == PX_W_function_name ? *key2 : *key;
    loc->function = label->u.name;
    loc->function_offset = (int64_t)offset->u.i;
    loc->inlined_file = small(file);
    return keys;
}

void px_parse_loc_place(struct px_parser *parser, const struct px_sem *line, const struct px_sem *column)
{
    struct px_loc *loc = last_loc(parser);
    loc->inlined_line = small(line);
    loc->inlined_column = small(column);
}

/* ---- blocks ---- */

void px_parse_open_block(struct px_parser *parser, const struct px_sem *brace)
{
    struct px_block block = {.pos = brace->pos, .n = parser->stmts.n};
    px_vec_push(&parser->scratch, &parser->open, block);
}

struct px_block px_parse_close_block(struct px_parser *parser, px_pos end)
{
    struct px_block block = parser->open.at[--parser->open.n];
    block.n = parser->stmts.n - block.n;
    block.list = PX_TAKE_BODY(parser, &parser->stmts, block.n);
    block.end = end;
    return block;
}

void px_parse_block(struct px_parser *parser, const struct px_sem *end)
{
    struct px_block block = px_parse_close_block(parser, end->pos);
    px_stmt_new(parser, PX_S_BLOCK, block.pos, sizeof block)->u.block = block;
}

/* ---- pragmas and prototypes ---- */

void px_push_string(struct px_parser *parser, const struct px_sem *string)
{
    px_vec_push(&parser->scratch, &parser->strings, string->u.text);
}

void px_parse_pragma(struct px_parser *parser, struct px_sem *out, const struct px_sem *word,
                     const struct px_sem *strings)
{
    struct px_pragma *pragma = PX_NEW(parser->arena, struct px_pragma);
    pragma->pos = word->pos;
    pragma->n = strings->n;
    pragma->strings = PX_TAKE(parser, &parser->strings, strings->n);
    *out = *word;
    out->u.pragma = pragma;
}

void px_parse_pragma_stmt(struct px_parser *parser, const struct px_sem *pragma)
{
    px_stmt_new(parser, PX_S_PRAGMA, pragma->pos, sizeof pragma->u.pragma)->u.pragma = pragma->u.pragma;
}

void px_parse_proto(struct px_parser *parser, const struct px_sem *label, const struct px_sem *rets,
                    const struct px_sem *params, const struct px_sem *dirs)
{
    struct px_proto *proto = PX_NEW(parser->arena, struct px_proto);
    proto->label = label->u.name;
    proto->pos = label->pos;
    proto->nparams = (uint16_t)px_parser_count(parser, params->n, UINT16_MAX);
    proto->params = PX_TAKE(parser, &parser->vars, params->n);
    proto->nrets = (uint16_t)px_parser_count(parser, rets->n, UINT16_MAX);
    proto->rets = PX_TAKE(parser, &parser->vars, rets->n);
    proto->ndirs = (uint16_t)px_parser_count(parser, dirs->n, UINT16_MAX);
    proto->dirs = PX_TAKE(parser, &parser->dirs, dirs->n);
    px_stmt_new(parser, PX_S_PROTO, label->pos, sizeof proto)->u.proto = proto;
}
