/*
 * decode_cfg.c - the body of a function as blocks, and the order of their code.
 *
 * The order is what the scheduler goes by: among entries of one frame the lowest
 * pc runs first. It is a weak topological order (Bourdoncle 1993): the blocks of
 * every loop are contiguous and start with its head, and apart from edges back
 * to a loop's head every edge goes forward. So lanes that have left a loop wait
 * behind it for those inside, and lanes that took one side of a branch wait
 * where the sides meet. Recursion depth would follow the input, so the component
 * search keeps its own stack.
 */
#include "vm/decode.h"

/* ---- flattening ---- */

struct flatten {
    struct px_fn_dec *d;
    uint32_t loc;
};

static void flatten_block(struct flatten *f, const struct px_block *block);

static void flatten_inst(struct flatten *f, const struct px_inst *inst)
{
    struct px_fn_dec *d = f->d;
    struct px_dinst item = {.inst = inst, .loc = f->loc, .opcode = inst->opcode->word, .handler = -1};
    if (!px_match_inst(inst, &item.match)) px_dec_fail(d, inst, "has no form");
    if (!px_form_executable(item.match.form)) px_dec_fail(d, inst, "cannot be run by this VM");
    item.handler = (int16_t)px_match_handler(&item.match);
    item.op = px_match_op(&item.match);
    px_vec_push(d->dec->arena, &d->items, item);
}

static void flatten_stmt(struct flatten *f, const struct px_stmt *s)
{
    struct px_fn_dec *d = f->d;
    switch (s->kind) {
    case PX_S_INST:
        flatten_inst(f, &s->u.inst);
        break;
    case PX_S_BLOCK:
        flatten_block(f, &s->u.block);
        break;
    case PX_S_LOC:
        f->loc++;
        break;
    case PX_S_LABEL: {
        struct px_label label = {s, d->items.n};
        px_vec_push(d->dec->arena, &d->labels, label);
        break;
    }
    default:
        break;
    }
}

static void flatten_block(struct flatten *f, const struct px_block *block)
{
    for (uint32_t i = 0; i < block->n; i++) flatten_stmt(f, block->list[i]);
}

void px_dec_flatten(struct px_fn_dec *d)
{
    struct flatten f = {d, 0};
    flatten_block(&f, d->fn->func->body);
}

/* The item that a label symbol names. */
static uint32_t label_item(struct px_fn_dec *d, const struct px_inst *inst, const struct px_symbol *symbol)
{
    if (symbol && symbol->kind == PX_SYM_LABEL)
        for (uint32_t lo = 0, hi = d->labels.n; lo < hi;) {
            uint32_t mid = (lo + hi) / 2;
            const struct px_label *l = &d->labels.at[mid];
            if (l->stmt == symbol->u.stmt) return l->item;
            if (l->stmt->pos < symbol->u.stmt->pos)
                lo = mid + 1;
            else
                hi = mid;
        }
    px_dec_fail(d, inst, "has a target that is no label of its function");
}

/* ---- blocks ---- */

static bool is_end(enum px_op op)
{
    return op == PX_OP_bra || op == PX_OP_brx || op == PX_OP_ret || op == PX_OP_exit || op == PX_OP_trap;
}

static void mark_targets(struct px_fn_dec *d, const struct px_dinst *item, bool *leader)
{
    if (item->op == PX_OP_bra) {
        leader[label_item(d, item->inst, item->inst->opds[0].symbol)] = true;
    } else if (item->op == PX_OP_brx) {
        const struct px_stmt *table = item->inst->opds[1].symbol->u.stmt;
        for (uint32_t i = 0; i < table->u.targets.n; i++)
            leader[label_item(d, item->inst, table->u.targets.list[i].symbol)] = true;
    }
}

static bool *find_leaders(struct px_fn_dec *d)
{
    uint32_t n = d->items.n;
    bool *leader = PX_NEW_N(d->dec->arena, bool, n + 1);
    leader[0] = true;
    for (uint32_t i = 0; i < n; i++) {
        struct px_dinst *item = &d->items.at[i];
        mark_targets(d, item, leader);
        item->ends = is_end(item->op);
        if (item->ends) leader[i + 1] = true;
    }
    return leader;
}

