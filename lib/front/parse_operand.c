/*
 * parse_operand.c - actions for constants, operands and instructions.
 *
 * Constants are folded in the semantic value; one that cannot be folded keeps
 * its tree for the checker. Operands are pushed on parser->opds, and a vector,
 * address, pair or list replaces its parts by one operand that holds them.
 */
#include <string.h>
#include "front/parser.h"

/* ---- constant expressions ---- */

static struct px_const value_of(const struct px_sem *sem)
{
    return (struct px_const){.kind = sem->kind, .bits = sem->u.i};
}

static enum px_expr_kind literal_kind(uint8_t kind)
{
    return kind == PX_CONST_F32 ? PX_E_F32 : kind == PX_CONST_F64 ? PX_E_F64 : PX_E_INT;
}

static struct px_expr *tree_of(struct px_parser *parser, const struct px_sem *sem)
{
    if (sem->kind == PX_CONST_TREE) return sem->u.expr;
    struct px_expr *expr = PX_NEW(parser->arena, struct px_expr);
    expr->kind = (uint8_t)literal_kind(sem->kind);
    expr->is_unsigned = sem->kind == PX_CONST_U64;
    expr->pos = sem->pos;
    expr->u.i = sem->u.i;
    return expr;
}

static void set_tree(struct px_parser *parser, struct px_sem *out, enum px_expr_kind kind, int op,
                     const struct px_sem *a, const struct px_sem *b)
{
    struct px_expr *expr = PX_NEW(parser->arena, struct px_expr);
    expr->kind = (uint8_t)kind;
    expr->op = (uint8_t)op;
    expr->pos = out->pos;
    expr->u.a = tree_of(parser, a);
    expr->u.b = b ? tree_of(parser, b) : NULL;
    out->kind = PX_CONST_TREE;
    out->u.expr = expr;
}

static void set_value(struct px_sem *out, const struct px_const *value)
{
    out->kind = value->kind;
    out->u.i = value->bits;
}

/* An expression around a faulty one is that fault: trees stay flat, however long the text. */
static void keep_fault(struct px_sem *out, const struct px_sem *faulty)
{
    out->kind = PX_CONST_TREE;
    out->u = faulty->u;
}

void px_parse_paren(struct px_sem *out, const struct px_sem *inner)
{
    out->kind = inner->kind;
    out->u = inner->u;
    out->paren = true;
}

void px_parse_unary(struct px_parser *parser, struct px_sem *out, const struct px_sem *op, int code,
                    const struct px_sem *a)
{
    struct px_sem operand = *a;
    struct px_const x = value_of(a), value;
    *out = px_sem_span(op, &operand);
    if (x.kind == PX_CONST_TREE)
        keep_fault(out, &operand);
    else if (px_const_unary(code, &x, &value) == PX_CONST_OK)
        set_value(out, &value);
    else
        set_tree(parser, out, PX_E_UNARY, code, &operand, NULL);
}

void px_parse_binary(struct px_parser *parser, struct px_sem *out, const struct px_sem *a, int code,
                     const struct px_sem *b)
{
    struct px_sem left = *a, right = *b;
    struct px_const x = value_of(&left), y = value_of(&right), value;
    *out = px_sem_span(&left, &right);
    if (x.kind == PX_CONST_TREE || y.kind == PX_CONST_TREE)
        keep_fault(out, x.kind == PX_CONST_TREE ? &left : &right);
    else if (px_const_binary(code, &x, &y, &value) == PX_CONST_OK)
        set_value(out, &value);
    else
        set_tree(parser, out, PX_E_BINARY, code, &left, &right);
}

/* `sem` as an integer: kept as a tree, for the checker to report, when it is none. */
static void demand_integer(struct px_parser *parser, struct px_sem *sem)
{
    struct px_const x = value_of(sem);
    if (px_const_is_float(&x)) set_tree(parser, sem, PX_E_UNARY, PX_EOP_INTEGER, sem, NULL);
}

