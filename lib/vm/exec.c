/*
 * exec.c - the loop that runs a gang, and divergence.
 *
 * A gang is a set of entries {frame, pc, mask}. The scheduler takes the entry
 * of the lowest round (slices spent), then of the deepest frame, then of the
 * lowest pc; pcs are numbered so that a loop's body precedes its exit
 * (decode_cfg.c), hence lanes that left a loop wait for those still inside and
 * merge with them. An entry runs until it branches apart, waits, ends, or
 * reaches a place where another entry of its frame stands.
 *
 * Backward branches, calls and returns are what no endless kernel can do
 * without, so each is spent from the entry's slice. One that has spent its slice
 * while others could run goes to the next round: a lane that holds a lock always
 * gets its turn. What was spent stays with the lanes: parts of an entry inherit
 * it, and of entries that merge the one that is behind counts.
 *
 * Masks and divergence live here only; handlers see the mask row.
 */
#include "link/program.h"
#include "vm/gang.h"
#include "vm/exec.h"
#include "vm/op_fpmode.h"
#include <stdarg.h>
#include <stdio.h>

/* Backward branches, calls and returns of an entry while another entry of its gang could run. */
enum { PX_ENTRY_SLICE = 256 };

/* ---- entries ---- */

struct px_entry *px_gang_entry(struct px_gang *g, struct px_frame *frame, uint32_t pc, struct px_lanes mask)
{
    struct px_entry *e = &g->entries[g->nentries++];
    *e = (struct px_entry){.mask = mask, .frame = frame, .pc = pc};
    return e;
}

static void drop_entry(struct px_gang *g, struct px_entry *e)
{
    *e = g->entries[--g->nentries];
}

static bool same_place(const struct px_entry *a, const struct px_entry *b)
{
    return a->frame == b->frame && a->pc == b->pc && a->resume == b->resume && b->state == PX_ENTRY_RUN;
}

static bool is_behind(const struct px_entry *a, const struct px_entry *b)
{
    return a->round != b->round ? a->round < b->round : a->spent < b->spent;
}

void px_entry_inherit(struct px_entry *e, const struct px_entry *from)
{
    e->round = from->round;
    e->spent = from->spent;
}

/* Takes in every other runnable entry that stands where entry i stands; its index after that. */
static uint32_t merge_entry(struct px_gang *g, uint32_t i)
{
    for (uint32_t k = 0; k < g->nentries;) {
        struct px_entry *e = &g->entries[i], *o = &g->entries[k];
        if (k == i || !same_place(e, o)) {
            k++;
            continue;
        }
        e->mask = px_lanes_or(e->mask, o->mask);
        if (is_behind(o, e)) px_entry_inherit(e, o);
        if (i == g->nentries - 1) i = k;
        drop_entry(g, o);
    }
    return i;
}

static bool goes_before(const struct px_entry *a, const struct px_entry *b)
{
    if (a->round != b->round) return a->round < b->round;
    if (a->frame->depth != b->frame->depth) return a->frame->depth > b->frame->depth;
    return a->pc < b->pc;
}

/* Index of the entry to run; -1 when none can. */
static int pick_entry(const struct px_gang *g)
{
    int best = -1;
    for (uint32_t i = 0; i < g->nentries; i++) {
        if (g->entries[i].state != PX_ENTRY_RUN) continue;
        if (best < 0 || goes_before(&g->entries[i], &g->entries[best])) best = (int)i;
    }
    return best;
}

void px_entry_resume(struct px_gang *g, struct px_entry *e)
{
    e->state = PX_ENTRY_RUN;
    e->resume = 1;
    if (e->round < g->round) e->round = g->round;
    g->waiting--;
}

void px_gang_wake(struct px_gang *g, enum px_entry_state state, uint8_t key)
{
    for (uint32_t i = 0; i < g->nentries; i++) {
        struct px_entry *e = &g->entries[i];
        if (e->state != state || e->key != key) continue;
        px_entry_resume(g, e);
        e->round = g->round; /* together: they may meet */
    }
}

void px_gang_wait(struct px_gang *g, struct px_entry *e, enum px_entry_state state, uint8_t key)
{
    e->state = (uint8_t)state;
    e->key = key;
    g->waiting++;
}

