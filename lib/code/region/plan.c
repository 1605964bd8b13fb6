/*
 * plan.c - see plan.h.
 *
 * Liveness is exact, unlike that of rows.c, which has intervals: it decides what is stored where lanes leave,
 * and which writes may touch lanes that are elsewhere. It is found register by register, backwards from the
 * blocks that read it. Where a function has so many loops that this takes too long, intervals are taken: they
 * are only longer.
 */
#include "code/region/plan.h"
#include <string.h>
#include "code/ir/forks.h"
#include "gang/fpmode.h"

/* ---- what it names ---- */

static bool is_scalar_kind(unsigned kind)
{
    return kind == PX_IR_IMM || kind == PX_IR_PARAM || kind == PX_IR_UNIFORM;
}

static bool is_predicate(const struct px_irfn *f, uint32_t reg)
{
    return f->regs.at[reg].type == PX_T_PRED;
}

static bool add_register(struct px_plan *p, uint32_t reg)
{
    const struct px_ir_reg *r = &p->f->regs.at[reg];
    if (p->number[reg]) return true;
    if (p->nregs == PX_PLAN_REGS || (r->elem != 4 && r->elem != 8) || r->row == PX_NONE32) return false;
    if (is_predicate(p->f, reg)) px_lanes_set(&p->predicates, p->nregs);
    p->reg[p->nregs++] = reg;
    p->number[reg] = (uint16_t)p->nregs;
    return true;
}

static bool add_operand(struct px_plan *p, const struct px_ir_opd *o)
{
    if (is_scalar_kind(o->kind)) return o->elem == 4 || o->elem == 8;
    return o->kind == PX_IR_REG && o->elem == p->f->regs.at[o->at].elem && add_register(p, o->at);
}

/* The operand of a form is a predicate where the form says so, and nowhere else. */
static bool fits_form(const struct px_plan *p, const struct px_ir_inst *in,
                      const struct px_machine_form *form)
{
    const struct px_ir_opd *o = px_ir_opds(p->f, in);
    for (unsigned i = 0; i < form->n; i++) {
        const struct px_form_step *s = &form->step[i];
        const unsigned kind = px_x86_infos[s->insn].form;
        for (unsigned k = 0; k < PX_FORM_OPERANDS && s->opd[k]; k++) {
            if (s->opd[k] > PX_FORM_C) continue;
            const struct px_ir_opd *is = &o[s->opd[k] - PX_FORM_D];
            const bool mask = kind == PX_X86_KKK || kind == PX_X86_KK || (kind == PX_X86_KVM && k == 0);
            if (mask != (is->kind == PX_IR_REG && is_predicate(p->f, is->at))) return false;
        }
        if (s->mask &&
            (o[s->mask - PX_FORM_D].kind != PX_IR_REG || !is_predicate(p->f, o[s->mask - PX_FORM_D].at)))
            return false;
    }
    return true;
}

static bool is_statement(const struct px_plan *p, const struct px_ir_inst *in)
{
    const unsigned handler = in->op & ~PX_IR_KIND;
    const struct px_handler_set *set = &p->f->coder->level->sets[handler];
    const struct px_machine_form *form = px_machine_form(handler);
    return form && in->ndst == 1 && !set->pair && !set->carry && fits_form(p, in, form);
}

static bool is_copy(const struct px_plan *p, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(p->f, in);
    if (!is_predicate(p->f, o->at)) return o[1].kind != PX_IR_REG || !is_predicate(p->f, o[1].at);
    return o[1].kind == PX_IR_REG && is_predicate(p->f, o[1].at);
}

/* One floating-point mode is in force in all of it. */
static bool agrees(struct px_plan *p, const struct px_ir_inst *in)
{
    if (in->fp == PX_IR_FP_ANY || in->fp == PX_IR_FP_HOME) return true;
    if (in->fp == PX_IR_FP_NEAREST) return p->fp == PX_NONE32 || (p->fp & 3) == PX_FP_RN;
    if (p->fp == PX_NONE32) p->fp = in->fp;
    return p->fp == in->fp;
}

