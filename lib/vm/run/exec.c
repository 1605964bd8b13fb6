/*
 * exec.c - the loop that runs a gang, and divergence.
 *
 * Where the lanes are is a set of entries {frame, pc, mask} (entries.h), which
 * gives the next one to run: of the lowest round (slices spent), then of the
 * deepest frame, then of the lowest pc; pcs are numbered so that a loop's body
 * precedes its exit, hence lanes that left a loop wait for those still inside and
 * merge with them. An entry runs until it branches apart, waits, ends, or
 * reaches a place where another entry of its frame stands.
 *
 * Backward branches, calls and returns are what no endless kernel can do
 * without, so each is spent from the entry's slice. One that has spent its slice
 * while others could run goes to the next round: a lane that holds a lock always
 * gets its turn. What was spent stays with the lanes: parts of an entry inherit
 * it, and of entries that merge the one that is behind counts.
 *
 * Masks and divergence live here and in entries.c only; handlers see the mask row.
 */
#include "link/program.h"
#include "gang/gang.h"
#include "base/random.h"
#include "vm/run/cluster.h"
#include "vm/run/exec.h"
#include "vm/sched/cooperative.h"
#include "vm/device/device.h"
#include "vm/run/forks.h"
#include "vm/run/kept.h"
#include "vm/run/poll.h"
#include "vm/run/region.h"
#include "vm/sched/sched.h"
#include "vm/run/tally.h"
#include "ops/alloca.h"
#include "ops/cluster.h"
#include "ops/warp.h"
#include "gang/fpmode.h"

/* Backward branches, calls and returns of an entry while another entry of its gang could run. */
enum { PX_ENTRY_SLICE = 256 };

/* ---- the running entry ---- */

/* What the loop holds in registers; written back to the entry when it stops. */
struct run {
    struct px_gang *g;
    struct px_entry *e;
    const struct px_insn *code; /* conv or div of the frame's function */
    uint64_t *budget;
    uint32_t turns; /* backward branches of the gang */
    bool fell;   /* the entry runs the divergent version because something taken for granted did not hold */
    bool forked; /* in convergent code, since loops were looked at last */
    struct px_laps laps;           /* of a narrowed loop, not yet counted */
    const struct px_loop *refused; /* a loop with a record that could not be done narrowed */
};

/* Backward branches before a loop in which lanes have parted is narrowed, and fewest lanes of a row. */
enum { NARROW_AFTER = 4, ROW_LEAST = 32 };

static bool others_run(const struct px_gang *g)
{
    return g->entries.ready.n || g->worker->narrow.nleft;
}

/* Handlers need not run the lanes behind the last one of the entry. */
static uint32_t lanes_to_run(const struct px_gang *g, const struct px_lanes *mask)
{
    if (!g->shortens) return g->width;
    uint32_t w = PX_MASK_WORDS - 1;
    while (!mask->w[w]) w--;
    return (w * 64 + 64 - (uint32_t)__builtin_clzll(mask->w[w]) + 31) & ~31u;
}

/* The divergent version of the running frame's function; NULL: there is no memory for it, a trap. */
static const struct px_insn *divergent(struct px_gang *g, uint32_t pc)
{
    const struct px_fcode *code = g->running->code;
    const struct px_insn *div = px_fcode_div(code);
    if (!div && !(div = px_code_div(g->cta->grid, code)))
        px_gang_trap(g, &code->conv[pc], px_lanes_first(&g->active), PX_CUDA_OUT_OF_MEMORY, 0,
                     "no memory for the code of lanes that part: %zu bytes", code->ndiv * sizeof *div);
    return div;
}

/* What the running entry needs: mask row, version of the code, where others wait. False: a trap. */
static bool enter(struct run *r, struct px_entry *e)
{
    struct px_gang *g = r->g;
    struct px_frame *f = e->frame;
    r->e = e;
    r->fell = false;
    g->running = f;
    g->frame = f->base;
    g->active = e->mask;
    const bool all = px_lanes_equal(&e->mask, &g->all);
    if (all) {
        g->nactive = g->count;
        g->n = g->span;
    } else {
        g->nactive = px_lanes_count(&e->mask);
        g->n = lanes_to_run(g, &e->mask);
    }
    g->full = g->nactive == g->n;
    g->resume = e->resume;
    if (!all || !f->whole_mask) g->level->to_row(e->mask.w, g->n, (uint32_t *)(void *)f->base);
    f->whole_mask = all;
    bool conv = px_lanes_equal(&e->mask, &f->live);
    if (f->code->nkept || f->code->nsurveys) conv = px_kept_enter(g, f, e->pc, conv);
    r->code = conv ? f->code->conv : divergent(g, e->pc);
    g->merge_pc = conv ? UINT32_MAX : px_entries_next_pc(&g->entries, f);
    return r->code;
}