static const struct px_sem *first_fault(const struct px_sem *parts, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (parts[i].kind == PX_CONST_TREE) return &parts[i];
    return NULL;
}

/* All three must be free of errors and integers, taken or not; the first fault is that of the whole. */
void px_parse_ternary(struct px_parser *parser, struct px_sem *out, const struct px_sem *a,
                      const struct px_sem *b, const struct px_sem *c)
{
    struct px_sem parts[] = {*a, *b, *c}, span = px_sem_span(a, c);
    const struct px_sem *faulty = first_fault(parts, 3), *taken = a->u.i ? &parts[1] : &parts[2];
    for (unsigned i = 0; i < 3 && !faulty; i++) {
        demand_integer(parser, &parts[i]);
        faulty = first_fault(parts, 3);
    }
    if (faulty) taken = faulty;
    span.kind = taken->kind;
    span.u = taken->u;
    *out = span;
}

bool px_parse_cast(struct px_parser *parser, struct px_sem *out, const struct px_sem *type,
                   const struct px_sem *a)
{
    struct px_sem operand = *a;
    if (type->kind != PX_T_S64 && type->kind != PX_T_U64) return false;
    demand_integer(parser, &operand);
    *out = px_sem_span(type, &operand);
    out->kind = operand.kind;
    out->u = operand.u;
    if (operand.kind != PX_CONST_TREE) out->kind = type->kind == PX_T_U64 ? PX_CONST_U64 : PX_CONST_S64;
    return true;
}

/* ---- operands ---- */

static struct px_operand *push(struct px_parser *parser, enum px_operand_kind kind, const struct px_sem *span)
{
    struct px_operand operand = {.kind = (uint8_t)kind, .pos = span->pos, .length = span->len};
    px_vec_push(&parser->scratch, &parser->opds, operand);
    return &parser->opds.at[parser->opds.n - 1];
}

static struct px_operand *top(struct px_parser *parser)
{
    return &parser->opds.at[parser->opds.n - 1];
}

void px_push_name(struct px_parser *parser, const struct px_sem *name)
{
    push(parser, PX_O_NAME, name)->u.name = name->u.name;
}

void px_push_sink(struct px_parser *parser, const struct px_sem *token)
{
    push(parser, PX_O_SINK, token);
}

void px_push_const(struct px_parser *parser, const struct px_sem *value)
{
    enum px_operand_kind kind = PX_O_INT;
    if (value->kind == PX_CONST_F32)
        kind = PX_O_F32;
    else if (value->kind == PX_CONST_F64)
        kind = PX_O_F64;
    else if (value->kind == PX_CONST_TREE)
        kind = PX_O_EXPR;
    struct px_operand *operand = push(parser, kind, value);
    operand->is_unsigned = value->kind == PX_CONST_U64;
    operand->paren = value->paren;
    if (kind == PX_O_EXPR)
        operand->u.expr = value->u.expr;
    else
        operand->u.i = value->u.i;
}

static void stretch(struct px_operand *operand, const struct px_sem *last)
{
    operand->length = last->pos + last->len - operand->pos;
}

void px_operand_select(struct px_parser *parser, const struct px_sem *word)
{
    struct px_operand *operand = top(parser);
    operand->selector = word->word;
    operand->has_selector = true;
    stretch(operand, word);
}

void px_operand_sign(struct px_parser *parser, const struct px_sem *sign)
{
    struct px_operand *operand = top(parser);
    bool minus = parser->source->text[sign->pos] == '-';
    operand->minus = minus;
    operand->negated = !minus;
    operand->length += operand->pos - sign->pos;
    operand->pos = sign->pos;
}

void px_operand_offset(struct px_parser *parser, const struct px_sem *offset)
{
    struct px_operand *operand = top(parser);
    struct px_const c = value_of(offset);
    operand->has_offset = true;
    operand->bad_offset = c.kind != PX_CONST_S64 && c.kind != PX_CONST_U64;
    if (operand->bad_offset)
        operand->wrong_offset = tree_of(parser, offset);
    else
        operand->offset = (int64_t)c.bits;
    stretch(operand, offset);
}

