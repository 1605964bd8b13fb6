/*
 * flow.c - flattens a body into items, references, blocks and their graph.
 *
 * One pass over the tree makes items and remembers labels; a second cuts blocks
 * at labels that something names and behind whatever leaves a block; a third
 * makes the edges. A block that cannot reach the end (an endless loop) gets an
 * edge to it, so that post-dominators exist for all that is reached.
 */
#include "lint/flow.h"
#include <string.h>
#include "check/registers.h"

struct label {
    const struct px_stmt *stmt;
    uint32_t item; /* the first behind it */
};

struct build {
    struct px_lint_flow *flow;
    PX_VEC(struct px_lint_item) items;
    PX_VEC(struct px_lint_ref) refs;
    PX_VEC(struct label) labels;
    PX_VEC(struct px_lint_pair) edges;
};

unsigned px_lint_line(const struct px_lint_flow *flow, px_pos pos)
{
    return px_source_place(&flow->module->source, pos).line;
}

struct px_lint_lists px_lint_lists(struct px_arena *arena, uint32_t nodes, const struct px_lint_pair *pairs, uint32_t n)
{
    struct px_lint_lists lists = {PX_NEW_N(arena, uint32_t, nodes + 2), PX_NEW_N(arena, uint32_t, n + 1)};
    uint32_t *at = lists.first + 1; /* at[k] moves from the beginning of list k to its end */
    for (uint32_t i = 0; i < n; i++)
        if (pairs[i].from + 1 < nodes) at[pairs[i].from + 1]++;
    for (uint32_t k = 1; k < nodes; k++) at[k] += at[k - 1];
    for (uint32_t i = 0; i < n; i++) lists.to[at[pairs[i].from]++] = pairs[i].to;
    return lists;
}

/* ---- items and references ---- */

const struct px_symbol *px_lint_register(const struct px_operand *operand)
{
    const struct px_symbol *symbol = operand->kind == PX_O_NAME ? operand->symbol : NULL;
    return symbol && symbol->kind == PX_SYM_REG && symbol->level > 0 ? symbol : NULL;
}

static uint32_t component_of(px_word selector)
{
    switch (selector) {
    case PX_W_y: case PX_W_g: return 1;
    case PX_W_z: case PX_W_b: return 2;
    case PX_W_w: case PX_W_a: return 3;
    default: return 0;
    }
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
        const uint32_t component = vec <= 1 ? 0 : operand->selector ? component_of(operand->selector) : i;
        ref.reg = b->flow->reg_base[symbol->index] + component;
        px_vec_push(b->flow->arena, &b->refs, ref);
    }
}

static void add_item(struct build *b, const struct px_inst *inst)
{
    struct px_match match;
    struct px_lint_item item = {.inst = inst, .first = b->refs.n};
    if (!px_match_inst(inst, &match)) return;
    item.op = (uint8_t)px_match_op(&match);
    for (int defs = 0; defs < 2; defs++) px_visit_registers(inst, &match, defs, add_register, b);
    px_vec_push(b->flow->arena, &b->items, item);
}

static void add_block(struct build *b, const struct px_block *block)
{
    for (uint32_t i = 0; i < block->n; i++) {
        const struct px_stmt *stmt = block->list[i];
        struct label label = {stmt, b->items.n};
        if (stmt->kind == PX_S_INST) add_item(b, &stmt->u.inst);
        if (stmt->kind == PX_S_BLOCK) add_block(b, &stmt->u.block);
        if (stmt->kind == PX_S_LABEL) px_vec_push(b->flow->arena, &b->labels, label);
    }
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
    struct px_lint_pair *pairs = PX_NEW_N(flow->arena, struct px_lint_pair, flow->nrefs + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < flow->nrefs; i++)
        if (flow->refs[i].is_def) pairs[n++] = (struct px_lint_pair){flow->refs[i].reg, i};
    flow->defs = px_lint_lists(flow->arena, flow->nregs, pairs, n);
}

uint32_t px_lint_guard(const struct px_lint_flow *flow, uint32_t item)
{
    const struct px_operand *guard = flow->items[item].inst->guard;
    const struct px_symbol *symbol = guard ? px_lint_register(guard) : NULL;
    return symbol ? flow->reg_base[symbol->index] : PX_LINT_NONE;
}

const struct px_symbol *px_lint_callee(const struct px_inst *inst)
{
    const unsigned i = inst->nopds && inst->opds[0].kind == PX_O_LIST;
    const struct px_symbol *symbol = i < inst->nopds ? inst->opds[i].symbol : NULL;
    return symbol && symbol->kind == PX_SYM_FUNC ? symbol : NULL;
}

