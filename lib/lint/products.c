/*
 * products.c - accumulators of wgmma.mma_async that are used before a wait.
 *
 * Judged are blocks by themselves: a register that a product of the block writes is under way until a
 * wgmma.wait_group. Which groups a wait leaves open is not counted: any wait ends all of them. Told once a
 * function.
 */
#include "lint/flow.h"
#include "lint/words.h"

static bool is_wait(const struct px_inst *inst)
{
    return px_inst_in(inst, PX_SET_product) && px_lint_word_at(inst, 0, PX_W_wait_group);
}

static void complain(const struct px_lint_flow *flow, const struct px_lint_ref *ref, uint32_t product)
{
    const struct px_operand *o = ref->operand;
    struct px_diag *diag = px_lint_say(flow, LINT_UNDER_WAY, o->pos, o->length, o->u.name->text);
    px_diag_note(&flow->module->diags, diag, "the product is in line %u; no wgmma.wait_group stands between",
                 px_lint_item_line(flow, product));
    px_lint_relate(flow, diag, product, "the product is here");
}

/* product[reg]: the item + 1 of the last product that writes the register. False: it was told. */
static bool look_at_block(const struct px_lint_flow *flow, const struct px_flow_block *block,
                          uint32_t *product)
{
    uint32_t since = block->first; /* products from here on are under way */
    for (uint32_t i = block->first; i < block->first + block->n; i++) {
        const struct px_lint_item *item = &flow->items[i];
        const bool is_product = px_lint_flags(item) & PX_OPERATION_later;
        if (is_wait(item->inst)) since = i + 1;
        for (uint32_t r = item->first; r < item[1].first; r++) {
            const struct px_lint_ref *ref = &flow->refs[r];
            if (is_product && ref->is_def)
                product[ref->reg] = i + 1;
            else if (product[ref->reg] > since)
                return complain(flow, ref, product[ref->reg] - 1), false;
        }
    }
    return true;
}

void px_lint_products(struct px_lint_flow *flow)
{
    uint32_t *product = NULL;
    for (uint32_t i = 0; i < flow->nitems && !product; i++)
        if (px_lint_flags(&flow->items[i]) & PX_OPERATION_later)
            product = PX_NEW_N(flow->arena, uint32_t, flow->nregs + 1);
    for (uint32_t b = 0; product && b < flow->graph.nblocks; b++)
        if (flow->reached[b] && !look_at_block(flow, &flow->graph.blocks[b], product)) return;
}
