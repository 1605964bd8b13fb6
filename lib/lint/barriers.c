/*
 * barriers.c - barriers for all threads of a block that only some threads may reach.
 *
 * A value is divergent when it derives from what differs between the threads of a
 * block: their numbers, clocks, results of atomics, what is loaded from a divergent
 * address. A branch on such a value makes everything between it and the place where
 * its ways meet again (its post-dominator) divergent, and so are registers that are
 * written there and elsewhere too. Values loaded from an address that is the same for
 * all threads, parameters and results of calls count as uniform: silence is no proof.
 */
#include "front/print.h"
#include "lint/values.h"

struct cause {
    uint32_t branch; /* item of the branch where the ways part */
    uint32_t source; /* item that made its condition divergent */
};

struct barriers {
    const struct px_lint_flow *flow;
    struct px_lint_values values;
    uint32_t *source;        /* by node: the item that made it divergent + 1; 0 for uniform */
    uint32_t *queue, nqueue; /* divergent nodes whose readers have not been told */
    struct cause *cause;     /* by block, where `under` */
    bool *under;             /* by block: under divergent control */
    uint32_t *skip; /* by block: where to look for the next block up the tree that is not `under` yet */
    struct branching {
        uint32_t block;
        struct cause cause;
    } * branches; /* found divergent, not followed yet */
    uint32_t nbranches;
    bool *parted; /* by block: its branch is divergent */
};

static bool has_word(const struct px_inst *inst, px_word word)
{
    for (unsigned i = 0; i < inst->nmods; i++)
        if (inst->mods[i].name->word == word) return true;
    return false;
}

/* ---- what differs between threads ---- */

static bool differs(const struct px_function *function, const struct px_operand *operand)
{
    const struct px_name *name = operand->u.name;
    const struct px_sreg *sreg = name->text[0] == '%' && name->word ? px_sreg_of_word(name->word) : NULL;
    const unsigned axis = operand->selector == PX_W_y ? 1 : operand->selector == PX_W_z ? 2 : 0;
    switch (sreg ? sreg->op : PX_SR_NONE) {
    case PX_SR_tid: return function->reqntid[axis] != 1 && function->maxntid[axis] != 1;
    case PX_SR_laneid:
    case PX_SR_warpid:
    case PX_SR_lanemask_eq:
    case PX_SR_lanemask_le:
    case PX_SR_lanemask_lt:
    case PX_SR_lanemask_ge:
    case PX_SR_lanemask_gt:
    case PX_SR_clock:
    case PX_SR_clock_hi:
    case PX_SR_clock64:
    case PX_SR_globaltimer:
    case PX_SR_globaltimer_lo:
    case PX_SR_globaltimer_hi: return true;
    default: return false;
    }
}

static bool names_divergent(const struct px_function *function, const struct px_operand *operand)
{
    if (operand->kind == PX_O_NAME && !operand->symbol) return differs(function, operand);
    if (operand->kind < PX_O_VEC) return false;
    for (uint16_t i = 0; i < operand->n; i++)
        if (names_divergent(function, &operand->u.list[i])) return true;
    return false;
}

static bool is_source(const struct px_lint_flow *flow, const struct px_lint_item *item)
{
    if (item->op == PX_OP_atom || item->op == PX_OP_activemask || item->op == PX_OP_elect) return true;
    if (item->op == PX_OP_bar_red) return false;
    for (unsigned i = 0; i < item->inst->nopds; i++)
        if (names_divergent(flow->function, &item->inst->opds[i])) return true;
    return false;
}

/* ---- spreading ---- */

static void make_divergent(struct barriers *b, uint32_t node, uint32_t source)
{
    if (b->source[node]) return;
    b->source[node] = source + 1;
    b->queue[b->nqueue++] = node;
}

static void item_divergent(struct barriers *b, uint32_t i, uint32_t source)
{
    const struct px_lint_item *item = &b->flow->items[i];
    if (item->op == PX_OP_call || item->op == PX_OP_bar_red) return;
    for (uint32_t r = item->first; r < item[1].first; r++)
        if (b->flow->refs[r].is_def) make_divergent(b, r, source);
}

static void part(struct barriers *b, uint32_t block, struct cause cause)
{
    if (b->parted[block]) return;
    b->parted[block] = true;
    b->branches[b->nbranches++] = (struct branching){block, cause};
}

/* A divergent value is read: the instruction's results are divergent, or its branch, or whether it runs at
 * all. */
static void tell_reader(struct barriers *b, uint32_t r, uint32_t source)
{
    const struct px_lint_flow *flow = b->flow;
    const struct px_lint_ref *ref = &flow->refs[r];
    const struct px_lint_item *item = &flow->items[ref->item];
    if (ref->is_def) {
        make_divergent(b, r, source);
        return;
    }
    if (item->ends && item->op != PX_OP_call && !has_word(item->inst, PX_W_uni))
        part(b, flow->graph.node_of[ref->item], (struct cause){ref->item, source});
    item_divergent(b, ref->item, source);
}

static void spread_values(struct barriers *b)
{
    const struct px_lint_flow *flow = b->flow;
    while (b->nqueue) {
        const uint32_t node = b->queue[--b->nqueue], source = b->source[node] - 1;
        const struct px_flow_lists *readers = &b->values.readers;
        for (uint32_t i = readers->first[node]; i < readers->first[node + 1]; i++)
            tell_reader(b, readers->to[i], source);
        if (node < flow->nrefs && b->values.last[node])
            make_divergent(b, px_lint_node(flow, flow->refs[node].reg), source);
    }
}

