/*
 * uniform.c - registers that equal one scalar wherever they are read.
 *
 * A register with one definition, unguarded, that copies a constant, a kernel's
 * parameter, a uniform special register or another such register, is that
 * scalar: reads name it directly, and the definition goes. This is the place
 * for wider rules (uniform values of other kinds, base + lane*stride); what it
 * cannot know is which handlers take a scalar: emission spreads where none does.
 */
#include "code/ir/fn.h"

struct defs {
    uint32_t *of; /* by register: its only definition; MANY */
    bool *pinned; /* named by a call or return, whose words are rows */
};
#define MANY (PX_NONE32 - 1)

static bool names_words(const struct px_ir_inst *in)
{
    return in->op == PX_IR_ARGUMENTS || in->op == PX_IR_END || px_ir_flags(in->op) & PX_OPERATION_words;
}

static struct defs find_defs(struct px_irfn *f)
{
    struct defs d = {PX_NEW_N(f->coder->pass, uint32_t, f->regs.n + 1),
                     PX_NEW_N(f->coder->pass, bool, f->regs.n + 1)};
    memset(d.of, 0xff, f->regs.n * sizeof *d.of);
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        for (uint32_t k = 0; k < in->nopds; k++) {
            uint32_t reg = px_ir_register(&o[k]);
            if (reg == PX_NONE32) continue;
            if (names_words(in)) d.pinned[reg] = true;
            if (k < in->ndst) d.of[reg] = d.of[reg] == PX_NONE32 && in->guard == PX_NONE32 ? i : MANY;
        }
    }
    return d;
}

/* Does this definition make the register a scalar, once its source is one? */
static bool copies_whole(const struct px_irfn *f, const struct defs *d, uint32_t i)
{
    const struct px_ir_inst *in = &f->insts.at[i];
    const struct px_ir_opd *o = px_ir_opds(f, in);
    if (in->op != PX_IR_COPY || o[0].elem > 8 || o[0].type == PX_T_PRED) return false;
    const struct px_ir_reg *r = &f->regs.at[o[0].at];
    return !r->temp && r->type != PX_T_PRED && !d->pinned[o[0].at] && o[1].elem >= o[0].elem;
}

/* The scalar that the register equals; kind NONE when it is none. Follows chains of copies, as far as no loop
 * is in them. */
static struct px_ir_opd scalar_of(const struct px_irfn *f, const struct defs *d, uint32_t reg)
{
    enum { LONGEST = 64 };
    uint32_t elem = f->regs.at[reg].elem;
    for (int n = 0; n < LONGEST && d->of[reg] < MANY && copies_whole(f, d, d->of[reg]); n++) {
        struct px_ir_opd s = px_ir_opds(f, &f->insts.at[d->of[reg]])[1];
        if (s.kind == PX_IR_UNIFORM || s.kind == PX_IR_PARAM || s.kind == PX_IR_IMM) {
            s.elem = (uint8_t)elem;
            return s;
        }
        if (s.kind != PX_IR_REG) break;
        reg = s.at;
    }
    return (struct px_ir_opd){0};
}

/* A read names the scalar instead. */
static void replace(const struct px_irfn *f, const struct px_ir_inst *in, struct px_ir_opd *o,
                    const struct px_ir_opd *s)
{
    if (o->kind == PX_IR_ADDRESS) {
        o->base = s->kind;
        o->at = s->at;
        if (s->kind == PX_IR_IMM) *px_ir_value(f, in, o) += f->values.at[s->at];
        return;
    }
    uint8_t elem = o->elem, type = o->type;
    *o = *s;
    o->elem = elem;
    o->type = type;
}

static bool takes_scalar(const struct px_ir_opd *o, const struct px_ir_opd *s)
{
    return s->kind != PX_IR_NONE && (o->kind == PX_IR_ADDRESS ? s->elem == 8 : o->elem <= s->elem);
}

void px_ir_uniform(struct px_irfn *f)
{
    struct defs d = find_defs(f);
    struct px_ir_opd *scalar = PX_NEW_N(f->coder->pass, struct px_ir_opd, f->regs.n + 1);
    for (uint32_t r = 0; r < f->regs.n; r++) scalar[r] = scalar_of(f, &d, r);
    for (uint32_t i = 0; i < f->insts.n; i++) {
        struct px_ir_inst *in = &f->insts.at[i];
        struct px_ir_opd *o = px_ir_opds(f, in);
        for (uint32_t k = in->ndst; k < in->nopds; k++) {
            uint32_t reg = px_ir_register(&o[k]);
            if (reg != PX_NONE32 && takes_scalar(&o[k], &scalar[reg])) replace(f, in, &o[k], &scalar[reg]);
        }
        if (in->op == PX_IR_COPY && o[0].kind == PX_IR_REG && scalar[o[0].at].kind != PX_IR_NONE) {
            in->op = PX_IR_NOTHING;
            in->ndst = in->nopds = 0;
        }
    }
}
