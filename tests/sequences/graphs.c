/*
 * graphs.c - graphs and instances in the model, and the steps that make, change and launch them.
 */
#include "sequences/model.h"
#include <stdlib.h>
#include <string.h>

/* ---- lists of operations ---- */

void ops_free(struct graph_ops *ops)
{
    for (unsigned i = 0; i < ops->n; i++) {
        struct node *node = &ops->at[i];
        if (node->op.child) {
            ops_free(node->op.child);
            free(node->op.child);
        }
        for (unsigned k = 0; k < BODIES; k++) free(node->body[k]);
    }
    *ops = (struct graph_ops){0};
}

static void *copy_of(const void *from, size_t size)
{
    void *to = malloc(size);
    if (!to) abort();
    return memcpy(to, from, size);
}

void ops_copy(struct graph_ops *to, const struct graph_ops *from)
{
    *to = *from;
    for (unsigned i = 0; i < to->n; i++) {
        struct node *node = &to->at[i];
        if (node->op.child) {
            node->op.child = malloc(sizeof *node->op.child);
            if (!node->op.child) abort();
            ops_copy(node->op.child, from->at[i].op.child);
        }
        for (unsigned k = 0; k < BODIES; k++)
            if (node->body[k]) node->body[k] = copy_of(node->body[k], BODY_NODES * sizeof(struct op));
    }
}

uint64_t ops_touched(const struct graph_ops *ops)
{
    uint64_t cells = 0;
    for (unsigned i = 0; i < ops->n; i++) cells |= op_cells(&ops->at[i].op);
    return cells;
}

uint64_t ops_last(const struct graph_ops *ops, uint64_t cells)
{
    uint64_t nodes = 0;
    for (unsigned i = 0; i < ops->n; i++)
        if (op_cells(&ops->at[i].op) & cells) nodes |= 1ull << i;
    return nodes;
}

/* Steps that the library makes of them. */
static unsigned ops_steps(const struct graph_ops *ops)
{
    unsigned n = 0, conditions = 0;
    for (unsigned i = 0; i < ops->n; i++) {
        const struct op *op = &ops->at[i].op;
        n += op->child ? 2 + ops_steps(op->child) : op->kind == OP_ALLOC ? 4 : 1;
        conditions += op->kind == OP_BRANCH;
    }
    return n + (conditions != 0);
}

unsigned ops_tasks(const struct graph_ops *ops)
{
    unsigned n = 3;
    for (unsigned i = 0; i < ops->n; i++) n += ops->at[i].op.child ? ops_tasks(ops->at[i].op.child) : 4;
    return n;
}

void ops_apply(struct model *m, const struct graph_ops *ops)
{
    for (unsigned i = 0; i < ops->n; i++) node_apply(m, &ops->at[i]);
}

static void keep_cells(struct model *m, uint64_t cells)
{
    for (unsigned i = 0; i < CELLS; i++)
        if (cells >> i & 1) m->cells[i].kept = true;
}

/* ---- making ---- */

static struct graph *graph_of(struct model *m, uint32_t pick)
{
    for (uint32_t i = 0; i < GRAPHS; i++)
        if (m->graphs[(pick + i) % GRAPHS].live) return &m->graphs[(pick + i) % GRAPHS];
    return NULL;
}

static struct graph *room_for_graph(struct model *m)
{
    for (uint32_t i = 0; i < GRAPHS; i++)
        if (!m->graphs[i].live) return &m->graphs[i];
    return NULL;
}

static struct instance *instance_of(struct model *m, uint32_t pick)
{
    for (uint32_t i = 0; i < INSTANCES; i++)
        if (m->instances[(pick + i) % INSTANCES].live) return &m->instances[(pick + i) % INSTANCES];
    return NULL;
}

static void create(struct model *m)
{
    struct graph *g = room_for_graph(m);
    ptx_graph number;
    if (!g) return;
    if (CALL(m, OK, ptx_graph_create(m->device, &number), "graph_create") != PTX_OK) return;
    *g = (struct graph){.live = true, .number = number, .shape = ++m->shapes};
}

/* What a node on these cells has to come after, and one more. */
static size_t behind(const struct graph_ops *ops, uint64_t cells, uint32_t pick, ptx_node *after,
                     uint64_t *before)
{
    uint64_t nodes = ops_last(ops, cells);
    size_t n = 0;
    if (ops->n && pick % 2) nodes |= 1ull << pick / 2 % ops->n;
    *before = nodes;
    for (unsigned i = 0; i < ops->n; i++)
        if (nodes >> i & 1) {
            after[n++] = ops->at[i].last;
            *before |= ops->at[i].before;
        }
    return n;
}

