/* test_entries.c - the set of divergence entries: against a model that knows only lanes, each with its own
 * place and what it has spent; instructions that whole groups of lanes execute together, through the loop
 * that runs a gang. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "gang/gang.h"
#include "suite.h"

static bool init(struct px_entries *s, uint32_t lanes)
{
    const ptx_allocator a = px_alloc_or_default(NULL);
    return px_entries_init(s, &a, lanes);
}

static void finish(struct px_entries *s)
{
    const ptx_allocator a = px_alloc_or_default(NULL);
    px_entries_free(s, &a);
}

/* ---- the model ---- */

enum { LANES = 128, FRAMES = 5, PCS = 6, STEPS = 6000 };

/* A lane of the model: where it is and what it waits for. `state` is enum px_entry_state, RUNNING, or GONE.
 */
enum { RUNNING = 100, GONE };
struct lane {
    int state, frame, pc, resume;
    uint64_t key;
    uint32_t round, spent;
};

struct model {
    struct lane lane[LANES];
    struct px_frame frame[FRAMES];
    struct px_entries set;
    uint32_t round; /* of the lanes that ran last */
    uint64_t random;
};

static uint32_t roll(struct model *m, uint32_t n)
{
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(m->random >> 33) % n;
}

static bool same_place(const struct lane *a, const struct lane *b)
{
    if (a->state != b->state || a->frame != b->frame || a->pc != b->pc) return false;
    if (a->state == PX_ENTRY_RUN) return a->resume == b->resume;
    return a->state == PX_ENTRY_MEET;
}

/* Lanes at one place have spent what the one that is furthest behind has. */
static void level_out(struct model *m)
{
    for (int i = 0; i < LANES; i++)
        for (int k = 0; k < LANES; k++) {
            struct lane *a = &m->lane[i], *b = &m->lane[k];
            if (!same_place(a, b)) continue;
            if (b->round < a->round || (b->round == a->round && b->spent < a->spent))
                a->round = b->round, a->spent = b->spent;
        }
}

static bool goes_first(const struct model *m, const struct lane *a, const struct lane *b)
{
    const struct px_frame *f = &m->frame[a->frame], *o = &m->frame[b->frame];
    if (a->round != b->round) return a->round < b->round;
    if (f->depth != o->depth) return f->depth > o->depth;
    if (f != o) return f < o; /* the frames are numbered by age */
    return a->pc != b->pc ? a->pc < b->pc : a->resume < b->resume;
}

/* A lane that goes first, or NULL. */
static struct lane *first_lane(struct model *m)
{
    struct lane *first = NULL;
    for (int i = 0; i < LANES; i++) {
        struct lane *a = &m->lane[i];
        if (a->state == PX_ENTRY_RUN && (!first || goes_first(m, a, first))) first = a;
    }
    return first;
}

static void wake_lane(struct model *m, struct lane *a, bool together)
{
    a->state = PX_ENTRY_RUN;
    a->resume = 1;
    if (together || a->round < m->round) a->round = m->round;
}

/* Warps all of whose lanes wait at one place for each other, or are gone, go on. */
static void meet_lanes(struct model *m)
{
    for (int first = 0; first < LANES; first += 32)
        for (int i = first; i < first + 32; i++) {
            struct lane one = m->lane[i];
            bool whole = one.state == PX_ENTRY_MEET;
            for (int k = first; k < first + 32; k++)
                whole = whole && (m->lane[k].state == GONE || same_place(&one, &m->lane[k]));
            for (int k = first; whole && k < first + 32; k++)
                if (m->lane[k].state != GONE) wake_lane(m, &m->lane[k], false);
        }
}

/* ---- the set against the model ---- */

static struct px_lanes lanes_in(const struct model *m, int state)
{
    struct px_lanes set = {{0}};
    for (uint32_t i = 0; i < LANES; i++)
        if (m->lane[i].state == state) px_lanes_set(&set, i);
    return set;
}

