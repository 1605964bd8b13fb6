/*
 * forks.c - short branches whose ways meet at once, and innermost loops without anything that depends on
 * where a lane stands: what vm/run/forks.c runs without dividing entries.
 *
 * Both are found in the layout. A fork is a block that ends in a branch, followed by one block that only it
 * leads to, or two, and then by the block where all lanes are together again. A loop is an innermost one of
 * blocks that compute, load and store, and nothing else. Its own records are those of the divergent version,
 * but write whole rows where they need not be masked, and do two statements at once where fuse.c knows how.
 */
#include "code/emit/forks.h"
#include <stdlib.h>

enum { ARM_MOST = 64, ROWS_MOST = 48 };

/* What is made while loops are looked for. */
struct finder {
    struct px_emitter *e;
    const uint32_t *end_of;
    bool *is_base; /* by register: what convergent code adds to its row may matter when it does not itself */
    uint32_t *placed;            /* by place in the order: instructions before it */
    PX_VEC(struct px_insn) code; /* of a loop or way, until it is packed */
};

static const struct px_ir_inst *last_of(const struct px_irfn *f, uint32_t node)
{
    const struct px_flow_block b = f->graph.blocks[node];
    return b.n ? &f->insts.at[b.first + b.n - 1] : NULL;
}

static bool is_branch(const struct px_ir_inst *in)
{
    return in->op == PX_IR_BRANCH || in->op == PX_IR_JUMP;
}

static uint32_t node_at(const struct px_irfn *f, uint32_t label)
{
    return f->graph.node_of[f->labels.at[label]];
}

/* Do its records do no more than go on to the next one, or trap? */
static bool is_straight(const struct px_ir_inst *in)
{
    switch (px_ir_kind_of(in->op)) {
    case PX_IR_STATEMENT:
    case PX_IR_FIXED: return true;
    case PX_IR_OWN:
        return in->op == PX_IR_NOTHING || in->op == PX_IR_COPY || in->op == PX_IR_CANON ||
               in->op == PX_IR_SREG || in->op == PX_IR_UNIT;
    default: return px_ir_flags(in->op) & PX_OPF_straight;
    }
}

/* The same, and it does not matter which lanes run it, nor whether it is tried again after it could not be
 * done. */
static bool is_placeless(const struct px_irfn *f, const struct px_ir_inst *in)
{
    const bool load = px_ir_flags(in->op) & PX_OPF_reads, store = px_ir_flags(in->op) & PX_OPF_writes;
    if (!is_straight(in) || in->op == PX_IR_SREG || (load && store)) return false;
    if (!load && !store) return true;
    return in->nopds == 2 && px_ir_opds(f, in)[load].type != PX_SPACE_LOCAL;
}

/* It looks at no lanes. */
static bool computes(const struct px_ir_inst *in)
{
    return is_straight(in) && px_ir_kind_of(in->op) != PX_IR_TABLE && in->op != PX_IR_SREG &&
           in->guard == PX_NONE32;
}

/* ---- forks ---- */

/* The block behind `node` in its way through a fork; PX_NONE32 when it is no such way. */
static uint32_t way_out(const struct px_irfn *f, uint32_t node, uint32_t from)
{
    const struct px_flow_block b = f->graph.blocks[node];
    const struct px_flow_lists *pred = &f->graph.pred;
    if (pred->first[node + 1] - pred->first[node] != 1 || pred->to[pred->first[node]] != from)
        return PX_NONE32;
    if (!b.n || b.n > ARM_MOST) return PX_NONE32;
    for (uint32_t i = b.first; i + 1 < b.first + b.n; i++)
        if (!is_straight(&f->insts.at[i])) return PX_NONE32;
    const struct px_ir_inst *last = last_of(f, node);
    if (last->op == PX_IR_JUMP) return last->guard == PX_NONE32 ? node_at(f, last->target) : PX_NONE32;
    return is_straight(last) && node + 1 < f->graph.nblocks ? node + 1 : PX_NONE32;
}

static bool goes_at(const struct px_emitter *e, uint32_t pc)
{
    const struct px_insn div = px_emit_div(e, pc);
    return px_emit_goes(&div);
}

static bool joins_at(const struct px_emitter *e, uint32_t pc)
{
    const struct px_insn div = px_emit_div(e, pc);
    return px_emit_joins(&div);
}

