/*
 * inst_opds.c - operands against the types that the form gives them.
 *
 * Registers match by class and width: integer types take any integer or bit
 * register of their width, bit types any register, floating-point types their
 * own or a bit register. Loads, stores and conversions take wider ones. Half
 * and packed formats live in bit registers.
 */
#include "check/inst.h"
#include <string.h>

struct state {
    const struct ptx_module *module;
    const struct px_match *match;
    const struct px_inst *inst;
    struct px_fault *fault;
    unsigned argument;
    bool coordinates; /* inside of a texture's brackets */
};

static bool fail(struct state *s, enum px_fault_kind kind, const struct px_operand *operand, const struct px_opd *opd)
{
    *s->fault = (struct px_fault){kind, s->argument, operand, opd};
    return false;
}

/* ---- registers ---- */

static bool is_integer(enum px_type_class klass)
{
    return klass == PX_TC_UNSIGNED || klass == PX_TC_SIGNED;
}

/* May a register of type `reg` hold a value of `type`? `flags` are those of the operand. */
static bool register_fits(enum px_type type, enum px_type reg, uint32_t flags)
{
    const struct px_type_info *t = px_type_info(type), *r = px_type_info(reg);
    if (t->klass == PX_TC_PRED || r->klass == PX_TC_PRED)
        return t->klass == r->klass;
    if (reg == type)
        return true;
    bool wide = flags & PX_OF_WIDER && r->bits > t->bits;
    if (r->bits != t->bits && !wide)
        return false;
    if (t->klass == PX_TC_BITS && t->declarable)
        return true;
    if (is_integer((enum px_type_class)t->klass) && t->declarable)
        return r->klass == PX_TC_BITS || is_integer((enum px_type_class)r->klass) || reg == PX_T_F16X2;
    if (type == PX_T_U16X2 || type == PX_T_S16X2)
        return reg == PX_T_B32 || reg == PX_T_F16X2;
    return r->klass == PX_TC_BITS && (t->declarable || reg == t->reg);
}

static bool reads_special(const struct px_match *match)
{
    for (unsigned i = 0; i < px_form_opds(match->form, NULL); i++)
        if (px_form_opd(match->form, i)->flags & PX_OF_SREG)
            return true;
    return false;
}

/*
 * multimem takes any register of the width for the formats that ptxas keeps as bits (all but .f16 and .f16x2);
 * a reduction is written out as `red`, which takes only bits.
 */
static bool multimem_bits(const struct state *s, enum px_type type)
{
    return s->inst->opcode->word == PX_W_multimem && !px_match_has(s->match, PX_W_red) && !px_type_info(type)->declarable;
}

/* A register against the type of its place in this instruction. */
static bool fits(const struct state *s, const struct px_opd *opd, enum px_type type, enum px_type reg)
{
    const struct px_type_info *r = px_type_info(reg);
    if (multimem_bits(s, type))
        return r->klass != PX_TC_PRED && r->bits == px_type_info(type)->bits;
    return register_fits(type, reg, opd->flags);
}

static bool special_register(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type,
                             const struct px_sreg *sreg)
{
    const struct px_type_info *t = px_type_info(type), *r = px_type_info(sreg->type);
    if (opd->flags & PX_OF_DST)
        return fail(s, reads_special(s->match) ? PX_FAULT_SREG_WRITE : PX_FAULT_SREG, o, opd);
    if (!(opd->flags & PX_OF_SREG) && t->bits != r->bits && t->klass != PX_TC_NONE && (sreg->components == 1 || t->bits != 16))
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    if (!(opd->flags & PX_OF_SREG) || t->klass == PX_TC_FLOAT)
        return fail(s, PX_FAULT_SREG, o, opd);
    if (sreg->components > 1 && !o->has_selector)
        return fail(s, PX_FAULT_SIZE, o, opd);
    if (t->klass == PX_TC_PRED || r->klass == PX_TC_PRED)
        return t->klass == r->klass || fail(s, PX_FAULT_MISMATCH, o, opd);
    bool narrow = sreg->components > 1 ? t->bits == 16 : sreg->op == PX_SR_gridid && t->bits < 64;
    return t->bits == r->bits || narrow || fail(s, PX_FAULT_MISMATCH, o, opd);
}

/* ---- names ---- */

/* Is the operand's type one that the modifiers name, not one of its own (the count of shl)? */
static bool by_modifier(const struct state *s, const struct px_opd *opd, enum px_type type)
{
    if (opd->tkind != 1)
        return true;
    for (unsigned i = 0; i < px_form_slots(s->match->form); i++)
        if (px_type_of_word(s->match->value[i]) == type)
            return px_form_word(s->match->form, i, 1) == 0;
    return false;
}

/* The scale factors of a block-scaled mma: ptxas lets predicates pass for 32 bits, negated ones, too. */
static bool scale_factor(const struct state *s, enum px_type type)
{
    return s->inst->opcode->word == PX_W_mma && type == PX_T_B32 && px_match_has(s->match, PX_W_block_scale);
}

