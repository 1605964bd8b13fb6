/*
 * function.c - functions and kernels: declarations, definitions, parameters.
 *
 * All declarations of a name and its definition share one px_function; the
 * definition's header wins, the linkage is that of the first. Parameters live
 * in level 1, together with the outermost names of the body.
 */
#include <string.h>
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
        if (symbols[i]->space != PX_SPACE_PARAM) continue;
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
    for (unsigned i = 0; i < n; i++) symbols[i] = px_declare_param(checker, &vars[i], func, is_return);
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
        if (!symbol->name) continue;
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

/* ---- the header by itself ---- */

/* Where ptxas compares a header with the earlier ones: of a device function it has read one token more. */
static px_pos header_end(const struct px_func *func)
{
    if (func->is_entry) return func->pos;
    return func->body ? func->body->pos : func->end;
}

static bool is_unsized(const struct px_var *var)
{
    return var->unsized || (var->ndims && !var->dims[0]);
}

void px_check_signature(struct px_checker *checker, const struct px_func *func, struct px_var *rets,
                        unsigned nrets, struct px_var *params, unsigned nparams)
{
    bool in_param = false;
    for (unsigned i = 0; i < nrets; i++) {
        px_check_param(checker, &rets[i], func, true);
        in_param |= rets[i].space == PX_SPACE_PARAM;
    }
    for (unsigned i = 0; i < nparams; i++) {
        px_check_param(checker, &params[i], func, false);
        if (is_unsized(&params[i]) && i + 1 < nparams && !(func && func->is_entry))
            px_complain(checker, UNSIZED_LAST, params[i].pos, 1);
    }
    if (nrets > 1 && in_param)
        px_complain_at(checker, func ? header_end(func) : rets[1].pos, MANY_RETURNS, rets[1].pos, 1);
}

static void check_linkage(struct px_checker *checker, const struct px_func *func)
{
    if (func->linkage == PX_L_WEAK) px_requires(checker, PX_NEED_weak, func->start, 1);
    px_check_attributes(checker, func->attrs, func->nattrs, NULL);
}

/* ---- several declarations ---- */

static const char *differing(const struct px_var *a, const struct px_var *b, bool *align)
{
    *align = px_formal_align(a) != px_formal_align(b);
    if (a->space != b->space) return "parameter state space";
    if (a->type != b->type || a->vec != b->vec || px_var_elements(a) != px_var_elements(b))
        return "parameter types";
    return NULL;
}

#define COMPLAIN_FUNC(checker, id, func, ...)                                                                \
    px_complain_at(checker, header_end(func), id, (func)->pos, (func)->name->len, (func)->name->text,        \
                   ##__VA_ARGS__)

static void complain_prototypes(struct px_checker *checker, const struct px_func *func, const char *what)
{
    COMPLAIN_FUNC(checker, PROTOTYPES, func, what);
}

static void compare_lists(struct px_checker *checker, const struct px_func *func, const struct px_var *old,
                          const struct px_var *now, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        bool align = false;
        const char *what = differing(&old[i], &now[i], &align);
        if (what) complain_prototypes(checker, func, what);
        if (align) complain_prototypes(checker, func, "parameter alignment");
        if (what || align) return;
    }
}

static bool returns_never(const struct px_func *func)
{
    for (unsigned i = 0; i < func->ndirs; i++)
        if (func->dirs[i].word == PX_W_noreturn) return true;
    return false;
}

static void compare_headers(struct px_checker *checker, const struct px_func *old, const struct px_func *func)
{
    if (old->nparams != func->nparams || old->nrets != func->nrets) {
        complain_prototypes(checker, func, "number of parameters");
        return;
    }
    compare_lists(checker, func, old->rets, func->rets, func->nrets);
    compare_lists(checker, func, old->params, func->params, func->nparams);
}

/* A later declaration may leave .visible or .weak out, and nothing else. */
static bool same_linkage(const struct px_symbol *symbol, const struct px_func *func)
{
    if (symbol->linkage == func->linkage) return symbol->linkage != PX_L_EXTERN || !func->body;
    return func->linkage == PX_L_NONE && symbol->linkage != PX_L_EXTERN;
}

