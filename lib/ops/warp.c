/*
 * warp.c - operations in which the lanes of a warp take part together:
 * shfl, vote, match, redux, elect, bar.warp.sync (PTX ISA 9.7.9.6, 9.7.13).
 *
 * Lanes meet by {member mask, operation, qualifiers}, not by pc. When all named
 * lanes that still live are in the running entry, which is nearly always, the
 * operation is done on the spot. Otherwise the lanes leave their operands in
 * the gang's sync records and wait; whoever completes the group computes the
 * results there, and each lane collects its own when it runs again. A lane that
 * is not in its own member mask is the fault.
 *
 * Record: imm = kind and qualifiers (warp.h), a = value row, b, c = operands
 * of shfl, members = member mask, d = result, e = predicate result, bytes = bytes of
 * a value, flags = which of b, c and the mask are scalars.
 */
#include "base/alloc.h"
#include "match/match.h"
#include "ops/warp.h"

/* One warp's operands and results, lane by lane. `lanes` take part. */
struct warp {
    uint32_t lanes;
    uint32_t here, gone; /* others whose values shuffles find; that have exited, and are found to be 0 */
    uint64_t a[32], d[32];
    uint32_t b[32], c[32];
    uint32_t p; /* predicate results */
};

/* ---- the operations ---- */

static void do_shfl(struct warp *w, uint64_t kind)
{
    const uint32_t mode = PX_SYNC_MODE(kind);
    for (uint32_t left = w->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), b = w->b[lane] & 31, c = w->c[lane] & 31;
        uint32_t segment = w->c[lane] >> 8 & 31, low = lane & segment, high = low | (c & ~segment), j;
        bool inside;
        switch (mode) {
        case PX_SHFL_UP: j = lane - b, inside = (int32_t)j >= (int32_t)high; break;
        case PX_SHFL_DOWN: j = lane + b, inside = j <= high; break;
        case PX_SHFL_BFLY: j = lane ^ b, inside = j <= high; break;
        default: j = low | (b & ~segment), inside = j <= high; break;
        }
        if (!inside) j = lane;
        j &= 31;
        w->d[lane] = (w->lanes | w->here) >> j & 1 ? w->a[j] : w->gone >> j & 1 ? 0 : w->a[lane];
        w->p |= (uint32_t)inside << lane;
    }
}

/* Bits of the lanes whose predicate holds. */
static uint32_t ballot(const struct warp *w)
{
    uint32_t bits = 0;
    for (uint32_t left = w->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        bits |= (uint32_t)(w->a[lane] != 0) << lane;
    }
    return bits;
}

static void all_get(struct warp *w, uint64_t v, bool p)
{
    for (uint32_t i = 0; i < 32; i++) w->d[i] = v;
    w->p = p ? w->lanes : 0;
}

static void do_vote(struct warp *w, uint64_t kind)
{
    uint32_t bits = ballot(w);
    switch (PX_SYNC_MODE(kind)) {
    case PX_VOTE_BALLOT: all_get(w, bits, false); break;
    case PX_VOTE_ALL: all_get(w, 0, bits == w->lanes); break;
    case PX_VOTE_ANY: all_get(w, 0, bits != 0); break;
    default: all_get(w, 0, bits == 0 || bits == w->lanes); break;
    }
}

static uint32_t equal_to(const struct warp *w, uint64_t v)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 32; i++) bits |= (uint32_t)(w->a[i] == v) << i;
    return bits & w->lanes;
}

static void do_match(struct warp *w, uint64_t kind)
{
    uint32_t first = (uint32_t)__builtin_ctz(w->lanes);
    if (PX_SYNC_MODE(kind) == PX_MATCH_ALL) {
        bool same = equal_to(w, w->a[first]) == w->lanes;
        all_get(w, same ? w->lanes : 0, same);
        return;
    }
    for (uint32_t left = w->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        w->d[lane] = equal_to(w, w->a[lane]);
    }
}

