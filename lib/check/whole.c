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

static void check_functions(struct px_checker *checker)
{
    struct ptx_module *module = checker->module;
    for (uint32_t i = 0; i < module->functions.n && !checker->stopped; i++) {
        const struct px_function *function = module->functions.at[i];
        if (function->func->body && function->func->nrets > 1)
            px_complain(checker, MANY_RETURNS_ABI, PX_NO_PLACE, 0, function->func->name->text);
    }
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
    px_check_address_size(checker);
    flush_late(checker);
    px_check_debug(checker);
    if (checker->diags->errors) return;
    px_check_resolved(checker);
    check_const_bytes(checker);
    check_functions(checker);
}
