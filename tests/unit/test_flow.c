/*
 * test_flow.c - lib/flow against its definitions, by brute force on thousands of random bodies, and on deep
 * and wide ones.
 *
 * The references go from instruction to instruction and know no blocks: a node dominates another when without
 * it there is no way; a register is live where some way leads to a read and passes no write. The weak
 * topological order is held against Bourdoncle's recursive algorithm as his paper gives it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "flow/assigned.h"
#include "flow/dominators.h"
#include "flow/live.h"
#include "flow/loops.h"
#include "suite.h"

enum { MOST = 40, MOST_REGS = 80, BODIES = 1500, CLASSES = 3 };

/* ---- random bodies ---- */

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

struct use {
    uint32_t reg;
    bool writes, whole;
};

struct body {
    struct px_arena arena;
    jmp_buf failure;
    struct px_flow_code code;
    bool edge[MOST + 1]
             [MOST + 1]; /* instruction to instruction; MOST stands for no instruction, code.n for the end */
    struct use uses[MOST][3];
    uint32_t nuses[MOST], nregs;
    struct px_flow_graph graph;
};

static void make_table(struct body *b, uint64_t *seed)
{
    uint32_t n = next_random(seed) % 5, *targets = PX_NEW_N(&b->arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) targets[i] = next_random(seed) % (b->code.n + 1);
    struct px_flow_table table = {targets, n};
    px_vec_push(&b->arena, &b->code.tables, table);
}

static void make_end(struct body *b, uint32_t at, uint64_t *seed)
{
    struct px_flow_end end = {at, PX_FLOW_NONE, PX_FLOW_NONE, next_random(seed) % 2, false};
    const uint32_t kind = next_random(seed) % 8;
    if (kind == 0) {
        end.leaves = true;
    } else if (kind == 1) {
        end.table = next_random(seed) % b->code.tables.n;
    } else if (kind < 7) {
        end.target = next_random(seed) % (b->code.n + 1);
    }
    px_vec_push(&b->arena, &b->code.ends, end);
    if (end.falls) b->edge[at][at + 1] = true;
    if (end.leaves) b->edge[at][b->code.n] = true;
    if (end.target != PX_FLOW_NONE) b->edge[at][end.target] = true;
    for (uint32_t i = 0; end.table != PX_FLOW_NONE && i < b->code.tables.at[end.table].n; i++)
        b->edge[at][b->code.tables.at[end.table].targets[i]] = true;
}

static void make_body(struct body *b, uint64_t seed)
{
    b->code.n = 1 + next_random(&seed) % (MOST - 1);
    b->nregs = 1 + next_random(&seed) % MOST_REGS;
    const uint32_t often = 2 + next_random(&seed) % 6;
    for (int i = 0; i < 2; i++) make_table(b, &seed);
    for (uint32_t i = 0; i < b->code.n; i++) {
        if (next_random(&seed) % often == 0)
            make_end(b, i, &seed);
        else
            b->edge[i][i + 1] = true;
        b->nuses[i] = next_random(&seed) % 4;
        for (uint32_t k = 0; k < b->nuses[i]; k++) {
            const uint32_t r = next_random(&seed);
            b->uses[i][k] = (struct use){r % b->nregs, r >> 8 & 1, r >> 9 & 3};
        }
    }
    px_flow_graph(&b->graph, &b->arena, &b->code);
}

static void drop_body(struct body *b)
{
    px_arena_free(&b->arena);
}

/* ---- blocks and edges ---- */

static bool has_edge(const struct px_flow_lists *lists, uint32_t from, uint32_t to)
{
    for (uint32_t i = lists->first[from]; i < lists->first[from + 1]; i++)
        if (lists->to[i] == to) return true;
    return false;
}