static void compare(struct px_checker *checker, const struct px_symbol *symbol, const struct px_func *func)
{
    const struct px_func *old = symbol->u.func->func;
    if (old->is_entry != func->is_entry) COMPLAIN_FUNC(checker, ENTRY_AND_FUNCTION, func);
    const uint32_t before = checker->diags->list.n;
    if (symbol->defined) COMPLAIN_FUNC(checker, DUPLICATE_FUNCTION, func);
    px_note_duplicate(checker, before, symbol);
    if (!same_linkage(symbol, func) || (!symbol->defined && returns_never(old) != returns_never(func)))
        COMPLAIN_FUNC(checker, INCONSISTENT_VARIABLE, func);
    if (old->is_entry == func->is_entry) compare_headers(checker, old, func);
}

/* The same, between files. */
static void compare_earlier(struct px_checker *checker, const struct px_func *func)
{
    const struct px_symbol *old = px_find_earlier(checker, func->name);
    if (!old) return;
    if (old->kind == PX_SYM_FUNC || old->kind == PX_SYM_ENTRY)
        compare(checker, old, func);
    else
        COMPLAIN_FUNC(checker, INCONSISTENT_VARIABLE, func);
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
    compare_earlier(checker, func);
    return function;
}

/* A function that was defined already: what follows is checked, and belongs to nothing. */
static struct px_function *another(struct px_checker *checker, struct px_symbol *symbol)
{
    struct px_function *function = PX_NEW(&checker->module->arena, struct px_function);
    function->symbol = symbol;
    return function;
}

/* ptxas has a table for names of this module alone, and one for the others; it looks into the former first.
 */
static void refuse_name(struct px_checker *checker, const struct px_func *func, const struct px_symbol *old)
{
    const uint32_t before = checker->diags->list.n;
    COMPLAIN_FUNC(checker, INCONSISTENT_VARIABLE, func);
    if (!old) return;
    const bool was_own = old->linkage == PX_L_NONE, is_own = func->linkage == PX_L_NONE;
    if (was_own == is_own) COMPLAIN_FUNC(checker, DUPLICATE_FUNCTION, func);
    if (was_own || !is_own) COMPLAIN_FUNC(checker, INCONSISTENT_SYMBOL, func);
    px_note_duplicate(checker, before, old);
}

/* The function that `func` declares; NULL when the name is something else. */
static struct px_function *find_function(struct px_checker *checker, struct px_func *func)
{
    struct px_symbol *symbol = px_scope_module(func->name);
    bool special = px_is_special_register(func->name);
    if (!symbol && !special) return function_new(checker, func);
    if (special || (symbol->kind != PX_SYM_FUNC && symbol->kind != PX_SYM_ENTRY)) {
        refuse_name(checker, func, special ? NULL : symbol);
        return NULL;
    }
    compare(checker, symbol, func);
    return symbol->defined ? another(checker, symbol) : symbol->u.func;
}

/* ---- definitions ---- */

static unsigned param_limit(const struct px_checker *checker)
{
    enum { OLDEST = 256, OLD = 4352, NEW = 32764 };
    return checker->version <= 14 ? OLDEST : checker->version < 81 ? OLD : NEW;
}

static void check_param_bytes(struct px_checker *checker, const struct px_function *function)
{
    const char *feature = "Kernel parameter size larger than 4352 bytes";
    const struct px_func *func = function->func;
    unsigned limit = param_limit(checker);
    if (!func->is_entry || function->param_bytes <= 256) return;
    if (function->param_bytes > limit)
        px_complain_at(checker, func->end, PARAM_BYTES, func->pos, func->name->len, func->name->text,
                       (unsigned long long)function->param_bytes, limit);
    if (function->param_bytes > 4352 && checker->module->target.sm < 70)
        px_complain_at(checker, func->end, NEEDS_SM, func->pos, func->name->len, feature, 70u);
    if (function->param_bytes > 4352 && checker->version < 81)
        px_complain_at(checker, func->end, NEEDS_PTX, func->pos, func->name->len, feature, 8u, 1u);
}