static bool can_do(const struct px_plan *p, const struct px_ir_inst *in)
{
    if (px_ir_kind_of(in->op) == PX_IR_STATEMENT) return is_statement(p, in);
    if (in->op == PX_IR_COPY) return is_copy(p, in);
    return in->op == PX_IR_CANON;
}

static bool add_inst(struct px_plan *p, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(p->f, in);
    if (in->op == PX_IR_NOTHING) return true;
    if (in->op == PX_IR_JUMP) return true;
    if (!agrees(p, in)) return false;
    for (uint32_t k = 0; k < in->nopds; k++)
        if (!add_operand(p, &o[k])) return false;
    if (in->guard != PX_NONE32 && (!add_register(p, in->guard) || is_predicate(p->f, o->at))) return false;
    if (in->op == PX_IR_BRANCH) return in->guard == PX_NONE32 && o->kind == PX_IR_REG;
    return o->kind == PX_IR_REG && can_do(p, in);
}

void px_plan_uses(const struct px_plan *p, const struct px_ir_inst *in, px_plan_set *reads,
                  px_plan_set *writes)
{
    const struct px_ir_opd *o = px_ir_opds(p->f, in);
    *reads = *writes = (px_plan_set){{0}};
    for (uint32_t k = 0; k < in->nopds; k++) {
        const uint32_t reg = px_ir_register(&o[k]);
        if (reg == PX_NONE32 || !p->number[reg]) continue;
        px_lanes_set(k < in->ndst && o[k].kind == PX_IR_REG ? writes : reads, p->number[reg] - 1u);
    }
    if (in->guard == PX_NONE32) return;
    *reads = px_lanes_or(*reads, *writes);
    if (p->number[in->guard]) px_lanes_set(reads, p->number[in->guard] - 1u);
}

/* ---- blocks and edges ---- */

static uint8_t edge_to(struct px_plan *p, uint32_t block, uint32_t node)
{
    for (uint32_t b = 0; b < p->nblocks; b++)
        if (p->block[b].node == node) return b ? (uint8_t)b : PX_PLAN_HEAD;
    if (p->nsites == PX_REGION_SITES) return PX_PLAN_NOWHERE;
    p->site[p->nsites].node = node;
    p->site[p->nsites].block = block;
    return (uint8_t)(PX_PLAN_SITE + p->nsites++);
}

static bool add_edges(struct px_plan *p, uint32_t block)
{
    struct px_plan_block *b = &p->block[block];
    const struct px_ir_inst *last = b->n ? &p->f->insts.at[b->first + b->n - 1] : NULL;
    b->taken = b->falls = PX_PLAN_NOWHERE;
    b->last = last && px_ir_branches(last) ? last : NULL;
    const bool falls = !b->last || last->op == PX_IR_BRANCH;
    if (b->last && (b->taken = edge_to(p, block, px_ir_node_at(p->f, last->target))) == PX_PLAN_NOWHERE)
        return false;
    if (falls && (b->falls = edge_to(p, block, b->node + 1)) == PX_PLAN_NOWHERE) return false;
    /* forward edges go forward in the layout */
    return (b->taken >= PX_PLAN_HEAD || b->taken > block) && (b->falls >= PX_PLAN_HEAD || b->falls > block);
}

