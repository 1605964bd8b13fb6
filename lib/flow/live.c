/*
 * live.c - liveness of registers, some hundreds at a time.
 *
 * A batch has a bit for each of its registers and, for each node, the words `in`
 * (live at the beginning) and `kills` (wholly written). Nodes whose `in` has grown
 * are dirty; they pass it on to their predecessors, from the end of the order to
 * its beginning and again as long as edges lead back. All registers of one word are
 * of one class, so that a population count is a count of the class. When nothing is
 * dirty, one walk down the nodes that were touched turns `kills` into what is live
 * behind the node and takes last places and counts; it looks only at bits it has not
 * seen. Before that live_tree.c solves the registers that dominance decides.
 */
#include "flow/live.h"
#include <string.h>

enum { MOST_WORDS = 8, NO_CLASS = 1 };
#define WORDS_BYTES ((size_t)64 << 20) /* of all nodes' words, unless one word a node takes more */

struct batch {
    struct px_flow_live *live;
    uint32_t words;            /* of a set */
    uint32_t *place;           /* by node: in the order; PX_FLOW_NONE: takes no part */
    uint64_t *sets;            /* by node: `in` and then `kills` */
    uint64_t *dirty, *touched; /* bits by place */
    uint32_t highest;          /* no place above it is dirty */
    uint32_t ndirty;           /* words of those bits */
    uint32_t *slots;           /* registers by bit, all batches; PX_FLOW_NONE: a bit that fills up a word */
    uint32_t nslots;
    const uint32_t *regs; /* of this batch, by bit */
    uint32_t nregs;
};

/* ---- what blocks read and write ---- */

void px_flow_live_begin(struct px_flow_live *live, struct px_arena *arena, const struct px_flow_graph *graph,
                        const uint32_t *order, uint32_t norder, uint32_t nregs)
{
    *live = (struct px_flow_live){
        .arena = arena, .graph = graph, .order = order, .norder = norder, .nregs = nregs};
    live->newest = PX_NEW_N(arena, uint32_t, nregs + 1);
    live->exposed = PX_NEW_N(arena, bool, nregs + 1);
    live->last_behind = PX_NEW_N(arena, uint32_t, nregs + 1);
    live->at_start = PX_NEW_N(arena, bool, nregs + 1);
    for (uint32_t i = 0; i < nregs; i++) live->last_behind[i] = PX_FLOW_NONE;
}

void px_flow_live_count(struct px_flow_live *live, const uint8_t *classes, uint32_t nclasses)
{
    live->classes = classes;
    live->nclasses = nclasses;
    live->counts = PX_NEW_N(live->arena, uint32_t, (size_t)live->graph->n * nclasses);
}

void px_flow_live_use_tree(struct px_flow_live *live, const struct px_flow_loops *loops,
                           const struct px_flow_tree *tree, bool behind)
{
    live->loops = loops;
    live->tree = tree;
    live->behind = behind;
}

static struct px_flow_place *place_of(struct px_flow_live *live, uint32_t node, uint32_t reg)
{
    const uint32_t newest = live->newest[reg];
    if (newest && live->places.at[newest - 1].node == node) return &live->places.at[newest - 1];
    const struct px_flow_place place = {reg, newest, node, 0};
    px_vec_push(live->arena, &live->places, place);
    live->newest[reg] = live->places.n;
    return &live->places.at[live->places.n - 1];
}

void px_flow_live_name(struct px_flow_live *live, uint32_t node, uint32_t reg)
{
    place_of(live, node, reg)->uses |= PX_FLOW_NAMED;
}

void px_flow_live_read(struct px_flow_live *live, uint32_t node, uint32_t reg)
{
    struct px_flow_place *place = place_of(live, node, reg);
    if (place->uses & PX_FLOW_WRITTEN) return;
    place->uses |= PX_FLOW_READ;
    live->exposed[reg] = true;
}

void px_flow_live_write(struct px_flow_live *live, uint32_t node, uint32_t reg)
{
    place_of(live, node, reg)->uses |= PX_FLOW_WRITTEN;
}

/* ---- batches ---- */

static uint32_t class_of(const struct px_flow_live *live, uint32_t reg)
{
    return live->classes ? live->classes[reg] : 0;
}

