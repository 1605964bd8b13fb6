/* edit.c - a list of instructions in which some are replaced. */
#include "code/ir/edit.h"

void px_ir_edit_begin(struct px_ir_edit *e, struct px_irfn *f)
{
    *e = (struct px_ir_edit){.f = f, .origin = PX_NONE32};
    e->place = px_arena_alloc(f->coder->pass, (f->insts.n + 1) * sizeof *e->place);
    px_vec_reserve(f->coder->draft, &e->out, f->insts.n + 4);
}

const struct px_ir_inst *px_ir_edit_at(struct px_ir_edit *e, uint32_t i)
{
    const struct px_ir_inst *in = &e->f->insts.at[i];
    if (in->origin != e->origin) e->first = false;
    e->origin = in->origin;
    e->first |= (in->flags & PX_IR_INST_FIRST) != 0;
    e->place[i] = e->out.n;
    return in;
}

void px_ir_edit_keep(struct px_ir_edit *e, const struct px_ir_inst *in)
{
    struct px_ir_inst copy = *in;
    copy.flags = (uint8_t)((in->flags & ~PX_IR_INST_FIRST) | (e->first ? PX_IR_INST_FIRST : 0));
    e->first = false;
    px_vec_push(e->f->coder->draft, &e->out, copy);
}

struct px_ir_inst *px_ir_edit_add(struct px_ir_edit *e, const struct px_ir_inst *like, px_irop op,
                                  const struct px_ir_opd *opds, uint32_t n)
{
    struct px_irfn *f = e->f;
    const struct px_ir_inst in = {.op = op,
                                  .ndst = 1,
                                  .nopds = (uint16_t)n,
                                  .fp = PX_IR_FP_ANY,
                                  .first = f->opds.n,
                                  .guard = PX_NONE32,
                                  .origin = like->origin,
                                  .values = f->values.n};
    for (uint32_t k = 0; k < n; k++) px_vec_push(f->coder->draft, &f->opds, opds[k]);
    px_ir_edit_keep(e, &in);
    return &e->out.at[e->out.n - 1];
}

void px_ir_edit_drop(struct px_ir_edit *e)
{
    e->first |= (e->out.at[--e->out.n].flags & PX_IR_INST_FIRST) != 0;
}

void px_ir_edit_end(struct px_ir_edit *e)
{
    struct px_irfn *f = e->f;
    e->place[f->insts.n] = e->out.n;
    for (uint32_t i = 0; i < f->labels.n; i++) f->labels.at[i] = e->place[f->labels.at[i]];
    f->replaced = f->insts.at;
    f->insts.at = e->out.at;
    f->insts.n = e->out.n;
    f->insts.cap = e->out.cap;
}

struct px_ir_opd px_ir_edit_register(struct px_irfn *f, enum px_type type, bool temp)
{
    const struct px_type_info *info = px_type_info(type);
    const uint8_t elem = (uint8_t)(info->bits <= 16 ? 2 : info->bits / 8);
    const struct px_ir_reg r = {.elem = elem, .type = (uint8_t)type, .temp = temp, .row = PX_NONE32};
    px_vec_push(f->coder->draft, &f->regs, r);
    return (struct px_ir_opd){.kind = PX_IR_REG, .elem = elem, .type = (uint8_t)type, .at = f->regs.n - 1};
}
