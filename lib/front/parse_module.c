/*
 * parse_module.c - actions for functions and the other items of module scope.
 *
 * parser->head is the function header being read; it becomes parser->func when
 * its body opens. A header without a body is an item, or a statement when it
 * stands inside a body.
 */
#include "front/parser.h"

struct px_item *px_push_item(struct px_parser *parser, enum px_item_kind kind, px_pos pos)
{
    struct px_item item = {.kind = (uint8_t)kind, .pos = pos};
    px_vec_push(&parser->scratch, &parser->items, item);
    return &parser->items.at[parser->items.n - 1];
}

/* ---- functions ---- */

void px_func_start(struct px_parser *parser)
{
    parser->func_attrs = parser->attrs.n;
}

static void take_attributes(struct px_parser *parser, struct px_func *func)
{
    uint32_t n = parser->attrs.n - parser->func_attrs;
    func->nattrs = (uint16_t)px_parser_count(parser, n, UINT16_MAX);
    func->attrs = PX_TAKE(parser, &parser->attrs, n);
}

void px_func_head(struct px_parser *parser, const struct px_sem *linkage, const struct px_sem *kind,
                  const struct px_sem *rets, const struct px_sem *name, const struct px_sem *params)
{
    struct px_func *func = PX_NEW(parser->arena, struct px_func);
    func->name = name->u.name;
    func->pos = name->pos;
    func->start = linkage->len ? linkage->pos : kind->pos;
    func->end = name->pos + name->len;
    func->is_entry = rets == NULL;
    func->linkage = linkage->len ? linkage->kind : PX_L_NONE;
    func->params_given = params->kind != 0;
    func->nparams = (uint16_t)px_parser_count(parser, params->n, UINT16_MAX);
    func->params = PX_TAKE(parser, &parser->vars, params->n);
    func->nrets = rets ? (uint16_t)px_parser_count(parser, rets->n, UINT16_MAX) : 0;
    func->rets = rets ? PX_TAKE(parser, &parser->vars, rets->n) : NULL;
    take_attributes(parser, func);
    parser->head = func;
}

void px_func_directives(struct px_parser *parser, const struct px_sem *dirs)
{
    parser->head->ndirs = (uint16_t)px_parser_count(parser, dirs->n, UINT16_MAX);
    parser->head->dirs = PX_TAKE(parser, &parser->dirs, dirs->n);
}

void px_func_declare(struct px_parser *parser, const struct px_sem *end)
{
    struct px_func *func = parser->head;
    parser->head = NULL;
    func->end = end->pos;
    if (parser->open.n)
        px_stmt_new(parser, PX_S_FUNC, func->start, sizeof func)->u.func = func;
    else
        px_push_item(parser, PX_I_FUNC, func->start)->u.func = func;
}

void px_func_body(struct px_parser *parser)
{
    parser->func = parser->head;
    parser->head = NULL;
}

static void drop_body(struct px_parser *parser, struct px_func *func)
{
    func->body->list = NULL;
    func->body->n = 0;
    px_arena_free(&parser->dropped); /* it can be filled again */
}

bool px_func_define(struct px_parser *parser, const struct px_sem *end)
{
    struct px_func *func = parser->func;
    func->body = PX_NEW(parser->arena, struct px_block);
    *func->body = px_parse_close_block(parser, end->pos);
    func->end = end->pos;
    px_push_item(parser, PX_I_FUNC, func->start)->u.func = func;
    bool go_on = px_parser_show(parser);
    if (parser->bodies == &parser->dropped) drop_body(parser, func);
    return go_on;
}

/* The values were pushed as dimensions; word->n tells how many. */
void px_push_directive(struct px_parser *parser, const struct px_sem *word, uint32_t n)
{
    struct px_directive directive = {.word = word->word,
                                     .name = word->u.name,
                                     .pos = word->pos,
                                     .told = parser->token.pos,
                                     .n = (uint8_t)n};
    parser->dims.n -= n;
    for (uint32_t i = 0; i < n; i++) directive.value[i] = parser->dims.at[parser->dims.n + i];
    px_vec_push(&parser->scratch, &parser->dirs, directive);
}

void px_push_value(struct px_parser *parser, const struct px_sem *string, const struct px_sem *number)
{
    struct px_value value = {.text = string ? string->u.text : NULL, .number = number ? number->u.i : 0};
    px_vec_push(&parser->scratch, &parser->values, value);
}

void px_push_list_directive(struct px_parser *parser, const struct px_sem *word, uint32_t n)
{
    struct px_directive directive = {
        .word = word->word, .name = word->u.name, .pos = word->pos, .told = parser->token.pos, .nlist = n};
    directive.list = PX_TAKE(parser, &parser->values, n);
    px_vec_push(&parser->scratch, &parser->dirs, directive);
}

void px_push_pragma_directive(struct px_parser *parser, const struct px_sem *pragma)
{
    struct px_directive directive = {
        .word = PX_W_pragma, .pos = pragma->pos, .told = pragma->pos, .pragma = pragma->u.pragma};
    px_vec_push(&parser->scratch, &parser->dirs, directive);
}

