/*
 * inst_scalar.c - one value against the type that the form gives it: registers, special registers, names,
 * constants.
 *
 * Registers match by class and width: integer types take any integer or bit
 * register of their width, bit types any register, floating-point types their
 * own or a bit register. Loads, stores and conversions take wider ones. Half
 * and packed formats live in bit registers.
 */
#include "match/inst_opds.h"
#include "gen/isa_sregs.h"

/* ---- video instructions ---- */

/* Two and four lane video instructions have a mask on their result. */
bool px_is_simd_video(const struct px_match *match)
{
    const struct px_opd *result = px_form_opds(match->form, NULL) ? px_form_opd(match->form, 0) : NULL;
    return result && result->flags & PX_OPERAND_SELECTOR && result->step > 1;
}

bool px_is_video(const struct px_match *match)
{
    for (unsigned i = 0; i < px_form_opds(match->form, NULL); i++)
        if (px_form_opd(match->form, i)->flags & PX_OPERAND_SELECTOR) return true;
    return false;
}

/* ---- registers ---- */

bool px_register_fits(enum px_type type, enum px_type reg, uint32_t flags)
{
    const struct px_type_info *t = px_type_info(type), *r = px_type_info(reg);
    if (t->klass == PX_TC_PRED || r->klass == PX_TC_PRED) return t->klass == r->klass;
    if (reg == type) return true;
    bool wide = flags & PX_OPERAND_WIDER && r->bits > t->bits;
    if (r->bits != t->bits && !wide) return false;
    if (t->klass == PX_TC_BITS && t->declarable) return true;
    if (px_type_is_integer(t) && t->declarable)
        return r->klass == PX_TC_BITS || px_type_is_integer(r) || reg == PX_T_F16X2;
    if (type == PX_T_U16X2 || type == PX_T_S16X2) return reg == PX_T_B32 || reg == PX_T_F16X2;
    return r->klass == PX_TC_BITS && (t->declarable || reg == t->reg);
}

static bool reads_special(const struct px_match *match)
{
    for (unsigned i = 0; i < px_form_opds(match->form, NULL); i++)
        if (px_form_opd(match->form, i)->flags & PX_OPERAND_SPECIAL) return true;
    return false;
}

/*
 * multimem takes any register of the width for the formats that ptxas keeps as bits (all but .f16 and
 * .f16x2); a reduction is written out as `red`, which takes only bits.
 */
static bool multimem_bits(const struct px_held *s, enum px_type type)
{
    return !px_type_info(type)->declarable && px_held_quirk(s, PX_Q_bits_alone, NULL);
}

bool px_held_fits(const struct px_held *s, const struct px_opd *opd, enum px_type type, enum px_type reg)
{
    const struct px_type_info *r = px_type_info(reg);
    if (reg == PX_T_F16X2 && px_type_is_integer(px_type_info(type)) &&
        px_held_quirk(s, PX_Q_no_packed_integer, NULL))
        return false;
    if (opd->flags & PX_OPERAND_UNTYPED && !(type == PX_T_BF16 && reg == PX_T_F16))
        return r->bits == px_type_info(type)->bits ||
               (r->klass == PX_TC_PRED && px_type_info(type)->bits == 32);
    if (multimem_bits(s, type)) return r->klass != PX_TC_PRED && r->bits == px_type_info(type)->bits;
    return px_register_fits(type, reg, opd->flags);
}

