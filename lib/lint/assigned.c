/*
 * assigned.c - registers that are read before anything is assigned to them.
 *
 * Most reads are settled at sight: the register is written before in the same
 * block, or in a block that dominates the read. For what is left: is the register
 * live at the beginning of the function? For the few registers that are, two
 * forward problems, 64 registers at a time, tell the reads apart: assigned on some
 * path to here, assigned on every path.
 *
 * A guarded write counts for some paths. It counts for all of them where the read
 * has the same guard, or where the write under the opposite guard has been passed:
 * both only if the guard is written once, so that it is the same value in both places.
 */
#include "flow/assigned.h"
#include "flow/live.h"
#include "lint/flow.h"
#include "match/match.h"

struct exposed {
    uint32_t ref; /* a read that no write of its block comes before */
    uint32_t bit; /* of its register among the candidates */
};

struct assigned {
    struct px_lint_flow *flow;
    bool *given;         /* by register: a parameter */
    bool *exchanged;     /* by register: an instruction between lanes reads it */
    bool *full;          /* by reference: a write that happens whenever its block is passed */
    uint32_t *written;   /* by register: the block that is being walked + 1, once it is fully written there */
    uint32_t *candidate; /* by register: its number among candidates; PX_FLOW_NONE */
    PX_VEC(uint32_t) registers; /* candidates */
    PX_VEC(struct exposed) reads;
    struct px_flow_facts *some, *all; /* by block */
    bool *told_never, *told_maybe;    /* by candidate */
};

/* ---- guards ---- */

static bool written_once(const struct px_lint_flow *flow, uint32_t reg)
{
    return reg != PX_FLOW_NONE && flow->defs.first[reg + 1] - flow->defs.first[reg] == 1;
}

/* Is item a passed on every way to item b? */
static bool comes_before(const struct px_lint_flow *flow, uint32_t a, uint32_t b)
{
    const uint32_t from = flow->graph.node_of[a], to = flow->graph.node_of[b];
    return from == to ? a < b : px_flow_dominates(&flow->dominators, from, to);
}

/* A write of `reg` before `item` under the guard of `item`, or under its opposite. */
static bool guarded_before(const struct px_lint_flow *flow, uint32_t reg, uint32_t item, bool opposite)
{
    enum { LOOK_AT = 64 }; /* keeps registers with very many writes linear */
    const uint32_t guard = px_lint_guard(flow, item), first = flow->defs.first[reg];
    uint32_t end = flow->defs.first[reg + 1];
    if (end > first + LOOK_AT) end = first + LOOK_AT;
    if (!written_once(flow, guard)) return false;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t other = flow->refs[flow->defs.to[i]].item;
        const bool same = flow->items[other].inst->guard_negated == flow->items[item].inst->guard_negated;
        if (other != item && px_lint_guard(flow, other) == guard && same != opposite &&
            comes_before(flow, other, item))
            return true;
    }
    return false;
}

static void mark_full(struct assigned *a)
{
    const struct px_lint_flow *flow = a->flow;
    a->full = PX_NEW_N(flow->arena, bool, flow->nrefs + 1);
    for (uint32_t i = 0; i < flow->nrefs; i++) {
        const struct px_lint_ref *ref = &flow->refs[i];
        if (ref->is_def)
            a->full[i] =
                !flow->items[ref->item].inst->guard || guarded_before(flow, ref->reg, ref->item, true);
    }
}

/* ---- what is not settled at sight ---- */

/* Does the first full write of a register dominate the read? */
static bool settled(const struct assigned *a, const struct px_lint_ref *read)
{
    const struct px_lint_flow *flow = a->flow;
    for (uint32_t i = flow->defs.first[read->reg]; i < flow->defs.first[read->reg + 1]; i++)
        if (a->full[flow->defs.to[i]])
            return comes_before(flow, flow->refs[flow->defs.to[i]].item, read->item) ||
                   guarded_before(flow, read->reg, read->item, false);
    return guarded_before(flow, read->reg, read->item, false);
}

