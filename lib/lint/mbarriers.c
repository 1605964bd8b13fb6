/*
 * mbarriers.c - mbarrier objects that a kernel waits on or signals and does not initialise.
 *
 * Judged are kernels without calls in which the address of every mbarrier.init is known, at least which
 * variable it lies in. An object at a known place is initialised by an init at that place, or by one that may
 * be anywhere in the variable; an object whose place in its variable is not known, by any init in it.
 */
#include "lint/flow.h"
#include "lint/numbers.h"
#include "lint/words.h"

enum { INITS_MAX = 64 }; /* a kernel with more is left alone */

struct inits {
    struct px_lint_number at[INITS_MAX];
    unsigned n;
};

static bool is_init(const struct px_inst *inst)
{
    return px_inst_in(inst, PX_SET_mbarrier_init);
}

/* False: something may initialise any object. */
static bool collect(struct inits *inits, const struct px_lint_numbers *numbers)
{
    const struct px_lint_flow *flow = numbers->flow;
    for (uint32_t i = 0; i < flow->nitems; i++) {
        const struct px_lint_item *item = &flow->items[i];
        if (px_lint_flags(item) & PX_OPERATION_calls) return false;
        if (!is_init(item->inst)) continue;
        const struct px_lint_number at = px_lint_number_of(numbers, i, item->inst->opds[0].u.list);
        if (!at.symbol || inits->n == INITS_MAX) return false;
        inits->at[inits->n++] = at;
    }
    return true;
}

static bool has_init(const struct inits *inits, struct px_lint_number object)
{
    for (unsigned i = 0; i < inits->n; i++) {
        const struct px_lint_number *init = &inits->at[i];
        const bool exact = init->bits == PX_LINT_EXACT && object.bits == PX_LINT_EXACT;
        if (init->symbol == object.symbol && (!exact || init->value == object.value)) return true;
    }
    return false;
}

static void complain(const struct px_lint_numbers *numbers, const struct px_operand *base,
                     struct px_lint_number object, unsigned inits)
{
    const struct px_lint_flow *flow = numbers->flow;
    struct px_diag *diag =
        px_lint_say(flow, LINT_NOT_INIT, base->pos, base->length, object.symbol->name->text);
    if (!inits)
        px_diag_note(&flow->module->diags, diag, "this kernel has no mbarrier.init and calls nothing");
    else if (object.bits == PX_LINT_EXACT)
        px_diag_note(&flow->module->diags, diag, "none of the %u mbarrier.init here is for %s%+lld", inits,
                     object.symbol->name->text, (long long)object.value);
    else
        px_diag_note(&flow->module->diags, diag, "none of the %u mbarrier.init here is for %s", inits,
                     object.symbol->name->text);
}

/* An object is told of once; kernels have few. */
static bool told_before(struct inits *told, struct px_lint_number object)
{
    if (told->n == INITS_MAX || has_init(told, object)) return true;
    told->at[told->n++] = object;
    return false;
}

void px_lint_mbarriers(struct px_lint_flow *flow, const struct px_lint_numbers *numbers)
{
    struct inits inits = {.n = 0}, told = {.n = 0};
    if (!flow->function->func->is_entry || !collect(&inits, numbers)) return;
    for (uint32_t i = 0; i < flow->nitems; i++) {
        const struct px_inst *inst = flow->items[i].inst;
        if (!flow->reached[flow->graph.node_of[i]] || is_init(inst)) continue;
        for (unsigned k = 0; k < inst->nopds; k++) {
            if (!px_lint_is_mbarrier(inst, k)) continue;
            const struct px_lint_number object = px_lint_number_of(numbers, i, inst->opds[k].u.list);
            if (object.symbol && !has_init(&inits, object) && !told_before(&told, object))
                complain(numbers, inst->opds[k].u.list, object, inits.n);
        }
    }
}
