/*
 * whole.c - what is asked of a module only when nothing else was wrong.
 *
 * ptxas answers these questions after reading, so they have no line: functions
 * without a body, memory totals, debug data, pragmas.
 */
#include "check/checker.h"
#include "match/match.h"

static uint64_t add_var(uint64_t bytes, const struct px_symbol *symbol, enum px_space space)
{
    if (symbol->kind != PX_SYM_VAR || symbol->space != space || symbol->linkage == PX_L_EXTERN) return bytes;
    uint64_t align = symbol->align ? symbol->align : 1;
    return (bytes + align - 1) / align * align + symbol->size;
}

uint64_t px_module_bytes(const struct ptx_module *module, enum px_space space)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < module->symbols.n; i++) bytes = add_var(bytes, module->symbols.at[i], space);
    for (uint32_t i = 0; i < module->functions.n; i++)
        for (uint32_t j = 0; j < module->functions.at[i]->vars.n; j++)
            bytes = add_var(bytes, module->functions.at[i]->vars.at[j], space);
    return bytes;
}

static void check_const_bytes(struct px_checker *checker)
{
    enum { CONST_MAX = 0x10000 };
    const uint64_t bytes = px_module_bytes(checker->module, PX_SPACE_CONST);
    if (bytes > CONST_MAX)
        px_complain(checker, CONST_BYTES, PX_NO_PLACE, 0, (unsigned long long)bytes, (unsigned)CONST_MAX);
}

/* True when a function gives up the calling convention. */
static bool check_returns(struct px_checker *checker)
{
    struct ptx_module *module = checker->module;
    bool many = false;
    for (uint32_t i = 0; i < module->functions.n && !checker->stopped; i++) {
        const struct px_function *function = module->functions.at[i];
        if (!function->func->body || function->func->nrets < 2) continue;
        px_complain(checker, MANY_RETURNS_ABI, PX_NO_PLACE, 0, function->func->name->text);
        many = true;
    }
    return many;
}

/* ---- the calling convention ---- */

static bool is_small(const struct px_var *var)
{
    const struct px_type_info *type = px_type_info((enum px_type)var->type);
    bool integer = px_type_is_integer(type);
    return type->klass == PX_TC_PRED || (integer && type->bits <= 16 && !var->ndims && var->vec <= 1);
}

bool px_small(const struct px_var *vars, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (is_small(&vars[i])) return true;
    return false;
}

/*
 * Functions that are called or defined take no predicates and no small integers. Only where -c asks for the
 * calling convention: functions of the host, which the VM calls by their signature, may have them.
 */
static void check_small(struct px_checker *checker)
{
    const struct ptx_module *module = checker->module;
    bool params = checker->small_params, returns = checker->small_returns;
    if (module->compilation != PTX_COMPILE_SEPARATE) return;
    for (uint32_t i = 0; i < module->functions.n; i++) {
        const struct px_func *func = module->functions.at[i]->func;
        if (!func->body || func->is_entry) continue;
        params |= px_small(func->params, func->nparams);
        returns |= px_small(func->rets, func->nrets);
    }
    if (params)
        px_complain(checker, SMALL_ABI, PX_NO_PLACE, 0, "passing predicate, 8-bit and 16-bit parameters to");
    else if (returns)
        px_complain(checker, SMALL_ABI, PX_NO_PLACE, 0, "returning predicate, 8-bit and 16-bit values from");
}

/* Divisions and roots that ptxas writes out as macros. */
void px_note_written_out(struct px_checker *checker, const struct px_inst *inst)
{
    checker->written_out |= px_inst_quirk(inst, PX_Q_written_out);
}

/* ---- functions ---- */

void px_note_tensor(struct px_checker *checker, const struct px_inst *inst)
{
    if (!px_inst_quirk(inst, PX_Q_one_cta_group)) return;
    checker->cta_groups |=
        (uint8_t)(px_inst_has(inst, PX_W_cta_group__1) | px_inst_has(inst, PX_W_cta_group__2) << 1);
}