static uint32_t ord_before(const struct px_insn *code, uint32_t pc)
{
    return pc ? code[pc - 1].ord : 0;
}

/* Adds what ran between two numbers of instructions to the counters. */
static void count(const struct run *r, uint32_t from, uint32_t to)
{
    px_tally_run(r->g, from, to);
}

enum after { AFTER_GO, AFTER_SWITCH, AFTER_TRAP };

/* Leaves the running entry at `pc`; the scheduler looks again. */
static enum after leave_at(struct run *r, uint32_t pc)
{
    px_entry_go(&r->g->entries, r->e->mask, r->e->frame, pc, false);
    return AFTER_SWITCH;
}

static void remove_lanes(struct px_gang *g, struct px_frame *frame, struct px_lanes gone)
{
    while (frame) {
        struct px_frame *parent = frame->parent;
        frame->live = px_lanes_minus(frame->live, gone);
        if (px_lanes_empty(&frame->live)) px_frame_pop(g, frame);
        frame = parent;
    }
}

/* All lanes of the gang are in the running entry, and end. */
static void exit_all(struct run *r)
{
    struct px_gang *g = r->g;
    static const struct px_lanes none;
    g->live = none;
    px_entry_end(&g->entries);
    for (struct px_frame *f = r->e->frame, *parent; f; f = parent) {
        parent = f->parent;
        px_frame_pop(g, f);
    }
    if (g->cta->barriers_used) px_barrier_exited(g->cta);
    if (g->cta->cluster) px_cluster_exited(g->cta->cluster);
}

/* Lanes end; the others of the running entry go on at `next`. */
static void exit_lanes(struct run *r, const struct px_lanes *lanes, uint32_t next)
{
    struct px_gang *g = r->g;
    struct px_frame *frame = r->e->frame;
    if (px_lanes_equal(lanes, &g->live)) {
        exit_all(r);
        return;
    }
    const struct px_lanes gone = *lanes;
    px_entry_drop(&g->entries, gone);
    if (g->entries.running) leave_at(r, next);
    g->live = px_lanes_minus(g->live, gone);
    remove_lanes(g, frame, gone);
    if (g->cta->barriers_used) px_barrier_exited(g->cta);
    if (g->cta->cluster) px_cluster_exited(g->cta->cluster);
    if (!g->entries.asleep.n) return;
    px_sync_exited(g);
    px_entries_meet_exited(&g->entries, g->live);
}

/* Lanes return from the running frame, which is not the kernel's; the others of the running entry go on at
 * `next`. */
static void return_lanes(struct run *r, struct px_lanes back, uint32_t next)
{
    struct px_gang *g = r->g;
    struct px_frame *f = r->e->frame;
    if (!f->parent->rows && !px_lanes_equal(&back, &f->parent->live)) px_kept_caller(g, f);
    px_call_results(g, f, &back);
    f->live = px_lanes_minus(f->live, back);
    px_entry_go(&g->entries, back, f->parent, f->ret_pc, false);
    if (g->entries.running) leave_at(r, next);
    if (px_lanes_empty(&f->live)) px_frame_pop(g, f);
}

/*
 * A branch to the same or a lower pc, a call, a return: the places where slices, budgets and limits are
 * looked at. True: the entry is to be left.
 */
static bool spend(struct run *r)
{
    struct px_gang *g = r->g;
    struct px_worker *worker = g->worker;
    if (__builtin_expect(worker->warp_instructions >= worker->look_at, 0)) px_worker_look(worker);
    if (*r->budget) --*r->budget;
    if (!*r->budget || atomic_load_explicit(worker->stop, memory_order_relaxed)) return true;
    if (!others_run(g) || ++r->e->spent < PX_ENTRY_SLICE) return false;
    px_entry_put_off(&g->entries);
    return true;
}