static bool register_name(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    const struct px_symbol *symbol = o->symbol;
    bool component = o->has_selector && symbol->vec > 1;
    bool foreign = o->has_selector && !component && !o->selector; /* selector.c has complained */
    if (o->has_selector && !component && !foreign && !(opd->flags & PX_OF_SELECTOR))
        return fail(s, register_fits(type, symbol->type, opd->flags) ? PX_FAULT_SELECTOR : PX_FAULT_MISMATCH, o, opd);
    if (o->has_selector && !component && !foreign && !px_selector_fits(o->selector, opd->step))
        return fail(s, PX_FAULT_SELECTOR_VIDEO, o, opd);
    if (symbol->vec > 1 && !component)
        return fail(s, PX_FAULT_VECTOR, o, opd);
    if (component && px_is_video(s->match)) /* a second dot would be the selector */
        return fail(s, px_is_simd_video(s->match) ? PX_FAULT_SELECTOR_VIDEO : PX_FAULT_MISMATCH, o, opd);
    if (symbol->type == PX_T_F16X2 && s->inst->opcode->word == PX_W_nanosleep)
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    if (symbol->type == PX_T_PRED && scale_factor(s, type))
        return true;
    if (symbol->type == PX_T_F16X2 && type == PX_T_PRED && by_modifier(s, opd, type))
        return true;
    bool shift = s->inst->opcode->word == PX_W_vshl || s->inst->opcode->word == PX_W_vshr; /* the count by its width alone */
    if (symbol->type == PX_T_F16X2 && is_integer((enum px_type_class)px_type_info(type)->klass) && !by_modifier(s, opd, type) &&
        !shift)
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    if (opd->flags & PX_OF_WIDTH3264 && px_type_info(symbol->type)->bits == 32 && register_fits(PX_T_U32, symbol->type, 0))
        return true;
    return fits(s, opd, type, (enum px_type)symbol->type) || fail(s, PX_FAULT_MISMATCH, o, opd);
}

static bool constant(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type);

/* ptxas takes name+4 for a constant and a function for a register of any type, but refuses a variable's plain name. */
static bool stray_name(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    bool function = o->symbol && (o->symbol->kind == PX_SYM_FUNC || o->symbol->kind == PX_SYM_ENTRY);
    const struct px_type_info *t = px_type_info(type);
    bool integer = t->klass == PX_TC_BITS || is_integer((enum px_type_class)t->klass);
    if (o->kind == PX_O_INDEX || !o->symbol)
        return fail(s, o->kind == PX_O_INDEX && integer && t->bits == 32 ? PX_FAULT_MUST_REGISTER : PX_FAULT_MISMATCH, o, opd);
    if (opd->flags & PX_OF_DST)
        return fail(s, function || o->has_offset ? PX_FAULT_RESULT : PX_FAULT_MUST_REGISTER, o, opd);
    if (o->has_offset && s->inst->opcode->word == PX_W_tcgen05 && !px_match_has(s->match, PX_W_dealloc))
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    if (o->has_offset || px_is_simd_video(s->match))
        return constant(s, opd, o, type);
    if (!by_modifier(s, opd, type))
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    return function || fail(s, PX_FAULT_MUST_REGISTER, o, opd);
}

/* The state space that a variable must be in for its address to be taken: the one named; shared for mapa and getctarank. */
static enum px_space space_taken(const struct state *s)
{
    px_word opcode = s->inst->opcode->word;
    if (opcode == PX_W_mapa || opcode == PX_W_getctarank)
        return PX_SPACE_SHARED;
    for (unsigned i = 0; i < px_form_slots(s->match->form); i++)
        if (px_space_of_word(s->match->value[i]) != PX_SPACE_NONE)
            return px_space_of_word(s->match->value[i]);
    return PX_SPACE_NONE;
}

static bool space_fits(const struct state *s, const struct px_operand *o)
{
    enum px_space space = space_taken(s);
    const struct px_symbol *base = o->kind == PX_O_INDEX ? o->u.list[0].symbol : o->symbol;
    bool variable = base && (base->kind == PX_SYM_VAR || base->kind == PX_SYM_PARAM);
    if (space == PX_SPACE_NONE || !base)
        return true;
    return variable ? base->space == space : s->inst->opcode->word != PX_W_cvta;
}

/* The address of a variable or function as a value. */
static bool address_name(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    const struct px_type_info *t = px_type_info(type);
    if (opd->flags & PX_OF_VAR && px_type_info(o->symbol ? o->symbol->type : 0)->klass == PX_TC_OPAQUE && t->bits < 64)
        return fail(s, PX_FAULT_HANDLE, o, opd);
    if (!(opd->flags & PX_OF_VAR))
        return stray_name(s, opd, o, type);
    if (!space_fits(s, o))
        return fail(s, PX_FAULT_ADDRESS_SPACE, o, opd);
    if (t->klass != PX_TC_BITS && !is_integer((enum px_type_class)t->klass))
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    return t->bits >= 16 || fail(s, PX_FAULT_MISMATCH, o, opd);
}