/* What ptxas asks when it reads the closing brace. */
static void check_end(struct px_checker *checker, const struct px_function *function)
{
    const struct px_func *func = function->func;
    const struct px_symbol *earlier = px_find_earlier(checker, func->name);
    if (func->linkage == PX_L_EXTERN || function->symbol->linkage == PX_L_EXTERN ||
        (earlier && earlier->linkage == PX_L_EXTERN))
        px_complain_at(checker, func->end, EXTERN_BODY, func->pos, func->name->len, func->name->text);
    px_check_directive_pairs(checker, func);
    check_param_bytes(checker, function);
}

/* Registers and variables gather in vectors that every function uses in turn; a checked one keeps exact
 * copies. */
static void lend_vectors(struct px_checker *checker, struct px_function *function)
{
    function->regs.at = checker->spare_regs.at;
    function->regs.cap = checker->spare_regs.cap;
    function->vars.at = checker->spare_vars.at;
    function->vars.cap = checker->spare_vars.cap;
}

static void *exact(struct px_checker *checker, const void *at, uint32_t n, size_t size)
{
    return n ? memcpy(px_arena_node(&checker->module->arena, n * size), at, n * size) : NULL;
}

static void keep_vectors(struct px_checker *checker, struct px_function *function)
{
    checker->spare_regs.at = function->regs.at;
    checker->spare_regs.cap = function->regs.cap;
    checker->spare_vars.at = function->vars.at;
    checker->spare_vars.cap = function->vars.cap;
    if (checker->module->check_only) function->regs.n = 0;
    function->regs.at = exact(checker, function->regs.at, function->regs.n, sizeof *function->regs.at);
    function->vars.at = exact(checker, function->vars.at, function->vars.n, sizeof *function->vars.at);
    function->regs.cap = function->regs.n;
    function->vars.cap = function->vars.n;
}

static void define(struct px_checker *checker, struct px_function *function)
{
    struct px_func *func = function->func;
    function->symbol->defined = true;
    function->symbol->pos = func->pos;
    checker->function = function;
    lend_vectors(checker, function);
    px_scope_enter(&checker->scope);
    bind_params(checker, function->rets, func->nrets);
    bind_params(checker, function->params, func->nparams);
    px_check_body(checker, func->body);
    if (!func->cut && !checker->stopped) check_end(checker, function);
    px_scope_leave(&checker->scope);
    keep_vectors(checker, function);
    checker->function = NULL;
}

/* ---- parameters in the body ---- */

bool px_is_body_param(const struct px_checker *checker, const struct px_func *func, const struct px_var *var)
{
    return func->is_entry && checker->version < 14 && var->space == PX_SPACE_PARAM;
}

/* Up to PTX 1.3 the outermost .param variables of a kernel are its parameters. The statements stay for the
 * printer. */
static void adopt_body_params(struct px_checker *checker, struct px_func *func)
{
    const struct px_block *body = func->body;
    uint32_t n = 0;
    for (uint32_t i = 0; i < body->n; i++)
        n += body->list[i]->kind == PX_S_VAR && px_is_body_param(checker, func, body->list[i]->u.var);
    if (!n || func->nparams || n > UINT16_MAX) return;
    func->params = PX_NEW_N(&checker->module->arena, struct px_var, n);
    for (uint32_t i = 0; i < body->n; i++)
        if (body->list[i]->kind == PX_S_VAR && px_is_body_param(checker, func, body->list[i]->u.var))
            func->params[func->nparams++] = *body->list[i]->u.var;
}

void px_declare_func(struct px_checker *checker, struct px_func *func)
{
    unsigned errors = checker->diags->errors;
    check_linkage(checker, func);
    if (func->is_entry && func->nparams) px_requires(checker, PX_NEED_param_list, func->pos, func->name->len);
    if (func->is_entry && !func->body)
        px_requires(checker, PX_NEED_entry_declaration, func->pos, func->name->len);
    if (func->body) adopt_body_params(checker, func);
    px_check_signature(checker, func, func->rets, func->nrets, func->params, func->nparams);
    struct px_function *function = find_function(checker, func);
    if (!function) return;
    func->symbol = function->symbol;
    if (!function->func || func->body) set_header(checker, function, func);
    px_check_directives(checker, function, func);
    function->symbol->faulty |= checker->diags->errors != errors;
    if (func->body && !checker->stopped) define(checker, function);
}

