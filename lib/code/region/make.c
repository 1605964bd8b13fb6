/*
 * make.c - the machine code of a loop.
 *
 *     for each pass of `groups` groups of 8 or 16 lanes, some of which are inside
 *         load what is live at the head
 *         head: no fuel: the lanes that are here stay, else one turn less
 *             blocks in the order of the layout, for the lanes that come to each
 *         while any lane goes back to the head
 *         store what is live where lanes have left
 *
 * Registers: rdi the frame, rsi the px_region_call, r10 constants, rdx and r11 the frame and 4 or 8 bytes for
 * each lane before the pass, r9 the call and a bit for each, rcx fuel, r8 passes left, rax rcx scratch. Vector
 * registers 0 to 27 hold values, the others what an instruction needs meanwhile; mask registers 1 to 6 hold
 * lanes and predicates, 7 what an instruction needs.
 *
 * Where lanes part, a mask for each group says who runs a block; a branch makes two of it, which are joined
 * where their ways meet. Values are written under it where the old one matters for lanes that are elsewhere:
 * at other blocks, or outside, when it is live where they left.
 */
#include "code/region/make.h"
#include <stddef.h>
#include <string.h>

enum {
    VALUES = 28, /* vector registers */
    SCRATCH_T = 28,
    SCRATCH_U,
    SCRATCH_A,
    SCRATCH_B,
    MASK = 7, /* scratch */
    GROUPS = 4,
    NONE = 0xff,
    CONSTANTS = 96,
    JUMPS = 32
};

#define CALL_AT(field) ((int32_t)offsetof(struct px_region_call, field))

/* A scalar that is no register: of the parameters, of the block, or a constant. */
struct constant {
    uint8_t kind, elem, home;
    uint32_t at, uses;
    uint64_t value;
};

struct leave {
    uint32_t jump, site;
    uint8_t mask[GROUPS];
};

struct maker {
    const struct px_plan *p;
    struct px_x86 *x;
    struct px_region *region;
    unsigned groups;
    bool counted, failed;
    uint32_t free, free_masks, least; /* registers that are free; the fewest that ever were */
    uint8_t home[PX_PLAN_REGS][GROUPS];
    uint8_t weight; /* px_region_call.weight; NONE */
    uint8_t cur[GROUPS];                       /* who runs the block; NONE: all */
    uint8_t wait[PX_PLAN_HEAD + 1][GROUPS];    /* who waits at a block; */
    bool waits[PX_PLAN_HEAD + 1];              /* somebody does */
    struct constant constant[CONSTANTS];
    uint32_t nconstants, hoisted;
    struct leave leave[JUMPS];
    uint32_t nleaves;
    uint32_t to_end[JUMPS], nends; /* jumps to where a pass is over */
    px_plan_set held;              /* registers that keep their places in the whole loop */
    px_plan_set *dies;             /* by instruction of the block */
};

/* ---- registers ---- */

static uint8_t take_vector(struct maker *m)
{
    if (!m->free) {
        m->failed = true;
        return 0;
    }
    const unsigned r = (unsigned)__builtin_ctz(m->free);
    m->free &= m->free - 1;
    const uint32_t left = (uint32_t)__builtin_popcount(m->free);
    if (left < m->least) m->least = left;
    return (uint8_t)r;
}

static uint8_t take_mask(struct maker *m)
{
    if (!m->free_masks) {
        m->failed = true;
        return 1;
    }
    const unsigned r = (unsigned)__builtin_ctz(m->free_masks);
    m->free_masks &= m->free_masks - 1;
    return (uint8_t)r;
}

static bool is_predicate(const struct maker *m, unsigned number)
{
    return px_plan_has(&m->p->predicates, number);
}

static bool is_same(const struct maker *m, unsigned number)
{
    return px_plan_has(&m->p->same, number);
}

static unsigned groups_of(const struct maker *m, unsigned number)
{
    return is_same(m, number) ? 1 : m->groups;
}

static void hold(struct maker *m, unsigned number)
{
    if (m->home[number][0] != NONE) return;
    for (unsigned g = 0; g < groups_of(m, number); g++)
        m->home[number][g] = is_predicate(m, number) ? take_mask(m) : take_vector(m);
}

static void let_go(struct maker *m, unsigned number)
{
    if (m->home[number][0] == NONE) return;
    for (unsigned g = 0; g < groups_of(m, number); g++)
        *(is_predicate(m, number) ? &m->free_masks : &m->free) |= 1u << m->home[number][g];
    m->home[number][0] = NONE;
}

static uint8_t home_of(const struct maker *m, unsigned number, unsigned group)
{
    return m->home[number][is_same(m, number) ? 0 : group];
}

static bool is_wide(const struct maker *m, unsigned number)
{
    return px_plan_reg(m->p, number)->elem == 8;
}

/* ---- instructions ---- */

static void emit(struct maker *m, struct px_x86_vector v)
{
    v.lanes = m->p->lanes;
    px_x86_vector(m->x, &v);
}

static void move(struct maker *m, bool wide, unsigned d, unsigned a, unsigned mask)
{
    if (d == a) return;
    emit(m, (struct px_x86_vector){.insn = wide ? PX_X86_vmovdqa64 : PX_X86_vmovdqa32,
                                   .d = d,
                                   .m = px_x86_reg(a),
                                   .mask = mask});
}

/* Where a register's row begins for a group of this pass. */
static struct px_x86_rm row_of(const struct maker *m, unsigned number, unsigned group)
{
    const struct px_ir_reg *r = px_plan_reg(m->p, number);
    return px_x86_mem(r->elem == 8 ? PX_R11 : PX_RDX, (int32_t)(r->row + group * m->p->lanes * r->elem));
}

/* ---- constants ---- */

