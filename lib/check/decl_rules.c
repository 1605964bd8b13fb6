/*
 * decl_rules.c - which types may be declared in which space and place.
 *
 * PTX ISA 5.1 to 5.4, with the views of ptxas where it differs from the manual.
 * Each rule complains for itself; several may.
 */
#include "check/checker.h"

#define COMPLAIN_NAMED(checker, id, var)                                                                     \
    px_complain(checker, id, (var)->pos, name_length(var), name_text(var))

static uint32_t name_length(const struct px_var *var)
{
    return var->name ? var->name->len : 1;
}

static const char *name_text(const struct px_var *var)
{
    return var->name ? var->name->text : "_";
}

static const struct px_type_info *type_of(const struct px_var *var)
{
    return px_type_info((enum px_type)var->type);
}

static bool is_opaque(const struct px_var *var)
{
    return type_of(var)->klass == PX_TC_OPAQUE;
}

/* ---- rules of every declaration ---- */

static void check_alignment(struct px_checker *checker, const struct px_var *var, uint64_t align)
{
    if (align > UINT32_MAX) px_complain(checker, OVERFLOW, var->pos, name_length(var));
    uint32_t cut = (uint32_t)align; /* as ptxas goes on with */
    if (!cut || (cut & (cut - 1))) px_complain(checker, ALIGN_POWER, var->pos, name_length(var));
}

static void check_vector(struct px_checker *checker, const struct px_var *var)
{
    if (var->vec == 1) return;
    if (is_opaque(var)) px_complain(checker, VECTOR_TYPE, var->pos, name_length(var));
    if (var->type == PX_T_PRED)
        px_complain(checker, PRED_SCALAR, var->pos, name_length(var));
    else if (px_var_element_size(var) > 16 || is_opaque(var))
        px_complain(checker, VECTOR_LARGE, var->pos, name_length(var));
}

static void check_versions(struct px_checker *checker, const struct px_var *var)
{
    if (var->type == PX_T_F16X2) px_requires(checker, PX_NEED_f16x2, var->pos, name_length(var));
    if (is_opaque(var) && !var->ndims) px_requires(checker, PX_NEED_opaque, var->pos, name_length(var));
    if (is_opaque(var) && var->init) px_requires(checker, PX_NEED_opaque_init, var->pos, name_length(var));
}

/* Type and vector: what parameters and variables have in common. Less is asked of a parameter that is not
 * `defined`: it is one of a declaration. */
static void check_common_type(struct px_checker *checker, const struct px_var *var, bool defined)
{
    bool param_array = var->space == PX_SPACE_PARAM && var->ndims;
    check_versions(checker, var);
    check_vector(checker, var);
    if (!defined) return;
    if (var->type == PX_T_B128) px_requires(checker, PX_NEED_b128, var->pos, name_length(var));
    if (!type_of(var)->declarable && !param_array)
        px_complain(checker, INSTRUCTION_TYPE, var->pos, name_length(var), type_of(var)->name);
    if (var->type == PX_T_PRED && var->space != PX_SPACE_REG) COMPLAIN_NAMED(checker, PRED_SPACE, var);
    if (var->type == PX_T_SAMPLERREF && !var->ndims &&
        !checker->module->texmode_independent) /* of arrays, ptxas asks nothing */
        px_complain(checker, TEXMODE, var->pos, name_length(var));
    if (var->space == PX_SPACE_REG && var->ndims) COMPLAIN_NAMED(checker, REG_ARRAY, var);
}

/* Space and alignment. */
static void check_common_place(struct px_checker *checker, const struct px_var *var)
{
    if (var->many_spaces) px_complain(checker, MANY_SPACES, var->pos, name_length(var));
    if (var->has_align) check_alignment(checker, var, var->align);
}

/* ---- attributes and linkage ---- */

void px_check_attributes(struct px_checker *checker, const struct px_attribute *attrs, unsigned n,
                         const struct px_var *var)
{
    for (unsigned i = 0; i < n; i++) {
        bool managed = attrs[i].word == PX_W_managed;
        const char *name = px_word_text(attrs[i].word);
        checker->unified |= !managed;
        px_requires(checker, PX_NEED_attribute, attrs[i].pos, 1);
        px_requires(checker, managed ? PX_NEED_managed : PX_NEED_unified, attrs[i].pos, 1);
        bool passes = managed && var && var->space == PX_SPACE_REG && var->has_range; /* with ptxas */
        if (var && var->space != PX_SPACE_GLOBAL && !passes)
            px_complain(checker, ATTRIBUTE_PLACE, attrs[i].pos, 1, name, name_text(var));
    }
}

static void check_linkage(struct px_checker *checker, const struct px_var *var)
{
    if (var->linkage == PX_L_WEAK) px_requires(checker, PX_NEED_weak, var->start, 1);
    if (var->linkage != PX_L_COMMON) return;
    px_requires(checker, PX_NEED_common, var->start, 1);
    if (var->space != PX_SPACE_GLOBAL)
        px_complain(checker, COMMON_SPACE, var->pos, name_length(var), ".common");
}

