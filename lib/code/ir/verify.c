/*
 * verify.c - the invariants of the IR (docs/ir.md), tested: after every pass in builds with sanitizers, in
 * tests, and with `--engine verify`.
 *
 * It shares nothing with the passes that it judges but the data: edges are found from the instructions, live
 * registers by plain sets of bits, so that a mistake in lib/flow shows, too. verify_rows.c has liveness.
 */
#include "code/ir/verify.h"
#include "code/ir/verify_own.h"

static const char *name_of(const struct px_verify *v, uint32_t reg)
{
    static const uint32_t size = 24;
    return px_ir_reg_name(v->f, reg, px_arena_alloc(v->arena, size));
}

/* ---- one instruction ---- */

static bool is_control(const struct px_ir_inst *in)
{
    return in->op == PX_IR_JUMP || in->op == PX_IR_BRANCH || in->op == PX_IR_END;
}

static void look_at_register(struct px_verify *v, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    const struct px_irfn *f = v->f;
    if (o->at >= f->regs.n) {
        v->broken = true;
        px_verify_wrong(v, in, "operand %u names a register that is none", (uint32_t)(o - px_ir_opds(f, in)));
        return;
    }
    const uint32_t elem = f->regs.at[o->at].elem;
    if (o->kind == PX_IR_REG && o->elem != elem)
        px_verify_wrong(v, in, "%s has elements of %u bytes and is taken as %u", name_of(v, o->at), elem,
                        o->elem);
    if (o->kind == PX_IR_ADDRESS && elem != 8)
        px_verify_wrong(v, in, "the base %s of an address has %u bytes, not 8", name_of(v, o->at), elem);
}

static void look_at_operand(struct px_verify *v, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    const struct px_irfn *f = v->f;
    const bool result = o < px_ir_opds(f, in) + in->ndst;
    if (o->kind > PX_IR_ADDRESS ||
        (o->kind == PX_IR_ADDRESS && (o->base < PX_IR_REG || o->base > PX_IR_IMM))) {
        v->broken = true;
        px_verify_wrong(v, in, "an operand is of no kind");
        return;
    }
    if (result && o->kind != PX_IR_REG && o->kind != PX_IR_NONE)
        px_verify_wrong(v, in, "a result is neither a register nor dropped");
    if (px_ir_register(o) != PX_NONE32) look_at_register(v, in, o);
    if (o->kind == PX_IR_IMM && o->at >= f->values.n) {
        v->broken = true;
        px_verify_wrong(v, in, "a constant has no value");
    }
    if (o->kind == PX_IR_ADDRESS && !px_ir_space_name(o->type))
        px_verify_wrong(v, in, "an address is in no state space");
}

/* Statements and moves take rows and scalars, and as many as their row of the table says. */
static void look_at_kinds(struct px_verify *v, const struct px_ir_inst *in)
{
    const px_irop kind = px_ir_kind_of(in->op);
    const struct px_ir_opd *o = px_ir_opds(v->f, in);
    if (kind != PX_IR_STATEMENT && kind != PX_IR_FIXED && in->op != PX_IR_COPY && in->op != PX_IR_CANON)
        return;
    for (uint32_t k = in->ndst; k < in->nopds; k++)
        if (o[k].kind == PX_IR_ADDRESS || (o[k].kind == PX_IR_NONE && kind != PX_IR_FIXED))
            px_verify_wrong(v, in, "source %u is of a kind that the operation does not take", k - in->ndst);
    if (!in->ndst || o[0].kind != PX_IR_REG) px_verify_wrong(v, in, "the operation has no result");
    if (kind != PX_IR_STATEMENT) return;
    const struct px_handler_set *set = &v->f->coder->level->sets[in->op & ~PX_IR_KIND];
    if (in->ndst != 1u + set->pair + set->carry)
        px_verify_wrong(v, in, "the statement has %u results, not %u", in->ndst, 1u + set->pair + set->carry);
    else if (in->nopds - in->ndst - set->carry > 3)
        px_verify_wrong(v, in, "a statement has three sources at most");
}