/* `lanes` of the running entry may go on by themselves, at pc. */
static void part(const struct run *r, uint32_t pc, struct px_lanes lanes)
{
    if (!r->e->frame->rows) px_kept_part(r->g, pc, lanes);
}

static void part_all(const struct run *r, uint32_t pc)
{
    part(r, pc, r->e->mask);
    r->e->frame->rows = true;
}

/* ---- loops whose lanes part ---- */

/* Lanes of a narrowed loop go on elsewhere, once all have left. */
static void leave_loop(struct run *r, const struct px_loop *loop, struct px_lanes lanes, uint32_t pc)
{
    struct px_gang *g = r->g;
    struct px_narrow *w = &g->worker->narrow;
    uint32_t i = 0;
    if (px_lanes_empty(&lanes)) return;
    px_tally_lapped(g, &r->laps);
    const struct px_lanes home = px_narrow_leave(g, loop, lanes, pc);
    while (i < w->nleft && w->left[i].pc != pc) i++;
    if (i == PX_NARROW_LEFT) {
        px_entry_go(&g->entries, home, r->e->frame, pc, false);
        return;
    }
    if (i == w->nleft) w->left[w->nleft++] = (struct px_left){pc, {{0}}};
    w->left[i].lanes = px_lanes_or(w->left[i].lanes, home);
}

/* A branch of all lanes that still run. True: they are still inside, at *pc. */
static bool jump_inside(struct run *r, const struct px_loop *loop, uint32_t *pc, uint32_t target)
{
    bool inside = target >= loop->head && target < loop->end;
    if (target <= *pc && spend(r)) inside = false;
    *pc = target;
    if (!inside) leave_loop(r, loop, r->g->active, target);
    return inside;
}

/* Both ways of a fork. True: all stand at *pc behind it. */
static bool fork_inside(struct run *r, const struct px_loop *loop, uint32_t *pc, const struct px_insn *in)
{
    struct px_gang *g = r->g;
    const struct px_fork *fork = &r->e->frame->code->forks[in->fork - 1];
    struct px_fork_stop stop;
    *pc = fork->join;
    if (fork->inside) return px_fork_inside(g, fork, loop, &r->laps), true;
    px_tally_split(g, in->ord);
    if (px_fork_run(g, fork, &stop) == PX_STEP_NEXT) return true;
    const struct px_lanes rest = px_lanes_minus(g->active, stop.lanes);
    leave_loop(r, loop, stop.lanes, stop.pc);
    leave_loop(r, loop, rest, stop.rest);
    return false;
}

/* Lanes of g->taken branch at *pc, the others do not. True: those that are still inside stand at *pc. */
static bool split_inside(struct run *r, const struct px_loop *loop, uint32_t *pc, const struct px_insn *in)
{
    struct px_gang *g = r->g;
    const struct px_lanes taken = g->taken, others = px_lanes_minus(g->active, taken);
    const bool back = in->target >= loop->head && in->target < loop->end, on = *pc + 1 < loop->end;
    if (in->fork) return fork_inside(r, loop, pc, in);
    px_tally_split(g, in->ord);
    if (!back || on) leave_loop(r, loop, taken, in->target);
    if (back || !on) leave_loop(r, loop, others, *pc + 1);
    if (back == on) return false;
    if (g->n > ROW_LEAST && px_narrow_pays(g, loop)) px_narrow_again(g, loop);
    return jump_inside(r, loop, pc, back ? in->target : *pc + 1);
}

/* Runs the loop until no lane is inside, or up to a record that cannot be done here, at *stopped. */
static void run_loop(struct run *r, const struct px_loop *loop, uint32_t *stopped)
{
    struct px_gang *g = r->g;
    const struct px_insn *code = r->code, *own = code + loop->code;
    uint32_t pc = loop->head;
    for (bool inside = true; inside;) {
        const struct px_insn *in = own + (pc - loop->head);
        const uint32_t start = ord_before(code, pc);
        int step;
        while ((step = in->fn(g, in)) <= PX_STEP_NEXT) in += 1 - step;
        pc = loop->head + (uint32_t)(in - own);
        if (step == PX_STEP_JUMP || step == PX_STEP_SPLIT) {
            px_tally_lap(g, &r->laps, start, in->ord);
            inside =
                step == PX_STEP_JUMP ? jump_inside(r, loop, &pc, in->target) : split_inside(r, loop, &pc, in);
            continue;
        }
        while (pc < loop->end && pc > loop->head && code[pc - 1].ord == code[pc].ord) pc--;
        px_tally_lap(g, &r->laps, start, ord_before(code, pc));
        inside = false;
        if (pc == loop->end)
            leave_loop(r, loop, g->active, pc);
        else
            *stopped = pc;
    }
}