static ptx_status add(struct model *m, const struct graph *g, const ptx_node *after, size_t n,
                      const ptx_node_config *config, unsigned allowed, ptx_node *node)
{
    return CALL(m, allowed, ptx_graph_add(m->device, g->number, after, n, config, node),
                "graph_add(graph %llx, %zu before, kind %d)", (unsigned long long)g->number, n,
                (int)config->kind);
}

static struct node *append(struct model *m, struct graph *g, const struct op *op, uint64_t before,
                           ptx_node first, ptx_node last)
{
    struct node *node = &g->ops.at[g->ops.n++];
    *node = (struct node){.op = *op, .number = first, .last = last, .before = before};
    g->shape = ++m->shapes;
    keep_cells(m, op_cells(op));
    return node;
}

static void add_op(struct model *m, struct graph *g, const uint32_t pick[PICKS])
{
    struct op op;
    struct op_room room;
    ptx_node after[NODES], node;
    uint64_t before;
    if (g->ops.n == NODES || !op_draw(m, pick, &op)) return;
    const ptx_node_config config = op_config(m, &op, &room);
    const size_t n = behind(&g->ops, op_cells(&op), pick[1] >> 16, after, &before);
    if (add(m, g, after, n, &config, OK, &node) == PTX_OK) append(m, g, &op, before, node, node);
}

static void add_child(struct model *m, struct graph *g, const uint32_t pick[PICKS])
{
    struct graph *inner = graph_of(m, pick[1]);
    ptx_node after[NODES], node;
    uint64_t before;
    if (g->ops.n == NODES || !inner || inner->captured) return;
    struct op op = {.kind = OP_CHILD, .a = -1, .b = -1, .touched = ops_touched(&inner->ops)};
    const ptx_node_config config = {
        .struct_size = sizeof config, .kind = PTX_NODE_CHILD, .child = inner->number};
    const bool same = inner == g;
    if (!same && ops_tasks(&inner->ops) > 40) return;
    const size_t n = behind(&g->ops, op.touched, pick[2], after, &before);
    const unsigned allowed = inner->ops.single ? BIT(PTX_ERROR_UNSUPPORTED) : same ? INVALID : OK;
    if (add(m, g, after, n, &config, allowed, &node) != PTX_OK) return;
    op.child = malloc(sizeof *op.child);
    if (!op.child) abort();
    ops_copy(op.child, &inner->ops);
    append(m, g, &op, before, node, node);
}

/* Memory that is stepped from zero, mixed into a cell, and freed. */
static void add_alloc(struct model *m, struct graph *g, const uint32_t pick[PICKS])
{
    struct op op = {.kind = OP_ALLOC, .a = cell_of(m, pick[1], true), .b = -1, .add = pick[2] % 1000};
    struct op step, mix;
    uint32_t picks[PICKS] = {0, op.add, pick[1], pick[3]};
    ptx_node after[NODES], node[4];
    ptx_address at;
    uint64_t before;
    if (g->ops.n == NODES || op.a < 0 || g->captured || !op_draw(m, picks, &step)) return;
    picks[0] = 0;
    mix = step;
    mix.kernel = m->programs[step.program].kernels[OP_MIX];
    ptx_node_config config = {
        .struct_size = sizeof config, .kind = PTX_NODE_ALLOC, .bytes = 4, .allocated = &at};
    const size_t n = behind(&g->ops, op_cells(&op), pick[2] >> 16, after, &before);
    if (add(m, g, after, n, &config, OK, &node[0]) != PTX_OK) return;
    for (int i = 1; i < 3; i++) {
        struct op_room room;
        config = op_config(m, i == 1 ? &step : &mix, &room);
        room.params.p = i == 1 ? at : m->cells[op.a].at;
        room.params.q = at;
        room.params.add = op.add;
        if (add(m, g, &node[i - 1], 1, &config, OK, &node[i]) != PTX_OK) return;
    }
    config = (ptx_node_config){.struct_size = sizeof config, .kind = PTX_NODE_FREE, .address = at};
    if (add(m, g, &node[2], 1, &config, OK, &node[3]) != PTX_OK) return;
    append(m, g, &op, before, node[0], node[3]);
    g->ops.single = true;
}