static void check_graph(const struct body *b)
{
    const struct px_flow_graph *g = &b->graph;
    uint32_t at = 0, edges = 0;
    assert_int_equal(g->end, g->nblocks);
    assert_false(px_flow_has_tables(g));
    for (uint32_t k = 0; k < g->nblocks; k++) {
        assert_int_equal(g->blocks[k].first, at);
        assert_true(g->blocks[k].n > 0);
        for (uint32_t i = 0; i < g->blocks[k].n; i++, at++) assert_int_equal(g->node_of[at], k);
        for (uint32_t i = at - g->blocks[k].n; i + 1 < at; i++) /* inside a block there is one way */
            for (uint32_t to = 0; to <= b->code.n; to++) assert_int_equal(b->edge[i][to], to == i + 1);
    }
    assert_int_equal(at, b->code.n);
    assert_int_equal(g->node_of[b->code.n], g->end);
    for (uint32_t k = 0; k < g->nblocks; k++)
        for (uint32_t to = 0; to <= b->code.n; to++)
            if (b->edge[g->blocks[k].first + g->blocks[k].n - 1][to]) {
                assert_true(has_edge(&g->succ, k, g->node_of[to]));
                assert_true(to == b->code.n || g->blocks[g->node_of[to]].first == to);
            }
    for (uint32_t k = 0; k < g->n; k++)
        for (uint32_t i = g->succ.first[k]; i < g->succ.first[k + 1]; i++, edges++) {
            const uint32_t to = g->succ.to[i], target = to == g->end ? b->code.n : g->blocks[to].first;
            assert_true(has_edge(&g->pred, to, k));
            assert_true(b->edge[g->blocks[k].first + g->blocks[k].n - 1][target]);
        }
    assert_int_equal(edges, g->pred.first[g->n]);
}

/* ---- dominators ---- */

/* Marks what `root` reaches over `lists` without passing `without`. */
static void reach(const struct px_flow_lists *lists, uint32_t n, uint32_t root, uint32_t without, bool *mark)
{
    uint32_t stack[MOST + 1], top = 0;
    memset(mark, 0, n * sizeof *mark);
    if (root == without) return;
    mark[stack[top++] = root] = true;
    while (top) {
        const uint32_t node = stack[--top];
        for (uint32_t i = lists->first[node]; i < lists->first[node + 1]; i++)
            if (lists->to[i] != without && !mark[lists->to[i]]) mark[stack[top++] = lists->to[i]] = true;
    }
}

static void check_tree(const struct px_flow_tree *tree, const struct px_flow_lists *succ, uint32_t n,
                       uint32_t root)
{
    bool reached[MOST + 1], left[MOST + 1];
    reach(succ, n, root, PX_FLOW_NONE, reached);
    for (uint32_t a = 0; a < n; a++) {
        reach(succ, n, root, a, left);
        assert_int_equal(tree->size[a] != 0, reached[a]);
        for (uint32_t b = 0; reached[a] && b < n; b++)
            assert_int_equal(px_flow_dominates(tree, a, b), reached[b] && !left[b]);
    }
    for (uint32_t a = 0; a < n; a++) { /* the parent is dominated by every other dominator */
        if (!reached[a] || a == root) continue;
        for (uint32_t b = 0; b < n; b++)
            if (b != a && reached[b] && px_flow_dominates(tree, b, a))
                assert_true(px_flow_dominates(tree, b, tree->up[a]));
    }
}

static void check_dominators(struct body *b)
{
    const struct px_flow_graph *g = &b->graph;
    struct px_flow_tree tree = px_flow_dominators(&b->arena, &b->arena, g->n, &g->succ, &g->pred, 0);
    check_tree(&tree, &g->succ, g->n, 0);
    tree = px_flow_dominators(&b->arena, &b->arena, g->n, &g->pred, &g->succ, g->end);
    check_tree(&tree, &g->pred, g->n, g->end);
    struct px_flow_order order = px_flow_order(&b->arena, g);
    bool reached[MOST + 1];
    reach(&g->succ, g->n, 0, PX_FLOW_NONE, reached);
    for (uint32_t i = 0; i < order.n; i++) assert_true(reached[order.nodes[i]]);
    for (uint32_t k = 0; k < g->n; k++) order.n -= reached[k];
    assert_int_equal(order.n, 0);
}

