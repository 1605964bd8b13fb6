/*
 * lower/alu.c - instructions whose row is a statement.
 *
 * Comparisons ([compare] rows: set, setp) give mask rows, which further moves
 * combine with a predicate and turn into the destination's type, and [wide]
 * rows take their source widened: so that operators, types and destinations add
 * up instead of multiplying.
 */
#include "code/lower/lower.h"

/* The predicate that a comparison is combined with (setp.lt.and ...); NULL when there is none. */
static const struct px_operand *combined(const struct px_bound *b)
{
    const struct px_inst *inst = b->inst;
    unsigned last = inst->nopds - 1u;
    bool has = px_form_compares(b->match.form) && inst->nopds > 3 && b->match.type[last] == PX_T_PRED;
    return has ? &inst->opds[last] : NULL;
}

static const struct px_ir_operand none;

/* The source of a [wide] row: a half as f32, an integer as f64 (beyond 2^53 with a sticky last bit). */
static struct px_ir_operand widened(struct px_irfn *f, struct px_ir_operand s)
{
    static const uint8_t fix[PX_T_COUNT] = {
        [PX_T_U8] = PX_FIX_f64_of_u8,    [PX_T_S8] = PX_FIX_f64_of_s8,   [PX_T_U16] = PX_FIX_f64_of_u16,
        [PX_T_S16] = PX_FIX_f64_of_s16,  [PX_T_U32] = PX_FIX_f64_of_u32, [PX_T_S32] = PX_FIX_f64_of_s32,
        [PX_T_U64] = PX_FIX_f64_of_u64,  [PX_T_S64] = PX_FIX_f64_of_s64, [PX_T_F16] = PX_FIX_f32_of_f16,
        [PX_T_BF16] = PX_FIX_f32_of_bf16};
    enum px_fixed widen = fix[s.type];
    if (!widen) return s; /* f32 and f64 stay */
    enum px_type type = px_type_info(s.type)->klass == PX_TC_FLOAT ? PX_T_F32 : PX_T_F64;
    struct px_ir_operand d = px_lower_fixed(f, widen, px_lower_elem(type), s, none, 0);
    d.type = (uint8_t)type;
    return d;
}

/* How many operands behind the first one are copied to it. */
static unsigned copied(const struct px_bound *b)
{
    const px_word word = b->inst->opcode->word;
    return word == PX_W_selp || word == PX_W_slct ? 2 : 0;
}

/* Of statements on bits only copies, copysign and cvt can tell NaNs apart. */
static enum px_ir_reading reading(const struct px_bound *b, const struct px_handler_set *set, unsigned i)
{
    const px_word word = b->inst->opcode->word;
    if (i <= copied(b)) return PX_IR_COPIED;
    if (b->match.type[i] != PX_T_F32) return PX_IR_BITS;
    if (px_bound_has(b, PX_W_xorsign)) return PX_IR_BITS; /* the sign of a NaN counts */
    return set->f32_sources || (word != PX_W_copysign && word != PX_W_cvt) ? PX_IR_NUMBER : PX_IR_BITS;
}

/* What is known of the NaNs of its result. */
static uint8_t nan_flags(const struct px_bound *b, const struct px_handler_set *set)
{
    const px_word word = b->inst->opcode->word;
    uint8_t flags = 0;
    if (b->match.type[0] == PX_T_F32 && (set->f32_result || word == PX_W_abs || word == PX_W_neg))
        flags |= PX_IR_INST_NUMBER;
    bool whole = word == PX_W_cvt && px_type_info(b->match.type[1])->klass != PX_TC_FLOAT;
    if (set->f32_result && word != PX_W_min && word != PX_W_max && !whole && !px_bound_has(b, PX_W_sat))
        flags |= PX_IR_INST_HOST;
    return flags;
}

/* A float product or sum that names no rounding: it may become part of an fma. */
static bool is_loose(const struct px_bound *b, unsigned handler)
{
    const uint8_t result = px_statement(handler)->result;
    if (result != PX_RESULT_product && result != PX_RESULT_sum && result != PX_RESULT_difference)
        return false;
    if (px_type_info(b->match.type[0])->klass != PX_TC_FLOAT) return false;
    return !px_bound_has(b, PX_W_rn) && !px_bound_has(b, PX_W_rz) && !px_bound_has(b, PX_W_rm) &&
           !px_bound_has(b, PX_W_rp);
}

