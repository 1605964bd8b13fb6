/*
 * entries.c - the set of a gang's divergence entries (entries.h).
 *
 * Two sorted lists of entry numbers: those that could run by {round, frame, pc,
 * resume}, those that sleep by {state, key}. Both are one 128-bit number, so a
 * place is found by halving, and a list of at most 256 bytes is cheaper to shift
 * than a tree to balance. The next to run is at the end of its list.
 */
#include "base/alloc.h"
#include "gang/entries.h"
#include "gang/gang.h"

struct rank {
    uint64_t hi, lo;
};

/* ---- sorted lists ---- */

static bool is_above(const struct px_entry *e, struct rank r)
{
    return e->hi != r.hi ? e->hi > r.hi : e->lo > r.lo;
}

/* How many entries of the list have a higher rank: index of the first that has r or a lower one. */
static uint32_t above(const struct px_entries *s, const struct px_order *o, struct rank r)
{
    uint32_t low = 0, high = o->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (is_above(&s->all[o->at[middle]], r))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert(struct px_entries *s, struct px_order *o, struct px_entry *e, struct rank r)
{
    uint32_t i = above(s, o, r);
    e->hi = r.hi;
    e->lo = r.lo;
    if (i < o->n) memmove(&o->at[i + 1], &o->at[i], o->n - i);
    o->n++;
    o->at[i] = (uint8_t)(e - s->all);
}

static void take_out(struct px_order *o, uint32_t i, uint32_t n)
{
    o->n -= n;
    memmove(&o->at[i], &o->at[i + n], o->n - i);
}

/* Index of `e` in its list; entries that sleep for the same thing have one rank. */
static uint32_t index_of(const struct px_entries *s, const struct px_order *o, const struct px_entry *e)
{
    uint32_t i = above(s, o, (struct rank){e->hi, e->lo});
    while (&s->all[o->at[i]] != e) i++;
    return i;
}

static bool is_at(const struct px_entry *e, struct rank r)
{
    return e->hi == r.hi && e->lo == r.lo;
}

static struct rank rank_of_place(uint32_t round, const struct px_frame *f, uint32_t pc, bool resume)
{
    return (struct rank){(uint64_t)round << 32 | f->rank >> 31, f->rank << 33 | (uint64_t)pc << 1 | resume};
}

/* ---- entries ---- */

static struct px_entry *new_entry(struct px_entries *s)
{
    uint32_t w = 0;
    while (!~s->used.w[w]) w++; /* there are no more entries than lanes */
    uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(~s->used.w[w]);
    px_lanes_set(&s->used, i);
    return &s->all[i];
}

static void free_entry(struct px_entries *s, const struct px_entry *e)
{
    uint32_t i = (uint32_t)(e - s->all);
    s->used.w[i >> 6] &= ~(1ull << (i & 63));
}

/* `lanes` of e as an entry of their own: e itself when they are all, otherwise one with what e has spent. */
static struct px_entry *part_of(struct px_entries *s, struct px_entry *e, struct px_lanes lanes)
{
    if (px_lanes_equal(&lanes, &e->mask)) return e;
    struct px_entry *part = new_entry(s);
    *part = *e;
    part->mask = lanes;
    e->mask = px_lanes_minus(e->mask, lanes);
    return part;
}

/* The lanes of `from` are now lanes of e; of what both have spent, the one that is behind counts. */
static void join(struct px_entries *s, struct px_entry *e, const struct px_entry *from)
{
    e->mask = px_lanes_or(e->mask, from->mask);
    if (from->round < e->round || (from->round == e->round && from->spent < e->spent)) {
        e->round = from->round;
        e->spent = from->spent;
    }
    free_entry(s, from);
}

/* Takes the entry that stands at this place in `round` out of the list; NULL when there is none. */
static struct px_entry *take_standing(struct px_entries *s, uint32_t round, const struct px_entry *e)
{
    struct rank r = rank_of_place(round, e->frame, e->pc, e->resume);
    uint32_t i = above(s, &s->ready, r);
    if (i == s->ready.n) return NULL;
    struct px_entry *o = &s->all[s->ready.at[i]];
    if (!is_at(o, r)) return NULL;
    take_out(&s->ready, i, 1);
    return o;
}

/* `e`, which is in no list, could run from here on; whoever stands there joins. */
static void stand(struct px_entries *s, struct px_entry *e)
{
    e->state = PX_ENTRY_RUN;
    for (uint32_t k = 0; k < 2 && s->ready.n; k++) {
        struct px_entry *o = take_standing(s, s->round + k, e);
        if (o) join(s, e, o);
    }
    insert(s, &s->ready, e, rank_of_place(e->round, e->frame, e->pc, e->resume));
}

/* ---- the set ---- */

bool px_entries_init(struct px_entries *s, const struct ptx_allocator *a, uint32_t lanes)
{
    *s = (struct px_entries){.all = px_alloc(a, lanes * sizeof *s->all)};
    s->cap = s->all ? lanes : 0;
    return s->all;
}

void px_entries_free(struct px_entries *s, const struct ptx_allocator *a)
{
    px_free(a, s->all, s->cap * sizeof *s->all);
    *s = (struct px_entries){0};
}

void px_entries_clear(struct px_entries *s)
{
    s->used = (struct px_lanes){{0}};
    s->running = NULL;
    s->ready.n = s->asleep.n = 0;
    s->round = 0;
}

void px_entries_start(struct px_entries *s, struct px_frame *frame, const struct px_lanes *mask)
{
    const struct rank r = rank_of_place(0, frame, 0, false);
    px_entries_clear(s);
    s->used.w[0] = 1;
    s->all[0] = (struct px_entry){.mask = *mask, .frame = frame, .hi = r.hi, .lo = r.lo};
    s->ready.at[s->ready.n++] = 0;
}

struct px_entry *px_entries_take(struct px_entries *s)
{
    if (!s->ready.n) return NULL;
    s->running = &s->all[s->ready.at[--s->ready.n]];
    s->round = s->running->round;
    return s->running;
}

struct px_entry *px_entries_take_any(struct px_entries *s, uint64_t random)
{
    if (!s->ready.n) return NULL;
    const uint32_t last = s->ready.n - 1, round = s->all[s->ready.at[last]].round;
    uint32_t n = 1;
    while (n <= last && s->all[s->ready.at[last - n]].round == round) n++;
    const uint32_t i = last - (uint32_t)(random % n);
    s->running = &s->all[s->ready.at[i]];
    s->round = round;
    take_out(&s->ready, i, 1);
    return s->running;
}

static uint32_t next_pc_of_round(const struct px_entries *s, const struct px_frame *frame, uint32_t round)
{
    struct rank first = rank_of_place(round, frame, 0, false);
    uint32_t i = above(s, &s->ready, first);
    if (i < s->ready.n && is_at(&s->all[s->ready.at[i]], first)) return 0;
    if (!i) return UINT32_MAX;
    const struct px_entry *e = &s->all[s->ready.at[i - 1]];
    return e->frame == frame && e->round == round ? e->pc : UINT32_MAX;
}

uint32_t px_entries_next_pc(const struct px_entries *s, const struct px_frame *frame)
{
    if (!s->ready.n) return UINT32_MAX;
    uint32_t now = next_pc_of_round(s, frame, s->round), then = next_pc_of_round(s, frame, s->round + 1);
    return now < then ? now : then;
}

bool px_entries_any(const struct px_entries *s, enum px_entry_state state)
{
    if (!s->asleep.n) return false;
    uint32_t i = above(s, &s->asleep, (struct rank){state, UINT64_MAX});
    return i < s->asleep.n && s->all[s->asleep.at[i]].state == state;
}

/* Entries first..end-1 of the list have this rank. */
struct range {
    uint32_t first, end;
};

static struct range sleepers(const struct px_entries *s, enum px_entry_state state, uint64_t key)
{
    struct range r = {above(s, &s->asleep, (struct rank){state, key}), 0};
    for (r.end = r.first; r.end < s->asleep.n; r.end++) {
        const struct px_entry *e = &s->all[s->asleep.at[r.end]];
        if (e->state != state || e->key != key) break;
    }
    return r;
}

struct px_order px_entries_asleep(const struct px_entries *s, enum px_entry_state state, uint64_t key)
{
    struct range r = sleepers(s, state, key);
    struct px_order list;
    list.n = r.end - r.first;
    memcpy(list.at, &s->asleep.at[r.first], list.n);
    return list;
}

/* ---- the running entry ---- */

void px_entry_go(struct px_entries *s, struct px_lanes lanes, struct px_frame *frame, uint32_t pc,
                 bool resume)
{
    struct px_entry *e = part_of(s, s->running, lanes);
    if (e == s->running) s->running = NULL;
    e->frame = frame;
    e->pc = pc;
    e->resume = resume;
    stand(s, e);
}

void px_entry_drop(struct px_entries *s, struct px_lanes lanes)
{
    struct px_entry *e = s->running;
    e->mask = px_lanes_minus(e->mask, lanes);
    if (px_lanes_empty(&e->mask)) px_entry_end(s);
}

void px_entry_end(struct px_entries *s)
{
    free_entry(s, s->running);
    s->running = NULL;
}

void px_entry_put_off(struct px_entries *s)
{
    s->running->spent = 0;
    s->running->round = s->round + 1;
}

void px_entry_wait(struct px_entries *s, enum px_entry_state state, uint64_t key)
{
    struct px_entry *e = s->running;
    s->running = NULL;
    e->state = (uint8_t)state;
    e->key = key;
    insert(s, &s->asleep, e, (struct rank){state, key});
}

void px_entries_move(struct px_entries *s, const struct px_frame *from, struct px_frame *to)
{
    for (uint32_t i = 0; i < s->cap; i++) {
        struct px_entry *e = &s->all[i];
        if (!px_lanes_has(&s->used, i)) continue;
        for (struct px_frame *f = e->frame; f; f = f->parent)
            if (f->parent == from) f->parent = to;
        if (e->frame != from) continue;
        e->frame = to;
        if (e->state != PX_ENTRY_RUN || e == s->running) continue;
        take_out(&s->ready, index_of(s, &s->ready, e), 1);
        stand(s, e);
    }
}

/* ---- waking ---- */

void px_entries_wake(struct px_entries *s, enum px_entry_state state, uint64_t key)
{
    if (!s->asleep.n) return;
    struct range r = sleepers(s, state, key);
    struct px_order list;
    list.n = r.end - r.first;
    memcpy(list.at, &s->asleep.at[r.first], list.n);
    take_out(&s->asleep, r.first, list.n);
    for (uint32_t i = 0; i < list.n; i++) {
        struct px_entry *e = &s->all[list.at[i]];
        e->resume = state != PX_ENTRY_GRID;
        e->round = s->round;
        stand(s, e);
    }
}

void px_entry_wake(struct px_entries *s, struct px_entry *e, struct px_lanes lanes)
{
    struct px_entry *part = part_of(s, e, lanes);
    if (part == e) take_out(&s->asleep, index_of(s, &s->asleep, e), 1);
    part->resume = 1;
    if (part->round < s->round) part->round = s->round;
    stand(s, part);
}

/* ---- groups of lanes ---- */

struct px_lanes px_lanes_whole(struct px_lanes have, struct px_lanes live, uint32_t group)
{
    struct px_lanes missing = px_lanes_minus(live, have), whole = have;
    for (uint32_t first = 0; first < PX_LANES_MAX; first += group) {
        struct px_lanes all = px_lanes_minus(px_lanes_below(first + group), px_lanes_below(first));
        struct px_lanes lack = px_lanes_and(all, missing);
        if (!px_lanes_empty(&lack)) whole = px_lanes_minus(whole, all);
    }
    return whole;
}

static void wake_whole(struct px_entries *s, struct px_entry *e, struct px_lanes live)
{
    struct px_lanes whole = px_lanes_whole(e->mask, live, e->group);
    if (!px_lanes_empty(&whole)) px_entry_wake(s, e, whole);
}

void px_entry_meet(struct px_entries *s, struct px_lanes live, uint8_t group)
{
    struct px_entry *e = s->running;
    e->group = group;
    struct range r = sleepers(s, PX_ENTRY_MEET, e->pc);
    for (uint32_t i = r.end; i-- > r.first;) {
        struct px_entry *o = &s->all[s->asleep.at[i]];
        if (o->frame != e->frame) continue;
        take_out(&s->asleep, i, 1);
        join(s, e, o);
    }
    px_entry_wait(s, PX_ENTRY_MEET, e->pc);
    wake_whole(s, e, live);
}

void px_entries_meet_exited(struct px_entries *s, struct px_lanes live)
{
    if (!px_entries_any(s, PX_ENTRY_MEET)) return;
    struct px_order list = s->asleep;
    for (uint32_t i = 0; i < list.n; i++) {
        struct px_entry *e = &s->all[list.at[i]];
        if (e->state == PX_ENTRY_MEET) wake_whole(s, e, live);
    }
}

bool px_gang_met(struct px_gang *g, uint32_t group)
{
    if (!g->resume) {
        struct px_lanes whole = px_lanes_whole(g->active, g->live, group);
        return px_lanes_equal(&whole, &g->active);
    }
    g->resume = false;
    return true;
}