static void start(struct model *m, uint64_t seed)
{
    static const uint32_t depth[FRAMES] = {0, 1, 1, 2, 2};
    memset(m, 0, sizeof *m);
    m->random = seed;
    for (uint32_t i = 0; i < FRAMES; i++)
        m->frame[i] = (struct px_frame){.depth = depth[i], .rank = PX_FRAME_RANK(depth[i], i + 1)};
    assert_true(init(&m->set, LANES));
    const struct px_lanes lanes = px_lanes_below(LANES);
    px_entries_start(&m->set, &m->frame[0], &lanes);
}

/* Takes the next entry and holds it against the lanes that should be next. False: none can run. */
static bool take(struct model *m)
{
    struct px_entry *e = px_entries_take(&m->set);
    struct lane *first = first_lane(m);
    assert_int_equal(e != NULL, first != NULL);
    if (!e) return false;
    const struct lane place = *first;
    for (int i = 0; i < LANES; i++)
        if (same_place(&m->lane[i], &place) && &m->lane[i] != first) m->lane[i].state = RUNNING;
    first->state = RUNNING;
    m->round = place.round;
    struct px_lanes lanes = lanes_in(m, RUNNING);
    assert_memory_equal(&e->mask, &lanes, sizeof lanes);
    assert_ptr_equal(e->frame, &m->frame[place.frame]);
    assert_int_equal(e->pc, place.pc);
    assert_int_equal(e->resume, place.resume);
    assert_int_equal(e->round, place.round);
    assert_int_equal(e->spent, place.spent);
    return true;
}

/* The lowest place of the running lanes' frame at which others could run. */
static void check_next_pc(struct model *m)
{
    const struct px_frame *frame = m->set.running->frame;
    uint32_t lowest = UINT32_MAX;
    for (int i = 0; i < LANES; i++) {
        const struct lane *a = &m->lane[i];
        if (a->state == PX_ENTRY_RUN && &m->frame[a->frame] == frame && (uint32_t)a->pc < lowest)
            lowest = (uint32_t)a->pc;
    }
    assert_int_equal(px_entries_next_pc(&m->set, frame), lowest);
}

static void check_states(const struct model *m, const struct px_entry *e)
{
    uint32_t lane;
    PX_FOR_LANES(lane, e->mask)
    assert_int_equal(m->lane[lane].state, e == m->set.running ? RUNNING : e->state);
}

/* Every lane in one entry, in the state that the model says; an entry of a state sleeps when a lane does. */
static void check_masks(struct model *m)
{
    uint32_t k;
    struct px_lanes seen = {{0}};
    PX_FOR_LANES(k, m->set.used)
    {
        const struct px_entry *e = &m->set.all[k];
        struct px_lanes twice = px_lanes_and(seen, e->mask);
        assert_true(px_lanes_empty(&twice) && !px_lanes_empty(&e->mask));
        seen = px_lanes_or(seen, e->mask);
        check_states(m, e);
    }
    struct px_lanes gone = lanes_in(m, GONE), live = px_lanes_minus(px_lanes_below(LANES), gone);
    assert_memory_equal(&seen, &live, sizeof seen);
    for (int state = PX_ENTRY_BARRIER; state <= PX_ENTRY_PARK; state++) {
        struct px_lanes in = lanes_in(m, state);
        assert_int_equal(px_entries_any(&m->set, (enum px_entry_state)state), !px_lanes_empty(&in));
    }
}

static uint64_t random_key(struct model *m)
{
    static const uint64_t keys[] = {0, 1, 1ull << 40, 1ull << 40 | 1, UINT64_MAX};
    return keys[roll(m, sizeof keys / sizeof *keys)];
}

/* Some of the running lanes; at least one, often all. */
static struct px_lanes some_of(struct model *m, struct px_lanes from)
{
    struct px_lanes some = {{0}};
    uint32_t lane, density = 1 + roll(m, 8);
    PX_FOR_LANES(lane, from) if (roll(m, 8) < density) px_lanes_set(&some, lane);
    return px_lanes_empty(&some) ? from : some;
}