/* ---- spaces ---- */

static void check_opaque_place(struct px_checker *checker, const struct px_var *var)
{
    if (checker->function || var->space == PX_SPACE_REG)
        px_complain(checker, OPAQUE_SCOPE, var->pos, name_length(var));
    else if (var->space != PX_SPACE_GLOBAL && !var->ndims)
        px_complain(checker, OPAQUE_SPACE, var->pos, name_length(var));
    if (var->space == PX_SPACE_REG) COMPLAIN_NAMED(checker, REG_ARRAY, var);
}

/* The old .tex space held texture handles until PTX 1.4. */
static void check_tex(struct px_checker *checker, const struct px_var *var)
{
    if (var->type != PX_T_U32 && var->type != PX_T_U64)
        COMPLAIN_NAMED(checker, TEX_TYPE, var);
    else
        px_withdrawn(checker, ".tex", 15, var->pos, name_length(var));
}

static void check_bank(struct px_checker *checker, const struct px_var *var)
{
    if (px_withdrawn(checker, "explicit constant banks", 22, var->pos, name_length(var))) return;
    if (var->bank > 0) px_requires(checker, PX_NEED_banks, var->pos, name_length(var));
    if (var->bank > 10) px_complain(checker, CONST_BANK, var->pos, name_length(var), var->bank);
}

/* Before PTX 2.2 a bank other than the first held one array from outside, and the first none of these. */
static void check_bank_use(struct px_checker *checker, const struct px_var *var)
{
    bool incomplete = var->linkage == PX_L_EXTERN && var->unsized;
    if (checker->version < 22 && var->space == PX_SPACE_CONST && incomplete != (var->bank > 0))
        px_complain(checker, BANK_RESERVED, var->pos, name_length(var));
}

/* Until PTX 3.0 registers and local variables could stand at module scope, at the price of the ABI. */
static void note_module_local(struct px_checker *checker, const struct px_var *var)
{
    if (!checker->module_locals)
        px_complain_late(
            checker, MODULE_LOCAL,
            px_arena_printf(&checker->module->arena, "%s%s", name_text(var), var->has_range ? "<" : ""));
    checker->module_locals = true;
    checker->module->unrunnable = "has .reg or .local variables at module scope";
}

void px_check_old_param(struct px_checker *checker, const struct px_var *var, bool in_entry, bool in_body)
{
    if (checker->version >= 20) return;
    if (!in_entry) px_complain(checker, PARAM_OUTSIDE, var->pos, name_length(var));
    if (in_body && checker->version >= 14) px_complain(checker, PARAM_BODY, var->pos, name_length(var));
    if (in_body && checker->version < 14)
        checker->module->unrunnable = "has .param variables in a block of a kernel";
}

/* False when a variable of the space cannot be made at module scope at all. */
static bool check_module_space(struct px_checker *checker, const struct px_var *var)
{
    const bool old = checker->version < 30;
    if (old && (var->space == PX_SPACE_REG || var->space == PX_SPACE_LOCAL)) {
        note_module_local(checker, var);
        return true;
    }
    switch (var->space) {
    case PX_SPACE_REG: px_complain(checker, MODULE_SPACE, var->pos, name_length(var), "reg"); return true;
    case PX_SPACE_LOCAL: px_complain(checker, MODULE_SPACE, var->pos, name_length(var), "local"); return true;
    case PX_SPACE_PARAM: px_complain(checker, MODULE_PARAM, var->pos, name_length(var)); return false;
    default: return true;
    }
}

static bool check_space(struct px_checker *checker, const struct px_var *var)
{
    if (var->space == PX_SPACE_TEX) check_tex(checker, var);
    if (var->bank >= 0) check_bank(checker, var);
    check_bank_use(checker, var);
    const struct px_function *function = checker->function;
    const bool possible = function || check_module_space(checker, var);
    if (var->space == PX_SPACE_PARAM)
        px_check_old_param(checker, var, function && function->func->is_entry, function);
    return possible;
}

static void check_complete(struct px_checker *checker, const struct px_var *var)
{
    bool given = !var->ndims || var->dims[0] || (var->init && var->init->kind == PX_E_LIST), complete = true;
    for (unsigned i = 1; i < var->ndims; i++) complete &= var->dims[i] != 0;
    if (var->space == PX_SPACE_REG) return;
    if (!complete)
        px_complain(checker, ARRAY_OF_INCOMPLETE, var->pos, name_length(var));
    else if (!given && var->linkage != PX_L_EXTERN)
        COMPLAIN_NAMED(checker, INCOMPLETE, var);
}

