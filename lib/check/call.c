/*
 * call.c - calls: arguments against the callee, prototypes, target lists.
 *
 * A call's operands are ( results ), callee, ( arguments ), table; all but the
 * callee may be missing. What the arguments must match is the header of the
 * function, the prototype, or every function of the target list.
 */
#include "check/checker.h"

/* ---- the parts of a call ---- */

struct call {
    struct px_checker *checker;
    const struct px_inst *inst;
    const struct px_operand *rets, *callee, *args, *table;
};

/* One header that the call is held against. */
struct formals {
    struct px_var *rets, *params;
    unsigned nrets, nparams;
    px_pos pos;
};

static void split(struct call *call, const struct px_inst *inst)
{
    unsigned i = 0, n = inst->nopds;
    const struct px_operand *opds = inst->opds;
    if (i < n && opds[i].kind == PX_O_LIST) call->rets = &opds[i++];
    if (i < n) call->callee = &opds[i++];
    if (i < n && opds[i].kind == PX_O_LIST) call->args = &opds[i++];
    if (i < n) call->table = &opds[i++];
}

/* ---- one argument ---- */

static const char *formal_name(const struct px_var *formal)
{
    return formal->name ? formal->name->text : "_";
}

#define COMPLAIN_FORMAL(call, id, operand, formal)                                                           \
    px_complain((call)->checker, id, (operand)->pos, (operand)->length, formal_name(formal))

/* Types fit when they are equally wide and of one kind; bits fit everything. */
static bool same_kind(enum px_type a, enum px_type b)
{
    const struct px_type_info *x = px_type_info(a), *y = px_type_info(b);
    if (x->bits != y->bits || (a == PX_T_PRED) != (b == PX_T_PRED)) return false;
    if (x->klass == PX_TC_BITS || y->klass == PX_TC_BITS) return true;
    return (x->klass == PX_TC_FLOAT) == (y->klass == PX_TC_FLOAT);
}

static bool is_unsized(const struct px_var *var)
{
    return var->unsized || (var->ndims && !var->dims[0]);
}

/* Between registers a vector fits what has as many bits. */
static bool vector_fits(const struct px_symbol *symbol, const struct px_var *formal)
{
    const bool registers = symbol->kind == PX_SYM_REG && formal->space == PX_SPACE_REG;
    return registers && (symbol->vec > 1 || formal->vec > 1) &&
           symbol->vec * px_type_info((enum px_type)symbol->type)->bits ==
               formal->vec * px_type_info((enum px_type)formal->type)->bits;
}

static bool type_fits(const struct px_symbol *symbol, const struct px_var *formal)
{
    if (vector_fits(symbol, formal)) return true;
    bool array = symbol->kind != PX_SYM_REG && symbol->u.var->ndims;
    if (!same_kind((enum px_type)symbol->type, (enum px_type)formal->type) || symbol->vec != formal->vec)
        return false;
    if (array != (formal->ndims > 0)) return false;
    return is_unsized(formal) || symbol->kind == PX_SYM_REG ||
           px_var_elements(symbol->u.var) == px_var_elements(formal);
}

/* What is passed is aligned as its type asks for, whatever less is declared. */
static uint64_t at_least(uint64_t align, uint64_t size)
{
    return align > size ? align : size;
}

uint64_t px_formal_align(const struct px_var *formal)
{
    return at_least(formal->has_align ? formal->align : 0, px_var_element_size(formal));
}

static uint64_t argument_align(const struct px_symbol *symbol)
{
    return at_least(symbol->align,
                    (uint64_t)px_type_info((enum px_type)symbol->type)->bits / 8 * symbol->vec);
}

static void check_constant(struct call *call, const struct px_operand *operand, const struct px_var *formal)
{
    uint8_t klass = px_type_info((enum px_type)formal->type)->klass;
    bool is_float = operand->kind == PX_O_F32 || operand->kind == PX_O_F64;
    bool fits = klass == PX_TC_BITS || (klass == PX_TC_FLOAT) == is_float;
    if (!fits || formal->ndims) COMPLAIN_FORMAL(call, CALL_TYPE, operand, formal);
}

