/*
 * decl.c - declarations become symbols.
 *
 * A declaration makes one symbol (a range name<N> one for all its members; see
 * scope.h), after decl_rules.c has looked at it. At module scope an .extern
 * declaration and a definition of one name share the symbol. Sizes are bytes;
 * an array without a size has size 0 until something completes it.
 */
#include "check/checker.h"
#include "match/note.h"

struct px_symbol *px_symbol_new(struct px_checker *checker, enum px_symbol_kind kind, struct px_name *name,
                                px_pos pos)
{
    struct px_arena *arena = kind == PX_SYM_LABEL ? checker->scope.bodies : &checker->module->arena;
    struct px_symbol *symbol = px_arena_node(arena, sizeof *symbol);
    symbol->kind = (uint8_t)kind;
    symbol->name = name;
    symbol->pos = pos;
    symbol->vec = 1;
    return symbol;
}

/* Bytes of one element of the declared type, vector included. */
uint64_t px_var_element_size(const struct px_var *var)
{
    unsigned bits = px_type_info((enum px_type)var->type)->bits;
    return (uint64_t)(bits < 8 ? 1 : bits / 8) * var->vec;
}

/* Saturates instead of wrapping: a size beyond 2^63 is no memory anyway. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_C(1) << 63 : product;
}

uint64_t px_var_elements(const struct px_var *var)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < var->ndims; i++) n = multiply(n, var->dims[i]);
    return n;
}

static void set_type(struct px_symbol *symbol, struct px_var *var)
{
    uint64_t size = px_var_element_size(var), align = var->has_align ? var->align : size;
    symbol->space = var->space;
    symbol->type = var->type;
    symbol->vec = var->vec;
    symbol->linkage = var->linkage;
    symbol->align = align && align <= UINT32_MAX ? (uint32_t)align : 1;
    symbol->size = multiply(size, px_var_elements(var));
    symbol->u.var = var;
}

void px_add_register(struct px_checker *checker, struct px_symbol *symbol)
{
    struct px_function *function = checker->function;
    struct px_reg reg = {.type = symbol->type, .vec = symbol->vec, .symbol = symbol};
    symbol->index = function->regs.n;
    px_vec_push(&checker->module->arena, &function->regs, reg);
}

struct px_symbol *px_register_here(struct px_checker *checker, struct px_symbol *symbol)
{
    const struct px_function *function = checker->function;
    struct px_symbol *copy = symbol->alias_of;
    if (copy && copy->index < function->regs.n && function->regs.at[copy->index].symbol == copy) return copy;
    copy = px_arena_node(&checker->module->arena, sizeof *copy);
    *copy = *symbol;
    copy->alias_of = copy->outer = copy->sibling = NULL;
    px_add_register(checker, copy);
    symbol->alias_of = copy;
    return copy;
}

/* Gives a new symbol of `level` its number in the function or in the module. */
static void number(struct px_checker *checker, struct px_symbol *symbol, bool in_function)
{
    struct px_arena *arena = &checker->module->arena;
    if (in_function && symbol->kind == PX_SYM_REG) {
        px_add_register(checker, symbol);
    } else if (in_function) {
        symbol->index = checker->function->vars.n;
        px_vec_push(arena, &checker->function->vars, symbol);
    } else {
        symbol->index = checker->module->symbols.n;
        px_vec_push(arena, &checker->module->symbols, symbol);
    }
}

void px_range_member(struct px_checker *checker, struct px_symbol *member)
{
    number(checker, member, member->level > 0);
}

/* ---- redefinition ---- */

void px_note_earlier(struct px_checker *checker, struct px_diag *diag, const struct px_symbol *old)
{
    struct px_place place = px_source_place(&checker->module->source, old->pos);
    px_diag_note(checker->diags, diag, "'%s' is declared on line %u", old->name->text, place.line);
    px_note_declared(checker->module, diag, old->pos, old->name->text);
}

