/*
 * contract_live.c - which registers live at the end of each block, and what is computed for nobody.
 *
 * ptxas removes dead code before it contracts, so a reader that is dead itself
 * does not count. What no instruction with an effect depends on, whatever way
 * control takes, is found first, by going from those instructions to the definitions
 * of what they read; then lib/flow says where the other registers live, and what
 * writes a register that is dead there goes, too, until nothing more does.
 */
#include "match/registers.h"
#include "code/contract.h"

enum { ROUNDS = 4 }; /* of lib/flow: each finds what only dead code of the one before had read */

struct live {
    struct px_body *d;
    struct px_contract_live *out;
    struct px_flow_loops loops;
    struct px_flow_tree tree;
    bool *dead;                /* by item */
    struct px_flow_lists defs; /* by register: items that write it */
    PX_VEC(uint32_t) needed;   /* registers whose definitions are to be looked at */
    PX_VEC(uint32_t) chain;    /* registers that the blocks before, which this one goes on from, wrote */
    bool *asked;               /* by register: it was in `needed` */
    bool *mark;                /* by register: live here, in the block that is walked */
    const struct px_term *item;
    uint32_t index;
    bool wanted;
};

static void each_register(struct live *l, uint32_t index, bool defs,
                          void (*call)(void *user, const struct px_operand *o, bool is_def))
{
    l->item = &l->d->items.at[index];
    l->index = index;
    px_visit_registers(l->item->inst, &l->item->match, defs, call, l);
}

static bool has_effect(const struct px_term *item)
{
    return !px_contract_pure(item) && !px_op_loads(px_op_flags(item->op));
}

/* Nothing of what was in the register is left. */
static bool replaces(const struct live *l, const struct px_operand *o)
{
    return !l->item->inst->guard && !o->has_selector;
}

/* ---- what anything depends on ---- */

static void count_def(void *user, const struct px_operand *o, bool is_def)
{
    struct live *l = user;
    if (is_def) px_flow_lists_count(&l->defs, o->symbol->index);
}

static void add_def(void *user, const struct px_operand *o, bool is_def)
{
    struct live *l = user;
    if (is_def) px_flow_lists_add(&l->defs, o->symbol->index, l->index);
}

static void need(struct live *l, uint32_t reg)
{
    if (l->asked[reg]) return;
    l->asked[reg] = true;
    px_vec_push(l->d->arena, &l->needed, reg);
}

static void need_source(void *user, const struct px_operand *o, bool is_def)
{
    if (!is_def) need(user, o->symbol->index);
}

static void revive(struct live *l, uint32_t index)
{
    if (!l->dead[index]) return;
    l->dead[index] = false;
    each_register(l, index, false, need_source);
}

static void each_result(struct live *l, void (*call)(struct live *l, uint32_t reg))
{
    const struct px_function *fn = l->d->fn;
    for (uint32_t i = 0; i < fn->func->nrets; i++)
        if (fn->rets[i]->kind == PX_SYM_REG) call(l, fn->rets[i]->index);
}

static void find_needed(struct live *l)
{
    struct px_body *d = l->d;
    l->defs = px_flow_lists_begin(d->arena, px_body_registers(d));
    for (uint32_t i = 0; i < d->items.n; i++) each_register(l, i, true, count_def);
    px_flow_lists_place(&l->defs, d->arena, px_body_registers(d));
    for (uint32_t i = 0; i < d->items.n; i++) each_register(l, i, true, add_def);
    memset(l->dead, true, d->items.n);
    each_result(l, need);
    for (uint32_t i = 0; i < d->items.n; i++)
        if (has_effect(&d->items.at[i])) revive(l, i);
    while (l->needed.n) {
        const uint32_t reg = l->needed.at[--l->needed.n];
        for (uint32_t k = l->defs.first[reg]; k < l->defs.first[reg + 1]; k++) revive(l, l->defs.to[k]);
    }
}

/* ---- where registers live ---- */

static void tell_source(void *user, const struct px_operand *o, bool is_def)
{
    struct live *l = user;
    if (!is_def) px_flow_live_read(&l->out->flow, l->item->block, o->symbol->index);
}

static void tell_result(void *user, const struct px_operand *o, bool is_def)
{
    struct live *l = user;
    const uint32_t reg = o->symbol->index;
    if (!is_def) return;
    if (replaces(l, o))
        px_flow_live_write(&l->out->flow, l->item->block, reg);
    else
        px_flow_live_name(&l->out->flow, l->item->block, reg);
    px_vec_push(l->d->arena, &l->chain, reg);
}