/* Labels, functions and unknown names have no type that could fit. */
static void check_untyped(struct call *call, const struct px_operand *operand, const struct px_var *formal)
{
    const struct px_symbol *symbol = operand->symbol;
    bool function = symbol ? symbol->kind == PX_SYM_FUNC || symbol->kind == PX_SYM_ENTRY
                           : px_is_special_register(operand->u.name);
    if (function)
        px_complain(call->checker, CALL_SPACE, operand->pos, operand->length, operand->u.name->text);
    else
        COMPLAIN_FORMAL(call, CALL_ILLEGAL, operand, formal);
    COMPLAIN_FORMAL(call, CALL_TYPE, operand, formal);
    COMPLAIN_FORMAL(call, CALL_ALIGN, operand, formal);
}

static void check_symbol(struct call *call, const struct px_operand *operand, const struct px_var *formal)
{
    const struct px_symbol *symbol = operand->symbol;
    const char *name = operand->u.name->text;
    if (symbol->kind == PX_SYM_PARAM)
        px_complain(call->checker, CALL_FORMAL, operand->pos, operand->length, name);
    else if (symbol->kind == PX_SYM_VAR && symbol->space != PX_SPACE_PARAM)
        px_complain(call->checker, CALL_SPACE, operand->pos, operand->length, name);
    else if (symbol->kind == PX_SYM_REG && formal->ndims && !is_unsized(formal))
        px_complain(call->checker, CALL_PARAM_SPACE, operand->pos, operand->length, name);
    if (!type_fits(symbol, formal)) COMPLAIN_FORMAL(call, CALL_TYPE, operand, formal);
    if (argument_align(symbol) != px_formal_align(formal)) COMPLAIN_FORMAL(call, CALL_ALIGN, operand, formal);
}

static void check_argument(struct call *call, const struct px_operand *operand, const struct px_var *formal,
                           bool is_result)
{
    const struct px_symbol *symbol = operand->kind == PX_O_NAME ? operand->symbol : NULL;
    const uint32_t before = call->checker->diags->list.n;
    if (operand->kind == PX_O_SINK) {
        if (!is_result) COMPLAIN_FORMAL(call, CALL_ILLEGAL, operand, formal);
    } else if (operand->kind != PX_O_NAME) {
        check_constant(call, operand, formal);
    } else if (symbol &&
               (symbol->kind == PX_SYM_REG || symbol->kind == PX_SYM_VAR || symbol->kind == PX_SYM_PARAM)) {
        check_symbol(call, operand, formal);
    } else {
        check_untyped(call, operand, formal);
    }
    px_note_formal(call->checker, before, formal, operand);
}

/* ---- one header ---- */

static unsigned count(const struct px_operand *list)
{
    return list ? list->n : 0;
}

static bool arity_fits(const struct call *call, const struct formals *formals)
{
    unsigned n = count(call->args), wanted = formals->nparams;
    bool open_end = wanted && is_unsized(&formals->params[wanted - 1]);
    return count(call->rets) == formals->nrets && (n == wanted || (open_end && n + 1 == wanted));
}

/* Where the caret of a wrong number stands: the results or the arguments; without a list, the callee. */
static const struct px_operand *wrong_list(const struct call *call, const struct formals *formals)
{
    if (count(call->rets) != formals->nrets && call->rets) return call->rets;
    if (count(call->rets) == formals->nrets && call->args) return call->args;
    return &call->inst->opds[call->rets != NULL];
}

static void check_formals(struct call *call, const struct formals *formals)
{
    if (!arity_fits(call, formals)) {
        const uint32_t before = call->checker->diags->list.n;
        const unsigned wanted[] = {formals->nrets, formals->nparams},
                       given[] = {count(call->rets), count(call->args)};
        const struct px_operand *list = wrong_list(call, formals);
        const px_pos told =
            px_source_behind(&call->checker->module->source, call->inst->pos + call->inst->opcode->len);
        px_complain_at(call->checker, told, CALL_ARITY, list->pos, list->length);
        px_note_arity(call->checker, before, formals->pos, wanted, given);
        return;
    }
    call->checker->small_params |= px_small(formals->params, formals->nparams);
    call->checker->small_returns |= px_small(formals->rets, formals->nrets);
    for (unsigned i = 0; i < count(call->rets); i++)
        check_argument(call, &call->rets->u.list[i], &formals->rets[i], true);
    for (unsigned i = 0; i < count(call->args); i++)
        check_argument(call, &call->args->u.list[i], &formals->params[i], false);
}

