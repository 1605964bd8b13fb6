/*
 * forks.c - the records of forks and of loops that run aside (ir/forks.c, ir/loops.c), for vm/run/forks.c.
 *
 * A loop's own records are those of the divergent version, but write whole rows where they need not be
 * masked, and do at once what is fused there; so do those of the ways of forks in it.
 */
#include "code/emit/forks.h"
#include "code/ir/forks.h"
#include <stdlib.h>

struct maker {
    struct px_emitter *e;
    const uint32_t *end_of;
    const bool *is_base;
    const uint32_t *placed;      /* by place in the order: instructions before it */
    PX_VEC(struct px_insn) code; /* of a loop or way, until it is packed */
};

/* ---- forks ---- */

/* Lanes leave at the same places in both versions. */
static bool goes_at(const struct px_emitter *e, uint32_t pc)
{
    return px_emit_goes(&e->f->code->conv[pc]);
}

static uint32_t ord_behind(const struct px_emitter *e, uint32_t pc)
{
    return pc ? e->f->code->conv[pc - 1].ord : 0;
}

/* The records of a block without the jump, or the look for others, at their end. */
static struct px_way way_of(const struct px_emitter *e, uint32_t node, const uint32_t *end_of)
{
    uint32_t first = e->pc_of[node], end = end_of[node];
    const uint32_t insts = ord_behind(e, end) - ord_behind(e, first);
    while (end > first && goes_at(e, end - 1)) end--;
    return (struct px_way){first, end, insts, 0};
}

/* The record of a block's branch: a jump to the next block may stand behind it. */
static uint32_t branch_at(const struct px_emitter *e, uint32_t node, const uint32_t *end_of)
{
    const uint32_t pc = end_of[node] - 1;
    return pc > e->pc_of[node] && goes_at(e, pc) ? pc - 1 : pc;
}

static struct px_fork fork_of(const struct px_emitter *e, const struct px_ir_fork *is, const uint32_t *end_of)
{
    const uint32_t taken = px_ir_node_at(e->f, px_ir_last_of(e->f, is->node)->target), other = is->node + 1;
    struct px_fork fork = {.at = branch_at(e, is->node, end_of), .join = e->pc_of[is->join]};
    if (is->join != other) fork.other = way_of(e, other, end_of);
    if (is->join != taken) fork.taken = way_of(e, taken, end_of);
    return fork;
}

/* ---- rows of loops ---- */