/*
 * Does the entry run the loop? Convergent code gives way only where lanes have parted and nothing but
 * arithmetic is done. Then its lanes go on elsewhere when this returns, or all that were still inside stand
 * where a record could not be done for lanes that had moved: they do it now, before anybody else runs.
 */
static enum after narrow_loop(struct run *r, const struct px_insn **in, uint32_t head)
{
    struct px_gang *g = r->g;
    struct px_narrow *w = &g->worker->narrow;
    const struct px_fcode *f = r->e->frame->code;
    const bool together = r->code == f->conv, forked = r->forked;
    uint32_t stopped = UINT32_MAX;
    r->forked = false;
    if (together && !forked) return AFTER_GO;
    const struct px_loop *loop = px_loop_at(f, head);
    if (!loop || loop == r->refused || g->merge_pc < loop->end) return AFTER_GO;
    if (together) {
        if (!loop->whole || loop->masked) return AFTER_GO;
        const struct px_insn *div = divergent(g, head);
        if (!div) return AFTER_TRAP;
        part_all(r, head);
        r->code = div;
        *in = r->code + head;
    }
    if (!px_narrow_begin(g, loop)) {
        r->fell |= together;
        return AFTER_GO;
    }
    px_tally_begin_laps(&r->laps);
    run_loop(r, loop, &stopped);
    px_tally_lapped(g, &r->laps);
    if (stopped != UINT32_MAX) px_narrow_leave(g, loop, g->active, stopped);
    px_narrow_end(g);
    for (; w->nleft; w->nleft--)
        px_entry_go(&g->entries, w->left[w->nleft - 1].lanes, r->e->frame, w->left[w->nleft - 1].pc, false);
    if (stopped == UINT32_MAX) return AFTER_SWITCH;
    r->refused = loop;
    r->e->pc = stopped;
    r->e->resume = 0;
    if (!enter(r, r->e)) return AFTER_TRAP;
    *in = r->code + stopped;
    return AFTER_GO;
}

/* ---- loops as machine code ---- */

/* Turns that a region may do before somebody has to look: at slices, budgets and limits. */
static uint64_t fuel_of(const struct run *r, const struct px_region *region, const struct px_lanes *lanes)
{
    const struct px_worker *worker = r->g->worker;
    const uint64_t turn = (uint64_t)(region->insts ? region->insts : 1) * ((px_lanes_count(lanes) + 31) / 32);
    uint64_t fuel = *r->budget ? *r->budget : 1;
    const uint64_t left =
        worker->look_at > worker->warp_instructions ? worker->look_at - worker->warp_instructions : 0;
    if (fuel > left / turn + 1) fuel = left / turn + 1;
    if (others_run(r->g) && fuel > PX_ENTRY_SLICE - r->e->spent) fuel = PX_ENTRY_SLICE - r->e->spent;
    return fuel ? fuel : 1;
}

/* The branches back of so many turns but the last, which is spent like any other. */
static void spend_turns(struct run *r, uint64_t turns)
{
    const uint64_t n = turns ? turns - 1 : 0;
    *r->budget -= n < *r->budget ? n : *r->budget;
    if (others_run(r->g)) r->e->spent += (uint32_t)n;
}

/* Lanes that have left in different turns, and those that are still inside, go on as entries. */
static enum after leave_region(struct run *r, const struct px_region *region,
                               const struct px_region_left *left)
{
    struct px_frame *f = r->e->frame;
    f->rows = true;
    for (uint32_t s = 0; s < region->nsites; s++)
        if (!px_lanes_empty(&left->site[s]))
            px_entry_go(&r->g->entries, left->site[s], f, region->site[s].pc, false);
    if (!px_lanes_empty(&left->head)) px_entry_go(&r->g->entries, left->head, f, region->head, false);
    return AFTER_SWITCH;
}

/*
 * The running entry stands at the head of the region. AFTER_GO: it goes on at *in, which is there still when
 * the region cannot be begun.
 */
