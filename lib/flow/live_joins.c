/*
 * live_joins.c - liveness of registers whose writes meet: the ways of a branch write what is read behind it.
 *
 * Where ways from different writes meet is known from the tree of dominators: at the frontier of a write's
 * node, and at the frontier of such a join. As in SSA form, a join becomes a write, which, if anything reads
 * what it writes, reads behind each of its predecessors what is there. Then every read belongs to the nearest
 * write or join that dominates it. Only this is done here: every frontier is one node at most, which no loop
 * heads, the joins are about as few as the register's places, and no read is in a loop without the write that
 * it belongs to. So a life ends at a place that names the register. Everything else is left to the sets of
 * live.c.
 */
#include "flow/live_joins.h"

#define SEVERAL (PX_FLOW_NONE - 1u) /* nodes in a frontier */
enum { START = 0 };                 /* among the writes */

/* ---- frontiers ---- */

static void add_out(uint32_t *out, uint32_t node)
{
    if (*out == PX_FLOW_NONE)
        *out = node;
    else if (*out != node)
        *out = SEVERAL;
}

/* From the leaves of the tree to its root. The end, which nobody reads at, is no join. */
static void find_frontiers(struct px_flow_joins *j)
{
    const struct px_flow_tree *tree = j->live->tree;
    const struct px_flow_lists *succ = &j->live->graph->succ;
    const uint32_t n = j->loops->n;
    uint32_t *at = PX_NEW_N(j->live->arena, uint32_t, n + 1); /* by number in the tree */
    for (uint32_t i = 0; i < n; i++) at[tree->start[j->loops->order[i]]] = j->loops->order[i];
    for (uint32_t i = 0; i < n; i++) j->out[j->loops->order[i]] = PX_FLOW_NONE;
    for (uint32_t i = n; i-- > 0;) {
        const uint32_t node = at[i], up = tree->up[node];
        for (uint32_t k = succ->first[node]; k < succ->first[node + 1]; k++)
            if (tree->up[succ->to[k]] != node && succ->to[k] != j->live->graph->end)
                add_out(&j->out[node], succ->to[k]);
        const uint32_t out = j->out[node];
        if (up != PX_FLOW_NONE && out != PX_FLOW_NONE && (out == SEVERAL || tree->up[out] != up))
            add_out(&j->out[up], out);
    }
    px_arena_drop(j->live->arena, at);
}

void px_flow_joins_begin(struct px_flow_joins *j, struct px_flow_live *live, const uint32_t *latch)
{
    *j = (struct px_flow_joins){.live = live, .loops = live->loops, .latch = latch};
    j->out = PX_NEW_N(live->arena, uint32_t, live->graph->n);
    j->met = PX_NEW_N(live->arena, uint32_t, live->graph->n);
    find_frontiers(j);
}

void px_flow_joins_end(struct px_flow_joins *j)
{
    void *blocks[] = {j->out, j->met, j->events.at, j->todo.at, j->writes.at, j->sources.at};
    for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++) px_arena_drop(j->live->arena, blocks[i]);
}

/* ---- what happens where ---- */

static void push_event(struct px_flow_joins *j, uint32_t node, enum px_flow_event_kind kind, uint32_t what)
{
    const struct px_flow_event event = {j->live->tree->start[node], kind, node, what};
    px_vec_push(j->live->arena, &j->events, event);
}

static bool is_write(const struct px_flow_joins *j, const struct px_flow_place *place)
{
    return place->uses & PX_FLOW_WRITTEN || (j->live->behind && place->uses & PX_FLOW_NAMED);
}

/* False: a loop's head, or more ways than there shall be. */
static bool add_join(struct px_flow_joins *j, uint32_t node, uint32_t most)
{
    const struct px_flow_lists *pred = &j->live->graph->pred;
    if (j->sources.n + pred->first[node + 1] - pred->first[node] > most) return false;
    push_event(j, node, PX_FLOW_JOIN, j->sources.n);
    for (uint32_t i = pred->first[node]; i < pred->first[node + 1]; i++) {
        const uint32_t from = j->loops->place[pred->to[i]];
        if (from == PX_FLOW_NONE) continue;
        if (from >= j->loops->place[node]) return false;
        push_event(j, pred->to[i], PX_FLOW_BEFORE_JOIN, j->sources.n);
        const struct px_flow_source source = {pred->to[i], PX_FLOW_NONE, node};
        px_vec_push(j->live->arena, &j->sources, source);
    }
    px_vec_push(j->live->arena, &j->todo, node);
    return true;
}

static bool list_events(struct px_flow_joins *j, uint32_t reg, const struct px_flow_visit *visits, uint32_t n)
{
    enum { FEW = 16, FOR_A_PLACE = 4 };
    const uint32_t most = FEW + FOR_A_PLACE * n;
    j->events.n = j->todo.n = j->sources.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct px_flow_place *place = &j->live->places.at[visits[i].place - 1];
        if (place->node == j->live->graph->end) return false;
        push_event(j, place->node, PX_FLOW_PLACE, visits[i].place);
        if (is_write(j, place)) px_vec_push(j->live->arena, &j->todo, place->node);
    }
    while (j->todo.n) {
        const uint32_t out = j->out[j->todo.at[--j->todo.n]];
        if (out == PX_FLOW_NONE) continue;
        if (out == SEVERAL) return false;
        if (j->met[out] == reg + 1) continue;
        j->met[out] = reg + 1;
        if (!add_join(j, out, most)) return false;
    }
    return true;
}

