/* fenced.c - what fence.sc operations order beyond releases and acquires (state.h: px_fenced). */
#include "base/alloc.h"
#include "san/state.h"

struct px_fenced *px_fenced_share(struct px_fenced *f)
{
    if (f) f->refs++;
    return f;
}

void px_fenced_drop(struct px_clocks *c, struct px_fenced *f)
{
    if (!f || --f->refs) return;
    for (int i = 0; i < 2; i++) {
        px_known_drop(c, &f->made[i]);
        px_known_drop(c, &f->seen[i]);
    }
    px_known_drop(c, &f->told);
    px_free(c->alloc, f, sizeof *f);
}

/* Nobody else holds *f afterwards. */
static bool own(struct px_clocks *c, struct px_fenced **f)
{
    struct px_fenced *old = *f;
    if (old && old->refs == 1) return true;
    struct px_fenced *copy = px_zalloc(c->alloc, sizeof *copy);
    if (!copy) return c->lost = true, false;
    copy->refs = 1;
    for (int i = 0; old && i < 2; i++) {
        copy->made[i] = px_known_share(&old->made[i]);
        copy->seen[i] = px_known_share(&old->seen[i]);
    }
    if (old) copy->told = px_known_share(&old->told);
    px_fenced_drop(c, old);
    *f = copy;
    return true;
}

/* What is of scope .cta counts in its block alone. */
static bool counts(const struct px_knowledge *k, int i, uint32_t block)
{
    return i || !k->threads || k->block == block;
}

/* Blocks may hand on for ever what they were told; who hears late knows less, which makes an error of a
 * warning. */
static void join_told(struct px_clocks *c, struct px_knowledge *to, const struct px_knowledge *from)
{
    enum { BLOCKS_MOST = 4096 };
    if (!to->far || to->far->n < BLOCKS_MOST) px_known_merge(c, to, from);
}

void px_fenced_join(struct px_clocks *c, struct px_fenced **to, struct px_fenced *from, uint32_t block)
{
    if (!from || *to == from) return;
    if (!*to && counts(&from->made[0], 0, block) && counts(&from->seen[0], 0, block)) {
        *to = px_fenced_share(from);
        return;
    }
    if (!own(c, to)) return;
    for (int i = 0; i < 2; i++) {
        if (counts(&from->made[i], i, block)) px_known_merge(c, &(*to)->made[i], &from->made[i]);
        if (counts(&from->seen[i], i, block)) px_known_merge(c, &(*to)->seen[i], &from->seen[i]);
    }
    join_told(c, &(*to)->told, &from->told);
}

void px_fenced_observe(struct px_clocks *c, struct px_fenced **to, const struct px_fenced *from,
                       uint32_t block, bool wide)
{
    if (!own(c, to)) return;
    if (counts(&from->made[0], 0, block)) px_known_merge(c, &(*to)->seen[0], &from->made[0]);
    if (wide) px_known_merge(c, &(*to)->seen[1], &from->made[1]);
    if (wide) join_told(c, &(*to)->told, &from->told);
}

/* The write is no release: only what the thread did in earlier epochs came before it. */
void px_fenced_tell(struct px_clocks *c, struct px_fenced **f, const struct px_knowledge *knows)
{
    struct px_knowledge before = *knows;
    before.clock--;
    if (own(c, f)) join_told(c, &(*f)->told, &before);
}

void px_fenced_narrow(struct px_clocks *c, struct px_fenced **f)
{
    if (!*f || !(*f)->made[1].threads || !own(c, f)) return;
    px_known_drop(c, &(*f)->made[1]);
    (*f)->made[1] = (struct px_knowledge){0};
}

/* What the thread knows now lies behind its fence. */
static void take(struct px_clocks *c, struct px_knowledge *to, const struct px_knowledge *knows)
{
    px_known_drop(c, to);
    *to = px_known_share(knows);
}

bool px_fenced_fence(struct px_clocks *c, struct px_fenced **f, struct px_knowledge *knows, bool wide)
{
    bool learned = false;
    if (!own(c, f)) return false;
    for (int i = 0; i < (wide ? 2 : 1); i++) {
        struct px_knowledge *seen = &(*f)->seen[i];
        if (seen->threads && counts(seen, i, knows->block)) {
            px_known_join(c, knows, seen);
            learned = true;
        }
        px_known_drop(c, seen);
        *seen = (struct px_knowledge){0};
    }
    for (int i = 0; i < (wide ? 2 : 1); i++) take(c, &(*f)->made[i], knows);
    return learned;
}