static enum after run_region(struct run *r, const struct px_region *region, const struct px_insn **in)
{
    struct px_gang *g = r->g;
    struct px_region_left left, all = {0};
    struct px_lanes inside = r->e->mask;
    const bool together = r->code == r->e->frame->code->conv;
    if (!px_region_fits(g, region, together)) return AFTER_GO;
    if (together && region->rows) part_all(r, region->head);
    g->worker->regions_entered++;
    for (bool again = true; again;) {
        spend_turns(r, px_region_run(g, region, &inside, fuel_of(r, region, &inside), &left));
        for (uint32_t s = 0; s < region->nsites; s++) all.site[s] = px_lanes_or(all.site[s], left.site[s]);
        inside = left.head;
        again = !px_lanes_empty(&inside) && !spend(r);
    }
    all.head = inside;
    if (!left.together || region->rows) return leave_region(r, region, &all);
    if (region->forgets) px_kept_forget(r->e->frame);
    if (!together || !px_lanes_empty(&inside)) return leave_at(r, left.pc);
    *in = r->code + left.pc;
    return AFTER_GO;
}

static enum after go_to(struct run *r, const struct px_insn **in, uint32_t target)
{
    uint32_t pc = (uint32_t)(*in - r->code);
    if ((*in)->flags & PX_INSN_ALONE && px_cooperative_waits(r->g, *in)) {
        r->e->pc = target;
        r->e->resume = 0;
        px_tally_wait(r->g, (*in)->ord, &r->e->mask);
        px_entry_wait(&r->g->entries, PX_ENTRY_GRID, 0);
        return AFTER_SWITCH;
    }
    bool leave = target >= r->g->merge_pc;
    if (target <= pc && spend(r)) leave = true;
    if (leave) return leave_at(r, target);
    *in = r->code + target;
    const struct px_region *region = px_region_at(r->e->frame->code, target);
    if (region) {
        const enum after after = run_region(r, region, in);
        if (after != AFTER_GO || *in != r->code + target) return after;
    }
    if (target > pc) return AFTER_GO;
    return ++r->turns % NARROW_AFTER ? AFTER_GO : narrow_loop(r, in, target);
}

/* Both ways of a short branch, one after the other, in the divergent version whichever runs here: what
 * convergent code keeps elsewhere than in rows has to be in them before, and is taken from them after. */
static enum after do_fork(struct run *r, const struct px_fork *fork, const struct px_insn **in)
{
    struct px_fork_stop stop;
    struct px_frame *f = r->e->frame;
    const uint32_t next = (uint32_t)(*in - r->code) + 1;
    const bool scalars = !f->rows;
    if (!divergent(r->g, next - 1)) return AFTER_TRAP;
    r->forked = true;
    part(r, next, px_lanes_minus(r->e->mask, r->g->taken));
    part(r, (*in)->target, r->g->taken);
    f->rows = true;
    if (px_fork_run(r->g, fork, &stop) != PX_STEP_NEXT) return AFTER_TRAP;
    if (fork->join >= r->g->merge_pc) return leave_at(r, fork->join);
    if (scalars && !px_kept_enter(r->g, f, fork->join, true)) return leave_at(r, fork->join);
    if (r->fell && px_kept_enter(r->g, f, fork->join, true)) r->code = f->code->conv, r->fell = false;
    *in = r->code + fork->join;
    return AFTER_GO;
}

/* The running entry becomes two. */
static enum after do_split(struct run *r, const struct px_insn **at, uint32_t next)
{
    struct px_gang *g = r->g;
    const struct px_insn *in = *at;
    const struct px_fork *fork = px_fork_at(r->e->frame->code, next - 1);
    px_tally_split(g, in->ord);
    if (fork && g->merge_pc >= fork->join) return do_fork(r, fork, at);
    if (in->target < next) spend(r);
    part(r, next, px_lanes_minus(r->e->mask, g->taken));
    part(r, in->target, g->taken);
    r->e->frame->rows = true;
    px_entry_go(&g->entries, g->taken, r->e->frame, in->target, false);
    return leave_at(r, next);
}

/* Lanes by the value of a row: each value once, with a list of those that have the same low bits. */
struct ways {
    uint32_t n, value[PX_LANES_MAX];
    struct px_lanes lanes[PX_LANES_MAX];
    uint16_t list[PX_LANES_MAX], next[PX_LANES_MAX]; /* numbers of values from 1 on */
};