static bool special_register(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                             enum px_type type, const struct px_sreg *sreg)
{
    const struct px_type_info *t = px_type_info(type), *r = px_type_info(sreg->type);
    if (opd->flags & PX_OPERAND_RESULT)
        return px_unfit(s, reads_special(s->match) ? PX_FAULT_SREG_WRITE : PX_FAULT_SREG, o, opd);
    if (!(opd->flags & PX_OPERAND_SPECIAL) && t->bits != r->bits && t->klass != PX_TC_NONE &&
        (sreg->components == 1 || t->bits != 16))
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (!(opd->flags & PX_OPERAND_SPECIAL) || t->klass == PX_TC_FLOAT)
        return px_unfit(s, PX_FAULT_SREG, o, opd);
    if (sreg->components > 1 && !o->has_selector) return px_unfit(s, PX_FAULT_SIZE, o, opd);
    if (t->klass == PX_TC_PRED || r->klass == PX_TC_PRED)
        return t->klass == r->klass || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    bool narrow = sreg->components > 1 ? t->bits == 16 : sreg->op == PX_SR_gridid && t->bits < 64;
    bool wide = opd->flags & PX_OPERAND_WIDER && r->bits > t->bits && t->bits <= 32;
    return t->bits == r->bits || narrow || wide || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
}

/* ---- names ---- */

bool px_held_by_modifier(const struct px_held *s, const struct px_opd *opd, enum px_type type)
{
    if (opd->tkind != 1) return true;
    for (unsigned i = 0; i < px_form_slots(s->match->form); i++)
        if (px_type_of_word(s->match->value[i]) == type && px_form_word(s->match->form, i, 1) == 0)
            return true;
    return false;
}

/* Where ptxas calls a function of its own on every target, and that with parameters aligned as their types
 * ask for. */
bool px_held_overaligned(const struct px_held *s, const struct px_symbol *reg, bool element)
{
    const unsigned bytes = px_type_info((enum px_type)reg->type)->bits / 8;
    bool asked = (element && px_held_quirk(s, PX_Q_aligned_element, NULL)) ||
                 (bytes == 8 && px_held_quirk(s, PX_Q_aligned_wide, NULL));
    return asked && reg->vec <= 1 && reg->align > bytes;
}

static bool register_name(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                          enum px_type type)
{
    const struct px_symbol *symbol = o->symbol;
    bool component = o->has_selector && symbol->vec > 1;
    bool foreign = o->has_selector && !component && !o->selector; /* selector.c has complained */
    if (o->has_selector && !component && !foreign && !(opd->flags & PX_OPERAND_SELECTOR))
        return px_unfit(
            s, px_register_fits(type, symbol->type, opd->flags) ? PX_FAULT_SELECTOR : PX_FAULT_MISMATCH, o,
            opd);
    if (o->has_selector && !component && !foreign && !px_selector_fits(o->selector, opd->step))
        return px_unfit(s, PX_FAULT_SELECTOR_VIDEO, o, opd);
    if (symbol->vec > 1 && !component) return px_held_loose_register(s, opd, o, type);
    if (component && px_is_video(s->match)) /* a second dot would be the selector */
        return px_unfit(s, px_is_simd_video(s->match) ? PX_FAULT_SELECTOR_VIDEO : PX_FAULT_MISMATCH, o, opd);
    if (symbol->type == PX_T_F16X2 && px_held_quirk(s, PX_Q_no_packed_halves, opd))
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (symbol->type == PX_T_F16X2 && type == PX_T_PRED && px_held_by_modifier(s, opd, type))
        return !px_held_quirk(s, PX_Q_no_packed_predicate, NULL) || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (symbol->type == PX_T_F16X2 && px_type_is_integer(px_type_info(type)) &&
        !px_held_by_modifier(s, opd, type) && !px_held_quirk(s, PX_Q_packed_by_width, NULL))
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (opd->flags & PX_OPERAND_32_OR_64 && px_type_info(symbol->type)->bits == 32 &&
        px_register_fits(PX_T_U32, symbol->type, 0))
        return true;
    if (!px_held_fits(s, opd, type, (enum px_type)symbol->type))
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    return !px_held_overaligned(s, symbol, false) || px_unfit(s, PX_FAULT_ALIGN, o, opd);
}

static bool constant(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                     enum px_type type);

/* ptxas takes name+4 for a constant and a function for a register of any type, but refuses a variable's plain
 * name. */