static bool name_operand(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type, bool element)
{
    const struct px_sreg *sreg = o->u.name->text[0] == '%' ? px_sreg_of_word(o->u.name->word) : NULL;
    if (o->symbol) {
        switch (o->symbol->kind) {
        case PX_SYM_REG: return register_name(s, opd, o, type);
        case PX_SYM_VAR: case PX_SYM_PARAM: case PX_SYM_FUNC: case PX_SYM_ENTRY:
            return element ? fail(s, PX_FAULT_EXPRESSION, o, opd) : address_name(s, opd, o, type);
        default: return fail(s, PX_FAULT_ILLEGAL, o, opd);
        }
    }
    if (sreg)
        return special_register(s, opd, o, type, sreg);
    if (o->u.name->word == PX_W_WARP_SZ)
        return constant(s, opd, o, type);
    return fail(s, element ? PX_FAULT_EXPRESSION : PX_FAULT_MISMATCH, o, opd);
}

/* ---- constants ---- */

/* Threads at a barrier: ptxas wants whole warps, and looks at no bound. */
static bool whole_warps(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (o->u.i % (uint64_t)opd->step)
        return fail(s, PX_FAULT_MULTIPLE, o, opd);
    return o->u.i || opd->lo == 0 || fail(s, PX_FAULT_RANGE, o, opd);
}

static bool in_range(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    int64_t v = (int64_t)o->u.i;
    if (!(opd->flags & PX_OF_RANGE) || o->kind != PX_O_INT)
        return true;
    if (opd->step > 1 && (s->inst->opcode->word == PX_W_bar || s->inst->opcode->word == PX_W_barrier))
        return whole_warps(s, opd, o);
    if (opd->step < 0 && (v <= 0 || v & (v - 1)))
        return fail(s, PX_FAULT_POWER, o, opd);
    if (v < opd->lo || v > opd->hi)
        return fail(s, PX_FAULT_RANGE, o, opd);
    return opd->step <= 1 || (v - opd->lo) % opd->step == 0 || fail(s, PX_FAULT_MULTIPLE, o, opd);
}

/* A constant of a class that registers of the type could hold. */
static bool constant_fits(const struct px_operand *o, enum px_type type)
{
    bool is_float = o->kind == PX_O_F32 || o->kind == PX_O_F64;
    enum px_type_class klass = (enum px_type_class)px_type_info(type)->klass;
    if (klass == PX_TC_BITS || klass == PX_TC_PRED)
        return !is_float && px_type_takes_constant(type);
    return (klass == PX_TC_FLOAT) == is_float && px_type_takes_constant(type);
}

/* Integers stand for bf16 in mixed arithmetic, and .f32 constants for .f64 in a matrix. */
static bool odd_constant(const struct state *s, const struct px_operand *o, enum px_type type)
{
    px_word opcode = s->inst->opcode->word;
    bool mixed = type == PX_T_BF16 && px_match_has(s->match, PX_W_f32) &&
                 (opcode == PX_W_add || opcode == PX_W_sub || opcode == PX_W_fma);
    if (o->kind == PX_O_F32)
        return opcode == PX_W_mma && type == PX_T_B64;
    return mixed && o->kind != PX_O_F64;
}

static bool constant(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    const struct px_type_info *t = px_type_info(type);
    if (!(opd->flags & PX_OF_DST) && odd_constant(s, o, type))
        return true;
    if (opd->flags & PX_OF_DST)
        return fail(s, constant_fits(o, type) ? PX_FAULT_RESULT : PX_FAULT_MISMATCH, o, opd);
    if (!(opd->flags & PX_OF_IMM) && px_is_simd_video(s->match))
        return fail(s, PX_FAULT_SELECTOR_VIDEO, o, opd);
    if (type != PX_T_NONE && (!(opd->flags & PX_OF_IMM) || !px_type_takes_constant(type)))
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    bool brain = px_match_has(s->match, PX_W_bf16) || px_match_has(s->match, PX_W_bf16x2);
    if ((o->kind == PX_O_F64 && s->inst->opcode->word == PX_W_wgmma) || (type == PX_T_PRED && brain))
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    if (o->kind == PX_O_F32 || o->kind == PX_O_F64) {
        double x = px_operand_value(o);
        if (opd->flags & PX_OF_RANGE && !(x > (double)opd->lo && x <= (double)opd->hi))
            return fail(s, PX_FAULT_RANGE, o, opd);
        unsigned bits = o->kind == PX_O_F32 ? 32 : 64;
        bool fits = type == PX_T_F32 || type == PX_T_F64 || (t->klass == PX_TC_BITS && t->bits == bits);
        return fits || fail(s, PX_FAULT_MISMATCH, o, opd);
    }
    if (t->klass == PX_TC_FLOAT)
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    return in_range(s, opd, o);
}

/* ---- scalars and vectors ---- */

static bool is_register(const struct px_operand *o)
{
    if (o->kind != PX_O_NAME)
        return false;
    return o->symbol ? o->symbol->kind == PX_SYM_REG : o->u.name->text[0] == '%' && px_sreg_of_word(o->u.name->word);
}

static bool has_register(const struct px_operand *o)
{
    for (uint16_t i = 0; i < o->n; i++)
        if (is_register(&o->u.list[i]) || px_vector_variable(&o->u.list[i]))
            return true;
    return false;
}

