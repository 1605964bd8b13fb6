/*
 * function.c - functions and kernels: declarations, definitions, parameters.
 *
 * All declarations of a name and its definition share one px_function; the
 * definition's header wins. Parameters live in level 1, together with the
 * names of the body, as for ptxas.
 */
#include "check/checker.h"

static uint64_t align_up(uint64_t n, uint64_t align)
{
    return align ? (n + align - 1) / align * align : n;
}

/* Offsets of parameters in their list (PTX ISA 5.1.6): in order, each at its own alignment. */
void px_layout_params(struct px_symbol **symbols, unsigned n, uint64_t *bytes)
{
    uint64_t offset = 0;
    for (unsigned i = 0; i < n; i++) {
        if (symbols[i]->space != PX_SPACE_PARAM)
            continue;
        offset = align_up(offset, symbols[i]->align);
        symbols[i]->offset = offset;
        offset += symbols[i]->size;
    }
    *bytes = offset;
}

static struct px_symbol **declare_list(struct px_checker *checker, struct px_func *func, struct px_var *vars,
                                       unsigned n, bool is_return)
{
    struct px_symbol **symbols = PX_NEW_N(&checker->module->arena, struct px_symbol *, n);
    for (unsigned i = 0; i < n; i++)
        symbols[i] = px_declare_param(checker, &vars[i], func, is_return);
    return symbols;
}

static void set_header(struct px_checker *checker, struct px_function *function, struct px_func *func)
{
    function->func = func;
    function->rets = declare_list(checker, func, func->rets, func->nrets, true);
    function->params = declare_list(checker, func, func->params, func->nparams, false);
    px_layout_params(function->rets, func->nrets, &function->ret_bytes);
    px_layout_params(function->params, func->nparams, &function->param_bytes);
}

static void bind_params(struct px_checker *checker, struct px_symbol **symbols, unsigned n)
{
    struct px_function *function = checker->function;
    for (unsigned i = 0; i < n; i++) {
        struct px_symbol *symbol = symbols[i];
        if (!symbol->name)
            continue;
        if (px_scope_here(&checker->scope, symbol->name)) {
            px_complain(checker, DUPLICATE_VARIABLE, symbol->pos, symbol->name->len, symbol->name->text);
            continue;
        }
        px_scope_bind(&checker->scope, symbol);
        if (symbol->kind == PX_SYM_REG) {
            px_add_register(checker, symbol);
            continue;
        }
        symbol->index = function->vars.n;
        px_vec_push(&checker->module->arena, &function->vars, symbol);
    }
}

static struct px_function *function_new(struct px_checker *checker, struct px_func *func)
{
    struct px_arena *arena = &checker->module->arena;
    struct px_function *function = PX_NEW(arena, struct px_function);
    enum px_symbol_kind kind = func->is_entry ? PX_SYM_ENTRY : PX_SYM_FUNC;
    struct px_symbol *symbol = px_symbol_new(checker, kind, func->name, func->pos);
    symbol->linkage = func->linkage;
    symbol->u.func = function;
    symbol->index = checker->module->symbols.n;
    function->symbol = symbol;
    px_scope_bind_module(&checker->scope, symbol);
    px_vec_push(arena, &checker->module->symbols, symbol);
    px_vec_push(arena, &checker->module->functions, function);
    return function;
}

static struct px_function *find_function(struct px_checker *checker, struct px_func *func)
{
    struct px_symbol *symbol = px_scope_module(&checker->scope, func->name);
    if (!symbol)
        return function_new(checker, func);
    if (symbol->kind != PX_SYM_FUNC && symbol->kind != PX_SYM_ENTRY) {
        px_complain(checker, INCONSISTENT_VARIABLE, func->pos, func->name->len, func->name->text);
        return NULL;
    }
    if (func->body && symbol->defined) {
        px_complain(checker, DUPLICATE_FUNCTION, func->pos, func->name->len, func->name->text);
        return NULL;
    }
    return symbol->u.func;
}

static void check_definition(struct px_checker *checker, struct px_function *function)
{
    struct px_func *func = function->func;
    function->symbol->defined = true;
    function->symbol->pos = func->pos;
    function->symbol->linkage = func->linkage;
    checker->function = function;
    px_scope_enter(&checker->scope);
    bind_params(checker, function->rets, func->nrets);
    bind_params(checker, function->params, func->nparams);
    px_check_directives(checker, function);
    px_check_body(checker, func->body);
    px_scope_leave(&checker->scope);
    checker->function = NULL;
}

void px_declare_func(struct px_checker *checker, struct px_func *func)
{
    struct px_function *function = find_function(checker, func);
    if (!function)
        return;
    func->symbol = function->symbol;
    if (!function->func || func->body)
        set_header(checker, function, func);
    if (func->body)
        check_definition(checker, function);
}

void px_check_alias(struct px_checker *checker, const struct px_alias *alias)
{
    bool made;
    struct px_symbol *symbol = px_scope_find(&checker->scope, alias->alias, &made);
    struct px_symbol *target = px_scope_find(&checker->scope, alias->target, &made);
    if (!symbol || !target) {
        const struct px_name *name = symbol ? alias->target : alias->alias;
        px_complain(checker, UNKNOWN_SYMBOL, alias->pos, name->len, name->text);
        return;
    }
    symbol->alias_of = target;
}
