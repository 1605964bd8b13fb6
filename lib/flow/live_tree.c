/*
 * live_tree.c - liveness of the registers for which dominance and loops decide it, in the time that it takes
 * to look at the places that name them.
 *
 * The places of a register are taken in an order in which every write comes before what it dominates. A read
 * belongs to the nearest write that dominates it, or to the start. If all writes that this one dominates in
 * turn come no earlier in the weak topological order than the last of its reads, no other write reaches these
 * reads but around a loop, for edges lead forward except to heads of loops that both ends are in. A single
 * one that comes earlier is not on every way, or it would be the nearest: it does not matter where the
 * register's life ends. Let M be the outermost loop around that last read without the write: the register is
 * live wherever M's head can be reached inside M without a write. Without writes in M that is all of M; else
 * the last such place is the last branch to the head, or the end of the loop inside M around that, if nothing
 * in there writes. Of writes in M a single one is live behind. What is not like this (the ways of a branch
 * write what is read where they meet) is for live_joins.c, or else for the sets of live.c.
 *
 * A place that names the register without replacing it (a guarded write) is a write that reads what was there
 * before if it is live itself; this matters only where somebody asks what is live behind it.
 */
#include "flow/live_joins.h"

/* A write among the places that it dominates, or the start. */
struct write {
    uint32_t start, size; /* its subtree in the tree of dominators */
    uint32_t at;          /* place in the order; PX_FLOW_NONE: the start */
    uint32_t place;       /* number in live->places, plus 1; 0: the start */
    bool replaces;        /* nothing of what was there before is read behind it */
    uint32_t read;        /* the last place in the order that reads what it wrote; PX_FLOW_NONE */
    struct {
        uint32_t at, place;
    } next[2]; /* the first two of the writes that it dominates; PX_FLOW_NONE */
};

struct solver {
    struct px_flow_live *live;
    const struct px_flow_loops *loops;
    uint32_t
        *latch;     /* by node: of a loop's head, the last place that branches to it; PX_FLOW_NONE: no head */
    uint32_t *jump; /* by head: the head of some loop around its own; PX_FLOW_NONE */
    uint32_t *depth;              /* by head */
    struct px_flow_visit *visits; /* of each register, in the order of the tree */
    uint32_t *first;              /* by register, and the end: where these begin */
    PX_VEC(struct write) open;    /* those that dominate the place that is looked at, outermost first */
    uint32_t last;                /* place behind which the register is live; PX_FLOW_NONE */
    struct px_flow_joins joins;   /* begun when the first register needs them */
};

/* ---- loops ---- */

static bool is_head(const struct solver *s, uint32_t node)
{
    return s->latch[node] != PX_FLOW_NONE;
}

/* Jumps double as in a skew-binary number, so that a way of n loops outward takes log n steps. */
static void place_jump(struct solver *s, uint32_t head)
{
    const uint32_t around = s->loops->head[head];
    s->jump[head] = around;
    if (around == PX_FLOW_NONE) return;
    const uint32_t jump = s->jump[around];
    s->depth[head] = s->depth[around] + 1;
    if (jump == PX_FLOW_NONE) return;
    const uint32_t beyond = s->jump[jump];
    if (beyond != PX_FLOW_NONE && s->depth[around] - s->depth[jump] == s->depth[jump] - s->depth[beyond])
        s->jump[head] = beyond;
}

static void find_latches(struct solver *s)
{
    const struct px_flow_lists *succ = &s->live->graph->succ;
    const struct px_flow_loops *loops = s->loops;
    for (uint32_t i = 0; i < s->live->graph->n; i++) s->latch[i] = PX_FLOW_NONE;
    for (uint32_t at = 0; at < loops->n; at++) {
        const uint32_t node = loops->order[at];
        for (uint32_t k = succ->first[node]; k < succ->first[node + 1]; k++)
            if (loops->place[succ->to[k]] <= at) s->latch[succ->to[k]] = at;
    }
    for (uint32_t at = 0; at < loops->n; at++)
        if (is_head(s, loops->order[at])) place_jump(s, loops->order[at]);
}

/* The head of the outermost loop around a node that begins at `from` or later; PX_FLOW_NONE. */
static uint32_t loop_from(const struct solver *s, uint32_t node, uint32_t from)
{
    const uint32_t *place = s->loops->place, *around = s->loops->head;
    uint32_t head = is_head(s, node) ? node : around[node];
    if (head == PX_FLOW_NONE || place[head] < from) return PX_FLOW_NONE;
    while (around[head] != PX_FLOW_NONE && place[around[head]] >= from) {
        const uint32_t jump = s->jump[head];
        head = jump != PX_FLOW_NONE && place[jump] >= from ? jump : around[head];
    }
    return head;
}