/* Loops get their way to the end: what is reached reaches the end, and nothing else has changed. */
static void check_closing(struct body *b)
{
    struct px_flow_graph closed;
    bool before[MOST + 1], after[MOST + 1];
    b->code.close_loops = true;
    px_flow_graph(&closed, &b->arena, &b->code);
    reach(&b->graph.pred, closed.n, closed.end, PX_FLOW_NONE, before);
    reach(&closed.pred, closed.n, closed.end, PX_FLOW_NONE, after);
    for (uint32_t k = 0; k < closed.n; k++) {
        assert_true(after[k]);
        const uint32_t n = b->graph.succ.first[k + 1] - b->graph.succ.first[k];
        const uint32_t more = closed.succ.first[k + 1] - closed.succ.first[k] - n;
        assert_memory_equal(closed.succ.to + closed.succ.first[k], b->graph.succ.to + b->graph.succ.first[k],
                            n * 4);
        assert_true(more == 0 ||
                    (more == 1 && !before[k] && closed.succ.to[closed.succ.first[k + 1] - 1] == closed.end));
    }
}

/* ---- weak topological order ---- */

/* Bourdoncle's algorithm: `found` is the order from its end. */
struct bourdoncle {
    const struct px_flow_lists *succ;
    uint32_t number[MOST + 1], stack[MOST + 1], nstack, n;
    uint32_t found[MOST + 1], nfound, size[MOST + 1];
};

static uint32_t bourdoncle_visit(struct bourdoncle *o, uint32_t v);

static void bourdoncle_component(struct bourdoncle *o, uint32_t v)
{
    const uint32_t before = o->nfound;
    for (uint32_t i = o->succ->first[v]; i < o->succ->first[v + 1]; i++)
        if (!o->number[o->succ->to[i]]) bourdoncle_visit(o, o->succ->to[i]);
    o->found[o->nfound++] = v;
    o->size[v] = o->nfound - before;
}

static uint32_t bourdoncle_visit(struct bourdoncle *o, uint32_t v)
{
    uint32_t head = o->number[v] = ++o->n, element;
    bool loop = false;
    o->stack[o->nstack++] = v;
    for (uint32_t i = o->succ->first[v]; i < o->succ->first[v + 1]; i++) {
        const uint32_t w = o->succ->to[i], min = o->number[w] ? o->number[w] : bourdoncle_visit(o, w);
        if (min <= head) head = min, loop = true;
    }
    if (head != o->number[v]) return head;
    o->number[v] = UINT32_MAX;
    element = o->stack[--o->nstack];
    if (loop) {
        for (; element != v; element = o->stack[--o->nstack]) o->number[element] = 0;
        bourdoncle_component(o, v);
    } else {
        o->found[o->nfound++] = v;
        o->size[v] = 1;
    }
    return head;
}

static bool inside(const struct px_flow_loops *loops, uint32_t head, uint32_t node)
{
    return loops->place[node] - loops->place[head] < loops->size[head];
}

