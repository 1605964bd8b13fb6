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
#include "lint/words.h"

static bool is_aligned(const struct px_lint_item *item)
{
    switch (item->op) {
    case PX_OP_bar_sync:
    case PX_OP_bar_arrive:
    case PX_OP_bar_red:
        return item->inst->opcode->word == PX_W_bar || px_lint_has_word(item->inst, PX_W_aligned);
    default: return px_lint_has_word(item->inst, PX_W_aligned);
    }
}

/* ---- what differs between lanes ---- */

static bool differs(const struct px_function *function, uint16_t sreg, unsigned axis)
{
    switch (sreg) {
    case PX_SR_tid: return axis == 0 && function->reqntid[0] != 1 && function->maxntid[0] != 1;
    case PX_SR_laneid:
    case PX_SR_lanemask_eq:
    case PX_SR_lanemask_le:
    case PX_SR_lanemask_lt:
    case PX_SR_lanemask_ge:
    case PX_SR_lanemask_gt: return true;
    default: return false;
    }
}

static bool is_source(const struct px_lint_flow *flow, const struct px_lint_item *item)
{
    if (item->op == PX_OP_elect) return true;
    return item->op == PX_OP_mov && px_lint_names(&item->inst->opds[1], differs, flow->function);
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
    switch (inst->opcode->word) {
    case PX_W_mov:
    case PX_W_cvt:
    case PX_W_add:
    case PX_W_sub:
    case PX_W_mul:
    case PX_W_mad:
    case PX_W_shl:
    case PX_W_or:
    case PX_W_xor:
    case PX_W_not:
    case PX_W_neg: return true;
    case PX_W_and: {
        const unsigned other = at->operand == &inst->opds[1] ? 2 : 1;
        return px_lint_has_word(inst, PX_W_pred) || (constant(d, at->item, other, &value) && value % 32);
    }
    case PX_W_setp: return compares(d, at->item, at->operand);
    case PX_W_shr: return constant(d, at->item, 2, &value) && value < 5;
    case PX_W_rem: return constant(d, at->item, 2, &value) && value <= 32;
    default: return false;
    }
}

/* ---- where lanes part ---- */

/* Does everything from here on only leave the function? Looked at are a few blocks. */
static bool only_leaves(const struct px_lint_flow *flow, uint32_t node)
{
    enum { LOOK_AT = 8 };
    for (unsigned n = 0; n < LOOK_AT; n++) {
        if (node == flow->graph.end) return true;
        const struct px_flow_block *block = &flow->graph.blocks[node];
        for (uint32_t i = block->first; i < block->first + block->n; i++)
            if (is_aligned(&flow->items[i])) return false;
        if (flow->graph.succ.first[node + 1] - flow->graph.succ.first[node] != 1) return false;
        node = flow->graph.succ.to[flow->graph.succ.first[node]];
    }
    return false;
}

static bool parts(const struct px_lint_flow *flow, uint32_t node)
{
    for (uint32_t i = flow->graph.succ.first[node]; i < flow->graph.succ.first[node + 1]; i++)
        if (only_leaves(flow, flow->graph.succ.to[i])) return false;
    return true;
}

static bool has_aligned(const struct px_lint_flow *flow)
{
    for (uint32_t i = 0; i < flow->nitems; i++)
        if (is_aligned(&flow->items[i])) return true;
    return false;
}

void px_lint_aligned(struct px_lint_flow *flow, const struct px_lint_numbers *numbers)
{
    static const struct px_lint_parting rule = {is_source, hands_on, parts};
    struct px_lint_divergence d;
    struct px_lint_cause cause;
    if (!has_aligned(flow)) return;
    px_lint_divergence(&d, flow, numbers, &rule);
    for (uint32_t i = 0; i < flow->nitems; i++) {
        const struct px_inst *inst = flow->items[i].inst;
        if (!flow->reached[flow->graph.node_of[i]] || !is_aligned(&flow->items[i])) continue;
        if (px_lint_is_parted(&d, i, &cause))
            px_lint_note_cause(
                flow, px_lint_say(flow, LINT_ALIGNED, inst->pos, inst->opcode->len, inst->opcode->text),
                cause);
    }
}
