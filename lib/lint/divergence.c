/*
 * divergence.c - spreads divergence over values and blocks; divergence.h says what it means.
 */
#include "lint/divergence.h"
#include "front/print.h"
#include "lint/words.h"

bool px_lint_names(const struct px_operand *operand,
                   bool (*differs)(const struct px_function *function, const struct px_sreg *sreg,
                                   unsigned axis),
                   const struct px_function *function)
{
    if (operand->kind == PX_O_NAME && !operand->symbol) {
        const struct px_name *name = operand->u.name;
        const struct px_sreg *sreg = name->text[0] == '%' && name->word ? px_sreg_of_word(name->word) : NULL;
        return sreg && differs(function, sreg, px_selector_component(operand->selector) % 4);
    }
    if (operand->kind < PX_O_VEC) return false;
    for (uint16_t i = 0; i < operand->n; i++)
        if (px_lint_names(&operand->u.list[i], differs, function)) return true;
    return false;
}

/* ---- values ---- */

static void make_divergent(struct px_lint_divergence *d, uint32_t node, uint32_t source)
{
    if (d->source[node]) return;
    d->source[node] = source + 1;
    d->queue[d->nqueue++] = node;
}

static void item_divergent(struct px_lint_divergence *d, uint32_t i, uint32_t source)
{
    const struct px_lint_item *item = &d->flow->items[i];
    for (uint32_t r = item->first; r < item[1].first; r++)
        if (d->flow->refs[r].is_def) make_divergent(d, r, source);
}

static void part(struct px_lint_divergence *d, uint32_t block, struct px_lint_cause cause)
{
    if (d->parted[block] || !d->rule->parts(d->flow, block)) return;
    d->parted[block] = true;
    d->branches[d->nbranches++] = (struct px_lint_branching){block, cause};
}

/* A divergent value is read: the instruction's results are divergent, or its branch, or whether it runs at
 * all. */
static void tell_reader(struct px_lint_divergence *d, uint32_t r, uint32_t source)
{
    const struct px_lint_flow *flow = d->flow;
    const struct px_lint_ref *ref = &flow->refs[r];
    const struct px_lint_item *item = &flow->items[ref->item];
    if (ref->is_def) {
        make_divergent(d, r, source);
        return;
    }
    if (item->ends && !(px_lint_flags(item) & PX_OPERATION_calls) && !px_lint_has_word(item->inst, PX_W_uni))
        part(d, flow->graph.node_of[ref->item], (struct px_lint_cause){ref->item, source});
    if (d->rule->hands_on(d, r)) item_divergent(d, ref->item, source);
}

static void spread_values(struct px_lint_divergence *d)
{
    const struct px_lint_flow *flow = d->flow;
    while (d->nqueue) {
        const uint32_t node = d->queue[--d->nqueue], source = d->source[node] - 1;
        const struct px_flow_lists *readers = &d->values->readers;
        for (uint32_t i = readers->first[node]; i < readers->first[node + 1]; i++)
            tell_reader(d, readers->to[i], source);
        if (node < flow->nrefs && d->values->last[node])
            make_divergent(d, px_lint_node(flow, flow->refs[node].reg), source);
    }
}

/* ---- control ---- */

/* The nearest block up the tree from `block`, itself included, that is not under divergent control yet. */
static uint32_t next_up(struct px_lint_divergence *d, uint32_t block)
{
    uint32_t top = block;
    while (d->skip[top] != top) top = d->skip[top];
    while (d->skip[block] != top && d->skip[block] != block) {
        const uint32_t next = d->skip[block];
        d->skip[block] = top;
        block = next;
    }
    return top;
}