/* Block of an item; behind the last item there is an empty block that returns. */
static uint32_t block_at(const struct px_fn_dec *d, uint32_t item)
{
    return item < d->items.n ? d->items.at[item].block : d->nblocks - 1;
}

static void add_targets(struct px_fn_dec *d, struct px_block_info *b, const struct px_dinst *last)
{
    const struct px_inst *inst = last->inst;
    if (last->op == PX_OP_bra) {
        b->succ[1] = block_at(d, label_item(d, inst, inst->opds[0].symbol));
        return;
    }
    if (last->op != PX_OP_brx) return;
    const struct px_stmt *table = inst->opds[1].symbol->u.stmt;
    uint32_t *more = PX_NEW_N(d->dec->arena, uint32_t, table->u.targets.n);
    for (uint32_t i = 0; i < table->u.targets.n; i++)
        more[i] = block_at(d, label_item(d, inst, table->u.targets.list[i].symbol));
    b->more = more;
    b->nmore = table->u.targets.n;
}

static void add_edges(struct px_fn_dec *d, uint32_t k)
{
    struct px_block_info *b = &d->blocks[k];
    const struct px_dinst *last = b->n ? &d->items.at[b->first + b->n - 1] : NULL;
    b->succ[0] = b->succ[1] = PX_NONE32;
    if (k == d->nblocks - 1) return;
    if (!last || !last->ends || last->inst->guard) b->succ[0] = k + 1;
    if (last && last->ends) add_targets(d, b, last);
}

static void count_preds(struct px_fn_dec *d)
{
    for (uint32_t k = 0; k < d->nblocks; k++) {
        const struct px_block_info *b = &d->blocks[k];
        for (int i = 0; i < 2; i++)
            if (b->succ[i] != PX_NONE32) d->blocks[b->succ[i]].preds++;
        for (uint32_t i = 0; i < b->nmore; i++) d->blocks[b->more[i]].preds++;
    }
}

void px_dec_blocks(struct px_fn_dec *d)
{
    uint32_t n = d->items.n, count = 1;
    bool *leader = find_leaders(d);
    for (uint32_t i = 0; i < n; i++) count += leader[i];
    d->blocks = PX_NEW_N(d->dec->arena, struct px_block_info, count);
    d->nblocks = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (leader[i]) d->blocks[d->nblocks++].first = i;
        d->items.at[i].block = d->nblocks - 1;
        d->blocks[d->nblocks - 1].n++;
    }
    d->blocks[d->nblocks++].first = n;
    for (uint32_t k = 0; k < d->nblocks; k++) add_edges(d, k);
    count_preds(d);
}

/* ---- weak topological order ---- */

/*
 * Tarjan's component search, run again inside each component without its head.
 * `scope[b]` is the number of the search that may visit block b; components come
 * out in reverse topological order, so the layout is filled from its end.
 */
struct order {
    struct px_fn_dec *d;
    uint32_t *scope, *number, *low;
    uint32_t *stack, nstack; /* Tarjan's stack */
    struct visit {
        uint32_t block, edge;
    } * visits;
    uint32_t nvisits;
    uint32_t counter, end; /* end: places of the layout from here on are filled */
    struct task {
        uint32_t first, n, scope, at;
    } * tasks; /* components still to be ordered inside */
    uint32_t ntasks, scopes;
    uint32_t *members; /* pool of the tasks' blocks */
    uint32_t nmembers;
};

static uint32_t edge_of(const struct px_block_info *b, uint32_t i)
{
    if (i < 2) return b->succ[i];
    return i - 2 < b->nmore ? b->more[i - 2] : PX_NONE32;
}

static void push_block(struct order *o, uint32_t block)
{
    o->number[block] = o->low[block] = ++o->counter;
    o->stack[o->nstack++] = block;
    o->visits[o->nvisits++] = (struct visit){block, 0};
}

