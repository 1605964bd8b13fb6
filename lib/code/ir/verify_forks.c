/*
 * verify_forks.c - do the ways of forks meet, do loops that run aside hold nothing that asks where a lane
 * stands, and is what is fused one piece of which nobody misses a part?
 */
#include "code/ir/verify_own.h"
#include "code/ir/forks.h"
#include "code/ir/fusion.h"
#include "gang/fpmode.h"

static const char *name_of(const struct px_verify *v, uint32_t reg)
{
    return px_ir_reg_name(v->f, reg, px_arena_alloc(v->arena, 24));
}

/* ---- forks ---- */

/* All edges of the kind from the node lead to `to`, and there is one. */
static bool leads_to(const struct px_flow_lists *edges, uint32_t node, uint32_t to)
{
    bool does = edges->first[node] < edges->first[node + 1];
    for (uint32_t k = edges->first[node]; k < edges->first[node + 1]; k++) does &= edges->to[k] == to;
    return does;
}

static void look_at_way(struct px_verify *v, const struct px_ir_fork *fork, uint32_t way)
{
    const struct px_irfn *f = v->f;
    const uint32_t *place = f->loops.place;
    if (way >= f->graph.nblocks || !leads_to(&f->graph.pred, way, fork->node) ||
        !leads_to(&f->graph.succ, way, fork->join) || place[way] <= place[fork->node] ||
        place[way] >= place[fork->join]) {
        px_verify_wrong(v, NULL, "block %u is no way of the fork of block %u", way, fork->node);
        return;
    }
    const struct px_flow_block b = f->graph.blocks[way];
    for (uint32_t i = b.first; i < b.first + b.n; i++)
        if (!px_ir_is_straight(&f->insts.at[i]) && f->insts.at[i].op != PX_IR_JUMP)
            px_verify_wrong(v, &f->insts.at[i], "a way of the fork of block %u is not straight", fork->node);
}

/* The ways only compute, and none writes the row of the branch's predicate. */
static void look_inside(struct px_verify *v, const struct px_ir_fork *fork, const struct px_ir_inst *branch,
                        uint32_t way)
{
    const struct px_irfn *f = v->f;
    const struct px_ir_opd *p = px_ir_opds(f, branch);
    const struct px_flow_block b = f->graph.blocks[way];
    if (p->kind != PX_IR_REG) px_verify_wrong(v, branch, "the ways of a fork are masked by no row");
    for (uint32_t i = b.first; i < b.first + b.n && !v->why; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        if (!px_ir_computes(in) && in->op != PX_IR_JUMP)
            px_verify_wrong(v, in, "a way inside a loop does more than compute");
        for (uint32_t k = 0; k < in->ndst; k++)
            if (o[k].kind == PX_IR_REG && f->regs.at[o[k].at].row == f->regs.at[p->at].row)
                px_verify_wrong(v, in, "a way writes the row that says who goes the ways of block %u",
                                fork->node);
    }
}

static bool is_aside(const struct px_irfn *f, uint32_t node)
{
    for (uint32_t i = 0; i < f->aside.n; i++) {
        const uint32_t head = f->loops.place[f->aside.at[i].node];
        if (f->loops.place[node] - head < px_ir_loop_blocks(f, head)) return true;
    }
    return false;
}

static void look_at_fork(struct px_verify *v, const struct px_ir_fork *fork)
{
    const struct px_irfn *f = v->f;
    const struct px_ir_inst *branch = fork->node < f->graph.nblocks ? px_ir_last_of(f, fork->node) : NULL;
    const struct px_flow_lists *succ = &f->graph.succ;
    if (!branch || branch->op != PX_IR_BRANCH || branch->guard != PX_NONE32 ||
        succ->first[fork->node + 1] - succ->first[fork->node] != 2) {
        px_verify_wrong(v, branch, "block %u ends in no branch of two ways", fork->node);
        return;
    }
    if (fork->join >= f->graph.nblocks || f->loops.place[fork->join] <= f->loops.place[fork->node]) {
        px_verify_wrong(v, branch, "the ways of the fork of block %u meet nowhere behind it", fork->node);
        return;
    }
    if (fork->inside && !is_aside(f, fork->node))
        px_verify_wrong(v, branch, "the fork of block %u is inside no loop that runs aside", fork->node);
    for (uint32_t k = succ->first[fork->node]; k < succ->first[fork->node + 1] && !v->why; k++) {
        if (succ->to[k] == fork->join) continue;
        look_at_way(v, fork, succ->to[k]);
        if (fork->inside && !v->why) look_inside(v, fork, branch, succ->to[k]);
    }
}