/* Exposed registers by class, each class from a new word on, and by where they first occur. */
static void number_registers(struct batch *b)
{
    const struct px_flow_live *live = b->live;
    const uint32_t classes = live->nclasses ? live->nclasses : NO_CLASS;
    uint32_t *at = PX_NEW_N(live->arena, uint32_t, classes), end = 0;
    for (uint32_t r = 0; r < live->nregs; r++)
        if (live->exposed[r]) at[class_of(live, r)]++;
    for (uint32_t c = 0; c < classes; c++) {
        const uint32_t n = at[c];
        at[c] = end;
        end += (n + 63) & ~63u;
    }
    b->slots = PX_NEW_N(live->arena, uint32_t, end);
    b->nslots = end;
    for (uint32_t i = 0; i < end; i++) b->slots[i] = PX_FLOW_NONE;
    for (uint32_t i = 0; i < live->places.n; i++) {
        const struct px_flow_place *place = &live->places.at[i];
        if (!place->older && live->exposed[place->reg])
            b->slots[at[class_of(live, place->reg)]++] = place->reg;
    }
}

static void set_up(struct batch *b)
{
    const struct px_flow_live *live = b->live;
    const uint32_t n = live->graph->n;
    const size_t most = WORDS_BYTES / 16 / n;
    b->words = b->nslots / 64 < MOST_WORDS ? b->nslots / 64 : MOST_WORDS;
    if (b->words > most) b->words = most ? (uint32_t)most : 1;
    b->place = PX_NEW_N(live->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) b->place[i] = PX_FLOW_NONE;
    for (uint32_t i = 0; i < live->norder; i++) b->place[live->order[i]] = i;
    b->sets = PX_NEW_N(live->arena, uint64_t, 2 * (size_t)n * b->words);
    b->ndirty = live->norder / 64 + 1;
    b->dirty = PX_NEW_N(live->arena, uint64_t, b->ndirty);
    b->touched = PX_NEW_N(live->arena, uint64_t, b->ndirty);
}

static uint64_t *in_of(const struct batch *b, uint32_t node)
{
    return b->sets + 2 * (size_t)node * b->words;
}

static uint64_t *kills_of(const struct batch *b, uint32_t node)
{
    return in_of(b, node) + b->words;
}

static void touch(struct batch *b, uint32_t place)
{
    b->touched[place / 64] |= 1ull << place % 64;
}

static void soil(struct batch *b, uint32_t place)
{
    touch(b, place);
    b->dirty[place / 64] |= 1ull << place % 64;
    if (place > b->highest) b->highest = place;
}

static void fill(struct batch *b)
{
    const struct px_flow_live *live = b->live;
    for (uint32_t bit = 0; bit < b->nregs; bit++) {
        const uint64_t mask = 1ull << bit % 64;
        if (b->regs[bit] == PX_FLOW_NONE) continue;
        for (uint32_t i = live->newest[b->regs[bit]]; i; i = live->places.at[i - 1].older) {
            const struct px_flow_place *place = &live->places.at[i - 1];
            const uint32_t at = b->place[place->node];
            if (at == PX_FLOW_NONE) continue;
            touch(b, at);
            if (place->uses & PX_FLOW_WRITTEN) kills_of(b, place->node)[bit / 64] |= mask;
            if (!(place->uses & PX_FLOW_READ)) continue;
            in_of(b, place->node)[bit / 64] |= mask;
            soil(b, at);
        }
    }
}

/* ---- sweeps ---- */

static bool pass_on(const struct batch *b, const uint64_t *in, uint32_t to)
{
    const uint64_t *kills = kills_of(b, to);
    uint64_t *its = in_of(b, to), grown = 0;
    for (uint32_t w = 0; w < b->words; w++) {
        const uint64_t more = in[w] & ~kills[w] & ~its[w];
        its[w] |= more;
        grown |= more;
    }
    return grown != 0;
}

static void visit(struct batch *b, uint32_t node)
{
    const struct px_flow_lists *pred = &b->live->graph->pred;
    const uint64_t *in = in_of(b, node);
    for (uint32_t i = pred->first[node]; i < pred->first[node + 1]; i++) {
        const uint32_t to = pred->to[i];
        if (b->place[to] != PX_FLOW_NONE && pass_on(b, in, to)) soil(b, b->place[to]);
    }
}

/* Visits what is dirty from the highest place down; what gets dirty above waits for the next sweep. */
static void sweep(struct batch *b)
{
    const uint32_t from = b->highest;
    b->highest = 0;
    for (uint32_t w = from / 64 + 1; w-- > 0;)
        for (uint64_t below = ~0ull; b->dirty[w] & below;) {
            const uint32_t bit = 63 - (uint32_t)__builtin_clzll(b->dirty[w] & below);
            below = (1ull << bit) - 1;
            b->dirty[w] &= ~(1ull << bit);
            visit(b, b->live->order[w * 64 + bit]);
        }
}

static bool is_dirty(const struct batch *b)
{
    for (uint32_t w = 0; w <= b->highest / 64; w++)
        if (b->dirty[w]) return true;
    return false;
}

/* ---- results ---- */