static bool stray_name(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                       enum px_type type)
{
    bool function = o->symbol && (o->symbol->kind == PX_SYM_FUNC || o->symbol->kind == PX_SYM_ENTRY);
    const struct px_type_info *t = px_type_info(type);
    bool integer = t->klass == PX_TC_BITS || px_type_is_integer(t);
    if (o->kind == PX_O_INDEX || !o->symbol)
        return px_unfit(
            s, o->kind == PX_O_INDEX && integer && t->bits == 32 ? PX_FAULT_MUST_REGISTER : PX_FAULT_MISMATCH,
            o, opd);
    if (opd->flags & PX_OPERAND_RESULT)
        return px_unfit(s, function || o->has_offset ? PX_FAULT_RESULT : PX_FAULT_MUST_REGISTER, o, opd);
    if (o->has_offset && px_held_quirk(s, PX_Q_no_name_offset, NULL))
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    bool own = !px_held_by_modifier(s, opd, type) && t->bits != 32 && !(opd->flags & PX_OPERAND_32_OR_64);
    if (o->has_offset && (type == PX_T_PRED || own)) return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (function && (opd->tkind == 3 || px_held_quirk(s, PX_Q_no_function, opd)))
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (o->has_offset && opd->flags & PX_OPERAND_SELECTOR &&
        !px_is_simd_video(s->match)) /* a syntax error in the expansion */
        return px_unfit(s, PX_FAULT_MUST_REGISTER, o, opd);
    if (o->has_offset || px_is_simd_video(s->match)) return constant(s, opd, o, type);
    if (!px_held_by_modifier(s, opd, type) || (function && (type == PX_T_BF16 || type == PX_T_BF16X2)))
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    return function || px_unfit(s, PX_FAULT_MUST_REGISTER, o, opd);
}

/* The state space that a variable must be in for its address to be taken: the one named, or as the quirk
 * says. */
static enum px_space space_taken(const struct px_held *s)
{
    if (px_held_quirk(s, PX_Q_shared_name, NULL)) return PX_SPACE_SHARED;
    for (unsigned i = 0; i < px_form_slots(s->match->form); i++)
        if (px_space_of_word(s->match->value[i]) != PX_SPACE_NONE)
            return px_space_of_word(s->match->value[i]);
    return PX_SPACE_NONE;
}

static bool space_fits(const struct px_held *s, const struct px_operand *o)
{
    enum px_space space = space_taken(s);
    const struct px_symbol *base = o->kind == PX_O_INDEX ? o->u.list[0].symbol : o->symbol;
    bool variable = base && (base->kind == PX_SYM_VAR || base->kind == PX_SYM_PARAM);
    if (space == PX_SPACE_NONE || !base) return true;
    return variable ? base->space == space : !px_held_quirk(s, PX_Q_no_function_address, NULL);
}

/* The address of a variable or function as a value. */
static bool address_name(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                         enum px_type type)
{
    const struct px_type_info *t = px_type_info(type);
    if (opd->flags & PX_OPERAND_NAME &&
        px_type_info(o->symbol ? o->symbol->type : 0)->klass == PX_TC_OPAQUE && t->bits < 64)
        return px_unfit(s, PX_FAULT_HANDLE, o, opd);
    if (!(opd->flags & PX_OPERAND_NAME)) return stray_name(s, opd, o, type);
    if (!space_fits(s, o)) return px_unfit(s, PX_FAULT_ADDRESS_SPACE, o, opd);
    if (t->klass != PX_TC_BITS && !px_type_is_integer(t)) return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    return t->bits >= 16 || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
}