static uint64_t value_of(const struct px_plan *p, const struct px_ir_opd *o)
{
    const uint64_t value = p->f->values.at[o->at];
    return o->elem == 4 ? (uint32_t)value : value;
}

static struct constant *constant_add(struct maker *m, struct constant c)
{
    for (uint32_t i = 0; i < m->nconstants; i++) {
        struct constant *is = &m->constant[i];
        if (is->kind == c.kind && is->elem == c.elem && is->at == c.at && is->value == c.value) return is;
    }
    if (m->nconstants == CONSTANTS) {
        m->failed = true;
        return &m->constant[0];
    }
    c.home = NONE;
    m->constant[m->nconstants] = c;
    return &m->constant[m->nconstants++];
}

static struct constant *constant_of(struct maker *m, const struct px_ir_opd *o)
{
    const bool imm = o->kind == PX_IR_IMM;
    return constant_add(m, (struct constant){.kind = o->kind,
                                             .elem = o->elem,
                                             .at = imm ? 0 : o->at,
                                             .value = imm ? value_of(m->p, o) : 0});
}

static struct constant *number_of(struct maker *m, uint64_t value, unsigned elem)
{
    return constant_add(m, (struct constant){.kind = PX_IR_IMM, .elem = (uint8_t)elem, .value = value});
}

static struct px_x86_rm place_of(const struct maker *m, const struct constant *c)
{
    const struct px_fcode *code = m->p->f->code;
    if (c->kind == PX_IR_PARAM) return px_x86_all(PX_RDI, (int32_t)(code->params + c->at));
    if (c->kind == PX_IR_UNIFORM) return px_x86_all(PX_RDI, (int32_t)(code->uniform + c->at));
    return px_x86_all(PX_R10, (int32_t)((c - m->constant) * 8));
}

static void broadcast(struct maker *m, unsigned elem, unsigned d, struct px_x86_rm from, unsigned mask)
{
    from.broadcast = false;
    emit(m, (struct px_x86_vector){.insn = elem == 8 ? PX_X86_vpbroadcastq : PX_X86_vpbroadcastd,
                                   .d = d,
                                   .m = from,
                                   .mask = mask});
}

static unsigned constant_register(struct maker *m, struct constant *c, unsigned scratch)
{
    c->uses++;
    if (c->home != NONE) return c->home;
    broadcast(m, c->elem, scratch, place_of(m, c), 0);
    return scratch;
}

/* In memory, where the instruction takes it so. */
static struct px_x86_rm constant_operand(struct maker *m, struct constant *c, enum px_x86_insn insn,
                                         unsigned scratch)
{
    if (c->home == NONE && px_x86_infos[insn].elem == c->elem) {
        c->uses++;
        return place_of(m, c);
    }
    return px_x86_reg(constant_register(m, c, scratch));
}

/* ---- operands ---- */

/* An operand of a machine form. */
struct source {
    const struct px_ir_opd *o; /* NULL: a scratch register, */
    unsigned scratch;
    struct constant *c; /* or a constant of the form */
};

static unsigned source_register(struct maker *m, const struct source *s, unsigned group, unsigned scratch)
{
    if (s->c) return constant_register(m, s->c, scratch);
    if (!s->o) return s->scratch;
    if (s->o->kind == PX_IR_REG) return home_of(m, px_plan_number(m->p, s->o), group);
    return constant_register(m, constant_of(m, s->o), scratch);
}

static struct px_x86_rm source_operand(struct maker *m, const struct source *s, unsigned group,
                                       enum px_x86_insn insn, unsigned scratch)
{
    if (s->c) return constant_operand(m, s->c, insn, scratch);
    if (!s->o || s->o->kind == PX_IR_REG) return px_x86_reg(source_register(m, s, group, scratch));
    return constant_operand(m, constant_of(m, s->o), insn, scratch);
}

static bool is_constant(const struct source *s)
{
    return s->c || (s->o && s->o->kind != PX_IR_REG);
}

/* ---- masks of writes ---- */

static bool others_hold(const struct maker *m, unsigned number)
{
    if (px_plan_has(&m->p->leaving, number)) return true;
    for (unsigned b = 0; b <= PX_PLAN_HEAD; b++) {
        const struct px_plan_block *at = &m->p->block[b == PX_PLAN_HEAD ? 0 : b];
        if (m->waits[b] && px_plan_has(&at->live, number)) return true;
    }
    return false;
}

/* The mask register under which a group of the result is written; 0: whole. */
static unsigned write_mask(struct maker *m, const struct px_ir_inst *in, unsigned number, unsigned group)
{
    const bool inside = m->p->parts && !is_same(m, number) && m->cur[group] != NONE;
    if (in->guard == PX_NONE32) return inside && others_hold(m, number) ? m->cur[group] : 0;
    const unsigned guard = home_of(m, m->p->number[in->guard] - 1u, group);
    if (!(in->flags & PX_IR_INST_NEGATED) && !inside) return guard;
    if (in->flags & PX_IR_INST_NEGATED && !inside)
        px_x86_mask(m->x, PX_X86_knotw, MASK, guard, 0);
    else
        px_x86_mask(m->x, in->flags & PX_IR_INST_NEGATED ? PX_X86_kandnw : PX_X86_kandw, MASK, guard,
                    m->cur[group]);
    return MASK;
}

/* ---- statements ---- */

struct operands {
    const struct px_ir_opd *o;
    const struct px_machine_form *form;
    bool swapped;
};