static void look_at(struct assigned *a, uint32_t i, uint32_t block)
{
    const struct px_lint_ref *ref = &a->flow->refs[i];
    if (ref->is_def && a->full[i]) a->written[ref->reg] = block + 1;
    if (ref->is_def || a->given[ref->reg] || a->written[ref->reg] == block + 1 || settled(a, ref)) return;
    if (a->candidate[ref->reg] == PX_FLOW_NONE) {
        a->candidate[ref->reg] = a->registers.n;
        px_vec_push(a->flow->arena, &a->registers, ref->reg);
    }
    struct exposed read = {i, a->candidate[ref->reg]};
    px_vec_push(a->flow->arena, &a->reads, read);
}

/* Parameters in registers come assigned. */
static bool *find_parameters(const struct px_lint_flow *flow)
{
    bool *given = PX_NEW_N(flow->arena, bool, flow->nregs + 1);
    for (unsigned i = 0; i < flow->function->func->nparams; i++) {
        const struct px_symbol *symbol = flow->function->params[i];
        if (symbol->kind != PX_SYM_REG) continue;
        for (uint32_t r = flow->reg_base[symbol->index]; r < flow->reg_base[symbol->index + 1]; r++)
            given[r] = true;
    }
    return given;
}

static bool *find_exchanged(const struct px_lint_flow *flow)
{
    bool *exchanged = PX_NEW_N(flow->arena, bool, flow->nregs + 1);
    for (uint32_t i = 0; i < flow->nrefs; i++) {
        const struct px_lint_ref *ref = &flow->refs[i];
        if (px_lint_flags(&flow->items[ref->item]) & PX_OPERATION_exchanges)
            exchanged[ref->reg] |= !ref->is_def && ref->operand != flow->items[ref->item].inst->guard;
    }
    return exchanged;
}

static void find_reads(struct assigned *a)
{
    const struct px_lint_flow *flow = a->flow;
    a->given = find_parameters(flow);
    a->exchanged = find_exchanged(flow);
    a->written = PX_NEW_N(flow->arena, uint32_t, flow->nregs + 1);
    a->candidate = PX_NEW_N(flow->arena, uint32_t, flow->nregs + 1);
    for (uint32_t r = 0; r < flow->nregs; r++) a->candidate[r] = PX_FLOW_NONE;
    for (uint32_t k = 0; k < flow->graph.nblocks; k++) {
        const struct px_flow_block *block = &flow->graph.blocks[k];
        if (!flow->reached[k]) continue;
        for (uint32_t i = flow->items[block->first].first; i < flow->items[block->first + block->n].first;
             i++)
            look_at(a, i, k);
    }
}

/* ---- backward: what is needed at the beginning ---- */

/* By candidate: does some path from the beginning to a read not assign it? */
static bool *find_needed(const struct assigned *a)
{
    const struct px_lint_flow *flow = a->flow;
    struct px_flow_live live;
    uint32_t read = 0;
    px_flow_live_begin(&live, flow->arena, &flow->graph, flow->order.nodes, flow->order.n, a->registers.n);
    for (uint32_t i = 0; i < flow->nrefs; i++) {
        const struct px_lint_ref *ref = &flow->refs[i];
        const uint32_t block = flow->graph.node_of[ref->item], candidate = a->candidate[ref->reg];
        if (read < a->reads.n && a->reads.at[read].ref == i)
            px_flow_live_read(&live, block, a->reads.at[read++].bit);
        else if (a->full[i] && candidate != PX_FLOW_NONE)
            px_flow_live_write(&live, block, candidate);
    }
    px_flow_live(&live);
    return live.at_start;
}

/* Leaves the registers that the beginning needs, and their reads; of hopeless code only the first ones. */
static void keep_needed(struct assigned *a)
{
    enum { KEPT_MAX = 1024 };
    const bool *needed = find_needed(a);
    uint32_t *kept = PX_NEW_N(a->flow->arena, uint32_t, a->registers.n), n = 0;
    for (uint32_t c = 0; c < a->registers.n; c++) kept[c] = needed[c] && n < KEPT_MAX ? n++ : PX_FLOW_NONE;
    for (uint32_t c = 0; c < a->registers.n; c++)
        if (kept[c] != PX_FLOW_NONE) a->registers.at[kept[c]] = a->registers.at[c];
    a->registers.n = n;
    n = 0;
    for (uint32_t i = 0; i < a->reads.n; i++) {
        const struct exposed read = {a->reads.at[i].ref, kept[a->reads.at[i].bit]};
        if (read.bit != PX_FLOW_NONE) a->reads.at[n++] = read;
    }
    a->reads.n = n;
}