bool px_operand_suffix(struct px_parser *parser, const struct px_sem *word)
{
    top(parser)->unified = word->word == PX_W_unified;
    stretch(top(parser), word);
    if (word->word != PX_W_unified) parser->token = *word;
    return word->word == PX_W_unified;
}

void px_operand_group(struct px_parser *parser, enum px_operand_kind kind, uint32_t n,
                      const struct px_sem *span)
{
    struct px_operand *list = PX_TAKE_BODY(parser, &parser->opds, n);
    struct px_operand *group = push(parser, kind, span);
    group->n = (uint16_t)px_parser_count(parser, n, UINT16_MAX);
    group->u.list = list;
}

/* base[index]: the index is on top; the base goes below it. */
void px_operand_index(struct px_parser *parser, const struct px_sem *base, const struct px_sem *span)
{
    struct px_operand index = *top(parser);
    parser->opds.n--;
    px_push_name(parser, base);
    px_vec_push(&parser->scratch, &parser->opds, index);
    px_operand_group(parser, PX_O_INDEX, 2, span);
}

/* ---- instructions ---- */

void px_push_modifier(struct px_parser *parser, const struct px_sem *word)
{
    struct px_modifier modifier = {.name = word->u.name, .pos = word->pos, .bank = (uint16_t)word->n};
    parser->tree->has_banks |= modifier.bank != 0;
    px_vec_push(&parser->scratch, &parser->mods, modifier);
}

struct px_stmt *px_stmt_new(struct px_parser *parser, enum px_stmt_kind kind, px_pos pos, size_t size)
{
    struct px_stmt *stmt = px_arena_node(parser->bodies, offsetof(struct px_stmt, u) + size);
    stmt->kind = (uint8_t)kind;
    stmt->pos = pos;
    px_vec_push(&parser->scratch, &parser->stmts, stmt);
    return stmt;
}

/* In a call, "(1)" is a list of one argument, although elsewhere it is a constant. */
static void fix_call_lists(struct px_parser *parser, struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nopds; i++) {
        struct px_operand *operand = &inst->opds[i];
        if (!operand->paren) continue;
        struct px_operand *list = PX_NEW(parser->bodies, struct px_operand);
        *list = *operand;
        list->paren = false;
        *operand = (struct px_operand){.kind = PX_O_LIST, .n = 1, .pos = list->pos, .length = list->length};
        operand->u.list = list;
    }
}

static struct px_operand *guard_of(struct px_parser *parser, const struct px_sem *guard)
{
    struct px_operand *operand = PX_NEW(parser->bodies, struct px_operand);
    *operand = (struct px_operand){.kind = PX_O_NAME, .pos = guard->pos, .length = guard->len};
    operand->u.name = guard->u.name;
    return operand;
}

bool px_is_call(const struct px_sem *opcode)
{
    return opcode->u.name->word == PX_W_call;
}

void px_parse_inst(struct px_parser *parser, const struct px_sem *guard, const struct px_sem *opcode,
                   const struct px_sem *mods, const struct px_sem *opds, const struct px_sem *end)
{
    struct px_stmt *stmt =
        px_stmt_new(parser, PX_S_INST, guard ? guard->pos : opcode->pos, sizeof(struct px_inst));
    struct px_inst *inst = &stmt->u.inst;
    inst->opcode = opcode->u.name;
    inst->pos = opcode->pos;
    inst->end = end->pos;
    inst->nmods = (uint8_t)px_parser_count(parser, mods->n, UINT8_MAX);
    inst->nopds = (uint8_t)px_parser_count(parser, opds->n, UINT8_MAX);
    inst->mods = PX_TAKE_BODY(parser, &parser->mods, mods->n);
    inst->opds = PX_TAKE_BODY(parser, &parser->opds, opds->n);
    if (guard) {
        inst->guard = guard_of(parser, guard);
        inst->guard_negated = guard->paren;
    }
    if (inst->opcode->word == PX_W_call) fix_call_lists(parser, inst);
    parser->at_statement = true;
}