static bool name_operand(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                         enum px_type type, bool element)
{
    const struct px_sreg *sreg = o->u.name->text[0] == '%' ? px_sreg_of_word(o->u.name->word) : NULL;
    if (o->symbol) {
        switch (o->symbol->kind) {
        case PX_SYM_REG: return register_name(s, opd, o, type);
        case PX_SYM_VAR:
        case PX_SYM_PARAM:
        case PX_SYM_FUNC:
        case PX_SYM_ENTRY:
            return element ? px_unfit(s, PX_FAULT_EXPRESSION, o, opd) : address_name(s, opd, o, type);
        default: return px_unfit(s, PX_FAULT_ILLEGAL, o, opd);
        }
    }
    if (sreg) return special_register(s, opd, o, type, sreg);
    if (o->u.name->word == PX_W_WARP_SZ) return constant(s, opd, o, type);
    return px_unfit(s, element ? PX_FAULT_EXPRESSION : PX_FAULT_MISMATCH, o, opd);
}

/* ---- constants ---- */

/* Threads at a barrier: ptxas wants whole warps, and looks at no bound. */
static bool whole_warps(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (o->u.i % (uint64_t)opd->step) return px_unfit(s, PX_FAULT_MULTIPLE, o, opd);
    return o->u.i || opd->lo == 0 || px_unfit(s, PX_FAULT_RANGE, o, opd);
}

static bool in_range(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                     enum px_type type)
{
    int64_t v = (int64_t)o->u.i;
    if (!(opd->flags & PX_OPERAND_RANGE) || o->kind != PX_O_INT) return true;
    if (px_held_quirk(s, PX_Q_low_half_always, opd)) v = (int64_t)(uint32_t)v;
    bool tall = v >> 32 > 0 || (v < 0 && (v & UINT32_MAX) == 0);
    if (px_type_info(type)->bits == 32 && tall && px_held_quirk(s, PX_Q_low_half, NULL))
        v = type == PX_T_S32 ? (int64_t)(int32_t)v : (int64_t)(uint32_t)v;
    if (opd->step > 1 && px_held_quirk(s, PX_Q_whole_warps, NULL)) return whole_warps(s, opd, o);
    if (opd->step < 0 && (v <= 0 || v & (v - 1))) return px_unfit(s, PX_FAULT_POWER, o, opd);
    if (v < opd->lo || v > opd->hi) return px_unfit(s, PX_FAULT_RANGE, o, opd);
    return opd->step <= 1 || (v - opd->lo) % opd->step == 0 || px_unfit(s, PX_FAULT_MULTIPLE, o, opd);
}

/* A constant of a class that registers of the type could hold. */
static bool constant_fits(const struct px_operand *o, enum px_type type)
{
    bool is_float = o->kind == PX_O_F32 || o->kind == PX_O_F64;
    enum px_type_class klass = (enum px_type_class)px_type_info(type)->klass;
    if (klass == PX_TC_BITS || klass == PX_TC_PRED) return !is_float && px_type_takes_constant(type);
    return (klass == PX_TC_FLOAT) == is_float && px_type_takes_constant(type);
}

/* Integers stand for bf16 in mixed arithmetic, and .f32 constants for .f64 in a matrix. */
static bool odd_constant(const struct px_held *s, const struct px_operand *o, enum px_type type)
{
    if (o->kind == PX_O_F32) return type == PX_T_B64 && px_held_quirk(s, PX_Q_single_for_wide, NULL);
    return type == PX_T_BF16 && o->kind != PX_O_F64 && px_held_quirk(s, PX_Q_integer_for_half, NULL);
}