static bool element(struct state *s, const struct px_opd *opd, const struct px_operand *o);

static bool elements(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    for (uint16_t i = 0; i < o->n; i++)
        if (!element(s, opd, &o->u.list[i]))
            return false;
    return true;
}

static bool vector_fits(const struct state *s, const struct px_opd *opd, enum px_type want, enum px_type type);

/* A vector where one register of `type` would do: ptxas does not count its elements. */
static bool loose_vector(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    enum px_type found;
    enum px_fault_kind mixed = px_vector_type(o, &found);
    if (mixed)
        return fail(s, mixed, o, opd);
    if (!elements(s, opd, o))
        return false;
    bool fits = opd->by_vec ? px_type_info(found)->klass != PX_TC_PRED : found != PX_T_F16X2 && vector_fits(s, opd, type, found);
    if (!fits)
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    return o->n == 2 || o->n == 4 || fail(s, PX_FAULT_ILLEGAL_SIZE, o, opd);
}

/* An address where a value should stand has the type of its base: only when that fits, ptxas asks for a register. */
static bool address_passes(const struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    const struct px_operand *base = o->n == 1 ? &o->u.list[0] : o;
    const struct px_type_info *t = px_type_info(type);
    bool integer = (t->klass == PX_TC_BITS && t->declarable) || (is_integer((enum px_type_class)t->klass) && t->declarable);
    if (base->kind != PX_O_NAME || !base->symbol)
        return false;
    if (base->symbol->kind == PX_SYM_REG)
        return register_fits(type, base->symbol->type, opd->flags);
    return integer && t->bits >= 32 && by_modifier(s, opd, type);
}

/*
 * Of registers of the bf16 formats ptxas does not ask whether they stand in braces, except in memory and where the result
 * is moved.
 */
static bool brain_vector(const struct state *s, const struct px_opd *opd, enum px_type type, const struct px_operand *o)
{
    px_word opcode = s->inst->opcode->word;
    bool memory = opcode == PX_W_atom || opcode == PX_W_red || opcode == PX_W_multimem;
    bool moved = opd->flags & PX_OF_DST && (opcode == PX_W_ex2 || opcode == PX_W_tanh);
    return (type == PX_T_BF16 || type == PX_T_BF16X2) && !memory && !moved && has_register(o);
}

/* Braces where a scalar should stand. */
static bool stray_vector(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    enum px_type found;
    enum px_fault_kind mixed = px_vector_type(o, &found);
    if (mixed)
        return fail(s, mixed, o, opd);
    if (opd->by_vec)
        return fail(s, PX_FAULT_SIZE, o, opd);
    if (brain_vector(s, opd, type, o) && register_fits(type, found, opd->flags))
        return elements(s, opd, o) && (o->n != 3 || fail(s, PX_FAULT_ILLEGAL_SIZE, o, opd));
    bool bits = px_type_info(type)->klass == PX_TC_BITS && o->n > 1;
    bool passes = by_modifier(s, opd, type) && (!has_register(o) || (!bits && register_fits(type, found, opd->flags)));
    return fail(s, passes || s->inst->opcode->word == PX_W_mov ? PX_FAULT_VECTOR : PX_FAULT_MISMATCH, o, opd);
}

static bool scalar(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type, bool element);

/* One element in braces: as in longer vectors, a special register is as good as another. */
static bool alone(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    const struct px_sreg *sreg = o->kind == PX_O_NAME && !o->symbol && o->u.name->text[0] == '%' ? px_sreg_of_word(o->u.name->word) : NULL;
    if (sreg && !o->minus && !o->negated && (sreg->components == 1 || o->has_selector))
        return register_fits(type, (enum px_type)sreg->type, opd->flags) || fail(s, PX_FAULT_MISMATCH, o, opd);
    if (px_vector_variable(o) && !o->minus && !o->negated)
        return fits(s, opd, type, (enum px_type)o->symbol->type) || fail(s, PX_FAULT_MISMATCH, o, opd);
    return scalar(s, opd, o, type, true);
}

static bool scalar(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type, bool element)
{
    bool predicate = o->kind == PX_O_NAME && o->symbol && o->symbol->type == PX_T_PRED;
    if (o->negated && predicate && scale_factor(s, type))
        return true;
    if (o->negated && type != PX_T_PRED && predicate)
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    if (o->negated && (type != PX_T_PRED || !(opd->flags & PX_OF_NEG)))
        return fail(s, PX_FAULT_NOT, o, opd);
    if (o->minus && !(opd->flags & PX_OF_MINUS))
        return fail(s, PX_FAULT_MINUS, o, opd);
    switch (o->kind) {
    case PX_O_NAME: return name_operand(s, opd, o, type, element);
    case PX_O_INT: case PX_O_F32: case PX_O_F64: case PX_O_EXPR:
        return constant(s, opd, o, type);
    case PX_O_SINK:
        return (opd->flags & PX_OF_SINK && (element || !opd->by_vec || !(opd->flags & PX_OF_WIDER))) || fail(s, PX_FAULT_SINK, o, opd);
    case PX_O_VEC:
        if (o->n > 1 && opd->flags & PX_OF_LOOSE)
            return loose_vector(s, opd, o, type);
        if (o->n == 1 && (opd->by_vec || opd->tkind == 3) && s->inst->opcode->word != PX_W_multimem)
            return alone(s, opd, &o->u.list[0], type);
        return stray_vector(s, opd, o, type);
    case PX_O_PAIR: return fail(s, PX_FAULT_PAIR, o, opd);
    case PX_O_ADDR: return fail(s, address_passes(s, opd, o, type) ? PX_FAULT_MUST_REGISTER : PX_FAULT_MISMATCH, o, opd);
    case PX_O_INDEX: return address_name(s, opd, o, type);
    default: return fail(s, PX_FAULT_MISMATCH, o, opd);
    }
}

