/*
 * values.c - which registers convergent code keeps as scalars.
 *
 * PX_IR_SCALAR: every definition is unguarded and computes from scalars alone, so all lanes that are together
 * hold one value; convergent code computes it once. PX_IR_OFFSET: an address that is the row of another
 * register (or what its own row was when it was last written whole) plus a scalar, which loops step;
 * convergent code changes the scalar alone. Rows that addresses are made of get a survey (px_survey).
 *
 * Whether lanes that have met again agree is tested when it happens (vm/run/kept.c), so a wrong guess here
 * costs time, not truth. The guess: a register that is written between a branch by rows and the place where
 * its ways meet again, and is read behind that place, differs by lane.
 */
#include "code/ir/terms.h"
#include "code/ir/facts.h"
#include "flow/dominators.h"

struct values {
    struct px_irfn *f;
    struct px_flow_lists defs, uses; /* by register: instructions */
    struct px_flow_lists exposed;    /* by register: blocks that read it before they write it */
    struct px_flow_tree up;          /* post-dominators */
    uint32_t *work, nwork;           /* registers that turned out to be rows */
    uint32_t *seen, stamp;           /* by node: the branch whose ways it lies on */
    uint32_t *written;               /* by register: the same */
    uint64_t budget;                 /* of looking around branches */
    bool *is_base;                   /* by register: another one's offset is added to its row */
    uint8_t *about;                  /* by instruction: what would else be looked up in it, at random */
    PX_VEC(uint32_t) ways;           /* nodes between a branch and the place where its ways meet */
};

static bool is_candidate(const struct px_ir_reg *r)
{
    return r->elem <= 8 && r->type != PX_T_NONE;
}

static void make_row(struct values *v, uint32_t reg)
{
    struct px_ir_reg *r = &v->f->regs.at[reg];
    if (r->keep == PX_IR_ROW) return;
    r->keep = PX_IR_ROW;
    v->work[v->nwork++] = reg;
}

enum { RESULTS_ARE_ROWS = 1, IS_BRANCH = 2 };

static void results_are_rows(struct values *v, uint32_t i)
{
    if (v->about[i] & RESULTS_ARE_ROWS) return;
    v->about[i] |= RESULTS_ARE_ROWS;
    const struct px_ir_inst *in = &v->f->insts.at[i];
    const struct px_ir_opd *o = px_ir_opds(v->f, in);
    for (uint32_t k = 0; k < in->ndst; k++)
        if (o[k].kind == PX_IR_REG) make_row(v, o[k].at);
}

/* ---- one instruction ---- */

/* Can the operation be done for one value? */
static bool can_be_alone(const struct px_irfn *f, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    if (in->guard != PX_NONE32 || !in->ndst) return false;
    switch (px_ir_kind_of(in->op)) {
    case PX_IR_STATEMENT:
    case PX_IR_FIXED: return px_emit_has_alone(f, in->op);
    case PX_IR_TABLE: return px_ir_flags(in->op) & PX_OPERATION_alone && o[in->ndst].type != PX_SPACE_LOCAL;
    default: return (in->op == PX_IR_COPY && o[1].elem <= 8) || in->op == PX_IR_CANON;
    }
}

/* Operations that take a scalar, or spread it, wherever a register stands. */
static bool takes_scalars(const struct px_ir_inst *in)
{
    switch (px_ir_kind_of(in->op)) {
    case PX_IR_STATEMENT:
    case PX_IR_FIXED: return true;
    case PX_IR_TABLE: return px_ir_flags(in->op) & PX_OPERATION_straight;
    default:
        return in->op == PX_IR_COPY || in->op == PX_IR_CANON || in->op == PX_IR_BRANCH ||
               in->op == PX_IR_UNIT;
    }
}

static bool is_scalar(const struct px_irfn *f, const struct px_ir_opd *o)
{
    uint32_t reg = px_ir_register(o);
    return reg == PX_NONE32 || f->regs.at[reg].keep == PX_IR_SCALAR;
}

/* ---- lists ---- */

/* Counts what goes into the lists, or adds it. `named`: by register, block + 1 that has read or written it.
 */
