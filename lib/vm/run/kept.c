/*
 * kept.c - registers that convergent code keeps as scalars (code/ir/values.c chooses them), where convergent
 * and divergent code meet.
 *
 * While all lanes of a frame stand at one place, px_frame.rows is false and the scalars count. Before its
 * lanes go different ways the scalars become rows again; when they have met, rows whose lanes agree become
 * scalars. Where they do not agree the frame stays in divergent code, which needs no such knowledge.
 */
#include "vm/run/kept.h"

static bool matters(const struct px_kept *k, uint32_t pc)
{
    return k->first_pc <= pc && pc <= k->last_pc;
}

static enum px_fixed broadcast(uint32_t elem)
{
    return elem == 2 ? PX_FIX_broadcast2 : elem == 4 ? PX_FIX_broadcast4 : PX_FIX_broadcast8;
}

static void to_row(struct px_gang *g, const struct px_kept *k, bool whole)
{
    const px_handler(*fixed)[4] = g->level->fixed;
    struct px_insn in = {.d = k->row, .a = k->slot, .m = PX_SCRATCH_C};
    if (!k->base) {
        fixed[broadcast(k->elem)][!whole](g, &in);
        return;
    }
    const bool word = k->elem == 4;
    const px_handler sum = fixed[word ? PX_FIX_offset_row4 : PX_FIX_offset_row][0];
    sum(g, &(struct px_insn){.d = PX_SCRATCH_D, .a = k->base, .offset = k->slot});
    in.a = PX_SCRATCH_D;
    fixed[word ? PX_FIX_copy4 : PX_FIX_copy8][!whole](g, &in);
}

void px_kept_part(struct px_gang *g, uint32_t pc, struct px_lanes lanes)
{
    const struct px_fcode *code = g->running->code;
    bool whole = true, known = false;
    for (uint32_t i = 0; i < code->nkept; i++) {
        if (!matters(&code->kept[i], pc) || code->kept[i].made) continue;
        if (!known) {
            known = true;
            whole = px_lanes_count(&lanes) == g->n;
            if (!whole) g->level->to_row(lanes.w, g->n, PX_ROW(g, uint32_t, PX_SCRATCH_C));
        }
        to_row(g, &code->kept[i], whole);
    }
}

void px_kept_caller(struct px_gang *g, const struct px_frame *f)
{
    struct px_frame *running = g->running;
    const uint32_t n = g->n;
    g->n = g->width; /* lanes that do not return now may stand behind those that do */
    g->running = f->parent;
    g->frame = f->parent->base;
    px_kept_part(g, f->ret_pc, f->parent->live);
    f->parent->rows = true;
    g->running = running;
    g->frame = running->base;
    g->n = n;
}

void px_kept_forget(const struct px_frame *f)
{
    struct px_survey *s = (struct px_survey *)(void *)(f->base + f->code->surveys);
    for (uint32_t i = 0; i < f->code->nsurveys; i++) s[i].kind = PX_SURVEY_NONE;
}

/* All lanes of the frame have met at pc. */
static bool to_scalars(struct px_gang *g, struct px_frame *f, uint32_t pc)
{
    for (uint32_t i = 0; i < f->code->nkept; i++) {
        const struct px_kept *k = &f->code->kept[i];
        uint64_t value = 0, *base = k->base ? PX_ROW(g, uint64_t, k->base) : NULL;
        if (!matters(k, pc)) continue;
        if (k->base != k->row &&
            !g->level->is_uniform(f->base + k->row, base, PX_ROW(g, uint32_t, 0), g->n, k->elem, &value))
            return false;
        memcpy(f->base + k->slot, &value, sizeof value);
    }
    px_kept_forget(f);
    f->rows = false;
    return true;
}

bool px_kept_enter(struct px_gang *g, struct px_frame *f, uint32_t pc, bool together)
{
    if (f->rows) return together && to_scalars(g, f, pc);
    if (together) return true;
    px_kept_part(g, pc, f->live);
    f->rows = true;
    return false;
}
