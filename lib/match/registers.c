/* registers.c - walks the operands of an instruction. */
#include "match/registers.h"

struct walk {
    px_register_visitor *visit;
    void *user;
    bool results; /* these are wanted, not what is read */
};

static void walk_operand(const struct walk *walk, const struct px_operand *operand, bool is_result)
{
    if (operand->kind == PX_O_NAME) {
        if (is_result == walk->results && operand->symbol && operand->symbol->kind == PX_SYM_REG)
            walk->visit(walk->user, operand, is_result);
    } else if (operand->kind >= PX_O_VEC) {
        for (uint32_t i = 0; i < operand->n; i++)
            walk_operand(walk, &operand->u.list[i], is_result && operand->kind != PX_O_ADDR);
    }
}

bool px_is_result(const struct px_inst *inst, const struct px_match *match, unsigned i)
{
    unsigned min;
    if (px_op_flags(px_match_op(match)) & PX_OPERATION_calls)
        return i == 0 && inst->opds[0].kind == PX_O_LIST;
    return i < px_form_opds(match->form, &min) && px_match_opd(match, i)->flags & PX_OPERAND_RESULT;
}

void px_visit_registers(const struct px_inst *inst, const struct px_match *match, bool results,
                        px_register_visitor *visit, void *user)
{
    const struct walk walk = {visit, user, results};
    if (inst->guard) walk_operand(&walk, inst->guard, false);
    for (unsigned i = 0; i < inst->nopds; i++) {
        const bool result = px_is_result(inst, match, i);
        walk_operand(&walk, &inst->opds[i], result);
        if (result && !results && px_match_quirk(match, PX_Q_reads_result, NULL))
            walk_operand(&walk, &inst->opds[i], false);
    }
}
