/*
 * body.c - the body of one function: scopes, labels, operands.
 *
 * Entering a block binds its labels at once, since a branch may come before its
 * label; a name that also means something outside keeps that meaning until the
 * label is passed. Every operand gets its symbol before the instruction is held
 * against its form.
 */
#include <ctype.h>
#include <string.h>
#include "check/checker.h"
#include "match/note.h"

/* ---- names ---- */

static void note_unknown(struct px_checker *checker, struct px_name *name, px_pos pos)
{
    struct px_unknown unknown = {.name = name, .pos = pos};
    name->unknown = true;
    px_vec_push(&checker->module->arena, &checker->unknown, unknown);
}

/* A label further down hides an outer name only once it has been passed. */
static struct px_symbol *visible(struct px_symbol *symbol)
{
    if (symbol && symbol->kind == PX_SYM_LABEL && !symbol->defined && symbol->outer)
        return symbol->outer->kind == PX_SYM_RANGE ? symbol : symbol->outer;
    return symbol;
}

bool px_is_special_register(const struct px_name *name)
{
    return name->text[0] == '%' && name->word && px_sreg_of_word(name->word);
}

struct px_symbol *px_resolve(struct px_checker *checker, struct px_name *name, px_pos pos)
{
    bool made = false;
    struct px_symbol *symbol = visible(px_scope_find(&checker->scope, name, &made));
    if (made) px_range_member(checker, symbol);
    if (symbol && symbol->kind == PX_SYM_REG && !symbol->level && checker->function)
        symbol = px_register_here(checker, symbol);
    if (!symbol && !px_is_special_register(name)) note_unknown(checker, name, pos);
    return symbol;
}

bool px_was_unknown(const struct px_name *name)
{
    return name->unknown;
}

/* A constant that the parser could not fold: its faults are reported, then its value is used. */
static void fold(struct px_checker *checker, struct px_operand *operand)
{
    struct px_const value = px_evaluate(checker, operand->u.expr);
    operand->kind = value.kind == PX_CONST_F32 ? PX_O_F32 : value.kind == PX_CONST_F64 ? PX_O_F64 : PX_O_INT;
    operand->is_unsigned = value.kind == PX_CONST_U64;
    operand->u.i = value.bits;
}

/* Special registers came one by one with versions and targets. */
static void check_special(struct px_checker *checker, const struct px_operand *operand)
{
    const struct px_name *name = operand->u.name;
    if (!px_is_special_register(name)) return;
    const struct px_sreg *sreg = px_sreg_of_word(name->word);
    px_needs_feature(checker, name->text, sreg->min_ptx, sreg->min_sm, operand->pos, operand->length);
    if (sreg->directive && !px_has_directive(checker->function->func, sreg->directive))
        px_complain(checker, SREG_DIRECTIVE, operand->pos, operand->length, name->text,
                    px_directive_of_word(sreg->directive)->text);
}

static void resolve_name(struct px_checker *checker, struct px_operand *operand)
{
    operand->symbol = px_resolve(checker, operand->u.name, operand->pos);
    if (operand->symbol && operand->symbol->level == 0) {
        px_check_withdrawn(checker, operand->symbol, operand->pos);
        px_note_use(checker, operand->symbol);
    }
    if (!operand->symbol) check_special(checker, operand);
    if (operand->has_selector) px_check_selector(checker, operand);
    if (operand->bad_offset) {
        px_evaluate_integer(checker, operand->wrong_offset);
        operand->offset = 0;
    }
}

/* Numbers in brackets are integers. */
static void resolve_place(struct px_checker *checker, const struct px_operand *place)
{
    if (place->kind == PX_O_F32 || place->kind == PX_O_F64)
        px_complain(checker, INTEGER_EXPECTED, place->pos, place->length);
}

/* In name[i] the name is an array, and i an integer. */
static void check_index(struct px_checker *checker, const struct px_operand *operand)
{
    const struct px_operand *base = &operand->u.list[0], *index = &operand->u.list[1];
    const struct px_symbol *array = base->symbol, *symbol = index->kind == PX_O_NAME ? index->symbol : NULL;
    bool variable = array && (array->kind == PX_SYM_VAR || array->kind == PX_SYM_PARAM);
    if ((array && !variable) || (variable && array->u.var && !array->u.var->ndims)) {
        px_complain(checker, INDEX_BASE, operand->pos, operand->length);
        return;
    }
    if (!symbol) return;
    if (symbol->kind == PX_SYM_VAR || symbol->kind == PX_SYM_PARAM) return;
    const struct px_type_info *type = symbol->kind == PX_SYM_REG ? px_type_info(symbol->type) : NULL;
    if (!type || type->klass == PX_TC_FLOAT || type->klass == PX_TC_PRED)
        px_complain(checker, INDEX_TYPE, index->pos, index->length, symbol->name->text, type ? "." : "",
                    type ? px_word_text(type->word) : "(null)");
    else if (type->bits > 64)
        px_complain(checker, INDEX_WIDE, index->pos, index->length);
}