static void sort_lanes(struct ways *ways, const uint32_t *row, struct px_lanes lanes)
{
    uint32_t lane;
    ways->n = 0;
    memset(ways->list, 0, sizeof ways->list);
    PX_FOR_LANES(lane, lanes)
    {
        uint16_t *list = &ways->list[row[lane] % PX_LANES_MAX];
        uint32_t i = *list;
        while (i && ways->value[i - 1] != row[lane]) i = ways->next[i - 1];
        if (!i) {
            i = ++ways->n;
            ways->value[i - 1] = row[lane];
            ways->lanes[i - 1] = (struct px_lanes){{0}};
            ways->next[i - 1] = *list;
            *list = (uint16_t)i;
        }
        px_lanes_set(&ways->lanes[i - 1], lane);
    }
}

static enum after do_switch(struct run *r, const struct px_insn *in, uint32_t next)
{
    struct px_gang *g = r->g;
    const struct px_table *t = in->aux;
    struct px_lanes lanes = px_gang_lanes(g, in);
    struct px_frame *f = r->e->frame;
    struct ways ways;
    spend(r); /* one of the targets may lie behind */
    sort_lanes(&ways, PX_ROW(g, uint32_t, in->a), lanes);
    for (uint32_t i = 0; i < ways.n; i++) {
        if (ways.value[i] < t->n) continue;
        px_gang_trap(g, in, px_lanes_first(&ways.lanes[i]), PX_CUDA_INVALID_PC, 0,
                     "brx.idx index %u of %u targets", ways.value[i], t->n);
        return AFTER_TRAP;
    }
    if (g->worker->tally) px_tally_ways(g, in->ord, ways.lanes, ways.n);
    for (uint32_t i = 0; i < ways.n; i++) part(r, t->targets[ways.value[i]], ways.lanes[i]);
    f->rows = true;
    for (uint32_t i = 0; i < ways.n; i++)
        px_entry_go(&g->entries, ways.lanes[i], f, t->targets[ways.value[i]], false);
    if (g->entries.running) leave_at(r, next);
    return AFTER_SWITCH;
}

static enum after do_exit(struct run *r, const struct px_insn *in, uint32_t next)
{
    const struct px_entries *s = &r->g->entries;
    if (!in->m) {
        if (!s->ready.n && !s->asleep.n)
            exit_all(r);
        else
            exit_lanes(r, &r->g->active, next);
        return AFTER_SWITCH;
    }
    struct px_lanes lanes = px_gang_lanes(r->g, in);
    if (px_lanes_empty(&lanes)) return AFTER_GO;
    exit_lanes(r, &lanes, next);
    return AFTER_SWITCH;
}

static enum after do_return(struct run *r, const struct px_insn *in, uint32_t next)
{
    if (!r->e->frame->parent) return do_exit(r, in, next);
    const struct px_lanes lanes = px_gang_lanes(r->g, in);
    if (px_lanes_empty(&lanes)) return AFTER_GO;
    spend(r);
    return_lanes(r, lanes, next);
    return AFTER_SWITCH;
}

static enum after do_call(struct run *r, const struct px_insn *in, uint32_t next)
{
    const struct px_lfunc *callee = ((const struct px_call_site *)in->aux)->callee;
    const bool leave = spend(r) || next >= r->g->merge_pc;
    /* Lanes that call one function come back together, or return_lanes sees that they do not, or it parks
     * some of them. */
    if (!callee) part_all(r, next);
    int step = px_call_enter(r->g, r->e, in, next);
    if (step == PX_STEP_TRAP) return AFTER_TRAP;
    if (step != PX_STEP_NEXT) return AFTER_SWITCH;
    return leave ? leave_at(r, next) : AFTER_GO;
}

/* The running entry stands before `in`. */
static void stop_at(struct run *r, const struct px_insn *in)
{
    r->e->pc = (uint32_t)(in - r->code);
    r->e->resume = 0;
}

static enum after do_barrier(struct run *r, const struct px_insn *in)
{
    /* Only lanes that name one number are sure to go on together. */
    if (!(in->flags & PX_INSN_SCALAR_A)) part_all(r, (uint32_t)(in - r->code) + 1);
    stop_at(r, in);
    const struct px_lanes lanes = r->e->mask;
    if (px_barrier_arrive(r->g, r->e, in)) return AFTER_GO;
    px_tally_wait(r->g, in->ord, &lanes);
    return r->g->cta->trap.error ? AFTER_TRAP : AFTER_SWITCH;
}