/* Nodes of a body, one behind the other; of a loop the last counts its condition down. */
static bool fill_body(struct model *m, ptx_graph body, struct node *node, unsigned place, uint32_t pick)
{
    struct graph g = {.number = body};
    struct op *ops = node->body[place] = calloc(BODY_NODES, sizeof *ops);
    ptx_node last = 0, made;
    struct op_room room;
    if (!ops) abort();
    for (unsigned i = 0; i < 1 + pick % (BODY_NODES - 1); i++) {
        const uint32_t picks[PICKS] = {pick >> 3, pick >> 7, pick >> i, pick >> (5 + i)};
        struct op op;
        if (!op_draw(m, picks, &op)) continue;
        const ptx_node_config config = op_config(m, &op, &room);
        if (add(m, &g, &last, last != 0, &config, OK, &made) != PTX_OK) return false;
        last = made;
        ops[node->op.nbody[place]++] = op;
        node->op.touched |= op_cells(&op);
    }
    if (node->op.branch != PTX_BRANCH_WHILE) return true;
    struct op count = {.kind = OP_STEP, .a = -1, .b = -1, .kernel = node->op.kernel};
    ptx_node_config config = op_config(m, &count, &room);
    room.params.p = node->op.condition_at;
    return add(m, &g, &last, last != 0, &config, OK, &made) == PTX_OK;
}

static void add_branch(struct model *m, struct graph *g, const uint32_t pick[PICKS])
{
    struct node node = {.op = {.kind = OP_BRANCH, .a = -1, .b = -1, .branch = pick[1] % 3}};
    struct op *op = &node.op, step;
    const uint32_t picks[PICKS] = {0, 0, 0, pick[3]};
    ptx_graph bodies[BODIES];
    ptx_node after[NODES], made;
    uint64_t condition, before;
    if (g->ops.n == NODES || g->captured || !op_draw(m, picks, &step)) return;
    op->kernel = m->programs[step.program].kernels[4];
    op->condition = pick[2] % 3;
    op->nbodies = op->branch == PTX_BRANCH_WHILE ? 1 : 1 + pick[1] / 3 % 2;
    if (CALL(m, OK, ptx_condition_create(m->device, g->number, op->condition, 1, &condition),
             "condition_create(%u)", op->condition) != PTX_OK)
        return;
    op->condition_at = condition;
    const ptx_node_config config = {.struct_size = sizeof config,
                                    .kind = PTX_NODE_BRANCH,
                                    .condition = condition,
                                    .branch = op->branch,
                                    .nbodies = op->nbodies,
                                    .bodies = bodies};
    /* Its cells are not known before it is filled: it comes after everything. */
    const size_t n = behind(&g->ops, ~0ull, 0, after, &before);
    if (add(m, g, after, n, &config, OK, &made) != PTX_OK) return;
    for (unsigned i = 0; i < op->nbodies; i++)
        if (!fill_body(m, bodies[i], &node, i, pick[i] >> 4)) return;
    struct node *kept = append(m, g, op, (1ull << g->ops.n) - 1, made, made);
    memcpy(kept->body, node.body, sizeof node.body);
    g->ops.single = true;
}

static void clone(struct model *m, const struct graph *g)
{
    struct graph *copy = room_for_graph(m);
    ptx_graph number;
    ptx_node nodes[4 * NODES];
    size_t n = 4 * NODES;
    const unsigned allowed = g->ops.single ? BIT(PTX_ERROR_UNSUPPORTED) : OK;
    if (!copy || g->captured) return;
    if (CALL(m, allowed, ptx_graph_clone(m->device, g->number, &number), "graph_clone") != PTX_OK) return;
    *copy = (struct graph){.live = true, .number = number, .shape = g->shape};
    ops_copy(&copy->ops, &g->ops);
    if (CALL(m, OK, ptx_graph_nodes(m->device, number, nodes, &n), "graph_nodes") != PTX_OK) return;
    if (n != copy->ops.n) wrong(m, "a copy has %zu nodes, not %u", n, copy->ops.n);
    for (unsigned i = 0; i < copy->ops.n && i < n; i++)
        copy->ops.at[i].number = copy->ops.at[i].last = nodes[i];
}

static void destroy(struct model *m, struct graph *g)
{
    const unsigned allowed = g->captured ? INVALID : OK;
    if (CALL(m, allowed, ptx_graph_destroy(m->device, g->number), "graph_destroy(%llx)",
             (unsigned long long)g->number) != PTX_OK)
        return;
    ops_free(&g->ops);
    g->live = false;
}

static void change(struct model *m, struct graph *g, const uint32_t pick[PICKS])
{
    struct node *node = g->ops.n ? &g->ops.at[pick[1] % g->ops.n] : NULL;
    struct op_room room;
    if (!node || node->op.kind > OP_HOST) return;
    struct op op = node->op;
    op.add = pick[2] % 1000;
    const ptx_node_config config = op_config(m, &op, &room);
    if (CALL(m, OK, ptx_node_set(m->device, node->number, &config), "node_set(%s)", op_name(op.kind)) ==
        PTX_OK)
        node->op = op;
}

/* ---- instances ---- */