static void look_at_guard(struct px_verify *v, const struct px_ir_inst *in)
{
    const unsigned flags = px_ir_flags(in->op);
    if (in->guard == PX_NONE32) return;
    const struct px_ir_reg *r = in->guard < v->f->regs.n ? &v->f->regs.at[in->guard] : NULL;
    if (!r || (r->type != PX_T_PRED && !(r->temp && r->elem == 4))) {
        v->broken |= !r;
        px_verify_wrong(v, in, "the guard is no predicate");
    }
    if (is_control(in) ||
        flags & (PX_OPERATION_waits | PX_OPERATION_ends | PX_OPERATION_calls | PX_OPERATION_switches))
        px_verify_wrong(v, in, "what may wait, leave or call has a guard");
}

static void look_at_inst(struct px_verify *v, const struct px_ir_inst *in)
{
    const struct px_irfn *f = v->f;
    const struct px_ir_opd *o = px_ir_opds(f, in);
    if (in->first > f->opds.n || in->nopds > f->opds.n - in->first || in->ndst > in->nopds) {
        v->broken = true;
        px_verify_wrong(v, in, "the list of operands leaves those of the function");
        return;
    }
    for (uint32_t k = 0; k < in->nopds; k++) look_at_operand(v, in, &o[k]);
    look_at_guard(v, in);
    if (v->broken) return;
    if (!px_ir_spell(f->coder->level, in->op, in->fact).name)
        px_verify_wrong(v, in, "the operation is none");
    else
        look_at_kinds(v, in);
    if ((in->op == PX_IR_JUMP || in->op == PX_IR_BRANCH) && in->target >= f->labels.n)
        px_verify_wrong(v, in, "the label is none");
    if (in->origin >= f->origins.n) px_verify_wrong(v, in, "the origin is none");
}

/* ---- what is made of one instruction of the text ---- */

/* One instruction of each origin is the first; of origin 0, what no instruction of the text asks for, none.
 */
static void look_at_firsts(struct px_verify *v)
{
    const struct px_irfn *f = v->f;
    uint8_t *firsts = PX_NEW_N(v->arena, uint8_t, f->origins.n + 1);
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        if (in->flags & PX_IR_INST_FIRST && firsts[in->origin]++)
            px_verify_wrong(v, in, "a second instruction is the first of its instruction of the text");
        if (!(in->flags & PX_IR_INST_FIRST) && in->origin && !firsts[in->origin])
            px_verify_wrong(v, in, "none before it is the first of its instruction of the text");
    }
}

/* Temporaries are written first, and named by what is made of one instruction of the text only. */
static void look_at_temps(struct px_verify *v)
{
    const struct px_irfn *f = v->f;
    uint32_t *origin = PX_NEW_N(v->arena, uint32_t, f->regs.n + 1); /* + 1; 0: not named yet */
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        for (uint32_t k = in->nopds; k-- > 0;) { /* sources first */
            const uint32_t reg = px_ir_register(&o[k]);
            if (reg == PX_NONE32 || !f->regs.at[reg].temp) continue;
            if (!origin[reg] && (k >= in->ndst || o[k].kind != PX_IR_REG))
                px_verify_wrong(v, in, "the temporary %s is read before it is written", name_of(v, reg));
            if (origin[reg] && origin[reg] != in->origin + 1)
                px_verify_wrong(v, in, "the temporary %s is another instruction's", name_of(v, reg));
            origin[reg] = in->origin + 1;
        }
    }
}

static void look_at_insts(struct px_verify *v)
{
    const struct px_irfn *f = v->f;
    for (uint32_t i = 0; i < f->insts.n && !v->why; i++) look_at_inst(v, &f->insts.at[i]);
    if (v->why) return;
    for (uint32_t i = 0; i < f->labels.n; i++)
        if (f->labels.at[i] >= f->insts.n) px_verify_wrong(v, NULL, "label L%u stands nowhere", i);
    if (!f->insts.n || px_ir_falls(&f->insts.at[f->insts.n - 1]))
        px_verify_wrong(v, NULL, "control falls out of the function");
    look_at_firsts(v);
    look_at_temps(v);
}

/* ---- NaNs ---- */