/* The records of a block without the jump, or the look for others, at their end. */
static struct px_way way_of(const struct px_emitter *e, uint32_t node, const uint32_t *end_of)
{
    uint32_t first = e->pc_of[node], end = end_of[node];
    const uint32_t before = first ? px_emit_div(e, first - 1).ord : 0,
                   insts = px_emit_div(e, end - 1).ord - before;
    while (end > first && goes_at(e, end - 1)) end--;
    return (struct px_way){first, end, insts, 0};
}

static bool find_fork(const struct px_emitter *e, uint32_t p, const uint32_t *end_of, struct px_fork *fork)
{
    const struct px_irfn *f = e->f;
    const uint32_t node = f->loops.order[p], *place = f->loops.place;
    if (node >= f->graph.nblocks) return false;
    const struct px_ir_inst *last = last_of(f, node);
    if (!last || last->op != PX_IR_BRANCH || last->guard != PX_NONE32) return false;
    const uint32_t taken = node_at(f, last->target), other = node + 1;
    if (taken == other || other >= f->graph.nblocks || taken >= f->graph.nblocks) return false;
    const uint32_t after = way_out(f, other, node), behind = way_out(f, taken, node);
    uint32_t join;
    if (after == taken && after != PX_NONE32)
        join = taken;
    else if (behind == other && behind != PX_NONE32)
        join = other;
    else if (after != PX_NONE32 && after == behind)
        join = after;
    else
        return false;
    if (join >= f->graph.nblocks || place[join] <= p) return false;
    fork->join = e->pc_of[join];
    if (join != other) fork->other = way_of(e, other, end_of);
    if (join != taken) fork->taken = way_of(e, taken, end_of);
    return fork->join >= fork->other.end && fork->join >= fork->taken.end;
}

/* The record of a block's branch: a jump to the next block may stand behind it. */
static uint32_t branch_at(const struct px_emitter *e, uint32_t node, const uint32_t *end_of)
{
    const uint32_t pc = end_of[node] - 1;
    return pc > e->pc_of[node] && goes_at(e, pc) ? pc - 1 : pc;
}

/* ---- loops ---- */

uint32_t px_forks_blocks(const struct px_irfn *f, uint32_t p)
{
    const uint32_t node = f->loops.order[p], n = f->loops.size[node];
    if (n > 1) return n;
    const struct px_ir_inst *last = node < f->graph.nblocks ? last_of(f, node) : NULL;
    return last && is_branch(last) && node_at(f, last->target) == node; /* a block may branch to itself */
}