/* Do all elements have one type (an array index differs from the coordinates)? */
static bool uniform(const struct state *s, const struct px_opd *opd, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        if (px_match_elem(s->match, opd, i) != px_match_elem(s->match, opd, 0))
            return false;
    return true;
}

static bool all_sinks(const struct px_operand *o)
{
    for (uint16_t i = 0; i < o->n; i++)
        if (o->u.list[i].kind != PX_O_SINK)
            return false;
    return o->n > 0;
}

static bool vector_register(struct state *s, const struct px_opd *opd, const struct px_operand *o, unsigned count)
{
    const struct px_symbol *r = o->symbol;
    enum px_type type = px_match_elem(s->match, opd, 0);
    if (r->vec != count)
        return fail(s, PX_FAULT_SIZE, o, opd);
    return register_fits(type, r->type, opd->flags) || fail(s, PX_FAULT_MISMATCH, o, opd);
}

/* Does ptxas expand the instruction so that every element is moved by itself, and must be an ordinary register? */
static bool expands_elements(const struct px_match *match, const struct px_inst *inst)
{
    px_word opcode = inst->opcode->word;
    bool packed = opcode == PX_W_tex && (px_match_has(match, PX_W_f16x2) || px_match_has(match, PX_W_f16));
    return opcode == PX_W_wmma || packed || (opcode == PX_W_tcgen05 && px_match_has(match, PX_W_mma));
}

/* tcgen05.ld and .st are written out as loads and stores, which take no predicate and no special register. */
static bool moves_lanes(const struct state *s)
{
    return s->inst->opcode->word == PX_W_tcgen05 && (px_match_has(s->match, PX_W_ld) || px_match_has(s->match, PX_W_st));
}

/* `mov.b32 d, {a, _}`: only here, ptxas takes a sink among the sources. */
static bool packs_word(const struct state *s, const struct px_opd *opd)
{
    enum px_type type;
    unsigned count;
    return s->inst->opcode->word == PX_W_mov && px_match_opd_type(s->match, opd, &type, &count) &&
           count * px_type_info(type)->bits == 32;
}

/* An element of a vector whose type is settled. */
static bool element(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    bool sign = o->negated || o->minus, is_constant = o->kind == PX_O_INT || o->kind == PX_O_F32 || o->kind == PX_O_F64;
    if (o->kind == PX_O_SINK)
        return (opd->flags & PX_OF_DST && !moves_lanes(s)) || packs_word(s, opd) || fail(s, PX_FAULT_SINK_SOURCE, o, opd);
    if (is_constant && !sign)
        return !(opd->flags & PX_OF_DST) || fail(s, PX_FAULT_RESULT, o, opd);
    if (px_vector_variable(o) && !sign && s->inst->opcode->word != PX_W_wmma && s->inst->opcode->word != PX_W_tcgen05)
        return true;
    bool plain = o->symbol && o->symbol->type != PX_T_PRED && !o->has_selector;
    if (moves_lanes(s) && is_register(o) && (!o->symbol || o->symbol->type == PX_T_PRED))
        return fail(s, o->symbol ? PX_FAULT_MISMATCH : PX_FAULT_SREG, o, opd);
    if (expands_elements(s->match, s->inst) && is_register(o) && !plain)
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    if (is_register(o) && !sign && (!o->symbol || (o->symbol->vec <= 1 && !o->has_selector)))
        return true;
    return scalar(s, opd, o, o->symbol ? (enum px_type)o->symbol->type : px_match_elem(s->match, opd, 0), true);
}

/* May a vector of `type` stand for one of `want`? Where .v2 and .v4 count the elements, integers also hold floats. */
static bool vector_fits(const struct state *s, const struct px_opd *opd, enum px_type want, enum px_type type)
{
    const struct px_type_info *w = px_type_info(want), *t = px_type_info(type);
    bool float_in_integers = w->klass == PX_TC_FLOAT && w->declarable && want != PX_T_F16X2 && (opd->by_vec || s->coordinates) &&
                             is_integer((enum px_type_class)t->klass);
    if (float_in_integers && (t->bits == w->bits || (opd->flags & PX_OF_WIDER && t->bits > w->bits)))
        return true;
    return fits(s, opd, want, type);
}

