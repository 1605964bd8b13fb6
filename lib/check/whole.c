/*
 * whole.c - what is asked of a module only when nothing else was wrong.
 *
 * ptxas answers these questions after reading, so they have no line: functions
 * without a body, memory totals, debug data, pragmas.
 */
#include "check/checker.h"

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

/*
 * -c refuses what came before separate compilation. Up to PTX 1.3 ptxas forgets the rule where a
 * double-precision division or root is in the module; here it starts at 1.4.
 */
static void check_separate(struct px_checker *checker, bool no_abi)
{
    bool old = checker->version > 13 && checker->version < 31;
    if (checker->module->compilation != PTX_COMPILE_SEPARATE) return;
    if (old || no_abi)
        px_complain(checker, COMPILE_ONLY, PX_NO_PLACE, 0, old ? "PTX ISA .version 3.1 or later" : "ABI");
    else if (checker->program_pragma)
        px_complain(checker, PRAGMA_SPILLING, PX_NO_PLACE, 0, checker->program_pragma->text);
}

/* What was noted on the way. */
static void flush_late(struct px_checker *checker)
{
    struct px_diags *diags = checker->diags;
    for (uint32_t i = 0; i < checker->late.list.n; i++) {
        px_vec_push(&checker->module->arena, &diags->list, checker->late.list.at[i]);
        diags->errors += checker->late.list.at[i].severity >= PTX_ERROR;
    }
}

void px_check_whole(struct px_checker *checker)
{
    px_check_debug(checker);
    if (checker->unified && checker->module->compilation == PTX_COMPILE_WHOLE)
        px_complain(checker, UNIFIED_WHOLE, PX_NO_PLACE, 0);
    if (checker->diags->errors) return;
    px_check_arch(checker);
    if (checker->stopped) return;
    px_check_address_size(checker);
    flush_late(checker);
    if (checker->diags->errors) return;
    px_check_resolved(checker);
    if (!checker->stopped) px_check_uses(checker);
    if (checker->stopped) return;
    check_const_bytes(checker);
    check_separate(checker, check_returns(checker) || checker->module_locals);
}