static void check_loops(struct body *b)
{
    const struct px_flow_graph *g = &b->graph;
    struct px_flow_loops loops;
    struct bourdoncle o = {.succ = &g->succ};
    px_flow_loops(&loops, &b->arena, &b->arena, g);
    bourdoncle_visit(&o, 0);
    assert_int_equal(loops.n, o.nfound);
    for (uint32_t i = 0; i < loops.n; i++) {
        const uint32_t node = loops.order[i];
        assert_int_equal(node, o.found[o.nfound - 1 - i]);
        assert_int_equal(loops.place[node], i);
        assert_int_equal(loops.size[node], o.size[node]);
        if (loops.head[node] != PX_FLOW_NONE) assert_true(inside(&loops, loops.head[node], node));
        for (uint32_t e = g->succ.first[node]; e < g->succ.first[node + 1]; e++) {
            const uint32_t to = g->succ.to[e];
            if (loops.place[to] <= i) assert_true(inside(&loops, to, node));
        }
        for (uint32_t h = 0; h < i; h++) { /* the innermost of the loops around it */
            const uint32_t head = loops.order[h];
            if (inside(&loops, head, node))
                assert_true(loops.head[node] == head || inside(&loops, head, loops.head[node]));
        }
    }
    for (uint32_t k = 0; k < g->n; k++)
        if (loops.place[k] == PX_FLOW_NONE) assert_int_equal(loops.head[k], PX_FLOW_NONE);
}

/* ---- liveness ---- */

/* What one instruction does to a register: 0 nothing, 1 reads it, 2 replaces it. Reads come before writes. */
static int effect(const struct body *b, uint32_t i, uint32_t reg)
{
    int result = 0;
    for (uint32_t k = 0; k < b->nuses[i]; k++) {
        const struct use *use = &b->uses[i][k];
        if (use->reg != reg) continue;
        if (!use->writes) return 1;
        if (use->whole) result = 2;
    }
    return result;
}

/* By instruction, and of the end: is the register live before it? */
static void live_before(const struct body *b, uint32_t reg, bool *live)
{
    memset(live, 0, (MOST + 1) * sizeof *live);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < b->code.n; i++) {
            bool behind = false;
            for (uint32_t to = 0; to <= b->code.n; to++) behind |= b->edge[i][to] && live[to];
            const int what = effect(b, i, reg);
            const bool now = what == 1 || (what == 0 && behind);
            changed |= now != live[i];
            live[i] = now;
        }
    }
}

static bool live_behind(const struct body *b, uint32_t node, const bool *live)
{
    const struct px_flow_graph *g = &b->graph;
    const uint32_t last = node < g->nblocks ? g->blocks[node].first + g->blocks[node].n - 1 : MOST;
    bool behind = false;
    for (uint32_t to = 0; last != MOST && to <= b->code.n; to++) behind |= b->edge[last][to] && live[to];
    return behind;
}

/* Some registers are named beside what is done to them: who asks what is live behind their places. */
static bool is_named(uint32_t reg)
{
    return reg % 3 != 0;
}

static void tell_block(const struct body *b, struct px_flow_live *live, uint32_t node)
{
    const struct px_flow_block *block = &b->graph.blocks[node];
    for (uint32_t i = block->first; i < block->first + block->n; i++)
        for (int writes = 0; writes < 2; writes++)
            for (uint32_t k = 0; k < b->nuses[i]; k++) {
                const struct use *use = &b->uses[i][k];
                if (use->writes != writes) continue;
                if (is_named(use->reg)) px_flow_live_name(live, node, use->reg);
                if (!writes) px_flow_live_read(live, node, use->reg);
                if (writes && use->whole) px_flow_live_write(live, node, use->reg);
            }
}

static uint32_t last_named(const struct px_flow_live *live, uint32_t reg)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < live->norder; i++)
        for (uint32_t k = live->newest[reg]; k; k = live->places.at[k - 1].older)
            if (live->places.at[k - 1].node == live->order[i]) last = i;
    return last;
}

static void check_places(const struct body *b, const struct px_flow_live *live, uint32_t reg,
                         const bool *before)
{
    for (uint32_t i = live->newest[reg]; i; i = live->places.at[i - 1].older) {
        const struct px_flow_place *place = &live->places.at[i - 1];
        assert_int_equal(place->reg, reg);
        if (live->loops && live->loops->place[place->node] == PX_FLOW_NONE) continue;
        if (!live->tree || (live->behind && place->uses & (PX_FLOW_WRITTEN | PX_FLOW_NAMED)))
            assert_int_equal((place->uses & PX_FLOW_BEHIND) != 0, live_behind(b, place->node, before));
    }
}