static void refuse(struct px_checker *checker, enum px_diag_id id, const struct px_var *var,
                   const struct px_symbol *old)
{
    struct px_diag *diag = px_diag_add(checker->diags, id, var->pos, var->name->len, var->name->text);
    px_note_earlier(checker, diag, old);
}

static bool same_dims(const struct px_var *a, const struct px_var *b)
{
    if (a->ndims != b->ndims) return false;
    for (unsigned i = 0; i < a->ndims; i++)
        if (a->dims[i] != b->dims[i] && !(i == 0 && (a->unsized || b->unsized))) return false;
    return true;
}

static bool same_type(const struct px_symbol *old, const struct px_var *var)
{
    return (old->kind == PX_SYM_VAR || old->kind == PX_SYM_REG) && old->type == var->type &&
           old->vec == var->vec && same_dims(old->u.var, var);
}

/* A second declaration of a module's variable: legal when one of the two is .extern and both agree. */
static bool agrees(struct px_checker *checker, const struct px_var *var, const struct px_symbol *old)
{
    const bool same = same_type(old, var);
    if (!same) refuse(checker, PX_D_INCONSISTENT_VARIABLE, var, old);
    if (var->linkage == PX_L_EXTERN) return same;
    if (old->linkage == PX_L_EXTERN && var->linkage != PX_L_NONE) return same;
    refuse(checker, old->linkage == PX_L_EXTERN ? PX_D_EXTERN_STATIC : PX_D_DUPLICATE_VARIABLE, var, old);
    return false;
}

static struct px_symbol *redeclare(struct px_checker *checker, struct px_var *var, struct px_symbol *old)
{
    if (!agrees(checker, var, old)) return NULL;
    if (var->linkage == PX_L_EXTERN) return old;
    set_type(old, var);
    old->pos = var->pos;
    return old;
}

const struct px_symbol *px_find_earlier(const struct px_checker *checker, const struct px_name *name)
{
    const struct ptx_module *module = checker->module;
    for (size_t i = 0; i < module->nearlier; i++) {
        const struct px_name *same = px_names_find(&module->earlier[i]->names, name->text, name->len);
        const struct px_symbol *symbol = same ? px_scope_module(same) : NULL;
        if (symbol && symbol->linkage != PX_L_NONE) return symbol;
    }
    return NULL;
}

/* The rules of redeclare(), between files. */
static void compare_earlier(struct px_checker *checker, const struct px_var *var)
{
    const struct px_symbol *old = checker->function ? NULL : px_find_earlier(checker, var->name);
    if (!old) return;
    if (!same_type(old, var))
        px_complain(checker, INCONSISTENT_VARIABLE, var->pos, var->name->len, var->name->text);
    else if (var->linkage != PX_L_EXTERN && old->linkage != PX_L_EXTERN)
        px_complain(checker, DUPLICATE_VARIABLE, var->pos, var->name->len, var->name->text);
    else if (var->linkage == PX_L_NONE)
        px_complain(checker, EXTERN_STATIC, var->pos, var->name->len, var->name->text);
}

/* A label of the innermost level that is still ahead does not stop a declaration; the label is then the
 * duplicate. */
static bool in_the_way(const struct px_symbol *here)
{
    return here && !(here->kind == PX_SYM_LABEL && !here->defined);
}

/* ---- declaring ---- */

static enum px_symbol_kind kind_of(const struct px_var *var)
{
    if (var->has_range) return PX_SYM_RANGE;
    return var->space == PX_SPACE_REG ? PX_SYM_REG : PX_SYM_VAR;
}

/* A range meets another range, whose name ptxas shows with its bracket, or a plain name spelt like a member.
 */