/* ---- debug data and the rest ---- */

void px_parse_file(struct px_parser *parser, const struct px_sem *start, const struct px_sem *index,
                   const struct px_sem *name, const struct px_sem *time, const struct px_sem *size)
{
    struct px_file *file = PX_NEW(parser->arena, struct px_file);
    file->pos = start->pos;
    file->told = parser->token.pos; /* a time may follow */
    file->index = index->u.i;
    file->name = name->u.text;
    file->has_time = time != NULL;
    file->has_size = size != NULL;
    file->time = time ? time->u.i : 0;
    file->size = size ? size->u.i : 0;
    px_push_item(parser, PX_I_FILE, start->pos)->u.file = file;
}

void px_parse_section(struct px_parser *parser, const struct px_sem *start, const struct px_sem *name,
                      const struct px_sem *lines)
{
    struct px_section *section = PX_NEW(parser->arena, struct px_section);
    section->pos = start->pos;
    section->name = name->u.name;
    section->n = lines->n;
    section->lines = PX_TAKE(parser, &parser->lines, lines->n);
    px_push_item(parser, PX_I_SECTION, start->pos)->u.section = section;
}

/* `keys` are the two words before the colons; the third stands with its text. */
bool px_push_code_block(struct px_parser *parser, const struct px_sem *block, const struct px_sem *keys,
                        const struct px_sem *name, const struct px_sem *file, const struct px_sem *text)
{
    static const px_word words[] = {PX_W_code_block, PX_W_ir_name, PX_W_sourceFileName};
    const struct px_sem *given[] = {block, &keys[0], &keys[1]};
    for (int i = 0; i < 3; i++) {
        if (given[i]->word == words[i]) continue;
        parser->token = *given[i];
        return false;
    }
    struct px_code_block code = {.pos = block->pos,
                                 .name = name->u.text,
                                 .file = file->u.i,
                                 .text = text->u.text,
                                 .file_pos = file->pos};
    px_vec_push(&parser->scratch, &parser->code_blocks, code);
    return true;
}

void px_parse_source_section(struct px_parser *parser, const struct px_sem *start, uint32_t n)
{
    struct px_source_section *source = PX_NEW(parser->arena, struct px_source_section);
    *source = (struct px_source_section){.pos = start->pos, .n = n};
    source->blocks = PX_TAKE(parser, &parser->code_blocks, n);
    px_push_item(parser, PX_I_SOURCE, start->pos)->u.source = source;
}

void px_section_label(struct px_parser *parser, const struct px_sem *name)
{
    struct px_section_line line = {.label = name->u.name, .pos = name->pos};
    px_vec_push(&parser->scratch, &parser->lines, line);
}

void px_section_data(struct px_parser *parser, const struct px_sem *type, const struct px_sem *values)
{
    struct px_section_line line = {.type = type->word, .n = values->n, .pos = type->pos};
    line.values = PX_TAKE(parser, &parser->exprs, values->n);
    px_vec_push(&parser->scratch, &parser->lines, line);
}

/* label - label */
void px_section_difference(struct px_parser *parser, struct px_sem *out, const struct px_sem *a,
                           const struct px_sem *b)
{
    struct px_sem left = *a, right = *b;
    px_init_name(parser, &left, a, NULL);
    px_init_name(parser, &right, b, NULL);
    struct px_expr *expr = PX_NEW(parser->arena, struct px_expr);
    *expr = (struct px_expr){.kind = PX_E_BINARY, .op = '-', .pos = left.pos};
    expr->u.a = left.u.expr;
    expr->u.b = right.u.expr;
    out->u.expr = expr;
}

/* name of a section, with its dot */
void px_section_reference(struct px_parser *parser, struct px_sem *out, const struct px_sem *word)
{
    struct px_sem name = *word;
    const char *text = parser->source->text + name.pos;
    *out = name;
    out->u.name = px_names_intern(parser->names, text, name.len);
}

void px_parse_alias(struct px_parser *parser, const struct px_sem *start, const struct px_sem *alias,
                    const struct px_sem *target)
{
    struct px_alias *node = PX_NEW(parser->arena, struct px_alias);
    *node = (struct px_alias){.pos = alias->pos, .alias = alias->u.name, .target = target->u.name};
    node->target_pos = target->pos;
    px_push_item(parser, PX_I_ALIAS, start->pos)->u.alias = node;
}

void px_parse_module_pragma(struct px_parser *parser, const struct px_sem *pragma)
{
    px_push_item(parser, PX_I_PRAGMA, pragma->pos)->u.pragma = pragma->u.pragma;
}

/* @@DWARF lines belong to PTX before 2.0; later they are as unknown as any other word. */
bool px_parse_dwarf(struct px_parser *parser, const struct px_sem *line)
{
    const char *text = px_arena_text(parser->arena, parser->source->text + line->pos, line->len);
    px_push_item(parser, PX_I_DWARF, line->pos)->u.dwarf = text;
    return parser->tree->version < 20;
}
