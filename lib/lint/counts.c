/*
 * counts.c - numbers of threads and of barriers, held in registers, that no barrier takes.
 *
 * Written as constants, ptxas refuses them; what a register is known to hold it lets pass.
 */
#include "lint/flow.h"
#include "lint/numbers.h"
#include "match/match.h"

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

static void check_barrier(const struct px_lint_numbers *numbers, uint32_t i)
{
    const struct px_inst *inst = numbers->flow->items[i].inst;
    const struct px_operand *number = px_operand_of(inst, PX_SET_barrier_number),
                            *count = px_operand_of(inst, PX_SET_thread_count);
    if (number) check_number(numbers, i, number);
    if (count) check_count(numbers, i, count);
}

void px_lint_counts(struct px_lint_flow *flow, const struct px_lint_numbers *numbers)
{
    for (uint32_t i = 0; i < flow->nitems; i++)
        if (flow->reached[flow->graph.node_of[i]]) check_barrier(numbers, i);
}
