/*
 * counts.c - numbers of threads and of barriers, held in registers, that no barrier takes.
 *
 * Written as constants, ptxas refuses them; what a register is known to hold it lets pass.
 */
#include "lint/flow.h"
#include "lint/numbers.h"

static void check_count(const struct px_lint_numbers *numbers, uint32_t item,
                        const struct px_operand *operand)
{
    const struct px_lint_number count = px_lint_number_of(numbers, item, operand);
    if (operand->kind == PX_O_INT || !px_lint_is_constant(count) || count.value % 32 == 0) return;
    px_lint_say(numbers->flow, LINT_COUNT, operand->pos, operand->length, (unsigned)count.value);
}

static void check_number(const struct px_lint_numbers *numbers, uint32_t item,
                         const struct px_operand *operand)
{
    const struct px_lint_number number = px_lint_number_of(numbers, item, operand);
    if (operand->kind == PX_O_INT || !px_lint_is_constant(number) || number.value < 16) return;
    px_lint_say(numbers->flow, LINT_BARRIER_NUMBER, operand->pos, operand->length, (unsigned)number.value);
}

/* A reduction has a result before the barrier and a predicate behind the count. */
static void check_barrier(const struct px_lint_numbers *numbers, uint32_t i)
{
    const struct px_lint_item *item = &numbers->flow->items[i];
    const bool reduces = item->op == PX_OP_bar_red;
    if (!(px_op_flags(item->op) & PX_OPF_barrier)) return;
    check_number(numbers, i, &item->inst->opds[reduces]);
    if (item->inst->nopds > (reduces ? 3 : 1)) check_count(numbers, i, &item->inst->opds[1 + reduces]);
}

void px_lint_counts(struct px_lint_flow *flow, const struct px_lint_numbers *numbers)
{
    for (uint32_t i = 0; i < flow->nitems; i++)
        if (flow->reached[flow->graph.node_of[i]]) check_barrier(numbers, i);
}