static bool typed_vector(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    if (!elements(s, opd, o))
        return false;
    return vector_fits(s, opd, px_match_elem(s->match, opd, 0), type) || fail(s, PX_FAULT_MISMATCH, o, opd);
}

static bool vector(struct state *s, const struct px_opd *opd, const struct px_operand *o, unsigned count)
{
    if (o->kind == PX_O_NAME && o->symbol && o->symbol->kind == PX_SYM_REG && o->symbol->vec > 1 && !o->has_selector)
        return vector_register(s, opd, o, count);
    if (o->kind == PX_O_NAME && !o->symbol && opd->flags & PX_OF_SREG && !o->has_selector) {
        const struct px_sreg *sreg = px_sreg_of_word(o->u.name->word);
        return (sreg && sreg->components == count) || fail(s, PX_FAULT_SIZE, o, opd);
    }
    if (o->kind != PX_O_VEC && opd->flags & PX_OF_LOOSE && !(opd->flags & PX_OF_DST))
        return scalar(s, opd, o, px_match_elem(s->match, opd, count - 1), false);
    if (o->kind != PX_O_VEC) {
        bool by_vec = opd->by_vec && opd->flags & PX_OF_DST;
        return fail(s, by_vec ? PX_FAULT_RESULT_VECTOR : opd->by_vec ? PX_FAULT_MISMATCH : PX_FAULT_VECTOR_NEEDED, o, opd);
    }
    if (o->n != count)
        return fail(s, o->n == 3 ? PX_FAULT_ILLEGAL_SIZE : PX_FAULT_SIZE, o, opd);
    enum px_type type;
    enum px_fault_kind mixed = px_vector_type(o, &type);
    bool even = uniform(s, opd, count);
    if (all_sinks(o) || (mixed && even))
        return fail(s, mixed ? mixed : PX_FAULT_SINKS, o, opd);
    if (even && has_register(o))
        return typed_vector(s, opd, o, type);
    for (uint16_t i = 0; i < o->n; i++)
        if (!scalar(s, opd, &o->u.list[i], px_match_elem(s->match, opd, i), true))
            return false;
    return true;
}

static bool value(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_type type;
    unsigned count;
    if (!px_match_opd_type(s->match, opd, &type, &count))
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    return count ? vector(s, opd, o, count) : scalar(s, opd, o, type, false);
}

/* ---- addresses ---- */

/* How wide the address registers of instructions are that ptxas expands with a move or an addition of that width. */
struct width { unsigned least, most; };

static struct width address_width(const struct px_match *match, const struct px_inst *inst, unsigned argument)
{
    static const struct width any = {0, 64}, word = {32, 32}, wide = {64, 64}, move = {32, 64};
    bool lanes = px_match_has(match, PX_W_mma) || px_match_has(match, PX_W_cp) || px_match_has(match, PX_W_ld) ||
                 px_match_has(match, PX_W_st);
    switch (inst->opcode->word) {
    case PX_W_tcgen05: return lanes || px_match_has(match, PX_W_shift) ? word : move;
    case PX_W_multimem: return px_match_has(match, PX_W_red) ? wide : any;
    case PX_W_red: case PX_W_st:
        if (argument == 2 && px_match_has(match, PX_W_shared__cluster)) /* the barrier's place is known */
            return any;
        return px_match_has(match, PX_W_async) || px_match_has(match, PX_W_bulk) ? move : any;
    case PX_W_tensormap: return px_match_has(match, PX_W_replace) ? move : any;
    case PX_W_wmma: case PX_W_createpolicy: return move;
    default: return any;
    }
}

/* An address in a register of a given type (tensor memory): any integer register of its width, or only .b32 itself. */
static bool typed_base(const struct state *s, const struct px_opd *opd, enum px_type reg)
{
    enum px_type type;
    unsigned count;
    if (!(opd->flags & PX_OF_EXACT) || !px_match_opd_type(s->match, opd, &type, &count))
        return true;
    return px_type_info(type)->klass == PX_TC_BITS ? reg == type : register_fits(type, reg, 0);
}

static bool base_register(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    const struct px_type_info *type = px_type_info(o->symbol->type);
    struct width width = address_width(s->match, s->inst, s->argument);
    bool packed = o->symbol->type == PX_T_F16X2 && width.most == 32; /* passes for an addition of 32 bits */
    if (type->klass != PX_TC_BITS && !is_integer((enum px_type_class)type->klass) && !packed)
        return fail(s, PX_FAULT_ADDRESS_TYPE, o, opd);
    if (type->bits > 64)
        return fail(s, PX_FAULT_ADDRESS_WIDTH, o, opd);
    if (!typed_base(s, opd, (enum px_type)o->symbol->type))
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    return (type->bits >= width.least && type->bits <= width.most) || fail(s, PX_FAULT_MISMATCH, o, opd);
}

static bool base_variable(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_space space = px_match_space(s->match, opd);
    if (px_type_info(o->symbol->type)->klass == PX_TC_OPAQUE)
        return fail(s, PX_FAULT_ILLEGAL, o, opd);
    if (address_width(s->match, s->inst, s->argument).most < 64)
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    if (space != PX_SPACE_NONE && o->symbol->space != space)
        return fail(s, PX_FAULT_ADDRESS_SPACE, o, opd);
    return true;
}

