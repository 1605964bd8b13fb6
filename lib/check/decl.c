/*
 * decl.c - declarations of variables, registers and parameters.
 *
 * A declaration becomes one symbol (a range name<N> one for all its members).
 * Sizes are in bytes; an array without a size has size 0 until an initialiser
 * or a later declaration completes it.
 */
#include "check/checker.h"

struct px_symbol *px_symbol_new(struct px_checker *checker, enum px_symbol_kind kind, struct px_name *name, px_pos pos)
{
    struct px_symbol *symbol = PX_NEW(&checker->module->arena, struct px_symbol);
    symbol->kind = (uint8_t)kind;
    symbol->name = name;
    symbol->pos = pos;
    symbol->vec = 1;
    return symbol;
}

/* Bytes of one element of the declared type, vector included. */
static uint64_t element_size(const struct px_var *var)
{
    unsigned bits = px_type_info((enum px_type)var->type)->bits;
    return (uint64_t)(bits < 8 ? 1 : bits / 8) * var->vec;
}

uint64_t px_var_elements(const struct px_var *var)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < var->ndims; i++)
        n *= var->dims[i];
    return n;
}

static void set_type(struct px_symbol *symbol, struct px_var *var)
{
    uint64_t size = element_size(var);
    symbol->space = var->space;
    symbol->type = var->type;
    symbol->vec = var->vec;
    symbol->linkage = var->linkage;
    symbol->align = (uint32_t)(var->has_align ? var->align : size);
    symbol->size = size * px_var_elements(var);
    symbol->u.var = var;
}

void px_add_register(struct px_checker *checker, struct px_symbol *symbol)
{
    struct px_function *function = checker->function;
    struct px_reg reg = {.type = symbol->type, .vec = symbol->vec, .symbol = symbol};
    symbol->index = function->regs.n;
    px_vec_push(&checker->module->arena, &function->regs, reg);
}

/* Gives a new symbol its number in the function or in the module. */
static void number(struct px_checker *checker, struct px_symbol *symbol)
{
    struct px_arena *arena = &checker->module->arena;
    if (symbol->kind == PX_SYM_REG) {
        px_add_register(checker, symbol);
    } else if (checker->function) {
        symbol->index = checker->function->vars.n;
        px_vec_push(arena, &checker->function->vars, symbol);
    } else {
        symbol->index = checker->module->symbols.n;
        px_vec_push(arena, &checker->module->symbols, symbol);
    }
}

void px_range_member(struct px_checker *checker, struct px_symbol *member)
{
    if (member->level == 0) {
        member->index = checker->module->symbols.n;
        px_vec_push(&checker->module->arena, &checker->module->symbols, member);
    } else {
        number(checker, member);
    }
}

static void duplicate(struct px_checker *checker, const struct px_name *name, px_pos pos, const struct px_symbol *old)
{
    struct px_diag *diag = px_diag_add(checker->diags, PX_D_DUPLICATE_VARIABLE, pos, name->len, name->text);
    px_diag_note(checker->diags, diag, "first declared on line %u",
                 px_source_place(&checker->module->source, old->pos).line);
}

/* A label of the innermost level that is still ahead does not stop a declaration; the label is then the duplicate. */
static bool in_the_way(const struct px_symbol *here)
{
    return here && !(here->kind == PX_SYM_LABEL && !here->defined);
}

struct px_symbol *px_declare_var(struct px_checker *checker, struct px_var *var)
{
    enum px_symbol_kind kind = var->has_range ? PX_SYM_RANGE : var->space == PX_SPACE_REG ? PX_SYM_REG : PX_SYM_VAR;
    struct px_symbol *here = px_scope_here(&checker->scope, var->name);
    if (in_the_way(here)) {
        duplicate(checker, var->name, var->pos, here);
        return NULL;
    }
    struct px_symbol *symbol = px_symbol_new(checker, kind, var->name, var->pos);
    set_type(symbol, var);
    var->symbol = symbol;
    px_scope_bind(&checker->scope, symbol);
    if (kind != PX_SYM_RANGE)
        number(checker, symbol);
    px_check_init(checker, var, symbol);
    return symbol;
}

struct px_symbol *px_declare_param(struct px_checker *checker, struct px_var *var, const struct px_func *func,
                                   bool is_return)
{
    struct px_symbol *symbol = px_symbol_new(checker, PX_SYM_PARAM, var->name, var->pos);
    set_type(symbol, var);
    symbol->is_return = is_return;
    symbol->is_entry_param = func && func->is_entry;
    if (var->space == PX_SPACE_REG)
        symbol->kind = PX_SYM_REG;
    var->symbol = symbol;
    return symbol;
}