static void list_inst(struct values *v, uint32_t i, uint32_t *named, bool counting)
{
    const struct px_ir_inst *in = &v->f->insts.at[i];
    const struct px_ir_opd *o = px_ir_opds(v->f, in);
    const uint32_t block = v->f->graph.node_of[i];
    for (uint32_t k = in->nopds; k-- > 0;) { /* sources first */
        const uint32_t reg = px_ir_register(&o[k]);
        if (reg == PX_NONE32) continue;
        struct px_flow_lists *list = k < in->ndst ? &v->defs : &v->uses;
        const bool exposed = k >= in->ndst && named[reg] != block + 1;
        named[reg] = block + 1;
        if (counting) {
            px_flow_lists_count(list, reg);
            if (exposed) px_flow_lists_count(&v->exposed, reg);
        } else {
            px_flow_lists_add(list, reg, i);
            if (exposed) px_flow_lists_add(&v->exposed, reg, block);
        }
    }
}

static void list(struct values *v)
{
    const struct px_irfn *f = v->f;
    struct px_arena *a = f->coder->pass;
    struct px_flow_lists *lists[] = {&v->defs, &v->uses, &v->exposed};
    uint32_t *named = PX_NEW_N(a, uint32_t, f->regs.n + 1);
    for (unsigned k = 0; k < 3; k++) *lists[k] = px_flow_lists_begin(a, f->regs.n);
    for (uint32_t i = 0; i < f->insts.n; i++) list_inst(v, i, named, true);
    for (unsigned k = 0; k < 3; k++) px_flow_lists_place(lists[k], a, f->regs.n);
    memset(named, 0, f->regs.n * sizeof *named);
    for (uint32_t i = 0; i < f->insts.n; i++) list_inst(v, i, named, false);
}

/* ---- branches by rows ---- */

/* Is the register read at the beginning of a block that is not on the ways? */
static bool is_read_behind(struct values *v, uint32_t reg)
{
    for (uint32_t k = v->exposed.first[reg]; k < v->exposed.first[reg + 1]; k++, v->budget -= !!v->budget)
        if (v->seen[v->exposed.to[k]] != v->stamp) return true;
    return false;
}

static void written_on_the_way(struct values *v, uint32_t node)
{
    const struct px_irfn *f = v->f;
    const struct px_flow_block b = f->graph.blocks[node];
    for (uint32_t i = b.first; i < b.first + b.n; i++, v->budget -= !!v->budget) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        for (uint32_t k = 0; k < in->ndst; k++) {
            uint32_t reg = px_ir_register(&o[k]);
            if (reg == PX_NONE32 || v->written[reg] == v->stamp) continue;
            v->written[reg] = v->stamp;
            if (f->regs.at[reg].keep != PX_IR_ROW && is_read_behind(v, reg)) make_row(v, reg);
        }
    }
}

/* Lanes go different ways behind block `from`: what they write until they meet again differs by lane. */
static void ways_part(struct values *v, uint32_t from)
{
    const struct px_irfn *f = v->f;
    const struct px_flow_lists *succ = &f->graph.succ;
    uint32_t until = v->up.size[from] ? v->up.up[from] : PX_NONE32, at = 0;
    v->stamp++;
    v->ways.n = 0;
    if (until != PX_NONE32) v->seen[until] = 0;
    for (uint32_t node = from;; node = v->ways.at[at++]) {
        for (uint32_t k = succ->first[node]; k < succ->first[node + 1]; k++) {
            uint32_t to = succ->to[k];
            if (to == until || v->seen[to] == v->stamp || to >= f->graph.nblocks) continue;
            v->seen[to] = v->stamp;
            px_vec_push(f->coder->pass, &v->ways, to);
            v->budget -= !!v->budget;
        }
        if (at == v->ways.n || !v->budget) break;
    }
    for (uint32_t i = 0; i < v->ways.n && v->budget; i++) written_on_the_way(v, v->ways.at[i]);
}

/* ---- scalars ---- */

