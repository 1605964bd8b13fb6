/*
 * bases.c - which variable the address of each access is computed from, for who checks accesses while they
 * run.
 */
#include "lint/bases.h"
#include "lint/flow.h"
#include "lint/numbers.h"

void px_lint_bases(struct ptx_module *module, const struct px_function *function, struct px_arena *arena,
                   px_lint_base_fn tell, void *user)
{
    static const struct px_lint_wanted nothing = {0};
    struct px_lint_flow flow;
    struct px_lint_values values;
    struct px_lint_numbers numbers;
    if (!px_lint_flow(&flow, module, function, arena, &nothing)) return;
    px_lint_values(&values, &flow);
    px_lint_numbers(&numbers, &flow, &values);
    for (uint32_t i = 0; i < flow.nitems; i++) {
        const struct px_inst *inst = flow.items[i].inst;
        for (unsigned k = 0; k < inst->nopds; k++) {
            const struct px_operand *o = &inst->opds[k];
            if (o->kind != PX_O_ADDR || !o->n) continue;
            const struct px_lint_number place = px_lint_number_of(&numbers, i, o->u.list);
            if (place.seen && place.symbol && place.symbol->kind == PX_SYM_VAR)
                tell(user, inst, k, place.symbol);
        }
    }
}
