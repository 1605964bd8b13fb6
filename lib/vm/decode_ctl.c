/*
 * decode_ctl.c - control flow, barriers, and the start and end of a function.
 *
 * Guarded instructions that may wait, leave or call become a branch around an
 * unguarded one, so that exec.c never sees a guard; the place behind them is
 * one where lanes meet again.
 */
#include "vm/decode.h"
#include "vm/op_sreg.h"
#include "vm/op_fpmode.h"

static int do_jump(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_JUMP;
}
static int do_exit(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_EXIT;
}
static int do_ret(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_RET;
}
static int do_barrier(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_BARRIER;
}
static int do_switch(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_SWITCH;
}
static int do_trap(struct px_gang *g, const struct px_insn *in)
{
    return px_gang_trap(g, in, px_lanes_first(&g->active), PX_CUDA_LAUNCH_FAILED, 0, "trap instruction");
}
static int do_brkpt(struct px_gang *g, const struct px_insn *in)
{
    return px_gang_trap(g, in, px_lanes_first(&g->active), PX_CUDA_LAUNCH_FAILED, 0,
                        "breakpoint without a debugger");
}
static int do_fence(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    atomic_thread_fence(memory_order_seq_cst);
    return PX_STEP_NEXT;
}
static int do_nothing(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_NEXT;
}
static int do_join(struct px_gang *g, const struct px_insn *in)
{
    return in->target >= g->merge_pc ? PX_STEP_JOIN : PX_STEP_NEXT;
}

/* ---- guards ---- */

static uint32_t guard_row(struct px_fn_dec *d, const struct px_operand *p)
{
    return px_dec_as_row(d, px_dec_vreg_src(d, px_dec_vreg(d, p, 0), 4), 4);
}

/* Branches around what follows when the guard does not hold; px_dec_guard_end puts the target. PX_NONE32: no
 * guard. */
uint32_t px_dec_guard_begin(struct px_fn_dec *d, const struct px_dinst *item)
{
    if (!item->inst->guard) return PX_NONE32;
    uint32_t row = guard_row(d, item->inst->guard);
    enum px_fixed fix = item->inst->guard_negated ? PX_FIX_branch : PX_FIX_branch_not;
    px_dec_temp_fixed(d, fix, (struct px_insn){.a = row});
    return d->conv.n - 1;
}

/* Falls through into a place that other lanes may have reached: divergent lanes stop to look. */
void px_dec_join(struct px_fn_dec *d)
{
    px_dec_emit(d, do_nothing, do_join, &(struct px_insn){.target = d->conv.n + 1});
}

void px_dec_guard_end(struct px_fn_dec *d, uint32_t branch)
{
    if (branch == PX_NONE32) return;
    px_dec_join(d);
    d->conv.at[branch].target = d->div.at[branch].target = d->conv.n;
}

static void alone(struct px_fn_dec *d, const struct px_dinst *item, px_handler fn, struct px_insn in)
{
    uint32_t branch = px_dec_guard_begin(d, item);
    px_dec_other(d, fn, in);
    px_dec_guard_end(d, branch);
}

/* ---- branches ---- */

static void branch(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_block_info *b = &d->blocks[item->block];
    struct px_insn in = {.target = b->succ[1], .flags = PX_IF_BLOCK};
    if (!item->inst->guard) {
        px_dec_jump(d, b->succ[1]);
        return;
    }
    in.a = guard_row(d, item->inst->guard);
    px_dec_temp_fixed(d, item->inst->guard_negated ? PX_FIX_branch_not : PX_FIX_branch, in);
}

static void indexed_branch(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_block_info *b = &d->blocks[item->block];
    struct px_table *t = PX_NEW(d->dec->arena, struct px_table);
    t->n = b->nmore;
    t->targets = PX_NEW_N(d->dec->arena, uint32_t, b->nmore);
    memcpy(t->targets, b->more, b->nmore * sizeof *t->targets);
    px_vec_push(d->dec->arena, &d->tables, t);
    uint32_t around = px_dec_guard_begin(d, item);
    uint32_t row = px_dec_row(d, &item->inst->opds[0], PX_T_U32);
    px_dec_other(d, do_switch, (struct px_insn){.a = row, .aux = t});
    px_dec_guard_end(d, around);
}

/* ---- barriers ---- */

static enum px_bar_kind barrier_kind(const struct px_dinst *item)
{
    if (item->op == PX_OP_bar_arrive) return PX_BAR_ARRIVE;
    if (item->op == PX_OP_bar_sync) return PX_BAR_SYNC;
    if (px_dec_has(item, PX_W_popc)) return PX_BAR_POPC;
    return px_dec_has(item, PX_W_and) ? PX_BAR_AND : PX_BAR_OR;
}

static void barrier(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_inst *inst = item->inst;
    enum px_bar_kind kind = barrier_kind(item);
    bool red = kind >= PX_BAR_POPC;
    const struct px_operand *o = inst->opds + red;
    unsigned n = inst->nopds - red;
    uint32_t around = px_dec_guard_begin(d, item), row = 0;
    struct px_insn in = {.imm = kind};
    struct px_src number = px_dec_src(d, &o[0], PX_T_U32);
    in.a = number.at;
    if (number.scalar) in.flags |= PX_IF_SCALAR_A;
    if (n > (red ? 2u : 1u)) {
        struct px_src count = px_dec_src(d, &o[1], PX_T_U32);
        in.b = count.at;
        in.size = count.scalar;
    }
    if (red) {
        in.c = px_dec_row(d, &o[n - 1], PX_T_PRED);
        in.d = row = px_dec_dst(d, &inst->opds[0], kind == PX_BAR_POPC ? PX_T_U32 : PX_T_PRED);
    }
    px_dec_other(d, do_barrier, in);
    if (red) px_dec_dst_done(d, &inst->opds[0], kind == PX_BAR_POPC ? PX_T_U32 : PX_T_PRED, row);
    px_dec_guard_end(d, around);
}

bool px_dec_control(struct px_fn_dec *d, const struct px_dinst *item)
{
    struct px_insn none = {0};
    switch (item->op) {
    case PX_OP_bra:
        branch(d, item);
        return true;
    case PX_OP_brx:
        indexed_branch(d, item);
        return true;
    case PX_OP_call:
        px_dec_call(d, item);
        return true;
    case PX_OP_ret:
        alone(d, item, do_ret, none);
        return true;
    case PX_OP_exit:
        alone(d, item, do_exit, none);
        return true;
    case PX_OP_trap:
        alone(d, item, do_trap, none);
        return true;
    case PX_OP_brkpt:
        alone(d, item, do_brkpt, none);
        return true;
    case PX_OP_bar_sync:
    case PX_OP_bar_arrive:
    case PX_OP_bar_red:
        barrier(d, item);
        return true;
    case PX_OP_nanosleep:
        alone(d, item, px_nanosleep, none);
        return true;
    case PX_OP_fence:
        px_dec_other(d, do_fence, none);
        return true;
    case PX_OP_griddepcontrol: /* without programmatic launch there is nothing to wait for */
    case PX_OP_hint:
        return true; /* nothing that a program can see */
    default:
        return false;
    }
}

/* ---- the start and the end ---- */

void px_dec_end(struct px_fn_dec *d)
{
    px_dec_other(d, do_ret, (struct px_insn){0});
}

void px_dec_jump(struct px_fn_dec *d, uint32_t block)
{
    px_dec_other(d, do_jump, (struct px_insn){.target = block, .flags = PX_IF_BLOCK});
}
