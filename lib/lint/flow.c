/*
 * flow.c - flattens a body into items and references, and tells lib/flow where control goes.
 *
 * One pass over the tree makes items and remembers labels; a second lists the
 * items that end a block. Endless loops get an edge to the end, so that
 * post-dominators exist for all that is reached.
 */
#include "lint/flow.h"
#include "match/match.h"
#include <string.h>
#include "check/ends.h"
#include "match/registers.h"

struct build {
    struct px_lint_flow *flow;
    PX_VEC(struct px_lint_item) items;
    PX_VEC(struct px_lint_ref) refs;
    struct px_ends ends;
};

unsigned px_lint_line(const struct px_lint_flow *flow, px_pos pos)
{
    return px_source_place(&flow->module->source, pos).line;
}

/* ---- items and references ---- */

const struct px_symbol *px_lint_register(const struct px_operand *operand)
{
    const struct px_symbol *symbol = operand->kind == PX_O_NAME ? operand->symbol : NULL;
    return symbol && symbol->kind == PX_SYM_REG && symbol->level > 0 ? symbol : NULL;
}

static void add_register(void *user, const struct px_operand *operand, bool is_def)
{
    struct build *b = user;
    const struct px_symbol *symbol = px_lint_register(operand);
    if (!symbol) return;
    const uint8_t vec = b->flow->function->regs.at[symbol->index].vec;
    const bool one = vec <= 1 || operand->selector;
    struct px_lint_ref ref = {.operand = operand, .item = b->items.n, .is_def = is_def};
    for (uint32_t i = 0; i < (one ? 1u : vec); i++) {
        const uint32_t component = vec <= 1            ? 0
                                   : operand->selector ? px_selector_component(operand->selector)
                                                       : i;
        ref.reg = b->flow->reg_base[symbol->index] + component;
        px_vec_push(b->flow->arena, &b->refs, ref);
    }
}

/* A product of a warpgroup that starts anew (scale-d) reads registers that nobody has assigned, and whether
 * it does is known when it runs: its accumulator counts as written alone. */
static void forget_accumulator(struct build *b, uint32_t first)
{
    uint32_t n = 0, defs = first;
    while (defs < b->refs.n && !b->refs.at[defs].is_def) defs++;
    for (uint32_t i = first; i < b->refs.n; i++) {
        const struct px_lint_ref *ref = &b->refs.at[i];
        bool written = false;
        for (uint32_t d = defs; d < b->refs.n && !ref->is_def && !written; d++)
            written = b->refs.at[d].operand == ref->operand;
        if (!written) b->refs.at[first + n++] = *ref;
    }
    b->refs.n = first + n;
}

static void add_item(void *user, const struct px_inst *inst)
{
    struct build *b = user;
    struct px_match match;
    struct px_lint_item item = {.inst = inst, .first = b->refs.n};
    if (!px_match_inst(inst, &match)) return;
    item.op = (uint8_t)px_match_op(&match);
    for (int defs = 0; defs < 2; defs++) px_visit_registers(inst, &match, defs, add_register, b);
    item.result = (uint8_t)px_match_result(&match);
    if (px_lint_flags(&item) & PX_OPERATION_anew) forget_accumulator(b, item.first);
    px_vec_push(b->flow->arena, &b->items, item);
}

static void number_registers(struct px_lint_flow *flow)
{
    const struct px_function *function = flow->function;
    flow->reg_base = PX_NEW_N(flow->arena, uint32_t, function->regs.n + 1);
    for (uint32_t i = 0; i < function->regs.n; i++)
        flow->reg_base[i + 1] = flow->reg_base[i] + (function->regs.at[i].vec ? function->regs.at[i].vec : 1);
    flow->nregs = flow->reg_base[function->regs.n];
}

static void list_definitions(struct px_lint_flow *flow)
{
    struct px_flow_pair *pairs = PX_NEW_N(flow->arena, struct px_flow_pair, flow->nrefs + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < flow->nrefs; i++)
        if (flow->refs[i].is_def) pairs[n++] = (struct px_flow_pair){flow->refs[i].reg, i};
    flow->defs = px_flow_lists(flow->arena, flow->nregs, pairs, n);
}

uint32_t px_lint_guard(const struct px_lint_flow *flow, uint32_t item)
{
    const struct px_operand *guard = flow->items[item].inst->guard;
    const struct px_symbol *symbol = guard ? px_lint_register(guard) : NULL;
    return symbol ? flow->reg_base[symbol->index] : PX_FLOW_NONE;
}

const struct px_symbol *px_lint_callee(const struct px_inst *inst)
{
    const unsigned i = inst->nopds && inst->opds[0].kind == PX_O_LIST;
    const struct px_symbol *symbol = i < inst->nopds ? inst->opds[i].symbol : NULL;
    return symbol && symbol->kind == PX_SYM_FUNC ? symbol : NULL;
}

/* ---- the graph ---- */

static bool calls_for_good(const struct px_inst *inst)
{
    const struct px_symbol *callee = px_lint_callee(inst);
    const struct px_func *func = callee ? callee->u.func->func : NULL;
    for (unsigned i = 0; func && i < func->ndirs; i++)
        if (func->dirs[i].word == PX_W_noreturn) return true;
    return false;
}

static bool is_end(const struct px_lint_item *item)
{
    return px_lint_flags(item) & PX_OPERATION_calls ? calls_for_good(item->inst)
                                                    : px_lint_flags(item) & PX_OPERATION_ends;
}

static void list_ends(struct build *b)
{
    px_ends_begin(&b->ends, b->flow->nitems);
    for (uint32_t i = 0; i < b->flow->nitems; i++) {
        struct px_lint_item *item = &b->items.at[i];
        item->ends = is_end(item);
        if (item->ends) px_ends_add(&b->ends, item->inst, i, true);
    }
}

/* False: its edges are far more than the code. */
static bool build_graph(struct build *b)
{
    struct px_lint_flow *flow = b->flow;
    struct px_flow_graph *graph = &flow->graph;
    if (b->ends.too_many) return false;
    px_flow_graph(graph, flow->arena, &b->ends.code);
    if (px_flow_has_tables(graph)) return false;
    flow->order = px_flow_order(flow->arena, graph);
    flow->reached = PX_NEW_N(flow->arena, bool, graph->n);
    for (uint32_t i = 0; i < flow->order.n; i++) flow->reached[flow->order.nodes[i]] = true;
    flow->dominators = px_flow_dominators(flow->arena, flow->arena, graph->n, &graph->succ, &graph->pred, 0);
    flow->post =
        px_flow_dominators(flow->arena, flow->arena, graph->n, &graph->pred, &graph->succ, graph->end);
    return true;
}

bool px_lint_flow(struct px_lint_flow *flow, struct ptx_module *module, const struct px_function *function,
                  struct px_arena *scratch, const struct px_lint_wanted *wanted)
{
    struct px_lint_item end = {0};
    *flow = (struct px_lint_flow){.module = module, .function = function, .arena = scratch, .wanted = wanted};
    struct build b = {.flow = flow, .ends = {.arena = scratch, .any_label = true, .code.close_loops = true}};
    number_registers(flow);
    px_ends_body(&b.ends, function->func->body, add_item, &b);
    end.first = b.refs.n;
    px_vec_push(flow->arena, &b.items, end);
    flow->items = b.items.at;
    flow->nitems = b.items.n - 1;
    flow->refs = b.refs.at;
    flow->nrefs = b.refs.n;
    list_definitions(flow);
    if (!flow->nitems) return false;
    list_ends(&b);
    return build_graph(&b);
}
