/* lower/build.c - instructions of the IR, with their operands, behind those that are there. */
#include "code/lower/lower.h"

/* Whoever waits, leaves, calls, or adds floats by itself does so in the home mode. */
static uint8_t mode_of(px_irop op)
{
    if (px_ir_kind_of(op) == PX_IR_TABLE)
        return px_ir_flags(op) & PX_OPERATION_keeps ? PX_IR_FP_ANY : PX_IR_FP_HOME;
    return op == PX_IR_JUMP || op == PX_IR_BRANCH || op == PX_IR_END ? PX_IR_FP_HOME : PX_IR_FP_ANY;
}

/* What addresses add to their bases, one behind the other. */
static uint32_t add_places(struct px_irfn *f, const struct px_ir_operand *opds, uint32_t n)
{
    const uint32_t first = f->values.n;
    for (uint32_t i = 0; i < n; i++)
        if (opds[i].kind == PX_IR_ADDRESS) px_vec_push(f->coder->draft, &f->values, opds[i].value);
    return first;
}

static inline void add_operand(struct px_irfn *f, const struct px_ir_operand *o)
{
    struct px_ir_opd is = o->is;
    if (is.kind == PX_IR_IMM) {
        is.at = f->values.n;
        px_vec_push(f->coder->draft, &f->values, o->value);
    }
    px_vec_push(f->coder->draft, &f->opds, is);
}

void px_lower_add(struct px_irfn *f, struct px_ir_operand o)
{
    add_operand(f, &o);
}

struct px_ir_inst *px_lower_inst(struct px_irfn *f, px_irop op, const struct px_ir_operand *opds,
                                 uint32_t ndst, uint32_t nopds)
{
    struct px_ir_inst in = {.op = op,
                            .ndst = (uint16_t)ndst,
                            .nopds = (uint16_t)nopds,
                            .flags = f->fresh,
                            .fp = mode_of(op),
                            .first = f->opds.n,
                            .guard = PX_NONE32,
                            .origin = f->origins.n - 1};
    in.values = add_places(f, opds, nopds);
    for (uint32_t i = 0; i < nopds; i++) add_operand(f, &opds[i]);
    f->fresh = 0;
    px_vec_push(f->coder->draft, &f->insts, in);
    return &f->insts.at[f->insts.n - 1];
}

void px_lower_result(struct px_irfn *f, enum px_result result, enum px_type type,
                     const struct px_ir_operand *opds, uint32_t n)
{
    px_lower_inst(f, (px_irop)(PX_IR_STATEMENT | px_statement_find(result, type, type, NULL)), opds, 1, n);
}

struct px_ir_inst *px_lower_guarded(struct px_irfn *f, const struct px_bound *b, px_irop op,
                                    const struct px_ir_operand *opds, uint32_t ndst, uint32_t nopds)
{
    struct px_ir_inst *in = px_lower_inst(f, op, opds, ndst, nopds);
    in->guard = b->guard;
    if (b->negated) in->flags |= PX_IR_INST_NEGATED;
    return in;
}

uint32_t px_lower_label(struct px_irfn *f)
{
    px_vec_push(f->coder->draft, &f->labels, PX_NONE32);
    return f->labels.n - 1;
}

void px_lower_place(struct px_irfn *f, uint32_t label)
{
    f->labels.at[label] = f->insts.n;
}

uint32_t px_lower_around(struct px_irfn *f, const struct px_bound *b)
{
    if (b->guard == PX_NONE32) return PX_NONE32;
    uint32_t label = px_lower_label(f);
    const struct px_ir_operand guard = {.kind = PX_IR_REG, .elem = 4, .type = PX_T_PRED, .at = b->guard};
    struct px_ir_inst *in = px_lower_inst(f, PX_IR_BRANCH, &guard, 0, 1);
    in->target = label;
    in->fact = !b->negated;
    return label;
}

void px_lower_around_end(struct px_irfn *f, uint32_t label)
{
    if (label != PX_NONE32) px_lower_place(f, label);
}

enum px_space px_lower_space(const struct px_bound *b, unsigned i)
{
    return px_match_space(&b->match, px_match_opd(&b->match, i));
}

/* The checker numbers labels block by block, so mostly in text order. */
uint32_t px_lower_target(struct px_irfn *f, const struct px_bound *b, const struct px_symbol *symbol)
{
    const bool is_label = symbol && symbol->kind == PX_SYM_LABEL;
    if (is_label && symbol->index < f->text_labels.n && f->text_labels.at[symbol->index] == symbol->pos)
        return symbol->index;
    if (is_label)
        for (uint32_t lo = 0, hi = f->text_labels.n; lo < hi;) {
            uint32_t mid = (lo + hi) / 2;
            if (f->text_labels.at[mid] == symbol->pos) return mid;
            if (f->text_labels.at[mid] < symbol->pos)
                lo = mid + 1;
            else
                hi = mid;
        }
    px_code_fail(f, b->inst, "has a target that is no label of its function");
}