/* The first label, or what ends a block, starts anew. */
static bool *find_starts(const struct px_verify *v)
{
    const struct px_irfn *f = v->f;
    bool *starts = PX_NEW_N(v->arena, bool, f->insts.n + 1);
    for (uint32_t i = 0; i < f->labels.n; i++) starts[f->labels.at[i]] = true;
    return starts;
}

static void look_at_source(struct px_verify *v, const struct px_ir_inst *in, const struct px_ir_opd *o,
                           const bool *clean)
{
    const struct px_irfn *f = v->f;
    const struct px_ir_opd *d = px_ir_opds(f, in);
    const bool to_lazy = in->ndst && d->kind == PX_IR_REG && f->regs.at[d->at].lazy;
    if (o->kind != PX_IR_REG || !f->regs.at[o->at].lazy || in->op == PX_IR_CANON || clean[o->at]) return;
    if (o->base != PX_IR_NUMBER && !(o->base == PX_IR_COPIED && to_lazy))
        px_verify_wrong(v, in, "the bits of %s are seen, whose NaNs only stand for the chip's",
                        name_of(v, o->at));
}

static void look_at_result(struct px_verify *v, const struct px_ir_inst *in)
{
    const struct px_irfn *f = v->f;
    const struct px_ir_opd *o = px_ir_opds(f, in);
    if (!in->ndst || o->kind != PX_IR_REG) return;
    const bool lazy = f->regs.at[o->at].lazy;
    const struct px_ir_inst *next = in + 1;
    const bool canon = next < f->insts.at + f->insts.n && next->op == PX_IR_CANON &&
                       px_ir_opds(f, next)->at == o->at && next->guard == in->guard;
    if (in->flags & PX_IR_INST_HOST && !lazy && !canon)
        px_verify_wrong(v, in, "the host's NaNs stay in %s", name_of(v, o->at));
    const bool copies = in->op == PX_IR_COPY || in->flags & PX_IR_INST_COPIES;
    if (lazy && !copies && !(in->flags & PX_IR_INST_NUMBER) && in->op != PX_IR_CANON)
        px_verify_wrong(v, in, "%s gets a word that no arithmetic made, but is lazy", name_of(v, o->at));
}

static void look_at_nans(struct px_verify *v)
{
    const struct px_irfn *f = v->f;
    const bool *starts = find_starts(v);
    bool *clean = PX_NEW_N(v->arena, bool, f->regs.n + 1);
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        if (starts[i] || (i && (!px_ir_falls(in - 1) || in[-1].op == PX_IR_BRANCH)))
            memset(clean, 0, f->regs.n);
        for (uint32_t k = in->ndst; k < in->nopds; k++) look_at_source(v, in, &o[k], clean);
        for (uint32_t k = 0; k < in->ndst; k++)
            if (o[k].kind == PX_IR_REG) clean[o[k].at] = in->op == PX_IR_CANON && in->guard == PX_NONE32;
        look_at_result(v, in);
    }
}

/* ---- blocks ---- */

static bool has_edge(const struct px_flow_lists *list, uint32_t from, uint32_t to)
{
    for (uint32_t k = list->first[from]; k < list->first[from + 1]; k++)
        if (list->to[k] == to) return true;
    return false;
}

/* Is `head` the head of a loop that the node is in? */
static bool is_inside(const struct px_irfn *f, uint32_t head, uint32_t node)
{
    const uint32_t *place = f->loops.place;
    return place[node] - place[head] < f->loops.size[head];
}

static void look_at_edge(struct px_verify *v, const struct px_ir_inst *in, uint32_t from, uint32_t to)
{
    const struct px_irfn *f = v->f;
    const uint32_t *place = f->loops.place;
    if (!has_edge(&f->graph.succ, from, to) || !has_edge(&f->graph.pred, to, from)) {
        px_verify_wrong(v, in, "the graph has no edge from block %u to %u", from, to);
        return;
    }
    if (place[from] == PX_FLOW_NONE) return;
    if (place[to] == PX_FLOW_NONE)
        px_verify_wrong(v, in, "block %u is reached and has no place", to);
    else if (place[to] <= place[from] && !is_inside(f, to, from))
        px_verify_wrong(v, in, "the edge from block %u back to %u is of no loop", from, to);
}