static enum after do_sync(struct run *r, const struct px_insn *in)
{
    stop_at(r, in);
    px_tally_wait(r->g, in->ord, &r->e->mask);
    return px_sync_wait(r->g, r->e, in) ? AFTER_SWITCH : AFTER_TRAP;
}

static enum after do_meet(struct run *r, const struct px_insn *in)
{
    stop_at(r, in);
    px_tally_wait(r->g, in->ord, &r->e->mask);
    px_frames_meet(r->g, r->e, in->group);
    px_entry_meet(&r->g->entries, r->g->live, in->group);
    return AFTER_SWITCH;
}

static enum after do_poll(struct run *r, const struct px_insn *in)
{
    stop_at(r, in);
    px_poll_wait(r->g, r->e, in);
    return AFTER_SWITCH;
}

static enum after do_cluster(struct run *r, const struct px_insn *in)
{
    stop_at(r, in);
    px_cluster_wait(r->g, r->e, in);
    return AFTER_SWITCH;
}

/* At griddepcontrol.wait: true when there is nothing to wait for any more. */
static bool prior_over(struct run *r, const struct px_insn *in)
{
    if (!atomic_load(&r->g->cta->grid->prior)) return true;
    part_all(r, (uint32_t)(in - r->code) + 1);
    stop_at(r, in);
    px_entry_wait(&r->g->entries, PX_ENTRY_PRIOR, 0);
    return false;
}

/* The record is run again once there is room: before anybody else runs, who would write the temporaries that
 * it reads. */
static enum after do_grow(struct run *r, const struct px_insn *in)
{
    struct px_gang *g = r->g;
    uint32_t lane;
    const uint64_t need = px_alloca_need(g, in, &lane);
    if (!px_frame_local(g, need)) {
        px_gang_trap(g, in, lane, PX_CUDA_HARDWARE_STACK_ERROR, 0,
                     "alloca: %llu bytes of local memory; a thread has %llu", (unsigned long long)need,
                     (unsigned long long)PX_LOCAL_MAX);
        return AFTER_TRAP;
    }
    return in->fn(g, in) == PX_STEP_NEXT ? AFTER_GO : AFTER_TRAP;
}

/* The divergent version takes over before the record that has not been done. */
static enum after take_rows(struct run *r, const struct px_insn **in)
{
    const uint32_t pc = (uint32_t)(*in - r->code);
    const struct px_insn *div = divergent(r->g, pc);
    if (!div) return AFTER_TRAP;
    part_all(r, pc);
    r->fell = true;
    r->code = div;
    *in = r->code + pc;
    return AFTER_GO;
}

/* Lanes that go ahead: any of them, any warps, or all but one of each. */
static struct px_lanes draw_lanes(uint64_t *random)
{
    const uint64_t kind = px_random_next(random) % 3;
    struct px_lanes lanes;
    for (int i = 0; i < PX_MASK_WORDS; i++) {
        const uint64_t draw = px_random_next(random);
        if (kind == 0)
            lanes.w[i] = draw;
        else if (kind == 1)
            lanes.w[i] = (draw & 1 ? UINT32_MAX : 0) | (draw & 2 ? (uint64_t)UINT32_MAX << 32 : 0);
        else
            lanes.w[i] = ~(1ull << (draw & 31) | 1ull << (32 + (draw >> 5 & 31)));
    }
    return lanes;
}

/* Random schedule: lanes of the running entry stay before the next record while others go on, or all of them
 * do, or the whole CTA. */
static enum after do_shuffle(struct run *r, const struct px_insn **in, uint32_t next)
{
    struct px_gang *g = r->g;
    struct px_entry *e = r->e;
    const struct px_lanes stay = px_lanes_minus(e->mask, draw_lanes(&g->cta->random));
    const uint64_t what = px_random_next(&g->cta->random) % 8;
    part_all(r, next);
    if (what == 0) *r->budget = 0;
    if (what < 2 || px_lanes_empty(&stay) || px_lanes_equal(&stay, &e->mask)) return leave_at(r, next);
    px_entry_go(&g->entries, stay, e->frame, next, false);
    e->pc = next;
    e->resume = 0;
    if (!enter(r, e)) return AFTER_TRAP;
    *in = r->code + next;
    return AFTER_GO;
}