/* Everything that might be one, until something speaks against it. */
static void hope(struct values *v)
{
    struct px_irfn *f = v->f;
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (is_candidate(&f->regs.at[r]) && f->regs.at[r].keep == PX_IR_ROW &&
            v->defs.first[r] < v->defs.first[r + 1])
            f->regs.at[r].keep = PX_IR_SCALAR;
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        const bool takes = takes_scalars(in);
        if (in->op == PX_IR_BRANCH) v->about[i] |= IS_BRANCH;
        if (in->guard != PX_NONE32) make_row(v, in->guard);
        const bool terms = px_terms_alone(f, in);
        if (!can_be_alone(f, in) && !(terms && in->op == PX_IR_SREG)) results_are_rows(v, i);
        for (uint32_t k = in->ndst; k < in->nopds; k++) {
            const uint32_t reg = px_ir_register(&o[k]);
            if (reg == PX_NONE32) continue;
            const bool lanes = f->regs.at[reg].keep == PX_IR_LANES;
            if (!takes && !lanes) make_row(v, reg);
            if (!is_scalar(f, &o[k]) && !(terms && lanes)) results_are_rows(v, i);
        }
    }
}

static void find_scalars(struct values *v)
{
    struct px_irfn *f = v->f;
    for (uint32_t i = 0; i < f->insts.n; i++)
        if (px_ir_flags(f->insts.at[i].op) & PX_OPERATION_switches) ways_part(v, f->graph.node_of[i]);
    while (v->nwork) {
        uint32_t reg = v->work[--v->nwork];
        for (uint32_t k = v->defs.first[reg]; k < v->defs.first[reg + 1]; k++)
            results_are_rows(v, v->defs.to[k]); /* all of an instruction, or none */
        for (uint32_t k = v->uses.first[reg]; k < v->uses.first[reg + 1]; k++) {
            const uint32_t i = v->uses.to[k];
            results_are_rows(v, i);
            if (v->about[i] & IS_BRANCH) ways_part(v, f->graph.node_of[i]);
        }
    }
    for (uint32_t r = 0; r < f->regs.n && !v->budget; r++) f->regs.at[r].keep = PX_IR_ROW;
}

/* ---- offsets ---- */

uint32_t px_ir_stepped(const struct px_irfn *f, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    if (in->guard != PX_NONE32) return PX_NONE32;
    if (in->op == PX_IR_COPY && o[0].elem == 8 && o[1].elem == 8 && o[1].kind == PX_IR_REG)
        return is_scalar(f, &o[1]) ? PX_NONE32 : o[1].at;
    if (px_ir_result(in) != PX_RESULT_sum || px_ir_wraps(in) != 64) return PX_NONE32;
    if (is_scalar(f, &o[1]) == is_scalar(f, &o[2])) return PX_NONE32;
    return is_scalar(f, &o[1]) ? o[2].at : o[1].at;
}

/* Is it mostly an address? Other readers want a row, which is then made for each of them. */
static bool is_address(const struct values *v, uint32_t reg)
{
    const struct px_irfn *f = v->f;
    uint32_t served = 0, steps = 0, others = 0;
    for (uint32_t k = v->uses.first[reg]; k < v->uses.first[reg + 1]; k++) {
        const struct px_ir_inst *in = &f->insts.at[v->uses.to[k]];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        if (!takes_scalars(in)) return false;
        for (uint32_t i = in->ndst; i < in->nopds; i++) {
            if (px_ir_register(&o[i]) != reg) continue;
            if (px_ir_is_served(in, &o[i]))
                served++;
            else if (px_ir_stepped(f, in) != reg)
                others++;
            else
                steps += o[0].at != reg;
        }
    }
    return served + steps && others <= 2 * served;
}

/*
 * Does the row of `base` stay what it was when reg was made of it? It is written once, before reg on every
 * way, and either in no loop, or everything about reg happens in that block, behind it.
 */
static bool row_stays(struct values *v, uint32_t base, uint32_t reg)
{
    const struct px_irfn *f = v->f;
    if (v->defs.first[base + 1] - v->defs.first[base] != 1) return false;
    const uint32_t at = v->defs.to[v->defs.first[base]], node = f->graph.node_of[at];
    if (f->insts.at[at].guard != PX_NONE32 || f->regs.at[base].temp || f->regs.at[base].type == PX_T_NONE)
        return false;
    const bool loop = f->loops.head[node] != PX_FLOW_NONE || f->loops.size[node] > 1;
    for (uint32_t k = v->defs.first[reg]; k < v->defs.first[reg + 1]; k++) {
        const uint32_t i = v->defs.to[k], own = f->graph.node_of[i];
        if (own == node ? i <= at : loop || !px_flow_dominates(&f->dominators, node, own)) return false;
    }
    const uint32_t made = v->defs.to[v->defs.first[reg]];
    if (loop && v->defs.first[reg + 1] - v->defs.first[reg] != 1) return false;
    for (uint32_t k = v->uses.first[reg]; loop && k < v->uses.first[reg + 1]; k++)
        if (f->graph.node_of[v->uses.to[k]] != node || v->uses.to[k] <= made) return false;
    return true;
}