static bool address_base(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    switch (o->kind) {
    case PX_O_NAME:
        if (!o->symbol)
            return fail(s, PX_FAULT_ILLEGAL, o, opd);
        if (o->symbol->kind == PX_SYM_REG)
            return base_register(s, opd, o);
        if (o->symbol->kind == PX_SYM_VAR || o->symbol->kind == PX_SYM_PARAM)
            return base_variable(s, opd, o);
        return fail(s, PX_FAULT_ILLEGAL, o, opd);
    case PX_O_INT:
        return px_match_space(s->match, opd) == PX_SPACE_LOCAL || fail(s, PX_FAULT_ADDRESS_IMM, o, opd);
    case PX_O_INDEX:
        return address_base(s, opd, &o->u.list[0]);
    default:
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    }
}

/* The tensor map that a fence names: ptxas takes whatever can stand for 64 bits or less, and no array element. */
static bool map_address(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    const struct px_operand *base = o->kind == PX_O_ADDR && o->n == 1 ? &o->u.list[0] : NULL;
    if (!base || (base->kind != PX_O_NAME && base->kind != PX_O_INT))
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    const struct px_symbol *symbol = base->symbol;
    if (symbol && symbol->kind == PX_SYM_REG)
        return (px_type_info(symbol->type)->bits <= 64 && symbol->vec <= 1) || fail(s, PX_FAULT_ADDRESS_WIDTH, base, opd);
    if (symbol && (symbol->kind == PX_SYM_VAR || symbol->kind == PX_SYM_PARAM))
        return base_variable(s, opd, base);
    return !symbol || !base->has_offset || fail(s, PX_FAULT_LABEL, o, opd);
}

static bool address(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (s->inst->opcode->word == PX_W_fence && px_match_has(s->match, PX_W_tensormap__generic))
        return map_address(s, opd, o);
    enum px_space space = px_match_space(s->match, opd);
    if (o->unified && !(opd->flags & PX_OF_UNIFIED && (space == PX_SPACE_NONE || space == PX_SPACE_GLOBAL)))
        return fail(s, PX_FAULT_UNIFIED, o, opd);
    if (o->kind == PX_O_INDEX)
        return address_base(s, opd, o);
    if (o->kind != PX_O_ADDR || o->n != 1)
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    return address_base(s, opd, &o->u.list[0]);
}

/* A texture, sampler or surface: an opaque variable, or a 64-bit register that holds its handle. */
static bool opaque(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    const struct px_symbol *symbol = o->symbol;
    enum px_fault_kind fault = type == PX_T_SAMPLERREF ? PX_FAULT_SAMPLER : PX_FAULT_TEX;
    if (o->kind != PX_O_NAME || !symbol)
        return fail(s, fault, o, opd);
    if (symbol->kind == PX_SYM_REG)
        return register_fits(PX_T_U64, symbol->type, 0) || fail(s, PX_FAULT_MISMATCH, o, opd);
    return symbol->type == type || symbol->space == PX_SPACE_TEX || fail(s, fault, o, opd);
}

static bool independent_mode(const struct ptx_module *module)
{
    return module && module->texmode_independent;
}

/* Coordinates may always be four; what the geometry does not use is ignored. */
static bool coordinates(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_type type;
    unsigned count;
    if (opd->tkind != 3 || o->kind != PX_O_VEC || o->n != 4 || !px_match_opd_type(s->match, opd, &type, &count) || count >= 4)
        return value(s, opd, o);
    for (uint16_t i = 0; i < 4; i++)
        if (!scalar(s, opd, &o->u.list[i], px_match_elem(s->match, opd, i), true))
            return false;
    return true;
}

/* A tensor map: ptxas takes any register, and no variable in shared or local memory. `:u32=`: of that width. */
static bool tensor_base(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    const struct px_symbol *base = o->kind == PX_O_NAME ? o->symbol : NULL;
    if (base && base->kind == PX_SYM_REG)
        return !(opd->flags & PX_OF_EXACT) || scalar(s, opd, o, px_match_elem(s->match, opd, 0), true);
    if (base && (base->space == PX_SPACE_SHARED || base->space == PX_SPACE_LOCAL))
        return fail(s, PX_FAULT_ADDRESS_SPACE, o, opd);
    return address_base(s, opd, o);
}