/* The last of blocks that go on from each other names what they all wrote: it is asked there. */
static void tell_block(struct live *l, uint32_t k)
{
    const struct px_flow_block *b = &l->d->graph.blocks[k];
    for (uint32_t i = b->first; i < b->first + b->n; i++) {
        if (l->dead[i]) continue;
        each_register(l, i, false, tell_source);
        each_register(l, i, true, tell_result);
    }
    if (k + 1 < l->d->graph.nblocks && px_contract_goes_on(l->d, k + 1)) return;
    for (uint32_t i = 0; i < l->chain.n; i++) px_flow_live_name(&l->out->flow, k, l->chain.at[i]);
    l->chain.n = 0;
}

static void tell_returned(struct live *l, uint32_t reg)
{
    px_flow_live_read(&l->out->flow, l->d->graph.end, reg);
}

static void solve(struct live *l)
{
    struct px_body *d = l->d;
    px_flow_live_begin(&l->out->flow, d->arena, &d->graph, l->loops.order, l->loops.n, px_body_registers(d));
    px_flow_live_use_tree(&l->out->flow, &l->loops, &l->tree, true);
    for (uint32_t k = 0; k < d->graph.nblocks; k++) tell_block(l, k);
    each_result(l, tell_returned);
    px_flow_live(&l->out->flow);
}

/* ---- dead where they stand ---- */

static void ask(void *user, const struct px_operand *o, bool is_def)
{
    struct live *l = user;
    if (is_def) l->wanted |= l->mark[o->symbol->index];
}

static void end_life(void *user, const struct px_operand *o, bool is_def)
{
    struct live *l = user;
    if (is_def && replaces(l, o)) l->mark[o->symbol->index] = false;
}

static void begin_life(void *user, const struct px_operand *o, bool is_def)
{
    struct live *l = user;
    if (!is_def) l->mark[o->symbol->index] = true;
}

/* From the end of a block to its beginning. True: something more is dead. */
static bool walk_block(struct live *l, uint32_t k)
{
    const struct px_flow_block *b = &l->d->graph.blocks[k];
    bool more = false;
    for (uint32_t i = b->first + b->n; i-- > b->first;) {
        if (l->dead[i]) continue;
        l->wanted = has_effect(&l->d->items.at[i]);
        if (!l->wanted) each_register(l, i, true, ask);
        l->dead[i] = !l->wanted;
        more |= l->dead[i];
        if (l->dead[i]) continue;
        each_register(l, i, true, end_life);
        each_register(l, i, false, begin_life);
    }
    return more;
}

static bool find_dead(struct live *l)
{
    const struct px_flow_live *flow = &l->out->flow;
    bool more = false;
    for (uint32_t k = 0, at = 0; k < l->d->graph.nblocks; k++) {
        for (; at < flow->places.n && flow->places.at[at].node == k; at++)
            l->mark[flow->places.at[at].reg] = flow->places.at[at].uses & PX_FLOW_BEHIND;
        if (l->loops.place[k] != PX_FLOW_NONE) more |= walk_block(l, k);
    }
    return more;
}

void px_contract_liveness(struct px_body *d, struct px_contract_live *out)
{
    struct px_arena *arena = d->arena;
    const uint32_t n = px_body_registers(d) + 1;
    struct live l = {.d = d,
                     .out = out,
                     .tree = px_flow_dominators(arena, arena, d->graph.n, &d->graph.succ, &d->graph.pred, 0),
                     .dead = PX_NEW_N(arena, bool, d->items.n + 1),
                     .asked = PX_NEW_N(arena, bool, n),
                     .mark = PX_NEW_N(arena, bool, n)};
    *out = (struct px_contract_live){.dead = l.dead, .at = PX_NEW_N(arena, uint32_t, n)};
    px_flow_loops(&l.loops, arena, arena, &d->graph);
    find_needed(&l);
    px_arena_drop(arena, l.defs.first);
    px_arena_drop(arena, l.defs.to);
    solve(&l);
    for (int round = 1; find_dead(&l) && round < ROUNDS; round++) {
        px_flow_live_end(&out->flow);
        solve(&l);
    }
}

void px_contract_behind(struct px_contract_live *live, uint32_t block)
{
    const struct px_flow_live *flow = &live->flow;
    for (; live->next < flow->places.n && flow->places.at[live->next].node <= block; live->next++) {
        const struct px_flow_place *place = &flow->places.at[live->next];
        if (place->node == block && place->uses & PX_FLOW_BEHIND) live->at[place->reg] = block + 1;
    }
}
