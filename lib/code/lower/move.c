/* lower/move.c - mov in all its meanings, packing and unpacking, and bit operations with many sources. */
#include "code/lower/lower.h"

static const struct px_ir_operand none;

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

/* The move that joins two elements to one of `elem` bytes. */
static enum px_fixed joining(uint32_t elem)
{
    return elem == 2 ? PX_FIX_join2 : elem == 4 ? PX_FIX_join4 : elem == 8 ? PX_FIX_join8 : PX_FIX_pack16;
}

/* Neighbours are joined in temporaries, the lower one first, until one is left. */
void px_lower_pack(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_parts v = px_lower_parts(f, b, 1); /* braces or a vector register */
    enum px_type type = b->match.type[0];
    uint32_t bits = px_type_info(type)->bits / v.n;
    struct px_ir_operand s[4];
    for (uint32_t i = 0; i < v.n; i++)
        s[i] = px_lower_row(f, px_lower_src(f, b, &v.value[i], elem_type(bits)));
    for (uint32_t n = v.n / 2, elem = bits / 4; n; n /= 2, elem *= 2)
        for (uint32_t i = 0; i < n; i++)
            s[i] = px_lower_fixed(f, joining(elem), elem, s[2 * i], s[2 * i + 1], 0);
    px_lower_assign(f, b, &b->inst->opds[0], type, s[0]);
}

/* ---- { a, b, ... } = s ---- */

/* The `bits` of s from bit `at` on. */
static struct px_ir_operand slice(struct px_irfn *f, struct px_ir_operand s, uint32_t at, uint32_t bits)
{
    switch (bits) {
    case 64: return px_lower_fixed(f, at ? PX_FIX_high16 : PX_FIX_trunc16_8, 8, s, none, 0);
    case 32: return px_lower_fixed(f, at ? PX_FIX_high8 : PX_FIX_trunc8_4, 4, s, none, 0);
    case 16: return px_lower_fixed(f, s.elem == 8 ? PX_FIX_half_of8 : PX_FIX_half_of4, 2, s, none, at);
    default: return px_lower_fixed(f, s.elem == 4 ? PX_FIX_byte_of4 : PX_FIX_byte_of2, 2, s, none, at);
    }
}

/* The elements go to temporaries first: the source may be among the destinations. */
void px_lower_unpack(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_parts v = px_lower_parts(f, b, 0);
    enum px_type type = elem_type(px_type_info(b->match.type[1])->bits);
    uint32_t bits = px_type_info(type)->bits / v.n;
    enum px_type part = elem_type(bits);
    struct px_ir_operand s = px_lower_row(f, px_lower_src(f, b, &b->inst->opds[1], type)), out[4];
    for (uint32_t i = 0; i < v.n; i++)
        out[i] = v.value[i].kind == PX_O_SINK ? none : slice(f, s, i * bits, bits);
    for (uint32_t i = 0; i < v.n; i++)
        if (out[i].kind != PX_IR_NONE) px_lower_assign(f, b, &v.value[i], part, out[i]);
}

/* ---- vectors ---- */

/* Is the register one of these elements? */
static bool is_among(const struct px_irfn *f, uint32_t reg, const struct px_operand *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (px_lower_is_register(&list[i]) && px_lower_reg(f, &list[i], 0) == reg) return true;
    return false;
}

/* The sources, element by element, as they were before the first result is written: one that is a result
 * before its turn goes to a temporary. */
static void read_all(struct px_irfn *f, const struct px_bound *b, const struct px_parts *p,
                     const struct px_parts *to, struct px_ir_operand *s)
{
    for (uint32_t i = 0; i < p->n; i++) {
        s[i] = px_lower_src(f, b, &p->value[i], p->type);
        if (s[i].kind != PX_IR_REG || !is_among(f, s[i].at, to->value, i)) continue;
        struct px_ir_operand copy[2] = {px_lower_temp(f, s[i].elem, p->type), s[i]};
        copy[1].base = PX_IR_COPIED;
        px_lower_inst(f, PX_IR_COPY, copy, 1, 2);
        s[i] = copy[0];
    }
}

/* One value where a vector is wanted: its bits are cut into as many parts, each extended with zeros; what is
 * too narrow for that is the first element (seen on an H200). */