static void do_go(struct model *m, struct px_lanes lanes)
{
    uint32_t lane;
    int frame = (int)roll(m, FRAMES), pc = (int)roll(m, PCS), resume = (int)roll(m, 2);
    px_entry_go(&m->set, lanes, &m->frame[frame], (uint32_t)pc, resume);
    PX_FOR_LANES(lane, lanes)
    {
        struct lane *a = &m->lane[lane];
        a->state = PX_ENTRY_RUN, a->frame = frame, a->pc = pc, a->resume = resume;
    }
}

static void do_drop(struct model *m, struct px_lanes lanes)
{
    uint32_t lane;
    px_entry_drop(&m->set, lanes);
    PX_FOR_LANES(lane, lanes) m->lane[lane].state = GONE;
    struct px_lanes gone = lanes_in(m, GONE);
    if (m->set.running) do_go(m, m->set.running->mask);
    level_out(m);
    px_entries_meet_exited(&m->set, px_lanes_minus(px_lanes_below(LANES), gone));
    meet_lanes(m);
}

static void do_wait(struct model *m)
{
    static const enum px_entry_state states[] = {PX_ENTRY_BARRIER, PX_ENTRY_ARRIVE, PX_ENTRY_SYNC,
                                                 PX_ENTRY_PARK};
    enum px_entry_state state = states[roll(m, 4)];
    uint64_t key = random_key(m);
    px_entry_wait(&m->set, state, key);
    for (int i = 0; i < LANES; i++)
        if (m->lane[i].state == RUNNING) m->lane[i].state = (int)state, m->lane[i].key = key;
}

static void do_meet(struct model *m)
{
    struct px_lanes gone = lanes_in(m, GONE);
    px_entry_meet(&m->set, px_lanes_minus(px_lanes_below(LANES), gone), 32);
    for (int i = 0; i < LANES; i++)
        if (m->lane[i].state == RUNNING) m->lane[i].state = PX_ENTRY_MEET;
    level_out(m);
    meet_lanes(m);
}

/* Wakes all of a key, or a part of one entry that sleeps by it. */
static void do_wake(struct model *m)
{
    enum px_entry_state state = (enum px_entry_state)(PX_ENTRY_BARRIER + roll(m, 5));
    if (state == PX_ENTRY_MEET) return;
    uint64_t key = random_key(m);
    struct px_order list = px_entries_asleep(&m->set, state, key);
    if (list.n && roll(m, 2)) {
        struct px_entry *e = &m->set.all[list.at[roll(m, list.n)]];
        struct px_lanes part = some_of(m, e->mask);
        uint32_t lane;
        px_entry_wake(&m->set, e, part);
        PX_FOR_LANES(lane, part) wake_lane(m, &m->lane[lane], false);
        return;
    }
    px_entries_wake(&m->set, state, key);
    for (int i = 0; i < LANES; i++)
        if (m->lane[i].state == (int)state && m->lane[i].key == key) wake_lane(m, &m->lane[i], true);
}

/* What a running entry may do before it leaves: spend some of its slice, or all of it. */
static void spend(struct model *m)
{
    bool all = roll(m, 4) == 0;
    uint32_t some = roll(m, 3);
    m->set.running->spent += some;
    if (all) px_entry_put_off(&m->set);
    for (int i = 0; i < LANES; i++) {
        struct lane *a = &m->lane[i];
        if (a->state == RUNNING && all)
            a->spent = 0, a->round++;
        else if (a->state == RUNNING)
            a->spent += some;
    }
}

static void step(struct model *m)
{
    if (take(m)) {
        check_next_pc(m);
        spend(m);
        uint32_t what = roll(m, 400);
        if (what < 2) do_drop(m, some_of(m, m->set.running->mask));
        while (m->set.running && what >= 2 && roll(m, 4)) do_go(m, some_of(m, m->set.running->mask));
        if (m->set.running && what < 120) do_wait(m);
        if (m->set.running && what < 200) do_meet(m);
        if (m->set.running) do_go(m, m->set.running->mask);
    }
    level_out(m);
    if (roll(m, 3) == 0) do_wake(m);
    level_out(m);
    check_masks(m);
}

TEST(set_and_model_agree)
{
    struct model *m = malloc(sizeof *m);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        start(m, seed);
        for (int i = 0; i < STEPS; i++) step(m);
        finish(&m->set);
    }
    free(m);
}

