/*
 * lint.c - runs the analyses over every function, and puts what they found into text order.
 *
 * What the analyses of a function need is gone before the next function, so the
 * memory is that of the largest one. It is an arena of its own; while it exists the
 * module's arena unwinds to here, where it is given back before unwinding goes on.
 */
#include "lint/lint.h"
#include <stdlib.h>
#include "lint/flow.h"
#include "lint/numbers.h"

static void analyse(struct ptx_module *module, const struct px_function *function, struct px_arena *scratch,
                    const struct px_lint_wanted *wanted)
{
    struct px_lint_flow flow;
    struct px_lint_values values;
    struct px_lint_numbers numbers;
    const bool has_graph = px_lint_flow(&flow, module, function, scratch, wanted);
    px_lint_registers(&flow);
    if (!has_graph) return;
    px_lint_reached(&flow);
    px_lint_assigned(&flow);
    px_lint_values(&values, &flow);
    px_lint_numbers(&numbers, &flow, &values);
    px_lint_spaces(&flow, &values);
    px_lint_places(&flow, &numbers);
    px_lint_counts(&flow, &numbers);
    px_lint_exchanges(&flow, &numbers);
    px_lint_aligned(&flow, &numbers);
    px_lint_async(&flow);
    px_lint_products(&flow);
    px_lint_mbarriers(&flow, &numbers);
    if (wanted->all) px_lint_barriers(&flow, &numbers);
}

/* `scratch` lies in the module's arena, so nothing that unwinding needs is a variable of this function. */
static void lint_function(struct ptx_module *module, const struct px_function *function,
                          struct px_arena *scratch, const struct px_lint_wanted *wanted)
{
    jmp_buf here, *const outer = module->arena.on_failure;
    px_arena_init(scratch, &module->alloc, &here);
    if (setjmp(here)) {
        px_arena_free(scratch);
        module->arena.on_failure = outer;
        longjmp(*outer, 1);
    }
    module->arena.on_failure = &here;
    analyse(module, function, scratch, wanted);
    module->arena.on_failure = outer;
    px_arena_free(scratch);
}

static int by_place(const void *a, const void *b)
{
    const struct px_diag *x = a, *y = b;
    if (x->pos != y->pos) return x->pos < y->pos ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

void px_lint(struct ptx_module *module, const struct px_lint_wanted *wanted)
{
    const uint32_t before = module->diags.list.n;
    struct px_arena *scratch = PX_NEW(&module->arena, struct px_arena);
    px_lint_prototypes(module, wanted->find);
    for (uint32_t i = 0; i < module->functions.n; i++)
        if (module->functions.at[i]->func->body)
            lint_function(module, module->functions.at[i], scratch, wanted);
    if (module->diags.list.n > before)
        qsort(module->diags.list.at + before, module->diags.list.n - before, sizeof *module->diags.list.at,
              by_place);
}