/* Registers of `set` that `seen` does not have are live behind this place, and behind none further on. */
static void note_new(const struct batch *b, const uint64_t *set, uint64_t *seen, uint32_t place)
{
    uint32_t *to = b->live->last_behind;
    for (uint32_t w = 0; w < b->words; w++) {
        uint64_t fresh = set[w] & ~seen[w];
        seen[w] |= fresh;
        for (; fresh; fresh &= fresh - 1) to[b->regs[w * 64 + (uint32_t)__builtin_ctzll(fresh)]] = place;
    }
}

/* What is live behind the node, in place of what it writes. */
static uint64_t *look_behind(const struct batch *b, uint32_t node)
{
    const struct px_flow_lists *succ = &b->live->graph->succ;
    uint64_t *behind = kills_of(b, node);
    memset(behind, 0, b->words * sizeof *behind);
    for (uint32_t i = succ->first[node]; i < succ->first[node + 1]; i++) {
        const uint64_t *in = in_of(b, succ->to[i]);
        for (uint32_t w = 0; w < b->words; w++) behind[w] |= in[w];
    }
    return behind;
}

static void count(const struct batch *b, uint32_t node, const uint64_t *behind)
{
    struct px_flow_live *live = b->live;
    for (uint32_t w = 0; w * 64 < b->nregs; w++)
        if (behind[w])
            live->counts[(size_t)node * live->nclasses + class_of(live, b->regs[w * 64])] +=
                (uint32_t)__builtin_popcountll(behind[w]);
}

static void walk_down(const struct batch *b)
{
    uint64_t seen[MOST_WORDS] = {0};
    for (uint32_t w = b->ndirty; w-- > 0;)
        for (uint64_t left = b->touched[w]; left;) {
            const uint32_t bit = 63 - (uint32_t)__builtin_clzll(left), place = w * 64 + bit;
            const uint64_t *behind = look_behind(b, b->live->order[place]);
            left &= ~(1ull << bit);
            note_new(b, behind, seen, place);
            if (b->live->counts) count(b, b->live->order[place], behind);
        }
}

static void look_at_start(const struct batch *b)
{
    const uint64_t *in = in_of(b, 0);
    if (b->place[0] == PX_FLOW_NONE) return;
    for (uint32_t bit = 0; bit < b->nregs; bit++)
        if (in[bit / 64] >> bit % 64 & 1) b->live->at_start[b->regs[bit]] = true;
}

static void mark_places(const struct batch *b)
{
    const struct px_flow_live *live = b->live;
    for (uint32_t bit = 0; bit < b->nregs; bit++) {
        uint32_t last = 0;
        if (b->regs[bit] == PX_FLOW_NONE) continue;
        for (uint32_t i = live->newest[b->regs[bit]]; i; i = live->places.at[i - 1].older) {
            struct px_flow_place *place = &live->places.at[i - 1];
            const uint32_t at = b->place[place->node];
            if (at == PX_FLOW_NONE) continue;
            if (kills_of(b, place->node)[bit / 64] >> bit % 64 & 1) place->uses |= PX_FLOW_BEHIND;
            if (at > last) last = at;
        }
        uint32_t *behind = &live->last_behind[b->regs[bit]];
        if (*behind != PX_FLOW_NONE && *behind < last) *behind = PX_FLOW_NONE;
    }
}

static void clear(const struct batch *b)
{
    for (uint32_t w = 0; w < b->ndirty; w++) {
        for (uint64_t left = b->touched[w]; left; left &= left - 1) {
            const uint32_t node = b->live->order[w * 64 + (uint32_t)__builtin_ctzll(left)];
            memset(in_of(b, node), 0, 2 * b->words * sizeof *b->sets);
        }
        b->touched[w] = 0;
    }
}

void px_flow_live(struct px_flow_live *live)
{
    struct batch b = {.live = live};
    if (live->tree) px_flow_live_by_tree(live);
    number_registers(&b);
    if (!b.nslots) return;
    set_up(&b);
    for (uint32_t first = 0; first < b.nslots; first += b.nregs) {
        b.regs = b.slots + first;
        b.nregs = b.nslots - first < b.words * 64 ? b.nslots - first : b.words * 64;
        fill(&b);
        while (is_dirty(&b)) sweep(&b);
        walk_down(&b);
        look_at_start(&b);
        mark_places(&b);
        clear(&b);
    }
    void *blocks[] = {b.slots, b.place, b.sets};
    for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++) px_arena_drop(live->arena, blocks[i]);
}

void px_flow_live_end(struct px_flow_live *live)
{
    void *blocks[] = {live->newest,   live->exposed, live->last_behind,
                      live->at_start, live->counts,  live->places.at};
    for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++) px_arena_drop(live->arena, blocks[i]);
}
