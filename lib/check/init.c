/*
 * init.c - initial values: constants, addresses, nested lists, opaque fields.
 *
 * The shape of the braces must follow the array dimensions and the vector;
 * missing elements are zero. Every leaf must suit the type of the variable:
 * addresses go into .u32, .u64 and, byte by byte under a mask, into .u8.
 * ptxas looks into no field (name = value) of an ordinary array, and into no
 * braces that stand where an .f16x2 is expected.
 */
#include "check/checker.h"

struct init {
    struct px_checker *checker;
    struct px_var *var;
    const struct px_type_info *type;
};

static void mismatch(struct init *init, const struct px_expr *expr)
{
    px_complain(init->checker, INIT_MISMATCH, expr->pos, 1);
}

/* ---- constants that the parser could not fold ---- */

static void complain_fault(struct px_checker *checker, enum px_const_fault fault, px_pos pos)
{
    if (fault == PX_CONST_DIVISION)
        px_complain(checker, CONST_DIVISION, pos, 1);
    else if (fault == PX_CONST_MISMATCH)
        px_complain(checker, CONST_MISMATCH, pos, 1);
    else if (fault == PX_CONST_INTEGER)
        px_complain(checker, INTEGER_EXPECTED, pos, 1);
}

static struct px_const literal(const struct px_expr *expr)
{
    uint8_t kind = expr->kind == PX_E_F64   ? PX_CONST_F64
                   : expr->kind == PX_E_F32 ? PX_CONST_F32
                   : expr->is_unsigned      ? PX_CONST_U64
                                            : PX_CONST_S64;
    return (struct px_const){.kind = kind, .bits = expr->u.i};
}

/* The value, for going on after a complaint: a faulty operator gives its left operand. */
struct px_const px_evaluate(struct px_checker *checker, const struct px_expr *expr)
{
    struct px_const a, b, value;
    enum px_const_fault fault;
    if (expr->kind == PX_E_UNARY) {
        value = a = px_evaluate(checker, expr->u.a);
        fault = px_const_unary(expr->op, &a, &value);
    } else if (expr->kind == PX_E_BINARY) {
        value = a = px_evaluate(checker, expr->u.a);
        b = px_evaluate(checker, expr->u.b);
        fault = px_const_binary(expr->op, &a, &b, &value);
    } else {
        return literal(expr);
    }
    complain_fault(checker, fault, expr->pos);
    return value;
}

void px_evaluate_integer(struct px_checker *checker, const struct px_expr *expr)
{
    uint32_t before = checker->diags->list.n;
    struct px_const value = px_evaluate(checker, expr);
    if (px_const_is_float(&value) && checker->diags->list.n == before)
        complain_fault(checker, PX_CONST_INTEGER, expr->pos);
}

/* ---- addresses ---- */

static bool is_address_type(const struct px_type_info *type)
{
    return type->klass == PX_TC_UNSIGNED && type->bits >= 32;
}

static void check_address_space(struct init *init, const struct px_expr *expr, const struct px_symbol *symbol)
{
    bool known = symbol->space == PX_SPACE_GLOBAL || symbol->space == PX_SPACE_CONST;
    px_requires(init->checker, PX_NEED_address_init, expr->pos, expr->u.name->len);
    if (!known) px_complain(init->checker, INIT_VARIABLE_SPACE, expr->pos, expr->u.name->len);
}

static bool is_function(const struct px_symbol *symbol)
{
    return symbol->kind == PX_SYM_FUNC || symbol->kind == PX_SYM_ENTRY;
}

static void check_generic(struct init *init, struct px_expr *expr, struct px_symbol *symbol)
{
    px_requires(init->checker, PX_NEED_generic, expr->pos, 1);
    if (!symbol || is_function(symbol))
        px_complain(init->checker, INIT_EXPRESSION, expr->pos, 1);
    else
        check_address_space(init, expr, symbol);
}

static void check_function(struct init *init, const struct px_expr *expr, struct px_symbol *symbol)
{
    px_requires(init->checker, PX_NEED_function_init, expr->pos, expr->u.name->len);
    if (!init->checker->function) px_note_address(init->checker, symbol);
    if (symbol->kind == PX_SYM_ENTRY)
        px_requires(init->checker, PX_NEED_kernel_init, expr->pos, expr->u.name->len);
}

/* A name; the variable being initialised is not known yet in its own initialiser. */
static void check_name(struct init *init, struct px_expr *expr, bool has_offset)
{
    bool made = false;
    struct px_symbol *symbol = px_scope_find(&init->checker->scope, expr->u.name, &made);
    if (made) px_range_member(init->checker, symbol);
    expr->symbol = symbol;
    if (expr->kind == PX_E_GENERIC)
        check_generic(init, expr, symbol);
    else if (!symbol)
        px_complain(init->checker, INIT_SYMBOL, expr->pos, expr->u.name->len, expr->u.name->text);
    else if (is_function(symbol) && has_offset)
        mismatch(init, expr);
    else if (is_function(symbol))
        check_function(init, expr, symbol);
    else
        check_address_space(init, expr, symbol);
}

static void check_address(struct init *init, struct px_expr *expr)
{
    bool sum = expr->kind == PX_E_BINARY;
    if (sum) px_evaluate_integer(init->checker, expr->u.b);
    check_name(init, sum ? expr->u.a : expr, sum);
}

static bool is_address(const struct px_expr *expr)
{
    if (expr->kind == PX_E_BINARY) expr = expr->u.a;
    return expr->kind == PX_E_NAME || expr->kind == PX_E_GENERIC;
}

