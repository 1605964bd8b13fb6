/*
 * contract_live.c - which registers live at the end of each block, and what is computed for nobody.
 *
 * ptxas removes dead code before it contracts, so a reader that is dead itself
 * does not count. What no instruction with an effect depends on, whatever way
 * control takes, is found first, by going from those instructions to the definitions
 * of what they read; then lib/flow says where the other registers live, and what
 * writes a register that is dead there goes, too, until nothing more does. Where a register lives depends
 * on the places alone that name it: after the first time only those are asked for again that what has gone
 * named, and only the blocks looked at where one of them lives no longer.
 */
#include "code/ir/contract.h"

enum { ROUNDS = 4 }; /* of lib/flow: each finds what only dead code of the one before had read */

struct live {
    struct px_body *d;
    struct px_contract_live *out;
    struct px_flow_loops loops;
    struct px_flow_tree tree;
    bool *dead;                /* by instruction */
    struct px_flow_lists defs; /* by register: instructions that write it */
    uint32_t item;             /* the instruction looked at */
    PX_VEC(uint32_t) needed;   /* registers whose definitions are to be looked at */
    PX_VEC(uint32_t) chain;    /* registers that the blocks before, which this one goes on from, wrote */
    PX_VEC(uint32_t) stale;    /* registers to be solved again: what has died named them */
    bool *asked;               /* by register: it was in `needed` */
    bool *is_stale;            /* by register */
    bool *mark;                /* by register: live here, in the block that is walked */
    bool wanted;               /* of the instruction walked over: an effect, or a result that is live */
    bool *changed;             /* by block: some register lives behind it no longer */
};

/* It does more than write registers, and is no plain load. */
static bool has_effect(const struct px_ir_inst *in)
{
    return !px_ir_is_pure(in) && !px_ir_loads(in);
}

static void each_read(struct live *l, uint32_t index, void (*call)(struct live *l, uint32_t reg))
{
    const struct px_ir_inst *in = px_body_inst(l->d, index);
    for (uint32_t k = 0; k < px_ir_nreads(in); k++) {
        const uint32_t reg = px_ir_read_reg(l->d->f, in, k);
        if (reg != PX_NONE32) call(l, reg);
    }
}

static void each_write(struct live *l, uint32_t index, void (*call)(struct live *l, uint32_t reg))
{
    const struct px_ir_inst *in = px_body_inst(l->d, index);
    const struct px_ir_opd *o = px_ir_opds(l->d->f, in);
    for (uint32_t k = 0; k < in->ndst; k++)
        if (o[k].kind == PX_IR_REG) call(l, o[k].at);
}

/* ---- what anything depends on ---- */

static void count_def(struct live *l, uint32_t reg)
{
    px_flow_lists_count(&l->defs, reg);
}

static void add_def(struct live *l, uint32_t reg)
{
    px_flow_lists_add(&l->defs, reg, l->item);
}

static void list_defs(struct live *l)
{
    const uint32_t n = l->d->f->regs.n, items = l->d->f->insts.n;
    l->defs = px_flow_lists_begin(l->d->arena, n);
    for (uint32_t i = 0; i < items; i++) each_write(l, i, count_def);
    px_flow_lists_place(&l->defs, l->d->arena, n);
    for (l->item = 0; l->item < items; l->item++) each_write(l, l->item, add_def);
}

static void need(struct live *l, uint32_t reg)
{
    if (l->asked[reg]) return;
    l->asked[reg] = true;
    px_vec_push(l->d->arena, &l->needed, reg);
}

static void revive(struct live *l, uint32_t index)
{
    if (!l->dead[index]) return;
    l->dead[index] = false;
    each_read(l, index, need);
}