static int by_offset(const void *a, const void *b)
{
    const struct px_loop_row *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Where what the register holds matters, as the records of kept registers say it (emit.c). */
static struct px_loop_row row_of(const struct maker *s, uint32_t reg)
{
    const struct px_emitter *e = s->e;
    const struct px_ir_reg *r = &e->f->regs.at[reg];
    struct px_loop_row row = {r->row, r->elem, false, 0, UINT32_MAX};
    if (s->is_base[reg]) return row;
    row.first_pc = e->pc_at[r->first / PX_IR_STEP] + (r->first % PX_IR_STEP != 0);
    row.last_pc =
        r->last % PX_IR_STEP == 0 ? e->pc_at[r->last / PX_IR_STEP] : e->pc_at[r->last / PX_IR_STEP + 1] - 1;
    return row;
}

static void add_row(const struct maker *s, struct px_loop *loop, struct px_loop_row *rows, uint32_t reg,
                    bool written)
{
    const struct px_ir_reg *r = &s->e->f->regs.at[reg];
    uint32_t i = 0;
    if (reg == PX_NONE32 || r->temp || r->row == PX_NONE32) return;
    const struct px_loop_row row = row_of(s, reg);
    while (i < loop->nrows && rows[i].at != r->row) i++;
    if (i == loop->nrows) rows[loop->nrows++] = row;
    if (row.first_pc < rows[i].first_pc) rows[i].first_pc = row.first_pc; /* registers that share a row */
    if (row.last_pc > rows[i].last_pc) rows[i].last_pc = row.last_pc;
    rows[i].written |= written;
}

static void add_rows(const struct maker *s, struct px_loop *loop, struct px_loop_row *rows, uint32_t node)
{
    const struct px_irfn *f = s->e->f;
    const struct px_flow_block b = f->graph.blocks[node];
    for (uint32_t i = b.first; i < b.first + b.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        add_row(s, loop, rows, in->guard, false);
        for (uint32_t k = 0; k < in->nopds; k++)
            add_row(s, loop, rows, px_ir_register(&o[k]), k < in->ndst && o[k].kind == PX_IR_REG);
    }
}

static struct px_loop loop_of(const struct maker *s, const struct px_ir_loop *is)
{
    const struct px_irfn *f = s->e->f;
    const uint32_t p = f->loops.place[is->node], end = p + px_ir_loop_blocks(f, p);
    struct px_loop_row rows[PX_IR_LOOP_ROWS];
    struct px_loop loop = {.head = s->e->pc_of[is->node], .masked = is->masked};
    for (uint32_t k = p; k < end; k++) add_rows(s, &loop, rows, f->loops.order[k]);
    loop.end = s->end_of[f->loops.order[end - 1]];
    /* Lanes that leave behind the last branch are elsewhere already when they look for others. */
    while (loop.end > loop.head + 1 && px_emit_joins(&f->code->conv[loop.end - 1])) loop.end--;
    qsort(rows, loop.nrows, sizeof *rows, by_offset);
    loop.rows = PX_NEW_N(f->coder->keep, struct px_loop_row, loop.nrows);
    for (uint32_t i = 0; i < loop.nrows; i++) loop.rows[i] = rows[i];
    return loop;
}

/* ---- records of loops ---- */

int px_forks_leave(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_JOIN;
}

static int by_pc(const void *pc, const void *whole)
{
    const uint32_t a = *(const uint32_t *)pc, b = ((const struct px_whole *)whole)->pc;
    return (a > b) - (a < b);
}

static px_handler whole_at(const struct px_emitter *e, uint32_t pc)
{
    const struct px_whole *w = e->wholes.n ? bsearch(&pc, e->wholes.at, e->wholes.n, sizeof *w, by_pc) : NULL;
    return w ? w->fn : NULL;
}

/* Records [first, end) of the divergent version, until the next are asked for. */
static struct px_insn *copy_records(struct maker *s, uint32_t first, uint32_t end)
{
    const uint32_t n = end - first;
    if (s->code.cap < n) px_vec_reserve(s->e->f->coder->pass, &s->code, n + n / 2);
    px_pack_read(&s->e->pack, s->e->f->code->conv, first, n, s->code.at);
    return s->code.at;
}

/* Where they will be in px_fcode.div, with one behind them that stops. */
static uint32_t keep_aside(struct maker *s, uint32_t first, uint32_t n, const struct px_insn *code)
{
    struct px_fcode *f = s->e->f->code;
    const uint32_t at = f->ndiv;
    px_pack_aside(&s->e->pack, f->conv, first, n, code);
    f->ndiv += n + 1;
    return at;
}

/* Is the result of this instruction, of the block at place p, nobody else's in the way? */
static bool is_local(const struct maker *s, uint32_t p, const struct px_ir_inst *in)
{
    return px_ir_is_local(s->e->f, s->is_base, in, s->placed[p], s->placed[p + 1]);
}

/* What is fused in the block at place p, of which the record at pc `first` is code[0]. */
static void fuse_block(const struct maker *s, struct px_insn *code, uint32_t first, uint32_t p, uint8_t fuse)
{
    const struct px_irfn *f = s->e->f;
    const struct px_flow_block b = f->graph.blocks[f->loops.order[p]];
    const struct px_ir_inst *group[PX_FUSED_MOST];
    uint32_t n = 0, head = 0;
    for (uint32_t i = 0; i < b.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[b.first + i];
        const uint32_t pc = s->e->pc_at[s->placed[p] + i];
        if (!(in->fuse & fuse) && (!n || s->e->pc_at[s->placed[p] + i + 1] == pc)) continue;
        if (!n) head = pc;
        group[n++] = in;
        if (in->fuse & fuse) continue;
        const bool masked = fuse == PX_IR_FUSE_WAY && !is_local(s, p, in);
        px_fuse_chain(f, group, n, PX_IR_DIVERGENT, masked, &code[head - first]);
        n = 0;
    }
}

static void make_whole(const struct maker *s, uint32_t p, const struct px_loop *loop, struct px_insn *code)
{
    for (uint32_t pc = loop->head; pc < loop->end; pc++) {
        const px_handler fn = whole_at(s->e, pc);
        if (fn) code[pc - loop->head].fn = fn;
    }
    for (uint32_t k = p; k < p + px_ir_loop_blocks(s->e->f, p); k++)
        fuse_block(s, code, loop->head, k, PX_IR_FUSE_LOOP);
}

static void make_code(struct maker *s, uint32_t p, struct px_loop *loop)
{
    struct px_insn *code = copy_records(s, loop->head, loop->end);
    loop->whole = s->e->f->coder->wishes.engine & PX_ENGINE_loops;
    if (loop->whole) make_whole(s, p, loop, code);
    loop->code = keep_aside(s, loop->head, loop->end - loop->head, code);
}

/* ---- records of ways inside loops ---- */

/* The way is the block at place p. */
static void make_way(struct maker *s, uint32_t p, struct px_way *way, uint32_t mask)
{
    const struct px_irfn *f = s->e->f;
    const struct px_flow_block b = f->graph.blocks[f->loops.order[p]];
    struct px_insn *code = copy_records(s, way->first, way->end);
    for (uint32_t i = 0; i < way->end - way->first; i++)
        if (!code[i].m) code[i].m = mask;
    for (uint32_t i = 0; i < b.n; i++) {
        const uint32_t place = s->placed[p] + i;
        if (!is_local(s, p, &f->insts.at[b.first + i])) continue;
        for (uint32_t pc = s->e->pc_at[place]; pc < s->e->pc_at[place + 1] && pc < way->end; pc++)
            if (whole_at(s->e, pc)) code[pc - way->first].fn = whole_at(s->e, pc);
    }
    fuse_block(s, code, way->first, p, PX_IR_FUSE_WAY);
    way->code = keep_aside(s, way->first, way->end - way->first, code);
}

static void make_ways(struct maker *s, const struct px_ir_fork *is, struct px_fork *fork)
{
    const struct px_irfn *f = s->e->f;
    const struct px_ir_inst *last = px_ir_last_of(f, is->node);
    const uint32_t predicate = f->regs.at[px_ir_opds(f, last)->at].row,
                   taken = px_ir_node_at(f, last->target);
    fork->inside = true;
    fork->by_taken = last->fact;
    if (fork->taken.insts) make_way(s, f->loops.place[taken], &fork->taken, fork->by_taken ? 0 : predicate);
    if (fork->other.insts)
        make_way(s, f->loops.place[is->node + 1], &fork->other, fork->by_taken ? predicate : 0);
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

/* ---- all ---- */

void px_forks_make(struct px_emitter *e, const uint32_t *end_of)
{
    struct px_irfn *f = e->f;
    struct px_fcode *code = f->code;
    struct px_arena *pass = f->coder->pass;
    struct maker s = {.e = e, .end_of = end_of};
    s.is_base = px_ir_bases(f, pass);
    s.placed = px_ir_placed(f, pass);
    code->ndiv = code->n;
    code->nforks = f->forks.n;
    code->nloops = f->aside.n;
    code->forks = PX_NEW_N(f->coder->keep, struct px_fork, f->forks.n);
    code->loops = PX_NEW_N(f->coder->keep, struct px_loop, f->aside.n);
    for (uint32_t i = 0; i < f->aside.n; i++) {
        code->loops[i] = loop_of(&s, &f->aside.at[i]);
        make_code(&s, f->loops.place[f->aside.at[i].node], &code->loops[i]);
    }
    for (uint32_t i = 0; i < f->forks.n; i++) {
        code->forks[i] = fork_of(e, &f->forks.at[i], end_of);
        if (f->forks.at[i].inside) make_ways(&s, &f->forks.at[i], &code->forks[i]);
    }
}
