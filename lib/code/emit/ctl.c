/* emit/ctl.c - records that leave, wait or call: what exec.c acts on. */
#include "code/emit/emit.h"
#include "code/emit/names.h"
#include "base/random.h"
#include "code/ir/asks.h"
#include "ops/cluster.h"
#include "ops/private.h"
#include "ops/sreg.h"
#include "ops/warp.h"
#include <stdatomic.h>

/* Handlers that only say what is to be done. */
#define STEP(name, step)                                                                                     \
    static int name(struct px_gang *g, const struct px_insn *in)                                             \
    {                                                                                                        \
        (void)g, (void)in;                                                                                   \
        return step;                                                                                         \
    }
STEP(do_jump, PX_STEP_JUMP)
STEP(do_exit, PX_STEP_EXIT)
STEP(do_ret, PX_STEP_RET)
STEP(do_barrier, PX_STEP_BARRIER)
STEP(do_switch, PX_STEP_SWITCH)
STEP(do_call, PX_STEP_CALL)
STEP(do_nothing, PX_STEP_NEXT)

static int do_trap(struct px_gang *g, const struct px_insn *in)
{
    const bool alone = g->cta->code->cooperates && !g->cta->grid->workspace;
    return px_gang_trap(
        g, in, px_lanes_first(&g->active), PX_CUDA_LAUNCH_FAILED, 0, "trap instruction%s",
        alone ? "; the kernel asks for its grid's barrier, which only a cooperative launch has" : "");
}

/* It stands for an instruction that this VM cannot run. */
static int do_refused(struct px_gang *g, const struct px_insn *in)
{
    return px_gang_trap(g, in, px_lanes_first(&g->active), PX_CUDA_NOT_SUPPORTED, 0, "%s",
                        (const char *)in->aux);
}

static int do_brkpt(struct px_gang *g, const struct px_insn *in)
{
    return px_gang_trap(g, in, px_lanes_first(&g->active), PX_CUDA_LAUNCH_FAILED, 0,
                        "breakpoint without a debugger");
}

static int do_fence(struct px_gang *g, const struct px_insn *in)
{
    (void)in;
    px_private_flush(g->worker);
    atomic_thread_fence(memory_order_seq_cst);
    return PX_STEP_NEXT;
}

/* Each block counts once. */
static int do_launch_dependents(struct px_gang *g, const struct px_insn *in)
{
    struct px_cta *cta = g->cta;
    (void)in;
    if (cta->told || cta->grid->parent) return PX_STEP_NEXT;
    cta->told = true;
    return atomic_fetch_sub(&cta->grid->untold, 1) == 1 ? PX_STEP_TRIGGER : PX_STEP_NEXT;
}

/* What is resumed has waited, which exec.c is to hear of. */
static int do_wait_prior(struct px_gang *g, const struct px_insn *in)
{
    (void)in;
    return g->resume || atomic_load(&g->cta->grid->prior) ? PX_STEP_PRIOR : PX_STEP_NEXT;
}

static int do_join(struct px_gang *g, const struct px_insn *in)
{
    return in->target >= g->merge_pc ? PX_STEP_JOIN : PX_STEP_NEXT;
}

/* Before the head of a loop that may be a region: a jump there. */
STEP(do_enter, PX_STEP_JUMP)

static int do_join_enter(struct px_gang *g, const struct px_insn *in)
{
    return in->target >= g->merge_pc ? PX_STEP_JOIN : PX_STEP_JUMP;
}

bool px_emit_targets(const struct px_insn *r)
{
    return r->fn == do_jump || px_emit_joins(r);
}

void px_emit_join(struct px_emitter *e)
{
    px_emit_in_all(e, do_nothing, do_join, (struct px_insn){.target = e->n + 1});
}

void px_emit_enter(struct px_emitter *e)
{
    px_emit_in_all(e, do_enter, do_join_enter, (struct px_insn){.target = e->n + 1});
}

void px_emit_enters_not(struct px_insn *r)
{
    if (r->fn == do_enter) r->fn = do_nothing;
}

/* Three times in four; never where lanes go on together whatever happens. */
static int do_shuffle(struct px_gang *g, const struct px_insn *in)
{
    (void)in;
    if (g->narrow || g->forked || !(px_random_next(&g->cta->random) & 3)) return PX_STEP_NEXT;
    return PX_STEP_SHUFFLE;
}

const struct px_handler_name px_emit_ctl_names[] = {{do_jump, "jump"},
                                                    {do_exit, "exit"},
                                                    {do_ret, "ret"},
                                                    {do_barrier, "barrier"},
                                                    {do_switch, "switch"},
                                                    {do_call, "call"},
                                                    {do_nothing, "nothing"},
                                                    {do_trap, "trap"},
                                                    {do_refused, "refused"},
                                                    {do_brkpt, "brkpt"},
                                                    {do_fence, "fence"},
                                                    {do_launch_dependents, "launch_dependents"},
                                                    {do_wait_prior, "wait_prior"},
                                                    {do_join, "join"},
                                                    {do_enter, "enter"},
                                                    {do_join_enter, "join_enter"},
                                                    {do_shuffle, "shuffle"},
                                                    {0}};