static struct source operand(struct maker *m, const struct operands *s, unsigned which)
{
    if (which == PX_FORM_T || which == PX_FORM_U)
        return (struct source){.scratch = which == PX_FORM_T ? SCRATCH_T : SCRATCH_U};
    if (which == PX_FORM_CONSTANT) {
        const unsigned elem = s->o[0].elem;
        return (struct source){.c = number_of(m, elem == 4 ? (uint32_t)s->form->constant : s->form->constant, elem)};
    }
    if (s->swapped && which <= PX_FORM_B && which >= PX_FORM_A) which = PX_FORM_A + PX_FORM_B - which;
    return (struct source){.o = &s->o[which - PX_FORM_D]};
}

/* d = a * b + c, where d may be one of them. */
static void fused(struct maker *m, const struct operands *s, const struct px_form_step *step, unsigned d,
                  unsigned mask, unsigned group)
{
    const struct source a = operand(m, s, step->opd[1]), b = operand(m, s, step->opd[2]), c = operand(m, s, step->opd[3]);
    const unsigned x = source_register(m, &a, group, SCRATCH_A), y = source_register(m, &b, group, SCRATCH_B);
    const struct px_x86_rm z = source_operand(m, &c, group, (enum px_x86_insn)step->insn, SCRATCH_T);
    struct px_x86_vector v = {.insn = (enum px_x86_insn)step->insn, .d = d, .v = y, .m = z, .mask = mask};
    if (d == y) v.v = x;
    if (d == x || d == y) {
        emit(m, v);
        return;
    }
    if (!z.memory && z.reg == d) { /* 231: d += x * y */
        v.insn = PX_X86_vfmadd231ps, v.v = x, v.m = px_x86_reg(y);
        emit(m, v);
        return;
    }
    v.d = mask ? SCRATCH_U : d;
    move(m, false, v.d, x, 0);
    v.mask = 0;
    emit(m, v);
    move(m, false, d, v.d, mask);
}

/* A mask register: what was there stays outside `mask`. */
static void join_masks(struct maker *m, unsigned d, unsigned mask)
{
    px_x86_mask(m->x, PX_X86_kandw, MASK, MASK, mask);
    px_x86_mask(m->x, PX_X86_kandnw, d, mask, d);
    px_x86_mask(m->x, PX_X86_korw, d, d, MASK);
}

static void masks_step(struct maker *m, const struct operands *s, const struct px_form_step *step, unsigned d,
                       unsigned mask, unsigned group)
{
    unsigned k[2] = {0, 0};
    for (unsigned i = 1; i < PX_FORM_OPERANDS && step->opd[i]; i++) {
        const struct source a = operand(m, s, step->opd[i]);
        k[i - 1] = home_of(m, px_plan_number(m->p, a.o), group);
    }
    px_x86_mask(m->x, (enum px_x86_insn)step->insn, mask ? MASK : d, k[0], k[1]);
    if (mask) join_masks(m, d, mask);
}

static void vector_step(struct maker *m, const struct operands *s, const struct px_form_step *step, unsigned d,
                        unsigned mask, unsigned group)
{
    const enum px_x86_insn insn = (enum px_x86_insn)step->insn;
    const unsigned form = px_x86_infos[insn].form;
    const bool compares = form == PX_X86_KVM;
    struct px_x86_vector v = {.insn = insn, .d = d, .mask = mask, .imm = step->imm};
    const unsigned last = form == PX_X86_VVM || compares ? 2 : 1;
    const struct source a = operand(m, s, step->opd[1]), b = operand(m, s, step->opd[last]);
    if (last == 2) v.v = source_register(m, &a, group, SCRATCH_A);
    if (form == PX_X86_MV) {
        v.d = source_register(m, &b, group, SCRATCH_B);
        v.m = px_x86_reg(d);
        emit(m, v);
        return;
    }
    v.m = source_operand(m, &b, group, insn, SCRATCH_B);
    if (compares && mask) v.d = MASK;
    if (step->mask) { /* it chooses by a predicate of its own */
        v.mask = home_of(m, px_plan_number(m->p, &s->o[step->mask - PX_FORM_D]), group);
        if (mask) v.d = SCRATCH_T;
    }
    emit(m, v);
    if (compares && mask) join_masks(m, d, mask);
    if (step->mask && mask) move(m, px_x86_infos[insn].wide, d, SCRATCH_T, mask);
}

static void step(struct maker *m, const struct operands *s, const struct px_form_step *is, unsigned d, unsigned mask,
                 unsigned group)
{
    const unsigned form = px_x86_infos[is->insn].form;
    if (form == PX_X86_FMA)
        fused(m, s, is, d, mask, group);
    else if (form == PX_X86_KKK || form == PX_X86_KK)
        masks_step(m, s, is, d, mask, group);
    else
        vector_step(m, s, is, d, mask, group);
}

static void statement(struct maker *m, const struct px_ir_inst *in, unsigned d)
{
    struct operands s = {.o = px_ir_opds(m->p->f, in), .form = px_machine_form(in->op & ~PX_IR_KIND)};
    const struct px_handler_set *set = &m->p->f->coder->level->sets[in->op & ~PX_IR_KIND];
    const struct source a = operand(m, &s, PX_FORM_A);
    s.swapped = set->swaps && is_constant(&a);
    for (unsigned g = 0; g < groups_of(m, d); g++) {
        const unsigned mask = write_mask(m, in, d, g);
        for (unsigned i = 0; i < s.form->n; i++) {
            const struct px_form_step *is = &s.form->step[i];
            const bool last = i + 1u == s.form->n;
            const unsigned to = last ? home_of(m, d, g) : is->opd[0] == PX_FORM_T ? SCRATCH_T : SCRATCH_U;
            step(m, &s, is, to, last ? mask : 0, g);
        }
    }
}

