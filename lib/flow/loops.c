/*
 * loops.c - weak topological order in nearly linear time.
 *
 * Bourdoncle searches again inside every component, which is quadratic in the
 * depth of nesting. But those searches repeat the first one, restricted to the
 * component; so one depth-first search gives all heads and the order of siblings:
 * falling numbers of leaving (post-order). What is left is which loop a node is in.
 * Nodes are taken from the last entered to the first; w heads a loop when an edge
 * leads back to it, and the loop is what reaches that edge's origin without passing w.
 * Loops that have been found are one node to those around them (union-find). An
 * edge that is no back edge counts from the moment that the search's lowest common
 * ancestor of its ends is taken (Ramalingam 1999): before, its origin cannot be in a
 * loop whose head is taken, whatever irreducible ways there are. So every edge is
 * looked at once.
 *
 * Everything inside works on entry numbers.
 */
#include "flow/loops.h"

struct search {
    const struct px_flow_lists *succ;
    uint32_t n;              /* nodes entered */
    uint32_t *number, *node; /* entry number of a node; node of a number */
    uint32_t *parent, *left; /* in the search's tree; nodes in the order in which they were left */
    uint32_t nleft;
    bool *is_left;
    uint32_t *edge;        /* by number: the next to look at; later those into it that count */
    uint32_t *set;         /* union-find: up to the ancestor not left yet; later to the head of the loop */
    uint32_t *waiting;     /* by number: edges that count from there on */
    uint32_t *back;        /* by number: edges back to it */
    uint32_t *from, *next; /* by edge: its origin, the next of its list */
    uint32_t *head;        /* by number: of the innermost loop around it */
    uint32_t *work, *seen; /* members of a loop still to be looked at; by number: the loop that saw it */
};

static void search_init(struct search *s, struct px_arena *arena, const struct px_flow_graph *graph)
{
    const uint32_t n = graph->n, edges = graph->succ.first[n];
    uint32_t **arrays[] = {&s->number,  &s->node, &s->parent, &s->left, &s->edge, &s->set,
                           &s->waiting, &s->back, &s->head,   &s->work, &s->seen};
    s->succ = &graph->succ;
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = PX_NEW_N(arena, uint32_t, n);
        for (uint32_t k = 0; k < n; k++) (*arrays[i])[k] = PX_FLOW_NONE;
    }
    s->is_left = PX_NEW_N(arena, bool, n);
    s->from = PX_NEW_N(arena, uint32_t, edges + 1);
    s->next = PX_NEW_N(arena, uint32_t, edges + 1);
}

/* The top of the set of x; shortens the way. */
static uint32_t find(uint32_t *set, uint32_t x)
{
    uint32_t top = x;
    while (set[top] != top) top = set[top];
    while (set[x] != top) {
        const uint32_t up = set[x];
        set[x] = top;
        x = up;
    }
    return top;
}

static void push_edge(struct search *s, uint32_t *list, uint32_t edge)
{
    s->next[edge] = *list;
    *list = edge;
}

/* ---- the search ---- */

static void enter(struct search *s, uint32_t node, uint32_t parent)
{
    const uint32_t i = s->n++;
    s->number[node] = s->set[i] = i;
    s->node[i] = node;
    s->parent[i] = parent;
    s->edge[i] = s->succ->first[node];
}

static void leave(struct search *s, uint32_t i)
{
    s->left[s->nleft++] = i;
    s->is_left[i] = true;
    if (s->parent[i] != PX_FLOW_NONE) s->set[i] = s->parent[i];
}

/* An edge to a node entered before: back, when that was not left; else it waits for the common ancestor. */
static void sort_edge(struct search *s, uint32_t edge, uint32_t to)
{
    if (s->is_left[to])
        push_edge(s, &s->waiting[find(s->set, to)], edge);
    else
        push_edge(s, &s->back[to], edge);
}

static void search(struct search *s)
{
    uint32_t at = 0;
    enter(s, 0, PX_FLOW_NONE);
    while (at != PX_FLOW_NONE) {
        if (s->edge[at] == s->succ->first[s->node[at] + 1]) {
            leave(s, at);
            at = s->parent[at];
            continue;
        }
        const uint32_t edge = s->edge[at]++, to = s->succ->to[edge];
        s->from[edge] = at;
        if (s->number[to] != PX_FLOW_NONE) {
            sort_edge(s, edge, s->number[to]);
            continue;
        }
        push_edge(s, &s->waiting[at], edge);
        enter(s, to, at);
        at = s->n - 1;
    }
}