void px_emit_shuffle(struct px_emitter *e)
{
    px_emit_in_all(e, do_shuffle, do_shuffle, (struct px_insn){0});
}

void px_emit_to(struct px_emitter *e, uint32_t node)
{
    px_emit_in_all(e, do_jump, do_jump, (struct px_insn){.target = node, .flags = PX_INSN_BLOCK});
}

bool px_emit_joins(const struct px_insn *r)
{
    return r->fn == do_nothing || r->fn == do_join || r->fn == do_enter || r->fn == do_join_enter;
}

bool px_emit_goes(const struct px_insn *r)
{
    return r->fn == do_jump || px_emit_joins(r);
}

void px_emit_nothing(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    (void)e, (void)in, (void)o;
}

/* ---- branches ---- */

static uint32_t node_of(const struct px_emitter *e, uint32_t label)
{
    return e->f->graph.node_of[e->f->labels.at[label]];
}

/* The load of such a loop; NULL: it is none. The other version of the branch gets the same answer. */
static const struct px_ir_inst *asked_by(struct px_emitter *e, const struct px_ir_inst *branch,
                                         uint32_t target)
{
    const struct px_irfn *f = e->f;
    const uint32_t node = f->graph.node_of[branch - f->insts.at];
    if (e->asks.branch != branch) {
        e->asks.branch = branch;
        e->asks.load = px_loop_head(f, node) == target ? px_loop_loads(f, node) : NULL;
    }
    return e->asks.load;
}

/*
 * A branch back to the head of a loop that only loads a word again: b, one_address and imm say where it is,
 * and the engine may let the lanes sleep (vm/sched/cooperative.h).
 */
static void again(struct px_emitter *e, const struct px_ir_inst *in, struct px_insn *r)
{
    const struct px_irfn *f = e->f;
    const struct px_ir_inst *load = asked_by(e, in, r->target);
    const struct px_ir_opd *from = load ? &px_ir_opds(f, load)[load->ndst] : NULL;
    if (!load || (from->type != PX_SPACE_GLOBAL && from->type != PX_SPACE_NONE)) return;
    const struct px_ir_operand address = {.is = *from, .value = *px_ir_value(f, load, from)};
    const struct px_ir_operand base = {.kind = PX_IR_REG, .elem = 8, .type = PX_T_U64, .at = address.at};
    r->b = px_emit_keep(e, &address) == PX_IR_ROW ? px_emit_place(e, &address) : px_emit_row(e, &base);
    r->one_address = address.base != PX_IR_REG;
    r->imm = address.base != PX_IR_IMM ? address.value : 0;
    r->flags |= PX_INSN_ALONE;
}

void px_emit_jump(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    (void)o;
    struct px_insn r = {.target = node_of(e, in->target), .flags = PX_INSN_BLOCK};
    again(e, in, &r);
    px_emit_record_of(e, do_jump, &r);
}

void px_emit_branch(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const px_handler *fn = e->f->coder->level->fixed[in->fact ? PX_FIX_branch_not : PX_FIX_branch];
    struct px_insn r = {.target = node_of(e, in->target), .flags = PX_INSN_BLOCK};
    const bool alone = px_emit_keep(e, &o[0]) == PX_IR_SCALAR;
    r.a = alone ? px_emit_scalar(e, &o[0]) : px_emit_row(e, &o[0]);
    again(e, in, &r);
    px_emit_record_of(e, fn[alone ? PX_ALONE : 0], &r);
}

/* Its targets are nodes until the end. */
static struct px_table *table_of(const struct px_irfn *f, const struct px_ir_switch *s)
{
    struct px_table *t = PX_NEW(f->coder->keep, struct px_table);
    t->n = s->n;
    t->targets = px_arena_move(f->coder->keep, f->coder->scratch, s->targets, s->n * sizeof *s->targets);
    for (uint32_t i = 0; i < s->n; i++) t->targets[i] = f->graph.node_of[t->targets[i]];
    return t;
}

void px_emit_brx(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    struct px_ir_switch *s = &e->f->switches.at[in->aux];
    if (!s->table) s->table = table_of(e->f, s);
    px_emit_record(e, do_switch, (struct px_insn){.a = px_emit_row(e, &o[0]), .aux = s->table});
}

void px_emit_call(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_call_site *site = &e->f->code->sites[in->aux];
    struct px_insn r = {.aux = site};
    if (!site->callee) {
        r.a = px_emit_place(e, &o[in->ndst]);
        if (px_emit_is_scalar(&o[in->ndst])) r.flags |= PX_INSN_SCALAR_A;
    }
    px_emit_record_of(e, do_call, &r);
}

#define PLAIN(name, fn)                                                                                      \
    void px_emit_##name(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)    \
    {                                                                                                        \
        (void)in, (void)o;                                                                                   \
        px_emit_record(e, fn, (struct px_insn){0});                                                          \
    }
PLAIN(ret, do_ret)
PLAIN(exit, do_exit)
PLAIN(brkpt, do_brkpt)
PLAIN(nanosleep, px_nanosleep)
PLAIN(griddepcontrol, in->fact ? do_wait_prior : do_launch_dependents)