/* ---- forward: assigned on some path, on every path ---- */

/* Fills `done` for candidates 64 * batch and on. */
static void fill_batch(struct assigned *a, uint32_t batch)
{
    const struct px_lint_flow *flow = a->flow;
    for (uint32_t k = 0; k < flow->graph.n; k++) a->some[k].done = a->all[k].done = 0;
    for (uint32_t c = batch * 64; c < a->registers.n && c < batch * 64 + 64; c++) {
        const uint32_t reg = a->registers.at[c];
        const uint64_t bit = 1ull << (c % 64);
        for (uint32_t i = flow->defs.first[reg]; i < flow->defs.first[reg + 1]; i++) {
            const uint32_t ref = flow->defs.to[i], block = flow->graph.node_of[flow->refs[ref].item];
            a->some[block].done |= bit;
            if (a->full[ref]) a->all[block].done |= bit;
        }
    }
}

/* Numbers of the reads by batch. */
static struct px_flow_lists batches_of(const struct assigned *a)
{
    struct px_flow_pair *pairs = PX_NEW_N(a->flow->arena, struct px_flow_pair, a->reads.n + 1);
    for (uint32_t i = 0; i < a->reads.n; i++) pairs[i] = (struct px_flow_pair){a->reads.at[i].bit / 64, i};
    return px_flow_lists(a->flow->arena, (a->registers.n + 63) / 64, pairs, a->reads.n);
}

/* ---- verdicts ---- */

static void say_never(const struct assigned *a, const struct px_lint_ref *ref)
{
    const struct px_lint_flow *flow = a->flow;
    const struct px_operand *operand = ref->operand;
    const uint32_t first = flow->defs.first[ref->reg];
    struct px_diag *diag =
        px_lint_say(flow, LINT_UNASSIGNED, operand->pos, operand->length, operand->u.name->text);
    if (first == flow->defs.first[ref->reg + 1]) {
        px_diag_note(&flow->module->diags, diag, "nothing assigns to '%s'", operand->u.name->text);
        return;
    }
    const uint32_t item = flow->refs[flow->defs.to[first]].item;
    px_diag_note(&flow->module->diags, diag, "the assignment on line %u is on no path to here",
                 px_lint_item_line(flow, item));
    px_lint_relate(flow, diag, item, "it is assigned here");
}

static bool is_byte(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nmods; i++) switch (inst->mods[i].name->word) {
        case PX_W_b8:
        case PX_W_u8:
        case PX_W_s8: return true;
        default: break;
        }
    return false;
}

/*
 * Packing, prmt and stores of a byte or a vector put bits in places without looking at them. Compilers fill
 * up with registers that are never assigned what a later mask throws away or what lies between the members of
 * a structure, and copy empty objects as one such byte, so these reads are no certain fault.
 */
static bool only_places(const struct px_lint_flow *flow, const struct px_lint_ref *ref)
{
    const struct px_lint_item *item = &flow->items[ref->item];
    if (ref->operand == item->inst->guard) return false;
    if (px_op_stores(px_lint_flags(item)))
        return item->inst->opds[1].kind == PX_O_VEC ||
               (ref->operand == &item->inst->opds[1] && is_byte(item->inst));
    return px_lint_flags(item) & PX_OPERATION_places || px_inst_in(item->inst, PX_SET_places);
}

