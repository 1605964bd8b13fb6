/*
 * aligned.c - instructions for whole warps that only some lanes of a warp may execute.
 *
 * Divergent is what differs between the lanes of a warp for certain: %laneid, lane masks, %tid.x, the
 * predicate of elect, and what arithmetic makes of these as long as it keeps the lanes apart. A comparison
 * counts only when it is with a constant that does not lie between two warps; warp numbers (%tid.x / 32),
 * what comes from memory, and whatever instructions between lanes return do not count. A way that only leaves
 * the function is no parting: compilers return early in lanes that have nothing to do.
 */
#include "lint/divergence.h"
#include "gen/isa_sregs.h"
#include "lint/words.h"

/* ---- what differs between lanes ---- */

static bool differs(const struct px_function *function, const struct px_sreg *sreg, unsigned axis)
{
    if (sreg->op == PX_SR_tid && (axis || function->reqntid[0] == 1 || function->maxntid[0] == 1))
        return false;
    return sreg->differs == PX_DIFFERS_lanes;
}

static bool is_source(const struct px_lint_flow *flow, const struct px_lint_item *item)
{
    if (px_lint_flags(item) & PX_OPERATION_differs) return true;
    return item->result == PX_RESULT_copy && px_lint_flags(item) & PX_OPERATION_plain &&
           px_lint_names(&item->inst->opds[1], differs, flow->function);
}

/* Operand i as a constant; false: it is none. */
static bool constant(const struct px_lint_divergence *d, uint32_t item, unsigned i, uint64_t *value)
{
    const struct px_lint_number number =
        px_lint_number_of(d->numbers, item, &d->flow->items[item].inst->opds[i]);
    *value = number.value;
    return px_lint_is_constant(number);
}

/* Is the comparison with the constant the same for all lanes whose numbers differ in the low five bits? */
static bool lies_between_warps(px_word comparison, uint64_t value)
{
    switch (comparison) {
    case PX_W_lt:
    case PX_W_lo:
    case PX_W_ge:
    case PX_W_hs: return value % 32 == 0;
    case PX_W_le:
    case PX_W_ls:
    case PX_W_gt:
    case PX_W_hi: return value % 32 == 31;
    default: return false;
    }
}

static bool compares(const struct px_lint_divergence *d, uint32_t item, const struct px_operand *operand)
{
    const struct px_inst *inst = d->flow->items[item].inst;
    uint64_t value;
    if (operand != &inst->opds[1]) return operand != &inst->opds[2]; /* the predicate that is combined */
    return constant(d, item, 2, &value) && !lies_between_warps(inst->mods[0].name->word, value);
}

/* Arithmetic on integers that keeps different lanes apart. */
static bool hands_on(const struct px_lint_divergence *d, uint32_t ref)
{
    const struct px_lint_ref *at = &d->flow->refs[ref];
    const struct px_inst *inst = d->flow->items[at->item].inst;
    uint64_t value;
    switch ((enum px_result)d->flow->items[at->item].result) {
    case PX_RESULT_copy:
    case PX_RESULT_conversion:
    case PX_RESULT_sum:
    case PX_RESULT_difference:
    case PX_RESULT_product:
    case PX_RESULT_product_sum:
    case PX_RESULT_left_shift:
    case PX_RESULT_union:
    case PX_RESULT_exclusion:
    case PX_RESULT_complement:
    case PX_RESULT_negation: return true;
    case PX_RESULT_intersection: {
        const unsigned other = at->operand == &inst->opds[1] ? 2 : 1;
        return px_lint_has_word(inst, PX_W_pred) || (constant(d, at->item, other, &value) && value % 32);
    }
    case PX_RESULT_comparison: return compares(d, at->item, at->operand);
    case PX_RESULT_right_shift: return constant(d, at->item, 2, &value) && value < 5;
    case PX_RESULT_remainder: return constant(d, at->item, 2, &value) && value <= 32;
    default: return false;
    }
}

/* ---- where lanes part ---- */

/* Is there nothing from here on but leaving the function? */
static bool only_leaves(const struct px_lint_flow *flow, uint32_t node)
{
    enum { LOOK_AT = 8 };
    for (unsigned n = 0; n < LOOK_AT && node != flow->graph.end; n++) {
        const struct px_flow_block *block = &flow->graph.blocks[node];
        const uint32_t first = flow->graph.succ.first[node];
        if (block->n != 1 || !flow->items[block->first].ends || flow->graph.succ.first[node + 1] - first != 1)
            return false;
        node = flow->graph.succ.to[first];
    }
    return node == flow->graph.end;
}

static bool parts_stayers(const struct px_lint_flow *flow, uint32_t node)
{
    for (uint32_t i = flow->graph.succ.first[node]; i < flow->graph.succ.first[node + 1]; i++)
        if (only_leaves(flow, flow->graph.succ.to[i])) return false;
    return true;
}

static bool parts(const struct px_lint_flow *flow, uint32_t node)
{
    (void)flow;
    (void)node;
    return true;
}

/* ---- all ---- */

/* The aligned instructions that are (or are not) barriers of the block. */
static bool is_meant(const struct px_lint_flow *flow, uint32_t i, bool barriers)
{
    const struct px_lint_item *item = &flow->items[i];
    return flow->reached[flow->graph.node_of[i]] && px_lint_is_aligned(item->inst) &&
           !(px_lint_flags(item) & PX_OPERATION_barrier) == !barriers;
}

static bool has_meant(const struct px_lint_flow *flow, bool barriers)
{
    for (uint32_t i = 0; i < flow->nitems; i++)
        if (is_meant(flow, i, barriers)) return true;
    return false;
}

static void judge(struct px_lint_flow *flow, const struct px_lint_numbers *numbers, bool barriers)
{
    const struct px_lint_parting rule = {is_source, hands_on, barriers ? parts_stayers : parts};
    struct px_lint_divergence d;
    struct px_lint_cause cause;
    if (!has_meant(flow, barriers)) return;
    px_lint_divergence(&d, flow, numbers, &rule);
    for (uint32_t i = 0; i < flow->nitems; i++) {
        const struct px_inst *inst = flow->items[i].inst;
        if (!is_meant(flow, i, barriers) || !px_lint_is_parted(&d, i, &cause)) continue;
        flow->lanes_part[i] = true;
        px_lint_note_cause(
            flow, px_lint_say(flow, LINT_ALIGNED, inst->pos, inst->opcode->len, inst->opcode->text), cause);
    }
}

void px_lint_aligned(struct px_lint_flow *flow, const struct px_lint_numbers *numbers)
{
    flow->lanes_part = PX_NEW_N(flow->arena, bool, flow->nitems);
    judge(flow, numbers, false);
    judge(flow, numbers, true);
}
