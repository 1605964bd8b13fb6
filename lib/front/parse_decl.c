/*
 * parse_decl.c - actions for variables, parameters and initialisers.
 *
 * parser->decl is the template of the declaration being read: linkage, space,
 * alignment, type. Each declarator copies it and becomes an item of the module,
 * a statement of the body, or (a parameter) an element of parser->vars.
 */
#include <string.h>
#include "front/parser.h"

void px_decl_start(struct px_parser *parser, const struct px_sem *linkage)
{
    parser->decl = (struct px_var){.bank = -1, .vec = 1, .start = linkage ? linkage->pos : PX_NO_POS};
    parser->decl.linkage = linkage ? linkage->kind : PX_L_NONE;
    parser->decl_attrs = parser->attrs.n;
}

void px_decl_space(struct px_parser *parser, const struct px_sem *space)
{
    parser->decl.many_spaces |= parser->decl.space != PX_SPACE_NONE;
    parser->decl.space = space->kind;
    parser->decl.bank = (int16_t)((int)space->n - 1);
    if (parser->decl.start == PX_NO_POS) parser->decl.start = space->pos;
}

/* A second .align replaces the first, as ptxas takes it. */
void px_decl_align(struct px_parser *parser, const struct px_sem *align)
{
    parser->decl.has_align = true;
    parser->decl.align = align->u.i;
}

bool px_decl_attribute(struct px_parser *parser, const struct px_sem *word, const struct px_sem *a,
                       const struct px_sem *b)
{
    struct px_attribute attribute = {.word = word->word, .pos = word->pos, .n = a ? 2 : 0};
    bool legal = a ? word->word == PX_W_unified : word->word == PX_W_managed;
    if (a) {
        attribute.value[0] = a->u.i;
        attribute.value[1] = b->u.i;
    }
    px_vec_push(&parser->scratch, &parser->attrs, attribute);
    if (!legal) parser->token = *word;
    return legal;
}

void px_decl_type(struct px_parser *parser, const struct px_sem *vec, const struct px_sem *type)
{
    struct px_var *decl = &parser->decl;
    uint32_t nattrs = parser->attrs.n - parser->decl_attrs;
    decl->type = type->kind;
    decl->type_name = type->u.name;
    if (vec) decl->vec = vec->word == PX_W_v2 ? 2 : 4;
    decl->nattrs = (uint8_t)px_parser_count(parser, nattrs, UINT8_MAX);
    decl->attrs = PX_TAKE(parser, &parser->attrs, nattrs);
    if (decl->start == PX_NO_POS) decl->start = vec ? vec->pos : type->pos;
}

/* A space or type that no pointer points to is refused before what follows it is read. */
bool px_decl_ptr(struct px_parser *parser, const struct px_sem *space)
{
    bool legal = !space || (space->kind != PX_SPACE_PARAM && space->kind != PX_SPACE_TEX);
    parser->decl.has_ptr = true;
    parser->decl.ptr_space = space ? space->kind : PX_SPACE_NONE;
    if (!legal) parser->token = *space;
    return legal;
}

bool px_decl_ptr_type(struct px_parser *parser, const struct px_sem *ptr, const struct px_sem *type)
{
    const bool legal = px_type_info((enum px_type)type->kind)->klass == PX_TC_OPAQUE;
    px_decl_ptr(parser, NULL);
    parser->decl.ptr_type = type->kind;
    if (!legal) parser->token = *ptr;
    return legal;
}

void px_decl_ptr_align(struct px_parser *parser, const struct px_sem *align)
{
    parser->decl.ptr_has_align = align->n != 0;
    parser->decl.ptr_align = align->n ? align->u.i : 0;
}

/* NULL is the empty pair of brackets. */
void px_push_dim(struct px_parser *parser, const struct px_sem *size)
{
    parser->unsized |= !size;
    px_vec_push(&parser->scratch, &parser->dims, size ? size->u.i : 0);
}

static struct px_var *declare(struct px_parser *parser, const struct px_sem *name, uint32_t ndims)
{
    struct px_var *var = PX_NEW(parser->arena, struct px_var);
    *var = parser->decl;
    var->name = name->u.name;
    var->pos = name->pos;
    var->ndims = (uint16_t)px_parser_count(parser, ndims, UINT16_MAX);
    var->dims = PX_TAKE(parser, &parser->dims, ndims);
    var->unsized = parser->unsized;
    parser->unsized = false;
    return var;
}

void px_decl_var(struct px_parser *parser, const struct px_sem *name, const struct px_sem *dims,
                 const struct px_sem *range, const struct px_sem *init)
{
    struct px_var *var = declare(parser, name, dims ? dims->n : 0);
    var->has_range = range != NULL;
    var->range = range ? range->u.i : 0;
    var->init = init ? init->u.expr : NULL;
    if (parser->open.n)
        px_stmt_new(parser, PX_S_VAR, var->start, sizeof var)->u.var = var;
    else
        px_push_item(parser, PX_I_VAR, var->start)->u.var = var;
}