static bool constant(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                     enum px_type type)
{
    const struct px_type_info *t = px_type_info(type);
    if (!(opd->flags & PX_OPERAND_RESULT) && odd_constant(s, o, type)) return true;
    if (opd->flags & PX_OPERAND_RESULT)
        return px_unfit(s, constant_fits(o, type) ? PX_FAULT_RESULT : PX_FAULT_MISMATCH, o, opd);
    if (!(opd->flags & PX_OPERAND_CONSTANT) && px_is_simd_video(s->match))
        return px_unfit(s, PX_FAULT_SELECTOR_VIDEO, o, opd);
    if (opd->flags & PX_OPERAND_UNTYPED && o->kind == PX_O_INT) return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (opd->flags & PX_OPERAND_UNTYPED && o->kind == PX_O_F32)
        return px_type_info(type)->bits == 32 || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (type != PX_T_NONE && (!(opd->flags & PX_OPERAND_CONSTANT) || !px_type_takes_constant(type)))
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    bool brain = px_match_has(s->match, PX_W_bf16) || px_match_has(s->match, PX_W_bf16x2);
    if (px_held_quirk(s, PX_Q_single_alone, NULL) ? o->kind == PX_O_F64 : type == PX_T_PRED && brain)
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (o->kind == PX_O_F32 || o->kind == PX_O_F64) {
        double x = px_operand_value(o);
        if (opd->flags & PX_OPERAND_RANGE && !(x > (double)opd->lo && x <= (double)opd->hi))
            return px_unfit(s, PX_FAULT_RANGE, o, opd);
        unsigned bits = o->kind == PX_O_F32 ? 32 : 64;
        bool fits = type == PX_T_F32 || type == PX_T_F64 || (t->klass == PX_TC_BITS && t->bits == bits);
        return fits || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    }
    if (t->klass == PX_TC_FLOAT) return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    return in_range(s, opd, o, type);
}

/* ---- any value ---- */

/* An address where a value should stand has the type of its base: only when that fits, ptxas asks for a
 * register. */
static bool address_passes(const struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                           enum px_type type)
{
    const struct px_operand *base = o->n == 1 ? &o->u.list[0] : o;
    const struct px_type_info *t = px_type_info(type);
    bool integer = (t->klass == PX_TC_BITS && t->declarable) || (px_type_is_integer(t) && t->declarable);
    if (base->kind != PX_O_NAME || !base->symbol) return false;
    if (base->symbol->kind == PX_SYM_REG) return px_register_fits(type, base->symbol->type, opd->flags);
    return integer && t->bits >= 32 && px_held_by_modifier(s, opd, type);
}

bool px_held_scalar(struct px_held *s, const struct px_opd *opd, const struct px_operand *o,
                    enum px_type type, bool element)
{
    bool predicate = o->kind == PX_O_NAME && o->symbol && o->symbol->type == PX_T_PRED;
    if (o->negated && predicate && opd->flags & PX_OPERAND_UNTYPED && !(opd->flags & PX_OPERAND_RESULT))
        return px_held_fits(s, opd, type, PX_T_PRED) || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (o->negated && type != PX_T_PRED && predicate) return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (o->negated && (type != PX_T_PRED || !(opd->flags & PX_OPERAND_NOT)))
        return px_unfit(s, PX_FAULT_NOT, o, opd);
    if (o->minus && !(opd->flags & PX_OPERAND_MINUS)) return px_unfit(s, PX_FAULT_MINUS, o, opd);
    switch (o->kind) {
    case PX_O_NAME: return name_operand(s, opd, o, type, element);
    case PX_O_INT:
    case PX_O_F32:
    case PX_O_F64:
    case PX_O_EXPR: return constant(s, opd, o, type);
    case PX_O_SINK:
        return (opd->flags & PX_OPERAND_SINK &&
                (element || !opd->by_vec || !(opd->flags & PX_OPERAND_WIDER))) ||
               px_unfit(s, PX_FAULT_SINK, o, opd);
    case PX_O_VEC: return px_held_braces(s, opd, o, type);
    case PX_O_PAIR: return px_unfit(s, PX_FAULT_PAIR, o, opd);
    case PX_O_ADDR:
        return px_unfit(s, address_passes(s, opd, o, type) ? PX_FAULT_MUST_REGISTER : PX_FAULT_MISMATCH, o,
                        opd);
    case PX_O_INDEX: return address_name(s, opd, o, type);
    default: return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    }
}