static void check_register(const struct body *b, const struct px_flow_live *live, uint32_t reg,
                           uint32_t *counts)
{
    bool before[MOST + 1];
    uint32_t last = PX_FLOW_NONE;
    live_before(b, reg, before);
    for (uint32_t i = 0; i < live->norder; i++) {
        const uint32_t node = live->order[i];
        if (!live_behind(b, node, before)) continue;
        last = i;
        if (live->classes) counts[node * CLASSES + live->classes[reg]]++;
    }
    if (last != PX_FLOW_NONE && last < last_named(live, reg)) last = PX_FLOW_NONE;
    assert_int_equal(live->last_behind[reg], last);
    assert_int_equal(live->at_start[reg], before[0]);
    check_places(b, live, reg, before);
}

static void check_counts(struct body *b, uint64_t seed)
{
    uint8_t classes[MOST_REGS];
    uint32_t counts[(MOST + 1) * CLASSES] = {0};
    struct px_flow_live live;
    struct px_flow_order order = px_flow_order(&b->arena, &b->graph);
    for (uint32_t r = 0; r < b->nregs; r++) classes[r] = next_random(&seed) % CLASSES;
    px_flow_live_begin(&live, &b->arena, &b->graph, order.nodes, order.n, b->nregs);
    px_flow_live_count(&live, classes, CLASSES);
    for (uint32_t i = 0; i < order.n; i++) tell_block(b, &live, order.nodes[i]);
    px_flow_live(&live);
    for (uint32_t r = 0; r < b->nregs; r++) check_register(b, &live, r, counts);
    for (uint32_t i = 0; i < order.n; i++)
        for (uint32_t c = 0; c < CLASSES; c++)
            assert_int_equal(live.counts[order.nodes[i] * CLASSES + c], counts[order.nodes[i] * CLASSES + c]);
}

/* By dominance where that decides: the same. Most registers that live across blocks are to be of this kind,
 * or nothing is tested. */
static void check_by_tree(struct body *b, bool behind, uint32_t *exposed, uint32_t *left)
{
    struct px_flow_live live;
    struct px_flow_loops loops;
    const struct px_flow_tree tree =
        px_flow_dominators(&b->arena, &b->arena, b->graph.n, &b->graph.succ, &b->graph.pred, 0);
    px_flow_loops(&loops, &b->arena, &b->arena, &b->graph);
    px_flow_live_begin(&live, &b->arena, &b->graph, loops.order, loops.n, b->nregs);
    px_flow_live_use_tree(&live, &loops, &tree, behind);
    for (uint32_t k = 0; k < b->graph.nblocks; k++) tell_block(b, &live, k);
    for (uint32_t r = 0; r < b->nregs; r++) *exposed += live.exposed[r];
    px_flow_live(&live);
    for (uint32_t r = 0; r < b->nregs; r++) *left += live.exposed[r];
    for (uint32_t r = 0; r < b->nregs; r++) check_register(b, &live, r, NULL);
}

/* ---- assignment ---- */