static void copy(struct maker *m, const struct px_ir_inst *in, unsigned d)
{
    const struct px_ir_opd *o = px_ir_opds(m->p->f, in);
    const struct source a = {.o = &o[1]};
    const bool widens = o[0].elem > o[1].elem, narrows = o[0].elem < o[1].elem;
    for (unsigned g = 0; g < groups_of(m, d); g++) {
        const unsigned mask = write_mask(m, in, d, g), to = home_of(m, d, g);
        if (is_predicate(m, d)) {
            px_x86_mask_move(m->x, mask ? MASK : to, source_register(m, &a, g, 0));
            if (mask) join_masks(m, to, mask);
        } else if (!widens && !narrows && is_constant(&a)) {
            struct constant *c = constant_of(m, &o[1]);
            if (c->home == NONE)
                broadcast(m, c->elem, to, place_of(m, c), mask);
            else
                move(m, o->elem == 8, to, c->home, mask);
        } else if (!widens && !narrows) {
            move(m, o->elem == 8, to, source_register(m, &a, g, 0), mask);
        } else {
            const unsigned from = source_register(m, &a, g, SCRATCH_A);
            struct px_x86_vector v = {.insn = in->fact ? PX_X86_vpmovsxdq : PX_X86_vpmovzxdq,
                                      .d = to,
                                      .m = px_x86_reg(from),
                                      .mask = mask};
            if (narrows) v.insn = PX_X86_vpmovqd, v.d = from, v.m = px_x86_reg(to);
            emit(m, v);
        }
    }
}

/* Every NaN becomes the chip's. */
static void canon(struct maker *m, const struct px_ir_inst *in, unsigned d)
{
    enum { UNORDERED = 3 };
    const struct source a = {.o = &px_ir_opds(m->p->f, in)[1]};
    struct constant *nan = number_of(m, 0x7fffffff, 4);
    for (unsigned g = 0; g < groups_of(m, d); g++) {
        unsigned mask = write_mask(m, in, d, g);
        const unsigned from = source_register(m, &a, g, SCRATCH_A), to = home_of(m, d, g);
        move(m, false, to, from, mask);
        emit(m, (struct px_x86_vector){.insn = PX_X86_vcmpps,
                                       .d = MASK,
                                       .v = from,
                                       .m = px_x86_reg(from),
                                       .mask = mask,
                                       .imm = UNORDERED});
        if (nan->home == NONE)
            broadcast(m, 4, to, place_of(m, nan), MASK);
        else
            move(m, false, to, nan->home, MASK);
        nan->uses++;
    }
}

/* ---- edges ---- */

static int32_t lanes_at(const struct maker *m, unsigned group)
{
    return (int32_t)(group * m->p->lanes / 8);
}

static void drop_masks(struct maker *m, const uint8_t mask[GROUPS])
{
    for (unsigned g = 0; g < m->groups; g++) m->free_masks |= 1u << mask[g];
}

/* Lanes leave by a site; those of the site `rest` are found by who is nowhere else. */
static void leave_by(struct maker *m, unsigned site, const uint8_t mask[GROUPS])
{
    for (unsigned g = 0; g < m->groups && m->region->rest != site + 1; g++) {
        const int32_t at = CALL_AT(out[site + 1]) + lanes_at(m, g);
        px_x86_mask_load(m->x, m->p->lanes, MASK, PX_R9, at);
        px_x86_mask(m->x, PX_X86_korw, MASK, MASK, mask[g]);
        px_x86_mask_store(m->x, m->p->lanes, MASK, PX_R9, at);
    }
    drop_masks(m, mask);
}

/* Lanes go along an edge. */
static void go(struct maker *m, uint8_t edge, const uint8_t mask[GROUPS])
{
    if (!m->p->parts) {
        m->waits[edge] = true;
        return;
    }
    if (edge >= PX_PLAN_SITE) {
        leave_by(m, edge - PX_PLAN_SITE, mask);
        return;
    }
    for (unsigned g = 0; g < m->groups; g++) {
        if (m->waits[edge])
            px_x86_mask(m->x, PX_X86_korw, m->wait[edge][g], m->wait[edge][g], mask[g]);
        else
            m->wait[edge][g] = mask[g];
    }
    if (m->waits[edge]) drop_masks(m, mask);
    m->waits[edge] = true;
}

static void leave_together(struct maker *m, uint8_t edge, enum px_x86_if when)
{
    if (m->nleaves == JUMPS) {
        m->failed = true;
        return;
    }
    struct leave *l = &m->leave[m->nleaves++];
    l->jump = px_x86_jump(m->x, when);
    l->site = edge - PX_PLAN_SITE;
    memcpy(l->mask, m->cur, sizeof l->mask);
}

/* All lanes take the branch, or none. */
static void branch_together(struct maker *m, const struct px_plan_block *b)
{
    const unsigned k = home_of(m, px_plan_number(m->p, px_ir_opds(m->p->f, b->last)), 0);
    const bool negated = b->last->fact;
    px_x86_mask_test(m->x, m->p->lanes, k, k);
    if (b->taken >= PX_PLAN_SITE) {
        leave_together(m, b->taken, negated ? PX_X86_ZERO : PX_X86_NOT_ZERO);
        if (b->falls >= PX_PLAN_SITE)
            leave_together(m, b->falls, PX_X86_ALWAYS);
        else
            go(m, b->falls, m->cur);
        return;
    }
    leave_together(m, b->falls, negated ? PX_X86_NOT_ZERO : PX_X86_ZERO);
    go(m, b->taken, m->cur);
}

static void count_ways(struct maker *m, unsigned block, const uint8_t mask[GROUPS]);

