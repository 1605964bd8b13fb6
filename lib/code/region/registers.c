/* registers.c - what holds values while the code of a loop is made: registers, rows, constants. */
#include "code/region/maker.h"

/* ---- registers ---- */

uint8_t px_maker_take_vector(struct px_maker *m)
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

uint8_t px_maker_take_mask(struct px_maker *m)
{
    if (!m->free_masks) {
        m->failed = true;
        return 1;
    }
    const unsigned r = (unsigned)__builtin_ctz(m->free_masks);
    m->free_masks &= m->free_masks - 1;
    return (uint8_t)r;
}

void px_maker_hold(struct px_maker *m, unsigned number)
{
    if (m->home[number][0] != PX_MAKER_NONE) return;
    for (unsigned g = 0; g < px_maker_groups_of(m, number); g++)
        m->home[number][g] =
            px_maker_is_predicate(m, number) ? px_maker_take_mask(m) : px_maker_take_vector(m);
}

void px_maker_let_go(struct px_maker *m, unsigned number)
{
    if (m->home[number][0] == PX_MAKER_NONE) return;
    for (unsigned g = 0; g < px_maker_groups_of(m, number); g++)
        *(px_maker_is_predicate(m, number) ? &m->free_masks : &m->free) |= 1u << m->home[number][g];
    m->home[number][0] = PX_MAKER_NONE;
}

/* ---- instructions ---- */

void px_maker_emit(struct px_maker *m, struct px_x86_vector v)
{
    v.lanes = m->p->lanes;
    px_x86_vector(m->x, &v);
}

void px_maker_move(struct px_maker *m, bool wide, unsigned d, unsigned a, unsigned mask)
{
    if (d == a) return;
    px_maker_emit(
        m, (struct px_x86_vector){
               .insn = wide ? PX_X86_vmovdqa64 : PX_X86_vmovdqa32, .d = d, .m = px_x86_reg(a), .mask = mask});
}

struct px_x86_rm px_maker_row_of(const struct px_maker *m, unsigned number, unsigned group)
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

static struct px_maker_constant *constant_add(struct px_maker *m, struct px_maker_constant c)
{
    for (uint32_t i = 0; i < m->nconstants; i++) {
        struct px_maker_constant *is = &m->constant[i];
        if (is->kind == c.kind && is->elem == c.elem && is->at == c.at && is->value == c.value) return is;
    }
    if (m->nconstants == PX_MAKER_CONSTANTS) {
        m->failed = true;
        return &m->constant[0];
    }
    c.home = PX_MAKER_NONE;
    m->constant[m->nconstants] = c;
    return &m->constant[m->nconstants++];
}

struct px_maker_constant *px_maker_constant_of(struct px_maker *m, const struct px_ir_opd *o)
{
    const bool imm = o->kind == PX_IR_IMM;
    return constant_add(m, (struct px_maker_constant){.kind = o->kind,
                                                      .elem = o->elem,
                                                      .at = imm ? 0 : o->at,
                                                      .value = imm ? value_of(m->p, o) : 0});
}

struct px_maker_constant *px_maker_number_of(struct px_maker *m, uint64_t value, unsigned elem)
{
    return constant_add(m,
                        (struct px_maker_constant){.kind = PX_IR_IMM, .elem = (uint8_t)elem, .value = value});
}

struct px_x86_rm px_maker_place_of(const struct px_maker *m, const struct px_maker_constant *c)
{
    const struct px_fcode *code = m->p->f->code;
    if (c->kind == PX_IR_PARAM) return px_x86_all(PX_RDI, (int32_t)(code->params + c->at));
    if (c->kind == PX_IR_UNIFORM) return px_x86_all(PX_RDI, (int32_t)(code->uniform + c->at));
    return px_x86_all(PX_R10, (int32_t)((c - m->constant) * 8));
}

void px_maker_broadcast(struct px_maker *m, unsigned elem, unsigned d, struct px_x86_rm from, unsigned mask)
{
    from.broadcast = false;
    px_maker_emit(m, (struct px_x86_vector){.insn = elem == 8 ? PX_X86_vpbroadcastq : PX_X86_vpbroadcastd,
                                            .d = d,
                                            .m = from,
                                            .mask = mask});
}

static unsigned constant_register(struct px_maker *m, struct px_maker_constant *c, unsigned scratch)
{
    c->uses++;
    if (c->home != PX_MAKER_NONE) return c->home;
    px_maker_broadcast(m, c->elem, scratch, px_maker_place_of(m, c), 0);
    return scratch;
}

struct px_x86_rm px_maker_constant_operand(struct px_maker *m, struct px_maker_constant *c,
                                           enum px_x86_insn insn, unsigned scratch)
{
    if (c->home == PX_MAKER_NONE && px_x86_infos[insn].elem == c->elem) {
        c->uses++;
        return px_maker_place_of(m, c);
    }
    return px_x86_reg(constant_register(m, c, scratch));
}

/* ---- operands ---- */

unsigned px_maker_source_register(struct px_maker *m, const struct px_maker_source *s, unsigned group,
                                  unsigned scratch)
{
    if (s->c) return constant_register(m, s->c, scratch);
    if (!s->o) return s->scratch;
    if (s->o->kind == PX_IR_REG) return px_maker_home_of(m, px_plan_number(m->p, s->o), group);
    return constant_register(m, px_maker_constant_of(m, s->o), scratch);
}

struct px_x86_rm px_maker_source_operand(struct px_maker *m, const struct px_maker_source *s, unsigned group,
                                         enum px_x86_insn insn, unsigned scratch)
{
    if (s->c) return px_maker_constant_operand(m, s->c, insn, scratch);
    if (!s->o || s->o->kind == PX_IR_REG) return px_x86_reg(px_maker_source_register(m, s, group, scratch));
    return px_maker_constant_operand(m, px_maker_constant_of(m, s->o), insn, scratch);
}

bool px_maker_is_constant(const struct px_maker_source *s)
{
    return s->c || (s->o && s->o->kind != PX_IR_REG);
}