/* Acts on a step other than NEXT; AFTER_GO continues at *in. */
static enum after act(struct run *r, int step, const struct px_insn **in)
{
    const struct px_insn *now = *in;
    uint32_t next = (uint32_t)(now - r->code) + 1;
    const bool rows = r->e->frame->rows;
    enum after after = AFTER_GO;
    switch (step) {
    case PX_STEP_JUMP: return go_to(r, in, now->target);
    case PX_STEP_SPLIT: return do_split(r, in, next);
    case PX_STEP_ROWS: return take_rows(r, in);
    case PX_STEP_JOIN: return leave_at(r, next);
    case PX_STEP_EXIT: after = do_exit(r, now, next); break;
    case PX_STEP_RET: after = do_return(r, now, next); break;
    case PX_STEP_CALL: after = do_call(r, now, next); break;
    case PX_STEP_SWITCH: return do_switch(r, now, next);
    case PX_STEP_BARRIER: after = do_barrier(r, now); break;
    case PX_STEP_SYNC: part_all(r, next); return do_sync(r, now);
    case PX_STEP_MEET: part_all(r, next); return do_meet(r, now);
    case PX_STEP_GROW: after = do_grow(r, now); break;
    case PX_STEP_SHUFFLE: return do_shuffle(r, in, next);
    case PX_STEP_CLUSTER: part_all(r, next); return do_cluster(r, now);
    case PX_STEP_POLL: part_all(r, next); return do_poll(r, now);
    case PX_STEP_PRIOR:
        if (prior_over(r, now)) break;
        return AFTER_SWITCH;
    case PX_STEP_TRIGGER: px_sched_triggered(r->g->cta->grid); break;
    case PX_STEP_ARRIVED: px_cooperative_arrived(r->g->cta->grid); break;
    case PX_STEP_YIELD:
        if (!others_run(r->g)) break;
        px_entry_put_off(&r->g->entries);
        return leave_at(r, next);
    default: return AFTER_TRAP;
    }
    if (after != AFTER_GO) return after;
    r->e->frame->rows = rows; /* nobody went by himself */
    *in = now + 1;
    return after;
}

static enum after run_entry(struct run *r)
{
    struct px_gang *g = r->g;
    const struct px_insn *in = r->code + r->e->pc;
    const struct px_region *region = g->resume ? NULL : px_region_at(r->e->frame->code, r->e->pc);
    if (region) {
        const enum after after = run_region(r, region, &in);
        if (after != AFTER_GO) return after;
    }
    for (;;) {
        /* A record that is resumed was counted when it began to wait. */
        uint32_t start = g->resume ? in->ord : ord_before(r->code, (uint32_t)(in - r->code));
        int step;
        while ((step = in->fn(g, in)) <= PX_STEP_NEXT) in += 1 - step;
        count(r, start, step == PX_STEP_ROWS ? ord_before(r->code, (uint32_t)(in - r->code)) : in->ord);
        enum after after = act(r, step, &in);
        if (after != AFTER_GO) return after;
        g->resume = false;
    }
}

static bool budget_spent(const struct run *r)
{
    return !*r->budget || atomic_load_explicit(r->g->worker->stop, memory_order_relaxed);
}

static enum px_gang_status run_entries(struct run *r)
{
    struct px_gang *g = r->g;
    for (;;) {
        if (!g->entries.ready.n) return g->entries.asleep.n ? PX_GANG_WAIT : PX_GANG_DONE;
        if (budget_spent(r))
            return atomic_load_explicit(g->worker->stop, memory_order_relaxed) ? PX_GANG_STOP
                                                                               : PX_GANG_BUDGET;
        uint64_t *random = &g->cta->random;
        struct px_entry *e =
            *random ? px_entries_take_any(&g->entries, px_random_next(random)) : px_entries_take(&g->entries);
        if (!enter(r, e) || run_entry(r) == AFTER_TRAP) return PX_GANG_TRAP;
    }
}

enum px_gang_status px_gang_run(struct px_gang *g, struct px_worker *worker, uint64_t *budget)
{
    struct run r; /* whose laps are not touched for each block */
    r.g = g;
    r.budget = budget;
    r.turns = 0;
    r.fell = r.forked = false;
    r.refused = NULL;
    g->worker = worker;
    enum px_gang_status status = run_entries(&r);
    px_fp_set(worker, PX_FP_HOME); /* a trap may come in any mode */
    return status;
}