static void find_needed(struct live *l)
{
    const uint32_t n = l->d->f->insts.n;
    list_defs(l);
    memset(l->dead, true, n);
    for (uint32_t i = 0; i < n; i++)
        if (has_effect(px_body_inst(l->d, i))) revive(l, i);
    while (l->needed.n) {
        const uint32_t reg = l->needed.at[--l->needed.n];
        for (uint32_t k = l->defs.first[reg]; k < l->defs.first[reg + 1]; k++) revive(l, l->defs.to[k]);
    }
}

/* ---- where registers live ---- */

/* What is told of: all registers, or those that are to be solved again. */
struct teller {
    struct live *l;
    struct px_flow_live *flow;
    bool again;
};

static bool concerns(const struct teller *t, uint32_t reg)
{
    return !t->again || t->l->is_stale[reg];
}

static void tell_item(const struct teller *t, uint32_t block, uint32_t index)
{
    struct live *l = t->l;
    const struct px_ir_inst *in = px_body_inst(l->d, index);
    const struct px_ir_opd *o = px_ir_opds(l->d->f, in);
    for (uint32_t k = 0; k < px_ir_nreads(in); k++) {
        const uint32_t reg = px_ir_read_reg(l->d->f, in, k);
        if (reg != PX_NONE32 && concerns(t, reg)) px_flow_live_read(t->flow, block, reg);
    }
    for (uint32_t k = 0; k < in->ndst; k++) {
        if (o[k].kind != PX_IR_REG || !concerns(t, o[k].at)) continue;
        if (l->d->guarded[index])
            px_flow_live_name(t->flow, block, o[k].at);
        else
            px_flow_live_write(t->flow, block, o[k].at);
        px_vec_push(l->d->arena, &l->chain, o[k].at);
    }
}

/* The last of blocks that go on from each other names what they all wrote: it is asked there. */
static void tell_block(const struct teller *t, uint32_t k)
{
    struct live *l = t->l;
    const struct px_flow_block *b = &l->d->graph.blocks[k];
    for (uint32_t i = b->first; i < b->first + b->n; i++)
        if (!l->dead[i]) tell_item(t, k, i);
    if (k + 1 < l->d->graph.nblocks && px_contract_goes_on(l->d, k + 1)) return;
    for (uint32_t i = 0; i < l->chain.n; i++) px_flow_live_name(t->flow, k, l->chain.at[i]);
    l->chain.n = 0;
}

static void solve(struct live *l, struct px_flow_live *flow, bool again)
{
    const struct teller t = {l, flow, again};
    struct px_body *d = l->d;
    px_flow_live_begin(flow, d->arena, &d->graph, l->loops.order, l->loops.n, d->f->regs.n);
    px_flow_live_use_tree(flow, &l->loops, &l->tree, true);
    for (uint32_t k = 0; k < d->graph.nblocks; k++) tell_block(&t, k);
    px_flow_live(flow);
}

static uint32_t end_of_node(const struct px_flow_live *flow, uint32_t i)
{
    const uint32_t node = flow->places.at[i].node;
    while (i < flow->places.n && flow->places.at[i].node == node) i++;
    return i;
}

/* What lives behind places of one node, `from` to before `to`, as it is now: behind places that are there no
 * longer, nothing. Those of now begin at *at. */
static void take_over(struct live *l, const struct px_flow_live *now, uint32_t *at, uint32_t from,
                      uint32_t to)
{
    struct px_flow_place *places = l->out->flow.places.at;
    const uint32_t node = places[from].node;
    for (uint32_t i = from; i < to; i++) l->mark[places[i].reg] = false;
    for (; *at < now->places.n && now->places.at[*at].node == node; ++*at)
        l->mark[now->places.at[*at].reg] = now->places.at[*at].uses & PX_FLOW_BEHIND;
    for (uint32_t i = from; i < to; i++) {
        const bool behind = places[i].uses & PX_FLOW_BEHIND;
        if (!l->is_stale[places[i].reg] || behind == l->mark[places[i].reg]) continue;
        places[i].uses ^= PX_FLOW_BEHIND;
        l->changed[node] = true;
    }
}

