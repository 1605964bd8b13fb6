/* statements.c - machine code of instructions that compute. */
#include "code/region/maker.h"

/* ---- masks of writes ---- */

static bool others_hold(const struct px_maker *m, unsigned number)
{
    if (px_plan_has(&m->p->leaving, number)) return true;
    for (unsigned b = 0; b <= PX_PLAN_HEAD; b++) {
        const struct px_plan_block *at = &m->p->block[b == PX_PLAN_HEAD ? 0 : b];
        if (m->waits[b] && px_plan_has(&at->live, number)) return true;
    }
    return false;
}

/* The mask register under which a group of the result is written; 0: whole. */
static unsigned write_mask(struct px_maker *m, const struct px_ir_inst *in, unsigned number, unsigned group)
{
    const bool inside = m->p->parts && !px_maker_is_same(m, number) && m->cur[group] != PX_MAKER_NONE;
    if (in->guard == PX_NONE32) return inside && others_hold(m, number) ? m->cur[group] : 0;
    const unsigned guard = px_maker_home_of(m, m->p->number[in->guard] - 1u, group);
    if (!(in->flags & PX_IR_INST_NEGATED) && !inside) return guard;
    if (in->flags & PX_IR_INST_NEGATED && !inside)
        px_x86_mask(m->x, PX_X86_knotw, PX_MAKER_MASK, guard, 0);
    else
        px_x86_mask(m->x, in->flags & PX_IR_INST_NEGATED ? PX_X86_kandnw : PX_X86_kandw, PX_MAKER_MASK, guard,
                    m->cur[group]);
    return PX_MAKER_MASK;
}

/* ---- statements ---- */

struct operands {
    const struct px_ir_opd *o;
    const struct px_machine_form *form;
    bool swapped;
};

static struct px_maker_source operand(struct px_maker *m, const struct operands *s, unsigned which)
{
    if (which == PX_FORM_T || which == PX_FORM_U)
        return (struct px_maker_source){.scratch =
                                            which == PX_FORM_T ? PX_MAKER_SCRATCH_T : PX_MAKER_SCRATCH_U};
    if (which == PX_FORM_CONSTANT) {
        const unsigned elem = s->o[0].elem;
        return (struct px_maker_source){
            .c = px_maker_number_of(m, elem == 4 ? (uint32_t)s->form->constant : s->form->constant, elem)};
    }
    if (s->swapped && which <= PX_FORM_B && which >= PX_FORM_A) which = PX_FORM_A + PX_FORM_B - which;
    return (struct px_maker_source){.o = &s->o[which - PX_FORM_D]};
}

/* d = a * b + c, where d may be one of them. */
static void fused(struct px_maker *m, const struct operands *s, const struct px_form_step *step, unsigned d,
                  unsigned mask, unsigned group)
{
    const struct px_maker_source a = operand(m, s, step->opd[1]), b = operand(m, s, step->opd[2]),
                                 c = operand(m, s, step->opd[3]);
    const unsigned x = px_maker_source_register(m, &a, group, PX_MAKER_SCRATCH_A),
                   y = px_maker_source_register(m, &b, group, PX_MAKER_SCRATCH_B);
    const struct px_x86_rm z =
        px_maker_source_operand(m, &c, group, (enum px_x86_insn)step->insn, PX_MAKER_SCRATCH_T);
    struct px_x86_vector v = {.insn = (enum px_x86_insn)step->insn, .d = d, .v = y, .m = z, .mask = mask};
    if (d == y) v.v = x;
    if (d == x || d == y) {
        px_maker_emit(m, v);
        return;
    }
    if (!z.memory && z.reg == d) { /* 231: d += x * y */
        v.insn = PX_X86_vfmadd231ps, v.v = x, v.m = px_x86_reg(y);
        px_maker_emit(m, v);
        return;
    }
    v.d = mask ? PX_MAKER_SCRATCH_U : d;
    px_maker_move(m, false, v.d, x, 0);
    v.mask = 0;
    px_maker_emit(m, v);
    px_maker_move(m, false, d, v.d, mask);
}

/* A mask register: what was there stays outside `mask`. */
static void join_masks(struct px_maker *m, unsigned d, unsigned mask)
{
    px_x86_mask(m->x, PX_X86_kandw, PX_MAKER_MASK, PX_MAKER_MASK, mask);
    px_x86_mask(m->x, PX_X86_kandnw, d, mask, d);
    px_x86_mask(m->x, PX_X86_korw, d, d, PX_MAKER_MASK);
}

static void masks_step(struct px_maker *m, const struct operands *s, const struct px_form_step *step,
                       unsigned d, unsigned mask, unsigned group)
{
    unsigned k[PX_FORM_OPERANDS - 1] = {0};
    for (unsigned i = 1; i < PX_FORM_OPERANDS && step->opd[i]; i++) {
        const struct px_maker_source a = operand(m, s, step->opd[i]);
        k[i - 1] = px_maker_home_of(m, px_plan_number(m->p, a.o), group);
    }
    px_x86_mask(m->x, (enum px_x86_insn)step->insn, mask ? PX_MAKER_MASK : d, k[0], k[1]);
    if (mask) join_masks(m, d, mask);
}