/* min and max of f32 as bits: NaN loses unless .NaN was given (PTX ISA redux.sync). */
static uint32_t redux_f32(uint32_t x, uint32_t y, uint64_t kind)
{
    bool max = PX_SYNC_MODE(kind) == PX_REDUX_FMAX, propagate = kind & PX_SYNC_NAN;
    bool xnan = (x & 0x7fffffffu) > 0x7f800000u, ynan = (y & 0x7fffffffu) > 0x7f800000u;
    if (xnan || ynan) return propagate || (xnan && ynan) ? 0x7fffffffu : xnan ? y : x;
    int32_t kx = (int32_t)x < 0 ? (int32_t)(x ^ 0x7fffffffu) : (int32_t)x;
    int32_t ky = (int32_t)y < 0 ? (int32_t)(y ^ 0x7fffffffu) : (int32_t)y;
    return (kx < ky) != max ? x : y;
}

static void do_redux(struct warp *w, uint64_t kind)
{
    uint32_t left = w->lanes, v = (uint32_t)w->a[__builtin_ctz(left)];
    while (left &= left - 1) v = px_redux_pair(PX_SYNC_MODE(kind), v, (uint32_t)w->a[__builtin_ctz(left)]);
    all_get(w, v, false);
}

static void do_redux_f32(struct warp *w, uint64_t kind)
{
    uint32_t left = w->lanes, clear = kind & PX_SYNC_ABS ? 0x7fffffffu : ~0u;
    uint32_t v = (uint32_t)w->a[__builtin_ctz(left)] & clear;
    v = redux_f32(v, v, kind);
    while (left &= left - 1) v = redux_f32(v, (uint32_t)w->a[__builtin_ctz(left)] & clear, kind);
    all_get(w, v, false);
}

static void do_elect(struct warp *w, uint64_t kind)
{
    const uint32_t first = (uint32_t)__builtin_ctz(w->lanes);
    (void)kind;
    all_get(w, first, false);
    w->p = 1u << first;
}

static void do_warpsync(struct warp *w, uint64_t kind)
{
    (void)w, (void)kind;
}

/* What each meeting computes, and whether it has the operands b and c. */
static const struct meeting {
    void (*compute)(struct warp *w, uint64_t kind);
    bool routes;
} meetings[PX_MEET_COUNT] = {[PX_MEET_SHFL] = {do_shfl, true},
                             [PX_MEET_VOTE] = {do_vote, false},
                             [PX_MEET_MATCH] = {do_match, false},
                             [PX_MEET_REDUX] = {do_redux, false},
                             [PX_MEET_REDUX_F32] = {do_redux_f32, false},
                             [PX_MEET_ELECT] = {do_elect, false},
                             [PX_MEET_WARPSYNC] = {do_warpsync, false}};

static void compute(struct warp *w, uint64_t kind)
{
    w->p = 0;
    meetings[PX_SYNC_WHAT(kind)].compute(w, kind);
}

/* ---- operands and results of rows ---- */

static uint64_t value_of(const struct px_gang *g, const struct px_insn *in, uint32_t lane)
{
    uint64_t v = 0;
    switch (in->bytes) {
    case 0: return 0;
    case 2: v = PX_ROW(g, uint16_t, in->a)[lane]; break;
    case 8: v = PX_ROW(g, uint64_t, in->a)[lane]; break;
    default: v = PX_ROW(g, uint32_t, in->a)[lane]; break;
    }
    return in->flags & PX_INSN_NEGATE ? !v : v;
}

static uint32_t member_of(const struct px_gang *g, const struct px_insn *in, uint32_t lane)
{
    return px_element(g, in->members, in->flags & PX_SYNC_SCALAR_M, lane);
}

static void take(const struct px_gang *g, const struct px_insn *in, uint32_t base, struct warp *w)
{
    bool shuffle = meetings[PX_SYNC_WHAT(in->imm)].routes;
    for (uint32_t left = w->lanes; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        w->a[i] = value_of(g, in, base + i);
        if (!shuffle) continue;
        w->b[i] = px_element(g, in->b, in->flags & PX_SYNC_SCALAR_B, base + i);
        w->c[i] = px_element(g, in->c, in->flags & PX_SYNC_SCALAR_C, base + i);
    }
}