/* Lanes for which the predicate holds go one way, the others another. */
static void branch_apart(struct maker *m, const struct px_plan_block *b, const px_plan_set *dies)
{
    const unsigned number = px_plan_number(m->p, px_ir_opds(m->p->f, b->last));
    const bool negated = b->last->fact, reuse = px_plan_has(dies, number) && !px_plan_has(&m->held, number) && !is_same(m, number);
    uint8_t taken[GROUPS];
    for (unsigned g = 0; g < m->groups; g++) {
        const unsigned k = home_of(m, number, g);
        taken[g] = reuse ? (uint8_t)k : take_mask(m);
        px_x86_mask(m->x, negated ? PX_X86_kandnw : PX_X86_kandw, taken[g], k, m->cur[g]);
        px_x86_mask(m->x, PX_X86_kxorw, m->cur[g], m->cur[g], taken[g]);
    }
    if (reuse) m->home[number][0] = NONE; /* its registers are those lanes' now */
    const unsigned block = (unsigned)(b - m->p->block);
    count_ways(m, block, taken);
    count_ways(m, block, m->cur);
    go(m, b->taken, taken);
    go(m, b->falls, m->cur);
}

/* ---- counts ---- */

static void read_lanes(struct maker *m, const uint8_t mask[GROUPS])
{
    px_x86_mask_read(m->x, m->p->lanes, PX_RAX, mask[0]);
    for (unsigned g = 1; g < m->groups; g++) {
        px_x86_push(m->x, PX_RCX);
        px_x86_mask_read(m->x, m->p->lanes, PX_RCX, mask[g]);
        px_x86_shift_left(m->x, PX_RCX, g * m->p->lanes);
        px_x86_alu(m->x, PX_X86_OR, PX_RAX, PX_RCX);
        px_x86_pop(m->x, PX_RCX);
    }
}

static void count_ways(struct maker *m, unsigned block, const uint8_t mask[GROUPS])
{
    if (!m->counted) return;
    read_lanes(m, mask);
    px_x86_count_some(m->x, PX_RAX, PX_RSI, CALL_AT(count[block].ways));
}

static void count_block(struct maker *m, unsigned block)
{
    const struct px_plan_block *b = &m->p->block[block];
    if (!m->p->parts) return;
    if (m->counted) {
        read_lanes(m, m->cur);
        px_x86_count_some(m->x, PX_RAX, PX_RSI, CALL_AT(count[block].warps));
        px_x86_popcount(m->x, PX_RAX, PX_RAX);
        px_x86_alu_to(m->x, PX_X86_ADD, PX_RSI, CALL_AT(count[block].threads), PX_RAX);
        return;
    }
    const uint32_t insts = block ? b->insts : m->region->insts;
    if (!insts || (block && b->all)) return;
    struct constant *c = number_of(m, insts, 4);
    for (unsigned g = 0; g < m->groups; g++) {
        const struct px_x86_rm by = constant_operand(m, c, PX_X86_vpaddd, SCRATCH_A);
        emit(m, (struct px_x86_vector){.insn = PX_X86_vpaddd, .d = m->weight, .v = m->weight, .m = by, .mask = m->cur[g]});
    }
}

/* ---- blocks ---- */

static void find_deaths(struct maker *m, const struct px_plan_block *b)
{
    px_plan_set live = b->behind;
    for (uint32_t i = b->n; i-- > 0;) {
        px_plan_set reads, writes;
        const struct px_ir_inst *in = &m->p->f->insts.at[b->first + i];
        px_plan_uses(m->p, in, &reads, &writes);
        m->dies[i] = px_lanes_minus(px_lanes_or(reads, writes), live);
        if (in->guard == PX_NONE32) live = px_lanes_minus(live, writes);
        live = px_lanes_or(live, reads);
    }
}

static void release(struct maker *m, const px_plan_set *set)
{
    uint32_t number;
    const px_plan_set gone = px_lanes_minus(*set, m->held);
    PX_FOR_LANES(number, gone) let_go(m, number);
}

/* A result takes the registers of a source that nobody reads again, group by group, so that none is written
 * before it is read. The number of the source; NONE: there is none such. */
static uint32_t inherit(struct maker *m, unsigned d, const px_plan_set *dies)
{
    uint32_t number;
    const px_plan_set gone = px_lanes_minus(*dies, m->held);
    PX_FOR_LANES(number, gone)
    {
        const bool alike = is_predicate(m, number) == is_predicate(m, d) && is_same(m, number) == is_same(m, d);
        if (!alike || m->home[number][0] == NONE) continue;
        memcpy(m->home[d], m->home[number], sizeof m->home[d]);
        return number;
    }
    return NONE;
}

static void instruction(struct maker *m, const struct px_ir_inst *in, const px_plan_set *dies)
{
    const struct px_ir_opd *o = px_ir_opds(m->p->f, in);
    if (in->op == PX_IR_NOTHING || in->op == PX_IR_JUMP || in->op == PX_IR_BRANCH) return;
    const unsigned d = px_plan_number(m->p, o);
    px_plan_set sources = *dies;
    px_plan_drop(&sources, d);
    const uint32_t heir = m->home[d][0] == NONE ? inherit(m, d, &sources) : NONE;
    hold(m, d);
    if (m->failed) return;
    if (px_ir_kind_of(in->op) == PX_IR_STATEMENT)
        statement(m, in, d);
    else if (in->op == PX_IR_COPY)
        copy(m, in, d);
    else
        canon(m, in, d);
    if (heir != NONE) m->home[heir][0] = NONE;
    release(m, &sources);
    if (px_plan_has(dies, d) && !px_plan_has(&m->held, d)) let_go(m, d);
}