static void vector_step(struct px_maker *m, const struct operands *s, const struct px_form_step *step,
                        unsigned d, unsigned mask, unsigned group)
{
    const enum px_x86_insn insn = (enum px_x86_insn)step->insn;
    const unsigned form = px_x86_infos[insn].form;
    const bool compares = form == PX_X86_KVM;
    struct px_x86_vector v = {.insn = insn, .d = d, .mask = mask, .imm = step->imm};
    const unsigned last = form == PX_X86_VVM || compares ? 2 : 1;
    const struct px_maker_source a = operand(m, s, step->opd[1]), b = operand(m, s, step->opd[last]);
    if (last == 2) v.v = px_maker_source_register(m, &a, group, PX_MAKER_SCRATCH_A);
    if (form == PX_X86_MV) {
        v.d = px_maker_source_register(m, &b, group, PX_MAKER_SCRATCH_B);
        v.m = px_x86_reg(d);
        px_maker_emit(m, v);
        return;
    }
    v.m = px_maker_source_operand(m, &b, group, insn, PX_MAKER_SCRATCH_B);
    if (compares && mask) v.d = PX_MAKER_MASK;
    if (step->mask) { /* it chooses by a predicate of its own */
        v.mask = px_maker_home_of(m, px_plan_number(m->p, &s->o[step->mask - PX_FORM_D]), group);
        if (mask) v.d = PX_MAKER_SCRATCH_T;
    }
    px_maker_emit(m, v);
    if (compares && mask) join_masks(m, d, mask);
    if (step->mask && mask) px_maker_move(m, px_x86_infos[insn].wide, d, PX_MAKER_SCRATCH_T, mask);
}

static void step(struct px_maker *m, const struct operands *s, const struct px_form_step *is, unsigned d,
                 unsigned mask, unsigned group)
{
    const unsigned form = px_x86_infos[is->insn].form;
    if (form == PX_X86_FMA)
        fused(m, s, is, d, mask, group);
    else if (form == PX_X86_KKK || form == PX_X86_KK)
        masks_step(m, s, is, d, mask, group);
    else
        vector_step(m, s, is, d, mask, group);
}

void px_maker_statement(struct px_maker *m, const struct px_ir_inst *in, unsigned d)
{
    struct operands s = {.o = px_ir_opds(m->p->f, in), .form = px_machine_form(in->op & ~PX_IR_KIND)};
    const struct px_handler_set *set = &m->p->f->coder->level->sets[in->op & ~PX_IR_KIND];
    const struct px_maker_source a = operand(m, &s, PX_FORM_A);
    s.swapped = set->swaps && px_maker_is_constant(&a);
    for (unsigned g = 0; g < px_maker_groups_of(m, d); g++) {
        const unsigned mask = write_mask(m, in, d, g);
        for (unsigned i = 0; i < s.form->n; i++) {
            const struct px_form_step *is = &s.form->step[i];
            const bool last = i + 1u == s.form->n;
            const unsigned to = last                      ? px_maker_home_of(m, d, g)
                                : is->opd[0] == PX_FORM_T ? PX_MAKER_SCRATCH_T
                                                          : PX_MAKER_SCRATCH_U;
            step(m, &s, is, to, last ? mask : 0, g);
        }
    }
}

void px_maker_copy(struct px_maker *m, const struct px_ir_inst *in, unsigned d)
{
    const struct px_ir_opd *o = px_ir_opds(m->p->f, in);
    const struct px_maker_source a = {.o = &o[1]};
    const bool widens = o[0].elem > o[1].elem, narrows = o[0].elem < o[1].elem;
    for (unsigned g = 0; g < px_maker_groups_of(m, d); g++) {
        const unsigned mask = write_mask(m, in, d, g), to = px_maker_home_of(m, d, g);
        if (px_maker_is_predicate(m, d)) {
            px_x86_mask_move(m->x, mask ? PX_MAKER_MASK : to, px_maker_source_register(m, &a, g, 0));
            if (mask) join_masks(m, to, mask);
        } else if (!widens && !narrows && px_maker_is_constant(&a)) {
            struct px_maker_constant *c = px_maker_constant_of(m, &o[1]);
            if (c->home == PX_MAKER_NONE)
                px_maker_broadcast(m, c->elem, to, px_maker_place_of(m, c), mask);
            else
                px_maker_move(m, o->elem == 8, to, c->home, mask);
        } else if (!widens && !narrows) {
            px_maker_move(m, o->elem == 8, to, px_maker_source_register(m, &a, g, 0), mask);
        } else {
            const unsigned from = px_maker_source_register(m, &a, g, PX_MAKER_SCRATCH_A);
            struct px_x86_vector v = {.insn = in->fact ? PX_X86_vpmovsxdq : PX_X86_vpmovzxdq,
                                      .d = to,
                                      .m = px_x86_reg(from),
                                      .mask = mask};
            if (narrows) v.insn = PX_X86_vpmovqd, v.d = from, v.m = px_x86_reg(to);
            px_maker_emit(m, v);
        }
    }
}

void px_maker_canon(struct px_maker *m, const struct px_ir_inst *in, unsigned d)
{
    enum { UNORDERED = 3 };
    const struct px_maker_source a = {.o = &px_ir_opds(m->p->f, in)[1]};
    struct px_maker_constant *nan = px_maker_number_of(m, 0x7fffffff, 4);
    for (unsigned g = 0; g < px_maker_groups_of(m, d); g++) {
        unsigned mask = write_mask(m, in, d, g);
        const unsigned from = px_maker_source_register(m, &a, g, PX_MAKER_SCRATCH_A),
                       to = px_maker_home_of(m, d, g);
        px_maker_move(m, false, to, from, mask);
        px_maker_emit(m, (struct px_x86_vector){.insn = PX_X86_vcmpps,
                                                .d = PX_MAKER_MASK,
                                                .v = from,
                                                .m = px_x86_reg(from),
                                                .mask = mask,
                                                .imm = UNORDERED});
        if (nan->home == PX_MAKER_NONE)
            px_maker_broadcast(m, 4, to, px_maker_place_of(m, nan), PX_MAKER_MASK);
        else
            px_maker_move(m, false, to, nan->home, PX_MAKER_MASK);
        nan->uses++;
    }
}