/* The nearest block up the tree from `block`, itself included, that is not under divergent control yet. */
static uint32_t next_up(struct barriers *b, uint32_t block)
{
    uint32_t top = block;
    while (b->skip[top] != top) top = b->skip[top];
    while (b->skip[block] != top && b->skip[block] != block) {
        const uint32_t next = b->skip[block];
        b->skip[block] = top;
        block = next;
    }
    return top;
}

/* A block that some threads may pass and others not. */
static void put_under(struct barriers *b, uint32_t block, struct cause cause)
{
    const struct px_lint_flow *flow = b->flow;
    const struct px_flow_lists *succ = &flow->graph.succ;
    b->under[block] = true;
    b->cause[block] = cause;
    b->skip[block] = flow->post.up[block];
    if (succ->first[block + 1] - succ->first[block] > 1) part(b, block, cause);
    const struct px_flow_block *info = &flow->graph.blocks[block];
    for (uint32_t r = flow->items[info->first].first; r < flow->items[info->first + info->n].first; r++)
        if (b->values.last[r] && b->values.feeds[flow->refs[r].reg] > 1)
            make_divergent(b, px_lint_node(flow, flow->refs[r].reg), cause.source);
}

/* Everything from the branch's targets up to where all its ways meet. */
static void follow(struct barriers *b, const struct branching *branch)
{
    const struct px_lint_flow *flow = b->flow;
    const uint32_t meet = flow->post.up[branch->block];
    for (uint32_t i = flow->graph.succ.first[branch->block]; i < flow->graph.succ.first[branch->block + 1];
         i++) {
        uint32_t block = next_up(b, flow->graph.succ.to[i]);
        while (block != meet && px_flow_dominates(&flow->post, meet, block)) {
            put_under(b, block, branch->cause);
            block = next_up(b, block);
        }
    }
}

static void spread(struct barriers *b)
{
    while (b->nqueue || b->nbranches) {
        spread_values(b);
        if (!b->nbranches) break;
        const struct branching branch = b->branches[--b->nbranches];
        follow(b, &branch);
    }
}

/* ---- barriers ---- */

/* A barrier that waits for every thread of the block (or cluster), with all threads of a warp together. */
static bool is_for_all(const struct px_lint_item *item)
{
    const struct px_inst *inst = item->inst;
    if (item->op == PX_OP_bar_sync || item->op == PX_OP_bar_red) {
        const bool counted = inst->nopds > (item->op == PX_OP_bar_sync ? 1 : 3);
        return !counted && (inst->opcode->word == PX_W_bar || has_word(inst, PX_W_aligned));
    }
    return inst->opcode->word == PX_W_barrier && has_word(inst, PX_W_cluster) && has_word(inst, PX_W_aligned);
}

static void complain(const struct barriers *b, uint32_t i, struct cause cause)
{
    const struct px_lint_flow *flow = b->flow;
    const struct px_inst *inst = flow->items[i].inst;
    char source[96];
    px_print_inst(flow->items[cause.source].inst, source, sizeof source);
    struct px_diag *diag = px_lint_say(flow, LINT_BARRIER, inst->pos, inst->opcode->len);
    px_diag_note(&flow->module->diags, diag,
                 "threads part at '%s' on line %u, whose condition derives from '%s' on line %u",
                 flow->items[cause.branch].inst->opcode->text, px_lint_item_line(flow, cause.branch), source,
                 px_lint_item_line(flow, cause.source));
}

/* The node of the guard, if it is divergent; else PX_FLOW_NONE. */
static uint32_t divergent_guard(const struct barriers *b, uint32_t i)
{
    const struct px_lint_item *item = &b->flow->items[i];
    for (uint32_t r = item->first; r < item[1].first; r++)
        if (b->flow->refs[r].operand == item->inst->guard && b->source[b->values.source[r]])
            return b->values.source[r];
    return PX_FLOW_NONE;
}

static void judge(const struct barriers *b, uint32_t i)
{
    const struct px_lint_item *item = &b->flow->items[i];
    if (!is_for_all(item)) return;
    const uint32_t block = b->flow->graph.node_of[i];
    const uint32_t guard = item->inst->guard ? divergent_guard(b, i) : PX_FLOW_NONE;
    if (guard != PX_FLOW_NONE)
        complain(b, i, (struct cause){i, b->source[guard] - 1});
    else if (b->under[block])
        complain(b, i, b->cause[block]);
}

static bool has_barrier(const struct px_lint_flow *flow)
{
    for (uint32_t i = 0; i < flow->nitems; i++)
        if (is_for_all(&flow->items[i])) return true;
    return false;
}

void px_lint_barriers(struct px_lint_flow *flow)
{
    struct barriers b = {.flow = flow};
    if (!has_barrier(flow)) return;
    px_lint_values(&b.values, flow);
    b.source = PX_NEW_N(flow->arena, uint32_t, b.values.nnodes + 1);
    b.queue = PX_NEW_N(flow->arena, uint32_t, b.values.nnodes + 1);
    b.cause = PX_NEW_N(flow->arena, struct cause, flow->graph.n);
    b.under = PX_NEW_N(flow->arena, bool, flow->graph.n);
    b.parted = PX_NEW_N(flow->arena, bool, flow->graph.n);
    b.skip = PX_NEW_N(flow->arena, uint32_t, flow->graph.n);
    b.branches = PX_NEW_N(flow->arena, struct branching, flow->graph.n);
    for (uint32_t k = 0; k < flow->graph.n; k++) b.skip[k] = k;
    for (uint32_t i = 0; i < flow->nitems; i++)
        if (flow->reached[flow->graph.node_of[i]] && is_source(flow, &flow->items[i]))
            item_divergent(&b, i, i);
    spread(&b);
    for (uint32_t i = 0; i < flow->nitems; i++)
        if (flow->reached[flow->graph.node_of[i]]) judge(&b, i);
}
