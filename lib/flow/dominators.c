/*
 * dominators.c - the dominator tree of a graph, by Lengauer and Tarjan's simple method.
 *
 * Nodes are numbered in depth-first order; everything inside works on those
 * numbers. The time is O(edges * log nodes) whatever the shape of the graph: a
 * long chain of branches to one place is common in generated code, and takes the
 * iterative methods quadratic time. Nothing recurs, because depth follows the input.
 */
#include "flow/dominators.h"

/* In the forest of numbers that have a semidominator: what is asked of one at once lies side by side. */
struct linked {
    uint32_t ancestor;
    uint32_t label, semi; /* the one of smallest semidominator on the way to the ancestor; and that */
};

struct search {
    const struct px_flow_lists *succ, *pred;
    uint32_t n;              /* nodes reached */
    uint32_t *number, *node; /* of a node; of a number */
    struct linked *forest;   /* by number */
    uint32_t *parent, *semi, *idom;
    uint32_t *bucket, *next; /* numbers by semidominator: head, link */
    uint32_t *stack;
};

static void search_init(struct search *s, struct px_arena *arena, uint32_t n)
{
    uint32_t **arrays[] = {&s->number, &s->node,   &s->parent, &s->semi,
                           &s->idom,   &s->bucket, &s->next,   &s->stack};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = px_arena_alloc(arena, ((size_t)n + 1) * sizeof **arrays[i]);
    s->forest = px_arena_alloc(arena, ((size_t)n + 1) * sizeof *s->forest);
    for (uint32_t i = 0; i < n; i++) s->number[i] = s->bucket[i] = PX_FLOW_NONE;
}

static void number_node(struct search *s, uint32_t node, uint32_t parent)
{
    const uint32_t i = s->n++;
    s->number[node] = i;
    s->node[i] = node;
    s->parent[i] = parent;
    s->semi[i] = i;
    s->forest[i] = (struct linked){PX_FLOW_NONE, i, i};
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

/* Shortens the way up the forest from v: then v knows the smallest semidominator on it. */
static const struct linked *evaluate(struct search *s, uint32_t v)
{
    struct linked *forest = s->forest;
    uint32_t top = 0;
    if (forest[v].ancestor == PX_FLOW_NONE) return &forest[v];
    for (uint32_t u = v; forest[forest[u].ancestor].ancestor != PX_FLOW_NONE; u = forest[u].ancestor)
        s->stack[top++] = u;
    while (top) {
        struct linked *u = &forest[s->stack[--top]];
        const struct linked *above = &forest[u->ancestor];
        if (above->semi < u->semi) {
            u->label = above->label;
            u->semi = above->semi;
        }
        u->ancestor = above->ancestor;
    }
    return &forest[v];
}

static void find_semidominator(struct search *s, uint32_t w)
{
    const uint32_t node = s->node[w];
    for (uint32_t i = s->pred->first[node]; i < s->pred->first[node + 1]; i++) {
        const uint32_t v = s->number[s->pred->to[i]];
        if (v == PX_FLOW_NONE) continue;
        const uint32_t semi = evaluate(s, v)->semi;
        if (semi < s->semi[w]) s->semi[w] = semi;
    }
    s->next[w] = s->bucket[s->semi[w]];
    s->bucket[s->semi[w]] = w;
}

static void find_dominators(struct search *s)
{
    for (uint32_t w = s->n; w-- > 1;) {
        const uint32_t parent = s->parent[w];
        find_semidominator(s, w);
        s->forest[w] = (struct linked){parent, w, s->semi[w]};
        for (uint32_t v = s->bucket[parent]; v != PX_FLOW_NONE; v = s->next[v]) {
            const struct linked *least = evaluate(s, v);
            s->idom[v] = least->semi < s->semi[v] ? least->label : parent;
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