static int by_offset(const void *a, const void *b)
{
    const struct px_loop_row *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Where what the register holds matters, as the records of kept registers say it (emit.c). */
static struct px_loop_row row_of(const struct finder *s, uint32_t reg)
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

static bool add_row(const struct finder *s, struct px_loop *loop, struct px_loop_row *rows, uint32_t reg,
                    bool written)
{
    const struct px_ir_reg *r = &s->e->f->regs.at[reg];
    uint32_t i = 0;
    if (r->temp || r->row == PX_NONE32) return true;
    const struct px_loop_row row = row_of(s, reg);
    while (i < loop->nrows && rows[i].at != r->row) i++;
    if (i == ROWS_MOST) return false;
    if (i == loop->nrows) rows[loop->nrows++] = row;
    if (row.first_pc < rows[i].first_pc) rows[i].first_pc = row.first_pc; /* registers that share a row */
    if (row.last_pc > rows[i].last_pc) rows[i].last_pc = row.last_pc;
    rows[i].written |= written;
    return true;
}

static bool add_rows(const struct finder *s, struct px_loop *loop, struct px_loop_row *rows,
                     const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(s->e->f, in);
    bool ok = in->guard == PX_NONE32 || add_row(s, loop, rows, in->guard, false);
    for (uint32_t k = 0; k < in->nopds && ok; k++) {
        const uint32_t reg = px_ir_register(&o[k]);
        if (reg != PX_NONE32) ok = add_row(s, loop, rows, reg, k < in->ndst && o[k].kind == PX_IR_REG);
    }
    return ok;
}

/* Is the loop at place p one that can be run by fewer lanes than the gang has? */
static bool find_loop(const struct finder *s, uint32_t p, struct px_loop *loop)
{
    const struct px_emitter *e = s->e;
    const struct px_irfn *f = e->f;
    const uint32_t n = px_forks_blocks(f, p);
    struct px_loop_row rows[ROWS_MOST];
    if (!n) return false;
    *loop = (struct px_loop){.head = e->pc_of[f->loops.order[p]]};
    for (uint32_t k = p; k < p + n; k++) {
        const uint32_t node = f->loops.order[k];
        if (node >= f->graph.nblocks || (k > p && f->loops.size[node] > 1)) return false;
        const struct px_flow_block b = f->graph.blocks[node];
        for (uint32_t i = b.first; i < b.first + b.n; i++) {
            const struct px_ir_inst *in = &f->insts.at[i];
            if (!is_branch(in) && !is_placeless(f, in)) return false;
            if (!add_rows(s, loop, rows, in)) return false;
        }
        loop->end = s->end_of[node];
    }
    /* Lanes that leave behind the last branch are elsewhere already when they look for others. */
    while (loop->end > loop->head + 1 && joins_at(e, loop->end - 1)) loop->end--;
    qsort(rows, loop->nrows, sizeof *rows, by_offset);
    loop->rows = PX_NEW_N(f->coder->keep, struct px_loop_row, loop->nrows);
    for (uint32_t i = 0; i < loop->nrows; i++) loop->rows[i] = rows[i];
    return true;
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
static struct px_insn *copy_records(struct finder *s, uint32_t first, uint32_t end)
{
    const uint32_t n = end - first;
    if (s->code.cap < n) px_vec_reserve(s->e->f->coder->pass, &s->code, n + n / 2);
    px_emit_unpack(s->e, first, n, s->code.at);
    return s->code.at;
}

/* Records of the block at place p of the order, of which the one at pc `first` is code[0]. */
static void fuse_block(const struct finder *s, struct px_insn *code, uint32_t first, uint32_t p)
{
    const struct px_emitter *e = s->e;
    const struct px_irfn *f = e->f;
    const struct px_flow_block b = f->graph.blocks[f->loops.order[p]];
    const struct px_ir_inst *before = NULL;
    uint32_t last = 0, head = 0;
    if (!(f->coder->wishes.engine & PX_ENGINE_fusion)) return;
    for (uint32_t i = 0; i < b.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[b.first + i];
        const uint32_t place = s->placed[p] + i, pc = e->pc_at[place], n = e->pc_at[place + 1] - pc;
        if (!n) continue;
        const bool one = n == 1 && px_ir_kind_of(in->op) == PX_IR_STATEMENT;
        if (one && before && last + 1 == pc) {
            const struct px_ir_opd *d = px_ir_opds(f, before);
            if (d->kind != PX_IR_REG || s->is_base[d->at] || !px_fuse_dies(f, d, in, place) ||
                !px_fuse_next(f->coder->level, &code[head - first], pc - head))
                head = pc;
        } else {
            head = pc;
        }
        before = one ? in : NULL;
        last = pc;
    }
}

static void make_whole(const struct finder *s, uint32_t p, struct px_loop *loop, struct px_insn *code)
{
    const struct px_emitter *e = s->e;
    const struct px_irfn *f = e->f;
    for (uint32_t pc = loop->head; pc < loop->end; pc++) {
        const px_handler fn = whole_at(e, pc);
        if (fn) code[pc - loop->head].fn = fn;
    }
    for (uint32_t k = p; k < p + px_forks_blocks(f, p); k++) {
        const struct px_flow_block b = f->graph.blocks[f->loops.order[k]];
        for (uint32_t i = b.first; i < b.first + b.n; i++)
            loop->masked |= !computes(&f->insts.at[i]) && !is_branch(&f->insts.at[i]);
        fuse_block(s, code, loop->head, k);
    }
}

static void make_code(struct finder *s, uint32_t p, struct px_loop *loop)
{
    struct px_insn *code = copy_records(s, loop->head, loop->end);
    loop->whole = s->e->f->coder->wishes.engine & PX_ENGINE_loops;
    loop->masked = !loop->whole;
    if (loop->whole) make_whole(s, p, loop, code);
    loop->code = px_emit_aside(s->e, loop->head, loop->end - loop->head, code);
}

/* ---- records of ways inside loops ---- */

/* Nobody but the lanes of the way has anything in the row of what the instruction writes. */
static bool is_local(const struct finder *s, const struct px_way *way, const struct px_ir_inst *in)
{
    const struct px_ir_opd *d = px_ir_opds(s->e->f, in);
    if (in->ndst != 1 || d->kind != PX_IR_REG || s->e->f->regs.at[d->at].temp) return false;
    const struct px_loop_row row = row_of(s, d->at);
    return row.first_pc >= way->first && row.last_pc < way->end;
}

/* The way is the block at place p. False: it does not only compute, or writes the row that says who goes it.
 */
static bool make_way(struct finder *s, uint32_t p, struct px_way *way, uint32_t predicate, uint32_t mask)
{
    struct px_emitter *e = s->e;
    const struct px_irfn *f = e->f;
    const struct px_flow_block b = f->graph.blocks[f->loops.order[p]];
    struct px_insn *code = copy_records(s, way->first, way->end);
    for (uint32_t pc = way->first; pc < way->end; pc++) {
        struct px_insn *r = &code[pc - way->first];
        if (r->d == predicate || r->e == predicate || r->x[0] == predicate) return false;
        if (!r->m) r->m = mask;
    }
    for (uint32_t i = 0; i < b.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[b.first + i];
        const uint32_t place = s->placed[p] + i;
        if (!computes(in) && in->op != PX_IR_JUMP) return false;
        if (!computes(in) || !is_local(s, way, in)) continue;
        for (uint32_t pc = e->pc_at[place]; pc < e->pc_at[place + 1] && pc < way->end; pc++)
            if (whole_at(e, pc)) code[pc - way->first].fn = whole_at(e, pc);
    }
    fuse_block(s, code, way->first, p);
    way->code = px_emit_aside(e, way->first, way->end - way->first, code);
    return true;
}

/* `node` is the block with the branch. */
static void make_ways(struct finder *s, uint32_t node, struct px_fork *fork)
{
    const struct px_irfn *f = s->e->f;
    const struct px_ir_inst *last = last_of(f, node);
    const uint32_t predicate = px_emit_div(s->e, fork->at).a, taken = node_at(f, last->target);
    fork->by_taken = last->fact;
    fork->inside = (!fork->taken.insts || make_way(s, f->loops.place[taken], &fork->taken, predicate,
                                                   fork->by_taken ? 0 : predicate)) &&
                   (!fork->other.insts || make_way(s, f->loops.place[node + 1], &fork->other, predicate,
                                                   fork->by_taken ? predicate : 0));
}

/* Both lie in the order of the code. */
void px_forks_name(const struct px_fcode *code, struct px_insn *div)
{
    uint32_t i = 0;
    for (const struct px_loop *loop = code->loops; loop < code->loops + code->nloops; loop++) {
        while (i < code->nforks && code->forks[i].at < loop->head) i++;
        for (; i < code->nforks && code->forks[i].at < loop->end; i++)
            div[loop->code + code->forks[i].at - loop->head].x[0] = i + 1;
    }
}

/* ---- all ---- */

static void begin(struct finder *s, struct px_emitter *e, const uint32_t *end_of)
{
    const struct px_irfn *f = e->f;
    uint32_t placed = 0;
    *s = (struct finder){e, end_of, PX_NEW_N(f->coder->pass, bool, f->regs.n + 1),
                         PX_NEW_N(f->coder->pass, uint32_t, f->loops.n + 1)};
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (f->regs.at[r].keep == PX_IR_OFFSET) s->is_base[f->regs.at[r].base] = true;
    for (uint32_t p = 0; p < f->loops.n; p++) {
        s->placed[p] = placed;
        if (f->loops.order[p] < f->graph.nblocks) placed += f->graph.blocks[f->loops.order[p]].n;
    }
}

void px_forks_find(struct px_emitter *e, const uint32_t *end_of)
{
    struct px_irfn *f = e->f;
    struct px_fcode *code = f->code;
    const uint32_t engine = f->coder->wishes.engine;
    struct finder s;
    uint32_t inside = 0; /* places up to this one are of the last loop */
    PX_VEC(struct px_fork) forks = {0};
    PX_VEC(struct px_loop) loops = {0};
    begin(&s, e, end_of);
    code->ndiv = code->n;
    for (uint32_t p = 0; p < f->loops.n; p++) {
        struct px_fork fork = {0};
        struct px_loop loop;
        const uint32_t node = f->loops.order[p];
        if (node >= f->graph.nblocks || end_of[node] == e->pc_of[node]) continue;
        if (engine & PX_ENGINE_narrow && find_loop(&s, p, &loop)) {
            make_code(&s, p, &loop);
            px_vec_push(f->coder->pass, &loops, loop);
            inside = p + px_forks_blocks(f, p);
        }
        if (!(engine & PX_ENGINE_forks) || !find_fork(e, p, end_of, &fork)) continue;
        fork.at = branch_at(e, node, end_of);
        if (p < inside && engine & PX_ENGINE_loops) make_ways(&s, node, &fork);
        px_vec_push(f->coder->pass, &forks, fork);
    }
    code->nforks = forks.n;
    code->nloops = loops.n;
    px_vec_move(f->coder->keep, f->coder->pass, &forks);
    px_vec_move(f->coder->keep, f->coder->pass, &loops);
    code->forks = forks.at;
    code->loops = loops.at;
}
