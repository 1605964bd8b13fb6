/*
 * barrier.c - bar and barrier: sync, arrive, red (PTX ISA 9.7.13.1).
 *
 * Barriers match by number, whatever the pc. A warp has arrived when all its
 * lanes that have not exited have come to the barrier; a barrier is complete
 * when as many threads as its count says have arrived (a warp counts as 32), or
 * without a count when every warp that still lives has. A CTA runs on one
 * worker at a time, so nothing here needs a lock.
 */
#include "ops/private.h"
#include "vm/run/exec.h"

/* Record fields: imm = kind, a = barrier number, b = thread count (0 offset: none), c = predicate row, d =
 * result. */

static uint32_t operand(const struct px_gang *g, uint32_t offset, uint32_t lane, bool scalar)
{
    return PX_ROW(g, uint32_t, offset)[scalar ? 0 : lane];
}

/* Adds the lanes of the running entry to the warps' sets; warps that are complete are marked. */
static void come(struct px_gang *g, struct px_barrier *b, struct px_lanes lanes)
{
    struct px_cta *cta = g->cta;
    cta->barriers_used |= 1u << (b - cta->barrier);
    for (uint32_t w = 0; w < g->width / 32; w++) {
        uint32_t bits = px_lanes_warp(&lanes, w), warp = g->first / 32 + w;
        if (!bits) continue;
        b->waiting[warp] |= bits;
        const uint32_t live = px_lanes_warp(&g->live, w);
        if ((b->waiting[warp] & live) == live) b->arrived |= 1u << warp;
    }
}

static uint32_t live_warps(const struct px_cta *cta)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < cta->ngangs; i++) {
        const struct px_gang *g = &cta->gangs[i];
        for (uint32_t w = 0; w < g->width / 32; w++)
            if (px_lanes_warp(&g->live, w)) set |= 1u << (g->first / 32 + w);
    }
    return set;
}

static bool complete(const struct px_cta *cta, const struct px_barrier *b)
{
    if (b->expected) return (uint32_t)__builtin_popcount(b->arrived) * 32 >= b->expected;
    uint32_t live = live_warps(cta);
    return b->arrived && (b->arrived & live) == live;
}

/* The results of .red are spread when the barrier opens: every waiting lane finds them in its gang. */
static void spread(struct px_cta *cta, uint8_t number)
{
    const struct px_barrier *b = &cta->barrier[number];
    for (uint32_t i = 0; i < cta->ngangs; i++) {
        cta->gangs[i].red[number].popc = b->popc;
        cta->gangs[i].red[number].all = b->all;
        cta->gangs[i].red[number].any = b->any;
    }
}

static void open_barrier(struct px_cta *cta, uint8_t number)
{
    spread(cta, number);
    for (uint32_t i = 0; i < cta->ngangs; i++) {
        if (!cta->gangs[i].entries.asleep.n) continue;
        px_entries_wake(&cta->gangs[i].entries, PX_ENTRY_BARRIER, number);
        px_entries_wake(&cta->gangs[i].entries, PX_ENTRY_ARRIVE, number);
    }
    memset(&cta->barrier[number], 0, sizeof cta->barrier[number]);
    cta->barriers_used &= ~(1u << number);
}

/* Lanes that only arrive go on as soon as their own warps are complete. */
static void release_arrivals(struct px_gang *g, const struct px_barrier *b, uint8_t number)
{
    if (!px_entries_any(&g->entries, PX_ENTRY_ARRIVE)) return;
    struct px_order list = px_entries_asleep(&g->entries, PX_ENTRY_ARRIVE, number);
    for (uint32_t i = 0; i < list.n; i++) {
        struct px_entry *e = &g->entries.all[list.at[i]];
        bool done = true;
        for (uint32_t w = 0; w < g->width / 32; w++)
            if (px_lanes_warp(&e->mask, w) && !(b->arrived >> (g->first / 32 + w) & 1)) done = false;
        if (done) px_entry_wake(&g->entries, e, e->mask);
    }
}

static void reduce(struct px_gang *g, struct px_barrier *b, const struct px_insn *in, struct px_lanes lanes)
{
    struct px_lanes p = {{0}};
    g->level->to_bits(PX_ROW(g, uint32_t, in->c), g->n, p.w);
    if (in->flags & PX_INSN_NEGATE) p = px_lanes_minus(lanes, p);
    p = px_lanes_and(p, lanes);
    bool first = !b->comers;
    b->popc += px_lanes_count(&p);
    b->any |= !px_lanes_empty(&p);
    b->all = (first || b->all) && px_lanes_equal(&p, &lanes);
    b->comers++;
}

/* What a lane that waited at a .red finds; lanes that waited at different barriers may go on as one entry. */
static uint32_t result_of(const struct px_gang *g, uint64_t kind, uint32_t number)
{
    if (kind == PX_BAR_POPC) return g->red[number].popc;
    return 0u - (kind == PX_BAR_AND ? g->red[number].all : g->red[number].any);
}