static void check_func(struct call *call, const struct px_symbol *symbol)
{
    const struct px_func *func = symbol->u.func->func;
    struct formals formals = {func->rets, func->params, func->nrets, func->nparams, symbol->pos};
    check_formals(call, &formals);
}

/* ---- the callee ---- */

static bool is_function(const struct px_symbol *symbol)
{
    return symbol && (symbol->kind == PX_SYM_FUNC || symbol->kind == PX_SYM_ENTRY);
}

static bool same_formal(const struct px_var *a, const struct px_var *b)
{
    return a->type == b->type && a->vec == b->vec && a->space == b->space &&
           (a->ndims > 0) == (b->ndims > 0) && is_unsized(a) == is_unsized(b) &&
           px_formal_align(a) == px_formal_align(b) && px_var_elements(a) == px_var_elements(b);
}

/* Do the same calls fit both? */
static bool same_signature(const struct px_symbol *one, const struct px_symbol *other)
{
    const struct px_func *a = one->u.func->func, *b = other->u.func->func;
    bool same = a->nrets == b->nrets && a->nparams == b->nparams;
    for (unsigned i = 0; same && i < a->nrets; i++) same = same_formal(&a->rets[i], &b->rets[i]);
    for (unsigned i = 0; same && i < a->nparams; i++) same = same_formal(&a->params[i], &b->params[i]);
    return same;
}

static void add_function(struct px_call_table *table, const struct px_symbol *function)
{
    uint32_t i = 0;
    while (i < table->signatures && !same_signature(table->functions[i], function)) i++;
    const bool is_new = i == table->signatures;
    table->functions[table->n++] = is_new ? table->functions[i] : function;
    if (is_new) table->functions[table->signatures++] = function;
}

/* The functions of a table; thousands of calls may go through a table of thousands. */
static struct px_call_table *table_of(struct px_checker *checker, struct px_symbol *symbol)
{
    const struct px_stmt *stmt = symbol->u.stmt;
    struct px_arena *arena = &checker->module->arena;
    struct px_call_table table = {0};
    if (symbol->index) return &checker->call_tables.at[symbol->index - 1];
    table.functions = PX_NEW_N(arena, const struct px_symbol *, stmt->u.targets.n + 1);
    for (uint32_t i = 0; i < stmt->u.targets.n; i++)
        if (is_function(stmt->u.targets.list[i].symbol)) add_function(&table, stmt->u.targets.list[i].symbol);
    px_vec_push(arena, &checker->call_tables, table);
    symbol->index = checker->call_tables.n;
    return &checker->call_tables.at[symbol->index - 1];
}

/* What fits one function of each signature fits all; what does not is told of each. */
static void check_targets(struct call *call, struct px_symbol *symbol)
{
    struct px_call_table *table = table_of(call->checker, symbol);
    px_note_call_table(call->checker, table);
    const unsigned errors = call->checker->diags->errors;
    for (uint32_t i = 0; i < table->n && !call->checker->stopped; i++) {
        if (i == table->signatures && call->checker->diags->errors == errors) return;
        check_func(call, table->functions[i]);
    }
}

/* ---- arrays of functions ---- */

static bool is_table_array(const struct px_symbol *symbol)
{
    const bool array = symbol->kind != PX_SYM_REG && symbol->u.var->ndims == 1;
    return array && (symbol->type == PX_T_U8 || symbol->type == PX_T_U32 || symbol->type == PX_T_U64);
}

static const struct px_symbol *function_of(const struct px_expr *expr)
{
    if (expr->kind == PX_E_MASK) expr = expr->u.a;
    return expr->kind == PX_E_NAME && is_function(expr->symbol) ? expr->symbol : NULL;
}

/* Without parentheses in the call only the first of the array is looked at; the others need not be functions
 * then. */