/* ---- blocks ---- */

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
    switch (item->op) {
    case PX_OP_bra: case PX_OP_brx: case PX_OP_ret: case PX_OP_exit: case PX_OP_trap: return true;
    case PX_OP_call: return calls_for_good(item->inst);
    default: return false;
    }
}

/* The item behind a label: labels are in text order. */
static uint32_t label_item(const struct build *b, const struct px_symbol *symbol)
{
    uint32_t low = 0, high = b->labels.n;
    if (!symbol || symbol->kind != PX_SYM_LABEL) return PX_LINT_NONE;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const struct label *label = &b->labels.at[middle];
        if (label->stmt == symbol->u.stmt) return label->item;
        if (label->stmt->pos < symbol->u.stmt->pos)
            low = middle + 1;
        else
            high = middle;
    }
    return PX_LINT_NONE;
}

/* Calls visit(item) for every target of a branch. A range in .branchtargets counts as every label there is. */
typedef void visit_target(struct build *b, uint32_t from, uint32_t item);

static void each_target(struct build *b, uint32_t i, visit_target *visit)
{
    const struct px_inst *inst = b->items.at[i].inst;
    if (b->items.at[i].op == PX_OP_bra) {
        const uint32_t target = label_item(b, inst->opds[0].symbol);
        if (target != PX_LINT_NONE) visit(b, i, target);
    }
    if (b->items.at[i].op != PX_OP_brx) return;
    const struct px_stmt *table = inst->opds[1].symbol->u.stmt;
    for (uint32_t k = 0; k < table->u.targets.n; k++) {
        const uint32_t target = label_item(b, table->u.targets.list[k].symbol);
        if (target != PX_LINT_NONE) visit(b, i, target);
        for (uint32_t l = 0; target == PX_LINT_NONE && l < b->labels.n; l++) visit(b, i, b->labels.at[l].item);
    }
}

/* Until blocks have numbers, `block` of an item says whether one begins there. */
static void mark_leader(struct build *b, uint32_t from, uint32_t item)
{
    (void)from;
    b->items.at[item].block = 1;
}

static void cut_blocks(struct build *b)
{
    struct px_lint_flow *flow = b->flow;
    uint32_t n = 0;
    b->items.at[0].block = 1;
    for (uint32_t i = 0; i < flow->nitems; i++) {
        struct px_lint_item *item = &b->items.at[i];
        item->ends = is_end(item);
        if (item->ends) b->items.at[i + 1].block = 1;
        each_target(b, i, mark_leader);
    }
    for (uint32_t i = 0; i < flow->nitems; i++) n += b->items.at[i].block;
    flow->blocks = PX_NEW_N(flow->arena, struct px_lint_block, n + 1);
    flow->nblocks = n;
    n = 0;
    for (uint32_t i = 0; i < flow->nitems; i++) {
        if (b->items.at[i].block) flow->blocks[n++].first = i;
        b->items.at[i].block = n - 1;
        flow->blocks[n - 1].n++;
    }
    b->items.at[flow->nitems].block = flow->nblocks;
}

/* ---- the graph ---- */

static void add_edge(struct build *b, uint32_t from, uint32_t item)
{
    struct px_lint_pair edge = {b->items.at[from].block, b->items.at[item].block};
    px_vec_push(b->flow->arena, &b->edges, edge);
}

/* Do branches go through so many targets of tables that the edges are far more than the code? */
static bool is_dense(const struct build *b)
{
    enum { FEW = 1 << 20, FOR_AN_ITEM = 16 };
    uint64_t left = FEW + (uint64_t)FOR_AN_ITEM * b->flow->nitems;
    for (uint32_t i = 0; i < b->flow->nitems; i++) {
        const struct px_inst *inst = b->items.at[i].inst;
        const struct px_stmt *table = b->items.at[i].op == PX_OP_brx ? inst->opds[1].symbol->u.stmt : NULL;
        for (uint32_t k = 0; table && k < table->u.targets.n; k++) {
            const uint64_t edges = table->u.targets.list[k].symbol ? 1 : b->labels.n; /* each_target */
            if (edges > left) return true;
            left -= edges;
        }
    }
    return false;
}

static void add_edges(struct build *b)
{
    const struct px_lint_flow *flow = b->flow;
    for (uint32_t k = 0; k < flow->nblocks; k++) {
        const uint32_t last = flow->blocks[k].first + flow->blocks[k].n - 1;
        const struct px_lint_item *item = &b->items.at[last];
        const bool branches = item->op == PX_OP_bra || item->op == PX_OP_brx;
        if (!item->ends || item->inst->guard) add_edge(b, last, last + 1);
        if (item->ends && !branches) add_edge(b, last, flow->nitems);
        each_target(b, last, add_edge);
    }
}