/* ---- aliases ---- */

static bool is_function(const struct px_symbol *symbol)
{
    return symbol->kind == PX_SYM_FUNC || symbol->kind == PX_SYM_ENTRY;
}

static const char *prototype_difference(const struct px_func *a, const struct px_func *b)
{
    bool align = false;
    if (a->nparams != b->nparams || a->nrets != b->nrets) return "number of parameters";
    for (unsigned i = 0; i < a->nrets + a->nparams; i++) {
        const struct px_var *x = i < a->nrets ? &a->rets[i] : &a->params[i - a->nrets];
        const struct px_var *y = i < a->nrets ? &b->rets[i] : &b->params[i - a->nrets];
        const char *what = differing(x, y, &align);
        if (what || align) return what ? what : "parameter alignment";
    }
    return returns_never(a) != returns_never(b) ? ".noreturn directive" : NULL;
}

#define COMPLAIN_ALIAS(checker, id, alias, ...)                                                              \
    px_complain(checker, id, (alias)->pos, (alias)->alias->len, __VA_ARGS__)

static void check_alias_pair(struct px_checker *checker, const struct px_alias *alias, struct px_symbol *name,
                             struct px_symbol *target)
{
    if (!is_function(name) || !is_function(target)) {
        COMPLAIN_ALIAS(checker, ALIAS_VARIABLE, alias,
                       is_function(name) ? target->name->text : name->name->text);
        return;
    }
    if (target->kind == PX_SYM_ENTRY)
        COMPLAIN_ALIAS(checker, ALIAS_ENTRY, alias, target->name->text);
    else if (name->kind == PX_SYM_ENTRY)
        COMPLAIN_ALIAS(checker, ALIAS_ENTRY, alias, name->name->text);
    if (name->alias_of)
        COMPLAIN_ALIAS(checker, ALIAS_TWICE, alias, name->name->text, name->alias_of->name->text);
    if (name->defined) COMPLAIN_ALIAS(checker, ALIAS_DEFINED, alias, name->name->text);
    if (target->linkage == PX_L_EXTERN || target->linkage == PX_L_WEAK)
        COMPLAIN_ALIAS(checker, ALIAS_SCOPE, alias, target->name->text,
                       target->linkage == PX_L_WEAK ? ".weak" : ".extern");
    const char *what = prototype_difference(name->u.func->func, target->u.func->func);
    if (what) COMPLAIN_ALIAS(checker, ALIAS_PROTOTYPE, alias, name->name->text, target->name->text, what);
    if (name == target)
        px_complain(checker, ALIAS_SELF, alias->pos, alias->alias->len);
    else
        name->alias_of = target;
}

void px_check_alias(struct px_checker *checker, const struct px_alias *alias)
{
    struct px_symbol *name = px_scope_module(alias->alias), *target = px_scope_module(alias->target);
    px_requires(checker, PX_NEED_alias, alias->pos, 1);
    if (!name) px_complain(checker, UNKNOWN_SYMBOL, alias->pos, alias->alias->len, alias->alias->text);
    if (!target)
        px_complain(checker, UNKNOWN_SYMBOL, alias->target_pos, alias->target->len, alias->target->text);
    if (name && target) check_alias_pair(checker, alias, name, target);
}

/* ---- after the module ---- */

void px_check_resolved(struct px_checker *checker)
{
    struct ptx_module *module = checker->module;
    for (uint32_t i = 0; i < module->functions.n && !checker->stopped; i++) {
        const struct px_function *function = module->functions.at[i];
        const char *name = function->func->name->text;
        bool supplied =
            strcmp(name, "cudaGraphSetConditional") == 0; /* whatever its linkage, unlike others */
        if (px_lacks_body(function->symbol) && !supplied)
            px_complain(checker, UNRESOLVED, PX_NO_PLACE, 0, name);
    }
}