static bool is_before(const struct px_flow_event *a, const struct px_flow_event *b)
{
    return a->start != b->start ? a->start < b->start : a->kind < b->kind;
}

static void sift(struct px_flow_event *at, uint32_t i, uint32_t n)
{
    for (uint32_t k; (k = 2 * i + 1) < n; i = k) {
        if (k + 1 < n && is_before(&at[k], &at[k + 1])) k++;
        if (!is_before(&at[i], &at[k])) return;
        const struct px_flow_event t = at[i];
        at[i] = at[k];
        at[k] = t;
    }
}

/* In the order of the tree; in one node: the join, then places, then the way out. */
static void sort_events(struct px_flow_joins *j)
{
    struct px_flow_event *at = j->events.at;
    for (uint32_t i = j->events.n / 2; i-- > 0;) sift(at, i, j->events.n);
    for (uint32_t n = j->events.n; n-- > 1;) {
        const struct px_flow_event t = at[0];
        at[0] = at[n];
        at[n] = t;
        sift(at, 0, n);
    }
}

/* ---- which writes are read ---- */

/* False: the read is in a loop without the write. */
static bool read_write(struct px_flow_joins *j, uint32_t write, uint32_t node)
{
    struct px_flow_meeting *w = &j->writes.at[write];
    const uint32_t head = j->latch[node] != PX_FLOW_NONE ? node : j->loops->head[node];
    if (head != PX_FLOW_NONE && (write == START || j->loops->place[head] > w->at)) return false;
    if (w->read) return true;
    w->read = true;
    px_vec_push(j->live->arena, &j->todo, write);
    return true;
}

static uint32_t open_write(struct px_flow_joins *j, const struct px_flow_event *e, uint32_t up)
{
    const struct px_flow_meeting w = {.start = e->start,
                                      .size = j->live->tree->size[e->node],
                                      .at = j->loops->place[e->node],
                                      .up = up,
                                      .place = e->kind == PX_FLOW_PLACE ? e->what : 0,
                                      .source = e->what,
                                      .node = e->node};
    px_vec_push(j->live->arena, &j->writes, w);
    return j->writes.n - 1;
}

static bool walk_events(struct px_flow_joins *j)
{
    uint32_t top = START;
    const struct px_flow_meeting start = {.size = UINT32_MAX};
    j->writes.n = 0;
    px_vec_push(j->live->arena, &j->writes, start);
    for (uint32_t i = 0; i < j->events.n; i++) {
        const struct px_flow_event *e = &j->events.at[i];
        while (e->start - j->writes.at[top].start >= j->writes.at[top].size) top = j->writes.at[top].up;
        if (e->kind == PX_FLOW_BEFORE_JOIN) {
            j->sources.at[e->what].write = top;
            continue;
        }
        const struct px_flow_place *place =
            e->kind == PX_FLOW_PLACE ? &j->live->places.at[e->what - 1] : NULL;
        if (place && place->uses & PX_FLOW_READ && !read_write(j, top, e->node)) return false;
        if (!place || is_write(j, place)) top = open_write(j, e, top);
    }
    return true;
}

/* What a write that is read reads itself: a join, from all sides; one that replaces nothing, what was there.
 */
static bool pass_on(struct px_flow_joins *j, const struct px_flow_meeting *w)
{
    if (w->place)
        return j->live->places.at[w->place - 1].uses & PX_FLOW_WRITTEN || read_write(j, w->up, w->node);
    for (uint32_t i = w->source; i < j->sources.n && j->sources.at[i].join == w->node; i++)
        if (!read_write(j, j->sources.at[i].write, j->sources.at[i].node)) return false;
    return true;
}

static bool find_reads(struct px_flow_joins *j)
{
    while (j->todo.n) {
        const uint32_t i = j->todo.at[--j->todo.n];
        const struct px_flow_meeting w = j->writes.at[i];
        if (i != START && !pass_on(j, &w)) return false;
    }
    return true;
}

bool px_flow_joins_solve(struct px_flow_joins *j, uint32_t reg, const struct px_flow_visit *visits,
                         uint32_t n)
{
    struct px_flow_live *live = j->live;
    if (!list_events(j, reg, visits, n)) return false;
    sort_events(j);
    if (!walk_events(j) || !find_reads(j)) return false;
    for (uint32_t i = 0; i < j->writes.n; i++)
        if (j->writes.at[i].place && j->writes.at[i].read)
            live->places.at[j->writes.at[i].place - 1].uses |= PX_FLOW_BEHIND;
    live->exposed[reg] = false;
    live->at_start[reg] = j->writes.at[START].read;
    live->last_behind[reg] = PX_FLOW_NONE;
    return true;
}