void px_lower_know_statement(const struct px_irfn *f, struct px_bound *b)
{
    const unsigned handler = (unsigned)b->traits.handler;
    const struct px_handler_set *set = &f->coder->level->sets[handler];
    const int mode = px_match_fp_mode(&b->match);
    b->traits.fp = mode >= 0 ? (uint8_t)mode : PX_IR_FP_ANY;
    b->traits.flags = (uint8_t)(nan_flags(b, set) | (copied(b) ? PX_IR_INST_COPIES : 0) |
                                (is_loose(b, handler) ? PX_IR_INST_LOOSE : 0));
    for (unsigned i = 0; i < PX_MAX_OPDS; i++) b->traits.reading[i] = (uint8_t)reading(b, set, i);
}

/* Optional operands that are not written are zeros, which the statement does not look at. */
static uint32_t fill_up(const struct px_bound *b, unsigned handler, uint32_t k, struct px_ir_operand s[3])
{
    const uint8_t *types = px_statement(handler)->types;
    if (px_form_compares(b->match.form)) return k;
    for (; k < 3 && types[k + 1] != PX_T_NONE; k++)
        s[k] = (struct px_ir_operand){
            .kind = PX_IR_IMM, .elem = (uint8_t)px_lower_elem(types[k + 1]), .type = types[k + 1]};
    return k;
}

/* The sources that the statement reads, in order; how many. */
static uint32_t sources(struct px_irfn *f, const struct px_bound *b, unsigned handler,
                        struct px_ir_operand s[3])
{
    const struct px_handler_set *set = &f->coder->level->sets[handler];
    const struct px_operand *other = combined(b);
    const bool widens = px_form_widens(b->match.form);
    uint32_t k = 0;
    for (unsigned i = 0; i < b->inst->nopds; i++) {
        const struct px_operand *o = &b->inst->opds[i];
        if (b->traits.results >> i & 1 || o == other) continue;
        if (k == 3) px_code_fail(f, b->inst, "has more sources than a handler takes");
        s[k] = px_lower_src(f, b, o, b->match.type[i]);
        // cppcheck-suppress arrayIndexOutOfBoundsCond ; px_code_fail does not return
        if (widens) s[k] = widened(f, s[k]);
        if (s[k].kind == PX_IR_REG) s[k].base = b->traits.reading[i];
        k++;
    }
    return set->pair ? k : fill_up(b, handler, k, s);
}

static struct px_ir_operand carry_flag(struct px_irfn *f)
{
    if (f->carry == PX_NONE32) f->carry = px_lower_register(f, 4, PX_T_U32);
    return (struct px_ir_operand){.kind = PX_IR_REG, .elem = 4, .type = PX_T_U32, .at = f->carry};
}

/* ---- comparisons ---- */

/* What a comparison that holds gives: 1.0 for floats, in each half of packed ones; all bits for integers. */
static uint32_t truth(enum px_type type)
{
    switch (type) {
    case PX_T_F32: return 0x3f800000;
    case PX_T_F16: return 0x3c00;
    case PX_T_BF16: return 0x3f80;
    case PX_T_F16X2: return 0x3c003c00;
    case PX_T_BF16X2: return 0x3f803f80;
    default: return 0xffffffff;
    }
}

static struct px_ir_operand keep_bits(struct px_irfn *f, struct px_ir_operand row, uint32_t bits)
{
    struct px_ir_operand mask = {.kind = PX_IR_IMM, .elem = 4, .type = PX_T_B32, .value = bits};
    if (bits == 0xffffffff) return row;
    return px_lower_fixed(f, PX_FIX_mask_and, 4, row, px_lower_row(f, mask), 0);
}

/* The result of set from the comparison's mask row; with `high`, that of the upper halves. */
static void deliver(struct px_irfn *f, const struct px_bound *b, const struct px_operand *od,
                    enum px_type type, struct px_ir_operand p, struct px_ir_operand high)
{
    uint32_t bits = truth(type);
    if (high.kind != PX_IR_NONE) {
        p = keep_bits(f, p, bits & 0x0000ffff);
        p = px_lower_fixed(f, PX_FIX_mask_or, 4, p, keep_bits(f, high, bits & 0xffff0000), 0);
    } else {
        p = keep_bits(f, p, bits);
    }
    p.type = PX_T_B32;
    px_lower_assign(f, b, od, type, px_lower_resize(f, p, px_lower_elem(type), false));
}