static void look_at_end(struct px_verify *v, const struct px_ir_inst *in, uint32_t node)
{
    const struct px_irfn *f = v->f;
    if (in->op == PX_IR_JUMP || in->op == PX_IR_BRANCH)
        look_at_edge(v, in, node, f->graph.node_of[f->labels.at[in->target]]);
    if (px_ir_falls(in))
        look_at_edge(v, in, node, node + 1);
    else if (px_ir_flags(in->op) & PX_OPERATION_switches && !px_flow_has_tables(&f->graph))
        for (uint32_t k = 0; k < f->switches.at[in->aux].n; k++)
            look_at_edge(v, in, node, f->graph.node_of[f->switches.at[in->aux].targets[k]]);
}

static void look_at_block(struct px_verify *v, uint32_t node, const bool *starts)
{
    const struct px_irfn *f = v->f;
    const struct px_flow_block b = f->graph.blocks[node];
    for (uint32_t i = b.first; i < b.first + b.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        if (f->graph.node_of[i] != node)
            px_verify_wrong(v, in, "it is in block %u, not %u", f->graph.node_of[i], node);
        if (i > b.first && starts[i])
            px_verify_wrong(v, in, "a branch leads into the middle of block %u", node);
        if (i + 1 < b.first + b.n && (is_control(in) || !px_ir_falls(in)))
            px_verify_wrong(v, in, "block %u goes on behind it", node);
    }
    if (b.n) look_at_end(v, &f->insts.at[b.first + b.n - 1], node);
}

/* By instruction: does a branch or a table name it? */
static bool *find_targets(const struct px_verify *v)
{
    const struct px_irfn *f = v->f;
    bool *targets = PX_NEW_N(v->arena, bool, f->insts.n + 1);
    for (uint32_t i = 0; i < f->insts.n; i++)
        if (f->insts.at[i].op == PX_IR_JUMP || f->insts.at[i].op == PX_IR_BRANCH)
            targets[f->labels.at[f->insts.at[i].target]] = true;
        else if (px_ir_flags(f->insts.at[i].op) & PX_OPERATION_switches)
            for (uint32_t k = 0; k < f->switches.at[f->insts.at[i].aux].n; k++)
                targets[f->switches.at[f->insts.at[i].aux].targets[k]] = true;
    return targets;
}

static void look_at_graph(struct px_verify *v)
{
    const struct px_irfn *f = v->f;
    const bool *starts = find_targets(v);
    uint32_t next = 0;
    for (uint32_t node = 0; node < f->graph.nblocks; node++) {
        if (f->graph.blocks[node].first != next) px_verify_wrong(v, NULL, "block %u begins elsewhere", node);
        next = f->graph.blocks[node].first + f->graph.blocks[node].n;
        look_at_block(v, node, starts);
    }
    if (next != f->insts.n) px_verify_wrong(v, NULL, "blocks end at instruction %u", next);
    for (uint32_t p = 0; p < f->loops.n; p++)
        if (f->loops.place[f->loops.order[p]] != p)
            px_verify_wrong(v, NULL, "place %u of the order is wrong", p);
}

/* ---- what convergent code keeps ---- */

static enum px_ir_keep keep_of(const struct px_irfn *f, uint32_t reg)
{
    return reg == PX_NONE32 ? PX_IR_SCALAR : (enum px_ir_keep)f->regs.at[reg].keep;
}

/* A definition of a register that is one value for all lanes. */
static void look_at_alone(struct px_verify *v, const struct px_ir_inst *in, uint32_t reg)
{
    const struct px_irfn *f = v->f;
    const struct px_ir_opd *o = px_ir_opds(f, in);
    const bool lanes = keep_of(f, reg) == PX_IR_LANES;
    if (in->guard != PX_NONE32)
        px_verify_wrong(v, in, "%s is one value for all lanes, and is written under a guard",
                        name_of(v, reg));
    if (in->op == PX_IR_SREG && !lanes)
        px_verify_wrong(v, in, "%s is one value for all lanes, and gets what differs", name_of(v, reg));
    for (uint32_t k = in->ndst; k < in->nopds; k++) {
        const uint32_t source = px_ir_register(&o[k]);
        const enum px_ir_keep keep = keep_of(f, source);
        const bool branches = keep == PX_IR_LANES && f->regs.at[reg].branches;
        if (keep != PX_IR_SCALAR && !(lanes && keep == PX_IR_LANES) && !branches)
            px_verify_wrong(v, in, "%s is one value for all lanes, and is made of %s, which differs",
                            name_of(v, reg), name_of(v, source));
    }
}