static void cut(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                const struct px_parts *to, struct px_ir_operand *s)
{
    const uint32_t elem = px_lower_elem(to->type), bits = px_type_info(to->type)->bits / to->n;
    const struct px_ir_operand zero = {.kind = PX_IR_IMM, .elem = (uint8_t)elem, .type = (uint8_t)to->type};
    const struct px_ir_operand whole = px_lower_row(f, px_lower_src(f, b, o, to->type));
    for (uint32_t i = 0; i < to->n; i++)
        if (bits >= 8)
            s[i] = px_lower_resize(f, slice(f, whole, i * bits, bits), elem, false);
        else
            s[i] = i ? zero : whole;
}

/* mov.v2, mov.v4, and of one element in braces. */
void px_lower_mov_vector(struct px_irfn *f, const struct px_bound *b)
{
    enum { MOST = 4 };
    const struct px_parts to = px_lower_parts(f, b, 0);
    struct px_parts from = px_lower_parts(f, b, 1);
    uint32_t component;
    if (to.n > 1 && from.n == 1 && px_lower_sreg(from.value, &component)) {
        from.value = px_lower_component_list(f, from.value, to.n);
        from.n = to.n;
    }
    struct px_ir_operand s[MOST];
    if ((to.n != from.n && from.n != 1) || to.n > MOST)
        px_code_fail(f, b->inst, "has vectors that cannot be run yet");
    if (to.n == from.n)
        read_all(f, b, &from, &to, s);
    else
        cut(f, b, from.value, &to, s);
    for (uint32_t i = 0; i < to.n; i++)
        if (to.value[i].kind != PX_O_SINK) px_lower_assign(f, b, &to.value[i], to.type, s[i]);
}

/* ---- more than three sources ---- */

void px_lower_bfi(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *o = b->inst->opds;
    enum px_type type = b->match.type[0];
    struct px_ir_operand opds[5] = {px_lower_temp(f, px_lower_elem(type), type)};
    for (unsigned i = 1; i < 5; i++)
        opds[i] = px_lower_row(f, px_lower_src(f, b, &o[i], i < 3 ? type : PX_T_U32));
    px_lower_inst(f, PX_IR_FIXED | (opds[0].elem == 8 ? PX_FIX_bfi8 : PX_FIX_bfi4), opds, 1, 5);
    px_lower_assign(f, b, &o[0], type, opds[0]);
}

static struct px_ir_operand look_up(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *o = b->inst->opds;
    struct px_ir_operand opds[4] = {px_lower_temp(f, 4, PX_T_B32)};
    uint64_t table = 0;
    if (!px_lower_value(f, &o[4], PX_T_B32, &table))
        px_code_fail(f, b->inst, "needs a constant look-up table");
    for (unsigned i = 1; i < 4; i++) opds[i] = px_lower_row(f, px_lower_src(f, b, &o[i], PX_T_B32));
    px_lower_inst(f, PX_IR_FIXED | PX_FIX_lop3, opds, 1, 4)->aux = (uint32_t)table;
    return opds[0];
}

void px_lower_lop3(struct px_irfn *f, const struct px_bound *b)
{
    px_lower_assign(f, b, &b->inst->opds[0], PX_T_B32, look_up(f, b));
}

/* d|p: p says whether the result is not zero, combined with q. */
void px_lower_lop3_bool(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *o = b->inst->opds;
    bool pair = o->kind == PX_O_PAIR;
    const struct px_operand *od = pair ? &o->u.list[0] : o, *op = pair ? &o->u.list[1] : NULL;
    struct px_ir_operand d = look_up(f, b), q = px_lower_row(f, px_lower_src(f, b, &o[5], PX_T_PRED));
    struct px_ir_operand p = px_lower_fixed(f, PX_FIX_nonzero4, 4, d, none, 0);
    p = px_lower_fixed(f, px_bound_has(b, PX_W_and) ? PX_FIX_mask_and : PX_FIX_mask_or, 4, p, q, 0);
    p.type = PX_T_PRED;
    if (od->kind != PX_O_SINK) px_lower_assign(f, b, od, PX_T_B32, d);
    if (op && op->kind != PX_O_SINK) px_lower_assign(f, b, op, PX_T_PRED, p);
}
