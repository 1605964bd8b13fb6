/*
 * dominators.c - the dominator tree of a graph, by Lengauer and Tarjan's simple method.
 *
 * Nodes are numbered in depth-first order; everything inside works on those
 * numbers. The time is O(edges * log nodes) whatever the shape of the graph: a
 * long chain of branches to one place is common in generated code, and takes the
 * iterative methods quadratic time. Nothing recurs, because depth follows the input.
 */
#include "flow/dominators.h"

struct search {
    const struct px_flow_lists *succ, *pred;
    uint32_t n;              /* nodes reached */
    uint32_t *number, *node; /* of a node; of a number */
    uint32_t *parent, *semi, *idom, *ancestor, *label;
    uint32_t *bucket, *next; /* numbers by semidominator: head, link */
    uint32_t *stack;
};

static void search_init(struct search *s, struct px_arena *arena, uint32_t n)
{
    uint32_t **arrays[] = {&s->number,   &s->node,  &s->parent, &s->semi, &s->idom,
                           &s->ancestor, &s->label, &s->bucket, &s->next, &s->stack};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = PX_NEW_N(arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) s->number[i] = s->ancestor[i] = s->bucket[i] = s->next[i] = PX_FLOW_NONE;
}

static void number_node(struct search *s, uint32_t node, uint32_t parent)
{
    const uint32_t i = s->n++;
    s->number[node] = i;
    s->node[i] = node;
    s->parent[i] = parent;
    s->semi[i] = s->label[i] = i;
    s->idom[i] = s->succ->first[node]; /* until the search is over: the next edge to look at */
}

static void number_all(struct search *s, uint32_t root)
{
    uint32_t top = 0;
    number_node(s, root, PX_FLOW_NONE);
    s->stack[top++] = 0;
    while (top) {
        const uint32_t i = s->stack[top - 1], node = s->node[i];
        if (s->idom[i] == s->succ->first[node + 1]) {
            top--;
            continue;
        }
        const uint32_t to = s->succ->to[s->idom[i]++];
        if (s->number[to] != PX_FLOW_NONE) continue;
        number_node(s, to, i);
        s->stack[top++] = s->number[to];
    }
}

/* The node of smallest semidominator on the way up the linked forest from v; shortens the way. */
static uint32_t evaluate(struct search *s, uint32_t v)
{
    uint32_t top = 0;
    if (s->ancestor[v] == PX_FLOW_NONE) return v;
    for (uint32_t u = v; s->ancestor[s->ancestor[u]] != PX_FLOW_NONE; u = s->ancestor[u]) s->stack[top++] = u;
    while (top) {
        const uint32_t u = s->stack[--top], above = s->ancestor[u];
        if (s->semi[s->label[above]] < s->semi[s->label[u]]) s->label[u] = s->label[above];
        s->ancestor[u] = s->ancestor[above];
    }
    return s->label[v];
}

static void find_semidominator(struct search *s, uint32_t w)
{
    const uint32_t node = s->node[w];
    for (uint32_t i = s->pred->first[node]; i < s->pred->first[node + 1]; i++) {
        const uint32_t v = s->number[s->pred->to[i]];
        if (v == PX_FLOW_NONE) continue;
        const uint32_t u = evaluate(s, v);
        if (s->semi[u] < s->semi[w]) s->semi[w] = s->semi[u];
    }
    s->next[w] = s->bucket[s->semi[w]];
    s->bucket[s->semi[w]] = w;
}

static void find_dominators(struct search *s)
{
    for (uint32_t w = s->n; w-- > 1;) {
        const uint32_t parent = s->parent[w];
        find_semidominator(s, w);
        s->ancestor[w] = parent;
        for (uint32_t v = s->bucket[parent]; v != PX_FLOW_NONE; v = s->next[v]) {
            const uint32_t u = evaluate(s, v);
            s->idom[v] = s->semi[u] < s->semi[v] ? u : parent;
        }
        s->bucket[parent] = PX_FLOW_NONE;
    }
    for (uint32_t w = 1; w < s->n; w++)
        if (s->idom[w] != s->semi[w]) s->idom[w] = s->idom[s->idom[w]];
}

/* Subtrees as intervals: a dominator has a smaller number than what it dominates. */
static struct px_flow_tree make_tree(const struct search *s, struct px_arena *arena, struct px_arena *pass,
                                     uint32_t n)
{
    struct px_flow_tree tree = {PX_NEW_N(arena, uint32_t, n), PX_NEW_N(arena, uint32_t, n),
                                PX_NEW_N(arena, uint32_t, n)};
    uint32_t *free_at = PX_NEW_N(pass, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) tree.up[i] = PX_FLOW_NONE;
    for (uint32_t w = s->n; w-- > 0;) {
        tree.size[s->node[w]]++;
        if (w) tree.size[s->node[s->idom[w]]] += tree.size[s->node[w]];
    }
    for (uint32_t w = 0; w < s->n; w++) {
        const uint32_t node = s->node[w], up = w ? s->node[s->idom[w]] : PX_FLOW_NONE;
        tree.up[node] = up;
        if (w) {
            tree.start[node] = free_at[up];
            free_at[up] += tree.size[node];
        }
        free_at[node] = tree.start[node] + 1;
    }
    return tree;
}

struct px_flow_tree px_flow_dominators(struct px_arena *arena, struct px_arena *pass, uint32_t n,
                                       const struct px_flow_lists *succ, const struct px_flow_lists *pred,
                                       uint32_t root)
{
    struct search s = {.succ = succ, .pred = pred};
    search_init(&s, pass, n);
    number_all(&s, root);
    find_dominators(&s);
    return make_tree(&s, arena, pass, n);
}