static void block(struct maker *m, unsigned number)
{
    const struct px_plan_block *b = &m->p->block[number];
    find_deaths(m, b);
    count_block(m, number);
    for (uint32_t i = 0; i < b->n && !m->failed; i++)
        instruction(m, &m->p->f->insts.at[b->first + i], &m->dies[i]);
    if (m->failed) return;
    if (!b->last || b->last->op == PX_IR_JUMP) {
        const uint8_t edge = b->last ? b->taken : b->falls;
        if (edge < PX_PLAN_SITE || (m->p->parts && !m->p->site[edge - PX_PLAN_SITE].together))
            go(m, edge, m->cur);
        else
            leave_together(m, edge, PX_X86_ALWAYS);
        return;
    }
    if (b->together)
        branch_together(m, b);
    else
        branch_apart(m, b, &m->dies[b->n - 1]);
    release(m, &m->dies[b->n - 1]);
}

/* ---- a pass ---- */

static void load_register(struct maker *m, unsigned number)
{
    const struct px_ir_reg *r = px_plan_reg(m->p, number);
    for (unsigned g = 0; g < groups_of(m, number); g++) {
        const unsigned d = m->home[number][g], to = is_predicate(m, number) ? SCRATCH_A : d;
        if (is_same(m, number))
            broadcast(m, r->elem, to, px_x86_mem(PX_RDI, (int32_t)r->slot), 0);
        else
            emit(m, (struct px_x86_vector){.insn = is_wide(m, number) ? PX_X86_vmovdqa64 : PX_X86_vmovdqa32,
                                           .d = to,
                                           .m = row_of(m, number, g)});
        if (is_predicate(m, number))
            emit(m, (struct px_x86_vector){
                        .insn = PX_X86_vptestmd, .d = d, .v = SCRATCH_A, .m = px_x86_reg(SCRATCH_A)});
    }
}

/* The value of a group, in a vector register. */
static unsigned value_register(struct maker *m, unsigned number, unsigned group)
{
    const unsigned r = home_of(m, number, group);
    if (!is_predicate(m, number)) return r;
    emit(m, (struct px_x86_vector){.insn = PX_X86_vpmovm2d, .d = SCRATCH_A, .m = px_x86_reg(r)});
    return SCRATCH_A;
}

static void store_row(struct maker *m, unsigned number, unsigned group, unsigned mask)
{
    const bool wide = is_wide(m, number);
    emit(m, (struct px_x86_vector){.insn = wide ? PX_X86_vmovdqu64_store : PX_X86_vmovdqu32_store,
                                   .d = value_register(m, number, group),
                                   .m = row_of(m, number, group),
                                   .mask = mask});
}

static unsigned same_at(const struct maker *m, unsigned number)
{
    unsigned at = 0;
    for (unsigned r = 0; r < number; r++) at += is_same(m, r);
    return at;
}

/* What lanes share goes to the call, for the frame's slot. */
static void store_same(struct maker *m, const px_plan_set *live)
{
    uint32_t number;
    const px_plan_set set = px_lanes_and(px_lanes_and(*live, m->p->same), m->p->written);
    PX_FOR_LANES(number, set)
    {
        const unsigned from = value_register(m, number, 0);
        struct px_x86_rm to = px_x86_mem(PX_RSI, CALL_AT(same) + (int32_t)same_at(m, number) * 64);
        emit(m, (struct px_x86_vector){
                    .insn = is_wide(m, number) ? PX_X86_vmovdqu64_store : PX_X86_vmovdqu32_store, .d = from, .m = to});
    }
}

/* The mask register of the pass's lanes at the sites of a set (bit 0: at the head), bit by bit. */
static void lanes_of(struct maker *m, uint32_t sites, unsigned group)
{
    const uint32_t all = (2u << m->p->nsites) - 1, rest = m->region->rest ? 1u << m->region->rest : 0;
    const bool others = rest & sites; /* those who are not at the other sites */
    const int32_t at = lanes_at(m, group);
    bool first = true;
    if (others) {
        px_x86_mask_load(m->x, m->p->lanes, MASK, PX_R9, CALL_AT(in) + at);
        first = false;
        sites = all & ~sites;
    }
    for (unsigned s = 0; s <= m->p->nsites; s++) {
        if (!(sites >> s & 1)) continue;
        px_x86_mask_load(m->x, m->p->lanes, first ? MASK : 0, PX_R9, CALL_AT(out[s]) + at);
        if (!first) px_x86_mask(m->x, others ? PX_X86_kandnw : PX_X86_korw, MASK, others ? 0 : MASK, others ? MASK : 0);
        first = false;
    }
}

/* At which sites, and at the head, is the register live? */
static uint32_t sites_of(const struct maker *m, unsigned number)
{
    uint32_t sites = px_plan_has(&m->p->block[0].live, number);
    for (unsigned s = 0; s < m->p->nsites; s++)
        sites |= (uint32_t)px_plan_has(&m->p->site[s].live, number) << (s + 1);
    return sites;
}

/* What the loop has written, for those lanes where it matters: by sites where it does. */
static void store_parted(struct maker *m)
{
    uint32_t number, done[PX_REGION_SITES + 1], n = 0;
    PX_FOR_LANES(number, m->p->written)
    {
        const uint32_t sites = sites_of(m, number);
        unsigned i = 0;
        while (i < n && done[i] != sites) i++;
        if (i < n || !sites || n > PX_REGION_SITES) {
            if (i == n && sites) m->failed = true;
            continue;
        }
        done[n++] = sites;
        for (unsigned g = 0; g < m->groups; g++) {
            lanes_of(m, sites, g);
            for (unsigned r = number; r < m->p->nregs; r++)
                if (px_plan_has(&m->p->written, r) && sites_of(m, r) == sites) store_row(m, r, g, MASK);
        }
    }
}

static void store_together(struct maker *m, const px_plan_set *live)
{
    uint32_t number;
    const px_plan_set set = px_lanes_and(*live, m->p->written);
    store_same(m, live);
    for (unsigned g = 0; g < m->groups; g++) {
        px_x86_mask_load(m->x, m->p->lanes, MASK, PX_R9, CALL_AT(in) + lanes_at(m, g));
        PX_FOR_LANES(number, set) store_row(m, number, g, MASK);
    }
}

