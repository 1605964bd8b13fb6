/*
 * meet.c - activations of one function that become one.
 *
 * Lanes that reach a call in different rounds, or at moments that a random schedule drew, call the function
 * by themselves and have frames of their own. That is as good as one frame until an instruction that groups
 * of lanes execute together: it runs on rows, and rows are of one frame. So lanes that come to such an
 * instruction take those into their frame that wait there already in another activation, if both were called
 * from the same places, all the way down to a frame that is common.
 */
#include "vm/run/exec.h"
#include "vm/run/kept.h"

static uint64_t local_base(const struct px_frame *f)
{
    return ((const struct px_uniform *)(const void *)(f->base + f->code->uniform))->local_base;
}

/* Called from the same places of the same functions, with local memory in the same place. */
static bool alike(const struct px_frame *a, const struct px_frame *b)
{
    for (; a != b; a = a->parent, b = b->parent)
        if (!a->parent || !b->parent || a->code != b->code || a->site != b->site || a->ret_pc != b->ret_pc ||
            local_base(a) != local_base(b))
            return false;
    return true;
}

/* What registers hold for the lanes. */
static void copy_lanes(const struct px_frame *from, struct px_frame *to, struct px_lanes lanes)
{
    const struct px_fcode *code = from->code;
    uint32_t lane, at = code->rows;
    for (uint32_t i = 0; i < code->nrows; i++) {
        const uint32_t elem = code->row_elems[i];
        PX_FOR_LANES(lane, lanes) memcpy(to->base + at + lane * elem, from->base + at + lane * elem, elem);
        at += elem * code->width;
    }
}

/* All lanes of `from` are now of `to`, and so are those that they have in common above. */
static void unite(struct px_gang *g, struct px_frame *from, struct px_frame *to)
{
    while (from != to) {
        struct px_frame *above = from->parent, *above_to = to->parent;
        if (above != above_to && !above->rows) px_kept_caller(g, from);
        if (above != above_to && !above_to->rows) px_kept_caller(g, to);
        copy_lanes(from, to, from->live);
        to->live = px_lanes_or(to->live, from->live);
        if (from->local_top > to->local_top) to->local_top = from->local_top;
        px_entries_move(&g->entries, from, to);
        px_frame_pop(g, from);
        from = above;
        to = above_to;
    }
}

void px_frames_meet(struct px_gang *g, struct px_entry *e, uint32_t group)
{
    const struct px_order waiting = px_entries_asleep(&g->entries, PX_ENTRY_MEET, e->pc);
    for (uint32_t i = 0; i < waiting.n; i++) {
        const struct px_entry *o = &g->entries.all[waiting.at[i]];
        if (o->frame == e->frame || o->frame->code != e->frame->code || !alike(o->frame, e->frame)) continue;
        const struct px_lanes apart = px_lanes_whole(e->mask, px_lanes_or(e->mask, o->mask), group);
        if (!px_lanes_equal(&apart, &e->mask))
            unite(g, o->frame, e->frame); /* they have lanes of one group */
    }
}
