/*
 * check.c - reads a module and checks it in text order.
 *
 * The checker watches the parser: every function is checked as soon as it was
 * read, so that with `check_only` one body is in memory at a time. The header
 * comes first, then every item: variables and functions are declared, bodies
 * checked where they stand. What ptxas reports only about a module without
 * errors (unresolved functions, memory limits) comes last, and the syntax error
 * that ended the text behind all that came before it.
 */
#include "check/check.h"
#include "check/checker.h"
#include "front/parse.h"

static void check_item(struct px_checker *checker, const struct px_item *item)
{
    switch (item->kind) {
    case PX_I_VAR: px_declare_var(checker, item->u.var); break;
    case PX_I_FUNC: px_declare_func(checker, item->u.func); break;
    case PX_I_FILE: px_check_file(checker, item->u.file); break;
    case PX_I_SECTION: px_check_section(checker, item->u.section); break;
    case PX_I_SOURCE: px_check_source(checker, item->u.source); break;
    case PX_I_ALIAS: px_check_alias(checker, item->u.alias); break;
    case PX_I_NOTHING: px_check_nameless(checker, item->u.var); break;
    case PX_I_PRAGMA: px_check_pragma(checker, item->u.pragma, PX_PRAGMA_MODULE); break;
    default: break;
    }
}

static bool check_items(void *user, const struct px_item *items, uint32_t n, struct px_arena *bodies)
{
    struct px_checker *checker = user;
    if (!checker->begun) {
        checker->begun = true;
        checker->scope.bodies = bodies;
        checker->version = checker->module->tree.version ? checker->module->tree.version : PTX_ISA_VERSION;
        px_check_header(checker);
    }
    for (; checker->nitems < n && !checker->stopped; checker->nitems++) {
        check_item(checker, &items[checker->nitems]);
        px_go_on(checker);
    }
    return !checker->stopped;
}

/* Instructions give fatal messages too, after which only checking goes on. */
static bool has_fatal(const struct px_diags *diags)
{
    for (uint32_t i = 0; i < diags->list.n; i++)
        if (diags->list.at[i].severity == PTX_FATAL) return true;
    return false;
}

static void append(struct px_diags *diags, const struct px_diags *more)
{
    for (uint32_t i = 0; i < more->list.n; i++) px_vec_push(diags->arena, &diags->list, more->list.at[i]);
    diags->errors += more->errors;
}

/* The syntax error that ends the text is the last; those behind which it went on stand where they are. */
static void add_syntax(struct ptx_module *module, const struct px_diags *syntax)
{
    if (module->recovers || !has_fatal(&module->diags)) append(&module->diags, syntax);
    if (module->recovers) px_diags_sort(&module->diags);
}

void px_check(struct ptx_module *module)
{
    const struct px_tree *tree = &module->tree;
    struct px_checker checker = {.module = module, .diags = &module->diags};
    struct px_diags syntax = {.arena = &module->arena, .max_errors = module->max_errors};
    const struct px_watch watch = {check_items, &checker, module->check_only, module->recovers};
    checker.late.arena = &module->arena;
    px_scope_init(&checker.scope, &module->arena, &module->names);
    px_memo_init(&checker.memo, &module->arena);
    px_parse(&module->arena, &module->names, &module->source, &syntax, &module->tree, &watch);
    if (!checker.stopped && tree->complete && tree->nitems) px_check_target_version(&checker);
    if (!checker.stopped && !module->diags.errors && tree->complete) px_check_whole(&checker);
    px_follow_requirements(&checker);
    add_syntax(module, &syntax);
}
