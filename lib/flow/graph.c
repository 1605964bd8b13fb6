/*
 * graph.c - cuts instructions into blocks and connects them.
 *
 * A block begins where something jumps to and behind whatever ends one. Edges are
 * counted first and then put in place, so there is no list of them beside the two
 * arrays of neighbours.
 */
#include "flow/graph.h"

struct build {
    struct px_arena *arena;
    const struct px_flow_code *code;
    struct px_flow_graph *graph;
    bool *closing; /* by node: it gets an edge to the end that the code does not have; NULL: none does */
    bool table_nodes;
    uint32_t n;    /* edges so far */
    bool counting; /* they are only counted */
};

/* first[k + 2] counts list k; when lists are placed first[k + 1] is where it begins, and moves to its end. */
struct px_flow_lists px_flow_lists_begin(struct px_arena *arena, uint32_t nodes)
{
    return (struct px_flow_lists){.first = PX_NEW_N(arena, uint32_t, nodes + 2)};
}

void px_flow_lists_place(struct px_flow_lists *lists, struct px_arena *arena, uint32_t nodes)
{
    for (uint32_t k = 2; k < nodes + 2; k++) lists->first[k] += lists->first[k - 1];
    lists->to = PX_NEW_N(arena, uint32_t, lists->first[nodes + 1] + 1);
}

struct px_flow_lists px_flow_lists(struct px_arena *arena, uint32_t nodes, const struct px_flow_pair *pairs,
                                   uint32_t n)
{
    struct px_flow_lists lists = px_flow_lists_begin(arena, nodes);
    for (uint32_t i = 0; i < n; i++) px_flow_lists_count(&lists, pairs[i].from);
    px_flow_lists_place(&lists, arena, nodes);
    for (uint32_t i = 0; i < n; i++) px_flow_lists_add(&lists, pairs[i].from, pairs[i].to);
    return lists;
}

/* ---- blocks ---- */

/* Until blocks have numbers, node_of says whether one begins there. */
static void mark_leaders(const struct build *b)
{
    const struct px_flow_code *code = b->code;
    uint32_t *leads = b->graph->node_of;
    leads[0] = leads[code->n] = 1;
    for (uint32_t i = 0; i < code->ends.n; i++) {
        const struct px_flow_end *end = &code->ends.at[i];
        leads[end->at + 1] = 1;
        if (end->target != PX_FLOW_NONE) leads[end->target] = 1;
    }
    for (uint32_t t = 0; t < code->tables.n; t++)
        for (uint32_t i = 0; i < code->tables.at[t].n; i++) leads[code->tables.at[t].targets[i]] = 1;
}

static void cut_blocks(struct build *b)
{
    struct px_flow_graph *graph = b->graph;
    uint32_t n = 0;
    graph->node_of = PX_NEW_N(b->arena, uint32_t, graph->ninsts + 1);
    mark_leaders(b);
    for (uint32_t i = 0; i <= graph->ninsts; i++) graph->node_of[i] = (n += graph->node_of[i]) - 1;
    graph->nblocks = graph->end = n - 1;
    graph->n = n + (b->table_nodes ? b->code->tables.n : 0);
    graph->blocks = PX_NEW_N(b->arena, struct px_flow_block, graph->n);
    for (uint32_t k = graph->end; k < graph->n; k++) graph->blocks[k].first = graph->ninsts;
    for (uint32_t i = 0; i < graph->ninsts; i++) {
        struct px_flow_block *block = &graph->blocks[graph->node_of[i]];
        if (!block->n++) block->first = i;
    }
}

/* ---- edges ---- */

static void add_edge(struct build *b, uint32_t to)
{
    if (!b->counting) b->graph->succ.to[b->n] = to;
    b->n++;
}

static void add_table(struct build *b, uint32_t table)
{
    const struct px_flow_table *t = &b->code->tables.at[table];
    for (uint32_t i = 0; i < t->n; i++) add_edge(b, b->graph->node_of[t->targets[i]]);
}

static void add_end(struct build *b, const struct px_flow_end *end, uint32_t node)
{
    const struct px_flow_graph *graph = b->graph;
    if (end->falls) add_edge(b, node + 1);
    if (end->leaves) add_edge(b, graph->end);
    if (end->target != PX_FLOW_NONE) add_edge(b, graph->node_of[end->target]);
    if (end->table == PX_FLOW_NONE) return;
    if (b->table_nodes)
        add_edge(b, graph->end + 1 + end->table);
    else
        add_table(b, end->table);
}