/* Component on top of Tarjan's stack with `head` deepest: place it, and keep its inside for later. */
static void close_component(struct order *o, uint32_t head)
{
    uint32_t n = 0, from = o->nstack;
    while (o->stack[--from] != head) n++;
    o->end -= n + 1;
    o->d->layout[o->end] = head;
    o->scope[head] = 0;
    if (n) {
        o->scopes++;
        o->tasks[o->ntasks++] = (struct task){o->nmembers, n, o->scopes, o->end + 1};
        for (uint32_t i = 0; i < n; i++) {
            uint32_t b = o->stack[from + 1 + i];
            o->members[o->nmembers++] = b;
            o->scope[b] = o->scopes;
            o->number[b] = 0;
        }
    }
    o->nstack = from;
}

/* One step of the search from the block on top. */
static void step(struct order *o, uint32_t scope)
{
    struct visit *v = &o->visits[o->nvisits - 1];
    const struct px_block_info *b = &o->d->blocks[v->block];
    if (v->edge < 2 + b->nmore) {
        uint32_t to = edge_of(b, v->edge++), from = v->block;
        if (to == PX_NONE32 || o->scope[to] != scope) return;
        if (!o->number[to])
            push_block(o, to);
        else if (o->number[to] < o->low[from])
            o->low[from] = o->number[to];
        return;
    }
    uint32_t block = v->block;
    o->nvisits--;
    if (o->nvisits) {
        uint32_t up = o->visits[o->nvisits - 1].block;
        if (o->low[block] < o->low[up]) o->low[up] = o->low[block];
    }
    if (o->low[block] == o->number[block]) close_component(o, block);
}

static void search(struct order *o, uint32_t root, uint32_t scope)
{
    push_block(o, root);
    while (o->nvisits) step(o, scope);
}

/* The blocks of a loop without its head, in order behind it. */
static void order_inside(struct order *o, struct task t)
{
    uint32_t *inside = PX_NEW_N(o->d->dec->arena, uint32_t, t.n);
    memcpy(inside, o->members + t.first, t.n * sizeof *inside);
    o->nmembers = t.first; /* tasks are a stack, so its members are on top of the pool */
    o->end = t.at + t.n;
    for (uint32_t i = 0; i < t.n; i++)
        if (o->scope[inside[i]] == t.scope && !o->number[inside[i]]) search(o, inside[i], t.scope);
}

static void mark_reachable(struct px_fn_dec *d, uint32_t *scope, uint32_t *stack)
{
    uint32_t n = 0;
    stack[n++] = 0;
    scope[0] = 1;
    while (n) {
        const struct px_block_info *b = &d->blocks[stack[--n]];
        for (uint32_t i = 0; i < 2 + b->nmore; i++) {
            uint32_t to = edge_of(b, i);
            if (to == PX_NONE32 || scope[to]) continue;
            scope[to] = 1;
            stack[n++] = to;
        }
    }
}

void px_dec_order(struct px_fn_dec *d)
{
    struct px_arena *a = d->dec->arena;
    uint32_t n = d->nblocks, reachable = 0;
    struct order o = {.d = d, .scopes = 1};
    o.scope = PX_NEW_N(a, uint32_t, n);
    o.number = PX_NEW_N(a, uint32_t, n);
    o.low = PX_NEW_N(a, uint32_t, n);
    o.stack = PX_NEW_N(a, uint32_t, n);
    o.visits = PX_NEW_N(a, struct visit, n);
    o.tasks = PX_NEW_N(a, struct task, n);
    mark_reachable(d, o.scope, o.stack);
    for (uint32_t i = 0; i < n; i++) reachable += o.scope[i] != 0;
    d->layout = PX_NEW_N(a, uint32_t, n);
    d->nlayout = o.end = reachable;
    o.members = PX_NEW_N(a, uint32_t, n);
    search(&o, 0, 1);
    while (o.ntasks) order_inside(&o, o.tasks[--o.ntasks]);
    for (uint32_t i = 0; i < n; i++) d->blocks[i].order = PX_NONE32;
    for (uint32_t i = 0; i < d->nlayout; i++) d->blocks[d->layout[i]].order = i;
}
