/*
 * forks.c - forks and loops that run aside (ir/forks.c, ir/loops.c), for vm/run/forks.c: where they begin and
 * end, which rows they name, and where their own records are.
 */
#include "code/emit/forks.h"
#include "code/ir/forks.h"
#include <stdlib.h>

/* ---- forks ---- */

static uint32_t ord_behind(const struct px_emitter *e, uint32_t pc)
{
    return pc ? e->f->code->conv[pc - 1].ord : 0;
}

/* How many of a block's n records are the jump, or the look for others, at its end. */
static uint32_t goes_at_end(const struct px_insn *code, uint32_t n)
{
    uint32_t end = n;
    while (end && px_emit_goes(&code[end - 1])) end--;
    return n - end;
}

/* The record of a block's branch: a jump to the next block may stand behind it. */
static uint32_t branch_at(const struct px_emitter *e, uint32_t node, const uint32_t *end_of)
{
    const uint32_t pc = end_of[node] - 1;
    return pc > e->pc_of[node] && px_emit_goes(&e->f->code->conv[pc]) ? pc - 1 : pc;
}

static void make_way(const struct px_emitter *e, uint32_t node, const uint32_t *end_of, struct px_way *way)
{
    const uint32_t first = e->pc_of[node], end = end_of[node];
    way->first = first;
    way->end = end - goes_at_end(e->f->code->conv + first, end - first);
    way->insts = ord_behind(e, end) - ord_behind(e, first);
    way->code += e->f->code->n;
}

static void make_fork(const struct px_emitter *e, const struct px_ir_fork *is, const uint32_t *end_of,
                      struct px_fork *fork)
{
    const struct px_ir_inst *branch = px_ir_last_of(e->f, is->node);
    const uint32_t taken = px_ir_node_at(e->f, branch->target), other = is->node + 1;
    fork->at = branch_at(e, is->node, end_of);
    fork->join = e->pc_of[is->join];
    fork->inside = is->inside;
    fork->by_taken = is->inside && branch->fact;
    if (is->join != other) make_way(e, other, end_of, &fork->other);
    if (is->join != taken) make_way(e, taken, end_of, &fork->taken);
}

/* ---- rows of loops ---- */

