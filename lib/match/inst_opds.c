/*
 * inst_opds.c - the operands of an instruction against those of the form, one after the other.
 *
 * Of several faults the one counts that ptxas would meet first (px_fault_phase).
 */
#include "match/inst_opds.h"

bool px_held_value(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_type type;
    unsigned count;
    if (!px_match_opd_type(s->match, opd, &type, &count)) return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    return count ? px_held_vector(s, opd, o, count) : px_held_scalar(s, opd, o, type, false);
}

/* ---- labels ---- */

static bool label(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (o->negated || o->minus) return px_unfit(s, o->negated ? PX_FAULT_NOT : PX_FAULT_MINUS_LABEL, o, opd);
    if (o->kind != PX_O_NAME) return px_unfit(s, PX_FAULT_LABEL, o, opd);
    if (!o->symbol) /* an unknown name is reported elsewhere */
        return o->u.name->text[0] != '%' || !px_sreg_of_word(o->u.name->word) ||
               px_unfit(s, PX_FAULT_SREG, o, opd);
    switch (o->symbol->kind) {
    case PX_SYM_LABEL:
        return (opd->lo == 0 && !o->has_offset) ||
               px_unfit(s, opd->lo ? PX_FAULT_TABLE : PX_FAULT_LABEL, o, opd);
    case PX_SYM_BRANCH_TARGETS: return opd->lo == 1 || px_unfit(s, PX_FAULT_LABEL, o, opd);
    case PX_SYM_PROTO:
    case PX_SYM_CALL_TARGETS:
    case PX_SYM_VAR: /* an array of functions: check/call.c */
        return opd->lo == 2 || px_unfit(s, opd->lo ? PX_FAULT_TABLE : PX_FAULT_LABEL, o, opd);
    default: return px_unfit(s, PX_FAULT_LABEL, o, opd);
    }
}

/* ---- all operands ---- */

static bool pair(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (o->kind != PX_O_PAIR)
        return opd->flags & PX_OPERAND_PAIR_OPTIONAL ? px_held_value(s, opd, o)
                                                     : px_unfit(s, PX_FAULT_PAIR_NEEDED, o, opd);
    const struct px_opd *partner = px_form_part(s->match->form, (unsigned)opd->partner);
    return px_held_value(s, opd, &o->u.list[0]) && px_held_value(s, partner, &o->u.list[1]);
}

/* The name of a function, or a register with the address of one; call.c looks at what the name is. */
static bool callee(const struct px_operand *o)
{
    const struct px_symbol *symbol = o->kind == PX_O_NAME ? o->symbol : NULL;
    if (o->minus || o->negated || o->kind != PX_O_NAME) return false;
    if (!symbol || symbol->kind != PX_SYM_REG) return true;
    enum px_type type = (enum px_type)symbol->type;
    bool vector = symbol->vec > 1 && !o->has_selector;
    return !vector && (px_register_fits(PX_T_U64, type, 0) ||
                       (type != PX_T_F16X2 && px_register_fits(PX_T_U32, type, 0)));
}

static bool one(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (s->argument == 0 && !(opd->flags & PX_OPERAND_PAIR) && px_inst_pair_unused(o)) o = &o->u.list[0];
    switch (opd->kind) {
    case PX_OK_ADDR: return px_held_address(s, opd, o);
    case PX_OK_TEXADDR:
    case PX_OK_TENSOR: return px_held_tuple(s, opd, o);
    case PX_OK_LABEL: return label(s, opd, o);
    case PX_OK_FUNC: return callee(o) || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    case PX_OK_LIST: return o->kind == PX_O_LIST || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    case PX_OK_OTHER: return o->kind == PX_O_SINK || px_unfit(s, PX_FAULT_SINK_NEEDED, o, opd);
    case PX_OK_IMM:
        if (o->kind != PX_O_INT && o->kind != PX_O_EXPR &&
            (o->kind != PX_O_NAME || o->u.name->word != PX_W_WARP_SZ))
            return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
        return px_held_value(s, opd, o);
    default: return opd->flags & PX_OPERAND_PAIR ? pair(s, opd, o) : px_held_value(s, opd, o);
    }
}

/* cp.async: what is read must not be more than what is written, where both are constants. */
static bool copies_within(struct px_held *s)
{
    static const struct px_opd upto[] = {{.hi = 4}, {.hi = 8}, {.hi = 16}};
    const struct px_operand *size = &s->inst->opds[2], *source = &s->inst->opds[3];
    if (!px_held_quirk(s, PX_Q_at_most_copied, px_match_opd(s->match, s->argument))) return true;
    if (size->kind != PX_O_INT || source->kind != PX_O_INT || source->u.i <= size->u.i) return true;
    return px_unfit(s, PX_FAULT_RANGE, source, &upto[size->u.i >= 16 ? 2 : size->u.i >= 8]);
}

bool px_inst_operands(const struct ptx_module *module, const struct px_match *match,
                      const struct px_inst *inst, struct px_fault *fault)
{
    struct px_fault next = {0};
    struct px_held s = {.module = module, .match = match, .inst = inst, .fault = &next};
    fault->kind = PX_FAULT_NONE;
    for (; s.argument < inst->nopds; s.argument++)
        if (!(one(&s, px_match_opd(match, s.argument), &inst->opds[s.argument]) && copies_within(&s)) &&
            (!fault->kind || px_fault_phase(next.kind) < px_fault_phase(fault->kind)))
            *fault = next;
    return !fault->kind;
}
