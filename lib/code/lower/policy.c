/* lower/policy.c - createpolicy. */
#include "code/lower/lower.h"
#include "gen/isa_ops.h"
#include "ops/policy.h"

static uint16_t kind_of(const struct px_match *m)
{
    const px_word first = px_match_slot(m, PX_W_p1), second = px_match_slot(m, PX_W_p2);
    const unsigned kind = first == PX_W_L2__evict_last     ? PX_POLICY_LAST
                          : first == PX_W_L2__evict_normal ? PX_POLICY_NORMAL
                          : first == PX_W_L2__evict_first  ? PX_POLICY_FIRST
                                                           : 0;
    return (uint16_t)(kind | (second == PX_W_L2__evict_first ? PX_POLICY_SECOND_FIRST : 0));
}

void px_lower_policy_fraction(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *o = b->inst->opds;
    const struct px_ir_operand one = {.kind = PX_IR_IMM, .elem = 4, .type = PX_T_F32, .value = 0x3f800000};
    const struct px_ir_operand fraction = b->inst->nopds > 1 ? px_lower_src(f, b, &o[1], PX_T_F32) : one;
    const struct px_ir_operand opds[2] = {px_lower_dst(f, b, &o[0], PX_T_B64), px_lower_row(f, fraction)};
    px_lower_guarded(f, b, PX_IR_TABLE | PX_OP_policy_fraction, opds, 1, 2)->fact = kind_of(&b->match);
    px_lower_done(f, b, &o[0], opds[0]);
}

void px_lower_policy_range(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *o = b->inst->opds;
    uint32_t offset;
    const struct px_ir_operand address =
        px_lower_address_row(f, px_lower_address(f, b, &o[1], PX_SPACE_GLOBAL, 1), &offset);
    const struct px_ir_operand opds[4] = {px_lower_dst(f, b, &o[0], PX_T_B64), address,
                                          px_lower_row(f, px_lower_src(f, b, &o[2], PX_T_U32)),
                                          px_lower_row(f, px_lower_src(f, b, &o[3], PX_T_U32))};
    struct px_ir_inst *in = px_lower_guarded(f, b, PX_IR_TABLE | PX_OP_policy_range, opds, 1, 4);
    in->fact = kind_of(&b->match);
    in->aux = offset;
    px_lower_done(f, b, &o[0], opds[0]);
}

/* A policy of the host's access-property window is one already. */
void px_lower_policy_cvt(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *o = b->inst->opds;
    px_lower_assign(f, b, &o[0], PX_T_B64, px_lower_src(f, b, &o[1], PX_T_B64));
}