/* ---- the running entry ---- */

/* What the loop holds in registers; written back to the entry when it stops. */
struct run {
    struct px_gang *g;
    struct px_entry *e;
    const struct px_insn *code; /* conv or div of the frame's function */
    uint64_t *budget;
};

static bool others_run(const struct px_gang *g)
{
    return g->nentries - g->waiting > 1;
}

/* Makes `e` the running entry: mask row, version of the code, where others wait. */
static void enter(struct run *r, struct px_entry *e)
{
    struct px_gang *g = r->g;
    struct px_frame *f = e->frame;
    r->e = e;
    g->running = f;
    g->frame = f->base;
    g->active = e->mask;
    g->nactive = px_lanes_count(&e->mask);
    g->full = g->nactive == g->n;
    g->resume = e->resume;
    g->level->to_row(e->mask.w, g->n, (uint32_t *)(void *)f->base);
    g->merge_pc = UINT32_MAX;
    bool conv = px_lanes_equal(&e->mask, &f->live);
    r->code = conv ? f->code->conv : f->code->div;
    if (conv) return;
    for (uint32_t i = 0; i < g->nentries; i++) {
        const struct px_entry *o = &g->entries[i];
        if (o == e || o->frame != f || o->state != PX_ENTRY_RUN) continue;
        if (o->pc < g->merge_pc) g->merge_pc = o->pc;
    }
}

static uint32_t ord_before(const struct px_insn *code, uint32_t pc)
{
    return pc ? code[pc - 1].ord : 0;
}

/* Adds what ran between `start` and `in` (included) to the counters. */
static void count(const struct run *r, uint32_t start_ord, const struct px_insn *in)
{
    struct px_gang *g = r->g;
    uint64_t k = in->ord - start_ord;
    g->worker->thread_instructions += k * g->nactive;
    g->worker->warp_instructions += k * ((g->nactive + 31) / 32);
    g->cta->clock += k;
}

