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
    bool *dead;                /* by item */
    struct px_flow_lists defs; /* by register: items that write it */
    PX_VEC(uint32_t) needed;   /* registers whose definitions are to be looked at */
    PX_VEC(uint32_t) chain;    /* registers that the blocks before, which this one goes on from, wrote */
    PX_VEC(uint32_t) stale;    /* registers to be solved again: what has died named them */
    bool *asked;               /* by register: it was in `needed` */
    bool *is_stale;            /* by register */
    bool *mark;                /* by register: live here, in the block that is walked */
    bool *changed;             /* by block: some register lives behind it no longer */
};

static bool has_effect(const struct live *l, uint32_t index)
{
    return l->d->names.traits[index] & PX_TRAIT_EFFECT;
}

/* Nothing of what was in the register is left. */
static bool replaces(const struct live *l, uint32_t index, const struct px_named *write)
{
    return !(l->d->names.traits[index] & PX_TRAIT_GUARD) && !write->part;
}

/* ---- what anything depends on ---- */

static void list_defs(struct live *l)
{
    struct px_body *d = l->d;
    const uint32_t n = px_body_registers(d);
    l->defs = px_flow_lists_begin(d->arena, n);
    for (uint32_t i = 0; i < d->items.n; i++) {
        const struct px_named_list writes = px_term_writes(d, i);
        for (const struct px_named *w = writes.at; w < writes.end; w++) px_flow_lists_count(&l->defs, w->reg);
    }
    px_flow_lists_place(&l->defs, d->arena, n);
    for (uint32_t i = 0; i < d->items.n; i++) {
        const struct px_named_list writes = px_term_writes(d, i);
        for (const struct px_named *w = writes.at; w < writes.end; w++)
            px_flow_lists_add(&l->defs, w->reg, i);
    }
}

static void need(struct live *l, uint32_t reg)
{
    if (l->asked[reg]) return;
    l->asked[reg] = true;
    px_vec_push(l->d->arena, &l->needed, reg);
}

static void revive(struct live *l, uint32_t index)
{
    const struct px_named_list reads = px_term_reads(l->d, index);
    if (!l->dead[index]) return;
    l->dead[index] = false;
    for (const struct px_named *r = reads.at; r < reads.end; r++) need(l, r->reg);
}

static void each_result(struct live *l, void (*call)(struct live *l, uint32_t reg))
{
    const struct px_function *fn = l->d->fn;
    for (uint32_t i = 0; i < fn->func->nrets; i++)
        if (fn->rets[i]->kind == PX_SYM_REG) call(l, fn->rets[i]->index);
}

static void find_needed(struct live *l)
{
    const uint32_t n = l->d->items.n;
    list_defs(l);
    memset(l->dead, true, n);
    each_result(l, need);
    for (uint32_t i = 0; i < n; i++)
        if (has_effect(l, i)) revive(l, i);
    while (l->needed.n) {
        const uint32_t reg = l->needed.at[--l->needed.n];
        for (uint32_t k = l->defs.first[reg]; k < l->defs.first[reg + 1]; k++) revive(l, l->defs.to[k]);
    }
    px_arena_drop(l->d->arena, l->defs.first);
    px_arena_drop(l->d->arena, l->defs.to);
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
    const struct px_named_list reads = px_term_reads(l->d, index), writes = px_term_writes(l->d, index);
    for (const struct px_named *r = reads.at; r < reads.end; r++)
        if (concerns(t, r->reg)) px_flow_live_read(t->flow, block, r->reg);
    for (const struct px_named *w = writes.at; w < writes.end; w++) {
        if (!concerns(t, w->reg)) continue;
        if (replaces(l, index, w))
            px_flow_live_write(t->flow, block, w->reg);
        else
            px_flow_live_name(t->flow, block, w->reg);
        px_vec_push(l->d->arena, &l->chain, w->reg);
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

static void tell_returned(const struct teller *t)
{
    const struct px_function *fn = t->l->d->fn;
    for (uint32_t i = 0; i < fn->func->nrets; i++)
        if (fn->rets[i]->kind == PX_SYM_REG && concerns(t, fn->rets[i]->index))
            px_flow_live_read(t->flow, t->l->d->graph.end, fn->rets[i]->index);
}

static void solve(struct live *l, struct px_flow_live *flow, bool again)
{
    const struct teller t = {l, flow, again};
    struct px_body *d = l->d;
    px_flow_live_begin(flow, d->arena, &d->graph, l->loops.order, l->loops.n, px_body_registers(d));
    px_flow_live_use_tree(flow, &l->loops, &l->tree, true);
    for (uint32_t k = 0; k < d->graph.nblocks; k++) tell_block(&t, k);
    tell_returned(&t);
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

static bool is_wanted(const struct live *l, uint32_t index)
{
    const struct px_named_list writes = px_term_writes(l->d, index);
    bool wanted = has_effect(l, index);
    for (const struct px_named *w = writes.at; w < writes.end; w++) wanted |= l->mark[w->reg];
    return wanted;
}

static void die(struct live *l, uint32_t index)
{
    const struct px_named_list reads = px_term_reads(l->d, index), writes = px_term_writes(l->d, index);
    l->dead[index] = true;
    for (const struct px_named *named = reads.at; named < writes.end; named++) {
        if (l->is_stale[named->reg]) continue;
        l->is_stale[named->reg] = true;
        px_vec_push(l->d->arena, &l->stale, named->reg);
    }
}

/* From the end of a block to its beginning. */
static void walk_block(struct live *l, uint32_t k)
{
    const struct px_flow_block *b = &l->d->graph.blocks[k];
    for (uint32_t i = b->first + b->n; i-- > b->first;) {
        if (l->dead[i]) continue;
        if (!is_wanted(l, i)) {
            die(l, i);
            continue;
        }
        const struct px_named_list reads = px_term_reads(l->d, i), writes = px_term_writes(l->d, i);
        for (const struct px_named *w = writes.at; w < writes.end; w++)
            if (replaces(l, i, w)) l->mark[w->reg] = false;
        for (const struct px_named *r = reads.at; r < reads.end; r++) l->mark[r->reg] = true;
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
    const uint32_t n = px_body_registers(d) + 1;
    struct live l = {.d = d,
                     .out = out,
                     .tree = px_flow_dominators(arena, arena, d->graph.n, &d->graph.succ, &d->graph.pred, 0),
                     .dead = PX_NEW_N(arena, bool, d->items.n + 1),
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