static void check_array(struct call *call, const struct px_symbol *array)
{
    const struct px_expr *init = array->u.var->init;
    const bool all = call->args || call->rets;
    const uint32_t n = init && init->kind == PX_E_LIST ? init->n : 0;
    if (!n) px_complain(call->checker, CALL_TABLE, call->table->pos, call->table->length);
    for (uint32_t i = 0; i < n && !call->checker->stopped; i++) {
        const struct px_symbol *function = function_of(init->u.list[i]);
        if (function) px_note_call(call->checker, function);
        if (function && (all || !i))
            check_func(call, function);
        else if (all || !i)
            px_complain(call->checker, CALL_TABLE, call->table->pos, call->table->length);
    }
}

static void check_variable(struct call *call, const struct px_symbol *symbol)
{
    const struct px_operand *table = call->table;
    if (!is_table_array(symbol))
        px_complain(call->checker, TABLE_ARRAY, table->pos, table->length,
                    (unsigned)(table - call->inst->opds), "call");
    else if (symbol->space != PX_SPACE_GLOBAL && symbol->space != PX_SPACE_CONST)
        px_complain(call->checker, TABLE_SPACE, table->pos, table->length,
                    (unsigned)(table - call->inst->opds), "call");
    else if (!symbol->u.var->init)
        px_complain(call->checker, TABLE_INIT, table->pos, table->length, symbol->name->text);
    else
        check_array(call, symbol);
}

static void check_table(struct call *call, const struct px_operand *table)
{
    struct px_symbol *symbol = table->symbol;
    if (table->kind != PX_O_NAME || !symbol) return;
    if (symbol->kind == PX_SYM_PROTO) {
        const struct px_proto *proto = symbol->u.proto;
        px_note_call_through(call->checker, proto);
        struct formals formals = {proto->rets, proto->params, proto->nrets, proto->nparams, proto->pos};
        check_formals(call, &formals);
    } else if (symbol->kind == PX_SYM_CALL_TARGETS) {
        check_targets(call, symbol);
    } else if (symbol->kind == PX_SYM_VAR || symbol->kind == PX_SYM_PARAM || symbol->kind == PX_SYM_REG) {
        check_variable(call, symbol);
    } else {
        px_complain(call->checker, CALL_TABLE, table->pos, table->length);
    }
}

static void check_indirect(struct call *call)
{
    const struct px_inst *inst = call->inst;
    bool is_register = call->callee->symbol->kind == PX_SYM_REG;
    if (!call->table) px_complain(call->checker, LABEL_EXPECTED, inst->pos, inst->opcode->len, 0u, "call");
    if (!is_register)
        px_complain(call->checker, MUST_REGISTER, call->callee->pos, call->callee->length, 0u, "call");
    if (call->table)
        check_table(call, call->table);
    else if (call->args)
        px_complain(call->checker, CALL_TABLE, inst->pos, inst->opcode->len);
}

static void complain_undeclared(struct call *call)
{
    struct px_checker *checker = call->checker;
    const struct px_name *name = call->callee->u.name;
    const uint32_t before = checker->diags->list.n;
    px_complain(checker, CALL_UNDECLARED, call->callee->pos, call->callee->length, name->text);
    if (before < checker->diags->list.n)
        px_diag_note(checker->diags, &checker->diags->list.at[before],
                     "declare the function in front of this one: .extern .func (...) %s (...);", name->text);
}

static void check_callee(struct call *call)
{
    const struct px_operand *callee = call->callee;
    const struct px_symbol *symbol = callee->symbol;
    if (!symbol)
        complain_undeclared(call);
    else if (symbol->kind == PX_SYM_ENTRY || symbol->kind == PX_SYM_LABEL) {
        px_complain(call->checker, CALL_TARGET, callee->pos, callee->length);
        if (symbol->kind == PX_SYM_ENTRY) check_func(call, symbol);
    } else if (symbol->kind == PX_SYM_FUNC && !call->table) {
        px_note_call(call->checker, symbol);
        check_func(call, symbol);
    } else
        check_indirect(call);
}