/* In braces stand single values, whatever the instruction. */
static void check_element(struct px_checker *checker, const struct px_operand *element)
{
    if (element->kind != PX_O_NAME || element->has_selector) return;
    const struct px_symbol *symbol = element->symbol;
    const struct px_name *name = element->u.name;
    if (symbol ? symbol->kind == PX_SYM_REG && symbol->vec > 1
               : px_is_special_register(name) && px_sreg_of_word(name->word)->components > 1)
        px_complain(checker, EXPRESSION, element->pos, element->length, name->text);
}

static void resolve_operand(struct px_checker *checker, struct px_operand *operand)
{
    switch (operand->kind) {
    case PX_O_NAME: resolve_name(checker, operand); break;
    case PX_O_EXPR: fold(checker, operand); break;
    case PX_O_VEC:
        for (uint16_t i = 0; i < operand->n; i++) {
            resolve_operand(checker, &operand->u.list[i]);
            check_element(checker, &operand->u.list[i]);
        }
        break;
    case PX_O_ADDR:
    case PX_O_LIST:
    case PX_O_PAIR:
    case PX_O_INDEX:
        for (uint16_t i = 0; i < operand->n; i++) resolve_operand(checker, &operand->u.list[i]);
        if (operand->kind == PX_O_ADDR) resolve_place(checker, &operand->u.list[0]);
        if (operand->kind == PX_O_INDEX) resolve_place(checker, &operand->u.list[1]);
        if (operand->kind == PX_O_INDEX) check_index(checker, operand);
        break;
    default: break;
    }
}

/* Is `at`, where `name` is found, the label itself? */
static bool is_label(const struct ptx_module *module, const char *at, const struct px_name *name)
{
    const char *text = module->source.text, *end = at + name->len;
    if (at > text && (at[-1] == '_' || at[-1] == '$' || at[-1] == '%' || isalnum((unsigned char)at[-1])))
        return false;
    return end[strspn(end, " \t")] == ':';
}

/* Where a label of this name stands that is not known here; NULL: nowhere. */
static const char *note_label(struct px_checker *checker, struct px_diag *diag, const struct px_name *name)
{
    struct ptx_module *module = checker->module;
    const struct px_func *func = checker->function->func;
    const char *text = module->source.text, *at = text;
    while ((at = strstr(at, name->text)) && !is_label(module, at, name)) at += name->len;
    if (!at) return NULL;
    const px_pos pos = (px_pos)(at - text);
    const bool inside = pos > func->start && pos < func->end;
    px_diag_relate(checker->diags, diag, pos, name->len, "the label '%s' is here", name->text);
    return px_arena_printf(&module->arena, "the label of line %u is in another %s", px_note_line(module, pos),
                           inside ? "block: only that block and those inside it know it" : "function");
}

static void note_meant(struct px_checker *checker, struct px_diag *diag, const struct px_name *name,
                       const char *meant, bool alone)
{
    px_diag_note(checker->diags, diag, "did you mean '%s'?", meant);
    px_fix_text(checker->module, diag, diag->pos, diag->length, meant,
                alone && px_note_differs_in_letters(name->text, meant));
}

/* The first few get a note with the nearest visible name; searching for each would not be linear. */
static void complain_unknown(struct px_checker *checker, const struct px_unknown *unknown, uint32_t number)
{
    enum { NOTES_MAX = 8 };
    const struct px_name *name = unknown->name;
    struct px_diag *diag =
        px_diag_add(checker->diags, PX_D_UNKNOWN_SYMBOL, unknown->pos, name->len, name->text);
    const struct px_name *base = px_scope_base(&checker->scope, name);
    diag->follows = name->faulty || (base && base->faulty);
    if (number >= NOTES_MAX) return;
    const char *later = px_note_later(checker->module, name, unknown->pos),
               *end = later ? later : px_note_range_end(checker->module, name),
               *label = end || checker->searched++ >= NOTES_MAX ? NULL : note_label(checker, diag, name),
               *special = px_note_special(checker->module, name);
    bool alone = true;
    if (end) px_note_relate_name(checker->module, diag, name);
    if (!end) end = label;
    const struct px_name *near =
        end || special ? NULL : px_nearest_name(&checker->module->names, name, &alone);
    const char *meant = special ? special : near ? near->text : NULL;
    if (end)
        px_diag_note(checker->diags, diag, "%s", end);
    else if (meant)
        note_meant(checker, diag, name, meant, alone);
}