/* ---- loops ---- */

/* Edges that have waited for w: each becomes one between what its ends are part of by now. */
static void release(struct search *s, uint32_t w)
{
    for (uint32_t next, edge = s->waiting[w]; edge != PX_FLOW_NONE; edge = next) {
        next = s->next[edge];
        const uint32_t to = find(s->set, s->number[s->succ->to[edge]]);
        if (find(s->set, s->from[edge]) != to) push_edge(s, &s->edge[to], edge);
    }
}

static uint32_t see(struct search *s, uint32_t w, uint32_t edge, uint32_t n)
{
    const uint32_t from = find(s->set, s->from[edge]);
    if (from == w || s->seen[from] == w) return n;
    s->seen[from] = w;
    s->work[n] = from;
    return n + 1;
}

/* The nodes of w's loop, with loops inside as one, become part of w. */
static void gather(struct search *s, uint32_t w)
{
    uint32_t n = 0;
    for (uint32_t edge = s->back[w]; edge != PX_FLOW_NONE; edge = s->next[edge]) n = see(s, w, edge, n);
    while (n) {
        const uint32_t x = s->work[--n];
        s->head[x] = w;
        for (uint32_t edge = s->edge[x]; edge != PX_FLOW_NONE; edge = s->next[edge]) n = see(s, w, edge, n);
        s->set[x] = w;
    }
}

static void find_loops(struct search *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        s->set[i] = i;
        s->edge[i] = PX_FLOW_NONE;
    }
    for (uint32_t w = s->n; w-- > 0;) {
        release(s, w);
        gather(s, w);
    }
}

/* ---- the order ---- */

/* The tree of loops in pre-order, siblings from the last left on. `first`, `next`: children of a head. */
static void place_nodes(const struct search *s, struct px_flow_loops *loops, uint32_t *first, uint32_t *next)
{
    uint32_t top = PX_FLOW_NONE; /* children of none */
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t x = s->left[i], head = s->head[x];
        uint32_t *list = head == PX_FLOW_NONE ? &top : &first[head];
        next[x] = *list;
        *list = x;
    }
    for (uint32_t x = top; x != PX_FLOW_NONE;) {
        loops->place[s->node[x]] = loops->n;
        loops->order[loops->n++] = s->node[x];
        if (first[x] != PX_FLOW_NONE) {
            x = first[x];
            continue;
        }
        while (x != PX_FLOW_NONE && next[x] == PX_FLOW_NONE) x = s->head[x];
        if (x != PX_FLOW_NONE) x = next[x];
    }
}

/* A head is entered before what is in its loop. */
static void measure(const struct search *s, struct px_flow_loops *loops)
{
    for (uint32_t x = s->n; x-- > 0;) {
        const uint32_t node = s->node[x];
        loops->size[node]++;
        if (s->head[x] == PX_FLOW_NONE) continue;
        loops->head[node] = s->node[s->head[x]];
        loops->size[loops->head[node]] += loops->size[node];
    }
}

void px_flow_loops(struct px_flow_loops *loops, struct px_arena *arena, struct px_arena *pass,
                   const struct px_flow_graph *graph)
{
    struct search s = {0};
    search_init(&s, pass, graph);
    search(&s);
    find_loops(&s);
    *loops = (struct px_flow_loops){.order = PX_NEW_N(arena, uint32_t, s.n)};
    loops->place = PX_NEW_N(arena, uint32_t, graph->n);
    loops->head = PX_NEW_N(arena, uint32_t, graph->n);
    loops->size = PX_NEW_N(arena, uint32_t, graph->n);
    for (uint32_t i = 0; i < graph->n; i++) loops->place[i] = loops->head[i] = PX_FLOW_NONE;
    for (uint32_t i = 0; i < s.n; i++) s.work[i] = s.seen[i] = PX_FLOW_NONE;
    place_nodes(&s, loops, s.work, s.seen);
    measure(&s, loops);
}