/* The running entry becomes two: `taken` goes to `target`, the rest goes on at `next`. */
static void split_entry(struct px_gang *g, struct px_entry *e, uint32_t target, uint32_t next)
{
    struct px_lanes rest = px_lanes_minus(e->mask, g->taken);
    px_entry_inherit(px_gang_entry(g, e->frame, target, g->taken), e);
    e->mask = rest;
    e->pc = next;
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

/* Lanes end. True when the entry is gone. */
static bool exit_lanes(struct run *r, struct px_lanes gone, uint32_t next)
{
    struct px_gang *g = r->g;
    struct px_entry *e = r->e;
    struct px_frame *frame = e->frame;
    bool all = px_lanes_equal(&gone, &e->mask);
    e->mask = px_lanes_minus(e->mask, gone);
    e->pc = next;
    if (all) drop_entry(g, e);
    g->live = px_lanes_minus(g->live, gone);
    for (uint32_t w = 0; w < g->n / 32 && g->first / 32 + w < PX_WARPS_MAX; w++)
        g->cta->live_lanes[g->first / 32 + w] &= ~px_lanes_warp(&gone, w);
    remove_lanes(g, frame, gone);
    px_barrier_exited(g->cta);
    if (g->waiting) px_sync_exited(g);
    return all;
}

/* Lanes return from the running frame; it is not the kernel's. */
static void return_lanes(struct run *r, struct px_lanes back, uint32_t next)
{
    struct px_gang *g = r->g;
    struct px_entry *e = r->e;
    struct px_frame *f = e->frame, *parent = f->parent;
    px_call_results(g, f, &back);
    uint32_t ret_pc = f->ret_pc;
    f->live = px_lanes_minus(f->live, back);
    if (px_lanes_equal(&back, &e->mask)) {
        e->frame = parent;
        e->pc = ret_pc;
    } else {
        px_entry_inherit(px_gang_entry(g, parent, ret_pc, back), e);
        e->mask = px_lanes_minus(e->mask, back);
        e->pc = next;
    }
    if (px_lanes_empty(&f->live)) px_frame_pop(g, f);
}

/*
 * A branch to the same or a lower pc, a call, a return: the places where slices, budgets and limits are looked at.
 * True: the entry is to be left.
 */
static bool spend(struct run *r)
{
    struct px_gang *g = r->g;
    struct px_worker *worker = g->worker;
    if (__builtin_expect(worker->warp_instructions >= worker->look_at, 0)) px_worker_look(worker);
    if (*r->budget) --*r->budget;
    if (!*r->budget || atomic_load_explicit(worker->stop, memory_order_relaxed)) return true;
    if (!others_run(g) || ++r->e->spent < PX_ENTRY_SLICE) return false;
    r->e->spent = 0;
    r->e->round++;
    return true;
}

enum after { AFTER_GO, AFTER_SWITCH, AFTER_TRAP };

/* Leaves the running entry at `pc`; the scheduler looks again. */
static enum after leave_at(struct run *r, uint32_t pc)
{
    r->e->pc = pc;
    r->e->resume = 0;
    return AFTER_SWITCH;
}

static enum after go_to(struct run *r, const struct px_insn **in, uint32_t target)
{
    uint32_t pc = (uint32_t)(*in - r->code);
    bool leave = target >= r->g->merge_pc;
    if (target <= pc && spend(r)) leave = true;
    if (leave) return leave_at(r, target);
    *in = r->code + target;
    return AFTER_GO;
}

static enum after do_split(struct run *r, const struct px_insn *in, uint32_t next)
{
    r->e->resume = 0;
    if (in->target < next) spend(r);
    split_entry(r->g, r->e, in->target, next);
    return AFTER_SWITCH;
}

static enum after do_switch(struct run *r, const struct px_insn *in, uint32_t next)
{
    struct px_gang *g = r->g;
    const struct px_table *t = in->aux;
    const uint32_t *index = PX_ROW(g, uint32_t, in->a);
    struct px_lanes left = px_gang_lanes(g, in);
    struct px_lanes rest = px_lanes_minus(g->active, left);
    struct px_frame *f = r->e->frame;
    spend(r); /* one of the targets may lie behind */
    while (!px_lanes_empty(&left)) {
        uint32_t lane, first = px_lanes_first(&left), k = index[first];
        struct px_lanes with = {{0}};
        PX_FOR_LANES(lane, left) if (index[lane] == k) px_lanes_set(&with, lane);
        if (k >= t->n)
            return px_gang_trap(g, in, first, PX_CUDA_INVALID_PC, 0, "brx.idx index %u of %u targets", k,
                                t->n),
                   AFTER_TRAP;
        left = px_lanes_minus(left, with);
        px_entry_inherit(px_gang_entry(g, f, t->targets[k], with), r->e);
    }
    r->e->mask = rest;
    leave_at(r, next);
    if (px_lanes_empty(&rest)) drop_entry(g, r->e);
    return AFTER_SWITCH;
}

static enum after do_exit(struct run *r, const struct px_insn *in, uint32_t next)
{
    struct px_lanes lanes = px_gang_lanes(r->g, in);
    if (px_lanes_empty(&lanes)) return AFTER_GO;
    r->e->resume = 0;
    exit_lanes(r, lanes, next);
    return AFTER_SWITCH;
}

static enum after do_return(struct run *r, const struct px_insn *in, uint32_t next)
{
    struct px_lanes lanes = px_gang_lanes(r->g, in);
    if (px_lanes_empty(&lanes)) return AFTER_GO;
    if (!r->e->frame->parent) return do_exit(r, in, next);
    r->e->resume = 0;
    spend(r);
    return_lanes(r, lanes, next);
    return AFTER_SWITCH;
}

static enum after do_call(struct run *r, const struct px_insn *in, uint32_t next)
{
    spend(r);
    int step = px_call_enter(r->g, r->e, in, next);
    if (step == PX_STEP_TRAP) return AFTER_TRAP;
    return step == PX_STEP_NEXT ? AFTER_GO : AFTER_SWITCH;
}

static enum after do_barrier(struct run *r, const struct px_insn *in)
{
    r->e->pc = (uint32_t)(in - r->code);
    r->e->resume = 0;
    if (px_barrier_arrive(r->g, r->e, in)) return AFTER_GO;
    return r->g->cta->trap.error ? AFTER_TRAP : AFTER_SWITCH;
}

static enum after do_sync(struct run *r, const struct px_insn *in)
{
    r->e->pc = (uint32_t)(in - r->code);
    r->e->resume = 0;
    return px_sync_wait(r->g, r->e, in) ? AFTER_SWITCH : AFTER_TRAP;
}

/* Acts on a step other than NEXT; AFTER_GO continues at *in. */
static enum after act(struct run *r, int step, const struct px_insn **in)
{
    const struct px_insn *now = *in;
    uint32_t next = (uint32_t)(now - r->code) + 1;
    enum after after = AFTER_GO;
    switch (step) {
    case PX_STEP_JUMP:
        return go_to(r, in, now->target);
    case PX_STEP_SPLIT:
        return do_split(r, now, next);
    case PX_STEP_JOIN:
        return leave_at(r, next);
    case PX_STEP_EXIT:
        after = do_exit(r, now, next);
        break;
    case PX_STEP_RET:
        after = do_return(r, now, next);
        break;
    case PX_STEP_CALL:
        after = do_call(r, now, next);
        break;
    case PX_STEP_SWITCH:
        return do_switch(r, now, next);
    case PX_STEP_BARRIER:
        after = do_barrier(r, now);
        break;
    case PX_STEP_SYNC:
        return do_sync(r, now);
    case PX_STEP_YIELD:
        if (!others_run(r->g)) break;
        r->e->spent = 0;
        r->e->round++;
        return leave_at(r, next);
    default:
        return AFTER_TRAP;
    }
    if (after == AFTER_GO) *in = now + 1;
    return after;
}

static enum after run_entry(struct run *r)
{
    struct px_gang *g = r->g;
    const struct px_insn *in = r->code + r->e->pc;
    for (;;) {
        /* A record that is resumed was counted when it began to wait. */
        uint32_t start = g->resume ? in->ord : ord_before(r->code, (uint32_t)(in - r->code));
        int step;
        while ((step = in->fn(g, in)) == PX_STEP_NEXT) in++;
        count(r, start, in);
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
        int i = pick_entry(g);
        if (i < 0) return g->nentries ? PX_GANG_WAIT : PX_GANG_DONE;
        if (budget_spent(r))
            return atomic_load_explicit(g->worker->stop, memory_order_relaxed) ? PX_GANG_STOP
                                                                               : PX_GANG_BUDGET;
        uint32_t at = others_run(g) ? merge_entry(g, (uint32_t)i) : (uint32_t)i;
        g->round = g->entries[at].round;
        enter(r, &g->entries[at]);
        if (run_entry(r) == AFTER_TRAP) return PX_GANG_TRAP;
    }
}

enum px_gang_status px_gang_run(struct px_gang *g, struct px_worker *worker, uint64_t *budget)
{
    struct run r = {.g = g, .budget = budget};
    g->worker = worker;
    enum px_gang_status status = run_entries(&r);
    px_fp_set(worker, PX_FP_HOME); /* a trap may come in any mode */
    return status;
}

/* ---- traps ---- */

static void place_of(const struct px_gang *g, uint32_t lane, struct px_trap *trap)
{
    const struct px_cta *cta = g->cta;
    for (int i = 0; i < 3; i++) {
        trap->cta[i] = cta->ctaid[i];
        trap->thread[i] = g->tid[i][lane];
    }
    trap->grid = cta->grid;
}

int px_gang_trap(struct px_gang *g, const struct px_insn *in, uint32_t lane, int error, uint64_t address,
                 const char *format, ...)
{
    struct px_trap *trap = &g->cta->trap;
    const struct px_fcode *code = g->running->code;
    trap->error = error;
    trap->address = address;
    trap->module = code->func->module;
    trap->fn = code->func->fn;
    trap->inst = in ? code->src[in->src].inst : NULL;
    trap->loc = in ? code->src[in->src].loc : 0;
    place_of(g, lane, trap);
    va_list list;
    va_start(list, format);
    vsnprintf(trap->text, sizeof trap->text, format, list);
    va_end(list);
    return PX_STEP_TRAP;
}