static bool add_blocks(struct px_plan *p, uint32_t place)
{
    const struct px_irfn *f = p->f;
    const uint32_t n = px_ir_loop_blocks(f, place);
    if (!n || n > PX_REGION_BLOCKS) return false;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t node = f->loops.order[place + k];
        if (node >= f->graph.nblocks || (k && px_ir_loop_blocks(f, place + k))) return false;
        const struct px_flow_block is = f->graph.blocks[node];
        struct px_plan_block *b = &p->block[p->nblocks++];
        *b = (struct px_plan_block){.node = node, .first = is.first, .n = is.n};
        for (uint32_t i = is.first; i < is.first + is.n; i++) {
            b->insts += f->insts.at[i].flags & PX_IR_INST_FIRST ? 1 : 0;
            if (!add_inst(p, &f->insts.at[i])) return false;
        }
    }
    for (uint32_t b = 0; b < p->nblocks; b++)
        if (!add_edges(p, b)) return false;
    return true;
}

/* ---- what each block does with each register of the function ---- */

/* Of the block that names the register last: where it did so before is another block. */
static struct px_plan_place *place_in(struct px_plan_index *index, uint32_t reg, uint32_t node)
{
    const uint32_t newest = index->newest[reg];
    if (newest && index->places.at[newest - 1].node == node) return &index->places.at[newest - 1];
    const struct px_plan_place place = {.node = node, .older = newest};
    px_vec_push(index->f->coder->pass, &index->places, place);
    index->newest[reg] = index->places.n;
    return &index->places.at[index->places.n - 1];
}

static void read_in(struct px_plan_index *index, uint32_t reg, uint32_t node)
{
    struct px_plan_place *place = place_in(index, reg, node);
    if (!place->kills) place->reads = true;
}

static void look_at(struct px_plan_index *index, uint32_t node, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(index->f, in);
    if (in->guard != PX_NONE32) read_in(index, in->guard, node);
    for (uint32_t k = 0; k < in->nopds; k++) {
        const uint32_t reg = px_ir_register(&o[k]);
        if (reg != PX_NONE32 && (k >= in->ndst || o[k].kind != PX_IR_REG)) read_in(index, reg, node);
    }
    for (uint32_t k = 0; k < in->ndst; k++)
        if (o[k].kind == PX_IR_REG && in->guard == PX_NONE32) place_in(index, o[k].at, node)->kills = true;
}

void px_plan_begin(struct px_plan_index *index, const struct px_irfn *f)
{
    struct px_arena *pass = f->coder->pass;
    *index = (struct px_plan_index){.f = f, .steps = 1024 + 4 * f->insts.n};
    index->number = PX_NEW_N(pass, uint16_t, f->regs.n + 1);
    index->newest = PX_NEW_N(pass, uint32_t, f->regs.n + 1);
    index->seen = PX_NEW_N(pass, uint32_t, f->graph.n + 1);
    index->killed = PX_NEW_N(pass, uint32_t, f->graph.n + 1);
    index->todo = PX_NEW_N(pass, uint32_t, f->graph.n + 1);
    index->placed = px_ir_placed(f, pass);
    for (uint32_t node = 0; node < f->graph.nblocks; node++) {
        const struct px_flow_block b = f->graph.blocks[node];
        for (uint32_t i = b.first; i < b.first + b.n; i++) look_at(index, node, &f->insts.at[i]);
    }
}

/* ---- liveness of the loop's registers ---- */

static bool spend(struct px_plan_index *index)
{
    if (index->steps) index->steps--;
    return index->steps;
}

/* The blocks at whose beginning the register is live are those seen. False: that takes too long. */
static bool see_live(struct px_plan_index *index, uint32_t reg)
{
    const struct px_flow_lists *pred = &index->f->graph.pred;
    const uint32_t now = ++index->now;
    uint32_t n = 0;
    for (uint32_t i = index->newest[reg]; i; i = index->places.at[i - 1].older) {
        const struct px_plan_place *place = &index->places.at[i - 1];
        if (!spend(index)) return false;
        if (place->kills) index->killed[place->node] = now;
        if (place->reads) index->seen[place->node] = now, index->todo[n++] = place->node;
    }
    while (n) {
        const uint32_t node = index->todo[--n];
        for (uint32_t i = pred->first[node]; i < pred->first[node + 1]; i++) {
            const uint32_t from = pred->to[i];
            if (!spend(index)) return false;
            if (index->seen[from] == now || index->killed[from] == now) continue;
            index->seen[from] = now;
            index->todo[n++] = from;
        }
    }
    return true;
}

