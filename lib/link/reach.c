/*
 * reach.c - which kernels can come to which .shared variables.
 *
 * The graph of calls has a node for each function, and one for "a call by
 * address", which leads to every function whose address is taken. One search
 * backwards finds the nodes that lead to a variable at all; then each kernel is
 * followed through those alone. So a program without .shared variables costs
 * nothing, and any other what it takes to write the answer down.
 */
#include "link/link.h"

struct graph {
    struct px_link *link;
    uint32_t by_address; /* the node; also the number of functions */
    const uint32_t *taken;
    uint32_t ntaken;
    bool *leads; /* by node: to a .shared variable */
};

struct targets {
    const uint32_t *at;
    uint32_t n;
};

/* What a node calls by name; a function that calls by address leads to that node, too. */
static struct targets targets_of(const struct graph *g, uint32_t node)
{
    if (node == g->by_address) return (struct targets){g->taken, g->ntaken};
    const struct px_link_func *f = &g->link->ifuncs.at[node];
    return (struct targets){f->calls.at, f->calls.n};
}

static bool calls_by_address(const struct graph *g, uint32_t node)
{
    return node != g->by_address && g->link->ifuncs.at[node].calls_indirectly;
}

static void find_taken(struct graph *g)
{
    const struct px_link *link = g->link;
    uint32_t *taken = PX_NEW_N(link->arena, uint32_t, link->funcs.n + 1);
    for (uint32_t f = 0; f < link->funcs.n; f++)
        if (link->funcs.at[f].taken && !link->funcs.at[f].is_entry) taken[g->ntaken++] = f;
    g->taken = taken;
}

/* ---- backwards ---- */

/* Who calls each node: those of node i stand from first[i] to first[i + 1]. */
struct callers {
    uint32_t *first, *at;
};

static void count_edge(struct callers *c, uint32_t from, uint32_t to, bool fill)
{
    if (fill)
        c->at[--c->first[to]] = from;
    else
        c->first[to]++;
}

static void each_edge(const struct graph *g, struct callers *c, bool fill)
{
    for (uint32_t node = 0; node <= g->by_address; node++) {
        const struct targets t = targets_of(g, node);
        for (uint32_t k = 0; k < t.n; k++) count_edge(c, node, t.at[k], fill);
        if (calls_by_address(g, node)) count_edge(c, node, g->by_address, fill);
    }
}

static struct callers find_callers(const struct graph *g)
{
    struct callers c = {.first = PX_NEW_N(g->link->arena, uint32_t, g->by_address + 2)};
    each_edge(g, &c, false);
    for (uint32_t node = 0; node <= g->by_address; node++) c.first[node + 1] += c.first[node];
    c.at = PX_NEW_N(g->link->arena, uint32_t, c.first[g->by_address + 1] + 1);
    each_edge(g, &c, true); /* each end moves down to its beginning */
    return c;
}

static void find_leads(struct graph *g)
{
    const struct callers c = find_callers(g);
    uint32_t *stack = PX_NEW_N(g->link->arena, uint32_t, g->by_address + 1), n = 0;
    for (uint32_t f = 0; f < g->by_address; f++)
        if (g->link->ifuncs.at[f].shared.n) g->leads[stack[n++] = f] = true;
    while (n) {
        const uint32_t node = stack[--n];
        for (uint32_t k = c.first[node]; k < c.first[node + 1]; k++)
            if (!g->leads[c.at[k]]) g->leads[stack[n++] = c.at[k]] = true;
    }
}

/* ---- forwards ---- */

struct search {
    const struct graph *g;
    bool *seen;
    uint32_t *stack, n;
};

static void visit(struct search *s, uint32_t node)
{
    if (s->seen[node] || !s->g->leads[node]) return;
    s->seen[node] = true;
    s->stack[s->n++] = node;
}

static void note_variables(struct px_link *link, struct px_reach *r, uint32_t kernel, uint32_t func)
{
    const struct px_link_func *f = &link->ifuncs.at[func];
    for (uint32_t k = 0; k < f->shared.n; k++) {
        const uint32_t var = f->shared.at[k], n = r->of_var[var].n;
        if (!n || r->of_var[var].at[n - 1] != kernel) px_vec_push(link->arena, &r->of_var[var], kernel);
    }
}

static void reach_from(struct search *s, struct px_reach *r, uint32_t kernel)
{
    s->n = 0;
    visit(s, r->kernels[kernel]);
    for (uint32_t done = 0; done < s->n; done++) {
        const uint32_t node = s->stack[done];
        const struct targets t = targets_of(s->g, node);
        if (node != s->g->by_address) note_variables(s->g->link, r, kernel, node);
        for (uint32_t k = 0; k < t.n; k++) visit(s, t.at[k]);
        if (calls_by_address(s->g, node)) visit(s, s->g->by_address);
    }
    for (uint32_t k = 0; k < s->n; k++) s->seen[s->stack[k]] = false;
}

void px_link_reach(struct px_link *link, struct px_reach *reach)
{
    const uint32_t nodes = link->funcs.n + 1;
    struct graph g = {.link = link, .by_address = link->funcs.n, .leads = PX_NEW_N(link->arena, bool, nodes)};
    struct search s = {
        .g = &g, .seen = PX_NEW_N(link->arena, bool, nodes), .stack = PX_NEW_N(link->arena, uint32_t, nodes)};
    find_taken(&g);
    find_leads(&g);
    reach->kernels = PX_NEW_N(link->arena, uint32_t, nodes);
    for (uint32_t i = 0; i < link->funcs.n; i++)
        if (link->funcs.at[i].is_entry && link->funcs.at[i].kind == PX_FUNCTION_CODE)
            reach->kernels[reach->nkernels++] = i;
    reach->of_var = px_arena_zalloc(link->arena, (link->vars.n + 1) * sizeof *reach->of_var);
    for (uint32_t k = 0; k < reach->nkernels; k++) reach_from(&s, reach, k);
}