static void refuse_duplicate(struct px_checker *checker, const struct px_var *var,
                             const struct px_symbol *here)
{
    const char *name = here->kind == PX_SYM_RANGE && var->has_range
                           ? px_arena_printf(&checker->module->arena, "%s<", var->name->text)
                       : var->has_range ? here->name->text
                                        : var->name->text;
    struct px_diag *diag =
        px_diag_add(checker->diags, PX_D_DUPLICATE_VARIABLE, var->pos, var->name->len, name);
    px_note_earlier(checker, diag, here);
}

/* Something of this name stands in the innermost level: a redeclaration, or a duplicate. */
static struct px_symbol *declare_again(struct px_checker *checker, struct px_var *var, struct px_symbol *here)
{
    if (!checker->function && here->kind != PX_SYM_RANGE && !var->has_range)
        return redeclare(checker, var, here);
    refuse_duplicate(checker, var, here);
    return NULL;
}

/* To ptxas a special register is a variable of bits, declared before the module begins. */
static bool matches_special(const struct px_var *var)
{
    const struct px_sreg *sreg = px_sreg_of_word(var->name->word);
    const unsigned bits = sreg->components > 1 ? 32 : px_type_info((enum px_type)sreg->type)->bits;
    const enum px_type type = bits == 64 ? PX_T_B64 : bits == 32 ? PX_T_B32 : PX_T_PRED;
    return sreg->components == var->vec && var->type == type && !var->ndims;
}

static bool name_is_free(struct px_checker *checker, const struct px_var *var)
{
    if (px_is_special_register(var->name) && !checker->function && !var->has_range) {
        if (!matches_special(var))
            px_complain(checker, INCONSISTENT_VARIABLE, var->pos, var->name->len, var->name->text);
        if (var->linkage == PX_L_NONE)
            px_complain(checker, EXTERN_STATIC, var->pos, var->name->len, var->name->text);
        return false;
    }
    if (px_was_unknown(var->name)) {
        px_complain(checker, FORWARD_LABEL, var->pos, var->name->len, var->name->text);
        return false;
    }
    return true;
}

static struct px_symbol *declare_new(struct px_checker *checker, struct px_var *var)
{
    struct px_symbol *symbol = px_symbol_new(checker, kind_of(var), var->name, var->pos);
    set_type(symbol, var);
    px_scope_bind(&checker->scope, symbol);
    compare_earlier(checker, var);
    if (symbol->kind != PX_SYM_RANGE) number(checker, symbol, checker->function != NULL);
    return symbol;
}

static void declare_checked(struct px_checker *checker, struct px_var *var)
{
    if (var->init) px_check_init(checker, var);
    if (checker->stopped || !px_check_place(checker, var)) return;
    if (name_is_free(checker, var)) {
        struct px_symbol *here = var->has_range ? px_scope_clash(&checker->scope, var->name, var->range)
                                                : px_scope_here(&checker->scope, var->name);
        var->symbol = in_the_way(here) ? declare_again(checker, var, here) : declare_new(checker, var);
        if (!var->symbol) here->faulty = true; /* which of the two is meant, nobody knows */
    }
    px_check_type(checker, var);
}

/* The order is that of ptxas's messages: the value, the place, the name, the type. */
void px_declare_var(struct px_checker *checker, struct px_var *var)
{
    const unsigned errors = checker->diags->errors;
    const uint32_t before = checker->diags->list.n;
    declare_checked(checker, var);
    if (checker->diags->errors == errors) return;
    px_note_declaration(checker, before, var);
    if (var->symbol)
        var->symbol->faulty = true;
    else
        px_follow_refused(checker, var->name);
}

struct px_symbol *px_declare_param(struct px_checker *checker, struct px_var *var, const struct px_func *func,
                                   bool is_return)
{
    struct px_symbol *symbol = px_symbol_new(checker, PX_SYM_PARAM, var->name, var->pos);
    set_type(symbol, var);
    symbol->is_return = is_return;
    symbol->is_entry_param = func && func->is_entry;
    if (var->space == PX_SPACE_REG) symbol->kind = PX_SYM_REG;
    var->symbol = symbol;
    return symbol;
}