/* A body that a syntax error cut short does not come to this. */
static void report_unknown(struct px_checker *checker)
{
    bool cut = checker->function->func->cut;
    uint32_t from = checker->diags->list.n;
    for (uint32_t i = 0; i < checker->unknown.n && !checker->stopped && !cut; i++) {
        const struct px_unknown *unknown = &checker->unknown.at[i];
        complain_unknown(checker, unknown, i);
    }
    px_follow_unknown(checker, from);
    px_follow_end_function(checker);
    for (uint32_t i = 0; i < checker->unknown.n; i++) checker->unknown.at[i].name->unknown = false;
    checker->unknown.n = 0;
}

/* ---- labels and tables ---- */

static void bind_labels(struct px_checker *checker, const struct px_block *block)
{
    for (uint32_t i = 0; i < block->n; i++) {
        struct px_stmt *stmt = block->list[i];
        if (stmt->kind != PX_S_LABEL || px_scope_here(&checker->scope, stmt->u.label)) continue;
        struct px_symbol *label = px_symbol_new(checker, PX_SYM_LABEL, stmt->u.label, stmt->pos);
        label->index = checker->function->nlabels++;
        label->u.stmt = stmt;
        px_scope_bind(&checker->scope, label);
    }
}

static void duplicate_label(struct px_checker *checker, struct px_name *name, px_pos pos)
{
    const uint32_t before = checker->diags->list.n;
    px_complain(checker, DUPLICATE_LABEL, pos, name->len, name->text);
    px_note_duplicate(checker, before, px_scope_here(&checker->scope, name));
}

static void check_label(struct px_checker *checker, struct px_stmt *stmt)
{
    struct px_symbol *here = px_scope_here(&checker->scope, stmt->u.label);
    if (here && here->kind == PX_SYM_LABEL && here->u.stmt == stmt)
        here->defined = true;
    else
        duplicate_label(checker, stmt->u.label, stmt->pos);
}

static struct px_symbol *bind_table(struct px_checker *checker, enum px_symbol_kind kind,
                                    struct px_name *name, px_pos pos)
{
    if (px_scope_here(&checker->scope, name)) {
        duplicate_label(checker, name, pos);
        return NULL;
    }
    struct px_symbol *table = px_symbol_new(checker, kind, name, pos);
    table->defined = true;
    px_scope_bind(&checker->scope, table);
    return table;
}

/* name<N> in .branchtargets stands for name0 ... name(N-1). */
static void resolve_target_range(struct px_checker *checker, const struct px_operand *range)
{
    enum { MISSING_MAX = 100 }; /* more unknown members would only repeat themselves */
    uint32_t known = checker->unknown.n;
    for (int64_t i = 0; i < range->offset && !checker->stopped; i++) {
        if (checker->unknown.n - known > MISSING_MAX) return;
        const char *text =
            px_arena_printf(&checker->module->arena, "%s%lld", range->u.name->text, (long long)i);
        size_t length = range->u.name->len;
        while (text[length]) length++;
        px_resolve(checker, px_names_intern(&checker->module->names, text, length), range->pos);
    }
}

static void check_targets(struct px_checker *checker, struct px_stmt *stmt)
{
    bool branch = stmt->kind == PX_S_TARGETS;
    enum px_symbol_kind kind = branch ? PX_SYM_BRANCH_TARGETS : PX_SYM_CALL_TARGETS;
    struct px_symbol *table = bind_table(checker, kind, stmt->u.targets.label, stmt->pos);
    if (table) table->u.stmt = stmt;
    for (uint32_t i = 0; i < stmt->u.targets.n; i++) {
        struct px_operand *target = &stmt->u.targets.list[i];
        if (target->has_offset)
            resolve_target_range(checker, target);
        else
            target->symbol = px_resolve(checker, target->u.name, target->pos);
    }
    px_check_targets(checker, stmt);
}

static void check_proto(struct px_checker *checker, struct px_stmt *stmt)
{
    struct px_proto *proto = stmt->u.proto;
    struct px_symbol *symbol = bind_table(checker, PX_SYM_PROTO, proto->label, stmt->pos);
    if (symbol) symbol->u.proto = proto;
    px_check_proto(checker, proto);
}

/* ---- statements ---- */

static void check_bank(struct px_checker *checker, int bank, px_pos pos, uint32_t length)
{
    if (px_withdrawn(checker, "explicit constant banks", 22, pos, length)) return;
    if (bank > 0) px_requires(checker, PX_NEED_banks, pos, length);
    if (bank > 10) px_complain(checker, CONST_BANK, pos, length, bank);
}

static void check_banks(struct px_checker *checker, const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nmods; i++)
        if (inst->mods[i].bank)
            check_bank(checker, inst->mods[i].bank - 1, inst->mods[i].pos, inst->mods[i].name->len);
}