static void instantiate(struct model *m, struct graph *g)
{
    struct instance *x = NULL;
    ptx_instance number;
    for (unsigned i = 0; i < INSTANCES && !x; i++)
        if (!m->instances[i].live) x = &m->instances[i];
    if (!x || (g->ops.single && g->used)) return;
    if (CALL(m, OK, ptx_graph_instantiate(m->device, g->number, &number), "graph_instantiate") != PTX_OK)
        return;
    *x = (struct instance){.live = true, .named = true, .number = number, .shape = g->shape};
    ops_copy(&x->ops, &g->ops);
    for (unsigned i = 0; i < g->ops.n; i++) x->nodes[i] = g->ops.at[i].number;
    g->used = true;
}

static void launch(struct model *m, struct instance *x, struct stream *s)
{
    const uint64_t cells = ops_touched(&x->ops);
    if (s->capture < 0 && !order_after(m, s, cells)) return;
    const unsigned allowed = s->capture < 0 ? OK : CAPTURED;
    if (CALL(m, allowed, ptx_instance_launch(m->device, x->number, s->number),
             "instance_launch(%llx, stream %llx)", (unsigned long long)x->number,
             (unsigned long long)s->number) != PTX_OK)
        return;
    ops_apply(m, &x->ops);
    clock_join(&s->knows, &x->launched);
    submitted(m, s, cells);
    x->launched = s->knows;
    m->behind_gate += ops_tasks(&x->ops);
}

static void update(struct model *m, struct instance *x, struct graph *g)
{
    const bool same = x->shape == g->shape, alike = ops_steps(&x->ops) == ops_steps(&g->ops);
    const unsigned allowed = same ? OK : alike ? OK | INVALID : INVALID;
    if (g->ops.single && g->used) return;
    if (CALL(m, allowed, ptx_instance_update(m->device, x->number, g->number), "instance_update(%llx, %llx)",
             (unsigned long long)x->number, (unsigned long long)g->number) != PTX_OK)
        return;
    ops_free(&x->ops);
    ops_copy(&x->ops, &g->ops);
    x->shape = g->shape;
    x->named &= same;
    g->used = true;
}

static void set(struct model *m, struct instance *x, const uint32_t pick[PICKS])
{
    const unsigned i = x->ops.n ? pick[1] % x->ops.n : 0;
    struct op_room room;
    if (!x->ops.n || !x->named || x->ops.at[i].op.kind > OP_HOST) return;
    struct op op = x->ops.at[i].op;
    op.add = pick[2] % 1000;
    const ptx_node_config config = op_config(m, &op, &room);
    if (CALL(m, OK, ptx_instance_set(m->device, x->number, x->nodes[i], &config), "instance_set(%s)",
             op_name(op.kind)) == PTX_OK)
        x->ops.at[i].op = op;
}

static void enable(struct model *m, struct instance *x, const uint32_t pick[PICKS])
{
    const unsigned i = x->ops.n ? pick[1] % x->ops.n : 0;
    if (!x->ops.n || !x->named) return;
    const enum kind kind = x->ops.at[i].op.kind;
    const bool can = kind <= OP_FILL, on = pick[2] % 2;
    if (CALL(m, can ? OK : INVALID, ptx_instance_enable(m->device, x->number, x->nodes[i], on),
             "instance_enable(%s, %d)", op_name(kind), on) == PTX_OK)
        x->ops.at[i].off = !on;
}

static void drop(struct model *m, struct instance *x)
{
    if (CALL(m, OK, ptx_instance_destroy(m->device, x->number), "instance_destroy(%llx)",
             (unsigned long long)x->number) != PTX_OK)
        return;
    ops_free(&x->ops);
    x->live = false;
}

void graph_step(struct model *m, unsigned what, const uint32_t pick[PICKS])
{
    struct graph *g = graph_of(m, pick[0] >> 8);
    struct instance *x = instance_of(m, pick[0] >> 16);
    struct stream *s = stream_of(m, pick[3]);
    if (what == 0) create(m);
    if (g && (what == 1 || what == 2)) add_op(m, g, pick);
    if (g && what == 3) add_child(m, g, pick);
    if (g && what == 4) add_alloc(m, g, pick);
    if (g && what == 5) add_branch(m, g, pick);
    if (g && what == 6) clone(m, g);
    if (g && what == 7) destroy(m, g);
    if (g && what == 8) instantiate(m, g);
    if (x && (what == 9 || what == 10)) launch(m, x, s);
    if (x && g && what == 11) update(m, x, g);
    if (g && what == 12) change(m, g, pick);
    if (x && what == 13) pick[1] % 3 ? set(m, x, pick) : enable(m, x, pick);
    if (x && what == 14) drop(m, x);
}