static void jump_to_end(struct maker *m)
{
    if (m->nends == JUMPS)
        m->failed = true;
    else
        m->to_end[m->nends++] = px_x86_jump(m->x, PX_X86_ALWAYS);
}

/* Fuel is spent: the lanes at the head stay there. */
static void spent(struct maker *m, uint32_t jump, const uint8_t head[GROUPS])
{
    px_x86_land(m->x, jump, m->x->bytes.n);
    px_x86_alu_const(m->x, PX_X86_ADD, PX_RCX, 1); /* the turn that did not begin */
    if (m->p->parts) {
        for (unsigned g = 0; g < m->groups; g++)
            px_x86_mask_store(m->x, m->p->lanes, head[g], PX_R9, CALL_AT(out[0]) + lanes_at(m, g));
        store_same(m, &m->p->block[0].live);
    } else {
        store_together(m, &m->p->block[0].live);
    }
    jump_to_end(m);
}

static void leave(struct maker *m, const struct leave *l)
{
    px_x86_land(m->x, l->jump, m->x->bytes.n);
    if (m->p->parts) {
        for (unsigned g = 0; g < m->groups; g++)
            px_x86_mask_store(m->x, m->p->lanes, l->mask[g], PX_R9, CALL_AT(out[l->site + 1]) + lanes_at(m, g));
    } else {
        px_x86_store_word(m->x, l->site + 1, PX_RSI, CALL_AT(site));
        store_together(m, &m->p->site[l->site].live);
    }
    jump_to_end(m);
}

/* Goes back to the head while any lane does. */
static void close_loop(struct maker *m, uint32_t head, const uint8_t at_head[GROUPS])
{
    if (!m->waits[PX_PLAN_HEAD]) m->failed = true;
    if (!m->p->parts || m->failed) {
        px_x86_land(m->x, px_x86_jump(m->x, PX_X86_ALWAYS), head);
        return;
    }
    const uint8_t *back = m->wait[PX_PLAN_HEAD];
    for (unsigned g = 0; g < m->groups; g++) {
        for (unsigned h = g + 1; h < m->groups; h++)
            if (back[h] == at_head[g]) m->failed = true;
        px_x86_mask_move(m->x, at_head[g], back[g]);
    }
    unsigned any = at_head[0];
    for (unsigned g = 1; g < m->groups; g++, any = MASK) px_x86_mask(m->x, PX_X86_korw, MASK, any, at_head[g]);
    px_x86_mask_test(m->x, m->p->lanes, any, any);
    px_x86_land(m->x, px_x86_jump(m->x, PX_X86_NOT_ZERO), head);
    jump_to_end(m);
}

/* Registers that are held all the time: what is live at the beginning of a block, or where lanes leave. */
static px_plan_set held_registers(const struct px_plan *p)
{
    px_plan_set held = p->block[0].live;
    for (uint32_t b = 0; b < p->nblocks; b++) held = px_lanes_or(held, p->block[b].live);
    for (uint32_t s = 0; s < p->nsites; s++) held = px_lanes_or(held, px_lanes_and(p->site[s].live, p->written));
    px_plan_set named = {{0}};
    for (uint32_t r = 0; r < p->nregs; r++) px_lanes_set(&named, r);
    return px_lanes_and(held, named);
}

static void hoist(struct maker *m)
{
    for (uint32_t i = 0; i < m->nconstants; i++) {
        struct constant *c = &m->constant[i];
        if (c->home == NONE) continue;
        broadcast(m, c->elem, c->home, place_of(m, c), 0);
    }
}

static uint32_t begin(struct maker *m)
{
    px_x86_alu(m->x, PX_X86_MOV, PX_R10, PX_RDX);
    px_x86_load(m->x, PX_R8, PX_RSI, CALL_AT(passes));
    px_x86_alu(m->x, PX_X86_MOV, PX_RDX, PX_RDI);
    px_x86_alu(m->x, PX_X86_MOV, PX_R11, PX_RDI);
    px_x86_alu(m->x, PX_X86_MOV, PX_R9, PX_RSI);
    hoist(m);
    if (m->weight != NONE)
        emit(m, (struct px_x86_vector){
                    .insn = PX_X86_vpxord, .d = m->weight, .v = m->weight, .m = px_x86_reg(m->weight)});
    return m->x->bytes.n;
}

/* The turns of the pass: all of them, and the most. */
static void count_turns(struct maker *m)
{
    px_x86_load(m->x, PX_RAX, PX_RSI, CALL_AT(fuel));
    px_x86_alu(m->x, PX_X86_SUB, PX_RAX, PX_RCX);
    px_x86_alu_to(m->x, PX_X86_ADD, PX_RSI, CALL_AT(sum), PX_RAX);
    px_x86_load(m->x, PX_RCX, PX_RSI, CALL_AT(turns));
    px_x86_alu(m->x, PX_X86_CMP, PX_RAX, PX_RCX);
    const uint32_t less = px_x86_jump(m->x, PX_X86_NOT_ABOVE);
    px_x86_store(m->x, PX_RAX, PX_RSI, CALL_AT(turns));
    px_x86_land(m->x, less, m->x->bytes.n);
}