/* A definition of what is added to the row of a base. */
static void look_at_offset(struct px_verify *v, const struct px_ir_inst *in, uint32_t reg)
{
    const struct px_irfn *f = v->f;
    const uint32_t base = f->regs.at[reg].base, from = px_ir_stepped(f, in);
    if (in->guard != PX_NONE32)
        px_verify_wrong(v, in, "the offset %s is written under a guard", name_of(v, reg));
    if (base == reg || from == base) return;
    if (from == PX_NONE32 || keep_of(f, from) != PX_IR_OFFSET || f->regs.at[from].base != base)
        px_verify_wrong(v, in, "%s is no scalar away from %s", name_of(v, reg), name_of(v, base));
}

static void look_at_kept_inst(struct px_verify *v, const struct px_ir_inst *in)
{
    const struct px_irfn *f = v->f;
    const struct px_ir_opd *o = px_ir_opds(f, in);
    if (in->guard != PX_NONE32 && keep_of(f, in->guard) != PX_IR_ROW)
        px_verify_wrong(v, in, "the guard %s has no row in convergent code", name_of(v, in->guard));
    for (uint32_t k = 0; k < in->ndst; k++) {
        if (o[k].kind != PX_IR_REG) continue;
        const enum px_ir_keep keep = keep_of(f, o[k].at);
        if (keep == PX_IR_SCALAR || keep == PX_IR_LANES) look_at_alone(v, in, o[k].at);
        if (keep == PX_IR_OFFSET) look_at_offset(v, in, o[k].at);
    }
}

static void look_at_kept_reg(struct px_verify *v, uint32_t reg, bool *slots)
{
    const struct px_irfn *f = v->f;
    const struct px_ir_reg *r = &f->regs.at[reg];
    if (r->keep == PX_IR_ROW) return;
    if (r->slot >= f->nkept || slots[r->slot])
        px_verify_wrong(v, NULL, "%s has slot %u, which is another's or none", name_of(v, reg), r->slot);
    else
        slots[r->slot] = true;
    if (r->keep == PX_IR_LANES && r->term >= f->terms.n)
        px_verify_wrong(v, NULL, "%s has term %u, which is none", name_of(v, reg), r->term);
    if (r->keep != PX_IR_OFFSET) return;
    const struct px_ir_reg *base = &f->regs.at[r->base];
    if (r->elem != 8 || base->elem != 8)
        px_verify_wrong(v, NULL, "%s is no address of 8 bytes", name_of(v, reg));
    if (r->base != reg && base->keep != PX_IR_ROW)
        px_verify_wrong(v, NULL, "%s is added to %s, which has no row in convergent code", name_of(v, reg),
                        name_of(v, r->base));
}

static void look_at_keeps(struct px_verify *v)
{
    const struct px_irfn *f = v->f;
    bool *slots = PX_NEW_N(v->arena, bool, f->nkept + 1);
    for (uint32_t r = 0; r < f->regs.n; r++) look_at_kept_reg(v, r, slots);
    for (uint32_t i = 0; i < f->insts.n; i++) look_at_kept_inst(v, &f->insts.at[i]);
}

/* ---- all of it ---- */

const char *px_ir_verify(const struct px_irfn *f, uint32_t facts, struct px_arena *arena)
{
    struct px_verify v = {.f = f, .arena = arena};
    static void (*const looks[])(struct px_verify * v) = {look_at_insts,   look_at_nans,   look_at_graph,
                                                          look_at_keeps,   px_verify_rows, px_verify_forks,
                                                          px_verify_loops, px_verify_fused};
    for (unsigned i = 0; i < sizeof looks / sizeof *looks && !v.why; i++)
        if (facts >> i & 1) looks[i](&v);
    return v.why;
}