static void check_assigned(struct body *b, uint64_t seed)
{
    const struct px_flow_graph *g = &b->graph;
    struct px_flow_order order = px_flow_order(&b->arena, g);
    struct px_flow_facts *some = PX_NEW_N(&b->arena, struct px_flow_facts, g->n);
    struct px_flow_facts *all = PX_NEW_N(&b->arena, struct px_flow_facts, g->n);
    for (uint32_t k = 0; k < g->n; k++)
        some[k].done = all[k].done =
            ((uint64_t)next_random(&seed) << 32 | next_random(&seed)) & (uint64_t)next_random(&seed) << 20;
    px_flow_assigned(g, &order, some, all);
    for (int fact = 0; fact < 64; fact += 9) {
        bool way[MOST + 1] = {false},
                        done_on_way[MOST + 1] = {false}; /* to its beginning: without the fact; with it */
        way[0] = true;
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t i = 0; i < order.n; i++)
                for (uint32_t node = order.nodes[i], e = g->succ.first[node]; e < g->succ.first[node + 1];
                     e++) {
                    const bool done = some[node].done >> fact & 1,
                               *old = (bool[]){way[g->succ.to[e]], done_on_way[g->succ.to[e]]};
                    if (way[node] && !done) way[g->succ.to[e]] = true;
                    if (done_on_way[node] || done) done_on_way[g->succ.to[e]] = true;
                    changed |= old[0] != way[g->succ.to[e]] || old[1] != done_on_way[g->succ.to[e]];
                }
        }
        for (uint32_t i = 0; i < order.n; i++) {
            assert_int_equal(some[order.nodes[i]].before >> fact & 1, done_on_way[order.nodes[i]]);
            assert_int_equal(all[order.nodes[i]].before >> fact & 1, !way[order.nodes[i]]);
        }
    }
}

TEST(test_random_bodies)
{
    struct body *b = malloc(sizeof *b);
    uint32_t exposed = 0, left = 0;
    if (setjmp(b->failure)) fail_msg("no memory");
    for (uint64_t seed = 1; seed <= BODIES; seed++) {
        memset(b, 0, sizeof *b);
        px_arena_init(&b->arena, NULL, &b->failure);
        make_body(b, seed);
        check_graph(b);
        check_dominators(b);
        check_closing(b);
        check_loops(b);
        check_counts(b, seed);
        check_by_tree(b, false, &exposed, &left);
        check_by_tree(b, true, &exposed, &left);
        check_assigned(b, seed);
        drop_body(b);
    }
    assert_true(left && left < exposed / 2);
    free(b);
}

/* ---- deep and wide ---- */

struct big {
    struct px_arena arena;
    jmp_buf failure;
    struct px_flow_code code;
    struct px_flow_graph graph;
    struct px_flow_loops loops;
    struct px_flow_live live;
};

static void big_init(struct big *b, uint32_t n)
{
    memset(b, 0, sizeof *b);
    px_arena_init(&b->arena, NULL, &b->failure);
    b->code.n = n;
}

static void big_end(struct big *b, uint32_t at, uint32_t target, bool falls)
{
    const struct px_flow_end end = {at, target, PX_FLOW_NONE, falls, false};
    px_vec_push(&b->arena, &b->code.ends, end);
}

static void big_build(struct big *b, uint32_t nregs)
{
    px_flow_graph(&b->graph, &b->arena, &b->code);
    px_flow_loops(&b->loops, &b->arena, &b->arena, &b->graph);
    px_flow_live_begin(&b->live, &b->arena, &b->graph, b->loops.order, b->loops.n, nregs);
}

/* n loops inside each other, on a stack that recursion would not fit. */
TEST(test_deep_nest)
{
    enum { N = 200000 };
    struct big *b = malloc(sizeof *b);
    big_init(b, 2 * N);
    if (setjmp(b->failure)) fail_msg("no memory");
    for (uint32_t i = 0; i < N; i++) big_end(b, N + i, N - 1 - i, true);
    big_build(b, N);
    struct px_flow_tree tree =
        px_flow_dominators(&b->arena, &b->arena, b->graph.n, &b->graph.succ, &b->graph.pred, 0);
    px_flow_live_use_tree(&b->live, &b->loops, &tree, true);
    /* instruction i < N is the head of loop i and reads register i, which the end of that loop replaces */
    for (uint32_t i = 0; i < N; i++) px_flow_live_read(&b->live, b->graph.node_of[i], i);
    for (uint32_t i = 0; i < N; i++) px_flow_live_write(&b->live, b->graph.node_of[2 * N - 1 - i], i);
    px_flow_live(&b->live);
    assert_int_equal(b->loops.n, 2 * N); /* the innermost loop is one block; the end of the code */
    for (uint32_t i = 0; i < 2 * N; i++) assert_int_equal(b->loops.order[i], i);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(b->loops.size[i], 2 * (N - i) - 1);
        assert_int_equal(b->loops.head[i], i ? i - 1 : PX_FLOW_NONE);
        assert_int_equal(b->live.last_behind[i], 2 * N - 2); /* around the outermost loop */
        assert_true(b->live.at_start[i]);
    }
    for (uint32_t i = 1; i < 2 * N; i++) assert_int_equal(tree.up[i], i - 1);
    px_arena_free(&b->arena);
    free(b);
}

