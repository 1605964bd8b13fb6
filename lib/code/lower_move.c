/* lower_move.c - mov in all its meanings, packing and unpacking, and bit operations with many sources. */
#include "code/lower.h"

static const struct px_ir_opd none;

static enum px_type elem_type(uint32_t bits)
{
    return bits == 8    ? PX_T_B8
           : bits == 16 ? PX_T_B16
           : bits == 32 ? PX_T_B32
           : bits == 64 ? PX_T_B64
                        : PX_T_B128;
}

void px_lower_mov(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *o = b->inst->opds;
    enum px_type type = b->match.type[0];
    px_lower_assign(f, b, &o[0], type, px_lower_src(f, b, &o[1], type));
}

/* ---- d = { a, b, ... } ---- */

/* Halves that have a move of their own. */
static enum px_fixed joins(uint32_t n, uint32_t elem)
{
    return n == 2 && elem == 8 ? PX_FIX_join8 : n == 2 && elem == 16 ? PX_FIX_pack16 : PX_FIX_COUNT;
}

/* The elements are joined in a temporary, lowest first. */
void px_lower_pack(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *v = &b->inst->opds[1];
    enum px_type type = b->match.type[0];
    uint32_t elem = px_lower_elem(type), bits = px_type_info(type)->bits / v->n;
    enum px_type part = elem_type(bits);
    struct px_ir_opd s[8], sum = none;
    for (uint32_t i = 0; i < v->n && i < 8; i++)
        s[i] = px_lower_row(f, px_lower_src(f, b, &v->u.list[i], part));
    enum px_fixed join = joins(v->n, elem);
    if (join != PX_FIX_COUNT) {
        sum = px_lower_fixed(f, join, elem, s[0], s[1], 0);
    } else {
        sum = px_lower_temp(f, elem, type);
        for (uint32_t i = 0; i < v->n; i++) {
            const struct px_ir_opd opds[3] = {sum, s[i], sum};
            struct px_ir_inst *in = px_lower_inst(f, PX_IR_PART, opds, 1, i ? 3 : 2);
            in->aux = i * bits;
            in->fact = (uint16_t)bits;
        }
    }
    px_lower_assign(f, b, &b->inst->opds[0], type, sum);
}

/* ---- { a, b, ... } = s ---- */

static struct px_ir_opd slice(struct px_irfn *f, struct px_ir_opd s, uint32_t at, uint32_t bits,
                              enum px_type part)
{
    if (bits == 32 && s.elem == 8)
        return px_lower_fixed(f, at ? PX_FIX_high8 : PX_FIX_trunc8_4, 4, s, none, 0);
    if (bits == 64 && s.elem == 16)
        return px_lower_fixed(f, at ? PX_FIX_high16 : PX_FIX_trunc16_8, 8, s, none, 0);
    const struct px_ir_opd opds[2] = {px_lower_temp(f, px_lower_elem(part), part), s};
    struct px_ir_inst *in = px_lower_inst(f, PX_IR_SLICE, opds, 1, 2);
    in->aux = at;
    in->fact = (uint16_t)bits;
    return opds[0];
}

/* The elements go to temporaries first: the source may be among the destinations. */
void px_lower_unpack(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *v = &b->inst->opds[0];
    enum px_type type = elem_type(px_type_info(b->match.type[1])->bits);
    uint32_t bits = px_type_info(type)->bits / v->n;
    enum px_type part = elem_type(bits);
    struct px_ir_opd s = px_lower_row(f, px_lower_src(f, b, &b->inst->opds[1], type)), out[8];
    for (uint32_t i = 0; i < v->n && i < 8; i++)
        out[i] = v->u.list[i].kind == PX_O_SINK ? none : slice(f, s, i * bits, bits, part);
    for (uint32_t i = 0; i < v->n && i < 8; i++)
        if (out[i].kind != PX_IR_NONE) px_lower_assign(f, b, &v->u.list[i], part, out[i]);
}

/* ---- more than three sources ---- */

void px_lower_bfi(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *o = b->inst->opds;
    enum px_type type = b->match.type[0];
    struct px_ir_opd opds[5] = {px_lower_temp(f, px_lower_elem(type), type)};
    for (unsigned i = 1; i < 5; i++)
        opds[i] = px_lower_row(f, px_lower_src(f, b, &o[i], i < 3 ? type : PX_T_U32));
    px_lower_inst(f, PX_IR_TABLE | PX_OP_bfi, opds, 1, 5);
    px_lower_assign(f, b, &o[0], type, opds[0]);
}

/* fact: 1 and, 2 or with the predicate; 0 without. */
static void lop3(struct px_irfn *f, const struct px_bound *b, uint16_t fact)
{
    const struct px_operand *o = b->inst->opds, *od = o, *op = NULL;
    uint64_t table = 0;
    struct px_ir_opd opds[6] = {px_lower_temp(f, 4, PX_T_B32)};
    uint32_t k = 1;
    if (od->kind == PX_O_PAIR) {
        op = &od->u.list[1];
        od = &od->u.list[0];
    }
    if (!px_lower_value(f, &o[4], PX_T_B32, &table))
        px_code_fail(f, b->inst, "needs a constant look-up table");
    if (fact) opds[k++] = px_lower_temp(f, 4, PX_T_PRED);
    for (unsigned i = 1; i < 4; i++) opds[k++] = px_lower_row(f, px_lower_src(f, b, &o[i], PX_T_B32));
    if (fact) opds[k++] = px_lower_row(f, px_lower_src(f, b, &o[5], PX_T_PRED));
    struct px_ir_inst *in = px_lower_inst(f, PX_IR_TABLE | PX_OP_lop3, opds, fact ? 2 : 1, k);
    in->aux = (uint32_t)table;
    in->fact = fact;
    if (od->kind != PX_O_SINK) px_lower_assign(f, b, od, PX_T_B32, opds[0]);
    if (op && op->kind != PX_O_SINK) px_lower_assign(f, b, op, PX_T_PRED, opds[1]);
}

void px_lower_lop3(struct px_irfn *f, const struct px_bound *b)
{
    lop3(f, b, 0);
}

void px_lower_lop3_bool(struct px_irfn *f, const struct px_bound *b)
{
    lop3(f, b, px_match_has(&b->match, PX_W_and) ? 1 : 2);
}
