/*
 * check.c - walks a module in text order.
 *
 * The header first, then every item: variables and functions are declared,
 * bodies checked where they stand. What ptxas reports only about a module
 * without errors (unresolved functions, memory limits) comes last.
 */
#include "check/check.h"
#include "check/checker.h"

static void check_item(struct px_checker *checker, const struct px_item *item)
{
    switch (item->kind) {
    case PX_I_VAR: px_declare_var(checker, item->u.var); break;
    case PX_I_FUNC: px_declare_func(checker, item->u.func); break;
    case PX_I_FILE: px_check_file(checker, item->u.file); break;
    case PX_I_SECTION: px_check_section(checker, item->u.section); break;
    case PX_I_ALIAS: px_check_alias(checker, item->u.alias); break;
    case PX_I_PRAGMA: px_check_pragma(checker, item->u.pragma, PX_PRAGMA_MODULE); break;
    default: break;
    }
}

void px_check(struct ptx_module *module)
{
    const struct px_tree *tree = &module->tree;
    struct px_checker checker = {.module = module, .diags = &module->diags};
    checker.late.arena = &module->arena;
    checker.version = tree->version ? tree->version : PTX_ISA_VERSION;
    px_scope_init(&checker.scope, &module->arena, &module->names);
    px_memo_init(&checker.memo, &module->arena);
    px_check_header(&checker);
    for (uint32_t i = 0; i < tree->nitems && !checker.stopped; i++) check_item(&checker, &tree->items[i]);
    if (!checker.stopped && tree->complete) px_check_target_version(&checker);
    if (!checker.stopped && !module->diags.errors && tree->complete) px_check_whole(&checker);
}