/* To a trace the cluster's barrier is one more of the block's. */
static const struct px_ir_operand cluster_barrier = {
    .kind = PX_IR_IMM, .elem = 4, .type = PX_T_U32, .value = PTX_TRACE_CLUSTER_BARRIER};

void px_emit_cluster_arrive(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    (void)in, (void)o;
    px_emit_trace_event(e, PTX_TRACE_BARRIER_ARRIVE, &cluster_barrier, NULL);
    px_emit_record(e, px_cluster_arrive, (struct px_insn){0});
}

void px_emit_cluster_wait(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    (void)in, (void)o;
    px_emit_record(e, px_cluster_ask, (struct px_insn){0});
    px_emit_trace_event(e, PTX_TRACE_BARRIER_LEAVE, &cluster_barrier, NULL);
}

void px_emit_fence(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    (void)o;
    px_emit_trace_fence(e, in->aux);
    px_emit_record(e, do_fence, (struct px_insn){0});
}

void px_emit_trap(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    (void)o;
    if (in->aux)
        px_emit_record(e, do_refused, (struct px_insn){.aux = e->f->refusals.at[in->aux - 1]});
    else
        px_emit_record(e, do_trap, (struct px_insn){0});
}

/* ---- where lanes meet ---- */

/* A source that may be a scalar; `flag` then. */
static uint32_t either(struct px_emitter *e, struct px_insn *r, const struct px_ir_operand *o, int flag)
{
    if (o->kind == PX_IR_NONE) return 0;
    if (px_emit_is_scalar(o)) r->flags |= (uint8_t)flag;
    return px_emit_place(e, o);
}

void px_emit_barrier(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_ir_operand *s = o + in->ndst;
    struct px_insn r = {.imm = in->fact};
    r.a = either(e, &r, &s[0], PX_INSN_SCALAR_A);
    if (s[1].kind != PX_IR_NONE) {
        r.b = px_emit_place(e, &s[1]);
        r.one_count = px_emit_is_scalar(&s[1]);
    }
    if (in->ndst) {
        r.c = px_emit_row(e, &s[2]);
        r.d = px_emit_place(e, &o[0]);
    }
    const bool traces = px_emit_traces(e);
    if (traces)
        px_emit_trace_event(e, PTX_TRACE_BARRIER_ARRIVE, &s[0], s[1].kind == PX_IR_NONE ? NULL : &s[1]);
    px_emit_record_of(e, do_barrier, &r);
    if (traces && in->fact != PX_BAR_ARRIVE) px_emit_trace_event(e, PTX_TRACE_BARRIER_LEAVE, &s[0], NULL);
}

/* Whole groups at once where there is a handler for it; px_warp_sync does them all. */
static px_handler meeting_of(const struct px_emitter *e, uint32_t kind)
{
    static const enum px_fixed rows[PX_MEET_COUNT] = {
        [PX_MEET_SHFL] = PX_FIX_shuffle, [PX_MEET_VOTE] = PX_FIX_vote,
        [PX_MEET_REDUX] = PX_FIX_redux,  [PX_MEET_MATCH] = PX_FIX_match,
        [PX_MEET_ELECT] = PX_FIX_elect,  [PX_MEET_WARPSYNC] = PX_FIX_warpsync};
    const enum px_fixed fix = rows[PX_SYNC_WHAT(kind)]; /* the first handler, 0, is of no meeting */
    const bool on = e->f->coder->wishes.engine & PX_ENGINE_warps;
    return on && fix ? e->f->coder->level->fixed[fix][0] : px_warp_sync;
}

/* Operands: lower/warp.c. */
void px_emit_meet(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    struct px_insn r = {.imm = in->fact, .bytes = o[2].kind == PX_IR_NONE ? 4 : o[2].elem};
    if (e->f->coder->wishes.ub_chip) r.imm |= PX_SYNC_CHIP;
    if (o[0].kind != PX_IR_NONE) r.d = px_emit_place(e, &o[0]);
    if (o[1].kind != PX_IR_NONE) r.e = px_emit_place(e, &o[1]);
    if (o[2].kind != PX_IR_NONE) r.a = px_emit_row(e, &o[2]);
    r.b = either(e, &r, &o[3], PX_SYNC_SCALAR_B);
    r.c = either(e, &r, &o[4], PX_SYNC_SCALAR_C);
    r.members = either(e, &r, &o[5], PX_SYNC_SCALAR_M);
    const bool orders = PX_SYNC_WHAT(in->fact) == PX_MEET_WARPSYNC;
    if (orders) px_emit_trace_event(e, PTX_TRACE_WARP_ARRIVE, &o[5], NULL);
    px_emit_record_of(e, meeting_of(e, in->fact), &r);
    if (orders) px_emit_trace_event(e, PTX_TRACE_WARP_LEAVE, &o[5], NULL);
}

void px_emit_activemask(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    (void)in;
    px_emit_record(e, e->f->coder->level->fixed[PX_FIX_activemask][0],
                   (struct px_insn){.d = px_emit_place(e, &o[0])});
}
