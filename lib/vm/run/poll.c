/* poll.c - lanes that wait at mbarriers (docs/async.md): asleep, awake, out of time. */
#include "vm/run/poll.h"
#include "vm/run/tally.h"
#include "ops/async.h"
#include "ops/mbarrier.h"

void px_poll_wait(struct px_gang *g, struct px_entry *e, const struct px_insn *in)
{
    struct px_frame *frame = e->frame;
    struct px_lanes done = {{0}}, other = {{0}};
    uint32_t lane, at, key = UINT32_MAX, *p = PX_ROW(g, uint32_t, in->d);
    PX_FOR_LANES(lane, e->mask)
    {
        bool over = px_mbarrier_over(g, in, lane, &at);
        if (over || px_lanes_has(&g->expired, lane)) {
            p[lane] = 0u - (uint32_t)over;
            px_lanes_set(&done, lane);
            continue;
        }
        if (key == UINT32_MAX) key = at;
        if (at != key) px_lanes_set(&other, lane); /* sleeps at another barrier: it comes back here */
    }
    g->expired = px_lanes_minus(g->expired, done);
    if (!px_lanes_empty(&other)) px_entry_go(&g->entries, other, frame, e->pc, true);
    if (!px_lanes_empty(&done)) px_entry_go(&g->entries, done, frame, e->pc + 1, false);
    px_tally_wait(g, in->ord, &e->mask);
    px_entry_wait(&g->entries, PX_ENTRY_MBARRIER, key);
}

static bool anything_runs(const struct px_cta *cta)
{
    for (uint32_t i = 0; i < cta->ngangs; i++)
        if (cta->gangs[i].entries.ready.n) return true;
    return false;
}

static void expire(struct px_gang *g)
{
    struct px_entries *s = &g->entries;
    struct px_order list = s->asleep;
    for (uint32_t i = 0; i < list.n; i++) {
        struct px_entry *e = &s->all[list.at[i]];
        if (e->state != PX_ENTRY_MBARRIER || e->frame->code->conv[e->pc].flags & PX_INSN_ALONE) continue;
        g->expired = px_lanes_or(g->expired, e->mask);
        px_entry_wake(s, e, e->mask);
    }
}

bool px_poll_unblock(struct px_cta *cta)
{
    if (px_async_finish(cta) && anything_runs(cta)) return true;
    for (uint32_t i = 0; i < cta->ngangs; i++) expire(&cta->gangs[i]);
    return anything_runs(cta);
}