void px_note_function(struct px_checker *checker)
{
    if (checker->cta_groups == 3 && checker->function)
        px_complain_late(checker, CTA_GROUPS, checker->function->func->name->text);
    checker->cta_groups = 0;
}

/* A rule of ptxas 13.0; other profiles have generic addresses of constants. */
static void check_const_pointers(struct px_checker *checker)
{
    const struct ptx_module *module = checker->module;
    bool found = false;
    if (module->profile != PTX_PROFILE_13_0) return;
    for (uint32_t i = 0; i < module->functions.n && checker->const_cvta; i++) {
        const struct px_func *func = module->functions.at[i]->func;
        for (unsigned k = 0; k < func->nparams && func->is_entry; k++)
            found |= func->params[k].ptr_space == PX_SPACE_CONST;
    }
    if (found) px_complain_late(checker, CONST_POINTERS);
}

/*
 * -c refuses what came before separate compilation; ptxas forgets the rule where it writes an instruction
 * out, as up to PTX 1.3 it does with every division.
 */
static void check_separate(struct px_checker *checker, bool no_abi)
{
    bool old = checker->version > 13 && checker->version < 31 && !checker->written_out;
    if (checker->module->compilation != PTX_COMPILE_SEPARATE) return;
    if (old || no_abi)
        px_complain(checker, COMPILE_ONLY, PX_NO_PLACE, 0, old ? "PTX ISA .version 3.1 or later" : "ABI");
    else if (checker->program_pragma && !checker->module->is_virtual)
        px_complain(checker, PRAGMA_SPILLING, PX_NO_PLACE, 0, checker->program_pragma->text);
}

/* What was noted on the way; where no code is made, ptxas says only that there will be no ABI. */
static void flush_late(struct px_checker *checker)
{
    struct px_diags *diags = checker->diags;
    for (uint32_t i = 0; i < checker->late.list.n; i++) {
        if (checker->module->is_virtual && checker->late.list.at[i].id != PX_D_MODULE_LOCAL) continue;
        px_vec_push(&checker->module->arena, &diags->list, checker->late.list.at[i]);
        diags->errors += checker->late.list.at[i].severity >= PTX_ERROR;
    }
}

/* ptxas makes the image of what is initialised, in an ELF section of less than 4 GiB. */
static void check_images(struct px_checker *checker)
{
    const struct ptx_module *module = checker->module;
    for (uint32_t i = 0; i < module->symbols.n && !checker->stopped; i++) {
        const struct px_symbol *symbol = module->symbols.at[i];
        if (symbol->kind == PX_SYM_VAR && symbol->space == PX_SPACE_GLOBAL && symbol->u.var->init &&
            px_type_info((enum px_type)symbol->type)->klass != PX_TC_OPAQUE && symbol->size > UINT32_MAX)
            px_complain_at(checker, PX_NO_PLACE, IMAGE_BYTES, symbol->pos, symbol->name->len);
    }
}

/* Names that stay open, and memory. */
static void check_parts(struct px_checker *checker)
{
    px_check_resolved(checker);
    if (!checker->stopped) px_check_uses(checker);
    if (!checker->stopped) check_images(checker);
    if (!checker->stopped) check_const_bytes(checker);
}

void px_check_whole(struct px_checker *checker)
{
    px_check_debug(checker);
    if (checker->unified && checker->module->compilation == PTX_COMPILE_WHOLE)
        px_complain(checker, UNIFIED_WHOLE, PX_NO_PLACE, 0);
    if (checker->diags->errors) return;
    px_check_arch(checker);
    if (checker->stopped) return;
    const bool is_virtual = checker->module->is_virtual;
    if (!is_virtual) px_check_address_size(checker);
    if (!is_virtual) check_const_pointers(checker);
    flush_late(checker);
    if (checker->diags->errors) return;
    if (!is_virtual) check_parts(checker);
    if (checker->stopped) return;
    bool no_abi = check_returns(checker) || checker->module_locals;
    check_separate(checker, no_abi);
    if (is_virtual) return;
    if (!no_abi && !checker->stopped && checker->version >= 31) check_small(checker);
    if (!checker->diags->errors) px_check_stacks(checker);
}