static void give_lane(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t d, bool p)
{
    if (in->d) PX_ROW(g, uint32_t, in->d)[lane] = (uint32_t)d;
    if (in->e) PX_ROW(g, uint32_t, in->e)[lane] = 0u - (uint32_t)p;
}

static void give(struct px_gang *g, const struct px_insn *in, uint32_t base, const struct warp *w)
{
    for (uint32_t left = w->lanes; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        give_lane(g, in, base + i, w->d[i], w->p >> i & 1);
    }
}

/* ---- as a chip does it ---- */

/* Those of `lanes` of a warp that name the same members as the first of them. */
static uint32_t group_of(const struct px_gang *g, const struct px_insn *in, uint32_t base, uint32_t lanes)
{
    const uint32_t member = member_of(g, in, base + (uint32_t)__builtin_ctz(lanes));
    uint32_t same = lanes;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        if (member_of(g, in, base + i) != member) same &= ~(1u << i);
    }
    return same;
}

/* Does the entry stand where its lanes end? */
static bool leaves(const struct px_entry *e)
{
    const struct px_fcode *code = e->frame->code;
    const struct px_inst *inst = code->src[code->conv[e->pc].src].inst;
    return inst && (px_inst_in(inst, PX_SET_leave) || (!e->frame->parent && px_inst_in(inst, PX_SET_return)));
}

/* The lanes of a warp that live, but for those that stand at an exit: on a chip they have left by now. */
static uint32_t staying(const struct px_gang *g, uint32_t index)
{
    uint32_t lanes = px_lanes_warp(&g->live, index);
    for (uint32_t k = 0; k < g->entries.ready.n; k++) {
        const struct px_entry *e = &g->entries.all[g->entries.ready.at[k]];
        if (leaves(e)) lanes &= ~px_lanes_warp(&e->mask, index);
    }
    return lanes;
}

/*
 * The groups of a warp, by mask. A group is complete when the living lanes that its mask names are in it; who
 * else has that mask takes part. One that is not waits, but for lanes that their mask does not name:
 * *stranger is such a lane (PX_LANES_MAX: there is none).
 */
static bool groups_complete(const struct px_gang *g, const struct px_insn *in, uint32_t index, uint32_t here,
                            uint32_t *stranger)
{
    const uint32_t base = index * 32, live = staying(g, index);
    bool complete = true;
    for (uint32_t left = here, same; left; left &= ~same) {
        same = group_of(g, in, base, left);
        const uint32_t member = member_of(g, in, base + (uint32_t)__builtin_ctz(same));
        if (!(member & live & ~same)) continue;
        complete = false;
        if (same & ~member) *stranger = base + (uint32_t)__builtin_ctz(same & ~member);
    }
    return complete;
}

/* Operands are taken of all lanes first: shuffles reach beyond their group. */
static void do_groups(struct px_gang *g, const struct px_insn *in, uint32_t index, uint32_t here)
{
    struct warp all = {.lanes = here, .here = here, .gone = ~staying(g, index)};
    uint32_t groups[32], n = 0;
    for (uint32_t left = here; left; left &= ~groups[n++]) groups[n] = group_of(g, in, index * 32, left);
    take(g, in, index * 32, &all);
    for (uint32_t i = 0; i < n; i++) {
        struct warp w = all;
        w.lanes = groups[i];
        compute(&w, in->imm);
        give(g, in, index * 32, &w);
    }
}

static int sync_as_chip(struct px_gang *g, const struct px_insn *in, struct px_lanes lanes)
{
    uint32_t stranger = PX_LANES_MAX;
    bool complete = true;
    for (uint32_t w = 0; w < g->width / 32; w++)
        complete &= groups_complete(g, in, w, px_lanes_warp(&lanes, w), &stranger);
    if (stranger < PX_LANES_MAX)
        return px_gang_trap(g, in, stranger, PX_CUDA_ILLEGAL_INSTRUCTION, 0,
                            "member mask 0x%x names lanes that have not come, and not the lane itself",
                            member_of(g, in, stranger));
    if (!complete) return PX_STEP_SYNC;
    for (uint32_t w = 0; w < g->width / 32; w++)
        if (px_lanes_warp(&lanes, w)) do_groups(g, in, w, px_lanes_warp(&lanes, w));
    return PX_STEP_NEXT;
}