static void end(struct maker *m, uint32_t pass, uint32_t skip)
{
    const int32_t lanes = (int32_t)(m->groups * m->p->lanes);
    for (uint32_t i = 0; i < m->nends; i++) px_x86_land(m->x, m->to_end[i], m->x->bytes.n);
    if (m->p->parts) store_parted(m);
    count_turns(m);
    px_x86_land(m->x, skip, m->x->bytes.n);
    px_x86_alu_const(m->x, PX_X86_ADD, PX_RDX, lanes * 4);
    px_x86_alu_const(m->x, PX_X86_ADD, PX_R11, lanes * 8);
    px_x86_alu_const(m->x, PX_X86_ADD, PX_R9, lanes / 8);
    px_x86_alu_const(m->x, PX_X86_SUB, PX_R8, 1);
    px_x86_land(m->x, px_x86_jump(m->x, PX_X86_NOT_ZERO), pass);
    if (m->weight != NONE)
        emit(m, (struct px_x86_vector){.insn = PX_X86_vmovdqu32_store,
                                       .d = m->weight,
                                       .m = px_x86_mem(PX_RSI, CALL_AT(weight))});
    px_x86_return(m->x);
}

static void blocks(struct maker *m)
{
    for (unsigned b = 0; b < m->p->nblocks && !m->failed; b++) {
        if (b) {
            if (!m->waits[b]) continue; /* nobody comes here */
            memcpy(m->cur, m->wait[b], sizeof m->cur);
            m->waits[b] = false;
        }
        block(m, b);
    }
}

static void make(struct maker *m)
{
    m->held = held_registers(m->p);
    uint8_t at_head[GROUPS];
    uint32_t number;
    PX_FOR_LANES(number, m->held) hold(m, number);
    if (m->p->parts && !m->counted) m->weight = take_vector(m);
    if (m->p->parts)
        for (unsigned g = 0; g < m->groups; g++) m->cur[g] = take_mask(m);
    if (m->failed) return;
    memcpy(at_head, m->cur, sizeof at_head);
    const uint32_t pass = begin(m);
    px_x86_is_zero(m->x, m->groups * m->p->lanes / 8, PX_R9, CALL_AT(in));
    const uint32_t skip = px_x86_jump(m->x, PX_X86_ZERO);
    px_x86_load(m->x, PX_RCX, PX_RSI, CALL_AT(fuel));
    PX_FOR_LANES(number, m->p->block[0].live) if (number < m->p->nregs) load_register(m, number);
    for (unsigned g = 0; g < m->groups && m->p->parts; g++)
        px_x86_mask_load(m->x, m->p->lanes, m->cur[g], PX_R9, CALL_AT(in) + lanes_at(m, g));
    const uint32_t head = m->x->bytes.n;
    px_x86_alu_const(m->x, PX_X86_SUB, PX_RCX, 1);
    const uint32_t empty = px_x86_jump(m->x, PX_X86_BELOW);
    blocks(m);
    if (m->failed) return;
    close_loop(m, head, at_head);
    spent(m, empty, at_head);
    for (uint32_t i = 0; i < m->nleaves; i++) leave(m, &m->leave[i]);
    end(m, pass, skip);
}

/* ---- how many groups, which constants stay ---- */

static void begin_try(struct maker *m, unsigned groups)
{
    m->groups = groups;
    m->failed = false;
    m->free = (1u << VALUES) - 1;
    m->free_masks = 0x7e;
    m->least = VALUES;
    m->weight = NONE;
    m->nleaves = m->nends = 0;
    memset(m->home, NONE, sizeof m->home);
    memset(m->cur, NONE, sizeof m->cur);
    memset(m->waits, 0, sizeof m->waits);
}

/* With what is left of registers, those constants that are named most often are held all the time. */
static void choose_constants(struct maker *m, uint32_t room)
{
    for (; room; room--) {
        struct constant *best = NULL;
        for (uint32_t i = 0; i < m->nconstants; i++) {
            struct constant *c = &m->constant[i];
            if (c->home == NONE && c->uses && (!best || c->uses > best->uses)) best = c;
        }
        if (!best) break;
        best->home = take_vector(m);
        best->uses = 0;
    }
}

static bool try_groups(struct maker *m, unsigned groups)
{
    const uint32_t from = m->x->bytes.n;
    m->nconstants = 0;
    begin_try(m, groups);
    make(m);
    m->x->bytes.n = from;
    if (m->failed) return false;
    const uint32_t room = m->least;
    begin_try(m, groups);
    choose_constants(m, room);
    make(m);
    if (m->failed) m->x->bytes.n = from;
    return !m->failed;
}

/* The site whose lanes are found by who is nowhere else: the first by which lanes leave one by one. */
static uint32_t rest_site(const struct px_plan *p)
{
    for (uint32_t s = 0; s < p->nsites && p->parts; s++)
        if (!p->site[s].together) return s + 1;
    return 0;
}

static void keep_constants(const struct maker *m)
{
    uint64_t *values = PX_NEW_N(m->p->f->coder->keep, uint64_t, m->nconstants + 1);
    for (uint32_t i = 0; i < m->nconstants; i++) values[i] = m->constant[i].value;
    m->region->constants = values;
}

bool px_region_make(const struct px_plan *p, struct px_x86 *x, struct px_region *region, bool counted)
{
    struct maker *m = PX_NEW(p->pass, struct maker);
    const unsigned width = p->f->coder->width;
    unsigned groups = GROUPS;
    uint32_t most = 1;
    for (uint32_t b = 0; b < p->nblocks; b++)
        if (p->block[b].n > most) most = p->block[b].n;
    *m = (struct maker){.p = p, .x = x, .region = region, .counted = counted && p->parts};
    m->dies = PX_NEW_N(p->pass, px_plan_set, most);
    region->rest = rest_site(p);
    while (groups * p->lanes > width || (p->parts && groups * p->lanes > PX_WARP)) groups /= 2;
    while (groups && !try_groups(m, groups)) groups = m->counted ? 0 : groups / 2;
    if (!groups) return false;
    region->lanes = groups * p->lanes;
    keep_constants(m);
    return true;
}