static int by_offset(const void *a, const void *b)
{
    const struct px_loop_row *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Where what the register holds matters, as the records of kept registers say it (emit.c). */
static struct px_loop_row row_of(const struct px_emitter *e, uint32_t reg)
{
    const struct px_ir_reg *r = &e->f->regs.at[reg];
    struct px_loop_row row = {r->row, r->elem, false, 0, UINT32_MAX};
    if (e->is_base[reg]) return row;
    row.first_pc = e->pc_at[r->first / PX_IR_STEP] + (r->first % PX_IR_STEP != 0);
    row.last_pc =
        r->last % PX_IR_STEP == 0 ? e->pc_at[r->last / PX_IR_STEP] : e->pc_at[r->last / PX_IR_STEP + 1] - 1;
    return row;
}

static void add_row(const struct px_emitter *e, struct px_loop *loop, struct px_loop_row *rows, uint32_t reg,
                    bool written)
{
    const struct px_ir_reg *r = &e->f->regs.at[reg];
    uint32_t i = 0;
    if (reg == PX_NONE32 || r->temp || r->row == PX_NONE32) return;
    const struct px_loop_row row = row_of(e, reg);
    while (i < loop->nrows && rows[i].at != r->row) i++;
    if (i == loop->nrows) rows[loop->nrows++] = row;
    if (row.first_pc < rows[i].first_pc) rows[i].first_pc = row.first_pc; /* registers that share a row */
    if (row.last_pc > rows[i].last_pc) rows[i].last_pc = row.last_pc;
    rows[i].written |= written;
}

static void add_rows(const struct px_emitter *e, struct px_loop *loop, struct px_loop_row *rows,
                     uint32_t node)
{
    const struct px_irfn *f = e->f;
    const struct px_flow_block b = f->graph.blocks[node];
    for (uint32_t i = b.first; i < b.first + b.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        add_row(e, loop, rows, in->guard, false);
        for (uint32_t k = 0; k < in->nopds; k++)
            add_row(e, loop, rows, px_ir_register(&o[k]), k < in->ndst && o[k].kind == PX_IR_REG);
    }
}

static void make_loop(const struct px_emitter *e, const struct px_ir_loop *is, const uint32_t *end_of,
                      struct px_loop *loop)
{
    const struct px_irfn *f = e->f;
    const uint32_t p = f->loops.place[is->node], end = p + px_ir_loop_blocks(f, p);
    struct px_loop_row rows[PX_IR_LOOP_ROWS];
    loop->head = e->pc_of[is->node];
    loop->end = end_of[f->loops.order[end - 1]];
    loop->masked = is->masked;
    loop->whole = f->coder->wishes.engine & PX_ENGINE_loops;
    loop->code += f->code->n;
    /* Lanes that leave behind the last branch are elsewhere already when they look for others. */
    while (loop->end > loop->head + 1 && px_emit_joins(&f->code->conv[loop->end - 1])) loop->end--;
    for (uint32_t k = p; k < end; k++) add_rows(e, loop, rows, f->loops.order[k]);
    qsort(rows, loop->nrows, sizeof *rows, by_offset);
    loop->rows = PX_NEW_N(f->coder->keep, struct px_loop_row, loop->nrows);
    for (uint32_t i = 0; i < loop->nrows; i++) loop->rows[i] = rows[i];
}

/* ---- records of loops, and of ways inside ---- */

int px_forks_leave(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_JOIN;
}

/* Both lie in the order of the code. */
void px_forks_name(const struct px_fcode *code, struct px_insn *div)
{
    uint32_t i = 0;
    for (const struct px_loop *loop = code->loops; loop < code->loops + code->nloops; loop++) {
        while (i < code->nforks && code->forks[i].at < loop->head) i++;
        for (; i < code->nforks && code->forks[i].at < loop->end; i++)
            div[loop->code + code->forks[i].at - loop->head].fork = i + 1;
    }
}

static void open_aside(const struct px_emitter *e, struct px_emit_aside *aside)
{
    aside->open = true;
    aside->from = e->n;
    aside->code.n = 0;
}

/* Where its records begin in px_fcode.div, counted from those that run aside on; one that stops is behind
 * them. */
static uint32_t close_aside(struct px_emitter *e, struct px_emit_aside *aside)
{
    const uint32_t at = e->nbeside;
    aside->open = false;
    px_pack_aside(&e->pack, e->f->code->conv, aside->from, aside->code.at, aside->code.n);
    e->nbeside += aside->code.n + 1;
    return at;
}

/* The way is masked by the row of the branch's predicate, or the other one is. */
static void enter_way(struct px_emitter *e, const struct px_ir_fork *fork, uint32_t node)
{
    const struct px_irfn *f = e->f;
    const struct px_ir_inst *branch = px_ir_last_of(f, fork->node);
    const bool taken = node != fork->node + 1, by_taken = branch->fact;
    open_aside(e, &e->way);
    e->way_mask = taken == by_taken ? 0 : f->regs.at[px_ir_opds(f, branch)->at].row;
    e->way_place = e->placed;
    e->way_end = e->placed + f->graph.blocks[node].n;
}

void px_forks_enter(struct px_emitter *e, uint32_t place)
{
    const struct px_irfn *f = e->f;
    const uint32_t node = f->loops.order[place];
    if (e->next_aside < f->aside.n && f->aside.at[e->next_aside].node == node) {
        open_aside(e, &e->loop);
        e->loop_end = place + px_ir_loop_blocks(f, place);
        e->next_aside++;
    }
    const struct px_ir_fork *fork = e->loop.open ? px_ir_way_inside(f, node) : NULL;
    if (fork) enter_way(e, fork, node);
}

static void end_way(struct px_emitter *e, uint32_t node)
{
    const struct px_irfn *f = e->f;
    const struct px_ir_fork *is = px_ir_way_inside(f, node);
    struct px_fork *fork = &f->code->forks[is - f->forks.at];
    e->way.code.n -= goes_at_end(e->way.code.at, e->way.code.n);
    (node == is->node + 1 ? &fork->other : &fork->taken)->code = close_aside(e, &e->way);
}

void px_forks_end(struct px_emitter *e, uint32_t place)
{
    struct px_emit_aside *loop = &e->loop;
    if (e->way.open) end_way(e, e->f->loops.order[place]);
    if (!loop->open || place + 1 < e->loop_end) return;
    while (loop->code.n > 1 && px_emit_joins(&loop->code.at[loop->code.n - 1])) loop->code.n--;
    e->f->code->loops[e->next_aside - 1].code = close_aside(e, loop);
}

/* ---- all ---- */

void px_forks_begin(struct px_emitter *e)
{
    struct px_irfn *f = e->f;
    struct px_fcode *code = f->code;
    code->nforks = f->forks.n;
    code->nloops = f->aside.n;
    code->forks = PX_NEW_N(f->coder->keep, struct px_fork, f->forks.n);
    code->loops = PX_NEW_N(f->coder->keep, struct px_loop, f->aside.n);
    if (f->aside.n) e->is_base = px_ir_bases(f, f->coder->pass);
}

void px_forks_make(struct px_emitter *e, const uint32_t *end_of)
{
    struct px_irfn *f = e->f;
    f->code->ndiv = f->code->n + e->nbeside;
    for (uint32_t i = 0; i < f->aside.n; i++) make_loop(e, &f->aside.at[i], end_of, &f->code->loops[i]);
    for (uint32_t i = 0; i < f->forks.n; i++) make_fork(e, &f->forks.at[i], end_of, &f->code->forks[i]);
}