/* ---- on the spot ---- */

/* Does the operation for the lanes of one warp that name the same members. 0 when some are elsewhere. */
static uint32_t try_group(struct px_gang *g, const struct px_insn *in, uint32_t index, uint32_t lanes)
{
    uint32_t base = index * 32, first = (uint32_t)__builtin_ctz(lanes),
             member = member_of(g, in, base + first);
    uint32_t same = lanes;
    if (!(in->flags & PX_SYNC_SCALAR_M))
        for (uint32_t left = lanes; left; left &= left - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(left);
            if (member_of(g, in, base + i) != member) same &= ~(1u << i);
        }
    if (in->imm & PX_SYNC_ACTIVE) member = same = lanes;
    if (member & px_lanes_warp(&g->live, index) & ~same) return 0;
    struct warp w = {.lanes = same & member};
    if (w.lanes != same) return 0;
    take(g, in, base, &w);
    compute(&w, in->imm);
    give(g, in, base, &w);
    return same;
}

/* A lane that is not in its own member mask, or PX_LANES_MAX. */
static uint32_t stranger(const struct px_gang *g, const struct px_insn *in, struct px_lanes lanes)
{
    uint32_t lane;
    if (in->imm & PX_SYNC_ACTIVE) return PX_LANES_MAX;
    PX_FOR_LANES(lane, lanes) if (!(member_of(g, in, lane) >> (lane & 31) & 1)) return lane;
    return PX_LANES_MAX;
}

/* All groups must be complete before any is done: a row that is source and result must not be half written.
 */
static bool all_here(struct px_gang *g, const struct px_insn *in, struct px_lanes lanes)
{
    if (in->imm & PX_SYNC_ACTIVE) return true;
    for (uint32_t w = 0; w < g->width / 32; w++) {
        uint32_t here = px_lanes_warp(&lanes, w), live = px_lanes_warp(&g->live, w);
        if (here == live) continue;
        for (uint32_t left = here; left; left &= left - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(left);
            if (member_of(g, in, w * 32 + i) & live & ~here) return false;
        }
    }
    return true;
}

static int collect(struct px_gang *g, const struct px_insn *in)
{
    uint32_t lane;
    struct px_lanes lanes = px_gang_lanes(g, in);
    g->resume = false;
    PX_FOR_LANES(lane, lanes) give_lane(g, in, lane, g->sync[lane].d, g->sync[lane].p);
    return PX_STEP_NEXT;
}

int px_warp_sync(struct px_gang *g, const struct px_insn *in)
{
    if (g->resume) return collect(g, in);
    struct px_lanes lanes = px_gang_lanes(g, in);
    if (px_lanes_empty(&lanes)) return PX_STEP_NEXT;
    if (in->imm & PX_SYNC_CHIP && !(in->imm & PX_SYNC_ACTIVE)) return sync_as_chip(g, in, lanes);
    uint32_t bad = stranger(g, in, lanes);
    if (bad < PX_LANES_MAX)
        return px_gang_trap(
            g, in, bad, PX_CUDA_ILLEGAL_INSTRUCTION, 0,
            "member mask 0x%x does not name the lane itself (--ub=chip goes on, as a chip does)",
            member_of(g, in, bad));
    if (!all_here(g, in, lanes)) return PX_STEP_SYNC;
    for (uint32_t w = 0; w < g->width / 32; w++)
        for (uint32_t left = px_lanes_warp(&lanes, w), done; left; left &= ~done) {
            done = try_group(g, in, w, left);
            if (!done) return PX_STEP_SYNC;
        }
    return PX_STEP_NEXT;
}

/* ---- waiting ---- */

enum { IDLE, WAITING, FINISHED };