/* Without that: is the register live at the beginning of the node by its range, which is never too short? */
static bool in_range(const struct px_plan_index *index, uint32_t reg, uint32_t node)
{
    const struct px_ir_reg *r = &index->f->regs.at[reg];
    const uint32_t at = index->placed[index->f->loops.place[node]] * PX_IR_STEP;
    return r->first <= at && at <= r->last;
}

static bool is_live(const struct px_plan_index *index, bool exact, uint32_t reg, uint32_t node)
{
    if (node >= index->f->graph.nblocks) return false;
    return exact ? index->seen[node] == index->now : in_range(index, reg, node);
}

static void find_live_at(struct px_plan *p, struct px_plan_index *index, unsigned number)
{
    const uint32_t reg = p->reg[number];
    const bool exact = see_live(index, reg);
    for (uint32_t b = 0; b < p->nblocks; b++)
        if (is_live(index, exact, reg, p->block[b].node)) px_lanes_set(&p->block[b].live, number);
    for (uint32_t s = 0; s < p->nsites; s++)
        if (is_live(index, exact, reg, p->site[s].node)) px_lanes_set(&p->site[s].live, number);
}

/* Words of arguments and results, and other places that instructions name elsewhere than in their operands,
 * are registers of their own: a register of the loop that is one is not known to be dead. */
static bool is_passed(const struct px_irfn *f, uint32_t reg)
{
    for (uint32_t i = 0; i < f->words.n; i++)
        if (f->code->word_rows[i] == f->regs.at[reg].row) return true;
    return f->carry == reg || f->stack == reg;
}

static px_plan_set live_at(const struct px_plan *p, uint8_t edge)
{
    if (edge == PX_PLAN_NOWHERE) return (px_plan_set){{0}};
    if (edge == PX_PLAN_HEAD) return p->block[0].live;
    return edge > PX_PLAN_HEAD ? p->site[edge - PX_PLAN_SITE].live : p->block[edge].live;
}

static void find_written(struct px_plan *p, struct px_plan_block *b)
{
    b->behind = px_lanes_or(live_at(p, b->taken), live_at(p, b->falls));
    for (uint32_t i = b->first; i < b->first + b->n; i++) {
        px_plan_set reads, writes;
        px_plan_uses(p, &p->f->insts.at[i], &reads, &writes);
        p->written = px_lanes_or(p->written, writes);
    }
}

static bool find_live(struct px_plan *p, struct px_plan_index *index)
{
    for (uint32_t r = 0; r < p->nregs; r++) {
        if (is_passed(p->f, p->reg[r])) return false;
        find_live_at(p, index, r);
    }
    for (uint32_t b = 0; b < p->nblocks; b++) find_written(p, &p->block[b]);
    return true;
}

/* ---- who shares what ---- */

static bool is_site(uint8_t edge)
{
    return edge >= PX_PLAN_SITE && edge != PX_PLAN_NOWHERE;
}

/* Blocks that all lanes inside run, and branches that all of them take or none. */
static void find_together(struct px_plan *p)
{
    uint32_t open = 0; /* blocks at which lanes wait, the head as the last */
    p->parts = false;
    p->leaving = (px_plan_set){{0}};
    for (uint32_t i = 0; i < p->nblocks; i++) {
        struct px_plan_block *b = &p->block[i];
        const bool branch = b->last && b->last->op == PX_IR_BRANCH;
        open &= ~(1u << i);
        b->all = !open;
        b->together = branch && b->all &&
                      px_plan_has(&p->same, px_plan_number(p, px_ir_opds(p->f, b->last))) &&
                      (is_site(b->taken) || is_site(b->falls));
        if (b->taken < PX_PLAN_SITE) open |= 1u << b->taken;
        if (b->falls < PX_PLAN_SITE) open |= 1u << b->falls;
        for (uint32_t k = 0; k < 2; k++) {
            const uint8_t edge = k ? b->falls : b->taken;
            if (!is_site(edge)) continue;
            const bool all = b->together || (!branch && b->all);
            p->site[edge - PX_PLAN_SITE].together = all;
        }
        if (branch && !b->together) p->parts = true;
    }
    if (!p->parts) return;
    for (uint32_t s = 0; s < p->nsites; s++) p->leaving = px_lanes_or(p->leaving, p->site[s].live);
}