void px_check_call(struct px_checker *checker, const struct px_inst *inst)
{
    struct call call = {.checker = checker, .inst = inst};
    split(&call, inst);
    if (call.callee && call.callee->kind == PX_O_NAME) check_callee(&call);
}

/* ---- tables and prototypes ---- */

/* .branchtargets lists labels, .calltargets functions; labels may still come. */
void px_check_targets(struct px_checker *checker, const struct px_stmt *stmt)
{
    bool branch = stmt->kind == PX_S_TARGETS;
    px_requires(checker, branch ? PX_NEED_branchtargets : PX_NEED_calltargets, stmt->pos, 1);
    for (uint32_t i = 0; i < stmt->u.targets.n && !checker->stopped; i++) {
        const struct px_operand *target = &stmt->u.targets.list[i];
        const struct px_symbol *symbol = target->symbol;
        if (stmt->kind == PX_S_CALLTARGETS && !is_function(symbol))
            px_complain(checker, CALL_TARGET, target->pos, target->length);
        else if (stmt->kind == PX_S_TARGETS && symbol && symbol->kind != PX_SYM_LABEL &&
                 symbol->u.stmt != stmt)
            px_complain(checker, BRANCH_TARGET, target->pos, target->length);
    }
}

void px_check_proto(struct px_checker *checker, const struct px_proto *proto)
{
    px_requires(checker, PX_NEED_callprototype, proto->pos, proto->label->len);
    px_check_signature(checker, NULL, proto->rets, proto->nrets, proto->params, proto->nparams);
    px_check_proto_directives(checker, proto);
    for (unsigned i = 0; i < proto->ndirs; i++)
        if (proto->dirs[i].word == PX_W_noreturn && proto->nrets)
            px_complain(checker, NORETURN_RESULT, proto->dirs[i].pos, 1, "protoype with return parameters");
}

/* ---- parameters as memory (PTX ISA 5.1.6, 7.1) ---- */

static bool is_call_param(const struct px_symbol *symbol)
{
    return symbol && symbol->kind == PX_SYM_VAR && symbol->space == PX_SPACE_PARAM;
}

static const struct px_operand *address_base(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nopds; i++)
        if (inst->opds[i].kind == PX_O_ADDR && inst->opds[i].n && inst->opds[i].u.list[0].kind == PX_O_NAME)
            return &inst->opds[i].u.list[0];
    return NULL;
}

static void check_access(struct px_checker *checker, const struct px_inst *inst,
                         const struct px_operand *base)
{
    const struct px_symbol *symbol = base->symbol;
    bool store = px_opcode_in(inst->opcode->word, PX_SET_store);
    if (!symbol) return;
    if (symbol->kind == PX_SYM_PARAM && !store && symbol->is_return)
        px_complain(checker, PARAM_READ, base->pos, base->length, symbol->name->text);
    if (symbol->kind == PX_SYM_PARAM && store && !symbol->is_return)
        px_complain(checker, PARAM_WRITE, base->pos, base->length, symbol->name->text);
    if (is_call_param(symbol) && inst->guard)
        px_complain(checker, PARAM_GUARD, inst->pos, inst->opcode->len, store ? "st.param" : "ld.param",
                    symbol->name->text);
}

static void check_addresses(struct px_checker *checker, const struct px_inst *inst)
{
    for (unsigned i = 1; i < inst->nopds; i++) {
        const struct px_operand *operand = &inst->opds[i];
        /* ptxas takes some that add to it. */
        const bool taken = operand->has_offset && px_opcode_in(inst->opcode->word, PX_SET_param_offset);
        if (operand->kind == PX_O_NAME && is_call_param(operand->symbol) && !taken)
            px_complain(checker, PARAM_ADDRESS, operand->pos, operand->length, operand->u.name->text);
    }
}

void px_check_param_access(struct px_checker *checker, const struct px_inst *inst)
{
    px_word opcode = inst->opcode->word;
    const struct px_operand *base;
    if (px_opcode_in(opcode, PX_SET_param_address))
        check_addresses(checker, inst);
    else if (px_opcode_in(opcode, PX_SET_param_access) && (base = address_base(inst)))
        check_access(checker, inst, base);
}
