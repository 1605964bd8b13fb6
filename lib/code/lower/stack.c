/* lower/stack.c - alloca, stacksave, stackrestore: a hidden register says where the lane's free local memory
 * begins. */
#include "code/lower/lower.h"
#include "gen/isa_ops.h"

enum { ALIGNMENT = 8 /* where none is given */ };

static struct px_ir_operand stack(const struct px_irfn *f)
{
    return (struct px_ir_operand){.kind = PX_IR_REG, .elem = 8, .type = PX_T_U64, .at = f->stack};
}

void px_lower_stack(struct px_irfn *f)
{
    const struct px_ir_operand base = {
        .kind = PX_IR_UNIFORM, .elem = 8, .type = PX_T_U64, .at = offsetof(struct px_uniform, local_base)};
    const struct px_ir_operand none = {0};
    const uint32_t variables = (uint32_t)((f->local_bytes + 15) & ~15ull);
    const struct px_ir_operand opds[2] = {
        stack(f), px_lower_fixed(f, PX_FIX_add_imm8, 8, px_lower_row(f, base), none, variables)};
    px_lower_inst(f, PX_IR_COPY, opds, 1, 2);
}

void px_lower_alloca(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *o = b->inst->opds;
    const enum px_type type = b->match.type[0];
    uint64_t align = ALIGNMENT;
    if (b->inst->nopds > 2 && !px_lower_value(f, &o[2], PX_T_U32, &align))
        px_code_fail(f, b->inst, "has an alignment that is no constant");
    const struct px_ir_operand size =
        px_lower_row(f, px_lower_resize(f, px_lower_src(f, b, &o[1], type), 8, false));
    const struct px_ir_operand opds[4] = {px_lower_temp(f, 8, PX_T_U64), stack(f), stack(f), size};
    px_lower_guarded(f, b, PX_IR_TABLE | PX_OP_alloca, opds, 2, 4)->aux = (uint32_t)align;
    px_lower_assign(f, b, &o[0], type, px_lower_resize(f, opds[0], px_lower_elem(type), false));
}

void px_lower_stacksave(struct px_irfn *f, const struct px_bound *b)
{
    const enum px_type type = b->match.type[0];
    px_lower_assign(f, b, &b->inst->opds[0], type, px_lower_resize(f, stack(f), px_lower_elem(type), false));
}

void px_lower_stackrestore(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_ir_operand s = px_lower_src(f, b, &b->inst->opds[0], b->match.type[0]);
    const struct px_ir_operand opds[2] = {stack(f), px_lower_resize(f, s, 8, false)};
    px_lower_guarded(f, b, PX_IR_COPY, opds, 1, 2);
}