/* Functions have had addresses since PTX 2.1, kernels since 3.1. */
static void check_function_address(struct px_checker *checker, const struct px_inst *inst)
{
    struct px_symbol *symbol = inst->nopds == 2 ? inst->opds[1].symbol : NULL;
    if (!symbol || (symbol->kind != PX_SYM_FUNC && symbol->kind != PX_SYM_ENTRY)) return;
    if (!px_inst_quirk(inst, PX_Q_function_address)) return;
    px_note_address(checker, symbol);
    const bool kernel = symbol->kind == PX_SYM_ENTRY;
    px_requires(checker, kernel ? PX_NEED_kernel_address : PX_NEED_function_address, inst->pos,
                inst->opcode->len);
    if (kernel && checker->module->target.sm < 35)
        px_complain(checker, INST_NEEDS_SM, inst->pos, inst->opcode->len, "kernel function address", 35u);
}

/* ptxas is one token past the opcode when it speaks of the whole instruction. */
static void judge(struct px_checker *checker, const struct px_inst *inst, uint32_t before)
{
    px_pos told = px_source_behind(&checker->module->source, inst->pos + inst->opcode->len);
    for (uint32_t i = before; i < checker->diags->list.n; i++) {
        struct px_diag *diag = &checker->diags->list.at[i];
        if (diag->pos == inst->pos) diag->told = told;
    }
    px_follow_instruction(checker, inst, before);
}

static void check_inst(struct px_checker *checker, struct px_inst *inst)
{
    uint32_t before = checker->diags->list.n;
    if (checker->module->tree.has_banks) check_banks(checker, inst);
    for (unsigned i = 0; i < inst->nopds; i++) resolve_operand(checker, &inst->opds[i]);
    if (inst->guard) resolve_operand(checker, inst->guard);
    if (inst->opcode->word == PX_W_call) px_check_call(checker, inst);
    if (checker->stopped) return;
    px_check_inst(checker->module, &checker->memo, inst);
    px_note_specific(checker, inst);
    px_check_param_access(checker, inst);
    check_function_address(checker, inst);
    px_check_address_width(checker, inst);
    if (checker->version < 31) px_note_written_out(checker, inst);
    px_note_tensor(checker, inst);
    checker->const_cvta |= px_inst_quirk(inst, PX_Q_const_address);
    if (inst->guard && inst->guard->kind == PX_O_NAME && !inst->guard->symbol &&
        !px_is_special_register(inst->guard->u.name))
        px_complain(checker, PREDICATE, inst->pos, inst->opcode->len);
    if (checker->diags->list.n > before) judge(checker, inst, before);
}

static void check_block(struct px_checker *checker, const struct px_block *block);

static void check_nested(struct px_checker *checker, const struct px_block *block)
{
    px_scope_enter(&checker->scope);
    check_block(checker, block);
    px_scope_leave(&checker->scope);
}

static void declare(struct px_checker *checker, struct px_var *var)
{
    const bool outermost = px_scope_level(&checker->scope) == 1;
    if (!outermost || !px_is_body_param(checker, checker->function->func, var)) px_declare_var(checker, var);
}

static void check_stmt(struct px_checker *checker, struct px_stmt *stmt, const struct px_stmt *before)
{
    switch (stmt->kind) {
    case PX_S_INST: check_inst(checker, &stmt->u.inst); break;
    case PX_S_LABEL: check_label(checker, stmt); break;
    case PX_S_VAR: declare(checker, stmt->u.var); break;
    case PX_S_NOTHING: px_check_nameless(checker, stmt->u.var); break;
    case PX_S_TARGET: px_check_target(checker, &stmt->u.target); break;
    case PX_S_BLOCK: check_nested(checker, &stmt->u.block); break;
    case PX_S_LOC: px_check_loc(checker, stmt, before); break;
    case PX_S_PRAGMA: px_check_pragma(checker, stmt->u.pragma, PX_PRAGMA_STATEMENT); break;
    case PX_S_TARGETS:
    case PX_S_CALLTARGETS: check_targets(checker, stmt); break;
    case PX_S_PROTO: check_proto(checker, stmt); break;
    case PX_S_FUNC: px_declare_func(checker, stmt->u.func); break;
    default: break;
    }
}

static void check_block(struct px_checker *checker, const struct px_block *block)
{
    bind_labels(checker, block);
    for (uint32_t i = 0; i < block->n && !checker->stopped; i++) {
        check_stmt(checker, block->list[i], i ? block->list[i - 1] : NULL);
        px_go_on(checker);
    }
}

void px_check_body(struct px_checker *checker, const struct px_block *body)
{
    check_block(checker, body);
    px_note_function(checker);
    report_unknown(checker);
}