bool px_check_place(struct px_checker *checker, const struct px_var *var)
{
    if (var->space == PX_SPACE_NONE) {
        px_complain(checker, NO_SPACE, var->pos, name_length(var));
        return false;
    }
    bool negative = var->range >> 63 && var->range != UINT64_MAX; /* no members, and no complaint by ptxas */
    if (var->has_range && var->range > UINT32_MAX && !negative)
        px_complain(checker, OVERFLOW, var->pos, name_length(var));
    check_common_place(checker, var);
    px_check_attributes(checker, var->attrs, var->nattrs, var);
    check_linkage(checker, var);
    if (var->init && var->linkage == PX_L_EXTERN &&
        (var->space == PX_SPACE_GLOBAL || var->space == PX_SPACE_CONST))
        COMPLAIN_NAMED(checker, INIT_EXTERN, var);
    if (var->linkage == PX_L_COMMON && is_opaque(var) && !var->ndims)
        px_complain(checker, COMMON_TYPE, var->pos, name_length(var));
    check_complete(checker, var);
    return check_space(checker, var);
}

/* Has it a type that only arrays of .param may have? */
static bool is_lone_pair(const struct px_var *var)
{
    return (var->type == PX_T_F16X2 || !type_of(var)->declarable) && !var->ndims;
}

void px_check_type(struct px_checker *checker, const struct px_var *var)
{
    if (is_opaque(var)) check_opaque_place(checker, var);
    check_common_type(checker, var, true);
    if (var->space == PX_SPACE_PARAM && ((var->vec > 1 && !var->ndims) || is_lone_pair(var)))
        COMPLAIN_NAMED(checker, PARAM_TYPE, var);
}

/* ".global .b32;" declares nothing, and ptxas looks at as little. */
void px_check_nameless(struct px_checker *checker, const struct px_var *var)
{
    check_common_place(checker, var);
    if (var->bank >= 0) check_bank(checker, var);
    check_vector(checker, var);
}

/* ---- parameters ---- */

/* A prototype (no func) is looked at less closely. */
static void check_param_space(struct px_checker *checker, const struct px_var *var,
                              const struct px_func *func)
{
    bool is_entry = func && func->is_entry, before_abi = checker->module->target.sm < 20;
    if (is_entry && var->space != PX_SPACE_PARAM)
        px_complain_at(checker, var->told, ENTRY_PARAM_SPACE, var->pos, name_length(var), name_text(var));
    else if (!is_entry && (var->space != PX_SPACE_REG && (var->space != PX_SPACE_PARAM || before_abi)))
        px_complain_at(checker, var->told, FUNC_PARAM_SPACE, var->pos, name_length(var), name_text(var));
    if (var->space == PX_SPACE_NONE) {
        if (func && func->body) px_complain(checker, NO_SPACE, var->pos, name_length(var));
        return;
    }
    if (func && var->space == PX_SPACE_PARAM) px_check_old_param(checker, var, is_entry, false);
    if (func && func->body && var->space == PX_SPACE_PARAM &&
        ((var->vec > 1 && !var->ndims) || is_lone_pair(var) || (is_opaque(var) && !is_entry)))
        COMPLAIN_NAMED(checker, PARAM_TYPE, var);
}

static void check_unsized(struct px_checker *checker, const struct px_var *var, bool is_entry, bool is_return)
{
    if (!var->unsized && !(var->ndims && !var->dims[0])) return;
    px_requires(checker, PX_NEED_unsized_param, var->pos, name_length(var));
    if (is_entry)
        px_complain_at(checker, var->told, UNSIZED_PARAM, var->pos, name_length(var),
                       "Parameter to entry function");
    else if (is_return)
        px_complain_at(checker, var->told, UNSIZED_PARAM, var->pos, name_length(var), "Output parameter");
}

static void check_ptr(struct px_checker *checker, const struct px_var *var, bool is_entry)
{
    if (!var->has_ptr) return;
    px_requires(checker, PX_NEED_ptr, var->pos, name_length(var));
    if (var->ptr_type) px_requires(checker, PX_NEED_ptr_opaque, var->pos, name_length(var));
    for (int i = 0; !is_entry && i <= var->ptr_has_align; i++)
        px_complain(checker, PTR_PLACE, var->pos, name_length(var));
    if (var->ptr_has_align) check_alignment(checker, var, var->ptr_align);
}

void px_check_param(struct px_checker *checker, const struct px_var *var, const struct px_func *func,
                    bool is_return)
{
    enum { PARAM_ALIGN_MAX = 128 };
    bool is_entry = func && func->is_entry;
    check_common_place(checker, var);
    check_param_space(checker, var, func);
    check_unsized(checker, var, is_entry, is_return);
    check_ptr(checker, var, is_entry);
    if (!is_entry && var->has_align && var->align > PARAM_ALIGN_MAX && func && func->body)
        COMPLAIN_NAMED(checker, ALIGN_PARAM, var);
    check_common_type(checker, var, func && func->body);
    if (func && func->body) px_check_attributes(checker, var->attrs, var->nattrs, var);
}