/* The register whose row reg is a scalar away from; itself when its own row is the best; PX_NONE32: none. */
static uint32_t base_of(struct values *v, uint32_t reg)
{
    const struct px_irfn *f = v->f;
    uint32_t base = PX_NONE32;
    bool steps = false, whole = false;
    for (uint32_t k = v->defs.first[reg]; k < v->defs.first[reg + 1]; k++) {
        const struct px_ir_inst *in = &f->insts.at[v->defs.to[k]];
        uint32_t from = px_ir_stepped(f, in);
        if (in->guard != PX_NONE32) return PX_NONE32;
        if (from == reg) {
            steps = true;
            continue;
        }
        if (from != PX_NONE32 && f->regs.at[from].keep == PX_IR_OFFSET) from = f->regs.at[from].base;
        whole |= from == PX_NONE32 || (base != PX_NONE32 && from != base);
        base = from;
    }
    if (!whole && base != PX_NONE32 && f->regs.at[base].keep == PX_IR_ROW && row_stays(v, base, reg))
        return base;
    return steps ? reg : PX_NONE32;
}

static void find_offsets(struct values *v)
{
    struct px_irfn *f = v->f;
    for (uint32_t r = 0; r < f->regs.n; r++) {
        struct px_ir_reg *reg = &f->regs.at[r];
        if (reg->keep != PX_IR_ROW || reg->elem != 8 || reg->temp || !is_candidate(reg) || v->is_base[r] ||
            !is_address(v, r))
            continue;
        uint32_t base = base_of(v, r);
        if (base == PX_NONE32) continue;
        reg->keep = PX_IR_OFFSET;
        reg->base = base;
        v->is_base[base] = true;
    }
}

/* ---- surveys ---- */

static void find_surveys(struct px_irfn *f)
{
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        for (uint32_t k = 0; k < in->nopds; k++) {
            if (!px_ir_is_served(in, &o[k])) continue;
            const struct px_ir_reg *r = &f->regs.at[o[k].at];
            if (r->keep == PX_IR_SCALAR || r->keep == PX_IR_LANES) continue;
            struct px_ir_reg *base = &f->regs.at[r->keep == PX_IR_OFFSET ? r->base : o[k].at];
            if (!base->survey && !base->temp) base->survey = ++f->nsurveys;
        }
    }
}

void px_ir_values(struct px_irfn *f)
{
    struct px_arena *a = f->coder->pass;
    struct values v = {.f = f,
                       .work = PX_NEW_N(a, uint32_t, f->regs.n + 1),
                       .seen = PX_NEW_N(a, uint32_t, f->graph.n + 1),
                       .written = PX_NEW_N(a, uint32_t, f->regs.n + 1),
                       .is_base = PX_NEW_N(a, bool, f->regs.n + 1),
                       .about = PX_NEW_N(a, uint8_t, f->insts.n),
                       .budget = 4096 + (uint64_t)f->insts.n * 16};
    const uint32_t on = f->coder->wishes.engine;
    list(&v);
    if (on & PX_ENGINE_uniform) {
        const struct px_ir_uses uses = {&v.defs, &v.uses, &v.exposed};
        const bool terms = on & PX_ENGINE_terms && on & PX_ENGINE_affine;
        v.up = px_flow_dominators(a, a, f->graph.n, &f->graph.pred, &f->graph.succ, f->graph.end);
        px_terms_branches(f, &uses);
        if (terms) px_terms_find(f, &uses);
        hope(&v);
        find_scalars(&v);
        if (terms) px_terms_prune(f, &uses);
    }
    if (on & PX_ENGINE_affine) {
        find_offsets(&v);
        find_surveys(f);
    }
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (f->regs.at[r].keep != PX_IR_ROW) f->regs.at[r].slot = f->nkept++;
}