static void say_maybe(const struct assigned *a, const struct px_lint_ref *ref, bool some)
{
    const struct px_lint_flow *flow = a->flow;
    const struct px_operand *operand = ref->operand;
    struct px_diag *diag =
        px_lint_say(flow, LINT_MAYBE_UNASSIGNED, operand->pos, operand->length, operand->u.name->text);
    if (!some) {
        px_diag_note(&flow->module->diags, diag,
                     "no path to here assigns it, but '%s' may only put its bits where nothing looks",
                     flow->items[ref->item].inst->opcode->text);
        return;
    }
    const uint32_t def = flow->defs.to[flow->defs.first[ref->reg]];
    px_diag_note(&flow->module->diags, diag,
                 "there is a path to here that passes no assignment%s; the first is on line %u",
                 a->full[def] ? "" : " without a guard", px_lint_item_line(flow, flow->refs[def].item));
    px_lint_relate(flow, diag, flow->refs[def].item, "it is first assigned here");
}

/*
 * What compilers do on purpose, told only with everything: registers that some ways assign without a guard,
 * since branches can be so related that no thread misses them all; and registers that only loads under a
 * guard write and an instruction between lanes reads, since what the other lanes hand on need not count.
 */
static bool is_common(const struct assigned *a, uint32_t reg)
{
    enum { LOOK_AT = 64 };
    const struct px_lint_flow *flow = a->flow;
    const uint32_t first = flow->defs.first[reg], end = flow->defs.first[reg + 1];
    bool loads = a->exchanged[reg];
    if (end - first > LOOK_AT) return true;
    for (uint32_t i = first; i < end; i++) {
        const struct px_lint_item *item = &flow->items[flow->refs[flow->defs.to[i]].item];
        if (!item->inst->guard) return true;
        loads &= px_op_loads(px_lint_flags(item));
    }
    return loads;
}

/* Was the register written under a guard earlier in the block of the read? */
static bool written_here(const struct px_lint_flow *flow, const struct px_lint_ref *read)
{
    for (uint32_t i = flow->defs.first[read->reg]; i < flow->defs.first[read->reg + 1]; i++) {
        const uint32_t item = flow->refs[flow->defs.to[i]].item;
        if (item >= read->item) return false;
        if (flow->graph.node_of[item] == flow->graph.node_of[read->item]) return true;
    }
    return false;
}

/* A register is told of once for each of the two. */
static void judge(struct assigned *a, const struct exposed *read)
{
    const struct px_lint_ref *ref = &a->flow->refs[read->ref];
    const uint32_t block = a->flow->graph.node_of[ref->item];
    const uint64_t bit = 1ull << (read->bit % 64);
    if (a->all[block].before & bit) return;
    const bool some = a->some[block].before & bit || written_here(a->flow, ref);
    const bool maybe = some || only_places(a->flow, ref);
    if (maybe && !a->flow->wanted->all && (!some || is_common(a, ref->reg))) return;
    bool *told = maybe ? &a->told_maybe[read->bit] : &a->told_never[read->bit];
    if (*told) return;
    *told = true;
    if (maybe)
        say_maybe(a, ref, some);
    else
        say_never(a, ref);
}

static void judge_all(struct assigned *a)
{
    const struct px_flow_lists reads = batches_of(a);
    for (uint32_t batch = 0; batch * 64 < a->registers.n; batch++) {
        fill_batch(a, batch);
        px_flow_assigned(&a->flow->graph, &a->flow->order, a->some, a->all);
        for (uint32_t i = reads.first[batch]; i < reads.first[batch + 1]; i++)
            judge(a, &a->reads.at[reads.to[i]]);
    }
}

void px_lint_assigned(struct px_lint_flow *flow)
{
    struct assigned a = {.flow = flow};
    const uint32_t n = flow->graph.n;
    mark_full(&a);
    find_reads(&a);
    if (!a.reads.n) return;
    keep_needed(&a);
    if (!a.reads.n) return;
    a.some = PX_NEW_N(flow->arena, struct px_flow_facts, n);
    a.all = PX_NEW_N(flow->arena, struct px_flow_facts, n);
    a.told_never = PX_NEW_N(flow->arena, bool, a.registers.n);
    a.told_maybe = PX_NEW_N(flow->arena, bool, a.registers.n);
    judge_all(&a);
}