/* A block that some threads may pass and others not. */
static void put_under(struct px_lint_divergence *d, uint32_t block, struct px_lint_cause cause)
{
    const struct px_lint_flow *flow = d->flow;
    const struct px_flow_lists *succ = &flow->graph.succ;
    d->under[block] = true;
    d->cause[block] = cause;
    d->skip[block] = flow->post.up[block];
    if (succ->first[block + 1] - succ->first[block] > 1) part(d, block, cause);
    const struct px_flow_block *info = &flow->graph.blocks[block];
    for (uint32_t r = flow->items[info->first].first; r < flow->items[info->first + info->n].first; r++)
        if (d->values->last[r] && d->values->feeds[flow->refs[r].reg] > 1)
            make_divergent(d, px_lint_node(flow, flow->refs[r].reg), cause.source);
}

/* Everything from the branch's targets up to where all its ways meet. */
static void follow(struct px_lint_divergence *d, const struct px_lint_branching *branch)
{
    const struct px_lint_flow *flow = d->flow;
    const uint32_t meet = flow->post.up[branch->block];
    for (uint32_t i = flow->graph.succ.first[branch->block]; i < flow->graph.succ.first[branch->block + 1];
         i++) {
        uint32_t block = next_up(d, flow->graph.succ.to[i]);
        while (block != meet && px_flow_dominates(&flow->post, meet, block)) {
            put_under(d, block, branch->cause);
            block = next_up(d, block);
        }
    }
}

static void spread(struct px_lint_divergence *d)
{
    while (d->nqueue || d->nbranches) {
        spread_values(d);
        if (!d->nbranches) break;
        const struct px_lint_branching branch = d->branches[--d->nbranches];
        follow(d, &branch);
    }
}

void px_lint_divergence(struct px_lint_divergence *d, const struct px_lint_flow *flow,
                        const struct px_lint_numbers *numbers, const struct px_lint_parting *rule)
{
    const uint32_t n = flow->graph.n, nnodes = numbers->values->nnodes + 1;
    *d = (struct px_lint_divergence){
        .flow = flow, .values = numbers->values, .numbers = numbers, .rule = rule};
    d->source = PX_NEW_N(flow->arena, uint32_t, nnodes);
    d->queue = PX_NEW_N(flow->arena, uint32_t, nnodes);
    d->cause = PX_NEW_N(flow->arena, struct px_lint_cause, n);
    d->under = PX_NEW_N(flow->arena, bool, n);
    d->parted = PX_NEW_N(flow->arena, bool, n);
    d->skip = PX_NEW_N(flow->arena, uint32_t, n);
    d->branches = PX_NEW_N(flow->arena, struct px_lint_branching, n);
    for (uint32_t k = 0; k < n; k++) d->skip[k] = k;
    for (uint32_t i = 0; i < flow->nitems; i++)
        if (flow->reached[flow->graph.node_of[i]] && rule->is_source(flow, &flow->items[i]))
            item_divergent(d, i, i);
    spread(d);
}

/* ---- what is asked of it ---- */

bool px_lint_is_parted(const struct px_lint_divergence *d, uint32_t i, struct px_lint_cause *cause)
{
    const struct px_lint_item *item = &d->flow->items[i];
    const uint32_t block = d->flow->graph.node_of[i];
    for (uint32_t r = item->first; r < item[1].first; r++) {
        const uint32_t node = d->values->source[r];
        if (!item->inst->guard || d->flow->refs[r].operand != item->inst->guard || !d->source[node]) continue;
        *cause = (struct px_lint_cause){i, d->source[node] - 1};
        return true;
    }
    if (d->under[block]) *cause = d->cause[block];
    return d->under[block];
}

void px_lint_note_cause(const struct px_lint_flow *flow, struct px_diag *diag, struct px_lint_cause cause)
{
    char source[96];
    px_print_inst(flow->items[cause.source].inst, source, sizeof source);
    px_diag_note(&flow->module->diags, diag,
                 "threads part at '%s' on line %u, whose condition derives from '%s' on line %u",
                 flow->items[cause.branch].inst->opcode->text, px_lint_item_line(flow, cause.branch), source,
                 px_lint_item_line(flow, cause.source));
    px_lint_relate(flow, diag, cause.branch, "threads part here");
    px_lint_relate(flow, diag, cause.source, "the condition derives from this");
}