void px_verify_forks(struct px_verify *v)
{
    for (uint32_t i = 0; i < v->f->forks.n && !v->why; i++) look_at_fork(v, &v->f->forks.at[i]);
}

/* ---- loops ---- */

static void look_at_loop_inst(struct px_verify *v, const struct px_ir_inst *in, const struct px_ir_loop *loop)
{
    const struct px_ir_opd *o = px_ir_opds(v->f, in);
    if (px_ir_branches(in)) return;
    if (!px_ir_is_straight(in) || in->op == PX_IR_SREG ||
        (px_ir_flags(in->op) & PX_OPERATION_reads && px_ir_flags(in->op) & PX_OPERATION_writes))
        px_verify_wrong(v, in, "it looks at lanes, in a loop that runs aside");
    for (uint32_t k = 0; k < in->nopds; k++)
        if (o[k].kind == PX_IR_ADDRESS && o[k].type == PX_SPACE_LOCAL && !px_ir_is_indexed(v->f, &o[k]))
            px_verify_wrong(v, in, "one place of local memory is named in a loop that runs aside");
    if (!loop->masked && !px_ir_computes(in)) px_verify_wrong(v, in, "it needs a mask, in a loop without");
}

static void look_at_loop(struct px_verify *v, const struct px_ir_loop *loop)
{
    const struct px_irfn *f = v->f;
    const bool is = loop->node < f->graph.nblocks && f->loops.place[loop->node] != PX_FLOW_NONE;
    const uint32_t p = is ? f->loops.place[loop->node] : 0, n = is ? px_ir_loop_blocks(f, p) : 0;
    if (!n) px_verify_wrong(v, NULL, "block %u heads no loop", loop->node);
    for (uint32_t k = p; k < p + n && !v->why; k++) {
        const uint32_t node = f->loops.order[k];
        if (node >= f->graph.nblocks || (k > p && px_ir_loop_blocks(f, k))) {
            px_verify_wrong(v, NULL, "the loop of block %u holds another one", loop->node);
            return;
        }
        const struct px_flow_block b = f->graph.blocks[node];
        for (uint32_t i = b.first; i < b.first + b.n; i++) look_at_loop_inst(v, &f->insts.at[i], loop);
    }
}

void px_verify_loops(struct px_verify *v)
{
    for (uint32_t i = 0; i < v->f->aside.n && !v->why; i++) look_at_loop(v, &v->f->aside.at[i]);
    if (!v->why) px_verify_forks(v); /* what is inside is known now */
}

/* ---- what is fused ---- */

struct group {
    struct px_verify *v;
    uint8_t fuse; /* the version */
    const struct px_ir_inst *in[PX_FUSED_MOST];
    uint32_t place[PX_FUSED_MOST], n;
    const bool *is_base;
};

/* What member k computes is read once, by a later one, and by nobody behind that. */
static void look_at_passed(const struct group *g, uint32_t k, uint32_t reader)
{
    const struct px_irfn *f = g->v->f;
    const struct px_ir_inst *in = g->in[reader];
    const struct px_ir_opd *o = px_ir_opds(f, in), *d = px_ir_opds(f, g->in[k]);
    const struct px_ir_reg *r = &f->regs.at[d->at];
    const uint32_t end = g->place[reader] * PX_IR_STEP + (px_ir_in_place(in) ? 0 : 2);
    uint32_t reads = 0;
    for (uint32_t i = in->ndst; i < in->nopds; i++) reads += px_ir_register(&o[i]) == d->at;
    if (reads != 1)
        px_verify_wrong(g->v, in, "it does not read %s once, with which it is fused", name_of(g->v, d->at));
    if (r->temp || r->last > end || g->is_base[d->at] ||
        (g->fuse == PX_IR_FUSE_TOGETHER && (r->keep != PX_IR_ROW || r->survey)))
        px_verify_wrong(g->v, in, "%s is missed behind it, but never written", name_of(g->v, d->at));
}

static bool is_statement(const struct px_ir_inst *in)
{
    return px_ir_kind_of(in->op) == PX_IR_STATEMENT;
}