/* Both were told in the order of the text. */
static void solve_again(struct live *l)
{
    struct px_flow_live now;
    const struct px_flow_live *flow = &l->out->flow;
    solve(l, &now, true);
    memset(l->changed, false, l->d->graph.n);
    for (uint32_t i = 0, at = 0, end; i < flow->places.n; i = end) {
        end = end_of_node(flow, i);
        take_over(l, &now, &at, i, end);
    }
    for (uint32_t i = 0; i < l->stale.n; i++) l->is_stale[l->stale.at[i]] = false;
    l->stale.n = 0;
    px_flow_live_end(&now);
}

/* ---- dead where they stand ---- */

static void check_mark(struct live *l, uint32_t reg)
{
    l->wanted |= l->mark[reg];
}

static void note_stale(struct live *l, uint32_t reg)
{
    if (l->is_stale[reg]) return;
    l->is_stale[reg] = true;
    px_vec_push(l->d->arena, &l->stale, reg);
}

static void mark(struct live *l, uint32_t reg)
{
    l->mark[reg] = true;
}

static void unmark(struct live *l, uint32_t reg)
{
    l->mark[reg] = false;
}

/* From the end of a block to its beginning. */
static void walk_block(struct live *l, uint32_t k)
{
    const struct px_flow_block *b = &l->d->graph.blocks[k];
    for (uint32_t i = b->first + b->n; i-- > b->first;) {
        if (l->dead[i]) continue;
        l->wanted = has_effect(px_body_inst(l->d, i));
        each_write(l, i, check_mark);
        l->dead[i] = !l->wanted;
        if (l->wanted && !l->d->guarded[i]) each_write(l, i, unmark);
        each_read(l, i, l->wanted ? mark : note_stale);
        if (!l->wanted) each_write(l, i, note_stale);
    }
}

/* True: something more is dead. */
static bool find_dead(struct live *l)
{
    const struct px_flow_live *flow = &l->out->flow;
    for (uint32_t k = 0, at = 0; k < l->d->graph.nblocks; k++) {
        const bool walks = l->changed[k] && l->loops.place[k] != PX_FLOW_NONE;
        for (; at < flow->places.n && flow->places.at[at].node == k; at++)
            if (walks) l->mark[flow->places.at[at].reg] = flow->places.at[at].uses & PX_FLOW_BEHIND;
        if (walks) walk_block(l, k);
    }
    return l->stale.n > 0;
}

void px_contract_liveness(struct px_body *d, struct px_contract_live *out)
{
    struct px_arena *arena = d->arena;
    const uint32_t n = d->f->regs.n + 1;
    struct live l = {.d = d,
                     .out = out,
                     .tree = px_flow_dominators(arena, arena, d->graph.n, &d->graph.succ, &d->graph.pred, 0),
                     .dead = PX_NEW_N(arena, bool, d->f->insts.n + 1),
                     .asked = PX_NEW_N(arena, bool, n),
                     .is_stale = PX_NEW_N(arena, bool, n),
                     .mark = PX_NEW_N(arena, bool, n),
                     .changed = PX_NEW_N(arena, bool, d->graph.n)};
    *out = (struct px_contract_live){.dead = l.dead, .at = PX_NEW_N(arena, uint32_t, n)};
    px_flow_loops(&l.loops, arena, arena, &d->graph);
    find_needed(&l);
    solve(&l, &out->flow, false);
    memset(l.changed, true, d->graph.n);
    for (int round = 1; find_dead(&l) && round < ROUNDS; round++) solve_again(&l);
}

void px_contract_behind(struct px_contract_live *live, uint32_t block)
{
    const struct px_flow_live *flow = &live->flow;
    for (; live->next < flow->places.n && flow->places.at[live->next].node <= block; live->next++) {
        const struct px_flow_place *place = &flow->places.at[live->next];
        if (place->node == block && place->uses & PX_FLOW_BEHIND) live->at[place->reg] = block + 1;
    }
}