static void give_results(struct px_gang *g, const struct px_insn *in)
{
    uint32_t lane, *d = PX_ROW(g, uint32_t, in->d);
    if (in->imm < PX_BAR_POPC) return;
    PX_FOR_LANES(lane, g->active)
    d[lane] =
        result_of(g, in->imm, operand(g, in->a, lane, in->flags & PX_INSN_SCALAR_A) & (PX_BARRIERS - 1));
}

/* Lanes of one entry that name different barriers are sent on their way one number at a time. */
static struct px_lanes same_number(struct px_gang *g, const struct px_insn *in, struct px_lanes lanes)
{
    if (in->flags & PX_INSN_SCALAR_A) return lanes;
    uint32_t lane, first = px_lanes_first(&lanes), k = operand(g, in->a, first, false);
    struct px_lanes with = {{0}};
    PX_FOR_LANES(lane, lanes) if (operand(g, in->a, lane, false) == k) px_lanes_set(&with, lane);
    return with;
}

static bool wait_at(struct px_gang *g, struct px_entry *e, const struct px_insn *in, uint8_t number)
{
    struct px_entries *s = &g->entries;
    struct px_barrier *b = &g->cta->barrier[number];
    struct px_lanes lanes = e->mask;
    if (in->imm >= PX_BAR_POPC) reduce(g, b, in, lanes);
    come(g, b, lanes);
    px_entry_wait(s, in->imm == PX_BAR_ARRIVE ? PX_ENTRY_ARRIVE : PX_ENTRY_BARRIER, number);
    release_arrivals(g, b, number);
    if (complete(g->cta, b)) open_barrier(g->cta, number);
    /* With others about, who may have joined these lanes, the scheduler chooses; all lanes of the gang go on
     * at once. */
    if (!px_lanes_equal(&lanes, &g->live) || s->asleep.n) return false;
    px_entries_take(s)->resume = 0;
    give_results(g, in);
    return true;
}

/* All lanes of a CTA of one gang come together to a barrier where nobody waits: it opens at once. */
static bool opens_at_once(const struct px_gang *g, const struct px_entry *e, const struct px_insn *in)
{
    const struct px_cta *cta = g->cta;
    return in->imm == PX_BAR_SYNC && !in->b && in->flags & PX_INSN_SCALAR_A && !g->resume &&
           cta->ngangs == 1 && !cta->barriers_used && !g->entries.asleep.n &&
           px_lanes_equal(&e->mask, &g->live);
}

bool px_barrier_arrive(struct px_gang *g, struct px_entry *e, const struct px_insn *in)
{
    if (opens_at_once(g, e, in) && operand(g, in->a, 0, true) < PX_BARRIERS) {
        px_private_flush(g->worker);
        return true;
    }
    struct px_lanes lanes = same_number(g, in, e->mask);
    uint32_t lane = px_lanes_first(&lanes);
    px_private_flush(g->worker);
    uint32_t number = operand(g, in->a, lane, in->flags & PX_INSN_SCALAR_A);
    if (g->resume) {
        g->resume = false;
        give_results(g, in);
        return true;
    }
    uint32_t count = in->b ? operand(g, in->b, lane, in->one_count) : 0;
    if (number >= PX_BARRIERS) {
        px_gang_trap(g, in, lane, PX_CUDA_ILLEGAL_INSTRUCTION, 0, "barrier number %u: there are 16", number);
        return false;
    }
    if (in->b && (count % 32 || !count)) {
        px_gang_trap(g, in, lane, PX_CUDA_ILLEGAL_INSTRUCTION, 0, "barrier count %u is no multiple of 32",
                     count);
        return false;
    }
    if (!px_lanes_equal(&lanes, &e->mask))
        px_entry_go(&g->entries, px_lanes_minus(e->mask, lanes), e->frame, e->pc, false);
    if (in->b) g->cta->barrier[number].expected = count;
    return wait_at(g, e, in, (uint8_t)number);
}

static void mark_exited(const struct px_gang *g, struct px_barrier *b)
{
    for (uint32_t w = 0; w < g->width / 32; w++) {
        const uint32_t live = px_lanes_warp(&g->live, w), warp = g->first / 32 + w;
        if (b->waiting[warp] && (b->waiting[warp] & live) == live) b->arrived |= 1u << warp;
    }
}

void px_barrier_exited(struct px_cta *cta)
{
    for (uint32_t left = cta->barriers_used; left; left &= left - 1) {
        uint8_t k = (uint8_t)__builtin_ctz(left);
        struct px_barrier *b = &cta->barrier[k];
        for (uint32_t i = 0; i < cta->ngangs; i++) mark_exited(&cta->gangs[i], b);
        for (uint32_t i = 0; i < cta->ngangs; i++) release_arrivals(&cta->gangs[i], b, k);
        if (complete(cta, b)) open_barrier(cta, k);
    }
}