static void build_graph(struct build *b)
{
    struct px_lint_flow *flow = b->flow;
    struct px_lint_graph *graph = &flow->graph;
    struct px_lint_pair *back = PX_NEW_N(flow->arena, struct px_lint_pair, b->edges.n + 1);
    for (uint32_t i = 0; i < b->edges.n; i++) back[i] = (struct px_lint_pair){b->edges.at[i].to, b->edges.at[i].from};
    graph->n = flow->nblocks + 1;
    graph->succ = px_lint_lists(flow->arena, graph->n, b->edges.at, b->edges.n);
    graph->pred = px_lint_lists(flow->arena, graph->n, back, b->edges.n);
}

/* Everything reached from `node` over `lists` gets its mark. */
static void spread(struct px_arena *arena, const struct px_lint_lists *lists, uint32_t n, uint32_t node, bool *mark,
                   uint32_t **stack)
{
    uint32_t top = 0;
    if (!*stack) *stack = PX_NEW_N(arena, uint32_t, n);
    mark[node] = true;
    (*stack)[top++] = node;
    while (top) {
        node = (*stack)[--top];
        for (uint32_t i = lists->first[node]; i < lists->first[node + 1]; i++) {
            if (mark[lists->to[i]]) continue;
            mark[lists->to[i]] = true;
            (*stack)[top++] = lists->to[i];
        }
    }
}

/* Gives endless loops a way to the end; true when the graph has to be built again. */
static bool end_loops(struct build *b)
{
    struct px_lint_flow *flow = b->flow;
    const struct px_lint_graph *graph = &flow->graph;
    bool *ends = PX_NEW_N(flow->arena, bool, graph->n);
    uint32_t *stack = NULL, before = b->edges.n;
    spread(flow->arena, &graph->pred, graph->n, flow->nblocks, ends, &stack);
    for (uint32_t k = flow->nblocks; k-- > 0;) {
        if (ends[k]) continue;
        add_edge(b, flow->blocks[k].first, flow->nitems);
        spread(flow->arena, &graph->pred, graph->n, k, ends, &stack);
    }
    return b->edges.n > before;
}

/* Depth first; a node gets its place when all that follows it has one. */
static void order_nodes(struct px_lint_flow *flow)
{
    const struct px_lint_lists *succ = &flow->graph.succ;
    const uint32_t n = flow->graph.n;
    uint32_t *stack = PX_NEW_N(flow->arena, uint32_t, n), *edge = PX_NEW_N(flow->arena, uint32_t, n);
    bool *seen = PX_NEW_N(flow->arena, bool, n);
    uint32_t *places = PX_NEW_N(flow->arena, uint32_t, n), at = n, top = 0;
    stack[top++] = 0;
    seen[0] = true;
    edge[0] = succ->first[0];
    while (top) {
        const uint32_t node = stack[top - 1];
        if (edge[node] == succ->first[node + 1]) {
            places[--at] = node;
            top--;
            continue;
        }
        const uint32_t to = succ->to[edge[node]++];
        if (seen[to]) continue;
        seen[to] = true;
        edge[to] = succ->first[to];
        stack[top++] = to;
    }
    flow->order = places + at;
    flow->norder = n - at;
    for (uint32_t i = 0; i < flow->norder; i++) flow->blocks[flow->order[i]].reached = true;
}

bool px_lint_flow(struct px_lint_flow *flow, struct ptx_module *module, const struct px_function *function,
                  struct px_arena *scratch, px_lint_find *find)
{
    struct px_lint_item end = {0};
    *flow = (struct px_lint_flow){.module = module, .function = function, .arena = scratch, .find = find};
    struct build b = {.flow = flow};
    number_registers(flow);
    add_block(&b, function->func->body);
    end.first = b.refs.n;
    px_vec_push(flow->arena, &b.items, end);
    flow->items = b.items.at;
    flow->nitems = b.items.n - 1;
    flow->refs = b.refs.at;
    flow->nrefs = b.refs.n;
    list_definitions(flow);
    if (!flow->nitems || is_dense(&b)) return false;
    cut_blocks(&b);
    add_edges(&b);
    build_graph(&b);
    if (end_loops(&b)) build_graph(&b);
    order_nodes(flow);
    const struct px_lint_graph *graph = &flow->graph;
    flow->dominators = px_lint_dominators(flow->arena, graph->n, &graph->succ, &graph->pred, 0);
    flow->post = px_lint_dominators(flow->arena, graph->n, &graph->pred, &graph->succ, flow->nblocks);
    return true;
}