/*
 * A comparison whose result is more than one predicate. The statement's mask rows (p, and q or its opposite
 * for a second one) are combined with the predicate `c` under setp's and set's BoolOp, then made what the
 * destination wants.
 */
static void finish_compare(struct px_irfn *f, const struct px_bound *b, const struct px_operand *od,
                           const struct px_operand *oe, struct px_ir_operand p, struct px_ir_operand q)
{
    const struct px_operand *oc = combined(b);
    if (oe && q.kind == PX_IR_NONE) q = px_lower_fixed(f, PX_FIX_mask_not, 4, p, none, 0);
    if (oc) {
        struct px_ir_operand c = px_lower_row(f, px_lower_src(f, b, oc, PX_T_PRED));
        enum px_fixed fix = px_bound_has(b, PX_W_and)  ? PX_FIX_mask_and
                            : px_bound_has(b, PX_W_or) ? PX_FIX_mask_or
                                                       : PX_FIX_mask_xor;
        p = px_lower_fixed(f, fix, 4, p, c, 0);
        if (q.kind != PX_IR_NONE) q = px_lower_fixed(f, fix, 4, q, c, 0);
    }
    /* A destination that is the guard comes last: the other one is still written under the old value. */
    bool late = oe && od->kind != PX_O_SINK && b->guard != PX_NONE32 && px_lower_reg(f, od, 0) == b->guard;
    if (!late) deliver(f, b, od, b->match.type[0], p, oe ? none : q);
    if (oe) px_lower_assign(f, b, oe, PX_T_PRED, q);
    if (late) deliver(f, b, od, b->match.type[0], p, none);
}

/* ---- one instruction ---- */

/* The statement itself: d and, where the handler has one, e and the carry flag. */
static void statement(struct px_irfn *f, const struct px_bound *b, unsigned handler, struct px_ir_operand d,
                      struct px_ir_operand e, const struct px_ir_operand *s, uint32_t n, bool guarded)
{
    const struct px_handler_set *set = &f->coder->level->sets[handler];
    struct px_ir_operand opds[8] = {d};
    uint32_t k = 1, ndst;
    if (set->pair) opds[k++] = e;
    if (set->carry) opds[k++] = carry_flag(f);
    ndst = k;
    for (uint32_t i = 0; i < n; i++) opds[k++] = s[i];
    if (set->carry) opds[k++] = carry_flag(f);
    px_irop op = (px_irop)(PX_IR_STATEMENT | handler);
    struct px_ir_inst *in =
        guarded ? px_lower_guarded(f, b, op, opds, ndst, k) : px_lower_inst(f, op, opds, ndst, k);
    in->fp = b->traits.fp;
    in->flags |= b->traits.flags;
}

void px_lower_statement(struct px_irfn *f, const struct px_bound *b, unsigned handler)
{
    const struct px_handler_set *set = &f->coder->level->sets[handler];
    const struct px_operand *od = b->inst->opds, *oe = NULL;
    enum px_type td = b->match.type[0];
    struct px_ir_operand s[3], d, e = none;
    if (!b->inst->nopds) px_code_fail(f, b->inst, "has no destination");
    if (od->kind == PX_O_PAIR) {
        oe = &od->u.list[1];
        od = &od->u.list[0];
    }
    uint32_t n = sources(f, b, handler, s);
    if (px_form_compares(b->match.form) &&
        (oe || set->pair || combined(b) || truth(td) != 0xffffffff || px_lower_elem(td) != 4)) {
        d = px_lower_temp(f, 4, PX_T_PRED);
        if (set->pair) e = px_lower_temp(f, 4, PX_T_PRED);
        statement(f, b, handler, d, e, s, n, false);
        finish_compare(f, b, od, oe, d, e);
        return;
    }
    d = px_lower_dst(f, b, od, td);
    if (set->pair) e = oe ? px_lower_dst(f, b, oe, PX_T_PRED) : px_lower_temp(f, 4, PX_T_PRED);
    statement(f, b, handler, d, e, s, n, true);
    px_lower_done(f, b, od, d);
    if (oe) px_lower_done(f, b, oe, e);
}