void px_decl_nothing(struct px_parser *parser)
{
    struct px_var *var = PX_NEW(parser->arena, struct px_var);
    *var = parser->decl;
    var->pos = var->start;
    if (parser->open.n)
        px_stmt_new(parser, PX_S_NOTHING, var->start, sizeof var)->u.var = var;
    else
        px_push_item(parser, PX_I_NOTHING, var->start)->u.var = var;
}

void px_decl_param(struct px_parser *parser, const struct px_sem *name, const struct px_sem *dims)
{
    struct px_var *var = declare(parser, name, dims->n);
    var->told = parser->token.pos;
    px_vec_push(&parser->scratch, &parser->vars, *var);
}

/* ---- initialisers ---- */

static struct px_expr *expr_new(struct px_parser *parser, struct px_sem *out, enum px_expr_kind kind,
                                px_pos pos)
{
    struct px_expr *expr = PX_NEW(parser->arena, struct px_expr);
    expr->kind = (uint8_t)kind;
    expr->pos = pos;
    out->kind = PX_CONST_TREE;
    out->u.expr = expr;
    return expr;
}

void px_init_const(struct px_parser *parser, struct px_sem *out, const struct px_sem *value)
{
    struct px_sem constant = *value;
    if (constant.kind == PX_CONST_TREE) {
        out->u = constant.u;
        return;
    }
    struct px_expr *expr = expr_new(parser, out, PX_E_INT, constant.pos);
    if (constant.kind == PX_CONST_F32 || constant.kind == PX_CONST_F64)
        expr->kind = constant.kind == PX_CONST_F32 ? PX_E_F32 : PX_E_F64;
    expr->is_unsigned = constant.kind == PX_CONST_U64;
    expr->u.i = constant.u.i;
}

static struct px_expr *offset_expr(struct px_parser *parser, const struct px_sem *offset)
{
    struct px_sem constant = *offset;
    px_init_const(parser, &constant, offset);
    return constant.u.expr;
}

/* Replaces the expression of `out` by its sum with `offset`. */
static void add_offset(struct px_parser *parser, struct px_sem *out, const struct px_sem *offset)
{
    struct px_expr *base = out->u.expr, *added = offset_expr(parser, offset);
    struct px_expr *sum = expr_new(parser, out, PX_E_BINARY, base->pos);
    sum->op = '+';
    sum->u.a = base;
    sum->u.b = added;
}

static void name_expr(struct px_parser *parser, struct px_sem *out, enum px_expr_kind kind,
                      const struct px_sem *name)
{
    struct px_name *spelling = name->u.name;
    struct px_expr *expr = expr_new(parser, out, kind, name->pos);
    expr->u.name = spelling;
}

void px_init_name(struct px_parser *parser, struct px_sem *out, const struct px_sem *name,
                  const struct px_sem *offset)
{
    struct px_sem base = *name;
    name_expr(parser, out, PX_E_NAME, &base);
    if (offset) add_offset(parser, out, offset);
}

bool px_init_generic(struct px_parser *parser, struct px_sem *out, const struct px_sem *key,
                     const struct px_sem *name, const struct px_sem *offset)
{
    bool legal = key->u.name->word == PX_W_generic;
    if (!legal) parser->token = *key;
    name_expr(parser, out, PX_E_GENERIC, name);
    if (offset) add_offset(parser, out, offset);
    return legal;
}

/* 0xFF00(expr): `mask` selects the byte of the address. */
void px_init_mask(struct px_parser *parser, struct px_sem *out, const struct px_sem *mask,
                  const struct px_sem *value)
{
    struct px_expr *inner = value->u.expr;
    uint64_t bits = mask->u.i;
    px_pos pos = mask->pos;
    struct px_expr *expr = expr_new(parser, out, PX_E_MASK, pos);
    expr->mask = bits;
    expr->u.a = inner;
}

void px_init_field(struct px_parser *parser, struct px_sem *out, const struct px_sem *name,
                   const struct px_sem *value)
{
    struct px_sem field = *name;
    struct px_expr *right = value->u.expr;
    name_expr(parser, out, PX_E_NAME, &field);
    struct px_expr *left = out->u.expr;
    struct px_expr *expr = expr_new(parser, out, PX_E_FIELD, field.pos);
    expr->u.a = left;
    expr->u.b = right;
}

void px_push_expr(struct px_parser *parser, const struct px_sem *value)
{
    px_vec_push(&parser->scratch, &parser->exprs, value->u.expr);
}

void px_init_list(struct px_parser *parser, struct px_sem *out, uint32_t n)
{
    struct px_expr **list = PX_TAKE(parser, &parser->exprs, n);
    struct px_expr *expr = expr_new(parser, out, PX_E_LIST, out->pos);
    expr->n = n;
    expr->u.list = list;
}