/* Does the instruction compute what all lanes share, in a block that all of them run? */
static bool shares(const struct px_plan *p, const struct px_plan_block *b, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(p->f, in);
    if (!b->all || in->guard != PX_NONE32) return false;
    if (px_plan_has(&p->leaving, px_plan_number(p, &o[0]))) return false;
    for (uint32_t k = in->ndst; k < in->nopds; k++)
        if (o[k].kind == PX_IR_REG && !px_plan_has(&p->same, px_plan_number(p, &o[k]))) return false;
    return true;
}

static bool narrow_same(struct px_plan *p)
{
    bool changed = false;
    find_together(p);
    for (uint32_t b = 0; b < p->nblocks; b++)
        for (uint32_t i = p->block[b].first; i < p->block[b].first + p->block[b].n; i++) {
            const struct px_ir_inst *in = &p->f->insts.at[i];
            if (!in->ndst) continue;
            const unsigned d = px_plan_number(p, px_ir_opds(p->f, in));
            if (!px_plan_has(&p->same, d) || shares(p, &p->block[b], in)) continue;
            px_plan_drop(&p->same, d);
            changed = true;
        }
    return changed;
}

/* What convergent code keeps as scalars is shared until something in the loop says otherwise; what it keeps
 * as something that is added to a row is a row here. */
static void find_same(struct px_plan *p)
{
    unsigned n = 0;
    for (uint32_t r = 0; r < p->nregs; r++)
        if (px_plan_reg(p, r)->keep == PX_IR_SCALAR && n++ < PX_REGION_SAME) px_lanes_set(&p->same, r);
    while (narrow_same(p)) {
    }
    p->rows = p->parts;
    p->lanes = 16;
    for (uint32_t r = 0; r < p->nregs; r++) {
        const struct px_ir_reg *reg = px_plan_reg(p, r);
        if (reg->keep != PX_IR_ROW && !px_plan_has(&p->same, r)) p->rows = true;
        if (reg->survey && px_plan_has(&p->written, r)) p->forgets = true;
        if (reg->elem == 8) p->lanes = 8;
    }
}

/* Constants of 64 bits are held in the lanes of a group, too. */
static void find_wide(struct px_plan *p)
{
    for (uint32_t b = 0; b < p->nblocks; b++)
        for (uint32_t i = p->block[b].first; i < p->block[b].first + p->block[b].n; i++) {
            const struct px_ir_inst *in = &p->f->insts.at[i];
            for (uint32_t k = 0; k < in->nopds; k++)
                if (px_ir_opds(p->f, in)[k].elem == 8) p->lanes = 8;
        }
}

bool px_plan_loop(struct px_plan *p, struct px_plan_index *index, uint32_t place)
{
    const struct px_irfn *f = index->f;
    *p = (struct px_plan){.f = f, .pass = f->coder->pass, .number = index->number, .fp = PX_NONE32};
    if (!add_blocks(p, place) || !p->nregs || !find_live(p, index)) return false;
    find_same(p);
    find_wide(p);
    if (p->fp == PX_NONE32) p->fp = PX_FP_HOME;
    return true;
}

void px_plan_end(struct px_plan *p)
{
    for (uint32_t r = 0; r < p->nregs; r++) p->number[p->reg[r]] = 0;
}