/* ---- a gang that runs records of this test ---- */

enum { WIDTH = 256, FRAME = PX_FRAME_HEAD + 64, RECORDS = 8, ODD_AT = 3, MEET_AT = 4, LATER_AT = 6 };

struct lab {
    struct px_gang gang;
    struct px_cta cta;
    struct px_worker worker;
    struct px_insn code[RECORDS];
    struct px_fcode fcode;
    struct px_code kernel;
    atomic_int stop;
    struct px_lanes apart; /* lanes that take the other path */
    struct px_lanes done;  /* lanes for which the instruction has run */
    uint32_t runs;
};

static struct lab *lab_of(struct px_gang *g)
{
    return (struct lab *)(void *)((char *)g - offsetof(struct lab, gang));
}

static int part_ways(struct px_gang *g, const struct px_insn *in)
{
    (void)in;
    g->taken = lab_of(g)->apart;
    return PX_STEP_SPLIT;
}

static int go_on(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_NEXT;
}

static int jump(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_JUMP;
}

static int leave(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_EXIT;
}

/* The instruction that groups execute together: no lane twice, no lane without its group. */
static int together(struct px_gang *g, const struct px_insn *in)
{
    struct lab *lab = lab_of(g);
    if (!px_gang_met(g, in->group)) return PX_STEP_MEET;
    struct px_lanes twice = px_lanes_and(lab->done, g->active);
    assert_true(px_lanes_empty(&twice));
    for (uint32_t lane = 0; lane < WIDTH; lane++)
        if (px_lanes_has(&g->active, lane))
            for (uint32_t k = lane - lane % in->group; k < lane - lane % in->group + in->group; k++)
                assert_true(px_lanes_has(&g->active, k) || !px_lanes_has(&g->live, k));
    lab->done = px_lanes_or(lab->done, g->active);
    lab->runs++;
    return PX_STEP_NEXT;
}

/*
 * 0: lanes of `apart` go to 3; 1, 2: the others go to 4; 3: the lanes apart do `odd`; 4: the instruction; 5:
 * exit; 6: the instruction again; 7: exit.
 */
static struct lab *new_lab(struct px_lanes apart, uint8_t group, struct px_insn odd)
{
    struct lab *lab = calloc(1, sizeof *lab);
    const struct px_insn code[RECORDS] = {
        {.fn = part_ways, .target = ODD_AT}, {.fn = go_on}, {.fn = jump, .target = MEET_AT},  odd,
        {.fn = together, .group = group},    {.fn = leave}, {.fn = together, .group = group}, {.fn = leave}};
    memcpy(lab->code, code, sizeof code);
    lab->apart = apart;
    lab->fcode = (struct px_fcode){.conv = lab->code, .div = lab->code, .n = RECORDS, .width = WIDTH};
    lab->worker = (struct px_worker){.stop = &lab->stop, .look_at = UINT64_MAX};
    lab->cta = (struct px_cta){.code = &lab->kernel, .gangs = &lab->gang, .ngangs = 1, .threads = WIDTH};
    struct px_frame *f = calloc(1, sizeof *f);
    struct px_lanes all = px_lanes_below(WIDTH);
    *f = (struct px_frame){
        .code = &lab->fcode, .live = all, .base = aligned_alloc(64, FRAME), .rank = PX_FRAME_RANK(0, 1)};
    lab->gang = (struct px_gang){
        .n = WIDTH, .width = WIDTH, .cta = &lab->cta, .level = px_level_best(), .live = all, .running = f};
    assert_true(init(&lab->gang.entries, WIDTH));
    px_entries_start(&lab->gang.entries, f, &all);
    return lab;
}

static enum px_cta_status run_lab(struct lab *lab)
{
    return px_cta_run(&lab->cta, &lab->worker, 100);
}

static void free_lab(struct lab *lab)
{
    struct px_frame *f = lab->gang.running;
    finish(&lab->gang.entries);
    free(f->base), free(f), free(lab);
}

static struct px_lanes odd_lanes(void)
{
    return (struct px_lanes){
        {0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa}};
}