static uint32_t end_of(const struct solver *s, uint32_t head)
{
    return s->loops->place[head] + s->loops->size[head] - 1;
}

/* ---- one register ---- */

static void read_at(struct write *w, uint32_t at)
{
    if (w->read == PX_FLOW_NONE || w->read < at) w->read = at;
}

static void note_below(struct write *w, uint32_t at, uint32_t place)
{
    if (at < w->next[0].at) {
        w->next[1] = w->next[0];
        w->next[0].at = at;
        w->next[0].place = place;
    } else if (at < w->next[1].at) {
        w->next[1].at = at;
        w->next[1].place = place;
    }
}

static bool may_write(const struct write *w, uint32_t from, uint32_t to)
{
    for (int i = 0; i < 2; i++)
        if (w->next[i].at >= from && w->next[i].at <= to) return true;
    return w->next[1].at < from; /* there may be a third one */
}

static void live_behind(struct solver *s, uint32_t at)
{
    if (s->last == PX_FLOW_NONE || s->last < at) s->last = at;
}

/* Loop `head` goes around with what w wrote, and other writes are in it. */
static bool goes_around(struct solver *s, const struct write *w, uint32_t head)
{
    const uint32_t latch = s->latch[head], at = s->loops->place[head];
    const uint32_t inside = loop_from(s, s->loops->order[latch], at + 1);
    const uint32_t last = inside == PX_FLOW_NONE ? latch : end_of(s, inside);
    if (inside != PX_FLOW_NONE && may_write(w, s->loops->place[inside], last)) return false;
    live_behind(s, last);
    if (!s->live->behind) return true;
    struct px_flow_place *only = &s->live->places.at[w->next[0].place - 1];
    only->uses |= PX_FLOW_BEHIND;
    return w->next[1].at > end_of(s, head) && only->uses & PX_FLOW_WRITTEN;
}

/* Some way from w to the last read has no other write, and if loop `head` is around that, some way from
 * there. */
static bool reaches(const struct solver *s, const struct write *w, uint32_t head)
{
    if (w->next[0].at >= w->read) return true;
    if (s->live->behind || w->next[1].at < w->read) return false;
    if (head == PX_FLOW_NONE) return true;
    return w->next[1].at > end_of(s, head) &&
           px_flow_dominates(s->live->tree, head, s->loops->order[w->read]);
}

/* All that w dominates has been looked at. False: it does not decide. */
static bool judge(struct solver *s, const struct write *w)
{
    if (w->read == PX_FLOW_NONE) return true;
    if (w->place && s->live->behind) s->live->places.at[w->place - 1].uses |= PX_FLOW_BEHIND;
    const uint32_t head = loop_from(s, s->loops->order[w->read], w->at + 1);
    if (!reaches(s, w, head)) return false;
    if (head == PX_FLOW_NONE) return true;
    if (may_write(w, s->loops->place[head], end_of(s, head))) return goes_around(s, w, head);
    live_behind(s, end_of(s, head));
    return true;
}

static bool close_last(struct solver *s)
{
    const struct write w = s->open.at[--s->open.n];
    struct write *up = &s->open.at[s->open.n - 1];
    if (!judge(s, &w)) return false;
    if (!w.replaces && w.read != PX_FLOW_NONE) read_at(up, w.at);
    note_below(up, w.at, w.place);
    for (int i = 0; i < 2; i++)
        if (w.next[i].at != PX_FLOW_NONE) note_below(up, w.next[i].at, w.next[i].place);
    return true;
}

static void open_write(struct solver *s, const struct px_flow_visit *v, uint32_t at)
{
    const struct write w = {.start = v->start,
                            .size = v->size,
                            .at = at,
                            .place = v->place,
                            .replaces = v->uses & PX_FLOW_WRITTEN,
                            .read = PX_FLOW_NONE,
                            .next = {{PX_FLOW_NONE, 0}, {PX_FLOW_NONE, 0}}};
    px_vec_push(s->live->arena, &s->open, w);
}

static bool look_at(struct solver *s, const struct px_flow_visit *v)
{
    while (v->start - s->open.at[s->open.n - 1].start >= s->open.at[s->open.n - 1].size)
        if (!close_last(s)) return false;
    if (v->uses & PX_FLOW_READ) read_at(&s->open.at[s->open.n - 1], v->at);
    if (v->uses & PX_FLOW_WRITTEN || (s->live->behind && v->uses & PX_FLOW_NAMED)) open_write(s, v, v->at);
    return true;
}

