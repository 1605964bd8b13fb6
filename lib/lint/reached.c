/*
 * reached.c - code that nothing leads to.
 *
 * One warning for each stretch of unreachable blocks. A stretch that only leaves
 * (ret, exit, trap, a branch) is a compiler's habit behind a call that does not
 * return, and is passed over.
 */
#include "lint/flow.h"

/* The first instruction of items first ... end - 1 that does more than leave; `end` when there is none. */
static uint32_t first_work(const struct px_lint_flow *flow, uint32_t first, uint32_t end)
{
    while (first < end && flow->items[first].ends &&
           !(px_lint_flags(&flow->items[first]) & PX_OPERATION_calls))
        first++;
    return first;
}

static void complain(const struct px_lint_flow *flow, uint32_t first, uint32_t end)
{
    if (first_work(flow, first, end) == end) return;
    const struct px_inst *inst = flow->items[first].inst;
    struct px_diag *diag = px_lint_say(flow, LINT_UNREACHABLE, inst->pos, inst->opcode->len);
    if (!first) return;
    px_diag_note(&flow->module->diags, diag,
                 "'%s' on line %u does not go on here, and no branch that is reached comes here",
                 flow->items[first - 1].inst->opcode->text, px_lint_item_line(flow, first - 1));
    px_lint_relate(flow, diag, first - 1, "this does not go on below");
}

void px_lint_reached(struct px_lint_flow *flow)
{
    for (uint32_t k = 0; k < flow->graph.nblocks; k++) {
        if (flow->reached[k]) continue;
        const uint32_t first = flow->graph.blocks[k].first;
        while (k < flow->graph.nblocks && !flow->reached[k]) k++;
        complain(flow, first, k < flow->graph.nblocks ? flow->graph.blocks[k].first : flow->nitems);
    }
}