static void look_at_chain(const struct group *g)
{
    const struct px_irfn *f = g->v->f;
    const enum px_ir_version version = g->fuse == PX_IR_FUSE_TOGETHER ? PX_IR_CONVERGENT : PX_IR_DIVERGENT;
    struct px_ir_chain chain = {.n = 0};
    for (uint32_t k = 0; k < g->n; k++)
        px_ir_chain_add(f, &chain, g->in[k], k ? px_ir_opds(f, g->in[k - 1])->at : PX_NONE32, version);
    if (!px_ir_chain_row(f->coder->level, &chain))
        px_verify_wrong(g->v, g->in[g->n - 1], "no handler does it together with those before it");
    for (uint32_t k = 0; k + 1 < g->n; k++) look_at_passed(g, k, k + 1);
}

/* Product and sum of a gather, which only the load looks at, and that through the sum. */
static void look_at_gather(const struct group *g)
{
    const struct px_irfn *f = g->v->f;
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t reg = px_ir_opds(f, g->in[k])->at;
        if (f->regs.at[reg].last > g->place[2] * PX_IR_STEP + 2)
            px_verify_wrong(g->v, g->in[2], "%s is missed behind it, but never written", name_of(g->v, reg));
    }
}

static void look_at_others(const struct group *g)
{
    const struct px_irfn *f = g->v->f;
    const struct px_ir_inst *access = px_ir_loads(g->in[0]) ? g->in[0] : g->in[g->n - 1];
    const bool three = g->n == 3;
    const uint32_t bytes = px_ir_opds(f, access)[access->ndst].elem;
    if (g->fuse != PX_IR_FUSE_TOGETHER || g->n > 3 ||
        px_ir_fused_fixed(three ? g->in[0] : NULL, g->in[three], g->in[g->n - 1], bytes) == PX_FIX_COUNT)
        px_verify_wrong(g->v, g->in[g->n - 1], "no handler does it together with those before it");
    else if (!three)
        look_at_passed(g, 0, 1);
    else if (access != g->in[0])
        look_at_gather(g);
    else
        look_at_passed(g, 0, 2), look_at_passed(g, 1, 2);
}

static void look_at_group(const struct group *g)
{
    bool statements = true;
    for (uint32_t k = 0; k < g->n; k++) statements &= is_statement(g->in[k]);
    if (statements)
        look_at_chain(g);
    else
        look_at_others(g);
}

/* One instruction more: it begins what is fused, goes on with it, or ends it. */
static void add_inst(struct group *g, const struct px_ir_inst *in, uint32_t place, bool other_mode)
{
    const enum px_ir_size size = px_ir_size_of(g->v->f, in);
    if (size == PX_IR_NO_RECORD && !(in->fuse & g->fuse)) return;
    if (!g->n && !(in->fuse & g->fuse)) return;
    if (g->n == PX_FUSED_MOST || size == PX_IR_MORE || size == PX_IR_NO_RECORD || (g->n && other_mode)) {
        px_verify_wrong(g->v, in, "it cannot be fused with what is before it");
        return;
    }
    g->in[g->n] = in;
    g->place[g->n++] = place;
    if (in->fuse & g->fuse) return;
    look_at_group(g);
    g->n = 0;
}

static void look_at_version(struct px_verify *v, uint8_t fuse, const bool *is_base)
{
    const struct px_irfn *f = v->f;
    const uint32_t *placed = px_ir_placed(f, v->arena);
    for (uint32_t p = 0; p < f->loops.n; p++) {
        const uint32_t node = f->loops.order[p];
        struct group g = {.v = v, .fuse = fuse, .is_base = is_base};
        uint32_t mode = PX_FP_HOME;
        if (node >= f->graph.nblocks) continue;
        const struct px_flow_block b = f->graph.blocks[node];
        for (uint32_t i = 0; i < b.n && !v->why; i++) {
            const struct px_ir_inst *in = &f->insts.at[b.first + i];
            add_inst(&g, in, placed[p] + i, px_ir_mode(mode, in) != mode);
            mode = px_ir_mode(mode, in);
        }
        if (g.n) px_verify_wrong(v, g.in[g.n - 1], "it is fused with nothing behind it");
    }
}

void px_verify_fused(struct px_verify *v)
{
    const bool *is_base = px_ir_bases(v->f, v->arena);
    look_at_version(v, PX_IR_FUSE_TOGETHER, is_base);
    look_at_version(v, PX_IR_FUSE_LOOP, is_base);
    look_at_version(v, PX_IR_FUSE_WAY, is_base);
}