static const uint8_t groups[] = {32, 128};

/* Lanes come by two paths, the later ones without a place where they would be merged: the instruction runs
 * once. */
TEST(groups_meet)
{
    for (int i = 0; i < 2; i++) {
        struct lab *lab = new_lab(odd_lanes(), groups[i], (struct px_insn){.fn = go_on});
        struct px_lanes all = px_lanes_below(WIDTH);
        assert_int_equal(run_lab(lab), PX_CTA_DONE);
        assert_memory_equal(&lab->done, &all, sizeof all);
        assert_int_equal(lab->runs, 1);
        free_lab(lab);
    }
}

/* Lanes that have exited are not waited for, whether they exit before the others come or while they wait. */
TEST(exited_lanes_count)
{
    for (int i = 0; i < 4; i++) {
        struct lab *lab = new_lab(odd_lanes(), groups[i % 2], (struct px_insn){.fn = leave});
        struct px_lanes odd = odd_lanes(), even = px_lanes_minus(px_lanes_below(WIDTH), odd);
        if (i < 2) lab->code[0].target = 7; /* behind the instruction: the others wait there first */
        assert_int_equal(run_lab(lab), PX_CTA_DONE);
        assert_memory_equal(&lab->done, &even, sizeof even);
        free_lab(lab);
    }
}

/* Lanes that wait at different pcs never meet; that is found at once. */
TEST(deadlock_is_found)
{
    for (int i = 0; i < 2; i++) {
        struct lab *lab = new_lab(odd_lanes(), groups[i], (struct px_insn){.fn = jump, .target = LATER_AT});
        assert_int_equal(run_lab(lab), PX_CTA_STUCK);
        assert_int_equal(lab->runs, 0);
        assert_int_equal(px_entries_asleep(&lab->gang.entries, PX_ENTRY_MEET, MEET_AT).n, 1);
        assert_int_equal(px_entries_asleep(&lab->gang.entries, PX_ENTRY_MEET, LATER_AT).n, 1);
        free_lab(lab);
    }
}

/* One lane of the first group is at another place: its group waits for ever, the other groups go on at once.
 */
TEST(whole_groups_go_on)
{
    for (int i = 0; i < 2; i++) {
        struct lab *lab =
            new_lab((struct px_lanes){{8}}, groups[i], (struct px_insn){.fn = jump, .target = LATER_AT});
        struct px_lanes rest = px_lanes_minus(px_lanes_below(WIDTH), px_lanes_below(groups[i]));
        assert_int_equal(run_lab(lab), PX_CTA_STUCK);
        assert_memory_equal(&lab->done, &rest, sizeof rest);
        struct px_lanes left = px_lanes_below(groups[i]);
        assert_memory_equal(&lab->gang.live, &left, sizeof left);
        free_lab(lab);
    }
}

/* Lanes of two activations of a function do not meet, though they stand at one pc. */
TEST(frames_do_not_meet)
{
    struct px_entries s;
    struct px_frame a = {.rank = PX_FRAME_RANK(1, 1)}, b = {.rank = PX_FRAME_RANK(1, 2)};
    struct px_lanes all = px_lanes_below(32), half = px_lanes_below(16), rest = px_lanes_minus(all, half);
    assert_true(init(&s, 32));
    px_entries_start(&s, &a, &all);
    px_entries_take(&s);
    px_entry_go(&s, rest, &b, 9, false);
    px_entry_go(&s, half, &a, 9, false);
    assert_ptr_equal(px_entries_take(&s)->frame, &a);
    px_entry_meet(&s, all, 32);
    assert_ptr_equal(px_entries_take(&s)->frame, &b);
    px_entry_meet(&s, all, 32);
    assert_null(px_entries_take(&s));
    assert_int_equal(px_entries_asleep(&s, PX_ENTRY_MEET, 9).n, 2);
    px_entries_meet_exited(&s, rest); /* the lanes of a are gone */
    assert_memory_equal(&px_entries_take(&s)->mask, &rest, sizeof rest);
    finish(&s);
}

int main(void)
{
    return run_suite();
}