static bool look_at_places(struct solver *s, uint32_t reg)
{
    const struct px_flow_visit start = {.size = UINT32_MAX};
    s->open.n = 0;
    s->last = PX_FLOW_NONE;
    open_write(s, &start, PX_FLOW_NONE);
    for (uint32_t i = s->first[reg]; i < s->first[reg + 1]; i++)
        if (!look_at(s, &s->visits[i])) return false;
    while (s->open.n > 1)
        if (!close_last(s)) return false;
    return judge(s, &s->open.at[0]);
}

static void solve(struct solver *s, uint32_t reg)
{
    struct px_flow_live *live = s->live;
    const struct px_flow_visit *visits = &s->visits[s->first[reg]];
    const uint32_t n = s->first[reg + 1] - s->first[reg];
    if (!look_at_places(s, reg)) {
        for (uint32_t i = 0; i < n; i++)
            live->places.at[visits[i].place - 1].uses &= ~(unsigned)PX_FLOW_BEHIND;
        if (!s->joins.live) px_flow_joins_begin(&s->joins, live, s->latch);
        px_flow_joins_solve(&s->joins, reg, visits, n);
        return;
    }
    live->exposed[reg] = false;
    live->at_start[reg] = s->open.at[0].read != PX_FLOW_NONE;
    for (uint32_t i = 0; i < n && s->last != PX_FLOW_NONE; i++)
        if (visits[i].at > s->last) s->last = PX_FLOW_NONE;
    live->last_behind[reg] = s->last;
}

/* ---- all of them ---- */

static bool takes_part(const struct solver *s, const struct px_flow_place *place)
{
    return s->live->exposed[place->reg] && s->loops->place[place->node] != PX_FLOW_NONE;
}

/* Where each register's visits begin: that of r in first[r + 1], until they are there. */
static uint32_t make_room(struct solver *s)
{
    const struct px_flow_live *live = s->live;
    uint32_t n = 0;
    for (uint32_t i = 0; i < live->places.n; i++)
        if (takes_part(s, &live->places.at[i])) s->first[live->places.at[i].reg + 1]++;
    for (uint32_t r = 1; r <= live->nregs; r++) {
        const uint32_t its = s->first[r];
        s->first[r] = n;
        n += its;
    }
    return n;
}

/* The places of one node, which were told one after the other: from number i on. */
static void visit_node(struct solver *s, uint32_t i)
{
    const struct px_flow_live *live = s->live;
    const uint32_t node = live->places.at[i].node, start = live->tree->start[node],
                   size = live->tree->size[node], at = s->loops->place[node];
    for (; i < live->places.n && live->places.at[i].node == node; i++) {
        const struct px_flow_place *place = &live->places.at[i];
        const struct px_flow_visit visit = {start, size, at, place->uses, i + 1};
        if (live->exposed[place->reg]) s->visits[s->first[place->reg + 1]++] = visit;
    }
}

/* Each register's places, in the order of the tree. */
static void list_visits(struct solver *s)
{
    const struct px_flow_live *live = s->live;
    uint32_t *of =
        PX_NEW_N(live->arena, uint32_t, live->graph->n); /* by number in the tree: first place, plus 1 */
    s->visits = px_arena_alloc(live->arena, make_room(s) * sizeof *s->visits);
    for (uint32_t i = 0, last = PX_FLOW_NONE; i < live->places.n; i++) {
        const uint32_t node = live->places.at[i].node;
        if (node != last && s->loops->place[node] != PX_FLOW_NONE) of[live->tree->start[node]] = i + 1;
        last = node;
    }
    for (uint32_t i = 0; i < live->graph->n; i++)
        if (of[i]) visit_node(s, of[i] - 1);
    px_arena_drop(live->arena, of);
}

void px_flow_live_by_tree(struct px_flow_live *live)
{
    struct px_arena *a = live->arena;
    const uint32_t n = live->graph->n;
    struct solver s = {.live = live,
                       .loops = live->loops,
                       .latch = PX_NEW_N(a, uint32_t, n),
                       .jump = PX_NEW_N(a, uint32_t, n),
                       .depth = PX_NEW_N(a, uint32_t, n),
                       .first = PX_NEW_N(a, uint32_t, live->nregs + 1)};
    find_latches(&s);
    list_visits(&s);
    for (uint32_t r = 0; r < live->nregs; r++)
        if (s.first[r] < s.first[r + 1]) solve(&s, r);
    if (s.joins.live) px_flow_joins_end(&s.joins);
    void *blocks[] = {s.latch, s.jump, s.depth, s.first, s.visits, s.open.at};
    for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++) px_arena_drop(a, blocks[i]);
}