/* 0xFF, 0xFF00, ...: one byte of eight */
static bool is_byte_mask(uint64_t mask)
{
    while (mask && !(mask & 0xff)) mask >>= 8;
    return mask == 0xff;
}

static void check_mask(struct init *init, struct px_expr *expr)
{
    px_requires(init->checker, PX_NEED_mask, expr->pos, 1);
    if (!is_byte_mask(expr->mask))
        px_complain(init->checker, INIT_MASK, expr->pos, 1, (unsigned long long)expr->mask);
    if (is_address(expr->u.a))
        check_address(init, expr->u.a);
    else
        px_evaluate_integer(init->checker, expr->u.a);
    if (init->type->klass != PX_TC_UNSIGNED || init->type->bits != 8) mismatch(init, expr);
}

/* ---- scalars, vectors, arrays ---- */

static void check_number(struct init *init, const struct px_expr *expr)
{
    struct px_const value = px_evaluate(init->checker, expr);
    bool is_float = value.kind == PX_CONST_F32 || value.kind == PX_CONST_F64;
    if ((init->type->klass == PX_TC_FLOAT && !is_float) || (px_type_is_integer(init->type) && is_float))
        mismatch(init, expr);
}

/* An address where no address fits: an unknown name is the greater fault. */
static void check_misplaced_address(struct init *init, const struct px_expr *expr)
{
    const struct px_expr *base = expr->kind == PX_E_BINARY ? expr->u.a : expr;
    bool made = false;
    if (base->kind == PX_E_NAME && !px_scope_find(&init->checker->scope, base->u.name, &made))
        px_complain(init->checker, INIT_SYMBOL, base->pos, base->u.name->len, base->u.name->text);
    else
        mismatch(init, expr);
}

/* What no type is asked of. */
static void check_overlooked(struct init *init, const struct px_expr *expr)
{
    if (expr->kind == PX_E_FIELD)
        px_check_field_value(init->checker, expr->u.b);
    else if (expr->kind == PX_E_LIST)
        for (uint32_t i = 0; i < expr->n; i++) check_overlooked(init, expr->u.list[i]);
    else if (expr->kind != PX_E_MASK && !is_address(expr))
        px_evaluate(init->checker, expr);
}

static void check_scalar(struct init *init, struct px_expr *expr)
{
    if (expr->kind == PX_E_FIELD || (expr->kind == PX_E_LIST && init->var->type == PX_T_F16X2))
        check_overlooked(init, expr);
    else if (expr->kind == PX_E_LIST || init->var->type == PX_T_F16X2)
        mismatch(init, expr);
    else if (expr->kind == PX_E_MASK)
        check_mask(init, expr);
    else if (!is_address(expr))
        check_number(init, expr);
    else if (is_address_type(init->type))
        check_address(init, expr);
    else
        check_misplaced_address(init, expr);
}

static void check_vector(struct init *init, struct px_expr *expr)
{
    if (init->var->vec == 1 || expr->kind == PX_E_FIELD) {
        check_scalar(init, expr);
        return;
    }
    if (expr->kind != PX_E_LIST) {
        mismatch(init, expr);
        return;
    }
    if (expr->n != init->var->vec) {
        px_complain(init->checker, INIT_VECTOR, expr->pos, 1);
        return;
    }
    for (uint32_t i = 0; i < expr->n && !init->checker->stopped; i++) check_scalar(init, expr->u.list[i]);
}

/* [] and [0] */
static bool takes_any_size(const struct px_var *var)
{
    return var->ndims && (var->unsized || !var->dims[0]);
}

static void check_array(struct init *init, struct px_expr *expr, unsigned dim)
{
    if (dim == init->var->ndims) {
        check_vector(init, expr);
        return;
    }
    if (expr->kind != PX_E_LIST) {
        mismatch(init, expr);
        return;
    }
    if (expr->n > init->var->dims[dim] && !(dim == 0 && takes_any_size(init->var))) {
        const uint32_t before = init->checker->diags->list.n;
        px_complain_at(init->checker, expr->pos, INIT_MANY, expr->u.list[init->var->dims[dim]]->pos, 1);
        if (before < init->checker->diags->list.n)
            px_diag_note(init->checker->diags, &init->checker->diags->list.at[before],
                         "%s has %llu elements here; %u are given", init->var->name->text,
                         (unsigned long long)init->var->dims[dim], expr->n);
        return;
    }
    for (uint32_t i = 0; i < expr->n && !init->checker->stopped; i++)
        check_array(init, expr->u.list[i], dim + 1);
}

static void complete(struct px_var *var)
{
    if (takes_any_size(var) && var->init->kind == PX_E_LIST) var->dims[0] = var->init->n;
}

void px_check_init(struct px_checker *checker, struct px_var *var)
{
    struct init init = {.checker = checker, .var = var, .type = px_type_info((enum px_type)var->type)};
    if (var->space != PX_SPACE_GLOBAL && var->space != PX_SPACE_CONST)
        px_complain(checker, INIT_SPACE, var->pos, var->name->len, var->name->text);
    const bool empty = var->init->kind == PX_E_LIST && !var->init->n;
    if (empty && takes_any_size(var))
        mismatch(&init, var->init);
    else if (init.type->klass == PX_TC_OPAQUE)
        px_check_opaque_init(checker, var, var->init);
    else if (var->type == PX_T_F16 && !(var->ndims && empty))
        px_complain(checker, INIT_F16, var->init->pos, 1);
    else
        check_array(&init, var->init, 0);
    complete(var);
}