static void walk_edges(struct build *b)
{
    const struct px_flow_graph *graph = b->graph;
    const struct px_flow_end *end = b->code->ends.at, *const last = end + b->code->ends.n;
    b->n = 0;
    for (uint32_t k = 0; k < graph->n; k++) {
        graph->succ.first[k] = b->n;
        if (k > graph->end)
            add_table(b, k - graph->end - 1);
        else if (k < graph->end && end != last && end->at == graph->blocks[k].first + graph->blocks[k].n - 1)
            add_end(b, end++, k);
        else if (k < graph->end)
            add_edge(b, k + 1);
        if (b->closing && b->closing[k]) add_edge(b, graph->end);
    }
    graph->succ.first[graph->n] = b->n;
}

static void turn_edges(struct build *b)
{
    struct px_flow_graph *graph = b->graph;
    graph->pred = px_flow_lists_begin(b->arena, graph->n);
    for (uint32_t i = 0; i < b->n; i++) px_flow_lists_count(&graph->pred, graph->succ.to[i]);
    px_flow_lists_place(&graph->pred, b->arena, graph->n);
    for (uint32_t k = 0; k < graph->n; k++)
        for (uint32_t i = graph->succ.first[k]; i < graph->succ.first[k + 1]; i++)
            px_flow_lists_add(&graph->pred, graph->succ.to[i], k);
}

static void connect(struct build *b)
{
    b->counting = true;
    walk_edges(b);
    b->counting = false;
    b->graph->succ.to = PX_NEW_N(b->arena, uint32_t, b->n + 1);
    walk_edges(b);
    turn_edges(b);
}

/* ---- endless loops ---- */

/* Everything from which `node` is reached gets its mark. */
static void spread_back(const struct px_flow_graph *graph, uint32_t node, bool *mark, uint32_t *stack)
{
    uint32_t top = 0;
    mark[node] = true;
    stack[top++] = node;
    while (top) {
        node = stack[--top];
        for (uint32_t i = graph->pred.first[node]; i < graph->pred.first[node + 1]; i++) {
            const uint32_t from = graph->pred.to[i];
            if (mark[from]) continue;
            mark[from] = true;
            stack[top++] = from;
        }
    }
}

static void close_loops(struct build *b)
{
    const struct px_flow_graph *graph = b->graph;
    bool *ends = PX_NEW_N(b->arena, bool, graph->n), any = false;
    uint32_t *stack = PX_NEW_N(b->arena, uint32_t, graph->n);
    b->closing = PX_NEW_N(b->arena, bool, graph->n);
    spread_back(graph, graph->end, ends, stack);
    for (uint32_t k = graph->nblocks; k-- > 0;) {
        if (ends[k]) continue;
        b->closing[k] = any = true;
        spread_back(graph, k, ends, stack);
    }
    if (any) connect(b);
}

void px_flow_graph(struct px_flow_graph *graph, struct px_arena *arena, const struct px_flow_code *code)
{
    struct build b = {.arena = arena, .code = code, .graph = graph};
    uint64_t edges = 0;
    *graph = (struct px_flow_graph){.ninsts = code->n};
    for (uint32_t i = 0; i < code->ends.n; i++)
        if (code->ends.at[i].table != PX_FLOW_NONE) edges += code->tables.at[code->ends.at[i].table].n;
    b.table_nodes = px_flow_too_many(edges, code->n);
    cut_blocks(&b);
    graph->succ.first = PX_NEW_N(arena, uint32_t, graph->n + 1);
    connect(&b);
    if (code->close_loops) close_loops(&b);
}

/* ---- order ---- */

/* Depth first; a node gets its place when all that follows it has one. */
struct px_flow_order px_flow_order(struct px_arena *arena, const struct px_flow_graph *graph)
{
    const struct px_flow_lists *succ = &graph->succ;
    const uint32_t n = graph->n;
    uint32_t *stack = PX_NEW_N(arena, uint32_t, n), *edge = PX_NEW_N(arena, uint32_t, n);
    bool *seen = PX_NEW_N(arena, bool, n);
    uint32_t *places = PX_NEW_N(arena, uint32_t, n), at = n, top = 0;
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
    return (struct px_flow_order){places + at, n - at};
}