/* n branches to one place, n registers that are alive all over them. */
TEST(test_wide_registers)
{
    enum { N = 30000 };
    struct big *b = malloc(sizeof *b);
    big_init(b, 2 * N + 1);
    if (setjmp(b->failure)) fail_msg("no memory");
    for (uint32_t i = 0; i < N; i++) big_end(b, 2 * i + 1, 2 * N, true);
    big_build(b, N);
    px_flow_live_count(&b->live, NULL, 1);
    for (uint32_t i = 0; i < N; i++) px_flow_live_write(&b->live, b->graph.node_of[2 * i], i);
    for (uint32_t i = 0; i < N; i++) px_flow_live_read(&b->live, b->graph.node_of[2 * N], i);
    px_flow_live(&b->live);
    assert_int_equal(b->graph.nblocks, N + 1);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(b->live.counts[i], N);
        assert_int_equal(b->live.last_behind[i], PX_FLOW_NONE); /* it is read in the last block */
        assert_int_equal(b->live.at_start[i], i != 0);
    }
    px_arena_free(&b->arena);
    free(b);
}

/* n branches through one table of n targets: edges by way of the table's node. */
TEST(test_dense_tables)
{
    enum { N = 20000 };
    struct big *b = malloc(sizeof *b);
    big_init(b, 2 * N);
    if (setjmp(b->failure)) fail_msg("no memory");
    uint32_t *targets = PX_NEW_N(&b->arena, uint32_t, N);
    for (uint32_t i = 0; i < N; i++) targets[i] = 2 * i;
    const struct px_flow_table table = {targets, N};
    px_vec_push(&b->arena, &b->code.tables, table);
    for (uint32_t i = 0; i < N; i++) {
        const struct px_flow_end end = {2 * i + 1, PX_FLOW_NONE, 0, false, false};
        px_vec_push(&b->arena, &b->code.ends, end);
    }
    big_build(b, 2);
    assert_true(px_flow_has_tables(&b->graph));
    assert_int_equal(b->graph.nblocks, N);
    assert_int_equal(b->graph.n, N + 2);
    assert_int_equal(b->graph.succ.first[b->graph.n], 2 * N);
    px_flow_live_count(&b->live, NULL, 1);
    px_flow_live_read(&b->live, 7, 0);
    px_flow_live_write(&b->live, 0, 1);
    px_flow_live_read(&b->live, N - 1, 1);
    px_flow_live(&b->live);
    assert_int_equal(b->loops.n, N + 1); /* the table, not the end */
    assert_int_equal(b->loops.size[b->loops.order[0]], N + 1);
    assert_true(b->live.at_start[0]);
    assert_false(b->live.at_start[1]);
    assert_int_equal(b->live.counts[3], 2);
    assert_int_equal(b->live.last_behind[0], N);
    px_arena_free(&b->arena);
    free(b);
}

TEST(test_no_code)
{
    struct big *b = malloc(sizeof *b);
    big_init(b, 0);
    if (setjmp(b->failure)) fail_msg("no memory");
    big_build(b, 0);
    px_flow_live(&b->live);
    assert_int_equal(b->graph.n, 1);
    assert_int_equal(b->graph.end, 0);
    assert_int_equal(b->loops.n, 1);
    px_arena_free(&b->arena);
    free(b);
}

int main(void)
{
    return run_suite();
}