static void leave_operands(struct px_gang *g, const struct px_insn *in, struct px_lanes lanes)
{
    uint32_t lane;
    bool shuffle = meetings[PX_SYNC_WHAT(in->imm)].routes;
    PX_FOR_LANES(lane, lanes)
    {
        struct px_sync *s = &g->sync[lane];
        s->a = value_of(g, in, lane);
        s->b = shuffle ? px_element(g, in->b, in->flags & PX_SYNC_SCALAR_B, lane) : 0;
        s->c = shuffle ? px_element(g, in->c, in->flags & PX_SYNC_SCALAR_C, lane) : 0;
        s->member = member_of(g, in, lane);
        s->key = (uint32_t)in->imm;
        s->waiting = WAITING;
    }
}

static void finish_group(struct px_gang *g, uint32_t index, uint32_t lanes, uint32_t key)
{
    struct px_sync *s = &g->sync[index * 32];
    struct warp w = {.lanes = lanes, .gone = key & PX_SYNC_CHIP ? ~px_lanes_warp(&g->live, index) : 0};
    for (uint32_t i = 0; i < 32; i++) w.a[i] = s[i].a, w.b[i] = s[i].b, w.c[i] = s[i].c;
    compute(&w, key);
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        s[i].d = w.d[i];
        s[i].p = w.p >> i & 1;
        s[i].waiting = FINISHED;
    }
}

/* Finishes every group of the warp whose lanes have all come. True: there was one. */
static bool try_warp(struct px_gang *g, uint32_t index)
{
    struct px_sync *s = &g->sync[index * 32];
    uint32_t left = 0, live = px_lanes_warp(&g->live, index);
    bool any = false;
    for (uint32_t i = 0; i < 32; i++) left |= (uint32_t)(s[i].waiting == WAITING) << i;
    while (left) {
        uint32_t first = (uint32_t)__builtin_ctz(left), same = 0;
        for (uint32_t i = first; i < 32; i++)
            if (left >> i & 1 && s[i].key == s[first].key && s[i].member == s[first].member) same |= 1u << i;
        left &= ~same;
        if (s[first].member & live & ~same) continue;
        finish_group(g, index, same, s[first].key);
        any = true;
    }
    return any;
}

/* Lanes that are finished go on; an entry with both kinds is cut in two. */
static void wake_finished(struct px_gang *g)
{
    struct px_order list = px_entries_asleep(&g->entries, PX_ENTRY_SYNC, 0);
    for (uint32_t k = 0; k < list.n; k++) {
        struct px_entry *e = &g->entries.all[list.at[k]];
        struct px_lanes done = {{0}};
        uint32_t lane;
        PX_FOR_LANES(lane, e->mask) if (g->sync[lane].waiting == FINISHED) px_lanes_set(&done, lane);
        if (px_lanes_empty(&done)) continue;
        PX_FOR_LANES(lane, done) g->sync[lane].waiting = IDLE;
        px_entry_wake(&g->entries, e, done);
    }
}

/* Tries the warps of which lanes are in the set. */
static void try_warps(struct px_gang *g, struct px_lanes lanes)
{
    bool any = false;
    for (uint32_t w = 0; w < g->width / 32; w++)
        if (px_lanes_warp(&lanes, w)) any |= try_warp(g, w);
    if (any) wake_finished(g);
}

bool px_sync_wait(struct px_gang *g, struct px_entry *e, const struct px_insn *in)
{
    struct px_lanes lanes = px_gang_lanes(g, in), rest = px_lanes_minus(e->mask, lanes);
    if (!g->sync) g->sync = px_zalloc(g->cta->alloc, g->width * sizeof *g->sync);
    if (!g->sync) {
        px_gang_trap(g, in, px_lanes_first(&lanes), PX_CUDA_OUT_OF_MEMORY, 0,
                     "out of memory in a warp operation");
        return false;
    }
    leave_operands(g, in, lanes);
    if (!px_lanes_empty(&rest)) px_entry_go(&g->entries, rest, e->frame, e->pc + 1, false);
    px_entry_wait(&g->entries, PX_ENTRY_SYNC, 0);
    try_warps(g, lanes);
    return true;
}

void px_sync_exited(struct px_gang *g)
{
    if (g->sync) try_warps(g, px_lanes_below(g->width));
}