/* [map, {c}], [tex, c], [tex, sampler, c]: a name or handle, then the parts. */
static bool tuple(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    unsigned sampler = opd->flags & PX_OF_SAMPLER && o->n == opd->nparts + 2u;
    enum px_type type = opd->kind == PX_OK_TEXADDR ? px_match_elem(s->match, opd, 0) : PX_T_NONE;
    if (o->kind == PX_O_INDEX && !opd->nparts)
        return opaque(s, opd, &o->u.list[0], type);
    if (o->kind != PX_O_ADDR || o->n != opd->nparts + 1u + sampler)
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    if (opd->kind == PX_OK_TEXADDR && o->u.list[0].has_offset && !opd->nparts)
        return fail(s, o->u.list[0].symbol && o->u.list[0].symbol->kind == PX_SYM_REG ? PX_FAULT_TEX : PX_FAULT_MISMATCH, o, opd);
    if (opd->kind == PX_OK_TENSOR ? !tensor_base(s, opd, &o->u.list[0]) : !opaque(s, opd, &o->u.list[0], type))
        return false;
    if (sampler && !opaque(s, opd, &o->u.list[1], PX_T_SAMPLERREF))
        return false;
    if (opd->flags & PX_OF_SAMPLER && !sampler && independent_mode(s->module))
        return fail(s, PX_FAULT_SAMPLER, o, opd);
    for (unsigned i = 0; i < opd->nparts; i++) {
        const struct px_opd *part = px_form_part(s->match->form, (unsigned)opd->part_first + i);
        s->coordinates = true;
        if (!coordinates(s, part, &o->u.list[i + 1 + sampler]))
            return false;
    }
    s->coordinates = false;
    return true;
}

/* ---- labels ---- */

static bool label(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (o->negated || o->minus)
        return fail(s, o->negated ? PX_FAULT_NOT : PX_FAULT_MINUS_LABEL, o, opd);
    if (o->kind != PX_O_NAME)
        return fail(s, PX_FAULT_LABEL, o, opd);
    if (!o->symbol) /* an unknown name is reported elsewhere */
        return o->u.name->text[0] != '%' || !px_sreg_of_word(o->u.name->word) || fail(s, PX_FAULT_SREG, o, opd);
    switch (o->symbol->kind) {
    case PX_SYM_LABEL:
        return (opd->lo == 0 && !o->has_offset) || fail(s, opd->lo ? PX_FAULT_TABLE : PX_FAULT_LABEL, o, opd);
    case PX_SYM_BRANCH_TARGETS:
        return opd->lo == 1 || fail(s, PX_FAULT_LABEL, o, opd);
    case PX_SYM_PROTO: case PX_SYM_CALL_TARGETS:
        return opd->lo == 2 || fail(s, opd->lo ? PX_FAULT_TABLE : PX_FAULT_LABEL, o, opd);
    default:
        return fail(s, PX_FAULT_LABEL, o, opd);
    }
}

/* ---- all operands ---- */

static bool pair(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (o->kind != PX_O_PAIR)
        return opd->flags & PX_OF_PAIR_OPTIONAL ? value(s, opd, o) : fail(s, PX_FAULT_PAIR_NEEDED, o, opd);
    const struct px_opd *partner = px_form_part(s->match->form, (unsigned)opd->partner);
    return value(s, opd, &o->u.list[0]) && value(s, partner, &o->u.list[1]);
}

static bool one(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    switch (opd->kind) {
    case PX_OK_ADDR: return address(s, opd, o);
    case PX_OK_TEXADDR: case PX_OK_TENSOR: return tuple(s, opd, o);
    case PX_OK_LABEL: return label(s, opd, o);
    case PX_OK_FUNC: return o->kind == PX_O_NAME || fail(s, PX_FAULT_MISMATCH, o, opd);
    case PX_OK_LIST: return o->kind == PX_O_LIST || fail(s, PX_FAULT_MISMATCH, o, opd);
    case PX_OK_OTHER: return o->kind == PX_O_SINK || fail(s, PX_FAULT_SINK_NEEDED, o, opd);
    case PX_OK_IMM:
        if (o->kind != PX_O_INT && o->kind != PX_O_EXPR && (o->kind != PX_O_NAME || o->u.name->word != PX_W_WARP_SZ))
            return fail(s, PX_FAULT_MISMATCH, o, opd);
        return value(s, opd, o);
    default:
        return opd->flags & PX_OF_PAIR ? pair(s, opd, o) : value(s, opd, o);
    }
}

/* cp.async: what is read must not be more than what is written, where both are constants. */
static bool copies_within(struct state *s)
{
    static const struct px_opd upto[] = {{.hi = 4}, {.hi = 8}, {.hi = 16}};
    const struct px_operand *size = &s->inst->opds[2], *source = &s->inst->opds[3];
    if (s->inst->opcode->word != PX_W_cp || s->argument != 3 || px_match_has(s->match, PX_W_bulk))
        return true;
    if (size->kind != PX_O_INT || source->kind != PX_O_INT || source->u.i <= size->u.i)
        return true;
    return fail(s, PX_FAULT_RANGE, source, &upto[size->u.i >= 16 ? 2 : size->u.i >= 8]);
}

bool px_inst_operands(const struct ptx_module *module, const struct px_match *match, const struct px_inst *inst,
                      struct px_fault *fault)
{
    struct px_fault next;
    struct state s = {module, match, inst, &next, 0, false};
    fault->kind = PX_FAULT_NONE;
    for (; s.argument < inst->nopds; s.argument++)
        if (!(one(&s, px_match_opd(match, s.argument), &inst->opds[s.argument]) && copies_within(&s)) &&
            (!fault->kind || px_fault_phase(next.kind) < px_fault_phase(fault->kind)))
            *fault = next;
    return !fault->kind;
}
